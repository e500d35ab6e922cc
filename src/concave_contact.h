#pragma once
#include "compiler.h"
#include "costs.h"
#include "lanes.h"
#include "scalar.h"
#include "shape_field.h"
#include "shape_grid.h"
#include "shape_mesh.h"
#include "triangle.h"
#include "types.h"

/// Contact with concave shapes ///

/*
 * Contact with height fields, meshes and distance grids, particle by particle: each lane has other triangles or cells.
 * A place between several surfaces takes several passes: each moves the particle out of one, as colliders one after
 * the other do. A particle that the last pass still finds behind a surface goes back, in the collider's axes, to where
 * it was when the substep started; so does one whose path is near more triangles of a mesh than a walk may look at.
 * In: paths in the collider's axes. Out: contacts, and what the searches took. Scratch: own.mesh_caches.
 */

#if WITH_CONCAVE

/* The paths of a block of particles, and the contacts found. */
typedef struct lane_paths {
  float from[3][CLOTH_LANES], to[3][CLOTH_LANES]; /* in the collider's axes [m] */
  float push[CLOTH_LANES];                        /* lengths of the pushes in `to` [m] */
  float near[CLOTH_LANES];                        /* 1 for particles that take part in the pass, else 0 */
  float again[CLOTH_LANES];                       /* 1 for those that need another pass, else 0 */
  float normal[3][CLOTH_LANES];
  float penetration[CLOTH_LANES]; /* into the margin and the length of the push [m]; 0 without contact */
  int32_t overflows;              /* of all searches together */
  uint32_t work;
} lane_paths;

/* Finds the contact of one path in a pass over the collider m. */
static void search_surface(const cloth *c, const moving_body *m, const cloth_geometry *g, int32_t particle,
                           int32_t pass, surface_search *s) {
#if WITH_MESH
  if (g->shape == CLOTH_SHAPE_MESH) {
    search_mesh(c, g, mesh_caches_of(c, m->mesh) + particle, pass == 0, s);
  }
#endif
#if WITH_HEIGHT_FIELD
  if (g->shape == CLOTH_SHAPE_HEIGHT_FIELD) {
    search_field(g, s);
  }
#endif
#if WITH_DISTANCE_GRID
  if (g->shape == CLOTH_SHAPE_DISTANCE_GRID) {
    search_grid(g, s);
  }
#endif
  (void)c;
  (void)m;
  (void)particle;
  (void)pass;
}

/* Lets a contact bring the end of the path back to its start. */
static void return_to_start(surface_search *s) {
  const cloth_vector way = vector_flush(vector_subtract(s->from, s->to), STATE_QUANTUM);
  const float length = vector_length(way);
  if (length > STATE_QUANTUM) {
    s->normal = vector_flush_work(vector_scale(way, 1.0f / length));
    s->penetration = length;
  }
}

/* Is a path so far outside of the box around a geometry that it cannot touch? */
static int is_off_box(const cloth_geometry *g, const surface_search *s) {
  const cloth_vector a = s->from, b = s->to, low = g->low, high = g->high;
  const float m = s->margin;
  return maximum(a.x, b.x) < low.x - m || minimum(a.x, b.x) > high.x + m || maximum(a.y, b.y) < low.y - m ||
         minimum(a.y, b.y) > high.y + m || maximum(a.z, b.z) < low.z - m || minimum(a.z, b.z) > high.z + m;
}

/* Finds the contacts of a block of paths with the collider m, whose geometry is g, in pass number `pass`. `i` is the
   first particle. `looked_at` is that of the searches so far. */
CLOTH_SEPARATE void search_lanes(const cloth *c, const moving_body *m, const cloth_geometry *g, int32_t i, int32_t pass,
                                 lane_paths *p, int32_t looked_at[CLOTH_LANES]) {
  p->overflows = 0;
  p->work = 0;
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    p->penetration[lane] = p->again[lane] = 0.0f;
    p->normal[0][lane] = p->normal[2][lane] = 0.0f;
    p->normal[1][lane] = 1.0f;
    if (!(p->near[lane] > 0.0f)) {
      continue;
    }
    surface_search s = start_search(vector(p->from[0][lane], p->from[1][lane], p->from[2][lane]),
                                    vector(p->to[0][lane], p->to[1][lane], p->to[2][lane]), m->margin, p->push[lane],
                                    g->shape == CLOTH_SHAPE_MESH ? g->counts[2] : 1);
    if (is_off_box(g, &s)) {
      continue;
    }
    s.looked_at = looked_at[lane];
    search_surface(c, m, g, i + lane, pass, &s);
    looked_at[lane] = s.looked_at;
    if (m->guards && s.share == SEARCH_NONE) {
      s.penetration = 0.0f;
    } else if ((s.overflows > 0 && g->shape == CLOTH_SHAPE_MESH) ||
               (pass == CONTACT_PASSES - 1 && s.share != SEARCH_NONE)) {
      return_to_start(&s);
    }
    p->overflows += s.overflows;
    p->work += s.work;
    p->again[lane] = pass < CONTACT_PASSES - 1 && needs_another_pass(&s) ? 1.0f : 0.0f;
    p->penetration[lane] = s.penetration;
    p->normal[0][lane] = s.normal.x;
    p->normal[1][lane] = s.normal.y;
    p->normal[2][lane] = s.normal.z;
  }
}

#endif
