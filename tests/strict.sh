#!/bin/sh
# cloth.c as strict C99 with every warning an error, as far as a compiler gives them before it optimises, and with it
# examples/methods, which is made from the insides of the library and which only make test compiles fully (the sets of
# tests/tests.mk have the others), and cloth.h alone as C99, C11 and, where there is a C++ compiler, as C++11 and C++17.
# $1: build directory. CC and CXX: compilers.
set -u
out=$1/strict
mkdir -p "$out"
. tests/verdict.sh

warnings="-pedantic -Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror"
CC=${CC:-cc}
CXX=${CXX:-c++}

compiles() { # NAME COMMAND...
  name=$1
  shift
  detail=$("$@" 2>&1)
  verdict "$name" $? "$(echo "$detail" | head -n 3)"
}

compiles "cloth.c as C99" $CC -std=c99 $warnings -ffp-contract=off -fsyntax-only cloth.c
compiles "examples/methods as C99" $CC -std=c99 -ffp-contract=off -Wall -Wextra -Wno-unused-function -Werror -I. -fsyntax-only examples/methods/methods.c
printf '#include "cloth.h"\nint main(void) { return cloth_config_default().columns == 0; }\n' >"$out/header.c"
compiles "cloth.h as C99" $CC -std=c99 $warnings -I. -c "$out/header.c" -o "$out/header.o"
compiles "cloth.h as C11" $CC -std=c11 $warnings -I. -c "$out/header.c" -o "$out/header.o"
if command -v "$CXX" >/dev/null 2>&1; then
  cp "$out/header.c" "$out/header.cpp"
  for standard in c++11 c++17; do
    compiles "cloth.h as $standard" $CXX -std=$standard $warnings -I. -c "$out/header.cpp" -o "$out/header.o"
  done
fi

report
