/* Steps with a deadline, by a timer of the test's own: what they report reproduces them to the bit. */
#include <stdint.h>

static uint32_t fake_time, fake_pace;
static uint32_t fake_ticks(void) {
  fake_time += fake_pace;
  return fake_time;
}
#define CLOTH_TICKS() fake_ticks()
#include "../cloth.c"

#include "scenes.h"
#include "support.h"

static uint64_t hash_now(const cloth *sheet) {
  uint64_t hash = 0;
  cloth_hash(sheet, &hash);
  return hash;
}

static uint64_t work_now(const cloth *sheet) {
  cloth_statistics st = {0};
  cloth_get_statistics(sheet, &st);
  return (uint64_t)st.work[1] << 32 | st.work[0];
}

/* A scene in one of the ways there are. */
static scene scene_of(random_source *random, int trial) {
  scene s = scene_describe((scene_kind)(trial % SCENE_KIND_COUNT), random_int(random, 3, 20));
  if (trial % 3)
    use_projection(&s.config);
  else
    use_two_tiers(&s.config);
  s.config.substeps = random_int(random, 1, 8);
  s.config.solver.max_iterations = random_int(random, 1, 12);
  s.config.strain_limit.max_extension = random_int(random, 0, 2) ? 0.0f : 0.05f;
  s.config.sleep.speed = random_int(random, 0, 3) ? 0.0f : 0.5f;
  return s;
}

static int cut, whole;

/* One cloth has deadlines at random, the other does the same again, by a timer that goes as it likes. */
static void play_twice(random_source *random, int trial) {
  scene s = scene_of(random, trial);
  scene_instance timed, again;
  CHECK(scene_open(&s, &timed) == CLOTH_OK && scene_open(&s, &again) == CLOTH_OK, "scene_open");
  for (int frame = 0; frame < 30; frame++) {
    cloth_effort effort = {-1, -1};
    uint64_t bound = 0;
    uint32_t ticks = (uint32_t)random_int(random, 0, 2 << random_int(random, 0, 9));
    fake_pace = 1;
    fake_time = random_int(random, 0, 1) ? 0u - 5u : 77u; /* the timer may wrap */
    CHECK(cloth_get_work_bound(timed.sheet, FRAME, &bound) == CLOTH_OK, "cloth_get_work_bound");
    int notes = cloth_step_until(timed.sheet, FRAME, ticks, &effort);
    CHECK(notes >= CLOTH_OK && effort.refinements >= 0, "trial %d: %d", trial, notes);
    CHECK(work_now(timed.sheet) <= bound, "trial %d, frame %d: more work than the bound", trial, frame);
    fake_pace = random_bits(random) & 0xffffu;
    CHECK(cloth_step_again(again.sheet, FRAME, &effort) == notes, "trial %d, frame %d: notes", trial, frame);
    CHECK(hash_now(timed.sheet) == hash_now(again.sheet), "trial %d, frame %d: another state after %d refinements",
          trial, frame, effort.refinements);
    CHECK(work_now(timed.sheet) == work_now(again.sheet), "trial %d, frame %d: other work", trial, frame);
    cut += effort.cut_short;
    whole += !effort.cut_short;
  }
  scene_close(&timed);
  scene_close(&again);
}

static void test_replay(void) {
  random_source random = {5};
  for (int trial = 0; trial < 150; trial++)
    play_twice(&random, trial);
  printf("%d steps were cut short, %d were not\n", cut, whole);
  CHECK(cut > 700 && whole > 700, "%d cut, %d whole", cut, whole);
}

/* Without a deadline, and with one that is never reached, a step is the usual one, also if the timer stands still. */
static void test_no_deadline(void) {
  for (int tiers = 2; tiers <= 3; tiers++) {
    scene s = scene_describe(SCENE_DRAPE, 12);
    if (tiers == 2)
      use_two_tiers(&s.config);
    else
      use_projection(&s.config);
    scene_instance usual, timed;
    CHECK(scene_open(&s, &usual) == CLOTH_OK && scene_open(&s, &timed) == CLOTH_OK, "scene_open");
    for (int frame = 0; frame < 40; frame++) {
      const uint32_t ticks[] = {UINT32_MAX, 1u << 30, 1};
      cloth_effort effort;
      fake_pace = frame % 3 == 2 ? 0u : 1000u;
      cloth_step(usual.sheet, FRAME);
      cloth_step_until(timed.sheet, FRAME, ticks[frame % 3], &effort);
      CHECK(effort.cut_short == 0 && hash_now(usual.sheet) == hash_now(timed.sheet), "%d tiers, frame %d", tiers,
            frame);
    }
    scene_close(&usual);
    scene_close(&timed);
  }
}

/* The least that a step may do, and changes between that and all of it, leave the cloth sound. */
static void test_least(void) {
  for (int kind = 0; kind < SCENE_KIND_COUNT * 4; kind++) {
    scene s = scene_describe((scene_kind)(kind / 4), 20);
    if (kind % 2)
      use_two_tiers(&s.config);
    else
      use_projection(&s.config);
    scene_instance made;
    CHECK(scene_open(&s, &made) == CLOTH_OK, "scene_open");
    double start = 0.0, most = 0.0;
    for (int frame = 0; frame < 150; frame++) {
      cloth_effort effort;
      cloth_measures m = {0};
      fake_pace = 1;
      int notes = cloth_step_until(made.sheet, FRAME, kind % 4 < 2 || frame % 2 ? 0u : UINT32_MAX, &effort);
      CHECK(notes >= 0 && !(notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)), "%s: notes %d", s.name, notes);
      cloth_measure(made.sheet, &m);
      double energy = (double)(m.kinetic_energy + m.potential_energy);
      start = frame ? start : energy;
      most = fmax(most, isfinite(energy) ? energy - start : 1e9);
    }
    /* Half of weight times size; wind brings a flag more. */
    CHECK(most < (kind / 4 == SCENE_FLAG ? 5.0 : 1.0), "%s %d: %g J", s.name, kind % 4, most);
    scene_close(&made);
  }
}

static const test tests[] = {
    TEST(replay),
    TEST(no_deadline),
    TEST(least),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
