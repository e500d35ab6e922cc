#!/bin/sh
# port/cloth.hpp: as C++11 to C++20, with and without exceptions, memory and errors of both kinds; the machine code beside
# that of the same calls in C; every function of cloth.h has a member. $1: build directory.
set -u
. tests/verdict.sh
fresh_folder "$1" cpp_header
. tests/engines/common.sh
warnings="-pedantic -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -Wold-style-cast -Werror"
warnings="$warnings -Wzero-as-null-pointer-constant -Wno-mismatched-new-delete"
compilers="g++ clang++"

runs_as() { # COMPILER FLAGS
  name=$(echo "$1$2" | tr -d ' ')
  try "$1 $2" $1 -O1 $2 $warnings -I. -Iport tests/engines/header.cpp "$library" -o "$out/$name"
  said=$("$out/$name" 2>&1)
  [ "$said" = "$expected" ]
  verdict "$1 $2 runs" $? "$said"
}

# Instructions of a function of cost.cpp. Functions have sections of their own.
instructions() { # OBJECT FUNCTION
  objdump -d --no-show-raw-insn -j ".text.$2" "$1" | grep -c '^ '
}

# A wrapped call is no longer than the plain one.
costs_nothing() { # COMPILER LEVEL
  try "plain calls" $1 -std=c++11 $2 -fno-exceptions -fno-rtti -ffunction-sections -I. -Iport -c tests/engines/cost.cpp \
    -o "$out/plain.o"
  try "wrapped calls" $1 -std=c++11 $2 -fno-exceptions -fno-rtti -ffunction-sections -I. -Iport -DWRAPPED \
    -c tests/engines/cost.cpp -o "$out/wrapped.o"
  for function in step step_is_fine pin wind vertices frame lowest; do
    plain=$(instructions "$out/plain.o" $function)
    wrapped=$(instructions "$out/wrapped.o" $function)
    [ "$plain" -gt 0 ] && [ "$wrapped" -le "$plain" ]
    status=$?
    verdict "$1 $2: $function costs nothing" $status "$wrapped instructions, $plain in C"
    [ $status = 0 ] && shown=ok || shown=missed
    printf '%-8s %-4s %-14s %3d instructions, in C %3d  %s\n' "$1" "$2" "$function" "$wrapped" "$plain" $shown
  done
}

# What the documentation shows is what runs.
has_the_loop() {
  loop='for (float y : cape.get_positions().value().y)'
  for file in docs/engines.md port/cloth.hpp tests/engines/header.cpp; do
    grep -qF "$loop" $file
    verdict "$file has the loop" $? "$loop"
  done
}

has_every_function() {
  without=""
  for function in $(sed -n 's/^CLOTH_API .*[ *]\(cloth_[a-z0-9_]*\)(.*/\1/p' cloth.h); do
    # What returns a struct by value, and needs no more.
    case $function in
    *_default | cloth_result_name | cloth_hash_fold) continue ;;
    esac
    grep -q "[^a-z_]$function[^a-z0-9_]" port/cloth.hpp || without="$without $function"
  done
  [ -z "$without" ]
  verdict "cloth.hpp has every function of cloth.h" $? "$without"
}

for compiler in $compilers; do
  for standard in c++11 c++20; do
    runs_as $compiler "-std=$standard"
    runs_as $compiler "-std=$standard -fno-exceptions -fno-rtti"
  done
  for standard in c++14 c++17; do runs_as $compiler "-std=$standard -fno-exceptions -fno-rtti"; done
  for standard in c++11 c++17; do runs_as $compiler "-std=$standard -O2"; done
  costs_nothing $compiler -O2
done
costs_nothing g++ -O3
runs_as g++ "-std=c++11 -fsanitize=address,undefined -fno-sanitize-recover=all"
has_the_loop
has_every_function

report
