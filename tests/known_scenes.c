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
    {"shapes", play_shapes, UINT64_C(0xd53e79883975d2ce)},
    {"preconditioners", play_preconditioners, UINT64_C(0x18b13522747abfca)},
    {"hull", play_hull, UINT64_C(0xf6ece9aaf702dba0)},
    {"field", play_field, UINT64_C(0xfce925ab88b43ce2)},
    {"meshes", play_meshes, UINT64_C(0x07307d4a2b527918)},
    {"distances", play_distances, UINT64_C(0x586cffa3068eb914)},
    {"self", play_self, UINT64_C(0xaaaeda5e06f3b9f0)},
    {"self_holes", play_self_holes, UINT64_C(0xe3f9a833fec02b11)},
    {"clap", play_clap, UINT64_C(0x35ef1a0dad7f236e)},
    {"sewn", play_sewn, UINT64_C(0xb3f0b7458ea996e5)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x76867b955eaf1d5d)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x16866ca32046f8e3)},
    {"gathers", play_gathers, UINT64_C(0x6f7f2ecdcfb60351)},
    {"strips", play_strips, UINT64_C(0xd679024e56679e61)},
    {"flaps", play_flaps, UINT64_C(0x08963936c0399b9a)},
    {"woken", play_all_woken, UINT64_C(0x8157a5b6b9ff64a6)},
    {"asleep", play_asleep, UINT64_C(0x7096b014aa53bc95)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x83cb06090fa4d640)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0x52e528a972b19c14)},
    {"tears", play_tears, UINT64_C(0x780dca2d2de79180)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x1546e06c239fa4a7)},
    {"targets", play_targets, UINT64_C(0xc21950320b75c252)},
    {"bodies", play_bodies, UINT64_C(0x7dec7eeb1888c08d)},
    {"workers", play_workers, UINT64_C(0xa24448c5b579803c)},
    {"random_1", play_random_1, UINT64_C(0x741f2df5b786f636)},
    {"random_2", play_random_2, UINT64_C(0x49a9854cab03e2b0)},
    {"plans", play_plans, UINT64_C(0x475f1f2ec0abf75f)},
    {"settled", play_settled, UINT64_C(0x7eb36e355fac428b)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0xf463b01f31455ef7), UINT64_C(0x885cf6ebb4b8fced), UINT64_C(0x675d826f348e2ed2),
    UINT64_C(0x6fa1fb11398b2064), UINT64_C(0x0fe12da52f957fe8), UINT64_C(0xa1bdd2b5149f1ae7),
    UINT64_C(0xbc1bf4d68a116928), UINT64_C(0x03aa967d5d140aca), UINT64_C(0x8b94b114fa3b69cc),
    UINT64_C(0x895f623ef69880cc), UINT64_C(0x502145e768eb7839), UINT64_C(0x62b352b9b0c04449),
    UINT64_C(0x0c27e3b544323eea), UINT64_C(0x67673e70b6a159c2), UINT64_C(0x6f4efa61d82cafad),
    UINT64_C(0x0f35defca986f1ba), UINT64_C(0x931d1dc623642fca), UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000), UINT64_C(0xb12a76be3de44163), UINT64_C(0x0000000000000000),
    UINT64_C(0xa9ee6016410af39a), UINT64_C(0x0423cffb91e99449), UINT64_C(0xdd327ad00e696bc6),
    UINT64_C(0x20eedc750c7392f4), UINT64_C(0xb898c360eccdf0dd), UINT64_C(0xc7ea4818131ff53b),
    UINT64_C(0xd895f0548debdf02), UINT64_C(0x1cf12815fb38a8df), 0,
    UINT64_C(0x475508995401180f),
};

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
