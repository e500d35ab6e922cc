#pragma once
#include "methods.h"

/// Coupled rows ///

/*
 * Constraints, bending, contact and friction as rows of one system (the isometric model's equations 3.24 to 3.30): each
 * row has a value C of up to six points, gradients, a compliance D and a multiplier. With x' the places without rows
 * the places wanted are
 *
 *     x = x' - M^-1 J^T lambda    with    C(x) = D lambda,
 *
 * lambda at most 0 where a row only pushes (contact), and bounded by friction times the row before it where a row is
 * friction. Fast projection: from x' and lambda = 0 a few times, with the rows linear at the present places,
 *
 *     (J M^-1 J^T + D) d = C(x) - D lambda,    lambda += d,    x -= M^-1 J^T d,
 *
 * by conjugate gradients with Jacobi's preconditioner. Rows that would pull are left out, and the system is solved
 * again; rows that are left out and would be violated come back.
 */

#define ROW_POINTS 6

typedef enum constraint_kind {
  ROW_EQUAL,   /* C = D lambda */
  ROW_PUSH,    /* the same where it pushes, else lambda = 0 */
  ROW_FRICTION /* C = D lambda within friction times the multiplier of `pusher` */
} constraint_kind;

typedef struct coupled_row {
  int32_t kind, points;
  int32_t node[ROW_POINTS];
  cloth_vector gradient[ROW_POINTS];
  float value;      /* C at the present places [m] */
  float compliance; /* D, in the unit of the mobilities */
  float multiplier; /* lambda */
  float target;     /* what lambda is to be where the row is left out */
  float friction;   /* ROW_FRICTION: coefficient */
  int32_t pusher;   /* ROW_FRICTION: the row that it belongs to */
  int32_t is_off;   /* 1: left out in this iteration */
  /* of conjugate gradients */
  float change, rest, direction, product, inverse;
} coupled_row;

/* Rows with the points that they move, and a vector per point for products. */
typedef struct row_system {
  coupled_row *rows;
  int32_t count, points;
  int32_t rounds; /* most solves of an iteration with other rows; 0: ROW_ROUNDS */
  vector_array x, work;
  const float *mobility;
} row_system;

/* work = M^-1 J^T p, with p the directions, or the changes of the multipliers. */
static void spread_rows(const row_system *s, int of_changes) {
  for (int32_t i = 0; i < s->points; i++) {
    vector_store(s->work, i, vector(0.0f, 0.0f, 0.0f));
  }
  for (int32_t n = 0; n < s->count; n++) {
    const coupled_row *r = &s->rows[n];
    const float share = of_changes ? r->change : r->direction;
    for (int32_t k = 0; (of_changes || !r->is_off) && k < r->points; k++) {
      const cloth_vector before = vector_load(s->work, r->node[k]);
      const float factor = flush_small(share * s->mobility[r->node[k]], WORK_QUANTUM);
      vector_store(s->work, r->node[k], vector_add_scaled(before, r->gradient[k], factor));
    }
  }
}

/* J work */
static float row_product(const row_system *s, const coupled_row *r) {
  float sum = 0.0f;
  for (int32_t k = 0; k < r->points; k++) {
    sum += vector_dot(r->gradient[k], vector_load(s->work, r->node[k]));
  }
  return sum;
}

/* product = (J M^-1 J^T + D) direction. Returns direction . product. */
static float apply_rows(const row_system *s) {
  float sum = 0.0f;
  spread_rows(s, 0);
  for (int32_t n = 0; n < s->count; n++) {
    coupled_row *r = &s->rows[n];
    const float product = r->compliance * r->direction + row_product(s, r);
    r->product = r->is_off ? 0.0f : flush_small(product, WORK_QUANTUM);
    sum += r->direction * r->product;
  }
  return sum;
}

/* Sets up right side, preconditioner and first direction. Returns rest . preconditioned rest. */
static float start_rows(const row_system *s) {
  float sum = 0.0f;
  for (int32_t n = 0; n < s->count; n++) {
    s->rows[n].change = s->rows[n].is_off ? s->rows[n].target - s->rows[n].multiplier : 0.0f;
  }
  spread_rows(s, 1);
  for (int32_t n = 0; n < s->count; n++) {
    coupled_row *r = &s->rows[n];
    float diagonal = r->compliance;
    for (int32_t k = 0; k < r->points; k++) {
      diagonal += s->mobility[r->node[k]] * vector_dot(r->gradient[k], r->gradient[k]);
    }
    r->is_off |= !(diagonal > 1.0e-9f);
    r->inverse = r->is_off ? 0.0f : 1.0f / diagonal;
    r->rest = r->value - r->compliance * r->multiplier - row_product(s, r);
    r->rest = r->is_off ? 0.0f : flush_small(r->rest, WORK_QUANTUM);
    r->direction = flush_small(r->inverse * r->rest, WORK_QUANTUM);
    sum += r->rest * r->direction;
  }
  return sum;
}

/* A solve ends when rest . preconditioned rest is below this times the rows: about (1e-9 m)^2 for each, as places are
   multiples of 2^-30 m. Below it rounding begins; directions are no longer conjugate there, and the product grows
   again. */
#define SOLVED_PER_ROW 1.0e-18f

/* Solves for the changes of the multipliers. Returns the iterations. */
static int32_t solve_rows_by_gradients(const row_system *s, int32_t iterations, float tolerance) {
  float product = start_rows(s);
  const float goal = maximum(product * tolerance * tolerance, SOLVED_PER_ROW * (float)s->count);
  int32_t n = 0;
  for (; n < iterations && product > goal; n++) {
    const float curvature = apply_rows(s);
    if (!(curvature > LEAST_PRODUCT)) { break; }
    const float step = product / curvature;
    float next = 0.0f;
    for (int32_t k = 0; k < s->count; k++) {
      coupled_row *r = &s->rows[k];
      r->change += flush_small(step * r->direction, WORK_QUANTUM);
      r->rest = flush_small(r->rest - step * r->product, WORK_QUANTUM);
      next += r->rest * flush_small(r->inverse * r->rest, WORK_QUANTUM);
    }
    const float ratio = flush_small(next / product, WORK_QUANTUM);
    for (int32_t k = 0; k < s->count; k++) {
      coupled_row *r = &s->rows[k];
      r->direction = flush_small(r->inverse * r->rest + ratio * r->direction, WORK_QUANTUM);
    }
    product = next;
  }
  return n;
}

/* Leaves out a row of friction that holds more than it can, or whose contact does not push: its multiplier is then the
   bound, or 0. Returns whether it has changed. */
static int bound_friction(const row_system *s, coupled_row *r) {
  const coupled_row *p = &s->rows[r->pusher];
  const float most = p->is_off ? 0.0f : r->friction * maximum(negate(p->multiplier + p->change), 0.0f);
  const float wanted = r->is_off ? r->target : r->multiplier + r->change;
  const int slips = r->is_off || p->is_off || absolute(wanted) > most;
  const int changed = slips && !r->is_off;
  r->target = wanted < 0.0f ? negate(most) : most;
  r->is_off = slips;
  return changed;
}

/* Leaves out rows that pull or slip, and takes back rows that would be violated: work holds J's part of the solution.
   Returns how many rows have changed. */
static int32_t change_active_rows(const row_system *s) {
  int32_t changed = 0;
  spread_rows(s, 1);
  for (int32_t n = 0; n < s->count; n++) {
    coupled_row *r = &s->rows[n];
    if (r->kind == ROW_PUSH) {
      const float left = r->value - row_product(s, r);
      const int is_off = r->is_off ? !(left < -1.0e-6f) : r->multiplier + r->change > 0.0f;
      changed += is_off != r->is_off;
      r->is_off = is_off;
    } else if (r->kind == ROW_FRICTION) {
      changed += bound_friction(s, r);
    }
  }
  return changed;
}

/* Solves of an iteration until rows that pull, slip or come back have been told from the others: more are not met. */
#define ROW_ROUNDS 8

/* One iteration, with values and gradients at the present places, of at most `iterations` of conjugate gradients each
   round. Returns the iterations of all rounds. */
static int32_t project_rows(const row_system *s, int32_t iterations, float tolerance) {
  const int32_t rounds = s->rounds > 0 ? s->rounds : ROW_ROUNDS;
  int32_t done = 0;
  for (int32_t n = 0; n < s->count; n++) {
    coupled_row *r = &s->rows[n];
    const coupled_row *p = r->kind == ROW_FRICTION ? &s->rows[r->pusher] : r;
    r->is_off = r->kind != ROW_EQUAL && !(p->value < 0.0f) && !(p->multiplier < 0.0f);
    r->target = 0.0f;
  }
  for (int32_t round = 0; round < rounds; round++) {
    done += solve_rows_by_gradients(s, iterations, tolerance);
    if (change_active_rows(s) == 0) { break; }
  }
  spread_rows(s, 1);
  for (int32_t n = 0; n < s->count; n++) {
    s->rows[n].multiplier += s->rows[n].change;
  }
  for (int32_t i = 0; i < s->points; i++) {
    const cloth_vector moved = vector_subtract(vector_load(s->x, i), vector_load(s->work, i));
    vector_store(s->x, i, vector_flush(moved, STATE_QUANTUM));
  }
  return done;
}

/* Before the first iteration of a step. */
static void clear_rows(const row_system *s) {
  for (int32_t n = 0; n < s->count; n++) {
    s->rows[n].multiplier = 0.0f;
  }
}

/// Rows that several models have ///

/* Adds a row of a kind at one point after the others. Returns it. */
static coupled_row *add_row(row_system *s, constraint_kind kind, float compliance) {
  coupled_row *r = &s->rows[s->count++];
  fill_zero(r, sizeof *r);
  r->kind = (int32_t)kind;
  r->compliance = compliance;
  return r;
}

static void add_row_point(coupled_row *r, int32_t node, cloth_vector gradient) {
  r->node[r->points] = node;
  r->gradient[r->points++] = gradient;
}

/* Value and gradients of the distance between a row's two points: (|e|^2 - d^2) / 2d, which needs no root. */
static void evaluate_distance(const row_system *s, coupled_row *r, float rest) {
  const cloth_vector e = vector_subtract(vector_load(s->x, r->node[0]), vector_load(s->x, r->node[1]));
  r->value = (vector_dot(e, e) - rest * rest) / (2.0f * rest);
  r->gradient[0] = vector_flush(vector_scale(e, 1.0f / rest), STATE_QUANTUM);
  r->gradient[1] = vector_scale(r->gradient[0], -1.0f);
}

/* A ball that turns about the vertical axis through its centre. */
typedef struct row_ball {
  cloth_vector centre;
  float radius, friction;
  float turn; /* [rad] about y in the substep */
} row_ball;

/* Value and gradient of a point's height over the ball, and of its slip in two directions if the row after it is
   friction. `start`: where the point was when the substep began. */
static void evaluate_contact(const row_system *s, coupled_row *r, const row_ball *ball, cloth_vector start) {
  const cloth_vector from = vector_subtract(vector_load(s->x, r->node[0]), ball->centre);
  const float distance = maximum(vector_length(from), 1.0e-4f);
  const cloth_vector normal = vector_flush(vector_scale(from, 1.0f / distance), STATE_QUANTUM);
  r->value = distance - ball->radius;
  r->gradient[0] = normal;
  if (r + 1 < s->rows + s->count && r[1].kind == ROW_FRICTION) {
    const cloth_vector arm = vector_subtract(start, ball->centre);
    const cloth_vector carried = vector(arm.z * ball->turn, 0.0f, negate(arm.x * ball->turn));
    const cloth_vector slip = vector_subtract(vector_subtract(vector_load(s->x, r->node[0]), start), carried);
    const cloth_vector other = absolute(normal.y) < 0.9f ? vector(0.0f, 1.0f, 0.0f) : vector(1.0f, 0.0f, 0.0f);
    const cloth_vector first = vector_flush(unit_or_zero(vector_cross(normal, other)), STATE_QUANTUM);
    const cloth_vector second = vector_flush(vector_cross(normal, first), STATE_QUANTUM);
    r[1].gradient[0] = first;
    r[1].value = flush_small(vector_dot(first, slip), WORK_QUANTUM);
    r[2].gradient[0] = second;
    r[2].value = flush_small(vector_dot(second, slip), WORK_QUANTUM);
  }
}
