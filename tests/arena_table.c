/* The bytes of a cloth's arena, told from cloth_memory_needed(): fixed, for each particle and for each column. With an
   argument the table is Markdown. SPDX-License-Identifier: MIT */
#include "cloth.h"
#include "schemes.h"

#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 64, LARGE = 128 };

static float ones[LARGE * LARGE];

/* A way to set up a cloth, and its name in the table. */
typedef struct arrangement {
  const char *name;
  void (*set_up)(cloth_config *config);
} arrangement;

static void set_up_explicit_only(cloth_config *config) {
  use_two_tiers(config);
  config->integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
}

static void set_up_default(cloth_config *config) {
  (void)config;
}

static void set_up_without_colliders(cloth_config *config) {
  config->max_colliders = 0;
}

static void set_up_everything(cloth_config *config) {
  config->grid.mass_map = ones;
  config->grid.stiffness_map = ones;
}

static cloth_memory memory_of(const arrangement *a, int32_t columns, int32_t rows) {
  cloth_config config = cloth_config_default();
  cloth_memory memory;
  config.columns = columns;
  config.rows = rows;
  a->set_up(&config);
  if (cloth_memory_needed(&config, &memory) != CLOTH_OK) {
    printf("failed: %s cannot be set up\n", a->name);
    exit(1);
  }
  return memory;
}

typedef struct share {
  double fixed, particle, column;
} share;

/* From three grids; every size is a multiple of the alignment, hence the fractions. */
static share share_of(double small, double more_rows, double more_columns) {
  const double count = SMALL * SMALL, more = SMALL * (LARGE - SMALL);
  share s;
  s.particle = (more_rows - small) / more;
  s.column = (more_columns - more_rows) / (LARGE - SMALL);
  s.fixed = small - s.particle * count - s.column * SMALL;
  return s;
}

static void print_row(const arrangement *a, int markdown) {
  cloth_memory small = memory_of(a, SMALL, SMALL);
  cloth_memory rows = memory_of(a, SMALL, LARGE);
  cloth_memory columns = memory_of(a, LARGE, SMALL);
  share all = share_of((double)small.total_bytes, (double)rows.total_bytes, (double)columns.total_bytes);
  share state = share_of((double)small.state_bytes, (double)rows.state_bytes, (double)columns.state_bytes);
  const char *format =
      markdown ? "| %s | %.0f | %.1f | %.1f | %.1f | %zu |\n" : "%-14s %8.0f %13.1f %11.1f %23.1f %16zu\n";
  printf(format, a->name, all.fixed, all.particle, all.column, state.particle, memory_of(a, 32, 32).total_bytes);
}

int main(int count, char **arguments) {
  static const arrangement arrangements[] = {{"explicit-only", set_up_explicit_only},
                                             {"default", set_up_default},
                                             {"no colliders", set_up_without_colliders},
                                             {"everything on", set_up_everything}};
  int markdown = count > 1;
  (void)arguments;
  for (int i = 0; i < LARGE * LARGE; i++)
    ones[i] = 1.0f;
  if (markdown)
    printf("| config | fixed | per particle | per column | of it state per particle | 32 x 32 in all |\n"
           "|---|---|---|---|---|---|\n");
  else
    printf("config            fixed  per particle  per column  state of each particle  32 x 32 in all\n");
  for (size_t i = 0; i < sizeof arrangements / sizeof arrangements[0]; i++)
    print_row(&arrangements[i], markdown);
  return 0;
}
