# For the suites in which CMake builds a program that uses cloth: sourced after tests/package/common.sh.
minor=$(version | cut -d. -f2)

# Configures and builds the consumer in $out/NAME.
consume() { # NAME WAY CLOTH OPTIONS...
  name=$1 way=$2 place=$3
  shift 3
  try "$name is configured" cmake -S tests/package/cmake -B "$out/$name" -DWAY="$way" -DCLOTH="$place" \
    -DCONSUMER="$consumer" -DMINOR="$minor" -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS="$careless $small" "$@"
  try "$name is built" cmake --build "$out/$name"
}

look_for() { # KIND MINOR
  rm -rf "$out/look"
  cmake -S tests/package/cmake -B "$out/look" -DWAY=find -DCLOTH="$out/$1-prefix" -DCONSUMER="$consumer" \
    -DMINOR="$2" >"$out/look.log" 2>&1
}

refuses() { # KIND MINOR
  ! look_for "$1" "$2" && grep -q 'considered but not accepted' "$out/look.log"
  verdict "$1: version 0.$2 is not found" $? "$(tail -n 5 "$out/look.log")"
}

# find_package() takes this version, and no other minor version.
versions() { # KIND
  look_for "$1" "$minor.0"
  verdict "$1: version 0.$minor.0 is found" $? "$(tail -n 5 "$out/look.log")"
  refuses "$1" "$minor.9"
  refuses "$1" $((minor - 1))
  refuses "$1" $((minor + 1))
}
