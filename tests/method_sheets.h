/* Sheets for tests of examples/methods, in memory that one sheet at a time has. Include after methods.c and check.h. */
#ifndef METHOD_SHEETS_H
#define METHOD_SHEETS_H

#include "schemes.h"

#include <stdlib.h>
#include <string.h>

static unsigned char arena[1 << 22] __attribute__((aligned(CLOTH_ALIGNMENT)));
static unsigned char memory[1 << 23] __attribute__((aligned(CLOTH_ALIGNMENT)));

/* A config whose fabric and grid resist nothing, without damping, one substep a step. */
static inline cloth_config bare_config(int columns, int rows) {
  cloth_config config = cloth_config_default();
  use_two_tiers(&config);
  config.columns = columns;
  config.rows = rows;
  memset(&config.fabric, 0, sizeof config.fabric);
  config.grid.min_bending_length = 0.0f;
  config.grid.imperfection = 0.0f;
  config.integration.velocity_damping = 0.0f;
  config.substeps = 1;
  return config;
}

/* Returns a sheet in `arena`, and makes the memory of its method new. */
static inline cloth *open_sheet(const cloth_config *config) {
  cloth *sheet = NULL;
  const int result = cloth_init(config, arena, sizeof arena, &sheet);
  CHECK(result == CLOTH_OK, "cloth_init: %s", cloth_result_name(result));
  if (result != CLOTH_OK) exit(check_report());
  memset(memory, 0, 64);
  return sheet;
}

#endif
