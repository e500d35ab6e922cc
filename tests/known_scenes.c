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
    {"shapes", play_shapes, UINT64_C(0xb0fd8b333c319d55)},
    {"preconditioners", play_preconditioners, UINT64_C(0x6f010b31c00e37f0)},
    {"hull", play_hull, UINT64_C(0xa8db1762b444ad48)},
    {"field", play_field, UINT64_C(0xe8271862f258dc3b)},
    {"meshes", play_meshes, UINT64_C(0xbfc72b9c4d41ee73)},
    {"distances", play_distances, UINT64_C(0xc873fb9b5d041850)},
    {"self", play_self, UINT64_C(0x882c606910fc88b2)},
    {"self_holes", play_self_holes, UINT64_C(0x76028e9b018556b6)},
    {"clap", play_clap, UINT64_C(0xad68185c310f3ae6)},
    {"sewn", play_sewn, UINT64_C(0x7e4eee3b64390b91)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0xb4257a0086776584)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x82d3d376c5a9a4f6)},
    {"gathers", play_gathers, UINT64_C(0x320e0bc5559984b3)},
    {"strips", play_strips, UINT64_C(0xe4cf932da5d77f24)},
    {"flaps", play_flaps, UINT64_C(0xd4ce398ac5a1ae85)},
    {"woken", play_all_woken, UINT64_C(0x49626f5231ee9243)},
    {"asleep", play_asleep, UINT64_C(0x07995ba818004566)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0xd2d119b57d5a480b)},
    {"air", play_air, UINT64_C(0x4f45f6395e2c2090)},
    {"origins", play_origins, UINT64_C(0x1d92c06b0805c838)},
    {"loose_group", play_loose_group, UINT64_C(0xdb5ed584bb933e8d)},
    {"tears", play_tears, UINT64_C(0x5b73b81cd3af509e)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x9da9524b87845274)},
    {"targets", play_targets, UINT64_C(0x7876159c4df512bf)},
    {"bodies", play_bodies, UINT64_C(0x108ce3013fbea1c3)},
    {"workers", play_workers, UINT64_C(0x22747a8f8559626e)},
    {"random_1", play_random_1, UINT64_C(0x03c9fa840b289994)},
    {"random_2", play_random_2, UINT64_C(0x74047b2408487849)},
    {"plans", play_plans, UINT64_C(0xb5214256d254194c)},
    {"settled", play_settled, UINT64_C(0x52a76cb0e15268f0)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0x38d68ab3424e3f37)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0x402569d6543aede2)},
    {"worlds", play_worlds, UINT64_C(0xd425b1fa732b35ba)},
    {"tailored", play_tailored, UINT64_C(0x40c071c26df46c61)},
    {"terrains", play_terrains, UINT64_C(0x92a3796bcbdc6255)},
    {"config_costs", play_config_costs, UINT64_C(0xaec4d9eb72440333)},
    {"limits", play_limits, UINT64_C(0x5330b2c5f940b406)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x08818a3d1efab4d9)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x31a777c1b5df2f62),
    UINT64_C(0xf1d15fd97f248fde),
    UINT64_C(0x88dd1c981dbc8401),
    UINT64_C(0x9fc756ba2e705d03),
    UINT64_C(0xb357e90071809d23),
    UINT64_C(0x2232027e05ce10f9),
    UINT64_C(0x8792aff28d0147b0),
    UINT64_C(0xf1274039bb03aadc),
    UINT64_C(0xac8a4997e2e9fc6e),
    UINT64_C(0xae28d83d8fd07711),
    UINT64_C(0x48ecab08bffbcd8c),
    UINT64_C(0xefeae9ec9c9329e7),
    UINT64_C(0x49df9dcd46670d30),
    UINT64_C(0x0c0aa00cb6a5ecfc),
    UINT64_C(0x82f14362b8b171e6),
    UINT64_C(0x1362269726ebd127),
    UINT64_C(0xf5da7d904c5db19a),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x9035533599c87b38),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x3f582c22b26dc7b1),
    UINT64_C(0x96bb4107316360ae),
    UINT64_C(0x068635a7709b7e3e),
    UINT64_C(0xf9eb440e4fb3e4bb),
    UINT64_C(0x4c6e360e0cd535d5),
    UINT64_C(0x38d5de13cc9082b7),
    UINT64_C(0x3a6792a2f0e992ea),
    UINT64_C(0x1701a71cc8ca593d),
    0,
    UINT64_C(0x8dd383b8eeecad86),
    0,
    UINT64_C(0xdc25487785d67ea7),
    UINT64_C(0x4a7eb1ab5e3b062a),
    UINT64_C(0xfb04e60aba8e9ccf),
    UINT64_C(0xb8e7f39bd53344a3),
    UINT64_C(0xe1189ac6a230df6c),
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
