#pragma once
#include "step.h"

/// Rest ///

/*
 * The static drape of Breen, House and Wozny (1994): the positions of least energy. Newton's method on the energy alone
 * fails where the cloth is slack; so each step is one of backward Euler from rest, whose mass term is the distance to
 * where the cloth is: a proximal Newton method. The steps double from 1/64 s to 10 s, and end when a step has moved no
 * particle by more than SETTLED_DISTANCE, or a rounding of a place far away, and no force is left that rounding does
 * not explain.
 *
 * Contact divides space into what a step may reach and what not, and is not convex: a step that leads far into a
 * collider and is then projected out of it tangles the sheet. So with colliders a step that has moved a particle by
 * more than a spacing is taken back, and repeated with a shorter time, and there may be more of them. So is one in
 * which nonlinear gradients have diverged.
 */

#define SETTLE_STEPS 24
#define SETTLE_STEPS_IN_CONTACT 240
#define SETTLE_NEWTON 8
#define SETTLE_FIRST (1.0f / 64.0f)
#define SETTLE_LONGEST 10.0f
#define SETTLED_DISTANCE 2.0e-6f
/* With colliders, most Newton iterations of a step after one that moved a particle farther than that [m]: on the way an
   exact solution is of no use. */
#define SETTLE_COARSE 1.0e-3f
#define SETTLE_COARSE_NEWTON 2
/* Residual of a step over that at its start beyond which it has diverged. At rest both are roundings. */
#define SETTLE_DIVERGED 10.0f
/* Factors of the time of a step that is taken back: at least, and of what would move a particle by a spacing. */
#define SETTLE_SHORTEST_CUT 0.1f
#define SETTLE_CUT 0.7f
/* Time of a step below which none is taken back for its length [s]: what moves a particle by a spacing even then is
   contact, which moves it out of a collider whatever the time. */
#define SETTLE_SHORTEST 1.0e-5f
/* Rounding of the forces at rest: that of elongations, in roundings of the largest coordinate. Drapes and sheets over
   colliders end at 0.15 to 0.2 of one; with 8, a sheet of 16 x 16 particles that nothing holds up yet would pass. */
#define ROUNDINGS 0.5f
#define FLOAT_ROUNDING 1.2e-7f

static void stop_motion(const cloth *c) {
  fill_vectors(c, vectors_at(c, c->state.velocity), 0.0f);
}

/* Makes the moves of pins that were set for the next step. */
static void arrive_pins(const cloth *c) {
  const vector_array x = vectors_at(c, c->state.position);
  for (int32_t i = next_pin(c, 0); i < c->count; i = next_pin(c, i + 1)) {
    if (freedom_of(c)[i] & PIN_MOVING) {
      const cloth_vector arrived = vector_add(vector_load(x, i), starting_velocity(c, i, 1.0f));
      vector_store(x, i, vector_flush(arrived, STATE_QUANTUM));
      freedom_of(c)[i] = FREEDOM_PINNED;
    }
  }
}

static float largest_coordinate(cloth_vector d) {
  return maximum(absolute(d.x), maximum(absolute(d.y), absolute(d.z)));
}

/* Largest coordinate of a displacement in the last step [m]. The old places are those at its start. */
static float largest_step(const method_work *w) {
  float largest = 0.0f;
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector d = vector_subtract(vector_load(w->x, i), vector_load(field(w, FIELD_OLD_PLACE), i));
    largest = maximum(largest, largest_coordinate(d));
  }
  return largest;
}

/* A step of k seconds in one substep from rest. */
static int settle_step(method_work *w, float k) {
  const cloth *c = w->c;
  stop_motion(c);
  w->header->history = 0;
  cloth_settings *settings = &((cloth *)(uintptr_t)c)->settings;
  const cloth_settings kept = *settings;
  settings->integration.substeps = 1;
  settings->integration.velocity_damping = 0.0f;
  settings->integration.max_speed = CLOTH_SPEED_LIMIT;
  const int notes = run_method(w, k);
  *settings = kept;
  stop_motion(c);
  return notes;
}

/* The largest acceleration that forces give a particle, along supports and away from them, in the last step's equation,
   once the sheet is where it leads to [m/s^2]. */
static float largest_acceleration(method_work *w) {
  float largest = 0.0f;
  copy_field(w, w->x, field(w, FIELD_BASE));
  support_particles(w, 0);
  start_at_rest(w);
  find_residual(w, 0);
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector r = vector_scale(vector_load(field(w, FIELD_RESIDUAL), i), w->mobility[i] / w->tau);
    largest = maximum(largest, largest_coordinate(r));
  }
  return largest;
}

/* Rounding of the largest coordinate of the sheet [m]. */
static float rounding_of_places(const method_work *w) {
  float farthest = 0.0f;
  for (int32_t i = 0; i < w->c->count; i++) {
    farthest = maximum(farthest, largest_coordinate(vector_load(w->x, i)));
  }
  return FLOAT_ROUNDING * farthest;
}

/* What roundings of positions leave of it: springs of all families that are wrong by ROUNDINGS of a coordinate. */
static float rounding_acceleration(const method_work *w) {
  float stiffness = 0.0f;
  for (int32_t n = 0; n < w->family_count; n++) {
    stiffness += 4.0f * w->family[n].kappa / (w->k * w->k);
  }
  return ROUNDINGS * rounding_of_places(w) * stiffness;
}

/* Takes a step back if it went too far or failed. Returns the factor of the time of the next one. */
static float judge_step(const method_work *w, int in_contact) {
  const float spacing = minimum(w->c->grid.spacing_warp, w->c->grid.spacing_weft);
  const int is_long = in_contact && w->report->moved > spacing && w->k > SETTLE_SHORTEST;
  const int has_failed = w->method->solver == CLOTH_SOLVER_NONLINEAR && w->report->residual > SETTLE_DIVERGED;
  if (!is_long && !has_failed) { return 2.0f; }
  copy_field(w, field(w, FIELD_OLD_PLACE), w->x);
  return is_long ? maximum(SETTLE_CUT * square_root(spacing / w->report->moved), SETTLE_SHORTEST_CUT) : 0.5f;
}

/* Steps until the sheet is at rest or has made all its steps. `method` is that of the steps. Returns their notes. */
static int settle(method_work *w, cloth_method *method) {
  const int32_t newton = method->newton;
  const int in_contact = inputs_of(w->c)->collider_end > 0;
  cloth_method_report *r = w->report;
  int notes = 0;
  float k = SETTLE_FIRST;
  for (int32_t step = 0; step < (in_contact ? SETTLE_STEPS_IN_CONTACT : SETTLE_STEPS) && !r->settled; step++) {
    method->newton = in_contact && newton > 1 && r->moved > SETTLE_COARSE ? SETTLE_COARSE_NEWTON : newton;
    notes |= settle_step(w, k);
    r->moved = largest_step(w);
    const float factor = judge_step(w, in_contact);
    if (k >= SETTLE_LONGEST && factor > 1.0f && r->moved <= maximum(SETTLED_DISTANCE, rounding_of_places(w))) {
      r->acceleration = largest_acceleration(w);
      r->settled = r->acceleration <= rounding_acceleration(w);
    }
    k = minimum(factor * k, SETTLE_LONGEST);
  }
  r->acceleration = largest_acceleration(w);
  return notes;
}

int cloth_method_settle(cloth *sheet, const cloth_method *method, void *memory, size_t bytes,
                        cloth_method_report *report) {
  method_work w;
  cloth_method_report unread;
  int error = begin_method(&w, sheet, method, 1, memory, bytes);
  error = error ? error : check_step(sheet, SETTLE_FIRST);
  if (error) { return error; }
  cloth_method proximal = *method;
  proximal.newton = method->solver == CLOTH_SOLVER_GRADIENTS ? SETTLE_NEWTON : 1;
  w.method = &proximal;
  w.report = report ? report : &unread;
  fill_zero(w.report, sizeof *w.report);
  open_memory(&w, memory);
  arrive_pins(sheet);
  return settle(&w, &proximal);
}
