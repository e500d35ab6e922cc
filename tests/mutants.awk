# Mutants of C sources: small changes of one place each, as a fault would be. tests/mutants.sh compiles and tests them.
#
#   awk -f tests/mutants.awk src/*.h                      lists every mutant of the code inside functions, one a line:
#                                                         file, line, column, length, kind, replacement, with tabs
#   awk -v line=L -v column=C -v width=W -v replacement=R -f tests/mutants.awk FILE
#                                                         prints the file with these W characters replaced
#
# Kinds: relation, arithmetic, assignment, logic, bits, constant, negation, statement, operation.

function listed(start, width, kind, replacement) {
  if (start > 0) {
    printf "%s\t%d\t%d\t%d\t%s\t%s\n", FILENAME, FNR, start, width, kind, replacement
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

line != "" {
  if (FNR == line) {
    print substr($0, 1, column - 1) replacement substr($0, column + width)
  } else {
    print
  }
  next
}

FNR == 1 {
  in_function = in_comment = in_macro = 0
  declared = ""
  ended = 1
}

{
  code = code_of($0)
  sub(/ +$/, "", code)
  if (in_macro || code ~ /^#/) {
    in_macro = code ~ /\\$/
    next
  }
}

in_function && /^}/ {
  in_function = 0
  declared = ""
  next
}

in_function {
  mutants(code, ended)
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
    declared = ""
    ended = 1
  } else if (code ~ /[;}]$/) {
    declared = ""
  }
}
