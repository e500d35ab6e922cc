#!/bin/sh
# The documents: the examples of README and cloth.h compile and run, as C and as C++11; the code in docs/ compiles;
# every make target, link, heading and public name that a document mentions exists; every public function is explained
# in docs/. $1: build directory.
set -u
mkdir -p "$1/readme"
out=$(cd "$1/readme" && pwd)
cd "$(dirname "$0")/.." || exit 1
. tests/verdict.sh

documents=$(ls *.md docs/*.md examples/*.md examples/*/*.md port/*.md port/*/*.md src/*.md tests/*.md 2>/dev/null)

# As verdict, where what failed is looked for in documents: only then, as that is most of the time.
verdict_with() { # NAME STATUS COMMAND...
  name=$1 status=$2
  shift 2
  if [ "$status" = 0 ]; then passed=$((passed + 1)); else verdict "$name" "$status" "mentioned by $("$@" | tr '\n' ' ')"; fi
}

# Documents of today's names. CHANGELOG has the old ones too.
todays=$(echo "$documents" | grep -v '^CHANGELOG.md$')

### README

awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md >"$out/example.c"
[ -s "$out/example.c" ] && [ "$(wc -l <"$out/example.c")" -le 40 ]
verdict "the example has 1 to 40 lines" $? "$(wc -l <"$out/example.c")"
[ "$(wc -l <README.md)" -le 150 ]
verdict "README has at most 150 lines" $? "$(wc -l <README.md)"
wide=$(awk 'length($0) > 120 { print FNR }' README.md)
[ -z "$wide" ]
verdict "README has at most 120 columns" $? "lines $(echo $wide)"

# By README's command, but that no code is made of cloth.c again: the tests' library is that, by the same compiler and at
# the same level, with every warning an error.
cp cloth.h cloth.c "$out"
detail=$(cd "$out" && gcc -O2 -Wall -Wextra -Werror -ffp-contract=off -fsyntax-only example.c cloth.c 2>&1)
verdict "the example and cloth.c are parsed without a warning" $? "$detail"
make_targets "$1" "$1/libcloth.a"
detail=$(gcc -O2 -Wall -Wextra -Werror -ffp-contract=off -I"$out" "$out/example.c" "$1/libcloth.a" -o "$out/example" 2>&1)
verdict "the example compiles without a warning" $? "$detail"
"$out/example" >"$out/example.txt"
verdict "the example runs" $?
grep -q 'lowest point' "$out/example.txt"
verdict "the example prints its result" $?

# As README says: the same header, no compound literals, cloth.c as C.
sed 's/(cloth_vector){/cloth_vector{/' "$out/example.c" >"$out/example.cpp"
detail=$(g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I. "$out/example.cpp" "$1/libcloth.a" -o "$out/example_cpp" 2>&1)
verdict "the example compiles as C++11" $? "$detail"
[ "$("$out/example_cpp")" = "$(cat "$out/example.txt")" ]
verdict "the example prints the same in C++" $?

### The program at the head of cloth.h

sed -n '/^ \*     #include/,/^ \*     }$/p' cloth.h | sed 's/^ \*\(     \)*//' >"$out/head.c"
detail=$(gcc -Wall -Wextra -Wpedantic -Werror -I. "$out/head.c" "$1/libcloth.a" -o "$out/head" 2>&1 && "$out/head")
verdict "the program at the head of cloth.h compiles and runs" $? "$detail"
cp "$out/head.c" "$out/head.cpp"
detail=$(g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I. "$out/head.cpp" 2>&1)
verdict "the program at the head of cloth.h compiles as C++11" $? "$detail"

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
  verdict_with "make $command exists" $? grep -lE "(\`|^    )make( [A-Z]+=[^ \`]*)* $command" $documents
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
for path in $(cat $todays | grep -oE '`(src|tests|port|examples|docs)/[A-Za-z0-9_./*-]+`' | tr -d '`' | grep -v '\*' |
  sort -u); do
  case $path in
  *NAME*) continue ;;
  esac
  [ -e "$path" ]
  verdict_with "the file $path exists" $? grep -lF "$path" $todays
done

for test in $(cat $todays | tr '\n' ' ' | grep -oE '\btests? `[a-z_]+`' | sed 's/.*`\(.*\)`/\1/' | sort -u); do
  [ -e "tests/$test.c" ] || [ -e "tests/$test.sh" ]
  verdict_with "the test $test exists" $? grep -lF "\`$test\`" $todays
done

### Names

cat cloth.h cloth.c port/*.h port/packaging/*/* port/packaging/*/*/* examples/*.[ch] examples/*/*.[ch] tests/bench/*.[ch] \
  2>/dev/null | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u >"$out/words"

# A name that ends in "_", or in "_NAME", stands for all that begin so.
for name in $(cat $todays | grep -oE '\b(cloth|CLOTH)_[A-Za-z0-9_]+' | sed 's/_NAME$/_/' | sort -u); do
  case $name in
  *_) grep -q "^$name" "$out/words" ;;
  *) grep -qx "$name" "$out/words" ;;
  esac
  verdict_with "$name, which the documents mention, exists" $? grep -lw "$name" $todays
done

# Settings in groups, as "sleep.speed", but not names of files.
groups='grid|air|integration|tethers|tearing|solver|strain_limit|self|sleep|world|capacity'
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
