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
    {"shapes", play_shapes, UINT64_C(0x0cbe99caec947de5)},
    {"preconditioners", play_preconditioners, UINT64_C(0xa99e934b69818f04)},
    {"hull", play_hull, UINT64_C(0x67bce8ebb7ddd2cc)},
    {"field", play_field, UINT64_C(0x39d0925c27944c5b)},
    {"meshes", play_meshes, UINT64_C(0xcc053cb694afeacf)},
    {"distances", play_distances, UINT64_C(0x4367a256caaed36b)},
    {"self", play_self, UINT64_C(0x14325b57e825576e)},
    {"self_holes", play_self_holes, UINT64_C(0x0f4074e3a771c870)},
    {"clap", play_clap, UINT64_C(0x121b07f86602fb03)},
    {"sewn", play_sewn, UINT64_C(0xc3d2147d5a3688d9)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0xaf57036e6690763c)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0xe83c3e375d42f1d7)},
    {"gathers", play_gathers, UINT64_C(0x077bde6f07fdc648)},
    {"strips", play_strips, UINT64_C(0xe8ad304deb51a63f)},
    {"flaps", play_flaps, UINT64_C(0x28ce1e3b900c8226)},
    {"woken", play_all_woken, UINT64_C(0xe359b8516bb191d3)},
    {"asleep", play_asleep, UINT64_C(0x50e9a1be3e55aaa1)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x1dfb1ebcd3648e48)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0xecb0f3400893ab40)},
    {"tears", play_tears, UINT64_C(0xdb03b1eb16d4047c)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x0b5772bad1baf9bb)},
    {"targets", play_targets, UINT64_C(0x125fa999f0ab29da)},
    {"bodies", play_bodies, UINT64_C(0x7be9d3d46a37fbab)},
    {"workers", play_workers, UINT64_C(0x78bd30388107e590)},
    {"random_1", play_random_1, UINT64_C(0x009d63228819b0dd)},
    {"random_2", play_random_2, UINT64_C(0x5a660cbaec54cf23)},
    {"plans", play_plans, UINT64_C(0x6e11f6f9e60818de)},
    {"settled", play_settled, UINT64_C(0x118e928a29ec9fd4)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0x181ac9b7b102dc72)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0xcf52ce5c0c389600)},
    {"worlds", play_worlds, UINT64_C(0x29e97f1c00d5c121)},
    {"tailored", play_tailored, UINT64_C(0x9b69610a59ae43dd)},
    {"terrains", play_terrains, UINT64_C(0xe1fac6038936713b)},
    {"config_costs", play_config_costs, UINT64_C(0x42625fa98a287368)},
    {"limits", play_limits, UINT64_C(0x2173da78fa9bed81)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x11f11b9a9146ccf4)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0x9d6309cf2ff4626d),
    UINT64_C(0x0d530f345b995d02),
    UINT64_C(0xb8a11920e4822a23),
    UINT64_C(0x1ad32eb14c8b49ee),
    UINT64_C(0x8f78b6f1c239b084),
    UINT64_C(0x42d69918abd096ed),
    UINT64_C(0x03317dd9145d6b23),
    UINT64_C(0x6ae1d2f6fb8234ee),
    UINT64_C(0x01f597f54454efd4),
    UINT64_C(0x94ff5dbecf265e05),
    UINT64_C(0x00497aa9fd805cab),
    UINT64_C(0x207011a0d313bddf),
    UINT64_C(0x315086ab9c6e1e6f),
    UINT64_C(0xe541b2c4c4fb3109),
    UINT64_C(0x036b87b15bd0007c),
    UINT64_C(0x7bfd6bb2b8ef1942),
    UINT64_C(0xdb6355537ef72b64),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x80b82bab2dcc6a13),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xbfa3b0295b2d4c2b),
    UINT64_C(0xd9aff767c5e9ae0d),
    UINT64_C(0xa8718ff3c97672ba),
    UINT64_C(0x28ead96589eed445),
    UINT64_C(0x4a52fb2149a6d874),
    UINT64_C(0x5151867465249d35),
    UINT64_C(0x051b5e53de95c887),
    UINT64_C(0x2570d05737e0b6b9),
    0,
    UINT64_C(0x8592eace7b6b2724),
    0,
    UINT64_C(0x78a5f799303eac51),
    UINT64_C(0x4aa6d116e17f0015),
    UINT64_C(0xf3e65674f1c4b6ac),
    UINT64_C(0x797079de6de7dab2),
    UINT64_C(0x33d3425301d048ba),
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
