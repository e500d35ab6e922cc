/* What every build computes on every machine: the golden hashes of one cloth per config, and the self-test, in every
   rounding mode and with subnormal numbers flushed. SPDX-License-Identifier: MIT */
#include "saved_cloths.h"

#include <fenv.h>
#if defined(__SSE__)
#include <immintrin.h>
#endif

/// Golden hashes ///

/* What the scratch span is filled with before every step, or as the step before left it. */
enum { AS_LEFT = -1, ONES_AND_ZEROS = 0xA5, ZEROS_AND_ONES = 0x5A, ANOTHER_CLOTH = 256 };
static int scratch_fill = AS_LEFT;

/* Fills the scratch span, or copies there what another cloth of the same config has after a step. */
static void fill_scratch(const fixture *s, const fixture *other) {
  unsigned char *scratch = s->arena + s->memory.scratch_offset;
  if (scratch_fill == ANOTHER_CLOTH)
    memcpy(scratch, other->arena + other->memory.scratch_offset, s->memory.scratch_bytes);
  else if (scratch_fill != AS_LEFT)
    memset(scratch, scratch_fill, s->memory.scratch_bytes);
}

/* A cloth of a config after frames that differ from those of hash_of_life(): its scratch is another cloth's. */
static fixture stranger_after_steps(const cloth_config *config) {
  fixture other = stranger(config, 5);
  run_steps(other.sheet, 3, FRAME);
  return other;
}

/* The hash after ten frames of a life. */
static uint64_t hash_of_life(const cloth_config *config) {
  fixture s = fixture_make(config), other = stranger_after_steps(config);
  live_start(s.sheet);
  for (int frame = 0; frame < 10; frame++) {
    fill_scratch(&s, &other);
    live(s.sheet, frame, frame + 1);
  }
  fixture_free(&other);
  uint64_t hash = hash_of(s.sheet);
  fixture_free(&s);
  return hash;
}

/* What every build computes on every machine. Whoever changes the arithmetic on purpose counts CLOTH_NUMERICS_VERSION
   up and puts the new hashes here, in the same change; a layout change of the state does the same with
   CLOTH_STATE_VERSION. A hash that changes without either is a mistake. */
static const uint64_t golden_hashes[STATE_CONFIG_COUNT] = {
    UINT64_C(0x2a5decb073cec162), UINT64_C(0xdbb9bafde1df7d95), UINT64_C(0x1d11b3e74cc1f2b3),
    UINT64_C(0x9150ea5d9ac35718), UINT64_C(0x1b190d1174e3714d), UINT64_C(0x1b190d1174e3714d),
    UINT64_C(0xd92b0ec7037457ee), UINT64_C(0x27e9aaf6cc3a16d0), UINT64_C(0x548482962d8cbb8c),
    UINT64_C(0x159d3e21fe71885c), UINT64_C(0xa178b9209dec63eb), UINT64_C(0x7a770dda5cd11910),
    UINT64_C(0x9672fc9fb29fda2b), UINT64_C(0x775922f869f1636c), UINT64_C(0x9464b81d84d6964a),
    UINT64_C(0x3c1aef91cf39daea), UINT64_C(0x971510079d32ae16), UINT64_C(0xb9458f266a6ab15b)};

static void expect_golden_hash(int number, const char *when) {
  cloth_config config = state_configs[number].config();
  uint64_t hash = hash_of_life(&config);
  CHECK(hash == golden_hashes[number], "%s%s: UINT64_C(0x%08lx%08lx)", state_configs[number].name, when,
        (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu));
}

static void test_golden(void) {
  expect_golden_hash(tested_config_number, "");
}

/* The highest particle of a row of a tube, or one of a sheet. */
static cloth_vector place_to_bear(const fixture *s, int row, int column, int is_tube) {
  cloth_vector top, other;
  cloth_get_position(s->sheet, row * 21 + column, &top);
  for (int n = 0; is_tube && n < 21; n++) {
    cloth_get_position(s->sheet, row * 21 + n, &other);
    top = other.y > top.y ? other : top;
  }
  return top;
}

/* A sheet, plain or with maps, or a tube, that a heavy ball and a box lie on: line solves with their inertia. */
static uint64_t hash_under_bodies(int number) {
  static float masses[21 * 18], stiffness[21 * 18];
  cloth_config config = cloth_config_default();
  config.columns = 21;
  config.rows = 18;
  config.substeps = 4;
  config.edge_warp = vector_at(1.0, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, -1.0);
  config.origin = vector_at(-0.5, 0.0, 0.5);
  config.grid.wrap = number == 2;
  config.capacity.max_bodies = 2;
  for (int i = 0; number == 1 && i < 21 * 18; i++) {
    masses[i] = 1.0f + 0.25f * (float)(i % 4);
    stiffness[i] = 0.5f + 0.125f * (float)(i % 5);
  }
  config.grid.mass_map = number == 1 ? masses : NULL;
  config.grid.stiffness_map = number == 1 ? stiffness : NULL;
  config.fabric.stretch_damping = number == 1 ? 0.5f : 0.0f;
  fixture s = fixture_make(&config);
  for (int i = 0; i < s.count; i++)
    if (i / 21 == 0 || i / 21 == 17 || (number < 2 && (i % 21 == 0 || i % 21 == 20))) cloth_pin(s.sheet, i);
  for (int n = 0; n < 2; n++) {
    cloth_collider shape = cloth_collider_default();
    shape.shape = n ? CLOTH_SHAPE_BOX : CLOTH_SHAPE_SPHERE;
    shape.radius = 0.06f;
    shape.half_extents = vector_at(0.12, 0.05, 0.05);
    shape.pose.position = place_to_bear(&s, n ? 6 : 11, n ? 15 : 5, number == 2);
    shape.pose.position.y += 0.0725f;
    const cloth_body body = cloth_body_default(&shape, n ? 2.0f : 4.0f);
    CHECK(cloth_add_collider(s.sheet, &shape) == n && cloth_set_body(s.sheet, n, &body) == CLOTH_OK, "a body");
  }
  fixture other = stranger_after_steps(&config);
  for (int frame = 0; frame < 30; frame++) {
    fill_scratch(&s, &other);
    run_steps(s.sheet, 1, FRAME);
  }
  fixture_free(&other);
  cloth_reaction reaction;
  CHECK(cloth_get_collider_reaction(s.sheet, 0, &reaction) == CLOTH_OK && reaction.impulse.y > 0.0f,
        "a ball that is borne");
  const uint64_t hash = hash_of(s.sheet);
  fixture_free(&s);
  return hash;
}

static void test_bodies(void) {
  static const uint64_t expected[3] = {UINT64_C(0xc0ccc8fa1532d1a3), UINT64_C(0x39e0cc8faeb75015),
                                       UINT64_C(0x707061a29e4be289)};
  for (int n = 0; n < 3; n++) {
    const uint64_t hash = hash_under_bodies(n);
    CHECK(hash == expected[n], "%d: UINT64_C(0x%08lx%08lx)", n, (unsigned long)(hash >> 32),
          (unsigned long)(hash & 0xffffffffu));
  }
}

/* A step reads nothing that lies in the scratch span before it. */
static void test_scratch(void) {
  static const int fills[] = {ONES_AND_ZEROS, ZEROS_AND_ONES, ANOTHER_CLOTH};
  for (size_t n = 0; n < sizeof fills / sizeof fills[0]; n++) {
    scratch_fill = fills[n];
    for (int i = 0; i < STATE_CONFIG_COUNT; i++)
      expect_golden_hash(i, ", with scratch filled");
    test_bodies();
  }
  scratch_fill = AS_LEFT;
}

/// Self-test ///

/* GCC keeps to the pragma in cloth.c whatever -ffp-contract says: with -mfma -ffp-contract=fast this passes and the
   golden hashes hold. Clang's -ffp-contract=fast overrides the pragma, which the self-test is to report. */
static void test_self_test(void) {
  int result = cloth_self_test();
  CHECK(result == CLOTH_OK || result == CLOTH_NOTE_FLUSHES, "%d, %s", result, cloth_result_name(result));
}

/* How this machine now rounds 1 + 2^-25 and -1 - 2^-25: what the modes are told by. */
static int rounds_away_from_nearest(void) {
  volatile float one = 1.0f, little = 2.98023224e-8f;
  volatile float up = one + little, down = -one - little, third = one / 3.0f;
  return up != 1.0f || down != -1.0f || float_word(third) != 0x3eaaaaabu;
}

static void test_rounding_modes(void) {
  static const struct {
    const char *name;
    int mode;
  } modes[] = {
#if defined(FE_UPWARD)
    {"upward", FE_UPWARD},
#endif
#if defined(FE_DOWNWARD)
    {"downward", FE_DOWNWARD},
#endif
#if defined(FE_TOWARDZERO)
    {"toward zero", FE_TOWARDZERO},
#endif
    {"to nearest", FE_TONEAREST},
  };
  int usual = cloth_self_test();
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    int possible = fesetround(modes[i].mode) == 0;
    int away = rounds_away_from_nearest(); /* emulators may not follow */
    int result = cloth_self_test();
    fesetround(FE_TONEAREST);
    int expected = away ? CLOTH_ERROR_ROUNDING : usual;
    CHECK(!possible || result == expected, "rounding %s: %s instead of %s", modes[i].name, cloth_result_name(result),
          cloth_result_name(expected));
  }
  CHECK(cloth_self_test() == usual, "rounding is not what it was");
}

#if defined(__SSE__)
#define FLUSH_RESULTS 0x8000u
#define FLUSH_ARGUMENTS 0x0040u

static int flushes_now(void) {
  volatile float smallest = 1.17549435e-38f, half = 0.5f;
  volatile float product = smallest * half;
  return float_word(product) == 0;
}

/* A machine that flushes subnormals says so, and computes the same. */
static void test_flushing(void) {
  unsigned control = _mm_getcsr();
  _mm_setcsr(control | FLUSH_RESULTS);
  int flushes = flushes_now(), result = cloth_self_test();
  _mm_setcsr(control);
  CHECK(!flushes || result == CLOTH_NOTE_FLUSHES, "flushing: %d, %s", result, cloth_result_name(result));
  _mm_setcsr(control | FLUSH_RESULTS | FLUSH_ARGUMENTS);
  flushes = flushes_now();
  result = cloth_self_test();
  for (int i = 0; i < STATE_CONFIG_COUNT; i++)
    expect_golden_hash(i, ", flushing");
  test_bodies();
  _mm_setcsr(control);
  CHECK(!flushes || result == CLOTH_NOTE_FLUSHES, "flushing both: %d, %s", result, cloth_result_name(result));
}
#endif

static const test tests[] = {
    TEST_EACH(every_config, golden),
    TEST(bodies),
    TEST(scratch),
    TEST(self_test),
    TEST(rounding_modes),
#if defined(__SSE__)
    TEST(flushing),
#endif
};

int main(int count, char **arguments) {
  fill_maps();
  return RUN_TESTS(count, arguments, tests);
}
