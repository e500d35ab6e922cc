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
    {"hull", play_hull, UINT64_C(0xef219697e19da23e)},
    {"field", play_field, UINT64_C(0xb9d8eb4020884454)},
    {"meshes", play_meshes, UINT64_C(0x980a33201d52dfcb)},
    {"distances", play_distances, UINT64_C(0x42ae98d23b51b811)},
    {"self", play_self, UINT64_C(0x861c62ac81feb5eb)},
    {"self_holes", play_self_holes, UINT64_C(0xc9b81189625ce933)},
    {"clap", play_clap, UINT64_C(0xe7357d59899797db)},
    {"sewn", play_sewn, UINT64_C(0x71abedbf67dfe597)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x426d9a56bb7b1d79)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0xfa2694b7e8337eaf)},
    {"gathers", play_gathers, UINT64_C(0x8c182ade8782316d)},
    {"strips", play_strips, UINT64_C(0x3f15271eedd5ada7)},
    {"flaps", play_flaps, UINT64_C(0x24bbd3ecad9373c0)},
    {"woken", play_all_woken, UINT64_C(0xb8cfd57fec887786)},
    {"asleep", play_asleep, UINT64_C(0xb8935c56a2ae4b20)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x1dfb1ebcd3648e48)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0x8f5a20f0169a54f1)},
    {"tears", play_tears, UINT64_C(0x2158f04e78118874)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x354cd64b38f9f038)},
    {"targets", play_targets, UINT64_C(0x979028bc24180f30)},
    {"bodies", play_bodies, UINT64_C(0x4661ab52f0f8149f)},
    {"workers", play_workers, UINT64_C(0xf8f3996f244059af)},
    {"random_1", play_random_1, UINT64_C(0xeb1bc57efd58f674)},
    {"random_2", play_random_2, UINT64_C(0x0f7bed33fc0b6a62)},
    {"plans", play_plans, UINT64_C(0x328099ba951ecf33)},
    {"settled", play_settled, UINT64_C(0x1f09e3d4e21a6fbe)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x31d83bac3cb1a055), UINT64_C(0x28f04d5729a0920b), UINT64_C(0x5c9d076085f142d5),
    UINT64_C(0x7ffc4cb402e57cd3), UINT64_C(0xf9bf2f10ba8b0ec6), UINT64_C(0x9e904b8ae2217553),
    UINT64_C(0x4cfeef9ef5484bd1), UINT64_C(0xcc16b3921aaa06cf), UINT64_C(0x61010e8edaa3ba09),
    UINT64_C(0x8fe7d6b569d3a555), UINT64_C(0xdfeb29f3a637e43f), UINT64_C(0xb1ab5c9a44e738d6),
    UINT64_C(0x0c27e3b544323eea), UINT64_C(0x67673e70b6a159c2), UINT64_C(0x6f4efa61d82cafad),
    UINT64_C(0x0f35defca986f1ba), UINT64_C(0x3a42c768160eaf54), UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000), UINT64_C(0x80b82bab2dcc6a13), UINT64_C(0x0000000000000000),
    UINT64_C(0x62efb0642e61447b), UINT64_C(0xbd3dfb57fa1c6662), UINT64_C(0x3281c705c078cd28),
    UINT64_C(0x1c68ae59549d3f49), UINT64_C(0xd10575fcebfd031e), UINT64_C(0xdbd1038ce07639f2),
    UINT64_C(0xb0718b93dbd3140b), UINT64_C(0x32a6704438c4831e), 0,
    UINT64_C(0x12e3ea4b09fbab69),
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
