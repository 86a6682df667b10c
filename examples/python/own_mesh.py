"""A mesh of your own, read by meshio: any format it knows, any array of tets."""

import pathlib
import tempfile

import meshio
import numpy as np

import pliant

# A pyramid of two tets stands for a file of Gmsh, Abaqus, TetGen ...
points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1.0]])
tets = [[0, 1, 2, 4], [0, 2, 3, 4]]
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "pyramid.vtk"
    meshio.write(file, meshio.Mesh(points, [("tetra", tets)]))
    mesh = meshio.read(file)

rubber = pliant.NeoHookean(young=1e5, poisson=0.4, density=1000.0)
sim = pliant.Simulation.from_arrays(
    mesh.points, tets=mesh.cells_dict["tetra"], material=rubber, fixed=mesh.points[:, 2] < 1e-9, method="backward-euler"
)
for _ in range(50):
    report = sim.step()
top = sim.positions[4, 2]
print(f"{sim}: the top is at {top:.4f} m, and the largest stress is {sim.stress('von-mises').max():.0f} Pa")
assert 0.9 < top < 1.0
