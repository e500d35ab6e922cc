/* What holds or changes a sheet besides pins: strain limits, maps, tethers, confinement. Each world is damped at 1 /s
   and has to come to rest. Include after measures.h. SPDX-License-Identifier: MIT */
#ifndef HELD_H
#define HELD_H

#include "measures.h"

#define REST_SPEED 1e-3   /* [m/s] */
#define REST_SECONDS 15.0 /* until a world is at rest, and the last of them is measured */

/// Strain limits ///

#define LIMIT 0.03      /* strain limit */
#define LIMIT_HELD 0.05 /* largest strain that is allowed with it */

/* A soft sheet, 50 N/m, that falls from the level by two corners and is allowed 3 %. */
static void judge_limit(int side, int substeps, int iterations) {
  cloth_config config = plain_config(side, side);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 50.0f;
  damp_to_rest(&config);
  set_strain_limit(&config, LIMIT);
  set_steps(&config, substeps, iterations);
  specimen sp = specimen_make(&config);
  pin_two_corners(&sp);
  double speed = settle(&sp, REST_SECONDS);
  const char *settings = settings_text(&config, iterations);
  line_at_most("50 N/m, strain limit 3 %: largest strain at rest", settings, strains_of(&sp).most, LIMIT_HELD);
  line_at_most("50 N/m, strain limit 3 %: rest [m/s]", settings, speed, REST_SPEED);
  specimen_free(&sp);
}

static void test_strain_limit(void) {
  static const int iterations[] = {1, 2, 3, 5, 10, 30};
  for (int side = 24; side <= 32; side += 8) {
    for (int k = 0; k < 6; k++)
      judge_limit(side, DEFAULT_SUBSTEPS, iterations[k]);
  }
  for (int n = 0; n < SUBSTEP_CASES; n++)
    judge_limit(24, all_substeps[n], CLOTH_AUTOMATIC);
}

/// Maps ///

#define MAP_SIDE 24
#define STIFFER 100.0f
#define HEAVIER 50.0f

enum { MAP_STIFF_MIDDLE, MAP_HEAVY_MIDDLE, MAP_HEAVY_HEM, MAP_STIFF_HALF, MAP_STIFF_AND_HEAVY, MAP_KINDS };
static const char *const map_names[MAP_KINDS] = {"middle 100 x as stiff", "middle 50 x as heavy", "hem 50 x as heavy",
                                                 "half 100 x as stiff", "half 100 x as stiff, hem 50 x as heavy"};

static void fill_maps(int kind, float *mass, float *stiffness) {
  for (int i = 0; i < MAP_SIDE * MAP_SIDE; i++) {
    int column = i % MAP_SIDE, row = i / MAP_SIDE;
    int is_middle = column >= 8 && column < 16 && row >= 8 && row < 16, is_half = column < MAP_SIDE / 2;
    int is_hem = row == MAP_SIDE - 1;
    int is_stiff = kind == MAP_STIFF_MIDDLE ? is_middle : (kind >= MAP_STIFF_HALF && is_half);
    int is_heavy =
        kind == MAP_HEAVY_MIDDLE ? is_middle : (kind == MAP_HEAVY_HEM || kind == MAP_STIFF_AND_HEAVY) && is_hem;
    stiffness[i] = is_stiff ? STIFFER : 1.0f;
    mass[i] = is_heavy ? HEAVIER : 1.0f;
  }
}

static void judge_map(int kind, int substeps) {
  static float mass[MAP_SIDE * MAP_SIDE], stiffness[MAP_SIDE * MAP_SIDE];
  fill_maps(kind, mass, stiffness);
  cloth_config config = plain_config(MAP_SIDE, MAP_SIDE);
  config.grid.mass_map = mass;
  config.grid.stiffness_map = stiffness;
  damp_to_rest(&config);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  pin_two_corners(&sp);
  char what[80];
  snprintf(what, sizeof what, "%s: rest [m/s]", map_names[kind]);
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), settle(&sp, REST_SECONDS), REST_SPEED);
  specimen_free(&sp);
}

static void test_maps(void) {
  for (int kind = 0; kind < MAP_KINDS; kind++) {
    for (int n = 0; n < SUBSTEP_CASES; n++)
      judge_map(kind, all_substeps[n]);
  }
}

/// Tethers ///

#define TETHERED_SIDE 24
#define TETHER_LENGTH 1.02 /* of the rest distance */
#define TETHER_SLACK 0.02  /* by which 99 % of the particles may be farther */

/* Distance from the nearer of both pins over that at rest, less 1, 99th percentile of all particles. */
static double stretch_from_pins(const specimen *sp) {
  double all[TETHERED_SIDE * TETHERED_SIDE];
  int count = 0;
  for (int i = 0; i < sp->s.count; i++) {
    int column = i % sp->s.columns, row = i / sp->s.columns, pin = 2 * column < sp->s.columns ? 0 : sp->s.columns - 1;
    double rest = hypot(sp->u * (column - pin), sp->v * row);
    if (rest > 0.0)
      all[count++] = point_distance(position_of(sp->s.sheet, i), position_of(sp->s.sheet, pin)) / rest - 1.0;
  }
  qsort(all, (size_t)count, sizeof *all, compare_doubles);
  return all[(int)(0.99 * (count - 1))];
}

/* A soft sheet, 50 N/m, by two pins, with a tether to each of them or without. The guide says by how much tethers are
   longer for what the fabric stretches; the scale takes that back, so that they are 1.02 times as long as at rest. */
static void judge_tethers(int count, int substeps) {
  cloth_config config = plain_config(TETHERED_SIDE, TETHERED_SIDE);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 50.0f;
  double weight = (double)config.fabric.density * GRAVITY;
  double let_out = 6.0 * weight / 50.0 + 0.3 * weight / (double)config.fabric.shear;
  config.tethers.count = count;
  (void)let_out;
  config.tethers.scale = (float)TETHER_LENGTH;
  damp_to_rest(&config);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  pin_two_corners(&sp);
  double speed = settle(&sp, REST_SECONDS), stretch = stretch_from_pins(&sp);
  const char *settings = settings_text(&config, CLOTH_AUTOMATIC);
  if (count > 0)
    line_at_most("50 N/m, tethers of 1.02: stretch from pins, p99", settings, stretch,
                 TETHER_LENGTH - 1.0 + TETHER_SLACK);
  else
    line_share("50 N/m, no tethers: stretch from pins, p99", settings, stretch, TETHER_LENGTH - 1.0, 2.0, 100.0);
  line_at_most(count > 0 ? "50 N/m, tethers of 1.02: rest [m/s]" : "50 N/m, no tethers: rest [m/s]", settings, speed,
               REST_SPEED);
  specimen_free(&sp);
}

static void test_tethers(void) {
  judge_tethers(0, DEFAULT_SUBSTEPS);
  for (int n = 0; n < SUBSTEP_CASES; n++)
    judge_tethers(2, all_substeps[n]);
}

/// Confined particles ///

#define CONFINED_SIDE 24
#define OFF_COURSE 1e-5 /* farthest from its line or plane [m] */

/* A curtain on a rod: row 0 may slide along a level line between its pinned ends. */
static void confine_to_rod(const specimen *sp) {
  pin_at(sp, 0, 0);
  pin_at(sp, CONFINED_SIDE - 1, 0);
  for (int column = 1; column < CONFINED_SIDE - 1; column++)
    CHECK(cloth_confine_to_line(sp->s.sheet, column, vector_of(x_axis)) == CLOTH_OK, "cloth_confine_to_line");
}

static const point slide_normal = {0.6, 0.0, 0.8};

/* A banner by two pins whose last row slides in a vertical plane aslant. */
static void confine_to_slide(const specimen *sp) {
  pin_two_corners(sp);
  for (int i = sp->s.count - CONFINED_SIDE; i < sp->s.count; i++)
    CHECK(cloth_confine_to_plane(sp->s.sheet, i, vector_of(slide_normal)) == CLOTH_OK, "cloth_confine_to_plane");
}

/* Farthest of a confined particle from its line or plane through where it began. */
static double off_course(const specimen *sp, const point *start, int is_rod) {
  double most = 0.0;
  for (int i = 0; i < sp->s.count; i++) {
    int freedom = cloth_get_freedom(sp->s.sheet, i);
    point way = point_difference(position_of(sp->s.sheet, i), start[i]);
    if (freedom == 1 || freedom == 2)
      most = larger(most, is_rod ? hypot(way.y, way.z) : fabs(point_dot(way, slide_normal)));
  }
  return most;
}

/* Thrown at 1 m/s across, it swings, and rests. */
static void judge_confined(int is_rod, int substeps) {
  static point start[COUNT_MOST];
  cloth_config config = plain_config(CONFINED_SIDE, CONFINED_SIDE);
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.edge_warp = vector_at(is_rod ? 0.8 : 1.0, 0.0, 0.0);
  config.capacity.max_confined = CONFINED_SIDE;
  damp_to_rest(&config);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  for (int i = 0; i < sp.s.count; i++) {
    start[i] = position_of(sp.s.sheet, i);
    cloth_set_particle(sp.s.sheet, i, vector_of(start[i]), vector_at(0.5, 0.0, 1.0));
  }
  (is_rod ? confine_to_rod : confine_to_slide)(&sp);
  double most = 0.0;
  for (int frame = 0; frame < 120; frame++) {
    advance(&sp, 1);
    most = larger(most, off_course(&sp, start, is_rod));
  }
  double speed = settle(&sp, REST_SECONDS);
  most = larger(most, off_course(&sp, start, is_rod));
  const char *settings = settings_text(&config, CLOTH_AUTOMATIC);
  line_at_most(is_rod ? "row on a line: farthest off it [m]" : "row on a plane: farthest off it [m]", settings, most,
               OFF_COURSE);
  line_at_most(is_rod ? "row on a line: rest [m/s]" : "row on a plane: rest [m/s]", settings, speed, REST_SPEED);
  specimen_free(&sp);
}

#define RAIL_ERROR 1e-5 /* of the momentum that would be if all went at 1 m/s */

/* A sheet whose left half is twice as heavy falls and swings from two corners that slide along a level line, or in a
   level plane: nothing pushes it along these. */
static void judge_on_rail(int is_rod, int substeps) {
  static float masses[CONFINED_SIDE * CONFINED_SIDE];
  for (int i = 0; i < CONFINED_SIDE * CONFINED_SIDE; i++)
    masses[i] = i % CONFINED_SIDE < CONFINED_SIDE / 2 ? 2.0f : 1.0f;
  cloth_config config = plain_config(CONFINED_SIDE, CONFINED_SIDE);
  config.grid.mass_map = masses;
  config.capacity.max_confined = 2;
  undamp(&config);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  for (int corner = 0; corner < CONFINED_SIDE; corner += CONFINED_SIDE - 1)
    CHECK((is_rod ? cloth_confine_to_line(sp.s.sheet, corner, vector_at(1.0, 0.0, 0.0))
                  : cloth_confine_to_plane(sp.s.sheet, corner, vector_at(0.0, 1.0, 0.0))) == CLOTH_OK,
          "corner %d", corner);
  double most = 0.0;
  for (int frame = 0; frame < 300; frame++) {
    advance(&sp, 1);
    const motion m = motion_of(&sp, NULL);
    most = larger(most, (is_rod ? fabs(m.momentum.x) : hypot(m.momentum.x, m.momentum.z)) / m.mass);
  }
  const char *settings = settings_text(&config, CLOTH_AUTOMATIC);
  line_at_most(is_rod ? "corners on a line: momentum along it, error" : "corners in a plane: momentum in it, error",
               settings, most, RAIL_ERROR);
  specimen_free(&sp);
}

static void test_on_rails(void) {
  for (int n = 0; n < SUBSTEP_CASES; n++) {
    judge_on_rail(1, all_substeps[n]);
    judge_on_rail(0, all_substeps[n]);
  }
}

static void test_confined(void) {
  for (int n = 0; n < SUBSTEP_CASES; n++) {
    judge_confined(1, all_substeps[n]);
    judge_confined(0, all_substeps[n]);
  }
}

#endif /* HELD_H */
