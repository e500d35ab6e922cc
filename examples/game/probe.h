/*
 * Measures how deep cloth is inside the walker's capsules.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_PROBE_H
#define GAME_PROBE_H

#include "piece.h"

/* How deep the deepest point is below the surface of a capsule [m]; negative if all are outside. */
typedef struct probe_depth {
  float particles;
  float between; /* middles of the triangles' edges, and the triangles' centres */
} probe_depth;

/* The same for points: of vertices, with nothing between them. */
void probe_vertices(const render_vertex *vertices, int32_t count, const cloth_collider *bodies, int body_count,
                    float *depth);

void probe_piece(const piece *p, const cloth_collider *bodies, int body_count, probe_depth *depth);

#endif /* GAME_PROBE_H */
