/* What cloth_config_explain(), cloth_fabric_explain() and cloth_collider_explain() say: conflicts name the settings
   that exclude each other, texts are cut to the buffer and always end. Ranges: config_ranges.c; colliders:
   call_refusals.c. SPDX-License-Identifier: MIT */
#include "refusals.h"

static void expect_explained(const cloth_config *config, int error, const char *expected) {
  char text[128];
  int explained = cloth_config_explain(config, text, sizeof text);
  cloth_memory memory;
  CHECK(explained == error && strcmp(text, expected) == 0, "%s: \"%s\" instead of \"%s\"", cloth_result_name(explained),
        text, expected);
  CHECK(cloth_memory_needed(config, &memory) == error, "\"%s\": cloth_memory_needed() finds something else", text);
}

static void test_conflicts(void) {
  cloth_config config = small_config();
  expect_explained(&config, CLOTH_OK, "ok");
  config.grid.wrap = 1;
  config.columns = 2;
  expect_explained(&config, CLOTH_ERROR_CONFLICT, "grid.wrap, columns: a tube has 3 columns or more");
  config = cloth_config_default();
  config.integration.max_parts = 3;
  expect_explained(&config, CLOTH_ERROR_CONFLICT, "integration.max_parts: 1, 2 or 4");
  config = small_config();
  config.capacity.fixed_work = 1;
  config.sleep.speed = 0.1f;
  expect_explained(&config, CLOTH_ERROR_CONFLICT, "capacity.fixed_work, sleep.speed: one of the two has to be 0");
  config.sleep.speed = 0.0f;
  for (int k = 0; k < 2; k++) {
    config = small_config();
    config.tearing.strain = k == 0 ? 0.1f : 0.0f;
    config.tearing.pin_force = k == 1 ? 1.0f : 0.0f;
    expect_explained(&config, CLOTH_ERROR_CONFLICT,
                     "tearing.strain, tearing.pin_force: 0, as with tearing.max_breaks 0 nothing breaks");
    config.tearing.max_breaks = 1;
    expect_explained(&config, CLOTH_OK, "ok");
  }
  config = small_config();
  config.edge_weft = config.edge_warp;
  expect_explained(&config, CLOTH_ERROR_CONFLICT, "edge_warp, edge_weft: sine of the angle at least 0.1");
  config.grid.wrap = 1;
  expect_explained(&config, CLOTH_ERROR_CONFLICT,
                   "grid.wrap, edge_warp, edge_weft: edges of a tube are perpendicular to 1e-3");
}

static void test_faults_beyond_ranges(void) {
  cloth_config config = small_config();
  cloth_vector positions[20];
  float map[20];
  for (int i = 0; i < 20; i++) {
    positions[i] = vector_at(0.3 * (i % 5), 0.0, 0.3 * (i / 5));
    map[i] = 1.0f;
  }
  config.cookie++;
  expect_explained(&config, CLOTH_ERROR_CONFIG, "cookie: start from cloth_config_default()");
  expect_explained(NULL, CLOTH_ERROR_NULL, "config: NULL");
  config = small_config();
  config.edge_warp = on_axis(0, 1e4f);
  expect_explained(&config, CLOTH_ERROR_RANGE, "edge_warp: 1e-4..100 m between columns");
  config = small_config();
  config.edge_weft = on_axis(2, 1e-4f);
  expect_explained(&config, CLOTH_ERROR_RANGE, "edge_weft: 1e-4..100 m between rows");
  config = small_config();
  config.origin = on_axis(1, NAN);
  expect_explained(&config, CLOTH_ERROR_RANGE, "origin, edge_warp, edge_weft: particles at -1e5..1e5 m on each axis");
  config = small_config();
  config.gravity = on_axis(1, -2e4f);
  expect_explained(&config, CLOTH_ERROR_RANGE, "gravity: -1e4..1e4 m/s^2 on each axis");
  config = small_config();
  config.wind = on_axis(0, 1001.0f);
  expect_explained(&config, CLOTH_ERROR_RANGE, "wind: -1000..1000 m/s on each axis");
  config = small_config();
  config.grid.positions = positions;
  positions[7].z = INFINITY;
  expect_explained(&config, CLOTH_ERROR_RANGE, "grid.positions: -1e5..1e5 m on each axis");
  config = small_config();
  map[19] = 101.0f;
  config.grid.mass_map = map;
  expect_explained(&config, CLOTH_ERROR_RANGE, "grid.mass_map: 0.01..100");
  config.grid.mass_map = NULL;
  config.grid.stiffness_map = map;
  expect_explained(&config, CLOTH_ERROR_RANGE, "grid.stiffness_map: 0..100");
}

/* A fabric alone is explained as in a config, without the name of the group. */
static void test_fabric(void) {
  cloth_config config = small_config();
  char alone[128], within[128];
  float *const values[] = {&config.fabric.density,
                           &config.fabric.stretch_warp,
                           &config.fabric.stretch_weft,
                           &config.fabric.shear,
                           &config.fabric.bend,
                           &config.fabric.compression,
                           &config.fabric.shear_compression,
                           &config.fabric.stretch_damping,
                           &config.fabric.shear_damping,
                           &config.fabric.bend_damping};
  CHECK(sizeof values / sizeof values[0] == sizeof(cloth_fabric) / sizeof(float), "a field is missing here");
  CHECK(cloth_fabric_explain(&config.fabric, alone, sizeof alone) == CLOTH_OK && strcmp(alone, "ok") == 0, "%s", alone);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    float good = *values[i];
    *values[i] = NAN;
    int error = cloth_fabric_explain(&config.fabric, alone, sizeof alone);
    cloth_config_explain(&config, within, sizeof within);
    CHECK(error == CLOTH_ERROR_RANGE && strncmp(within, "fabric.", 7) == 0 && strcmp(within + 7, alone) == 0,
          "\"%s\" and \"%s\"", alone, within);
    *values[i] = good;
  }
  config.fabric.bend = 11.0f;
  expect_explained(&config, CLOTH_ERROR_RANGE, "fabric.bend: 0..10 N m");
  CHECK(cloth_fabric_explain(NULL, alone, sizeof alone) == CLOTH_ERROR_NULL && strcmp(alone, "fabric: NULL") == 0, "%s",
        alone);
}

static void test_collider(void) {
  char text[128];
  cloth_collider collider = cloth_collider_default();
  for (int shape = CLOTH_SHAPE_PLANE; shape <= CLOTH_SHAPE_CYLINDER; shape++) {
    collider.shape = shape;
    int result = cloth_collider_explain(&collider, text, sizeof text);
    CHECK(result == CLOTH_OK && strcmp(text, "ok") == 0, "the default with shape %d: %s", shape, text);
  }
  CHECK(cloth_collider_explain(NULL, text, sizeof text) == CLOTH_ERROR_NULL && strcmp(text, "collider: NULL") == 0,
        "no collider: %s", text);
}

/* A text is cut to every size of buffer, ends with a 0, and touches nothing beyond. */
static void test_cut(void) {
  cloth_config config = small_config();
  cloth_collider collider = cloth_collider_default();
  config.fabric.bend = -1.0f;
  collider.radius = 0.0f;
  const char *const whole[] = {"fabric.bend: 0..10 N m", "bend: 0..10 N m", "radius: 1e-3..1e4 m"};
  for (size_t bytes = 0; bytes < 32; bytes++) {
    char texts[3][34];
    memset(texts, '?', sizeof texts);
    int results[] = {cloth_config_explain(&config, texts[0], bytes),
                     cloth_fabric_explain(&config.fabric, texts[1], bytes),
                     cloth_collider_explain(&collider, texts[2], bytes)};
    for (int i = 0; i < 3; i++) {
      size_t length = strlen(whole[i]), kept = bytes > length ? length : bytes - (bytes > 0);
      int is_whole = memcmp(texts[i], whole[i], kept) == 0 && (bytes == 0 || texts[i][kept] == 0);
      for (size_t k = bytes == 0 ? 0 : kept + 1; k < sizeof texts[i]; k++)
        is_whole = is_whole && texts[i][k] == '?';
      CHECK(results[i] == CLOTH_ERROR_RANGE && is_whole, "%d bytes for \"%s\"", (int)bytes, whole[i]);
    }
  }
  CHECK(cloth_config_explain(&config, NULL, 10) == CLOTH_ERROR_NULL, "no buffer");
  CHECK(cloth_fabric_explain(&config.fabric, NULL, 10) == CLOTH_ERROR_NULL, "no buffer");
  CHECK(cloth_collider_explain(&collider, NULL, 10) == CLOTH_ERROR_NULL, "no buffer");
}

static const test tests[] = {
    TEST(conflicts), TEST(faults_beyond_ranges), TEST(fabric), TEST(collider), TEST(cut),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
