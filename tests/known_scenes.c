/* Scenes that use one feature after the other, in ways that differ from case to case, and the hash of all that comes
   out of each: states, results, statistics, drawing, rays, contacts, reactions, bounds of work. Whatever is computed
   otherwise than before changes one. The hashes are those of every build on little-endian machines of 32 and 64 bits,
   as what is told are words of memory. Work that was done has a hash of its own, with lanes of one width: cull tests
   and early ends, which change no result, change that. Whoever changes the arithmetic, a bound, a size or a cull test
   on purpose puts new ones here in the same change. SPDX-License-Identifier: MIT */
#include "feature_scenes.h"
#include "flushed.h"

/// Hashes ///

static const struct {
  const char *name;
  void (*play)(void);
  uint64_t expected;
} scenes[] = {
    {"shapes", play_shapes, UINT64_C(0x322641be2af4e85f)},
    {"preconditioners", play_preconditioners, UINT64_C(0x7b6ccad07c8dacb3)},
    {"hull", play_hull, UINT64_C(0xf52b32f3c361e2b1)},
    {"field", play_field, UINT64_C(0xd9bd1bbc682d1038)},
    {"meshes", play_meshes, UINT64_C(0x16c82cdc3d25ac4a)},
    {"distances", play_distances, UINT64_C(0x553503c906a9acc3)},
    {"self", play_self, UINT64_C(0x1e8a1217dc9d15d0)},
    {"self_holes", play_self_holes, UINT64_C(0xcce0625e8f8a224f)},
    {"clap", play_clap, UINT64_C(0x0fa2b28016bf07f9)},
    {"sewn", play_sewn, UINT64_C(0xb3f0b7458ea996e5)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0xa28564d62bcecdcc)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x16866ca32046f8e3)},
    {"gathers", play_gathers, UINT64_C(0x171c077ee6f75b7a)},
    {"strips", play_strips, UINT64_C(0xf5147638ed3b7918)},
    {"flaps", play_flaps, UINT64_C(0xdee205fae7f2bb2e)},
    {"woken", play_all_woken, UINT64_C(0xb962f5c448bf6f6a)},
    {"asleep", play_asleep, UINT64_C(0x69f47f86c674a5bd)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0xb7f7789221a4659f)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0x52e528a972b19c14)},
    {"tears", play_tears, UINT64_C(0x55a887a86db53f58)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x7999fc498db92242)},
    {"targets", play_targets, UINT64_C(0x2d7671ad1e5cbaba)},
    {"bodies", play_bodies, UINT64_C(0xa51619110de142e0)},
    {"workers", play_workers, UINT64_C(0xa9dd6c5a32b5ce0d)},
    {"random_1", play_random_1, UINT64_C(0xd9b8ad87a57f1d28)},
    {"random_2", play_random_2, UINT64_C(0xf883f89b6c1480f7)},
    {"plans", play_plans, UINT64_C(0xcc3b3a56bb8c907f)},
    {"settled", play_settled, UINT64_C(0x277d83d45473dbe9)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0xe3a3fe3942918f1a), UINT64_C(0x3afc2da552d32746), UINT64_C(0x31c2cfd2dcbe5805),
    UINT64_C(0x9cda4c8f0ff9b319), UINT64_C(0x65f596b27088264d), UINT64_C(0xedf3d55e7e4278ab),
    UINT64_C(0xedf66b66ec88a0ad), UINT64_C(0xb537b6b7574cc28f), UINT64_C(0xf6e6d23679861c8a),
    UINT64_C(0x4d4efe861f95d0c7), UINT64_C(0xea2bcd075debebd4), UINT64_C(0xcf8da19b5796850b),
    UINT64_C(0xe43f679335cc39e3), UINT64_C(0x7e9d64f3f1c09600), UINT64_C(0x4d7d88126804d520),
    UINT64_C(0x9a6d93c19c6fa56d), UINT64_C(0x9079832363db1257), UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000), UINT64_C(0x6dfa6c5d48fafede), UINT64_C(0x0000000000000000),
    UINT64_C(0xc6f08385ee06df54), UINT64_C(0xd8e4491b6c053575), UINT64_C(0x0b6158c1765bde0c),
    UINT64_C(0x3009024676168974), UINT64_C(0xf55b1368bb119d4a), UINT64_C(0x63c7af1bfd4cc7f6),
    UINT64_C(0x040d61563eff0666), UINT64_C(0x3f48c36d27a1fc8d), 0,
    UINT64_C(0xf0a618cfdf5c36ea)};

#if defined(__SSE2__) && !defined(__AVX2__) && !defined(CLOTH_SCALAR)
#define KNOWS_WORK 1
#else
#define KNOWS_WORK 0
#endif

static int played;

static const char *scene_name(int number) {
  return scenes[number].name;
}

static void select_scene(int number) {
  played = number;
}

static const test_cases every_scene = {0, (int)(sizeof scenes / sizeof scenes[0]), scene_name, select_scene};

static void test_scene(void) {
  told = worked = 0;
  scenes[played].play();
  CHECK(told == scenes[played].expected, "%s: UINT64_C(0x%08lx%08lx)", scenes[played].name, (unsigned long)(told >> 32),
        (unsigned long)(told & 0xffffffffu));
  CHECK(!KNOWS_WORK || worked == works[played], "%s, work: UINT64_C(0x%08lx%08lx)", scenes[played].name,
        (unsigned long)(worked >> 32), (unsigned long)(worked & 0xffffffffu));
}

static const test tests[] = {
    TEST_EACH(every_scene, scene),
};

/* known_scenes flushed ...: on x86 with subnormal numbers taken, and returned, as 0. */
int main(int count, char **arguments) {
  take_flushed(&count, &arguments);
  return RUN_TESTS(count, arguments, tests);
}
