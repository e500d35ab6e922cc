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
  int columns;
  void (*configure)(cloth_config *config);
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

static void in_one_substep(cloth_config *config) {
  config->substeps = 1;
  config->iterations = 2;
}

static const scene scenes[] = {
#ifdef COST_BOARD
    {"plain", 16, NULL},
    {"one-substep", 16, in_one_substep},
    {"plain", 32, NULL},
    {"alone", 32, without_colliders},
#else
    {"plain", 32, NULL},           {"alone", 32, without_colliders},
    {"air", 32, in_air},           {"plain", 64, NULL},
    {"plain", 16, NULL},           {"rest-positions", 32, with_rest_positions},
    {"mass-map", 32, with_masses}, {"stiffness-map", 32, with_stiffnesses},
    {"mask", 32, with_hole},       {"tube", 32, as_tube},
#endif
};

static void count_scene(const scene *s) {
  cloth_config config = cloth_config_default();
  cloth_memory memory;
  cloth *sheet = NULL;
  config.columns = config.rows = s->columns;
  config.air.density = 0.0f;
  if (s->configure != NULL)
    s->configure(&config);
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
  cloth_pin(sheet, 0);
  cloth_pin(sheet, config.grid.wrap ? s->columns / 2 : s->columns - 1);
  for (int frame = 0; frame < WARM_FRAMES + COUNTED_FRAMES; frame++) {
    if (frame >= WARM_FRAMES)
      cost_begin();
    result = cloth_step(sheet, FRAME_SECONDS);
    if (frame >= WARM_FRAMES)
      cost_end();
    if (result < 0)
      fail(s->columns, s->name, cloth_result_name(result));
  }
  report(s->columns, s->name, "frames", (uint64_t)(s->columns * s->columns));
}

int board_main(void) {
  for (unsigned n = 0; n < sizeof scenes / sizeof scenes[0]; n++)
    count_scene(&scenes[n]);
  return failures == 0 ? 0 : 1;
}
