/*
 * The scene of tests/matrix.c in which cloths are stepped together: a held sheet of springs, a heavier projected tube
 * that starts tangled with it and far from its own origin, and a pinned sheet that sleeps until the tube comes to it.
 * Then the first two of them, sewn together. Included by matrix.c.
 */
enum { GROUP_SHEETS = 3 };

/* Makes cloth n of the scene, at *used bytes of the arena. */
OWN_FRAME static cloth *make_group_sheet(int n, size_t *used) {
  cloth *sheet = NULL;
  configure(9 - n, 6 + n);
  scene_config.self_thickness = 0.0234375f;
  scene_config.self.pairs = 6;
  scene_config.edge_warp = vector(0.75f, 0.0625f * (float)n, 0.0f);
  scene_config.edge_weft = vector(0.0f, 0.0f, 0.75f);
  scene_config.origin = vector(-0.5f, 0.03125f * (float)n, -0.5f);
  if (n == 1) {
    scene_config.integration.bdf2_blend = 0.5f;
    scene_config.substeps = 5;
    scene_config.fabric.density = 0.5f;
    scene_config.world.origin.x = 5;
    scene_config.origin.x -= 5.0f;
    scene_config.origin.y = -0.03125f;
    scene_config.self.gathers = 2;
  } else if (n == 2) {
    scene_config.sleep.speed = 0.125f;
    scene_config.sleep.time = 0.0f;
    scene_config.self.gathers = 0;
    scene_config.origin.y = -0.25f;
  }
  checked(cloth_memory_needed(&scene_config, &scene_memory));
  checked(cloth_init(&scene_config, arena + *used, sizeof arena - *used, &sheet));
  *used += (scene_memory.total_bytes + CLOTH_ALIGNMENT - 1) / CLOTH_ALIGNMENT * CLOTH_ALIGNMENT;
  return sheet;
}

/* Pins two corners of the first sheet of a group, which gets what is left of the arena. Returns 0 if that is too
 * little.
 */
OWN_FRAME static int hang_group(const cloth_group *group, size_t used) {
  size_t bytes = 0;
  checked(cloth_group_bytes(group, &bytes));
  if (used + bytes > sizeof arena) {
    fail("no room for the group");
    return 0;
  }
  pin_at(group->cloths[0], 0, 0);
  pin_at(group->cloths[0], 8, 0);
  return 1;
}

OWN_FRAME static void run_group_frames(const cloth_group *group, size_t used) {
  int slept = 0, woken = 0;
  for (scene_frame = 0; scene_frame < 2 * FULL_FRAMES; scene_frame++) {
    const int notes = checked(cloth_step_together(group, FRAME_SECONDS, arena + used, sizeof arena - used));
    fold((uint32_t)notes, 4);
    for (int n = 0; n < GROUP_SHEETS; n++) {
      cloth_self_statistics self = {0};
      checked(cloth_get_self_statistics(group->cloths[n], &self));
      fold_state(group->cloths[n]);
      fold((uint32_t)self.pairs, 4);
      fold((uint32_t)self.contacts, 4);
      fold((uint32_t)self.intersections, 4);
      fold((uint32_t)self.tangled, 4);
      if (n < 2 && (self.pairs == 0 || (scene_frame == 0 && self.intersections == 0)))
        fail("no contact between cloths");
    }
    const int sleeps = cloth_is_asleep(group->cloths[2]);
    slept |= sleeps;
    woken |= slept && !sleeps;
  }
  if (!woken) fail("no sleeping cloth was woken");
}

OWN_FRAME static uint64_t run_group_scene(void) {
  cloth *sheets[GROUP_SHEETS];
  size_t used = 0;
  scene_set = "full";
  scene_name = "group";
  scene_frame = 0;
  scene_hash = HASH_START;
  for (int n = 0; n < GROUP_SHEETS; n++)
    sheets[n] = make_group_sheet(n, &used);
  cloth_group group = cloth_group_default();
  group.pairs = 6;
  group.cloths = sheets;
  group.count = GROUP_SHEETS;
  const cloth_group_pair exception = {0, 2, 0.03125f, 0.5f};
  group.exceptions = &exception;
  group.exception_count = 1;
  if (!hang_group(&group, used)) return 0;
  for (int particle = 0; particle < 7 * 8; particle++)
    checked(cloth_pin(sheets[2], particle));
  run_group_frames(&group, used);
  return end_scene();
}

/* The last row of the sheet is sewn to the shorter first row of the other one. */
OWN_FRAME static uint64_t run_sewn_scene(void) {
  const cloth_seam seam = {{0, 45, 1, 9, NULL}, {1, 0, 1, 8, NULL}, 0};
  cloth *sheets[2];
  size_t used = 0;
  float gap = 0.0f;
  scene_name = "sewn";
  scene_hash = HASH_START;
  for (int n = 0; n < 2; n++)
    sheets[n] = make_group_sheet(n, &used);
  cloth_group group = cloth_group_default();
  group.pairs = 6;
  group.cloths = sheets;
  group.count = 2;
  group.seams = &seam;
  group.seam_count = 1;
  if (!hang_group(&group, used)) return 0;
  for (scene_frame = 0; scene_frame < FULL_FRAMES; scene_frame++) {
    fold((uint32_t)checked(cloth_step_together(&group, FRAME_SECONDS, arena + used, sizeof arena - used)), 4);
    fold_state(sheets[0]);
    fold_state(sheets[1]);
    checked(cloth_group_seam_gap(&group, 0, &gap));
    fold_float(gap);
  }
  return end_scene();
}
