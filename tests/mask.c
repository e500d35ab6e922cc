/* Masks of cells: a strip cut out of a wide grid hangs, bends and weighs as one of its own grid, in every tier; a round
   cloth drapes evenly, its hole neither shrinks nor opens; a piece keeps its momenta; what is absent is not touched,
   drawn, found or held, and is where the cloth is. SPDX-License-Identifier: MIT */
#include "tiers.h"

#define SIDE_MOST 64
static uint8_t mask[SIDE_MOST * SIDE_MOST];

/// A strip of its own grid, and one cut out ///

#define STRIP_COLUMNS 6
#define STRIP_ROWS 16
#define SPACING 0.02

/* Columns to the left and right of the strip, and rows above and below it. */
#define MARGIN 5

typedef struct strip {
  fixture s;
  int margin;
} strip;

static strip make_strip_of(cloth_config config, int columns, int rows, int margin) {
  strip t = {.margin = margin};
  config.columns = columns + 2 * margin;
  config.rows = rows + 2 * margin;
  config.origin = vector_at(-SPACING * margin, SPACING * margin, 0.0);
  config.edge_warp = vector_at(SPACING * (config.columns - 1), 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -SPACING * (config.rows - 1), 0.0);
  config.grid.imperfection = 0.0f;
  memset(mask, 0, sizeof mask);
  for (int row = 0; row + 1 < rows; row++)
    for (int column = 0; column + 1 < columns; column++)
      mask[(row + margin) * (config.columns - 1) + column + margin] = 1;
  config.grid.cell_mask = margin > 0 ? mask : NULL;
  t.s = fixture_make(&config);
  return t;
}

static strip make_strip(cloth_config config, int margin) {
  return make_strip_of(config, STRIP_COLUMNS, STRIP_ROWS, margin);
}

static int strip_particle(const strip *t, int column, int row) {
  return fixture_particle(&t->s, column + t->margin, row + t->margin);
}

static void pin_strip(const strip *t) {
  for (int column = 0; column < STRIP_COLUMNS; column++)
    CHECK(cloth_pin(t->s.sheet, strip_particle(t, column, 0)) == CLOTH_OK, "pin");
}

static double hang_strip(cloth_config config, int margin, double *energy, double *weight) {
  strip t = make_strip(config, margin);
  cloth_measures measures;
  pin_strip(&t);
  CHECK(run_steps(t.s.sheet, 60, FRAME) >= 0, "steps");
  const point end = position_of(t.s.sheet, strip_particle(&t, 2, STRIP_ROWS - 1));
  cloth_measure(t.s.sheet, &measures);
  *energy = (double)measures.elastic_energy;
  *weight = 0.0;
  for (int column = 0; column < STRIP_COLUMNS; column++) {
    cloth_vector reaction;
    CHECK(cloth_get_pin_reaction(t.s.sheet, strip_particle(&t, column, 0), &reaction) == CLOTH_OK, "reaction");
    *weight -= (double)reaction.y / (double)FRAME;
  }
  fixture_free(&t.s);
  return -end.y - SPACING * (STRIP_ROWS - 1);
}

/* Elongation under its own weight, elastic energy and weight on the pins. */
static void test_strip(void) {
  double length[2], energy[2], weight[2];
  cloth_config config = default_of_tier(tested_tier);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 40.0f;
  config.fabric.shear = 10.0f;
  config.capacity.pin_reactions = 1;
  for (int cut = 0; cut < 2; cut++)
    length[cut] = hang_strip(config, cut ? MARGIN : 0, &energy[cut], &weight[cut]);
  CHECK(length[0] > 1.0e-4, "it stretches by %g m", length[0]);
  CHECK(fabs(length[1] / length[0] - 1.0) < 0.02, "%.6f m and %.6f m", length[0], length[1]);
  CHECK(fabs(energy[1] / energy[0] - 1.0) < 0.02, "%.8f J and %.8f J", energy[0], energy[1]);
  CHECK(fabs(weight[1] / weight[0] - 1.0) < 0.01, "%.6f N and %.6f N", weight[0], weight[1]);
  const double area = SPACING * SPACING * (STRIP_COLUMNS - 1) * (STRIP_ROWS - 1);
  const double expected = area * (double)config.fabric.density * 9.81;
  CHECK(fabs(weight[1] / expected - 1.0) < 0.02, "%.6f N of %.6f N", weight[1], expected);
}

/* How far a particle sinks whose strip is held by the first particles of its first two rows. Frees the strip. */
static double sink_of(strip *t, int held, int column, int row) {
  for (int n = 0; n < 2 * held; n++)
    CHECK(cloth_pin(t->s.sheet, strip_particle(t, n % held, n / held)) == CLOTH_OK, "pin");
  CHECK(run_steps(t->s.sheet, 300, FRAME) >= 0, "steps");
  const point end = position_of(t->s.sheet, strip_particle(t, column, row));
  fixture_free(&t->s);
  return end.z;
}

/* How far a cantilever whose first two rows are held sinks. */
static double bend_strip(cloth_config config, int margin) {
  strip t = make_strip(config, margin);
  return sink_of(&t, STRIP_COLUMNS, 0, STRIP_ROWS - 1);
}

/* With gravity across the sheet; air is left out, as it acts on the rim of both alike but damps the way there. */
static void test_cantilever(void) {
  cloth_config config = default_of_tier(tested_tier);
  config.gravity = vector_at(0.0, 0.0, -9.81);
  config.fabric.bend = 2.0e-3f;
  const double own = bend_strip(config, 0), cut = bend_strip(config, MARGIN);
  CHECK(own < -0.01, "it sinks by %g m", own);
  CHECK(fabs(cut / own - 1.0) < 0.02, "%.5f m and %.5f m", own, cut);
}

/* How far a cantilever one cell wide sinks, whose first two rows or columns are held. */
static double bend_narrow(cloth_config config, int is_along_weft, int margin) {
  const int columns = is_along_weft ? 2 : STRIP_ROWS, rows = is_along_weft ? STRIP_ROWS : 2;
  strip t = make_strip_of(config, columns, rows, margin);
  return sink_of(&t, 2, columns - 1, rows - 1);
}

/* Hinges along all four rims bear as those of a grid of their own. */
static void test_narrow(void) {
  cloth_config config = default_of_tier(tested_tier);
  config.gravity = vector_at(0.0, 0.0, -9.81);
  config.fabric.bend = 1.0e-2f;
  config.integration.velocity_damping = 2.0f;
  for (int is_along_weft = 0; is_along_weft < 2; is_along_weft++) {
    const double own = bend_narrow(config, is_along_weft, 0), cut = bend_narrow(config, is_along_weft, MARGIN);
    CHECK(own < -0.01, "it sinks by %g m", own);
    CHECK(fabs(cut / own - 1.0) < 0.02, "%.5f m and %.5f m", own, cut);
  }
}

/// A round cloth ///

#define ROUND_SIDE 25

static fixture make_round_of(cloth_config *given, double outer, double inner) {
  cloth_config config = *given;
  config.columns = config.rows = ROUND_SIDE;
  config.origin = vector_at(-0.5, 0.0, -0.5);
  for (int i = 0; i < (ROUND_SIDE - 1) * (ROUND_SIDE - 1); i++) {
    const double x = (i % (ROUND_SIDE - 1) + 0.5) / (ROUND_SIDE - 1) - 0.5;
    const double y = (i / (ROUND_SIDE - 1) + 0.5) / (ROUND_SIDE - 1) - 0.5;
    mask[i] = x * x + y * y < outer * outer && x * x + y * y >= inner * inner;
  }
  config.grid.cell_mask = mask;
  *given = config;
  return fixture_make(&config);
}

static fixture make_round(cloth_config config, double outer, double inner) {
  return make_round_of(&config, outer, inner);
}

static int is_absent(int particle) {
  const int column = particle % ROUND_SIDE, row = particle / ROUND_SIDE;
  const int cells = ROUND_SIDE - 1;
  for (int n = 0; n < 4; n++) {
    const int q = column - n % 2, r = row - n / 2;
    if (q >= 0 && q < cells && r >= 0 && r + 1 < ROUND_SIDE && mask[r * cells + q]) return 0;
  }
  return 1;
}

/* Absent particles are where the cloth is, and do not move. */
static void check_absent(const fixture *s, const char *when) {
  cloth_vector low, high;
  int absent = 0, near = 0, still = 0;
  cloth_get_bounds(s->sheet, &low, &high);
  for (int i = 0; i < ROUND_SIDE * ROUND_SIDE; i++) {
    if (is_absent(i)) {
      double nearest = 1.0e9;
      const point p = position_of(s->sheet, i);
      for (int j = 0; j < ROUND_SIDE * ROUND_SIDE; j++)
        if (!is_absent(j)) nearest = fmin(nearest, point_distance(p, position_of(s->sheet, j)));
      near += nearest == 0.0;
      still += point_length(velocity_of(s->sheet, i)) == 0.0;
      absent++;
    }
  }
  CHECK(absent > 100 && near == absent && still == absent, "%s: %d absent, %d with the cloth, %d still", when, absent,
        near, still);
  CHECK(all_finite(s->sheet), "%s: finite", when);
}

/* Rows without any cell, before the first of the cloth and behind its last, go where the cloth goes. */
static void test_absent_rows(void) {
  fixture s = make_round(default_of_tier(DEFAULT_TIER), 0.3, 0.0);
  CHECK(is_absent(0) && is_absent(ROUND_SIDE * ROUND_SIDE - 1), "no absent row");
  check_absent(&s, "at the start");
  CHECK(run_steps(s.sheet, 30, FRAME) >= 0, "steps");
  check_absent(&s, "falling");
  fixture_free(&s);
}

/* On a round table: the hem hangs alike on four sides, as mask and grid look the same from each. */
static void test_tablecloth(void) {
  fixture s = make_round(default_of_tier(tested_tier == EXPLICIT_TIER ? DEFAULT_TIER : tested_tier), 0.49, 0.0);
  cloth_collider table = collider_of(CLOTH_SHAPE_CYLINDER);
  table.radius = 0.3f;
  table.half_height = 0.05f;
  table.pose.position = vector_at(0.0, -0.07, 0.0);
  CHECK(cloth_add_collider(s.sheet, &table) >= 0, "table");
  CHECK((run_steps(s.sheet, 50, FRAME) & CLOTH_NOTE_RECOVERED) == 0, "steps");
  const int middle = ROUND_SIDE / 2, last = ROUND_SIDE - 1;
  const int sides[4][2] = {{middle, 0}, {middle, last}, {0, middle}, {last, middle}};
  double lowest = 0.0, highest = -1.0;
  for (int n = 0; n < 4; n++) {
    const point p = position_of(s.sheet, fixture_particle(&s, sides[n][0], sides[n][1]));
    lowest = fmin(lowest, p.y);
    highest = fmax(highest, p.y);
  }
  const point centre = position_of(s.sheet, fixture_particle(&s, middle, middle));
  cloth_measures measures;
  cloth_measure(s.sheet, &measures);
  CHECK(centre.y > -0.03 && fabs(centre.x) < 0.03 && fabs(centre.z) < 0.03, "centre at %g %g %g", centre.x, centre.y,
        centre.z);
  CHECK(highest < -0.05 && highest - lowest < 0.075, "hem from %g to %g m", lowest, highest);
  CHECK((double)measures.max_stretch < 0.05, "stretch %g", (double)measures.max_stretch);
  check_absent(&s, "on the table");
  fixture_free(&s);
}

/* A ring that lies still without forces keeps its hole; hung by one side, it stays as stretched as the fabric says. */
static void test_hole(void) {
  cloth_config config = default_of_tier(tested_tier);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  config.grid.imperfection = 0.0f;
  fixture s = make_round(config, 0.49, 0.2);
  const point before = position_of(s.sheet, fixture_particle(&s, ROUND_SIDE / 2, 7));
  CHECK(run_steps(s.sheet, 30, FRAME) >= 0, "steps");
  CHECK(point_distance(before, position_of(s.sheet, fixture_particle(&s, ROUND_SIDE / 2, 7))) < 1.0e-5, "rim moves");
  cloth_set_gravity(s.sheet, vector_at(0.0, 0.0, 9.81));
  for (int column = ROUND_SIDE / 2 - 1; column <= ROUND_SIDE / 2 + 1; column++)
    cloth_pin(s.sheet, fixture_particle(&s, column, 0));
  CHECK((run_steps(s.sheet, 40, FRAME) & CLOTH_NOTE_RECOVERED) == 0, "hangs");
  cloth_measures measures;
  cloth_measure(s.sheet, &measures);
  CHECK((double)measures.max_stretch < 0.05 && (double)measures.rms_stretch < 0.01, "stretch %g, mean %g",
        (double)measures.max_stretch, (double)measures.rms_stretch);
  check_absent(&s, "hung");
  fixture_free(&s);
}

/* A flat ring falls as fast as a flat square in air: the air acts on each particle as on its mass. */
static void test_air(void) {
  double speed[2];
  cloth_config config = default_of_tier(DEFAULT_TIER);
  config.grid.imperfection = 0.0f;
  for (int cut = 0; cut < 2; cut++) {
    fixture s = make_round(config, cut ? 0.49 : 2.0, cut ? 0.15 : 0.0);
    CHECK(run_steps(s.sheet, 30, FRAME) >= 0, "steps");
    speed[cut] = velocity_of(s.sheet, fixture_particle(&s, ROUND_SIDE / 2, 2)).y;
    fixture_free(&s);
  }
  CHECK(speed[0] < -0.5 && fabs(speed[1] / speed[0] - 1.0) < 0.02, "%g and %g m/s", speed[0], speed[1]);
}

/* The wind blows so many pieces of one cell each, side by side. Returns the velocity of the one before the last. */
static point blown_piece(int pieces) {
  point sum = {0.0, 0.0, 0.0};
  cloth_config config = default_of_tier(DEFAULT_TIER);
  config.columns = 2 * pieces;
  config.rows = 2;
  config.edge_warp = vector_at(0.02 * (config.columns - 1), 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.02);
  config.fabric.density = 0.005f;
  config.wind = vector_at(0.5, -10.0, 1.0);
  for (int i = 0; i < config.columns - 1; i++)
    mask[i] = i % 2 == 0;
  config.grid.cell_mask = mask;
  fixture s = fixture_make(&config);
  const int notes = run_steps(s.sheet, 20, FRAME), first = 2 * (pieces > 1 ? pieces - 2 : 0);
  CHECK(notes == CLOTH_OK, "%d pieces: notes %d", pieces, notes);
  for (int n = 0; n < 4; n++)
    sum = point_sum(sum, velocity_of(s.sheet, fixture_particle(&s, first + n % 2, n / 2)));
  fixture_free(&s);
  return point_scaled(sum, 0.25);
}

/* What the air does to a piece does not depend on the others, also where there are more than keep their momenta. */
static void test_air_on_pieces(void) {
  const point alone = blown_piece(1);
  CHECK(alone.y < -9.0 && alone.y > -11.0, "alone at %g m/s", alone.y);
  for (int pieces = 2; pieces <= 12; pieces += 5) {
    const double off = point_distance(blown_piece(pieces), alone);
    CHECK(off < 0.5, "one of %d pieces is %g m/s faster or slower than alone", pieces, off);
  }
}

/// What is absent ///

static void test_output(void) {
  fixture s = make_round(default_of_tier(DEFAULT_TIER), 0.49, 0.15);
  static uint32_t indices[6 * SIDE_MOST * SIDE_MOST];
  int cells = 0, wrong = 0;
  for (int i = 0; i < (ROUND_SIDE - 1) * (ROUND_SIDE - 1); i++)
    cells += mask[i];
  const int count = cloth_get_index_count(s.sheet);
  CHECK(count == 6 * cells, "%d indices of %d cells", count, cells);
  CHECK(cloth_write_indices32(s.sheet, 0, indices, (size_t)count - 1) == CLOTH_ERROR_BUFFER, "too small");
  CHECK(cloth_write_indices32(s.sheet, 0, indices, (size_t)count) == CLOTH_OK, "indices");
  for (int i = 0; i < count; i++)
    wrong += is_absent((int)indices[i]);
  CHECK(wrong == 0, "%d corners without a cell", wrong);
  cloth_surface_point hit;
  cloth_ray ray = {.origin = vector_at(0.01, 1.0, 0.01), .direction = vector_at(0.0, -1.0, 0.0), .max_distance = 2.0f};
  CHECK(cloth_cast_ray(s.sheet, &ray, &hit) == 0, "through the hole");
  ray.origin = vector_at(0.31, 1.0, 0.01);
  CHECK(cloth_cast_ray(s.sheet, &ray, &hit) == 1, "on the ring");
  for (int n = 0; n < 3; n++)
    CHECK(indices[3 * hit.triangle + n] == (uint32_t)hit.particle[n], "triangle %d, corner %d", hit.triangle, n);
  fixture_free(&s);
}

static void test_refusals(void) {
  cloth_config config = default_of_tier(DEFAULT_TIER);
  config.capacity.max_attachments = 1;
  config.capacity.max_bodies = 1;
  config.capacity.targets = 1;
  fixture s = make_round_of(&config, 0.49, 0.15);
  const int centre = fixture_particle(&s, ROUND_SIDE / 2, ROUND_SIDE / 2), rim = fixture_particle(&s, 12, 0);
  const uint64_t hash = read_hash(s.sheet);
  const cloth_vector up = vector_at(0.0, 1.0, 0.0);
  CHECK(cloth_get_freedom(s.sheet, centre) == 0, "freedom %d", cloth_get_freedom(s.sheet, centre));
  CHECK(cloth_pin(s.sheet, centre) == CLOTH_ERROR_STATE, "pin");
  CHECK(cloth_release(s.sheet, centre) == CLOTH_ERROR_STATE, "release");
  CHECK(cloth_move_pin(s.sheet, centre, up) == CLOTH_ERROR_STATE, "move");
  CHECK(cloth_set_pin_velocity(s.sheet, centre, up) == CLOTH_ERROR_STATE, "velocity");
  CHECK(cloth_confine_to_line(s.sheet, centre, up) == CLOTH_ERROR_STATE, "line");
  CHECK(cloth_confine_to_plane(s.sheet, centre, up) == CLOTH_ERROR_STATE, "plane");
  CHECK(cloth_set_particle(s.sheet, centre, up, up) == CLOTH_ERROR_STATE, "particle");
  CHECK(cloth_apply_impulse(s.sheet, centre, up) == CLOTH_ERROR_STATE, "impulse");
  CHECK(cloth_set_tether(s.sheet, rim, 0, centre) == CLOTH_ERROR_STATE, "tether");
  for (int slot = 0; slot < 2; slot++)
    CHECK(cloth_set_tether(s.sheet, centre, slot, -1) == CLOTH_ERROR_STATE, "no tether in slot %d", slot);
  const cloth_motion_constraint near = {0.1f, 0.0f, 0.0f, 0.0f};
  CHECK(cloth_set_motion_constraint(s.sheet, centre, &near) == CLOTH_ERROR_STATE, "motion constraint");
  CHECK(cloth_set_motion_constraint(s.sheet, centre, NULL) == CLOTH_ERROR_STATE, "no motion constraint");
  CHECK(cloth_attach(s.sheet, centre, 0, NULL) == CLOTH_ERROR_STATE, "attach");
  CHECK(read_hash(s.sheet) == hash, "the state changed");
  cloth_memory memory;
  mask[5] = 2;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_RANGE, "a byte of 2");
  memset(mask, 0, sizeof mask);
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_RANGE, "no cell");
  const int last = (config.columns - 1) * (config.rows - 1) - 1;
  for (int n = 0; n < 2; n++) { /* the first and the last cell count as well, and nothing behind it */
    mask[n ? last : 0] = 1;
    CHECK(cloth_memory_needed(&config, &memory) == CLOTH_OK, "cell %d alone", n ? last : 0);
    mask[n ? last : 0] = 2;
    CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_RANGE, "2 in cell %d", n ? last : 0);
    mask[n ? last : 0] = 0;
  }
  mask[last + 1] = 1;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_RANGE, "no cell but one behind the last");
  char text[128];
  CHECK(cloth_config_explain(&config, text, sizeof text) == CLOTH_ERROR_RANGE &&
            strcmp(text, "grid.cell_mask: 0..1, with a 1 somewhere") == 0,
        "\"%s\"", text);
  fixture_free(&s);
}

/* Tethers lead over the cloth: those from below the hole to the pin above it would hold what may open. */
static void test_tethers(void) {
  cloth_config config = default_of_tier(DEFAULT_TIER);
  config.tethers.count = 2;
  fixture s = make_round(config, 2.0, 0.3);
  int over = 0, beside = 0;
  for (int column = 0; column < ROUND_SIDE; column++)
    CHECK(cloth_pin(s.sheet, column) == CLOTH_OK, "pin");
  CHECK(run_steps(s.sheet, 1, FRAME) >= 0, "step");
  for (int slot = 0; slot < 2; slot++) {
    int32_t pin;
    CHECK(cloth_get_tether(s.sheet, fixture_particle(&s, 12, ROUND_SIDE - 1), slot, &pin) == CLOTH_OK, "tether");
    over += pin >= 0;
    CHECK(cloth_get_tether(s.sheet, fixture_particle(&s, 1, ROUND_SIDE - 1), slot, &pin) == CLOTH_OK, "tether");
    beside += pin >= 0;
  }
  CHECK(over == 0 && beside > 0, "%d tethers over the hole, %d beside it", over, beside);
  int32_t first = -1;
  CHECK(cloth_get_tether(s.sheet, fixture_particle(&s, 0, ROUND_SIDE - 1), 0, &first) == CLOTH_OK && first == 0,
        "the tether of the first column leads to %d", (int)first);
  CHECK(cloth_set_tether(s.sheet, fixture_particle(&s, 12, ROUND_SIDE - 1), 0, 12) == CLOTH_ERROR_STATE, "set");
  CHECK(cloth_set_tether(s.sheet, fixture_particle(&s, 0, ROUND_SIDE - 1), 0, 0) == CLOTH_OK, "set beside");
  fixture_free(&s);
}

/* A save and an image of one cloth are taken by another with the same mask, and refused by one with another mask; so is
   an image in which an absent particle is free. */
static void test_saves(void) {
  fixture s = make_round(default_of_tier(DEFAULT_TIER), 0.49, 0.15);
  cloth_memory memory;
  CHECK(run_steps(s.sheet, 10, FRAME) >= 0, "steps");
  cloth_get_memory(s.sheet, &memory);
  unsigned char *save = malloc(memory.saved_bytes), *image = malloc(memory.image_bytes);
  const uint64_t hash = read_hash(s.sheet);
  CHECK(cloth_save(s.sheet, save, memory.saved_bytes) == CLOTH_OK, "save");
  CHECK(cloth_write_image(s.sheet, image, memory.image_bytes) == CLOTH_OK, "image");
  CHECK(run_steps(s.sheet, 10, FRAME) >= 0, "steps");
  const uint64_t after = read_hash(s.sheet);
  CHECK(cloth_load(s.sheet, save, memory.saved_bytes) == CLOTH_OK && read_hash(s.sheet) == hash, "load");
  CHECK(run_steps(s.sheet, 10, FRAME) >= 0 && read_hash(s.sheet) == after, "the same again");
  CHECK(cloth_read_image(s.sheet, image, memory.image_bytes) == CLOTH_OK && read_hash(s.sheet) == hash, "image");
  fixture other = make_round(default_of_tier(DEFAULT_TIER), 0.49, 0.2);
  CHECK(cloth_load(other.sheet, save, memory.saved_bytes) == CLOTH_ERROR_IMAGE_CONFIG, "another mask");
  fixture_free(&other);
  save[5 * 4] = 3; /* behind the header: the freedom of particle 0 */
  CHECK(cloth_load(s.sheet, save, memory.saved_bytes) == CLOTH_ERROR_IMAGE_CONTENT, "a free absent particle");
  fixture_free(&s);
  free(save);
  free(image);
}

/* A cape with a neck hole and ragged hem, in self-contact, thrown over a ball: all tests of triangles at once. */
static void test_self_contact(void) {
  cloth_config config = default_of_tier(DEFAULT_TIER);
  config.self_thickness = 0.01f;
  fixture s = make_round(config, 0.49, 0.1);
  cloth_collider ball = collider_of(CLOTH_SHAPE_SPHERE);
  ball.radius = 0.15f;
  ball.pose.position = vector_at(0.05, -0.2, 0.0);
  CHECK(cloth_add_collider(s.sheet, &ball) >= 0, "ball");
  ball.shape = CLOTH_SHAPE_PLANE;
  ball.pose.position = vector_at(0.0, -0.4, 0.0);
  CHECK(cloth_add_collider(s.sheet, &ball) >= 0, "floor");
  int notes = 0;
  for (int frame = 0; frame < 60; frame++)
    notes |= cloth_step(s.sheet, FRAME);
  cloth_measures measures;
  cloth_measure(s.sheet, &measures);
  CHECK(notes >= 0 && !(notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)), "notes %d", notes);
  CHECK((double)measures.max_stretch < 0.2, "stretch %g", (double)measures.max_stretch);
  check_absent(&s, "over the ball");
  fixture_free(&s);
}

/* A tube without a quarter of its cells, across the seam, hangs as the sheet of the others. */
static void test_tube(void) {
  cloth_config config = default_of_tier(tested_tier == EXPLICIT_TIER ? DEFAULT_TIER : tested_tier);
  config.columns = 16;
  config.rows = 12;
  config.grid.wrap = 1;
  config.edge_weft = vector_at(0.0, -0.5, 0.0);
  for (int i = 0; i < 16 * 11; i++)
    mask[i] = i % 16 >= 2 && i % 16 < 14;
  config.grid.cell_mask = mask;
  fixture s = fixture_make(&config);
  for (int column = 2; column < 15; column++)
    CHECK(cloth_pin(s.sheet, column) == CLOTH_OK, "pin");
  CHECK(cloth_pin(s.sheet, 0) == CLOTH_ERROR_STATE, "an absent one");
  CHECK(run_steps(s.sheet, 30, FRAME) >= 0, "steps");
  cloth_measures measures;
  cloth_measure(s.sheet, &measures);
  CHECK((double)measures.max_stretch < 0.05, "stretch %g", (double)measures.max_stretch);
  CHECK(cloth_get_index_count(s.sheet) == 6 * 12 * 11, "%d indices", cloth_get_index_count(s.sheet));
  fixture_free(&s);
}

/* Without a cell left out the mask changes no bit. */
static void test_whole(void) {
  cloth_config config = default_of_tier(tested_tier);
  memset(mask, 1, sizeof mask);
  config.columns = config.rows = 12;
  fixture a = fixture_make(&config);
  config.grid.cell_mask = mask;
  fixture b = fixture_make(&config);
  for (int n = 0; n < 2; n++) {
    cloth *sheet = n ? b.sheet : a.sheet;
    cloth_pin(sheet, 0);
    CHECK(run_steps(sheet, 20, FRAME) >= 0, "steps");
  }
  const double apart = point_distance(position_of(a.sheet, 143), position_of(b.sheet, 143));
  CHECK(apart < 1.0e-3, "%g m apart", apart);
  fixture_free(&a);
  fixture_free(&b);
}

int main(int count, char **arguments) {
  static const test tests[] = {
      TEST(absent_rows),
      TEST_EACH(all_tiers, strip),
      TEST_EACH(all_tiers, cantilever),
      TEST_EACH(all_tiers, narrow),
      TEST_EACH(all_tiers, tablecloth),
      TEST_EACH(all_tiers, hole),
      TEST(air),
      TEST(air_on_pieces),
      TEST(output),
      TEST(refusals),
      TEST(tethers),
      TEST(saves),
      TEST(self_contact),
      TEST_EACH(all_tiers, tube),
      TEST_EACH(all_tiers, whole),
  };
  return RUN_TESTS(count, arguments, tests);
}
