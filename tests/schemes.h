/* Settings that many suites share. SPDX-License-Identifier: MIT */
#ifndef SCHEMES_H
#define SCHEMES_H

#include "../cloth.h"

/* What they have in common. */
static inline void use_few_substeps(cloth_config *config) {
  config->substeps = 16;
  config->integration.max_substeps = 16;
  config->fabric.shear_compression = 0.0f;
}

/* Terms that are soft are explicit, the others implicit. */
static inline void use_two_tiers(cloth_config *config) {
  use_few_substeps(config);
  config->integration.explicit_threshold = 1.0f;
  config->integration.bdf2_blend = 0.0f;
  config->tethers.count = 0;
}

/* Everything is implicit, with tethers and the second-order prediction. */
static inline void use_projection(cloth_config *config) {
  use_few_substeps(config);
  config->integration.explicit_threshold = 0.0f;
  config->integration.bdf2_blend = 0.9f;
  config->tethers.count = 2;
  config->tethers.scale = 1.0f;
}

#endif /* SCHEMES_H */
