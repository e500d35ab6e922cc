#!/bin/sh
# Builds the flag for two boards and for this machine, and runs it: on QEMU's boards and here.
#
#   sh examples/board/board.sh BUILD                       both boards, shown
#   sh examples/board/board.sh BUILD run BOARD [FLAGS]     one of m7, m55, host: its output, then "ram:" and "status:"
#
# The emulated processors execute an instruction every 2 ns (BOARD_SHIFT=1; every 4 ns with 2, and so on), so a frame has
# room for 8.3 million of them: about as many as a Cortex-M7 of 480 MHz has cycles. They sleep without waiting, hence a
# second of the boards takes less than one here.
set -u
out=$1/board
task=${2:-both}
here=examples/board
boards=port/boards
mkdir -p "$out"

warnings="-Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror"
flags="-std=gnu99 -ffp-contract=off -fno-math-errno $warnings -I."
port='-DCLOTH_PORT="examples/board/port.h"'
# What the flag does not call: without it compilers take two fifths of the time, and hashes are the same.
without=""
for part in SELF MESH HULL HEIGHT_FIELD DISTANCE_GRID SHARED_BODIES SKIN BLEND GROUPS SEAMS TEARING IMAGE SETTLE \
  SLEEP MOVE_FRAME ORIGIN TARGETS REST_SHAPE MASK QUERIES BODIES WRAP; do
  without="$without -DCLOTH_NO_$part"
done
sources="$here/main.c $here/flag.c $here/print.c"
arm="arm-none-eabi-gcc -ffreestanding -ffunction-sections -mthumb -mfloat-abi=hard"
arm_sources="$here/machine_cortex_m.c $boards/start_cortex_m.c $boards/memory.c"
arm_ending="-nostdlib -static -Wl,--gc-sections -lgcc -L$here -L$boards"
qemu="qemu-system-arm -display none -monitor none -serial none -semihosting-config enable=on,target=native
  -icount shift=${BOARD_SHIFT:-1},sleep=off"

# Sets compiler, level of optimisation, board_sources and ending. Here a run takes less time than to compile at -O2.
read_board() { # BOARD
  board_sources=$arm_sources
  level=-O2
  case $1 in
  m7)
    compiler="$arm -mcpu=cortex-m7 -mfpu=fpv5-d16 -DMACHINE_HZ=25000000"
    ending="$arm_ending -T$here/mps2_64k.ld"
    ;;
  m55)
    compiler="$arm -mcpu=cortex-m55 -mfpu=auto -DMACHINE_HZ=32000000"
    ending="$arm_ending -T$here/mps3_an547_64k.ld"
    ;;
  host)
    compiler=${CC:-cc}
    level=-O1
    board_sources="$here/machine_host.c $boards/hosted.c"
    ending=""
    ;;
  esac
}

# The library is compiled again only if something is newer. Unquoted: lists of flags.
build() { # BOARD PROGRAM FLAGS
  read_board "$1"
  library=$out/cloth-$1.o
  if [ ! -e "$library" ] || [ -n "$(find cloth.c cloth.h port $here -newer "$library")" ]; then
    $compiler $flags $level $port $without -c cloth.c -o "$library" || return
  fi
  $compiler $flags $level $3 "$library" $sources $board_sources $ending -o "$2"
}

run() { # BOARD PROGRAM
  case $1 in
  m7) timeout 120 $qemu -M mps2-an500 -kernel "$2" </dev/null 2>&1 ;;
  m55) timeout 120 $qemu -M mps3-an547 -kernel "$2" </dev/null 2>&1 ;;
  host) "$2" ;;
  esac
}

# Writable data, zeroed data and the stack: all the RAM there is in the program.
show_ram() { # PROGRAM
  size -A "$1" | awk '
    /^\.text/ { code = $2 }
    /^\.data/ { data = $2 }
    /^\.bss/ { bss = $2 }
    /^\.stack/ { stack = $2 }
    END {
      printf "ram: %d bytes of 65536: data %d, bss %d, stack %d; code and constants %d\n",
        data + bss + stack, data, bss, stack, code
    }'
}

build_and_run() { # BOARD FLAGS
  program=$out/$1$(echo "$2" | tr -dc 'A-Z0-9')${BOARD_SHIFT:-}
  build "$1" "$program" "$2" && run "$1" "$program"
  status=$?
  [ "$1" = host ] || show_ram "$program"
  echo "status: $status"
  return $status
}

hash_of() { # LOG
  sed -n 's/^frame .* hash //p' "$1" | tail -n 1
}

# Both boards, shown; then whether this machine comes to the same hash.
show_boards() {
  build_and_run host "" >"$out/host.txt" || exit 1
  for board in m7 m55; do
    [ $board = m7 ] && echo "Cortex-M7 (QEMU's mps2-an500)" || echo "Cortex-M55 with Helium (QEMU's mps3-an547)"
    build_and_run $board "" >"$out/$board.txt"
    status=$?
    cat "$out/$board.txt"
    [ $status = 0 ] || exit 1
    [ "$(hash_of "$out/$board.txt")" = "$(hash_of "$out/host.txt")" ] && word="the same" || word="another"
    echo "this machine: $word hash"
    echo
  done
}

if [ "$task" = run ]; then
  build_and_run "$3" "${4:-}"
else
  show_boards
fi
