#!/bin/sh
# Installs the Debian packages that the tests need and that are missing, and says which.
set -eu

missing=""
need() { # COMMAND PACKAGE
  command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
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

need gcc gcc
need g++ g++
need clang clang
need valgrind "valgrind libc6-dbg"
need arm-none-eabi-gcc gcc-arm-none-eabi
need nm binutils
install_missing

# Clang's sanitizers come in a package named after its version.
probe=$(mktemp -d)
echo 'int main(void) { return 0; }' >"$probe/probe.c"
if ! clang -fsanitize=address,undefined "$probe/probe.c" -o "$probe/probe" 2>/dev/null; then
  missing=" libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
fi
rm -rf "$probe"
install_missing
