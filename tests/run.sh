#!/bin/sh
# Builds and runs every test; the last line is "N passed, N failed". $1: build directory.
# A suite that crashes, or ends without its own count, counts as one failure. What failed is said again at the end.
set -u
build=$1
logs=$build/tests/logs
mkdir -p "$logs"
rm -f "$logs"/*.log
counts=$logs/counts
failures=$logs/failures
: >"$counts"
: >"$failures"

# Lines of suites that run side by side must not mix: each is one write, and so is its count.
suite() { # NAME COMMAND...
  name=$1
  shift
  start=$(date +%s)
  "$@" >"$logs/$name.log" 2>&1
  status=$?
  line=$(tail -n 1 "$logs/$name.log" | grep -E '^[0-9]+ passed, [0-9]+ failed$')
  if [ -z "$line" ]; then
    line="0 passed, 1 failed"
    {
      echo "$name ended without a count, status $status; the end of its output:"
      tail -n 15 "$logs/$name.log"
    } | tee -a "$failures"
  fi
  p=$(echo "$line" | sed 's/ passed.*//')
  f=$(echo "$line" | sed 's/.*, \([0-9]*\) failed/\1/')
  [ "$status" = 0 ] || [ "$f" -gt 0 ] || f=1
  [ "$f" = 0 ] || grep 'failed' "$logs/$name.log" | head -n 20 | sed "s/^/$name: /" | tee -a "$failures"
  echo "$p $f" >>"$counts"
  printf '%-28s %6d passed %4d failed   %3d s\n' "$name" "$p" "$f" $(($(date +%s) - start))
}

# Builds the programs named for a suite of their own flags, quietly. A failure shows up as a suite that cannot start.
build_with() { # DIRECTORY CC FLAGS PROGRAMS...
  directory=$1
  compiler=$2
  flags=$3
  shift 3
  targets=""
  for program in "$@"; do targets="$targets $directory/tests/$program"; done
  make -s -j2 BUILD="$directory" CC="$compiler" EXTRA="$flags" $targets || echo "could not build in $directory"
}

memcheck="valgrind -q --error-exitcode=9 --leak-check=full"
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"

build_with "$build" gcc "" accuracy animation api bounds flags internals physics quality save_rate stability state stress thesis \
  timed
build_with "$build/clang" clang "" animation api physics internals
build_with "$build/avx2" gcc "-mavx2" flags state stress
build_with "$build/gcc-sanitized" gcc "$sanitizers" animation api physics internals stability state stress
build_with "$build/clang-sanitized" clang "$sanitizers" api

# What waits for a browser, a screen, packets or a clock has the machine to itself, and so has what uses both cores.
suite web sh tests/web.sh "$build"
suite game sh tests/game.sh "$build"
suite lockstep sh tests/lockstep.sh "$build"
suite timed "$build/tests/timed"
suite save-rate "$build/tests/save_rate"
suite board sh tests/board.sh "$build"
suite package sh tests/package.sh "$build"
suite matrix sh tests/matrix.sh "$build" short

# The others go two at a time.
compiled() {
  suite readme sh tests/readme.sh "$build"
  suite demo sh tests/demo.sh "$build"
  suite disassembly sh tests/disassembly.sh "$build"
  suite ports sh tests/ports.sh "$build"
  suite refused sh tests/refused.sh "$build"
  suite work sh tests/work.sh "$build"
  suite image sh tests/image.sh "$build"
}

played() {
  suite flags "$build/tests/flags"
  suite state "$build/tests/state"
  suite state-sanitized "$build/gcc-sanitized/tests/state"
  suite stress "$build/tests/stress"
  if grep -q avx2 /proc/cpuinfo; then
    suite flags-avx2 "$build/avx2/tests/flags"
    suite state-avx2 "$build/avx2/tests/state"
    suite stress-avx2 "$build/avx2/tests/stress"
  fi
  suite stress-sanitized "$build/gcc-sanitized/tests/stress" 1000
  suite bounds "$build/tests/bounds"
  suite api "$build/tests/api"
  suite api-clang "$build/clang/tests/api"
  suite api-gcc-sanitized "$build/gcc-sanitized/tests/api"
  suite api-memcheck $memcheck "$build/tests/api"
  suite internals "$build/tests/internals"
  suite internals-clang "$build/clang/tests/internals"
  suite internals-sanitized "$build/gcc-sanitized/tests/internals"
  suite physics "$build/tests/physics"
  suite physics-clang "$build/clang/tests/physics"
  suite physics-sanitized "$build/gcc-sanitized/tests/physics"
  suite animation "$build/tests/animation"
  suite animation-clang "$build/clang/tests/animation"
  suite animation-sanitized "$build/gcc-sanitized/tests/animation"
  suite accuracy "$build/tests/accuracy"
  suite thesis "$build/tests/thesis"
  suite stability "$build/tests/stability"
  suite quality "$build/tests/quality"
  suite freestanding sh tests/freestanding.sh "$build"
  suite size sh tests/size.sh "$build"
}

compiled &
played
wait

cat "$failures"
expected=$(ls "$logs"/*.log | wc -l)
awk -v expected="$expected" '
  { passed += $1; failed += $2 }
  END {
    failed += expected > NR ? expected - NR : 0 # a suite that never came to its count
    print passed " passed, " failed " failed"
    exit failed > 0
  }' "$counts"
