/*
 * The methods of examples/methods in pieces: the bits are those of one thread for any number of pieces, in any order,
 * on any threads.
 *
 * Includes the source: the sheets are looked at from inside.
 */

#include "../examples/methods/methods.c"

#include "method_rows.h"
#include "piece_threads.h"
#include "schemes.h"

#include <math.h>

#define SIDE 33 /* of the sheets that are compared: a number that no piece and no width of lanes divides */
#define STEPS 6

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

int main(int count, char **arguments) {
  static const test tests[] = {TEST(solvers), TEST(laws), TEST(refusals)};
  return RUN_TESTS(count, arguments, tests);
}
