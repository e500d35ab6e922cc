# For the suites of other languages and engines: sourced after tests/verdict.sh with the build directory as $1. $out is the
# suite's folder, an absolute path. Sets $library, and $expected: what the program of tests/engines/flag.c prints, as every
# one of these programs must.

# Installs what is missing. Where that does not work the suite says so and ends without a check.
install_or_skip() { # WHAT-OF-install.sh COMMAND...
  what=$1
  shift
  for needed in "$@"; do
    command -v "$needed" >/dev/null 2>&1 && continue
    sh tests/install.sh "$what"
    command -v "$needed" >/dev/null 2>&1 && continue
    echo "skipped: there is no $needed, and it could not be installed"
    report
    exit
  done
}

library=$(realpath "$1")/libcloth.a
make_targets "$1" "$1/libcloth.a"
gcc -O1 -I. tests/engines/flag.c "$library" -o "$out/flag"
expected=$("$out/flag")
verdict "the flag in C" $? "$expected"
