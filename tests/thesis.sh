#!/bin/sh
# Prints the thesis's experiments beside its figures. $1: directory of the built programs.
# The last table is in instructions of cloth_step(), counted by callgrind: exact, whatever the machine is doing.
set -eu
build=$1

count() { # CASE MODE -> instructions
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=cloth_step \
    "$build/thesis" aimex "$1" "$2" 2>&1 | sed -n 's/.*Collected : *\([0-9]*\).*/\1/p'
}

"$build/thesis" | sed '/ passed, /d'

# The thesis's implicit scheme had implicit bending too, its adaptive one never; its first row is what that alone was
# worth. Here bending is solved along lines in both, so the other rows compare with the thesis's divided by its first.
echo "Adaptive against implicit integration, instructions (thesis table 4.1: time, over its implicit/implicit row)"
set -- implicit/implicit .83 implicit/explicit .71 explicit/implicit .71 explicit/explicit .47
for case in 0 1 2 3; do
  adaptive=$(count $case adaptive)
  implicit=$(count $case implicit)
  awk -v name="$1" -v thesis="$2" -v a="$adaptive" -v i="$implicit" \
    'BEGIN { printf "  %-18s ratio %.2f   thesis %s / .83 = %.2f   (%d of %d)\n", name, a / i, thesis, thesis / .83, a, i }'
  shift 2
done
