# For the scripts that test: counts what passes and fails, and says what fails. Sourced.
passed=0
failed=0

verdict() { # NAME STATUS DETAIL
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $1: ${3:-}"
  fi
}

# The last line, and the script's status.
report() {
  echo "$passed passed, $failed failed"
  [ $failed = 0 ]
}

# An empty folder in the build directory, whose absolute path becomes $out.
fresh_folder() { # BUILD NAME
  case $1 in
  /*) out=$1/$2 ;;
  *) out=$PWD/$1/$2 ;;
  esac
  rm -rf "$out"
  mkdir -p "$out"
}

# A command that must succeed.
try() { # NAME COMMAND...
  tried=$1
  shift
  detail=$("$@" 2>&1)
  verdict "$tried" $? "$(echo "$detail" | tail -n 5)"
}

# Makes targets of the Makefile, whatever the make above this script was told; a warning of the library is an error.
make_targets() { # BUILD TARGET...
  (
    build=$1
    shift
    MAKEFLAGS="" make -s BUILD="$build" CPPFLAGS=-Werror "$@"
  )
}

# The version that cloth.h has.
version() {
  awk '/define CLOTH_VERSION_/ { printf "%s%s", dot, $3; dot = "." }' cloth.h
}

# The switches that leave parts out, a line each.
switches_of_cloth() {
  grep -oh 'CLOTH_NO_[A-Z_]*[A-Z]' cloth.c | sort -u
}
