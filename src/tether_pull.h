#pragma once
#include "access.h"
#include "bodies/list.h"
#include "compiler.h"
#include "costs.h"
#include "geometry.h"
#include "lanes.h"
#include "layout.h"
#include "lines.h"
#include "pieces.h"
#include "pin_reactions.h"
#include "rigid.h"
#include "scalar.h"
#include "shapes.h"
#include "step_origin.h"
#include "tethers.h"
#include "types.h"

/// Pull of the tethers ///

/*
 * Pulls particles that are beyond the length T of a tether back towards its anchor, by (l^2 - T^2) / (l^2 + T^2) of the
 * distance l, which is exact to first order. A tether whose straight path goes through a collider pulls
 * along the collider's surface only: a pull into it would draw the cloth through it, and without a pull a fast collider
 * carries single particles away while the tethers of their neighbours hold.
 * In: state.tethers, scratch.tether_marks, scratch.mobility, the colliders at the end of the step.
 * Out: the predicted positions, in scratch.product; workspace.obstacles, set by the caller from find_obstacles().
 * Scratch: scratch.row_buffers holds the obstacles' capsules (obstacles_of()); the forces' row buffers are spent by
 * then. With reactions of pins residual keeps the positions before.
 */

#if WITH_PROJECTION

/* The anchors of a block of particles: positions, the tethers' squared lengths [m^2], and which particles they are,
   `left` of them from `pins` on (-1: none). */
typedef struct tether_ends {
  lanes3 anchor;
  lanes squared_length;
  const int32_t *pins;
  int32_t left;
} tether_ends;

/* The number of each lane, for any lane width. */
CLOTH_CONSTANT static const float lane_numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* The anchor in a lane, or -1. */
CLOTH_INLINE int32_t anchor_at(const tether_ends *ends, int32_t lane) {
  return CLOTH_LANES == 1 || lane < ends->left ? ends->pins[lane] : -1;
}

/* The positions of the anchors of a block among `x`, looked up one by one: that of particle 0 where there is none. */
CLOTH_SEPARATE lanes3 anchors_among(vector_array x, const tether_ends *ends) {
  float position[3][CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    const int32_t anchor = anchor_at(ends, lane), pin = anchor < 0 ? 0 : anchor;
    position[0][lane] = x.x[pin];
    position[1][lane] = x.y[pin];
    position[2][lane] = x.z[pin];
  }
  return lanes3_of(lanes_load(position[0]), lanes_load(position[1]), lanes_load(position[2]));
}

/* Squared length of the tether of a particle that has none: longer than any distance in the world. */
#define TETHER_ENDLESS 1.0e30f

/* Squared lengths of the tethers of the block from a column of a row on, one by one; endless where there is none. */
CLOTH_SEPARATE lanes lengths_to_many(rest_metric m, int32_t width, const tether_ends *ends, int32_t row,
                                     int32_t column) {
  float squared_length[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    const int32_t pin = anchor_at(ends, lane), from = pin < 0 ? 0 : pin;
    const int32_t pin_row = from / width, pin_column = from - pin_row * width;
    const lanes columns = shorter_columns(m, lanes_splat((float)(column + lane - pin_column)));
    const lanes squared = rest_squared(m, columns, lanes_splat((float)(row - pin_row)));
    squared_length[lane] = pin < 0 ? TETHER_ENDLESS : lanes_first_value(squared);
  }
  return lanes_load(squared_length);
}

/* The capsules around the colliders that may block tethers; workspace.obstacles of them. */
static obstacle_capsule *obstacles_of(const cloth *c) {
  return (obstacle_capsule *)at(c, c->scratch.row_buffers);
}

/* The box around a capsule reaches this factor and STATE_QUANTUM farther than the capsule's radius. segments_within()
   has roundings of some 1e-7 of the radius, so that close to the origin no path outside the box is within the capsule;
   far from it, where positions are coarser than that, the box decides, on every machine alike. With 1 the box would cut
   paths that graze the capsule. */
#define BOX_MARGIN 1.0001f

static void set_box(obstacle_capsule *capsule, float reach) {
  cloth_vector a = capsule->from, b = vector_add(capsule->from, capsule->along);
  capsule->low = vector(minimum(a.x, b.x) - reach, minimum(a.y, b.y) - reach, minimum(a.z, b.z) - reach);
  capsule->high = vector(maximum(a.x, b.x) + reach, maximum(a.y, b.y) + reach, maximum(a.z, b.z) + reach);
}

/* Makes the capsules around all colliders but planes and concave shapes, where they are at the end of the step. Returns
 * how many. */
CLOTH_SEPARATE int32_t find_obstacles(const cloth *c) {
  obstacle_capsule *obstacles = obstacles_of(c);
  int32_t count = 0;
  for (int32_t index = 0; WITH_COLLIDERS && index < collider_end(c); index++) {
    const collider_slot *slot = slot_at(c, index);
    if (is_collider(c, index) && slot->body.shape != CLOTH_SHAPE_PLANE && !is_concave(&slot->body)) {
      const cloth_geometry *g = geometry_of(c, &slot->body);
      obstacle_capsule *capsule = &obstacles[count++];
      float reach = capsule_around(&slot->body, g, slot->body.pose.rotation, &capsule->from, &capsule->along);
      capsule->from = vector_add(place_in_step(c, slot->body.pose.position), capsule->from);
      capsule->squared_reach = reach * reach;
      capsule->collider = index;
      set_box(capsule, reach * BOX_MARGIN + STATE_QUANTUM);
    }
  }
  return count;
}

/* Straight paths from a block of particles to their anchors, and the boxes around the paths. */
typedef struct tether_segments {
  lanes3 from, to;
  lanes3 low, high;
} tether_segments;

/* Least divisor in the search for nearest points [m^2; m^4 for the crossing]: segments shorter than 1e-6 m are treated
   as that long, and parallel ones, which have many nearest points, get one of them. A smaller bound lets the quotients
   overflow. */
#define MIN_SEGMENT_SQUARE 1.0e-12f

/* Which paths come nearer to a capsule's axis than its radius: the nearest points of two segments (Ericson, Real-Time
   Collision Detection, section 5.1.9). t is the parameter on the axis, s that on the path, which *nearest gets. */
CLOTH_INLINE lanes_mask segments_within(const tether_segments *w, const obstacle_capsule *capsule, lanes *nearest) {
  lanes tiny = lanes_splat(MIN_SEGMENT_SQUARE);
  lanes3 path = lanes3_flush_below(lanes3_subtract(w->to, w->from), STATE_QUANTUM);
  lanes path_squared = lanes_maximum(lanes3_dot(path, path), tiny);
  lanes3 apart = lanes3_flush_below(lanes3_subtract(w->from, lanes3_splat(capsule->from)), STATE_QUANTUM);
  lanes path_apart = lanes_flush(lanes3_dot(path, apart));
  float axis_length_squared = vector_dot(capsule->along, capsule->along); /* 0 for a sphere */
  if (axis_length_squared > 0.0f) {
    lanes3 axis = lanes3_splat(capsule->along);
    lanes axis_squared = lanes_splat(maximum(axis_length_squared, MIN_SEGMENT_SQUARE));
    lanes path_axis = lanes_flush(lanes3_dot(path, axis));
    lanes axis_apart = lanes_flush(lanes3_dot(axis, apart));
    lanes crossing = lanes_subtract(lanes_multiply(path_squared, axis_squared), lanes_multiply(path_axis, path_axis));
    lanes s = lanes_subtract(lanes_multiply(path_axis, axis_apart), lanes_multiply(path_apart, axis_squared));
    s = clamped_to_one(lanes_flush(lanes_divide(s, lanes_maximum(crossing, tiny))));
    lanes t = lanes_divide(lanes_add(lanes_multiply(path_axis, s), axis_apart), axis_squared);
    t = clamped_to_one(lanes_flush(t));
    path_apart = lanes_subtract(path_apart, lanes_multiply(path_axis, t));
    apart = lanes3_subtract(apart, lanes3_scale(axis, t));
  }
  lanes s = clamped_to_one(lanes_flush(lanes_divide(lanes_negate(path_apart), path_squared)));
  lanes3 gap = lanes3_flush(lanes3_add_scaled(apart, path, s));
  *nearest = s;
  return lanes_less(lanes3_dot(gap, gap), lanes_splat(capsule->squared_reach));
}

CLOTH_INLINE lanes_mask overlap(lanes low, lanes high, float other_low, float other_high) {
  return lanes_both(lanes_less(low, lanes_splat(other_high)), lanes_less(lanes_splat(other_low), high));
}

/* Which paths' boxes overlap the box around a capsule. Most do not. */
CLOTH_INLINE lanes_mask boxes_overlap(const tether_segments *w, const obstacle_capsule *capsule) {
  lanes_mask near = overlap(w->low.z, w->high.z, capsule->low.z, capsule->high.z);
  near = lanes_both(near, overlap(w->low.x, w->high.x, capsule->low.x, capsule->high.x));
  return lanes_both(near, overlap(w->low.y, w->high.y, capsule->low.y, capsule->high.y));
}

/* Takes out of the pulls -d on the particles at p what leads towards the axis of a capsule. */
CLOTH_INLINE lanes3 pull_along_surface(const obstacle_capsule *capsule, lanes3 p, lanes3 d) {
  float axis_length_squared = vector_dot(capsule->along, capsule->along);
  lanes3 outward = lanes3_flush_below(lanes3_subtract(p, lanes3_splat(capsule->from)), STATE_QUANTUM);
  if (axis_length_squared > 0.0f) {
    lanes3 axis = lanes3_splat(capsule->along);
    lanes t = lanes_divide(lanes3_dot(outward, axis), lanes_splat(maximum(axis_length_squared, MIN_SEGMENT_SQUARE)));
    outward = lanes3_subtract(outward, lanes3_scale(axis, clamped_to_one(lanes_flush(t))));
    outward = lanes3_flush_below(outward, STATE_QUANTUM);
  }
  lanes squared = lanes_maximum(lanes3_dot(outward, outward), lanes_splat(MIN_SEGMENT_SQUARE));
  lanes inward = lanes_maximum(lanes3_dot(lanes3_flush_below(d, STATE_QUANTUM), outward), lanes_splat(0.0f));
  inward = lanes_flush(lanes_divide(inward, squared));
  return lanes3_subtract(d, lanes3_scale(outward, inward));
}

/* Stands for no limit of what a tether takes up [m]. */
#define ANY_TAKE_UP 1.0e15f
/* Most that a tether whose path leads through a collider without mass takes up in a substep, over what collider and
   anchor move relative to each other [1]. What stands still and keeps particles beyond their tethers, as a body inside
   which a cape is pinned, does so for good: tethers and contact would move them by turns, with 4 to 14 m/s for ever.
   What moves carries particles away, and their tethers have to be faster. With 4 a sheet that a cylinder of friction
   1.2 walks through at 2 m/s is stretched by 0.64, with 10 by 0.27, as without a limit. */
#define TETHER_FOLLOWS 10.0f

/* Farthest that a point at a distance of 1 from the origin moves from one rotation to another, or a little more;
   exactly 0 from a rotation to itself. */
static float rotation_distance(cloth_rotation a, cloth_rotation b) {
  const float sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0f ? -1.0f : 1.0f;
  const cloth_vector u = vector_flush_work(vector(a.x - sign * b.x, a.y - sign * b.y, a.z - sign * b.z));
  const float w = flush_small(a.w - sign * b.w, WORK_QUANTUM);
  return 2.0f * square_root(vector_dot(u, u) + w * w);
}

/* Most that the tethers of a block take up in a substep past a collider [m]. */
CLOTH_SEPARATE lanes take_up_past(const cloth *c, const obstacle_capsule *capsule, const tether_ends *ends) {
  const collider_slot *slot = slot_at(c, capsule->collider);
  const cloth_pose *from = &slot->previous, *to = &slot->body.pose;
  const float share = 1.0f / (float)workspace_of(c)->plan.substeps;
  const float size = square_root(capsule->squared_reach) + vector_length(capsule->along);
  const float swing = rotation_distance(from->rotation, to->rotation) * size * share;
  const cloth_vector shift = vector_flush(vector_subtract(to->position, from->position), STATE_QUANTUM);
  const lanes3 start = anchors_among(vectors_at(c, c->state.position), ends);
  const lanes3 moved = lanes3_subtract(lanes3_subtract(ends->anchor, start), lanes3_splat(vector_scale(shift, share)));
  const lanes way = lanes_add(lanes3_length(lanes3_flush_below(moved, STATE_QUANTUM)), lanes_splat(swing));
  return lanes_multiply(way, lanes_splat(TETHER_FOLLOWS));
}

/* Which paths lead through a collider: their points nearest to the axis of its capsule, at *nearest, are inside. */
CLOTH_SEPARATE lanes_mask lead_through(const cloth *c, const tether_segments *w, const obstacle_capsule *capsule,
                                       const lanes *nearest) {
  const cloth_collider *body = &slot_at(c, capsule->collider)->body;
  const lanes3 path = lanes3_flush_below(lanes3_subtract(w->to, w->from), STATE_QUANTUM);
  const lanes3 place = lanes3_splat(place_in_step(c, body->pose.position));
  const lanes3 point = lanes3_subtract(lanes3_add_scaled(w->from, path, *nearest), place);
  const lanes3 local = lanes3_rotate(rotation_conjugate(body->pose.rotation), lanes3_flush_below(point, STATE_QUANTUM));
  lanes3 normal;
  const lanes distance =
      distance_to_body(body, geometry_of(c, body), lanes3_flush_below(local, STATE_QUANTUM), &normal);
  return lanes_less(distance, lanes_splat(0.0f));
}

/* 1 if an obstacle is a body with mass, past which TETHER_TAKE_UP alone limits. */
static int has_mass(const cloth *c, const obstacle_capsule *capsule) {
#if WITH_BODIES
  return find_body(c, capsule->collider) != NULL;
#else
  (void)c;
  (void)capsule;
  return 0;
#endif
}

/* Lets those taut tethers whose straight path an obstacle blocks pull along its surface. `p` are the particles, and *d
   leads to them from their anchors. *most becomes what they take up at most [m]: past several colliders, as past that
   which moves most. Returns the work. */
CLOTH_SEPARATE uint32_t deflect_blocked(const cloth *c, const lanes3 *p, const tether_ends *ends, lanes_mask taut,
                                        lanes3 *d, lanes *most) {
  const int32_t left = ends->left;
  const obstacle_capsule *obstacles = obstacles_of(c);
  int32_t count = workspace_of(c)->obstacles;
  uint32_t work = count_within(taut, left) * (uint32_t)count * COST_BOX_TEST;
  tether_segments w = {*p, ends->anchor, lanes3_minimum(*p, ends->anchor), lanes3_maximum(*p, ends->anchor)};
  const lanes any = lanes_splat(ANY_TAKE_UP);
  *most = any;
  for (int32_t n = 0; n < count; n++) {
    lanes_mask near = lanes_both(taut, boxes_overlap(&w, &obstacles[n]));
    if (lanes_any(near) || c->settings.capacity.fixed_work) {
      lanes nearest;
      work += count_within(near, left) * COST_SEGMENT_TEST;
      lanes_mask blocked = lanes_both(near, segments_within(&w, &obstacles[n], &nearest));
      *d = lanes3_select(blocked, pull_along_surface(&obstacles[n], *p, *d), *d);
      if ((lanes_any(blocked) || c->settings.capacity.fixed_work) && !has_mass(c, &obstacles[n])) {
        work += count_within(blocked, left) * COST_PATH_TEST;
        blocked = lanes_both(blocked, lead_through(c, &w, &obstacles[n], &nearest));
        const lanes past = take_up_past(c, &obstacles[n], ends);
        const lanes others = lanes_keep(lanes_less(*most, any), *most);
        *most = lanes_select(blocked, lanes_maximum(others, past), *most);
      }
    }
  }
  return work;
}

/* Least l^2 + T^2 [m^2]. Only the tether of a pin to itself is below; it is not taut, and the bound keeps its unused
   share from being 0 / 0, which would raise the invalid flag. */
#define MIN_TETHER_SQUARE_SUM 1.0e-12f

/* Fastest that tethers take back what they are too long by when a substep begins, in a cloth that has bodies with mass
   [m/s]. Contact, which has the last word, leaves particles beyond their tethers, and those that a body has let out are
   too long at once when it leaves. Taken back within a substep that is a throw, of 29 J for a box that bounces off a
   sheet held by two edges and of 600 J for nine hulls on one. What nothing pushes begins a substep within its tether,
   which holds it as elsewhere. */
#define TETHER_TAKE_UP 0.5f

/* Loop invariants of pull_block(), copied: the stores of lanes may alias the cloth and the plan. */
typedef struct tether_pull {
  const cloth *c;
  piece_counts *counts;
  vector_array x, displacement; /* of displacement_of() */
  const float *mobility;
  float growth, slack;     /* of squared lengths */
  int32_t lets_out, eases; /* 1 if there is any; 1 if TETHER_TAKE_UP limits */
  int32_t obstacles, fixed_work;
} tether_pull;

static tether_pull tether_pull_of(const cloth *c, piece_counts *counts) {
  const workspace *w = workspace_of(c);
  const tether_pull t = {.c = c,
                         .counts = counts,
                         .x = predicted_of(c),
                         .displacement = displacement_of(c, &w->plan),
                         .mobility = floats_at(c, c->scratch.mobility),
                         .growth = w->plan.tether_growth,
                         .slack = w->plan.tether_slack,
                         .lets_out = w->plan.tether_slack > 0.0f,
                         .eases = inputs_of(c)->body_count > 0,
                         .obstacles = w->obstacles,
                         .fixed_work = c->settings.capacity.fixed_work};
  return t;
}

/* Squared lengths of tethers that contradict each other, see let_out_tethers(). */
CLOTH_INLINE lanes let_out(const tether_pull *t, lanes squared_length) {
  return lanes_minimum(lanes_multiply(squared_length, lanes_splat(t->growth)),
                       lanes_add(squared_length, lanes_splat(t->slack)));
}

/* Squared lengths that leave tethers of a squared distance no more than `most` to take up. */
CLOTH_INLINE lanes lengths_kept(lanes squared_length, lanes squared, lanes most) {
  const lanes kept = lanes_maximum(lanes_subtract(lanes_square_root(squared), most), lanes_splat(0.0f));
  return lanes_maximum(squared_length, lanes_multiply(kept, kept));
}

/* Raises the squared lengths of the tethers of a block to those that they keep in this substep, as they take up no more
   than TETHER_TAKE_UP. */
CLOTH_SEPARATE void keep_length(const cloth *c, int32_t i, const tether_ends *ends, lanes *squared_length) {
  const vector_array start = vectors_at(c, c->state.position);
  const lanes3 anchor = anchors_among(start, ends);
  const lanes3 d = lanes3_flush_below(lanes3_subtract(lanes3_load(start, i), anchor), STATE_QUANTUM);
  const lanes take_up = lanes_splat(TETHER_TAKE_UP * workspace_of(c)->plan.h);
  *squared_length = lengths_kept(*squared_length, lanes3_dot(d, d), take_up);
}

/* Pulls the particles of a block that are free and beyond their tethers' lengths. Most blocks have none. */
CLOTH_INLINE void pull_block(const tether_pull *t, const tether_ends *ends, int32_t i) {
  lanes3 p = lanes3_load(t->x, i);
  lanes3 d = lanes3_subtract(p, ends->anchor);
  lanes squared = lanes3_dot(d, d);
  lanes squared_length = t->lets_out ? let_out(t, ends->squared_length) : ends->squared_length;
  lanes mobility = lanes_load(t->mobility + i);
  lanes_mask taut = lanes_both(lanes_less(squared_length, squared), lanes_less(lanes_splat(0.0f), mobility));
  if (!lanes_any(taut) && !t->fixed_work) {
    return;
  }
  if (t->eases) {
    lanes kept = squared_length; /* a copy: what has no address stays in registers */
    keep_length(t->c, i, ends, &kept);
    squared_length = kept;
  }
  if (t->obstacles) {
    const lanes3 from = p; /* a copy, too */
    lanes3 deflected = d;
    lanes most;
    t->counts->work += deflect_blocked(t->c, &from, ends, taut, &deflected, &most);
    squared_length = lengths_kept(squared_length, squared, most);
    d = deflected;
  }
  taut = lanes_both(taut, lanes_less(squared_length, squared));
  const lanes excess = lanes_subtract(squared, squared_length);
  const lanes sum = lanes_maximum(lanes_add(squared, squared_length), lanes_splat(MIN_TETHER_SQUARE_SUM));
  const lanes share = lanes_keep(taut, lanes_divide(excess, sum));
  const lanes3 way = lanes3_quantise(lanes3_scale(d, share), WORK_ROUNDER);
  move_block(t->x, t->displacement, i, ends->left, lanes3_negate(way));
}

/* Number of rows, from one on, in which the same pins hold a block of columns in the same pattern. */
static int32_t rows_alike(const cloth *c, int32_t slot, int32_t row, int32_t column) {
  const int32_t blocks = tether_blocks(c);
  const uint8_t *mark = tether_marks_of(c, slot, row) + column / TETHER_BLOCK;
  int32_t rows = row == 0 ? workspace_of(c)->plan.tethered : 1;
  while (row + rows < c->grid.rows && (mark[rows * blocks] & TETHERS_AS_ABOVE)) {
    rows++;
  }
  return rows;
}

/* Rows of a block of columns that hang alike: on one pin, or each column on one of consecutive pins. */
typedef struct tether_piece {
  tether_pull pull;
  rest_metric metric;
  const int32_t *pins; /* of all particles */
  int32_t pin, side_by_side;
  int32_t row, rows, column;
} tether_piece;

/* Pulls CLOTH_LANES columns of a piece, `from` columns from its first. */
CLOTH_INLINE void pull_columns(const tether_piece *piece, int32_t width, int32_t from) {
  const tether_pull *t = &piece->pull;
  int32_t pin_row = piece->pin / width;
  int32_t pin_column = piece->pin - pin_row * width;
  int32_t column = piece->column + from;
  tether_ends ends;
  lanes columns;
  ends.left = width - column;
  if (piece->side_by_side) {
    ends.anchor = lanes3_load(t->x, piece->pin + from);
    columns = lanes_splat((float)(piece->column - pin_column));
  } else {
    ends.anchor = lanes3_splat(vector_load(t->x, piece->pin));
    columns = lanes_add(lanes_splat((float)(column - pin_column)), lanes_load(lane_numbers));
  }
  columns = shorter_columns(piece->metric, columns);
  for (int32_t row = piece->row; row < piece->row + piece->rows; row++) {
    ends.squared_length = rest_squared(piece->metric, columns, lanes_splat((float)(row - pin_row)));
    ends.pins = piece->pins + row * width + column;
    pull_block(t, &ends, row * width + column);
  }
}

CLOTH_HOT CLOTH_SEPARATE void pull_piece(const tether_piece *whole, int32_t width) {
  tether_piece piece = *whole; /* a copy that stores of positions cannot alias */
  for (int32_t from = 0; from < TETHER_BLOCK && piece.column + from < width; from += CLOTH_LANES) {
    pull_columns(&piece, width, from);
  }
}

/* Pulls the particles of the row of a piece from its column to another one, whose anchors have no pattern. */
CLOTH_SEPARATE void pull_to_many(const tether_piece *piece, int32_t width, int32_t to) {
  for (int32_t column = piece->column; column < to; column += CLOTH_LANES) {
    const int32_t i = piece->row * width + column;
    tether_ends ends;
    ends.pins = piece->pins + i;
    ends.left = to - column;
    ends.anchor = anchors_among(piece->pull.x, &ends);
    ends.squared_length = lengths_to_many(piece->metric, width, &ends, piece->row, column);
    pull_block(&piece->pull, &ends, i);
  }
}

/* Pulls the tethers of one slot, an int32_t that p->what points to, block of columns by block of columns. */
static void pull_tethers_of_columns(const cloth *c, const step_plan *plan, stage_piece *p) {
  const int32_t slot = *(const int32_t *)p->what, width = c->grid.columns;
  tether_piece piece = {.pull = tether_pull_of(c, &p->counts),
                        .metric = metric_of(c, workspace_of(c)->plan.tether_scale),
                        .pins = tethers_of(c, slot)};
  (void)plan;
  for (piece.column = p->first; piece.column < p->end; piece.column += TETHER_BLOCK) {
    const int32_t end = piece.column + TETHER_BLOCK < width ? piece.column + TETHER_BLOCK : width;
    for (piece.row = 0; piece.row < c->grid.rows; piece.row += piece.rows) {
      const int mark = tether_marks_of(c, slot, piece.row)[piece.column / TETHER_BLOCK] & TETHERS_KIND;
      piece.rows = mark == TETHERS_MANY ? 1 : rows_alike(c, slot, piece.row, piece.column);
      piece.pin = piece.pins[piece.row * width + piece.column];
      piece.side_by_side = mark == TETHERS_SIDE_BY_SIDE;
      if (mark == TETHERS_MANY) {
        pull_to_many(&piece, width, end);
      } else if (mark != TETHERS_NONE) {
        pull_piece(&piece, width);
      }
    }
  }
}

/* Pulls the tethers of one slot. */
static void pull_tethers(const cloth *c, int32_t slot) {
  add_varying_work(c, run_pieces(c, NULL, pull_tethers_of_columns, &slot, c->grid.columns, TETHER_BLOCK).work, 1);
}

#if WITH_BODIES

/* Keeps the predicted positions, for note_tethers(). */
static void keep_before_tethers(const cloth *c) {
  if (notes_pins(c)) {
    copy_memory(vectors_at(c, c->scratch.residual).x, predicted_of(c).x, 3 * (size_t)c->stride * sizeof(float));
  }
}

/* Notes the pull of the tethers of a slot: at each pin the opposite of what it has done to the particles. */
CLOTH_SEPARATE void note_tethers(const cloth *c, int32_t slot) {
  const vector_array before = vectors_at(c, c->scratch.residual), after = predicted_of(c);
  const float *mobility = floats_at(c, c->scratch.mobility);
  for (int32_t i = 0; notes_pins(c) && i < c->count; i++) {
    const int32_t pin = tethers_of(c, slot)[i];
    const cloth_vector moved = vector_subtract(vector_load(after, i), vector_load(before, i));
    if (pin >= 0 && mobility[i] > 0.0f && (moved.x != 0.0f || moved.y != 0.0f || moved.z != 0.0f)) {
      const cloth_vector pull = vector_scale(moved, 1.0f / mobility[i]);
      note_displacement(c, pin, vector_scale(pull, -1.0f));
      if (is_pinned(c, i)) {
        note_displacement(c, i, pull);
      }
    }
  }
}

#endif

#endif
