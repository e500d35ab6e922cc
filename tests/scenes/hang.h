/* S1, HANG: a sheet starts flat and level, pinned at two corners of a side. Stretch and hem at rest, liveliness, a
   towel that swings, and every fabric. SPDX-License-Identifier: MIT */
#ifndef SCENES_HANG_H
#define SCENES_HANG_H

#include "measures.h"

/* Kinetic energy at 0.25 and 0.5 s of the sheet with vanishing time steps, without damping [J]. */
static const double hang_right[2] = {0.454, 0.912};

static const int hang_sides[] = {32, 64};
enum { HANG_SIDES = sizeof hang_sides / sizeof hang_sides[0] };

/* Frames, and the velocity damping in them [1/s], after which a sheet of 1 m hangs still. */
#define HANG_STILL_FRAMES 480
#define HANG_STILL_DAMPING 4.0

/// At rest ///

/* Height of the hem when the sheet hangs still, with finished solves [m]. Rest does not depend on substeps. */
static inline double converged_hem(int index) {
  static double known[HANG_SIDES];
  if (known[index] != 0.0) return known[index];
  int n = hang_sides[index];
  cloth_config config = sheet_config(n, n, 1.0, 1.0, 1), finished = solved(&config);
  sheet s = settled_sheet(&finished, pin_corners, HANG_STILL_DAMPING, HANG_STILL_FRAMES);
  known[index] = trusted(s.notes, lowest_height(&s));
  sheet_free(&s);
  return known[index];
}

static inline void hang_still(int index, int substeps) {
  static const double right_stretch[HANG_SIDES] = {0.0043, 0.0047};
  int n = hang_sides[index];
  cloth_config config = sheet_config(n, n, 1.0, 1.0, substeps);
  subject what = subject_of("S1", &config);
  sheet s = settled_sheet(&config, pin_corners, HANG_STILL_DAMPING, HANG_STILL_FRAMES);
  line(&what, trusted(s.notes, stretch_percentile(&s)), right_stretch[index], at_most(0.006),
       "hangs still: 99th percentile of stretch");
  double hem = 1e3 * lowest_height(&s), right = 1e3 * converged_hem(index);
  goal near = {right - 0.3, right + 0.3};
  line(&what, trusted(s.notes, hem), right, near, "hangs still: height of the hem [mm]");
  sheet_free(&s);
}

/* Ten seconds as by default, in which the sheet still swings. */
static inline void hang_swinging(int index, int substeps) {
  static const double right_stretch[HANG_SIDES] = {0.0043, 0.0047};
  int n = hang_sides[index];
  cloth_config config = sheet_config(n, n, 1.0, 1.0, substeps);
  subject what = subject_of("S1", &config);
  sheet s = sheet_pinned(&config, pin_corners);
  record r = record_start(&s);
  record_frames(&s, &r, 600);
  if (has_goals(substeps))
    line(&what, trusted(s.notes, stretch_percentile(&s)), right_stretch[index], at_most(0.006),
         "after 10 s: 99th percentile of stretch");
  else
    gain_line(&what, gain_of(&r), MOST_GAIN, "10 s");
  sheet_free(&s);
}

/// Liveliness ///

/* The first half second without damping. */
static inline record hang_lively(const cloth_config *config) {
  cloth_config lossless = *config;
  without_damping(&lossless);
  sheet s = sheet_pinned(&lossless, pin_corners);
  record r = record_start(&s);
  record_frames(&s, &r, 30);
  for (int k = 0; k < 2; k++)
    r.kinetic[k] = trusted(s.notes, r.kinetic[k]);
  sheet_free(&s);
  return r;
}

static inline void hang_energy(int n, int substeps) {
  double early = substeps == 4 ? 0.97 : 0.95, late = substeps == 4 ? 0.84 : 0.74;
  cloth_config config = sheet_config(n, n, 1.0, 1.0, substeps);
  subject what = subject_of("S1", &config);
  record r = hang_lively(&config);
  line(&what, r.kinetic[0], hang_right[0], at_least(early * hang_right[0]),
       "kinetic energy at 0.25 s without damping [J]");
  line(&what, r.kinetic[1], hang_right[1], at_least(late * hang_right[1]),
       "kinetic energy at 0.5 s without damping [J]");
  if (substeps != 4) return;
  config.iterations = 4;
  r = hang_lively(&config);
  line(&what, r.kinetic[1], hang_right[1], at_least(0.88 * hang_right[1]),
       "kinetic energy at 0.5 s without damping, 4 iterations [J]");
}

/// A towel that swings ///

#define TOWEL_SIDE 0.5              /* [m] */
#define TOWEL_TILT (20.0 * DEGREE)  /* from the vertical at the start [rad] */
#define TOWEL_SECONDS 5             /* in which it swings through the vertical at least six times */
#define TOWEL_LEAST (10.0 * DEGREE) /* that it has to reach at the end of its fifth half swing [rad] */
enum { TOWEL_HALF_SWINGS = 5 };

/* Angle of the hem below the pinned row [rad]. */
static inline double towel_angle(const sheet *s) {
  point way = point_difference(row_mean(s, s->f.rows - 1), row_mean(s, 0));
  return atan2(way.z, -way.y);
}

/* The largest angle between the fifth and the sixth time that the hem passes the vertical [rad]. */
static inline double towel_reach(sheet *s) {
  int passed = 0;
  double before = towel_angle(s), reach = 0.0;
  for (int frame = 0; frame < 60 * TOWEL_SECONDS && passed <= TOWEL_HALF_SWINGS; frame++) {
    sheet_step(s, (double)FRAME);
    double angle = towel_angle(s);
    passed += angle * before < 0.0;
    if (passed == TOWEL_HALF_SWINGS) reach = fmax(reach, fabs(angle));
    before = angle;
  }
  return reach;
}

static inline void hang_towel(int substeps) {
  cloth_config config = sheet_config(16, 16, TOWEL_SIDE, TOWEL_SIDE, substeps);
  config.edge_weft = vector_at(0.0, -TOWEL_SIDE * cos(TOWEL_TILT), TOWEL_SIDE * sin(TOWEL_TILT));
  subject what = subject_of("S1", &config);
  sheet s = sheet_pinned(&config, pin_first_row);
  if (has_goals(substeps)) {
    double reach = towel_reach(&s) / DEGREE;
    line(&what, trusted(s.notes, reach), NO_VALUE, at_least(TOWEL_LEAST / DEGREE),
         "towel from 20 degrees: reach of the fifth half swing [degrees]");
  } else {
    record r = record_start(&s);
    record_frames(&s, &r, 60 * TOWEL_SECONDS);
    gain_line(&what, gain_of(&r), MOST_GAIN, "towel");
  }
  sheet_free(&s);
}

/// Every fabric ///

/* Beside the same with finished solves. */
static inline void hang_fabric(int n, int substeps, int kind) {
  cloth_config config = sheet_config(n, n, 1.0, 1.0, substeps);
  cloth_fabric_preset((cloth_fabric_kind)kind, &config.fabric);
  subject what = subject_of("S1", &config);
  record r = hang_lively(&config);
  if (!has_goals(substeps)) {
    gain_line(&what, gain_of(&r), MOST_GAIN, fabric_names[kind]);
    return;
  }
  cloth_config finished = solved(&config);
  record right = hang_lively(&finished);
  line(&what, r.kinetic[0], right.kinetic[0], at_least(0.95 * right.kinetic[0]),
       "%s: kinetic energy at 0.25 s beside solved [J]", fabric_names[kind]);
  line(&what, r.kinetic[1], right.kinetic[1], at_least(0.88 * right.kinetic[1]),
       "%s: kinetic energy at 0.5 s beside solved [J]", fabric_names[kind]);
}

static inline void hang_scene(int substeps) {
  for (int i = 0; i < HANG_SIDES; i++) {
    hang_swinging(i, substeps);
    if (has_goals(substeps)) {
      hang_still(i, substeps);
      hang_energy(hang_sides[i], substeps);
    }
  }
  hang_towel(substeps);
  for (int i = 0; i < HANG_SIDES; i++) {
    for (int kind = 0; kind < CLOTH_FABRIC_COUNT; kind++)
      hang_fabric(hang_sides[i], substeps, kind);
  }
}

#endif /* SCENES_HANG_H */
