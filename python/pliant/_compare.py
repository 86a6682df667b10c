"""Methods side by side."""

from __future__ import annotations

import pathlib

import numpy as np

from ._load import load
from ._run import frame, shown
from ._scene import Scene
from ._simulation import _bar
from .errors import InputError


class Comparison:
    """Runs of one scene by several methods and steps: a list of rows, each a dictionary."""

    def __init__(self, compared, command: str):
        self._compared, self._command = compared, command
        self.rows: list[dict] = compared.rows()
        """One per run: method, step [s], outcome, ms_per_step, work, energy_kept, error, cause."""
        self.reference: str | None = compared.reference
        """Method and step that errors are measured against."""
        self.interrupted: bool = compared.interrupted
        """True if it was stopped before all had run."""

    def energies(self, run: int) -> dict[str, np.ndarray]:
        """Returns times [s] and energies [J] of a run: time, kinetic, elastic, load, total."""
        return self._compared.energies(run)

    def to_pandas(self):
        """Returns the rows as a `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(self.rows).set_index("run")

    def plot(self, axes=None):
        """Draws total energies over time by matplotlib, and errors over cost if there is a reference; returns the axes."""
        import matplotlib.pyplot as plt

        has_error = any(row["error"] is not None for row in self.rows)
        if axes is None:
            _, axes = plt.subplots(1, 2 if has_error else 1, figsize=(10 if has_error else 6, 4), squeeze=False)
            axes = axes[0]
        axes = np.atleast_1d(axes)
        for i, row in enumerate(self.rows):
            energies = self.energies(i)
            axes[0].plot(energies["time"], energies["total"], label=row["run"])
            if has_error and len(axes) > 1 and row["error"] and row["ms_per_step"]:
                axes[1].loglog(row["ms_per_step"], row["error"], "o", label=row["run"])
        axes[0].set(xlabel="time [s]", ylabel="total energy [J]")
        axes[0].legend()
        if len(axes) > 1:
            axes[1].set(xlabel="time per step [ms]", ylabel="distance from the reference")
        return axes

    def page(self, path=None):
        """Returns the moving page as HTML, or writes it to a path."""
        text = self._compared.html(self._command)
        if path is None:
            return text
        pathlib.Path(path).write_text(text, encoding="utf-8")
        return pathlib.Path(path)

    def show(self) -> None:
        """Shows the moving page in a notebook or in the browser."""
        shown(self.page(), "pliant-compare")

    def _repr_html_(self) -> str:
        return frame(self.page())

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, run: int) -> dict:
        return self.rows[run]

    def __repr__(self) -> str:
        names = ["run", "ms_per_step", "steps", "factorisations", "solves", "energy_kept", "error", "outcome"]
        cell = lambda value: "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
        table = [names, *([cell(row[name]) for name in names] for row in self.rows)]
        widths = [max(len(row[k]) for row in table) for k in range(len(names))]
        return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in table)


def compare(
    scene, *, methods=None, steps=None, reference=None, duration=None, set=None, equal_cost=False, progress=False  # noqa: A002
) -> Comparison:
    """Runs a scene with several methods, each with several steps [s], and compares them.

    A method may name its own step: "bdf2@0.01". reference: such a name, to measure errors against. equal_cost: choose steps so
    that a simulated second costs all about the same.
    """
    scene = Scene(scene, duration=duration, set=set)
    if isinstance(methods, str):
        methods = [methods]
    contenders = []
    for method in methods or [scene.method]:
        name, step = contender(method)
        each = [step] if step is not None else [None] if steps is None else [float(h) for h in np.atleast_1d(steps)]
        contenders += [(name, h) for h in each]
    if len(contenders) != len({*contenders}):
        raise InputError("a method is named twice with the same step; name it once")
    given = None if reference is None else contender(reference) if isinstance(reference, str) else tuple(reference)
    if given is not None and given[1] is None:
        raise InputError(f"the reference {reference!r} has no step; write for instance 'implicit-midpoint@0.0005'")
    bars: dict = {}

    def told(label, done, steps):
        if label not in bars:
            bars[label] = _bar(True, steps, label)
        bars[label].update(done - bars[label].n)

    try:
        compared = load().compare(scene._scene, contenders, given, equal_cost, told if progress else None)
    finally:
        for bar in bars.values():
            bar.close()
    return Comparison(compared, f"pliant.compare({scene.name!r}, methods={methods!r}, reference={reference!r})")


def contender(text: str) -> tuple[str, float | None]:
    """Splits METHOD@STEP."""
    name, at, step = text.partition("@")
    try:
        return name.strip(), float(step.strip().rstrip("s")) if at else None
    except ValueError:
        raise InputError(f"{text!r} is no METHOD@STEP; write for instance 'implicit-midpoint@0.0005'") from None
