#pragma once
#include "access.h"
#include "bearing_solve.h"
#include "bodies.h"
#include "bounds.h"
#include "compiler.h"
#include "concave_contact.h"
#include "contact_momentum.h"
#include "contact_push.h"
#include "contact_record.h"
#include "contact_response.h"
#include "contact_sums.h"
#include "costs.h"
#include "geometry.h"
#include "lanes.h"
#include "pieces.h"
#include "rigid.h"
#include "scalar.h"
#include "shapes.h"
#include "step_origin.h"
#include "types.h"

/// Contact by projection ///

/*
 * After the lengths of the springs are restored, particles that touch a collider are moved out of it along its normal,
 * with Coulomb friction on displacements. Contact is continuous: a particle that passes a collider's surface within
 * the substep is found by tracing its path, however thin the collider is.
 *
 * In: positions at the start of the substep (state), predicted positions, mobilities, colliders and the plan. Out:
 * predicted positions, velocities, the velocity history of particles in contact, reactions, statistics. Scratch:
 * workspace.body holds the collider being worked on; predicted positions are scratch.product.
 */

/* Factor of the radii of a collider's sphere and capsule. With 1 rounding could put a particle at the margin outside of
   them, and its contact would be missed. */
#define REACH_SLACK 1.0001f
/* Squared length of an axis [m^2] below which it is not used, as its inverse would be too large. find_shape_fault()
   admits colliders with axes of 2 mm and more. */
#define AXIS_MIN_SQUARED 1.0e-6f

/* Added to the squared sine of half the angle between two rotations, which roundings of the rotations may put too low
   by some 1e-7. */
#define TURN_SLACK 1.0e-6f
/* Longest chord of a turn with which the capsule is used. set_reach() needs 1 or less; beyond a half the capsule leaves
   out little that the sphere holds. */
#define MAX_TURN_CHORD 0.5f

/* Farthest that a point at a distance of 1 from a collider's position moves as the collider rotates in a substep, or a
   little more: 2 sin(angle / 2). */
static float turn_chord(const moving_body *m) {
  const cloth_rotation a = m->start.rotation, b = m->end.rotation;
  float cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  return 2.0f * square_root(maximum(1.0f - cosine * cosine, 0.0f) + TURN_SLACK);
}

/*
 * Sets the sphere and, for a long collider, the capsule that hold the collider and the margin.
 *
 * The capsule lies where the collider is at the end of the substep. If the collider rotates, let s be the chord of its
 * turn, r the reach of the sphere, and w the displacement of a particle, seen from the collider's position. Contact
 * follows the particle in the collider's axes. Its displacement w' there differs from w by the turn of the place where
 * it starts. If it touches after a share t of w', that place is at most r + t |w'| away, so |w'| is at most |w| + s (r
 * + t |w'|). From where it touches to its end it moves by (1 - t) |w'|, which is at most |w| + s r if s is 1 or less.
 * So a radius larger by s r holds all that can touch.
 */
static void set_reach(const cloth_collider *body, const cloth_geometry *g, moving_body *m) {
  m->reach = (body_reach(body, g) + m->margin) * REACH_SLACK;
  m->inverse_squared = 0.0f;
  if (body->shape == CLOTH_SHAPE_PLANE || body->shape == CLOTH_SHAPE_SPHERE || is_concave(body)) {
    return;
  }
  m->axis_reach = (capsule_around(body, g, m->end.rotation, &m->from, &m->along) + m->margin) * REACH_SLACK;
  if (m->turns) {
    float chord = turn_chord(m);
    m->axis_reach += chord * m->reach;
    if (chord > MAX_TURN_CHORD) {
      return;
    }
  }
  float squared = vector_dot(m->along, m->along);
  m->inverse_squared = squared > AXIS_MIN_SQUARED ? 1.0f / squared : 0.0f;
}

/* Share of the thickness that projection keeps where the solver holds contacts. The solver takes back nine tenths of a
   penetration per substep, so that the contacts it holds stay a little below the whole thickness; projection only
   catches particles that the solver missed. With 1 projection moves out what the solver holds, and its friction stops
   sheets that have to slide (row A12 of `make accuracy` then fails). */
#define SOLVER_CONTACT_MARGIN 0.5f

/* Does the solver hold particles on a collider? Not on concave shapes and shared bodies, which projection keeps the
   whole thickness from. */
static int is_held_by_solver(const cloth *c, int32_t index) {
  return has_solver_contacts(c) && index < c->settings.capacity.max_colliders && !is_concave(&slot_at(c, index)->body);
}

/* Smallest margin of a mesh [m]: with less, rounding would tell on which side of a triangle a particle is. */
#define MESH_MIN_MARGIN 5.0e-4f

/* The motion of a collider in a substep. The result stays valid, in the workspace, until the next call for another
   collider or substep. */
CLOTH_SEPARATE const moving_body *body_in_substep(const cloth *c, const step_plan *plan, int32_t index,
                                                  int32_t substep) {
  const collider_slot *slot = slot_at(c, index);
  moving_body *m = &workspace_of(c)->body;
  if (m->index == index && m->substep == substep) {
    return m;
  }
  m->body = body_number(c, index);
  m->drift = m->rotated = vector(0.0f, 0.0f, 0.0f);
  m->start = collider_pose(c, plan, index, substep);
  m->end = collider_pose(c, plan, index, substep + 1);
  cloth_rotation before = m->start.rotation;
  cloth_rotation after = m->end.rotation;
  m->turns = before.x != after.x || before.y != after.y || before.z != after.z || before.w != after.w;
  m->aligned = slot->body.shape == CLOTH_SHAPE_SPHERE && !m->turns && m->body < 0;
  if (m->aligned) {
    const cloth_rotation none = {0.0f, 0.0f, 0.0f, 1.0f};
    m->start.rotation = m->end.rotation = none;
  }
  m->margin = c->settings.contact.thickness * (is_held_by_solver(c, index) ? SOLVER_CONTACT_MARGIN : 1.0f);
  m->margin = slot->body.shape == CLOTH_SHAPE_MESH ? maximum(m->margin, MESH_MIN_MARGIN) : m->margin;
  m->mesh = slot->body.shape == CLOTH_SHAPE_MESH ? count_meshes(c, index) : 0;
  set_reach(&slot->body, geometry_of(c, &slot->body), m);
  m->slot = (uint32_t)((const char *)(const void *)slot - (const char *)(const void *)c);
  m->pivot = place_in_step(c, slot->body.pose.position);
  m->index = index;
  m->substep = substep;
  return m;
}

/* distance_to_body(), with the code for spheres, the most common colliders, in place. */
CLOTH_INLINE lanes distance_of_block(const cloth_collider *body, const cloth_geometry *g, lanes3 p, lanes3 *normal) {
  if (UNIFORM_KERNELS && body->shape == CLOTH_SHAPE_SPHERE) {
    return distance_to_sphere(p, lanes_splat(body->radius), normal);
  }
  return distance_to_body(body, g, p, normal);
}

/*
 * Cull test. In a frame that moves with the collider without rotating, a particle that ends at b after a displacement w
 * comes no nearer to the collider's position, or to its axis, than |b| - |w|. It can touch only if that is less than
 * the reach r, so if |b|^2 < (r + |w|)^2. For any e > 0, (r + w)^2 <= (1 + e) r^2 + (1 + 1/e) w^2, which needs no
 * square root. With e = 1/16 slow particles, for which w is small, are tested closely.
 */
#define CULL_REACH_FACTOR 1.0625f
#define CULL_DISPLACEMENT_FACTOR 17.0f

/* Loop invariants of the cull test, copied to a local: a lane store may alias the cloth, so the compiler would
   otherwise reload them every iteration. */
typedef struct path_test {
  vector_array from, to;   /* positions of the particles when the substep starts and ends */
  cloth_vector start, end; /* positions of the collider */
  float squared_reach;     /* (1 + e) r^2 */
} path_test;

/* Above every mobility. */
#define NOTHING_MOVES 1.0e30f

static path_test path_test_of(const cloth *c, const moving_body *m, float reach) {
  path_test t = {vectors_at(c, c->state.position), predicted_of(c), m->start.position, m->end.position,
                 CULL_REACH_FACTOR * reach * reach};
  return t;
}

/* Displacements of particles in a substep, in the frame of the cull test; *to are the positions there at the end. */
CLOTH_INLINE lanes3 relative_displacement(const path_test *t, int32_t i, lanes3 *to) {
  lanes3 a = lanes3_subtract(lanes3_load(t->from, i), lanes3_splat(t->start));
  *to = lanes3_subtract(lanes3_load(t->to, i), lanes3_splat(t->end));
  return lanes3_flush(lanes3_subtract(*to, a));
}

/* The cull test for particles that end at b, relative to the nearest point of the collider's position or axis. */
CLOTH_INLINE lanes_mask is_path_near(const path_test *t, lanes3 b, lanes3 displacement) {
  lanes bound = lanes_multiply(lanes_splat(CULL_DISPLACEMENT_FACTOR), lanes3_dot(displacement, displacement));
  return lanes_less(lanes3_dot(b, b), lanes_add(bound, lanes_splat(t->squared_reach)));
}

/*
 * The cull test for all particles of a block of bounds at once: may one of them pass near_body()? With d the
 * displacement of a particle and e that of the collider, |w|^2 is at most 2 (|d|^2 + |e|^2). The factors are a little
 * larger than 34 and 1 + e, so that the test passes whatever near_body() passes, with all roundings: particles are
 * tested or not, but the result is the same.
 */
#define BLOCK_DISPLACEMENT_FACTOR 35.0f
#define BLOCK_REACH_FACTOR 1.0001f

CLOTH_INLINE lanes_mask are_blocks_near(const cloth *c, int32_t block, const path_test *t, float squared_shift) {
  lanes moved = lanes_subtract(lanes_splat(squared_shift), lanes_load(bounds_of(c, BOUND_DISPLACEMENT) + block));
  lanes bound = lanes_multiply(lanes_splat(BLOCK_DISPLACEMENT_FACTOR), moved);
  bound = lanes_add(bound, lanes_splat(BLOCK_REACH_FACTOR * t->squared_reach));
  return lanes_less(squared_distance_to_blocks(c, block, t->end), bound);
}

/* Which particles of a block pass the cull test with the sphere around a collider. */
CLOTH_INLINE lanes_mask near_body(const path_test *t, int32_t i) {
  lanes3 b;
  lanes3 displacement = relative_displacement(t, i, &b);
  return is_path_near(t, b, displacement);
}

/* Removes from *near the particles that fail the cull test with the capsule around a long
   collider. Returns 1 if any are left. */
CLOTH_SEPARATE int cull_by_capsule(const cloth *c, const moving_body *m, int32_t i, lanes_mask *near) {
  const path_test t = path_test_of(c, m, m->axis_reach);
  lanes3 b;
  lanes3 displacement = relative_displacement(&t, i, &b);
  lanes3 along = lanes3_splat(m->along);
  b = lanes3_flush_below(lanes3_subtract(b, lanes3_splat(m->from)), STATE_QUANTUM);
  lanes share = lanes_flush(lanes_multiply(lanes3_dot(b, along), lanes_splat(m->inverse_squared)));
  b = lanes3_flush(lanes3_subtract(b, lanes3_scale(along, clamped_to_one(share))));
  *near = lanes_both(*near, is_path_near(&t, b, displacement));
  return lanes_any(*near);
}

/* Above every distance: after the last step of a trace every path that is left counts as a hit. */
#define TRACE_ANY_CLEARANCE 1.0e30f

/*
 * Traces the paths of the lanes where `under_way` is 1, straight from b->from to b->to: where does a path that starts
 * outside first come within the margin? There it touches, with the normal at that point, and its penetration is the
 * depth of its end below the tangent plane there. All shapes are convex, so the distance is a convex function of the
 * share t of the path, and Newton's steps never pass the first root. A path that moves away from the surface or ends
 * before the root is clear. `normal_before` and `distance` are those of the start, the distance above the margin.
 */
CLOTH_SEPARATE void trace_block(const cloth *c, const cloth_collider *body, float margin, contact_block *b,
                                const lanes3 *normal_before, lanes distance, lanes under_way) {
  const cloth_geometry *g = geometry_of(c, body);
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes3 displacement = lanes3_subtract(b->to, b->from);
  lanes3 normal = *normal_before;
  lanes t = zero;
  b->tally->work += lanes_count(under_way) * trace_cost(body);
  b->touches = lanes_drop(lanes_less(zero, under_way), b->touches);
  for (int32_t step = 0;
       step < TRACE_STEPS && (c->settings.capacity.fixed_work || lanes_any(lanes_less(zero, under_way))); step++) {
    lanes closing = lanes_flush(lanes_negate(lanes3_dot(displacement, normal)));
    t = lanes_add(t, lanes_divide(distance, lanes_maximum(closing, lanes_splat(WORK_QUANTUM))));
    t = lanes_minimum(t, one);
    under_way = lanes_keep(lanes_both(lanes_less(zero, closing), lanes_less(t, one)), under_way);
    distance = distance_to_body(body, g, lanes3_add_scaled(b->from, displacement, t), &normal);
    distance = lanes_subtract(distance, lanes_splat(margin));
    float clearance = step == TRACE_STEPS - 1 ? TRACE_ANY_CLEARANCE : TRACE_CLEARANCE;
    lanes_mask hits = lanes_both(lanes_less(distance, lanes_splat(clearance)), lanes_less(zero, under_way));
    lanes depth = lanes_negate(lanes_multiply(lanes3_dot(displacement, normal), lanes_subtract(one, t)));
    b->normal = lanes3_select(hits, normal, b->normal);
    b->penetration = lanes_select(hits, depth, b->penetration);
    b->touches = lanes_select(lanes_both(hits, lanes_less(zero, depth)), one, b->touches);
    under_way = lanes_drop(hits, under_way);
  }
}

/* Sets where the paths of a block of particles begin and end. */
CLOTH_INLINE void load_paths(const cloth *c, const moving_body *m, int32_t i, contact_block *b) {
  b->from = to_local_lanes(m, &m->start, lanes3_load(vectors_at(c, c->state.position), i));
  b->push = pushes_of_block(c, i);
  b->to = to_local_lanes(m, &m->end, lanes3_add(lanes3_load(predicted_of(c), i), b->push));
  if (!m->aligned) {
    b->push = lanes3_rotate(rotation_conjugate(m->end.rotation), b->push);
  }
}

#if WITH_CONCAVE

/* find_contacts() for concave shapes and the particles *near, which become those that need another pass, see
   concave_contact.h. */
CLOTH_SEPARATE void find_concave_contacts(const cloth *c, const moving_body *m, int32_t i, lanes_mask *near,
                                          int32_t pass, contact_block *b) {
  lane_paths paths;
  load_paths(c, m, i, b);
  store_lanes3(paths.from, b->from);
  store_lanes3(paths.to, b->to);
  lanes_store(paths.push, lanes3_length(b->push));
  lanes_store(paths.near, lanes_keep(*near, lanes_splat(1.0f)));
  search_lanes(c, m, geometry_of(c, shape_of(c, m)), i, pass, &paths, b->looked_at);
  b->tally->overflows += paths.overflows;
  b->tally->work += paths.work;
  const lanes zero = lanes_splat(0.0f), penetration = lanes_load(paths.penetration);
  b->normal = load_lanes3(paths.normal);
  const lanes outward = lanes_subtract(lanes3_dot(b->push, b->normal), lanes_load(paths.push));
  b->penetration = lanes_add(penetration, outward);
  const lanes_mask touches = lanes_both(lanes_less(zero, penetration), lanes_less(zero, b->penetration));
  b->touches = lanes_keep(touches, lanes_splat(1.0f));
  *near = lanes_both(touches, lanes_less(zero, lanes_load(paths.again)));
}

#endif

#if WITH_BEARING

/* Particles that bear a body and do not touch it otherwise touch it for the sake of friction. */
CLOTH_SEPARATE void touch_borne(const cloth *c, const moving_body *m, int32_t i, const lanes_mask *near,
                                contact_block *b) {
  if (!is_bearing(c, BEARS_COUNTS)) {
    return;
  }
  const float slack = 2.0f * bearing_slack(c, &workspace_of(c)->plan);
  const lanes zero = lanes_splat(0.0f), code = lanes_load(bearing_plane(c, BEARING_CODE) + i);
  const lanes other = lanes_subtract(lanes_maximum(code, lanes_negate(code)), lanes_splat((float)(m->body + 1)));
  const lanes_mask is_own = lanes_less(lanes_multiply(other, other), lanes_splat(0.25f));
  const lanes borne = lanes_keep(is_own, lanes_load(bearing_plane(c, BEARING_ALONG) + i));
  const lanes_mask bears = lanes_both(*near, lanes_less(zero, borne));
  const lanes_mask is_close = lanes_both(bears, lanes_less(lanes_splat(negate(slack)), b->penetration));
  b->touches = lanes_select(is_close, lanes_splat(1.0f), b->touches);
}

#endif

/*
 * Finds which of the particles `near` touch the collider in this substep, with the contact's normal and penetration.
 * `before` and `after` are the distances above the margin when the substep starts and ends.
 *
 * A particle that ends inside the margin touches; if the normals at start and end point to opposite sides it has passed
 * through a thin or sharp collider, and is traced. A particle that starts and ends outside is traced if its
 * displacement is longer than both distances together; a shorter one cannot touch, as the distance changes by no more
 * than the displacement. A particle at rest lies at the margin but for rounding, on either side of it; so every
 * particle outside the bare surface counts as starting outside.
 *
 * A path that starts at the margin, as that of every particle that slides does, touches there or not at all. That is
 * the first step of a trace, which is done here.
 */
CLOTH_INLINE void find_contacts(const cloth *c, const moving_body *m, int32_t i, lanes_mask near, contact_block *b) {
  const cloth_collider *body = shape_of(c, m);
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes margin = lanes_splat(m->margin);
  const cloth_geometry *g = geometry_of(c, body);
  lanes3 normal_before;
  load_paths(c, m, i, b);
  lanes before = lanes_subtract(distance_of_block(body, g, b->from, &normal_before), margin);
  lanes after = lanes_subtract(distance_of_block(body, g, b->to, &b->normal), margin);
  after = lanes_subtract(after, lanes3_dot(b->push, b->normal));
  lanes3 displacement = lanes3_subtract(b->to, b->from);
  lanes length = lanes3_length(displacement);
  lanes_mask inside = lanes_less(after, zero);
  lanes_mask starts_inside = lanes_less(before, lanes_splat(negate(maximum(m->margin, TRACE_CONTACT))));
  lanes_mask same_side = lanes_less(zero, lanes3_dot(normal_before, b->normal));
  lanes_mask too_long = lanes_less(lanes_add(lanes_maximum(before, zero), after), length);
  /* 1 where only the path tells whether the particle touches, else 0. */
  lanes uncertain = lanes_select(inside, lanes_select(same_side, zero, one), lanes_select(too_long, one, zero));
  uncertain = lanes_keep(near, lanes_select(starts_inside, zero, uncertain));
  b->penetration = lanes_negate(after);
  b->touches = lanes_keep(near, lanes_select(inside, one, zero));
  lanes_mask at_margin = lanes_both(lanes_less(zero, uncertain), lanes_less(before, lanes_splat(TRACE_CLEARANCE)));
  lanes depth = lanes3_dot(lanes3_subtract(b->push, displacement), normal_before);
  b->normal = lanes3_select(at_margin, normal_before, b->normal);
  b->penetration = lanes_select(at_margin, depth, b->penetration);
  b->touches = lanes_select(at_margin, lanes_select(lanes_less(zero, depth), one, zero), b->touches);
  uncertain = lanes_drop(at_margin, uncertain);
  if (lanes_any(lanes_less(zero, uncertain)) || c->settings.capacity.fixed_work) {
    trace_block(c, body, m->margin, b, &normal_before, before, uncertain);
  }
#if WITH_BEARING
  if (m->body >= 0) {
    touch_borne(c, m, i, &near, b);
  }
#endif
}

/* What contact has done to a block of particles, in world axes. */
typedef struct moved_particles {
  lanes3 position, normal;
  lanes3 impulse; /* that they have received; 0 for those that do not touch [N s] */
  lanes_mask touches;
} moved_particles;

/* Moves the particles of a block by a response, and changes their velocities. */
CLOTH_INLINE moved_particles move_particles(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                            const contact_block *b, const contact_response *r) {
  vector_array x = predicted_of(c);
  moved_particles moved;
  moved.touches = lanes_less(lanes_splat(0.0f), r->touches);
  contact_change done = {.displacement = lanes3_keep(moved.touches, r->change),
                         .normal = lanes3_keep(moved.touches, b->normal),
                         .sliding = lanes3_keep(moved.touches, r->sliding),
                         .touches = moved.touches,
                         .slides = r->slides};
  lanes3 correction = lanes3_keep(moved.touches, r->correction);
  if (!m->aligned) {
    correction = lanes3_rotate(m->end.rotation, correction);
    done.displacement = lanes3_rotate(m->end.rotation, done.displacement);
    done.normal = lanes3_rotate(m->end.rotation, done.normal);
    done.sliding = lanes3_rotate(m->end.rotation, done.sliding);
  }
  moved.normal = done.normal;
  moved.position = lanes3_add(lanes3_load(x, i), correction);
  lanes3_store(x, i, moved.position, c->count - i);
  const lanes_mask again = touches_again(c, i, b);
  lanes3 received = change_velocities(c, plan, i, &done);
  /* A body with mass gets its share of what contact changes before, and would get nothing of this. */
  if (m->body < 0 && (lanes_any(again) || c->settings.capacity.fixed_work)) {
    received = lanes3_add(received, stop_jammed(c, plan, i, &again, &moved.position));
  }
  /* Pushes lag behind what contact does: a body that rolls or swings would gain energy by them. */
  const lanes3 kept = m->body < 0 ? done.displacement : lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  keep_pushes(c, plan, moved.touches, r->slides, kept, i);
#if WITH_CONTACT_LINES || WITH_CELL_CONTACT
  b->tally->tears |= is_tearing(c, done.displacement);
#endif
#if WITH_CONTACT_LINES
  if (solves_contact_lines(c, plan)) {
    keep_contacts(c, m->index, moved.touches, done.normal, r->slides, i);
  }
#endif
  const lanes mass = lanes_multiply(lanes_splat(reference_mass(c)), mass_ratio_lanes(c, i));
  moved.impulse = lanes3_scale(received, mass);
  return moved;
}

/* Moves the particles of a block that touch a collider, changes their velocities, and adds up what the collider
   receives. */
CLOTH_INLINE void respond_to_contacts(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                      const contact_block *b, reaction_sums *sums) {
  const lanes_mask touches = lanes_less(lanes_splat(0.0f), b->touches);
  /* Zero for lanes without contact and for lanes past the last particle, whose contents are undefined. */
  const lanes3 velocity = lanes3_load(vectors_at(c, c->state.velocity), i);
  const lanes3 displacement = lanes3_keep(touches, displacements_of(c, plan, m, i, velocity, b));
  contact_response r = response_of(c, plan, m, i, b, displacement);
#if WITH_BODIES
  if (m->body >= 0) {
    contact_response shared = r;
    share_contacts(c, plan, i, b, displacement, &shared);
    r = shared;
  }
#endif
  const moved_particles moved = move_particles(c, plan, m, i, b, &r);
  sum_reactions(m, i, moved.touches, moved.position, moved.impulse, sums);
  count_contacts(sums, i, c->count - i, r.touches, r.slides);
#if WITH_CONTACT_RECORD
  if (has_contact_record(c)) {
    const lanes3 made[3] = {moved.position, moved.normal, moved.impulse};
    record_contacts(c, m, i, r.touches, made);
  }
#endif
}

/* Contacts of the particles *near of a block with a collider. Returns 1 if it touches some. Concave shapes take several
   passes where surfaces meet. */
CLOTH_HOT CLOTH_SEPARATE int collide_block(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                           const lanes_mask *near, reaction_sums *sums) {
  contact_block b;
  b.tally = &sums->tally;
  lanes_sum_add(&sums->near, i, lanes_keep(*near, lanes_splat(1.0f)));
#if WITH_CONCAVE
  const int concave = is_concave(shape_of(c, m));
  lanes_mask left = *near;
  if (concave) {
    fill_zero(b.looked_at, sizeof b.looked_at);
  }
  for (int32_t pass = m->guards ? CONTACT_PASSES - 1 : 0;; pass++) {
    if (concave) {
      find_concave_contacts(c, m, i, &left, pass, &b);
    } else {
      find_contacts(c, m, i, *near, &b);
    }
    if (!lanes_any(lanes_less(lanes_splat(0.0f), b.touches)) && !c->settings.capacity.fixed_work) {
      return pass > (m->guards ? CONTACT_PASSES - 1 : 0);
    }
    respond_to_contacts(c, plan, m, i, &b, sums);
    if (!concave || !lanes_any(left)) {
      return 1;
    }
    sums->tally.work += lanes_count(b.touches) * COST_CONCAVE;
  }
#else
  find_contacts(c, m, i, *near, &b);
  if (lanes_any(lanes_less(lanes_splat(0.0f), b.touches)) || c->settings.capacity.fixed_work) {
    respond_to_contacts(c, plan, m, i, &b, sums);
    return 1;
  }
  return 0;
#endif
}

/* Contacts of the particles from `first` to `end` - 1 that can move with a collider. Lanes in which no particle passes
   the cull tests are skipped, which are most; in fixed-work mode none are. Returns 1 if the collider touches some. */
CLOTH_INLINE int collide_run(const cloth *c, const step_plan *plan, const moving_body *m, const path_test *test,
                             int32_t first, int32_t end, reaction_sums *sums) {
  const float *mobility = floats_at(c, c->scratch.mobility);
  const int32_t fixed_work = c->settings.capacity.fixed_work;
  const int has_axis = m->inverse_squared > 0.0f;
  const lanes least = lanes_splat(workspace_of(c)->skips_contact ? NOTHING_MOVES : 0.0f);
  int touched = 0;
  for (int32_t i = first; i < end; i += CLOTH_LANES) {
    lanes_mask near = lanes_both(near_body(test, i), lanes_less(least, lanes_load(mobility + i)));
    if (end - i < CLOTH_LANES) {
      near = lanes_both(near, lanes_first(end - i));
    }
    if (!lanes_any(near) && !fixed_work) {
      continue;
    }
    if (!has_axis || cull_by_capsule(c, m, i, &near) || fixed_work) {
      touched |= collide_block(c, plan, m, i, &near, sums);
    }
  }
  return touched;
}

/* Contacts of the particles from `first` to `end` - 1 with a collider, without bounds. */
CLOTH_HOT CLOTH_SEPARATE void collide_body(const cloth *c, const step_plan *plan, const moving_body *m, int32_t first,
                                           int32_t end, reaction_sums *sums) {
  const path_test test = path_test_of(c, m, m->reach);
  collide_run(c, plan, m, &test, first, end, sums);
  sums->tally.work += (uint32_t)(end - first) * COST_NEAR;
}

/* The same with bounds, those of the blocks that a collider touches dropped. `first` begins a block of lanes of bounds.
 */
CLOTH_HOT CLOTH_SEPARATE void collide_blocks(const cloth *c, const step_plan *plan, const moving_body *m, int32_t first,
                                             int32_t end, reaction_sums *sums) {
  const path_test test = path_test_of(c, m, m->reach);
  const int32_t blocks = (end + BOUND_BLOCK - 1) / BOUND_BLOCK;
  cloth_vector shift = vector_flush_work(vector_subtract(m->end.position, m->start.position));
  float squared_shift = vector_dot(shift, shift);
  uint32_t tested = 0;
  for (int32_t start = first / BOUND_BLOCK; start < blocks; start += CLOTH_LANES) {
    float near[CLOTH_LANES];
    lanes_mask mask = are_blocks_near(c, start, &test, squared_shift);
    if (!lanes_any(mask)) {
      continue;
    }
    lanes_store(near, lanes_keep(mask, lanes_splat(1.0f)));
    for (int32_t block = start; block < start + CLOTH_LANES && block < blocks; block++) {
      const int32_t from = block * BOUND_BLOCK;
      const int32_t to = end - from < BOUND_BLOCK ? end : from + BOUND_BLOCK;
      if (near[block - start] > 0.0f) {
        tested += (uint32_t)(to - from);
        if (collide_run(c, plan, m, &test, from, to, sums)) {
          drop_bounds(c, block);
        }
      }
    }
  }
  sums->tally.work += tested * COST_NEAR;
}

/* A pass of contact of the particles with a collider. */
typedef struct contact_pass {
  const moving_body *m;
  int bounded; /* 1: with bounds */
  float *marks;
} contact_pass;

static void collide_range(const cloth *c, const step_plan *plan, const contact_pass *pass, int32_t first, int32_t end,
                          reaction_sums *sums) {
  if (pass->bounded) {
    collide_blocks(c, plan, pass->m, first, end, sums);
  } else {
    collide_body(c, plan, pass->m, first, end, sums);
  }
}

#if WITH_WORKERS

/* Parts of a pass that p->what points to. */
static void collide_parts(const cloth *c, const step_plan *plan, stage_piece *p) {
  const contact_pass *pass = (const contact_pass *)p->what;
  for (int32_t part = p->first; part < p->end; part++) {
    const int32_t first = part * CONTACT_PART, end = first + CONTACT_PART;
    reaction_sums *sums = &sums_of_parts(c)[part];
    *sums = empty_sums(pass->marks);
    collide_range(c, plan, pass, first, end < c->count ? end : c->count, sums);
  }
}

/* Contacts of all particles with a collider, in parts. */
CLOTH_SEPARATE void collide_in_parts(const cloth *c, const step_plan *plan, const contact_pass *pass,
                                     cloth_statistics *counts) {
  reaction_sums sums = empty_sums(NULL);
  run_pieces(c, plan, collide_parts, pass, contact_parts(c), 1);
  for (int32_t part = 0; part < contact_parts(c); part++) {
    join_sums(&sums, &sums_of_parts(c)[part]);
  }
  store_reactions(c, pass->m, &sums, counts);
}

#endif

/* Contacts of all particles with a collider. */
static void collide_with(const cloth *c, const step_plan *plan, const contact_pass *pass, cloth_statistics *counts) {
#if WITH_WORKERS
  if (c->pieces && contact_parts(c) > 1 && pass->m->body < 0 && !has_contact_record(c)) {
    collide_in_parts(c, plan, pass, counts);
    return;
  }
#endif
  reaction_sums sums = empty_sums(pass->marks);
  collide_range(c, plan, pass, 0, c->count, &sums);
  store_reactions(c, pass->m, &sums, counts);
}

/*
 * Moves every particle out of every collider: first of all but meshes, then of meshes, each in the order of the
 * colliders. A particle that is inside of another shape is found there in the next substep as well; of one behind a
 * mesh nothing tells that it does not belong there. So meshes come last, and where there are several, a further round
 * brings particles back that one of them has moved through another.
 */
CLOTH_SEPARATE void project_contacts(const cloth *c, const step_plan *plan, int32_t substep, cloth_statistics *counts) {
  const int32_t end = collider_end(c), bounded = uses_bounds(c, count_bodies(c));
  float *marks = substep == plan->substeps - 1 ? start_contact_marks(c) : NULL;
  const int32_t meshes = WITH_MESH ? count_meshes(c, end) : 0, rounds = meshes < 2 ? 1 + meshes : 3;
  if (bounded) {
    find_bounds(c);
  }
  for (int32_t round = 0; round < rounds; round++) {
    for (int32_t index = 0; index < end; index++) {
      if (is_collider(c, index) && (slot_at(c, index)->body.shape == CLOTH_SHAPE_MESH) == (round > 0)) {
        const moving_body *m = body_in_substep(c, plan, index, substep);
        workspace_of(c)->body.guards = round == 2;
        const contact_pass pass = {m, bounded, marks};
        collide_with(c, plan, &pass, counts);
      }
    }
  }
}
