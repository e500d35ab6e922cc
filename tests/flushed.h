/* Runs in which x86 takes subnormal numbers, and returns them, as 0. SPDX-License-Identifier: MIT */
#ifndef FLUSHED_H
#define FLUSHED_H

#include <string.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/* If the first argument is "flushed", takes it away and sets that; nothing where there is no SSE. */
static inline void take_flushed(int *count, char ***arguments) {
#if defined(__SSE__)
  if (*count > 1 && strcmp((*arguments)[1], "flushed") == 0) {
    _mm_setcsr(_mm_getcsr() | 0x8040u);
    (*arguments)++;
    (*count)--;
  }
#else
  (void)count;
  (void)arguments;
#endif
}

#endif /* FLUSHED_H */
