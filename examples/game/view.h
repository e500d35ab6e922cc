/*
 * Draws the game between its last two states.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_VIEW_H
#define GAME_VIEW_H

#include "render.h"
#include "world.h"

enum { VIEW_SHIRT = WORLD_GRIDS, VIEW_LIMBS, VIEW_PROPS = VIEW_LIMBS + FIGURE_LIMBS, VIEW_OBJECTS = VIEW_PROPS + 2 };

typedef struct view {
  render_mesh meshes[VIEW_OBJECTS]; /* grids of cloth, the shirt, the limbs, then what never moves */
  render_mesh limbs[FIGURE_LIMBS];  /* about their own origin */
  render_object objects[VIEW_OBJECTS];
  int32_t columns[WORLD_GRIDS]; /* vertices in a row of the grid whose triangles a mesh has */
  int sketch;                   /* see render_scene */
} view;

/* Returns 0, or -1 if there is no memory. */
int view_open(view *v, const world *w, int segments);
void view_close(view *v);

/* Where the hero is at a share of the way from the state before the last to the last. */
cloth_pose view_hero(const world *w, float share);

/* Draws the world at a share of the way. The camera looks from `eye` at `target`. Returns 0, or -1 on failure. */
int view_draw(view *v, const world *w, float share, cloth_vector eye, cloth_vector target, image *picture,
              rectangle area);

#endif /* GAME_VIEW_H */
