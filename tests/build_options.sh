#!/bin/sh
# What a user may set when compiling cloth.c: a port header of hooks, and parts to leave out. $1: build directory.
set -u
out=$1/build_options
mkdir -p "$out"
warnings="-Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror"
flags="-std=gnu99 -O0 -ffp-contract=off -fno-math-errno $warnings -I. -Iexamples"
. tests/verdict.sh
library=$1/libcloth.a
make_targets "$1" "$library"

# Adds up the last line of a test program.
add() { # DESCRIPTION OUTPUT
  line=$(echo "$2" | tail -n 1 | grep -E '^[0-9]+ passed, [0-9]+ failed$') || line="0 passed, 1 failed"
  passed=$((passed + $(echo "$line" | sed 's/ passed.*//')))
  wrong=$(echo "$line" | sed 's/.*, \([0-9]*\) failed/\1/')
  failed=$((failed + wrong))
  [ "$wrong" = 0 ] || echo "failed: $1: $2"
}

# What tests/port_hooks.c does not call: without it code is made in two thirds of the time. The whole is parsed, with
# every warning an error.
unhooked=""
for part in SELF MESH HULL HEIGHT_FIELD DISTANCE_GRID SHARED_BODIES SKIN BLEND GROUPS SEAMS TEARING IMAGE SETTLE SLEEP \
  MOVE_FRAME ORIGIN TARGETS REST_SHAPE MASK WRAP QUERIES BODIES; do
  unhooked="$unhooked -DCLOTH_NO_$part"
done

hooks() { # COMPILER
  detail=$($1 $flags tests/port_hooks.c "$library" -lm -o "$out/plain" 2>&1)
  verdict "$1 links without a port" $? "$detail"
  expected=$("$out/plain")
  verdict "the run without a port" $? "$expected"
  detail=$($1 $flags '-DCLOTH_PORT="tests/port_hooks.h"' -fsyntax-only cloth.c 2>&1 &&
    $1 $flags $unhooked '-DCLOTH_PORT="tests/port_hooks.h"' -c cloth.c -o "$out/cloth.o" 2>&1)
  verdict "$1 compiles with every hook" $? "$detail"
  detail=$($1 $flags tests/port_hooks.c "$out/cloth.o" -lm -o "$out/hooked" 2>&1)
  verdict "$1 links with every hook" $? "$detail"
  add "$1 hooks" "$("$out/hooked" $expected 2>&1)"
  for section in .cloth_hot .cloth_constant; do
    bytes=$(objdump -h "$out/cloth.o" | awk -v section=$section '$2 == section { print $3 }' | tr -d 0)
    [ -n "$bytes" ]
    verdict "$1 fills section $section" $? "it is empty"
  done
}

left_out() { # COMPILER MACROS
  detail=$($1 $flags $2 tests/left_out.c cloth.c -lm -o "$out/left_out" 2>&1)
  verdict "$1 compiles with $2" $? "$detail"
  add "$1 $2" "$("$out/left_out" 2>&1)"
}

# Clang warns of functions that nothing calls without code being made; GCC does not.
compiles_without() { # MACRO
  detail=$(clang $flags $1 -fsyntax-only cloth.c 2>&1)
  verdict "clang accepts $1" $? "$detail"
}

# Every switch that cloth.c has.
parts=$(switches_of_cloth | sed 's/CLOTH_NO_//')
[ "$(echo "$parts" | wc -l)" -ge 23 ]
verdict "cloth.c has its switches" $? "$parts"
# Each alone must compile; what is called without them runs without half of them at a time, and without all.
all=""
half=""
most=$((($(echo "$parts" | wc -l) + 1) / 2))
for part in $parts; do
  compiles_without -DCLOTH_NO_$part
  all="$all -DCLOTH_NO_$part"
  half="$half -DCLOTH_NO_$part"
  if [ "$(echo "$half" | wc -w)" = $most ]; then
    left_out clang "$half"
    half=""
  fi
done
[ -z "$half" ] || left_out clang "$half"
for compiler in gcc clang; do
  hooks $compiler
  left_out $compiler "$all"
done

report
