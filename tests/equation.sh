#!/bin/sh
# The step of one equation: it is built, and what stands in the list below of equation_planning.c, `make scenes`, `make
# structures` and `make random` holds. A scene whose lines all say "ok" belongs into the list. $1: build directory.
set -u
. tests/verdict.sh
programs=$1/equation

# A program and its arguments a line. Scenes of pins by their substeps; tests by parts of their names; random cloths by
# the first and how many.
runs="
scenes S1
scenes S2
scenes S12 --substeps 2
scenes S5
scenes S8 --substeps 2
scenes S11 --substeps 2
scenes S13
scenes S14 --substeps 2
scenes S17 --substeps 2
scenes S8g --substeps 2
scenes PASS
structures skirt many_iterations half_of maps tethers max_distance at_target moving_pins drive
one_conservation
one_fabrics elongation side_held corner_hung drape
equation_bodies
equation_planning
equation_workers
self_test
config_ranges
"

make_targets "$1" "$programs/scenes" "$programs/random_cloths" "$programs/structures" "$programs/one_conservation" \
  "$programs/one_fabrics" "$programs/equation_bodies" "$programs/equation_planning" "$programs/equation_workers" \
  "$programs/self_test" "$programs/config_ranges"
verdict "the step of one equation is built" $?
while read -r program arguments; do
  [ -n "$program" ] || continue
  # Unquoted: a list.
  printed=$("$programs/$program" $arguments 2>&1)
  verdict "$program $arguments" $? "$(echo "$printed" | grep -E 'missed|failed' | head -n 5)"
done <<END
$runs
END
# The header asks for the value of the macro, as the source does.
declared() { # FLAG...
  ${CC:-cc} -E -P "$@" -x c cloth.h | cksum
}
[ "$(declared)" = "$(declared -DCLOTH_ONE_EQUATION=0)" ]
verdict "a macro of 0 is none" $? "the header differs"
[ "$(declared)" != "$(declared -DCLOTH_ONE_EQUATION=1)" ]
verdict "the macro has an effect" $? "the header is the same"
report
