/* Scenes that use one feature after the other, in ways that differ from case to case, and the hash of all that comes
   out of each: states, results, statistics, drawing, rays, contacts, reactions, bounds of work. Whatever is computed
   otherwise than before changes one. The hashes are those of every build on little-endian machines of 32 and 64 bits,
   as what is told are words of memory. Work that was done has a hash of its own, with lanes of one width: cull tests
   and early ends, which change no result, change that. Whoever changes the arithmetic, a bound, a size or a cull test
   on purpose puts new ones here in the same change. SPDX-License-Identifier: MIT */
#include "feature_scenes.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/// Hashes ///

static const struct {
  const char *name;
  void (*play)(void);
  uint64_t expected;
} scenes[] = {
    {"shapes", play_shapes, UINT64_C(0x262b7899430463a5)},
    {"preconditioners", play_preconditioners, UINT64_C(0xf56f3002099cdf60)},
    {"hull", play_hull, UINT64_C(0x418ab14b2fe46c10)},
    {"field", play_field, UINT64_C(0xb0a6accd33d496eb)},
    {"meshes", play_meshes, UINT64_C(0x35d1c72bad585495)},
    {"distances", play_distances, UINT64_C(0xdd0462c4500f39c3)},
    {"self", play_self, UINT64_C(0x2edb61a842fa92c5)},
    {"self_holes", play_self_holes, UINT64_C(0x25e1b717a645feae)},
    {"clap", play_clap, UINT64_C(0xf5ca5b6b15315af8)},
    {"sewn", play_sewn, UINT64_C(0x563286293bcc620d)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0xfa78762f5ff1d393)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x1e33fed1d238c261)},
    {"gathers", play_gathers, UINT64_C(0x4520d588d80d936d)},
    {"strips", play_strips, UINT64_C(0xe0005397037e89c3)},
    {"flaps", play_flaps, UINT64_C(0x3a396a74d4efc887)},
    {"woken", play_all_woken, UINT64_C(0x7323037f8839b58d)},
    {"asleep", play_asleep, UINT64_C(0x50e9a1be3e55aaa1)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x1dfb1ebcd3648e48)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0x6516747b69683643)},
    {"tears", play_tears, UINT64_C(0x6f93c10243eaa396)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x8cdfe369f1935209)},
    {"targets", play_targets, UINT64_C(0x979028bc24180f30)},
    {"bodies", play_bodies, UINT64_C(0x246370a3043607c1)},
    {"workers", play_workers, UINT64_C(0x78bd30388107e590)},
    {"random_1", play_random_1, UINT64_C(0x43185bee3d35fe68)},
    {"random_2", play_random_2, UINT64_C(0xe524bf66849d6250)},
    {"plans", play_plans, UINT64_C(0x6e11f6f9e60818de)},
    {"settled", play_settled, UINT64_C(0xef6487e1fcc7a436)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x2d810fb613e41073), UINT64_C(0x41b7db326b07366b), UINT64_C(0x8c11ee1dc4e3ee45),
    UINT64_C(0x4b62470191495f0e), UINT64_C(0x15a9c94668ebd9e8), UINT64_C(0x523cced6ffa90801),
    UINT64_C(0x6dbfa41bc7457424), UINT64_C(0xc6c7ef320018761c), UINT64_C(0xb95da3e6e16a295e),
    UINT64_C(0x808048f455f6f9ce), UINT64_C(0xf6e53f4b00a4759c), UINT64_C(0xdf317790d71f03ff),
    UINT64_C(0x2550c492758dd0fb), UINT64_C(0x758cdc2891ce11e9), UINT64_C(0x43bded7796a29ce7),
    UINT64_C(0xeaeb3414b1fbd8d8), UINT64_C(0x41a6a7511f8e06ea), UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000), UINT64_C(0x80b82bab2dcc6a13), UINT64_C(0x0000000000000000),
    UINT64_C(0x4841b2cd62a73f3b), UINT64_C(0xc2d2fce770a9bec4), UINT64_C(0x6edff8edba2e0e84),
    UINT64_C(0xd42147af2a11b76d), UINT64_C(0xfbbc8fed1b79710f), UINT64_C(0x7f4a3997926ac161),
    UINT64_C(0x7442fa9e7c0472bf), UINT64_C(0x2d750daae5353135), 0,
    UINT64_C(0xd29311b9cbbb7e65),
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
#if defined(__SSE__)
  if (count > 1 && strcmp(arguments[1], "flushed") == 0) {
    _mm_setcsr(_mm_getcsr() | 0x8040u);
    arguments++;
    count--;
  }
#endif
  return RUN_TESTS(count, arguments, tests);
}
