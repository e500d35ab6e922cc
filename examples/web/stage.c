/* SPDX-License-Identifier: MIT */
#include "stage.h"
#include "figure.h"
#include "meander.h"
#include "motion.h"

const float stage_frame_time = 1.0f / 60.0f;

/// The sheets ///

typedef struct sheet_plan {
  const char *name;
  int32_t columns;
  float width, height; /* [m] */
  cloth_vector origin, down;
  cloth_fabric_kind fabric;
  float wind;               /* [m/s] */
  float turn, swing, folds; /* of the start, see meander.h */
  float bulge;              /* of the start, to either side on the way down [m] */
  int feels_itself;
} sheet_plan;

static const sheet_plan plans[STAGE_KIND_COUNT] = {
    {"flag", 48, 1.5f, 1.0f, {0.018f, 1.75f, 0}, {0, -1, 0}, CLOTH_FABRIC_POLYESTER, 7, 0, 0.03f, 1, 0, 0},
    {"tablecloth", 48, 1.3f, 1.3f, {-0.65f, 0.95f, -0.65f}, {0, 0, 1}, CLOTH_FABRIC_COTTON, 0, 0, 0, 0, 0, 1},
    {"curtain", 48, 2.1f, 1.5f, {-0.74f, 1.75f, 0}, {0, -1, 0}, CLOTH_FABRIC_COTTON, 0, 0, 0.18f, 8, 0, 1},
    {"cape", 48, 1.1f, 1.1f, {-0.045f, 1.41f, -0.27f}, {0, -1, 0}, CLOTH_FABRIC_WOOL, 2, 0.42f, 0.19f, 6, 0, 1},
    {"decomposition", 32, 1, 1, {-0.5f, 1.4f, 0}, {0, -0.5f, 0.8660254f}, CLOTH_FABRIC_POLYESTER, 2, 0, 0, 0, 0, 0},
    {"towel", 24, 1, 0.7f, {-0.5f, 0.71f, 0}, {0, -1, 0}, CLOTH_FABRIC_COTTON, 0, 0, 0, 0, 0.01f, 1},
};

const char *stage_name(stage_kind kind) {
  return plans[kind].name;
}

const char *stage_fabric_name(cloth_fabric_kind kind) {
  static const char *const names[CLOTH_FABRIC_COUNT] = {
      [CLOTH_FABRIC_SILK] = "silk",       [CLOTH_FABRIC_COTTON] = "cotton",       [CLOTH_FABRIC_WOOL] = "wool",
      [CLOTH_FABRIC_DENIM] = "denim",     [CLOTH_FABRIC_POLYESTER] = "polyester", [CLOTH_FABRIC_SATIN] = "satin",
      [CLOTH_FABRIC_LINEN] = "linen",     [CLOTH_FABRIC_JERSEY] = "jersey",       [CLOTH_FABRIC_FELT] = "felt",
      [CLOTH_FABRIC_LEATHER] = "leather", [CLOTH_FABRIC_CANVAS] = "canvas",       [CLOTH_FABRIC_RUBBER] = "rubber",
      [CLOTH_FABRIC_PAPER] = "paper"};
  return names[kind];
}

/* What stands on an edge, nearly straight and a little crooked, folds onto itself. */
static float bulge_at(const stage *s, int32_t column, int32_t row) {
  const float along = (float)column / (float)(s->columns - 1), down = (float)row / (float)(s->rows - 1);
  return plans[s->kind].bulge * (wave(1.4f * (1 - down)) + 2 * along * (1 - down));
}

static void lay_sheet(stage *s) {
  const sheet_plan *plan = &plans[s->kind];
  const meander edge = {plan->origin, plan->width, plan->turn, plan->swing, plan->folds};
  meander_lay(&edge, s->columns, s->collar);
  for (int32_t i = 0; i < s->columns * s->rows; i++) {
    int32_t row = i / s->columns;
    s->positions[i] = plus(s->collar[i % s->columns], times((float)row * s->spacing, plan->down));
    s->positions[i].z += bulge_at(s, i % s->columns, row);
    s->velocities[i] = vector(0, 0, 0);
  }
}

/* Soft and stiff places side by side. */
static void draw_stiffness(stage *s) {
  for (int32_t i = 0; i < s->columns * s->rows; i++) {
    float u = (float)(i % s->columns) / (float)(s->columns - 1);
    float v = (float)(i / s->columns) / (float)(s->rows - 1);
    float t = 0.5f + 0.27f * wave(1.1f * u + 0.4f * v) + 0.23f * wave(1.3f * v - 0.5f * u + 0.2f);
    s->stiffness_map[i] = 0.004f + t * t * t * t;
  }
}

/// Methods ///

typedef struct method_plan {
  const char *name;
  int32_t material, bending, scheme, solver, newton;
  int32_t self;    /* a cloth_self_response */
  float repulsion; /* over the spacing [1] */
} method_plan;

static const method_plan methods[STAGE_METHOD_COUNT] = {
    {"default", 0, 0, 0, 0, 0, 0, 0},
    {"springs, Euler, gradients", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER,
     CLOTH_SOLVER_GRADIENTS, 1, CLOTH_SELF_NONE, 0},
    {"unprojected damping", CLOTH_MATERIAL_UNPROJECTED, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER,
     CLOTH_SOLVER_GRADIENTS, 1, CLOTH_SELF_NONE, 0},
    {"conditions", CLOTH_MATERIAL_CONDITIONS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 1,
     CLOTH_SELF_NONE, 0},
    {"trisprings", CLOTH_MATERIAL_TRISPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 1,
     CLOTH_SELF_NONE, 0},
    {"bending by springs", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_SPRINGS, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 1,
     CLOTH_SELF_NONE, 0},
    {"bending by planes", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_PLANE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 1,
     CLOTH_SELF_NONE, 0},
    {"bending by hinges", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_HINGE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 1,
     CLOTH_SELF_NONE, 0},
    {"BDF2", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_BDF2, CLOTH_SOLVER_GRADIENTS, 1,
     CLOTH_SELF_NONE, 0},
    {"IMEX2", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_GRADIENTS, 1,
     CLOTH_SELF_NONE, 0},
    {"Newton, 4 iterations", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER,
     CLOTH_SOLVER_GRADIENTS, 4, CLOTH_SELF_NONE, 0},
    {"components", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_NONE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_COMPONENTS, 1,
     CLOTH_SELF_NONE, 0},
    {"nonlinear gradients", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER, CLOTH_SOLVER_NONLINEAR,
     1, CLOTH_SELF_NONE, 0},
    {"sweeps", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER, CLOTH_SOLVER_SWEEPS, 1,
     CLOTH_SELF_NONE, 0},
    {"repulsion from itself", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER,
     CLOTH_SOLVER_GRADIENTS, 1, CLOTH_SELF_NONE, 0.75f},
    {"impulses with itself", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER,
     CLOTH_SOLVER_GRADIENTS, 1, CLOTH_SELF_IMPULSES, 0},
    {"impulses with itself, BDF2", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_BDF2,
     CLOTH_SOLVER_GRADIENTS, 1, CLOTH_SELF_IMPULSES, 0},
};

/* Substeps and iterations that a method starts with. */
enum { METHOD_SUBSTEPS = 4, METHOD_ITERATIONS = 32 };

const char *stage_method_name(int32_t number) {
  return methods[number].name;
}

/* Trisprings get the stretch stiffness of the fabric and a Poisson number of 2 / 5. */
static cloth_method current_method(const stage *s) {
  const method_plan *plan = &methods[(int32_t)s->settings[STAGE_METHOD]];
  cloth_method method = cloth_method_default();
  method.material = plan->material;
  method.bending = plan->bending;
  method.scheme = plan->scheme;
  method.solver = plan->solver;
  method.newton = plan->newton;
  method.iterations = (int32_t)s->settings[STAGE_ITERATIONS];
  method.lambda = 0.4f * s->settings[STAGE_STRETCH];
  method.mu = 0.3f * s->settings[STAGE_STRETCH];
  method.repulsion = plan->repulsion * s->spacing;
  method.self = plan->self;
  return method;
}

/* A step of the library, or of the method that takes its place. */
static int step_sheet(stage *s) {
  if (s->settings[STAGE_METHOD] == 0) return cloth_step(s->sheet, stage_frame_time);
  const cloth_method method = current_method(s);
  return cloth_method_step(s->sheet, &method, stage_frame_time, s->memory + s->arena_bytes,
                           sizeof s->memory - s->arena_bytes, &s->report);
}

/// Settings ///

/* With two substeps cloth that touches itself tangles. */
static int32_t default_substeps(const stage *s) {
  return plans[s->kind].feels_itself ? 4 : cloth_config_default().substeps;
}

static void set_defaults(stage *s) {
  const cloth_config config = cloth_config_default();
  int is_mixed = s->kind == STAGE_DECOMPOSITION;
  s->settings[STAGE_FABRIC] = (float)plans[s->kind].fabric;
  s->settings[STAGE_SUBSTEPS] = is_mixed ? 24 : (float)default_substeps(s);
  s->settings[STAGE_ITERATIONS] = (float)config.iterations;
  s->settings[STAGE_EXPLICIT] = config.integration.explicit_threshold;
  s->settings[STAGE_WIND] = plans[s->kind].wind;
  s->settings[STAGE_METHOD] = 0;
}

static int take_fabric(stage *s) {
  int result = cloth_fabric_preset((cloth_fabric_kind)s->settings[STAGE_FABRIC], &s->fabric);
  s->settings[STAGE_STRETCH] = s->fabric.stretch_warp;
  if (s->kind == STAGE_DECOMPOSITION) { /* soft, and slack springs do nothing, as in the thesis */
    s->fabric.compression = s->fabric.shear_compression = 0;
    s->settings[STAGE_STRETCH] *= 0.17f;
  }
  s->settings[STAGE_BEND] = s->fabric.bend;
  return result;
}

static cloth_fabric current_fabric(const stage *s) {
  cloth_fabric fabric = s->fabric;
  float share = s->settings[STAGE_STRETCH] / fabric.stretch_warp;
  fabric.stretch_warp *= share;
  fabric.stretch_weft *= share;
  fabric.shear *= share;
  fabric.bend = s->settings[STAGE_BEND];
  return fabric;
}

static cloth_config current_config(const stage *s) {
  const sheet_plan *plan = &plans[s->kind];
  cloth_config config = cloth_config_default();
  config.columns = s->columns;
  config.rows = s->rows;
  config.origin = plan->origin;
  config.edge_warp = vector(plan->width, 0, 0);
  config.edge_weft = times((float)(s->rows - 1) * s->spacing, plan->down);
  config.grid.positions = s->positions;
  config.fabric = current_fabric(s);
  config.grid.stiffness_map = s->kind == STAGE_DECOMPOSITION ? s->stiffness_map : NULL;
  config.substeps = (int32_t)s->settings[STAGE_SUBSTEPS];
  config.iterations = (int32_t)s->settings[STAGE_ITERATIONS];
  config.integration.explicit_threshold = s->settings[STAGE_EXPLICIT];
  config.max_colliders = STAGE_BODY_LIMIT;
  if (plan->feels_itself && s->settings[STAGE_METHOD] == 0) { config.self_thickness = 0.45f * s->spacing; }
  if (s->settings[STAGE_METHOD] > 0) { /* a method keeps its own history and has no tethers */
    config.integration.explicit_threshold = 0;
    config.integration.bdf2_blend = 0;
    config.tethers.count = 0;
  }
  return config;
}

/// Bodies ///

static stage_body *add_body(stage *s, cloth_collider collider, int is_felt) {
  stage_body *body = &s->bodies[s->body_count++];
  body->collider = collider;
  body->index = is_felt ? 0 : -1;
  return body;
}

static void add_rod(stage *s, cloth_vector low, cloth_vector high, float radius_low, float radius_high) {
  limb l = {low, high, radius_low, radius_high};
  add_body(s, limb_collider(&l), 0);
}

static void add_sphere(stage *s, float radius, cloth_vector middle) {
  cloth_collider sphere = cloth_collider_default();
  sphere.radius = radius;
  sphere.pose.position = middle;
  add_body(s, sphere, 1);
}

static void add_floor(stage *s) {
  cloth_collider ground = cloth_collider_default();
  ground.shape = CLOTH_SHAPE_PLANE;
  add_body(s, ground, 1);
}

static float now(const stage *s) {
  return (float)s->frame * stage_frame_time;
}

static cloth_pose sphere_pose(const stage *s) {
  float t = now(s);
  cloth_vector place = {0.42f * wave(0.11f * t), 0.78f, -0.85f * cosine(0.17f * t)};
  return (cloth_pose){place, {0, 0, 0, 1}};
}

static figure_stance current_stance(const stage *s) {
  return (figure_stance){.phase = figure_strides * now(s), .stride = 1};
}

static void add_figure(stage *s) {
  limb limbs[FIGURE_LIMBS];
  figure_stance stance = current_stance(s);
  figure_limbs(&stance, limbs);
  for (int32_t i = 0; i < FIGURE_LIMBS; i++)
    add_body(s, limb_collider(&limbs[i]), 1);
}

static void add_bodies(stage *s) {
  s->body_count = 0;
  switch (s->kind) {
  case STAGE_FLAG:
    add_rod(s, vector(0, 0, 0), vector(0, 1.8f, 0), 0.02f, 0.016f);
    break;
  case STAGE_TABLECLOTH:
    add_sphere(s, 0.42f, vector(0, 0.42f, 0));
    add_floor(s);
    break;
  case STAGE_CURTAIN:
    add_sphere(s, 0.24f, sphere_pose(s).position);
    add_rod(s, vector(-0.85f, 1.78f, 0), vector(0.85f, 1.78f, 0), 0.018f, 0.018f);
    break;
  case STAGE_CAPE:
    add_figure(s);
    break;
  case STAGE_TOWEL:
    add_floor(s);
    break;
  default:
    break;
  }
}

static int move_body(stage *s, int32_t i, const cloth_pose *pose) {
  s->bodies[i].collider.pose = *pose;
  return cloth_move_collider(s->sheet, s->bodies[i].index, NULL, pose);
}

static int move_figure(stage *s) {
  limb limbs[FIGURE_LIMBS];
  figure_stance stance = current_stance(s);
  int result = CLOTH_OK;
  figure_limbs(&stance, limbs);
  for (int32_t i = 0; i < FIGURE_LIMBS && result >= 0; i++) {
    cloth_pose pose = limb_pose(&limbs[i]);
    result = move_body(s, i, &pose);
  }
  return result;
}

static int move_bodies(stage *s) {
  if (s->kind == STAGE_CAPE) return move_figure(s);
  if (s->kind != STAGE_CURTAIN) return CLOTH_OK;
  cloth_pose pose = sphere_pose(s);
  return move_body(s, 0, &pose);
}

/// Pins ///

static int is_pinned(const stage *s, int32_t i) {
  int32_t column = i % s->columns, row = i / s->columns;
  switch (s->kind) {
  case STAGE_FLAG:
    return column == 0;
  case STAGE_CURTAIN:
  case STAGE_CAPE:
    return row == 0;
  case STAGE_DECOMPOSITION:
    return row == 0 && (column == 0 || column == s->columns - 1);
  default:
    return 0;
  }
}

/* The collar turns and bobs with the shoulders. */
static cloth_vector collar_place(const stage *s, int32_t column) {
  const figure_stance start = {.stride = 1};
  figure_stance stance = current_stance(s);
  figure_shoulders rest = figure_shoulders_at(&start), shoulders = figure_shoulders_at(&stance);
  return figure_from_shoulders(&shoulders, minus(s->collar[column], rest.middle));
}

static int move_collar(stage *s) {
  int result = CLOTH_OK;
  for (int32_t i = 0; s->kind == STAGE_CAPE && i < s->columns && result >= 0; i++)
    result = cloth_move_pin(s->sheet, i, collar_place(s, i));
  return result;
}

/// Starting and going on ///

static int populate(stage *s) {
  int result = CLOTH_OK;
  for (int32_t i = 0; i < s->columns * s->rows && result >= 0; i++)
    result =
        is_pinned(s, i) ? cloth_pin(s->sheet, i) : cloth_set_particle(s->sheet, i, s->positions[i], s->velocities[i]);
  for (int32_t i = 0; i < s->body_count && result >= 0; i++)
    if (s->bodies[i].index >= 0) result = s->bodies[i].index = cloth_add_collider(s->sheet, &s->bodies[i].collider);
  return result < 0 ? result : CLOTH_OK;
}

/* What the cloth takes of the memory, in whole steps of its alignment. Returns CLOTH_OK or an error. */
static int find_arena(const cloth_config *config, size_t *bytes) {
  cloth_memory needed;
  int result = cloth_memory_needed(config, &needed);
  if (result < 0) return result;
  *bytes = (needed.total_bytes + CLOTH_ALIGNMENT - 1) / CLOTH_ALIGNMENT * CLOTH_ALIGNMENT;
  return *bytes > STAGE_MEMORY_BYTES ? CLOTH_ERROR_ARENA : CLOTH_OK;
}

/* Makes the cloth from the positions and velocities noted. A method begins anew. */
static int build(stage *s) {
  cloth_config config = current_config(s);
  s->grabbed = -1;
  int result = find_arena(&config, &s->arena_bytes);
  if (result >= 0) result = cloth_init(&config, s->memory, s->arena_bytes, &s->sheet);
  if (result >= 0 && s->settings[STAGE_METHOD] > 0) __builtin_memset(s->memory + s->arena_bytes, 0, 4);
  return result < 0 ? result : populate(s);
}

int stage_open(stage *s, stage_kind kind, int32_t columns) {
  const sheet_plan *plan = &plans[kind];
  int32_t count = columns ? columns : plan->columns;
  if (count < 8 || count > STAGE_COLUMN_LIMIT) return CLOTH_ERROR_RANGE;
  float spacing = plan->width / (float)(count - 1);
  int32_t rows = 1 + (int32_t)(plan->height / spacing + 0.5f);
  if (count * rows > STAGE_PARTICLE_LIMIT) return CLOTH_ERROR_RANGE;
  s->kind = kind;
  s->frame = 0;
  s->columns = count;
  s->rows = rows;
  s->spacing = spacing;
  set_defaults(s);
  take_fabric(s);
  lay_sheet(s);
  draw_stiffness(s);
  add_bodies(s);
  return build(s);
}

static void note_motion(stage *s) {
  for (int32_t i = 0; i < s->columns * s->rows; i++) {
    cloth_get_position(s->sheet, i, &s->positions[i]);
    cloth_get_velocity(s->sheet, i, &s->velocities[i]);
  }
}

/* A config is for the life of a cloth: another one goes on from where this one is. */
static int rebuild(stage *s) {
  cloth_config config = current_config(s);
  size_t bytes;
  int result = find_arena(&config, &bytes);
  if (result < 0) return result;
  note_motion(s);
  return build(s);
}

/* Another method goes on from where the cloth is, if it can. */
static int take_method(stage *s) {
  const int is_method = s->settings[STAGE_METHOD] > 0;
  const float substeps = s->settings[STAGE_SUBSTEPS], iterations = s->settings[STAGE_ITERATIONS];
  if (!(s->settings[STAGE_METHOD] >= 0 && s->settings[STAGE_METHOD] < STAGE_METHOD_COUNT)) return CLOTH_ERROR_RANGE;
  if (is_method && s->kind == STAGE_DECOMPOSITION) return CLOTH_ERROR_METHOD; /* its stiffness has a map */
  s->settings[STAGE_SUBSTEPS] = is_method ? METHOD_SUBSTEPS : (float)default_substeps(s);
  s->settings[STAGE_ITERATIONS] = is_method ? METHOD_ITERATIONS : (float)cloth_config_default().iterations;
  const int result = rebuild(s);
  if (result < 0) {
    s->settings[STAGE_SUBSTEPS] = substeps;
    s->settings[STAGE_ITERATIONS] = iterations;
  }
  return result;
}

static int apply(stage *s, stage_setting which) {
  if (which == STAGE_METHOD) return take_method(s);
  if (which == STAGE_WIND) return CLOTH_OK; /* stage_step() sets it */
  if (which == STAGE_FABRIC) {
    int result = take_fabric(s);
    return result < 0 ? result : rebuild(s); /* the density is part of it */
  }
  if (which <= STAGE_BEND) {
    cloth_fabric fabric = current_fabric(s);
    return cloth_set_fabric(s->sheet, &fabric);
  }
  return rebuild(s);
}

int stage_set(stage *s, stage_setting which, float value) {
  float before = s->settings[which];
  s->settings[which] = value;
  int result = apply(s, which);
  if (result < 0) s->settings[which] = before;
  return result;
}

/* Gusts: the wind swells, and swings to and fro. */
static cloth_vector current_wind(const stage *s) {
  float t = now(s);
  float speed = s->settings[STAGE_WIND] * (1 + 0.2f * wave(0.31f * t) + 0.12f * wave(0.83f * t));
  float swing = 0.06f * wave(0.23f * t) + 0.03f * wave(0.71f * t);
  if (s->kind == STAGE_FLAG) return times(speed, vector(cosine(swing), 0, wave(swing)));
  if (s->kind == STAGE_CAPE) return times(speed, vector(-cosine(swing), 0, wave(swing)));
  return times(speed, vector(wave(3 * swing), 0, wave(0.19f * t)));
}

int stage_step(stage *s) {
  s->frame++;
  int result = cloth_set_wind(s->sheet, current_wind(s));
  if (result >= 0) result = move_bodies(s);
  if (result >= 0) result = move_collar(s);
  if (result >= 0) result = stage_move_hand(s);
  return result < 0 ? result : step_sheet(s);
}
