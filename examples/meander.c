/* SPDX-License-Identifier: MIT */
#include "meander.h"
#include "motion.h"

void meander_lay(const meander *shape, int32_t columns, cloth_vector *line) {
  enum { PARTS = 32 };
  int32_t parts = (columns - 1) * PARTS;
  cloth_vector at = shape->origin;
  line[0] = at;
  for (int32_t i = 0; i < parts; i++) {
    float along = ((float)i + 0.5f) / (float)parts;
    float heading = shape->turn * (0.5f - along) + shape->swing * cosine(shape->folds * along);
    heading += shape->turn > 0 ? 0.25f : 0;
    at = plus(at, times(shape->width / (float)parts, vector(cosine(heading), 0, wave(heading))));
    if ((i + 1) % PARTS == 0) line[(i + 1) / PARTS] = at;
  }
}

float meander_length(int32_t columns, const cloth_vector *line) {
  float sum = 0;
  for (int32_t i = 1; i < columns; i++)
    sum += length(minus(line[i], line[i - 1]));
  return sum;
}
