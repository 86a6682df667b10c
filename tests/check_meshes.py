#!/usr/bin/env python3
"""Mesh files of other tools, read by `pliant`, and those of `pliant`, read by other tools: node by node, tet by tet.

    tests/check_meshes.py PLIANT

meshio must be there or installable (packages.py); Gmsh is used too if it can be had.
"""

import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile

import packages


def solid(numpy, meshio, cells=4):
    """A block of cells^3 cubes of six tets, a little irregular, with the triangles of its floor."""
    side = cells + 1
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    points = grid / cells + numpy.random.default_rng(7).uniform(-0.02, 0.02, grid.shape)
    number = lambda i, j, k: (i * side + j) * side + k
    tets, floor = [], []
    for i, j, k in numpy.ndindex(cells, cells, cells):
        corner = lambda a: number(i + a[0], j + a[1], k + a[2])
        for order, even in [((0, 1, 2), 1), ((1, 2, 0), 1), ((2, 0, 1), 1), ((0, 2, 1), 0), ((2, 1, 0), 0), ((1, 0, 2), 0)]:
            path = [numpy.zeros(3, int)]
            for axis in order:
                path.append(path[-1] + numpy.eye(3, dtype=int)[axis])
            a, b, c, d = map(corner, path)
            tets.append([a, b, c, d] if even else [a, c, b, d])
        if k == 0:
            a, b, c, d = number(i, j, 0), number(i + 1, j, 0), number(i + 1, j + 1, 0), number(i, j + 1, 0)
            floor += [[a, c, b], [a, d, c]]
    tets, floor = numpy.array(tets), numpy.array(floor)
    tags = [numpy.where(points[tets].mean(1)[:, 0] < 0.5, 1, 2), numpy.full(len(floor), 3)]
    return meshio.Mesh(
        points,
        [("tetra", tets), ("triangle", floor)],
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data={"left": numpy.array([1, 3]), "right": numpy.array([2, 3]), "floor": numpy.array([3, 2])},
    )


def bare(meshio, mesh, *kinds):
    """Some kinds of elements of a mesh, without data."""
    return meshio.Mesh(mesh.points, [(kind, mesh.cells_dict[kind]) for kind in kinds])


class Check:
    def __init__(self, pliant, place, meshio, numpy):
        self.pliant, self.place, self.meshio, self.numpy = pliant, place, meshio, numpy
        self.count = 0

    def convert(self, source, target, *options):
        ended = subprocess.run([self.pliant, "convert", source, target, *options], capture_output=True, text=True)
        assert ended.returncode == 0, f"{source.name}: {ended.stderr}"
        return target

    def read(self, path):
        # meshio talks about what it does not know.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return self.meshio.read(path)

    def same(self, what, one, other, kinds):
        """The same points to the bit, and the same elements in the same order."""
        assert self.numpy.array_equal(one.points.astype(float), other.points.astype(float)), f"{what}: points differ"
        for kind in kinds:
            a, b = ([block.data for block in mesh.cells if block.type == kind] for mesh in (one, other))
            a, b = self.numpy.concatenate(a), self.numpy.concatenate(b)
            assert self.numpy.array_equal(a, b), f"{what}: elements of the kind {kind} differ"
        self.count += 1

    def corners(self, mesh):
        """The corners of triangles, whichever way points are numbered."""
        return mesh.points.astype(float)[mesh.cells_dict["triangle"]]

    def theirs(self, mesh):
        """What meshio writes, read by pliant and by meshio."""
        meshio = self.meshio
        both, tets, surface = (bare(meshio, mesh, *k) for k in (("tetra", "triangle"), ("tetra",), ("triangle",)))
        for name, mesh, kinds, write, options in [
            ("22-ascii.msh", mesh, ("tetra", "triangle"), meshio.gmsh.write, {"fmt_version": "2.2", "binary": False}),
            ("22-binary.msh", mesh, ("tetra", "triangle"), meshio.gmsh.write, {"fmt_version": "2.2", "binary": True}),
            ("41-ascii.msh", tets, ("tetra",), meshio.gmsh.write, {"fmt_version": "4.1", "binary": False}),
            ("41-binary.msh", tets, ("tetra",), meshio.gmsh.write, {"fmt_version": "4.1", "binary": True}),
            ("ascii.mesh", both, ("tetra", "triangle"), meshio.medit.write, {}),
            ("binary.meshb", both, ("tetra", "triangle"), meshio.medit.write, {}),
            ("tetgen.node", tets, ("tetra",), meshio.tetgen.write, {}),
            ("42-ascii.vtk", both, ("tetra", "triangle"), meshio.vtk.write, {"fmt_version": "4.2", "binary": False}),
            ("42-binary.vtk", both, ("tetra", "triangle"), meshio.vtk.write, {"fmt_version": "4.2", "binary": True}),
            ("51-ascii.vtk", both, ("tetra", "triangle"), meshio.vtk.write, {"fmt_version": "5.1", "binary": False}),
            ("51-binary.vtk", both, ("tetra", "triangle"), meshio.vtk.write, {"fmt_version": "5.1", "binary": True}),
            ("ascii.vtu", both, ("tetra", "triangle"), meshio.vtu.write, {"binary": False}),
            ("plain.vtu", both, ("tetra", "triangle"), meshio.vtu.write, {"compression": None}),
            ("zlib.vtu", both, ("tetra", "triangle"), meshio.vtu.write, {"compression": "zlib"}),
            ("header64.vtu", both, ("tetra", "triangle"), meshio.vtu.write, {"header_type": "UInt64"}),
            ("surface.obj", surface, ("triangle",), meshio.obj.write, {}),
            ("ascii.ply", surface, ("triangle",), meshio.ply.write, {"binary": False}),
            ("binary.ply", surface, ("triangle",), meshio.ply.write, {"binary": True}),
        ]:
            path = self.place / name
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                write(path, mesh, **options)
            ours = self.read(self.convert(path, self.place / f"ours-{path.stem}.vtu"))
            self.same(name, ours, self.read(path), kinds)
            if mesh.field_data:
                self.groups(name, ours, mesh)
        for name, binary in [("ascii.stl", False), ("binary.stl", True)]:
            path = self.place / name
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                meshio.stl.write(path, surface, binary=binary)
            ours = self.read(self.convert(path, self.place / f"ours-{path.stem}-stl.vtu"))
            assert self.numpy.array_equal(self.corners(ours), self.corners(self.read(path))), f"{name}: corners differ"
            self.count += 1

    def groups(self, name, ours, mesh):
        """Named groups: the same elements."""
        for group, (tag, dimension) in mesh.field_data.items():
            kind = {2: "triangle", 3: "tetra"}[int(dimension)]
            inside = ours.cell_data_dict[f"group:{group}"][kind] != 0
            expected = mesh.cell_data_dict["gmsh:physical"][kind] == tag
            assert self.numpy.array_equal(inside, expected), f"{name}: the group {group} differs"

    def ours(self, mesh):
        """What pliant writes, read by meshio."""
        kinds = ("tetra", "triangle")
        source = self.place / "source.vtu"
        self.meshio.vtu.write(source, bare(self.meshio, mesh, *kinds))
        theirs = self.read(source)
        for name in ["ours.msh", "ours.mesh", "ours.meshb", "ours.vtu"]:
            for options in ([], ["--ascii"]):
                self.same(f"{name} {options}", self.read(self.convert(source, self.place / name, *options)), theirs, kinds)
        # Of surfaces the nodes that are used are written, in their order.
        sheet = self.place / "sheet.vtu"
        used, triangles = self.numpy.unique(mesh.cells_dict["triangle"], return_inverse=True)
        triangles = triangles.reshape(-1, 3)
        self.meshio.vtu.write(sheet, self.meshio.Mesh(mesh.points[used], [("triangle", triangles)]))
        theirs = self.read(sheet)
        for name in ["ours.obj", "ours.ply"]:
            for options in ([], ["--ascii"]):
                read = self.read(self.convert(sheet, self.place / name, *options))
                self.same(f"{name} {options}", read, theirs, ("triangle",))
        for options in ([], ["--ascii"]):
            read = self.corners(self.read(self.convert(sheet, self.place / "ours.stl", *options)))
            expected = self.corners(theirs)
            # Text has all digits, binary single precision.
            expected = expected if options else expected.astype("float32").astype(float)
            assert self.numpy.array_equal(read, expected), f"ours.stl {options}"
            self.count += 1

    def by_gmsh(self, gmsh):
        """A meshed cylinder with groups in the formats that Gmsh writes; and what pliant writes, read by Gmsh."""
        numpy = self.numpy
        gmsh.initialize(interruptible=False)
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.model.occ.addCylinder(0, 0, 0, 0, 0, 2, 0.5)
        gmsh.model.occ.synchronize()
        gmsh.model.addPhysicalGroup(3, [1], name="whole body")
        gmsh.model.addPhysicalGroup(2, [1, 2], name="skin")
        gmsh.option.setNumber("Mesh.MeshSizeMax", 0.2)
        gmsh.model.mesh.generate(3)
        paths = []
        for version in (2.2, 4.1):
            for binary in (0, 1):
                gmsh.option.setNumber("Mesh.MshFileVersion", version)
                gmsh.option.setNumber("Mesh.Binary", binary)
                paths.append(self.place / f"gmsh-{version}-{binary}.msh")
                gmsh.write(str(paths[-1]))
        gmsh.option.setNumber("Mesh.SaveAll", 1)
        for ending, binary in [("mesh", 0), ("vtk", 0), ("vtk", 1)]:
            gmsh.option.setNumber("Mesh.Binary", binary)
            paths.append(self.place / f"gmsh-{binary}.{ending}")
            gmsh.write(str(paths[-1]))
        kept = self.of_gmsh(gmsh)
        for path in paths:
            ours = self.read(self.convert(path, self.place / "of-gmsh.vtu"))
            read = ours.points[ours.cells_dict["tetra"]]
            assert read.shape == kept.shape, f"{path.name}: {read.shape}, not {kept.shape}"
            # Gmsh writes 14 digits of .mesh, and 16 of other texts.
            difference = numpy.abs(read - kept).max()
            assert difference < (1e-13 if path.suffix == ".mesh" else 1e-15), f"{path.name}: {difference}"
            if path.suffix == ".msh":
                for group, kind in [("whole body", "tetra"), ("skin", "triangle")]:
                    assert (ours.cell_data_dict[f"group:{group}"][kind] != 0).all(), f"{path.name}: {group}"
            for options in ([], ["--ascii"]):
                back = self.convert(path, self.place / "back.msh", *options)
                gmsh.clear()
                gmsh.open(str(back))
                assert numpy.array_equal(self.of_gmsh(gmsh), ours.points[ours.cells_dict["tetra"]]), f"{path.name}: back"
                self.count += 1
        # Elements in a group and elements in none, which meshio 5.3.5 cannot read from version 4.1.
        mixed = self.place / "mixed.vtu"
        left = [numpy.array([1, 0]), numpy.array([0])]
        points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1.0]]
        cells = [("tetra", [[0, 1, 2, 3], [1, 2, 3, 4]]), ("triangle", [[0, 2, 1]])]
        self.meshio.vtu.write(mixed, self.meshio.Mesh(points, cells, cell_data={"group:left": left}))
        gmsh.clear()
        gmsh.open(str(self.convert(mixed, self.place / "mixed.msh")))
        groups = gmsh.model.getPhysicalGroups()
        assert [gmsh.model.getPhysicalName(*group) for group in groups] == ["left"], groups
        entities = gmsh.model.getEntitiesForPhysicalGroup(*groups[0])
        assert [len(gmsh.model.mesh.getElements(3, entity)[1][0]) for entity in entities] == [1]
        assert len(self.of_gmsh(gmsh)) == 2
        self.count += 1
        gmsh.finalize()

    def of_gmsh(self, gmsh):
        """The corners of Gmsh's tets, in order of their numbers."""
        numpy = self.numpy
        tags, places, _ = gmsh.model.mesh.getNodes()
        numbers = numpy.zeros(int(tags.max()) + 1, int)
        numbers[tags.astype(int)] = numpy.arange(len(tags))
        elements, nodes = gmsh.model.mesh.getElementsByType(4)
        order = numpy.argsort(elements)
        return places.reshape(-1, 3)[numbers[nodes.astype(int).reshape(-1, 4)[order]]]


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    meshio = packages.needed("meshio")
    import numpy

    with tempfile.TemporaryDirectory() as place:
        check = Check(pathlib.Path(arguments[0]).resolve(), pathlib.Path(place), meshio, numpy)
        mesh = solid(numpy, meshio)
        check.theirs(mesh)
        check.ours(mesh)
        gmsh = packages.welcome("gmsh")
        if gmsh is not None:
            check.by_gmsh(gmsh)
        tools = f"meshio {meshio.__version__}" + (f" and Gmsh {gmsh.__version__}" if gmsh else "")
        print(f"{check.count} files agree with {tools}")


if __name__ == "__main__":
    main(sys.argv[1:])
