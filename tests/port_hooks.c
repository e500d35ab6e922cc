/* The hooks of a port, through tests/port_hooks.h: what they are called with, and that no result depends on them.
   Built without that header it prints the hashes that the build with it must reproduce. */
#include "check.h"
#include "scenes.h"
#include "support.h"

#define FRAMES 20

static int failures;
static int stages[CLOTH_STAGE_COUNT];
static int substeps_seen;
static unsigned long long trace;
static unsigned clock_now;
static unsigned clock_step = 7;

void hook_failed(const char *condition);
void hook_stage(int stage, int substep, unsigned long long hash);
unsigned hook_ticks(void);

void hook_failed(const char *condition) {
  failures++;
  printf("assertion: %s\n", condition);
}

void hook_stage(int stage, int substep, unsigned long long hash) {
  stages[stage]++;
  substeps_seen = substep + 1 > substeps_seen ? substep + 1 : substeps_seen;
  trace = trace * 31u + hash;
}

unsigned hook_ticks(void) {
  clock_now += clock_step;
  return clock_now;
}

/* Hash of a cloth hanging over a ball at a height, and the ticks of the last step. */
static uint64_t play(double height, uint32_t *ticks) {
  cloth_config config = cloth_config_default();
  config.columns = 9;
  config.rows = 7;
  use_two_tiers(&config);
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_confine_to_line(s.sheet, 8, vector_at(1.0, 0.0, 0.0));
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = vector_at(0.5, height, 0.5);
  cloth_add_collider(s.sheet, &ball);
  for (int frame = 0; frame < FRAMES; frame++)
    cloth_step(s.sheet, FRAME);
  cloth_statistics statistics;
  cloth_get_statistics(s.sheet, &statistics);
  *ticks = 0;
  for (int stage = 0; stage < CLOTH_STAGE_COUNT; stage++)
    *ticks += statistics.ticks[stage];
  uint64_t hash;
  cloth_hash(s.sheet, &hash);
  fixture_free(&s);
  return hash;
}

int main(int count, char **arguments) {
  uint32_t ticks[3];
  const uint64_t known = play(-0.3, &ticks[0]);
  if (count < 2) {
    CHECK(ticks[0] == 0, "ticks without a timer: %u", ticks[0]);
    CHECK(trace == 0 && clock_now == 0, "a hook was called that is not there");
    printf("%llx\n", (unsigned long long)known);
    return check_failed != 0;
  }
  CHECK(strtoull(arguments[1], NULL, 16) == known, "hooks changed the result");
  CHECK(failures == 0, "%d assertions failed", failures);
  for (int stage = 0; stage < CLOTH_STAGE_COUNT; stage++)
    CHECK(stages[stage] == FRAMES * 16, "stage %d was traced %d times", stage, stages[stage]);
  CHECK(substeps_seen == 16, "%d substeps were traced", substeps_seen);
  /* Seven ticks of the clock for each of the stages of every substep. */
  CHECK(ticks[0] == 7u * CLOTH_STAGE_COUNT * 16u, "%u ticks", ticks[0]);
  unsigned long long first = trace;
  trace = 0;
  clock_step = 1u << 27; /* wraps within a step */
  clock_now = 0;
  CHECK(play(-0.3, &ticks[1]) == known, "the timer changed the result");
  CHECK(ticks[1] == (uint32_t)(clock_step * CLOTH_STAGE_COUNT * 16u), "%u ticks when the clock wraps", ticks[1]);
  CHECK(trace == first, "the trace of the same run is another");
  trace = 0;
  CHECK(play(-0.25, &ticks[2]) != known && trace != first, "the trace does not tell runs apart");
  return check_report();
}
