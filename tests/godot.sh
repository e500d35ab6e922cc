#!/bin/sh
# The extension for Godot, loaded by a stand-in of Godot, tests/engines/godot: every method, refused arguments, what is given
# back, and the hash of C. Extension and stand-in also under sanitizers. $1: build directory.
set -u
. tests/verdict.sh
fresh_folder "$1" godot_test
. tests/engines/common.sh
flags="-std=gnu99 -Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror -I. -Itests/engines/godot"

# As make godot does, where Godot's header is that of the stand-in.
try "the extension builds" make -s godot BUILD="$out/build" GODOT_HEADER=tests/engines/godot CC=clang OPTIMISE=-O0
[ "$(nm -D --defined-only "$out/build/godot/libcloth_godot.so" | awk '{ print $3 }')" = cloth_godot_init ]
verdict "it exports its entry alone" $? "$(nm -D --defined-only "$out/build/godot/libcloth_godot.so")"
grep -q '^entry_symbol = "cloth_godot_init"$' "$out/build/godot/cloth.gdextension"
verdict "the file for Godot names the entry" $?
try "the stand-in builds" gcc $flags -O1 tests/engines/godot/host.c -ldl -o "$out/host"

plays() { # NAME HOST LIBRARY
  said=$("$2" "$3" 2>&1)
  verdict "$1 plays" $? "$said"
  [ "$said" = "$expected" ]
  verdict "$1 comes to the hash of C" $? "$said, expected $expected"
}

plays "the extension" "$out/host" "$out/build/godot/libcloth_godot.so"
sanitize="-g1 -O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
try "the extension builds with sanitizers" gcc $flags $sanitize -fPIC -shared port/godot/extension.c \
  "$library" -o "$out/sanitized.so"
try "the stand-in builds with sanitizers" gcc $flags $sanitize tests/engines/godot/host.c -ldl -o "$out/sanitized"
plays "the extension with sanitizers" "$out/sanitized" "$out/sanitized.so"
echo "$said"

report
