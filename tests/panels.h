/* Panels of one sheet that are sewn together, for tests of seams. Include after support.h.
   SPDX-License-Identifier: MIT */
#ifndef PANELS_H
#define PANELS_H

#include "support.h"

/// Panels ///

enum { PANELS = 4, MOST_SEAMS = 8 };

#define SPACING 0.03

/* Panels of one sheet, cut across its rows or its columns, and sewn together again. */
typedef struct panels {
  int count, columns[PANELS], rows[PANELS];
  int is_cut_across_columns;
  fixture f[PANELS];
  cloth *sheets[PANELS];
  cloth_group_pair exceptions[PANELS];
  cloth_seam seams[MOST_SEAMS];
  cloth_group group;
  unsigned char *allocation, *memory;
  size_t bytes;
} panels;

static inline cloth_config panel_config(int columns, int rows, int substeps) {
  cloth_config config = cloth_config_default();
  config.columns = columns;
  config.rows = rows;
  config.edge_warp = vector_at(SPACING * (columns - 1), 0, 0);
  config.edge_weft = vector_at(0, -SPACING * (rows - 1), 0);
  config.substeps = substeps;
  config.self_thickness = 0.01f;
  config.self.gathers = 0;
  return config;
}

/* A side of a seam that is a column or a row. */
static inline cloth_seam_side column_side(int place, int columns, int rows, int column) {
  cloth_seam_side side = {place, column, columns, rows, NULL};
  return side;
}

static inline cloth_seam_side row_side(int place, int columns, int row) {
  cloth_seam_side side = {place, row * columns, 1, columns, NULL};
  return side;
}

/* The addresses in the group are those of the panels, which must not move. */
static inline void make_group(panels *p) {
  p->group = cloth_group_default();
  p->group.cloths = p->sheets;
  p->group.count = p->count;
  p->group.seams = p->seams;
}

static inline void take_memory(panels *p) {
  int result = cloth_group_bytes(&p->group, &p->bytes);
  CHECK(result == CLOTH_OK, "cloth_group_bytes: %s", cloth_result_name(result));
  p->memory = guarded_buffer(p->bytes, 0, &p->allocation);
}

/* A sheet of columns x rows particles in `count` panels. */
static inline void cut_sheet(panels *p, int columns, int rows, int count, int across_columns,
                             const cloth_config *like) {
  memset(p, 0, sizeof *p);
  p->count = count;
  p->is_cut_across_columns = across_columns;
  const int cells = (across_columns ? columns : rows) - 1;
  for (int i = 0; i < count; i++) {
    const int first = cells * i / count, last = cells * (i + 1) / count;
    p->columns[i] = across_columns ? last - first + 1 : columns;
    p->rows[i] = across_columns ? rows : last - first + 1;
    cloth_config config = panel_config(p->columns[i], p->rows[i], like->substeps), own = *like;
    own.columns = config.columns;
    own.rows = config.rows;
    own.edge_warp = config.edge_warp;
    own.edge_weft = config.edge_weft;
    own.origin = across_columns ? vector_at(SPACING * first, 0, 0) : vector_at(0, -SPACING * first, 0);
    p->f[i] = fixture_make(&own);
    p->sheets[i] = p->f[i].sheet;
  }
  make_group(p);
  for (int i = 0; i + 1 < count; i++) {
    p->seams[i].a =
        across_columns ? column_side(i, p->columns[i], rows, p->columns[i] - 1) : row_side(i, columns, p->rows[i] - 1);
    p->seams[i].b = across_columns ? column_side(i + 1, p->columns[i + 1], rows, 0) : row_side(i + 1, columns, 0);
  }
  p->group.seam_count = count - 1;
  take_memory(p);
}

static inline void free_panels(panels *p) {
  CHECK(guards_intact(p->memory, p->bytes), "bytes outside the memory of the group were written");
  for (int i = 0; i < p->count; i++)
    fixture_free(&p->f[i]);
  free(p->allocation);
}

/* The largest gap of any seam, over the spacing. */
static inline double largest_gap(const panels *p) {
  double largest = 0;
  for (int i = 0; i < p->group.seam_count; i++) {
    float gap = NAN;
    int result = cloth_group_seam_gap(&p->group, i, &gap);
    CHECK(result == CLOTH_OK, "cloth_group_seam_gap: %s", cloth_result_name(result));
    largest = fmax(largest, (double)gap / SPACING);
  }
  return largest;
}

/* What lies in the memory before a step must not matter. Returns the largest gap after any step. */
static inline double step_panels(panels *p, int steps) {
  double largest = 0;
  for (int n = 0; n < steps; n++) {
    memset(p->memory, 0x41 + n, p->bytes);
    uint64_t bound = 0, work = 0;
    cloth_group_work_bound(&p->group, FRAME, &bound);
    int result = cloth_step_together(&p->group, FRAME, p->memory, p->bytes);
    CHECK(result >= 0 && !(result & CLOTH_NOTE_RECOVERED), "cloth_step_together: %d", result);
    for (int i = 0; i < p->count; i++) {
      const cloth_statistics s = read_statistics(p->sheets[i]);
      work += (uint64_t)s.work[1] << 32 | s.work[0];
    }
    CHECK(work <= bound, "work %g over its bound %g", (double)work, (double)bound);
    largest = fmax(largest, largest_gap(p));
  }
  return largest;
}

static inline double lowest_particle(const panels *p) {
  double low = 1e9;
  for (int i = 0; i < p->count; i++) {
    for (int k = 0; k < p->f[i].count; k++)
      low = fmin(low, position_of(p->sheets[i], k).y);
  }
  return low;
}

static inline double fastest_particle(const panels *p) {
  double fastest = 0;
  for (int i = 0; i < p->count; i++) {
    for (int k = 0; k < p->f[i].count; k++)
      fastest = fmax(fastest, point_length(velocity_of(p->sheets[i], k)));
  }
  return fastest;
}

/* The fastest particle at the end of any of so many steps [m/s]. */
static inline double fastest_during(panels *p, int steps) {
  double fastest = 0;
  for (int n = 0; n < steps; n++) {
    step_panels(p, 1);
    fastest = fmax(fastest, fastest_particle(p));
  }
  return fastest;
}

/* Kinetic energy, and that in the field of gravity [J]. */
static inline double energy_of(const panels *p, double gravity) {
  double energy = 0;
  for (int i = 0; i < p->count; i++) {
    const double mass = particle_mass(&p->f[i], 0);
    for (int k = 0; k < p->f[i].count; k++) {
      const double speed = point_length(velocity_of(p->sheets[i], k));
      energy += mass * (0.5 * speed * speed + gravity * position_of(p->sheets[i], k).y);
    }
  }
  return energy;
}

#endif
