#!/usr/bin/env python3
"""Packs the Python package: python/pliant and the native part, for one level of instructions or several, into a wheel.

    release/wheel.py OUT LIBRARY           one build, for the machines that it was built for
    release/wheel.py OUT v1=LIBRARY ...    a build for each level; the best one is loaded at run time

Prints the path of the wheel. Its name has the glibc that the libraries need.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    return re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.M)[1]


def glibc(data):
    """Returns the newest version of glibc that a library asks for."""
    return max(tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)", data))


def metadata():
    project = (ROOT / "pyproject.toml").read_text()
    value = lambda key: re.search(f'^{key} = "(.*)"$', project, re.M)[1]
    needed = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*?)\]", project, re.M)[1])
    lines = ["Metadata-Version: 2.1", "Name: pliant", f"Version: {version()}", "Summary: " + value("description"), "License: MIT"]
    lines += ["Requires-Python: " + value("requires-python"), *(f"Requires-Dist: {one}" for one in needed)]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()])


def stripped(library):
    """Returns the bytes of a library without symbols."""
    with tempfile.TemporaryDirectory() as place:
        small = pathlib.Path(place) / "small.so"
        subprocess.run(["strip", "-o", small, library], check=True)
        return small.read_bytes()


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    out, *libraries = arguments
    files = {f"pliant/{path.name}": path.read_bytes() for path in sorted((ROOT / "python/pliant").glob("*.py*"))}
    floor = (2, 17)
    for library in libraries:
        level, equals, path = library.rpartition("=")
        data = stripped(path)
        floor = max(floor, glibc(data))
        files[f"pliant/_pliant_{level}.abi3.so" if equals else "pliant/_pliant.abi3.so"] = data
    tag = f"cp39-abi3-manylinux_{floor[0]}_{floor[1]}_x86_64"
    info = f"pliant-{version()}.dist-info"
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: pliant\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    for name in ("LICENSE", "THIRD-PARTY-LICENSES.md"):
        files[f"{info}/licenses/{name}"] = (ROOT / name).read_bytes()

    def record(name, data):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        return f"{name},sha256={digest},{len(data)}\n"

    rows = [record(name, data) for name, data in files.items()]
    files[f"{info}/RECORD"] = ("".join(rows) + f"{info}/RECORD,,\n").encode()
    wheel = pathlib.Path(out) / f"pliant-{version()}-{tag}.whl"
    wheel.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in files.items():
            # A fixed time: the same files make the same wheel.
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
    print(wheel)


if __name__ == "__main__":
    main(sys.argv[1:])
