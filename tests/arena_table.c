/* The bytes of a cloth's arena, told from cloth_memory_needed(): fixed, for each particle and for each column; of each
   particle by grid; and what settings add. With an argument the tables are Markdown. SPDX-License-Identifier: MIT */
#include "cloth.h"
#include "schemes.h"

#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 64, LARGE = 128 };

static float ones[LARGE * LARGE];
static uint8_t cells[LARGE * LARGE];
static cloth_vector places[LARGE * LARGE];
static int markdown;

typedef enum arrangement {
  EXPLICIT_ONLY,
  DEFAULT,
  NO_COLLIDERS,
  MAPS,
  CONFIGS, /* the ones above have lines of their own; the others are told by what they add to NO_COLLIDERS */
  MASS_MAP = CONFIGS,
  STIFFNESS_MAP,
  CELL_MASK,
  REST_POSITIONS,
  BLEND,
  TETHERS,
  TEARING,
  PIN_REACTIONS,
  TARGETS,
  SELF,
  SELF_HALF,
  COLLIDERS,
  ARRANGEMENTS
} arrangement;

static const char *const names[ARRANGEMENTS] = {"explicit-only",
                                                "default",
                                                "no colliders",
                                                "both maps",
                                                "`grid.mass_map`",
                                                "`grid.stiffness_map`",
                                                "`grid.cell_mask`",
                                                "`grid.rest_positions`",
                                                "`integration.bdf2_blend` above 0",
                                                "`tethers.count` 2",
                                                "`tearing.max_breaks` above 0",
                                                "`capacity.pin_reactions`",
                                                "`capacity.targets`",
                                                "`self_thickness`, 24 `self.pairs`",
                                                "`self_thickness`, 12 `self.pairs`",
                                                "`max_colliders` 16"};

static cloth_config config_of(arrangement a, int32_t columns, int32_t rows) {
  cloth_config c = cloth_config_default();
  if (a == EXPLICIT_ONLY) {
    use_two_tiers(&c);
    c.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  }
  c.columns = columns;
  c.rows = rows;
  if (a == NO_COLLIDERS || (a >= CONFIGS && a != COLLIDERS)) c.max_colliders = 0;
  if (a == MAPS || a == MASS_MAP) c.grid.mass_map = ones;
  if (a == MAPS || a == STIFFNESS_MAP) c.grid.stiffness_map = ones;
  if (a == CELL_MASK) c.grid.cell_mask = cells;
  if (a == REST_POSITIONS) c.grid.rest_positions = places;
  if (a == BLEND) c.integration.bdf2_blend = 0.5f;
  if (a == TETHERS) c.tethers.count = 2;
  if (a == TEARING) c.tearing.max_breaks = 1;
  if (a == PIN_REACTIONS) c.capacity.pin_reactions = 1;
  if (a == TARGETS) c.capacity.targets = 1;
  if (a == SELF || a == SELF_HALF) c.self_thickness = 1e-3f;
  if (a == SELF_HALF) c.self.pairs /= 2;
  for (int i = 0; i < columns * rows; i++) {
    const cloth_vector place = {0.01f * (float)(i % columns), 0.0f, 0.01f * (float)(i / columns)};
    ones[i] = 1.0f;
    cells[i] = 1;
    places[i] = place;
  }
  return c;
}

static cloth_memory memory_of(arrangement a, int32_t columns, int32_t rows) {
  cloth_memory memory;
  const cloth_config config = config_of(a, columns, rows);
  if (cloth_memory_needed(&config, &memory) != CLOTH_OK) {
    printf("failed: %s cannot be set up\n", names[a]);
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

static void print_config(arrangement a) {
  cloth_memory small = memory_of(a, SMALL, SMALL);
  cloth_memory rows = memory_of(a, SMALL, LARGE);
  cloth_memory columns = memory_of(a, LARGE, SMALL);
  share all = share_of((double)small.total_bytes, (double)rows.total_bytes, (double)columns.total_bytes);
  printf(markdown ? "| %s | %.0f | %.1f | %.1f |" : "%-14s %8.0f %13.1f %11.1f ", names[a], all.fixed, all.particle,
         all.column);
  for (int n = 16; n <= 64; n *= 2) {
    const cloth_memory memory = memory_of(a, n, n);
    printf(markdown ? " %zu | %.0f |" : "%9zu %5.0f ", memory.total_bytes, (double)memory.state_bytes / (n * n));
  }
  printf("\n");
}

static void print_setting(arrangement a) {
  const cloth_memory without = memory_of(NO_COLLIDERS, SMALL, SMALL), with = memory_of(a, SMALL, SMALL);
  printf(markdown ? "| %s | %.0f | %.0f |\n" : "%-36s %5.0f %5.0f\n", names[a],
         ((double)with.total_bytes - (double)without.total_bytes) / (SMALL * SMALL),
         ((double)with.state_bytes - (double)without.state_bytes) / (SMALL * SMALL));
}

/* What one more of something takes, which memory has room for. */
static void print_capacity(int which) {
  static const char *const rooms[] = {
      "`max_colliders`",       "`capacity.max_confined`", "`capacity.max_attachments`",
      "`capacity.max_bodies`", "`capacity.max_contacts`", "`capacity.max_shared_bodies`"};
  double bytes[2];
  for (int more = 0; more < 2; more++) {
    cloth_config c = config_of(DEFAULT, SMALL, SMALL);
    int32_t *const room[] = {&c.max_colliders,       &c.capacity.max_confined, &c.capacity.max_attachments,
                             &c.capacity.max_bodies, &c.capacity.max_contacts, &c.capacity.max_shared_bodies};
    cloth_memory memory;
    *room[which] = more ? 16 : 8;
    if (cloth_memory_needed(&c, &memory) != CLOTH_OK) exit(1);
    bytes[more] = (double)memory.total_bytes;
  }
  printf(markdown ? "| one more of %s | %.0f in all | |\n" : "one more of %-24s %5.0f in all\n", rooms[which],
         (bytes[1] - bytes[0]) / 8.0);
}

int main(int count, char **arguments) {
  (void)arguments;
  markdown = count > 1;
  printf(markdown
             ? "| config | fixed | per particle | per column | 16 x 16 | state each | 32 x 32 | state each "
               "| 64 x 64 | state each |\n|---|---|---|---|---|---|---|---|---|---|\n"
             : "config            fixed  per particle  per column   16 x 16 state   32 x 32 state   64 x 64 state\n");
  for (int a = 0; a < CONFIGS; a++)
    print_config((arrangement)a);
  printf(markdown ? "\n| what a setting adds to no colliders | per particle | of it state |\n|---|---|---|\n"
                  : "\nadds to no colliders, per particle      all  state\n");
  for (int a = CONFIGS; a < ARRANGEMENTS; a++)
    print_setting((arrangement)a);
  for (int which = 0; which < 6; which++)
    print_capacity(which);
  return 0;
}
