/* The marks of counter.c and the lines that name what it counts, for programs on a board.
   SPDX-License-Identifier: MIT */
#ifndef COST_MARKS_H
#define COST_MARKS_H

#include "../../port/boards/board.h"

#include <stdint.h>

static int failures;

/// Marks of the counter ///

/* What differs in them keeps compilers from making them one. */
#define MARK(name, number)                                                                                             \
  void name(void);                                                                                                     \
  __attribute__((noinline)) void name(void) {                                                                          \
    __asm__ volatile("" : : "i"(number) : "memory");                                                                   \
  }
MARK(cost_begin, 1)
MARK(cost_end, 2)
MARK(cost_report, 3)

/// Lines of text ///

static char line[120];
static int line_length;

static void put_text(const char *text) {
  while (*text != '\0' && line_length < (int)sizeof line - 2)
    line[line_length++] = *text++;
}

static void put_word(const char *text) {
  if (line_length > 0) put_text(" ");
  put_text(text);
}

static void put_number(uint64_t number) {
  char digits[21];
  int first = 20;
  digits[first] = '\0';
  do {
    digits[--first] = (char)('0' + (int)(number % 10u));
    number /= 10u;
  } while (number != 0);
  put_word(digits + first);
}

static void end_line(void) {
  line[line_length] = '\n';
  line[line_length + 1] = '\0';
  board_print(line);
  line_length = 0;
}

/* Closes the counter's line and names it. */
static void report(int n, const char *quantity, const char *kind, uint64_t number) {
  cost_report();
  put_word("count");
  put_number((uint64_t)n);
  put_word(quantity);
  put_word(kind);
  put_number(number);
  end_line();
}

static void fail(int n, const char *what, const char *reason) {
  failures++;
  put_word("failed");
  put_number((uint64_t)n);
  put_word(what);
  put_word(reason);
  end_line();
}

#endif /* COST_MARKS_H */
