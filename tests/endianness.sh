#!/bin/sh
# Carries a cloth between a little-endian and a big-endian machine in the middle of a simulation, both ways; all frames
# after that must be those of a simulation that nobody interrupted. Last line: "N passed, N failed". $1: build directory.
set -u
build=$1
out=$build/endianness
mkdir -p "$out"
passed=0
failed=0

check() { # WHAT COMMAND...
  what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $what"
  fi
}

build() { # MACHINE LIBRARY COMPILER...
  machine=$1
  library=$2
  shift 2
  MAKEFLAGS="" make -s "$library" BUILD="$build" &&
    "$@" -std=gnu99 -O2 -ffp-contract=off -fno-math-errno -I. tests/endianness.c "$library" -o "$out/$machine"
}

run_on() { # MACHINE write|read FILE FRAMES
  case $1 in
  s390x) qemu-s390x "$out/s390x" "$2" "$3" >"$4" ;;
  *) "$out/native" "$2" "$3" >"$4" ;;
  esac
}

check "builds here" build native "$build/libcloth.a" cc
check "builds for s390x" build s390x "$build/libraries/s390x.o" s390x-linux-gnu-gcc -static
check "runs here" run_on native write "$out/native.image" "$out/native.frames"
check "runs on s390x" run_on s390x write "$out/s390x.image" "$out/s390x.frames"
check "some frames are compared" test -s "$out/native.frames"
check "both machines agree without an image" cmp "$out/native.frames" "$out/s390x.frames"
check "both write the same image" cmp "$out/native.image" "$out/s390x.image"
check "this machine reads an image of s390x" run_on native read "$out/s390x.image" "$out/carried-here.frames"
check "and goes on as if nothing had happened" cmp "$out/native.frames" "$out/carried-here.frames"
check "s390x reads an image of this machine" run_on s390x read "$out/native.image" "$out/carried-there.frames"
check "and goes on as if nothing had happened" cmp "$out/native.frames" "$out/carried-there.frames"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
