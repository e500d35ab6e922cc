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
    {"shapes", play_shapes, UINT64_C(0x262b7899430463a5)},
    {"preconditioners", play_preconditioners, UINT64_C(0xf56f3002099cdf60)},
    {"hull", play_hull, UINT64_C(0x26698546515f1b04)},
    {"field", play_field, UINT64_C(0xe4408397703e736d)},
    {"meshes", play_meshes, UINT64_C(0xfba543fa1eed53ca)},
    {"distances", play_distances, UINT64_C(0x3fc91483f6fdb3f0)},
    {"self", play_self, UINT64_C(0xd3f0ec919a36a54c)},
    {"self_holes", play_self_holes, UINT64_C(0xbaa656bab0112c04)},
    {"clap", play_clap, UINT64_C(0x60c721513db32dc7)},
    {"sewn", play_sewn, UINT64_C(0x37517a93ea2eab15)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x7431331e7fa8720f)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0xa9c7ef29e6084101)},
    {"gathers", play_gathers, UINT64_C(0x882842efd9b13a20)},
    {"strips", play_strips, UINT64_C(0x710cb5dc4cb544aa)},
    {"flaps", play_flaps, UINT64_C(0xfdb2ce4e1bf91562)},
    {"woken", play_all_woken, UINT64_C(0x1c70a1ca48af6e8a)},
    {"asleep", play_asleep, UINT64_C(0xd0b329114df6959c)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x9ee9ab2ec4a56aec)},
    {"air", play_air, UINT64_C(0x1dfb1ebcd3648e48)},
    {"origins", play_origins, UINT64_C(0x52b696db5e4da3d4)},
    {"loose_group", play_loose_group, UINT64_C(0x0ca039a403187a44)},
    {"tears", play_tears, UINT64_C(0x9e159c040d96813d)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x74a94a030508ebc0)},
    {"targets", play_targets, UINT64_C(0x979028bc24180f30)},
    {"bodies", play_bodies, UINT64_C(0x452394b268ab4703)},
    {"workers", play_workers, UINT64_C(0x78bd30388107e590)},
    {"random_1", play_random_1, UINT64_C(0xa27f97d13dd9e905)},
    {"random_2", play_random_2, UINT64_C(0x56d4a46e876a21d9)},
    {"plans", play_plans, UINT64_C(0x328099ba951ecf33)},
    {"settled", play_settled, UINT64_C(0x15cc78b8ec4d030a)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0xa6e459523a34fa71), UINT64_C(0x1b50ee0627cac2f8), UINT64_C(0x254b4f9e37944981),
    UINT64_C(0x951580d8ce953ab2), UINT64_C(0x9e7b37cf8b3ae57f), UINT64_C(0x7ec254daa07ce841),
    UINT64_C(0x4c389ebd16be426e), UINT64_C(0x277019bdf1f8982d), UINT64_C(0x685a39096bdb4b89),
    UINT64_C(0xac93fa4a1623e67e), UINT64_C(0x94ca4ce383fa4e12), UINT64_C(0xab50c446e768e292),
    UINT64_C(0x26965dd9a4b666ee), UINT64_C(0xabd109f7b5e27fff), UINT64_C(0x7f0acf8a876cfa9a),
    UINT64_C(0x05e23e1191f11d6e), UINT64_C(0xbf1c66006b1e2fb4), UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000), UINT64_C(0x80b82bab2dcc6a13), UINT64_C(0x0000000000000000),
    UINT64_C(0x5936fa593e913465), UINT64_C(0x00147f5fc8e799ba), UINT64_C(0x8e9850ea6d8977b2),
    UINT64_C(0x14e542080da8e61c), UINT64_C(0x3ad728939ea70951), UINT64_C(0x16964637066ba070),
    UINT64_C(0xea55876f9c6461e2), UINT64_C(0x22192269009b0227), 0,
    UINT64_C(0x7b137e5c1c321620),
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
