/*
 * What cloth.c takes from the machine it is compiled for. cloth.c includes this file by itself; with
 * -DCLOTH_PORT='"my_port.h"' it includes yours instead, which may include this one after its own definitions.
 *
 * Hooks. Define any of them here; cloth.c gives the others a default that costs nothing.
 *
 *   CLOTH_ASSERT(condition)                     stops the program if the condition is false. Checks what must hold
 *                                               inside the library; wrong arguments are reported as results instead.
 *   CLOTH_TRACE(sheet, stage, substep, hash)    called after each stage of a step with a hash of what it left behind,
 *                                               to find the first stage in which two machines differ.
 *   CLOTH_TICKS()                               a free-running uint32_t counter for the times of the stages; may wrap.
 *   CLOTH_HOT                                   stands before the functions where the time goes, to place them in fast
 *                                               memory: __attribute__((section(".itcm"))).
 *   CLOTH_CONSTANT                              stands before constant tables, for the same purpose.
 *
 * Lanes. CLOTH_LANES_HEADER names the file, as seen from cloth.c, that implements the section "Lanes" of cloth.c for
 * one instruction set. It is chosen below by what the compiler was told it may use; define it to choose another one, or
 * define CLOTH_SCALAR for plain C, one lane wide. The choice changes the speed and no bit of the result.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLOTH_PORT_H
#define CLOTH_PORT_H

#if !defined(CLOTH_SCALAR) && !defined(CLOTH_LANES_HEADER)
#if defined(__AVX2__)
#define CLOTH_LANES_HEADER "port/lanes_avx2.h"
#elif defined(__SSE2__) || defined(_M_X64)
#define CLOTH_LANES_HEADER "port/lanes_sse2.h"
#elif defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2) /* bit 1: with floats */
#define CLOTH_LANES_HEADER "port/lanes_helium.h"
#elif defined(__ARM_NEON)
#define CLOTH_LANES_HEADER "port/lanes_neon.h"
#elif defined(__wasm_simd128__)
#define CLOTH_LANES_HEADER "port/lanes_wasm.h"
#endif
#endif

#endif
