#pragma once
#include "../cloth/init.h"
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
#include "../solve/free_pieces.h"
#include "../solve/levels.h"
#include "../solve/solve.h"
#include "../terms/bounds.h"
#include "../terms/pin_reactions.h"
#include "../terms/tethers.h"
#include "guard.h"
#include "plan.h"

/// Work ///

/*
 * The work of a step is known before it: passes, each with a measured constant, times the particles, the substeps and
 * the iterations. A bound is the same with the caps. With fixed work a step does all of them and is charged its bound
 * at once; otherwise it is charged what it has done.
 *
 * The constants are instructions of the scalar build per particle, by callgrind on x86-64 (gcc 12, -O2
 * -DCLOTH_SCALAR), inclusive, on a sheet of 32 x 32, rounded up. Others say what they are of.
 */

enum {
  /* Once in a step, and once in a substep: for the cloth. */
  WORK_STEP = 7500,
  WORK_SUBSTEP = 2500,
  /* Per particle and step. */
  WORK_PREPARE = 70, /* pads, diagonal, box, origin, sleep */
  WORK_LINKS = 2000, /* labels and factors of cloth with gaps or a map */
  /* Per particle and substep. */
  WORK_PREDICT = 120,
  WORK_BLEND = 150,     /* BDF2 */
  WORK_LINEARISE = 610, /* springs and inertia */
  WORK_BLOCKS = 250,    /* of springs */
  WORK_PLATE = 95,
  WORK_AIR = 230,
  WORK_FACTORS = 160,        /* of links */
  WORK_SET_UP = 200,         /* the preconditioner: blocks of the particles, ... */
  WORK_SET_UP_LEVELS = 335,  /* ... coarse levels, ... */
  WORK_SET_UP_PIECES = 2350, /* ... and these of cloth in pieces; ... */
  WORK_ALONE = 30,           /* ... or no operator at all */
  WORK_GUARD = 780,          /* the energy of a substep is compared; ... */
  WORK_GUARD_AIR = 240,      /* ... more with air; ... */
  WORK_SHORTENING = 250,     /* ... its ways are shortened and compared once more */
  WORK_FREE = 470,           /* momentum of cloth that nothing holds */
  WORK_ACCEPT = 155,
  WORK_GROUND = 310,     /* blocks of the ground */
  WORK_TARGETS = 600,    /* with motion constraints */
  WORK_TETHER = 560,     /* a slot, which all pull */
  WORK_NOTED = 225,      /* reactions of pins are noted */
  WORK_TEAR = 75,        /* threads that are too long are looked for */
  WORK_SETTLE = 80,      /* on the way to rest: energy, largest speed, a stop */
  WORK_MEETING = 120,    /* cloth that may touch colliders */
  WORK_LAST_FORCES = 90, /* where cells touch: what pressed it last */
  /* Per particle and iteration. */
  WORK_ITERATION = 360, /* springs and vectors */
  WORK_ITERATION_PLATE = 95,
  WORK_ITERATION_LEVELS = 130,
  WORK_ITERATION_PIECES = 1100,
  WORK_ITERATION_AIR = 20,
  WORK_ITERATION_FACTORS = 75,
  WORK_ITERATION_GROUND = 30,
  /* The coarsest level, which has up to nine nodes on any grid: in a substep, and in an iteration. */
  WORK_COARSEST_FACTORS = 92000,
  WORK_COARSEST = 7000,
  /* Others. */
  WORK_PREDICTION = 470,    /* per prediction of a contact with a target or a tether */
  WORK_BOUND_ENERGY = 1400, /* per particle where the energy of targets and tethers is compared, beside finding them */
  WORK_PIN = 2600,          /* per pin: clamps and springs to it on coarse levels; ... */
  WORK_NOTED_PIN = 5600,    /* ... and where reactions are noted */
  WORK_CONFINED = 130,      /* per confined particle and pass over them: eight of a substep, two of an iteration */
  WORK_TOUCH = 30000,       /* per touch, which has up to eight particles; contact/body.h has what a comparison costs */
  TOUCH_PARTICLES = 8,
  WORK_TOUCH_ENERGY = 2500,  /* where the energy is compared */
  WORK_CELL = 2600,          /* per triangle that touches: its law, force, blocks, memory; ... */
  WORK_CELL_ITERATION = 400, /* ... in an iteration; ... */
  WORK_CELL_ENERGY = 450,    /* ... where its energy is compared; ... */
  WORK_CELL_SEARCH = 600,    /* ... per place at which a search measures how far it is from a collider */
  WORK_BODY = 2000,          /* per body with mass and product of a solve, and of these ... */
  WORK_BODY_TOUCH = 3000,    /* ... per touch, ... */
  WORK_BODY_CELL = 900,      /* ... per triangle that touches, ... */
  WORK_BODY_SPRING = 600,    /* ... per attachment */
  BODY_PRODUCTS = 5,         /* of a solve beside its iterations: what begins and ends it */
  WORK_SEWN = 3000,          /* per sewn particle and part, ... */
  WORK_SEWN_ITERATION = 700, /* ... and iteration */
  WORK_SEAM_SPRING = 2500,   /* per spring across a seam, the same */
  WORK_SEAM_SPRING_ITERATION = 700,
  WORK_GATHERS = 60 /* per particle of cloth with gathers, and part */
};
/* Searches for touches for each part of a substep, those of longer parts and of runaways included. */
#define SEARCHES_PER_PART 3
#define SEARCHES_FOR_TOUCHES 2

/* What the work depends on beside the terms. */
typedef struct work_scene {
  int32_t pins, confined;
  int32_t free_pieces, in_pieces; /* momenta that are restored; 1: levels are those of cloth in pieces */
  int64_t searched;               /* pairs of a particle and a collider that are compared in a part of a substep */
  int32_t touches;                /* in it */
  int32_t cells;                  /* triangles that touch in it */
  int64_t cell_searches;          /* places of triangles that are looked at in it */
  int64_t predictions;            /* of contacts with tethers and targets in it */
  int32_t parts;                  /* of a substep, at most */
  int32_t iterations;             /* of a solve with other cloths, at most; 0: of the cloth alone */
  int32_t bodies, attachments;    /* with mass; of particles to colliders */
} work_scene;

/* So many times a piece of work. */
CLOTH_INLINE uint64_t times(int64_t count, uint64_t work) {
  return (uint64_t)count * work;
}

/* Parts of a substep of a cloth, at most. */
static int32_t most_parts(const cloth *c) {
  return c->scratch.touches || c->self ? c->settings.integration.max_parts : 1;
}

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

/* Most iterations of a solve with pairs, in one of so many substeps of dt. */
static int32_t most_pair_iterations(const cloth *c, float dt, int32_t substeps) {
  substep_terms t;
  set_terms(c, dt / (float)substeps, substeps, &t);
  return t.rounds * t.iterations;
}

static int32_t count_pins(const cloth *c) {
  int32_t pins = 0;
  for (int32_t i = next_pin(c, 0); i < c->count; i = next_pin(c, i + 1)) {
    pins++;
  }
  return pins;
}

/* Most pairs of a particle and a collider in a part, with so many colliders, surfaces among them. */
static int64_t most_searches(const cloth *c, int32_t colliders, int32_t surfaces, int32_t has_fields) {
  const int32_t searches = SEARCHES_PER_PART + SEARCHES_FOR_TOUCHES * (most_followed(has_fields) + SEARCHES_OF_CELL);
  const int64_t of_solids = (int64_t)c->count * (colliders - surfaces) * searches;
  return of_solids + (WITH_SURFACES ? surfaces * most_surface_searches(c, has_fields, SEARCHES_FOR_TOUCHES) : 0);
}

/* Most places of triangles that are looked at in a part, with room for so many that touch, 0 for none, each of which
   is charged for so many searches at most; where there are bodies with mass, at both ends of the part. */
static int64_t most_cell_searches(const cloth *c, int32_t cells, int32_t searches, int32_t bodies) {
  const int32_t places = DESCENT_STEPS + CELL_FOLLOWED + 1 + (bodies > 0 ? KEPT_STEPS + 1 : 0);
  return cells > 0 ? (int64_t)SEARCHES_FOR_TOUCHES * searches * most_cells_tried(c) * places : 0;
}

/* The scene as it is now. `most`: as it may become in a step; cloth may tear in it. */
static work_scene work_scene_of(const cloth *c, int32_t most) {
  work_scene s = {.pins = most ? count_pins(c) : workspace_of(c)->pins,
                  .confined = inputs_of(c)->confined_count,
                  .free_pieces = most ? is_unheld(c) || inputs_of(c)->confined_count > 0 : free_pieces_of(c).count,
                  .in_pieces = !most && is_in_pieces(c),
                  .predictions = most ? (int64_t)c->count * most_predictions(c) : workspace_of(c)->predictions,
                  .parts = most_parts(c),
                  .bodies = body_count_of(c),
                  .attachments = inputs_of(c)->attachment_count};
  if (most && may_have_gaps(c)) {
    s.in_pieces = c->scratch.labels && (gap_summary_of(c)->pieces > 1 || can_tear(c));
    s.free_pieces = s.in_pieces && may_have_free_pieces(c) ? MOST_FREE_PIECES : s.free_pieces;
  }
  if (WITH_COLLIDERS && c->scratch.touches) {
    const int32_t shared = most ? c->settings.capacity.max_shared_bodies : 0; /* each may be the ground */
    int32_t colliders = shared, has_fields = shared > 0, searches = 1;
    for (int32_t index = 0; index < collider_end(c); index++) {
      const cloth_collider *body = &slot_at(c, index)->body;
      const int32_t own = is_collider(c, index) ? most_searches_of(body) : 0;
      colliders += own;
      searches = larger_of(own, searches);
      has_fields |= is_collider(c, index) && is_field(body);
    }
    const workspace *w = workspace_of(c);
    s.parts = most && colliders == 0 && !c->self ? 1 : s.parts;
    s.searched = most ? most_searches(c, colliders, count_surfaces(c) + shared, has_fields)
                      : (int64_t)w->searched + w->searched_before;
    s.touches = !most ? w->touches : s.searched ? (int32_t)c->state.max_touches : 0;
    s.cells = !most ? w->cells : s.searched ? (int32_t)c->state.max_cells : 0;
    s.cell_searches = !most ? w->cell_searches : most_cell_searches(c, s.cells, searches, s.bodies);
  }
  return s;
}

static uint32_t iteration_work(const cloth *c, const substep_terms *t, const work_scene *s) {
  uint32_t work = WORK_ITERATION;
  work += t->bends && t->plate_implicit ? WORK_ITERATION_PLATE : 0;
  work += c->scratch.levels ? WORK_ITERATION_LEVELS : 0;
  work += s->in_pieces ? WORK_ITERATION_PIECES : 0;
  work += c->scratch.air ? WORK_ITERATION_AIR : 0;
  work += c->scratch.factors ? WORK_ITERATION_FACTORS : 0;
  return work + (c->scratch.ground ? WORK_ITERATION_GROUND : 0);
}

/* Work per particle to find what targets and tethers hold. */
static uint32_t bounds_work(const cloth *c) {
  const uint32_t targets = inputs_of(c)->targets != TARGETS_NONE ? WORK_TARGETS : 0;
  return targets + (uint32_t)c->settings.tethers.count * WORK_TETHER;
}

/* Work per particle of a substep without iterations and its bound of the energy. */
static uint32_t particle_work(const cloth *c, const substep_terms *t, const work_scene *s) {
  uint32_t work = WORK_PREDICT + WORK_LINEARISE + WORK_ACCEPT;
  work += c->settings.integration.bdf2_blend > 0.0f ? WORK_BLEND : 0;
  work += c->scratch.operator_blocks ? WORK_BLOCKS : 0;
  work += t->bends ? WORK_PLATE : 0;
  work += c->scratch.air ? WORK_AIR : 0;
  work += c->scratch.factors ? WORK_FACTORS : 0;
  work += c->scratch.ground ? WORK_GROUND : 0;
  work += bounds_work(c);
  work += notes_pins(c) ? WORK_NOTED : 0;
  work += can_tear(c) ? WORK_TEAR : 0;
  work += c->scratch.touches ? WORK_MEETING : 0;
  work += s->cells > 0 ? WORK_LAST_FORCES : 0;
  work += (uint32_t)s->free_pieces * WORK_FREE;
  if (!t->solves) { return work + WORK_ALONE; }
  work += c->scratch.levels ? WORK_SET_UP_LEVELS : 0;
  return work + WORK_SET_UP + (s->in_pieces ? WORK_SET_UP_PIECES : 0);
}

/* Work per particle of the bound of the energy, which shortens ways so many times; -1 if it is not compared. */
static uint32_t guard_work(const cloth *c, int32_t shortenings) {
  const uint32_t held = has_bounds(c) ? bounds_work(c) + WORK_BOUND_ENERGY : 0u;
  const uint32_t work = WORK_GUARD + (c->scratch.air ? (uint32_t)WORK_GUARD_AIR : 0u) + held;
  return shortenings < 0 ? 0u : work + (uint32_t)shortenings * (work + WORK_SHORTENING);
}

/* Work of bodies in a part of a substep with so many iterations: every product goes over all touches for each body. */
static uint64_t body_work(const work_scene *s, uint32_t iterations) {
  const uint64_t each = WORK_BODY + times(s->touches, WORK_BODY_TOUCH) + times(s->cells, WORK_BODY_CELL) +
                        times(s->attachments, WORK_BODY_SPRING);
  return times(s->bodies, iterations + BODY_PRODUCTS) * each;
}

/* Work of a substep with so many iterations and `shortenings` of its ways; -1 if the energy is not compared. */
static uint64_t substep_work(const cloth *c, const substep_terms *t, const work_scene *s, int32_t iterations,
                             int32_t shortenings) {
  const uint32_t solved = (uint32_t)iterations, passes = 8u + 2u * solved, compared = (uint32_t)(shortenings + 1);
  const uint32_t noted = notes_pins(c) ? WORK_NOTED_PIN : 0;
  const uint64_t alone = particle_work(c, t, s) + guard_work(c, shortenings);
  uint64_t work = WORK_SUBSTEP + times(c->count, alone + (uint64_t)solved * iteration_work(c, t, s));
  work += times(s->pins, WORK_PIN + noted) + times(s->confined, WORK_CONFINED * passes + noted);
  if (t->solves && c->scratch.levels) { work += WORK_COARSEST_FACTORS + (solved + 2u) * WORK_COARSEST; }
  work += times(s->predictions, WORK_PREDICTION) + times(s->searched, WORK_SEARCH) + body_work(s, solved);
  work += times(s->touches, WORK_TOUCH + compared * WORK_TOUCH_ENERGY);
  work += times(s->cells, WORK_CELL + solved * WORK_CELL_ITERATION + compared * WORK_CELL_ENERGY);
  return work + times(s->cell_searches, WORK_CELL_SEARCH);
}

static uint64_t work_around_substeps(const cloth *c) {
  uint64_t work = WORK_STEP + times(c->count, WORK_PREPARE + (c->scratch.factors ? WORK_LINKS : 0));
  if (will_choose_tethers(c)) {
    const uint32_t rounds = is_wrapped(c) ? 3 : 1; /* tubes sweep rows twice and compare distances both ways round */
    work += rounds * times(c->count, COST_CHOOSE + (uint32_t)c->settings.tethers.count * COST_PROPOSE);
    work += may_have_gaps(c) ? paths_work(c) : 0u;
  }
  return work;
}

static uint64_t larger_work(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Most work of a substep of h seconds, one of so many, in at most so many iterations, without BDF2, which softens. */
static uint64_t most_substep_work(const cloth *c, const work_scene *s, float h, int32_t substeps, int32_t iterations) {
  substep_terms t;
  set_terms(c, h / (1.0f - c->settings.integration.bdf2_blend * (5.0f / 9.0f)), substeps, &t);
  const int32_t own = s->iterations > 0 ? s->iterations : t.most_iterations;
  const int32_t most = own < iterations ? own : iterations;
  const int32_t shortenings = t.solves ? MOST_SHORTENINGS : -1;
  const int32_t met = s->iterations > 0 ? most : smaller_of(t.iterations, iterations); /* of what touches */
  const int32_t rounds = s->touches > 0 || s->cells > 0 || feels_itself(c) ? t.rounds : 1;
  const int32_t longest = s->iterations > 0 ? most : smaller_of(rounds * t.iterations, iterations);
  work_scene alone = *s;
  alone.touches = alone.cells = 0;
  const uint64_t records = (times(s->touches, TOUCH_PARTICLES) + times(s->cells, 1)) * record_cost(c);
  const uint64_t touching = substep_work(c, &t, s, t.solves ? met : 0, shortenings) + records;
  const uint64_t part = larger_work(touching, substep_work(c, &t, &alone, t.solves ? most : 0, shortenings));
  return larger_work(times(s->parts, part), substep_work(c, &t, s, t.solves ? longest : 0, shortenings) + records);
}

/* Most work of the substeps of a step: all of them, or some and then longer ones after a deadline. */
static uint64_t most_substeps_work(const cloth *c, const work_scene *s, float dt, int32_t substeps) {
  const float h = dt / (float)substeps;
  const uint64_t each = most_substep_work(c, s, h, substeps, INT32_MAX);
  uint64_t most = times(substeps, each);
  for (int32_t left = substeps; may_shorten(c) && left > 1; left--) {
    const int32_t stride = longest_stride(h, left);
    if (stride > 1) {
      const uint64_t longer = most_substep_work(c, s, (float)stride * h, substeps, CUT_ITERATIONS);
      most = larger_work(most, times(substeps - left, each) + times(left / stride, longer));
    }
  }
  return most;
}

/* Most work of what happens at most once in a step, or in a substep, of any cloth. */
static uint64_t most_other_work(const cloth *c, int32_t substeps) {
  uint64_t work = WITH_ORIGIN && c->settings.world.recentre_distance > 0.0f ? times(c->count, follow_cost(c)) : 0u;
  if (can_tear(c)) {
    work += times(substeps, times(c->count, COST_GAPS + 2 * COST_GAUGE + WORK_LINKS));
    work += c->state.tethers ? paths_work(c) : 0u;
  }
  return work;
}

/* Most work of contact of a cloth with itself in a step. */
static uint64_t max_self_work(const cloth *c, float dt, int32_t substeps, int32_t parts) {
  if (!feels_itself(c)) { return 0; }
  const self_settings *settings = self_settings_of(c);
  const self_layout l = self_layout_of(c->count, c->grid.columns, settings->pairs, settings->shape);
  const contact_bounds b = {(uint32_t)c->count, substeps, parts, most_pair_iterations(c, dt, substeps)};
  return max_contact_work(&l, &b);
}

/* Most work of a step in so many substeps of a cloth that is awake. */
static uint64_t most_step_work(const cloth *c, const work_scene *s, float dt, int32_t substeps) {
  return work_around_substeps(c) + most_substeps_work(c, s, dt, substeps) + most_other_work(c, substeps) +
         max_self_work(c, dt, substeps, s->parts);
}

/* Most work of the choice of shared bodies before a step. */
static uint64_t max_choice_work(const cloth *c) {
  const uint64_t particles = times(c->count, COST_SHARED_BOUNDS);
  return c->settings.capacity.max_shared_bodies > 0 ? times(CLOTH_SHARED_BODY_LIMIT, COST_SHARED_BODY) + particles : 0u;
}

/* Most work of a call that makes such a step. */
static uint64_t most_call_work(const cloth *c, const work_scene *s, float dt, int32_t substeps) {
  return most_step_work(c, s, dt, substeps) + max_choice_work(c);
}

/* Charges a step that begins, with fixed work for all of it; `iterations` 0: as many as the cloth has alone. */
static void charge_step(const cloth *c, const step_plan *plan, int32_t parts, int32_t iterations) {
  if (WITH_PLANNING && c->settings.capacity.fixed_work) {
    work_scene s = work_scene_of(c, 1);
    s.parts = parts > 0 ? parts : s.parts;
    s.iterations = iterations;
    add_work(c, most_step_work(c, &s, plan->dt, plan->substeps), 1);
    return;
  }
  add_work(c, work_around_substeps(c), 1);
}

/* Charges a substep that is done, see substep_work(). */
CLOTH_ONCE void charge_substep(const cloth *c, const substep_terms *t, int32_t iterations, int32_t shortenings) {
  if (WITH_PLANNING && !c->settings.capacity.fixed_work) {
    const work_scene s = work_scene_of(c, 0);
    add_work(c, substep_work(c, t, &s, iterations, shortenings), 1);
  }
  workspace_of(c)->searched = workspace_of(c)->searched_before = workspace_of(c)->cell_searches = 0;
}

/* The work of so many sewn particles, springs across seams and particles of cloths with gathers in a part. */
static uint64_t seams_work(int32_t sewn, int32_t springs, int32_t gathers, int32_t iterations) {
  const uint32_t steps = (uint32_t)iterations;
  return times(sewn, WORK_SEWN + steps * WORK_SEWN_ITERATION) +
         times(springs, WORK_SEAM_SPRING + steps * WORK_SEAM_SPRING_ITERATION) + times(gathers, WORK_GATHERS);
}

/* Charges what joins cloths in a part of a substep, to the first of them. */
static void charge_joints(const solve_group *g, int32_t iterations) {
  const sewing *s = g->joints->seams;
  const int32_t part = g->joints->part;
  int32_t sewn = 0, springs = 0, gathers = 0;
  if (!WITH_SEAMS || has_fixed_work(g)) { return; }
  EACH_SEWN(s, part, p, c, sewn++);
  EACH_SEAM_SPRING(s, part, f, springs++);
  EACH_MEMBER(g, m, gathers += s->is_gathered[m->number] ? m->c->count : 0);
  add_work(g->members->c, seams_work(sewn, springs, gathers, iterations), 1);
}

/// Bounds of work ///

/* The most work of the next step of a cloth, and of any step of a config, by a model of its cloth. */

#if WITH_PLANNING

/* 1 if a cloth that no shared bodies can be near was linked to others in the step before, by seams or bodies. */
static int was_linked(const cloth *c) {
  return (WITH_SEAMS || WITH_COMMON_BODIES) && (inputs_of(c)->around_hash[0] | inputs_of(c)->around_hash[1]) != 0u;
}

int cloth_get_work_bound(const cloth *c, float dt, uint64_t *work) {
  RETURN_IF_ERROR(check_step(c, dt));
  if (!work) { return CLOTH_ERROR_NULL; }
  /* By a body of a table, or as it is not linked any more in a step alone. */
  const int may_wake = c->settings.capacity.max_shared_bodies > 0 || was_linked(c);
  if (WITH_SLEEP && is_asleep(c) && !may_wake) {
    *work = COST_STEP + max_choice_work(c);
    return CLOTH_OK;
  }
  const work_scene s = work_scene_of(c, 1);
  *work = most_call_work(c, &s, dt, choose_substeps(c, dt, 0));
  return CLOTH_OK;
}

/* A cloth without particles, for a config that has no arena: what the work is computed from follows it. */
typedef struct config_model {
  cloth c;
  cloth_inputs inputs;
  self_settings self;
  gap_summary gaps;
} config_model;

static void model_from_config(config_model *model, const cloth_config *config) {
  cloth *c = &model->c;
  fill_zero(model, sizeof *model);
  compute_layout(c, config);
  measure_grid(c, config);
  copy_settings(c, config);
  measure_maps(c, config);
  c->state.inputs = offsetof(config_model, inputs);
  if (c->self) {
    c->self = offsetof(config_model, self);
    copy_self_settings(&model->self, config);
  }
  if (may_have_gaps(c)) {
    measure_tearing(c, config, &model->gaps);
    c->gaps = offsetof(config_model, gaps);
    measure_mask(c, config, &model->gaps);
    model->gaps.kind |= GAPS_MASKED; /* as if it was torn */
  }
  set_fabric(c, &config->fabric);
  model->inputs.targets = config->capacity.targets ? TARGETS_MOVING : TARGETS_NONE;
  model->inputs.tethers_chosen = TETHERS_STALE;
}

/* The scene of the most work that a cloth of this config can be in. */
static work_scene worst_scene(const cloth_config *config, const cloth *c) {
  const int32_t most = reacting(config), shared = config->capacity.max_shared_bodies;
  const int32_t meshes = config->capacity.meshes + shared, has_fields = config->capacity.geometry || shared > 0;
  const int32_t surfaces = config->capacity.geometry || meshes > most ? most : meshes;
  const int32_t hulls = config->capacity.geometry ? MOST_HULL_SEARCHES : 1;
  const int64_t searches = most_searches(c, most, surfaces, has_fields);
  const int64_t of_hulls = most_searches(c, hulls * most, 0, has_fields);
  return (work_scene){.pins = c->count,
                      .confined = config->capacity.max_confined,
                      .free_pieces = c->scratch.labels ? MOST_FREE_PIECES : 1,
                      .in_pieces = c->scratch.labels != 0,
                      .searched = searches > of_hulls ? searches : of_hulls,
                      .touches = most > 0 ? (int32_t)c->state.max_touches : 0,
                      .cells = most > 0 ? (int32_t)c->state.max_cells : 0,
                      .cell_searches = most_cell_searches(c, most > 0 ? (int32_t)c->state.max_cells : 0, hulls,
                                                          config->capacity.max_bodies),
                      .predictions = (int64_t)c->count * most_predictions(c),
                      .parts = most_parts(c),
                      .bodies = config->capacity.max_bodies,
                      .attachments = config->capacity.max_attachments};
}

int cloth_config_work_bound(const cloth_config *config, float dt, uint64_t *work) {
  RETURN_IF_ERROR(check_config(config));
  if (!work) { return CLOTH_ERROR_NULL; }
  if (!is_time_step(dt)) { return CLOTH_ERROR_RANGE; }
  config_model model;
  model_from_config(&model, config);
  const work_scene s = worst_scene(config, &model.c);
  const int32_t least = least_substeps(&model.c, dt);
  const int32_t largest = config->substeps > 0 ? least : config->integration.max_substeps;
  *work = 0;
  for (int32_t n = least; n <= largest; n++) {
    *work = larger_work(*work, most_call_work(&model.c, &s, dt, n));
  }
  return CLOTH_OK;
}

/// Planner ///

/* cloth_plan() chooses substeps and iterations: from many substeps with automatic iterations down to two; two with
   fewer iterations; one. It takes the best within the work that is given, or the cheapest that stretches no more than
   is given, by their bounds and the stretch to expect. */

/* Cut-off of the strain by the fabric's own weight, and the least stiffness [N/m] that that is divided by. */
#define MAX_OWN_STRETCH 1.0e3f
#define MIN_STIFFNESS 1.0e-3f

/* The longer side of a sheet, of a pre-shaped piece that of its means [m]. */
static float longer_side(const cloth *c, const cloth_config *config) {
  const float columns = (float)cells_along_warp(c), rows = (float)(c->grid.rows - 1);
  return config->grid.rest_positions ? maximum(columns * c->grid.spacing_warp, rows * c->grid.spacing_weft)
                                     : maximum(vector_length(config->edge_warp), vector_length(config->edge_weft));
}

/*
 * Stretch to expect: the largest strain of a spring of a sheet that swings by two corners, a mean over time. Its corner
 * springs carry its weight, along the sides and across, so with the particles of the longer side it is
 *
 *     0.65 weight per area * length * particles / (stretch + shear stiffness)
 *
 * whatever the substeps, times the root of automatic iterations over those of the plan; to a factor of two. A strain
 * limit makes springs stiffer from there on.
 */
static float expected_stretch(const cloth *c, const cloth_config *config, int32_t automatic, int32_t iterations) {
  const cloth_fabric *fabric = &config->fabric;
  const float gravity = vector_length(config->gravity);
  const float side = (float)(c->grid.columns > c->grid.rows ? c->grid.columns : c->grid.rows);
  const float stretch = minimum(fabric->stretch_warp, fabric->stretch_weft);
  const float stiffness = maximum(stretch + fabric->shear, MIN_STIFFNESS);
  const float own = minimum(fabric->density * gravity * longer_side(c, config) / stiffness, MAX_OWN_STRETCH);
  const float unsolved = square_root(maximum((float)automatic / (float)iterations, 1.0f));
  const float expected = 0.65f * own * side * unsolved;
  const float limit = config->strain_limit.max_extension, over = maximum(expected - limit, 0.0f);
  return limit > 0.0f ? minimum(expected, limit) + over / config->strain_limit.stiffness : expected;
}

/* A plan: substeps, and iterations, 0 for CLOTH_AUTOMATIC. */
typedef struct plan_choice {
  uint8_t substeps, iterations;
} plan_choice;

/* From best to cheapest. */
CLOTH_CONSTANT static const plan_choice plan_choices[] = {{32, 0}, {24, 0}, {16, 0}, {12, 0}, {8, 0}, {6, 0},
                                                          {4, 0},  {3, 0},  {2, 0},  {2, 5},  {2, 4}, {2, 3},
                                                          {1, 0},  {1, 5},  {1, 4},  {1, 3}};

/* Forecasts a plan. Returns 0 if a step of dt seconds cannot be made so. */
static int forecast_plan(config_model *model, const cloth_config *config, float dt, const plan_choice *choice,
                         cloth_forecast *forecast) {
  cloth *c = &model->c;
  const work_scene scene = worst_scene(config, c);
  substep_terms t;
  c->settings.integration.substeps = choice->substeps;
  c->settings.integration.iterations = choice->iterations;
  c->settings.solver.tolerance = 0.0f;
  const int32_t substeps = least_substeps(c, dt);
  if (is_refused(c, dt)) { return 0; }
  set_terms(c, dt / (float)substeps, substeps, &t);
  forecast->work = most_call_work(c, &scene, dt, substeps);
  c->settings.integration.iterations = CLOTH_AUTOMATIC;
  forecast->stretch = expected_stretch(c, config, iterations_for(c, &t, substeps), t.iterations);
  return 1;
}

/* The number of the best plan within the work or, with a stretch, of the cheapest that keeps it; or -1. 0: no maximum.
 */
static int32_t choose_plan(const cloth_config *config, float dt, uint64_t work, float stretch, cloth_forecast *best) {
  config_model model;
  int32_t chosen = -1;
  model_from_config(&model, config);
  for (int32_t n = 0; n < (int32_t)(sizeof plan_choices / sizeof *plan_choices); n++) {
    cloth_forecast f;
    if (!forecast_plan(&model, config, dt, &plan_choices[n], &f) || (work > 0 && f.work > work) ||
        (stretch > 0.0f && f.stretch > stretch)) {
      continue;
    }
    if (chosen < 0 || (stretch > 0.0f && f.work < best->work)) {
      *best = f;
      chosen = n;
    }
  }
  return chosen;
}

/* Largest stretch that may be given as a goal; as good as no goal. */
#define MAX_STRETCH_GOAL 1.0e6f

int cloth_plan(const cloth_config *config, float dt, uint64_t work, float stretch, cloth_config *planned,
               cloth_forecast *forecast) {
  RETURN_IF_ERROR(check_config(config));
  if (!planned || !forecast) { return CLOTH_ERROR_NULL; }
  if (!is_time_step(dt) || !in_range(stretch, 0.0f, MAX_STRETCH_GOAL) || (work == 0 && stretch == 0.0f)) {
    return CLOTH_ERROR_RANGE;
  }
  cloth_forecast best;
  const int32_t chosen = choose_plan(config, dt, work, stretch, &best);
  if (chosen < 0) { return CLOTH_ERROR_NO_PLAN; }
  *planned = *config;
  planned->substeps = plan_choices[chosen].substeps;
  planned->iterations = plan_choices[chosen].iterations;
  planned->solver.tolerance = 0.0f;
  *forecast = best;
  return CLOTH_OK;
}

#endif
