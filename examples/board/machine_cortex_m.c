/*
 * A Cortex-M: SysTick is the frame clock and the timer. MACHINE_HZ is the processor's clock. With INTERRUPTS_PER_FRAME
 * above 1 the interrupt comes in the middle of steps, too.
 *
 * SPDX-License-Identifier: MIT
 */
#include "machine.h"

#ifndef INTERRUPTS_PER_FRAME
#define INTERRUPTS_PER_FRAME 1u
#endif
#define PERIOD ((uint32_t)MACHINE_HZ / 60u / INTERRUPTS_PER_FRAME)

/// Registers ///

/* SysTick counts down to 0, where the interrupt comes, and begins again one tick later. */
static volatile uint32_t *const systick = (volatile uint32_t *)0xe000e010u;
enum { CONTROL, RELOAD, CURRENT, ENABLE_WITH_INTERRUPT = 7 };

static volatile uint32_t *const interrupt_control = (volatile uint32_t *)0xe000ed04u;
#define SYSTICK_PENDING (1u << 26)

/// Interrupt ///

static volatile uint32_t interrupts;

/* How bright a lamp is that fades in and out: a handler may use floats, whose registers are then saved for the step
   that it interrupts. */
static volatile float lamp;

/* In the vector table, see port/boards/start_cortex_m.c. */
void board_systick(void);
void board_systick(void) {
  interrupts++;
  float goal = interrupts / (32u * INTERRUPTS_PER_FRAME) % 2u ? 0.0f : 1.0f;
  lamp += 0.1f * (goal - lamp);
}

uint32_t machine_interrupts(void) {
  return interrupts;
}

/// Clock ///

/* The count of interrupts and the counter's value must belong together: neither may an interrupt come in between, nor
   be due without having come. */
uint32_t machine_ticks(void) {
  uint32_t before, down, pending;
  do {
    before = interrupts;
    down = systick[CURRENT];
    pending = *interrupt_control & SYSTICK_PENDING;
  } while (pending || before != interrupts);
  return before * PERIOD + (down == 0 ? 0 : PERIOD - down);
}

uint32_t machine_ticks_per_frame(void) {
  return PERIOD * INTERRUPTS_PER_FRAME;
}

static uint32_t frame; /* the one that the main loop is at */

/* Differences stay right when the counter wraps. */
uint32_t machine_ticks_left(void) {
  uint32_t whole = machine_ticks_per_frame();
  uint32_t passed = machine_ticks() - frame * whole;
  return passed < whole ? whole - passed : 0;
}

/* With interrupts off from the look at the count to falling asleep, none is missed: one that is due wakes nevertheless.
 */
uint32_t machine_wait_for_frame(void) {
  uint32_t last = frame;
  while (frame == last) {
    __asm__ volatile("cpsid i" ::: "memory");
    frame = interrupts / INTERRUPTS_PER_FRAME;
    if (frame == last) __asm__ volatile("wfi" ::: "memory");
    __asm__ volatile("cpsie i\n isb" ::: "memory");
  }
  return frame;
}

/// Stack ///

/* Placed by the linker script. */
extern uint32_t stack_bottom[], stack_top[];
#define UNUSED_STACK 0x5afe57acu

static void paint_stack(void) {
  uint32_t *here = __builtin_frame_address(0);
  for (uint32_t *word = stack_bottom; word < here - 16; word++)
    *word = UNUSED_STACK;
}

uint32_t machine_stack_bytes(void) {
  return (uint32_t)((char *)stack_top - (char *)stack_bottom);
}

uint32_t machine_stack_used(void) {
  const uint32_t *word = stack_bottom;
  while (word < stack_top && *word == UNUSED_STACK)
    word++;
  return (uint32_t)((char *)stack_top - (const char *)word);
}

void machine_start(void) {
  paint_stack();
  systick[RELOAD] = PERIOD - 1u;
  systick[CURRENT] = 0;
  systick[CONTROL] = ENABLE_WITH_INTERRUPT;
}
