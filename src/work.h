#pragma once
#include "access.h"
#include "bodies.h"
#include "bounds.h"
#include "compiler.h"
#include "config.h"
#include "contact_record.h"
#include "costs.h"
#include "fabric.h"
#include "gaps.h"
#include "init.h"
#include "layout.h"
#include "motion.h"
#include "overstretched.h"
#include "pin_reactions.h"
#include "plan.h"
#include "scalar.h"
#include "self_watch.h"
#include "step_origin.h"
#include "strain_limit.h"
#include "tethers.h"
#include "types.h"
#include "uniform.h"

/// Work ///

/*
 * The work of a step and its bounds, added up from costs.h. Work has two parts: a planned one, fixed by the plan, the
 * pins and the colliders and charged before the first substep; and a varying one that kernels charge as it happens:
 * iterations, particles tested against colliders, near them and touching them, traced paths, taut tethers, particles
 * held by the solver. A bound is the planned work plus the maximum of the varying work. With fixed work the maximum is
 * planned. In: the plan, the settings, the scene (scene_summary). Out: nothing but results; cloth_get_work_bound()
 * writes the workspace's plan, which every step makes anew. Scratch: none.
 */

/* Number of lines of springs across the seam of a tube whose mode is at least `mode`. */
static uint32_t active_seam_lines(const cloth *c, const step_plan *plan, int32_t mode) {
  uint32_t lines = 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    lines += d != WEFT && plan->spring[d].mode >= mode;
  }
  return is_wrapped(c) ? lines : 0;
}

/* Cost per particle of what costs so much per row, rounded up. */
static uint32_t share_of_row(const cloth *c, uint32_t cost) {
  uint32_t columns = (uint32_t)c->grid.columns;
  return (cost + columns - 1u) / columns;
}

/* Cost per particle of an iteration of the solver. */
static uint32_t iteration_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_IMPLICIT) * COST_SEAM_PAIR;
  int stretch = plan->spring[WARP].mode >= CLOTH_MODE_IMPLICIT || plan->spring[WEFT].mode >= CLOTH_MODE_IMPLICIT;
  int shear = plan->spring[DIAGONAL].mode >= CLOTH_MODE_IMPLICIT;
  return (uint32_t)(COST_ITERATION + (stretch ? COST_PAIR : 0) + (shear ? COST_PAIR : 0)) + share_of_row(c, seam);
}

/* Cost per particle of a solve without its iterations. */
static uint32_t solve_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_IMPLICIT) * COST_SEAM_BLOCKS;
  return (uint32_t)(COST_PRECONDITIONER + COST_SOLVE + (c->state.warm_start ? COST_WARM : 0)) +
         (c->state.warm_start || has_solver_contacts(c) ? iteration_cost(c, plan) : 0u) + share_of_row(c, seam) +
         (takes_left_over(c) ? COST_LEFT_OVER : 0u);
}

/* Cost per particle of the forces of a substep and of the change that they bring. */
static uint32_t forces_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_EXPLICIT) * COST_SEAM;
  return (uint32_t)(COST_BODY_FORCES + COST_CHANGE + (plan->springs || plan->solves ? COST_SPRINGS : 0)) +
         (plan->solves ? solve_cost(c, plan) : 0u) + share_of_row(c, seam);
}

/* Cost of the lines of a substep, whatever their length. */
static uint64_t lines_cost(const cloth *c, const step_plan *plan) {
  const uint32_t rows = (uint32_t)c->grid.rows, columns = (uint32_t)c->grid.columns;
  const uint32_t lines[DIRECTIONS] = {[WARP] = rows, [WEFT] = columns, [DIAGONAL] = columns, [ANTIDIAGONAL] = columns};
  uint64_t cost = has_bend_lines(plan) ? (uint64_t)(rows + 2u * columns) * COST_BEND_LINE : 0u;
  cost += has_stencil(plan) ? (uint64_t)rows * COST_STENCIL_ROW + (uint64_t)columns * COST_STENCIL_COLUMN : 0u;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    cost += plan->spring[d].projected != PROJECTED_NONE ? (uint64_t)lines[d] * COST_LINE : 0u;
  }
  return cost;
}

/* Cost per particle of all solves along lines, without lines_cost(). */
static uint32_t line_cost(const cloth *c, const step_plan *plan) {
  const uint32_t is_ring = (uint32_t)is_wrapped(c), is_mapped = c->constant.stiffness_map || may_have_gaps(c);
  uint32_t cost = 0;
  if (has_stencil(plan)) {
    cost += COST_STENCIL + (plan->bend.shift > 0.0f ? COST_STENCIL_VISCOUS : 0u);
  }
  if (has_bend_lines(plan)) {
    cost += COST_BEND + (plan->bend.shift > 0.0f ? COST_VISCOUS : 0u);
    cost += is_mapped * COST_BEND_MAPPED + is_ring * COST_BEND_RING;
  }
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    const spring_family *s = &plan->spring[d];
    if (s->projected != PROJECTED_NONE) {
      cost += COST_STRETCH + (s->damping_share > 0.0f ? COST_DAMPED : 0u);
      cost += is_mapped || s->projected == PROJECTED_SOME ? COST_MAPPED : 0u;
      cost += d == WARP ? is_ring * COST_STRETCH_RING : 0u;
      cost += c->scratch.longest && d <= WEFT ? (uint32_t)COST_LONGEST : 0u;
    }
  }
  return cost;
}

/* Cost per particle of what every substep does whatever the state is. */
static uint32_t particle_cost(const cloth *c, const step_plan *plan, int32_t tether_slots) {
  uint32_t cost = COST_PREDICT + COST_ACCEPT + (c->state.velocity_history ? COST_HISTORY : 0);
  cost += (may_have_gaps(c) ? (uint32_t)COST_ABSENT : 0u) + (can_tear(c) ? (uint32_t)COST_TEAR : 0u);
  cost += has_air(c) ? COST_AIR : 0;
  if (plan->forces || has_solver_contacts(c) || !WITH_PROJECTION) {
    cost += forces_cost(c, plan);
  }
  if (c->settings.strain_limit.sweeps > 0 || plan->projects || plan->bends) {
    const uint32_t tethers = plan->projects ? (uint32_t)tether_slots * COST_TETHER : 0u;
    const uint32_t momenta = plan->is_free ? COST_FREE : 0u; /* a cloth has pins or is free, but a bound is of both */
    cost += COST_UPDATE + (plan->sums ? (uint32_t)COST_SUMS : 0u) + (tethers > momenta ? tethers : momenta);
  }
  cost += inputs_of(c)->targets != TARGETS_NONE ? COST_TARGET : 0u;
  const uint32_t sweep = strain_limit_cost(c) + (plan->sums ? (uint32_t)COST_SUMS_LIMIT : 0u);
  return cost + (uint32_t)c->settings.strain_limit.sweeps * sweep;
}

/* What the work of a step depends on beside its plan. */
typedef struct scene_summary {
  int32_t uniform;          /* particles of mobility 1 where lines may be uniform */
  int32_t confined;         /* particles confined to lines and planes */
  int32_t tether_slots;     /* tethers of a particle; 0 without pins */
  int32_t colliders;        /* all of them ... */
  uint32_t obstacles;       /* ... and those that may block tethers: all but planes */
  uint32_t contact_cost;    /* of a particle that touches all colliders at once */
  int32_t bodies, attached; /* colliders with mass, and particles attached to colliders */
  int32_t meshes;           /* colliders that are meshes */
  int32_t guarded;          /* colliders that cells are kept out of */
  uint32_t search_cost;     /* per particle, of the search for cells near one of them, at most ... */
  uint32_t triangle_cost;   /* ... and of a triangle near it, at most */
  uint64_t search_sum;      /* sum of the former over all of them, ... */
  uint64_t traced_sum;      /* ... and of a triangle that is traced at each, without the response */
  int32_t noted_pins;       /* pins whose impulses are noted; 0 if none are */
  uint32_t distance_cost;   /* of one point from a convex collider, at most */
} scene_summary;

/* Adds `count` colliders like `body` that cells are kept out of. */
static void add_guarded(scene_summary *scene, const cloth_collider *body, int32_t count) {
  if (!WITH_CELL_CONTACT || count == 0) {
    return;
  }
  const uint32_t triangle = cell_triangle_cost(body), search = 2u * COST_BOUND + COST_CELL + cell_edges_cost(body);
  const uint32_t traced = triangle + CELL_TRACE_STEPS * cell_trace_cost(body);
  scene->guarded += count;
  scene->search_cost = search > scene->search_cost ? search : scene->search_cost;
  scene->triangle_cost = triangle > scene->triangle_cost ? triangle : scene->triangle_cost;
  scene->search_sum += (uint64_t)search * (uint32_t)count;
  scene->traced_sum += (uint64_t)traced * (uint32_t)count;
}

static void add_collider(scene_summary *scene, const cloth_collider *body) {
  scene->colliders++;
  scene->contact_cost += max_contact_cost(body);
  scene->meshes += body->shape == CLOTH_SHAPE_MESH;
  scene->obstacles += body->shape != CLOTH_SHAPE_PLANE;
  const uint32_t distance = is_concave(body) ? 0u : distance_cost(body);
  scene->distance_cost = distance > scene->distance_cost ? distance : scene->distance_cost;
}

static int has_pins(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    if (is_pinned(c, i)) {
      return 1;
    }
  }
  return 0;
}

/* The scene as it is now, with `uniform` particles of mobility 1. */
static scene_summary summarise_scene(const cloth *c, int32_t uniform) {
  scene_summary scene;
  fill_zero(&scene, sizeof scene);
  scene.uniform = can_tear(c) ? 0 : uniform; /* threads may break within the step */
  scene.confined = inputs_of(c)->confined_count;
  scene.bodies = inputs_of(c)->body_count;
  scene.attached = inputs_of(c)->attachment_count;
  for (int32_t i = 0; notes_pins(c) && i < c->count; i++) {
    scene.noted_pins += is_pinned(c, i);
  }
  scene.contact_cost = (uint32_t)scene.bodies * COST_SHARED;
  scene.tether_slots = has_pins(c) ? c->settings.tethers.count : 0;
  for (int32_t index = 0; WITH_COLLIDERS && index < collider_end(c); index++) {
    if (is_collider(c, index)) {
      const cloth_collider *body = &slot_at(c, index)->body;
      add_collider(&scene, body);
      add_guarded(&scene, body, guards_cells(body, body_number(c, index) >= 0));
    }
  }
  return scene;
}

#if WITH_PROJECTION

/* Maximum cost per particle and substep of lines that are solved again, rounded up. */
static uint32_t lines_again_cost(const cloth *c, const step_plan *plan) {
  const uint32_t rows = (uint32_t)c->grid.rows, columns = (uint32_t)c->grid.columns;
  const uint32_t along_rows = (uint32_t)most_lines_again(c->grid.rows) * columns;
  const uint32_t along_columns = (uint32_t)most_lines_again(c->grid.columns) * rows;
  if (!solves_again(c, plan)) {
    return 0;
  }
  const uint32_t work = along_rows * line_again_cost(c, plan, WARP) + along_columns * line_again_cost(c, plan, WEFT);
  return AGAIN_SWEEPS * COST_LENGTHS + work / (uint32_t)c->count + 1u;
}

#endif

/* Maximum cost per particle and substep of tethers, contacts, iterations and recovery. Fixed work plans it. */
static uint64_t max_varying_cost(const cloth *c, const step_plan *plan, const scene_summary *scene) {
  /* A particle is slowed down before contact, and put back after it. */
  uint64_t cost = 2u * COST_RECOVER + scene->contact_cost + (uint32_t)scene->colliders * record_cost(c);
  if (c->scratch.contact_pull && scene->colliders > 0) {
    cost += 2u * COST_TORN + COST_AGAIN + 4u * COST_HELD_LINE + scene->contact_cost;
    cost += (uint32_t)scene->colliders * (COST_PULLS + COST_SLOW + 3u * record_cost(c) + COST_COLLIDER / 4u);
  }
#if WITH_PROJECTION
  cost += lines_again_cost(c, plan);
#endif
  if (plan->projects) {
    cost += (uint32_t)scene->tether_slots *
            (COST_TAUT + scene->obstacles * (COST_BOX_TEST + COST_SEGMENT_TEST + COST_PATH_TEST));
  }
  if (plan->solves || (has_solver_contacts(c) && scene->colliders > 0)) {
    cost += (uint64_t)(uint32_t)(c->settings.solver.max_iterations + 1) * iteration_cost(c, plan);
  }
  return cost;
}

/* Most triangles of cells that a pass tests against a collider. */
static uint64_t most_cell_triangles(const cloth *c) {
  const uint64_t all = 2u * (uint64_t)(uint32_t)cells_along_warp(c) * (uint32_t)(c->grid.rows - 1);
  return all < CELL_TRIANGLES ? all : CELL_TRIANGLES;
}

/* Maximum work of contact of cells in a substep: with lines over contacts colliders are passed twice. */
static uint64_t max_cells_work(const cloth *c, const scene_summary *scene) {
  const uint64_t triangles = most_cell_triangles(c);
  const uint32_t corners = 3u * (COST_CELL_CORNER + record_cost(c));
  const uint64_t once = scene->search_sum * (uint32_t)c->count +
                        triangles * (scene->traced_sum + (uint64_t)corners * (uint32_t)scene->guarded);
  return scene->guarded > 0 ? (uint32_t)c->count * (uint64_t)COST_WIDEST + (c->scratch.contact_pull ? 2u : 1u) * once
                            : 0u;
}

#if WITH_BEARING

/* Maximum work of what bears bodies in a substep: all particles are near all bodies, and all lines bear one. */
static uint64_t max_bearing_work(const cloth *c, const step_plan *plan, const scene_summary *scene) {
  const uint64_t count = (uint32_t)c->count, triangles = most_cell_triangles(c);
  if (scene->bodies == 0 || !plan->projects || has_solver_contacts(c)) {
    return 0;
  }
  const uint64_t particle =
      COST_BEARING_NEAR + COST_BEARING + 2u * scene->distance_cost + COST_BEARING_PART + 2u * record_cost(c);
  const uint64_t cells = WITH_CELL_CONTACT ? count * scene->search_cost + triangles * scene->triangle_cost : 0u;
  return (uint32_t)scene->bodies * (count * particle + cells) + count * (DIRECTIONS * COST_BEARING_LINE + COST_WIDEST);
}

#else

static uint64_t max_bearing_work(const cloth *c, const step_plan *plan, const scene_summary *scene) {
  (void)c;
  (void)plan;
  (void)scene;
  return 0;
}

#endif

/* Maximum work of letting out tethers in a step: a particle asks for as many pairs of pins as it has tethers, and one
   more; and where there are bodies, for as many as it has tethers, and without a history of velocities for each body.
 */
static uint64_t max_pairs_work(const cloth *c, const scene_summary *scene) {
  const uint32_t slots = (uint32_t)scene->tether_slots;
  const uint32_t near = c->state.velocity_history ? 0u : (uint32_t)scene->colliders;
  const uint64_t pairs = slots > 0 ? slots + 1u + (scene->colliders > 0 ? slots + near : 0u) : 0u;
  return pairs * (uint32_t)c->count * COST_PAIR_OF_PINS;
}

/* Maximum number of particles whose hinges or twist are not solved with the factors that uniform lines share: a
   particle of another mobility may be the cause for its row, its column and the columns beside it. */
static uint32_t general_particles(const cloth *c, const scene_summary *scene) {
  const uint64_t causes = (uint32_t)(c->count - scene->uniform);
  const uint64_t particles = causes * (uint32_t)(3 * c->grid.rows + c->grid.columns);
  return particles < (uint32_t)c->count ? (uint32_t)particles : (uint32_t)c->count;
}

#if WITH_SEAMS

/* Work of a cloth of a group, in a step, that solves its lines a second time as it is sewn. */
static uint64_t sewn_lines_work(const cloth *c, const step_plan *plan) {
  uint64_t work = (uint64_t)(line_cost(c, plan) + COST_PREDICT) * (uint32_t)c->count + lines_cost(c, plan);
  work += has_bend_lines(plan) ? (uint64_t)(uint32_t)c->count * COST_BEND_GENERAL : 0u;
  return work * (uint32_t)plan->substeps;
}

/* Work of a sewn cloth, in a step, that solves a second time for implicit springs; with `most`, of as many iterations
   of both solves as there may be beyond those of its settings. */
static uint64_t sewn_solves_work(const cloth *c, const step_plan *plan, int most) {
  const int32_t own = c->settings.solver.max_iterations, cap = own > SEWN_ITERATIONS ? own : SEWN_ITERATIONS;
  if (!plan->solves) {
    return 0;
  }
  const uint64_t more = most ? (uint64_t)(uint32_t)(2 * cap + 1 - own) * iteration_cost(c, plan) : 0u;
  return ((uint64_t)(COST_SOLVE + COST_CHANGE) + more) * (uint32_t)c->count * (uint32_t)plan->substeps;
}

/* Most work of so many sewn particles and stitches in a step. */
static uint64_t max_stitch_work(uint64_t sewn, uint64_t stitches, int32_t sweeps, int32_t substeps) {
  return sewn * (COST_RESPONSE + (uint64_t)COST_SEWN * (uint32_t)substeps) +
         stitches * COST_STITCH * (uint32_t)substeps * (5u * (uint32_t)sweeps);
}

/* Most work of so many folds of seams in a step. */
static uint64_t max_fold_work(uint64_t folds, int32_t substeps) {
  return folds * (COST_FOLD_LINES + (uint64_t)COST_FOLD * (uint32_t)substeps);
}

/* Work of gathered springs in a step of a cloth, which solves all its rows and columns twice as if it had maps. */
static uint64_t gathers_work(const cloth *c, int32_t substeps) {
  return (uint64_t)(uint32_t)c->count * (4u * COST_MAPPED) * (uint32_t)substeps;
}

#endif

/* Maximum work of self-contact in a step: every gather is repeated as often as may be, visits as many pairs as it may
   and finds as many candidates as there is room for; all of them touch a triangle, or each other, in every sweep. */
static uint64_t max_contact_work(const self_layout *l, uint64_t particles, int32_t wanted, int32_t substeps,
                                 int32_t shape) {
  const int is_round = shape == CLOTH_SELF_SPHERES;
  const uint64_t places = (uint64_t)(uint32_t)l->max_batches * SELF_BATCH;
  const int32_t gathers = wanted < substeps ? wanted : substeps;
  const uint64_t searches = SELF_ATTEMPTS * (uint32_t)gathers * max_attempt_work(l, particles, is_round);
  const uint64_t spheres = SELF_SWEEPS * places * (COST_SPHERE_CANDIDATE + COST_SPHERE_TOUCH);
  const uint64_t triangles =
      (uint64_t)(uint32_t)l->max_intersections * COST_SELF_CONTOUR +
      SELF_SWEEPS * particles * (COST_SELF_FOLD + DIRECTIONS * (COST_SELF_NOTED + COST_SELF_LOOK + COST_SELF_OPEN)) +
      SELF_SWEEPS * particles * 2u * (COST_SELF_NOTED + COST_SELF_LOOK + COST_RIM_NEAR + COST_RIM_TOUCH) +
      (SELF_SWEEPS + SELF_HOLDS) * places * (COST_SELF_CANDIDATE + COST_SELF_NEAR + COST_SELF_TOUCH);
  return searches + (particles * COST_SELF_WATCH + (is_round ? spheres : triangles)) * (uint32_t)substeps;
}

/* The same for a cloth that feels itself, else 0. */
static uint64_t max_self_work(const cloth *c, const step_plan *plan) {
  const self_settings *settings = (const self_settings *)at(c, c->self);
  if (!WITH_SELF || !c->self || settings->gathers == 0) {
    return 0;
  }
  const self_layout l = self_layout_of(c->count, c->grid.columns, settings->pairs, settings->shape);
  return max_contact_work(&l, (uint32_t)c->count, settings->gathers, plan->substeps, settings->shape);
}

/* The planned work of contact in a substep: the bounds, and the tests of the blocks. */
static uint64_t bounds_work(const cloth *c, const scene_summary *scene) {
  if (WITH_COLLIDERS && uses_bounds(c, (int32_t)scene->obstacles)) {
    return (uint64_t)(uint32_t)c->count * COST_BOUND +
           (uint64_t)(uint32_t)bound_blocks(c) * (uint32_t)scene->colliders * COST_BLOCK;
  }
  return 0;
}

/* Maximum work of an origin that follows the cloth. */
static uint64_t follow_work(const cloth *c) {
  const int follows = WITH_ORIGIN && c->settings.world.recentre_distance > 0.0f;
  return follows ? (uint64_t)(uint32_t)c->count * follow_cost(c) : 0u;
}

/* The planned work of a step. */
static uint64_t planned_work(const cloth *c, const step_plan *plan, const scene_summary *scene) {
  uint64_t cost = particle_cost(c, plan, scene->tether_slots);
  const int pushes = scene->colliders > 0 && c->state.velocity_history && !has_solver_contacts(c);
  cost += pushes ? COST_PUSHES : 0;
  cost += c->settings.capacity.fixed_work ? max_varying_cost(c, plan, scene) : 0u;
  if (has_solver_contacts(c)) {
    cost += (uint32_t)scene->colliders * (COST_SEEK + (scene->colliders > 1 ? COST_SEEK_MORE : 0u));
  }
  uint64_t work = cost * (uint32_t)c->count;
  work += (uint64_t)line_cost(c, plan) * (uint32_t)c->count + lines_cost(c, plan);
  work += has_bend_lines(plan) ? (uint64_t)general_particles(c, scene) * COST_BEND_GENERAL : 0u;
  work += COST_SUBSTEP + (uint32_t)c->grid.rows * COST_ROW + (uint32_t)scene->confined * COST_CONFINED +
          (uint32_t)scene->colliders * COST_COLLIDER + bounds_work(c, scene);
  work += c->settings.capacity.fixed_work ? max_cells_work(c, scene) + max_bearing_work(c, plan, scene) : 0u;
  work += (uint64_t)(uint32_t)scene->bodies * COST_BODY + (uint64_t)(uint32_t)scene->attached * COST_ATTACHED;
  work += notes_pins(c)
              ? (uint64_t)(uint32_t)c->count * COST_NOTED + (uint64_t)(uint32_t)scene->noted_pins * COST_NOTED_PIN
              : 0u;
  work = work * (uint32_t)plan->substeps + COST_STEP +
         (uint64_t)(uint32_t)c->count * (COST_PREPARE + COST_PLACE + (pushes ? (uint32_t)COST_CALM : 0u) +
                                         (uint32_t)c->settings.tethers.count * COST_MARK +
                                         (c->settings.tethers.count > 0 ? (uint32_t)COST_PAIRS : 0u));
  work += c->settings.capacity.fixed_work ? follow_work(c) + max_pairs_work(c, scene) : 0u;
  work += c->settings.capacity.fixed_work ? max_self_work(c, plan) : 0u;
  if (will_choose_tethers(c)) {
    uint32_t rounds = is_wrapped(c) ? 3 : 1; /* tubes sweep rows twice and compare distances both ways round */
    work += (uint64_t)(uint32_t)c->count * rounds * (COST_CHOOSE + (uint32_t)c->settings.tethers.count * COST_PROPOSE);
    work += may_have_gaps(c) ? paths_work(c) : 0u;
  }
  return work;
}

#if WITH_PLANNING

/* Maximum of the varying work of a step. */
static uint64_t max_varying_work(const cloth *c, const step_plan *plan, const scene_summary *scene) {
  uint64_t cost = c->settings.capacity.fixed_work ? 0u : max_varying_cost(c, plan, scene);
  if (has_solver_contacts(c) && scene->colliders > 0) {
    cost += COST_HELD + record_cost(c) + (plan->solves ? 0u : solve_cost(c, plan));
  }
  uint64_t once =
      c->settings.capacity.fixed_work ? 0u : follow_work(c) + max_pairs_work(c, scene) + max_self_work(c, plan);
  const uint64_t more = max_cells_work(c, scene) + max_bearing_work(c, plan, scene);
  once += c->settings.capacity.fixed_work ? 0u : more * (uint32_t)plan->substeps;
  once += (uint64_t)((uint32_t)scene->meshes * (uint32_t)c->count) * max_walks_cost(plan->substeps);
  cost += can_tear(c) ? (uint32_t)COST_GAPS + 2u * COST_GAUGE : 0u;
  once += can_tear(c) && c->state.tethers ? paths_work(c) : 0u;
  return cost * (uint32_t)c->count * (uint32_t)plan->substeps + once;
}

/* Adds `count` colliders, as many of them meshes as there may be, with the contacts of the shape whose contacts cost
   most: capsules, unless a cloth may have geometry. All may be capsules, which have contacts of cells, and `masses` of
   them shapes with edges, with mass, whose contacts of cells cost more. */
static void add_bodies(scene_summary *scene, int32_t count, int32_t masses, int32_t geometry, int32_t meshes) {
  cloth_collider body, worst;
  fill_zero(&body, sizeof body);
  body.shape = CLOTH_SHAPE_CAPSULE;
  worst = body;
  add_guarded(scene, &body, WITH_COLLIDERS ? count - masses : 0);
  body.shape = WITH_HULL && geometry ? CLOTH_SHAPE_HULL : CLOTH_SHAPE_CYLINDER;
  body.geometry.elements = CELL_HULL_ELEMENTS;
  add_guarded(scene, &body, WITH_COLLIDERS ? masses : 0);
  body.geometry.elements = HULL_ELEMENTS_MAX;
  for (int32_t shape = CLOTH_SHAPE_HULL; WITH_GEOMETRY && shape <= CLOTH_SHAPE_DISTANCE_GRID; shape++) {
    body.shape = shape;
    const int is_worse = shape != CLOTH_SHAPE_MESH && geometry && max_contact_cost(&body) > max_contact_cost(&worst);
    worst = is_worse ? body : worst;
  }
  body.shape = CLOTH_SHAPE_MESH;
  const int mesh_is_worse = max_contact_cost(&body) > max_contact_cost(&worst);
  for (int32_t n = 0; WITH_COLLIDERS && n < count; n++) {
    const int is_mesh = WITH_MESH && n < meshes;
    const cloth_collider *added = is_mesh && mesh_is_worse ? &body : &worst;
    add_collider(scene, added);
    scene->meshes += is_mesh && !mesh_is_worse;
  }
}

/* Most work of the choice of shared bodies. */
static uint64_t max_choice_work(const cloth *c) {
  const uint64_t particles = (uint64_t)(uint32_t)c->count * COST_SHARED_BOUNDS;
  return c->settings.capacity.max_shared_bodies > 0 ? CLOTH_SHARED_BODY_LIMIT * (uint64_t)COST_SHARED_BODY + particles
                                                    : 0u;
}

/* Most work of a step in so many substeps of a cloth that is awake. Writes the plan of such a step. */
static uint64_t bound_of_step(const cloth *c, float dt, int32_t substeps) {
  step_plan *plan = &workspace_of(c)->plan; /* every step makes its own */
  workspace_of(c)->shared_bodies = 0;       /* of no step */
  scene_summary scene = summarise_scene(c, count_uniform_particles(c));
  plan_step_in(c, dt, substeps, plan);
  plan_hinges(c, plan);
  plan->is_free = is_free_cloth(c);
  const int32_t meshes = c->settings.capacity.meshes - scene.meshes;
  add_bodies(&scene, c->settings.capacity.max_shared_bodies, 0, c->settings.capacity.geometry, meshes);
  return planned_work(c, plan, &scene) + max_varying_work(c, plan, &scene) + max_choice_work(c);
}

/* 1 if a cloth that no shared bodies can be near was linked to others in the step before, by seams or bodies. */
static int was_linked(const cloth *c) {
  return (WITH_SEAMS || WITH_COMMON_BODIES) && (inputs_of(c)->around_hash[0] | inputs_of(c)->around_hash[1]) != 0u;
}

int cloth_get_work_bound(const cloth *c, float dt, uint64_t *work) {
  int error = check_step(c, dt);
  if (error) {
    return error;
  }
  if (!work) {
    return CLOTH_ERROR_NULL;
  }
  /* By a body of a table, or as it is not linked any more in a step alone. */
  const int may_wake = c->settings.capacity.max_shared_bodies > 0 || was_linked(c);
  const int sleeps = WITH_SLEEP && is_asleep(c) && !may_wake;
  *work = sleeps ? COST_STEP + max_choice_work(c) : bound_of_step(c, dt, choose_substeps(c, dt));
  return CLOTH_OK;
}

/* A cloth without particles: just what plan_step() and the costs read, for plans of a config that has no arena. Offsets
   into the cloth lead to the members that follow it. */
typedef struct config_model {
  cloth c;
  cloth_inputs inputs;
  self_settings self;
#if WITH_GAPS
  gap_summary gaps;
#endif
  step_plan plan;
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
#if WITH_GAPS
  if (c->gaps) {
    measure_tearing(c, config, &model->gaps);
    c->gaps = offsetof(config_model, gaps);
    measure_mask(c, config, &model->gaps);
    model->gaps.kind |= GAPS_MASKED; /* as if it was torn */
  }
#endif
  c->settings.integration.max_substeps =
      c->settings.integration.substeps > 0 ? c->settings.integration.substeps : c->settings.integration.max_substeps;
  set_fabric(c, &config->fabric);
  model->inputs.targets = config->capacity.targets ? TARGETS_MOVING : TARGETS_NONE;
}

/* The scene of the highest work that a cloth of this config can be in: no uniform lines, and as many confined particles
   and colliders as there is room for, of the shape whose contacts cost most. */
static scene_summary worst_scene(const cloth_config *config) {
  scene_summary scene;
  fill_zero(&scene, sizeof scene);
  scene.confined = config->capacity.max_confined;
  scene.bodies = config->capacity.max_bodies;
  scene.attached = config->capacity.max_attachments;
  scene.noted_pins = needs_pin_reactions(config) ? config->columns * config->rows : 0;
  scene.distance_cost = config->capacity.geometry > 0 ? HULL_ELEMENTS_MAX * COST_HULL : 0u;
  scene.contact_cost = (uint32_t)scene.bodies * COST_SHARED;
  scene.tether_slots = config->tethers.count;
  const int32_t masses =
      config->capacity.max_bodies < config->max_colliders ? config->capacity.max_bodies : config->max_colliders;
  add_bodies(&scene, config->max_colliders + config->capacity.max_shared_bodies, masses, config->capacity.geometry,
             config->capacity.meshes);
  return scene;
}

static uint64_t larger_work(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* The maximum work of a step. If the step chooses its own substeps, over every number that it may choose: each makes
   another plan. */
CLOTH_SEPARATE uint64_t max_work(config_model *model, const scene_summary *scene, float dt) {
  uint64_t max = 0;
  cloth *c = &model->c;
  for (int32_t n = c->settings.integration.substeps > 0 ? c->settings.integration.substeps : 1;
       n <= c->settings.integration.max_substeps; n++) {
    c->settings.integration.substeps = n;
    plan_step(c, dt, &model->plan);
    model->plan.is_free = 1;
    max = larger_work(max, planned_work(c, &model->plan, scene) + max_varying_work(c, &model->plan, scene));
    model->plan.bend.is_explicit = 0; /* pins may come that need lines */
    max = larger_work(max, planned_work(c, &model->plan, scene) + max_varying_work(c, &model->plan, scene));
  }
  return max;
}

int cloth_config_work_bound(const cloth_config *config, float dt, uint64_t *work) {
  int error = check_config(config);
  if (error) {
    return error;
  }
  if (!work) {
    return CLOTH_ERROR_NULL;
  }
  if (!is_time_step(dt)) {
    return CLOTH_ERROR_RANGE;
  }
  config_model model;
  scene_summary scene = worst_scene(config);
  model_from_config(&model, config);
  *work = max_work(&model, &scene, dt) + max_choice_work(&model.c);
  return CLOTH_OK;
}

#endif
