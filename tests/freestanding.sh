#!/bin/sh
# Looks into objects of cloth.c: nothing may be undefined but memcpy, memset and memmove, and nothing may be writable. Also
# every language standard without a warning. $1: build directory.
set -u
build=$1
out=$build/freestanding
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

stands_alone() { # NAME OBJECT
  undefined=$(nm --undefined-only "$2" | awk '$2 !~ /^(memcpy|memset|memmove)$/ { print $2 }')
  [ -z "$undefined" ]
  verdict "$1 needs nothing" $? "$undefined"
  writable=$(size -A "$2" | awk '/^\.(data|bss)/ && $1 !~ /rel\.ro/ { sum += $2 } END { print sum + 0 }')
  [ "$writable" = 0 ]
  verdict "$1 has no writable data" $? "$writable bytes"
}

# The matrix's cell without optimisation, by GCC: tests/matrix.sh has compiled it, or compiles it now. Beside cloth.c it
# holds methods and scenes, which print, and have data.
cell_stands_alone() { # NAME COMPILER LEVEL
  object=$build/matrix/cell-$1-$2$3.o
  [ "$object" -nt cloth.c ] || sh tests/matrix.sh "$build" cell "$1" "$2" "$3" >/dev/null
  undefined=$(nm --undefined-only "$object" | awk '$2 !~ /^(memcpy|memset|memmove|board_print)$/ { print $2 }')
  [ "$object" -nt cloth.c ] && [ -z "$undefined" ]
  verdict "$1, the matrix's cell by $2 with $3, needs nothing" $? "$undefined"
}

bare="-ffreestanding -nostdlib"
warnings="-Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror"

# As a user would, without any other flag; with GCC the cell without optimisation, where calls are left that others do
# away with, and the tests' library. What the other levels compute: tests/matrix.sh; what code for other processors calls
# and writes to: tests/disassembly.sh.
compiles clang clang $bare -c cloth.c -o "$out/clang.o"
stands_alone clang "$out/clang.o"
cell_stands_alone x86-64-sse2 gcc -O0
make_targets "$build" "$build/libcloth.a"
stands_alone "the tests' library" "$build/libcloth.a"
for compiler in gcc clang; do
  for standard in c99 gnu99 c11 c17; do
    compiles "$compiler $standard" $compiler -std=$standard -pedantic $warnings -fsyntax-only cloth.c
  done
done
for standard in c++11 c++17; do
  printf '#include "cloth.h"\nint main() { return cloth_config_default().columns == 0; }\n' >"$out/header.cpp"
  compiles "header as $standard" g++ -std=$standard -pedantic $warnings -I. -c "$out/header.cpp" -o "$out/header.o"
done

report
