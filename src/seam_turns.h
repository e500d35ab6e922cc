#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "lanes.h"
#include "motion.h"
#include "scalar.h"
#include "stitches.h"
#include "types.h"

/// Angular momentum of seams ///

/*
 * The forces of a stitch act in one point where its gap is closed. Those that close an open one do not act along it, as
 * they move what hangs on both sides on a straight way, whatever it weighs: with the gap d and the impulse f on one
 * side of it they have the moment d ^ f. Cloths that seams join to a part that nothing holds sum these moments over a
 * substep and take them back as a rotation of the part as one body. A part that something holds gives them to what
 * holds it.
 *
 * Open gaps turn with a part that nothing holds: stitches that kept their directions would stop it in every substep.
 *
 * Forces along the gap alone would have no moment, but would leave velocities across it, which grow as it gets shorter:
 * both sides then whirl around each other (1.8 m/s in place of 0.3 m/s, for panels of 1 m 0.36 m apart).
 *
 * In: stitches and their impulses, positions, mobilities, plans. Out: velocities. Scratch: in the memory of the group.
 */

#if WITH_SEAMS

/* A particle of a part from which arms are measured, at the substep's start. */
static cloth_vector origin_of_part(const cloth_group *group, int32_t part) {
  const cloth *c = group->cloths[part];
  return vector_load(vectors_at(c, c->state.position), c->count / 2);
}

/* Adds the moments of the impulses on the sewn particles, times a factor, with those at the substep's start or at the
   predicted positions as arms. */
static void sum_turns(sewing *s, const cloth_group *group, int is_predicted, float factor) {
  if (s->open_parts == 0) {
    return;
  }
  for (int32_t n = 0; n < s->particle_count; n++) {
    const sewn_particle *p = &s->particles[n];
    const cloth *c = group->cloths[p->cloth];
    const int32_t part = s->part[p->cloth];
    const vector_array x = is_predicted ? predicted_of(c) : vectors_at(c, c->state.position);
    const cloth_vector arm = vector_subtract(vector_load(x, p->particle), origin_of_part(group, part));
    const cloth_vector moment = vector_cross(vector_flush(arm, STATE_QUANTUM), vector_flush_work(p->impulse));
    s->moment[part] = vector_add_scaled(s->moment[part], moment, factor);
  }
}

/* 1 if nothing holds any cloth of a part. */
static int is_free_part(const sewing *s, const cloth_group *group, int32_t part) {
  int is_free = 1;
  for (int32_t n = 0; n < group->count; n++) {
    const cloth *c = group->cloths[n];
    is_free &= s->part[n] != part || (s->scale[n] > 0.0f && keeps_momenta(c, &workspace_of(c)->plan));
  }
  return is_free;
}

/* Adds the particles of a cloth, at positions x, and their velocities to the sums of a part. `factor`: its reference
   mass over the heaviest. */
static void add_cloth_arms(const cloth *c, vector_array x, cloth_vector origin, float factor, free_sums *sums) {
  const vector_array v = vectors_at(c, c->state.velocity);
  const float *mobility = floats_at(c, c->scratch.mobility);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes_mask present =
        lanes_both(lanes_first(c->count - i), lanes_less(lanes_splat(0.0f), lanes_load(mobility + i)));
    const lanes3 arm = lanes3_keep(present, lanes3_subtract(lanes3_load(x, i), lanes3_splat(origin)));
    const lanes mass = lanes_keep(present, lanes_multiply(mass_ratio_lanes(c, i), lanes_splat(factor)));
    lanes_sum_add(&sums->mass, i, mass);
    const lanes3 heavy = lanes3_scale(arm, mass), velocity = lanes3_keep(present, lanes3_load(v, i));
    lanes3_sum_add(sums->displacement, i, lanes3_scale(velocity, mass));
    lanes3_sum_add(sums->moment, i, lanes3_cross(heavy, velocity));
    add_arms(sums, i, arm, heavy);
  }
}

/* Sums over the particles of a part, at the substep's start or at the predicted positions. Writes their centre,
   relative to origin_of_part(). Returns their mass. */
static float sum_part(const sewing *s, const cloth_group *group, int32_t part, int is_predicted, free_sums *sums,
                      cloth_vector *centre) {
  for (int32_t n = 0; n < group->count; n++) {
    const cloth *c = group->cloths[n];
    if (s->part[n] == part) {
      const vector_array x = is_predicted ? predicted_of(c) : vectors_at(c, c->state.position);
      add_cloth_arms(c, x, origin_of_part(group, part), 1.0f / s->scale[n], sums);
      add_varying_work(c, (uint32_t)c->count, COST_TURN);
    }
  }
  const float mass = lanes_sum_total(&sums->mass);
  *centre = vector_flush_work(vector_scale(lanes3_sum_total(sums->arm), 1.0f / mass));
  return mass;
}

/* Finds by how much the parts with open stitches that nothing holds turn in a substep, as one body each [rad]. Open
   gaps turn with them: stitches that kept their directions would stop the parts. */
CLOTH_SEPARATE void find_turns(sewing *s, const cloth_group *group, float h) {
  for (int32_t n = 0; n < group->count; n++) {
    s->turn_by[n] = vector(0.0f, 0.0f, 0.0f);
    if ((s->open_parts >> n & 1) && is_free_part(s, group, n)) {
      free_sums sums = {.mass = {{0.0f}}};
      cloth_vector centre;
      const float mass = sum_part(s, group, n, 0, &sums, &centre);
      const cloth_vector own = vector_cross(centre, vector_flush_work(lanes3_sum_total(sums.displacement)));
      const cloth_vector moment = vector_flush_work(vector_subtract(lanes3_sum_total(sums.moment), own));
      s->turn_by[n] = vector_flush_work(rotation_by_moment(&sums, mass, centre, vector_scale(moment, h)));
    }
  }
}

/* Takes from the velocities of a cloth those of a rotation about a centre. */
static void take_rotation(const cloth *c, cloth_vector centre, cloth_vector spin) {
  const vector_array x = predicted_of(c), v = vectors_at(c, c->state.velocity);
  const float *mobility = floats_at(c, c->scratch.mobility);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes_mask present = lanes_less(lanes_splat(0.0f), lanes_load(mobility + i));
    const lanes3 arm = lanes3_subtract(lanes3_load(x, i), lanes3_splat(centre));
    const lanes3 taken = lanes3_keep(present, lanes3_cross(lanes3_splat(spin), arm));
    lanes3_store(v, i, lanes3_subtract(lanes3_load(v, i), taken), c->count - i);
  }
}

/* Takes back the moment of the stitches of a part. */
static void take_back_turn(const sewing *s, const cloth_group *group, int32_t part, float inverse_h) {
  free_sums sums = {.mass = {{0.0f}}};
  cloth_vector centre;
  const float mass = sum_part(s, group, part, 1, &sums, &centre);
  const cloth_vector rotation = rotation_by_moment(&sums, mass, centre, s->moment[part]);
  const cloth_vector spin = vector_flush_work(vector_scale(rotation, inverse_h));
  for (int32_t n = 0; n < group->count; n++) {
    if (s->part[n] == part) {
      take_rotation(group->cloths[n], vector_add(origin_of_part(group, part), centre), spin);
    }
  }
}

/* At the end of a substep: takes back the moments of the stitches of all parts that nothing holds. */
CLOTH_SEPARATE void take_back_turns(const sewing *s, const cloth_group *group, const step_plan *plan) {
  for (int32_t n = 0; n < group->count; n++) {
    if ((s->open_parts >> n & 1) && is_free_part(s, group, n)) {
      take_back_turn(s, group, n, plan->inverse_h);
    }
  }
}

#endif
