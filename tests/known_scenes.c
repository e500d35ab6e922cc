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
    {"shapes", play_shapes, UINT64_C(0x059416c27ab282f6)},
    {"preconditioners", play_preconditioners, UINT64_C(0x0b30e80d35d3d08b)},
    {"hull", play_hull, UINT64_C(0x912c1fe9305a5799)},
    {"field", play_field, UINT64_C(0x8c95fe2575acad74)},
    {"meshes", play_meshes, UINT64_C(0x657ccb69e1a9339d)},
    {"distances", play_distances, UINT64_C(0xa71cb73375dfee21)},
    {"self", play_self, UINT64_C(0x00c64a0375ff1a04)},
    {"self_holes", play_self_holes, UINT64_C(0x2313714504ae4bd2)},
    {"clap", play_clap, UINT64_C(0xad871ba6b38a6f9a)},
    {"sewn", play_sewn, UINT64_C(0xc5764184bc827227)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x12ef4a901235b23d)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0xad96bc1503c5e0ad)},
    {"gathers", play_gathers, UINT64_C(0x903d79085fdbab5b)},
    {"strips", play_strips, UINT64_C(0xbd107455514066e9)},
    {"flaps", play_flaps, UINT64_C(0x6755ca336083b61f)},
    {"woken", play_all_woken, UINT64_C(0xe6b8da7990ebcb48)},
    {"asleep", play_asleep, UINT64_C(0xd0c7c871de0c6ba7)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x595f8f6416af9d31)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0x32e14680dfef0d00)},
    {"tears", play_tears, UINT64_C(0xc630257f82362d96)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0xa5c277a289224934)},
    {"targets", play_targets, UINT64_C(0x32d65e57394d35f2)},
    {"bodies", play_bodies, UINT64_C(0x754b999149f75b0b)},
    {"workers", play_workers, UINT64_C(0x6240f0dd0182bf93)},
    {"random_1", play_random_1, UINT64_C(0x454e9068d56cc5b4)},
    {"random_2", play_random_2, UINT64_C(0x55bb3984ef04228e)},
    {"plans", play_plans, UINT64_C(0xf43d4360c3c82a86)},
    {"settled", play_settled, UINT64_C(0xa84abc41b4d6545c)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0xf26f58aca8712615)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0x3aabd5d372209db7)},
    {"worlds", play_worlds, UINT64_C(0x2ec25b92822116a0)},
    {"tailored", play_tailored, UINT64_C(0xb00b1127d7ac5122)},
    {"terrains", play_terrains, UINT64_C(0x3c1ef2a9d04f77b5)},
    {"config_costs", play_config_costs, UINT64_C(0x3bab31e7e03480d9)},
    {"limits", play_limits, UINT64_C(0x2173da78fa9bed81)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0xb47d4b0122d13e24)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x5c7157f2ee206c9f),
    UINT64_C(0xb2d579be924af0d5),
    UINT64_C(0x5394abddd407ad71),
    UINT64_C(0xc653bf2744178d33),
    UINT64_C(0xf957739f5cfdebbc),
    UINT64_C(0xb7699424da9334dd),
    UINT64_C(0x27cd3bb69a4e65ac),
    UINT64_C(0x43917721c5063095),
    UINT64_C(0xbd3efa9dbde14781),
    UINT64_C(0x8dc04e3d3aef2028),
    UINT64_C(0x89a1d2ac6ffeb8bb),
    UINT64_C(0x86711d7c185a80b8),
    UINT64_C(0xa76bab6be019b382),
    UINT64_C(0xfbc159f29234e535),
    UINT64_C(0x5c47a34099e92dbf),
    UINT64_C(0x710c2f87450f3593),
    UINT64_C(0x69a358ab4d5f0dbf),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xbfc96c86f00b8b6e),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x855e72bf2086b561),
    UINT64_C(0xec7f2d79a8b06a8c),
    UINT64_C(0xce787679d52ce025),
    UINT64_C(0x8e7eb49e7d35f751),
    UINT64_C(0x105b1c89690814e6),
    UINT64_C(0x1df4b75db3938d9d),
    UINT64_C(0xf2397bfd5aa69e4f),
    UINT64_C(0x4f0c087c00b56593),
    0,
    UINT64_C(0x0c65df25e1b5699b),
    0,
    UINT64_C(0x67291868561c55c5),
    UINT64_C(0x18f5d4565361ef21),
    UINT64_C(0xc090ef6ce9cc536e),
    UINT64_C(0xb9d834b76e5b09c1),
    UINT64_C(0x0c76be531c83ff76),
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
