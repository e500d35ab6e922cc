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
    {"shapes", play_shapes, UINT64_C(0x77f1f3b05ef3fc1f)},
    {"solver_contacts", play_solver_contacts, UINT64_C(0x893ed8cf493d5529)},
    {"hull", play_hull, UINT64_C(0x785c4628837ab5b5)},
    {"field", play_field, UINT64_C(0x03affd33a7dc233a)},
    {"meshes", play_meshes, UINT64_C(0x6302081c4f066e9a)},
    {"distances", play_distances, UINT64_C(0xea564bcc3385acac)},
    {"self", play_self, UINT64_C(0xd48c406c813b156f)},
    {"self_holes", play_self_holes, UINT64_C(0xb52c5d35d49125db)},
    {"clap", play_clap, UINT64_C(0x507a0f4917baedb3)},
    {"sewn", play_sewn, UINT64_C(0x2dc219d0a67117c7)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0xd41147cc14f59ce8)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0xd65eb1e0e6713fe4)},
    {"gathers", play_gathers, UINT64_C(0xc5f4f8d9eb22f9a7)},
    {"strips", play_strips, UINT64_C(0xd82ba67aff6c09be)},
    {"flaps", play_flaps, UINT64_C(0xdcac891bfc2e6417)},
    {"woken", play_all_woken, UINT64_C(0xd8c9de700857417f)},
    {"asleep", play_asleep, UINT64_C(0x000a4562f0f6bfe6)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0xd2d119b57d5a480b)},
    {"air", play_air, UINT64_C(0x0aad93f002c0ba53)},
    {"origins", play_origins, UINT64_C(0x0011ff85e2efe4aa)},
    {"loose_group", play_loose_group, UINT64_C(0x2506570e1dae4009)},
    {"tears", play_tears, UINT64_C(0xaff185d3ca61b0d4)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0xe72f940dc30230be)},
    {"targets", play_targets, UINT64_C(0x89dec9fc9212281f)},
    {"bodies", play_bodies, UINT64_C(0x0918994ed8c8ab08)},
    {"workers", play_workers, UINT64_C(0x3eee54c86cc1f3b4)},
    {"random_1", play_random_1, UINT64_C(0x783732b2436c8a6a)},
    {"random_2", play_random_2, UINT64_C(0x0460c73aba539a42)},
    {"plans", play_plans, UINT64_C(0x856eb476b0234e68)},
    {"settled", play_settled, UINT64_C(0x043f500d0949dcf6)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0x1f8646f8b04daf94)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0x5a856bb70946598c)},
    {"worlds", play_worlds, UINT64_C(0xe5be8b50a372b581)},
    {"tailored", play_tailored, UINT64_C(0xce5b10e2270a7db4)},
    {"terrains", play_terrains, UINT64_C(0x70bd47c79f713a5b)},
    {"config_costs", play_config_costs, UINT64_C(0xa7c139eafd72a7f6)},
    {"limits", play_limits, UINT64_C(0x5330b2c5f940b406)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x96bcaf74102d0dea)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x5c9c0b0d506491b0),
    UINT64_C(0x9e143f97fc0335d2),
    UINT64_C(0x50e49c28205cf11a),
    UINT64_C(0xdff8b73ffdd9f431),
    UINT64_C(0x9e18adf576daf0a8),
    UINT64_C(0x992a5ef834a2cfd6),
    UINT64_C(0xf34ff193ab3d11ea),
    UINT64_C(0x431d715b823b5986),
    UINT64_C(0x2b19ca269efe0c11),
    UINT64_C(0x6468723d21e74515),
    UINT64_C(0x39f759ea219a4ba1),
    UINT64_C(0xe21747a32be9fb7b),
    UINT64_C(0x72455d043e546339),
    UINT64_C(0xf388966c44ed760b),
    UINT64_C(0xb1b709940ad85231),
    UINT64_C(0x74e4ece4423a1cc6),
    UINT64_C(0xcf01109cc750f00b),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xeab37da9baf219dd),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x3a315c5eee33bc0a),
    UINT64_C(0x82e4dd4aecb9e7a4),
    UINT64_C(0x4fbf3b21de47000f),
    UINT64_C(0x9e71f6f253502706),
    UINT64_C(0xa19f4f19e30db352),
    UINT64_C(0xb3bf147ee6d9f291),
    UINT64_C(0x4a234f687cb71533),
    UINT64_C(0x36fff6fbde773423),
    UINT64_C(0),
    UINT64_C(0x4c995ff0e5ca649f),
    UINT64_C(0),
    UINT64_C(0x29757a94b5cf824d),
    UINT64_C(0x1e3ba58f632eba2f),
    UINT64_C(0x8261118e7ad682cf),
    UINT64_C(0x84e3352b460e870d),
    UINT64_C(0x696efd176b823b7b),
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
