/*
 * The work of a step whose instructions tests/cost/step.sh counts, on a board under QEMU with
 * counter.c. A sheet of 1 m x 1 m hangs by two corners; after WARM_FRAMES of 1/60 s COUNTED_FRAMES count, one by one.
 * For each scene it prints "count COLUMNS NAME frames PARTICLES", in the order of the counter's lines, and "bytes
 * COLUMNS NAME BYTES" of state and scratch.
 *
 * COST_BOARD  what a microcontroller has memory for
 *
 * SPDX-License-Identifier: MIT
 */
#include "../../cloth.h"
#include "marks.h"

#define FRAME_SECONDS (1.0f / 60.0f)
#define WARM_FRAMES 10
#define COUNTED_FRAMES 30

#ifdef COST_BOARD
enum { MOST = 32 * 32, ARENA_BYTES = 440 * 1024 };
#else
enum { MOST = 64 * 64, ARENA_BYTES = 2 * 1024 * 1024 };
#endif

static unsigned char arena[ARENA_BYTES] __attribute__((aligned(CLOTH_ALIGNMENT)));
static float factors[MOST];
static uint8_t mask[MOST];
static cloth_vector rest[MOST];

typedef struct scene {
  const char *name;
  int columns, rows;
  void (*configure)(cloth_config *config);
  int bodies; /* see move_bodies() */
} scene;

static void in_air(cloth_config *config) {
  config->air.density = 1.2f;
  config->wind = (cloth_vector){4.0f, 0.0f, 2.0f};
}

static void with_rest_positions(cloth_config *config) {
  const int columns = config->columns, rows = config->rows;
  for (int i = 0; i < columns * rows; i++) {
    const float row = (float)(i / columns) / (float)(rows - 1), column = (float)(i % columns) / (float)(columns - 1);
    rest[i] = (cloth_vector){column * (1.0f + 0.25f * row), -row, 0.0f};
  }
  config->grid.rest_positions = rest;
}

static const float *fill_factors(void) {
  for (int i = 0; i < MOST; i++)
    factors[i] = 1.0f + 0.25f * (float)(i % 5);
  return factors;
}

static void with_masses(cloth_config *config) {
  config->grid.mass_map = fill_factors();
}

static void with_stiffnesses(cloth_config *config) {
  config->grid.stiffness_map = fill_factors();
}

static void with_hole(cloth_config *config) {
  const int cells = config->columns - 1;
  for (int i = 0; i < cells * (config->rows - 1); i++) {
    const int row = i / cells, column = i % cells;
    mask[i] = !(row > 16 && row < 19 && column > 10 && column < 16);
  }
  config->grid.cell_mask = mask;
}

static void as_tube(cloth_config *config) {
  config->grid.wrap = 1;
  config->edge_weft = (cloth_vector){0.0f, -1.0f, 0.0f};
}

static void without_colliders(cloth_config *config) {
  config->max_colliders = 0;
}

#ifdef COST_BOARD

static void in_one_substep(cloth_config *config) {
  config->substeps = 1;
  config->iterations = 2;
}

#endif

static void as_cape(cloth_config *config) {
  config->origin = (cloth_vector){-0.45f, 0.5f, -0.12f};
  config->edge_warp = (cloth_vector){0.9f, 0.0f, 0.0f};
  config->edge_weft = (cloth_vector){0.0f, -1.2f, 0.0f};
}

/// Bodies ///

enum { FAR_BODIES = 16, FIGURE = 8 };

/* The capsules of a figure, the largest first: where they are, their radius and half of the height of their axis. */
static const struct {
  cloth_vector position;
  float radius, half_height;
} figure[FIGURE] = {{{0.0f, 0.2f, 0.0f}, 0.17f, 0.2f},   {{0.0f, -0.1f, 0.0f}, 0.16f, 0.1f},
                    {{0.0f, 0.42f, 0.0f}, 0.14f, 0.02f}, {{-0.25f, 0.15f, 0.0f}, 0.06f, 0.2f},
                    {{0.25f, 0.15f, 0.0f}, 0.06f, 0.2f}, {{-0.1f, -0.55f, 0.0f}, 0.09f, 0.3f},
                    {{0.1f, -0.55f, 0.0f}, 0.09f, 0.3f}, {{0.0f, 0.72f, 0.0f}, 0.1f, 0.02f}};

/* Adds bodies: the first of the figure; or with FAR_BODIES as many capsules that are far away. */
static int add_bodies(cloth *sheet, int count) {
  int result = CLOTH_OK;
  for (int n = 0; n < count && result >= 0; n++) {
    cloth_collider body = cloth_collider_default();
    const int is_far = count == FAR_BODIES;
    body.shape = CLOTH_SHAPE_CAPSULE;
    body.radius = body.radius_top = is_far ? 0.1f : figure[n].radius;
    body.half_height = is_far ? 0.2f : figure[n].half_height;
    body.pose.position = is_far ? (cloth_vector){5.0f + (float)n, 0.0f, 0.0f} : figure[n].position;
    result = cloth_add_collider(sheet, &body);
  }
  return result;
}

/* By how much the figure leans back in a frame [m]. */
static float lean(int frame) {
  const int phase = frame % 20;
  return 0.01f * (float)(phase < 10 ? phase : 20 - phase);
}

/* The figure leans back and forth, and the pins of the first row with it. */
static int move_figure(cloth *sheet, int count, int columns, int frame) {
  int result = CLOTH_OK;
  for (int n = 0; n < count && result >= 0; n++) {
    cloth_pose from = {figure[n].position, {0.0f, 0.0f, 0.0f, 1.0f}}, to = from;
    from.position.z -= lean(frame);
    to.position.z -= lean(frame + 1);
    result = cloth_move_collider(sheet, n, &from, &to);
  }
  for (int i = 0; i < columns && result >= 0; i++) {
    const float x = -0.45f + 0.9f * (float)i / (float)(columns - 1);
    result = cloth_move_pin(sheet, i, (cloth_vector){x, 0.5f, -0.12f - lean(frame + 1)});
  }
  return result;
}

static const scene scenes[] = {
#ifdef COST_BOARD
    {"plain", 16, 16, NULL, 0},   {"one-substep", 16, 16, in_one_substep, 0},
    {"plain", 32, 32, NULL, 0},   {"alone", 32, 32, without_colliders, 0},
    {"cape", 16, 16, as_cape, 3},
#else
    {"plain", 32, 32, NULL, 0},           {"alone", 32, 32, without_colliders, 0},
    {"air", 32, 32, in_air, 0},           {"plain", 64, 64, NULL, 0},
    {"plain", 16, 16, NULL, 0},           {"rest-positions", 32, 32, with_rest_positions, 0},
    {"mass-map", 32, 32, with_masses, 0}, {"stiffness-map", 32, 32, with_stiffnesses, 0},
    {"mask", 32, 32, with_hole, 0},       {"tube", 32, 32, as_tube, 0},
    {"far", 32, 32, NULL, FAR_BODIES},    {"cape", 24, 32, as_cape, FIGURE},
#endif
};

static void count_scene(const scene *s) {
  cloth_config config = cloth_config_default();
  cloth_memory memory;
  cloth *sheet = NULL;
  config.columns = s->columns;
  config.rows = s->rows;
  config.air.density = 0.0f;
  if (s->configure != NULL) s->configure(&config);
  cloth_memory_needed(&config, &memory);
  int result = cloth_init(&config, arena, sizeof arena, &sheet);
  if (result < 0) {
    fail(s->columns, s->name, cloth_result_name(result));
    return;
  }
  put_word("bytes");
  put_number((uint64_t)s->columns);
  put_word(s->name);
  put_number(memory.state_bytes + memory.scratch_bytes);
  end_line();
  const int is_cape = s->configure == as_cape;
  for (int i = 0; i < s->columns; i++) {
    if (is_cape || i == 0 || i == (config.grid.wrap ? s->columns / 2 : s->columns - 1)) cloth_pin(sheet, i);
  }
  if (add_bodies(sheet, s->bodies) < 0) fail(s->columns, s->name, "bodies");
  for (int frame = 0; frame < WARM_FRAMES + COUNTED_FRAMES; frame++) {
    if (is_cape && move_figure(sheet, s->bodies, s->columns, frame) < 0) fail(s->columns, s->name, "figure");
    if (frame >= WARM_FRAMES) cost_begin();
    result = cloth_step(sheet, FRAME_SECONDS);
    if (frame >= WARM_FRAMES) cost_end();
    if (result < 0) fail(s->columns, s->name, cloth_result_name(result));
  }
  report(s->columns, s->name, "frames", (uint64_t)(s->columns * s->rows));
}

int board_main(void) {
  for (unsigned n = 0; n < sizeof scenes / sizeof scenes[0]; n++)
    count_scene(&scenes[n]);
  return failures == 0 ? 0 : 1;
}
