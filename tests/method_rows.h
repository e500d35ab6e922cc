/* The table of `make methods`: row of the method, what, the document's figure, ours, tolerance, verdict. A row outside
   its tolerance is printed as missed; with an explanation, which follows it, that is known and no failure, without one
   it is. Include after check.h. */
#ifndef METHOD_ROWS_H
#define METHOD_ROWS_H

#include "check.h"

#include <math.h>
#include <stdio.h>

static int rows_missed, rows_printed, rows_unexplained;

static inline void print_method_row(const char *row, const char *what, double document, double ours,
                                    const char *tolerance, int holds, const char *explanation) {
  if (rows_printed++ == 0) {
    printf("%-11s %-58s %12s %12s %11s  %s\n", "method", "what", "document", "ours", "tolerance", "verdict");
  }
  printf("%-11s %-58s %12.6g %12.6g %11s  %s\n", row, what, document, ours, tolerance, holds ? "ok" : "missed");
  if (!holds && explanation) {
    printf("%-11s   explained: %s\n", "", explanation);
  }
  rows_missed += !holds;
  rows_unexplained += !holds && !explanation;
  CHECK(holds || explanation, "%s, %s: document %.9g, ours %.9g, tolerance %s", row, what, document, ours, tolerance);
}

/* Within `tolerance` of the document's figure. */
static inline void method_within(const char *row, const char *what, double document, double ours, double tolerance,
                                 const char *explanation) {
  char text[32];
  snprintf(text, sizeof text, "+-%.3g", tolerance);
  print_method_row(row, what, document, ours, text, fabs(ours - document) <= tolerance, explanation);
}

/* Within a share of the document's figure. */
static inline void method_relative(const char *row, const char *what, double document, double ours, double share,
                                   const char *explanation) {
  char text[32];
  snprintf(text, sizeof text, "+-%.3g %%", 100.0 * share);
  print_method_row(row, what, document, ours, text, fabs(ours - document) <= share * fabs(document), explanation);
}

/* At most the document's figure times a factor. */
static inline void method_at_most(const char *row, const char *what, double document, double ours, double factor,
                                  const char *explanation) {
  char text[32];
  snprintf(text, sizeof text, "<= x %.3g", factor);
  print_method_row(row, what, document, ours, text, ours <= factor * document, explanation);
}

/* The last test of a program: how many rows there were, and that each that is missed is explained. */
static inline void test_count_of_rows(void) {
  printf("%d rows, %d missed, %d of these without an explanation\n", rows_printed, rows_missed, rows_unexplained);
  CHECK(rows_printed > 0 && rows_unexplained == 0, "%d rows, %d unexplained", rows_printed, rows_unexplained);
}

#endif
