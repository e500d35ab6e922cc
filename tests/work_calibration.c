/* Runs on an emulated Cortex-M7 that counts its instructions: the work a step says it did and its bound, beside what it
   really took. Prints a line for every scene, then "N passed, N failed". See tests/work_calibration.sh. */
#include "cloth.h"
#include "port/boards/board.h"
#include "scenes.h"
#include "tests/schemes.h"

#define FRAME (1.0f / 60.0f)
/* Instructions a tick of the timer stands for. */
#define TICK 40u
/* 1: also the grids that are seldom the worst. */
#ifndef EVERY_GRID
#define EVERY_GRID 0
#endif
/* Most instructions of a unit that the guide names, in hundredths. */
#define FACTOR 107u

/* scenes.c asks for memory only where a host gives it. */
void *malloc(size_t bytes);
void free(void *block);
void *malloc(size_t bytes) {
  (void)bytes;
  return NULL;
}
void free(void *block) {
  (void)block;
}

/// The clock ///

/* A timer of the board, 32 bits that count down: steps in which cloth is tangled take more than the 24 of SysTick. */
static volatile uint32_t *const timer = (volatile uint32_t *)0x40000000u;
enum { CONTROL, CURRENT, RELOAD };

uint32_t board_ticks(void);
uint32_t board_ticks(void) {
  return 0u - timer[CURRENT];
}

static uint32_t ticks_since(uint32_t before) {
  return board_ticks() - before;
}

/// Printing ///

static char line[256];
static int length;

static void put(const char *text) {
  while (*text)
    line[length++] = *text++;
}

static void put_number(uint64_t value) {
  char digits[24];
  int count = 0;
  do
    digits[count++] = (char)('0' + value % 10);
  while (value /= 10);
  while (count)
    line[length++] = digits[--count];
}

static void put_labelled(const char *label, uint64_t value) {
  put(label);
  put_number(value);
}

static void end_line(void) {
  line[length++] = '\n';
  line[length] = 0;
  board_print(line);
  length = 0;
}

/// Scenes ///

enum { SIDE_LIMIT = 40 };
_Alignas(CLOTH_ALIGNMENT) static unsigned char arena[1200000];
static float map[SIDE_LIMIT * SIDE_LIMIT];
static int passed, failed;
static uint64_t least_share, most_share; /* instructions to units, in thousandths */
static uint64_t most_uneven;             /* worst step over the mean with fixed work, in thousandths */

static void check(int holds, const char *name, const char *what) {
  passed += holds;
  failed += !holds;
  if (!holds) {
    put("failed: ");
    put(name);
    put(what);
    end_line();
  }
}

static uint64_t work_done(const cloth *sheet) {
  cloth_statistics st;
  cloth_get_statistics(sheet, &st);
  return (uint64_t)st.work[1] << 32 | st.work[0];
}

/* The geometry of the scene, if it has one, and a table of bodies. */
static const cloth_geometry *geometry;
static cloth_surroundings around = {.geometries = &geometry, .geometry_count = 1};

typedef struct tally {
  uint64_t real, real_most, counted, bound, share_most, share_least;
} tally;

/* Lets pins come and go, far apart and side by side, so that every step chooses tethers anew. */
static int shuffles_pins;

static void shuffle_pins(cloth *sheet, const cloth_config *config, int frame) {
  int count = config->columns * config->rows;
  for (int n = 0; shuffles_pins && n < 12; n++) {
    cloth_release(sheet, (frame * 7919 + n * 104729) % count);
    cloth_pin(sheet, ((frame + 1) * 7919 + n * 104729 / (1 + frame % 4)) % count);
  }
}

/* Targets for a cloth that has room: some of them tight, with backstops that all particles fall into. */
static void lead(cloth *sheet, const cloth_config *config) {
  static cloth_vector vertices[2 * SIDE_LIMIT * SIDE_LIMIT];
  const cloth_vertex_layout layout = {2 * sizeof(cloth_vector), 0, sizeof(cloth_vector), CLOTH_ATTRIBUTE_NONE};
  for (int i = 0; config->capacity.targets && i < config->columns * config->rows; i++) {
    const cloth_motion_constraint constraint = {i % 3 ? 0.01f : 0.001f, 0.0f, 0.05f, 0.0f};
    cloth_set_motion_constraint(sheet, i, &constraint);
    cloth_get_position(sheet, i, &vertices[2 * i]);
    vertices[2 * i + 1] = (cloth_vector){0.3f * (float)(i % 5), 1.0f, 0.4f * (float)(i % 7)};
  }
  if (config->capacity.targets) { cloth_set_targets(sheet, &layout, vertices, sizeof vertices); }
}

/* Moves the origin of a cloth that follows away from it. */
static void lead_astray(cloth *sheet, const cloth_config *config, int frame) {
  const cloth_metres away = {frame % 2 ? 37 : -41, 11, -19};
  if (config->world.recentre_distance > 0.0f) cloth_set_origin(&sheet, 1, away);
}

static void measure_step(cloth *sheet, const char *name, tally *sum) {
  uint64_t bound = 0;
  check(cloth_get_work_bound(sheet, FRAME, &bound) == CLOTH_OK, name, ": cloth_get_work_bound");
  uint32_t start = board_ticks();
  check(cloth_step_with(sheet, FRAME, &around) >= CLOTH_OK, name, ": cloth_step_with");
  uint64_t real = (uint64_t)ticks_since(start) * TICK;
  uint64_t counted = work_done(sheet);
  check(counted <= bound, name, ": more work than the bound");
  check(real * 100 <= counted * FACTOR, name, ": more instructions than counted");
  uint64_t share = real * 1000 / counted;
  sum->real += real;
  sum->real_most = real > sum->real_most ? real : sum->real_most;
  sum->counted += counted;
  sum->bound += bound;
  sum->share_most = share > sum->share_most ? share : sum->share_most;
  sum->share_least = share < sum->share_least ? share : sum->share_least;
}

/* Gives colliders their mass, and holds the border of a sheet that bears them. */
static void load(cloth *sheet, const scene *description) {
  const int columns = description->config.columns, rows = description->config.rows;
  for (int n = 0; n < description->config.capacity.max_bodies; n++) {
    const cloth_body body = cloth_body_default(&description->colliders[n], 5.0f);
    check(cloth_set_body(sheet, n, &body) == CLOTH_OK, "load", ": cloth_set_body");
  }
  for (int i = 0; description->config.capacity.max_bodies > 0 && i < columns * rows; i++) {
    const int column = i % columns, row = i / columns;
    if (column == 0 || row == 0 || column == columns - 1 || row == rows - 1)
      check(cloth_pin(sheet, i) >= CLOTH_OK, "load", ": cloth_pin");
  }
}

/* Longest step with fixed work over the mean, in thousandths: solves do all iterations, but searches for colliders,
   what touches them and predictions of tethers follow from what moves. */
static uint64_t most_worst(const cloth_config *config, int colliders) {
  return colliders > 0 ? 2400 : config->tethers.count > 0 ? 1250 : 1050;
}

static void play(const char *name, const scene *description, int frames) {
  cloth *sheet;
  uint64_t of_config = 0;
  tally sum = {0, 0, 0, 0, 0, 1u << 30};
  check(scene_build(description, arena, sizeof arena, &sheet) == CLOTH_OK, name, ": scene_build");
  lead(sheet, &description->config);
  load(sheet, description);
  for (int frame = 0; frame < frames; frame++) {
    shuffle_pins(sheet, &description->config, frame);
    lead_astray(sheet, &description->config, frame);
    measure_step(sheet, name, &sum);
  }
  check(cloth_config_work_bound(&description->config, FRAME, &of_config) == CLOTH_OK, name,
        ": cloth_config_work_bound");
  check(of_config * (uint64_t)frames >= sum.bound, name, ": the bound of the config is below one of the cloth");
  uint64_t count = (uint64_t)(description->config.columns * description->config.rows * frames);
  put(name);
  put_labelled(" ", (uint64_t)description->config.columns);
  put_labelled("x", (uint64_t)description->config.rows);
  put_labelled(": per particle ", sum.real / count);
  put_labelled(", a unit in thousandths ", sum.share_least);
  put_labelled(" to ", sum.share_most);
  put_labelled(", bound over real in hundredths ", sum.bound * 100 / sum.real);
  if (description->config.capacity.fixed_work) {
    uint64_t worst = sum.real_most * (uint64_t)frames * 1000 / sum.real;
    put_labelled(", worst over mean in thousandths ", worst);
    check(worst <= most_worst(&description->config, description->collider_count), name, ": fixed work varies");
    most_uneven = worst > most_uneven && !shuffles_pins ? worst : most_uneven;
  }
  end_line();
  least_share = sum.share_least < least_share ? sum.share_least : least_share;
  most_share = sum.share_most > most_share ? sum.share_most : most_share;
}

/* A scene is a kind and up to three changes to it, one after the other. */
typedef struct variant {
  const char *name;
  scene_kind kind;
  int frames;
  void (*changes[3])(scene *description);
} variant;

static void no_tethers(scene *s) {
  s->config.tethers.count = 0;
}
static void undamped(scene *s) {
  s->config.fabric.stretch_damping = s->config.fabric.shear_damping = s->config.fabric.bend_damping = 0;
}
static void springs_alone(scene *s) {
  undamped(s);
  s->config.grid.min_bending_length = 0;
  s->config.fabric.bend = 0;
}
static void damped_springs_alone(scene *s) {
  springs_alone(s);
  s->config.fabric.stretch_damping = s->config.fabric.shear_damping = 0.05f;
}
static void bending_alone(scene *s) {
  undamped(s);
  s->config.fabric.stretch_warp = s->config.fabric.stretch_weft = s->config.fabric.shear = 0;
}
static void viscous_bending_alone(scene *s) {
  bending_alone(s);
  s->config.fabric.bend_damping = 0.001f;
}
static void no_history(scene *s) {
  s->config.integration.bdf2_blend = 0;
}
static void maps(scene *s) {
  s->config.grid.mass_map = map;
  s->config.grid.stiffness_map = map;
}
static void masses(scene *s) {
  undamped(s);
  s->config.grid.mass_map = map;
}
static void limits(scene *s) {
  s->config.strain_limit.max_extension = 1.0e-4f;
}
static void implicit(scene *s) {
  s->config.substeps = 4;
}
static void warm(scene *s) {
  implicit(s);
  s->config.solver.max_iterations = 20;
}
static void two_substeps(scene *s) {
  s->config.substeps = 2;
}
static void one_substep(scene *s) {
  s->config.substeps = 1;
}
/* One substep, and an origin that follows in every step. */
static void following(scene *s) {
  s->config.substeps = 1;
  s->config.world.recentre_distance = 8;
}
static void following_with_targets(scene *s) {
  following(s);
  s->config.capacity.targets = 1;
}
static void explicit_only(scene *s) {
  s->config.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  s->config.substeps = 250;
}
static void no_bend(scene *s) {
  explicit_only(s);
  s->config.grid.min_bending_length = 0;
  s->config.fabric.bend = 0;
  s->config.fabric.bend_damping = 0;
}
static void solver_contact(scene *s) {
  s->config.substeps = 4;
  s->config.origin.y = 0.262f;
}
static void two_solver_contacts(scene *s) {
  solver_contact(s);
  scene_add_floor(s, 0.25f);
}
static void shape_at_hand(scene *s, int32_t shape) {
  cloth_collider *body = &s->colliders[0];
  s->config.origin.y = 0.262f;
  body->shape = (int32_t)shape;
  body->radius_top = 0.2f;
  body->half_height = shape == CLOTH_SHAPE_CAPSULE ? 0.3f : 0.25f;
  body->half_extents = (cloth_vector){0.6f, 0.25f, 0.6f};
  body->radius = shape == CLOTH_SHAPE_CYLINDER ? 0.6f : 0.25f;
  body->pose.position.y = shape == CLOTH_SHAPE_PLANE ? 0.25f : 0.0f;
}
static void on_plane(scene *s) {
  shape_at_hand(s, CLOTH_SHAPE_PLANE);
}
static void on_sphere(scene *s) {
  shape_at_hand(s, CLOTH_SHAPE_SPHERE);
}
static void on_capsule(scene *s) {
  shape_at_hand(s, CLOTH_SHAPE_CAPSULE);
}
static void on_box(scene *s) {
  shape_at_hand(s, CLOTH_SHAPE_BOX);
}
static void on_cylinder(scene *s) {
  shape_at_hand(s, CLOTH_SHAPE_CYLINDER);
}
/* Fast onto a thin box: ways are traced. */
static void traced(scene *s) {
  shape_at_hand(s, CLOTH_SHAPE_BOX);
  s->config.substeps = 1;
  s->config.origin.y = 0.25f;
  s->config.gravity.y = -600.0f;
  s->colliders[0].half_extents.y = 0.002f;
}
/* Ground of 61 x 61 samples, level or in steps, 1 m in front of and behind the middle; the sheet lies on it. */
enum { SAMPLES = 61 };
_Alignas(CLOTH_ALIGNMENT) static unsigned char geometry_memory[1000000];
static float samples[SAMPLES * SAMPLES];
static cloth_vector vertices[SAMPLES * SAMPLES];
static uint32_t indices[6 * SAMPLES * SAMPLES];

static void with_geometry(scene *s, const cloth_geometry_data *data) {
  s->config.origin.y = 0.015f;
  s->config.capacity.geometry = 1;
  s->config.capacity.meshes = 1;
  s->collider_count = 1;
  check(cloth_build_geometry(data, geometry_memory, sizeof geometry_memory, &geometry) == CLOTH_OK, "geometry", "");
  check(cloth_collider_set_geometry(&s->colliders[0], geometry, 0) == CLOTH_OK, "collider", "");
  s->colliders[0].pose.position = (cloth_vector){0.0f, 0.0f, 0.0f};
}
static void on_hull(scene *s) {
  static const cloth_vector normals[10] = {
      {1.0f, 0.0f, 0.0f},  {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},  {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f},
      {0.0f, 0.0f, -1.0f}, {0.6f, 0.8f, 0.0f},  {-0.6f, 0.8f, 0.0f}, {0.0f, 0.8f, 0.6f},  {0.0f, 0.8f, -0.6f}};
  static const float offsets[10] = {0.4f, 0.4f, 0.0f, 0.5f, 0.4f, 0.4f, 0.2f, 0.2f, 0.2f, 0.2f};
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_HULL);
  data.hull.normals = normals;
  data.hull.offsets = offsets;
  data.hull.planes = 10;
  with_geometry(s, &data);
}
static void on_field_of(scene *s, float step) {
  for (int n = 0; n < SAMPLES * SAMPLES; n++)
    samples[n] = step * (float)((n % SAMPLES / 4 + n / SAMPLES / 4) % 2);
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_HEIGHT_FIELD);
  data.height_field.heights = samples;
  data.height_field.columns = data.height_field.rows = SAMPLES;
  data.height_field.spacing_x = data.height_field.spacing_z = 2.0f / (SAMPLES - 1);
  with_geometry(s, &data);
  s->colliders[0].pose.position = (cloth_vector){-1.0f, 0.0f, -1.0f};
}
static void on_field(scene *s) {
  on_field_of(s, 0.0f);
}
static void on_rough_field(scene *s) {
  on_field_of(s, 0.05f);
}
static void on_mesh_of(scene *s, float step) {
  int count = 0;
  for (int n = 0; n < SAMPLES * SAMPLES; n++) {
    float x = 2.0f / (SAMPLES - 1) * (float)(n % SAMPLES) - 1.0f,
          z = 2.0f / (SAMPLES - 1) * (float)(n / SAMPLES) - 1.0f;
    vertices[n] = (cloth_vector){x, step * (float)((n % SAMPLES / 4 + n / SAMPLES / 4) % 2), z};
    const int corners[6] = {n, n + SAMPLES, n + 1, n + 1, n + SAMPLES, n + SAMPLES + 1};
    for (int k = 0; k < 6 && n % SAMPLES < SAMPLES - 1 && n / SAMPLES < SAMPLES - 1; k++)
      indices[count++] = (uint32_t)corners[k];
  }
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_MESH);
  data.mesh.vertices = vertices;
  data.mesh.vertex_count = SAMPLES * SAMPLES;
  data.mesh.indices = indices;
  data.mesh.triangle_count = count / 3;
  with_geometry(s, &data);
}
static void on_mesh(scene *s) {
  on_mesh_of(s, 0.0f);
}
static void on_rough_mesh(scene *s) {
  on_mesh_of(s, 0.05f);
}
static void on_distances(scene *s) {
  for (int n = 0; n < 11 * 11 * 11; n++)
    samples[n] = 0.2f * (float)(n / 11 % 11 - 5);
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_DISTANCE_GRID);
  data.distance_grid.distances = samples;
  data.distance_grid.count_x = data.distance_grid.count_y = data.distance_grid.count_z = 11;
  data.distance_grid.spacing = 0.2f;
  data.distance_grid.low = (cloth_vector){-1.0f, -1.0f, -1.0f};
  with_geometry(s, &data);
}
/* Fast onto the ground: trees are walked and paths cut into pieces. */
static void thrown(scene *s) {
  s->config.substeps = 1;
  s->config.gravity.y = -600.0f;
  s->config.gravity.x = 300.0f;
}
/* A table of shared bodies: one near the sheet, the others far away. */
static void beside_bodies(scene *s) {
  static cloth_shared_body bodies[64];
  for (int n = 0; n < 64; n++) {
    bodies[n].collider = cloth_collider_default();
    bodies[n].collider.pose.position = (cloth_vector){30.0f * (float)n, -0.24f, 0.0f};
    bodies[n].previous = bodies[n].collider.pose;
  }
  s->collider_count = 0;
  s->config.capacity.max_shared_bodies = 2;
  around.bodies = bodies;
  around.body_count = 64;
}
static void pins_at_random(scene *s) {
  shuffles_pins = 1;
  s->config.substeps = 1;
}
static void hang_by_ball(scene *s) {
  s->colliders[s->collider_count++] = cloth_collider_default();
  s->colliders[0].pose.position = (cloth_vector){0.5f, -0.4f, 0.1f};
  s->colliders[0].radius = 0.1f;
}
/* Four colliders, so that blocks of particles are tested before the particles: all far away, or all but one. */
/* Bodies with mass on a sheet that is held by its border: of one shape, or of both. */
static void bears(scene *s, int balls, int boxes) {
  s->config.origin = (cloth_vector){-0.5f, 0.0f, 0.5f};
  s->config.edge_warp = (cloth_vector){1.0f, 0.0f, 0.0f};
  s->config.edge_weft = (cloth_vector){0.0f, 0.0f, -1.0f};
  s->config.capacity.max_bodies = balls + boxes;
  s->collider_count = balls + boxes;
  for (int n = 0; n < balls + boxes; n++) {
    cloth_collider *body = &s->colliders[n];
    *body = cloth_collider_default();
    body->shape = n < balls ? CLOTH_SHAPE_SPHERE : CLOTH_SHAPE_BOX;
    body->half_extents = (cloth_vector){0.25f, 0.1f, 0.25f};
    body->pose.position = (cloth_vector){0.3f * (float)n, n < balls ? 0.255f : 0.105f, 0.0f};
  }
}
static void bears_ball(scene *s) {
  bears(s, 1, 0);
}
static void bears_box(scene *s) {
  bears(s, 0, 1);
}
static void bears_both(scene *s) {
  bears(s, 1, 1);
}
static void far_bodies(scene *s) {
  for (; s->collider_count < SCENE_COLLIDER_LIMIT; s->collider_count++) {
    s->colliders[s->collider_count] = cloth_collider_default();
    s->colliders[s->collider_count].pose.position = (cloth_vector){(float)s->collider_count, 20.0f, 0.0f};
  }
}
static void targets(scene *s) {
  s->config.capacity.targets = 1;
}
static void too_fast(scene *s) {
  s->config.integration.max_speed = 0.1f;
}

static void tube(scene *s) {
  s->config.grid.wrap = 1;
}

/* Contact of the sheet with itself: looked for, ... */
static void feels_itself(scene *s) {
  const cloth_vector warp = s->config.edge_warp, weft = s->config.edge_weft;
  const float across = (warp.x + warp.y + warp.z) / (float)(s->config.columns - 1);
  const float along = (weft.x + weft.y + weft.z) / (float)(s->config.rows - 1);
  const float spacing[2] = {across < 0.0f ? -across : across, along < 0.0f ? -along : along};
  s->config.self_thickness = 0.45f * (spacing[0] < spacing[1] ? spacing[0] : spacing[1]);
  s->config.self.pairs = 8;
}
/* ... and found: layers of four columns that lie too close to each other, on a floor, ... */
static void folded_layers(scene *s) {
  static cloth_vector positions[SIDE_LIMIT * SIDE_LIMIT];
  feels_itself(s);
  const float h = s->config.self_thickness / 0.45f;
  for (int row = 0; row < s->config.rows; row++) {
    for (int column = 0; column < s->config.columns; column++) {
      const int layer = column / 4, inner = layer % 2 ? 3 - column % 4 : column % 4;
      positions[row * s->config.columns + column] =
          (cloth_vector){h * (float)inner, 0.02f + 0.3f * h * (float)layer, h * (float)row};
    }
  }
  s->config.grid.positions = positions;
  s->collider_count = 0;
  s->config.substeps = 10;
  scene_add_floor(s, 0.0f);
}
/* ... or all through each other. */
static void tangled_layers(scene *s) {
  folded_layers(s);
  s->config.substeps = 4;
  cloth_vector *positions = (cloth_vector *)(void *)(uintptr_t)s->config.grid.positions;
  for (int i = 0; i < s->config.columns * s->config.rows; i++) {
    if (i / s->config.columns % 4 > 1) positions[i].y = 0.3f - positions[i].y;
  }
}

/* Layers with so many cells left out that most edges are rims. */
static void layers_of_rims(scene *s) {
  static uint8_t cells[SIDE_LIMIT * SIDE_LIMIT];
  folded_layers(s);
  for (int i = 0; i < (s->config.columns - 1) * (s->config.rows - 1); i++)
    cells[i] = (i / (s->config.columns - 1) + i % (s->config.columns - 1)) % 3 != 0;
  s->config.grid.cell_mask = cells;
}

/* The same as spheres, each as large as a spacing. */
static void as_spheres(scene *s) {
  s->config.self_thickness *= 2.2f;
  s->config.self.shape = CLOTH_SELF_SPHERES;
}

static const variant variants[] = {
    {"hang", SCENE_HANG, 6, {NULL}},
    {"rest", SCENE_REST, 12, {NULL}},
    {"drape", SCENE_DRAPE, 8, {NULL}},
    {"flag", SCENE_FLAG, 6, {NULL}},
    {"no tethers", SCENE_HANG, 4, {no_tethers}},
    {"undamped", SCENE_HANG, 4, {undamped}},
    {"springs alone", SCENE_HANG, 4, {springs_alone}},
    {"damped springs alone", SCENE_HANG, 4, {damped_springs_alone}},
    {"bending alone", SCENE_HANG, 4, {bending_alone}},
    {"viscous bending alone", SCENE_HANG, 4, {viscous_bending_alone}},
    {"no history", SCENE_HANG, 4, {no_history}},
    {"maps", SCENE_HANG, 4, {maps}},
    {"mapped springs alone", SCENE_HANG, 4, {springs_alone, maps}},
    {"mapped bending alone", SCENE_HANG, 4, {bending_alone, maps}},
    {"masses", SCENE_HANG, 4, {masses}},
    {"limits", SCENE_HANG, 4, {limits}},
    {"implicit", SCENE_HANG, 4, {implicit}},
    {"implicit, maps", SCENE_HANG, 3, {implicit, maps}},
    {"warm", SCENE_HANG, 8, {warm}},
    {"two substeps", SCENE_HANG, 4, {two_substeps}},
    {"one substep", SCENE_HANG, 4, {one_substep}},
    {"following", SCENE_HANG, 6, {following}},
    {"following with targets", SCENE_HANG, 6, {following_with_targets}},
    {"explicit only", SCENE_HANG, 1, {explicit_only}},
    {"explicit, no bend", SCENE_HANG, 1, {no_bend}},
    {"solver contact", SCENE_DRAPE, 6, {solver_contact}},
    {"two solver contacts", SCENE_DRAPE, 6, {two_solver_contacts}},
    {"plane", SCENE_DRAPE, 6, {on_plane}},
    {"sphere", SCENE_DRAPE, 6, {on_sphere}},
    {"capsule", SCENE_DRAPE, 6, {on_capsule}},
    {"box", SCENE_DRAPE, 6, {on_box}},
    {"cylinder", SCENE_DRAPE, 6, {on_cylinder}},
    {"traced", SCENE_DRAPE, 4, {traced}},
    {"hull", SCENE_DRAPE, 6, {on_hull}},
    {"field", SCENE_DRAPE, 6, {on_field}},
    {"rough field", SCENE_DRAPE, 6, {on_rough_field}},
    {"mesh", SCENE_DRAPE, 6, {on_mesh}},
    {"rough mesh", SCENE_DRAPE, 6, {on_rough_mesh}},
    {"distances", SCENE_DRAPE, 6, {on_distances}},
    {"at a field", SCENE_DRAPE, 4, {on_rough_field, thrown}},
    {"at a mesh", SCENE_DRAPE, 4, {on_rough_mesh, thrown}},
    {"at distances", SCENE_DRAPE, 4, {on_distances, thrown}},
    {"beside bodies", SCENE_DRAPE, 6, {beside_bodies}},
    {"hang by a ball", SCENE_HANG, 5, {hang_by_ball}},
    {"far bodies", SCENE_HANG, 4, {far_bodies}},
    {"bears a ball", SCENE_HANG, 5, {bears_ball}},
    {"bears a box", SCENE_HANG, 5, {bears_box}},
    {"bears both", SCENE_HANG, 5, {bears_both}},
    {"a ball and far bodies", SCENE_HANG, 5, {hang_by_ball, far_bodies}},
    {"too fast", SCENE_HANG, 4, {too_fast}},
    {"targets", SCENE_HANG, 5, {targets}},
    {"pins at random", SCENE_HANG, 10, {pins_at_random}},
    {"tube", SCENE_HANG, 4, {tube}},
    {"tube in wind", SCENE_FLAG, 4, {tube}},
    {"tube, springs alone", SCENE_HANG, 4, {tube, springs_alone}},
    {"tube, bending alone", SCENE_HANG, 4, {tube, bending_alone}},
    {"tube, maps", SCENE_HANG, 4, {tube, maps}},
    {"tube, limits", SCENE_HANG, 4, {tube, limits}},
    {"tube, warm", SCENE_HANG, 4, {tube, warm}},
    {"tube, explicit", SCENE_HANG, 1, {tube, explicit_only}},
    {"tube, pins at random", SCENE_HANG, 10, {tube, pins_at_random}},
    {"self, hang", SCENE_HANG, 4, {feels_itself}},
    {"self, drape", SCENE_DRAPE, 6, {feels_itself}},
    {"self, layers", SCENE_DRAPE, 2, {folded_layers}},
    {"self, tangled", SCENE_DRAPE, 2, {tangled_layers}},
    {"self, rims", SCENE_DRAPE, 2, {layers_of_rims}},
    {"spheres, layers", SCENE_DRAPE, 3, {folded_layers, as_spheres}},
    {"spheres, tangled", SCENE_DRAPE, 2, {tangled_layers, as_spheres}},
};

static void play_all(const int side[2], int fixed) {
  for (unsigned i = 0; i < sizeof variants / sizeof variants[0]; i++) {
    scene s = scene_describe(variants[i].kind, 8);
    s.config.columns = side[0];
    s.config.rows = side[1];
    use_projection(&s.config);
    shuffles_pins = 0;
    around.body_count = 0;
    for (int n = 0; n < 3 && variants[i].changes[n]; n++)
      variants[i].changes[n](&s);
    const int is_plain = !s.config.capacity.geometry && !s.config.capacity.max_shared_bodies;
    if (fixed && (!is_plain || s.config.capacity.max_bodies > 0)) /* what bears bodies is done only where they lie */
      continue;
    s.config.capacity.fixed_work = fixed;
    int is_long = s.config.substeps > 100 && (side[0] != 8 || fixed);
    const int is_padded = s.config.self_thickness == 0.0f;
    if (!is_long && (!fixed || is_padded)) play(variants[i].name, &s, variants[i].frames);
  }
}

int board_main(void) {
  timer[RELOAD] = timer[CURRENT] = UINT32_MAX;
  timer[CONTROL] = 1;
  least_share = 1u << 30;
  for (int i = 0; i < SIDE_LIMIT * SIDE_LIMIT; i++)
    map[i] = i % 3 ? 1.0f : 0.9f;
  // Costs of a particle, of a line and of a step show apart on few, many, long and short lines.
  const int sides[][2] = {{8, 8}, {24, 4}, {40, 5}, {5, 40}, {24, 24}};
  for (int side = 0; side < (EVERY_GRID ? 5 : 2); side++)
    play_all(sides[side], 0);
  play_all(sides[1], 1);
  put_labelled("instructions to a unit of work, in thousandths: ", least_share);
  put_labelled(" to ", most_share);
  end_line();
  put_labelled("with fixed work, worst step over mean, in thousandths: ", most_uneven);
  end_line();
  put_number((uint64_t)passed);
  put(" passed, ");
  put_number((uint64_t)failed);
  put(" failed");
  end_line();
  return failed != 0;
}
