# Writes what read.awk printed as C#: constants, enums, blittable structs and the functions of the shared library.
#
# Layout.Each() passes what the compiler of C# made of the structs, to compare with the rows of layout.awk.

BEGIN {
  names = "int int int32_t int uint32_t uint uint16_t ushort int16_t short uint8_t byte uint64_t ulong"
  names = names " size_t UIntPtr char byte float float void void"
  count = split(names, pair, " ")
  for (i = 1; i < count; i += 2) {
    csharp[pair[i]] = pair[i + 1]
  }
  count = split("base checked event fixed in is lock object operator out params ref string this", pair, " ")
  for (i = 1; i <= count; i++) {
    keyword[pair[i]] = 1
  }
  print "// Made from cloth.h by port/bindings/csharp.awk. Comments on every item are in cloth.h. SPDX-License-Identifier: MIT"
  print "using System;"
  print "using System.Runtime.InteropServices;"
  print ""
  print "namespace ClothSimulation {"
}

function type_of(type, stars) {
  return (type in csharp ? csharp[type] : type) (stars == "-" ? "" : stars)
}

function name_of(name) {
  return (name in keyword ? "@" : "") name
}

function close_block() {
  if (block == "struct" || block == "enum") {
    print "  }"
    print ""
  }
  block = ""
}

function end_function() {
  if (is_open) {
    calls[++call_count] = call ");"
  }
  is_open = 0
}

{ end_of_parameters = $1 != "parameter" }
end_of_parameters { end_function() }
$1 != "value" && $1 != "field" { close_block() }

$1 == "constant" {
  value = $3
  kind = value ~ /u$/ ? "uint" : value ~ /f$/ ? "float" : "int"
  constants[++constant_count] = "    public const " kind " " $2 " = " value ";"
}
$1 == "enum" {
  block = "enum"
  print "  public enum " $2 " : int {"
  own = $2
}
$1 == "value" {
  print "    " $2 " = " $3 ","
  rows[++row_count] = "      row(\"value\", \"" $2 "\", (int)" own "." $2 ");"
}
$1 == "opaque" {
  print "  // Known by its address only."
  print "  public struct " $2 " {"
  print "  }"
  print ""
}
$1 == "callback" { csharp[$2] = "IntPtr" }
$1 == "struct" {
  block = "struct"
  own = $2
  print "  [StructLayout(LayoutKind.Sequential)]"
  print "  public unsafe struct " own " {"
  rows[++row_count] = "      " own " " own "_value;"
  rows[++row_count] = "      row(\"" own "\", \"size\", sizeof(" own "));"
  rows[++row_count] = "      at = (byte*)&" own "_value;"
  types[++type_count] = own
}
$1 == "field" {
  if ($4 > 0) {
    print "    public fixed " type_of($2, $3) " " name_of($5) "[" $4 "];"
    address = own "_value." name_of($5)
  } else {
    print "    public " type_of($2, $3) " " name_of($5) ";"
    address = "&" own "_value." name_of($5)
  }
  rows[++row_count] = "      row(\"" own "\", \"" $5 "\", (int)((byte*)" address " - at));"
}
$1 == "function" {
  call = "    public static extern " type_of($2, $3) " " $4 "("
  is_open = 1
  separator = ""
}
$1 == "parameter" {
  call = call separator type_of($2, $3) " " name_of($4)
  separator = ", "
}

END {
  end_function()
  close_block()
  print "  // The functions of cloth.h by their own names. Pointers are valid during the call only, so that memory of the"
  print "  // caller may be pinned with fixed, be a NativeArray, or be allocated by hand."
  print "  public static unsafe class Native {"
  print "#if (UNITY_IOS || UNITY_TVOS || UNITY_WEBGL) && !UNITY_EDITOR"
  print "    private const string Library = \"__Internal\";"
  print "#else"
  print "    private const string Library = \"cloth\";"
  print "#endif"
  for (i = 1; i <= constant_count; i++) {
    print constants[i]
  }
  for (i = 1; i <= call_count; i++) {
    print ""
    print "    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]"
    print calls[i]
  }
  print "  }"
  print ""
  print "  // What the structs look like here, to compare with a C compiler's."
  print "  public static unsafe class Layout {"
  print "    public static readonly Type[] Structs = {"
  for (i = 1; i <= type_count; i++) {
    print "      typeof(" types[i] "),"
  }
  print "    };"
  print ""
  print "    // Calls row(struct, \"size\", bytes), row(struct, field, offset) and row(\"value\", name, number)."
  print "    public static void Each(Action<string, string, int> row) {"
  print "      byte* at;"
  for (i = 1; i <= row_count; i++) {
    print rows[i]
  }
  print "    }"
  print "  }"
  print "}"
}
