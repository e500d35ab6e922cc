#pragma once
#include "memory.h"

/// Which choices fit ///

/*
 * Why a method is refused. The list is complete: whatever passes is meaningful, and tests/methods.c runs it.
 */

/* Most of the spacing that self_gap may be. */
#define SELF_GAP_SHARE 0.25f
/* Least self_gap [m]. A substep moves apart what touches by a tenth of it, 1e-5: a hundred times the rounding of a
   place 1 m off, and four hundred times that of a test within cells of 4 cm. With 1e-5 in all, some pairs come as close
   as that rounding, touch where the next substep starts, and pass. */
#define LEAST_SELF_GAP 1.0e-4f

static int in_choices(int32_t value, int32_t count) {
  return value >= 0 && value < count;
}

static int is_method(const cloth_method *m) {
  return in_choices(m->material, CLOTH_MATERIAL_TRISPRINGS + 1) && in_choices(m->bending, CLOTH_BENDING_HINGE + 1) &&
         in_choices(m->scheme, CLOTH_SCHEME_STATIC + 1) && in_choices(m->solver, CLOTH_SOLVER_SWEEPS + 1) &&
         in_choices(m->contact, CLOTH_CONTACT_SOLVER + 1) && m->newton >= 1 && m->newton <= CLOTH_METHOD_NEWTON_LIMIT &&
         m->iterations >= 1 && m->iterations <= CLOTH_ITERATION_LIMIT && in_range(m->tolerance, 1.0e-6f, 0.5f) &&
         in_range(m->explicit_threshold, 0.0f, 1.0f) && in_range(m->lambda, 0.0f, 1.0e7f) &&
         in_range(m->mu, 0.0f, 1.0e7f) && in_range(m->repulsion, 0.0f, 10.0f) &&
         in_choices(m->self, CLOTH_SELF_IMPULSES + 1) && in_range(m->self_gap, LEAST_SELF_GAP, 1.0f) &&
         in_range(m->self_friction, 0.0f, 10.0f) && in_choices(m->pieces, CLOTH_WORKER_LIMIT + 1);
}

/* Sweeps need a projection of each law. */
static int is_projectable(const cloth_method *m) {
  return m->material == CLOTH_MATERIAL_SPRINGS &&
         (m->bending == CLOTH_BENDING_NONE || m->bending == CLOTH_BENDING_QUADRATIC);
}

static int has_friction(const cloth *c) {
  for (int32_t n = 0; n < inputs_of(c)->collider_end; n++) {
    const collider_slot *slot = &colliders_of(c)[n];
    if (slot->used && slot->body.static_friction > 0.0f) { return 1; }
  }
  return 0;
}

/* What is wrong between a method and contact in the solver, or NULL: it needs a linear solve, and its residual. */
static const char *find_contact_conflict(const cloth_method *m) {
  if (m->solver != CLOTH_SOLVER_GRADIENTS && m->solver != CLOTH_SOLVER_COMPONENTS) {
    return "contact: in the solver only with GRADIENTS and COMPONENTS, whose residual is its force";
  }
  if (m->scheme == CLOTH_SCHEME_EXPLICIT || m->scheme == CLOTH_SCHEME_STATIC) {
    return "contact: in the solver only with EULER, BDF2 and IMEX2";
  }
  return m->newton > 1 ? "contact: in the solver only with one Newton iteration" : NULL;
}

/* What is wrong between a method and its response of the sheet to itself, or NULL. */
static const char *find_self_conflict(const cloth *c, const cloth_method *m) {
  if (m->scheme == CLOTH_SCHEME_STATIC) { return "self: impulses need a motion, which STATIC has not"; }
  const int is_wide = m->self_gap > SELF_GAP_SHARE * minimum(c->grid.spacing_warp, c->grid.spacing_weft);
  return is_wide ? "self_gap: at most a quarter of the spacing, as neighbours must not count as close" : NULL;
}

/* What the grid of a cloth has that elements of a method, which are all alike, have not, or NULL. */
static const char *find_grid_conflict(const cloth *c) {
  if (is_wrapped(c)) { return "config.grid.wrap: no tubes"; }
  if (c->constant.stiffness_map) { return "config.grid.stiffness_map: none"; }
  if (can_tear(c)) { return "config.tearing.max_breaks: 0, as elements of a method do not break"; }
  return has_gaps(c) ? "config.grid.cell_mask, rest_positions: no absent cells, and no pre-shaped pieces" : NULL;
}

/* What the config of a cloth asks for that a method does not do, or NULL. What the default config has is not refused:
   air and tethers. */
static const char *find_config_conflict(const cloth *c) {
  const cloth_settings *s = &c->settings;
  if (s->integration.bdf2_blend > 0.0f) {
    return "config.integration.bdf2_blend: 0, as a method keeps its own history";
  }
  if (s->integration.method == CLOTH_INTEGRATION_EXPLICIT_ONLY) {
    return "config.integration.method: not EXPLICIT_ONLY, as a method has its own limit of explicit steps";
  }
  if (c->self) { return "config.self_thickness: 0; a method feels the sheet itself by repulsion and self"; }
  if (s->strain_limit.max_extension > 0.0f) { return "config.strain_limit.max_extension: 0"; }
  if (s->sleep.speed > 0.0f) { return "config.sleep.speed: 0, as nothing falls asleep"; }
  if (s->world.recentre_distance > 0.0f) {
    return "config.world.recentre_distance: 0; call cloth_recentre() between steps";
  }
  if (s->capacity.pin_reactions) { return "config.capacity.pin_reactions: 0, as what pins hold is not summed"; }
  return s->capacity.fixed_work ? "config.capacity.fixed_work: 0, as solves end by their tolerance" : NULL;
}

static int has_geometry_colliders(const cloth *c) {
  for (int32_t n = 0; n < inputs_of(c)->collider_end; n++) {
    if (colliders_of(c)[n].used && has_geometry(&colliders_of(c)[n].body)) { return 1; }
  }
  return 0;
}

/* What calls have given the cloth that a method does not move, or NULL. */
static const char *find_input_conflict(const cloth *c) {
  const cloth_inputs *in = inputs_of(c);
  if (in->confined_count > 0) { return "particles confined to lines or planes: none"; }
  if (in->body_count > 0) { return "colliders with mass: none"; }
  if (in->attachment_count > 0) { return "particles attached to colliders: none"; }
  if (in->targets != TARGETS_NONE) { return "motion constraints and targets: none"; }
  return has_geometry_colliders(c) ? "colliders with geometry: none, as a step has no surroundings" : NULL;
}

/* What of the cloth no method treats, or NULL. */
static const char *find_cloth_conflict(const cloth *c) {
  const char *why = find_grid_conflict(c);
  why = why ? why : find_config_conflict(c);
  return why ? why : find_input_conflict(c);
}

/* What is wrong between method and cloth, or NULL. */
static const char *find_method_conflict(const cloth *c, const cloth_method *m) {
  const int sweeps = m->solver == CLOTH_SOLVER_SWEEPS, is_static = m->scheme == CLOTH_SCHEME_STATIC;
  if (sweeps && !is_projectable(m)) {
    return "sweeps: only springs with projected damping, and quadratic bending, have a projection";
  }
  if (sweeps && (m->scheme == CLOTH_SCHEME_IMEX2 || is_static || m->scheme == CLOTH_SCHEME_EXPLICIT)) {
    return "sweeps: only with EULER and BDF2";
  }
  if (m->newton > 1 && (sweeps || m->solver == CLOTH_SOLVER_NONLINEAR)) {
    return "newton: only GRADIENTS and COMPONENTS iterate so; the others solve the equation itself";
  }
  if (is_static && m->solver != CLOTH_SOLVER_GRADIENTS && m->solver != CLOTH_SOLVER_NONLINEAR) {
    return "STATIC: only with GRADIENTS or NONLINEAR";
  }
  if (is_static && has_friction(c)) { return "STATIC: colliders must have no friction, which has no energy"; }
  if (m->contact == CLOTH_CONTACT_SOLVER) {
    const char *why = find_contact_conflict(m);
    if (why) { return why; }
  }
  if (m->self != CLOTH_SELF_NONE) {
    const char *why = find_self_conflict(c, m);
    if (why) { return why; }
  }
  return find_cloth_conflict(c);
}

static int check_method(const cloth *c, const cloth_method *m) {
  const int error = check_call(c, m);
  if (error) { return error; }
  if (m->cookie != CLOTH_COOKIE) { return CLOTH_ERROR_CONFIG; }
  if (!is_method(m)) { return CLOTH_ERROR_RANGE; }
  if (m->workers && !m->workers->run) { return CLOTH_ERROR_NULL; }
  return find_method_conflict(c, m) ? CLOTH_ERROR_METHOD : CLOTH_OK;
}

cloth_method cloth_method_default(void) {
  const cloth_method m = {.cookie = CLOTH_COOKIE,
                          .material = CLOTH_MATERIAL_SPRINGS,
                          .bending = CLOTH_BENDING_QUADRATIC,
                          .scheme = CLOTH_SCHEME_EULER,
                          .solver = CLOTH_SOLVER_GRADIENTS,
                          .newton = 1,
                          .iterations = 64,
                          .tolerance = 1.0e-3f,
                          .lambda = 400.0f,
                          .mu = 300.0f,
                          .self_gap = 0.002f,
                          .self_friction = 0.3f};
  return m;
}

/* What is wrong between a method and the call that it is given to, or NULL. */
static const char *find_call_conflict(const cloth_method *m, int settles) {
  const int is_static = m->scheme == CLOTH_SCHEME_STATIC;
  if (is_static && !settles) { return "STATIC: no steps, as nothing moves; cloth_method_settle() finds the rest"; }
  return settles && !is_static ? "settle: only with STATIC; the other schemes make steps" : NULL;
}

static int check_method_call(const cloth *c, const cloth_method *m, int settles) {
  const int error = check_method(c, m);
  return error ? error : find_call_conflict(m, settles) ? CLOTH_ERROR_METHOD : CLOTH_OK;
}

static const char *explain_call(const cloth *c, const cloth_method *m, int settles) {
  const char *why;
  switch (check_method_call(c, m, settles)) {
  case CLOTH_OK:
    return c->has_scratch ? "ok" : "the cloth has no scratch yet: cloth_set_scratch() gives it";
  case CLOTH_ERROR_METHOD:
    why = find_method_conflict(c, m);
    return why ? why : find_call_conflict(m, settles);
  case CLOTH_ERROR_RANGE:
    return "a number or choice of the method is outside its range";
  case CLOTH_ERROR_CONFIG:
    return "the method was not made by cloth_method_default()";
  default:
    return "no cloth, no method, or workers without a function";
  }
}

const char *cloth_method_explain(const cloth *sheet, const cloth_method *method) {
  return explain_call(sheet, method, 0);
}

const char *cloth_method_explain_settle(const cloth *sheet, const cloth_method *method) {
  return explain_call(sheet, method, 1);
}
