#pragma once
#include "access.h"
#include "compiler.h"
#include "gaps.h"
#include "lanes.h"
#include "layout.h"
#include "lines.h"
#include "scalar.h"
#include "types.h"
#include "uniform.h"

/// Bending ///

/*
 * Backward Euler for bending, direction after direction. The energy of a plate of rigidity B is B/2 (x_uu^2 + x_vv^2 +
 * 2 x_uv^2) per area, with u along the warp and v along the weft: hinges, second differences along rows and columns,
 * and the twist of cells. It leaves the natural conditions of a free edge at a border, and its rigidity is B in every
 * direction. Hinges are linear and act along lines: one pentadiagonal system per line, solved exactly. The twist acts
 * on the differences of neighbouring columns: one tridiagonal system per pair of columns. Each particle belongs to two
 * pairs; it moves by the mean of what both, with twice the stiffness, make of the same positions. Every such move
 * reduces an energy, so that no stiffness is unstable, whatever the pins, masses and maps.
 *
 * Viscosity adds the rigidity times a time t to what resists changes: with the substep h all stiffnesses grow by the
 * factor 1 + t / h, and act on x - s x_old, with the share of the viscosity s = (t / h) / (1 + t / h).
 *
 * In: the plan's bending, the predicted positions, those at the start of the substep, scratch.mobility, the stiffness
 * map. Out: the predicted positions. Scratch: line_work, own.line_factors.
 */

/*
 * Elimination of (I / w + kappa K) delta = r along lines, K being the hinges, with the pentadiagonal coefficients
 * k_ii = kappa (s_{i-1} + 4 s_i + s_{i+1}), k_{i,i+1} = -2 kappa (s_i + s_{i+1}), k_{i,i+2} = kappa s_{i+1}, and s_i
 * the factor of the hinge at particle i, 0 at the ends of a line:
 *
 *     e_i = k_{i,i+1} - f_{i-1} p_{i-1},  f_i = k_{i,i+2},  p_i = e_i g_i,  q_i = f_i g_i,
 *     g_i = w_i / (1 + w_i (k_ii - p_{i-1} e_{i-1} - q_{i-2} f_{i-2})).
 *
 * A pin, w = 0, has g = p = q = 0: it does not move, and nothing is carried across it but the hinges beside it.
 */
typedef struct hinge_factors {
  lanes p, q, g;
} hinge_factors;

/* What the factorisation carries from an element to the next. */
typedef struct bend_elimination {
  lanes e, f, p, q, q_before, f_before;
} bend_elimination;

/* The coefficients k of an element. */
typedef struct hinge_row {
  lanes diagonal, near, far;
} hinge_row;

/* Those of an element whose own hinge and those before and after it have these factors. */
CLOTH_INLINE hinge_row hinge_row_of(float kappa, const lanes hinge[3]) {
  const lanes stiffness = lanes_splat(kappa);
  const lanes sum = lanes_add(lanes_add(hinge[0], hinge[2]), lanes_multiply(hinge[1], lanes_splat(4.0f)));
  const lanes near = lanes_multiply(lanes_add(hinge[1], hinge[2]), lanes_splat(-2.0f));
  const hinge_row k = {lanes_multiply(sum, stiffness), lanes_multiply(near, stiffness),
                       lanes_multiply(hinge[2], stiffness)};
  return k;
}

CLOTH_INLINE hinge_factors factor_element(bend_elimination *n, hinge_row k, lanes mobility) {
  const lanes carried = lanes_add(lanes_multiply(n->p, n->e), lanes_multiply(n->q_before, n->f_before));
  const lanes diagonal = lanes_maximum(lanes_subtract(k.diagonal, carried), lanes_splat(0.0f));
  hinge_factors b;
  b.g = lanes_divide(mobility, lanes_add(lanes_splat(1.0f), lanes_multiply(mobility, diagonal)));
  lanes e = lanes_subtract(k.near, lanes_multiply(n->f, n->p));
  b.p = lanes_multiply(e, b.g);
  b.q = lanes_multiply(k.far, b.g);
  n->q_before = n->q;
  n->f_before = n->f;
  n->e = e;
  n->f = k.far;
  n->p = b.p;
  n->q = b.q;
  return b;
}

/* The factors of an element in own.line_factors: of the elements one and two before it, and its own. */
enum { FACTOR_P_BEFORE, FACTOR_Q_BEFORE, FACTOR_G, FACTOR_P, FACTOR_Q };

/* What the factorisation of a line starts with. */
CLOTH_INLINE bend_elimination start_elimination(void) {
  const lanes zero = lanes_splat(0.0f);
  const bend_elimination n = {zero, zero, zero, zero, zero, zero};
  return n;
}

/* Writes the factors of element i of a uniform open line of `length` elements. */
CLOTH_INLINE void factor_uniform_element(float *factors, int32_t i, int32_t length, float kappa, bend_elimination *n) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes hinge[3];
  for (int32_t k = 0; k < 3; k++) {
    hinge[k] = i - 1 + k >= 1 && i - 1 + k <= length - 2 ? one : zero;
  }
  float *f = factors + BEND_FACTOR_FLOATS * i;
  f[FACTOR_P_BEFORE] = lanes_first_value(n->p);
  f[FACTOR_Q_BEFORE] = lanes_first_value(n->q_before);
  const hinge_factors b = factor_element(n, hinge_row_of(kappa, hinge), one);
  f[FACTOR_G] = lanes_first_value(b.g);
  f[FACTOR_P] = lanes_first_value(b.p);
  f[FACTOR_Q] = lanes_first_value(b.q);
}

/* The factors of uniform columns; those of rows follow them, then those of the twist between uniform columns. */
static float *bend_factors_of(const cloth *c, int32_t direction) {
  return floats_at(c, c->own.line_factors) + (direction == WARP ? BEND_FACTOR_FLOATS * c->grid.rows : 0);
}

static float *twist_factors_of(const cloth *c) {
  return bend_factors_of(c, WARP) + BEND_FACTOR_FLOATS * c->grid.columns;
}

/* Lines whose bending is solved. */
typedef struct bend_lines {
  line_bundle b;
  const cloth *c;
  const line_bundle *lines; /* the original of b, whose address may be taken */
  vector_array old;         /* positions at the start of the substep, laid out like b.x */
  float kappa, shift;
  int32_t has_equal_hinges; /* 1 if every hinge inside a line has the factor 1 */
  int32_t varies;           /* 1 with a stiffness map, or gaps; not used in builds without gaps */
  const float *uniform;     /* factors of uniform lines */
  float *work;              /* line_slot_blocks() blocks of lanes for each element */
} bend_lines;

/* Blocks of lanes of an element in line_work: half-solved displacements, factors p and q of lines that are not uniform,
   and on rings the displacements for unit displacements of the last but one and the last element. */
enum { BEND_X, BEND_Y, BEND_Z, BEND_P, BEND_Q, BEND_BY_FIRST, BEND_BY_LAST };

CLOTH_INLINE float *bend_slot(const bend_lines *l, int32_t element) {
  return l->work + element * (line_slot_blocks(&l->b) * CLOTH_LANES);
}

CLOTH_INLINE lanes3 bend_slot_load(const float *slot) {
  return lanes3_of(lanes_load(slot + BEND_X * CLOTH_LANES), lanes_load(slot + BEND_Y * CLOTH_LANES),
                   lanes_load(slot + BEND_Z * CLOTH_LANES));
}

CLOTH_INLINE void bend_slot_store(float *slot, lanes3 a) {
  lanes_store(slot + BEND_X * CLOTH_LANES, a.x);
  lanes_store(slot + BEND_Y * CLOTH_LANES, a.y);
  lanes_store(slot + BEND_Z * CLOTH_LANES, a.z);
}

/* An element of a ring, whose number may lie beyond its ends. */
CLOTH_INLINE int32_t wrapped_element(const bend_lines *l, int32_t element) {
  return element < 0 ? element + l->b.length : element >= l->b.length ? element - l->b.length : element;
}

/* x - s x_old of an element; around the ring on rings. */
CLOTH_INLINE lanes3 bend_value(const bend_lines *l, int32_t element) {
  if (WITH_WRAP && l->b.is_ring) {
    element = wrapped_element(l, element);
  }
  lanes3 x = lanes3_load(l->b.x, element * l->b.next);
  if (l->shift > 0.0f) {
    x = lanes3_subtract(x, lanes3_scale(lanes3_load(l->old, element * l->b.next), lanes_splat(l->shift)));
    x = lanes3_quantise(x, WORK_ROUNDER);
  }
  return x;
}

/* A window that moves along lines, at an element. */
typedef struct bend_window {
  lanes3 x, after; /* value of the element after, and difference to it */
  lanes3 hinge;    /* at the element after */
  lanes3 change;   /* of the hinges, from that at the element to that at the element after */
} bend_window;

/* 1 where an element of a line is a pin, else 0. */
CLOTH_INLINE lanes is_pin_lane(const bend_lines *l, int32_t element) {
  const lanes mobility = lanes_load(l->b.mobility + wrapped_element(l, element) * l->b.next);
  return lanes_drop(lanes_less(lanes_splat(0.0f), mobility), lanes_splat(1.0f));
}

/* Factor of the hinge at an element of a line: 0 at its ends, which have none; 2 at the border of a clamp, a pin with
   a pin on one side alone, as half of what the hinge stands for is held straight there. */
CLOTH_INLINE lanes hinge_factor(const bend_lines *l, int32_t element) {
  if (WITH_WRAP && l->b.is_ring) {
    element = wrapped_element(l, element);
  } else if (element < 1 || element > l->b.length - 2) {
    return lanes_splat(0.0f);
  }
  lanes factor = lanes_splat(1.0f);
  if (!l->has_equal_hinges) {
    const lanes one_side = lanes_absolute(lanes_subtract(is_pin_lane(l, element - 1), is_pin_lane(l, element + 1)));
    factor = lanes_add(factor, lanes_multiply(is_pin_lane(l, element), one_side));
  }
  const int32_t varies = WITH_GAPS ? l->varies : l->c->constant.stiffness_map != 0;
  return varies ? lanes_multiply(factor, line_hinges(l->c, l->lines, element)) : factor;
}

/* Moves a window on: from the element before to `element`. Returns the force on the element over kappa. */
CLOTH_INLINE lanes3 move_window(const bend_lines *l, int32_t element, bend_window *w) {
  const lanes3 hinge = w->hinge, change = w->change;
  w->hinge = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  if (element + 2 < l->b.length || (WITH_WRAP && l->b.is_ring)) {
    const lanes3 x = bend_value(l, element + 2);
    const lanes3 d = lanes3_subtract(x, w->x);
    w->hinge = lanes3_subtract(d, w->after);
    if (!l->has_equal_hinges) {
      if (l->c->constant.stiffness_map) {
        w->hinge = lanes3_quantise(w->hinge, WORK_ROUNDER);
      }
      w->hinge = lanes3_scale(w->hinge, hinge_factor(l, element + 1));
    }
    w->x = x;
    w->after = d;
  }
  w->change = lanes3_subtract(w->hinge, hinge);
  return lanes3_subtract(change, w->change);
}

/* The window before element 0. On open lines there are no hinges before element 1. */
CLOTH_INLINE bend_window start_window(const bend_lines *l) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  bend_window w = {none, none, none, none};
  if (WITH_WRAP && l->b.is_ring) {
    w.x = bend_value(l, -1);
    w.after = lanes3_subtract(w.x, bend_value(l, -2));
    (void)move_window(l, -2, &w);
    (void)move_window(l, -1, &w);
    return w;
  }
  w.x = bend_value(l, l->b.length > 1 ? 1 : 0);
  w.after = lanes3_subtract(w.x, bend_value(l, 0));
  return w;
}

/* Writes the forces of the hinges on the elements of open lines to their slots. */
CLOTH_INLINE void find_hinge_forces(const bend_lines *l) {
  const lanes kappa = lanes_splat(l->kappa);
  bend_window w = start_window(l);
  for (int32_t i = 0; i < l->b.length; i++) {
    bend_slot_store(bend_slot(l, i), lanes3_scale(move_window(l, i, &w), kappa));
  }
}

/* The coefficients of an element of an open line. `inside`: those between hinges of factor 1. */
CLOTH_INLINE hinge_row open_hinge_row(const bend_lines *l, int32_t i, hinge_row inside) {
  if (l->has_equal_hinges && i > 1 && i < l->b.length - 2) {
    return inside;
  }
  const lanes hinge[3] = {hinge_factor(l, i - 1), hinge_factor(l, i), hinge_factor(l, i + 1)};
  return hinge_row_of(l->kappa, hinge);
}

/* Forwards, from the forces in the slots. `uniform`, a constant, tells which factors serve. */
CLOTH_INLINE void eliminate_open_bend(const bend_lines *l, int uniform) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f), ones[3] = {one, one, one};
  const lanes3 none = lanes3_of(zero, zero, zero);
  const hinge_row inside = hinge_row_of(l->kappa, ones);
  bend_elimination n = start_elimination();
  lanes3 y = none, y_before = none;
  for (int32_t i = 0; i < l->b.length; i++) {
    float *slot = bend_slot(l, i);
    const float *f = l->uniform + BEND_FACTOR_FLOATS * i;
    lanes3 r = bend_slot_load(slot);
    lanes g;
    if (uniform) {
      r = lanes3_subtract(r, lanes3_scale(y, lanes_splat(f[FACTOR_P_BEFORE])));
      r = lanes3_subtract(r, lanes3_scale(y_before, lanes_splat(f[FACTOR_Q_BEFORE])));
      g = lanes_splat(f[FACTOR_G]);
    } else {
      r = lanes3_subtract(r, lanes3_scale(y, n.p));
      r = lanes3_subtract(r, lanes3_scale(y_before, n.q_before));
      const lanes mobility = lanes_load(l->b.mobility + i * l->b.next);
      const hinge_factors b = factor_element(&n, open_hinge_row(l, i, inside), mobility);
      lanes_store(slot + BEND_P * CLOTH_LANES, b.p);
      lanes_store(slot + BEND_Q * CLOTH_LANES, b.q);
      g = b.g;
    }
    y_before = y;
    y = lanes3_quantise(r, WORK_ROUNDER);
    bend_slot_store(slot, lanes3_scale(y, g));
  }
}

/* Backwards, which moves the particles of `count` lines. `sums`, a constant: as in line_move(). */
CLOTH_INLINE void substitute_open_bend(const bend_lines *l, int uniform, int sums, int32_t count) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  const vector_array sum = sums_of_bundle(&l->b);
  lanes3 z = none, z_after = none;
  for (int32_t i = l->b.length - 1; i >= 0; i--) {
    const float *slot = bend_slot(l, i);
    const float *f = l->uniform + BEND_FACTOR_FLOATS * i;
    const lanes p = uniform ? lanes_splat(f[FACTOR_P]) : lanes_load(slot + BEND_P * CLOTH_LANES);
    const lanes q = uniform ? lanes_splat(f[FACTOR_Q]) : lanes_load(slot + BEND_Q * CLOTH_LANES);
    lanes3 r = lanes3_subtract(bend_slot_load(slot), lanes3_scale(z, p));
    r = lanes3_quantise(lanes3_subtract(r, lanes3_scale(z_after, q)), WORK_ROUNDER);
    z_after = z;
    z = r;
    add_to_block(l->b.x, i * l->b.next, count, z);
    if (sums) {
      add_to_block(sum, i * l->b.next, count, z);
    }
  }
}

/* Open lines. The forces come first, in a loop of their own: what they and the elimination carry along the line does
   not fit into 16 registers together. */
CLOTH_INLINE void solve_open_bend(const bend_lines *l, int uniform) {
  find_hinge_forces(l);
  eliminate_open_bend(l, uniform);
  if (l->b.count < CLOTH_LANES || l->b.sums) {
    substitute_open_bend(l, uniform, l->b.sums != 0, l->b.count);
  } else {
    substitute_open_bend(l, uniform, 0, CLOTH_LANES);
  }
}

CLOTH_SEPARATE void solve_uniform_bend(const bend_lines *l) {
  bend_lines copy = *l;
  copy.b.is_ring = 0;
  copy.has_equal_hinges = 1;
  solve_open_bend(&copy, 1);
}

/* Where pins or masses differ along a line. */
CLOTH_SEPARATE void solve_varied_bend(const bend_lines *l) {
  bend_lines copy = *l;
  copy.b.is_ring = 0;
  copy.has_equal_hinges = 1;
  solve_open_bend(&copy, 0);
}

/* Where hinges do, too. */
CLOTH_SEPARATE void solve_general_bend(const bend_lines *l) {
  bend_lines copy = *l;
  copy.b.is_ring = 0;
  copy.has_equal_hinges = 0;
  solve_open_bend(&copy, 0);
}

#if WITH_WRAP

/* A ring without its last two elements is an open line; these two are eliminated last. Their coupling to an element of
   the open line, as columns of the matrix. */
typedef struct ring_border {
  lanes to_last_but_one, to_last;
} ring_border;

/* kappa (s_i + s_{i+1}) (-2), the coupling of elements i and i + 1; kappa s_{i+1}, that of elements i and i + 2. */
CLOTH_INLINE lanes near_coupling(const bend_lines *l, int32_t i) {
  return lanes_multiply(lanes_add(hinge_factor(l, i), hinge_factor(l, i + 1)), lanes_splat(-2.0f * l->kappa));
}

CLOTH_INLINE lanes far_coupling(const bend_lines *l, int32_t i) {
  return lanes_multiply(hinge_factor(l, i + 1), lanes_splat(l->kappa));
}

CLOTH_SEPARATE ring_border ring_border_of(const bend_lines *l, int32_t i) {
  const int32_t n = l->b.length;
  ring_border b = {lanes_splat(0.0f), lanes_splat(0.0f)};
  if (i == n - 3) {
    b.to_last_but_one = lanes_add(b.to_last_but_one, near_coupling(l, n - 3));
    b.to_last = lanes_add(b.to_last, far_coupling(l, n - 3));
  }
  if (i == n - 4) {
    b.to_last_but_one = lanes_add(b.to_last_but_one, far_coupling(l, n - 4));
  }
  if (i == 0) {
    b.to_last_but_one = lanes_add(b.to_last_but_one, far_coupling(l, n - 2));
    b.to_last = lanes_add(b.to_last, near_coupling(l, n - 1));
  }
  if (i == 1) {
    b.to_last = lanes_add(b.to_last, far_coupling(l, n - 1));
  }
  return b;
}

/* Solves the open line for its own right side and for both columns of the border, forwards. */
CLOTH_INLINE void eliminate_ring(const bend_lines *l) {
  const int32_t last = l->b.length - 3;
  const lanes zero = lanes_splat(0.0f), kappa = lanes_splat(l->kappa);
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  bend_elimination n = start_elimination();
  lanes3 y = none, y_before = none;
  ring_border u = {zero, zero}, u_before = u;
  bend_window w = start_window(l);
  for (int32_t i = 0; i <= last; i++) {
    const lanes hinge[3] = {hinge_factor(l, i - 1), hinge_factor(l, i), hinge_factor(l, i + 1)};
    const lanes p = n.p, q = n.q_before;
    lanes3 r = lanes3_subtract(lanes3_scale(move_window(l, i, &w), kappa), lanes3_scale(y, p));
    r = lanes3_subtract(r, lanes3_scale(y_before, q));
    ring_border v = ring_border_of(l, i);
    v.to_last_but_one = lanes_subtract(v.to_last_but_one, lanes_multiply(u.to_last_but_one, p));
    v.to_last_but_one = lanes_subtract(v.to_last_but_one, lanes_multiply(u_before.to_last_but_one, q));
    v.to_last = lanes_subtract(v.to_last, lanes_multiply(u.to_last, p));
    v.to_last = lanes_subtract(v.to_last, lanes_multiply(u_before.to_last, q));
    hinge_factors f = factor_element(&n, hinge_row_of(l->kappa, hinge), lanes_load(l->b.mobility + i * l->b.next));
    y_before = y;
    y = lanes3_quantise(r, WORK_ROUNDER);
    u_before = u;
    u.to_last_but_one = lanes_quantise(v.to_last_but_one, WORK_ROUNDER);
    u.to_last = lanes_quantise(v.to_last, WORK_ROUNDER);
    float *slot = bend_slot(l, i);
    lanes_store(slot + BEND_P * CLOTH_LANES, lanes_keep(lanes_first(i < last ? CLOTH_LANES : 0), f.p));
    lanes_store(slot + BEND_Q * CLOTH_LANES, lanes_keep(lanes_first(i < last - 1 ? CLOTH_LANES : 0), f.q));
    lanes_store(slot + BEND_BY_FIRST * CLOTH_LANES, lanes_multiply(u.to_last_but_one, f.g));
    lanes_store(slot + BEND_BY_LAST * CLOTH_LANES, lanes_multiply(u.to_last, f.g));
    bend_slot_store(slot, lanes3_scale(y, f.g));
  }
  for (int32_t i = last + 1; i < last + 3; i++) {
    bend_slot_store(bend_slot(l, i), lanes3_scale(move_window(l, i, &w), kappa));
  }
}

/* Backwards: the open line's displacements while the border rests, and those for unit displacements of the border. */
CLOTH_INLINE void substitute_ring(const bend_lines *l) {
  const lanes zero = lanes_splat(0.0f);
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  lanes3 z = none, z_after = none;
  ring_border u = {zero, zero}, u_after = u;
  for (int32_t i = l->b.length - 3; i >= 0; i--) {
    float *slot = bend_slot(l, i);
    const lanes p = lanes_load(slot + BEND_P * CLOTH_LANES), q = lanes_load(slot + BEND_Q * CLOTH_LANES);
    lanes3 r = lanes3_subtract(bend_slot_load(slot), lanes3_scale(z, p));
    r = lanes3_quantise(lanes3_subtract(r, lanes3_scale(z_after, q)), WORK_ROUNDER);
    z_after = z;
    z = r;
    bend_slot_store(slot, z);
    ring_border v = {lanes_load(slot + BEND_BY_FIRST * CLOTH_LANES), lanes_load(slot + BEND_BY_LAST * CLOTH_LANES)};
    v.to_last_but_one = lanes_subtract(v.to_last_but_one, lanes_multiply(u.to_last_but_one, p));
    v.to_last_but_one = lanes_subtract(v.to_last_but_one, lanes_multiply(u_after.to_last_but_one, q));
    v.to_last = lanes_subtract(v.to_last, lanes_multiply(u.to_last, p));
    v.to_last = lanes_subtract(v.to_last, lanes_multiply(u_after.to_last, q));
    u_after = u;
    u.to_last_but_one = lanes_quantise(v.to_last_but_one, WORK_ROUNDER);
    u.to_last = lanes_quantise(v.to_last, WORK_ROUNDER);
    lanes_store(slot + BEND_BY_FIRST * CLOTH_LANES, u.to_last_but_one);
    lanes_store(slot + BEND_BY_LAST * CLOTH_LANES, u.to_last);
  }
}

/* The matrix of the border, with the open line eliminated, and its right sides. */
typedef struct ring_system {
  lanes first, mixed, last; /* of the last but one element, of both, of the last element */
  lanes3 right_first, right_last;
} ring_system;

CLOTH_INLINE void subtract_element(const bend_lines *l, int32_t element, ring_system *s) {
  const ring_border u = ring_border_of(l, element);
  const float *slot = bend_slot(l, element);
  const lanes by_first = lanes_load(slot + BEND_BY_FIRST * CLOTH_LANES),
              by_last = lanes_load(slot + BEND_BY_LAST * CLOTH_LANES);
  const lanes3 x = bend_slot_load(slot);
  s->first = lanes_subtract(s->first, lanes_multiply(u.to_last_but_one, by_first));
  s->mixed = lanes_subtract(s->mixed, lanes_multiply(u.to_last_but_one, by_last));
  s->last = lanes_subtract(s->last, lanes_multiply(u.to_last, by_last));
  s->right_first = lanes3_subtract(s->right_first, lanes3_scale(x, u.to_last_but_one));
  s->right_last = lanes3_subtract(s->right_last, lanes3_scale(x, u.to_last));
}

CLOTH_INLINE lanes ring_diagonal(const bend_lines *l, int32_t element) {
  lanes sum = lanes_add(hinge_factor(l, element - 1), hinge_factor(l, element + 1));
  sum = lanes_add(sum, lanes_multiply(hinge_factor(l, element), lanes_splat(4.0f)));
  return lanes_multiply(sum, lanes_splat(l->kappa));
}

CLOTH_INLINE void move_by(const bend_lines *l, int32_t element, lanes3 displacement) {
  move_block(l->b.x, sums_of_bundle(&l->b), element * l->b.next, l->b.count, displacement);
}

/* Displacements of the last two elements of a ring, by Cramer's rule, stored in their slots. */
CLOTH_INLINE void solve_ring_border(const bend_lines *l) {
  const int32_t n = l->b.length, next = l->b.next;
  const lanes one = lanes_splat(1.0f), zero = lanes_splat(0.0f);
  ring_system s = {.first = ring_diagonal(l, n - 2),
                   .mixed = near_coupling(l, n - 2),
                   .last = ring_diagonal(l, n - 1),
                   .right_first = bend_slot_load(bend_slot(l, n - 2)),
                   .right_last = bend_slot_load(bend_slot(l, n - 1))};
  subtract_element(l, 0, &s);
  subtract_element(l, 1, &s);
  if (n - 4 > 1) {
    subtract_element(l, n - 4, &s);
  }
  subtract_element(l, n - 3, &s);
  const lanes w = lanes_load(l->b.mobility + (n - 2) * next), v = lanes_load(l->b.mobility + (n - 1) * next);
  const lanes first = lanes_add(one, lanes_multiply(w, lanes_maximum(s.first, zero)));
  const lanes last = lanes_add(one, lanes_multiply(v, lanes_maximum(s.last, zero)));
  const lanes mixed = lanes_quantise(s.mixed, WORK_ROUNDER);
  const lanes across_first = lanes_multiply(w, mixed), across_last = lanes_multiply(v, mixed);
  lanes determinant = lanes_subtract(lanes_multiply(first, last), lanes_multiply(across_first, across_last));
  const lanes inverse = lanes_divide(one, lanes_maximum(determinant, one));
  const lanes3 a = lanes3_scale(lanes3_quantise(s.right_first, WORK_ROUNDER), w);
  const lanes3 b = lanes3_scale(lanes3_quantise(s.right_last, WORK_ROUNDER), v);
  const lanes3 x = lanes3_subtract(lanes3_scale(a, last), lanes3_scale(b, across_first));
  const lanes3 y = lanes3_subtract(lanes3_scale(b, first), lanes3_scale(a, across_last));
  bend_slot_store(bend_slot(l, n - 2), lanes3_quantise(lanes3_scale(x, inverse), WORK_ROUNDER));
  bend_slot_store(bend_slot(l, n - 1), lanes3_quantise(lanes3_scale(y, inverse), WORK_ROUNDER));
}

CLOTH_SEPARATE void solve_ring_bend(const bend_lines *l) {
  const int32_t length = l->b.length;
  eliminate_ring(l);
  substitute_ring(l);
  solve_ring_border(l);
  const lanes3 first = bend_slot_load(bend_slot(l, length - 2)), last = bend_slot_load(bend_slot(l, length - 1));
  move_by(l, length - 2, first);
  move_by(l, length - 1, last);
  for (int32_t i = 0; i < length - 2; i++) {
    const float *slot = bend_slot(l, i);
    lanes3 x = lanes3_scale(first, lanes_load(slot + BEND_BY_FIRST * CLOTH_LANES));
    x = lanes3_subtract(bend_slot_load(slot), x);
    x = lanes3_subtract(x, lanes3_scale(last, lanes_load(slot + BEND_BY_LAST * CLOTH_LANES)));
    move_by(l, i, lanes3_quantise(x, WORK_ROUNDER));
  }
}

#endif

static bend_lines bend_lines_of(const cloth *c, const step_plan *plan, int32_t direction, const line_bundle *b,
                                vector_array old) {
  const bend_lines l = {.b = *b,
                        .c = c,
                        .lines = b,
                        .old = old,
                        .kappa = plan->bend.stiffness[direction],
                        .shift = plan->bend.shift,
                        .has_equal_hinges = plan->bend.has_equal_hinges,
                        .varies = WITH_GAPS && (c->constant.stiffness_map || has_gaps(c)),
                        .uniform = bend_factors_of(c, direction),
                        .work = b->piece->work};
  return l;
}

/* Solves the hinges of a bundle of rows or columns. `old`: positions at the start of the substep, laid out like b->x.
 */
CLOTH_HOT CLOTH_SEPARATE void solve_bend(const cloth *c, const step_plan *plan, int32_t direction, const line_bundle *b,
                                         vector_array old) {
  const bend_lines l = bend_lines_of(c, plan, direction, b, old);
#if WITH_WRAP
  if (b->is_ring) {
    solve_ring_bend(&l);
    return;
  }
#endif
  if (b->flags & LINES_UNIFORM) {
    solve_uniform_bend(&l);
  } else if (l.has_equal_hinges) {
    solve_varied_bend(&l);
  } else {
    solve_general_bend(&l);
  }
}
