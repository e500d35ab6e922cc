#pragma once
#include "../base/compiler.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/body_list.h"
#include "../cloth/costs.h"
#include "../cloth/gaps.h"
#include "../cloth/layout.h"
#include "../cloth/members.h"
#include "../cloth/step_origin.h"
#include "../cloth/types.h"
#include "../contact/body.h"
#include "../contact/cell_memory.h"
#include "../contact/cell_nearest.h"
#include "../contact/cell_search.h"
#include "../contact/contact_record.h"
#include "../contact/surface.h"
#include "../group/seam_springs.h"
#include "../group/seams.h"
#include "../group/stitches.h"
#include "../self/search.h"
#include "../self/tree.h"
#include "../solve/labels.h"
#include "../solve/solve.h"
#include "../terms/bounds.h"
#include "../terms/pin_reactions.h"
#include "../terms/tethers.h"
#include "coefficients.h"
#include "guard.h"
#include "momentum.h"

/// Work ///

/*
 * The work of a step is known before it: passes, each with a measured constant, times the particles, the substeps and
 * the iterations. A bound is the same with the caps. With fixed work a step does all of them and is charged its bound
 * at once; otherwise it is charged what it has done.
 *
 * The constants are instructions of the scalar build per particle, by callgrind on x86-64 (gcc 12, -O2
 * -DCLOTH_SCALAR), inclusive, on a sheet of 32 x 32, rounded up. Others say what they are of.
 */

/* Per sewn particle and part, and iteration; per spring across a seam, the same; per particle with gathers, and
   part. */
#define WORK_SEWN 3000u
#define WORK_SEWN_ITERATION 700u
#define WORK_SEAM_SPRING 2500u
#define WORK_SEAM_SPRING_ITERATION 700u
#define WORK_GATHERS 60u

/* Once in a step, and once in a substep: for the cloth. */
#define WORK_STEP 7500u
#define WORK_SUBSTEP 2500u
/* The coarsest level, which has up to nine nodes on any grid: its factors in a substep, its solve in an iteration. */
#define WORK_COARSEST_FACTORS 92000u
#define WORK_COARSEST 7000u
/* Per particle and step: pads, diagonal, box, origin, sleep; labels and factors of cloth with gaps or a map. */
#define WORK_PREPARE 70u
#define WORK_LINKS 2000u
/* Per particle and substep: prediction, BDF2, springs and inertia, blocks of springs, plate, air, factors of links. */
#define WORK_PREDICT 120u
#define WORK_BLEND 150u
#define WORK_LINEARISE 610u
#define WORK_BLOCKS 250u
#define WORK_PLATE 95u
#define WORK_AIR 230u
#define WORK_FACTORS 160u
/* The preconditioner: blocks of the particles, coarse levels, and these of cloth in pieces; or no operator at all. */
#define WORK_SET_UP 200u
#define WORK_SET_UP_LEVELS 335u
#define WORK_SET_UP_PIECES 2350u
#define WORK_ALONE 30u
/* An iteration: springs and vectors, plate, coarse levels, these in pieces, air, factors, blocks of the ground. */
#define WORK_ITERATION 360u
#define WORK_ITERATION_PLATE 95u
#define WORK_ITERATION_LEVELS 130u
#define WORK_ITERATION_PIECES 1100u
#define WORK_ITERATION_AIR 20u
#define WORK_ITERATION_FACTORS 75u
#define WORK_ITERATION_GROUND 30u
/* The energy of a substep is compared; more with air; its ways are shortened and compared once more. */
#define WORK_GUARD 780u
#define WORK_GUARD_AIR 240u
#define WORK_SHORTENING 250u
/* Momentum of cloth that nothing holds. */
#define WORK_FREE 440u
#define WORK_ACCEPT 155u
/* Blocks of the ground; targets with motion constraints, and a slot of tethers, which all pull. */
#define WORK_GROUND 310u
#define WORK_TARGETS 600u
#define WORK_TETHER 560u
/* Per prediction of a contact with one of these. */
#define WORK_PREDICTION 470u
/* Per pin: clamps and springs to it on coarse levels. Per particle, and per pin, where reactions are noted. */
#define WORK_PIN 2600u
#define WORK_NOTED 225u
#define WORK_NOTED_PIN 5600u
/* Per confined particle and pass over them: eight of a substep, two of an iteration. */
#define WORK_CONFINED 130u
/* Per particle of cloth that may tear: threads that are too long are looked for. */
#define WORK_TEAR 75u
/* Per particle and substep on the way to rest: energy, largest speed, a stop. */
#define WORK_SETTLE 80u

/* Per particle and part of a substep of cloth that may touch colliders; per touch, which has up to eight particles; and
   where its energy is compared. contact/body.h has what a comparison with a collider costs. */
#define WORK_MEETING 120u
#define WORK_TOUCH 30000u
#define TOUCH_PARTICLES 8u
#define WORK_TOUCH_ENERGY 2500u
/* Per triangle that touches: its law, force, blocks, memory; in an iteration; where its energy is compared. Per place
   of one at which a search measures how far it is from a collider. */
#define WORK_CELL 2600u
#define WORK_CELL_ITERATION 400u
#define WORK_CELL_ENERGY 450u
#define WORK_CELL_SEARCH 600u
/* Per particle where cells touch: what pressed it last. */
#define WORK_LAST_FORCES 90u
/* Per body with mass and product of a solve; and of these per touch, per triangle that touches, per attachment. */
#define WORK_BODY 2000u
#define WORK_BODY_TOUCH 3000u
#define WORK_BODY_CELL 900u
#define WORK_BODY_SPRING 600u
/* Products of a solve beside its iterations: what begins and ends it. */
#define BODY_PRODUCTS 5u
/* Searches for touches for each part of a substep, those of longer parts and of runaways included. */
#define SEARCHES_PER_PART 3
#define SEARCHES_FOR_TOUCHES 2

/* What the work depends on beside the terms. */
typedef struct work_scene {
  int32_t pins, confined;
  int32_t free_pieces, in_pieces; /* momenta that are restored; 1: levels are those of cloth in pieces */
  int32_t has_targets;
  int64_t searched;            /* pairs of a particle and a collider that are compared in a part of a substep */
  int32_t touches;             /* in it */
  int32_t cells;               /* triangles that touch in it */
  int64_t cell_searches;       /* places of triangles that are looked at in it */
  int64_t predictions;         /* of contacts with tethers and targets in it */
  int32_t parts;               /* of a substep, at most */
  int32_t iterations;          /* of a solve with other cloths, at most; 0: of the cloth alone */
  int32_t bodies, attachments; /* with mass; of particles to colliders */
} work_scene;

#if WITH_PLANNING

static int32_t count_pins(const cloth *c) {
  int32_t pins = 0;
  for (int32_t i = next_pin(c, 0); i < c->count; i = next_pin(c, i + 1)) {
    pins++;
  }
  return pins;
}

/* Most pairs of a particle and a collider in a part, with so many colliders, surfaces among them. */
static int64_t most_searches(const cloth *c, int32_t colliders, int32_t surfaces, int32_t has_fields) {
  int64_t searches = 0;
#if WITH_COLLIDERS
  searches += (int64_t)c->count * (colliders - surfaces) *
              (SEARCHES_PER_PART + SEARCHES_FOR_TOUCHES * (most_followed(has_fields) + SEARCHES_OF_CELL));
#endif
#if WITH_SURFACES
  searches += surfaces * most_surface_searches(c, has_fields, SEARCHES_FOR_TOUCHES);
#endif
  (void)c;
  (void)colliders;
  (void)surfaces;
  (void)has_fields;
  return searches;
}

#endif

#if WITH_PLANNING

/* Most places of triangles that are looked at in a part, with room for so many that touch, 0 for none, each of which
   is charged for so many searches at most; where there are bodies with mass, at both ends of the part. */
static int64_t most_cell_searches(const cloth *c, int32_t cells, int32_t searches, int32_t bodies) {
#if WITH_COLLIDERS
  const int32_t places = DESCENT_STEPS + CELL_FOLLOWED + 1 + (bodies > 0 ? KEPT_STEPS + 1 : 0);
  return cells > 0 ? (int64_t)SEARCHES_FOR_TOUCHES * searches * most_cells_tried(c) * places : 0;
#else
  (void)c;
  (void)bodies;
  (void)cells;
  (void)searches;
  return 0;
#endif
}

#endif

/* Parts of a substep of a cloth, at most. */
static int32_t most_parts(const cloth *c) {
  return c->scratch.touches || c->self ? c->settings.integration.max_parts : 1;
}

#if WITH_PLANNING

/* The scene as it is now. `most`: as it may become in a step; cloth may tear in it. */
static work_scene work_scene_of(const cloth *c, int32_t most) {
  work_scene s = {.pins = most ? count_pins(c) : workspace_of(c)->pins,
                  .confined = inputs_of(c)->confined_count,
                  .free_pieces = most ? is_unheld(c) : free_pieces_of(c).count,
                  .in_pieces = !most && is_in_pieces(c),
                  .predictions = most ? (int64_t)c->count * most_predictions(c) : workspace_of(c)->predictions,
                  .has_targets = inputs_of(c)->targets != TARGETS_NONE,
                  .parts = most_parts(c),
                  .bodies = body_count_of(c),
                  .attachments = inputs_of(c)->attachment_count};
#if WITH_GAPS
  if (most && may_have_gaps(c)) {
    s.in_pieces = c->scratch.labels && (gap_summary_of(c)->pieces > 1 || can_tear(c));
    s.free_pieces = s.in_pieces && may_have_free_pieces(c) ? MOST_FREE_PIECES : s.free_pieces;
  }
#endif
#if WITH_COLLIDERS
  if (c->scratch.touches) {
    const int32_t shared = most ? c->settings.capacity.max_shared_bodies : 0; /* each may be the ground */
    int32_t colliders = shared, has_fields = shared > 0, searches = 1;
    for (int32_t index = 0; index < collider_end(c); index++) {
      const cloth_collider *body = &slot_at(c, index)->body;
      const int32_t own = is_collider(c, index) ? most_searches_of(body) : 0;
      colliders += own;
      searches = larger_of(own, searches);
      has_fields |= is_collider(c, index) && is_field(&slot_at(c, index)->body);
    }
    const workspace *w = workspace_of(c);
    s.parts = most && colliders == 0 && !c->self ? 1 : s.parts;
    s.searched = most ? most_searches(c, colliders, count_surfaces(c) + shared, has_fields)
                      : (int64_t)w->searched + w->searched_before;
    s.touches = !most ? w->touches : s.searched ? (int32_t)c->state.max_touches : 0;
    s.cells = !most ? w->cells : s.searched ? (int32_t)c->state.max_cells : 0;
    s.cell_searches = !most ? w->cell_searches : most_cell_searches(c, s.cells, searches, s.bodies);
  }
#endif
  (void)most;
  return s;
}

#endif

#if WITH_PLANNING

/* Work per particle of an iteration. */
static uint32_t iteration_work(const cloth *c, const substep_terms *t, const work_scene *s) {
  uint32_t work = WORK_ITERATION;
  work += t->bends && t->plate_implicit ? WORK_ITERATION_PLATE : 0u;
  work += c->scratch.levels ? WORK_ITERATION_LEVELS : 0u;
  work += s->in_pieces ? WORK_ITERATION_PIECES : 0u;
  work += c->scratch.air ? WORK_ITERATION_AIR : 0u;
  work += c->scratch.factors ? WORK_ITERATION_FACTORS : 0u;
  return work + (c->scratch.ground ? WORK_ITERATION_GROUND : 0u);
}

/* Work per particle of a substep without iterations and its bound of the energy. */
static uint32_t particle_work(const cloth *c, const substep_terms *t, const work_scene *s) {
  uint32_t work = WORK_PREDICT + WORK_LINEARISE + WORK_ACCEPT;
  work += c->settings.integration.bdf2_blend > 0.0f ? WORK_BLEND : 0u;
  work += c->scratch.operator_blocks ? WORK_BLOCKS : 0u;
  work += t->bends ? WORK_PLATE : 0u;
  work += c->scratch.air ? WORK_AIR : 0u;
  work += c->scratch.factors ? WORK_FACTORS : 0u;
  work += c->scratch.ground ? WORK_GROUND : 0u;
  work += s->has_targets ? WORK_TARGETS : 0u;
  work += (uint32_t)c->settings.tethers.count * WORK_TETHER;
  work += (uint32_t)s->free_pieces * WORK_FREE;
  work += notes_pins(c) ? WORK_NOTED : 0u;
  work += can_tear(c) ? WORK_TEAR : 0u;
  if (t->solves) {
    work += WORK_SET_UP + (c->scratch.levels ? WORK_SET_UP_LEVELS : 0u) + (s->in_pieces ? WORK_SET_UP_PIECES : 0u);
    return work;
  }
  return work + WORK_ALONE;
}

/* Work per particle of the bound of the energy, which shortens ways so many times; -1 if it is not compared. */
static uint32_t guard_work(const cloth *c, int32_t shortenings) {
  const uint32_t work = WORK_GUARD + (c->scratch.air ? WORK_GUARD_AIR : 0u);
  return shortenings < 0 ? 0u : work + (uint32_t)shortenings * (work + WORK_SHORTENING);
}

/* Work of bodies in a part of a substep with so many iterations: every product goes over all touches for each body. */
static uint64_t body_work(const work_scene *s, uint32_t iterations) {
  const uint64_t each =
      WORK_BODY + (uint64_t)(uint32_t)s->touches * WORK_BODY_TOUCH + (uint64_t)(uint32_t)s->cells * WORK_BODY_CELL;
  const uint64_t springs = (uint64_t)(uint32_t)s->attachments * WORK_BODY_SPRING;
  return (uint64_t)(uint32_t)s->bodies * (iterations + BODY_PRODUCTS) * (each + springs);
}

/* Work of a substep with so many iterations and `shortenings` of its ways; -1 if the energy is not compared. */
static uint64_t substep_work(const cloth *c, const substep_terms *t, const work_scene *s, int32_t iterations,
                             int32_t shortenings) {
  const uint32_t solved = (uint32_t)iterations, passes = 8u + 2u * solved;
  uint64_t work = (uint64_t)particle_work(c, t, s) + (uint64_t)solved * iteration_work(c, t, s);
  work += guard_work(c, shortenings);
  work = work * (uint32_t)c->count + WORK_SUBSTEP;
  work += (uint64_t)(uint32_t)s->pins * (WORK_PIN + (notes_pins(c) ? WORK_NOTED_PIN : 0u));
  work += (uint64_t)(uint32_t)s->confined * (WORK_CONFINED * passes + (notes_pins(c) ? WORK_NOTED_PIN : 0u));
  if (t->solves && c->scratch.levels) { work += WORK_COARSEST_FACTORS + (uint64_t)(solved + 2u) * WORK_COARSEST; }
  work += c->scratch.touches ? (uint64_t)(uint32_t)c->count * WORK_MEETING : 0u;
  work += (uint64_t)s->predictions * WORK_PREDICTION;
  work += (uint64_t)s->searched * WORK_SEARCH + body_work(s, solved);
  work += (uint64_t)(uint32_t)s->touches * (WORK_TOUCH + (uint32_t)(shortenings + 1) * WORK_TOUCH_ENERGY);
  work += (uint64_t)(uint32_t)s->cells *
          (WORK_CELL + solved * WORK_CELL_ITERATION + (uint32_t)(shortenings + 1) * WORK_CELL_ENERGY);
  work += (uint64_t)s->cell_searches * WORK_CELL_SEARCH;
  work += s->cells > 0 ? (uint64_t)(uint32_t)c->count * WORK_LAST_FORCES : 0u;
  return work;
}

/* Work of a step without its substeps. */
static uint64_t work_around_substeps(const cloth *c) {
  const uint32_t count = (uint32_t)c->count;
  uint64_t work = WORK_STEP + (uint64_t)count * (WORK_PREPARE + (c->scratch.factors ? WORK_LINKS : 0u));
  if (will_choose_tethers(c)) {
    const uint32_t rounds = is_wrapped(c) ? 3 : 1; /* tubes sweep rows twice and compare distances both ways round */
    work += (uint64_t)count * rounds * (COST_CHOOSE + (uint32_t)c->settings.tethers.count * COST_PROPOSE);
    work += may_have_gaps(c) ? paths_work(c) : 0u;
  }
  return work;
}

#endif

/* How many of the `left` substeps of h seconds one substep may do that is not too long: a divisor of them. */
static int32_t longest_stride(float h, int32_t left) {
  int32_t stride = left;
  while (stride > 1 && (left % stride != 0 || (float)stride * h > LONGEST_SUBSTEP * (1.0f + EQUAL_SHARE))) {
    stride--;
  }
  return stride;
}

/* 1 if a deadline may make a step do with fewer substeps: explicit ones have to be short. */
static int may_shorten(const cloth *c) {
  return c->settings.integration.method != CLOTH_INTEGRATION_EXPLICIT_ONLY && !c->settings.capacity.fixed_work;
}

#if WITH_SELF && (WITH_PLANNING || WITH_GROUPS)

/* Most iterations of a solve with pairs, in one of so many substeps of dt. */
static int32_t most_pair_iterations(const cloth *c, float dt, int32_t substeps) {
  substep_terms t;
  set_terms(c, dt / (float)substeps, substeps, &t);
  return t.rounds * t.iterations;
}

#endif

#if WITH_PLANNING

static uint64_t larger_work(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Most work of a substep of h seconds, one of so many, in at most so many iterations, without BDF2, which softens. */
static uint64_t most_substep_work(const cloth *c, const work_scene *s, float h, int32_t substeps, int32_t iterations) {
  substep_terms t;
  set_terms(c, h / (1.0f - c->settings.integration.bdf2_blend * (5.0f / 9.0f)), substeps, &t);
  const int32_t own = s->iterations > 0 ? s->iterations : t.most_iterations;
  const int32_t most = own < iterations ? own : iterations;
  const int32_t shortenings = t.solves && !has_bounds(c) ? MOST_SHORTENINGS : -1;
  const int32_t met = s->iterations > 0 ? most : smaller_of(t.rounds * t.iterations, iterations); /* of what touches */
  work_scene alone = *s;
  alone.touches = alone.cells = 0;
  uint64_t part = substep_work(c, &t, s, t.solves ? met : 0, shortenings);
  part += ((uint64_t)(uint32_t)s->touches * TOUCH_PARTICLES + (uint64_t)(uint32_t)s->cells) * record_cost(c);
  part = larger_work(part, substep_work(c, &t, &alone, t.solves ? most : 0, shortenings));
  return part * (uint32_t)s->parts;
}

/* Most work of the substeps of a step: all of them, or some and then longer ones after a deadline. */
static uint64_t most_substeps_work(const cloth *c, const work_scene *s, float dt, int32_t substeps) {
  const float h = dt / (float)substeps;
  const uint64_t each = most_substep_work(c, s, h, substeps, INT32_MAX);
  uint64_t most = each * (uint32_t)substeps;
  for (int32_t left = substeps; may_shorten(c) && left > 1; left--) {
    const int32_t stride = longest_stride(h, left);
    if (stride > 1) {
      const uint64_t longer = most_substep_work(c, s, (float)stride * h, substeps, CUT_ITERATIONS);
      most = larger_work(most, each * (uint32_t)(substeps - left) + longer * (uint32_t)(left / stride));
    }
  }
  return most;
}

/* Most work of what happens at most once in a step, or in a substep, of any cloth. */
static uint64_t most_other_work(const cloth *c, int32_t substeps) {
  const uint64_t count = (uint32_t)c->count;
  uint64_t work = WITH_ORIGIN && c->settings.world.recentre_distance > 0.0f ? count * follow_cost(c) : 0u;
  if (can_tear(c)) {
    work += count * (COST_GAPS + 2u * COST_GAUGE + WORK_LINKS) * (uint32_t)substeps;
    work += c->state.tethers ? paths_work(c) : 0u;
  }
  return work;
}

/* Most work of contact of a cloth with itself in a step. */
static uint64_t max_self_work(const cloth *c, float dt, int32_t substeps, int32_t parts) {
#if WITH_SELF
  if (feels_itself(c)) {
    const self_settings *settings = self_settings_of(c);
    const self_layout l = self_layout_of(c->count, c->grid.columns, settings->pairs, settings->shape);
    const contact_bounds b = {(uint32_t)c->count, substeps, parts, most_pair_iterations(c, dt, substeps)};
    return max_contact_work(&l, &b);
  }
#endif
  (void)c;
  (void)dt;
  (void)substeps;
  (void)parts;
  return 0;
}

/* Most work of a step in so many substeps of a cloth that is awake. */
static uint64_t most_step_work(const cloth *c, const work_scene *s, float dt, int32_t substeps) {
  return work_around_substeps(c) + most_substeps_work(c, s, dt, substeps) + most_other_work(c, substeps) +
         max_self_work(c, dt, substeps, s->parts);
}

/* Most work of the choice of shared bodies. */
static uint64_t max_choice_work(const cloth *c) {
  const uint64_t particles = (uint64_t)(uint32_t)c->count * COST_SHARED_BOUNDS;
  return c->settings.capacity.max_shared_bodies > 0 ? CLOTH_SHARED_BODY_LIMIT * (uint64_t)COST_SHARED_BODY + particles
                                                    : 0u;
}

#endif

/* Charges a step that begins, with fixed work for all of it; `iterations` 0: as many as the cloth has alone. */
static void charge_step(const cloth *c, const step_plan *plan, int32_t parts, int32_t iterations) {
#if WITH_PLANNING
  if (c->settings.capacity.fixed_work) {
    work_scene s = work_scene_of(c, 1);
    s.parts = parts > 0 ? parts : s.parts;
    s.iterations = iterations;
    add_work(c, most_step_work(c, &s, plan->dt, plan->substeps), 1);
    return;
  }
  add_work(c, work_around_substeps(c), 1);
#else
  (void)c;
#endif
  (void)plan;
  (void)parts;
  (void)iterations;
}

#if WITH_SEAMS

/* The work of so many sewn particles, springs across seams and particles of cloths with gathers in a part. */
static uint64_t seams_work(int32_t sewn, int32_t springs, int32_t gathers, int32_t iterations) {
  const uint64_t steps = (uint32_t)iterations;
  return (uint64_t)(uint32_t)sewn * (WORK_SEWN + steps * WORK_SEWN_ITERATION) +
         (uint64_t)(uint32_t)springs * (WORK_SEAM_SPRING + steps * WORK_SEAM_SPRING_ITERATION) +
         (uint64_t)(uint32_t)gathers * WORK_GATHERS;
}

#endif

/* Charges what joins cloths in a part of a substep, to the first of them. */
static void charge_joints(const solve_group *g, int32_t iterations) {
#if WITH_SEAMS
  const sewing *s = g->joints->seams;
  const int32_t part = g->joints->part;
  int32_t sewn = 0, springs = 0, gathers = 0;
  if (has_fixed_work(g)) { return; }
  EACH_SEWN(s, part, p, c, sewn++);
  EACH_SEAM_SPRING(s, part, f, springs++);
  EACH_MEMBER(g, m, gathers += s->is_gathered[m->number] ? m->c->count : 0);
  add_work(g->members->c, seams_work(sewn, springs, gathers, iterations), 1);
#endif
  (void)g;
  (void)iterations;
}

/* Charges a substep that is done, see substep_work(). */
CLOTH_ONCE void charge_substep(const cloth *c, const substep_terms *t, int32_t iterations, int32_t shortenings) {
#if WITH_PLANNING
  if (!c->settings.capacity.fixed_work) {
    const work_scene s = work_scene_of(c, 0);
    add_work(c, substep_work(c, t, &s, iterations, shortenings), 1);
  }
  workspace_of(c)->searched = workspace_of(c)->searched_before = workspace_of(c)->cell_searches = 0;
#else
  (void)c;
  (void)t;
  (void)iterations;
  (void)shortenings;
#endif
}
