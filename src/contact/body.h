#pragma once
#include "../base/rigid.h"
#include "../cloth/body_list.h"
#include "../cloth/step_origin.h"
#include "geometry.h"
#include "shapes.h"

/// Colliders in a substep ///

/*
 * Where a collider is while a substep, or a part of one, lasts, and how far points are from it.
 *
 * In: collider slots, the terms of the substep. Out: what the functions return. Scratch: none.
 */

/* Work of a particle that is compared with a collider, see step/work.h. */
#define WORK_SEARCH 215u
/* Most that is charged for a way that is followed, in searches, beside that of its end; of a distance grid, where each
   place costs several. */
#define MOST_FOLLOWED 1
#define MOST_FOLLOWED_IN_GRID 60
#define GRID_SEARCHES 5

/* Planes and edges of a hull that take as long as another comparison. */
#define FACES_PER_SEARCH 8
#define MOST_HULL_SEARCHES (1 + 4 * CLOTH_HULL_PLANE_LIMIT / FACES_PER_SEARCH)

/* Factor of distances by which something is left out as too far: roundings leave nothing out. */
#define BOX_SLACK 1.001f

static int32_t most_followed(int32_t is_grid) {
  return is_grid ? MOST_FOLLOWED_IN_GRID : MOST_FOLLOWED;
}

/* Comparisons that one with a collider is charged for: a hull measures all its planes and edges. */
static int32_t searches_of(const cloth_collider *body, const cloth_geometry *g) {
  return is_hull(body->shape) && g ? 1 + (g->counts[0] + g->counts[1]) / FACES_PER_SEARCH : 1;
}

/* The most that it may be charged for, of whatever geometry. */
static int32_t most_searches_of(const cloth_collider *body) {
  return is_hull(body->shape) ? MOST_HULL_SEARCHES : 1;
}

/* A collider in a substep, or in a part of one. */
typedef struct touched_body {
  const cloth_collider *shape;
  const cloth_geometry *geometry;
  const body_unknown *unknown; /* of a body; NULL for a collider without mass */
  cloth_pose start, end;
  int32_t collider;
  int32_t searches;  /* see searches_of() */
  int32_t is_buried; /* 1: pins are nearer to it than the thickness, see buried.h */
  float reach;       /* no part of it is farther from its position [m] */
  float shift;       /* by how much its position moves [m] */
} touched_body;

/* 1 for fields of heights or distances, which cost more than other geometries. */
static int is_field(const cloth_collider *body) {
  return is_height_field(body->shape) || is_distance_grid(body->shape);
}

/* 1 for surfaces of which one side holds particles. */
static int has_one_side(const cloth_geometry *g) {
  return is_height_field(g->shape) || g->counts[2] != 0;
}

CLOTH_INLINE lanes3 lanes_to_local(const cloth_pose *pose, lanes3 p) {
  const lanes3 from = lanes3_flush_below(lanes3_subtract(p, lanes3_splat(pose->position)), STATE_QUANTUM);
  return lanes3_flush_below(lanes3_rotate(rotation_conjugate(pose->rotation), from), STATE_QUANTUM);
}

/* Is there a collider at an index that is no surface; a surface? */
static int is_solid_at(const cloth *c, int32_t index) {
  return is_collider(c, index) && !is_surface(slot_at(c, index)->body.shape);
}

static int is_surface_at(const cloth *c, int32_t index) {
  return is_collider(c, index) && is_surface(slot_at(c, index)->body.shape);
}

static int32_t count_surfaces(const cloth *c) {
  int32_t count = 0;
  for (int32_t index = 0; index < collider_end(c); index++) {
    count += is_surface_at(c, index);
  }
  return count;
}

/* Takes the collider `index` while a substep goes from one share of its step to another. */
CLOTH_REPEATED void take_touched_body(const cloth *c, const substep_terms *t, int32_t index, touched_body *b) {
  const collider_slot *slot = slot_at(c, index);
  const body_unknown *unknown = find_unknown(c, index);
  b->shape = &slot->body;
  b->geometry = geometry_of(c, &slot->body);
  b->unknown = unknown;
  if (unknown) {
    b->start = unknown->start;
    b->end = unknown->end;
  } else {
    const cloth_pose from = pose_in_step(c, &slot->previous), to = pose_in_step(c, &slot->body.pose);
    b->start = pose_between(&from, &to, t->from);
    b->end = pose_between(&from, &to, t->until);
  }
  b->collider = index;
  b->searches = searches_of(b->shape, b->geometry);
  b->is_buried = 0;
  b->reach = body_reach(b->shape, b->geometry);
  b->shift = vector_length(vector_flush_work(vector_subtract(b->end.position, b->start.position)));
}

/* Distances of local points from a collider. */
CLOTH_SEPARATE lanes distances_to(const touched_body *b, const lanes3 *p, lanes3 *normal) {
  if (is_distance_grid(b->shape->shape)) {
    float points[3][CLOTH_LANES], normals[3][CLOTH_LANES], distance[CLOTH_LANES];
    cloth_vector n[CLOTH_LANES]; /* of one for all lanes clang 14 for WASM reads what a later lane has left */
    lanes3_store(VECTORS_OF(points), 0, *p, CLOTH_LANES);
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      distance[lane] = distance_in_grid(b->geometry, vector_load(VECTORS_OF(points), lane), &n[lane]);
      vector_store(VECTORS_OF(normals), lane, n[lane]);
    }
    *normal = lanes3_load(VECTORS_OF(normals), 0);
    return lanes_load(distance);
  }
  return distance_to_body(b->shape, b->geometry, *p, normal);
}

/// Their boxes ///

/* Widens *half by what a side of a box reaches along each axis. */
static void widen_by_side(const cloth_pose *pose, cloth_vector side, float length, cloth_vector *half) {
  if (length > 0.0f) { /* solids that are rounded about a line or a point have few */
    const cloth_vector v = rotate(pose->rotation, vector_scale(side, length));
    *half = vector_add(*half, vector(absolute(v.x), absolute(v.y), absolute(v.z)));
  }
}

/* The box in world axes around one at a pose. */
static position_box box_at_pose(const position_box *own, const cloth_pose *pose) {
  const cloth_vector half = vector_scale(vector_subtract(own->high, own->low), 0.5f);
  const cloth_vector middle = to_world(pose, vector_add(own->low, half));
  cloth_vector most = vector(0.0f, 0.0f, 0.0f);
  widen_by_side(pose, vector(1.0f, 0.0f, 0.0f), half.x, &most);
  widen_by_side(pose, vector(0.0f, 1.0f, 0.0f), half.y, &most);
  widen_by_side(pose, vector(0.0f, 0.0f, 1.0f), half.z, &most);
  return (position_box){vector_subtract(middle, most), vector_add(middle, most)};
}

static float box_distance_squared(const position_box *box, cloth_vector p) {
  const cloth_vector off = vector_maximum(vector_subtract(box->low, p), vector_subtract(p, box->high));
  const cloth_vector away = vector_flush_work(vector_maximum(off, vector(0.0f, 0.0f, 0.0f)));
  return vector_dot(away, away);
}

/* The box around a solid at the end of a substep: around what it is rounded about, and as far again as that goes. The
   dimensions that a shape is without are 0. */
static position_box box_of_body(const touched_body *b) {
  const cloth_collider *s = b->shape;
  const int is_cylinder = s->shape == CLOTH_SHAPE_CYLINDER;
  const cloth_vector none = vector(0.0f, 0.0f, 0.0f), round = vector(s->radius, 0.0f, s->radius);
  if (b->geometry) { return box_at_pose(&b->geometry->box, &b->end); }
  if (s->shape == CLOTH_SHAPE_PLANE) { return box_between(none, none, BEYOND_ALL); }
  cloth_vector half = is_cylinder ? round : s->half_extents;
  half.y += s->half_height;
  const position_box own = {vector_subtract(none, half), half}, core = box_at_pose(&own, &b->end);
  return box_beyond(&core, is_cylinder ? 0.0f : maximum(s->radius, s->radius_top));
}
