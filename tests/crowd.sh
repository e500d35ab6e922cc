#!/bin/sh
# A crowd in capes comes to the same bits with one, two and four workers, with capes that fall asleep and change their
# level of detail. $1: build directory.
set -u
build=$1
log=$build/crowd/crowd.log
. tests/verdict.sh

make -s "$build/crowd/crowd" BUILD="$build" && "$build/crowd/crowd" --people 20 --frames 220 --workers 4 >"$log"
verdict "the crowd runs" $? "$(tail -n 1 "$log")"
cat "$log"
hashes=$(awk '$1 ~ /^[124]$/ { print $10 }' "$log")
[ "$(echo "$hashes" | wc -l)" = 3 ] && [ "$(echo "$hashes" | sort -u | wc -l)" = 1 ]
verdict "the same bits with one, two and four workers" $? "$(echo $hashes)"
awk '$1 == 1 { exit !($8 > 0 && $9 > 0) }' "$log"
verdict "capes fall asleep and change their level" $? "$(sed -n 3p "$log")"

report
