/* A machine with an operating system, to compare the boards with: frames begin as fast as they are asked for.
   SPDX-License-Identifier: MIT */
#include "machine.h"

#include <time.h>

static uint32_t frame;

void machine_start(void) {
}

uint32_t machine_wait_for_frame(void) {
  return ++frame;
}

uint32_t machine_interrupts(void) {
  return frame;
}

/* Tenths of a microsecond. */
uint32_t machine_ticks(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint32_t)((uint64_t)now.tv_sec * 10000000u + (uint64_t)now.tv_nsec / 100u);
}

uint32_t machine_ticks_per_frame(void) {
  return 10000000u / 60u;
}

uint32_t machine_ticks_left(void) {
  return UINT32_MAX;
}

uint32_t machine_stack_bytes(void) {
  return 0;
}

uint32_t machine_stack_used(void) {
  return 0;
}
