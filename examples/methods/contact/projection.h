#pragma once
#include "colliders.h"

/// Out of colliders ///

/*
 * Contact after the solve: particles that touch a collider are moved out of it along its normal, with Coulomb friction
 * on displacements. Contact is continuous: a particle that passes a collider's surface within the substep is found by
 * tracing its path, however thin the collider is. One particle after the other, so that the lanes do not matter.
 */

/* Newton's steps of a trace, and the distance from the margin below which it has arrived [m]. */
#define TRACE_STEPS 4
#define TRACE_CLEARANCE 1.0e-5f
/* Share of its way in a substep over that by its velocity below which a particle is jammed between colliders [1]. */
#define JAMMED 0.5f

/* A particle's way past a collider, in the collider's axes, and where it touches. */
typedef struct method_way {
  cloth_vector from, to, normal;
  float penetration; /* depth of `to` below the margin, along the normal [m] */
} method_way;

/*
 * Traces a way that starts outside: where does it first come within the margin? There it touches, with the normal at
 * that point, and its penetration is the depth of its end below the tangent plane there. All shapes are convex, so the
 * distance is a convex function of the share t of the way, and Newton's steps never pass the first root. `normal` and
 * `distance` are those of the start, the distance above the margin. Returns 1 if the way touches.
 */
static int trace_way(const method_body *b, method_way *p, cloth_vector normal, float distance) {
  const cloth_vector way = vector_flush_work(vector_subtract(p->to, p->from));
  float t = 0.0f;
  for (int32_t step = 0; step < TRACE_STEPS; step++) {
    const float closing = negate(flush_small(vector_dot(way, normal), WORK_QUANTUM));
    t = minimum(t + distance / maximum(closing, WORK_QUANTUM), 1.0f);
    if (!(closing > 0.0f) || !(t < 1.0f)) { return 0; }
    distance = local_distance(b, vector_add_scaled(p->from, way, t), &normal) - b->margin;
    if (distance < TRACE_CLEARANCE || step == TRACE_STEPS - 1) {
      p->normal = normal;
      p->penetration = negate(flush_small(vector_dot(way, normal), WORK_QUANTUM) * (1.0f - t));
      return p->penetration > 0.0f;
    }
  }
  return 0;
}

/*
 * Does a particle touch the collider in this substep? One that ends inside the margin does; if the normals at start and
 * end point to opposite sides it has passed through a thin or sharp collider, and is traced. One that starts and ends
 * outside is traced if its way is longer than both distances together; a shorter one cannot touch, as the distance
 * changes by no more than the way. A particle at rest lies at the margin but for rounding, on either side of it; so
 * every particle outside the bare surface counts as starting outside, and a way that starts at the margin touches there
 * or not at all.
 */
static int does_touch(const method_body *b, method_way *p) {
  cloth_vector first;
  const float before = local_distance(b, p->from, &first) - b->margin;
  const float after = local_distance(b, p->to, &p->normal) - b->margin;
  const cloth_vector way = vector_flush_work(vector_subtract(p->to, p->from));
  const int starts_inside = before < negate(maximum(b->margin, TRACE_CLEARANCE));
  const int is_open =
      after < 0.0f ? !(vector_dot(first, p->normal) > 0.0f) : maximum(before, 0.0f) + after < vector_length(way);
  p->penetration = negate(after);
  if (starts_inside || !is_open) { return after < 0.0f; }
  if (before < TRACE_CLEARANCE) {
    p->normal = first;
    p->penetration = negate(flush_small(vector_dot(way, first), WORK_QUANTUM));
    return p->penetration > 0.0f;
  }
  return trace_way(b, p, first, before);
}

/* What a contact does to a particle, in the collider's axes. */
typedef struct method_response {
  cloth_vector correction; /* displacement [m] ... */
  cloth_vector change;     /* ... and the part of it that changes velocities [m] */
  int32_t slides;
} method_response;

/*
 * Coulomb's law for the displacement relative to the surface that the velocity stands for. A particle is moved out by
 * its penetration p. Of the displacement the part normal to the surface is corrected by n = min(p, displacement into
 * the surface): only that changes the velocity, so that moving out of an older penetration adds no speed. Friction
 * takes the tangential displacement away if it is at most mu_static n, else mu_kinetic n of it.
 */
static method_response response_of_way(const method_body *b, const method_way *p, cloth_vector displacement) {
  const float outward = flush_small(vector_dot(displacement, p->normal), WORK_QUANTUM);
  const float pressed = minimum(p->penetration, maximum(negate(outward), 0.0f));
  const cloth_vector slip = vector_flush(vector_add_scaled(displacement, p->normal, negate(outward)), STATE_QUANTUM);
  const float distance = vector_length(slip);
  method_response r;
  r.slides = b->shape->static_friction * pressed < distance;
  const float share = minimum(b->shape->kinetic_friction * pressed / maximum(distance, STATE_QUANTUM), 1.0f);
  const cloth_vector friction = vector_flush_work(vector_scale(slip, r.slides ? negate(share) : -1.0f));
  r.correction = vector_add_scaled(friction, p->normal, p->penetration);
  r.change = vector_add_scaled(friction, p->normal, pressed);
  return r;
}

/* Moves a particle that touches by a response. What is jammed between colliders gets the velocity of its way: what is
   left of its own leads into the other collider. */
static void respond_to_touch(const method_work *w, const method_body *b, int32_t i, const method_way *p) {
  const cloth *c = w->c;
  const vector_array moved = moved_of(w);
  const cloth_vector x = vector_load(w->x, i), v = vector_load(w->v, i);
  const cloth_vector end = to_local(&b->end, vector_add_scaled(x, v, w->k));
  const method_response r = response_of_way(b, p, vector_subtract(end, p->from));
  const cloth_vector correction = rotate(b->end.rotation, r.correction), change = rotate(b->end.rotation, r.change);
  const cloth_vector place = vector_add(vector_load(moved, i), correction);
  cloth_vector now = vector_add_scaled(v, change, 1.0f / w->k);
  const cloth_vector gone = vector_scale(vector_flush(vector_subtract(place, x), STATE_QUANTUM), 1.0f / w->k);
  const cloth_vector allowed = vector_scale(vector_flush(now, STATE_QUANTUM), JAMMED);
  now = vector_dot(gone, gone) < vector_dot(allowed, allowed) ? gone : now;
  vector_store(moved, i, place);
  vector_store(w->v, i, now);
  const cloth_vector received = vector_flush_work(vector_subtract(now, v));
  const method_touch t = {i, 1, place, rotate(b->end.rotation, p->normal),
                          vector_scale(received, reference_mass(c) * mass_ratio_at(c, i))};
  report_touch(w, b, &t);
  statistics_of(c)->contacts++;
  statistics_of(c)->contacts_sticking += !r.slides;
}

/* Above (|b| + |way|)^2 for the end b of a way, relative to the collider's position, that may touch: a way that does
   not come within the reach cannot. With e = 1/16, (r + w)^2 <= (1 + e) r^2 + (1 + 1/e) w^2, without a square root. */
#define CULL_REACH_FACTOR 1.0627f
#define CULL_WAY_FACTOR 17.0f

static int is_near(const method_body *b, float reach, cloth_vector from, cloth_vector to) {
  const cloth_vector end = vector_flush_work(vector_subtract(to, b->end.position));
  const cloth_vector start = vector_flush_work(vector_subtract(from, b->start.position));
  const cloth_vector way = vector_flush_work(vector_subtract(end, start));
  return vector_dot(end, end) < CULL_REACH_FACTOR * reach * reach + CULL_WAY_FACTOR * vector_dot(way, way);
}

static void project_out_of(const method_work *w, const method_body *b) {
  const float reach = body_reach(b->shape, b->geometry) + b->margin;
  const int is_plane = b->shape->shape == CLOTH_SHAPE_PLANE;
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector from = vector_load(w->x, i), to = vector_load(moved_of(w), i);
    if (!(w->mobility[i] > 0.0f) || !(is_plane || is_near(b, reach, from, to))) { continue; }
    method_way p = {.from = to_local(&b->start, from), .to = to_local(&b->end, to)};
    if (does_touch(b, &p)) { respond_to_touch(w, b, i, &p); }
  }
}

/* Moves every particle out of every collider, in the order of the colliders. */
static void project_contacts(const method_work *w, int32_t substep) {
  for (int32_t index = 0; index < inputs_of(w->c)->collider_end; index++) {
    if (is_collider(w->c, index)) {
      const method_body b = method_body_of(w, index, substep);
      project_out_of(w, &b);
    }
  }
}
