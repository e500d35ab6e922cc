/* Steps in pieces: the same bits for any number of pieces and of threads and in any order of the pieces, in every tier,
   and the same motion as without workers; bodies, tears, self-contact, groups, bounds, refusals.
   SPDX-License-Identifier: MIT */
#include "piece_orders.h"
#include "refusals.h"
#include "script.h"

#define COLUMNS 43
#define ROWS 38
#define FRAMES 24

enum { TIER_10, TIER_2, TIER_4, TIER_FREE, TIER_LIMITS, TIER_SPECIAL, TIER_TUBE, TIER_MASK, TIER_IMEX, TIERS };
static int tested_tier;

static const char *tier_name(int number) {
  static const char *const names[] = {"10 substeps",    "2 substeps",    "4 substeps",
                                      "nothing pinned", "strain limits", "maps and damping",
                                      "a tube",         "a hole",        "IMEX"};
  return names[number];
}

static void select_tier(int number) {
  tested_tier = number;
}

static const test_cases all_tiers = {TIER_10, TIERS, tier_name, select_tier};

static float stiffness[COLUMNS * ROWS], masses[COLUMNS * ROWS];
static uint8_t mask[COLUMNS * (ROWS - 1)];

static cloth_config tier_config(int tier) {
  cloth_config config = cloth_config_default();
  if (tier == TIER_IMEX) CHECK(cloth_config_use_imex(&config) == CLOTH_OK, "imex");
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.edge_warp = vector_at(1.2, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 1.1);
  config.substeps = tier == TIER_10 ? 10 : tier == TIER_2 ? 2 : 4;
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
  if (tier == TIER_LIMITS) config.strain_limit.max_extension = 0.1f;
  if (tier == TIER_SPECIAL) {
    for (int i = 0; i < COLUMNS * ROWS; i++) {
      stiffness[i] = 0.5f + 0.01f * (float)(i % 37);
      masses[i] = 0.8f + 0.01f * (float)(i % 41);
    }
    config.grid.stiffness_map = stiffness;
    config.grid.mass_map = masses;
    config.fabric.stretch_damping = 5.0f;
  }
  config.grid.wrap = tier == TIER_TUBE;
  if (tier == TIER_MASK) {
    memset(mask, 1, sizeof mask);
    for (int i = 200; i < 900; i += 3)
      mask[i] = i % 7 != 0;
    config.grid.cell_mask = mask;
  }
  return config;
}

typedef struct outcome {
  uint64_t hash, self_hash, work;
  cloth_reaction reaction;
  cloth_statistics statistics;
} outcome;

/* A cloth over a sphere and a floor, held by two corners until half of the time has passed. */
static fixture scene_of(const cloth_config *config, int with_colliders) {
  fixture s = fixture_make(config);
  cloth_collider ball = cloth_collider_default(), box = ball, floor = ball;
  ball.pose.position = vector_at(0.6, -0.4, 0.5);
  ball.radius = 0.3f;
  box.shape = CLOTH_SHAPE_BOX;
  box.pose.position = vector_at(1.1, -0.5, 0.9);
  floor.shape = CLOTH_SHAPE_PLANE;
  floor.pose.position = vector_at(0.0, -0.6, 0.0);
  if (with_colliders) {
    CHECK(cloth_add_collider(s.sheet, &ball) == 0 && cloth_add_collider(s.sheet, &box) == 1 &&
              cloth_add_collider(s.sheet, &floor) == 2,
          "colliders");
  }
  if (tested_tier != TIER_FREE) {
    cloth_pin(s.sheet, 0);
    cloth_pin(s.sheet, COLUMNS - 1);
  }
  return s;
}

static outcome outcome_of(const cloth *c) {
  outcome o;
  memset(&o, 0, sizeof o);
  cloth_hash(c, &o.hash);
  o.self_hash = hash_of_motion(c);
  cloth_get_statistics(c, &o.statistics);
  o.work = (uint64_t)o.statistics.work[1] << 32 | o.statistics.work[0];
  if (cloth_get_collider_reaction(c, 0, &o.reaction) != CLOTH_OK) memset(&o.reaction, 0, sizeof o.reaction);
  return o;
}

/* Plays the scene of a config with so many pieces; without a runner the calling thread does all. */
static outcome play(cloth_config config, int pieces, runner *r, int with_colliders) {
  const cloth_workers workers = {run, r};
  cloth_surroundings around;
  memset(&around, 0, sizeof around);
  around.workers = r ? &workers : NULL;
  config.capacity.workers = pieces;
  fixture s = scene_of(&config, with_colliders);
  for (int frame = 0; frame < FRAMES; frame++) {
    if (frame == FRAMES / 2 && tested_tier != TIER_FREE) cloth_release(s.sheet, COLUMNS - 1);
    const int result = cloth_step_with(s.sheet, FRAME, &around);
    CHECK(result >= 0, "a step: %s", cloth_result_name(result));
  }
  const outcome o = outcome_of(s.sheet);
  fixture_free(&s);
  return o;
}

static void expect_equal(const outcome *a, const outcome *b, const char *what, int pieces, int order) {
  CHECK(a->hash == b->hash, "%s, %d pieces, order %d: another state", what, pieces, order);
  CHECK(memcmp(&a->reaction, &b->reaction, sizeof a->reaction) == 0, "%s, %d pieces, order %d: another reaction", what,
        pieces, order);
  CHECK(memcmp(&a->statistics, &b->statistics, sizeof a->statistics) == 0, "%s, %d pieces, order %d: other statistics",
        what, pieces, order);
}

/* All numbers of pieces and all orders do what one thread does. */
static void compare_runners(const cloth_config *config, int with_colliders, const char *what) {
  static const int numbers[] = {1, 2, 3, 8, 64};
  const outcome without = play(*config, 0, NULL, with_colliders), alone = play(*config, 1, NULL, with_colliders);
  CHECK(without.self_hash == alone.self_hash, "%s: another motion than of a cloth without workers", what);
  CHECK(without.work == alone.work, "%s: other work", what);
  for (int n = 0; n < 5; n++) {
    for (int order = 0; order < ORDERS; order++) {
      runner r = {.order = order, .random = {17}};
      if (n > 0 && n < 3 && order == IN_ORDER) continue; /* a thread that takes them in order, which 8 and 64 show */
      r.threads = order == BY_THREADS ? jobs_open(3) : NULL;
      const outcome o = play(*config, numbers[n], &r, with_colliders);
      if (r.threads) jobs_close(r.threads);
      expect_equal(&o, &alone, what, numbers[n], order);
      CHECK((numbers[n] == 1) == (r.calls == 0), "%d calls for %d pieces", r.calls, numbers[n]);
      CHECK(r.most <= numbers[n], "%d pieces of %d", r.most, numbers[n]);
    }
  }
}

static void test_tiers(void) {
  const cloth_config config = tier_config(tested_tier);
  compare_runners(&config, 0, "a hanging sheet");
  compare_runners(&config, 1, "a sheet over bodies");
}

/* A sheet that is too fast leaves the world but for a pin: pieces count as many particles that are held back, and that
   are recovered, as one thread does. */
static void test_counts(void) {
  cloth_statistics first;
  int recovered[2] = {0, 0}, limited[2] = {0, 0};
  memset(&first, 0, sizeof first);
  for (int order = -1; order < ORDERS; order++) {
    runner r = {.order = order < 0 ? IN_ORDER : order, .random = {7}};
    const cloth_workers workers = {run, &r};
    const cloth_surroundings around = {.workers = order < 0 ? NULL : &workers};
    cloth_config config = tier_config(TIER_4);
    config.capacity.workers = 6;
    config.origin.x = CLOTH_POSITION_LIMIT - 1.3f;
    fixture s = fixture_make(&config);
    r.threads = order == BY_THREADS ? jobs_open(3) : NULL;
    CHECK(cloth_pin(s.sheet, 0) == CLOTH_OK, "pin");
    for (int i = 1; i < s.count; i++)
      cloth_set_particle(s.sheet, i, vector_of(position_of(s.sheet, i)), vector_at(9.0e3, 0.0, 0.0));
    for (int frame = 0; frame < 4; frame++) {
      CHECK(cloth_step_with(s.sheet, FRAME, &around) >= 0, "a step");
      const cloth_statistics now = read_statistics(s.sheet);
      recovered[order >= 0] += now.particles_recovered;
      limited[order >= 0] += now.particles_limited;
      first = frame == 0 && order < 0 ? now : first;
      CHECK(frame > 0 || memcmp(&now, &first, sizeof now) == 0, "order %d: %d recovered, %d limited; not %d, %d", order,
            now.particles_recovered, now.particles_limited, first.particles_recovered, first.particles_limited);
    }
    CHECK(order < 0 || r.most == 6, "%d pieces", r.most);
    if (r.threads) jobs_close(r.threads);
    fixture_free(&s);
  }
  CHECK(recovered[0] > 100 && limited[0] > 100, "%d particles recovered, %d limited", recovered[0], limited[0]);
  CHECK(recovered[1] == ORDERS * recovered[0] && limited[1] == ORDERS * limited[0],
        "%d recovered and %d limited in %d orders, not %d and %d in each", recovered[1], limited[1], ORDERS,
        recovered[0], limited[0]);
}

/* A grid of so many particles that the sums over contacts have parts, over many bodies, with bounds; some with a record
   of contacts, or with a ball that the sheet moves, which one thread has to sum up. */
enum { PARTS, PARTS_WITH_RECORD, PARTS_WITH_BODY };
static void compare_parts(int what) {
  static cloth_contact lists[2][4096];
  const int frames = 20;
  cloth_config config = tier_config(TIER_4);
  config.columns = 96;
  config.rows = 91;
  config.tethers.count = 1;
  config.capacity.max_shared_bodies = 4;
  config.capacity.workers = 1;
  config.capacity.max_contacts = what == PARTS_WITH_RECORD ? 4096 : 0;
  config.capacity.max_bodies = what == PARTS_WITH_BODY;
  cloth_shared_body bodies[4];
  outcome first;
  uint64_t motion = 0;
  memset(&first, 0, sizeof first);
  for (int n = 0; n < 4; n++) {
    bodies[n].collider = cloth_collider_default();
    bodies[n].collider.shape = n % 2 ? CLOTH_SHAPE_CAPSULE : CLOTH_SHAPE_BOX;
    bodies[n].collider.pose.position = vector_at(0.3 * n, -0.35 - 0.25 * (n % 2), 0.4 + 0.2 * (n % 2));
    bodies[n].previous = bodies[n].collider.pose;
  }
  for (int order = -2; order < ORDERS; order++) {
    if (what != PARTS && order >= 0 && order != BY_THREADS) continue;
    runner r = {.order = order, .random = {5}};
    const cloth_workers workers = {run, &r};
    cloth_reaction reactions[4];
    memset(reactions, 0, sizeof reactions);
    const cloth_surroundings around = {
        .bodies = bodies, .body_count = 4, .reactions = reactions, .workers = order < 0 ? NULL : &workers};
    r.threads = order == BY_THREADS ? jobs_open(2) : NULL;
    config.capacity.workers = order == -2 ? 0 : order == -1 ? 1 : 3 + order;
    tested_tier = TIER_4;
    fixture s = scene_of(&config, 1);
    if (what == PARTS_WITH_BODY) {
      const cloth_collider ball = cloth_collider_default();
      const cloth_body body = cloth_body_default(&ball, 2.0f);
      CHECK(cloth_set_body(s.sheet, 0, &body) == CLOTH_OK, "a ball");
    }
    for (int frame = 0; frame < frames; frame++)
      CHECK(cloth_step_with(s.sheet, FRAME, &around) >= 0, "a step");
    outcome o = outcome_of(s.sheet);
    CHECK(o.statistics.contacts > 150, "%d contacts", (int)o.statistics.contacts);
    if (order == -2) {
      motion = o.self_hash;
    } else {
      o.reaction.impulse = reactions[2].impulse;
      CHECK(o.self_hash == motion || what == PARTS_WITH_BODY, "another motion than without workers");
      const int count = what == PARTS_WITH_RECORD ? cloth_get_contacts(s.sheet, lists[order >= 0], 4096) : 0;
      CHECK(order < 0 || memcmp(lists[0], lists[1], (size_t)count * sizeof lists[0][0]) == 0,
            "another list of contacts");
      CHECK((count > 150) == (what == PARTS_WITH_RECORD), "%d contacts listed", count);
      if (order == -1) first = o;
      expect_equal(&o, &first, "parts", config.capacity.workers, order);
    }
    if (r.threads) jobs_close(r.threads);
    fixture_free(&s);
  }
}

static void test_parts(void) {
  for (int what = PARTS; what <= PARTS_WITH_BODY; what++)
    compare_parts(what);
}

/* What cloths do that are stepped together, touch themselves, are sewn, tear, rest on a height field and have bodies
   with mass and attachments: the same bits. */
static uint64_t play_together(int pieces, runner *r) {
  const cloth_workers workers = {run, r};
  cloth_surroundings around;
  static unsigned char heights_memory[1 << 16];
  static unsigned char memory[1 << 22];
  cloth_config config = cloth_config_default();
  float heights[16];
  const cloth_geometry *ground = NULL;
  memset(&around, 0, sizeof around);
  for (int n = 0; n < 16; n++)
    heights[n] = 0.05f * (float)(n % 3);
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_HEIGHT_FIELD);
  data.height_field = (cloth_height_data){heights, 4, 4, 1.0f, 1.0f};
  unsigned char *aligned = heights_memory + (CLOTH_ALIGNMENT - (uintptr_t)heights_memory % CLOTH_ALIGNMENT);
  CHECK(cloth_build_geometry(&data, aligned, sizeof heights_memory - CLOTH_ALIGNMENT, &ground) == CLOTH_OK, "ground");
  around.geometries = &ground;
  around.geometry_count = 1;
  around.workers = r ? &workers : NULL;
  config.columns = 24;
  config.rows = 21;
  config.self_thickness = 0.015f;
  config.substeps = 8;
  config.max_colliders = 3;
  config.tearing.max_breaks = 16;
  config.tearing.strain = 0.2f;
  config.capacity.geometry = 1;
  config.capacity.max_bodies = 1;
  config.capacity.max_attachments = 1;
  config.capacity.pin_reactions = 1;
  config.capacity.workers = pieces;
  fixture s[2];
  cloth *cloths[2];
  cloth_group group = cloth_group_default();
  for (int n = 0; n < 2; n++) {
    config.origin = vector_at(0.4 + 0.1 * n, 0.6 + 0.1 * n, 0.4);
    s[n] = fixture_make(&config);
    cloths[n] = s[n].sheet;
    cloth_collider field = cloth_collider_default(), ball = field;
    CHECK(cloth_collider_set_geometry(&field, ground, 0) == CLOTH_OK, "key");
    ball.pose.position = vector_at(0.9, 0.95, 0.9);
    ball.radius = 0.1f;
    CHECK(cloth_add_collider(cloths[n], &field) == 0 && cloth_add_collider(cloths[n], &ball) == 1, "colliders");
    const cloth_body body = cloth_body_default(&ball, 0.3f);
    CHECK(cloth_set_body(cloths[n], 1, &body) == CLOTH_OK, "body");
    cloth_pin(cloths[n], 0);
    CHECK(cloth_attach(cloths[n], 23, 1, NULL) == CLOTH_OK, "attached");
  }
  const cloth_seam seam = {{0, 20 * 24, 1, 24, NULL}, {1, 20 * 24, 1, 24, NULL}, 0};
  group.count = 2;
  group.cloths = cloths;
  group.around = &around;
  group.seam_count = 1;
  group.seams = &seam;
  unsigned char *work = memory + (CLOTH_ALIGNMENT - (uintptr_t)memory % CLOTH_ALIGNMENT);
  for (int frame = 0; frame < 30; frame++) {
    const int result = cloth_step_together(&group, FRAME, work, sizeof memory - CLOTH_ALIGNMENT);
    CHECK(result >= 0, "a step together: %s", cloth_result_name(result));
  }
  uint64_t hash = 0;
  for (int n = 0; n < 2; n++) {
    cloth_vector impulse;
    hash = (hash ^ hash_of_motion(cloths[n])) * 1099511628211u;
    CHECK(cloth_get_pin_reaction(cloths[n], 0, &impulse) == CLOTH_OK, "reaction");
    hash = (hash ^ (uint64_t)(int64_t)((double)impulse.y * 1e12)) * 1099511628211u;
    fixture_free(&s[n]);
  }
  return hash;
}

static void test_together(void) {
  const uint64_t alone = play_together(0, NULL);
  for (int order = 0; order < ORDERS; order++) {
    runner r = {.order = order, .random = {9}};
    r.threads = order == BY_THREADS ? jobs_open(2) : NULL;
    CHECK(play_together(3, &r) == alone, "order %d: another motion", order);
    CHECK(r.calls > 100, "%d calls", r.calls);
    if (r.threads) jobs_close(r.threads);
  }
}

static void test_refusals(void) {
  cloth_config config = tier_config(TIER_4);
  const cloth_workers nobody = {NULL, NULL};
  cloth_surroundings around;
  uint64_t before, after;
  memset(&around, 0, sizeof around);
  around.workers = &nobody;
  config.capacity.workers = 4;
  fixture s = fixture_make(&config);
  cloth_hash(s.sheet, &before);
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_NULL, "workers without run");
  cloth_hash(s.sheet, &after);
  CHECK(before == after, "a refused step has changed the cloth");
  fixture_free(&s);
  cloth_memory memory;
  const int bad[] = {-1, CLOTH_WORKER_LIMIT + 1};
  for (int n = 0; n < 2; n++) {
    config.capacity.workers = bad[n];
    CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_RANGE, "%d workers", bad[n]);
  }
}

/* A cloth without workers has the arena that it had; workers add what cloth.h says. */
static void test_memory(void) {
  cloth_config config = tier_config(TIER_4);
  cloth_memory without, with;
  cloth_memory_needed(&config, &without);
  for (int pieces = 1; pieces <= CLOTH_WORKER_LIMIT; pieces++) {
    config.capacity.workers = pieces;
    cloth_memory_needed(&config, &with);
    const size_t most = (size_t)(pieces - 1) * (160u * COLUMNS + 320u * (COLUMNS + 7u)) + 64u;
    CHECK(with.total_bytes >= without.total_bytes && with.total_bytes <= without.total_bytes + most, "%d: %lu more",
          pieces, (unsigned long)(with.total_bytes - without.total_bytes));
    CHECK(with.state_bytes == without.state_bytes, "another state");
  }
}

/* A save of any number of pieces is one of any other; of none it is of another config. */
static void test_saves(void) {
  cloth_config config = tier_config(TIER_4);
  static unsigned char save[1 << 18];
  const int numbers[] = {3, 5, 0};
  config.capacity.workers = 2;
  fixture s = fixture_make(&config);
  CHECK(s.memory.saved_bytes <= sizeof save, "the buffer");
  CHECK(cloth_save(s.sheet, save, sizeof save) == CLOTH_OK, "save");
  for (int n = 0; n < 3; n++) {
    config.capacity.workers = numbers[n];
    fixture other = fixture_make(&config);
    const int result = cloth_load(other.sheet, save, s.memory.saved_bytes);
    CHECK(result == (numbers[n] ? CLOTH_OK : CLOTH_ERROR_IMAGE_CONFIG), "%d: %s", numbers[n],
          cloth_result_name(result));
    fixture_free(&other);
  }
  fixture_free(&s);
}

static const test tests[] = {
    TEST_EACH(all_tiers, tiers), TEST(counts), TEST(parts), TEST(together), TEST(refusals), TEST(memory), TEST(saves),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
