/* A check counts and, when it fails, says where and what was seen. Each test program is one file with one main() that
   ends in `return check_report();`; the Makefile adds up the last lines. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

static int check_passed;
static int check_failed;

/* CHECK(condition, "format", values...): the format tells what was seen. */
#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (condition) {                                                                                                   \
      check_passed++;                                                                                                  \
    } else {                                                                                                           \
      check_failed++;                                                                                                  \
      printf("%s:%d: failed: %s: ", __FILE__, __LINE__, #condition);                                                   \
      printf(__VA_ARGS__);                                                                                             \
      printf("\n");                                                                                                    \
    }                                                                                                                  \
  } while (0)

static inline int check_report(void) {
  printf("%d passed, %d failed\n", check_passed, check_failed);
  return check_failed != 0;
}

#endif
