#!/bin/sh
# Mutation testing: small faults are put into the source, one at a time, and the tests must catch each. Prints for every
# suite how many it catches of those that are left, those that survive all, and the share that was caught with its
# confidence interval.
#
#   sh tests/mutants.sh BUILD [COUNT] [SEED]   a random sample of COUNT mutants (300), the same for the same SEED (1)
#   sh tests/mutants.sh BUILD survivors        those again that survived the last run
#
# With SUITES="NAMES..." in the environment only these suites are run: the share is then a lower bound.
#
# A mutant is a change of one place inside a function of src/: see tests/mutants.awk. All of a sample are compiled into
# one library, in which an array chooses among them. A suite is run for the mutants in functions that it calls and that
# no suite before has caught; it catches one by failing, crashing, or taking five times as much time of a processor.
# Where few mutants are caught, several of different functions are tried at once: where the suite passes with all, it
# catches none of them, and else each half is tried. Mutants that hide each other count as survivors.
# Not counted: what does not compile, what is left out of a build for this machine, what gives the same object code, and
# what cannot be told from the original, by tests/mutants.known. Constants outside of functions (the tables of costs and
# limits) and port/lanes_*.h are not changed.
set -u
build=$1
count=${2:-300}
seed=${3:-1}
goal=90
mkdir -p "$build/mutants/programs"
out=$(cd "$build/mutants" && pwd)
tree=$out/tree
flags="-std=c99 -O1 -w -ffp-contract=off -fno-math-errno"
tab=$(printf '\t')
most_at_once=32
frozen=$out/frozen # the sources as they are now: others may be written to while this runs

# Suites that need the library's object code alone, those that catch most for their time first; then those that include
# cloth.c.
linked="golden known_scenes corpus known_histories canonical_state output mask tearing seams statistics pins skin blended
  config_ranges call_refusals arenas image_content explanations hashes save_exchange contact_cells-quick animation tethers imperfection save_refusals
  strain_limits fabrics accuracy queries contact_list group workers rest_shape settle self_contact geometry
  geometry_world give_way recovery tubes sleep structures-conservation
  random_cloths integration origin contact
  contact_conflicts"
inside="self_test matrix internals planning"

command_of() { # SUITE
  awk -v suite="$1" '$1 == suite { $1 = $2 = $3 = $4 = ""; sub(/^ +/, ""); print }' tests/suites
}

# A sample without replacement, by a generator of its own: that of awk differs between machines.
sample() {
  (cd "$frozen" && awk -f tests/mutants.awk src/*.h src/*/*.h) | awk -v count="$count" -v seed="$seed" '
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
    (cd "$frozen" && awk -v sample="$out/tried" -f tests/mutants.awk "$file") >"$tree/$file"
  done
  echo "extern unsigned char cloth_mutant[]; void cloth_mutant_called(int);" >"$out/mutant.h"
  {
    cat "$out/mutant.h"
    sh "$tree/src/join.sh"
  } >"$tree/cloth.c"
}

# Takes out mutants that do not compile until the rest does. A compiler stops where too much is wrong, so more than once.
compile_mutants() {
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

# Writes the mutants whose function is compiled to the same instructions as the original, and those whose function is not
# compiled at all, as other lanes or another processor need it. All functions are compiled on their own, labels are
# numbered anew in each, and constants are written in place of their labels.
find_same() {
  sed 's/static inline __attribute__((always_inline))/static __attribute__((noinline))/' "$tree/cloth.c" >"$tree/apart.c"
  gcc $flags -O2 -fno-inline -fno-ipa-icf -fno-ipa-ra -fno-ipa-cp -fno-ipa-sra -fno-ipa-modref -fno-ipa-pure-const \
    -fno-reorder-blocks-and-partition -fno-asynchronous-unwind-tables -g0 -I"$tree" -S "$tree/apart.c" \
    -o "$out/apart.s" || exit 2
  awk -v sample="$(wc -l <"$out/sample")" -v absent="$out/absent" '
    FNR == NR && /^\.LC[0-9]+:$/ { label = substr($1, 1, length($1) - 1); next }
    FNR == NR && /^\t\.(long|string|quad|zero|byte|ascii|value)/ && label != "" { constant[label] = constant[label] $0; next }
    FNR == NR { label = ""; next }
    /^[A-Za-z_].*__[0-9]+:$/ {
      name = substr($1, 1, length($1) - 1)
      number = name
      sub(/^.*__/, "", number)
      base = substr(name, 1, length(name) - length(number) - 2)
      code = ""
      labels = 0
      split("", numbered)
      next
    }
    name != "" && $1 == ".size" {
      body[base, number] = code
      if (number + 0) mutants[number] = base
      name = ""
      next
    }
    name != "" && $1 !~ /^\.(align|p2align|type|cfi)/ {
      text = $0
      done = ""
      while (match(text, /\.LC?[0-9]+/)) {
        label = substr(text, RSTART, RLENGTH)
        if (label ~ /^\.LC/) {
          shown = "<" constant[label] ">"
        } else {
          if (!(label in numbered)) numbered[label] = ++labels
          shown = "<" numbered[label] ">"
        }
        done = done substr(text, 1, RSTART - 1) shown
        text = substr(text, RSTART + RLENGTH)
      }
      code = code done text "\n"
    }
    END {
      printf "" >absent
      for (n = 1; n <= sample; n++)
        if (!(n in mutants)) print n >absent
      for (n in mutants)
        if ((mutants[n], 0) in body && body[mutants[n], n] == body[mutants[n], 0]) print n
    }' "$out/apart.s" "$out/apart.s" >"$out/same"
}

# Sets the mutants whose numbers are in the variable MUTANT; -1 writes the numbers of all in functions that were called.
write_choice() {
  cat <<END
#include <stdio.h>
#include <stdlib.h>
unsigned char cloth_mutant[100000];
static unsigned char called[100000];
void cloth_mutant_called(int number);
void cloth_mutant_called(int number) { called[number] = 1; }
__attribute__((constructor)) static void choose(void) {
  char *text = getenv("MUTANT"), *end = text;
  for (long n = strtol(text, &end, 10); end != text; n = strtol(text = end, &end, 10))
    cloth_mutant[n < 0 ? 0 : n] = 1;
}
__attribute__((destructor)) static void write_called(void) {
  FILE *file = cloth_mutant[0] ? fopen("$out/called", "w") : NULL;
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
    board=""
    [ "$1" != matrix ] || board="-DCLOTH_SCALAR $tree/port/boards/hosted.c" # a single lane, as no other suite has
    gcc $flags -include "$out/mutant.h" -I"$tree" -Iexamples -DSOURCE_DIRECTORY='"."' $board "$tree/tests/$name.c" \
      "$out/choice.o" "$out/scenes.a" -lm -o "$program"
    return
    ;;
  esac
  [ "$1" = corpus ] && object=$out/fuzz.o || object=$build/tests/$name.o
  gcc "$object" "$out/scenes.a" "$out/mutants.o" "$out/choice.o" -lm -lpthread -o "$program"
}

# Whether a suite passes. The limit on memory is for mutants that ask for ever more.
passes() { # SUITE MUTANTS SECONDS
  if [ "$1" = corpus ]; then
    arguments="--known $out/known $frozen/tests/corpus/*"
  else
    command=$(command_of "$1")
    arguments=${command#"${command%% *}"}
  fi
  (ulimit -v 4000000 && ulimit -t "$3" && CHECK_STOPS=1 MUTANT=$2 exec timeout $((20 * $3)) "$out/programs/$1" $arguments) \
    >"$out/log" 2>&1 </dev/null || return 1
  if [ "$1" = corpus ]; then # as tests/corpus.sh
    expected=$(sed -n 's/^expected="\(.*\)"/\1/p' tests/corpus.sh)
    of_build=$(sed -n 's/^expected_of_build="\(.*\)"/\1/p' tests/corpus.sh)
    [ "$(tail -n 2 "$out/log" | tr '\n' ' ')" = "$of_build $expected " ]
  elif [ "$1" = matrix ]; then # as tests/matrix.sh
    [ "$(sed -n 's/^hash //p' "$out/log" | tr '\n' ' ')" = "$(sed -n 's/^known="\(.*\)"/\1/p' tests/matrix.sh) " ]
  else
    tail -n 1 "$out/log" | grep -q '^[0-9]* passed, 0 failed$'
  fi
}

# Builds the programs, and the library with the mutants.
prepare() {
  programs=""
  for suite in ${SUITES:-$linked}; do
    command=$(command_of "$suite")
    case " corpus $inside " in
    *" $suite "*) ;;
    *) programs="$programs $build/tests/${command%% *}.o" ;;
    esac
  done
  MAKEFLAGS="" make -s BUILD="$build" $programs "$build/tests/scenes.o" || exit 2
  ar rc "$out/scenes.a" "$build/tests/scenes.o" # linked where it is used
  awk -f tests/fuzz_functions.awk cloth.h >"$out/fuzz_functions.h"
  gcc $flags -std=gnu99 -I. -Itests -I"$out" -c tests/fuzz.c -o "$out/fuzz.o" || exit 2
  compile_mutants
  find_same
  write_choice >"$out/choice.c"
  gcc -O1 -c "$out/choice.c" -o "$out/choice.o" || exit 2
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

# Notes which of a set of mutants a suite catches.
hunt() { # SUITE SECONDS NUMBER...
  suite=$1
  limit=$2
  shift 2
  if passes "$suite" "$*" "$limit"; then
    return
  fi
  if [ $# = 1 ]; then
    echo "$1 $suite" >>"$out/caught"
    return
  fi
  first=""
  half=$(($# / 2))
  while [ $# -gt $half ]; do
    first="$first $1"
    shift
  done
  (hunt "$suite" "$limit" $first)
  hunt "$suite" "$limit" "$@"
}

# Takes up to so many mutants of different functions out of the queue and prints them.
take() { # COUNT
  awk -v most="$1" -v rest="$out/rest" '
    BEGIN { printf "" >rest }
    FNR == NR { function_of[NR] = $1 ":" $NF; next }
    taken == most || function_of[$1] in used { print >rest; next }
    { used[function_of[$1]] = 1; taken++; print }' "$out/sample" "$out/queue"
  mv "$out/rest" "$out/queue"
}

# Tries a suite on all mutants that it can see. Of a set that passes twice as many are tried at once next, else half.
at_once=1
try_suite() { # SUITE
  rm -f "$out/called" "$out/known"
  if ! link_suite "$1" || ! seconds=$(seconds_of "$1"); then
    echo "not used, as it fails without a mutant: $1"
    return
  fi
  cut -d' ' -f1 "$out/caught" | cat - "$out/broken" "$out/same" "$out/absent" >"$out/decided"
  awk 'FILENAME != ARGV[2] { decided[$1] = 1; next } !($1 in decided)' "$out/decided" "$out/called" >"$out/queue"
  tried=$(wc -l <"$out/queue")
  before=$(wc -l <"$out/caught")
  while [ -s "$out/queue" ]; do
    mutants=$(take $at_once)
    known=$(wc -l <"$out/caught")
    hunt "$1" $((5 * seconds + 1)) $mutants 2>>"$out/errors" # a shell tells of crashes there
    if [ "$(wc -l <"$out/caught")" -gt "$known" ]; then
      at_once=$(((at_once + 1) / 2))
    elif [ $at_once -lt $most_at_once ]; then
      at_once=$((2 * at_once))
    fi
  done
  echo "$1: $(($(wc -l <"$out/caught") - before)) of $tried caught"
}

# The reason why a mutant cannot be told from the original, of a line FILE, changed line without margins, reason.
reason_of() { # FILE LINE COLUMN WIDTH KIND REPLACEMENT
  changed=$(awk -v line="$2" -v column="$3" -v width="$4" -v replacement="$6" -f tests/mutants.awk "$frozen/$1" |
    sed -n "$2{s/^ *//;p;}")
  FILE=$1 CHANGED=$changed awk -F'\t' '$1 == ENVIRON["FILE"] && $2 == ENVIRON["CHANGED"] { print $3 }' tests/mutants.known
}

report_mutant() { # NUMBER FILE LINE COLUMN WIDTH KIND REPLACEMENT FUNCTION
  number=$1
  shift
  found=$(sed -n "s/^$number //p" "$out/caught")
  if grep -q "^$number\$" "$out/broken"; then
    verdict="does not compile"
  elif grep -q "^$number\$" "$out/absent"; then
    verdict="not in this build"
  elif grep -q "^$number\$" "$out/same"; then
    verdict="same object code"
  elif [ -n "$found" ]; then
    verdict="caught by $found"
  else
    reason=$(reason_of "$@")
    verdict=${reason:+equivalent: $reason}
    verdict=${verdict:-survived}
  fi
  before=$(awk -v line="$2" -v column="$3" -v width="$4" 'NR == line { print substr($0, column, width) }' "$frozen/$1")
  printf '%s:%s:%s: %s: `%s` -> `%s`: %s\n' "$1" "$2" "$3" "$5" "$before" "$6" "$verdict" >>"$out/results"
  [ "$verdict" != survived ] || printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$out/survivors"
}

freeze
if [ "$count" = survivors ]; then
  cp "$out/survivors" "$out/sample" || exit 2
else
  sample >"$out/sample"
fi
prepare
: >"$out/caught"
for suite in ${SUITES:-$linked $inside}; do
  try_suite "$suite"
done
: >"$out/results"
: >"$out/survivors"
number=0
while IFS="$tab" read -r file line column width kind replacement body; do
  number=$((number + 1))
  report_mutant $number "$file" "$line" "$column" "$width" "$kind" "$replacement" "$body"
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
  /not in this build$/ { absent++ }
  /: equivalent: / { equivalent++ }
  END {
    n = caught + survived
    share = n > 0 ? caught / n : 0
    printf "%d mutants: %d caught, %d survived; not counted: %d that do not compile, %d not in this build, %d of the same object code, %d equivalent\n",
      NR, caught, survived, broken, absent, same, equivalent
    printf "caught: %.1f %%, 95 %% confidence %.1f to %.1f, goal %d %%: %s\n", 100 * share, n ? bound(-1) : 0,
      n ? bound(1) : 0, goal, (100 * share >= goal ? "ok" : "missed")
    exit 100 * share < goal
  }' "$out/results"
