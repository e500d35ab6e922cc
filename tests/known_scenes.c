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
    {"solver_contacts", play_solver_contacts, UINT64_C(0xc1778e955d888635)},
    {"hull", play_hull, UINT64_C(0xd9652327e81ae659)},
    {"field", play_field, UINT64_C(0xe3e17096b66f9c26)},
    {"meshes", play_meshes, UINT64_C(0x926df39a4dbb5f12)},
    {"distances", play_distances, UINT64_C(0x67a85d8e87c4f3e4)},
    {"self", play_self, UINT64_C(0x54095de93068d82c)},
    {"self_holes", play_self_holes, UINT64_C(0x50d268f26e00a567)},
    {"clap", play_clap, UINT64_C(0x53e1aedb66a5d2cf)},
    {"sewn", play_sewn, UINT64_C(0x505273de04a96576)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x247cbfb7c060b971)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0xd5229e5194b216f4)},
    {"gathers", play_gathers, UINT64_C(0x72a1f1a2471d955b)},
    {"strips", play_strips, UINT64_C(0x5d7097c4a634511f)},
    {"flaps", play_flaps, UINT64_C(0x868f48bedd03a04e)},
    {"woken", play_all_woken, UINT64_C(0xe2d0807645f0b815)},
    {"asleep", play_asleep, UINT64_C(0x5473f6c999d614ad)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0xd2d119b57d5a480b)},
    {"air", play_air, UINT64_C(0x536344ecf576705c)},
    {"origins", play_origins, UINT64_C(0x0011ff85e2efe4aa)},
    {"loose_group", play_loose_group, UINT64_C(0x54684b591d83847e)},
    {"tears", play_tears, UINT64_C(0xe4fd31aaa9fc82ca)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0xff18f984d36b3198)},
    {"targets", play_targets, UINT64_C(0x217a9e741bbb918e)},
    {"bodies", play_bodies, UINT64_C(0xd6e051cdced01cc3)},
    {"workers", play_workers, UINT64_C(0x28b26f0d3bad21a7)},
    {"random_1", play_random_1, UINT64_C(0x76acdd67aedf8646)},
    {"random_2", play_random_2, UINT64_C(0x86567b26519d87b3)},
    {"plans", play_plans, UINT64_C(0x25eeb1b75e582e63)},
    {"settled", play_settled, UINT64_C(0x67aa2816ff1ac5f7)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0xe06157146927e4b9)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0xd89107427bd71a4a)},
    {"worlds", play_worlds, UINT64_C(0x4650dc39cbcc869a)},
    {"tailored", play_tailored, UINT64_C(0x7a968624fd82ed94)},
    {"terrains", play_terrains, UINT64_C(0xa8dd09424f5011bb)},
    {"config_costs", play_config_costs, UINT64_C(0xa67675596c28f20d)},
    {"limits", play_limits, UINT64_C(0x5330b2c5f940b406)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x052a8b1f9f0045b2)},
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
    UINT64_C(0xf28a5f8a0a5cf6ad),
    UINT64_C(0x48ecab08bffbcd8c),
    UINT64_C(0xe2eeb0ff39490b80),
    UINT64_C(0x49df9dcd46670d30),
    UINT64_C(0x0c0aa00cb6a5ecfc),
    UINT64_C(0x82f14362b8b171e6),
    UINT64_C(0x1362269726ebd127),
    UINT64_C(0x3235068fd65398c4),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x9035533599c87b38),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xbd832dea5d2a4fe4),
    UINT64_C(0x96bb4107316360ae),
    UINT64_C(0x068635a7709b7e3e),
    UINT64_C(0xf9eb440e4fb3e4bb),
    UINT64_C(0x5c4d4d7a78b569c2),
    UINT64_C(0xa75d98722419ffb1),
    UINT64_C(0x2a9738a13555b4d3),
    UINT64_C(0x2dcc99b5c37363ab),
    0,
    UINT64_C(0xcb2036a7317fae8e),
    0,
    UINT64_C(0xce7cffd97e60bc47),
    UINT64_C(0x4a7eb1ab5e3b062a),
    UINT64_C(0x568b0902c82eeeef),
    UINT64_C(0xf5d597eefa4c3192),
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
