/* The scene that the programs of tests/engines play in other languages: a flag in a wind that changes, touched by a
   ball that passes. Prints what each of them must print. Every number is exact as a float, but for the time of a frame.
 */
#include <cloth.h>

#include <stdio.h>

enum { COLUMNS = 24, ROWS = 16, FRAMES = 120 };

CLOTH_ALIGNED static unsigned char arena[224 * 1024];

static int make_flag(cloth **flag, int *ball) {
  cloth_config config = cloth_config_default();
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.edge_warp.x = 1.25f;
  config.edge_warp.z = 0;
  config.edge_weft.y = -0.75f;
  config.edge_weft.z = 0;
  config.substeps = 8;
  cloth_fabric_preset(CLOTH_FABRIC_POLYESTER, &config.fabric);
  int result = cloth_init(&config, arena, sizeof arena, flag);
  for (int row = 0; row < ROWS && result >= CLOTH_OK; row++)
    result = cloth_pin(*flag, cloth_particle_at(*flag, 0, row));

  cloth_collider collider = cloth_collider_default();
  collider.shape = CLOTH_SHAPE_SPHERE;
  collider.radius = 0.125f;
  collider.pose.position = (cloth_vector){0.75f, -0.5f, -1};
  *ball = result < CLOTH_OK ? result : cloth_add_collider(*flag, &collider);
  return *ball < CLOTH_OK ? *ball : CLOTH_OK;
}

static int play_frame(cloth *flag, int ball, int frame) {
  const cloth_vector wind = {6.0f + 0.25f * (float)(frame % 16), 0, 0.5f};
  const cloth_pose pose = {{0.75f, -0.5f, -1.0f + (float)frame / 64.0f}, {0, 0, 0, 1}};
  int result = cloth_set_wind(flag, wind);
  if (result >= CLOTH_OK) result = cloth_move_collider(flag, ball, NULL, &pose);
  return result < CLOTH_OK ? result : cloth_step(flag, 1.0f / 60.0f);
}

int main(void) {
  cloth *flag;
  int ball;
  int result = make_flag(&flag, &ball);
  for (int frame = 0; frame < FRAMES && result >= CLOTH_OK; frame++)
    result = play_frame(flag, ball, frame);
  uint64_t hash = 0;
  if (result >= CLOTH_OK) result = cloth_hash(flag, &hash);
  printf("%s, hash %08lx%08lx\n", result >= CLOTH_OK ? "flag" : cloth_result_name(result), (unsigned long)(hash >> 32),
         (unsigned long)(hash & 0xffffffffu));
  return result < CLOTH_OK;
}
