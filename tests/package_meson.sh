#!/bin/sh
# Cloth in a program built with Meson: as a subproject that a wrap fetches by git, as a folder among the program's, and
# installed; as a static and as a shared library. $1: build directory.
set -u
. tests/verdict.sh
fresh_folder "$1" package_meson
. tests/package/common.sh
export CC=clang

# A program in $out/NAME with nothing in subprojects yet.
program() { # NAME
  mkdir -p "$out/$1/subprojects"
  cp tests/package/meson/meson.build "$consumer" "$out/$1"
}

# Without flags of Meson's own: those of c_args are what is tested, and debugging information costs half of the time.
build() { # NAME OPTIONS...
  name=$1
  shift
  try "$name is configured" meson setup "$out/$name/build" "$out/$name" -Dbuildtype=plain "$@"
  try "$name is built" ninja -C "$out/$name/build"
  says_the_same "$name" "$out/$name/build/consumer"
}

wrapped() {
  try "there is a repository" repository "$out/repository"
  program wrapped
  cp -R port/packaging/meson/cloth.wrap port/packaging/meson/packagefiles "$out/wrapped/subprojects"
  sed -i "s|^url = .*|url = file://$out/repository|" "$out/wrapped/subprojects/cloth.wrap"
  build wrapped -Dc_args="$careless $small"
  compiles_with_care wrapped "$out/wrapped/build"
  fuses_nothing wrapped "$out/wrapped/build/consumer"
  needs_no_shared_library wrapped "$out/wrapped/build/consumer"
}

# The library and its meson.build copied among a program's own files.
copied() {
  program copied
  mkdir "$out/copied/subprojects/cloth"
  cp -R cloth.h cloth.c port port/packaging/meson/packagefiles/cloth/meson.build "$out/copied/subprojects/cloth"
  build copied -Dcloth:default_library=shared -Dc_args="$careless $small"
  shared=$out/copied/build/subprojects/cloth/libcloth.so.$(version)
  compiles_with_care copied "$out/copied/build"
  fuses_nothing "Meson's shared library" "$shared"
  is_shared_library "Meson's shared library" "$shared" small
  needs_shared_library copied "$out/copied/build/consumer"
}

# meson install, then dependency() through pkg-config.
installed() {
  mkdir "$out/library"
  cp -R cloth.h cloth.c port port/packaging/meson/packagefiles/cloth/meson.build "$out/library"
  try "the library is configured" meson setup "$out/library/build" "$out/library" --prefix="$out/prefix" --libdir=lib \
    -Doptimization=0 -Dc_args="$small"
  try "the library is installed" meson install -C "$out/library/build"
  program found
  PKG_CONFIG_PATH=$out/prefix/lib/pkgconfig build found
  [ "$(PKG_CONFIG_PATH=$out/prefix/lib/pkgconfig pkg-config --modversion cloth)" = "$(version)" ]
  verdict "Meson's cloth.pc has the library's version" $?
  case " $(PKG_CONFIG_PATH=$out/prefix/lib/pkgconfig pkg-config --cflags cloth) " in
  *" -ffp-contract=off "*) true ;;
  *) false ;;
  esac
  verdict "Meson's cloth.pc tells -ffp-contract=off" $?
}

wrapped
copied
installed

report
