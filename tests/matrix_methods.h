/*
 * The scenes of tests/matrix.c for the methods of examples/methods: every material, law of bending, time scheme and
 * solver once, on a sheet held by two corners that falls onto a sphere, and solves that start in flight, on one that
 * nothing holds. Included by matrix.c.
 */
/* Contact of a scene: with its ball by projection, of the sheet with itself as well, by repulsion or by impulses, with
   the ball in the solver, or by projection without the pins. */
enum { BY_PROJECTION, BY_REPULSION, BY_IMPULSES, IN_SOLVER, IN_FLIGHT };

typedef struct method_scene {
  const char *name;
  int material, bending, scheme, solver, newton, contact;
} method_scene;

static const method_scene method_scenes[] = {
    {"springs-euler", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 1,
     BY_PROJECTION},
    {"unprojected-springs", CLOTH_MATERIAL_UNPROJECTED, CLOTH_BENDING_SPRINGS, CLOTH_SCHEME_EULER,
     CLOTH_SOLVER_GRADIENTS, 1, BY_PROJECTION},
    {"conditions-plane", CLOTH_MATERIAL_CONDITIONS, CLOTH_BENDING_PLANE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 1,
     BY_PROJECTION},
    {"trisprings-hinge", CLOTH_MATERIAL_TRISPRINGS, CLOTH_BENDING_HINGE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 1,
     BY_PROJECTION},
    {"bdf2", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_NONE, CLOTH_SCHEME_BDF2, CLOTH_SOLVER_GRADIENTS, 1, BY_PROJECTION},
    {"imex2", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_GRADIENTS, 1,
     BY_PROJECTION},
    {"newton", CLOTH_MATERIAL_TRISPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 3,
     BY_PROJECTION},
    {"components", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_NONE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_COMPONENTS, 1,
     BY_PROJECTION},
    {"nonlinear", CLOTH_MATERIAL_CONDITIONS, CLOTH_BENDING_HINGE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_NONLINEAR, 1,
     BY_PROJECTION},
    {"sweeps", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_BDF2, CLOTH_SOLVER_SWEEPS, 1,
     BY_PROJECTION},
    {"explicit", CLOTH_MATERIAL_TRISPRINGS, CLOTH_BENDING_NONE, CLOTH_SCHEME_EXPLICIT, CLOTH_SOLVER_GRADIENTS, 1,
     BY_PROJECTION},
    {"static", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_STATIC, CLOTH_SOLVER_GRADIENTS, 1,
     BY_PROJECTION},
    {"repulsion", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_NONE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 1,
     BY_REPULSION},
    {"repulsion-sweeps", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_NONE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_SWEEPS, 1,
     BY_REPULSION},
    {"impulses", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_BDF2, CLOTH_SOLVER_GRADIENTS, 1,
     BY_IMPULSES},
    {"held", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_BDF2, CLOTH_SOLVER_GRADIENTS, 1, IN_SOLVER},
    {"held-components", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_NONE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_COMPONENTS, 1,
     IN_SOLVER},
    {"flight", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_BDF2, CLOTH_SOLVER_GRADIENTS, 1,
     IN_FLIGHT},
    {"flight-components", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_NONE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_COMPONENTS, 1,
     IN_FLIGHT},
};
#define METHOD_SCENES ((int)(sizeof method_scenes / sizeof method_scenes[0]))

static unsigned char method_memory[65536] __attribute__((aligned(CLOTH_ALIGNMENT)));

OWN_FRAME static void run_method_frames(cloth *sheet, const cloth_method *method) {
  cloth_method_report report;
  if (method->scheme == CLOTH_SCHEME_STATIC) {
    checked(cloth_method_settle(sheet, method, method_memory, sizeof method_memory, &report));
    fold_state(sheet);
    return;
  }
  for (scene_frame = 0; scene_frame < FULL_FRAMES; scene_frame++) {
    checked(cloth_method_step(sheet, method, FRAME_SECONDS, method_memory, sizeof method_memory, &report));
    fold_state(sheet);
    fold((uint32_t)report.iterations, 4);
    fold((uint32_t)report.touches, 4);
    fold((uint32_t)report.zones, 4);
  }
}

/* Lays the further half of the sheet over the nearer and throws it down. */
OWN_FRAME static void fold_sheet(cloth *sheet) {
  for (int i = 21; i < 42; i++) {
    const cloth_vector place = {0.15625f * (float)(i % 7) - 0.46875f, 0.03125f + 0.0078125f * (float)(i % 3),
                                0.1875f * (float)(5 - i / 7) - 0.46875f};
    checked(cloth_set_particle(sheet, i, place, vector(0.0f, -2.0f, 0.0f)));
  }
}

/* Explicit springs are soft, so that few substeps are stable. */
OWN_FRAME static uint64_t run_method_scene(const method_scene *s) {
  cloth_method method = cloth_method_default();
  method.material = s->material;
  method.bending = s->bending;
  method.scheme = s->scheme;
  method.solver = s->solver;
  method.newton = s->newton;
  method.iterations = 12;
  method.repulsion = s->contact == BY_REPULSION ? 0.5f : 0.0f;
  method.self = s->contact == BY_IMPULSES ? CLOTH_SELF_IMPULSES : CLOTH_SELF_NONE;
  scene_set = "methods";
  scene_name = s->name;
  scene_frame = 0;
  scene_hash = HASH_START;
  configure(7, 6);
  scene_config.fabric.shear_damping = scene_config.fabric.stretch_damping = 0.01f;
  if (s->scheme == CLOTH_SCHEME_EXPLICIT) {
    method.lambda = 5.0f;
    method.mu = 5.0f;
  }
  cloth *sheet = NULL;
  if (checked(cloth_init(&scene_config, arena, sizeof arena, &sheet)) < 0) return 0;
  method_memory[0] = method_memory[1] = method_memory[2] = method_memory[3] = 0;
  if (s->contact != IN_FLIGHT) {
    checked(cloth_pin(sheet, 0));
    checked(cloth_pin(sheet, 6));
  }
  cloth_collider ball = cloth_collider_default();
  ball.radius = s->contact == IN_SOLVER ? 1.0f : 0.25f; /* holds more of the sheet */
  ball.pose.position = vector(0.0f, negate(ball.radius) - (s->contact == IN_SOLVER ? 0.01f : 0.05f), 0.05f);
  ball.static_friction = ball.kinetic_friction = s->scheme == CLOTH_SCHEME_STATIC ? 0.0f : 0.5f;
  checked(cloth_add_collider(sheet, &ball));
  if (s->contact == BY_IMPULSES) fold_sheet(sheet);
  run_method_frames(sheet, &method);
  return end_scene();
}

/* Zones of six particles with whole coordinates, the first of two of them led by a pin. */
OWN_FRAME static uint64_t run_zones_scene(void) {
  static const int32_t particle[6] = {0, 1, 2, 3, 4, 5};
  static float floats[36], mass[6];
  const vector_array x = {floats, floats + 6, floats + 12}, y = {floats + 18, floats + 24, floats + 30};
  const rigid_zone zone = {.particle = particle, .count = 6, .mass = mass, .x = x, .y = y};
  uint32_t random = 5;
  scene_set = "methods";
  scene_name = "zones";
  scene_hash = HASH_START;
  for (int n = 0; n < 20; n++) {
    for (int i = 0; i < 36; i++) {
      random = random * 1664525u + 1013904223u;
      floats[i] = (i >= 18 ? floats[i - 18] : 0.0f) + ((float)(random >> 24) - 128.0f) / (i >= 18 ? 4096.0f : 256.0f);
    }
    for (int i = 0; i < 6; i++)
      mass[i] = n % 2 ? (float)(i == 0) : 1.0f + 0.25f * (float)i;
    move_zone(&zone);
    for (int i = 18; i < 36; i++)
      fold_float(floats[i]);
  }
  return end_scene();
}

/* The isometric model: 4 x 4 cells, held by one node. */
OWN_FRAME static uint64_t run_isometric_scene(void) {
  isometric_sheet sheet = {.cells_warp = 4, .cells_weft = 4, .spacing = 0.25f};
  float *floats = (float *)(void *)method_memory;
  scene_set = "methods";
  scene_name = "isometric";
  scene_hash = HASH_START;
  isometric_init(&sheet, floats);
  sheet.mobility[1] = 0.0f;
  for (scene_frame = 0; scene_frame < FULL_FRAMES; scene_frame++)
    isometric_step(&sheet, vector(0.0f, -9.81f, 0.0f), FRAME_SECONDS, 6);
  for (int i = 0; i < isometric_floats(&sheet); i++)
    fold_float(floats[i]);
  return end_scene();
}

/* The isometric model with all rows: 3 x 3 cells on a turning ball. */
OWN_FRAME static uint64_t run_rows_scene(void) {
  static coupled_row rows[400];
  static float floats[3 * 49];
  isometric_sheet sheet = {.cells_warp = 3, .cells_weft = 3, .spacing = 0.2f};
  row_ball ball = {vector(0.3f, -0.16f, 0.3f), 0.15f, 0.4f, 0.01f};
  isometric_rows model = {.sheet = &sheet, .density = 0.2f, .bending = 1e-4f, .ball = &ball};
  float *nodes = (float *)(void *)method_memory;
  scene_set = "methods";
  scene_name = "isometric-rows";
  scene_hash = HASH_START;
  isometric_init(&sheet, nodes);
  isometric_rows_init(&model, rows, floats, FRAME_SECONDS / 4.0f);
  for (scene_frame = 0; scene_frame < 2 * FULL_FRAMES; scene_frame++)
    isometric_rows_step(&model, vector(0.0f, -9.81f, 0.0f), FRAME_SECONDS / 4.0f, 2, 12);
  for (int i = 0; i < isometric_floats(&sheet); i++)
    fold_float(nodes[i]);
  return end_scene();
}

/* Exact queries of continuous collision between corners with small whole coordinates. */
OWN_FRAME static uint64_t run_ccd_scene(void) {
  uint32_t random = 1;
  scene_set = "methods";
  scene_name = "ccd";
  scene_hash = HASH_START;
  for (int n = 0; n < 200; n++) {
    moving_pair p;
    float time;
    p.is_edges = n & 1;
    for (int k = 0; k < 24; k++) {
      random = random * 1664525u + 1013904223u;
      cloth_vector *corner = k < 12 ? &p.start[k / 3] : &p.end[k / 3 - 4];
      *(k % 3 == 0 ? &corner->x : k % 3 == 1 ? &corner->y : &corner->z) = (float)(random >> 24) - 128.0f;
    }
    fold((uint32_t)find_first_touch(&p, &time), 4);
    fold_float(time);
  }
  return end_scene();
}

/* cloth_settle(): a sheet over a ball. */
OWN_FRAME static uint64_t run_settle_scene(void) {
  cloth *sheet = NULL;
  cloth_settle_report report;
  scene_set = "methods";
  scene_name = "settle";
  scene_hash = HASH_START;
  scene_config = cloth_config_default();
  scene_config.columns = 7;
  scene_config.rows = 6;
  scene_config.substeps = 3;
  scene_config.max_colliders = 1;
  if (checked(cloth_init(&scene_config, arena, sizeof arena, &sheet)) < 0) return 0;
  checked(cloth_pin(sheet, 0));
  checked(cloth_pin(sheet, 6));
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = vector(0.5f, -0.3f, 0.5f);
  ball.radius = 0.25f;
  checked(cloth_add_collider(sheet, &ball));
  checked(cloth_settle(sheet, FRAME_SECONDS, 0.01f, 24, &report));
  fold_state(sheet);
  fold((uint32_t)report.stops, 4);
  return end_scene();
}

static uint64_t run_method_scenes(uint64_t hash) {
  for (int i = 0; i < METHOD_SCENES; i++)
    hash = folded(hash, run_method_scene(&method_scenes[i]), 8);
  hash = folded(hash, run_isometric_scene(), 8);
  hash = folded(hash, run_rows_scene(), 8);
  hash = folded(hash, run_ccd_scene(), 8);
  hash = folded(hash, run_zones_scene(), 8);
  return folded(hash, run_settle_scene(), 8);
}
