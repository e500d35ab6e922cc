#!/bin/sh
# The bindings for C# and Unity, compiled and run by Mono with the shared library: layouts beside those of the C compiler,
# the hash of tests/engines/flag.c, and the component for Unity beside stand-ins of Unity's types. $1: build directory.
set -u
. tests/verdict.sh
fresh_folder "$1" csharp
. tests/engines/common.sh

install_or_skip csharp mcs mono

try "make unity" make -s unity "$out/build/bindings/layout" BUILD="$out/build" CC=clang OPTIMISE=-O0
package=$out/build/unity
"$out/build/bindings/layout" >"$out/layout.txt"
export LD_LIBRARY_PATH="$package/Plugins"

compile() { # PROGRAM SOURCES...
  program=$1
  shift
  try "$program compiles" mcs -warnaserror -unsafe "$@" -out:"$out/$program.exe" "$package"/Runtime/*.cs
}

flag_runs() {
  compile Flag tests/engines/Flag.cs
  said=$(mono "$out/Flag.exe" "$out/layout.txt" 2>&1)
  verdict "the checks in C#" $? "$said"
  [ "$(echo "$said" | tail -n 1)" = "$expected" ]
  verdict "C# comes to the hash of C" $? "$(echo "$said" | tail -n 1), expected $expected"
  echo "$said"
}

# A layout that differs is found, so the comparison above can fail.
wrong_layout_is_found() {
  sed 's/^cloth_config wind 1*/&1/' "$out/layout.txt" >"$out/wrong.txt"
  ! cmp -s "$out/layout.txt" "$out/wrong.txt" && ! mono "$out/Flag.exe" "$out/wrong.txt" >"$out/wrong.log" 2>&1
  verdict "a wrong offset is found" $? "$(cat "$out/wrong.log")"
}

unity_runs() {
  compile Unity -define:UNITY_5_3_OR_NEWER tests/engines/UnityStandIn.cs
  said=$(mono "$out/Unity.exe" 2>&1)
  verdict "the component for Unity plays" $? "$said"
  echo "$said"
}

flag_runs
wrong_layout_is_found
unity_runs

report
