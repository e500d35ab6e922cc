/* What hangs and falls as a grid that is not a plain sheet: tubes by two points, sheets with half of their cells, torn
   sheets, pieces that nothing holds. Without damping, against the same world with every substep solved. Include after
   starts.h and measures.h. SPDX-License-Identifier: MIT */
#ifndef HUNG_H
#define HUNG_H

#include "measures.h"
#include "starts.h"

#define LEAST_LIVELY 0.8 /* of the kinetic energy of the solved step */
#define MOST_LIVELY 1.25
#define PIECE_ERROR 0.01      /* of the speed, or energy, of a piece that falls freely */
#define PIECE_SPIN_ERROR 0.05 /* of the angular momentum of a piece, which hardly spins */

/// Worlds ///

enum { HUNG_TUBE, HUNG_MASK, HUNG_CUT };

typedef struct hung_world {
  const char *name;
  int kind, columns, rows;
  int mask;           /* of a HUNG_MASK */
  cloth_cut_line cut; /* of a HUNG_CUT, as shares of the width and height; 0..1 is the sheet */
  int is_cut_later;   /* 1: it opens whole */
  int solved;         /* iterations of the solved step; 0: SOLVED */
} hung_world;

static cloth_cut_line scaled_cut(const cloth_cut_line *share, int columns, int rows) {
  const float across = (float)(columns - 1), down = (float)(rows - 1);
  cloth_cut_line cut = {across * share->column, down * share->row, across * share->end_column, down * share->end_row};
  return cut;
}

static void cut_now(const hung_world *w, const specimen *sp) {
  cloth_cut_line cut = scaled_cut(&w->cut, w->columns, w->rows);
  int threads = cloth_cut(sp->s.sheet, &cut);
  CHECK(threads > 0, "%s: %s, %d threads", w->name, cloth_result_name(threads), threads);
}

static cloth_config hung_config(const hung_world *w, cloth_vector *places, uint8_t *mask) {
  cloth_config config =
      w->kind == HUNG_TUBE ? lying_tube(w->columns, w->rows, places) : plain_config(w->columns, w->rows);
  undamp(&config);
  if (w->kind == HUNG_MASK) {
    make_mask(w->mask, w->columns, mask);
    config.grid.cell_mask = mask;
  }
  if (w->kind == HUNG_CUT) config.tearing.max_breaks = 1000;
  return config;
}

/* At its start, level or lying, held by two points of row 0. */
static specimen open_hung(const hung_world *w, int substeps, int iterations) {
  static cloth_vector places[COUNT_MOST];
  static uint8_t mask[COUNT_MOST];
  cloth_config config = hung_config(w, places, mask);
  set_steps(&config, substeps, iterations);
  specimen sp = specimen_make(&config);
  pin_at(&sp, 0, 0);
  pin_at(&sp, w->kind == HUNG_TUBE ? w->columns / 2 : w->columns - 1, 0);
  if (w->kind == HUNG_CUT && w->is_cut_later == 0) cut_now(w, &sp);
  return sp;
}

/// Liveliness ///

/* Kinetic energy after 0.25 and 0.5 s [J]. */
static void energies_of(const hung_world *w, int substeps, int iterations, double energy[2]) {
  specimen sp = open_hung(w, substeps, iterations);
  for (int k = 0; k < 2; k++) {
    advance(&sp, 15);
    energy[k] = kinetic_energy(&sp);
  }
  specimen_free(&sp);
}

static void judge_liveliness(const hung_world *w) {
  for (int n = 0; n < SUBSTEP_CASES; n++) {
    double energy[2], solved[2];
    energies_of(w, all_substeps[n], CLOTH_AUTOMATIC, energy);
    energies_of(w, all_substeps[n], w->solved > 0 ? w->solved : SOLVED, solved);
    cloth_config config = plain_config(w->columns, w->rows);
    set_steps(&config, all_substeps[n], CLOTH_AUTOMATIC);
    for (int k = 0; k < 2; k++) {
      char what[80];
      snprintf(what, sizeof what, "%s, kinetic energy at %s s [J]", w->name, k ? ".5" : ".25");
      line_share(what, settings_text(&config, CLOTH_AUTOMATIC), energy[k], solved[k], LEAST_LIVELY, MOST_LIVELY);
    }
  }
}

static void test_skirt(void) {
  const hung_world skirt = {.name = "skirt by two points", .kind = HUNG_TUBE, .columns = 24, .rows = 32};
  judge_liveliness(&skirt);
}

/* Cells are about as wide as high; 40 iterations solve a substep of the smallest. */
static void test_tubes(void) {
  static const int columns[] = {3, 4, 5, 6, 7, 9, 12, 16, 17, 24, 33, 48, 65};
  for (int k = 0; k < (int)(sizeof columns / sizeof *columns); k++) {
    const hung_world tube = {.name = "tube by two points",
                             .kind = HUNG_TUBE,
                             .columns = columns[k],
                             .rows = columns[k] < 16 ? columns[k] + 1 : 32,
                             .solved = columns[k] < 9 ? 40 : SOLVED};
    judge_liveliness(&tube);
  }
}

/* Narrow tubes on which a cell is three to six times as wide as it is high: 80 iterations do not solve a substep of
   5 columns. */
static void test_tubes_of_wide_cells(void) {
  static const int columns[] = {5, 9, 12};
  for (int k = 0; k < 3; k++) {
    const hung_world tube = {
        .name = "tube of wide cells", .kind = HUNG_TUBE, .columns = columns[k], .rows = 32, .solved = 400};
    judge_liveliness(&tube);
  }
}

#define MANY_ITERATIONS 400
#define MANY_ERROR 0.01 /* of the energy with 40 */

/* On small grids 40 iterations solve a substep: more must change nothing. */
static void judge_many_iterations(const hung_world *w, int substeps) {
  double energy[2], solved[2];
  energies_of(w, substeps, MANY_ITERATIONS, energy);
  energies_of(w, substeps, 40, solved);
  cloth_config config = plain_config(w->columns, w->rows);
  set_steps(&config, substeps, MANY_ITERATIONS);
  char what[80];
  snprintf(what, sizeof what, "%s, many iterations, kinetic energy at .5 s [J]", w->name);
  line_share(what, settings_text(&config, MANY_ITERATIONS), energy[1], solved[1], 1.0 - MANY_ERROR, 1.0 + MANY_ERROR);
}

static void test_many_iterations(void) {
  static const hung_world small[] = {{.name = "tube", .kind = HUNG_TUBE, .columns = 5, .rows = 6},
                                     {.name = "tube", .kind = HUNG_TUBE, .columns = 7, .rows = 8},
                                     {.name = "sheet", .kind = HUNG_CUT, .columns = 6, .rows = 6, .is_cut_later = 1},
                                     {.name = "sheet", .kind = HUNG_CUT, .columns = 10, .rows = 10, .is_cut_later = 1}};
  for (int k = 0; k < 4; k++) {
    for (int n = 0; n < SUBSTEP_CASES; n++)
      judge_many_iterations(&small[k], all_substeps[n]);
  }
}

static void test_half_of_the_cells(void) {
  for (int kind = 0; kind < MASK_KINDS; kind++) {
    char name[48];
    snprintf(name, sizeof name, "half of the cells, %s", mask_names[kind]);
    const hung_world half = {.name = name, .kind = HUNG_MASK, .columns = 32, .rows = 32, .mask = kind};
    judge_liveliness(&half);
  }
}

/* To three quarters of the width, along a row and along a column. */
static void test_torn(void) {
  static const hung_world torn[] = {
      {"torn along a row to 3/4", HUNG_CUT, 32, 32, 0, {-0.1f, 0.51f, 0.75f, 0.51f}, 0, 0},
      {"torn along a column to 3/4", HUNG_CUT, 32, 32, 0, {0.51f, 1.1f, 0.51f, 0.25f}, 0, 0}};
  for (int k = 0; k < 2; k++)
    judge_liveliness(&torn[k]);
}

/// Pieces ///

/* The particles that a cut from border to border parts from row 0. */
static void mark_piece(const hung_world *w, uint8_t *piece) {
  const cloth_cut_line *cut = &w->cut;
  for (int i = 0; i < w->columns * w->rows; i++) {
    double across = (double)(i % w->columns) / (w->columns - 1), down = (double)(i / w->columns) / (w->rows - 1);
    double share = (across - (double)cut->column) / (double)(cut->end_column - cut->column);
    piece[i] = down > (double)cut->row + share * (double)(cut->end_row - cut->row);
  }
}

static double piece_energy(const specimen *sp, const uint8_t *piece) {
  double sum = 0.0;
  for (int i = 0; i < sp->s.count; i++) {
    point v = velocity_of(sp->s.sheet, i);
    sum += piece[i] ? 0.5 * sp->mass[i] * point_dot(v, v) : 0.0;
  }
  return sum;
}

/* Torn off at the start: the piece, level and at rest, falls as a free body, v = g t. */
static void judge_piece(const hung_world *w, int substeps) {
  static uint8_t piece[COUNT_MOST];
  mark_piece(w, piece);
  specimen sp = open_hung(w, substeps, CLOTH_AUTOMATIC);
  for (int k = 1; k <= 2; k++) {
    advance(&sp, 15);
    double speed = GRAVITY * 0.25 * k, right = 0.5 * motion_of(&sp, piece).mass * speed * speed;
    char what[80];
    snprintf(what, sizeof what, "%s, its energy at %s s [J]", w->name, k == 2 ? ".5" : ".25");
    line_share(what, settings_text(&sp.config, CLOTH_AUTOMATIC), piece_energy(&sp, piece), right, 1.0 - PIECE_ERROR,
               1.0 + PIECE_ERROR);
  }
  specimen_free(&sp);
}

/* Torn off while it swings: in 0.25 s its momentum grows by its weight times that. */
static void judge_piece_in_motion(const hung_world *w, int substeps) {
  static uint8_t piece[COUNT_MOST];
  hung_world whole = *w;
  whole.is_cut_later = 1;
  mark_piece(w, piece);
  specimen sp = open_hung(&whole, substeps, CLOTH_AUTOMATIC);
  advance(&sp, 15);
  cut_now(w, &sp);
  motion before = motion_of(&sp, piece);
  advance(&sp, 15);
  motion after = motion_of(&sp, piece);
  point expected = {0.0, -after.mass * GRAVITY * 0.25, 0.0};
  double error = point_distance(point_difference(after.momentum, before.momentum), expected);
  char what[80];
  snprintf(what, sizeof what, "%s while it swings, error of momentum", w->name);
  line_at_most(what, settings_text(&sp.config, CLOTH_AUTOMATIC), error / point_length(expected), PIECE_ERROR);
  snprintf(what, sizeof what, "%s while it swings, angular momentum", w->name);
  line_share(what, settings_text(&sp.config, CLOTH_AUTOMATIC), point_length(after.spin), point_length(before.spin),
             1.0 - PIECE_SPIN_ERROR, 1.0 + PIECE_SPIN_ERROR);
  specimen_free(&sp);
}

static void test_torn_off(void) {
  static const hung_world torn[] = {{"torn off along a row", HUNG_CUT, 32, 32, 0, {-0.1f, 0.51f, 1.1f, 0.51f}, 0, 0},
                                    {"torn off aslant", HUNG_CUT, 32, 32, 0, {-0.1f, 0.31f, 1.1f, 0.83f}, 0, 0}};
  for (int k = 0; k < 2; k++) {
    for (int n = 0; n < SUBSTEP_CASES; n++) {
      judge_piece(&torn[k], all_substeps[n]);
      judge_piece_in_motion(&torn[k], all_substeps[n]);
    }
    judge_liveliness(&torn[k]);
  }
}

/* An island of cells in a hole of the mask, which was never joined to the rest. */
static void test_island(void) {
  enum { SIDE = 32, CELLS = SIDE - 1 };
  static uint8_t mask[CELLS * CELLS], piece[SIDE * SIDE];
  for (int k = 0; k < CELLS * CELLS; k++) {
    int column = k % CELLS, row = k / CELLS, in = column > 9 && column < 22 && row > 9 && row < 22;
    mask[k] = column < 8 || column > 23 || row < 8 || row > 23 || in;
    piece[row * SIDE + column] = (uint8_t)in;
  }
  for (int i = SIDE * SIDE - 1; i > SIDE; i--) /* the particles of these cells */
    piece[i] = piece[i] || piece[i - 1] || piece[i - SIDE] || piece[i - SIDE - 1];
  for (int n = 0; n < SUBSTEP_CASES; n++) {
    cloth_config config = plain_config(SIDE, SIDE);
    undamp(&config);
    config.grid.cell_mask = mask;
    set_steps(&config, all_substeps[n], CLOTH_AUTOMATIC);
    specimen sp = specimen_make(&config);
    pin_two_corners(&sp);
    advance(&sp, 30);
    double speed = GRAVITY * 0.5, right = 0.5 * motion_of(&sp, piece).mass * speed * speed;
    line_share("island in a hole, its energy at .5 s [J]", settings_text(&config, CLOTH_AUTOMATIC),
               piece_energy(&sp, piece), right, 1.0 - PIECE_ERROR, 1.0 + PIECE_ERROR);
    specimen_free(&sp);
  }
}

#endif /* HUNG_H */
