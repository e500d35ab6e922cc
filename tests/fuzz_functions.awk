# The public functions of cloth.h as a C header for tests/fuzz.c: an enum with CALLED_ before each name, and the names.
# A function that the fuzzer never calls is told by the count of its calls; one that it calls and that does not exist
# any more does not compile.
/^CLOTH_API/ {
  match($0, /cloth_[a-z_0-9]+\(/)
  names[++count] = substr($0, RSTART, RLENGTH - 1)
}
END {
  print "/* Made by tests/fuzz_functions.awk from cloth.h. */"
  print "enum {"
  for (n = 1; n <= count; n++) print "  CALLED_" names[n] ","
  print "  FUNCTION_COUNT\n};"
  print "static const char *const function_names[FUNCTION_COUNT] = {"
  for (n = 1; n <= count; n++) print "    \"" names[n] "\","
  print "};"
}
