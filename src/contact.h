#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "lanes.h"
#include "rigid.h"
#include "scalar.h"
#include "shapes.h"
#include "types.h"

/// Contact by projection ///

/* What lies farther away than this is not touched. A body that turns sweeps a sphere. */
static void set_reach(const cloth_collider *body, moving_body *m) {
  m->reach = (body_reach(body) + m->margin) * 1.0001f;
  m->inverse_squared = 0.0f;
  if (m->turns || body->shape == CLOTH_SHAPE_PLANE || body->shape == CLOTH_SHAPE_SPHERE) {
    return;
  }
  m->axis_reach = (capsule_around(body, m->end.rotation, &m->from, &m->along) + m->margin) * 1.0001f;
  float squared = vector_dot(m->along, m->along);
  m->inverse_squared = squared > 1.0e-6f ? 1.0f / squared : 0.0f;
}

/* A collider's motion in a substep. It stands in the workspace until another is asked for. */
CLOTH_SEPARATE const moving_body *body_in_substep(const cloth *c, const step_plan *plan, int32_t index,
                                                  int32_t substep) {
  const collider_slot *slot = &colliders_of(c)[index];
  moving_body *m = &workspace_of(c)->body;
  if (m->index == index && m->substep == substep) {
    return m;
  }
  m->start = pose_between(&slot->previous, &slot->body.pose, (float)substep / (float)plan->substeps);
  m->end = pose_between(&slot->previous, &slot->body.pose, (float)(substep + 1) / (float)plan->substeps);
  cloth_rotation before = m->start.rotation;
  cloth_rotation after = m->end.rotation;
  m->turns = before.x != after.x || before.y != after.y || before.z != after.z || before.w != after.w;
  m->aligned = slot->body.shape == CLOTH_SHAPE_SPHERE && !m->turns;
  /* Contacts held by the solver linger at a tenth of their depth; the projection only catches what it missed. */
  m->margin = has_solver_contacts(c) ? 0.5f * c->settings.contact.thickness : c->settings.contact.thickness;
  set_reach(&slot->body, m);
  m->index = index;
  m->substep = substep;
  return m;
}

static const cloth_collider *shape_of(const cloth *c, const moving_body *m) {
  CLOTH_ASSERT(m->index >= 0 && m->index < inputs_of(c)->collider_end);
  return &colliders_of(c)[m->index].body;
}

/* Contacts of a block of particles with one collider, in the collider's axes at the end of the substep. */
typedef struct contact_block {
  lanes3 from, to; /* where the particles' ways lead from and to */
  lanes3 normal;
  lanes push;    /* along the normal [m] */
  lanes touches; /* 1 for those that touch, else 0 */
} contact_block;

/* Spheres, the commonest bodies, where the kernel is. */
CLOTH_INLINE lanes distance_of_block(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  if (UNIFORM_KERNELS && body->shape == CLOTH_SHAPE_SPHERE) {
    return distance_to_sphere(p, lanes_splat(body->radius), normal);
  }
  return distance_to_body(body, p, normal);
}

/* What tells whether particles are near a collider's path. A copy of its own, which compilers can keep in registers. */
typedef struct path_test {
  vector_array from, to;   /* of particles */
  cloth_vector start, end; /* where the collider is */
  float squared_reach;     /* of the sphere around it, or the capsule; a little more */
} path_test;

static path_test path_test_of(const cloth *c, const moving_body *m, float reach) {
  path_test t = {vectors_at(c, c->state.position), predicted_of(c), m->start.position, m->end.position,
                 1.0625f * reach * reach};
  return t;
}

/* Ways of particles in a substep, in a frame that goes with a collider but does not turn. */
CLOTH_INLINE lanes3 relative_displacement(const path_test *t, int32_t i, lanes3 *to) {
  lanes3 a = lanes3_subtract(lanes3_load(t->from, i), lanes3_splat(t->start));
  *to = lanes3_subtract(lanes3_load(t->to, i), lanes3_splat(t->end));
  return lanes3_flush(lanes3_subtract(*to, a));
}

/* With a particle at b after a way w, in the collider's frame, its nearest point is |b| - |w| away or more; and
   (r + w)^2 <= 17/16 r^2 + 17 w^2. */
CLOTH_INLINE lanes_mask is_path_near(const path_test *t, lanes3 b, lanes3 way) {
  lanes bound = lanes_multiply(lanes_splat(17.0f), lanes3_dot(way, way));
  return lanes_less(lanes3_dot(b, b), lanes_add(bound, lanes_splat(t->squared_reach)));
}

/* Which particles are near enough to a collider's path to touch it. */
CLOTH_INLINE lanes_mask near_body(const path_test *t, int32_t i) {
  lanes3 b;
  lanes3 way = relative_displacement(t, i, &b);
  return is_path_near(t, b, way);
}

/* Of those, which are near the capsule around a long body that does not turn, too? Returns 1 if any. */
CLOTH_SEPARATE int cull_by_capsule(const cloth *c, const moving_body *m, int32_t i, lanes_mask *near) {
  const path_test t = path_test_of(c, m, m->axis_reach);
  lanes3 b;
  lanes3 way = relative_displacement(&t, i, &b);
  lanes3 along = lanes3_splat(m->along);
  b = lanes3_flush_below(lanes3_subtract(b, lanes3_splat(m->from)), STATE_QUANTUM);
  lanes place = lanes_flush(lanes_multiply(lanes3_dot(b, along), lanes_splat(m->inverse_squared)));
  b = lanes3_flush(lanes3_subtract(b, lanes3_scale(along, clamped_to_one(place))));
  *near = lanes_both(*near, is_path_near(&t, b, way));
  return lanes_any(*near);
}

CLOTH_INLINE lanes3 to_local_lanes(const moving_body *m, const cloth_pose *pose, lanes3 p) {
  p = lanes3_flush_below(lanes3_subtract(p, lanes3_splat(pose->position)), STATE_QUANTUM);
  if (!m->aligned) {
    p = lanes3_flush_below(lanes3_rotate(rotation_conjugate(pose->rotation), p), STATE_QUANTUM);
  }
  return p;
}

/*
 * Ways whose ends do not tell whether they touch are traced: where does the segment from a point outside first come
 * within the margin? There it touches, with the normal of that place and the depth of its end below the tangent plane.
 * All shapes are convex, so the distance is a convex function of the way: Newton's steps never go too far, and a path
 * that moves away is clear. `normal_before` and `distance` are those of the start, and `under_way` is 1 for lanes
 * to be traced.
 */
CLOTH_SEPARATE void trace_block(const cloth *c, const cloth_collider *body, float margin, contact_block *b,
                                const lanes3 *normal_before, lanes distance, lanes under_way) {
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes3 way = lanes3_subtract(b->to, b->from);
  lanes3 normal = *normal_before;
  lanes t = zero;
  add_varying_work(c, lanes_count(under_way), trace_cost(body));
  b->touches = lanes_drop(lanes_less(zero, under_way), b->touches);
  for (int32_t step = 0;
       step < TRACE_STEPS && (c->settings.capacity.fixed_work || lanes_any(lanes_less(zero, under_way))); step++) {
    lanes closing = lanes_flush(lanes_subtract(zero, lanes3_dot(way, normal)));
    t = lanes_add(t, lanes_divide(distance, lanes_maximum(closing, lanes_splat(WORK_QUANTUM))));
    t = lanes_minimum(t, one);
    under_way = lanes_keep(lanes_both(lanes_less(zero, closing), lanes_less(t, one)), under_way);
    distance = distance_to_body(body, lanes3_add_scaled(b->from, way, t), &normal);
    distance = lanes_subtract(distance, lanes_splat(margin));
    lanes_mask hits = lanes_less(distance, lanes_splat(step == TRACE_STEPS - 1 ? 1.0e30f : TRACE_CLEARANCE));
    hits = lanes_both(hits, lanes_less(zero, under_way));
    lanes depth = lanes_subtract(zero, lanes_multiply(lanes3_dot(way, normal), lanes_subtract(one, t)));
    b->normal = lanes3_select(hits, normal, b->normal);
    b->push = lanes_select(hits, depth, b->push);
    b->touches = lanes_select(lanes_both(hits, lanes_less(zero, depth)), one, b->touches);
    under_way = lanes_drop(hits, under_way);
  }
}

/*
 * Do particles that go from a to b touch the collider? If so, with the contact's normal and the distance to push b
 * along it. A particle at rest lies at the margin to rounding, on either side of it; so whatever is outside the bare
 * surface counts as starting outside. Where a particle has entered through another side than the nearest one, of a thin
 * or sharp body, and where the way between two points outside may have touched, the way is traced. Distances change by
 * no more than the way travelled, so a short one cannot have.
 */
CLOTH_INLINE void find_contacts(const cloth *c, const moving_body *m, int32_t i, lanes_mask near, contact_block *b) {
  const cloth_collider *body = shape_of(c, m);
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes margin = lanes_splat(m->margin);
  lanes3 normal_before;
  b->from = to_local_lanes(m, &m->start, lanes3_load(vectors_at(c, c->state.position), i));
  b->to = to_local_lanes(m, &m->end, lanes3_load(predicted_of(c), i));
  lanes before = lanes_subtract(distance_of_block(body, b->from, &normal_before), margin);
  lanes after = lanes_subtract(distance_of_block(body, b->to, &b->normal), margin);
  lanes3 way = lanes3_subtract(b->to, b->from);
  lanes length = lanes3_length(way);
  lanes_mask inside = lanes_less(after, zero);
  lanes_mask starts_inside = lanes_less(before, lanes_splat(0.0f - maximum(m->margin, TRACE_CONTACT)));
  lanes_mask same_side = lanes_less(zero, lanes3_dot(normal_before, b->normal));
  lanes_mask too_long = lanes_less(lanes_add(lanes_maximum(before, zero), after), length);
  lanes uncertain = lanes_select(inside, lanes_select(same_side, zero, one), lanes_select(too_long, one, zero));
  uncertain = lanes_keep(near, lanes_select(starts_inside, zero, uncertain));
  b->push = lanes_subtract(zero, after);
  b->touches = lanes_keep(near, lanes_select(inside, one, zero));
  /* What starts at the margin, as all that slides does, touches there or not at all: the trace's first step. */
  lanes_mask at_once = lanes_both(lanes_less(zero, uncertain), lanes_less(before, lanes_splat(TRACE_CLEARANCE)));
  lanes depth = lanes_subtract(zero, lanes3_dot(way, normal_before));
  b->normal = lanes3_select(at_once, normal_before, b->normal);
  b->push = lanes_select(at_once, depth, b->push);
  b->touches = lanes_select(at_once, lanes_select(lanes_less(zero, depth), one, zero), b->touches);
  uncertain = lanes_drop(at_once, uncertain);
  if (lanes_any(lanes_less(zero, uncertain)) || c->settings.capacity.fixed_work) {
    trace_block(c, body, m->margin, b, &normal_before, before, uncertain);
  }
}

/* Sums of what the particles do to a collider. */
typedef struct reaction_sums {
  lanes_sum impulse[3];
  lanes_sum torque[3];
  lanes_sum touching;
  lanes_sum sticking;
  lanes_sum near;
} reaction_sums;

/* Lanes that touch nothing may lie beyond the last particle, where anything may stand. */
static void sum_reactions(const cloth *c, const moving_body *m, int32_t i, lanes_mask touches, lanes3 where,
                          lanes3 impulse, reaction_sums *sums) {
  lanes3 arm = lanes3_flush(lanes3_subtract(where, lanes3_splat(shape_of(c, m)->pose.position)));
  arm = lanes3_keep(touches, arm);
  impulse = lanes3_flush_below(impulse, INPUT_QUANTUM);
  lanes3 torque = lanes3_cross(arm, impulse);
  lanes_sum_add(&sums->impulse[0], i, impulse.x);
  lanes_sum_add(&sums->impulse[1], i, impulse.y);
  lanes_sum_add(&sums->impulse[2], i, impulse.z);
  lanes_sum_add(&sums->torque[0], i, torque.x);
  lanes_sum_add(&sums->torque[1], i, torque.y);
  lanes_sum_add(&sums->torque[2], i, torque.z);
}

/*
 * Coulomb's law for displacements relative to the surface in one substep, with the particles pushed out along the
 * normal: what was moving inwards is stopped and no more (a push from a depth that was there before adds no speed), and
 * that stop times the friction coefficient bounds what friction takes from the sliding.
 */
CLOTH_INLINE void respond_to_contacts(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                      const contact_block *b, reaction_sums *sums) {
  const cloth_collider *body = shape_of(c, m);
  vector_array x = predicted_of(c);
  vector_array v = vectors_at(c, c->state.velocity);
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes_mask touches = lanes_less(zero, b->touches);
  /* Nothing moves what does not touch, or lies beyond the last particle and may stand anywhere. */
  lanes3 motion = lanes3_keep(touches, lanes3_subtract(b->to, b->from));
  lanes push = lanes_keep(touches, b->push);
  lanes approach = lanes3_dot(motion, b->normal);
  lanes stop = lanes_minimum(push, lanes_maximum(lanes_subtract(zero, approach), zero));
  lanes3 slip = lanes3_subtract(motion, lanes3_scale(b->normal, approach));
  slip = lanes3_flush_below(slip, STATE_QUANTUM);
  lanes distance = lanes_square_root(lanes3_dot(slip, slip));
  lanes_mask slides = lanes_less(lanes_multiply(lanes_splat(body->static_friction), stop), distance);
  lanes braking = lanes_multiply(lanes_splat(body->kinetic_friction), stop);
  lanes held = lanes_minimum(lanes_divide(braking, lanes_maximum(distance, lanes_splat(STATE_QUANTUM))), one);
  lanes3 friction = lanes3_scale(slip, lanes_subtract(zero, lanes_select(slides, held, one)));
  lanes3 shift = lanes3_keep(touches, lanes3_add_scaled(friction, b->normal, push));
  lanes3 change = lanes3_keep(touches, lanes3_add_scaled(friction, b->normal, stop));
  if (!m->aligned) {
    shift = lanes3_rotate(m->end.rotation, shift);
    change = lanes3_rotate(m->end.rotation, change);
  }
  change = lanes3_scale(change, lanes_splat(plan->inverse_h));
  lanes3 where = lanes3_add(lanes3_load(x, i), shift);
  lanes3_store(x, i, where, c->count - i);
  lanes3_store(v, i, lanes3_add(lanes3_load(v, i), change), c->count - i);
  if (c->state.velocity_history) {
    float *history = history_of(c, 1).x + i;
    lanes kept = lanes_select(touches, lanes_splat(HISTORY_INVALID), lanes_load(history));
    lanes_store_first(history, kept, c->count - i);
  }
  lanes mass = lanes_multiply(lanes_splat(reference_mass(c)), mass_ratio_lanes(c, i));
  sum_reactions(c, m, i, touches, where, lanes3_scale(change, mass), sums);
  lanes_sum_add(&sums->touching, i, b->touches);
  lanes_sum_add(&sums->sticking, i, lanes_select(slides, zero, b->touches));
}

static void store_reactions(const cloth *c, const moving_body *m, const reaction_sums *sums, cloth_statistics *counts) {
  cloth_reaction *reaction = &reactions_of(c)[m->index];
  const lanes_sum *s = sums->impulse;
  cloth_vector impulse = vector(lanes_sum_total(&s[0]), lanes_sum_total(&s[1]), lanes_sum_total(&s[2]));
  s = sums->torque;
  cloth_vector torque = vector(lanes_sum_total(&s[0]), lanes_sum_total(&s[1]), lanes_sum_total(&s[2]));
  reaction->impulse = vector_subtract(reaction->impulse, impulse);
  reaction->torque = vector_subtract(reaction->torque, torque);
  counts->contacts += (int32_t)lanes_sum_total(&sums->touching);
  counts->contacts_sticking += (int32_t)lanes_sum_total(&sums->sticking);
  add_varying_work(c, (uint32_t)lanes_sum_total(&sums->near), near_cost(shape_of(c, m)));
  add_varying_work(c, (uint32_t)lanes_sum_total(&sums->touching), COST_RESPOND);
}

/* Contacts of those particles of a block that are near a collider. */
CLOTH_HOT CLOTH_SEPARATE void collide_block(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                            const lanes_mask *near, reaction_sums *sums) {
  contact_block b;
  lanes_sum_add(&sums->near, i, lanes_keep(*near, lanes_splat(1.0f)));
  find_contacts(c, m, i, *near, &b);
  if (lanes_any(lanes_less(lanes_splat(0.0f), b.touches)) || c->settings.capacity.fixed_work) {
    respond_to_contacts(c, plan, m, i, &b, sums);
  }
}

/* Most blocks are far away. */
CLOTH_HOT CLOTH_SEPARATE void collide_body(const cloth *c, const step_plan *plan, const moving_body *m,
                                           cloth_statistics *counts) {
  const float *mobility = floats_at(c, c->scratch.mobility);
  const path_test test = path_test_of(c, m, m->reach);
  const int32_t count = c->count, fixed_work = c->settings.capacity.fixed_work;
  const int has_axis = m->inverse_squared > 0.0f;
  reaction_sums sums;
  fill_zero(&sums, sizeof sums);
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes_mask near = lanes_both(near_body(&test, i), lanes_less(lanes_splat(0.0f), lanes_load(mobility + i)));
    if (count - i < CLOTH_LANES) {
      near = lanes_both(near, lanes_first(count - i));
    }
    if (!lanes_any(near) && !fixed_work) {
      continue;
    }
    if (!has_axis || cull_by_capsule(c, m, i, &near) || fixed_work) {
      collide_block(c, plan, m, i, &near, &sums);
    }
  }
  store_reactions(c, m, &sums, counts);
}

/* Takes every particle out of every collider, in the order of the colliders. */
CLOTH_SEPARATE void project_contacts(const cloth *c, const step_plan *plan, int32_t substep, cloth_statistics *counts) {
  int32_t end = inputs_of(c)->collider_end;
  for (int32_t index = 0; index < end; index++) {
    if (colliders_of(c)[index].used) {
      collide_body(c, plan, body_in_substep(c, plan, index, substep), counts);
    }
  }
}
