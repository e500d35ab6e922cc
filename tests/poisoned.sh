#!/bin/sh
# A step reads nothing of what lies in the scratch before it: suites that hash, or compare runs, hold as well where every
# step begins with scratch, and memory of groups, that tests/poisoned.c has filled with 0xA5, with 0x5A or with another
# cloth's bytes. Of suites that take long only the tests named here are played. What steps without a call from outside is
# not played here: golden.c and random_cloths.c fill the scratch themselves, as tests/matrix.c does for its scenes.
# $1: build directory.
set -u
. tests/verdict.sh
build=$1

# A program and the tests of it that are played, as parts of their names, a line.
suites="
known_scenes
known_histories block/1
golden
group replay origins deadline
seams momentum closing saved_waiting replay
common_bodies replay origins
geometry_world concave_body
self_contact saves overflow
settle moves sewn reports
workers counts
tethers around
tubes tube_step
"

programs_of() { # LINES FOLDER
  echo "$1" | awk -v folder="$2" 'NF && !seen[$1]++ { print folder "/" $1 }'
}

make_targets "$build" $(programs_of "$suites" "$build/tests/poisoned")
verdict "the programs are built" $?
while read -r program arguments; do
  [ -n "$program" ] || continue
  # Unquoted: a list.
  printed=$("$build/tests/poisoned/$program" $arguments 2>&1)
  verdict "$program $arguments" $? "$(echo "$printed" | grep failed | grep -v ', 0 failed' | head -n 3)"
done <<END
$suites
END
report
