#!/bin/sh
# Installs the Debian packages that the tests need and that are missing, and says which.
set -eu

missing=""
need() { # COMMAND PACKAGE
  command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
need gcc gcc
need g++ g++
need clang clang
need valgrind valgrind
need arm-none-eabi-gcc gcc-arm-none-eabi
need nm binutils

[ -n "$missing" ] || exit 0
echo "installing:$missing"
if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo"
else
  echo "not root and no sudo: install these packages by hand:$missing" >&2
  exit 1
fi
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
