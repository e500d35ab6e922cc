#!/bin/sh
# Plays the histories of tests/corpus/ (see fuzz.c) here under sanitizers, with vector units, a fifth of them in 32
# bits and a tenth on a big-endian machine, which is emulated and which matrix.sh and lockstep.sh have, too. All must print one hash, every public function must be called here, and nothing may
# be found. $1: build directory.
#
# All results of all calls have one hash, as the golden hashes of golden.c: with another arithmetic, other sizes or other
# bounds of work it changes, and so it does with another corpus. Put the new one here in the same change.
expected="hash eea9bf641ccb9dda"
# With pointers of 64 bits and 4 lanes: work that was done, and memory of groups.
expected_of_build="build 3ec5ffd813dfdcd5"
set -u
out=$1/corpus
mkdir -p "$out"
. tests/verdict.sh
awk -f tests/fuzz_functions.awk cloth.h >"$out/fuzz_functions.h"
flags="-std=gnu99 -O1 -ffp-contract=off -fno-math-errno -I. -Itests -I$out"
trap='-DCLOTH_ASSERT(condition)=((condition)?(void)0:__builtin_trap())'

play_all() { # NAME
  "$out/$1" tests/corpus/* >"$out/$1.log" 2>&1
  verdict "$1: every history is played" $? "$(tail -n 5 "$out/$1.log")"
}

# Histories whose number ends with one of these digits; they need not call every function. Prints their hash.
hash_of_some() { # NAME DIGITS RUNNER
  $3 "$out/$1" tests/corpus/*["$2"] >"$out/$1-some.log" 2>&1
  grep '^found' "$out/$1-some.log"
  tail -n 1 "$out/$1-some.log" | grep '^hash'
}

build() { # NAME COMPILER...
  name=$1
  shift
  detail=$("$@" $flags -o "$out/$name" 2>&1)
  verdict "$name builds" $? "$(echo "$detail" | tail -n 3)"
}

# The object code with sanitizers is that of the other tests, if they have been built.
make_targets "$1" "$1/sanitized/tests/cloth.o" >/dev/null
build sanitized gcc -g1 -fno-var-tracking-assignments -fsanitize=address,undefined -fno-sanitize-recover=all tests/fuzz.c \
  "$1/sanitized/tests/cloth.o" -lm
play_all sanitized
tail -n 3 "$out/sanitized.log"
found=$(tail -n 1 "$out/sanitized.log")
[ "$found" = "$expected" ]
verdict "the hash of all results is the known one" $? "$found instead of $expected"
if [ "$(uname -m)" = x86_64 ]; then
  found=$(tail -n 2 "$out/sanitized.log" | head -n 1)
  [ "$found" = "$expected_of_build" ]
  verdict "the hash of all work is the known one" $? "$found instead of $expected_of_build"
fi
build i386 i686-linux-gnu-gcc -static -msse2 -mfpmath=sse "$trap" tests/fuzz.c cloth.c -lm
make_targets "$1" "$1/libraries/s390x.o"
build s390x s390x-linux-gnu-gcc -static tests/fuzz.c "$1/libraries/s390x.o" -lm
# Most kernels of x86-64 run programs of 32 bits, in a fifteenth of the time that QEMU takes.
here=$("$out/i386" 2>/dev/null | tail -n 1 | cut -d' ' -f1)
for name in i386 s390x; do
  runner=qemu-$name
  [ "$name $here" != "i386 hash" ] || runner=""
  [ $name = i386 ] && digits=36 || digits=9
  hash=$(hash_of_some sanitized $digits "")
  found=$(hash_of_some $name $digits "$runner")
  [ -n "$hash" ] && [ "$found" = "$hash" ]
  verdict "the hash of histories that end with $digits, on $name" $? "$found instead of $hash"
done
bytes=$(cat tests/corpus/* | wc -c)
[ "$bytes" -le 204800 ]
verdict "size of the corpus" $? "$bytes bytes"
report
