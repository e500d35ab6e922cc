#!/bin/sh
# The flag on two emulated boards: hashes and pictures like those of this machine, 64 KB of RAM in all, interrupts between
# and amid steps, a report about the deadline, and steps that were cut short for it done again. $1: build directory.
set -u
out=$1/board
mkdir -p "$out"
efforts=$(cd "$out" && pwd)/efforts.h
. tests/verdict.sh

run() { # LOG BOARD FLAGS
  sh examples/board/board.sh "$build" run "$2" "$3" >"$out/$1.log" 2>&1
}

# What stands after a word in a line of a log that begins with another, without commas.
number() { # LOG LINE WORD
  found=$(grep "^$2" "$out/$1.log" | sed -n "s/^.*$3 \([0-9,]*\).*/\1/p" | tr -d , | head -n 1)
  echo "${found:-0}"
}

# "frame NUMBER STRETCH HASH", as far as this many frames.
results() { # LOG FRAMES
  sed -n 's/^frame \([0-9]*\): .*, stretch \([0-9.]*\) %, hash \([0-9a-f]*\)$/\1 \2 \3/p' "$out/$1.log" |
    awk -v frames="$2" '$1 <= frames'
}

pictures() { # LOG
  grep '^|' "$out/$1.log"
}

check() { # NAME LOG CONDITION...
  name=$1
  log=$2
  shift 2
  test "$@"
  verdict "$log: $name" $? "$(grep -v '^|' "$out/$log.log" | tail -n 6)"
}

build=$1
(run m7 m7 "" && run m7-interrupted m7 "-DINTERRUPTS_PER_FRAME=500 -DFLAG_FRAMES=40"
  BOARD_SHIFT=5 run slow m7 -DFLAG_FRAMES=20) &
(run host host "" && run m55 m55 "" && run m55-interrupted m55 "-DINTERRUPTS_PER_FRAME=500 -DFLAG_FRAMES=40")
wait

for log in host m7 m55 m7-interrupted m55-interrupted slow; do
  check "runs" $log "$(tail -n 1 "$out/$log.log")" = "status: 0"
done
check "tells a hash every 20 frames" host "$(results host 240 | wc -l)" = 12

for board in m7 m55; do
  check "has the hashes of this machine" $board "$(results $board 240)" = "$(results host 240)"
  check "draws what this machine draws" $board "$(pictures $board | cksum)" = "$(pictures host | cksum)"
  check "needs at most 64 KB of RAM" $board "$(number $board ram: ram:)" -gt 0 -a "$(number $board ram: ram:)" -le 65536
  check "has stack left" $board "$(number $board stack: stack:)" -gt 0 -a \
    "$(number $board stack: stack:)" -lt "$(number $board stack: of)"
  check "takes an interrupt a frame" $board "$(number $board interrupts: interrupts:)" -ge 240 -a \
    "$(number $board interrupts: frames:)" = 240
  check "meets its deadline" $board "$(number $board deadline: deadline:)" -gt 0 -a \
    "$(grep -c '^deadline: .*; late 0, cut short 0$' "$out/$board.log")" = 1
  check "does so in half a frame" $board "$(number $board deadline: step)" -gt 0 -a \
    "$(number $board deadline: step)" -lt $(($(number $board deadline: deadline:) / 2))
  check "is bounded within a frame of 480 MHz" $board "$(number $board bound: each)" -gt 0 -a \
    "$(number $board bound: each)" -le 100
  check "has the same hashes when interrupted" $board-interrupted "$(results $board-interrupted 40)" = "$(results host 40)"
  check "is interrupted amid steps" $board-interrupted "$(number $board-interrupted interrupts: steps:)" -gt 1000
done
check "a slow processor is told to be late" slow "$(number slow deadline: late)" -gt 0
check "and cuts its solves short" slow "$(number slow deadline: short)" -gt 0

# What a board cut short, done again here.
sed -n 's/^cut short: frame \([0-9]*\), refinements \([0-9]*\)$/[\1] = 1 + \2,/p' "$out/slow.log" >"$efforts"
run again host "-DFLAG_FRAMES=20 -DFLAG_EFFORTS=\"$efforts\""
check "runs" again "$(tail -n 1 "$out/again.log")" = "status: 0"
check "ends in another way than without a deadline" slow "$(results slow 20)" != "$(results host 20)"
check "is done again to the bit" again "$(results again 20)" = "$(results slow 20)"

report
