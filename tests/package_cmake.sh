#!/bin/sh
# Cloth in a program built with CMake: as a folder of it, fetched by git, and installed by CMake (by make:
# tests/package_shared.sh); as a static and as a shared library; by GCC and clang, with flags that the library must not be
# compiled with; and for Windows, run under Wine. $1: build directory.
set -u
. tests/verdict.sh
fresh_folder "$1" package_cmake
. tests/package/common.sh
. tests/package/cmake.sh

folder() {
  consume subdirectory subdirectory "$PWD"
  says_the_same subdirectory "$out/subdirectory/consumer"
  needs_no_shared_library subdirectory "$out/subdirectory/consumer"
  compiles_with_care subdirectory "$out/subdirectory"
  fuses_nothing subdirectory "$out/subdirectory/consumer"
  consume subdirectory-gcc subdirectory "$PWD" -DCMAKE_C_COMPILER=gcc -DCMAKE_C_FLAGS="-O1 -ffast-math -mfma $small"
  says_the_same subdirectory-gcc "$out/subdirectory-gcc/consumer"
  compiles_with_care subdirectory-gcc "$out/subdirectory-gcc"
  fuses_nothing subdirectory-gcc "$out/subdirectory-gcc/consumer"
  try "-Ofast is undone by what the packages add" gcc -Ofast -fno-fast-math -ffp-contract=off -I. -fsyntax-only cloth.c
}

fetched() {
  try "there is a repository" repository "$out/repository"
  consume fetched fetch "file://$out/repository"
  says_the_same fetched "$out/fetched/consumer"
  compiles_with_care fetched "$out/fetched"
  fuses_nothing fetched "$out/fetched/consumer"
}

# cmake --install, then find_package().
installed() { # NAME OPTIONS...
  kind=$1
  shift
  try "$kind library is configured" cmake -S port/packaging/cmake -B "$out/$kind-build" -DCMAKE_C_COMPILER=clang \
    -DCMAKE_C_FLAGS="$careless" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
  try "$kind library is built" cmake --build "$out/$kind-build"
  try "$kind library is installed" cmake --install "$out/$kind-build" --prefix "$out/$kind-prefix"
  consume "$kind-found" find "$out/$kind-prefix"
  says_the_same "$kind-found" "$out/$kind-found/consumer"
}

installed_static() {
  installed static -DBUILD_SHARED_LIBS=OFF -DCMAKE_C_FLAGS="$careless $small"
  compiles_with_care "the installed static library" "$out/static-build"
  fuses_nothing "the installed static library" "$out/static-prefix/lib/libcloth.a"
  needs_no_shared_library static-found "$out/static-found/consumer"
}

installed_shared() {
  installed shared -DBUILD_SHARED_LIBS=ON -DCMAKE_C_FLAGS="$careless $small"
  compiles_with_care "the installed shared library" "$out/shared-build"
  fuses_nothing "the installed shared library" "$out/shared-prefix/lib/libcloth.so"
  is_shared_library "CMake's shared library" "$out/shared-prefix/lib/libcloth.so" small
  needs_shared_library shared-found "$out/shared-found/consumer"
}

# As a DLL.
for_windows() {
  try "windows is configured" cmake -S tests/package/cmake -B "$out/windows" -DWAY=subdirectory -DCLOTH="$PWD" \
    -DCONSUMER="$consumer" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc \
    -DCMAKE_C_FLAGS="-O0 -mavx2 -mfma $small" -DBUILD_SHARED_LIBS=ON
  try "windows is built" cmake --build "$out/windows"
  says_the_same windows sh tests/wine.sh "$out/wine" "$out/windows/consumer.exe"
  x86_64-w64-mingw32-objdump -p "$out/windows/consumer.exe" | grep -q "DLL Name: libcloth"
  verdict "windows needs the DLL" $?
}

folder
fetched
installed_static
installed_shared
versions static
for_windows

report
