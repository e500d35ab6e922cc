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
    {"shapes", play_shapes, UINT64_C(0x3928598facc29580)},
    {"solver_contacts", play_solver_contacts, UINT64_C(0x60be349e88b18665)},
    {"hull", play_hull, UINT64_C(0x778121dee491db9a)},
    {"field", play_field, UINT64_C(0xbc55a3752cb1a888)},
    {"meshes", play_meshes, UINT64_C(0xcedb2cafb8934712)},
    {"distances", play_distances, UINT64_C(0xb9fc92af90dffe29)},
    {"self", play_self, UINT64_C(0x54095de93068d82c)},
    {"self_holes", play_self_holes, UINT64_C(0x50d268f26e00a567)},
    {"clap", play_clap, UINT64_C(0x53e1aedb66a5d2cf)},
    {"sewn", play_sewn, UINT64_C(0x7c44439a0f5ade6b)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x247cbfb7c060b971)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0xd154e0d29c873f2f)},
    {"gathers", play_gathers, UINT64_C(0x72a1f1a2471d955b)},
    {"strips", play_strips, UINT64_C(0x5d7097c4a634511f)},
    {"flaps", play_flaps, UINT64_C(0x868f48bedd03a04e)},
    {"woken", play_all_woken, UINT64_C(0xe2d0807645f0b815)},
    {"asleep", play_asleep, UINT64_C(0xda93353d90b8d4b2)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0xd2d119b57d5a480b)},
    {"air", play_air, UINT64_C(0x536344ecf576705c)},
    {"origins", play_origins, UINT64_C(0x0011ff85e2efe4aa)},
    {"loose_group", play_loose_group, UINT64_C(0xf96ed1e99dfbd8b5)},
    {"tears", play_tears, UINT64_C(0x315fb78bc8e57c16)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x6521b94a02b4cc0d)},
    {"targets", play_targets, UINT64_C(0x80abefbcaf15cec1)},
    {"bodies", play_bodies, UINT64_C(0x299cbadd19e233d6)},
    {"workers", play_workers, UINT64_C(0x0da688c67c012cc3)},
    {"random_1", play_random_1, UINT64_C(0xa0fb17563e3f34d5)},
    {"random_2", play_random_2, UINT64_C(0x8aeb0525fae35212)},
    {"plans", play_plans, UINT64_C(0x25eeb1b75e582e63)},
    {"settled", play_settled, UINT64_C(0xd1b132ca7d11aa4b)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0x5e4e9397e38a19f1)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0xd89107427bd71a4a)},
    {"worlds", play_worlds, UINT64_C(0x22d46d23b8679f3d)},
    {"tailored", play_tailored, UINT64_C(0xc584456fcc505135)},
    {"terrains", play_terrains, UINT64_C(0x606b7d55c0bfca4a)},
    {"config_costs", play_config_costs, UINT64_C(0xa67675596c28f20d)},
    {"limits", play_limits, UINT64_C(0x5330b2c5f940b406)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x257a4f38bcb5cf4f)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x31a777c1b5df2f62),
    UINT64_C(0xf1d15fd97f248fde),
    UINT64_C(0x88dd1c981dbc8401),
    UINT64_C(0xe485ce4d79ce2c83),
    UINT64_C(0x20366be3ca95613d),
    UINT64_C(0x1dbd2bbc1befe84e),
    UINT64_C(0x7e04f800d15f8bf3),
    UINT64_C(0x2f415bf49c6c94a8),
    UINT64_C(0xac8a4997e2e9fc6e),
    UINT64_C(0x51165464ef4f04ed),
    UINT64_C(0x48ecab08bffbcd8c),
    UINT64_C(0x74af2d2a929caa73),
    UINT64_C(0x49df9dcd46670d30),
    UINT64_C(0x0c0aa00cb6a5ecfc),
    UINT64_C(0x82f14362b8b171e6),
    UINT64_C(0x1362269726ebd127),
    UINT64_C(0x3235068fd65398c4),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x9035533599c87b38),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xe53890e8d5304cf7),
    UINT64_C(0x96bb4107316360ae),
    UINT64_C(0x068635a7709b7e3e),
    UINT64_C(0xf9eb440e4fb3e4bb),
    UINT64_C(0x83c7b7c44121aea0),
    UINT64_C(0xa75d98722419ffb1),
    UINT64_C(0x2a9738a13555b4d3),
    UINT64_C(0x2dcc99b5c37363ab),
    0,
    UINT64_C(0x76e1febbef5d47d1),
    0,
    UINT64_C(0xfdf22376ed6f772f),
    UINT64_C(0x4a7eb1ab5e3b062a),
    UINT64_C(0x568b0902c82eeeef),
    UINT64_C(0xbc848deab342885a),
    UINT64_C(0xc71bd06e82f754c4),
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
