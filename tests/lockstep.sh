#!/bin/sh
# Builds examples/lockstep for x86-64, AArch64 and big-endian s390x, lets two, three and four of them play over a bad
# network, the foreign ones under QEMU, and checks that they stay equal, and that it shows when they do not. The last
# line is "N passed, N failed".
# $1: build directory. $2: frames of the games with emulated machines, 450 if not given.
set -u
build=$1
out=$build/lockstep
frames=${2:-450}
mkdir -p "$out"
. tests/verdict.sh
port=$((20000 + $$ % 20000))
flags="-std=gnu99 -O2 -ffp-contract=off -fno-math-errno -Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -I."
port_taken=3
unused_port=9
three_frames=450
limit="timeout 300" # of a game, should nobody end it

# The library of a machine, most of them those of other tests.
library_of() { # NAME
  case $1 in
  x86) echo "$build/libcloth.a" ;;
  s390x | aarch64) echo "$build/libraries/$1.o" ;;
  *) echo "$out/$1.o" ;;
  esac
}

compile_library() { # NAME COMPILER FLAGS...
  object=$(library_of "$1")
  shift
  compiler=$1
  shift
  "$compiler" $flags -O1 "$@" -c cloth.c -o "$object"
  verdict "$compiler compiles the library" $? "see above"
}

build_example() { # NAME COMPILER FLAGS...
  name=$1
  compiler=$2
  shift 2
  "$compiler" $flags "$@" examples/lockstep/*.c "$(library_of "$name")" -o "$out/$name"
  verdict "$compiler builds the example" $? "see above"
}

# The arguments of a player: the number, the port of its own and those of the others.
ports_of() { # PLAYER PLAYERS
  others=
  n=0
  while [ $n -lt "$2" ]; do
    [ $n = "$1" ] || others="$others $((port + n))"
    n=$((n + 1))
  done
  echo "$1 $((port + $1))$others"
}

# Starts players, numbered by the order of their commands, on ports of their own. The process numbers are in $pids.
start() { # OPTIONS OPTIONS_OF_THE_LAST COMMAND...
  options=$1
  last_options=$2
  shift 2
  players=$#
  port=$((port + players))
  player=0
  pids=
  for command; do
    [ $player -lt $((players - 1)) ] || options="$options $last_options"
    $limit $command $(ports_of $player $players) $options >"$out/$player.log" 2>&1 &
    pids="$pids $!"
    player=$((player + 1))
  done
}

# Waits for those that were started. What they ended with is in $statuses, separated by spaces.
finish() {
  statuses=
  for pid in $pids; do
    wait $pid
    statuses="$statuses $?"
  done
  statuses=${statuses# }
}

# A game. If a port is taken, all wait for that player in vain, and move on.
play() { # OPTIONS OPTIONS_OF_THE_LAST COMMAND...
  for attempt in 1 2 3 4; do
    start "$@"
    finish
    case " $statuses " in
    *" $port_taken "*) ;;
    *) return ;;
    esac
  done
}

all_end_with() { # NAME STATUS
  for status in $statuses; do
    [ "$status" = "$2" ] || break
  done
  [ "$status" = "$2" ]
  verdict "$1: all end with $2" $? "status $statuses"
}

# What each player says, in their order; "" for one who need not say anything.
all_say() { # NAME WHAT_0 WHAT_1...
  name=$1
  shift
  player=0
  missing=
  for what; do
    [ -z "$what" ] || grep -q -e "$what" "$out/$player.log" || missing="$missing '$(cat "$out/$player.log")'"
    player=$((player + 1))
  done
  [ -z "$missing" ]
  verdict "$name: all say so" $? "not in$missing"
}

value() { # PLAYER NAME
  sed -n "s/^player $1: .*$2 \([0-9a-f]*\).*/\1/p" "$out/$1.log"
}

in_range() { # NAME VALUE LOW HIGH
  [ "${2:-0}" -ge "$3" ] && [ "${2:-0}" -le "$4" ]
  verdict "$1" $? "${2:-nothing} is not in $3..$4"
}

# Packets of which one bit is changed are known as such, and count as lost.
check_flipped() { # NAME FRAMES OPTIONS COMMAND...
  check_equal_game "$@"
  player=0
  while [ $player -lt $players ]; do
    in_range "$1, player $player: damaged packets" "$(value $player flipped)" $(($2 / 50)) $(($2 * (players - 1)))
    player=$((player + 1))
  done
}

# Three play, and the second is stopped in the middle of the game.
stop_in_the_middle() { # COMMAND SECONDS OPTIONS
  start "--fps 200 --frames 100000 $3" "" "$1" "$1" "$1"
  sleep "$2"
  set -- $pids
  pids="$1 $3"
  kill $2
  wait $2 2>/dev/null
  stopped=$(date +%s)
}

# He is started again: he and the others are told, if not by him then by the other who has ended the game.
check_restart() { # COMMAND
  stop_in_the_middle "$1" 2 ""
  $limit $1 $(ports_of 1 3) --frames 100000 >"$out/1.log" 2>&1 &
  pids="$pids $!"
  finish
  in_range "a player who starts anew: all end at once [s]" $(($(date +%s) - stopped)) 0 3
  all_end_with "a player who starts anew" 1
  seen="player 1 has started anew\\|because of player 1"
  all_say "a player who starts anew" "$seen" "player [02] is in a game already" "$seen"
}

# He is not: the others name him.
check_silence() { # COMMAND
  stop_in_the_middle "$1" 1 "--timeout 2"
  finish
  in_range "a player who is gone: all end in time [s]" $(($(date +%s) - stopped)) 2 5
  all_end_with "a player who is gone" 1
  seen="player 1 has not been heard\\|because of player 1"
  all_say "a player who is gone" "$seen" "" "$seen"
}

# A build that computes otherwise refuses, and tells the others why.
check_wrong_build() { # COMMAND WRONG_COMMAND
  play "" "" "$1" "$1" "$2"
  all_end_with "a wrong build" 1
  refused="player 2 .* self-test gives EXCESS_PRECISION"
  # Whoever hears first ends the game, and may tell the other before the third does.
  told="$refused\\|because of player 2"
  all_say "a wrong build" "$told" "$told" "the self-test gives EXCESS_PRECISION"
}

# Every frame played again from a state of eight frames before, and a disturbed one found.
check_sync() { # COMMAND
  detail=$($1 sync 8 --frames 900 --players 4)
  verdict "frames played again lead to the same states" $? "$detail"
  detail=$($1 sync 8 --frames 300 --corrupt 100 --dump "$out/kept.txt")
  [ $? = 1 ] && echo "$detail" | grep -q "^frame 101 differs .*: position of particle [0-9]*, [xyz]: "
  verdict "the first field that differs is named" $? "$detail"
  [ "$(grep -c '^  position [0-9]* -*0x' "$out/kept.txt")" = 256 ] && [ "$(grep -c '^  velocity' "$out/kept.txt")" = 256 ]
  verdict "the state that differs is written as text" $? "$(head -n 3 "$out/kept.txt")"
}

# Wrong arguments end the program with status 2, and its first line tells which.
check_argument() { # COMMAND ARGUMENTS LINE
  detail=$($1 $2 2>&1)
  [ $? = 2 ] && [ "$(echo "$detail" | head -n 1)" = "$3" ]
  verdict "arguments $2" $? "$(echo "$detail" | head -n 1), not $3"
}

check_arguments() { # COMMAND
  check_argument "$1" "nonsense 7000 7001" "player nonsense: not 0..3"
  check_argument "$1" "2 7000 7001" "player 2: not 0..1"
  check_argument "$1" "0 7000" "ports: there are too few"
  check_argument "$1" "0 1 2 3 4 5" "port 5: there are too many"
  check_argument "$1" "0 7000 x" "port x: not 1..65535"
  check_argument "$1" "0 7000 7001 7000" "port 7000: twice"
  check_argument "$1" "0 7000 7001 --lost 1" "--lost: no such option"
  check_argument "$1" "0 7000 7001 --loss 95" "--loss 95: not 0..90"
  check_argument "$1" "0 7000 7001 --loss" "--loss: without a value"
  check_argument "$1" "0 7000 7001 --grid 16" "--grid 16: not as 16x16"
  check_argument "$1" "0 7000 7001 --players 3" "--players: not as many as ports"
  check_argument "$1" "sync" "sync: not 1..60"
  check_argument "$1" "sync 8 --seed -1" "--seed -1: not 0..1073741824"
  check_argument "$1" "compare one" "compare: needs two images"
  check_argument "$1" "costs 1" "1: costs takes no argument"
}

# The time is shown; what fails is a call that does.
check_costs() { # COMMAND
  detail=$($1 costs)
  verdict "rollbacks are measured" $? "$detail"
  echo "$detail"
}

# Both sides dump the state of the frame that differs.
check_dumps() { # COMMAND COMMAND
  rm -f "$out"/[01].image
  play "--frames 600 --dump $out/0.image" "--dump $out/1.image --corrupt 100" "$1" "$2"
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

check_equal_game() { # NAME FRAMES OPTIONS COMMAND...
  name=$1
  options="--frames $2 $3"
  shift 3
  start=$(date +%s)
  play "$options" "" "$@"
  echo "$name: $(($(date +%s) - start)) s"
  all_end_with "$name" 0
  player=0
  while [ $player -lt $players ]; do
    cat "$out/$player.log"
    [ -n "$(value 0 hash)" ] && [ "$(value 0 hash)" = "$(value $player hash)" ]
    verdict "$name: equal hashes at the end" $? "'$(value 0 hash)' and '$(value $player hash)' of player $player"
    player=$((player + 1))
  done
}

check_bad_network() { # NAME FRAMES OPTIONS COMMAND...
  check_equal_game "$@"
  player=0
  while [ $player -lt $players ]; do
    check_player "$1" $player "$2"
    player=$((player + 1))
  done
}

# What arrives late and is taken back must leave no trace: the same game on a perfect network ends the same.
check_same_end() { # NAME HASH
  [ "$(value 0 hash)" = "$2" ]
  verdict "$1 ends as on a perfect network" $? "'$(value 0 hash)' instead of '$2'"
}

# The state of the last of three players is disturbed: each pair that differs sees it.
check_desync() { # COMMAND
  play "--frames 600" "--corrupt 300" "$1" "$1" "$1"
  all_end_with "a state disturbed at frame 300" 1
  seen="desync at frame 301: .* of player"
  all_say "a state disturbed at frame 300" "$seen 2" "$seen 2" "$seen [01]"
}

# The second player differs from the first.
check_disagreement() { # NAME OPTIONS_OF_THE_SECOND WHAT COMMAND
  play "" "$2" "$4" "$4"
  all_end_with "$1" 1
  all_say "$1" "player 1 does not agree on: $3" "player 0 does not agree on: $3"
}

# Who waits for the other side repeats what he said, also while he hears something all the time.
check_repetition() { # NAME COMMAND
  port=$((port + 2))
  $2 $(ports_of 0 2) --loss 20 >"$out/0.log" 2>&1 &
  player_0=$!
  told=$(node tests/lockstep_deaf.js $((port + 1)) $port)
  kill $player_0
  wait $player_0 2>/dev/null
  in_range "$1" "$told" 10 10000
}

make_targets "$build" "$(library_of x86)" "$(library_of s390x)"
make_targets "$build" "$(library_of aarch64)"
verdict "clang compiles the library" $? "see above"
build_example x86 gcc
build_example aarch64 aarch64-linux-gnu-gcc -static
build_example s390x s390x-linux-gnu-gcc -static
aarch64="qemu-aarch64 $out/aarch64"
s390x="qemu-s390x $out/s390x"
good="--grid 8x8 --loss 0 --delay 0 --reorder 0"
bad="--grid 8x8 --loss 20 --delay 3 --reorder 10"

check_equal_game "perfect network" "$frames" "$good" "$out/x86" "$out/x86"
perfect=$(value 0 hash)
check_bad_network "x86 and x86" 900 "--grid 16x16 --seed 2" "$out/x86" "$out/x86"
check_bad_network "x86 and AArch64" "$frames" "$bad" "$out/x86" "$aarch64"
check_same_end "x86 and AArch64" "$perfect"
check_bad_network "s390x and x86" "$frames" "$bad" "$s390x" "$out/x86"
check_same_end "s390x and x86" "$perfect"
check_bad_network "three: x86, AArch64 and s390x" $three_frames "$bad" "$out/x86" "$aarch64" "$s390x"
check_equal_game "four, perfect network" 900 "$good" "$out/x86" "$out/x86" "$out/x86" "$out/x86"
perfect=$(value 0 hash)
check_bad_network "four, with flipped bits" 900 "$bad --flip 3" "$out/x86" "$out/x86" "$out/x86" "$out/x86"
check_same_end "four, with flipped bits" "$perfect"
check_desync "$out/x86"
check_disagreement "another config" "--grid 16x15" "config" "$out/x86"
check_disagreement "another port, and so another player" "$unused_port" "number of players" "$out/x86"
check_flipped "flipped bits" 450 "--grid 8x8 --loss 5 --flip 5" "$out/x86" "$s390x"
check_restart "$out/x86"
check_silence "$out/x86"
# It never comes to a step: without what the example does not call it compiles in a third of the time.
without=""
for part in SELF MESH HULL HEIGHT_FIELD DISTANCE_GRID SHARED_BODIES SKIN BLEND GROUPS SEAMS TEARING SETTLE SLEEP TARGETS \
  REST_SHAPE MASK QUERIES BODIES WRAP; do
  without="$without -DCLOTH_NO_$part"
done
compile_library wrong clang --target=aarch64-linux-gnu -freciprocal-math $without
build_example wrong clang --target=aarch64-linux-gnu -static
check_wrong_build "$out/x86" "qemu-aarch64 $out/wrong"
check_arguments "$out/x86"
check_sync "$out/x86"
check_dumps "$out/x86" "$s390x"
check_costs "$out/x86"
check_repetition "a player who is not understood repeats himself" "$out/x86"

report
