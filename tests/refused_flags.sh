#!/bin/sh
# What would change the results must not compile, and must say why; what is fine must compile. $1: build directory.
set -u
out=$1/refused_flags
mkdir -p "$out"
. tests/verdict.sh

# The smallest build with a self-test: compilers take a fifth of the time for it.
parts=$(echo $(switches_of_cloth | grep -v SELF_TEST | sed 's/^/-D/'))
bare="-ffreestanding -I. $parts -fsyntax-only cloth.c"
object="-ffreestanding -I. $parts -c cloth.c -o $out/cloth.o"
fast="cloth: compile without -ffast-math"
excess="cloth: float expressions must be evaluated as float"

refused() { # TEXT COMMAND...
  text=$1
  shift
  if log=$("$@" -Wfatal-errors $bare 2>&1); then
    verdict "$* is refused" 1 "it compiled"
    return
  fi
  echo "$log" | grep -q -F "$text"
  verdict "$* is refused and told why" $? "$(echo "$log" | head -n 1)"
}

compiles() { # COMMAND...
  log=$("$@" $bare 2>&1)
  verdict "$* compiles" $? "$(echo "$log" | head -n 1)"
}

clang -O2 $object && objdump -d "$out/cloth.o" >"$out/without"

# Clang has no macro for these, so cloth.c has to undo them: the same machine code as without.
undone() { # COMMAND...
  log=$("$@" -O2 $object 2>&1 && objdump -d "$out/cloth.o" >"$out/with")
  cmp -s "$out/with" "$out/without"
  verdict "$* does nothing" $? "other machine code $log"
}

for compiler in gcc clang arm-none-eabi-gcc aarch64-linux-gnu-gcc; do
  for level in "" -O1 -O2 -O3 -Os; do
    compiles $compiler $level
  done
  compiles $compiler -O2 -std=gnu99 -ffp-contract=off -fno-math-errno
  compiles $compiler -O2 -fno-trapping-math -frounding-math
  refused "$fast" $compiler -ffast-math
  refused "$fast" $compiler -O2 -ffast-math
  refused "$fast" $compiler -Ofast
  refused "$fast" $compiler -ffinite-math-only
done

# The parts of -ffast-math one by one.
for compiler in gcc arm-none-eabi-gcc aarch64-linux-gnu-gcc; do
  refused "$fast" $compiler -funsafe-math-optimizations
  refused "$fast" $compiler -fassociative-math -fno-signed-zeros -fno-trapping-math
  refused "$fast" $compiler -freciprocal-math
  refused "$fast" $compiler -fno-signed-zeros
done
refused "$fast" clang -ffp-model=fast
undone clang -funsafe-math-optimizations
undone clang -fassociative-math -fno-signed-zeros
undone clang -freciprocal-math
undone clang -fno-signed-zeros

# More precision than a float's: the x87 unit, and s390x when the language is to the letter.
refused "$excess" i686-linux-gnu-gcc
refused "$excess" i686-linux-gnu-gcc -O2 -mfpmath=387
refused "$excess" i686-linux-gnu-gcc -msse2 -mfpmath=387
refused "$excess" i686-linux-gnu-gcc -msse2 -mfpmath=both
refused "$excess" clang --target=i686-linux-gnu -march=i686
refused "$excess" s390x-linux-gnu-gcc -std=c99
refused "$excess" s390x-linux-gnu-gcc -std=c11 -O2
compiles i686-linux-gnu-gcc -msse2 -mfpmath=sse
compiles clang --target=i686-linux-gnu -march=pentium4
compiles s390x-linux-gnu-gcc -std=gnu99
compiles s390x-linux-gnu-gcc -std=c99 -fexcess-precision=fast
# Where half precision is at hand FLT_EVAL_METHOD is 16: only what is narrower than that gets wider.
compiles gcc -mavx512fp16
compiles arm-none-eabi-gcc -mcpu=cortex-m55 -mthumb -mfloat-abi=hard -mfpu=auto
compiles aarch64-linux-gnu-gcc -march=armv8.2-a+fp16

# Where clang 14 has no pragma against parts of -ffast-math, the self-test tells: it returns EXCESS_PRECISION, -20.
# All but the self-test is static, so that compilers leave it out before they make code of it: a fifth of the time.
cat >"$out/self_test.c" <<END
#define CLOTH_API static
#include LIBRARY
int library_self_test(void);
int library_self_test(void) { return cloth_self_test(); }
#ifndef __wasm__
int main(void) { return -library_self_test(); }
#endif
END
whole='-DLIBRARY="cloth.c"'
cat >"$out/self_test.cjs" <<END
const compiled = new WebAssembly.Module(require("fs").readFileSync(process.argv[2]));
const env = {};
for (const wanted of WebAssembly.Module.imports(compiled)) env[wanted.name] = () => 0;
process.exit(-new WebAssembly.Instance(compiled, { env }).exports.library_self_test());
END

self_test_gives() { # RESULT FLAGS...
  result=$1
  shift
  clang --target=aarch64-linux-gnu -static -ffp-contract=off "$@" -I. $parts "$whole" "$out/self_test.c" -o "$out/self_test" &&
    qemu-aarch64 "$out/self_test"
  found=$?
  [ $found = "$result" ]
  verdict "the self-test of AArch64, $*" $? "gave -$found instead of -$result"
  clang --target=wasm32 -std=gnu99 -ffreestanding -nostdlib -ffp-contract=off "$@" -I. $parts "$whole" -Wl,--no-entry \
    -Wl,--export=library_self_test -Wl,--allow-undefined "$out/self_test.c" -o "$out/self_test.wasm" &&
    node "$out/self_test.cjs" "$out/self_test.wasm"
  found=$?
  [ $found = "$result" ]
  verdict "the self-test of WebAssembly, $*" $? "gave -$found instead of -$result"
}

for level in -O1 -O3; do
  self_test_gives 0 $level
  self_test_gives 20 $level -freciprocal-math
  self_test_gives 20 $level -fno-signed-zeros
done

# Other parts, and that clang may never reorder sums, whatever else it may do: there is a pragma for that on every target.
self_test_gives 20 -O2 -funsafe-math-optimizations
self_test_gives 20 -O2 -fassociative-math -fno-signed-zeros
for target in aarch64-linux-gnu wasm32; do
  clang --target=$target -std=gnu99 -ffreestanding -O1 -fassociative-math -fno-signed-zeros -I. $parts -S -emit-llvm cloth.c \
    -o "$out/reordered.ll" 2>"$out/log" && ! grep -q "= f[a-z]* [a-z ]*reassoc" "$out/reordered.ll"
  verdict "sums stay in order on $target" $? "$(head -n 1 "$out/log")"
done
# The steps of the self-test by themselves: the chain of points ends elsewhere where a quotient is a product.
sed 's/!quotients_are_right() || !zeros_are_right() || //; /k->error;/d' cloth.c >"$out/chain.c"
self_test_chain() { # RESULT FLAGS...
  result=$1
  shift
  clang --target=aarch64-linux-gnu -static -w -ffp-contract=off "$@" -I. $parts '-DLIBRARY="chain.c"' "$out/self_test.c" \
    -o "$out/chain" &&
    qemu-aarch64 "$out/chain"
  found=$?
  [ $found = "$result" ]
  verdict "the chain of the self-test, $*" $? "gave -$found instead of -$result"
}
self_test_chain 0 -O2
self_test_chain 20 -O2 -freciprocal-math

report
