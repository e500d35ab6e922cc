/* Scenes that use one feature after the other, in ways that differ from case to case, and the hash of all that comes
   out of each: states, results, statistics, drawing, rays, contacts, reactions, bounds of work. Whatever is computed
   otherwise than before changes one. The hashes are those of every build on little-endian machines of 32 and 64 bits,
   as what is told are words of memory. Work that was done has a hash of its own, with lanes of one width: cull tests
   and early ends, which change no result, change that. Whoever changes the arithmetic, a bound, a size or a cull test
   on purpose puts new ones here in the same change. SPDX-License-Identifier: MIT */
#include "random_scenes.h"

/// Hashes ///

static const struct {
  const char *name;
  void (*play)(void);
  uint64_t expected;
} scenes[] = {
    {"shapes", play_shapes, UINT64_C(0xe6c1c21659832df7)},
    {"preconditioners", play_preconditioners, UINT64_C(0x7af9f4c6434b07c5)},
    {"hull", play_hull, UINT64_C(0x4fb3f54f0928586f)},
    {"field", play_field, UINT64_C(0x5ca2c082cb255145)},
    {"meshes", play_meshes, UINT64_C(0x3520b6af07d8b214)},
    {"distances", play_distances, UINT64_C(0xcfc7aec25c631d55)},
    {"self", play_self, UINT64_C(0xc37198acb223b8e9)},
    {"self_holes", play_self_holes, UINT64_C(0x18350b9271e10c7a)},
    {"clap", play_clap, UINT64_C(0x73961545dd6d819b)},
    {"sewn", play_sewn, UINT64_C(0x5665bad86f5f6813)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x1d25831cda364ac8)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x638e714decbe8c0f)},
    {"gathers", play_gathers, UINT64_C(0x222534b4c835a64f)},
    {"strips", play_strips, UINT64_C(0xc5f12834ee218868)},
    {"flaps", play_flaps, UINT64_C(0xeb91a2d75dd3c81b)},
    {"woken", play_all_woken, UINT64_C(0x28d96d31142f3fe6)},
    {"asleep", play_asleep, UINT64_C(0x85b30cf565a5735d)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x1016b7fae917361d)},
    {"origins", play_origins, UINT64_C(0x956da8be25bd2a14)},
    {"loose_group", play_loose_group, UINT64_C(0x19bd22aee4da497d)},
    {"tears", play_tears, UINT64_C(0xec2c2392cba4a5c0)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0xd9d9556fc6071ef9)},
    {"targets", play_targets, UINT64_C(0xe9fbae27e2bfac85)},
    {"bodies", play_bodies, UINT64_C(0x11672ecc02169f69)},
    {"workers", play_workers, UINT64_C(0xe485472671f4fe2a)},
    {"random_1", play_random_1, UINT64_C(0x9c0fc9c38cf5acc9)},
    {"random_2", play_random_2, UINT64_C(0x6af401b6b60d3ec6)},
    {"plans", play_plans, UINT64_C(0x304b447fb13f50f1)},
    {"settled", play_settled, UINT64_C(0xa906c52b31726005)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0x05bd97b737ef0151)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0xf9f79cc0d8f5e648)},
    {"worlds", play_worlds, UINT64_C(0xbffc91254729d1c5)},
    {"tailored", play_tailored, UINT64_C(0x8cc4e977bca5f635)},
    {"terrains", play_terrains, UINT64_C(0xa0cf36ea570d5dde)},
    {"config_costs", play_config_costs, UINT64_C(0x85687ebd6fc08d25)},
    {"limits", play_limits, UINT64_C(0x2173da78fa9bed81)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x4826f221a249b21e)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0xb7a4863f01d2af7a),
    UINT64_C(0x9f74bf47f6d9ccdc),
    UINT64_C(0x2d9b113dec5e105c),
    UINT64_C(0x2bc43e324745fa6c),
    UINT64_C(0xbc1df98f184bca5b),
    UINT64_C(0xd71c507dde8e53ad),
    UINT64_C(0x5dc85332c99422c1),
    UINT64_C(0xbc3113b95cf1624f),
    UINT64_C(0x6bbd45155d83c4e9),
    UINT64_C(0x167de0ad10c6bc7a),
    UINT64_C(0x7ff92c5417a1ac9e),
    UINT64_C(0xbfdfd84944b5f688),
    UINT64_C(0x40ba1cedbf2a87a4),
    UINT64_C(0x675611af70a74f78),
    UINT64_C(0x0df4a123a9cf79ca),
    UINT64_C(0xfdfcafc1be6edbe3),
    UINT64_C(0xc70b4941d6452d6e),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xbfc96c86f00b8b6e),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x28545277ef158ba4),
    UINT64_C(0x2911e4dc21a9489e),
    UINT64_C(0x556e4e7d64784df7),
    UINT64_C(0x18a9bdb280551475),
    UINT64_C(0xc42c9cb372bb93e2),
    UINT64_C(0x34333f5b4e13b8be),
    UINT64_C(0xc6472489a9cc808b),
    UINT64_C(0xda6932e0d521fa47),
    0,
    UINT64_C(0xd50b91fc6436ca3d),
    0,
    UINT64_C(0x71a1508a5c554878),
    UINT64_C(0x51a48cb5ab63232b),
    UINT64_C(0x7405f3d67ba29d88),
    UINT64_C(0x636c0593483e26b4),
    UINT64_C(0xb7c5b2fd825f9478),
    0,
    0,
    0,
    0,
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

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
