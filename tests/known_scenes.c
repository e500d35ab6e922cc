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
    {"shapes", play_shapes, UINT64_C(0x2ada87c8dd2613eb)},
    {"preconditioners", play_preconditioners, UINT64_C(0x87777f4193f74f65)},
    {"hull", play_hull, UINT64_C(0xe99e3faf4d7d28b4)},
    {"field", play_field, UINT64_C(0x62bb699c19d7e23f)},
    {"meshes", play_meshes, UINT64_C(0xde4397228c5fff92)},
    {"distances", play_distances, UINT64_C(0x2efd4a511a4f376e)},
    {"self", play_self, UINT64_C(0xdeac2b1d906011f2)},
    {"self_holes", play_self_holes, UINT64_C(0x9c187233743df6f8)},
    {"clap", play_clap, UINT64_C(0x7026a602472a9a70)},
    {"sewn", play_sewn, UINT64_C(0xf69f974fe4bd86af)},
    {"sewn_torn", play_sewn_torn, UINT64_C(0x616d2f4efef1d55c)},
    {"sewn_spheres", play_sewn_spheres, UINT64_C(0x957a7786f13d8c66)},
    {"gathers", play_gathers, UINT64_C(0xd6f1029a40a11a00)},
    {"strips", play_strips, UINT64_C(0x145e70cb3bd2d66f)},
    {"flaps", play_flaps, UINT64_C(0xfce4703a827d75b4)},
    {"woken", play_all_woken, UINT64_C(0xb87adf5b0d3c880c)},
    {"asleep", play_asleep, UINT64_C(0xb413eac3f4468b7d)},
    {"refused_shapes", play_refused_shapes, UINT64_C(0x76b41573280474ad)},
    {"defaults", play_defaults, UINT64_C(0x273c996a35d9af39)},
    {"air", play_air, UINT64_C(0x1016b7fae917361d)},
    {"origins", play_origins, UINT64_C(0x956da8be25bd2a14)},
    {"loose_group", play_loose_group, UINT64_C(0xff69b5c35f85b5a9)},
    {"tears", play_tears, UINT64_C(0xd8862fcf080940a5)},
    {"rest_shapes", play_rest_shapes, UINT64_C(0x429bbdaa9b973f50)},
    {"targets", play_targets, UINT64_C(0x4018a1a1a1b59913)},
    {"bodies", play_bodies, UINT64_C(0x470ef39d03394572)},
    {"workers", play_workers, UINT64_C(0x920db22373798643)},
    {"random_1", play_random_1, UINT64_C(0xd54a1bc8240f9471)},
    {"random_2", play_random_2, UINT64_C(0x36f39783b7706e1d)},
    {"plans", play_plans, UINT64_C(0xd81ca617c064a020)},
    {"settled", play_settled, UINT64_C(0x1dd21d2daa143752)},
    {"lattice_queries", play_lattice_queries, UINT64_C(0xf28d0ad8d851c1df)},
    {"lattice_contacts", play_lattice_contacts, UINT64_C(0xf099d1d388848a0e)},
    {"lattice_layers", play_lattice_layers, UINT64_C(0xa5e7071cd47b089c)},
    {"worlds", play_worlds, UINT64_C(0x001aa0f355be4032)},
    {"tailored", play_tailored, UINT64_C(0xb8a2db62b238f8f1)},
    {"terrains", play_terrains, UINT64_C(0xc82dba35d2512f56)},
    {"config_costs", play_config_costs, UINT64_C(0x3b22a2c9f232ddb4)},
    {"limits", play_limits, UINT64_C(0xa3ab91e244bec3d7)},
    {"refused_groups", play_refused_groups, UINT64_C(0xf78972a9a3dab258)},
    {"damaged", play_damaged, UINT64_C(0x6e2f0c4acdfe223b)},
};

/* Of the work of each, with the 4 lanes of SSE2. */
static const uint64_t works[sizeof scenes / sizeof scenes[0]] = {
    UINT64_C(0xc3254c4502c9bffb),
    UINT64_C(0x1bd111b20b225df3),
    UINT64_C(0x6b2cbef77a4d28b3),
    UINT64_C(0x53772889fb87866c),
    UINT64_C(0xcb2710b3403991db),
    UINT64_C(0xdca92ce1f1303656),
    UINT64_C(0x9b1c952d78938b04),
    UINT64_C(0xaeba1af134b5e658),
    UINT64_C(0xba5842f0bf784813),
    UINT64_C(0x285535d25cdd51a5),
    UINT64_C(0xcb43ebc120ab6edc),
    UINT64_C(0xeabd12327a84113e),
    UINT64_C(0x21538ca2ef7c32c4),
    UINT64_C(0x0487beba89c3cc20),
    UINT64_C(0x4cd544b8f2638a6c),
    UINT64_C(0xe7950dbf7c37208a),
    UINT64_C(0xd6ac4409c39bd711),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x0000000000000000),
    UINT64_C(0xbfc96c86f00b8b6e),
    UINT64_C(0x0000000000000000),
    UINT64_C(0x7c192dc16a71c212),
    UINT64_C(0x0f0a5f5674f99b44),
    UINT64_C(0xed00410579b043b1),
    UINT64_C(0x7ca3eb4df27afdae),
    UINT64_C(0x9393770798d3737f),
    UINT64_C(0x2c7f8c9aee765ecf),
    UINT64_C(0xace074d0956352e3),
    UINT64_C(0xb2c19f7c3a5c82f6),
    0,
    UINT64_C(0xe973a9a5f556d805),
    0,
    UINT64_C(0xaf0052c8a65c6833),
    UINT64_C(0xd2de285759393426),
    UINT64_C(0x0fe390798b6fb53a),
    UINT64_C(0x666df6cdc641efcb),
    UINT64_C(0xc922987af2b69593),
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
