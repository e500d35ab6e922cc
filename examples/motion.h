/*
 * Vectors and waves for what moves in the examples. Nothing here but correctly rounded operations in a fixed order, as
 * in the library: a browser and a native program get the same bits, which a math library would not promise.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MOTION_H
#define MOTION_H

#include "cloth.h"

static inline cloth_vector vector(float x, float y, float z) {
  return (cloth_vector){x, y, z};
}

static inline cloth_vector plus(cloth_vector a, cloth_vector b) {
  return vector(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline cloth_vector minus(cloth_vector a, cloth_vector b) {
  return vector(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline cloth_vector times(float factor, cloth_vector a) {
  return vector(factor * a.x, factor * a.y, factor * a.z);
}

static inline float dot(cloth_vector a, cloth_vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline float root(float value) {
  return __builtin_sqrtf(value);
}

static inline float length(cloth_vector a) {
  return root(dot(a, a));
}

/* Sine of an angle given in turns, -1e6..1e6, to 2e-4. */
static inline float wave(float turns) {
  float t = turns - (float)(int32_t)turns;
  t -= t > 0.5f ? 1.0f : t < -0.5f ? -1.0f : 0.0f;
  float parabola = 8.0f * t * (1.0f - 2.0f * (t < 0.0f ? -t : t));
  float size = parabola < 0.0f ? -parabola : parabola;
  return parabola + 0.224f * (parabola * size - parabola);
}

static inline float cosine(float turns) {
  return wave(turns + 0.25f);
}

#endif /* MOTION_H */
