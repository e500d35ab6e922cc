/*
 * Which cloths the methods of examples/methods take: what a config or a call asks for that they do not treat is
 * refused with words and nothing changed, field by field.
 *
 * Includes the source: it is compiled in the library's place.
 */
#include "../examples/methods/methods.c"

#include "geometries.h"
#include "method_sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 6, COUNT = SIDE * SIDE };

/* A sheet of .5 m that lies flat, with springs and bending, in one substep. */
static cloth_config cloth_of_springs(void) {
  cloth_config config = bare_config(SIDE, SIDE);
  config.edge_warp = vector_at(0.5, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.5);
  config.fabric.density = 0.2f;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1000.0f;
  config.fabric.shear = 700.0f;
  config.fabric.bend = 1e-4f;
  config.fabric.compression = config.fabric.shear_compression = 1.0f;
  return config;
}

/// Refusals ///

static uint8_t holes[COUNT];
static cloth_vector shape[COUNT];
static float ones[COUNT];

static void set_wrap(cloth_config *config) {
  config->grid.wrap = 1;
}

static void set_mask(cloth_config *config) {
  memset(holes, 1, sizeof holes);
  holes[7] = 0;
  config->grid.cell_mask = holes;
}

/* A fan: rows grow longer. */
static void set_shape(cloth_config *config) {
  for (int i = 0; i < COUNT; i++)
    shape[i] = vector_at(0.1 * (i % SIDE) * (1.0 + 0.1 * (i / SIDE)), 0.0, 0.1 * (i / SIDE));
  config->grid.rest_positions = shape;
}

static void set_stiffness_map(cloth_config *config) {
  for (int i = 0; i < COUNT; i++)
    ones[i] = 1.0f;
  config->grid.stiffness_map = ones;
}

static void set_tearing(cloth_config *config) {
  config->tearing.max_breaks = 4;
  config->tearing.strain = 0.1f;
}

static void set_blend(cloth_config *config) {
  config->integration.bdf2_blend = 0.5f;
}

static void set_explicit_only(cloth_config *config) {
  config->integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
}

static void set_self(cloth_config *config) {
  config->self_thickness = 0.04f;
}

static void set_self_of_groups(cloth_config *config) {
  config->self_thickness = 0.04f;
  config->self.gathers = 0;
}

static void set_strain_limit(cloth_config *config) {
  config->strain_limit.max_extension = 0.1f;
}

static void set_sleep(cloth_config *config) {
  config->sleep.speed = 0.01f;
}

static void set_recentring(cloth_config *config) {
  config->world.recentre_distance = 10.0f;
}

static void set_pin_reactions(cloth_config *config) {
  config->capacity.pin_reactions = 1;
}

static void set_fixed_work(cloth_config *config) {
  config->capacity.fixed_work = 1;
}

typedef struct refused_config {
  const char *field; /* what the explanation begins with */
  void (*change)(cloth_config *config);
} refused_config;

static const refused_config refused_configs[] = {
    {"config.grid.wrap", set_wrap},
    {"config.grid.cell_mask", set_mask},
    {"config.grid.cell_mask, rest_positions", set_shape},
    {"config.grid.stiffness_map", set_stiffness_map},
    {"config.tearing.max_breaks", set_tearing},
    {"config.integration.bdf2_blend", set_blend},
    {"config.integration.method", set_explicit_only},
    {"config.self_thickness", set_self},
    {"config.self_thickness", set_self_of_groups},
    {"config.strain_limit.max_extension", set_strain_limit},
    {"config.sleep.speed", set_sleep},
    {"config.world.recentre_distance", set_recentring},
    {"config.capacity.pin_reactions", set_pin_reactions},
    {"config.capacity.fixed_work", set_fixed_work},
};

/* Every call refuses the cloth for the reason, whatever the method, and changes nothing. */
static void expect_refusal(cloth *sheet, const char *reason) {
  static unsigned char before[sizeof arena];
  cloth_method_report report, report_before;
  memset(&report, 0x5a, sizeof report);
  memset(memory, 0, sizeof memory);
  memcpy(&report_before, &report, sizeof report);
  memcpy(before, arena, sheet->total_bytes);
  for (int n = 0; n < CLOTH_SCHEME_STATIC + 1; n++) {
    cloth_method m = cloth_method_default();
    size_t bytes = 7;
    m.scheme = n;
    const char *why = cloth_method_explain(sheet, &m), *settle = cloth_method_explain_settle(sheet, &m);
    const int sized = cloth_method_memory(sheet, &m, &bytes);
    const int stepped = cloth_method_step(sheet, &m, 0.001f, memory, sizeof memory, &report);
    const int settled = cloth_method_settle(sheet, &m, memory, sizeof memory, &report);
    CHECK(strncmp(why, reason, strlen(reason)) == 0, "%s, not %s", why, reason);
    CHECK(strcmp(why, settle) == 0, "%s to settle, not %s", settle, why);
    CHECK(sized == CLOTH_ERROR_METHOD && stepped == CLOTH_ERROR_METHOD && settled == CLOTH_ERROR_METHOD,
          "%s: %d, %d, %d", reason, sized, stepped, settled);
    CHECK(bytes == 7, "%s: %zu bytes", reason, bytes);
  }
  int written = 0;
  for (size_t n = 0; n < sizeof memory; n++)
    written += memory[n] != 0;
  CHECK(memcmp(before, arena, sheet->total_bytes) == 0, "%s: the cloth has changed", reason);
  CHECK(memcmp(&report_before, &report, sizeof report) == 0, "%s: the report has changed", reason);
  CHECK(written == 0, "%s: %d bytes of the memory are written", reason, written);
}

static void test_configs(void) {
  for (size_t n = 0; n < sizeof refused_configs / sizeof refused_configs[0]; n++) {
    cloth_config config = cloth_of_springs();
    refused_configs[n].change(&config);
    expect_refusal(open_sheet(&config), refused_configs[n].field);
  }
}

/* A step by the default method, which has to succeed. */
static void expect_step(cloth *sheet, const char *what) {
  const cloth_method m = cloth_method_default();
  const int result = cloth_method_step(sheet, &m, 0.01f, memory, sizeof memory, NULL);
  CHECK(result >= 0, "%s: %d, %s", what, result, cloth_method_explain(sheet, &m));
}

static cloth_collider without_friction(cloth_collider collider) {
  collider.pose.position.y = -1.0f;
  collider.static_friction = collider.kinetic_friction = 0.0f;
  return collider;
}

static cloth *open_with_capacities(void) {
  cloth_config config = cloth_of_springs();
  config.capacity.max_bodies = 1;
  config.capacity.max_attachments = 1;
  config.capacity.targets = 1;
  config.capacity.geometry = 1;
  return open_sheet(&config);
}

static void test_confined(void) {
  cloth *sheet = open_with_capacities();
  CHECK(cloth_confine_to_plane(sheet, 3, vector_at(0.0, 1.0, 0.0)) == CLOTH_OK, "not confined");
  expect_refusal(sheet, "particles confined");
  CHECK(cloth_release(sheet, 3) == CLOTH_OK, "not released");
  expect_step(sheet, "released");
}

static void test_bodies(void) {
  cloth *sheet = open_with_capacities();
  const cloth_collider ball = without_friction(cloth_collider_default());
  const cloth_body body = cloth_body_default(&ball, 1.0f);
  const int index = cloth_add_collider(sheet, &ball);
  CHECK(cloth_set_body(sheet, index, &body) == CLOTH_OK, "no body");
  expect_refusal(sheet, "colliders with mass");
  CHECK(cloth_set_body(sheet, index, NULL) == CLOTH_OK, "still a body");
  expect_step(sheet, "without mass");
  CHECK(cloth_attach(sheet, 3, index, NULL) == CLOTH_OK, "not attached");
  expect_refusal(sheet, "particles attached");
  CHECK(cloth_release(sheet, 3) == CLOTH_OK, "not released");
  expect_step(sheet, "detached");
}

static void test_geometry(void) {
  cloth *sheet = open_with_capacities();
  built box = build_box(0.1, 0.1, 0.1);
  const cloth_collider hull = without_friction(collider_with(&box));
  const int index = cloth_add_collider(sheet, &hull);
  CHECK(index >= 0, "no hull: %d", index);
  expect_refusal(sheet, "colliders with geometry");
  CHECK(cloth_remove_collider(sheet, index) == CLOTH_OK, "still there");
  expect_step(sheet, "without the hull");
  free_built(&box);
}

static void test_targets(void) {
  static cloth_vector places[COUNT];
  const cloth_vertex_layout layout = {sizeof(cloth_vector), 0, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE};
  cloth *sheet = open_with_capacities();
  CHECK(cloth_write_vertices(sheet, &layout, places, sizeof places) == CLOTH_OK, "no vertices");
  expect_step(sheet, "capacity for targets");
  CHECK(cloth_set_targets(sheet, &layout, places, sizeof places) == CLOTH_OK, "no targets");
  expect_refusal(sheet, "motion constraints and targets");
}

int main(int count, char **arguments) {
  static const test tests[] = {
      TEST(configs), TEST(confined), TEST(bodies), TEST(geometry), TEST(targets),

  };
  return RUN_TESTS(count, arguments, tests);
}
