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
    {"shapes", play_shapes, UINT64_C(0xf1cd26570763eeef)},
    {"preconditioners", play_preconditioners, UINT64_C(0xc3778a719c0795a7)},
    {"hull", play_hull, UINT64_C(0x82cba6f6f6fc7b56)},
    {"field", play_field, UINT64_C(0xcdea23c640a3c91a)},
    {"meshes", play_meshes, UINT64_C(0x45a7efe510174507)},
    {"distances", play_distances, UINT64_C(0x29824f7a623c7cfa)},
    {"self", play_self, UINT64_C(0x17b009c36d57aa1d)},
    {"self_holes", play_self_holes, UINT64_C(0x69693c9f46586594)},
    {"clap", play_clap, UINT64_C(0x5d27577545d569c0)},
    {"sewn", play_sewn, UINT64_C(0xd55a787b20f115f6)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x3a29171861f0455b)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x2a7a54e901f6c7e7)},
    {"gathers", play_gathers, UINT64_C(0x931978019af0db90)},
    {"strips", play_strips, UINT64_C(0x24ad5a4adfef0321)},
    {"flaps", play_flaps, UINT64_C(0x7b84f1011044eb25)},
    {"woken", play_all_woken, UINT64_C(0x53b3484b2a52b9c1)},
    {"asleep", play_asleep, UINT64_C(0x85b30cf565a5735d)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x273c996a35d9af39)},
    {"air", play_air, UINT64_C(0x1016b7fae917361d)},
    {"origins", play_origins, UINT64_C(0x956da8be25bd2a14)},
    {"loose_group", play_loose_group, UINT64_C(0x1fa57b1aee872f65)},
    {"tears", play_tears, UINT64_C(0xfd4a368be78e3b20)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x15398c339c5b3404)},
    {"targets", play_targets, UINT64_C(0x2ca2cad019e32826)},
    {"bodies", play_bodies, UINT64_C(0x11672ecc02169f69)},
    {"workers", play_workers, UINT64_C(0xe485472671f4fe2a)},
    {"random_1", play_random_1, UINT64_C(0x5e9e8f827fa5baaa)},
    {"random_2", play_random_2, UINT64_C(0xb89aa780fa83aeca)},
    {"plans", play_plans, UINT64_C(0xd81ca617c064a020)},
    {"settled", play_settled, UINT64_C(0xbdde6124135de5bd)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0x6a8c9dffb78efee0)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0xa5e7071cd47b089c)},
    {"worlds", play_worlds, UINT64_C(0xe68b3622d42c6469)},
    {"tailored", play_tailored, UINT64_C(0xd1b31d913f948299)},
    {"terrains", play_terrains, UINT64_C(0x88fd919d5c5ec4db)},
    {"config_costs", play_config_costs, UINT64_C(0x3b22a2c9f232ddb4)},
    {"limits", play_limits, UINT64_C(0xa3ab91e244bec3d7)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x87cb822ce4ca1640)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x3a56529efecf4ede),
    UINT64_C(0xf0e99b4786bfeb85),
    UINT64_C(0x1fde6ac22d00f4bb),
    UINT64_C(0xc9be79fc2b5db23c),
    UINT64_C(0x5c29c5a1565a29f8),
    UINT64_C(0xd9ff7e95efb4f974),
    UINT64_C(0x8791d6d7f08d4ced),
    UINT64_C(0x7c10cf5a830e73bd),
    UINT64_C(0x146db0ee44b3b39e),
    UINT64_C(0x3bef404890f1d102),
    UINT64_C(0x166abd9b10ad514e),
    UINT64_C(0xb7118736c3d43c5b),
    UINT64_C(0x08788fdee789aae6),
    UINT64_C(0x4922e58a935df051),
    UINT64_C(0x459a9ee3c9a26132),
    UINT64_C(0xb52100c14b49a638),
    UINT64_C(0xc70b4941d6452d6e),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xbfc96c86f00b8b6e),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xd2fc0d9e8c8ac0a7),
    UINT64_C(0x4d5bf56f2eaa2f6c),
    UINT64_C(0xd5ab934ff0bc46bb),
    UINT64_C(0x18a9bdb280551475),
    UINT64_C(0xc42c9cb372bb93e2),
    UINT64_C(0x34333f5b4e13b8be),
    UINT64_C(0x8a08bc045bd21a32),
    UINT64_C(0xee33571114ec73a3),
    0,
    UINT64_C(0x607a834fd8d8de00),
    0,
    UINT64_C(0xaf0052c8a65c6833),
    UINT64_C(0xd2de285759393426),
    UINT64_C(0x8d829aa7c71d9133),
    UINT64_C(0x550600c0be8f167e),
    UINT64_C(0x699fa14c894bc15c),
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
