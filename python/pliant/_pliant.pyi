"""The native part. Use `pliant`, which checks arrays before they come here."""

import os
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

__version__: str

_Floats = NDArray[np.float64]
_Blocks = tuple[_Floats, NDArray[np.int32], NDArray[np.int32]]

class StepReport:
    """Counted work of a step, attempts that failed included."""

    forces: int
    assemblies: int
    newton: int
    backtracks: int
    factorisations: int
    solves: int
    iterations: int
    products: int
    halvings: int
    modes: int
    mode_angle: float
    numerical_damping: float
    substeps: int
    factor: str
    factor_age: int

class State:
    """Everything that the steps after it depend on."""

    @property
    def time(self) -> float: ...

class Scene:
    @staticmethod
    def load(path: os.PathLike[str], values: list[tuple[str, Any]]) -> Scene: ...
    @staticmethod
    def from_table(name: str, table: dict[str, Any], directory: os.PathLike[str], meshes: list[Any]) -> Scene: ...
    def with_values(self, values: list[tuple[str, Any]]) -> Scene: ...
    def to_toml(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def step(self) -> float: ...
    @property
    def duration(self) -> float: ...
    @property
    def bodies(self) -> list[str]: ...

class Simulation:
    def __new__(cls, scene: Scene, endless: bool = False) -> Simulation: ...
    def step(self) -> StepReport:
        """Takes one step and returns its work. Raises `pliant.Diverged`; the state is then unchanged."""

    def state(self) -> State:
        """Returns everything that later steps depend on."""

    def set_state(self, state: State) -> None:
        """Continues from a state, bit-for-bit identical."""

    @property
    def positions(self) -> _Floats:
        """Positions (nodes, 3) [m], live and writable."""

    @property
    def velocities(self) -> _Floats:
        """Velocities (nodes, 3) [m/s], live and writable."""

    @property
    def force(self) -> _Floats:
        """External forces (nodes, 3) [N], zero at first; they stay until they are changed."""

    @property
    def time(self) -> float:
        """Time [s]."""

    @property
    def steps(self) -> int:
        """Steps done."""

    @property
    def h(self) -> float:
        """Length of the next step [s]."""

    @property
    def method(self) -> str:
        """Name of the method."""

    def _native_steps(self, count: int) -> float: ...
    def _node_mass(self) -> _Floats: ...
    def _free(self) -> NDArray[np.int64]: ...
    def _mesh(self) -> tuple[_Floats, NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]: ...
    def _groups(self) -> list[tuple[str, NDArray[np.uint32]]]: ...
    def _bodies(self) -> list[tuple[str, tuple[int, int], tuple[int, int]]]: ...
    def _energies(self) -> tuple[float, float, float]: ...
    def _stress(self) -> _Floats: ...
    def _stiffness(self, kind: str) -> _Blocks: ...
    def _mass(self) -> _Blocks: ...
    def _modes(self, count: int, tolerance: float) -> tuple[_Floats, _Floats]: ...

class Record:
    @property
    def facts(self) -> dict[str, Any]: ...
    def html(self, command: str) -> str | None: ...

class Compared:
    @property
    def reference(self) -> str | None: ...
    @property
    def interrupted(self) -> bool: ...
    def rows(self) -> list[dict[str, Any]]: ...
    def energies(self, run: int) -> dict[str, _Floats]: ...
    def html(self, command: str) -> str: ...
    def svg(self) -> str: ...

class View:
    def __new__(cls, scene: Scene, command: str, port: int = 0) -> View: ...
    @property
    def address(self) -> str:
        """Address of the page."""

    @property
    def is_open(self) -> bool:
        """True until it is closed."""

    def close(self) -> None:
        """Ends the server and the computation."""

class KeptFactor:
    def __new__(cls, rows: Any, positions: _Floats) -> KeptFactor: ...
    @property
    def work(self) -> tuple[int, int, int]:
        """Factorisations, right-hand sides and iterations so far."""

    @property
    def decision(self) -> str:
        """Decision about the factor for the present matrix."""

    def _update(self, rows: Any, positions: _Floats) -> None: ...
    def _solve(self, columns: _Floats, tolerance: float) -> _Floats: ...

def run(
    scene: Scene,
    *,
    out: os.PathLike[str] | None,
    force: bool,
    scratch: os.PathLike[str],
    most: int,
    progress: Callable[[int, int], Any] | None,
    observer: Callable[..., Any] | None,
) -> tuple[Record, bool]: ...
def compare(
    scene: Scene,
    contenders: list[tuple[str | None, float | None]],
    reference: tuple[str | None, float | None] | None,
    equal_cost: bool,
    progress: Callable[[str, int, int], Any] | None,
) -> Compared: ...
def propagate(
    stiffness: Any,
    mass: _Floats,
    damping: tuple[float, float],
    velocity: _Floats,
    load: _Floats,
    time: float,
    tolerance: float,
    method: str,
    memory: int,
) -> tuple[_Floats, _Floats, float, int, int, int, int]: ...
def lowest_pairs(rows: Any, count: int, tolerance: float, guess: _Floats) -> tuple[_Floats, _Floats, _Floats]: ...
def materials() -> list[tuple[str, str, list[tuple[str, str, str, bool]]]]: ...
def methods() -> list[str]:
    """Returns the names of all methods."""

def instructions() -> str:
    """Returns the instructions that this build was made for."""

def set_threads(count: int) -> None:
    """Sets the number of threads; results have the same bits for any number."""
