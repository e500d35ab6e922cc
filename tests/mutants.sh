#!/bin/sh
# Mutation testing: small faults are put into the source, one at a time, and the quick tests must catch each. Prints a
# line for every mutant, then those that survived and the share that was caught.
#
#   sh tests/mutants.sh BUILD [COUNT] [SEED]   a random sample of COUNT mutants (200), the same for the same SEED (1)
#   sh tests/mutants.sh BUILD survivors        those again that survived the last run
#
# A mutant is a change of one place inside a function of src/: see tests/mutants.awk. One that does not compile or gives
# the same object code is not counted. Caught is what fails a suite, crashes it, or takes ten times as long.
# Constants outside of functions (the tables of costs and limits) and port/lanes_*.h are not changed.
set -u
build=$1
count=${2:-200}
seed=${3:-1}
goal=90
out=$build/mutants
tree=$out/tree
flags="-std=c99 -O1 -w -ffp-contract=off -fno-math-errno"
tab=$(printf '\t')
frozen=$out/frozen # the sources as they are now: others may be written to while this runs
mkdir -p "$out" "$tree"

# Suites that need the library's object code alone, those that fail soonest first; then those that include cloth.c.
linked="golden corpus canonical_state hashes output pins statistics config_ranges call_refusals arenas image_content explanations
  contact_cells-quick save_exchange animation tethers imperfection save_refusals strain_limits fabrics accuracy queries
  contact_list group settle self_contact geometry geometry_world give_way recovery tubes skin sleep work_bounds plans
  stress-short"
inside="line_solves culling internals"

command_of() { # SUITE
  awk -v suite="$1" '$1 == suite { $1 = $2 = $3 = $4 = ""; sub(/^ +/, ""); print }' tests/suites
}

# A sample without replacement, by a generator of its own: that of awk differs between machines.
sample() {
  (cd "$frozen" && awk -f tests/mutants.awk src/*.h) | awk -v count="$count" -v seed="$seed" '
    function below(limit) {
      state = state * 16807 % 2147483647
      return int(state / 2147483647 * limit)
    }
    { lines[NR] = $0 }
    END {
      state = seed
      for (i = 0; i < 10; i++) below(2)
      for (n = 0; n < count && n < NR; n++) {
        chosen = n + 1 + below(NR - n)
        line = lines[chosen]
        lines[chosen] = lines[n + 1]
        print line
      }
    }'
}

compile() { # OBJECT
  gcc $flags -I"$tree" -c "$tree/cloth.c" -o "$1" 2>/dev/null
}

# Seconds that a suite may take: ten times what it takes without a mutant, and five more.
limit_of() { # SUITE
  awk -v suite="$1" '$1 == suite { print $2 }' "$out/limits"
}

link_suite() { # SUITE OBJECT
  command=$(command_of "$1")
  program=${command%% *}
  [ "$1" != corpus ] || { gcc "$out/fuzz.o" "$2" -lm -o "$out/program" 2>/dev/null; return; }
  case " $inside " in
  *" $1 "*) gcc $flags -I"$tree" -Iexamples -DSOURCE_DIRECTORY='"."' "$tree/tests/$program.c" "$out/scenes.o" -lm -o "$out/program" 2>/dev/null ;;
  *) gcc "$build/tests/$program.o" "$out/scenes.o" "$2" -lm -o "$out/program" 2>/dev/null ;;
  esac
}

# Whether a suite passes.
passes() { # SUITE OBJECT SECONDS
  link_suite "$1" "$2" || return 1
  command=$(command_of "$1")
  arguments=${command#"${command%% *}"}
  # The limit on memory is for mutants that ask for ever more.
  if [ "$1" = corpus ]; then # what it prints is that of the original
    (ulimit -v 4000000 && exec timeout "$3" "$out/program" "$frozen"/tests/corpus/*) >"$out/log" 2>&1 </dev/null || return 1
    [ -e "$out/hash" ] || tail -n 1 "$out/log" >"$out/hash"
    tail -n 1 "$out/log" | cmp -s - "$out/hash"
    return
  fi
  (ulimit -v 4000000 && exec timeout "$3" "$out/program" $arguments) >"$out/log" 2>&1 </dev/null &&
    tail -n 1 "$out/log" | grep -q '^[0-9]* passed, 0 failed$'
}

freeze() {
  rm -rf "$frozen"
  mkdir -p "$frozen"
  cp -r src tests port examples cloth.h "$frozen/"
}

prepare() {
  rm -rf "$tree"
  cp -r "$frozen" "$tree"
  sh "$tree/src/join.sh" >"$tree/cloth.c"
  programs=""
  for suite in $linked; do
    command=$(command_of "$suite")
    [ -z "$command" ] || [ $suite = corpus ] || programs="$programs $build/tests/${command%% *}.o"
  done
  MAKEFLAGS="" make -s BUILD="$build" $programs || exit 1
  awk -f tests/fuzz_functions.awk cloth.h >"$out/fuzz_functions.h"
  gcc $flags -I. -Itests -I"$out" -c tests/fuzz.c -o "$out/fuzz.o" || exit 1
  gcc $flags -I. -Iexamples -c examples/scenes.c -o "$out/scenes.o" || exit 1
  compile "$out/original.o" || exit 1
  : >"$out/limits"
  rm -f "$out/hash"
  for suite in $linked $inside; do
    if [ -z "$(command_of "$suite")" ]; then
      continue
    fi
    start=$(date +%s)
    if passes "$suite" "$out/original.o" 120; then
      echo "$suite $((10 * ($(date +%s) - start) + 15))" >>"$out/limits"
    else
      echo "not used, as it fails without a mutant: $suite"
    fi
  done
}

# The name of the suite that catches the mutant, or nothing.
caught_by() {
  for suite in $(cut -d' ' -f1 "$out/limits"); do
    if ! passes "$suite" "$out/mutant.o" "$(limit_of "$suite")"; then
      echo "$suite"
      return
    fi
  done
}

try_mutant() { # FILE LINE COLUMN WIDTH KIND REPLACEMENT
  awk -v line="$2" -v column="$3" -v width="$4" -v replacement="$6" -f tests/mutants.awk "$frozen/$1" >"$tree/$1"
  sh "$tree/src/join.sh" >"$tree/cloth.c"
  if ! compile "$out/mutant.o"; then
    verdict="does not compile"
  elif cmp -s "$out/mutant.o" "$out/original.o"; then
    verdict="same object code"
  else
    found=$(caught_by)
    [ -n "$found" ] && verdict="caught by $found" || verdict="survived"
  fi
  cp "$frozen/$1" "$tree/$1"
  before=$(awk -v line="$2" -v column="$3" -v width="$4" 'NR == line { print substr($0, column, width) }' "$frozen/$1")
  printf '%s:%s: %s: `%s` -> `%s`: %s\n' "$1" "$2" "$5" "$before" "$6" "$verdict" | tee -a "$out/results"
  [ "$verdict" != survived ] || printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$out/survivors"
}

freeze
if [ "$count" = survivors ]; then
  cp "$out/survivors" "$out/sample" || exit 2
else
  sample >"$out/sample"
fi
prepare
: >"$out/results"
: >"$out/survivors"
while IFS="$tab" read -r file line column width kind replacement; do
  try_mutant "$file" "$line" "$column" "$width" "$kind" "$replacement"
done <"$out/sample"

awk -v goal=$goal '
  / caught by / { caught++ }
  /: survived$/ { survived++ }
  /does not compile$/ { broken++ }
  /same object code$/ { same++ }
  END {
    share = caught + survived > 0 ? 100 * caught / (caught + survived) : 0
    printf "%d mutants: %d caught, %d survived; not counted: %d that do not compile, %d of the same object code\n", NR,
      caught, survived, broken, same
    printf "caught: %.1f %%, goal %d %%: %s\n", share, goal, (share >= goal ? "ok" : "missed")
    exit share < goal
  }' "$out/results"
