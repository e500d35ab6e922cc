/* Configs drawn at random, of all kinds. SPDX-License-Identifier: MIT */
#ifndef RANDOM_CONFIGS_H
#define RANDOM_CONFIGS_H

#include "support.h"

static float random_map[24 * 24];

static inline cloth_config random_config(random_source *random) {
  const double height = random_real(random, 0.0, 0.4); /* a statement each, as their order counts */
  cloth_config config = square_config(random_int(random, 2, 24), height);
  config.rows = random_int(random, 2, 24);
  config.integration.method = (int32_t)random_int(random, 0, 2);
  config.integration.explicit_threshold = random_int(random, 0, 2) ? 0.0f : 1.0f;
  config.integration.bdf2_blend = random_int(random, 0, 1) ? 0.9f : 0.0f;
  config.substeps = random_int(random, 0, 3) ? random_int(random, 1, 16) : 0;
  config.solver.max_iterations = random_int(random, 1, 12);
  config.solver.preconditioner = (int32_t)random_int(random, 0, 3);
  config.solver.tolerance = random_int(random, 0, 1) ? 0.0f : 0.01f;
  config.iterations = random_int(random, 0, 8);
  config.tethers.count = random_int(random, 0, 2);
  config.strain_limit.max_extension = random_int(random, 0, 3) ? 0.0f : 0.05f;
  config.air.drag = random_int(random, 0, 1) ? 0.0f : 1.0f;
  config.max_colliders = random_int(random, 0, 3);
  config.integration.max_speed = random_int(random, 0, 3) ? 300.0f : 0.5f;
  config.sleep.speed = random_int(random, 0, 3) ? 0.0f : 0.05f;
  config.capacity.targets = random_int(random, 0, 3) == 0;
  if (random_int(random, 0, 3) == 0)
    config.self_thickness = 0.45f / (float)(config.columns > config.rows ? config.columns - 1 : config.rows - 1);
  for (int i = 0; i < 24 * 24; i++)
    random_map[i] = (float)random_int(random, 1, 4);
  config.grid.mass_map = random_int(random, 0, 3) ? NULL : random_map;
  config.grid.stiffness_map = random_int(random, 0, 3) ? NULL : random_map;
  return config;
}

#endif /* RANDOM_CONFIGS_H */
