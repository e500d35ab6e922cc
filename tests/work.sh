#!/bin/sh
# Work as the library counts it beside the instructions of an emulated Cortex-M7: builds tests/work.c as plain C by
# GCC at -O2 and runs it in QEMU, whose SysTick advances by one every 40 instructions. $1: build directory.
set -u
out=$1/work
mkdir -p "$out"
flags="-std=gnu99 -O2 -ffreestanding -ffp-contract=off -fno-math-errno -Wall -Wextra -I. -Iexamples"
flags="$flags -mthumb -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16"
boards=port/boards
# There is no C library: of its headers scenes.c asks for this one.
printf '#include <stddef.h>\nvoid *malloc(size_t);\nvoid free(void *);\n' >"$out/stdlib.h"
arm-none-eabi-gcc $flags -I"$out" tests/work.c examples/scenes.c cloth.c $boards/start_cortex_m.c $boards/memory.c \
  -nostdlib -static -lgcc -L$boards -T$boards/mps2.ld -o "$out/work" || exit 1
timeout 600 qemu-system-arm -display none -monitor none -serial none -semihosting-config enable=on,target=native \
  -icount shift=0 -M mps2-an500 -kernel "$out/work" </dev/null 2>&1
