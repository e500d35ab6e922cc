/*
 * Runs the page's scenes from their start with their default settings and prints, as JSON, the hashes that a browser
 * must come to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static stage the_stage;

static uint64_t run(stage_kind kind) {
  uint64_t hash = 0;
  int result = stage_open(&the_stage, kind, 0);
  for (int frame = 0; frame < STAGE_CHECK_FRAMES && result >= 0; frame++)
    result = stage_step(&the_stage);
  if (result >= 0) result = cloth_hash(the_stage.sheet, &hash);
  if (result >= 0) return hash;
  fprintf(stderr, "hashes: %s: %s\n", stage_name(kind), cloth_result_name(result));
  exit(EXIT_FAILURE);
}

int main(void) {
  printf("{\n  \"frames\": %d,\n  \"hashes\": {", STAGE_CHECK_FRAMES);
  for (int kind = 0; kind < STAGE_KIND_COUNT; kind++) {
    printf("%s\n    \"%s\": \"%016" PRIx64 "\"", kind ? "," : "", stage_name((stage_kind)kind), run((stage_kind)kind));
  }
  printf("\n  }\n}\n");
  return EXIT_SUCCESS;
}
