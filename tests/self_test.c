/* The self-test, from inside: it reports operations of the lanes backend, and of floats, that go wrong. Those that it
   uses stand behind others here, which can be made faulty.
   SPDX-License-Identifier: MIT */
#include "../src/base/hash.h"
#include "../src/base/lanes.h"
#include "../src/base/scalar.h"

#include "check.h"

typedef enum fault {
  NO_FAULT,
  ADDS_WRONG,
  SUBTRACTS_WRONG,
  MULTIPLIES_WRONG,
  DIVIDES_WRONG,
  ABSOLUTE_KEEPS_SIGN,
  ROOT_IS_WRONG,
  LESS_IS_TURNED,
  SELECT_IS_TURNED,
  FIRST_IS_ONE_MORE,
  FIRST_IS_ONE_LESS,
  BOTH_IS_FIRST,
  BOTH_IS_SECOND,
  ANY_IS_ALWAYS,
  ANY_IS_NEVER,
  STORES_ONE_MORE,
  STORES_ONE_LESS,
  TRANSPOSES_NOTHING,
  KEEPS_MINUS_ZERO,
  KEEPS_MINUS_ZERO_IN_LANES,
  QUANTISES_NOTHING,
  SCALAR_ROOT_IS_WRONG,
  EVEN_IS_FIRST,
  INTERLEAVES_TURNED
} fault;

static fault made;
static int32_t faulty_lane;

/* A value that is the next float in one lane, if this fault is made. */
static lanes nudged(lanes value, fault f) {
  float floats[CLOTH_LANES];
  if (made != f) { return value; }
  lanes_store(floats, value);
  float_bits b = float_to_bits(floats[faulty_lane]);
  b.bits += 1u;
  floats[faulty_lane] = b.value;
  return lanes_load(floats);
}

static lanes faulty_add(lanes a, lanes b) {
  return nudged(lanes_add(a, b), ADDS_WRONG);
}

static lanes faulty_subtract(lanes a, lanes b) {
  return nudged(lanes_subtract(a, b), SUBTRACTS_WRONG);
}

static lanes faulty_multiply(lanes a, lanes b) {
  return nudged(lanes_multiply(a, b), MULTIPLIES_WRONG);
}

static lanes faulty_divide(lanes a, lanes b) {
  return nudged(lanes_divide(a, b), DIVIDES_WRONG);
}

static lanes faulty_absolute(lanes a) {
  return made == ABSOLUTE_KEEPS_SIGN ? a : lanes_absolute(a);
}

static lanes faulty_square_root(lanes a) {
  return nudged(lanes_square_root(a), ROOT_IS_WRONG);
}

static lanes_mask faulty_less(lanes a, lanes b) {
  return made == LESS_IS_TURNED ? lanes_less(b, a) : lanes_less(a, b);
}

static lanes faulty_select(lanes_mask mask, lanes yes, lanes no) {
  return made == SELECT_IS_TURNED ? lanes_select(mask, no, yes) : lanes_select(mask, yes, no);
}

static lanes_mask faulty_first(int32_t count) {
  return lanes_first(count + (made == FIRST_IS_ONE_MORE) - (made == FIRST_IS_ONE_LESS && count > 0));
}

static lanes_mask faulty_both(lanes_mask a, lanes_mask b) {
  return made == BOTH_IS_FIRST ? a : made == BOTH_IS_SECOND ? b : lanes_both(a, b);
}

static int faulty_any(lanes_mask mask) {
  return made == ANY_IS_ALWAYS ? 1 : made == ANY_IS_NEVER ? 0 : lanes_any(mask);
}

static void faulty_store_first(float *to, lanes a, int32_t count) {
  lanes_store_first(to, a, count - (made == STORES_ONE_LESS));
  if (made == STORES_ONE_MORE) { to[count] = lanes_first_value(a); }
}

static void faulty_transpose(lanes block[CLOTH_LANES]) {
  if (made != TRANSPOSES_NOTHING) { lanes_transpose(block); }
}

static lanes faulty_even(lanes a, lanes b) {
  return made == EVEN_IS_FIRST ? a : lanes_even(a, b);
}

static void faulty_interleave(lanes a, lanes b, lanes *low, lanes *high) {
  const int is_turned = made == INTERLEAVES_TURNED;
  lanes_interleave(is_turned ? b : a, is_turned ? a : b, low, high);
}

#define lanes_even faulty_even
#define lanes_interleave faulty_interleave

static lanes faulty_lanes_negate(lanes a) {
  return made == KEEPS_MINUS_ZERO_IN_LANES ? lanes_multiply(a, lanes_splat(-1.0f)) : lanes_negate(a);
}

static float faulty_negate(float a) {
  return made == KEEPS_MINUS_ZERO ? -a : negate(a);
}

static float faulty_quantise(float a, float rounder) {
  return made == QUANTISES_NOTHING ? a : quantise(a, rounder);
}

static float faulty_root(float a) {
  float_bits b = float_to_bits(square_root(a));
  b.bits += made == SCALAR_ROOT_IS_WRONG;
  return b.value;
}

/* The bits of a number of the kernels that is another. */
#define NO_BITS UINT32_MAX
static uint32_t changed_bits = NO_BITS;

static float faulty_opaque_float(uint32_t bits) {
  const float kept = opaque_float(bits);
  return bits == changed_bits ? kept + 0.0009765625f : kept;
}

#define opaque_float faulty_opaque_float
#define lanes_add faulty_add
#define lanes_subtract faulty_subtract
#define lanes_multiply faulty_multiply
#define lanes_divide faulty_divide
#define lanes_absolute faulty_absolute
#define lanes_square_root faulty_square_root
#define lanes_less faulty_less
#define lanes_select faulty_select
#define lanes_first faulty_first
#define lanes_both faulty_both
#define lanes_any faulty_any
#define lanes_store_first faulty_store_first
#define lanes_transpose faulty_transpose
#define lanes_negate faulty_lanes_negate
#define negate faulty_negate
#define quantise faulty_quantise
#define square_root faulty_root
#include "../src/io/self_test.h"

/// Tests ///

static void expect_error(fault f, const char *name, int expected) {
  made = f;
  const int result = cloth_self_test();
  made = NO_FAULT;
  CHECK(result == expected, "%s in lane %d: %d instead of %d", name, (int)faulty_lane, result, expected);
}

static void test_right(void) {
  const int result = cloth_self_test();
  CHECK(result == CLOTH_OK || result == CLOTH_NOTE_FLUSHES, "%d", result);
}

/* The first lane is compared with known results, the others with the scalar reference. */
static void test_arithmetic(void) {
  for (faulty_lane = 0; faulty_lane < CLOTH_LANES; faulty_lane++) {
    const int is_first = faulty_lane == 0;
    expect_error(MULTIPLIES_WRONG, "multiply", is_first ? CLOTH_ERROR_EXCESS_PRECISION : CLOTH_ERROR_LANES);
    expect_error(DIVIDES_WRONG, "divide", is_first ? CLOTH_ERROR_ROUNDING : CLOTH_ERROR_LANES);
    if (is_first) {
      expect_error(ADDS_WRONG, "add", CLOTH_ERROR_ROUNDING);
      expect_error(ROOT_IS_WRONG, "square root", CLOTH_ERROR_SQUARE_ROOT);
      expect_error(SUBTRACTS_WRONG, "subtract", CLOTH_ERROR_EXCESS_PRECISION);
    }
  }
  if (CLOTH_LANES > 1) { /* the first two lanes select no difference; a single lane takes roots itself */
    for (faulty_lane = 2; faulty_lane < CLOTH_LANES; faulty_lane++) {
      expect_error(SUBTRACTS_WRONG, "subtract", CLOTH_ERROR_LANES);
    }
    expect_error(SCALAR_ROOT_IS_WRONG, "root of a float", CLOTH_ERROR_SQUARE_ROOT);
  }
}

static void test_signs(void) {
  expect_error(KEEPS_MINUS_ZERO, "negate", CLOTH_ERROR_EXCESS_PRECISION);
  expect_error(KEEPS_MINUS_ZERO_IN_LANES, "negate of lanes", CLOTH_ERROR_EXCESS_PRECISION);
  expect_error(QUANTISES_NOTHING, "quantise", CLOTH_ERROR_EXCESS_PRECISION);
}

/* What moves and chooses lanes. A single lane is the scalar reference itself. */
static void test_lanes(void) {
  static const struct {
    fault f;
    const char *name;
  } faults[] = {{ABSOLUTE_KEEPS_SIGN, "absolute"},      {LESS_IS_TURNED, "less"},
                {SELECT_IS_TURNED, "select"},           {FIRST_IS_ONE_MORE, "first, one more"},
                {FIRST_IS_ONE_LESS, "first, one less"}, {BOTH_IS_FIRST, "both, first"},
                {BOTH_IS_SECOND, "both, second"},       {ANY_IS_ALWAYS, "any, always"},
                {ANY_IS_NEVER, "any, never"},           {STORES_ONE_MORE, "store, one more"},
                {STORES_ONE_LESS, "store, one less"},   {TRANSPOSES_NOTHING, "transpose"}};
  for (size_t n = 0; n < sizeof faults / sizeof faults[0]; n++) {
    expect_error(faults[n].f, faults[n].name, CLOTH_LANES > 1 ? CLOTH_ERROR_LANES : CLOTH_OK);
  }
}

/* What the kernels of the step alone use. */
static void test_kernels(void) {
  expect_error(EVEN_IS_FIRST, "even", CLOTH_LANES > 1 ? CLOTH_ERROR_LANES : CLOTH_OK);
  expect_error(INTERLEAVES_TURNED, "interleave", CLOTH_LANES > 1 ? CLOTH_ERROR_LANES : CLOTH_ERROR_EXCESS_PRECISION);
}

/* Each of the numbers of the kernels counts. */
static void test_kernel_numbers(void) {
  CHECK(kernels_are_right(), "kernels");
  for (int n = 0; n < KERNEL_NUMBERS; n++) {
    changed_bits = float_to_bits(kernel_number(n)).bits;
    CHECK(!kernels_are_right(), "number %d has no effect", n);
    changed_bits = NO_BITS;
  }
}

static const test tests[] = {
    TEST(right), TEST(arithmetic), TEST(signs), TEST(lanes), TEST(kernels), TEST(kernel_numbers),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
