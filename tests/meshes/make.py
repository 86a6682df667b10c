#!/usr/bin/env python3
"""Makes the files of this directory with tools that are not ours: pip install gmsh meshio, then tests/meshes/make.py.

gmsh-*: a box of 1 x 2 x 0.5 m, a coarse mesh by Gmsh with the named groups "flesh" (tets) and "ground" (triangles).
meshio-*: two tets and two triangles, by meshio, in the encodings that Gmsh does not write.
"""

import pathlib

import gmsh
import meshio

HERE = pathlib.Path(__file__).resolve().parent


def by_gmsh():
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.model.add("box")
    gmsh.model.occ.addBox(0, 0, 0, 1, 2, 0.5)
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(3, [1], name="flesh")
    ground = [tag for _, tag in gmsh.model.getEntitiesInBoundingBox(-1, -1, -0.01, 2, 3, 0.01, 2)]
    gmsh.model.addPhysicalGroup(2, ground, name="ground")
    gmsh.option.setNumber("Mesh.MeshSizeMin", 2)
    gmsh.model.mesh.generate(3)
    for version in (2.2, 4.1):
        for binary in (0, 1):
            gmsh.option.setNumber("Mesh.MshFileVersion", version)
            gmsh.option.setNumber("Mesh.Binary", binary)
            gmsh.write(str(HERE / f"gmsh-{str(version).replace('.', '')}-{'binary' if binary else 'ascii'}.msh"))
    # Other formats have no way to leave out what is in no group.
    gmsh.option.setNumber("Mesh.SaveAll", 1)
    for binary in (0, 1):
        gmsh.option.setNumber("Mesh.Binary", binary)
        for ending in ("vtk", "stl"):
            gmsh.write(str(HERE / f"gmsh-{'binary' if binary else 'ascii'}.{ending}"))
    gmsh.option.setNumber("Mesh.Binary", 0)
    gmsh.write(str(HERE / "gmsh.mesh"))
    gmsh.finalize()


def by_meshio():
    points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.1, 1.0 / 3.0], [1.0, 1.0, 1.0]]
    tets, triangles = [[0, 1, 2, 3], [1, 2, 3, 4]], [[0, 2, 1], [0, 1, 3]]
    solid = meshio.Mesh(points, [("tetra", tets), ("triangle", triangles)])
    bare = meshio.Mesh(points, [("tetra", tets)])
    surface = meshio.Mesh(points, [("triangle", triangles)])
    for name, mesh, options in [
        ("42-ascii.vtk", solid, {"file_format": "vtk42", "binary": False}),
        ("42-binary.vtk", solid, {"file_format": "vtk42", "binary": True}),
        ("ascii.vtu", solid, {"binary": False}),
        ("plain.vtu", solid, {"compression": None}),
        ("zlib.vtu", solid, {"compression": "zlib"}),
        ("tetgen.node", bare, {}),
        ("binary.meshb", solid, {}),
        ("ascii.ply", surface, {"binary": False}),
        ("binary.ply", surface, {"binary": True}),
        ("surface.obj", surface, {}),
    ]:
        meshio.write(HERE / f"meshio-{name}", mesh, **options)


if __name__ == "__main__":
    by_gmsh()
    by_meshio()
