#pragma once
#include "../contact/cell_memory.h"
#include "../contact/memory.h"
#include "../contact/touch.h"
#include "../solve/levels.h"
#include "../solve/transfer.h"
#include "config.h"

/// Memory layout ///

/* Where everything lies in an arena: constants, state, scratch, in this order; and the sizes of these. */

static uint32_t align_up(uint32_t offset) {
  return (offset + (CLOTH_ALIGNMENT - 1u)) & ~(CLOTH_ALIGNMENT - 1u);
}

/* Reserves `bytes` bytes at *end, rounded up to words of 4 bytes, and moves *end behind them. Returns their offset. */
static uint32_t reserve(uint32_t *end, uint32_t bytes) {
  uint32_t start = *end;
  *end = start + ((bytes + 3u) & ~3u);
  return start;
}

static uint32_t reserve_floats(uint32_t *end, int32_t floats) {
  return reserve(end, (uint32_t)floats * (uint32_t)sizeof(float));
}

/* Reserves a vector array at an aligned offset, so that loads of lanes cross no cache line on most grids. */
static uint32_t reserve_vectors(uint32_t *end, int32_t floats) {
  *end = align_up(*end);
  return reserve_floats(end, floats);
}

static void layout_constants(cloth *c, const cloth_config *config, uint32_t *end) {
  *end = sizeof(cloth);
  if (WITH_SELF && needs_self(config)) { c->self = reserve(end, sizeof(self_settings)); }
  if (WITH_GAPS && (config->grid.cell_mask || config->grid.rest_positions || needs_tearing(config))) {
    c->gaps = reserve(end, (uint32_t)sizeof(gap_summary));
    reserve(end, (uint32_t)c->count);
    reserve(end, rest_shape_bytes(config));
    if (config->tearing.map) { reserve_floats(end, c->count); }
  }
  if (config->grid.mass_map || config->grid.rest_positions) {
    c->constant.mass_ratio = reserve_floats(end, c->count + LANE_PAD);
  }
  if (config->grid.stiffness_map) { c->constant.stiffness_map = reserve_floats(end, c->count + LANE_PAD); }
}

static int needs_pin_reactions(const cloth_config *config) {
  return config->capacity.pin_reactions || config->capacity.max_attachments > 0 || needs_pin_forces(config);
}

/* Colliders and shared bodies that there may be in a step. */
static int32_t reacting(const cloth_config *config) {
  return WITH_COLLIDERS ? config->max_colliders + config->capacity.max_shared_bodies : 0;
}

/* Floats of the reactions of colliders, shared bodies and pins. */
static int32_t report_floats(const cloth *c, const cloth_config *config) {
  const int32_t colliders = reacting(config) * (int32_t)(sizeof(cloth_reaction) / sizeof(float));
  return colliders + (needs_pin_reactions(config) ? 3 * c->count : 0);
}

/* Candidates for each pair of cells, and for each element, a pair that is near, that there is room for. */
#define CANDIDATES_PER_CELL_PAIR 4
#define CANDIDATES_PER_ELEMENT 5
/* Of so many candidates two press and are remembered. Layers of which some pairs are forgotten never come to rest: four
   that lie on each other have 5.2 a particle (docs/lab/pairs.md). */
#define CANDIDATES_OF_TWO_MEMORIES 8

/* Room for what pairs remember, of a cloth with so many particles and candidates for each. */
static int32_t memories_for(int32_t count, int32_t pairs) {
  return (2 * count * pairs + CANDIDATES_OF_TWO_MEMORIES - 1) / CANDIDATES_OF_TWO_MEMORIES;
}

/* Inputs are the last part before the vector arrays, which are all that follows: kernels may load floats next to the
   first and the last vector array and discard them, so these must be floats as well. */
static void layout_state(cloth *c, const cloth_config *config, uint32_t *end) {
  *end = align_up(*end);
  c->state.freedom = reserve(end, (uint32_t)c->count);
  if (c->self) { reserve(end, (uint32_t)c->count); /* ages */ }
  if (needs_tearing(config)) {
    reserve(end, (uint32_t)c->count);
    reserve(end, TORN_BYTES);
  }
  c->state.colliders = reserve(end, (uint32_t)config->max_colliders * (uint32_t)sizeof(collider_slot));
  c->state.confined = reserve(end, (uint32_t)config->capacity.max_confined * (uint32_t)sizeof(confinement));
  c->state.bodies = reserve(end, (uint32_t)config->capacity.max_bodies * (uint32_t)sizeof(rigid_body));
  c->state.attachments = reserve(end, (uint32_t)config->capacity.max_attachments * (uint32_t)sizeof(attachment));
  if (c->self) {
    c->state.pairs = reserve(end, PAIR_MEMORY_HEAD * (uint32_t)sizeof(uint32_t));
    reserve(end, (uint32_t)memories_for(c->count, config->self.pairs) * (uint32_t)sizeof(pair_memory));
  }
  if (reacting(config) > 0) {
    c->state.cells = reserve(end, CELL_MEMORY_HEAD * (uint32_t)sizeof(uint32_t));
    c->state.max_cells = (uint32_t)most_cell_touches(c->grid.columns, c->grid.rows);
    reserve(end, c->state.max_cells * (uint32_t)sizeof(cell_memory));
  }
  if (needs_sleep(config)) { c->state.resting = reserve_floats(end, report_floats(c, config)); }
  if (config->tethers.count) { c->state.tethers = reserve_floats(end, config->tethers.count * c->count); }
  c->state.inputs = reserve(end, sizeof(cloth_inputs));
  c->state.position = reserve_vectors(end, 3 * c->stride);
  c->state.velocity = reserve_vectors(end, 3 * c->stride);
  if (needs_history(config)) {
    const int32_t earlier = flush_work(config->integration.bdf2_blend) > 0.0f ? 2 : 1;
    c->state.velocity_history = reserve_vectors(end, earlier * 3 * c->stride);
  }
  if (config->capacity.targets) { c->state.targets = reserve_vectors(end, TARGET_VECTORS * 3 * c->stride); }
  if (reacting(config) > 0) { c->state.touching = reserve_vectors(end, MEMORY_SLOTS * MEMORY_FLOATS * c->stride); }
  c->state.end = *end;
}

/* Floats from one component of a vector array to the next. With a stride near a multiple of 2 KB the components evict
   each other from an L1 cache: from CACHE_WAY floats on strides stay CACHE_OFFSET floats away from it. This is part of
   the size of images. */
#define CACHE_WAY 512   /* floats in one way of the cache, 2 KB */
#define CACHE_OFFSET 48 /* floats */

static int32_t vector_stride(int32_t count) {
  int32_t over = (count + CACHE_OFFSET) % CACHE_WAY;
  return count < CACHE_WAY || over >= 2 * CACHE_OFFSET ? count : count + 2 * CACHE_OFFSET - over;
}

/* Floats that a piece counts in, see pieces.h. */
#define COUNT_FLOATS 2

/* Most levels of a tree of self-contact: CLOTH_GRID_LIMIT, 1024, leads to 512 leaves along a side. */
#define SELF_LEVELS 10
/* Most visits that wait for their turn: one is replaced by up to 16, as deep as the deeper tree is. */
#define SELF_VISITS (15 * SELF_LEVELS + 1)
/* Room for intersections: one for so many particles, and a least number of them. */
#define SELF_PARTICLES_PER_INTERSECTION 8
#define SELF_MIN_INTERSECTIONS 32

/* Most visits of a gather, to pairs of nodes and of leaves, and most pairs of cells that are tested for what is near
   and for edges through triangles: so many a particle, and some; three times what is needed. */
#define SELF_VISITS_PER_PARTICLE 32
#define SELF_LEAF_VISITS_PER_PARTICLE 8
#define SELF_TESTS_PER_PARTICLE 28
#define SELF_MORE_VISITS 1024
/* Pairs of cells of a pair of leaves. */
#define SELF_LEAF_PAIRS 16
/* A gather that finds no room looks again, so often in all; those of parts begin where the last found room. */
#define SELF_ATTEMPTS 5
/* What a gather keeps, of lanes of any width, and a cloth that feels itself as a group of its own. */
#define SELF_SEARCH_BYTES 1216u
#define SELF_GROUP_BYTES (320u + 48u * (uint32_t)sizeof(void *))
/* Bytes of a table of memories for each, at most: a copy, and up to four places. */
#define MEMORY_TABLE_BYTES ((uint32_t)sizeof(pair_memory) + 4u * (uint32_t)sizeof(int32_t))

/* Byte offsets from the start of the scratch of self-contact to its arrays, and its size. */
typedef struct self_layout {
  uint32_t cells, intersections, elements, nodes, visits, search, bytes;
  int32_t max_cells, max_candidates, max_elements, max_intersections;
  int32_t max_visits, max_leaf_visits, max_tests; /* of a gather */
} self_layout;

static int32_t half_of(int32_t side) {
  return (side + 1) / 2;
}

/* Nodes of the tree of a grid. A leaf holds two by two cells, a node two by two nodes of the level before; the last row
   and column of particles count as cells, as their edges need a place. */
static int32_t self_nodes(int32_t columns, int32_t rows) {
  int32_t nodes = 0;
  do {
    columns = half_of(columns);
    rows = half_of(rows);
    nodes += columns * rows;
  } while (columns > 1 || rows > 1);
  return nodes;
}

static int32_t intersections_of(int32_t count) {
  return larger_of(count / SELF_PARTICLES_PER_INTERSECTION, SELF_MIN_INTERSECTIONS);
}

static int32_t elements_for(int32_t candidates) {
  return (candidates + CANDIDATES_PER_ELEMENT - 1) / CANDIDATES_PER_ELEMENT;
}

/* Reserves the room of contact of so many particles, with trees of so many nodes, for candidates and what is remembered
   of pairs. Pairs that touch in a part share memory with what a gather alone needs. */
static void layout_pairs(self_layout *l, int32_t particles, int32_t nodes, int32_t memories, uint32_t *end) {
  l->max_elements = elements_for(l->max_candidates);
  l->max_cells = (l->max_candidates + CANDIDATES_PER_CELL_PAIR - 1) / CANDIDATES_PER_CELL_PAIR;
  l->max_visits = SELF_VISITS_PER_PARTICLE * particles + SELF_MORE_VISITS;
  l->max_leaf_visits = SELF_LEAF_VISITS_PER_PARTICLE * particles + SELF_MORE_VISITS;
  l->max_tests = SELF_TESTS_PER_PARTICLE * particles + SELF_MORE_VISITS;
  l->cells = reserve(end, (uint32_t)l->max_cells * (uint32_t)sizeof(cell_pair));
  l->intersections = reserve(end, (uint32_t)l->max_intersections * (uint32_t)sizeof(pair_key));
  *end = align_up(*end);
  uint32_t table = *end, gather = *end;
  l->elements = reserve(end, (uint32_t)l->max_elements * (uint32_t)sizeof(pair_element));
  reserve(&table, (uint32_t)memories * MEMORY_TABLE_BYTES);
  l->search = reserve(&gather, SELF_SEARCH_BYTES);
  l->nodes = reserve(&gather, (uint32_t)nodes * (uint32_t)sizeof(self_node));
  l->visits = reserve(&gather, SELF_VISITS * (uint32_t)sizeof(self_visit));
  *end = *end < table ? table : *end;
  *end = *end < gather ? gather : *end;
  l->bytes = *end = align_up(*end);
}

/* Of spheres no intersections are looked for. */
static self_layout self_layout_of(int32_t count, int32_t columns, int32_t pairs, int32_t shape) {
  self_layout l;
  uint32_t end = 0;
  reserve(&end, SELF_GROUP_BYTES);
  l.max_candidates = count * pairs;
  l.max_intersections = shape == CLOTH_SELF_TRIANGLES ? intersections_of(count) : 0;
  layout_pairs(&l, count, self_nodes(columns, count / columns), memories_for(count, pairs), &end);
  return l;
}

/* Reserves the scratch of self-contact, the last of all. A cloth that feels only others has its share of a pool. */
CLOTH_SEPARATE void reserve_self(const cloth *c, const cloth_config *config, uint32_t *end) {
  if (c->self && config->self.gathers > 0) {
    *end = align_up(*end);
    reserve(end, self_layout_of(c->count, c->grid.columns, config->self.pairs, config->self.shape).bytes);
  }
}

/* Room for the number of entries, the head of each particle, and the entries. */
static void layout_contact_record(cloth *c, int32_t max_contacts, uint32_t *end) {
  if (WITH_CONTACT_RECORD && max_contacts > 0) {
    c->max_contacts = max_contacts;
    c->own.contact_record = reserve_floats(end, 1 + c->count);
    reserve(end, (uint32_t)max_contacts * (uint32_t)sizeof(contact_entry));
  }
}

/* Reactions of colliders and shared bodies, behind them those of pins, and what attachments have passed on. */
static void layout_reactions(cloth *c, const cloth_config *config, uint32_t *end) {
  c->own.reactions = reserve(end, (uint32_t)reacting(config) * (uint32_t)sizeof(cloth_reaction));
  if (needs_pin_reactions(config)) { c->own.pin_reactions = reserve_floats(end, 3 * c->count); }
  if (config->capacity.max_attachments > 0) {
    c->own.attached = reserve_floats(end, 3 * config->capacity.max_attachments);
  }
}

static void layout_own(cloth *c, const cloth_config *config, uint32_t *end) {
  const int32_t substeps = larger_of(config->substeps, config->integration.max_substeps);
  reserve_floats(end, LANE_PAD);
  *end = align_up(*end); /* it holds pointers */
  c->own.workspace = reserve(end, sizeof(workspace) + (c->self ? sizeof(self_workspace) : 0u));
  c->own.iterations = reserve(end, (uint32_t)substeps * (uint32_t)sizeof(uint16_t));
  const uint32_t bodies = (uint32_t)config->capacity.max_shared_bodies;
  c->own.shared_bodies = reserve(end, bodies * (uint32_t)sizeof(collider_slot));
  c->own.shared_places = reserve(end, bodies * (uint32_t)sizeof(int32_t));
  layout_reactions(c, config, end);
  layout_contact_record(c, config->capacity.max_contacts, end);
}

/* Length of a cell along the warp over that along the weft, as levels are planned by it, here and in every step. */
static float cell_aspect(const cloth_config *config) {
  if (config->grid.rest_positions) { /* whose edges say nothing of it */
    return SHAPED_ASPECT;
  }
  const float along = vector_length(config->edge_warp) / (float)(config->columns - !config->grid.wrap);
  return along / (vector_length(config->edge_weft) / (float)(config->rows - 1));
}

/* Reserves an array of so many floats at every place of the rows. */
static uintptr_t reserve_places(const cloth *c, uint32_t *end, int32_t floats) {
  return reserve_vectors(end, floats * pitch_of(c) * c->grid.rows);
}

/* Floats of the coarse levels with their direct solve, none if there are no levels, with cells of an aspect. *ground:
   of the blocks that these do not take from springs. */
CLOTH_ONCE int32_t floats_of_levels(const cloth *c, float aspect, int32_t *ground) {
  grid_level levels[MAX_LEVELS];
  int32_t count;
  const int32_t floats = plan_levels(c->grid.columns, c->grid.rows, is_wrapped(c), aspect, levels, &count);
  *ground = ground_floats(levels, count);
  return count > 0 ? floats + SOLVED_FLOATS : 0;
}

/* The arrays of the operator and of its solve, see solve/arrays.h. `levels`: floats of these. */
static void layout_operator(cloth *c, const cloth_config *config, int32_t levels, uint32_t *end) {
  c->scratch.operator_blocks = reserve_places(c, end, SPRING_FLOATS);
  c->scratch.inverse = reserve_places(c, end, SYMMETRIC_FLOATS);
  if (WITH_MULTILEVEL && config->solver.preconditioner == CLOTH_PRECONDITIONER_MULTILEVEL) {
    c->scratch.levels = levels > 0 ? reserve_vectors(end, levels) : 0u;
  }
}

/* 1 if colliders may have creases: meshes and height fields. */
static int32_t may_have_creases(const cloth_config *config) {
  return reacting(config) > 0 && (config->capacity.geometry || config->capacity.meshes > 0);
}

static void layout_contact(cloth *c, const cloth_config *config, uint32_t *end) {
  if (reacting(config) > 0) {
    const int32_t columns = c->grid.columns, rows = c->grid.rows;
    const int32_t has_creases = may_have_creases(config);
    c->state.max_touches = (uint32_t)most_touches(columns, rows, has_creases);
    c->scratch.touches = reserve_vectors(end, touch_bytes(columns, rows, has_creases) / (int32_t)sizeof(float));
    c->scratch.cells = reserve_vectors(end, (int32_t)(c->state.max_cells * sizeof(cell_touch) / sizeof(float)));
  }
  if (WITH_BODIES && config->capacity.max_bodies > 0) {
    const int32_t floats = config->capacity.max_bodies * (int32_t)(sizeof(body_unknown) / sizeof(float));
    c->scratch.bodies = reserve_vectors(end, floats);
  }
}

static void layout_shared(cloth *c, const cloth_config *config, uint32_t *end) {
  const int32_t pitch = pitch_of(c), vector = near_floats(pitch, c->grid.rows);
  int32_t ground;
  const int32_t levels = floats_of_levels(c, cell_aspect(config), &ground), pair = 2 * vector;
  c->scratch.solution = reserve_vectors(end, pair > ground ? pair : ground);
  c->scratch.direction = c->scratch.solution + (uint32_t)vector * sizeof(float);
  c->scratch.place = reserve_vectors(end, vector);
  c->scratch.product = reserve_vectors(end, vector);
  c->scratch.residual = reserve_vectors(end, vector > 3 * c->stride ? vector : 3 * c->stride);
  c->scratch.diagonal = reserve_places(c, end, 1);
  if (needs_air(config)) { c->scratch.air = reserve_places(c, end, 3); }
  if (c->gaps || config->grid.stiffness_map) { c->scratch.factors = reserve_places(c, end, FACTOR_FLOATS); }
  if (c->gaps) { c->scratch.labels = reserve_places(c, end, 1); }
  layout_contact(c, config, end);
  if (config->capacity.targets || config->tethers.count > 0 || reacting(config) > 0 || c->self) {
    c->scratch.ground = reserve_places(c, end, SYMMETRIC_FLOATS);
    reserve_floats(end, c->grid.rows);
  }
  const int32_t pieces = WITH_WORKERS && c->pieces ? c->pieces : 1;
  const int32_t has_factors = c->scratch.factors != 0, of_piece = piece_floats(pitch, has_factors) + COUNT_FLOATS;
  const int32_t buffers = WITH_WORKERS && c->pieces ? pieces * of_piece : buffer_floats(pitch, has_factors);
  const int32_t least =
      WITH_SURFACES && may_have_creases(config) ? buffer_floats(row_pitch(SURFACE_ROOM_COLUMNS), 0) : 0;
  c->scratch.row_buffers = reserve_vectors(end, larger_of(buffers, least));
  c->scratch.transfer = reserve_vectors(end, pieces * transfer_floats(pitch));
  c->scratch.coefficients = reserve_vectors(end, COEFFICIENT_FLOATS * pitch);
  c->scratch.sums = reserve_vectors(end, LANES_SUMS * c->grid.rows);
  if (needs_solver(config)) { layout_operator(c, config, levels, end); }
}

static void layout_scratch(cloth *c, const cloth_config *config, uint32_t *end) {
  layout_own(c, config, end);
  *end = config->capacity.shared_scratch ? align_up(*end) : *end;
  uint32_t shared_start = *end;
  layout_shared(c, config, end);
  reserve_self(c, config, end);
  *end = align_up(*end);
  c->total_bytes = config->capacity.shared_scratch ? shared_start : *end;
  c->shared_bytes = *end - c->total_bytes;
  c->has_scratch = !config->capacity.shared_scratch;
}

/* Sets the sizes and offsets of a cloth, which follow from the config alone. */
static void compute_layout(cloth *c, const cloth_config *config) {
  uint32_t end;
  fill_zero(c, sizeof *c);
  c->grid.columns = config->columns;
  c->grid.rows = config->rows;
  c->grid.wrap = config->grid.wrap;
  c->count = config->columns * config->rows;
  c->stride = vector_stride(c->count);
  const int32_t most = WITH_WORKERS ? config->capacity.workers : 0;
  c->pieces = (uint16_t)smaller_of(most, most_strips(c->grid.columns, c->grid.rows));
  layout_constants(c, config, &end);
  layout_state(c, config, &end);
  layout_scratch(c, config, &end);
}

static void describe_memory(const cloth *c, cloth_memory *memory) {
  memory->total_bytes = c->total_bytes;
  memory->constant_offset = 0;
  memory->constant_bytes = c->state.freedom;
  memory->state_offset = c->state.freedom;
  memory->state_bytes = c->state.end - c->state.freedom;
  memory->scratch_offset = c->state.end;
  memory->scratch_bytes = c->total_bytes - c->state.end;
  memory->shared_bytes = c->shared_bytes;
  memory->saved_bytes = memory->state_bytes + SAVE_HEADER_BYTES;
  memory->image_bytes = memory->state_bytes + IMAGE_HEADER_BYTES;
}

int cloth_memory_needed(const cloth_config *config, cloth_memory *memory) {
  const int error = check_config(config);
  if (error || !memory) { return error ? error : CLOTH_ERROR_NULL; }
  cloth c;
  compute_layout(&c, config);
  describe_memory(&c, memory);
  return CLOTH_OK;
}

int cloth_set_scratch(cloth *c, void *scratch, size_t bytes) {
  RETURN_IF_ERROR(check_call(c, scratch));
  uintptr_t offset = (uintptr_t)scratch - (uintptr_t)c;                        /* modulo the size of an address */
  int is_outside = offset >= c->total_bytes && 0u - offset >= c->shared_bytes; /* after the arena, or before it */
  if (c->shared_bytes == 0) { return CLOTH_ERROR_STATE; }
  if ((uintptr_t)scratch % CLOTH_ALIGNMENT != 0 || bytes < c->shared_bytes || !is_outside) { return CLOTH_ERROR_ARENA; }
  uintptr_t moved = offset - c->scratch.solution; /* the first part */
  uintptr_t *offsets = (uintptr_t *)at(c, offsetof(cloth, scratch));
  for (size_t part = 0; part < SCRATCH_PARTS; part++) {
    offsets[part] += offsets[part] ? moved : 0u;
  }
  c->has_scratch = 1;
  return CLOTH_OK;
}

int cloth_get_memory(const cloth *c, cloth_memory *memory) {
  const int error = check_call(c, memory);
  if (!error) { describe_memory(c, memory); }
  return error;
}
