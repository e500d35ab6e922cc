#!/bin/sh
# make install and the manifests in port/packaging: the README's example is built by each of them, where that can be
# tried without the system meant, and what keeps the results the same is never lost. $1: build directory.
#
# ESP-IDF and Zephyr are stood in for by CMake functions of the same names, in tests/package/.
set -u
. tests/verdict.sh
fresh_folder "$1" package
. tests/package/small.sh

awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md >"$out/example.c"
make_targets "$1" "$1/libraries/small.o"
gcc -O1 $small -I. "$out/example.c" "$1/libraries/small.o" -o "$out/plain"
expected=$("$out/plain")
[ -n "$expected" ]
verdict "the example says something" $? "$expected"

says_the_same() { # NAME PROGRAM
  [ "$("$2" 2>&1)" = "$expected" ]
  verdict "$1 says the same" $? "$("$2" 2>&1)"
}

### make install

install_to() { # ARGUMENTS OF make
  detail=$(make -s install BUILD="$out/build" "$@" 2>&1)
  verdict "make install $*" $? "$detail"
}

pkg() { # ARGUMENTS OF pkg-config
  PKG_CONFIG_PATH=$out/prefix/lib/pkgconfig pkg-config "$@" cloth
}

# CFLAGS as a packager might set them. With clang they would have multiplications and additions fused.
install_to PREFIX="$out/prefix" CC=clang CFLAGS="-O1 -mfma -ffast-math -ffp-contract=fast $small"
[ "$(objdump -d "$out/prefix/lib/libcloth.a" | grep -c 'vfn*m\(add\|sub\)')" = 0 ]
verdict "the installed library fuses nothing" $? "it does"
rm -rf "$out/build" "$out/prefix"

install_to PREFIX="$out/prefix" OPTIMISE="-O1 $small"
case " $(pkg --cflags) " in
*" -ffp-contract=off "*) true ;;
*) false ;;
esac
verdict "pkg-config tells -ffp-contract=off" $? "$(pkg --cflags)"
detail=$(gcc -O2 -Wall -Wextra -Werror "$out/example.c" $(pkg --cflags --libs) -o "$out/linked" 2>&1)
verdict "the example is linked to the installed library" $? "$detail"
says_the_same "the linked example" "$out/linked"
detail=$(gcc -O1 -Wall -Wextra -Werror "$out/example.c" "$(pkg --variable=sourcedir)/cloth.c" $(pkg --cflags) $small \
  -o "$out/compiled" 2>&1)
verdict "the example is compiled with the installed source" $? "$detail"
says_the_same "the compiled example" "$out/compiled"

# Which nothing runs.
install_to PREFIX=/usr DESTDIR="$out/stage" OPTIMISE="-O0 $small"
[ "$(cd "$out/prefix" && find . -type f | sort)" = "$(cd "$out/stage/usr" && find . -type f | sort)" ]
verdict "DESTDIR gets the same files" $?
! grep -q "$out" "$out/stage/usr/lib/pkgconfig/cloth.pc" && grep -q '^prefix=/usr$' "$out/stage/usr/lib/pkgconfig/cloth.pc"
verdict "cloth.pc does not know of DESTDIR" $? "$(cat "$out/stage/usr/lib/pkgconfig/cloth.pc")"

### Manifests

version=$(pkg --modversion)
echo "$version" | grep -q '^[0-9]*\.[0-9]*\.[0-9]*$'
verdict "cloth.pc has a version" $? "$version"
grep -q "\"version\": \"$version\"" port/packaging/platformio/library.json
verdict "library.json has the library's version" $?
grep -q "^version: \"$version\"" port/packaging/esp-idf/cloth/idf_component.yml
verdict "idf_component.yml has the library's version" $?

# What a user copies the manifests into.
copy_library() { # TO
  mkdir -p "$1"
  cp -R cloth.h cloth.c port "$1"
}

# The sources and flags that library.json names, compiled at the top of a copy.
platformio() {
  copy_library "$out/platformio"
  cp port/packaging/platformio/library.json "$out/platformio"
  build=$(node -e 'const { build } = JSON.parse(require("fs").readFileSync(process.argv[1]));
    console.log(build.flags.join(" "), "-I" + build.includeDir,
      build.srcFilter.map((filter) => build.srcDir + "/" + filter.match(/^\+<(.*)>$/)[1]).join(" "))' \
    "$out/platformio/library.json")
  case $build in
  *-ffp-contract=off*) true ;;
  *) false ;;
  esac
  verdict "library.json has -ffp-contract=off" $? "$build"
  detail=$(cd "$out/platformio" && gcc -O1 $small "$out/example.c" $build -o "$out/platformio/example" 2>&1)
  verdict "library.json builds" $? "$detail"
  says_the_same "library.json" "$out/platformio/example"
}

# Configures tests/package/SYSTEM for the manifest at a place.
with_cmake() { # SYSTEM NAME PLACE OPTIONS
  detail=$(cmake -S "tests/package/$1" -B "$out/$2" -DCMAKE_C_FLAGS="-O1 $small" -DPLACE="$3" -DEXAMPLE="$out/example.c" $4 2>&1)
  verdict "$2 is configured" $? "$detail"
  command=$(grep '"command".*/cloth\.c"*,*$' "$out/$2/compile_commands.json")
  case $command in
  *" -ffp-contract=off "*) true ;;
  *) false ;;
  esac
  verdict "$2 has -ffp-contract=off" $? "$command"
}

and_build() { # NAME
  detail=$(cmake --build "$out/$1" 2>&1)
  verdict "$1 builds" $? "$(echo "$detail" | tail -n 5)"
  says_the_same "$1" "$out/$1/example"
}

# The source that is to be compiled, at the top of the library where the manifest was copied to.
compiles_source_of() { # NAME PLACE
  grep -q "\"file\": \"$2/cloth.c\"" "$out/$1/compile_commands.json"
  verdict "$1 compiles $2/cloth.c" $? "$(cat "$out/$1/compile_commands.json")"
}

platformio

copy_library "$out/copied"
cp port/packaging/esp-idf/cloth/* "$out/copied"
cp -R port/packaging/zephyr "$out/copied"
with_cmake esp-idf esp-idf-in-place "$PWD/port/packaging/esp-idf/cloth" ""
compiles_source_of esp-idf-in-place "$PWD"
and_build esp-idf-in-place
with_cmake esp-idf esp-idf-copied "$out/copied" ""
compiles_source_of esp-idf-copied "$out/copied"
with_cmake zephyr zephyr-in-place "$PWD/port/packaging" ""
compiles_source_of zephyr-in-place "$PWD"
with_cmake zephyr zephyr-copied "$out/copied" "-DCONFIG_CLOTH_PORT=$PWD/port/cloth_port.h"
compiles_source_of zephyr-copied "$out/copied"
grep -q 'CLOTH_PORT=' "$out/zephyr-copied/compile_commands.json"
verdict "Zephyr passes the header of hooks on" $?
and_build zephyr-copied

report
