#!/bin/sh
# Extracts the README's example, compiles it as the README says and runs it. $1: build directory.
set -u
out=$1/readme
mkdir -p "$out"
. tests/verdict.sh

awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md >"$out/example.c"
[ -s "$out/example.c" ] && [ "$(wc -l <"$out/example.c")" -le 40 ]
verdict "the example has 1 to 40 lines" $?

cp cloth.h cloth.c "$out"
(cd "$out" && gcc -O2 -Wall -Wextra -Werror -ffp-contract=off example.c cloth.c -o example)
verdict "the example compiles without a warning" $?
"$out/example" >"$out/example.txt"
verdict "the example runs" $?
grep -q 'lowest point' "$out/example.txt"
verdict "the example prints its result" $?

for command in demo web test test-web accuracy thesis quality bench bench-unseen matrix size cost lockstep game \
  game-window board install; do
  grep -q "make $command" README.md && grep -q "^$command:" Makefile
  verdict "make $command is in README and Makefile" $?
done

report
