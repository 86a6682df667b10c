#!/usr/bin/env bash
# The Python package: a wheel of what was built, installed into an empty venv; its tests and every example.
#
#   tests/check_python.sh LIBRARY PLIANT     the native part and the program, of the same build
set -euo pipefail
cd "$(dirname "$0")/.."
library=$1
export PLIANT=$PWD/$2 MPLBACKEND=Agg

venv=target/venv-python
rm -rf "$venv" target/wheels
python3 -m venv "$venv"
pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
"${pip[@]}" numpy scipy pytest matplotlib pandas tqdm meshio
"${pip[@]}" pyvista || echo "PyVista cannot be had: its example is left out"
wheel=$(python3 release/wheel.py target/wheels "$library")
"${pip[@]}" --no-deps "$wheel"

# From elsewhere, so that the installed package is what is imported.
root=$PWD place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python=$root/$venv/bin/python
"$python" -m pytest -q -p no:cacheprovider "$root/python/tests"
count=0
for example in "$root"/examples/python/*.py; do
  case $example in
    *pyvista*) "$python" -c "import pyvista" 2>/dev/null || continue ;;
  esac
  echo "-- $(basename "$example")"
  "$python" "$example"
  count=$((count + 1))
done
[ "$count" -ge 9 ] || { echo "only $count examples ran" >&2; exit 1; }
echo "$(basename "$wheel"): tests and $count examples passed"
