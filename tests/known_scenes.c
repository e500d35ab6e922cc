/* Scenes that use one feature after the other, in ways that differ from case to case, and the hash of all that comes
   out of each: states, results, statistics, drawing, rays, contacts, reactions, bounds of work. Whatever is computed
   otherwise than before changes one. The hashes are those of every build on little-endian machines of 32 and 64 bits,
   as what is told are words of memory. Work that was done has a hash of its own, with lanes of one width: cull tests
   and early ends, which change no result, change that. Whoever changes the arithmetic, a bound, a size or a cull test
   on purpose puts new ones here in the same change. SPDX-License-Identifier: MIT */
#include "feature_scenes.h"
#include "flushed.h"

/// Hashes ///

static const struct {
  const char *name;
  void (*play)(void);
  uint64_t expected;
} scenes[] = {
    {"shapes", play_shapes, UINT64_C(0xc28d954066a5edbc)},
    {"preconditioners", play_preconditioners, UINT64_C(0x8ac545f159b0c007)},
    {"hull", play_hull, UINT64_C(0xef219697e19da23e)},
    {"field", play_field, UINT64_C(0x5d79f7342d73f40f)},
    {"meshes", play_meshes, UINT64_C(0xf9ed128e6d5e07ad)},
    {"distances", play_distances, UINT64_C(0x42ae98d23b51b811)},
    {"self", play_self, UINT64_C(0x6e0c4935fdfee073)},
    {"self_holes", play_self_holes, UINT64_C(0x3af323472683ca9e)},
    {"clap", play_clap, UINT64_C(0x82edd2710d03caac)},
    {"sewn", play_sewn, UINT64_C(0x26472c3edd6c3b2a)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0xe94ab916c420ce81)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x3cf307185206d760)},
    {"gathers", play_gathers, UINT64_C(0x47d4af7505320ec9)},
    {"strips", play_strips, UINT64_C(0x1814e81f5b2212fc)},
    {"flaps", play_flaps, UINT64_C(0xca2f9f60dcd0079d)},
    {"woken", play_all_woken, UINT64_C(0x4467ad495c73e4a9)},
    {"asleep", play_asleep, UINT64_C(0xb8935c56a2ae4b20)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x1dfb1ebcd3648e48)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0xa09afa40dbb230b6)},
    {"tears", play_tears, UINT64_C(0xd21d9c02aa18e0ac)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x74a94a030508ebc0)},
    {"targets", play_targets, UINT64_C(0x979028bc24180f30)},
    {"bodies", play_bodies, UINT64_C(0x42537442630d8a7c)},
    {"workers", play_workers, UINT64_C(0xf0527825d972c00e)},
    {"random_1", play_random_1, UINT64_C(0xf5e3e0246ab7e7bc)},
    {"random_2", play_random_2, UINT64_C(0x9d4379fa740ec3ca)},
    {"plans", play_plans, UINT64_C(0x328099ba951ecf33)},
    {"settled", play_settled, UINT64_C(0x15cc78b8ec4d030a)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x471fd7a0b33fcf41), UINT64_C(0x28f04d5729a0920b), UINT64_C(0x5c9d076085f142d5),
    UINT64_C(0xcc64e2c28a2fd65e), UINT64_C(0x6e2288403e384d61), UINT64_C(0x9e904b8ae2217553),
    UINT64_C(0xd20e5a812e9c02f4), UINT64_C(0xd12c208c10542de1), UINT64_C(0xcab7bbacad3c5ebb),
    UINT64_C(0x07d3ab35b21ad6ba), UINT64_C(0xa8386a7ec7a774aa), UINT64_C(0x653009b80f150b99),
    UINT64_C(0x0c27e3b544323eea), UINT64_C(0x67673e70b6a159c2), UINT64_C(0x6f4efa61d82cafad),
    UINT64_C(0x6a1678e3463a7bbc), UINT64_C(0x3a42c768160eaf54), UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000), UINT64_C(0x80b82bab2dcc6a13), UINT64_C(0x0000000000000000),
    UINT64_C(0x351a1e5001e5c8b2), UINT64_C(0xda40289adc8e4186), UINT64_C(0x4a1ac05adfa15308),
    UINT64_C(0x1c68ae59549d3f49), UINT64_C(0xa12cdb2a06579e88), UINT64_C(0x7c7556e5d0add329),
    UINT64_C(0x67e33d01afcb30e1), UINT64_C(0x1699c8dea6b4bd2d), 0,
    UINT64_C(0xb58cc02ffb94b988),
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

/* known_scenes flushed ...: on x86 with subnormal numbers taken, and returned, as 0. */
int main(int count, char **arguments) {
  take_flushed(&count, &arguments);
  return RUN_TESTS(count, arguments, tests);
}
