#pragma once
#include "../cloth/step_origin.h"
#include "../contact/law.h"
#include "tethers.h"

/// Targets, motion constraints and tethers ///

/*
 * What holds single particles to places of their own:
 *
 *   drive         energy k / 2 |x - target|^2, block k I
 *   max distance  a contact with the inside of a sphere around the target (contact/law.h); of 0: the particle is a pin
 *                 at its target
 *   backstop      a contact with the outside of a sphere behind the target
 *   tether        a contact with the inside of a sphere around a pin, which begins at scale times the distance at rest
 *
 * The contacts of a particle are predicted together, each with the tangents of the others, or a particle between two
 * taut tethers would alternate for ever. What begins a substep beyond a contact, where its sphere was then, is
 * predicted to come back no faster than integration.max_push_speed relative to it; what is held at rest is held by all
 * of the law.
 *
 * In: targets, motion constraints, tethers, position, place. Out: residual, diagonal, ground.
 */

/* Thickness of tethers [m], and the least one of contacts with spheres. */
#define TETHER_THICKNESS 0.005f
#define LEAST_THICKNESS 1.0e-4f
/* A max distance gives way within this share of itself at most, a backstop within this share of that or of its radius:
   one that begins to push where the max distance leaves no room would fight with it. */
#define DISTANCE_SHARE 0.25f

/* Factor of distances by which a constraint is left out as too far: roundings leave nothing out. */
#define FAR_SLACK 1.001f

/* Most contacts of a particle: MOST_TARGET_BOUNDS, a max distance and a backstop, and TETHERS tethers; and sweeps of
   the prediction of those that press together. With 4 a sheet on a ball between two edges moves at .6 m/s for ever
   (tests/tethers.c). */
#define MOST_TARGET_BOUNDS 2
#define MOST_BOUNDS 4
#define BOUND_SWEEPS 16

/* A contact along n at a gap. `length`: of the way to the centre of a sphere that it pulls the particle to, whose pull
   holds it across as the tension of a spring does, in shares of its force; 0 for one that pushes. */
typedef struct particle_bound {
  cloth_vector n;
  float gap, thickness, length, compliance;
  float most;                    /* gap that it may bring the particle to in this substep */
  float press, force, stiffness; /* at the agreed depth: the force there; that of the tangent; its slope */
} particle_bound;

/* A particle that is held in this substep. */
typedef struct held_particle {
  const cloth *c;
  const solve_arrays *a;
  const substep_terms *t;
  int32_t place; /* in own arrays */
  cloth_vector x;
  cloth_vector weight;         /* what moves all particles alike, against no springs */
  int32_t bounds, predictions; /* contacts; how often one of them has been predicted */
  particle_bound bound[MOST_BOUNDS];
} held_particle;

static float springs_along(const held_particle *h, cloth_vector n) {
  float m[SYMMETRIC_FLOATS];
  if (!h->a->inverse) { return 0.0f; }
  for (int32_t k = 0; k < SYMMETRIC_FLOATS; k++) {
    m[k] = flush_work(*own_at(h->a->inverse, SYMMETRIC_FLOATS, h->place, k));
  }
  return m[0] * n.x * n.x + m[1] * n.y * n.y + m[2] * n.z * n.z +
         2.0f * (m[3] * n.x * n.y + m[4] * n.x * n.z + m[5] * n.y * n.z);
}

/* The compliance of a particle along n for the prediction of a contact. Of what moves it, up to `weight` counts with
   the mass and the plate alone, and the rest with its springs, too. At rest the prediction is exact whatever it is. */
static float compliance_along(const held_particle *h, cloth_vector n) {
  const float mass = *own_at(h->a->diagonal, 1, h->place, 0);
  const float alone = mass + (h->t->bends ? plate_diagonal(h->t) : 0.0f), within = alone + springs_along(h, n);
  const float fall = vector_dot(n, h->weight);
  const float all = vector_dot(n, vector_flush_work(own_vector(h->a->residual, h->place)));
  const float shared = minimum(maximum(all, minimum(fall, 0.0f)), maximum(fall, 0.0f)), own = all - shared;
  const float by_weight = maximum(shared, -shared), by_others = maximum(own, -own);
  return by_weight > WORK_QUANTUM ? (by_weight / alone + by_others / within) / (by_weight + by_others) : 1.0f / within;
}

/* Notes a contact along n at a gap, which was `begins` as the substep began. */
static void note_bound(held_particle *h, cloth_vector n, float gap, float begins, float thickness, float length) {
  particle_bound *b = &h->bound[h->bounds++];
  const lanes k = lanes_splat(contact_stiffness(h->t)), t = lanes_splat(thickness);
  const lanes depth = lanes_splat((thickness - gap) / thickness);
  const contact_tangent here = tangent_at(k, t, depth, within_law(depth));
  b->n = vector_flush_work(n);
  b->gap = gap;
  b->thickness = thickness;
  b->length = length;
  b->compliance = compliance_along(h, b->n);
  b->most = thickness;
  if (begins < 0.0f) { b->most = minimum(thickness, begins + h->c->settings.integration.max_push_speed * h->t->h); }
  b->press = lanes_first_value(here.law);
  b->force = lanes_first_value(here.force);
  b->stiffness = lanes_first_value(here.stiffness);
}

/* The tangent of a contact at a gap, for a particle that would move by `moves` along n without it. */
static contact_tangent bound_at(const held_particle *h, const particle_bound *b, float gap, float compliance,
                                float moves) {
  return contact_at(lanes_splat(contact_stiffness(h->t)), lanes_splat(b->thickness), lanes_splat(gap),
                    lanes_splat(compliance), lanes_splat(moves));
}

/* Predicts a contact for a particle that would move by `moves` along n without it. */
static void agree(held_particle *h, particle_bound *b, float compliance, float moves) {
  h->predictions++;
  if (!(b->thickness - b->gap > moves)) { /* as contact_at() finds it, sooner */
    b->press = b->force = b->stiffness = 0.0f;
    return;
  }
  contact_tangent t = bound_at(h, b, b->gap, compliance, moves);
  if (b->gap + moves + compliance * lanes_first_value(t.law) > b->most && b->most < b->thickness) {
    t = bound_at(h, b, b->gap + b->thickness - b->most, compliance, moves);
  }
  b->press = lanes_first_value(t.law);
  b->force = lanes_first_value(t.force);
  b->stiffness = lanes_first_value(t.stiffness);
}

/* Predicts a contact with the tangents of the others: with their forces alone two that face each other would go on for
   hundreds of sweeps, as the law is much stiffer than the particle. */
static void predict_bound(held_particle *h, particle_bound *b) {
  cloth_vector others = own_vector(h->a->residual, h->place);
  float resists = 1.0f / b->compliance;
  for (int32_t k = 0; k < h->bounds; k++) {
    const particle_bound *other = &h->bound[k];
    if (other == b || !(other->stiffness > 0.0f)) { continue; }
    const float along = vector_dot(b->n, other->n);
    others = vector_add_scaled(others, other->n, other->force);
    resists += other->stiffness * along * along;
  }
  const float compliance = h->bounds > 1 ? 1.0f / resists : b->compliance;
  agree(h, b, compliance, compliance * vector_dot(b->n, vector_flush_work(others)));
}

/* Predicts the contacts of a particle, until nothing changes, or one presses that was predicted without others. */
static void predict_bounds(held_particle *h) {
  int32_t again = h->bounds > 0;
  for (int32_t n = 0; n < BOUND_SWEEPS && again; n++) {
    int32_t pressing = 0, turns = 0, changes = 0;
    for (int32_t k = 0; k < h->bounds; k++) {
      particle_bound *b = &h->bound[k];
      const float pressed = b->press;
      predict_bound(h, b);
      pressing += b->press > 0.0f;
      turns |= (pressed > 0.0f) != (b->press > 0.0f);
      changes |= pressed != b->press;
    }
    again = h->bounds > 1 && changes && (pressing > 1 || turns);
  }
}

/* Adds the forces and blocks of the contacts of a particle. */
static void press_bounds(held_particle *h) {
  predict_bounds(h);
  for (int32_t k = 0; k < h->bounds; k++) {
    const particle_bound *b = &h->bound[k];
    const cloth_vector n = b->n;
    if (!(b->stiffness > 0.0f)) { continue; }
    add_to_own(h->a->residual, h->place, vector_scale(n, b->force));
    const float across = b->length > 0.0f ? minimum(maximum(b->force, 0.0f) / b->length, b->stiffness) : 0.0f;
    const float block[6] = {n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.x * n.z, n.y * n.z};
    for (int32_t i = 0; i < 6; i++) {
      const float value = (b->stiffness - across) * block[i] + (i < 3 ? across : 0.0f);
      *own_at(h->a->ground, SYMMETRIC_FLOATS, h->place, i) += flush_work(value);
    }
  }
}

/* The way from a place to where a particle is as the substep begins. */
static cloth_vector way_to_start(const cloth *c, int32_t i, cloth_vector from) {
  return vector_flush_work(vector_subtract(vector_load(vectors_at(c, c->state.position), i), from));
}

/* Keeps a particle within a distance of a centre, which was `began` away as the substep began. */
static void keep_within(held_particle *h, cloth_vector centre, float began, float distance, float thickness) {
  const cloth_vector off = vector_flush_work(vector_subtract(centre, h->x));
  const float length = vector_length(off);
  if (length > STATE_QUANTUM) {
    note_bound(h, vector_scale_work(off, 1.0f / length), distance - length, distance - began, thickness, length);
  }
}

/* 1 if a particle goes where it is told, however fast: a pin, or led to its target. */
static int is_told(const cloth *c, int32_t i) {
  const int has_targets = WITH_TARGETS && inputs_of(c)->targets != TARGETS_NONE;
  return (has_targets && target_vectors(c, TARGET_LIMIT).x[i] == 0.0f) || is_held(c, i);
}

/* A vector of a target at a share of the step. */
static cloth_vector target_vector(const cloth *c, int32_t before, int32_t after, int32_t particle, float late) {
  const cloth_vector start = vector_load(target_vectors(c, before), particle);
  return vector_add_scaled(start, vector_subtract(vector_load(target_vectors(c, after), particle), start), late);
}

static cloth_vector target_of(const cloth *c, int32_t particle, float late) {
  return place_in_step(c, target_vector(c, TARGET_POSITION_BEFORE, TARGET_POSITION, particle, late));
}

/* Particles whose max distance is 0 are pins that go to their targets. */
CLOTH_SEPARATE void lead_particles(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  const vector_array v = vectors_at(c, c->state.velocity), x = vectors_at(c, c->state.position);
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t place = place_of(a, i);
    if (target_vectors(c, TARGET_LIMIT).x[i] == 0.0f && *own_at(a->diagonal, 1, place, 0) > 0.0f) {
      const cloth_vector way = vector_subtract(target_of(c, i, t->until), vector_load(x, i));
      vector_store(v, i, vector_flush_state(vector_scale(way, t->inverse_h)));
      *own_at(a->diagonal, 1, place, 0) = 0.0f;
    }
  }
}

/* The gap between a particle, at a way from its target, and a backstop. That of a large sphere is no difference of two
   long lengths: |off|^2 - z^2 is written out with the way from the target. Out: the way from its centre. */
static float backstop_gap(cloth_vector way, cloth_vector normal, cloth_vector limit, cloth_vector *off) {
  const cloth_vector unit = vector_scale_work(normal, 1.0f / vector_length(normal));
  const float behind = limit.y + limit.z, outside = 2.0f * behind * vector_dot(way, unit);
  *off = vector_flush_work(vector_add_scaled(way, unit, behind));
  const float squared = vector_dot(way, way) + outside + limit.y * (limit.y + 2.0f * limit.z);
  return squared / (vector_length(*off) + limit.z);
}

static int has_length(cloth_vector normal) {
  return vector_dot(normal, normal) > 0.25f;
}

/* The backstop of a particle, which a target without a normal has not. */
static void keep_out_of_backstop(held_particle *h, int32_t i, cloth_vector limit) {
  const cloth *c = h->c;
  const cloth_vector normal = target_vector(c, TARGET_NORMAL_BEFORE, TARGET_NORMAL, i, h->t->until);
  const cloth_vector before = target_vector(c, TARGET_NORMAL_BEFORE, TARGET_NORMAL, i, h->t->from);
  if (!(limit.z > 0.0f) || !has_length(normal)) { return; }
  const float thickness = maximum(c->settings.contact.thickness, LEAST_THICKNESS);
  cloth_vector off;
  const cloth_vector start = way_to_start(c, i, target_of(c, i, h->t->from));
  const float begins = backstop_gap(start, has_length(before) ? before : normal, limit, &off);
  const float gap = backstop_gap(vector_subtract(h->x, target_of(c, i, h->t->until)), normal, limit, &off);
  const float length = vector_length(off);
  if (length > STATE_QUANTUM) {
    note_bound(h, vector_scale_work(off, 1.0f / length), gap, begins,
               minimum(thickness, maximum(DISTANCE_SHARE * minimum(limit.x, limit.z), LEAST_THICKNESS)), 0.0f);
  }
}

/* The share of the springs in what a motion constraint meets: weight makes all particles meet theirs alike, where
   springs resist nothing. With all of it sheets in spheres never rest, with a tenth capes fly apart. Tethers share
   none. */
static cloth_vector shared_weight(const held_particle *h) {
  const float mass = *own_at(h->a->diagonal, 1, h->place, 0);
  const cloth_vector gravity = inputs_of(h->c)->gravity;
  return vector_scale_work(gravity, h->t->share * h->t->h * h->t->h * mass);
}

/* The scaled stiffness of a particle's drive; 0 where it is too soft to tell. */
static float drive_of(const held_particle *h, int32_t i) {
  const float drive = h->t->scale * target_vectors(h->c, TARGET_DRIVE).x[i];
  return drive > WORK_QUANTUM ? drive : 0.0f;
}

/* Adds the force and the block of a particle's drive. */
static void drive_to_target(held_particle *h, int32_t i) {
  const float drive = drive_of(h, i);
  if (drive > 0.0f) {
    const cloth_vector way = vector_flush_work(vector_subtract(target_of(h->c, i, h->t->until), h->x));
    add_to_own(h->a->residual, h->place, vector_scale(way, drive));
    *own_at(h->a->diagonal, 1, h->place, 0) += drive;
  }
}

CLOTH_SEPARATE void hold_to_target(held_particle *h, int32_t i) {
  const cloth *c = h->c;
  const cloth_vector limit = vector_load(target_vectors(c, TARGET_LIMIT), i), target = target_of(c, i, h->t->until);
  if (limit.x < CLOTH_ANY_DISTANCE) {
    const float thickness = maximum(c->settings.contact.thickness, LEAST_THICKNESS);
    keep_within(h, target, vector_length(way_to_start(c, i, target_of(c, i, h->t->from))), limit.x,
                minimum(thickness, maximum(DISTANCE_SHARE * limit.x, LEAST_THICKNESS)));
  }
  keep_out_of_backstop(h, i, limit);
}

/* A vector of the targets of a block of particles at a share of the step. */
CLOTH_INLINE lanes3 target_vectors_at(const cloth *c, int32_t before, int32_t after, int32_t i, float late) {
  const lanes3 start = lanes3_load(target_vectors(c, before), i);
  return lanes3_add_scaled(start, lanes3_subtract(lanes3_load(target_vectors(c, after), i), start), lanes_splat(late));
}

/* 1 for the particles of a block that a drive acts on, or that may reach a motion constraint in the substep, going as
   far as `way`; 0 for others. A backstop is looked at as the plane at its top. */
CLOTH_INLINE lanes targets_near(const cloth *c, const solve_arrays *a, const substep_terms *t, int32_t row, int32_t i,
                                lanes way) {
  const int32_t particle = row * a->columns + i;
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes3 limit = lanes3_load(target_vectors(c, TARGET_LIMIT), particle);
  const lanes3 target =
      lanes3_subtract(target_vectors_at(c, TARGET_POSITION_BEFORE, TARGET_POSITION, particle, t->until),
                      lanes3_splat(workspace_of(c)->origin));
  const lanes3 off = lanes3_flush(lanes3_subtract(near_load(near_row(a->place, a->pitch, row), a->plane, i), target));
  const float thickness = maximum(c->settings.contact.thickness, LEAST_THICKNESS) + LEAST_THICKNESS;
  const lanes most = lanes_multiply(lanes_add(way, lanes_splat(thickness)), lanes_splat(FAR_SLACK));
  const lanes distance = lanes_multiply(lanes3_length(off), lanes_splat(FAR_SLACK));
  const lanes3 n = lanes3_flush(target_vectors_at(c, TARGET_NORMAL_BEFORE, TARGET_NORMAL, particle, t->until));
  const lanes length = lanes_maximum(lanes3_length(n), lanes_splat(WORK_QUANTUM));
  const lanes height = lanes_add(lanes_divide(lanes3_dot(off, n), length), limit.y);
  const lanes driven = lanes_load(target_vectors(c, TARGET_DRIVE).x + particle);
  lanes near = lanes_select(lanes_less(limit.x, lanes_add(distance, most)), one, zero);
  near = lanes_select(lanes_both(lanes_less(zero, limit.z), lanes_less(height, most)), one, near);
  return lanes_select(lanes_less(zero, driven), one, near);
}

#if WITH_TETHERS

static void hold_by_tethers(held_particle *h, const rest_metric *metric, int32_t i) {
  const cloth *c = h->c;
  for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
    const int32_t pin = tethers_of(c, slot)[i];
    if (pin < 0) { continue; }
    const float squared = squared_rest(c, *metric, pin, i);
    const float distance = square_root(maximum(squared, STATE_QUANTUM)) + TETHER_THICKNESS;
    const cloth_vector before = vector_load(vectors_at(c, c->state.position), pin);
    const float began = vector_length(way_to_start(c, i, before));
    keep_within(h, near_particle(h->a, h->a->place, pin), began, distance, TETHER_THICKNESS);
  }
}

#endif

/* 1 if a cloth has any of these terms in a step. */
static int has_bounds(const cloth *c) {
  return c->scratch.ground && (c->settings.tethers.count > 0 || inputs_of(c)->targets != TARGETS_NONE);
}

/* Finds the contacts of one particle that moves. */
static void find_bounds(held_particle *h, int32_t i) {
  if (WITH_TARGETS && inputs_of(h->c)->targets != TARGETS_NONE) { hold_to_target(h, i); }
#if WITH_TETHERS
  const rest_metric metric = metric_of(h->c, h->c->settings.tethers.scale);
  h->weight = vector(0.0f, 0.0f, 0.0f);
  hold_by_tethers(h, &metric, i);
#endif
}

/* Holds one particle that moves. */
CLOTH_SEPARATE void hold_particle(const cloth *c, const solve_arrays *a, const substep_terms *t, int32_t i) {
  held_particle h = {.c = c, .a = a, .t = t, .place = place_of(a, i), .x = near_particle(a, a->place, i)};
  if (WITH_TARGETS && inputs_of(c)->targets != TARGETS_NONE) {
    h.weight = shared_weight(&h);
    drive_to_target(&h, i);
  }
  find_bounds(&h, i);
  press_bounds(&h);
  workspace_of(c)->predictions += h.predictions;
}

#if WITH_TETHERS

/* 1 for the particles of a block that may reach the end of a tether in the substep, going as far as `way`; 0 for
   others. */
CLOTH_INLINE lanes tethers_near(const cloth *c, const solve_arrays *a, int32_t row, int32_t i, lanes way) {
  const rest_metric metric = metric_of(c, c->settings.tethers.scale);
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes3 x = near_load(near_row(a->place, a->pitch, row), a->plane, i);
  const lanes most = lanes_multiply(way, lanes_splat(FAR_SLACK));
  lanes near = zero;
  for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
    const int32_t *pins = tethers_of(c, slot) + row * a->columns + i;
    float pin[3][CLOTH_LANES], columns[CLOTH_LANES], rows[CLOTH_LANES], held[CLOTH_LANES];
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      const int32_t to = i + lane < a->columns ? pins[lane] : -1, of_row = to / a->columns;
      const cloth_vector at = near_particle(a, a->place, to < 0 ? 0 : to);
      pin[0][lane] = at.x;
      pin[1][lane] = at.y;
      pin[2][lane] = at.z;
      columns[lane] = (float)(i + lane - (to - of_row * a->columns));
      rows[lane] = (float)(row - of_row);
      held[lane] = to < 0 ? 0.0f : 1.0f;
    }
    const lanes3 centre = lanes3_of(lanes_load(pin[0]), lanes_load(pin[1]), lanes_load(pin[2]));
    const lanes squared = rest_squared(metric, shorter_columns(metric, lanes_load(columns)), lanes_load(rows));
    const lanes distance = lanes_square_root(lanes_maximum(squared, lanes_splat(STATE_QUANTUM)));
    const lanes length = lanes_multiply(lanes3_length(lanes3_subtract(x, centre)), lanes_splat(FAR_SLACK));
    const lanes_mask reaches = lanes_less(distance, lanes_add(length, most));
    near = lanes_select(lanes_both(reaches, lanes_less(zero, lanes_load(held))), one, near);
  }
  return near;
}

#endif

/* Which particles of a block these terms may act on: those that come near one, going as far as `way`. */
CLOTH_INLINE lanes_mask are_near_bounds(const cloth *c, const solve_arrays *a, const substep_terms *t, int32_t row,
                                        int32_t i, lanes way) {
  const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + row * a->pitch + i));
  lanes near = lanes_splat(0.0f);
  if (WITH_TARGETS && inputs_of(c)->targets != TARGETS_NONE) { near = targets_near(c, a, t, row, i, way); }
#if WITH_TETHERS
  near = lanes_maximum(near, tethers_near(c, a, row, i, way));
#endif
  return lanes_both(moves, lanes_less(lanes_splat(0.0f), near));
}

/* The same as the substep begins: without any of these terms particles move by |b| / m at most. */
CLOTH_INLINE lanes_mask are_bounded(const cloth *c, const solve_arrays *a, const substep_terms *t, int32_t row,
                                    int32_t i) {
  const lanes mass = lanes_load(a->diagonal + row * a->pitch + i);
  const lanes3 b = lanes3_flush(own_load(a->residual + 3 * row * a->pitch, i));
  const lanes_mask moves = lanes_less(lanes_splat(0.0f), mass);
  const lanes way = lanes_divide(lanes3_length(b), lanes_select(moves, mass, lanes_splat(1.0f)));
  return are_near_bounds(c, a, t, row, i, way);
}

/* Adds targets, motion constraints and tethers. */
CLOTH_SEPARATE void add_bounds(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  for (int32_t row = 0; row < a->rows; row++) {
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      uint32_t bounded = lanes_bits(lanes_both(are_bounded(c, a, t, row, i), lanes_first(a->columns - i)));
      for (; bounded; bounded &= bounded - 1u) {
        hold_particle(c, a, t, row * a->columns + i + first_bit(bounded));
      }
    }
  }
}

/* By how much the potential of a contact rises over a particle's way d. */
static float bound_rise(const held_particle *h, const particle_bound *b, cloth_vector d) {
  const float along = vector_dot(b->n, d);
  float nearer = negate(along);
  if (b->length > 0.0f) {
    const float squared = vector_dot(d, d) - 2.0f * b->length * along;
    nearer = squared / (b->length + square_root(maximum(b->length * b->length + squared, 0.0f)));
  }
  const lanes depth = lanes_splat((b->thickness - b->gap) / b->thickness), more = lanes_splat(nearer / b->thickness);
  const lanes rise = lanes_flush_below(law_rise(depth, more), LEAST_SHARE);
  return contact_stiffness(h->t) * b->thickness * b->thickness * lanes_first_value(rise);
}

/* The same of all that holds a particle. */
static float rise_of_held(held_particle *h, int32_t i) {
  const cloth_vector d = near_particle(h->a, h->a->bent, i);
  float rise = 0.0f;
  if (WITH_TARGETS && inputs_of(h->c)->targets != TARGETS_NONE) {
    const cloth_vector off = vector_flush_work(vector_subtract(h->x, target_of(h->c, i, h->t->until)));
    rise = drive_of(h, i) * vector_dot(d, vector_add_scaled(off, d, 0.5f));
  }
  find_bounds(h, i);
  for (int32_t k = 0; k < h->bounds; k++) {
    rise += bound_rise(h, &h->bound[k], d);
  }
  return rise;
}

/* By how much the energy of these terms rises along the ways d of a substep in which targets and pins rest, for the
   bound on it (step/guard.h). In: place = x_n, bent = d. */
CLOTH_SEPARATE float bounds_rise(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  float rise = 0.0f;
  for (int32_t row = 0; row < a->rows; row++) {
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes way = lanes3_length(lanes3_flush(near_load(near_row(a->bent, a->pitch, row), a->plane, i)));
      uint32_t near = lanes_bits(lanes_both(are_near_bounds(c, a, t, row, i, way), lanes_first(a->columns - i)));
      for (; near; near &= near - 1u) {
        const int32_t particle = row * a->columns + i + first_bit(near);
        held_particle h = {.c = c, .a = a, .t = t, .place = place_of(a, particle)};
        h.x = near_particle(a, a->place, particle);
        rise += rise_of_held(&h, particle);
      }
    }
  }
  return rise;
}

/* Most predictions of the contacts of a particle in a part of a substep. */
static int32_t most_predictions(const cloth *c) {
  const int32_t tethers = has_bounds(c) ? c->settings.tethers.count : 0;
  const int32_t targets = has_bounds(c) && inputs_of(c)->targets != TARGETS_NONE ? MOST_TARGET_BOUNDS : 0;
  return (targets + tethers > 1 ? BOUND_SWEEPS : 1) * (targets + tethers);
}
