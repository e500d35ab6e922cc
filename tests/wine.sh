#!/bin/sh
# Runs a Windows program for the console under Wine, without a screen: sh tests/wine.sh FOLDER PROGRAM ARGUMENTS
# The status is the program's. Wine's settings (its prefix) are made in FOLDER for this run alone: two programs that start
# at once in one prefix can wait for each other for ever. An ordinary prefix has 700 MB of copied DLLs, and takes 5 s to
# make; what a program for the console needs of it are four DLLs, which are linked.
set -eu
mkdir -p "$1"
prefix=$(mktemp -d "$(cd "$1" && pwd)/run.XXXXXX")
trap 'rm -rf "$prefix"' EXIT
shift
mkdir -p "$prefix/drive_c/windows/system32"
for name in kernel32 kernelbase ntdll msvcrt; do
  found=$(ls /usr/lib/*/wine/x86_64-windows/$name.dll /usr/lib*/wine/x86_64-windows/$name.dll 2>/dev/null | head -n 1)
  [ -n "$found" ] || {
    echo "Wine's $name.dll is not where Debian has it" >&2
    exit 1
  }
  ln -s "$found" "$prefix/drive_c/windows/system32/$name.dll"
done
export WINEPREFIX="$prefix" WINEDEBUG=-all WINEDLLOVERRIDES="wineboot.exe=;mscoree,mshtml="
status=0
wine "$@" || status=$?
wineserver -w || : # it still writes to the prefix
exit $status
