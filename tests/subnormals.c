/* Shows on x86-64 that no result of the library depends on how a machine treats subnormal numbers. Every trial runs
   three times: in the default mode, with results flushed to zero and the sticky flags watched, and with operands
   flushed as well. The flags "underflow" and "denormal operand" must stay clear, the three states must have one hash,
   and no state may hold what another machine could flush: -0, a subnormal, or 2^-126, to which an underflow may round
   without a flag.

       subnormals               runs every thirteenth trial
       subnormals NUMBER        runs one trial
       subnormals NUMBER trap   raises SIGFPE where a flag would be set; for a debugger

   SPDX-License-Identifier: MIT */
#include "scenes.h"
#include "support.h"

#if !defined(__SSE__)
int main(void) {
  printf("nothing to show without x86's flags\n");
  return check_report();
}
#else
#include <xmmintrin.h>

/// Modes of the machine ///

#define MODE_DEFAULT 0x1f80u
#define MODE_WATCHED 0x9f80u /* results flushed, flags clear */
#define MODE_FLUSHED 0x9fc0u /* operands as well */
#define MODE_TRAPPED 0x9680u /* as watched, with underflow and denormal operands raising SIGFPE */
#define MASK_DENORMAL 0x100u /* denormal operands raise nothing */
#define FLAG_DENORMAL 0x02u
#define FLAG_UNDERFLOW 0x10u

/* One run of a trial. */
typedef struct run {
  unsigned mode, flags;
  const char *first_flagged; /* the first call that set a flag */
  random_source random;
  fixture cloth;
  cloth *sheet;
  float frame_time;
  int colliders;
  uint64_t shown; /* hash of all that the caller gets to see besides the state */
} run;

/* Calls the library in the run's mode; what the test itself computes stays in the default mode. The arguments have to
   be in memory already: they are not to be computed in here. */
#define CALL_WATCHING(r, watched_flags, call)                                                                          \
  do {                                                                                                                 \
    _mm_setcsr((r)->mode | ((watched_flags)&FLAG_DENORMAL ? 0u : MASK_DENORMAL));                                      \
    (void)(call);                                                                                                      \
    take_flags((r), (watched_flags), #call);                                                                           \
  } while (0)
#define CALL(r, call) CALL_WATCHING(r, FLAG_DENORMAL | FLAG_UNDERFLOW, call)
/* A call that is given something. A subnormal number has to be compared with limits before it can be dropped, which
   sets "denormal operand" and decides nothing; so with wild inputs that flag is let pass here, and only here. */
#define GIVE(r, call) CALL_WATCHING(r, wild ? FLAG_UNDERFLOW : FLAG_DENORMAL | FLAG_UNDERFLOW, call)

/* Do the inputs of the trial at hand hold subnormal numbers? */
static int wild;

static __attribute__((noinline)) void take_flags(run *r, unsigned watched, const char *call) {
  unsigned raised = _mm_getcsr() & watched;
  _mm_setcsr(MODE_DEFAULT);
  if (raised != 0 && r->flags == 0) r->first_flagged = call;
  r->flags |= raised;
}

/// Numbers ///

static float float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double draw_logarithmic(random_source *source, double low, double high) {
  return low * pow(high / low, random_real(source, 0.0, 1.0));
}

/* A magnitude that may be trouble: zero, tiny numbers, the smallest normal ones, and if wild any subnormal. */
static float draw_tiny(random_source *source) {
  switch (random_int(source, wild ? 0 : 2, 5)) {
  case 0:
    return float_of_bits(1);
  case 1:
    return float_of_bits((uint32_t)random_int(source, 1, 0x7fffff));
  case 2:
    return float_of_bits(0x00800000u + (uint32_t)random_int(source, 0, 1));
  case 3:
    return 0.0f;
  default:
    return (float)draw_logarithmic(source, 1.2e-38, 1e-5);
  }
}

/* Anything from 0 to high. -0 counts as 0. */
static __attribute__((noinline)) float draw_up_to(random_source *source, float high) {
  switch (random_int(source, 0, 7)) {
  case 0:
    return high;
  case 1:
    return -0.0f;
  case 2:
  case 3:
    return fminf(draw_tiny(source), high);
  default:
    return (float)draw_logarithmic(source, 1e-6 * (double)high, (double)high);
  }
}

/* From low to high, both above 0. */
static __attribute__((noinline)) float draw_between(random_source *source, float low, float high) {
  int kind = random_int(source, 0, 7);
  if (kind < 2) return kind == 0 ? low : high;
  float value = (float)draw_logarithmic(source, (double)low, (double)high);
  return fminf(fmaxf(value, low), high);
}

static float draw_signed(random_source *source, float most) {
  float value = draw_up_to(source, most);
  return random_int(source, 0, 1) != 0 ? -value : value;
}

static __attribute__((noinline)) cloth_vector draw_vector(random_source *source, float most) {
  cloth_vector v;
  v.x = draw_signed(source, most);
  v.y = draw_signed(source, most);
  v.z = draw_signed(source, most);
  return v;
}

/* A unit quaternion, whose small components may be tiny. */
static __attribute__((noinline)) cloth_rotation draw_rotation(random_source *source) {
  if (random_int(source, 0, 2) == 0) {
    cloth_rotation odd = {draw_tiny(source), -draw_tiny(source), draw_tiny(source), 1.0f};
    odd.x = fminf(odd.x, 1e-5f);
    return odd;
  }
  point axis = {random_real(source, -1.0, 1.0), random_real(source, -1.0, 1.0), random_real(source, -1.0, 1.0)};
  double length = fmax(point_length(axis), 1e-3);
  return rotation_about(point_scaled(axis, 1.0 / length), random_real(source, -3.0, 3.0) * (length < 1e-2 ? 0.0 : 1.0));
}

/// Trials ///

/* A scene, what is done to the cloth before its frames, and before each of them. */
typedef struct trial {
  char name[160];
  scene what;
  uint64_t seed;
  int wild;
  void (*act)(run *r, int frame);
} trial;

enum { SIDE_MOST = 24 };

static void do_nothing_in_frame(run *r, int frame) {
  (void)r;
  (void)frame;
}

static trial trial_of(scene_kind kind, int n, int frames, const char *name) {
  trial t;
  memset(&t, 0, sizeof t);
  t.wild = wild;
  t.what = scene_describe(kind, n);
  t.what.config.strain_limit.max_extension = 0.1f;
  t.what.frames = frames;
  snprintf(t.name, sizeof t.name, "%s %s %d", t.what.name, name, n);
  t.act = do_nothing_in_frame;
  return t;
}

/// Colliders ///

static __attribute__((noinline)) cloth_collider draw_collider(random_source *source, int shape) {
  cloth_collider body = cloth_collider_default();
  body.shape = (int32_t)shape;
  body.radius = draw_between(source, 0.05f, 0.3f);
  body.radius_top = draw_between(source, 0.05f, 0.3f);
  body.half_height = draw_between(source, 0.2f, 0.4f);
  body.half_extents = vector_at(random_real(source, 0.05, 0.4), random_real(source, 0.05, 0.4), 0.25);
  body.pose.position = vector_at(0.5, random_real(source, -0.3, 0.1), 0.5);
  body.static_friction = draw_up_to(source, 10.0f);
  body.kinetic_friction = fminf(draw_up_to(source, 1.0f), body.static_friction);
  if (random_int(source, 0, 1) != 0) body.pose.rotation = draw_rotation(source);
  return body;
}

/// Sizes and places ///

static trial trial_of_size(int number) {
  static const double spacings[] = {1.01e-4, 1e-3, 0.3, 10.0, 90.0};
  static const double places[] = {0.0, 1e-6, 3.0, 9e4};
  trial t = trial_of((scene_kind)(number % SCENE_KIND_COUNT), 8, 30, "");
  cloth_config *config = &t.what.config;
  double warp = 7.0 * spacings[number % 5], weft = 7.0 * spacings[number / 5 % 5], place = places[number / 25 % 4];
  config->edge_warp = vector_at(warp, 0.0, 0.1 * warp);
  config->edge_weft = vector_at(0.1 * weft, -0.2 * weft, weft);
  config->origin = vector_at(place, 0.2 * warp, -place);
  config->thickness = (float)fmin(0.01, 0.1 * warp);
  t.what.colliders[0].pose.position = vector_at(place + 0.5 * warp, 0.0, 0.5 * weft - place);
  t.what.colliders[0].radius = (float)fmax(1e-3, 0.1 * warp);
  snprintf(t.name, sizeof t.name, "%s, sheet of %g x %g m at %g m", t.what.name, warp, weft, place);
  return t;
}

/// Anything that is allowed ///

static __attribute__((noinline)) cloth_fabric draw_fabric(random_source *source) {
  cloth_fabric f;
  f.density = draw_between(source, 0.001f, 1000.0f);
  f.stretch_warp = draw_up_to(source, 1e7f);
  f.stretch_weft = draw_up_to(source, 1e7f);
  f.shear = draw_up_to(source, 1e7f);
  f.bend = draw_up_to(source, 10.0f);
  f.compression = draw_up_to(source, 1.0f);
  f.shear_compression = draw_up_to(source, 1.0f);
  f.stretch_damping = draw_up_to(source, 1e4f);
  f.shear_damping = draw_up_to(source, 1e4f);
  f.bend_damping = draw_up_to(source, 10.0f);
  return f;
}

static void draw_settings(random_source *source, cloth_config *config) {
  config->fabric = draw_fabric(source);
  config->integration.velocity_damping = draw_up_to(source, 100.0f);
  config->gravity = draw_vector(source, random_int(source, 0, 3) == 0 ? 1e4f : 10.0f);
  config->wind = draw_vector(source, random_int(source, 0, 3) == 0 ? 1e3f : 10.0f);
  config->air.density = draw_up_to(source, 100.0f);
  config->air.drag = draw_up_to(source, 100.0f);
  config->air.lift = draw_up_to(source, 100.0f);
  config->integration.method = (int32_t)random_int(source, 0, 3);
  config->grid.min_bending_length = draw_up_to(source, 16.0f);
  config->integration.explicit_threshold = draw_between(source, 1e-6f, 0.5f);
  config->substeps = random_int(source, 0, 4);
  config->integration.max_substeps = random_int(source, 1, 8);
  config->integration.max_speed = draw_between(source, 0.1f, 1e4f);
  config->solver.preconditioner = (int32_t)random_int(source, 0, 2);
  config->solver.max_iterations = (int32_t)draw_between(source, 1.0f, 100.0f);
  config->solver.tolerance = draw_between(source, 1e-4f, 0.5f);
  config->strain_limit.max_extension = random_int(source, 0, 8) ? draw_up_to(source, 10.0f) : 0.0f;
  config->thickness = draw_up_to(source, 1.0f);
}

static __attribute__((noinline)) cloth_vector draw_position(run *r) {
  random_source *random = &r->random;
  if (random_int(random, 0, 9) == 0) return draw_vector(random, 1e5f);
  if (random_int(random, 0, 3) == 0) return draw_vector(random, 1.0f);
  point near = position_of(r->sheet, random_int(random, 0, r->cloth.count - 1));
  return vector_of(point_sum(near, point_of(draw_vector(random, 0.01f))));
}

static void disturb_particle(run *r) {
  random_source *random = &r->random;
  int particle = random_int(random, 0, r->cloth.count - 1);
  cloth_vector position = draw_position(r);
  cloth_vector velocity = draw_vector(random, random_int(random, 0, 9) == 0 ? 1e5f : 1.0f);
  switch (random_int(random, 0, 8)) {
  case 0:
    GIVE(r, cloth_pin(r->sheet, particle));
    break;
  case 1:
    GIVE(r, cloth_set_pin_velocity(r->sheet, particle, velocity));
    break;
  case 2:
    GIVE(r, cloth_move_pin(r->sheet, particle, position));
    break;
  case 3:
    GIVE(r, cloth_confine_to_line(r->sheet, particle, velocity));
    break;
  case 4:
    GIVE(r, cloth_confine_to_plane(r->sheet, particle, velocity));
    break;
  case 5:
    GIVE(r, cloth_set_particle(r->sheet, particle, position, velocity));
    break;
  case 6:
    GIVE(r, cloth_apply_impulse(r->sheet, particle, velocity));
    break;
  default:
    GIVE(r, cloth_release(r->sheet, particle));
    break;
  }
}

static void disturb_surroundings(run *r) {
  random_source *random = &r->random;
  cloth_vector gravity = draw_vector(random, 20.0f), wind = draw_vector(random, 20.0f);
  cloth_fabric fabric = draw_fabric(random);
  GIVE(r, cloth_set_gravity(r->sheet, gravity));
  GIVE(r, cloth_set_wind(r->sheet, wind));
  if (random_int(random, 0, 3) == 0) GIVE(r, cloth_set_fabric(r->sheet, &fabric));
}

static void disturb_colliders(run *r) {
  random_source *random = &r->random;
  cloth_collider body = draw_collider(random, random_int(random, 0, 4));
  body.pose.position = draw_position(r);
  body.pose.rotation = draw_rotation(random);
  cloth_pose pose = {draw_position(r), draw_rotation(random)};
  int index = random_int(random, 0, 3);
  GIVE(r, cloth_add_collider(r->sheet, &body));
  GIVE(r, cloth_set_collider(r->sheet, random_int(random, 0, 3), &body));
  GIVE(r, cloth_move_collider(r->sheet, index, random_int(random, 0, 1) != 0 ? &body.pose : NULL, &pose));
  if (random_int(random, 0, 3) == 0) GIVE(r, cloth_remove_collider(r->sheet, index));
}

static void disturb(run *r, int frame) {
  (void)frame;
  disturb_particle(r);
  if (random_int(&r->random, 0, 2) == 0) disturb_particle(r);
  if (random_int(&r->random, 0, 3) == 0) disturb_surroundings(r);
  if (random_int(&r->random, 0, 3) == 0) disturb_colliders(r);
}

/* Settings as they come, inputs in every frame. */
static trial trial_of_anything(int number) {
  trial t = trial_of((scene_kind)(number % SCENE_KIND_COUNT), 7, 12, "");
  random_source random = {UINT64_C(0xf1a6) + (uint64_t)number};
  t.seed = random_bits(&random);
  draw_settings(&random, &t.what.config);
  t.what.config.max_colliders = 4;
  if (number % 3 == 0) t.what.config.origin = draw_vector(&random, 9e4f);
  t.what.frame_time = number % 2 == 0 ? FRAME : draw_between(&random, 1e-6f, 1.0f);
  t.act = number % 5 == 0 ? do_nothing_in_frame : disturb;
  snprintf(t.name, sizeof t.name, "%s, anything %d", t.what.name, number);
  return t;
}

/* Fabrics as they come in otherwise ordinary scenes. */
static trial trial_of_fabric(int number) {
  trial t = trial_of((scene_kind)(number % SCENE_KIND_COUNT), 8, 30, "");
  random_source random = {UINT64_C(0xfab1) + (uint64_t)number};
  t.what.config.fabric = draw_fabric(&random);
  t.what.config.substeps = number % 4;
  snprintf(t.name, sizeof t.name, "%s, fabric %d", t.what.name, number);
  return t;
}

/// Running ///

typedef struct outcome {
  int started;
  unsigned flags;
  const char *first_flagged;
  uint64_t hash, shown;
  int strange; /* numbers in the state that another machine could take for zero, or that are none */
} outcome;

static int is_strange(float value) {
  uint32_t magnitude = bits_of_float(value) & 0x7fffffffu;
  return bits_of_float(value) != 0 && (magnitude <= 0x00800000u || magnitude >= 0x7f800000u);
}

static int count_strange(const float *values, int count) {
  int strange = 0;
  for (int i = 0; i < count; i++)
    strange += is_strange(values[i]);
  return strange;
}

static int strange_in_state(const cloth *sheet) {
  cloth_vector_view x, v;
  cloth_get_positions(sheet, &x);
  cloth_get_velocities(sheet, &v);
  return count_strange(x.x, x.count) + count_strange(x.y, x.count) + count_strange(x.z, x.count) +
         count_strange(v.x, v.count) + count_strange(v.y, v.count) + count_strange(v.z, v.count);
}

/* FNV-1a. */
static void add_to_shown(run *r, const void *bytes, size_t count) {
  const unsigned char *byte = (const unsigned char *)bytes;
  for (size_t i = 0; i < count; i++)
    r->shown = (r->shown ^ byte[i]) * UINT64_C(0x100000001b3);
}

#define SHOW(r, object) add_to_shown((r), &(object), sizeof(object))

/* What a caller looks at after a step. */
static void read_step(run *r) {
  cloth_statistics statistics;
  cloth_reaction reaction;
  memset(&reaction, 0, sizeof reaction);
  for (int i = 0; i < 4; i++) {
    CALL(r, cloth_get_collider_reaction(r->sheet, i, &reaction));
    SHOW(r, reaction);
  }
  CALL(r, cloth_get_statistics(r->sheet, &statistics));
  memset(statistics.ticks, 0, sizeof statistics.ticks);
  SHOW(r, statistics);
}

/* All else that reads the cloth, so that its arithmetic is watched too. */
static void read_rest(run *r) {
  static const cloth_vertex_layout layout = {32, 0, 12, 24};
  static unsigned char buffer[SIDE_MOST * SIDE_MOST * 64 + 65536];
  cloth_measures measures;
  cloth_vector low, high, normal;
  CALL(r, cloth_measure(r->sheet, &measures));
  CALL(r, cloth_get_bounds(r->sheet, &low, &high));
  CALL(r, cloth_get_normal(r->sheet, 0, &normal));
  SHOW(r, measures);
  SHOW(r, low);
  SHOW(r, high);
  SHOW(r, normal);
  CALL(r, cloth_write_vertices(r->sheet, &layout, buffer, sizeof buffer));
  add_to_shown(r, buffer, (size_t)(32 * r->cloth.count)); /* of a tube all but the last */
  CALL(r, cloth_save(r->sheet, buffer, sizeof buffer));
  CALL(r, cloth_load(r->sheet, buffer, sizeof buffer));
  CALL(r, cloth_write_image(r->sheet, buffer, sizeof buffer));
  CALL(r, cloth_read_image(r->sheet, buffer, sizeof buffer));
}

/* Returns 0 where the trial's config is refused, which it may be. */
static int start(run *r, const trial *t) {
  const cloth_config *config = &t->what.config;
  int result = CLOTH_ERROR_CONFIG;
  r->random.state = t->seed;
  r->frame_time = t->what.frame_time;
  r->colliders = t->what.collider_count;
  GIVE(r, result = cloth_memory_needed(config, &r->cloth.memory));
  if (result != CLOTH_OK) return 0;
  r->cloth.columns = config->columns;
  r->cloth.rows = config->rows;
  r->cloth.count = config->columns * config->rows;
  r->cloth.arena = guarded_buffer(r->cloth.memory.total_bytes, 0, &r->cloth.allocation);
  GIVE(r, result = scene_build(&t->what, r->cloth.arena, r->cloth.memory.total_bytes, &r->sheet));
  r->cloth.sheet = r->sheet;
  if (result == CLOTH_OK) return 1;
  free(r->cloth.allocation);
  return 0;
}

static outcome run_trial(const trial *t, unsigned mode) {
  run r;
  outcome o;
  memset(&r, 0, sizeof r);
  memset(&o, 0, sizeof o);
  r.mode = mode;
  wild = t->wild;
  o.started = start(&r, t);
  if (o.started) {
    for (int frame = 0; frame < t->what.frames; frame++) {
      t->act(&r, frame);
      CALL(&r, cloth_step(r.sheet, r.frame_time));
      o.strange += strange_in_state(r.sheet);
      read_step(&r);
    }
    read_rest(&r);
    CALL(&r, cloth_hash(r.sheet, &o.hash));
    fixture_free(&r.cloth);
  }
  o.flags = r.flags;
  o.shown = r.shown;
  o.first_flagged = r.first_flagged;
  return o;
}

/* Returns 1 if the trial's cloth could be made. */
static int judge(const trial *t, int number) {
  outcome usual = run_trial(t, MODE_DEFAULT);
  outcome watched = run_trial(t, MODE_WATCHED);
  outcome flushed = run_trial(t, MODE_FLUSHED);
  CHECK((watched.flags & FLAG_UNDERFLOW) == 0, "trial %d, %s: underflow, first in %s", number, t->name,
        watched.first_flagged);
  CHECK((watched.flags & FLAG_DENORMAL) == 0, "trial %d, %s: subnormal operand, first in %s", number, t->name,
        watched.first_flagged);
  CHECK(watched.hash == usual.hash, "trial %d, %s: flushed results change the state", number, t->name);
  CHECK(flushed.hash == usual.hash, "trial %d, %s: flushed operands change the state", number, t->name);
  CHECK(watched.shown == usual.shown && flushed.shown == usual.shown, "trial %d, %s: flushing changes what is shown",
        number, t->name);
  CHECK(usual.strange == 0, "trial %d, %s: %d strange numbers in the state", number, t->name, usual.strange);
  return usual.started && watched.started == usual.started && flushed.started == usual.started;
}

/// All trials ///

typedef struct trial_group {
  const char *name;
  trial (*make)(int number);
  int count;
} trial_group;

static const trial_group groups[] = {
    {"sizes", trial_of_size, 100},
    {"fabrics", trial_of_fabric, 200},
    {"anything", trial_of_anything, 1000},
};
enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };
/* Of a group one trial in so many runs: no multiple of what the settings of a trial go round by. */
enum { STRIDE = 13 };

/* Projected springs, in every way there is: the usual one first. */
static void draw_projection(random_source *source, cloth_config *config) {
  if (random_int(source, 0, 2) == 0) return;
  config->integration.explicit_threshold = random_int(source, 0, 1) ? 0.2f : draw_up_to(source, 0.5f);
  config->integration.bdf2_blend = random_int(source, 0, 3) ? draw_up_to(source, 1.0f) : 0.0f;
  config->tethers.count = random_int(source, 0, 2);
  config->tethers.scale = random_int(source, 0, 1) ? 1.0f : draw_between(source, 0.5f, 10.0f);
  config->air.normal_drag = random_int(source, 0, 1) ? 0.0f : draw_up_to(source, 100.0f);
  config->strain_limit.max_extension = random_int(source, 0, 3) ? 0.0f : 0.05f;
}

/* Some are tubes, whose edges may not lean. */
static void roll_up(cloth_config *config, int number) {
  config->grid.wrap = number % 7 == 2 || number % 7 == 5;
  if (config->grid.wrap) {
    config->edge_warp.z = 0.0f;
    config->edge_weft.x = 0.0f;
  }
}

/* Some feel themselves. */
static void feel_self(cloth_config *config, int number) {
  if (number % 5 != 1 && number % 5 != 4) return;
  double warp = point_length(point_of(config->edge_warp)) / (config->columns - !config->grid.wrap);
  double weft = point_length(point_of(config->edge_weft)) / (config->rows - 1);
  config->self_thickness = (float)((number % 3 == 0 ? 0.3 : 0.45) * fmin(warp, weft));
  config->self_friction = number % 4 == 0 ? 0.0f : 0.3f;
  config->self.gathers = 1 + number % 2;
}

/* Every other trial of the groups that draw inputs is wild. */
static trial make_trial(const trial_group *group, int number, int tiers) {
  wild = number % 2;
  trial t = group->make(number);
  cloth_config *config = &t.what.config;
  roll_up(config, number);
  feel_self(config, number);
  if (tiers == 2) {
    config->capacity.fixed_work = number % 5 == 3;
    use_two_tiers(config);
    return t;
  }
  random_source random = {UINT64_C(0x3713) + (uint64_t)number};
  use_projection(config);
  draw_projection(&random, config);
  if (random_int(&random, 0, 3) > 0) config->integration.method = CLOTH_INTEGRATION_ADAPTIVE;
  config->capacity.fixed_work = number % 5 == 3;
  return t;
}

/* The watch itself must see what it is there for. */
static void test_watch(void) {
  volatile float tiny = float_of_bits(0x00800000u), subnormal = float_of_bits(1), half = 0.5f, result;
  run r;
  memset(&r, 0, sizeof r);
  r.mode = MODE_WATCHED;
  CALL(&r, result = tiny * half);
  CHECK(r.flags == FLAG_UNDERFLOW, "an underflow is not seen: %x", r.flags);
  r.flags = 0;
  CALL(&r, result = subnormal + half);
  CHECK(r.flags == FLAG_DENORMAL, "a subnormal operand is not seen: %x", r.flags);
  CHECK(is_strange(-0.0f) && is_strange(subnormal) && is_strange(tiny) && is_strange(NAN), "the scan sees nothing");
  CHECK(!is_strange(0.0f) && !is_strange(-1.0f), "the scan sees too much");
  (void)result;
}

/* A group of trials, projected or not: those of two tiers come first. */
static int tested_group;

static const char *group_name(int number) {
  static char name[32];
  snprintf(name, sizeof name, "%s_%s", groups[number % GROUP_COUNT].name,
           number < GROUP_COUNT ? "two_tiers" : "projected");
  return name;
}

static void select_group(int number) {
  tested_group = number;
}

static const test_cases every_group = {0, 2 * GROUP_COUNT, group_name, select_group};

static void test_group(void) {
  const trial_group *group = &groups[tested_group % GROUP_COUNT];
  int tiers = tested_group < GROUP_COUNT ? 2 : 3, first = 0, started = 0;
  for (int g = 0; g < tested_group; g++)
    first += groups[g % GROUP_COUNT].count;
  const int trials = (group->count + STRIDE - 1) / STRIDE;
  for (int i = 0; i < group->count; i += STRIDE) {
    trial t = make_trial(group, i, tiers);
    started += judge(&t, first + i);
  }
  printf("%5d trials, %5d of them with a cloth\n", trials, started);
  CHECK(started >= trials / 4, "only %d trials made a cloth", started);
}

static int trial_count(void) {
  int count = 0;
  for (int g = 0; g < GROUP_COUNT; g++)
    count += groups[g].count;
  return count;
}

/* Those of two tiers come first. */
static trial trial_numbered(int number) {
  int g = 0, tiers = number < trial_count() ? 2 : 3;
  number %= trial_count();
  while (g < GROUP_COUNT - 1 && number >= groups[g].count)
    number -= groups[g++].count;
  return make_trial(&groups[g], number, tiers);
}

static const test tests[] = {
    TEST(watch),
    TEST_EACH(every_group, group),
};

int main(int count, char **arguments) {
  if (count > 1 && arguments[1][0] >= '0' && arguments[1][0] <= '9') {
    int number = atoi(arguments[1]);
    trial t = trial_numbered(number);
    printf("%s\n", t.name);
    if (count > 2) run_trial(&t, MODE_TRAPPED);
    judge(&t, number);
    return check_report();
  }
  return RUN_TESTS(count, arguments, tests);
}
#endif
