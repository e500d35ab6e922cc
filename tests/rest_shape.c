/* Pre-shaped pieces (grid.rest_positions), in every tier: a trapezoid, a cone panel and a flared tube hang with every
   spring as long as the positions say; a rectangle of uneven cells stretches, bends and weighs as an even one; momenta,
   strain limits, tearing, masks, seams, contact, settling, saves and refusals. SPDX-License-Identifier: MIT */
#include "tiers.h"

#define PI 3.14159265358979
#define MOST 32
static cloth_vector rest[MOST * MOST];

/* A piece whose shape at rest is in `rest`. */
static cloth_config config_of_tier(int tier, int columns, int rows) {
  cloth_config config = default_of_tier(tier);
  config.columns = columns;
  config.rows = rows;
  config.grid.rest_positions = rest;
  return config;
}

/// Strains ///

typedef struct strains {
  double least, most;       /* of springs along warp and weft */
  double shortest, longest; /* rows over their lengths at rest */
} strains;

static double rest_distance(int i, int j) {
  return point_distance(point_of(rest[i]), point_of(rest[j]));
}

static strains strains_of(const fixture *s, const cloth_config *config) {
  strains all = {1.0, -1.0, 10.0, 0.0};
  for (int row = 0; row < config->rows; row++) {
    double length = 0.0, at_rest = 0.0;
    for (int column = 0; column < config->columns; column++) {
      const int i = row * config->columns + column, last = column + 1 == config->columns;
      const int right = last ? i - column : i + 1, below = i + config->columns;
      for (int d = 0; d < 2; d++) {
        if ((d == 0 && last && !config->grid.wrap) || (d == 1 && row + 1 == config->rows)) continue;
        const int j = d ? below : right;
        const double now = point_distance(position_of(s->sheet, i), position_of(s->sheet, j));
        const double strain = now / rest_distance(i, j) - 1.0;
        all.least = fmin(all.least, strain);
        all.most = fmax(all.most, strain);
        length += d ? 0.0 : now;
        at_rest += d ? 0.0 : rest_distance(i, j);
      }
    }
    all.shortest = fmin(all.shortest, length / at_rest);
    all.longest = fmax(all.longest, length / at_rest);
  }
  return all;
}

/* What a piece of this height may stretch at its top: its weight over its stiffness, and some for shear. */
static double stretch_bound(const cloth_config *config, double height, double gathered) {
  return 3.0 * gathered * (double)config->fabric.density * 9.81 * height / (double)config->fabric.stretch_warp + 0.004;
}

/// Shapes ///

/* Rows from `top` to `bottom` wide, `height` high, in the plane z = 0. */
static void make_trapezoid(int columns, int rows, double top, double bottom, double height) {
  for (int i = 0; i < columns * rows; i++) {
    const double v = (double)(i / columns) / (rows - 1), u = (double)(i % columns) / (columns - 1) - 0.5;
    rest[i] = vector_at(u * (top + (bottom - top) * v), -height * v, 0.0);
  }
}

/* A sector of a ring, from radius `inner` to `outer`, of an angle. */
static void make_sector(int columns, int rows, double inner, double outer, double angle) {
  for (int i = 0; i < columns * rows; i++) {
    const double v = (double)(i / columns) / (rows - 1), u = angle * ((double)(i % columns) / (columns - 1) - 0.5);
    const double r = inner + (outer - inner) * v;
    rest[i] = vector_at(r * sin(u), -r * cos(u), 0.0);
  }
}

/* A tube around the vertical axis, of radius `top` to `bottom`. */
static void make_flared(int columns, int rows, double top, double bottom, double height) {
  for (int i = 0; i < columns * rows; i++) {
    const double v = (double)(i / columns) / (rows - 1), u = 2.0 * PI * (i % columns) / columns;
    const double r = top + (bottom - top) * v;
    rest[i] = vector_at(r * cos(u), -height * v, -r * sin(u));
  }
}

static void pin_row(const fixture *s, int columns) {
  for (int column = 0; column < columns; column++)
    CHECK(cloth_pin(s->sheet, column) == CLOTH_OK, "pin");
}

static void expect_lengths(const char *what, const strains *all, double bound) {
  CHECK(all->most < bound && all->shortest > 1.0 - bound && all->longest < 1.0 + bound,
        "%s: strains from %g to %g, rows of %g to %g, bound %g", what, all->least, all->most, all->shortest,
        all->longest, bound);
}

/* Hangs a piece from its first row for two seconds. */
static void expect_to_hang(const char *what, const cloth_config *config, double bound) {
  fixture s = fixture_make(config);
  pin_row(&s, config->columns);
  CHECK(run_steps(s.sheet, 120, FRAME) >= 0, "steps");
  const strains all = strains_of(&s, config);
  expect_lengths(what, &all, bound);
  fixture_free(&s);
}

/* Panels that narrow and widen hang with every row at its own length. Diagonals do not hold rows apart, so that a wide
   hem below a narrow top may hang in folds; the sum along a row remains. */
static void test_trapezoid(void) {
  for (int widens = 0; widens < 2; widens++) {
    cloth_config config = config_of_tier(tested_tier, 16, 16);
    make_trapezoid(16, 16, widens ? 0.3 : 0.5, widens ? 0.5 : 0.25, 0.4);
    expect_to_hang(widens ? "widens" : "narrows", &config, stretch_bound(&config, 0.4, 1.7));
  }
}

static void test_cone_panel(void) {
  cloth_config config = config_of_tier(tested_tier, 20, 12);
  make_sector(20, 12, 0.3, 0.65, 1.2);
  expect_to_hang("a sector", &config, stretch_bound(&config, 0.35, 2.2));
}

/* A skirt whose hem is twice as long as its waist. */
static void test_flared_tube(void) {
  cloth_config config = config_of_tier(tested_tier, 24, 14);
  config.grid.wrap = 1;
  make_flared(24, 14, 0.12, 0.24, 0.4);
  expect_to_hang("a skirt", &config, stretch_bound(&config, 0.42, 2.0));
}

/* Without forces a piece stays as it is: in the plane bending pulls rows that are curved or uneven, by less than this.
 */
static void test_rest(void) {
  cloth_config config = config_of_tier(tested_tier, 16, 16);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  for (int shape = 0; shape < 2; shape++) {
    if (shape)
      make_sector(16, 16, 0.3, 0.7, 1.0);
    else
      make_trapezoid(16, 16, 0.5, 0.2, 0.4);
    fixture s = fixture_make(&config);
    cloth_measures measures;
    CHECK(run_steps(s.sheet, 60, FRAME) >= 0, "steps");
    const strains all = strains_of(&s, &config);
    CHECK(all.least > -1.0e-3 && all.most < 1.0e-3, "strains from %g to %g", all.least, all.most);
    CHECK(cloth_measure(s.sheet, &measures) == CLOTH_OK && (double)measures.max_stretch < 1.0e-3, "stretch %g",
          (double)measures.max_stretch);
    fixture_free(&s);
  }
}

/// A rectangle of uneven cells, and an even one ///

#define STRIP_COLUMNS 6
#define STRIP_ROWS 25
#define STRIP_LENGTH 0.48
#define STRIP_WIDTH 0.1

/* Rows of the strip that lie 1 to 1.9 apart, and columns 1 to 1.5. */
static double uneven(double share, double most) {
  return 2.0 * share / (1.0 + most) + share * share * (most - 1.0) / (1.0 + most);
}

static void make_strip(int is_uneven) {
  for (int i = 0; i < STRIP_COLUMNS * STRIP_ROWS; i++) {
    const double v = (double)(i / STRIP_COLUMNS) / (STRIP_ROWS - 1);
    const double u = (double)(i % STRIP_COLUMNS) / (STRIP_COLUMNS - 1);
    rest[i] = vector_at(STRIP_WIDTH * (is_uneven ? uneven(u, 1.5) : u),
                        -STRIP_LENGTH * (is_uneven ? uneven(v, 1.9) : v), 0.0);
  }
}

static double hang_strip(cloth_config config, double *energy, double *weight) {
  fixture s = fixture_make(&config);
  cloth_measures measures;
  pin_row(&s, STRIP_COLUMNS);
  CHECK(run_steps(s.sheet, 90, FRAME) >= 0, "steps");
  const point end = position_of(s.sheet, 2 + STRIP_COLUMNS * (STRIP_ROWS - 1));
  cloth_measure(s.sheet, &measures);
  *energy = (double)measures.elastic_energy;
  *weight = 0.0;
  for (int column = 0; column < STRIP_COLUMNS; column++) {
    cloth_vector reaction;
    CHECK(cloth_get_pin_reaction(s.sheet, column, &reaction) == CLOTH_OK, "reaction");
    *weight -= (double)reaction.y / (double)FRAME;
  }
  fixture_free(&s);
  return -end.y - STRIP_LENGTH;
}

/* Elongation [m] and energy [J] of springs that bear the particles below them. A row of particles weighs the mean area
   of the cells around it; the columns at the edges are as stiff as those inside. */
static double expected_strip(const cloth_config *config, double *energy) {
  const double weight = STRIP_WIDTH * STRIP_LENGTH * (double)config->fabric.density * 9.81;
  const double stiffness = (double)config->fabric.stretch_weft * STRIP_WIDTH * STRIP_COLUMNS / (STRIP_COLUMNS - 1);
  double share[STRIP_ROWS], total = 0.0, elongation = 0.0;
  for (int row = 0; row < STRIP_ROWS; row++) {
    const int first = row > 0 ? row - 1 : 0, last = row + 1 < STRIP_ROWS ? row + 1 : row;
    share[row] = rest_distance(first * STRIP_COLUMNS, last * STRIP_COLUMNS) / (last - first);
    total += share[row];
  }
  *energy = 0.0;
  for (int row = STRIP_ROWS - 1, below = 0; row > 0; row--, below++) {
    double force = 0.0;
    for (int n = row; n < STRIP_ROWS; n++)
      force += weight * share[n] / total;
    const double length = rest_distance((row - 1) * STRIP_COLUMNS, row * STRIP_COLUMNS);
    elongation += force * length / stiffness;
    *energy += 0.5 * force * force * length / stiffness;
  }
  return elongation;
}

/* Elongation, energy and weight are those of the fabric. Without bending, whose hinges pull uneven rows and have energy
   at rest, see test_rest(), and with little shear, as diagonals resist stretch by the shape of their cell. */
static void test_strip(void) {
  cloth_config config = config_of_tier(tested_tier, STRIP_COLUMNS, STRIP_ROWS);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 40.0f;
  config.fabric.shear = 0.5f;
  config.fabric.bend = config.grid.min_bending_length = 0.0f;
  config.capacity.pin_reactions = 1;
  config.tethers.count = 0;
  for (int n = 0; n < 2; n++) {
    make_strip(n);
    double energy, weight, expected_energy;
    const double length = hang_strip(config, &energy, &weight), expected = expected_strip(&config, &expected_energy);
    CHECK(fabs(length / expected - 1.0) < 0.03, "%d: %.6f m of %.6f m", n, length, expected);
    CHECK(fabs(energy / expected_energy - 1.0) < 0.03, "%d: %.8f J of %.8f J", n, energy, expected_energy);
    const double all = STRIP_WIDTH * STRIP_LENGTH * (double)config.fabric.density * 9.81;
    CHECK(fabs(weight / all - 1.0) < 0.02, "%d: %.6f N of %.6f N", n, weight, all);
  }
}

/* How far a cantilever sinks. Its clamp ends at the second row, which lies elsewhere: for small sag, w L^4 / 8 B. The
   pull of the hinges along uneven rows and the springs that bear it are not solved together: springs that are solved
   for leave more of it over. */
static void test_cantilever(void) {
  cloth_config config = config_of_tier(tested_tier, STRIP_COLUMNS, STRIP_ROWS);
  config.gravity = vector_at(0.0, 0.0, -0.5);
  config.fabric.bend = 2.0e-3f;
  config.grid.min_bending_length = 0.0f;
  config.integration.velocity_damping = 3.0f;
  double sag[2], free_length[2];
  for (int n = 0; n < 2; n++) {
    make_strip(n);
    free_length[n] = STRIP_LENGTH + (double)rest[STRIP_COLUMNS].y;
    fixture s = fixture_make(&config);
    for (int i = 0; i < 2 * STRIP_COLUMNS; i++)
      CHECK(cloth_pin(s.sheet, i) == CLOTH_OK, "pin");
    CHECK(run_steps(s.sheet, 300, FRAME) >= 0, "steps");
    sag[n] = -position_of(s.sheet, STRIP_COLUMNS * (STRIP_ROWS - 1)).z / pow(free_length[n], 4.0);
    fixture_free(&s);
  }
  CHECK(sag[0] * pow(free_length[0], 4.0) > 0.01, "it sinks by %g", sag[0] * pow(free_length[0], 4.0));
  const double share = tested_tier >= IMEX_TIER ? 0.15 : 0.06;
  CHECK(fabs(sag[1] / sag[0] - 1.0) < share, "%.5f and %.5f", sag[0], sag[1]);
}

/* A rectangle whose positions are those of the default start changes little but rounding. */
static void test_same_rectangle(void) {
  cloth_config config = config_of_tier(tested_tier, 12, 12);
  point end[2];
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.grid.imperfection = 0.0f;
  for (int i = 0; i < 144; i++)
    rest[i] = vector_at(i % 12 / 11.0, -(i / 12) / 11.0, 0.0);
  for (int n = 0; n < 2; n++) {
    config.grid.rest_positions = n ? rest : NULL;
    fixture s = fixture_make(&config);
    pin_row(&s, 4);
    CHECK(run_steps(s.sheet, 60, FRAME) >= 0, "steps");
    end[n] = position_of(s.sheet, 143);
    fixture_free(&s);
  }
  CHECK(point_distance(end[0], end[1]) < 2.0e-3, "%g m apart", point_distance(end[0], end[1]));
}

/// Beside other parts ///

/* A piece that is thrown keeps both momenta, with the masses of its areas. */
static void test_momentum(void) {
  cloth_config config = config_of_tier(tested_tier, 14, 14);
  config.air.density = 0.0f;
  config.integration.velocity_damping = config.integration.rest_drag = 0.0f;
  config.gravity = vector_at(0.0, 0.0, 0.0);
  make_trapezoid(14, 14, 0.5, 0.2, 0.4);
  fixture s = fixture_make(&config);
  point p[2], l[2];
  double total = 0.0;
  for (int i = 0; i < 196; i++) {
    const point x = position_of(s.sheet, i);
    total += particle_mass(&s, i);
    cloth_set_particle(s.sheet, i, vector_of(x), vector_at(-0.3 * x.y, 0.3 * x.x, 0.4 + 0.2 * sin(20.0 * x.x)));
  }
  const double mass = 0.35 * 0.4 * (double)config.fabric.density;
  CHECK(fabs(total / mass - 1.0) < 1.0e-3, "%g kg of %g", total, mass);
  for (int n = 0; n < 2; n++) {
    p[n] = l[n] = (point){0.0, 0.0, 0.0};
    for (int i = 0; i < 196; i++) {
      const point v = point_scaled(velocity_of(s.sheet, i), particle_mass(&s, i));
      p[n] = point_sum(p[n], v);
      l[n] = point_sum(l[n], point_cross(position_of(s.sheet, i), v));
    }
    if (n == 0) CHECK(run_steps(s.sheet, 30, FRAME) >= 0, "steps");
  }
  CHECK(point_distance(p[0], p[1]) < 2.0e-4 * point_length(p[0]), "%g of %g", point_distance(p[0], p[1]),
        point_length(p[0]));
  CHECK(point_distance(l[0], l[1]) < 0.03 * point_length(l[0]), "%g of %g", point_distance(l[0], l[1]),
        point_length(l[0]));
  fixture_free(&s);
}

/* Strain limits are those of each spring: a soft piece with a heavy hem stretches no more than they let it. */
static void test_limits(void) {
  cloth_config config = config_of_tier(LIMITED_TIER, 12, 12);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 10.0f;
  config.fabric.density = 1.0f;
  config.strain_limit.max_extension = 0.05f;
  config.tethers.count = 0;
  make_trapezoid(12, 12, 0.4, 0.2, 0.4);
  fixture s = fixture_make(&config);
  pin_row(&s, 12);
  CHECK(run_steps(s.sheet, 120, FRAME) >= 0, "steps");
  const strains all = strains_of(&s, &config);
  CHECK(all.most > 0.03 && all.most < 0.07, "strain %g", all.most);
  fixture_free(&s);
}

/* A strip of rows that lie 1 to 1.9 apart and is pulled tears at the limit of strain. */
static void test_tearing(void) {
  const double limit = 0.05;
  cloth_config config = config_of_tier(tested_tier, STRIP_COLUMNS, STRIP_ROWS);
  const int end = STRIP_COLUMNS * (STRIP_ROWS - 1);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  config.air.density = 0.0f;
  config.fabric.shear = 10.0f;
  config.tearing.max_breaks = 8;
  config.tearing.strain = (float)limit;
  make_strip(1);
  fixture s = fixture_make(&config);
  pin_row(&s, STRIP_COLUMNS);
  for (int i = end; i < s.count; i++) {
    CHECK(cloth_pin(s.sheet, i) == CLOTH_OK, "pin");
    CHECK(cloth_set_pin_velocity(s.sheet, i, vector_at(0.0, -limit * STRIP_LENGTH, 0.0)) == CLOTH_OK, "pull");
  }
  double torn = 0.0;
  for (int n = 0; n < 120 && torn == 0.0; n++) {
    CHECK(cloth_step(s.sheet, FRAME) >= 0, "step");
    if (read_statistics(s.sheet).threads_torn > 0)
      torn = point_distance(position_of(s.sheet, 0), position_of(s.sheet, end)) / STRIP_LENGTH - 1.0;
  }
  CHECK(fabs(torn / limit - 1.0) < 0.1, "torn at %.4f of %.4f", torn, limit);
  CHECK(run_steps(s.sheet, 30, FRAME) >= 0 && all_finite(s.sheet), "steps");
  fixture_free(&s);
}

/* With a hole, in self-contact, on a ball. */
static void test_mask(void) {
  static uint8_t mask[19 * 19];
  cloth_config config = config_of_tier(DEFAULT_TIER, 20, 20);
  make_sector(20, 20, 0.2, 0.7, 1.5);
  for (int i = 0; i < 400; i++)
    rest[i] = vector_at((double)rest[i].x, 0.3, (double)rest[i].y + 0.45);
  for (int i = 0; i < 19 * 19; i++)
    mask[i] = !(i % 19 > 6 && i % 19 < 12 && i / 19 > 4 && i / 19 < 9);
  config.grid.cell_mask = mask;
  config.self_thickness = 0.004f;
  fixture s = fixture_make(&config);
  cloth_collider ball = collider_of(CLOTH_SHAPE_SPHERE);
  CHECK(cloth_add_collider(s.sheet, &ball) >= 0, "collider");
  cloth_measures measures;
  CHECK(run_steps(s.sheet, 90, FRAME) >= 0 && all_finite(s.sheet), "steps");
  cloth_measure(s.sheet, &measures);
  CHECK((double)measures.max_stretch < 0.15, "stretch %g", (double)measures.max_stretch);
  fixture_free(&s);
}

/* What the positions of absent particles are does not count: a piece with a corner left out weighs and hangs to the bit
   as it does with its absent particles where they would be, also where they are far away or in one point. */
static void test_absent(void) {
  static uint8_t mask[11 * 11];
  uint64_t hash[3];
  for (int i = 0; i < 121; i++)
    mask[i] = i % 11 + i / 11 > 3;
  for (int n = 0; n < 3; n++) {
    cloth_config config = config_of_tier(tested_tier, 12, 12);
    make_trapezoid(12, 12, 0.4, 0.25, 0.4);
    const cloth_vector corner = rest[4];
    for (int i = 0; n > 0 && i < 48; i++)
      if (i % 12 + i / 12 <= 3) rest[i] = n > 1 ? corner : vector_at(50.0 + i, -7.0 * i, 900.0);
    config.grid.cell_mask = mask;
    fixture s = fixture_make(&config);
    double total = 0.0;
    for (int i = 0; i < s.count; i++)
      total += cloth_get_freedom(s.sheet, i) > 0 ? particle_mass(&s, i) : 0.0;
    double area = 0.0;
    for (int i = 0; i < 121; i++) {
      const int p = i / 11 * 12 + i % 11;
      const double width = 0.5 * (rest_distance(p, p + 1) + rest_distance(p + 12, p + 13));
      area += mask[i] ? width * 0.4 / 11.0 : 0.0;
    }
    CHECK(fabs(total / (area * (double)config.fabric.density) - 1.0) < 1.0e-4, "%d: %g kg on %g m^2", n, total, area);
    for (int column = 4; column < 12; column++)
      CHECK(cloth_pin(s.sheet, column) == CLOTH_OK, "pin");
    CHECK(run_steps(s.sheet, 30, FRAME) >= 0, "steps");
    hash[n] = read_hash(s.sheet);
    fixture_free(&s);
  }
  CHECK(hash[0] == hash[1] && hash[0] == hash[2], "positions of absent particles count");
}

/* Two gores of a skirt sewn together along their slanted sides: no gap, and both hang alike. */
static void test_seam(void) {
  fixture s[2];
  cloth *sheets[2];
  for (int n = 0; n < 2; n++) {
    cloth_config config = config_of_tier(DEFAULT_TIER, 10, 14);
    make_trapezoid(10, 14, 0.2, 0.4, 0.45);
    for (int i = 0; i < 140; i++) {
      const double v = (double)(i / 10) / 13.0, side = (0.2 + 0.2 * v) / 2.0,
                   x = (double)rest[i].x - (n ? -side : side);
      rest[i] = vector_at(x, (double)rest[i].y, 0.0);
    }
    config.self_thickness = 0.005f;
    config.self.gathers = 0;
    s[n] = fixture_make(&config);
    sheets[n] = s[n].sheet;
    pin_row(&s[n], 10);
  }
  cloth_seam seam = {{0, 9, 10, 14, NULL}, {1, 0, 10, 14, NULL}, 0};
  cloth_group group = cloth_group_default();
  group.cloths = sheets;
  group.count = 2;
  group.seams = &seam;
  group.seam_count = 1;
  size_t bytes = 0;
  CHECK(cloth_group_bytes(&group, &bytes) == CLOTH_OK, "bytes");
  unsigned char *allocation, *memory = guarded_buffer(bytes, 0, &allocation);
  float gap = 1.0f;
  for (int n = 0; n < 90; n++)
    CHECK(cloth_step_together(&group, FRAME, memory, bytes) >= 0, "step");
  CHECK(cloth_group_seam_gap(&group, 0, &gap) == CLOTH_OK && (double)gap < 0.02 * 0.03, "gap %g", (double)gap);
  const point left = position_of(sheets[0], 130), right = position_of(sheets[1], 139);
  CHECK(fabs(left.x + right.x) < 0.01 && fabs(left.y - right.y) < 0.01, "(%g, %g) and (%g, %g)", left.x, left.y,
        right.x, right.y);
  for (int n = 0; n < 2; n++) {
    cloth_measures measures;
    cloth_measure(sheets[n], &measures);
    CHECK((double)measures.max_stretch < 0.03, "stretch %g", (double)measures.max_stretch);
    fixture_free(&s[n]);
  }
  free(allocation);
}

/// Saves, work, refusals ///

static void test_saves(void) {
  cloth_config config = config_of_tier(tested_tier, 12, 12);
  make_trapezoid(12, 12, 0.4, 0.2, 0.4);
  fixture s = fixture_make(&config);
  cloth_memory memory;
  cloth_get_memory(s.sheet, &memory);
  unsigned char *save = malloc(memory.saved_bytes), *image = malloc(memory.image_bytes);
  pin_row(&s, 4);
  CHECK(run_steps(s.sheet, 10, FRAME) >= 0, "steps");
  const uint64_t hash = read_hash(s.sheet);
  CHECK(cloth_save(s.sheet, save, memory.saved_bytes) == CLOTH_OK, "save");
  CHECK(cloth_write_image(s.sheet, image, memory.image_bytes) == CLOTH_OK, "image");
  CHECK(run_steps(s.sheet, 10, FRAME) >= 0, "steps");
  const uint64_t after = read_hash(s.sheet);
  CHECK(cloth_load(s.sheet, save, memory.saved_bytes) == CLOTH_OK && read_hash(s.sheet) == hash, "load");
  CHECK(run_steps(s.sheet, 10, FRAME) >= 0 && read_hash(s.sheet) == after, "the same again");
  CHECK(cloth_read_image(s.sheet, image, memory.image_bytes) == CLOTH_OK && read_hash(s.sheet) == hash, "image");
  rest[17].x += 0.001f;
  fixture other = fixture_make(&config);
  CHECK(cloth_load(other.sheet, save, memory.saved_bytes) == CLOTH_ERROR_IMAGE_CONFIG, "another shape");
  fixture_free(&other);
  fixture_free(&s);
  free(save);
  free(image);
}

/* Positions beside those of rest are taken as they are; a map of masses counts beside the areas. */
static void test_start(void) {
  static cloth_vector start[144];
  static float map[144];
  cloth_config config = config_of_tier(DEFAULT_TIER, 12, 12);
  make_trapezoid(12, 12, 0.4, 0.2, 0.4);
  for (int i = 0; i < 144; i++) {
    start[i] = vector_at(2.0 * (double)rest[i].x, 1.0, 0.0);
    map[i] = i < 72 ? 1.0f : 2.0f;
  }
  fixture s = fixture_make(&config);
  CHECK(point_distance(position_of(s.sheet, 5), point_of(rest[5])) < 1.0e-6, "starts at rest");
  config.grid.positions = start;
  config.grid.mass_map = map;
  fixture t = fixture_make(&config);
  CHECK(point_distance(position_of(t.sheet, 5), point_of(start[5])) < 1.0e-6, "starts as told");
  CHECK(fabs(particle_mass(&t, 5) / particle_mass(&s, 5) - 1.0) < 1.0e-5, "a factor of 1");
  CHECK(fabs(particle_mass(&t, 140) / particle_mass(&s, 140) - 2.0) < 1.0e-5, "a factor of 2");
  fixture_free(&s);
  fixture_free(&t);
}

static void expect_refused(const cloth_config *config, int error, const char *expected) {
  cloth_memory memory;
  char text[128];
  CHECK(cloth_memory_needed(config, &memory) == error, "%s", expected);
  CHECK(cloth_config_explain(config, text, sizeof text) == error && strcmp(text, expected) == 0, "\"%s\"", text);
}

static void test_refusals(void) {
  static const char *const lengths =
      "grid.rest_positions: springs of 1e-4..100 m, 0.25..4 of their mean; cells of 0.1 of their sides";
  cloth_config config = config_of_tier(DEFAULT_TIER, 12, 12);
  cloth_memory plain, shaped;
  make_trapezoid(12, 12, 0.4, 0.2, 0.4);
  CHECK(cloth_memory_needed(&config, &shaped) == CLOTH_OK, "a trapezoid");
  config.grid.rest_positions = NULL;
  CHECK(cloth_memory_needed(&config, &plain) == CLOTH_OK, "a rectangle");
  CHECK(shaped.total_bytes - plain.total_bytes <= (41 + 72) * 144 + 400, "%d bytes more",
        (int)(shaped.total_bytes - plain.total_bytes));
  config.grid.rest_positions = rest;
  rest[7].y = NAN;
  expect_refused(&config, CLOTH_ERROR_RANGE, "grid.rest_positions: -1e5..1e5 m on each axis");
  rest[7].y = -2.0e5f;
  expect_refused(&config, CLOTH_ERROR_RANGE, "grid.rest_positions: -1e5..1e5 m on each axis");
  make_trapezoid(12, 12, 0.4, 0.02, 0.4);
  expect_refused(&config, CLOTH_ERROR_CONFLICT, lengths);
  make_trapezoid(12, 12, 0.4, 0.2, 0.4);
  rest[30] = rest[31];
  expect_refused(&config, CLOTH_ERROR_CONFLICT, lengths);
  memset(rest, 0, sizeof rest);
  expect_refused(&config, CLOTH_ERROR_CONFLICT, lengths);
  make_trapezoid(12, 12, 0.4, 0.2, 0.4);
  config.self_thickness = 0.012f; /* half of the mean spacing of rows is 0.0136 m, half of that of the hem 0.009 m */
  CHECK(cloth_memory_needed(&config, &plain) != CLOTH_OK, "thicker than half of the shortest spring");
  config.self_thickness = 0.009f;
  CHECK(cloth_memory_needed(&config, &plain) == CLOTH_OK, "as thick as that");
}

int main(int count, char **arguments) {
  static const test tests[] = {TEST_EACH(all_tiers, trapezoid),
                               TEST_EACH(all_tiers, cone_panel),
                               TEST_EACH(all_tiers, flared_tube),
                               TEST_EACH(all_tiers, rest),
                               TEST_EACH(all_tiers, strip),
                               TEST_EACH(all_tiers, cantilever),
                               TEST_EACH(all_tiers, same_rectangle),
                               TEST_EACH(all_tiers, momentum),
                               TEST(limits),
                               TEST_EACH(all_tiers, tearing),
                               TEST(mask),
                               TEST_EACH(all_tiers, absent),
                               TEST(seam),
                               TEST_EACH(all_tiers, saves),
                               TEST(start),
                               TEST(refusals)};
  return RUN_TESTS(count, arguments, tests);
}
