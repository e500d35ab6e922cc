#pragma once
#include "../terms/air.h"
#include "output.h"

/// Skinned meshes ///

/* A mesh follows cloths: cloth_bind() finds the place of each vertex in a cell once, cloth_skin() computes the vertices
   every frame. A cell is a bilinear patch S(u, v) with unit normals n(u, v) blended from those of its corners; a vertex
   lies at S(u, v) + height n(u, v), its normal and tangent in the frame there. Scratch: residual, unit normals of
   particles. */

#if WITH_SKIN

/* A binding in 16 bytes, see cloth_binding: u and v are unsigned, in units of 1 / SKIN_PLACE_UNITS of a cell, from
   SKIN_PLACE_FIRST on; the height is in units of the grid's mean spacing over SKIN_HEIGHT_UNITS. */
#define SKIN_PLACE_UNITS 16384.0f
#define SKIN_PLACE_FIRST (-1.5f)
#define SKIN_PLACE_MOST 65535.0f
#define SKIN_HEIGHT_UNITS 1024.0f
#define SKIN_HEIGHT_MOST 32767.0f
/* The normal is its direction's projection onto an octahedron, unfolded to a square of this half side (Meyer 2010). */
#define SKIN_NORMAL_UNITS 32767.0f
/* The tangent is the place on the outline of a square around the normal, in units of a quarter over this. */
#define SKIN_TANGENT_UNITS 64.0f
#define SKIN_WEIGHT_MOST 255.0f
/* The column also holds the sign of the bitangent, the row the number of the cloth. */
#define SKIN_MIRRORED 0x8000u
#define SKIN_COLUMN_MASK 0x7fffu
#define SKIN_ROW_MASK 0x03ffu
#define SKIN_CLOTH_SHIFT 10

/* The cells of a block of vertices, one a lane: positions [m] and unit normals at corners, counter-clockwise. */
typedef struct skin_patch {
  lanes3 corner[4], normal[4];
} skin_patch;

/* A place on a patch: its position, the derivatives by u and v, and a frame of three unit vectors. */
typedef struct skin_frame {
  lanes3 place, along_u, along_v;
  lanes3 tangent, bitangent, normal;
} skin_frame;

/* Root of the area of a cell at rest [m]. */
static float mean_spacing(const cloth *c) {
  return square_root(c->grid.spacing_warp * c->grid.spacing_weft);
}

/* a, scaled to unit length, or `otherwise` where it is too short to have a direction. */
CLOTH_INLINE lanes3 unit_lanes(lanes3 a, lanes3 otherwise) {
  const lanes length = lanes3_length(a);
  const lanes_mask usable = lanes_less(lanes_splat(DIRECTION_MIN_LENGTH), length);
  const lanes inverse = lanes_divide(lanes_splat(1.0f), lanes_maximum(length, lanes_splat(DIRECTION_MIN_LENGTH)));
  return lanes3_flush(lanes3_select(usable, lanes3_scale(a, inverse), otherwise));
}

/* The bilinear blend of four vectors, in the order of a patch's corners, and its derivatives by u and v. */
CLOTH_INLINE lanes3 blend_corners(const lanes3 *q, lanes u, lanes v, lanes3 *along_u, lanes3 *along_v) {
  const lanes3 above = lanes3_subtract(q[1], q[0]), below = lanes3_subtract(q[2], q[3]);
  const lanes3 left = lanes3_subtract(q[3], q[0]), right = lanes3_subtract(q[2], q[1]);
  *along_u = lanes3_flush(lanes3_add_scaled(above, lanes3_subtract(below, above), v));
  *along_v = lanes3_flush(lanes3_add_scaled(left, lanes3_subtract(right, left), u));
  return lanes3_add_scaled(lanes3_add_scaled(q[0], above, u), *along_v, v);
}

CLOTH_INLINE skin_frame frame_of_patch(const skin_patch *patch, lanes u, lanes v) {
  const lanes3 up = lanes3_splat(vector(0.0f, 1.0f, 0.0f)), ahead = lanes3_splat(vector(1.0f, 0.0f, 0.0f));
  skin_frame f;
  lanes3 unused[2];
  f.place = blend_corners(patch->corner, u, v, &f.along_u, &f.along_v);
  f.normal = unit_lanes(lanes3_flush(blend_corners(patch->normal, u, v, &unused[0], &unused[1])), up);
  const lanes height = lanes_flush(lanes_negate(lanes3_dot(f.along_u, f.normal)));
  f.tangent = unit_lanes(lanes3_add_scaled(f.along_u, f.normal, height), ahead);
  f.bitangent = lanes3_flush(lanes3_cross(f.normal, f.tangent));
  return f;
}

/* Two unit vectors perpendicular to a unit vector and to each other (Duff et al. 2017). */
CLOTH_INLINE void basis_around(lanes3 normal, lanes3 *first, lanes3 *second) {
  const lanes one = lanes_splat(1.0f), sign = lanes_sign(normal.z);
  const lanes a = lanes_negate(lanes_divide(one, lanes_add(sign, normal.z)));
  const lanes b = lanes_multiply(lanes_flush(lanes_multiply(normal.x, normal.y)), a);
  const lanes xx = lanes_flush(lanes_multiply(normal.x, normal.x));
  const lanes yy = lanes_flush(lanes_multiply(normal.y, normal.y));
  *first = lanes3_flush(lanes3_of(lanes_add(one, lanes_multiply(sign, lanes_multiply(xx, a))), lanes_multiply(sign, b),
                                  lanes_negate(lanes_multiply(sign, normal.x))));
  *second = lanes3_flush(lanes3_of(b, lanes_add(sign, lanes_multiply(yy, a)), lanes_negate(normal.y)));
}

static void cell_particles(const cloth *c, int32_t column, int32_t row, int32_t particles[4]) {
  const int32_t next = column + 1 < c->grid.columns ? column + 1 : 0; /* 0 behind the last column of a tube */
  particles[0] = row * c->grid.columns + column;
  particles[1] = row * c->grid.columns + next;
  particles[2] = particles[1] + c->grid.columns;
  particles[3] = particles[0] + c->grid.columns;
}

/* Numbers of a binding that a block of vertices reads, in its units. */
enum { SKIN_U, SKIN_V, SKIN_HEIGHT, SKIN_NORMAL_X, SKIN_NORMAL_Y, SKIN_TANGENT, SKIN_NUMBERS };

/* Floats of the four corners of a cell: x, y, z of positions, then of normals; corners in the order 0, 1, 3, 2. */
#define SKIN_CELL_FLOATS 24

/* Vertices of one cloth that are computed together; cells are copied in pairs of neighbours, transposed later. */
typedef struct skin_block {
  int32_t count;
  int32_t vertex[CLOTH_LANES];
  size_t place[CLOTH_LANES]; /* of the vertex in the mesh [bytes] */
  float number[SKIN_NUMBERS][CLOTH_LANES];
  float cell[CLOTH_LANES][SKIN_CELL_FLOATS];
} skin_block;

typedef struct skinned_lanes {
  lanes3 position, normal, tangent;
} skinned_lanes;

static vector_array particle_normals(const cloth *c) {
  return vectors_at(c, c->scratch.residual);
}

static void compute_particle_normals(const cloth *c, vector_array x) {
  const vector_array to = particle_normals(c);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    const row_neighbours near = row_neighbours_at(c, x, row);
    for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
      lanes3_store(to, near.first + column, unit_normals(c, &near, x, column), c->grid.columns - column);
    }
  }
}

static int is_bound_to(const cloth_binding *b, int32_t number) {
  return b->weight > 0 && b->row >> SKIN_CLOTH_SHIFT == number;
}

/* The cloth that vertices are gathered from. */
typedef struct skin_source {
  const float *position, *normal; /* of its particles: x, then y and z, each `apart` floats further */
  size_t apart, columns;
  size_t stride;     /* of the mesh */
  float height_unit; /* [m] */
} skin_source;

/* Copies the vectors at the corners of a cell from its first particle on; rows are `columns` apart. */
CLOTH_INLINE void gather_corners(float *to, const float *from, size_t columns, size_t apart) {
  copy_floats(to, from, 2);
  copy_floats(to + 2, from + columns, 2);
  copy_floats(to + 4, from + apart, 2);
  copy_floats(to + 6, from + apart + columns, 2);
  copy_floats(to + 8, from + 2 * apart, 2);
  copy_floats(to + 10, from + 2 * apart + columns, 2);
}

/* The same for a cell behind the last column of a tube, which ends at the first particles of its rows. */
CLOTH_SEPARATE void gather_closing_corners(float *to, const float *from, size_t columns, size_t apart) {
  for (int32_t axis = 0; axis < 3; axis++) {
    const float *above = from + (size_t)axis * apart, *first = above + 1 - columns;
    const float values[4] = {above[0], first[0], above[columns], first[columns]};
    copy_floats(to + 4 * axis, values, 4);
  }
}

/* Adds a vertex to a block: copies its corners and the numbers of its binding. */
CLOTH_INLINE void gather_vertex(const skin_source *s, skin_block *block, const cloth_binding *b, int32_t vertex) {
  const int32_t lane = block->count++;
  const size_t columns = s->columns, column = b->column & SKIN_COLUMN_MASK;
  const size_t first = (b->row & SKIN_ROW_MASK) * columns + column;
  float *to = block->cell[lane];
  block->vertex[lane] = vertex;
  block->place[lane] = (size_t)vertex * s->stride;
  if (column + 1 < columns) {
    gather_corners(to, s->position + first, columns, s->apart);
    gather_corners(to + 12, s->normal + first, columns, s->apart);
  } else {
    gather_closing_corners(to, s->position + first, columns, s->apart);
    gather_closing_corners(to + 12, s->normal + first, columns, s->apart);
  }
  block->number[SKIN_U][lane] = (float)b->u;
  block->number[SKIN_V][lane] = (float)b->v;
  block->number[SKIN_HEIGHT][lane] = (float)b->height;
  block->number[SKIN_NORMAL_X][lane] = (float)b->normal[0];
  block->number[SKIN_NORMAL_Y][lane] = (float)b->normal[1];
  block->number[SKIN_TANGENT][lane] = (float)b->tangent;
}

/* The vectors of a corner, by its place in a cell. */
CLOTH_INLINE lanes3 cell_vector(const lanes *cell, int32_t place) {
  return lanes3_of(cell[place], cell[place + 4], cell[place + 8]);
}

CLOTH_INLINE skin_patch patch_of(const skin_block *block) {
  lanes cell[SKIN_CELL_FLOATS];
  CLOTH_UNROLL
  for (int32_t n = 0; n < SKIN_CELL_FLOATS; n++) {
    cell[n] = lanes_load(block->cell[n % CLOTH_LANES] + n / CLOTH_LANES * CLOTH_LANES);
  }
  CLOTH_UNROLL
  for (int32_t first = 0; first < SKIN_CELL_FLOATS; first += CLOTH_LANES) {
    lanes_transpose(cell + first);
  }
  return (skin_patch){
      {cell_vector(cell, 0), cell_vector(cell, 1), cell_vector(cell, 3), cell_vector(cell, 2)},
      {cell_vector(cell + 12, 0), cell_vector(cell + 12, 1), cell_vector(cell + 12, 3), cell_vector(cell + 12, 2)}};
}

/* The direction whose unfolded projection onto an octahedron is (x, y). */
CLOTH_INLINE lanes3 decode_normal(lanes x, lanes y) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes z = lanes_subtract(lanes_subtract(one, lanes_absolute(x)), lanes_absolute(y));
  const lanes fold = lanes_maximum(lanes_negate(z), zero);
  x = lanes_subtract(x, lanes_multiply(lanes_sign(x), fold));
  y = lanes_subtract(y, lanes_multiply(lanes_sign(y), fold));
  return unit_lanes(lanes3_of(x, y, z), lanes3_splat(vector(0.0f, 0.0f, 1.0f)));
}

/* The unit vector perpendicular to a normal at a place 0..4 on the outline of the square around it. */
CLOTH_INLINE lanes3 decode_tangent(lanes3 normal, lanes place) {
  const lanes one = lanes_splat(1.0f), from_half = lanes_subtract(place, lanes_splat(2.0f));
  const lanes x = lanes_subtract(lanes_absolute(from_half), one);
  const lanes y = lanes_multiply(lanes_sign(lanes_negate(from_half)), lanes_subtract(one, lanes_absolute(x)));
  lanes3 first, second;
  basis_around(normal, &first, &second);
  return unit_lanes(lanes3_add_scaled(lanes3_scale(first, x), second, y), first);
}

/* A vector of the frame's coordinates, in the world's. */
CLOTH_INLINE lanes3 from_frame(const skin_frame *f, lanes3 a) {
  return lanes3_flush(
      lanes3_add_scaled(lanes3_add_scaled(lanes3_scale(f->tangent, a.x), f->bitangent, a.y), f->normal, a.z));
}

/* A number of the bindings of a block, times a unit. */
CLOTH_INLINE lanes block_number(const skin_block *block, int32_t number, float unit) {
  return lanes_multiply(lanes_load(block->number[number]), lanes_splat(unit));
}

CLOTH_HOT CLOTH_SEPARATE skinned_lanes skin_vertices(const skin_block *block, float height_unit, int has_tangents) {
  const skin_patch patch = patch_of(block);
  const lanes first = lanes_splat(SKIN_PLACE_FIRST);
  const lanes u = lanes_add(block_number(block, SKIN_U, 1.0f / SKIN_PLACE_UNITS), first);
  const lanes v = lanes_add(block_number(block, SKIN_V, 1.0f / SKIN_PLACE_UNITS), first);
  const skin_frame f = frame_of_patch(&patch, u, v);
  const lanes3 normal = decode_normal(block_number(block, SKIN_NORMAL_X, 1.0f / SKIN_NORMAL_UNITS),
                                      block_number(block, SKIN_NORMAL_Y, 1.0f / SKIN_NORMAL_UNITS));
  skinned_lanes out;
  out.position = lanes3_add_scaled(f.place, f.normal, block_number(block, SKIN_HEIGHT, height_unit));
  out.normal = from_frame(&f, normal);
  out.tangent = out.normal;
  if (has_tangents) {
    out.tangent = from_frame(&f, decode_tangent(normal, block_number(block, SKIN_TANGENT, 1.0f / SKIN_TANGENT_UNITS)));
  }
  return out;
}

typedef struct skin_job {
  const cloth_binding *bindings;
  const cloth_skin_layout *layout;
  const uint8_t *animated; /* or NULL */
  uint8_t *vertices;
  const cloth_blend *blends; /* one for each cloth, or NULL: as the cloths are now */
  int32_t has_normals;       /* 1 if the normals of the particles have been computed */
} skin_job;

/* Vectors of the cloth and of the animated mesh, blended by the weights of the bindings; directions of unit length. */
static lanes3 blend_with_animated(const skin_job *job, const skin_block *block, int32_t offset, lanes3 a,
                                  int is_direction) {
  float from[3][CLOTH_LANES] = {{0.0f}}, weights[CLOTH_LANES] = {0.0f};
  for (int32_t lane = 0; lane < block->count; lane++) {
    cloth_vector v;
    copy_floats(&v, job->animated + block->place[lane] + offset, 3);
    from[0][lane] = v.x;
    from[1][lane] = v.y;
    from[2][lane] = v.z;
    weights[lane] = (float)job->bindings[block->vertex[lane]].weight;
  }
  const lanes3 animated = lanes3_of(lanes_load(from[0]), lanes_load(from[1]), lanes_load(from[2]));
  const lanes weight = lanes_load(weights);
  const lanes share = lanes_multiply(weight, lanes_splat(1.0f / SKIN_WEIGHT_MOST));
  lanes3 sum = lanes3_add_scaled(animated, lanes3_subtract(a, animated), share);
  if (is_direction) { sum = unit_lanes(sum, a); }
  return lanes3_select(lanes_less(weight, lanes_splat(SKIN_WEIGHT_MOST)), sum, a);
}

/* Writes a vector of a block, whose components are CLOTH_LANES apart, one by one, as the stores are not there yet. */
CLOTH_INLINE void write_vector(uint8_t *to, const float *from) {
  copy_floats(to, from, 1);
  copy_floats(to + sizeof(float), from + CLOTH_LANES, 1);
  copy_floats(to + 2 * sizeof(float), from + 2 * CLOTH_LANES, 1);
}

/* Writes an attribute of the vertices of a block, a position or a direction. */
static void write_attribute(const skin_job *job, const skin_block *block, int32_t offset, lanes3 a, int is_direction) {
  if (offset == CLOTH_ATTRIBUTE_NONE) { return; }
  if (job->animated) { a = blend_with_animated(job, block, offset, a, is_direction); }
  float value[3][CLOTH_LANES];
  uint8_t *vertices = job->vertices + offset;
  lanes_store(value[0], a.x);
  lanes_store(value[1], a.y);
  lanes_store(value[2], a.z);
  if (block->count == CLOTH_LANES) {
    CLOTH_UNROLL
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      write_vector(vertices + block->place[lane], &value[0][lane]);
    }
    return;
  }
  for (int32_t lane = 0; lane < block->count; lane++) {
    write_vector(vertices + block->place[lane], &value[0][lane]);
  }
}

static void write_signs(const skin_job *job, const skin_block *block) {
  for (int32_t lane = 0; lane < block->count; lane++) {
    const float sign = job->bindings[block->vertex[lane]].column & SKIN_MIRRORED ? -1.0f : 1.0f;
    copy_floats(job->vertices + block->place[lane] + job->layout->tangent_offset + 3 * sizeof(float), &sign, 1);
  }
}

/* Copies a vertex that is not bound from the animated mesh. */
static void copy_animated(const skin_job *job, int32_t vertex) {
  const cloth_skin_layout *layout = job->layout;
  const int32_t offsets[3] = {layout->position_offset, layout->normal_offset, layout->tangent_offset};
  for (int32_t i = 0; i < 3; i++) {
    const size_t place = (size_t)vertex * (size_t)layout->stride + (size_t)offsets[i];
    if (offsets[i] != CLOTH_ATTRIBUTE_NONE) {
      copy_floats(job->vertices + place, job->animated + place, i < 2 ? 3 : 4);
    }
  }
}

static void finish_block(const skin_job *job, const skin_source *source, skin_block *block) {
  const cloth_skin_layout *layout = job->layout;
  const int has_tangents = layout->tangent_offset != CLOTH_ATTRIBUTE_NONE;
  const skinned_lanes out = skin_vertices(block, source->height_unit, has_tangents);
  write_attribute(job, block, layout->position_offset, out.position, 0);
  write_attribute(job, block, layout->normal_offset, out.normal, 1);
  write_attribute(job, block, layout->tangent_offset, out.tangent, 1);
  if (has_tangents) { write_signs(job, block); }
  block->count = 0;
}

static vector_array positions_for(const cloth *c, int32_t number, const skin_job *job) {
  if (WITH_BLEND && job->blends) { return blended_positions(c, &job->blends[number]); }
  return vectors_at(c, c->state.position);
}

/* Skins the vertices that are bound to cloth `number`. */
static void skin_cloth(const cloth *c, int32_t number, const skin_job *job) {
  const vector_array x = positions_for(c, number, job), normals = particle_normals(c);
  const skin_source source = {.position = x.x,
                              .normal = normals.x,
                              .apart = (size_t)c->stride,
                              .columns = (size_t)c->grid.columns,
                              .stride = (size_t)job->layout->stride,
                              .height_unit = mean_spacing(c) * (1.0f / SKIN_HEIGHT_UNITS)};
  skin_block block;
  fill_zero(&block, sizeof block);
  if (!job->has_normals) { compute_particle_normals(c, x); }
  for (int32_t v = 0; v < job->layout->count; v++) {
    const cloth_binding *b = &job->bindings[v];
    if (is_bound_to(b, number)) {
      gather_vertex(&source, &block, b, v);
      if (block.count == CLOTH_LANES) { finish_block(job, &source, &block); }
    }
  }
  if (block.count > 0) { finish_block(job, &source, &block); }
}

static int check_skin_layout(const cloth_skin_layout *layout) {
  const int fits = layout->stride >= 1 && layout->stride <= MAX_VERTEX_BYTES && layout->count >= 0 &&
                   layout->count <= CLOTH_BINDING_LIMIT && layout->position_offset != CLOTH_ATTRIBUTE_NONE &&
                   attribute_fits(layout->position_offset, 3, layout->stride) &&
                   attribute_fits(layout->normal_offset, 3, layout->stride) &&
                   attribute_fits(layout->tangent_offset, 4, layout->stride);
  return fits ? CLOTH_OK : CLOTH_ERROR_BUFFER;
}

/* Are there cloths, and are they ready? */
static int check_skinned_cloths(const cloth *const *cloths, int32_t count) {
  int error = check_cloths(cloths, count, CLOTH_BINDING_CLOTHS);
  for (int32_t i = 0; i < count && !error; i++) {
    error = cloths[i]->has_scratch ? CLOTH_OK : CLOTH_ERROR_STATE;
  }
  return error;
}

/* Cells of a cloth, as bindings name them. */
typedef struct skin_cells {
  uint32_t first; /* row 0 */
  uint32_t rows, columns;
} skin_cells;

CLOTH_INLINE int is_cell_of(const skin_cells *cells, const cloth_binding *b) {
  return b->row - cells->first < cells->rows && (b->column & SKIN_COLUMN_MASK) < cells->columns;
}

/* Does each binding name a cell that there is? One of weight 0 names none. Neighbours are mostly of one cloth. */
static int are_bindings(const cloth *const *cloths, int32_t count, const cloth_binding *bindings, int32_t vertices) {
  skin_cells cells = {0u, 0u, 0u};
  for (int32_t i = 0; i < vertices; i++) {
    const cloth_binding *b = &bindings[i];
    if (b->weight > 0 && !is_cell_of(&cells, b)) {
      const int32_t number = b->row >> SKIN_CLOTH_SHIFT;
      if (number >= count) { return 0; }
      cells.first = (uint32_t)number << SKIN_CLOTH_SHIFT;
      cells.rows = (uint32_t)cloths[number]->grid.rows - 1u;
      cells.columns = (uint32_t)cells_along_warp(cloths[number]);
      if (!is_cell_of(&cells, b)) { return 0; }
    }
  }
  return 1;
}

static int check_blends(const cloth *const *all, int32_t count, const cloth_blend *blends) {
  int error = CLOTH_OK;
  for (int32_t number = 0; WITH_BLEND && blends && number < count && !error; number++) {
    error = check_blend(all[number], &blends[number]);
  }
  return error;
}

static int check_skin(const cloth *const *all, int32_t count, const skin_job *job) {
  const cloth_skin_layout *layout = job->layout;
  if (!job->bindings || !layout || !job->vertices) { return CLOTH_ERROR_NULL; }
  int error = check_skinned_cloths(all, count);
  error = error ? error : check_skin_layout(layout);
  error = error ? error : check_blends(all, count, job->blends);
  return error || are_bindings(all, count, job->bindings, layout->count) ? error : CLOTH_ERROR_INDEX;
}

/* Writes the vertices of a job that has been checked. */
static void make_skin(const cloth *const *all, int32_t count, const skin_job *job) {
  for (int32_t i = 0; job->animated && i < job->layout->count; i++) {
    if (job->bindings[i].weight == 0) { copy_animated(job, i); }
  }
  for (int32_t number = 0; number < count; number++) {
    skin_cloth(all[number], number, job);
  }
}

/* cloth_skin() and, with blends, cloth_skin_blended(). */
static int skin(const cloth *const *all, int32_t count, const skin_job *job) {
  const int error = check_skin(all, count, job);
  if (!error) { make_skin(all, count, job); }
  return error;
}

int cloth_skin(cloth *const *cloths, int32_t count, const cloth_binding *bindings, const cloth_skin_layout *layout,
               const void *animated, void *vertices) {
  const skin_job job = {bindings, layout, (const uint8_t *)animated, (uint8_t *)vertices, NULL, 0};
  return skin((const cloth *const *)cloths, count, &job);
}

#if WITH_BLEND

int cloth_skin_blended(cloth *const *cloths, int32_t count, const cloth_blend *blends, const cloth_binding *bindings,
                       const cloth_skin_layout *layout, const void *animated, void *vertices) {
  const skin_job job = {bindings, layout, (const uint8_t *)animated, (uint8_t *)vertices, blends, 0};
  return blends ? skin((const cloth *const *)cloths, count, &job) : CLOTH_ERROR_NULL;
}

#endif

#endif
