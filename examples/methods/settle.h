#pragma once
#include "step.h"

/// Rest ///

/*
 * The static drape of Breen, House and Wozny (1994): the positions of least energy. Newton's method on the energy alone
 * fails where the cloth is slack; so each step is one of backward Euler from rest, whose mass term is the distance to
 * where the cloth is: a proximal Newton method. The steps double from 1/60 s to 10 s, and end when a step has moved no
 * particle by more than SETTLED_DISTANCE.
 */

#define SETTLE_STEPS 24
#define SETTLE_NEWTON 8
#define SETTLE_FIRST (1.0f / 64.0f)
#define SETTLE_LONGEST 10.0f
#define SETTLED_DISTANCE 2.0e-6f

static void stop_motion(const cloth *c) {
  fill_vectors(c, vectors_at(c, c->state.velocity), 0.0f);
}

/* Largest coordinate of a displacement in the last step [m]. The old places are those at its start. */
static float largest_step(const method_work *w) {
  float largest = 0.0f;
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector d = vector_subtract(vector_load(w->x, i), vector_load(field(w, FIELD_OLD_PLACE), i));
    largest = maximum(largest, maximum(absolute(d.x), maximum(absolute(d.y), absolute(d.z))));
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
  settings->integration.explicit_threshold = 0.0f;
  settings->integration.max_speed = CLOTH_SPEED_LIMIT;
  const int notes = run_method(w, k);
  *settings = kept;
  stop_motion(c);
  return notes;
}

int cloth_method_settle(cloth *sheet, const cloth_method *method, void *memory, size_t bytes,
                        cloth_method_report *report) {
  method_work w;
  cloth_method_report unread;
  int error = begin_method(&w, sheet, method, memory, bytes);
  error = error ? error : check_step(sheet, SETTLE_FIRST);
  if (error) {
    return error;
  }
  if (method->scheme != CLOTH_SCHEME_STATIC) {
    return CLOTH_ERROR_METHOD;
  }
  cloth_method proximal = *method;
  proximal.newton = method->solver == CLOTH_SOLVER_GRADIENTS ? SETTLE_NEWTON : 1;
  w.method = &proximal;
  w.report = report ? report : &unread;
  fill_zero(w.report, sizeof *w.report);
  open_memory(&w, memory);
  int notes = 0;
  float k = SETTLE_FIRST;
  for (int32_t step = 0; step < SETTLE_STEPS && !w.report->settled; step++) {
    notes |= settle_step(&w, k);
    w.report->moved = largest_step(&w);
    w.report->settled = k >= SETTLE_LONGEST && w.report->moved <= SETTLED_DISTANCE;
    k = minimum(2.0f * k, SETTLE_LONGEST);
  }
  return notes;
}
