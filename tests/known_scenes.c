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
    {"shapes", play_shapes, UINT64_C(0x22210d2c2a031285)},
    {"preconditioners", play_preconditioners, UINT64_C(0x460b13b35f47a741)},
    {"hull", play_hull, UINT64_C(0x5d7355dd9e6b9737)},
    {"field", play_field, UINT64_C(0x67cbbdbe9782d2c7)},
    {"meshes", play_meshes, UINT64_C(0xa6cc7965d669c02a)},
    {"distances", play_distances, UINT64_C(0xad9bc9069ff76001)},
    {"self", play_self, UINT64_C(0x19c3f4a6620ac731)},
    {"self_holes", play_self_holes, UINT64_C(0xa2ae7dd68f8b5326)},
    {"clap", play_clap, UINT64_C(0x57e0d9bc687a06bc)},
    {"sewn", play_sewn, UINT64_C(0xa84da6d0ffef0947)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0xf682c43da50d0a81)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x03eddbd0e0b18767)},
    {"gathers", play_gathers, UINT64_C(0xd62c40c778bab510)},
    {"strips", play_strips, UINT64_C(0x74ad89570f9d159f)},
    {"flaps", play_flaps, UINT64_C(0x7c0b55d7515a327d)},
    {"woken", play_all_woken, UINT64_C(0x2877a72279188db0)},
    {"asleep", play_asleep, UINT64_C(0x7e4a92c22acac4ee)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x664e277f2ee4a6e8)},
    {"origins", play_origins, UINT64_C(0x956da8be25bd2a14)},
    {"loose_group", play_loose_group, UINT64_C(0x23f62eaa6c38f084)},
    {"tears", play_tears, UINT64_C(0xe8b1dc5acab66e87)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x825d2c231ea11717)},
    {"targets", play_targets, UINT64_C(0xff7cb6b96d86e637)},
    {"bodies", play_bodies, UINT64_C(0x12334fab6246b23c)},
    {"workers", play_workers, UINT64_C(0x7991a5b6dc338145)},
    {"random_1", play_random_1, UINT64_C(0x5fa257860b8538e5)},
    {"random_2", play_random_2, UINT64_C(0x19d58aabdc61bf9a)},
    {"plans", play_plans, UINT64_C(0x31d862b775839eec)},
    {"settled", play_settled, UINT64_C(0x814c689884298ae9)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0xd070d17f2da34582)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0x78ece924b5127fe2)},
    {"worlds", play_worlds, UINT64_C(0x3ba7bef1386d8e4b)},
    {"tailored", play_tailored, UINT64_C(0xa5654e3225e0e6f9)},
    {"terrains", play_terrains, UINT64_C(0xbd345a026c94cda6)},
    {"config_costs", play_config_costs, UINT64_C(0x0021037596abb2c2)},
    {"limits", play_limits, UINT64_C(0x2173da78fa9bed81)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x60f1479365f5982a)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0xf7b9ac6ba172f47d),
    UINT64_C(0x3a934208fade22b9),
    UINT64_C(0xeb6dcaf41af9d6c6),
    UINT64_C(0xb22f9b4a606c6870),
    UINT64_C(0x4be082f0f3b344c8),
    UINT64_C(0x748f6970748f1ebe),
    UINT64_C(0xe5af5d081e5363d4),
    UINT64_C(0xd9a2f852b0956840),
    UINT64_C(0xbe51fc45275e1d66),
    UINT64_C(0xa0057c80c7daac86),
    UINT64_C(0x6c7f24c7b58df6a8),
    UINT64_C(0x57b2824c42ddf7f9),
    UINT64_C(0x21c41b40f7475bbb),
    UINT64_C(0xd7aa0df26039778f),
    UINT64_C(0xb6153624568095d1),
    UINT64_C(0x186b4e3171f274b6),
    UINT64_C(0xf5e0c624a216824b),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xbfc96c86f00b8b6e),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x6a9bf808f2f0c065),
    UINT64_C(0x32364e2959721431),
    UINT64_C(0x3fe1022f10e49dc3),
    UINT64_C(0xf5677b698ce6844f),
    UINT64_C(0x28297cf8d56c0682),
    UINT64_C(0x88d95c9ff53ff22b),
    UINT64_C(0xfd549f8d499ac1b7),
    UINT64_C(0xc684b1fb8740d590),
    0,
    UINT64_C(0x4755ec5c4ff2745a),
    0,
    UINT64_C(0x4d4cb5fedb7b7048),
    UINT64_C(0x4dee3c70b6262544),
    UINT64_C(0x0182f233dbf77b3f),
    UINT64_C(0x7899d128eddbbfa5),
    UINT64_C(0x93e6177270c5a483),
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
