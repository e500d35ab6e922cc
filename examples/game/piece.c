/* SPDX-License-Identifier: MIT */
#include "piece.h"
#include "pose.h"

#include <stddef.h>
#include <time.h>

static int write_later(piece *p) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  return cloth_write_vertices(p->sheet, &layout, p->later, (size_t)p->vertex_limit * sizeof *p->later);
}

static void swap_states(piece *p) {
  render_vertex *vertices = p->earlier;
  p->earlier = p->later;
  p->later = vertices;
}

int piece_reserve(piece *p, store *memory, const cloth_config *largest) {
  cloth_memory needed;
  int result = cloth_memory_needed(largest, &needed);
  if (result < 0) return result;
  if (needed.shared_bytes > memory->scratch_bytes) memory->scratch_bytes = needed.shared_bytes;
  p->memory = memory;
  p->arena_bytes = needed.total_bytes;
  p->vertex_limit = (largest->columns + largest->grid.wrap) * largest->rows;
  p->arena = store_take(memory, p->arena_bytes);
  p->earlier = store_take(memory, (size_t)p->vertex_limit * sizeof *p->earlier);
  p->later = store_take(memory, (size_t)p->vertex_limit * sizeof *p->later);
  return p->arena && p->earlier && p->later ? CLOTH_OK : CLOTH_ERROR_ARENA;
}

int piece_make(piece *p, const cloth_config *config) {
  int result = cloth_init(config, p->arena, p->arena_bytes, &p->sheet);
  if (result < 0) return result;
  p->columns = config->columns;
  p->rows = config->rows;
  p->across = config->columns + config->grid.wrap;
  return piece_snap(p);
}

int piece_snap(piece *p) {
  int result = write_later(p);
  swap_states(p);
  return result < 0 ? result : write_later(p);
}

static float microseconds_since(clock_t before) {
  return 1e6f * (float)(clock() - before) / (float)CLOCKS_PER_SEC;
}

static int show_step(piece *p) {
  swap_states(p);
  return write_later(p);
}

int piece_step(piece *p, float dt) {
  clock_t before = clock();
  int result = cloth_set_scratch(p->sheet, p->memory->scratch, p->memory->scratch_bytes);
  if (result >= 0) result = cloth_step(p->sheet, dt);
  p->microseconds = microseconds_since(before);
  int written = show_step(p);
  return written < 0 ? written : result;
}

static cloth_group describe_group(const piece_group *g, cloth **sheets) {
  cloth_group group = cloth_group_default();
  group.cloths = sheets;
  group.count = g->count;
  group.exceptions = g->exceptions;
  group.exception_count = g->exception_count;
  group.seams = g->seams;
  group.seam_count = g->seam_count;
  for (int32_t i = 0; i < g->count; i++)
    sheets[i] = g->pieces[i]->sheet;
  return group;
}

int group_reserve(piece_group *g, store *memory) {
  cloth *sheets[CLOTH_GROUP_LIMIT];
  const cloth_group group = describe_group(g, sheets);
  int result = cloth_group_bytes(&group, &g->bytes);
  if (result < 0) return result;
  g->room = store_take(memory, g->bytes);
  return g->room ? CLOTH_OK : CLOTH_ERROR_ARENA;
}

int group_gap(const piece_group *g, float *gap) {
  cloth *sheets[CLOTH_GROUP_LIMIT];
  const cloth_group group = describe_group(g, sheets);
  int result = CLOTH_OK;
  *gap = 0;
  for (int32_t i = 0; i < group.seam_count && result >= 0; i++) {
    float of_seam = 0;
    result = cloth_group_seam_gap(&group, i, &of_seam);
    *gap = of_seam > *gap ? of_seam : *gap;
  }
  return result;
}

int group_step(piece_group *g, float dt) {
  cloth *sheets[CLOTH_GROUP_LIMIT];
  const cloth_group group = describe_group(g, sheets);
  clock_t before = clock();
  int result = cloth_step_together(&group, dt, g->room, g->bytes), particles = 0;
  float microseconds = microseconds_since(before);
  for (int32_t i = 0; i < g->count; i++)
    particles += g->pieces[i]->columns * g->pieces[i]->rows;
  for (int32_t i = 0; i < g->count; i++) {
    piece *p = g->pieces[i];
    p->microseconds = microseconds * (float)(p->columns * p->rows) / (float)particles;
    int written = show_step(p);
    result = written < 0 ? written : result;
  }
  return result;
}

void piece_blend(const piece *p, float share, render_vertex *vertices) {
  for (int32_t i = 0; i < p->across * p->rows; i++) {
    vertices[i] = p->later[i];
    vertices[i].position = mixed(p->earlier[i].position, p->later[i].position, share);
    vertices[i].normal = mixed(p->earlier[i].normal, p->later[i].normal, share);
  }
}
