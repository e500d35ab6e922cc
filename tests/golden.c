/* What every build computes on every machine: the golden hashes of one cloth per config, and the self-test, in every
   rounding mode and with subnormal numbers flushed. SPDX-License-Identifier: MIT */
#include "saved_cloths.h"

#include <fenv.h>
#if defined(__SSE__)
#include <immintrin.h>
#endif

/// Golden hashes ///

/* The hash after ten frames of a life. */
static uint64_t hash_of_life(const cloth_config *config) {
  fixture s = fixture_make(config);
  live_start(s.sheet);
  live(s.sheet, 0, 10);
  uint64_t hash = hash_of(s.sheet);
  fixture_free(&s);
  return hash;
}

/* What every build computes on every machine. Whoever changes the arithmetic on purpose counts CLOTH_NUMERICS_VERSION
   up and puts the new hashes here, in the same change; a layout change of the state does the same with
   CLOTH_STATE_VERSION. A hash that changes without either is a mistake. */
static const uint64_t golden_hashes[STATE_CONFIG_COUNT] = {
    UINT64_C(0x5e4e6a3ffe3d7327), UINT64_C(0x48923afdfa5b4c29), UINT64_C(0xe7c7f3dfe4929c62),
    UINT64_C(0x0f630f32d4153427), UINT64_C(0xd4e1ccdfb183bce1), UINT64_C(0x10ff4982aa7a9355),
    UINT64_C(0x10ff4982aa7a9355), UINT64_C(0x90dcc61023e8e28d), UINT64_C(0xb996256c7c8ca4ba),
    UINT64_C(0x940bd92ae3b9323c), UINT64_C(0xebfffe96a1672a84), UINT64_C(0x2bd6a375b0e280ec),
    UINT64_C(0x39e6b6530668f007), UINT64_C(0x5bb4d12338a678a9), UINT64_C(0xe4676ed4835b0799),
    UINT64_C(0x6841f5eda6471a52), UINT64_C(0xe42edb3f459a06ab), UINT64_C(0x388a817d538d1e7f),
    UINT64_C(0x13451ed0ab4dc70d),
};

static void expect_golden_hash(int number, const char *when) {
  cloth_config config = state_configs[number].config();
  uint64_t hash = hash_of_life(&config);
  CHECK(hash == golden_hashes[number], "%s%s: UINT64_C(0x%08lx%08lx)", state_configs[number].name, when,
        (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu));
}

static void test_golden(void) {
  expect_golden_hash(tested_config_number, "");
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
  _mm_setcsr(control);
  CHECK(!flushes || result == CLOTH_NOTE_FLUSHES, "flushing both: %d, %s", result, cloth_result_name(result));
}
#endif

static const test tests[] = {
    TEST_EACH(every_config, golden),
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
