#!/bin/sh
# cloth.h and cloth.c alone in a folder: they choose the lanes of the vector unit that the compiler may use;
# CLOTH_SCALAR, CLOTH_LANES_HEADER and CLOTH_PORT change that; and the lanes in cloth.c are those of port/. $1: build
# directory.
set -u
case $1 in
/*) out=$1/two_files ;;
*) out=$PWD/$1/two_files ;;
esac
rm -rf "$out"
mkdir -p "$out/alone"
. tests/verdict.sh
cp cloth.h cloth.c "$out/alone"
port=$PWD/port

# Lanes | the header of port/ that has them | compiler and flags.
targets() {
  m55="-mcpu=cortex-m55 -mthumb -mfloat-abi=hard"
  cat <<END
sse2|lanes_sse2.h|gcc
sse2|lanes_sse2.h|clang
sse2|lanes_sse2.h|i686-linux-gnu-gcc -msse2 -mfpmath=sse
sse2|lanes_sse2.h|x86_64-w64-mingw32-gcc
sse2|lanes_sse2.h|clang --target=x86_64-pc-windows-msvc
sse2|lanes_sse2.h|clang --target=x86_64-pc-windows-msvc -U__clang__ -U__SSE2__
avx2|lanes_avx2.h|gcc -mavx2
avx2|lanes_avx2.h|clang -mavx2
avx2|lanes_avx2.h|clang --target=x86_64-pc-windows-msvc -mavx2
neon|lanes_neon.h|aarch64-linux-gnu-gcc
neon|lanes_neon.h|clang --target=aarch64-linux-gnu
neon|lanes_neon.h|arm-linux-gnueabihf-gcc -mfpu=neon
helium|lanes_helium.h|arm-none-eabi-gcc $m55
helium|lanes_helium.h|clang --target=arm-none-eabi $m55
wasm|lanes_wasm.h|clang --target=wasm32 -msimd128 -fno-slp-vectorize -fno-vectorize
scalar||clang --target=wasm32
scalar||arm-none-eabi-gcc -mcpu=cortex-m55+nomve -mthumb -mfloat-abi=hard -mfpu=auto
scalar||arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb
scalar||arm-linux-gnueabihf-gcc -mfpu=vfpv3-d16
scalar||riscv64-linux-gnu-gcc
scalar||s390x-linux-gnu-gcc
END
}

# The name of the lanes that a compiler comes to.
lanes_of() { # COMMAND...
  "$@" -ffreestanding -dM -E "$out/alone/cloth.c" 2>"$out/errors" | sed -n 's/^#define CLOTH_LANES_NAME "\(.*\)"/\1/p'
}

chooses() { # LANES COMMAND...
  wanted=$1
  shift
  found=$(lanes_of "$@")
  [ "$found" = "$wanted" ]
  verdict "$* has $wanted lanes" $? "$found $(head -n 1 "$out/errors")"
}

# What the compiler translates, a token a line.
tokens_of() { # FILE COMMAND...
  file=$1
  shift
  "$@" -ffreestanding -E -P "$out/alone/cloth.c" | tr -s ' \n' '\n\n' >"$out/$file"
}

# The same source whether the lanes come from cloth.c or from port/.
same_source() { # HEADER COMMAND...
  header=$1
  shift
  tokens_of joined "$@" && tokens_of apart "$@" "-DCLOTH_LANES_HEADER=\"$port/$header\""
  [ -s "$out/joined" ] && cmp -s "$out/joined" "$out/apart"
  verdict "$* makes the same of $header and of cloth.c" $? "$(diff "$out/joined" "$out/apart" | head -n 3)"
}

# Unquoted: lists of flags.
every_target() {
  targets >"$out/targets"
  while IFS='|' read -r lanes header command; do
    chooses "$lanes" $command
    chooses scalar $command -DCLOTH_SCALAR
    [ -z "$header" ] || chooses "$lanes" $command -DCLOTH_SCALAR "-DCLOTH_LANES_HEADER=\"$port/$header\""
    [ -z "$header" ] || same_source "$header" $command
  done <"$out/targets"
}

# A port's header is included before the choice, and what it says counts.
with_port() {
  echo '#define CLOTH_SCALAR' >"$out/my_port.h"
  chooses scalar gcc "-DCLOTH_PORT=\"$out/my_port.h\""
  printf '#define CLOTH_LANES_HEADER "%s/lanes_sse2.h"\n' "$port" >"$out/my_port.h"
  chooses sse2 gcc -mavx2 "-DCLOTH_PORT=\"$out/my_port.h\""
  chooses avx2 gcc -mavx2 "-DCLOTH_PORT=\"$port/cloth_port.h\""
  chooses scalar gcc -mavx2 -DCLOTH_SCALAR "-DCLOTH_PORT=\"$port/cloth_port.h\""
}

# What stands beside the two files is not looked for.
beside() {
  mkdir "$out/alone/port"
  echo '#error "included"' >"$out/alone/port/cloth_port.h"
  chooses sse2 gcc
  rm -r "$out/alone/port"
}

every_target
with_port
beside

report
