/* The scenes by which contact of cloth with cloth is judged: a line for each thing measured, with the right value, the
   goal, and "ok" or "missed". Crossings, edges that pass through triangles, are counted in every frame.

       build/tests/folds/folds                     every scene with 2, 4 and 10 substeps
       build/tests/folds/folds towel bag           these
       build/tests/folds/folds sleeve --substeps 4 with these substeps alone

   The exit status is 1 if a line has missed its goal. SPDX-License-Identifier: MIT */
#include "worn.h"

static const struct {
  const char *name;
  void (*run)(int substeps);
} programs[] = {{"towel", towel_scene},        {"line", line_scene},       {"slope", sloping_towel_scene},
                {"wrung", wrung_scene},        {"sleeve", sleeve_scene},   {"ring", ring_scene},
                {"stack", stack_scene},        {"creep", creep_scene},     {"heap", heap_scene},
                {"pinch", pinched_cape_scene}, {"bag", bag_scene},         {"close", close_bag_scene},
                {"drawn", curtain_scene},      {"thrown", thrown_scene},   {"clap", clap_scene},
                {"shot", shot_scene},          {"crossed", crossed_scene}, {"crumpled", crumpled_scene},
                {"free", free_towel_scene},    {"coats", coats_scene},     {"skirt", skirt_scene},
                {"capes", capes_scene},        {"shirt", shirt_scene},     {"rolled", seam_ball_scene},
                {"balls", balls_scene}};

enum { PROGRAMS = sizeof programs / sizeof programs[0] };

/* Is a scene among the arguments, or are none named? */
static int is_chosen(const char *name, int count, char **arguments) {
  int named = 0;
  for (int i = 1; i < count; i++) {
    if (strcmp(arguments[i], "--substeps") == 0)
      i++;
    else if (strcmp(arguments[i], name) == 0)
      return 1;
    else
      named++;
  }
  return named == 0;
}

/* The number of substeps that the arguments choose, or 0. */
static int substeps_of(int count, char **arguments) {
  for (int i = 1; i + 1 < count; i++) {
    if (strcmp(arguments[i], "--substeps") == 0) return atoi(arguments[i + 1]);
  }
  return 0;
}

int main(int count, char **arguments) {
  static const int substeps[] = {2, 4, 10};
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  print_heading();
  for (int i = 0; i < PROGRAMS; i++) {
    for (int k = 0; k < 3 && is_chosen(programs[i].name, count, arguments); k++) {
      int chosen = substeps_of(count, arguments);
      if (chosen == 0 || chosen == substeps[k]) programs[i].run(substeps[k]);
    }
  }
  printf("%d lines missed, %d checks failed\n", lines_missed, check_failed);
  check_passed += lines_held;
  check_failed += lines_missed;
  return check_report();
}
