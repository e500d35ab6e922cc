/* Every value of a config: accepted at both ends of its range, refused beyond, and its documented default.
   SPDX-License-Identifier: MIT */
#include "refusals.h"

#ifndef SOURCE_DIRECTORY
#define SOURCE_DIRECTORY "."
#endif

typedef enum field_kind { FIELD_FLOAT, FIELD_INT, FIELD_CHOICE } field_kind;

typedef struct config_field {
  const char *name;
  size_t offset;
  field_kind kind;
  double low, high; /* both accepted */
  const char *text; /* what cloth_config_explain() says: the unit after the range, or all of a choice's range */
} config_field;

#define FLOATS(field, low, high, unit)                                                                                 \
  { #field, offsetof(cloth_config, field), FIELD_FLOAT, (low), (high), unit }
#define INTS(field, low, high, unit)                                                                                   \
  { #field, offsetof(cloth_config, field), FIELD_INT, (low), (high), unit }
#define CHOICES(field, low, high)                                                                                      \
  { #field, offsetof(cloth_config, field), FIELD_CHOICE, (low), (high), #low ".." #high }

static const config_field config_fields[] = {
    INTS(columns, 2, CLOTH_GRID_LIMIT, ""),
    INTS(rows, 2, CLOTH_GRID_LIMIT, ""),
    INTS(grid.wrap, 0, 1, ""),
    FLOATS(grid.min_bending_length, 0, 16, " cells"),
    FLOATS(fabric.density, 0.001, 1000, " kg/m^2"),
    FLOATS(fabric.stretch_warp, 0, 1e7, " N/m"),
    FLOATS(fabric.stretch_weft, 0, 1e7, " N/m"),
    FLOATS(fabric.shear, 0, 1e7, " N/m"),
    FLOATS(fabric.bend, 0, 10, " N m"),
    FLOATS(fabric.compression, 0, 1, ""),
    FLOATS(fabric.shear_compression, 0, 1, ""),
    FLOATS(fabric.stretch_damping, 0, 1e4, " N s/m"),
    FLOATS(fabric.shear_damping, 0, 1e4, " N s/m"),
    FLOATS(fabric.bend_damping, 0, 10, " s"),
    FLOATS(integration.velocity_damping, 0, 100, " 1/s"),
    FLOATS(air.density, 0, 100, " kg/m^3"),
    FLOATS(air.drag, 0, 100, ""),
    FLOATS(air.lift, 0, 100, ""),
    FLOATS(air.normal_drag, 0, 100, ""),
    CHOICES(integration.method, CLOTH_INTEGRATION_ADAPTIVE, CLOTH_INTEGRATION_EXPLICIT_ONLY),
    FLOATS(integration.explicit_threshold, 0, 1.3, ""),
    FLOATS(integration.rest_drag, 0, 100, " m/s^2"),
    FLOATS(integration.rest_speed, 0.001, 100, " m/s"),
    FLOATS(integration.max_push_speed, 0.1, 1e4, " m/s"),
    INTS(iterations, 0, CLOTH_ITERATION_LIMIT, ""),
    INTS(integration.max_parts, 1, 4, ""),
    FLOATS(solver.tolerance, 0, 0.5, ""),
    FLOATS(strain_limit.stiffness, 1, 1000, ""),
    FLOATS(integration.bdf2_blend, 0, 1, ""),
    INTS(substeps, 0, CLOTH_SUBSTEP_LIMIT, ""),
    INTS(integration.max_substeps, 1, CLOTH_SUBSTEP_LIMIT, ""),
    FLOATS(integration.max_speed, 0.1, 1e4, " m/s"),
    CHOICES(solver.preconditioner, CLOTH_PRECONDITIONER_BLOCK, CLOTH_PRECONDITIONER_MULTILEVEL),
    INTS(solver.max_iterations, 1, CLOTH_ITERATION_LIMIT, ""),
    INTS(tethers.count, 0, 2, ""),
    FLOATS(tethers.scale, 0.5, 10, ""),
    INTS(capacity.max_bodies, 0, CLOTH_COLLIDER_LIMIT, ""),
    INTS(capacity.max_attachments, 0, 65535, ""),
    INTS(capacity.pin_reactions, 0, 1, ""),
    INTS(capacity.targets, 0, 1, ""),
    FLOATS(grid.imperfection, 0, 0.1, ""),
    FLOATS(strain_limit.max_extension, 0, 10, ""),
    FLOATS(thickness, 0, 1, " m"),
    FLOATS(self_thickness, 0, 50, " m"),
    FLOATS(self_friction, 0, 10, ""),
    INTS(self.pairs, 1, 32, ""),
    INTS(self.gathers, 0, CLOTH_SUBSTEP_LIMIT, ""),
    INTS(self.untangle, 0, 1, ""),
    INTS(self.shape, 0, 1, ""),
    INTS(max_colliders, 0, CLOTH_COLLIDER_LIMIT, ""),
    INTS(tearing.max_breaks, 0, 65535, ""),
    INTS(tearing.max_torn_cells, 0, 65535, ""),
    INTS(capacity.max_confined, 0, 65535, ""),
    INTS(capacity.shared_scratch, 0, 1, ""),
    INTS(capacity.max_contacts, 0, 1000000, ""),
    INTS(capacity.fixed_work, 0, 1, ""),
    INTS(capacity.geometry, 0, 1, ""),
    INTS(capacity.meshes, 0, 16, ""),
    INTS(capacity.max_shared_bodies, 0, 64, ""),
    INTS(capacity.workers, 0, CLOTH_WORKER_LIMIT, ""),
    FLOATS(sleep.speed, 0, 10, " m/s"),
    FLOATS(sleep.time, 0, 60, " s"),
    FLOATS(tearing.strain, 0, 100, ""),
    FLOATS(tearing.pin_force, 0, 1e9, " N"),
    INTS(world.origin.x, -CLOTH_ORIGIN_LIMIT, CLOTH_ORIGIN_LIMIT, " m"),
    INTS(world.origin.y, -CLOTH_ORIGIN_LIMIT, CLOTH_ORIGIN_LIMIT, " m"),
    INTS(world.origin.z, -CLOTH_ORIGIN_LIMIT, CLOTH_ORIGIN_LIMIT, " m"),
    FLOATS(world.recentre_distance, 0, 1e4, " m"),
};

#define CONFIG_FIELD_COUNT (sizeof config_fields / sizeof config_fields[0])

static int field_in_fabric(const config_field *field) {
  return field->offset >= offsetof(cloth_config, fabric) &&
         field->offset < offsetof(cloth_config, fabric) + sizeof(cloth_fabric);
}

static cloth_config config_with_float(const config_field *field, float value) {
  cloth_config config = small_config();
  if (field->offset == offsetof(cloth_config, self_thickness)) { /* at most half of the spacing */
    config.edge_warp = vector_at(100.0 * (config.columns - 1), 0.0, 0.0);
    config.edge_weft = vector_at(0.0, 0.0, 100.0 * (config.rows - 1));
  }
  config.tearing.max_breaks = field->offset == offsetof(cloth_config, tearing.strain) ||
                              field->offset == offsetof(cloth_config, tearing.pin_force); /* with 0 both have to be 0 */
  memcpy((unsigned char *)&config + field->offset, &value, sizeof value);
  return config;
}

static cloth_config config_with_int(const config_field *field, int32_t value) {
  cloth_config config = small_config();
  memcpy((unsigned char *)&config + field->offset, &value, sizeof value);
  return config;
}

static void expect_config_refused(guarded_fixture *f, const cloth_config *config, int error, const char *name) {
  int needed = cloth_memory_needed(config, &f->out.memory);
  CHECK(needed == error, "%s: cloth_memory_needed gave %s", name, cloth_result_name(needed));
  int made = cloth_init(config, f->s.arena, f->s.memory.total_bytes, &f->out.sheet);
  CHECK(made == error, "%s: cloth_init gave %s", name, cloth_result_name(made));
  char text[128];
  int explained = cloth_config_explain(config, text, sizeof text);
  CHECK(explained == error, "%s: cloth_config_explain gave %s", name, cloth_result_name(explained));
  expect_untouched(f, name);
}

/* The explanation of a config names the field, its range, read as numbers, and its unit. */
static void expect_range_explained(const cloth_config *config, const config_field *field) {
  char text[128];
  cloth_config_explain(config, text, sizeof text);
  size_t length = strlen(field->name);
  const char *range = text + length + 2;
  int named = strncmp(text, field->name, length) == 0 && strncmp(text + length, ": ", 2) == 0;
  CHECK(named, "%s is explained as \"%s\"", field->name, text);
  if (named && field->kind == FIELD_CHOICE) {
    CHECK(strcmp(range, field->text) == 0, "%s is explained as \"%s\"", field->name, text);
  } else if (named) {
    const char *dots = strstr(range, "..");
    char *after = text, end[32] = "";
    if (dots != NULL && dots - range < (int)sizeof end) memcpy(end, range, (size_t)(dots - range));
    double low = strtod(end, NULL), high = dots == NULL ? -1.0 : strtod(dots + 2, &after);
    CHECK(low == field->low && high == field->high && strcmp(after, field->text) == 0,
          "%s of %g..%g%s is explained as \"%s\"", field->name, field->low, field->high, field->text, text);
  }
}

static void test_float_field(guarded_fixture *f, const config_field *field) {
  float low = (float)field->low, high = (float)field->high;
  cloth_config config = config_with_float(field, low);
  expect_config_accepted(&config, field->name);
  config = config_with_float(field, high);
  expect_config_accepted(&config, field->name);
  const float refused[] = {nextafterf(low, -INFINITY), nextafterf(high, INFINITY), NAN, -NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    config = config_with_float(field, refused[i]);
    expect_config_refused(f, &config, CLOTH_ERROR_RANGE, field->name);
    expect_range_explained(&config, field);
    if (field_in_fabric(field)) REFUSED(f, cloth_set_fabric(f->s.sheet, &config.fabric), CLOTH_ERROR_RANGE);
  }
}

static void test_int_field(guarded_fixture *f, const config_field *field) {
  int32_t low = (int32_t)field->low, high = (int32_t)field->high;
  cloth_config config = config_with_int(field, low);
  expect_config_accepted(&config, field->name);
  config = config_with_int(field, high);
  if (field->offset == offsetof(cloth_config, capacity.shared_scratch)) { /* it steps once its scratch is given */
    cloth_memory memory;
    CHECK(cloth_memory_needed(&config, &memory) == CLOTH_OK && memory.shared_bytes > 0, "%s", field->name);
  } else {
    expect_config_accepted(&config, field->name);
  }
  const int32_t refused[] = {low - 1, high + 1, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    config = config_with_int(field, refused[i]);
    expect_config_refused(f, &config, CLOTH_ERROR_RANGE, field->name);
    expect_range_explained(&config, field);
  }
}

/* At both ends of every range, with every scheme, the cloth works; beyond them it is refused. */
static void test_config_ranges(void) {
  cloth_config config = small_config();
  guarded_fixture f = guarded_make(&config);
  for (size_t i = 0; i < CONFIG_FIELD_COUNT; i++) {
    if (config_fields[i].kind == FIELD_FLOAT)
      test_float_field(&f, &config_fields[i]);
    else
      test_int_field(&f, &config_fields[i]);
  }
  guarded_free(&f);
}

static void test_config_vectors(void) {
  cloth_config config = small_config();
  guarded_fixture f = guarded_make(&config);
  for (int axis = 0; axis < 3; axis++) {
    const float bad[] = {1.001e4f, -1.001e4f, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
      config = small_config();
      config.gravity = on_axis(axis, bad[i]);
      expect_config_refused(&f, &config, CLOTH_ERROR_RANGE, "gravity");
      REFUSED(&f, cloth_set_gravity(f.s.sheet, config.gravity), CLOTH_ERROR_RANGE);
      config = small_config();
      config.wind = on_axis(axis, 0.1f * bad[i]);
      expect_config_refused(&f, &config, CLOTH_ERROR_RANGE, "wind");
      REFUSED(&f, cloth_set_wind(f.s.sheet, config.wind), CLOTH_ERROR_RANGE);
      config = small_config();
      config.origin = on_axis(axis, 100.0f * bad[i]);
      expect_config_refused(&f, &config, CLOTH_ERROR_RANGE, "origin");
      config = small_config();
      config.edge_warp = on_axis(axis, 100.0f * bad[i]);
      expect_config_refused(&f, &config, CLOTH_ERROR_RANGE, "edge_warp");
      config = small_config();
      config.edge_weft = on_axis(axis, 100.0f * bad[i]);
      expect_config_refused(&f, &config, CLOTH_ERROR_RANGE, "edge_weft");
    }
    config = small_config();
    config.gravity = on_axis(axis, 1.0e4f);
    config.wind = on_axis(axis, -1.0e3f);
    config.air.drag = 1.0f;
    expect_config_accepted(&config, "gravity and wind at their limits");
  }
  guarded_free(&f);
}

static void test_config_placement(void) {
  cloth_config config = small_config();
  guarded_fixture f = guarded_make(&config);
  config.edge_warp = on_axis(0, 0.0f);
  expect_config_refused(&f, &config, CLOTH_ERROR_RANGE, "edge_warp of zero length");
  config = small_config();
  config.edge_weft = on_axis(0, 0.0f);
  expect_config_refused(&f, &config, CLOTH_ERROR_RANGE, "edge_weft of zero length");
  config = small_config();
  config.edge_warp = on_axis(0, 3.99e-4f); /* four cells of less than 1e-4 m */
  expect_config_refused(&f, &config, CLOTH_ERROR_RANGE, "columns too close");
  config.edge_warp = on_axis(0, 4.01e-4f);
  expect_config_accepted(&config, "columns just far enough apart");
  config = small_config();
  config.edge_weft = on_axis(2, 2.99e-4f);
  expect_config_refused(&f, &config, CLOTH_ERROR_RANGE, "rows too close");
  config.edge_weft = on_axis(2, 3.01e-4f);
  expect_config_accepted(&config, "rows just far enough apart");
  guarded_free(&f);
}

static void test_config_wrap(void) {
  cloth_config config = small_config();
  guarded_fixture f = guarded_make(&config);
  config.grid.wrap = 1;
  config.columns = 2;
  expect_config_refused(&f, &config, CLOTH_ERROR_CONFLICT, "two columns around");
  config.columns = 3;
  expect_config_accepted(&config, "three columns around");
  config.columns = 5;
  config.edge_warp = on_axis(0, 4.99e-4f); /* five cells of less than 1e-4 m */
  expect_config_refused(&f, &config, CLOTH_ERROR_RANGE, "columns too close around");
  config.edge_warp = on_axis(0, 5.01e-4f);
  expect_config_accepted(&config, "columns just far enough apart around");
  const double leans[] = {1.1e-3, -1.1e-3, 0.9e-3, -0.9e-3, 0.5};
  for (int i = 0; i < 5; i++) {
    config = small_config();
    config.grid.wrap = 1;
    config.edge_weft = vector_at(3.0 * leans[i], 2.0, sqrt(5.0));
    if (fabs(leans[i]) > 1e-3)
      expect_config_refused(&f, &config, CLOTH_ERROR_CONFLICT, "edges that lean around");
    else
      expect_config_accepted(&config, "edges that hardly lean around");
  }
  config = small_config(); /* normals point to -y, and the axis lies above */
  config.grid.wrap = 1;
  config.edge_warp = on_axis(0, 3.0f);
  config.origin = on_axis(1, CLOTH_POSITION_LIMIT - 0.5f);
  expect_config_refused(&f, &config, CLOTH_ERROR_RANGE, "a tube that reaches out of the world");
  config.origin = on_axis(1, CLOTH_POSITION_LIMIT - 1.5f);
  CHECK(cloth_memory_needed(&config, &f.out.memory) == CLOTH_OK, "a tube at the edge of the world");
  guarded_free(&f);
}

/* A tube starts as regular polygons of the right girth about an axis along edge_weft, normals pointing outward. */
static void test_tube_start(void) {
  const int widths[] = {5, 6, 7, 8, 12, 33, 1024};
  for (int n = 0; n < 7; n++) {
    cloth_config config = tested_config();
    config.grid.wrap = 1;
    config.columns = widths[n];
    config.rows = 3;
    config.origin = vector_at(0.3, -0.2, 0.1);
    config.edge_warp = vector_at(0.8, 0.0, 0.6);
    config.edge_weft = vector_at(0.0, -2.0, 0.0);
    fixture s = fixture_make(&config);
    const double side = 1.0 / s.columns, radius = 0.5 * side / sin(acos(-1.0) / s.columns);
    const point outward = {0.6, 0.0, -0.8}; /* cross(edge_warp, edge_weft), and away from the axis */
    const point middle = point_sum(point_of(config.origin), point_scaled(outward, -radius));
    CHECK(point_distance(position_of(s.sheet, 0), point_of(config.origin)) < 1e-7, "the first particle");
    for (int i = 0; i < s.count; i++) {
      point p = position_of(s.sheet, i), centre = middle, normal;
      point next = position_of(s.sheet, i / s.columns * s.columns + (i + 1) % s.columns);
      cloth_vector written;
      cloth_get_normal(s.sheet, i, &written);
      centre.y -= i / s.columns;
      normal = point_scaled(point_difference(p, centre), 1.0 / radius);
      CHECK(fabs(point_distance(p, centre) - radius) < 1e-6 * radius + 1e-7, "%d columns: distance of %d from the axis",
            s.columns, i);
      CHECK(fabs(point_distance(p, next) - side) < 3e-7, "%d columns: side %d of %g m", s.columns, i, side);
      CHECK(point_distance(normal, point_of(written)) < 1e-3, "%d columns: normal of particle %d", s.columns, i);
    }
    point first = point_difference(position_of(s.sheet, 1), position_of(s.sheet, 0));
    CHECK(point_dot(first, point_of(config.edge_warp)) > 0.8 * side, "%d columns: the way around", s.columns);
    fixture_free(&s);
  }
}

static void test_config_arrays(void) {
  cloth_config config = small_config();
  guarded_fixture f = guarded_make(&config);
  cloth_vector positions[20];
  float map[20];
  for (int i = 0; i < 20; i++) {
    positions[i] = vector_at(0.3 * (i % 5), 0.0, 0.3 * (i / 5));
    map[i] = 1.0f;
  }
  config.grid.positions = positions;
  const float bad_places[] = {NAN, INFINITY, -INFINITY, 1.01f * CLOTH_POSITION_LIMIT};
  for (size_t i = 0; i < sizeof bad_places / sizeof bad_places[0]; i++) {
    positions[19].y = bad_places[i];
    REFUSED(&f, cloth_init(&config, f.s.arena, f.s.memory.total_bytes, &f.out.sheet), CLOTH_ERROR_RANGE);
  }
  positions[19].y = 0.0f;
  expect_config_accepted(&config, "positions");
  config = small_config();
  const float bad_masses[] = {0.0f, nextafterf(0.01f, 0.0f), nextafterf(100.0f, 200.0f), -1.0f, NAN, INFINITY};
  const float bad_stiffness[] = {-1e-6f, nextafterf(100.0f, 200.0f), NAN, INFINITY, -INFINITY, -1.0f};
  cloth_memory roomy;
  config.grid.mass_map = config.grid.stiffness_map = map;
  CHECK(cloth_memory_needed(&config, &roomy) == CLOTH_OK, "maps refused");
  guarded_fixture with_maps = guarded_make(&config);
  for (int i = 0; i < 6; i++) {
    map[i] = bad_masses[i];
    config.grid.mass_map = map;
    config.grid.stiffness_map = NULL;
    REFUSED(&with_maps, cloth_init(&config, with_maps.s.arena, roomy.total_bytes, &with_maps.out.sheet),
            CLOTH_ERROR_RANGE);
    map[i] = bad_stiffness[i];
    config.grid.mass_map = NULL;
    config.grid.stiffness_map = map;
    REFUSED(&with_maps, cloth_init(&config, with_maps.s.arena, roomy.total_bytes, &with_maps.out.sheet),
            CLOTH_ERROR_RANGE);
    map[i] = 1.0f;
  }
  map[0] = 0.01f;
  map[19] = 100.0f;
  config.grid.mass_map = map;
  config.grid.stiffness_map = NULL;
  expect_config_accepted(&config, "mass map at its ends");
  map[0] = 0.0f;
  config.grid.mass_map = NULL;
  config.grid.stiffness_map = map;
  expect_config_accepted(&config, "stiffness map at its ends");
  guarded_free(&with_maps);
  guarded_free(&f);
}

static void test_arena_refusals(void) {
  cloth_config config = small_config();
  guarded_fixture f = guarded_make(&config);
  size_t bytes = f.s.memory.total_bytes;
  cloth_config unmade = config;
  unmade.cookie ^= 1u;
  expect_config_refused(&f, &unmade, CLOTH_ERROR_CONFIG, "cookie");
  memset(&unmade, 0, sizeof unmade);
  expect_config_refused(&f, &unmade, CLOTH_ERROR_CONFIG, "zeroed config");
  REFUSED(&f, cloth_memory_needed(NULL, &f.out.memory), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_memory_needed(&config, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_init(NULL, f.s.arena, bytes, &f.out.sheet), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_init(&config, NULL, bytes, &f.out.sheet), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_init(&config, f.s.arena, bytes, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_init(&config, f.s.arena, bytes - 1, &f.out.sheet), CLOTH_ERROR_ARENA);
  REFUSED(&f, cloth_init(&config, f.s.arena, 0, &f.out.sheet), CLOTH_ERROR_ARENA);
  for (int shift = 1; shift < CLOTH_ALIGNMENT; shift *= 2)
    REFUSED(&f, cloth_init(&config, f.s.arena + shift, bytes, &f.out.sheet), CLOTH_ERROR_ARENA);
  guarded_free(&f);
}

/// Defaults ///

/* The text of cloth.h, wherever the program runs: SOURCE_DIRECTORY is the absolute path of the project. */
static char *read_header(void) {
  const char *path = SOURCE_DIRECTORY "/cloth.h";
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL, "cannot read %s", path);
  if (file == NULL) return NULL;
  static char text[1 << 17];
  size_t length = fread(text, 1, sizeof text - 1, file);
  text[length] = '\0';
  fclose(file);
  CHECK(length < sizeof text - 1, "%s is longer than the buffer", path);
  return text;
}

/* Finds the default of a field, the number after its range, as "0..1, 0.5". Returns 1, or 0 where there is none. */
static int documented_default(const char *header, const config_field *field, double *value) {
  const char *dot = strrchr(field->name, '.'), *name = dot == NULL ? field->name : dot + 1;
  char type[64], declaration[64];
  if (dot == NULL)
    snprintf(type, sizeof type, "typedef struct cloth_config {");
  else if (field_in_fabric(field))
    snprintf(type, sizeof type, "typedef struct cloth_fabric {");
  else
    snprintf(type, sizeof type, "typedef struct cloth_config_%.*s {", (int)(dot - field->name), field->name);
  snprintf(declaration, sizeof declaration, "%s %s;", field->kind == FIELD_FLOAT ? "float" : "int32_t", name);
  const char *group = strstr(header, type), *start = group == NULL ? NULL : strstr(group, declaration);
  if (start == NULL) return 0;
  const char *range = strstr(start, ".."), *found = range == NULL ? NULL : strstr(range, ", ");
  if (found == NULL || found > strchr(start, '\n')) return 0;
  char *after;
  *value = strtod(found + strlen(", "), &after);
  return after != found + strlen(", ");
}

static double field_value(const cloth_config *config, const config_field *field) {
  float real;
  int32_t whole;
  memcpy(&real, (const unsigned char *)config + field->offset, sizeof real);
  memcpy(&whole, (const unsigned char *)config + field->offset, sizeof whole);
  return field->kind == FIELD_FLOAT ? (double)real : (double)whole;
}

/* Every number that the header names as a default is one. */
static void test_documented_defaults(void) {
  const char *header = read_header();
  cloth_config config = cloth_config_default();
  int documented = 0;
  for (size_t i = 0; header != NULL && i < CONFIG_FIELD_COUNT; i++) {
    const config_field *field = &config_fields[i];
    double said = 0.0, is = field_value(&config, field);
    if (documented_default(header, field, &said)) {
      documented++;
      CHECK(fabs(is - said) <= 1e-6 * fabs(said), "%s is %g, the header says %g", field->name, is, said);
    }
  }
  CHECK(documented >= 55, "the header names only %d defaults", documented);
}

static void test_defaults(void) {
  cloth_config a = cloth_config_default();
  CHECK(a.gravity.x == 0.0f && a.gravity.y == -9.81f && a.gravity.z == 0.0f, "gravity");
  CHECK(a.edge_warp.x == 1.0f && a.edge_weft.z == 1.0f && a.origin.y == 0.0f, "placement");
  CHECK(a.integration.method == CLOTH_INTEGRATION_ADAPTIVE, "integration");
  const int32_t preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL;
  CHECK(a.solver.preconditioner == preconditioner, "solver");
  CHECK(a.grid.positions == NULL && a.grid.mass_map == NULL && a.grid.stiffness_map == NULL, "arrays");
  expect_config_accepted(&a, "default");
  cloth_collider c = cloth_collider_default();
  CHECK(c.shape == CLOTH_SHAPE_SPHERE && c.radius == 0.25f && c.pose.rotation.w == 1.0f, "collider");
  CHECK(c.static_friction == 0.5f && c.kinetic_friction == 0.5f, "friction");
}

/* Whatever word of a config is overwritten, as long as it is no pointer, the config is refused, and the explanation
   begins with the name of the field that the word belongs to. */
static void test_every_word(void) {
  static const struct {
    const char *name;
    size_t offset;
  } vectors[] = {{"cookie", offsetof(cloth_config, cookie)},       {"origin", offsetof(cloth_config, origin)},
                 {"edge_warp", offsetof(cloth_config, edge_warp)}, {"edge_weft", offsetof(cloth_config, edge_weft)},
                 {"gravity", offsetof(cloth_config, gravity)},     {"wind", offsetof(cloth_config, wind)}};
  const uint32_t no_number = 0x7fc00000u; /* NaN, and too large as an integer */
  size_t explained = 0;
  for (size_t at = 0; at < sizeof(cloth_config); at += sizeof no_number) {
    const char *name = NULL;
    for (size_t i = 0; i < CONFIG_FIELD_COUNT; i++)
      name = config_fields[i].offset == at ? config_fields[i].name : name;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
      name = at >= vectors[i].offset && at < vectors[i].offset + (i == 0 ? 4 : 12) ? vectors[i].name : name;
    if (at >= offsetof(cloth_config, grid.seed) && at < offsetof(cloth_config, air)) continue;
    cloth_config config = cloth_config_default();
    memcpy((unsigned char *)&config + at, &no_number, sizeof no_number);
    char text[128];
    int result = cloth_config_explain(&config, text, sizeof text);
    int is_padding = name == NULL && result == CLOTH_OK;
    explained += !is_padding;
    CHECK(is_padding || (name != NULL && result == (at == 0 ? CLOTH_ERROR_CONFIG : CLOTH_ERROR_RANGE) &&
                         strncmp(text, name, strlen(name)) == 0),
          "word at %d, %s: \"%s\"", (int)at, name == NULL ? "of no field" : name, text);
  }
  CHECK(explained == CONFIG_FIELD_COUNT + 1 + 5 * 3, "%d words are explained", (int)explained);
}

/* The stiffness of the spring to a target: both ends of its range, and what is no number. */
static void test_drive(void) {
  const float refused[] = {nextafterf(0.0f, -1.0f), nextafterf(1e6f, INFINITY), NAN, -NAN, INFINITY, -INFINITY};
  cloth_config config = small_config();
  cloth_motion_constraint constraint = cloth_motion_constraint_default();
  CHECK(constraint.drive == 0.0f, "the default of drive is %g", (double)constraint.drive);
  constraint.drive = 1.0f;
  guarded_fixture without = guarded_make(&config);
  REFUSED(&without, cloth_set_motion_constraint(without.s.sheet, 3, &constraint), CLOTH_ERROR_STATE);
  guarded_free(&without);
  config.capacity.targets = 1;
  guarded_fixture f = guarded_make(&config);
  const float accepted[] = {0.0f, 1e-30f, 1.0f, 1e6f};
  for (size_t n = 0; n < sizeof accepted / sizeof accepted[0]; n++) {
    constraint.drive = accepted[n];
    CHECK(cloth_set_motion_constraint(f.s.sheet, 3, &constraint) == CLOTH_OK, "%g", (double)accepted[n]);
    guarded_settle(&f);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
      cloth_motion_constraint bad = constraint;
      bad.drive = refused[i];
      bad.max_distance = 0.25f;
      REFUSED(&f, cloth_set_motion_constraint(f.s.sheet, 3, &bad), CLOTH_ERROR_RANGE);
    }
    constraint.max_distance = NAN;
    REFUSED(&f, cloth_set_motion_constraint(f.s.sheet, 3, &constraint), CLOTH_ERROR_RANGE);
    constraint.max_distance = CLOTH_ANY_DISTANCE;
  }
  guarded_free(&f);
}

/* What excludes each other is refused before anything is written. */
static void test_conflicts(void) {
  cloth_config config = small_config();
  guarded_fixture f = guarded_make(&config);
  config.iterations = 3;
  config.capacity.fixed_work = 1;
  config.sleep.speed = 0.01f;
  expect_config_refused(&f, &config, CLOTH_ERROR_CONFLICT, "fixed work and sleep");
  config = small_config();
  config.tearing.strain = 0.1f;
  expect_config_refused(&f, &config, CLOTH_ERROR_CONFLICT, "a strain at which nothing breaks");
  guarded_free(&f);
}

static const test tests[] = {
    TEST(defaults),
    TEST(documented_defaults),
    TEST(every_word),
    TEST_EACH(both_schemes, config_ranges),
    TEST_EACH(both_schemes, config_vectors),
    TEST_EACH(both_schemes, config_placement),
    TEST_EACH(both_schemes, config_wrap),
    TEST_EACH(both_schemes, tube_start),
    TEST_EACH(both_schemes, config_arrays),
    TEST_EACH(both_schemes, arena_refusals),
    TEST(drive),
    TEST(conflicts),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
