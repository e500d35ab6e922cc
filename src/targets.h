#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "types.h"
#include "vertices.h"

/// Targets and motion constraints ///

#if WITH_TARGETS

/* Targets during one substep, which ends when a share `late` of their way is done. */
typedef struct target_frame {
  vector_array x, v, limit, place, place_before, normal, normal_before;
  const float *mobility;
  float early, late, inverse_h;
  int32_t fixed_work;
} target_frame;

/* A vector between where it was and is; that of the end, to the bit, at the end. */
CLOTH_INLINE lanes3 target_between(const target_frame *f, vector_array before, vector_array after, int32_t i,
                                   lanes_mask there) {
  lanes3 from = lanes3_scale(lanes3_load(before, i), lanes_splat(f->early));
  return lanes3_keep(there, lanes3_add_scaled(from, lanes3_load(after, i), lanes_splat(f->late)));
}

/* A backstop, and how far from the target a particle may be: all from the target, with `axis` the target's normal. */
typedef struct backstop {
  cloth_vector axis;
  float distance, radius, most;
} backstop;

/* The point of the circle where the spheres of backstop and max distance meet that lies to the same side as p, which
   is `along` ahead of the target. It is itself this far ahead: with L = distance + radius, from |x|^2 = most^2 and |x +
   L axis|^2 = radius^2. */
static cloth_vector clamp_to_rim(const backstop *b, cloth_vector p, float along, cloth_vector front) {
  float reach = b->distance + b->radius;
  float ahead = -0.5f * ((b->distance * (b->distance + 2.0f * b->radius) + b->most * b->most) / reach);
  ahead = maximum(flush_small(ahead, WORK_QUANTUM), 0.0f - b->most);
  float around = square_root((b->most - ahead) * (b->most + ahead));
  cloth_vector aside = vector_flush_work(vector_add_scaled(p, b->axis, 0.0f - along));
  float width = vector_length(aside);
  float share = around / maximum(width, STATE_QUANTUM);
  cloth_vector rim = vector_add_scaled(vector_scale(b->axis, ahead), aside, share);
  return width > STATE_QUANTUM ? rim : front;
}

/* The point nearest to p that is not in the backstop, and within max distance if p is: straight out, or to the rim if
   that is too far from the target. Lengths are compared by what they differ in, not as squares of what may be large,
   and everything is worked out whatever comes of it: with fixed work it always is. */
static cloth_vector push_out_of_backstop(const backstop *b, cloth_vector p) {
  float reach = b->distance + b->radius;
  float along = flush_small(vector_dot(p, b->axis), WORK_QUANTUM);
  float excess = vector_dot(p, p) + (2.0f * reach * along + b->distance * (b->distance + 2.0f * b->radius));
  excess = flush_small(excess, WORK_QUANTUM);
  cloth_vector from = vector_flush_work(vector_add_scaled(p, b->axis, reach));
  float distance = vector_length(from);
  float share = (0.0f - excess) / ((b->radius + distance) * maximum(distance, STATE_QUANTUM));
  cloth_vector front = vector_scale(b->axis, 0.0f - b->distance);
  cloth_vector straight = distance > STATE_QUANTUM ? vector_add_scaled(p, from, share) : front;
  cloth_vector rim = clamp_to_rim(b, p, along, front);
  cloth_vector out = vector_length(straight) <= b->most ? straight : rim;
  return excess < 0.0f ? out : p;
}

/* A particle at p from its target, out of its backstop if it has one. */
static cloth_vector keep_out_of_backstop(const target_frame *f, int32_t i, cloth_vector p, cloth_vector normal) {
  cloth_vector limit = vector_load(f->limit, i);
  float squared = vector_dot(normal, normal);
  int stands = f->mobility[i] > 0.0f && limit.z > 0.0f && squared > 0.0f;
  if (!stands && !f->fixed_work) {
    return p;
  }
  float length = square_root(squared > 0.0f ? squared : 1.0f);
  backstop b = {vector_flush_work(vector_scale(normal, 1.0f / length)), limit.y, maximum(limit.z, STATE_QUANTUM),
                limit.x};
  cloth_vector moved = push_out_of_backstop(&b, p);
  return stands ? moved : p;
}

/* Of a block, those with backstops one by one. */
CLOTH_SEPARATE void keep_block_out_of_backstops(const target_frame *f, int32_t i, int32_t left, lanes3 normal,
                                                lanes3 *p) {
  float block[6][CLOTH_LANES];
  vector_array places = {block[0], block[1], block[2]}, normals = {block[3], block[4], block[5]};
  lanes3_store(places, 0, *p, CLOTH_LANES);
  lanes3_store(normals, 0, lanes3_flush(normal), CLOTH_LANES);
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    vector_store(places, lane,
                 keep_out_of_backstop(f, i + lane, vector_load(places, lane), vector_load(normals, lane)));
  }
  *p = lanes3_load(places, 0);
}

/* Particles that a constraint moves lose what they had of velocity against it, and their history, as in contact. */
CLOTH_INLINE void constrain_block_to_targets(const cloth *c, const target_frame *f, int32_t i, int32_t left) {
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes_mask there = lanes_first(left);
  lanes3 place = target_between(f, f->place_before, f->place, i, there);
  lanes3 x = lanes3_keep(there, lanes3_load(f->x, i));
  lanes3 from = lanes3_flush_below(lanes3_subtract(x, place), STATE_QUANTUM);
  lanes most = lanes_keep(there, lanes_load(f->limit.x + i));
  lanes_mask moves = lanes_both(there, lanes_less(zero, lanes_load(f->mobility + i)));
  lanes squared = lanes3_dot(from, from);
  lanes_mask far = lanes_both(moves, lanes_less(lanes_multiply(most, most), squared));
  lanes length = lanes_square_root(lanes_select(far, squared, one));
  lanes3 p = lanes3_select(far, lanes3_scale(from, lanes_divide(most, length)), from);
  lanes radius = lanes_keep(there, lanes_load(f->limit.z + i));
  if (f->fixed_work || lanes_any(lanes_both(moves, lanes_less(zero, radius)))) {
    keep_block_out_of_backstops(f, i, left, target_between(f, f->normal_before, f->normal, i, there), &p);
  }
  lanes3 moved = lanes3_flush_below(lanes3_subtract(p, from), STATE_QUANTUM);
  lanes_mask held = lanes_both(moves, lanes_less(zero, lanes3_dot(moved, moved)));
  if (!f->fixed_work && !lanes_any(held)) {
    return;
  }
  lanes3 change = lanes3_scale(lanes3_keep(held, moved), lanes_splat(f->inverse_h));
  lanes3_store(f->x, i, lanes3_select(held, lanes3_add(place, p), lanes3_load(f->x, i)), left);
  lanes3_store(f->v, i, lanes3_add(lanes3_load(f->v, i), change), left);
  if (c->state.velocity_history) {
    float *history = history_of(c, 1).x + i;
    lanes_store_first(history, lanes_select(held, lanes_splat(HISTORY_INVALID), lanes_load(history)), left);
  }
}

CLOTH_HOT CLOTH_SEPARATE void constrain_to_targets(const cloth *c, const step_plan *plan, int32_t index) {
  target_frame f;
  f.x = predicted_of(c);
  f.v = vectors_at(c, c->state.velocity);
  f.limit = target_vectors(c, TARGET_LIMIT);
  f.place = target_vectors(c, TARGET_PLACE);
  f.place_before = target_vectors(c, TARGET_PLACE_BEFORE);
  f.normal = target_vectors(c, TARGET_NORMAL);
  f.normal_before = target_vectors(c, TARGET_NORMAL_BEFORE);
  f.mobility = floats_at(c, c->scratch.mobility);
  f.late = (float)(index + 1) / (float)plan->substeps;
  f.early = 1.0f - f.late;
  f.inverse_h = plan->inverse_h;
  f.fixed_work = c->settings.capacity.fixed_work;
  EACH_BLOCK(i, left, c->count, constrain_block_to_targets(c, &f, i, left));
}

/* The step is over: targets rest where they have arrived. */
static void settle_targets(const cloth *c) {
  const size_t bytes = 3 * (size_t)c->stride * sizeof(float);
  copy_memory(target_vectors(c, TARGET_PLACE_BEFORE).x, target_vectors(c, TARGET_PLACE).x, bytes);
  copy_memory(target_vectors(c, TARGET_NORMAL_BEFORE).x, target_vectors(c, TARGET_NORMAL).x, bytes);
  inputs_of(c)->targets = TARGETS_STILL;
}

cloth_motion_constraint cloth_motion_constraint_default(void) {
  cloth_motion_constraint free = {CLOTH_ANY_DISTANCE, 0.0f, 0.0f};
  return free;
}

int cloth_set_motion_constraint(cloth *c, int32_t particle, const cloth_motion_constraint *constraint) {
  int error = check_particle(c, particle);
  if (error || !constraint) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (!c->state.targets) {
    return CLOTH_ERROR_STATE;
  }
  cloth_vector limit = vector(constraint->max_distance, constraint->backstop_distance, constraint->backstop_radius);
  if (!is_motion_limit(limit)) {
    return CLOTH_ERROR_RANGE;
  }
  set_particle_vector(c, target_vectors(c, TARGET_LIMIT), particle, vector_flush(limit, STATE_QUANTUM));
  return CLOTH_OK;
}

/* The vertex of a particle. */
static const uint8_t *vertex_of(const cloth *c, const cloth_vertex_layout *layout, const void *vertices, int32_t i) {
  int32_t vertex = i / c->grid.columns * row_vertices(c) + i % c->grid.columns;
  return (const uint8_t *)vertices + (size_t)vertex * (size_t)layout->stride;
}

/* Reads three floats of a vertex, or none. */
static cloth_vector read_attribute(const uint8_t *vertex, int32_t offset) {
  cloth_vector a = {0.0f, 0.0f, 0.0f};
  if (offset != CLOTH_ATTRIBUTE_NONE) {
    copy_floats(&a, vertex + offset, 3);
  }
  return a;
}

static int check_targets(const cloth *c, const cloth_vertex_layout *layout, const void *vertices) {
  for (int32_t i = 0; i < c->count; i++) {
    const uint8_t *vertex = vertex_of(c, layout, vertices, i);
    if (!vector_in_range(read_attribute(vertex, layout->position_offset), CLOTH_POSITION_LIMIT) ||
        !vector_in_range(read_attribute(vertex, layout->normal_offset), 1.0e6f)) {
      return CLOTH_ERROR_RANGE;
    }
  }
  return CLOTH_OK;
}

int cloth_move_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes) {
  int error = check_call(c, layout);
  if (error || !vertices) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (!c->state.targets) {
    return CLOTH_ERROR_STATE;
  }
  error = layout->position_offset == CLOTH_ATTRIBUTE_NONE ? CLOTH_ERROR_BUFFER : check_vertices(c, layout, bytes);
  error = error ? error : check_targets(c, layout, vertices);
  if (error) {
    return error;
  }
  for (int32_t i = 0; i < c->count; i++) {
    const uint8_t *vertex = vertex_of(c, layout, vertices, i);
    cloth_vector place = read_attribute(vertex, layout->position_offset);
    cloth_vector normal = unit_or_zero(read_attribute(vertex, layout->normal_offset));
    set_particle_vector(c, target_vectors(c, TARGET_PLACE), i, vector_flush(place, STATE_QUANTUM));
    set_particle_vector(c, target_vectors(c, TARGET_NORMAL), i, normal);
  }
  if (inputs_of(c)->targets == TARGETS_NONE) {
    wake(c);
    settle_targets(c);
  }
  inputs_of(c)->targets = WITH_SLEEP && is_asleep(c) ? TARGETS_STILL : TARGETS_MOVING;
  return CLOTH_OK;
}

int cloth_set_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes) {
  int error = cloth_move_targets(c, layout, vertices, bytes);
  if (!error) {
    settle_targets(c);
  }
  return error;
}

#endif
