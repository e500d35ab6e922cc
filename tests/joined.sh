#!/bin/sh
# cloth.c is what the parts in src/ are joined to. Runs before anything is built, as make would join them anew.
# $1: build directory.
set -u
out=$1/joined
mkdir -p "$out"
. tests/verdict.sh

sh src/join.sh >"$out/cloth.c"
verdict "the parts are joined" $?
detail=$(cmp "$out/cloth.c" cloth.c 2>&1)
verdict "cloth.c is made from the parts as they are: make cloth.c" $? "$detail"

report
