/*
 * The board's hooks for cloth.c, taken with -DCLOTH_PORT='"examples/board/port.h"'.
 *
 * On silicon CLOTH_TICKS() may as well be DWT->CYCCNT, a counter of cycles that needs no interrupt. The linker script
 * of a board sends .text.cloth_hot to its tightly coupled memory for instructions, and .rodata.cloth to that for data;
 * here all code is in such memory anyway.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BOARD_PORT_H
#define BOARD_PORT_H

#include <stdint.h>

uint32_t machine_ticks(void);

#define CLOTH_TICKS() machine_ticks()
#define CLOTH_HOT __attribute__((section(".text.cloth_hot")))
#define CLOTH_CONSTANT __attribute__((section(".rodata.cloth")))

#include "../../port/cloth_port.h"

#endif
