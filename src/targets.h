#pragma once
#include "access.h"
#include "compiler.h"
#include "contact_momentum.h"
#include "gaps.h"
#include "lanes.h"
#include "lines.h"
#include "scalar.h"
#include "types.h"
#include "vertices.h"

/// Targets and motion constraints ///

#if WITH_TARGETS

/*
 * Motion constraints: each particle is kept within max_distance of its target, and out of a backstop, a sphere behind
 * the target. Targets move in straight lines from where they were at the end of the last step to where they are at the
 * end of the next. Also the calls that set targets and constraints.
 *
 * In: targets and motion constraints (state), mobilities, the plan. Out: predicted positions (scratch.product),
 * velocities and the velocity history of particles that a constraint moves. Scratch: none of its own.
 */

/* Loop invariants of a substep, copied to a local: a lane store may alias the cloth, so the compiler would otherwise
   reload them every iteration. */
typedef struct target_context {
  vector_array start, x, v; /* positions at the start of the substep, predicted positions, velocities */
  vector_array limit, position, position_before, normal, normal_before;
  const float *mobility;
  /* A target at the end of the substep is `early` times that at the start plus `late` times that at the end of the
   * step. */
  float early, late;
  cloth_vector origin; /* of the step [m] */
  int32_t fixed_work;
} target_context;

/* A vector of a block of targets at the end of the substep; exactly the one at the end of the step in the last substep.
   0 in lanes past the last particle. */
CLOTH_INLINE lanes3 target_between(const target_context *f, lanes3 before, lanes3 after, lanes_mask valid) {
  return lanes3_keep(valid,
                     lanes3_add_scaled(lanes3_scale(before, lanes_splat(f->early)), after, lanes_splat(f->late)));
}

/* The positions of a block of targets, as the step has them. */
CLOTH_INLINE lanes3 target_places(const target_context *f, vector_array places, int32_t i) {
  return lanes3_subtract(lanes3_load(places, i), lanes3_splat(f->origin));
}

#if !CLOTH_ONE_EQUATION

/* A backstop and the maximum distance of one particle, in coordinates relative to the target. The surface of the
   backstop begins `distance` behind the target, its centre is `distance + radius` behind it. */
typedef struct backstop {
  cloth_vector axis; /* the target's unit normal */
  float distance, radius, max_distance;
} backstop;

/* The point of the rim, the circle in which the backstop and the sphere of max_distance meet, that lies on the same
   side of the axis as p; p is `along` in front of the target. The rim is `ahead` in front of the target and has the
   radius `around`: with L = distance + radius, from |x|^2 = max_distance^2 and |x + L axis|^2 = radius^2. Returns
   `front`, the foremost point of the backstop, if p is on the axis. */
static cloth_vector clamp_to_rim(const backstop *b, cloth_vector p, float along, cloth_vector front) {
  float centre = b->distance + b->radius;
  float ahead = -0.5f * ((b->distance * (b->distance + 2.0f * b->radius) + b->max_distance * b->max_distance) / centre);
  ahead = maximum(flush_small(ahead, WORK_QUANTUM), negate(b->max_distance));
  float around = square_root((b->max_distance - ahead) * (b->max_distance + ahead));
  cloth_vector aside = vector_flush_work(vector_add_scaled(p, b->axis, negate(along)));
  float width = vector_length(aside);
  float share = around / maximum(width, STATE_QUANTUM);
  cloth_vector rim = vector_add_scaled(vector_scale(b->axis, ahead), aside, share);
  return width > STATE_QUANTUM ? rim : front;
}

/* The point nearest to p that is not in the backstop and, if p is, within max_distance: straight out of the backstop,
   or on the rim if that is too far from the target. `excess` is |p - centre|^2 - radius^2, negative inside, written as
   a sum of differences, since the squares themselves may be large and nearly equal. Everything is computed in any case,
   as fixed work demands. */
static cloth_vector push_out_of_backstop(const backstop *b, cloth_vector p) {
  float centre = b->distance + b->radius;
  float along = flush_small(vector_dot(p, b->axis), WORK_QUANTUM);
  float excess = vector_dot(p, p) + (2.0f * centre * along + b->distance * (b->distance + 2.0f * b->radius));
  excess = flush_small(excess, WORK_QUANTUM);
  cloth_vector from_centre = vector_flush_work(vector_add_scaled(p, b->axis, centre));
  float distance = vector_length(from_centre);
  float share = negate(excess) / ((b->radius + distance) * maximum(distance, STATE_QUANTUM));
  cloth_vector front = vector_scale(b->axis, negate(b->distance));
  cloth_vector straight = distance > STATE_QUANTUM ? vector_add_scaled(p, from_centre, share) : front;
  cloth_vector rim = clamp_to_rim(b, p, along, front);
  cloth_vector out = vector_length(straight) <= b->max_distance ? straight : rim;
  return excess < 0.0f ? out : p;
}

/* Moves one particle, at p relative to its target, out of its backstop. Pinned particles, and targets without a normal
   or a backstop radius, are left alone. */
static cloth_vector keep_out_of_backstop(const target_context *f, int32_t i, cloth_vector p, cloth_vector normal) {
  cloth_vector limit = vector_load(f->limit, i);
  float squared = vector_dot(normal, normal);
  int has_backstop = f->mobility[i] > 0.0f && limit.z > 0.0f && squared > 0.0f;
  if (!has_backstop && !f->fixed_work) {
    return p;
  }
  float length = square_root(squared > 0.0f ? squared : 1.0f);
  const backstop b = {.axis = vector_flush_work(vector_scale(normal, 1.0f / length)),
                      .distance = limit.y,
                      .radius = maximum(limit.z, STATE_QUANTUM),
                      .max_distance = limit.x};
  cloth_vector moved = push_out_of_backstop(&b, p);
  return has_backstop ? moved : p;
}

/* keep_out_of_backstop() for the first `left` particles of a block, one by one. */
CLOTH_SEPARATE void keep_block_out_of_backstops(const target_context *f, int32_t i, int32_t left, lanes3 normal,
                                                lanes3 *p) {
  float block[6][CLOTH_LANES];
  vector_array positions = {block[0], block[1], block[2]}, normals = {block[3], block[4], block[5]};
  lanes3_store(positions, 0, *p, CLOTH_LANES);
  lanes3_store(normals, 0, lanes3_flush(normal), CLOTH_LANES);
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    vector_store(positions, lane,
                 keep_out_of_backstop(f, i + lane, vector_load(positions, lane), vector_load(normals, lane)));
  }
  *p = lanes3_load(positions, 0);
}

/* Enforces the motion constraints of a block of particles: first max_distance, then the backstops. The velocity of a
   particle that is moved becomes its displacement over the substep, whatever contact has done before, and its history
   is invalidated, as in contact. */
CLOTH_INLINE void constrain_block_to_targets(const cloth *c, const step_plan *plan, const target_context *f, int32_t i,
                                             int32_t left) {
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes_mask valid = lanes_first(left);
  lanes3 target = target_between(f, target_places(f, f->position_before, i), target_places(f, f->position, i), valid);
  lanes3 x = lanes3_keep(valid, lanes3_load(f->x, i));
  lanes3 from = lanes3_flush_below(lanes3_subtract(x, target), STATE_QUANTUM);
  lanes max_distance = lanes_keep(valid, lanes_load(f->limit.x + i));
  lanes_mask moves = lanes_both(valid, lanes_less(zero, lanes_load(f->mobility + i)));
  lanes squared = lanes3_dot(from, from);
  lanes_mask far = lanes_both(moves, lanes_less(lanes_multiply(max_distance, max_distance), squared));
  lanes length = lanes_square_root(lanes_select(far, squared, one));
  lanes3 p = lanes3_select(far, lanes3_scale(from, lanes_divide(max_distance, length)), from);
  lanes radius = lanes_keep(valid, lanes_load(f->limit.z + i));
  if (f->fixed_work || lanes_any(lanes_both(moves, lanes_less(zero, radius)))) {
    const lanes3 normal = target_between(f, lanes3_load(f->normal_before, i), lanes3_load(f->normal, i), valid);
    keep_block_out_of_backstops(f, i, left, normal, &p);
  }
  lanes3 displacement = lanes3_flush_below(lanes3_subtract(p, from), STATE_QUANTUM);
  lanes_mask moved = lanes_both(moves, lanes_less(zero, lanes3_dot(displacement, displacement)));
  if (!f->fixed_work && !lanes_any(moved)) {
    return;
  }
  const lanes3 place = lanes3_select(moved, lanes3_add(target, p), lanes3_load(f->x, i));
  const lanes3 way = lanes3_flush_below(lanes3_subtract(place, lanes3_load(f->start, i)), STATE_QUANTUM);
  const lanes3 before = lanes3_scale(lanes3_load(f->v, i), lanes_splat(plan->h));
  const lanes3 change = lanes3_keep(moved, displacement);
  const lanes distance = lanes_maximum(lanes3_length(change), lanes_splat(STATE_QUANTUM));
  const contact_change done = {.displacement = lanes3_keep(moved, lanes3_subtract(way, before)),
                               .normal = lanes3_flush(lanes3_scale(change, lanes_divide(one, distance))),
                               .sliding = lanes3_keep(moved, before),
                               .touches = moved,
                               .slides = moved};
  lanes3_store(f->x, i, place, left);
  (void)change_velocities(c, plan, i, &done);
  invalidate_block_history(c, moved, lanes3_splat(vector(0.0f, 0.0f, 0.0f)), i, left);
}

static target_context target_context_of(const cloth *c, const step_plan *plan, int32_t index) {
  const float late = (float)(index + 1) / (float)plan->substeps;
  const target_context f = {.start = vectors_at(c, c->state.position),
                            .x = predicted_of(c),
                            .v = vectors_at(c, c->state.velocity),
                            .limit = target_vectors(c, TARGET_LIMIT),
                            .position = target_vectors(c, TARGET_POSITION),
                            .position_before = target_vectors(c, TARGET_POSITION_BEFORE),
                            .normal = target_vectors(c, TARGET_NORMAL),
                            .normal_before = target_vectors(c, TARGET_NORMAL_BEFORE),
                            .mobility = floats_at(c, c->scratch.mobility),
                            .late = late,
                            .origin = workspace_of(c)->origin,
                            .early = 1.0f - late,
                            .fixed_work = c->settings.capacity.fixed_work};
  return f;
}

/* Enforces the motion constraints of all particles in substep `index`. */
CLOTH_HOT CLOTH_SEPARATE void constrain_to_targets(const cloth *c, const step_plan *plan, int32_t index) {
  const target_context f = target_context_of(c, plan, index);
  EACH_BLOCK(i, left, c->count, constrain_block_to_targets(c, plan, &f, i, left));
}

#if WITH_PROJECTION

/*
 * Particles that are to be where their targets are, with a max_distance of 0, are pins to the solves along lines, which
 * then find lengths between them. Moved there only after the solves they would leave their strain to the springs beside
 * them.
 */

/* 1 if targets act as pins: where nothing acts by forces, which know other pins only. */
static int has_led_particles(const cloth *c, const step_plan *plan) {
  return inputs_of(c)->targets != TARGETS_NONE && plan->projects && !plan->forces && !has_solver_contacts(c);
}

/* Takes the mobility of led particles. Returns how many there are. */
CLOTH_SEPARATE int32_t hold_led_particles(const cloth *c) {
  const float *max_distance = target_vectors(c, TARGET_LIMIT).x;
  float *mobility = floats_at(c, c->scratch.mobility);
  int32_t led = 0;
  for (int32_t i = 0; i < c->count; i++) {
    if (max_distance[i] == 0.0f && mobility[i] > 0.0f) {
      mobility[i] = 0.0f;
      led++;
    }
  }
  return led;
}

/* The particles of a block that are not pinned: pins have no mobility either, and act after targets. */
CLOTH_INLINE lanes_mask not_pinned(const cloth *c, int32_t i, int32_t left) {
  float moves[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    moves[lane] = lane < left && !is_pinned(c, i + lane) ? 1.0f : 0.0f;
  }
  return lanes_less(lanes_splat(0.0f), lanes_load(moves));
}

/* Predicts the led particles at their targets. Their velocities, 0 here, follow from the moved positions. */
CLOTH_SEPARATE void lead_particles(const cloth *c, const step_plan *plan, int32_t index) {
  const target_context f = target_context_of(c, plan, index);
  const vector_array sum = displacement_of(c, plan);
  const lanes zero = lanes_splat(0.0f);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const int32_t left = c->count - i;
    const lanes_mask valid = lanes_first(left);
    const lanes still = lanes_drop(lanes_less(zero, lanes_load(f.mobility + i)), lanes_splat(1.0f));
    const lanes near = lanes_drop(lanes_less(zero, lanes_load(f.limit.x + i)), still);
    lanes_mask led = lanes_both(valid, lanes_less(zero, near));
    if (lanes_any(led)) {
      led = lanes_both(led, not_pinned(c, i, left));
      const lanes3 target =
          target_between(&f, target_places(&f, f.position_before, i), target_places(&f, f.position, i), valid);
      const lanes3 way = lanes3_keep(led, lanes3_subtract(target, lanes3_load(f.start, i)));
      lanes3_store(f.x, i, lanes3_select(led, target, lanes3_load(f.x, i)), left);
      lanes3_store(f.v, i, lanes3_select(led, lanes3_splat(vector(0.0f, 0.0f, 0.0f)), lanes3_load(f.v, i)), left);
      if (sum.x) {
        add_to_block(sum, i, left, lanes3_flush_below(way, STATE_QUANTUM));
      }
      invalidate_block_history(c, led, lanes3_splat(vector(0.0f, 0.0f, 0.0f)), i, left);
    }
  }
}

#endif

#endif

/* Ends the motion of the targets: they rest where they are at the end of the step. */
static void finish_target_motion(const cloth *c) {
  const size_t bytes = 3 * (size_t)c->stride * sizeof(float);
  copy_memory(target_vectors(c, TARGET_POSITION_BEFORE).x, target_vectors(c, TARGET_POSITION).x, bytes);
  copy_memory(target_vectors(c, TARGET_NORMAL_BEFORE).x, target_vectors(c, TARGET_NORMAL).x, bytes);
  inputs_of(c)->targets = TARGETS_STILL;
}

cloth_motion_constraint cloth_motion_constraint_default(void) {
  cloth_motion_constraint free;
  fill_zero(&free, sizeof free);
  free.max_distance = CLOTH_ANY_DISTANCE;
  return free;
}

int cloth_set_motion_constraint(cloth *c, int32_t particle, const cloth_motion_constraint *constraint) {
  int error = check_present(c, particle);
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
#if CLOTH_ONE_EQUATION
  if (!in_range(constraint->drive, 0.0f, MAX_DRIVE)) {
    return CLOTH_ERROR_RANGE;
  }
  set_particle_vector(c, target_vectors(c, TARGET_DRIVE), particle,
                      vector(flush_small(constraint->drive, WORK_QUANTUM), 0.0f, 0.0f));
#endif
  set_particle_vector(c, target_vectors(c, TARGET_LIMIT), particle, vector_flush(limit, STATE_QUANTUM));
  return CLOTH_OK;
}

/* The bytes of a particle's vertex; a tube's rows have one vertex more than particles. */
static const uint8_t *vertex_of(const cloth *c, const cloth_vertex_layout *layout, const void *vertices, int32_t i) {
  int32_t vertex = i / c->grid.columns * row_vertices(c) + i % c->grid.columns;
  return (const uint8_t *)vertices + (size_t)vertex * (size_t)layout->stride;
}

/* An attribute of a vertex, three floats at any alignment; 0 if the layout does not have it. */
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
        !vector_in_range(read_attribute(vertex, layout->normal_offset), ATTRIBUTE_LIMIT)) {
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
  error = layout->position_offset == CLOTH_ATTRIBUTE_NONE ? CLOTH_ERROR_BUFFER
                                                          : check_vertices(layout, grid_vertices(c), bytes);
  error = error ? error : check_targets(c, layout, vertices);
  if (error) {
    return error;
  }
  for (int32_t i = 0; i < c->count; i++) {
    const uint8_t *vertex = vertex_of(c, layout, vertices, i);
    cloth_vector position = read_attribute(vertex, layout->position_offset);
    cloth_vector normal = unit_or_zero(read_attribute(vertex, layout->normal_offset));
    set_particle_vector(c, target_vectors(c, TARGET_POSITION), i, vector_flush(position, STATE_QUANTUM));
    set_particle_vector(c, target_vectors(c, TARGET_NORMAL), i, normal);
  }
  if (inputs_of(c)->targets == TARGETS_NONE) {
    wake(c);
    finish_target_motion(c);
  }
  inputs_of(c)->targets = WITH_SLEEP && is_asleep(c) ? TARGETS_STILL : TARGETS_MOVING;
  return CLOTH_OK;
}

int cloth_set_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes) {
  int error = cloth_move_targets(c, layout, vertices, bytes);
  if (!error) {
    finish_target_motion(c);
  }
  return error;
}

#endif
