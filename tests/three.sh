#!/bin/sh
# The page of examples/three in a headless Chromium: the package for npm draws a cloth in three.js, races ammo.js, and comes
# to the hash of C. Prints the table of the race. Pictures are left in build/three/. $1: build directory.
set -u
build=$1
out=$build/three
mkdir -p "$out"
. tests/verdict.sh
. tests/browser.sh
. tests/engines/common.sh

if ! make -s "$build/three_modules/node_modules/.installed" BUILD="$build"; then
  echo "skipped: three.js could not be installed"
  report
  exit
fi

open_page() {
  request POST "/$session/url" "{\"url\": \"http://127.0.0.1:$port/index.html\"}" >/dev/null
  await "return !!window.page && page.state.drawn > 2"
}

check_hashes() {
  for lanes in simd scalar; do
    hash=$(run "return page.flagHash('$lanes')")
    [ "flag, hash $hash" = "$expected" ]
    verdict "the flag has the hash of C, $lanes" $? "$hash, expected $expected"
  done
}

# WebGL takes vertices from the library's memory, also after that has moved.
check_views() {
  [ "$(run "return page.isZeroCopy()")" = true ]
  verdict "vertices are not copied" $?
  run "page.growMemory(); page.state.drawn = 0" >/dev/null
  await "return page.state.drawn > 1"
  [ "$(run "return page.isZeroCopy()")" = true ]
  verdict "vertices are not copied after memory has grown" $?
}

# The page draws all the time, on the processor: few pixels where nobody looks at them.
scale() { # OF_PIXELS
  screen 1280 800 "$1" false
  run "window.dispatchEvent(new Event('resize')); page.state.drawn = 0" >/dev/null
  await "return page.state.drawn > 1"
}

# With all pixels.
full_picture() { # NAME
  scale 1
  picture "$1"
  scale 0.1
}

# All three sheets hang from their corners after half a second, and ours has stretched no more than it may.
check_sheets() {
  run "page.state.isPaused = true; page.start(); page.advance(36)" >/dev/null
  full_picture swing
  result=$(run "const s = page.stretches(); return [s[0] < 0.03, s[1] > s[0], s.every(Number.isFinite)].join()")
  [ "$result" = true,true,true ]
  verdict "the sheets swing" $? "$(run "return page.stretches().join()")"
}

# Rows of: name; stretch; milliseconds of a step; of vertices; which row stretches as much. Times decide nothing.
check_race() {
  run "page.race()" >/dev/null
  # However slow the machine is.
  for attempt in $(seq 20); do
    await "return page.state.rows !== null" && break
  done
  rows=$(run "return page.state.rows.map(r => [r.name, (100 * r.stretch).toFixed(2), r.step.toFixed(2), r.read.toFixed(3),
    r.equals || '-'].join(';')).join('|')" | tr '|' '\n')
  echo "$rows" | awk -F';' '{ printf "%-40s largest stretch %6s %%, step %6s ms, vertices %s ms, equals: %s\n", $1, $2, $3, $4, $5 }'
  [ "$(echo "$rows" | grep -c '^cloth')" = 3 ] && [ "$(echo "$rows" | grep -c '^ammo')" -ge 1 ]
  verdict "everyone races" $? "$rows"
  echo "$rows" | awk -F';' '
    { stretch[$1] = $2 }
    $5 != "-" { equals[$1] = $5 }
    END {
      for (name in equals) {
        if (stretch[name] > stretch[equals[name]]) {
          exit 1
        }
      }
      exit stretch["cloth, default: 2 substeps"] != stretch["cloth, default, without SIMD"]
    }'
  verdict "what is called equal stretches no more, with and without SIMD" $? "$rows"
  full_picture race
}

make -s three BUILD="$build" >/dev/null
verdict "the page builds" $?
start
verdict "the browser starts" $?
screen 1280 800 0.1 false
open_page
verdict "the page starts" $? "$(run "return document.body.innerText.slice(0, 200)")"
check_hashes
check_sheets
check_views
check_race
no_errors
report
