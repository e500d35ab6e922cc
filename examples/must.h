/*
 * What small programs do when a call fails: they say which, and end. And memory with the alignment of an arena.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXAMPLES_MUST_H
#define EXAMPLES_MUST_H

#include "../cloth.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program if a call has failed. Returns its result. */
static inline int must(int result, const char *what) {
  if (result < 0) {
    fprintf(stderr, "%s: %s\n", what, cloth_result_name(result));
    exit(EXIT_FAILURE);
  }
  return result;
}

/* Memory of zeros, whose aligned part begins at *aligned. Returns what is to be freed. */
static inline void *allocate_aligned(size_t bytes, void **aligned) {
  unsigned char *block = (unsigned char *)calloc(bytes + CLOTH_ALIGNMENT, 1);
  must(block ? CLOTH_OK : CLOTH_ERROR_ARENA, "memory");
  *aligned = block + (CLOTH_ALIGNMENT - (uintptr_t)block % CLOTH_ALIGNMENT) % CLOTH_ALIGNMENT;
  return block;
}

#endif /* EXAMPLES_MUST_H */
