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
    {"shapes", play_shapes, UINT64_C(0x347778a86f14f7db)},
    {"preconditioners", play_preconditioners, UINT64_C(0xea6567999e0fb1af)},
    {"hull", play_hull, UINT64_C(0x74423df4fe17ed65)},
    {"field", play_field, UINT64_C(0xae02716bde1d9bd8)},
    {"meshes", play_meshes, UINT64_C(0x0e016a90fb03f67c)},
    {"distances", play_distances, UINT64_C(0x241a3ccd49357be6)},
    {"self", play_self, UINT64_C(0x10c6a6885c7d8261)},
    {"self_holes", play_self_holes, UINT64_C(0xc14357cb5ddb6423)},
    {"clap", play_clap, UINT64_C(0x35ef1a0dad7f236e)},
    {"sewn", play_sewn, UINT64_C(0xb3f0b7458ea996e5)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x76867b955eaf1d5d)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x16866ca32046f8e3)},
    {"gathers", play_gathers, UINT64_C(0x6f7f2ecdcfb60351)},
    {"strips", play_strips, UINT64_C(0xd679024e56679e61)},
    {"flaps", play_flaps, UINT64_C(0x08963936c0399b9a)},
    {"woken", play_all_woken, UINT64_C(0x8157a5b6b9ff64a6)},
    {"asleep", play_asleep, UINT64_C(0x69f47f86c674a5bd)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0xb7f7789221a4659f)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0x52e528a972b19c14)},
    {"tears", play_tears, UINT64_C(0xbe6633cc45eb5888)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x1546e06c239fa4a7)},
    {"targets", play_targets, UINT64_C(0x57fc05d27a04bd0c)},
    {"bodies", play_bodies, UINT64_C(0xa51619110de142e0)},
    {"workers", play_workers, UINT64_C(0xa9dd6c5a32b5ce0d)},
    {"random_1", play_random_1, UINT64_C(0x9e9ad14f587b917f)},
    {"random_2", play_random_2, UINT64_C(0xf75762efa0b9bd75)},
    {"plans", play_plans, UINT64_C(0x1c8a8fe836e388de)},
    {"settled", play_settled, UINT64_C(0x277d83d45473dbe9)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0xeb10df27e9ee001d), UINT64_C(0xa17c93494e55fec0), UINT64_C(0x3946cdc720f8a57d),
    UINT64_C(0x2ef30b32fc5e5a7e), UINT64_C(0x90cd80d533efcec0), UINT64_C(0xb69437dc291662ea),
    UINT64_C(0xe02a7932fb6b0620), UINT64_C(0xa377a91b8f042962), UINT64_C(0x8cf6eafffbfe488b),
    UINT64_C(0x4d4efe861f95d0c7), UINT64_C(0xea2bcd075debebd4), UINT64_C(0xcf8da19b5796850b),
    UINT64_C(0x0c27e3b544323eea), UINT64_C(0xf094501508cfad22), UINT64_C(0x6f4efa61d82cafad),
    UINT64_C(0x0f35defca986f1ba), UINT64_C(0x9079832363db1257), UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000), UINT64_C(0x6dfa6c5d48fafede), UINT64_C(0x0000000000000000),
    UINT64_C(0xc6f08385ee06df54), UINT64_C(0x5c5d8760c137e9d0), UINT64_C(0x0b6158c1765bde0c),
    UINT64_C(0x3009024676168974), UINT64_C(0xf55b1368bb119d4a), UINT64_C(0x63c7af1bfd4cc7f6),
    UINT64_C(0x2e40f981da9ab4ab), UINT64_C(0xe449feb5767415a2), 0,
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
