/* Behaviour: constraints, ways to integrate and solve, contact with every shape, recovery, limits, maps and fabrics. */
#include "support.h"

static const point x_axis = {1.0, 0.0, 0.0}, y_axis = {0.0, 1.0, 0.0}, z_axis = {0.0, 0.0, 1.0};
static const cloth_vector zero_vector = {0.0f, 0.0f, 0.0f};

/// Sums over a sheet ///

static double sheet_mass(const specimen *s) {
  double mass = 0.0;
  for (int i = 0; i < s->count; i++)
    mass += particle_mass(s, i);
  return mass;
}

static point mean_position(const specimen *s) {
  point sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < s->count; i++)
    sum = point_sum(sum, position_of(s->sheet, i));
  return point_scaled(sum, 1.0 / s->count);
}

static point mean_velocity(const specimen *s) {
  point sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < s->count; i++)
    sum = point_sum(sum, velocity_of(s->sheet, i));
  return point_scaled(sum, 1.0 / s->count);
}

static double rms_speed(const specimen *s) {
  double sum = 0.0;
  for (int i = 0; i < s->count; i++) {
    point v = velocity_of(s->sheet, i);
    sum += point_dot(v, v);
  }
  return sqrt(sum / s->count);
}

static double largest_distance(const specimen *a, const specimen *b) {
  double largest = 0.0;
  for (int i = 0; i < a->count; i++) {
    double distance = point_distance(position_of(a->sheet, i), position_of(b->sheet, i));
    if (!(distance <= largest))
      largest = distance;
  }
  return largest;
}

/* Gives the whole sheet one velocity. */
static void set_velocity(const specimen *s, point velocity) {
  for (int i = 0; i < s->count; i++)
    cloth_set_particle(s->sheet, i, vector_of(position_of(s->sheet, i)), vector_of(velocity));
}

/// Pins and confinement ///

static void test_pin_holds(void) {
  cloth_config config = square_config(10, 0.0);
  specimen s = specimen_make(&config);
  point start = position_of(s.sheet, 0);
  cloth_pin(s.sheet, 0);
  CHECK(cloth_freedom(s.sheet, 0) == 0 && cloth_freedom(s.sheet, 1) == 3, "freedom");
  CHECK(cloth_apply_impulse(s.sheet, 0, vector_at(5.0, 5.0, 5.0)) == CLOTH_OK, "impulse");
  CHECK(run_steps(s.sheet, 120, FRAME) == CLOTH_OK, "notes");
  CHECK(point_distance(position_of(s.sheet, 0), start) == 0.0, "a pin gave way");
  CHECK(point_length(velocity_of(s.sheet, 0)) == 0.0, "a pin has a velocity");
  CHECK(position_of(s.sheet, 99).y < -0.5, "the sheet did not fall");
  specimen_free(&s);
}

static void test_pin_velocity(void) {
  cloth_config config = square_config(10, 0.0);
  specimen s = specimen_make(&config);
  const point velocity = {0.3, -0.1, 0.2};
  point start = position_of(s.sheet, 0);
  cloth_pin(s.sheet, 0);
  cloth_set_pin_velocity(s.sheet, 0, vector_of(velocity));
  for (int frame = 1; frame <= 60; frame++) {
    cloth_step(s.sheet, FRAME);
    point expected = point_sum(start, point_scaled(velocity, frame * (double)FRAME));
    double off = point_distance(position_of(s.sheet, 0), expected);
    CHECK(off < 5e-5, "off by %g after %d frames", off, frame); /* a rounding error in each of a thousand substeps */
    CHECK(point_distance(velocity_of(s.sheet, 0), velocity) < 1e-6, "velocity after %d frames", frame);
  }
  cloth_set_pin_velocity(s.sheet, 0, zero_vector);
  point end = position_of(s.sheet, 0);
  run_steps(s.sheet, 30, FRAME);
  CHECK(point_distance(position_of(s.sheet, 0), end) == 0.0, "the stopped pin moved");
  specimen_free(&s);
}

static void test_pin_target(void) {
  cloth_config config = square_config(10, 0.0);
  specimen s = specimen_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_pin(s.sheet, 9);
  for (int frame = 1; frame <= 60; frame++) {
    float dt = frame % 2 != 0 ? FRAME : 0.37f * FRAME;
    point target = {-0.5 + 0.2 * sin(0.3 * frame), 0.1 * cos(0.2 * frame), -0.5 + 0.004 * frame};
    CHECK(cloth_set_pin_target(s.sheet, 0, vector_of(target), dt) == CLOTH_OK, "target");
    cloth_step(s.sheet, dt);
    double off = point_distance(position_of(s.sheet, 0), target);
    CHECK(off < 1e-6, "off by %g after %d frames", off, frame);
  }
  point end = position_of(s.sheet, 0);
  run_steps(s.sheet, 30, FRAME);
  CHECK(point_distance(position_of(s.sheet, 0), end) == 0.0, "the pin left its target");
  specimen_free(&s);
}

/* A sheet carried by its pins goes on as it was carried when they are released. */
static void test_release(void) {
  cloth_config config = square_config(6, 0.0);
  config.gravity = zero_vector;
  config.velocity_damping = 0.0f;
  specimen s = specimen_make(&config);
  const point velocity = {0.5, 0.25, -0.125};
  for (int i = 0; i < s.count; i++) {
    cloth_pin(s.sheet, i);
    cloth_set_pin_velocity(s.sheet, i, vector_of(velocity));
  }
  run_steps(s.sheet, 10, FRAME);
  point start = mean_position(&s);
  for (int i = 0; i < s.count; i++) {
    CHECK(cloth_release(s.sheet, i) == CLOTH_OK && cloth_freedom(s.sheet, i) == 3, "release");
    CHECK(cloth_release(s.sheet, i) == CLOTH_OK && cloth_freedom(s.sheet, i) == 3, "second release");
    CHECK(point_distance(velocity_of(s.sheet, i), velocity) < 1e-6, "velocity of particle %d", i);
  }
  run_steps(s.sheet, 60, FRAME);
  point expected = point_sum(start, point_scaled(velocity, 60.0 * (double)FRAME));
  CHECK(point_distance(mean_position(&s), expected) < 1e-4, "went %g m off",
        point_distance(mean_position(&s), expected));
  specimen_free(&s);
}

static double distance_from_line(point p, point anchor, point unit) {
  point away = point_difference(p, anchor);
  return point_length(point_difference(away, point_scaled(unit, point_dot(away, unit))));
}

/* Confined corners of a swinging sheet, with a collider that pushes it, under one configuration. */
static void run_confined(const cloth_config *config, const char *name) {
  specimen s = specimen_make(config);
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = vector_at(0.2, -0.45, 0.2);
  cloth_add_collider(s.sheet, &ball);
  const point line = {0.6, 0.0, 0.8}, normal = {0.0, 0.8, 0.6};
  int on_line = 0, on_plane = s.columns - 1;
  point line_anchor = position_of(s.sheet, on_line), plane_anchor = position_of(s.sheet, on_plane);
  cloth_confine_to_line(s.sheet, on_line, vector_of(point_scaled(line, 7.0)));
  cloth_confine_to_plane(s.sheet, on_plane, vector_of(point_scaled(normal, 0.1)));
  CHECK(cloth_freedom(s.sheet, on_line) == 1 && cloth_freedom(s.sheet, on_plane) == 2, "freedom");
  double off_line = 0.0, off_plane = 0.0;
  for (int frame = 0; frame < 120; frame++) {
    int result = cloth_step(s.sheet, FRAME);
    CHECK(result >= CLOTH_OK, "%s: %s", name, cloth_result_name(result));
    off_line = fmax(off_line, distance_from_line(position_of(s.sheet, on_line), line_anchor, line));
    point away = point_difference(position_of(s.sheet, on_plane), plane_anchor);
    off_plane = fmax(off_plane, fabs(point_dot(away, normal)));
  }
  CHECK(all_finite(s.sheet), "%s: not finite", name);
  CHECK(off_line < 1e-5, "%s: %g m off the line", name, off_line);
  CHECK(off_plane < 1e-5, "%s: %g m off the plane", name, off_plane);
  CHECK(point_distance(position_of(s.sheet, on_line), line_anchor) > 0.01, "%s: stuck on the line", name);
  CHECK(point_distance(position_of(s.sheet, on_plane), plane_anchor) > 0.01, "%s: stuck on the plane", name);
  specimen_free(&s);
}

static void test_confinement(void) {
  cloth_config config = square_config(10, 0.0);
  run_confined(&config, "default");
  config.contact_mode = CLOTH_CONTACT_SOLVER;
  config.max_iterations = 60;
  run_confined(&config, "solver contact");
  config = square_config(10, 0.0);
  config.max_iterations = 60;
  config.preconditioner = CLOTH_PRECONDITIONER_DIAGONAL;
  run_confined(&config, "diagonal");
  config.preconditioner = CLOTH_PRECONDITIONER_NONE;
  run_confined(&config, "no preconditioner");
  config.preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL;
  run_confined(&config, "multilevel");
  config = square_config(10, 0.0);
  config.integration = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = 30.0f;
  config.max_substeps = 64;
  run_confined(&config, "explicit only");
}

/// Ways to integrate and to solve ///

/* A sheet falling on a ball, held at one corner: springs, a pin and contacts at once. */
static specimen run_mixed_scene(const cloth_config *config, int frames, int *notes) {
  specimen s = specimen_make(config);
  cloth_collider ball = cloth_collider_default();
  cloth_add_collider(s.sheet, &ball);
  cloth_pin(s.sheet, 0);
  *notes = run_steps(s.sheet, frames, FRAME);
  return s;
}

static cloth_config converged_config(void) {
  cloth_config config = square_config(12, 0.3);
  config.substeps = 6;
  config.max_iterations = 400;
  config.tolerance = 1e-4f;
  return config;
}

/* Solved to the end, the answer does not depend on how the solver gets there. */
static void test_preconditioners(void) {
  int notes;
  cloth_config config = converged_config();
  specimen reference = run_mixed_scene(&config, 30, &notes);
  const cloth_preconditioner kinds[] = {CLOTH_PRECONDITIONER_DIAGONAL, CLOTH_PRECONDITIONER_NONE,
                                        CLOTH_PRECONDITIONER_MULTILEVEL, CLOTH_PRECONDITIONER_AUTOMATIC};
  for (int i = 0; i < 4; i++) {
    config = converged_config();
    config.preconditioner = kinds[i];
    specimen s = run_mixed_scene(&config, 30, &notes);
    double off = largest_distance(&reference, &s);
    CHECK(notes == CLOTH_OK && off < 5e-3, "preconditioner %d: notes %d, off by %g m", (int)kinds[i], notes, off);
    specimen_free(&s);
  }
  specimen_free(&reference);
}

static int iterations_of_last_step(const specimen *s) {
  cloth_statistics st;
  cloth_get_statistics(s->sheet, &st);
  return st.iterations;
}

static void test_warm_start(void) {
  int notes;
  cloth_config config = converged_config();
  specimen cold = run_mixed_scene(&config, 30, &notes);
  config.warm_start = 1;
  specimen warm = run_mixed_scene(&config, 30, &notes);
  double off = largest_distance(&cold, &warm);
  CHECK(off < 5e-3, "a warm start ends %g m elsewhere", off);
  CHECK(iterations_of_last_step(&warm) <= iterations_of_last_step(&cold), "%d iterations warm, %d cold",
        iterations_of_last_step(&warm), iterations_of_last_step(&cold));
  specimen_free(&cold);
  specimen_free(&warm);
}

/* Every combination, at the default cap and at the smallest, stays finite and ends near the converged result. */
static void test_combinations(void) {
  int notes;
  cloth_config config = converged_config();
  config.columns = config.rows = 9;
  specimen reference = run_mixed_scene(&config, 40, &notes);
  point center = mean_position(&reference);
  for (int choice = 0; choice < 3 * 2 * 3 * 2 * 2 * 2; choice++) {
    config = square_config(9, 0.3);
    config.preconditioner = (cloth_preconditioner)(choice % 3);
    config.contact_mode = (cloth_contact_mode)(choice / 3 % 2);
    config.integration = (cloth_integration)(choice / 6 % 3);
    config.bend_integration = (cloth_bend_integration)(choice / 18 % 2);
    config.warm_start = choice / 36 % 2;
    config.max_iterations = choice / 72 % 2 != 0 ? 1 : 8;
    specimen s = run_mixed_scene(&config, 40, &notes);
    double off = point_distance(mean_position(&s), center);
    CHECK(notes >= CLOTH_OK && all_finite(s.sheet), "choice %d: %s", choice, cloth_result_name(notes));
    CHECK((notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)) == 0, "choice %d: notes %d", choice, notes);
    /* Contacts in the solver want a nearly converged solve. */
    if (config.max_iterations > 1 || config.contact_mode == CLOTH_CONTACT_PROJECTION)
      CHECK(off < 0.15, "choice %d: the middle of the sheet is %g m off", choice, off);
    specimen_free(&s);
  }
  specimen_free(&reference);
}

/* Explicit and implicit integration of the same soft sheet agree when the steps are small. */
static void test_explicit_agrees(void) {
  const cloth_integration ways[] = {CLOTH_INTEGRATION_EXPLICIT_ONLY, CLOTH_INTEGRATION_EXPLICIT,
                                    CLOTH_INTEGRATION_ADAPTIVE, CLOTH_INTEGRATION_IMPLICIT};
  specimen runs[4];
  for (int i = 0; i < 4; i++) {
    cloth_config config = square_config(8, 0.0);
    config.integration = ways[i];
    config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = 20.0f;
    config.substeps = 40;
    config.max_iterations = 100;
    config.tolerance = 1e-4f;
    runs[i] = specimen_make(&config);
    cloth_pin(runs[i].sheet, 0);
    cloth_pin(runs[i].sheet, 7);
    int notes = run_steps(runs[i].sheet, 40, FRAME);
    CHECK(notes == CLOTH_OK, "way %d: notes %d", i, notes);
    CHECK(largest_distance(&runs[0], &runs[i]) < 0.03, "way %d is %g m off", i, largest_distance(&runs[0], &runs[i]));
  }
  for (int i = 0; i < 4; i++)
    specimen_free(&runs[i]);
}

static void test_explicit_fallback(void) {
  cloth_config config = square_config(10, 0.0);
  config.integration = CLOTH_INTEGRATION_EXPLICIT;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1e5f;
  specimen s = specimen_make(&config);
  cloth_pin(s.sheet, 0);
  int result = cloth_step(s.sheet, FRAME);
  CHECK(result > 0 && (result & CLOTH_NOTE_MADE_IMPLICIT), "the step gave %d", result);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  CHECK(st.substeps == config.max_substeps, "gave up at %d substeps", st.substeps);
  CHECK(st.mode[CLOTH_FAMILY_STRETCH_WARP] == CLOTH_MODE_IMPLICIT, "mode %d", (int)st.mode[0]);
  run_steps(s.sheet, 60, FRAME);
  CHECK(all_finite(s.sheet), "not finite");
  specimen_free(&s);
}

static void test_explicit_refusal(void) {
  cloth_config config = square_config(10, 0.0);
  config.integration = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = 10.0f;
  config.max_substeps = 16;
  specimen s = specimen_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_set_pin_velocity(s.sheet, 0, vector_at(0.1, 0.0, 0.0));
  CHECK(run_steps(s.sheet, 10, FRAME) >= CLOTH_OK, "the soft sheet did not run");
  cloth_fabric stiff = config.fabric;
  stiff.stretch_warp = stiff.stretch_weft = 1e5f;
  cloth_set_fabric(s.sheet, &stiff);
  unsigned char *before = copy_bytes(s.arena, s.memory.total_bytes);
  int result = cloth_step(s.sheet, FRAME);
  CHECK(result == CLOTH_ERROR_UNSTABLE, "the step gave %s", cloth_result_name(result));
  CHECK(memcmp(before, s.arena, s.memory.total_bytes) == 0, "the refused step changed something");
  CHECK(cloth_step(s.sheet, 1e-4f) >= CLOTH_OK, "a smaller step was refused too");
  free(before);
  specimen_free(&s);
}

static void test_bend_softened(void) {
  cloth_config config = square_config(16, 0.3);
  config.bend_integration = CLOTH_BEND_EXPLICIT;
  config.substeps = 2;
  config.fabric.bend = 0.1f;
  specimen s = specimen_make(&config);
  cloth_collider ball = cloth_collider_default();
  cloth_add_collider(s.sheet, &ball);
  int notes = run_steps(s.sheet, 120, FRAME);
  CHECK(notes > 0 && (notes & CLOTH_NOTE_BEND_SOFTENED), "notes %d", notes);
  CHECK((notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)) == 0, "notes %d", notes);
  CHECK(all_finite(s.sheet), "not finite");
  specimen_free(&s);
}

static void test_free_fall(void) {
  cloth_config config = square_config(8, 10.0);
  config.gravity = vector_at(1.0, -9.81, 2.0);
  config.velocity_damping = 0.0f;
  specimen s = specimen_make(&config);
  point start = mean_position(&s);
  run_steps(s.sheet, 180, FRAME);
  point acceleration = point_of(config.gravity);
  double t = 180.0 * (double)FRAME;
  point way = point_scaled(acceleration, 0.5 * t * t), velocity = point_scaled(acceleration, t);
  double off = point_distance(mean_position(&s), point_sum(start, way));
  CHECK(off < 0.01 * point_length(way), "fell %g m off", off);
  CHECK(point_distance(mean_velocity(&s), velocity) < 2e-3 * point_length(velocity), "velocity off by %g",
        point_distance(mean_velocity(&s), velocity));
  cloth_measures m;
  cloth_measure(s.sheet, &m);
  CHECK(m.stretch_largest < 1e-3f, "free fall stretches by %g", (double)m.stretch_largest);
  specimen_free(&s);
}

/// Signed distances of the shapes ///

static point turned_back(cloth_rotation q, point p) {
  point axis = {-(double)q.x, -(double)q.y, -(double)q.z};
  point twice = point_scaled(point_cross(axis, p), 2.0);
  return point_sum(p, point_sum(point_scaled(twice, (double)q.w), point_cross(axis, twice)));
}

/* Two spheres and their common tangent cone: the distance to a disc rolling along the axis is least where its slope
   is that of the cone. */
static double capsule_distance(const cloth_collider *c, point p) {
  double half = (double)c->half_height, low = (double)c->radius, high = (double)c->radius_top;
  double radial = sqrt(p.x * p.x + p.z * p.z), slope = (low - high) / (2.0 * half);
  double along = p.y + radial * slope / sqrt(1.0 - slope * slope);
  along = along < -half ? -half : along > half ? half : along;
  double radius = low + (high - low) * (along + half) / (2.0 * half);
  return hypot(radial, p.y - along) - radius;
}

static double box_distance(point half, point p) {
  double x = fabs(p.x) - half.x, y = fabs(p.y) - half.y, z = fabs(p.z) - half.z;
  double outside = sqrt(fmax(x, 0.0) * fmax(x, 0.0) + fmax(y, 0.0) * fmax(y, 0.0) + fmax(z, 0.0) * fmax(z, 0.0));
  return outside + fmin(fmax(x, fmax(y, z)), 0.0);
}

static double cylinder_distance(const cloth_collider *c, point p) {
  double radial = hypot(p.x, p.z) - (double)c->radius, end = fabs(p.y) - (double)c->half_height;
  return hypot(fmax(radial, 0.0), fmax(end, 0.0)) + fmin(fmax(radial, end), 0.0);
}

static double distance_to(const cloth_collider *c, point world) {
  point p = turned_back(c->pose.rotation, point_difference(world, point_of(c->pose.position)));
  switch (c->shape) {
  case CLOTH_SHAPE_PLANE:
    return p.y;
  case CLOTH_SHAPE_SPHERE:
    return point_length(p) - (double)c->radius;
  case CLOTH_SHAPE_CAPSULE:
    return capsule_distance(c, p);
  case CLOTH_SHAPE_BOX:
    return box_distance(point_of(c->half_extents), p);
  default:
    return cylinder_distance(c, p);
  }
}

static double least_distance(const specimen *s, const cloth_collider *c) {
  double least = HUGE_VAL;
  for (int i = 0; i < s->count; i++)
    least = fmin(least, distance_to(c, position_of(s->sheet, i)));
  return least;
}

/// Rest on every shape ///

static cloth_collider shape_at(cloth_shape shape, double height, cloth_rotation rotation) {
  cloth_collider c = cloth_collider_default();
  c.shape = (int32_t)shape;
  c.pose.position = vector_at(0.0, height, 0.0);
  c.pose.rotation = rotation;
  c.radius = 0.25f;
  c.radius_top = 0.15f;
  c.half_height = 0.3f;
  c.half_extents = vector_at(0.2, 0.15, 0.25);
  c.static_friction = c.kinetic_friction = 1.0f;
  return c;
}

static void expect_rest_on(const cloth_collider *collider, const cloth_config *config, const char *shape) {
  char name[64];
  snprintf(name, sizeof name, "%s, mode %d", shape, (int)config->contact_mode);
  specimen s = specimen_make(config);
  cloth_add_collider(s.sheet, collider);
  int notes = run_steps(s.sheet, 300, FRAME);
  CHECK(notes >= CLOTH_OK && (notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)) == 0, "%s: notes %d", name,
        notes);
  double distance = least_distance(&s, collider), thickness = (double)config->thickness;
  CHECK(distance > thickness - 1e-3, "%s: %g m of %g m away", name, distance, thickness);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  CHECK(st.contacts > 0, "%s: no contacts", name);
  CHECK(distance < thickness + 5e-3, "%s: the nearest particle is %g m away", name, distance);
  CHECK(rms_speed(&s) < 0.05, "%s: still moves with %g m/s", name, rms_speed(&s));
  specimen_free(&s);
}

static void test_rest_in_mode(cloth_contact_mode mode) {
  const double right_angle = 0.5 * acos(-1.0);
  const struct {
    const char *name;
    cloth_collider collider;
  } cases[] = {
      {"level plane", shape_at(CLOTH_SHAPE_PLANE, 0.2, rotation_none())},
      {"tilted plane", shape_at(CLOTH_SHAPE_PLANE, 0.0, rotation_about(z_axis, 0.3))},
      {"sphere", shape_at(CLOTH_SHAPE_SPHERE, 0.0, rotation_none())},
      {"standing capsule", shape_at(CLOTH_SHAPE_CAPSULE, -0.2, rotation_none())},
      {"hanging capsule", shape_at(CLOTH_SHAPE_CAPSULE, -0.3, rotation_about(x_axis, 2.0 * right_angle))},
      {"lying capsule", shape_at(CLOTH_SHAPE_CAPSULE, 0.0, rotation_about(z_axis, 0.9 * right_angle))},
      {"box", shape_at(CLOTH_SHAPE_BOX, 0.0, rotation_none())},
      {"turned box", shape_at(CLOTH_SHAPE_BOX, 0.0, rotation_about(y_axis, 0.6))},
      {"tilted box", shape_at(CLOTH_SHAPE_BOX, 0.0, rotation_about(x_axis, 0.3))},
      {"standing cylinder", shape_at(CLOTH_SHAPE_CYLINDER, -0.1, rotation_none())},
      {"lying cylinder", shape_at(CLOTH_SHAPE_CYLINDER, 0.0, rotation_about(z_axis, right_angle))},
  };
  cloth_config config = square_config(13, 0.35);
  config.edge_warp = vector_at(0.8, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.8);
  config.origin = vector_at(-0.4, 0.35, -0.4);
  config.velocity_damping = 2.0f;
  config.substeps = 8;
  config.contact_mode = mode;
  config.max_iterations = mode == CLOTH_CONTACT_SOLVER ? 100 : 8;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    expect_rest_on(&cases[i].collider, &config, cases[i].name);
}

/// Friction ///

#define INCLINE_ANGLE 0.39269908 /* 22.5 degrees; the tangent is 0.41421 */

/* How far a sheet slides down an incline in a second, and how fast it is then. */
static void slide(cloth_contact_mode mode, double friction, double *way, double *speed) {
  point down = {-cos(INCLINE_ANGLE), -sin(INCLINE_ANGLE), 0.0}, up = {-sin(INCLINE_ANGLE), cos(INCLINE_ANGLE), 0.0};
  cloth_config config = tested_config();
  config.columns = config.rows = 8;
  config.edge_warp = vector_of(point_scaled(down, -0.5));
  config.edge_weft = vector_at(0.0, 0.0, 0.5);
  config.origin = vector_of(point_scaled(up, (double)config.thickness));
  config.velocity_damping = 0.0f;
  config.contact_mode = mode;
  config.max_iterations = 60;
  specimen s = specimen_make(&config);
  cloth_collider incline = shape_at(CLOTH_SHAPE_PLANE, 0.0, rotation_about(z_axis, INCLINE_ANGLE));
  incline.static_friction = incline.kinetic_friction = (float)friction;
  cloth_add_collider(s.sheet, &incline);
  point start = mean_position(&s);
  run_steps(s.sheet, 60, FRAME);
  *way = point_dot(point_difference(mean_position(&s), start), down);
  *speed = point_dot(mean_velocity(&s), down);
  specimen_free(&s);
}

static void test_incline(void) {
  for (int mode = CLOTH_CONTACT_PROJECTION; mode <= CLOTH_CONTACT_SOLVER; mode++) {
    double way, speed;
    const double sliding[] = {0.0, 0.2, 0.35};
    for (int i = 0; i < 3; i++) {
      double expected = 9.81 * (sin(INCLINE_ANGLE) - sliding[i] * cos(INCLINE_ANGLE));
      slide((cloth_contact_mode)mode, sliding[i], &way, &speed);
      CHECK(fabs(speed - expected) < 0.03 * expected, "mode %d, friction %g: %g m/s instead of %g", mode, sliding[i],
            speed, expected);
      CHECK(fabs(way - 0.5 * expected) < 0.05 * expected, "mode %d, friction %g: %g m", mode, sliding[i], way);
    }
    slide((cloth_contact_mode)mode, 0.6, &way, &speed);
    CHECK(fabs(way) < 1e-3 && fabs(speed) < 1e-3, "mode %d: the sheet that sticks went %g m, %g m/s", mode, way, speed);
  }
}

/// Colliders that carry the cloth ///

/* A sheet lying on a collider of the given shape, whose top is at height 0. */
static specimen sheet_on_top(cloth_contact_mode mode, double size, const cloth_collider *collider, int settle) {
  cloth_config config = tested_config();
  config.columns = config.rows = 9;
  config.edge_warp = vector_at(size, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, size);
  config.origin = vector_at(-0.5 * size, (double)config.thickness, -0.5 * size);
  config.contact_mode = mode;
  config.max_iterations = 60;
  specimen s = specimen_make(&config);
  cloth_add_collider(s.sheet, collider);
  run_steps(s.sheet, settle, FRAME);
  return s;
}

static void test_moving_floor(cloth_contact_mode mode) {
  cloth_collider floor = shape_at(CLOTH_SHAPE_BOX, -0.1, rotation_none());
  floor.half_extents = vector_at(3.0, 0.1, 3.0);
  floor.static_friction = floor.kinetic_friction = 0.8f;
  specimen s = sheet_on_top(mode, 0.5, &floor, 30);
  point start = mean_position(&s);
  cloth_pose pose = floor.pose;
  for (int frame = 1; frame <= 60; frame++) {
    pose.position.x = (float)(0.5 * frame / 60.0);
    cloth_move_collider(s.sheet, 0, NULL, &pose);
    cloth_step(s.sheet, FRAME);
  }
  point velocity = mean_velocity(&s);
  CHECK(fabs(velocity.x - 0.5) < 0.02 && fabs(velocity.z) < 0.01, "mode %d: carried at (%g, %g, %g) m/s", (int)mode,
        velocity.x, velocity.y, velocity.z);
  /* Friction of 0.8 brings it to speed within v^2 / (2 mu g) = 0.016 m. */
  double way = mean_position(&s).x - start.x;
  CHECK(way > 0.45 && way < 0.505, "mode %d: carried %g m", (int)mode, way);
  run_steps(s.sheet, 60, FRAME); /* nobody moves the floor now */
  CHECK(fabs(mean_velocity(&s).x) < 0.01, "mode %d: goes on at %g m/s", (int)mode, mean_velocity(&s).x);
  specimen_free(&s);
}

/* The rate at which a sheet turns about an axis through a point [rad/s]. */
static double turning_rate(const specimen *s, point through, point axis) {
  double turning = 0.0, inertia = 0.0;
  for (int i = 0; i < s->count; i++) {
    point arm = point_difference(position_of(s->sheet, i), through), v = velocity_of(s->sheet, i);
    turning += point_dot(point_cross(arm, v), axis);
    inertia += point_dot(arm, arm) - point_dot(arm, axis) * point_dot(arm, axis);
  }
  return turning / inertia;
}

/* A turning disc takes a sheet on it round, at its own rate once the sheet no longer slips. */
static void test_turntable(cloth_contact_mode mode) {
  cloth_collider disc = shape_at(CLOTH_SHAPE_CYLINDER, -0.1, rotation_none());
  disc.radius = 1.0f;
  disc.half_height = 0.1f;
  specimen s = sheet_on_top(mode, 0.4, &disc, 30);
  const double rate = 1.5;
  for (int frame = 1; frame <= 60; frame++) {
    cloth_pose pose = disc.pose;
    pose.rotation = rotation_about(y_axis, rate * frame / 60.0);
    cloth_move_collider(s.sheet, 0, NULL, &pose);
    cloth_step(s.sheet, FRAME);
  }
  const point above = {0.0, 0.0, 0.0};
  double turned = turning_rate(&s, above, y_axis);
  CHECK(fabs(turned - rate) < 0.05 * rate, "mode %d: turned at %g rad/s", (int)mode, turned);
  specimen_free(&s);
}

/* A turning roller takes a sheet that lies over it round with its surface. */
static void test_roller(cloth_contact_mode mode) {
  const double rate = 1.0, radius = 0.5;
  cloth_collider roller = shape_at(CLOTH_SHAPE_CYLINDER, -radius, rotation_about(x_axis, 0.5 * acos(-1.0)));
  roller.radius = (float)radius;
  roller.half_height = 1.0f;
  specimen s = sheet_on_top(mode, 0.4, &roller, 60);
  for (int frame = 1; frame <= 24; frame++) {
    double half = 0.5 * rate * frame / 60.0, c = cos(half) * sqrt(0.5), t = sin(half) * sqrt(0.5);
    cloth_pose pose = roller.pose;
    pose.rotation.x = pose.rotation.w = (float)c; /* the roller's own rotation, then a turn about z */
    pose.rotation.y = pose.rotation.z = (float)t;
    cloth_move_collider(s.sheet, 0, NULL, &pose);
    cloth_step(s.sheet, FRAME);
  }
  double turned = turning_rate(&s, point_of(roller.pose.position), z_axis);
  CHECK(fabs(turned - rate) < 0.05 * rate, "mode %d: turned at %g rad/s", (int)mode, turned);
  specimen_free(&s);
}

static void test_carrying(void) {
  for (int mode = CLOTH_CONTACT_PROJECTION; mode <= CLOTH_CONTACT_SOLVER; mode++) {
    test_moving_floor((cloth_contact_mode)mode);
    test_turntable((cloth_contact_mode)mode);
    test_roller((cloth_contact_mode)mode);
  }
}

/// Fast bodies ///

/* A ball goes 5 m in one step through the middle of a sheet held at its corners. No particle in its way may be left
   behind it as if nothing had happened. */
static void test_fast_ball(cloth_contact_mode mode) {
  cloth_config config = tested_config();
  config.columns = config.rows = 21;
  config.origin = vector_at(-0.5, -0.5, 0.0);
  config.edge_weft = vector_at(0.0, 1.0, 0.0);
  config.contact_mode = mode;
  specimen s = specimen_make(&config);
  const int corners[] = {0, 20, 420, 440};
  for (int i = 0; i < 4; i++)
    cloth_pin(s.sheet, corners[i]);
  cloth_collider ball = shape_at(CLOTH_SHAPE_SPHERE, 0.0, rotation_none());
  ball.pose.position = vector_at(0.0, 0.0, -2.5);
  ball.radius = 0.2f;
  cloth_add_collider(s.sheet, &ball);
  unsigned char in_way[441];
  for (int i = 0; i < s.count; i++) {
    point p = position_of(s.sheet, i);
    in_way[i] = hypot(p.x, p.y) < 0.2;
  }
  ball.pose.position.z = 2.5f;
  cloth_move_collider(s.sheet, 0, NULL, &ball.pose);
  int result = cloth_step(s.sheet, FRAME);
  CHECK(result >= CLOTH_OK && (result & CLOTH_NOTE_RECOVERED) == 0 && all_finite(s.sheet), "result %d", result);
  int left_behind = 0, count = 0;
  for (int i = 0; i < s.count; i++) {
    count += in_way[i];
    left_behind += in_way[i] && position_of(s.sheet, i).z < 0.1;
  }
  CHECK(count > 40 && left_behind == 0, "mode %d: %d of %d particles were left behind", (int)mode, left_behind, count);
  double distance = least_distance(&s, &ball);
  CHECK(distance > (double)config.thickness - 1e-3, "mode %d: a particle is %g m from the ball", (int)mode, distance);
  specimen_free(&s);
}

/* A sheet that falls at 50 m/s, 0.8 m a step, on something thin or flat. */
static void test_fast_sheet(cloth_contact_mode mode, const cloth_collider *collider, const char *name) {
  cloth_config config = square_config(16, 0.5);
  config.contact_mode = mode;
  specimen s = specimen_make(&config);
  cloth_add_collider(s.sheet, collider);
  const point down = {3.0, -50.0, 1.0};
  set_velocity(&s, down);
  double lowest = HUGE_VAL;
  for (int frame = 0; frame < 60; frame++) {
    cloth_step(s.sheet, FRAME);
    for (int i = 0; i < s.count; i++)
      lowest = fmin(lowest, position_of(s.sheet, i).y);
  }
  CHECK(lowest > 0.0, "%s, mode %d: a particle went down to %g m", name, (int)mode, lowest);
  CHECK(all_finite(s.sheet), "%s: not finite", name);
  specimen_free(&s);
}

static void test_fast_things(void) {
  cloth_collider plane = shape_at(CLOTH_SHAPE_PLANE, 0.0, rotation_none());
  cloth_collider thin = shape_at(CLOTH_SHAPE_BOX, -0.005, rotation_none());
  thin.half_extents = vector_at(5.0, 0.005, 5.0);
  for (int mode = CLOTH_CONTACT_PROJECTION; mode <= CLOTH_CONTACT_SOLVER; mode++) {
    test_fast_ball((cloth_contact_mode)mode);
    test_fast_sheet((cloth_contact_mode)mode, &plane, "plane");
    test_fast_sheet((cloth_contact_mode)mode, &thin, "thin box");
  }
}

/// Reactions ///

static void add_to_impulse(const specimen *s, point *impulse) {
  cloth_reaction reaction;
  CHECK(cloth_collider_reaction(s->sheet, 0, &reaction) == CLOTH_OK, "no reaction");
  *impulse = point_sum(*impulse, point_of(reaction.impulse));
}

/* What the cloth lost in momentum, gravity's share apart, the ball got. Returns the share that is missing of it. */
static double missing_momentum(cloth_contact_mode mode, point velocity) {
  cloth_config config = square_config(16, 0.3);
  config.velocity_damping = 0.0f;
  config.contact_mode = mode;
  config.max_iterations = 100;
  config.tolerance = 1e-4f;
  specimen s = specimen_make(&config);
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = vector_at(0.1, 0.0, 0.05);
  cloth_add_collider(s.sheet, &ball);
  set_velocity(&s, velocity);
  double mass = sheet_mass(&s);
  point impulse = {0.0, 0.0, 0.0}, before = point_scaled(mean_velocity(&s), mass);
  const int frames = 30;
  for (int frame = 0; frame < frames; frame++) {
    cloth_step(s.sheet, FRAME);
    add_to_impulse(&s, &impulse);
  }
  point change = point_difference(point_scaled(mean_velocity(&s), mass), before);
  point gravity = point_scaled(point_of(config.gravity), mass * frames * (double)FRAME);
  point missing = point_difference(point_sum(change, impulse), gravity);
  CHECK(point_length(impulse) > 0.3, "mode %d: the ball hardly felt it: %g N s", (int)mode, point_length(impulse));
  CHECK(point_length(missing) < 0.025 * point_length(impulse), "mode %d: (%g, %g, %g) of %g N s missing", (int)mode,
        missing.x, missing.y, missing.z, point_length(impulse));
  specimen_free(&s);
  return point_length(missing) / point_length(impulse);
}

/* Which particles let go and when differs from fall to fall, and with it what is missing: hence the mean of many. */
static void test_momentum(cloth_contact_mode mode) {
  const int falls = 20;
  double mean = 0.0;
  for (int fall = 0; fall < falls; fall++) {
    point velocity = {0.5 + 0.02 * (fall - 10), -3.0, 0.2 - 0.014 * (fall - 10)};
    mean += missing_momentum(mode, velocity) / falls;
  }
  CHECK(mean < 0.01, "mode %d: %g of the impulse missing", (int)mode, mean);
}

/* A sheet at rest presses with its weight, at the arm of its middle about the plane's position. */
static void test_weight(cloth_contact_mode mode) {
  cloth_config config = square_config(10, 0.01);
  config.contact_mode = mode;
  config.max_iterations = 100;
  specimen s = specimen_make(&config);
  cloth_collider plane = shape_at(CLOTH_SHAPE_PLANE, 0.0, rotation_none());
  plane.pose.position = vector_at(-0.7, 0.0, 0.4);
  cloth_add_collider(s.sheet, &plane);
  run_steps(s.sheet, 60, FRAME);
  cloth_reaction reaction;
  cloth_collider_reaction(s.sheet, 0, &reaction);
  point weight = {0.0, -sheet_mass(&s) * 9.81 * (double)FRAME, 0.0};
  point torque = point_cross(point_difference(mean_position(&s), point_of(plane.pose.position)), weight);
  CHECK(point_distance(point_of(reaction.impulse), weight) < 0.01 * point_length(weight),
        "mode %d: (%g, %g, %g) N s instead of %g", (int)mode, (double)reaction.impulse.x, (double)reaction.impulse.y,
        (double)reaction.impulse.z, weight.y);
  CHECK(point_distance(point_of(reaction.torque), torque) < 0.01 * point_length(torque),
        "mode %d: torque (%g, %g, %g) instead of (%g, %g, %g)", (int)mode, (double)reaction.torque.x,
        (double)reaction.torque.y, (double)reaction.torque.z, torque.x, torque.y, torque.z);
  specimen_free(&s);
}

static void test_reactions(void) {
  for (int mode = CLOTH_CONTACT_PROJECTION; mode <= CLOTH_CONTACT_SOLVER; mode++) {
    test_momentum((cloth_contact_mode)mode);
    test_weight((cloth_contact_mode)mode);
  }
}

/// Recovery ///

/* Something no game should do, and the notes that must come of it. */
typedef struct abuse {
  const char *name;
  void (*commit)(specimen *s);
  int notes;
} abuse;

/* Puts a particle somewhere unless it is pinned: a pin goes where it is put. */
static void put_particle(specimen *s, int particle, point place, cloth_vector velocity) {
  if (cloth_freedom(s->sheet, particle) > 0)
    cloth_set_particle(s->sheet, particle, vector_of(place), velocity);
}

static void throw_particles(specimen *s) {
  for (int i = 0; i < s->count; i += 3)
    put_particle(s, i, position_of(s->sheet, i), vector_at(5e3, i % 2 == 0 ? 9e3 : -9e3, 4e3));
}

static void scatter_particles(specimen *s) {
  random_source source = {7};
  for (int i = 0; i < s->count; i++) {
    point place = {random_real(&source, -50.0, 50.0), random_real(&source, -50.0, 50.0),
                   random_real(&source, -50.0, 50.0)};
    put_particle(s, i, place, zero_vector);
  }
}

static void collapse_particles(specimen *s) {
  const point middle = {0.0, 1.0, 0.0};
  for (int i = 0; i < s->count; i++)
    put_particle(s, i, middle, zero_vector);
}

static void kick_particles(specimen *s) {
  for (int i = 0; i < s->count; i += 2)
    cloth_apply_impulse(s->sheet, i, vector_at(i % 4 == 0 ? 20.0 : -20.0, 20.0, -20.0));
}

static void drop_collider_on(specimen *s) {
  cloth_collider ball = cloth_collider_default();
  ball.radius = 2.0f;
  ball.pose.position = vector_of(mean_position(s));
  cloth_add_collider(s->sheet, &ball);
  run_steps(s->sheet, 5, FRAME);
  ball.pose.position.x += 1.0f;
  cloth_set_collider(s->sheet, 0, &ball);
  run_steps(s->sheet, 5, FRAME);
  cloth_remove_collider(s->sheet, 0);
}

static void squeeze_between_colliders(specimen *s) {
  cloth_collider box = shape_at(CLOTH_SHAPE_BOX, 0.0, rotation_none());
  box.half_extents = vector_at(1.0, 0.2, 1.0);
  box.pose.position = vector_at(0.0, mean_position(s).y + 0.1, 0.0);
  cloth_add_collider(s->sheet, &box);
  box.pose.position.y -= 0.2f;
  cloth_add_collider(s->sheet, &box);
  run_steps(s->sheet, 20, FRAME);
  cloth_remove_collider(s->sheet, 0);
  cloth_remove_collider(s->sheet, 1);
}

static void stiffen_fully(specimen *s) {
  cloth_fabric fabric = cloth_config_default().fabric;
  fabric.stretch_warp = fabric.stretch_weft = fabric.shear = 1e7f;
  fabric.stretch_damping = fabric.shear_damping = 1e4f;
  fabric.bend = 10.0f;
  fabric.compression = 1.0f;
  fabric.density = 0.001f;
  cloth_set_fabric(s->sheet, &fabric);
  run_steps(s->sheet, 30, FRAME);
  fabric = cloth_config_default().fabric;
  cloth_set_fabric(s->sheet, &fabric);
}

static void storm(specimen *s) {
  cloth_set_wind(s->sheet, vector_at(700.0, 500.0, -500.0));
  cloth_set_gravity(s->sheet, vector_at(5e3, 8e3, 0.0));
  run_steps(s->sheet, 30, FRAME);
  cloth_set_wind(s->sheet, zero_vector);
  cloth_set_gravity(s->sheet, vector_at(0.0, -9.81, 0.0));
}

/* Runs an abuse and then five seconds of peace. Returns all notes. */
static int run_abuse(const abuse *a, cloth_contact_mode mode, specimen *s) {
  cloth_config config = square_config(9, 1.0);
  config.drag = config.lift = 1.0f;
  config.velocity_damping = 2.0f;
  config.contact_mode = mode;
  *s = specimen_make(&config);
  cloth_pin(s->sheet, 0);
  cloth_pin(s->sheet, 8);
  run_steps(s->sheet, 10, FRAME);
  a->commit(s);
  int notes = 0, finite = 1;
  for (int frame = 0; frame < 300; frame++) {
    int result = cloth_step(s->sheet, FRAME);
    CHECK(result >= CLOTH_OK, "%s: %s", a->name, cloth_result_name(result));
    notes |= result;
    finite = finite && all_finite(s->sheet);
  }
  CHECK(finite, "%s: not finite", a->name);
  return notes;
}

static void expect_recovery(const abuse *a, cloth_contact_mode mode) {
  specimen s, again;
  int notes = run_abuse(a, mode, &s);
  CHECK((notes & a->notes) == a->notes, "%s: notes %d without %d", a->name, notes, a->notes);
  cloth_measures m;
  cloth_measure(s.sheet, &m);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  CHECK(st.notes == 0, "%s: still notes %d five seconds later", a->name, st.notes);
  CHECK(m.stretch_largest < 0.1f, "%s: still stretched by %g", a->name, (double)m.stretch_largest);
  CHECK(rms_speed(&s) < 0.5, "%s: still moves with %g m/s", a->name, rms_speed(&s));
  point middle = mean_position(&s);
  CHECK(fabs(middle.x) < 0.6 && middle.y > -0.1 && middle.y < 1.1, "%s: hangs at (%g, %g, %g)", a->name, middle.x,
        middle.y, middle.z);
  run_abuse(a, mode, &again);
  CHECK(same_state(&s, &again), "%s: a second run differs", a->name);
  specimen_free(&s);
  specimen_free(&again);
}

static void test_recovery(void) {
  const abuse abuses[] = {
      {"thrown particles", throw_particles, CLOTH_NOTE_SPEED_LIMITED},
      {"scattered particles", scatter_particles, 0},
      {"collapsed particles", collapse_particles, 0},
      {"kicked particles", kick_particles, CLOTH_NOTE_SPEED_LIMITED},
      {"collider on top", drop_collider_on, 0},
      {"squeezed", squeeze_between_colliders, 0},
      {"stiffened", stiffen_fully, 0},
      {"storm", storm, 0},
  };
  for (size_t i = 0; i < sizeof abuses / sizeof abuses[0]; i++) {
    expect_recovery(&abuses[i], CLOTH_CONTACT_PROJECTION);
    expect_recovery(&abuses[i], CLOTH_CONTACT_SOLVER);
  }
}

/* A sheet that flies out of the world stops at its border, and can be fetched back. */
static void test_leaving_the_world(void) {
  cloth_config config = square_config(8, 0.0);
  config.origin = vector_at(0.9999e5, 0.0, 0.0);
  config.gravity = zero_vector;
  specimen s = specimen_make(&config);
  const point outwards = {250.0, 0.0, 0.0};
  set_velocity(&s, outwards);
  int notes = run_steps(s.sheet, 30, FRAME);
  CHECK(notes > 0 && (notes & CLOTH_NOTE_RECOVERED), "notes %d", notes);
  cloth_vector low, high;
  cloth_bounds(s.sheet, &low, &high);
  CHECK(all_finite(s.sheet) && high.x <= CLOTH_POSITION_LIMIT, "got to %g m", (double)high.x);
  for (int i = 0; i < s.count; i++)
    cloth_set_particle(s.sheet, i, vector_at(i % 8 / 7.0, 0.0, i / 8 / 7.0), zero_vector);
  CHECK(run_steps(s.sheet, 60, FRAME) == CLOTH_OK, "notes after it came back");
  cloth_measures m;
  cloth_measure(s.sheet, &m);
  CHECK(m.stretch_largest < 0.01f && rms_speed(&s) < 0.01, "back home it is stretched by %g",
        (double)m.stretch_largest);
  specimen_free(&s);
}

/* Positions and velocities of a state span overwritten with garbage, as after a bad network packet. */
static void test_garbage_state(void) {
  cloth_config config = square_config(12, 1.0);
  specimen s = specimen_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_range v;
  cloth_velocities(s.sheet, &v);
  const float garbage[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f};
  unsigned char *x = s.arena + ((const unsigned char *)v.x - s.arena);
  for (int i = 1; i < s.count; i += 7)
    memcpy(x + sizeof(float) * (size_t)i, &garbage[i % 6], sizeof(float));
  int notes = cloth_step(s.sheet, FRAME);
  CHECK(notes > 0 && (notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)), "notes %d", notes);
  CHECK(all_finite(s.sheet), "not finite");
  run_steps(s.sheet, 300, FRAME);
  CHECK(all_finite(s.sheet), "not finite later");
  specimen_free(&s);
}

/// Strain limiting ///

static double spring_length(const specimen *s, int a, int b) {
  return point_distance(position_of(s->sheet, a), position_of(s->sheet, b));
}

/* The least and largest strain of the stretch springs of a square sheet of the given spacing. */
static void strain_range(const specimen *s, double spacing, double *least, double *largest) {
  *least = HUGE_VAL;
  *largest = -HUGE_VAL;
  for (int i = 0; i < s->count; i++) {
    const int other[] = {i % s->columns + 1 < s->columns ? i + 1 : i, i + s->columns < s->count ? i + s->columns : i};
    for (int k = 0; k < 2; k++) {
      if (other[k] == i)
        continue;
      double strain = spring_length(s, i, other[k]) / spacing - 1.0;
      *least = fmin(*least, strain);
      *largest = fmax(*largest, strain);
    }
  }
}

/* A curtain of soft springs, pinned along its top: without limits it sags far, with them it does not. */
static void test_limit_extension(void) {
  const double limits[] = {0.02, 0.1};
  for (int i = -1; i < 2; i++) {
    cloth_config config = square_config(5, 0.0);
    config.edge_weft = vector_at(0.0, -1.0, 0.0);
    config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = 2.0f;
    config.velocity_damping = 3.0f;
    config.limit_sweeps = i < 0 ? 0 : 64;
    config.limit_extension = i < 0 ? 0.0f : (float)limits[i];
    specimen s = specimen_make(&config);
    for (int column = 0; column < 5; column++)
      cloth_pin(s.sheet, column);
    run_steps(s.sheet, 240, FRAME);
    double least, largest;
    strain_range(&s, 0.25, &least, &largest);
    if (i < 0)
      CHECK(largest > 0.3, "without limits the largest strain is %g", largest);
    else
      CHECK(largest < limits[i] + 0.002, "limit %g: the largest strain is %g", limits[i], largest);
    CHECK(all_finite(s.sheet) && rms_speed(&s) < 0.01, "moves with %g m/s", rms_speed(&s));
    specimen_free(&s);
  }
}

/* Rows pinned on one side and pushed together: the limit on compression pushes them apart again at once. */
static void test_limit_compression(void) {
  const double limits[] = {0.01, 0.2};
  for (int i = 0; i < 2; i++) {
    cloth_config config = tested_config();
    config.columns = 4;
    config.rows = 2;
    config.edge_warp = vector_at(0.3, 0.0, 0.0);
    config.edge_weft = vector_at(0.0, 0.0, 0.1);
    config.gravity = zero_vector;
    config.limit_sweeps = 64;
    config.limit_compression = (float)limits[i];
    specimen s = specimen_make(&config);
    for (int row = 0; row < 2; row++) {
      cloth_pin(s.sheet, specimen_particle(&s, 0, row));
      for (int column = 1; column < 4; column++)
        cloth_set_particle(s.sheet, specimen_particle(&s, column, row), vector_at(0.05 * column, 0.0, 0.1 * row),
                           zero_vector);
    }
    cloth_step(s.sheet, FRAME);
    double least, largest;
    strain_range(&s, 0.1, &least, &largest);
    CHECK(least > -limits[i] - 0.005, "limit %g: the least strain is %g", limits[i], least);
    specimen_free(&s);
  }
}

/* Limits that nothing reaches change nothing. */
static void test_limits_out_of_reach(void) {
  int notes;
  cloth_config config = square_config(10, 0.3);
  config.limit_sweeps = 0;
  specimen without = run_mixed_scene(&config, 30, &notes);
  config.limit_sweeps = 16;
  config.limit_extension = 10.0f;
  config.limit_compression = 1.0f;
  specimen with = run_mixed_scene(&config, 30, &notes);
  CHECK(same_state(&without, &with), "off by %g m", largest_distance(&without, &with));
  specimen_free(&without);
  specimen_free(&with);
}

/// Maps and fabrics ///

#define MAP_SIDE 9

static void test_mass_map(void) {
  static float map[MAP_SIDE * MAP_SIDE];
  for (int i = 0; i < MAP_SIDE * MAP_SIDE; i++)
    map[i] = (float)(0.5 + 0.25 * (i % 7));
  cloth_config config = square_config(MAP_SIDE, 0.0);
  specimen plain = specimen_make(&config);
  config.mass_map = map;
  specimen mapped = specimen_make(&config);
  for (int i = 0; i < plain.count; i++) {
    double ratio = particle_mass(&mapped, i) / particle_mass(&plain, i);
    CHECK(fabs(ratio - (double)map[i]) < 1e-4, "particle %d is %g times as heavy, not %g", i, ratio, (double)map[i]);
  }
  cloth_measures light, heavy;
  cloth_apply_impulse(plain.sheet, 40, vector_at(1e-3, 0.0, 0.0));
  cloth_apply_impulse(mapped.sheet, 40, vector_at(1e-3, 0.0, 0.0));
  cloth_measure(plain.sheet, &light);
  cloth_measure(mapped.sheet, &heavy);
  CHECK(fabs((double)(heavy.kinetic_energy / light.kinetic_energy * map[40]) - 1.0) < 1e-3, "kinetic energies");
  specimen_free(&plain);
  specimen_free(&mapped);
}

/* A heavy particle in a sheet is accelerated less by its springs than its neighbours: momentum is kept all the same. */
static void test_mass_map_momentum(void) {
  static float map[MAP_SIDE * MAP_SIDE];
  for (int i = 0; i < MAP_SIDE * MAP_SIDE; i++)
    map[i] = i == 40 ? 50.0f : 1.0f;
  cloth_config config = square_config(MAP_SIDE, 0.0);
  config.gravity = zero_vector;
  config.velocity_damping = 0.0f;
  config.mass_map = map;
  config.max_iterations = 200;
  specimen s = specimen_make(&config);
  cloth_apply_impulse(s.sheet, 0, vector_at(-0.002, 0.001, -0.002));
  run_steps(s.sheet, 30, FRAME);
  point momentum = {0.0, 0.0, 0.0}, expected = {-0.002, 0.001, -0.002};
  for (int i = 0; i < s.count; i++)
    momentum = point_sum(momentum, point_scaled(velocity_of(s.sheet, i), particle_mass(&s, i)));
  CHECK(point_distance(momentum, expected) < 0.02 * point_length(expected), "momentum off by %g of %g",
        point_distance(momentum, expected), point_length(expected));
  specimen_free(&s);
}

static void test_maps_of_ones(void) {
  static float ones[12 * 12];
  for (int i = 0; i < 12 * 12; i++)
    ones[i] = 1.0f;
  int notes;
  cloth_config config = square_config(12, 0.3);
  specimen plain = run_mixed_scene(&config, 30, &notes);
  config.mass_map = config.stiffness_map = ones;
  specimen mapped = run_mixed_scene(&config, 30, &notes);
  double off = largest_distance(&plain, &mapped);
  CHECK(off < 1e-6, "maps of ones move it by %g m", off);
  specimen_free(&plain);
  specimen_free(&mapped);
}

/* One half of the sheet is soft enough for explicit springs, the other needs implicit ones. */
static void test_stiffness_map(void) {
  static float map[MAP_SIDE * MAP_SIDE];
  for (int i = 0; i < MAP_SIDE * MAP_SIDE; i++)
    map[i] = i % MAP_SIDE < MAP_SIDE / 2 ? 0.002f : 1.0f;
  cloth_config config = square_config(MAP_SIDE, 0.0);
  config.stiffness_map = map;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 3000.0f;
  config.fabric.shear = 1000.0f;
  config.substeps = 8;
  config.limit_sweeps = 0;
  config.fabric.stretch_damping = config.fabric.shear_damping = 0.0f;
  config.velocity_damping = 3.0f; /* it hangs still at the end: while it swings, a rounding decides how deep */
  specimen s = specimen_make(&config);
  for (int column = 0; column < MAP_SIDE; column++)
    cloth_pin(s.sheet, column);
  cloth_step(s.sheet, FRAME);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  for (int family = CLOTH_FAMILY_STRETCH_WARP; family <= CLOTH_FAMILY_SHEAR; family++)
    CHECK(st.mode[family] == CLOTH_MODE_MIXED, "mode of family %d is %d", family, (int)st.mode[family]);
  int notes = run_steps(s.sheet, 120, FRAME);
  CHECK(notes == CLOTH_OK && all_finite(s.sheet), "notes %d", notes);
  int soft = specimen_particle(&s, 0, MAP_SIDE - 1), stiff = specimen_particle(&s, MAP_SIDE - 1, MAP_SIDE - 1);
  double soft_sag = -position_of(s.sheet, soft).y, stiff_sag = -position_of(s.sheet, stiff).y;
  CHECK(soft_sag > stiff_sag + 0.05, "the soft side hangs %g m deep, the stiff one %g m", soft_sag, stiff_sag);
  specimen_free(&s);
}

static void test_fabrics(void) {
  cloth_fabric f[CLOTH_FABRIC_POLYESTER + 1];
  for (int kind = CLOTH_FABRIC_SILK; kind <= CLOTH_FABRIC_POLYESTER; kind++) {
    CHECK(cloth_fabric_preset((cloth_fabric_kind)kind, &f[kind]) == CLOTH_OK, "preset %d", kind);
    cloth_config config = square_config(16, 0.3);
    config.fabric = f[kind];
    int notes;
    specimen s = run_mixed_scene(&config, 120, &notes);
    CHECK(notes >= CLOTH_OK && (notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)) == 0, "preset %d: notes %d",
          kind, notes);
    CHECK(all_finite(s.sheet), "preset %d: not finite", kind);
    CHECK(f[kind].stretch_warp > f[kind].shear, "preset %d: shear stiffer than stretch", kind);
    specimen_free(&s);
  }
  const cloth_fabric *silk = &f[CLOTH_FABRIC_SILK], *cotton = &f[CLOTH_FABRIC_COTTON], *wool = &f[CLOTH_FABRIC_WOOL];
  const cloth_fabric *denim = &f[CLOTH_FABRIC_DENIM], *polyester = &f[CLOTH_FABRIC_POLYESTER];
  CHECK(silk->density < cotton->density && cotton->density < wool->density && wool->density < denim->density,
        "densities");
  CHECK(silk->bend < cotton->bend && cotton->bend < denim->bend, "bending of silk, cotton, denim");
  CHECK(polyester->bend < wool->bend && wool->bend < cotton->bend, "bending of polyester, wool, cotton");
  CHECK(cotton->stretch_warp > cotton->stretch_weft && wool->stretch_warp > wool->stretch_weft, "warp and weft");
}

/* A sheet at rest lies on a collider's margin to rounding; a thin box that then jumps up through it must take it along,
   whichever side of the margin rounding has left it on. */
static void test_resting_sheet_is_lifted(void) {
  const double heights[] = {0.0, 0.1, 0.3, 0.7, 1.3, 2.9};
  for (size_t i = 0; i < sizeof heights / sizeof heights[0]; i++) {
    cloth_config config = square_config(8, heights[i] + 0.02);
    specimen s = specimen_make(&config);
    cloth_collider box = cloth_collider_default();
    box.shape = CLOTH_SHAPE_BOX;
    box.half_extents = vector_at(1.0, 0.001, 1.0);
    box.pose.position = vector_at(0.0, heights[i], 0.0);
    int index = cloth_add_collider(s.sheet, &box);
    run_steps(s.sheet, 120, FRAME);
    cloth_pose up = box.pose;
    up.position = vector_at(0.0, heights[i] + 16.0 * (double)FRAME, 0.0);
    cloth_move_collider(s.sheet, index, NULL, &up);
    cloth_step(s.sheet, FRAME);
    int below = 0;
    for (int particle = 0; particle < s.count; particle++)
      below += position_of(s.sheet, particle).y < (double)up.position.y;
    CHECK(below == 0, "height %g: %d particles fell through", heights[i], below);
    specimen_free(&s);
  }
}

/* Springs and dampers far stiffer than four iterations can solve: a hanging sheet of 1 m must not be faster than a fall
   over its own size. */
static void test_truncated_solve_gains_nothing(void) {
  const float dampings[] = {0.05f, 100.0f, 1e4f};
  const float stiffnesses[] = {1.0f, 1000.0f, 1e6f};
  for (int i = 0; i < 9; i++) {
    cloth_config config = square_config(10, 0.0);
    config.fabric.density = 0.001f;
    config.fabric.stretch_damping = config.fabric.shear_damping = dampings[i % 3];
    config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = stiffnesses[i / 3];
    specimen s = specimen_make(&config);
    cloth_pin(s.sheet, 0);
    cloth_pin(s.sheet, 9);
    double fastest = 0.0;
    for (int frame = 0; frame < 300; frame++) {
      cloth_step(s.sheet, FRAME);
      cloth_measures m;
      cloth_measure(s.sheet, &m);
      fastest = fmax(fastest, sqrt(2.0 * (double)m.kinetic_energy / (double)config.fabric.density));
    }
    CHECK(fastest < 4.43, "damping %g, stiffness %g: %g m/s", (double)dampings[i % 3], (double)stiffnesses[i / 3],
          fastest);
    specimen_free(&s);
  }
}

/* Statistics of one step say nothing of the step before. */
static void test_iterations_are_those_of_the_last_step(void) {
  cloth_config config = square_config(8, 0.0);
  specimen s = specimen_make(&config);
  cloth_pin(s.sheet, 0);
  run_steps(s.sheet, 10, FRAME);
  cloth_fabric limp = config.fabric;
  limp.stretch_warp = limp.stretch_weft = limp.shear = limp.bend = 0.0f;
  limp.stretch_damping = limp.shear_damping = limp.bend_damping = 0.0f;
  cloth_set_fabric(s.sheet, &limp);
  cloth_step(s.sheet, FRAME);
  for (int substep = 0; substep < config.substeps; substep++)
    CHECK(cloth_substep_iterations(s.sheet, substep) == 0, "substep %d", substep);
  specimen_free(&s);
}

/* A sheet on leaning edges starts at rest. */
static void test_leaning_edges(void) {
  cloth_config config = square_config(8, 0.0);
  config.edge_weft = vector_at(0.5, 0.0, 0.8);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  specimen s = specimen_make(&config);
  run_steps(s.sheet, 10, FRAME);
  cloth_measures m;
  cloth_measure(s.sheet, &m);
  CHECK(m.kinetic_energy < 1e-9f && m.elastic_energy < 1e-9f, "energies %g and %g", (double)m.kinetic_energy,
        (double)m.elastic_energy);
  specimen_free(&s);
  config.edge_weft = config.edge_warp;
  cloth_memory memory;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_PLACEMENT, "parallel edges were taken");
}

/* Three bands of one sheet hang side by side by their upper edge and share nothing but the solver: soft springs are
   explicit there, stiffer ones implicit, the stiffest projected. Each stretches as its stiffness says. */
static void test_three_tiers_in_one_sheet(void) {
  enum { SIDE = 12 };
  static const float factors[3] = {0.05f, 0.3f, 50.0f};
  static float map[SIDE * SIDE];
  for (int i = 0; i < SIDE * SIDE; i++)
    map[i] = factors[i % SIDE / 4];
  cloth_config config = square_config(SIDE, 0.0);
  use_projection(&config);
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.projection_threshold = 1.0f;
  config.max_iterations = 20;
  config.tethers = 0;
  config.spans = 1;
  config.fold_stiffness = 0.0f;
  config.fabric.stretch_warp = 0.0f;
  config.fabric.shear = 0.0f;
  config.fabric.shear_damping = 0.0f;
  config.fabric.bend = 0.0f;
  config.fabric.bend_damping = 0.0f;
  config.velocity_damping = 3.0f;
  config.stiffness_map = map;
  specimen s = specimen_make(&config);
  for (int column = 0; column < SIDE; column++)
    cloth_pin(s.sheet, column);
  run_steps(s.sheet, 400, FRAME);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  CHECK(st.mode[CLOTH_FAMILY_STRETCH_WEFT] == CLOTH_MODE_MIXED, "mode %d", st.mode[CLOTH_FAMILY_STRETCH_WEFT]);
  CHECK(st.iterations > 0, "nothing was solved for");
  double spacing = 1.0 / (SIDE - 1), mass = 0.2 / (SIDE * SIDE), per_spring = 1000.0;
  for (int band = 0; band < 3; band++) {
    for (int row = 1; row < SIDE; row++) {
      int particle = row * SIDE + 4 * band + 1;
      double length = point_distance(position_of(s.sheet, particle), position_of(s.sheet, particle - SIDE));
      double weight = (SIDE - row) * mass * 9.81;
      double expected = weight / (per_spring * (double)factors[band]);
      double left = band == 2 ? 2e-3 * spacing : 2e-6; /* by sweeps that are few; by rounding */
      CHECK(fabs(length - spacing - expected) <= 0.03 * expected + left, "band %d, row %d: %g m longer, not %g", band,
            row, length - spacing, expected);
    }
  }
  specimen_free(&s);
}

/// Tethers ///

/* A hanging sheet of 12 x 12 that would stretch without tethers: one substep a step, no spans. Row 0 is on top. */
static specimen tethered_sheet(int tethers, int colliders) {
  cloth_config config = square_config(12, 0.0);
  use_projection(&config);
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.substeps = 1;
  config.spans = 1;
  config.velocity_damping = 3.0f;
  config.tethers = tethers;
  config.max_colliders = colliders;
  specimen s = specimen_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_pin(s.sheet, 11);
  return s;
}

static double rest_distance(int a, int b) {
  return hypot(a % 12 - b % 12, a / 12 - b / 12) / 11.0;
}

/* The largest share by which a particle is farther from a pin than the sheet reaches. */
static double beyond_reach(const specimen *s, int pin) {
  double most = -1.0;
  for (int i = 0; i < 144; i++) {
    double distance = point_length(point_difference(position_of(s->sheet, i), position_of(s->sheet, pin)));
    if (i != pin && i != 0 && i != 11)
      most = fmax(most, distance / rest_distance(i, pin) - 1.0);
  }
  return most;
}

static int tether_of(const specimen *s, int particle, int slot) {
  int32_t pin = -7;
  int result = cloth_get_tether(s->sheet, particle, slot, &pin);
  CHECK(result == CLOTH_OK, "cloth_get_tether: %s", cloth_result_name(result));
  return pin;
}

/* A sheet stretched out between four pins sags a little and comes to rest, whatever its tethers. */
static void test_rest_between_pins(void) {
  cloth_config config = cloth_config_default();
  config.columns = 20;
  config.rows = 20;
  config.edge_warp = vector_at(0.38, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.38);
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
  specimen s = specimen_make(&config);
  const int corners[] = {0, 19, 380, 399};
  for (int i = 0; i < 4; i++)
    cloth_pin(s.sheet, corners[i]);
  run_steps(s.sheet, 1200, FRAME);
  double fastest = 0.0;
  for (int i = 0; i < 400; i++)
    fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
  CHECK(fastest < 0.005, "after 20 s a particle moves at %g m/s", fastest);
  specimen_free(&s);
}

static void test_tethers_hold(void) {
  specimen held = tethered_sheet(2, 0), loose = tethered_sheet(0, 0);
  CHECK(tether_of(&held, 130, 0) == -1, "a tether before the first step");
  run_steps(held.sheet, 120, FRAME);
  run_steps(loose.sheet, 120, FRAME);
  double without = fmax(beyond_reach(&loose, 0), beyond_reach(&loose, 11));
  double with = fmax(beyond_reach(&held, 0), beyond_reach(&held, 11));
  CHECK(without > 0.04, "hangs within %g of its reach without tethers", without);
  CHECK(with < 0.25 * without, "hangs %g beyond its reach, without tethers %g", with, without);
  CHECK(tether_of(&held, 132, 0) == 0 && tether_of(&held, 132, 1) == 11, "tethers of the lower left corner: %d, %d",
        tether_of(&held, 132, 0), tether_of(&held, 132, 1));
  specimen_free(&loose);
  specimen_free(&held);
}

/* Pins that move take what hangs on them along; one that goes has its tethers go over to the other. */
static void test_tethers_follow(void) {
  specimen s = tethered_sheet(2, 0);
  run_steps(s.sheet, 60, FRAME);
  for (int frame = 0; frame < 60; frame++) {
    cloth_set_pin_velocity(s.sheet, 0, vector_at(0.0, 1.0, 0.0));
    cloth_set_pin_velocity(s.sheet, 11, vector_at(0.0, 1.0, 0.0));
    cloth_step(s.sheet, FRAME);
  }
  double lag = fmax(beyond_reach(&s, 0), beyond_reach(&s, 11));
  CHECK(lag < 0.03, "lags %g behind moving pins", lag);
  cloth_set_pin_velocity(s.sheet, 0, vector_at(0.0, 0.0, 0.0));
  cloth_set_pin_velocity(s.sheet, 11, vector_at(0.0, 0.0, 0.0));
  cloth_release(s.sheet, 0);
  run_steps(s.sheet, 120, FRAME);
  CHECK(tether_of(&s, 132, 0) == 11, "tied to particle %d when only 11 is pinned", tether_of(&s, 132, 0));
  CHECK(beyond_reach(&s, 11) < 0.03, "hangs %g beyond the reach of the one pin", beyond_reach(&s, 11));
  CHECK(position_of(s.sheet, 0).y < 0.9, "the released corner stays at %g", position_of(s.sheet, 0).y);
  specimen_free(&s);
}

/* Over a bar between the pins and the hem: the straight ways go through the bar, the sheet may not. */
static void test_tethers_around_bodies(void) {
  specimen s = tethered_sheet(2, 1);
  cloth_collider bar = cloth_collider_default();
  bar.shape = CLOTH_SHAPE_CAPSULE;
  bar.radius = bar.radius_top = 0.15f;
  bar.half_height = 1.0f;
  bar.pose.position = vector_at(0.0, -0.5, -0.7);
  bar.pose.rotation.z = bar.pose.rotation.w = 0.70710678f;
  CHECK(cloth_add_collider(s.sheet, &bar) == 0, "no bar");
  double deepest = 1.0;
  for (int frame = 0; frame < 180; frame++) {
    cloth_pose pose = bar.pose;
    pose.position.z = fminf(-0.7f + 0.005f * (float)frame, -0.2f);
    cloth_move_collider(s.sheet, 0, NULL, &pose);
    cloth_step(s.sheet, FRAME);
    for (int i = 12; i < 144; i++) {
      point p = position_of(s.sheet, i);
      deepest = fmin(deepest, hypot(p.y + 0.5, p.z - (double)pose.position.z) - 0.15);
    }
  }
  CHECK(deepest > 0.0, "%g m deep in the bar", -deepest);
  specimen_free(&s);
}

static void test_tethers_set(void) {
  specimen s = tethered_sheet(1, 0);
  CHECK(cloth_set_tether(s.sheet, 143, 0, 0) == CLOTH_OK, "cloth_set_tether");
  run_steps(s.sheet, 30, FRAME);
  CHECK(tether_of(&s, 143, 0) == 0 && tether_of(&s, 142, 0) == 11, "set %d, beside it %d", tether_of(&s, 143, 0),
        tether_of(&s, 142, 0));
  cloth_pin(s.sheet, 72);
  run_steps(s.sheet, 1, FRAME);
  CHECK(tether_of(&s, 84, 0) == 0, "chosen anew although set: %d", tether_of(&s, 84, 0));
  cloth_release(s.sheet, 0);
  CHECK(tether_of(&s, 143, 0) == -1, "tied to a released pin: %d", tether_of(&s, 143, 0));
  CHECK(cloth_set_tether(s.sheet, 142, 0, -1) == CLOTH_OK && tether_of(&s, 142, 0) == -1, "a tether taken off");
  CHECK(cloth_choose_tethers(s.sheet) == CLOTH_OK, "cloth_choose_tethers");
  run_steps(s.sheet, 1, FRAME);
  CHECK(tether_of(&s, 84, 0) == 72 && tether_of(&s, 143, 0) == 11, "chosen anew: %d, %d", tether_of(&s, 84, 0),
        tether_of(&s, 143, 0));
  CHECK(cloth_set_tether(s.sheet, 5, 1, 11) == CLOTH_ERROR_PROJECTION, "a slot that is not there");
  CHECK(cloth_set_tether(s.sheet, 5, -1, 11) == CLOTH_ERROR_PROJECTION, "slot -1");
  CHECK(cloth_set_tether(s.sheet, 5, 0, 6) == CLOTH_ERROR_NOT_PINNED, "tied to a free particle");
  CHECK(cloth_set_tether(s.sheet, 5, 0, 144) == CLOTH_ERROR_PARTICLE, "tied to no particle");
  CHECK(cloth_set_tether(s.sheet, -1, 0, 11) == CLOTH_ERROR_PARTICLE, "no particle tied");
  specimen_free(&s);
}

/// Tubes ///

/* Ways in which a tube's springs may be integrated. */
enum { TUBE_EXPLICIT, TUBE_IMPLICIT, TUBE_LIMITED, TUBE_PROJECTED, TUBE_DEFAULT, TUBE_SCHEMES };

/* Stiff folds would buckle a ring that nothing holds out, and make much of roundings. */
static void use_scheme(cloth_config *config, int scheme) {
  if (scheme <= TUBE_LIMITED) {
    use_two_tiers(config);
    config->fold_stiffness = 1.0f;
  } else if (scheme == TUBE_PROJECTED) {
    use_projection(config);
  }
  if (scheme == TUBE_EXPLICIT) {
    config->integration = CLOTH_INTEGRATION_EXPLICIT_ONLY;
    config->fabric.stretch_warp = config->fabric.stretch_weft = 100.0f;
    config->fabric.shear = 40.0f;
    config->limit_sweeps = 0;
    config->substeps = 0;
    config->max_substeps = 100;
  } else if (scheme == TUBE_IMPLICIT) {
    config->limit_sweeps = 0;
    config->max_iterations = 100;
    config->tolerance = 1e-4f;
    config->substeps = 4;
  }
}

/* Of the tube at rest, 1 m around. */
static double tube_radius(int columns) {
  return 0.5 / columns / sin(acos(-1.0) / columns);
}

/* A tube that hangs down from a ring, 1 m around and 0.5 m long, and comes to rest soon. Its axis is the y axis, so
   that all columns are rounded alike. */
static cloth_config tube_config(int columns, int rows, int scheme) {
  cloth_config config = cloth_config_default();
  use_scheme(&config, scheme);
  config.wrap = 1;
  config.columns = columns;
  config.rows = rows;
  config.origin = vector_at(0.0, 0.25, -tube_radius(columns));
  config.edge_warp = vector_at(1.0, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -0.5, 0.0);
  config.velocity_damping = 8.0f;
  config.drag = 0.5f;
  config.normal_drag = 0.5f;
  config.max_colliders = 1;
  return config;
}

static void pin_ring(const specimen *s) {
  for (int column = 0; column < s->columns; column++)
    cloth_pin(s->sheet, column);
}

/* A point of a column as it would be in column 0. */
static point as_column_0(const specimen *s, point p, int column) {
  double angle = 2.0 * acos(-1.0) * column / s->columns;
  point turned = {p.x * cos(angle) + p.z * sin(angle), p.y, p.z * cos(angle) - p.x * sin(angle)};
  return turned;
}

/* How far a particle is, at most, from where all columns together would have it. */
static double asymmetry(const specimen *s) {
  double most = 0.0;
  for (int first = 0; first < s->count; first += s->columns) {
    point mean = {0.0, 0.0, 0.0};
    for (int k = 0; k < s->columns; k++)
      mean = point_sum(mean, point_scaled(as_column_0(s, position_of(s->sheet, first + k), k), 1.0 / s->columns));
    for (int k = 0; k < s->columns; k++)
      most = fmax(most, point_distance(as_column_0(s, position_of(s->sheet, first + k), k), mean));
  }
  return most;
}

/* The ring widens and turns, and all of the tube follows alike. */
static void test_tube_symmetry(int columns, int scheme) {
  cloth_config config = tube_config(columns, 12, scheme);
  specimen s = specimen_make(&config);
  double most = asymmetry(&s), radius = tube_radius(columns);
  CHECK(most < 1e-6, "%d columns start with %g m of asymmetry", columns, most);
  pin_ring(&s);
  for (int frame = 0; frame < 60; frame++) {
    for (int column = 0; column < columns; column++) {
      point p = position_of(s.sheet, column), out = {p.x, 0.0, p.z}, aside = {p.z, 0.0, -p.x};
      point v = point_scaled(point_sum(point_scaled(out, 0.05), point_scaled(aside, 0.2)), fmin(0.05 * frame, 1.0));
      cloth_set_pin_velocity(s.sheet, column, vector_of(v));
    }
    int result = cloth_step(s.sheet, FRAME);
    CHECK(result >= CLOTH_OK && !(result & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)), "step gave %d", result);
    most = fmax(most, asymmetry(&s));
  }
  point top = as_column_0(&s, position_of(s.sheet, 0), 0), hem = as_column_0(&s, position_of(s.sheet, 11 * columns), 0);
  CHECK(hypot(top.x, top.z) > 1.02 * radius && hypot(hem.x, hem.z) > 0.99 * radius, "a ring of %g m, a hem of %g m",
        hypot(top.x, top.z), hypot(hem.x, hem.z));
  CHECK(hem.y < -0.22 && hem.y > -0.32, "scheme %d: the hem is at %g m", scheme, hem.y);
  CHECK(most < 1e-5, "scheme %d, %d columns: %g m of asymmetry", scheme, columns, most);
  specimen_free(&s);
}

/* A tube whose particles are where those of `like` start, `shift` columns further round. */
static specimen shifted_tube(const cloth_config *like, int shift) {
  cloth_config config = *like;
  specimen s = specimen_make(&config);
  cloth_vector *places = (cloth_vector *)malloc((size_t)s.count * sizeof *places);
  for (int i = 0; places != NULL && i < s.count; i++) {
    int from = i - i % s.columns + (i + shift) % s.columns;
    places[i] = vector_of(position_of(s.sheet, from));
  }
  specimen_free(&s);
  config.positions = places;
  s = specimen_make(&config);
  free(places);
  return s;
}

/* A ball pushes into the side of a tube, and gravity pulls aside: that the seam is elsewhere makes no difference. */
static void test_tube_seam(int columns, int scheme) {
  enum { TUBES = 3 };
  cloth_config config = tube_config(columns, 12, scheme);
  config.gravity = vector_at(1.0, -9.0, 2.0);
  config.fold_stiffness = 100.0f; /* dents are wide and come slowly */
  const int shifts[TUBES] = {0, 1, columns / 2};
  specimen tubes[TUBES];
  cloth_collider ball = cloth_collider_default();
  ball.radius = 0.08f;
  ball.static_friction = ball.kinetic_friction = 0.0f;
  ball.pose.position = vector_at(0.01, 0.0, -0.28);
  for (int n = 0; n < TUBES; n++) {
    tubes[n] = shifted_tube(&config, shifts[n]);
    pin_ring(&tubes[n]);
    cloth_add_collider(tubes[n].sheet, &ball);
  }
  double most = 0.0;
  cloth_statistics st;
  for (int frame = 0; frame < 40; frame++) {
    cloth_pose pose = ball.pose;
    pose.position.z += 0.002f * (float)frame;
    for (int n = 0; n < TUBES; n++) {
      cloth_move_collider(tubes[n].sheet, 0, NULL, &pose);
      CHECK(cloth_step(tubes[n].sheet, FRAME) >= CLOTH_OK, "a step");
    }
    for (int i = 0; i < tubes[0].count; i++) {
      for (int n = 1; n < TUBES; n++) {
        int other = i - i % columns + (i - shifts[n] + columns) % columns;
        most = fmax(most, point_distance(position_of(tubes[0].sheet, i), position_of(tubes[n].sheet, other)));
      }
    }
  }
  cloth_get_statistics(tubes[0].sheet, &st);
  CHECK(st.contacts > 0, "scheme %d: the ball does not touch", scheme);
  CHECK(most < 1e-5, "scheme %d, %d columns: %g m between seams", scheme, columns, most);
  for (int n = 0; n < TUBES; n++)
    specimen_free(&tubes[n]);
}

/* A crumpled tube with maps, `shift` columns further round, after a step. */
static specimen crumpled_tube(int columns, int scheme, int shift) {
  enum { ROWS = 11, MOST = 32 * ROWS };
  random_source source = {(uint64_t)columns};
  cloth_config config = tube_config(columns, ROWS, scheme);
  cloth_vector places[MOST], velocities[MOST];
  float masses[MOST], stiffness[MOST];
  specimen s = specimen_make(&config);
  for (int i = 0; i < s.count; i++) {
    int to = i - i % columns + (i % columns + shift) % columns;
    point p = position_of(s.sheet, i);
    places[to] = vector_at(p.x + random_real(&source, -0.01, 0.01), p.y + random_real(&source, -0.01, 0.01),
                           p.z + random_real(&source, -0.01, 0.01));
    velocities[to] = vector_at(random_real(&source, -1.0, 1.0), random_real(&source, -1.0, 1.0), 0.5);
    masses[to] = (float)random_real(&source, 0.5, 2.0);
    stiffness[to] = (float)random_real(&source, 0.5, 2.0);
  }
  specimen_free(&s);
  config.positions = places;
  config.mass_map = masses;
  config.stiffness_map = stiffness;
  s = specimen_make(&config);
  for (int i = 0; i < s.count; i++)
    cloth_set_particle(s.sheet, i, places[i], velocities[i]);
  cloth_pin(s.sheet, shift % columns);
  cloth_pin(s.sheet, 3 * columns + (columns - 1 + shift) % columns);
  CHECK(cloth_step(s.sheet, 0.1f * FRAME) >= CLOTH_OK, "scheme %d: a step", scheme);
  return s;
}

/* However crumpled a tube is, after a step no particle tells where the seam was. */
static void test_tube_step(int columns, int scheme) {
  specimen s = crumpled_tube(columns, scheme, 0);
  for (int shift = 1; shift < columns; shift += 1 + columns / 6) {
    specimen t = crumpled_tube(columns, scheme, shift);
    double most = 0.0;
    for (int i = 0; i < s.count; i++) {
      int to = i - i % columns + (i % columns + shift) % columns;
      most = fmax(most, point_distance(position_of(s.sheet, i), position_of(t.sheet, to)));
    }
    specimen_free(&t);
  }
  specimen_free(&s);
}

/* Every preconditioner solves a tube, and coarser grids in fewer iterations. */
static void test_tube_solves(void) {
  int iterations[CLOTH_PRECONDITIONER_MULTILEVEL + 1];
  for (int p = 0; p <= CLOTH_PRECONDITIONER_MULTILEVEL; p++) {
    cloth_config config = tube_config(32, 32, TUBE_IMPLICIT);
    config.preconditioner = (cloth_preconditioner)p;
    config.max_iterations = 400;
    config.tolerance = 1e-3f;
    config.substeps = 2;
    specimen s = specimen_make(&config);
    cloth_statistics st;
    pin_ring(&s);
    iterations[p] = 0;
    for (int frame = 0; frame < 20; frame++) {
      CHECK(cloth_step(s.sheet, FRAME) == CLOTH_OK, "a step");
      cloth_get_statistics(s.sheet, &st);
      CHECK(st.substeps_capped == 0 && st.residual <= 1.01e-3f, "preconditioner %d: %d capped, a residual of %g", p,
            st.substeps_capped, (double)st.residual);
      iterations[p] += st.iterations;
    }
    specimen_free(&s);
  }
  CHECK(3 * iterations[CLOTH_PRECONDITIONER_MULTILEVEL] < 2 * iterations[CLOTH_PRECONDITIONER_BLOCK] &&
            iterations[CLOTH_PRECONDITIONER_BLOCK] <= iterations[CLOTH_PRECONDITIONER_NONE],
        "%d iterations with blocks, %d with coarser grids, %d without either", iterations[CLOTH_PRECONDITIONER_BLOCK],
        iterations[CLOTH_PRECONDITIONER_MULTILEVEL], iterations[CLOTH_PRECONDITIONER_NONE]);
}

/* Where a loop of 2 m around a bar of radius 0.1 m is, so far from its top. */
static point loop_place(double way) {
  const double radius = 0.1, quarter = 0.5 * acos(-1.0) * radius, side = way < 0.0 ? -1.0 : 1.0;
  double down = fmax(fabs(way) - quarter, 0.0), left = fmin((1.0 - fabs(way)) / radius, 1.0);
  point round = {radius * sin(way / radius), radius * cos(way / radius), 0.0};
  point straight = {side * radius * left, -down, 0.0};
  return fabs(way) < quarter ? round : straight;
}

/* The mean strain, and the largest, of the warp springs of a belt, or of a strip as long, that hangs over a bar. */
static void hang_over_bar(int wrap, int scheme, double *mean, double *largest) {
  enum { CELLS = 40, ROWS = 9, MOST = (CELLS + 1) * ROWS };
  cloth_config config = cloth_config_default();
  cloth_vector places[MOST];
  use_scheme(&config, scheme);
  config.wrap = wrap;
  config.columns = wrap ? CELLS : CELLS + 1;
  config.rows = ROWS;
  config.edge_warp = vector_at(2.0, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.4);
  config.velocity_damping = 2.0f;
  config.max_colliders = 1;
  for (int i = 0; i < config.columns * ROWS; i++) {
    point p = loop_place(2.0 * (i % config.columns) / CELLS - 1.0);
    p.z = 0.05 * (i / config.columns) - 0.2;
    places[i] = vector_of(p);
  }
  config.positions = places;
  specimen s = specimen_make(&config);
  cloth_collider bar = cloth_collider_default();
  bar.shape = CLOTH_SHAPE_CAPSULE;
  bar.radius = bar.radius_top = 0.09f;
  bar.half_height = 1.0f;
  bar.pose.rotation = rotation_about((point){1.0, 0.0, 0.0}, 0.5 * acos(-1.0));
  bar.static_friction = bar.kinetic_friction = 1.0f;
  cloth_add_collider(s.sheet, &bar);
  CHECK(run_steps(s.sheet, 150, FRAME) >= CLOTH_OK, "belt");
  *mean = *largest = 0.0;
  for (int i = 0; i < CELLS * ROWS; i++) {
    int row = i / CELLS, column = i % CELLS;
    point from = position_of(s.sheet, specimen_particle(&s, column, row));
    point to = position_of(s.sheet, specimen_particle(&s, (column + 1) % s.columns, row));
    double strain = 0.5 * CELLS * point_distance(from, to) - 1.0;
    *mean += fmax(strain, 0.0) / (CELLS * ROWS);
    *largest = fmax(*largest, strain);
  }
  specimen_free(&s);
}

static void test_belt(int scheme) {
  double mean, largest, strip, strip_largest;
  hang_over_bar(1, scheme, &mean, &largest);
  hang_over_bar(0, scheme, &strip, &strip_largest);
  CHECK(mean < 2.5 * strip + 1e-3 && mean > 0.25 * strip, "scheme %d: a belt stretches by %g, a strip by %g", scheme,
        mean, strip);
  CHECK(largest < 2.5 * strip_largest + 5e-3, "scheme %d: at most by %g, a strip by %g", scheme, largest,
        strip_largest);
}

/* The nearest pin may be nearer by way of the seam, and a tether there is only so long. */
/* A tube gathered at its waist comes to rest like a sheet, and what it says of its velocity is what it does. */
static void test_gathered_tube_rests(void) {
  cloth_config config = cloth_config_default();
  config.wrap = 1;
  config.columns = 30;
  config.rows = 12;
  config.edge_warp = vector_at(1.3, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -0.46, 0.0);
  config.substeps = 8;
  config.fine_sweeps = 2;
  config.extrapolation = 0.8f;
  config.velocity_damping = 0.5f;
  config.sleep_speed = 0.05f;
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
  specimen s = specimen_make(&config);
  for (int i = 0; i < s.count; i++) {
    point p = position_of(s.sheet, i);
    cloth_set_particle(s.sheet, i, vector_at(0.75 * p.x, p.y, 0.75 * p.z), vector_at(0.0, 0.0, 0.0));
    if (i < 30)
      cloth_pin(s.sheet, i);
  }
  int step = 0;
  while (step < 1800 && cloth_is_asleep(s.sheet) == 0) {
    cloth_step(s.sheet, FRAME);
    step++;
  }
  CHECK(cloth_is_asleep(s.sheet) == 1, "awake after %d steps", step);
  specimen_free(&s);
}

static void test_tube_tethers(void) {
  cloth_config config = tube_config(12, 5, TUBE_PROJECTED);
  config.tethers = 1;
  specimen s = specimen_make(&config);
  const int pins[] = {1, 6};
  cloth_pin(s.sheet, pins[0]);
  cloth_pin(s.sheet, pins[1]);
  run_steps(s.sheet, 1, FRAME);
  for (int i = 0; i < s.count; i++) {
    int near_first = abs((i % 12 - 1 + 18) % 12 - 6), near_second = abs((i % 12 - 6 + 18) % 12 - 6);
    int expected = near_first < near_second ? pins[0] : pins[1], pin = tether_of(&s, i, 0);
    CHECK(pin == expected || near_first == near_second, "particle %d is tied to %d", i, pin);
  }
  run_steps(s.sheet, 60, FRAME);
  double way = point_distance(position_of(s.sheet, 11 + 4 * 12), position_of(s.sheet, 1));
  CHECK(way < 1.01 * hypot(0.5, 2.0 * 1.0 / 12.0), "%g m from its pin", way);
  specimen_free(&s);
}

/* Measures go round: a tube widened by a tenth has all its warp springs stretched by that. */
static void test_tube_measures(void) {
  cloth_config config = tube_config(16, 9, TUBE_IMPLICIT);
  specimen s = specimen_make(&config);
  cloth_measures m;
  CHECK(cloth_measure(s.sheet, &m) == CLOTH_OK && fabs((double)m.stretch_largest) < 1e-5, "measures of a tube at rest");
  for (int i = 0; i < s.count; i++) {
    point p = position_of(s.sheet, i), wide = {1.1 * p.x, p.y, 1.1 * p.z};
    cloth_set_particle(s.sheet, i, vector_of(wide), vector_at(0.0, 0.0, 0.0));
  }
  cloth_measure(s.sheet, &m);
  double share = 16.0 * 9.0 / (16.0 * 9.0 + 16.0 * 8.0);
  CHECK(fabs((double)m.stretch_largest - 0.1) < 1e-5, "largest strain %g", (double)m.stretch_largest);
  CHECK(fabs((double)m.stretch_rms - 0.1 * sqrt(share)) < 1e-5, "root mean square %g", (double)m.stretch_rms);
  double mass = particle_mass(&s, 40) * s.count;
  CHECK(fabs(mass - 0.1) < 1e-4, "0.5 m^2 of 0.2 kg/m^2 are %g kg", mass);
  specimen_free(&s);
}

static void test_tubes(void) {
  for (int scheme = 0; scheme < TUBE_SCHEMES; scheme++) {
    test_tube_symmetry(16, scheme);
    test_tube_symmetry(21, scheme);
    test_tube_symmetry(5, scheme);
    test_tube_seam(16, scheme);
    test_tube_seam(21, scheme);
    test_tube_step(16, scheme);
    test_tube_step(9, scheme);
    test_tube_step(5, scheme);
    test_belt(scheme);
  }
  test_tube_solves();
  test_tube_tethers();
  test_gathered_tube_rests();
  test_tube_measures();
}

int main(void) {
  test_resting_sheet_is_lifted();
  test_truncated_solve_gains_nothing();
  test_iterations_are_those_of_the_last_step();
  test_leaning_edges();
  test_pin_holds();
  test_pin_velocity();
  test_pin_target();
  test_release();
  test_confinement();
  test_preconditioners();
  test_warm_start();
  test_combinations();
  test_explicit_agrees();
  test_explicit_fallback();
  test_explicit_refusal();
  test_bend_softened();
  test_free_fall();
  test_rest_in_mode(CLOTH_CONTACT_PROJECTION);
  test_rest_in_mode(CLOTH_CONTACT_SOLVER);
  test_incline();
  test_carrying();
  test_fast_things();
  test_reactions();
  test_recovery();
  test_leaving_the_world();
  test_garbage_state();
  test_limit_extension();
  test_limit_compression();
  test_limits_out_of_reach();
  test_mass_map();
  test_mass_map_momentum();
  test_maps_of_ones();
  test_stiffness_map();
  test_three_tiers_in_one_sheet();
  test_fabrics();
  test_rest_between_pins();
  test_tethers_hold();
  test_tethers_follow();
  test_tethers_around_bodies();
  test_tethers_set();
  test_tubes();
  return check_report();
}
