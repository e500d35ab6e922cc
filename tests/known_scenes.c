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
    {"shapes", play_shapes, UINT64_C(0x16d6df7a6fd0585d)},
    {"solver_contacts", play_solver_contacts, UINT64_C(0xe33e933b69d13427)},
    {"hull", play_hull, UINT64_C(0xe9cc48e311e6df2c)},
    {"field", play_field, UINT64_C(0x82ffffe6b22f49e0)},
    {"meshes", play_meshes, UINT64_C(0xa180c29ece2c9318)},
    {"distances", play_distances, UINT64_C(0x96205f261c0e138b)},
    {"self", play_self, UINT64_C(0x150bebe880587e45)},
    {"self_holes", play_self_holes, UINT64_C(0x70394155dfd9dabb)},
    {"clap", play_clap, UINT64_C(0x53e1aedb66a5d2cf)},
    {"sewn", play_sewn, UINT64_C(0x09dde9fdc1c46792)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x247cbfb7c060b971)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0xc6489dce45c5b007)},
    {"gathers", play_gathers, UINT64_C(0x72a1f1a2471d955b)},
    {"strips", play_strips, UINT64_C(0x5d7097c4a634511f)},
    {"flaps", play_flaps, UINT64_C(0x868f48bedd03a04e)},
    {"woken", play_all_woken, UINT64_C(0xe2d0807645f0b815)},
    {"asleep", play_asleep, UINT64_C(0xd7e92d2c62ce1e50)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0xd2d119b57d5a480b)},
    {"air", play_air, UINT64_C(0x536344ecf576705c)},
    {"origins", play_origins, UINT64_C(0x0011ff85e2efe4aa)},
    {"loose_group", play_loose_group, UINT64_C(0x2c5db288386299a3)},
    {"tears", play_tears, UINT64_C(0xe4fd31aaa9fc82ca)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0xe0d3fc5dff3c0c7b)},
    {"targets", play_targets, UINT64_C(0x217a9e741bbb918e)},
    {"bodies", play_bodies, UINT64_C(0xd7554a2db4318050)},
    {"workers", play_workers, UINT64_C(0xab2f10d188abccfc)},
    {"random_1", play_random_1, UINT64_C(0xbd833c5c39b13ece)},
    {"random_2", play_random_2, UINT64_C(0x526ff124f050cbbb)},
    {"plans", play_plans, UINT64_C(0x8c8118a998f86d1e)},
    {"settled", play_settled, UINT64_C(0x2312fc5566aebae5)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0xdb6dc2173f7f7095)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0xd89107427bd71a4a)},
    {"worlds", play_worlds, UINT64_C(0xd98a872db58069a8)},
    {"tailored", play_tailored, UINT64_C(0xc52fd54f942bbfb3)},
    {"terrains", play_terrains, UINT64_C(0xf6eb808b7f4bc691)},
    {"config_costs", play_config_costs, UINT64_C(0x025e656d67ab1951)},
    {"limits", play_limits, UINT64_C(0x5330b2c5f940b406)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x7fa347f927cc5239)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x97567d233627af77),
    UINT64_C(0xf1d15fd97f248fde),
    UINT64_C(0x3c743c5b8f6f688b),
    UINT64_C(0xcffd9c47eab65004),
    UINT64_C(0x53ee2d09a6fda75c),
    UINT64_C(0xe348d72e8f75ad9f),
    UINT64_C(0x7b8249e54a08e1e8),
    UINT64_C(0xb54e668a7aedb96c),
    UINT64_C(0xac8a4997e2e9fc6e),
    UINT64_C(0xfe1e082ed67dd3b0),
    UINT64_C(0x48ecab08bffbcd8c),
    UINT64_C(0x35c35969516748dd),
    UINT64_C(0x49df9dcd46670d30),
    UINT64_C(0x0c0aa00cb6a5ecfc),
    UINT64_C(0x82f14362b8b171e6),
    UINT64_C(0x1362269726ebd127),
    UINT64_C(0xc027ac01b34be730),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x9035533599c87b38),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x818b8c05a44f84be),
    UINT64_C(0x96bb4107316360ae),
    UINT64_C(0x73ae4e96a05fc62a),
    UINT64_C(0xf9eb440e4fb3e4bb),
    UINT64_C(0x0253e91aec6a4e03),
    UINT64_C(0xaf322bd5c9b12ca8),
    UINT64_C(0xabe4e179752778ac),
    UINT64_C(0x3982f120b3fcbe54),
    0,
    UINT64_C(0x9a3cb3f04c6a8de6),
    0,
    UINT64_C(0x683174a4cf34f836),
    UINT64_C(0x4a7eb1ab5e3b062a),
    UINT64_C(0x8c417618371150c6),
    UINT64_C(0xd6fad50c76c88959),
    UINT64_C(0xa9e630f9d32f2266),
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
