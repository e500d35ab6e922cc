/* Plans: what they forecast is what is measured, more work never stretches more, and what they refuse.
   SPDX-License-Identifier: MIT */
#include "random_configs.h"
#include "scenes.h"

/* What a planned sheet really does: the mean over time of its largest strain, in the scene that forecasts are of. */
static double measured_stretch(const scene *s, float dt, const cloth_forecast *forecast) {
  scene_instance made;
  double sum = 0.0;
  int steps = (int)(3.0f / dt);
  CHECK(scene_open(s, &made) == CLOTH_OK, "scene_open");
  for (int step = 0; step < steps; step++) {
    cloth_measures measures;
    cloth_step(made.sheet, dt);
    CHECK(read_work(made.sheet) <= forecast->work, "step %d: more work than forecast", step);
    cloth_measure(made.sheet, &measures);
    sum += step >= steps / 3 ? (double)measures.max_stretch : 0.0;
  }
  scene_close(&made);
  return sum / (steps - steps / 3);
}

static void check_forecast(int side, double length, float dt, uint64_t budget, float target) {
  scene s = scene_describe(SCENE_HANG, side);
  cloth_forecast forecast;
  uint64_t work = 0;
  s.config.edge_warp.x = (float)length;
  s.config.edge_weft.z = (float)length;
  s.config.max_colliders = 0;
  int result = cloth_plan(&s.config, dt, budget, target, &s.config, &forecast);
  CHECK(result == CLOTH_OK, "cloth_plan: %s", cloth_result_name(result));
  CHECK(cloth_config_work_bound(&s.config, dt, &work) == CLOTH_OK && work == forecast.work, "not the bound");
  CHECK((budget == 0 || work <= budget) && (target <= 0.0f || forecast.stretch <= target), "the goal is missed");
  double found = measured_stretch(&s, dt, &forecast) / (double)forecast.stretch;
  printf("plan of %2d, %.2f m, 1/%.0f s: %2d substeps, %2d iterations, %5.0f units a particle, stretch %.4f x %.2f\n",
         side, length, 1.0 / (double)dt, (int)s.config.substeps, (int)s.config.iterations,
         (double)forecast.work / (side * side), (double)forecast.stretch, found);
  CHECK(found > 0.5 && found < 2.0, "%.2f times the stretch forecast", found);
}

static void test_forecasts(void) {
  const int sides[] = {10, 24, 40};
  for (int i = 0; i < 3; i++) {
    uint64_t count = (uint64_t)(sides[i] * sides[i]);
    const float target = 0.0009f * (float)sides[i];
    check_forecast(sides[i], 1.0, FRAME, 12500 * count, 0.0f);
    check_forecast(sides[i], 1.0, FRAME, 15000 * count, 0.0f);
    check_forecast(sides[i], 1.0, FRAME, 50000 * count, 0.0f);
    check_forecast(sides[i], 1.0, FRAME, 0, target);
    check_forecast(sides[i], 1.0, FRAME, 0, 0.86f * target);
    check_forecast(sides[i], 3.0, FRAME, 15000 * count, 0.0f);
    check_forecast(sides[i], 0.4, FRAME, 15000 * count, 0.0f);
    check_forecast(sides[i], 1.0, 0.5f * FRAME, 15000 * count, target);
  }
}

/* More work stretches no more, and less stretch takes no less work, whatever the cloth. */
static void test_plans_in_order(void) {
  random_source random = {3};
  for (int trial = 0; trial < 60; trial++) {
    cloth_config config = random_config(&random), planned;
    cloth_forecast before = {0, 1e9f}, forecast;
    for (uint64_t work = 1000; work < 4000000000000; work *= 2) {
      memset(&forecast, 0x55, sizeof forecast);
      memset(&planned, 0x55, sizeof planned);
      int result = cloth_plan(&config, FRAME, work, 0.0f, &planned, &forecast);
      CHECK(result == (before.work || result == CLOTH_OK ? CLOTH_OK : CLOTH_ERROR_NO_PLAN), "trial %d: %d", trial,
            result);
      if (result == CLOTH_OK) {
        CHECK(forecast.work <= work && forecast.stretch <= before.stretch, "trial %d: worse for more", trial);
        before = forecast;
        int again = cloth_plan(&config, FRAME, 0, forecast.stretch, &planned, &forecast);
        CHECK(again == CLOTH_OK && forecast.work <= before.work, "trial %d: other work for its stretch", trial);
      } else {
        CHECK(((unsigned char *)&forecast)[0] == 0x55 && planned.columns == 0x55555555, "trial %d: written", trial);
      }
    }
    CHECK(before.work > 0, "trial %d: no plan", trial);
  }
}

/* The work of a forecast is the bound of the planned config, with all that a config can ask for. */
static void test_forecast_is_bound(void) {
  random_source random = {5};
  for (int trial = 0; trial < 40; trial++) {
    cloth_config config = random_config(&random), planned;
    cloth_forecast forecast;
    uint64_t bound = 0;
    config.capacity.max_shared_bodies = trial % 2 ? 3 : 0;
    config.capacity.max_bodies = config.max_colliders;
    config.capacity.geometry = trial % 3 == 0;
    config.capacity.meshes = trial % 4;
    config.capacity.max_contacts = 10 * (trial % 5);
    CHECK(cloth_plan(&config, FRAME, 0, 0.5f, &planned, &forecast) == CLOTH_OK, "trial %d: no plan", trial);
    CHECK(cloth_config_work_bound(&planned, FRAME, &bound) == CLOTH_OK && bound == forecast.work,
          "trial %d: forecast %.0f, bound %.0f", trial, (double)forecast.work, (double)bound);
  }
}

static void test_plan_refusals(void) {
  cloth_config config = square_config(10, 0.0), planned;
  cloth_forecast f;
  memset(&planned, 0x55, sizeof planned);
  CHECK(cloth_plan(NULL, FRAME, 1, 0.0f, &planned, &f) == CLOTH_ERROR_NULL, "no config");
  CHECK(cloth_plan(&config, FRAME, 1000000, 0.0f, NULL, &f) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_plan(&config, FRAME, 1000000, 0.0f, &planned, NULL) == CLOTH_ERROR_NULL, "nowhere to forecast");
  CHECK(cloth_plan(&config, NAN, 1000000, 0.0f, &planned, &f) == CLOTH_ERROR_RANGE, "dt NaN");
  CHECK(cloth_plan(&config, FRAME, 0, 0.0f, &planned, &f) == CLOTH_ERROR_RANGE, "no goal");
  CHECK(cloth_plan(&config, FRAME, 0, NAN, &planned, &f) == CLOTH_ERROR_RANGE, "stretch NaN");
  CHECK(cloth_plan(&config, FRAME, 0, -0.1f, &planned, &f) == CLOTH_ERROR_RANGE, "stretch below 0");
  CHECK(cloth_plan(&config, FRAME, 0, 1e-5f, &planned, &f) == CLOTH_ERROR_NO_PLAN, "stretch out of reach");
  CHECK(cloth_plan(&config, FRAME, 100, 0.0f, &planned, &f) == CLOTH_ERROR_NO_PLAN, "work out of reach");
  CHECK(cloth_plan(&config, FRAME, 100000, 0.004f, &planned, &f) == CLOTH_ERROR_NO_PLAN, "both out of reach");
  config.rows = 1;
  CHECK(cloth_plan(&config, FRAME, 1000000, 0.0f, &planned, &f) == CLOTH_ERROR_RANGE, "a wrong config");
  CHECK(planned.columns == 0x55555555, "written in spite of an error");
}

static const test tests[] = {
    TEST(forecasts),
    TEST(plans_in_order),
    TEST(forecast_is_bound),
    TEST(plan_refusals),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
