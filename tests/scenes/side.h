/* S2, SIDE: a sheet hangs by one vertical side and sags by shear. Right is the rest of the lattice of its springs at
   small strains. SPDX-License-Identifier: MIT */
#ifndef SCENES_SIDE_H
#define SCENES_SIDE_H

#include "measures.h"

#define SIDE_STRETCH 1e5 /* [N/m] */

static inline double free_side_height(const sheet *s) {
  double sum = 0.0;
  for (int row = 0; row < s->f.rows; row++)
    sum += position_of(s->f.sheet, fixture_particle(&s->f, s->f.columns - 1, row)).y;
  return sum / s->f.rows;
}

/* Mean sag of the free side in the fifth second [m]. */
static inline double side_sag(sheet *s) {
  double before = free_side_height(s), sum = 0.0;
  sheet_frames(s, 240);
  for (int frame = 0; frame < 60; frame++) {
    sheet_step(s, (double)FRAME);
    sum += free_side_height(s) / 60.0;
  }
  return before - sum;
}

static inline void side_line(int n, double shear, int substeps) {
  cloth_config config = upright_config(n, n, 1.0, 1.0, substeps);
  set_stretch(&config, SIDE_STRETCH);
  config.fabric.shear = (float)shear;
  config.origin = vector_at(0.0, 0.5, 0.0); /* floats are finer near 0 */
  subject what = subject_of("S2", &config);
  sheet s = sheet_pinned(&config, pin_first_column);
  double right = 1e3 * lattice_sag(n, n, SIDE_STRETCH, shear, s.mass * STANDARD_GRAVITY);
  double sag = 1e3 * side_sag(&s);
  line(&what, trusted(s.notes, sag), right, within(right, 0.01), "shear %g N/m: sag of the free side [mm]", shear);
  sheet_free(&s);
}

static inline void side_scene(int substeps) {
  static const double shears[] = {300.0, 3000.0, 1e5};
  for (int n = 16; n <= 64; n *= 2) {
    for (int i = 0; i < 3; i++)
      side_line(n, shears[i], substeps);
  }
}

#endif /* SCENES_SIDE_H */
