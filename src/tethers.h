#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "layout.h"
#include "scalar.h"
#include "types.h"

/// Tethers ///

#if WITH_PROJECTION

/*
 * A tether holds a particle within reach of a pinned one: no farther than the straight way between them on the sheet at
 * rest, times a scale. Each particle has up to two, to the nearest pins in different directions. They are chosen anew
 * in the first step after pins came or went, by handing pins on from neighbour to neighbour: twice through the rows, a
 * bounded and fixed amount of work.
 */
static int32_t *tethers_of(const cloth *c, int32_t slot) {
  return (int32_t *)at(c, c->state.tethers) + slot * c->count;
}

/* Squared way on the sheet at rest between grid points that are so many columns and rows apart. Edges may lean: the
   mixed term follows from the diagonals. */
typedef struct rest_metric {
  float warp, mixed, weft;
  float around; /* columns all the way round; 0 if they do not go there */
} rest_metric;

static rest_metric metric_of(const cloth *c, float scale) {
  rest_metric m;
  float squared = scale * scale;
  m.warp = squared * (c->grid.spacing_warp * c->grid.spacing_warp);
  m.weft = squared * (c->grid.spacing_weft * c->grid.spacing_weft);
  m.mixed = squared * 0.5f * (c->grid.diagonal * c->grid.diagonal - c->grid.antidiagonal * c->grid.antidiagonal);
  m.mixed = flush_small(m.mixed, WORK_QUANTUM);
  m.around = is_wrapped(c) ? (float)c->grid.columns : 0.0f;
  return m;
}

/* So many columns or, if that is shorter, what is left of the way round. */
CLOTH_INLINE lanes shorter_columns(rest_metric m, lanes columns) {
  if (!WITH_WRAP || m.around == 0.0f) {
    return columns;
  }
  columns = lanes_absolute(columns);
  return lanes_minimum(columns, lanes_subtract(lanes_splat(m.around), columns));
}

CLOTH_INLINE lanes rest_squared(rest_metric m, lanes columns, lanes rows) {
  lanes along = lanes_multiply(
      columns, lanes_add(lanes_multiply(lanes_splat(m.warp), columns), lanes_multiply(lanes_splat(m.mixed), rows)));
  return lanes_add(along, lanes_multiply(lanes_splat(m.weft), lanes_multiply(rows, rows)));
}

/* Choosing tethers: what all particles share, and where the one at hand is. */
typedef struct anchor_search {
  rest_metric metric;
  int32_t particle, column, row;
  int32_t *slots[TETHERS]; /* of all particles; NULL for one that is not there */
} anchor_search;

/* From a pin to a place of the grid. */
static float rest_from(const cloth *c, const anchor_search *t, int32_t pin, int32_t column, int32_t row) {
  int32_t pin_row = pin / c->grid.columns;
  lanes columns = shorter_columns(t->metric, lanes_splat((float)(column - (pin - pin_row * c->grid.columns))));
  return lanes_first_value(rest_squared(t->metric, columns, lanes_splat((float)(row - pin_row))));
}

static float rest_to_particle(const cloth *c, const anchor_search *t, int32_t pin) {
  return rest_from(c, t, pin, t->column, t->row);
}

/* Is a pin beside another, at most half as far from it as from the particle? */
static int is_redundant_anchor(const cloth *c, const anchor_search *t, int32_t pin, int32_t other) {
  int32_t row = other / c->grid.columns;
  return 4.0f * rest_from(c, t, pin, other - row * c->grid.columns, row) < rest_to_particle(c, t, pin);
}

/* Offers a pin to the particle. It takes the nearest, and as its second the nearest that is not beside the first. Those
   it has need no offer. */
static void propose_anchor(const cloth *c, const anchor_search *t, int32_t pin) {
  int32_t *first = &t->slots[0][t->particle];
  int32_t *second = t->slots[1] ? &t->slots[1][t->particle] : NULL;
  if (pin < 0 || pin == *first || (second && pin == *second)) {
    return;
  }
  int is_nearest = *first < 0 || rest_to_particle(c, t, pin) < rest_to_particle(c, t, *first);
  if (is_nearest) {
    int32_t former = *first;
    *first = pin;
    pin = former;
  }
  if (!second) {
    return;
  }
  if (is_nearest && *second >= 0 && is_redundant_anchor(c, t, *second, *first)) {
    *second = -1;
  }
  if (pin < 0 || is_redundant_anchor(c, t, pin, *first)) {
    return;
  }
  if (*second < 0 || rest_to_particle(c, t, pin) < rest_to_particle(c, t, *second)) {
    *second = pin;
  }
}

/* What a neighbour so many columns and rows away knows. */
static void propose_from_neighbour(const cloth *c, const anchor_search *t, int32_t columns, int32_t rows) {
  int32_t column = t->column + columns;
  int32_t row = t->row + rows;
  if (is_wrapped(c)) {
    column += column < 0 ? c->grid.columns : 0;
    column -= column >= c->grid.columns ? c->grid.columns : 0;
  }
  if (column < 0 || column >= c->grid.columns || row < 0 || row >= c->grid.rows) {
    return;
  }
  for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
    propose_anchor(c, t, t->slots[slot][row * c->grid.columns + column]);
  }
}

static void set_cursor(const cloth *c, anchor_search *t, int32_t column) {
  column -= column >= c->grid.columns ? c->grid.columns : 0;
  t->column = column;
  t->particle = t->row * c->grid.columns + column;
}

/* Through the rows one way: each row hears from the one before, then from its left, then from its right; round a tube
   all that twice, as what comes first hears from what comes last. */
static void propagate_anchors(const cloth *c, int32_t rows) {
  anchor_search t;
  int32_t columns = is_wrapped(c) ? 2 * c->grid.columns : c->grid.columns;
  t.metric = metric_of(c, 1.0f);
  t.slots[0] = tethers_of(c, 0);
  t.slots[1] = c->settings.tethers.count > 1 ? tethers_of(c, 1) : NULL;
  for (int32_t n = 0; n < c->grid.rows; n++) {
    t.row = rows > 0 ? n : c->grid.rows - 1 - n;
    for (int32_t column = 0; column < columns; column++) {
      set_cursor(c, &t, column);
      propose_from_neighbour(c, &t, -1, 0 - rows);
      propose_from_neighbour(c, &t, 0, 0 - rows);
      propose_from_neighbour(c, &t, 1, 0 - rows);
      propose_from_neighbour(c, &t, -1, 0);
    }
    for (int32_t column = columns - 1; column >= 0; column--) {
      set_cursor(c, &t, column);
      propose_from_neighbour(c, &t, 1, 0);
    }
  }
}

CLOTH_SEPARATE void choose_tethers(const cloth *c) {
  for (int32_t i = 0; i < c->settings.tethers.count * c->count; i++) {
    tethers_of(c, 0)[i] = i < c->count && is_pinned(c, i) ? i : -1;
  }
  propagate_anchors(c, 1);
  propagate_anchors(c, -1);
  inputs_of(c)->tethers_chosen = TETHERS_CHOSEN;
}

/* Marks of a block of particles: it hangs on no pin, on one, on as many side by side in a row in the same order, or on
   any. */
enum { TETHERS_NONE, TETHERS_ONE, TETHERS_SIDE_BY_SIDE, TETHERS_MANY };

static uint8_t *tether_marks_of(const cloth *c, int32_t slot, int32_t row) {
  return (uint8_t *)at(c, c->scratch.tether_marks) + (slot * c->grid.rows + row) * tether_blocks(c);
}

static uint8_t tether_mark(const cloth *c, const int32_t *pins, int32_t count) {
  int are_one = 1, are_side_by_side = pins[0] / c->grid.columns == pins[count - 1] / c->grid.columns;
  for (int32_t n = 1; n < count; n++) {
    are_one &= pins[n] == pins[0];
    are_side_by_side &= pins[n] == pins[0] + n;
  }
  if (are_one) {
    return pins[0] < 0 ? TETHERS_NONE : TETHERS_ONE;
  }
  return are_side_by_side && pins[0] >= 0 ? TETHERS_SIDE_BY_SIDE : TETHERS_MANY;
}

/* Returns 1 if there are any. */
CLOTH_SEPARATE int32_t mark_tethers(const cloth *c) {
  int32_t any = 0;
  for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
    for (int32_t row = 0; row < c->grid.rows; row++) {
      const int32_t *pins = tethers_of(c, slot) + row * c->grid.columns;
      uint8_t *marks = tether_marks_of(c, slot, row);
      for (int32_t column = 0; column < c->grid.columns; column += TETHER_BLOCK) {
        int32_t left = c->grid.columns - column;
        marks[column / TETHER_BLOCK] = tether_mark(c, pins + column, left < TETHER_BLOCK ? left : TETHER_BLOCK);
        any |= marks[column / TETHER_BLOCK] != TETHERS_NONE;
      }
    }
  }
  return any;
}

#endif

/* Takes the tethers off that lead to a particle. */
static void remove_tethers_to(const cloth *c, int32_t particle) {
  int32_t *pins = (int32_t *)at(c, c->state.tethers);
  for (int32_t i = 0; i < c->settings.tethers.count * c->count; i++) {
    pins[i] = pins[i] == particle ? -1 : pins[i];
  }
}

#if WITH_PROJECTION

static int check_tether(const cloth *c, int32_t particle, int32_t slot) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  if (c->settings.tethers.count == 0) {
    return CLOTH_ERROR_STATE;
  }
  return slot >= 0 && slot < c->settings.tethers.count ? CLOTH_OK : CLOTH_ERROR_INDEX;
}

int cloth_set_tether(cloth *c, int32_t particle, int32_t slot, int32_t pin) {
  int error = check_tether(c, particle, slot);
  if (!error && pin != -1) {
    error = check_pin(c, pin);
  }
  if (error) {
    return error;
  }
  if (!c->has_scratch) {
    return CLOTH_ERROR_STATE; /* choosing needs it */
  }
  if (inputs_of(c)->tethers_chosen == TETHERS_STALE) {
    choose_tethers(c);
  }
  inputs_of(c)->tethers_chosen = TETHERS_SET;
  set_input(c, &tethers_of(c, slot)[particle], &pin, sizeof pin);
  return CLOTH_OK;
}

int cloth_get_tether(const cloth *c, int32_t particle, int32_t slot, int32_t *pin) {
  int error = check_call(c, pin);
  if (!error) {
    error = check_tether(c, particle, slot);
  }
  if (!error) {
    *pin = inputs_of(c)->tethers_chosen == TETHERS_STALE ? -1 : tethers_of(c, slot)[particle];
  }
  return error;
}

int cloth_reset_tethers(cloth *c) {
  int error = check_tether(c, 0, 0);
  if (!error && inputs_of(c)->tethers_chosen == TETHERS_SET) {
    inputs_of(c)->tethers_chosen = TETHERS_STALE;
    wake(c);
  }
  return error;
}

#endif
