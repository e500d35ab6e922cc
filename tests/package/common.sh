# For the suites that use cloth as a package does: sourced after tests/verdict.sh with the build directory as $1. $out is the suite's folder, an absolute
# path. Sets $consumer, a program, and $expected, what it prints.
. tests/package/small.sh
consumer=$PWD/tests/package/consumer.c
make_targets "$1" "$1/libraries/small.o"
gcc -O1 $small -I. "$consumer" "$1/libraries/small.o" -o "$out/plain"
expected=$("$out/plain")
verdict "the consumer runs" $? "$expected"

# What a program may be compiled with and the library must not be. With it, clang fuses multiplications and additions.
careless="-O1 -mfma -ffast-math -ffp-contract=fast"

says_the_same() { # NAME COMMAND...
  speaker=$1
  shift
  said=$("$@" 2>&1 | tr -d "\r")
  [ "$said" = "$expected" ]
  verdict "$speaker says the same" $? "$said"
}

fuses_nothing() { # NAME LIBRARY-OR-PROGRAM
  fused=$(objdump -d "$2" | awk '/>:$/ { inside = $2 !~ /<main>/ } inside && /vfn*m(add|sub)/' | head -n 1)
  [ -e "$2" ] && [ -z "$fused" ]
  verdict "$1 fuses nothing" $? "$fused"
}

# What a shared library exports is declared in cloth.h, all of it if nothing is left out, and its name says what it is
# compatible with.
is_shared_library() { # NAME FILE [small]
  nm -D --defined-only "$2" | awk '{ print $3 }' | sort >"$out/exported"
  sed -n 's/^CLOTH_API .*[ *]\(cloth_[a-z0-9_]*\)(.*/\1/p' cloth.h | sort >"$out/declared"
  columns=-3
  [ "${3:-}" != small ] || columns=-13
  grep -qx cloth_step "$out/exported" && [ -z "$(comm $columns "$out/declared" "$out/exported")" ]
  verdict "$1 exports what cloth.h declares" $? "$(comm $columns "$out/declared" "$out/exported" | head -n 5)"
  soname=$(readelf -d "$2" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
  [ "$soname" = "libcloth.so.$(version | cut -d. -f1,2)" ]
  verdict "$1 has its soname" $? "$soname"
}

needs_shared_library() { # NAME PROGRAM
  readelf -d "$2" | grep -q "(NEEDED).*\[libcloth\.so\.$(version | cut -d. -f1,2)\]"
  verdict "$1 needs the shared library" $? "$(readelf -d "$2" | grep NEEDED)"
}

needs_no_shared_library() { # NAME PROGRAM
  [ -e "$2" ] && ! readelf -d "$2" | grep -q 'NEEDED.*libcloth'
  verdict "$1 needs no shared library" $? "$(readelf -d "$2" | grep NEEDED)"
}

# A copy of the library as a repository of its own, for those who fetch it by git.
repository() { # FOLDER
  mkdir -p "$1"
  cp -R cloth.h cloth.c port LICENSE "$1"
  git -C "$1" init -q -b main &&
    git -C "$1" add -A &&
    git -C "$1" -c user.name=cloth -c user.email=cloth@localhost commit -q -m "cloth: as it is"
}

# The command that compiles cloth.c: whatever comes before, its last words on contraction and fast-math.
compiles_with_care() { # NAME BUILD-FOLDER
  command=$(grep -h '"command".*cloth\.c' "$2/compile_commands.json" | tr ' ' '\n')
  contraction=$(echo "$command" | grep '^-ffp-contract=' | tail -n 1)
  fast=$(echo "$command" | grep -E '^-f(no-)?fast-math$' | tail -n 1)
  [ "$contraction $fast" = "-ffp-contract=off -fno-fast-math" ]
  verdict "$1 compiles cloth.c with -ffp-contract=off, last" $? "$command"
}
