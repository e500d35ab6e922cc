#!/bin/sh
# Runs the demo and the simulator of 2004, whose table must have no row that is missed, and checks that their pictures
# are there and are PNG files with something on them. Animations are sketches, sheets of moments are not. $1: build
# directory.
set -u
build=$1
passed=0
failed=0

make -s demo DEMO=sketch BUILD="$build"
if [ $? = 0 ]; then passed=1; else failed=1; fi
if make -s ut BUILD="$build"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
names="hang hang_plot hang_film drape drape_plot drape_film heap heap_plot heap_film flag flag_plot flag_film imex imex_plot
  imex_film"
for name in $names ../ut/ut; do
  file="$build/demo/$name.png"
  signature=$(head -c 8 "$file" 2>/dev/null | od -An -tx1 | tr -d ' \n')
  size=$(wc -c <"$file" 2>/dev/null || echo 0)
  if [ "$signature" = 89504e470d0a1a0a ] && [ "$size" -gt 10000 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $file: signature '$signature', $size bytes"
  fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
