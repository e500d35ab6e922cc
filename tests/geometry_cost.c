/* A sheet of 32 x 32 particles comes to rest on a floor of one shape: what tests/geometry_cost.sh counts the
   instructions of. Arguments: the shape, and the substeps. SPDX-License-Identifier: MIT */
#include "geometries.h"

static built floor_of(const char *shape, cloth_collider *collider) {
  built b;
  memset(&b, 0, sizeof b);
  *collider = cloth_collider_default();
  if (strcmp(shape, "box") == 0) {
    collider->shape = CLOTH_SHAPE_BOX;
    collider->half_extents = vector_at(1.0, 0.5, 1.0);
    collider->pose.position.y = -0.5f;
    return b;
  }
  const int is_field = strncmp(shape, "field", 5) == 0;
  b = strcmp(shape, "hull") == 0         ? build_box(1.0, 0.5, 1.0)
      : strcmp(shape, "mesh") == 0       ? build_sheet_of(level, 2.0, 72, 0)
      : strcmp(shape, "mesh_hills") == 0 ? build_sheet_of(hills, 2.0, 72, 0)
      : strcmp(shape, "mesh_fine") == 0  ? build_sheet_of(level, 1.2, 72, 0)
      : strcmp(shape, "field") == 0      ? build_field_of(level, 2.0, 21)
      : strcmp(shape, "field_fine") == 0 ? build_field_of(level, 2.0, 101)
                                         : build_grid_of(floor_distance, 2.0, 21);
  *collider = collider_with(&b);
  collider->pose.position =
      vector_at(is_field ? -1.0 : 0.0, strcmp(shape, "hull") == 0 ? -0.5 : 0.0, is_field ? -1.0 : 0.0);
  return b;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  cloth_collider collider;
  built b = floor_of(arguments[1], &collider);
  cloth_config config = cloth_config_default();
  config.origin = vector_at(-0.5, 0.02, -0.5);
  config.substeps = atoi(arguments[2]);
  config.capacity.geometry = config.capacity.meshes = 1;
  fixture s = fixture_make(&config);
  int added = cloth_add_collider(s.sheet, &collider);
  CHECK(added == 0, "cloth_add_collider: %s", cloth_result_name(added));
  const cloth_surroundings around = around_of(&b);
  for (int step = 0; step < 20; step++) {
    int result = cloth_step_with(s.sheet, FRAME, b.geometry ? &around : NULL);
    CHECK(result >= 0, "cloth_step_with: %s", cloth_result_name(result));
  }
  CHECK(read_statistics(s.sheet).contacts > 400, "%d contacts", (int)read_statistics(s.sheet).contacts);
  return check_report();
}
