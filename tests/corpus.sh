#!/bin/sh
# Plays the histories of tests/corpus/ (see fuzz.c) here under sanitizers, with vector units, and a fifth of them on a
# big-endian machine of 32 bits. Both must print one hash, every public function must be called, and nothing may be
# found. $1: build directory.
set -u
out=$1/corpus
mkdir -p "$out"
. tests/verdict.sh
awk -f tests/fuzz_functions.awk cloth.h >"$out/fuzz_functions.h"
flags="-std=gnu99 -O1 -ffp-contract=off -fno-math-errno -I. -Itests -I$out"
trap='-DCLOTH_ASSERT(condition)=((condition)?(void)0:__builtin_trap())'

play() { # NAME RUNNER LOG HISTORIES...
  program=$out/$1
  runner=$2
  log=$3
  shift 3
  $runner "$program" "$@" >"$out/$log.log" 2>&1
  verdict "$log: every history is played" $? "$(tail -n 5 "$out/$log.log")"
}

build() { # NAME COMPILER...
  name=$1
  shift
  detail=$("$@" $flags -o "$out/$name" 2>&1)
  verdict "$name builds" $? "$(echo "$detail" | tail -n 3)"
}

# The object code with sanitizers is that of the other tests, if they have been built.
MAKEFLAGS="" make -s BUILD="$1" "$1/sanitized/tests/cloth.o" >/dev/null
build sanitized gcc -g1 -fsanitize=address,undefined -fno-sanitize-recover=all tests/fuzz.c "$1/sanitized/tests/cloth.o" -lm
play sanitized "" sanitized tests/corpus/*
play sanitized "" a-fifth tests/corpus/*[05]
build powerpc powerpc-linux-gnu-gcc -static "$trap" tests/fuzz.c cloth.c -lm
play powerpc qemu-ppc powerpc tests/corpus/*[05]

tail -n 2 "$out/sanitized.log"
hash=$(tail -n 1 "$out/a-fifth.log")
[ "$(tail -n 1 "$out/powerpc.log")" = "$hash" ]
verdict "the hash of powerpc" $? "$(tail -n 1 "$out/powerpc.log") instead of $hash"
bytes=$(cat tests/corpus/* | wc -c)
[ "$bytes" -le 204800 ]
verdict "size of the corpus" $? "$bytes bytes"
report
