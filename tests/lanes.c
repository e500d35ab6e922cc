/*
 * Every operation of the lanes this is compiled for, bit by bit against plain C or integers, and plain C against
 * results worked out exactly. Needs a board (port/boards) and nothing else.
 *
 * Vectors are checked eight elements at a time, by as many lanes as it takes, so that every backend makes the same
 * checks. Arithmetic is compared where cloth.c relies on it: operands and results are normal numbers or zero, or a
 * result overflows. In the subnormal range machines differ.
 */
#include "../cloth.c"

#include "../port/boards/board.h"

/// Reports ///

#define FAILURES_SHOWN 10

static int32_t passed, failed;

static void print_number(int32_t number) {
  char text[12];
  int at = sizeof text - 1;
  text[at] = 0;
  do {
    text[--at] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  board_print(text + at);
}

static void print_bits(uint32_t bits) {
  char text[9];
  for (int i = 0; i < 8; i++) {
    text[i] = "0123456789abcdef"[(bits >> (28 - 4 * i)) & 15u];
  }
  text[8] = 0;
  board_print(text);
}

/* Counts a check. Returns 1 if it failed and its details are still to be shown. */
static int check_failed(const char *name, int correct) {
  if (correct) {
    passed++;
    return 0;
  }
  failed++;
  if (failed > FAILURES_SHOWN) { return 0; }
  board_print("FAILED ");
  board_print(name);
  return 1;
}

static void check(const char *name, int32_t which, int correct) {
  if (check_failed(name, correct)) {
    board_print(" ");
    print_number(which);
    board_print("\n");
  }
}

/// Eight elements ///

#define ELEMENTS 8
#define SIGN 0x80000000u
#define ONE 0x3f800000u
#define INFINITE 0x7f800000u
#define LEAST_NORMAL 0x00800000u
/* Stands for "machines may differ here". */
#define UNDEFINED 0xffffffffu

typedef union element {
  uint32_t bits;
  float value;
} element;

typedef union octet {
  uint32_t bits[ELEMENTS];
  float value[ELEMENTS];
} octet;

static uint32_t generator = 2463534242u;

static uint32_t random_bits(void) {
  generator ^= generator << 13;
  generator ^= generator >> 17;
  generator ^= generator << 5;
  return generator;
}

static element element_of(uint32_t bits) {
  element e;
  e.bits = bits;
  return e;
}

static uint32_t bits_from(float value) {
  element e;
  e.value = value;
  return e.bits;
}

static int is_either_zero(uint32_t bits) {
  return (bits & ~SIGN) == 0;
}

static int is_nan(uint32_t bits) {
  return (bits & ~SIGN) > INFINITE;
}

static int is_power_of_two(uint32_t bits) {
  return (bits & 0x007fffffu) == 0;
}

/// What is expected ///

/* A result that is subnormal, is not a number, or was rounded up to the least normal number counts as undefined: the
   last because some machines flush before they round and some after. */
static uint32_t when_defined(float value, int exact) {
  uint32_t bits = bits_from(value);
  uint32_t magnitude = bits & ~SIGN;
  if (is_nan(bits) || (magnitude != 0 && magnitude < LEAST_NORMAL) || (!exact && magnitude <= LEAST_NORMAL)) {
    return UNDEFINED;
  }
  return bits;
}

/* Sums this small are exact. */
static uint32_t expected_add(uint32_t a, uint32_t b, uint32_t c) {
  (void)c;
  return when_defined(element_of(a).value + element_of(b).value, 1);
}

static uint32_t expected_subtract(uint32_t a, uint32_t b, uint32_t c) {
  (void)c;
  return when_defined(element_of(a).value - element_of(b).value, 1);
}

static uint32_t expected_multiply(uint32_t a, uint32_t b, uint32_t c) {
  (void)c;
  int exact = is_either_zero(a) || is_either_zero(b) || (is_power_of_two(a) && is_power_of_two(b));
  return when_defined(element_of(a).value * element_of(b).value, exact);
}

static uint32_t expected_divide(uint32_t a, uint32_t b, uint32_t c) {
  (void)c;
  int exact = is_either_zero(a) || (is_power_of_two(a) && is_power_of_two(b));
  return when_defined(element_of(a).value / element_of(b).value, exact);
}

/* a b + c, rounded twice. The product goes through memory so that nothing can fuse it here. */
static uint32_t expected_multiply_add(uint32_t a, uint32_t b, uint32_t c) {
  volatile uint32_t product = expected_multiply(a, b, 0);
  return product == UNDEFINED ? UNDEFINED : expected_add(product, c, 0);
}

static uint32_t expected_multiply_subtract(uint32_t a, uint32_t b, uint32_t c) {
  volatile uint32_t product = expected_multiply(a, b, 0);
  return product == UNDEFINED ? UNDEFINED : expected_subtract(product, c, 0);
}

static uint32_t expected_subtract_product(uint32_t a, uint32_t b, uint32_t c) {
  volatile uint32_t product = expected_multiply(a, b, 0);
  return product == UNDEFINED ? UNDEFINED : expected_subtract(c, product, 0);
}

/* The largest 25-bit integer whose square is not above the operand; its last bit rounds. No root lies halfway. */
static uint32_t expected_square_root(uint32_t a, uint32_t b, uint32_t c) {
  (void)b;
  (void)c;
  if (is_either_zero(a)) { return a; }
  uint32_t exponent = a >> 23;
  uint64_t operand = (uint64_t)((a & 0x007fffffu) | 0x00800000u) << (exponent & 1u ? 25 : 26);
  uint32_t root = 0;
  for (uint32_t bit = 0x01000000u; bit != 0; bit >>= 1) {
    uint64_t trial = root | bit;
    if (trial * trial <= operand) { root |= bit; }
  }
  return (((exponent + 127u) >> 1) << 23) + ((root >> 1) + (root & 1u) - 0x00800000u);
}

/* Orders floats as integers: -0 and +0 both become 0. */
static int32_t order(uint32_t bits) {
  int32_t magnitude = (int32_t)(bits & ~SIGN);
  return bits & SIGN ? -magnitude : magnitude;
}

static int is_less(uint32_t a, uint32_t b) {
  return !is_nan(a) && !is_nan(b) && order(a) < order(b);
}

static uint32_t expected_less(uint32_t a, uint32_t b, uint32_t c) {
  (void)c;
  return is_less(a, b) ? ONE : 0;
}

static uint32_t expected_both(uint32_t a, uint32_t b, uint32_t c) {
  return is_less(a, b) && is_less(b, c) ? ONE : 0;
}

static uint32_t expected_minimum(uint32_t a, uint32_t b, uint32_t c) {
  (void)c;
  return is_less(a, b) ? a : b;
}

static uint32_t expected_maximum(uint32_t a, uint32_t b, uint32_t c) {
  (void)c;
  return is_less(b, a) ? a : b;
}

/* 0x2b800000 is 2^-40. */
static uint32_t expected_flush_small(uint32_t a, uint32_t b, uint32_t c) {
  (void)b;
  (void)c;
  return (a & ~SIGN) < 0x2b800000u ? 0 : a;
}

static uint32_t expected_select(uint32_t a, uint32_t b, uint32_t c) {
  return c & 1u ? a : b;
}

static uint32_t expected_keep(uint32_t a, uint32_t b, uint32_t c) {
  (void)b;
  return c & 1u ? a : 0;
}

static uint32_t expected_drop(uint32_t a, uint32_t b, uint32_t c) {
  (void)b;
  return c & 1u ? 0 : a;
}

static uint32_t expected_absolute(uint32_t a, uint32_t b, uint32_t c) {
  (void)b;
  (void)c;
  return a & ~SIGN;
}

static uint32_t expected_copy(uint32_t a, uint32_t b, uint32_t c) {
  (void)b;
  (void)c;
  return a;
}

/// What the lanes do ///

#define RUN(name, expression)                                                                                          \
  static void run_##name(octet *result, const octet *first, const octet *second, const octet *third) {                 \
    for (int32_t i = 0; i < ELEMENTS; i += CLOTH_LANES) {                                                              \
      lanes a = lanes_load(first->value + i);                                                                          \
      lanes b = lanes_load(second->value + i);                                                                         \
      lanes c = lanes_load(third->value + i);                                                                          \
      (void)a;                                                                                                         \
      (void)b;                                                                                                         \
      (void)c;                                                                                                         \
      lanes_store(result->value + i, expression);                                                                      \
    }                                                                                                                  \
  }

/* A mask made visible. */
static lanes flags_of(lanes_mask mask) {
  return lanes_select(mask, lanes_splat(1.0f), lanes_splat(0.0f));
}

/* Lanes whose last bit is set, found by a comparison of -1 or 0 with 0. */
static lanes_mask last_bit_set(const octet *from, int32_t i) {
  float minus[CLOTH_LANES];
  for (int32_t k = 0; k < CLOTH_LANES; k++) {
    minus[k] = from->bits[i + k] & 1u ? -1.0f : 0.0f;
  }
  return lanes_less(lanes_load(minus), lanes_splat(0.0f));
}

RUN(add, lanes_add(a, b))
RUN(subtract, lanes_subtract(a, b))
RUN(multiply, lanes_multiply(a, b))
RUN(divide, lanes_divide(a, b))
RUN(multiply_add, lanes_add(lanes_multiply(a, b), c))
RUN(multiply_subtract, lanes_subtract(lanes_multiply(a, b), c))
RUN(subtract_product, lanes_subtract(c, lanes_multiply(a, b)))
RUN(square_root, lanes_square_root(a))
RUN(less, flags_of(lanes_less(a, b)))
RUN(both, flags_of(lanes_both(lanes_less(a, b), lanes_less(b, c))))
RUN(minimum, lanes_minimum(a, b))
RUN(maximum, lanes_maximum(a, b))
RUN(flush_small, lanes_flush(a))
RUN(select, lanes_select(last_bit_set(third, i), a, b))
RUN(keep, lanes_keep(last_bit_set(third, i), a))
RUN(drop, lanes_drop(last_bit_set(third, i), a))
RUN(absolute, lanes_absolute(a))
RUN(load_and_store, a)

/* Every element spread over all lanes; the last lane must have it, and the first gives it back. */
static void run_splat(octet *result, const octet *first, const octet *second, const octet *third) {
  (void)second;
  (void)third;
  for (int32_t i = 0; i < ELEMENTS; i++) {
    octet spread;
    lanes all = lanes_splat(first->value[i]);
    lanes_store(spread.value, all);
    result->value[i] = i & 1 ? lanes_first_value(all) : spread.value[CLOTH_LANES - 1];
  }
}

/// Operations on vectors ///

/* What an operation is defined for everywhere. */
enum domain {
  ANY,        /* all bits */
  COMPARABLE, /* all but subnormals */
  ARITHMETIC, /* normal numbers and zeros */
  POSITIVE    /* the same without a sign: a square root of -0 keeps its sign on some machines only */
};

typedef struct operation {
  const char *name;
  enum domain domain;
  void (*run)(octet *result, const octet *first, const octet *second, const octet *third);
  uint32_t (*expected)(uint32_t a, uint32_t b, uint32_t c);
} operation;

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, SQUARE_ROOT };

static const operation operations[] = {
    {"add", ARITHMETIC, run_add, expected_add},
    {"subtract", ARITHMETIC, run_subtract, expected_subtract},
    {"multiply", ARITHMETIC, run_multiply, expected_multiply},
    {"divide", ARITHMETIC, run_divide, expected_divide},
    {"square root", POSITIVE, run_square_root, expected_square_root},
    {"multiply, add", ARITHMETIC, run_multiply_add, expected_multiply_add},
    {"multiply, subtract", ARITHMETIC, run_multiply_subtract, expected_multiply_subtract},
    {"subtract a product", ARITHMETIC, run_subtract_product, expected_subtract_product},
    {"less", COMPARABLE, run_less, expected_less},
    {"both", COMPARABLE, run_both, expected_both},
    {"minimum", COMPARABLE, run_minimum, expected_minimum},
    {"maximum", COMPARABLE, run_maximum, expected_maximum},
    {"flush", ARITHMETIC, run_flush_small, expected_flush_small},
    {"select", ANY, run_select, expected_select},
    {"keep", ANY, run_keep, expected_keep},
    {"drop", ANY, run_drop, expected_drop},
    {"absolute", ANY, run_absolute, expected_absolute},
    {"splat", ANY, run_splat, expected_copy},
    {"load and store", ANY, run_load_and_store, expected_copy},
};
#define OPERATIONS ((int)(sizeof operations / sizeof operations[0]))

/* Moves bits into a domain, leaving those that are in it. */
static uint32_t into_domain(uint32_t bits, enum domain domain) {
  uint32_t exponent = bits & INFINITE;
  if (domain == ANY) { return bits; }
  if (exponent == 0) { bits &= SIGN; }
  if (domain != COMPARABLE && exponent == INFINITE) { bits ^= 0x40000000u; }
  return domain == POSITIVE ? bits & ~SIGN : bits;
}

static void check_operation(const operation *op, const octet *first, const octet *second, const octet *third) {
  octet a, b, c, expected, result;
  for (int i = 0; i < ELEMENTS; i++) {
    a.bits[i] = into_domain(first->bits[i], op->domain);
    b.bits[i] = into_domain(second->bits[i], op->domain);
    c.bits[i] = into_domain(third->bits[i], op->domain);
    expected.bits[i] = op->expected(a.bits[i], b.bits[i], c.bits[i]);
    if (op->domain >= ARITHMETIC && expected.bits[i] == UNDEFINED) {
      a.bits[i] = b.bits[i] = c.bits[i] = ONE;
      expected.bits[i] = op->expected(ONE, ONE, ONE);
    }
  }
  op->run(&result, &a, &b, &c);
  int wrong = -1;
  for (int i = 0; i < ELEMENTS; i++) {
    if (result.bits[i] != expected.bits[i]) { wrong = i; }
  }
  if (check_failed(op->name, wrong < 0)) {
    board_print(" of ");
    print_bits(a.bits[wrong]);
    board_print(" ");
    print_bits(b.bits[wrong]);
    board_print(" ");
    print_bits(c.bits[wrong]);
    board_print(" is ");
    print_bits(result.bits[wrong]);
    board_print(", expected ");
    print_bits(expected.bits[wrong]);
    board_print("\n");
  }
}

static void check_operations(const octet *a, const octet *b, const octet *c) {
  for (int i = 0; i < OPERATIONS; i++) {
    check_operation(&operations[i], a, b, c);
  }
}

/// Boundaries ///

static const uint32_t boundaries[] = {
    0x00000000u, /* 0 */
    0x00800000u, /* 2^-126, the least normal number */
    0x00800001u, /* and the next */
    0x01000000u, /* 2^-125 */
    0x01800000u, /* 2^-124 */
    0x20000000u, /* 2^-63, whose square is the least normal number */
    0x2b7fffffu, /* the last before 2^-40, with which snapping compares */
    0x2b800000u, /* 2^-40 */
    0x2b800001u, /* the first after it */
    0x307fffffu, /* the last before 2^-30 */
    0x30800000u, /* 2^-30 */
    0x33800000u, /* 2^-24, half a unit of 1 */
    0x33800001u, /* just more than half */
    0x34000000u, /* 2^-23, a unit of 1 */
    0x34400000u, /* one and a half units */
    0x3dcccccdu, /* 0.1 */
    0x3eaaaaabu, /* 1/3 */
    0x3f000000u, /* 1/2 */
    0x3f7fffffu, /* the last before 1 */
    0x3f800000u, /* 1 */
    0x3f800001u, /* the first after 1 */
    0x3f800002u, /* the second */
    0x3fb504f3u, /* root of 2 */
    0x3fffffffu, /* the last before 2 */
    0x40000000u, /* 2 */
    0x40400000u, /* 3 */
    0x45800800u, /* 4097, whose square lies halfway between two floats */
    0x45801800u, /* 4099 */
    0x4b7fffffu, /* 2^24 - 1 */
    0x4b800000u, /* 2^24 */
    0x5f000000u, /* 2^63 */
    0x7e800000u, /* 2^126 */
    0x7f000000u, /* 2^127 */
    0x73000000u, /* 2^103, half a unit of the greatest number */
    0x7f7fffffu, /* the greatest number */
    0x00000001u, /* subnormal */
    0x007fffffu, /* the greatest subnormal */
    0x7f800000u, /* infinity */
    0x7f800001u, /* signalling NaN */
    0x7fc00000u, /* quiet NaN */
};
#define BOUNDARIES (2 * (uint32_t)(sizeof boundaries / sizeof boundaries[0]))

/* With both signs. */
static uint32_t boundary(uint32_t index) {
  index %= BOUNDARIES;
  return boundaries[index >> 1] | (index & 1u ? SIGN : 0);
}

/* Every one with every one. */
static void test_boundaries(void) {
  for (uint32_t i = 0; i < BOUNDARIES; i++) {
    for (uint32_t j = 0; j < BOUNDARIES; j += ELEMENTS) {
      octet a, b, c;
      for (uint32_t k = 0; k < ELEMENTS; k++) {
        a.bits[k] = boundary(i);
        b.bits[k] = boundary(j + k);
        c.bits[k] = boundary(i + j + 3 * k);
      }
      check_operations(&a, &b, &c);
    }
  }
}

/// Random vectors ///

#define RANDOM_VECTORS 12000

/* Of a size at which sums, products and quotients stay in range. */
static uint32_t random_moderate(void) {
  uint32_t bits = random_bits();
  return (bits & 0x807fffffu) | ((115u + (random_bits() >> 8) % 25u) << 23);
}

/* With few digits, so that results lie halfway between two floats more often. */
static uint32_t random_short(void) {
  return random_moderate() & (random_bits() & 1u ? 0xfffff000u : 0xff80000fu);
}

static void random_triple(int kind, uint32_t *a, uint32_t *b, uint32_t *c) {
  switch (kind) {
  case 0:
    *a = random_bits();
    *b = random_bits();
    *c = random_bits();
    return;
  case 1:
    *a = random_moderate();
    *b = random_moderate();
    *c = random_moderate();
    return;
  case 2:
    *a = random_short();
    *b = random_short();
    *c = random_short();
    return;
  case 3: /* nearly equal numbers */
    *a = random_moderate();
    *b = *a + (random_bits() & 3u) - 1u;
    *c = *b ^ (random_bits() & SIGN);
    return;
  case 4: /* nearly the product of the others: the difference shows whether the product was rounded */
    *a = random_moderate();
    *b = random_moderate();
    *c = (expected_multiply(*a, *b, 0) + (random_bits() & 3u) - 1u) ^ (random_bits() & SIGN);
    return;
  default:
    *a = boundary(random_bits() >> 8);
    *b = random_bits() & 1u ? random_moderate() : random_bits();
    *c = boundary(random_bits() >> 8);
    return;
  }
}

static void test_random(void) {
  for (int32_t i = 0; i < RANDOM_VECTORS; i++) {
    octet a, b, c;
    for (int k = 0; k < ELEMENTS; k++) {
      random_triple(i % 6, &a.bits[k], &b.bits[k], &c.bits[k]);
    }
    check_operations(&a, &b, &c);
  }
}

/// Known results ///

/* Exact results, rounded to nearest even in integers: halfway cases of sums and products, quotients and roots close to
   halfway, and both sides of an overflow. */
static const struct {
  int operation;
  uint32_t a, b, result;
} known[] = {
    {ADD, 0x3f800000u, 0x33800000u, 0x3f800000u},         {ADD, 0x3f800001u, 0x33800000u, 0x3f800002u},
    {ADD, 0x3f800000u, 0x33800001u, 0x3f800001u},         {ADD, 0xbf800000u, 0xb3800000u, 0xbf800000u},
    {ADD, 0x3f800000u, 0xb3000000u, 0x3f800000u},         {ADD, 0x3f800000u, 0xb3400000u, 0x3f7fffffu},
    {ADD, 0x4b800000u, 0x3f800000u, 0x4b800000u},         {ADD, 0x4b800001u, 0x3f800000u, 0x4b800002u},
    {ADD, 0x7f7fffffu, 0x73000000u, 0x7f800000u},         {ADD, 0x7f7fffffu, 0x72ffffffu, 0x7f7fffffu},
    {ADD, 0x3f800000u, 0xbf800000u, 0x00000000u},         {ADD, 0x3dcccccdu, 0x3e4ccccdu, 0x3e99999au},
    {ADD, 0x00800000u, 0x00800000u, 0x01000000u},         {ADD, 0x01000000u, 0x80800000u, 0x00800000u},
    {ADD, 0x7f7fffffu, 0x7f7fffffu, 0x7f800000u},         {MULTIPLY, 0x45800800u, 0x45800800u, 0x4b801000u},
    {MULTIPLY, 0x45801800u, 0x45800800u, 0x4b802002u},    {MULTIPLY, 0x3dcccccdu, 0x3dcccccdu, 0x3c23d70bu},
    {MULTIPLY, 0x3f800001u, 0x3f800001u, 0x3f800002u},    {MULTIPLY, 0x3f7fffffu, 0x3f7fffffu, 0x3f7ffffeu},
    {MULTIPLY, 0x3f800001u, 0x3f7fffffu, 0x3f800000u},    {MULTIPLY, 0x7f7fffffu, 0x3f800001u, 0x7f800000u},
    {MULTIPLY, 0x7f000000u, 0xc0000000u, 0xff800000u},    {MULTIPLY, 0x20000000u, 0x20000000u, 0x00800000u},
    {MULTIPLY, 0x40490fdbu, 0x402df854u, 0x4108a2c0u},    {MULTIPLY, 0x3fffffffu, 0x3fffffffu, 0x407ffffeu},
    {MULTIPLY, 0x2b800000u, 0x2b800000u, 0x17800000u},    {MULTIPLY, 0x5f000000u, 0xdf000000u, 0xfe800000u},
    {DIVIDE, 0x3f800000u, 0x40400000u, 0x3eaaaaabu},      {DIVIDE, 0x40000000u, 0x40400000u, 0x3f2aaaabu},
    {DIVIDE, 0x3f800000u, 0x41200000u, 0x3dcccccdu},      {DIVIDE, 0x3f800001u, 0x3f7fffffu, 0x3f800002u},
    {DIVIDE, 0x3f7fffffu, 0x3f800001u, 0x3f7ffffdu},      {DIVIDE, 0x3f800000u, 0x3f7fffffu, 0x3f800001u},
    {DIVIDE, 0x3f800000u, 0x3f800001u, 0x3f7ffffeu},      {DIVIDE, 0xc0490fdbu, 0x402df854u, 0xbf93eee0u},
    {DIVIDE, 0x7f7fffffu, 0x3f7fffffu, 0x7f800000u},      {DIVIDE, 0x7f7fffffu, 0x3f000000u, 0x7f800000u},
    {DIVIDE, 0x01000000u, 0x3fffffffu, 0x00800001u},      {DIVIDE, 0x4b7fffffu, 0x4b800001u, 0x3f7ffffdu},
    {DIVIDE, 0x40a00000u, 0x40e00000u, 0x3f36db6eu},      {SQUARE_ROOT, 0x40000000u, 0x00000000u, 0x3fb504f3u},
    {SQUARE_ROOT, 0x40400000u, 0x00000000u, 0x3fddb3d7u}, {SQUARE_ROOT, 0x3f800001u, 0x00000000u, 0x3f800000u},
    {SQUARE_ROOT, 0x3f800002u, 0x00000000u, 0x3f800001u}, {SQUARE_ROOT, 0x3f7fffffu, 0x00000000u, 0x3f7fffffu},
    {SQUARE_ROOT, 0x3f7ffffeu, 0x00000000u, 0x3f7fffffu}, {SQUARE_ROOT, 0x7f7fffffu, 0x00000000u, 0x5f7fffffu},
    {SQUARE_ROOT, 0x00800000u, 0x00000000u, 0x20000000u}, {SQUARE_ROOT, 0x00ffffffu, 0x00000000u, 0x203504f3u},
    {SQUARE_ROOT, 0x01000000u, 0x00000000u, 0x203504f3u}, {SQUARE_ROOT, 0x40a00000u, 0x00000000u, 0x400f1bbdu},
    {SQUARE_ROOT, 0x3dcccccdu, 0x00000000u, 0x3ea1e89bu}, {SQUARE_ROOT, 0x4b7fffffu, 0x00000000u, 0x457fffffu},
    {SQUARE_ROOT, 0x4b800001u, 0x00000000u, 0x45800000u}, {SQUARE_ROOT, 0x2b800000u, 0x00000000u, 0x35800000u},
    {SQUARE_ROOT, 0x41800000u, 0x00000000u, 0x40800000u}, {SQUARE_ROOT, 0x3fffffffu, 0x00000000u, 0x3fb504f3u},
    {SQUARE_ROOT, 0x56800007u, 0x00000000u, 0x4b000003u}, {SQUARE_ROOT, 0x5760b7b5u, 0x00000000u, 0x4b6fd96fu},
    {SQUARE_ROOT, 0x572237c7u, 0x00000000u, 0x4b4bc89eu}, {SQUARE_ROOT, 0x571cb186u, 0x00000000u, 0x4b48489bu},
    {SQUARE_ROOT, 0x56ac0826u, 0x00000000u, 0x4b146442u}, {SQUARE_ROOT, 0x56e09263u, 0x00000000u, 0x4b298b48u},
};
#define KNOWN ((int32_t)(sizeof known / sizeof known[0]))

static void test_known(void) {
  for (int32_t i = 0; i < KNOWN; i++) {
    const operation *op = &operations[known[i].operation];
    octet a, b, result;
    for (int k = 0; k < ELEMENTS; k++) {
      a.bits[k] = known[i].a;
      b.bits[k] = known[i].b;
    }
    op->run(&result, &a, &b, &b);
    int correct = 1;
    for (int k = 0; k < ELEMENTS; k++) {
      correct &= result.bits[k] == known[i].result;
    }
    check("known result of lanes", i, correct);
    check("known result of floats", i, op->expected(known[i].a, known[i].b, 0) == known[i].result);
    if (known[i].operation == SQUARE_ROOT) {
      check("known result of square_root", i, bits_from(square_root(a.value[0])) == known[i].result);
    }
  }
}

/// Masks ///

static void test_masks(void) {
  const int32_t farthest[] = {INT32_MIN, INT32_MIN + 1, -1000000, 1000000, INT32_MAX};
  for (int32_t i = -9; i < 17 + 5; i++) {
    int32_t count = i < 17 ? i : farthest[i - 17];
    octet flags;
    lanes_store(flags.value, flags_of(lanes_first(count)));
    int correct = 1;
    for (int32_t k = 0; k < CLOTH_LANES; k++) {
      correct &= flags.bits[k] == (k < count ? ONE : 0);
    }
    check("first", i + 9, correct);
  }

  for (int32_t parity = 0; parity < 2; parity++) {
    octet pattern, flags;
    for (int k = 0; k < ELEMENTS; k++) {
      pattern.value[k] = (k & 1) == parity ? 1.0f : 0.0f;
    }
    lanes_mask chosen = lanes_less(lanes_splat(0.0f), lanes_load(pattern.value));
    lanes_store(flags.value, flags_of(lanes_both(chosen, lanes_first(3))));
    int correct = 1;
    for (int32_t k = 0; k < CLOTH_LANES; k++) {
      correct &= flags.bits[k] == (k < 3 && (k & 1) == parity ? ONE : 0);
    }
    check("every second of the first", parity, correct);
  }
}

static void test_transposition(void) {
  lanes block[CLOTH_LANES];
  octet row;
  for (int m = 0; m < CLOTH_LANES; m++) {
    for (int k = 0; k < ELEMENTS; k++) {
      row.bits[k] = ONE + (uint32_t)(ELEMENTS * m + k);
    }
    block[m] = lanes_load(row.value);
  }
  lanes_transpose(block);
  for (int m = 0; m < CLOTH_LANES; m++) {
    lanes_store(row.value, block[m]);
    for (int k = 0; k < CLOTH_LANES; k++) {
      check("transposed", ELEMENTS * m + k, row.bits[k] == ONE + (uint32_t)(ELEMENTS * k + m));
    }
  }
}

static void test_any(void) {
  /* Every set of eight elements. */
  for (uint32_t set = 0; set < 256; set++) {
    octet from;
    int any = 0;
    for (uint32_t k = 0; k < ELEMENTS; k++) {
      from.bits[k] = (set >> k) & 1u;
    }
    for (int32_t i = 0; i < ELEMENTS; i += CLOTH_LANES) {
      any += lanes_any(last_bit_set(&from, i)) << (i / CLOTH_LANES);
    }
    int expected = 0;
    for (uint32_t k = 0; k < ELEMENTS; k++) {
      expected |= (int)((set >> k) & 1u) << (k / CLOTH_LANES);
    }
    check("any", (int32_t)set, any == expected);
  }
  check("any of the first", 0, lanes_any(lanes_first(0)) == 0);
  check("any of the first", 1, lanes_any(lanes_first(1)) == 1);
}

/// Memory ///

#define GUARDED 32
#define STORES_PER_COUNT 100

/* Through an address that is a multiple of four bytes and no more; nothing else may change. */
static void test_stores(void) {
  for (int32_t i = 0; i < 10 * STORES_PER_COUNT; i++) {
    element memory[GUARDED], expected[GUARDED], from[GUARDED];
    int32_t count = i / STORES_PER_COUNT; /* 0 stands for a store of all lanes */
    int32_t stored = count == 0 || count > CLOTH_LANES ? CLOTH_LANES : count;
    int32_t source = (int32_t)(random_bits() & 7u);
    int32_t target = (int32_t)(random_bits() & 7u) + 4;
    for (int32_t k = 0; k < GUARDED; k++) {
      from[k].bits = random_bits();
      expected[k].bits = memory[k].bits = random_bits();
    }
    for (int32_t k = 0; k < stored; k++) {
      expected[target + k].bits = from[source + k].bits;
    }
    lanes a = lanes_load(&from[source].value);
    if (count == 0) {
      lanes_store(&memory[target].value, a);
    } else {
      lanes_store_first(&memory[target].value, a, count);
    }
    int correct = 1;
    for (int32_t k = 0; k < GUARDED; k++) {
      correct &= memory[k].bits == expected[k].bits;
    }
    check(count == 0 ? "store" : "store of the first", count, correct);
  }
}

/* Lanes from anywhere in an array. */
static void test_picks(void) {
  for (int32_t i = 0; i < 500; i++) {
    element from[GUARDED];
    uint16_t index[ELEMENTS];
    int32_t places[ELEMENTS];
    float picked[ELEMENTS], gathered[ELEMENTS];
    int correct = 1;
    for (int32_t k = 0; k < GUARDED; k++) {
      from[k].bits = random_moderate();
    }
    for (int32_t k = 0; k < ELEMENTS; k++) {
      index[k] = (uint16_t)((random_bits() >> 8) % GUARDED);
      places[k] = index[k] - GUARDED / 2;
    }
    lanes_store(picked, lanes_pick(&from[0].value, index));
    lanes_store(gathered, lanes_gather(&from[GUARDED / 2].value, places));
    for (int32_t k = 0; k < CLOTH_LANES; k++) {
      correct &= bits_from(picked[k]) == from[index[k]].bits;
      correct &= bits_from(gathered[k]) == from[index[k]].bits;
    }
    check("pick", i, correct);
  }
}

/* A bit for each lane of a mask. */
static void test_bits(void) {
  for (int32_t i = 0; i < 500; i++) {
    float a[ELEMENTS], b[ELEMENTS];
    uint32_t expected = 0;
    for (int32_t k = 0; k < ELEMENTS; k++) {
      a[k] = (float)(random_bits() >> 30);
      b[k] = (float)(random_bits() >> 30);
    }
    for (int32_t k = 0; k < CLOTH_LANES; k++) {
      expected |= (uint32_t)(a[k] < b[k]) << k;
    }
    check("bits", i, lanes_bits(lanes_less(lanes_load(a), lanes_load(b))) == expected);
  }
}

/* Lanes and single floats in the same memory, in an order that an optimizer may not change. GCC 12 does for Helium's
   own load and store functions, as it believes that they touch a single element. */
static float partly_overwritten(float before, lanes a, int32_t count) {
  float memory[ELEMENTS] = {before, before, before, before, before, before, before, before};
  lanes_store_first(memory, a, count);
  return memory[2] * before + memory[1];
}

static void test_shared_memory(void) {
  for (int32_t count = 1; count <= ELEMENTS; count++) {
    int32_t stored = count < CLOTH_LANES ? count : CLOTH_LANES;
    float expected = (stored > 2 ? 3.0f : 5.0f) * 5.0f + (stored > 1 ? 3.0f : 5.0f);
    check("partly overwritten", count, partly_overwritten(5.0f, lanes_splat(3.0f), count) == expected);
  }
  for (int32_t i = 0; i < 200; i++) {
    float memory[ELEMENTS];
    uint32_t bits[2] = {random_moderate(), random_moderate()};
    float a = element_of(bits[0]).value;
    float b = element_of(bits[1]).value;
    for (int32_t k = 0; k < ELEMENTS; k++) {
      memory[k] = random_bits() & 1u ? a : b;
    }
    for (int32_t k = 0; k < CLOTH_LANES; k++) {
      memory[k] = k & 1 ? a : b;
    }
    lanes all = lanes_add(lanes_load(memory), lanes_splat(a));
    lanes_store(memory, all);
    float last = memory[CLOTH_LANES - 1];
    memory[CLOTH_LANES - 1] = b;
    lanes_store_first(memory, lanes_subtract(lanes_load(memory), lanes_splat(b)), 1 + (i & 3));
    int correct = bits_from(last) == bits_from((CLOTH_LANES > 1 ? a : b) + a);
    for (int32_t k = 0; k < CLOTH_LANES; k++) {
      float expected = k == CLOTH_LANES - 1 ? b : (k & 1 ? a : b) + a;
      correct &= bits_from(memory[k]) == bits_from(k < 1 + (i & 3) ? expected - b : expected);
    }
    check("shared memory", i, correct);
  }
}

/// Sums ///

#define SUMS 500
#define SUM_ELEMENTS 200

static void test_sums(void) {
  for (int32_t i = 0; i < SUMS; i++) {
    /* Beyond the end there is something, which the sum must leave out. */
    element values[SUM_ELEMENTS + ELEMENTS];
    int32_t count = (int32_t)(random_bits() >> 8) % SUM_ELEMENTS;
    for (int32_t k = 0; k < SUM_ELEMENTS + ELEMENTS; k++) {
      values[k].bits = random_moderate();
    }
    lanes_sum sum = {{0.0f}};
    for (int32_t k = 0; k < count; k += CLOTH_LANES) {
      lanes_sum_add(&sum, k, lanes_select(lanes_first(count - k), lanes_load(&values[k].value), lanes_splat(0.0f)));
    }
    volatile float partial[8] = {0.0f};
    for (int32_t k = 0; k < count; k++) {
      partial[k % 8] = partial[k % 8] + values[k].value;
    }
    float p04 = partial[0] + partial[4];
    float p26 = partial[2] + partial[6];
    float p15 = partial[1] + partial[5];
    float p37 = partial[3] + partial[7];
    check("sum", i, bits_from(lanes_sum_total(&sum)) == bits_from((p04 + p26) + (p15 + p37)));
    int correct = 1;
    for (int32_t k = 0; k < 8; k++) {
      correct &= bits_from(sum.partial[k]) == bits_from(partial[k]);
    }
    check("partial sums", i, correct);
  }
}

/// Memory that is cleared after it was read ///

#define CLEARED 20

/* Clang 14 for WebAssembly read some of the sums after it had cleared them, see lanes_splat() of port/lanes_wasm.h. */
CLOTH_SEPARATE momenta take_sums(vector_sum s[2]) {
  const momenta m = momenta_of(s);
  fill_zero(s, 2 * sizeof *s);
  return m;
}

CLOTH_SEPARATE void take_splat(float *from, float *to) {
  const lanes all = lanes_splat(from[0]);
  fill_zero(from, 2 * sizeof *from);
  lanes_store(to, all);
}

static void check_sums(int32_t i, cloth_vector found, cloth_vector expected) {
  check("sum of cleared memory", i, bits_from(found.x) == bits_from(expected.x));
  check("sum of cleared memory", i, bits_from(found.y) == bits_from(expected.y));
  check("sum of cleared memory", i, bits_from(found.z) == bits_from(expected.z));
}

/* Whole numbers, whose sums are exact in every order. */
static row_sum whole_sum(int32_t first, float *total) {
  lanes_sum sum;
  *total = 0.0f;
  for (int32_t n = 0; n < LANES_SUMS; n++) {
    sum.partial[n] = (float)(1 + (first + 7 * n) % 50);
    *total += sum.partial[n];
  }
  row_sum parts;
  for (int32_t n = 0; n < ROW_PARTS; n++) {
    parts.part[n] = lanes_load(sum.partial + n * CLOTH_LANES);
  }
  return parts;
}

static void test_cleared_memory(void) {
  for (int32_t i = 0; i < CLEARED; i++) {
    vector_sum s[2];
    momenta expected;
    s[0].x = whole_sum(i, &expected.linear.x);
    s[0].y = whole_sum(i + 1, &expected.linear.y);
    s[0].z = whole_sum(i + 2, &expected.linear.z);
    s[1].x = whole_sum(i + 3, &expected.angular.x);
    s[1].y = whole_sum(i + 4, &expected.angular.y);
    s[1].z = whole_sum(i + 5, &expected.angular.z);
    const momenta m = take_sums(s);
    check_sums(i, m.linear, expected.linear);
    check_sums(i, m.angular, expected.angular);
    float from[2] = {(float)(i + 1), 2.0f}, to[CLOTH_LANES];
    take_splat(from, to);
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      check("splat of cleared memory", i, bits_from(to[lane]) == bits_from((float)(i + 1)));
    }
  }
}

int board_main(void) {
  board_print("lanes: " CLOTH_LANES_NAME ", ");
  print_number(CLOTH_LANES);
  board_print(" wide\n");
  test_known();
  test_boundaries();
  test_random();
  test_masks();
  test_transposition();
  test_any();
  test_stores();
  test_picks();
  test_bits();
  test_shared_memory();
  test_sums();
  test_cleared_memory();
  print_number(passed);
  board_print(" passed, ");
  print_number(failed);
  board_print(" failed\n");
  return failed != 0;
}
