/*
 * Contact of examples/methods beside the documents that it comes from: continuous collision without a false negative,
 * repulsion by voxels, impulses and rigid zones, culling. `make methods` prints it all.
 *
 * Includes the source: it is looked at from inside.
 */
#include "../examples/methods/methods.c"

#include "ccd_queries.h"
#include "method_rows.h"

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
      at[0][axis] = at[1][axis] + (at[2][axis] - at[1][axis]) / 16 * share[0] + (at[3][axis] - at[1][axis]) / 16 * other;
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

int main(int count, char **arguments) {
  static const test tests[] = {TEST(ccd_queries), TEST(ccd_touches), TEST(all_ccd_touches)};
  return RUN_TESTS(count, arguments, tests);
}
