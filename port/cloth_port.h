/*
 * Hooks that cloth.c takes from the machine it is compiled for. Copy this header, define the hooks you need and name it
 * with -DCLOTH_PORT='"my_port.h"'. Each hook that is not defined has a default in cloth.c that costs nothing.
 *
 *   CLOTH_ASSERT(condition)                     stops the program if the condition is false. Checks what must hold
 *                                               inside the library; wrong arguments are reported as results instead.
 *   CLOTH_TRACE(c, stage, substep, hash)        called after each stage of a step with a hash of what it left behind,
 *                                               to find the first stage in which two machines differ.
 *   CLOTH_TICKS()                               a free-running uint32_t counter for the times of the stages; may wrap.
 *   CLOTH_HOT                                   stands before the functions where the time goes, to place them in fast
 *                                               memory: __attribute__((section(".itcm"))).
 *   CLOTH_CONSTANT                              stands before constant tables, for the same purpose.
 *
 *   CLOTH_LANES_HEADER                          names the header of a lanes backend of your own, as "my_lanes.h"; see
 *                                               src/base/lanes.h for what it defines. Without it the compiler's target
 *                                               selects one of cloth.c's, and CLOTH_SCALAR selects plain C.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLOTH_PORT_H
#define CLOTH_PORT_H

#endif
