/* The scenes by which the step is judged: a line for each thing measured, with the right value, the goal, and "ok" or
   "missed".

       build/tests/scenes/scenes                     every scene with 1, 2, 4 and 8 substeps
       build/tests/scenes/scenes S1 S17              these
       build/tests/scenes/scenes S2 --substeps 2     with these substeps alone; may be repeated

   S1 hangs by two corners, S2 by one side, S3 is cut at 45 degrees, S4 drapes over a ball, S5 has one pressed into it,
   S6 is a cape, S7 a ball with mass, S8 and S9 lie on a box and on a table, S10 is hit, S11 is a tight tube, S12 hangs
   limp, S13 meets frames of uneven length, S14 is pinched, S15 slides, S16 is pulled off a table, S17 is stiff. S4g,
   S5g, S8g and S10g are the same on meshes, height fields, hulls and grids of distances; in PASS nothing may pass
   meshes and height fields. The exit status is 1 if a line has missed its goal. SPDX-License-Identifier: MIT */
#include "ball.h"
#include "bias.h"
#include "cape.h"
#include "copies.h"
#include "drape.h"
#include "grip.h"
#include "hang.h"
#include "hitch.h"
#include "limp.h"
#include "side.h"
#include "stiff.h"

static const struct {
  const char *name;
  void (*run)(int substeps);
} programs[] = {{"S1", hang_scene},   {"S2", side_scene},     {"S3", bias_scene},    {"S4", drape_scene},
                {"S5", press_scene},  {"S6", cape_scene},     {"S7", ball_scene},    {"S8", rim_scene},
                {"S9", table_scene},  {"S10", hit_scene},     {"S11", tight_scene},  {"S12", limp_scene},
                {"S13", hitch_scene}, {"S14", pinch_scene},   {"S15", grip_scene},   {"S16", pull_scene},
                {"S17", stiff_scene}, {"S18", overlap_scene}, {"S4g", drape_copies}, {"S5g", press_copies},
                {"S8g", rim_copies},  {"S10g", hit_copies},   {"PASS", pass_scene}};

enum { PROGRAMS = sizeof programs / sizeof programs[0], SUBSTEP_COUNTS = 4 };

static const int substep_counts[SUBSTEP_COUNTS] = {1, 2, 4, 8};

/* What the arguments choose: bits of programs and of substep_counts. */
typedef struct choice {
  unsigned programs, substeps;
} choice;

static int index_of_program(const char *name) {
  for (int i = 0; i < PROGRAMS; i++) {
    if (strcmp(programs[i].name, name) == 0) return i;
  }
  return -1;
}

static int index_of_substeps(const char *number) {
  for (int i = 0; number != NULL && i < SUBSTEP_COUNTS; i++) {
    if (atoi(number) == substep_counts[i]) return i;
  }
  return -1;
}

/* Returns 0 if it does not know an argument. */
static int read_arguments(int count, char **arguments, choice *chosen) {
  choice none = {0u, 0u};
  *chosen = none;
  for (int i = 1; i < count; i++) {
    int is_substeps = strcmp(arguments[i], "--substeps") == 0;
    int index = is_substeps ? index_of_substeps(i + 1 < count ? arguments[++i] : NULL) : index_of_program(arguments[i]);
    if (index < 0) return 0;
    if (is_substeps)
      chosen->substeps |= 1u << index;
    else
      chosen->programs |= 1u << index;
  }
  if (chosen->programs == 0u) chosen->programs = ~0u;
  if (chosen->substeps == 0u) chosen->substeps = ~0u;
  return 1;
}

static double seconds_since(clock_t start) {
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

int main(int count, char **arguments) {
  choice chosen;
  if (!read_arguments(count, arguments, &chosen)) {
    printf("scenes [S1] ... [S17] [--substeps 1|2|4|8]\n");
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  print_heading();
  clock_t start = clock();
  for (int i = 0; i < PROGRAMS; i++) {
    clock_t begin = clock();
    for (int k = 0; k < SUBSTEP_COUNTS && (chosen.programs >> i & 1u) != 0u; k++) {
      if ((chosen.substeps >> k & 1u) != 0u) programs[i].run(substep_counts[k]);
    }
    if ((chosen.programs >> i & 1u) != 0u) printf("%s took %.1f s\n", programs[i].name, seconds_since(begin));
  }
  printf("%d lines missed, %d checks failed, %.1f s\n", lines_missed, check_failed, seconds_since(start));
  check_passed += lines_held;
  check_failed += lines_missed;
  return check_report();
}
