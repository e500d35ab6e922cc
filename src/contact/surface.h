#pragma once
#include "body.h"
#include "geometry.h"
#include "hits.h"
#include "memory.h"
#include "search.h"
#include "shape_surface.h"
#include "shapes.h"
#include "touch.h"
#include "triangles.h"

/// Search for touches with surfaces ///

/*
 * As search.h, for meshes and height fields. The triangles near a block of particles are listed once and measured for
 * all of them; where there are too many, those near each particle. A particle in a crease or corner has several touches
 * with the same collider, each with a number of its own in the memory of contact: which face was which is told by the
 * forces that they gave.
 *
 * On a surface with two sides a particle is held on the side where its way begins, and that is all that says which side
 * it is on. So after the new state nothing may have passed: guard_surfaces() follows each way that may have, in full,
 * and moves its end in front of what it passes. That is counted as safety, and never happens at rest.
 *
 * In: as search.h; position, velocity. Out: the list of touches; positions and velocities of what has passed. Scratch:
 * ground, leaves_of(), row buffers.
 */

/// Work ///

/* Most that is charged for a way that may have passed, in searches. */
#define GUARD_SEARCHES 200
/* Most that is charged for a particle, in times that all triangles are measured that a list may have. */
#define MOST_PASSES 2u
/* Most that is charged for a particle near too many triangles, and how many lists of these near its end are made. */
#define SHORT_SEARCHES 400
#define SHORT_LISTS 6

/* Searches of other colliders that cost as much as `work`, which lists take. */
static int32_t list_searches(uint32_t work) {
  return (int32_t)(work / WORK_SEARCH) + 1;
}

/* Most work that is charged for the list of a particle. */
static uint32_t most_list_work(int32_t has_fields) {
  return MOST_PASSES * MOST_CHUNKS * (COST_CHUNK + (has_fields ? COST_CHUNK_MADE : 0u));
}

/* Most of a surface in a part of a substep: each block of particles has leaves, each particle a list, in so many
   searches; then all ways are guarded, and once more where solids have moved particles out. */
static int64_t most_surface_searches(const cloth *c, int32_t has_fields, int32_t searches) {
  const int64_t blocks = (int64_t)touch_blocks(c->grid.columns) * c->grid.rows, count = c->count;
  const int64_t each = blocks * list_searches(MESH_WALK_NODES * COST_MESH_NODE + MOST_LEAVES * COST_MESH_LEAF) +
                       count * (list_searches(most_list_work(has_fields)) + SHORT_SEARCHES);
  return searches * each + 2 * count * GUARD_SEARCHES;
}

/// Touches ///

/* Share of the distance from the nearest triangle that a particle may move without having passed any. */
#define SAFE_SHARE 0.9f
/* Share of the thickness at which a particle is put that had passed. */
#define GUARD_SHARE 0.02f

/* Particles of a block near a surface, in its axes. */
typedef struct surface_block {
  float from[3][TOUCH_LANES], to[3][TOUCH_LANES], length[TOUCH_LANES]; /* of their ways [m] */
  float reach[TOUCH_LANES], radius[TOUCH_LANES]; /* where the law begins; contacts are no farther [m] */
  float near[TOUCH_LANES];                       /* 1 or 0 */
  float gap[SURFACE_FACES][TOUCH_LANES], normal[SURFACE_FACES][3][TOUCH_LANES]; /* see surface_hits */
} surface_block;

/* The ways of lanes `k` of a block, which begins at column `column` of a row. Returns 1 if one may be near: *box is
   widened by the balls around the ends of these. */
CLOTH_SEPARATE int find_ways(const touch_search *s, int32_t row, int32_t column, int32_t k, surface_block *block,
                             position_box *box) {
  const solve_arrays *a = s->a;
  const touched_body *b = s->b;
  const int32_t i = column + k, place = row * a->pitch + i;
  const lanes zero = lanes_splat(0.0f), beyond = lanes_splat(BEYOND_ALL), less = lanes_splat(-BEYOND_ALL);
  lanes_store(&block->near[k], zero);
  if (i >= a->columns) { return 0; }
  touch_way w = {.from = lanes_to_local(&b->start, lanes3_load(s->x, row * a->columns + i)),
                 .to = lanes_to_local(&b->end, near_load(near_row(a->place, a->pitch, row), a->plane, i))};
  complete_way(&w);
  w.reach = b->is_buried ? lanes_load(s->reach + place) : lanes_splat(s->thickness);
  const lanes nearest = lanes_add(lanes_splat(s->thickness), lanes_maximum(w.reach, zero));
  const lanes radius = lanes_add(nearest, lanes_multiply(w.length, lanes_splat(FARTHER)));
  const lanes3 around = lanes3_of(radius, radius, radius);
  const lanes3 low = lanes3_subtract(w.to, around), high = lanes3_add(w.to, around);
  lanes_mask near = lanes_less(zero, lanes_load(a->diagonal + place));
  near = lanes_both(near, lanes3_less(low, lanes3_splat(b->geometry->box.high)));
  near = lanes_both(near, lanes3_less(lanes3_splat(b->geometry->box.low), high));
  const position_box balls = box_of_lanes(lanes3_select(near, low, lanes3_of(beyond, beyond, beyond)),
                                          lanes3_select(near, high, lanes3_of(less, less, less)));
  *box = box_around_both(box, &balls);
  lanes3_store(VECTORS_OF(block->from), k, w.from, CLOTH_LANES);
  lanes3_store(VECTORS_OF(block->to), k, w.to, CLOTH_LANES);
  lanes_store(&block->length[k], w.length);
  lanes_store(&block->reach[k], w.reach);
  lanes_store(&block->radius[k], radius);
  lanes_store(&block->near[k], lanes_keep(near, lanes_splat(1.0f)));
  return lanes_any(near);
}

/* Particle `k` of a block. */
static void take_point(const touch_search *s, surface_block *block, int32_t k, surface_point *point) {
  const cloth_geometry *g = s->b->geometry;
  const float thickness = s->thickness, inside = minimum(block->reach[k], thickness);
  set_way(point, vector_load(VECTORS_OF(block->from), k), vector_load(VECTORS_OF(block->to), k), block->radius[k],
          has_one_side(g));
  point->behind = is_height_field(g->shape) ? STATE_QUANTUM : thickness + (thickness - inside);
  point->work = 0;
}

/* Charges `work`, but no more than so many searches. */
static void charge_searches(const cloth *c, uint32_t work, int32_t most) {
  const int32_t searches = list_searches(work);
  workspace_of(c)->searched += searches < most ? searches : most;
}

/* Finds the contacts of a particle near too many triangles with what is near its end, in boxes that grow. */
CLOTH_SEPARATE void find_short_hits(const touch_search *s, hit_search *search, surface_point *point, float length) {
  triangle_list *list = &search->near;
  const cloth_vector end = point->to;
  const float most = point->radius;
  float radius = 2.0f * s->thickness;
  for (int32_t n = 0; n < SHORT_LISTS; n++) {
    point->radius = minimum(radius, most);
    point->to = end;
    list_around(list, s->b->geometry, point);
    list->is_short = 1;
    if (list->overflows && n > 0) { /* nothing is as near as half of the radius */
      break;
    }
    statistics_of(s->c)->overflows += list->overflows;
    find_hits(search, point, length, NEAR_SHARE * s->thickness);
    point->work += list->work;
    if (is_hit(search->hits.gap[0])) { break; }
    radius += radius;
  }
  charge_searches(s->c, point->work, SHORT_SEARCHES);
}

/* Finds the contacts of a particle. `leaves`: of a mesh near its block; NULL if there are too many. */
CLOTH_SEPARATE void find_point_hits(const touch_search *s, const mesh_leaves *leaves, hit_search *search,
                                    surface_point *point, float length) {
  triangle_list *list = &search->near;
  if (leaves) {
    clear_list(list, s->b->geometry);
    list_leaves(list, leaves, point->to, point->radius);
  } else {
    list_around(list, s->b->geometry, point);
  }
  if (list->overflows) {
    find_short_hits(s, search, point, length);
    return;
  }
  if (list->count > 0) { find_hits(search, point, length, NEAR_SHARE * s->thickness); }
  const int is_field = is_height_field(list->g->shape);
  charge_searches(s->c, list->work + point->work, list_searches(most_list_work(is_field)));
}

/* What the search of one surface takes: in the room between passes. */
typedef struct surface_search {
  hit_search of_point; /* of one particle after the other, which may need the same cells */
  surface_block block;
  surface_point point;
  touched_body body;
  touch_search s;
} surface_search;

LAYOUT_CONTRACT(surface_search_has_room, sizeof(surface_search) <= SURFACE_ROOM_BYTES);

CLOTH_SEPARATE void find_block_hits(surface_search *search, const mesh_leaves *leaves) {
  surface_block *block = &search->block;
  const surface_hits *hits = &search->of_point.hits;
  for (int32_t k = 0; k < TOUCH_LANES; k++) {
    clear_hits(&search->of_point.hits);
    if (block->near[k] > 0.0f) {
      take_point(&search->s, block, k, &search->point);
      find_point_hits(&search->s, leaves, &search->of_point, &search->point, block->length[k]);
    }
    for (int32_t f = 0; f < SURFACE_FACES; f++) {
      block->gap[f][k] = hits->gap[f];
      vector_store(VECTORS_OF(block->normal[f]), k, hits->normal[f]);
    }
  }
}

/* Turns the normals of contacts of a group into world axes, and puts the first two in the order of the faces that
   particles remember. */
CLOTH_SEPARATE void order_faces(const touch_search *s, surface_block *block, int32_t k, int32_t particle) {
  lanes3 normal[SURFACE_FACES];
  for (int32_t f = 0; f < SURFACE_FACES; f++) {
    normal[f] = lanes3_flush(lanes3_rotate(s->b->end.rotation, lanes3_load(VECTORS_OF(block->normal[f]), k)));
    lanes3_store(VECTORS_OF(block->normal[f]), k, normal[f], CLOTH_LANES);
  }
  const lanes3 first = remember(s->c, face_number(s->b->collider, 0), particle).force;
  const lanes3 second = remember(s->c, face_number(s->b->collider, 1), particle).force;
  const lanes3 a = normal[0], b = normal[1];
  const lanes kept = lanes_add(lanes3_dot(first, a), lanes3_dot(second, b));
  const lanes turned = lanes_add(lanes3_dot(second, a), lanes3_dot(first, b));
  const lanes_mask turns = lanes_less(kept, turned);
  const lanes gap[2] = {lanes_load(&block->gap[0][k]), lanes_load(&block->gap[1][k])};
  lanes_store(&block->gap[0][k], lanes_select(turns, gap[1], gap[0]));
  lanes_store(&block->gap[1][k], lanes_select(turns, gap[0], gap[1]));
  lanes3_store(VECTORS_OF(block->normal[0]), k, lanes3_select(turns, b, a), CLOTH_LANES);
  lanes3_store(VECTORS_OF(block->normal[1]), k, lanes3_select(turns, a, b), CLOTH_LANES);
}

/* Makes the touch of one face of a block in lanes `k`. Returns 1 if any of its particles touches. */
CLOTH_SEPARATE int make_face(touch_search *s, touch *e, int32_t k, surface_block *block) {
  const touch_way w = {.from = lanes3_load(VECTORS_OF(block->from), k),
                       .to = lanes3_load(VECTORS_OF(block->to), k),
                       .length = lanes_load(&block->length[k]),
                       .reach = lanes_load(&block->reach[k])};
  const lanes farther = lanes_multiply(w.length, lanes_splat(FARTHER));
  const lanes far = lanes_add(lanes_add(w.reach, lanes_splat(s->thickness)), farther);
  const lanes gap = lanes_load(&block->gap[e->face][k]);
  const lanes_mask is_face = lanes_less(gap, lanes_splat(0.5f * NO_FACE));
  const lanes_mask is_near = lanes_less(lanes_splat(0.0f), lanes_load(&block->near[k]));
  const lanes_mask touches = lanes_both(is_near, lanes_both(is_face, lanes_less(gap, far)));
  if (!lanes_any(touches)) { return 0; }
  fill_touch(s, e, k, &w, touches, gap, lanes3_load(VECTORS_OF(block->normal[e->face]), k));
  return 1;
}

CLOTH_SEPARATE void find_block_touches(surface_search *search, int32_t row, int32_t column) {
  touch_search *s = &search->s;
  surface_block *block = &search->block;
  mesh_leaves *leaves = NULL;
  position_box box = empty_box();
  int near = 0;
  for (int32_t k = 0; k < TOUCH_LANES; k += CLOTH_LANES) {
    near |= find_ways(s, row, column, k, block, &box);
  }
  if (!near) { return; }
  if (is_mesh(s->b->geometry->shape)) {
    leaves = leaves_of(s->c);
    find_leaves(leaves, s->b->geometry, &box);
    workspace_of(s->c)->searched += list_searches(leaves->work);
    if (leaves->count == 0) { return; }
    leaves = leaves->overflows ? NULL : leaves;
  }
  open_list(&search->of_point.near);
  find_block_hits(search, leaves);
  for (int32_t k = 0; k < TOUCH_LANES; k += CLOTH_LANES) {
    order_faces(s, block, k, row * s->a->columns + column + k);
  }
  for (int32_t face = 0; face < SURFACE_FACES; face++) {
    touch *e = open_touch(s, row, column, face);
    int touches = 0;
    EACH_TOUCH_LANES(e, s->a->columns, k, touches |= make_face(s, e, k, block));
    close_touch(s, e, touches);
  }
}

/* Where a surface may be touched in a substep; the ground is deep. */
CLOTH_ONCE position_box surface_box(const touched_body *b, float thickness) {
  const position_box *own = &b->geometry->box, start = box_at_pose(own, &b->start), end = box_at_pose(own, &b->end);
  const position_box box = box_around_both(&start, &end);
  const float deep = is_height_field(b->geometry->shape) ? PLANE_REACH : 0.0f;
  const float more = deep + BOX_SLACK * b->shift; /* ways are its own, too */
  return box_beyond(&box, thickness + more);
}

CLOTH_REPEATED surface_search *start_surfaces(const cloth *c) {
  surface_search *search = (surface_search *)room_between_passes(c);
  start_search(c, &search->s, &search->body);
  return search;
}

static void take_surface(surface_search *search, const substep_terms *t, int32_t index, const position_box *held) {
  take_touched_body(search->s.c, t, index, &search->body);
  search->body.is_buried = find_reach(search->s.c, &search->body, held);
}

/* Chooses the tiles whose ways, and as far on, may meet a surface. */
static void choose_surface_tiles(touch_search *s) {
  const position_box box = surface_box(s->b, BOX_SLACK * 2.0f * s->thickness);
  s->half = vector_scale(vector_subtract(box.high, box.low), 0.5f);
  s->centre = vector_add(box.low, s->half);
  for (int32_t n = 0; n < s->boxes.count; n++) {
    const float wide = s->boxes.margin[n] = BOX_SLACK * s->boxes.way[n];
    const cloth_vector centre = vector_load(s->boxes.centre, n), half = vector_load(s->boxes.half, n);
    const position_box tile = {vector_subtract(centre, half), vector_add(centre, half)}, ways = box_beyond(&tile, wide);
    s->boxes.rows[n] = 0;
    if (do_boxes_meet(&box, &ways)) { find_rows_in_box(s, n); }
  }
}

/* Finds the touches of all surfaces, after those of all other colliders: the boxes of the blocks are known. Returns 1
   if one would be farther inside than the law is thick. */
CLOTH_SEPARATE int32_t find_surface_touches(const cloth *c, const substep_terms *t, const touch_bounds *bounds) {
  surface_search *search = start_surfaces(c);
  for (int32_t index = 0; index < collider_end(c); index++) {
    if (is_surface_at(c, index) && is_ball_near(c, index, &bounds->all, search->s.thickness)) {
      take_surface(search, t, index, &bounds->held);
      choose_surface_tiles(&search->s);
      EACH_NEAR_BLOCK(&search->s, tile, row, column, find_block_touches(search, row, column));
    }
  }
  const int32_t is_deep = search->s.is_deep;
  clear_room(c, sizeof *search);
  return is_deep;
}

/// What has passed ///

/* Moves a particle in front of a surface if it has passed it in the substep. Returns 1 if it has. */
CLOTH_SEPARATE int guard_particle(surface_search *search, const substep_terms *t, int32_t particle, float reach) {
  const touch_search *s = &search->s;
  const vector_array v = vectors_at(s->c, s->c->state.velocity);
  const cloth_vector x = vector_load(s->x, particle), speed = vector_load(v, particle);
  const cloth_vector start = vector_flush_state(vector_add_scaled(x, speed, negate(t->h)));
  const cloth_vector from = to_local(&s->b->start, start);
  cloth_vector to = to_local(&s->b->end, x);
  const float most = maximum(s->thickness - reach, 0.0f);
  uint32_t work = 0;
  const int stops = stop_way(&search->of_point, s->b->geometry, from, &to, most, GUARD_SHARE * s->thickness, &work);
  charge_searches(s->c, work, GUARD_SEARCHES);
  if (!stops) { return 0; }
  const cloth_vector now = vector_flush_state(to_world(&s->b->end, to));
  const cloth_vector faster = vector_scale_work(vector_subtract(now, x), t->inverse_h);
  vector_store(s->x, particle, now);
  vector_store(v, particle, vector_flush_state(vector_add(speed, faster)));
  return 1;
}

/* Which particles of lanes `k` of a block, whose touches begin at `first`, may have passed the surface. */
CLOTH_SEPARATE lanes may_have_passed(const touch_search *s, int32_t first, int32_t row, int32_t i, int32_t k) {
  const solve_arrays *a = s->a;
  const lanes one = lanes_splat(1.0f), thickness = lanes_splat(2.0f * s->thickness);
  const touch *list = touches_of(s->c);
  lanes free = thickness;
  for (int32_t n = first; n >= 0; n = list[n].next) {
    if (list[n].collider == s->b->collider) {
      const lanes gap = lanes_multiply(touch_load(&list[n], TOUCH_GAP, k), lanes_splat(SAFE_SHARE));
      free = lanes_minimum(gap, free);
    }
  }
  const lanes3 x = lanes3_load(s->x, row * a->columns + i),
               place = near_load(near_row(a->place, a->pitch, row), a->plane, i);
  const lanes way = lanes3_length(lanes3_subtract(x, place));
  const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + row * a->pitch + i));
  return lanes_keep(moves, lanes_drop(lanes_less(way, free), one));
}

/* Guards a block of particles. Returns how many have passed. */
static int32_t guard_block(surface_search *search, const substep_terms *t, int32_t row, int32_t column) {
  const touch_search *s = &search->s;
  int32_t passed = 0;
  for (int32_t k = 0; k < TOUCH_LANES && column + k < s->a->columns; k += CLOTH_LANES) {
    float flags[CLOTH_LANES];
    const int32_t i = column + k;
    const lanes may = may_have_passed(s, *chain_at(s->c, row, column), row, i, k);
    if (!lanes_any(lanes_less(lanes_splat(0.0f), may))) { continue; }
    lanes_store(flags, may);
    for (int32_t lane = 0; lane < CLOTH_LANES && i + lane < s->a->columns; lane++) {
      const float reach = s->b->is_buried ? s->reach[row * s->a->pitch + i + lane] : s->thickness;
      passed += flags[lane] > 0.0f && guard_particle(search, t, row * s->a->columns + i + lane, reach);
    }
  }
  return passed;
}

/* After the new positions have been accepted: no particle is on another side of a surface than before. */
CLOTH_SEPARATE void guard_surfaces(const cloth *c, const substep_terms *t) {
  if (count_surfaces(c) == 0) { return; }
  surface_search *search = start_surfaces(c);
  const position_box held = box_of_held(c);
  const solve_arrays *a = search->s.a;
  for (int32_t index = 0; index < collider_end(c); index++) {
    if (!is_surface_at(c, index)) { continue; }
    take_surface(search, t, index, &held);
    for (int32_t row = 0; row < a->rows; row++) {
      for (int32_t column = 0; column < a->columns; column += TOUCH_LANES) {
        workspace_of(c)->moved_out += guard_block(search, t, row, column);
      }
    }
  }
  clear_room(c, sizeof *search);
}
