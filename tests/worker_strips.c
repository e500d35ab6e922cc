/* Steps of every kind of cloth in pieces: the same bits for any number of pieces and threads and in any order of the
   pieces, whatever lies in the scratch before a step, and the motion and the work of a step without workers.
   SPDX-License-Identifier: MIT */
#include "piece_orders.h"

#define FRAMES 8
#define MOST_PARTICLES (98 * 95)

/* What a scene has beside a sheet of so many columns and rows that two corners hold. */
enum {
  KIND_SMALL,
  KIND_LARGE,
  KIND_WIDE,
  KIND_NARROW,
  KIND_LEVELS, /* whose first coarse level is shared out, too, as that of the next one */
  KIND_LEVELS_OF_TUBE,
  KIND_TUBE,
  KIND_EVEN_TUBE,
  KIND_SHORT_TUBE,
  KIND_MASK, /* from here on strips begin at rows of odd numbers, too */
  KIND_HOLE,
  KIND_TORN,
  KIND_AIR,
  KIND_MAPS,
  KIND_LIMIT,
  KIND_FREE,
  KIND_BLENDED,
  KIND_STIFF,
  KIND_VISCOUS,
  KIND_TARGETS,
  KIND_REACTIONS,
  KIND_EXPLICIT,
  KIND_BLOCKS,
  KIND_FAST,
  KINDS
};
static const struct {
  const char *name;
  int columns, rows;
} kinds[KINDS] = {{"32 x 32", 32, 32},
                  {"64 x 64", 64, 64},
                  {"86 x 21", 86, 21},
                  {"5 x 300", 5, 300},
                  {"97 x 95", 97, 95},
                  {"a tube of 98 x 95", 98, 95},
                  {"a tube of 33 x 64", 33, 64},
                  {"a tube of 34 x 40", 34, 40},
                  {"a tube of 35 x 40", 35, 40},
                  {"a mask in two pieces", 40, 37},
                  {"a hole", 40, 37},
                  {"a torn sheet", 40, 37},
                  {"air", 40, 37},
                  {"maps", 40, 37},
                  {"a strain limit", 40, 37},
                  {"free fall", 40, 37},
                  {"blended", 40, 37},
                  {"stiff", 40, 37},
                  {"viscous bending, compression", 40, 37},
                  {"targets and tethers", 40, 37},
                  {"reactions", 40, 37},
                  {"explicit", 40, 37},
                  {"blocks alone", 40, 37},
                  {"too fast", 40, 37}};

static int tested_kind;

static const char *kind_name(int number) {
  return kinds[number].name;
}

static void select_kind(int number) {
  tested_kind = number;
}

static const test_cases all_kinds = {KIND_SMALL, KINDS, kind_name, select_kind};

static float stiffness[MOST_PARTICLES], masses[MOST_PARTICLES];
static uint8_t mask[MOST_PARTICLES];

static void shape_kind(cloth_config *config, int kind) {
  const int cells = config->columns - 1;
  for (int i = 0; i < MOST_PARTICLES; i++) {
    const int column = i % cells, row = i / cells;
    stiffness[i] = 0.5f + 0.01f * (float)(i % 37);
    masses[i] = 0.8f + 0.01f * (float)(i % 41);
    mask[i] = kind == KIND_MASK ? column != cells / 2 : column < 9 || column > 20 || row < 7 || row > 18;
  }
  if (kind == KIND_MASK || kind == KIND_HOLE)
    config->grid.cell_mask = mask;
  if (kind == KIND_MAPS) {
    config->grid.stiffness_map = stiffness;
    config->grid.mass_map = masses;
  }
  config->grid.wrap =
      kind == KIND_TUBE || kind == KIND_EVEN_TUBE || kind == KIND_SHORT_TUBE || kind == KIND_LEVELS_OF_TUBE;
}

static void choose_fabric(cloth_config *config, int kind) {
  cloth_fabric *fabric = &config->fabric;
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, fabric);
  fabric->stretch_warp = fabric->stretch_weft = kind == KIND_STIFF ? 3e4f : 500.0f;
  fabric->shear = kind == KIND_STIFF ? 100.0f : 30.0f;
  if (kind == KIND_VISCOUS) {
    fabric->bend_damping = 0.05f;
    fabric->compression = fabric->shear_compression = 0.3f;
  }
  if (kind == KIND_EXPLICIT) {
    config->integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
    fabric->stretch_warp = fabric->stretch_weft = 10.0f;
    fabric->shear = 2.0f;
    fabric->bend = config->grid.min_bending_length = 0.0f;
    config->substeps = 60;
  }
}

static cloth_config kind_config(int kind) {
  cloth_config config = cloth_config_default();
  config.columns = kinds[kind].columns;
  config.rows = kinds[kind].rows;
  config.max_colliders = 0;
  config.tethers.count = kind == KIND_TARGETS || kind == KIND_LEVELS;
  config.capacity.targets = kind == KIND_TARGETS;
  config.capacity.pin_reactions = kind == KIND_REACTIONS;
  config.capacity.max_confined = 4;
  config.integration.bdf2_blend = kind == KIND_BLENDED ? 1.0f : 0.0f;
  config.strain_limit.max_extension = kind == KIND_LIMIT ? 0.01f : 0.0f;
  config.tearing.max_breaks = kind == KIND_TORN ? 40 : 0;
  config.tearing.strain = kind == KIND_TORN ? 0.05f : 0.0f;
  config.solver.preconditioner = kind == KIND_BLOCKS ? CLOTH_PRECONDITIONER_BLOCK : config.solver.preconditioner;
  config.air.density = kind == KIND_AIR || kind == KIND_FREE ? 1.2f : 0.0f;
  config.air.drag = config.air.lift = kind == KIND_AIR ? 0.5f : 0.0f;
  config.wind = vector_at(1.0, 3.0, 0.5);
  if (kind == KIND_FAST)
    config.origin.x = CLOTH_POSITION_LIMIT - 1.3f;
  shape_kind(&config, kind);
  choose_fabric(&config, kind);
  return config;
}

static void hold_to_targets(fixture *s) {
  static cloth_vector vertices[2 * MOST_PARTICLES];
  const cloth_vertex_layout layout = {2 * sizeof(cloth_vector), 0, sizeof(cloth_vector), CLOTH_ATTRIBUTE_NONE};
  cloth_motion_constraint constraint = cloth_motion_constraint_default();
  for (int i = 0; i < s->count; i++) {
    constraint.max_distance = i ? 0.05f : 0.0f;
    constraint.backstop_radius = 0.1f;
    constraint.drive = 0.5f;
    CHECK(cloth_set_motion_constraint(s->sheet, i, &constraint) == CLOTH_OK, "a motion constraint");
    cloth_get_position(s->sheet, i, &vertices[2 * i]);
    vertices[2 * i].x += 0.01f;
    vertices[2 * i + 1] = vector_at(0.6, 0.8, 0.0);
  }
  CHECK(cloth_move_targets(s->sheet, &layout, vertices, sizeof vertices) == CLOTH_OK, "targets");
}

static fixture open_kind(const cloth_config *config) {
  const int kind = tested_kind;
  fixture s = fixture_make(config);
  if (kind == KIND_TARGETS)
    hold_to_targets(&s);
  for (int i = 0; i < s.count; i++) { /* creased, and turning */
    point x = position_of(s.sheet, i);
    x.y += 0.004 * (i % 5) + 0.001 * (i % 7);
    const double speed = kind == KIND_FAST ? 9e3 : 1.0;
    const cloth_vector v = vector_at(speed * (0.2 + x.z), 0.3 * x.x, speed * 0.1 * (i % 3));
    const int result = cloth_set_particle(s.sheet, i, vector_of(x), v);
    CHECK(result == CLOTH_OK || kind == KIND_HOLE, "particle %d: %s", i, cloth_result_name(result));
  }
  if (kind != KIND_FREE) {
    cloth_pin(s.sheet, 0);
    cloth_pin(s.sheet, s.columns - 1);
  }
  if (kind == KIND_REACTIONS)
    cloth_confine_to_plane(s.sheet, s.count / 2, vector_at(1.0, 0.0, 0.0));
  return s;
}

/* What a scene comes to: the statistics are those of the last frame, but sums of what pieces count, and of torn
 * threads.
 */
typedef struct outcome {
  uint64_t motion, work;
  cloth_statistics statistics;
  point reaction;
} outcome;

/* Plays the scene with so many pieces; without a runner the calling thread does all. */
static outcome play(int pieces, runner *r) {
  const cloth_workers workers = {run, r};
  const cloth_surroundings around = {.workers = r ? &workers : NULL};
  cloth_config config = kind_config(tested_kind);
  config.capacity.workers = pieces;
  fixture s = open_kind(&config);
  outcome o;
  int limited = 0, recovered = 0, torn = 0;
  memset(&o, 0, sizeof o);
  for (int frame = 0; frame < FRAMES; frame++) {
    memset(s.arena + s.memory.scratch_offset, 0xA5, s.memory.scratch_bytes);
    const int result = cloth_step_with(s.sheet, FRAME, &around);
    CHECK(result >= 0, "a step: %s", cloth_result_name(result));
    o.statistics = read_statistics(s.sheet);
    o.work += read_work(s.sheet);
    limited += o.statistics.particles_limited;
    recovered += o.statistics.particles_recovered;
    torn += o.statistics.threads_torn;
    cloth_vector impulse = {0.0f, 0.0f, 0.0f};
    cloth_get_pin_reaction(s.sheet, 0, &impulse);
    o.reaction = point_sum(o.reaction, point_of(impulse));
  }
  o.statistics.particles_limited = limited;
  o.statistics.particles_recovered = recovered;
  o.statistics.threads_torn = torn;
  o.motion = hash_of_motion(s.sheet);
  CHECK(all_finite(s.sheet), "%s: not finite", kind_name(tested_kind));
  fixture_free(&s);
  return o;
}

static void expect_equal(const outcome *a, const outcome *b, int pieces, int order) {
  const char *name = kind_name(tested_kind);
  CHECK(a->motion == b->motion, "%s, %d pieces, order %d: another motion", name, pieces, order);
  CHECK(a->work == b->work, "%s, %d pieces, order %d: other work", name, pieces, order);
  CHECK(memcmp(&a->reaction, &b->reaction, sizeof a->reaction) == 0, "%s, %d pieces, order %d: another reaction", name,
        pieces, order);
  CHECK(memcmp(&a->statistics, &b->statistics, sizeof a->statistics) == 0, "%s, %d pieces, order %d: other statistics",
        name, pieces, order);
}

/* A scene has in it what its name says. */
static void expect_kind(const outcome *o) {
  const cloth_statistics *s = &o->statistics;
  CHECK(tested_kind != KIND_FAST || (s->particles_limited > 100 && s->particles_recovered > 100),
        "%d limited, %d recovered", s->particles_limited, s->particles_recovered);
  CHECK(tested_kind != KIND_TORN || s->threads_torn > 0, "nothing torn");
  CHECK(tested_kind != KIND_REACTIONS || point_length(o->reaction) > 0.0, "no reaction");
}

static void test_kinds(void) {
  static const int numbers[] = {1, 2, 3, 5, 7};
  const outcome alone = play(0, NULL);
  expect_kind(&alone);
  for (int n = 0; n < 5; n++) {
    const outcome without = play(numbers[n], NULL);
    expect_equal(&without, &alone, numbers[n], -1);
    for (int order = 0; order < ORDERS; order++) {
      runner r = {.order = order, .random = {17}};
      if (order == BY_THREADS && numbers[n] != 5)
        continue;
      r.threads = order == BY_THREADS ? jobs_open(3) : NULL;
      const outcome o = play(numbers[n], &r);
      if (r.threads)
        jobs_close(r.threads);
      expect_equal(&o, &alone, numbers[n], order);
      CHECK((numbers[n] == 1) == (r.calls == 0), "%d calls for %d pieces", r.calls, numbers[n]);
      CHECK(r.most <= numbers[n], "%d pieces of %d", r.most, numbers[n]);
    }
  }
}

/* A cloth without workers has the arena that it had; each piece adds row buffers, as long as there are strips. */
static void test_memory(void) {
  cloth_config config = kind_config(KIND_LARGE);
  cloth_memory without, with, last;
  cloth_memory_needed(&config, &without);
  last = without;
  for (int pieces = 1; pieces <= CLOTH_WORKER_LIMIT; pieces++) {
    config.capacity.workers = pieces;
    cloth_memory_needed(&config, &with);
    const size_t most = pieces == 1 ? 192u : 360u * (64u + 24u);
    CHECK(with.total_bytes >= last.total_bytes && with.total_bytes <= last.total_bytes + most, "%d: %lu more", pieces,
          (unsigned long)(with.total_bytes - last.total_bytes));
    CHECK(pieces <= 64 * 64 / 256 || with.total_bytes == last.total_bytes, "%d: more for no strip", pieces);
    CHECK(with.state_bytes == without.state_bytes, "another state");
    last = with;
  }
}

static const test tests[] = {TEST_EACH(all_kinds, kinds), TEST(memory)};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
