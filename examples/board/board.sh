#!/bin/sh
# Builds the flag for two boards and for this machine, and runs it: on QEMU's boards and here.
#
#   sh examples/board/board.sh BUILD                       both boards, shown
#   sh examples/board/board.sh BUILD run BOARD [FLAGS]     one of m7, m55, host: its output, then "ram:" and "status:"
#
# The emulated processors execute an instruction every 2 ns, so a frame has room for 8.3 million of them: about as many as
# a Cortex-M7 of 480 MHz has cycles. They sleep without waiting, hence a second of the boards takes less than one here.
set -u
out=$1/board
task=${2:-both}
here=examples/board
boards=port/boards
mkdir -p "$out"

warnings="-Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror"
flags="-std=gnu99 -O2 -ffp-contract=off -fno-math-errno $warnings -I."
sources="cloth.c $here/main.c $here/flag.c $here/print.c"
arm="-ffreestanding -mthumb -mfloat-abi=hard $here/machine_cortex_m.c $boards/start_cortex_m.c $boards/memory.c
  -nostdlib -static -lgcc -L$here -L$boards"
qemu="qemu-system-arm -display none -monitor none -serial none -semihosting-config enable=on,target=native
  -icount shift=1,sleep=off"

# Unquoted: lists of flags.
build() { # BOARD PROGRAM FLAGS
  case $1 in
  m7)
    arm-none-eabi-gcc $flags $3 -mcpu=cortex-m7 -mfpu=fpv5-d16 -DMACHINE_HZ=25000000 \
      '-DCLOTH_PORT="examples/board/port.h"' $sources $arm -T$here/mps2_64k.ld -o "$2"
    ;;
  m55)
    arm-none-eabi-gcc $flags $3 -mcpu=cortex-m55 -mfpu=auto -DMACHINE_HZ=32000000 \
      '-DCLOTH_PORT="examples/board/port.h"' $sources $arm -T$here/mps3_an547_64k.ld -o "$2"
    ;;
  host)
    ${CC:-cc} $flags $3 '-DCLOTH_PORT="examples/board/port.h"' $sources $here/machine_host.c $boards/hosted.c -o "$2"
    ;;
  esac
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
  program=$out/$1$(echo "$2" | tr -dc 'A-Z0-9')
  build "$1" "$program" "$2" && run "$1" "$program"
  status=$?
  [ "$1" = host ] || show_ram "$program"
  echo "status: $status"
  return $status
}

if [ "$task" = run ]; then
  build_and_run "$3" "${4:-}"
else
  for board in m7 m55; do
    [ $board = m7 ] && echo "Cortex-M7 (QEMU's mps2-an500)" || echo "Cortex-M55 with Helium (QEMU's mps3-an547)"
    build_and_run $board "" || exit 1
    echo
  done
fi
