/// Configuration ///

static cloth_fabric fabric_default(void) {
  cloth_fabric f;
  f.density = 0.2f;
  f.stretch_warp = 1000.0f;
  f.stretch_weft = 1000.0f;
  f.shear = 700.0f;
  f.bend = 1.0e-5f;
  f.bend_transition = 0.05f;
  f.compression = 1.0f;
  f.shear_compression = 1.0f;
  f.stretch_damping = 0.05f;
  f.shear_damping = 0.05f;
  f.bend_damping = 0.2f;
  return f;
}

cloth_config cloth_config_default(void) {
  cloth_config config;
  fill_zero(&config, sizeof config);
  config.cookie = CLOTH_COOKIE;
  config.columns = 32;
  config.rows = 32;
  config.edge_warp = vector(1.0f, 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, 1.0f);
  config.fabric = fabric_default();
  config.velocity_damping = 0.1f;
  config.gravity = vector(0.0f, -9.81f, 0.0f);
  config.air_density = 1.2f;
  config.integration = WITH_SOLVER || WITH_PROJECTION ? CLOTH_INTEGRATION_ADAPTIVE : CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.bend_integration = CLOTH_BEND_ADAPTIVE;
  config.fold_stiffness = 200.0f;
  config.explicit_threshold = 0.2f;
  config.projection_threshold = WITH_PROJECTION ? 0.2f : CLOTH_KAPPA_NEVER;
  config.extrapolation = WITH_PROJECTION ? 0.5f : 0.0f;
  config.tethers = WITH_PROJECTION ? TETHERS : 0;
  config.fine_sweeps = 3;
  config.tether_scale = 1.0015f;
  /* What can only be explicit needs as many substeps as it is stiff. */
  config.substeps = WITH_SOLVER || WITH_PROJECTION ? 28 : 0;
  config.max_substeps = WITH_SOLVER || WITH_PROJECTION ? 28 : 256;
  config.max_speed = 300.0f;
  config.preconditioner = CLOTH_PRECONDITIONER_BLOCK;
  config.max_iterations = 4;
  config.tolerance = 1.0e-3f;
  config.limit_extension = 0.006f;
  config.limit_compression = 1.0f;
  config.contact_mode = CLOTH_CONTACT_PROJECTION;
  config.thickness = 0.01f;
  config.max_colliders = WITH_COLLIDERS ? 16 : 0;
  config.max_confined = WITH_CONFINED ? 8 : 0;
  config.sleep_time = 0.5f;
  return config;
}

/* The range of a number in a struct, and the error of being outside. */
typedef struct float_limit {
  uint16_t offset;
  int16_t error;
  float low, high;
} float_limit;

typedef struct integer_limit {
  uint16_t offset;
  int16_t error;
  int32_t low, high;
} integer_limit;

#define FABRIC(field) (uint16_t) offsetof(cloth_fabric, field)
CLOTH_CONSTANT static const float_limit fabric_limits[] = {
    {FABRIC(density), CLOTH_ERROR_DENSITY, 0.001f, 1000.0f},
    {FABRIC(stretch_warp), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e7f},
    {FABRIC(stretch_weft), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e7f},
    {FABRIC(shear), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e7f},
    {FABRIC(bend), CLOTH_ERROR_STIFFNESS, 0.0f, 10.0f},
    {FABRIC(bend_transition), CLOTH_ERROR_STIFFNESS, 1.0e-6f, 0.5f},
    {FABRIC(compression), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0f},
    {FABRIC(shear_compression), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0f},
    {FABRIC(stretch_damping), CLOTH_ERROR_DAMPING, 0.0f, 1.0e4f},
    {FABRIC(shear_damping), CLOTH_ERROR_DAMPING, 0.0f, 1.0e4f},
    {FABRIC(bend_damping), CLOTH_ERROR_DAMPING, 0.0f, 1.0e4f},
};
#undef FABRIC

#define CONFIG(field) (uint16_t) offsetof(cloth_config, field)
CLOTH_CONSTANT static const integer_limit config_integers[] = {
    {CONFIG(columns), CLOTH_ERROR_GRID, 2, CLOTH_GRID_LIMIT},
    {CONFIG(rows), CLOTH_ERROR_GRID, 2, CLOTH_GRID_LIMIT},
    {CONFIG(wrap), CLOTH_ERROR_GRID, 0, 1},
    {CONFIG(substeps), CLOTH_ERROR_SUBSTEPS, 0, CLOTH_SUBSTEP_LIMIT},
    {CONFIG(max_substeps), CLOTH_ERROR_SUBSTEPS, 1, CLOTH_SUBSTEP_LIMIT},
    {CONFIG(warm_start), CLOTH_ERROR_SOLVER, 0, 1},
    {CONFIG(max_iterations), CLOTH_ERROR_ITERATIONS, 1, CLOTH_ITERATION_LIMIT},
    {CONFIG(limit_sweeps), CLOTH_ERROR_STRAIN_LIMIT, 0, CLOTH_SWEEP_LIMIT},
    {CONFIG(max_colliders), CLOTH_ERROR_CAPACITY, 0, CLOTH_COLLIDER_LIMIT},
    {CONFIG(max_confined), CLOTH_ERROR_CAPACITY, 0, 65535},
    {CONFIG(spans), CLOTH_ERROR_PROJECTION, 0, CLOTH_SPAN_LIMIT},
    {CONFIG(fine_sweeps), CLOTH_ERROR_PROJECTION, 0, CLOTH_SWEEP_LIMIT},
    {CONFIG(tethers), CLOTH_ERROR_PROJECTION, 0, TETHERS},
    {CONFIG(fixed_work), CLOTH_ERROR_WORK, 0, 1},
    {CONFIG(targets), CLOTH_ERROR_TARGETS, 0, 1},
    {CONFIG(shared_scratch), CLOTH_ERROR_SCRATCH, 0, 1},
};

CLOTH_CONSTANT static const float_limit config_floats[] = {
    {CONFIG(velocity_damping), CLOTH_ERROR_DAMPING, 0.0f, 100.0f},
    {CONFIG(air_density), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(drag), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(lift), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(normal_drag), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(fold_stiffness), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e6f},
    {CONFIG(explicit_threshold), CLOTH_ERROR_INTEGRATION, 0.0f, 0.5f},
    {CONFIG(projection_threshold), CLOTH_ERROR_INTEGRATION, 0.0f, CLOTH_KAPPA_NEVER},
    {CONFIG(extrapolation), CLOTH_ERROR_PROJECTION, 0.0f, 1.0f},
    {CONFIG(tether_scale), CLOTH_ERROR_PROJECTION, 0.5f, 10.0f},
    {CONFIG(max_speed), CLOTH_ERROR_MAX_SPEED, 0.1f, 1.0e4f},
    {CONFIG(tolerance), CLOTH_ERROR_TOLERANCE, 1.0e-4f, 0.5f},
    {CONFIG(limit_extension), CLOTH_ERROR_STRAIN_LIMIT, 0.0f, 10.0f},
    {CONFIG(limit_compression), CLOTH_ERROR_STRAIN_LIMIT, 0.0f, 1.0f},
    {CONFIG(thickness), CLOTH_ERROR_CONTACT, 0.0f, 1.0f},
    {CONFIG(sleep_speed), CLOTH_ERROR_SLEEP, 0.0f, 10.0f},
    {CONFIG(sleep_time), CLOTH_ERROR_SLEEP, 0.0f, 60.0f},
};
#undef CONFIG

static int check_floats(const void *values, const float_limit *limits, size_t bytes) {
  const float_limit *end = limits + bytes / sizeof *limits;
  for (; limits < end; limits++) {
    const float *value = (const float *)(const void *)((const char *)values + limits->offset);
    if (!in_range(*value, limits->low, limits->high)) {
      return limits->error;
    }
  }
  return CLOTH_OK;
}

static int check_integers(const void *values, const integer_limit *limits, size_t bytes) {
  const integer_limit *end = limits + bytes / sizeof *limits;
  for (; limits < end; limits++) {
    const int32_t *value = (const int32_t *)(const void *)((const char *)values + limits->offset);
    if (*value < limits->low || *value > limits->high) {
      return limits->error;
    }
  }
  return CLOTH_OK;
}

static int check_fabric(const cloth_fabric *fabric) {
  return check_floats(fabric, fabric_limits, sizeof fabric_limits);
}

/* Floats that follow each other, as they are stored: what is too small to matter is nothing. */
static void snap_floats(float *values, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    values[i] = snapped(values[i], WORK_QUANTUM);
  }
}

/* Squared length of an edge may not overflow or vanish, and neighbours stay at least 0.1 mm and at most 100 m apart. */
static int check_edge(cloth_vector edge, int32_t cells) {
  if (!vector_in_range(edge, CLOTH_POSITION_LIMIT)) {
    return CLOTH_ERROR_PLACEMENT;
  }
  float spacing = vector_length(edge) / (float)cells;
  return in_range(spacing, 0.99999e-4f, 100.0f) ? CLOTH_OK : CLOTH_ERROR_PLACEMENT;
}

static int is_tube(const cloth_config *config) {
  return WITH_WRAP && config->wrap;
}

/* Measured in units of the first edge's length, so that nothing overflows. */
static float parallelogram_area(cloth_vector a, cloth_vector b) {
  float length = vector_length(a);
  cloth_vector unit = vector_clean(vector_scale(a, 1.0f / length));
  return length * vector_length(vector_cross(unit, b));
}

#if WITH_WRAP

typedef struct turn {
  float cosine, sine;
} turn;

/* Of an angle of an eighth of a turn at most, to a rounding or two: the series. */
static turn small_turn(float angle) {
  float square = angle * angle;
  float cosine = 1.0f / 24.0f - square * (1.0f / 720.0f - square * (1.0f / 40320.0f));
  float sine = 1.0f / 120.0f - square * (1.0f / 5040.0f - square * (1.0f / 362880.0f));
  turn t;
  t.cosine = 1.0f - square * (0.5f - square * cosine);
  t.sine = angle * (1.0f - square * (1.0f / 6.0f - square * sine));
  return t;
}

/* So many steps, of which `steps` go all the way round: quarter turns, and what is left to either side. */
static turn turn_by(int32_t step, int32_t steps) {
  int32_t quarters = (4 * step + steps / 2) / steps;
  turn t = small_turn(1.5707964f * ((float)(4 * step - quarters * steps) / (float)steps));
  for (; quarters > 0; quarters--) {
    float cosine = t.cosine;
    t.cosine = 0.0f - t.sine;
    t.sine = cosine;
  }
  return t;
}

#endif

/* A place on the plane of origin and edges. */
static cloth_vector grid_point(const cloth_config *config, int32_t column, int32_t row) {
  float along_warp = (float)column / (float)(config->columns - 1);
  float along_weft = (float)row / (float)(config->rows - 1);
  cloth_vector p = vector_clean(config->origin);
  p = vector_add_scaled(p, vector_clean(config->edge_warp), along_warp);
  return vector_add_scaled(p, vector_clean(config->edge_weft), along_weft);
}

/* Where a particle starts that the config does not place. The rows of a wrapped sheet start as regular polygons whose
   sides are the spacing. Particle (0, 0) is at the origin, the axis behind it as seen from where the normal points. */
static cloth_vector start_point(const cloth_config *config, int32_t column, int32_t row) {
  cloth_vector p = grid_point(config, is_tube(config) ? 0 : column, row);
#if WITH_WRAP
  if (is_tube(config)) {
    cloth_vector along = vector_clean(config->edge_warp);
    cloth_vector axis = vector_clean(vector_scale(config->edge_weft, 1.0f / vector_length(config->edge_weft)));
    cloth_vector outward = vector_clean(vector_cross(along, axis));
    turn t = turn_by(column, config->columns);
    float radius = 0.5f / ((float)config->columns * small_turn(3.1415927f / (float)config->columns).sine); /* / girth */
    p = vector_add_scaled(p, along, radius * t.sine);
    p = vector_add_scaled(p, outward, radius * (t.cosine - 1.0f));
  }
#endif
  return p;
}

/* Edges may lean, but not so far that cells collapse: to a tenth of a rectangle's area. Around a tube they may not: its
   rings would not close. */
static int edges_lean(const cloth_config *config) {
  float rectangle = vector_length(config->edge_warp) * vector_length(config->edge_weft);
  if (is_tube(config)) {
    float lean = vector_dot(vector_clean(config->edge_warp), vector_clean(config->edge_weft));
    return !in_range(lean, -1.0e-3f * rectangle, 1.0e-3f * rectangle);
  }
  return parallelogram_area(config->edge_warp, config->edge_weft) < 0.1f * rectangle;
}

static int check_placement(const cloth_config *config) {
  if (check_edge(config->edge_warp, config->columns - !is_tube(config)) ||
      check_edge(config->edge_weft, config->rows - 1) || edges_lean(config)) {
    return CLOTH_ERROR_PLACEMENT;
  }
  if (config->positions) {
    for (int32_t i = 0; i < config->columns * config->rows; i++) {
      if (!vector_in_range(config->positions[i], CLOTH_POSITION_LIMIT)) {
        return CLOTH_ERROR_PLACEMENT;
      }
    }
    return CLOTH_OK;
  }
  for (int32_t end = 0; end < 2 * config->columns; end++) { /* of a column */
    cloth_vector p = start_point(config, end >> 1, (end & 1) * (config->rows - 1));
    if (!vector_in_range(p, CLOTH_POSITION_LIMIT)) {
      return CLOTH_ERROR_PLACEMENT;
    }
  }
  return CLOTH_OK;
}

static int check_map(const float *map, int32_t count, float low, float high) {
  for (int32_t i = 0; map && i < count; i++) {
    if (!in_range(map[i], low, high)) {
      return CLOTH_ERROR_MAP;
    }
  }
  return CLOTH_OK;
}

/* With fewer columns two bend springs would join the same two particles. */
#define LEAST_COLUMNS_WRAPPED 5

/* Are the choices among those there are? */
static int check_choices(const cloth_config *config) {
  if ((unsigned)config->integration > CLOTH_INTEGRATION_EXPLICIT_ONLY ||
      (unsigned)config->bend_integration > CLOTH_BEND_EXPLICIT) {
    return CLOTH_ERROR_INTEGRATION;
  }
  if ((unsigned)config->preconditioner > CLOTH_PRECONDITIONER_AUTOMATIC) {
    return CLOTH_ERROR_SOLVER;
  }
  if ((unsigned)config->contact_mode > CLOTH_CONTACT_SOLVER) {
    return CLOTH_ERROR_CONTACT;
  }
  if (is_tube(config) && config->columns < LEAST_COLUMNS_WRAPPED) {
    return CLOTH_ERROR_GRID;
  }
  if (config->fixed_work && (config->sleep_speed > 0.0f || config->contact_mode == CLOTH_CONTACT_SOLVER)) {
    return CLOTH_ERROR_WORK;
  }
  return config->spans & (config->spans - 1) ? CLOTH_ERROR_PROJECTION : CLOTH_OK;
}

/* Will the next step choose tethers? With fixed work it always does the work, unless the caller has set them. */
static int chooses_tethers(const cloth *c) {
  int32_t chosen = c->tethers ? inputs_of(c)->tethers_chosen : TETHERS_SET;
  return chosen == TETHERS_STALE || (chosen == TETHERS_CHOSEN && c->fixed_work);
}

/* Can anything of a cloth with this config ever be implicit? */
static int needs_solver(const cloth_config *config) {
  float above = snapped(config->projection_threshold, WORK_QUANTUM);
  return config->integration != CLOTH_INTEGRATION_EXPLICIT_ONLY &&
         (config->integration != CLOTH_INTEGRATION_ADAPTIVE ||
          above > snapped(config->explicit_threshold, WORK_QUANTUM) || config->contact_mode == CLOTH_CONTACT_SOLVER);
}

/* Does it keep earlier velocities? */
static int needs_history(const cloth_config *config) {
  return snapped(config->extrapolation, WORK_QUANTUM) > 0.0f;
}

/* Does the config ask for what this build does without? */
static int check_left_out(const cloth_config *config) {
  if ((!WITH_SOLVER && needs_solver(config)) ||
      (!WITH_MULTILEVEL && config->preconditioner >= CLOTH_PRECONDITIONER_MULTILEVEL) ||
      (!WITH_PROJECTION &&
       (config->projection_threshold < CLOTH_KAPPA_NEVER || needs_history(config) || config->tethers > 0)) ||
      (!WITH_CONTACT_SOLVER && config->contact_mode == CLOTH_CONTACT_SOLVER) ||
      (!WITH_COLLIDERS && config->max_colliders > 0) || (!WITH_CONFINED && config->max_confined > 0) ||
      (!WITH_LIMITS && config->limit_sweeps > 0) || (!WITH_SLEEP && config->sleep_speed > 0.0f) ||
      (!WITH_TARGETS && config->targets) || (!WITH_WRAP && config->wrap) ||
      (!WITH_AIR && (config->drag > 0.0f || config->lift > 0.0f || config->normal_drag > 0.0f))) {
    return CLOTH_ERROR_LEFT_OUT;
  }
  return CLOTH_OK;
}

static int check_config(const cloth_config *config) {
  if (!config) {
    return CLOTH_ERROR_NULL;
  }
  if (config->cookie != CLOTH_COOKIE) {
    return CLOTH_ERROR_CONFIG;
  }
  int error = check_integers(config, config_integers, sizeof config_integers);
  error = error ? error : check_floats(config, config_floats, sizeof config_floats);
  error = error ? error : check_choices(config);
  error = error ? error : check_left_out(config);
  error = error ? error : check_fabric(&config->fabric);
  error = error ? error : check_placement(config);
  if (error) {
    return error;
  }
  if (!vector_in_range(config->gravity, 1.0e4f)) {
    return CLOTH_ERROR_GRAVITY;
  }
  if (!vector_in_range(config->wind, 1.0e3f)) {
    return CLOTH_ERROR_WIND;
  }
  error = check_map(config->mass_map, config->columns * config->rows, 0.01f, 100.0f);
  return error ? error : check_map(config->stiffness_map, config->columns * config->rows, 0.0f, 100.0f);
}

