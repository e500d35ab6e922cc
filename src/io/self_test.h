#pragma once

#include "../step/kernel_test.h"

/// Self-test ///

/* cloth_self_test(): expressions whose bits are known, as scalars and in lanes, and operations of the backend against
   plain C. Finds builds and machines that fuse, widen or flush. */

#if WITH_SELF_TEST

/* 1 if the value, once rounded to a float in memory, has these bits. */
static int has_bits(float value, uint32_t bits) {
  volatile float kept = value;
  return float_to_bits(kept).bits == bits;
}

/* Expressions whose results are known, and the error that another result means. */
enum { A_PLUS_B, A_OVER_B, A_PLUS_B_MINUS_A, A_TIMES_A_PLUS_B, A_TIMES_2_OVER_2, ROOT_OF_A };
typedef struct known_bits {
  int16_t expression; /* A_PLUS_B ... */
  int16_t error;
  uint32_t a, b, bits; /* of the operands and the result */
} known_bits;

CLOTH_CONSTANT static const known_bits known_results[] = {
    /* 1 + 2^-24 is a tie: to even, downwards; to even, upwards; a little more than a tie; a tie below 0. */
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0x3f800000u, 0x33800000u, 0x3f800000u},
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0x3f800001u, 0x33800000u, 0x3f800002u},
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0x3f800000u, 0x33800001u, 0x3f800001u},
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0xbf800000u, 0xb3800000u, 0xbf800000u},
    /* 1 / 3 is rounded up. */
    {A_OVER_B, CLOTH_ERROR_ROUNDING, 0x3f800000u, 0x40400000u, 0x3eaaaaabu},
    /* 2^127 * 2 is infinite in a float; in a wider format halving it gives 2^127 again. */
    {A_TIMES_2_OVER_2, CLOTH_ERROR_EXCESS_PRECISION, 0x7f000000u, 0, 0x7f800000u},
    /* (2^24 + 1/2) - 2^24 and (1 + 2^-25) - 1 are 0 if the sum is rounded to a float, else 1/2 and 2^-25. */
    {A_PLUS_B_MINUS_A, CLOTH_ERROR_EXCESS_PRECISION, 0x4b800000u, 0x3f000000u, 0},
    {A_PLUS_B_MINUS_A, CLOTH_ERROR_EXCESS_PRECISION, 0x3f800000u, 0x33000000u, 0},
    /* 3 / 7, which differs from 3 * (1 / 7). */
    {A_OVER_B, CLOTH_ERROR_EXCESS_PRECISION, 0x40400000u, 0x40e00000u, 0x3edb6db7u},
    /* (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46 when it is rounded once, and 0 when the product is rounded first. */
    {A_TIMES_A_PLUS_B, CLOTH_ERROR_CONTRACTION, 0x3f800001u, 0xbf800002u, 0},
    /* Roots of 2, the neighbours of 1, 2^-126, the largest float, infinity. */
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x40000000u, 0, 0x3fb504f3u},
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x3f800001u, 0, 0x3f800000u},
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x3f7fffffu, 0, 0x3f7fffffu},
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x00800000u, 0, 0x20000000u},
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x7f7fffffu, 0, 0x5f7fffffu},
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x7f800000u, 0, 0x7f800000u},
};

static lanes expression_value(int expression, lanes a, lanes b) {
  switch (expression) {
  case A_PLUS_B:
    return lanes_add(a, b);
  case A_OVER_B:
    return lanes_divide(a, b);
  case A_PLUS_B_MINUS_A:
    return lanes_subtract(lanes_add(a, b), a);
  case A_TIMES_A_PLUS_B:
    return lanes_add(lanes_multiply(a, a), b);
  case A_TIMES_2_OVER_2:
    return lanes_multiply(lanes_multiply(a, lanes_splat(2.0f)), lanes_splat(0.5f));
  default:
    return lanes_square_root(a);
  }
}

/* The value of an expression in floats: a twin of expression_value(), as lanes and floats may be separate units. */
static float scalar_value(int expression, float a, float b) {
  switch (expression) {
  case A_PLUS_B:
    return a + b;
  case A_OVER_B:
    return a / b;
  case A_PLUS_B_MINUS_A:
    return (a + b) - a;
  case A_TIMES_A_PLUS_B:
    return a * a + b;
  case A_TIMES_2_OVER_2:
    return a * 2.0f * 0.5f;
  default:
    return square_root(a);
  }
}

/* 1 if masks choose the right lanes: the first three, every second, both; stores of three, lanes moved up by one. */
static int masks_are_right(void) {
  static const float parity[8] = {0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f};
  float stored[CLOTH_LANES];
  float chosen[CLOTH_LANES];
  lanes one = lanes_splat(1.0f);
  lanes zero = lanes_splat(0.0f);
  lanes_mask odd = lanes_less(zero, lanes_load(parity));
  lanes_mask even = lanes_less(lanes_load(parity), one);
  lanes_mask both = lanes_both(lanes_first(3), even);
  lanes_store(stored, zero);
  lanes_store_first(stored, one, 3);
  lanes_store(chosen, lanes_select(both, one, lanes_select(odd, lanes_splat(2.0f), zero)));
  for (int32_t i = 0; i < CLOTH_LANES; i++) {
    float expected = i % 2 == 1 ? 2.0f : (i < 3 ? 1.0f : 0.0f);
    if (stored[i] != (i < 3 ? 1.0f : 0.0f) || chosen[i] != expected) { return 0; }
  }
  return lanes_any(both) && !lanes_any(lanes_first(0)) && !lanes_any(lanes_both(both, odd));
}

/* 1 if lanes_transpose() gives the transpose of a matrix of different numbers. */
static int transposition_is_right(void) {
  float from[CLOTH_LANES * CLOTH_LANES];
  float to[CLOTH_LANES];
  lanes block[CLOTH_LANES];
  for (int32_t i = 0; i < CLOTH_LANES * CLOTH_LANES; i++) {
    from[i] = (float)i;
  }
  for (int32_t i = 0; i < CLOTH_LANES; i++) {
    block[i] = lanes_load(from + i * CLOTH_LANES);
  }
  lanes_transpose(block);
  int right = 1;
  for (int32_t i = 0; i < CLOTH_LANES * CLOTH_LANES; i++) {
    lanes_store(to, block[i / CLOTH_LANES]);
    right &= to[i % CLOTH_LANES] == from[i % CLOTH_LANES * CLOTH_LANES + i / CLOTH_LANES];
  }
  return right;
}

/* 1 if loads, arithmetic, selections and stores of lanes, as vector units differ in them, give the bits of scalars. */
static int lanes_are_right(void) {
  float from[CLOTH_LANES + 1];
  float to[CLOTH_LANES + 1];
  for (int32_t i = 0; i <= CLOTH_LANES; i++) {
    from[i] = opaque_float(0x3f800000u + 0x00254321u * (uint32_t)i); /* below 1.5 in the first two lanes only */
    to[i] = 7.0f;
  }
  lanes a = lanes_load(from);
  lanes b = lanes_divide(lanes_splat(opaque_float(0xc0400000u)), a);
  lanes c =
      lanes_select(lanes_less(b, lanes_splat(opaque_float(0xc0000000u))), lanes_absolute(b), lanes_subtract(a, b));
  lanes_store_first(to, lanes_multiply(c, b), CLOTH_LANES);
  for (int32_t i = 0; i < CLOTH_LANES; i++) {
    float quotient = opaque_float(0xc0400000u) / from[i];
    float chosen = quotient < opaque_float(0xc0000000u) ? negate(quotient) : from[i] - quotient;
    if (!has_bits(to[i], float_to_bits(chosen * quotient).bits)) { return 0; }
  }
  return has_bits(to[CLOTH_LANES], 0x40e00000u) && masks_are_right() && transposition_is_right();
}

/* Divides values one by one, and as first lanes: a compiler that may use reciprocals computes one before the loop. */
CLOTH_SEPARATE void divide_all(float *floats, float *blocks, int32_t count, float divisor) {
  for (int32_t n = 0; n < count; n++) {
    floats[n] = floats[n] / divisor;
    lanes_store(blocks + n * CLOTH_LANES, lanes_divide(lanes_load(blocks + n * CLOTH_LANES), lanes_splat(divisor)));
  }
}

/* 1 if quotients by one divisor are divided: 3, 5, 6 and 11 sevenths, which differ from their products with 1 / 7. A
   compiler that may use reciprocals does so where several quotients share a divisor, in a row or in a loop. */
CLOTH_SEPARATE int quotients_are_right(void) {
  CLOTH_CONSTANT static const uint32_t numerators[4] = {0x40400000u, 0x40a00000u, 0x40c00000u, 0x41300000u};
  CLOTH_CONSTANT static const uint32_t known[4] = {0x3edb6db7u, 0x3f36db6eu, 0x3f5b6db7u, 0x3fc92492u};
  const float seven = opaque_float(0x40e00000u);
  const lanes sevens = lanes_splat(opaque_float(0x40e00000u));
  float given[4], floats[4], blocks[4 * CLOTH_LANES];
  for (int32_t n = 0; n < 4; n++) {
    given[n] = floats[n] = opaque_float(numerators[n]);
    lanes_store(blocks + n * CLOTH_LANES, lanes_splat(opaque_float(numerators[n])));
  }
  divide_all(floats, blocks, 4, opaque_float(0x40e00000u));
  const float in_a_row[4] = {given[0] / seven, given[1] / seven, given[2] / seven, given[3] / seven};
  const lanes lanes_in_a_row[4] = {
      lanes_divide(lanes_splat(given[0]), sevens), lanes_divide(lanes_splat(given[1]), sevens),
      lanes_divide(lanes_splat(given[2]), sevens), lanes_divide(lanes_splat(given[3]), sevens)};
  for (int32_t n = 0; n < 4; n++) {
    if (!has_bits(in_a_row[n], known[n]) || !has_bits(lanes_first_value(lanes_in_a_row[n]), known[n]) ||
        !has_bits(floats[n], known[n]) || !has_bits(blocks[n * CLOTH_LANES], known[n])) {
      return 0;
    }
  }
  return 1;
}

/* 1 if -0 + 0 and 0 - 0 are +0, which compilers that may ignore the sign of zeros get wrong. */
CLOTH_SEPARATE int zeros_are_right(void) {
  const lanes sum = lanes_add(lanes_splat(opaque_float(0x80000000u)), lanes_splat(0.0f));
  const lanes difference = lanes_negate(lanes_splat(opaque_float(0)));
  return has_bits(opaque_float(0x80000000u) + 0.0f, 0) && has_bits(negate(opaque_float(0)), 0) &&
         has_bits(quantise(opaque_float(0x80000000u), WORK_ROUNDER), 0) && has_bits(lanes_first_value(sum), 0) &&
         has_bits(lanes_first_value(difference), 0);
}

/* A chain of points that falls onto a sphere, in the way of a step: velocities, lengths, contact, sums. */
enum { CHAIN_POINTS = 6, CHAIN_STEPS = 8 };
#define CHAIN_HASH 0x36507f27u
typedef struct falling_chain {
  cloth_vector place[CHAIN_POINTS], velocity[CHAIN_POINTS], next[CHAIN_POINTS];
  cloth_vector sums[CHAIN_STEPS]; /* of the velocities after each step */
} falling_chain;

/* Moves two neighbours along their difference, to a length of an eighth of a metre. */
static void keep_link(cloth_vector *a, cloth_vector *b) {
  const cloth_vector way = vector_subtract(*b, *a);
  const float length = vector_length(way), share = (length - opaque_float(0x3e000000u)) / (length * 3.0f);
  *a = vector_add_scaled(*a, way, share);
  *b = vector_add_scaled(*b, way, negate(share));
}

/* A step of 1/60 s. Returns the sum of all velocities, added up one after the other. */
CLOTH_SEPARATE cloth_vector move_chain(falling_chain *c) {
  const float dt = opaque_float(0x3c888889u), radius = opaque_float(0x3e99999au);
  cloth_vector sum = {0.0f, 0.0f, 0.0f};
  for (int32_t i = 0; i < CHAIN_POINTS; i++) {
    c->velocity[i].y -= dt * opaque_float(0x411cf5c3u);
    c->next[i] = vector_add_scaled(c->place[i], c->velocity[i], dt / (1.0f + 0.1f * dt));
  }
  for (int32_t i = 0; i + 1 < CHAIN_POINTS; i++) {
    keep_link(&c->next[i], &c->next[i + 1]);
  }
  for (int32_t i = 0; i < CHAIN_POINTS; i++) {
    const float distance = vector_length(c->next[i]);
    c->next[i] = distance < radius ? vector_scale(c->next[i], radius / distance) : c->next[i];
    const cloth_vector way = vector_subtract(c->next[i], c->place[i]);
    c->velocity[i] = vector_flush_state(vector(way.x / dt, way.y / dt, way.z / dt));
    c->place[i] = vector_flush_state(c->next[i]);
    sum = vector_add(sum, c->velocity[i]);
  }
  return sum;
}

/* A hash of the sums of the steps, and of the places and velocities at the end. */
CLOTH_SEPARATE uint32_t hash_chain(const falling_chain *c) {
  hasher h;
  hash_start(&h);
  hash_words(&h, (const any_word *)c->sums, 3 * CHAIN_STEPS);
  hash_words(&h, (const any_word *)c, 6 * CHAIN_POINTS);
  const uint64_t hash = hash_end(&h);
  return (uint32_t)(hash ^ (hash >> 32));
}

/* 1 if the chain comes to the places, velocities and sums that it comes to on every machine. */
CLOTH_SEPARATE int chain_is_right(void) {
  falling_chain c;
  for (int32_t i = 0; i < CHAIN_POINTS; i++) {
    c.place[i] = vector(0.11f * (float)(i - 2), 0.3125f, 0.07f * (float)(i % 3));
    c.velocity[i] = vector(0.0f, 0.0f, negate(opaque_float(0)));
  }
  for (int32_t step = 0; step < CHAIN_STEPS; step++) {
    c.sums[step] = move_chain(&c);
  }
  return hash_chain(&c) == CHAIN_HASH;
}

int cloth_self_test(void) {
  const known_bits *end = known_results + sizeof known_results / sizeof known_results[0];
  for (const known_bits *k = known_results; k < end; k++) {
    /* Lanes and floats get operands of their own, or a product of both would be computed once, and never fused. */
    lanes a = lanes_splat(opaque_float(k->a));
    lanes b = lanes_splat(opaque_float(k->b));
    if (!has_bits(lanes_first_value(expression_value(k->expression, a, b)), k->bits) ||
        (CLOTH_LANES > 1 && !has_bits(scalar_value(k->expression, opaque_float(k->a), opaque_float(k->b)), k->bits))) {
      return k->error;
    }
  }
  if (!quotients_are_right() || !zeros_are_right() || !chain_is_right()) { return CLOTH_ERROR_EXCESS_PRECISION; }
  if (CLOTH_LANES > 1 && !lanes_are_right()) { /* a single lane is the scalar reference itself */
    return CLOTH_ERROR_LANES;
  }
  if (!kernels_are_right()) { return CLOTH_LANES > 1 ? CLOTH_ERROR_LANES : CLOTH_ERROR_EXCESS_PRECISION; }
  /* Half of the smallest normal number, 2^-127, is 0 only if the scalar or the vector unit flushes subnormals. */
  float half = opaque_float(0x3f000000u);
  float smallest = opaque_float(0x00800000u);
  lanes wide = lanes_multiply(lanes_splat(smallest), lanes_splat(half));
  int flushes = has_bits(smallest * half, 0) || has_bits(lanes_first_value(wide), 0);
  return flushes ? CLOTH_NOTE_FLUSHES : CLOTH_OK;
}

#endif
