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
    {"shapes", play_shapes, UINT64_C(0xddee8eccbf0231e9)},
    {"preconditioners", play_preconditioners, UINT64_C(0x0e8f2b94277061c3)},
    {"hull", play_hull, UINT64_C(0x9c90d3cb4958bf7d)},
    {"field", play_field, UINT64_C(0x1c34b2831f2f0536)},
    {"meshes", play_meshes, UINT64_C(0xe0f5f655f876f561)},
    {"distances", play_distances, UINT64_C(0x91db4be081ff17bc)},
    {"self", play_self, UINT64_C(0x378549bf9f4b8470)},
    {"self_holes", play_self_holes, UINT64_C(0xa3470a900e0f92ef)},
    {"clap", play_clap, UINT64_C(0x8a3fec7eb64bd77c)},
    {"sewn", play_sewn, UINT64_C(0x19a1c644dd7b490f)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0xbb501a00ac1a228c)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x909d3fdd0aba7957)},
    {"gathers", play_gathers, UINT64_C(0xa24dfa0a74fefab1)},
    {"strips", play_strips, UINT64_C(0xe8ad304deb51a63f)},
    {"flaps", play_flaps, UINT64_C(0x28ce1e3b900c8226)},
    {"woken", play_all_woken, UINT64_C(0x5dce89e02e87b617)},
    {"asleep", play_asleep, UINT64_C(0x50e9a1be3e55aaa1)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x1dfb1ebcd3648e48)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0x961d1dd5b7885bc5)},
    {"tears", play_tears, UINT64_C(0x007c6c392933b95b)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0xb4a938b8be327565)},
    {"targets", play_targets, UINT64_C(0x125fa999f0ab29da)},
    {"bodies", play_bodies, UINT64_C(0xa9f10bb73e954b6e)},
    {"workers", play_workers, UINT64_C(0x9500489fee04b098)},
    {"random_1", play_random_1, UINT64_C(0xca308fb7d030f4ca)},
    {"random_2", play_random_2, UINT64_C(0x0f36d377dc14f26b)},
    {"plans", play_plans, UINT64_C(0xf47d021e4b1f3e8d)},
    {"settled", play_settled, UINT64_C(0x3fe1c28531244822)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0xf5063502d92e3d2b)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0xd88488b0ce3bc3c0)},
    {"worlds", play_worlds, UINT64_C(0x80ba45d25d9325af)},
    {"tailored", play_tailored, UINT64_C(0xb76499717abda15e)},
    {"terrains", play_terrains, UINT64_C(0x75a1d907463b8ffe)},
    {"config_costs", play_config_costs, UINT64_C(0x63d309316145ed00)},
    {"limits", play_limits, UINT64_C(0x2173da78fa9bed81)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0xc40671b7b8eddca2)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x373ebd6fd97c05d9),
    UINT64_C(0x0f94a311bbae1f3a),
    UINT64_C(0xc3b5c74b3a01576c),
    UINT64_C(0xdf0b51ce9b137d76),
    UINT64_C(0xa4fa5f7189d767db),
    UINT64_C(0xde451aeb11be8ef5),
    UINT64_C(0x38a78019a664c392),
    UINT64_C(0xa3a4b30d8afd01c9),
    UINT64_C(0x01f597f54454efd4),
    UINT64_C(0xba11a89eb07aabcc),
    UINT64_C(0x8c0774a93bdb7d0a),
    UINT64_C(0x45867c12c16311a7),
    UINT64_C(0x315086ab9c6e1e6f),
    UINT64_C(0xe541b2c4c4fb3109),
    UINT64_C(0x036b87b15bd0007c),
    UINT64_C(0x7bfd6bb2b8ef1942),
    UINT64_C(0x2a6033fe7efed237),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x1bc3c51687143c73),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xbec7e17c5b01014b),
    UINT64_C(0xd9aff767c5e9ae0d),
    UINT64_C(0x3583082a2b2a7fd4),
    UINT64_C(0x4c22cb30fad296f7),
    UINT64_C(0x4f0e932d8aa7803f),
    UINT64_C(0x08b8889400956ae2),
    UINT64_C(0x2940845112598899),
    UINT64_C(0x0eee6f4f11ea6468),
    0,
    UINT64_C(0x7ae2eb354cecdba1),
    0,
    UINT64_C(0x8cb40c73016fbd01),
    UINT64_C(0x4aa6d116e17f0015),
    UINT64_C(0xdeb8fd1797564230),
    UINT64_C(0xcc86bdafc729ae35),
    UINT64_C(0xf2fc45e632b62d64),
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
