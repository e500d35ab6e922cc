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
    {"shapes", play_shapes, UINT64_C(0x3e799ff6d424c05d)},
    {"preconditioners", play_preconditioners, UINT64_C(0x8ac545f159b0c007)},
    {"hull", play_hull, UINT64_C(0x7c0cceb08e9184b5)},
    {"field", play_field, UINT64_C(0x196ffa967b05af17)},
    {"meshes", play_meshes, UINT64_C(0x7928ce4dafcf4d45)},
    {"distances", play_distances, UINT64_C(0x0b420c7296783cf3)},
    {"self", play_self, UINT64_C(0xcdc13818fff1c7ea)},
    {"self_holes", play_self_holes, UINT64_C(0x0009d43ee7ca3e22)},
    {"clap", play_clap, UINT64_C(0x7ab25e354dbdf43c)},
    {"sewn", play_sewn, UINT64_C(0x9c47017b71ed115c)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x30ae3da2e8219138)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x19795a40e8adda05)},
    {"gathers", play_gathers, UINT64_C(0x140f68a780ae31a2)},
    {"strips", play_strips, UINT64_C(0xd679024e56679e61)},
    {"flaps", play_flaps, UINT64_C(0xb37f1dc8c528fd91)},
    {"woken", play_all_woken, UINT64_C(0x8157a5b6b9ff64a6)},
    {"asleep", play_asleep, UINT64_C(0xb8935c56a2ae4b20)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x1dfb1ebcd3648e48)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0x640704054c602c7f)},
    {"tears", play_tears, UINT64_C(0xe3ce2ba3e11744fd)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0xbe6198deae302e85)},
    {"targets", play_targets, UINT64_C(0x1f5592e7f3f0badb)},
    {"bodies", play_bodies, UINT64_C(0x4661ab52f0f8149f)},
    {"workers", play_workers, UINT64_C(0x7cd1e44b2e1a24c5)},
    {"random_1", play_random_1, UINT64_C(0xed2eb3dd6b84a670)},
    {"random_2", play_random_2, UINT64_C(0xdbb595d473eb3bf6)},
    {"plans", play_plans, UINT64_C(0xff861eb7e3db5f63)},
    {"settled", play_settled, UINT64_C(0x581c70a4627b3fed)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0xae3538568f43619b), UINT64_C(0xc1a69659c5f9dca5), UINT64_C(0x5d7c5d876e556eef),
    UINT64_C(0x29d507e6b08cf6c3), UINT64_C(0xb264a7f6b02588c1), UINT64_C(0x93566337274636e6),
    UINT64_C(0x52337a1d011f2f65), UINT64_C(0x2d61c49adaaac1a1), UINT64_C(0x6c0066372cc47dd7),
    UINT64_C(0xe302168fe9fd604a), UINT64_C(0x4be6fc42187b3192), UINT64_C(0x4dcd413de5a15537),
    UINT64_C(0x0c27e3b544323eea), UINT64_C(0x67673e70b6a159c2), UINT64_C(0xb433aa60a6604f51),
    UINT64_C(0x0f35defca986f1ba), UINT64_C(0x59de2a41576c1456), UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000), UINT64_C(0xb12a76be3de44163), UINT64_C(0x0000000000000000),
    UINT64_C(0x5e7f3efd181e75ba), UINT64_C(0xbcdfd095d5609462), UINT64_C(0x370d0dcad0b623fb),
    UINT64_C(0xe1733d27d1935647), UINT64_C(0xacadbafc0e854f44), UINT64_C(0xe9fa9dcc012d7fef),
    UINT64_C(0xed29409f4c645714), UINT64_C(0x7b8038ac1a09ef53), 0,
    UINT64_C(0x2be5f190ec885674),
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
