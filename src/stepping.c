/// Stepping ///

/* All bits of any particle's freedom. */
static uint32_t freedoms_joined(const cloth *c) {
  const uint8_t *freedom = freedom_of(c);
  uint32_t joined = 0;
  for (int32_t i = 0; i < c->count; i++) {
    joined |= freedom[i];
  }
  return joined;
}

/* Pins whose target was reached rest; mobilities follow from pins and masses. */
CLOTH_SEPARATE void prepare_particles(const cloth *c) {
  planes v = planes_at(c, c->velocity);
  float *mobility = floats_at(c, c->mobility);
  uint8_t *freedom = freedom_of(c);
  int have_arrived = (freedoms_joined(c) & PIN_ARRIVED) != 0;
  for (int32_t i = 0; have_arrived && i < c->count; i++) {
    if (freedom[i] & PIN_ARRIVED) {
      vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
      freedom[i] = FREEDOM_PINNED;
    }
  }
  for (int32_t i = 0; i < c->count; i++) {
    mobility[i] = (freedom[i] & FREEDOM_MASK) == FREEDOM_PINNED ? 0.0f : 1.0f / mass_ratio_at(c, i);
  }
}

/* The longest piece of a row, or of a block of columns, in which particles have mobility 1 and springs the same
   stiffness. */
static plain_piece find_plain(const cloth *c, int32_t first, int32_t length, int32_t along, int32_t side) {
  const float *mobility = floats_at(c, c->mobility) + first;
  plain_piece longest = {0, 0};
  int32_t from = 0;
  for (int32_t n = 0; n < length && !c->stiffness_map; n++) {
    for (int32_t k = 0; k < side; k++) {
      from = mobility[n * along + k] == 1.0f ? from : n + 1;
    }
    if (n + 1 - from > longest.to - longest.from) {
      longest.from = (int16_t)from;
      longest.to = (int16_t)(n + 1);
    }
  }
  return longest;
}

/* Have all particles of some rows of a block of columns mobility 1? */
static int are_plain(const cloth *c, int32_t first, int32_t rows, int32_t columns) {
  lanes one = lanes_splat(1.0f);
  lanes worst = lanes_splat(0.0f);
  for (int32_t row = 0; row < rows; row++) {
    const float *mobility = floats_at(c, c->mobility) + first + row * c->columns;
    for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
      lanes off = lanes_absolute(lanes_subtract(lanes_load(mobility + column), one));
      worst = lanes_maximum(worst, lanes_keep(lanes_first(columns - column), off));
    }
  }
  return !c->stiffness_map && !lanes_any(lanes_less(lanes_splat(0.0f), worst));
}

/* Most lines are plain from end to end, which is quick to see. */
CLOTH_SEPARATE void mark_plain_pieces(const cloth *c) {
  plain_piece whole_row = {0, (int16_t)c->columns}, whole_column = {0, (int16_t)c->rows};
  for (int32_t row = 0; row < c->rows; row++) {
    int32_t first = row * c->columns;
    plain_piece *piece = &((plain_piece *)at(c, c->plain))[row];
    *piece = are_plain(c, first, 1, c->columns) ? whole_row : find_plain(c, first, c->columns, 1, 1);
  }
  for (int32_t column = 0; column < c->columns; column += LINE_BLOCK) {
    int32_t side = c->columns - column < LINE_BLOCK ? c->columns - column : LINE_BLOCK;
    plain_piece *piece = plain_columns(c, column);
    *piece = are_plain(c, column, c->rows, side) ? whole_column : find_plain(c, column, c->rows, c->columns, side);
  }
}

/* Work space is not part of the state: what a step reads before it writes is cleared first. */
static void clear_pads(const cloth *c) {
  fill_zero(at(c, c->state_end), LANE_PAD * sizeof(float));
  if (c->bend_slopes) {
    fill_zero(floats_at(c, c->bend_slopes) - ZERO_PAD, ZERO_PAD * sizeof(float));
  }
  /* Springs that are not there look beyond predicted positions, too. What comes of it is multiplied by 0, so it has to
     be a number. */
  for (int32_t n = 0; c->force_share && n < 3; n++) {
    int32_t pad = n < 2 && c->stride < c->count + LANE_PAD ? c->stride - c->count : LANE_PAD + 2;
    fill_zero(floats_at(c, c->product) + n * c->stride + c->count, (size_t)pad * sizeof(float));
  }
  /* Springs that are not there, at the end of the last row, look at these. */
  for (int32_t n = 0; c->direction && n < 3; n++) {
    fill_zero(floats_at(c, c->direction) + n * c->stride + c->count, 2 * sizeof(float));
  }
}

static void finish_inputs(const cloth *c) {
  uint8_t *freedom = freedom_of(c);
  int are_carried = (freedoms_joined(c) & PIN_CARRIED) != 0;
  for (int32_t i = 0; are_carried && i < c->count; i++) {
    if (freedom[i] & PIN_CARRIED) {
      freedom[i] = FREEDOM_PINNED | PIN_ARRIVED;
    }
  }
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    collider_slot *slot = &colliders_of(c)[index];
    slot->previous = slot->body.pose;
  }
#if WITH_TARGETS
  if (inputs_of(c)->targets == TARGETS_MOVING) {
    rest_targets(c);
  }
#endif
}

static int32_t public_mode(const spring_family *s) {
  const int32_t modes[] = {s->mode, CLOTH_MODE_PROJECTED, CLOTH_MODE_MIXED};
  return modes[s->projected];
}

CLOTH_SEPARATE void reset_statistics(const cloth *c, const step_plan *plan) {
  cloth_statistics *s = statistics_of(c);
  fill_zero(s, sizeof *s);
  fill_zero(at(c, c->iterations), (size_t)plan->substeps * sizeof(uint16_t));
  fill_zero(reactions_of(c), (size_t)c->max_colliders * sizeof(cloth_reaction));
  s->substeps = plan->substeps;
  CLOTH_CONSTANT static const int8_t family_direction[3] = {WARP, WEFT, DIAGONAL};
  for (int32_t f = CLOTH_FAMILY_STRETCH_WARP; f <= CLOTH_FAMILY_SHEAR; f++) {
    s->kappa[f] = plan->spring[family_direction[f]].kappa * kappa_factor_most(c);
    s->mode[f] = public_mode(&plan->spring[family_direction[f]]);
  }
  s->kappa[CLOTH_FAMILY_BEND] = plan->bend_kappa * kappa_factor_most(c);
  s->mode[CLOTH_FAMILY_BEND] = plan->bend_projected ? (int32_t)CLOTH_MODE_PROJECTED : plan->bend_mode;
}

static void note_solve(const cloth *c, int32_t substep, solve_result result) {
  cloth_statistics *s = statistics_of(c);
  ((uint16_t *)at(c, c->iterations))[substep] = (uint16_t)result.iterations;
  s->iterations += result.iterations;
  s->iterations_most = result.iterations > s->iterations_most ? result.iterations : s->iterations_most;
  s->substeps_capped += result.capped;
  s->residual = maximum(s->residual, result.residual);
}

/* Ends a stage: its ticks go to the statistics and, where a trace was asked for, a hash of the vectors it made to the
   port. CLOTH_TRACE(sheet, stage, substep, hash) finds the first difference between two machines. */
static void end_stage(const cloth *c, cloth_stage stage, int32_t substep, uintptr_t made) {
  workspace *work = workspace_of(c);
  uint32_t now = CLOTH_TICKS();
  work->statistics.ticks[stage] += now - work->tick;
  work->tick = now;
#ifdef CLOTH_TRACE
  hasher h;
  hash_start(&h);
  planes vectors = planes_at(c, made);
  hash_words(&h, (const any_word *)(const void *)vectors.x, c->count);
  hash_words(&h, (const any_word *)(const void *)vectors.y, c->count);
  hash_words(&h, (const any_word *)(const void *)vectors.z, c->count);
  CLOTH_TRACE(c, stage, substep, hash_end(&h));
#else
  (void)substep;
  (void)made;
#endif
}

/* Velocity changes of an all-explicit substep: force over mass. */
CLOTH_SEPARATE void add_explicit_change(const cloth *c) {
  planes v = planes_at(c, c->velocity);
  planes change = planes_at(c, c->residual);
  const float *mobility = floats_at(c, c->mobility);
  const int32_t count = c->count;
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes weight = lanes_load(mobility + i);
    if (c->force_share) {
      weight = lanes_multiply(weight, lanes_load(floats_at(c, c->force_share) + i));
    }
    lanes3 dv = lanes3_scale(lanes3_load(change, i), weight);
    lanes3_store(v, i, lanes3_add(lanes3_load(v, i), dv), count - i);
  }
}

/* Where particles at x go with velocity v. Asked for again after the limits, it gives the same bits. */
CLOTH_INLINE lanes3 prediction(lanes3 x, lanes3 v, lanes k) {
  return lanes3_snapped(lanes3_add_scaled(x, v, k));
}

CLOTH_HOT CLOTH_SEPARATE void predict_positions(const cloth *c, const step_plan *plan) {
  const planes x = planes_at(c, c->position), velocity = planes_at(c, c->velocity), predicted = predicted_of(c);
  const int32_t count = c->count;
  const lanes k = lanes_splat(plan->k);
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 to = prediction(lanes3_load(x, i), lanes3_load(velocity, i), k);
    lanes3_store(predicted, i, to, count - i);
  }
}

#if WITH_PROJECTION
/*
 * Second-order backward differences (BDF2) in terms of the last three velocities, each a displacement over the substep:
 * without forces the next one is (15 v0 - 7 v1 + v2) / 9, and a force acts with 4/9 of its strength at once. Blended
 * with backward Euler, which goes on with v0. Where the history is forgotten, as after a contact, Euler has it alone.
 * Also shifts the history by one. Returns the shares with which forces act.
 */
CLOTH_INLINE lanes extrapolate(lanes weight, lanes later, lanes moves, lanes3 *v, lanes3 *earlier, lanes3 *earliest) {
  lanes one = lanes_splat(1.0f);
  lanes known = lanes_keep(lanes_less(earlier->x, lanes_splat(0.5f * HISTORY_FORGOTTEN)), moves);
  lanes_mask knows = lanes_less(lanes_splat(0.0f), known);
  lanes3 change = lanes3_subtract(lanes3_scale(*v, lanes_splat(6.0f)), lanes3_scale(*earlier, lanes_splat(7.0f)));
  change = lanes3_keep(knows, lanes3_scale(lanes3_snapped(lanes3_add(change, *earliest)), weight));
  *earliest = lanes3_select(knows, *earlier, *v);
  *earlier = *v;
  *v = lanes3_add(*v, change);
  return lanes_select(knows, later, one);
}

typedef struct prediction_plan {
  planes x, velocity, to, first, second;
  const float *mobility;
  float *shares;
  body_force force;
  int32_t keeps_history, with_body_forces;
  float k, weight, later;
} prediction_plan;

CLOTH_INLINE void predict_block(const prediction_plan *p, int32_t i, int32_t left) {
  lanes moves = lanes_load(p->mobility + i);
  lanes3 from = lanes3_load(p->x, i);
  lanes3 v = lanes3_load(p->velocity, i);
  lanes share = lanes_splat(1.0f);
  if (p->keeps_history) {
    lanes3 earlier = lanes3_load(p->first, i);
    lanes3 earliest = lanes3_load(p->second, i);
    share = extrapolate(lanes_splat(p->weight), lanes_splat(p->later), moves, &v, &earlier, &earliest);
    lanes3_store(p->first, i, earlier, left);
    lanes3_store(p->second, i, earliest, left);
  }
  if (p->with_body_forces) {
    lanes3 change = lanes3_scale(body_force_on(&p->force, v), share);
    v = lanes3_add(v, lanes3_keep(lanes_less(lanes_splat(0.0f), moves), change));
  } else if (p->keeps_history) {
    lanes_store_first(p->shares + i, share, left);
  }
  lanes3_store(p->velocity, i, v, left);
  lanes3_store(p->to, i, prediction(from, v, lanes_splat(p->k)), left);
}

/* Velocities that the substep starts from, and the prediction. What gravity and velocity damping do is included if
   nothing else acts by forces. All is read before anything is written: planes of a power of two particles lie where
   processors take a store for one to the place they read next. */
CLOTH_HOT CLOTH_SEPARATE void predict(const cloth *c, const step_plan *plan, int with_body_forces) {
  const prediction_plan p = {planes_at(c, c->position),
                             planes_at(c, c->velocity),
                             predicted_of(c),
                             earlier_of(c, 1),
                             earlier_of(c, 2),
                             floats_at(c, c->mobility),
                             floats_at(c, c->force_share),
                             body_force_of(c, plan),
                             c->earlier != 0,
                             with_body_forces,
                             plan->k,
                             plan->extrapolation * plan->history * (1.0f / 9.0f),
                             force_share(plan)};
  EACH_BLOCK(c->count, predict_block(&p, i, left));
}
#endif

static int vector_is_finite(cloth_vector a) {
  return is_finite(a.x) && is_finite(a.y) && is_finite(a.z);
}

/* Keeps a solution as the next start. One that was cut short is not kept: what it left unsolved would be added again
   and again, and the cloth would swing itself apart. */
static void keep_solution(const cloth *c, int capped) {
  planes y = planes_at(c, c->solution);
  for (int32_t i = 0; c->warm && i < c->count; i++) {
    cloth_vector kept = vector_load(y, i);
    int keeps = !capped && vector_is_finite(kept);
    vector_store(planes_at(c, c->warm), i, keeps ? kept : vector(0.0f, 0.0f, 0.0f));
  }
}

static void add_solution(const cloth *c) {
  planes v = planes_at(c, c->velocity);
  const int32_t count = c->count;
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 change = lanes3_load(planes_at(c, c->solution), i);
    lanes3_store(v, i, lanes3_add(lanes3_load(v, i), change), count - i);
  }
}

#if WITH_MULTILEVEL
/* Largest kappa of what is implicit: about the square of how far, in cells, a substep carries a pull. */
static float implicit_kappa(const step_plan *plan) {
  float kappa = plan->bend_mode == CLOTH_MODE_IMPLICIT ? plan->bend_kappa : 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    kappa = maximum(kappa, plan->spring[d].mode >= CLOTH_MODE_IMPLICIT ? plan->spring[d].kappa : 0.0f);
  }
  return kappa;
}

/* Coarser grids cost half an iteration more in each, and two for building them. They pay where a pull goes as far as
   half the way between their nodes, the cap leaves iterations enough, and most particles take part (measured; below,
   block gets further in the same time). */
#define MULTILEVEL_KAPPA 4.0f
#define MULTILEVEL_ITERATIONS 6

static int multilevel_pays(const cloth *c, const step_plan *plan, int32_t contacts) {
  int32_t side = c->columns > c->rows ? c->columns : c->rows;
  return side > COARSENING && c->max_iterations >= MULTILEVEL_ITERATIONS && 2 * contacts <= c->count &&
         implicit_kappa(plan) >= MULTILEVEL_KAPPA;
}
#endif

static int uses_multilevel(const cloth *c, const step_plan *plan, int32_t contacts) {
#if WITH_MULTILEVEL
  if (c->preconditioner == CLOTH_PRECONDITIONER_AUTOMATIC) {
    return multilevel_pays(c, plan, contacts);
  }
#endif
  (void)plan;
  (void)contacts;
  return WITH_MULTILEVEL && c->preconditioner == CLOTH_PRECONDITIONER_MULTILEVEL;
}

/* Solves for the velocity changes of a substep and applies them. */
CLOTH_SEPARATE void add_implicit_change(const cloth *c, const step_plan *plan, int32_t substep, int32_t contacts) {
  fill_planes(c, planes_at(c, c->solution), 0.0f);
  int multilevel = uses_multilevel(c, plan, contacts);
  build_preconditioner(c, plan, multilevel);
  if (contacts) {
    apply_operator(c, plan);
    advance_and_precondition(c, 1.0f);
  }
  end_stage(c, CLOTH_STAGE_PRECONDITIONER, substep, c->inverse);
  solve_result result = solve(c, plan, multilevel);
  note_solve(c, substep, result);
  end_stage(c, CLOTH_STAGE_SOLVE, substep, c->solution);
  add_solution(c);
  keep_solution(c, result.capped);
}

/* What the limits moved as velocity. The prediction is computed again, to the bit, to tell what moved: a particle left
   alone gains no rounding error. */
CLOTH_INLINE void settle_block(planes x, planes v, planes limited, lanes k, lanes inverse_k, int32_t i, int32_t left) {
  lanes3 velocity = lanes3_load(v, i);
  lanes3 predicted = prediction(lanes3_load(x, i), velocity, k);
  lanes3 moved = lanes3_subtract(lanes3_load(limited, i), predicted);
  lanes3_store(v, i, lanes3_add_scaled(velocity, moved, inverse_k), left);
}

CLOTH_HOT CLOTH_SEPARATE void settle_lengths(const cloth *c, const step_plan *plan) {
  planes x = planes_at(c, c->position);
  planes v = planes_at(c, c->velocity);
  planes limited = predicted_of(c);
  lanes k = lanes_splat(plan->k);
  lanes inverse_k = lanes_splat(plan->inverse_k);
  EACH_BLOCK(c->count, settle_block(x, v, limited, k, inverse_k, i, left));
}

/* Projected springs, tethers and strain limits. */
CLOTH_SEPARATE void limit_lengths(const cloth *c, const step_plan *plan) {
#if WITH_PROJECTION
  if (plan->projects) {
    project_springs(c, plan);
  }
  if (plan->projects && plan->tethered) {
    workspace_of(c)->solids = find_solids(c);
    for (int32_t slot = 0; slot < c->tether_count; slot++) {
      pull_tethers(c, slot);
    }
  }
#endif
  for (int32_t sweep = 0; WITH_LIMITS && sweep < c->limit_sweeps; sweep++) {
    if (sweep > 0 && !may_refine(c)) {
      drop_work(c, (uint64_t)(uint32_t)(c->limit_sweeps - sweep) * (uint32_t)c->count, sweep_price(c));
      break;
    }
    limit_sweep(c, predicted_of(c));
  }
  settle_lengths(c, plan);
}

/* The part of a vector that a confined particle may have. */
static cloth_vector confine_vector(const confinement *held, cloth_vector a) {
  a = vector_clean(a);
  float along = snapped(vector_dot(a, held->direction), WORK_QUANTUM);
  if (held->freedom == FREEDOM_LINE) {
    return vector_scale(held->direction, along);
  }
  return vector_add_scaled(a, held->direction, 0.0f - along);
}

/* Takes from the vectors of confined particles what they may not have; positions count from the anchors. */
CLOTH_SEPARATE void confine_vectors(const cloth *c, uintptr_t vectors, int are_positions) {
  planes a = planes_at(c, vectors);
  for (int32_t i = 0; WITH_CONFINED && i < inputs_of(c)->confined_count; i++) {
    const confinement *held = &confined_of(c)[i];
    CLOTH_ASSERT(held->particle >= 0 && held->particle < c->count);
    cloth_vector origin = are_positions ? held->anchor : vector(0.0f, 0.0f, 0.0f);
    cloth_vector from = vector_subtract(vector_load(a, held->particle), origin);
    cloth_vector kept = vector_add(origin, confine_vector(held, from));
    vector_store(a, held->particle, vector_snapped(kept, STATE_QUANTUM));
  }
}

/* Shortens a vector to `limit`. Returns 1 if it had to. */
static int clamp_length(cloth_vector *a, float limit) {
  cloth_vector kept = vector_snapped(*a, STATE_QUANTUM);
  float squared = vector_dot(kept, kept);
  if (squared <= limit * limit * 1.0001f) {
    return 0;
  }
  *a = is_finite(squared) ? vector_scale(kept, limit / square_root(squared)) : vector(0.0f, 0.0f, 0.0f);
  return 1;
}

/* Accepts a particle's predicted position and velocity, or recovers from impossible ones. */
static void accept_particle(const cloth *c, const step_plan *plan, int32_t i, cloth_statistics *counts) {
  planes x = planes_at(c, c->position);
  planes v = planes_at(c, c->velocity);
  cloth_vector from = vector_load(x, i);
  cloth_vector to = vector_load(predicted_of(c), i);
  cloth_vector velocity = vector_load(v, i);
  if (!vector_is_finite(velocity) || !vector_in_range(to, CLOTH_POSITION_LIMIT)) {
    vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
    counts->particles_recovered++;
    return;
  }
  cloth_vector way = vector_subtract(to, from);
  int pinned = is_pinned(c, i);
  if (!pinned && clamp_length(&velocity, c->max_speed) + clamp_length(&way, c->max_speed * plan->k) > 0) {
    to = vector_add(from, way);
    counts->particles_limited++;
  }
  CLOTH_ASSERT(vector_in_range(to, CLOTH_POSITION_LIMIT) && vector_is_finite(velocity));
  vector_store(x, i, vector_snapped(to, STATE_QUANTUM));
  vector_store(v, i, vector_snapped(velocity, STATE_QUANTUM));
}

/* How far a particle may move in a substep, and how fast. */
typedef struct motion_bounds {
  float farthest, fastest;
  int32_t fixed_work; /* all are looked at one by one */
} motion_bounds;

/* As large as its length, or larger. */
CLOTH_INLINE lanes at_most_this_long(lanes3 a) {
  return lanes_add(lanes_add(lanes_absolute(a.x), lanes_absolute(a.y)), lanes_absolute(a.z));
}

/* Within bounds, and clearly so? */
CLOTH_INLINE lanes_mask is_acceptable(motion_bounds bounds, lanes3 from, lanes3 to, lanes3 velocity) {
  lanes_mask near = lanes_both(lanes_less(at_most_this_long(lanes3_subtract(to, from)), lanes_splat(bounds.farthest)),
                               lanes_less(at_most_this_long(to), lanes_splat(CLOTH_POSITION_LIMIT)));
  return lanes_both(near, lanes_less(at_most_this_long(velocity), lanes_splat(bounds.fastest)));
}

CLOTH_SEPARATE void accept_singly(const cloth *c, const step_plan *plan, int32_t i, int32_t left,
                                  cloth_statistics *counts) {
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    accept_particle(c, plan, i + lane, counts);
  }
}

CLOTH_INLINE void accept_block(const cloth *c, const step_plan *plan, motion_bounds bounds, planes x, planes v,
                               planes predicted, int32_t i, int32_t left, cloth_statistics *counts) {
  lanes3 to = lanes3_snapped_to(lanes3_load(predicted, i), STATE_QUANTUM);
  lanes3 velocity = lanes3_snapped_to(lanes3_load(v, i), STATE_QUANTUM);
  lanes bad = lanes_drop(is_acceptable(bounds, lanes3_load(x, i), to, velocity), lanes_splat(1.0f));
  if (bounds.fixed_work || lanes_any(lanes_both(lanes_first(left), lanes_less(lanes_splat(0.0f), bad)))) {
    accept_singly(c, plan, i, left, counts);
  } else {
    lanes3_store(x, i, to, left);
    lanes3_store(v, i, velocity, left);
  }
}

/* Accepts blocks of particles that are clearly within bounds, and looks at the others one by one. */
CLOTH_HOT CLOTH_SEPARATE void accept_particles(const cloth *c, const step_plan *plan, cloth_statistics *counts) {
  planes x = planes_at(c, c->position);
  planes v = planes_at(c, c->velocity);
  planes predicted = predicted_of(c);
  motion_bounds bounds = {c->max_speed * plan->k, c->max_speed, c->fixed_work};
  EACH_BLOCK(c->count, accept_block(c, plan, bounds, x, v, predicted, i, left, counts));
}

/* Forces, explicit and implicit, and the velocity changes that they bring. Returns how many particles are held by
   contacts of the solver. */
CLOTH_SEPARATE int32_t add_forces(const cloth *c, const step_plan *plan, int32_t index) {
  evaluate_forces(c, plan, planes_at(c, c->residual));
  end_stage(c, CLOTH_STAGE_FORCES, index, c->residual);
  int32_t contacts = has_solver_contacts(c) ? find_solver_contacts(c, plan, index) : 0;
  if (WITH_SOLVER && (plan->solves || contacts)) {
    add_work(c, plan->solves ? 0u : 1u, (uint32_t)c->count * solve_price(c, plan));
    add_implicit_change(c, plan, index, contacts);
  } else {
    add_explicit_change(c);
  }
  if (WITH_CONTACT_SOLVER && contacts) {
    settle_contacts(c, plan, index, statistics_of(c));
  }
  return contacts;
}

/* New velocities and the prediction. Returns what add_forces() does. */
static int32_t advance_velocities(const cloth *c, const step_plan *plan, int32_t index) {
  int32_t contacts = 0;
#if WITH_PROJECTION
  int only_body_forces = !plan->forces && !has_solver_contacts(c);
  if (c->earlier || only_body_forces) {
    predict(c, plan, only_body_forces);
  }
  if (!only_body_forces) {
    contacts = add_forces(c, plan, index);
  }
  if (only_body_forces && inputs_of(c)->confined_count == 0) {
    return 0;
  }
#else
  contacts = add_forces(c, plan, index);
#endif
  confine_vectors(c, c->velocity, 0);
  predict_positions(c, plan);
  return contacts;
}

CLOTH_SEPARATE void substep(const cloth *c, const step_plan *plan, int32_t index) {
  CLOTH_ASSERT(index < plan->substeps && plan->substeps <= CLOTH_SUBSTEP_LIMIT);
  cloth_statistics *counts = statistics_of(c);
  counts->contacts = 0;
  counts->contacts_sticking = 0;
  confine_vectors(c, c->velocity, 0);
  int32_t contacts = advance_velocities(c, plan, index);
  end_stage(c, CLOTH_STAGE_VELOCITIES, index, c->velocity);
  if ((WITH_LIMITS && c->limit_sweeps > 0) || (WITH_PROJECTION && plan->projects)) {
    limit_lengths(c, plan);
  }
  end_stage(c, CLOTH_STAGE_LIMITS, index, c->velocity);
  if (WITH_CONTACT_SOLVER && contacts) {
    drop_pushes(c, plan, index);
  }
  if (WITH_COLLIDERS) {
    project_contacts(c, plan, index, counts);
  }
#if WITH_TARGETS
  if (inputs_of(c)->targets != TARGETS_NONE) {
    hold_to_targets(c, plan, index);
  }
#endif
  end_stage(c, CLOTH_STAGE_CONTACTS, index, c->product);
  confine_vectors(c, c->velocity, 0);
  confine_vectors(c, c->product, 1);
  accept_particles(c, plan, counts);
  end_stage(c, CLOTH_STAGE_POSITIONS, index, c->position);
}

#if WITH_SLEEP

/* Do gusts act on the cloth? */
static int has_gusts(const cloth *c) {
  const cloth_vector strength = inputs_of(c)->gust_strength;
  return has_air(c) && strength.x + strength.y + strength.z > 0.0f;
}

/* Is no particle faster than the speed of sleep, and does no pin move? A slow pin has been told to. Gusts let nothing
   rest. */
static int is_quiet(const cloth *c) {
  if (has_gusts(c)) {
    return 0;
  }
  planes v = planes_at(c, c->velocity);
  float most = c->sleep_speed * c->sleep_speed;
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = vector_load(v, i);
    if (!(vector_dot(velocity, velocity) <= (is_pinned(c, i) ? 0.0f : most))) {
      return 0;
    }
  }
  return 1;
}

static void fall_asleep(const cloth *c) {
  inputs_of(c)->quiet = ASLEEP;
  fill_planes(c, planes_at(c, c->velocity), 0.0f);
  if (c->warm) {
    fill_planes(c, planes_at(c, c->warm), 0.0f);
  }
  for (int32_t i = 0; i < c->count; i++) {
    freedom_of(c)[i] &= FREEDOM_MASK;
    forget_history(c, i);
  }
}

/* At the end of a step of dt seconds. */
CLOTH_SEPARATE void settle_down(const cloth *c, float dt) {
  cloth_inputs *inputs = inputs_of(c);
  inputs->quiet = c->sleep_speed > 0.0f && is_quiet(c) ? inputs->quiet + dt : 0.0f;
  if (inputs->quiet > 0.0f && inputs->quiet >= c->sleep_time) {
    fall_asleep(c);
  }
}

/* A step of a sleeping cloth. */
CLOTH_SEPARATE int sleep_on(const cloth *c) {
  cloth_statistics *s = statistics_of(c);
  fill_zero(s, sizeof *s);
  fill_zero(reactions_of(c), (size_t)c->max_colliders * sizeof(cloth_reaction));
  s->asleep = 1;
  add_work(c, 1, PRICE_STEP);
  return CLOTH_OK;
}

int cloth_wake(cloth *sheet) {
  int error = check_cloth(sheet);
  if (error) {
    return error;
  }
  wake(sheet);
  return CLOTH_OK;
}

int cloth_is_asleep(const cloth *sheet) {
  int error = check_cloth(sheet);
  return error ? error : is_asleep(sheet);
}

#endif

/* What goes before the substeps. */
static void prepare_step(const cloth *c, float dt) {
  workspace *w = workspace_of(c);
  plan_step(c, dt, &w->plan);
  clear_pads(c);
  prepare_particles(c);
  mark_plain_pieces(c);
  reset_statistics(c, &w->plan);
  if (WITH_PLANNING) {
    work_around around = look_around(c);
    w->plain = around.plain;
    add_work(c, planned_work(c, &w->plan, &around), 1);
  }
#if WITH_PROJECTION
  if (chooses_tethers(c)) {
    choose_tethers(c);
  }
  w->plan.tethered = c->tethers ? mark_tethers(c) : 0;
  if (w->plan.projects) {
    plan_projection(c, &w->plan);
  }
#endif
}

/* What has to be known of all substeps. Returns the notes. */
static int finish_statistics(const cloth *c, const step_plan *plan) {
  cloth_statistics *counts = statistics_of(c);
  add_varying_work(c, (uint64_t)(uint32_t)counts->iterations * (uint32_t)c->count, iteration_price(c, plan));
  add_varying_work(c, (uint32_t)counts->particles_limited + (uint32_t)counts->particles_recovered, PRICE_RECOVER);
  counts->notes = plan->notes;
  counts->notes |= counts->particles_limited ? CLOTH_NOTE_SPEED_LIMITED : 0;
  counts->notes |= counts->particles_recovered ? CLOTH_NOTE_RECOVERED : 0;
  return counts->notes;
}

/* A step with as many refinements as the workspace says. */
static int step(const cloth *c, float dt) {
#if WITH_SLEEP
  if (is_asleep(c)) {
    return sleep_on(c);
  }
#endif
  prepare_step(c, dt);
  workspace *w = workspace_of(c);
  w->tick = CLOTH_TICKS();
  w->body.index = -1;
  for (int32_t index = 0; index < w->plan.substeps; index++) {
    substep(c, &w->plan, index);
  }
  finish_inputs(c);
  inputs_of(c)->last_substep = w->plan.k;
#if WITH_AIR
  pass_gusts(inputs_of(c), dt);
#endif
#if WITH_SLEEP
  settle_down(c, dt);
#endif
  return finish_statistics(c, &w->plan);
}

/* Lets a step refine without end. */
static void allow_refinements(const cloth *c) {
  workspace *w = workspace_of(c);
  w->timed = 0;
  w->is_cut = 0;
  w->refinements = 0;
}

int cloth_step(cloth *sheet, float dt) {
  int error = check_step(sheet, dt);
  if (error) {
    return error;
  }
  allow_refinements(sheet);
  return step(sheet, dt);
}

#if WITH_PLANNING

int cloth_step_until(cloth *sheet, float dt, uint32_t ticks, cloth_effort *effort) {
  uint32_t start = CLOTH_TICKS();
  int error = check_step(sheet, dt);
  if (error || !effort) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (sheet->fixed_work) {
    return CLOTH_ERROR_WORK;
  }
  workspace *w = workspace_of(sheet);
  allow_refinements(sheet);
  w->timed = ticks != UINT32_MAX;
  w->start = start;
  w->ticks = ticks;
  int result = step(sheet, dt);
  effort->refinements = w->refinements;
  effort->cut_short = w->is_cut;
  return result;
}

int cloth_step_again(cloth *sheet, float dt, const cloth_effort *effort) {
  int error = check_step(sheet, dt);
  if (error || !effort) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (sheet->fixed_work || effort->refinements < 0 || (uint32_t)effort->cut_short > 1u) {
    return CLOTH_ERROR_WORK;
  }
  workspace *w = workspace_of(sheet);
  allow_refinements(sheet);
  w->is_cut = effort->cut_short;
  w->refinements_most = effort->refinements;
  return step(sheet, dt);
}

#endif

