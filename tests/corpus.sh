#!/bin/sh
# Plays the histories of tests/corpus/ (see fuzz.c) here under sanitizers, with vector units, in 32 bits and on a
# big-endian machine. All must print one hash, every public function must be called, and nothing may be found. $1: build
# directory.
set -u
out=$1/corpus
mkdir -p "$out"
. tests/verdict.sh
awk -f tests/fuzz_functions.awk cloth.h >"$out/fuzz_functions.h"
flags="-std=gnu99 -O1 -ffp-contract=off -fno-math-errno -I. -Itests -I$out"
trap='-DCLOTH_ASSERT(condition)=((condition)?(void)0:__builtin_trap())'

play() { # NAME RUNNER
  $2 "$out/$1" tests/corpus/* >"$out/$1.log" 2>&1
  verdict "$1 plays every history" $? "$(tail -n 5 "$out/$1.log")"
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
play sanitized ""
build i386 i686-linux-gnu-gcc -static -msse2 -mfpmath=sse "$trap" tests/fuzz.c cloth.c -lm
play i386 qemu-i386
build s390x s390x-linux-gnu-gcc -static "$trap" tests/fuzz.c cloth.c -lm
play s390x qemu-s390x

tail -n 2 "$out/sanitized.log"
hash=$(tail -n 1 "$out/sanitized.log")
for name in i386 s390x; do
  [ "$(tail -n 1 "$out/$name.log")" = "$hash" ]
  verdict "the hash of $name" $? "$(tail -n 1 "$out/$name.log") instead of $hash"
done
bytes=$(cat tests/corpus/* | wc -c)
[ "$bytes" -le 204800 ]
verdict "size of the corpus" $? "$bytes bytes"
report
