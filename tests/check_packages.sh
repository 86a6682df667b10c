#!/usr/bin/env bash
# Packs every crate as `cargo publish` would, unpacks what was packed, and compiles that: a file that a crate takes from outside of its
# folder, or a version that nobody has, fails here. Third-party crates are those that the lints have checked already.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
unpacked=$root/target/unpacked
rm -rf target/package "$unpacked"
mkdir -p "$unpacked"
cargo package --workspace --no-verify --allow-dirty --quiet

# A workspace of what was packed, in which they find each other instead of a registry.
{
  echo '[workspace]'
  echo 'resolver = "3"'
  echo 'members = ["*/"]'
  echo '[patch.crates-io]'
} >"$unpacked/Cargo.toml"
for crate in target/package/*.crate; do
  tar -C "$unpacked" -xzf "$crate"
  folder=$(basename "$crate" .crate)
  for file in README.md LICENSE; do
    [ -s "$unpacked/$folder/$file" ] || { echo "$folder has no $file" >&2; exit 1; }
  done
  echo "${folder%-*} = { path = \"$folder\" }" >>"$unpacked/Cargo.toml"
done
packed=$(find target/package -maxdepth 1 -name '*.crate' | wc -l)
# The Python package is no crate for others: tests/check_python.sh packs it.
crates=$(find crates -mindepth 1 -maxdepth 1 -type d ! -name python | wc -l)
[ "$packed" = "$crates" ] || { echo "$packed of $crates crates were packed" >&2; exit 1; }

# The same profiles, flags and versions: whatever was compiled for the lints is used again.
sed -n '/^\[profile\./,$p' Cargo.toml >>"$unpacked/Cargo.toml"
cp Cargo.lock "$unpacked"
cd "$unpacked"
export CARGO_TARGET_DIR=$root/target
cargo check --profile quick --workspace --quiet
# The library without the program. Derive macros have other features then, and what uses them is checked once more.
cargo check --profile quick --workspace --lib --no-default-features --quiet
echo "$packed packages compile"
