/*
 * Runs fixed scenes and prints hashes of all that comes out of them: the same lines on every machine, from every
 * compiler, at every optimisation level. tests/matrix.sh runs it on many of them and compares. Needs nothing but a
 * board, see port/boards/board.h.
 *
 * The scratch is filled before every step: with what the scene before has left in the arena, then with other bytes.
 *
 * MATRIX_SMALL  only the scenes that fit a machine with 48 KB of memory
 * MATRIX_FLUSH  subnormal numbers are flushed to zero; no scene may notice
 * MATRIX_TRACE  a line for every stage of every substep as well; with CLOTH_PORT naming matrix_port.h
 *
 * Whatever enters a scene is a constant or made of few exact operations, so that nothing depends on a library's sine.
 */
#ifdef MATRIX_SMALL
#include "../cloth.c"
#else
#include "../examples/methods/methods.c"

#include "../examples/methods/contact/ccd.h"
#include "../examples/methods/isometric_rows.h"
#endif

#include "../port/boards/board.h"
#include "schemes.h"

#ifndef CLOTH_LANES_NAME
#define CLOTH_LANES_NAME "scalar"
#endif

#define FRAME_SECONDS (1.0f / 32.0f)
#define SMALL_FRAMES 6
#define FULL_FRAMES 4

#ifdef MATRIX_SMALL
#define ARENA_BYTES 38912
#define BUFFER_BYTES 5120
#define PARTICLES_MOST 36
#else
#define ARENA_BYTES 294912
#define BUFFER_BYTES 16384
#define PARTICLES_MOST 289
#endif

static unsigned char arena[ARENA_BYTES] __attribute__((aligned(CLOTH_ALIGNMENT)));
/* Saves, images and vertices. */
static unsigned char buffer[BUFFER_BYTES] __attribute__((aligned(4)));
static float mass_map[PARTICLES_MOST], stiffness_map[PARTICLES_MOST];

/* Of the scene that is running. */
static const char *scene_set, *scene_name;
static int scene_is_plain; /* 1: it begins with the default config */
static int scene_frame;
static cloth_config scene_config;
static cloth_memory scene_memory;
static uint64_t scene_hash;

static int failures;

/// Lines of text ///

static char line[120];
static int line_length;

static void put_text(const char *text) {
  while (*text != '\0' && line_length < (int)sizeof line - 2)
    line[line_length++] = *text++;
}

static void put_hash(uint64_t hash) {
  char digits[17];
  for (int i = 0; i < 16; i++)
    digits[i] = "0123456789abcdef"[(hash >> (60 - 4 * i)) & 15u];
  digits[16] = '\0';
  put_text(digits);
}

static void put_number(int number) {
  char digits[12];
  int first = 11;
  unsigned rest = number < 0 ? 0u - (unsigned)number : (unsigned)number;
  digits[first] = '\0';
  do {
    digits[--first] = (char)('0' + rest % 10u);
    rest /= 10u;
  } while (rest != 0);
  if (number < 0) digits[--first] = '-';
  put_text(digits + first);
}

static void put_scene(void) {
  put_text(scene_set);
  put_text("/");
  put_text(scene_name);
}

static void end_line(void) {
  line[line_length] = '\n';
  line[line_length + 1] = '\0';
  board_print(line);
  line_length = 0;
}

static void fail(const char *reason) {
  failures++;
  put_text("failed ");
  put_scene();
  put_text(" frame ");
  put_number(scene_frame);
  put_text(": ");
  put_text(reason);
  end_line();
}

/// Hashes ///

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* FNV-1a over the bytes of a value, lowest first whatever the machine's order. */
static uint64_t folded(uint64_t hash, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    hash = (hash ^ ((value >> (8 * i)) & 255u)) * UINT64_C(0x100000001b3);
  return hash;
}

static void fold(uint64_t value, int bytes) {
  scene_hash = folded(scene_hash, value, bytes);
}

static void fold_float(float value) {
  fold(float_to_bits(value).bits, 4);
}

static void fold_vector(cloth_vector v) {
  fold_float(v.x);
  fold_float(v.y);
  fold_float(v.z);
}

/* What a call returned counts too; an error fails the scene. */
static int checked(int result) {
  if (result < 0) fail(cloth_result_name(result));
  fold((uint32_t)result, 4);
  return result;
}

static void fold_state(const cloth *sheet) {
  uint64_t hash = 0;
  checked(cloth_hash(sheet, &hash));
  fold(hash, 8);
  fold(cloth_hash_fold(hash), 4);
}

/// The machine's floating point ///

/* SSE remembers whether a result or an operand was subnormal. The library promises that none is. */
#if defined(__SSE__)
#define CONTROL_SUBNORMALS_SEEN 0x12u
#define CONTROL_FLAGS 0x3fu

static unsigned control_word(void) {
  unsigned control;
  __asm__ volatile("stmxcsr %0" : "=m"(control));
  return control;
}

static void set_control_word(unsigned control) {
  __asm__ volatile("ldmxcsr %0" : : "m"(control));
}
#endif

static void forget_subnormals(void) {
#if defined(__SSE__)
  set_control_word(control_word() & ~CONTROL_FLAGS);
#endif
}

static int subnormals_seen(void) {
#if defined(__SSE__)
  return (control_word() & CONTROL_SUBNORMALS_SEEN) != 0;
#else
  return 0;
#endif
}

static void flush_subnormals(void) {
#if defined(MATRIX_FLUSH) && defined(__SSE__)
  set_control_word(0x9fc0u); /* results and operands; exceptions masked */
#elif defined(MATRIX_FLUSH) && defined(__aarch64__)
  uint64_t control = UINT64_C(1) << 24;
  __asm__ volatile("msr fpcr, %0" : : "r"(control));
#elif defined(MATRIX_FLUSH)
#error "not known how to flush subnormal numbers here"
#endif
}

/// Configurations ///

/* Every scene starts from this: a sheet of 1 m x 1 m, flat, small in memory and work. */
static void configure(int columns, int rows) {
  scene_config = cloth_config_default();
  if (!scene_is_plain) {
    use_two_tiers(&scene_config);
    scene_config.substeps = 3;
    scene_config.integration.max_substeps = 8;
  }
  scene_config.columns = columns;
  scene_config.rows = rows;
  scene_config.origin = vector(-0.5f, 0.0f, -0.5f);
  scene_config.max_colliders = !scene_is_plain; /* plain scenes that have one ask for it */
  scene_config.capacity.max_confined = 2;
  scene_config.capacity.max_contacts = 12;
}

static void upright(cloth_config *config) {
  config->origin = vector(-0.5f, 0.5f, 0.0f);
  config->edge_weft = vector(0.0f, -1.0f, 0.0f);
}

static void windy(cloth_config *config) {
  cloth_fabric_preset(CLOTH_FABRIC_SILK, &config->fabric);
  config->wind = vector(6.0f, 0.5f, 3.0f);
  config->air.drag = 1.25f;
  config->air.lift = 0.5f;
}

static void uneven(cloth_config *config) {
  for (int row = 0; row < config->rows; row++) {
    for (int column = 0; column < config->columns; column++) {
      int particle = row * config->columns + column;
      mass_map[particle] = 0.25f * (float)(1 + (column + 2 * row) % 7);
      stiffness_map[particle] = 0.125f * (float)((3 * column + row) % 20);
    }
  }
  config->grid.mass_map = mass_map;
  config->grid.stiffness_map = stiffness_map;
  config->fabric.stretch_weft = 60.0f;
  config->fabric.shear = 4.0f;
}

static void diagonal(cloth_config *config) {
  config->solver.preconditioner = CLOTH_PRECONDITIONER_DIAGONAL;
}

static void unconditioned(cloth_config *config) {
  config->solver.preconditioner = CLOTH_PRECONDITIONER_NONE;
}

static void multilevel(cloth_config *config) {
  config->solver.preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL;
}

/* Multilevel, unless the contacts are many. */
static void chosen(cloth_config *config) {
  config->solver.preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL;
  config->solver.max_iterations = 10;
}

static void capped(cloth_config *config) {
  config->solver.max_iterations = 1;
}

static void converged(cloth_config *config) {
  config->solver.max_iterations = 60;
  config->solver.tolerance = 1e-4f;
}

static void warm(cloth_config *config) {
  config->solver.max_iterations = 60;
  config->solver.tolerance = 1e-2f;
  config->fabric.stretch_warp = 200.0f;
}

static void contact_in_solver(cloth_config *config) {
  config->solver.max_iterations = 30;
}

static void implicit(cloth_config *config) {
  config->integration.method = CLOTH_INTEGRATION_IMPLICIT;
  config->fabric.bend = 1e-3f;
}

static void explicit_too_stiff(cloth_config *config) {
  config->integration.method = CLOTH_INTEGRATION_EXPLICIT;
  config->fabric.shear = 20.0f;
}

static void explicit_only(cloth_config *config) {
  config->integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config->substeps = CLOTH_AUTOMATIC;
  config->integration.max_substeps = 64;
  config->fabric.stretch_warp = 20.0f;
  config->fabric.stretch_weft = 15.0f;
  config->fabric.shear = 6.0f;
}

static void stiff_bending(cloth_config *config) {
  cloth_fabric_preset(CLOTH_FABRIC_DENIM, &config->fabric);
  config->fabric.bend = 2e-2f;
  config->fabric.compression = 0.25f;
}

static void limited(cloth_config *config) {
  config->gravity = vector(1.0f, -30.0f, 2.0f);
  config->fabric.stretch_warp = 100.0f;
  config->strain_limit.max_extension = 0.01f;
  config->fabric.compression = 0.0f;
}

static void slow(cloth_config *config) {
  config->integration.max_speed = 0.5f;
  config->thickness = 0.0f;
  config->fabric.shear = 0.0f;
  config->fabric.shear_damping = 0.0f;
}

/* Untouched but for the room. */
static void by_default(cloth_config *config) {
  cloth_config untouched = cloth_config_default();
  untouched.columns = config->columns;
  untouched.rows = config->rows;
  untouched.origin = config->origin;
  untouched.max_colliders = config->max_colliders;
  untouched.capacity.max_confined = config->capacity.max_confined;
  *config = untouched;
}

/* Everything that takes no map by projection. */
static void projected(cloth_config *config) {
  config->integration.bdf2_blend = 0.75f;
  config->tethers.count = 2;
  config->tethers.scale = 0.98f;
  config->fabric.shear_compression = 0.5f;
}

static void projected_in_wind(cloth_config *config) {
  windy(config);
  projected(config);
  config->air.normal_drag = 0.75f;
}

static void projected_upright(cloth_config *config) {
  upright(config);
  projected(config);
}

/* All three tiers in one sheet. */
static void in_tiers(cloth_config *config) {
  uneven(config);
  config->integration.explicit_threshold = 0.2f;
  config->integration.bdf2_blend = 0.5f;
  config->tethers.count = 1;
}

/* Of every family the springs between light particles are projected, and those of the plain half solved for. */
static void half_light(cloth_config *config) {
  for (int row = 0; row < config->rows; row++) {
    for (int column = 0; column < config->columns; column++)
      mass_map[row * config->columns + column] = 2 * column < config->columns ? 1.0f : 0.5f;
  }
  float count = (float)(config->columns * config->rows);
  config->grid.mass_map = mass_map;
  config->fabric.stretch_warp = 5100.0f / count; /* kappa 0.8 and 1.6, whatever the grid */
  config->fabric.stretch_weft = 5100.0f / count;
  config->fabric.shear = 5100.0f / count;
  config->fabric.stretch_damping = 0.5f / count;
  config->fabric.shear_damping = 0.5f / count;
  config->solver.max_iterations = 8;
}

/* A tube of the same size; springs across its seam are solved for ... */
static void tube(cloth_config *config) {
  windy(config);
  config->grid.wrap = 1;
}

/* ... and explicit, ... */
static void explicit_tube(cloth_config *config) {
  explicit_only(config);
  config->grid.wrap = 1;
}

/* ... and projected, ... */
static void projected_tube(cloth_config *config) {
  projected_in_wind(config);
  config->grid.wrap = 1;
}

/* ... and all three, as maps have it. */
static void tube_in_tiers(cloth_config *config) {
  in_tiers(config);
  config->grid.wrap = 1;
  config->capacity.max_confined = 0; /* a small machine has no room to spare */
}

static void rumpled(cloth_config *config) {
  cloth_vector *positions = (cloth_vector *)(void *)buffer;
  for (int row = 0; row < config->rows; row++) {
    for (int column = 0; column < config->columns; column++) {
      float height = 0.03125f * (float)((3 * column + 5 * row) % 4);
      positions[row * config->columns + column] = vector(0.15625f * (float)column, height, 0.140625f * (float)row);
    }
  }
  config->grid.positions = positions;
}

/* Led by targets, in gusts. */
static void led(cloth_config *config) {
  projected_in_wind(config);
  config->capacity.targets = 1;
}

/* At the edge of the world. */
static void far_away(cloth_config *config) {
  config->origin.x = 99998.0f;
}

/* Far from its origin, which is far from that of the world and follows. */
static void wandering(cloth_config *config) {
  projected(config);
  config->origin.x += 700.0f;
  config->origin.y -= 40.0f;
  config->world.origin.y = -123456789;
  config->world.recentre_distance = 2.0f;
}

#ifndef MATRIX_SMALL
static void feel_self(cloth_config *config) {
  config->self_thickness = 0.03125f;
  config->self.pairs = 8;
}

/* Folded four columns wide, layer above layer. */
static void folded_sheet(cloth_config *config) {
  cloth_vector *positions = (cloth_vector *)(void *)buffer;
  feel_self(config);
  for (int row = 0; row < config->rows; row++) {
    for (int column = 0; column < config->columns; column++) {
      int layer = column / 4, inner = column % 4;
      float x = 0.0625f * (float)(layer % 2 ? 3 - inner : inner) + 0.0078125f * (float)(row % 3);
      positions[row * config->columns + column] = vector(x, 0.5f + 0.0234375f * (float)layer, 0.078125f * (float)row);
    }
  }
  config->grid.positions = positions;
}

/* A tube pressed flat, whose layers change places half way down: it starts tangled. */
static void crossed_tube(cloth_config *config) {
  cloth_vector *positions = (cloth_vector *)(void *)buffer;
  feel_self(config);
  config->grid.wrap = 1;
  config->self.gathers = 2;
  for (int row = 0; row < config->rows; row++) {
    for (int column = 0; column < config->columns; column++) {
      int half = config->columns / 2, is_upper = column >= half;
      float x = 0.125f * (float)(is_upper ? config->columns - 1 - column : column);
      float y = (is_upper ? 0.0234375f : 0.0f) * (float)(row < config->rows / 2 ? 1 : -1) + 0.001953125f * (float)row;
      positions[row * config->columns + column] = vector(x, y, 0.125f * (float)row);
    }
  }
  config->grid.positions = positions;
}
#endif

/// Starts ///

static int particle_at(const cloth *sheet, int column, int row) {
  return cloth_particle_at(sheet, column, row);
}

static void pin_at(cloth *sheet, int column, int row) {
  checked(cloth_pin(sheet, particle_at(sheet, column, row)));
}

static void pin_corners(cloth *sheet) {
  pin_at(sheet, 0, 0);
  pin_at(sheet, scene_config.columns - 1, 0);
}

static void pin_edge(cloth *sheet) {
  for (int column = 0; column < scene_config.columns; column++)
    pin_at(sheet, column, 0);
}

/* Rows are held ever more loosely, every other particle out of a sphere behind it. */
static void hold_loosely(cloth *sheet) {
  pin_corners(sheet);
  for (int particle = 0; particle < scene_config.columns * scene_config.rows; particle++) {
    cloth_motion_constraint constraint = cloth_motion_constraint_default();
    constraint.max_distance = 0.03125f * (float)(particle / scene_config.columns);
    constraint.backstop_distance = 0.0078125f;
    constraint.backstop_radius = particle % 2 ? 0.0f : 0.25f;
    checked(cloth_set_motion_constraint(sheet, particle, &constraint));
  }
  const cloth_gusts gusts = {{6.0f, 1.0f, 3.0f}, 0.0625f, 0.25f, 2026};
  checked(cloth_set_gusts(sheet, &gusts));
}

static cloth_collider collider_at(int32_t shape, float x, float y, float z) {
  cloth_collider collider = cloth_collider_default();
  collider.shape = (int32_t)shape;
  collider.pose.position = vector(x, y, z);
  collider.half_height = 0.25f;
  collider.radius_top = 0.125f;
  collider.half_extents = vector(0.25f, 0.125f, 0.375f);
  collider.static_friction = 0.75f;
  collider.kinetic_friction = 0.5f;
  return collider;
}

static void add(cloth *sheet, cloth_collider collider) {
  checked(cloth_add_collider(sheet, &collider));
}

static void on_sphere(cloth *sheet) {
  add(sheet, collider_at(CLOTH_SHAPE_SPHERE, 0.0625f, -0.28125f, 0.03125f));
}

static void touching_sphere(cloth *sheet) {
  add(sheet, collider_at(CLOTH_SHAPE_SPHERE, 0.0f, -0.2578125f, 0.0f));
}

static void on_box(cloth *sheet) {
  cloth_collider box = collider_at(CLOTH_SHAPE_BOX, 0.0f, -0.25f, 0.0f);
  box.pose.rotation.x = 0.28f;
  box.pose.rotation.w = 0.96f;
  add(sheet, box);
}

static void on_cylinder(cloth *sheet) {
  cloth_collider cylinder = collider_at(CLOTH_SHAPE_CYLINDER, 0.0f, -0.34375f, 0.0f);
  cylinder.pose.rotation.z = 0.6f;
  cylinder.pose.rotation.w = 0.8f;
  add(sheet, cylinder);
}

static void on_slope(cloth *sheet) {
  cloth_collider plane = collider_at(CLOTH_SHAPE_PLANE, 0.0f, -0.125f, 0.0f);
  plane.pose.rotation.z = -0.096f;
  plane.pose.rotation.w = 0.995381335f;
  plane.static_friction = 0.25f;
  plane.kinetic_friction = 0.125f;
  add(sheet, plane);
}

static void throw_down(cloth *sheet) {
  for (int particle = 0; particle < scene_config.columns * scene_config.rows; particle++) {
    cloth_vector position = vector(0.0f, 0.0f, 0.0f);
    checked(cloth_get_position(sheet, particle, &position));
    checked(cloth_set_particle(sheet, particle, position, vector(2.0f, -30.0f, 1.0f)));
  }
}

static void before_sphere(cloth *sheet) {
  pin_corners(sheet);
  add(sheet, collider_at(CLOTH_SHAPE_SPHERE, 700.0f, -40.5f, 0.03125f));
}

/* Each particle passes the plate within one substep. */
static void thrown_at_plate(cloth *sheet) {
  cloth_collider plate = collider_at(CLOTH_SHAPE_BOX, 0.0f, -0.1875f, 0.0f);
  plate.half_extents.y = 0.0078125f;
  add(sheet, plate);
  throw_down(sheet);
}

static void before_capsule(cloth *sheet) {
  pin_edge(sheet);
  cloth_collider capsule = collider_at(CLOTH_SHAPE_CAPSULE, 0.0f, 0.0f, 0.375f);
  capsule.pose.rotation.z = 0.6f;
  capsule.pose.rotation.w = 0.8f;
  add(sheet, capsule);
}

static void hem_on_line(cloth *sheet) {
  pin_at(sheet, 0, 0);
  checked(cloth_confine_to_line(sheet, particle_at(sheet, scene_config.columns - 1, 0), vector(1.0f, -0.5f, 0.25f)));
  checked(cloth_confine_to_plane(sheet, particle_at(sheet, 0, scene_config.rows - 1), vector(0.25f, 1.0f, 0.5f)));
}

static void hem_on_sphere(cloth *sheet) {
  hem_on_line(sheet);
  on_sphere(sheet);
}

static void thrown_out(cloth *sheet) {
  for (int row = 0; row < scene_config.rows; row++) {
    int particle = particle_at(sheet, scene_config.columns - 1, row);
    cloth_vector position = vector(0.0f, 0.0f, 0.0f);
    checked(cloth_get_position(sheet, particle, &position));
    checked(cloth_set_particle(sheet, particle, position, vector(200.0f, 3.0f, 0.0f)));
  }
}

/// What happens during a scene ///

static void change_wind(cloth *sheet, int frame) {
  checked(cloth_set_wind(sheet, vector(6.0f - 2.0f * (float)frame, 0.5f, 3.0f + (float)frame)));
}

static void push_through(cloth *sheet, int frame) {
  cloth_pose pose;
  pose.position = vector(0.03125f * (float)frame, 0.0625f, 0.25f - 0.125f * (float)frame);
  pose.rotation.x = frame % 2 ? 0.28f : 0.0f;
  pose.rotation.y = 0.0f;
  pose.rotation.z = frame % 2 ? 0.0f : 0.6f;
  pose.rotation.w = frame % 2 ? 0.96f : 0.8f;
  checked(cloth_move_collider(sheet, 0, NULL, &pose));
}

/* Takes the pins and a ball 1.5 m on in every frame, and moves the origin away once. */
static void wander(cloth *sheet, int frame) {
  cloth_metres origin;
  checked(cloth_get_origin(sheet, &origin));
  fold((uint32_t)origin.x, 4);
  cloth_vector position = vector(0.0f, 0.0f, 0.0f);
  for (int end = 0; end < 2; end++) {
    int pin = particle_at(sheet, end ? scene_config.columns - 1 : 0, 0);
    checked(cloth_get_position(sheet, pin, &position));
    position.x += 1.5f;
    position.z -= 0.34375f * (float)frame;
    checked(cloth_move_pin(sheet, pin, position));
  }
  cloth_pose pose = {position, {0.28f, 0.0f, 0.0f, 0.96f}};
  pose.position.y -= 0.375f;
  checked(cloth_move_collider(sheet, 0, NULL, &pose));
  if (frame == 3) {
    origin.z += 512;
    checked(cloth_set_origin(&sheet, 1, origin));
  }
}

static void pull(cloth *sheet, int frame) {
  int corner = particle_at(sheet, 0, 0);
  int other = particle_at(sheet, scene_config.columns - 1, 0);
  int free_corner = particle_at(sheet, scene_config.columns - 1, scene_config.rows - 1);
  switch (frame) {
  case 0:
    checked(cloth_set_pin_velocity(sheet, corner, vector(0.5f, 1.0f, -0.25f)));
    break;
  case 1:
    checked(cloth_move_pin(sheet, other, vector(0.4375f, 0.0625f, -0.5f)));
    break;
  case 2:
    checked(cloth_apply_impulse(sheet, free_corner, vector(0.0f, 0.03125f, 0.0078125f)));
    break;
  case 3:
    checked(cloth_release(sheet, corner));
    break;
  default:
    break;
  }
}

/* Targets sink and lean; in the middle of it cloth and targets are elsewhere, turned, and half the turn is felt. */
static void lead(cloth *sheet, int frame) {
  cloth_vector *vertices = (cloth_vector *)(void *)buffer;
  for (int row = 0; row < scene_config.rows; row++) {
    for (int column = 0; column < scene_config.columns; column++) {
      cloth_vector *vertex = vertices + 2 * (row * scene_config.columns + column);
      vertex[0] = vector(0.15625f * (float)column, 0.03125f * (float)(frame * row), 0.140625f * (float)row);
      vertex[1] = vector(0.25f * (float)frame, 1.0f, 0.125f * (float)column);
    }
  }
  const cloth_vertex_layout layout = {2 * sizeof(cloth_vector), 0, sizeof(cloth_vector), CLOTH_ATTRIBUTE_NONE};
  checked(cloth_move_targets(sheet, &layout, vertices, sizeof buffer));
  const cloth_pose from = {{0.25f, 0.0f, 0.5f}, {0.0f, 0.0f, 0.0f, 1.0f}};
  const cloth_pose to = {{0.75f, 0.25f, -0.5f}, {0.0f, 0.28f, 0.0f, 0.96f}};
  const cloth_inertia inertia = {0.25f, 0.5f, 0.75f};
  if (frame == 2) checked(cloth_move_frame(sheet, &from, &to, &inertia, FRAME_SECONDS, 0));
}

/* What was pressed onto the collider comes off. */
static void lift_off(cloth *sheet, int frame) {
  if (frame == 2) checked(cloth_set_gravity(sheet, vector(1.0f, 20.0f, 0.0f)));
}

/* Everything that may change during a simulation and has not changed yet. */
static void change(cloth *sheet, int frame) {
  int held = particle_at(sheet, 0, scene_config.rows - 1);
  cloth_fabric fabric;
  checked(cloth_fabric_preset(CLOTH_FABRIC_WOOL, &fabric));
  cloth_collider collider = collider_at(CLOTH_SHAPE_CYLINDER, 0.125f, -0.3125f, 0.0f);
  switch (frame) {
  case 0:
    checked(cloth_set_particle(sheet, held, vector(-0.5f, 0.0625f, 0.375f), vector(1.0f, 0.0f, 0.25f)));
    break;
  case 1:
    checked(cloth_set_fabric(sheet, &fabric));
    break;
  case 2:
    checked(cloth_set_collider(sheet, 0, &collider));
    break;
  case 3:
    checked(cloth_release(sheet, held));
    break;
  default:
    break;
  }
}

/* Two frames are simulated twice. */
static void go_back(cloth *sheet, int frame) {
  if (frame == 1) checked(cloth_save(sheet, buffer, scene_memory.saved_bytes));
  if (frame == 3) checked(cloth_load(sheet, buffer, scene_memory.saved_bytes));
}

/* The cloth goes on from its image as one that was made anew. Every byte of the image counts. */
static void begin_anew(cloth *sheet, int frame) {
  if (frame != 2) return;
  checked(cloth_write_image(sheet, buffer, scene_memory.image_bytes));
  for (size_t i = 0; i < scene_memory.image_bytes; i++)
    fold(buffer[i], 1);
  checked(cloth_init(&scene_config, arena, sizeof arena, &sheet));
  checked(cloth_read_image(sheet, buffer, scene_memory.image_bytes));
  fold_state(sheet);
}

/// Scenes ///

typedef struct scene {
  const char *name;
  int columns, rows;
  void (*configure)(cloth_config *config);
  void (*start)(cloth *sheet);
  void (*act)(cloth *sheet, int frame);
} scene;

/* They fit a machine with 48 KB. */
static const scene scenes[] = {
    {"hang", 6, 6, NULL, pin_corners, NULL},
    {"drape", 6, 6, NULL, on_sphere, NULL},
    {"flag", 5, 7, windy, pin_edge, change_wind},
    {"capsule", 6, 5, upright, before_capsule, push_through},
    {"box", 5, 5, NULL, on_box, NULL},
    {"cylinder", 4, 5, NULL, on_cylinder, NULL},
    {"slope", 5, 4, slow, on_slope, NULL},
    {"maps", 4, 9, uneven, pin_corners, NULL},
    {"diagonal", 5, 6, diagonal, pin_corners, NULL},
    {"none", 6, 5, unconditioned, pin_corners, NULL},
    {"multilevel", 6, 5, multilevel, pin_corners, NULL},
    {"chosen", 5, 5, chosen, touching_sphere, lift_off},
    {"capped", 7, 5, capped, pin_corners, NULL},
    {"converged", 5, 5, converged, pin_corners, NULL},
    {"warm", 5, 5, warm, pin_corners, NULL},
    {"solver-contact", 5, 5, contact_in_solver, touching_sphere, lift_off},
    {"implicit", 4, 6, implicit, pin_corners, NULL},
    {"too-stiff", 5, 5, explicit_too_stiff, pin_corners, NULL},
    {"explicit-only", 6, 6, explicit_only, pin_corners, NULL},
    {"bending", 6, 4, stiff_bending, pin_corners, NULL},
    {"limits", 5, 6, limited, pin_corners, NULL},
    {"confined", 5, 5, NULL, hem_on_line, NULL},
    {"pull", 5, 6, NULL, pin_corners, pull},
    {"change", 5, 5, NULL, hem_on_sphere, change},
    {"rumpled", 6, 6, rumpled, on_slope, NULL},
    {"fast", 5, 5, NULL, thrown_at_plate, NULL},
    {"save", 5, 5, uneven, on_sphere, go_back},
    {"recover", 4, 5, far_away, thrown_out, NULL},
    {"image", 6, 5, windy, hem_on_sphere, begin_anew},
    {"default", 6, 6, by_default, on_sphere, NULL},
    {"projected", 6, 6, projected, pin_corners, NULL},
    {"projected-drape", 6, 6, projected, on_sphere, NULL},
    {"projected-flag", 5, 7, projected_in_wind, pin_edge, change_wind},
    {"projected-capsule", 6, 5, projected_upright, before_capsule, push_through},
    {"tiers", 4, 6, in_tiers, pin_corners, pull},
    {"half-light", 8, 3, half_light, pin_corners, NULL},
    {"led", 5, 5, led, hold_loosely, lead},
    {"wander", 5, 5, wandering, before_sphere, wander},
    {"tube", 5, 6, tube, pin_edge, change_wind},
    {"tube-explicit", 6, 5, explicit_tube, pin_corners, NULL},
    {"tube-projected", 5, 6, projected_tube, pin_edge, change_wind},
    {"tube-tiers", 5, 4, tube_in_tiers, pin_corners, pull},
};
#define SCENES ((int)(sizeof scenes / sizeof scenes[0]))

#ifndef MATRIX_SMALL
static void with_room(cloth_config *config) {
  config->max_colliders = 4;
}

static void in_crowd(cloth *sheet) {
  on_slope(sheet);
  on_sphere(sheet);
  on_box(sheet);
  on_cylinder(sheet);
}

/* Throws all particles towards one height, so that layers meet. */
static void press(cloth *sheet, int frame) {
  cloth_vector_view x;
  (void)frame;
  checked(cloth_get_positions(sheet, &x));
  for (int i = 0; i < x.count; i++)
    checked(cloth_set_particle(sheet, i, vector(x.x[i], x.y[i], x.z[i]), vector(0.0f, 32.0f * (0.5f - x.y[i]), 0.0f)));
}

static void leave_crowd(cloth *sheet, int frame) {
  if (frame == 2) checked(cloth_remove_collider(sheet, 1));
}

/* Geometries: ground of 8 x 8 samples that is uneven, and steep in places, in steps of 2^-6 m, a hull with a leaning
   side, and distances from a slope. */
enum { GROUND = 8 };
static unsigned char geometry_memory[3][16384] __attribute__((aligned(CLOTH_ALIGNMENT)));
static const cloth_geometry *scene_geometries[3];
static cloth_surroundings scene_around;
static cloth_shared_body scene_body;

static float sample_height(int column, int row) {
  return 0.015625f * (float)((column * column + 3 * row) % 7) - 0.0625f;
}

static void with_geometry(cloth_config *config) {
  config->max_colliders = 1;
  config->capacity.geometry = 1;
  config->capacity.meshes = 1;
  config->capacity.max_shared_bodies = 1;
  config->sleep.speed = 0.001f;
}

/* Builds a geometry at a place of the table and adds a collider that has it, leaning if `leans` is 1. */
static void add_geometry(cloth *sheet, const cloth_geometry_data *data, int place, cloth_vector position, int leans) {
  checked(cloth_build_geometry(data, geometry_memory[place], sizeof geometry_memory[place], &scene_geometries[place]));
  cloth_collider collider = collider_at(CLOTH_SHAPE_SPHERE, position.x, position.y, position.z);
  checked(cloth_collider_set_geometry(&collider, scene_geometries[place], place));
  collider.pose.rotation.z = leans ? 0.28f : 0.0f;
  collider.pose.rotation.w = leans ? 0.96f : 1.0f;
  add(sheet, collider);
  scene_around.geometries = scene_geometries;
  scene_around.geometry_count = 3;
}

static void on_hull(cloth *sheet) {
  static const cloth_vector normals[6] = {{0.6f, 0.8f, 0.0f},  {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},
                                          {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f},  {0.0f, 0.0f, -1.0f}};
  static const float offsets[6] = {0.3125f, 0.25f, 0.25f, 0.25f, 0.375f, 0.25f};
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_HULL);
  data.hull.normals = normals;
  data.hull.offsets = offsets;
  data.hull.planes = 6;
  add_geometry(sheet, &data, 0, vector(0.0f, -0.25f, 0.0f), 1);
}

static void on_field(cloth *sheet) {
  static float heights[GROUND * GROUND];
  for (int n = 0; n < GROUND * GROUND; n++)
    heights[n] = sample_height(n % GROUND, n / GROUND);
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_HEIGHT_FIELD);
  data.height_field.heights = heights;
  data.height_field.columns = data.height_field.rows = GROUND;
  data.height_field.spacing_x = 0.125f;
  data.height_field.spacing_z = 0.15625f;
  add_geometry(sheet, &data, 1, vector(-0.4375f, -0.0625f, -0.5f), 0);
}

static void on_mesh(cloth *sheet) {
  static cloth_vector vertices[GROUND * GROUND];
  static uint32_t indices[6 * (GROUND - 1) * (GROUND - 1)];
  int count = 0;
  for (int n = 0; n < GROUND * GROUND; n++) {
    vertices[n] =
        vector(0.125f * (float)(n % GROUND), sample_height(n % GROUND, n / GROUND), 0.15625f * (float)(n / GROUND));
    if (n % GROUND < GROUND - 1 && n / GROUND < GROUND - 1) {
      const int corners[6] = {0, GROUND, 1, 1, GROUND, GROUND + 1};
      for (int k = 0; k < 6; k++)
        indices[count++] = (uint32_t)(n + corners[k]);
    }
  }
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_MESH);
  data.mesh.vertices = vertices;
  data.mesh.vertex_count = GROUND * GROUND;
  data.mesh.indices = indices;
  data.mesh.triangle_count = count / 3;
  add_geometry(sheet, &data, 2, vector(-0.4375f, -0.0625f, -0.5f), 1);
}

static void on_distances(cloth *sheet) {
  static float distances[GROUND * GROUND * GROUND];
  for (int n = 0; n < GROUND * GROUND * GROUND; n++)
    distances[n] = 0.1875f * (0.75f * (float)(n / GROUND % GROUND - 4) + 0.0625f * (float)(n % 3));
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_DISTANCE_GRID);
  data.distance_grid.distances = distances;
  data.distance_grid.count_x = data.distance_grid.count_y = data.distance_grid.count_z = GROUND;
  data.distance_grid.spacing = 0.1875f;
  data.distance_grid.low = vector(-0.65625f, -0.65625f, -0.65625f);
  add_geometry(sheet, &data, 0, vector(0.0f, -0.125f, 0.0f), 1);
}

/* Colliders with mass that lie on a sheet, or between the ends of a tube, whose first and last rows are held. */
static void with_masses(cloth_config *config) {
  uneven(config);
  config->integration = cloth_config_default().integration;
  config->fabric.stretch_weft = 400.0f;
  config->max_colliders = config->capacity.max_bodies = 2;
}

static void with_masses_on_tube(cloth_config *config) {
  with_masses(config);
  config->grid.wrap = 1;
}

static void bear_masses(cloth *sheet) {
  for (int column = 0; column < scene_config.columns; column++) {
    pin_at(sheet, column, 0);
    pin_at(sheet, column, scene_config.rows - 1);
  }
  for (int n = 0; n < 2; n++) {
    cloth_collider shape =
        collider_at(n ? CLOTH_SHAPE_BOX : CLOTH_SHAPE_SPHERE, 0.5f * (float)n - 0.25f, 0.1875f, 0.0f);
    shape.radius = 0.15625f;
    const cloth_body body = cloth_body_default(&shape, 4.0f);
    add(sheet, shape);
    checked(cloth_set_body(sheet, n, &body));
  }
}

/* The collider goes up, as a table's ball does beside it. */
static void lift_ground(cloth *sheet, int frame) {
  cloth_collider ball = collider_at(CLOTH_SHAPE_SPHERE, 0.25f, 0.375f, 0.125f);
  scene_body.previous = frame > 0 ? scene_body.collider.pose : ball.pose;
  ball.pose.position.y -= 0.03125f * (float)frame;
  scene_body.collider = ball;
  scene_around.bodies = &scene_body;
  scene_around.body_count = 1;
  cloth_pose pose = {{-0.375f, -0.0625f + 0.015625f * (float)frame, -0.5f}, {0.0f, 0.0f, 0.28f, 0.96f}};
  checked(cloth_move_collider(sheet, 0, NULL, &pose));
}

/* Each particle passes all of the ground within one substep. */
static void thrown_at_mesh(cloth *sheet) {
  on_mesh(sheet);
  throw_down(sheet);
}

static void thrown_at_field(cloth *sheet) {
  on_field(sheet);
  throw_down(sheet);
}

/* Free cloth whose particles are thrown in all directions, some faster than the limit. Others are slower and yet go
   farther than the limit allows, as predictions extrapolate: what neighbours in a block of lanes do must not decide
   about them. */
static void speed_limited(cloth_config *config) {
  config->integration = cloth_config_default().integration;
  config->integration.max_speed = 4.0f;
  config->substeps = 1;
}

static void thrown_apart(cloth *sheet) {
  for (int i = 0; i < scene_config.columns * scene_config.rows; i++) {
    cloth_vector position = vector(0.0f, 0.0f, 0.0f);
    checked(cloth_get_position(sheet, i, &position));
    checked(cloth_set_particle(
        sheet, i, position,
        vector(6.0f * (float)(i * 5 % 7 - 3), 6.0f * (float)(i * 3 % 5 - 2), 6.0f * (float)(i % 3 - 1))));
  }
}

/* A sheet with a hole, a notch and a ragged hem. */
static void with_holes(cloth_config *config) {
  static uint8_t mask[16 * 16];
  const int cells = config->columns - 1;
  for (int n = 0; n < cells * (config->rows - 1); n++) {
    const int column = n % cells, row = n / cells;
    mask[n] = !((column > 3 && column < 6 && row > 2 && row < 6) || (row > 7 && column % 3 == 0) || column + row < 2);
  }
  config->grid.cell_mask = mask;
}

/* A flared tube of uneven rows. */
static void that_flares(cloth_config *config) {
  static cloth_vector rest[16 * 16];
  static const float across[8] = {1.0f, 0.75f, 0.0f, -0.75f, -1.0f, -0.75f, 0.0f, 0.75f};
  for (int n = 0; n < config->columns * config->rows; n++) {
    const int column = n % config->columns, row = n / config->columns;
    const float wide = 0.25f + 0.03125f * (float)row;
    rest[n].x = wide * across[column % 8];
    rest[n].y = -0.0625f * (float)row - 0.00390625f * (float)(row * row);
    rest[n].z = wide * across[(column + 6) % 8];
  }
  config->grid.wrap = 1;
  config->grid.rest_positions = rest;
}

/* Cut from one side, and pulled until it tears. */
static void that_tears(cloth_config *config) {
  config->tearing.max_breaks = 6;
  config->tearing.strain = 0.015625f;
  config->tearing.max_torn_cells = 5;
}

static void cut_and_pull(cloth *sheet, int frame) {
  static int torn;
  const cloth_cut_line cut = {-0.5f, 3.5f, 3.25f, 4.25f};
  const int columns = scene_config.columns;
  if (frame == 0) {
    torn = 0;
    fold((uint32_t)checked(cloth_cut(sheet, &cut)), 4);
  }
  for (int n = columns - 1; n >= columns - 2; n--) {
    cloth_vector place = {0};
    checked(cloth_pin(sheet, columns * (scene_config.rows - 1) + n));
    checked(cloth_get_position(sheet, columns * (scene_config.rows - 1) + n, &place));
    place.z += 0.0625f;
    checked(cloth_move_pin(sheet, columns * (scene_config.rows - 1) + n, place));
  }
  cloth_statistics statistics = {0};
  checked(cloth_get_statistics(sheet, &statistics));
  torn += statistics.threads_torn;
  fold((uint32_t)statistics.threads_torn, 4);
  if (frame == FULL_FRAMES - 1 && torn == 0) fail("nothing tears");
}

/* Several colliders, contact of a sheet with itself, and grids on which a width, a last row or a tail could go wrong.
 */
static const scene more_scenes[] = {
    {"crowd", 10, 11, with_room, in_crowd, leave_crowd},
    {"grid-7x4", 7, 4, NULL, pin_corners, NULL},
    {"grid-9x17", 9, 17, capped, on_sphere, NULL},
    {"grid-16x16", 16, 16, capped, on_box, NULL},
    {"grid-17x3", 17, 3, uneven, pin_edge, NULL},
    {"multilevel", 25, 6, multilevel, pin_corners, NULL},
    {"projected-capsule", 12, 8, projected_upright, before_capsule, push_through},
    {"tube-projected", 18, 9, projected_tube, pin_edge, change_wind},
    {"tube-tiers", 13, 10, tube_in_tiers, pin_corners, pull},
    {"wander", 9, 8, wandering, before_sphere, wander},
    {"self-fold", 11, 8, folded_sheet, on_slope, press},
    {"self-tube", 14, 9, crossed_tube, pin_edge, press},
};
#define MORE_SCENES ((int)(sizeof more_scenes / sizeof more_scenes[0]))

#include "matrix_equation.h"
#endif

/// Running ///

/* Inlined into one, these would hold all their variables at once: more stack than a small machine has. */
#define OWN_FRAME __attribute__((noinline))

static void fold_vertices(const cloth *sheet) {
  const cloth_vertex_layout layout = {32, 0, 12, 24};
  checked(cloth_write_vertices(sheet, &layout, buffer, sizeof buffer));
  const float *values = (const float *)(const void *)buffer;
  for (int i = 0; i < 8 * cloth_get_vertex_count(sheet); i++)
    fold_float(values[i]);
}

static void fold_point(int result, const cloth_surface_point *point) {
  if (checked(result) == 0) return;
  fold((uint32_t)point->triangle, 4);
  fold((uint32_t)point->side, 4);
  for (int n = 0; n < 3; n++) {
    fold((uint32_t)point->particle[n], 4);
    fold_float(point->weight[n]);
  }
  fold_vector(point->position);
  fold_vector(point->normal);
  fold_float(point->distance);
}

/* Rays between two opposite corners of the cloth's box and from there past its middle, thin and thick, and the points
   nearest to both corners. */
OWN_FRAME static void fold_queries(const cloth *sheet, cloth_vector low, cloth_vector high) {
  cloth_surface_point point;
  const cloth_vector along = {high.x - low.x, high.y - low.y + 0.25f, high.z - low.z};
  for (int n = 0; n < 4; n++) {
    cloth_ray ray = {low, along, 100.0f, n % 2 ? 0.015625f : 0.0f};
    ray.direction.x = n < 2 ? along.x : along.x * 0.5f;
    fold_point(cloth_cast_ray(sheet, &ray, &point), &point);
  }
  fold_point(cloth_find_nearest(sheet, low, CLOTH_ANY_DISTANCE, &point), &point);
  fold_point(cloth_find_nearest(sheet, high, 0.25f, &point), &point);
  cloth_contact contacts[4] = {{0}};
  int count = cloth_get_contacts(sheet, contacts, 4);
  fold((uint32_t)count, 4);
  for (int n = 0; n < 4 && n < count; n++) {
    fold((uint32_t)(contacts[n].particle * 256 + contacts[n].collider * 2 + contacts[n].is_touching), 4);
    fold_vector(contacts[n].position);
    fold_vector(contacts[n].normal);
    fold_vector(contacts[n].impulse);
  }
}

/* What a caller can ask for after a step, beside the state itself. */
OWN_FRAME static void fold_results(const cloth *sheet) {
  fold_vertices(sheet);
  cloth_vector low = {0}, high = {0};
  checked(cloth_get_bounds(sheet, &low, &high));
  fold_vector(low);
  fold_vector(high);
  fold_queries(sheet, low, high);
  cloth_measures measures = {0};
  checked(cloth_measure(sheet, &measures));
  fold_float(measures.max_stretch);
  fold_float(measures.rms_stretch);
  fold_float(measures.kinetic_energy);
  fold_float(measures.elastic_energy);
  fold_float(measures.potential_energy);
  cloth_reaction reaction;
  if (cloth_get_collider_reaction(sheet, 0, &reaction) == CLOTH_OK) {
    fold_vector(reaction.impulse);
    fold_vector(reaction.torque);
  }
}

static void fold_statistics(const cloth *sheet) {
  cloth_statistics statistics = {0};
  checked(cloth_get_statistics(sheet, &statistics));
  for (int family = 0; family < CLOTH_FAMILY_COUNT; family++) {
    fold_float(statistics.kappa[family]);
    fold((uint32_t)statistics.mode[family], 4);
  }
  fold((uint32_t)statistics.substeps, 4);
  fold((uint32_t)statistics.iterations, 4);
  fold((uint32_t)statistics.contacts, 4);
  fold((uint32_t)statistics.contacts_sticking, 4);
#ifndef MATRIX_SMALL
  cloth_self_statistics self = {0};
  if (scene_config.self_thickness > 0.0f && checked(cloth_get_self_statistics(sheet, &self)) == CLOTH_OK) {
    fold((uint32_t)self.gathers, 4);
    fold((uint32_t)self.pairs, 4);
    fold((uint32_t)self.contacts, 4);
    fold((uint32_t)self.intersections, 4);
    fold((uint32_t)self.tangled, 4);
    if (self.contacts == 0 && self.tangled == 0) /* what is tangled does not press */
      fail("no self-contact");
  }
#endif
}

#ifdef MATRIX_TRACE
static void trace(const char *stage, int substep, uint64_t hash) {
  put_text("stage ");
  put_scene();
  put_text(" ");
  put_number(scene_frame);
  put_text(" ");
  put_number(substep);
  put_text(" ");
  put_text(stage);
  put_text(" ");
  put_hash(hash);
  end_line();
}

void matrix_trace(int stage, int substep, unsigned long long hash) {
  static const char *const names[CLOTH_STAGE_COUNT] = {"prediction", "forces", "solve", "guards", "acceptance"};
  trace(names[stage], substep, hash);
}
#endif

/* A step reads nothing of what lies in the scratch span before it, but for lanes past the last particle, whose results
   it drops. Floats of bytes 0xA5 are -3e-16, those of 0x5A 1.5e16. */
static void fill_scratch(void) {
  unsigned char *scratch = arena + scene_memory.scratch_offset;
  for (size_t n = 0; scene_frame > 0 && n < scene_memory.scratch_bytes; n++)
    scratch[n] = scene_frame % 2 ? 0xA5 : 0x5A;
}

OWN_FRAME static void run_frame(cloth *sheet) {
  fill_scratch();
#ifndef MATRIX_SMALL
  checked(cloth_step_with(sheet, FRAME_SECONDS, scene_around.geometry_count > 0 ? &scene_around : NULL));
#else
  checked(cloth_step(sheet, FRAME_SECONDS));
#endif
  fold_state(sheet);
  fold_statistics(sheet);
#ifdef MATRIX_TRACE
  trace("frame", scene_config.substeps, scene_hash);
#endif
}

/* Reports subnormal numbers, prints the scene's hash, and returns it. */
static uint64_t end_scene(void) {
  if (subnormals_seen()) fail("subnormal numbers");
  forget_subnormals();
  put_text("scene ");
  put_scene();
  put_text(" ");
  put_hash(scene_hash);
  end_line();
  return scene_hash;
}

/* Runs a scene and prints its hash. */
OWN_FRAME static uint64_t run_scene(const scene *s, int frames) {
  scene_name = s->name;
  scene_frame = 0;
  scene_hash = HASH_START;
  configure(s->columns, s->rows);
  if (s->configure != NULL) s->configure(&scene_config);
#ifndef MATRIX_SMALL
  scene_around.geometry_count = scene_around.body_count = 0;
#endif

  cloth *sheet = NULL;
  checked(cloth_memory_needed(&scene_config, &scene_memory));
  if (checked(cloth_init(&scene_config, arena, sizeof arena, &sheet)) < 0) return 0;
  s->start(sheet);
  for (scene_frame = 0; scene_frame < frames; scene_frame++) {
    if (s->act != NULL) s->act(sheet, scene_frame);
    run_frame(sheet);
  }
  fold_results(sheet);
  return end_scene();
}

static uint64_t run_scenes(uint64_t hash, const scene *list, int count, const char *set) {
  const int frames = set[0] == 's' ? SMALL_FRAMES : FULL_FRAMES;
  scene_set = set;
  for (int i = 0; i < count; i++)
    hash = folded(hash, run_scene(&list[i], frames), 8);
  return hash;
}

#ifndef MATRIX_SMALL
#include "matrix_group.h"
#include "matrix_methods.h"
#include "matrix_workers.h"
#endif

static void print_set(const char *set, uint64_t hash) {
  put_text("hash ");
  put_text(set);
  put_text(" ");
  put_hash(hash);
  end_line();
}

static void self_test(void) {
  int result = cloth_self_test();
  put_text("self-test ");
  put_number(result);
  end_line();
  scene_set = "start";
  scene_name = "self-test";
  if (result < 0) fail(cloth_result_name(result));
  forget_subnormals();
}

int board_main(void) {
  flush_subnormals();
  put_text("lanes " CLOTH_LANES_NAME);
  end_line();
  self_test();
  print_set("small", run_scenes(HASH_START, scenes, SCENES, "small"));
#ifndef MATRIX_SMALL
  uint64_t full = run_scenes(HASH_START, more_scenes, MORE_SCENES, "full");
  full = folded(full, run_group_scene(), 8);
  full = folded(full, run_sewn_scene(), 8);
  full = folded(full, run_shared_out_scene(), 8);
  print_set("full", run_method_scenes(full));
  scene_is_plain = 1;
  print_set("equation", run_scenes(HASH_START, equation_scenes, EQUATION_SCENES, "equation"));
#endif
  return failures == 0 ? 0 : 1;
}
