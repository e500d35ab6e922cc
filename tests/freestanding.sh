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

# As a user would, without any other flag, and for speed. What the other levels compute: tests/matrix.sh; what code for
# other processors calls: tests/disassembly.sh.
for compiler in gcc clang; do
  compiles "$compiler" $compiler $bare -c cloth.c -o "$out/$compiler.o"
  stands_alone "$compiler" nm size "$out/$compiler.o"
  compiles "$compiler c99" $compiler $bare -std=c99 -pedantic $warnings -O2 -c cloth.c -o "$out/$compiler-c99.o"
  stands_alone "$compiler c99" nm size "$out/$compiler-c99.o"
  for standard in gnu99 c11 c17; do
    compiles "$compiler $standard" $compiler -std=$standard -pedantic $warnings -fsyntax-only cloth.c
  done
done
for standard in c++11 c++17; do
  printf '#include "cloth.h"\nint main() { return cloth_config_default().columns == 0; }\n' >"$out/header.cpp"
  compiles "header as $standard" g++ -std=$standard -pedantic $warnings -I. -c "$out/header.cpp" -o "$out/header.o"
done

m7="-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16"
compiles "Cortex-M7 -Os" arm-none-eabi-gcc $m7 $bare -Os -c cloth.c -o "$out/m7.o"
stands_alone "Cortex-M7 -Os" arm-none-eabi-nm arm-none-eabi-size "$out/m7.o"

report
