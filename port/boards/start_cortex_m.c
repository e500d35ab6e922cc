/* Start-up of a Cortex-M without a library. Text and exit status go to the debugger by semihosting, so this is for
   emulators and for boards on a debugger. Link with one of the .ld files beside this one. */
#include "board.h"

#include <stdint.h>

/// Semihosting ///

enum {
  SEMIHOSTING_WRITE = 0x04,         /* a string */
  SEMIHOSTING_EXIT_EXTENDED = 0x20, /* plain SYS_EXIT has no room for a status on 32-bit machines */
  APPLICATION_EXIT = 0x20026
};

static void semihosting(uint32_t operation, const void *argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void board_print(const char *text) {
  semihosting(SEMIHOSTING_WRITE, text);
}

__attribute__((noreturn)) static void leave(int status) {
  const uint32_t arguments[2] = {APPLICATION_EXIT, (uint32_t)status};
  semihosting(SEMIHOSTING_EXIT_EXTENDED, arguments);
  for (;;) {}
}

/// Start ///

/* Placed by the linker script. */
extern uint32_t stack_top[], data_source[], data_start[], data_end[], zeros_start[], zeros_end[];

__attribute__((noinline, noreturn)) static void start(void) {
  const uint32_t *from = data_source;
  for (uint32_t *to = data_start; to < data_end; to++)
    *to = *from++;
  for (uint32_t *to = zeros_start; to < zeros_end; to++)
    *to = 0;
  leave(board_main());
}

/* A function of its own, not inlined: whatever comes after may use the registers that this makes accessible. */
__attribute__((noreturn)) void reset(void);
void reset(void) {
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  volatile uint32_t *coprocessor_access = (volatile uint32_t *)0xe000ed88u;
  *coprocessor_access |= 0xfu << 20; /* full access to coprocessors 10 and 11: floating point and vectors */
  __asm__ volatile("dsb\n isb" ::: "memory");
#endif
  start();
}

static void fault(void) {
  board_print("fault\n");
  leave(99);
}

/* The timer of the core: a program that starts it defines its handler. */
void board_systick(void) __attribute__((weak, alias("fault")));

typedef union vector_entry {
  const void *stack;
  void (*handler)(void);
} vector_entry;

/* All 15 exceptions of the core and as many interrupts as the smallest core can have. */
__attribute__((section(".vectors"), used)) static const vector_entry vectors[16 + 32] = {
    {.stack = stack_top},
    {.handler = reset},
    [2 ... 14] = {.handler = fault},
    {.handler = board_systick},
    [16 ... 16 + 32 - 1] = {.handler = fault}};
