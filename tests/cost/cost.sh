#!/bin/sh
# Instructions that cloth.c takes, counted exactly under QEMU by tests/cost/counter.c: no cycles, and nothing is timed.
# Prints lines "target,compiler,level,grid,quantity,value", a table of each target's best compiler, and the goals, whose
# lines end in ok or missed. Leaves the lines in BUILD/cost/cost.csv.
#
#   sh tests/cost/cost.sh BUILD                                   everything
#   sh tests/cost/cost.sh BUILD count TARGET COMPILER LEVEL       one build of it, as in: count m7 gcc -O3
#   sh tests/cost/cost.sh BUILD cape TARGET COMPILER LEVEL        the settings of the cape in one build
#   sh tests/cost/cost.sh BUILD tables                            what was counted last
#   sh tests/cost/cost.sh BUILD profile TARGET COMPILER LEVEL     instructions by function of a frame of the cape
#
# Quantities: instructions per particle for an "iteration" of the conjugate gradient with stretch and shear implicit,
# and for a "substep" with tethers; instructions of a 60 Hz frame of a scene of 16 substeps, or with the default
# settings, "-mean" and "-most"; bytes of the arenas. "cape" is the scene of the goals: a sphere, a capsule, and fabric
# that does not stretch. Its settings are tried with 16 x 16 particles; "stretch" is the 99th percentile over its edges,
# at rest, in %, and "swaying" the worst of it while the body moves.
set -u
out=$1/cost
task=${2:-all}
boards=port/boards
flags="-std=gnu99 -ffreestanding -ffp-contract=off -fno-math-errno"
mkdir -p "$out"
. tests/verdict.sh

# Goals: instructions per particle and iteration; instructions of a frame of the cape; its stretch at rest and while the
# body moves, in %, which cost.c knows, too.
goal_iteration() { # TARGET
  case $1 in
  m4f | m7) echo 180 ;;
  m55-helium) echo 50 ;;
  esac
}
goal_cape() { # TARGET
  case $1 in
  m7) echo 429000 ;;
  m55-helium) echo 194000 ;;
  esac
}
goal_stretch=1
goal_swaying=9

arm="qemu-system-arm -display none -monitor none -serial none -semihosting-config enable=on,target=native"
riscv="qemu-system-riscv32 -M virt -bios none -display none -monitor none -serial stdio"

# target | board, linker script | emulator | flags
targets() {
  cat <<END
m4f        | start_cortex_m, mps2.ld       | $arm -M mps2-an386 | -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16
m7         | start_cortex_m, mps2.ld       | $arm -M mps2-an500 | -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16
m33        | start_cortex_m, mps2_an505.ld | $arm -M mps2-an505 | -mcpu=cortex-m33 -mfloat-abi=hard -mfpu=fpv5-sp-d16
m55-scalar | start_cortex_m, mps3_an547.ld | $arm -M mps3-an547 | -mcpu=cortex-m55+nomve -mfloat-abi=hard
m55-helium | start_cortex_m, mps3_an547.ld | $arm -M mps3-an547 | -mcpu=cortex-m55 -mfloat-abi=hard
rv32imf    | start_riscv, riscv.ld         | $riscv             | -march=rv32imf -mabi=ilp32f
END
}

field() { # NUMBER ROW
  echo "$2" | cut -d'|' -f"$1" | sed 's/^ *//; s/ *$//'
}

# Sets board, script, emulator, target_flags, gcc and clang.
read_target() { # TARGET
  row=$(targets | grep "^$1 ")
  board=$(field 2 "$row" | cut -d, -f1)
  script=$(field 2 "$row" | cut -d, -f2)
  emulator=$(field 3 "$row")
  target_flags=$(field 4 "$row")
  gcc="arm-none-eabi-gcc -mthumb"
  clang="clang --target=arm-none-eabi"
  case $1 in
  m55-*) gcc="$gcc -mfpu=auto" ;;
  rv32imf)
    gcc=riscv64-unknown-elf-gcc
    clang="clang --target=riscv32-unknown-elf"
    ;;
  esac
}

# The library as its users compile it; the work around it and the board are not what is counted. Both by one compiler, as
# the two do not agree on the size of an enumeration. GCC links: it knows where its library of helpers is.
build_program() { # TARGET COMPILER LEVEL PROGRAM EXTRA-FLAGS
  read_target "$1"
  [ "$2" = gcc ] && compiler=$gcc || compiler=$clang
  # Unquoted: lists of flags.
  $compiler $flags $target_flags $3 -c "${CLOTH:-cloth.c}" -o "$4.cloth.o" &&
    $compiler $flags $target_flags -O2 $5 -c tests/cost/cost.c -o "$4.o" &&
    $gcc $flags $target_flags -O2 "$4.cloth.o" "$4.o" "$boards/$board.c" $boards/memory.c -nostdlib -static -lgcc \
      -L$boards -T$boards/"${script# }" -o "$4"
}

# Unless it is there: builds that are counted side by side share it.
make_counter() {
  [ "$out/counter.so" -nt tests/cost/counter.c ] ||
    ${CC:-cc} -std=gnu99 -O2 -shared -fPIC tests/cost/counter.c -o "$out/counter.so"
}

address_of() { # SYMBOL PROGRAM
  nm "$2" | awk -v symbol="$1" '$3 == symbol { print $1 }'
}

# What the program prints in PROGRAM.log, ending with "status N", and what was counted in PROGRAM.counts.
run_program() { # PROGRAM
  marks="begin=$(address_of cost_begin "$1"),end=$(address_of cost_end "$1"),report=$(address_of cost_report "$1"),counts=$1.counts"
  timeout 1200 $emulator -plugin "$out/counter.so,$marks${blocks:+,blocks=$blocks}" -kernel "$1" </dev/null 2>&1
}

attempt() { # TARGET COMPILER LEVEL PROGRAM EXTRA-FLAGS
  {
    build_program "$@" && run_program "$4"
    echo "status $?"
  } >"$4.log" 2>&1
}

# "GRID QUANTITY KIND NUMBER INTERVALS SUM MOST", a line for everything counted.
counted() { # PROGRAM
  grep '^count ' "$1.log" | cut -d' ' -f2- | paste -d' ' - "$1.counts"
}

count_build() { # TARGET COMPILER LEVEL
  program=$out/count-$1-$2$3
  attempt "$1" "$2" "$3" "$program" ""
  {
    grep '^bytes ' "$program.log" | awk -v build="$1,$2,$3" '{ printf "%s,%d,%s,%d\n", build, $2, $3, $4 }'
    counted "$program" | awk -v build="$1,$2,$3" '
      function put(quantity, value) { printf "%s,%d,%s,%.*f\n", build, $1, quantity, value < 10000, value }
      $3 == "few" { units = $4; sum = $6 }
      $3 == "many" { put($2, ($6 - sum) / ($4 - units)) }
      $3 == "frames" { put($2 "-mean", $6 / $5); put($2 "-most", $7) }'
  } >"$program.csv"
  echo "$1 $2 $3: $(wc -l <"$program.csv") values"
}

# The stretch in per cent; the settings stand in the quantity.
count_cape() { # TARGET COMPILER LEVEL
  program=$out/cape-$1-$2$3
  attempt "$1" "$2" "$3" "$program" -DCOST_WORK=1
  counted "$program" | awk -v build="$1,$2,$3,16" '{
    gsub(",", " ", $3)
    printf "%s,cape %s stretch,%.2f\n", build, $3, $4 / 1e4
    printf "%s,cape %s swaying,%.2f\n", build, $3, $5 / 1e4
    printf "%s,cape %s mean,%.0f\n", build, $3, $7 / $6
    printf "%s,cape %s most,%.0f\n", build, $3, $8 }' >"$program.csv"
  echo "$1 $2 $3: cape, $(wc -l <"$program.csv") values"
}

# "INSTRUCTIONS FUNCTION", the most first: of the whole run over its frames.
profile() { # TARGET COMPILER LEVEL
  program=$out/profile-$1-$2$3
  blocks=$program.blocks
  attempt "$1" "$2" "$3" "$program" -DCOST_WORK=2
  frames=$(cut -d' ' -f1 "$program.counts")
  # Symbols as decimal numbers, those of Thumb code without the lowest bit; then every block after its function.
  nm "$program" | awk '$2 ~ /[tTwW]/ && $3 !~ /^\$/ { print $1, $3 }' | while read -r address name; do
    echo "$((0x$address / 2 * 2)) 0 $name"
  done | sort -n -k1,1 -k2,2 - "$blocks" | awk -v frames="$frames" '
    $3 != "" { name = $3; next }
    { sum[name] += $2 }
    END { for (name in sum) printf "%.0f %s\n", sum[name] / frames, name }' | sort -k1,1nr -k2
}

### All of them

# "COMPILER LEVEL VALUE" of the build of a target that does best.
best_of() { # TARGET GRID QUANTITY
  awk -F, -v target="$1" -v grid="$2" -v quantity="$3" '
    $1 == target && $4 == grid && $5 == quantity && (best == "" || $6 + 0 < value) {
      value = $6 + 0; best = $2 " " $3 " " $6
    }
    END { print best }' "$out/count.csv"
}

# Value and build of the best for every target; the builds differ from column to column.
table() { # GRID
  echo
  printf '%-10s' "$1 x $1"
  for target in $names; do printf ' %18s' "$target"; done
  echo
  for quantity in $(awk -F, -v grid="$1" '$4 == grid && !seen[$5]++ { print $5 }' "$out/count.csv"); do
    printf '%-18s' "$quantity"
    for target in $names; do
      set -- "$1" $(best_of "$target" "$1" "$quantity")
      [ "${quantity#arena}" = "$quantity" ] || set -- "$1" "" "" "${4:-}"
      printf ' %18s' "${4:--} ${2:-}${3:-}"
    done
    echo
  done
}

# The cheapest setting of the cape that meets the goal of stretch: "MEAN MOST STRETCH SWAYING BUILD SETTING".
best_cape() { # TARGET
  cat "$out"/cape-"$1"-*.csv | awk -F, -v goal=$goal_stretch -v swaying=$goal_swaying '
    {
      setting = $1 "," $2 "," $3 "," $5
      what = setting
      sub(/.* /, "", what)
      sub(/ [a-z]*$/, "", setting)
      value[setting, what] = $6
      is_good = what == "most" && value[setting, "stretch"] <= goal && value[setting, "swaying"] <= swaying
      if (is_good && (best == "" || value[setting, "mean"] < value[best, "mean"]))
        best = setting
    }
    END {
      split(best, part, ",")
      if (best != "")
        print value[best, "mean"], value[best, "most"], value[best, "stretch"], value[best, "swaying"], part[2] part[3], part[4]
    }'
}

# What is missed is no failure: the goals tell how far there is to go.
judge() { # NAME GOAL VALUE DETAIL
  awk -v value="${3:-1e30}" -v goal="$2" 'BEGIN { exit !(value + 0 <= goal + 0) }' && word=ok || word=missed
  echo "$1: at most $2, found ${3:-none}${4:+, $4}  $word"
}

judge_all() {
  for target in $names; do
    goal=$(goal_iteration "$target")
    [ -z "$goal" ] || {
      set -- $(best_of "$target" 16 iteration)
      judge "$target, instructions per particle and iteration" "$goal" "${3:-}" "16 x 16, ${1:-}${2:-}"
    }
  done
  for target in $names; do
    goal=$(goal_cape "$target")
    [ -z "$goal" ] || {
      set -- $(best_cape "$target")
      judge "$target, instructions of a frame of the cape" "$goal" "${1:-}" \
        "in one ${2:-}, stretch ${3:-} %, swaying ${4:-} %, $(shift 4 2>/dev/null && echo "$*")"
    }
  done
}

# Every build leads to the same state, and ran to its end.
check_runs() {
  for log in "$out"/count-*.log "$out"/cape-*.log; do
    [ -e "$log" ] || continue
    [ "$(tail -n 1 "$log")" = "status 0" ]
    verdict "$(basename "$log" .log) runs" $? "$(tail -n 3 "$log")"
  done
  for task in count cape; do
    hashes=$(for log in "$out"/$task-*.log; do grep '^hash ' "$log" | cksum; done | sort -u | wc -l)
    [ "$hashes" = 1 ]
    verdict "every build of $task leads to the same states" $? "$hashes different"
  done
}

# What does not fit a board is skipped by every build of its target.
show_skipped() {
  echo
  cat "$out"/count-*.log | grep '^skipped' | sort -u | grep . || echo "every cloth fits its board"
}

show_all() {
  cat "$out"/cape-*.csv | cat "$out/count.csv" - >"$out/cost.csv"
  echo target,compiler,level,grid,quantity,value
  cat "$out/cost.csv"
  for grid in 8 16 32; do table $grid; done
  show_skipped
  judge_all
  check_runs
  report
}

blocks=""
names=$(targets | cut -d' ' -f1)
case $task in
count) make_counter && count_build "$3" "$4" "$5" ;;
cape) make_counter && count_cape "$3" "$4" "$5" ;;
tables) show_all ;;
profile) make_counter && profile "$3" "$4" "$5" ;;
*)
  rm -rf "$out"
  mkdir -p "$out"
  make_counter || exit 1
  for name in $names; do
    for compiler in gcc clang; do
      for level in -O2 -O3; do echo "count $name $compiler $level"; done
    done
  done | xargs -P 2 -L 1 sh "$0" "$1" >&2
  cat "$out"/count-*.csv >"$out/count.csv"
  for name in $names; do
    [ -z "$(goal_cape "$name")" ] || printf 'cape %s gcc -O3\ncape %s clang -O3\n' "$name" "$name"
  done | xargs -P 2 -L 1 sh "$0" "$1" >&2
  show_all
  ;;
esac
