/* The table of `make methods`: row of the method, what, the document's figure, ours, tolerance, verdict. A row outside
   its tolerance is missed, which is a failure. Include after check.h. */
#ifndef METHOD_ROWS_H
#define METHOD_ROWS_H

#include "check.h"

#include <math.h>
#include <stdio.h>

static int rows_missed, rows_printed, rows_corrected, rows_explained;

static inline void print_header(void) {
  if (rows_printed++ == 0) {
    printf("%-11s %-58s %12s %12s %11s  %s\n", "method", "what", "document", "ours", "tolerance", "verdict");
  }
}

static inline void print_row(const char *row, const char *what, double document, double ours, const char *tolerance,
                             const char *verdict) {
  print_header();
  printf("%-11s %-58s %12.6g %12.6g %11s  %s\n", row, what, document, ours, tolerance, verdict);
}

static inline void print_method_row(const char *row, const char *what, double document, double ours,
                                    const char *tolerance, int holds) {
  print_row(row, what, document, ours, tolerance, holds ? "ok" : "missed");
  rows_missed += !holds;
  CHECK(holds, "%s, %s: document %.9g, ours %.9g, tolerance %s", row, what, document, ours, tolerance);
}

/* Within `tolerance` of the document's figure. */
static inline void method_within(const char *row, const char *what, double document, double ours, double tolerance) {
  char text[32];
  snprintf(text, sizeof text, "+-%.3g", tolerance);
  print_method_row(row, what, document, ours, text, fabs(ours - document) <= tolerance);
}

/* Within a share of the document's figure. */
static inline void method_relative(const char *row, const char *what, double document, double ours, double share) {
  char text[32];
  snprintf(text, sizeof text, "+-%.3g %%", 100.0 * share);
  print_method_row(row, what, document, ours, text, fabs(ours - document) <= share * fabs(document));
}

/* At most the document's figure times a factor. */
static inline void method_at_most(const char *row, const char *what, double document, double ours, double factor) {
  char text[32];
  snprintf(text, sizeof text, "<= x %.3g", factor);
  print_method_row(row, what, document, ours, text, ours <= factor * document);
}

/* A figure of the document that does not hold, for the reason `why`: ours is judged by `corrected`, which another
   program has found. */
static inline void method_corrected(const char *row, const char *what, double document, double corrected, double ours,
                                    double tolerance, const char *why) {
  char text[32];
  snprintf(text, sizeof text, "%.5g+-%.3g", corrected, tolerance);
  print_method_row(row, what, document, ours, text, fabs(ours - corrected) <= tolerance);
  printf("%-11s   the document: %s\n", "", why);
  rows_corrected++;
}

/* A figure of the document that ours misses by more than `tolerance`, for the reason `why`. Ours has to stay what it
   is, `known`, to 5 %. */
static inline void method_missed(const char *row, const char *what, double document, double tolerance, double ours,
                                 double known, const char *why) {
  const int holds = fabs(ours - document) <= tolerance;
  char text[32];
  snprintf(text, sizeof text, "+-%.3g", tolerance);
  print_row(row, what, document, ours, text, holds ? "ok" : "missed");
  printf("%-11s   why: %s\n", "", why);
  rows_explained += !holds;
  CHECK(fabs(ours - known) <= 0.05 * known, "%s, %s: %.9g, but was %.9g", row, what, ours, known);
}

/* Prints a row whose figure the document gives as a text. A row that does not hold has its reason in `why`, and has to
   stay what it is, `known`, to 5 %; with `why` NULL it is a failure. */
static inline void print_text_row(const char *row, const char *what, const char *document, double ours,
                                  const char *tolerance, int holds, double known, const char *why) {
  print_header();
  printf("%-11s %-58s %12s %12.6g %11s  %s\n", row, what, document, ours, tolerance, holds ? "ok" : "missed");
  rows_missed += !holds && !why;
  rows_explained += !holds && why;
  if (!holds && why) { printf("%-11s   why: %s\n", "", why); }
  CHECK(why ? fabs(ours - known) <= 0.05 * known : holds, "%s, %s: document %s, ours %.9g", row, what, document, ours);
}

/* Within the range that the document gives, in its digits: `digit` is the last of them. */
static inline void method_range(const char *row, const char *what, double low, double high, double digit, double ours,
                                double known, const char *why) {
  char text[32], tolerance[32];
  snprintf(text, sizeof text, "%g..%g", low, high);
  snprintf(tolerance, sizeof tolerance, "to %g", digit);
  print_text_row(row, what, text, ours, tolerance, ours >= low - 0.5 * digit && ours < high + 0.5 * digit, known, why);
}

/* Within a factor of the document's figure, to either side. */
static inline void method_factor(const char *row, const char *what, double document, double factor, double ours,
                                 double known, const char *why) {
  char text[32], tolerance[32];
  snprintf(text, sizeof text, "%g", document);
  snprintf(tolerance, sizeof tolerance, "x or / %g", factor);
  print_text_row(row, what, text, ours, tolerance, ours <= factor * document && ours * factor >= document, known, why);
}

/* The last test of a program: how many rows there were. */
static inline void test_count_of_rows(void) {
  printf("%d rows, %d missed, %d of them for the reason beside, %d judged by a corrected figure\n", rows_printed,
         rows_missed + rows_explained, rows_explained, rows_corrected);
  CHECK(rows_printed > 0 && rows_missed == 0, "%d rows, %d missed", rows_printed, rows_missed);
}

#endif
