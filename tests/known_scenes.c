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
    {"shapes", play_shapes, UINT64_C(0xb785d837cc13c616)},
    {"preconditioners", play_preconditioners, UINT64_C(0xf731ecb1cf0476aa)},
    {"hull", play_hull, UINT64_C(0x6639ce29ebdafa8f)},
    {"field", play_field, UINT64_C(0x8ad4ec142e2498ff)},
    {"meshes", play_meshes, UINT64_C(0xa08a608ff6e16bb0)},
    {"distances", play_distances, UINT64_C(0x8773261c2c41f27f)},
    {"self", play_self, UINT64_C(0xfb46419e139252c4)},
    {"self_holes", play_self_holes, UINT64_C(0x4898fb7ee6991b69)},
    {"clap", play_clap, UINT64_C(0xfb5e32e8aba921fd)},
    {"sewn", play_sewn, UINT64_C(0xc441ec3f9caf5233)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x0e251b3162d8a45f)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0xc1656aa98bc1a3bd)},
    {"gathers", play_gathers, UINT64_C(0x83e3f25dbd660159)},
    {"strips", play_strips, UINT64_C(0x558514e3d28e4491)},
    {"flaps", play_flaps, UINT64_C(0x8d69feb5940f8af8)},
    {"woken", play_all_woken, UINT64_C(0xd8ef338b6330402b)},
    {"asleep", play_asleep, UINT64_C(0xc27873024e2d76b5)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0xa0220a8b24f31c58)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0x05a3e0320672f8ed)},
    {"tears", play_tears, UINT64_C(0x5f0b5abb3c909d0a)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0xcbbdb2bae2769f84)},
    {"targets", play_targets, UINT64_C(0xd58cd281bdf229c8)},
    {"bodies", play_bodies, UINT64_C(0xe635dc9990e71876)},
    {"workers", play_workers, UINT64_C(0xc0e7e3f0b3d22a2f)},
    {"random_1", play_random_1, UINT64_C(0x7e2b453e939429f6)},
    {"random_2", play_random_2, UINT64_C(0x3ea2bce6fcbd8eb2)},
    {"plans", play_plans, UINT64_C(0x77c982e603784a54)},
    {"settled", play_settled, UINT64_C(0x203004f1ffecc92d)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0xae3538568f43619b), UINT64_C(0xc1a69659c5f9dca5), UINT64_C(0x5d7c5d876e556eef),
    UINT64_C(0x29d507e6b08cf6c3), UINT64_C(0xb264a7f6b02588c1), UINT64_C(0x93566337274636e6),
    UINT64_C(0x25118826c80d7064), UINT64_C(0xebab6c794d539dcd), UINT64_C(0xc1356c2be26b7576),
    UINT64_C(0x7b1a95035447918b), UINT64_C(0x4133cd0236f7c6d8), UINT64_C(0x41b2bef3158b76f9),
    UINT64_C(0x5e0c7c1df44c3588), UINT64_C(0xcfc3a7e9507a2352), UINT64_C(0xac5983c636b6c20e),
    UINT64_C(0x4449ce51f43b376d), UINT64_C(0xb211e1ae1483c94b), UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000), UINT64_C(0xb12a76be3de44163), UINT64_C(0x0000000000000000),
    UINT64_C(0x8af4f8f29d5e769d), UINT64_C(0x74a828f9442c0a87), UINT64_C(0x370d0dcad0b623fb),
    UINT64_C(0xe1733d27d1935647), UINT64_C(0xacadbafc0e854f44), UINT64_C(0xc5db4153f3c0b886),
    UINT64_C(0x8c79e6dc6e440203), UINT64_C(0x7b8038ac1a09ef53), 0,
    UINT64_C(0x3b8111cd87fbe054),
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
