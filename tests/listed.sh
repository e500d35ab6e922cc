#!/bin/sh
# The list of suites and tests/README.md against the files: every program and script of tests/ is run by a suite, every
# suite has a file, and README names every suite and file. Lists of switches against cloth.c. $1: build directory, which
# is not used.
set -u
. tests/verdict.sh

# Sources that are no program of a suite: a script or make compiles them, for boards, with flags of its own, to draw.
compiled_by_scripts="arena_table fabrics_picture fuzz geometry_cost lanes left_out
  matrix poisoned port_hooks self_cost skin_time work_calibration workers_time"
# Scripts that are no suite: what others source or call, and targets of their own.
other_scripts="browser contact_cost coverage fuzz mutants install run thesis verdict wine written"

is_in() { # WORD LIST...
  word=$1
  shift
  case " $(echo $*) " in
  *" $word "*) true ;;
  *) false ;;
  esac
}

commands() { # script|program
  awk -v wanted="$1" '
    /^[^#]/ { print ($2 ~ /^(script|alone|clock|first)$/ ? "script" : "program"), $5 }' tests/suites |
    sed -n "s/^$1 //p" | sort -u
}

programs=$(commands program)
scripts=$(commands script)
for file in tests/*.c; do
  name=$(basename "$file" .c)
  is_in "$name" $programs $compiled_by_scripts
  verdict "$file is run" $? "add it to tests/suites"
done
for file in tests/*.sh; do
  name=$(basename "$file" .sh)
  is_in "$name" $scripts $other_scripts
  verdict "$file is run" $? "add it to tests/suites"
done
for name in $programs; do
  [ -e "tests/$name.c" ]
  verdict "the program $name has a source" $?
done
for name in $(awk '/^[^#]/ && ($2 ~ /^(script|alone|clock|first)$/) { print $5 }' tests/suites); do
  [ -e "tests/$name.sh" ]
  verdict "the script $name exists" $?
done
double=$(awk '/^[^#]/ { print $1 }' tests/suites | sort | uniq -d)
[ -z "$double" ]
verdict "every suite has a name of its own" $? "$double"

# In the tables of README a file stands in backquotes at the beginning of a row.
for file in tests/*.c tests/*.h tests/*.sh tests/*.awk tests/*.js tests/*.mk tests/suites tests/*/; do
  name=${file#tests/}
  grep -q "^| .*\`$name\`" tests/README.md
  verdict "tests/README.md lists $name" $?
done
for name in $(awk '/^[^#]/ { print $1 }' tests/suites); do
  grep -q "^| .*\`$name[\`.]" tests/README.md
  verdict "tests/README.md lists the suite $name" $?
done

# The switches that the rows of a table begin with, from the underscore on. NAME stands for any switch in a comment of
# cloth.c.
lists_switches() { # FILE
  switches_of_cloth | grep -v '^CLOTH_NO_NAME$' >"$lists/there"
  grep '^| `_' "$1" | cut -d'|' -f2 | grep -oE '_[A-Z_]*[A-Z]' | sed 's/^/CLOTH_NO/' | sort >"$lists/listed"
  difference=$(diff "$lists/listed" "$lists/there")
  verdict "$1 lists every switch, and no other" $? "$(echo $difference)"
}

lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
lists_switches docs/reference.md

# The tables of CHANGELOG.md against cloth.h: every function and every field of a config, as GROUP.FIELD, and none that
# is not there but for those that are gone.
tables() {
  sed -n '/^### The step of one equation/,/^Also gone/p' CHANGELOG.md | grep '^| `'
}

# The groups of cloth_config are structs cloth_config_GROUP.
config_fields() {
  awk '
    { sub(/\/\/.*/, "") }
    /^typedef struct cloth_config/ { group = $3; sub(/^cloth_config_?/, "", group); inside = 1; next }
    /^}/ { inside = 0 }
    inside && /;/ {
      sub(/;.*/, "")
      count = split($0, names, ",")
      for (n = 1; n <= count; n++) {
        sub(/^.*[ *]/, "", names[n])
        print (group == "" ? "" : group ".") names[n]
      }
    }' cloth.h
}

# An engine programmer reads it in ten minutes.
[ "$(wc -l <cloth.h)" -le 1000 ] && [ "$(wc -w <cloth.h)" -le 7000 ]
verdict "cloth.h has at most 1000 lines and 7000 words" $? "$(wc -lw <cloth.h)"

tables | grep -v '| gone |' | cut -d'|' -f2 | grep -oE '`[a-z0-9_.]+`' | tr -d '`' | sort >"$lists/listed"
{
  sed -n 's/^CLOTH_API.*[ *]\(cloth_[a-z0-9_]*\)(.*/\1/p' cloth.h
  config_fields
} | sort >"$lists/there"
[ "$(wc -l <"$lists/there")" -gt 150 ]
verdict "cloth.h has its functions and settings" $?
difference=$(diff "$lists/listed" "$lists/there")
verdict "CHANGELOG.md lists every function and setting once, and no other" $? "$(echo $difference)"

report
