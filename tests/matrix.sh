#!/bin/sh
# Builds tests/matrix.c for many machines, by every compiler and at many levels, runs it, and compares what it prints:
# a line for every cell, then "M cells, 1 hash". Where a hash differs it names the first stage of a step that does. Also
# runs tests/lanes.c on every vector unit. The last line is "N passed, N failed".
#
#   sh tests/matrix.sh BUILD [short|full]                short: every machine, mostly one level; full: four levels
#   sh tests/matrix.sh BUILD cell NAME COMPILER LEVEL    one cell, as in: cell aarch64-neon clang -O3
#   sh tests/matrix.sh BUILD lanes NAME COMPILER LEVEL   tests/lanes.c as that cell
#
# The hashes of the scenes are known, as those of golden.c: with another arithmetic, or other scenes, new ones are put
# here in the same change.
known="small d98c0f2df9526b6b full 1f0124a60c76852f equation 287e8e862a4ce086"
set -u
build=$1
task=${2:-short}
out=$build/matrix
boards=port/boards
# Without -ffp-contract=off, which other tests have: what cloth.c says in its source has to suffice.
flags="-std=gnu99 -ffreestanding -fno-math-errno"
traced_flags='-DMATRIX_TRACE -DCLOTH_PORT="tests/matrix_port.h"'
reference="cell x86-64-sse2 gcc -O0"
mkdir -p "$out"

### What there is

# Without AVX2 in this machine, all of x86-64 is emulated.
native=""
grep -q avx2 /proc/cpuinfo && grep -q fma /proc/cpuinfo || native="qemu-x86_64 -cpu max"
arm="qemu-system-arm -display none -monitor none -serial none -semihosting-config enable=on,target=native"
riscv="-M virt -bios none -display none -monitor none -serial stdio -kernel"

# win32: Wine for 32 bits needs packages of another architecture. Instead a Windows program that calls Linux, its image
# copied into an ELF file, shows what compilers for Windows do.
# machine | board, linker script | runner | gcc | clang
machines() {
  cat <<END
x86-64    | start_linux                      | $native | gcc | clang
hosted    | hosted                           | $native | gcc | clang -fuse-ld=lld
i386      | start_linux                      | qemu-i386 | i686-linux-gnu-gcc | clang --target=i686-linux-gnu
aarch64   | start_linux                      | qemu-aarch64 | aarch64-linux-gnu-gcc | clang --target=aarch64-linux-gnu
armv7     | start_linux                      | qemu-arm | arm-linux-gnueabihf-gcc | clang --target=armv7a-linux-gnueabihf
armv6     | start_linux                      | qemu-arm -cpu arm1176 | arm-none-eabi-gcc -marm | clang --target=armv6-linux-gnueabihf
riscv64   | start_linux                      | qemu-riscv64 | riscv64-linux-gnu-gcc | clang --target=riscv64-linux-gnu
s390x     | start_linux                      | qemu-s390x | s390x-linux-gnu-gcc | clang --target=s390x-linux-gnu
ppc64     | start_linux                      | qemu-ppc64 | powerpc64-linux-gnu-gcc | clang --target=powerpc64-linux-gnu
powerpc   | start_linux                      | qemu-ppc | powerpc-linux-gnu-gcc | clang --target=powerpc-linux-gnu
mips      | start_linux                      | qemu-mips | mips-linux-gnu-gcc | clang --target=mips-linux-gnu
sh4       | start_linux                      | qemu-sh4 | sh4-linux-gnu-gcc |
an385     | start_cortex_m, mps2.ld          | $arm -M mps2-an385 -kernel | arm-none-eabi-gcc -mthumb | clang --target=arm-none-eabi
an386     | start_cortex_m, mps2.ld          | $arm -M mps2-an386 -kernel | arm-none-eabi-gcc -mthumb | clang --target=arm-none-eabi
an500     | start_cortex_m, mps2.ld          | $arm -M mps2-an500 -kernel | arm-none-eabi-gcc -mthumb | clang --target=arm-none-eabi
an505     | start_cortex_m, mps2_an505.ld    | $arm -M mps2-an505 -kernel | arm-none-eabi-gcc -mthumb | clang --target=arm-none-eabi
an547     | start_cortex_m, mps3_an547.ld    | $arm -M mps3-an547 -kernel | arm-none-eabi-gcc -mthumb -mfpu=auto | clang --target=arm-none-eabi
virt32    | start_riscv, riscv.ld            | qemu-system-riscv32 $riscv | riscv64-unknown-elf-gcc | clang --target=riscv32-unknown-elf
virt64    | start_riscv, riscv.ld            | qemu-system-riscv64 $riscv | riscv64-unknown-elf-gcc | clang --target=riscv64-unknown-elf
wasm      | start_wasm                       | node $boards/run_wasm.mjs | | clang --target=wasm32
win64     | start_windows                    | sh tests/wine.sh $build/wine | x86_64-w64-mingw32-gcc | clang --target=x86_64-w64-mingw32
win32     | start_linux                      | qemu-i386 | i686-w64-mingw32-gcc | clang --target=i686-w64-mingw32
msvc      | start_windows                    | sh tests/wine.sh $build/wine | | clang --target=x86_64-pc-windows-msvc
END
}

# cell | machine | levels of GCC and clang in the short matrix, - for none | lanes.c runs? | flags
# In the short matrix every kind of lanes, both byte orders, every arithmetic (in hardware, by the compiler's library, with
# fused multiply-adds at hand, with subnormal numbers flushed) and every level have a cell, in the five minutes of a
# processor that make test has for it; the full one has every cell at every level.
# Lanes of one float have the cells of M0, M7, RV64 and s390x; GCC at -O2 has golden.c, known_scenes.c and known_histories.c
# with SSE2, and board.sh on a Cortex-M7 and, with Helium, on a Cortex-M55, whose hashes are those of x86-64.
# GCC 12 for SH4 reverses branches on >= and <= as soon as it optimises, so there is but one level to compare.
# win64-scalar: clang 14 packs scalars of clamp_length() into lanes and squares the lanes that hold none of them, too.
# Those may be subnormal, which raises the flag that the scenes check, and nothing reads them; so without that packing.
# wasm-simd: clang 14 reads what its own vectoriser gathers too late, see docs/determinism.md.
# At -Os clang 14 ends with a fault of its own on Helium.
# m0-small: what the small scenes call, and nothing else of the library.
# msvc: clang in its Microsoft mode. msvc-only: with the macros of Microsoft's own compiler alone, so without attributes
# and inline assembly, and without rules of aliasing, as that compiler has none.
cells() {
  cat <<END
x86-64-scalar  | x86-64   | -        |       | -DCLOTH_SCALAR
x86-64-sse2    | x86-64   | -O0 -    | lanes |
x86-64-avx2    | x86-64   | -        | lanes | -mavx2
x86-64-fma     | x86-64   | -        |       | -mavx2 -mfma
x86-64-lto     | hosted   | -        |       | -flto
x86-64-flush   | x86-64   | -        |       | -DMATRIX_FLUSH
fma-flush      | x86-64   | -O3 -Os  |       | -DMATRIX_FLUSH -mavx2 -mfma
i386-sse2      | i386     | -        |       | -msse2 -mfpmath=sse
aarch64-scalar | aarch64  | -        |       | -DCLOTH_SCALAR
aarch64-neon   | aarch64  | -Os -    | lanes |
aarch64-flush  | aarch64  | -        |       | -DMATRIX_FLUSH
armv7-scalar   | armv7    | -        |       | -march=armv7-a -mfpu=vfpv3-d16 -mfloat-abi=hard -DCLOTH_SCALAR
armv7-neon     | armv7    | - -Os    | lanes | -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard
armv6-vfp      | armv6    | -        |       | -march=armv6 -mfpu=vfp -mfloat-abi=hard
m0-small       | an385    | -Os -    |       | -mcpu=cortex-m0 -mfloat-abi=soft -DMATRIX_SMALL -DCLOTH_API=static -Wno-unused-function
m0             | an385    | -        |       | -mcpu=cortex-m0 -mfloat-abi=soft
m3             | an385    | -        |       | -mcpu=cortex-m3 -mfloat-abi=soft
m4f            | an386    | -        |       | -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16
m7             | an500    | -Os -    |       | -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16
m33            | an505    | -        |       | -mcpu=cortex-m33 -mfloat-abi=hard -mfpu=fpv5-sp-d16
m55-scalar     | an547    | -        |       | -mcpu=cortex-m55+nomve -mfloat-abi=hard
m55-helium     | an547    | - -O2    | lanes | -mcpu=cortex-m55 -mfloat-abi=hard
rv32im         | virt32   | -        |       | -march=rv32im -mabi=ilp32
rv32imf        | virt32   | -        |       | -march=rv32imf -mabi=ilp32f
rv64gc         | virt64   | - -Os    |       | -march=rv64gc -mabi=lp64d -mcmodel=medany
rv64gc-linux   | riscv64  | -        |       | -march=rv64gc -mabi=lp64d
s390x          | s390x    | -Os -    |       | -march=z14
ppc64          | ppc64    | -        |       |
powerpc        | powerpc  | -        |       |
mips           | mips     | -        |       |
sh4            | sh4      | only -O0 |       |
wasm-scalar    | wasm     | -        |       |
wasm-simd      | wasm     | -O3      | lanes | -msimd128 -fno-slp-vectorize -fno-vectorize
win64-scalar   | win64    | -        |       | -DCLOTH_SCALAR -fno-tree-slp-vectorize
win64-sse2     | win64    | -        |       |
win64-avx2     | win64    | -        |       | -mavx2
win32-sse2     | win32    | -        |       | -msse2 -mfpmath=sse
msvc-sse2      | msvc     | -        |       |
msvc-avx2      | msvc     | -        |       | -mavx2
msvc-only      | msvc     | -O2      | lanes | -U__clang__ -fno-strict-aliasing
END
}

field() { # NUMBER ROW
  echo "$2" | cut -d'|' -f"$1" | sed 's/^ *//; s/ *$//'
}

# Sets short_levels, lanes, cell_flags, machine, board, script, runner, gcc and clang.
read_cell() { # NAME
  row=$(cells | grep "^$1 ")
  short_levels=$(field 3 "$row")
  lanes=$(field 4 "$row")
  cell_flags=$(field 5 "$row")
  machine=$(field 2 "$row")
  row=$(machines | grep "^$machine ")
  board=$(field 2 "$row" | cut -d, -f1)
  script=$(field 2 "$row" | cut -s -d, -f2)
  runner=$(field 3 "$row")
  gcc=$(field 4 "$row")
  clang=$(field 5 "$row")
}

### One program

# Clang's objects are linked by the machine's GCC, which knows where its library of helpers is. The board is not what is
# tested: one level for all. For Microsoft's mode that is MinGW's GCC.
build_program() { # SOURCE NAME COMPILER LEVEL PROGRAM EXTRA-FLAGS
  read_cell "$2"
  [ "$3" = gcc ] && compiler=$gcc || compiler=$clang
  linker=$gcc
  ending="$boards/memory.c -nostdlib -static -lgcc"
  case $board in
  hosted) linker=$compiler ending="" ;;
  start_wasm) linker=$compiler ending="$boards/memory.c -nostdlib -Wl,--no-entry -Wl,-z,stack-size=65536" ;;
  start_windows) ending="$ending -lkernel32" ;;
  esac
  if [ "$machine" = msvc ]; then
    libraries=$(x86_64-w64-mingw32-gcc -print-file-name=libkernel32.a)
    libraries="$libraries $(x86_64-w64-mingw32-gcc -print-libgcc-file-name)"
    linker="$compiler -fuse-ld=lld"
    ending="$boards/memory.c -nostdlib -Wl,-subsystem:console -Wl,-alternatename:__chkstk=___chkstk_ms $libraries"
  fi
  [ -z "$script" ] || ending="$ending -L$boards -T$boards/${script# }"
  # Unquoted: lists of flags; those of the cell behind the level, which would undo -fno-tree-slp-vectorize.
  $compiler $flags $4 $cell_flags $6 -c "$1" -o "$5.o" &&
    $linker $flags $cell_flags -O2 "$5.o" "$boards/$board.c" $ending -o "$5" &&
    case $machine in
    win64) mv "$5.exe" "$5" ;;
    win32) i686-w64-mingw32-objcopy -O elf32-i386 "$5.exe" "$5" ;;
    esac
}

run_program() { # PROGRAM
  timeout 300 $runner "$1" </dev/null 2>&1
}

# Builds and runs, with all output and "status N" in a log.
attempt() { # SOURCE NAME COMPILER LEVEL PROGRAM EXTRA-FLAGS
  {
    build_program "$@" && run_program "$5"
    echo "status $?"
  } >"$5.log" 2>&1
}

# What stands after a word in a log, or "-".
value() { # WORD LOG
  found=$(sed -n "s/^$1 //p" "$2" | head -n 1)
  echo "${found:--}"
}

run_cell() { # NAME COMPILER LEVEL
  program=$out/cell-$1-$2$3
  attempt tests/matrix.c "$1" "$2" "$3" "$program" ""
  printf '%-15s %-5s %-3s %-8s %s %s %s\n' "$1" "$2" "$3" "$(value lanes "$program.log")" \
    "$(value 'hash small' "$program.log")" "$(value 'hash full' "$program.log")" "$(value 'hash equation' "$program.log")"
}

# With public functions static, compilers leave out what calls no operation of lanes.
run_lanes() { # NAME COMPILER LEVEL
  program=$out/lanes-$1-$2$3
  attempt tests/lanes.c "$1" "$2" "$3" "$program" "-DCLOTH_API=static -Wno-unused-function"
  printf '%-15s %-5s %-3s %-8s %s\n' "$1" "$2" "$3" lanes.c "$(grep ' passed, ' "$program.log" | tail -n 1)"
}

### Finding the difference

# Prints the stages of a traced run.
trace() { # SETS cell NAME COMPILER LEVEL
  program=$out/traced-$3-$4$5
  [ -e "$program.log" ] || attempt tests/matrix.c "$3" "$4" "$5" "$program" "$traced_flags"
  grep -E "^(stage|scene) ($1)/" "$program.log"
}

first_difference() { # SETS JOB
  trace "$1" $reference >"$out/expected"
  trace "$1" $2 >"$out/found"
  awk 'NR == FNR { expected[FNR] = $0; next }
    expected[FNR] != $0 { print "expected " expected[FNR]; print "found    " $0; different = 1; exit }
    END {
      if (!different)
        print (NR == 2 * FNR ? "the traced builds agree" : "one of the traced builds ends early")
    }' "$out/expected" "$out/found"
}

# Says why something failed; cells that failed alike are explained once.
explain() { # JOB LOG
  hashes="$(value 'hash small' "$2") $(value 'hash full' "$2") $(value 'hash equation' "$2")"
  grep '^failed' "$2" | head -n 3
  if [ "$hashes" = "- - -" ]; then
    tail -n 4 "$2"
  elif [ "$hashes" = "$small $full $equation" ]; then
    echo "status $(value status "$2")"
  elif grep -q "^$hashes " "$out/explained"; then
    echo "as $(sed -n "s/^$hashes //p" "$out/explained")"
  elif [ "${hashes#* }" = "- -" ]; then
    first_difference small "$1"
  else
    first_difference 'small|full|equation' "$1"
  fi
  grep -q "^$hashes " "$out/explained" || echo "$hashes $1" >>"$out/explained"
}

### All of them

levels_of() { # gcc|clang
  case $short_levels in
  only*)
    [ "$task" != full ] || echo "${short_levels#only }"
    return
    ;;
  esac
  if [ "$task" = full ]; then
    echo "-O0 -O2 -O3 -Os"
  elif [ -z "$gcc" ] || [ -z "$clang" ]; then
    echo "$short_levels" | sed 's/^-$//'
  elif [ "$1" = gcc ]; then
    echo "${short_levels% *}" | sed 's/^-$//'
  else
    echo "${short_levels#* }" | sed 's/^-$//'
  fi
}

# Lines of "cell NAME COMPILER LEVEL" and "lanes ...".
list_jobs() {
  for name in $(cells | cut -d' ' -f1); do
    read_cell "$name"
    # Wine runs programs on this very processor.
    case $machine$cell_flags in
    win64*-mavx2* | msvc*-mavx2*)
      if [ -n "$native" ]; then
        echo "not run, as this processor has no AVX2: $name" >&2
        continue
      fi
      ;;
    esac
    for compiler in gcc clang; do
      eval "command=\$$compiler"
      [ -n "$command" ] || continue
      [ -z "$lanes" ] || echo "lanes $name $compiler -O2"
      for level in $(levels_of $compiler); do
        echo "cell $name $compiler $level"
      done
    done
  done
}

log_of() { # cell|lanes NAME COMPILER LEVEL
  echo "$out/$1-$2-$3$4.log"
}

cell_passes() { # NAME LOG
  [ "$(value status "$2")" = 0 ] || return 1
  [ "$(value 'hash small' "$2")" = "$small" ] || return 1
  read_cell "$1"
  case $cell_flags in
  *MATRIX_SMALL*) return 0 ;;
  esac
  [ "$(value 'hash full' "$2")" = "$full" ] && [ "$(value 'hash equation' "$2")" = "$equation" ]
}

lanes_pass() { # LOG
  [ "$(value status "$1")" = 0 ] && grep -q '^[0-9]* passed, 0 failed$' "$1"
}

judge() {
  failed=0
  count=0
  : >"$out/explained"
  small=$(value 'hash small' "$(log_of $reference)")
  full=$(value 'hash full' "$(log_of $reference)")
  equation=$(value 'hash equation' "$(log_of $reference)")
  passed=1
  found="small $small full $full equation $equation"
  if [ "$found" != "$known" ]; then
    passed=0
    failed=1
    echo "failed: the hashes are $found instead of $known"
  fi
  while read -r kind name compiler level; do
    job="$kind $name $compiler $level"
    log=$(log_of $job)
    case $kind in
    lanes) lanes_pass "$log" ;;
    *) count=$((count + 1)) && cell_passes "$name" "$log" ;;
    esac
    if [ $? = 0 ]; then
      passed=$((passed + 1))
      continue
    fi
    failed=$((failed + 1))
    explain "$job" "$log" | sed "s/^/failed: $job: /"
  done <"$out/jobs"
}

case $task in
cell) run_cell "$3" "$4" "$5" ;;
lanes) run_lanes "$3" "$4" "$5" ;;
*)
  rm -rf "$out"
  mkdir -p "$out"
  list_jobs >"$out/jobs"
  xargs -P 2 -L 1 sh "$0" "$build" <"$out/jobs"
  judge
  hashes=1
  for set in small full equation; do
    different=$(cat "$out"/cell-*.log | grep "^hash $set" | sort -u | wc -l)
    [ "$hashes" -ge "$different" ] || hashes=$different
  done
  [ "$hashes" = 1 ] && plural="" || plural=es
  echo "$count cells, $hashes hash$plural"
  echo "$passed passed, $failed failed"
  [ $failed = 0 ]
  ;;
esac
