#!/bin/sh
# Runs a Windows program for the console under Wine, without a screen: sh tests/wine.sh FOLDER PROGRAM ARGUMENTS
# FOLDER holds Wine's settings (its prefix) and is made if missing. An ordinary prefix has 700 MB of copied DLLs, and
# takes 5 s to make; what a program for the console needs of it are four DLLs, which are linked. The status is the
# program's.
set -eu
prefix=$1
shift
mkdir -p "$prefix/drive_c/windows/system32"
prefix=$(cd "$prefix" && pwd)
for name in kernel32 kernelbase ntdll msvcrt; do
  target=$prefix/drive_c/windows/system32/$name.dll
  [ -e "$target" ] && continue
  found=$(ls /usr/lib/*/wine/x86_64-windows/$name.dll /usr/lib*/wine/x86_64-windows/$name.dll 2>/dev/null | head -n 1)
  [ -n "$found" ] || {
    echo "Wine's $name.dll is not where Debian has it" >&2
    exit 1
  }
  # Another run may have made it meanwhile.
  ln -s "$found" "$target" 2>/dev/null || [ -e "$target" ]
done
export WINEPREFIX="$prefix" WINEDEBUG=-all WINEDLLOVERRIDES="wineboot.exe=;mscoree,mshtml="
exec wine "$@"
