/* Seams: panels that are sewn together, against the whole sheet, in weight, momentum, energy, contact and sleep.
   SPDX-License-Identifier: MIT */
#include "panels.h"

/// Weight ///

/* A sheet that hangs from its upper edge or two corners, whole and in panels: it hangs as low, no spring is much
   longer, and it comes to rest. */
typedef struct hanging {
  int substeps, count, across_columns, corners;
  int method; /* a cloth_integration, or USES_IMEX */
} hanging;

enum { USES_IMEX = 100 };

static void hang(panels *p, const hanging *h, int count) {
  const int columns = h->across_columns ? 25 : 13, rows = h->across_columns ? 13 : 25;
  cloth_config config = panel_config(columns, rows, h->substeps);
  config.integration.method = h->method == USES_IMEX ? config.integration.method : h->method;
  if (h->method == USES_IMEX) {
    CHECK(cloth_config_use_imex(&config) == CLOTH_OK, "imex");
    config.substeps = h->substeps;
  }
  cut_sheet(p, columns, rows, count, h->across_columns, &config);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < p->columns[i]; k++) {
      const int is_corner = (i == 0 && k == 0) || (i == (h->across_columns ? count - 1 : 0) && k == p->columns[i] - 1);
      if (h->corners ? is_corner : h->across_columns || i == 0) cloth_pin(p->sheets[i], k);
    }
  }
}

static void test_weight(void) {
  enum { IMPLICIT = CLOTH_INTEGRATION_IMPLICIT };
  const hanging all[] = {{4, 2, 0, 0, 0},         {10, 2, 0, 0, 0},        {28, 2, 0, 0, 0},
                         {4, 3, 0, 0, 0},         {10, 3, 0, 1, 0},        {4, 2, 1, 1, 0},
                         {10, 2, 1, 1, 0},        {28, 2, 1, 1, 0},        {10, 3, 1, 1, 0},
                         {10, 2, 1, 0, 0},        {4, 2, 0, 0, IMPLICIT},  {10, 2, 0, 0, IMPLICIT},
                         {28, 2, 0, 0, IMPLICIT}, {10, 3, 0, 0, IMPLICIT}, {16, 2, 0, 0, USES_IMEX}};
  for (size_t n = 0; n < sizeof all / sizeof all[0]; n++) {
    panels whole, sewn;
    hang(&whole, &all[n], 1);
    hang(&sewn, &all[n], all[n].count);
    step_panels(&whole, 150);
    const double gap = step_panels(&sewn, 150);
    const double length = -lowest_particle(&whole), sewn_length = -lowest_particle(&sewn);
    const double speed = fastest_particle(&whole), sewn_speed = fastest_particle(&sewn);
    CHECK(gap <= 0.02, "%d substeps: a gap of %g spacings", all[n].substeps, gap);
    CHECK(fabs(sewn_length / length - 1) < 0.01, "%d substeps, %d panels: hangs down %g m, the whole sheet %g",
          all[n].substeps, all[n].count, sewn_length, length);
    CHECK(sewn_speed < 0.01 + 2 * speed, "%d substeps, %d panels: moves at %g m/s, the whole sheet at %g",
          all[n].substeps, all[n].count, sewn_speed, speed);
    free_panels(&whole);
    free_panels(&sewn);
  }
}

/* Holes and tears beside a seam: a hole of 4 x 3 cells below it, or four threads that are cut there. What hangs beside
   them is not felt through them. */
typedef struct holed {
  int substeps, method, is_cut, is_one_seam;
} holed;

static void make_holed(panels *p, const holed *h, int count) {
  enum { COLUMNS = 13, ROWS = 25, SEAM = 12, HOLE = 4, WIDTH = 4, DEPTH = 3 };
  cloth_config config = panel_config(COLUMNS, ROWS, h->substeps);
  uint8_t cells[(COLUMNS - 1) * (ROWS - 1)];
  const int first = count == 1 ? SEAM : 0;
  config.integration.method = h->method;
  memset(cells, 1, sizeof cells);
  for (int i = 0; i < WIDTH * DEPTH; i++)
    cells[(first + i / WIDTH) * (COLUMNS - 1) + HOLE + i % WIDTH] = 0;
  cut_sheet(p, COLUMNS, ROWS, count, 0, &config);
  fixture_free(&p->f[count - 1]);
  config.rows = p->rows[count - 1];
  config.edge_weft.y = (float)(-SPACING * (config.rows - 1));
  config.origin.y = count == 1 ? 0 : (float)(-SPACING * SEAM);
  config.grid.cell_mask = h->is_cut ? NULL : cells;
  config.tearing.max_breaks = h->is_cut ? 64 : 0;
  config.tearing.max_torn_cells = h->is_cut ? 64 : 0;
  p->f[count - 1] = fixture_make(&config);
  p->sheets[count - 1] = p->f[count - 1].sheet;
  const cloth_cut_line line = {HOLE - 0.5f, (float)first + 0.5f, HOLE + WIDTH - 0.5f, (float)first + 0.5f};
  if (h->is_cut) CHECK(cloth_cut(p->sheets[count - 1], &line) == WIDTH, "four threads");
  if (count > 1 && !h->is_cut && !h->is_one_seam) { /* between the particles of the seam that have no cell below */
    p->seams[0].a.count = p->seams[0].b.count = HOLE + 1;
    p->seams[1] = p->seams[0];
    p->seams[1].a.first += HOLE + WIDTH;
    p->seams[1].b.first += HOLE + WIDTH;
    p->group.seam_count = 2;
  }
  for (int k = 0; k < COLUMNS; k++)
    cloth_pin(p->sheets[0], k);
}

static void test_holes(void) {
  for (int n = 0; n < 8; n++) {
    const holed h = {n & 1 ? 10 : 4, n & 2 ? CLOTH_INTEGRATION_IMPLICIT : CLOTH_INTEGRATION_ADAPTIVE, n >= 4, 0};
    panels whole, sewn;
    make_holed(&whole, &h, 1);
    make_holed(&sewn, &h, 2);
    step_panels(&whole, 300);
    CHECK(step_panels(&sewn, 300) <= 0.02, "case %d: a gap", n);
    const double length = -lowest_particle(&whole), sewn_length = -lowest_particle(&sewn);
    const double speed = fastest_particle(&whole), sewn_speed = fastest_particle(&sewn);
    CHECK(fabs(sewn_length / length - 1) < 0.01, "case %d: hangs down %g m, the whole sheet %g", n, sewn_length,
          length);
    CHECK(sewn_speed < 0.01 + 2 * speed, "case %d: moves at %g m/s, the whole sheet at %g", n, sewn_speed, speed);
    free_panels(&whole);
    free_panels(&sewn);
  }
}

/* A seam that leads over a hole of a mask is to the bit two that end beside it. */
static void test_over_hole(void) {
  uint64_t hash[2][2];
  for (int is_one = 0; is_one < 2; is_one++) {
    const holed h = {10, CLOTH_INTEGRATION_ADAPTIVE, 0, is_one};
    panels p;
    make_holed(&p, &h, 2);
    CHECK(step_panels(&p, 60) <= 0.02, "%d seams: a gap", p.group.seam_count);
    for (int i = 0; i < 2; i++)
      hash[is_one][i] = read_hash(p.sheets[i]);
    free_panels(&p);
  }
  CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0, "one seam differs from two");
}

/* Replaces the upper one of two panels of 17 columns, which may sleep, by one that lacks cells of its last row: both
   corners, or all. */
static void make_ragged(panels *p, cloth_config config, int lacks_all) {
  enum { COLUMNS = 17, ROWS = 13 };
  static uint8_t cells[(COLUMNS - 1) * (ROWS - 1)];
  memset(cells, 1, sizeof cells);
  config.sleep.speed = 0.03f;
  config.sleep.time = 0.25f;
  for (int n = 0; n < COLUMNS - 1; n++)
    cells[(ROWS - 2) * (COLUMNS - 1) + n] = !lacks_all && n > 0 && n < COLUMNS - 2;
  cut_sheet(p, COLUMNS, 2 * ROWS - 1, 2, 0, &config);
  fixture_free(&p->f[0]);
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.edge_warp.x = (float)(SPACING * (COLUMNS - 1));
  config.edge_weft.y = (float)(-SPACING * (ROWS - 1));
  config.grid.cell_mask = cells;
  p->f[0] = fixture_make(&config);
  p->sheets[0] = p->f[0].sheet;
  for (int k = 0; k < COLUMNS; k++)
    cloth_pin(p->sheets[0], k);
}

/* Particles that a mask leaves out are not sewn: a seam along a ragged edge stays closed where there is cloth, one to
   one and gathered, and the panels come to rest and sleep. */
static void test_ragged(void) {
  for (int n = 0; n < 4; n++) {
    cloth_config config = panel_config(17, 25, n & 1 ? 28 : 10);
    panels p;
    make_ragged(&p, config, 0);
    if (n & 2) { /* fifteen on seventeen: of both ends only half of each first cell is sewn */
      p.seams[0].b.first++;
      p.seams[0].b.count -= 2;
      p.group.seam_speed = 0.3f;
    }
    step_panels(&p, 600);
    CHECK(largest_gap(&p) < 0.02, "case %d: a gap of %g spacings", n, largest_gap(&p));
    CHECK(cloth_is_asleep(p.sheets[0]) && cloth_is_asleep(p.sheets[1]), "case %d: moves at %g m/s", n,
          fastest_particle(&p));
    free_panels(&p);
  }
}

/* Panels whose seam has no particle left go their own ways: one falls, the other sleeps on. */
static void test_nothing_sewn(void) {
  cloth_config config = panel_config(17, 25, 10);
  panels p;
  make_ragged(&p, config, 1);
  CHECK(step_panels(&p, 90) == 0, "what is not sewn has a gap");
  CHECK(cloth_is_asleep(p.sheets[0]) && !cloth_is_asleep(p.sheets[1]), "the panel that falls wakes the other");
  const double speed = fastest_particle(&p);
  CHECK(speed > 2.0, "the panel that is not sewn falls at %g m/s", speed);
  free_panels(&p);
}

/// Momentum and energy ///

/* Panels of different fabrics fly, turn and fold without anything that holds them. */
static void test_momentum(void) {
  cloth_config config = panel_config(9, 13, 10);
  config.gravity = vector_at(0, 0, 0);
  config.air.density = 0;
  config.integration.velocity_damping = config.integration.rest_drag = 0;
  panels p;
  cut_sheet(&p, 9, 13, 2, 0, &config);
  cloth_fabric fabric = config.fabric;
  fabric.density = 0.5f;
  CHECK(cloth_set_fabric(p.sheets[1], &fabric) == CLOTH_OK, "cloth_set_fabric");
  double mass[2] = {particle_mass(&p.f[0], 0), particle_mass(&p.f[1], 0)};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < p.f[i].count; k++) {
      const point x = position_of(p.sheets[i], k);
      const double lift = x.y * x.y * 4 + x.x;
      cloth_set_particle(p.sheets[i], k, vector_of(x), vector_at(0.3 - x.y, 0.2, lift));
    }
  }
  point linear[2], angular[2];
  double energy[2];
  for (int when = 0; when < 2; when++) {
    linear[when] = angular[when] = (point){0, 0, 0};
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < p.f[i].count; k++) {
        const point x = position_of(p.sheets[i], k), v = point_scaled(velocity_of(p.sheets[i], k), mass[i]);
        linear[when] = point_sum(linear[when], v);
        angular[when] = point_sum(angular[when], point_cross(x, v));
      }
    }
    energy[when] = energy_of(&p, 0);
    if (when == 0) CHECK(step_panels(&p, 60) <= 0.02, "the seam opens");
  }
  const double lost = point_distance(linear[0], linear[1]) / point_length(linear[0]);
  const double turned = point_distance(angular[0], angular[1]) / point_length(angular[0]);
  CHECK(lost < 2e-5, "a share of %g of the momentum is lost", lost);
  CHECK(turned < 0.01, "a share of %g of the angular momentum is lost", turned);
  CHECK(energy[1] <= energy[0], "energy grows from %g to %g J", energy[0], energy[1]);
  free_panels(&p);
}

/* Two panels without forces, one beside the other and higher, that a seam pulls together; and one that is not sewn. */
typedef struct pulled {
  const char *name;
  int method; /* a cloth_integration, or USES_IMEX */
  int substeps;
  int gathers;    /* columns of the second panel fewer than of the first one */
  double density; /* of the second panel over that of the first one */
  double spin;    /* at which both turn [rad/s] */
} pulled;

static void place_pulled(panels *p, const pulled *how) {
  memset(p, 0, sizeof *p);
  p->count = 3;
  for (int i = 0; i < 3; i++) {
    cloth_config config = panel_config(13 - i % 2 * how->gathers, 13, how->substeps);
    config.integration.method = how->method == USES_IMEX ? config.integration.method : how->method;
    if (how->method == USES_IMEX) {
      CHECK(cloth_config_use_imex(&config) == CLOTH_OK, "imex");
      config.substeps = how->substeps;
    }
    config.edge_warp = vector_at(0.36, 0, 0);
    config.edge_weft = vector_at(0, 0, 0.36);
    config.origin = vector_at(0, 0.1 * i, 0.42 * i); /* the last one is out of reach */
    config.gravity = vector_at(0, 0, 0);
    config.air.density = 0;
    config.integration.velocity_damping = config.integration.rest_drag = 0;
    config.fabric.density *= i == 1 ? (float)how->density : 1.0f;
    config.self_thickness = 0.005f;
    p->f[i] = fixture_make(&config);
    p->sheets[i] = p->f[i].sheet;
    p->columns[i] = config.columns;
    for (int k = 0; i < 2 && k < p->f[i].count; k++) {
      const point x = position_of(p->sheets[i], k);
      cloth_set_particle(p->sheets[i], k, vector_of(x), vector_at(how->spin * x.z, 0, -how->spin * x.x));
    }
  }
  make_group(p);
  p->seams[0].a = row_side(0, p->columns[0], 12);
  p->seams[0].b = row_side(1, p->columns[1], 0);
  p->group.seam_count = 1;
  take_memory(p);
}

static point angular_momentum(const panels *p) {
  point sum = {0, 0, 0};
  for (int i = 0; i < p->count; i++) {
    const double mass = particle_mass(&p->f[i], 0);
    for (int k = 0; k < p->f[i].count; k++)
      sum = point_sum(sum, point_scaled(point_cross(position_of(p->sheets[i], k), velocity_of(p->sheets[i], k)), mass));
  }
  return sum;
}

/* What closes a seam of panels that nothing holds does not act along its gaps, and turns nothing all the same. */
static void test_pulled(void) {
  static const pulled all[] = {{"at rest", CLOTH_INTEGRATION_ADAPTIVE, 28, 0, 1, 0},
                               {"few substeps", CLOTH_INTEGRATION_ADAPTIVE, 4, 0, 1, 0},
                               {"turning", CLOTH_INTEGRATION_ADAPTIVE, 10, 0, 1, 1},
                               {"two weights", CLOTH_INTEGRATION_ADAPTIVE, 10, 0, 4, 0},
                               {"gathers", CLOTH_INTEGRATION_ADAPTIVE, 10, 4, 1, 0},
                               {"implicit", CLOTH_INTEGRATION_IMPLICIT, 10, 0, 1, 0},
                               {"imex", USES_IMEX, 10, 0, 1, 0}};
  for (int n = 0; n < (int)(sizeof all / sizeof all[0]); n++) {
    panels p;
    place_pulled(&p, &all[n]);
    const point before = angular_momentum(&p);
    step_panels(&p, 30);
    CHECK(largest_gap(&p) < 0.02, "%s: a gap of %g spacings", all[n].name, largest_gap(&p));
    const double turned = point_distance(before, angular_momentum(&p));
    CHECK(turned < 5e-5, "%s: angular momentum changes by %g kg m^2/s", all[n].name, turned);
    double speed = 0;
    for (int k = 0; k < p.f[2].count; k++)
      speed = fmax(speed, point_length(velocity_of(p.sheets[2], k)));
    CHECK(speed < 5e-4, "%s: what is not sewn moves at %g m/s", all[n].name, speed);
    free_panels(&p);
  }
}

/* Kinetic, elastic and potential energy of all panels [J]. */
static double whole_energy(const panels *p) {
  double energy = 0;
  for (int i = 0; i < p->count; i++) {
    cloth_measures m;
    CHECK(cloth_measure(p->sheets[i], &m) == CLOTH_OK, "cloth_measure");
    energy += (double)m.kinetic_energy + (double)m.elastic_energy + (double)m.potential_energy;
  }
  return energy;
}

/* A sheet in panels that swings down from one edge loses energy, from each step to the next. */
static void test_energy(void) {
  static const int substeps[] = {4, 10};
  for (int n = 0; n < 2; n++) {
    cloth_config config = panel_config(9, 17, substeps[n]);
    config.air.density = 0;
    panels p;
    cut_sheet(&p, 9, 17, 2, 0, &config);
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < p.f[i].count; k++) {
        const point x = position_of(p.sheets[i], k);
        cloth_set_particle(p.sheets[i], k, vector_at(x.x, 0, -x.y), vector_at(0, 0, 0));
      }
    }
    for (int k = 0; k < 9; k++)
      cloth_pin(p.sheets[0], k);
    double before = whole_energy(&p), weight = -9.81 * 2 * 81 * particle_mass(&p.f[0], 0), gained = 0;
    for (int frame = 0; frame < 90; frame++) {
      step_panels(&p, 1);
      const double now = whole_energy(&p);
      gained = fmax(gained, now - before);
      before = now;
    }
    CHECK(gained < -1e-3 * weight * SPACING * 16, "%d substeps: gains %g J in a step", substeps[n], gained);
    free_panels(&p);
  }
}

/// Other seams ///

/* A sheet sewn to itself is a tube: it holds a weight of its own around, and a ring of it does not open. */
static void test_one_cloth(void) {
  panels p;
  memset(&p, 0, sizeof p);
  p.count = 1;
  cloth_config config = panel_config(17, 9, 10);
  cloth_vector places[17 * 9];
  for (int i = 0; i < 17 * 9; i++) {
    const double angle = 2 * 3.14159265358979 * (i % 17) / 16, radius = 16 * SPACING / (2 * 3.14159265358979);
    places[i] = vector_at(radius * cos(angle), -SPACING * (i / 17), radius * sin(angle));
  }
  config.grid.positions = places;
  p.f[0] = fixture_make(&config);
  p.sheets[0] = p.f[0].sheet;
  make_group(&p);
  p.seams[0].a = column_side(0, 17, 9, 0);
  p.seams[0].b = column_side(0, 17, 9, 16);
  p.group.seam_count = 1;
  take_memory(&p);
  for (int i = 0; i < 16; i++)
    cloth_pin(p.sheets[0], i);
  const double gap = step_panels(&p, 60);
  CHECK(gap < 0.02, "a gap of %g spacings", gap);
  CHECK(lowest_particle(&p) < -7.9 * SPACING && lowest_particle(&p) > -8.2 * SPACING, "hangs down to %g m",
        lowest_particle(&p));
  free_panels(&p);
}

/* A plane sheet that touches itself and that nothing holds, whose first column is to be sewn to its last: pulled across
   all of it. */
static void roll_sheet(panels *p, int side, const cloth_config *like) {
  cloth_config config = *like;
  config.edge_warp = vector_at(1, 0, 0);
  config.edge_weft = vector_at(0, 0, 1);
  config.gravity = vector_at(0, 0, 0);
  config.self_thickness = 0.4f / (float)(side - 1);
  config.self = cloth_config_default().self;
  memset(p, 0, sizeof *p);
  p->count = 1;
  p->f[0] = fixture_make(&config);
  p->sheets[0] = p->f[0].sheet;
  make_group(p);
  p->seams[0].a = column_side(0, side, side, 0);
  p->seams[0].b = column_side(0, side, side, side - 1);
  p->group.seam_count = 1;
  take_memory(p);
}

/* With momentum that folds it: contact does not throw the sheet where the seam closes. Stitches that were unknowns
   while they are open threw it at 30 m/s; as springs they give way to layers that have come between. */
static void test_rolled(void) {
  enum { SIDE = 13 };
  panels p;
  cloth_config config = panel_config(SIDE, SIDE, 28);
  config.air.density = 0;
  config.integration.velocity_damping = config.integration.rest_drag = 0;
  roll_sheet(&p, SIDE, &config);
  for (int i = 0; i < SIDE * SIDE; i++) {
    const point x = position_of(p.sheets[0], i);
    cloth_set_particle(p.sheets[0], i, vector_of(x), vector_at(0.5 * (0.5 - x.z), 0.3 * (x.x - 1), 0.5 * (x.x - 1)));
  }
  const double speed = fastest_during(&p, 120);
  CHECK(largest_gap(&p) < 1.2, "a gap of %g spacings", largest_gap(&p));
  CHECK(speed < 6, "thrown at %g m/s", speed);
  free_panels(&p);
}

/* Two panels side by side, whose rims lie exactly on each other, are sewn, hang from their upper edges, and are opened.
 */
static void open_panels(panels *p, int substeps, float thickness, int shape) {
  cloth_config config = panel_config(25, 13, substeps);
  config.self_thickness = thickness * (float)SPACING;
  config.self.shape = shape;
  cut_sheet(p, 25, 13, 2, 1, &config);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < p->columns[i]; k++)
      cloth_pin(p->sheets[i], k);
  }
  step_panels(p, 60);
  p->group.seam_count = 0;
  free(p->allocation);
  take_memory(p);
}

/* Opened panels lie on each other at what was the seam, nearer than their thickness. Contact does not part them. */
static void test_opened(void) {
  static const float thicknesses[] = {0.1f, 0.2f, 0.3f, 0.45f};
  static const int substeps[] = {4, 10, 28};
  for (int n = 0; n < 24; n++) {
    panels p;
    open_panels(&p, substeps[n % 3], thicknesses[n / 3 % 4], n < 12 ? CLOTH_SELF_TRIANGLES : CLOTH_SELF_SPHERES);
    const double speed = fastest_during(&p, 30);
    CHECK(speed < 0.1, "case %d: opened at %g m/s", n, speed);
    free_panels(&p);
  }
}

/* Panels that have been opened and have come apart touch again: one is led before the other, and against it. What a
   step needs to know of the seam is in the saves. */
static void test_opened_touch(void) {
  panels p;
  open_panels(&p, 10, 0.4f, CLOTH_SELF_TRIANGLES);
  unsigned char *saves[2];
  uint64_t hashes[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    saves[i] = (unsigned char *)malloc(p.f[i].memory.saved_bytes);
    CHECK(cloth_save(p.sheets[i], saves[i], p.f[i].memory.saved_bytes) == CLOTH_OK, "save");
  }
  double least = 1;
  for (int run = 0; run < 2; run++) {
    for (int frame = 0; frame < 150; frame++) {
      const double way = frame < 30 ? 0 : 0.006;
      const double across = frame < 30 ? 0.003 : frame < 60 ? 0 : frame < 85 ? -0.003 : 0;
      for (int k = 0; k < p.columns[1] && frame < 90; k++) {
        const point at = position_of(p.sheets[1], k);
        cloth_move_pin(p.sheets[1], k, vector_at(at.x - (frame < 60 ? way : 0), at.y, at.z + across));
      }
      step_panels(&p, 1);
    }
    for (int i = 0; i < 2; i++)
      hashes[run] = hashes[run] * 31 + read_hash(p.sheets[i]);
    for (int k = 0; k < p.f[1].count; k++) {
      if (k % p.columns[1] < 6) /* in front of the other panel */
        least = fmin(least, position_of(p.sheets[1], k).z - position_of(p.sheets[0], k + 6).z);
    }
    for (int i = 0; i < 2; i++)
      CHECK(cloth_load(p.sheets[i], saves[i], p.f[i].memory.saved_bytes) == CLOTH_OK, "load");
  }
  CHECK(least > 0.2 * SPACING, "layers are %g m apart", least);
  CHECK(hashes[0] == hashes[1], "a replay differs");
  for (int i = 0; i < 2; i++)
    free(saves[i]);
  free_panels(&p);
}

/* Two panels under each other that hang by the upper row, and fall asleep at rest. */
static void hang_sleepers(panels *p) {
  cloth_config config = panel_config(9, 13, 10);
  config.sleep.speed = 0.02f;
  config.sleep.time = 0.2f;
  cut_sheet(p, 9, 13, 2, 0, &config);
  for (int k = 0; k < 9; k++)
    cloth_pin(p->sheets[0], k);
}

static int all_sleep(const panels *p) {
  int sleeping = 0;
  for (int i = 0; i < p->count; i++)
    sleeping += cloth_is_asleep(p->sheets[i]) == 1;
  return sleeping == p->count;
}

/* Three panels under each other, the lowest of which swings. Those that rest wait for it, and can be saved and loaded
   meanwhile, as lockstep needs. */
static void test_saved_waiting(void) {
  cloth_config config = panel_config(9, 25, 10);
  config.sleep.speed = 0.02f;
  config.sleep.time = 0.1f;
  panels p;
  cut_sheet(&p, 9, 25, 3, 0, &config);
  for (int k = 0; k < p.f[0].count; k++)
    cloth_pin(p.sheets[0], k);
  for (int k = 9; k < p.f[2].count; k++)
    cloth_set_particle(p.sheets[2], k, vector_of(position_of(p.sheets[2], k)), vector_at(0, 0, 1));
  unsigned char *save = (unsigned char *)malloc(p.f[0].memory.saved_bytes);
  for (int frame = 0; frame < 60; frame++) {
    step_panels(&p, 1);
    CHECK(!cloth_is_asleep(p.sheets[0]), "a panel sleeps beside one that swings");
    CHECK(cloth_save(p.sheets[0], save, p.f[0].memory.saved_bytes) == CLOTH_OK, "save");
    const int result = cloth_load(p.sheets[0], save, p.f[0].memory.saved_bytes);
    CHECK(result == CLOTH_OK, "frame %d: cloth_load: %s", frame, cloth_result_name(result));
  }
  free(save);
  free_panels(&p);
}

/* The same sheet with the warp along what the weft was. */
static void transpose(cloth_config *config) {
  const cloth_vector warp = config->edge_warp;
  const int columns = config->columns;
  config->edge_warp = config->edge_weft;
  config->edge_weft = warp;
  config->columns = config->rows;
  config->rows = columns;
}

/* A wide panel gathered on a narrow one, which hangs: no particle leaves the seam, the narrow one bears all, and both
   come to rest and fall asleep, with projected and with implicit springs. */
static void gather_on(panels *p, cloth_config upper, cloth_config lower, int is_along_columns) {
  static cloth_vector places[16 * 9];
  for (int i = 0; i < 16 * 9; i++) {
    const int along = is_along_columns ? i / 9 : i % 16, down = is_along_columns ? i % 9 : i / 16;
    places[i] = vector_at(SPACING * 8.0 / 15 * along, -SPACING * (6 + down), 0.85 * SPACING * (along % 2));
  }
  memset(p, 0, sizeof *p);
  p->count = 2;
  lower.grid.positions = places;
  if (is_along_columns) {
    transpose(&upper);
    transpose(&lower);
  }
  p->f[0] = fixture_make(&upper);
  p->f[1] = fixture_make(&lower);
  p->sheets[0] = p->f[0].sheet;
  p->sheets[1] = p->f[1].sheet;
  make_group(p);
  p->seams[0].a = is_along_columns ? column_side(0, 7, 9, 6) : row_side(0, 9, 6);
  p->seams[0].b = is_along_columns ? column_side(1, 9, 16, 0) : row_side(1, 16, 0);
  p->group.seam_count = 1;
  take_memory(p);
  for (int i = 0; i < 9; i++)
    cloth_pin(p->sheets[0], is_along_columns ? 7 * i : i);
}

/* Each particle of the gathered side is where its number says on the other one: 0 of 16 on the first of 9, 15 on the
   last, the others in even steps between. */
static void test_gathered_places(void) {
  panels p;
  gather_on(&p, panel_config(9, 7, 10), panel_config(16, 9, 10), 0);
  step_panels(&p, 60);
  for (int n = 0; n < 16; n++) {
    const double along = 8.0 * n / 15;
    const int before = along < 8 ? (int)along : 7;
    const point a = position_of(p.sheets[0], 9 * 6 + before), b = position_of(p.sheets[0], 9 * 6 + before + 1);
    const point expected = point_sum(a, point_scaled(point_difference(b, a), along - before));
    const double apart = point_distance(position_of(p.sheets[1], n), expected) / SPACING;
    CHECK(apart < 0.01, "particle %d is %g spacings from its place", n, apart);
  }
  free_panels(&p);
}

static void test_gathers(void) {
  static const struct {
    int substeps, is_imex, is_along_columns;
  } all[] = {{4, 0, 0}, {10, 0, 0}, {28, 0, 0}, {16, 1, 0}, {10, 0, 1}};
  for (size_t n = 0; n < sizeof all / sizeof all[0]; n++) {
    panels p;
    cloth_config upper = panel_config(9, 7, all[n].substeps), lower = panel_config(16, 9, all[n].substeps);
    if (all[n].is_imex) {
      CHECK(cloth_config_use_imex(&upper) == CLOTH_OK && cloth_config_use_imex(&lower) == CLOTH_OK, "imex");
      upper.self_thickness = lower.self_thickness = 0.002f; /* the layers of the gathers do not touch */
    }
    upper.sleep.speed = lower.sleep.speed = 0.05f;
    upper.sleep.time = lower.sleep.time = 0.25f;
    gather_on(&p, upper, lower, all[n].is_along_columns);
    step_panels(&p, 4); /* which brings the zigzag into the seam */
    double gap = 0, fastest = 1, low = 0;
    int frame = 0;
    for (; frame < 900 && !cloth_is_asleep(p.sheets[0]); frame++) {
      fastest = fastest_particle(&p);
      gap = fmax(gap, step_panels(&p, 1));
      low = lowest_particle(&p) / SPACING;
    }
    CHECK(gap < 0.02, "%d substeps: a gap of %g spacings", all[n].substeps, gap);
    CHECK(low > -14.6 && low < -11.0, "%d substeps: hangs down %g spacings", all[n].substeps, -low);
    CHECK(fastest < 0.05 && cloth_is_asleep(p.sheets[0]) && cloth_is_asleep(p.sheets[1]),
          "%d substeps: moves at %g m/s after %d frames", all[n].substeps, fastest, frame);
    free_panels(&p);
  }
}

/* Three panels that meet in one line, and what is apart is pulled together at the speed that is asked for. */
static void test_closing(void) {
  panels p;
  memset(&p, 0, sizeof p);
  p.count = 3;
  for (int i = 0; i < 3; i++) {
    cloth_config config = panel_config(6, 7, 8);
    config.origin = vector_at(0.1 * i, 0, 0.1 * i);
    config.gravity = vector_at(0, 0, 0);
    p.f[i] = fixture_make(&config);
    p.sheets[i] = p.f[i].sheet;
  }
  make_group(&p);
  for (int i = 0; i < 2; i++) {
    p.seams[i].a = column_side(i, 6, 7, 0);
    p.seams[i].b = column_side(i + 1, 6, 7, 0);
  }
  p.group.seam_count = 2;
  p.group.seam_speed = 0.6f;
  take_memory(&p);
  const double before = largest_gap(&p);
  step_panels(&p, 6);
  const double closed = (before - largest_gap(&p)) * SPACING;
  CHECK(fabs(closed - 0.06) < 1e-3, "closes by %g m in a tenth of a second", closed);
  step_panels(&p, 20);
  CHECK(largest_gap(&p) < 0.02, "a gap of %g spacings", largest_gap(&p));
  free_panels(&p);
}

/* Panels that lie folded on each other along a seam, and feel each other: the layers keep their distance, the seam does
   not open, and nothing counts as tangled. With other origins than each other's in the world. */
static void test_contact(void) {
  cloth_config config = panel_config(11, 21, 10);
  config.self.gathers = 1;
  panels p;
  cut_sheet(&p, 11, 21, 2, 0, &config);
  for (int i = 0; i < 2; i++) {
    cloth_collider floor = cloth_collider_default();
    floor.shape = CLOTH_SHAPE_PLANE;
    floor.pose.position = vector_at(0, -0.005, 0);
    for (int k = 0; k < p.f[i].count; k++) {
      const double z = -position_of(p.sheets[i], k).y, fold = z > 10 * SPACING ? 20 * SPACING - z : z;
      const double height = i == 0 ? 0.01 : 0.01 + 0.6 * fmin(10 * SPACING - fold, 0.05);
      cloth_set_particle(p.sheets[i], k, vector_at(position_of(p.sheets[i], k).x, height, fold), vector_at(0, 0, 0));
    }
    CHECK(cloth_add_collider(p.sheets[i], &floor) >= 0, "floor");
  }
  const cloth_metres far = {40, 0, -30};
  CHECK(cloth_set_origin(&p.sheets[1], 1, far) == CLOTH_OK, "cloth_set_origin");
  const double gap = step_panels(&p, 90);
  cloth_self_statistics s;
  cloth_get_self_statistics(p.sheets[0], &s);
  CHECK(gap < 0.02, "a gap of %g spacings", gap);
  CHECK(s.intersections == 0 && s.tangled == 0, "%d intersections, %d tangled", s.intersections, s.tangled);
  CHECK(s.contacts > 5, "%d contacts", s.contacts);
  double least = 1;
  for (int k = 0; k < 11 * 6; k++)
    least = fmin(least, position_of(p.sheets[1], 11 * 5 + k).y - position_of(p.sheets[0], 11 * 4 + k).y);
  CHECK(least > 0.004, "layers are %g m apart", least);
  free_panels(&p);
}

/* Sewn cloths fall asleep together, and one that wakes wakes the other. */
static void test_sleep(void) {
  panels p;
  hang_sleepers(&p);
  int frame = 0, alone = 0;
  for (; frame < 400 && !all_sleep(&p); frame++) {
    step_panels(&p, 1);
    alone += cloth_is_asleep(p.sheets[0]) != cloth_is_asleep(p.sheets[1]);
  }
  CHECK(frame > 10 && frame < 400, "asleep after %d frames", frame);
  CHECK(alone == 0, "one sleeps alone in %d frames", alone);
  step_panels(&p, 5);
  CHECK(all_sleep(&p), "does not sleep on");
  for (int woken = 1; woken >= 0; woken--) {
    cloth_wake(p.sheets[woken]);
    step_panels(&p, 1);
    CHECK(!cloth_is_asleep(p.sheets[0]) && !cloth_is_asleep(p.sheets[1]), "%d sleeps on", 1 - woken);
    step_panels(&p, 60);
    CHECK(all_sleep(&p), "does not sleep again");
  }
  free_panels(&p);
}

/* Pins on a seam win, and the reactions of all pins are the weight of both panels. */
static void test_pins(void) {
  cloth_config config = panel_config(9, 13, 10);
  config.capacity.pin_reactions = 1;
  config.air.density = 0;
  panels p;
  cut_sheet(&p, 9, 13, 2, 0, &config);
  for (int k = 0; k < 9; k++)
    cloth_pin(p.sheets[0], 9 * 6 + k);
  cloth_vector pinned[9];
  for (int k = 0; k < 9; k++)
    pinned[k] = vector_of(position_of(p.sheets[0], 9 * 6 + k));
  step_panels(&p, 120);
  double impulse = 0;
  for (int frame = 0; frame < 30; frame++) {
    CHECK(step_panels(&p, 1) < 0.001, "the seam leaves its pins");
    for (int k = 0; k < 9; k++) {
      cloth_vector reaction;
      CHECK(cloth_get_pin_reaction(p.sheets[0], 9 * 6 + k, &reaction) == CLOTH_OK, "cloth_get_pin_reaction");
      impulse += (double)reaction.y;
    }
  }
  for (int k = 0; k < 9; k++)
    CHECK(point_distance(point_of(pinned[k]), position_of(p.sheets[0], 9 * 6 + k)) == 0, "pin %d has moved", k);
  const double weight = 9.81 * 30 * (double)FRAME * 2 * 7 * 9 * particle_mass(&p.f[0], 0);
  CHECK(fabs(impulse / -weight - 1) < 0.02, "the pins bear %g of the weight", impulse / -weight);
  free_panels(&p);
}

/* Impulses on the pins of the upper edge of a panel that hangs at rest, 5 cm before another one that hangs from pins as
   well. Both edges are sewn together, or not. */
static void hang_from_both(int is_sewn, point reaction[9]) {
  cloth_config config = panel_config(9, 9, 10);
  config.capacity.pin_reactions = 1;
  config.integration.velocity_damping = 5;
  panels p;
  cut_sheet(&p, 9, 17, 2, 0, &config);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 81; k++) {
      const point x = position_of(p.sheets[0], k);
      cloth_set_particle(p.sheets[i], k, vector_at(x.x, x.y, 0.05 * i), vector_at(0, 0, 0));
    }
    for (int k = 0; k < 9; k++)
      cloth_pin(p.sheets[i], k);
  }
  p.seams[0].a = row_side(0, 9, 0);
  p.seams[0].stiffening = -1;
  p.group.seam_count = is_sewn;
  step_panels(&p, 120);
  for (int k = 0; k < 9; k++) {
    cloth_vector impulse = {0, 0, 0};
    CHECK(cloth_get_pin_reaction(p.sheets[0], k, &impulse) == CLOTH_OK, "cloth_get_pin_reaction");
    reaction[k] = point_of(impulse);
  }
  free_panels(&p);
}

/* A stitch between two pins moves nothing and pulls nothing, also where it is open: each pin bears its own panel. */
static void test_both_pinned(void) {
  point sewn[9], alone[9];
  double weight = 0, most = 0;
  hang_from_both(1, sewn);
  hang_from_both(0, alone);
  for (int k = 0; k < 9; k++) {
    weight -= alone[k].y;
    most = fmax(most, point_distance(sewn[k], alone[k]));
  }
  CHECK(weight > 0 && most < 1e-3 * weight, "a pin bears %g N s from stitches, all %g from the panel", most, weight);
}

/// State ///

/* A step is a function of the states: what follows a save is played again to the bit. Turning the sides of a seam
   around changes what is computed by rounding alone. */
static void test_replay(void) {
  const hanging scene = {6, 3, 1, 1, 0};
  panels p;
  hang(&p, &scene, 3);
  unsigned char *saves[PANELS];
  uint64_t hashes[2] = {0, 0};
  step_panels(&p, 10);
  for (int i = 0; i < 3; i++) {
    saves[i] = (unsigned char *)malloc(p.f[i].memory.saved_bytes);
    CHECK(cloth_save(p.sheets[i], saves[i], p.f[i].memory.saved_bytes) == CLOTH_OK, "save");
  }
  for (int run = 0; run < 2; run++) {
    step_panels(&p, 12);
    for (int i = 0; i < 3; i++) {
      hashes[run] = hashes[run] * 31 + read_hash(p.sheets[i]);
      CHECK(cloth_load(p.sheets[i], saves[i], p.f[i].memory.saved_bytes) == CLOTH_OK, "load");
    }
  }
  CHECK(hashes[0] == hashes[1], "a replay differs");
  for (int i = 0; i < 3; i++)
    free(saves[i]);
  free_panels(&p);
}

static int bytes_of(const panels *p, cloth_group group) {
  size_t bytes = 0;
  (void)p;
  return cloth_group_bytes(&group, &bytes);
}

static void test_refusals(void) {
  const hanging scene = {6, 2, 1, 1, 0};
  panels p;
  hang(&p, &scene, 2);
  const cloth_seam good = p.seams[0];
  int32_t list[13] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 999};
  cloth_group g = p.group;
  p.group.seams = NULL;
  CHECK(bytes_of(&p, p.group) == CLOTH_ERROR_NULL, "no seams");
  p.group = g;
  p.group.seam_count = CLOTH_SEAM_LIMIT + 1;
  CHECK(bytes_of(&p, p.group) == CLOTH_ERROR_RANGE, "too many seams");
  p.group = g;
  p.group.seam_count = -1;
  CHECK(bytes_of(&p, p.group) == CLOTH_ERROR_RANGE, "fewer than no seams");
  p.group = g;
  p.group.seam_speed = 0;
  CHECK(bytes_of(&p, p.group) == CLOTH_ERROR_RANGE, "speed 0");
  p.group = g;
  p.seams[0].a.cloth = 2;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_INDEX, "a cloth that is not in the group");
  p.seams[0] = good;
  p.seams[0].b.first = p.f[1].count;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_INDEX, "a first particle that does not exist");
  p.seams[0] = good;
  p.seams[0].b.next = INT32_MAX;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_INDEX, "a last particle that does not exist");
  p.seams[0] = good;
  p.seams[0].b.next = 0;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_INDEX, "one particle many times");
  p.seams[0] = good;
  static const float wrong[] = {-1.01f, 100.1f, NAN, INFINITY};
  for (int n = 0; n < 4; n++) {
    p.seams[0].stiffening = wrong[n];
    CHECK(bytes_of(&p, g) == CLOTH_ERROR_RANGE, "a stiffening of %g", (double)wrong[n]);
  }
  p.seams[0].stiffening = 100.0f;
  CHECK(bytes_of(&p, g) == CLOTH_OK, "the largest stiffening");
  p.seams[0] = good;
  p.seams[0].a.count = 0;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_RANGE, "an empty side");
  p.seams[0].a.count = p.f[0].count + 1;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_RANGE, "more particles than there are");
  p.seams[0] = good;
  p.seams[0].a.first = -1;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_INDEX, "a first particle before all");
  p.seams[0].a.first = 0;
  p.seams[0].a.next = -1;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_INDEX, "a last particle before all");
  p.seams[0].a.count = p.seams[0].b.count = 1;
  p.seams[0].a.next = 0;
  CHECK(bytes_of(&p, g) == CLOTH_OK, "one stitch");
  p.seams[0] = good;
  p.seams[0].a.particles = list;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_INDEX, "a listed particle that does not exist");
  list[12] = -1;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_INDEX, "a listed particle before all");
  list[12] = 12;
  CHECK(bytes_of(&p, g) == CLOTH_OK, "a list");
  p.seams[0].a = good.a;
  p.seams[0].b = good.a;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_CONFLICT, "sewn to itself");
  p.seams[0] = good;
  p.seams[1].a = good.b;
  p.seams[1].b = good.a;
  g.seam_count = 2;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_CONFLICT, "sewn twice, the other way round");
  p.seams[1] = good;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_CONFLICT, "sewn twice");
  p.seams[1].b.first++;
  CHECK(bytes_of(&p, g) == CLOTH_OK, "sewn to two columns");
  g.seam_count = 1;
  p.seams[0].a = (cloth_seam_side){0, 0, 1, 3, NULL};
  p.seams[0].b = (cloth_seam_side){0, 6, -1, 3, NULL};
  CHECK(bytes_of(&p, g) == CLOTH_OK, "a dart that ends before its tip");
  p.seams[0].a.count = p.seams[0].b.count = 4;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_CONFLICT, "a dart with its tip");
  p.seams[0] = good;
  float gap;
  CHECK(cloth_group_seam_gap(&g, 1, &gap) == CLOTH_ERROR_INDEX, "gap of no seam");
  CHECK(cloth_group_seam_gap(&g, -1, &gap) == CLOTH_ERROR_INDEX, "gap of no seam");
  CHECK(cloth_group_seam_gap(NULL, 0, &gap) == CLOTH_ERROR_NULL, "gap of no group");
  CHECK(cloth_group_seam_gap(&g, 0, NULL) == CLOTH_ERROR_NULL, "gap without room");
  CHECK(bytes_of(&p, g) == CLOTH_OK, "what is right");
  p.seams[0].a.cloth = -1;
  uint64_t before = read_hash(p.sheets[0]);
  CHECK(cloth_step_together(&g, FRAME, p.memory, p.bytes) == CLOTH_ERROR_INDEX, "a step with a wrong seam");
  CHECK(read_hash(p.sheets[0]) == before, "a refused step changes a cloth");
  free_panels(&p);
}

/* A particle may be sewn between two others and between other two, or to one of them; not twice to the same. */
static void test_joined_twice(void) {
  const hanging scene = {6, 2, 1, 1, 0};
  panels p;
  hang(&p, &scene, 2);
  const int32_t threes[2][3] = {{0, 1, 2}, {4, 1, 5}}, twos[2][2] = {{0, 1}, {0, 2}};
  const cloth_seam gathered = {{0, 0, 1, 3, threes[0]}, {1, 0, 1, 2, twos[0]}, 0};
  const cloth_seam single = {{1, 0, 1, 1, NULL}, {0, 1, 1, 1, NULL}, 0};
  cloth_group g = p.group;
  g.seam_count = 2;
  p.seams[0] = gathered;
  p.seams[1] = (cloth_seam){{0, 0, 1, 3, threes[1]}, {1, 0, 1, 2, twos[1]}, 0};
  CHECK(bytes_of(&p, g) == CLOTH_OK, "between 0 and 1, and between 0 and 2");
  p.seams[1].b.particles = twos[0];
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_CONFLICT, "twice between 0 and 1");
  p.seams[1] = single;
  CHECK(bytes_of(&p, g) == CLOTH_OK, "between 0 and 1, and to 0");
  p.seams[0] = single;
  p.seams[1] = gathered;
  CHECK(bytes_of(&p, g) == CLOTH_OK, "to 0, and between 0 and 1");
  free_panels(&p);
}

/* All seams of a group together have as many stitches as CLOTH_STITCH_LIMIT says, and no more. */
static void test_most_stitches(void) {
  enum { SIDE = 17, PARTICLES = SIDE * SIDE, SEAMS = CLOTH_STITCH_LIMIT / PARTICLES + 1 };
  const cloth_config config = panel_config(2 * SIDE - 1, SIDE, 6);
  cloth_seam seams[SEAMS];
  panels p;
  cut_sheet(&p, 2 * SIDE - 1, SIDE, 2, 1, &config);
  cloth_group g = p.group;
  for (int n = 0; n < SEAMS; n++)
    seams[n] = (cloth_seam){{0, 0, 1, PARTICLES, NULL}, {1, 0, 1, PARTICLES, NULL}, 0};
  g.seams = seams;
  g.seam_count = SEAMS;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_RANGE, "%d stitches", SEAMS * PARTICLES);
  g.seam_count--;
  CHECK(bytes_of(&p, g) == CLOTH_ERROR_CONFLICT, "a seam many times, %d stitches", (SEAMS - 1) * PARTICLES);
  free_panels(&p);
}

/* Whether the stiffening of a seam between two panels changes how they hang. */
enum { ALONG_BORDERS, ALONG_DIAGONAL, LIMP, STIFFENINGS };
static int does_stiffening_act(int seam) {
  enum { SIDE = 9 };
  uint64_t hashes[2] = {0, 0};
  for (int is_stiff = 0; is_stiff < 2; is_stiff++) {
    int32_t places[SIDE]; /* of the second panel: down its first column, or along its diagonal */
    cloth_config config = panel_config(2 * SIDE - 1, SIDE, 6);
    panels p;
    for (int n = 0; n < SIDE; n++)
      places[n] = seam == ALONG_DIAGONAL ? SIDE * n + n : SIDE * n;
    config.grid.min_bending_length = 0;
    cut_sheet(&p, 2 * SIDE - 1, SIDE, 2, 1, &config);
    config.fabric.bend = seam == LIMP ? 0.0f : config.fabric.bend;
    CHECK(cloth_set_fabric(p.sheets[1], &config.fabric) == CLOTH_OK, "cloth_set_fabric");
    p.seams[0].b.particles = places;
    p.seams[0].stiffening = is_stiff ? 100.0f : -1.0f;
    free(p.allocation);
    take_memory(&p);
    for (int k = 0; k < SIDE; k++)
      cloth_pin(p.sheets[0], k);
    step_panels(&p, 20);
    for (int i = 0; i < 2; i++)
      hashes[is_stiff] = hashes[is_stiff] * 31 + read_hash(p.sheets[i]);
    free_panels(&p);
  }
  return hashes[0] != hashes[1];
}

/* A seam resists folding where both sides run along borders of cloth that bends; where one does not run along a border,
   or its cloth has no stiffness against bending, it folds freely. */
static void test_stiffening(void) {
  for (int seam = 0; seam < STIFFENINGS; seam++) {
    const int acts = does_stiffening_act(seam);
    CHECK(acts == (seam == ALONG_BORDERS), "seam %d: acts %d", seam, acts);
  }
}

/* A panel hangs from one that targets lead to and fro: that one is where its targets are, and the seam stays closed. */
static void test_led(void) {
  enum { COLUMNS = 9, ROWS = 13 };
  cloth_config config = panel_config(COLUMNS, ROWS, 10);
  const cloth_motion_constraint led = {0.0f, 0.0f, 0.0f, 0.0f};
  const cloth_vertex_layout layout = {sizeof(cloth_vector), 0, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE};
  cloth_vector start[COLUMNS * ROWS], targets[COLUMNS * ROWS];
  panels p;
  config.capacity.targets = 1;
  cut_sheet(&p, COLUMNS, ROWS, 2, 0, &config);
  const int count = p.f[0].count;
  for (int k = 0; k < count; k++) {
    start[k] = vector_of(position_of(p.sheets[0], k));
    CHECK(cloth_set_motion_constraint(p.sheets[0], k, &led) == CLOTH_OK, "cloth_set_motion_constraint");
  }
  double gap = 0, apart = 0;
  for (int frame = 0; frame < 60; frame++) {
    for (int k = 0; k < count; k++) {
      targets[k] = start[k];
      targets[k].x += 0.02f * (float)sin(0.1 * frame);
    }
    CHECK(cloth_move_targets(p.sheets[0], &layout, targets, sizeof *targets * (size_t)count) == CLOTH_OK, "targets");
    gap = fmax(gap, step_panels(&p, 1));
    for (int k = 0; k < count; k++)
      apart = fmax(apart, point_distance(position_of(p.sheets[0], k), point_of(targets[k])));
  }
  CHECK(apart < 1e-6, "a particle is %g m from its target", apart);
  CHECK(gap < 0.02, "a gap of %g spacings", gap);
  CHECK(-lowest_particle(&p) / (SPACING * (ROWS - 1)) > 0.98, "does not hang: %g m", -lowest_particle(&p));
  free_panels(&p);
}

static const test tests[] = {
    TEST(weight),   TEST(holes),        TEST(over_hole),     TEST(ragged),        TEST(nothing_sewn),
    TEST(momentum), TEST(pulled),       TEST(energy),        TEST(one_cloth),     TEST(rolled),
    TEST(opened),   TEST(opened_touch), TEST(saved_waiting), TEST(gathers),       TEST(gathered_places),
    TEST(closing),  TEST(contact),      TEST(sleep),         TEST(pins),          TEST(both_pinned),
    TEST(replay),   TEST(refusals),     TEST(joined_twice),  TEST(most_stitches), TEST(stiffening),
    TEST(led),
};

int main(int argc, char **argv) {
  return RUN_TESTS(argc, argv, tests);
}
