#pragma once
#include "../contact/element.h"
#include "../contact/law.h"
#include "../contact/press.h"
#include "../contact/touch.h"
#include "../terms/bounds.h"

/// Tethers that are met in the solve ///

/*
 * A tether that its own particle was not to reach, but that neighbours take it to, is predicted anew after the first
 * iteration, from the solution y so far, what is left of the residual r, and the inverse B of the preconditioner's
 * block, as slow particles that meet colliders are (contact/press.h): the particle moves by n . (y + B r) with the
 * compliance n . B n. Without, a corner that hangs by its neighbours is on and off in turn for ever, at up to 3 m/s.
 * Motion constraints are not: paper in spheres would be on and off for it.
 *
 * In: residual, product, direction, solution, place. Out: residual, product, ground, inverse.
 */

#if WITH_TETHERS

/* How particles of a block have moved in the solve so far. */
CLOTH_INLINE lanes3 moved_in_solve(const contact_release *rel, int32_t row, int32_t i) {
  return lanes3_flush(solution_with(rel->a, row, i, lanes_splat(rel->length), rel->has_solution));
}

/* ... and where what is left of the residual takes them. */
CLOTH_INLINE lanes3 way_in_solve(const contact_release *rel, int32_t row, int32_t i) {
  const solve_arrays *a = rel->a;
  const int32_t place = row * a->pitch + i;
  const lanes3 product = own_load(a->product, place);
  const lanes3 left = lanes3_add_scaled(own_load(a->residual, place), product, lanes_splat(negate(rel->length)));
  const lanes3 more = symmetric_apply(own_block(a->inverse, place), lanes3_flush(left));
  return lanes3_flush(lanes3_add(moved_in_solve(rel, row, i), more));
}

/* Both of one particle. */
CLOTH_SEPARATE void ways_in_solve(const contact_release *rel, int32_t particle, cloth_vector *moved,
                                  cloth_vector *way) {
  const int32_t row = particle / rel->a->columns, column = particle % rel->a->columns, lane = column % CLOTH_LANES;
  float values[3][CLOTH_LANES];
  lanes3_store(VECTORS_OF(values), 0, moved_in_solve(rel, row, column - lane), CLOTH_LANES);
  *moved = vector_load(VECTORS_OF(values), lane);
  lanes3_store(VECTORS_OF(values), 0, way_in_solve(rel, row, column - lane), CLOTH_LANES);
  *way = vector_load(VECTORS_OF(values), lane);
}

/* Predicts a tether that does not press anew for where the solve takes its particle, and puts it into the equation. */
CLOTH_SEPARATE void meet_bound(contact_release *rel, held_particle *h, particle_bound *b, int32_t i) {
  cloth_vector moved, way;
  ways_in_solve(rel, i, &moved, &way);
  const solve_arrays *a = rel->a;
  const float moves = vector_dot(b->n, vector_flush_work(way));
  const int32_t presses = along_block(h, a->ground, b->n) > WORK_QUANTUM;
  if (presses || !(negate(moves) < FAST_WAY * b->thickness)) { return; }
  agree(h, b, maximum(along_block(h, a->inverse, b->n), WORK_QUANTUM), moves);
  if (!(b->stiffness > 0.0f)) { return; }
  const int32_t row = i / a->columns, lane = i % a->columns % CLOTH_LANES, first = i % a->columns - lane;
  const lanes_mask one = lanes_of_bits(1u << lane);
  const lanes3 n = lanes3_splat(b->n);
  const lanes along = lanes_keep(one, lanes_splat(b->stiffness)), zero = lanes_splat(0.0f);
  const float press = b->force - b->stiffness * vector_dot(b->n, vector_flush_work(moved));
  const lanes3 change = lanes3_keep(one, lanes3_splat(vector_flush_work(vector_scale(b->n, press))));
  const element_law law = {b->force, b->stiffness, 0.0f};
  add_element_block(a, h->place, b->n, &law, 1.0f);
  add_to_inverse(a->inverse, row * a->pitch + first, n, along);
  put_change(rel, row, first, n, change, along, zero);
}

/* Bits of the particles of a block that nothing holds yet, and that come near the end of a tether. */
CLOTH_SEPARATE uint32_t may_meet(const contact_release *rel, int32_t row, int32_t i) {
  const solve_arrays *a = rel->a;
  const int32_t place = row * a->pitch + i;
  const symmetric ground = own_block(a->ground, place);
  const lanes holds = lanes_add(lanes_add(ground.xx, ground.yy), ground.zz);
  const lanes_mask loose = lanes_less(holds, lanes_splat(WORK_QUANTUM));
  if (!lanes_any(loose)) { return 0; }
  const lanes near = tethers_near(rel->c, a, row, i, lanes3_length(way_in_solve(rel, row, i)));
  const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + place));
  const lanes_mask there = lanes_both(moves, lanes_first(a->columns - i));
  return lanes_bits(lanes_both(lanes_both(loose, there), lanes_less(lanes_splat(0.0f), near)));
}

/* The tethers of a particle. */
CLOTH_SEPARATE void meet_tethers_of(contact_release *rel, int32_t particle) {
  const solve_arrays *a = rel->a;
  held_particle h = {.c = rel->c, .a = a, .t = rel->t, .place = place_of(a, particle)};
  h.x = near_particle(a, a->place, particle);
  hold_by_tethers(&h, particle);
  for (int32_t k = 0; k < h.bounds; k++) {
    meet_bound(rel, &h, &h.bound[k], particle);
  }
  workspace_of(rel->c)->predictions += h.predictions;
}

/* 1 if a cloth has tethers and blocks to predict them with. */
static int meets_tethers(const cloth *c) {
  return c->settings.tethers.count > 0 && c->settings.solver.preconditioner != CLOTH_PRECONDITIONER_NONE;
}

/* After the first iteration, which ended with a step of `length` along the direction. */
CLOTH_SEPARATE solve_change meet_tethers(const cloth *c, const substep_terms *t, float length, int32_t has_solution) {
  const solve_arrays *a = arrays_of(c);
  contact_release rel = {.c = c, .a = a, .t = t, .length = length, .has_solution = has_solution};
  for (int32_t row = 0; row < a->rows; row++) {
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      for (uint32_t met = may_meet(&rel, row, i); met; met &= met - 1u) {
        meet_tethers_of(&rel, row * a->columns + i + first_bit(met));
      }
    }
  }
  return (solve_change){lanes_sum_total(&rel.along), lanes_sum_total(&rel.most), rel.changed};
}

#endif
