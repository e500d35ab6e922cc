#!/bin/sh
# Compiles cloth.c for every kind of machine, disassembles it, and fails on what would give other bits there: fused
# multiply-adds, estimates in place of divisions and square roots, double precision, and calls to anything but memcpy,
# memset, memmove and the arithmetic that a machine without it takes from the compiler's library; and on data that a
# program could write to.
# The compiler's own contraction is left on: what cloth.c says in its source has to suffice.
#
# Where the short matrix has a cell of a machine, the cell's object is looked at, methods and scenes and all: tests/matrix.sh
# has compiled it, or compiles it now. Data that these may write to are scenes; tests/size.sh looks for the library's. Of
# an object that tests/size.sh has left, which is the library without workers, no other is made.
# The Cortex-M0's cell holds what small scenes call. There all arithmetic is calls; the Cortex-M4F's object is whole and has
# double precision as calls, too.
#
#   sh tests/disassembly.sh BUILD         every instruction set; where two compilers or processors share one, the one
#                                         that has more ways to fuse
#   sh tests/disassembly.sh BUILD full    all
set -u
build=$1
out=$build/disassembly
task=${2:-short}
mkdir -p "$out"
. tests/verdict.sh
export LC_ALL=C # sed and grep take a third of the time

common="-std=gnu99 -ffreestanding -fno-math-errno -I."

# Name, "full" before it if only the full run has it | instruction set, as in forbidden() | compiler and flags |
# disassembler | cell of the matrix, library of the tests or object of tests/size.sh, if there is one.
targets() {
  arm="arm-none-eabi-gcc -mthumb"
  clang_arm="clang --target=arm-none-eabi -mthumb"
  arm_disassembler="arm-none-eabi-objdump -d --no-show-raw-insn"
  # GNU objdump shows Helium as coprocessor instructions.
  helium_disassembler="llvm-objdump -d --no-show-raw-insn --mattr=+mve.fp,+fp-armv8d16,+lob"
  riscv_disassembler="riscv64-unknown-elf-objdump -d --no-show-raw-insn -M no-aliases"
  # Clang makes vectors of plain loops: on AltiVec products are fused multiply-adds of -0.
  # That changes no result, but cannot be told from what does.
  no_vectors="-mllvm -vectorize-loops=false -mllvm -vectorize-slp=false" # -O2 behind -fno-vectorize would undo it
  host_disassembler="objdump -d --no-show-raw-insn"
  cat <<END
Cortex-M0 gcc|arm|$arm -mcpu=cortex-m0 -mfloat-abi=soft|$arm_disassembler|m0-small gcc -Os
Cortex-M4F clang|arm|$clang_arm -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16|$arm_disassembler|size Cortex-M4F-clang-everything
full Cortex-M7 gcc|arm|$arm -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16|$arm_disassembler
Cortex-M55 Helium gcc|arm|$arm -mcpu=cortex-m55 -mfloat-abi=hard -mfpu=auto|$helium_disassembler
Cortex-M55 Helium clang|arm|$clang_arm -mcpu=cortex-m55 -mfloat-abi=hard|$helium_disassembler|m55-helium clang -O2
full ARMv7 NEON gcc|arm|arm-linux-gnueabihf-gcc -mfpu=neon-vfpv4|arm-linux-gnueabihf-objdump -d --no-show-raw-insn
ARMv7 NEON clang|arm|clang --target=arm-linux-gnueabihf -mfpu=neon-vfpv4|arm-linux-gnueabihf-objdump -d --no-show-raw-insn|armv7-neon clang -Os
AArch64 gcc|aarch64|aarch64-linux-gnu-gcc|aarch64-linux-gnu-objdump -d --no-show-raw-insn|aarch64-neon gcc -Os
AArch64 clang|aarch64|clang --target=aarch64-linux-gnu|aarch64-linux-gnu-objdump -d --no-show-raw-insn|library aarch64
full RV32IMF gcc|riscv|riscv64-unknown-elf-gcc -march=rv32imf_zicsr -mabi=ilp32f|$riscv_disassembler
full RV32IMF clang|riscv|clang --target=riscv32-unknown-elf -march=rv32imf -mabi=ilp32f|$riscv_disassembler
full RV64GC gcc|riscv|riscv64-linux-gnu-gcc|$riscv_disassembler
RV64GC clang|riscv|clang --target=riscv64-unknown-elf -march=rv64gc -mabi=lp64d|$riscv_disassembler|rv64gc clang -Os
x86-64 AVX2 FMA gcc|x86|gcc -mavx2 -mfma|$host_disassembler|fma-flush gcc -O3
x86-64 AVX2 FMA clang|x86|clang -mavx2 -mfma|$host_disassembler|fma-flush clang -Os
s390x z14 gcc|s390|s390x-linux-gnu-gcc -march=z14|s390x-linux-gnu-objdump -d --no-show-raw-insn|s390x gcc -Os
ppc64 gcc|ppc|powerpc64-linux-gnu-gcc|powerpc64-linux-gnu-objdump -d --no-show-raw-insn
full ppc64 clang|ppc|clang --target=powerpc64-linux-gnu $no_vectors|powerpc64-linux-gnu-objdump -d --no-show-raw-insn
wasm32 SIMD clang|wasm|clang --target=wasm32 -msimd128 -fno-slp-vectorize -fno-vectorize|llvm-objdump -d --no-show-raw-insn|wasm-simd clang -O3
END
}

# The pattern of instructions that must not occur, matched against "mnemonic operands" of each.
# Moves of 64 bits are no arithmetic and stay allowed, as does vmla of ARMv7, which rounds twice.
forbidden() { # INSTRUCTION_SET
  case $1 in
  arm)
    echo '^vfn?m[as]' # fused, VFP, NEON and Helium
    echo '^v(recp|rsqrt)[es]'
    echo '^v(add|sub|n?mul|mla|mls|div|sqrt|cmp|cvt|neg|abs|sel|maxnm|minnm|rint)[a-z]*\.(.*\.)?f64'
    ;;
  aarch64)
    echo '^(fn?m(add|sub)|fml[as]|bfml|bfmmla)'
    echo '^f(rsqrt|recp)[esx]'
    echo '^[fsu](n?mul|add|addp|sub|div|sqrt|cmp|cmpe|cvt[a-z]*|max|min|maxnm|minnm|abs|neg|rint.)[ \t].*(\<d[0-9]|\.[12]d)'
    ;;
  riscv)
    echo '^fn?m(add|sub)\.'
    echo '^vfw?n?m(acc|sac|add|sub)'
    echo '^vf(rec7|rsqrt7|w?redusum)' # the order of the last is the machine's choice
    echo '^f(add|sub|mul|div|sqrt|min|max|eq|lt|le)\.d'
    echo '^fcvt\.(d\.|[a-z]*\.d)'
    ;;
  x86)
    echo '^vfn?m(add|sub)'
    echo '^v?r(sqrt|cp)[0-9]*[ps]s'
    echo '^v?(add|sub|mul|div|sqrt|min|max|u?comi|hadd|hsub|addsub|dp|round)[sp]d\>'
    echo '^v?cmp[a-z_]*[sp]d\>'
    echo '^v?cvt(t?[sp]d2|[a-z]*2[sp]d)'
    echo '^f(i?add|i?sub|i?mul|i?div|sqrt|chs|abs|sin|cos|ptan|patan|2xm1|yl2x|rndint)'
    ;;
  s390)
    echo '^m[as][de]b?r?\>'
    echo '^[vw]fn?m[as][sdx]b'
    echo '^(a|s|m|d|c|k|sq|lc|lp|ln|lt)dbr?\>'
    echo '^(ldeb|ldebr|ledbr|ledbra|mdeb|mdebr|cd[fgl]+br|c[fgl]+dbr)a?\>'
    echo '^[vw]f(a|s|m|d|sq|c.*)db\>'
    ;;
  ppc)
    echo '^fn?m(add|sub)s?\>'
    echo '^(vmaddfp|vnmsubfp|x[sv]n?m(add|sub)[am][sd]p)'
    echo '^(fres?\>|frsqrtes?\>|vrefp|vrsqrtefp|x[sv](re|rsqrte)[sd]p)'
    echo '^f(add|sub|mul|div|sqrt)\.?\>'
    echo '^xs(add|sub|mul|div|sqrt)dp'
    echo '^xv(add|sub|mul|div|sqrt)dp'
    ;;
  wasm)
    echo '^f(32x4|64x2)\.relaxed'
    echo '^f64'
    echo '(promote|demote)'
    ;;
  esac
}

# Symbols that may be undefined: what compilers call by themselves, the helpers of soft-float arithmetic, of divisions
# and 64-bit products and shifts where no instruction does them, and names that only the linker cares about.
allowed_symbols='^(memcpy|memset|memmove|__aeabi_mem(cpy|set|move|clr)[48]?)$'
allowed_symbols="$allowed_symbols"'|^__aeabi_(f(add|sub|rsub|mul|div|cmp(eq|lt|le|ge|gt|un)|2iz|2uiz)|u?i2f|u?idiv(mod)?|lmul|llsl|llsr)$'
allowed_symbols="$allowed_symbols"'|^__gnu_thumb1_case_[us][hq]i$'
allowed_symbols="$allowed_symbols"'|^__((add|sub|mul|div)sf3|(eq|ne|lt|le|gt|ge|unord)sf2|fix(uns)?sfsi|float(un)?sisf)$'
allowed_symbols="$allowed_symbols"'|^__(muldi3|ashldi3|lshrdi3)$'
allowed_symbols="$allowed_symbols"'|^(_(save|rest)[gf]pr[01]?_[0-9]+(_x)?|\.TOC\.|__linear_memory|__stack_pointer)$'

# Writes "mnemonic operands" of a disassembly's instructions, blanks as one each.
instructions() {
  sed -n 's/^[ \t]*[0-9a-f]\{1,\}:[ \t]*\([a-z]\)/\1/p' | tr -s ' \t' '  '
}

# Writes what must not be in a disassembly, each kind of instruction once, with how often it is there.
offenders() { # INSTRUCTION_SET
  instructions | grep -E -f "$out/forbidden-$1" | sed 's/ .*//' | sort | uniq -c
}

offending_symbols() { # OBJECT
  llvm-nm --undefined-only "$1" | awk '{ print $NF }' | grep -E -v "$allowed_symbols" | sort
}

# Sections of an object that a program could write to and that are not empty. Clang 14 for RISC-V has constants of its
# own in .sdata.
writable_sections() { # OBJECT
  llvm-size -A "$1" | awk '/^\.(data|bss|sbss)/ && $1 !~ /rel\.ro/ && $2 > 0 { print $1 }'
}

# Everything wrong with an object, on one line.
complaints() { # INSTRUCTION_SET DISASSEMBLER OBJECT
  echo $($2 "$3" | offenders "$1") $(offending_symbols "$3") $(writable_sections "$3")
}

complaints_of_cell() { # INSTRUCTION_SET DISASSEMBLER OBJECT
  echo $($2 "$3" | offenders "$1") $(offending_symbols "$3" | grep -v '^board_print$')
}

# The scan itself: it must see a fused multiply-add that is there.
check_scan() { # NAME INSTRUCTION_SET COMMAND DISASSEMBLER
  object=$out/fused-$(echo "$1" | tr ' ' '-').o
  $3 $common -O2 -ffp-contract=fast -c "$out/fused.c" -o "$object" 2>"$object.log"
  seen=$(complaints "$2" "$4" "$object")
  # Where there is no instruction fmaf is called.
  echo "$seen" | grep -q -E 'fma|fm[al]|madd|macc|mae'
  verdict "the scan sees a fused multiply-add on $1" $? "it saw: $seen"
  case $2 in
  arm) double='f64|__aeabi_(d|f2d)' ;;
  aarch64) double='fmul|fcvt' ;;
  riscv) double='\.d|df' ;;
  x86) double='[sp]d' ;;
  s390) double='db' ;;
  ppc) double='fmul|xsmuldp' ;;
  wasm) double='f64' ;;
  esac
  echo "$seen" | grep -q -E "$double"
  verdict "the scan sees double precision on $1" $? "it saw: $seen"
  case $1 in
  *"Helium clang")
    $4 "$object" | instructions | grep -q "^vfma.f32 q"
    verdict "the disassembler knows the vectors of $1" $? "no vfma.f32 of q registers"
    ;;
  esac
}

# Samples of what is rare, a line each: instruction set | what the scan must call it | instruction.
samples() {
  cat <<END
arm|bad|vfma.f32 q0, q1, q2
arm|bad|vfmaeq.f32 s0, s1, s2
arm|bad|vfnms.f32 s0, s1, s2
arm|bad|vrsqrte.f32 d0, d1
arm|bad|vrecpe.f32 q0, q1
arm|bad|vcvt.f64.f32 d0, s0
arm|good|vmla.f32 q0, q1, q2
arm|good|vmul.f32 q0, q1, q2
arm|good|vmov.f64 d0, d1
arm|good|vcvt.f32.s32 s0, s0
aarch64|bad|fmadd s0, s1, s2, s3
aarch64|bad|fmla v0.4s, v1.4s, v2.4s
aarch64|bad|frecpe v0.4s, v1.4s
aarch64|bad|fcvt d0, s0
aarch64|bad|fadd v0.2d, v1.2d, v2.2d
aarch64|good|fadd v0.4s, v1.4s, v2.4s
aarch64|good|fmov d0, d1
aarch64|good|add x0, x1, x2
riscv|bad|fnmsub.s fa0,fa1,fa2,fa3
riscv|bad|vfmacc.vv v8,v9,v10
riscv|bad|fcvt.d.s fa0,fa1
riscv|good|fcvt.s.w fa0,a0
riscv|good|fld fs0,8(sp)
x86|bad|vfmadd213ps %ymm0,%ymm1,%ymm2
x86|bad|rsqrtps %xmm0,%xmm1
x86|bad|vrcpps %ymm0,%ymm1
x86|bad|cvtss2sd %xmm0,%xmm0
x86|bad|addsd %xmm0,%xmm1
x86|bad|cmpltsd %xmm0,%xmm1
x86|bad|fmulp %st,%st(1)
x86|good|movsd %xmm0,(%rax)
x86|good|cmpltps %xmm0,%xmm1
x86|good|cvtsi2ss %eax,%xmm0
x86|good|unpcklpd %xmm0,%xmm1
s390|bad|maebr %f0,%f1,%f2
s390|bad|mseb %f0,%f1,0(%r1)
s390|bad|wfmasb %v0,%v1,%v2,%v3
s390|bad|ldebr %f0,%f1
s390|good|msr %r1,%r2
s390|good|meebr %f0,%f1
s390|good|ldr %f8,%f0
ppc|bad|fmadds f1,f2,f3,f4
ppc|bad|vmaddfp v0,v1,v2,v3
ppc|bad|frsqrtes f1,f2
ppc|bad|fadd f1,f2,f3
ppc|good|fadds f1,f2,f3
ppc|good|fmuls f1,f2,f3
wasm|bad|f64.promote_f32
wasm|good|f32.mul
END
}

# The scan must tell them apart without a compiler. All of a set are looked at in one pass, which numbers what is bad.
check_samples() {
  for set in arm aarch64 riscv x86 s390 ppc wasm; do
    samples | grep "^$set|" >"$out/samples-$set"
    bad=$(echo $(sed 's/^.*|/  10:\t/' "$out/samples-$set" | instructions | grep -n -E -f "$out/forbidden-$set" | cut -d: -f1))
    number=0
    while IFS='|' read -r set expected sample; do
      number=$((number + 1))
      case " $bad " in
      *" $number "*) verdict=bad ;;
      *) verdict=good ;;
      esac
      [ "$verdict" = "$expected" ]
      verdict "the scan calls $sample of $set $expected" $? "it does not"
    done <"$out/samples-$set"
  done
}

check_object() { # NAME INSTRUCTION_SET COMMAND DISASSEMBLER
  object=$out/$(echo "$1" | tr ' ' '-').o
  detail=$($3 $common -c cloth.c -o "$object" 2>&1)
  status=$?
  verdict "$1 compiles" $status "$(echo "$detail" | head -n 1)"
  [ $status = 0 ] || return
  found=$(complaints "$2" "$4" "$object")
  [ -z "$found" ]
  verdict "$1 holds nothing that rounds otherwise" $? "$found"
}

check_cell() { # NAME INSTRUCTION_SET DISASSEMBLER CELL COMPILER LEVEL
  object=$build/matrix/cell-$4-$5$6.o
  [ "$object" -nt cloth.c ] || sh tests/matrix.sh "$build" cell "$4" "$5" "$6" >/dev/null
  found=$(complaints_of_cell "$2" "$3" "$object")
  [ "$object" -nt cloth.c ] && [ -z "$found" ]
  verdict "$1, the matrix's cell, holds nothing that rounds otherwise" $? "$found"
}

# What lockstep.sh plays with.
check_library() { # NAME INSTRUCTION_SET DISASSEMBLER LIBRARY
  object=$build/libraries/$4.o
  detail=$(make_targets "$build" "$object" 2>&1)
  verdict "$1, the tests' library, compiles" $? "$(echo "$detail" | head -n 1)"
  found=$(complaints "$2" "$3" "$object")
  [ -e "$object" ] && [ -z "$found" ]
  verdict "$1, the tests' library, holds nothing that rounds otherwise" $? "$found"
}

check_size() { # NAME INSTRUCTION_SET DISASSEMBLER OBJECT
  found=$(complaints "$2" "$3" "$4")
  [ -z "$found" ]
  verdict "$1, measured by tests/size.sh, holds nothing that rounds otherwise" $? "$found"
}

check_targets() { # LIST
  while IFS='|' read -r name set command disassembler cell; do
    check_scan "$name" "$set" "$command" "$disassembler"
    case $cell in
    "") ;;
    size*)
      object=$build/size/${cell#size }.o
      if [ "$object" -nt cloth.c ]; then
        check_size "$name" "$set" "$disassembler" "$object"
        continue
      fi
      ;;
    library*)
      check_library "$name" "$set" "$disassembler" "${cell#library }" </dev/null
      continue
      ;;
    *)
      check_cell "$name" "$set" "$disassembler" $cell </dev/null
      continue
      ;;
    esac
    # The cheapest level at which each fuses what it can: GCC forms fused operations among the costly optimisations.
    case $name in
    *gcc) level=-Os ;;
    *) level=-O1 ;;
    esac
    check_object "$name" "$set" "$command $level" "$disassembler"
  done <"$1"
  echo "$passed $failed"
}

cat >"$out/fused.c" <<END
typedef float wide __attribute__((vector_size(16)));
wide fused_wide(wide a, wide b, wide c) { return a * b + c; }
float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
double twice(double a, float b) { return a * b; }
END
for set in arm aarch64 riscv x86 s390 ppc wasm; do
  forbidden $set >"$out/forbidden-$set"
done
check_samples

# Two at a time; each ends with its own count.
if [ "$task" = full ]; then
  targets | sed 's/^full //' >"$out/targets"
else
  targets | grep -v '^full ' >"$out/targets"
fi
for half in 0 1; do
  awk -v half=$half 'NR % 2 == half' "$out/targets" >"$out/targets-$half"
  (passed=0 failed=0 && check_targets "$out/targets-$half") >"$out/log-$half" &
done
wait
for half in 0 1; do
  sed '$d' "$out/log-$half"
  set -- $(tail -n 1 "$out/log-$half")
  passed=$((passed + $1))
  failed=$((failed + $2))
done

report
