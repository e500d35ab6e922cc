#!/bin/sh
# Instructions, memory and stack of a step, beside its goals: a table whose lines end in ok or missed.
# What is missed is no failure. Instructions are counted exactly under QEMU by counter.c, on this machine's kind of
# processor with AVX2 and without lanes, and on a Cortex-M7: of frames of 1/60 s of a sheet that hangs by two corners, a
# particle, in the mean and the most. $1: build directory.
set -u
out=$1/cost
boards=port/boards
flags="-std=gnu99 -ffp-contract=off -fno-math-errno"
arm="-ffreestanding -mthumb -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16"
emulator="qemu-system-arm -display none -monitor none -serial none -semihosting-config enable=on,target=native"
mkdir -p "$out"
. tests/verdict.sh

# NAME COMPILER FLAGS-OF-CLOTH END-OF-LINK RUNNER: NAME.counted has lines "COLUMNS SCENE PARTICLES FRAMES SUM MOST BYTES".
count() {
  program=$out/step-$1
  {
    # Unquoted: lists of flags.
    $2 $flags $3 -c cloth.c -o "$program.cloth.o" && $2 $flags $3 -c tests/cost/step.c -o "$program.o" &&
      $2 $flags $3 "$program.cloth.o" "$program.o" $4 -static -o "$program"
    marks=""
    for mark in begin end report; do
      marks="$marks,$mark=$(nm "$program" | awk -v symbol=cost_$mark '$3 == symbol { print $1 }')"
    done
    timeout 1200 $5 -plugin "$out/counter.so${marks},counts=$program.counts" ${6:-} "$program" </dev/null
    echo "status $?"
  } >"$program.log" 2>&1
  [ "$(tail -n 1 "$program.log")" = "status 0" ]
  verdict "the program for $1 runs" $? "$(tail -n 3 "$program.log")"
  grep '^bytes ' "$program.log" | cut -d' ' -f4 >"$program.bytes"
  grep '^count ' "$program.log" | cut -d' ' -f2,3,5 | paste -d' ' - "$program.counts" "$program.bytes" >"$program.counted"
}

# A number of a scene: instructions of a frame, over the particles where `per` is 1.
value() { # NAME COLUMNS SCENE mean|most|bytes PER
  awk -v columns="$2" -v scene="$3" -v what="$4" -v per="$5" '$1 == columns && $2 == scene {
    number = what == "mean" ? $5 / $4 : what == "most" ? $6 : $7
    print per ? number / $3 : number }' "$out/step-$1.counted"
}

judge() { # TEXT VALUE GOAL MOST
  awk -v text="$1" -v value="${2:-}" -v goal="$3" -v most="${4:-}" 'BEGIN {
    format = value + 0 < 10 ? "%.2f" : "%.0f"
    found = value == "" ? "none" : sprintf(format, value)
    worst = most == "" ? "" : sprintf(format, most)
    printf "%-62s %10s %10s %10s  %s\n", text, found, worst, goal, value != "" && value + 0 <= goal + 0 ? "ok" : "missed"
  }'
}

judge_scene() { # NAME COLUMNS SCENE GOAL
  judge "$1, $2 x $2, $3: instructions a particle" "$(value "$1" "$2" "$3" mean 1)" "$4" "$(value "$1" "$2" "$3" most 1)"
}

# Against the plain sheet of 32 x 32.
judge_ratio() { # NAME COLUMNS SCENE GOAL
  plain=$(value "$1" 32 plain mean 1)
  ratio() { awk -v a="$1" -v b="$plain" 'BEGIN { print a / b }'; }
  judge "$1, $2 x $2, $3: times plain 32 x 32" "$(ratio "$(value "$1" "$2" "$3" mean 1)")" "$4" \
    "$(ratio "$(value "$1" "$2" "$3" most 1)")"
}

# The deepest chain of calls of cloth_step(), of what the board's compiler makes at -Os; without workers, a hook that may
# call anything, for machines with threads.
stack_of_step() {
  arm-none-eabi-gcc $flags $arm -Os -DCLOTH_NO_WORKERS -fstack-usage -I. -S cloth.c -o "$out/step.s"
  awk -v code="$out/step.s" -v return_address=0 -f tests/stack.awk "$out/step.su" "$out/step.s" |
    awk '$2 == "cloth_step" { print $1 }'
}

${CC:-cc} -std=gnu99 -O2 -shared -fPIC tests/cost/counter.c -o "$out/counter.so" || exit 1
host="qemu-x86_64 -cpu max"
count avx2 "${CC:-cc}" "-O2 -mavx2" $boards/hosted.c "$host"
count scalar "${CC:-cc}" "-O2 -DCLOTH_SCALAR" $boards/hosted.c "$host"
count m7 arm-none-eabi-gcc "$arm -O3 -DCOST_BOARD" \
  "$boards/start_cortex_m.c $boards/memory.c -nostdlib -lgcc -L$boards -T$boards/mps2.ld" \
  "$emulator -M mps2-an500" -kernel

printf '%-62s %10s %10s %10s\n' "a step" mean most goal
judge_scene avx2 32 plain 960
judge_scene avx2 32 air 1100
judge_scene scalar 32 plain 6200
judge_scene scalar 32 air 7000
for name in avx2 scalar; do
  judge_ratio $name 64 plain 1
  judge_ratio $name 16 plain 1.3
  for scene in rest-positions mass-map stiffness-map mask tube; do judge_ratio $name 32 $scene 1.15; done
done
# A cape of 24 x 32 on the eight capsules of a figure that moves; sixteen capsules that are far away.
judge "avx2, cape of 24 x 32 on eight capsules: instructions a particle" "$(value avx2 24 cape mean 1)" 1450 \
  "$(value avx2 24 cape most 1)"
for name in avx2 scalar; do
  judge_ratio $name 32 far 1.03
done
judge "m7, cape of 16 x 16 on three capsules: instructions of a frame" "$(value m7 16 cape mean 0)" 2200000 \
  "$(value m7 16 cape most 0)"
judge "m7, 16 x 16: instructions of a frame" "$(value m7 16 plain mean 0)" 1800000 "$(value m7 16 plain most 0)"
judge "m7, 16 x 16, 1 substep x 2: instructions of a frame" "$(value m7 16 one-substep mean 0)" 500000 \
  "$(value m7 16 one-substep most 0)"
for name in avx2 scalar m7; do
  judge "$name, 32 x 32, no colliders: bytes of state and scratch" "$(value $name 32 alone bytes 1)" 230
  judge "$name, 32 x 32, 16 colliders: bytes of state and scratch" "$(value $name 32 plain bytes 1)" 320
done
judge "m7, -Os: bytes of stack of cloth_step()" "$(stack_of_step)" 1536
report
