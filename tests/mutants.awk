# Mutants of C sources: small changes of one place each, as a fault would be. tests/mutants.sh compiles and tests them.
#
#   awk -f tests/mutants.awk src/*.h src/*/*.h            lists every mutant of the code inside functions, one a line:
#                                                         file, line, column, length, kind, replacement, line at which
#                                                         the function's body begins, with tabs
#   awk -v line=L -v column=C -v width=W -v replacement=R -f tests/mutants.awk FILE
#                                                         prints the file with these W characters replaced
#   awk -v sample=LIST -f tests/mutants.awk FILE          prints the file with every mutant of a list, one a line as
#                                                         above, which cloth_mutant[] chooses
#
# Of a function with mutants there is then a copy for each, which begins with #line 1 "mutant_NUMBER", one without any,
# and a function of the old name that calls the first copy whose element of cloth_mutant[] is set; where element 0 is,
# the function notes by cloth_mutant_called() which mutants it has.
#
# Kinds: relation, arithmetic, assignment, logic, bits, constant, negation, statement, operation.

function listed(start, width, kind, replacement) {
  if (start > 0) {
    printf "%s\t%d\t%d\t%d\t%s\t%s\t%d\n", FILENAME, FNR, start, width, kind, replacement, body
  }
}

# The line with comments, strings and characters as blanks, so that columns stay.
function code_of(text,   i, c, two, result, quote) {
  result = ""
  quote = ""
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    two = substr(text, i, 2)
    if (in_comment) {
      if (two == "*/") {
        in_comment = 0
        i++
        result = result " "
      }
      c = " "
    } else if (quote != "") {
      if (c == "\\") {
        i++
        result = result " "
      } else if (c == quote) {
        quote = ""
      }
      c = " "
    } else if (two == "/*") {
      in_comment = 1
      i++
      result = result " "
      c = " "
    } else if (two == "//") {
      break
    } else if (c == "\"" || c == "'") {
      quote = c
      c = " "
    }
    result = result c
  }
  return result
}

# Every place of an operator that stands between blanks, and what takes its place.
function operators(code, kind, from, to,   at, found) {
  at = 1
  while ((found = index(substr(code, at), " " from " ")) > 0) {
    listed(at + found, length(from), kind, to)
    at += found + length(from)
  }
}

function calls(code, from, to,   at, found, before) {
  at = 1
  while ((found = index(substr(code, at), from "(")) > 0) {
    before = substr(code, at + found - 2, 1)
    if (at + found - 1 == 1 || before !~ /[A-Za-z0-9_]/) {
      listed(at + found - 1, length(from), "operation", to)
    }
    at += found + length(from)
  }
}

# Numbers, each a little larger and, where it can be, smaller.
function constants(code,   at, token, before, start) {
  if (code ~ /^ +(const |static )*[a-z_0-9]+ [a-z_0-9]+\[[^=]*;$/) { # the size of an array that is all used
    return
  }
  at = 1
  while (match(substr(code, at), /[0-9][0-9A-Za-z_.]*([eE][-+][0-9]+f)?/)) {
    start = at + RSTART - 1
    token = substr(code, start, RLENGTH)
    before = start > 1 ? substr(code, start - 1, 1) : " "
    at = start + RLENGTH
    if (before ~ /[A-Za-z0-9_.]/) {
      continue
    }
    if (token ~ /^0\.0f$/) {
      listed(start, length(token), "constant", "1.0f")
    } else if (token ~ /^[0-9.]+([eE][-+]?[0-9]+)?f$/) {
      listed(start, length(token), "constant", "(" token " * 1.25f)")
      listed(start, length(token), "constant", "(" token " * 0.75f)")
    } else if (token ~ /^[0-9]+u?$/ || token ~ /^0x[0-9a-fA-F]+u?$/) {
      listed(start, length(token), "constant", "(" token " + 1)")
      if (token !~ /^0u?$/) {
        listed(start, length(token), "constant", "(" token " - 1)")
      }
    }
  }
}

# A condition on one line, and a statement on one line that declares nothing.
function whole(code, ended,   start) {
  if (match(code, /^ +(} else )?(if|while) \(.*\) \{$/)) {
    start = index(code, "(") + 1
    listed(start, length(code) - 2 - start, "negation", "!(" substr($0, start, length(code) - 2 - start) ")")
  }
  if (ended && code ~ /^ +[^ ]/ && code ~ /;$/ && code !~ /^ *(return|break|continue|goto|do|else|if|for|while|case|CLOTH_ASSERT)/ &&
      (code ~ /^ +\*?[a-z_][^ =(]* [-+*\/|&^]?= / || code ~ /^ +[a-z_0-9]+\(.*\);$/)) {
    match(code, /^ +/)
    listed(RLENGTH + 1, length(code) - RLENGTH, "statement", ";")
  }
}

function mutants(code, ended) {
  operators(code, "relation", "<", "<=")
  operators(code, "relation", "<=", "<")
  operators(code, "relation", ">", ">=")
  operators(code, "relation", ">=", ">")
  operators(code, "relation", "==", "!=")
  operators(code, "relation", "!=", "==")
  operators(code, "arithmetic", "+", "-")
  operators(code, "arithmetic", "-", "+")
  operators(code, "arithmetic", "*", "/")
  operators(code, "arithmetic", "/", "*")
  operators(code, "assignment", "+=", "-=")
  operators(code, "assignment", "-=", "+=")
  operators(code, "assignment", "*=", "/=")
  operators(code, "assignment", "|=", "=")
  operators(code, "assignment", "&=", "=")
  operators(code, "logic", "&&", "||")
  operators(code, "logic", "||", "&&")
  operators(code, "bits", "&", "|")
  operators(code, "bits", "|", "&")
  operators(code, "bits", "<<", ">>")
  operators(code, "bits", ">>", "<<")
  calls(code, "lanes_add", "lanes_subtract")
  calls(code, "lanes_subtract", "lanes_add")
  calls(code, "lanes_multiply", "lanes_divide")
  calls(code, "lanes_divide", "lanes_multiply")
  calls(code, "lanes_minimum", "lanes_maximum")
  calls(code, "lanes_maximum", "lanes_minimum")
  calls(code, "lanes3_add", "lanes3_subtract")
  calls(code, "lanes3_subtract", "lanes3_add")
  calls(code, "vector_add", "vector_subtract")
  calls(code, "vector_subtract", "vector_add")
  constants(code)
  whole(code, ended)
}

# The name of the function that `text` declares, and its arguments by the names of its parameters.
function read_head(text,   depth, c, i, word) {
  match(text, /[A-Za-z_][A-Za-z0-9_]*\(/)
  name = substr(text, RSTART, RLENGTH - 1)
  text = substr(text, RSTART + RLENGTH)
  sub(/\) *\{$/, "", text)
  arguments = word = ""
  depth = 0
  for (i = 1; i <= length(text) + 1; i++) {
    c = i > length(text) ? "," : substr(text, i, 1)
    depth += (c == "(") - (c == ")")
    if (c != "," || depth > 0) {
      word = word c
      continue
    }
    sub(/\[.*/, "", word)
    sub(/^.*[ *]/, "", word)
    arguments = arguments (arguments == "" ? "" : ", ") word
    word = ""
  }
  arguments = arguments == "void" ? "" : arguments
}

# The function in lines[1..many], whose declaration is lines[1..head], with a suffix for its name, and with a mutant or 0.
function print_copy(suffix, mutant,   n, text) {
  for (n = 1; n <= many; n++) {
    text = lines[n]
    if (mutant && n + first_line - 1 == at_line[mutant]) {
      text = substr(text, 1, at_column[mutant] - 1) replaced_by[mutant] substr(text, at_column[mutant] + wide[mutant])
    }
    if (n <= head && match(text, "(^|[^A-Za-z0-9_])" name "\\(")) {
      text = substr(text, 1, RSTART + RLENGTH - 2) suffix substr(text, RSTART + RLENGTH - 1)
    }
    print text
  }
}

function print_choice(found, list, is_void,   n, given) {
  given = is_void ? "" : "return "
  for (n = 1; n <= head; n++) print lines[n]
  for (n = 1; n <= found; n++) {
    print "  if (cloth_mutant[" list[n] "]) {\n    " given name "__" list[n] "(" arguments ");" (is_void ? "\n    return;" : "") "\n  }"
  }
  print "  if (cloth_mutant[0]) {"
  for (n = 1; n <= found; n++) print "    cloth_mutant_called(" list[n] ");"
  print "  }\n  " given name "__0(" arguments ");\n}"
}

function print_function(   n, found, list) {
  found = 0
  for (n = 1; n <= sampled; n++) {
    if (of_file[n] == FILENAME && at_line[n] >= first_line && at_line[n] < first_line + many) {
      list[++found] = n
    }
  }
  if (found) {
    read_head(declaration)
    for (n = 1; n <= found; n++) {
      print "#line 1 \"mutant_" list[n] "\""
      print_copy("__" list[n], list[n])
    }
    print "#line 1 \"original\""
    print_copy("__0", 0)
    print_choice(found, list, declaration ~ ("void " name "\\("))
  } else {
    for (n = 1; n <= many; n++) print lines[n]
  }
  many = 0
}

BEGIN {
  while (sample != "" && (getline text < sample) > 0) {
    split(text, part, "\t")
    sampled++
    of_file[sampled] = part[1]
    at_line[sampled] = part[2] + 0
    at_column[sampled] = part[3] + 0
    wide[sampled] = part[4] + 0
    replaced_by[sampled] = part[6]
  }
}

line != "" {
  if (FNR == line) {
    print substr($0, 1, column - 1) replacement substr($0, column + width)
  } else {
    print
  }
  next
}

FNR == 1 {
  in_function = in_comment = in_macro = many = 0
  declared = ""
  ended = 1
}

# Functions are kept until their end, other lines printed.
{
  code = code_of($0)
  sub(/ +$/, "", code)
  if (sample != "" && !many && (in_macro || code ~ /^(#.*)?$/)) {
    print
  } else if (sample != "") {
    first_line = many ? first_line : FNR
    lines[++many] = $0
  }
  if (in_macro || code ~ /^#/) {
    in_macro = code ~ /\\$/
    next
  }
}

in_function && /^}/ {
  in_function = 0
  declared = ""
  if (sample != "") {
    print_function()
  }
  next
}

in_function {
  if (sample == "") {
    mutants(code, ended)
  }
  if (code !~ /^ *$/) {
    ended = code ~ /[;{}:]$/
  }
  next
}

# Outside: a body begins where a declaration with parameters ends in a brace.
{
  declared = declared " " code
  if (code ~ /\{$/) {
    in_function = declared ~ /\(/ && declared !~ /= \{$/ && declared !~ /^ *(typedef|enum|struct [a-z_]+ \{)/
    declaration = declared
    head = many
    body = FNR
    declared = ""
    ended = 1
  } else if (code ~ /[;}]$/) {
    declared = ""
  }
  if (declared == "" && !in_function) {
    for (n = 1; n <= many; n++) print lines[n]
    many = 0
  }
}
