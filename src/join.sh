#!/bin/sh
# Joins the parts of the library into one source on standard output. parts.h lists them in order. Each line
# #include "FILE" there, and of a lanes backend in a part, is replaced by that file; the includes by which a part names
# the parts it builds on are dropped, as these stand before it.
set -eu
cd "$(dirname "$0")"
awk '
  function quoted(line) {
    sub(/^#include "/, "", line)
    sub(/".*$/, "", line)
    return line
  }
  function put(file, is_list,   line, file_there) {
    while ((getline line < file) > 0) {
      if (line ~ /^#pragma once/ || line ~ /clang-format off/) {
        continue
      }
      if (line ~ /^#include "[.\/]*\/cloth\.h"$/) {
        print "#include \"cloth.h\""
      } else if (line ~ /^#include "\.\.\/\.\.\/port\/lanes_/ || (is_list && line ~ /^#include "/)) {
        file_there = quoted(line)
        sub(/^\.\.\/\.\.\//, "../", file_there) # from src/
        put(file_there, 0)
      } else if (line !~ /^#include "/) {
        print line
      }
    }
    close(file)
    if (!is_list) {
      print ""
    }
  }
  BEGIN { put("parts.h", 1) }' | cat -s
