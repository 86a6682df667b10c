"""Finds the native part. A wheel holds it for several levels of x86-64 instructions; the best one for this machine is loaded."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent
LEVELS = ("v4", "v3", "v2", "v1")
"""Levels, the best first."""
NEEDED = {
    "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "v3": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
    "v2": {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"},
    "v1": set(),
}
"""Features that a level adds, as Linux calls them."""


def machine_level(flags: set[str]) -> str:
    """Returns the highest level whose features a machine has, with those of all levels below."""
    level = "v1"
    for name in reversed(LEVELS):
        if not NEEDED[name] <= flags:
            break
        level = name
    return level


def flags() -> set[str]:
    """Returns the features of this machine."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return set()
    return next((set(line.split(":")[1].split()) for line in lines if line.startswith("flags")), set())


def chosen(installed: list[str], machine: str, asked: str | None) -> str:
    """Returns the level to load: the best one that is there and that the machine has, or the one that was asked for."""
    fitting = [level for level in LEVELS[LEVELS.index(machine):] if level in installed]
    if asked is None:
        if not fitting:
            raise ImportError(f"this machine has {machine}, and pliant was built for {', '.join(installed)}: build it here")
        return fitting[0]
    if asked not in fitting:
        raise ImportError(f"PLIANT_CPU={asked} cannot be loaded: use one of {', '.join(fitting)}")
    return asked


def library() -> pathlib.Path | None:
    """Returns the file to load, or None if there is only one, beside this file."""
    if path := os.environ.get("PLIANT_LIBRARY"):
        return pathlib.Path(path)
    found = {path.name.split(".")[0].removeprefix("_pliant_"): path for path in FOLDER.glob("_pliant_v?.abi3.so")}
    if not found:
        return None
    return found[chosen(sorted(found), machine_level(flags()), os.environ.get("PLIANT_CPU"))]


def load():
    """Loads the native part as the module `pliant._pliant`."""
    path = library()
    if path is not None and "pliant._pliant" not in sys.modules:
        loader = importlib.machinery.ExtensionFileLoader("pliant._pliant", str(path))
        spec = importlib.util.spec_from_file_location("pliant._pliant", path, loader=loader)
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        sys.modules["pliant._pliant"] = module
    return importlib.import_module("pliant._pliant")
