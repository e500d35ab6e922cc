/* Lines of the table of adversarial scenes: tests/abuse.c and tests/abuse_geometry.c. SPDX-License-Identifier: MIT */
#ifndef ABUSE_H
#define ABUSE_H

#include "shapes.h"
#include "sheets.h"

/// Lines ///

/* A line is met if the cloth stays finite, no particle is inside a body where the abuse is a body in motion, and 5 s
   later the largest stretch is at most this above that at rest. */
#define RECOVERED 0.05
#define RECOVERED_AT_LEAST 0.17 /* what the suite asserts; the table judges by the goal */
#define PEACE 300               /* frames */

typedef struct outcome {
  double most, rest, later; /* largest strain ever, at rest, and 5 s after the abuse */
  int is_finite, inside;
  int passed; /* times that a body was seen behind cloth that was in its way */
} outcome;

/* Lines that miss the goal by more, by their first words as in arguments, and what the suite allows them. Cloth that
   begins inside of a body leaves it on several sides, and is caught around it: it hangs on edges between particles. */
typedef struct open_line {
  const char *words;
  double later;
  int inside, passed;
} open_line;

static const open_line open_lines[] = {
    {"born/free/in/a/sphere/0/m", 3.0, 0, 0},
    {"born/hung/in/a/sphere/0/m", 3.0, 0, 0},
    {"born/free/in/a/capsule", 3.0, 0, 0},
    {"born/hung/in/a/capsule/0/m", 3.0, 0, 0},
    {"born/free/in/a/box", 3.0, 0, 0},
    {"born/hung/in/a/box", 3.0, 0, 0},
    {"born/free/in/a/cylinder", 3.0, 0, 0},
    {"born/hung/in/a/cylinder", 3.0, 0, 0},
    {"born/free/in/a/hull", 3.0, 0, 0},
    {"born/hung/in/a/hull", 3.0, 0, 0},
    {"born/free/in/a/distance/grid/0/m", 3.0, 0, 0},
    {"born/hung/in/a/distance/grid/0/m", 3.0, 0, 0},
    {"odd/a/ball/of/25/kg", RECOVERED_AT_LEAST, 0, 60}, /* it opens the cells of the sheet, and flies through one */
    {"sweep/distance/grid/at/10/m", RECOVERED_AT_LEAST, 20, 0},
};

static int is_table;
static int word_count;
static char **words;

static inline int begins_with(const char *name, const char *word) {
  for (; *word != '\0'; word++) {
    if (*word == '/') {
      while (*name == ' ' || *name == ':' || *name == ',')
        name++;
    } else if (*name++ != *word) {
      return 0;
    }
  }
  return 1;
}

static inline int is_chosen(const char *name) {
  int chosen = word_count == 0;
  for (int i = 0; i < word_count; i++)
    chosen |= begins_with(name, words[i]);
  return chosen;
}

/* Reads the arguments of the program. */
static inline void choose_lines(int count, char **arguments) {
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  is_table = count > 1 && strcmp(arguments[1], "--table") == 0;
  words = arguments + 1 + is_table;
  word_count = count - 1 - is_table;
}

/* What a line has to meet. */
static inline open_line demands_of(const char *name) {
  const open_line goal = {name, RECOVERED, 0, 0}, least = {name, RECOVERED_AT_LEAST, 0, 0};
  for (size_t i = 0; !is_table && i < sizeof open_lines / sizeof open_lines[0]; i++)
    if (begins_with(name, open_lines[i].words)) return open_lines[i];
  return is_table ? goal : least;
}

static inline void report(const char *name, const outcome *o) {
  const open_line asked = demands_of(name);
  const int holds =
      o->is_finite && o->inside <= asked.inside && o->passed <= asked.passed && o->later <= o->rest + asked.later;
  printf("%-52s largest %9.3f   5 s later %7.3f   at rest %6.3f   inside %4d   passed %2d   %s\n", name, o->most,
         o->later, o->rest, o->inside, o->passed, holds ? "ok" : "missed");
  check_passed += holds;
  check_failed += !holds;
  if (!holds && !is_table) printf("%s: failed\n", name);
}

static inline double stretch_of(const fixture *s) {
  cloth_measures m;
  memset(&m, 0, sizeof m);
  cloth_measure(s->sheet, &m);
  return (double)m.max_stretch;
}

/* What a step that returned `result` has done. */
static inline void note_step(const fixture *s, outcome *o, int result) {
  o->is_finite = o->is_finite && result >= CLOTH_OK && all_finite(s->sheet);
  o->most = fmax(o->most, stretch_of(s));
}

/* A step; `body` NULL, or a body that no particle may be in. */
static inline void watch_step(fixture *s, outcome *o, const cloth_collider *body, float dt) {
  note_step(s, o, cloth_step(s->sheet, dt));
  for (int i = 0; body && i < s->count; i++)
    o->inside += cloth_get_freedom(s->sheet, i) > 0 && distance_to(body, position_of(s->sheet, i)) < 0.0;
}

static inline void watch(fixture *s, outcome *o, int frames) {
  for (int frame = 0; frame < frames; frame++)
    watch_step(s, o, NULL, FRAME);
}

/* The peace after the abuse. What is left of the stretch is the mean of its last half second, as the cloth may swing.
 */
static inline void end_abuse(fixture *s, outcome *o) {
  const int last = 30;
  watch(s, o, PEACE - last);
  o->later = 0.0;
  for (int frame = 0; frame < last; frame++) {
    watch_step(s, o, NULL, FRAME);
    o->later += stretch_of(s) / last;
  }
}

static const outcome no_outcome = {0.0, 0.0, 0.0, 1, 0, 0};

/// Cloths ///

/* A sheet of 1 m in the x-y plane that hangs by its first row. */
static inline cloth_config hung_config(int n) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = n;
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  return config;
}

static inline fixture hang(const cloth_config *config) {
  fixture s = fixture_make(config);
  for (int i = 0; i < s.columns; i++)
    cloth_pin(s.sheet, i);
  return s;
}

/* The largest stretch of a hung sheet after 5 s that nothing disturbs. Lines that follow each other mostly ask for the
   same one, which is simulated once. */
static inline double rest_of_hung(const cloth_config *config) {
  static cloth_config known;
  static double rest = -1.0;
  if (rest < 0.0 || memcmp(&known, config, sizeof known) != 0) {
    fixture s = hang(config);
    run_steps(s.sheet, PEACE, FRAME);
    rest = stretch_of(&s);
    known = *config;
    fixture_free(&s);
  }
  return rest;
}

static inline cloth_collider body_of(int32_t shape, double x, double y, double z) {
  cloth_collider body = cloth_collider_default();
  body.shape = shape;
  body.radius = body.radius_top = body.half_height = 0.25f;
  body.half_extents = vector_at(0.25, 0.25, 0.25);
  body.pose.position = vector_at(x, y, z);
  return body;
}

#endif /* ABUSE_H */
