#pragma once
#include "access.h"
#include "compiler.h"
#include "constraint.h"
#include "costs.h"
#include "lanes.h"
#include "scalar.h"
#include "shapes.h"
#include "tethers.h"
#include "types.h"

/// Pull of the tethers ///

#if WITH_PROJECTION

/* The other ends of a block's tethers: where they are, and how long the tethers are, squared. */
typedef struct tether_ends {
  lanes3 pin;
  lanes rest;
} tether_ends;

/* A particle without a tether has an endless one to particle 0. */
#define TETHER_ENDLESS 1.0e30f

#if CLOTH_LANES > 1
CLOTH_SEPARATE void tethers_to_many(const cloth *c, rest_metric m, const int32_t *pins, int32_t row, int32_t column,
                                    tether_ends *ends) {
  float place[3][CLOTH_LANES];
  float rest[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    int32_t pin = lane < c->grid.columns - column ? pins[lane] : -1;
    int32_t from = pin < 0 ? 0 : pin;
    int32_t pin_row = from / c->grid.columns;
    cloth_vector p = vector_load(predicted_of(c), from);
    lanes columns = lanes_splat((float)(column - (from - pin_row * c->grid.columns)) + lane_numbers[lane]);
    place[0][lane] = p.x;
    place[1][lane] = p.y;
    place[2][lane] = p.z;
    columns = shorter_columns(m, columns);
    rest[lane] = lanes_first_value(rest_squared(m, columns, lanes_splat((float)(row - pin_row))));
    rest[lane] = pin < 0 ? TETHER_ENDLESS : rest[lane];
  }
  ends->pin = lanes3_of(lanes_load(place[0]), lanes_load(place[1]), lanes_load(place[2]));
  ends->rest = lanes_load(rest);
}
#endif

/* Of the bodies that may be in the way of a tether. Their room is that of the forces' row buffers, which are spent by
   then. */
static obstacle_capsule *obstacles_of(const cloth *c) {
  return (obstacle_capsule *)at(c, c->scratch.row_buffers);
}

/* A little larger, as segments_within() rounds. Far from the origin, where that is not enough, the box decides: on
   every machine alike. */
static void set_box(obstacle_capsule *axis, float reach) {
  cloth_vector a = axis->from, b = vector_add(axis->from, axis->along);
  axis->low = vector(minimum(a.x, b.x) - reach, minimum(a.y, b.y) - reach, minimum(a.z, b.z) - reach);
  axis->high = vector(maximum(a.x, b.x) + reach, maximum(a.y, b.y) + reach, maximum(a.z, b.z) + reach);
}

/* Finds these where they are at the end of the step. Returns how many there are. */
CLOTH_SEPARATE int32_t find_obstacles(const cloth *c) {
  obstacle_capsule *axes = obstacles_of(c);
  int32_t count = 0;
  for (int32_t index = 0; WITH_COLLIDERS && index < inputs_of(c)->collider_end; index++) {
    const collider_slot *slot = &colliders_of(c)[index];
    if (slot->used && slot->body.shape != CLOTH_SHAPE_PLANE) {
      obstacle_capsule *axis = &axes[count++];
      float reach = capsule_around(&slot->body, slot->body.pose.rotation, &axis->from, &axis->along);
      axis->from = vector_add(slot->body.pose.position, axis->from);
      axis->squared_reach = reach * reach;
      set_box(axis, reach * 1.0001f + STATE_QUANTUM);
    }
  }
  return count;
}

/* Straight ways from particles to pins, and the boxes around them. */
typedef struct tether_segments {
  lanes3 from, to;
  lanes3 low, high;
} tether_segments;

/* Which ways come nearer to an axis than its reach: the nearest points of two segments. */
CLOTH_INLINE lanes_mask segments_within(const tether_segments *w, const obstacle_capsule *axis) {
  lanes tiny = lanes_splat(1.0e-12f);
  lanes3 way = lanes3_flush_below(lanes3_subtract(w->to, w->from), STATE_QUANTUM);
  lanes a = lanes_maximum(lanes3_dot(way, way), tiny);
  lanes3 apart = lanes3_flush_below(lanes3_subtract(w->from, lanes3_splat(axis->from)), STATE_QUANTUM);
  lanes c = lanes_flush(lanes3_dot(way, apart));
  float squared_length = vector_dot(axis->along, axis->along); /* 0 for a sphere */
  if (squared_length > 0.0f) {
    lanes3 along = lanes3_splat(axis->along);
    lanes e = lanes_splat(maximum(squared_length, 1.0e-12f));
    lanes b = lanes_flush(lanes3_dot(way, along));
    lanes f = lanes_flush(lanes3_dot(along, apart));
    lanes crossing = lanes_subtract(lanes_multiply(a, e), lanes_multiply(b, b));
    lanes s = lanes_subtract(lanes_multiply(b, f), lanes_multiply(c, e));
    s = clamped_to_one(lanes_flush(lanes_divide(s, lanes_maximum(crossing, tiny))));
    lanes t = clamped_to_one(lanes_flush(lanes_divide(lanes_add(lanes_multiply(b, s), f), e)));
    c = lanes_subtract(c, lanes_multiply(b, t));
    apart = lanes3_subtract(apart, lanes3_scale(along, t));
  }
  lanes s = clamped_to_one(lanes_flush(lanes_divide(lanes_subtract(lanes_splat(0.0f), c), a)));
  lanes3 gap = lanes3_flush(lanes3_add_scaled(apart, way, s));
  return lanes_less(lanes3_dot(gap, gap), lanes_splat(axis->squared_reach));
}

CLOTH_INLINE lanes_mask overlap(lanes low, lanes high, float other_low, float other_high) {
  return lanes_both(lanes_less(low, lanes_splat(other_high)), lanes_less(lanes_splat(other_low), high));
}

/* Which ways go through the box around a capsule: most go past it. */
CLOTH_INLINE lanes_mask boxes_overlap(const tether_segments *w, const obstacle_capsule *axis) {
  lanes_mask near = overlap(w->low.z, w->high.z, axis->low.z, axis->high.z);
  near = lanes_both(near, overlap(w->low.x, w->high.x, axis->low.x, axis->high.x));
  return lanes_both(near, overlap(w->low.y, w->high.y, axis->low.y, axis->high.y));
}

/* Lets go of tethers with something solid in their straight way, of `left` particles. Only asked for those that would
   pull. */
CLOTH_SEPARATE void release_blocked(const cloth *c, const lanes3 *p, const lanes3 *pin, lanes_mask taut, int32_t left,
                                    lanes *share) {
  const obstacle_capsule *axes = obstacles_of(c);
  int32_t count = workspace_of(c)->obstacles;
  uint32_t work = count_within(taut, left) * (uint32_t)count * COST_PASSED;
  tether_segments w = {*p, *pin, lanes3_minimum(*p, *pin), lanes3_maximum(*p, *pin)};
  for (int32_t n = 0; n < count; n++) {
    lanes_mask near = lanes_both(taut, boxes_overlap(&w, &axes[n]));
    if (lanes_any(near) || c->settings.capacity.fixed_work) {
      work += count_within(near, left) * COST_UNBLOCKED;
      *share = lanes_drop(lanes_both(near, segments_within(&w, &axes[n])), *share);
    }
  }
  add_varying_work(c, work, 1);
}

/* Pulls the particles of a block that are beyond reach back along their tethers. Most are not, which is quick to see.
 */
CLOTH_INLINE void pull_block(const cloth *c, const tether_ends *ends, int32_t i, int32_t left) {
  uint32_t obstacles = (uint32_t)workspace_of(c)->obstacles;
  vector_array x = predicted_of(c);
  lanes3 p = lanes3_load(x, i);
  lanes3 d = lanes3_subtract(p, ends->pin);
  lanes squared = lanes3_dot(d, d);
  lanes moves = lanes_load(floats_at(c, c->scratch.mobility) + i);
  lanes_mask taut = lanes_both(lanes_less(ends->rest, squared), lanes_less(lanes_splat(0.0f), moves));
  if (!lanes_any(taut) && !c->settings.capacity.fixed_work) {
    return;
  }
  lanes over = lanes_subtract(squared, ends->rest);
  lanes below = lanes_maximum(lanes_add(squared, ends->rest), lanes_splat(1.0e-12f));
  lanes share = lanes_keep(taut, lanes_divide(over, below));
  if (obstacles) {
    release_blocked(c, &p, &ends->pin, taut, left, &share);
  }
  lanes3_store(x, i, lanes3_subtract(p, constraint_correction(d, share)), left);
}

/* From a row on: in how many rows the same pins hold a block of columns in the same way. */
static int32_t rows_alike(const cloth *c, int32_t slot, int32_t row, int32_t column) {
  const int32_t *pins = tethers_of(c, slot) + column;
  int32_t pin = pins[row * c->grid.columns];
  uint8_t mark = tether_marks_of(c, slot, row)[column / TETHER_BLOCK];
  int32_t end = row + 1;
  while (end < c->grid.rows && tether_marks_of(c, slot, end)[column / TETHER_BLOCK] == mark &&
         pins[end * c->grid.columns] == pin) {
    end++;
  }
  return end - row;
}

/* Rows of a block of columns that hang alike: on a pin, or on the pins from there on if they are side by side. */
typedef struct tether_piece {
  rest_metric metric;
  int32_t pin, side_by_side;
  int32_t row, rows, column;
} tether_piece;

/* So many columns from the piece's first. */
CLOTH_INLINE void pull_columns(const cloth *c, const tether_piece *piece, int32_t from) {
  vector_array x = predicted_of(c);
  int32_t pin_row = piece->pin / c->grid.columns;
  int32_t pin_column = piece->pin - pin_row * c->grid.columns;
  int32_t column = piece->column + from;
  tether_ends ends;
  lanes columns;
  if (piece->side_by_side) {
    ends.pin = lanes3_load(x, piece->pin + from);
    columns = lanes_splat((float)(piece->column - pin_column));
  } else {
    ends.pin = lanes3_splat(vector_load(x, piece->pin));
    columns = lanes_add(lanes_splat((float)(column - pin_column)), lanes_load(lane_numbers));
  }
  columns = shorter_columns(piece->metric, columns);
  for (int32_t row = piece->row; row < piece->row + piece->rows; row++) {
    ends.rest = rest_squared(piece->metric, columns, lanes_splat((float)(row - pin_row)));
    pull_block(c, &ends, row * c->grid.columns + column, c->grid.columns - column);
  }
}

CLOTH_HOT CLOTH_SEPARATE void pull_piece(const cloth *c, const tether_piece *whole) {
  tether_piece piece = *whole;
  for (int32_t from = 0; from < TETHER_BLOCK && piece.column + from < c->grid.columns; from += CLOTH_LANES) {
    pull_columns(c, &piece, from);
  }
}

CLOTH_SEPARATE void pull_to_many(const cloth *c, const rest_metric *m, const int32_t *pins, int32_t row, int32_t from,
                                 int32_t to) {
  for (int32_t column = from; column < to; column += CLOTH_LANES) {
    int32_t i = row * c->grid.columns + column;
    tether_ends ends;
#if CLOTH_LANES > 1
    tethers_to_many(c, *m, pins + i, row, column, &ends);
#else
    int32_t pin_row = pins[i] / c->grid.columns;
    if (pins[i] < 0) {
      continue;
    }
    ends.pin = lanes3_splat(vector_load(predicted_of(c), pins[i]));
    lanes columns = shorter_columns(*m, lanes_splat((float)(column - (pins[i] - pin_row * c->grid.columns))));
    ends.rest = rest_squared(*m, columns, lanes_splat((float)(row - pin_row)));
#endif
    pull_block(c, &ends, i, to - column);
  }
}

/* Tethers of one slot. */
static void pull_tethers(const cloth *c, int32_t slot) {
  tether_piece piece;
  piece.metric = metric_of(c, c->settings.tethers.scale);
  for (piece.column = 0; piece.column < c->grid.columns; piece.column += TETHER_BLOCK) {
    int32_t end = piece.column + TETHER_BLOCK < c->grid.columns ? piece.column + TETHER_BLOCK : c->grid.columns;
    for (piece.row = 0; piece.row < c->grid.rows; piece.row += piece.rows) {
      int mark = tether_marks_of(c, slot, piece.row)[piece.column / TETHER_BLOCK];
      piece.rows = mark == TETHERS_MANY ? 1 : rows_alike(c, slot, piece.row, piece.column);
      piece.pin = tethers_of(c, slot)[piece.row * c->grid.columns + piece.column];
      piece.side_by_side = mark == TETHERS_SIDE_BY_SIDE;
      if (mark == TETHERS_MANY) {
        pull_to_many(c, &piece.metric, tethers_of(c, slot), piece.row, piece.column, end);
      } else if (mark != TETHERS_NONE) {
        pull_piece(c, &piece);
      }
    }
  }
}

#endif
