/*
 * What the public interface cannot show: the square root, and that operator and preconditioner are symmetric and
 * positive definite. The kernels are those of cloth_self_test() and self_test.c.
 */
/* The root by integers is the one that can go wrong; the rest is tested on top of it. */
#define CLOTH_SQUARE_ROOT_BY_BITS
#include "../cloth.c"

#include "check.h"
#include "rows.h"

#include <math.h>

/// Square root ///

static long wrong_roots(uint32_t first, uint32_t last, uint32_t stride) {
  long wrong = 0;
  for (uint64_t bits = first; bits <= last; bits += stride) {
    float_bits value;
    value.bits = (uint32_t)bits;
    wrong += square_root(value.value) != sqrtf(value.value);
  }
  return wrong;
}

/* Two binades hold every mantissa with an even and an odd exponent; elsewhere a stride tries every exponent. */
static void test_square_roots(void) {
  row_none("ROOT", "wrong roots among all of 1..4", wrong_roots(0x3f800000u, 0x407fffffu, 1u));
  row_none("ROOT", "wrong roots among every 521st normal", wrong_roots(0x00800000u, 0x7f7fffffu, 521u));
  CHECK(square_root(0.0f) == 0.0f, "the root of 0 is %g", (double)square_root(0.0f));
}

/// The operator and its preconditioner ///

static unsigned char arena[1 << 22] __attribute__((aligned(CLOTH_ALIGNMENT)));
enum { SIDE = 24 };

/* A sheet by two corners, half over a ball, in air, and its equation of the next substep with the first z. */
static cloth *open_equation(float stiffness, const substep_terms **t) {
  cloth_config config = cloth_config_default();
  cloth *sheet = NULL;
  cloth_collider ball = cloth_collider_default();
  config.columns = config.rows = SIDE;
  config.fabric.stretch_warp = config.fabric.stretch_weft = stiffness;
  config.strain_limit.max_extension = 0.01f;
  CHECK(cloth_init(&config, arena, sizeof arena, &sheet) == CLOTH_OK, "cloth_init()");
  ball.radius = 0.3f;
  ball.pose.position = vector(0.5f, -0.305f, 0.5f);
  CHECK(cloth_add_collider(sheet, &ball) >= 0, "no ball");
  cloth_pin(sheet, 0);
  cloth_pin(sheet, SIDE - 1);
  for (int frame = 0; frame < 20; frame++) {
    CHECK(cloth_step(sheet, 1.0f / 60.0f) >= 0, "frame %d", frame);
  }
  lone_cloth alone;
  begin_step(sheet, 1.0f / 60.0f, &alone);
  *t = alone.member.t;
  start_part(&alone.stepped, 0.0f, 1.0f);
  make_equation(&alone.set);
  CHECK(workspace_of(sheet)->touches > 0, "nothing touches");
  precondition_first(sheet, *t);
  return sheet;
}

static float random_share(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

/* A random vector for each particle, 0 for pins. */
static void random_vectors(const cloth *c, uint32_t seed, double *to) {
  for (int i = 0; i < c->count; i++) {
    for (int k = 0; k < 3; k++) {
      const float share = random_share(&seed);
      to[3 * i + k] = is_pinned(c, i) ? 0.0 : (double)share;
    }
  }
}

static cloth_vector vector_at(const double *from, int i) {
  return vector((float)from[3 * i], (float)from[3 * i + 1], (float)from[3 * i + 2]);
}

/* q = A p */
static void apply_operator(const cloth *c, const substep_terms *t, const double *p, double *q) {
  const solve_arrays *a = arrays_of(c);
  for (int i = 0; i < c->count; i++) {
    near_vector_store(near_row(a->direction, a->pitch, i / SIDE), a->plane, i % SIDE, vector_at(p, i));
  }
  multiply(c, t);
  for (int i = 0; i < c->count; i++) {
    for (int k = 0; k < 3; k++) {
      q[3 * i + k] = (double)*own_at(a->product, 3, place_of(a, i), k);
    }
  }
}

/* z = P r */
static void apply_preconditioner(const cloth *c, const substep_terms *t, const double *r, double *z) {
  const solve_arrays *a = arrays_of(c);
  for (int i = 0; i < c->count; i++) {
    for (int k = 0; k < 3; k++) {
      *own_at(a->residual, 3, place_of(a, i), k) = (float)r[3 * i + k];
    }
  }
  advance(c, 0.0f, 1, 0);
  turn_direction(c, 0.0f, 0);
  for (int i = 0; i < c->count; i++) {
    const cloth_vector v = near_vector(near_row(a->direction, a->pitch, i / SIDE), a->plane, i % SIDE);
    z[3 * i] = (double)v.x;
    z[3 * i + 1] = (double)v.y;
    z[3 * i + 2] = (double)v.z;
  }
  (void)t;
}

static double product_of(const double *a, const double *b) {
  double sum = 0.0;
  for (int n = 0; n < 3 * SIDE * SIDE; n++) {
    sum += a[n] * b[n];
  }
  return sum;
}

typedef void (*matrix)(const cloth *c, const substep_terms *t, const double *p, double *q);

/* Symmetric and positive definite, in ten pairs of random directions. */
static void check_matrix(const char *name, matrix apply) {
  static double a[3 * SIDE * SIDE], b[3 * SIDE * SIDE], of_a[3 * SIDE * SIDE], of_b[3 * SIDE * SIDE];
  for (int stiff = 0; stiff < 3; stiff++) {
    const substep_terms *t;
    const cloth *c = open_equation(stiff == 0 ? 100.0f : stiff == 1 ? 1.0e3f : 1.0e5f, &t);
    double worst = 0.0;
    long indefinite = 0;
    for (uint32_t n = 0; n < 10; n++) {
      random_vectors(c, 2 * n + 1, a);
      random_vectors(c, 2 * n + 2, b);
      apply(c, t, a, of_a);
      apply(c, t, b, of_b);
      const double squares = product_of(a, of_a), others = product_of(b, of_b);
      indefinite += !(squares > 0.0) + !(others > 0.0);
      worst = fmax(worst, fabs(product_of(a, of_b) - product_of(b, of_a)) / sqrt(fabs(squares * others)));
    }
    row_error(name, "asymmetry over the squares", worst, 1e-5);
    row_none(name, "directions of no positive square", indefinite);
  }
}

static void test_operator_definite(void) {
  check_matrix("A", apply_operator);
}

static void test_preconditioner_definite(void) {
  check_matrix("P", apply_preconditioner);
}

static const test tests[] = {
    TEST(square_roots),
    TEST(operator_definite),
    TEST(preconditioner_definite),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
