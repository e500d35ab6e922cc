/* The tiers in which suites repeat a test. SPDX-License-Identifier: MIT */
#ifndef TIERS_H
#define TIERS_H

#include "support.h"

enum { DEFAULT_TIER, COARSE_TIER, LIMITED_TIER, IMEX_TIER, EXPLICIT_TIER, TIERS };
static int tested_tier;

static const char *tier_name(int number) {
  static const char *const names[] = {"2 substeps", "4 substeps", "strain limits", "IMEX", "explicit"};
  return names[number];
}

static void select_tier(int number) {
  tested_tier = number;
}

static const test_cases all_tiers = {DEFAULT_TIER, TIERS, tier_name, select_tier};

/* The defaults, but for what a tier differs in. */
static inline cloth_config default_of_tier(int tier) {
  cloth_config config = cloth_config_default();
  if (tier == COARSE_TIER) config.substeps = 4;
  if (tier == LIMITED_TIER) config.strain_limit.max_extension = 0.1f;
  if (tier == IMEX_TIER || tier == EXPLICIT_TIER) CHECK(cloth_config_use_imex(&config) == CLOTH_OK, "imex");
  if (tier == EXPLICIT_TIER) config.integration.method = CLOTH_INTEGRATION_EXPLICIT;
  return config;
}

#endif /* TIERS_H */
