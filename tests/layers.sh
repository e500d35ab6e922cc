#!/bin/sh
# The order of the parts in src/, read from src/parts.h: a part calls only functions of itself and of parts before it,
# and includes every part that it uses; parts of base/ and cloth/ may come with another that it includes. Prints a line
# for each part: its level, length, longest function, largest number of parameters and the parts it uses. Limits:
# 700 lines a part, 50 lines a function, 7 parameters. The folders are rooms: prints the lines of each beside its goal,
# and what is included against their order, of which there may be no more than TURNED.
set -u
cd "$(dirname "$0")/../src" || exit 1
. ../tests/verdict.sh

awk '
  function strip(text,   from, to, code) { # comments, strings and characters become blanks
    while (1) {
      if (in_comment) {
        to = index(text, "*/")
        if (!to) {
          return code
        }
        text = substr(text, to + 2)
        in_comment = 0
      }
      from = index(text, "/*")
      if (!from) {
        code = code text
        break
      }
      code = code substr(text, 1, from - 1) " "
      text = substr(text, from + 2)
      in_comment = 1
    }
    gsub(/"([^"\\]|\\.)*"/, " ", code)
    sub(/\/\/.*$/, " ", code)
    gsub(/\047([^\047\\]|\\.)*\047/, " ", code)
    return code
  }
  function fail(text) {
    print "failed: " text
    failed++
  }
  function within(path, base,   folder) { # a path in an include of a part, from src/
    folder = base
    if (!sub(/\/[^\/]*$/, "", folder)) {
      folder = ""
    }
    while (folder != "" && sub(/^\.\.\//, "", path)) {
      if (!sub(/\/[^\/]*$/, "", folder)) {
        folder = ""
      }
    }
    return folder == "" ? path : folder "/" path
  }
  function room_of(path) {
    return substr(path, 1, index(path, "/") - 1)
  }
  function is_ground(path) { # what every part builds on
    return path ~ /^(base|cloth)\//
  }
  function bring_ground(   n, m, k) { # includes lead to earlier parts
    for (n = 1; n <= parts; n++) {
      for (m = 1; m < n; m++) {
        for (k = 1; k < m && (order[n], order[m]) in includes; k++) {
          if (is_ground(order[k]) && ((order[m], order[k]) in includes || (order[m], order[k]) in brought)) {
            brought[order[n], order[k]] = 1
          }
        }
      }
    }
  }
  function define(name) {
    if (name in owner && owner[name] != part) {
      shared[name] = 1
    }
    owner[name] = part
  }
  function note_uses(code,   word) {
    gsub(/(->|\.)[ ]*[A-Za-z_][A-Za-z_0-9]*/, " ", code) # members
    while (match(code, /[A-Za-z_][A-Za-z_0-9]*/)) {
      word = substr(code, RSTART, RLENGTH)
      code = substr(code, RSTART + RLENGTH)
      is_call = code ~ /^[ ]*\(/
      if (!((part, word) in used)) {
        used[part, word] = 0
      }
      if (is_call) {
        used[part, word] = 1
      }
    }
  }
  function head_name(head,   before) { # the identifier before the first parenthesis
    before = head
    sub(/[ ]*\(.*/, "", before)
    sub(/.*[ *]/, "", before)
    return before
  }
  function parameters(head,   list, depth, count, i, letter) {
    list = substr(head, index(head, "(") + 1)
    depth = 1
    count = list ~ /^[ ]*(void)?[ ]*\)/ ? 0 : 1
    for (i = 1; i <= length(list) && depth > 0; i++) {
      letter = substr(list, i, 1)
      depth += letter == "("
      depth -= letter == ")"
      count += letter == "," && depth == 1
    }
    return count
  }
  BEGIN {
    rooms = split("base cloth terms contact bodies self group solve tear step io", room, " ")
    split("1100 3300 2000 3400 900 2200 1300 1500 600 1700 2600", goal, " ")
    for (n = 1; n <= rooms; n++) {
      room_place[room[n]] = n
    }
    TURNED = 8 # goal: 0
  }
  FILENAME == "parts.h" {
    if ($0 ~ /^\/\/\/ [0-9]/) {
      level = $2 + 0
      title[level] = $0
    }
    if ($0 ~ /^#include "/) {
      split($0, quoted, "\"")
      order[++parts] = quoted[2]
      place[quoted[2]] = parts
      level_of[quoted[2]] = level
    }
    next
  }
  FNR == 1 {
    part = FILENAME
    depth = 0
    in_comment = 0
    head = ""
    if (!(part in place)) {
      fail(part " is not listed in parts.h")
    }
    if (!(room_of(part) in room_place)) {
      fail(part " stands in no room")
    }
  }
  { lines[part] = FNR }
  /^#include "/ {
    split($0, quoted, "\"")
    path = within(quoted[2], part)
    includes[part, path] = 1
    if (path in place && place[path] >= place[part]) {
      fail(part " includes " path ", which stands after it")
    }
    if (path in place && room_place[room_of(path)] > room_place[room_of(part)]) {
      print "against the order of rooms: " part " includes " path
      turned++
    }
    next
  }
  {
    code = strip($0)
    sub(/[ \t]+$/, "", code)
  }
  in_macro || code ~ /^#/ {
    if (code ~ /^# *define /) {
      name = code
      sub(/^# *define +/, "", name)
      rest = name
      sub(/[^A-Za-z_0-9].*/, "", name)
      define(name)
      code = substr(rest, length(name) + 1)
    } else {
      sub(/^# *[a-z]+/, "", code)
    }
    in_macro = code ~ /\\$/
    note_uses(code)
    next
  }
  code == "" { next }
  {
    if (depth == 0) {
      if (head == "") {
        head_line = FNR
      }
      head = head " " code
      if (code ~ /\{/) {
        is_function = head ~ /\) *\{/ && head !~ /= *\{/ && head !~ /^ *typedef/
        if (is_function) {
          name = head_name(head)
          define(name)
          is_callable[name] = 1
          count = parameters(head)
          if (count > most_parameters[part]) {
            most_parameters[part] = count
          }
          if (count > 7) {
            fail(part ":" head_line ": " name "() has " count " parameters")
          }
        }
      }
    }
    if (depth > 0 && !is_function) {
      head = head " " code
    }
    note_uses(code)
    opened = gsub(/\{/, "{", code)
    closed = gsub(/\}/, "}", code)
    depth += opened - closed
    if (depth == 0 && code ~ /;[ ]*$/ && !is_function) {
      if (head ~ /^ *static [^=]*\(.*\) *;/ && head !~ /typedef/) {
        fail(part ":" head_line ": a function is declared before it is defined:" head)
      }
      name = head
      if (head ~ /^ *typedef/ || head ~ /^ *struct/) {
        sub(/;[^;}]*$/, "", name)
        sub(/\[[^]]*\]$/, "", name)
        sub(/.*[ *}]/, "", name)
        define(name)
      } else if (head ~ /^ *(CLOTH_CONSTANT )?static/) {
        sub(/ *(\[[^]]*\])* *=.*/, "", name)
        sub(/.*[ *]/, "", name)
        define(name)
      } else if (head ~ /^ *enum/) {
        name = head
        gsub(/=[^,}]*/, "", name)
        sub(/^[^{]*\{/, "", name)
        sub(/\}.*/, "", name)
        constants = split(name, constant, ",")
        for (i = 1; i <= constants; i++) {
          gsub(/ /, "", constant[i])
          if (constant[i] != "") {
            define(constant[i])
          }
        }
      }
      head = ""
    } else if (depth == 0 && closed && is_function) {
      length_of = FNR - head_line + 1
      if (length_of > longest[part]) {
        longest[part] = length_of
      }
      if (length_of > 50) {
        fail(part ":" head_line ": " head_name(head) "() has " length_of " lines")
      }
      head = ""
      is_function = 0
    }
  }
  END {
    bring_ground()
    for (key in used) {
      split(key, pair, SUBSEP)
      user = pair[1]
      word = pair[2]
      if (!(word in owner) || word in shared || owner[word] == user) {
        continue
      }
      if (word in is_callable && !used[key]) {
        continue # a field or variable of the same name, or a function passed on to one that is called
      }
      maker = owner[word]
      uses[user, maker] = word
      if (place[maker] > place[user]) {
        fail(user " uses " word " of " maker ", which stands after it")
      } else if (!((user, maker) in includes) && !((user, maker) in brought)) {
        fail(user " uses " word " of " maker " without including it")
      }
    }
    for (n = 1; n <= parts; n++) {
      part = order[n]
      if (level_of[part] != shown) {
        shown = level_of[part]
        print title[shown]
      }
      list = ""
      for (m = 1; m < n; m++) {
        if ((part, order[m]) in uses) {
          name = order[m]
          sub(/\.h$/, "", name)
          list = list " " name
        } else if ((part, order[m]) in includes && order[m] != "base/compiler.h") { # which brings cloth.h
          fail(part " includes " order[m] " and uses nothing of it")
        }
      }
      if (lines[part] > 700) {
        fail(part " has " lines[part] " lines")
      }
      printf "%-22s %4d lines, longest function %2d, parameters %d  uses:%s\n", part, lines[part], longest[part], \
        most_parameters[part], list
    }
    for (n = 1; n <= rooms; n++) {
      size[n] = 0
      for (m = 1; m <= parts; m++) {
        if (room_of(order[m]) == room[n]) {
          size[n] += lines[order[m]]
        }
      }
      total += size[n]
      total_goal += goal[n]
      printf "%-10s %6d lines, goal %6d  %s\n", room[n], size[n], goal[n], size[n] <= goal[n] ? "ok" : "missed"
    }
    printf "%-10s %6d lines, goal %6d  %s\n", "together", total, total_goal, total <= total_goal ? "ok" : "missed"
    printf "%-10s %6d includes, goal 0  %s\n", "upwards", turned, turned ? "missed" : "ok"
    if (turned > TURNED) {
      fail(turned " includes against the order of the rooms")
    }
    print parts " parts in order, " failed + 0 " faults"
    exit failed > 0
  }' parts.h $(sed -n 's/^#include "\(.*\)"/\1/p' parts.h)
verdict "calls go to earlier parts, sizes are within limits" $?

# The map names functions and files that exist.
grep -o '`[a-z_0-9]*()`' README.md | tr -d '`()' | sort -u >"${TMPDIR:-/tmp}/cloth_map.$$"
unknown=""
while read -r name; do
  grep -q "^[A-Za-z].*[ *]$name(" ./*/*.h ../cloth.h || unknown="$unknown $name"
done <"${TMPDIR:-/tmp}/cloth_map.$$"
rm -f "${TMPDIR:-/tmp}/cloth_map.$$"
[ -z "$unknown" ]
verdict "functions named in src/README.md exist" $? "$unknown"
unknown=""
for name in $(grep -o '`[a-z_0-9/]*\.h`' README.md | tr -d '`' | sort -u); do
  [ -e "$name" ] || [ -e "../$name" ] || unknown="$unknown $name"
done
[ -z "$unknown" ]
verdict "files named in src/README.md exist" $? "$unknown"

for file in */*.h; do
  grep -q "^#include \"$file\"" parts.h
  verdict "$file is listed in parts.h" $?
done
report
