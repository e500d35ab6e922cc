/* The imperfection of the start: it lets plane sheets buckle, is the same for every cloth of a seed, keeps to its bound
   and to the normal, and leaves what hangs as it was. SPDX-License-Identifier: MIT */
#include "support.h"

/// Scenes ///

/* A sheet of 1 m in the plane z = 0, row 0 on top, without gravity; default settings. */
static cloth_config plane_sheet(int side) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = side;
  config.edge_warp = vector_at(1.0, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  return config;
}

/* Moves both side edges of a sheet towards each other by a share of its width, within 12 frames. */
static void squeeze(const fixture *s, double share, int frame) {
  for (int row = 0; row < s->rows && frame < 12; row++) {
    for (int end = 0; end < 2; end++) {
      int pin = row * s->columns + end * (s->columns - 1);
      point p = position_of(s->sheet, pin);
      p.x += (end ? -0.5 : 0.5) * share / 12.0;
      cloth_move_pin(s->sheet, pin, vector_of(p));
    }
  }
}

/* The largest distance from the plane z = 0 [m] after a second of pressing the side edges together by 5 %. */
static double depth_when_squeezed(const cloth_config *config) {
  fixture s = fixture_make(config);
  for (int row = 0; row < s.rows; row++) {
    cloth_pin(s.sheet, row * s.columns);
    cloth_pin(s.sheet, row * s.columns + s.columns - 1);
  }
  for (int frame = 0; frame < 60; frame++) {
    squeeze(&s, 0.05, frame);
    CHECK(cloth_step(s.sheet, FRAME) >= 0, "a step");
  }
  double depth = 0.0;
  for (int i = 0; i < s.count; i++)
    depth = fmax(depth, fabs(position_of(s.sheet, i).z));
  fixture_free(&s);
  return depth;
}

/// Buckling ///

/* Half a wave that is 5 % shorter than its arc is 14 % of its length deep; several waves are as much less deep. */
static void test_buckling(void) {
  for (int side = 16; side <= 64; side *= 2) {
    cloth_config config = plane_sheet(side);
    double depth = depth_when_squeezed(&config);
    CHECK(depth > 0.01 && depth < 0.2, "%d columns: %g m out of the plane", side, depth);
  }
}

static void test_presets_buckle(void) {
  for (int preset = 0; preset < CLOTH_FABRIC_COUNT; preset++) {
    cloth_config config = plane_sheet(24);
    cloth_fabric_preset((cloth_fabric_kind)preset, &config.fabric);
    double depth = depth_when_squeezed(&config);
    CHECK(depth > 0.01 && depth < 0.2, "preset %d: %g m out of the plane", preset, depth);
  }
}

static void test_exact_start_stays_plane(void) {
  cloth_config config = plane_sheet(16);
  config.grid.imperfection = 0.0f;
  double depth = depth_when_squeezed(&config);
  CHECK(depth == 0.0, "an exact start left its plane by %g m", depth);
}

/* A curtain, hung by its upper edge: nothing drives it out of its plane. */
static void test_hanging_sheet_is_unchanged(void) {
  cloth_config config = plane_sheet(32), exact_config = config;
  exact_config.grid.imperfection = 0.0f;
  exact_config.gravity = config.gravity = vector_at(0.0, -9.81, 0.0);
  fixture s = fixture_make(&config), exact = fixture_make(&exact_config);
  double most = 0.0, apart = 0.0, spacing = 1.0 / 31.0;
  for (int i = 0; i < s.columns; i++) {
    cloth_pin(s.sheet, i);
    cloth_pin(exact.sheet, i);
  }
  for (int frame = 0; frame < 120; frame++) {
    cloth_step(s.sheet, FRAME);
    cloth_step(exact.sheet, FRAME);
    apart = 0.0;
    for (int i = 0; i < s.count; i++)
      apart = fmax(apart, point_distance(position_of(s.sheet, i), position_of(exact.sheet, i)));
    most = fmax(most, apart);
  }
  CHECK(most > 0.0 && most < 0.1 * spacing, "%g of the spacing away", most / spacing);
  CHECK(apart < 0.1 * spacing, "%g of the spacing away at the end", apart / spacing);
  fixture_free(&s);
  fixture_free(&exact);
}

/// The displacements ///

/* An oblique sheet of unequal cells, 0.02 m by 0.03 m. */
static cloth_config oblique_sheet(void) {
  cloth_config config = cloth_config_default();
  config.columns = 31;
  config.rows = 21;
  config.origin = vector_at(0.1, 0.2, -0.3);
  config.edge_warp = vector_at(0.36, 0.0, 0.48);
  config.edge_weft = vector_at(0.0, -0.6, 0.0);
  return config;
}

/* How particle i of a cloth is displaced from where it starts in another. */
static point displacement(const fixture *s, const fixture *from, int i) {
  return point_difference(position_of(s->sheet, i), position_of(from->sheet, i));
}

/* Random along the normal, within the bound, of mean 0 and of a standard deviation of 1 / sqrt(3) of the bound. */
static void test_displacements(void) {
  cloth_config config = oblique_sheet();
  config.grid.imperfection = 0.05f;
  fixture s = fixture_make(&config);
  config.grid.imperfection = 0.0f;
  fixture exact = fixture_make(&config);
  const point normal = {0.8, 0.0, -0.6};
  double bound = 0.05 * 0.02, sum = 0.0, squares = 0.0, along = 0.0;
  point before = {0.0, 0.0, 0.0};
  for (int i = 0; i < s.count; i++) {
    point d = displacement(&s, &exact, i);
    double share = point_dot(d, normal) / bound;
    CHECK(fabs(share) < 1.0 + 1e-3, "particle %d: %g of the bound", i, share);
    CHECK(point_distance(d, point_scaled(normal, share * bound)) < 2e-7, "particle %d leaves the normal", i);
    sum += share;
    squares += share * share;
    along += share * point_dot(before, normal) / bound;
    before = d;
  }
  CHECK(fabs(sum / s.count) < 0.1, "mean %g", sum / s.count);
  CHECK(fabs(sqrt(squares / s.count) - sqrt(1.0 / 3.0)) < 0.05, "deviation %g", sqrt(squares / s.count));
  CHECK(fabs(along / s.count) < 0.1, "neighbours are correlated by %g", along / s.count);
  fixture_free(&s);
  fixture_free(&exact);
}

static void test_tube(void) {
  cloth_config config = cloth_config_default();
  config.columns = 24;
  config.rows = 9;
  config.grid.wrap = 1;
  config.grid.imperfection = 0.1f;
  config.edge_warp = vector_at(1.2, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -0.8, 0.0);
  fixture s = fixture_make(&config);
  config.grid.imperfection = 0.0f;
  fixture exact = fixture_make(&config);
  const double spacing = 0.05, radius = 0.5 * spacing / sin(acos(-1.0) / 24.0);
  int inward = 0, outward = 0;
  for (int i = 0; i < s.count; i++) {
    /* The axis lies a radius behind particle (0, 0), along cross(edge_weft, edge_warp). */
    point p = position_of(exact.sheet, i), axis = {0.0, p.y, radius};
    point normal = point_scaled(point_difference(p, axis), 1.0 / radius), d = displacement(&s, &exact, i);
    double length = point_dot(d, normal);
    CHECK(fabs(length) < 0.1 * spacing * 1.001, "particle %d: %g m", i, length);
    CHECK(point_distance(d, point_scaled(normal, length)) < 2e-7, "particle %d leaves the normal", i);
    outward += length > 0.2 * 0.1 * spacing;
    inward += length < -0.2 * 0.1 * spacing;
  }
  CHECK(outward > s.count / 4 && inward > s.count / 4, "%d outward and %d inward of %d", outward, inward, s.count);
  fixture_free(&s);
  fixture_free(&exact);
}

/* How many particles start elsewhere in another cloth. */
static int moved_particles(const cloth_config *a, const cloth_config *b) {
  fixture s = fixture_make(a), t = fixture_make(b);
  int moved = 0;
  for (int i = 0; i < s.count; i++)
    moved += point_length(displacement(&s, &t, i)) > 0.0;
  CHECK((moved == 0) == (read_hash(s.sheet) == read_hash(t.sheet)), "%d moved, the hashes say otherwise", moved);
  fixture_free(&s);
  fixture_free(&t);
  return moved;
}

static void test_seeds(void) {
  cloth_config config = oblique_sheet(), other = config;
  const int count = config.columns * config.rows;
  CHECK(moved_particles(&config, &other) == 0, "equal configs, other starts");
  other.grid.seed = 1;
  CHECK(moved_particles(&config, &other) > count * 9 / 10, "seeds 0 and 1 start alike");
  config.grid.seed = UINT32_MAX;
  CHECK(moved_particles(&config, &other) > count * 9 / 10, "seeds 1 and 2^32 - 1 start alike");
  config.grid.imperfection = other.grid.imperfection = 0.0f;
  CHECK(moved_particles(&config, &other) == 0, "exact starts of two seeds differ");
}

/// Where the start is ///

/* Far from the origin floats are coarser than the imperfection, which then is as large as they are coarse. */
static void test_far_away(void) {
  const double heights[] = {100.0, 5000.0, (double)CLOTH_POSITION_LIMIT};
  for (int n = 0; n < 3; n++) {
    cloth_config config = plane_sheet(32);
    config.origin = vector_at(0.0, 0.0, heights[n]);
    fixture s = fixture_make(&config);
    int displaced = 0;
    for (int i = 0; i < s.count; i++) {
      double distance = position_of(s.sheet, i).z - heights[n];
      CHECK(fabs(distance) < 3e-7 * heights[n], "%g m away: displaced by %g m", heights[n], distance);
      CHECK(distance + heights[n] <= (double)CLOTH_POSITION_LIMIT, "out of the world by %g m", distance);
      displaced += distance != 0.0;
    }
    CHECK(displaced > s.count / 8, "%g m away: %d of %d are displaced", heights[n], displaced, s.count);
    fixture_free(&s);
  }
}

static const test tests[] = {
    TEST(buckling),
    TEST(presets_buckle),
    TEST(exact_start_stays_plane),
    TEST(hanging_sheet_is_unchanged),
    TEST(displacements),
    TEST(tube),
    TEST(seeds),
    TEST(far_away),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
