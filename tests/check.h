/* The test harness. A test is a function that makes checks; a program lists its tests in one table and ends in
   `return RUN_TESTS(count, arguments, tests);`. Then

       build/tests/NAME                  runs every test
       build/tests/NAME tether pin       runs the tests whose name contains "tether" or "pin"
       build/tests/NAME --list           prints the names

   A failed check prints its place and the values seen; with CHECK_STOPS in the environment it ends the program, as
   mutants.sh asks. Each test prints its name, its checks and its processor time; a test that makes no check has failed.
   The last line is "N passed, N failed". SPDX-License-Identifier: MIT */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int check_passed;
static int check_failed;

static inline void check_stop(void) {
  if (getenv("CHECK_STOPS") != NULL) exit(1);
}

/* CHECK(condition, "format", values...): the format prints the values seen. */
#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (condition) {                                                                                                   \
      check_passed++;                                                                                                  \
    } else {                                                                                                           \
      check_failed++;                                                                                                  \
      printf("%s:%d: failed: %s: ", __FILE__, __LINE__, #condition);                                                   \
      printf(__VA_ARGS__);                                                                                             \
      printf("\n");                                                                                                    \
      check_stop();                                                                                                    \
    }                                                                                                                  \
  } while (0)

/* The last line of a program, and its exit status. */
static inline int check_report(void) {
  printf("%d passed, %d failed\n", check_passed, check_failed);
  return check_failed != 0;
}

/* The cases in which a test runs one after the other, as "TEST/CASE". select(number) is called before each of the
   cases number `first` to first + count - 1, and select(0) after it. */
typedef struct test_cases {
  int first, count;
  const char *(*name)(int number);
  void (*select)(int number);
} test_cases;

typedef struct test {
  const char *name;
  void (*run)(void);
  const test_cases *cases; /* NULL: it runs once */
} test;

/* Entries of the table: test_SUBJECT() runs once, or once for each of the cases. */
#define TEST(subject)                                                                                                  \
  { #subject, test_##subject, NULL }
#define TEST_EACH(cases, subject)                                                                                      \
  { #subject, test_##subject, &(cases) }

#define RUN_TESTS(count, arguments, tests)                                                                             \
  run_tests((count), (arguments), (tests), (int)(sizeof(tests) / sizeof((tests)[0])))

static inline int test_is_chosen(int count, char **arguments, const char *name) {
  int chosen = count < 2;
  for (int i = 1; i < count; i++)
    chosen = chosen || strstr(name, arguments[i]) != NULL;
  return chosen;
}

static inline void run_test(const test *t, const char *name) {
  int passed = check_passed, failed = check_failed;
  clock_t start = clock();
  t->run();
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  int checks = check_passed - passed + check_failed - failed;
  if (checks == 0) {
    check_failed++;
    printf("failed: %s made no check\n", name);
  }
  printf("%-48s %7d checks %8.3f s%s\n", name, checks, seconds, check_failed > failed ? "   FAILED" : "");
}

/* Runs or lists the tests that the arguments choose. Returns how many those are. */
static inline int visit_test(const test *t, int count, char **arguments, int list) {
  int visited = 0, first = t->cases != NULL ? t->cases->first : 0, end = first + (t->cases ? t->cases->count : 1);
  for (int number = first; number < end; number++) {
    char name[128];
    snprintf(name, sizeof name, "%s%s%s", t->name, t->cases ? "/" : "", t->cases ? t->cases->name(number) : "");
    if (!test_is_chosen(count, arguments, name)) continue;
    visited++;
    if (list) {
      printf("%s\n", name);
      continue;
    }
    if (t->cases != NULL) t->cases->select(number);
    run_test(t, name);
    if (t->cases != NULL) t->cases->select(0);
  }
  return visited;
}

static inline int run_tests(int count, char **arguments, const test *tests, int test_count) {
  int list = count > 1 && strcmp(arguments[1], "--list") == 0, visited = 0;
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* what was printed before a crash is not lost */
  if (list) {
    count--;
    arguments++;
  }
  for (int i = 0; i < test_count; i++)
    visited += visit_test(&tests[i], count, arguments, list);
  if (visited == 0) {
    printf("no test has such a name; --list prints the names\n");
    return 2;
  }
  return list ? 0 : check_report();
}

#endif /* CHECK_H */
