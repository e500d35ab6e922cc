/*
 * Contact of examples/methods beside the documents that it comes from: continuous collision without a false negative,
 * repulsion by voxels, impulses and rigid zones, culling. `make methods` prints it all.
 *
 * Includes the source: it is looked at from inside.
 */
#include "../examples/methods/methods.c"

#include "../examples/methods/contact/ccd.h"
#include "../examples/methods/contact/culling.h"
#include "../examples/methods/contact/zones.h"
#include "../examples/methods/isometric_rows.h"
#include "../examples/methods/strand.h"

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
  method_within("CCD", what, 0, faults.missed, 0);
  method_within("CCD", "the same: times later than the touch", 0, faults.late, 0);
}

static void test_ccd_touches(void) {
  check_touches(20000);
}

static void test_two_million_touches(void) {
  check_touches(2000000);
}

/* Corners of pairs of 5 cm that touch, or are about as far apart as floats tell. */
static cloth_vector place_of_pair(uint32_t *seed, int corner, int is_edges) {
  static const double at[2][4][3] = {{{0.02, 0.0, 0.015}, {0.0, 0.0, 0.0}, {0.05, 0.0, 0.0}, {0.0, 0.0, 0.05}},
                                     {{0.0, 0.0, 0.02}, {0.05, 0.0, 0.02}, {0.02, 0.0, 0.0}, {0.02, 0.0, 0.05}}};
  const double *base = at[is_edges][corner];
  const double height = pow(10.0, -9.0 + 3.0 * random_share(seed)) * (random_share(seed) < 0.5 ? -1.0 : 1.0);
  return vector((float)(base[0] + 0.3), (float)(base[1] + height + 1.1), (float)(base[2] - 0.7));
}

/* What a search calls apart starts the next substep apart, though it asks of another motion: else the pair would count
   as standing, and could go through. */
static void test_apart_at_end(void) {
  enum { PAIRS = 50000 };
  uint32_t seed = 7;
  int apart = 0, at_end_alone = 0, standing = 0;
  for (int n = 0; n < PAIRS; n++) {
    moving_pair p = {.is_edges = n & 1}, next = {.is_edges = n & 1};
    float time;
    for (int k = 0; k < 4; k++) {
      p.start[k] = place_of_pair(&seed, k, n & 1);
      p.end[k] = next.start[k] = place_of_pair(&seed, k, n & 1);
      next.end[k] = place_of_pair(&seed, k, n & 1);
    }
    at_end_alone += !find_first_touch(&p, &time) && touches_at_end(&p);
    if (!find_touch(&p, &time)) {
      apart++;
      standing += find_first_touch(&next, &time) && !(time > 0.0f) && touches_at_start(&next);
    }
  }
  CHECK(standing == 0, "%d of %d pairs that ended apart touch as they start", standing, apart);
  CHECK(apart > 1000 && at_end_alone > 0, "%d pairs apart, %d touch at their end alone", apart, at_end_alone);
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
    pair_list list = {.pairs = pairs, .room = ROOM, .distance = 0.012f, .columns = SIDE, .reach = 2};
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
  method_within("10 voxels", "pairs on 100 crumples of 32^2: differences to all pairs", 0, (double)wrong, 0);
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
    if (ends[0] / count == ends[1] / count) continue;
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
    if (on_border) cloth_pin(layer[0], i);
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
  method_within("10 voxels", "layer on layer at 1 m/s, .6 h: cells passed of 225", 225, drop_layer(0.6, &momentum), 0);
  method_within("10 voxels", "the same, .7 h", 225, drop_layer(0.7, &momentum), 0);
  method_within("10 voxels", "the same, .75 h", 0, drop_layer(0.75, &momentum), 0);
  method_at_most("10 voxels", "sum of all impulses of a step, largest [N s]", 1e-6, momentum, 1);
}

/// The isometric model with coupled rows ///

static coupled_row rows[48000];
static float iso_floats[13 * 33 * 33];

static int by_value(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Strains of all distances of the triangles: raises the largest and the 99th percentile. */
static void raise_strains(const isometric_sheet *s, double *largest, double *most) {
  static float strains[6 * 16 * 16];
  int count = 0;
  for (int n = 0; n < 2 * s->cells_warp * s->cells_weft; n++) {
    const rigid_triangle t = triangle_at(s, n / 2 % s->cells_warp, n / 2 / s->cells_warp, n & 1);
    for (int k = 0; k < 3; k++) {
      const cloth_vector a = vector_load(s->x, t.node[(k + 1) % 3]), b = vector_load(s->x, t.node[(k + 2) % 3]);
      const float rest = square_root(2.0f * half_square_at_rest(s, k));
      strains[count++] = absolute(vector_length(vector_subtract(b, a)) / rest - 1.0f);
    }
  }
  qsort(strains, (size_t)count, sizeof strains[0], by_value);
  *largest = fmax(*largest, (double)strains[count - 1]);
  *most = fmax(*most, (double)strains[count * 99 / 100]);
}

static isometric_sheet open_isometric(int n) {
  isometric_sheet s = {.cells_warp = n, .cells_weft = n, .spacing = 1.0f / (float)n};
  CHECK(13 * isometric_nodes(&s) <= (int)(sizeof iso_floats / sizeof iso_floats[0]), "too few floats");
  CHECK(isometric_row_count(&s) <= (int)(sizeof rows / sizeof rows[0]), "too few rows");
  isometric_init(&s, iso_floats);
  return s;
}

static void open_rows(isometric_rows *m, float k) {
  isometric_rows_init(m, rows, iso_floats + 10 * isometric_nodes(m->sheet), k);
  CHECK(m->system.count <= isometric_row_count(m->sheet), "%d rows", m->system.count);
}

/* How a strand is solved: coupled, with at most so many solves an iteration, in so many steps, to a tolerance. */
typedef struct strand_case {
  int is_coupled, rounds, steps;
  float tolerance;
} strand_case;

/* A strand of 33 points falls on a ball. Returns its largest strain; *iterations: of fast projection. */
static double drop_strand(float bending, const strand_case *k, int *iterations) {
  static strand s;
  double strain = 0.0;
  s.is_coupled = k->is_coupled;
  s.system.rounds = k->rounds;
  s.ball.centre = vector(0.06f, -0.35f, 0.0f);
  s.ball.radius = 0.25f;
  strand_init(&s, 33, 1.0f, 0.2f, bending, 0.01f);
  *iterations = 0;
  for (int step = 0; step < k->steps; step++) {
    *iterations += strand_step(&s, 0.01f, k->tolerance, 50);
    strain = fmax(strain, (double)strand_strain(&s));
  }
  return strain;
}

/* The document has strains of 6 to 8 %, in whole per cent, and 1.4 to 1.9 times the iterations. */
static void test_strand(void) {
  static const float bending[3] = {0.001f, 0.01f, 0.1f};
  static const double known[3] = {0.903, 0.891, 0.836}, known_once[3] = {1.333, 1.575, 1.45};
  static const strand_case cases[4] = {{0, 0, 200, 1e-4f}, {1, 0, 200, 1e-4f}, {0, 0, 60, 1e-2f}, {1, 1, 60, 1e-2f}};
  for (int n = 0; n < 3; n++) {
    int count[4];
    double strain[4];
    char what[80];
    for (int k = 0; k < 4; k++)
      strain[k] = drop_strand(bending[n], &cases[k], &count[k]);
    snprintf(what, sizeof what, "strand on a ball, k_b %g: strain, staggered contact", (double)bending[n]);
    method_within("28 isometric", what, 0.07, strain[0], 0.015);
    method_at_most("28 isometric", "the same: strain, coupled contact", 0.0005, strain[1], 1);
    method_missed("28 isometric", "the same: iterations, coupled over staggered", 1.65, 0.25,
                  (double)count[1] / (double)count[0], known[n],
                  "rows that pull are left out, and others come back, within an iteration here");
    method_missed("28 isometric", "the same if rows change once an iteration, .6 s, to 1 %", 1.65, 0.25,
                  (double)count[3] / (double)count[2], known_once[n],
                  "the document tells neither time nor tolerance: others give 1.0 to 1.6");
  }
}

static void test_isometric_projection(void) {
  isometric_sheet s = open_isometric(16);
  double largest = 0.0, most = 0.0;
  isometric_rows m = {.sheet = &s, .density = 0.2f};
  s.mobility[1] = s.mobility[31] = 0.0f;
  open_rows(&m, 1.0f / 960.0f);
  for (int step = 0; step < 600; step++) {
    isometric_rows_step(&m, vector(0.0f, -9.81f, 0.0f), 1.0f / 960.0f, 3, 33);
    raise_strains(&s, &largest, &most);
  }
  method_at_most("27 isometric", "HANG 16^2, 960 Hz, fast projection 3 x 33: largest strain", 0.0035, largest, 1);
  method_at_most("27 isometric", "the same: 99th percentile", 0.0009, most, 1);
}

/* Sweeps and rows find the same motion of a sheet that swings by a corner. */
static void test_isometric_solvers(void) {
  cloth_vector place[2];
  for (int solver = 0; solver < 2; solver++) {
    isometric_sheet s = open_isometric(6);
    isometric_rows m = {.sheet = &s, .density = 0.2f};
    CHECK(isometric_floats(&s) <= 13 * isometric_nodes(&s), "%d floats", isometric_floats(&s));
    s.mobility[1] = s.mobility[13] = 0.0f;
    open_rows(&m, 1.0f / 960.0f);
    for (int step = 0; step < 240; step++) {
      if (solver)
        isometric_rows_step(&m, vector(0.0f, -9.81f, 0.0f), 1.0f / 960.0f, 3, 60);
      else
        isometric_step(&s, vector(0.0f, -9.81f, 0.0f), 1.0f / 960.0f, 60);
    }
    place[solver] = vector_load(s.x, isometric_nodes(&s) - 2);
  }
  const double apart = (double)vector_length(vector_subtract(place[1], place[0]));
  method_at_most("27 isometric", "corner that swings for .25 s, sweeps beside rows [m]", 0.02, apart, 1);
}

/* A sheet falls on a ball that turns by half a radian after half a second. Staggered: points are moved out of the ball
   after the solve. */
static void drape_ball(int n, int is_coupled, double *largest, double *most, double *turned) {
  enum { STEPS = 480 };
  isometric_sheet s = open_isometric(n);
  row_ball ball = {vector(0.5f, -0.26f, 0.5f), 0.25f, 0.6f, 0.0f};
  isometric_rows m = {.sheet = &s, .density = 0.2f, .bending = 1e-4f, .ball = is_coupled ? &ball : NULL};
  open_rows(&m, 1.0f / STEPS);
  double before = 0.0, deepest = 0.0;
  for (int step = 0; step < STEPS; step++) {
    ball.turn = step >= STEPS / 2 ? 0.5f / (float)(STEPS / 2) : 0.0f;
    isometric_rows_step(&m, vector(0.0f, -9.81f, 0.0f), 1.0f / STEPS, 2, 40);
    for (int i = 0; !is_coupled && i < isometric_nodes(&s); i++) {
      const cloth_vector from = vector_subtract(vector_load(s.x, i), ball.centre);
      const float distance = vector_length(from);
      if (s.mobility[i] > 0.0f && distance < ball.radius) {
        const cloth_vector out = vector_add_scaled(ball.centre, from, ball.radius / distance);
        vector_store(s.v, i, vector_add_scaled(vector_load(s.v, i), vector_subtract(out, vector_load(s.x, i)), STEPS));
        vector_store(s.x, i, out);
      }
    }
    raise_strains(&s, largest, most);
    const cloth_vector arm = vector_subtract(vector_load(s.x, 1), ball.centre);
    const double angle = atan2((double)arm.x, (double)arm.z);
    before = step == STEPS / 2 ? angle : before;
    *turned = angle - before;
  }
  for (int i = 0; i < isometric_nodes(&s); i++) {
    const cloth_vector from = vector_subtract(vector_load(s.x, i), ball.centre);
    deepest = s.mobility[i] > 0.0f ? fmax(deepest, 0.25 - (double)vector_length(from)) : deepest;
  }
  CHECK(deepest < 1e-3, "a point lies %g m inside the ball", deepest);
}

static void test_isometric_ball(void) {
  double largest = 0.0, most = 0.0, turned = 0.0, staggered = 0.0, rest = 0.0, slipped = 0.0;
  drape_ball(8, 1, &largest, &most, &turned);
  drape_ball(8, 0, &staggered, &rest, &slipped);
  method_at_most("28 isometric", "sheet of 8^2 on a turning ball, coupled: largest strain", 0.005, largest, 1);
  method_missed("28 isometric", "the same: 99th percentile", 0.0008, 0.0, most, 0.001273,
                "measured with the two corners closed where both triangles of a cell meet; open they took less");
  CHECK(staggered > 4.0 * largest, "staggered %g, coupled %g", staggered, largest);
  CHECK(turned > 0.1 && turned < 0.7, "the corner has turned by %g", turned);
  printf("            staggered: largest strain %.4g, 99th percentile %.4g; the corner turned by %.2f of 0.5\n",
         staggered, rest, turned);
}

/* How far points that are not held have fallen on average [m]. */
static double mean_fall(const float *heights, const float *mobility, int count) {
  double sum = 0.0;
  int moving = 0;
  for (int i = 0; i < count; i++) {
    moving += mobility[i] > 0.0f;
    sum -= mobility[i] > 0.0f ? (double)heights[i] : 0.0;
  }
  return sum / moving;
}

/* A sheet of n x n cells that is held along a diagonal through its cells' middles; the two other corners fall. Returns
   how far the sheet has on average [m]. `along`: held along the edges that the cells are divided by, or across them. */
static double fall_isometric(int n, int along) {
  isometric_sheet s = open_isometric(n);
  const int columns = 2 * n + 1;
  isometric_rows m = {.sheet = &s, .density = 0.2f};
  for (int cell = 0; cell < n; cell++)
    s.mobility[(2 * cell + 1) * columns + 2 * (along ? n - 1 - cell : cell) + 1] = 0.0f;
  open_rows(&m, 1.0f / 480.0f);
  for (int step = 0; step < 240; step++)
    isometric_rows_step(&m, vector(0.0f, -9.81f, 0.0f), 1.0f / 480.0f, 2, 80);
  return mean_fall(s.x.y, s.mobility, isometric_nodes(&s));
}

/* The same of a mesh of triangles whose edges keep their lengths, held at its corners along the diagonal. */
static double fall_mesh(int n, int along) {
  const int side = n + 1, count = side * side;
  float *floats = iso_floats;
  row_system s = {.rows = rows, .points = count};
  vector_array *const arrays[2] = {&s.x, &s.work};
  vector_array v = {floats + 6 * count, floats + 7 * count, floats + 8 * count};
  vector_array start = {floats + 9 * count, floats + 10 * count, floats + 11 * count};
  float *mobility = floats + 12 * count;
  for (int k = 0; k < 2; k++)
    *arrays[k] = (vector_array){floats + 3 * k * count, floats + (3 * k + 1) * count, floats + (3 * k + 2) * count};
  s.mobility = mobility;
  for (int i = 0; i < count; i++) {
    vector_store(s.x, i, vector((float)(i % side) / (float)n, 0.0f, (float)(i / side) / (float)n));
    vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
    mobility[i] = i / side == (along ? n - i % side : i % side) ? 0.0f : 1.0f;
  }
  for (int i = 0; i < count; i++) {
    const int to[3] = {i % side < n ? i + 1 : -1, i / side < n ? i + side : -1,
                       i % side > 0 && i / side < n ? i + side - 1 : -1};
    for (int k = 0; k < 3; k++) {
      if (to[k] < 0) continue;
      coupled_row *r = add_row(&s, ROW_EQUAL, 0.0f);
      r->friction = (k == 2 ? 1.41421356f : 1.0f) / (float)n;
      add_row_point(r, i, vector(0.0f, 0.0f, 0.0f));
      add_row_point(r, to[k], vector(0.0f, 0.0f, 0.0f));
    }
  }
  static const int32_t most[2] = {2, 80};
  for (int step = 0; step < 240; step++)
    rows_step(&s, NULL, v, start, vector(0.0f, -9.81f, 0.0f), 1.0f / 480.0f, most);
  return mean_fall(s.x.y, s.mobility, count);
}

static void test_no_locking(void) {
  double isometric[2], mesh[2];
  for (int k = 0; k < 2; k++) {
    const int n = 8 << k;
    const double along = fall_isometric(n, 1), across = fall_isometric(n, 0);
    const double rigid_along = fall_mesh(n, 1), rigid_across = fall_mesh(n, 0);
    printf("            mean fall [m] of %d^2 cells about the edges that divide cells, and across them: isometric %.3f "
           "%.3f, mesh %.3f %.3f\n",
           n, along, across, rigid_along, rigid_across);
    isometric[k] = along / across;
    mesh[k] = rigid_across / rigid_along;
  }
  method_at_most("26 isometric", "held along a diagonal, 16^2: fall along over fall across", 1.0, isometric[1], 1.2);
  method_at_most("26 isometric", "the same of a mesh of rigid edges: it locks", 0.5, mesh[1], 1);
  method_missed("26 isometric", "8^2: fall along over fall across", 1.0, 0.2, isometric[0], 1.966,
                "eight cells have few lines to bend about across; the mesh: 30");
  method_at_most("26 isometric", "the same of the mesh", 0.5, mesh[0], 1);
}

/// Culling and rigid zones ///

static float patch_floats[2][3 * 33 * 33], patch_now[3 * 121];

static vector_array patch_places(int number) {
  return (vector_array){patch_floats[number], patch_floats[number] + 33 * 33, patch_floats[number] + 2 * 33 * 33};
}

/* A strip of n x n cells of 1 that is bent along its rows: by a constant curvature to `angle` in all, or in waves up to
   an angle on either side. */
static void bend_patch(vector_array x, int n, double angle, int waves) {
  double place[2] = {0.0, 0.0};
  for (int column = 0; column <= n; column++) {
    for (int row = 0; row <= n; row++)
      vector_store(x, row * (n + 1) + column, vector((float)place[0], (float)place[1], (float)row));
    const double share = (column + 0.5) / n,
                 slope = waves ? angle * sin(6.283185307179586 * waves * share) : angle * share;
    place[0] += cos(slope);
    place[1] += sin(slope);
  }
}

/* Share of the blocks of `size` x `size` cells, at half strides, that are clear. */
static double count_clear(vector_array x, int n, int size, int *count) {
  int clear = 0;
  *count = 0;
  for (int row = 0; row + size <= n; row += size / 2) {
    for (int column = 0; column + size <= n; column += size / 2) {
      const cell_block k = {.columns = n + 1, .column = column, .row = row, .wide = size, .high = size};
      clear += is_block_clear(&k, x, x, 1e-4f);
      ++*count;
    }
  }
  return clear;
}

/* Does an edge pass through a triangle that it has no corner in common with, at one time? In doubles. */
static int edge_goes_through(vector_array x, const int edge[2], const int corner[3]) {
  double p[5][3], e[3][3], det[3];
  const int node[5] = {edge[0], edge[1], corner[0], corner[1], corner[2]};
  for (int k = 0; k < 5; k++) {
    const cloth_vector place = vector_load(x, node[k]);
    p[k][0] = (double)place.x;
    p[k][1] = (double)place.y;
    p[k][2] = (double)place.z;
  }
  double side[2];
  for (int k = 0; k < 2; k++) {
    for (int axis = 0; axis < 3; axis++) {
      e[0][axis] = p[3][axis] - p[2][axis];
      e[1][axis] = p[4][axis] - p[2][axis];
      e[2][axis] = p[k][axis] - p[2][axis];
    }
    side[k] = e[2][0] * (e[0][1] * e[1][2] - e[0][2] * e[1][1]) + e[2][1] * (e[0][2] * e[1][0] - e[0][0] * e[1][2]) +
              e[2][2] * (e[0][0] * e[1][1] - e[0][1] * e[1][0]);
  }
  if (side[0] * side[1] >= 0.0) return 0;
  for (int k = 0; k < 3; k++) {
    const double *a = p[2 + k], *b = p[2 + (k + 1) % 3];
    for (int axis = 0; axis < 3; axis++) {
      e[0][axis] = p[1][axis] - p[0][axis];
      e[1][axis] = a[axis] - p[0][axis];
      e[2][axis] = b[axis] - p[0][axis];
    }
    det[k] = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
             e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
  }
  return (det[0] > 0.0 && det[1] > 0.0 && det[2] > 0.0) || (det[0] < 0.0 && det[1] < 0.0 && det[2] < 0.0);
}

static int patch_crosses(vector_array x, int n) {
  const int columns = n + 1;
  for (int t = 0; t < 2 * n * n; t++) {
    const int first = t / 2 / n * columns + t / 2 % n;
    const int corner[3] = {first, first + columns + 1, t & 1 ? first + columns : first + 1};
    for (int i = 0; i < columns * columns; i++) {
      const int to[3] = {i % columns < n ? i + 1 : -1, i / columns < n ? i + columns : -1,
                         i % columns < n && i / columns < n ? i + columns + 1 : -1};
      for (int k = 0; k < 3; k++) {
        const int edge[2] = {i, to[k]};
        const int shares = i == corner[0] || i == corner[1] || i == corner[2] || to[k] == corner[0] ||
                           to[k] == corner[1] || to[k] == corner[2];
        if (to[k] >= 0 && !shares && edge_goes_through(x, edge, corner)) return 1;
      }
    }
  }
  return 0;
}

static void test_culling_bends(void) {
  const vector_array x = patch_places(0);
  const cell_block whole = {.columns = 33, .wide = 32, .high = 32};
  int count;
  bend_patch(x, 32, 3.141, 0);
  method_within("20 culling", "roll of 180 degrees: culled as a whole", 1, is_block_clear(&whole, x, x, 0.0f), 0);
  bend_patch(x, 32, 3.316, 0);
  method_within("20 culling", "roll of 190 degrees", 0, is_block_clear(&whole, x, x, 0.0f), 0);
  bend_patch(x, 32, 1.56, 2);
  method_within("20 culling", "waves of +-90 degrees: culled as a whole", 1, is_block_clear(&whole, x, x, 0.0f), 0);
  bend_patch(x, 32, 2.0943951, 2);
  method_within("20 culling", "waves of +-120 degrees: blocks of 8^2 of 49", 28, count_clear(x, 32, 8, &count), 0);
  method_within("20 culling", "the same: blocks of 4^2, of all", 1, count_clear(x, 32, 4, &count) / count, 0);
}

/* A random smooth patch of 10 x 10 cells, and where it moves to. */
static void draw_patch(vector_array x, vector_array y, uint32_t *random) {
  const double size = 5.0 * random_share(random);
  for (int k = 0; k < 2; k++) {
    double a[8];
    for (int i = 0; i < 8; i++)
      a[i] = size * (random_share(random) - 0.5) * (k ? 0.3 : 1.0);
    for (int i = 0; i < 121; i++) {
      const int line = i / 11;
      const double u = i % 11, v = line;
      const double w[3] = {a[0] * sin(0.7 * u + a[1]) + a[2] * sin(0.9 * v), a[3] * sin(0.6 * v + a[4]),
                           a[5] * sin(0.5 * u + 0.7 * v + a[6]) + 2.0 * a[7] * sin(0.4 * u)};
      const cloth_vector place = vector((float)(u + 1.5 * w[0]), (float)w[2], (float)(v + 1.5 * w[1]));
      const cloth_vector way = vector((float)w[0], (float)w[2], (float)w[1]);
      vector_store(k ? y : x, i, k ? vector_add(vector_load(x, i), way) : place);
    }
  }
}

/* How often a patch crosses itself on its way, looked at five times. */
static int count_crossings(vector_array x, vector_array y) {
  const vector_array now = {patch_now, patch_now + 121, patch_now + 242};
  int crossings = 0;
  for (int t = 0; t <= 4; t++) {
    for (int i = 0; i < 121; i++) {
      const cloth_vector way = vector_subtract(vector_load(y, i), vector_load(x, i));
      vector_store(now, i, vector_add_scaled(vector_load(x, i), way, 0.25f * (float)t));
    }
    crossings += patch_crosses(now, 10);
  }
  return crossings;
}

/* Random smooth patches, some of which cross themselves: what is culled does not, nor does a motion on its way. */
static void check_patches(int count) {
  const vector_array x = patch_places(0), y = patch_places(1);
  const cell_block block = {.columns = 11, .wide = 10, .high = 10};
  int culled = 0, crossing = 0, wrong = 0, moves = 0, wrong_moves = 0;
  uint32_t random = 21;
  for (int n = 0; n < count; n++) {
    draw_patch(x, y, &random);
    const int crosses = patch_crosses(x, 10), is_culled = is_block_clear(&block, x, x, 1e-5f);
    culled += is_culled;
    crossing += crosses;
    wrong += is_culled && crosses;
    if (is_block_clear(&block, x, y, 1e-5f)) {
      moves++;
      wrong_moves += count_crossings(x, y);
    }
  }
  CHECK(culled > 100 && crossing > 20 && moves > 50, "%d culled, %d crossing, %d motions", culled, crossing, moves);
  char what[80];
  snprintf(what, sizeof what, "%d random patches: culled that cross themselves", count);
  method_within("20 culling", what, 0, wrong, 0);
  method_within("20 culling", "motions culled that cross on their way", 0, wrong_moves, 0);
  printf("%-11s   %d culled, %d cross themselves; %d motions culled\n", "", culled, crossing, moves);
}

static void test_culling_patches(void) {
  check_patches(300);
}

static void test_three_thousand(void) {
  check_patches(3000);
}

/* Two triangles apart from each other, with displacements of up to half the speed. */
static void draw_zone(vector_array x, vector_array y, float *mass, double speed, uint32_t *random) {
  for (int i = 0; i < 6; i++) {
    double r[6];
    for (int k = 0; k < 6; k++)
      r[k] = random_share(random) - 0.5;
    mass[i] = (float)(0.5 + random_share(random));
    vector_store(x, i, vector((float)r[0], (float)(i < 3 ? 0.3 * r[1] : 0.4 + 0.3 * r[1]), (float)r[2]));
    vector_store(
        y, i,
        vector_add(vector_load(x, i), vector((float)(speed * r[3]), (float)(speed * r[4]), (float)(speed * r[5]))));
  }
}

/* Two triangles that do not touch move as one: they do not touch on their way, and keep their momenta. */
static void check_zones(int count) {
  uint32_t random = 17;
  int touching = 0, tried = 0;
  double momentum = 0.0, angular = 0.0;
  static const int32_t particle[6] = {0, 1, 2, 3, 4, 5};
  const vector_array x = patch_places(0), y = patch_places(1);
  for (int n = 0; n < count; n++) {
    float mass[6], first;
    const double speed = n % 2 ? 1.5 : 1e-3;
    draw_zone(x, y, mass, speed, &random);
    cloth_vector before[6], sum = vector(0.0f, 0.0f, 0.0f), twist = sum;
    for (int i = 0; i < 6; i++)
      before[i] = vector_load(y, i);
    const rigid_zone zone = {.particle = particle, .count = 6, .mass = mass, .x = x, .y = y};
    move_zone(&zone);
    for (int i = 0; i < 6; i++) {
      const cloth_vector gained = vector_scale(vector_subtract(vector_load(y, i), before[i]), mass[i]);
      sum = vector_add(sum, gained);
      twist = vector_add(twist, vector_cross(vector_load(x, i), gained));
    }
    momentum = fmax(momentum, (double)vector_length(sum));
    angular = n % 2 ? angular : fmax(angular, (double)vector_length(twist));
    moving_pair p = {.is_edges = n % 4 > 1};
    for (int k = 0; k < 4; k++) {
      const int corner = p.is_edges ? (k < 2 ? k : k + 1) : k ? k + 2 : 0;
      p.start[k] = vector_load(x, corner);
      p.end[k] = vector_load(y, corner);
    }
    tried++;
    touching += find_first_touch(&p, &first);
  }
  char what[80];
  snprintf(what, sizeof what, "%d random zones: pairs that touch on their way", tried);
  method_within("19 zones", what, 0, touching, 0);
  method_at_most("19 zones", "the same: change of the momentum", 1e-5, momentum, 1);
  method_at_most("19 zones", "the same: change of the angular momentum, small turns", 1e-5, angular, 1);
}

static void test_zones(void) {
  check_zones(2000);
}

static void test_hundred_thousand_bodies(void) {
  check_zones(100000);
}

int main(int count, char **arguments) {
  static const test tests[] = {TEST(ccd_touches),
                               TEST(two_million_touches),
                               TEST(apart_at_end),
                               TEST(voxel_pairs),
                               TEST(voxel_layers),
                               TEST(culling_bends),
                               TEST(culling_patches),
                               TEST(three_thousand),
                               TEST(zones),
                               TEST(hundred_thousand_bodies),
                               TEST(strand),
                               TEST(isometric_projection),
                               TEST(isometric_solvers),
                               TEST(isometric_ball),
                               TEST(no_locking),
                               TEST(count_of_rows)};
  return RUN_TESTS(count, arguments, tests);
}
