# For the scripts that measure: writes their tables into a document between two lines, so that no two tables disagree.
# Sourced.

# Replaces what stands in a document between the lines of a command by the standard input. A document without the lines
# gets them at its end; a new one begins with them.
write_between() { # DOCUMENT COMMAND
  begin="<!-- written by $2 -->"
  end="<!-- end of what $2 writes -->"
  mkdir -p "$(dirname "$1")"
  [ -e "$1" ] || : >"$1"
  {
    awk -v begin="$begin" '$0 == begin { exit } { print }' "$1"
    echo "$begin"
    cat
    echo "$end"
    awk -v end="$end" 'after { print } $0 == end { after = 1 }' "$1"
  } >"$1.new" && mv "$1.new" "$1"
}
