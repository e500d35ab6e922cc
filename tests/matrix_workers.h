/*
 * The scene of tests/matrix.c whose steps are shared out: a sheet with tethers and strain limits falls on a
 * sphere, by the calling thread alone, and again with its pieces run in another order than they are made in. Both must
 * come to the same. Included by matrix.c.
 */
enum { PIECES = 3 };

static int pieces_run;

static void run_reversed(void *context, cloth_piece piece, void *job, int32_t count) {
  (void)context;
  pieces_run += count;
  for (int32_t n = count; n-- > 0;)
    piece(job, n);
}

OWN_FRAME static void play_shared_out(const cloth_workers *workers) {
  cloth *sheet = NULL;
  scene_hash = HASH_START;
  configure(23, 24); /* two strips, which have 256 particles at least */
  projected_in_wind(&scene_config);
  scene_config.strain_limit.max_extension = 0.01f;
  scene_config.tethers.count = 1;
  scene_config.capacity.workers = PIECES;
  checked(cloth_memory_needed(&scene_config, &scene_memory));
  if (checked(cloth_init(&scene_config, arena, sizeof arena, &sheet)) < 0) return;
  on_sphere(sheet);
  pin_at(sheet, 0, 0);
  const cloth_surroundings around = {.workers = workers};
  for (scene_frame = 0; scene_frame < FULL_FRAMES / 2; scene_frame++) {
    checked(cloth_step_with(sheet, FRAME_SECONDS, &around));
    fold_state(sheet);
    fold_statistics(sheet);
  }
  cloth_reaction reaction;
  checked(cloth_get_collider_reaction(sheet, 0, &reaction));
  fold_vector(reaction.impulse);
  fold_vector(reaction.torque);
}

OWN_FRAME static uint64_t run_shared_out_scene(void) {
  const cloth_workers workers = {run_reversed, NULL};
  scene_set = "full";
  scene_name = "shared out";
  play_shared_out(NULL);
  const uint64_t alone = scene_hash;
  play_shared_out(&workers);
  if (scene_hash != alone) fail("workers come to something else");
  if (pieces_run == 0) fail("no pieces");
  return end_scene();
}
