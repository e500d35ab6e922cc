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
known_histories
golden
hashes
stress 1000
group
seams momentum one_cloth rolled opened gathered_places closing sleep saved_waiting replay joined_twice led no_lines
seam_folds tube momentum free_seams torn pins
common_bodies hung_box sleep replay origins leads
geometry_world shared_weight concave_body table_origin deadline pressed_on_mesh
geometry saves moved_geometry shared_bodies shared_fields bodies_and_sleep
self_contact saves ages overflow deadline
contact_list list count came_apart lasts body
save_exchange
image_content
animation
canonical_state
blended
imperfection
mask absent_rows strip/IMEX tethers saves self_contact tube
rest_shape trapezoid/28 saves start
tearing
tethers tethers_hold follow around set pins_of
tubes tube_symmetry tube_step tube_solves tube_tethers
settle moves places sewn variants bodies reports
sleep
pins
origin pins_stay end_of far_note there_and everything is_state wakes common holds too_far
workers counts parts memory saves
"

# Programs that print tables: what they print is the same.
tables="
scenes/scenes S2
scenes/scenes S12 --substeps 2
scenes/scenes PASS --substeps 2
structures/structures tethers max_distance drive
structures/fabrics elongation corner_hung
"

programs_of() { # LINES FOLDER
  echo "$1" | awk -v folder="$2" 'NF && !seen[$1]++ { print folder "/" $1 }'
}

make_targets "$build" $(programs_of "$suites" "$build/tests/poisoned") $(programs_of "$tables" "$build/tests") \
  $(programs_of "$tables" "$build/tests/poisoned")
verdict "the programs are built" $?
while read -r program arguments; do
  [ -n "$program" ] || continue
  # Unquoted: a list.
  printed=$("$build/tests/poisoned/$program" $arguments 2>&1)
  verdict "$program $arguments" $? "$(echo "$printed" | grep failed | grep -v ', 0 failed' | head -n 3)"
done <<END
$suites
END
# What a program prints, but for the time that it took.
printed_by() { # PROGRAM ARGUMENT...
  "$@" 2>&1 | sed 's/ *[0-9.]* s$//'
}

expected=$build/tests/poisoned/expected
while read -r program arguments; do
  [ -n "$program" ] || continue
  printed_by "$build/tests/$program" $arguments >"$expected"
  difference=$(printed_by "$build/tests/poisoned/$program" $arguments | diff "$expected" -)
  verdict "$program $arguments prints the same" $? "$(echo "$difference" | head -n 3)"
done <<END
$tables
END
report
