#pragma once
#include "access.h"
#include "attachments.h"
#include "compiler.h"
#include "costs.h"
#include "implicit.h"
#include "lanes.h"
#include "motion.h"
#include "pin_reactions.h"
#include "projection.h"
#include "scalar.h"
#include "seam_folds.h"
#include "seam_responses.h"
#include "seam_turns.h"
#include "stitches.h"
#include "targets.h"
#include "types.h"

/// Seams ///

/*
 * Seams of a group. A stitch joins a particle to another one, or to a point between two: its gap x_s - (1 - t) x_p - t
 * x_q is to be 0. Particles that are sewn together act as one in the solves along lines, which is found by two passes
 * over them:
 *
 *   1. Every cloth predicts its particles and solves its lines as if it was not sewn. The gaps that this leaves are
 * what the forces in the stitches have to close.
 *   2. For each sewn particle there is a response R, the displacement that an impulse on it leads to after the solves:
 * a particle of mobility w with springs along the unit vectors u to lines of mobility r has R = w - R' u u^T R' / (u^T
 * R' u + r + e) for each spring after the other, from R' = w on, with the compliance e of the spring; and a line of
 * particles of mobility w has r = w - w^2 cos^2 / (w + e + r') from its end on, with the r' of the rest of the line and
 * the angle between its springs. So what hangs on a stitch is felt with all of its mass, and what is held by a pin not
 * at all. Impulses f with (R_s + (1 - t)^2 R_p + t^2 R_q) f = gap change the velocities of the particles, and lines are
 * solved from the new predictions. Implicit springs are solved a second time, for what these impulses change.
 *
 * What is left of the gaps is closed by moving the particles with their masses as weights, after the solves and again
 * after contact, and their velocities with them; so are differences of velocity. The forces of a stitch are equal and
 * opposite and act in one point, so that both momenta are kept. A gap with which a step begins closes by seam_speed;
 * what its forces turn: seam_turns.h. What seams resist folding with: seam_folds.h.
 *
 * In: the seams of the group, predicted positions, velocities, mobilities, plans. Out: predicted positions, velocities,
 * reactions of pins. Scratch: in the memory of the group; residual of each cloth.
 */

#if WITH_SEAMS

/* Gaps of so many tolerances, and shorter ones, close without a velocity. */
#define OPEN_TOLERANCES 5.0f

/// Passes over stitches ///

/* The gap of a stitch between the places of its particles. */
static cloth_vector stitch_gap(const sewing *s, const stitch *t) {
  float weight[3];
  stitch_weights(t, weight);
  const cloth_vector a = s->particles[t->particle[0]].place, b = s->particles[t->particle[1]].place;
  if (t->share == 0.0f) {
    return vector_flush(vector_subtract(a, b), STATE_QUANTUM);
  }
  const cloth_vector c = s->particles[t->particle[2]].place;
  const cloth_vector to_b = vector_subtract(a, b), between = vector_subtract(c, b);
  return vector_flush(vector_add_scaled(to_b, vector_flush(between, STATE_QUANTUM), weight[2]), STATE_QUANTUM);
}

/* What a pass over stitches makes of their gaps. */
typedef enum stitch_pass {
  STITCH_PULL, /* impulses that close them after the solves, from responses */
  STITCH_MOVE, /* displacements that close them, from masses */
  STITCH_SLOW  /* changes of velocity, from masses */
} stitch_pass;

/* Closes a gap. Returns its largest component, over what is to be left of it. */
static float close_stitch(sewing *s, const stitch *t, stitch_pass pass) {
  float weight[3], sum = 0.0f;
  stitch_weights(t, weight);
  const cloth_vector aim = pass == STITCH_SLOW ? t->closing : t->rest;
  const cloth_vector gap = vector_flush(vector_subtract(stitch_gap(s, t), aim), STATE_QUANTUM);
  for (int32_t k = 0; k < 3; k++) {
    sum += weight[k] * weight[k] * s->particles[t->particle[k]].mobility;
  }
  if (!(sum > WORK_QUANTUM)) {
    return 0.0f;
  }
  const cloth_vector f =
      pass == STITCH_PULL ? apply_response(t->inverse, gap) : vector_flush_work(vector_scale(gap, 1.0f / sum));
  for (int32_t k = 0; k < (t->share > 0.0f ? 3 : 2); k++) {
    sewn_particle *p = &s->particles[t->particle[k]];
    const cloth_vector impulse = vector_flush_work(vector_scale(f, negate(weight[k])));
    const cloth_vector moved =
        pass == STITCH_PULL ? apply_response(p->response, impulse) : vector_scale(impulse, p->mobility);
    p->impulse = vector_add(p->impulse, impulse);
    p->place = vector_add(p->place, moved);
  }
  return maximum(maximum(absolute(gap.x), absolute(gap.y)), absolute(gap.z));
}

/* Closes the gaps of all stitches. The work is charged to the first cloth of the group. */
CLOTH_SEPARATE void close_stitches(sewing *s, const cloth *first, stitch_pass pass, float tolerance) {
  int32_t closed = 0;
  for (int32_t sweep = 0; sweep < STITCH_SWEEPS; sweep++) {
    float largest = 0.0f;
    for (int32_t n = 0; n < s->stitch_count; n++) {
      largest = maximum(largest, close_stitch(s, &s->stitches[sweep & 1 ? s->stitch_count - 1 - n : n], pass));
    }
    closed += s->stitch_count;
    if (!s->shares || largest <= tolerance) {
      break;
    }
  }
  add_varying_work(first, (uint32_t)closed, COST_STITCH);
}

/// A substep ///

/* 1 if a substep solves lines. */
static int solves_lines(const step_plan *plan) {
  return plan->bends || (WITH_PROJECTION && plan->projects);
}

/* Takes the places of all sewn particles from predicted positions, or their velocities. */
static void take_places(sewing *s, const cloth_group *group, stitch_pass pass) {
  for (int32_t n = 0; n < s->particle_count; n++) {
    sewn_particle *p = &s->particles[n];
    const cloth *c = group->cloths[p->cloth];
    p->place = vector_load(pass == STITCH_SLOW ? vectors_at(c, c->state.velocity) : predicted_of(c), p->particle);
    p->impulse = vector(0.0f, 0.0f, 0.0f);
  }
}

/* Notes what stitches do to pins that are sewn. */
static void note_stitches(const sewing *s, const cloth_group *group) {
#if WITH_BODIES
  for (int32_t n = 0; n < s->particle_count; n++) {
    const sewn_particle *p = &s->particles[n];
    const cloth *c = group->cloths[p->cloth];
    if (s->scale[p->cloth] > 0.0f && notes_pins(c) && is_pinned(c, p->particle)) {
      note_displacement(c, p->particle, vector_scale(p->impulse, 1.0f / s->scale[p->cloth]));
    }
  }
#else
  (void)s;
  (void)group;
#endif
}

static int32_t part_of_stitch(const sewing *s, const stitch *t) {
  return s->part[s->particles[t->particle[0]].cloth];
}

/* Sets what the gap of a stitch is to be at the end of a substep of h seconds. */
static void aim_stitch(const sewing *s, stitch *t, float h) {
  const cloth_vector gap = stitch_gap(s, t);
  const float length = vector_length(gap), way = s->speed * h;
  t->rest = t->closing = vector(0.0f, 0.0f, 0.0f);
  if (length > way) {
    const cloth_vector turned = vector_add(gap, vector_cross(s->turn_by[part_of_stitch(s, t)], gap));
    t->rest = vector_flush(vector_scale(turned, 1.0f - way / length), STATE_QUANTUM);
  }
  if (length > OPEN_TOLERANCES * s->tolerance) {
    t->closing = vector_flush_work(vector_scale(vector_subtract(t->rest, gap), 1.0f / h));
  }
}

/* Sets what the gaps are to be at the end of a substep of h seconds, from what they are at its start: those that are
   open close by a speed. */
static void aim_stitches(sewing *s, const cloth_group *group, float h) {
  for (int32_t n = 0; n < s->particle_count; n++) {
    const cloth *c = group->cloths[s->particles[n].cloth];
    s->particles[n].place = vector_load(vectors_at(c, c->state.position), s->particles[n].particle);
  }
  for (int32_t n = 0; n < group->count; n++) {
    s->moment[n] = vector(0.0f, 0.0f, 0.0f);
  }
  s->open_parts = 0;
  for (int32_t n = 0; n < s->stitch_count; n++) {
    const stitch *t = &s->stitches[n];
    if (vector_length(stitch_gap(s, t)) > s->tolerance) {
      s->open_parts |= 1u << part_of_stitch(s, t);
    }
  }
  find_turns(s, group, h);
  for (int32_t n = 0; n < s->stitch_count; n++) {
    aim_stitch(s, &s->stitches[n], h);
  }
}

/* Finds the responses of all sewn particles and stitches, when a step has been prepared. */
CLOTH_SEPARATE void find_responses(sewing *s, const cloth_group *group) {
  for (int32_t n = 0; n < s->particle_count; n++) {
    sewn_particle *p = &s->particles[n];
    find_response(s, group->cloths[p->cloth], p);
  }
  find_folds(s, group);
  for (int32_t n = 0; n < s->stitch_count; n++) {
    find_gap_response(s, &s->stitches[n]);
  }
}

/* 1 if a cloth is sewn and takes part in the step. */
static int is_sewn_awake(const sewing *s, int32_t n) {
  return s->is_sewn[n] && s->scale[n] > 0.0f;
}

/* Solves the lines of a cloth as if it was not sewn. Its pins note nothing of it. */
static void try_lines(cloth *c, int32_t index) {
  const step_plan *plan = &workspace_of(c)->plan;
  const uint32_t noted = c->own.pin_reactions;
  c->own.pin_reactions = 0;
#if WITH_TARGETS && WITH_PROJECTION
  if (plan->led > 0) {
    lead_particles(c, plan, index);
  }
#endif
  (void)index;
#if WITH_BODIES
  loosen_attached(c, plan, 1);
#endif
  solve_lines(c, plan);
#if WITH_BODIES
  loosen_attached(c, plan, 0);
#endif
  c->own.pin_reactions = noted;
}

/* Changes the velocities of the sewn particles of a cloth by the impulses on them. Springs that are projected follow
   when they are solved again; implicit ones in a solve with the impulses in place of forces. */
static void pull_cloth(const sewing *s, const cloth *c, int32_t member, int32_t index) {
  const step_plan *plan = &workspace_of(c)->plan;
  const int solves = WITH_SOLVER && plan->solves;
  if (solves) {
    fill_vectors(c, vectors_at(c, c->scratch.residual), 0.0f);
  }
  for (int32_t n = 0; n < s->particle_count; n++) {
    const sewn_particle *p = &s->particles[n];
    if (p->cloth != member || !(p->mobility > 0.0f)) {
      continue;
    }
    if (solves) {
      const cloth_vector impulse = vector_scale(p->impulse, s->scale[member] * plan->inverse_h);
      vector_store(vectors_at(c, c->scratch.residual), p->particle, vector_flush_work(impulse));
    } else {
      change_velocity(c, p->particle, vector_scale(p->impulse, p->mobility * plan->inverse_h));
    }
  }
#if WITH_SOLVER
  if (solves) {
    add_change_by_impulses(c, plan, index);
  }
#endif
  (void)index;
}

/* Before the solves of substep `index`: changes the velocities of sewn particles by what closes the gaps that the
   solves would leave, and predicts positions again. */
CLOTH_SEPARATE void pull_stitches(sewing *s, const cloth_group *group, float h, int32_t index) {
  aim_stitches(s, group, h);
  for (int32_t n = 0; n < group->count; n++) {
    if (is_sewn_awake(s, n) && solves_lines(&workspace_of(group->cloths[n])->plan)) {
      try_lines(group->cloths[n], index);
    }
  }
  take_places(s, group, STITCH_PULL);
  close_stitches(s, group->cloths[0], STITCH_PULL, s->tolerance);
  unfold_seams(s, group);
  sum_turns(s, group, 0, 1.0f);
  note_stitches(s, group);
  for (int32_t n = 0; n < group->count; n++) {
    if (is_sewn_awake(s, n)) {
      pull_cloth(s, group->cloths[n], n, index);
      predict_positions(group->cloths[n], &workspace_of(group->cloths[n])->plan);
    }
  }
}

/* After the solves, and after contact: closes what is left of the gaps, in positions and velocities, and makes
   velocities equal. */
CLOTH_SEPARATE void join_stitches(sewing *s, const cloth_group *group, const step_plan *plan) {
  for (int32_t pass = STITCH_MOVE; pass <= STITCH_SLOW; pass++) {
    take_places(s, group, (stitch_pass)pass);
    close_stitches(s, group->cloths[0], (stitch_pass)pass,
                   pass == STITCH_MOVE ? s->tolerance : s->tolerance * plan->inverse_h);
    sum_turns(s, group, pass == STITCH_SLOW, pass == STITCH_SLOW ? plan->h : 1.0f);
    if (pass == STITCH_MOVE) {
      note_stitches(s, group);
    }
    for (int32_t n = 0; n < s->particle_count; n++) {
      const sewn_particle *p = &s->particles[n];
      const cloth *c = group->cloths[p->cloth];
      if (p->mobility > 0.0f) {
        if (pass == STITCH_MOVE) {
          change_velocity(c, p->particle, vector_scale(p->impulse, p->mobility * plan->inverse_h));
        }
        vector_store(pass == STITCH_SLOW ? vectors_at(c, c->state.velocity) : predicted_of(c), p->particle, p->place);
      }
    }
  }
}

#endif
