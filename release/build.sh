#!/usr/bin/env bash
# Builds pliant for others: one program for each level of x86-64, and a launcher that starts the best one. Makes
# target/dist/pliant-VERSION-x86_64-linux.tar.gz with bin/pliant, libexec/pliant/pliant-v1 .. -v4, and licences.
#
#   release/build.sh              levels v1, v3 and v4
#   release/build.sh v3           this level only, for a quick look
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)
name="pliant-$version-x86_64-linux"
tree="target/dist/$name"
[ $# -gt 0 ] || set -- v1 v3 v4
rm -rf "$tree"
mkdir -p "$tree/bin" "$tree/libexec/pliant"

# RUSTFLAGS wins over the target-cpu=native of .cargo/config.toml. A directory for each level: none is built twice.
for level in "$@"; do
  case $level in
    v1) cpu=x86-64 ;;
    v2 | v3 | v4) cpu=x86-64-$level ;;
    *) echo "release/build.sh: $level is no level: use v1, v2, v3 or v4" >&2; exit 2 ;;
  esac
  RUSTFLAGS="-C target-cpu=$cpu" cargo build --release --locked --target-dir "target/levels/$level"
  install -s "target/levels/$level/release/pliant" "$tree/libexec/pliant/pliant-$level"
done

RUSTFLAGS="-C target-cpu=x86-64" cargo build --release --locked --target-dir target/levels/launcher -p pliant-processor
install -s target/levels/launcher/release/pliant-launcher "$tree/bin/pliant"
install -m 644 LICENSE THIRD-PARTY-LICENSES.md README.md "$tree"

"$tree/bin/pliant" --version
tar -C target/dist -czf "target/dist/$name.tar.gz" "$name"
du -h "$tree"/bin/* "$tree"/libexec/pliant/* "target/dist/$name.tar.gz"
