/* SPDX-License-Identifier: MIT */
#include "view.h"
#include "pose.h"

#include <string.h>

static const render_material fabrics[WORLD_GRIDS] = {
    {{0.50f, 0.30f, 0.06f}, {0.42f, 0.03f, 0.04f}, 0, 0.06f, 0.12f},
    {{0.10f, 0.24f, 0.22f}, {0.10f, 0.24f, 0.22f}, 14, 0.05f, 0.25f},
    {{0.10f, 0.24f, 0.22f}, {0.10f, 0.24f, 0.22f}, 14, 0.05f, 0.25f},
    {{0.70f, 0.38f, 0.07f}, {0.05f, 0.19f, 0.40f}, 6, 0.07f, 0.25f},
    {{0.45f, 0.42f, 0.36f}, {0.45f, 0.42f, 0.36f}, 0, 0.05f, 0.15f},
};
static const render_material jersey = {{0.12f, 0.27f, 0.42f}, {0.08f, 0.18f, 0.28f}, 0, 0.06f, 0.1f};
static const render_material stone = {{0.55f, 0.53f, 0.50f}, {0.55f, 0.53f, 0.50f}, 0, 0.12f, 0};
static const render_material skin = {{0.62f, 0.46f, 0.37f}, {0.62f, 0.46f, 0.37f}, 0, 0.12f, 0};
static const render_material tunic = {{0.16f, 0.20f, 0.28f}, {0.16f, 0.20f, 0.28f}, 0, 0.08f, 0};
static const render_material boots = {{0.13f, 0.09f, 0.07f}, {0.13f, 0.09f, 0.07f}, 0, 0.15f, 0};

/* By the limbs' order in figure.c: trunk, hips, shoulders, neck, head, two legs, two arms. */
static const render_material *const clothing[FIGURE_LIMBS] = {
    &tunic, &tunic, &tunic, &skin, &skin, &tunic, &boots, &boots, &tunic, &boots, &boots, &tunic, &skin, &tunic, &skin};

/// Meshes ///

static int open_piece(view *v, const piece *p, int which) {
  int32_t cells = (p->across - 1) * (p->rows - 1); /* the most there will be: a game starts with the finest grids */
  v->objects[which] = (render_object){&v->meshes[which], fabrics[which]};
  return render_mesh_create(&v->meshes[which], p->across * p->rows, 6 * cells);
}

static int open_shirt(view *v, const tee *t) {
  render_mesh *mesh = &v->meshes[VIEW_SHIRT];
  v->objects[VIEW_SHIRT] = (render_object){mesh, jersey};
  if (render_mesh_create(mesh, t->vertex_count, t->index_count) != 0) return -1;
  memcpy(mesh->indices, t->indices, (size_t)t->index_count * sizeof *t->indices);
  return 0;
}

static int open_limb(view *v, const cloth_collider *body, int which, int segments) {
  cloth_collider c = *body;
  render_mesh *placed = &v->meshes[VIEW_LIMBS + which], *local = &v->limbs[which];
  v->objects[VIEW_LIMBS + which] = (render_object){placed, *clothing[which]};
  if (render_mesh_of_capsule(placed, &c, segments) != 0) return -1;
  c.pose = (cloth_pose){{0, 0, 0}, {0, 0, 0, 1}};
  return render_mesh_of_capsule(local, &c, segments);
}

static int open_rod(view *v, int prop, cloth_vector low, cloth_vector high, float radius, int segments) {
  limb l = {low, high, radius, radius};
  cloth_collider rod = limb_collider(&l);
  int which = VIEW_PROPS + prop;
  v->objects[which] = (render_object){&v->meshes[which], stone};
  return render_mesh_of_capsule(&v->meshes[which], &rod, segments);
}

int view_open(view *v, const world *w, int segments) {
  const float radius = 0.02f;
  cloth_vector foot = vector(flag_place.x - radius, 0, flag_place.z);
  cloth_vector rod = plus(curtain_place, vector(0, 1.5f * radius, 0)), half = vector(0, 0, 1.1f);
  int result = open_rod(v, 0, foot, plus(foot, vector(0, flag_place.y + 0.05f, 0)), radius, segments);
  result |= open_rod(v, 1, minus(rod, half), plus(rod, half), radius, segments);
  for (int i = 0; i < WORLD_GRIDS; i++)
    result |= open_piece(v, world_piece(w, i), i);
  result |= open_shirt(v, &w->tee);
  for (int i = 0; i < FIGURE_LIMBS; i++)
    result |= open_limb(v, &w->hero.bodies[i], i, segments);
  return result;
}

void view_close(view *v) {
  for (int i = 0; i < VIEW_OBJECTS; i++)
    render_mesh_destroy(&v->meshes[i]);
  for (int i = 0; i < FIGURE_LIMBS; i++)
    render_mesh_destroy(&v->limbs[i]);
}

/// Drawing ///

/* The triangles change with the level of detail alone. */
static int place_piece(view *v, const piece *p, int which, float share) {
  render_mesh *mesh = &v->meshes[which];
  piece_blend(p, share, mesh->vertices);
  if (v->columns[which] == p->across) return 0;
  v->columns[which] = p->across;
  mesh->vertex_count = p->across * p->rows;
  mesh->index_count = cloth_get_index_count(p->sheet);
  return cloth_write_indices32(p->sheet, 0, mesh->indices, (size_t)mesh->index_count);
}

static void place_limb(view *v, const walker *hero, int which, float share) {
  const render_mesh *local = &v->limbs[which];
  render_mesh *placed = &v->meshes[VIEW_LIMBS + which];
  cloth_pose pose = pose_between(&hero->bodies_before[which], &hero->bodies[which].pose, share);
  for (int i = 0; i < local->vertex_count; i++) {
    placed->vertices[i].position = point_within(&pose, local->vertices[i].position);
    placed->vertices[i].normal = turned(pose.rotation, local->vertices[i].normal);
  }
}

cloth_pose view_hero(const world *w, float share) {
  return pose_between(&w->hero.root_before, &w->hero.root, share);
}

int view_draw(view *v, const world *w, float share, cloth_vector eye, cloth_vector target, image *picture,
              rectangle area) {
  const render_scene scene = {.eye = eye,
                              .target = target,
                              .field_of_view = 0.6f,
                              .to_light = {-0.5f, 1.1f, 0.55f},
                              .radius = 3.5f,
                              .objects = v->objects,
                              .object_count = VIEW_OBJECTS,
                              .sketch = v->sketch};
  int result = 0;
  for (int i = 0; i < WORLD_GRIDS && result == 0; i++)
    result = place_piece(v, world_piece(w, i), i, share);
  if (result == 0) result = tee_blend(&w->tee, share, v->meshes[VIEW_SHIRT].vertices);
  for (int i = 0; i < FIGURE_LIMBS; i++)
    place_limb(v, &w->hero, i, share);
  return result == 0 ? render_view(picture, area, &scene) : -1;
}
