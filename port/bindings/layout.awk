# Writes what read.awk printed as a C program that prints sizes of structs, offsets of fields and values of enums, as a C
# compiler has them: "STRUCT size BYTES", "STRUCT FIELD OFFSET", "value NAME NUMBER".

BEGIN {
  print "#include \"cloth.h\""
  print "#include <stddef.h>"
  print "#include <stdio.h>"
  print ""
  print "int main(void) {"
}
$1 == "struct" {
  own = $2
  print "  printf(\"" own " size %u\\n\", (unsigned)sizeof(" own "));"
}
$1 == "field" { print "  printf(\"" own " " $5 " %u\\n\", (unsigned)offsetof(" own ", " $5 "));" }
$1 == "value" { print "  printf(\"value " $2 " %d\\n\", (int)" $2 ");" }
END {
  print "  return 0;"
  print "}"
}
