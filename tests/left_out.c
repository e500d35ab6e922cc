/* A build that leaves something out, by the same CLOTH_NO_... macros as this file is compiled with: its defaults work
   all the same, and what asks for more is refused. */
#include "check.h"
#include "cloth.h"

_Alignas(CLOTH_ALIGNMENT) static unsigned char arena[65536];

static int asked_for(const cloth_config *config) {
  cloth_memory memory;
  return cloth_memory_needed(config, &memory);
}

/* A hanging sheet, soft enough to be explicit: the one thing every build can do. */
static void test_hang(void) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = 6;
  config.substeps = 0;
  config.integration.max_substeps = 200;
  config.integration.bend_method = CLOTH_BEND_EXPLICIT;
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
  cloth_config config = cloth_config_default();
  CHECK(asked_for(&config) == CLOTH_OK, "the defaults gave %d", asked_for(&config));
  test_hang();
#if defined(CLOTH_NO_SOLVER) && defined(CLOTH_NO_PROJECTION)
  CHECK(config.integration.method == CLOTH_INTEGRATION_EXPLICIT_ONLY, "default integration");
#else
  CHECK(config.integration.method == CLOTH_INTEGRATION_ADAPTIVE, "default integration");
#endif
#ifdef CLOTH_NO_SOLVER
  config.integration.method = CLOTH_INTEGRATION_ADAPTIVE;
  config.integration.projection_threshold = CLOTH_KAPPA_NEVER;
  CHECK(asked_for(&config) == CLOTH_ERROR_LEFT_OUT, "implicit integration gave %d", asked_for(&config));
  config = cloth_config_default();
#endif
#if defined(CLOTH_NO_CONTACT_SOLVER) || defined(CLOTH_NO_SOLVER) || defined(CLOTH_NO_COLLIDERS)
  config.contact.mode = CLOTH_CONTACT_SOLVER;
  CHECK(asked_for(&config) == CLOTH_ERROR_LEFT_OUT, "contact in the solver gave %d", asked_for(&config));
  config = cloth_config_default();
#endif
#ifdef CLOTH_NO_PROJECTION
  config.integration.projection_threshold = 1.0f;
  CHECK(asked_for(&config) == CLOTH_ERROR_LEFT_OUT, "projection gave %d", asked_for(&config));
  config = cloth_config_default();
#endif
#if defined(CLOTH_NO_MULTILEVEL) || defined(CLOTH_NO_SOLVER)
  config.solver.preconditioner = CLOTH_PRECONDITIONER_AUTOMATIC;
  CHECK(asked_for(&config) == CLOTH_ERROR_LEFT_OUT, "coarser grids gave %d", asked_for(&config));
  config = cloth_config_default();
#endif
#ifdef CLOTH_NO_COLLIDERS
  config.max_colliders = 1;
  CHECK(asked_for(&config) == CLOTH_ERROR_LEFT_OUT, "a collider gave %d", asked_for(&config));
  config = cloth_config_default();
#endif
#ifdef CLOTH_NO_CONFINED
  config.capacity.max_confined = 1;
  CHECK(asked_for(&config) == CLOTH_ERROR_LEFT_OUT, "a confined particle gave %d", asked_for(&config));
  config = cloth_config_default();
#endif
#ifdef CLOTH_NO_LIMITS
  config.strain_limit.sweeps = 1;
  CHECK(asked_for(&config) == CLOTH_ERROR_LEFT_OUT, "strain limits gave %d", asked_for(&config));
  config = cloth_config_default();
#endif
#ifdef CLOTH_NO_WRAP
  config.grid.wrap = 1;
  CHECK(asked_for(&config) == CLOTH_ERROR_LEFT_OUT, "a tube gave %d", asked_for(&config));
  config = cloth_config_default();
#endif
#ifdef CLOTH_NO_SLEEP
  config.sleep.speed = 0.1f;
  CHECK(asked_for(&config) == CLOTH_ERROR_LEFT_OUT, "sleep gave %d", asked_for(&config));
  config = cloth_config_default();
#endif
#ifdef CLOTH_NO_TARGETS
  config.capacity.targets = 1;
  CHECK(asked_for(&config) == CLOTH_ERROR_LEFT_OUT, "targets gave %d", asked_for(&config));
  config = cloth_config_default();
#endif
#ifdef CLOTH_NO_AIR
  config.air.drag = 1.0f;
  CHECK(asked_for(&config) == CLOTH_ERROR_LEFT_OUT, "drag gave %d", asked_for(&config));
#endif
  return check_report();
}
