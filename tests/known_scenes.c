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
    {"hull", play_hull, UINT64_C(0x4e086ada3db0c3a7)},
    {"field", play_field, UINT64_C(0x327a426137ca33c1)},
    {"meshes", play_meshes, UINT64_C(0xa4f103470c4397ff)},
    {"distances", play_distances, UINT64_C(0x29a1aecf7d1c4191)},
    {"self", play_self, UINT64_C(0xf001b7ba4309b26f)},
    {"self_holes", play_self_holes, UINT64_C(0xa199644dbe57889a)},
    {"clap", play_clap, UINT64_C(0x426ceafc2557fd4b)},
    {"sewn", play_sewn, UINT64_C(0xba290e05ca458db4)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x0c1cc60f38052c39)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x5eaa4c25f2f248cd)},
    {"gathers", play_gathers, UINT64_C(0x5f7832066da4f99d)},
    {"strips", play_strips, UINT64_C(0xb8639f1b42adc417)},
    {"flaps", play_flaps, UINT64_C(0x7c0b55d7515a327d)},
    {"woken", play_all_woken, UINT64_C(0xf0017696fd04b052)},
    {"asleep", play_asleep, UINT64_C(0x5d9fd39eeac9dbf0)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x664e277f2ee4a6e8)},
    {"origins", play_origins, UINT64_C(0x956da8be25bd2a14)},
    {"loose_group", play_loose_group, UINT64_C(0x616d82bfa56be502)},
    {"tears", play_tears, UINT64_C(0xc533bdcddd68e1bd)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x55b71b86144e543a)},
    {"targets", play_targets, UINT64_C(0xff7cb6b96d86e637)},
    {"bodies", play_bodies, UINT64_C(0x12334fab6246b23c)},
    {"workers", play_workers, UINT64_C(0x7991a5b6dc338145)},
    {"random_1", play_random_1, UINT64_C(0xeabd919e1eace11e)},
    {"random_2", play_random_2, UINT64_C(0xbb5e0788918f0065)},
    {"plans", play_plans, UINT64_C(0x8f5e34aa6e593862)},
    {"settled", play_settled, UINT64_C(0x685f239c20341875)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0xd070d17f2da34582)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0x2d9802d0da796ff4)},
    {"worlds", play_worlds, UINT64_C(0x325c0ed05a1a90c3)},
    {"tailored", play_tailored, UINT64_C(0x8d3aa9e64d85ded1)},
    {"terrains", play_terrains, UINT64_C(0x449c2590892991e5)},
    {"config_costs", play_config_costs, UINT64_C(0x7b4d4d68a4751bb7)},
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
    UINT64_C(0x5093d5e69a27082c),
    UINT64_C(0xb27e0c4f59bb91eb),
    UINT64_C(0x49fb6b3e74714a78),
    UINT64_C(0x79d70e179c32a6a0),
    UINT64_C(0x5f5bfe82f4099d78),
    UINT64_C(0x64cfb3fe0cae9bc9),
    UINT64_C(0xaa1edb4a2d3cb00c),
    UINT64_C(0x5480515ad7edec2b),
    UINT64_C(0x7c28e5f36f4671c6),
    UINT64_C(0xf88cdac0fb7396e2),
    UINT64_C(0xf5e0c624a216824b),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xbfc96c86f00b8b6e),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xe54caa33f9d2d7d4),
    UINT64_C(0xeb57902cca6a8c0f),
    UINT64_C(0x3fe1022f10e49dc3),
    UINT64_C(0xf5677b698ce6844f),
    UINT64_C(0x28297cf8d56c0682),
    UINT64_C(0x88d95c9ff53ff22b),
    UINT64_C(0x1c77cc90363a5045),
    UINT64_C(0xc684b1fb8740d590),
    0,
    UINT64_C(0x4755ec5c4ff2745a),
    0,
    UINT64_C(0x4d4cb5fedb7b7048),
    UINT64_C(0xe8b8f2bdaf069b00),
    UINT64_C(0x4dd13c0d7681088c),
    UINT64_C(0xd17f1875bf40bc6c),
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
