/*
 * Contact of examples/methods beside the documents that it comes from: continuous collision without a false negative,
 * repulsion by voxels, impulses and rigid zones, culling. `make methods` prints it all.
 *
 * Includes the source: it is looked at from inside.
 */
#include "../examples/methods/methods.c"

#include "../examples/methods/contact/ccd.h"

#include "ccd_queries.h"
#include "method_rows.h"
#include "schemes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t random_word(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Evenly from low to high, both included. */
static int random_between(uint32_t *state, int low, int high) {
  return low + (int)(random_word(state) % (uint32_t)(high - low + 1));
}

static double random_share(uint32_t *state) {
  return random_word(state) / 16777216.0;
}

/// Continuous collision ///

static moving_pair pair_of(const ccd_query *q) {
  moving_pair p;
  p.is_edges = q->is_edges;
  for (int k = 0; k < 8; k++) {
    float x[3];
    for (int axis = 0; axis < 3; axis++)
      memcpy(&x[axis], &ccd_words[q->word[3 * k + axis]], sizeof x[axis]);
    *(k < 4 ? &p.start[k] : &p.end[k - 4]) = vector(x[0], x[1], x[2]);
  }
  return p;
}

/* What a search for touches has got wrong. */
typedef struct ccd_faults {
  int missed, late, invented;
} ccd_faults;

static void count_faults(const moving_pair *p, int touches, double time, ccd_faults *faults) {
  float found;
  const int hit = find_first_touch(p, &found);
  faults->missed += touches && !hit;
  faults->invented += !touches && hit;
  faults->late += touches && hit && (double)found > time * (1.0 + 1e-8);
}

static void test_ccd_queries(void) {
  const int count = (int)(sizeof ccd_queries / sizeof ccd_queries[0]);
  ccd_faults faults = {0, 0, 0};
  for (int i = 0; i < count; i++) {
    const moving_pair p = pair_of(&ccd_queries[i]);
    count_faults(&p, ccd_queries[i].touches, ccd_queries[i].time, &faults);
  }
  method_within("CCD", "324 exact queries: touches that are missed", 0, faults.missed, 0, NULL);
  method_within("CCD", "the same: times later than the touch", 0, faults.late, 0, NULL);
  method_at_most("CCD", "the same, of 164 without a touch: found all the same", 77.0 / 6593.0 * 164.0, faults.invented,
                 10, "the unit tests are nearly all degenerate; the figure is of 7,279 queries of other sets");
}

/* Corners with whole coordinates at a time of 256ths, moving by multiples of 256 a unit of time: exact floats. */
static void move_whole(uint32_t *random, int time, const int at[3], cloth_vector *start, cloth_vector *end, int speed) {
  float from[3], to[3];
  for (int axis = 0; axis < 3; axis++) {
    const int v = random_between(random, -speed, speed);
    from[axis] = (float)(at[axis] - time * v);
    to[axis] = (float)(at[axis] + (256 - time) * v);
  }
  *start = vector(from[0], from[1], from[2]);
  *end = vector(to[0], to[1], to[2]);
}

/* A pair that touches exactly at time / 256: a point on a triangle, or two edges through one point. */
static moving_pair touching_pair(uint32_t *random, int time) {
  moving_pair p;
  int at[4][3];
  const int size = 1 << random_between(random, 2, 12), speed = 1 << random_between(random, 0, 6);
  p.is_edges = random_between(random, 0, 1);
  const int first = p.is_edges ? 0 : 1, share[2] = {random_between(random, 0, 16), random_between(random, 0, 16)};
  for (int k = first; k < 4; k++) {
    for (int axis = 0; axis < 3; axis++)
      at[k][axis] = 16 * random_between(random, -size, size);
  }
  for (int axis = 0; axis < 3; axis++) {
    if (p.is_edges) { /* the end of the second edge, so that it goes through a point of the first */
      const int point = at[0][axis] + (at[1][axis] - at[0][axis]) / 16 * share[0];
      at[2][axis] = point - (at[3][axis] - point) * (share[1] % 4);
    } else {
      const int other = share[1] < 16 - share[0] ? share[1] : 16 - share[0];
      at[0][axis] =
          at[1][axis] + (at[2][axis] - at[1][axis]) / 16 * share[0] + (at[3][axis] - at[1][axis]) / 16 * other;
    }
  }
  for (int k = 0; k < 4; k++)
    move_whole(random, time, at[k], &p.start[k], &p.end[k], speed);
  return p;
}

static void check_touches(int count) {
  ccd_faults faults = {0, 0, 0};
  uint32_t random = 3;
  char what[80];
  for (int i = 0; i < count; i++) {
    const int time = random_between(&random, 0, 256);
    const moving_pair p = touching_pair(&random, time);
    count_faults(&p, 1, time / 256.0, &faults);
  }
  snprintf(what, sizeof what, "%d constructed touches: missed", count);
  method_within("CCD", what, 0, faults.missed, 0, NULL);
  method_within("CCD", "the same: times later than the touch", 0, faults.late, 0, NULL);
}

static void test_ccd_touches(void) {
  check_touches(50000);
}

static void test_all_ccd_touches(void) {
  check_touches(2000000);
}

/// Repulsion by voxels ///

static unsigned char arenas[2][1 << 20] __attribute__((aligned(CLOTH_ALIGNMENT)));
static unsigned char memories[2][1 << 22] __attribute__((aligned(CLOTH_ALIGNMENT)));

/* A square sheet of side 1 m with 0.2 kg/m^2, stretch springs of 1000 N/m, shear springs of 700 N/m and no damping. */
static cloth *open_layer(int number, int columns, int rows, double height, double shift) {
  cloth_config config = cloth_config_default();
  cloth *sheet = NULL;
  use_two_tiers(&config);
  config.columns = columns;
  config.rows = rows;
  config.origin = vector((float)shift, (float)height, (float)shift);
  memset(&config.fabric, 0, sizeof config.fabric);
  config.fabric.density = 0.2f;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1000.0f;
  config.fabric.shear = 700.0f;
  config.fabric.compression = config.fabric.shear_compression = 1.0f;
  config.grid.min_bending_length = 0.0f;
  config.grid.imperfection = 0.0f;
  config.integration.velocity_damping = 0.0f;
  config.strain_limit.sweeps = 0;
  config.air.density = 0.0f;
  config.substeps = 1;
  const int result = cloth_init(&config, arenas[number], sizeof arenas[number], &sheet);
  CHECK(result == CLOTH_OK, "cloth_init: %d", result);
  memset(memories[number], 0, 4);
  return sheet;
}

/* Points on random waves, which lie in many layers. */
static void crumple(vector_array x, int n, uint32_t *random) {
  double amplitude[9];
  for (int k = 0; k < 9; k++)
    amplitude[k] = random_share(random) - 0.5;
  for (int i = 0; i < n * n; i++) {
    const double u = 6.28 * (i % n) / n, v = 6.28 * (i / n) / n;
    x.x[i] = (float)(0.3 * sin(2.0 * u + 9.0 * amplitude[0]) + 0.3 * amplitude[1] * sin(3.0 * v));
    x.y[i] = (float)(0.1 * amplitude[2] * sin(u + v) + 0.2 * amplitude[3] * sin(4.0 * v + 9.0 * amplitude[4]));
    x.z[i] = (float)(0.3 * sin(v + 9.0 * amplitude[5]) + 0.1 * amplitude[6] * sin(2.0 * u + 3.0 * v));
  }
}

static void test_voxel_pairs(void) {
  enum { SIDE = 32, COUNT = SIDE * SIDE, ROOM = 40000 };
  static float floats[3 * COUNT];
  static close_pair pairs[ROOM];
  static int32_t words[8 * COUNT];
  const vector_array x = {floats, floats + COUNT, floats + 2 * COUNT};
  uint32_t random = 7;
  long listed = 0, wrong = 0;
  CHECK(voxel_words(COUNT) <= 8 * COUNT, "%d words", voxel_words(COUNT));
  for (int n = 0; n < 100; n++) {
    crumple(x, SIDE, &random);
    pair_list list = {.pairs = pairs, .room = ROOM, .distance = 0.012f, .columns = SIDE};
    const voxel_grid g = open_voxels(words, COUNT);
    list_close_pairs(&g, x, &list);
    long all = 0;
    for (int i = 0; i < COUNT; i++) {
      for (int j = i + 1; j < COUNT; j++) {
        const cloth_vector d = vector_subtract(vector_load(x, j), vector_load(x, i));
        all += vector_dot(d, d) < 0.012f * 0.012f && !are_neighbours(&list, i, j);
      }
    }
    for (int k = 0; k < list.count; k++) {
      const cloth_vector d = vector_subtract(vector_load(x, pairs[k].j), vector_load(x, pairs[k].i));
      wrong += !(vector_dot(d, d) < 0.012f * 0.012f) || (k > 0 && pairs[k].i < pairs[k - 1].i);
    }
    wrong += labs(all - (long)list.count) + list.dropped;
    listed += all;
  }
  CHECK(listed > 1000, "only %ld pairs", listed);
  method_within("10 voxels", "pairs on 100 crumples of 32^2: differences to all pairs", 0, (double)wrong, 0, NULL);
}

/* Velocity changes by pairs of two layers in k seconds: springs of 1000 N/m. Returns the largest component of the sum
   of all impulses [N s]. */
static double repel_layers(cloth *const *layer, const voxel_grid *g, pair_list *list, vector_array x, float k) {
  const int count = layer[0]->count;
  const float per_mass = k * 1000.0f / reference_mass(layer[0]);
  double sum[3] = {0.0, 0.0, 0.0};
  for (int n = 0; n < 2; n++) {
    for (int i = 0; i < count; i++)
      vector_store(x, n * count + i, vector_load(vectors_at(layer[n], layer[n]->state.position), i));
  }
  list_close_pairs(g, x, list);
  for (int n = 0; n < list->count; n++) {
    const int ends[2] = {list->pairs[n].i, list->pairs[n].j};
    const cloth_vector d = vector_subtract(vector_load(x, ends[1]), vector_load(x, ends[0]));
    const float length = vector_length(d);
    const cloth_vector change = vector_scale(d, per_mass * (length - list->distance) / length);
    if (ends[0] / count == ends[1] / count)
      continue;
    for (int end = 0; end < 2; end++) {
      const vector_array v = vectors_at(layer[ends[end] / count], layer[ends[end] / count]->state.velocity);
      const cloth_vector before = vector_load(v, ends[end] % count);
      const cloth_vector after = vector_add_scaled(before, change, end ? -1.0f : 1.0f);
      const int is_held = is_pinned(layer[ends[end] / count], ends[end] % count);
      const cloth_vector gain = is_held ? vector_scale(change, end ? -1.0f : 1.0f) : vector_subtract(after, before);
      vector_store(v, ends[end] % count, is_held ? before : after);
      sum[0] += (double)gain.x;
      sum[1] += (double)gain.y;
      sum[2] += (double)gain.z;
    }
  }
  return (double)reference_mass(layer[0]) * fmax(fabs(sum[0]), fmax(fabs(sum[1]), fabs(sum[2])));
}

/* A free layer falls at 1 m/s on one that is held at its border and lies half a cell beside it. Returns how many of the
   225 particles over cells are below them after a second. */
static int drop_layer(double distance, double *momentum) {
  enum { SIDE = 16, COUNT = SIDE * SIDE, STEPS = 4000 };
  static float floats[6 * COUNT];
  static int32_t words[16 * COUNT];
  static close_pair pairs[40 * COUNT];
  const vector_array x = {floats, floats + 2 * COUNT, floats + 4 * COUNT};
  const double spacing = 1.0 / (SIDE - 1);
  cloth *const layer[2] = {open_layer(0, SIDE, SIDE, 0.0, 0.0), open_layer(1, SIDE, SIDE, 0.06, 0.5 * spacing)};
  cloth_method method = cloth_method_default();
  method.scheme = CLOTH_SCHEME_EXPLICIT;
  method.bending = CLOTH_BENDING_NONE;
  for (int i = 0; i < COUNT; i++) {
    const int on_border = i % SIDE == 0 || i / SIDE == 0 || i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1;
    const cloth_vector place = vector_load(vectors_at(layer[1], layer[1]->state.position), i);
    cloth_set_particle(layer[1], i, place, vector(0.0f, -1.0f, 0.0f));
    if (on_border)
      cloth_pin(layer[0], i);
  }
  const voxel_grid g = open_voxels(words, 2 * COUNT);
  pair_list list = {.pairs = pairs, .room = 40 * COUNT, .distance = (float)(distance * spacing)};
  for (int step = 0; step < STEPS; step++) {
    *momentum = fmax(*momentum, repel_layers(layer, &g, &list, x, 1.0f / STEPS));
    for (int n = 0; n < 2; n++) {
      const int result = cloth_method_step(layer[n], &method, 1.0f / STEPS, memories[n], sizeof memories[n], NULL);
      CHECK(result >= 0, "cloth_method_step: %d", result);
    }
  }
  int passed = 0;
  for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
    const int first = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
    const float *held = vectors_at(layer[0], layer[0]->state.position).y + first;
    const float cell = 0.25f * (held[0] + held[1] + held[SIDE] + held[SIDE + 1]);
    passed += vectors_at(layer[1], layer[1]->state.position).y[first] < cell;
  }
  return passed;
}

static void test_voxel_layers(void) {
  double momentum = 0.0;
  method_within("10 voxels", "layer on layer at 1 m/s, .6 h: cells passed of 225", 225, drop_layer(0.6, &momentum), 0,
                NULL);
  method_within("10 voxels", "the same, .7 h", 225, drop_layer(0.7, &momentum), 0, NULL);
  method_within("10 voxels", "the same, .75 h", 0, drop_layer(0.75, &momentum), 0, NULL);
  method_at_most("10 voxels", "sum of all impulses of a step, largest [N s]", 1e-6, momentum, 1, NULL);
}

/* The far end of a strip, folded over and held where it bends, falls on the part below, which is held: with repulsion
   in the equation it stays above, by every solver, and without it falls through. */
static void test_voxel_solvers(void) {
  static const char *const names[] = {"gradients", "components", "nonlinear", "sweeps", "explicit", "none"};
  for (int solver = 0; solver < 6; solver++) {
    enum { WIDE = 8, LONG = 20 };
    cloth *sheet = open_layer(0, WIDE, LONG, 0.0, 0.0);
    const float spacing = 1.0f / (LONG - 1), across = 1.0f / (WIDE - 1);
    cloth_method method = cloth_method_default();
    cloth_method_report report;
    method.solver = solver < 4 ? solver : CLOTH_SOLVER_GRADIENTS;
    method.scheme = solver != 4 ? CLOTH_SCHEME_EULER : CLOTH_SCHEME_EXPLICIT;
    method.repulsion = solver < 5 ? 0.75f * across : 0.0f;
    for (int i = 0; i < WIDE * LONG; i++) {
      const int row = i / WIDE, folded = row >= LONG / 2;
      const float along = (float)(folded ? LONG - 1 - row : row) * spacing;
      cloth_set_particle(
          sheet, i, vector((float)(i % WIDE) * across + (folded ? 0.5f * across : 0.0f), folded ? 0.12f : 0.0f, along),
          vector(0.0f, 0.0f, 0.0f));
      if (row <= LONG / 2 + 2)
        cloth_pin(sheet, i);
    }
    int pairs = 0, through = 0;
    const int steps = solver != 4 ? 240 : 2000;
    for (int step = 0; step < steps; step++) {
      const int result =
          cloth_method_step(sheet, &method, 0.5f / (float)steps, memories[0], sizeof memories[0], &report);
      CHECK(result >= 0, "%s: %d", names[solver], result);
      pairs = report.pairs > pairs ? report.pairs : pairs;
    }
    const float *height = vectors_at(sheet, sheet->state.position).y;
    for (int i = WIDE * (LONG / 2 + 3); i < WIDE * LONG; i++)
      through += i % WIDE < WIDE - 1 && !(height[i] > 0.0f);
    CHECK((pairs > 20) == (solver < 5) && report.pairs_dropped == 0, "%s: %d pairs, %d dropped", names[solver], pairs,
          report.pairs_dropped);
    CHECK((through == 0) == (solver < 5), "%s: %d particles through", names[solver], through);
  }
}

int main(int count, char **arguments) {
  static const test tests[] = {TEST(ccd_queries), TEST(ccd_touches),  TEST(all_ccd_touches),
                               TEST(voxel_pairs), TEST(voxel_layers), TEST(voxel_solvers)};
  return RUN_TESTS(count, arguments, tests);
}
