# Writes what read.awk printed for JavaScript. -v output=...:
#
#   script   structs.js: layouts of structs in the memory of WebAssembly (32 bits), constants
#   types    structs.d.ts: the same as types, and the functions of the module
#   checks   C that does not compile for WebAssembly unless the layouts are the compiler's
#
# By the calling convention of C in WebAssembly, a struct passed by value is passed by address, and one that is returned
# is written to an address passed first.

BEGIN {
  sizes = "int 4 int32_t 4 uint32_t 4 uint16_t 2 int16_t 2 uint8_t 1 uint64_t 8 size_t 4 float 4"
  count = split(sizes, pair, " ")
  for (i = 1; i < count; i += 2) {
    size[pair[i]] = align[pair[i]] = pair[i + 1] + 0
  }
  head = "// Made from cloth.h by port/bindings/javascript.awk. SPDX-License-Identifier: MIT"
  if (output == "checks") {
    print "#include \"cloth.h\""
  } else {
    print head
  }
  if (output == "script") {
    print "export const structs = {"
  }
  if (output == "types") {
    print "/** Where something lies in the module's memory [bytes]; 0 is NULL. */"
    print "export type Address = number;"
    print ""
  }
}

function round_up(bytes, to) {
  return int((bytes + to - 1) / to) * to
}

# As a number or an object of JavaScript.
function value_type(type, stars) {
  if (stars != "-") {
    return "Address"
  }
  return type == "uint64_t" ? "bigint" : type in is_struct ? type : "number"
}

function end_struct() {
  if (own == "") {
    return
  }
  size[own] = round_up(bytes, largest)
  align[own] = largest
  is_struct[own] = 1
  if (output == "script") {
    print "  " own ": { size: " size[own] ", fields: {"
    printf "%s", fields
    print "  } },"
  } else if (output == "types") {
    print "export interface " own " {"
    printf "%s", fields
    print "}"
    print ""
  } else {
    print "_Static_assert(sizeof(" own ") == " size[own] ", \"size of " own "\");"
    printf "%s", fields
  }
  own = ""
}

$1 != "field" { end_struct() }

$1 == "struct" {
  own = $2
  bytes = 0
  largest = 1
  fields = ""
}
$1 == "enum" || $1 == "callback" {
  size[$2] = align[$2] = 4
}
$1 == "constant" || $1 == "value" {
  value = $3
  sub(/[uf]$/, "", value)
  constants[++constant_count] = $2 " " value
}
$1 == "field" {
  kind = $3 == "-" ? $2 : "size_t"
  if (!(kind in size)) {
    print "javascript.awk: no size of " kind >"/dev/stderr"
    exit 1
  }
  bytes = round_up(bytes, align[kind])
  if (align[kind] > largest) {
    largest = align[kind]
  }
  elements = $4 > 0 ? $4 : 1
  if (output == "script") {
    shown = $3 == "-" ? $2 : "uint32_t"
    fields = fields "    " $5 ": [\"" shown "\", " bytes ", " $4 "],\n"
  } else if (output == "types") {
    fields = fields "  " $5 ": " value_type($2, $3) ($4 > 0 ? "[]" : "") ";\n"
  } else {
    fields = fields "_Static_assert(offsetof(" own ", " $5 ") == " bytes ", \"" own "." $5 "\");\n"
  }
  bytes += size[kind] * elements
}
$1 == "function" {
  end_call()
  call = $4
  returned = $2 == "void" && $3 == "-" ? "void" : value_type($2, $3)
  list = returned in is_struct ? "result: Address" : ""
}
$1 == "parameter" {
  shown = value_type($2, $3)
  list = list (list == "" ? "" : ", ") ($4 == "function" ? "f" : $4) ": " (shown in is_struct ? "Address" : shown)
}

function end_call() {
  if (call != "") {
    calls[++call_count] = "  " call "(" list "): " (returned in is_struct ? "void" : returned) ";"
  }
  call = ""
}

END {
  end_struct()
  end_call()
  if (output == "script") {
    print "};"
    print ""
    print "export const constants = {"
  } else if (output == "types") {
    print "/** The functions of cloth.h as the module has them. */"
    print "export interface Functions {"
    for (i = 1; i <= call_count; i++) {
      print calls[i]
    }
    print "}"
    print ""
    print "export declare const constants: {"
  }
  for (i = 1; i <= constant_count && output != "checks"; i++) {
    split(constants[i], pair, " ")
    print "  " pair[1] ": " (output == "types" ? "number;" : pair[2] ",")
  }
  if (output != "checks") {
    print "};"
  }
  if (output == "types") {
    print ""
    print "/** The structs of cloth.h by name. */"
    print "export interface Structs {"
    for (name in is_struct) {
      print "  " name ": " name ";" | "sort"
    }
    close("sort")
    print "}"
    print ""
    print "export declare const structs: { [name in keyof Structs]: { size: number; fields: { [field: string]: [string, number, number] } } };"
  }
}
