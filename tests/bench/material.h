/*
 * Whether a solver's sheet is of the material that it was given: bending and stretch, from positions alone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_MATERIAL_H
#define BENCH_MATERIAL_H

#include "solver.h"

/* What strips of a scene's grid and mass per area do, over what theory says of them, with the substeps of a setting;
   HUGE_VAL: the strip was torn. */
typedef struct material {
  double bending;    /* rigidity over that of the grid, B' [1] */
  double elongation; /* elongation of a strip of stretch springs that hangs over that by their stiffness [1] */
  double with_shear; /* the same with shear springs, which carry a share; nothing is judged by it [1] */
} material;

material measure_material(const bench_scene *race, const solver *with, const setting *how);

/* Whether bending is within 30 % and elongation within 10 % of theory. */
int bending_is_true(const material *m);
int elongation_is_true(const material *m);

#endif
