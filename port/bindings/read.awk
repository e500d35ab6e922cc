# Reads cloth.h and prints what it declares, one thing a line, for the programs beside this one that write it in another
# language:
#
#   constant NAME VALUE             a #define of a number
#   enum NAME                       followed by its values
#   value NAME NUMBER
#   opaque NAME                     a struct whose fields are not public
#   callback NAME                   a type of pointers to functions; where no type is named such a pointer is a void *
#   struct NAME                     followed by its fields
#   field TYPE STARS COUNT NAME     COUNT is the length of an array, 0 for none; STARS the number of * of a pointer, or -
#   function TYPE STARS NAME        followed by its parameters
#   parameter TYPE STARS NAME
#
# cloth.h is written in a regular way, laid out by clang-format: this is no parser of C. What it does not understand ends
# it with an error.

function fail(what) {
  print "read.awk: line " FNR ": cannot read: " what >"/dev/stderr"
  failed = 1
  exit 1
}

# Comments become blanks.
function strip(text,   from, to, code) {
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
      sub(/\/\/.*/, "", text)
      return code text
    }
    code = code substr(text, 1, from - 1) " "
    text = substr(text, from + 2)
    in_comment = 1
  }
}

# "const float *x" or "cloth *const *cloths": sets type, stars and name. `name` is empty for "void".
function declare(text,   words, count) {
  text = " " text
  gsub(/ const /, " ", text)
  gsub(/ struct /, " ", text)
  gsub(/\*const /, "*", text)
  stars = gsub(/\*/, " ", text)
  stars = stars == 0 ? "-" : stars == 1 ? "*" : stars == 2 ? "**" : "?"
  count = split(text, words, " ")
  if (count > 2 || stars == "?") {
    fail(text)
  }
  type = words[1]
  name = count == 2 ? words[2] : ""
}

# Pointers to functions, "int (*name)(void *context, int count)", become "void *name".
function without_calls(text,   before, inside, after) {
  while (match(text, /\(\*[a-z_0-9]*\)[ ]?\([^()]*\)/)) {
    before = substr(text, 1, RSTART - 1)
    inside = substr(text, RSTART + 2, RLENGTH - 2)
    after = substr(text, RSTART + RLENGTH)
    sub(/\).*/, "", inside)
    sub(/[a-z_0-9* ]*$/, "", before)
    text = before " void *" inside after
  }
  return text
}

function number_of(text) {
  if (text in values) {
    return values[text]
  }
  if (text !~ /^-?[0-9]+$/) {
    fail(text)
  }
  return text
}

function read_enum(body,   parts, count, i, pair, next_value) {
  count = split(body, parts, ",")
  next_value = 0
  for (i = 1; i <= count; i++) {
    gsub(/ /, "", parts[i])
    if (parts[i] == "") {
      continue
    }
    split(parts[i], pair, "=")
    if (parts[i] ~ /=/) {
      next_value = number_of(pair[2])
    }
    values[pair[1]] = next_value
    print "value", pair[1], next_value
    next_value++
  }
}

function read_fields(body,   lines, line_count, i, names, name_count, j, length_of, own_type) {
  line_count = split(body, lines, ";")
  for (i = 1; i <= line_count; i++) {
    if (lines[i] ~ /^[ ]*$/) {
      continue
    }
    name_count = split(lines[i], names, ",")
    for (j = 1; j <= name_count; j++) {
      length_of = 0
      if (match(names[j], /\[[^]]*\]/)) {
        length_of = number_of(substr(names[j], RSTART + 1, RLENGTH - 2))
        sub(/\[[^]]*\]/, "", names[j])
      }
      # The type stands before the first name only: "const float *x, *y, *z".
      declare(j == 1 ? names[j] : own_type " " names[j])
      own_type = type
      print "field", type, stars, length_of, name
    }
  }
}

function read_function(text,   head, list, parts, count, i) {
  head = text
  sub(/\(.*/, "", head)
  declare(head)
  print "function", type, stars, name
  list = text
  sub(/^[^(]*\(/, "", list)
  sub(/\)[ ]*$/, "", list)
  count = split(list, parts, ",")
  for (i = 1; i <= count; i++) {
    declare(parts[i])
    if (name != "") {
      print "parameter", type, stars, name
    }
  }
}

function take(text,   what) {
  gsub(/[ \t]+/, " ", text)
  sub(/^ /, "", text)
  if (text ~ /^typedef [^{]*\(\*/) {
    text = without_calls(text)
    sub(/.*\*/, "", text)
    print "callback", text
    return
  }
  text = without_calls(text)
  if (text ~ /^CLOTH_API /) {
    sub(/^CLOTH_API /, "", text)
    read_function(text)
  } else if (text ~ /^typedef (enum|struct) [a-z_0-9]* \{/) {
    split(text, what, " ")
    print what[2], what[3]
    sub(/^[^{]*\{/, "", text)
    sub(/\}[^}]*$/, "", text)
    if (what[2] == "enum") {
      read_enum(text)
    } else {
      read_fields(text)
    }
  } else if (text ~ /^typedef struct /) {
    split(text, what, " ")
    print "opaque", what[3]
  } else if (text !~ /^struct [a-z_]* ?$/ && text != "") {
    fail(text)
  }
}

{ code = strip($0) }

# The branches of #if differ in nothing that counts here, but for constants that a program may set itself.
code ~ /^#/ {
  if (code ~ /^#define [A-Z_]+ [^ ]/ && code !~ /__|alignas|_Alignas|#define CLOTH_API/) {
    split(code, word, " ")
    value = word[3]
    gsub(/[()]/, "", value)
    values[word[2]] = value
    print "constant", word[2], value
  }
  next
}
code ~ /^extern "C" \{/ || code ~ /^\}[ ]*$/ { next }

{
  statement = statement " " code
  depth += gsub(/\{/, "{", code) - gsub(/\}/, "}", code)
  if (depth == 0 && statement ~ /;[ ]*$/) {
    sub(/;[ ]*$/, "", statement)
    take(statement)
    statement = ""
  }
}

END {
  if (!failed && statement !~ /^[ ]*$/) {
    fail(statement)
  }
}
