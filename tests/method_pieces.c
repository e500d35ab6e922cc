/*
 * The methods of examples/methods in pieces: the bits are those of one thread for any number of pieces, in any order,
 * on any threads. With --time the work and the time of a sheet that falls apart into components, solved as a whole and
 * by component, on one thread and on two (thesis section 6.4.2); a time is no verdict.
 *
 * Includes the source: the sheets are looked at from inside.
 */
#define _POSIX_C_SOURCE 199309L /* for clock_gettime() */

#include "../examples/methods/methods.c"

#include "method_rows.h"
#include "piece_threads.h"
#include "schemes.h"

#include <math.h>
#include <time.h>

#define SIDE 33 /* of the sheets that are compared: a number that no piece and no width of lanes divides */
#define STEPS 6
#define TIMED_SIDE 64 /* of the sheet that falls */
#define TIMED_STEPS 100

static unsigned char arena[1 << 24] __attribute__((aligned(CLOTH_ALIGNMENT)));
static unsigned char memory[1 << 26] __attribute__((aligned(CLOTH_ALIGNMENT)));

/// Workers ///

static int handed_over; /* pieces, in all */

static void run_backwards(void *context, cloth_piece piece, void *job, int32_t count) {
  (void)context;
  for (int32_t n = count; n-- > 0;) {
    piece(job, n);
    handed_over++;
  }
}

static const cloth_workers backwards = {run_backwards, NULL};

static void run_on_threads(void *context, cloth_piece piece, void *job, int32_t count) {
  run_by_threads((jobs *)context, piece, job, count);
}

/// Sheets ///

/* A sheet pinned at its centre: where stretch springs let go it falls into components (thesis fig. 6.5). */
static cloth *open_sheet(int side) {
  cloth_config config = cloth_config_default();
  use_two_tiers(&config);
  config.columns = side;
  config.rows = side;
  config.edge_warp = (cloth_vector){1.0f, 0.0f, 0.0f};
  config.edge_weft = (cloth_vector){0.0f, 0.0f, 1.0f};
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1000.0f;
  config.fabric.shear = 300.0f;
  config.substeps = 2;
  cloth *sheet = NULL;
  const int result = cloth_init(&config, arena, sizeof arena, &sheet);
  CHECK(result == CLOTH_OK, "%s", cloth_result_name(result));
  cloth_pin(sheet, side / 2 * side + side / 2);
  memset(memory, 0, 64);
  return sheet;
}

/* Hash after some steps by a method; 0 if one fails. */
static uint64_t play(const cloth_method *method, int side, int steps) {
  cloth *sheet = open_sheet(side);
  uint64_t hash = 0;
  for (int n = 0; n < steps; n++) {
    const int result = cloth_method_step(sheet, method, 1.0f / 60.0f, memory, sizeof memory, NULL);
    CHECK(result >= 0, "%s", cloth_method_explain(sheet, method));
  }
  cloth_hash(sheet, &hash);
  return hash;
}

/// Tests ///

/* Plays a method in pieces, one after the other and on threads, against one thread. */
static void compare(cloth_method method, const char *name) {
  static const int numbers[] = {5, CLOTH_WORKER_LIMIT};
  method.pieces = 0;
  method.workers = NULL;
  const uint64_t expected = play(&method, SIDE, STEPS);
  method.workers = &backwards;
  for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
    method.pieces = numbers[n];
    handed_over = 0;
    const uint64_t hash = play(&method, SIDE, STEPS);
    CHECK(hash == expected, "%s, %d pieces: %llx, expected %llx", name, numbers[n], (unsigned long long)hash,
          (unsigned long long)expected);
    CHECK(handed_over > 0, "%s: nothing ran in pieces", name);
  }
  jobs *threads = jobs_open(3);
  const cloth_workers workers = {run_on_threads, threads};
  method.workers = &workers;
  method.pieces = 12;
  CHECK(play(&method, SIDE, STEPS) == expected, "%s on threads", name);
  jobs_close(threads);
}

static void test_solvers(void) {
  static const struct {
    int solver;
    const char *name;
  } solvers[] = {{CLOTH_SOLVER_GRADIENTS, "gradients"},
                 {CLOTH_SOLVER_COMPONENTS, "components"},
                 {CLOTH_SOLVER_NONLINEAR, "nonlinear"}};
  for (size_t n = 0; n < sizeof solvers / sizeof *solvers; n++) {
    cloth_method method = cloth_method_default();
    method.solver = solvers[n].solver;
    compare(method, solvers[n].name);
  }
}

static void test_laws(void) {
  for (int32_t material = 0; material <= CLOTH_MATERIAL_TRISPRINGS; material++) {
    cloth_method method = cloth_method_default();
    method.material = material;
    method.bending = material; /* none, springs, quadratic and plane; hinges follow */
    compare(method, "material and bending");
  }
  cloth_method method = cloth_method_default();
  method.bending = CLOTH_BENDING_HINGE;
  method.scheme = CLOTH_SCHEME_BDF2;
  compare(method, "hinges by BDF2");
  method.repulsion = 0.02f;
  compare(method, "repulsion");
}

static void test_refusals(void) {
  static const int wrong[] = {-1, CLOTH_WORKER_LIMIT + 1};
  cloth *sheet = open_sheet(SIDE);
  cloth_method method = cloth_method_default();
  size_t bytes = 0, more = 0;
  for (int n = 0; n < 2; n++) {
    method.pieces = wrong[n];
    const int result = cloth_method_memory(sheet, &method, &bytes);
    CHECK(result == CLOTH_ERROR_RANGE && bytes == 0, "%d pieces: %s", wrong[n], cloth_result_name(result));
  }
  method.pieces = 0;
  CHECK(cloth_method_memory(sheet, &method, &bytes) == CLOTH_OK, "no pieces");
  method.pieces = 8;
  CHECK(cloth_method_memory(sheet, &method, &more) == CLOTH_OK && more > bytes, "%zu and %zu bytes", bytes, more);
  CHECK(cloth_method_step(sheet, &method, 0.01f, memory, bytes, NULL) == CLOTH_ERROR_ARENA, "too little memory");
}

/// Work and times of two threads ///

/* The thesis's test on a machine with two processors, "one of the nicely-decomposing test cases" (section 6.4.2): time
   by component, and with the components on both, over that of the whole solve. */
#define THESIS_ONE 0.82
#define THESIS_TWO 0.70

/* A sheet of 1 m that falls, tilted by 0.3, onto ground to which it sticks. */
static cloth *open_sheet_above_ground(void) {
  cloth_config config = cloth_config_default();
  use_two_tiers(&config);
  config.columns = config.rows = TIMED_SIDE;
  config.origin = (cloth_vector){-0.5f, 0.0f, -0.5f};
  config.edge_warp = (cloth_vector){0.955336f, 0.295520f, 0.0f};
  config.edge_weft = (cloth_vector){0.0f, 0.0f, 1.0f};
  memset(&config.fabric, 0, sizeof config.fabric);
  config.fabric.density = 0.2f;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1000.0f;
  config.fabric.shear = 700.0f;
  config.substeps = 1;
  cloth_collider ground = cloth_collider_default();
  ground.shape = CLOTH_SHAPE_PLANE;
  ground.pose.position.y = -0.3f;
  ground.static_friction = ground.kinetic_friction = 10.0f;
  cloth *sheet = NULL;
  const int result = cloth_init(&config, arena, sizeof arena, &sheet);
  CHECK(result == CLOTH_OK, "%s", cloth_result_name(result));
  CHECK(cloth_add_collider(sheet, &ground) >= 0, "no ground");
  memset(memory, 0, 64);
  return sheet;
}

static cloth_method falling_method(int32_t solver) {
  cloth_method method = cloth_method_default();
  method.solver = solver;
  method.contact = CLOTH_CONTACT_SOLVER;
  method.bending = CLOTH_BENDING_NONE; /* which would join all particles for good */
  method.iterations = 1000;
  return method;
}

/* Rows of particles that stages have handed to each of two threads that take pieces in turn. */
static double rows_of_thread[2];

static void count_rows(void *context, cloth_piece piece, void *job, int32_t count) {
  (void)context;
  for (int32_t n = 0; n < count; n++) {
    piece(job, n);
    rows_of_thread[n % 2] += (n + 1) * TIMED_SIDE / count - n * TIMED_SIDE / count;
  }
}

/* Plays the falling sheet. Returns the products of rows with vectors in all steps. */
static double play_falling(const cloth_method *method) {
  cloth *sheet = open_sheet_above_ground();
  double products = 0.0;
  for (int n = 0; n < TIMED_STEPS; n++) {
    cloth_method_report report;
    const int result = cloth_method_step(sheet, method, 0.01f, memory, sizeof memory, &report);
    CHECK(result >= 0, "%s", cloth_method_explain(sheet, method));
    products += result >= 0 ? report.row_vectors : 0.0;
  }
  return products;
}

/* The work, counted: the same on every machine. The thesis's products are typical of no scene that is described; those
   of this one fall with time, .74 after .6 s, .53 after 1.5, .48 after 2.5. */
static void print_work(void) {
  static const cloth_workers counting = {count_rows, NULL};
  double products[2];
  for (int n = 0; n < 2; n++) {
    cloth_method method = falling_method(n == 0 ? CLOTH_SOLVER_GRADIENTS : CLOTH_SOLVER_COMPONENTS);
    method.workers = &counting;
    method.pieces = 8;
    products[n] = play_falling(&method);
  }
  const double busier = fmax(rows_of_thread[0], rows_of_thread[1]) / (rows_of_thread[0] + rows_of_thread[1]);
  method_range("11 components", "64^2 onto sticky ground, 1 s: row-vector products by component", 0.6, 0.7, 0.01,
               products[1] / products[0], 0.0, NULL);
  method_at_most("11 components", "two threads: rows that stages give the busier one", THESIS_TWO / THESIS_ONE, busier,
                 1.0);
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Least time of two plays [s a step]. */
static double time_of(int32_t solver, int count) {
  double least = 1e9;
  cloth_method method = falling_method(solver);
  jobs *threads = jobs_open(count);
  const cloth_workers workers = {run_on_threads, threads};
  method.workers = count > 1 ? &workers : NULL;
  method.pieces = 4 * count;
  for (int n = 0; n < 2; n++) {
    const double start = seconds_now();
    play_falling(&method);
    least = fmin(least, (seconds_now() - start) / TIMED_STEPS);
  }
  jobs_close(threads);
  return least;
}

/* The table of times has no verdict: they are this machine's, in this minute. */
static int print_times(void) {
  static const struct {
    const char *name;
    int solver, threads;
    double thesis;
  } rows[] = {{"as a whole, one thread", CLOTH_SOLVER_GRADIENTS, 1, 1.0},
              {"as a whole, two threads", CLOTH_SOLVER_GRADIENTS, 2, 0.0},
              {"by component, one thread", CLOTH_SOLVER_COMPONENTS, 1, THESIS_ONE},
              {"by component, two threads", CLOTH_SOLVER_COMPONENTS, 2, THESIS_TWO}};
  double whole = 0.0;
  print_work();
  printf("%-36s %12s %22s %10s   times: no verdict\n", "the same", "ms a step", "over whole, one thread", "thesis");
  for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
    const double taken = time_of(rows[n].solver, rows[n].threads);
    char thesis[16] = "-";
    whole = n == 0 ? taken : whole;
    if (rows[n].thesis > 0.0) { snprintf(thesis, sizeof thesis, "%.2f", rows[n].thesis); }
    printf("%-36s %12.2f %22.2f %10s\n", rows[n].name, 1e3 * taken, taken / whole, thesis);
  }
  test_count_of_rows();
  return check_report();
}

int main(int count, char **arguments) {
  static const test tests[] = {TEST(solvers), TEST(laws), TEST(refusals)};
  if (count > 1 && strcmp(arguments[1], "--time") == 0) return print_times();
  return RUN_TESTS(count, arguments, tests);
}
