/* Lines of results. Each says in which scene, on which grid and with how many substeps something was measured, what it
   is, its value, the right value, the goal, and "ok" or "missed". SPDX-License-Identifier: MIT */
#ifndef SCENES_LINES_H
#define SCENES_LINES_H

#include "cloth.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* What a line is about. */
typedef struct subject {
  const char *scene;
  int columns, rows, substeps;
} subject;

static inline subject subject_of(const char *scene, const cloth_config *config) {
  subject s = {scene, config->columns, config->rows, config->substeps};
  return s;
}

/* Goals of scenes hold with the default of 2 substeps and with 4. With 1 and with 8 a scene has to stay finite and may
   not gain energy, unless a goal says that it holds there as well. */
static inline int has_goals(int substeps) {
  return substeps == 2 || substeps == 4;
}

/// Goals ///

/* A value from low to high. */
typedef struct goal {
  double low, high;
} goal;

static inline goal at_most(double high) {
  goal g = {-HUGE_VAL, high};
  return g;
}

static inline goal at_least(double low) {
  goal g = {low, HUGE_VAL};
  return g;
}

/* Away from what is right by at most a share of it. */
static inline goal within(double right, double share) {
  double part = share * fabs(right);
  goal g = {right - part, right + part};
  return g;
}

/* Any number but an infinite one or NaN. */
static inline goal finite_only(void) {
  goal g = {-HUGE_VAL, HUGE_VAL};
  return g;
}

static inline int goal_holds(goal g, double measured) {
  return isfinite(measured) && measured >= g.low && measured <= g.high;
}

/// Lines ///

#define NO_VALUE ((double)NAN) /* in place of a right value that nobody knows */

static int lines_held, lines_missed;

static inline void print_goal(char *text, size_t bytes, goal g) {
  if (isinf(g.low) && isinf(g.high))
    snprintf(text, bytes, "finite");
  else if (isinf(g.low))
    snprintf(text, bytes, "<= %.4g", g.high);
  else if (isinf(g.high))
    snprintf(text, bytes, ">= %.4g", g.low);
  else
    snprintf(text, bytes, "%.5g..%.5g", g.low, g.high);
}

/* The heading of all lines. */
static inline void print_heading(void) {
  printf("%-5s %-7s %8s  %-60s %11s %11s  %-18s\n", "scene", "grid", "substeps", "what", "measured", "right", "goal");
}

/* Prints a line and counts it. The format says what was measured, with its unit. */
static inline void line(const subject *s, double measured, double right, goal g, const char *format, ...) {
  char what[128], grid[16], goal_text[32], right_text[16] = "-";
  va_list values;
  va_start(values, format);
  vsnprintf(what, sizeof what, format, values);
  va_end(values);
  snprintf(grid, sizeof grid, "%dx%d", s->columns, s->rows);
  print_goal(goal_text, sizeof goal_text, g);
  if (!isnan(right)) snprintf(right_text, sizeof right_text, "%.5g", right);
  int holds = goal_holds(g, measured);
  printf("%-5s %-7s %8d  %-60s %11.5g %11s  %-18s %s\n", s->scene, grid, s->substeps, what, measured, right_text,
         goal_text, holds ? "ok" : "missed");
  lines_held += holds;
  lines_missed += !holds;
}

#endif /* SCENES_LINES_H */
