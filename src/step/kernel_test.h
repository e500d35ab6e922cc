#pragma once
#include "../base/hash.h"
#include "../contact/law.h"
#include "../solve/transfer.h"
#include "../terms/springs.h"

/// Kernels of the step of one equation, tested ///

/* For cloth_self_test(): the kernels whose bits are not those of a single operation of the lanes, on a small grid, from
   numbers that the compiler cannot know. One hash, in the order of the particles. */

#if WITH_SELF_TEST

/* The grid, wider than one block of any lanes, and the coarse one. */
enum {
  KERNEL_NUMBERS = 32, /* a power of two */
  KERNEL_COLUMNS = 9,
  KERNEL_ROWS = 4,
  KERNEL_COARSE_ROWS = 3,
  KERNEL_PITCH = (KERNEL_COLUMNS + CLOTH_LANES - 1) / CLOTH_LANES * CLOTH_LANES,
  KERNEL_COARSE_PITCH = (5 + CLOTH_LANES - 1) / CLOTH_LANES * CLOTH_LANES,
  KERNEL_PLANE = KERNEL_PITCH * KERNEL_ROWS + 2 * ROW_PAD,
  KERNEL_COARSE_PLANE = KERNEL_COARSE_PITCH * KERNEL_COARSE_ROWS + 2 * ROW_PAD,
  KERNEL_TRANSFER_PAD = CLOTH_LANES == 1 ? 6 : CLOTH_LANES,
  KERNEL_TRANSFER = KERNEL_PITCH + 6 * CLOTH_LANES
};
#define KERNELS_HASH UINT64_C(0xf14f9878200633c9)

/* Numbers between 1/2 and 1. */
static float kernel_number(int32_t n) {
  return opaque_float(0x3f000000u + (0x0025a6f3u * (uint32_t)n + 0x00134567u) % 0x00800000u);
}

static cloth_vector kernel_vector(int32_t n) {
  return vector(kernel_number(n % KERNEL_NUMBERS), kernel_number((n + 9) % KERNEL_NUMBERS),
                kernel_number((n + 20) % KERNEL_NUMBERS));
}

static void hash_number(hasher *h, float number) {
  hash_word(h, float_to_bits(number).bits);
}

static void hash_vector(hasher *h, cloth_vector a) {
  hash_words(h, (const any_word *)(const void *)&a, 3);
}

/* The first `count` lanes of a block, one after the other. */
static void hash_lanes3(hasher *h, lanes3 block, int32_t count) {
  float x[CLOTH_LANES], y[CLOTH_LANES], z[CLOTH_LANES];
  lanes_store(x, block.x);
  lanes_store(y, block.y);
  lanes_store(z, block.z);
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < count; lane++) {
    hash_vector(h, vector(x[lane], y[lane], z[lane]));
  }
}

/* What springs from a block of a row make of their force: through the inverse of their blocks, and back. */
CLOTH_INLINE lanes3 kernel_force(const float *row, int32_t i, const substep_terms *t) {
  const lanes3 here = near_load(row, KERNEL_PITCH, i), next = near_load(row, KERNEL_PITCH, i + 1);
  const lanes3 before = near_load(row, KERNEL_PITCH, i - 1);
  const spring_coefficients k = {.stiffness = lanes_splat(64.0f * kernel_number(0)),
                                 .tension = lanes_splat(16.0f * kernel_number(1)),
                                 .turn = lanes_splat(512.0f * kernel_number(2)),
                                 .damping = lanes_splat(kernel_number(3))};
  const lanes3 way = lanes3_scale(lanes3_subtract(here, before), lanes_splat(0.0625f * kernel_number(4)));
  const spring_motion m = {.d = lanes3_subtract(here, next), .way = way, .turn = lanes3_subtract(way, here)};
  const linear_spring s = linearise_spring(t, 0, &k, &m, 0.5f * kernel_number(5));
  const symmetric block = symmetric_add(block_of_spring(s.across, s.along, m.d), symmetric_identity(lanes_splat(1.0f)));
  const lanes3 force = lanes3_scale(m.d, lanes_negate(s.force));
  const lanes3 moved = symmetric_apply(symmetric_inverse(block, lanes_splat(0.5f)), force);
  return lanes3_subtract(spring_product(s.across, s.along, m.d, moved), moved);
}

/* Springs along a row whose lengths differ, and the sum of what they give. */
CLOTH_SEPARATE void hash_springs(hasher *h) {
  float places[3 * (KERNEL_PITCH + 2 * ROW_PAD)], sums[LANES_SUMS], *row = places + NEAR_STEP * ROW_PAD;
  substep_terms t;
  lanes_sum none;
  row_sum sum = row_sum_start();
  fill_zero(&t, sizeof t);
  fill_zero(&none, sizeof none);
  fill_zero(places, sizeof places);
  t.limit = 0.125f * kernel_number(6);
  t.limit_stiffness = 32.0f * kernel_number(7);
  for (int32_t i = 0; i < KERNEL_COLUMNS; i++) {
    const cloth_vector off = kernel_vector(5 * i);
    near_vector_store(row, KERNEL_PITCH, i, vector(0.25f * (float)i + 0.125f * off.x, 0.25f * off.y, 0.125f * off.z));
  }
  EACH_ROW_BLOCK(i, ends, KERNEL_COLUMNS - 1, {
    const lanes3 force = kernel_force(row, i, &t);
    row_sum_add(&sum, i,
                lanes_within(lanes3_dot(force, force), ends & ROW_LAST ? KERNEL_COLUMNS - 1 - i : CLOTH_LANES));
    hash_lanes3(h, force, KERNEL_COLUMNS - 1 - i);
  })
  row_sum_store(sums, &sum);
  hash_number(h, rows_total(sums, 1, LANES_SUMS, none));
}

static level_pair kernel_pair(float *row, int32_t is_ring) {
  level_pair p = {.columns = KERNEL_COLUMNS,
                  .rows = KERNEL_ROWS,
                  .pitch = KERNEL_PITCH,
                  .coarse_rows = coarse_rows(KERNEL_COLUMNS, KERNEL_ROWS, is_ring),
                  .coarse_pitch = KERNEL_COARSE_PITCH,
                  .row = row + KERNEL_TRANSFER_PAD,
                  .places = KERNEL_TRANSFER};
  p.coarse_columns = coarse_columns(KERNEL_COLUMNS, KERNEL_ROWS, is_ring, &p.transfer);
  return p;
}

/* Vectors of the grid restricted to the coarse one. */
CLOTH_SEPARATE void hash_restriction(hasher *h, int32_t is_ring) {
  float transfer[6 * KERNEL_TRANSFER], fine[3 * KERNEL_PITCH * KERNEL_ROWS];
  float coarse[3 * KERNEL_COARSE_PITCH * KERNEL_COARSE_ROWS];
  const level_pair p = kernel_pair(transfer, is_ring);
  fill_zero(transfer, sizeof transfer);
  fill_zero(fine, sizeof fine);
  for (int32_t n = 0; n < KERNEL_COLUMNS * KERNEL_ROWS; n++) {
    const int32_t place = n / KERNEL_COLUMNS * KERNEL_PITCH + n % KERNEL_COLUMNS;
    const cloth_vector a = kernel_vector(3 * n);
    *own_at(fine, 3, place, 0) = a.x;
    *own_at(fine, 3, place, 1) = a.y;
    *own_at(fine, 3, place, 2) = a.z;
  }
  restrict_vectors(&p, fine, coarse, 0, p.coarse_rows);
  for (int32_t row = 0; row < p.coarse_rows; row++) {
    for (int32_t i = 0; i < p.coarse_columns; i += CLOTH_LANES) {
      hash_lanes3(h, own_load(coarse, row * p.coarse_pitch + i), p.coarse_columns - i);
    }
  }
}

/* Vectors of the coarse grid spread over the fine one. */
CLOTH_SEPARATE void hash_interpolation(hasher *h, int32_t is_ring) {
  float transfer[6 * KERNEL_TRANSFER], fine[3 * KERNEL_PLANE], coarse[3 * KERNEL_COARSE_PLANE];
  float *from = coarse + NEAR_STEP * ROW_PAD, *to = fine + NEAR_STEP * ROW_PAD;
  const level_pair p = kernel_pair(transfer, is_ring);
  fill_zero(transfer, sizeof transfer);
  fill_zero(fine, sizeof fine);
  fill_zero(coarse, sizeof coarse);
  for (int32_t n = 0; n < p.coarse_columns * p.coarse_rows; n++) {
    float *row = near_row(from, p.coarse_pitch, n / p.coarse_columns);
    near_vector_store(row, KERNEL_COARSE_PLANE, n % p.coarse_columns, kernel_vector(3 * n));
  }
  const interpolation v = {from, to, KERNEL_COARSE_PLANE, KERNEL_PLANE, 0};
  close_coarse(&p, from, KERNEL_COARSE_PLANE);
  interpolate_vectors(&p, &v, 0, p.rows);
  for (int32_t n = 0; n < KERNEL_COLUMNS * KERNEL_ROWS; n++) {
    const float *row = near_row(to, p.pitch, n / KERNEL_COLUMNS);
    hash_vector(h, near_vector(row, KERNEL_PLANE, n % KERNEL_COLUMNS));
  }
}

/* Contacts of all depths. */
CLOTH_SEPARATE void hash_contacts(hasher *h) {
  for (int32_t n = 0; n < 8; n++) {
    const float gap = 0.015625f * kernel_number(n + 2) * (float)(n - 2),
                moves = 0.0625f * (kernel_number(n + 4) - 0.75f);
    const contact_tangent t =
        contact_at(lanes_splat(64.0f * kernel_number(n)), lanes_splat(0.0625f * kernel_number(n + 1)), lanes_splat(gap),
                   lanes_splat(kernel_number(n + 3)), lanes_splat(moves));
    hash_number(h, lanes_first_value(t.force));
    hash_number(h, lanes_first_value(t.stiffness));
  }
}

/* 1 if the kernels make of these numbers what they make of them on every machine. */
CLOTH_SEPARATE int kernels_are_right(void) {
  hasher h;
  hash_start(&h);
  hash_springs(&h);
  for (int32_t is_ring = 0; is_ring < 2; is_ring++) {
    hash_restriction(&h, is_ring);
    hash_interpolation(&h, is_ring);
  }
  hash_contacts(&h);
  return hash_end(&h) == KERNELS_HASH;
}

#endif
