/*
 * What the public interface cannot show: the square root. The operator, the levels of its preconditioner and the
 * kernels are those of cloth_self_test() and self_test.c.
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

static const test tests[] = {
    TEST(square_roots),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
