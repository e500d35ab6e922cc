/* A build that leaves something out, by the same CLOTH_NO_... macros as this file is compiled with: its defaults work
   all the same, and what asks for more is refused. */
#include "check.h"
#include "cloth.h"

CLOTH_ALIGNED static unsigned char arena[65536];

static int asked_for(const cloth_config *config) {
  cloth_memory memory;
  return cloth_memory_needed(config, &memory);
}

/* A config that needs what is left out is refused, and the explanation names the switch. */
static void expect_left_out(const cloth_config *config, const char *explanation) {
  int error = asked_for(config);
  CHECK(error == CLOTH_ERROR_LEFT_OUT, "%s: %d", explanation, error);
#ifndef CLOTH_NO_NAMES
  char text[128];
  error = cloth_config_explain(config, text, sizeof text);
  CHECK(error == CLOTH_ERROR_LEFT_OUT && strcmp(text, explanation) == 0, "\"%s\" instead of \"%s\"", text, explanation);
#endif
}

/* A config with one change of the defaults. */
#define ASK(change, explanation)                                                                                       \
  do {                                                                                                                 \
    cloth_config config = cloth_config_default();                                                                      \
    change;                                                                                                            \
    expect_left_out(&config, explanation);                                                                             \
  } while (0)

/* A hanging sheet, soft enough to be explicit: the one thing every build can do. */
static void test_hang(void) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = 6;
  config.substeps = 0;
  config.integration.max_substeps = 200;
  cloth *sheet;
  int made = cloth_init(&config, arena, sizeof arena, &sheet);
  CHECK(made == CLOTH_OK, "cloth_init gave %d", made);
  CHECK(cloth_pin(sheet, 0) == CLOTH_OK && cloth_pin(sheet, 5) == CLOTH_OK, "pins");
  for (int frame = 0; frame < 30; frame++) {
    int result = cloth_step(sheet, 1.0f / 60.0f);
    CHECK(result >= CLOTH_OK && !(result & CLOTH_NOTE_RECOVERED), "step gave %d", result);
  }
  cloth_vector low, high;
  cloth_get_bounds(sheet, &low, &high);
  CHECK(low.y < -0.3f && low.y > -1.5f, "it hangs down to %g m", (double)low.y);
}

int main(void) {
  (void)expect_left_out; /* not every switch is asked for by a config */
  cloth_config plain = cloth_config_default();
  CHECK(asked_for(&plain) == CLOTH_OK, "the defaults gave %d", asked_for(&plain));
  test_hang();
#ifndef CLOTH_NO_SOLVER
  CHECK(cloth_config_use_imex(&plain) == CLOTH_OK && asked_for(&plain) == CLOTH_OK, "the thesis's scheme gave %d",
        asked_for(&plain));
  plain = cloth_config_default();
#endif
#ifdef CLOTH_NO_SOLVER
  CHECK(plain.integration.method == CLOTH_INTEGRATION_EXPLICIT_ONLY, "default integration");
#else
  CHECK(plain.integration.method == CLOTH_INTEGRATION_ADAPTIVE, "default integration");
#endif
#ifdef CLOTH_NO_SOLVER
  ASK(config.integration.method = CLOTH_INTEGRATION_ADAPTIVE, "integration.method: CLOTH_NO_SOLVER");
#endif
#ifdef CLOTH_NO_TETHERS
  ASK(config.tethers.count = 1, "tethers.count: CLOTH_NO_TETHERS");
#endif
#if defined(CLOTH_NO_MULTILEVEL) || defined(CLOTH_NO_SOLVER)
  ASK(config.solver.preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL, "solver.preconditioner: CLOTH_NO_MULTILEVEL");
#endif
#ifdef CLOTH_NO_COLLIDERS
  ASK(config.max_colliders = 1, "max_colliders: CLOTH_NO_COLLIDERS");
#endif
#if defined(CLOTH_NO_COLLIDERS) ||                                                                                     \
    (defined(CLOTH_NO_HULL) && defined(CLOTH_NO_HEIGHT_FIELD) && defined(CLOTH_NO_DISTANCE_GRID))
  ASK(config.capacity.geometry = 1, "capacity.geometry: CLOTH_NO_HULL, _HEIGHT_FIELD and _DISTANCE_GRID");
#endif
#if defined(CLOTH_NO_COLLIDERS) || defined(CLOTH_NO_MESH)
  ASK(config.capacity.meshes = 1, "capacity.meshes: CLOTH_NO_MESH");
#endif
#if defined(CLOTH_NO_COLLIDERS) || defined(CLOTH_NO_SHARED_BODIES)
  ASK(config.capacity.max_shared_bodies = 1, "capacity.max_shared_bodies: CLOTH_NO_SHARED_BODIES");
#endif
#if defined(CLOTH_NO_COLLIDERS) || defined(CLOTH_NO_WORKERS)
  ASK(config.capacity.workers = 1, "capacity.workers: CLOTH_NO_WORKERS or _COLLIDERS");
#endif
#if !defined(CLOTH_NO_COLLIDERS) && defined(CLOTH_NO_HULL)
  cloth_collider hull = cloth_collider_default();
  hull.shape = CLOTH_SHAPE_HULL;
  plain.columns = plain.rows = 6;
  cloth *sheet;
  CHECK(cloth_init(&plain, arena, sizeof arena, &sheet) == CLOTH_OK, "cloth_init");
  CHECK(cloth_add_collider(sheet, &hull) == CLOTH_ERROR_LEFT_OUT, "a hull");
#endif
#ifdef CLOTH_NO_ORIGIN
  ASK(config.world.origin.y = 1, "world.origin, world.recentre_distance: CLOTH_NO_ORIGIN");
  ASK(config.world.recentre_distance = 1.0f, "world.origin, world.recentre_distance: CLOTH_NO_ORIGIN");
#endif
#ifdef CLOTH_NO_BODIES
  ASK(config.capacity.max_bodies = 1, "capacity.max_bodies, max_attachments, pin_reactions: CLOTH_NO_BODIES");
#endif
#ifdef CLOTH_NO_CONFINED
  ASK(config.capacity.max_confined = 1, "capacity.max_confined: CLOTH_NO_CONFINED");
#endif
#ifdef CLOTH_NO_SELF
  ASK(config.self_thickness = 0.01f, "self_thickness: CLOTH_NO_SELF");
#endif
#if !defined(CLOTH_NO_SELF) && (defined(CLOTH_NO_SELF_TRIANGLES) != defined(CLOTH_NO_SELF_SPHERES))
#ifdef CLOTH_NO_SELF_TRIANGLES
  ASK(config.self_thickness = 0.01f, "self.shape: CLOTH_NO_SELF_TRIANGLES");
#else
  ASK(config.self_thickness = 0.01f; config.self.shape = CLOTH_SELF_SPHERES, "self.shape: CLOTH_NO_SELF_SPHERES");
#endif
#endif
#if defined(CLOTH_NO_GROUPS) && !defined(CLOTH_NO_SELF)
#ifdef CLOTH_NO_SELF_TRIANGLES
  ASK(config.self_thickness = 0.01f; config.self.shape = CLOTH_SELF_SPHERES;
      config.self.gathers = 0, "self.gathers: CLOTH_NO_GROUPS");
#else
  ASK(config.self_thickness = 0.01f; config.self.gathers = 0, "self.gathers: CLOTH_NO_GROUPS");
#endif
#endif
#ifdef CLOTH_NO_MASK
  static const uint8_t mask[31 * 31] = {1};
  ASK(config.grid.cell_mask = mask, "grid.cell_mask: CLOTH_NO_MASK");
#endif
#ifdef CLOTH_NO_REST_SHAPE
  static const cloth_vector rest[32 * 32] = {{0.0f, 0.0f, 0.0f}};
  ASK(config.grid.rest_positions = rest, "grid.rest_positions: CLOTH_NO_REST_SHAPE");
#endif
#ifdef CLOTH_NO_TEARING
  ASK(config.tearing.max_breaks = 1, "tearing.max_breaks: CLOTH_NO_TEARING");
#endif
#ifdef CLOTH_NO_WRAP
  ASK(config.grid.wrap = 1, "grid.wrap: CLOTH_NO_WRAP");
#endif
#ifdef CLOTH_NO_SLEEP
  ASK(config.sleep.speed = 0.1f, "sleep.speed: CLOTH_NO_SLEEP");
#endif
#ifdef CLOTH_NO_TARGETS
  ASK(config.capacity.targets = 1, "capacity.targets: CLOTH_NO_TARGETS");
#endif
#ifdef CLOTH_NO_AIR
  ASK(config.air.drag = 1.0f, "air.drag, air.lift, air.normal_drag: CLOTH_NO_AIR");
#endif
#if defined(CLOTH_NO_QUERIES) || defined(CLOTH_NO_COLLIDERS)
  ASK(config.capacity.max_contacts = 1, "capacity.max_contacts: CLOTH_NO_QUERIES or _COLLIDERS");
#endif
  return check_report();
}
