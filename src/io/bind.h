#pragma once
#include "skin.h"

/// Binding a mesh ///

/* cloth_bind(): the nearest cell of each vertex, by the distance to its two triangles; then the place on the bilinear
   patch whose normal passes through the vertex, by Newton's steps that may lead to neighbouring cells. Lengths are over
   the root of a cell's area. In: positions, vertices. Out: bindings. Scratch: residual, unit normals. */

#if WITH_SKIN

/* Newton's steps to the foot of a vertex on a patch: five, and more where the way leads through cells. */
#define BIND_STEPS 16
/* Farthest that a vertex may be from its cloth [cells]: less than the largest height that a binding holds. */
#define BIND_MOST_CELLS 30.0f
/* Farthest that the place found may be from the vertex [cells], else it is not bound, as beyond a border. */
#define BIND_TOLERANCE 0.05f
/* Lengths below it are 0 [cells], so that two of their squares times MIN_DETERMINANT are no subnormal number. */
#define CELL_QUANTUM 9.5367431640625e-7f
/* Squared sine of the angle between two edges below which they have no plane. */
#define MIN_DETERMINANT 1.0e-6f

static cloth_vector in_cells(const cloth *c, cloth_vector a) {
  return vector_flush(vector_scale(a, 1.0f / mean_spacing(c)), CELL_QUANTUM);
}

static float clamped(float value, float low, float high) {
  return minimum(maximum(value, low), high);
}

/* A point of a triangle: its squared distance from the origin [cells^2], and its coordinates along the edges. */
typedef struct triangle_point {
  float squared, along_second, along_third;
} triangle_point;

/* The share of an edge that starts at `a` where it is nearest to the origin. */
static float nearest_on_edge(cloth_vector a, cloth_vector edge) {
  const float squared = vector_dot(edge, edge);
  return squared > 0.0f ? clamped(negate(vector_dot(a, edge)) / squared, 0.0f, 1.0f) : 0.0f;
}

/* Takes a point of the triangle with a first corner and two edges if it is nearer than the one found so far. */
static void try_point(triangle_point *best, const cloth_vector triangle[3], float s, float t) {
  const cloth_vector along = vector_add_scaled(triangle[0], triangle[1], s);
  const cloth_vector to = vector_flush(vector_add_scaled(along, triangle[2], t), CELL_QUANTUM);
  const float squared = vector_dot(to, to);
  if (squared < best->squared) { *best = (triangle_point){squared, s, t}; }
}

/* The point of the triangle a, b, c that is nearest to the origin: inside, or on an edge. */
static triangle_point nearest_on_triangle(cloth_vector a, cloth_vector b, cloth_vector c, float farthest) {
  const cloth_vector second = vector_flush(vector_subtract(b, a), CELL_QUANTUM);
  const cloth_vector third = vector_flush(vector_subtract(c, a), CELL_QUANTUM);
  const cloth_vector opposite = vector_flush(vector_subtract(c, b), CELL_QUANTUM);
  const cloth_vector triangle[3] = {a, second, third};
  const float ss = vector_dot(second, second), st = vector_dot(second, third), tt = vector_dot(third, third);
  const float sa = vector_dot(second, a), ta = vector_dot(third, a), determinant = ss * tt - st * st;
  triangle_point best = {farthest, 0.0f, 0.0f};
  if (determinant > MIN_DETERMINANT * ss * tt) {
    const float s = (st * ta - tt * sa) / determinant, t = (st * sa - ss * ta) / determinant;
    if (s >= 0.0f && t >= 0.0f && s + t <= 1.0f) {
      try_point(&best, triangle, s, t);
      return best;
    }
  }
  const float share = nearest_on_edge(b, opposite);
  try_point(&best, triangle, nearest_on_edge(a, second), 0.0f);
  try_point(&best, triangle, 0.0f, nearest_on_edge(a, third));
  try_point(&best, triangle, 1.0f - share, share);
  return best;
}

/* A place on a cloth, and its squared distance from a vertex [cells^2]. */
typedef struct bound_place {
  int32_t column, row;
  float u, v;
  float squared;
} bound_place;

/* Squared distance from the origin to the interval of four numbers. */
static float squared_gap(float a, float b, float c, float d) {
  const float low = minimum(minimum(a, b), minimum(c, d)), high = maximum(maximum(a, b), maximum(c, d));
  const float gap = maximum(maximum(low, negate(high)), 0.0f);
  return gap * gap;
}

/* Takes the nearest point of a cell as the place of a vertex if it is nearer than the one found so far. */
static void try_cell(const cloth *c, bound_place *best, int32_t column, int32_t row, cloth_vector vertex) {
  const vector_array x = vectors_at(c, c->state.position);
  int32_t particles[4];
  cloth_vector q[4];
  cell_particles(c, column, row, particles);
  for (int32_t corner = 0; corner < 4; corner++) {
    q[corner] = in_cells(c, vector_subtract(vector_load(x, particles[corner]), vertex));
  }
  const float gap = squared_gap(q[0].x, q[1].x, q[2].x, q[3].x) + squared_gap(q[0].y, q[1].y, q[2].y, q[3].y) +
                    squared_gap(q[0].z, q[1].z, q[2].z, q[3].z);
  if (gap >= best->squared) { return; }
  const triangle_point above = nearest_on_triangle(q[0], q[1], q[2], best->squared);
  const triangle_point below = nearest_on_triangle(q[0], q[2], q[3], above.squared);
  if (below.squared < above.squared) {
    const float u = below.along_second;
    *best = (bound_place){column, row, u, u + below.along_third, below.squared};
  } else if (above.squared < best->squared) {
    const float v = above.along_third;
    *best = (bound_place){column, row, above.along_second + v, v, above.squared};
  }
}

/* The place of a cloth nearest to a vertex, of those nearer than the root of `farthest` [cells^2]. */
static bound_place search_cloth(const cloth *c, cloth_vector vertex, float farthest) {
  bound_place best = {0, 0, 0.0f, 0.0f, farthest};
  for (int32_t row = 0; row < c->grid.rows - 1; row++) {
    for (int32_t column = 0; column < cells_along_warp(c); column++) {
      if (is_whole_cell(c, column, row)) { try_cell(c, &best, column, row, vertex); }
    }
  }
  return best;
}

/* The frame at a place of a cell, computed as cloth_skin() does, with the same vertex in all lanes. */
static skin_frame frame_of_place(const cloth *c, const bound_place *place) {
  int32_t particles[4];
  skin_patch patch;
  cell_particles(c, place->column, place->row, particles);
  for (int32_t corner = 0; corner < 4; corner++) {
    patch.corner[corner] = lanes3_splat(vector_load(vectors_at(c, c->state.position), particles[corner]));
    patch.normal[corner] = lanes3_splat(vector_load(particle_normals(c), particles[corner]));
  }
  return frame_of_patch(&patch, lanes_splat(place->u), lanes_splat(place->v));
}

/* A vertex as seen from a place: its height along the normal, and what remains beside it [cells]. */
typedef struct seen_vertex {
  cloth_vector beside;
  float height;
} seen_vertex;

static seen_vertex vertex_seen_from(const cloth *c, const skin_frame *f, cloth_vector vertex) {
  const cloth_vector from = in_cells(c, vector_subtract(vertex, lanes3_first(f->place)));
  const cloth_vector normal = lanes3_first(f->normal);
  const float height = flush_small(vector_dot(from, normal), CELL_QUANTUM);
  return (seen_vertex){vector_flush(vector_add_scaled(from, normal, negate(height)), CELL_QUANTUM), height};
}

/* Moves a coordinate that has left its cell to the neighbouring one, or keeps it near the border or gap. */
static void enter_cell(const cloth *c, bound_place *place, int32_t d) {
  float *coordinate = d == WARP ? &place->u : &place->v;
  const int32_t step = *coordinate < 0.0f ? -1 : *coordinate > 1.0f ? 1 : 0, cells = cells_along_warp(c);
  const int32_t row = place->row + (d == WEFT ? step : 0);
  int32_t column = place->column + (d == WARP ? step : 0);
  if (is_wrapped(c)) { column = column < 0 ? cells - 1 : column >= cells ? 0 : column; }
  if (step != 0 && is_whole_cell(c, column, row)) {
    place->column = column;
    place->row = row;
    *coordinate = clamped(*coordinate - (float)step, 0.0f, 1.0f);
  } else {
    *coordinate = clamped(*coordinate, SKIN_PLACE_FIRST, 1.0f - SKIN_PLACE_FIRST);
  }
}

/* Moves a place to where its normal passes through the vertex; each step solves for shifts in the tangent plane. */
static void refine_place(const cloth *c, bound_place *place, cloth_vector vertex) {
  for (int32_t step = 0; step < BIND_STEPS; step++) {
    const skin_frame f = frame_of_place(c, place);
    const cloth_vector beside = vertex_seen_from(c, &f, vertex).beside;
    const cloth_vector u = in_cells(c, lanes3_first(f.along_u)), v = in_cells(c, lanes3_first(f.along_v));
    const float uu = vector_dot(u, u), uv = vector_dot(u, v), vv = vector_dot(v, v), determinant = uu * vv - uv * uv;
    if (!(determinant > MIN_DETERMINANT * uu * vv)) { return; }
    const float ru = vector_dot(beside, u), rv = vector_dot(beside, v);
    place->u += clamped((ru * vv - rv * uv) / determinant, -1.0f, 1.0f);
    place->v += clamped((rv * uu - ru * uv) / determinant, -1.0f, 1.0f);
    enter_cell(c, place, WARP);
    enter_cell(c, place, WEFT);
  }
}

/* A number in units, rounded to a whole one. */
static int32_t in_units(float value, float units, float least, float most) {
  const float scaled = clamped(value * units, least, most) + 65536.5f; /* positive, so that the cast rounds down */
  return (int32_t)scaled - 65536;
}

static void encode_normal(cloth_binding *b, cloth_vector n) {
  const float size = maximum(absolute(n.x) + absolute(n.y) + absolute(n.z), DIRECTION_MIN_LENGTH);
  float x = n.x / size, y = n.y / size;
  if (n.z < 0.0f) {
    const float folded = (1.0f - absolute(y)) * (x < 0.0f ? -1.0f : 1.0f);
    y = (1.0f - absolute(x)) * (y < 0.0f ? -1.0f : 1.0f);
    x = folded;
  }
  b->normal[0] = (int16_t)in_units(x, SKIN_NORMAL_UNITS, -SKIN_NORMAL_UNITS, SKIN_NORMAL_UNITS);
  b->normal[1] = (int16_t)in_units(y, SKIN_NORMAL_UNITS, -SKIN_NORMAL_UNITS, SKIN_NORMAL_UNITS);
}

/* Writes the place of a tangent on the outline of the square around the normal that the binding holds. */
static void encode_tangent(cloth_binding *b, cloth_vector tangent) {
  const lanes3 normal = decode_normal(lanes_splat((float)b->normal[0] * (1.0f / SKIN_NORMAL_UNITS)),
                                      lanes_splat((float)b->normal[1] * (1.0f / SKIN_NORMAL_UNITS)));
  lanes3 first, second;
  basis_around(normal, &first, &second);
  const float x = vector_dot(tangent, lanes3_first(first)), y = vector_dot(tangent, lanes3_first(second));
  const float size = maximum(absolute(x) + absolute(y), DIRECTION_MIN_LENGTH);
  const float place = y < 0.0f ? 3.0f + x / size : 1.0f - x / size;
  b->tangent = (uint8_t)((uint32_t)in_units(place, SKIN_TANGENT_UNITS, 0.0f, 4.0f * SKIN_TANGENT_UNITS) & 0xffu);
}

/* The weight of a vertex at a distance from the cloth [m], 0..SKIN_WEIGHT_MOST. */
static uint8_t weight_at(const cloth_bind_reach *reach, float distance) {
  const float span = maximum(reach->none - reach->full, STATE_QUANTUM);
  const float share = distance <= reach->full ? 1.0f : (reach->none - distance) / span;
  return (uint8_t)in_units(share, SKIN_WEIGHT_MOST, 0.0f, SKIN_WEIGHT_MOST);
}

/* A vertex as the caller has it; what its layout leaves out is 0. */
typedef struct mesh_vertex {
  cloth_vector position, normal, tangent;
  float handedness;
} mesh_vertex;

static mesh_vertex read_vertex(const cloth_skin_layout *layout, const void *vertices, int32_t i) {
  const uint8_t *from = (const uint8_t *)vertices + (size_t)i * (size_t)layout->stride;
  mesh_vertex vertex;
  fill_zero(&vertex, sizeof vertex);
  copy_floats(&vertex.position, from + layout->position_offset, 3);
  if (layout->normal_offset != CLOTH_ATTRIBUTE_NONE) { copy_floats(&vertex.normal, from + layout->normal_offset, 3); }
  if (layout->tangent_offset != CLOTH_ATTRIBUTE_NONE) {
    copy_floats(&vertex.tangent, from + layout->tangent_offset, 3);
    copy_floats(&vertex.handedness, from + layout->tangent_offset + 3 * sizeof(float), 1);
  }
  return vertex;
}

/* Writes a place into a binding, whose weight is left alone. */
static void encode_place(cloth_binding *b, const bound_place *place, int32_t number, float height) {
  b->column = (uint16_t)place->column;
  b->row = (uint16_t)((uint32_t)place->row | (uint32_t)number << SKIN_CLOTH_SHIFT);
  b->u = (uint16_t)in_units(place->u - SKIN_PLACE_FIRST, SKIN_PLACE_UNITS, 0.0f, SKIN_PLACE_MOST);
  b->v = (uint16_t)in_units(place->v - SKIN_PLACE_FIRST, SKIN_PLACE_UNITS, 0.0f, SKIN_PLACE_MOST);
  b->height = (int16_t)in_units(height, SKIN_HEIGHT_UNITS, -SKIN_HEIGHT_MOST, SKIN_HEIGHT_MOST);
}

/* First pass: the cell of a vertex, the nearest point of its triangles, and the weight, which is 0 without a cell. */
static void find_cell(const cloth *const *cloths, int32_t count, const cloth_bind_reach *reach, cloth_vector vertex,
                      cloth_binding *b) {
  float nearest = reach->none;
  fill_zero(b, sizeof *b);
  for (int32_t number = 0; number < count; number++) {
    const float spacing = mean_spacing(cloths[number]);
    const float cells = minimum(nearest / spacing, BIND_MOST_CELLS), farthest = cells * cells;
    const bound_place place = search_cloth(cloths[number], vertex, farthest);
    if (place.squared < farthest) {
      nearest = square_root(place.squared) * spacing;
      encode_place(b, &place, number, 0.0f);
      b->weight = weight_at(reach, nearest);
    }
  }
}

static cloth_vector in_frame(const skin_frame *f, cloth_vector a) {
  return vector_flush_work(vector(vector_dot(a, lanes3_first(f->tangent)), vector_dot(a, lanes3_first(f->bitangent)),
                                  vector_dot(a, lanes3_first(f->normal))));
}

static float place_of_units(uint16_t units) {
  return (float)units * (1.0f / SKIN_PLACE_UNITS) + SKIN_PLACE_FIRST;
}

/* Second pass: the place of a vertex on the patch, and its directions there, unless the patch cannot hold it. */
static void bind_to_patch(const cloth *c, int32_t number, const mesh_vertex *vertex, cloth_binding *b) {
  bound_place place = {b->column, (int32_t)(b->row & SKIN_ROW_MASK), place_of_units(b->u), place_of_units(b->v), 0.0f};
  refine_place(c, &place, vertex->position);
  const skin_frame f = frame_of_place(c, &place);
  const seen_vertex seen = vertex_seen_from(c, &f, vertex->position);
  const uint8_t weight = b->weight;
  fill_zero(b, sizeof *b);
  if (vector_length(seen.beside) > BIND_TOLERANCE || absolute(seen.height) > BIND_MOST_CELLS) { return; }
  encode_place(b, &place, number, seen.height);
  encode_normal(b, in_frame(&f, unit_or_zero(vertex->normal)));
  encode_tangent(b, in_frame(&f, unit_or_zero(vertex->tangent)));
  b->column = (uint16_t)(b->column | (vertex->handedness < 0.0f ? SKIN_MIRRORED : 0u));
  b->weight = weight;
}

static int check_mesh(const cloth_skin_layout *layout, const void *vertices) {
  for (int32_t i = 0; i < layout->count; i++) {
    const mesh_vertex v = read_vertex(layout, vertices, i);
    if (!vector_in_range(v.position, CLOTH_POSITION_LIMIT) || !vector_in_range(v.normal, ATTRIBUTE_LIMIT) ||
        !vector_in_range(v.tangent, ATTRIBUTE_LIMIT) || !is_finite(v.handedness)) {
      return CLOTH_ERROR_RANGE;
    }
  }
  return CLOTH_OK;
}

static int check_reach(const cloth_bind_reach *reach) {
  const int fits = in_range(reach->full, 0.0f, CLOTH_ANY_DISTANCE) && in_range(reach->none, 0.0f, CLOTH_ANY_DISTANCE);
  return fits && reach->none >= reach->full && reach->none > 0.0f ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

typedef struct bind_job {
  const cloth_skin_layout *layout;
  const void *vertices;
  const cloth_bind_reach *reach;
  cloth_binding *bindings;
  int32_t has_normals; /* 1 if the normals of the particles have been computed */
} bind_job;

static int check_bind(const cloth *const *all, int32_t count, const bind_job *job) {
  if (!job->layout || !job->vertices || !job->reach || !job->bindings) { return CLOTH_ERROR_NULL; }
  int error = check_skinned_cloths(all, count);
  error = error ? error : check_skin_layout(job->layout);
  error = error ? error : check_reach(job->reach);
  return error ? error : check_mesh(job->layout, job->vertices);
}

/* Writes the bindings of a job that has been checked. Returns how many vertices are bound. */
static int32_t make_bindings(const cloth *const *all, int32_t count, const bind_job *job) {
  int32_t bound = 0;
  for (int32_t i = 0; i < job->layout->count; i++) {
    find_cell(all, count, job->reach, read_vertex(job->layout, job->vertices, i).position, &job->bindings[i]);
  }
  for (int32_t number = 0; number < count; number++) {
    const cloth *c = all[number];
    if (!job->has_normals) { compute_particle_normals(c, vectors_at(c, c->state.position)); }
    for (int32_t i = 0; i < job->layout->count; i++) {
      if (is_bound_to(&job->bindings[i], number)) {
        const mesh_vertex vertex = read_vertex(job->layout, job->vertices, i);
        bind_to_patch(c, number, &vertex, &job->bindings[i]);
        bound += job->bindings[i].weight > 0;
      }
    }
  }
  return bound;
}

int cloth_bind(cloth *const *cloths, int32_t count, const cloth_skin_layout *layout, const void *vertices,
               const cloth_bind_reach *reach, cloth_binding *bindings) {
  const cloth *const *all = (const cloth *const *)cloths;
  const bind_job job = {layout, vertices, reach, bindings, 0};
  const int error = check_bind(all, count, &job);
  return error ? error : make_bindings(all, count, &job);
}

#endif
