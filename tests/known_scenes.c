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
    {"shapes", play_shapes, UINT64_C(0xd9d87abf9cff059a)},
    {"solver_contacts", play_solver_contacts, UINT64_C(0x893ed8cf493d5529)},
    {"hull", play_hull, UINT64_C(0x3a18eb28cc6b29dd)},
    {"field", play_field, UINT64_C(0x46378eeff4386aba)},
    {"meshes", play_meshes, UINT64_C(0x8dcf1fa1defd9f47)},
    {"distances", play_distances, UINT64_C(0x0c765fcd03f9942a)},
    {"self", play_self, UINT64_C(0xfcbf8916574ab700)},
    {"self_holes", play_self_holes, UINT64_C(0xd049638435b579a4)},
    {"clap", play_clap, UINT64_C(0x53e1aedb66a5d2cf)},
    {"sewn", play_sewn, UINT64_C(0xd96ab0c61597125a)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x247cbfb7c060b971)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x2c7d0186c0f64805)},
    {"gathers", play_gathers, UINT64_C(0x72a1f1a2471d955b)},
    {"strips", play_strips, UINT64_C(0x5d7097c4a634511f)},
    {"flaps", play_flaps, UINT64_C(0x868f48bedd03a04e)},
    {"woken", play_all_woken, UINT64_C(0xe2d0807645f0b815)},
    {"asleep", play_asleep, UINT64_C(0x147a9c4334237a8b)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0xd2d119b57d5a480b)},
    {"air", play_air, UINT64_C(0x536344ecf576705c)},
    {"origins", play_origins, UINT64_C(0x0011ff85e2efe4aa)},
    {"loose_group", play_loose_group, UINT64_C(0xdd721e6caecf2ee1)},
    {"tears", play_tears, UINT64_C(0xe4fd31aaa9fc82ca)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0xb3ce518fdef9f60c)},
    {"targets", play_targets, UINT64_C(0x217a9e741bbb918e)},
    {"bodies", play_bodies, UINT64_C(0xd08f8479031dc469)},
    {"workers", play_workers, UINT64_C(0xe6dd4a881606b5c6)},
    {"random_1", play_random_1, UINT64_C(0x23ec2736e5be1524)},
    {"random_2", play_random_2, UINT64_C(0x54f5740eb7712319)},
    {"plans", play_plans, UINT64_C(0xf4892381a68ef125)},
    {"settled", play_settled, UINT64_C(0x8be47f116de81495)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0x012406e19c70f0b8)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0xd89107427bd71a4a)},
    {"worlds", play_worlds, UINT64_C(0x798804daa3a335af)},
    {"tailored", play_tailored, UINT64_C(0x36cc9cac95e4ad0e)},
    {"terrains", play_terrains, UINT64_C(0xb33d3ef35c17de2c)},
    {"config_costs", play_config_costs, UINT64_C(0x15ab28063685c09a)},
    {"limits", play_limits, UINT64_C(0x5330b2c5f940b406)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x68e1a39cc55f781d)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x5ea500dfe9cd4777),
    UINT64_C(0x9e143f97fc0335d2),
    UINT64_C(0x7f53f0b758c824ef),
    UINT64_C(0xc25d86855e05dd83),
    UINT64_C(0xcfdea42b3898df1a),
    UINT64_C(0xfcbd114709aeb60b),
    UINT64_C(0x7951108dbc8e2eb6),
    UINT64_C(0x436776a5f17a1fe2),
    UINT64_C(0xc9fd3c213130953a),
    UINT64_C(0x918ebe3db3219cc9),
    UINT64_C(0x48ecab08bffbcd8c),
    UINT64_C(0x5d5a0a256138f0e1),
    UINT64_C(0x74a5dcc1ee115962),
    UINT64_C(0x0c0aa00cb6a5ecfc),
    UINT64_C(0x82f14362b8b171e6),
    UINT64_C(0x1362269726ebd127),
    UINT64_C(0x0d7935d93f55ff1e),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x9035533599c87b38),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xab0e3269b205716e),
    UINT64_C(0x96f9889f60c9a516),
    UINT64_C(0x6384c551ef087d27),
    UINT64_C(0xf9eb440e4fb3e4bb),
    UINT64_C(0xe8cda2306640b673),
    UINT64_C(0x024375d28207692a),
    UINT64_C(0x0c6024b115baf462),
    UINT64_C(0xa81ca3383ce8bb1f),
    UINT64_C(0),
    UINT64_C(0xfda9de77e7cda419),
    UINT64_C(0),
    UINT64_C(0x41b6cc8618d41072),
    UINT64_C(0xa8c82e7412a5d9e2),
    UINT64_C(0x97a10e8cfc6258ab),
    UINT64_C(0x3bbf69a628fa9bc9),
    UINT64_C(0x593659fedd0abbaa),
    UINT64_C(0),
    UINT64_C(0),
    UINT64_C(0),
    UINT64_C(0),
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
