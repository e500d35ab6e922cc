/* Settings that many suites share: the thesis's scheme, and projection alone. SPDX-License-Identifier: MIT */
#ifndef SCHEMES_H
#define SCHEMES_H

#include "../cloth.h"

/* What both have in common. */
static inline void use_few_substeps(cloth_config *config) {
  config->substeps = 16;
  config->max_substeps = 16;
  config->fine_sweeps = 1;
  config->fold_stiffness = 100.0f;
  config->fabric.shear_compression = 0.0f;
}

/* The thesis's scheme: springs are explicit or implicit, none is projected, and strain limits come after the solve. */
static inline void use_two_tiers(cloth_config *config) {
  use_few_substeps(config);
  config->projection_threshold = CLOTH_KAPPA_NEVER;
  config->extrapolation = 0.0f;
  config->tethers = 0;
  config->limit_sweeps = 12;
}

/* Everything is projected, and nothing is ever implicit. */
static inline void use_projection(cloth_config *config) {
  use_few_substeps(config);
  config->projection_threshold = 0.0f;
  config->extrapolation = 0.9f;
  config->tethers = 2;
  config->tether_scale = 1.0f;
  config->limit_sweeps = 0;
}

#endif /* SCHEMES_H */
