#!/bin/sh
# Looks for faults: libFuzzer plays histories of calls (tests/fuzz.c) and keeps those that reach code that others have
# not, under the address and undefined behaviour sanitizers, with the library's assertions. Prints how many calls were
# made, which lines and branches of cloth.c they reached, and what was found; fails if something was.
#
#   sh tests/fuzz.sh BUILD            FUZZ_SECONDS (600) seconds; SEED (the time) begins another sequence
#   sh tests/fuzz.sh BUILD merge      puts into tests/corpus/ the smallest set of histories that reaches as much
#   sh tests/fuzz.sh BUILD FILE...    plays single histories, as those that were found
set -u
build=$1
shift
seconds=${FUZZ_SECONDS:-600}
out=$build/fuzz
kept=$out/kept
mkdir -p "$kept" "$out/found" tests/corpus
awk -f tests/fuzz_functions.awk cloth.h >"$out/fuzz_functions.h"
flags="-std=gnu99 -O1 -g1 -ffp-contract=off -fno-math-errno -I. -Itests -I$out"
checks="-fsanitize=address,undefined -fno-sanitize-recover=all"
coverage="-fprofile-instr-generate -fcoverage-mapping"

build_fuzzer() {
  [ "$out/fuzzer" -nt cloth.c ] && [ -z "$(find tests/fuzz*.[ch] cloth.h -newer "$out/fuzzer")" ] ||
    clang $flags $checks -fsanitize=fuzzer -DWITH_LIBFUZZER \
      '-DCLOTH_ASSERT(condition)=((condition)?(void)0:__builtin_trap())' tests/fuzz.c cloth.c -lm -o "$out/fuzzer" || exit 2
}

# Sizes that a history may have: longer ones are slow, and minimised ones are short.
options="-max_len=900 -timeout=20 -rss_limit_mb=2000 -len_control=20"

case ${1:-} in
"") ;;
merge)
  build_fuzzer
  rm -rf "$out/smallest"
  mkdir -p "$out/smallest" tests/corpus
  "$out/fuzzer" $options -merge=1 "$out/smallest" tests/corpus "$kept" 2>&1 | tail -n 3
  echo "$(ls "$out/smallest" | wc -l) histories, $(cat "$out/smallest"/* | wc -c) bytes in $out/smallest"
  exit
  ;;
*)
  build_fuzzer
  "$out/fuzzer" $options "$@"
  exit
  ;;
esac

build_fuzzer
rm -f "$out/found"/*
"$out/fuzzer" $options -max_total_time="$seconds" -seed="${SEED:-$(date +%s)}" -print_final_stats=1 \
  -artifact_prefix="$out/found/" "$kept" tests/corpus >"$out/log" 2>&1
status=$?
[ $status = 0 ] || tail -n 40 "$out/log"

# What all of them reach, by a build that counts.
clang $flags $coverage tests/fuzz.c cloth.c -lm -o "$out/counted" || exit 2
find tests/corpus "$kept" -type f | sort >"$out/files"
LLVM_PROFILE_FILE="$out/counted.profraw" xargs -r "$out/counted" <"$out/files" >"$out/counted.log" || status=1
llvm-profdata merge -sparse "$out/counted.profraw" -o "$out/counted.profdata"
llvm-cov report "$out/counted" -instr-profile="$out/counted.profdata" cloth.c >"$out/report" 2>/dev/null

grep -E '^(found|cloth_)' "$out/counted.log"
echo "histories played: $(sed -n 's/^stat::number_of_executed_units: *//p' "$out/log") in $seconds s"
echo "histories kept: $(tail -n 2 "$out/counted.log" | head -n 1)"
awk '/^TOTAL/ { printf "lines of cloth.c reached: %s, branches: %s\n", $10, $13 }' "$out/report"
found=$(ls "$out/found" | wc -l)
[ "$found" = 0 ] && [ $status = 0 ] && word=ok || word=missed
echo "found: $found: $word"
[ $word = ok ]
