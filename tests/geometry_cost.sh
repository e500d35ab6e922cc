#!/bin/sh
# What a step over a floor with geometry costs beside a step over a box: instructions of cloth_step_with(), counted by
# callgrind, exact whatever the machine is doing. A sheet of 32 x 32 particles comes to rest on the floor in 20 steps.
# The meshes have 10,082 triangles. $1: build directory.
set -u
build=$1
out=$build/geometry_cost
mkdir -p "$out"
. tests/verdict.sh
make -s "$build/tests/geometry_cost" || exit 1

instructions() { # SHAPE SUBSTEPS
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=cloth_step_with \
    "$build/tests/geometry_cost" "$1" "$2" 2>&1 | awk '/Collected/ { print $NF }'
}

printf '%-12s %8s %14s %8s %6s\n' shape substeps instructions ratio goal
for substeps in 4 2; do
  box=$(instructions box $substeps)
  for row in "hull 2.0" "mesh 2.5" "mesh_hills 4.1" "mesh_fine 2.7" "field 2.3" "field_fine 3.3" "grid 2.5"; do
    shape=${row% *}
    goal=${row#* }
    count=$(instructions "$shape" $substeps)
    ratio=$(awk -v a="$count" -v b="$box" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }')
    result=""
    if [ "$goal" != - ]; then
      awk -v ratio="$ratio" -v goal="$goal" 'BEGIN { exit !(ratio > 0.5 && ratio <= goal) }'
      status=$?
      [ $status = 0 ] && result=ok || result=missed
      verdict "$shape costs at most $goal boxes" $status "$ratio"
    fi
    printf '%-12s %8s %14s %8s %6s  %s\n' "$shape" "$substeps" "$count" "$ratio" "$goal" "$result"
  done
done
report
