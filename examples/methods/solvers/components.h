#pragma once
#include "gradients.h"

/// Solving by component ///

/*
 * Thesis chapter 6: particles that no active implicit element joins can be solved for apart. Here one conjugate
 * gradient runs over the grid with scalars of its own for each component, which gives exactly the iterates of separate
 * solves; components that have converged are skipped. Components are found by union of the particles of every element
 * whose tangent is not 0, the smaller index winning; pinned and sticking particles belong to none (thesis fig. 6.7).
 * The largest MOST_COMPONENTS have scalars of their own, the others share one set.
 */

#define MOST_COMPONENTS 254
#define NO_COMPONENT (-1)

/* Scalars of the components; the last are those of all that share. */
#define SCALAR_SETS (MOST_COMPONENTS + 1)
typedef struct component_set {
  float product[SCALAR_SETS], goal[SCALAR_SETS], step[SCALAR_SETS], ratio[SCALAR_SETS], curvature[SCALAR_SETS];
  int32_t size[SCALAR_SETS], root[SCALAR_SETS], is_done[SCALAR_SETS];
} component_set;

/* Roots of the union-find, then labels, then sizes: an integer per particle each. */
static int32_t *component_words(const method_work *w, int32_t n) {
  return (int32_t *)(void *)(w->floats + w->labels) + n * w->c->count;
}

static int is_active(const element_row *r, int32_t column) {
  const float *packed = packed_at(r, column);
  /* The strain of a trispring's tangent is not 0 where its stress is: it never lets go. */
  for (int32_t n = 0; n < r->f->law.packed; n++) {
    if (packed[n * packed_stride(r->f)] != 0.0f) { return 1; }
  }
  return 0;
}

/* Joins the particles of an element that are not pinned. */
static void join_element(const element_row *r, int32_t column, int32_t *parent) {
  int32_t first = NO_COMPONENT;
  for (int32_t n = 0; n <= r->f->law.edges; n++) {
    const int32_t i = (r->row + r->f->row[n]) * r->w->c->grid.columns + column + r->f->column[n];
    if (is_fixed(r->w, i)) { continue; }
    if (first != NO_COMPONENT) { join_pieces(parent, first, i); }
    first = first == NO_COMPONENT ? i : first;
  }
}

static void join_families(method_work *w, int32_t *parent) {
  for (int32_t i = 0; i < w->c->count; i++) {
    parent[i] = i;
  }
  for (int32_t n = 0; n < w->family_count; n++) {
    element_row r = {w, &w->family[n], 0, NULL};
    for (r.row = 0; r.f->is_implicit && r.row < r.f->rows; r.row++) {
      for (int32_t column = 0; column < r.f->columns; column++) {
        if (is_active(&r, column)) { join_element(&r, column, parent); }
      }
    }
  }
  const pair_list list = pairs_of(w);
  for (int32_t n = 0; n < list.count; n++) {
    const close_pair *p = &list.pairs[n];
    const int acts = p->root.x != 0.0f || p->root.y != 0.0f || p->root.z != 0.0f;
    if (acts && !is_fixed(w, p->i) && !is_fixed(w, p->j)) { join_pieces(parent, p->i, p->j); }
  }
}

/* The component of the list with the fewest particles, the later one of equals. */
static int32_t smallest_component(const component_set *set, int32_t count) {
  int32_t found = 0;
  for (int32_t n = 1; n < count; n++) {
    found = set->size[n] <= set->size[found] ? n : found;
  }
  return found;
}

/* Labels the particles with the places of their components in the list: NO_COMPONENT for pinned ones, MOST_COMPONENTS
   for those that share. Uses up the sizes. */
static void label_particles(const method_work *w, const component_set *set, int32_t count) {
  int32_t *parent = component_words(w, 0), *label = component_words(w, 1), *place = component_words(w, 2);
  for (int32_t i = 0; i < w->c->count; i++) {
    place[i] = MOST_COMPONENTS;
  }
  for (int32_t n = 0; n < count; n++) {
    place[set->root[n]] = n;
  }
  for (int32_t i = 0; i < w->c->count; i++) {
    label[i] = is_fixed(w, i) ? NO_COMPONENT : place[first_of_piece(parent, i)];
  }
}

/* Finds components, lists the largest, and labels the particles. Returns how many are listed. */
static int32_t label_components(method_work *w, component_set *set) {
  int32_t *parent = component_words(w, 0), *size = component_words(w, 2);
  int32_t count = 0;
  join_families(w, parent);
  for (int32_t i = 0; i < w->c->count; i++) {
    size[i] = 0;
    size[first_of_piece(parent, i)] += !is_fixed(w, i);
  }
  w->report->components = 0;
  w->report->largest = 0;
  for (int32_t i = 0; i < w->c->count; i++) {
    if (size[i] == 0) { continue; }
    w->report->components++;
    w->report->largest = size[i] > w->report->largest ? size[i] : w->report->largest;
    int32_t place = count < MOST_COMPONENTS ? count++ : smallest_component(set, count);
    if (count == MOST_COMPONENTS && set->size[place] >= size[i]) { continue; }
    set->size[place] = size[i];
    set->root[place] = i;
  }
  label_particles(w, set, count);
  return count;
}

/* For each component the sum of the terms, added up in the order of the particles, to one of the scalars. */
static void add_component_terms(const method_work *w, float *sums) {
  const int32_t *label = component_words(w, 1);
  for (int32_t n = 0; n <= MOST_COMPONENTS; n++) {
    sums[n] = 0.0f;
  }
  for (int32_t i = 0; i < w->c->count; i++) {
    if (label[i] != NO_COMPONENT) { sums[label[i]] += terms_of(w)[i]; }
  }
}

/* to = a + s b with the scalar s of each component, times `sign`. */
typedef struct component_stage {
  int32_t a, b, to; /* fields */
  float sign;
  const float *scalars;
} component_stage;

static void add_components_of_rows(const method_work *w, const void *what, const row_range *range) {
  const component_stage *k = (const component_stage *)what;
  const int32_t *label = component_words(w, 1);
  const int32_t columns = w->c->grid.columns;
  for (int32_t i = range->first * columns; i < range->end * columns; i++) {
    const float s = label[i] == NO_COMPONENT ? 0.0f : k->sign * k->scalars[label[i]];
    const cloth_vector sum = vector_add_scaled(vector_load(field(w, k->a), i), vector_load(field(w, k->b), i), s);
    vector_store(field(w, k->to), i, rounded_to_work(sum));
  }
}

/* to = a + s b; finished components keep what they have. */
static void component_add_scaled(const method_work *w, int32_t a, int32_t b, const float *scalars, float sign,
                                 int32_t to) {
  const component_stage stage = {a, b, to, sign, scalars};
  run_rows(w, add_components_of_rows, &stage);
}

/* Steps of the components that go on. Returns how many particles they have. */
static int32_t choose_steps(component_set *set) {
  int32_t particles = 0;
  for (int32_t n = 0; n <= MOST_COMPONENTS; n++) {
    const float product = set->product[n], curvature = set->curvature[n];
    set->is_done[n] |= !(product > set->goal[n]) || !(curvature > LEAST_PRODUCT);
    set->step[n] = set->is_done[n] ? 0.0f : product / curvature;
    particles += set->is_done[n] ? 0 : set->size[n];
  }
  return particles;
}

/* choose_start() for each component by itself. */
static void choose_starts(const method_work *w, component_set *set) {
  if (!is_in_flight(w)) { return; }
  look_at_flight(w);
  add_component_terms(w, set->ratio);
  for (int32_t n = 0; n < SCALAR_SETS; n++) {
    set->step[n] = set->ratio[n] < FLIGHT_SHARE * set->product[n] ? 1.0f : 0.0f;
  }
  component_add_scaled(w, FIELD_SOLUTION, FIELD_DIRECTION, set->step, 1.0f, FIELD_SOLUTION);
  find_left_over(w);
  precondition_left_over(w);
  add_component_terms(w, set->product);
}

/* Labels the particles, and sets up r, z, p and the goals. */
static void start_components(method_work *w, component_set *set) {
  const int32_t count = label_components(w, set);
  int32_t sharing = 0;
  for (int32_t i = 0; i < w->c->count; i++) {
    sharing += component_words(w, 1)[i] != NO_COMPONENT;
  }
  for (int32_t n = 0; n < count; n++) {
    sharing -= set->size[n];
  }
  set->size[MOST_COMPONENTS] = sharing;
  find_left_over(w);
  precondition_left_over(w);
  add_component_terms(w, set->product);
  for (int32_t n = 0; n < SCALAR_SETS; n++) {
    set->goal[n] = goal_of(w, set->product[n], set->size[n]);
  }
  choose_starts(w, set);
  copy_field(w, field(w, FIELD_PRODUCT), field(w, FIELD_DIRECTION));
}

/* The new direction, after the residual has changed. */
static void turn_directions(method_work *w, component_set *set) {
  precondition_left_over(w);
  add_component_terms(w, set->ratio);
  for (int32_t n = 0; n < SCALAR_SETS; n++) {
    const float next = set->ratio[n];
    set->ratio[n] = set->is_done[n] ? 0.0f : flush_small(next / set->product[n], WORK_QUANTUM);
    set->product[n] = set->is_done[n] ? set->product[n] : next;
  }
  component_add_scaled(w, FIELD_PRODUCT, FIELD_DIRECTION, set->ratio, 1.0f, FIELD_DIRECTION);
}

static void solve_by_components(method_work *w) {
  component_set set;
  fill_zero(&set, sizeof set);
  start_components(w, &set);
  int32_t iterations = 0, particles = 1;
  for (; iterations < w->method->iterations; iterations++) {
    apply_tangents(w, field(w, FIELD_DIRECTION), field(w, FIELD_PRODUCT));
    add_component_terms(w, set.curvature);
    particles = choose_steps(&set);
    if (particles == 0) { break; }
    w->report->row_vectors += particles;
    component_add_scaled(w, FIELD_SOLUTION, FIELD_DIRECTION, set.step, 1.0f, FIELD_SOLUTION);
    component_add_scaled(w, FIELD_LEFT_OVER, FIELD_PRODUCT, set.step, -1.0f, FIELD_LEFT_OVER);
    turn_directions(w, &set);
  }
  if (w->held > 0) { /* steps leave out the rows of particles without a component, but contact needs their residual */
    find_left_over(w);
    w->report->row_vectors += w->held;
  }
  w->report->iterations += iterations;
  w->report->capped += particles > 0;
}
