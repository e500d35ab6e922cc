/* A cloth with a scripted life that calls most of the interface, for tests of arenas and of reading.
   SPDX-License-Identifier: MIT */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "support.h"

/* A scene that uses every kind of input; the inputs depend on the frame alone. */
static inline cloth_config script_config(void) {
  cloth_config config = tested_config();
  config.columns = 13;
  config.rows = 10;
  config.air.drag = 1.0f;
  config.air.lift = 0.3f;
  config.air.normal_drag = 0.5f;
  config.origin = vector_at(-0.5, 0.4, -0.5);
  return config;
}

static inline void script_start(cloth *sheet) {
  cloth_collider ball = cloth_collider_default();
  CHECK(cloth_add_collider(sheet, &ball) == 0, "no collider");
  cloth_pin(sheet, 0);
  cloth_pin(sheet, 12);
  cloth_confine_to_line(sheet, 117, vector_at(0.0, 1.0, 0.0));
}

static inline void script_step(cloth *sheet, int frame) {
  double phase = 0.15 * frame;
  cloth_pose pose = {vector_at(0.2 * sin(phase), 0.0, 0.0), rotation_none()};
  cloth_move_collider(sheet, 0, NULL, &pose);
  cloth_move_pin(sheet, 0, vector_at(-0.5, 0.4 + 0.1 * sin(phase), -0.5));
  if (frame == 4) cloth_set_wind(sheet, vector_at(3.0, 0.5, 0.0));
  if (frame == 22) cloth_set_gravity(sheet, vector_at(1.0, -9.0, 0.0));
  if (frame == 25) cloth_confine_to_plane(sheet, 129, vector_at(0.0, 0.0, 1.0));
  if (frame == 28) {
    cloth_fabric fabric;
    cloth_fabric_preset(CLOTH_FABRIC_DENIM, &fabric);
    cloth_set_fabric(sheet, &fabric);
    cloth_release(sheet, 12);
  }
  if (frame == 30) {
    cloth_collider box = collider_of(CLOTH_SHAPE_BOX);
    box.pose.position.y = -0.5f;
    cloth_add_collider(sheet, &box);
    cloth_set_pin_velocity(sheet, 0, vector_at(0.1, 0.0, 0.0));
  }
  int result = cloth_step(sheet, FRAME);
  CHECK(result >= CLOTH_OK, "frame %d: %s", frame, cloth_result_name(result));
}

static inline void script_run(cloth *sheet, int from, int to) {
  for (int frame = from; frame < to; frame++)
    script_step(sheet, frame);
}

static inline fixture script_fixture(void) {
  cloth_config config = script_config();
  fixture s = fixture_make(&config);
  script_start(s.sheet);
  return s;
}

#endif /* SCRIPT_H */
