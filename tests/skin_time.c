/* Times cloth_skin() and, over a seam, cloth_skin_group(): a mesh of 5,000 vertices around 24 x 32 particles, in one
   sheet and in two panels, in nanoseconds a vertex. SPDX-License-Identifier: MIT */
#include "support.h"

#include <stdio.h>
#include <time.h>

enum { COLUMNS = 24, ROWS = 32, VERTICES = 5000, REPEATS = 50, ROUNDS = 20 };

#define SPACING 0.04

typedef struct vertex {
  float position[3], normal[3], tangent[4];
} vertex;

static vertex mesh[VERTICES], skinned[VERTICES];
static cloth_binding bindings[VERTICES];
static const cloth_bind_reach reach = {1.0f, 2.0f};

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Both sides of a sheet, 0.004 m thick. */
static void make_mesh(void) {
  for (int i = 0; i < VERTICES; i++) {
    vertex *v = &mesh[i];
    memset(v, 0, sizeof *v);
    v->position[0] = (float)((COLUMNS - 1) * SPACING) * (float)(i % 50) / 49.0f;
    v->position[1] = i < VERTICES / 2 ? 0.002f : -0.002f;
    v->position[2] = (float)((ROWS - 1) * SPACING) * (float)(i / 50 % 50) / 49.0f;
    v->normal[1] = i < VERTICES / 2 ? 1.0f : -1.0f;
    v->tangent[0] = v->tangent[3] = 1.0f;
  }
}

static fixture make_panel(int columns, double start) {
  cloth_config config = cloth_config_default();
  config.columns = columns;
  config.rows = ROWS;
  config.origin = vector_at(start, 0.0, 0.0);
  config.edge_warp = vector_at(SPACING * (columns - 1), 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, SPACING * (ROWS - 1));
  config.self_thickness = 0.005f;
  config.self.gathers = 0;
  return fixture_make(&config);
}

/* Least time of a vertex over some rounds [ns]. */
static double time_of(const cloth_group *group, int has_tangents) {
  const cloth_skin_layout layout = {VERTICES, sizeof(vertex), 0, 12, has_tangents ? 24 : CLOTH_ATTRIBUTE_NONE};
  const int is_group = group->count > 1;
  double least = 1e9;
  const int bound = is_group ? cloth_bind_group(group, &layout, mesh, &reach, bindings)
                             : cloth_bind(group->cloths, 1, &layout, mesh, &reach, bindings);
  if (bound != VERTICES) exit(1);
  for (int round = 0; round < ROUNDS; round++) {
    const double start = seconds_now();
    for (int n = 0; n < REPEATS; n++) {
      if (is_group)
        cloth_skin_group(group, NULL, bindings, &layout, NULL, skinned);
      else
        cloth_skin(group->cloths, 1, bindings, &layout, NULL, skinned);
    }
    least = fmin(least, (seconds_now() - start) / REPEATS / VERTICES);
  }
  return 1e9 * least;
}

int main(void) {
  fixture whole = make_panel(COLUMNS, 0.0), halves[2] = {make_panel(12, 0.0), make_panel(13, 11 * SPACING)};
  cloth *const sheets[2] = {halves[0].sheet, halves[1].sheet};
  const cloth_seam seam = {{0, 11, 12, ROWS, NULL}, {1, 0, 13, ROWS, NULL}, 0};
  cloth_group one = cloth_group_default(), two = one;
  one.count = 1;
  one.cloths = &whole.sheet;
  two.count = 2;
  two.cloths = sheets;
  two.seam_count = 1;
  two.seams = &seam;
  make_mesh();
  printf("%d vertices\n", VERTICES);
  printf("%-34s %6s %15s\n", "ns a vertex", "plain", "with tangents");
  printf("%-34s %6.1f %15.1f\n", "cloth_skin(), 24 x 32", time_of(&one, 0), time_of(&one, 1));
  printf("%-34s %6.1f %15.1f\n", "cloth_skin_group(), 12 and 13 x 32", time_of(&two, 0), time_of(&two, 1));
  fixture_free(&whole);
  for (int n = 0; n < 2; n++)
    fixture_free(&halves[n]);
  return 0;
}
