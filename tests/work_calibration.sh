#!/bin/sh
# Work as the library counts it beside the instructions of an emulated Cortex-M7: builds tests/work_calibration.c as plain C by
# GCC at -O2 and runs it in QEMU, with a timer of the board that advances by one every 40 instructions.
#
#   sh tests/work_calibration.sh BUILD         on a small and on a wide grid
#   sh tests/work_calibration.sh BUILD full    on tall and larger ones, too: after costs have changed
#
# How costs are measured again, when kernels have changed. src/cloth/costs.h has them in one table. Every line printed names a
# scene that leans on one of them (variants of tests/work_calibration.c): the instructions a particle really took in a
# step, and the least and most instructions to a unit counted, in thousandths. Where the most is above 1050 the test
# fails and the cost is too low; where it is well below 1000 in all scenes that use a kernel it is too high, and bounds
# are looser than they need be. Change the cost of what the scene differs in from its neighbours ("no tethers" from
# "hang", "limits" from "hang", "mapped springs alone" from "springs alone", "box" from "plane", "warm" from "implicit",
# ...) by the share that is missing, make cloth.c, and run again: it takes a minute or two. Costs change no result but
# cloth_statistics.work, the bounds and the plans; test_forecasts of tests/planning.c shows what plans come of them.
set -u
out=$1/work_calibration
mkdir -p "$out"
flags="-std=gnu99 -O2 -ffreestanding -ffp-contract=off -fno-math-errno -Wall -Wextra -I. -Iexamples"
[ "${2:-short}" != full ] || flags="$flags -DEVERY_GRID=1"
flags="$flags -mthumb -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16"
boards=port/boards
# There is no C library: of its headers scenes.c asks for this one.
printf '#include <stddef.h>\nvoid *malloc(size_t);\nvoid free(void *);\n' >"$out/stdlib.h"
arm-none-eabi-gcc $flags -I"$out" tests/work_calibration.c examples/scenes.c cloth.c $boards/start_cortex_m.c $boards/memory.c \
  -nostdlib -static -lgcc -L$boards -T$boards/mps2.ld -o "$out/program" || exit 1
timeout 600 qemu-system-arm -display none -monitor none -serial none -semihosting-config enable=on,target=native \
  -icount shift=0,sleep=off -M mps2-an500 -kernel "$out/program" </dev/null 2>&1
