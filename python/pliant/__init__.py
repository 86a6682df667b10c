"""pliant: simulates elastic things that move, with a choice of time integrators.

    import pliant
    run = pliant.run("scenes/bridge.toml", method="siere", step=0.02)
    run.series["kinetic"], run.times, run.positions

Units are those of SI: m, kg, s, N, Pa, J. Nodes are numbered as in the mesh; arrays of nodes have the shape (nodes, 3).
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import errors, materials, numerics
from ._compare import Comparison, compare
from ._load import load as _load_native
from ._run import Moment, Run, Series, open, run  # noqa: A004
from ._scene import Scene
from ._simulation import Energies, Modes, Simulation
from ._sweep import Sweep, sweep
from ._view import View, view
from .errors import (
    Diverged, InputError, NumericsError, OutputError, PliantError, Problem, ProgramFault, SceneError,
)
from .materials import *  # noqa: F403
from .materials import MATERIALS, Material

if _TYPE_CHECKING:
    from ._pliant import State, StepReport, __version__, instructions, methods, set_threads
else:
    _native = _load_native()
    State, StepReport = _native.State, _native.StepReport
    set_threads, instructions, methods = _native.set_threads, _native.instructions, _native.methods
    __version__ = _native.__version__

__all__ = [
    "Comparison", "Diverged", "Energies", "InputError", "MATERIALS", "Material", "Modes", "Moment", "NumericsError",
    "OutputError", "PliantError", "Problem", "ProgramFault", "Run", "Scene", "SceneError", "Series", "Simulation", "State",
    "StepReport", "Sweep", "View", "compare", "errors", "instructions", "materials", "methods", "numerics", "open", "run",
    "set_threads", "sweep", "view", *(kind.__name__ for kind in MATERIALS.values()),
]
