/* A table of numbers to reach: case, what, expected, measured, tolerance, verdict. Every row is a check. Include after
   check.h. */
#ifndef ROWS_H
#define ROWS_H

#include "check.h"

#include <math.h>
#include <stdio.h>

static inline void print_row(const char *name, const char *what, double expected, double measured,
                             const char *tolerance, int holds) {
  static int rows_printed;
  if (rows_printed++ == 0) {
    printf("%-5s %-46s %12s %12s %12s  %s\n", "case", "what", "expected", "measured", "tolerance", "verdict");
  }
  printf("%-5s %-46s %12.6g %12.6g %12s  %s\n", name, what, expected, measured, tolerance, holds ? "ok" : "FAIL");
  CHECK(holds, "%s, %s: expected %.9g, measured %.9g, tolerance %s", name, what, expected, measured, tolerance);
}

static inline void row_within(const char *name, const char *what, double expected, double measured, double tolerance) {
  char text[32];
  snprintf(text, sizeof text, "+-%.3g", tolerance);
  print_row(name, what, expected, measured, text, fabs(measured - expected) <= tolerance);
}

static inline void row_relative(const char *name, const char *what, double expected, double measured,
                                double tolerance) {
  char text[32];
  snprintf(text, sizeof text, "%.3g rel", tolerance);
  print_row(name, what, expected, measured, text, fabs(measured - expected) <= tolerance * fabs(expected));
}

/* An error or drift that should be zero: the row holds up to `limit`. */
static inline void row_error(const char *name, const char *what, double measured, double limit) {
  char text[32];
  snprintf(text, sizeof text, "<= %.3g", limit);
  print_row(name, what, 0.0, measured, text, measured <= limit);
}

/* Counts what must not happen. */
static inline void row_none(const char *name, const char *what, long count) {
  print_row(name, what, 0.0, (double)count, "none", count == 0);
}

#endif
