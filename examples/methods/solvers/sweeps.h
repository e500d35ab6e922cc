#pragma once
#include "../equation.h"

/// Sweeps ///

/*
 * Gauss-Seidel over the elements, one after the other, with compliance (Macklin, Mueller and Chentanez 2016): from
 * y = a + tau s each element moves its own particles by what its multiplier lacks. Multipliers start at 0 in every
 * substep. With a stiffness k and damping c over the reference mass, a spring's multiplier is to be
 * -(tau^2 k C + tau c u . (d - d_a)), with C its elongation and d_a its vector at the positions a. It exists for
 * springs and for linear laws.
 *
 * FIELD_SOLUTION sums up how far the elements have moved each particle [m], and the velocities follow from that. The
 * moved positions would give them, too, but with the roundings of all moves, of up to half a unit in the last place of
 * a coordinate, over tau: a sheet of 9 x 12 that flies with 5 m/s was 3 mm/s off after a second of 28 substeps a step.
 *
 * Packed: the multiplier, one float of springs, three of linear laws.
 */

#define MULTIPLIERS 3

/* An element that is projected. */
typedef struct swept_element {
  const method_work *w;
  const element_family *f;
  int32_t node[NODE_LIMIT]; /* its particles */
  float *multiplier;        /* the first one */
  float scale;              /* factor of its stiffness */
} swept_element;

static cloth_vector node_place(const swept_element *e, int32_t field_number, int32_t node) {
  return vector_load(field(e->w, field_number), e->node[node]);
}

/* Moves a particle by a multiple of a vector. */
static void shift_particle(const method_work *w, int32_t i, cloth_vector along, float by) {
  const vector_array place = field(w, FIELD_PLACE), sum = field(w, FIELD_SOLUTION);
  vector_store(place, i, vector_flush(vector_add_scaled(vector_load(place, i), along, by), STATE_QUANTUM));
  vector_store(sum, i, rounded_to_work(vector_add_scaled(vector_load(sum, i), along, by)));
}

static void move_node(const swept_element *e, int32_t node, cloth_vector by, float share) {
  const int32_t i = e->node[node];
  shift_particle(e->w, i, by, share * e->w->mobility[i]);
}

/* Change of a multiplier so that it becomes -(value / compliance): value is the stiffness-weighted elongation over the
   whole stiffness. */
static float multiplier_change(float value, float compliance, float multiplier, float mobility) {
  return flush_small((negate(value) - compliance * multiplier) / (mobility + compliance), WORK_QUANTUM);
}

static void project_spring(const swept_element *e) {
  const method_law *l = &e->f->law;
  const cloth_vector d = vector_subtract(node_place(e, FIELD_PLACE, 1), node_place(e, FIELD_PLACE, 0));
  const cloth_vector start = vector_subtract(node_place(e, FIELD_BASE, 1), node_place(e, FIELD_BASE, 0));
  const float length = maximum(vector_length(d), 1.0e-6f), elongation = length - l->rest;
  const cloth_vector u = vector_flush(vector_scale(d, 1.0f / length), STATE_QUANTUM);
  const float mobility = e->w->mobility[e->node[0]] + e->w->mobility[e->node[1]];
  const float share = e->scale * (elongation > 0.0f ? 1.0f : l->compression);
  const float elastic = l->tau * l->tau * l->stiffness * share, viscous = l->tau * l->damping * share;
  float change = negate(*e->multiplier);
  if (!(mobility > 0.0f)) { return; }
  if (elastic + viscous > WORK_QUANTUM) {
    const float moved = vector_dot(u, vector_flush_work(vector_subtract(d, start)));
    const float value = (elastic * elongation + viscous * moved) / (elastic + viscous);
    change = multiplier_change(flush_small(value, WORK_QUANTUM), 1.0f / (elastic + viscous), *e->multiplier, mobility);
  }
  *e->multiplier += change;
  move_node(e, 0, u, negate(change));
  move_node(e, 1, u, change);
}

/* Weighted sum of the edges of a linear element in a field. */
static cloth_vector linear_value(const swept_element *e, int32_t field_number) {
  const cloth_vector first = node_place(e, field_number, 0);
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  for (int32_t n = 1; n <= e->f->law.edges; n++) {
    const cloth_vector edge = vector_subtract(node_place(e, field_number, n), first);
    sum = vector_add_scaled(sum, edge, e->f->law.coefficient[n - 1]);
  }
  return sum;
}

static void project_linear(const swept_element *e) {
  const method_law *l = &e->f->law;
  const float elastic = l->tau * l->tau * l->stiffness, viscous = elastic * l->damping / l->tau;
  const float inverse = 1.0f / maximum(elastic + viscous, WORK_QUANTUM);
  const cloth_vector now = linear_value(e, FIELD_PLACE);
  const cloth_vector moved = vector_subtract(now, linear_value(e, FIELD_BASE));
  const cloth_vector value =
      vector_add(vector_scale(now, elastic * inverse), vector_scale(vector_flush_work(moved), viscous * inverse));
  float weights[NODE_LIMIT] = {0.0f}, mobility = 0.0f;
  for (int32_t n = 1; n <= l->edges; n++) {
    weights[n] = l->coefficient[n - 1];
    weights[0] -= weights[n];
  }
  for (int32_t n = 0; n <= l->edges; n++) {
    mobility += weights[n] * weights[n] * e->w->mobility[e->node[n]];
  }
  float *m = e->multiplier;
  const int32_t stride = packed_stride(e->f);
  const cloth_vector change = vector(multiplier_change(value.x, inverse, m[0], mobility),
                                     multiplier_change(value.y, inverse, m[stride], mobility),
                                     multiplier_change(value.z, inverse, m[2 * stride], mobility));
  m[0] += change.x;
  m[stride] += change.y;
  m[2 * stride] += change.z;
  for (int32_t n = 0; n <= l->edges; n++) {
    move_node(e, n, change, weights[n]);
  }
}

static void sweep_family(const method_work *w, element_family *f) {
  element_row r = {w, f, 0, NULL};
  swept_element e = {.w = w, .f = f};
  for (r.row = 0; r.row < f->rows; r.row++) {
    for (int32_t column = 0; column < f->columns; column++) {
      for (int32_t n = 0; n <= f->law.edges; n++) {
        e.node[n] = (r.row + f->row[n]) * w->c->grid.columns + column + f->column[n];
      }
      e.multiplier = packed_at(&r, column);
      e.scale = lanes_first_value(element_scale(&r, column, 1));
      if (f->law.kind == LAW_SPRING) {
        project_spring(&e);
      } else {
        project_linear(&e);
      }
    }
  }
}

static void clear_multipliers(const method_work *w, const element_family *f) {
  fill_zero(w->floats + f->packed, (size_t)(f->law.packed * packed_stride(f)) * sizeof(float));
}

/* Sweeps over the pairs that repel each other: springs that only push. */
static void sweep_pairs(const method_work *w) {
  const pair_list list = pairs_of(w);
  const float stiffness = w->tau * w->tau * over_mass(w, direction_stiffness(w->c, WARP));
  const float compliance = 1.0f / maximum(stiffness, WORK_QUANTUM);
  for (int32_t n = 0; n < list.count; n++) {
    close_pair *p = &list.pairs[n];
    const vector_array y = field(w, FIELD_PLACE);
    const cloth_vector d = vector_flush_work(vector_subtract(vector_load(y, p->j), vector_load(y, p->i)));
    const float length = vector_length(d), mobility = w->mobility[p->i] + w->mobility[p->j];
    const cloth_vector u = vector_flush(vector_scale(d, 1.0f / maximum(length, 1.0e-6f)), STATE_QUANTUM);
    const float wanted = multiplier_change(length - list.distance, compliance, p->multiplier, mobility);
    const float multiplier = maximum(p->multiplier + wanted, 0.0f), change = multiplier - p->multiplier;
    p->multiplier = multiplier;
    shift_particle(w, p->i, u, negate(change * w->mobility[p->i]));
    shift_particle(w, p->j, u, change * w->mobility[p->j]);
  }
}

static void solve_by_sweeps(method_work *w) {
  copy_field(w, field(w, FIELD_TARGET), field(w, FIELD_RATE));
  find_places(w);
  fill_vectors(w->c, field(w, FIELD_SOLUTION), 0.0f);
  for (int32_t n = 0; n < w->family_count; n++) {
    clear_multipliers(w, &w->family[n]);
  }
  for (int32_t sweep = 0; sweep < w->method->iterations; sweep++) {
    for (int32_t n = 0; n < w->family_count; n++) {
      if (w->family[n].is_implicit) { sweep_family(w, &w->family[n]); }
    }
    sweep_pairs(w);
  }
  add_scaled(w, FIELD_TARGET, FIELD_SOLUTION, 1.0f / w->tau, FIELD_RATE);
  w->report->iterations += w->method->iterations;
}
