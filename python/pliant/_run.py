"""Whole runs."""

from __future__ import annotations

import csv
import html
import json
import os
import pathlib
import shutil
import sys
import tempfile
import warnings
import weakref
from typing import NamedTuple

import numpy as np

from ._load import load
from ._scene import Scene
from ._simulation import Energies, _NoBar, _bar
from .errors import InputError, OutputError

LARGE = 256 << 20
"""Size from which positions are kept in a file that is mapped into memory [bytes]."""

_ARRAYS = ("times", "positions", "rest", "tets", "triangles", "edges", "surface")
"""Arrays of a saved run, a file each."""


class Series(dict):
    """Columns of a run by name, one value per step: energies [J], momenta, work."""

    def to_pandas(self):
        """Returns it as a `pandas.DataFrame`, indexed by time [s]."""
        import pandas

        return pandas.DataFrame(dict(self)).set_index("time")


class Moment(NamedTuple):
    """State that an observer sees after each step."""

    step: int
    """Steps done."""
    time: float
    """Time [s]."""
    energies: Energies
    """Energies [J]."""
    positions: np.ndarray
    """Positions (nodes, 3) [m]."""
    velocities: np.ndarray
    """Velocities (nodes, 3) [m/s]."""


class Run:
    """A run that has ended."""

    def __init__(self, facts: dict, *, page=None, scene: Scene | None = None, directory=None):
        self.status: str = facts["status"]
        """How it ended: "done", "diverged" or "interrupted"."""
        self.failure = facts["failure"]
        """The `Diverged` that ended it, if one did."""
        self.summary: dict = facts["summary"]
        """Everything that summary.json of the command says."""
        self.series = Series(facts["series"])
        """Columns by name, one value per step: energies [J], momenta, work."""
        self.times: np.ndarray = facts["times"]
        """Time of each frame [s]."""
        self.positions: np.ndarray = facts["positions"]
        """Positions (frames, nodes, 3) [m]; mapped into memory if they are large."""
        self.rest: np.ndarray = facts["rest"]
        """Positions at rest [m]."""
        self.tets, self.triangles, self.edges = facts["tets"], facts["triangles"], facts["edges"]
        self.surface: np.ndarray = facts["surface"]
        """Triangles of the surface of solids."""
        self.bodies: dict[str, slice] = facts["bodies"]
        """Nodes of each body."""
        self.scene = scene
        """The scene."""
        self.directory = directory
        """Directory of its files, if it has one."""
        self._page = page

    def page(self) -> str:
        """Returns the moving page: one HTML file that opens anywhere."""
        text = self._page() if self._page else None
        if text is None:
            raise InputError(
                "this run has no page: it was read from files, or its positions are too large; "
                "lower run.frame_rate, or use `pliant view` on a directory of files"
            )
        return text

    def _repr_html_(self) -> str:
        if self._page is None:
            return f"<pre>{html.escape(repr(self))}</pre>"
        return frame(self.page())

    def show(self) -> None:
        """Shows the moving page: in a notebook below the cell, otherwise in the browser."""
        shown(self.page(), "pliant-run")

    def save(self, path) -> pathlib.Path:
        """Saves it, by the ending of the path.

        ".html" the moving page; ".mp4" or ".gif" a film, drawn by matplotlib (mp4 needs ffmpeg); ".csv" the series; ".npz" all
        arrays; without an ending a directory that `pliant.open` reads, its positions mapped into memory.
        """
        path = pathlib.Path(path)
        match_ending = {".html": self._save_html, ".csv": self._save_csv, ".npz": self._save_npz, "": self._save_directory}
        if path.suffix in (".mp4", ".gif"):
            from . import _film

            _film.save(self, path)
        elif path.suffix in match_ending:
            match_ending[path.suffix](path)
        else:
            raise InputError(f"a run is not saved as {path.suffix!r}; use .html, .mp4, .gif, .csv, .npz or a directory")
        return path

    def _save_html(self, path):
        path.write_text(self.page(), encoding="utf-8")

    def _save_csv(self, path):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.series)
            writer.writerows(zip(*(column.tolist() for column in self.series.values())))

    def _save_npz(self, path):
        np.savez_compressed(path, times=self.times, positions=self.positions, rest=self.rest, tets=self.tets, **self.series)

    def _save_directory(self, path):
        if path.exists() and not (path / "pliant.json").exists() and any(path.iterdir()):
            raise OutputError(f"{path} holds other files; choose another directory")
        path.mkdir(parents=True, exist_ok=True)
        # A file that a run has mapped is replaced, not written into.
        for name in _ARRAYS:
            np.save(path / f".{name}.npy", getattr(self, name))
            os.replace(path / f".{name}.npy", path / f"{name}.npy")
        np.savez(path / "series.npz", **self.series)
        self._save_csv(path / "series.csv")
        if self.scene is not None:
            (path / "scene.toml").write_text(self.scene.to_toml(), encoding="utf-8")
        bodies = {name: [nodes.start, nodes.stop] for name, nodes in self.bodies.items()}
        facts = {"status": self.status, "bodies": bodies, "summary": self.summary}
        (path / "pliant.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")

    def __getitem__(self, body: str) -> np.ndarray:
        """Returns the positions of one body (frames, nodes, 3) [m]."""
        if body not in self.bodies:
            raise KeyError(f"there is no body {body!r}; use one of {', '.join(self.bodies)}")
        return self.positions[:, self.bodies[body]]

    def __repr__(self) -> str:
        method, time = self.summary.get("method"), self.summary.get("time")
        return f"Run({self.status}, method={method!r}, {len(self.times)} frames to {time} s, {len(self.rest)} nodes)"


def run(
    scene, *, method=None, step=None, duration=None, set=None, out=None, force=False, progress=False, observer=None  # noqa: A002
) -> Run:
    """Runs a scene to its duration: a path, a dictionary or a `Scene`.

    method, step [s] and duration [s] replace those of the scene, `set` any other keys by their paths. Results have the same bits
    as those of the command. out: also write the files of the command into this directory (force: replace another run there).
    observer: function of a `Moment`, called after every step; an exception in it ends the run.

    A step that fails ends the run with status "diverged", Ctrl-C with "interrupted"; what was computed is kept.
    """
    scene = Scene(scene, method=method, step=step, duration=duration, set=set)
    bar = _bar(progress, max(1, round(scene.duration / scene.step)), scene.method)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="pliant-")) / "positions"
    try:
        with bar:
            told = None if isinstance(bar, _NoBar) else lambda done, all_steps: bar.update(done - bar.n)
            seen = observer and (lambda step, time, energies, x, v: observer(
                Moment(step, time, Energies(*energies), x.reshape(-1, 3), v.reshape(-1, 3))) and None)
            record, was_stopped = load().run(
                scene._scene, out=out and pathlib.Path(out), force=force, scratch=scratch, most=LARGE, progress=told, observer=seen
            )
        facts = dict(record.facts)
        is_filed = facts.pop("is_filed")
        facts["summary"] = json.loads(facts["summary"])
        facts["bodies"] = {name: slice(*nodes) for name, nodes in facts["bodies"].items()}
        facts["series"]["factor"] = np.array(facts["series"]["factor"], dtype=np.str_)
        shape = (len(facts["times"]), len(facts["rest"]), 3)
        if is_filed:
            facts["positions"] = np.memmap(scratch, dtype=np.float64, mode="r", shape=shape)
        else:
            facts["positions"] = facts["positions"].reshape(shape)
    except BaseException:
        shutil.rmtree(scratch.parent, ignore_errors=True)
        raise
    command = f"pliant.run({scene.name!r}, method={scene.method!r})"
    made = Run(facts, page=lambda: record.html(command), scene=scene, directory=out and pathlib.Path(out))
    if is_filed:
        # The file lives as long as something looks at it.
        weakref.finalize(facts["positions"], shutil.rmtree, scratch.parent, True)
    else:
        shutil.rmtree(scratch.parent, ignore_errors=True)
    if was_stopped:
        warnings.warn(f"interrupted at {made.times[-1]:.6g} s; what was computed is returned", RuntimeWarning, stacklevel=2)
    return made


def open(path) -> Run:  # noqa: A001
    """Reads a run that `Run.save` wrote into a directory; positions are mapped into memory, not read."""
    path = pathlib.Path(path)
    try:
        facts = json.loads((path / "pliant.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise OutputError(f"{path} holds no run that Run.save wrote; give the directory it was saved to") from None
    arrays = {name: np.load(path / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}
    facts["bodies"] = {name: slice(*nodes) for name, nodes in facts["bodies"].items()}
    with np.load(path / "series.npz") as series:
        facts["series"] = {name: series[name] for name in series}
    scene = Scene(path / "scene.toml") if (path / "scene.toml").exists() else None
    return Run({**facts, **arrays, "failure": None}, scene=scene, directory=path)


def frame(page: str, height: int = 560) -> str:
    """Returns a page as a frame of a notebook."""
    quoted = html.escape(page, quote=True)
    return f'<iframe srcdoc="{quoted}" width="100%" height="{height}" style="border:0" sandbox="allow-scripts"></iframe>'


def shown(page: str, name: str) -> None:
    """Shows a page in a notebook, or in the browser."""
    if "ipykernel" in sys.modules:
        from IPython.display import HTML, display

        display(HTML(frame(page)))
        return
    import webbrowser

    with tempfile.NamedTemporaryFile("w", prefix=f"{name}-", suffix=".html", delete=False, encoding="utf-8") as file:
        file.write(page)
    webbrowser.open(pathlib.Path(file.name).as_uri())
