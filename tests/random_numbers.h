/* Random numbers of the random cloths and of the bodies that they meet: integer hashes and + - * /, the same on every
   machine. Include after support.h. SPDX-License-Identifier: MIT */
#ifndef RANDOM_NUMBERS_H
#define RANDOM_NUMBERS_H

#include "support.h"

static int chance(random_source *random, int percent) {
  return random_int(random, 1, 100) <= percent;
}

/* Evenly over the logarithm, in steps of an eighth of an octave. */
static double random_log(random_source *random, double low, double high) {
  const double step = 1.0905077326652577;
  int steps = 0;
  for (double v = low; v < high; v *= step)
    steps++;
  const int drawn = random_int(random, 0, steps);
  double value = low;
  for (int n = 0; n < drawn; n++)
    value *= step;
  return value < high ? value : high;
}

static point random_point(random_source *random, double most) {
  point p;
  p.x = random_real(random, -most, most);
  p.y = random_real(random, -most, most);
  p.z = random_real(random, -most, most);
  return p;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

static double smaller(double a, double b) {
  return a < b ? a : b;
}

/* Turns p about an axis: `way` points along it and is as long as the tangent of half the angle (Cayley). */
static point turned(point p, point way) {
  const point once = point_cross(way, p), twice = point_cross(way, once);
  return point_sum(p, point_scaled(point_sum(once, twice), 2.0 / (1.0 + point_dot(way, way))));
}

#endif /* RANDOM_NUMBERS_H */
