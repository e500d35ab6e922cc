#!/bin/sh
# Joins the parts of the library, in the order of src/parts, into one source on standard output.
set -eu
cd "$(dirname "$0")"
while read -r part; do
  cat "$part"
done <parts
