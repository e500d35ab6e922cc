/* The interface: what is refused and that a refusal changes nothing, where memory lies and how much, moving, saving
   and restoring, and what comes out of the readers. */
#include "support.h"

/// Refusals: the fixture ///

/* Every output of every call under test lies in here, so one comparison shows that none was touched. */
typedef struct outputs {
  cloth_memory memory;
  cloth *sheet;
  cloth_fabric fabric;
  cloth_range range;
  cloth_vector a, b;
  cloth_reaction reaction;
  cloth_statistics statistics;
  cloth_measures measures;
  uint16_t indices16[6 * 16];
  uint32_t indices32[6 * 16];
  unsigned char vertices[16 * 32];
  int32_t pin;
} outputs;

typedef struct fixture {
  specimen s;
  unsigned char *arena_before;
  outputs out;
  outputs out_before;
} fixture;

static fixture fixture_make(const cloth_config *config) {
  fixture f;
  memset(&f, 0, sizeof f);
  f.s = specimen_make(config);
  f.arena_before = copy_bytes(f.s.arena, f.s.memory.total_bytes);
  memset(&f.out, 0xa5, sizeof f.out);
  memset(&f.out_before, 0xa5, sizeof f.out_before);
  return f;
}

/* Takes the arena as it is now for the state that refusals must keep. */
static void fixture_settle(fixture *f) {
  memcpy(f->arena_before, f->s.arena, f->s.memory.total_bytes);
}

static void fixture_free(fixture *f) {
  free(f->arena_before);
  specimen_free(&f->s);
}

static int fixture_untouched(const fixture *f) {
  return memcmp(f->s.arena, f->arena_before, f->s.memory.total_bytes) == 0 &&
         memcmp(&f->out, &f->out_before, sizeof f->out) == 0;
}

/* Checks that a call changed nothing; if it did, undoes that, so that only the call to blame is reported. */
static void expect_untouched(fixture *f, const char *call) {
  int untouched = fixture_untouched(f);
  CHECK(untouched, "%s changed something", call);
  if (!untouched) {
    memcpy(f->s.arena, f->arena_before, f->s.memory.total_bytes);
    memcpy(&f->out, &f->out_before, sizeof f->out);
  }
}

static void expect_refusal(fixture *f, int result, int error, const char *call) {
  CHECK(result == error, "%s gave %s instead of %s", call, cloth_result_name(result), cloth_result_name(error));
  expect_untouched(f, call);
}

#define REFUSED(fixture, call, error) expect_refusal((fixture), (call), (error), #call)

/// Refusals: the configuration ///

typedef enum field_kind { FIELD_FLOAT, FIELD_INT } field_kind;

typedef struct config_field {
  const char *name;
  size_t offset;
  field_kind kind;
  double low, high; /* both accepted */
  int error;
} config_field;

#define FLOATS(field, low, high, error)                                                                                \
  { #field, offsetof(cloth_config, field), FIELD_FLOAT, (low), (high), (error) }
#define INTS(field, low, high, error)                                                                                  \
  { #field, offsetof(cloth_config, field), FIELD_INT, (low), (high), (error) }

static const config_field config_fields[] = {
    INTS(columns, 2, CLOTH_GRID_LIMIT, CLOTH_ERROR_GRID),
    INTS(rows, 2, CLOTH_GRID_LIMIT, CLOTH_ERROR_GRID),
    INTS(wrap, 0, 1, CLOTH_ERROR_GRID),
    FLOATS(fabric.density, 0.001, 1000, CLOTH_ERROR_DENSITY),
    FLOATS(fabric.stretch_warp, 0, 1e7, CLOTH_ERROR_STIFFNESS),
    FLOATS(fabric.stretch_weft, 0, 1e7, CLOTH_ERROR_STIFFNESS),
    FLOATS(fabric.shear, 0, 1e7, CLOTH_ERROR_STIFFNESS),
    FLOATS(fabric.bend, 0, 10, CLOTH_ERROR_STIFFNESS),
    FLOATS(fabric.bend_transition, 1e-6, 0.5, CLOTH_ERROR_STIFFNESS),
    FLOATS(fabric.compression, 0, 1, CLOTH_ERROR_STIFFNESS),
    FLOATS(fabric.shear_compression, 0, 1, CLOTH_ERROR_STIFFNESS),
    FLOATS(fabric.stretch_damping, 0, 1e4, CLOTH_ERROR_DAMPING),
    FLOATS(fabric.shear_damping, 0, 1e4, CLOTH_ERROR_DAMPING),
    FLOATS(fabric.bend_damping, 0, 1e4, CLOTH_ERROR_DAMPING),
    FLOATS(velocity_damping, 0, 100, CLOTH_ERROR_DAMPING),
    FLOATS(air_density, 0, 100, CLOTH_ERROR_AIR),
    FLOATS(drag, 0, 100, CLOTH_ERROR_AIR),
    FLOATS(lift, 0, 100, CLOTH_ERROR_AIR),
    FLOATS(normal_drag, 0, 100, CLOTH_ERROR_AIR),
    INTS(integration, CLOTH_INTEGRATION_ADAPTIVE, CLOTH_INTEGRATION_EXPLICIT_ONLY, CLOTH_ERROR_INTEGRATION),
    INTS(bend_integration, CLOTH_BEND_ADAPTIVE, CLOTH_BEND_EXPLICIT, CLOTH_ERROR_INTEGRATION),
    FLOATS(fold_stiffness, 0, 1e6, CLOTH_ERROR_STIFFNESS),
    FLOATS(explicit_threshold, 0, 0.5, CLOTH_ERROR_INTEGRATION),
    FLOATS(projection_threshold, 0, 1e30, CLOTH_ERROR_INTEGRATION),
    FLOATS(extrapolation, 0, 1, CLOTH_ERROR_PROJECTION),
    INTS(substeps, 0, CLOTH_SUBSTEP_LIMIT, CLOTH_ERROR_SUBSTEPS),
    INTS(max_substeps, 1, CLOTH_SUBSTEP_LIMIT, CLOTH_ERROR_SUBSTEPS),
    FLOATS(max_speed, 0.1, 1e4, CLOTH_ERROR_MAX_SPEED),
    INTS(preconditioner, CLOTH_PRECONDITIONER_BLOCK, CLOTH_PRECONDITIONER_AUTOMATIC, CLOTH_ERROR_SOLVER),
    INTS(max_iterations, 1, CLOTH_ITERATION_LIMIT, CLOTH_ERROR_ITERATIONS),
    FLOATS(tolerance, 1e-4, 0.5, CLOTH_ERROR_TOLERANCE),
    INTS(warm_start, 0, 1, CLOTH_ERROR_SOLVER),
    INTS(spans, 0, CLOTH_SPAN_LIMIT, CLOTH_ERROR_PROJECTION),
    INTS(fine_sweeps, 0, CLOTH_SWEEP_LIMIT, CLOTH_ERROR_PROJECTION),
    INTS(tethers, 0, 2, CLOTH_ERROR_PROJECTION),
    FLOATS(tether_scale, 0.5, 10, CLOTH_ERROR_PROJECTION),
    INTS(targets, 0, 1, CLOTH_ERROR_TARGETS),
    INTS(limit_sweeps, 0, CLOTH_SWEEP_LIMIT, CLOTH_ERROR_STRAIN_LIMIT),
    FLOATS(limit_extension, 0, 10, CLOTH_ERROR_STRAIN_LIMIT),
    FLOATS(limit_compression, 0, 1, CLOTH_ERROR_STRAIN_LIMIT),
    INTS(contact_mode, CLOTH_CONTACT_PROJECTION, CLOTH_CONTACT_SOLVER, CLOTH_ERROR_CONTACT),
    FLOATS(thickness, 0, 1, CLOTH_ERROR_CONTACT),
    INTS(max_colliders, 0, CLOTH_COLLIDER_LIMIT, CLOTH_ERROR_CAPACITY),
    INTS(max_confined, 0, 65535, CLOTH_ERROR_CAPACITY),
};

#define CONFIG_FIELD_COUNT (sizeof config_fields / sizeof config_fields[0])

static int field_in_fabric(const config_field *field) {
  return field->offset >= offsetof(cloth_config, fabric) &&
         field->offset < offsetof(cloth_config, fabric) + sizeof(cloth_fabric);
}

/* A small config without neighbours at the ends of their ranges. */
static cloth_config small_config(void) {
  cloth_config config = tested_config();
  config.columns = 5;
  config.rows = 4;
  return config;
}

static cloth_config config_with_float(const config_field *field, float value) {
  cloth_config config = small_config();
  memcpy((unsigned char *)&config + field->offset, &value, sizeof value);
  return config;
}

static cloth_config config_with_int(const config_field *field, int32_t value) {
  cloth_config config = small_config();
  memcpy((unsigned char *)&config + field->offset, &value, sizeof value);
  return config;
}

/* A config is accepted when it can be asked for its memory, initialised and stepped. */
static void expect_config_accepted(const cloth_config *config, const char *name) {
  cloth_memory memory;
  int result = cloth_memory_needed(config, &memory);
  CHECK(result == CLOTH_OK, "%s: cloth_memory_needed gave %s", name, cloth_result_name(result));
  if (result != CLOTH_OK)
    return;
  specimen s = specimen_make(config);
  result = cloth_step(s.sheet, 0.001f);
  CHECK(result >= CLOTH_OK, "%s: cloth_step gave %s", name, cloth_result_name(result));
  CHECK(all_finite(s.sheet), "%s: not finite", name);
  specimen_free(&s);
}

static void expect_config_refused(fixture *f, const cloth_config *config, int error, const char *name) {
  int needed = cloth_memory_needed(config, &f->out.memory);
  CHECK(needed == error, "%s: cloth_memory_needed gave %s", name, cloth_result_name(needed));
  int made = cloth_init(config, f->s.arena, f->s.memory.total_bytes, &f->out.sheet);
  CHECK(made == error, "%s: cloth_init gave %s", name, cloth_result_name(made));
  expect_untouched(f, name);
}

static void test_float_field(fixture *f, const config_field *field) {
  float low = (float)field->low, high = (float)field->high;
  cloth_config config = config_with_float(field, low);
  expect_config_accepted(&config, field->name);
  config = config_with_float(field, high);
  expect_config_accepted(&config, field->name);
  const float refused[] = {nextafterf(low, -INFINITY), nextafterf(high, INFINITY), NAN, -NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    config = config_with_float(field, refused[i]);
    expect_config_refused(f, &config, field->error, field->name);
    if (field_in_fabric(field))
      REFUSED(f, cloth_set_fabric(f->s.sheet, &config.fabric), field->error);
  }
}

static void test_int_field(fixture *f, const config_field *field) {
  int32_t low = (int32_t)field->low, high = (int32_t)field->high;
  cloth_config config = config_with_int(field, low);
  expect_config_accepted(&config, field->name);
  config = config_with_int(field, high);
  expect_config_accepted(&config, field->name);
  const int32_t refused[] = {low - 1, high + 1, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    config = config_with_int(field, refused[i]);
    expect_config_refused(f, &config, field->error, field->name);
  }
}

/* At both ends of every range, with every scheme, the cloth works; beyond them it is refused. */
static void test_config_ranges(void) {
  cloth_config config = small_config();
  fixture f = fixture_make(&config);
  for (size_t i = 0; i < CONFIG_FIELD_COUNT; i++) {
    if (config_fields[i].kind == FIELD_FLOAT)
      test_float_field(&f, &config_fields[i]);
    else
      test_int_field(&f, &config_fields[i]);
  }
  config = small_config();
  for (config.spans = 1; config.spans <= CLOTH_SPAN_LIMIT; config.spans++) {
    if (config.spans & (config.spans - 1))
      expect_config_refused(&f, &config, CLOTH_ERROR_PROJECTION, "spans that are no power of two");
    else
      expect_config_accepted(&config, "spans that are a power of two");
  }
  fixture_free(&f);
}

/* The vector with `value` on one axis and zero on the others. */
static cloth_vector on_axis(int axis, float value) {
  return vector_at(axis == 0 ? (double)value : 0.0, axis == 1 ? (double)value : 0.0, axis == 2 ? (double)value : 0.0);
}

static void test_config_vectors(void) {
  cloth_config config = small_config();
  fixture f = fixture_make(&config);
  for (int axis = 0; axis < 3; axis++) {
    const float bad[] = {1.001e4f, -1.001e4f, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
      config = small_config();
      config.gravity = on_axis(axis, bad[i]);
      expect_config_refused(&f, &config, CLOTH_ERROR_GRAVITY, "gravity");
      REFUSED(&f, cloth_set_gravity(f.s.sheet, config.gravity), CLOTH_ERROR_GRAVITY);
      config = small_config();
      config.wind = on_axis(axis, 0.1f * bad[i]);
      expect_config_refused(&f, &config, CLOTH_ERROR_WIND, "wind");
      REFUSED(&f, cloth_set_wind(f.s.sheet, config.wind), CLOTH_ERROR_WIND);
      config = small_config();
      config.origin = on_axis(axis, 100.0f * bad[i]);
      expect_config_refused(&f, &config, CLOTH_ERROR_PLACEMENT, "origin");
      config = small_config();
      config.edge_warp = on_axis(axis, 100.0f * bad[i]);
      expect_config_refused(&f, &config, CLOTH_ERROR_PLACEMENT, "edge_warp");
      config = small_config();
      config.edge_weft = on_axis(axis, 100.0f * bad[i]);
      expect_config_refused(&f, &config, CLOTH_ERROR_PLACEMENT, "edge_weft");
    }
    config = small_config();
    config.gravity = on_axis(axis, 1.0e4f);
    config.wind = on_axis(axis, -1.0e3f);
    config.drag = 1.0f;
    expect_config_accepted(&config, "gravity and wind at their limits");
  }
  fixture_free(&f);
}

static void test_config_placement(void) {
  cloth_config config = small_config();
  fixture f = fixture_make(&config);
  config.edge_warp = on_axis(0, 0.0f);
  expect_config_refused(&f, &config, CLOTH_ERROR_PLACEMENT, "edge_warp of zero length");
  config = small_config();
  config.edge_weft = on_axis(0, 0.0f);
  expect_config_refused(&f, &config, CLOTH_ERROR_PLACEMENT, "edge_weft of zero length");
  config = small_config();
  config.edge_warp = on_axis(0, 3.99e-4f); /* four cells of less than 1e-4 m */
  expect_config_refused(&f, &config, CLOTH_ERROR_PLACEMENT, "columns too close");
  config.edge_warp = on_axis(0, 4.01e-4f);
  expect_config_accepted(&config, "columns just far enough apart");
  config = small_config();
  config.edge_weft = on_axis(2, 2.99e-4f);
  expect_config_refused(&f, &config, CLOTH_ERROR_PLACEMENT, "rows too close");
  config.edge_weft = on_axis(2, 3.01e-4f);
  expect_config_accepted(&config, "rows just far enough apart");
  fixture_free(&f);
}

static void test_config_wrap(void) {
  cloth_config config = small_config();
  fixture f = fixture_make(&config);
  config.wrap = 1;
  for (config.columns = 2; config.columns < 5; config.columns++)
    expect_config_refused(&f, &config, CLOTH_ERROR_GRID, "fewer than five columns around");
  config.edge_warp = on_axis(0, 4.99e-4f); /* five cells of less than 1e-4 m */
  expect_config_refused(&f, &config, CLOTH_ERROR_PLACEMENT, "columns too close around");
  config.edge_warp = on_axis(0, 5.01e-4f);
  expect_config_accepted(&config, "columns just far enough apart around");
  const double leans[] = {1.1e-3, -1.1e-3, 0.9e-3, -0.9e-3, 0.5};
  for (int i = 0; i < 5; i++) {
    config = small_config();
    config.wrap = 1;
    config.edge_weft = vector_at(3.0 * leans[i], 2.0, sqrt(5.0));
    if (fabs(leans[i]) > 1e-3)
      expect_config_refused(&f, &config, CLOTH_ERROR_PLACEMENT, "edges that lean around");
    else
      expect_config_accepted(&config, "edges that hardly lean around");
  }
  config = small_config(); /* normals point to -y, and the axis lies above */
  config.wrap = 1;
  config.edge_warp = on_axis(0, 3.0f);
  config.origin = on_axis(1, CLOTH_POSITION_LIMIT - 0.5f);
  expect_config_refused(&f, &config, CLOTH_ERROR_PLACEMENT, "a tube that reaches out of the world");
  config.origin = on_axis(1, CLOTH_POSITION_LIMIT - 1.5f);
  CHECK(cloth_memory_needed(&config, &f.out.memory) == CLOTH_OK, "a tube at the edge of the world");
  fixture_free(&f);
}

/* A tube starts as regular polygons of the right girth about an axis along edge_weft, normals pointing outward. */
static void test_tube_start(void) {
  const int widths[] = {5, 6, 7, 8, 12, 33, 1024};
  for (int n = 0; n < 7; n++) {
    cloth_config config = tested_config();
    config.wrap = 1;
    config.columns = widths[n];
    config.rows = 3;
    config.origin = vector_at(0.3, -0.2, 0.1);
    config.edge_warp = vector_at(0.8, 0.0, 0.6);
    config.edge_weft = vector_at(0.0, -2.0, 0.0);
    specimen s = specimen_make(&config);
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
    specimen_free(&s);
  }
}

static void test_config_arrays(void) {
  cloth_config config = small_config();
  fixture f = fixture_make(&config);
  cloth_vector positions[20];
  float map[20];
  for (int i = 0; i < 20; i++) {
    positions[i] = vector_at(0.3 * (i % 5), 0.0, 0.3 * (i / 5));
    map[i] = 1.0f;
  }
  config.positions = positions;
  const float bad_places[] = {NAN, INFINITY, -INFINITY, 1.01f * CLOTH_POSITION_LIMIT};
  for (size_t i = 0; i < sizeof bad_places / sizeof bad_places[0]; i++) {
    positions[19].y = bad_places[i];
    REFUSED(&f, cloth_init(&config, f.s.arena, f.s.memory.total_bytes, &f.out.sheet), CLOTH_ERROR_PLACEMENT);
  }
  positions[19].y = 0.0f;
  expect_config_accepted(&config, "positions");
  config = small_config();
  const float bad_masses[] = {0.0f, nextafterf(0.01f, 0.0f), nextafterf(100.0f, 200.0f), -1.0f, NAN, INFINITY};
  const float bad_stiffness[] = {-1e-6f, nextafterf(100.0f, 200.0f), NAN, INFINITY, -INFINITY, -1.0f};
  cloth_memory roomy;
  config.mass_map = config.stiffness_map = map;
  CHECK(cloth_memory_needed(&config, &roomy) == CLOTH_OK, "maps refused");
  fixture with_maps = fixture_make(&config);
  for (int i = 0; i < 6; i++) {
    map[i] = bad_masses[i];
    config.mass_map = map;
    config.stiffness_map = NULL;
    REFUSED(&with_maps, cloth_init(&config, with_maps.s.arena, roomy.total_bytes, &with_maps.out.sheet),
            CLOTH_ERROR_MAP);
    map[i] = bad_stiffness[i];
    config.mass_map = NULL;
    config.stiffness_map = map;
    REFUSED(&with_maps, cloth_init(&config, with_maps.s.arena, roomy.total_bytes, &with_maps.out.sheet),
            CLOTH_ERROR_MAP);
    map[i] = 1.0f;
  }
  map[0] = 0.01f;
  map[19] = 100.0f;
  config.mass_map = map;
  config.stiffness_map = NULL;
  expect_config_accepted(&config, "mass map at its ends");
  map[0] = 0.0f;
  config.mass_map = NULL;
  config.stiffness_map = map;
  expect_config_accepted(&config, "stiffness map at its ends");
  fixture_free(&with_maps);
  fixture_free(&f);
}

static void test_arena_refusals(void) {
  cloth_config config = small_config();
  fixture f = fixture_make(&config);
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
  REFUSED(&f, cloth_init(&config, f.s.arena, bytes - 1, &f.out.sheet), CLOTH_ERROR_ARENA_SIZE);
  REFUSED(&f, cloth_init(&config, f.s.arena, 0, &f.out.sheet), CLOTH_ERROR_ARENA_SIZE);
  for (int shift = 1; shift < CLOTH_ALIGNMENT; shift *= 2)
    REFUSED(&f, cloth_init(&config, f.s.arena + shift, bytes, &f.out.sheet), CLOTH_ERROR_ARENA_ALIGNMENT);
  fixture_free(&f);
}

/// Refusals: the calls ///

static const cloth_pose pose_here = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
static const cloth_vertex_layout layout_usual = {32, 0, 12, 24};

/* Calls every function that takes a cloth, with arguments that a cloth would accept. */
static void expect_sheet_refused(fixture *f, cloth *sheet, int error) {
  cloth_collider ball = cloth_collider_default();
  cloth_fabric fabric = cloth_config_default().fabric;
  cloth_vector one = vector_at(1.0, 1.0, 1.0);
  REFUSED(f, cloth_memory_spans(sheet, &f->out.memory), error);
  REFUSED(f, cloth_step(sheet, FRAME), error);
  REFUSED(f, cloth_set_gravity(sheet, one), error);
  REFUSED(f, cloth_set_wind(sheet, one), error);
  REFUSED(f, cloth_set_fabric(sheet, &fabric), error);
  REFUSED(f, cloth_particle_at(sheet, 0, 0), error);
  REFUSED(f, cloth_pin(sheet, 0), error);
  REFUSED(f, cloth_set_pin_velocity(sheet, 0, one), error);
  REFUSED(f, cloth_set_pin_target(sheet, 0, one, FRAME), error);
  REFUSED(f, cloth_confine_to_line(sheet, 0, one), error);
  REFUSED(f, cloth_confine_to_plane(sheet, 0, one), error);
  REFUSED(f, cloth_release(sheet, 0), error);
  REFUSED(f, cloth_set_tether(sheet, 0, 0, -1), error);
  REFUSED(f, cloth_get_tether(sheet, 0, 0, &f->out.pin), error);
  REFUSED(f, cloth_choose_tethers(sheet), error);
  REFUSED(f, cloth_freedom(sheet, 0), error);
  REFUSED(f, cloth_set_particle(sheet, 0, one, one), error);
  REFUSED(f, cloth_apply_impulse(sheet, 0, one), error);
  REFUSED(f, cloth_add_collider(sheet, &ball), error);
  REFUSED(f, cloth_set_collider(sheet, 0, &ball), error);
  REFUSED(f, cloth_move_collider(sheet, 0, &pose_here, &pose_here), error);
  REFUSED(f, cloth_remove_collider(sheet, 0), error);
  REFUSED(f, cloth_collider_reaction(sheet, 0, &f->out.reaction), error);
  REFUSED(f, cloth_positions(sheet, &f->out.range), error);
  REFUSED(f, cloth_velocities(sheet, &f->out.range), error);
  REFUSED(f, cloth_get_position(sheet, 0, &f->out.a), error);
  REFUSED(f, cloth_get_velocity(sheet, 0, &f->out.a), error);
  REFUSED(f, cloth_get_normal(sheet, 0, &f->out.a), error);
  REFUSED(f, cloth_write_vertices(sheet, &layout_usual, f->out.vertices, sizeof f->out.vertices), error);
  REFUSED(f, cloth_index_count(sheet), error);
  REFUSED(f, cloth_write_indices16(sheet, 0, f->out.indices16, 96), error);
  REFUSED(f, cloth_write_indices32(sheet, 0, f->out.indices32, 96), error);
  REFUSED(f, cloth_bounds(sheet, &f->out.a, &f->out.b), error);
  REFUSED(f, cloth_get_statistics(sheet, &f->out.statistics), error);
  REFUSED(f, cloth_substep_iterations(sheet, 0), error);
  REFUSED(f, cloth_measure(sheet, &f->out.measures), error);
}

static cloth_config four_by_four(void) {
  cloth_config config = tested_config();
  config.columns = 4;
  config.rows = 4;
  config.max_colliders = 2;
  config.max_confined = 2;
  return config;
}

static void test_sheet_refusals(void) {
  cloth_config config = four_by_four();
  fixture f = fixture_make(&config);
  expect_sheet_refused(&f, NULL, CLOTH_ERROR_NULL);
  const unsigned char fillings[] = {0x00, 0xff, 0x5a};
  for (size_t i = 0; i < sizeof fillings; i++) {
    memset(f.s.arena, fillings[i], f.s.memory.total_bytes);
    fixture_settle(&f);
    expect_sheet_refused(&f, (cloth *)(void *)f.s.arena, CLOTH_ERROR_NOT_A_CLOTH);
  }
  fixture_free(&f);
}

static void test_null_refusals(void) {
  cloth_config config = four_by_four();
  fixture f = fixture_make(&config);
  cloth *sheet = f.s.sheet;
  cloth_collider ball = cloth_collider_default();
  CHECK(cloth_add_collider(sheet, &ball) == 0, "no collider");
  fixture_settle(&f);
  REFUSED(&f, cloth_fabric_preset(CLOTH_FABRIC_WOOL, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_memory_spans(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_set_fabric(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_add_collider(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_set_collider(sheet, 0, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_move_collider(sheet, 0, NULL, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_collider_reaction(sheet, 0, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_positions(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_velocities(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_position(sheet, 0, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_velocity(sheet, 0, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_normal(sheet, 0, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_write_vertices(sheet, NULL, f.out.vertices, sizeof f.out.vertices), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_write_vertices(sheet, &layout_usual, NULL, sizeof f.out.vertices), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_write_indices16(sheet, 0, NULL, 96), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_write_indices32(sheet, 0, NULL, 96), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_bounds(sheet, NULL, &f.out.b), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_bounds(sheet, &f.out.a, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_statistics(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_measure(sheet, NULL), CLOTH_ERROR_NULL);
  fixture_free(&f);
}

static void expect_particle_refused(fixture *f, int32_t particle) {
  cloth *sheet = f->s.sheet;
  cloth_vector one = vector_at(1.0, 1.0, 1.0);
  REFUSED(f, cloth_pin(sheet, particle), CLOTH_ERROR_PARTICLE);
  REFUSED(f, cloth_set_pin_velocity(sheet, particle, one), CLOTH_ERROR_PARTICLE);
  REFUSED(f, cloth_set_pin_target(sheet, particle, one, FRAME), CLOTH_ERROR_PARTICLE);
  REFUSED(f, cloth_confine_to_line(sheet, particle, one), CLOTH_ERROR_PARTICLE);
  REFUSED(f, cloth_confine_to_plane(sheet, particle, one), CLOTH_ERROR_PARTICLE);
  REFUSED(f, cloth_release(sheet, particle), CLOTH_ERROR_PARTICLE);
  REFUSED(f, cloth_freedom(sheet, particle), CLOTH_ERROR_PARTICLE);
  REFUSED(f, cloth_set_particle(sheet, particle, one, one), CLOTH_ERROR_PARTICLE);
  REFUSED(f, cloth_apply_impulse(sheet, particle, one), CLOTH_ERROR_PARTICLE);
  REFUSED(f, cloth_get_position(sheet, particle, &f->out.a), CLOTH_ERROR_PARTICLE);
  REFUSED(f, cloth_get_velocity(sheet, particle, &f->out.a), CLOTH_ERROR_PARTICLE);
  REFUSED(f, cloth_get_normal(sheet, particle, &f->out.a), CLOTH_ERROR_PARTICLE);
}

static void test_particle_refusals(void) {
  cloth_config config = four_by_four();
  fixture f = fixture_make(&config);
  const int32_t bad[] = {-1, 16, INT32_MIN, INT32_MAX};
  for (int i = 0; i < 4; i++) {
    expect_particle_refused(&f, bad[i]);
    REFUSED(&f, cloth_particle_at(f.s.sheet, bad[i], 0), CLOTH_ERROR_PARTICLE);
    REFUSED(&f, cloth_particle_at(f.s.sheet, 0, bad[i]), CLOTH_ERROR_PARTICLE);
  }
  REFUSED(&f, cloth_particle_at(f.s.sheet, 4, 0), CLOTH_ERROR_PARTICLE);
  REFUSED(&f, cloth_particle_at(f.s.sheet, 0, 4), CLOTH_ERROR_PARTICLE);
  CHECK(cloth_particle_at(f.s.sheet, 3, 2) == 11, "particle_at(3, 2) is %d", cloth_particle_at(f.s.sheet, 3, 2));
  fixture_free(&f);
}

static void expect_vector_refused(fixture *f, int32_t pinned, int32_t loose, cloth_vector bad) {
  cloth *sheet = f->s.sheet;
  cloth_vector zero = vector_at(0.0, 0.0, 0.0);
  REFUSED(f, cloth_set_pin_velocity(sheet, pinned, bad), CLOTH_ERROR_VECTOR);
  REFUSED(f, cloth_set_pin_target(sheet, pinned, bad, FRAME), CLOTH_ERROR_VECTOR);
  REFUSED(f, cloth_set_particle(sheet, loose, bad, zero), CLOTH_ERROR_VECTOR);
  REFUSED(f, cloth_set_particle(sheet, loose, zero, bad), CLOTH_ERROR_VECTOR);
  REFUSED(f, cloth_apply_impulse(sheet, loose, bad), CLOTH_ERROR_VECTOR);
}

static void test_input_refusals(void) {
  cloth_config config = four_by_four();
  fixture f = fixture_make(&config);
  cloth *sheet = f.s.sheet;
  cloth_pin(sheet, 0);
  fixture_settle(&f);
  const float bad_steps[] = {0.0f, -FRAME, 0.99e-6f, 1.01f, NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof bad_steps / sizeof bad_steps[0]; i++) {
    REFUSED(&f, cloth_step(sheet, bad_steps[i]), CLOTH_ERROR_TIME_STEP);
    REFUSED(&f, cloth_set_pin_target(sheet, 0, vector_at(0.0, 0.0, 0.0), bad_steps[i]), CLOTH_ERROR_TIME_STEP);
  }
  REFUSED(&f, cloth_set_pin_velocity(sheet, 1, vector_at(1.0, 0.0, 0.0)), CLOTH_ERROR_NOT_PINNED);
  REFUSED(&f, cloth_set_pin_target(sheet, 1, vector_at(1.0, 0.0, 0.0), FRAME), CLOTH_ERROR_NOT_PINNED);
  const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f};
  for (int axis = 0; axis < 3; axis++) {
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
      expect_vector_refused(&f, 0, 1, on_axis(axis, bad[i]));
    for (int i = 0; i < 3; i++) {
      REFUSED(&f, cloth_confine_to_line(sheet, 1, on_axis(axis, bad[i])), CLOTH_ERROR_DIRECTION);
      REFUSED(&f, cloth_confine_to_plane(sheet, 1, on_axis(axis, bad[i])), CLOTH_ERROR_DIRECTION);
    }
  }
  REFUSED(&f, cloth_set_pin_target(sheet, 0, vector_at(1.01e5, 0.0, 0.0), FRAME), CLOTH_ERROR_VECTOR);
  REFUSED(&f, cloth_set_particle(sheet, 1, vector_at(0.0, -1.01e5, 0.0), vector_at(0.0, 0.0, 0.0)), CLOTH_ERROR_VECTOR);
  REFUSED(&f, cloth_confine_to_line(sheet, 1, vector_at(0.0, 0.0, 0.0)), CLOTH_ERROR_DIRECTION);
  REFUSED(&f, cloth_confine_to_plane(sheet, 1, vector_at(0.0, 0.0, 0.0)), CLOTH_ERROR_DIRECTION);
  fixture_free(&f);
}

static void test_capacity_refusals(void) {
  cloth_config config = four_by_four();
  fixture f = fixture_make(&config);
  cloth *sheet = f.s.sheet;
  cloth_collider ball = cloth_collider_default();
  CHECK(cloth_confine_to_line(sheet, 1, vector_at(1.0, 0.0, 0.0)) == CLOTH_OK, "no line");
  CHECK(cloth_confine_to_plane(sheet, 2, vector_at(1.0, 0.0, 0.0)) == CLOTH_OK, "no plane");
  CHECK(cloth_add_collider(sheet, &ball) == 0, "first collider");
  CHECK(cloth_add_collider(sheet, &ball) == 1, "second collider");
  fixture_settle(&f);
  REFUSED(&f, cloth_confine_to_line(sheet, 3, vector_at(1.0, 0.0, 0.0)), CLOTH_ERROR_FULL);
  REFUSED(&f, cloth_confine_to_plane(sheet, 3, vector_at(1.0, 0.0, 0.0)), CLOTH_ERROR_FULL);
  REFUSED(&f, cloth_add_collider(sheet, &ball), CLOTH_ERROR_FULL);
  /* A confined particle may change over even when there is no room for another. */
  CHECK(cloth_confine_to_plane(sheet, 1, vector_at(0.0, 0.0, 2.0)) == CLOTH_OK, "line to plane");
  CHECK(cloth_freedom(sheet, 1) == 2, "freedom %d", cloth_freedom(sheet, 1));
  CHECK(cloth_confine_to_line(sheet, 2, vector_at(0.0, 0.0, 2.0)) == CLOTH_OK, "plane to line");
  CHECK(cloth_freedom(sheet, 2) == 1, "freedom %d", cloth_freedom(sheet, 2));
  /* Room comes back by releasing, pinning and removing. */
  CHECK(cloth_release(sheet, 1) == CLOTH_OK && cloth_freedom(sheet, 1) == 3, "release");
  CHECK(cloth_confine_to_line(sheet, 3, vector_at(1.0, 0.0, 0.0)) == CLOTH_OK, "no room after release");
  CHECK(cloth_pin(sheet, 2) == CLOTH_OK && cloth_freedom(sheet, 2) == 0, "pin");
  CHECK(cloth_confine_to_line(sheet, 4, vector_at(1.0, 0.0, 0.0)) == CLOTH_OK, "no room after pinning");
  CHECK(cloth_remove_collider(sheet, 0) == CLOTH_OK, "remove");
  CHECK(cloth_add_collider(sheet, &ball) == 0, "the index freed was not given again");
  fixture_free(&f);
}

/// Refusals: colliders ///

typedef struct collider_case {
  const char *name;
  cloth_collider collider;
  int error;
} collider_case;

static cloth_collider collider_of(cloth_shape shape) {
  cloth_collider c = cloth_collider_default();
  c.shape = (int32_t)shape;
  c.radius = 0.2f;
  c.radius_top = 0.1f;
  c.half_height = 0.3f;
  c.half_extents = vector_at(0.1, 0.2, 0.3);
  return c;
}

static void expect_collider_refused(fixture *f, const cloth_collider *bad, int error, const char *name) {
  int added = cloth_add_collider(f->s.sheet, bad);
  CHECK(added == error, "%s: cloth_add_collider gave %s", name, cloth_result_name(added));
  int set = cloth_set_collider(f->s.sheet, 0, bad);
  CHECK(set == error, "%s: cloth_set_collider gave %s", name, cloth_result_name(set));
  expect_untouched(f, name);
}

/* Each length that a shape uses, with each value that is out of range. */
static void test_collider_lengths(fixture *f) {
  static const struct {
    cloth_shape shape;
    size_t offset;
    const char *name;
  } lengths[] = {
      {CLOTH_SHAPE_SPHERE, offsetof(cloth_collider, radius), "sphere radius"},
      {CLOTH_SHAPE_CAPSULE, offsetof(cloth_collider, radius), "capsule radius"},
      {CLOTH_SHAPE_CAPSULE, offsetof(cloth_collider, radius_top), "capsule radius_top"},
      {CLOTH_SHAPE_CAPSULE, offsetof(cloth_collider, half_height), "capsule half_height"},
      {CLOTH_SHAPE_BOX, offsetof(cloth_collider, half_extents.x), "box half_extents.x"},
      {CLOTH_SHAPE_BOX, offsetof(cloth_collider, half_extents.y), "box half_extents.y"},
      {CLOTH_SHAPE_BOX, offsetof(cloth_collider, half_extents.z), "box half_extents.z"},
      {CLOTH_SHAPE_CYLINDER, offsetof(cloth_collider, radius), "cylinder radius"},
      {CLOTH_SHAPE_CYLINDER, offsetof(cloth_collider, half_height), "cylinder half_height"},
  };
  const float bad[] = {0.0f, -0.2f, 0.99e-3f, 1.01e4f, NAN, INFINITY};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
      cloth_collider c = collider_of(lengths[i].shape);
      memcpy((unsigned char *)&c + lengths[i].offset, &bad[k], sizeof bad[k]);
      expect_collider_refused(f, &c, CLOTH_ERROR_SHAPE, lengths[i].name);
    }
  }
}

static void test_collider_shapes(fixture *f) {
  cloth_collider c = collider_of(CLOTH_SHAPE_SPHERE);
  const int32_t unknown[] = {-1, CLOTH_SHAPE_CYLINDER + 1, INT32_MAX};
  for (int i = 0; i < 3; i++) {
    memcpy(&c.shape, &unknown[i], sizeof unknown[i]);
    expect_collider_refused(f, &c, CLOTH_ERROR_SHAPE, "unknown shape");
  }
  c = collider_of(CLOTH_SHAPE_CAPSULE);
  c.half_height = 0.04f; /* the lower sphere, 0.1 m wider, swallows the upper one 0.08 m away */
  expect_collider_refused(f, &c, CLOTH_ERROR_SHAPE, "capsule of nested spheres");
}

/* Positions, rotations and frictions, which moving refuses too where it takes them. */
static void test_collider_poses(fixture *f) {
  const float bad_places[] = {NAN, INFINITY, 1e30f};
  for (int i = 0; i < 3; i++) {
    cloth_collider c = collider_of(CLOTH_SHAPE_BOX);
    c.pose.position.z = bad_places[i];
    expect_collider_refused(f, &c, CLOTH_ERROR_VECTOR, "position");
    REFUSED(f, cloth_move_collider(f->s.sheet, 0, NULL, &c.pose), CLOTH_ERROR_VECTOR);
    REFUSED(f, cloth_move_collider(f->s.sheet, 0, &c.pose, &pose_here), CLOTH_ERROR_VECTOR);
  }
  const cloth_rotation bad_turns[] = {
      {0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.002f},   {0.0f, 0.0f, 0.0f, 0.998f}, {1.0f, 0.0f, 0.0f, 1.0f},
      {NAN, 0.0f, 0.0f, 1.0f},  {0.0f, 0.0f, INFINITY, 1.0f}, {0.0f, 1e30f, 0.0f, 1.0f}};
  for (size_t i = 0; i < sizeof bad_turns / sizeof bad_turns[0]; i++) {
    cloth_collider c = collider_of(CLOTH_SHAPE_BOX);
    c.pose.rotation = bad_turns[i];
    expect_collider_refused(f, &c, CLOTH_ERROR_ROTATION, "rotation");
    REFUSED(f, cloth_move_collider(f->s.sheet, 0, NULL, &c.pose), CLOTH_ERROR_ROTATION);
    REFUSED(f, cloth_move_collider(f->s.sheet, 0, &c.pose, &pose_here), CLOTH_ERROR_ROTATION);
  }
  const float bad_frictions[][2] = {{-0.1f, -0.1f}, {10.01f, 0.5f}, {0.5f, 0.51f},   {0.5f, -0.1f},
                                    {NAN, 0.5f},    {0.5f, NAN},    {INFINITY, 0.5f}};
  for (size_t i = 0; i < sizeof bad_frictions / sizeof bad_frictions[0]; i++) {
    cloth_collider c = collider_of(CLOTH_SHAPE_BOX);
    c.static_friction = bad_frictions[i][0];
    c.kinetic_friction = bad_frictions[i][1];
    expect_collider_refused(f, &c, CLOTH_ERROR_FRICTION, "friction");
  }
}

static void expect_collider_index_refused(fixture *f, int32_t index) {
  cloth_collider c = cloth_collider_default();
  REFUSED(f, cloth_set_collider(f->s.sheet, index, &c), CLOTH_ERROR_COLLIDER);
  REFUSED(f, cloth_move_collider(f->s.sheet, index, NULL, &pose_here), CLOTH_ERROR_COLLIDER);
  REFUSED(f, cloth_remove_collider(f->s.sheet, index), CLOTH_ERROR_COLLIDER);
  REFUSED(f, cloth_collider_reaction(f->s.sheet, index, &f->out.reaction), CLOTH_ERROR_COLLIDER);
}

static void test_collider_refusals(void) {
  cloth_config config = four_by_four();
  fixture f = fixture_make(&config);
  cloth_collider c = collider_of(CLOTH_SHAPE_BOX);
  cloth_add_collider(f.s.sheet, &c);
  fixture_settle(&f);
  test_collider_lengths(&f);
  test_collider_shapes(&f);
  test_collider_poses(&f);
  const int32_t bad[] = {-1, 1, 2, INT32_MIN, INT32_MAX}; /* 1 is free, 2 is no index at all */
  for (int i = 0; i < 5; i++)
    expect_collider_index_refused(&f, bad[i]);
  cloth_remove_collider(f.s.sheet, 0);
  fixture_settle(&f);
  expect_collider_index_refused(&f, 0);
  fixture_free(&f);
}

static void test_collider_ends(void) {
  cloth_config config = four_by_four();
  fixture f = fixture_make(&config);
  cloth_collider c = collider_of(CLOTH_SHAPE_SPHERE);
  int index = cloth_add_collider(f.s.sheet, &c);
  for (int shape = CLOTH_SHAPE_PLANE; shape <= CLOTH_SHAPE_CYLINDER; shape++) {
    c = collider_of((cloth_shape)shape);
    c.static_friction = 10.0f;
    c.kinetic_friction = 0.0f;
    CHECK(cloth_set_collider(f.s.sheet, index, &c) == CLOTH_OK, "shape %d", shape);
    c.radius = c.radius_top = c.half_height = 1e4f;
    c.half_extents = vector_at(1e4, 1e-3, 1.0);
    c.pose.rotation.w = 1.0009f;
    CHECK(cloth_set_collider(f.s.sheet, index, &c) == CLOTH_OK, "largest of shape %d", shape);
    c.radius = c.radius_top = c.half_height = 1e-3f;
    c.pose.rotation.w = 0.9991f;
    CHECK(cloth_set_collider(f.s.sheet, index, &c) == CLOTH_OK, "smallest of shape %d", shape);
  }
  c.static_friction = c.kinetic_friction = 0.0f;
  CHECK(cloth_set_collider(f.s.sheet, index, &c) == CLOTH_OK, "without friction");
  /* The lengths a shape does not use are not looked at. */
  c = collider_of(CLOTH_SHAPE_SPHERE);
  c.radius_top = NAN;
  c.half_height = -1.0f;
  c.half_extents = vector_at(0.0, 0.0, 0.0);
  CHECK(cloth_set_collider(f.s.sheet, index, &c) == CLOTH_OK, "unused lengths");
  CHECK(cloth_step(f.s.sheet, FRAME) >= CLOTH_OK && all_finite(f.s.sheet), "step");
  fixture_free(&f);
}

/// Refusals: outputs, presets and names ///

static void expect_layout_refused(fixture *f, cloth_vertex_layout layout) {
  int result = cloth_write_vertices(f->s.sheet, &layout, f->out.vertices, sizeof f->out.vertices);
  CHECK(result == CLOTH_ERROR_BUFFER && fixture_untouched(f), "layout %d %d %d %d: %s", layout.stride,
        layout.position_offset, layout.normal_offset, layout.texcoord_offset, cloth_result_name(result));
}

static void test_output_refusals(void) {
  cloth_config config = four_by_four();
  fixture f = fixture_make(&config);
  cloth *sheet = f.s.sheet;
  const cloth_vertex_layout bad[] = {
      {0, 0, -1, -1},         {-32, 0, 12, 24},        {11, 0, -1, -1},  {32, 21, -1, -1},
      {32, 0, 21, -1},        {32, 0, -1, 25},         {32, -2, 12, 24}, {32, 0, -12, 24},
      {32, 0, 12, INT32_MIN}, {32, INT32_MAX, 12, 24}, {32, 0, 32, -1},  {INT32_MAX, 0, 12, 24},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    expect_layout_refused(&f, bad[i]);
  REFUSED(&f, cloth_write_vertices(sheet, &layout_usual, f.out.vertices, 0), CLOTH_ERROR_BUFFER);
  REFUSED(&f, cloth_write_vertices(sheet, &layout_usual, f.out.vertices, 15 * 32 + 31), CLOTH_ERROR_BUFFER);
  size_t indices = (size_t)cloth_index_count(sheet);
  CHECK(indices == 54, "%d indices", (int)indices);
  REFUSED(&f, cloth_write_indices16(sheet, 0, f.out.indices16, indices - 1), CLOTH_ERROR_BUFFER);
  REFUSED(&f, cloth_write_indices32(sheet, 0, f.out.indices32, indices - 1), CLOTH_ERROR_BUFFER);
  REFUSED(&f, cloth_write_indices16(sheet, 0, f.out.indices16, 0), CLOTH_ERROR_BUFFER);
  REFUSED(&f, cloth_write_indices16(sheet, 65521, f.out.indices16, 96), CLOTH_ERROR_INDEX_WIDTH);
  CHECK(cloth_write_indices16(sheet, 65520, f.out.indices16, 96) == CLOTH_OK, "the last vertex is 65535");
  CHECK(cloth_substep_iterations(sheet, -1) < 0, "substep -1");
  CHECK(cloth_substep_iterations(sheet, INT32_MAX) < 0, "substep INT32_MAX");
  fixture_free(&f);
}

static void test_wide_indices(void) {
  cloth_config config = cloth_config_default();
  config.columns = 257;
  config.rows = 256;
  fixture f = fixture_make(&config);
  int count = cloth_index_count(f.s.sheet);
  CHECK(count == 6 * 256 * 255, "%d indices", count);
  uint16_t *narrow = (uint16_t *)malloc((size_t)count * sizeof *narrow);
  uint32_t *wide = (uint32_t *)malloc((size_t)count * sizeof *wide);
  if (narrow != NULL && wide != NULL) {
    memset(narrow, 0xa5, (size_t)count * sizeof *narrow);
    REFUSED(&f, cloth_write_indices16(f.s.sheet, 0, narrow, (size_t)count), CLOTH_ERROR_INDEX_WIDTH);
    CHECK(narrow[0] == 0xa5a5 && narrow[count - 1] == 0xa5a5, "indices were written");
    CHECK(cloth_write_indices32(f.s.sheet, 100000, wide, (size_t)count) == CLOTH_OK, "wide indices refused");
    uint32_t largest = 0;
    for (int i = 0; i < count; i++)
      largest = wide[i] > largest ? wide[i] : largest;
    CHECK(largest == 100000u + 257u * 256u - 1u, "largest index %u", (unsigned)largest);
  }
  free(narrow);
  free(wide);
  fixture_free(&f);
}

static void test_preset_refusals(void) {
  cloth_config config = four_by_four();
  fixture f = fixture_make(&config);
  const int32_t unknown[] = {-1, CLOTH_FABRIC_POLYESTER + 1, INT32_MAX};
  for (int i = 0; i < 3; i++) {
    cloth_fabric_kind kind;
    memcpy(&kind, &unknown[i], sizeof kind);
    REFUSED(&f, cloth_fabric_preset(kind, &f.out.fabric), CLOTH_ERROR_STIFFNESS);
  }
  fixture_free(&f);
}

/* An explicit-only cloth that would be unstable refuses to step and stays as it was. */
static void test_unstable_refusal(void) {
  cloth_config config = four_by_four();
  config.integration = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1e6f;
  fixture f = fixture_make(&config);
  REFUSED(&f, cloth_step(f.s.sheet, FRAME), CLOTH_ERROR_UNSTABLE);
  cloth_fabric soft = config.fabric;
  soft.stretch_warp = soft.stretch_weft = soft.shear = 1.0f;
  CHECK(cloth_set_fabric(f.s.sheet, &soft) == CLOTH_OK, "softer fabric");
  int result = cloth_step(f.s.sheet, FRAME);
  CHECK(result >= CLOTH_OK, "the softer cloth gave %s", cloth_result_name(result));
  fixture_free(&f);
}

#define NAMED(error)                                                                                                   \
  { error, #error }

static void test_names(void) {
  static const struct {
    int error;
    const char *name;
  } names[] = {
      NAMED(CLOTH_OK),
      NAMED(CLOTH_ERROR_NULL),
      NAMED(CLOTH_ERROR_CONFIG),
      NAMED(CLOTH_ERROR_GRID),
      NAMED(CLOTH_ERROR_PLACEMENT),
      NAMED(CLOTH_ERROR_DENSITY),
      NAMED(CLOTH_ERROR_STIFFNESS),
      NAMED(CLOTH_ERROR_DAMPING),
      NAMED(CLOTH_ERROR_AIR),
      NAMED(CLOTH_ERROR_GRAVITY),
      NAMED(CLOTH_ERROR_WIND),
      NAMED(CLOTH_ERROR_INTEGRATION),
      NAMED(CLOTH_ERROR_SUBSTEPS),
      NAMED(CLOTH_ERROR_SOLVER),
      NAMED(CLOTH_ERROR_ITERATIONS),
      NAMED(CLOTH_ERROR_TOLERANCE),
      NAMED(CLOTH_ERROR_STRAIN_LIMIT),
      NAMED(CLOTH_ERROR_CONTACT),
      NAMED(CLOTH_ERROR_FRICTION),
      NAMED(CLOTH_ERROR_CAPACITY),
      NAMED(CLOTH_ERROR_MAX_SPEED),
      NAMED(CLOTH_ERROR_MAP),
      NAMED(CLOTH_ERROR_ARENA_ALIGNMENT),
      NAMED(CLOTH_ERROR_ARENA_SIZE),
      NAMED(CLOTH_ERROR_NOT_A_CLOTH),
      NAMED(CLOTH_ERROR_TIME_STEP),
      NAMED(CLOTH_ERROR_PARTICLE),
      NAMED(CLOTH_ERROR_NOT_PINNED),
      NAMED(CLOTH_ERROR_VECTOR),
      NAMED(CLOTH_ERROR_DIRECTION),
      NAMED(CLOTH_ERROR_FULL),
      NAMED(CLOTH_ERROR_COLLIDER),
      NAMED(CLOTH_ERROR_SHAPE),
      NAMED(CLOTH_ERROR_ROTATION),
      NAMED(CLOTH_ERROR_BUFFER),
      NAMED(CLOTH_ERROR_INDEX_WIDTH),
      NAMED(CLOTH_ERROR_UNSTABLE),
      NAMED(CLOTH_ERROR_LEFT_OUT),
      NAMED(CLOTH_ERROR_IMAGE_MAGIC),
      NAMED(CLOTH_ERROR_IMAGE_VERSION),
      NAMED(CLOTH_ERROR_IMAGE_NUMERICS),
      NAMED(CLOTH_ERROR_IMAGE_CONFIG),
      NAMED(CLOTH_ERROR_IMAGE_SIZE),
      NAMED(CLOTH_ERROR_IMAGE_DAMAGED),
      NAMED(CLOTH_ERROR_IMAGE_CONTENT),
      NAMED(CLOTH_ERROR_CONTRACTION),
      NAMED(CLOTH_ERROR_ROUNDING),
      NAMED(CLOTH_ERROR_EXCESS),
      NAMED(CLOTH_ERROR_SQUARE_ROOT),
      NAMED(CLOTH_ERROR_LANES),
      NAMED(CLOTH_ERROR_PROJECTION),
      NAMED(CLOTH_ERROR_SLEEP),
      NAMED(CLOTH_ERROR_WORK),
      NAMED(CLOTH_ERROR_PLAN),
      NAMED(CLOTH_ERROR_INERTIA),
      NAMED(CLOTH_ERROR_TARGETS),
      NAMED(CLOTH_ERROR_SCRATCH),
  };
  const size_t prefix = sizeof "CLOTH_ERROR_" - 1;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    CHECK(names[i].error == -(int)i, "%s is %d", names[i].name, names[i].error);
    const char *bare = i == 0 ? "OK" : names[i].name + prefix;
    CHECK(strcmp(cloth_result_name(names[i].error), bare) == 0, "%d is called %s", names[i].error,
          cloth_result_name(names[i].error));
  }
  CHECK(strcmp(cloth_result_name(13), "OK") == 0, "notes are called %s", cloth_result_name(13));
  CHECK(strcmp(cloth_result_name(-57), "unknown") == 0, "an unknown error is called %s", cloth_result_name(-57));
  CHECK(cloth_result_name(-37) != NULL && cloth_result_name(INT32_MIN) != NULL, "unknown errors have no name");
}

/// Instances, moving, saving ///

/* A scene that uses every kind of input; the inputs depend on the frame alone. */
static cloth_config script_config(void) {
  cloth_config config = tested_config();
  config.columns = 13;
  config.rows = 10;
  config.warm_start = 1;
  config.drag = 1.0f;
  config.lift = 0.3f;
  config.normal_drag = 0.5f;
  config.origin = vector_at(-0.5, 0.4, -0.5);
  return config;
}

static void script_start(cloth *sheet) {
  cloth_collider ball = cloth_collider_default();
  CHECK(cloth_add_collider(sheet, &ball) == 0, "no collider");
  cloth_pin(sheet, 0);
  cloth_pin(sheet, 12);
  cloth_confine_to_line(sheet, 117, vector_at(0.0, 1.0, 0.0));
}

static void script_step(cloth *sheet, int frame) {
  double phase = 0.15 * frame;
  cloth_pose pose = {vector_at(0.2 * sin(phase), 0.0, 0.0), rotation_none()};
  cloth_move_collider(sheet, 0, NULL, &pose);
  cloth_set_pin_target(sheet, 0, vector_at(-0.5, 0.4 + 0.1 * sin(phase), -0.5), FRAME);
  if (frame == 4)
    cloth_set_wind(sheet, vector_at(3.0, 0.5, 0.0));
  if (frame == 22)
    cloth_set_gravity(sheet, vector_at(1.0, -9.0, 0.0));
  if (frame == 25)
    cloth_confine_to_plane(sheet, 129, vector_at(0.0, 0.0, 1.0));
  if (frame == 28) {
    cloth_fabric fabric;
    cloth_fabric_preset(CLOTH_FABRIC_DENIM, &fabric);
    cloth_set_fabric(sheet, &fabric);
    cloth_release(sheet, 12);
  }
  if (frame == 30) {
    cloth_collider box = collider_of(CLOTH_SHAPE_BOX);
    box.pose.position.y = -0.5f;
    cloth_add_collider(sheet, &box);
    cloth_set_pin_velocity(sheet, 0, vector_at(0.1, 0.0, 0.0));
  }
  int result = cloth_step(sheet, FRAME);
  CHECK(result >= CLOTH_OK, "frame %d: %s", frame, cloth_result_name(result));
}

static void script_run(cloth *sheet, int from, int to) {
  for (int frame = from; frame < to; frame++)
    script_step(sheet, frame);
}

static specimen script_specimen(void) {
  cloth_config config = script_config();
  specimen s = specimen_make(&config);
  script_start(s.sheet);
  return s;
}

static void test_instances(void) {
  specimen alone = script_specimen();
  script_run(alone.sheet, 0, 40);
  specimen left = script_specimen(), right = script_specimen();
  for (int frame = 0; frame < 40; frame++) {
    script_step(left.sheet, frame);
    if (frame % 3 != 0) /* the neighbour runs behind, so that it is doing something else */
      script_step(right.sheet, frame - frame / 3 - 1);
  }
  CHECK(same_state(&alone, &left), "a neighbour changed the result");
  specimen_free(&alone);
  specimen_free(&left);
  specimen_free(&right);
}

/* Garbage left in the arena, and its place, must not matter: every byte but the padding is the same. */
static void test_fresh_arena(void) {
  cloth_config config = script_config();
  specimen s = specimen_make(&config);
  unsigned char *first = copy_bytes(s.arena, s.memory.total_bytes);
  memset(s.arena, 0x11, s.memory.total_bytes);
  CHECK(cloth_init(&config, s.arena, s.memory.total_bytes, &s.sheet) == CLOTH_OK, "init again");
  CHECK((void *)s.sheet == (void *)s.arena, "the cloth is not at the start of its arena");
  size_t state = s.memory.state_offset;
  CHECK(memcmp(first, s.arena, s.memory.constant_bytes) == 0, "garbage shows in the constant span");
  CHECK(memcmp(first + state, s.arena + state, s.memory.state_bytes) == 0, "garbage shows in the state span");
  free(first);
  specimen_free(&s);
}

static void test_moved_arena(void) {
  specimen still = script_specimen(), moved = script_specimen();
  script_run(still.sheet, 0, 40);
  script_run(moved.sheet, 0, 20);
  unsigned char *allocation;
  unsigned char *target = guarded_buffer(moved.memory.total_bytes, 3, &allocation);
  memcpy(target, moved.arena, moved.memory.total_bytes);
  memset(moved.arena, 0xff, moved.memory.total_bytes);
  script_run((cloth *)(void *)target, 20, 40);
  CHECK(memcmp(target + moved.memory.state_offset, specimen_state(&still), still.memory.state_bytes) == 0,
        "the moved cloth went elsewhere");
  CHECK(guards_intact(target, moved.memory.total_bytes), "bytes outside the moved arena were written");
  cloth_range range;
  cloth_positions((cloth *)(void *)target, &range);
  const unsigned char *x = (const unsigned char *)range.x;
  CHECK(x >= target && x < target + moved.memory.total_bytes, "positions lie outside the moved arena");
  free(allocation);
  specimen_free(&still);
  specimen_free(&moved);
}

static void test_replay(void) {
  specimen s = script_specimen();
  script_run(s.sheet, 0, 20);
  unsigned char *saved = copy_bytes(specimen_state(&s), s.memory.state_bytes);
  script_run(s.sheet, 20, 45);
  unsigned char *end = copy_bytes(specimen_state(&s), s.memory.state_bytes);
  CHECK(memcmp(saved, end, s.memory.state_bytes) != 0, "nothing happened");
  memcpy(specimen_state(&s), saved, s.memory.state_bytes);
  script_run(s.sheet, 20, 45);
  CHECK(memcmp(specimen_state(&s), end, s.memory.state_bytes) == 0, "the replay went elsewhere");

  specimen fresh = script_specimen();
  memcpy(specimen_state(&fresh), saved, s.memory.state_bytes);
  script_run(fresh.sheet, 20, 45);
  CHECK(memcmp(specimen_state(&fresh), end, s.memory.state_bytes) == 0, "the second cloth went elsewhere");

  cloth_config config = script_config();
  specimen bare = specimen_make(&config); /* without the script's start: pins and colliders come with the state */
  memcpy(specimen_state(&bare), saved, s.memory.state_bytes);
  script_run(bare.sheet, 20, 45);
  CHECK(memcmp(specimen_state(&bare), end, s.memory.state_bytes) == 0, "the bare cloth went elsewhere");
  free(saved);
  free(end);
  specimen_free(&s);
  specimen_free(&fresh);
  specimen_free(&bare);
}

/// Memory ///

static cloth_memory memory_of(const cloth_config *config) {
  cloth_memory memory;
  memset(&memory, 0, sizeof memory);
  int result = cloth_memory_needed(config, &memory);
  CHECK(result == CLOTH_OK, "%d x %d: %s", config->columns, config->rows, cloth_result_name(result));
  return memory;
}

static void expect_spans(const cloth_memory *m) {
  CHECK(m->constant_offset == 0, "constants at %zu", m->constant_offset);
  CHECK(m->state_offset >= m->constant_offset + m->constant_bytes, "state overlaps constants");
  CHECK(m->scratch_offset >= m->state_offset + m->state_bytes, "scratch overlaps state");
  CHECK(m->total_bytes >= m->scratch_offset + m->scratch_bytes, "scratch passes the end");
  size_t spans = m->constant_bytes + m->state_bytes + m->scratch_bytes;
  CHECK(m->total_bytes - spans < 3 * CLOTH_ALIGNMENT, "%zu bytes lost between spans", m->total_bytes - spans);
}

/* What an option adds must be its share a particle, give or take the rounding to the alignment and the at most 95
   floats by which planes keep away from multiples of 2 KB. */
static void expect_addition(const cloth_config *with, size_t without, size_t share, const char *name) {
  size_t particles = (size_t)with->columns * (size_t)with->rows;
  size_t total = memory_of(with).total_bytes;
  size_t marks = 2 * (size_t)with->rows * (((size_t)with->columns + 7) / 8); /* of tethers */
  size_t buffers = 36 * (size_t)with->columns, axes = with->tethers > 0 ? 52 * (size_t)with->max_colliders : 0;
  size_t pads = share * (particles < 512 ? 0 : 95) + marks + (axes > buffers ? axes - buffers : 0);
  CHECK(total + 4 * CLOTH_ALIGNMENT >= without + share * particles, "%s: only %zu bytes more", name, total - without);
  CHECK(total <= without + share * particles + 6 * CLOTH_ALIGNMENT + pads, "%s adds %g bytes a particle", name,
        (double)(total - without) / (double)particles);
}

static void expect_bytes(const cloth_config *config, size_t share, const char *name) {
  size_t particles = (size_t)config->columns * (size_t)config->rows;
  cloth_memory memory = memory_of(config);
  expect_spans(&memory);
  CHECK(memory.total_bytes <= share * particles + 4224, "%d x %d %s: %zu bytes, %g a particle", config->columns,
        config->rows, name, memory.total_bytes, ((double)memory.total_bytes - 4224.0) / (double)particles);
}

static void test_memory_of_grid(int columns, int rows, const float *map) {
  cloth_config config = cloth_config_default();
  config.columns = columns;
  config.rows = rows;
  use_projection(&config);
  expect_bytes(&config, 112, "in three tiers");
  cloth_config option = config;
  option.tethers = 0;
  cloth_memory memory = memory_of(&option);
  option.tethers = 1;
  expect_addition(&option, memory.total_bytes, 4, "one tether");
  option.tethers = 2;
  expect_addition(&option, memory.total_bytes, 8, "two tethers");
  option = config;
  option.extrapolation = 0.0f;
  memory = memory_of(&option);
  option.extrapolation = 0.1f;
  expect_addition(&option, memory.total_bytes, 28, "extrapolation");
  memory = memory_of(&config);
  option = config;
  option.warm_start = 1;
  CHECK(memory_of(&option).total_bytes == memory.total_bytes, "a warm start without a solver takes memory");
  option = config;
  option.projection_threshold = option.explicit_threshold;
  CHECK(memory_of(&option).total_bytes == memory.total_bytes, "a solver that never solves takes memory");
  use_two_tiers(&config);
  expect_bytes(&config, 208, "in two tiers");
  memory = memory_of(&config);
  option = config;
  option.projection_threshold = 1.0f;
  CHECK(memory_of(&option).total_bytes <= memory.total_bytes + 704, "a threshold takes more than 0.7 KB");
  option = config;
  option.warm_start = 1;
  expect_addition(&option, memory.total_bytes, 12, "warm start");
  option = config;
  option.mass_map = map;
  expect_addition(&option, memory.total_bytes, 4, "mass map");
  option = config;
  option.stiffness_map = map;
  expect_addition(&option, memory.total_bytes, 4, "stiffness map");
  option = config;
  option.contact_mode = CLOTH_CONTACT_SOLVER;
  expect_addition(&option, memory.total_bytes, 16, "solver contact");
  option = config;
  option.integration = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  expect_bytes(&option, 66, "explicit only");
}

static void test_memory(void) {
  static const int sizes[] = {8, 9, 13, 16, 17, 31, 32, 33, 47, 64, 65, 100, 127, 128, 129, 200, 255, 256};
  const int count = (int)(sizeof sizes / sizeof sizes[0]);
  float *map = (float *)malloc(256 * 256 * sizeof *map);
  if (map == NULL)
    return;
  for (int i = 0; i < 256 * 256; i++)
    map[i] = 1.0f;
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < count; k++)
      test_memory_of_grid(sizes[i], sizes[k], map);
  }
  free(map);
}

/* Capacities cost what the header says, and the cloth reports the spans that were asked for. */
static void test_memory_capacities(void) {
  cloth_config config = cloth_config_default();
  specimen s = specimen_make(&config);
  cloth_memory spans;
  memset(&spans, 0, sizeof spans);
  CHECK(cloth_memory_spans(s.sheet, &spans) == CLOTH_OK, "no spans");
  CHECK(memcmp(&spans, &s.memory, sizeof spans) == 0, "spans differ from what was asked for");
  size_t total = s.memory.total_bytes, slack = 4 * CLOTH_ALIGNMENT;
  config.max_colliders = 64;
  CHECK(memory_of(&config).total_bytes <= total + 48 * (120 + 52) + slack, "colliders cost more than 172 bytes each");
  config.max_colliders = 16;
  config.max_confined = 1008;
  CHECK(memory_of(&config).total_bytes <= total + 1000 * 32 + slack, "confined particles cost more than 32 bytes each");
  config.max_confined = 8;
  config.max_substeps = 1008;
  CHECK(memory_of(&config).total_bytes <= total + 1000 * 2 + slack, "substeps cost more than 2 bytes each");
  specimen_free(&s);
}

/// Outputs ///

/* A sheet bent over a cylinder of radius 1 m about the z axis, so that its true normals are known. */
#define ARC_COLUMNS 21
#define ARC_ROWS 9

static double arc_angle(int column) {
  return 1.6 * ((double)column / (ARC_COLUMNS - 1) - 0.5);
}

static specimen arc_specimen(void) {
  static cloth_vector positions[ARC_COLUMNS * ARC_ROWS];
  cloth_config config = cloth_config_default();
  config.columns = ARC_COLUMNS;
  config.rows = ARC_ROWS;
  config.edge_warp = vector_at(1.6, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.7);
  for (int row = 0; row < ARC_ROWS; row++) {
    for (int column = 0; column < ARC_COLUMNS; column++) {
      double angle = arc_angle(column);
      positions[row * ARC_COLUMNS + column] = vector_at(sin(angle), cos(angle), 0.7 * row / (ARC_ROWS - 1));
    }
  }
  config.positions = positions;
  return specimen_make(&config);
}

/* cross(x, z) is -y, so the normals of the arc point to its axis. Edge particles see only one side of the curve. */
static void test_normals_curved(void) {
  specimen s = arc_specimen();
  double worst_inside = 0.0, worst_edge = 0.0;
  for (int i = 0; i < s.count; i++) {
    int column = i % ARC_COLUMNS;
    double angle = arc_angle(column);
    point expected = {-sin(angle), -cos(angle), 0.0};
    cloth_vector normal;
    CHECK(cloth_get_normal(s.sheet, i, &normal) == CLOTH_OK, "no normal");
    double off = point_distance(point_of(normal), expected);
    CHECK(fabs(point_length(point_of(normal)) - 1.0) < 1e-5, "length %g", point_length(point_of(normal)));
    if (column == 0 || column == ARC_COLUMNS - 1)
      worst_edge = off > worst_edge ? off : worst_edge;
    else
      worst_inside = off > worst_inside ? off : worst_inside;
  }
  CHECK(worst_inside < 1e-2, "normals inside are off by %g", worst_inside);
  CHECK(worst_edge < 0.6 * 1.6 / (ARC_COLUMNS - 1), "normals at the edge are off by %g", worst_edge);
  specimen_free(&s);
}

static void test_normals_flat(void) {
  cloth_config config = cloth_config_default();
  config.columns = 7;
  config.rows = 5;
  config.edge_warp = vector_at(0.6, 0.1, -0.2);
  config.edge_weft = vector_at(0.1, 0.5, 0.55);
  specimen s = specimen_make(&config);
  point across = point_cross(point_of(config.edge_warp), point_of(config.edge_weft));
  point expected = point_scaled(across, 1.0 / point_length(across));
  for (int i = 0; i < s.count; i++) {
    cloth_vector normal;
    cloth_get_normal(s.sheet, i, &normal);
    CHECK(point_distance(point_of(normal), expected) < 1e-5, "normal (%g, %g, %g)", (double)normal.x, (double)normal.y,
          (double)normal.z);
  }
  specimen_free(&s);
}

/* Triangles of the arc, by its indices, must face the way its normals point and cover it once. */
static void test_indices(void) {
  specimen s = arc_specimen();
  enum { COUNT = 6 * (ARC_COLUMNS - 1) * (ARC_ROWS - 1) };
  static uint16_t narrow[COUNT + 2];
  static uint32_t wide[COUNT + 2];
  memset(narrow, 0xa5, sizeof narrow);
  memset(wide, 0xa5, sizeof wide);
  CHECK(cloth_index_count(s.sheet) == COUNT, "%d indices", cloth_index_count(s.sheet));
  CHECK(cloth_write_indices16(s.sheet, 500, narrow + 1, COUNT) == CLOTH_OK, "narrow");
  CHECK(cloth_write_indices32(s.sheet, 70000, wide + 1, COUNT) == CLOTH_OK, "wide");
  CHECK(narrow[0] == 0xa5a5 && narrow[COUNT + 1] == 0xa5a5, "written beside the 16-bit indices");
  CHECK(wide[0] == 0xa5a5a5a5u && wide[COUNT + 1] == 0xa5a5a5a5u, "written beside the 32-bit indices");
  double area = 0.0;
  for (int t = 0; t < COUNT; t += 3) {
    int corner[3];
    for (int k = 0; k < 3; k++) {
      corner[k] = (int)wide[1 + t + k] - 70000;
      CHECK(corner[k] == (int)narrow[1 + t + k] - 500, "16 and 32-bit indices differ at %d", t + k);
      CHECK(corner[k] >= 0 && corner[k] < s.count, "index %d", corner[k]);
      if (corner[k] < 0 || corner[k] >= s.count)
        return;
    }
    point a = position_of(s.sheet, corner[0]);
    point ab = point_difference(position_of(s.sheet, corner[1]), a);
    point ac = point_difference(position_of(s.sheet, corner[2]), a);
    point face = point_cross(ab, ac);
    cloth_vector normal;
    cloth_get_normal(s.sheet, corner[0], &normal);
    CHECK(point_dot(face, point_of(normal)) > 0.99 * point_length(face), "triangle %d faces away", t / 3);
    area += 0.5 * point_length(face);
  }
  double chord = 2.0 * sin(0.5 * 1.6 / (ARC_COLUMNS - 1)) * (ARC_COLUMNS - 1);
  CHECK(fabs(area - 0.7 * chord) < 1e-4, "the triangles cover %g m2 instead of %g", area, 0.7 * chord);
  specimen_free(&s);
}

typedef struct vertex_floats {
  float position[3], normal[3], texcoord[2];
} vertex_floats;

/* Whether the bytes of a vertex from `from` to `to` still are as they were filled. */
static int bytes_left_alone(const unsigned char *vertex, int from, int to) {
  for (int i = from; i < to; i++) {
    if (vertex[i] != 0xee)
      return 0;
  }
  return 1;
}

static void expect_vertex(const specimen *s, int i, const vertex_floats *v) {
  cloth_vector normal;
  cloth_get_normal(s->sheet, i, &normal);
  point position = position_of(s->sheet, i);
  point written = {(double)v->position[0], (double)v->position[1], (double)v->position[2]};
  point written_normal = {(double)v->normal[0], (double)v->normal[1], (double)v->normal[2]};
  CHECK(point_distance(position, written) == 0.0, "position of vertex %d", i);
  CHECK(point_distance(point_of(normal), written_normal) < 1e-6, "normal of vertex %d", i);
  double u = (double)(i % s->columns) / (s->columns - 1), w = (double)(i / s->columns) / (s->rows - 1);
  CHECK(fabs((double)v->texcoord[0] - u) < 1e-6 && fabs((double)v->texcoord[1] - w) < 1e-6, "texcoord of vertex %d", i);
}

/* An odd stride and odd offsets in a buffer that starts at an odd address; every byte between must stay. */
static void test_vertices(void) {
  specimen s = arc_specimen();
  script_step(s.sheet, 0);
  const cloth_vertex_layout layout = {41, 21, 3, 33};
  size_t bytes = (size_t)(41 * s.count);
  unsigned char *buffer = (unsigned char *)malloc(bytes + 8);
  if (buffer == NULL)
    return;
  memset(buffer, 0xee, bytes + 8);
  unsigned char *vertices = buffer + 1 + ((uintptr_t)buffer & 1u);
  CHECK(cloth_write_vertices(s.sheet, &layout, vertices, bytes) == CLOTH_OK, "vertices refused");
  for (int i = 0; i < s.count; i++) {
    const unsigned char *vertex = vertices + 41 * i;
    vertex_floats v;
    memcpy(v.normal, vertex + 3, sizeof v.normal);
    memcpy(v.position, vertex + 21, sizeof v.position);
    memcpy(v.texcoord, vertex + 33, sizeof v.texcoord);
    expect_vertex(&s, i, &v);
    CHECK(bytes_left_alone(vertex, 0, 3) && bytes_left_alone(vertex, 15, 21), "bytes between of vertex %d", i);
  }
  CHECK(bytes_left_alone(buffer, 0, (int)(vertices - buffer)), "bytes before the buffer");
  CHECK(bytes_left_alone(buffer, (int)(vertices - buffer) + (int)bytes, (int)bytes + 8), "bytes after the buffer");
  free(buffer);
  specimen_free(&s);
}

/* Attributes left out are not written, one at a time, in a buffer that ends with the last attribute. */
static void test_vertex_attributes(void) {
  specimen s = arc_specimen();
  static unsigned char buffer[32 * ARC_COLUMNS * ARC_ROWS];
  const cloth_vertex_layout layouts[] = {
      {32, 0, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE},
      {32, CLOTH_ATTRIBUTE_NONE, 12, CLOTH_ATTRIBUTE_NONE},
      {32, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE, 24},
      {32, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE},
  };
  for (int k = 0; k < 4; k++) {
    memset(buffer, 0xee, sizeof buffer);
    CHECK(cloth_write_vertices(s.sheet, &layouts[k], buffer, sizeof buffer) == CLOTH_OK, "layout %d", k);
    for (int i = 0; i < s.count; i++) {
      const unsigned char *vertex = buffer + 32 * i;
      CHECK(bytes_left_alone(vertex, 0, 12) == (k != 0), "position of vertex %d in layout %d", i, k);
      CHECK(bytes_left_alone(vertex, 12, 24) == (k != 1), "normal of vertex %d in layout %d", i, k);
      CHECK(bytes_left_alone(vertex, 24, 32) == (k != 2), "texcoord of vertex %d in layout %d", i, k);
    }
  }
  specimen_free(&s);
}

/* A row of a tube ends with its first vertex again, at the other end of the texture; the triangles close the tube. */
static void test_tube_vertices(void) {
  enum { COLUMNS = 7, ROWS = 4, VERTICES = (COLUMNS + 1) * ROWS, INDICES = 6 * COLUMNS * (ROWS - 1) };
  cloth_config config = tested_config();
  config.wrap = 1;
  config.columns = COLUMNS;
  config.rows = ROWS;
  specimen s = specimen_make(&config);
  cloth_pin(s.sheet, 3);
  run_steps(s.sheet, 5, FRAME);
  const cloth_vertex_layout layout = {sizeof(vertex_floats), offsetof(vertex_floats, position),
                                      offsetof(vertex_floats, normal), offsetof(vertex_floats, texcoord)};
  vertex_floats vertices[VERTICES];
  CHECK(cloth_write_vertices(s.sheet, &layout, vertices, sizeof vertices - 1) == CLOTH_ERROR_BUFFER, "too small");
  CHECK(cloth_write_vertices(s.sheet, &layout, vertices, sizeof vertices) == CLOTH_OK, "vertices refused");
  for (int i = 0; i < VERTICES; i++) {
    int along = i % (COLUMNS + 1), row = i / (COLUMNS + 1);
    int particle = row * COLUMNS + along % COLUMNS;
    const vertex_floats *v = &vertices[i];
    point at = {(double)v->position[0], (double)v->position[1], (double)v->position[2]};
    CHECK(point_distance(at, position_of(s.sheet, particle)) == 0.0, "position of vertex %d", i);
    CHECK(along < COLUMNS || memcmp(v->normal, vertices[i - COLUMNS].normal, sizeof v->normal) == 0, "normals differ");
    CHECK(fabs((double)v->texcoord[0] - (double)along / COLUMNS) < 1e-6, "texcoord of vertex %d", i);
  }
  uint16_t indices[INDICES];
  int seen[VERTICES] = {0};
  CHECK(cloth_index_count(s.sheet) == INDICES, "%d indices", cloth_index_count(s.sheet));
  CHECK(cloth_write_indices16(s.sheet, 0, indices, INDICES - 1) == CLOTH_ERROR_BUFFER, "too few indices");
  CHECK(cloth_write_indices16(s.sheet, UINT16_MAX - VERTICES + 2, indices, INDICES) == CLOTH_ERROR_INDEX_WIDTH,
        "too many vertices");
  CHECK(cloth_write_indices16(s.sheet, 0, indices, INDICES) == CLOTH_OK, "indices refused");
  for (int i = 0; i < INDICES; i++) {
    CHECK(indices[i] < VERTICES, "index %d", indices[i]);
    seen[indices[i]]++;
    int row = indices[i] / (COLUMNS + 1), first = indices[i / 3 * 3] / (COLUMNS + 1);
    CHECK(abs(row - first) <= 1, "triangle %d joins rows %d and %d", i / 3, first, row);
  }
  for (int i = 0; i < VERTICES; i++)
    CHECK(seen[i] > 0, "vertex %d is of no triangle", i);
  specimen_free(&s);
}

static void test_ranges_and_bounds(void) {
  specimen s = script_specimen();
  script_run(s.sheet, 0, 10);
  cloth_range x, v;
  CHECK(cloth_positions(s.sheet, &x) == CLOTH_OK && cloth_velocities(s.sheet, &v) == CLOTH_OK, "no ranges");
  CHECK(x.count == s.count && v.count == s.count, "%d and %d particles", x.count, v.count);
  point low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < x.count; i++) {
    point p = {(double)x.x[i], (double)x.y[i], (double)x.z[i]};
    point speed = {(double)v.x[i], (double)v.y[i], (double)v.z[i]};
    CHECK(point_distance(p, position_of(s.sheet, i)) == 0.0, "position of particle %d", i);
    CHECK(point_distance(speed, velocity_of(s.sheet, i)) == 0.0, "velocity of particle %d", i);
    low.x = p.x < low.x ? p.x : low.x;
    low.y = p.y < low.y ? p.y : low.y;
    low.z = p.z < low.z ? p.z : low.z;
    high.x = p.x > high.x ? p.x : high.x;
    high.y = p.y > high.y ? p.y : high.y;
    high.z = p.z > high.z ? p.z : high.z;
  }
  cloth_vector box_low, box_high;
  CHECK(cloth_bounds(s.sheet, &box_low, &box_high) == CLOTH_OK, "no bounds");
  CHECK(point_distance(point_of(box_low), low) == 0.0 && point_distance(point_of(box_high), high) == 0.0, "bounds");
  specimen_free(&s);
}

/// Statistics ///

static void expect_statistics(const specimen *s, const cloth_config *config, int result) {
  cloth_statistics st;
  CHECK(cloth_get_statistics(s->sheet, &st) == CLOTH_OK, "no statistics");
  CHECK(st.notes == result, "notes %d, the step returned %d", st.notes, result);
  CHECK(st.substeps >= 1 && st.substeps <= config->max_substeps, "%d substeps", st.substeps);
  int sum = 0, most = 0;
  for (int k = 0; k < st.substeps; k++) {
    int n = cloth_substep_iterations(s->sheet, k);
    CHECK(n >= 0 && n <= config->max_iterations, "substep %d took %d iterations", k, n);
    sum += n;
    most = n > most ? n : most;
  }
  CHECK(cloth_substep_iterations(s->sheet, st.substeps) < 0, "a substep not taken has iterations");
  CHECK(sum == st.iterations && most == st.iterations_most, "iterations %d of %d, most %d of %d", st.iterations, sum,
        st.iterations_most, most);
  CHECK(st.substeps_capped >= 0 && st.substeps_capped <= st.substeps, "%d capped", st.substeps_capped);
  CHECK(st.residual >= 0.0f && isfinite(st.residual), "residual %g", (double)st.residual);
  CHECK(st.substeps_capped > 0 || st.residual <= 1.01f * config->tolerance, "residual %g without a capped substep",
        (double)st.residual);
  CHECK(st.contacts >= 0 && st.contacts <= s->count, "%d contacts", st.contacts);
  CHECK(st.contacts_sticking >= 0 && st.contacts_sticking <= st.contacts, "%d sticking", st.contacts_sticking);
  CHECK((st.particles_limited > 0) == ((st.notes & CLOTH_NOTE_SPEED_LIMITED) != 0), "limited %d", st.particles_limited);
  CHECK((st.particles_recovered > 0) == ((st.notes & CLOTH_NOTE_RECOVERED) != 0), "recovered %d",
        st.particles_recovered);
}

/* kappa = (k / m)(k ks + 2 kd); all particles have the same mass. */
static void expect_kappa(const specimen *s, const cloth_config *config, double mass) {
  cloth_statistics st;
  cloth_get_statistics(s->sheet, &st);
  double k = (double)FRAME / st.substeps;
  const float stiffness[] = {config->fabric.stretch_warp, config->fabric.stretch_weft, config->fabric.shear};
  const float damping[] = {config->fabric.stretch_damping, config->fabric.stretch_damping,
                           config->fabric.shear_damping};
  for (int family = 0; family < 3; family++) {
    double expected = k / mass * (k * (double)stiffness[family] + 2.0 * (double)damping[family]);
    double ratio = (double)st.kappa[family] / expected;
    CHECK(ratio > 0.99 && ratio < 1.01, "kappa of family %d is %g, not %g", family, (double)st.kappa[family], expected);
    cloth_mode stiff = tested_tiers == 2 ? CLOTH_MODE_IMPLICIT : CLOTH_MODE_PROJECTED;
    cloth_mode mode = st.kappa[family] > config->explicit_threshold ? stiff : CLOTH_MODE_EXPLICIT;
    CHECK(st.mode[family] == (int32_t)mode, "family %d with kappa %g has mode %d", family, (double)st.kappa[family],
          (int)st.mode[family]);
  }
}

static void test_statistics(void) {
  const float stiffnesses[] = {3000.0f, 300.0f, 1.0f};
  for (int i = 0; i < 3; i++) {
    cloth_config config = square_config(12, 0.3);
    config.fabric.stretch_warp = config.fabric.stretch_weft = stiffnesses[i];
    config.fabric.shear = 0.01f * stiffnesses[i];
    config.fabric.stretch_damping = config.fabric.shear_damping = 1e-4f;
    specimen s = specimen_make(&config);
    double mass = particle_mass(&s, specimen_particle(&s, 6, 6));
    cloth_collider ball = cloth_collider_default();
    cloth_add_collider(s.sheet, &ball);
    int touched = 0;
    for (int frame = 0; frame < 60; frame++) {
      int result = cloth_step(s.sheet, FRAME);
      expect_statistics(&s, &config, result);
      expect_kappa(&s, &config, mass);
      cloth_statistics st;
      cloth_get_statistics(s.sheet, &st);
      touched = st.contacts > touched ? st.contacts : touched;
    }
    CHECK(touched > 0, "the sheet on the ball has no contacts");
    specimen_free(&s);
  }
}

static void test_mode_off(void) {
  cloth_config config = square_config(8, 0.0);
  config.fabric.shear = config.fabric.shear_damping = 0.0f;
  config.fabric.bend = config.fabric.bend_damping = config.fold_stiffness = 0.0f;
  specimen s = specimen_make(&config);
  cloth_step(s.sheet, FRAME);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  CHECK(st.mode[CLOTH_FAMILY_SHEAR] == CLOTH_MODE_OFF, "shear mode %d", (int)st.mode[CLOTH_FAMILY_SHEAR]);
  CHECK(st.mode[CLOTH_FAMILY_BEND] == CLOTH_MODE_OFF, "bend mode %d", (int)st.mode[CLOTH_FAMILY_BEND]);
  cloth_mode stiff = tested_tiers == 2 ? CLOTH_MODE_IMPLICIT : CLOTH_MODE_PROJECTED;
  CHECK(st.mode[CLOTH_FAMILY_STRETCH_WARP] == (int32_t)stiff, "warp mode %d", (int)st.mode[0]);
  specimen_free(&s);
}

static void test_fixed_substeps(void) {
  cloth_config config = square_config(8, 0.0);
  const int counts[] = {1, 3, 8, 16}; /* the last is above max_substeps, which caps chosen numbers only */
  for (int i = 0; i < 4; i++) {
    config.substeps = counts[i];
    specimen s = specimen_make(&config);
    CHECK(cloth_step(s.sheet, FRAME) >= CLOTH_OK, "step");
    cloth_statistics st;
    cloth_get_statistics(s.sheet, &st);
    CHECK(st.substeps == counts[i], "%d substeps instead of %d", st.substeps, counts[i]);
    CHECK(cloth_substep_iterations(s.sheet, counts[i] - 1) >= 0, "no iterations of the last substep");
    specimen_free(&s);
  }
}

/* Energies of a sheet whose numbers can be worked out by hand. */
static void test_measures(void) {
  cloth_config config = square_config(6, 2.0);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 3000.0f;
  config.fabric.shear = 1000.0f;
  specimen s = specimen_make(&config);
  double mass = 0.0;
  for (int i = 0; i < s.count; i++)
    mass += particle_mass(&s, i);
  cloth_measures m;
  CHECK(cloth_measure(s.sheet, &m) == CLOTH_OK, "no measures");
  CHECK(fabs((double)m.potential_energy - mass * 9.81 * 2.0) < 1e-4 * mass * 9.81 * 2.0, "potential energy %g of %g kg",
        (double)m.potential_energy, mass);
  CHECK(m.kinetic_energy == 0.0f && m.elastic_energy < 1e-9f, "a flat sheet at rest has energy");
  CHECK(m.stretch_largest < 1e-6f && m.stretch_rms < 1e-6f, "a flat sheet has strain %g", (double)m.stretch_largest);
  for (int i = 0; i < s.count; i++) { /* 1 % longer along the warp, moving at 2 m/s */
    point p = position_of(s.sheet, i);
    cloth_set_particle(s.sheet, i, vector_at(1.01 * p.x, p.y, p.z), vector_at(0.0, 2.0, 0.0));
  }
  cloth_measure(s.sheet, &m);
  CHECK(fabs((double)m.kinetic_energy - 2.0 * mass) < 1e-3 * mass, "kinetic energy %g", (double)m.kinetic_energy);
  CHECK(fabs((double)m.stretch_largest - 0.01) < 1e-5, "largest stretch %g", (double)m.stretch_largest);
  CHECK(m.stretch_rms > 0.0f && m.stretch_rms <= m.stretch_largest, "rms stretch %g", (double)m.stretch_rms);
  double side = 0.2, extension = 0.01 * side; /* 30 warp springs and 50 diagonals, perhaps less on the rim */
  double warp = 0.5 * 3000.0 * extension * extension, diagonal = 0.5 * 1000.0 * extension * extension / 2.0;
  double energy = 30.0 * warp + 50.0 * diagonal;
  CHECK((double)m.elastic_energy > 0.75 * energy && (double)m.elastic_energy < 1.02 * energy, "elastic energy %g of %g",
        (double)m.elastic_energy, energy);
  specimen_free(&s);
}

/// Reading ///

/* No reader may change a single byte, so that reading never changes a run. */
static void test_reading(void) {
  specimen s = script_specimen();
  script_run(s.sheet, 0, 10);
  unsigned char *before = copy_bytes(s.arena, s.memory.total_bytes);
  static unsigned char vertices[32 * 130];
  static uint16_t indices16[6 * 12 * 9];
  static uint32_t indices32[6 * 12 * 9];
  outputs out;
  cloth_memory_spans(s.sheet, &out.memory);
  cloth_positions(s.sheet, &out.range);
  cloth_velocities(s.sheet, &out.range);
  for (int i = 0; i < s.count; i++) {
    cloth_get_position(s.sheet, i, &out.a);
    cloth_get_velocity(s.sheet, i, &out.a);
    cloth_get_normal(s.sheet, i, &out.a);
    cloth_freedom(s.sheet, i);
  }
  CHECK(cloth_write_vertices(s.sheet, &layout_usual, vertices, sizeof vertices) == CLOTH_OK, "vertices");
  CHECK(cloth_write_indices16(s.sheet, 0, indices16, sizeof indices16 / sizeof indices16[0]) == CLOTH_OK, "indices");
  CHECK(cloth_write_indices32(s.sheet, 0, indices32, sizeof indices32 / sizeof indices32[0]) == CLOTH_OK, "indices");
  cloth_bounds(s.sheet, &out.a, &out.b);
  cloth_get_statistics(s.sheet, &out.statistics);
  cloth_substep_iterations(s.sheet, 0);
  cloth_measure(s.sheet, &out.measures);
  cloth_collider_reaction(s.sheet, 0, &out.reaction);
  CHECK(memcmp(before, s.arena, s.memory.total_bytes) == 0, "reading changed the arena");
  free(before);
  specimen_free(&s);
}

/// Defaults ///

/* The header lies where this file was compiled from. */
static char *read_header(void) {
  char path[1024];
  snprintf(path, sizeof path, "%s", __FILE__);
  char *name = strrchr(path, '/');
  name = name == NULL ? path : name + 1;
  snprintf(name, sizeof path - (size_t)(name - path), "../cloth.h");
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL, "cannot read %s", path);
  if (file == NULL)
    return NULL;
  static char text[1 << 17];
  size_t length = fread(text, 1, sizeof text - 1, file);
  text[length] = '\0';
  fclose(file);
  return text;
}

/* Finds the number after "default" in the comment that belongs to a field. Returns 1, or 0 where there is none. */
static int documented_default(const char *header, const config_field *field, double *value) {
  const char *dot = strrchr(field->name, '.'), *name = dot == NULL ? field->name : dot + 1;
  char declaration[64];
  snprintf(declaration, sizeof declaration, "%s %s;", field->kind == FIELD_FLOAT ? "float" : "int32_t", name);
  const char *start = strstr(header, declaration);
  if (start == NULL)
    return 0;
  const char *found = strstr(start, "default "), *end = strstr(start, "*/");
  if (found == NULL || end == NULL || found > end)
    return 0;
  char *after;
  *value = strtod(found + strlen("default "), &after);
  return after != found + strlen("default ");
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
  CHECK(documented >= 25, "the header names only %d defaults", documented);
}

static void test_defaults(void) {
  cloth_config a = cloth_config_default();
  CHECK(a.gravity.x == 0.0f && a.gravity.y == -9.81f && a.gravity.z == 0.0f, "gravity");
  CHECK(a.edge_warp.x == 1.0f && a.edge_weft.z == 1.0f && a.origin.y == 0.0f, "placement");
  CHECK(a.integration == CLOTH_INTEGRATION_ADAPTIVE && a.bend_integration == CLOTH_BEND_ADAPTIVE, "integration");
  CHECK(a.preconditioner == CLOTH_PRECONDITIONER_BLOCK && a.contact_mode == CLOTH_CONTACT_PROJECTION, "solver");
  CHECK(a.positions == NULL && a.mass_map == NULL && a.stiffness_map == NULL, "arrays");
  expect_config_accepted(&a, "default");
  cloth_collider c = cloth_collider_default();
  CHECK(c.shape == CLOTH_SHAPE_SPHERE && c.radius == 0.25f && c.pose.rotation.w == 1.0f, "collider");
  CHECK(c.static_friction == 0.5f && c.kinetic_friction == 0.5f, "friction");
}

static void test_all(void) {
  test_config_ranges();
  test_config_vectors();
  test_config_placement();
  test_config_wrap();
  test_tube_start();
  test_config_arrays();
  test_arena_refusals();
  test_sheet_refusals();
  test_null_refusals();
  test_particle_refusals();
  test_input_refusals();
  test_capacity_refusals();
  test_collider_refusals();
  test_collider_ends();
  test_output_refusals();
  test_instances();
  test_fresh_arena();
  test_moved_arena();
  test_replay();
  test_statistics();
  test_mode_off();
  test_fixed_substeps();
  test_measures();
  test_reading();
}

int main(void) {
  test_defaults();
  test_documented_defaults();
  test_names();
  test_wide_indices();
  test_preset_refusals();
  test_unstable_refusal();
  test_memory();
  test_memory_capacities();
  test_normals_flat();
  test_normals_curved();
  test_indices();
  test_vertices();
  test_tube_vertices();
  test_vertex_attributes();
  test_ranges_and_bounds();
  for (tested_tiers = 2; tested_tiers <= 3; tested_tiers++)
    test_all();
  return check_report();
}
