/* Cloths that are stepped together: scenes in which they meet, with the intersections counted in double precision in
   every frame; momentum, sleep, work, refusals. More scenes: folds/. SPDX-License-Identifier: MIT */
#include "self_scenes.h"

/// Scenes ///

/* A scene and what is to be reached: intersections a frame in the mean, and in the mean of the last 30 frames. */
typedef struct group_goal {
  self_kind kind;
  int n, substeps;
  double speed, friction; /* of the shot [m/s]; of cloth on cloth */
  double mean, rest;
} group_goal;

static const group_goal goals[] = {
    {SELF_STACK, 20, 10, 0, 0.3, 0, 0}, {SELF_SLOPE, 24, 10, 0, 0.3, 0, 0}, {SELF_SLOPE, 24, 10, 0, 0.5, 0, 0},
    {SELF_SHOT, 24, 4, 20, 0.3, 1, 0},  {SELF_SHOT, 24, 10, 40, 0.3, 1, 0}, {SELF_SHOT, 24, 2, 60, 0.3, 0, 0},
    {SELF_SHOT, 24, 4, 90, 0.3, 0, 0},
};

#define GOALS (sizeof goals / sizeof goals[0])

static self_result play_goal(const group_goal *goal, double thickness) {
  self_scene s = {goal->kind, goal->n, goal->substeps, goal->speed};
  play_options o;
  memset(&o, 0, sizeof o);
  o.thickness = thickness;
  o.friction = goal->friction;
  o.pairs = 8;
  return play_self_scene(&s, &o);
}

/* How far the small sheet of the slope has to slide: down 20 degrees in half a second, after its fall of half a
   millimetre [m]. */
static double sliding_distance(double friction) {
  const double angle = 3.14159265358979 / 9;
  return fmax(0.0, 0.5 * 9.81 * (sin(angle) - friction * cos(angle)) * 0.25);
}

/* Does what slides go as far as it should, to 1 % and 1 mm, and does nothing that is thrown pass? */
static int is_moved_right(const group_goal *goal, const self_result *r) {
  double way = sliding_distance(goal->friction);
  if (goal->kind == SELF_SLOPE) return fabs(r->moved - way) <= 0.08 * way + 0.001;
  return goal->kind != SELF_SHOT || r->passed == 0;
}

static int is_reached(const group_goal *goal, const self_result *r) {
  return r->mean <= goal->mean && r->rest <= goal->rest;
}

/// A group under test ///

enum { MEMBERS = 3 };

typedef struct assembly {
  int count;
  fixture f[MEMBERS];
  cloth *sheets[MEMBERS];
  cloth_group group;
  unsigned char *allocation, *memory;
  size_t bytes;
} assembly;

/* A sheet of n x n particles, 30 mm apart, that lies at a height and feels itself and others. */
static cloth_config sheet_config(int n, double height) {
  cloth_config config = cloth_config_default();
  double side = 0.03 * (n - 1);
  config.columns = config.rows = n;
  config.edge_warp = vector_at(side, 0, 0);
  config.edge_weft = vector_at(0, 0, side);
  config.origin = vector_at(-0.5 * side, height, -0.5 * side);
  config.substeps = 8;
  config.self_thickness = 0.01f;
  return config;
}

/* The addresses in the group are those of the assembly, which must not move. */
static void assemble(assembly *a, int count, const cloth_config *configs) {
  memset(a, 0, sizeof *a);
  a->count = count;
  for (int i = 0; i < count; i++) {
    a->f[i] = fixture_make(&configs[i]);
    a->sheets[i] = a->f[i].sheet;
  }
  a->group = cloth_group_default();
  a->group.cloths = a->sheets;
  a->group.count = count;
  CHECK(cloth_group_bytes(&a->group, &a->bytes) == CLOTH_OK, "cloth_group_bytes");
  a->memory = guarded_buffer(a->bytes, 0, &a->allocation);
}

static void disassemble(assembly *a) {
  CHECK(guards_intact(a->memory, a->bytes), "bytes outside the memory of the group were written");
  for (int i = 0; i < a->count; i++)
    fixture_free(&a->f[i]);
  free(a->allocation);
}

/* What lies in the memory before a step must not matter. */
static int step_assembly(assembly *a, int steps) {
  int notes = 0;
  for (int n = 0; n < steps; n++) {
    memset(a->memory, 0x37 + n, a->bytes);
    int result = cloth_step_together(&a->group, FRAME, a->memory, a->bytes);
    CHECK(result >= 0, "cloth_step_together: %s", cloth_result_name(result));
    notes |= result;
  }
  return notes;
}

static uint64_t hash_assembly(const assembly *a) {
  uint64_t hash = 0;
  for (int i = 0; i < a->count; i++)
    hash = hash * 31 + read_hash(a->sheets[i]);
  return hash;
}

static void add_plane(assembly *a, double height) {
  for (int i = 0; i < a->count; i++)
    self_add_floor(a->sheets[i], height);
}

static point mean_position(const cloth *sheet, int count) {
  point sum = {0, 0, 0};
  for (int i = 0; i < count; i++)
    sum = point_sum(sum, point_scaled(position_of(sheet, i), 1.0 / count));
  return sum;
}

static point mean_velocity(const cloth *sheet, int count) {
  point sum = {0, 0, 0};
  for (int i = 0; i < count; i++)
    sum = point_sum(sum, point_scaled(velocity_of(sheet, i), 1.0 / count));
  return sum;
}

static point sheet_momentum(const fixture *f) {
  point sum = {0, 0, 0};
  for (int i = 0; i < f->count; i++)
    sum = point_sum(sum, point_scaled(velocity_of(f->sheet, i), particle_mass(f, i)));
  return sum;
}

static void throw_sheet(cloth *sheet, int count, cloth_vector velocity) {
  for (int i = 0; i < count; i++)
    cloth_set_particle(sheet, i, vector_of(position_of(sheet, i)), velocity);
}

static double lowest_of(const cloth *sheet) {
  cloth_vector low, high;
  cloth_get_bounds(sheet, &low, &high);
  return (double)low.y;
}

/// Tests ///

static void test_scenes(void) {
  for (size_t i = 0; i < GOALS; i++) {
    const group_goal *goal = &goals[i];
    self_result r = play_goal(goal, SELF_SHARE);
    const char *name = self_kind_names[goal->kind];
    CHECK(is_reached(goal, &r), "%s %d: %g intersections a frame, %g at rest", name, goal->n, r.mean, r.rest);
    CHECK(is_moved_right(goal, &r), "%s %d: moved %g m, %d passed", name, goal->n, r.moved, r.passed);
    CHECK(r.gap >= 0.9 * SELF_SHARE, "%s: layers are %g spacings apart", name, r.gap);
    CHECK(r.dropped == 0, "%s: %ld candidates dropped", name, r.dropped);
    CHECK(!(r.notes & CLOTH_NOTE_RECOVERED), "%s: notes %d", name, r.notes);
  }
}

/* Sheets that lie in each other's way pass through each other where an exception says so, and not otherwise. */
static void test_exceptions(void) {
  for (int passes = 0; passes < 2; passes++) {
    cloth_config configs[2] = {sheet_config(12, 0), sheet_config(8, 0.05)};
    assembly a;
    assemble(&a, 2, configs);
    for (int i = 0; i < a.f[0].count; i++)
      cloth_pin(a.sheets[0], i);
    const cloth_group_pair exceptions[2] = {{0, 1, 0.02f, 0.1f}, {1, 0, passes ? 0.0f : 0.012f, 0.5f}};
    a.group.exceptions = exceptions;
    a.group.exception_count = 2;
    step_assembly(&a, 40);
    double low = lowest_of(a.sheets[1]);
    if (passes)
      CHECK(low < -0.5, "stays at %g", low);
    else
      CHECK(low > 0.8 * 0.012 && low < 0.0125, "rests at %g, not at the last exception's 0.012", low);
    disassemble(&a);
  }
}

/* How far above a pinned sheet the lowest particle of another one is after a second, of which each particle begins over
   the middle of a cell [m]. */
static double rest_over_cells(const int32_t shapes[2]) {
  cloth_config configs[2] = {sheet_config(12, 0), sheet_config(5, 0.03)};
  for (int i = 0; i < 2; i++)
    configs[i].self.shape = shapes[i];
  assembly a;
  assemble(&a, 2, configs);
  for (int i = 0; i < a.f[0].count; i++)
    cloth_pin(a.sheets[0], i);
  step_assembly(&a, 60);
  const double low = lowest_of(a.sheets[1]);
  disassemble(&a);
  return low;
}

/* Two cloths touch as spheres where both are set so, and otherwise as triangles: where particles lie over cells
   that are wider than they are, spheres fall through. */
static void test_shapes(void) {
  enum { TRIANGLES = CLOTH_SELF_TRIANGLES, SPHERES = CLOTH_SELF_SPHERES };
  static const int32_t shapes[4][2] = {
      {TRIANGLES, TRIANGLES}, {TRIANGLES, SPHERES}, {SPHERES, TRIANGLES}, {SPHERES, SPHERES}};
  for (int n = 0; n < 4; n++) {
    const double low = rest_over_cells(shapes[n]) / 0.01;
    if (n < 3)
      CHECK(low > 0.97 && low < 1.01, "case %d: rests %g thicknesses above the other", n, low);
    else
      CHECK(low < -1, "spheres rest %g thicknesses above the other", low);
  }
}

/* A group of one does what a step does, statistics included. */
static void test_single(void) {
  const self_scene scene = {SELF_LINE, 17, 6, 0};
  const play_options options = {.thickness = SELF_SHARE, .friction = 0.3};
  self_stage p, q;
  describe_self(&p, &scene);
  describe_self(&q, &scene);
  build_self(&p, &options, 1);
  build_self(&q, &options, 1);
  cloth_group group = group_of(&q);
  size_t bytes;
  unsigned char *allocation;
  CHECK(cloth_group_bytes(&group, &bytes) == CLOTH_OK, "cloth_group_bytes");
  unsigned char *memory = guarded_buffer(bytes, 1, &allocation);
  int touches = 0;
  for (int frame = 0; frame < 90; frame++) {
    int expected = cloth_step(p.sheets[0], FRAME);
    int result = cloth_step_together(&group, FRAME, memory, bytes);
    CHECK(result == expected, "frame %d: %d instead of %d", frame, result, expected);
    cloth_statistics s = read_statistics(p.sheets[0]), t = read_statistics(q.sheets[0]);
    cloth_self_statistics u, v;
    cloth_get_self_statistics(p.sheets[0], &u);
    cloth_get_self_statistics(q.sheets[0], &v);
    CHECK(memcmp(&s, &t, sizeof s) == 0, "frame %d: other statistics", frame);
    CHECK(memcmp(&u, &v, sizeof u) == 0, "frame %d: other statistics of self-contact", frame);
    CHECK(same_state(&p.f[0], &q.f[0]), "frame %d: another state", frame);
    touches += u.pairs;
  }
  CHECK(touches > 100, "%d contacts", touches);
  free(allocation);
  fixture_free(&p.f[0]);
  fixture_free(&q.f[0]);
}

/* Cloths of equal masses that do not meet have the bits of steps of their own. */
static void test_apart(void) {
  cloth_config configs[2] = {sheet_config(9, 0), sheet_config(11, 0.7)};
  assembly a;
  fixture alone[2];
  assemble(&a, 2, configs);
  for (int i = 0; i < 2; i++) {
    alone[i] = fixture_make(&configs[i]);
    cloth_pin(alone[i].sheet, 0);
    cloth_pin(a.sheets[i], 0);
  }
  for (int frame = 0; frame < 15; frame++) {
    step_assembly(&a, 1);
    for (int i = 0; i < 2; i++) {
      run_steps(alone[i].sheet, 1, FRAME);
      CHECK(same_state(&a.f[i], &alone[i]), "frame %d: cloth %d differs from a step of its own", frame, i);
    }
  }
  for (int i = 0; i < 2; i++)
    fixture_free(&alone[i]);
  disassemble(&a);
}

/* Two free sheets of different masses, grids and maps meet, without anything else that acts: momentum is kept. */
static void test_momentum(void) {
  static float map[100];
  for (int i = 0; i < 100; i++)
    map[i] = 0.5f + (float)(i % 3);
  cloth_config configs[2] = {sheet_config(14, 0), sheet_config(10, 0.04)};
  for (int i = 0; i < 2; i++) {
    configs[i].gravity = vector_at(0, 0, 0);
    configs[i].air.density = 0;
    configs[i].integration.velocity_damping = 0;
    configs[i].integration.rest_drag = 0;
  }
  configs[0].fabric.density = 0.1f;
  configs[1].fabric.density = 0.35f;
  configs[1].grid.mass_map = map;
  configs[1].edge_warp = vector_at(0.25, 0.03, 0);
  assembly a;
  assemble(&a, 2, configs);
  throw_sheet(a.sheets[1], a.f[1].count, vector_at(0.4, -2.0, 0.1));
  double mass[2][196];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < a.f[i].count; k++)
      mass[i][k] = particle_mass(&a.f[i], k);
  }
  point before = {0, 0, 0}, after[40];
  double met = 0;
  for (int frame = -1; frame < 40; frame++) {
    point sum = {0, 0, 0};
    if (frame >= 0) step_assembly(&a, 1);
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < a.f[i].count; k++)
        sum = point_sum(sum, point_scaled(velocity_of(a.sheets[i], k), mass[i][k]));
    }
    if (frame < 0)
      before = sum;
    else
      after[frame] = sum;
    cloth_self_statistics st;
    met += frame >= 0 && cloth_get_self_statistics(a.sheets[0], &st) == CLOTH_OK ? st.contacts : 0;
  }
  double lost = point_distance(before, after[39]) / point_length(before);
  double given = -mean_velocity(a.sheets[0], a.f[0].count).y;
  CHECK(met > 20, "%g contacts", met);
  CHECK(given > 0.5, "the light sheet got %g m/s", given);
  CHECK(lost < 1e-5, "a share of %g of the momentum is lost", lost);
  disassemble(&a);
}

/* A standing sheet comes edge on against the rim of a level one: edges cross in their middles, where no particle meets
   a triangle. They part, and keep their momentum. */
static void test_rims(void) {
  cloth_config configs[2] = {sheet_config(8, 0), sheet_config(8, 0)};
  const double side = 0.21;
  for (int i = 0; i < 2; i++) {
    configs[i].gravity = vector_at(0, 0, 0);
    configs[i].air.density = 0;
    configs[i].integration.velocity_damping = 0;
    configs[i].integration.rest_drag = 0;
  }
  configs[0].fabric.density = 0.1f;
  configs[0].origin = vector_at(-side, 0, -0.5 * side);
  configs[1].edge_weft = vector_at(0, side, 0);
  configs[1].origin = vector_at(0.012, -0.5 * side, 0);
  assembly a;
  assemble(&a, 2, configs);
  throw_sheet(a.sheets[1], a.f[1].count, vector_at(-0.5, 0, 0));
  double least = HUGE_VAL, momentum[2] = {0, 0};
  for (int frame = -1; frame < 10; frame++) {
    if (frame >= 0) step_assembly(&a, 1);
    momentum[frame >= 0] = 0;
    for (int i = 0; i < 2; i++)
      momentum[frame >= 0] += sheet_momentum(&a.f[i]).x;
    double apart = 0;
    for (int row = 3; row <= 4; row++)
      apart += 0.5 * (position_of(a.sheets[1], row * 8).x - position_of(a.sheets[0], row * 8 + 7).x);
    least = fmin(least, apart / 0.01);
  }
  CHECK(least > 0.8 && least < 1.1, "rims come to %g thicknesses", least);
  CHECK(fabs(momentum[1] - momentum[0]) < 1e-5 * fabs(momentum[0]), "momentum %g becomes %g", momentum[0], momentum[1]);
  disassemble(&a);
}

/* A state, not the history of calls, is what a step goes on from: saves and images of all cloths. */
static void test_replay(void) {
  cloth_config configs[3] = {sheet_config(12, 0.02), sheet_config(10, 0.05), sheet_config(8, 0.09)};
  assembly a;
  unsigned char *saves[3], *images[3];
  assemble(&a, 3, configs);
  add_plane(&a, 0);
  step_assembly(&a, 10);
  for (int i = 0; i < 3; i++) {
    saves[i] = (unsigned char *)mesh_memory(a.f[i].memory.saved_bytes);
    images[i] = (unsigned char *)mesh_memory(a.f[i].memory.image_bytes);
    CHECK(cloth_save(a.sheets[i], saves[i], a.f[i].memory.saved_bytes) == CLOTH_OK, "save");
    CHECK(cloth_write_image(a.sheets[i], images[i], a.f[i].memory.image_bytes) == CLOTH_OK, "image");
  }
  step_assembly(&a, 15);
  uint64_t hash = hash_assembly(&a);
  for (int i = 0; i < 3; i++)
    CHECK(cloth_load(a.sheets[i], saves[i], a.f[i].memory.saved_bytes) == CLOTH_OK, "load");
  step_assembly(&a, 15);
  CHECK(hash_assembly(&a) == hash, "saves go on differently");
  step_assembly(&a, 3);
  for (int i = 0; i < 3; i++)
    CHECK(cloth_read_image(a.sheets[i], images[i], a.f[i].memory.image_bytes) == CLOTH_OK, "read");
  step_assembly(&a, 15);
  CHECK(hash_assembly(&a) == hash, "images go on differently");
  for (int i = 0; i < 3; i++) {
    free(saves[i]);
    free(images[i]);
  }
  disassemble(&a);
}

/* Ages count intersections with other cloths, too: they are what contact between cloths keeps from step to step. */
static void test_tangled(void) {
  cloth_config configs[2] = {sheet_config(12, 0), sheet_config(12, 0)};
  configs[1].edge_warp = vector_at(0.3, 0.1, 0);
  configs[1].origin.y = -0.05f;
  for (int i = 0; i < 2; i++)
    configs[i].gravity = vector_at(0, 0, 0);
  assembly a;
  assemble(&a, 2, configs);
  cloth_self_statistics st;
  CHECK(step_assembly(&a, 1) & CLOTH_NOTE_TANGLED, "not tangled at once");
  CHECK(cloth_get_self_statistics(a.sheets[1], &st) == CLOTH_OK && st.intersections > 10 && st.tangled > 0,
        "%d intersections, %d tangled", st.intersections, st.tangled);
  CHECK(step_assembly(&a, 2) & CLOTH_NOTE_TANGLED, "not tangled in the third step");
  CHECK(read_statistics(a.sheets[0]).notes & CLOTH_NOTE_TANGLED, "the first cloth is not");
  step_assembly(&a, 240);
  cloth_get_self_statistics(a.sheets[1], &st);
  CHECK(st.intersections == 0, "%d intersections after 4 s", st.intersections);
  disassemble(&a);
}

/* A cloth that feels only others: little memory, and it passes through itself. */
static void test_others_only(void) {
  cloth_config config = sheet_config(32, 0), without = config;
  cloth_memory m, none;
  config.self.gathers = 0;
  without.self_thickness = 0;
  CHECK(cloth_memory_needed(&config, &m) == CLOTH_OK && cloth_memory_needed(&without, &none) == CLOTH_OK, "memory");
  const int remembered = 2 * 24 * 1024 / 8, more = (int)(m.state_bytes - none.state_bytes) - 1024 - 20 * remembered;
  CHECK(more >= 0 && more <= CLOTH_ALIGNMENT, "%d bytes of state more than expected", more);
  CHECK(m.total_bytes - none.total_bytes < 1024u + 20u * (unsigned)remembered + 6 * 4 * 1200, "%d bytes",
        (int)(m.total_bytes - none.total_bytes));
  cloth_config configs[2] = {sheet_config(12, 0.02), sheet_config(9, 0.06)};
  configs[0].self.gathers = configs[1].self.gathers = 0;
  assembly a;
  assemble(&a, 2, configs);
  add_plane(&a, 0);
  step_assembly(&a, 40);
  double between = mean_position(a.sheets[1], a.f[1].count).y - mean_position(a.sheets[0], a.f[0].count).y;
  CHECK(between > 0.009 && between < 0.011, "the sheets are %g m apart", between);
  cloth_self_statistics st;
  run_steps(a.sheets[0], 1, FRAME);
  cloth_get_self_statistics(a.sheets[0], &st);
  CHECK(st.gathers == 0, "a step of its own has looked for contact with itself %d times", st.gathers);
  disassemble(&a);
}

/* What lies on a floor weighs on it, whatever lies between: the reaction of the lower sheet is the weight of both. */
static void test_weight(void) {
  cloth_config configs[2] = {sheet_config(12, 0.012), sheet_config(9, 0.025)};
  assembly a;
  assemble(&a, 2, configs);
  add_plane(&a, 0);
  step_assembly(&a, 60);
  double impulse = 0, weight = 0;
  for (int i = 0; i < 2; i++) {
    double side = 0.03 * (a.f[i].columns - 1);
    weight += 9.81 * 0.2 * side * side;
  }
  for (int frame = 0; frame < 30; frame++) {
    step_assembly(&a, 1);
    for (int i = 0; i < 2; i++) {
      cloth_reaction reaction;
      cloth_get_collider_reaction(a.sheets[i], 0, &reaction);
      impulse -= (double)reaction.impulse.y;
    }
  }
  CHECK(fabs(impulse / 0.5 / weight - 1) < 0.01, "%g N, weight %g N", impulse / 0.5, weight);
  disassemble(&a);
}

/* All take the most substeps; where one has no room for them, the step is refused. */
static void test_substeps(void) {
  cloth_config configs[2] = {sheet_config(8, 0), sheet_config(8, 0.1)};
  configs[0].substeps = 4;
  configs[1].substeps = 12;
  assembly a;
  assemble(&a, 2, configs);
  step_assembly(&a, 1);
  CHECK(read_statistics(a.sheets[0]).substeps == 12, "%d substeps", read_statistics(a.sheets[0]).substeps);
  run_steps(a.sheets[0], 1, FRAME);
  CHECK(read_statistics(a.sheets[0]).substeps == 4, "%d substeps alone", read_statistics(a.sheets[0]).substeps);
  disassemble(&a);
  configs[0].integration.max_substeps = 11;
  assemble(&a, 2, configs);
  uint64_t hash = hash_assembly(&a);
  CHECK(cloth_step_together(&a.group, FRAME, a.memory, a.bytes) == CLOTH_ERROR_CONFLICT, "no room for 12 substeps");
  CHECK(hash_assembly(&a) == hash, "a refused step changed something");
  disassemble(&a);
}

/* Groups 100 km from where they were made do the same, and cloths with different origins nearly the same. */
static void test_origins(void) {
  cloth_config configs[2] = {sheet_config(12, 0.3), sheet_config(9, 0.35)};
  assembly a, b, d;
  assemble(&a, 2, configs);
  for (int i = 0; i < 2; i++)
    configs[i].world.origin = (cloth_metres){100000, -20, 99999};
  assemble(&b, 2, configs);
  configs[1].world.origin = (cloth_metres){100003, -21, 99999};
  configs[1].origin.x -= 3.0f;
  configs[1].origin.y += 1.0f;
  assemble(&d, 2, configs);
  add_plane(&a, 0);
  add_plane(&b, 0);
  self_add_floor(d.sheets[0], 0);
  self_add_floor(d.sheets[1], 1);
  step_assembly(&a, 30);
  int notes = step_assembly(&b, 30) | step_assembly(&d, 30);
  CHECK(!(notes & CLOTH_NOTE_FAR), "notes %d", notes);
  double worst = 0;
  for (int i = 0; i < 2; i++) {
    cloth_vector_view x, y;
    cloth_get_positions(a.sheets[i], &x);
    cloth_get_positions(b.sheets[i], &y);
    CHECK(memcmp(x.x, y.x, (size_t)x.count * sizeof(float)) == 0 && memcmp(x.y, y.y, (size_t)x.count * 4) == 0,
          "cloth %d moves differently 100 km away", i);
    for (int k = 0; k < x.count; k++) {
      point p = position_of(d.sheets[i], k), offset = {i ? 3 : 0, i ? -1 : 0, 0};
      worst = fmax(worst, point_distance(point_sum(p, offset), position_of(a.sheets[i], k)));
    }
  }
  CHECK(worst < 0.01, "with different origins particles are up to %g m elsewhere", worst);
  disassemble(&a);
  disassemble(&b);
  disassemble(&d);
  const cloth_metres far[3] = {{200001, 0, 0}, {0, 200001, 0}, {0, 0, -200001}};
  for (int axis = 0; axis < 3; axis++) {
    configs[0].world.origin = (cloth_metres){0, 0, 0};
    configs[1].world.origin = far[axis];
    assemble(&d, 2, configs);
    CHECK(cloth_step_together(&d.group, FRAME, d.memory, d.bytes) == CLOTH_ERROR_RANGE, "200 km apart on axis %d",
          axis);
    disassemble(&d);
  }
}

static void test_deadline(void) {
  cloth_config configs[2] = {sheet_config(12, 0.012), sheet_config(9, 0.03)};
  assembly a;
  assemble(&a, 2, configs);
  add_plane(&a, 0);
  step_assembly(&a, 8);
  unsigned char *copies[2];
  for (int i = 0; i < 2; i++)
    copies[i] = copy_bytes(a.f[i].arena, a.f[i].memory.total_bytes);
  cloth_effort efforts[2];
  CHECK(cloth_step_together_until(&a.group, FRAME, a.memory, a.bytes, 0, efforts) >= 0, "until");
  CHECK(efforts[0].refinements == 0 && efforts[0].cut_short, "%d refinements", efforts[0].refinements);
  uint64_t hash = hash_assembly(&a);
  for (int i = 0; i < 2; i++)
    memcpy(a.f[i].arena, copies[i], a.f[i].memory.total_bytes);
  CHECK(cloth_step_together_again(&a.group, FRAME, a.memory, a.bytes, efforts) >= 0, "again");
  CHECK(hash_assembly(&a) == hash, "a step repeated with its efforts differs");
  for (int i = 0; i < 2; i++) {
    memcpy(a.f[i].arena, copies[i], a.f[i].memory.total_bytes);
    free(copies[i]);
  }
  CHECK(cloth_step_together_until(&a.group, FRAME, a.memory, a.bytes, UINT32_MAX, efforts) >= 0, "no deadline");
  CHECK(efforts[0].refinements > 0 && !efforts[0].cut_short, "%d refinements", efforts[0].refinements);
  CHECK(hash_assembly(&a) != hash, "refinements change nothing");
  disassemble(&a);
}

/* Cloths of fixed work do the work of their bound in every step, near each other or not, sewn or not, and know no
   deadline. */
static void test_fixed_work(void) {
  for (int is_sewn = 0; is_sewn < 2; is_sewn++) {
    cloth_config configs[2] = {sheet_config(8, 0), sheet_config(8, 0.02)};
    for (int i = 0; i < 2; i++)
      configs[i].capacity.fixed_work = 1;
    assembly a;
    assemble(&a, 2, configs);
    const cloth_seam seam = {{0, 0, 1, 8, NULL}, {1, 0, 1, 8, NULL}, 0};
    a.group.seams = &seam;
    a.group.seam_count = is_sewn;
    size_t bytes = 0;
    unsigned char *allocation = NULL;
    CHECK(cloth_group_bytes(&a.group, &bytes) == CLOTH_OK, "bytes");
    unsigned char *memory = guarded_buffer(bytes, 0, &allocation);
    for (int i = 0; i < 8; i++)
      cloth_pin(a.sheets[0], i);
    for (int frame = 0; frame < 30; frame++) {
      uint64_t bound = 0, work = 0;
      CHECK(cloth_group_work_bound(&a.group, FRAME, &bound) == CLOTH_OK, "bound");
      CHECK(cloth_step_together(&a.group, FRAME, memory, bytes) >= 0, "step");
      for (int i = 0; i < 2; i++) {
        const cloth_statistics t = read_statistics(a.sheets[i]);
        work += (uint64_t)t.work[1] << 32 | t.work[0];
      }
      CHECK(work == bound, "sewn %d, frame %d: work %g, bound %g", is_sewn, frame, (double)work, (double)bound);
    }
    cloth_effort efforts[2] = {{0, 0}, {0, 0}};
    const uint64_t hash = hash_assembly(&a);
    CHECK(cloth_step_together_until(&a.group, FRAME, memory, bytes, 9, efforts) == CLOTH_ERROR_STATE, "a deadline");
    CHECK(cloth_step_together_again(&a.group, FRAME, memory, bytes, efforts) == CLOTH_ERROR_STATE, "an effort");
    CHECK(hash_assembly(&a) == hash, "a refused step changed something");
    free(allocation);
    disassemble(&a);
  }
}

/// Sleep ///

static cloth_config sleeping_config(int n, double height) {
  cloth_config config = sheet_config(n, height);
  config.sleep.speed = 0.1f;
  config.sleep.time = 0.2f;
  return config;
}

/* Cloth on cloth falls asleep; a sleeping cloth holds still, and wakes when something falls onto it, or what it lies on
   begins to move. */
static void test_sleep(void) {
  cloth_config configs[3] = {sleeping_config(12, 0.012), sleeping_config(9, 0.03), sleeping_config(7, 0.6)};
  assembly a;
  assemble(&a, 3, configs);
  add_plane(&a, 0);
  for (int i = 0; i < a.f[2].count; i++)
    cloth_pin(a.sheets[2], i);
  step_assembly(&a, 120);
  for (int i = 0; i < 3; i++)
    CHECK(cloth_is_asleep(a.sheets[i]) == 1, "cloth %d does not sleep", i);
  uint64_t hash = hash_assembly(&a), bound = 0;
  CHECK(cloth_group_work_bound(&a.group, FRAME, &bound) == CLOTH_OK, "bound");
  step_assembly(&a, 5);
  CHECK(hash_assembly(&a) == hash, "sleeping cloths change");
  for (int i = 0; i < a.f[2].count; i++)
    cloth_release(a.sheets[2], i);
  hash = read_hash(a.sheets[1]);
  int woken = 0, fallen = 0;
  for (int frame = 1; frame < 60 && !woken; frame++) {
    step_assembly(&a, 1);
    fallen = frame;
    woken = cloth_is_asleep(a.sheets[1]) == 0;
    CHECK(woken || read_hash(a.sheets[1]) == hash, "frame %d: a sleeping cloth changes", frame);
  }
  double gap = lowest_of(a.sheets[2]) - lowest_of(a.sheets[1]);
  CHECK(woken && fallen > 12 && gap < 0.05, "woken %d in frame %d, %g m before they meet", woken, fallen, gap);
  step_assembly(&a, 180);
  for (int i = 0; i < 3; i++)
    CHECK(cloth_is_asleep(a.sheets[i]) == 1, "cloth %d does not sleep again", i);
  for (int i = 0; i < a.f[0].count; i++)
    cloth_set_particle(a.sheets[0], i, vector_of(position_of(a.sheets[0], i)), vector_at(0, 1.0, 0));
  step_assembly(&a, 3);
  CHECK(cloth_is_asleep(a.sheets[1]) == 0 && cloth_is_asleep(a.sheets[2]) == 0, "what lies on a moving cloth sleeps");
  disassemble(&a);
}

/* What goes off fast from where it lay next to a sleeping cloth has woken it when the step is over; from farther away
   it has not. */
static void test_woken_when_over(void) {
  for (int is_far = 0; is_far < 2; is_far++) {
    cloth_config configs[2] = {sleeping_config(9, 0), sleeping_config(9, is_far ? 0.022 : 0.011)};
    configs[1].sleep.speed = 0.0f;
    assembly a;
    assemble(&a, 2, configs);
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < a.f[k].count; i++)
        cloth_pin(a.sheets[k], i);
    }
    step_assembly(&a, 60);
    CHECK(cloth_is_asleep(a.sheets[0]) == 1, "a pinned cloth does not sleep");
    for (int i = 0; i < a.f[1].count; i++) {
      cloth_release(a.sheets[1], i);
      cloth_set_gravity(a.sheets[1], vector_at(0, is_far ? 30 : 9.81, 0));
    }
    step_assembly(&a, 1);
    CHECK(cloth_is_asleep(a.sheets[0]) == is_far, "far %d: asleep %d", is_far, cloth_is_asleep(a.sheets[0]));
    disassemble(&a);
  }
}

/// Refusals ///

static void expect_refusal(assembly *a, const cloth_group *group, int error, const char *what) {
  uint64_t hash = hash_assembly(a), work = 7;
  size_t bytes = 9;
  int result = cloth_group_bytes(group, &bytes);
  CHECK(result == error && bytes == 9, "%s: cloth_group_bytes gave %s", what, cloth_result_name(result));
  result = cloth_step_together(group, FRAME, a->memory, a->bytes);
  CHECK(result == error, "%s: cloth_step_together gave %s", what, cloth_result_name(result));
  result = cloth_group_work_bound(group, FRAME, &work);
  CHECK(result == error && work == 7, "%s: cloth_group_work_bound gave %s", what, cloth_result_name(result));
  CHECK(hash_assembly(a) == hash, "%s: a refused step changed something", what);
}

static void test_refused_groups(void) {
  cloth_config configs[2] = {sheet_config(8, 0), sheet_config(8, 0.1)};
  assembly a;
  assemble(&a, 2, configs);
  cloth_group g = a.group;
  expect_refusal(&a, NULL, CLOTH_ERROR_NULL, "no group");
  g.cookie++;
  expect_refusal(&a, &g, CLOTH_ERROR_CONFIG, "another version");
  g = a.group;
  g.count = 0;
  expect_refusal(&a, &g, CLOTH_ERROR_RANGE, "no cloth");
  g.count = CLOTH_GROUP_LIMIT + 1;
  expect_refusal(&a, &g, CLOTH_ERROR_RANGE, "17 cloths");
  g = a.group;
  g.pairs = 0;
  expect_refusal(&a, &g, CLOTH_ERROR_RANGE, "no room");
  g.pairs = 33;
  expect_refusal(&a, &g, CLOTH_ERROR_RANGE, "too much room");
  g = a.group;
  g.cloths = NULL;
  expect_refusal(&a, &g, CLOTH_ERROR_NULL, "no list");
  cloth *twice[2] = {a.sheets[1], a.sheets[1]}, *missing[2] = {a.sheets[0], NULL};
  g.cloths = twice;
  expect_refusal(&a, &g, CLOTH_ERROR_CONFLICT, "a cloth twice");
  g.cloths = missing;
  expect_refusal(&a, &g, CLOTH_ERROR_NULL, "no cloth");
  g = a.group;
  cloth_group_pair e = {0, 1, 0.01f, 0.3f};
  g.exception_count = 1;
  expect_refusal(&a, &g, CLOTH_ERROR_NULL, "no exceptions");
  g.exceptions = &e;
  e.b = 2;
  expect_refusal(&a, &g, CLOTH_ERROR_INDEX, "no such cloth");
  e.b = -1;
  expect_refusal(&a, &g, CLOTH_ERROR_INDEX, "a cloth before the first");
  e.a = -1;
  e.b = 1;
  expect_refusal(&a, &g, CLOTH_ERROR_INDEX, "a cloth before the first");
  e.a = 2;
  expect_refusal(&a, &g, CLOTH_ERROR_INDEX, "no such cloth");
  e.a = 0;
  e.b = 0;
  expect_refusal(&a, &g, CLOTH_ERROR_INDEX, "a cloth and itself");
  e.b = 1;
  e.thickness = 1.1f;
  expect_refusal(&a, &g, CLOTH_ERROR_RANGE, "thickness");
  e.thickness = 0.01f;
  e.friction = NAN;
  expect_refusal(&a, &g, CLOTH_ERROR_RANGE, "friction");
  g.exception_count = 121;
  expect_refusal(&a, &g, CLOTH_ERROR_RANGE, "exceptions");
  g.exception_count = -1;
  expect_refusal(&a, &g, CLOTH_ERROR_RANGE, "fewer than no exceptions");
  disassemble(&a);
  configs[1].self_thickness = 0;
  fixture f[2] = {fixture_make(&configs[0]), fixture_make(&configs[1])};
  cloth *sheets[2] = {f[0].sheet, f[1].sheet};
  g = cloth_group_default();
  g.cloths = sheets;
  g.count = 2;
  size_t bytes;
  CHECK(cloth_group_bytes(&g, &bytes) == CLOTH_ERROR_STATE, "a cloth without self_thickness");
  fixture_free(&f[0]);
  fixture_free(&f[1]);
}

static void test_refused_steps(void) {
  cloth_config configs[2] = {sheet_config(8, 0), sheet_config(8, 0.1)};
  configs[0].capacity.shared_scratch = configs[1].capacity.shared_scratch = 1;
  assembly a;
  assemble(&a, 2, configs);
  uint64_t hash = hash_assembly(&a);
  CHECK(cloth_step_together(&a.group, FRAME, a.memory, a.bytes) == CLOTH_ERROR_STATE, "no scratch");
  size_t scratch_bytes = a.f[0].memory.shared_bytes;
  const size_t room = scratch_bytes > a.bytes ? scratch_bytes : a.bytes; /* one is offered as memory of the group */
  unsigned char *allocations[2], *scratch[2];
  for (int i = 0; i < 2; i++)
    scratch[i] = guarded_buffer(room, 0, &allocations[i]);
  for (int i = 0; i < 2; i++)
    CHECK(cloth_set_scratch(a.sheets[i], scratch[0], scratch_bytes) == CLOTH_OK, "scratch");
  CHECK(cloth_step_together(&a.group, FRAME, a.memory, a.bytes) == CLOTH_ERROR_STATE, "one scratch for both");
  CHECK(cloth_set_scratch(a.sheets[1], scratch[1], scratch_bytes) == CLOTH_OK, "scratch");
  const int low = a.f[0].arena < a.f[1].arena ? 0 : 1;
  cloth *const turned[2] = {a.sheets[1], a.sheets[0]};
  CHECK(cloth_set_scratch(a.sheets[low], a.f[1 - low].arena, scratch_bytes) == CLOTH_OK, "scratch");
  CHECK(cloth_step_together(&a.group, FRAME, a.memory, a.bytes) == CLOTH_ERROR_STATE, "scratch in an arena");
  a.group.cloths = turned;
  CHECK(cloth_step_together(&a.group, FRAME, a.memory, a.bytes) == CLOTH_ERROR_STATE, "in an arena, turned");
  a.group.cloths = a.sheets;
  CHECK(cloth_set_scratch(a.sheets[low], scratch[low], scratch_bytes) == CLOTH_OK, "scratch");
  CHECK(cloth_step_together(&a.group, 0.0f, a.memory, a.bytes) == CLOTH_ERROR_RANGE, "dt");
  CHECK(cloth_step_together(&a.group, FRAME, NULL, a.bytes) == CLOTH_ERROR_NULL, "no memory");
  CHECK(cloth_step_together(&a.group, FRAME, a.memory, a.bytes - 1) == CLOTH_ERROR_ARENA, "too little memory");
  CHECK(cloth_step_together(&a.group, FRAME, a.memory + 4, a.bytes) == CLOTH_ERROR_ARENA, "alignment");
  CHECK(cloth_step_together(&a.group, FRAME, a.f[1].arena, a.bytes) == CLOTH_ERROR_ARENA, "the memory of a cloth");
  CHECK(cloth_step_together(&a.group, FRAME, scratch[1], a.bytes) == CLOTH_ERROR_ARENA, "the scratch of a cloth");
  cloth_effort efforts[2] = {{0, 0}, {0, 0}};
  CHECK(cloth_step_together_until(&a.group, FRAME, a.memory, a.bytes, 0, NULL) == CLOTH_ERROR_NULL, "no efforts");
  for (int i = 0; i < 2; i++) {
    efforts[i].refinements = -1;
    CHECK(cloth_step_together_again(&a.group, FRAME, a.memory, a.bytes, efforts) == CLOTH_ERROR_RANGE, "effort %d", i);
    efforts[i].refinements = 0;
    efforts[i].cut_short = 2;
    CHECK(cloth_step_together_again(&a.group, FRAME, a.memory, a.bytes, efforts) == CLOTH_ERROR_RANGE,
          "effort %d, neither 0 nor 1", i);
    efforts[i].cut_short = 0;
  }
  CHECK(cloth_group_bytes(&a.group, NULL) == CLOTH_ERROR_NULL, "no bytes");
  CHECK(cloth_group_work_bound(&a.group, FRAME, NULL) == CLOTH_ERROR_NULL, "no work");
  CHECK(hash_assembly(&a) == hash, "a refused step changed something");
  CHECK(cloth_step_together(&a.group, FRAME, a.memory, a.bytes) >= 0, "a step");
  CHECK(hash_assembly(&a) != hash, "a step changed nothing");
  disassemble(&a);
  for (int i = 0; i < 2; i++)
    free(allocations[i]);
}

static const test tests[] = {
    TEST(scenes),          TEST(exceptions),     TEST(shapes),        TEST(single),
    TEST(apart),           TEST(momentum),       TEST(rims),          TEST(replay),
    TEST(tangled),         TEST(others_only),    TEST(weight),        TEST(substeps),
    TEST(origins),         TEST(deadline),       TEST(fixed_work),    TEST(sleep),
    TEST(woken_when_over), TEST(refused_groups), TEST(refused_steps),
};

int main(int argc, char **argv) {
  return RUN_TESTS(argc, argv, tests);
}
