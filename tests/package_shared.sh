#!/bin/sh
# The libraries that make install and make install-shared leave, used through pkg-config and through CMake: a program
# linked to the static library, and one linked to the shared library. $1: build directory.
set -u
. tests/verdict.sh
fresh_folder "$1" package_shared
. tests/package/common.sh
. tests/package/cmake.sh
prefix=$out/make-prefix
# Where nothing looks into code: the same without optimisation.
quick="$careless -O0"

pkg() { # ARGUMENTS OF pkg-config
  PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config "$@" cloth
}

link() { # NAME FLAGS...
  name=$1
  shift
  # Unquoted: lists of flags.
  try "$name is linked" clang -O1 -ffast-math -Wall -Wextra -Werror "$consumer" -o "$out/$name" "$@"
}

# The header for C++ comes with the library.
cpp_header() {
  printf '#include <cloth.hpp>\nint main() { return cloths::sheet().init(cloth_config_default()).code(); }\n' >"$out/header.cpp"
  try "a program with cloth.hpp" g++ -std=c++11 -Wall -Wextra -Werror "$out/header.cpp" -o "$out/header" \
    $(pkg --cflags --libs)
  try "it makes a cloth" "$out/header"
}

static_library() {
  try "make install" make -s install BUILD="$out/build" PREFIX="$prefix" CC=clang CFLAGS="$quick $small"
  [ ! -e "$prefix/lib/libcloth.so" ]
  verdict "make install leaves no shared library" $?
  link alone $(pkg --cflags --libs)
  needs_no_shared_library alone "$out/alone"
  says_the_same alone "$out/alone"
  cpp_header
}

shared_library() {
  try "make install-shared" make -s install-shared BUILD="$out/build" PREFIX="$prefix" CC=clang CFLAGS="$careless"
  is_shared_library "make's shared library" "$prefix/lib/libcloth.so"
  fuses_nothing "make's shared library" "$prefix/lib/libcloth.so"
  compatible=$(version | cut -d. -f1,2)
  found=$(cd "$prefix/lib" && echo libcloth.*)
  [ "$found" = "libcloth.a libcloth.so libcloth.so.$compatible libcloth.so.$(version)" ]
  verdict "the libraries and their names" $? "$(ls "$prefix/lib")"
  link shared $(pkg --cflags --libs)
  needs_shared_library shared "$out/shared"
  says_the_same shared env LD_LIBRARY_PATH="$prefix/lib" "$out/shared"
  # Who wants the static library beside the shared one says so.
  link static -static $(pkg --static --cflags --libs)
  says_the_same static "$out/static"
  # What GCC and clang put into every shared library, and the three.
  known='^(mem(cpy|set|move)(@.*)?|__cxa_finalize.*|_ITM_.*|__gmon_start__)$'
  imports=$(nm -D --undefined-only "$prefix/lib/libcloth.so" | awk '{ print $2 }' | grep -v -E "$known")
  [ -z "$imports" ]
  verdict "the shared library calls memcpy, memset and memmove alone" $? "$imports"
}

# Both, by find_package().
found_by_cmake() {
  consume make-static-found find "$prefix"
  says_the_same make-static-found "$out/make-static-found/consumer"
  needs_no_shared_library make-static-found "$out/make-static-found/consumer"
  consume make-shared-found find "$prefix" -DBUILD_SHARED_LIBS=ON
  says_the_same make-shared-found "$out/make-shared-found/consumer"
  needs_shared_library make-shared-found "$out/make-shared-found/consumer"
  versions make
}

staged() {
  try "make install-shared with DESTDIR" make -s install-shared BUILD="$out/build" PREFIX=/usr DESTDIR="$out/stage" \
    CC=clang CFLAGS="$quick $small"
  [ "$(cd "$prefix" && find . | sort)" = "$(cd "$out/stage/usr" && find . | sort)" ]
  verdict "DESTDIR gets the same files" $?
  ! grep -r -l -I "$out" "$out/stage" >"$out/knows"
  verdict "no file knows of DESTDIR" $? "$(cat "$out/knows")"
}

static_library
shared_library
found_by_cmake
staged

report
