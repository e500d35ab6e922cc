#pragma once
#include "access.h"
#include "bearing_solve.h"
#include "bodies.h"
#include "bodies/list.h"
#include "bounds.h"
#include "cell_core.h"
#include "compiler.h"
#include "contact.h"
#include "contact_links.h"
#include "contact_record.h"
#include "contact_response.h"
#include "contact_sums.h"
#include "costs.h"
#include "gaps.h"
#include "lanes.h"
#include "rigid.h"
#include "scalar.h"
#include "shapes.h"
#include "step_origin.h"
#include "triangle_point.h"
#include "types.h"

/// Contact of cells ///

/*
 * Contact of particles keeps every particle the thickness of the cloth away from a collider. Between particles nothing
 * does: a sphere or capsule that is narrower than a cell of the grid, or that has stretched the cells around it so far,
 * would pass. So the two triangles of such cells are kept out of it.
 *
 * A triangle whose corners are all r + t away from the centre of a ball of radius r, t being the thickness, is farther
 * away than r if its longest edge is shorter than 2 sqrt(t (2 r + t)). Only longer ones take part, so that cloth whose
 * cells are small beside a collider has no contacts of cells.
 *
 * Contact is continuous. A triangle is on the side of the collider where it was when the substep began. In the
 * collider's axes its corners go straight from start to end. If the nearest point of the triangle is on the same side
 * of the collider at both ends, it touches if the end is inside. Otherwise the path is followed in steps no longer than
 * the distance left over that which the fastest corner goes (conservative advancement: Mirtich, "Impulse-based Dynamic
 * Simulation of Rigid Body Systems", 1996), up to where it touches.
 *
 * The corners of a triangle that touches are moved out of the tangent plane there, each as if it touched the collider
 * itself with this normal, with the friction, momentum, pushes and lines over contacts of particles: the triangle rests
 * on the collider like a small plate. Shares by barycentric weights would leave the corners opposite to the pull of
 * their springs alone, and take large displacements of light corners beside pins.
 *
 * In: positions at the start of the substep (state), predicted positions, mobilities, colliders, the plan. Out:
 * predicted positions, velocities, the velocity history of the corners, reactions, statistics. Scratch: workspace.body.
 */

#if WITH_CELL_CONTACT

/* Cells that are looked at together: as many for any number of lanes, as the contacts of one cell move those after it.
 */
#define CELL_BLOCK 8
/* A traced triangle touches when it is this near over the radius [1]. */
#define CELL_CLEARANCE 0.01f

/* The nearest point at the end of a path tells the contact where its normal is turned by less than this cosine from
   that at the start [1], and where it is not deeper than this over the radius [1]: a triangle that goes through the
   centre has no normal there. */
#define CELL_SAME_SIDE 0.5f
#define CELL_SHALLOW 0.75f

/* A triangle of the cloth in a substep, in a collider's axes. */
typedef struct cell_path {
  int32_t particle[3];
  cloth_vector from[3], to[3]; /* places of the corners [m] */
  float longest;               /* way of the fastest corner [m] */
} cell_path;

/// A triangle and a collider ///

/* The corners after a share of their path. */
static void corners_at(const cell_path *path, float share, cloth_vector corner[3]) {
  for (int32_t n = 0; n < 3; n++) {
    const cloth_vector way = vector_flush(vector_subtract(path->to[n], path->from[n]), STATE_QUANTUM);
    corner[n] = vector_flush(vector_add_scaled(path->from[n], way, share), STATE_QUANTUM);
  }
}

/* How deep the end of a path is in the tangent plane of a contact, where the corners have the contact's weights [m]. */
static float depth_of(const cell_path *path, const cell_point *point) {
  const cloth_vector way = vector_subtract(weighted_point(path->to, point->weight), point->core);
  return point->radius - flush_small(vector_dot(point->normal, vector_flush(way, STATE_QUANTUM)), STATE_QUANTUM);
}

/* Follows a path from a start at *point to where it touches the collider. Returns its depth at the end, or 0. */
static float trace_cell(const cloth *c, const cell_core *k, const cell_path *path, cell_point *point) {
  float share = 0.0f;
  for (int32_t step = 0; step < CELL_TRACE_STEPS && point->distance > CELL_CLEARANCE * point->radius; step++) {
    cloth_vector corner[3];
    share += point->distance / path->longest;
    if (share >= 1.0f) {
      return 0.0f;
    }
    add_varying_work(c, 1u, cell_trace_cost(k->body));
    corners_at(path, share, corner);
    find_nearest(k, corner, point);
  }
  return point->distance > CELL_CLEARANCE * point->radius ? 0.0f : depth_of(path, point);
}

/* Does a triangle touch a collider? Returns its depth in it, 0 or less if it does not, and where. */
static float find_cell_contact(const cloth *c, const cell_core *k, const cell_path *path, cell_point *point) {
  cell_point start;
  find_nearest(k, path->from, &start);
  const float before = maximum(start.distance, 0.0f);
  if (before >= path->longest) {
    return 0.0f;
  }
  find_nearest(k, path->to, point);
  /* Where a triangle that was outside goes through the core at the end only the start tells the side. */
  const int tells = start.is_through || !point->is_through;
  const int same_side = tells && vector_dot(start.normal, point->normal) > CELL_SAME_SIDE;
  const int is_shallow = point->distance > negate(CELL_SHALLOW * point->radius);
  if (same_side && is_shallow && (point->distance < 0.0f || before + point->distance >= path->longest)) {
    return negate(point->distance);
  }
  if (same_side && is_shallow && before <= CELL_CLEARANCE * start.radius) {
    return 0.0f;
  }
  *point = start;
  return trace_cell(c, k, path, point);
}

/// The response ///

/* What a collider receives from cells: sums of impulses on particles [N s], and of their moments [N m s]. */
typedef struct cell_sums {
  const cell_core *core;
  cloth_vector impulse, torque;
  int32_t tested, touching;
  int32_t compared;      /* cells of blocks near a shape with edges, which are compared with it */
  int32_t seeks_bearers; /* 1: corners that bear the collider are all that is looked for, 0: contact */
  float bearing;         /* how near such corners are [m]; 0 for contact */
} cell_sums;

/* A contact of a triangle. */
typedef struct cell_contact {
  cloth_vector place;   /* of the point of contact on the core, in the collider's axes [m] */
  cloth_vector surface; /* displacement of that point in the substep, in the world [m] */
} cell_contact;

/* The displacement of a corner relative to the surface where the triangle touches, in the collider's axes: as in
   displacements_of(). A collider that rotates does not draw corners beside the point of contact along. */
static cloth_vector corner_displacement(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                        const cell_contact *contact) {
  cloth_vector way = vector_subtract(vector_load(predicted_of(c), i), vector_load(vectors_at(c, c->state.position), i));
  if (!c->state.velocity_history || history_of(c, 1).x[i] > 0.5f * HISTORY_INVALID) {
    way = vector_scale(vector_load(vectors_at(c, c->state.velocity), i), plan->h);
  }
  way = vector_flush(vector_subtract(way, contact->surface), STATE_QUANTUM);
  return vector_flush(rotate(rotation_conjugate(m->end.rotation), way), STATE_QUANTUM);
}

/* Ends what velocity a corner has, relative to the surface, beyond that of its way in the substep: normals of triangles
   side by side differ, so that contacts which put a corner back to where it was do not stop it. Returns the impulse
   that it receives [N s]. */
static cloth_vector slow_corner(const cloth *c, const step_plan *plan, int32_t i, const cell_contact *contact) {
  const vector_array v = vectors_at(c, c->state.velocity);
  const cloth_vector before = vector_load(v, i);
  const cloth_vector moved =
      vector_subtract(vector_load(predicted_of(c), i), vector_load(vectors_at(c, c->state.position), i));
  const cloth_vector way = vector_flush(vector_subtract(moved, contact->surface), STATE_QUANTUM);
  const cloth_vector led =
      vector_flush(vector_subtract(vector_scale(before, plan->h), contact->surface), STATE_QUANTUM);
  if (!(vector_dot(way, way) < vector_dot(led, led))) {
    return vector(0.0f, 0.0f, 0.0f);
  }
  const cloth_vector after = vector_flush(vector_scale(vector_flush_work(moved), plan->inverse_h), STATE_QUANTUM);
  vector_store(v, i, after);
  return vector_scale(vector_flush(vector_subtract(after, before), STATE_QUANTUM), mass_of_particle(c, i));
}

/* Moves corner `i` of a triangle out of the tangent plane of a contact, below which it is by `depth`: as particles are
   by contact of their own, in the first lane. The collider receives what it receives at the point of contact, so that
   the pull of a corner beside it does not turn it. */
CLOTH_SEPARATE void move_corner(const cloth *c, const step_plan *plan, const cell_contact *contact, cloth_vector normal,
                                int32_t i, float depth, cell_sums *sums) {
  const moving_body *m = &workspace_of(c)->body;
  const lanes_mask first = lanes_first(1);
  const lanes3 way = lanes3_keep(first, lanes3_splat(corner_displacement(c, plan, m, i, contact)));
  contact_tally tally = {0, 0, 0, 0};
  contact_block b;
  fill_zero(&b, sizeof b);
  b.tally = &tally;
  b.to = lanes3_splat(contact->place);
  b.push = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  b.normal = lanes3_splat(normal);
  b.penetration = lanes_keep(first, lanes_splat(depth));
  b.touches = lanes_keep(first, lanes_splat(1.0f));
  const link_answers none = no_links();
  contact_response r = response_to(c, m, way, b.normal, b.penetration, &none);
  r.touches = b.touches;
#if WITH_BODIES
  if (m->body >= 0) {
    share_contacts(c, plan, i, &b, way, &r);
  }
#endif
  const moved_particles moved = move_particles(c, plan, m, i, &b, &r);
  add_tally(c, &tally);
  const cloth_vector arm = vector_flush(vector_subtract(to_world(&m->end, contact->place), m->pivot), STATE_QUANTUM);
  cloth_vector impulse = lanes3_first(moved.impulse);
  if (m->body < 0) {
    impulse = vector_add(impulse, slow_corner(c, plan, i, contact));
  }
  impulse = vector_flush(impulse, INPUT_QUANTUM);
  sums->impulse = vector_add(sums->impulse, impulse);
  sums->torque = vector_add(sums->torque, vector_cross(arm, impulse));
#if WITH_CONTACT_RECORD
  if (has_contact_record(c)) {
    const lanes3 made[3] = {moved.position, moved.normal, moved.impulse};
    record_contacts(c, m, i, r.touches, made);
  }
#endif
}

/* Moves the corners of a triangle that touches a collider: those below the tangent plane there to the plane. Pins hold.
   One that goes through the core leaves it by no more than the radius of its edges in a substep: along the line from
   the centre a thin body reaches far, and all of that at once would throw cloth and body. */
static void respond_to_cell(const cloth *c, const step_plan *plan, const cell_path *path, const cell_point *point,
                            cell_sums *sums) {
  const moving_body *m = &workspace_of(c)->body;
  const float *mobility = floats_at(c, c->scratch.mobility);
  cell_contact contact;
  contact.place = vector_flush(vector_add_scaled(point->core, point->normal, point->radius), STATE_QUANTUM);
  contact.surface = vector_subtract(to_world(&m->end, contact.place), to_world(&m->start, contact.place));
  for (int32_t n = 0; n < 3; n++) {
    const cloth_vector way = vector_flush(vector_subtract(path->to[n], point->core), STATE_QUANTUM);
    const float depth = point->radius - flush_small(vector_dot(point->normal, way), STATE_QUANTUM);
    if (depth > 0.0f && mobility[path->particle[n]] > 0.0f) {
      const float most = point->is_through ? minimum(depth, sums->core->radius) : depth;
      move_corner(c, plan, &contact, point->normal, path->particle[n], most, sums);
    }
  }
  sums->touching++;
}

/// The search ///

/* The path of a triangle in a collider's axes. Returns 0 if it is not wide, or if a corner begins inside of the core:
   contact of particles has to lift it out first. */
static int follow_triangle(const cloth *c, const moving_body *m, const cell_core *k, int32_t triangle,
                           cell_path *path) {
  cloth_pose start = m->start; /* a sphere looks the same as it rotates */
  float wide = 0.0f;
  start.rotation = k->body->shape == CLOTH_SHAPE_SPHERE ? m->end.rotation : start.rotation;
  triangle_corners(c, triangle, path->particle);
  path->longest = STATE_QUANTUM;
  for (int32_t n = 0; n < 3; n++) {
    cloth_vector centre;
    path->from[n] = to_local(&start, vector_load(vectors_at(c, c->state.position), path->particle[n]));
    path->to[n] = to_local(&m->end, vector_load(predicted_of(c), path->particle[n]));
    path->longest = maximum(path->longest, vector_length(vector_subtract(path->to[n], path->from[n])));
    const float radius = nearest_ball(k, path->from[n], &centre) - k->inset;
    if (!vector_is_finite(path->to[n]) || vector_length(vector_subtract(path->from[n], centre)) < radius) {
      return 0;
    }
  }
  for (int32_t n = 0; n < 3; n++) {
    const float edge = vector_length(vector_subtract(path->to[n], path->to[(n + 1) % 3]));
    wide = maximum(wide, edge * edge);
  }
  return wide > k->wide;
}

#if WITH_BEARING

/* Adds the normal of a triangle to those of its corners that are near a body, see bearing.h. */
CLOTH_SEPARATE void bear_by_triangle(const cloth *c, int32_t triangle, cell_sums *sums) {
  const moving_body *m = &workspace_of(c)->body;
  const float *mobility = floats_at(c, c->scratch.mobility), mark = negate((float)(m->body + 1));
  const vector_array normals = bearing_vectors(c, BEARING_NORMAL);
  float *code = bearing_plane(c, BEARING_CODE);
  cell_path path;
  cell_point point;
  if (sums->tested == CELL_TRIANGLES) {
    statistics_of(c)->overflows++;
    return;
  }
  sums->tested++;
  if (!follow_triangle(c, m, sums->core, triangle, &path)) {
    return;
  }
  find_nearest(sums->core, path.to, &point);
  const cloth_vector normal = vector_flush_work(rotate(m->end.rotation, point.normal));
  for (int32_t n = 0; n < 3; n++) {
    const int32_t i = path.particle[n];
    const cloth_vector way = vector_flush(vector_subtract(path.to[n], point.core), STATE_QUANTUM);
    const float height = flush_small(vector_dot(point.normal, way), STATE_QUANTUM) - point.radius;
    if (point.distance <= sums->bearing && height <= sums->bearing && mobility[i] > 0.0f) {
      const cloth_vector none = {0.0f, 0.0f, 0.0f};
      const int is_known = code[i] == mark || code[i] == negate(mark);
      vector_store(normals, i, vector_add(is_known ? vector_load(normals, i) : none, normal));
      code[i] = mark;
    }
  }
}

#endif

#if WITH_BODIES

/* 1 if a corner of a triangle is attached to a collider: the triangle begins at its surface. */
static int is_attached_to(const cloth *c, const cell_path *path, int32_t collider) {
  for (int32_t n = 0; n < 3; n++) {
    const attachment *a = find_attachment(c, path->particle[n]);
    if (a && a->collider == collider) {
      return 1;
    }
  }
  return 0;
}

#endif

/* Contact of one triangle with a collider. */
CLOTH_SEPARATE void collide_triangle(const cloth *c, const step_plan *plan, int32_t triangle, cell_sums *sums) {
  const moving_body *m = &workspace_of(c)->body;
  cell_path path;
  cell_point point;
  if (sums->tested == CELL_TRIANGLES) {
    statistics_of(c)->overflows++;
    return;
  }
  sums->tested++;
  if (!follow_triangle(c, m, sums->core, triangle, &path)) {
    return;
  }
#if WITH_BODIES
  if (is_attached_to(c, &path, m->index)) {
    return;
  }
#endif
  const float depth = find_cell_contact(c, sums->core, &path, &point);
  if (depth > 0.0f && vector_dot(point.normal, point.normal) > 0.0f) {
    respond_to_cell(c, plan, &path, &point, sums);
  }
}

/* A box around points, relative to a collider. */
typedef struct cell_box {
  lanes3 low, high;
} cell_box;

CLOTH_INLINE void add_to_box(cell_box *box, lanes3 p) {
  box->low = lanes3_minimum(p, box->low);
  box->high = lanes3_maximum(p, box->high);
}

CLOTH_INLINE lanes squared_edge(lanes3 a, lanes3 b) {
  const lanes3 d = lanes3_flush_below(lanes3_subtract(b, a), STATE_QUANTUM);
  return lanes3_dot(d, d);
}

CLOTH_INLINE cell_box empty_cell_box(void) {
  const lanes beyond = lanes_splat(BOUND_BEYOND), below = lanes_splat(-BOUND_BEYOND);
  const cell_box box = {lanes3_of(beyond, beyond, beyond), lanes3_of(below, below, below)};
  return box;
}

/* How far from zero an interval is. */
CLOTH_INLINE lanes interval_gap(lanes low, lanes high) {
  return lanes_flush(lanes_maximum(lanes_maximum(low, lanes_negate(high)), lanes_splat(0.0f)));
}

CLOTH_INLINE lanes_mask is_box_near(const moving_body *m, const cell_box *box) {
  const lanes3 gap = lanes3_of(interval_gap(box->low.x, box->high.x), interval_gap(box->low.y, box->high.y),
                               interval_gap(box->low.z, box->high.z));
  return lanes_less(lanes3_dot(gap, gap), lanes_splat(m->reach * m->reach));
}

/* The corners of some cells side by side: of the first of them, in two rows. */
typedef struct corner_rows {
  int32_t particle[4];
} corner_rows;

/* Which of these cells may touch a collider: their triangles are wide, and the box around their path is within reach.
 */
CLOTH_INLINE lanes_mask may_cells_touch(const cloth *c, const moving_body *m, float wide, const corner_rows *at) {
  const int32_t *corners = at->particle;
  lanes3 p[4];
  cell_box box = empty_cell_box();
  for (int32_t n = 0; n < 4; n++) {
    const lanes3 from =
        lanes3_subtract(lanes3_load(vectors_at(c, c->state.position), corners[n]), lanes3_splat(m->start.position));
    p[n] = lanes3_subtract(lanes3_load(predicted_of(c), corners[n]), lanes3_splat(m->end.position));
    add_to_box(&box, from);
    add_to_box(&box, p[n]);
  }
  lanes longest = lanes_maximum(squared_edge(p[0], p[1]), squared_edge(p[0], p[2]));
  longest = lanes_maximum(longest, lanes_maximum(squared_edge(p[3], p[1]), squared_edge(p[3], p[2])));
  longest = lanes_maximum(longest, squared_edge(p[0], p[3]));
  return lanes_both(is_box_near(m, &box), lanes_less(lanes_splat(wide), longest));
}

#if WITH_BODIES

/* Which of these cells may come nearer to a shape with edges than `reach`: whose path no plane keeps apart from it that
   touches the shape where it is nearest to a corner of the cell. */
CLOTH_SEPARATE lanes_mask may_edges_touch(const cloth *c, const moving_body *m, const cell_core *k, float reach,
                                          const corner_rows *at) {
  const int32_t *corners = at->particle;
  lanes3 p[8];
  lanes nearest = lanes_splat(-BOUND_BEYOND);
  for (int32_t n = 0; n < 4; n++) {
    p[n] = to_local_lanes(m, &m->end, lanes3_load(predicted_of(c), corners[n]));
    p[n + 4] = to_local_lanes(m, &m->start, lanes3_load(vectors_at(c, c->state.position), corners[n]));
  }
  for (int32_t n = 0; n < 4; n++) {
    lanes3 normal;
    const lanes distance = distance_to_body(k->body, k->geometry, p[n], &normal);
    lanes least = distance;
    normal = lanes3_flush(normal);
    for (int32_t other = 0; other < 8; other++) {
      const lanes3 way = lanes3_flush_below(lanes3_subtract(p[other], p[n]), STATE_QUANTUM);
      least = lanes_minimum(lanes_add(distance, lanes3_dot(normal, way)), least);
    }
    nearest = lanes_maximum(least, nearest);
  }
  return lanes_less(nearest, lanes_splat(reach));
}

#endif

/* Which of the first `count` of these cells may touch the collider, or are near enough to bear it: 1 for each, else 0.
   Sets *compares if they are compared with its edges. */
CLOTH_INLINE lanes near_cells(const cloth *c, const cell_sums *sums, const corner_rows *at, int32_t count,
                              int *compares) {
  const moving_body *m = &workspace_of(c)->body;
  lanes_mask may = lanes_both(may_cells_touch(c, m, sums->core->wide, at), lanes_first(count));
#if WITH_BODIES
  if (has_edges(sums->core->body) && lanes_any(may)) {
    *compares = 1;
    may = lanes_both(may_edges_touch(c, m, sums->core, sums->bearing, at), may);
  }
#else
  (void)compares;
#endif
  return lanes_keep(may, lanes_splat(1.0f));
}

/* 1 if the cells are looked at in reverse order: for bodies with mass in every second substep, so that none is turned
   to one side. Cloth that lies on what gives way not at all would swing between two places, as each order leaves it at
   another one. */
static int turns_order(const moving_body *m) {
  return m->body >= 0 && m->substep % 2;
}

/* Contact of up to CELL_BLOCK cells of a row with a collider. */
CLOTH_SEPARATE void collide_cell_block(const cloth *c, const step_plan *plan, int32_t row, int32_t column,
                                       cell_sums *sums) {
  const moving_body *m = &workspace_of(c)->body;
  const int32_t cells = cells_along_warp(c), first = row * c->grid.columns + column;
  const int32_t left = cells - column < CELL_BLOCK ? cells - column : CELL_BLOCK;
  const int32_t columns = c->grid.columns, in_row = columns - 1 - column < left ? columns - 1 - column : left;
  float touches[CELL_BLOCK];
  lanes any = lanes_splat(0.0f);
  int compares = 0;
  for (int32_t n = 0; n < CELL_BLOCK && n < in_row; n += CLOTH_LANES) {
    const int32_t i = first + n;
    const corner_rows at = {{i, i + 1, i + columns, i + columns + 1}};
    const lanes near = near_cells(c, sums, &at, in_row - n, &compares);
    lanes_store(touches + n, near);
    any = lanes_maximum(any, near);
  }
  if (in_row < left) { /* across the seam of a tube, the last column is beside the first */
    const int32_t i = first + in_row;
    const corner_rows at = {{i, i + 1 - columns, i + columns, i + 1}};
    const lanes near = near_cells(c, sums, &at, 1, &compares);
    touches[in_row] = lanes_first_value(near);
    any = lanes_maximum(any, near);
  }
  sums->compared += compares ? left : 0;
  if (!lanes_any(lanes_less(lanes_splat(0.0f), any))) {
    return;
  }
  for (int32_t n = 0; n < 2 * left; n++) {
    const int32_t next = turns_order(m) ? 2 * left - 1 - n : n;
    if (touches[next / 2] > 0.0f && !is_gap(c, first + next / 2, GAP_CELL)) {
#if WITH_BEARING
      if (sums->seeks_bearers) {
        bear_by_triangle(c, 2 * (row * cells + column) + next, sums);
        continue;
      }
#endif
      collide_triangle(c, plan, 2 * (row * cells + column) + next, sums);
    }
  }
}

/* Contact of the cells with a collider. */
static void collide_cells(const cloth *c, const step_plan *plan, cell_sums *sums) {
  const int32_t blocks = (cells_along_warp(c) + CELL_BLOCK - 1) / CELL_BLOCK, count = blocks * (c->grid.rows - 1);
  const int is_backward = turns_order(&workspace_of(c)->body);
  for (int32_t n = 0; n < count; n++) {
    const int32_t block = is_backward ? count - 1 - n : n;
    collide_cell_block(c, plan, block / blocks, block % blocks * CELL_BLOCK, sums);
  }
  add_varying_work(c, (uint32_t)c->count, COST_CELL);
  add_varying_work(c, (uint32_t)sums->compared, cell_edges_cost(sums->core->body));
  add_varying_work(c, (uint32_t)sums->tested, cell_triangle_cost(sums->core->body));
}

/// Where the cloth is ///

/* The boxes around the cloth where a substep begins, and where it ends. */
typedef struct path_box {
  position_box end[2];
  int is_known; /* 0: particles have moved since they were found */
} path_box;

/* Positions that are no numbers do not count, as in may_cells_touch(). */
CLOTH_HOT CLOTH_SEPARATE void find_path_box(const cloth *c, path_box *found) {
  const vector_array ends[2] = {vectors_at(c, c->state.position), predicted_of(c)};
  for (int32_t end = 0; end < 2; end++) {
    cell_box box = empty_cell_box();
    for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
      const lanes_mask exists = lanes_first(c->count - i);
      const lanes3 p = lanes3_load(ends[end], i);
      box.low = lanes3_select(exists, lanes3_minimum(p, box.low), box.low);
      box.high = lanes3_select(exists, lanes3_maximum(p, box.high), box.high);
    }
    found->end[end] = box_of_lanes(box.low, box.high);
  }
  found->is_known = 1;
  add_varying_work(c, 2u * (uint32_t)c->count, COST_BOUND);
}

/* 1 if a cell may be within reach of a collider: the test of may_cells_touch() for the box around all cells. Rounding
   keeps the order of numbers, so that no cell is within reach if this box is not. With fixed work nothing is skipped.
 */
static int is_cloth_near(const cloth *c, const moving_body *m, path_box *cloth_box) {
  cell_box box = empty_cell_box();
  if (c->settings.capacity.fixed_work) {
    return 1;
  }
  if (!cloth_box->is_known) {
    find_path_box(c, cloth_box);
  }
  for (int32_t end = 0; end < 2; end++) {
    const lanes3 place = lanes3_splat(end == 0 ? m->start.position : m->end.position);
    add_to_box(&box, lanes3_subtract(lanes3_splat(cloth_box->end[end].low), place));
    add_to_box(&box, lanes3_subtract(lanes3_splat(cloth_box->end[end].high), place));
  }
  return lanes_any(is_box_near(m, &box));
}

/// When cells are looked at ///

/* Square of the longest edge of the triangles of the cloth, where contact of particles has left it [m^2]. `gapped`: 1
   if something is absent; a constant of each version, see GAP_VERSIONS. */
CLOTH_INLINE float find_widest_square(const cloth *c, int gapped) {
  const vector_array x = predicted_of(c);
  const int32_t columns = c->grid.columns;
  (void)gapped;
  lanes widest = lanes_splat(0.0f);
  float values[CLOTH_LANES], most = 0.0f;
  for (int32_t row = 0; row + 1 < c->grid.rows; row++) {
    for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
      const int32_t i = row * columns + column, left = columns - column;
      const lanes3 p = lanes3_load(x, i), below = lanes3_load(x, i + columns);
      lanes along =
          lanes_maximum(squared_edge(p, lanes3_load(x, i + 1)), squared_edge(p, lanes3_load(x, i + columns + 1)));
      lanes down = squared_edge(p, below);
#if WITH_GAPS
      if (gapped) {
        along = lanes_keep(without_gap(c, i, 1, left, GAP_CELL), along);
        down = lanes_keep(without_gap(c, i, 1, left, GAP_WEFT), down);
      }
#endif
      widest = lanes_maximum(lanes_within(along, left - 1), widest);
      widest = lanes_maximum(lanes_within(down, left), widest);
    }
    const int32_t first = row * columns, last = first + columns - 1;
    if (is_wrapped(c) && !(gapped && is_gap(c, last, GAP_CELL))) {
      const cloth_vector p = vector_load(x, last);
      const float seam = vector_length(vector_subtract(vector_load(x, first), p));
      const float across = vector_length(vector_subtract(vector_load(x, first + columns), p));
      most = maximum(most, maximum(seam * seam, across * across));
    }
  }
  lanes_store(values, widest);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    most = maximum(most, values[lane]);
  }
  add_varying_work(c, (uint32_t)c->count, COST_WIDEST);
  return most;
}

#if GAP_VERSIONS

CLOTH_SEPARATE float widest_square_at_gaps(const cloth *c) {
  return find_widest_square(c, 1);
}

#endif

CLOTH_HOT CLOTH_SEPARATE float widest_square(const cloth *c) {
#if GAP_VERSIONS
  if (has_gaps(c)) {
    return widest_square_at_gaps(c);
  }
#endif
  return find_widest_square(c, GAP_VERSIONS ? 0 : has_gaps(c));
}

/* 1 if a cell may be wide for a collider. Not so for the sake of fixed work: cells that are not looked at because no
   contact has told of them must not touch. */
static int has_wide_cells(const cloth *c, const cell_core *k) {
  return workspace_of(c)->widest_square > k->wide;
}

/* 1 if the cells are kept out of one of the colliders. */
static int has_guarded_collider(const cloth *c) {
  int found = 0;
  for (int32_t index = 0; index < collider_end(c); index++) {
    found |= is_collider(c, index) && guards_cells(&slot_at(c, index)->body, body_number(c, index) >= 0);
  }
  return found;
}

/* Lets bodies be where their velocities lead them now. */
static void follow_bodies(const cloth *c, const step_plan *plan) {
#if WITH_BODIES
  if (inputs_of(c)->body_count > 0) {
    move_bodies(c, plan, 0);
    workspace_of(c)->body.index = -1;
  }
#endif
  (void)c;
  (void)plan;
}

/* Contact of the cells with a collider, with what it then receives. Returns how many triangles touch it. */
static int32_t project_cells_from(const cloth *c, const step_plan *plan, const cell_core *k, int32_t index,
                                  int32_t substep, path_box *cloth_box) {
  const cloth_vector none = {0.0f, 0.0f, 0.0f};
  const moving_body *m = body_in_substep(c, plan, index, substep);
  cell_sums sums = {k, none, none, 0, 0, 0, 0, 0.0f};
  if (!is_cloth_near(c, m, cloth_box)) {
    return 0;
  }
  collide_cells(c, plan, &sums);
  cloth_box->is_known &= sums.touching == 0;
  react(c, m, sums.impulse, sums.torque);
  statistics_of(c)->cell_contacts += sums.touching;
  add_varying_work(c, 3u * (uint32_t)sums.touching, COST_CELL_CORNER + record_cost(c));
  return sums.touching;
}

/* Contact of the cells with all colliders, after that of the particles: `again` 1 in the second pass of a substep.
   Bodies are moved anew where something may have changed their velocities: for each collider all of them, if none
   touches, would take a time in proportion to the square of their number. */
CLOTH_SEPARATE void project_cells(const cloth *c, const step_plan *plan, int32_t substep, int again) {
  workspace *w = workspace_of(c);
  path_box cloth_box;
  int is_first = 1;
  cloth_box.is_known = 0;
  w->statistics.cell_contacts = 0;
  if (!has_guarded_collider(c)) {
    return;
  }
  if (!again && (substep == 0 || w->tears)) {
    w->widest_square = widest_square(c);
  }
  for (int32_t index = 0; index < collider_end(c); index++) {
    const cloth_collider *body = &slot_at(c, index)->body;
    if (!is_collider(c, index) || !guards_cells(body, body_number(c, index) >= 0)) {
      continue;
    }
    const cell_core core = core_of(c, body);
    if (has_wide_cells(c, &core)) {
      if (is_first) {
        follow_bodies(c, plan);
      }
      is_first = 0;
      if (project_cells_from(c, plan, &core, index, substep, &cloth_box) > 0) {
        follow_bodies(c, plan);
      }
    }
  }
}

#endif
