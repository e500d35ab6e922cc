#pragma once
#include "methods.h"

/// Three equations ///

/* Least pivot, over the largest entry of the diagonal. */
#define LEAST_THREE_PIVOT 1.0e-6f

/* Solves a symmetric 3x3 system by L D L^T. a: 00, 11, 22, 01, 02, 12. */
static void solve_three(const float a[6], const float b[3], float x[3]) {
  const float least = LEAST_THREE_PIVOT * maximum(a[0], maximum(a[1], a[2]));
  const float i0 = 1.0f / maximum(a[0], least), l10 = a[3] * i0, l20 = a[4] * i0;
  const float i1 = 1.0f / maximum(a[1] - l10 * a[3], least), s21 = a[5] - l10 * a[4], l21 = s21 * i1;
  const float i2 = 1.0f / maximum(a[2] - l20 * a[4] - l21 * s21, least);
  const float y1 = b[1] - l10 * b[0], y2 = b[2] - l20 * b[0] - l21 * y1;
  x[2] = y2 * i2;
  x[1] = y1 * i1 - l21 * x[2];
  x[0] = b[0] * i0 - l10 * x[1] - l20 * x[2];
}
