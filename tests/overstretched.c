/* Which lines are solved again as they have springs that are too long, from inside: beside searches in doubles and
   choices by sorting, on sheets and tubes, with holes, contact, bodies and fixed work. The solves themselves are in
   line_solves.c. SPDX-License-Identifier: MIT */
#include "../cloth.c"

#include "check.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 19, ROWS = 13, COUNT = COLUMNS * ROWS, MOST_LINES = 40 };

static unsigned char arena[1 << 20] __attribute__((aligned(CLOTH_ALIGNMENT)));
static uint32_t random_state = 1;

/* A number in 0..count - 1 from a fixed sequence. */
static int random_below(int count) {
  random_state = random_state * 1664525u + 1013904223u;
  return (int)((random_state >> 8) % (uint32_t)count);
}

static float random_float(float low, float high) {
  return low + (high - low) * (float)random_below(1 << 16) / 65536.0f;
}

/// Sheets ///

static cloth_config usual_config(void) {
  cloth_config config = cloth_config_default();
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.edge_warp = vector(1.8f, 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, 1.5f);
  config.substeps = 4;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1e6f; /* one solve is enough */
  return config;
}

/* A flat sheet, ready for the solves of a substep, whose springs may have their rest lengths. */
static cloth *open_sheet(const cloth_config *config, step_plan *plan) {
  cloth *sheet = NULL;
  const int result = cloth_init(config, arena, sizeof arena, &sheet);
  CHECK(result == CLOTH_OK, "cloth_init: %s", cloth_result_name(result));
  if (result != CLOTH_OK) {
    exit(check_report());
  }
  plan_step(sheet, 1.0f / 60.0f, plan);
  workspace_of(sheet)->plan = *plan;
  clear_pads(sheet);
  prepare_particles(sheet, 1.0f / 60.0f);
  find_uniform_lines(sheet);
  fill_zero(floats_at(sheet, sheet->scratch.force_share), (size_t)COUNT * sizeof(float));
  for (int32_t i = 0; i < COUNT; i++) {
    vector_store(predicted_of(sheet), i, vector_load(vectors_at(sheet, sheet->state.position), i));
    longest_of(sheet, WARP)[i] = longest_of(sheet, WEFT)[i] = 1.0f + OVERSTRETCH;
  }
  return sheet;
}

static void crumple(const cloth *sheet, float by) {
  for (int32_t i = 0; i < COUNT; i++) {
    const float x = random_float(-by, by), y = random_float(-by, by), z = random_float(-by, by);
    vector_store(predicted_of(sheet), i, vector_add(vector_load(predicted_of(sheet), i), vector(x, y, z)));
  }
}

/* Every row and column is longer than it may be. */
static void stretch_all(const cloth *sheet, float by) {
  for (int32_t i = 0; i < COUNT; i++) {
    vector_store(predicted_of(sheet), i, vector_scale(vector_load(predicted_of(sheet), i), 1.0f + by));
  }
}

/// Choices ///

/* What choose_lines() is to make of levels, one line after the other: the longest, of those the first, and then, with
   fixed work, the first of those that are not too long. */
static void choose_by_sorting(const uint8_t *levels, int lines, int most, int fills, uint8_t *marks) {
  for (int left = most; left > 0; left--) {
    int best = -1;
    for (int n = 0; n < lines; n++) {
      if (marks[n] == LINE_STAYS && (levels[n] > 0 || fills) && (best < 0 || levels[n] > levels[best])) {
        best = n;
      }
    }
    if (best >= 0) {
      marks[best] = levels[best] > 0 ? LINE_AGAIN : LINE_IDLE;
    }
  }
}

static void test_choice(void) {
  for (int trial = 0; trial < 2000; trial++) {
    uint8_t levels[MOST_LINES] = {0}, expected[MOST_LINES] = {0}, marks[MOST_LINES + 1];
    const int lines = 1 + random_below(MOST_LINES), most = random_below(lines + 3), fills = trial % 2;
    const int share = random_below(5), highest = 1 + random_below(LONG_LEVELS);
    int count = 0, wrong = 0;
    for (int n = 0; n < lines; n++) {
      levels[n] = (uint8_t)(random_below(5) < share ? 1 + random_below(highest) : 0);
    }
    choose_by_sorting(levels, lines, most, fills, expected);
    memcpy(marks, levels, sizeof levels);
    marks[lines] = 99;
    const int marked = choose_lines(marks, lines, most, fills);
    for (int n = 0; n < lines; n++) {
      wrong += marks[n] != expected[n];
      count += marks[n] != LINE_STAYS;
    }
    CHECK(wrong == 0 && marks[lines] == 99, "%d of %d lines, at most %d", wrong, lines, most);
    CHECK(marked == count && count <= most, "%d marks, %d told, at most %d", count, marked, most);
    CHECK(!fills || count == (lines < most ? lines : most), "%d marks of %d with fixed work", count, most);
  }
}

static void test_levels(void) {
  static const struct {
    float excess;
    int level;
  } cases[] = {{-1.0f, 0},   {0.0f, 0},    {1e-6f, 1},   {0.0199f, 1}, {0.0201f, 2},
               {0.0399f, 2}, {0.279f, 14}, {0.281f, 15}, {3.0f, 15},   {1e30f, 15}};
  for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
    const int level = level_of_excess(cases[n].excess);
    CHECK(level == cases[n].level, "%g: level %d", (double)cases[n].excess, level);
  }
  volatile float zero = 0.0f;
  CHECK(level_of_excess(zero / zero) == 0, "a level of what is no number");
  for (int lines = 2; lines < 9; lines++) {
    CHECK(most_lines_again(lines) == (lines + 1) / 2, "%d of %d lines", (int)most_lines_again(lines), lines);
  }
}

/// The search ///

/* The level of the spring between two particles. */
static int spring_level(const cloth *sheet, const step_plan *plan, int d, int here, int there) {
  const cloth_vector a = vector_load(predicted_of(sheet), here), b = vector_load(predicted_of(sheet), there);
  const double x = (double)b.x - (double)a.x, y = (double)b.y - (double)a.y, z = (double)b.z - (double)a.z;
  const double rest = (double)plan->spring[d].rest, longest = (double)longest_of(sheet, d)[here];
  const double excess = (x * x + y * y + z * z) / (rest * rest) - longest * longest;
  const float *shares = floats_at(sheet, sheet->scratch.force_share);
  if (has_contact_pushes(sheet) && (shares[here] == SHARE_PUSHED || shares[there] == SHARE_PUSHED)) {
    return 0;
  }
  if (is_gap(sheet, here, d == WARP ? GAP_WARP : GAP_WEFT)) {
    return 0;
  }
  return excess > 0.0 ? 1 + (int)fmin(50.0 * excess, 14.0) : 0;
}

/* The levels of rows or columns, each that of its longest spring. Returns how many are not 0. */
static int search_all(const cloth *sheet, const step_plan *plan, int d, uint8_t *levels) {
  int found = 0;
  for (int line = 0; line < (d == WARP ? ROWS : COLUMNS); line++) {
    int highest = 0;
    for (int n = 0; n + 1 < (d == WARP ? COLUMNS : ROWS); n++) {
      const int here = d == WARP ? line * COLUMNS + n : n * COLUMNS + line;
      const int level = spring_level(sheet, plan, d, here, here + (d == WARP ? 1 : COLUMNS));
      highest = level > highest ? level : highest;
    }
    if (d == WARP && is_wrapped(sheet)) {
      const int level = spring_level(sheet, plan, d, line * COLUMNS + COLUMNS - 1, line * COLUMNS);
      highest = level > highest ? level : highest;
    }
    levels[line] = (uint8_t)highest;
    found += highest > 0;
  }
  return found;
}

enum { PLAIN, TUBE, HOLES, CONTACT, TUBE_CONTACT, SEARCHES };
static const char *const search_names[SEARCHES] = {"sheet", "tube", "sheet with holes", "contact", "tube in contact"};

static uint8_t cell_mask[COUNT];

static cloth_config config_of_search(int kind) {
  cloth_config config = usual_config();
  config.grid.wrap = kind == TUBE || kind == TUBE_CONTACT;
  for (int n = 0; n < COUNT; n++) {
    cell_mask[n] = n % 7 != 3 && n % (COLUMNS - 1) > 1;
  }
  config.grid.cell_mask = kind == HOLES ? cell_mask : NULL;
  return config;
}

/* A few springs that are too long, in a few lines. */
static void test_search(void) {
  for (int trial = 0; trial < 40 * SEARCHES; trial++) {
    const int kind = trial % SEARCHES, has_contact = kind == CONTACT || kind == TUBE_CONTACT;
    const cloth_config config = config_of_search(kind);
    const cloth_collider ball = cloth_collider_default();
    step_plan plan;
    cloth *sheet = open_sheet(&config, &plan);
    CHECK(!has_contact || cloth_add_collider(sheet, &ball) == 0, "no collider");
    CHECK(has_contact_pushes(sheet) == has_contact, "%s: pushes", search_names[kind]);
    crumple(sheet, trial < 20 * SEARCHES ? 0.003f : 0.02f);
    for (int n = 0; n < 12; n++) {
      longest_of(sheet, n % 2 ? WEFT : WARP)[random_below(COUNT)] = random_float(0.85f, 1.0f);
      floats_at(sheet, sheet->scratch.force_share)[random_below(COUNT)] = has_contact ? SHARE_PUSHED : 1.0f;
    }
    longest_of(sheet, WARP)[random_below(ROWS) * COLUMNS + COLUMNS - 1] = 0.9f; /* the spring that closes a tube */
    for (int d = WARP; d <= WEFT; d++) {
      uint8_t levels[MOST_LINES];
      const uint8_t *marks = d == WARP ? marked_rows_of(sheet) : marked_columns_of(sheet);
      const int expected = search_all(sheet, &plan, d, levels);
      const length_search s = length_search_of(sheet, &plan, d);
      const int found = d == WARP ? mark_long_rows(&s) : mark_long_columns(&s);
      int wrong = 0;
      for (int line = 0; line < (d == WARP ? ROWS : COLUMNS); line++) {
        wrong += marks[line] != levels[line];
      }
      CHECK(found == expected && wrong == 0, "%s, %s %d: %d found, not %d; %d wrong levels", search_names[kind],
            d == WARP ? "rows" : "columns", trial, found, expected, wrong);
    }
  }
}

/// Solves ///

static double longest_spring(const cloth *sheet, int d, int line) {
  double longest = 0.0;
  for (int n = 0; n + 1 < (d == WARP ? COLUMNS : ROWS); n++) {
    const int here = d == WARP ? line * COLUMNS + n : n * COLUMNS + line, there = here + (d == WARP ? 1 : COLUMNS);
    const cloth_vector way =
        vector_subtract(vector_load(predicted_of(sheet), here), vector_load(predicted_of(sheet), there));
    longest = fmax(longest, (double)vector_length(way));
  }
  return longest;
}

/* Rows that are too long by different lengths: the longest are solved again, half of them. The others and the columns
   stay. */
static void test_longest_first(void) {
  const cloth_config config = usual_config();
  step_plan plan;
  cloth *sheet = open_sheet(&config, &plan);
  for (int32_t i = 0; i < COUNT; i++) {
    cloth_vector at = vector_load(predicted_of(sheet), i);
    at.x *= 1.05f + 0.02f * (float)(i / COLUMNS * 5 % ROWS);
    at.z *= 0.9f;
    vector_store(predicted_of(sheet), i, at);
    longest_of(sheet, WEFT)[i] = UNLIMITED_LENGTH;
  }
  double before[ROWS];
  for (int row = 0; row < ROWS; row++) {
    before[row] = longest_spring(sheet, WARP, row);
  }
  solve_overstretched_lines(sheet, &plan);
  for (int row = 0; row < ROWS; row++) {
    const double rest = (double)plan.spring[WARP].rest, after = longest_spring(sheet, WARP, row);
    if (row * 5 % ROWS >= ROWS - (ROWS + 1) / 2) { /* one of the longest */
      CHECK(after < rest + 0.4 * (before[row] - rest) && after > rest, "row %d: %.4f of its rest length", row,
            after / rest);
    } else {
      CHECK(after == before[row], "row %d has moved, to %.4f of its rest length", row, after / rest);
    }
  }
}

static uint64_t work_of(const cloth *sheet) {
  const uint32_t *work = statistics_of(sheet)->work;
  return (uint64_t)work[1] << 32 | work[0];
}

static int count_marks(const uint8_t *marks, int lines, int mark) {
  int count = 0;
  for (int n = 0; n < lines; n++) {
    count += marks[n] == mark;
  }
  return count;
}

static int count_moved(const cloth *sheet) {
  int moved = 0;
  for (int32_t i = 0; i < COUNT; i++) {
    const cloth_vector old = vector_load(vectors_at(sheet, sheet->state.position), i);
    const cloth_vector now = vector_load(predicted_of(sheet), i);
    moved += now.x != old.x || now.y != old.y || now.z != old.z;
  }
  return moved;
}

/* However many lines are too long, half of the rows and half of the columns are solved in both sweeps together; with
   fixed work as many take the time of it if none is too long. */
static void test_cap(void) {
  const int most_rows = (ROWS + 1) / 2, most_columns = (COLUMNS + 1) / 2;
  for (int trial = 0; trial < 4; trial++) {
    const int is_long = trial % 2, is_fixed = trial > 1;
    cloth_config config = usual_config();
    step_plan plan;
    config.capacity.fixed_work = is_fixed;
    cloth *sheet = open_sheet(&config, &plan);
    if (is_long) {
      stretch_all(sheet, 0.1f);
    }
    int rows = 0, columns = 0;
    double before[ROWS + COLUMNS];
    for (int n = 0; n < ROWS + COLUMNS; n++) {
      before[n] = longest_spring(sheet, n < ROWS ? WARP : WEFT, n < ROWS ? n : n - ROWS);
    }
    const uint64_t start = work_of(sheet);
    solve_overstretched_lines(sheet, &plan);
    const uint64_t work = work_of(sheet) - start;
    for (int row = 0; row < ROWS; row++) {
      rows += longest_spring(sheet, WARP, row) < before[row] - 0.01 * (double)plan.spring[WARP].rest;
    }
    for (int column = 0; column < COLUMNS; column++) {
      columns += longest_spring(sheet, WEFT, column) < before[ROWS + column] - 0.01 * (double)plan.spring[WEFT].rest;
    }
    CHECK(rows <= (is_long ? most_rows : 0) && columns <= (is_long ? most_columns : 0), "%d rows and %d columns again",
          rows, columns);
    CHECK(!is_long || (rows > 0 && columns > 0), "%d rows and %d columns again", rows, columns);
    CHECK(is_long || count_moved(sheet) == 0, "%d particles have moved", count_moved(sheet));
    const int idle_rows = count_marks(marked_rows_of(sheet), ROWS, LINE_IDLE);
    const int idle_columns = count_marks(marked_columns_of(sheet), COLUMNS, LINE_IDLE);
    const int idles = is_fixed && !is_long;
    CHECK(idle_rows == (idles ? most_rows : 0) && idle_columns == (idles ? most_columns : 0),
          "%d rows and %d columns take time only", idle_rows, idle_columns);
    const uint64_t lines = (uint64_t)(most_rows * COLUMNS) * line_again_cost(sheet, &plan, WARP) +
                           (uint64_t)(most_columns * ROWS) * line_again_cost(sheet, &plan, WEFT);
    const uint64_t search = (uint64_t)COUNT * COST_LENGTHS;
    const uint64_t expected = is_fixed ? 0 : is_long ? lines + AGAIN_SWEEPS * search : search; /* fixed: planned */
    CHECK(work == expected, "trial %d: work %lu, not %lu", trial, (unsigned long)work, (unsigned long)expected);
    const uint64_t bound = lines / (uint64_t)COUNT + AGAIN_SWEEPS * COST_LENGTHS;
    CHECK(lines_again_cost(sheet, &plan) == bound + 1, "a bound of %u", (unsigned)lines_again_cost(sheet, &plan));
  }
}

/* Lines that bear a body may have any length, and directions that are not projected are left alone. */
static void test_left_alone(void) {
  cloth_config config = usual_config();
  step_plan plan;
  config.capacity.max_bodies = 1;
  cloth *sheet = open_sheet(&config, &plan);
  fill_zero(bearing_plane(sheet, BEARING_CODE), (size_t)COUNT * sizeof(float));
  fill_zero(bearing_marks(sheet, WARP), (size_t)(DIRECTIONS * line_blocks(sheet)));
  *bearing_state(sheet) = BEARS_PARTS;
  bearing_marks(sheet, WARP)[0] = bearing_marks(sheet, WEFT)[1] = 1;
  plan.bends = 0;
  solve_rows(sheet, &plan);
  solve_columns(sheet, &plan);
  for (int32_t i = 0; i < COUNT; i++) {
    const int row = i / COLUMNS, column = i % COLUMNS;
    const float along_row = longest_of(sheet, WARP)[i], along_column = longest_of(sheet, WEFT)[i];
    const int bears_row = row < LINE_BLOCK, bears_column = column >= LINE_BLOCK && column < 2 * LINE_BLOCK;
    CHECK(column == COLUMNS - 1 || (along_row == UNLIMITED_LENGTH) == bears_row, "row %d: %g", row, (double)along_row);
    CHECK(row == ROWS - 1 || (along_column == UNLIMITED_LENGTH) == bears_column, "column %d: %g", column,
          (double)along_column);
  }
  stretch_all(sheet, 0.2f);
  int32_t left = ROWS;
  CHECK(mark_long_lines(sheet, &plan, WARP, 0, &left) == ROWS - LINE_BLOCK, "%d rows are left", (int)left);
  CHECK(left == LINE_BLOCK, "%d rows are left", (int)left);
  plan.spring[WARP].projected = PROJECTED_NONE;
  left = ROWS;
  CHECK(mark_long_lines(sheet, &plan, WARP, 1, &left) == 0 && left == ROWS, "rows that are not projected");
  CHECK(solves_again(sheet, &plan), "columns alone are not solved again");
  plan.spring[WEFT].projected = PROJECTED_NONE;
  CHECK(!solves_again(sheet, &plan), "nothing is projected");
}

static const test tests[] = {
    TEST(choice), TEST(levels), TEST(search), TEST(longest_first), TEST(cap), TEST(left_alone),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
