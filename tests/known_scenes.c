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
    {"shapes", play_shapes, UINT64_C(0xfb9e445112f3a331)},
    {"preconditioners", play_preconditioners, UINT64_C(0xc7ad1fd4447f4bce)},
    {"hull", play_hull, UINT64_C(0xe5cdbcef6dc0de03)},
    {"field", play_field, UINT64_C(0x68fa91a40ad0da20)},
    {"meshes", play_meshes, UINT64_C(0xd7e3a1c8c67b4329)},
    {"distances", play_distances, UINT64_C(0x821454d47cc8b3b2)},
    {"self", play_self, UINT64_C(0xa6e6683259d82caf)},
    {"self_holes", play_self_holes, UINT64_C(0x42c11a053ec04d90)},
    {"clap", play_clap, UINT64_C(0x60c721513db32dc7)},
    {"sewn", play_sewn, UINT64_C(0x37517a93ea2eab15)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x7431331e7fa8720f)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x63746e396686d631)},
    {"gathers", play_gathers, UINT64_C(0x882842efd9b13a20)},
    {"strips", play_strips, UINT64_C(0x710cb5dc4cb544aa)},
    {"flaps", play_flaps, UINT64_C(0xfdb2ce4e1bf91562)},
    {"woken", play_all_woken, UINT64_C(0x1c70a1ca48af6e8a)},
    {"asleep", play_asleep, UINT64_C(0xb102b073947c9244)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x1dfb1ebcd3648e48)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0xace710e0ee1150bb)},
    {"tears", play_tears, UINT64_C(0x9e159c040d96813d)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x74a94a030508ebc0)},
    {"targets", play_targets, UINT64_C(0x979028bc24180f30)},
    {"bodies", play_bodies, UINT64_C(0xa60bbdcce59058e4)},
    {"workers", play_workers, UINT64_C(0x2ae00513805f9d4c)},
    {"random_1", play_random_1, UINT64_C(0xb0fee0ec7516cedc)},
    {"random_2", play_random_2, UINT64_C(0x82d411506e1c276e)},
    {"plans", play_plans, UINT64_C(0x328099ba951ecf33)},
    {"settled", play_settled, UINT64_C(0x2d442d32fac7867f)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x6eb42d59e4de0684), UINT64_C(0x54c512fe56dd392b), UINT64_C(0x386311ccdb3d29db),
    UINT64_C(0xbad47e459952293e), UINT64_C(0xda3ca0d3a1126ee8), UINT64_C(0xa2824952340800ed),
    UINT64_C(0x9b8eb6f61da4a83f), UINT64_C(0x2ab3a0c42d071d45), UINT64_C(0xb00e50508303f34d),
    UINT64_C(0x325e8b50ff21bbdb), UINT64_C(0xf86a2fd80ad9f776), UINT64_C(0x49d888f93bd16802),
    UINT64_C(0x26965dd9a4b666ee), UINT64_C(0xabd109f7b5e27fff), UINT64_C(0x7f0acf8a876cfa9a),
    UINT64_C(0x05e23e1191f11d6e), UINT64_C(0xed12db6e0ffc7518), UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000), UINT64_C(0x80b82bab2dcc6a13), UINT64_C(0x0000000000000000),
    UINT64_C(0xdae239f6e07aba8c), UINT64_C(0x11f3f90025f61ac9), UINT64_C(0xb531213f6a50f29c),
    UINT64_C(0xd42147af2a11b76d), UINT64_C(0xb93049c7f7529242), UINT64_C(0x748d42c113bd0fca),
    UINT64_C(0xfe67cff4d0981a89), UINT64_C(0xe70e432ef28ee227), 0,
    UINT64_C(0xb627dfa90c086357),
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
