#!/bin/sh
# Mutation testing: small faults are put into the source, one at a time, and the quick tests must catch each. Prints a
# line for every mutant, those that survived, and the share that was caught with its confidence interval.
#
#   sh tests/mutants.sh BUILD [COUNT] [SEED]   a random sample of COUNT mutants (300), the same for the same SEED (1)
#   sh tests/mutants.sh BUILD survivors        those again that survived the last run
#
# A mutant is a change of one place inside a function of src/: see tests/mutants.awk. All of a sample are compiled into
# one library, in which a variable chooses among them. A suite is run for the mutants in functions that it calls, and
# each mutant until a suite fails, crashes, or takes five times as much time of a processor.
# Not counted: what does not compile, what gives the same object code (looked at for survivors only), and what cannot
# be told from the original, by tests/mutants.known. Constants outside of functions (the tables of costs and limits) and
# port/lanes_*.h are not changed.
set -u
build=$1
count=${2:-300}
seed=${3:-1}
goal=90
out=$build/mutants
tree=$out/tree
flags="-std=c99 -O1 -w -ffp-contract=off -fno-math-errno"
tab=$(printf '\t')
frozen=$out/frozen # the sources as they are now: others may be written to while this runs
mkdir -p "$out/programs"

# Suites that need the library's object code alone, those that catch most for their time first; then those that include
# cloth.c.
linked="golden canonical_state output mask tearing seams statistics pins skin blended config_ranges call_refusals arenas
  image_content explanations hashes save_exchange corpus contact_cells-quick animation tethers imperfection save_refusals
  strain_limits fabrics accuracy queries contact_list group workers settle self_contact geometry geometry_world give_way
  recovery tubes sleep work_bounds plans stress-short integration origin contact contact_conflicts"
inside="line_solves culling internals deadline"

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

freeze() {
  rm -rf "$frozen" "$tree"
  mkdir -p "$frozen"
  cp -r src tests port examples cloth.h "$frozen/"
  cp -r "$frozen" "$tree"
}

### The library with every mutant

# Writes the source with the mutants of the sample but for those that do not compile.
write_source() {
  awk -v broken="$out/broken" '
    BEGIN { while ((getline n < broken) > 0) is_broken[n] = 1 }
    { print NR in is_broken ? "-" : $0 }' "$out/sample" >"$out/tried"
  for file in $(cut -f1 "$out/sample" | sort -u); do
    (cd "$frozen" && awk -v sample="$here/$out/tried" -f tests/mutants.awk "$file") >"$tree/$file"
  done
  {
    echo "extern int cloth_mutant; void cloth_mutant_called(int);"
    sh "$tree/src/join.sh"
  } >"$tree/cloth.c"
}

# Takes out mutants that do not compile until the rest does. A compiler stops where too much is wrong, so more than once.
compile_mutants() {
  here=$(pwd)
  : >"$out/broken"
  while write_source && ! gcc $flags -fmax-errors=0 -I"$tree" -c "$tree/cloth.c" -o "$out/mutants.o" 2>"$out/errors"; do
    found=$(sed -n 's/^mutant_\([0-9]*\):[0-9:]* error.*/\1/p' "$out/errors" | sort -u)
    if [ -z "$found" ]; then
      head -n 5 "$out/errors"
      echo "the library with mutants does not compile"
      exit 2
    fi
    echo "$found" >>"$out/broken"
  done
}

# Chooses the mutant of the variable MUTANT; -1 writes the numbers of all in functions that were called.
write_choice() {
  cat <<END
#include <stdio.h>
#include <stdlib.h>
int cloth_mutant;
static unsigned char called[100000];
void cloth_mutant_called(int number);
void cloth_mutant_called(int number) { called[number] = 1; }
__attribute__((constructor)) static void choose(void) { cloth_mutant = atoi(getenv("MUTANT")); }
__attribute__((destructor)) static void write_called(void) {
  FILE *file = cloth_mutant < 0 ? fopen("$out/called", "w") : NULL;
  for (int n = 0; file && n < 100000; n++)
    if (called[n]) fprintf(file, "%d\n", n);
}
END
}

### Suites

link_suite() { # SUITE
  command=$(command_of "$1")
  name=${command%% *}
  program=$out/programs/$1
  case " $inside " in
  *" $1 "*)
    gcc $flags -I"$tree" -Iexamples -DSOURCE_DIRECTORY='"."' "$tree/tests/$name.c" "$out/choice.o" "$out/scenes.o" -lm \
      -o "$program"
    return
    ;;
  esac
  [ "$1" = corpus ] && object=$out/fuzz.o || object=$build/tests/$name.o
  gcc "$object" "$out/scenes.o" "$out/mutants.o" "$out/choice.o" -lm -lpthread -o "$program"
}

# Whether a suite passes. The limit on memory is for mutants that ask for ever more.
passes() { # SUITE MUTANT SECONDS
  if [ "$1" = corpus ]; then
    arguments="$frozen/tests/corpus/*"
  else
    command=$(command_of "$1")
    arguments=${command#"${command%% *}"}
  fi
  (ulimit -v 4000000 && ulimit -t "$3" && MUTANT=$2 exec timeout $((20 * $3)) "$out/programs/$1" $arguments) \
    >"$out/log" 2>&1 </dev/null || return 1
  if [ "$1" = corpus ]; then # what it prints is that of the original
    [ "$2" -gt 0 ] || tail -n 1 "$out/log" >"$out/hash"
    tail -n 1 "$out/log" | cmp -s - "$out/hash"
  else
    tail -n 1 "$out/log" | grep -q '^[0-9]* passed, 0 failed$'
  fi
}

# Builds the suites, and notes for each its limit of seconds and the mutants in functions that it calls.
prepare() {
  programs=""
  for suite in $linked; do
    command=$(command_of "$suite")
    [ $suite = corpus ] || programs="$programs $build/tests/${command%% *}.o"
  done
  MAKEFLAGS="" make -s BUILD="$build" $programs "$build/tests/scenes.o" || exit 2
  cp "$build/tests/scenes.o" "$out/scenes.o"
  awk -f tests/fuzz_functions.awk cloth.h >"$out/fuzz_functions.h"
  gcc $flags -std=gnu99 -I. -Itests -I"$out" -c tests/fuzz.c -o "$out/fuzz.o" || exit 2
  compile_mutants
  write_choice >"$out/choice.c"
  gcc -O1 -c "$out/choice.c" -o "$out/choice.o" || exit 2
  : >"$out/limits"
  for suite in $linked $inside; do
    rm -f "$out/called"
    if link_suite "$suite" && seconds=$(seconds_of "$suite"); then
      echo "$suite $((5 * seconds + 5)) $(tr '\n' ' ' <"$out/called")" >>"$out/limits"
    else
      echo "not used, as it fails without a mutant: $suite"
    fi
  done
}

# Whole seconds of a processor that a suite takes without a mutant, rounded up.
seconds_of() { # SUITE
  (
    passes "$1" -1 200 || exit 1
    times >"$out/times" # of the shell, then of what it started
    awk 'NR == 2 { split($0, part, /[ms ]+/); print int(60 * (part[1] + part[3]) + part[2] + part[4]) + 1 }' "$out/times"
  )
}

### Mutants

# The name of the suite that catches the mutant, or nothing.
caught_by() { # NUMBER
  awk -v number=" $1 " 'index(substr($0, length($1)) " ", number) { print $1, $2 }' "$out/limits" >"$out/callers"
  while read -r suite seconds; do
    if ! passes "$suite" "$1" "$seconds"; then
      echo "$suite"
      return
    fi
  done <"$out/callers"
}

# Whether the object code of the library with one mutant is that of the original.
is_same() { # FILE LINE COLUMN WIDTH KIND REPLACEMENT
  rm -rf "$out/single"
  cp -r "$frozen" "$out/single"
  awk -v line="$2" -v column="$3" -v width="$4" -v replacement="$6" -f tests/mutants.awk "$frozen/$1" >"$out/single/$1"
  sh "$out/single/src/join.sh" >"$out/single/cloth.c"
  gcc $flags -O2 -I"$out/single" -c "$out/single/cloth.c" -o "$out/single.o" && cmp -s "$out/single.o" "$out/original.o"
}

# The reason why a mutant cannot be told from the original, of a line FILE, changed line without margins, reason.
reason_of() { # FILE LINE COLUMN WIDTH KIND REPLACEMENT
  changed=$(awk -v line="$2" -v column="$3" -v width="$4" -v replacement="$6" -f tests/mutants.awk "$frozen/$1" |
    sed -n "$2{s/^ *//;p;}")
  FILE=$1 CHANGED=$changed awk -F'\t' '$1 == ENVIRON["FILE"] && $2 == ENVIRON["CHANGED"] { print $3 }' tests/mutants.known
}

try_mutant() { # NUMBER FILE LINE COLUMN WIDTH KIND REPLACEMENT
  number=$1
  shift
  if grep -q "^$number\$" "$out/broken"; then
    verdict="does not compile"
  else
    reason=$(reason_of "$@")
    found=$(caught_by "$number")
    if [ -n "$found" ]; then
      verdict="caught by $found"
    elif [ -n "$reason" ]; then
      verdict="equivalent: $reason"
    elif is_same "$@"; then
      verdict="same object code"
    else
      verdict="survived"
    fi
  fi
  before=$(awk -v line="$2" -v column="$3" -v width="$4" 'NR == line { print substr($0, column, width) }' "$frozen/$1")
  printf '%s:%s:%s: %s: `%s` -> `%s`: %s\n' "$1" "$2" "$3" "$5" "$before" "$6" "$verdict" | tee -a "$out/results"
  [ "$verdict" != survived ] || printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$out/survivors"
}

freeze
if [ "$count" = survivors ]; then
  cp "$out/survivors" "$out/sample" || exit 2
else
  sample >"$out/sample"
fi
prepare
sh "$frozen/src/join.sh" >"$frozen/cloth.c"
gcc $flags -O2 -I"$frozen" -c "$frozen/cloth.c" -o "$out/original.o" || exit 2
: >"$out/results"
: >"$out/survivors"
number=0
while IFS="$tab" read -r file line column width kind replacement; do
  number=$((number + 1))
  try_mutant $number "$file" "$line" "$column" "$width" "$kind" "$replacement"
done <"$out/sample"

# The interval is Wilson's: of all mutants so many per cent are caught, in 95 of 100 samples.
awk -v goal=$goal '
  function bound(sign) {
    return 100 * (share + 1.92 / n + sign * 1.96 * sqrt(share * (1 - share) / n + 0.96 / (n * n))) / (1 + 3.84 / n)
  }
  / caught by / { caught++ }
  /: survived$/ { survived++; print }
  /does not compile$/ { broken++ }
  /same object code$/ { same++ }
  /: equivalent: / { equivalent++ }
  END {
    n = caught + survived
    share = n > 0 ? caught / n : 0
    printf "%d mutants: %d caught, %d survived; not counted: %d that do not compile, %d of the same object code, %d equivalent\n",
      NR, caught, survived, broken, same, equivalent
    printf "caught: %.1f %%, 95 %% confidence %.1f to %.1f, goal %d %%: %s\n", 100 * share, n ? bound(-1) : 0,
      n ? bound(1) : 0, goal, (100 * share >= goal ? "ok" : "missed")
    exit 100 * share < goal
  }' "$out/results"
