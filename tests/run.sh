#!/bin/sh
# Builds and runs suites of tests/suites; the last line is "N passed, N failed", the line before it the time.
# A suite that crashes, or ends without its own count, counts as one failure. What failed is repeated at the end.
#
#   sh tests/run.sh BUILD               every suite, but those of make check alone, after what they need is installed
#   sh tests/run.sh BUILD quick         those of make check
#   sh tests/run.sh BUILD one NAME...   these
#   sh tests/run.sh BUILD list          prints names, kinds, seconds
#   sh tests/run.sh BUILD suite NAME    one that is built; its log is BUILD/tests/logs/NAME.log
set -u
build=$1
task=${2:-all}
logs=$build/tests/logs
counts=$logs/counts
failures=$logs/failures
memcheck="valgrind -q --error-exitcode=9 --leak-check=full"

# Lines of suites that fit a condition of awk, without comments; those of AVX2 only where there is AVX2, and the fast ones
# with clang where there is clang.
suites() { # CONDITION
  command -v clang >/dev/null && fast=clang || fast=cc
  grep -q avx2 /proc/cpuinfo 2>/dev/null && has_avx2=1 || has_avx2=0
  awk "/^[^#]/ && NF >= 5 && ($1)" tests/suites | while read -r name kind quick seconds command; do
    [ "$kind" != avx2 ] || [ $has_avx2 = 1 ] || continue
    [ "$kind" != fast ] || kind=$fast
    echo "$name $kind $quick $seconds $command"
  done
}

# The program of a suite, or nothing for a script.
program_of() { # KIND PROGRAM
  case $1 in
  cc | memcheck) echo "$build/tests/$2" ;;
  clang | avx2 | sanitized) echo "$build/$1/tests/$2" ;;
  esac
}

# The programs of the suites whose lines are read, each once.
programs_of_lines() {
  while read -r name kind quick seconds command; do
    program_of "$kind" "${command%% *}"
  done | sort -u
}

### One suite

start_suite() { # KIND COMMAND...
  kind=$1
  command=$2
  shift 2
  case $kind in
  script | alone | clock | first) sh "tests/$command.sh" "$build" "$@" ;;
  memcheck) $memcheck "$build/tests/$command" "$@" ;;
  *) "$(program_of "$kind" "$command")" "$@" ;;
  esac
}

# Suites that run side by side must not mix their lines: each is one write, and so is its count.
run_suite() { # NAME
  name=$1
  log=$logs/$name.log
  start=$(date +%s)
  set -- $(suites "\$1 == \"$name\"" | awk '{ $1 = $3 = $4 = ""; print }')
  (
    start_suite "$@" >"$log" 2>&1
    status=$?
    times >"$log.times" # of the shell, then of what it started
    exit $status
  )
  status=$?
  line=$(tail -n 1 "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed$')
  if [ -z "$line" ]; then
    line="0 passed, 1 failed"
    {
      echo "$name ended without a count, status $status; the end of its output:"
      tail -n 15 "$log"
    } | tee -a "$failures"
  fi
  p=$(echo "$line" | sed 's/ passed.*//')
  f=$(echo "$line" | sed 's/.*, \([0-9]*\) failed/\1/')
  [ "$status" = 0 ] || [ "$f" -gt 0 ] || f=1
  [ "$f" = 0 ] || grep 'failed' "$log" | head -n 20 | sed "s/^/$name: /" | tee -a "$failures"
  echo "$p $f" >>"$counts"
  processor=$(awk 'NR == 2 { split($0, part, /[ms ]+/); print int(60 * (part[1] + part[3]) + part[2] + part[4]) }' "$log.times")
  printf '%-28s %7d passed %4d failed   %3d s, %3d of a processor\n' "$name" "$p" "$f" $(($(date +%s) - start)) \
    "$processor"
}

### Many

# Three jobs for two cores, as each also reads and links, whatever make was told. A failure counts as one: an older
# program may be there and pass. Libraries that several scripts link are built here, so that no two do so at once. A
# warning of the library is an error.
build_programs() { # FILE
  targets=$(programs_of_lines <"$1")
  [ "$task" != all ] || targets="$targets libraries"
  # Unquoted: a list.
  if [ -z "$targets" ] || MAKEFLAGS="" make -s -k -j3 BUILD="$build" CPPFLAGS=-Werror $targets; then
    echo "0 0" >>"$counts"
  else
    echo "not every program could be built" | tee -a "$failures"
    echo "0 1" >>"$counts"
  fi
}

# Installs the packages that suites need. Meanwhile, as an install keeps one core busy, builds the programs for which any
# C compiler will do; what fails is built again, and judged, with all others.
install_packages() {
  {
    sh tests/install.sh && sh tests/install.sh browser || touch "$logs/not-installed"
    for what in csharp npm sdl; do sh tests/install.sh $what || echo "tests of $what will be skipped"; done
  } &
  targets=$(suites '$2 == "cc" || $2 == "avx2" || $2 == "sanitized"' | programs_of_lines)
  # Unquoted: a list.
  MAKEFLAGS="" make -s -k -j2 BUILD="$build" CPPFLAGS=-Werror $targets >"$logs/early" 2>&1
  wait
  [ ! -e "$logs/not-installed" ]
}

run_kind() { # KIND
  for name in $(awk -v kind="$1" '$2 == kind { print $1 }' "$logs/list"); do run_suite "$name" </dev/null; done
}

# Two at a time, the longest first.
run_two() {
  awk '$2 !~ /^(alone|clock|first)$/ { print $4, $1 }' "$logs/list" | sort -rn | cut -d' ' -f2 |
    xargs -r -P 2 -n 1 sh "$0" "$build" suite
}

run_all() { # CONDITION
  begin=$(date +%s)
  mkdir -p "$logs"
  rm -f "$logs"/*
  : >"$counts"
  : >"$failures"
  suites '$2 == "first" && ('"$1"')' >"$logs/list"
  run_kind first # before anything is built
  [ "$task" != all ] || install_packages || exit 1
  suites "$1" >"$logs/list"
  if [ ! -s "$logs/list" ]; then
    echo "no such suite; make list prints them"
    exit 2
  fi
  start=$(date +%s)
  build_programs "$logs/list"
  echo "built in $(($(date +%s) - start)) s"
  # Beside the others, one after the other, those that wait for half of their time.
  run_kind clock &
  run_kind alone
  run_two
  wait
  cat "$failures"
  echo "$(($(date +%s) - begin)) s"
  awk -v expected="$(($(wc -l <"$logs/list") + 1))" '
    { passed += $1; failed += $2 }
    END {
      failed += expected > NR ? expected - NR : 0 # a suite that never came to its count
      print passed + 0 " passed, " failed + 0 " failed"
      exit failed > 0
    }' "$counts"
}

case $task in
all) run_all '$3 != "check"' ;;
quick) run_all '$3 == "quick" || $3 == "check"' ;;
one)
  shift 2
  run_all "index(\" $* \", \" \" \$1 \" \")"
  ;;
list) suites 1 | while read -r name kind quick seconds command; do
  [ "$quick" = quick ] || [ "$quick" = check ] || quick=""
  printf '%-28s %-10s %4d s  %s\n' "$name" "$kind" "$seconds" "$quick"
done ;;
suite) run_suite "$3" ;;
*)
  echo "unknown: $task" >&2
  exit 2
  ;;
esac
