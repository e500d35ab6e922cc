/* Written by known_histories.c. SPDX-License-Identifier: MIT */
#ifndef KNOWN_HISTORIES_H
#define KNOWN_HISTORIES_H

#include <stdint.h>

/* Of a block of histories: what every machine returns, and what depends on lanes and pointers. */
typedef struct known_history {
  uint64_t output, build;
} known_history;

static const known_history known_histories[] = {
    {UINT64_C(0xb23f5d32f3e4deec), UINT64_C(0xfa3a0b0c7ead5616)},
    {UINT64_C(0xe8d1ac2f0dd46a84), UINT64_C(0x529927c1424c204a)},
    {UINT64_C(0xf5d8cc425c79f9b3), UINT64_C(0xb4275fde91b8d948)},
    {UINT64_C(0x5fb16b8614325c72), UINT64_C(0x0aaf84b137009510)},
    {UINT64_C(0x0b091ba2e5570c62), UINT64_C(0x523ca355447a8689)},
    {UINT64_C(0x2cd9a0df8af3a3c9), UINT64_C(0xe46bf9143103966d)},
    {UINT64_C(0xf86528d6d3a07ec1), UINT64_C(0xd00868d6ffa4b4cc)},
    {UINT64_C(0xfc01b969ef33b705), UINT64_C(0xf76a1608e2fca750)},
    {UINT64_C(0xb2b941ac1c39bbe8), UINT64_C(0x08a510534f1878de)},
    {UINT64_C(0x4176f8b890770c23), UINT64_C(0xa0553e78c6fde441)},
    {UINT64_C(0x74cd287510778076), UINT64_C(0x4a05ae37406b0d53)},
    {UINT64_C(0x96d02000b4b72e80), UINT64_C(0x108574ee99840f2a)},
    {UINT64_C(0x1d7d6ac770a60b53), UINT64_C(0x45c08b27a420645d)},
    {UINT64_C(0xea9c6c031833cb62), UINT64_C(0x2cf37a64c6fb72ba)},
    {UINT64_C(0x0085562e476d205d), UINT64_C(0x69bbd167b911135f)},
    {UINT64_C(0x4e2d20e539f678bd), UINT64_C(0x39f88998c861aec2)},
};

#endif /* KNOWN_HISTORIES_H */
