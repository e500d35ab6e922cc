#!/bin/sh
# Cloth for Windows: what clang in its Microsoft mode makes of cloth.c, with the macros of clang and with none but those
# of Microsoft's own compiler; a DLL of it, and programs by MinGW in C and C++, run under Wine. tests/matrix.sh compares
# more scenes. $1: build directory.
set -u
. tests/verdict.sh
fresh_folder "$1" windows
. tests/package/common.sh

x64="clang --target=x86_64-pc-windows-msvc"
arm64="clang --target=aarch64-pc-windows-msvc"
# As far as clang can stand in for it: no macro tells that it is clang, and there are no rules of aliasing.
only="-U__clang__ -fno-strict-aliasing"
# Of those pragmas clang knows some, and not that which lets reduced builds keep functions that nothing calls.
pragmas="-Wno-unknown-pragmas -Wno-ignored-pragmas -Wno-unused-function"
# Without optimisation some frames are larger than a page, for which a function of Microsoft's libraries is called.
whole_frames="-mno-stack-arg-probe"
tolerated=""
free="-ffreestanding -fno-math-errno -I."
warnings="-Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror"
kernel32=$(x86_64-w64-mingw32-gcc -print-file-name=libkernel32.a)
run="sh tests/wine.sh $out/wine"

# The functions that an object needs from elsewhere. Microsoft's linker wants _fltused wherever there is a float.
calls_nothing() { # NAME OBJECT
  called=$(llvm-nm --undefined-only "$2" | awk '{ print $2 }' | grep -v -E '^_?(memcpy|memset|memmove|_fltused)$')
  [ -e "$2" ] && [ -z "$called" ]
  verdict "$1 calls nothing but memcpy, memset and memmove" $? "$called"
}

instructions() { # PATTERN OBJECT
  llvm-objdump -d --no-show-raw-insn "$2" | awk -v pattern="^($1)$" '$2 ~ pattern { count++ } END { print count + 0 }'
}

# The smallest build: whatever is left out has no other roots and products.
smallest=$(echo $(switches_of_cloth | sed 's/^/-D/'))

# With one float a lane each root is an instruction of its own.
roots_are() { # NAME INSTRUCTION COMMAND...
  name=$1 instruction=$2
  shift 2
  try "$name compiles" "$@" $free $warnings $tolerated $smallest -O1 -DCLOTH_SCALAR -c cloth.c -o "$out/root.o"
  [ "$(instructions "$instruction" "$out/root.o")" -gt 20 ]
  verdict "$name takes square roots by an instruction" $? "$(instructions "$instruction" "$out/root.o")"
  calls_nothing "$name" "$out/root.o"
}

# Elsewhere bits are tried in integers: what is counted above can be absent.
roots_are_not() { # INSTRUCTION COMMAND...
  instruction=$1
  shift
  try "roots by bits compile" "$@" $free $smallest -O1 -DCLOTH_SCALAR -DCLOTH_SQUARE_ROOT_BY_BITS -c cloth.c -o "$out/bits.o"
  [ "$(instructions "$instruction" "$out/bits.o")" = 0 ]
  verdict "roots by bits take no instruction" $? "$(instructions "$instruction" "$out/bits.o")"
}

fuses_nothing_there() { # NAME COMMAND...
  name=$1
  shift
  try "$name compiles" "$@" $smallest -c cloth.c -o "$out/fused.o"
  [ "$(instructions 'vfn*m(add|sub).*|fn*m(add|sub)|fml[as]' "$out/fused.o")" = 0 ]
  verdict "$name fuses nothing" $?
  [ "$(instructions 'v?mul[ps]s|fmul' "$out/fused.o")" -gt 100 ]
  verdict "$name multiplies" $?
}

is_refused() { # TEXT COMMAND...
  text=$1
  shift
  log=$("$@" -fsyntax-only cloth.c 2>&1)
  [ $? != 0 ] && echo "$log" | grep -q -F "$text"
  verdict "$* is refused and told why" $? "$(echo "$log" | head -n 1)"
}

microsoft() {
  roots_are "x64" 'v?sqrtss' $x64
  roots_are "x64 with AVX2" 'v?sqrtss' $x64 -mavx2
  roots_are "ARM64" fsqrt $arm64
  roots_are_not 'v?sqrtss' $x64
  tolerated=$pragmas
  roots_are "x64 without clang's macros" 'v?sqrtss' $x64 $only -ffp-contract=off
  roots_are "ARM64 without clang's macros" fsqrt $arm64 $only -ffp-contract=off
  tolerated=""
  fuses_nothing_there "x64 with FMA" $x64 $free -O1 -mavx2 -mfma
  fuses_nothing_there "ARM64" $arm64 $free -O1
  # The driver that takes Microsoft's options.
  cl="clang --driver-mode=cl --target=x86_64-pc-windows-msvc /clang:-ffreestanding /I."
  fuses_nothing_there "clang-cl" $cl /O2 /W4 /WX /arch:AVX2 /clang:-mfma -Wno-unused-command-line-argument
  is_refused "cloth: compile without -ffast-math" $cl /fp:fast
  is_refused "cloth: float expressions must be evaluated as float" clang --target=i686-pc-windows-msvc $free
  is_refused "/arch:SSE2" clang --target=i686-pc-windows-msvc -U__clang__ -U__FLT_EVAL_METHOD__ $free
}

# A DLL and a program that uses it, neither with a C library: the scenes of the consumer on a board. Nothing looks into
# the code of it and of what MinGW compiles: without optimisation compilers take a tenth and a third of the time.
dll() {
  try "the DLL compiles" $x64 $free -O0 $whole_frames -ffp-contract=off -DCLOTH_SHARED -DCLOTH_BUILD -c cloth.c -o "$out/cloth.o"
  try "its memory functions compile" $x64 $free -O1 -c port/boards/memory.c -o "$out/memory.o"
  try "its start compiles" $x64 $free -O1 -c tests/package/dll.c -o "$out/start.o"
  try "the DLL is linked" lld-link /dll /out:"$out/cloth.dll" /implib:"$out/cloth.lib" /entry:_DllMainCRTStartup \
    "$out/cloth.o" "$out/memory.o" "$out/start.o"
  llvm-readobj --coff-exports "$out/cloth.dll" | sed -n 's/^ *Name: \(cloth_.*\)/\1/p' | sort >"$out/exported"
  sed -n 's/^CLOTH_API .*[ *]\(cloth_[a-z0-9_]*\)(.*/\1/p' cloth.h | sort >"$out/declared"
  [ -s "$out/declared" ] && cmp -s "$out/exported" "$out/declared"
  verdict "the DLL exports what cloth.h declares" $? "$(diff "$out/exported" "$out/declared" | head -n 5)"
  # By MinGW: a DLL by clang in Microsoft's mode is one for other compilers, too.
  try "a program for it is linked" x86_64-w64-mingw32-gcc -O1 -DCLOTH_SHARED -I. "$consumer" "$out/cloth.lib" \
    -o "$out/with_dll.exe"
  says_the_same "the program with the DLL" $run "$out/with_dll.exe"
}

mingw() {
  try "MinGW compiles cloth.c" x86_64-w64-mingw32-gcc -O0 -ffp-contract=off $warnings -I. -c cloth.c -o "$out/mingw.o"
  try "a C program is linked" x86_64-w64-mingw32-gcc -O1 -I. "$consumer" "$out/mingw.o" -o "$out/c.exe"
  says_the_same "the C program" $run "$out/c.exe"
  try "a C++ program is linked" x86_64-w64-mingw32-g++ -std=c++11 -O1 -pedantic $warnings -I. tests/cplusplus.cpp \
    "$out/mingw.o" -static -o "$out/cplusplus.exe"
  says_the_same "the C++ program" $run "$out/cplusplus.exe"
  # Objects of clang in Microsoft's mode beside those of MinGW: one calling convention.
  try "clang's object is linked" x86_64-w64-mingw32-gcc -O1 -I. "$consumer" "$out/plain.o" \
    "$out/start_float.o" -o "$out/mixed.exe"
  says_the_same "the program with clang's object" $run "$out/mixed.exe"
}

try "an object for MinGW's linker" $x64 $free -O0 $whole_frames -ffp-contract=off $small -c cloth.c -o "$out/plain.o"
echo 'int _fltused = 1;' >"$out/start_float.c"
try "what it wants beside" $x64 -c "$out/start_float.c" -o "$out/start_float.o"
microsoft
dll
mingw

report
