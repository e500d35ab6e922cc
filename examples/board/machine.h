/*
 * What the flag's program takes from a machine beside port/boards/board.h: an interrupt sixty times a second, a timer,
 * and how much stack was used.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdint.h>

/* Starts the interrupt. */
void machine_start(void);

/* Sleeps until the interrupt begins the next frame. Returns the frames begun since the start. */
uint32_t machine_wait_for_frame(void);

/* A free-running counter that wraps, for CLOTH_TICKS(), and its ticks in a frame. Not for handlers of interrupts. */
uint32_t machine_ticks(void);
uint32_t machine_ticks_per_frame(void);

/* Ticks that are left of the frame, UINT32_MAX on a machine that does not mind. */
uint32_t machine_ticks_left(void);

/* How often the interrupt came. */
uint32_t machine_interrupts(void);

/* Bytes of the stack, and the most of them that were ever used; 0 where the stack is not the program's to size. */
uint32_t machine_stack_bytes(void);
uint32_t machine_stack_used(void);

#endif
