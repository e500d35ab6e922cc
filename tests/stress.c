/*
 * Random frames through the whole API, taken back and played again as a rollback does: in the same arena, in another
 * one, and in a third that gets the state as a portable image, always with garbage in the scratch span before a step.
 * Every byte of the state, every result code, reaction and statistic must come out as it did the first time.
 *
 *     stress [frames [seed]]                             (default 10000 1)
 *
 * The hash that it prints is the same on every machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support.h"

#include <inttypes.h>
#include <stdio.h>

enum { FRAMES_PER_CLOTH = 50, REPLAY_PERIOD = 5, DEEPEST = 8, MOMENTS = DEEPEST + 1 };
enum { MOST_COLUMNS = 15, MOST_ROWS = 13, MOST_COLLIDERS = 6, MOST_CALLS = 6 };

/// Random values ///

/* No two of them in one argument list: compilers differ in the order in which they evaluate arguments. */

static int chance(random_source *random, int percent) {
  return random_int(random, 1, 100) <= percent;
}

static float between(random_source *random, double low, double high) {
  return (float)random_real(random, low, high);
}

/* Mostly an ordinary number, now and then one that breaks careless code. */
static float component(random_source *random, double scale) {
  static const float odd[] = {0.0f, -0.0f, 1e-12f, -1e-20f, 1e-40f, 9.9e4f, -1e30f, NAN, INFINITY};
  if (chance(random, 3))
    return odd[random_int(random, 0, (int)(sizeof odd / sizeof *odd) - 1)];
  return between(random, -scale, scale);
}

static cloth_vector any_vector(random_source *random, double scale) {
  cloth_vector v;
  v.x = component(random, scale);
  v.y = component(random, scale);
  v.z = component(random, scale);
  return v;
}

static cloth_rotation any_rotation(random_source *random) {
  double x = random_int(random, -3, 3), y = random_int(random, -3, 3), z = random_int(random, -3, 3);
  double w = random_int(random, chance(random, 2) ? 0 : 1, 3);
  double scale = 1.0 / sqrt(x * x + y * y + z * z + w * w);
  cloth_rotation r = {(float)(x * scale), (float)(y * scale), (float)(z * scale), (float)(w * scale)};
  return r;
}

static cloth_pose any_pose(random_source *random) {
  cloth_pose pose;
  pose.position = any_vector(random, 0.8);
  pose.rotation = any_rotation(random);
  return pose;
}

/* Dimensions that a shape does not have may be anything. */
static cloth_collider any_collider(random_source *random) {
  cloth_collider body = cloth_collider_default();
  body.shape = chance(random, 3) ? 99 : random_int(random, CLOTH_SHAPE_PLANE, CLOTH_SHAPE_CYLINDER);
  body.pose = any_pose(random);
  body.pose.position.y -= body.shape == CLOTH_SHAPE_PLANE ? 0.8f : 0.0f;
  body.radius = component(random, 0.15) + 0.2f;
  body.radius_top = component(random, 0.15) + 0.2f;
  body.half_height = component(random, 0.2) + 0.4f;
  body.half_extents = any_vector(random, 0.1);
  body.half_extents.x += 0.15f;
  body.half_extents.y += 0.15f;
  body.half_extents.z += 0.15f;
  body.static_friction = between(random, 0.0, 1.2);
  body.kinetic_friction = body.static_friction * between(random, 0.0, 1.02);
  return body;
}

static float any_time_step(random_source *random) {
  static const float refused[] = {0.0f, -0.0f, -1.0f, 1e-7f, 1.1f, NAN, INFINITY};
  int kind = random_int(random, 1, 100);
  if (kind <= 70)
    return 1.0f / 60.0f;
  if (kind <= 90)
    return chance(random, 50) ? 1.0f / 30.0f : 1.0f / 120.0f;
  if (kind <= 95)
    return 1.0f / (float)(1 << random_int(random, 0, 19));
  return kind <= 98 ? between(random, 1e-3, 0.1) : refused[random_int(random, 0, 6)];
}

/// Calls ///

static int32_t any_particle(const cloth *sheet, random_source *random) {
  cloth_vector_view x;
  cloth_get_positions(sheet, &x);
  return chance(random, 2) ? -1 : random_int(random, 0, chance(random, 2) ? x.count : x.count - 1);
}

static int call_gravity(cloth *sheet, random_source *random) {
  return cloth_set_gravity(sheet, any_vector(random, 10.0));
}

static int call_wind(cloth *sheet, random_source *random) {
  return cloth_set_wind(sheet, any_vector(random, 10.0));
}

static int call_fabric(cloth *sheet, random_source *random) {
  cloth_fabric fabric = cloth_config_default().fabric;
  if (chance(random, 40))
    cloth_fabric_preset((cloth_fabric_kind)random_int(random, CLOTH_FABRIC_SILK, CLOTH_FABRIC_POLYESTER), &fabric);
  fabric.compression = chance(random, 30) ? between(random, 0.0, 1.0) : fabric.compression;
  fabric.shear_compression = chance(random, 30) ? between(random, 0.0, 1.0) : fabric.shear_compression;
  fabric.stretch_warp *= chance(random, 10) ? component(random, 2.0) : 1.0f;
  fabric.bend *= chance(random, 10) ? component(random, 1e5) : 1.0f;
  fabric.bend_damping *= chance(random, 10) ? component(random, 1e4) : 1.0f;
  return cloth_set_fabric(sheet, &fabric);
}

static int call_pin(cloth *sheet, random_source *random) {
  return cloth_pin(sheet, any_particle(sheet, random));
}

static int call_pin_velocity(cloth *sheet, random_source *random) {
  int32_t particle = any_particle(sheet, random);
  if (chance(random, 80))
    cloth_pin(sheet, particle);
  return cloth_set_pin_velocity(sheet, particle, any_vector(random, 1.0));
}

static int call_pin_target(cloth *sheet, random_source *random) {
  int32_t particle = any_particle(sheet, random);
  if (chance(random, 80))
    cloth_pin(sheet, particle);
  cloth_vector target = any_vector(random, 0.7);
  return cloth_move_pin(sheet, particle, target);
}

static int call_line(cloth *sheet, random_source *random) {
  int32_t particle = any_particle(sheet, random);
  return cloth_confine_to_line(sheet, particle, any_vector(random, 1.0));
}

static int call_plane(cloth *sheet, random_source *random) {
  int32_t particle = any_particle(sheet, random);
  return cloth_confine_to_plane(sheet, particle, any_vector(random, 1.0));
}

/* Several at once, so that the cloth does not end up pinned all over. */
static int call_release(cloth *sheet, random_source *random) {
  int result = CLOTH_OK;
  for (int i = 0; i < 6 && result >= 0; i++)
    result = cloth_release(sheet, any_particle(sheet, random));
  return result;
}

/* Now and then on the way out of the world. */
static int call_particle(cloth *sheet, random_source *random) {
  int32_t particle = any_particle(sheet, random);
  cloth_vector position = any_vector(random, 0.6), velocity = any_vector(random, 2.0);
  if (chance(random, 1)) {
    position.x = 0.9999f * CLOTH_POSITION_LIMIT;
    velocity.x = position.x;
  }
  return cloth_set_particle(sheet, particle, position, velocity);
}

static int call_impulse(cloth *sheet, random_source *random) {
  int32_t particle = any_particle(sheet, random);
  return cloth_apply_impulse(sheet, particle, any_vector(random, 0.01));
}

static int call_add(cloth *sheet, random_source *random) {
  cloth_collider body = any_collider(random);
  return cloth_add_collider(sheet, &body);
}

static int call_set(cloth *sheet, random_source *random) {
  cloth_collider body = any_collider(random);
  return cloth_set_collider(sheet, random_int(random, 0, 2), &body);
}

static int call_move(cloth *sheet, random_source *random) {
  cloth_pose previous = any_pose(random), current = any_pose(random);
  int32_t index = random_int(random, 0, 2);
  return cloth_move_collider(sheet, index, chance(random, 30) ? &previous : NULL, &current);
}

static int call_remove(cloth *sheet, random_source *random) {
  return cloth_remove_collider(sheet, random_int(random, 0, 4));
}

typedef struct call {
  const char *name;
  int (*make)(cloth *sheet, random_source *random);
  int accepted, refused;
} call;

static call calls[] = {{"cloth_set_gravity", call_gravity, 0, 0},
                       {"cloth_set_wind", call_wind, 0, 0},
                       {"cloth_set_fabric", call_fabric, 0, 0},
                       {"cloth_pin", call_pin, 0, 0},
                       {"cloth_set_pin_velocity", call_pin_velocity, 0, 0},
                       {"cloth_move_pin", call_pin_target, 0, 0},
                       {"cloth_confine_to_line", call_line, 0, 0},
                       {"cloth_confine_to_plane", call_plane, 0, 0},
                       {"cloth_release", call_release, 0, 0},
                       {"cloth_set_particle", call_particle, 0, 0},
                       {"cloth_apply_impulse", call_impulse, 0, 0},
                       {"cloth_add_collider", call_add, 0, 0},
                       {"cloth_set_collider", call_set, 0, 0},
                       {"cloth_move_collider", call_move, 0, 0},
                       {"cloth_remove_collider", call_remove, 0, 0}};
enum { CALLS = (int)(sizeof calls / sizeof *calls) };

static int make_call(cloth *sheet, random_source *random) {
  call *chosen = &calls[random_int(random, 0, CALLS - 1)];
  int result = chosen->make(sheet, random);
  chosen->accepted += result >= 0;
  chosen->refused += result < 0;
  return result;
}

/// A frame ///

/* What one can see of a frame beside the state: result codes, statistics and reactions, by words. */
static uint64_t with_word(uint64_t trace, uint32_t word) {
  return (trace ^ word) * UINT64_C(0x100000001b3);
}

static uint64_t with_words(uint64_t trace, const void *data, size_t bytes) {
  for (size_t i = 0; i + sizeof(uint32_t) <= bytes; i += sizeof(uint32_t)) {
    uint32_t word;
    memcpy(&word, (const char *)data + i, sizeof word);
    trace = with_word(trace, word);
  }
  return trace;
}

static uint64_t with_results(uint64_t trace, const cloth *sheet) {
  cloth_statistics statistics;
  cloth_get_statistics(sheet, &statistics);
  trace = with_words(trace, &statistics, offsetof(cloth_statistics, ticks));
  for (int i = 0; i < MOST_COLLIDERS; i++) {
    cloth_reaction reaction;
    if (cloth_get_collider_reaction(sheet, i, &reaction) == CLOTH_OK)
      trace = with_words(trace, &reaction, sizeof reaction);
  }
  return trace;
}

static int notes_seen, steps_refused;

/* A frame as it is played: what its calls still draw from, and what was seen of it. */
typedef struct course {
  random_source random;
  uint64_t trace;
} course;

static course make_calls(cloth *sheet, uint64_t seed) {
  course frame = {{seed}, UINT64_C(0xcbf29ce484222325)};
  for (int i = random_int(&frame.random, 0, MOST_CALLS); i > 0; i--)
    frame.trace = with_word(frame.trace, (uint32_t)make_call(sheet, &frame.random));
  return frame;
}

/* Poison, if any, fills the scratch span first. Returns the trace of the whole frame. */
static uint64_t make_step(fixture *s, course frame, random_source *poison) {
  /* Random bytes, or all ones: those are floats that are no numbers. */
  int ones = poison && random_bits(poison) % 2 == 0;
  for (size_t i = 0; poison && i < s->memory.scratch_bytes; i++)
    s->arena[s->memory.scratch_offset + i] = ones ? 0xff : (unsigned char)random_bits(poison);
  int result = cloth_step(s->sheet, any_time_step(&frame.random));
  notes_seen |= result > 0 ? result : 0;
  steps_refused += result < 0;
  frame.trace = with_word(frame.trace, (uint32_t)result);
  return result < 0 ? frame.trace : with_results(frame.trace, s->sheet);
}

/// A cloth and its copies ///

typedef struct moment {
  unsigned char *saved; /* before the frame */
  uint64_t hash;        /* likewise */
  uint64_t seed;        /* of the frame's calls */
  uint64_t trace;       /* of the frame */
} moment;

/* `original` lives through the frames; `elsewhere` is fed by cloth_load(), `abroad` by cloth_read_image(). */
typedef struct trial {
  int number;
  fixture original, elsewhere, abroad;
  moment moments[MOMENTS]; /* by frame, modulo */
  unsigned char *saved, *image;
  random_source seeds, poison;
  uint64_t summary; /* of all states */
} trial;

static float maps[2][MOST_COLUMNS * MOST_ROWS];
static cloth_vector positions[MOST_COLUMNS * MOST_ROWS];

static void place_with_noise(cloth_config *config, random_source *random) {
  for (int i = 0; i < config->columns * config->rows; i++) {
    double u = (double)(i % config->columns) / (config->columns - 1);
    double v = (double)(i / config->columns) / (config->rows - 1);
    positions[i] = vector_at(u - 0.5, 0.3 + random_real(random, -0.02, 0.02), v - 0.5);
  }
  config->grid.positions = positions;
}

static void choose_maps(cloth_config *config, random_source *random) {
  for (int i = 0; i < MOST_COLUMNS * MOST_ROWS; i++) {
    maps[0][i] = between(random, 0.2, 5.0);
    maps[1][i] = between(random, 0.0, 3.0);
  }
  config->grid.mass_map = chance(random, 30) ? maps[0] : NULL;
  config->grid.stiffness_map = chance(random, 30) ? maps[1] : NULL;
}

static void choose_solver(cloth_config *config, random_source *random) {
  static const int iterations[] = {1, 4, 4, 20};
  static const float limits[] = {0.0f, 0.05f, 0.1f};
  config->integration.method = (int32_t)random_int(random, 0, CLOTH_INTEGRATION_EXPLICIT);
  config->grid.min_bending_length = chance(random, 50) ? 1.0f : between(random, 0.0, 4.0);
  config->solver.preconditioner = (int32_t)random_int(random, 0, CLOTH_PRECONDITIONER_MULTILEVEL);
  config->solver.max_iterations = iterations[random_int(random, 0, 3)];
  config->strain_limit.max_extension = limits[random_int(random, 0, 2)];
}

/* With as many substeps as it takes, or most steps would be refused. */
static void choose_explicit_only(cloth_config *config) {
  config->integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config->substeps = 0;
  config->integration.max_substeps = 64;
}

/* Either scheme, and what lies between them. */
static void choose_tiers(cloth_config *config, random_source *random) {
  use_two_tiers(config);
  if (chance(random, 40))
    return;
  use_projection(config);
  config->integration.explicit_threshold = chance(random, 20) ? between(random, 0.0, 0.5) : 0.2f;
  config->integration.bdf2_blend = chance(random, 20) ? 0.0f : between(random, 0.0, 1.0);
  config->tethers.count = random_int(random, 0, 2);
  config->tethers.scale = chance(random, 50) ? 1.0f : between(random, 0.5, 2.0);
}

static cloth_config choose_config(random_source *random) {
  static const int substeps[] = {0, 0, 1, 2, 4, 7};
  cloth_config config = cloth_config_default();
  config.columns = random_int(random, 2, MOST_COLUMNS);
  config.rows = random_int(random, 2, MOST_ROWS);
  config.origin = vector_at(-0.5, 0.3, -0.5);
  config.edge_warp.x = between(random, 0.4, 1.2);
  config.edge_warp.z = between(random, -0.2, 0.2);
  config.substeps = substeps[random_int(random, 0, 5)];
  config.integration.max_substeps = random_int(random, 1, 12);
  config.integration.max_speed = chance(random, 20) ? 3.0f : 300.0f;
  config.air.drag = between(random, 0.0, 1.5);
  config.air.lift = between(random, 0.0, 1.5);
  config.air.normal_drag = chance(random, 50) ? 0.0f : between(random, 0.0, 1.5);
  config.thickness = chance(random, 20) ? 0.0f : 0.01f;
  config.max_colliders = random_int(random, 0, MOST_COLLIDERS);
  config.capacity.max_confined = random_int(random, 0, 5);
  choose_tiers(&config, random);
  choose_solver(&config, random);
  if (chance(random, 15))
    choose_explicit_only(&config);
  choose_maps(&config, random);
  if (chance(random, 30))
    place_with_noise(&config, random);
  if (config.columns >= 5 && chance(random, 25)) {
    config.grid.wrap = 1;
    config.edge_weft = vector_at(-(double)config.edge_warp.z, 0.0, (double)config.edge_warp.x);
  }
  return config;
}

static unsigned char *must_allocate(size_t bytes) {
  unsigned char *memory = malloc(bytes);
  if (memory == NULL) {
    printf("out of memory\n");
    exit(2);
  }
  return memory;
}

static void trial_open(trial *t, int number, uint64_t seed) {
  random_source random = {seed};
  cloth_config config = choose_config(&random);
  t->number = number;
  t->original = fixture_make(&config);
  t->elsewhere = fixture_make(&config);
  t->abroad = fixture_make(&config);
  t->seeds.state = random_bits(&random);
  t->poison.state = random_bits(&random);
  t->saved = must_allocate(t->original.memory.saved_bytes);
  t->image = must_allocate(t->original.memory.image_bytes);
  for (int i = 0; i < MOMENTS; i++)
    t->moments[i].saved = must_allocate(t->original.memory.saved_bytes);
}

static void trial_close(trial *t) {
  fixture_free(&t->original);
  fixture_free(&t->elsewhere);
  fixture_free(&t->abroad);
  free(t->saved);
  free(t->image);
  for (int i = 0; i < MOMENTS; i++)
    free(t->moments[i].saved);
}

static moment *moment_at(trial *t, int frame) {
  return &t->moments[frame % MOMENTS];
}

/// Going back ///

static int frames_replayed;

static void save_moment(trial *t, int frame) {
  moment *now = moment_at(t, frame);
  int result = cloth_save(t->original.sheet, now->saved, t->original.memory.saved_bytes);
  CHECK(result == CLOTH_OK, "cloth %d, frame %d: cloth_save: %s", t->number, frame, cloth_result_name(result));
  cloth_hash(t->original.sheet, &now->hash);
  now->seed = random_bits(&t->seeds);
  t->summary = with_word(t->summary, cloth_hash_fold(now->hash));
}

/* Is the state what it was before this frame? */
static int check_moment(trial *t, fixture *s, int frame) {
  const moment *then = moment_at(t, frame);
  size_t bytes = s->memory.saved_bytes;
  uint64_t hash = 0;
  cloth_hash(s->sheet, &hash);
  cloth_save(s->sheet, t->saved, bytes);
  int failures = check_failed;
  CHECK(hash == then->hash, "cloth %d, frame %d: hash %016" PRIx64 " instead of %016" PRIx64, t->number, frame, hash,
        then->hash);
  CHECK(memcmp(t->saved, then->saved, bytes) == 0, "cloth %d, frame %d: other bytes", t->number, frame);
  return failures == check_failed;
}

/* Takes the step of a frame whose calls have been made. Returns 1 if all is as it was the first time. */
static int finish_frame(trial *t, fixture *s, int frame, course calls_made) {
  uint64_t trace = make_step(s, calls_made, &t->poison);
  CHECK(trace == moment_at(t, frame)->trace, "cloth %d, frame %d: other results, statistics or reactions", t->number,
        frame);
  frames_replayed++;
  return check_moment(t, s, frame + 1);
}

static void replay(trial *t, fixture *s, int from, int to) {
  int equal = check_moment(t, s, from);
  for (int frame = from; frame < to && equal; frame++)
    equal = finish_frame(t, s, frame, make_calls(s->sheet, moment_at(t, frame)->seed));
}

static void load_moment(trial *t, fixture *s, int frame) {
  int result = cloth_load(s->sheet, moment_at(t, frame)->saved, s->memory.saved_bytes);
  CHECK(result == CLOTH_OK, "cloth %d, frame %d: cloth_load: %s", t->number, frame, cloth_result_name(result));
}

static void carry_abroad(trial *t, const fixture *from, int frame) {
  size_t bytes = from->memory.image_bytes;
  int result = cloth_write_image(from->sheet, t->image, bytes);
  CHECK(result == CLOTH_OK, "cloth %d, frame %d: cloth_write_image: %s", t->number, frame, cloth_result_name(result));
  result = cloth_read_image(t->abroad.sheet, t->image, bytes);
  CHECK(result == CLOTH_OK, "cloth %d, frame %d: cloth_read_image: %s", t->number, frame, cloth_result_name(result));
}

static void replay_in_place(trial *t, fixture *s, int from, int to) {
  load_moment(t, s, from);
  replay(t, s, from, to);
}

/* The image is taken in the middle of a frame: after its calls, before its step. */
static void replay_abroad(trial *t, int from, int to) {
  load_moment(t, &t->elsewhere, from);
  course calls_made = make_calls(t->elsewhere.sheet, moment_at(t, from)->seed);
  carry_abroad(t, &t->elsewhere, from);
  if (finish_frame(t, &t->abroad, from, calls_made))
    replay(t, &t->abroad, from + 1, to);
}

/* The original comes out of this as it went in, or the test has failed. */
static void go_back(trial *t, int frame) {
  int from = frame - random_int(&t->seeds, 1, frame < DEEPEST ? frame : DEEPEST);
  replay_in_place(t, &t->original, from, frame);
  replay_in_place(t, &t->elsewhere, from, frame);
  replay_abroad(t, from, frame);
}

static uint64_t run_trial(int number, int frames, uint64_t seed) {
  static trial t;
  int failures = check_failed;
  memset(&t, 0, sizeof t);
  trial_open(&t, number, seed);
  save_moment(&t, 0);
  for (int frame = 0; frame < frames && failures == check_failed; frame++) {
    course calls_made = make_calls(t.original.sheet, moment_at(&t, frame)->seed);
    moment_at(&t, frame)->trace = make_step(&t.original, calls_made, NULL);
    save_moment(&t, frame + 1);
    if ((frame + 1) % REPLAY_PERIOD == 0)
      go_back(&t, frame + 1);
  }
  CHECK(all_finite(t.original.sheet), "cloth %d: a number that is not finite", number);
  trial_close(&t);
  return t.summary;
}

/// Report ///

/* That the random calls reach what they are meant to reach. */
static void check_coverage(void) {
  static const int notes = CLOTH_NOTE_MADE_IMPLICIT | CLOTH_NOTE_SPEED_LIMITED | CLOTH_NOTE_RECOVERED;
  for (int i = 0; i < CALLS; i++) {
    CHECK(calls[i].accepted > 0, "%s was never accepted", calls[i].name);
    CHECK(calls[i].refused > 0, "%s was never refused", calls[i].name);
    printf("%-24s %7d accepted %7d refused\n", calls[i].name, calls[i].accepted, calls[i].refused);
  }
  CHECK((notes_seen & notes) == notes, "only the notes %d were seen", notes_seen);
  CHECK(steps_refused > 0, "no step was refused");
}

static int frames = 10000;
static random_source seeds = {1};

static void test_random_frames(void) {
  uint64_t summary = 0;
  for (int played = 0, number = 0; played < frames; played += FRAMES_PER_CLOTH, number++) {
    int left = frames - played < FRAMES_PER_CLOTH ? frames - played : FRAMES_PER_CLOTH;
    summary = summary * 31 + run_trial(number, left, random_bits(&seeds));
  }
  if (frames >= 2000)
    check_coverage();
  printf("%d frames, %d played again; notes %d, steps refused %d; hash of all states %016" PRIx64 "\n", frames,
         frames_replayed, notes_seen, steps_refused, summary);
}

static const test tests[] = {
    TEST(random_frames),
};

int main(int count, char **arguments) {
  if (count > 1 && arguments[1][0] >= '0' && arguments[1][0] <= '9') {
    frames = atoi(arguments[1]);
    seeds.state = count > 2 ? (uint64_t)atoi(arguments[2]) : 1;
    count = 1;
  }
  return RUN_TESTS(count, arguments, tests);
}
