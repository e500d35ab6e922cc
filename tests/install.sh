#!/bin/sh
# Installs the Debian packages that the tests need and that are missing, and says which. $1: web for what builds the
# page, browser for what tests it, window for what builds the game with a window, screen for what tests that, bullet for
# the coupling to that engine, csharp for the bindings for C#, npm for the package for JavaScript, sdl for the sample with
# SDL, nothing for all other tests.
set -eu

missing=""
need() { # COMMAND PACKAGE
  command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

need_file() { # FILE PACKAGE
  [ -e "$1" ] || missing="$missing $2"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    echo "not root and no sudo: install these packages by hand:$missing" >&2
    exit 1
  fi
}

install_missing() {
  [ -n "$missing" ] || return 0
  echo "installing:$missing"
  as_root apt-get update -qq
  # Not $missing in quotes: it is a list of packages.
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
  missing=""
}

# Builds the page of examples/web, and tests it.
case ${1:-} in
web | browser)
  need cc gcc
  need clang clang
  need wasm-ld lld
  ;;
esac
if [ "${1:-}" = browser ]; then
  need chromium chromium
  need chromedriver chromium-driver
  need busybox busybox
  need curl curl
  need_file /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf fonts-dejavu-core
fi
# Builds examples/game with a window, and looks at it without a screen.
case ${1:-} in
window | screen)
  need cc gcc
  need pkg-config pkg-config
  need_file /usr/include/SDL2/SDL.h libsdl2-dev
  ;;
esac
[ "${1:-}" != screen ] || need Xvfb xvfb
# Builds examples/coupling.
if [ "${1:-}" = bullet ]; then
  need cc gcc
  need c++ g++
  need_file /usr/include/bullet/btBulletDynamicsCommon.h libbullet-dev
fi
# Tests the bindings for C#.
if [ "${1:-}" = csharp ]; then
  need cc gcc
  need mcs mono-mcs
  need mono mono-runtime
fi
# Builds and tests the package for npm.
if [ "${1:-}" = npm ]; then
  need cc gcc
  need clang clang
  need wasm-ld lld
  need node nodejs
  need npm npm
fi
# Builds the sample with SDL.
if [ "${1:-}" = sdl ]; then
  need cc gcc
  need pkg-config pkg-config
  need_file /usr/include/SDL2/SDL.h libsdl2-dev
fi
if [ -n "${1:-}" ]; then
  install_missing
  exit
fi

need gcc gcc
need g++ g++
need clang clang
need valgrind "valgrind libc6-dbg"
need arm-none-eabi-gcc gcc-arm-none-eabi
need nm binutils

# What tests/package*.sh build with.
need cmake cmake
need git git
need meson meson
need ninja ninja-build
need pkg-config pkg-config

# What tests/matrix.sh and tests/corpus.sh compile for and run on. Not gcc-multilib for i386: it conflicts with all of
# these cross compilers.
need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
need arm-linux-gnueabihf-gcc gcc-arm-linux-gnueabihf
need i686-linux-gnu-gcc gcc-i686-linux-gnu
need mips-linux-gnu-gcc gcc-mips-linux-gnu
need powerpc-linux-gnu-gcc gcc-powerpc-linux-gnu
need powerpc64-linux-gnu-gcc gcc-powerpc64-linux-gnu
need riscv64-linux-gnu-gcc gcc-riscv64-linux-gnu
need riscv64-unknown-elf-gcc gcc-riscv64-unknown-elf
need s390x-linux-gnu-gcc gcc-s390x-linux-gnu
need sh4-linux-gnu-gcc gcc-sh4-linux-gnu
need_file /usr/i686-linux-gnu/include/stdlib.h libc6-dev-i386-cross
need_file /usr/s390x-linux-gnu/include/stdio.h libc6-dev-s390x-cross
need_file /usr/aarch64-linux-gnu/include/stdio.h libc6-dev-arm64-cross
need ld.lld lld
need llvm-objdump llvm
need node nodejs
need qemu-arm qemu-user
need qemu-system-arm qemu-system-arm
need qemu-system-riscv32 qemu-system-misc

# Programs for Windows.
need x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64-win32
need x86_64-w64-mingw32-g++ g++-mingw-w64-x86-64-win32
need i686-w64-mingw32-gcc gcc-mingw-w64-i686-win32
need lld-link lld
need wine "wine wine64"
install_missing

# Clang's sanitizers come in a package named after its version.
probe=$(mktemp -d)
echo 'int main(void) { return 0; }' >"$probe/probe.c"
if ! clang -fsanitize=address,undefined "$probe/probe.c" -o "$probe/probe" 2>/dev/null; then
  missing=" libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
fi
rm -rf "$probe"
install_missing
