#!/bin/sh
# Which lines and branches of cloth.c the quick test programs and the histories of tests/corpus/ reach, with clang's
# counters: each condition of && and || counts as a branch of its own, both ways. Prints shares; the branches that nothing
# takes are in BUILD/coverage/missed. $1: build directory.
set -u
build=$1
out=$build/coverage
goal=97
mkdir -p "$out"
flags="-std=gnu99 -O1 -ffp-contract=off -fno-math-errno -I. -Iexamples -Itests -I$out"
counters="-fprofile-instr-generate -fcoverage-mapping"
awk -f tests/fuzz_functions.awk cloth.h >"$out/fuzz_functions.h"
clang $flags $counters -c cloth.c -o "$out/cloth.o" || exit 2
clang $flags -c tests/fuzz.c -o "$out/fuzz.o" || exit 2
clang $flags -c examples/scenes.c -o "$out/scenes.o" || exit 2
rm -rf "$out"/*.profraw "$out/programs"
mkdir -p "$out/programs"

# Suites that link the library, but for long ones that reach nothing else; those that include cloth.c would have counters
# of their own.
long="material flag abuse abuse_geometry scenes scenes-coarse
  structures structures-conservation structures-fabrics random_cloths random_cloths-bodies"
awk '/^[^#]/ && ($2 == "cc" || $2 == "fast") { $2 = $3 = $4 = ""; print }' tests/suites |
  while read -r suite program arguments; do
    ! grep -q '^#include "\.\./.*\(cloth\|methods\).c"$' "tests/$program.c" || continue
    case " $(echo $long) " in *" $suite "*) continue ;; esac
    linked=$out/programs/$(echo "$program" | tr / -)
    [ -e "$linked" ] || { # its object is that of the other tests
      MAKEFLAGS="" make -s BUILD="$build" "$build/tests/$program.o" </dev/null &&
        clang $counters "$build/tests/$program.o" "$out/scenes.o" "$out/cloth.o" -lm -lpthread -o "$linked"
    } || continue
    LLVM_PROFILE_FILE="$out/$suite.profraw" "$linked" $arguments >"$out/log" 2>&1 </dev/null ||
      echo "not every test passes: $suite"
  done
clang $counters "$out/fuzz.o" "$out/cloth.o" -lm -o "$out/fuzz" || exit 2
LLVM_PROFILE_FILE="$out/corpus.profraw" "$out/fuzz" tests/corpus/* >"$out/log" || exit 2

report() { # PROFILE NAME
  llvm-cov report "$out/fuzz" -instr-profile="$1" cloth.c |
    awk -v name="$2" '/^TOTAL/ { printf "%-10s lines %s, branches %s\n", name, $10, $13 }'
}

llvm-profdata merge -sparse "$out/corpus.profraw" -o "$out/corpus.profdata"
report "$out/corpus.profdata" corpus
llvm-profdata merge -sparse "$out"/*.profraw -o "$out/all.profdata"
report "$out/all.profdata" all
# Of a branch "Branch (LINE:COLUMN): [True: N, False: N]" each way is one. Conditions that switches decide when compiling
# (WITH_..., CLOTH_LANES) are left out: one build takes one way. Those of the self-test are reached by wrong builds only.
llvm-cov show "$out/fuzz" -instr-profile="$out/all.profdata" -show-branches=count cloth.c >"$out/shown"
awk -v missed="$out/missed" '
  FNR == NR { source[FNR] = $0; if (/^\/\/\/ .* \/\/\/$/) part = $0; of[FNR] = part; next }
  /Branch \([0-9]+:[0-9]+\): \[True: / {
    match($0, /[0-9]+:[0-9]+/)
    place = substr($0, RSTART, RLENGTH)
    split(place, at, ":")
    code = source[at[1]]
    if (code ~ /WITH_|CLOTH_LANES/ || of[at[1]] ~ /Self-test/) {
      next
    }
    sub(/^ +/, "", code)
    ways += 2
    if ($0 ~ /True: 0,/) { never++; print "cloth.c:" place ": never true: " code >missed }
    if ($0 ~ /False: 0\]/) { never++; print "cloth.c:" place ": never false: " code >missed }
  }
  END { printf "%d %d\n", ways, never }' cloth.c "$out/shown" >"$out/ways"
read -r ways never <"$out/ways"
echo "branches never taken: $never of $ways, in $out/missed"
awk -v ways="$ways" -v never="$never" -v goal=$goal 'BEGIN {
  share = 100 * (ways - never) / ways
  printf "branches: %.2f %%, goal %d %%: %s\n", share, goal, (share >= goal ? "ok" : "missed")
  exit share < goal
}'
