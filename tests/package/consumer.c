/* A program as users of a package write it: a sheet over a ball. Prints what every build of the library must print, and
   succeeds if the library says of itself that it computes the right bits. Good as C99 and as C++11. */
#include <cloth.h>

#include <stdio.h>

#define SIDE 16

CLOTH_ALIGNED static unsigned char arena[160 * 1024];

int main(void) {
  cloth_config config = cloth_config_default();
  config.columns = SIDE;
  config.rows = SIDE;
  config.max_colliders = 1;
  cloth *sheet;
  int result = cloth_init(&config, arena, sizeof arena, &sheet);
  if (result == CLOTH_OK) result = cloth_pin(sheet, cloth_particle_at(sheet, 0, 0));

  cloth_collider ball = cloth_collider_default();
  ball.shape = CLOTH_SHAPE_SPHERE;
  ball.radius = 0.2f;
  ball.pose.position.x = 0.5f;
  ball.pose.position.y = -0.25f;
  ball.pose.position.z = 0.5f;
  if (result >= CLOTH_OK) result = cloth_add_collider(sheet, &ball);

  for (int frame = 0; frame < 60 && result >= CLOTH_OK; frame++)
    result = cloth_step(sheet, 1.0f / 60.0f);
  uint64_t hash = 0;
  if (result >= CLOTH_OK) result = cloth_hash(sheet, &hash);
  if (result >= CLOTH_OK) result = cloth_self_test();
  printf("%s, hash %08lx%08lx\n", result >= CLOTH_OK ? "fine" : cloth_result_name(result), (unsigned long)(hash >> 32),
         (unsigned long)(hash & 0xffffffffu));
  return result >= CLOTH_OK ? 0 : 1;
}
