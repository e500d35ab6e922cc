#!/bin/sh
# cloth.h in C++ programs, and CLOTH_ALIGNED in every language it is for. $1: build directory.
set -u
. tests/verdict.sh
fresh_folder "$1" cplusplus
. tests/package/common.sh
warnings="-pedantic -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -Werror"
bare="--target=x86_64-pc-windows-msvc -ffreestanding"

# C, whatever the program is.
library=$1/libcloth.a

runs_as() { # COMPILER STANDARD
  try "$1 -std=$2" $1 -std=$2 $warnings -Wold-style-cast -Wzero-as-null-pointer-constant -I. -c tests/cplusplus.cpp \
    -o "$out/$1-$2.o"
  try "$1 -std=$2 links" $1 "$out/$1-$2.o" "$library" -o "$out/$1-$2"
  says_the_same "$1 -std=$2" "$out/$1-$2"
}

# The consumer aligns its arena with CLOTH_ALIGNED.
compiles_as() { # COMMAND...
  try "$* compiles the consumer" "$@" $warnings -I. -c "$consumer" -o "$out/consumer.o"
}

make_targets "$1" "$library"
for compiler in g++ clang++; do
  for standard in c++11 c++14 c++20; do runs_as $compiler $standard; done
done
for compiler in gcc clang; do
  for standard in c99 gnu99 c11 c17; do compiles_as $compiler -std=$standard; done
  compiles_as $compiler -x c++ -std=c++11
done
# Headers alone: no C library comes with Microsoft's mode.
for language in "c -std=c99" "c -std=c11" "c++ -std=c++11" "c++ -std=c++11 -U__clang__" "c -std=c11 -U__clang__"; do
  printf '#include "cloth.h"\nCLOTH_ALIGNED static unsigned char arena[64];\nvoid *there(void);\n%s\n' \
    'void *there(void) { return arena; }' >"$out/header.c"
  try "Microsoft's mode, $language" clang $bare $warnings -I. -x $language -c "$out/header.c" -o "$out/header.o"
  llvm-readobj --sections "$out/header.o" | grep -q IMAGE_SCN_ALIGN_32BYTES
  verdict "Microsoft's mode, $language aligns" $? "$(llvm-readobj --sections "$out/header.o" | grep ALIGN)"
done

report
