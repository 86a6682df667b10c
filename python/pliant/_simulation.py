"""One simulation, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import _arrays
from ._load import load
from ._scene import Scene
from .errors import InputError
from .materials import Material


class Energies(NamedTuple):
    """Energies of a state [J]."""

    kinetic: float
    elastic: float
    load: float

    @property
    def total(self) -> float:
        """Sum of all [J]."""
        return self.kinetic + self.elastic + self.load


class Modes(NamedTuple):
    """Lowest modes, ascending."""

    frequencies: np.ndarray
    """Frequencies [Hz], 0 for motions without stiffness."""
    shapes: np.ndarray
    """Displacements of all nodes, (modes, nodes, 3), with u . M u = 1 kg m^2."""
    eigenvalues: np.ndarray
    """Squared angular frequencies [1/s^2]; below 0 for an unstable state."""


if TYPE_CHECKING:
    from ._pliant import Simulation as _Native
else:
    _Native = load().Simulation


class Simulation(_Native):
    """A model that moves: `step()` advances it.

    `positions` [m], `velocities` [m/s] and `force` [N] are arrays (nodes, 3) that show the state at any time, and may be written
    between steps. Nodes are numbered as in the mesh. `scene` is a path, a dictionary or a `Scene`; steps go on after its duration.
    A dictionary may leave out `run`, and of `integrator` the method (backward Euler) and the step (0.01 s).
    """

    def __new__(cls, scene, *, method=None, step=None, set=None, endless=False):  # noqa: A002
        if isinstance(scene, dict):
            scene, is_bounded = _completed(scene), "run" in scene
            endless = endless or not is_bounded
        scene = Scene(scene, method=method, step=step, set=set)
        self = super().__new__(cls, scene._scene, endless)
        self.scene = scene
        return self

    def __init__(self, *_, **__):
        points, self.tets, self.triangles, self.edges = self._mesh()
        self.rest: np.ndarray = points
        """Positions at rest [m]."""
        self.node_mass: np.ndarray = self._node_mass()
        """Mass of each node [kg]."""
        self.free: np.ndarray = self._free()
        """Nodes that are free to move: the rows of matrices, three each, are theirs."""
        self.groups: dict[str, np.ndarray] = {name: nodes.astype(np.int64) for name, nodes in self._groups()}
        """Nodes of the named groups of the meshes."""
        self.bodies: dict[str, slice] = {name: slice(*nodes) for name, nodes, _ in self._bodies()}
        """Nodes of each body."""

    @classmethod
    def from_arrays(
        cls,
        points,
        *,
        tets=None,
        triangles=None,
        edges=None,
        material: Material | dict | None = None,
        springs: dict | None = None,
        fixed=None,
        gravity=(0.0, 0.0, -9.81),
        method: str = "backward-euler",
        step: float = 0.01,
        damping: dict | None = None,
        groups: dict | None = None,
        scene: dict | None = None,
        **options,
    ) -> Simulation:
        """Makes it of one body.

        points: positions at rest (n, 3) [m]; tets (m, 4), triangles (m, 3), edges (m, 2): corners, of any integer type.
        material: of tets, such as `pliant.NeoHookean(young=1e6, poisson=0.45, density=1000.0)`.
        springs: of triangles and edges, as in scenes: `{"stiffness": 1e3}` [N/m]; with `node_mass` [kg].
        fixed: mask of the nodes that never move, or their numbers. groups: further named nodes.
        gravity [m/s^2]; step [s]; other keywords are options of the method. scene: further keys, as in scene files.
        """
        if callable(material) and not isinstance(material, (Material, dict)):
            from ._scene import _NO_FUNCTION

            raise InputError(f"material: {_NO_FUNCTION}")
        points = _arrays.numbers(points, "points", ("n", 3))
        groups = dict(groups or {})
        body = {"name": "body", "shape": {"points": points, "tets": tets, "triangles": triangles, "edges": edges, "groups": groups}}
        body |= {key: value for key, value in [("material", material), ("springs", springs)] if value is not None}
        table = {
            "world": {"gravity": list(gravity)},
            "integrator": {"method": method, "step": step, **options},
            "body": [body],
        }
        if damping is not None:
            table["damping"] = damping
        if fixed is not None:
            nodes = _arrays.chosen(fixed, "fixed", len(points))
            if len(nodes):
                groups["fixed"] = nodes
                table["fix"] = [{"where": {"group": "fixed"}}]
        for key, value in (scene or {}).items():
            known = table.get(key)
            if isinstance(known, dict) and isinstance(value, dict):
                table[key] = known | value
            elif key == "body":
                body.update(value)
            else:
                table[key] = known + list(value) if isinstance(known, list) else value
        return cls(table, endless=True)

    def run(self, until: float, *, force=None, observer=None, progress: bool = False) -> None:
        """Steps until a time [s] is reached. Ctrl-C stops between steps, and inside long ones.

        force: function of the simulation that returns forces (nodes, 3) [N], called before every step. observer: function of the
        simulation, called after every step; if it returns True the run ends.
        """
        bar = _bar(progress, max(1, round((until - self.time) / self.h)), self.method)
        with bar:
            while self.time < until - 1e-6 * self.h:
                if force is not None:
                    self.force[:] = force(self)
                self.step()
                bar.update(1)
                if observer is not None and observer(self) is True:
                    return

    def energies(self) -> Energies:
        """Returns the energies now [J]."""
        return Energies(*self._energies())

    def stress(self, measure: str = "cauchy") -> np.ndarray:
        """Returns the stress of every tet [Pa]: "cauchy" (tets, 3, 3), "von-mises" or "pressure" (tets,)."""
        sigma = self._stress()
        if measure == "cauchy":
            return sigma
        mean = np.trace(sigma, axis1=1, axis2=2) / 3
        if measure == "pressure":
            return -mean
        if measure != "von-mises":
            raise InputError(f'there is no measure {measure!r} of stress; use "cauchy", "von-mises" or "pressure"')
        deviator = sigma - mean[:, None, None] * np.eye(3)
        return np.sqrt(1.5 * (deviator**2).sum(axis=(1, 2)))

    def stiffness(self, kind: str = "exact"):
        """Returns K at the present positions [N/m], a `scipy.sparse.bsr_array` of the free nodes; kind "exact" or "projected"."""
        return _bsr(self._stiffness(kind))

    def mass(self):
        """Returns M [kg], a `scipy.sparse.bsr_array` of the free nodes."""
        return _bsr(self._mass())

    def modes(self, count: int = 10, *, tolerance: float = 1e-6) -> Modes:
        """Returns the lowest modes of K u = lam M u at the present positions; tolerance of their angles [rad]."""
        if not 1 <= count <= 3 * len(self.free):
            raise InputError(f"there are 1 to {3 * len(self.free)} modes, not {count}")
        eigenvalues, shapes = self._modes(count, tolerance)
        return Modes(np.sqrt(np.maximum(eigenvalues, 0.0)) / (2 * np.pi), shapes, eigenvalues)

    def __repr__(self) -> str:
        return f"Simulation({self.scene.name!r}, method={self.method!r}, time={self.time:.6g} s, {len(self.rest)} nodes)"


def _completed(scene: dict) -> dict:
    """Returns a scene with the parts that a simulation without an end does not need."""
    integrator = {"method": "backward-euler", "step": 0.01} | scene.get("integrator", {})
    # The duration says how fast a scene may be before that counts as a divergence: a thousand steps to cross it.
    step = integrator["step"]
    duration = 1000.0 * step if isinstance(step, (int, float)) and step > 0 else 1.0
    return {"run": {"duration": duration}} | scene | {"integrator": integrator}


def _bsr(parts):
    from scipy.sparse import bsr_array

    data, indices, indptr = parts
    size = 3 * (len(indptr) - 1)
    return bsr_array((data, indices, indptr), shape=(size, size))


class _NoBar:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def update(self, _):
        pass


def _bar(progress: bool, total: int, label: str):
    """Returns a progress bar of tqdm, or one that shows nothing."""
    if not progress:
        return _NoBar()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise InputError("progress=True needs tqdm: pip install tqdm") from None
    return tqdm(total=total, desc=label, unit="step")
