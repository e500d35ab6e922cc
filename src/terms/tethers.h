#pragma once
#include "../cloth/costs.h"
#include "links.h"

/// Tethers ///

/* Choice of the tethers (long range attachments, Kim, Chentanez and Mueller-Fischer 2012): for each of two slots of a
   particle an anchor, the nearest pins in different directions on the sheet at rest, chosen in the first step after
   pins came or went. Out: state.tethers (-1: none). */

static int32_t *tethers_of(const cloth *c, int32_t slot) {
  return (int32_t *)at(c, c->state.tethers) + slot * c->count;
}

/* Squared rest distances: grid points that are u columns and v rows apart lie at warp u^2 + mixed u v + weft v^2 [m^2],
   with the mixed term for edges that are not perpendicular. */
typedef struct rest_metric {
  float warp, mixed, weft;
  float around; /* columns of a tube; 0 for a sheet */
} rest_metric;

static rest_metric metric_of(const cloth *c, float scale) {
  rest_metric m;
  float squared = scale * scale;
  m.warp = squared * (c->grid.spacing_warp * c->grid.spacing_warp);
  m.weft = squared * (c->grid.spacing_weft * c->grid.spacing_weft);
  m.mixed = squared * 0.5f * (c->grid.diagonal * c->grid.diagonal - c->grid.antidiagonal * c->grid.antidiagonal);
  m.mixed = flush_work(m.mixed);
  if (has_rest_shape(c)) {
    m.warp *= rest_bounds_of(c)->reach[WARP];
    m.weft *= rest_bounds_of(c)->reach[WEFT];
    m.mixed = 0.0f;
  }
  m.around = is_wrapped(c) ? (float)c->grid.columns : 0.0f;
  return m;
}

/* Columns between two points, round the other side of a tube if that is shorter. */
CLOTH_INLINE lanes shorter_columns(rest_metric m, lanes columns) {
  if (!WITH_WRAP || m.around == 0.0f) { return columns; }
  columns = lanes_absolute(columns);
  return lanes_minimum(columns, lanes_subtract(lanes_splat(m.around), columns));
}

CLOTH_INLINE lanes rest_squared(rest_metric m, lanes columns, lanes rows) {
  lanes along = lanes_multiply(
      columns, lanes_add(lanes_multiply(lanes_splat(m.warp), columns), lanes_multiply(lanes_splat(m.mixed), rows)));
  return lanes_add(along, lanes_multiply(lanes_splat(m.weft), lanes_multiply(rows, rows)));
}

/* Squared rest distance between two particles [m^2]. */
static float squared_rest(const cloth *c, rest_metric m, int32_t from, int32_t to) {
  const int32_t from_row = from / c->grid.columns, row = to / c->grid.columns;
  const int32_t columns = (to - row * c->grid.columns) - (from - from_row * c->grid.columns);
  const lanes apart = shorter_columns(m, lanes_splat((float)columns));
  return lanes_first_value(rest_squared(m, apart, lanes_splat((float)(row - from_row))));
}

/* The search for anchors, at one particle. */
typedef struct anchor_search {
  rest_metric metric;
  int32_t particle;
  int32_t *slots[TETHERS]; /* anchors of all particles; NULL for a slot that the cloth does not have */
} anchor_search;

static float rest_to_particle(const cloth *c, const anchor_search *t, int32_t pin) {
  return squared_rest(c, t->metric, pin, t->particle);
}

/* A pin is redundant beside another anchor if it is less than half as far from it as from the particle: this is the
   ratio of the squares. A greater one lets particles below a row of pins take two neighbouring ones. */
#define REDUNDANT_RATIO 4.0f

static int is_redundant_anchor(const cloth *c, const anchor_search *t, int32_t pin, int32_t other) {
  return REDUNDANT_RATIO * squared_rest(c, t->metric, pin, other) < rest_to_particle(c, t, pin);
}

/* Proposes a pin, or -1: the nearest is the first anchor, the nearest that is not redundant beside it the second. */
static void propose_anchor(const cloth *c, const anchor_search *t, int32_t pin) {
  int32_t *first = &t->slots[0][t->particle];
  int32_t *second = t->slots[1] ? &t->slots[1][t->particle] : NULL;
  if (pin < 0 || pin == *first || (second && pin == *second)) { return; }
  int is_nearest = *first < 0 || rest_to_particle(c, t, pin) < rest_to_particle(c, t, *first);
  if (is_nearest) {
    int32_t former = *first;
    *first = pin;
    pin = former;
  }
  if (!second) { return; }
  if (is_nearest && *second >= 0 && is_redundant_anchor(c, t, *second, *first)) { *second = -1; }
  if (pin < 0 || is_redundant_anchor(c, t, pin, *first)) { return; }
  if (*second < 0 || rest_to_particle(c, t, pin) < rest_to_particle(c, t, *second)) { *second = pin; }
}

/* Proposes the anchors of the neighbour that is so many columns and rows away, if there is one. */
static void propose_from_neighbour(const cloth *c, const anchor_search *t, int32_t columns, int32_t rows) {
  const int32_t row = t->particle / c->grid.columns, column = t->particle % c->grid.columns;
  const int32_t neighbour = particle_from(c, row + rows, column + columns);
  for (int32_t slot = 0; neighbour >= 0 && slot < c->settings.tethers.count; slot++) {
    propose_anchor(c, t, t->slots[slot][neighbour]);
  }
}

/* One sweep of nearest-anchor propagation, downwards for rows 1 and upwards for -1: candidates come from the row
   before, from the left, then from the right; of tubes twice, as column 0 depends on the last one. */
static void propagate_anchors(const cloth *c, int32_t rows) {
  anchor_search t;
  int32_t columns = is_wrapped(c) ? 2 * c->grid.columns : c->grid.columns;
  t.metric = metric_of(c, 1.0f);
  t.slots[0] = tethers_of(c, 0);
  t.slots[1] = c->settings.tethers.count > 1 ? tethers_of(c, 1) : NULL;
  for (int32_t n = 0; n < c->grid.rows; n++) {
    const int32_t first = (rows > 0 ? n : c->grid.rows - 1 - n) * c->grid.columns;
    for (int32_t column = 0; column < columns; column++) {
      t.particle = first + column % c->grid.columns;
      propose_from_neighbour(c, &t, -1, 0 - rows);
      propose_from_neighbour(c, &t, 0, 0 - rows);
      propose_from_neighbour(c, &t, 1, 0 - rows);
      propose_from_neighbour(c, &t, -1, 0);
    }
    for (int32_t column = columns - 1; column >= 0; column--) {
      t.particle = first + column % c->grid.columns;
      propose_from_neighbour(c, &t, 1, 0);
    }
  }
}

/* Is there material on both sides of a straight line between two particles, where it passes rows or columns, or on one
   side of it where it follows them? It does not stretch before it is as long as at rest; one over a hole may. */
static int is_over_material(const cloth *c, int32_t particle, int32_t pin) {
  const int32_t columns = c->grid.columns, row = particle / columns, column = particle - row * columns;
  const int32_t down = pin / columns - row, apart = pin % columns - column, half = columns / 2;
  const int32_t round = !is_wrapped(c) ? 0 : apart > half ? columns : apart < -half ? -columns : 0; /* a tube */
  const int32_t across = apart - round;
  const int32_t rows = down < 0 ? -down : down, wide = across < 0 ? -across : across;
  const int32_t step_row = down < 0 ? -1 : 1, step_column = across < 0 ? -1 : 1;
  int32_t r = row, q = column, error = wide - rows; /* Bresenham's line, but for steps of one row or one column */
  for (int32_t n = 0; n < rows + wide; n++) {
    const int along_warp = rows == 0 || (wide > 0 && error >= 0);
    const int32_t next_q = along_warp ? q + step_column : q, next_r = along_warp ? r : r + step_row;
    const int32_t first_q = (next_q < q ? next_q : q) + columns, first_r = next_r < r ? next_r : r;
    if (is_gap(c, first_r * columns + first_q % columns, along_warp ? GAP_WARP : GAP_WEFT)) { return 0; }
    error += along_warp ? -2 * rows : 2 * wide;
    q = next_q;
    r = next_r;
  }
  return 1;
}

/* Removes tethers that lead over gaps, and those of absent particles. */
CLOTH_SEPARATE void remove_tethers_over_gaps(const cloth *c) {
  for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
    int32_t *pins = tethers_of(c, slot);
    for (int32_t i = 0; i < c->count; i++) {
      const int is_kept = pins[i] >= 0 && !is_gap(c, i, GAP_PARTICLE) && is_over_material(c, i, pins[i]);
      pins[i] = is_kept ? pins[i] : -1;
    }
  }
}

/* Chooses the tethers of all particles: pins are their own anchors, and two sweeps propagate them. */
CLOTH_SEPARATE void choose_tethers(const cloth *c) {
  for (int32_t i = 0; i < c->settings.tethers.count * c->count; i++) {
    tethers_of(c, 0)[i] = i < c->count && is_held(c, i) && !is_gap(c, i, GAP_PARTICLE) ? i : -1;
  }
  propagate_anchors(c, 1);
  propagate_anchors(c, -1);
  if (has_gaps(c)) { remove_tethers_over_gaps(c); }
  inputs_of(c)->tethers_chosen = TETHERS_CHOSEN;
}

/* Most work of remove_tethers_over_gaps(). */
static uint64_t paths_work(const cloth *c) {
  const uint32_t steps = (uint32_t)(c->grid.columns + c->grid.rows);
  return (uint64_t)(uint32_t)(c->settings.tethers.count * c->count) * steps * COST_PATH;
}

static void remove_tethers_to(const cloth *c, int32_t particle) {
  int32_t *pins = (int32_t *)at(c, c->state.tethers);
  for (int32_t i = 0; i < c->settings.tethers.count * c->count; i++) {
    pins[i] = pins[i] == particle ? -1 : pins[i];
  }
}

#if WITH_TETHERS

static int check_tether(const cloth *c, int32_t particle, int32_t slot) {
  RETURN_IF_ERROR(check_particle(c, particle));
  if (c->settings.tethers.count == 0) { return CLOTH_ERROR_STATE; }
  return slot >= 0 && slot < c->settings.tethers.count ? CLOTH_OK : CLOTH_ERROR_INDEX;
}

int cloth_set_tether(cloth *c, int32_t particle, int32_t slot, int32_t pin) {
  int error = check_tether(c, particle, slot);
  if (!error) { error = check_present(c, particle); }
  if (!error && pin != -1) { error = check_pin(c, pin); }
  if (!error && pin != -1) { error = check_present(c, pin); }
  if (error) { return error; }
  if (!c->has_scratch) { return CLOTH_ERROR_STATE; } /* choosing needs it */
  if (pin >= 0 && has_gaps(c) && !is_over_material(c, particle, pin)) { return CLOTH_ERROR_STATE; }
  if (inputs_of(c)->tethers_chosen == TETHERS_STALE) { choose_tethers(c); }
  inputs_of(c)->tethers_chosen = TETHERS_SET;
  set_input(c, &tethers_of(c, slot)[particle], &pin, sizeof pin);
  return CLOTH_OK;
}

int cloth_get_tether(const cloth *c, int32_t particle, int32_t slot, int32_t *pin) {
  int error = check_call(c, pin);
  if (!error) { error = check_tether(c, particle, slot); }
  if (error) { return error; }
  *pin = inputs_of(c)->tethers_chosen == TETHERS_STALE ? -1 : tethers_of(c, slot)[particle];
  return CLOTH_OK;
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
