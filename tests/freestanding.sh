#!/bin/sh
# Compiles cloth.c alone for hosted-free targets and looks into the objects: nothing may be undefined but memcpy, memset
# and memmove, and nothing may be writable. Also every language standard without a warning.
# $1: build directory.
set -u
out=$1/freestanding
mkdir -p "$out"
. tests/verdict.sh

compiles() { # NAME COMMAND...
  name=$1
  shift
  detail=$("$@" 2>&1)
  status=$?
  [ -z "$detail" ] || status=1
  verdict "$name compiles without a warning" $status "$detail"
}

stands_alone() { # NAME NM SIZE OBJECT
  undefined=$($2 --undefined-only "$4" | awk '$2 !~ /^(memcpy|memset|memmove|__aeabi_mem(cpy|set|move|clr)[48]?)$/ { print $2 }')
  [ -z "$undefined" ]
  verdict "$1 needs nothing" $? "$undefined"
  writable=$($3 -A "$4" | awk '/^\.(data|bss)/ && $1 !~ /rel\.ro/ { sum += $2 } END { print sum + 0 }')
  [ "$writable" = 0 ]
  verdict "$1 has no writable data" $? "$writable bytes"
}

bare="-ffreestanding -nostdlib"
warnings="-Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror"

# As a user would, without any other flag, for speed and for size. What the other levels compute: tests/matrix.sh.
for compiler in gcc clang; do
  for level in "" -O2 -Os; do
    object="$out/$compiler$level.o"
    compiles "$compiler $level" $compiler $bare $level -c cloth.c -o "$object"
    stands_alone "$compiler $level" nm size "$object"
  done
done

for compiler in gcc clang; do
  compiles "$compiler c99" $compiler -std=c99 -pedantic $warnings -O2 -c cloth.c -o "$out/standard.o"
  for standard in gnu99 c11 c17; do
    compiles "$compiler $standard" $compiler -std=$standard -pedantic $warnings -fsyntax-only cloth.c
  done
done
for standard in c++11 c++17; do
  printf '#include "cloth.h"\nint main() { return cloth_config_default().columns == 0; }\n' >"$out/header.cpp"
  compiles "header as $standard" g++ -std=$standard -pedantic $warnings -I. -c "$out/header.cpp" -o "$out/header.o"
done

m7="-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16"
for level in "" -O2 -Os; do
  object="$out/m7$level.o"
  compiles "Cortex-M7 $level" arm-none-eabi-gcc $m7 $bare $level -c cloth.c -o "$object"
  stands_alone "Cortex-M7 $level" arm-none-eabi-nm arm-none-eabi-size "$object"
done

report
