#!/bin/sh
# What cloth.o costs at -Os, by target and compiler: bytes of code, constants and writable data, the worst-case stack of
# the public functions, and the arena's bytes. Checks the goals below and that nothing is writable, nothing recurses and
# every stack has a bound.
#
#   sh tests/size.sh BUILD         some targets, to check
#   sh tests/size.sh BUILD full    all targets; the tables also go to docs/sizes.md
#
# Stack is counted from the compiler's frames along the deepest chain of calls, see tests/stack.awk. What the compiler
# takes from its own library (memcpy, memset, the float arithmetic of targets without it) is not in it; it is named
# below the table. Unwind tables, which no target needs, are not counted.
set -u
directory=$1
out=$directory/size
task=${2:-short}
markdown=""
mkdir -p "$out"
. tests/verdict.sh
. tests/written.sh

# Bounds on a Cortex-M4F with GCC: what the code takes now, rounded up. "explicit-only" leaves out the solver and
# tethers, "minimal" also all that a step can do without, colliders among it.
goal_target="Cortex-M4F"
goal_bytes_everything=262700
# Where no solver is, a step still keeps the momentum of free cloth, guards its energy and tells its reactions.
goal_bytes_minimal=44200
goal_stack=1920
# What is asked about a config before there is an arena has to lay out a cloth on the stack.
goal_stack_planning=1912
planning="^cloth_(config_work_bound|plan)\$"

# The compiler's own contraction is left on, as tests/disassembly.sh looks into one of the objects: what cloth.c says in its
# source suffices, and the bytes are the same.
common="-std=gnu99 -Os -ffreestanding -fno-math-errno -fstack-usage -I."
explicit="-DCLOTH_NO_SOLVER -DCLOTH_NO_TETHERS -DCLOTH_NO_MEASURE -DCLOTH_NO_IMAGE -DCLOTH_NO_NAMES
  -DCLOTH_NO_SELF_TEST -DCLOTH_NO_SETTLE -DCLOTH_NO_SLEEP -DCLOTH_NO_PLANNING -DCLOTH_NO_TARGETS -DCLOTH_NO_MOVE_FRAME
  -DCLOTH_NO_ORIGIN -DCLOTH_NO_WRAP -DCLOTH_NO_QUERIES -DCLOTH_NO_SAVE_CHECKS -DCLOTH_NO_BODIES -DCLOTH_NO_SKIN
  -DCLOTH_NO_BLEND -DCLOTH_NO_WORKERS -DCLOTH_NO_HULL
  -DCLOTH_NO_HEIGHT_FIELD -DCLOTH_NO_MESH -DCLOTH_NO_DISTANCE_GRID -DCLOTH_NO_SHARED_BODIES
  -DCLOTH_NO_SELF -DCLOTH_NO_MASK -DCLOTH_NO_TEARING -DCLOTH_NO_REST_SHAPE"

# What is left out, in turn; between everything and the least only where there are goals, or where all is measured.
builds_of() { # TARGET FAMILY
  middle=""
  [ "$task" != full ] && [ "$1 $2" != "$goal_target gcc" ] || middle=explicit-only
  echo everything $middle minimal
}

minimal="$explicit -DCLOTH_NO_COLLIDERS -DCLOTH_NO_AIR -DCLOTH_NO_VERTICES -DCLOTH_NO_CONFINED
  -DCLOTH_NO_FABRICS"

# Name | compiler's family | what a call pushes beyond the compiler's frames | compiler and flags.
# Clang for RISC-V puts small constants among the writable data unless told not to.
targets() {
  for family in gcc clang; do
    case $family in
    gcc) arm="arm-none-eabi-gcc -mthumb" helium="-mfpu=auto" ;;
    clang) arm="clang --target=arm-none-eabi -mthumb" helium="" ;;
    esac
    cat <<END
Cortex-M0|$family|0|$arm -mcpu=cortex-m0 -mfloat-abi=soft
Cortex-M3|$family|0|$arm -mcpu=cortex-m3 -mfloat-abi=soft
Cortex-M4F|$family|0|$arm -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16
Cortex-M7|$family|0|$arm -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16
Cortex-M33|$family|0|$arm -mcpu=cortex-m33 -mfloat-abi=hard -mfpu=fpv5-sp-d16
Cortex-M55 scalar|$family|0|$arm -mcpu=cortex-m55+nomve -mfloat-abi=hard $helium
Cortex-M55 Helium|$family|0|$arm -mcpu=cortex-m55 -mfloat-abi=hard $helium
END
  done
  riscv="clang --target=riscv32-unknown-elf -msmall-data-limit=0"
  cat <<END
RV32IMF|gcc|0|riscv64-unknown-elf-gcc -march=rv32imf_zicsr -mabi=ilp32f
RV32IMF|clang|0|$riscv -march=rv32imf -mabi=ilp32f
RV32IM|gcc|0|riscv64-unknown-elf-gcc -march=rv32im_zicsr -mabi=ilp32
RV32IM|clang|0|$riscv -march=rv32im -mabi=ilp32
AArch64|gcc|0|aarch64-linux-gnu-gcc -fno-pie
AArch64|clang|0|clang --target=aarch64-linux-gnu -fno-pie
x86-64|gcc|0|gcc -fno-pie
x86-64|clang|8|clang --target=x86_64-linux-gnu -fno-pie
END
}

# One line of a table, columns of the width of the first table or Markdown's cells.
row() { # CELLS...
  if [ -n "$markdown" ]; then
    printf '|'
    printf ' %s |' "$@"
    printf '\n'
  else
    printf '%-18s %-6s %10s %7s %14s %7s %8s %7s %7s %s\n' "$@"
  fi
}

rule() { # COLUMNS
  [ -z "$markdown" ] || awk -v columns="$1" 'BEGIN { for (; columns > 0; columns--) printf "|---"; print "|" }'
}

heading() {
  echo
  [ -z "$markdown" ] || printf '## '
  echo "$@"
  echo
}

# Writes "text rodata data bss" of an object.
section_bytes() { # OBJECT
  size -A "$1" | awk '
    /^\.text/ { text += $2 }
    /^\.(s?rodata|data\.rel\.ro|srodata)/ { rodata += $2 }
    /^\.s?data/ && !/rel\.ro/ { data += $2 }
    /^\.s?bss/ { bss += $2 }
    END { print text + 0, rodata + 0, data + 0, bss + 0 }'
}

# The goals, which hold for one target and compiler.
check_goals() { # NAME BUILD BYTES STACKS
  goal=""
  [ "$2" != everything ] || goal=$goal_bytes_everything
  [ "$2" != minimal ] || goal=$goal_bytes_minimal
  if [ -n "$goal" ]; then
    [ "$3" -le "$goal" ]
    verdict "$1 takes at most $goal bytes" $? "$3 bytes"
  fi
  over=$(awk -v goal=$goal_stack -v planning="$planning" -v more=$goal_stack_planning '
    /^[0-9]/ && $1 > ($2 ~ planning ? more : goal) { print $1, $2 }' "$4")
  [ -z "$over" ]
  verdict "$1 takes at most $goal_stack bytes of stack" $? "$(echo $over)"
}

switches() { # BUILD
  case $1 in
  everything) echo "-DCLOTH_NO_WORKERS" ;; # a hook that may call anything, for machines with threads
  explicit-only) echo "$explicit" ;;
  minimal) echo "$minimal" ;;
  esac
}

# Makes BASE.s, BASE.su and BASE.o. Clang does not assemble what it writes itself for Helium, hence the second way.
assemble() { # COMMAND BASE
  $1 -S cloth.c -o "$2.s" || return
  $1 -c "$2.s" -o "$2.o" 2>"$2.assembler" || $1 -c cloth.c -o "$2.o"
}

# Two at a time, as it is most of the work. What a compiler says, and nothing if all went well, ends up in BASE.log.
compile_all() {
  for half in 0 1; do
    awk -v half=$half 'NR % 2 == half' "$out/targets" | while IFS='|' read -r target family return_address command; do
      for build in $(builds_of "$target" "$family"); do
        base=$out/$(echo "$target $family $build" | tr ' ' '-')
        assemble "$command $common $(switches $build)" "$base" >"$base.log" 2>&1 || echo "failed" >>"$base.log"
      done
    done &
  done
  wait
}

# Adds a row of cells divided by "|" to the rows of the table, and checks.
measure() { # TARGET FAMILY RETURN_ADDRESS BUILD
  name="$1 $2 $4"
  base=$out/$(echo "$name" | tr ' ' '-')
  ! grep -q 'failed\|error' "$base.log"
  status=$?
  verdict "$name compiles" $status "$(head -n 1 "$base.log")"
  [ $status = 0 ] || return
  awk -v code="$base.s" -v return_address="$3" -f tests/stack.awk "$base.su" "$base.s" | sort -rn >"$base.stack"
  unbounded=$(grep -E '^(recursion|dynamic|unframed)' "$base.stack")
  [ -z "$unbounded" ]
  verdict "$name has a bound on its stack" $? "$(echo $unbounded)"
  set -- "$1" "$2" "$3" "$4" $(section_bytes "$base.o")
  [ "$(($7 + $8))" = 0 ]
  verdict "$name has no writable data" $? "$7 of data, $8 of bss"
  deepest=$(awk '/^[0-9]/ { print $1 "|" $2; exit }' "$base.stack")
  echo "$1|$2|$4|$5|$6|$7|$8|$deepest" >>"$out/rows"
  [ "$1 $2" != "$goal_target gcc" ] || check_goals "$name" "$4" "$(($5 + $6))" "$base.stack"
}

measure_all() {
  : >"$out/rows"
  while IFS='|' read -r target family return_address command; do
    for build in $(builds_of "$target" "$family"); do
      measure "$target" "$family" "$return_address" "$build"
    done
  done <"$out/targets"
}

# A line for each target and compiler: bytes of code of the builds that it has, and their stacks.
size_table() {
  heading "Bytes of code of cloth.o at -Os, of constants, and of the deepest stack"
  row target cc everything stack explicit-only stack minimal stack rodata goal
  rule 10
  awk -F'|' -v OFS='|' -v goal="$goal_target|gcc" -v everything=$goal_bytes_everything -v minimal=$goal_bytes_minimal \
    -v deepest=$goal_stack '
    { at = $1 OFS $2 }
    !(at in seen) { seen[at] = 1; order[++count] = at }
    { text[at, $3] = $4; stack[at, $3] = $8; rodata[at] = rodata[at] > $5 ? rodata[at] : $5 }
    function pair(at, build) { return (at, build) in text ? text[at, build] OFS stack[at, build] : "-" OFS "-" }
    function verdict(at) {
      if (at != goal) return ""
      return text[at, "everything"] + rodata[at] <= everything && text[at, "minimal"] <= minimal &&
             stack[at, "everything"] <= deepest ? "ok" : "missed"
    }
    END {
      for (i = 1; i <= count; i++) {
        at = order[i]
        print at, pair(at, "everything"), pair(at, "explicit-only"), pair(at, "minimal"), rodata[at], verdict(at)
      }
    }' "$out/rows" | while IFS='|' read -r target family a b c d e f rodata verdict; do
    row "$target" "$family" "$a" "$b" "$c" "$d" "$e" "$f" "$rodata" "$verdict"
  done
}

# The count of stack itself, on a recursion, a call through a pointer, and a tail call.
check_count() {
  cat >"$out/sample.c" <<END
extern void use(volatile char *);
static __attribute__((noinline)) void leaf(int n) { volatile char room[100]; room[n] = 1; use(room); }
static __attribute__((noinline)) void pass(void (*to)(int)) { to(1); to(2); }
void through_pointer(void) { pass(leaf); }
__attribute__((noinline)) void tail(int n) { leaf(n); }
void turns(int n) { volatile char room[10]; use(room); if (n) turns(n - 1); use(room); }
END
  arm-none-eabi-gcc -mthumb -mcpu=cortex-m4 -O1 -foptimize-sibling-calls -fstack-usage -S "$out/sample.c" -o "$out/sample.s"
  awk -v code="$out/sample.s" -v return_address=0 -f tests/stack.awk "$out/sample.su" "$out/sample.s" >"$out/sample.stack"
  grep -q '^[1-9][0-9]* through_pointer .*pass.*leaf' "$out/sample.stack"
  verdict "stack is followed through a pointer" $? "$(cat "$out/sample.stack")"
  grep -q '^1[0-9]* tail .*leaf' "$out/sample.stack"
  verdict "stack is followed through a tail call" $? "$(cat "$out/sample.stack")"
  grep -q '^recursion turns' "$out/sample.stack"
  verdict "recursion is found" $? "$(cat "$out/sample.stack")"
}

stack_table() {
  heading "Deepest public functions on $goal_target with GCC: bytes of stack, and each function's own on the way down"
  for build in everything explicit-only; do
    if [ -n "$markdown" ]; then printf '%s:\n\n' "$build"; else echo "$build"; fi
    awk -v markdown="$markdown" '
      BEGIN { if (markdown != "") print "| bytes | chain |\n|---|---|" }
      /^[0-9]/ {
        bytes = $1
        sub(/^[0-9]+ [^ ]+ /, "")
        printf markdown == "" ? "%6d  %s\n" : "| %d | %s |\n", bytes, $0
        if (++lines == (markdown == "" ? 10 : 2)) exit
      }' "$out/$goal_target-gcc-$build.stack"
    echo
  done
  [ -z "$markdown" ] || return 0
  echo "Not counted, from the compiler's library:"
  for stacks in "$out"/*-everything.stack; do
    called=$(sed -n 's/^outside *//p' "$stacks")
    [ -z "$called" ] || echo "$(basename "$stacks" -everything.stack):" $(echo "$called" | tr ' ' '\n' | sort)
  done
}

# To see where the bytes are.
function_table() { # BUILD
  heading "Largest functions on $goal_target with GCC, $1"
  nm -S --size-sort -r "$out/$goal_target-gcc-$1.o" | awk '
    function hexadecimal(digits,   value, i) {
      for (i = 1; i <= length(digits); i++)
        value = 16 * value + index("0123456789abcdef", substr(digits, i, 1)) - 1
      return value
    }
    $3 ~ /[tT]/ { printf "%6d  %s\n", hexadecimal($2), $4; if (++lines == 10) exit }'
}

build_arena_table() {
  make_targets "$directory" "$directory/libcloth.a"
  detail=$(gcc -std=c99 -O1 -ffp-contract=off -I. tests/arena_table.c "$directory/libcloth.a" -o "$out/arena" 2>&1)
  verdict "the arena's table compiles" $? "$detail"
  "$out/arena" >/dev/null
  verdict "the arena's table" $? "it failed"
}

arena_table() {
  heading "Bytes of the arena"
  "$out/arena" $markdown
}

rm -f "$out"/*.stack

# To check: the goals' target, and one of each other family of machines.
[ "$task" = full ] || targets | while IFS= read -r line; do
  for name in "$goal_target|gcc" "$goal_target|clang" "RV32IMF|gcc" "AArch64|gcc"; do
    case $line in
    "$name|"*) echo "$line" ;;
    esac
  done
done >"$out/targets"
[ "$task" != full ] || targets >"$out/targets"

tables() {
  size_table
  stack_table
  if [ -z "$markdown" ]; then
    function_table everything
    function_table explicit-only
  fi
  arena_table
}

check_count
compile_all
measure_all
build_arena_table
tables
if [ "$task" = full ]; then
  markdown=1
  tables | write_between docs/sizes.md "make size"
  verdict "docs/sizes.md is written" $?
fi
echo
report
