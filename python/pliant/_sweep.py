"""One scene with many values of its keys."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

from ._run import Run, run
from ._scene import Scene
from ._simulation import _NoBar, _bar
from .errors import InputError


class Sweep(list):
    """Runs of a sweep, in the order of their values."""

    values: list[dict]
    """Values of each run, by path."""

    def __init__(self, runs: list[Run], values: list[dict]):
        super().__init__(runs)
        self.values = values

    def to_pandas(self, **measures):
        """Returns one row per run: its values, its status, and measures given as functions of a run."""
        import pandas

        rows = [
            {**values, "status": one.status, **{name: measure(one) for name, measure in measures.items()}}
            for values, one in zip(self.values, self)
        ]
        return pandas.DataFrame(rows)


def sweep(scene, values: dict, *, workers: int = 1, product: bool = False, progress: bool = False, **options) -> Sweep:
    """Runs a scene with each of the values of some keys: `sweep("my.toml", {"body[0].material.young": [1e5, 1e6, 1e7]})`.

    Lists of several keys go side by side; `product` runs all combinations. `workers` runs at a time go on in threads of this
    process; results do not depend on their number. Other options are those of `run`. All scenes are checked before the first
    one runs.
    """
    scene = Scene(scene)
    paths, lists = list(values), [list(column) for column in values.values()]
    if not product and len({len(column) for column in lists}) > 1:
        lengths = ", ".join(f"{path} has {len(column)}" for path, column in zip(paths, lists))
        raise InputError(f"keys need the same number of values, and {lengths}; or use product=True")
    if workers < 1:
        raise InputError(f"workers is {workers}; use 1 or more")
    chosen = [dict(zip(paths, row)) for row in (itertools.product(*lists) if product else zip(*lists))]
    scenes = [Scene(scene, set=one) for one in chosen]
    bar = _bar(progress, len(scenes), "sweep")
    if not isinstance(bar, _NoBar):
        bar.unit = "run"

    def one(scene):
        done = run(scene, **options)
        bar.update(1)
        return done

    with bar:
        if workers == 1:
            return Sweep([one(scene) for scene in scenes], chosen)
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(one, scene) for scene in scenes]
            try:
                return Sweep([future.result() for future in futures], chosen)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
