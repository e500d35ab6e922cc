/*
 * Which cloths the methods of examples/methods take: what a config or a call asks for is done, or refused with words
 * and nothing changed, field by field; what does not act changes no bit.
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

/* A method whose memory starts there is refused by both calls, and the cloth stays as it is. */
static void expect_overlap(cloth *sheet, unsigned char *start, const char *where) {
  static unsigned char before[sizeof arena];
  static unsigned char scratch_before[sizeof memory];
  memcpy(before, arena, sizeof arena);
  memcpy(scratch_before, memory, sizeof memory);
  for (int settles = 0; settles < 2; settles++) {
    cloth_method m = cloth_method_default();
    size_t bytes = 0;
    m.scheme = settles ? CLOTH_SCHEME_STATIC : CLOTH_SCHEME_EULER;
    CHECK(cloth_method_memory(sheet, &m, &bytes) == CLOTH_OK && bytes < 1 << 20, "%zu bytes", bytes);
    const int result = settles ? cloth_method_settle(sheet, &m, start, bytes, NULL)
                               : cloth_method_step(sheet, &m, 0.01f, start, bytes, NULL);
    CHECK(result == CLOTH_ERROR_ARENA, "%s: %d", where, result);
  }
  CHECK(memcmp(before, arena, sizeof arena) == 0, "%s: the arena has changed", where);
  CHECK(memcmp(scratch_before, memory, sizeof memory) == 0, "%s: the memory has changed", where);
}

/* Memory in the arena of the cloth: all of it, its end, its beginning; beside it there is no objection. */
static void test_memory_in_arena(void) {
  static unsigned char both[1 << 22] __attribute__((aligned(CLOTH_ALIGNMENT)));
  const cloth_config config = cloth_of_springs();
  cloth_method m = cloth_method_default();
  cloth_memory needed = {.total_bytes = 0};
  size_t bytes = 0;
  cloth *sheet = open_sheet(&config);
  CHECK(cloth_memory_needed(&config, &needed) == CLOTH_OK, "no size");
  CHECK(cloth_method_memory(sheet, &m, &bytes) == CLOTH_OK, "no size");
  expect_overlap(sheet, arena, "all of the arena");
  expect_overlap(sheet, arena + needed.total_bytes / 2 / CLOTH_ALIGNMENT * CLOTH_ALIGNMENT, "half of the arena");
  const size_t offset = (bytes + CLOTH_ALIGNMENT - 1) / CLOTH_ALIGNMENT * CLOTH_ALIGNMENT;
  CHECK(cloth_init(&config, both + offset, sizeof both - offset, &sheet) == CLOTH_OK, "no cloth");
  const uint64_t hash = read_hash(sheet);
  CHECK(cloth_method_step(sheet, &m, 0.01f, both + CLOTH_ALIGNMENT, bytes, NULL) ==
            (offset < bytes + CLOTH_ALIGNMENT ? CLOTH_ERROR_ARENA : CLOTH_OK),
        "the end of the memory is the beginning of the arena");
  CHECK(read_hash(sheet) == hash, "the cloth has changed");
  CHECK(cloth_method_step(sheet, &m, 0.01f, both, bytes, NULL) >= 0, "memory before the arena");
  const size_t end = offset + (needed.total_bytes + CLOTH_ALIGNMENT - 1) / CLOTH_ALIGNMENT * CLOTH_ALIGNMENT;
  CHECK(cloth_method_step(sheet, &m, 0.01f, both + end, sizeof both - end, NULL) >= 0, "memory behind the arena");
}

/* Memory in the scratch that a cloth shares with others. */
static void test_memory_in_scratch(void) {
  cloth_config config = cloth_of_springs();
  config.capacity.shared_scratch = 1;
  cloth *sheet = open_sheet(&config);
  cloth_method m = cloth_method_default();
  memset(memory, 0, sizeof memory);
  CHECK(cloth_method_step(sheet, &m, 0.01f, memory, sizeof memory, NULL) == CLOTH_ERROR_STATE,
        "a step without scratch");
  CHECK(strstr(cloth_method_explain(sheet, &m), "cloth_set_scratch") != NULL, "%s", cloth_method_explain(sheet, &m));
  CHECK(cloth_set_scratch(sheet, memory, sizeof memory / 2) == CLOTH_OK, "no scratch");
  CHECK(strcmp(cloth_method_explain(sheet, &m), "ok") == 0, "%s", cloth_method_explain(sheet, &m));
  expect_overlap(sheet, memory, "scratch");
  CHECK(cloth_method_step(sheet, &m, 0.01f, memory + sizeof memory / 2, sizeof memory / 2, NULL) >= 0,
        "memory behind the scratch");
}

/// Notes ///

/* Bending of methods has no limit, whatever the library's own would have at these steps. */
static void test_no_bend_limit(void) {
  static const int bending[] = {CLOTH_BENDING_NONE, CLOTH_BENDING_QUADRATIC, CLOTH_BENDING_HINGE};
  for (int n = 0; n < 3; n++) {
    cloth_config config = cloth_config_default();
    config.columns = config.rows = 12;
    config.integration.bdf2_blend = 0;
    cloth *sheet = open_sheet(&config);
    cloth_pin(sheet, 0);
    cloth_pin(sheet, 11);
    cloth_method m = cloth_method_default();
    m.bending = bending[n];
    m.scheme = CLOTH_SCHEME_STATIC;
    memset(memory, 0, sizeof memory);
    const int result = cloth_method_settle(sheet, &m, memory, sizeof memory, NULL);
    CHECK(result == CLOTH_OK, "bending %d: %d, %s", bending[n], result, cloth_method_explain_settle(sheet, &m));
    CHECK(read_statistics(sheet).notes == 0, "bending %d: notes %d", bending[n], read_statistics(sheet).notes);
  }
}

/// What is treated, and what does not act ///

/* The hash of the motion in ten steps of a method from one state. */
static uint64_t motion_of(const cloth_config *config, int scheme, double wind) {
  cloth *sheet = open_sheet(config);
  cloth_method m = cloth_method_default();
  uint64_t hash = UINT64_C(14695981039346656037);
  m.scheme = scheme;
  cloth_pin(sheet, 0);
  CHECK(cloth_set_wind(sheet, vector_at(wind, 0.0, 0.0)) == CLOTH_OK, "no wind");
  for (int n = 0; n < 10; n++) {
    const int result = cloth_method_step(sheet, &m, 0.005f, memory, sizeof memory, NULL);
    CHECK(result >= 0, "%d, %s", result, cloth_method_explain(sheet, &m));
  }
  for (int i = 0; i < COUNT; i++) {
    const cloth_vector p = vector_load(vectors_at(sheet, sheet->state.position), i);
    uint32_t words[3];
    memcpy(words, &p, sizeof words);
    for (int k = 0; k < 3; k++)
      hash = (hash ^ words[k]) * UINT64_C(1099511628211);
  }
  return hash;
}

static void test_no_effect(void) {
  for (int scheme = CLOTH_SCHEME_EULER; scheme <= CLOTH_SCHEME_IMEX2; scheme++) {
    const cloth_config plain = cloth_of_springs();
    const uint64_t expected = motion_of(&plain, scheme, 0.0);
    cloth_config config = plain;
    CHECK(motion_of(&config, scheme, 10.0) == expected, "scheme %d: air acts", scheme);
    config.tethers.count = 2;
    CHECK(motion_of(&config, scheme, 0.0) == expected, "scheme %d: tethers act", scheme);
    config = plain;
    config.integration.method = CLOTH_INTEGRATION_IMPLICIT;
    config.solver.preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL;
    config.solver.max_iterations = 1;
    CHECK(motion_of(&config, scheme, 0.0) == expected, "scheme %d: the library's solver acts", scheme);
    config = plain;
    memset(holes, 1, sizeof holes);
    config.grid.cell_mask = holes;
    CHECK(motion_of(&config, scheme, 0.0) == expected, "scheme %d: a mask without holes acts", scheme);
    config = plain;
    config.world.origin.x = 1000;
    config.capacity.workers = 4;
    CHECK(motion_of(&config, scheme, 0.0) == expected, "scheme %d: origin or workers act", scheme);
    config = plain;
    config.gravity.y = -9.0f;
    CHECK(motion_of(&config, scheme, 0.0) != expected, "scheme %d: gravity does not act", scheme);
  }
}

/* Two rows or columns, and edges that are not perpendicular at the start. */
static void test_grids(void) {
  for (int n = 0; n < 3; n++) {
    cloth_config config = cloth_of_springs();
    config.columns = n == 0 ? 2 : SIDE;
    config.rows = n == 1 ? 2 : SIDE;
    config.edge_weft = n == 2 ? vector_at(0.2, 0.0, 0.45) : config.edge_weft;
    for (int material = 0; material <= CLOTH_MATERIAL_TRISPRINGS; material++) {
      cloth *sheet = open_sheet(&config);
      cloth_method m = cloth_method_default();
      m.material = material;
      m.bending = material % 2 ? CLOTH_BENDING_HINGE : CLOTH_BENDING_PLANE;
      for (int k = 0; k < 100; k++)
        CHECK(cloth_method_step(sheet, &m, 0.005f, memory, sizeof memory, NULL) >= 0, "grid %d, material %d", n,
              material);
      const double fall = -(double)position_of(sheet, 0).y;
      CHECK(fabs(fall - 0.5 * 9.81 * 0.5 * 0.505) < 0.02, "grid %d, material %d: falls %g m", n, material, fall);
    }
  }
}

/* Largest speed of a particle beside the mean of all [m/s]. */
static double largest_own_speed(const cloth *sheet) {
  const vector_array v = vectors_at(sheet, sheet->state.velocity);
  cloth_vector mean = vector_at(0.0, 0.0, 0.0);
  double most = 0.0;
  for (int i = 0; i < sheet->count; i++)
    mean = vector_add_scaled(mean, vector_load(v, i), 1.0f / (float)sheet->count);
  for (int i = 0; i < sheet->count; i++)
    most = fmax(most, (double)vector_length(vector_subtract(vector_load(v, i), mean)));
  return most;
}

/* Fabrics fall without a motion of their own: what their damping cannot hold as an explicit force is implicit. */
static void test_quiet_falls(void) {
  for (int scheme = CLOTH_SCHEME_EULER; scheme <= CLOTH_SCHEME_IMEX2; scheme++) {
    for (int kind = 0; kind < CLOTH_FABRIC_COUNT; kind++) {
      cloth_config config = cloth_of_springs();
      cloth_fabric_preset((cloth_fabric_kind)kind, &config.fabric);
      config.edge_warp = vector_at(2.0, 0.0, 0.0);
      config.edge_weft = vector_at(0.0, 0.0, 2.0);
      config.substeps = 14;
      cloth *sheet = open_sheet(&config);
      cloth_method m = cloth_method_default();
      m.scheme = scheme;
      memset(memory, 0, 4);
      for (int k = 0; k < 120; k++)
        CHECK(cloth_method_step(sheet, &m, 1.0f / 60.0f, memory, sizeof memory, NULL) >= 0, "scheme %d, fabric %d",
              scheme, kind);
      const double most = largest_own_speed(sheet);
      CHECK(most < 0.02, "scheme %d, fabric %d: %g m/s of its own", scheme, kind, most);
    }
  }
}

/* A sheet that starts deeper in a ball than a spacing: no time of a step, however short, moves it out by less. */
static void test_deep_start(void) {
  cloth_config config = cloth_of_springs();
  config.max_colliders = 1;
  config.thickness = 0.01f;
  cloth *sheet = open_sheet(&config);
  cloth_pin(sheet, 0);
  cloth_pin(sheet, SIDE - 1);
  cloth_collider ball = cloth_collider_default();
  ball.radius = 0.2f;
  ball.static_friction = ball.kinetic_friction = 0.0f;
  ball.pose.position = vector_at(0.25, -0.03, 0.3);
  cloth_add_collider(sheet, &ball);
  cloth_method m = cloth_method_default();
  m.scheme = CLOTH_SCHEME_STATIC;
  cloth_method_report report;
  memset(memory, 0, 4);
  const int notes = cloth_method_settle(sheet, &m, memory, sizeof memory, &report);
  CHECK(notes == 0, "settling gives notes %d", notes);
  CHECK(report.acceleration < 1e6f && report.residual < 1e6f, "acceleration %g, residual %g",
        (double)report.acceleration, (double)report.residual);
  for (int i = SIDE; i < COUNT; i++) {
    const float away =
        vector_length(vector_subtract(vector_load(vectors_at(sheet, sheet->state.position), i), ball.pose.position));
    CHECK(away > ball.radius, "particle %d is %g m from the middle of the ball", i, (double)away);
  }
}

/* Whoever is faster than max_speed is slowed, and the notes say so. */
static void test_speed_limit(void) {
  for (int scheme = CLOTH_SCHEME_EXPLICIT; scheme <= CLOTH_SCHEME_IMEX2; scheme++) {
    cloth_config config = cloth_of_springs();
    cloth_method m = cloth_method_default();
    int notes = 0;
    double fastest = 0.0;
    config.integration.max_speed = 0.5f;
    config.fabric.bend = 0.0f;
    config.substeps = config.integration.max_substeps = 40;
    m.scheme = scheme;
    m.bending = CLOTH_BENDING_NONE;
    cloth *sheet = open_sheet(&config);
    for (int n = 0; n < 30; n++) {
      const int result = cloth_method_step(sheet, &m, 0.02f, memory, sizeof memory, NULL);
      CHECK(result >= 0, "scheme %d: %d", scheme, result);
      notes |= result;
    }
    for (int i = 0; i < COUNT; i++)
      fastest = fmax(fastest, point_length(point_of(vector_load(vectors_at(sheet, sheet->state.velocity), i))));
    const double fall = -(double)position_of(sheet, 0).y;
    CHECK(fastest <= 0.5 + 1e-6 && fastest > 0.49, "scheme %d: %g m/s", scheme, fastest);
    CHECK(fall > 0.27 && fall < 0.3, "scheme %d: falls %g m in .6 s, free .0127 and .549 s of .5 m/s", scheme, fall);
    CHECK(notes & CLOTH_NOTE_SPEED_LIMITED, "scheme %d: no note", scheme);
  }
}

/* The list of contacts tells the impulses that the collider's reaction sums, in the solver and projected. */
static void test_contacts(void) {
  for (int n = 0; n < 6; n++) {
    cloth_config config = cloth_of_springs();
    cloth_method m = cloth_method_default();
    cloth_collider ground = cloth_collider_default();
    static cloth_contact contacts[64];
    cloth_reaction reaction = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    double pressed = 0.0;
    m.scheme = CLOTH_SCHEME_EULER + n / 2;
    m.contact = n % 2 ? CLOTH_CONTACT_SOLVER : CLOTH_CONTACT_PROJECTION;
    config.capacity.max_contacts = 64;
    config.origin.y = 0.01f;
    ground.shape = CLOTH_SHAPE_PLANE;
    cloth *sheet = open_sheet(&config);
    const int index = cloth_add_collider(sheet, &ground);
    for (int k = 0; k < 50; k++)
      CHECK(cloth_method_step(sheet, &m, 0.005f, memory, sizeof memory, NULL) >= 0, "case %d", n);
    const int count = cloth_get_contacts(sheet, contacts, 64);
    cloth_get_collider_reaction(sheet, index, &reaction);
    for (int k = 0; k < count && k < 64; k++)
      pressed += (double)contacts[k].impulse.y;
    const double weight = 0.2 * 0.25 * 9.81 * 0.005;
    CHECK(count == COUNT, "case %d: %d contacts", n, count);
    CHECK(fabs(pressed + (double)reaction.impulse.y) < 1e-6 && fabs(pressed - weight) < 1e-3 * weight,
          "case %d: %g N s, the reaction is %g, the weight %g", n, pressed, (double)reaction.impulse.y, weight);
  }
}

int main(int count, char **arguments) {
  static const test tests[] = {
      TEST(configs),         TEST(confined),          TEST(bodies),        TEST(geometry),  TEST(targets),
      TEST(memory_in_arena), TEST(memory_in_scratch), TEST(no_bend_limit), TEST(no_effect), TEST(grids),
      TEST(quiet_falls),     TEST(deep_start),        TEST(speed_limit),   TEST(contacts)};
  return RUN_TESTS(count, arguments, tests);
}
