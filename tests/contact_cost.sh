#!/bin/sh
# What self-contact costs: instructions of ten frames of a scene with it over those without, at 10 substeps, as valgrind
# counts them, compiled by GCC for AVX2 and for SSE2. $1: build directory.
set -u
out=$1/contact_cost
mkdir -p "$out"
if ! command -v valgrind >/dev/null; then
  echo "instructions with self-contact over those without: not counted, there is no valgrind"
  exit 0
fi
flags="-std=gnu99 -O2 -ffp-contract=off -fno-math-errno -w -I. -Isrc -Iexamples -Itests"
status=0

instructions() { # PROGRAM SCENE N FIRST THICKNESS [SHAPE]
  valgrind --tool=callgrind --toggle-collect=counted_frames --callgrind-out-file=/dev/null "$1" "$2" "$3" "$4" 10 "$5" "${6:-}" \
    2>&1 | awk '/Collected/ { print $4 }'
}

ratio() { # PROGRAM LANES SCENE N FIRST GOAL WHAT
  without=$(instructions "$1" "$3" "$4" "$5" 0)
  with=$(instructions "$1" "$3" "$4" "$5" 0.45)
  spheres=$(instructions "$1" "$3" "$4" "$5" 1 spheres)
  awk -v spheres="${spheres:-0}" -v name="$3 $4" -v lanes="$2" -v a="${without:-0}" -v b="${with:-0}" -v goal="$6" -v what="$7" 'BEGIN {
    r = a > 0 ? b / a : 0
    ok = a > 0 && r <= goal
    printf "%-5s %-9s %-32s spheres %6.3f  %9d instructions a frame without  %6.3f <= %4.2f  %s\n", lanes, name, what, (a > 0 ? spheres / a : 0), a / 10, r, goal, ok ? "ok" : "missed"
    exit !ok
  }' || status=1
}

echo "instructions of ten frames with self-contact over those without, 10 substeps"
for lanes in avx2 sse2; do
  set_flag=
  [ $lanes = avx2 ] && set_flag=-mavx2
  gcc $flags $set_flag tests/self_cost.c cloth.c -lm -o "$out/$lanes" || exit 1
  ratio "$out/$lanes" $lanes hang 32 20 1.10 "nothing touches"
  ratio "$out/$lanes" $lanes edge 28 30 1.45 "a sheet crumples on its edge"
  ratio "$out/$lanes" $lanes towel 32 60 2.00 "half of it lies on the other"
done
exit $status
