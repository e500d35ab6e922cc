/* Settings that many suites share: the thesis's scheme, and projection alone. SPDX-License-Identifier: MIT */
#ifndef SCHEMES_H
#define SCHEMES_H

#include "../cloth.h"

/* What both have in common. */
static inline void use_few_substeps(cloth_config *config) {
  config->substeps = 16;
  config->integration.max_substeps = 16;
  config->fabric.shear_compression = 0.0f;
}

/* The thesis's scheme: springs are explicit or implicit, none is projected, and strain limits come after the solve. */
static inline void use_two_tiers(cloth_config *config) {
  use_few_substeps(config);
  config->integration.explicit_threshold = 0.2f;
  config->integration.projection_threshold = CLOTH_KAPPA_NEVER;
  config->integration.bdf2_blend = 0.0f;
  config->tethers.count = 0;
}

/* Everything is projected, and nothing is ever implicit. */
static inline void use_projection(cloth_config *config) {
  use_few_substeps(config);
  config->integration.explicit_threshold = 0.0f;
  config->integration.projection_threshold = 0.0f;
  config->integration.bdf2_blend = 0.9f;
  config->tethers.count = 2;
  config->tethers.scale = 1.0f;
}

#endif /* SCHEMES_H */
