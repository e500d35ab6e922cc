/* S17, STIFF: stiff sheets, long cells, plates, paper, and sheets that are compressed between pins gain no energy, fall
   as finished solves say, and come to rest. SPDX-License-Identifier: MIT */
#ifndef SCENES_STIFF_H
#define SCENES_STIFF_H

#include "measures.h"

#define STIFF_GAIN 0.01     /* most energy above that of the start, over energy_scale() */
#define STIFF_SECONDS 20.0  /* in which sheets have to fall asleep */
#define STIFF_PATIENCE 45.0 /* how long one that swings on is watched [s] */
#define STIFF_SLACK 1.2     /* how much later than with finished solves it may fall asleep where these take longer */

/// Sheets that hang by two corners ///

typedef struct stiff_case {
  const char *name;
  int columns, rows;
  double width, height;  /* [m] */
  double stretch, shear; /* [N/m]; below 0: the default */
} stiff_case;

static const stiff_case stiff_cases[] = {
    {"stretch 1e6", 10, 10, 1.0, 1.0, 1e6, -1.0},
    {"stretch 1e5", 10, 10, 1.0, 1.0, 1e5, -1.0},
    {"stretch 1e5, no shear", 10, 10, 1.0, 1.0, 1e5, 0.0},
    {"stretch 1e5", 32, 32, 1.0, 1.0, 1e5, -1.0},
    {"long cells, stretch 1e4", 16, 4, 0.4, 1.0, 1e4, -1.0},
    {"3 x 1 m, shear 10", 48, 16, 3.0, 1.0, -1.0, 10.0},
};

/* When a sheet is asleep. The drag that is the default lets some swing for longer than 20 s, also if every solve is
   finished: then that time is right. */
static inline void stiff_sleep_line(const subject *what, const cloth_config *config, const record *r,
                                    const char *name) {
  double right = NO_VALUE, limit = STIFF_SECONDS;
  if (r->asleep > STIFF_SECONDS) {
    cloth_config finished = solved(config);
    sheet s = sheet_pinned(&finished, pin_corners);
    right = seconds_to_sleep(&s, STIFF_PATIENCE);
    limit = isfinite(right) && right > limit ? STIFF_SLACK * right : limit;
    sheet_free(&s);
  }
  line(what, trusted(r->notes, r->asleep), right, at_most(limit), "%s: asleep [s]", name);
}

/* Lets a sheet hang for 20 s, or until it is asleep: energy, and sleep. */
static inline void stiff_hang(const cloth_config *config, const char *name) {
  subject what = subject_of("S17", config);
  sheet s = sheet_pinned(config, pin_corners);
  record r = record_start(&s);
  record_frames(&s, &r, (int)(60.0 * STIFF_SECONDS) + REST_FRAMES);
  while (has_goals(config->substeps) && isinf(r.asleep) && r.frames < 60.0 * STIFF_PATIENCE)
    record_frames(&s, &r, REST_FRAMES);
  gain_line(&what, gain_of(&r), has_goals(config->substeps) ? STIFF_GAIN : MOST_GAIN, name);
  if (has_goals(config->substeps)) stiff_sleep_line(&what, config, &r, name);
  sheet_free(&s);
}

static inline void stiff_hang_case(const stiff_case *what, int substeps) {
  cloth_config config = sheet_config(what->columns, what->rows, what->width, what->height, substeps);
  if (what->stretch >= 0.0) set_stretch(&config, what->stretch);
  if (what->shear >= 0.0) config.fabric.shear = (float)what->shear;
  stiff_hang(&config, what->name);
}

static inline void stiff_paper(int substeps) {
  cloth_config config = sheet_config(32, 32, 1.0, 1.0, substeps);
  cloth_fabric_preset(CLOTH_FABRIC_PAPER, &config.fabric);
  stiff_hang(&config, "paper");
}

/// Plates ///

/* How far the hem has fallen after 0.25 and 0.5 s [m]. Returns the notes of the steps. */
static inline int plate_falls(const cloth_config *config, double fall[2]) {
  sheet s = sheet_pinned(config, pin_corners);
  double before = row_mean(&s, s.f.rows - 1).y;
  for (int k = 0; k < 2; k++) {
    sheet_frames(&s, 15);
    fall[k] = before - row_mean(&s, s.f.rows - 1).y;
  }
  int notes = s.notes;
  sheet_free(&s);
  return notes;
}

static inline void stiff_plate(const cloth_config *config, const char *name) {
  double fall[2], right[2];
  stiff_hang(config, name);
  if (!has_goals(config->substeps)) return;
  cloth_config finished = solved(config);
  subject what = subject_of("S17", config);
  int notes = plate_falls(config, fall);
  plate_falls(&finished, right);
  for (int k = 0; k < 2; k++)
    line(&what, trusted(notes, 1e3 * fall[k]), 1e3 * right[k], within(1e3 * right[k], 0.2),
         "%s: fall of the hem in %g s beside solved [mm]", name, k == 0 ? 0.25 : 0.5);
}

static inline void stiff_plates(int substeps) {
  static const double rigidities[] = {1e-4, 1e-3, 1e-2};
  cloth_config config = sheet_config(26, 31, 0.12, 0.10, substeps);
  for (int i = 0; i < 3; i++) {
    char name[32];
    snprintf(name, sizeof name, "plate of %g N m", rigidities[i]);
    config.fabric.bend = (float)rigidities[i];
    stiff_plate(&config, name);
  }
  cloth_fabric_preset(CLOTH_FABRIC_PAPER, &config.fabric);
  stiff_plate(&config, "plate of paper");
}

/// Compressed sheets ///

#define COMPRESSED_SPEED 0.02 /* of the fastest particle after 10 s [m/s] */
enum { COMPRESSED_STARTS = 3 };

/* A level sheet that is pinned at its border, all particles displaced by up to `noise` cells along each axis. Returns
   what it does in 11 s, of which the last is what `late` is about. */
static inline record compressed_record(const cloth_config *config, double noise, uint32_t seed) {
  cloth_config c = *config;
  double size = 2.0 * noise * length_of(config->edge_warp) / (config->columns - 1);
  point sizes = {size, size, size};
  cloth_vector *positions = noisy_start(config, seed, sizes);
  c.grid.positions = positions;
  sheet s = sheet_pinned(&c, pin_border);
  record r = record_start(&s);
  record_frames(&s, &r, 600);
  record_frames(&s, &r, 60);
  sheet_free(&s);
  free(positions);
  return r;
}

/* The worst of some starts. */
static inline void stiff_compressed(double noise, double stretch, int substeps) {
  cloth_config config = sheet_config(20, 20, 1.0, 1.0, substeps);
  set_stretch(&config, stretch);
  subject what = subject_of("S17", &config);
  double gain = 0.0, fastest = 0.0;
  for (uint32_t seed = 1; seed <= COMPRESSED_STARTS; seed++) {
    record r = compressed_record(&config, noise, seed);
    gain = largest(gain, gain_of(&r));
    fastest = largest(fastest, trusted(r.notes, r.late));
  }
  char name[64];
  snprintf(name, sizeof name, "compressed, noise %g, stretch %g", noise, stretch);
  gain_line(&what, gain, has_goals(substeps) ? STIFF_GAIN : MOST_GAIN, name);
  if (has_goals(substeps)) line(&what, fastest, 0.0, at_most(COMPRESSED_SPEED), "%s: fastest after 10 s [m/s]", name);
}

static inline void stiff_scene(int substeps) {
  static const double noises[] = {0.05, 0.2, 0.5}, stretches[] = {1e3, 1e5};
  for (size_t i = 0; i < sizeof stiff_cases / sizeof stiff_cases[0]; i++)
    stiff_hang_case(&stiff_cases[i], substeps);
  stiff_paper(substeps);
  stiff_plates(substeps);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++)
      stiff_compressed(noises[i], stretches[k], substeps);
  }
}

#endif /* SCENES_STIFF_H */
