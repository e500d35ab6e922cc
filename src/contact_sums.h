#pragma once
#include "access.h"
#include "bodies.h"
#include "bounds.h"
#include "compiler.h"
#include "contact_record.h"
#include "contact_response.h"
#include "costs.h"
#include "lanes.h"
#include "layout.h"
#include "scalar.h"
#include "types.h"

/// Sums over contacts ///

/*
 * What contact of the particles with a collider adds up: reactions, statistics and work. In: the response of each
 * block. Out: sums, then reactions, statistics, and what the workspace knows of contact. Scratch: residual holds marks
 * behind the bounds; line_work the sums of parts.
 */

/* Sums over the particles near a collider. */
typedef struct reaction_sums {
  lanes_sum impulse[3]; /* that the particles receive [N s] */
  lanes_sum torque[3];  /* of these impulses about the collider's position at the end of the step [N m s] */
  lanes_sum touching;   /* how many touch */
  lanes_sum particles;  /* how many of these touch no collider before in the order of slots */
  lanes_sum sticking;   /* how many touch and do not slide, and do not stick to a collider before */
  lanes_sum near;       /* how many passed the cull tests, touching or not */
  contact_tally tally;
  float *marks; /* of contacts, see contact_marks_of(); NULL: every contact is of another particle */
} reaction_sums;

/* Sums that nothing has been added to. */
static reaction_sums empty_sums(float *marks) {
  const reaction_sums sums = {.marks = marks};
  return sums;
}

/* Adds the impulses on a block of particles at `position`; they are 0 for lanes that do not touch. The arms of these
   are set to 0, too: lanes past the last particle hold undefined positions. */
static void sum_reactions(const moving_body *m, int32_t i, lanes_mask touches, lanes3 position, lanes3 impulse,
                          reaction_sums *sums) {
  lanes3 arm = lanes3_flush(lanes3_subtract(position, lanes3_splat(m->pivot)));
  arm = lanes3_keep(touches, arm);
  impulse = lanes3_flush_below(impulse, INPUT_QUANTUM);
  lanes3 torque = lanes3_cross(arm, impulse);
  lanes3_sum_add(sums->impulse, i, impulse);
  lanes3_sum_add(sums->torque, i, torque);
}

/*
 * A particle may touch several colliders, and statistics count particles: in the last substep, whose counts remain,
 * marks tell what a particle has touched already. They lie in scratch.residual, behind the room of the bounds.
 */
#define MARK_TOUCHES 1.0f
#define MARK_STICKS 2.0f

static float *contact_marks_of(const cloth *c) {
  return floats_at(c, c->scratch.residual) + 2 * c->stride;
}

/* Clears the marks, or marks the particles that the solver holds, which are counted. Returns the marks; NULL if no
   particle can be counted twice. */
static float *start_contact_marks(const cloth *c) {
  float *marks = contact_marks_of(c);
  if (collider_end(c) < 2 && !has_solver_contacts(c) && !is_concave(&colliders_of(c)->body)) {
    return NULL;
  }
  for (int32_t i = 0; i < c->count; i++) {
    const uint32_t kind = has_solver_contacts(c) ? CONTACT_KIND(contact_info_of(c)[i]) : CONTACT_NONE;
    marks[i] = kind == CONTACT_STICK ? MARK_STICKS : kind == CONTACT_SLIDE ? MARK_TOUCHES : 0.0f;
  }
  return marks;
}

/* Counts the particles of a block that touch, 1 in `touches`, of which some slide. */
CLOTH_INLINE void count_contacts(reaction_sums *sums, int32_t i, int32_t left, lanes touches, lanes_mask slides) {
  const lanes sticks = lanes_drop(slides, touches);
  lanes_sum_add(&sums->touching, i, touches);
  if (!sums->marks) {
    lanes_sum_add(&sums->particles, i, touches);
    lanes_sum_add(&sums->sticking, i, sticks);
    return;
  }
  const lanes mark = lanes_load(sums->marks + i);
  lanes_sum_add(&sums->particles, i, lanes_drop(lanes_less(lanes_splat(0.0f), mark), touches));
  lanes_sum_add(&sums->sticking, i, lanes_drop(lanes_less(lanes_splat(MARK_TOUCHES), mark), sticks));
  lanes_store_first(sums->marks + i, lanes_maximum(mark, lanes_add(touches, sticks)), left);
}

/* Subtracts from a collider's reaction an impulse that the cloth received from it, and that impulse's torque. */
static void react(const cloth *c, const moving_body *m, cloth_vector impulse, cloth_vector torque) {
  const cloth_vector none = {0.0f, 0.0f, 0.0f};
  receive_impulse(c, m->index, vector_subtract(none, impulse), vector_subtract(none, torque));
}

/* Adds what contact has counted to the step. */
static void add_tally(const cloth *c, const contact_tally *tally) {
  workspace *w = workspace_of(c);
  add_varying_work(c, tally->work, 1);
  w->statistics.overflows += tally->overflows;
  w->tears |= tally->tears;
  w->frees |= tally->frees;
}

/* Adds the sums over all particles to a collider's reaction, the statistics and the work. */
static void store_reactions(const cloth *c, const moving_body *m, const reaction_sums *sums, cloth_statistics *counts) {
  react(c, m, lanes3_sum_total(sums->impulse), lanes3_sum_total(sums->torque));
  counts->contacts += (int32_t)lanes_sum_total(&sums->particles);
  counts->contacts_sticking += (int32_t)lanes_sum_total(&sums->sticking);
  add_tally(c, &sums->tally);
  add_varying_work(c, (uint32_t)lanes_sum_total(&sums->near), near_cost(shape_of(c, m)));
  add_varying_work(c, (uint32_t)lanes_sum_total(&sums->touching), m->body >= 0 ? COST_SHARED : 0);
  add_varying_work(c, (uint32_t)lanes_sum_total(&sums->touching), COST_RESPOND + record_cost(c));
}

#if WITH_WORKERS

/*
 * In pieces. Sums of floats depend on their order, so a cloth with capacity.workers adds up the reactions of parts of
 * CONTACT_PART particles, and these in their order, whoever has computed them. What bodies with mass receive changes
 * them from particle to particle, and contacts are recorded in one list: both are left to one thread, and one part.
 */
#define CONTACT_PART 4096

/* One reaction_sums for each part, in line_work, which lines use before and after. */
static reaction_sums *sums_of_parts(const cloth *c) {
  return (reaction_sums *)at(c, c->scratch.line_work);
}

static int32_t contact_parts(const cloth *c) {
  return (c->count + CONTACT_PART - 1) / CONTACT_PART;
}

/* Lines of n particles have LINE_SLOT * LINE_BLOCK * n floats there, grids of n * n particles at most. */
LAYOUT_CONTRACT(sums_of_parts_have_room,
                (CLOTH_GRID_LIMIT / (CONTACT_PART / CLOTH_GRID_LIMIT)) * sizeof(reaction_sums) <=
                    LINE_SLOT * LINE_BLOCK * CLOTH_GRID_LIMIT * sizeof(float));
LAYOUT_CONTRACT(parts_are_whole_blocks, CONTACT_PART % (BOUND_BLOCK * LINE_BLOCK) == 0);

static void join_sum(lanes_sum *sum, const lanes_sum *part) {
  for (int32_t n = 0; n < LANES_SUMS; n++) {
    sum->partial[n] += part->partial[n];
  }
}

static void join_sums(reaction_sums *sums, const reaction_sums *part) {
  for (int32_t axis = 0; axis < 3; axis++) {
    join_sum(&sums->impulse[axis], &part->impulse[axis]);
    join_sum(&sums->torque[axis], &part->torque[axis]);
  }
  join_sum(&sums->touching, &part->touching);
  join_sum(&sums->particles, &part->particles);
  join_sum(&sums->sticking, &part->sticking);
  join_sum(&sums->near, &part->near);
  sums->tally.work += part->tally.work;
  sums->tally.overflows += part->tally.overflows;
  sums->tally.tears |= part->tally.tears;
  sums->tally.frees |= part->tally.frees;
}

#endif
