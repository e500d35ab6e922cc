/* S12, LIMP: flags that hang from a pole in still air, and a towel on one pin, come to rest.
   SPDX-License-Identifier: MIT */
#ifndef SCENES_LIMP_H
#define SCENES_LIMP_H

#include "measures.h"

enum {
  FLAGS = 50,       /* of different noise */
  FLAGS_TRIED = 3,  /* of them, where nothing is asked but to stay finite and to gain no energy */
  FLAGS_LIVELY = 5, /* of them, of which the kinetic energy is measured */
  TOWELS = 11       /* of different noise */
};

/* The noise of the start: up to 1 mm out of the plane. */
static inline sheet limp_sheet(const cloth_config *config, pinning *pin, int number) {
  cloth_config c = *config;
  point size = {0.0, 0.0, 2e-3};
  cloth_vector *positions = noisy_start(config, 1u + (uint32_t)number, size);
  c.grid.positions = positions;
  sheet s = sheet_pinned(&c, pin);
  s.config.grid.positions = NULL;
  free(positions);
  return s;
}

static inline cloth_config flag_config(int substeps) {
  return upright_config(30, 20, 1.5, 1.0, substeps);
}

static inline cloth_config towel_config(int substeps) {
  return upright_config(16, 24, 0.5, 0.8, substeps);
}

/* When the last of all flags is asleep [s]. */
static inline void flags_to_sleep(int substeps) {
  double limit = substeps == 4 ? 30.0 : 25.0, last = 0.0;
  int asleep = 0;
  cloth_config config = flag_config(substeps);
  subject what = subject_of("S12", &config);
  for (int i = 0; i < FLAGS; i++) {
    sheet s = limp_sheet(&config, pin_first_column, i);
    double seconds = seconds_to_sleep(&s, limit);
    seconds = trusted(s.notes, seconds);
    asleep += seconds <= limit;
    last = largest(last, seconds);
    sheet_free(&s);
  }
  line(&what, asleep, FLAGS, at_least(FLAGS), "flags of %d that are asleep after %g s", FLAGS, limit);
  line(&what, last, NO_VALUE, at_most(limit), "the last flag is asleep [s]");
}

/* A towel on one pin swings so that its last digits decide when it rests: the median of some. */
static inline void towel_to_sleep(int substeps) {
  const double limit = 20.0;
  double seconds[TOWELS];
  cloth_config config = towel_config(substeps);
  subject what = subject_of("S12", &config);
  int notes = 0;
  for (int i = 0; i < TOWELS; i++) {
    sheet s = limp_sheet(&config, pin_first_corner, i);
    seconds[i] = seconds_to_sleep(&s, 2.0 * limit);
    notes |= s.notes;
    sheet_free(&s);
  }
  qsort(seconds, TOWELS, sizeof *seconds, compare_doubles);
  line(&what, trusted(notes, seconds[TOWELS / 2]), NO_VALUE, at_most(limit),
       "a towel on one pin is asleep, median of %d, last after %.1f [s]", TOWELS, seconds[TOWELS - 1]);
}

/* Mean kinetic energy of the first 2 s [J]. */
static inline double flag_energy(const cloth_config *config) {
  double sum = 0.0;
  for (int i = 0; i < FLAGS_LIVELY; i++) {
    sheet s = limp_sheet(config, pin_first_column, i);
    record r = record_start(&s);
    record_frames(&s, &r, 120);
    sum += trusted(s.notes, r.kinetic_sum / r.frames) / FLAGS_LIVELY;
    sheet_free(&s);
  }
  return sum;
}

static inline void flags_lively(int substeps) {
  cloth_config config = flag_config(substeps), lossless = config;
  subject what = subject_of("S12", &config);
  without_damping(&lossless);
  double right = flag_energy(&lossless);
  line(&what, flag_energy(&config), right, at_least(0.9 * right),
       "flag: mean kinetic energy of 2 s beside that without drag [J]");
}

static inline void limp_tried(const cloth_config *config, pinning *pin, int number, const char *name) {
  subject what = subject_of("S12", config);
  sheet s = limp_sheet(config, pin, number);
  record r = record_start(&s);
  record_frames(&s, &r, 900);
  gain_line(&what, gain_of(&r), MOST_GAIN, name);
  sheet_free(&s);
}

static inline void limp_scene(int substeps) {
  if (has_goals(substeps)) {
    flags_to_sleep(substeps);
    flags_lively(substeps);
    towel_to_sleep(substeps);
    return;
  }
  cloth_config flag = flag_config(substeps), towel = towel_config(substeps);
  for (int i = 0; i < FLAGS_TRIED; i++)
    limp_tried(&flag, pin_first_column, i, "flag, 15 s");
  limp_tried(&towel, pin_first_corner, 0, "towel on one pin, 15 s");
}

#endif /* SCENES_LIMP_H */
