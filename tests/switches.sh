#!/bin/sh
# Random combinations of the CLOTH_NO_... switches: each must compile without a warning, with GCC and clang in turn, and
# every tenth must also link and do what is left (left_out.c). The last line is "N passed, N failed".
#
#   sh tests/switches.sh BUILD [COUNT] [SEED]   150 combinations, the same for the same SEED (1)
set -u
out=$1/switches
count=${2:-150}
seed=${3:-1}
mkdir -p "$out"
. tests/verdict.sh
warnings="-Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror"
flags="-std=gnu99 -O0 -ffp-contract=off -fno-math-errno $warnings -I. -Iexamples"

# One line for each combination: a switch is in it with a probability that differs from line to line.
switches_of_cloth | awk -v count="$count" -v seed="$seed" '
  function random() { # 0..1, the same in every awk
    state = state * 16807 % 2147483647
    return state / 2147483647
  }
  { names[NR] = $1 }
  END {
    state = seed * 7919
    for (n = 0; n < 10; n++) random()
    for (n = 0; n < count; n++) {
      share = 0.1 + 0.8 * random()
      line = ""
      for (i = 1; i <= NR; i++) if (random() < share) line = line " -D" names[i]
      print line
    }
  }' >"$out/combinations"

number=0
while read -r combination; do
  number=$((number + 1))
  if [ $((number % 10)) = 0 ]; then
    detail=$(gcc $flags $combination tests/left_out.c cloth.c -lm -o "$out/left_out" 2>&1 && "$out/left_out" 2>&1)
  elif [ $((number % 2)) = 0 ]; then
    detail=$(gcc $flags $combination -fsyntax-only cloth.c 2>&1)
  else # clang warns of functions that nothing calls without code being made
    detail=$(clang $flags $combination -fsyntax-only cloth.c 2>&1)
  fi
  verdict "combination $number:$combination" $? "$(echo "$detail" | grep -E 'error|warning|failed' | head -n 3)"
done <"$out/combinations"
report
