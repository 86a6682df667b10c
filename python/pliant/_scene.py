"""Scenes: files, or nested dictionaries with the same keys."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING

import numpy as np

from . import _arrays
from ._load import load
from .errors import InputError, scene_path
from .materials import Material

if TYPE_CHECKING:
    from ._pliant import Scene as _native
else:
    _native = load().Scene
_ARRAYS = ("points", "tets", "triangles", "edges", "groups")
"""Keys of a shape that is given as arrays."""
_NO_FUNCTION = (
    "a material cannot be a Python function of F: it would be called for every tet, several times per step, and would need its "
    "derivative; choose a class of pliant.materials, or write it in Rust (crates/pliant/examples/own_material.rs)"
)


class Scene:
    """Everything that a simulation begins with, checked. It never changes: `set` returns another one.

    `source` is the path of a scene file, or a dictionary with the keys of such files. Bodies of a dictionary may have a shape
    of arrays: `{"points": V, "tets": T, "groups": {"tip": nodes}}`, points in m.

    Keyword arguments set keys: `Scene("bridge.toml", method="siere", step=0.02, duration=1.0)`; `set` takes more.
    """

    def __init__(self, source, *, method=None, step=None, duration=None, set=None):  # noqa: A002
        if isinstance(source, dict):
            # Sections that hold nothing else may be left out.
            given = {"integrator": {"method": method, "step": step}, "run": {"duration": duration}}
            for section, keys in given.items():
                keys = {key: value for key, value in keys.items() if value is not None}
                if keys and isinstance(source.get(section, {}), dict):
                    source = source | {section: source.get(section, {}) | keys}
        values = _values(method, step, duration, set)
        if isinstance(source, Scene):
            self._scene = source._scene.with_values(values) if values else source._scene
        elif isinstance(source, (str, os.PathLike)):
            self._scene = _native.load(pathlib.Path(source), values)
        elif isinstance(source, dict):
            self._scene = _from_dict(source)
            if values:
                self._scene = self._scene.with_values(values)
        else:
            raise InputError(f"a scene is a path or a dictionary, not {_arrays.said(source)}")

    def set(self, path: str, value) -> Scene:
        """Returns the scene with another value of a key: `set("body[0].material.young", 1e7)`. Bodies also go by name."""
        return Scene(self, set={path: value})

    def to_toml(self) -> str:
        """Returns it as the text of a file, every default filled in."""
        return self._scene.to_toml()

    name = property(lambda self: self._scene.name, doc="Name in messages: that of its file.")
    title = property(lambda self: self._scene.title, doc="Title; may be empty.")
    method = property(lambda self: self._scene.method, doc="Name of the method.")
    step = property(lambda self: self._scene.step, doc="Length of a step [s].")
    duration = property(lambda self: self._scene.duration, doc="Simulated time [s].")
    bodies = property(lambda self: self._scene.bodies, doc="Names of the bodies.")

    def __repr__(self) -> str:
        return f"Scene({self.name!r}, method={self.method!r}, step={self.step}, duration={self.duration})"


def _values(method, step, duration, others) -> list[tuple]:
    named = {"integrator.method": method, "integrator.step": step, "run.duration": duration}
    values = [(path, plain(value, path)) for path, value in named.items() if value is not None]
    return values + [(scene_path(path), plain(value, path)) for path, value in (others or {}).items()]


def _from_dict(source: dict):
    meshes: list[tuple] = []
    table = plain(source, "", meshes)
    name = str(source.get("title") or "scene")
    return _native.from_table(name, table, pathlib.Path.cwd(), meshes)


def plain(value, path: str, meshes: list | None = None):
    """Returns a value of a scene made of numbers, words, lists and dictionaries; meshes in it are collected."""
    if isinstance(value, Material):
        value = value.to_scene()
    if isinstance(value, dict):
        if meshes is not None and "points" in value:
            return _shape(value, path, meshes)
        inner = lambda key: f"{path}.{key}" if path else str(key)
        return {str(key): plain(one, inner(key), meshes) for key, one in value.items() if one is not None}
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(one, f"{path}[{i}]", meshes) for i, one in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if callable(value):
        raise InputError(f"{path}: {_NO_FUNCTION}" if "material" in path else f"{path} is a function; give a value")
    if not isinstance(value, (bool, int, float, str)):
        raise InputError(f"{path} is {_arrays.said(value)}; give a number, a word, a list or a dictionary")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return float(value)
    return value


def _shape(shape: dict, path: str, meshes: list) -> dict:
    unknown = sorted(set(shape) - set(_ARRAYS))
    if unknown:
        raise InputError(f"{path}.{unknown[0]} is no part of a shape of arrays; it has {', '.join(_ARRAYS)}")
    points = _arrays.numbers(shape["points"], f"{path}.points", ("n", 3))
    count = len(points)
    tets, triangles, edges = (
        _arrays.corners(shape.get(key), f"{path}.{key}", width, count)
        for key, width in [("tets", 4), ("triangles", 3), ("edges", 2)]
    )
    groups = [
        (str(name), _arrays.chosen(nodes, f"{path}.groups[{name!r}]", count))
        for name, nodes in (shape.get("groups") or {}).items()
    ]
    file = f"given/{len(meshes)}"
    meshes.append((file, (points, tets, triangles, edges, groups)))
    return {"generator": "file", "path": file}
