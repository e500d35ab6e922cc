/* Start-up of QEMU's RISC-V machine "virt", 32 or 64 bits, without a library. Link with riscv.ld. */
#include "board.h"

#include <stdint.h>

/// Devices of the machine ///

#define SERIAL_DATA ((volatile uint8_t *)0x10000000)
#define FINISHER ((volatile uint32_t *)0x00100000)
#define FINISHER_PASS 0x5555u
#define FINISHER_FAIL 0x3333u /* the status in the upper half */

void board_print(const char *text) {
  while (*text != '\0')
    *SERIAL_DATA = (uint8_t)*text++;
}

__attribute__((noreturn)) static void leave(int status) {
  *FINISHER = status == 0 ? FINISHER_PASS : ((uint32_t)status << 16) | FINISHER_FAIL;
  for (;;) {}
}

/// Start ///

/* Floating point is off after reset, and its rounding mode is whatever it was. */
#if defined(__riscv_flen)
#define FLOATS_ON                                                                                                      \
  "  li t0, 0x2000\n"                                                                                                  \
  "  csrs mstatus, t0\n"                                                                                               \
  "  csrwi fcsr, 0\n"
#else
#define FLOATS_ON ""
#endif

/* GCC 12 counts the control registers as an extension; clang 14 always knows them, and not this option. */
#if defined(__clang__)
#define KNOW_CONTROL_REGISTERS ""
#else
#define KNOW_CONTROL_REGISTERS ".option arch, +zicsr\n"
#endif

/* Global pointer, stack, traps, floats: what C takes for granted. */
__asm__(".section .text.start, \"ax\"\n"
        ".option push\n"
        ".option norelax\n" KNOW_CONTROL_REGISTERS ".globl _start\n"
        "_start:\n"
        "  la gp, __global_pointer$\n"
        "  la sp, stack_top\n"
        "  la t0, trap_entry\n"
        "  csrw mtvec, t0\n" FLOATS_ON "  call start\n"
        ".balign 4\n"
        "trap_entry:\n"
        "  call trap\n"
        ".option pop\n"
        ".text\n");

/* Placed by the linker script. */
extern uint64_t zeros_start[], zeros_end[];

__attribute__((noreturn, used)) void start(void);
void start(void) {
  for (uint64_t *to = zeros_start; to < zeros_end; to++)
    *to = 0;
  leave(board_main());
}

__attribute__((noreturn, used)) void trap(void);
void trap(void) {
  board_print("trap\n");
  leave(99);
}
