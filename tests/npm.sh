#!/bin/sh
# The package for npm: what is in it, in Node beside the hash of C, and its types. $1: build directory.
set -u
case $1 in
/*) build=$1 ;;
*) build=$PWD/$1 ;;
esac
out=$build/npm_test
rm -rf "$out"
mkdir -p "$out"
. tests/verdict.sh
. tests/engines/common.sh

install_or_skip npm node npm clang wasm-ld
try "make npm" make -s npm BUILD="$build"

# As a user installs it: packed, and unpacked beside the scene.
packed() {
  try "npm pack" npm pack "$build/npm" --pack-destination "$out" --loglevel=error --offline
  try "the package unpacks" tar xzf "$out"/cloth-wasm-*.tgz -C "$out"
  mv "$out/package" "$out/cloth"
  [ "$(cd "$out/cloth" && echo *)" = \
    "LICENSE cloth.d.ts cloth.js cloth.wasm cloth_scalar.wasm package.json structs.d.ts structs.js" ]
  verdict "what is in the package" $? "$(ls "$out/cloth")"
  [ "$(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$out/cloth/package.json")" = "$(version)" ]
  verdict "the package has the version of cloth.h" $? "$(version)"
  echo "bytes: $(cd "$out" && wc -c cloth/*.wasm cloth-wasm-*.tgz | awk '{ printf "%s %s  ", $2, $1 }')"
}

in_node() {
  cp examples/three/flag.js "$out"
  echo '{ "type": "module" }' >"$out/package.json"
  said=$(node tests/engines/npm.mjs "$out" 2>&1)
  verdict "the checks in Node" $? "$said"
  [ "$(echo "$said" | tail -n 1)" = "$expected" ]
  verdict "Node comes to the hash of C" $? "$(echo "$said" | tail -n 1), expected $expected"
  echo "$said"
}

has_every_function() {
  for function in $(sed -n 's/^CLOTH_API .*[ *]\(cloth_[a-z0-9_]*\)(.*/\1/p' cloth.h); do
    grep -q "^  $function(" "$out/cloth/structs.d.ts"
    verdict "$function has a type" $?
  done
}

# TypeScript comes by the lock file of examples/three.
types() {
  if ! make -s "$build/three_modules/node_modules/.installed" BUILD="$build"; then
    echo "types are not checked: TypeScript could not be installed"
    return
  fi
  mkdir -p "$out/types/node_modules/cloth-wasm"
  cp "$out"/cloth/* "$out/types/node_modules/cloth-wasm"
  cp tests/engines/types.ts "$out/types"
  echo '{ "type": "module" }' >"$out/types/package.json"
  try "types" node "$build/three_modules/node_modules/typescript/bin/tsc" --strict --noEmit --target es2022 \
    --module nodenext --lib es2022,dom "$out/types/types.ts"
}

# Lock files name no addresses.
no_addresses() {
  locks=$(find . -name package-lock.json -not -path './build/*' -not -path '*/node_modules/*')
  [ -n "$locks" ] && ! grep -l '"resolved"\|://' $locks
  verdict "lock files have no addresses" $? "$locks"
}

packed
in_node
has_every_function
types
no_addresses

report
