"""A run in PyVista: the mesh with its stress as cell data; `--show` opens a window."""

import pathlib
import sys
import tempfile

import numpy as np

import pliant

try:
    import pyvista
except ImportError:
    sys.exit("this example needs PyVista: pip install pyvista")

sim = pliant.Simulation({
    "integrator": {"method": "backward-euler", "step": 0.02},
    "body": [{
        "shape": {"generator": "box", "size": [1.0, 0.2, 0.2], "cells": [15, 3, 3]},
        "material": pliant.StableNeoHookean(young=3e5, poisson=0.4, density=1000.0),
    }],
    "fix": [{"where": {"group": "x-"}}],
}, endless=True)
sim.run(0.4)

grid = pyvista.UnstructuredGrid({pyvista.CellType.TETRA: sim.tets.astype(np.int64)}, sim.positions.copy())
grid.point_data["displacement"] = sim.positions - sim.rest
grid.cell_data["von Mises stress [Pa]"] = sim.stress("von-mises")
print(f"{grid.n_cells} tets, stress up to {grid.cell_data['von Mises stress [Pa]'].max():.0f} Pa")
if "--show" in sys.argv:
    grid.plot(scalars="von Mises stress [Pa]", show_edges=True)
else:
    with tempfile.TemporaryDirectory() as folder:
        grid.save(pathlib.Path(folder) / "bar.vtu")
