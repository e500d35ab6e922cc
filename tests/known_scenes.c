/* Scenes that use one feature after the other, in ways that differ from case to case, and the hash of all that comes
   out of each: states, results, statistics, drawing, rays, contacts, reactions, bounds of work. Whatever is computed
   otherwise than before changes one. The hashes are those of every build on little-endian machines of 32 and 64 bits,
   as what is told are words of memory. Work that was done has a hash of its own, with lanes of one width: cull tests
   and early ends, which change no result, change that. Whoever changes the arithmetic, a bound, a size or a cull test
   on purpose puts new ones here in the same change. SPDX-License-Identifier: MIT */
#include "geometries.h"
#include "mutations.h"
#include "random_configs.h"

#define VERSION_BYTES 12 /* of an image, at its beginning: they rise without a change of what is computed */

enum { MOST_PARTICLES = 4400 };

/// What is told ///

static uint64_t told, worked; /* of the scene that runs */

static void fold(uint64_t *hash, uint32_t word) {
  *hash = (*hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  *hash ^= *hash >> 29;
}

static void tell(uint32_t word) {
  fold(&told, word);
}

static void tell_wide(uint64_t value) {
  tell((uint32_t)value);
  tell((uint32_t)(value >> 32));
}

/* Of 32 bits each, whatever they are, without gaps. */
static void tell_words(const void *words, size_t bytes) {
  for (size_t n = 0; n + 4 <= bytes; n += 4) {
    uint32_t word;
    memcpy(&word, (const unsigned char *)words + n, sizeof word);
    tell(word);
  }
}

static int checked(int result, const char *call) {
  CHECK(result >= 0, "%s: %s", call, cloth_result_name(result));
  tell((uint32_t)result);
  return result;
}
#define DONE(call) checked((call), #call)

/* Work differs with the width of lanes, and ticks between machines. */
static void tell_work(const uint32_t work[2]) {
  fold(&worked, work[0]);
  fold(&worked, work[1]);
}

static void tell_statistics(const cloth *sheet) {
  cloth_statistics s = read_statistics(sheet);
  tell_work(s.work);
  memset(s.work, 0, sizeof s.work);
  memset(s.ticks, 0, sizeof s.ticks);
  tell_words(&s, sizeof s);
  cloth_self_statistics self;
  if (cloth_get_self_statistics(sheet, &self) == CLOTH_OK)
    tell_words(&self, sizeof self);
  uint64_t bound = 0;
  DONE(cloth_get_work_bound(sheet, FRAME, &bound));
  tell_wide(bound);
}

static void tell_drawing(const cloth *sheet) {
  static float vertices[8 * 3 * MOST_PARTICLES];
  static uint32_t indices[18 * MOST_PARTICLES];
  const int count = cloth_get_vertex_count(sheet), corners = cloth_get_index_count(sheet);
  CHECK(count <= 3 * MOST_PARTICLES && corners <= 18 * MOST_PARTICLES, "%d vertices, %d indices", count, corners);
  DONE(cloth_write_vertices(sheet, &layout_usual, vertices, sizeof vertices));
  DONE(cloth_write_indices32(sheet, 3, indices, sizeof indices / sizeof indices[0]));
  tell_words(vertices, (size_t)count * 32);
  tell_words(indices, (size_t)corners * 4);
}

static void tell_point(int result, const cloth_surface_point *found) {
  tell((uint32_t)result);
  if (result == 1)
    tell_words(found, sizeof *found);
}

/* Rays through the box of the cloth, thin and thick, and points nearest to places in and around it. */
static void tell_queries(const cloth *sheet) {
  cloth_vector low, high;
  cloth_surface_point found;
  DONE(cloth_get_bounds(sheet, &low, &high));
  tell_words(&low, sizeof low);
  tell_words(&high, sizeof high);
  for (int n = 0; n < 12; n++) {
    const double u = n % 4 / 3.0, v = n / 4 / 2.0;
    cloth_vector from = low, to = high;
    from.x += (high.x - low.x) * (float)u;
    from.z += (high.z - low.z) * (float)v;
    to.x -= (high.x - low.x) * (float)(0.75 * v);
    const cloth_ray ray = {from, {to.x - from.x + 0.01f, to.y - from.y, to.z - from.z}, 3.0f, n % 3 ? 0.0f : 0.03f};
    tell_point(cloth_cast_ray(sheet, &ray, &found), &found);
    from.y = n % 2 ? low.y - 0.125f : 0.5f * (low.y + high.y);
    tell_point(cloth_find_nearest(sheet, from, n % 5 ? CLOTH_ANY_DISTANCE : 0.125f, &found), &found);
  }
}

static void tell_forces(const cloth *sheet) {
  cloth_contact contacts[64];
  cloth_reaction reaction;
  cloth_body body;
  cloth_pose pose;
  cloth_vector_view x;
  cloth_vector impulse;
  const int count = cloth_get_contacts(sheet, contacts, 64);
  tell((uint32_t)count);
  for (int n = 0; n < count && n < 64; n++)
    tell_words(&contacts[n], sizeof contacts[n]);
  for (int n = 0; n < 8; n++) {
    if (cloth_get_collider_reaction(sheet, n, &reaction) == CLOTH_OK)
      tell_words(&reaction, sizeof reaction);
    if (cloth_get_body(sheet, n, &body, &pose) == CLOTH_OK) {
      tell_words(&body, sizeof body);
      tell_words(&pose, sizeof pose);
    }
  }
  cloth_get_positions(sheet, &x);
  for (int i = 0; i < x.count; i++) {
    int32_t pins[2] = {-2, -2};
    cloth_get_tether(sheet, i, 0, &pins[0]);
    cloth_get_tether(sheet, i, 1, &pins[1]);
    tell_words(pins, sizeof pins);
    if (cloth_get_pin_reaction(sheet, i, &impulse) == CLOTH_OK)
      tell_words(&impulse, sizeof impulse);
  }
}

static void tell_measures(const cloth *sheet) {
  cloth_measures measures;
  cloth_vector wind;
  DONE(cloth_measure(sheet, &measures));
  tell_words(&measures, sizeof measures);
  DONE(cloth_get_wind(sheet, &wind));
  tell_words(&wind, sizeof wind);
}

static void tell_state(const cloth *sheet) {
  tell_wide(read_hash(sheet));
  tell_statistics(sheet);
}

/* The state as others have it, who must be able to go on with it. */
static void tell_saves(cloth *sheet) {
  static unsigned char image[400 * MOST_PARTICLES];
  cloth_memory memory;
  DONE(cloth_get_memory(sheet, &memory));
  CHECK(memory.image_bytes <= sizeof image && memory.saved_bytes <= sizeof image, "%d bytes", (int)memory.image_bytes);
  tell_wide(memory.total_bytes);
  DONE(cloth_write_image(sheet, image, memory.image_bytes));
  tell_words(image + VERSION_BYTES, memory.image_bytes - VERSION_BYTES);
  DONE(cloth_read_image(sheet, image, memory.image_bytes));
  DONE(cloth_save(sheet, image, memory.saved_bytes));
  DONE(cloth_load(sheet, image, memory.saved_bytes));
  tell_wide(read_hash(sheet));
}

static void tell_all(cloth *sheet) {
  tell_state(sheet);
  tell_measures(sheet);
  tell_drawing(sheet);
  tell_queries(sheet);
  tell_forces(sheet);
  tell_saves(sheet);
}

/// Cloths ///

/* A level sheet of `spacing` around the middle. */
static cloth_config sheet_of(int columns, int rows, double spacing, double height) {
  cloth_config config = cloth_config_default();
  config.columns = columns;
  config.rows = rows;
  config.edge_warp = vector_at(spacing * (columns - 1), 0, 0);
  config.edge_weft = vector_at(0, 0, spacing * (rows - 1));
  config.origin = vector_at(-0.5 * spacing * (columns - 1), height, -0.5 * spacing * (rows - 1));
  config.substeps = 4;
  config.max_colliders = 8;
  config.capacity.max_contacts = 64;
  config.capacity.pin_reactions = 1;
  config.tearing.max_torn_cells = 30;
  return config;
}

static const cloth_rotation turns[6] = {{0.0f, 0.0f, 0.0f, 1.0f},   {0.6f, 0.0f, 0.0f, 0.8f},
                                        {0.0f, 0.28f, 0.0f, 0.96f}, {0.0f, 0.0f, -0.6f, 0.8f},
                                        {0.5f, 0.5f, 0.5f, 0.5f},   {0.28f, 0.0f, 0.96f, 0.0f}};

static void pin_corners(const fixture *s) {
  DONE(cloth_pin(s->sheet, 0));
  DONE(cloth_pin(s->sheet, s->columns - 1));
}

/* All particles get a velocity, which differs from one to the next. */
static void throw_all(const fixture *s, double x, double y, double z) {
  for (int i = 0; i < s->count; i++) {
    if (cloth_get_freedom(s->sheet, i) == 3)
      cloth_set_particle(s->sheet, i, vector_of(position_of(s->sheet, i)),
                         vector_at(x + 0.125 * (i % 3), y - 0.25 * (i % 5), z - 0.125 * (i % 7)));
  }
}

static void step_told(const fixture *s, const cloth_surroundings *around) {
  DONE(cloth_step_with(s->sheet, FRAME, around));
  tell_state(s->sheet);
}

/// Scenes: colliders ///

static cloth_collider shape_of(int32_t shape, double height, cloth_rotation rotation, double size) {
  cloth_collider c = cloth_collider_default();
  c.shape = shape;
  c.pose.position = vector_at(0.03, height, -0.02);
  c.pose.rotation = rotation;
  c.radius = (float)(0.2 * size);
  c.radius_top = (float)(0.12 * size);
  c.half_height = (float)(0.25 * size);
  c.half_extents = vector_at(0.2 * size, 0.1 * size, 0.15 * size);
  c.static_friction = 0.6f;
  c.kinetic_friction = 0.4f;
  return c;
}

/* A sheet falls on a shape that moves and turns, with a plane below. */
static void fall_on(int32_t shape, const cloth_config *config, double size, double speed, int frames, int turn) {
  fixture s = fixture_make(config);
  cloth_collider c = shape_of(shape, shape == CLOTH_SHAPE_PLANE ? -0.1 : -0.22 * size, turns[turn], size);
  if (shape == CLOTH_SHAPE_PLANE)
    c.pose.rotation = turns[2];
  cloth_collider ground = shape_of(CLOTH_SHAPE_PLANE, -0.35, turns[0], 1.0);
  DONE(cloth_add_collider(s.sheet, &c));
  DONE(cloth_add_collider(s.sheet, &ground));
  throw_all(&s, 0.5, speed, 0.25);
  for (int frame = 0; frame < frames; frame++) {
    cloth_pose pose = c.pose;
    pose.position.x += 0.01f * (float)frame;
    pose.position.y += frame % 5 == 4 ? 0.04f : 0.0f;
    if (frame % 4 > 1 && shape != CLOTH_SHAPE_PLANE)
      pose.rotation = turns[(turn + frame / 4) % 6];
    DONE(cloth_move_collider(s.sheet, 0, NULL, &pose));
    step_told(&s, NULL);
  }
  tell_all(s.sheet);
  fixture_free(&s);
}

static void play_shapes(void) {
  for (int32_t shape = CLOTH_SHAPE_PLANE; shape <= CLOTH_SHAPE_CYLINDER; shape++) {
    cloth_config config = sheet_of(15, 12, 0.06, 0.05);
    fall_on(shape, &config, 1.0, -1.0, 14, (shape + 1) % 6);
    config = sheet_of(11, 35, 0.05, 0.05); /* the last block of bounds has one particle */
    config.integration.bdf2_blend = 0.0f;
    config.strain_limit.sweeps = 3;
    fall_on(shape, &config, 0.8, -40.0, 4, (shape + 3) % 6);
    config = sheet_of(9, 7, 0.15, 0.05);
    config.substeps = 6;
    fall_on(shape, &config, 0.3, -2.0, 14, (shape + 2) % 6);
  }
}

static void play_solver_contacts(void) {
  for (int32_t shape = CLOTH_SHAPE_PLANE; shape <= CLOTH_SHAPE_CYLINDER; shape++) {
    cloth_config config = sheet_of(11, 9, 0.06, 0.03);
    use_two_tiers(&config);
    config.contact.mode = CLOTH_CONTACT_SOLVER;
    config.solver.max_iterations = 20;
    config.solver.warm_start = shape % 2;
    config.solver.preconditioner = shape % 5;
    config.integration.bdf2_blend = shape % 2 ? 0.0f : 0.5f;
    fall_on(shape, &config, 1.0, -1.0, 10, (shape + 1) % 6);
  }
}

/// Scenes: geometry ///

static double bumps(double x, double z) {
  const int cell = (int)(10.0 * (x + 2.0)) + 2 * (int)(8.0 * (z + 2.0));
  return 0.0625 * (cell * 7 % 5) - 0.125 + 0.25 * x * x;
}

static double tilted_distance(double x, double y, double z) {
  return 0.8 * y + 0.6 * x + 0.0625 * (((int)(16.0 * (z + 4.0))) % 2);
}

static built build_wedge(void) {
  static const cloth_vector normals[7] = {{0.6f, 0.8f, 0.0f},  {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},
                                          {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f},  {0.0f, 0.0f, -1.0f},
                                          {0.0f, 0.28f, 0.96f}};
  static const float offsets[7] = {0.2f, 0.25f, 0.15f, 0.15f, 0.2f, 0.2f, 0.18f};
  built b = {cloth_geometry_data_default(CLOTH_SHAPE_HULL), NULL, NULL, NULL, 0, {NULL, NULL}};
  b.data.hull.normals = normals;
  b.data.hull.offsets = offsets;
  b.data.hull.planes = 7;
  build(&b);
  return b;
}

/* An octahedron with a corner pulled out in the middle of each of its edges: closed, with ridges and hollows. */
static built build_star(int one_sided) {
  static const int faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                  {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  static cloth_vector vertices[8 * 4 * 3];
  static uint32_t indices[8 * 4 * 3];
  int used = 0;
  for (int face = 0; face < 8; face++) {
    point corner[6];
    for (int k = 0; k < 3; k++) {
      const int n = faces[face][k];
      point p = {n / 2 == 0 ? 1 - 2 * (n % 2) : 0, n / 2 == 2 ? 1 - 2 * (n % 2) : 0, n / 2 == 1 ? 1 - 2 * (n % 2) : 0};
      corner[k] = point_scaled(p, 0.25);
    }
    for (int k = 0; k < 3; k++)
      corner[3 + k] = point_scaled(point_sum(corner[k], corner[(k + 1) % 3]), k == 1 ? 0.7 : 0.45);
    const int pieces[12] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
    for (int k = 0; k < 12; k++, used++) {
      vertices[used] = vector_of(corner[pieces[k]]);
      indices[used] = (uint32_t)used;
    }
  }
  built b = {cloth_geometry_data_default(CLOTH_SHAPE_MESH), NULL, NULL, NULL, 0, {NULL, NULL}};
  b.data.mesh.vertices = vertices;
  b.data.mesh.vertex_count = used;
  b.data.mesh.indices = indices;
  b.data.mesh.triangle_count = used / 3;
  b.data.mesh.one_sided = one_sided;
  build(&b);
  return b;
}

/* A sheet falls on a geometry of its own that moves and turns, beside a body of a table with the same one. */
static void fall_on_geometry(built *b, double spacing, double speed, int frames, int turn) {
  cloth_config config = sheet_of(13, 11, spacing, 0.3);
  config.capacity.geometry = 1;
  config.capacity.meshes = 2;
  config.capacity.max_shared_bodies = 2;
  config.sleep.speed = 0.01f;
  fixture s = fixture_make(&config);
  cloth_collider c = collider_with(b);
  c.static_friction = c.kinetic_friction = 0.3f;
  c.pose.rotation = turns[turn];
  DONE(cloth_add_collider(s.sheet, &c));
  cloth_shared_body bodies[2] = {{c, c.pose}, {shape_of(CLOTH_SHAPE_CAPSULE, 0.1, turns[3], 0.5), c.pose}};
  cloth_reaction reactions[2];
  for (int n = 0; n < 2; n++) {
    bodies[n].collider.pose.position.z = 0.3f;
    bodies[n].previous = bodies[n].collider.pose;
  }
  memset(reactions, 0, sizeof reactions);
  cloth_surroundings around = around_of(b);
  around.bodies = bodies;
  around.body_count = 2;
  around.reactions = reactions;
  throw_all(&s, 0.25, speed, 0.0);
  for (int frame = 0; frame < frames; frame++) {
    cloth_pose pose = c.pose;
    pose.position.y += 0.008f * (float)frame;
    pose.rotation = turns[frame % 6 == 5 ? (turn + 1) % 6 : turn];
    DONE(cloth_move_collider(s.sheet, 0, NULL, &pose));
    bodies[0].previous = bodies[0].collider.pose;
    bodies[0].collider.pose.position.x += 0.01f;
    step_told(&s, &around);
  }
  tell_words(reactions, sizeof reactions);
  tell_all(s.sheet);
  fixture_free(&s);
}

static void play_geometry(built b, int turn) {
  const cloth_collider made = collider_with(&b);
  tell_words(b.memory, b.bytes);
  tell_words(&made, sizeof made);
  if (made.shape == CLOTH_SHAPE_HULL) {
    const cloth_body body = cloth_body_default(&made, 2.0f);
    tell_words(&body, sizeof body);
  }
  fall_on_geometry(&b, 0.06, -1.0, 16, turn);
  fall_on_geometry(&b, 0.08, -60.0, 3, turn);
  free_built(&b);
}

static void play_hull(void) {
  play_geometry(build_wedge(), 3);
  play_geometry(build_box(0.2, 0.1, 0.15), 1);
}

static void play_field(void) {
  play_geometry(build_field_of(bumps, 1.5, 12), 0);
}

static void play_meshes(void) {
  play_geometry(build_sheet_of(bumps, 1.5, 9, 0), 0);
  play_geometry(build_sheet_of(bumps, 1.0, 14, 1), 0);
  play_geometry(build_star(0), 3);
  play_geometry(build_star(1), 1);
}

static void play_distances(void) {
  play_geometry(build_grid_of(ball_distance, 0.75, 9), 2);
  play_geometry(build_grid_of(tilted_distance, 1.0, 8), 2);
}

/// Scenes: the sheet with itself ///

/* Layers of 5 columns, one above the other, which lean and are pressed together. */
static void fold_sheet(cloth_config *config, cloth_vector *positions, double spacing) {
  for (int n = 0; n < config->columns * config->rows; n++) {
    const int column = n % config->columns, row = n / config->columns, layer = column / 5, inner = column % 5;
    positions[n] = vector_at(spacing * (layer % 2 ? 4 - inner : inner) + 0.2 * spacing * (row % 3),
                             0.4 * spacing * layer + 0.05 * spacing * inner, spacing * row);
  }
  config->grid.positions = positions;
}

static void press_together(const cloth_config *config, int frames) {
  fixture s = fixture_make(config);
  cloth_collider ground = shape_of(CLOTH_SHAPE_PLANE, -0.03, turns[0], 1.0);
  cloth_collider ball = shape_of(CLOTH_SHAPE_SPHERE, 0.3, turns[0], 0.4);
  DONE(cloth_add_collider(s.sheet, &ground));
  DONE(cloth_add_collider(s.sheet, &ball));
  for (int frame = 0; frame < frames; frame++) {
    cloth_pose pose = ball.pose;
    pose.position = vector_at(0.1 + 0.01 * frame, 0.3 - 0.03 * frame, 0.3);
    DONE(cloth_move_collider(s.sheet, 1, NULL, &pose));
    if (frame % 6 == 3)
      throw_all(&s, 0.5 * (frame % 4), -1.0, 0.5);
    step_told(&s, NULL);
  }
  tell_all(s.sheet);
  fixture_free(&s);
}

static cloth_config self_config(int columns, int rows, double spacing) {
  cloth_config config = sheet_of(columns, rows, spacing, 0.02);
  config.self_thickness = (float)(0.45 * spacing);
  config.self.pairs = 12;
  config.self.gathers = 2;
  return config;
}

static void play_self(void) {
  static cloth_vector positions[MOST_PARTICLES];
  cloth_config config = self_config(25, 21, 0.05);
  fold_sheet(&config, positions, 0.05);
  press_together(&config, 12);
  config.self.shape = CLOTH_SELF_SPHERES;
  config.self_thickness = 0.045f;
  press_together(&config, 12);
  config = self_config(18, 13, 0.05);
  config.self.pairs = 1;
  config.self_friction = 1.0f;
  config.self.untangle = 0;
  use_two_tiers(&config);
  fold_sheet(&config, positions, 0.05);
  press_together(&config, 8);
}

/* A sheet with holes stands on the ground on its edge, and falls over itself; a tube collapses. */
static void play_self_holes(void) {
  static uint8_t mask[MOST_PARTICLES];
  cloth_config config = self_config(17, 23, 0.04);
  for (int n = 0; n < 16 * 22; n++)
    mask[n] = !((n % 16 > 5 && n % 16 < 9 && n / 16 % 7 < 2) || (n / 16 == 12 && n % 16 < 7) || n % 37 == 5);
  config.grid.cell_mask = mask;
  config.edge_weft = vector_at(0.0, -0.04 * 22, 0.0);
  config.origin = vector_at(-0.3, 0.85, 0.3);
  press_together(&config, 24);
  config.grid.cell_mask = NULL;
  config.grid.wrap = 1;
  config.tearing.max_breaks = 4;
  config.tearing.strain = 0.05f;
  config.integration.bdf2_blend = 0.0f;
  press_together(&config, 20);
}

/* Halves of a sheet clap together at 8 m/s, and tangle. */
static void play_clap(void) {
  static cloth_vector positions[MOST_PARTICLES];
  for (int shape = 0; shape < 2; shape++) {
    cloth_config config = self_config(22, 15, 0.05);
    config.self.shape = shape;
    config.self.pairs = 4;
    for (int n = 0; n < 22 * 15; n++) {
      const int column = n % 22, upper = column > 10;
      positions[n] =
          vector_at(0.05 * (upper ? 21 - column : column), upper ? 0.2 : 0.0, 0.05 * (n / 22) + 0.01 * upper);
    }
    config.grid.positions = positions;
    fixture s = fixture_make(&config);
    for (int i = 0; i < s.count; i++)
      cloth_set_particle(s.sheet, i, positions[i], vector_at(0.0, i % 22 > 10 ? -8.0 - i % 4 : 2.0, 0.5 * (i % 3)));
    for (int frame = 0; frame < 14; frame++)
      step_told(&s, NULL);
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/// Scenes: groups and seams ///

/* Three panels around a ball: two sewn side to side, the third gathered to the first along a list of particles and held
   by a pin; a small sheet that sleeps below is woken. */
enum { SEWN = 4 };

typedef struct garment {
  fixture f[SEWN];
  cloth *sheets[SEWN];
  cloth_seam seams[3];
  cloth_group_pair exceptions[2];
  cloth_group group;
  cloth_surroundings around;
  cloth_shared_body ball;
  cloth_reaction reaction;
  int32_t hem[13];
  size_t bytes;
  unsigned char *allocation, *memory;
} garment;

static void make_garment(garment *g, int kind) {
  static float stiffness[16 * 16];
  static const int columns[SEWN] = {11, 9, 13, 8}, rows[SEWN] = {9, 9, 7, 9};
  memset(g, 0, sizeof *g);
  for (int n = 0; n < 16 * 16; n++)
    stiffness[n] = 0.5f + 0.125f * (float)(n % 7);
  for (int n = 0; n < SEWN; n++) {
    cloth_config config = self_config(columns[n], rows[n], 0.05);
    config.self.shape = kind == 2;
    config.fabric.density = 0.15f + 0.1f * (float)n;
    config.edge_warp = n == 1 ? vector_at(0.48, 0.0, 0.0) : config.edge_warp;
    config.capacity.max_bodies = config.capacity.max_attachments = kind != 1;
    config.origin = vector_at(n == 1 ? 0.25 : -0.25, n == 3 ? -0.2 : 0.0, n == 2 ? 0.2 : -0.2);
    config.edge_weft = n == 2 ? vector_at(0.0, -0.3, 0.05) : config.edge_weft;
    config.substeps = 4 + n % 2;
    config.self.gathers = n != 1;
    config.sleep.speed = n == 3 ? 0.05f : 0.0f;
    config.sleep.time = 0.0f;
    config.self.untangle = n != 1;
    config.grid.stiffness_map = kind == 1 ? stiffness : NULL;
    config.world.origin.z = n == 2 ? 1 : 0;
    config.origin.z -= n == 2 ? 1.0f : 0.0f;
    config.tearing.max_breaks = kind == 1 ? 3 : 0;
    config.tearing.strain = 0.02f;
    if (kind == 2)
      use_two_tiers(&config);
    g->f[n] = fixture_make(&config);
    g->sheets[n] = g->f[n].sheet;
  }
  for (int n = 0; n < 13; n++)
    g->hem[n] = 12 - n;
  const cloth_seam side = {{0, 10, 11, 9, NULL}, {1, 0, 9, 9, NULL}, kind == 1 ? 2.0f : 0.0f};
  const cloth_seam hem = {{2, 0, 0, 13, g->hem}, {0, 98, -1, 11, NULL}, -1.0f};
  const cloth_seam dart = {{1, 8, 9, 5, NULL}, {1, 80, -9, 4, NULL}, 0.5f};
  g->seams[0] = side;
  g->seams[1] = hem;
  g->seams[2] = dart;
  g->exceptions[0] = (cloth_group_pair){3, 0, 0.03f, 0.8f};
  g->exceptions[1] = (cloth_group_pair){1, 2, 0.0f, 0.0f};
  g->ball.collider = shape_of(CLOTH_SHAPE_SPHERE, -0.45, turns[0], 1.2);
  g->ball.previous = g->ball.collider.pose;
  g->group = cloth_group_default();
  g->group.count = SEWN;
  g->group.cloths = g->sheets;
  g->group.seams = g->seams;
  g->group.seam_count = kind == 3 ? 0 : kind == 0 ? 3 : 2;
  g->group.exceptions = g->exceptions;
  g->group.exception_count = 2;
  g->group.pairs = 6;
  DONE(cloth_group_bytes(&g->group, &g->bytes));
  g->memory = guarded_buffer(g->bytes, 0, &g->allocation);
  memset(g->memory, 0x41, g->bytes);
}

static void free_garment(garment *g) {
  CHECK(guards_intact(g->memory, g->bytes), "bytes outside the memory of the group were written");
  free(g->allocation);
  for (int n = 0; n < SEWN; n++)
    fixture_free(&g->f[n]);
}

/* A mesh over the panels, drawn as it is now and between two states. */
static void tell_skin(garment *g) {
  enum { VERTICES = 48 };
  static float vertices[VERTICES * 10], drawn[VERTICES * 10];
  static cloth_vector kept[SEWN][MOST_PARTICLES];
  static cloth_binding bindings[VERTICES];
  static float grids[8 * 512];
  const cloth_skin_layout layout = {VERTICES, 40, 0, 12, 24};
  const cloth_bind_reach reach = {0.06f, 0.2f};
  cloth_blend blends[SEWN];
  for (int n = 0; n < VERTICES; n++) {
    const float vertex[10] = {0.08f * (float)(n % 8) - 0.25f,
                              0.02f * (float)(n % 3) - 0.02f,
                              0.1f * (float)(n / 8) - 0.2f,
                              0.28f,
                              0.96f,
                              0.0f,
                              0.96f,
                              -0.28f,
                              0.0f,
                              n % 2 ? 1.0f : -1.0f};
    memcpy(vertices + 10 * n, vertex, sizeof vertex);
  }
  DONE(cloth_bind(g->sheets, 2, &layout, vertices, &reach, bindings));
  tell_words(bindings, sizeof bindings);
  DONE(cloth_skin(g->sheets, 2, bindings, &layout, vertices, drawn));
  tell_words(drawn, sizeof drawn);
  for (int n = 0; n < SEWN; n++) {
    blends[n].positions = kept[n];
    blends[n].count = g->f[n].count;
    blends[n].fraction = 0.375f;
    DONE(cloth_keep_positions(g->sheets[n], &blends[n]));
  }
  DONE(cloth_step_together(&g->group, FRAME, g->memory, g->bytes));
  DONE(cloth_skin_blended(g->sheets, 2, blends, bindings, &layout, vertices, drawn));
  tell_words(drawn, sizeof drawn);
  if (g->group.seam_count > 0) {
    DONE(cloth_bind_group(&g->group, &layout, vertices, &reach, bindings));
    tell_words(bindings, sizeof bindings);
    DONE(cloth_skin_group(&g->group, blends, bindings, &layout, vertices, drawn));
    tell_words(drawn, sizeof drawn);
  }
  if (g->group.seam_count != 2 || cloth_get_vertex_count(g->sheets[0]) == g->f[0].count) {
    DONE(cloth_write_group_vertices(&g->group, NULL, &layout_usual, grids, sizeof grids));
    tell_words(grids, sizeof grids / 8 * 7);
  }
}

static void play_group(int kind) {
  garment g;
  make_garment(&g, kind);
  g.around.bodies = &g.ball;
  g.around.body_count = 1;
  g.around.reactions = &g.reaction;
  DONE(cloth_pin(g.sheets[0], 0));
  DONE(cloth_pin(g.sheets[1], 8));
  DONE(cloth_pin(g.sheets[2], 84));
  cloth_collider weight = shape_of(CLOTH_SHAPE_BOX, -0.05, turns[0], 0.2);
  const cloth_body body = cloth_body_default(&weight, 0.05f);
  for (int n = 0; n < 2 && kind != 1; n++) {
    DONE(cloth_add_collider(g.sheets[n], &weight));
    DONE(cloth_set_body(g.sheets[n], 0, &body));
    DONE(cloth_attach(g.sheets[n], n ? 9 : 60, 0, NULL));
  }
  for (int i = 0; i < 8; i++)
    DONE(cloth_pin(g.sheets[3], i % 4 + i / 4 * 64));
  if (kind == 3)
    throw_all(&g.f[0], 0.5, -6.0, 0.0);
  for (int frame = 0; frame < 14; frame++) {
    float gap = 0.0f;
    uint64_t bound = 0;
    DONE(cloth_step_together(&g.group, FRAME, g.memory, g.bytes));
    for (int n = 0; n < SEWN; n++)
      tell_state(g.sheets[n]);
    for (int n = 0; n < g.group.seam_count; n++) {
      DONE(cloth_group_seam_gap(&g.group, n, &gap));
      tell_words(&gap, sizeof gap);
    }
    DONE(cloth_group_work_bound(&g.group, FRAME, &bound));
    tell_wide(bound);
    if (frame == 9 && kind == 1)
      DONE(cloth_cut(g.sheets[1], &(cloth_cut_line){-0.5f, 4.5f, 4.5f, 4.25f}));
  }
  tell_skin(&g);
  for (int n = 0; n < SEWN; n++)
    tell_all(g.sheets[n]);
  free_garment(&g);
}

static void play_sewn(void) {
  play_group(0);
}

static void play_sewn_torn(void) {
  play_group(1);
}

static void play_sewn_spheres(void) {
  play_group(2);
}

static void play_loose_group(void) {
  play_group(3);
}

/* A side of a seam whose particles are `next` apart. */
static cloth_seam_side side_of(int32_t member, int32_t first, int32_t next, int32_t count) {
  const cloth_seam_side side = {member, first, next, count, NULL};
  return side;
}

/* Strips so narrow that the ends of their lines are sewn as well, in a ring, one of them wound the other way; a patch
   in the middle of the first. */
static void play_strips(void) {
  enum { STRIPS = 4 };
  fixture f[STRIPS];
  cloth *sheets[STRIPS];
  cloth_seam seams[STRIPS + 2];
  static cloth_vector rest[4 * 12];
  memset(seams, 0, sizeof seams);
  for (int i = 0; i < 4 * 12; i++)
    rest[i] = vector_at(0.08 + (0.04 + 0.001 * (i / 4)) * (i % 4), 0.0, 0.04 * (i / 4));
  for (int n = 0; n < STRIPS; n++) {
    cloth_config config = self_config(n == 3 ? 5 : 3 + n, 12, 0.04);
    config.self.gathers = 0;
    config.origin = vector_at(0.04 * (n == 1 ? 3 : n == 2 ? 6 : 0), n == 3 ? 0.03 : 0.0, n == 2 ? 0.44 : 0.0);
    if (n == 2)
      config.edge_weft = vector_at(0.0, 0.0, -0.44);
    config.integration.bdf2_blend = n == 1 ? 0.0f : 0.5f;
    config.grid.rest_positions = n == 1 ? rest : NULL;
    f[n] = fixture_make(&config);
    sheets[n] = f[n].sheet;
  }
  seams[0].a = side_of(0, 2, 3, 12);
  seams[0].b = side_of(1, 0, 4, 12);
  seams[1].a = side_of(1, 3, 4, 12);
  seams[1].b = side_of(2, 55, -5, 12);
  seams[2].a = side_of(2, 59, -5, 12);
  seams[2].b = side_of(0, 0, 3, 12);
  seams[3].a = side_of(3, 10, 1, 5);
  seams[3].b = side_of(2, 21, 1, 3);
  seams[2].stiffening = -1.0f;
  seams[4].a = side_of(3, 57, 0, 1);
  seams[4].b = side_of(1, 30, 0, 1);
  seams[5].a = side_of(3, 31, 1, 2);
  seams[5].b = side_of(1, 21, 4, 2);
  cloth_group group = cloth_group_default();
  unsigned char *allocation;
  size_t bytes;
  group.count = STRIPS;
  group.cloths = sheets;
  group.seams = seams;
  group.seam_count = STRIPS + 2;
  DONE(cloth_group_bytes(&group, &bytes));
  unsigned char *memory = guarded_buffer(bytes, 0, &allocation);
  DONE(cloth_pin(sheets[0], 0));
  DONE(cloth_pin(sheets[1], 2));
  for (int frame = 0; frame < 16; frame++) {
    static float grids[8 * 256];
    uint64_t bound = 0;
    DONE(cloth_group_work_bound(&group, FRAME, &bound));
    tell_wide(bound);
    DONE(cloth_step_together(&group, FRAME, memory, bytes));
    DONE(cloth_write_group_vertices(&group, NULL, &layout_usual, grids, sizeof grids));
    tell_words(grids, 32u * (12 * 12 + 60));
    for (int n = 0; n < STRIPS; n++)
      tell_state(sheets[n]);
  }
  free(allocation);
  for (int n = 0; n < STRIPS; n++)
    fixture_free(&f[n]);
}

/* Pre-shaped pieces with sides of different lengths: a frill gathered to the hem of a flared tube, over the edge of its
   grid, and a column of the tube gathered to the first column of the frill. */
static void play_gathers(void) {
  static const float around[8] = {1.0f, 0.75f, 0.0f, -0.75f, -1.0f, -0.75f, 0.0f, 0.75f};
  static const int32_t hem[8] = {54, 55, 48, 49, 50, 51, 52, 53};
  static cloth_vector rest[2][16 * 16];
  fixture f[2];
  cloth *sheets[2];
  for (int n = 0; n < 2; n++) {
    cloth_config config = self_config(n ? 13 : 8, 7, 0.05);
    for (int i = 0; i < config.columns * config.rows; i++) {
      const int column = i % config.columns, row = i / config.columns;
      const double wide = 0.1 + 0.01 * row, down = 0.04 * row + 0.002 * row * row;
      rest[n][i] = n ? vector_at(0.05 * column + 0.002 * column * column, -0.3 - down, 0.0)
                     : vector_at(wide * (double)around[column], -down, wide * (double)around[(column + 6) % 8]);
    }
    config.self_thickness = 0.015f;
    config.grid.wrap = n == 0;
    config.grid.rest_positions = rest[n];
    f[n] = fixture_make(&config);
    sheets[n] = f[n].sheet;
  }
  const cloth_seam seams[2] = {{{1, 0, 1, 13, NULL}, {0, 0, 0, 8, hem}, 0.0f},
                               {{0, 2, 8, 6, NULL}, {1, 13, 13, 4, NULL}, 1.0f}};
  cloth_group group = cloth_group_default();
  unsigned char *allocation;
  size_t bytes;
  group.count = 2;
  group.cloths = sheets;
  group.seams = seams;
  group.seam_count = 2;
  DONE(cloth_group_bytes(&group, &bytes));
  unsigned char *memory = guarded_buffer(bytes, 0, &allocation);
  for (int i = 0; i < 8; i += 2)
    DONE(cloth_pin(sheets[0], i));
  for (int frame = 0; frame < 16; frame++) {
    float gap = 0.0f;
    DONE(cloth_step_together(&group, FRAME, memory, bytes));
    DONE(cloth_group_seam_gap(&group, 0, &gap));
    tell_words(&gap, sizeof gap);
    tell_state(sheets[0]);
    tell_state(sheets[1]);
  }
  free(allocation);
  for (int n = 0; n < 2; n++)
    fixture_free(&f[n]);
}

/* Two pinned sheets that are sewn together sleep, and a third comes to them, from another side in each run. */
static void play_woken(int way) {
  static const cloth_vector ways[6] = {{1.0f, 0.0f, 0.0f},  {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},
                                       {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f},  {0.0f, 0.0f, -1.0f}};
  const int axis = way / 2;
  fixture f[3];
  cloth *sheets[3];
  for (int n = 0; n < 3; n++) {
    cloth_config config = self_config(7, 6, 0.05);
    const cloth_vector away = ways[way];
    config.edge_warp = axis == 0 ? vector_at(0.0, 0.3, 0.0) : vector_at(0.3, 0.0, 0.0);
    config.edge_weft = axis == 2 ? vector_at(0.0, 0.25, 0.0) : vector_at(0.0, 0.0, 0.25);
    config.origin = n < 2 ? vector_at(0.0, 0.0, 0.0)
                          : vector_at(-0.2 * (double)away.x, -0.2 * (double)away.y, -0.2 * (double)away.z);
    if (n == 1) {
      config.origin.x += axis == 0 ? 0.0f : 0.3f;
      config.origin.y += axis == 0 ? 0.3f : 0.0f;
    }
    config.gravity = vector_at(0.0, 0.0, 0.0);
    config.sleep.speed = n < 2 ? 0.01f : 0.0f;
    config.sleep.time = 0.05f;
    f[n] = fixture_make(&config);
    sheets[n] = f[n].sheet;
    for (int i = 0; n < 2 && i < f[n].count; i += 3)
      DONE(cloth_pin(sheets[n], i));
    if (n == 2) {
      for (int i = 0; i < f[n].count; i++)
        DONE(cloth_set_particle(sheets[n], i, vector_of(position_of(sheets[n], i)),
                                vector_of(point_scaled(point_of(away), 0.75 + 0.125 * (i % 5)))));
    }
  }
  const cloth_seam seam = {{0, 6, 7, 6, NULL}, {1, 0, 7, 6, NULL}, 0.0f};
  cloth_group group = cloth_group_default();
  unsigned char *allocation;
  size_t bytes;
  group.count = 3;
  group.cloths = sheets;
  group.seams = &seam;
  group.seam_count = 1;
  DONE(cloth_group_bytes(&group, &bytes));
  unsigned char *memory = guarded_buffer(bytes, 0, &allocation);
  int slept = 0, woken = 0;
  for (int frame = 0; frame < 22; frame++) {
    uint64_t bound = 0;
    DONE(cloth_group_work_bound(&group, FRAME, &bound));
    tell_wide(bound);
    DONE(cloth_step_together(&group, FRAME, memory, bytes));
    for (int n = 0; n < 3; n++)
      tell_state(sheets[n]);
    woken += slept > 0 && !cloth_is_asleep(sheets[0]);
    slept += cloth_is_asleep(sheets[1]);
  }
  CHECK(slept > 0 && woken > 0, "from side %d: asleep in %d frames, woken in %d", way, slept, woken);
  free(allocation);
  for (int n = 0; n < 3; n++)
    fixture_free(&f[n]);
}

static void play_all_woken(void) {
  for (int way = 0; way < 6; way++)
    play_woken(way);
}

/* A damped sheet on a moving ball and a body of a table falls asleep, is woken by calls and by the body, and sleeps
 * again. */
static void play_asleep(void) {
  for (int kind = 0; kind < 3; kind++) {
    cloth_config config = sheet_of(9, 8, 0.06, 0.02);
    config.sleep.speed = 1.0f;
    config.sleep.time = kind == 2 ? 0.0f : 0.04f;
    config.integration.velocity_damping = 50.0f;
    config.capacity.max_shared_bodies = kind == 1;
    config.capacity.max_attachments = 2;
    config.capacity.max_bodies = kind == 2;
    fixture s = fixture_make(&config);
    cloth_collider ball = shape_of(CLOTH_SHAPE_SPHERE, -0.2, turns[0], 1.0);
    cloth_shared_body below = {ball, ball.pose};
    cloth_reaction reaction;
    int slept = 0, woken = 0;
    memset(&reaction, 0, sizeof reaction);
    below.collider.pose.position.x = below.previous.position.x = 0.3f;
    DONE(cloth_add_collider(s.sheet, &ball));
    pin_corners(&s);
    DONE(cloth_attach(s.sheet, 40, 0, NULL));
    const cloth_body body = cloth_body_default(&ball, 0.5f);
    if (kind == 2)
      DONE(cloth_set_body(s.sheet, 0, &body));
    const cloth_surroundings around = {.bodies = &below, .body_count = kind == 1, .reactions = &reaction};
    for (int frame = 0; frame < 32; frame++) {
      cloth_pose pose = ball.pose;
      if (frame == 10)
        DONE(cloth_apply_impulse(s.sheet, 30, vector_at(0.0, 0.001, 0.0)));
      if (frame == 16) {
        below.previous = below.collider.pose;
        below.collider.pose.position.y += 0.05f;
      } else {
        below.previous = below.collider.pose;
      }
      if (frame == 22)
        DONE(cloth_move_collider(s.sheet, 0, NULL, &pose)); /* to where it is: wakes nothing */
      pose.position.y += 0.03f;
      if (frame == 24)
        DONE(cloth_move_collider(s.sheet, 0, NULL, &pose));
      step_told(&s, &around);
      const int sleeps = cloth_is_asleep(s.sheet);
      tell((uint32_t)sleeps);
      woken += slept > 0 && !sleeps;
      slept += sleeps;
      tell_forces(s.sheet);
      tell_words(&reaction, sizeof reaction);
    }
    CHECK(slept > 0 && woken > 0, "%d: asleep in %d frames, woken in %d", kind, slept, woken);
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/// Scenes: tears and shapes ///

/* A flag in a gale whose threads and pins tear, cut once more; as a sheet and as a tube. */
static void play_tears(void) {
  static float map[MOST_PARTICLES], stiffness[MOST_PARTICLES];
  static uint8_t mask[MOST_PARTICLES];
  for (int n = 0; n < MOST_PARTICLES; n++) {
    map[n] = 0.75f + 0.125f * (float)(n * 5 % 7);
    stiffness[n] = 0.5f + 0.25f * (float)(n % 4);
    mask[n] = n % 41 != 7;
  }
  for (int kind = 0; kind < 5; kind++) {
    cloth_config config = sheet_of(kind == 4 ? 5 : 17, 14, 0.05, 0.0);
    config.tearing.max_breaks = kind == 2 ? 2 : 8;
    config.tearing.strain = 0.008f;
    config.tearing.pin_force = kind == 1 ? 2.0f : 0.0f;
    config.tearing.max_torn_cells = kind == 3 ? 4 : 40;
    config.tearing.map = kind % 2 ? map : NULL;
    config.grid.stiffness_map = kind == 2 ? stiffness : NULL;
    config.grid.cell_mask = kind == 3 ? mask : NULL;
    config.grid.wrap = kind == 1 || kind == 4;
    config.wind = vector_at(4.0, -3.0, 9.0);
    config.air.drag = 0.5f;
    config.air.lift = 0.25f;
    config.self_thickness = kind == 3 ? 0.02f : 0.0f;
    if (kind == 2)
      use_two_tiers(&config);
    fixture s = fixture_make(&config);
    for (int i = 0; i < config.columns; i += 4) {
      DONE(cloth_pin(s.sheet, i));
      DONE(cloth_pin(s.sheet, i + 9 * config.columns));
    }
    if (kind == 1)
      DONE(cloth_set_tether(s.sheet, 60, 0, 4));
    const int held = 4 + 9 * config.columns;
    for (int frame = 0; frame < 16; frame++) {
      cloth_vector place = {0};
      if (cloth_get_freedom(s.sheet, held) == 0) {
        DONE(cloth_get_position(s.sheet, held, &place));
        place.z += 0.01f;
        place.y += 0.005f;
        DONE(cloth_move_pin(s.sheet, held, place));
        DONE(cloth_get_velocity(s.sheet, held, &place));
        tell_words(&place, sizeof place);
      }
      if (frame == 7)
        DONE(cloth_cut(s.sheet, &(cloth_cut_line){3.25f, 1.5f, 12.0f, 8.75f}));
      step_told(&s, NULL);
    }
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/* Pieces with uneven rows: a trapezoid, with a hole; a flared tube. */
static void play_rest_shapes(void) {
  static const float around[8] = {1.0f, 0.75f, 0.0f, -0.75f, -1.0f, -0.75f, 0.0f, 0.75f};
  static cloth_vector rest[MOST_PARTICLES];
  static float stiffness[MOST_PARTICLES];
  static uint8_t mask[MOST_PARTICLES];
  for (int kind = 0; kind < 4; kind++) {
    const int tube = kind % 2;
    cloth_config config = sheet_of(tube ? 8 : 13, 11, 0.1, 0.0);
    for (int n = 0; n < config.columns * config.rows; n++) {
      const int column = n % config.columns, row = n / config.columns;
      const double down = 0.05 * row + 0.002 * row * row, wide = tube ? 0.25 + 0.02 * row : 0.06 + 0.004 * row;
      rest[n] = tube ? vector_at(wide * (double)around[column], -down, wide * (double)around[(column + 6) % 8])
                     : vector_at(wide * (column - 6) + 0.001 * column * column, 0.01 * (column % 2), down);
      stiffness[n] = 0.5f + 0.125f * (float)(n % 5);
      mask[n] = n % 29 != 17;
    }
    config.grid.rest_positions = rest;
    config.grid.wrap = tube;
    config.grid.stiffness_map = kind > 1 ? stiffness : NULL;
    config.grid.cell_mask = kind == 2 ? mask : NULL;
    config.tearing.max_breaks = kind == 3 ? 4 : 0;
    config.tearing.strain = 0.02f;
    config.strain_limit.sweeps = kind == 0 ? 2 : 0;
    config.self_thickness = kind == 2 ? 0.015f : 0.0f;
    config.wind = vector_at(3.0, 0.0, 2.0);
    if (kind == 3)
      use_two_tiers(&config);
    fixture s = fixture_make(&config);
    cloth_collider ball = shape_of(CLOTH_SHAPE_SPHERE, -0.3, turns[0], 1.0);
    DONE(cloth_add_collider(s.sheet, &ball));
    pin_corners(&s);
    for (int frame = 0; frame < 14; frame++)
      step_told(&s, NULL);
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/* Which shapes are refused, and in which words: rows that are closer and closer, or lean more and more. */
static void play_refused_shapes(void) {
  static cloth_vector rest[16 * 16];
  random_source random = {9};
  for (int n = 0; n < 150; n++) {
    char text[200];
    cloth_memory memory;
    const int columns = random_int(&random, 2, 7), rows = random_int(&random, 2, 7);
    cloth_config config = sheet_of(columns, rows, 0.1, 0.0);
    const int count = config.columns * config.rows, odd = random_int(&random, 0, count - 1);
    const double share = random_real(&random, 0.0, 1.0), narrow = random_real(&random, 0.05, 1.0);
    config.grid.wrap = config.columns > 4 && n % 5 == 0;
    for (int i = 0; i < count; i++) {
      const int column = i % config.columns, row = i / config.columns;
      rest[i] = vector_at(0.1 * column + (n % 3 == 0 ? 0.1 * row * share : 0.0), 0.0,
                          0.1 * row * (n % 3 == 1 && row == config.rows - 1 ? narrow : 1.0));
      if (config.grid.wrap)
        rest[i].y = 0.1f * (float)(column % 2 ? 1 : -1);
    }
    if (n % 3 == 2) {
      rest[odd].x += (float)(0.3 * share);
      rest[odd].z -= (float)(0.2 * narrow);
    }
    config.grid.rest_positions = rest;
    const int result = cloth_memory_needed(&config, &memory);
    tell((uint32_t)result);
    CHECK(cloth_config_explain(&config, text, sizeof text) == result, "%s", text);
    for (const char *at = text; *at; at++)
      tell((unsigned char)*at);
  }
}

/// Scenes: inputs ///

/* Targets with every kind of constraint, which lean and sway; gusts, confinements, a moving frame and origin. */
static void play_targets(void) {
  for (int kind = 0; kind < 3; kind++) {
    static cloth_vector vertices[2 * MOST_PARTICLES];
    const cloth_vertex_layout layout = {24, 0, 12, CLOTH_ATTRIBUTE_NONE};
    cloth_config config = sheet_of(13, 11, 0.05, 0.0);
    config.capacity.targets = 1;
    config.world.recentre_distance = kind == 1 ? 2.0f : 0.0f;
    config.integration.bdf2_blend = kind == 2 ? 0.0f : 0.8f;
    if (kind == 2)
      use_two_tiers(&config);
    fixture s = fixture_make(&config);
    const cloth_gusts gusts = {{6.0f, 1.0f, 3.0f}, 0.0625f, 0.25f, 2026};
    DONE(cloth_set_gusts(s.sheet, &gusts));
    for (int i = 0; i < s.count; i++) {
      static const cloth_motion_constraint constraints[7] = {
          {0.0f, 0.0f, 0.0f},   {0.02f, 0.0f, 0.0f}, {0.04f, 0.01f, 0.2f},  {0.03f, 0.05f, 0.1f},
          {1e9f, 0.005f, 0.3f}, {1e9f, 0.0f, 0.0f},  {0.05f, 0.002f, 0.03f}};
      cloth_motion_constraint constraint = constraints[i % 7];
      if (constraint.max_distance > 1e8f)
        constraint.max_distance = CLOTH_ANY_DISTANCE;
      DONE(cloth_set_motion_constraint(s.sheet, i, &constraint));
    }
    DONE(cloth_confine_to_line(s.sheet, 60, vector_at(0.0, 1.0, 0.5)));
    DONE(cloth_confine_to_plane(s.sheet, 70, vector_at(0.25, 1.0, 0.0)));
    for (int frame = 0; frame < 12; frame++) {
      const double sway = frame % 6 < 3 ? 0.02 * frame : -0.015 * frame;
      for (int i = 0; i < s.count; i++) {
        vertices[2 * i] = vector_at(0.05 * (i % 13) - 0.3 + sway, 0.01 * (i % 3) - 0.5 * sway, 0.05 * (i / 13) - 0.25);
        vertices[2 * i + 1] = vector_at(sway * 4.0, 1.0, 0.1 * (i % 4));
      }
      if (frame % 4 != 3)
        DONE(cloth_move_targets(s.sheet, &layout, vertices, sizeof vertices));
      const cloth_pose from = {{0.25f, 0.0f, 0.5f}, {0.0f, 0.0f, 0.0f, 1.0f}};
      const cloth_pose to = {{kind == 1 ? 3.75f : 0.3f, 0.25f, 0.45f}, {0.0f, 0.28f, 0.0f, 0.96f}};
      const cloth_inertia inertia = {0.25f, 0.5f, 0.75f};
      if (frame % 5 == 2)
        DONE(cloth_move_frame(s.sheet, &from, &to, &inertia, FRAME, 1));
      if (frame == 9)
        DONE(cloth_recentre(&s.sheet, 1, NULL));
      step_told(&s, NULL);
    }
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/* Origins at the end of the world and beyond, on each axis; the cloth is near. */
static void play_origins(void) {
  for (int n = 0; n < 6; n++) {
    cloth_config config = sheet_of(5, 4, 0.06, 0.0);
    int32_t *axis = n / 2 == 0 ? &config.world.origin.x : n / 2 == 1 ? &config.world.origin.y : &config.world.origin.z;
    const int sign = n % 2 ? -1 : 1;
    cloth_memory memory;
    for (int beyond = 1; beyond >= -5; beyond--) {
      *axis = sign * (CLOTH_ORIGIN_LIMIT + beyond);
      tell((uint32_t)cloth_memory_needed(&config, &memory));
    }
    fixture s = fixture_make(&config);
    for (int beyond = 3; beyond > -3; beyond--) {
      *axis = sign * (CLOTH_ORIGIN_LIMIT + beyond);
      tell((uint32_t)cloth_set_origin(&s.sheet, 1, config.world.origin));
      tell_wide(read_hash(s.sheet));
    }
    for (int32_t way = 2; way < 200000; way *= 3) {
      *axis = sign * (CLOTH_ORIGIN_LIMIT - way);
      tell((uint32_t)cloth_set_origin(&s.sheet, 1, config.world.origin));
      tell_wide(read_hash(s.sheet));
    }
    CHECK(all_finite(s.sheet), "%d", n);
    fixture_free(&s);
  }
}

/* Air with one coefficient at a time, and none; still and in wind. */
static void play_air(void) {
  for (int kind = 0; kind < 8; kind++) {
    cloth_config config = sheet_of(9, 8, 0.06, 0.0);
    config.air.drag = kind / 2 == 0 ? 1.0f : 0.0f;
    config.air.lift = kind / 2 == 1 ? 0.8f : 0.0f;
    config.air.normal_drag = kind / 2 == 2 ? 1.5f : 0.0f;
    config.wind = kind % 2 ? vector_at(5.0, 3.0, -2.0) : config.wind;
    fixture s = fixture_make(&config);
    pin_corners(&s);
    throw_all(&s, 1.0, -2.0, 0.5);
    for (int frame = 0; frame < 5; frame++)
      step_told(&s, NULL);
    fixture_free(&s);
  }
}

static void play_defaults(void) {
  const cloth_group group = cloth_group_default();
  CHECK(!group.cloths && !group.exceptions && !group.around && !group.seams, "pointers");
  tell_words(&group.count, sizeof group.count);
  tell_words(&group.pairs, sizeof group.pairs);
  tell_words(&group.exception_count, sizeof group.exception_count);
  tell_words(&group.seam_count, sizeof group.seam_count);
  tell_words(&group.seam_speed, sizeof group.seam_speed);
  const cloth_collider collider = cloth_collider_default();
  tell_words(&collider, sizeof collider);
  const cloth_motion_constraint constraint = cloth_motion_constraint_default();
  tell_words(&constraint, sizeof constraint);
  for (int32_t shape = CLOTH_SHAPE_PLANE; shape <= CLOTH_SHAPE_CYLINDER; shape++) {
    const cloth_collider c = shape_of(shape, 0.1, turns[1], 1.0);
    const cloth_body body = cloth_body_default(&c, 2.0f);
    tell_words(&body, sizeof body);
  }
  for (int kind = 0; kind < CLOTH_FABRIC_COUNT; kind++) {
    cloth_fabric fabric;
    DONE(cloth_fabric_preset((cloth_fabric_kind)kind, &fabric));
    tell_words(&fabric, sizeof fabric);
  }
}

/* Bodies of every shape on a held sheet, two of them attached; one is taken away and one loses its mass. */
static void play_bodies(void) {
  static float masses[MOST_PARTICLES];
  for (int n = 0; n < MOST_PARTICLES; n++)
    masses[n] = 0.5f + 0.25f * (float)(n % 5);
  for (int kind = 0; kind < 3; kind++) {
    cloth_config config = sheet_of(17, 15, 0.06, 0.0);
    config.capacity.max_bodies = 4;
    config.capacity.max_attachments = 6;
    config.grid.wrap = kind == 2;
    config.grid.mass_map = kind == 2 ? masses : NULL;
    config.sleep.speed = kind == 1 ? 0.2f : 0.0f;
    config.sleep.time = 0.05f;
    if (kind == 1) {
      use_two_tiers(&config);
      config.substeps = 8;
    }
    fixture s = fixture_make(&config);
    for (int i = 0; i < s.count; i++) {
      if (i / 17 == 0 || i / 17 == 14 || i % 17 == 0)
        DONE(cloth_pin(s.sheet, i));
    }
    for (int n = 0; n < 4; n++) {
      static const int32_t shapes[4] = {CLOTH_SHAPE_SPHERE, CLOTH_SHAPE_BOX, CLOTH_SHAPE_CAPSULE, CLOTH_SHAPE_CYLINDER};
      cloth_collider c = shape_of(shapes[n], 0.0, turns[n % 3], 0.4);
      c.pose.position = vector_at(0.2 * (n % 2) - 0.1, 0.12 + 0.02 * n + (kind == 2 ? 0.2 : 0.0), 0.25 * (n / 2) - 0.1);
      cloth_body body = cloth_body_default(&c, 0.5f + (float)n);
      body.spin = vector_at(1.0, 2.0 * n, -0.5);
      body.velocity = vector_at(0.25, -0.5, 0.125 * n);
      if (kind == 1 && n == 3)
        body.inertia = vector_at(0.0, 0.0, 0.0);
      DONE(cloth_add_collider(s.sheet, &c));
      DONE(cloth_set_body(s.sheet, n, &body));
    }
    cloth_collider beside = shape_of(CLOTH_SHAPE_SPHERE, -0.05, turns[0], 0.5);
    beside.pose.position.x = -0.3f;
    DONE(cloth_add_collider(s.sheet, &beside));
    const cloth_vector place = vector_at(0.02, -0.05, 0.01);
    DONE(cloth_attach(s.sheet, 100, 0, NULL));
    DONE(cloth_attach(s.sheet, 101, 2, &place));
    DONE(cloth_attach(s.sheet, 102, 2, NULL));
    DONE(cloth_attach(s.sheet, 90, 3, &place));
    for (int frame = 0; frame < 16; frame++) {
      if (frame == 6)
        DONE(cloth_release(s.sheet, 101));
      if (frame == 8)
        DONE(cloth_set_body(s.sheet, 1, NULL));
      if (frame == 10)
        DONE(cloth_remove_collider(s.sheet, 2));
      if (frame == 12)
        DONE(cloth_set_gravity(s.sheet, vector_at(2.0, -8.0, 1.0)));
      step_told(&s, NULL);
    }
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/* Two pieces of every stage, in the wrong order. */
static void run_backwards(void *context, cloth_piece piece, void *job, int32_t count) {
  (void)context;
  for (int32_t n = count; n-- > 0;)
    piece(job, n);
}

static void play_workers(void) {
  const cloth_workers workers = {run_backwards, NULL};
  for (int kind = 0; kind < 3; kind++) {
    cloth_config config = kind ? sheet_of(30, 27, 0.04, 0.1) : sheet_of(70, 60, 0.015, 0.03); /* 4,200: two parts */
    config.capacity.workers = 2 + kind;
    config.capacity.max_contacts = 0; /* a list of contacts is made by one thread */
    config.grid.wrap = kind == 2;
    config.strain_limit.sweeps = kind;
    config.capacity.max_bodies = kind == 1;
    config.wind = vector_at(1.0, 0.5, 2.0);
    if (kind == 1)
      use_two_tiers(&config);
    fixture s = fixture_make(&config);
    cloth_collider ball = shape_of(CLOTH_SHAPE_SPHERE, -0.15, turns[0], 1.0);
    cloth_collider box = shape_of(CLOTH_SHAPE_BOX, -0.1, turns[1], 1.5);
    DONE(cloth_add_collider(s.sheet, &ball));
    DONE(cloth_add_collider(s.sheet, &box));
    pin_corners(&s);
    const cloth_surroundings around = {.workers = &workers};
    for (int frame = 0; frame < (kind ? 6 : 3); frame++)
      step_told(&s, &around);
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/// Scenes: methods ///

/* Configs of all kinds, drawn at random. */
static void play_random(int seed) {
  random_source random = {(uint64_t)seed};
  for (int n = 0; n < 24; n++) {
    cloth_config config = random_config(&random);
    config.capacity.max_contacts = 16;
    fixture s = fixture_make(&config);
    if (n % 3)
      pin_corners(&s);
    cloth_collider c = shape_of((int32_t)(n % 5), -0.1, turns[n % 6], 1.0);
    if (config.max_colliders > 0)
      DONE(cloth_add_collider(s.sheet, &c));
    if (n % 2)
      DONE(cloth_set_wind(s.sheet, vector_at(3.0, 1.0, -2.0)));
    for (int frame = 0; frame < 6; frame++) {
      if (frame == 3) {
        cloth_fabric fabric;
        DONE(cloth_fabric_preset((cloth_fabric_kind)(n % CLOTH_FABRIC_COUNT), &fabric));
        DONE(cloth_set_fabric(s.sheet, &fabric));
      }
      step_told(&s, NULL);
    }
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

static void play_random_1(void) {
  play_random(1);
}

static void play_random_2(void) {
  play_random(2);
}

static int tell_plan(const cloth_config *config, uint64_t work, float stretch, cloth_forecast *forecast) {
  cloth_config planned;
  memset(forecast, 0, sizeof *forecast);
  const int result = cloth_plan(config, FRAME, work, stretch, &planned, forecast);
  tell((uint32_t)result);
  if (result == CLOTH_OK) {
    tell_wide(forecast->work);
    tell_words(&forecast->stretch, sizeof forecast->stretch);
    tell_words(&planned.integration, sizeof planned.integration);
    tell_words(&planned.strain_limit, sizeof planned.strain_limit);
    tell_words(&planned.tethers, sizeof planned.tethers);
    tell((uint32_t)planned.substeps);
  }
  return result;
}

/* Plans for goals of work and of stretch, and bounds of work. */
static void play_plans(void) {
  random_source random = {5};
  for (int n = 0; n < 40; n++) {
    cloth_config config = random_config(&random);
    cloth_forecast forecast;
    uint64_t bound = 0;
    DONE(cloth_fabric_preset((cloth_fabric_kind)(n % CLOTH_FABRIC_COUNT), &config.fabric));
    config.contact.mode = CLOTH_CONTACT_PROJECTION;
    config.grid.mass_map = config.grid.stiffness_map = NULL;
    config.capacity.geometry = n % 4 == 1;
    config.capacity.meshes = n % 4 == 2;
    config.capacity.max_shared_bodies = n % 4 < 3 ? n % 4 : 0;
    tell((uint32_t)cloth_config_work_bound(&config, FRAME, &bound));
    tell_wide(bound);
    const float stretch = n % 3 ? 0.002f * (float)(n % 7 + 1) : 0.0f;
    const uint64_t work = n % 3 == 2 ? 0 : bound / (uint64_t)(1 + n % 4);
    if (tell_plan(&config, work, stretch, &forecast) == CLOTH_OK) { /* then just what that takes */
      cloth_forecast again;
      tell_plan(&config, forecast.work, 0.0f, &again);
      tell_plan(&config, 0, forecast.stretch, &again);
      tell_plan(&config, forecast.work, forecast.stretch, &again);
    }
  }
}

/* Sheets that come to rest in one call, and with efforts cut short. */
static void play_settled(void) {
  for (int kind = 0; kind < 4; kind++) {
    cloth_config config = sheet_of(11, 9, 0.06, 0.05);
    cloth_settle_report report;
    config.self_thickness = kind == 1 ? 0.02f : 0.0f;
    config.capacity.max_bodies = kind == 2;
    config.strain_limit.sweeps = kind == 3 ? 6 : 0;
    if (kind == 3)
      use_two_tiers(&config);
    fixture s = fixture_make(&config);
    cloth_collider ball = shape_of(CLOTH_SHAPE_SPHERE, kind == 2 ? 0.2 : -0.2, turns[0], 1.0);
    const cloth_body body = cloth_body_default(&ball, 0.25f);
    DONE(cloth_add_collider(s.sheet, &ball));
    pin_corners(&s);
    DONE(cloth_pin(s.sheet, 88));
    DONE(cloth_pin(s.sheet, 98));
    if (kind == 2)
      DONE(cloth_set_body(s.sheet, 0, &body));
    DONE(cloth_settle(s.sheet, FRAME, 0.02f, 60, &report));
    tell_work(report.work);
    memset(report.work, 0, sizeof report.work);
    tell_words(&report, sizeof report);
    for (int frame = 0; frame < 8; frame++) {
      const cloth_effort effort = {frame, 1};
      DONE(cloth_step_again(s.sheet, FRAME, &effort));
      tell_state(s.sheet);
    }
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/// Scenes: on a lattice ///

/* Numbers drawn for scenes: multiples of 1/8, so that distances and times of contact are equal to thresholds and to
   each other, which decides between < and <=. */
static float eighths(random_source *random, int low, int high) {
  return 0.125f * (float)random_int(random, low, high);
}

static cloth_vector lattice_vector(random_source *random, int most) {
  cloth_vector v;
  v.x = eighths(random, -most, most);
  v.y = eighths(random, -most, most);
  v.z = eighths(random, -most, most);
  return v;
}

/* A sheet without weight and imperfection, level or in steps, with holes in some. */
static cloth_config lattice_config(random_source *random, int kind) {
  static cloth_vector positions[8 * 8];
  static uint8_t mask[8 * 8];
  const int columns = random_int(random, 3, 8), rows = random_int(random, 3, 8);
  cloth_config config = sheet_of(columns, rows, 0.125, 0.0);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  config.grid.imperfection = 0.0f;
  config.substeps = 1;
  config.thickness = kind % 2 ? 0.0f : 0.015625f;
  config.origin = vector_at(-0.25, eighths(random, 0, 2), -0.25);
  for (int n = 0; n < config.columns * config.rows; n++) {
    const int column = n % config.columns, row = n / config.columns;
    positions[n] = vector_at(0.125 * column - 0.25, random_int(random, 0, 2) ? 0.0 : (double)eighths(random, -1, 1),
                             0.125 * row - 0.25);
    mask[n] = random_int(random, 0, 5) > 0;
  }
  mask[0] = 1;
  config.grid.positions = kind % 3 == 1 ? positions : NULL;
  config.grid.cell_mask = kind % 4 == 3 ? mask : NULL;
  return config;
}

static void tell_lattice_queries(const fixture *s, random_source *random) {
  for (int n = 0; n < 150; n++) {
    cloth_surface_point found;
    const cloth_vector from = lattice_vector(random, 4), way = lattice_vector(random, 2);
    const float length = random_int(random, 0, 3) ? 3.0f : eighths(random, 0, 6);
    const cloth_ray ray = {from, way, length, random_int(random, 0, 1) ? 0.0f : eighths(random, 0, 2)};
    memset(&found, 0, sizeof found);
    tell_point(cloth_cast_ray(s->sheet, &ray, &found), &found);
    const float most = random_int(random, 0, 2) ? CLOTH_ANY_DISTANCE : eighths(random, 0, 4);
    tell_point(cloth_find_nearest(s->sheet, lattice_vector(random, 5), most, &found), &found);
  }
}

/* A mesh bound to the sheet, which then moves, with an animation of all of it. */
static void tell_lattice_skin(const fixture *s, random_source *random) {
  enum { VERTICES = 60 };
  static float vertices[VERTICES * 10], drawn[VERTICES * 10];
  static cloth_binding bindings[VERTICES];
  const int32_t normals = random_int(random, 0, 2) ? 12 : CLOTH_ATTRIBUTE_NONE;
  const int32_t tangents = random_int(random, 0, 2) ? 24 : CLOTH_ATTRIBUTE_NONE;
  const cloth_skin_layout layout = {VERTICES, 40, 0, normals, tangents};
  const float full = eighths(random, 0, 2);
  const cloth_bind_reach reach = {full, full + eighths(random, 1, 3)};
  for (int n = 0; n < VERTICES; n++) {
    const int axis = n % 3, sign = n % 2 ? 1 : -1;
    const cloth_vector at = lattice_vector(random, 4);
    float *v = vertices + 10 * n;
    memset(v, 0, 40);
    v[0] = at.x, v[1] = at.y, v[2] = at.z;
    v[3 + axis] = (float)sign;
    v[6 + (axis + 1) % 3] = 1.0f;
    v[9] = n % 4 < 2 ? 1.0f : -1.0f;
  }
  memcpy(drawn, vertices, sizeof drawn);
  const int bound = cloth_bind(&s->sheet, 1, &layout, vertices, &reach, bindings);
  tell((uint32_t)bound);
  if (bound < 0)
    return;
  tell_words(bindings, sizeof bindings);
  for (int i = 0; i < s->count; i += 3)
    cloth_set_particle(s->sheet, i, vector_of(point_sum(position_of(s->sheet, i), (point){0.0, 0.125, 0.0625})),
                       lattice_vector(random, 1));
  tell((uint32_t)cloth_skin(&s->sheet, 1, bindings, &layout, vertices, drawn));
  tell_words(drawn, sizeof drawn);
  tell((uint32_t)cloth_skin(&s->sheet, 1, bindings, &layout, NULL, drawn));
  tell_words(drawn, sizeof drawn);
}

static void play_lattice_queries(void) {
  random_source random = {31};
  for (int kind = 0; kind < 108; kind++) {
    const cloth_config config = lattice_config(&random, kind);
    fixture s = fixture_make(&config);
    tell_lattice_queries(&s, &random);
    tell_lattice_skin(&s, &random);
    fixture_free(&s);
  }
}

static float lattice_heights[3][5];

static double lattice_height(double x, double z) {
  const int column = (int)(4.0 * (x + 1.0)) % 3, row = (int)(4.0 * (z + 1.0)) % 5;
  return (double)lattice_heights[column < 0 ? 0 : column][row < 0 ? 0 : row];
}

static double lattice_distance(double x, double y, double z) {
  return y - 0.25 * lattice_height(x, z);
}

/* A geometry of the lattice, or none: a shape without one. */
static int build_lattice(built *b, int kind, random_source *random) {
  for (int n = 0; n < 15; n++)
    lattice_heights[n / 5][n % 5] = eighths(random, -1, 1);
  switch (kind) {
  case 0:
    *b = build_field_of(lattice_height, 1.0, 5);
    return 1;
  case 1:
    *b = build_sheet_of(lattice_height, 1.0, 5, 0);
    return 1;
  case 2:
    *b = build_sheet_of(lattice_height, 1.0, 5, 1);
    return 1;
  case 3:
    *b = build_grid_of(lattice_distance, 1.0, 5);
    return 1;
  case 4:
    *b = build_box(0.25, 0.125, 0.25);
    return 1;
  case 5:
    *b = build_star(random_int(random, 0, 1));
    return 1;
  default:
    return 0;
  }
}

/* Sheets that touch, just miss and run into shapes, in steps in which all of them move by parts of the lattice. */
static void play_lattice_contacts(void) {
  random_source random = {32};
  for (int kind = 0; kind < 528; kind++) {
    built b;
    cloth_config config = lattice_config(&random, kind);
    const int shape = kind % 11, has_geometry = build_lattice(&b, shape - CLOTH_SHAPE_CYLINDER - 1, &random);
    config.capacity.geometry = has_geometry;
    config.capacity.meshes = has_geometry;
    config.capacity.max_bodies = kind % 5 == 4;
    config.integration.bdf2_blend = kind % 2 ? 0.0f : 0.5f;
    fixture s = fixture_make(&config);
    cloth_collider c = has_geometry ? collider_with(&b) : shape_of(shape, 0.0, turns[0], 1.0);
    c.pose.position = lattice_vector(&random, 2);
    if (!has_geometry) {
      c.radius = eighths(&random, 1, 2);
      c.radius_top = kind % 3 ? c.radius : 0.125f;
      c.half_height = eighths(&random, 1, 2);
      c.half_extents = vector_at(0.25, eighths(&random, 1, 2), 0.125);
    }
    c.pose.rotation = kind % 4 == 2 ? turns[4] : turns[0];
    c.static_friction = c.kinetic_friction = kind % 3 ? 0.5f : 0.0f;
    DONE(cloth_add_collider(s.sheet, &c));
    const cloth_body body = cloth_body_default(&c, 1.0f);
    if (config.capacity.max_bodies)
      tell((uint32_t)cloth_set_body(s.sheet, 0, &body));
    for (int i = 0; i < s.count; i++)
      cloth_set_particle(s.sheet, i, vector_of(position_of(s.sheet, i)),
                         vector_at(0.0, -8.0 * (double)eighths(&random, -1, 2), i % 5 ? 0.0 : 4.0));
    const cloth_surroundings around = has_geometry ? around_of(&b) : (cloth_surroundings){.geometries = NULL};
    for (int frame = 0; frame < 4; frame++) {
      cloth_pose pose = c.pose;
      pose.position.y += 0.125f * (float)(frame % 2);
      if (frame > 0)
        DONE(cloth_move_collider(s.sheet, 0, NULL, &pose));
      tell((uint32_t)cloth_step_with(s.sheet, 0.015625f, &around));
      tell_state(s.sheet);
      tell_forces(s.sheet);
    }
    fixture_free(&s);
    if (has_geometry)
      free_built(&b);
  }
}

/* Layers at the distance at which they touch, some of which move. */
static void play_lattice_layers(void) {
  static cloth_vector positions[25 * 10];
  random_source random = {33};
  for (int kind = 0; kind < 120; kind++) {
    const int columns = random_int(&random, 10, 25), rows = random_int(&random, 4, 10);
    cloth_config config = self_config(columns, rows, 0.125);
    config.gravity = vector_at(0.0, 0.0, 0.0);
    config.grid.imperfection = 0.0f;
    config.substeps = 1 + kind % 2;
    config.self_thickness = 0.03125f;
    config.self_friction = kind % 3 ? 0.5f : 0.0f;
    config.self.shape = kind % 2;
    config.self.untangle = kind % 5 > 0;
    config.self.gathers = kind % 4;
    config.self.pairs = 1 + kind % 7;
    for (int n = 0; n < config.columns * config.rows; n++) {
      const int column = n % config.columns, layer = column / 5, inner = column % 5;
      const int shift = kind % 3 == 0 ? layer % 2 : 0;
      positions[n] = vector_at(0.125 * (layer % 2 ? 4 - inner : inner) + 0.0625 * shift,
                               (kind % 4 == 3 ? 0.015625 : 0.03125) * layer, 0.125 * (n / config.columns));
    }
    config.grid.positions = positions;
    fixture s = fixture_make(&config);
    for (int i = 0; kind % 2 && i < s.count; i++)
      cloth_set_particle(s.sheet, i, positions[i], vector_at(0.0, (double)eighths(&random, -8, 8), 0.0));
    for (int frame = 0; frame < 5; frame++) {
      tell((uint32_t)cloth_step(s.sheet, 0.015625f));
      tell_state(s.sheet);
    }
    tell_measures(s.sheet);
    fixture_free(&s);
  }
}

/// Scenes: drawn at random ///

/* What random_config() leaves out. */
static void widen_config(cloth_config *config, random_source *random) {
  static uint8_t mask[24 * 24];
  static float map[24 * 24];
  static cloth_vector rest[24 * 24];
  for (int n = 0; n < 24 * 24; n++) {
    mask[n] = random_int(random, 0, 11) > 0;
    map[n] = eighths(random, 4, 16);
  }
  mask[0] = 1;
  for (int i = 0; i < config->columns * config->rows; i++) {
    const int column = i % config->columns, row = i / config->columns;
    rest[i] = vector_at((0.0625 + 0.001 * row) * column, 0.0, 0.0625 * row + 0.0005 * row * row);
  }
  config->grid.wrap = random_int(random, 0, 3) == 0 && config->columns > 4;
  config->grid.rest_positions = config->grid.wrap || random_int(random, 0, 3) ? NULL : rest;
  config->grid.cell_mask = random_int(random, 0, 3) ? NULL : mask;
  config->fabric.compression = eighths(random, 0, 8);
  config->fabric.shear_compression = eighths(random, 0, 8);
  config->fabric.stretch_damping = random_int(random, 0, 2) ? 0.0f : eighths(random, 0, 16);
  config->fabric.bend_damping = random_int(random, 0, 2) ? 0.0f : 0.01f * eighths(random, 0, 8);
  config->air.lift = random_int(random, 0, 1) ? 0.0f : eighths(random, 0, 8);
  config->air.normal_drag = random_int(random, 0, 1) ? 0.0f : eighths(random, 0, 8);
  config->wind = lattice_vector(random, 40);
  config->thickness = random_int(random, 0, 1) ? config->thickness : 0.0625f * eighths(random, 0, 8);
  config->integration.max_substeps = random_int(random, config->substeps > 1 ? config->substeps : 1, 16);
  config->integration.explicit_threshold =
      random_int(random, 0, 3) ? config->integration.explicit_threshold : 0.25f * eighths(random, 0, 16);
  config->integration.velocity_damping = random_int(random, 0, 2) ? 0.0f : eighths(random, 0, 40);
  config->tethers.scale = 1.0f + eighths(random, 0, 2);
  config->strain_limit.max_extension = 0.125f * eighths(random, 0, 8);
  config->strain_limit.max_compression = eighths(random, 0, 8);
  config->solver.preconditioner = random_int(random, 0, 4);
  config->tearing.max_breaks = random_int(random, 0, 3) ? 0 : random_int(random, 1, 8);
  config->tearing.max_torn_cells = random_int(random, 0, 20);
  config->tearing.strain = 0.125f * eighths(random, 0, 4);
  config->tearing.pin_force = random_int(random, 0, 1) ? 0.0f : eighths(random, 1, 20);
  config->tearing.map = random_int(random, 0, 1) ? NULL : map;
  config->sleep.time = 0.25f * eighths(random, 0, 4);
  config->world.recentre_distance = random_int(random, 0, 2) ? 0.0f : eighths(random, 1, 16);
  config->capacity.max_confined = random_int(random, 0, 4);
  config->capacity.max_bodies = random_int(random, 0, 2);
  config->capacity.max_attachments = random_int(random, 0, 3);
  config->capacity.pin_reactions = random_int(random, 0, 1);
  config->capacity.max_contacts = random_int(random, 0, 1) ? 0 : random_int(random, 1, 40);
  config->capacity.fixed_work = random_int(random, 0, 3) == 0;
  config->capacity.max_shared_bodies = random_int(random, 0, 2);
  config->self.pairs = random_int(random, 1, 8);
  config->self.gathers = random_int(random, 0, 3);
  config->self.untangle = random_int(random, 0, 1);
  config->self.shape = random_int(random, 0, 1);
  config->self_friction = eighths(random, 0, 8);
}

/* A call that changes the cloth, or is refused. */
static int call_at_random(const fixture *s, random_source *random) {
  static cloth_vector vertices[2 * 24 * 24];
  const cloth_vertex_layout layout = {24, 0, 12, CLOTH_ATTRIBUTE_NONE};
  const int i = random_int(random, 0, s->count - 1), index = random_int(random, 0, 3);
  const cloth_vector v = lattice_vector(random, 8), w = lattice_vector(random, 2);
  const cloth_pose from = {w, turns[0]}, pose = {v, turns[random_int(random, 0, 5)]};
  const float shares[3] = {0.25f * (w.x + 2.0f), 0.25f * (w.y + 2.0f), 0.25f * (w.z + 2.0f)};
  const cloth_inertia inertia = {shares[0], shares[1], shares[2]};
  const cloth_motion_constraint constraint = {0.25f * shares[0], 0.0625f * shares[1], 0.5f * shares[2]};
  const cloth_gusts gusts = {v, 0.125f + shares[0], 0.125f + shares[1], (uint32_t)i};
  const cloth_cut_line cut = {v.x + 3.0f, v.y + 3.0f, v.z + 3.0f, 4.0f * shares[1]};
  cloth_collider c = shape_of(random_int(random, 0, 4), (double)v.y, pose.rotation, 1.0);
  const cloth_body body = cloth_body_default(&c, 0.125f + eighths(random, 0, 8));
  switch (random_int(random, 0, 21)) {
  case 0:
    return cloth_pin(s->sheet, i);
  case 1:
    return cloth_move_pin(s->sheet, i, vector_of(point_sum(position_of(s->sheet, i), point_scaled(point_of(w), 0.25))));
  case 2:
    return cloth_set_pin_velocity(s->sheet, i, w);
  case 3:
    return cloth_release(s->sheet, i);
  case 4:
    return cloth_set_particle(s->sheet, i, vector_of(position_of(s->sheet, i)), v);
  case 5:
    return cloth_apply_impulse(s->sheet, i, vector_of(point_scaled(point_of(v), 0.01)));
  case 6:
    c.pose.position = v;
    return cloth_add_collider(s->sheet, &c);
  case 7:
    return cloth_set_collider(s->sheet, index, &c);
  case 8:
    return cloth_remove_collider(s->sheet, index);
  case 9:
    return cloth_move_collider(s->sheet, index, random_int(random, 0, 1) ? NULL : &from, &from);
  case 10:
    return cloth_set_body(s->sheet, index, random_int(random, 0, 3) ? &body : NULL);
  case 11:
    return cloth_attach(s->sheet, i, index, random_int(random, 0, 1) ? NULL : &w);
  case 12:
    return cloth_set_gravity(s->sheet, v);
  case 13:
    return cloth_set_gusts(s->sheet, &gusts);
  case 14:
    return cloth_confine_to_line(s->sheet, i, v);
  case 15:
    return cloth_confine_to_plane(s->sheet, i, v);
  case 16:
    return cloth_set_tether(s->sheet, i, i % 2, random_int(random, -1, s->count - 1));
  case 17:
    return cloth_set_motion_constraint(s->sheet, i, &constraint);
  case 18:
    for (int n = 0; n < s->count; n++) {
      vertices[2 * n] = vector_of(point_sum(position_of(s->sheet, n), point_scaled(point_of(w), 0.5)));
      vertices[2 * n + 1] = n % 4 ? vector_at(0.0, 1.0, 0.0) : v;
    }
    return cloth_move_targets(s->sheet, &layout, vertices, sizeof vertices);
  case 19:
    return cloth_move_frame(s->sheet, &from, &pose, &inertia, FRAME, (uint64_t)random_int(random, 0, 1));
  case 20:
    return cloth_cut(s->sheet, &cut);
  default:
    return index ? cloth_reset_tethers(s->sheet) : cloth_recentre(&s->sheet, 1, NULL);
  }
}

/* A life of a config with all kinds of features: calls, steps, steps with efforts. */
static void play_world(random_source *random) {
  cloth_config config = random_config(random);
  cloth_memory memory;
  config.columns = config.columns > 13 ? config.columns - 11 : config.columns;
  config.rows = config.rows > 13 ? config.rows - 11 : config.rows;
  widen_config(&config, random);
  config.capacity.workers = random_int(random, 0, 5) ? 0 : random_int(random, 1, 5);
  const int needed = cloth_memory_needed(&config, &memory);
  tell((uint32_t)needed);
  if (needed != CLOTH_OK)
    return;
  fixture s = fixture_make(&config);
  cloth_shared_body bodies[2];
  cloth_reaction reactions[2];
  memset(reactions, 0, sizeof reactions);
  for (int n = 0; n < 2; n++) {
    const double height = (double)eighths(random, -3, 1);
    bodies[n].collider = shape_of(random_int(random, 0, 4), height, turns[n], 1.0);
    bodies[n].previous = bodies[n].collider.pose;
  }
  const cloth_workers workers = {run_backwards, NULL};
  const cloth_surroundings around = {
      .bodies = bodies, .body_count = config.capacity.max_shared_bodies, .reactions = reactions, .workers = &workers};
  for (int n = random_int(random, 0, 2); n > 0; n--)
    tell((uint32_t)cloth_pin(s.sheet, n == 1 ? 0 : s.columns - 1));
  for (int frame = 0; frame < 7; frame++) {
    const int32_t refinements = random_int(random, 0, 20);
    const cloth_effort effort = {refinements, random_int(random, 0, 1)};
    const float dt = random_int(random, 0, 3) ? FRAME : 0.0078125f * (float)random_int(random, 1, 4);
    for (int n = random_int(random, 0, 6); n > 0; n--)
      tell((uint32_t)call_at_random(&s, random));
    tell((uint32_t)(frame % 3 == 2 ? cloth_step_again_with(s.sheet, dt, &around, &effort)
                                   : cloth_step_with(s.sheet, dt, &around)));
    tell_state(s.sheet);
    tell_words(reactions, sizeof reactions);
  }
  tell_all(s.sheet);
  fixture_free(&s);
}

static void play_worlds(void) {
  random_source random = {41};
  for (int n = 0; n < 420; n++)
    play_world(&random);
}

/* Panels of random sizes, some of them shaped, sewn at random, in one group with bodies and exceptions. */
static void play_tailored(void) {
  enum { PANELS = 3, SEAMS = 3 };
  static cloth_vector rest[PANELS][12 * 12];
  static uint8_t mask[12 * 12];
  random_source random = {43};
  for (int trial = 0; trial < 45; trial++) {
    fixture f[PANELS];
    cloth *sheets[PANELS];
    cloth_seam seams[SEAMS];
    unsigned char *allocation;
    size_t bytes = 0;
    uint64_t bound = 0;
    for (int n = 0; n < PANELS; n++) {
      const int columns = random_int(&random, 3, 12), rows = random_int(&random, 3, 12);
      cloth_config config = self_config(columns, rows, 0.0625);
      for (int i = 0; i < columns * rows; i++) {
        const int column = i % columns, row = i / columns;
        rest[n][i] = vector_at((0.0625 + 0.002 * row) * column, 0.0, 0.0625 * row);
        mask[i] = i % 17 != 9;
      }
      config.grid.rest_positions = random_int(&random, 0, 2) ? NULL : rest[n];
      config.grid.cell_mask = random_int(&random, 0, 3) ? NULL : mask;
      config.origin = lattice_vector(&random, 1);
      config.origin.y += 0.02f * (float)n;
      config.self.gathers = random_int(&random, 0, 3);
      config.self.pairs = random_int(&random, 2, 12);
      config.self.untangle = random_int(&random, 0, 1);
      config.self.shape = trial % 2;
      config.self_friction = eighths(&random, 0, 8);
      config.fabric.density = 0.125f + eighths(&random, 0, 4);
      config.fabric.compression = eighths(&random, 0, 8);
      config.fabric.stretch_damping = random_int(&random, 0, 2) ? 0.0f : eighths(&random, 0, 8);
      config.substeps = random_int(&random, 1, 5);
      config.integration.bdf2_blend = random_int(&random, 0, 2) ? 0.5f : 0.0f;
      config.tearing.max_breaks = random_int(&random, 0, 3) ? 0 : 3;
      config.tearing.strain = 0.0625f;
      config.sleep.speed = random_int(&random, 0, 3) ? 0.0f : 0.25f;
      config.sleep.time = 0.0f;
      config.capacity.max_bodies = random_int(&random, 0, 1);
      f[n] = fixture_make(&config);
      sheets[n] = f[n].sheet;
      tell((uint32_t)cloth_pin(sheets[n], random_int(&random, 0, columns - 1)));
      cloth_collider c = shape_of(random_int(&random, 0, 4), -0.15, turns[n], 0.5);
      tell((uint32_t)cloth_add_collider(sheets[n], &c));
      const cloth_body body = cloth_body_default(&c, 0.25f);
      tell((uint32_t)cloth_set_body(sheets[n], 0, &body));
    }
    cloth_group group = cloth_group_default();
    for (int n = 0; n < SEAMS; n++) {
      const int a = random_int(&random, 0, PANELS - 1), b = (a + random_int(&random, 0, 3) % PANELS) % PANELS;
      const int by_row = random_int(&random, 0, 1), back = random_int(&random, 0, 1);
      const int columns = f[b].columns, rows = f[b].rows;
      seams[n].a =
          by_row ? side_of(a, 0, f[a].columns, f[a].rows) : side_of(a, f[a].count - f[a].columns, 1, f[a].columns);
      seams[n].b = back ? side_of(b, columns * rows - 1, -columns, rows) : side_of(b, 0, 1, columns);
      seams[n].b.count -= random_int(&random, 0, 1);
      seams[n].stiffening = eighths(&random, -4, 16);
      group.seams = seams;
      group.seam_count = n + 1;
      group.count = PANELS;
      group.cloths = sheets;
      const int fits = cloth_group_bytes(&group, &bytes); /* those that fit are kept */
      tell((uint32_t)fits);
      group.seam_count -= fits < 0;
      if (fits < 0)
        break;
    }
    group.pairs = random_int(&random, 1, 6);
    group.seam_speed = eighths(&random, 1, 16);
    DONE(cloth_group_bytes(&group, &bytes));
    unsigned char *memory = guarded_buffer(bytes, 0, &allocation);
    memset(memory, 0x41, bytes);
    for (int frame = 0; frame < 6; frame++) {
      DONE(cloth_group_work_bound(&group, FRAME, &bound));
      tell_wide(bound);
      tell((uint32_t)cloth_step_together(&group, FRAME, memory, bytes));
      for (int n = 0; n < PANELS; n++)
        tell_state(sheets[n]);
      for (int n = 0; n < group.seam_count; n++) {
        float gap = 0.0f;
        tell((uint32_t)cloth_group_seam_gap(&group, n, &gap));
        tell_words(&gap, sizeof gap);
      }
    }
    CHECK(guards_intact(memory, bytes), "bytes outside the memory of the group were written");
    free(allocation);
    for (int n = 0; n < PANELS; n++) {
      tell_forces(sheets[n]);
      fixture_free(&f[n]);
    }
  }
}

/* Geometries of random numbers, shot through by sheets and slow ones. */
static float random_heights[8][8];

static double random_height(double x, double z) {
  const int column = (int)(6.0 * (x + 1.0)), row = (int)(6.0 * (z + 1.0));
  return (double)random_heights[column & 7][row & 7];
}

static double random_distance(double x, double y, double z) {
  return 0.5 * y + 0.125 * random_height(x, z) + 0.125 * random_height(z, y);
}

static void play_terrains(void) {
  random_source random = {44};
  for (int trial = 0; trial < 48; trial++) {
    built b;
    const int samples = random_int(&random, 3, 8), turn = random_int(&random, 0, 5);
    const double side = random_real(&random, 0.5, 1.5), spacing = random_real(&random, 0.04, 0.12);
    for (int n = 0; n < 64; n++)
      random_heights[n / 8][n % 8] = (float)random_real(&random, -0.2, 0.2);
    switch (trial % 5) {
    case 0:
      b = build_field_of(random_height, side, samples);
      break;
    case 1:
      b = build_sheet_of(random_height, side, samples, trial % 2);
      break;
    case 2:
      b = build_grid_of(random_distance, side, samples);
      break;
    case 3:
      b = trial % 2 ? build_wedge() : build_box(0.2 * side, 0.1, 0.15 * side);
      break;
    default:
      b = build_star(trial % 2);
    }
    tell_words(b.memory, b.bytes);
    fall_on_geometry(&b, spacing, trial % 3 ? -2.0 : -40.0, trial % 3 ? 9 : 3, turn);
    free_built(&b);
  }
}

/* Plans, sizes and bounds of work of configs of all kinds. */
static void play_config_costs(void) {
  random_source random = {42};
  for (int n = 0; n < 600; n++) {
    cloth_config config = random_config(&random);
    cloth_memory memory;
    cloth_forecast forecast;
    char text[200];
    uint64_t bound = 0;
    widen_config(&config, &random);
    config.substeps = n % 4 ? config.substeps : 0;
    config.capacity.workers = n % 5 == 0 ? random_int(&random, 1, 8) : 0;
    config.capacity.shared_scratch = n % 7 == 0;
    if (n % 8 == 7) { /* refused, perhaps */
      float *field = (float *)(void *)&config.fabric + random_int(&random, 0, 9);
      *field = eighths(&random, -1, 1) * 1e6f;
    }
    memset(&memory, 0, sizeof memory);
    tell((uint32_t)cloth_config_explain(&config, text, sizeof text));
    for (const char *at = text; *at; at++)
      tell((unsigned char)*at);
    tell((uint32_t)cloth_memory_needed(&config, &memory));
    tell_wide(memory.image_bytes);
    tell_wide(memory.saved_bytes);
    tell_wide(memory.state_bytes);
    tell((uint32_t)cloth_config_work_bound(&config, FRAME, &bound));
    tell_wide(bound);
    tell_plan(&config, n % 3 == 2 ? 0 : bound / (uint64_t)(1 + n % 5), n % 3 ? 0.004f * (float)(n % 11 + 1) : 0.0f,
              &forecast);
  }
}

/* Settings as they are given, names of results, sizes at their limits. */
static void play_limits(void) {
  for (int way = 0; way < 2; way++) {
    cloth_config config = cloth_config_default();
    if (way)
      DONE(cloth_config_use_imex(&config));
    tell((uint32_t)config.columns);
    tell((uint32_t)config.rows);
    tell_words(&config.origin, 3 * sizeof config.origin);
    tell_words(&config.fabric, sizeof config.fabric);
    tell_words(&config.gravity, 2 * sizeof config.gravity);
    tell_words(&config.thickness, sizeof config.thickness);
    tell_words(&config.self_thickness, sizeof config.self_thickness);
    tell_words(&config.self_friction, sizeof config.self_friction);
    tell_words(&config.air, sizeof config.air);
    tell_words(&config.integration, sizeof config.integration);
    tell_words(&config.tethers, sizeof config.tethers);
    tell_words(&config.solver, sizeof config.solver);
    tell_words(&config.strain_limit, sizeof config.strain_limit);
    tell_words(&config.contact, sizeof config.contact);
    tell_words(&config.self, sizeof config.self);
    tell_words(&config.sleep, sizeof config.sleep);
    tell_words(&config.world, sizeof config.world);
    tell_words(&config.capacity, sizeof config.capacity);
  }
  for (int result = -60; result < 300; result++) {
    for (const char *at = cloth_result_name(result); *at; at++)
      tell((unsigned char)*at);
  }
  for (int32_t x = 1; x < (1 << 27); x = x * 3 / 2 + 1) {
    for (int32_t y = 1; y < (1 << 27); y = y < 4 ? y + 1 : y * 2) {
      size_t bytes = 0;
      cloth_geometry_data grid = cloth_geometry_data_default(CLOTH_SHAPE_DISTANCE_GRID);
      static const float none = 0.0f;
      grid.distance_grid.distances = &none;
      grid.distance_grid.count_x = x;
      grid.distance_grid.count_y = y;
      grid.distance_grid.count_z = CLOTH_SAMPLE_LIMIT / y > 0 ? CLOTH_SAMPLE_LIMIT / y / x + x % 2 : 2;
      grid.distance_grid.spacing = 0.1f;
      tell((uint32_t)cloth_geometry_bytes(&grid, &bytes));
      tell_wide(bytes);
      cloth_geometry_data field = cloth_geometry_data_default(CLOTH_SHAPE_HEIGHT_FIELD);
      field.height_field.heights = &none;
      field.height_field.columns = x;
      field.height_field.rows = y;
      field.height_field.spacing_x = field.height_field.spacing_z = 0.1f;
      bytes = 0;
      tell((uint32_t)cloth_geometry_bytes(&field, &bytes));
      tell_wide(bytes);
    }
  }
}

/* Groups that are refused, or not: seams and exceptions that leave their cloths by little. */
static void play_refused_groups(void) {
  random_source random = {45};
  fixture f[3];
  cloth *sheets[3];
  for (int n = 0; n < 3; n++) {
    const cloth_config config = self_config(4 + n, 5, 0.05);
    f[n] = fixture_make(&config);
    sheets[n] = f[n].sheet;
  }
  for (int trial = 0; trial < 3000; trial++) {
    cloth_seam seams[2];
    size_t bytes = 0;
    int32_t list[8];
    cloth_group group = cloth_group_default();
    memset(seams, 0, sizeof seams);
    for (int n = 0; n < 4; n++) {
      cloth_seam_side *side = n % 2 ? &seams[n / 2].b : &seams[n / 2].a;
      side->cloth = random_int(&random, 0, 9) ? random_int(&random, 0, 2) : random_int(&random, -1, 3);
      const int count = side->cloth >= 0 && side->cloth < 3 ? f[side->cloth].count : 20;
      side->next = random_int(&random, -6, 6);
      side->count = random_int(&random, 0, 7);
      side->first =
          random_int(&random, 0, 2) ? random_int(&random, 0, count) : count - 1 - (side->count - 1) * side->next;
      side->particles = random_int(&random, 0, 5) ? NULL : list;
    }
    for (int n = 0; n < 8; n++)
      list[n] = random_int(&random, 0, 9) ? (trial + 3 * n) % 20 : random_int(&random, -1, 30);
    seams[0].stiffening = 0.5f * (float)random_int(&random, -3, 4);
    const float thickness = eighths(&random, -1, 1), friction = eighths(&random, -1, 9);
    const cloth_group_pair exception = {trial % 3, 2, thickness, friction};
    group.count = 3;
    group.cloths = sheets;
    group.seams = seams;
    group.seam_count = 1 + trial % 2;
    group.exceptions = &exception;
    group.exception_count = trial % 5 == 0;
    group.pairs = trial % 7 ? 4 : random_int(&random, 0, 33);
    tell((uint32_t)cloth_group_bytes(&group, &bytes));
  }
  for (int n = 0; n < 3; n++)
    fixture_free(&f[n]);
}

/// Scenes: damaged states ///

/* A word as damage leaves it: another bit, a telling one, or what stands elsewhere. */
static uint32_t damaged_word(random_source *random, const unsigned char *bytes, size_t words, size_t at) {
  const uint32_t word = get_word(bytes, at);
  switch (random_int(random, 0, 4)) {
  case 0:
    return word ^ (UINT32_C(1) << random_int(random, 0, 31));
  case 1:
    return word + (random_int(random, 0, 1) ? 1u : UINT32_MAX);
  case 2:
    return get_word(bytes, (size_t)random_int(random, HEADER_WORDS, (int)words - 1));
  default:
    return telling_words[random_int(random, 0, (int)(sizeof telling_words / sizeof telling_words[0]) - 1)];
  }
}

/* Which damage is refused, and what the others lead to. Damage is put into the words of the head, of single parts, and
   of the vectors of particles, which are most, as often. */
static void tell_damage(fixture *s, random_source *random, int is_image, int tries) {
  const size_t bytes = is_image ? s->memory.image_bytes : s->memory.saved_bytes, words = bytes / 4;
  unsigned char *whole = copy_bytes(s->arena, bytes), *trial = copy_bytes(s->arena, bytes);
  unsigned char *before = copy_bytes(s->arena, s->memory.total_bytes);
  DONE(is_image ? cloth_write_image(s->sheet, whole, bytes) : cloth_save(s->sheet, whole, bytes));
  const int early = (int)words > 400 ? 400 : (int)words - 1;
  for (int n = 0; n < tries; n++) {
    memcpy(trial, whole, bytes);
    for (int changes = random_int(random, 1, 2); changes > 0; changes--) {
      const int low = is_image ? HEADER_WORDS : 0;
      const size_t at = (size_t)(n % 2 ? random_int(random, low, early) : random_int(random, low, (int)words - 1));
      set_word(trial, at, damaged_word(random, whole, words, at));
    }
    if (is_image)
      seal(trial, bytes);
    const int result = is_image ? cloth_read_image(s->sheet, trial, bytes) : cloth_load(s->sheet, trial, bytes);
    tell((uint32_t)result);
    if (result == CLOTH_OK) {
      tell_wide(read_hash(s->sheet));
      tell((uint32_t)cloth_is_asleep(s->sheet));
      tell(n % 16 ? 0 : (uint32_t)cloth_step(s->sheet, FRAME));
      tell_wide(read_hash(s->sheet));
    }
    CHECK(guards_intact(s->arena, s->memory.total_bytes), "bytes outside the arena were written");
    memcpy(s->arena, before, s->memory.total_bytes);
  }
  free(whole);
  free(trial);
  free(before);
}

/* The same with every word of the first parts, and each of some values. */
static void tell_damage_of_each(fixture *s, int is_image) {
  static const uint32_t values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 40, 41, 42, UINT32_MAX, 0x3f800000u, 0xbf800000u};
  enum { VALUES = sizeof values / sizeof values[0] };
  const size_t bytes = is_image ? s->memory.image_bytes : s->memory.saved_bytes, words = bytes / 4;
  unsigned char *whole = copy_bytes(s->arena, bytes), *trial = copy_bytes(s->arena, bytes);
  unsigned char *before = copy_bytes(s->arena, s->memory.total_bytes);
  DONE(is_image ? cloth_write_image(s->sheet, whole, bytes) : cloth_save(s->sheet, whole, bytes));
  memcpy(trial, whole, bytes);
  for (size_t at = HEADER_WORDS; at < words && at < 400; at++) {
    const uint32_t word = get_word(whole, at);
    for (int n = 0; n < VALUES + 2; n++) {
      set_word(trial, at, n < VALUES ? values[n] : n == VALUES ? word + 1 : word ^ 0x80000000u);
      if (is_image)
        seal(trial, bytes);
      const int result = is_image ? cloth_read_image(s->sheet, trial, bytes) : cloth_load(s->sheet, trial, bytes);
      tell((uint32_t)result);
      if (result == CLOTH_OK)
        memcpy(s->arena, before, s->memory.total_bytes);
    }
    set_word(trial, at, word);
  }
  CHECK(memcmp(s->arena, before, s->memory.total_bytes) == 0, "what was refused changed the arena");
  free(whole);
  free(trial);
  free(before);
}

/* A cloth that holds everything that a state can. */
static fixture crowded(random_source *random, int kind) {
  static uint8_t mask[7 * 6];
  cloth_config config = sheet_of(7, 6, 0.1, 0.1);
  for (int n = 0; n < 7 * 6; n++)
    mask[n] = n % 13 != 7;
  config.grid.cell_mask = kind % 2 ? mask : NULL;
  config.grid.wrap = kind == 2;
  config.capacity.targets = kind % 2;
  config.capacity.max_confined = 3;
  config.capacity.max_bodies = config.capacity.max_attachments = 3;
  config.capacity.max_shared_bodies = kind == 3 ? 2 : 0;
  config.tearing.max_breaks = kind == 1 || kind == 2 ? 4 : 0;
  config.tearing.strain = 0.02f;
  config.sleep.speed = kind == 3 ? 0.5f : 0.0f;
  config.self_thickness = kind == 0 || kind == 4 ? 0.04f : 0.0f;
  config.tethers.count = 1 + kind % 2;
  config.contact.mode = kind == 4 ? CLOTH_CONTACT_SOLVER : CLOTH_CONTACT_PROJECTION;
  if (kind == 4)
    use_two_tiers(&config);
  config.solver.warm_start = kind == 4;
  fixture s = fixture_make(&config);
  for (int n = 0; n < 4; n++) {
    cloth_collider c = shape_of(n, -0.1 + 0.05 * n, turns[n], 0.7);
    const cloth_body body = cloth_body_default(&c, 0.5f);
    DONE(cloth_add_collider(s.sheet, &c));
    if (n > 0)
      DONE(cloth_set_body(s.sheet, n, &body));
  }
  pin_corners(&s);
  DONE(cloth_set_pin_velocity(s.sheet, 0, vector_at(0.125, 0.0, 0.25)));
  DONE(cloth_attach(s.sheet, 20, 1, NULL));
  DONE(cloth_attach(s.sheet, 30, 0, NULL));
  DONE(cloth_confine_to_line(s.sheet, 10, vector_at(1.0, 0.0, 1.0)));
  DONE(cloth_confine_to_plane(s.sheet, 17, vector_at(0.0, 1.0, 0.0)));
  for (int n = 0; n < 40; n++)
    call_at_random(&s, random);
  for (int frame = 0; frame < 5; frame++)
    tell((uint32_t)cloth_step(s.sheet, FRAME));
  return s;
}

static void play_damaged(void) {
  random_source random = {51};
  for (int kind = 0; kind < 5; kind++) {
    fixture s = crowded(&random, kind);
    tell_damage(&s, &random, 1, 700);
    tell_damage(&s, &random, 0, 500);
    tell_damage_of_each(&s, 1);
    tell_damage_of_each(&s, 0);
    fixture_free(&s);
  }
  fill_maps();
  for (int n = 0; n < STATE_CONFIG_COUNT; n++) {
    const cloth_config config = state_configs[n].config();
    fixture s = living(&config);
    tell_damage(&s, &random, 1, 200);
    tell_damage(&s, &random, 0, 150);
    fixture_free(&s);
  }
}

/// Hashes ///

static const struct {
  const char *name;
  void (*play)(void);
  uint64_t expected;
} scenes[] = {
    {"shapes", play_shapes, UINT64_C(0xb9f9d722d98e748e)},
    {"solver_contacts", play_solver_contacts, UINT64_C(0x134d9a32cc107e24)},
    {"hull", play_hull, UINT64_C(0x19765f29681ff199)},
    {"field", play_field, UINT64_C(0xf78f2269523c8ec3)},
    {"meshes", play_meshes, UINT64_C(0x322eae34516db57f)},
    {"distances", play_distances, UINT64_C(0x5e75bc6864c2d323)},
    {"self", play_self, UINT64_C(0xa88d67f7aaf501f6)},
    {"self_holes", play_self_holes, UINT64_C(0x592b997bba8c689b)},
    {"clap", play_clap, UINT64_C(0x40ccd48ded970078)},
    {"sewn", play_sewn, UINT64_C(0x5e0b9eacc04abb0a)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x27bc649c1c351684)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x2834b518256e7a99)},
    {"gathers", play_gathers, UINT64_C(0xc5f4f8d9eb22f9a7)},
    {"strips", play_strips, UINT64_C(0xd82ba67aff6c09be)},
    {"woken", play_all_woken, UINT64_C(0xd8c9de700857417f)},
    {"asleep", play_asleep, UINT64_C(0x8f331fd334974500)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0xd2d119b57d5a480b)},
    {"air", play_air, UINT64_C(0x0aad93f002c0ba53)},
    {"origins", play_origins, UINT64_C(0x0011ff85e2efe4aa)},
    {"loose_group", play_loose_group, UINT64_C(0x196bc2e7290925ab)},
    {"tears", play_tears, UINT64_C(0xc0b865e1e51b452f)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0xdc555a8f5624c1d4)},
    {"targets", play_targets, UINT64_C(0x920dacc5d416a553)},
    {"bodies", play_bodies, UINT64_C(0x6a5227f9ff51a63a)},
    {"workers", play_workers, UINT64_C(0xae2743d66550478d)},
    {"random_1", play_random_1, UINT64_C(0x5ab1249509ee722e)},
    {"random_2", play_random_2, UINT64_C(0x8e4822928bc8be29)},
    {"plans", play_plans, UINT64_C(0xdd455fb2815f1872)},
    {"settled", play_settled, UINT64_C(0xaee0f46ec023418e)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0x2ceccef1e04d685e)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0x0883350986c34bf4)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0x5a856bb70946598c)},
    {"worlds", play_worlds, UINT64_C(0xda882d95ca3ec923)},
    {"tailored", play_tailored, UINT64_C(0x7c26ce84f8a8b60a)},
    {"terrains", play_terrains, UINT64_C(0x79b6b9f15c5ef0e2)},
    {"config_costs", play_config_costs, UINT64_C(0xa6855758e55fae1b)},
    {"limits", play_limits, UINT64_C(0x5330b2c5f940b406)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0xc448fa2f840bcfa9)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x5c9c0b0d506491b0),
    UINT64_C(0xd292dde1f3498e2f),
    UINT64_C(0x50e49c28205cf11a),
    UINT64_C(0xdff8b73ffdd9f431),
    UINT64_C(0x9e18adf576daf0a8),
    UINT64_C(0x992a5ef834a2cfd6),
    UINT64_C(0xdb3a5af061959d8a),
    UINT64_C(0x431d715b823b5986),
    UINT64_C(0x2b19ca269efe0c11),
    UINT64_C(0x6468723d21e74515),
    UINT64_C(0x39f759ea219a4ba1),
    UINT64_C(0xda48e4fbde31e036),
    UINT64_C(0x72455d043e546339),
    UINT64_C(0xf388966c44ed760b),
    UINT64_C(0x74e4ece4423a1cc6),
    UINT64_C(0xcf01109cc750f00b),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xeab37da9baf219dd),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x3a315c5eee33bc0a),
    UINT64_C(0x8b87f01abfe43245),
    UINT64_C(0x7dc411508b4794ca),
    UINT64_C(0x8cbb680931c7ce9d),
    UINT64_C(0xa147db54473ce119),
    UINT64_C(0x14c0ac7dc0f96cf2),
    UINT64_C(0x0677f27a80ad6324),
    UINT64_C(0x2a4e0d7dfdd06040),
    UINT64_C(0),
    UINT64_C(0x7174b027fd66a3eb),
    UINT64_C(0),
    UINT64_C(0x29757a94b5cf824d),
    UINT64_C(0x1e3ba58f632eba2f),
    UINT64_C(0x050401f03cc98c30),
    UINT64_C(0xdc9e78562eb58dab),
    UINT64_C(0x696efd176b823b7b),
    UINT64_C(0),
    UINT64_C(0),
    UINT64_C(0),
    UINT64_C(0),
};

#if defined(__SSE2__) && !defined(__AVX2__) && !defined(CLOTH_SCALAR)
#define KNOWS_WORK 1
#else
#define KNOWS_WORK 0
#endif

static int played;

static const char *scene_name(int number) {
  return scenes[number].name;
}

static void select_scene(int number) {
  played = number;
}

static const test_cases every_scene = {0, (int)(sizeof scenes / sizeof scenes[0]), scene_name, select_scene};

static void test_scene(void) {
  told = worked = 0;
  scenes[played].play();
  CHECK(told == scenes[played].expected, "%s: UINT64_C(0x%08lx%08lx)", scenes[played].name, (unsigned long)(told >> 32),
        (unsigned long)(told & 0xffffffffu));
  CHECK(!KNOWS_WORK || worked == works[played], "%s, work: UINT64_C(0x%08lx%08lx)", scenes[played].name,
        (unsigned long)(worked >> 32), (unsigned long)(worked & 0xffffffffu));
}

static const test tests[] = {
    TEST_EACH(every_scene, scene),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
