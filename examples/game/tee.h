/*
 * A T-shirt of four panels that are sewn together, and its mesh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_TEE_H
#define GAME_TEE_H

#include "piece.h"
#include "shirt.h"
#include "touch.h"

typedef struct tee {
  piece panels[SHIRT_PANELS];
  touch wearer[SHIRT_PANELS];
  cloth_seam seams[SHIRT_SEAMS];  /* of a group whose first cloths are the panels */
  cloth_blend kept[SHIRT_PANELS]; /* the panels before their last step */
  render_vertex *start;           /* the mesh as it was bound */
  uint32_t *indices;
  cloth_binding *bindings;
  int32_t vertex_count, index_count;
} tee;

enum { TEE_VERTICES_MOST = 2560 };

/* How long a cell is [m]. */
float tee_spacing(void);

/* Put it on, move it with the walker's step before its own, and take it along when the walker teleports from a pose.
   Return what cloth_step() and the like do. */
int tee_open(tee *t, store *memory, const walker *w);
int tee_move(tee *t, const walker *w, float dt);
int tee_teleport(tee *t, const walker *w, const cloth_pose *from, float dt);

/* Writes the vertices of the mesh as they are at a share of the way from the earlier state to the later one. Returns
   CLOTH_OK or an error. */
int tee_blend(const tee *t, float share, render_vertex *vertices);

#endif /* GAME_TEE_H */
