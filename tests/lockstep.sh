#!/bin/sh
# Builds examples/lockstep for x86-64, AArch64 and big-endian s390x, lets pairs of them play over a bad network, the
# foreign ones under QEMU, and checks that they stay equal, and that it shows when they do not. Then runs the random
# frames of tests/stress.c on each. The last line is "N passed, N failed".
# $1: build directory. $2: frames of the long games, 1800 if not given.
set -u
out=$1/lockstep
frames=${2:-1800}
mkdir -p "$out"
. tests/verdict.sh
port=$((20000 + $$ % 20000))
flags="-std=gnu99 -O2 -ffp-contract=off -fno-math-errno -Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -I."
port_taken=3
stress_frames=150

build() { # NAME COMPILER FLAGS...
  program=$out/$1
  compiler=$2
  shift 2
  "$compiler" $flags "$@" examples/lockstep/*.c cloth.c -o "$program"
  verdict "$compiler builds the example" $? "see above"
}

# Both players on two ports of their own. If one is taken, the other player is stopped and both move on.
start_pair() { # COMMAND_0 COMMAND_1 OPTIONS_0 OPTIONS_1
  port=$((port + 2))
  $1 0 $port $((port + 1)) $3 >"$out/0.log" 2>&1 &
  player_0=$!
  $2 1 $((port + 1)) $port $4 >"$out/1.log" 2>&1
  status_1=$?
  [ $status_1 != $port_taken ] || kill $player_0 2>/dev/null
  wait $player_0
  status_0=$?
}

play() { # COMMAND_0 COMMAND_1 OPTIONS_0 OPTIONS_1
  for attempt in 1 2 3 4 5 6 7 8; do
    start_pair "$@"
    [ $status_0 = $port_taken ] || [ $status_1 = $port_taken ] || return
  done
}

value() { # PLAYER NAME
  sed -n "s/^player $1: .*$2 \([0-9a-f]*\).*/\1/p" "$out/$1.log"
}

in_range() { # NAME VALUE LOW HIGH
  [ "${2:-0}" -ge "$3" ] && [ "${2:-0}" -le "$4" ]
  verdict "$1" $? "${2:-nothing} is not in $3..$4"
}

# Packets of which one bit is changed are known as such, and count as lost.
check_flipped() { # NAME FRAMES COMMAND_0 COMMAND_1 OPTIONS
  check_equal_game "$@"
  for player in 0 1; do
    in_range "$1, player $player: damaged packets" "$(value $player flipped)" $(($2 / 50)) "$2"
  done
}

# The second player is stopped in the middle of a game and started again: both are told.
check_restart() { # COMMAND
  port=$((port + 2))
  $1 0 $port $((port + 1)) --fps 200 --frames 100000 >"$out/0.log" 2>&1 &
  player_0=$!
  $1 1 $((port + 1)) $port --fps 200 --frames 100000 >"$out/1.log" 2>&1 &
  player_1=$!
  sleep 2
  kill $player_1
  wait $player_1 2>/dev/null
  start=$(date +%s)
  $1 1 $((port + 1)) $port --fps 200 --frames 100000 >"$out/1.log" 2>&1
  status_1=$?
  wait $player_0
  status_0=$?
  in_range "a player who starts anew: both end at once [s]" $(($(date +%s) - start)) 0 3
  [ $status_0 = 1 ] && [ $status_1 = 1 ]
  verdict "a player who starts anew: both end with 1" $? "status $status_0 and $status_1"
  grep -q "has started anew" "$out/0.log" && grep -q "is in one already" "$out/1.log"
  verdict "a player who starts anew: both say so" $? "$(cat "$out/0.log" "$out/1.log")"
}

# A build that computes otherwise refuses, and tells the other why.
check_wrong_build() { # COMMAND WRONG_COMMAND
  play "$1" "$2" "" ""
  [ $status_0 = 1 ] && [ $status_1 = 1 ]
  verdict "a wrong build: both end with 1" $? "status $status_0 and $status_1"
  grep -q "the other side's self-test gives EXCESS_PRECISION" "$out/0.log" &&
    grep -q "the self-test gives EXCESS_PRECISION" "$out/1.log"
  verdict "a wrong build: both say so" $? "$(cat "$out/0.log" "$out/1.log")"
}

# Every frame played again from a state of eight frames before, and a disturbed one found.
check_sync() { # COMMAND
  detail=$($1 sync 8 --frames 900)
  verdict "frames played again lead to the same states" $? "$detail"
  detail=$($1 sync 8 --frames 300 --corrupt 100 --dump "$out/kept.txt")
  [ $? = 1 ] && echo "$detail" | grep -q "^frame 101 differs .*: position of particle [0-9]*, [xyz]: "
  verdict "the first field that differs is named" $? "$detail"
  [ "$(grep -c '^  position [0-9]* -*0x' "$out/kept.txt")" = 256 ] && [ "$(grep -c '^  velocity' "$out/kept.txt")" = 256 ]
  verdict "the state that differs is written as text" $? "$(head -n 3 "$out/kept.txt")"
}

# The time is shown; what fails is a call that does.
check_costs() { # COMMAND
  detail=$($1 costs)
  verdict "rollbacks are measured" $? "$detail"
  echo "$detail"
}

# Both sides dump the state of the frame that differs.
check_dumps() { # COMMAND COMMAND
  play "$1" "$2" "--frames 600 --dump $out/0.image" "--frames 600 --dump $out/1.image --corrupt 300"
  detail=$($1 compare "$out/0.image" "$out/1.image")
  [ $? = 1 ] && echo "$detail" | grep -q "^position of particle [0-9]*, [xyz]: "
  verdict "dumps of a desync show the first field that differs" $? "$detail"
  $1 compare "$out/0.image" "$out/0.image"
  verdict "a dump does not differ from itself" $? "it does"
}

check_player() { # NAME PLAYER FRAMES
  in_range "$1, player $2: hashes compared" "$(value $2 hashes)" $(($3 + 1)) $(($3 + 1))
  in_range "$1, player $2: rollbacks" "$(value $2 rollbacks)" $(($3 / 100)) "$3"
  in_range "$1, player $2: deepest rollback" "$(value $2 deepest)" 3 10
  sent=$(value $2 sent)
  lost=$(value $2 lost)
  in_range "$1, player $2: lost [%]" $((100 * ${lost:-0} / ${sent:-1})) 15 25
}

check_equal_game() { # NAME FRAMES COMMAND_0 COMMAND_1 OPTIONS
  start=$(date +%s)
  play "$3" "$4" "--frames $2 $5" "--frames $2 $5"
  cat "$out/0.log" "$out/1.log"
  echo "$1: $(($(date +%s) - start)) s"
  [ $status_0 = 0 ] && [ $status_1 = 0 ]
  verdict "$1: both end well" $? "status $status_0 and $status_1"
  [ -n "$(value 0 hash)" ] && [ "$(value 0 hash)" = "$(value 1 hash)" ]
  verdict "$1: equal hashes at the end" $? "'$(value 0 hash)' and '$(value 1 hash)'"
}

check_bad_network() { # NAME FRAMES COMMAND_0 COMMAND_1 OPTIONS
  check_equal_game "$@"
  check_player "$1" 0 "$2"
  check_player "$1" 1 "$2"
}

# What arrives late and is taken back must leave no trace: the same game on a perfect network ends the same.
check_same_end() { # NAME HASH
  [ "$(value 0 hash)" = "$2" ]
  verdict "$1 ends as on a perfect network" $? "'$(value 0 hash)' instead of '$2'"
}

# The random frames of tests/stress.c, whose images are read back on the machine that runs it.
check_random_frames() { # NAME COMPILER RUN FLAGS...
  name=$1
  compiler=$2
  run=$3
  shift 3
  "$compiler" $flags "$@" tests/stress.c cloth.c -lm -o "$out/stress-$name" &&
    $run "$out/stress-$name" $stress_frames >"$out/stress.log"
  verdict "random frames on $name" $? "$(tail -n 5 "$out/stress.log")"
  grep 'hash of all states' "$out/stress.log" >"$out/stress-$name.line"
  cmp -s "$out/stress-x86.line" "$out/stress-$name.line"
  verdict "random frames on $name are those on x86" $? "$(cat "$out/stress-$name.line")"
}

check_refusal() { # NAME OPTIONS_1 WHAT
  play "$out/x86" "$out/x86" "--frames 600" "--frames 600 $2"
  [ $status_0 = 1 ] && [ $status_1 = 1 ]
  verdict "$1: both end with 1" $? "status $status_0 and $status_1"
  grep -q "$3" "$out/0.log" && grep -q "$3" "$out/1.log"
  verdict "$1: both say so" $? "no '$3' in '$(cat "$out/0.log" "$out/1.log")'"
}

# Who waits for the other side repeats what he said, also while he hears something all the time.
check_repetition() { # NAME COMMAND
  port=$((port + 2))
  $2 0 $port $((port + 1)) --loss 20 >"$out/0.log" 2>&1 &
  player_0=$!
  told=$(node tests/lockstep_deaf.js $((port + 1)) $port)
  kill $player_0
  wait $player_0 2>/dev/null
  in_range "$1" "$told" 10 10000
}

build x86 gcc
build aarch64 aarch64-linux-gnu-gcc -static
build s390x s390x-linux-gnu-gcc -static
aarch64="qemu-aarch64 $out/aarch64"
s390x="qemu-s390x $out/s390x"
bad="--grid 8x8 --loss 20 --delay 3 --reorder 10"

check_equal_game "perfect network" "$frames" "$out/x86" "$out/x86" "--grid 8x8 --loss 0 --delay 0 --reorder 0"
perfect=$(value 0 hash)
check_bad_network "x86 and x86" 900 "$out/x86" "$out/x86" "--grid 16x16 --seed 2"
check_bad_network "x86 and AArch64" "$frames" "$out/x86" "$aarch64" "$bad"
check_same_end "x86 and AArch64" "$perfect"
check_bad_network "s390x and x86" "$frames" "$s390x" "$out/x86" "$bad"
check_same_end "s390x and x86" "$perfect"
check_refusal "a state disturbed at frame 300" "--corrupt 300" "desync at frame 301"
check_refusal "another config" "--grid 16x15" "do not agree on: config"
check_flipped "flipped bits" 900 "$out/x86" "$s390x" "--grid 8x8 --loss 5 --flip 5"
check_restart "$out/x86"
build wrong clang --target=aarch64-linux-gnu -freciprocal-math -static
check_wrong_build "$out/x86" "qemu-aarch64 $out/wrong"
check_sync "$out/x86"
check_dumps "$out/x86" "$s390x"
check_costs "$out/x86"
check_repetition "a player who is not understood repeats himself" "$out/x86"
check_random_frames x86 gcc ""
check_random_frames aarch64 aarch64-linux-gnu-gcc qemu-aarch64 -static
check_random_frames s390x s390x-linux-gnu-gcc qemu-s390x -static

report
