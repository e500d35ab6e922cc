#!/bin/sh
# The samples of one file: built by the command that stands in the file, played without a screen with a mouse that moves by
# itself. raylib, which Debian 12 does not have, is replaced by a stand-in, tests/engines/raylib. $1: build directory.
set -u
. tests/verdict.sh
fresh_folder "$1" samples_test
. tests/engines/common.sh

install_or_skip sdl cc pkg-config
if ! pkg-config --exists sdl2; then
  sh tests/install.sh sdl
fi

# The command is the first line of the head comment that begins with cc.
command_of() { # FILE
  sed -n 's/^ \*  *\(cc .*\)$/\1/p' "$1" | head -n 1
}

# Its last words are the program's name; warnings are errors here.
build() { # NAME
  command=$(command_of "examples/samples/$1.c" | sed "s|^cc -O2|gcc -O1 -std=c99 -Wall -Wextra -Wconversion -Wshadow -Werror|
    s|\.\./\.\./cloth\.c|$library|; s|-o $1\$|-o $out/$1|")
  try "$1 builds by its own command" sh -c "cd examples/samples && $command"
}

plays() { # NAME ARGUMENTS
  name=$1
  shift
  said=$(SDL_VIDEODRIVER=dummy SDL_RENDER_DRIVER=software "$out/$name" "$@" 2>&1)
  verdict "$name plays" $? "$said"
  echo "$name: $said"
}

sdl2_flag() {
  build sdl2_flag
  plays sdl2_flag --frames 90 --save "$out/flag.bmp"
  [ "${said%, hash*}" = "90 frames, 50 of them pulled" ]
  verdict "every frame is played, and the mouse pulls in 50" $? "$said"
  before=$said
  # A picture of many colours: the flag was drawn.
  colours=$(tail -c +55 "$out/flag.bmp" | od -An -v -tx4 -w4 | sort -u | wc -l)
  [ "$colours" -gt 500 ]
  verdict "the flag is in the picture" $? "$colours colours"
  plays sdl2_flag --frames 90
  [ "$said" = "$before" ]
  verdict "the same hand, the same hash" $? "$said, before $before"
}

# The stand-in looks at the meshes. With raylib itself the sample is compiled, too: that opens a window.
raylib_cape() {
  compile="g++ -O1 -std=c++11 -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -Werror -I. -Iport"
  try "raylib_cape compiles" $compile -Itests/engines/raylib examples/samples/raylib_cape.cpp "$library" \
    -o "$out/raylib_cape"
  plays raylib_cape
  [ "$(echo "$said" | tail -n 1)" = "120 meshes drawn after 240 updates, 0 faults" ]
  verdict "the cape is drawn in every frame" $? "$said"
  echo "$said" | grep -q '^120 frames, hash [0-9a-f]*$'
  verdict "the cape has a hash" $? "$said"
  if pkg-config --exists raylib; then
    try "raylib_cape compiles with raylib" $compile $(pkg-config --cflags raylib) examples/samples/raylib_cape.cpp \
      "$library" $(pkg-config --libs raylib) -o "$out/raylib_cape_window"
  else
    echo "raylib itself is not here: not tried"
  fi
}

raylib_cape
if pkg-config --exists sdl2; then
  sdl2_flag
else
  echo "skipped: there is no SDL2, and it could not be installed"
fi

report
