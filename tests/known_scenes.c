/* Scenes that use one feature after the other, in ways that differ from case to case, and the hash of all that comes
   out of each: states, results, statistics, drawing, rays, contacts, reactions, bounds of work. Whatever is computed
   otherwise than before changes one. The hashes are those of every build on little-endian machines of 32 and 64 bits,
   as what is told are words of memory. Work that was done has a hash of its own, with lanes of one width: cull tests
   and early ends, which change no result, change that. Whoever changes the arithmetic, a bound, a size or a cull test
   on purpose puts new ones here in the same change. SPDX-License-Identifier: MIT */
#include "random_scenes.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/// Hashes ///

static const struct {
  const char *name;
  void (*play)(void);
  uint64_t expected;
} scenes[] = {
    {"shapes", play_shapes, UINT64_C(0x22210d2c2a031285)},
    {"preconditioners", play_preconditioners, UINT64_C(0x460b13b35f47a741)},
    {"hull", play_hull, UINT64_C(0x20ed824afee276cd)},
    {"field", play_field, UINT64_C(0xcfa348a2f9327df8)},
    {"meshes", play_meshes, UINT64_C(0x58d5167e1778e75c)},
    {"distances", play_distances, UINT64_C(0x94e51a91966184c2)},
    {"self", play_self, UINT64_C(0xa09a79e8a5c84dad)},
    {"self_holes", play_self_holes, UINT64_C(0x77718b5f2ce3cfc5)},
    {"clap", play_clap, UINT64_C(0x360236d78f22e7e5)},
    {"sewn", play_sewn, UINT64_C(0xd1bfb1973683f022)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0xcbe4fbdb8a7c03b8)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x0e3831495c50f1d5)},
    {"gathers", play_gathers, UINT64_C(0xacff8759f5bca357)},
    {"strips", play_strips, UINT64_C(0x665a688cfc68555c)},
    {"flaps", play_flaps, UINT64_C(0x7c0b55d7515a327d)},
    {"woken", play_all_woken, UINT64_C(0x0a6915df9e911972)},
    {"asleep", play_asleep, UINT64_C(0x43c8ddf03d7d59ae)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x664e277f2ee4a6e8)},
    {"origins", play_origins, UINT64_C(0x956da8be25bd2a14)},
    {"loose_group", play_loose_group, UINT64_C(0xb46d7b130cddba62)},
    {"tears", play_tears, UINT64_C(0x701b9c295da7dad7)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0xe52f92a3e6f89ade)},
    {"targets", play_targets, UINT64_C(0xff7cb6b96d86e637)},
    {"bodies", play_bodies, UINT64_C(0x12334fab6246b23c)},
    {"workers", play_workers, UINT64_C(0x7991a5b6dc338145)},
    {"random_1", play_random_1, UINT64_C(0x70e49abdd27df6b4)},
    {"random_2", play_random_2, UINT64_C(0x2b07c600555a3280)},
    {"plans", play_plans, UINT64_C(0x51d1892505674fbc)},
    {"settled", play_settled, UINT64_C(0xad744213e07a7cce)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0x7e1bffcb6570b160)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0x64ecde2f7a57de4b)},
    {"worlds", play_worlds, UINT64_C(0x39a4924cf8a6f193)},
    {"tailored", play_tailored, UINT64_C(0x4b6ab7a6ddbf4d2c)},
    {"terrains", play_terrains, UINT64_C(0xfb4aa32f6877dccc)},
    {"config_costs", play_config_costs, UINT64_C(0x15eefe1691a5986f)},
    {"limits", play_limits, UINT64_C(0x2173da78fa9bed81)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x1de126357e7d870a)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0xf7b9ac6ba172f47d),
    UINT64_C(0x3a934208fade22b9),
    UINT64_C(0xf7335d126cd48501),
    UINT64_C(0xa615504bcae8e1f8),
    UINT64_C(0xcbd4a71cab73c8cd),
    UINT64_C(0xf8b34a1f40965925),
    UINT64_C(0x2d89562309e3e3c8),
    UINT64_C(0xc2ea12b8e6467ec2),
    UINT64_C(0x98db35d847edee8c),
    UINT64_C(0x3d75f23c236d669a),
    UINT64_C(0x3422b1716cc7d336),
    UINT64_C(0x7a585535b1d77518),
    UINT64_C(0xaa1edb4a2d3cb00c),
    UINT64_C(0x42df2e8ce8a6c05b),
    UINT64_C(0x7c28e5f36f4671c6),
    UINT64_C(0xf88cdac0fb7396e2),
    UINT64_C(0xf5e0c624a216824b),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xbfc96c86f00b8b6e),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x664a3ed372303a40),
    UINT64_C(0xc3a5878589602aef),
    UINT64_C(0x12bb3a0ddb66663b),
    UINT64_C(0xf5677b698ce6844f),
    UINT64_C(0x28297cf8d56c0682),
    UINT64_C(0x88d95c9ff53ff22b),
    UINT64_C(0x7e460ebd9e7fe797),
    UINT64_C(0x5d34a8ad8a5fd068),
    0,
    UINT64_C(0x7e913e8109dc7c6d),
    0,
    UINT64_C(0x7bf6406b558d3839),
    UINT64_C(0x17dac936da8d23d3),
    UINT64_C(0xe6c2ccd4abf79df0),
    UINT64_C(0xedbd0a57fc03ef0b),
    UINT64_C(0x43d261f9e259b817),
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

static int played, is_flushed;

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
  /* A damaged state may have subnormal numbers, of which machines that flush see 0. */
  CHECK(told == scenes[played].expected || (is_flushed && strcmp(scenes[played].name, "damaged") == 0),
        "%s: UINT64_C(0x%08lx%08lx)", scenes[played].name, (unsigned long)(told >> 32),
        (unsigned long)(told & 0xffffffffu));
  CHECK(!KNOWS_WORK || worked == works[played], "%s, work: UINT64_C(0x%08lx%08lx)", scenes[played].name,
        (unsigned long)(worked >> 32), (unsigned long)(worked & 0xffffffffu));
}

static const test tests[] = {
    TEST_EACH(every_scene, scene),
};

/* known_scenes flushed ...: on x86 with subnormal numbers taken, and returned, as 0. */
int main(int count, char **arguments) {
#if defined(__SSE__)
  if (count > 1 && strcmp(arguments[1], "flushed") == 0) {
    _mm_setcsr(_mm_getcsr() | 0x8040u);
    is_flushed = 1;
    arguments++;
    count--;
  }
#endif
  return RUN_TESTS(count, arguments, tests);
}
