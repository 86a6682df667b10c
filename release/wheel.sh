#!/usr/bin/env bash
# Builds the Python wheel for others: the native part for several levels of x86-64, of which the best is loaded at run time, in
# target/dist. The name of the wheel has the oldest glibc that it runs with: that of this machine's linker at most, or 2.28 (2018) where
# cargo-zigbuild is installed (pip install cargo-zigbuild).
#
#   release/wheel.sh              levels v1, v3 and v4
#   release/wheel.sh v3           this level only, for a quick look
set -euo pipefail
cd "$(dirname "$0")/.."

most=15000000 # bytes
[ $# -gt 0 ] || set -- v1 v3 v4
build=(cargo build)
target=x86_64-unknown-linux-gnu
if command -v cargo-zigbuild >/dev/null; then
  build=(cargo zigbuild)
  target=$target.2.28
fi

libraries=()
for level in "$@"; do
  case $level in
    v1) cpu=x86-64 ;;
    v2 | v3 | v4) cpu=x86-64-$level ;;
    *) echo "release/wheel.sh: $level is no level: use v1, v2, v3 or v4" >&2; exit 2 ;;
  esac
  # RUSTFLAGS wins over the target-cpu=native of .cargo/config.toml.
  RUSTFLAGS="-C target-cpu=$cpu" "${build[@]}" --release --locked --target "$target" --target-dir "target/levels/$level" --manifest-path crates/python/Cargo.toml
  libraries+=("$level=target/levels/$level/x86_64-unknown-linux-gnu/release/lib_pliant.so")
done

wheel=$(python3 release/wheel.py target/dist "${libraries[@]}")
size=$(stat -c %s "$wheel")
echo "$wheel: $((size / 1000)) kB"
[ "$size" -le "$most" ] || { echo "release/wheel.sh: the wheel is larger than $most bytes" >&2; exit 1; }
