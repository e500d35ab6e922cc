#!/bin/sh
# The documents: README's example compiles and runs, as C and as C++11; the code in docs/ compiles; every make target,
# link, heading and public name that a document mentions exists; every public function is explained in docs/.
# $1: build directory.
set -u
mkdir -p "$1/readme"
out=$(cd "$1/readme" && pwd)
cd "$(dirname "$0")/.." || exit 1
. tests/verdict.sh

documents=$(ls *.md docs/*.md examples/*.md examples/*/*.md port/*.md port/*/*.md src/*.md tests/*.md 2>/dev/null)

# Documents of today's names. CHANGELOG has the old ones too.
current() {
  echo "$documents" | grep -v '^CHANGELOG.md$'
}

### README

awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md >"$out/example.c"
[ -s "$out/example.c" ] && [ "$(wc -l <"$out/example.c")" -le 40 ]
verdict "the example has 1 to 40 lines" $? "$(wc -l <"$out/example.c")"
[ "$(wc -l <README.md)" -le 150 ]
verdict "README has at most 150 lines" $? "$(wc -l <README.md)"
wide=$(awk 'length($0) > 120 { print FNR }' README.md)
[ -z "$wide" ]
verdict "README has at most 120 columns" $? "lines $(echo $wide)"

cp cloth.h cloth.c "$out"
detail=$(cd "$out" && gcc -O2 -Wall -Wextra -Werror -ffp-contract=off example.c cloth.c -o example 2>&1)
verdict "the example compiles without a warning" $? "$detail"
"$out/example" >"$out/example.txt"
verdict "the example runs" $?
grep -q 'lowest point' "$out/example.txt"
verdict "the example prints its result" $?

# As README says: the same header, no compound literals, cloth.c as C.
sed 's/(cloth_vector){/cloth_vector{/' "$out/example.c" >"$out/example.cpp"
make_targets "$1" "$1/libcloth.a"
detail=$(g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I. "$out/example.cpp" "$1/libcloth.a" -o "$out/example_cpp" 2>&1)
verdict "the example compiles as C++11" $? "$detail"
[ "$("$out/example_cpp")" = "$(cat "$out/example.txt")" ]
verdict "the example prints the same in C++" $?

### Code in docs/

# Every block is statements with a config and a cloth to work on.
for document in docs/*.md; do
  name=$(basename "$document" .md)
  {
    echo '#include "cloth.h"'
    echo '#include <stdio.h>'
    awk -v name="$name" '
      /^```c$/ { printf "void %s_%d(cloth *c, cloth_config config);\nvoid %s_%d(cloth *c, cloth_config config) {\n",
        name, ++count, name, count; print "(void)c; (void)config;"; inside = 1; next }
      /^```$/ && inside { inside = 0; print "}" }
      inside' "$document"
  } >"$out/$name.c"
  grep -q '^```c$' "$document" || continue
  detail=$(gcc -Wall -Wextra -Wno-unused-but-set-parameter -Werror -I. -c "$out/$name.c" -o "$out/$name.o" 2>&1)
  verdict "the code in $document compiles" $? "$detail"
done

### make

# Targets of the makefiles, one a line; "%" stands in patterns.
cat Makefile *.mk */*.mk */*/*.mk 2>/dev/null | awk '
  /^[A-Za-z.][^=#]*:([^=]|$)/ { sub(/:.*/, ""); for (i = 1; i <= NF; i++) print $i }' >"$out/targets"

is_target() { # NAME
  case $1 in build/*) make -n BUILD=build "$1" >/dev/null 2>&1 && return 0 ;; esac
  awk -v name="$1" '
    $0 == name { found = 1 }
    index($0, "%") {
      before = substr($0, 1, index($0, "%") - 1)
      if (before != "" && index(name, before) == 1) found = 1
    }
    END { exit !found }' "$out/targets"
}

# In a span of code, or at the start of a line of code; variables may be set before the target.
for document in $documents; do
  grep -oE '(`|^    )make( [A-Z]+=[^ `]*)* [a-z][A-Za-z0-9._/-]*' "$document" | sed 's/.* //'
done | sort -u >"$out/commands"
[ -s "$out/commands" ]
verdict "the documents mention make" $?
while read -r command; do
  is_target "$command"
  verdict "make $command exists" $? "mentioned by $(grep -lE "(\`|^    )make( [A-Z]+=[^ \`]*)* $command" $documents | tr '\n' ' ')"
done <"$out/commands"

### Links

# Headings as a link names them: lower case, without punctuation, blanks as hyphens.
headings() { # DOCUMENT
  awk '
    /^```/ { inside = !inside }
    /^#+ / && !inside {
      sub(/^#+ /, "")
      text = tolower($0)
      gsub(/[^a-z0-9 _-]/, "", text)
      gsub(/ /, "-", text)
      print text
    }' "$1"
}

links=0
for document in $documents; do
  for link in $(awk '/^```/ { inside = !inside } !inside' "$document" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//' |
    grep -vE '^[a-z]+:'); do
    links=$((links + 1))
    file=${link%%#*}
    heading=${link#"$file"}
    target=$document
    [ -z "$file" ] || target=$(dirname "$document")/$file
    [ -e "$target" ]
    verdict "$document: the link $link leads to a file" $?
    if [ -n "$heading" ] && [ -f "$target" ]; then
      headings "$target" | grep -qxF "${heading#\#}"
      verdict "$document: the link $link leads to a heading" $?
    fi
  done
done
[ "$links" -gt 50 ]
verdict "the documents link to each other" $? "$links links"

### Files

# Paths in spans of code. Patterns with "*" are not looked up.
for path in $(cat $(current) | grep -oE '`(src|tests|port|examples|docs)/[A-Za-z0-9_./*-]+`' | tr -d '`' | grep -v '\*' |
  sort -u); do
  case $path in
  *NAME*) continue ;;
  esac
  [ -e "$path" ]
  verdict "the file $path exists" $? "mentioned by $(grep -lF "$path" $(current) | tr '\n' ' ')"
done

for test in $(cat $(current) | tr '\n' ' ' | grep -oE '\btests? `[a-z_]+`' | sed 's/.*`\(.*\)`/\1/' | sort -u); do
  [ -e "tests/$test.c" ] || [ -e "tests/$test.sh" ]
  verdict "the test $test exists" $? "mentioned by $(grep -lF "\`$test\`" $(current) | tr '\n' ' ')"
done

### Names

cat cloth.h cloth.c port/*.h port/packaging/*/* port/packaging/*/*/* examples/*.[ch] examples/*/*.[ch] tests/bench/*.[ch] \
  2>/dev/null | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u >"$out/words"

# A name that ends in "_", or in "_NAME", stands for all that begin so.
for name in $(cat $(current) | grep -oE '\b(cloth|CLOTH)_[A-Za-z0-9_]+' | sed 's/_NAME$/_/' | sort -u); do
  case $name in
  *_) grep -q "^$name" "$out/words" ;;
  *) grep -qx "$name" "$out/words" ;;
  esac
  verdict "$name, which the documents mention, exists" $? "in $(grep -lw "$name" $(current) | tr '\n' ' ')"
done

# Settings in groups, as "sleep.speed", but not names of files.
groups='grid|air|integration|projection|tethers|tearing|solver|strain_limit|contact|sleep|capacity'
for setting in $(cat README.md docs/*.md examples/*/*.md | grep -oE "\\b($groups)\\.[a-z][a-z0-9_]+" | sort -u); do
  group=${setting%%.*}
  sed -n "/^typedef struct cloth_config_$group {/,/^}/p" cloth.h | grep -qE "\\b${setting#*.}(;|,)"
  verdict "the setting $setting exists" $?
done

# Every public function is explained outside the header as well.
for function in $(grep -oE '\bcloth_[a-z0-9_]+\(' cloth.h | tr -d '(' | sort -u); do
  grep -qw "$function" docs/*.md README.md
  verdict "$function stands in a document" $?
done

grep -q '^<!-- written by make size -->$' docs/sizes.md
verdict "sizes.md says that make size writes it" $?

report
