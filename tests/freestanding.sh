#!/bin/sh
# Compiles cloth.c alone and looks into the objects: nothing may be undefined but memcpy, memset and memmove, and nothing
# may be writable. Also every language standard without a warning.
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

stands_alone() { # NAME OBJECT
  undefined=$(nm --undefined-only "$2" | awk '$2 !~ /^(memcpy|memset|memmove)$/ { print $2 }')
  [ -z "$undefined" ]
  verdict "$1 needs nothing" $? "$undefined"
  writable=$(size -A "$2" | awk '/^\.(data|bss)/ && $1 !~ /rel\.ro/ { sum += $2 } END { print sum + 0 }')
  [ "$writable" = 0 ]
  verdict "$1 has no writable data" $? "$writable bytes"
}

bare="-ffreestanding -nostdlib"
warnings="-Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror"

# As a user would, without any other flag. What the other levels compute: tests/matrix.sh; what code for other processors
# calls and writes to: tests/disassembly.sh.
for compiler in gcc clang; do
  compiles "$compiler" $compiler $bare -c cloth.c -o "$out/$compiler.o"
  stands_alone "$compiler" "$out/$compiler.o"
  for standard in c99 gnu99 c11 c17; do
    compiles "$compiler $standard" $compiler -std=$standard -pedantic $warnings -fsyntax-only cloth.c
  done
done
for standard in c++11 c++17; do
  printf '#include "cloth.h"\nint main() { return cloth_config_default().columns == 0; }\n' >"$out/header.cpp"
  compiles "header as $standard" g++ -std=$standard -pedantic $warnings -I. -c "$out/header.cpp" -o "$out/header.o"
done

report
