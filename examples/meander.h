/*
 * The upper edge of a sheet that hangs in folds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEANDER_H
#define MEANDER_H

#include "cloth.h"

typedef struct meander {
  cloth_vector origin; /* where it begins [m] */
  float width;         /* of the sheet, along the folds [m] */
  float turn;          /* how far its heading turns from end to end; turns */
  float swing;         /* how far its heading swings to either side; turns */
  float folds;         /* in the width */
} meander;

/* Lays a line of particles along a level curve that swings from side to side as it goes: even folds that do not stretch
   the cloth. Without a turn it goes along x; what turns begins along z and goes around the back of a figure. */
void meander_lay(const meander *shape, int32_t columns, cloth_vector *line);

/* Returns how long the line is from particle to particle, which is less than the width: a sheet of this width hangs
   from it at rest. */
float meander_length(int32_t columns, const cloth_vector *line);

#endif /* MEANDER_H */
