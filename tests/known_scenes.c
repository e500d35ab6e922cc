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
    {"shapes", play_shapes, UINT64_C(0x7b1a1e85973f890c)},
    {"solver_contacts", play_solver_contacts, UINT64_C(0xe33e933b69d13427)},
    {"hull", play_hull, UINT64_C(0xdcdabfa195e0d3a2)},
    {"field", play_field, UINT64_C(0x98fc482e60031877)},
    {"meshes", play_meshes, UINT64_C(0x8b3f3f2cfa76113a)},
    {"distances", play_distances, UINT64_C(0xac35f3b6db8fe5c4)},
    {"self", play_self, UINT64_C(0x88e1b746e6646417)},
    {"self_holes", play_self_holes, UINT64_C(0x1f8281af5332d6ea)},
    {"clap", play_clap, UINT64_C(0x53e1aedb66a5d2cf)},
    {"sewn", play_sewn, UINT64_C(0x2553a6ea75568174)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x247cbfb7c060b971)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x840400e77fc2c100)},
    {"gathers", play_gathers, UINT64_C(0x72a1f1a2471d955b)},
    {"strips", play_strips, UINT64_C(0x5d7097c4a634511f)},
    {"flaps", play_flaps, UINT64_C(0x868f48bedd03a04e)},
    {"woken", play_all_woken, UINT64_C(0xe2d0807645f0b815)},
    {"asleep", play_asleep, UINT64_C(0x508e02ba803f3511)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0xd2d119b57d5a480b)},
    {"air", play_air, UINT64_C(0x536344ecf576705c)},
    {"origins", play_origins, UINT64_C(0x0011ff85e2efe4aa)},
    {"loose_group", play_loose_group, UINT64_C(0xff447bd5f37bbdc5)},
    {"tears", play_tears, UINT64_C(0xe4fd31aaa9fc82ca)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x47d78b1da77f86d0)},
    {"targets", play_targets, UINT64_C(0x217a9e741bbb918e)},
    {"bodies", play_bodies, UINT64_C(0xd436bd4a6c07eb3c)},
    {"workers", play_workers, UINT64_C(0x903face8dff187c3)},
    {"random_1", play_random_1, UINT64_C(0xd8ad91b98d239234)},
    {"random_2", play_random_2, UINT64_C(0xfded88474d2f9883)},
    {"plans", play_plans, UINT64_C(0xf4892381a68ef125)},
    {"settled", play_settled, UINT64_C(0x7ea4db9ae661e5ac)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0x25337dcb67bce077)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0xd89107427bd71a4a)},
    {"worlds", play_worlds, UINT64_C(0x0a2e29711869f2b5)},
    {"tailored", play_tailored, UINT64_C(0x6cf605fd11482b09)},
    {"terrains", play_terrains, UINT64_C(0x585a4c534ae3f29c)},
    {"config_costs", play_config_costs, UINT64_C(0x15ab28063685c09a)},
    {"limits", play_limits, UINT64_C(0x5330b2c5f940b406)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0xe9bd38e214cb0b42)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x25e5bf8cbee01c74),
    UINT64_C(0xf1d15fd97f248fde),
    UINT64_C(0xfcb9e5f4cfdc1024),
    UINT64_C(0x5531fbd03289ee70),
    UINT64_C(0xdc590df926d5362c),
    UINT64_C(0xae3679a3db9e5db6),
    UINT64_C(0x7b8249e54a08e1e8),
    UINT64_C(0xb54e668a7aedb96c),
    UINT64_C(0xac8a4997e2e9fc6e),
    UINT64_C(0x5cf43f0b6e463275),
    UINT64_C(0x48ecab08bffbcd8c),
    UINT64_C(0xb075cfd0439f1436),
    UINT64_C(0x49df9dcd46670d30),
    UINT64_C(0x0c0aa00cb6a5ecfc),
    UINT64_C(0x82f14362b8b171e6),
    UINT64_C(0x1362269726ebd127),
    UINT64_C(0x0d7935d93f55ff1e),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x9035533599c87b38),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x3d5cb9334f7c8a14),
    UINT64_C(0x96bb4107316360ae),
    UINT64_C(0x6f9667049fbf381c),
    UINT64_C(0xf9eb440e4fb3e4bb),
    UINT64_C(0xeff8ffc7405f8f3d),
    UINT64_C(0x024375d28207692a),
    UINT64_C(0xabe4e179752778ac),
    UINT64_C(0xb01244254e6fef1c),
    0,
    UINT64_C(0xfda9de77e7cda419),
    0,
    UINT64_C(0xfea1b739fd5c4087),
    UINT64_C(0x4a7eb1ab5e3b062a),
    UINT64_C(0xfd65fe5d249973e6),
    UINT64_C(0x532a6acf46bb7e76),
    UINT64_C(0x817a790ef06b665d),
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
