#!/usr/bin/env python3
"""Reads what `pliant export` writes with readers that are not ours.

    tests/check_export.py PLIANT             by libraries
    tests/check_export.py PLIANT --blender   by Blender itself, which is large, and therefore not part of ./test

A run of solids, one of them with a finer surface, of cloth and of a chain is exported to every format. What is read back
is compared, frame by frame and body by body, with the frames of the run as meshio reads them: OBJ by trimesh, PLY, STL and VTU
by meshio and trimesh, glTF by pygltflib and trimesh, USD by Pixar's own library. Khronos' validator of glTF has its say where
there is Node.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import packages

meshio, pygltflib, trimesh = map(packages.needed, ("meshio", "pygltflib", "trimesh"))
import numpy

# Not every Python has wheels of it. Blender brings its own, and does not bear another.
Usd = None
if "--blender" not in sys.argv and packages.welcome("pxr", "usd-core"):
    from pxr import Usd, UsdGeom

NODE = pathlib.Path(__file__).resolve().parent.parent / "target" / "node"

CHAIN = """
[[body]]
name = "chain"
shape = { generator = "chain", links = 5 }
springs = { law = "linear", stiffness = 100.0 }
line_density = 0.1
position = [0.0, 0.0, 2.0]
"""
SCENE = """
[run]
duration = 0.21
frame_rate = 50.0
[integrator]
method = "linearly-implicit-euler"
step = 0.01
[[body]]
name = "7 bars"
shape = { generator = "bar", cells_along = 6, cells_across = 2 }
material = { model = "neo-hookean", young = 1e6, poisson = 0.3, density = 1000.0 }
[[body]]
name = "figure"
position = [0.0, 2.0, 0.5]
material = { model = "stable-neo-hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
[body.shape]
generator = "parts"
vertices = 300
surface = 3000
[[body.shape.part]]
kind = "box"
[[body]]
name = "7_bars"
shape = { generator = "cloth" }
springs = { law = "linear", stiffness = 100.0 }
area_density = 0.2
[[fix]]
body = "7 bars"
where = { group = "x-" }
[[fix]]
body = "figure"
where = { box = { min = [-9.0, -9.0, -9.0], max = [9.0, 9.0, 0.2] } }
[[contact]]
body = "chain"
kind = "projection"
obstacle = { ball = { center = [0.5, 1.5, 0.5], radius = 0.1 } }
""" + CHAIN
FLUID = """
[run]
duration = 0.1
frame_rate = 50.0
[integrator]
method = "small-steps"
step = 0.02
substeps = 10
[[fluid]]
name = "water"
box = { min = [0.0, 0.0, 0.0], max = [0.5, 0.4, 0.6] }
spacing = 0.1
density = 1000.0
walls = { min = [0.0, 0.0, 0.0], max = [1.0, 0.4, 2.0] }
""" + CHAIN
# As the scene names them, and as words that USD takes.
NAMES = ["7 bars", "figure", "7_bars", "chain"]
PRIMS = ["_7_bars", "figure", "_7_bars_2", "chain"]
OBSTACLE = "obstacle-1-ball"
CENTER, RADIUS = [0.5, 1.5, 0.5], 0.1
SHARP = numpy.cos(numpy.radians(50))


class Run:
    """The frames of a run as meshio reads them: of each body the nodes that show, its triangles and lines."""

    def __init__(self, directory, finer):
        sets = ElementTree.parse(directory / "frames.pvd").getroot().findall("./Collection/DataSet")
        self.times = [float(entry.get("timestep")) for entry in sets]
        self.meshes = [meshio.read(directory / entry.get("file")) for entry in sets]
        self.surfaces = [meshio.read(directory / "surface" / f"frame-{k:06}.vtu") for k in range(len(sets))]
        first, surface = self.meshes[0], self.surfaces[0]
        self.bodies = []
        for body in range(len(NAMES)):
            triangles = self.cells(surface, "triangle", body)
            if finer and len(triangles):
                self.bodies.append((self.surfaces, triangles, triangles[:0, :2], numpy.unique(triangles)))
                continue
            faces = boundary(self.cells(first, "tetra", body))
            triangles = numpy.vstack([faces, self.cells(first, "triangle", body)])
            lines = self.cells(first, "line", body) if len(triangles) == 0 else triangles[:0, :2]
            self.bodies.append((self.meshes, triangles, lines, numpy.unique(numpy.append(triangles, lines))))

    @staticmethod
    def cells(mesh, kind, body):
        chosen = [block.data[of == body] for block, of in zip(mesh.cells, mesh.cell_data["body"]) if block.type == kind]
        return chosen[0] if chosen else numpy.empty((0, {"line": 2, "triangle": 3, "tetra": 4}[kind]), int)

    def points(self, frame, body):
        """Where the nodes of a body are that show."""
        meshes, _, _, nodes = self.bodies[body]
        return meshes[frame].points[nodes]

    def triangles(self, body):
        """Triangles in the numbering of these nodes."""
        _, triangles, _, nodes = self.bodies[body]
        return numpy.searchsorted(nodes, triangles)

    def lines(self, body):
        _, _, lines, nodes = self.bodies[body]
        return numpy.searchsorted(nodes, lines)

    def all_points(self, frame):
        return numpy.vstack([self.points(frame, body) for body in range(len(self.bodies))])

    def all_triangles(self):
        starts = numpy.cumsum([0] + [len(nodes) for *_, nodes in self.bodies])
        return numpy.vstack([start + self.triangles(body) for body, start in enumerate(starts[:-1])])


def boundary(tets):
    """The faces of one tet alone, seen from outside."""
    faces = numpy.vstack([tets[:, face] for face in ([1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1])])
    _, first, count = numpy.unique(numpy.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[first[count == 1]]


def same_triangles(found, expected):
    """The same triangles the same way round, in whatever order and from whichever corner."""
    def turned(triangles):
        first = numpy.argmin(triangles, axis=1)[:, None]
        rows = numpy.take_along_axis(triangles, (first + numpy.arange(3)) % 3, axis=1)
        return rows[numpy.lexsort(rows.T)]
    assert numpy.array_equal(turned(numpy.asarray(found)), turned(expected)), "other triangles"


def near(found, expected, digits):
    """Equal up to rounding of the largest coordinate."""
    found, expected = numpy.asarray(found, float), numpy.asarray(expected, float)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    error = numpy.abs(found - expected).max() / max(1.0, numpy.abs(expected).max())
    assert error <= 10.0 ** -digits, error


def read_obj(path):
    """Points, and of each object its corners as rows of numbers from 0 of points, places and normals (-1 without)."""
    rows, objects = {"v": [], "vt": [], "vn": []}, {}
    for words in (line.split() for line in path.read_text().splitlines() if line):
        if words[0] in rows:
            rows[words[0]].append([float(word) for word in words[1:]])
        elif words[0] == "o":
            corners = objects.setdefault(words[1], [])
        elif words[0] == "f":
            corners += [[int(part or 0) - 1 for part in word.split("/")] for word in words[1:]]
    return [numpy.array(rows[kind]) for kind in ("v", "vt", "vn")], {name: numpy.array(c, int).reshape(-1, 3, 3) for name, c in objects.items()}


def check_normals(points, triangles, numbers, normals):
    """Normals are means of the triangles that share them, and triangles at an edge share one unless it is sharp."""
    areas = numpy.cross(points[triangles[:, 1]] - points[triangles[:, 0]], points[triangles[:, 2]] - points[triangles[:, 0]])
    expected = numpy.zeros_like(normals, float)
    for k in range(3):
        numpy.add.at(expected, numbers[:, k], areas)
    used = numpy.unique(numbers)
    expected = expected[used] / numpy.linalg.norm(expected[used], axis=1)[:, None]
    near(normals[used], expected, 5)


def check_creases(points, triangles, numbers):
    """At the first frame: across an edge normals are shared if and only if it is not sharp, but for what meets elsewhere."""
    areas = numpy.cross(points[triangles[:, 1]] - points[triangles[:, 0]], points[triangles[:, 2]] - points[triangles[:, 0]])
    areas /= numpy.linalg.norm(areas, axis=1)[:, None]
    sides, sharp = {}, 0
    for t, (triangle, own) in enumerate(zip(triangles, numbers)):
        for k in range(3):
            ends = sorted([(triangle[k], own[k]), (triangle[(k + 1) % 3], own[(k + 1) % 3])])
            other, theirs = sides.setdefault((ends[0][0], ends[1][0]), (t, ends))
            if areas[t] @ areas[other] >= SHARP:
                assert theirs == ends, "smooth edges share normals"
            else:
                sharp += 1
    return sharp


def check_ball(points):
    """Points of the obstacle."""
    near(numpy.linalg.norm(points - CENTER, axis=1), numpy.full(len(points), RADIUS), 6)


def check_sequences(run, place):
    triangles = run.all_triangles()
    count = len(run.all_points(0))
    for frame in range(len(run.times)):
        path = place / "run-obj" / f"frame-{frame:06}.obj"
        (points, places, normals), objects = read_obj(path)
        near(points[:count], run.all_points(frame), 15)
        check_ball(points[count:])
        assert list(objects) == ["7_bars", "figure", "7_bars_2", "chain", OBSTACLE], list(objects)
        assert trimesh.load(path, force="mesh", process=False).triangles.shape[0] == sum(len(c) for c in objects.values())
        ply = meshio.read(place / "run-ply" / f"frame-{frame:06}.ply")
        every = numpy.vstack([corners for corners in objects.values()])
        bodies = every[: len(triangles)]
        same_triangles(bodies[:, :, 0], triangles)
        check_normals(points, every[:, :, 0], every[:, :, 2], normals)
        if frame == 0:
            sharp = check_creases(points, every[:, :, 0], every[:, :, 2])
            assert sharp > 0, "the bar has edges"
            assert len(places) == 121 and (places.min(axis=0) == 0).all() and (places.max(axis=0) == 1).all()
        # The chain, which comes last, has no triangles.
        near(ply.points, run.all_points(frame)[: triangles.max() + 1], 15)
        same_triangles(ply.cells_dict["triangle"], triangles)
        stl = trimesh.load(place / "run-stl" / f"frame-{frame:06}.stl", process=False)
        rows = run.all_points(frame)[triangles].reshape(-1, 9)
        sort = lambda rows: rows[numpy.lexsort(rows.astype("float32").T)]
        near(sort(stl.triangles.reshape(-1, 9)), sort(rows), 6.5)
        vtu = meshio.read(place / "run-vtu" / f"frame-{frame:06}.vtu")
        source = run.meshes[frame]
        nodes = len(source.points)
        assert numpy.array_equal(vtu.points[:nodes], source.points), "VTU is exact"
        check_ball(vtu.points[nodes:])
        assert numpy.array_equal(vtu.point_data["velocity"][:nodes], source.point_data["velocity"])
        for a, b in zip(vtu.cells, source.cells):
            assert a.type == b.type and numpy.array_equal(a.data[: len(b.data)], b.data)
        for a, b in zip(vtu.cell_data["body"], source.cell_data["body"]):
            assert numpy.array_equal(a[: len(b)], b) and (a[len(b) :] == len(NAMES)).all()
    text = (place / "run-obj" / "frame-000000.obj").read_text().splitlines()
    assert sum(line.startswith("l ") for line in text) == sum(len(run.lines(b)) for b in range(len(NAMES)))
    for kind in ("obj", "ply", "stl", "vtu"):
        assert len(list((place / f"run-{kind}").iterdir())) == len(run.times), "a file a frame and nothing else"
    print(f"obj, ply, stl, vtu: {len(run.times)} frames each, read by meshio {meshio.__version__} and trimesh {trimesh.__version__}")


def check_surface(run, directory):
    for frame in range(len(run.times)):
        mesh = meshio.read(directory / f"frame-{frame:06}.vtu")
        assert numpy.array_equal(mesh.points, run.all_points(frame))
        same_triangles(mesh.cells_dict["triangle"], run.all_triangles())
        assert len(mesh.cells_dict["line"]) == 5 and "tetra" not in mesh.cells_dict
        velocities = [meshes[frame].point_data["velocity"][nodes] for meshes, _, _, nodes in run.bodies]
        assert numpy.array_equal(mesh.point_data["velocity"], numpy.vstack(velocities))
    print("vtu: finer surfaces and their velocities, to the bit")


def check_gltf(run, path, obstacles):
    file = pygltflib.GLTF2().load(str(path))
    blob = file.binary_blob()

    def data(index):
        accessor = file.accessors[index]
        view = file.bufferViews[accessor.bufferView]
        kind = {pygltflib.FLOAT: "<f4", pygltflib.UNSIGNED_INT: "<u4"}[accessor.componentType]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[accessor.type]
        assert view.byteLength == accessor.count * width * 4 and view.byteOffset % 4 == 0
        assert view.byteOffset + view.byteLength <= file.buffers[0].byteLength <= len(blob)
        rows = numpy.frombuffer(blob, kind, accessor.count * width, view.byteOffset).reshape(-1, width)
        if accessor.min:
            assert numpy.array_equal(rows.min(axis=0), numpy.array(accessor.min, "float32")), "min"
            assert numpy.array_equal(rows.max(axis=0), numpy.array(accessor.max, "float32")), "max"
        return rows

    frames = len(run.times)
    [animation] = file.animations
    [sampler] = animation.samplers
    assert sampler.interpolation == "LINEAR" and len(animation.channels) == len(NAMES)
    times = data(sampler.input)[:, 0]
    near(times, numpy.array(run.times) - run.times[0], 6.5)
    assert (numpy.diff(times) > 0).all() and file.accessors[sampler.input].min
    weights = data(sampler.output).reshape(frames, frames - 1)
    assert numpy.array_equal(weights, numpy.eye(frames)[:, 1:]), "each frame has its own target"
    root = file.nodes[file.scenes[file.scene].nodes[0]]
    assert [file.nodes[child].name for child in root.children] == NAMES + obstacles
    turn = trimesh.transformations.quaternion_matrix(numpy.roll(root.rotation, 1))[:3, :3]
    near(turn @ [0, 0, 1], [0, 1, 0], 7)
    for child in root.children[len(NAMES) :]:
        [primitive] = file.meshes[file.nodes[child].mesh].primitives
        check_ball(data(primitive.attributes.POSITION).astype(float))
        assert not primitive.targets and len(data(primitive.attributes.NORMAL)) > 50
    for body, child in enumerate(root.children[: len(NAMES)]):
        mesh = file.meshes[file.nodes[child].mesh]
        [primitive] = mesh.primitives
        indices = data(primitive.indices)
        base = data(primitive.attributes.POSITION)
        # Nodes come first; copies of those on sharp edges are where these are.
        first = run.points(0, body).astype("float32")
        numbers = {point.tobytes(): node for node, point in enumerate(first)}
        node_of = numpy.array([numbers[point.tobytes()] for point in base])
        assert numpy.array_equal(node_of[: len(first)], numpy.arange(len(first)))
        assert (len(base) > len(first)) == (body < 2), "solids have sharp edges"
        assert (primitive.attributes.TEXCOORD_0 is not None) == (body == 2), "cloth has places for a picture"
        if len(run.triangles(body)):
            assert primitive.mode == pygltflib.TRIANGLES
            corners = indices.reshape(-1, 3).astype(int)
            same_triangles(node_of[corners], run.triangles(body))
            check_creases(run.points(0, body), node_of[corners], corners)
        else:
            assert primitive.mode == pygltflib.LINES and numpy.array_equal(indices.reshape(-1, 2), run.lines(body))
        assert len(primitive.targets) == frames - 1
        assert file.accessors[primitive.attributes.POSITION].min
        for frame in range(frames):
            target = primitive.targets[frame - 1]
            moved = base if frame == 0 else base + data(target["POSITION"])
            assert frame == 0 or file.accessors[target["POSITION"]].min
            near(moved, run.points(frame, body)[node_of], 6.5)
            if primitive.mode == pygltflib.TRIANGLES:
                normal = data(primitive.attributes.NORMAL)
                normal = normal if frame == 0 else normal + data(target["NORMAL"])
                check_normals(run.points(frame, body), node_of[corners], corners, normal)
    scene = trimesh.load(path)
    low, high = run.all_points(0).min(axis=0), run.all_points(0).max(axis=0)
    near(scene.bounds, [[low[0], low[2], -high[1]], [high[0], high[2], -low[1]]], 6)
    print(f"gltf: {frames} frames of {len(NAMES)} bodies, read by pygltflib and trimesh")


def check_by_khronos(path):
    if not shutil.which("node") or not shutil.which("npm"):
        print("gltf: Node is not here, so Khronos' validator did not see it")
        return
    if not (NODE / "node_modules" / "gltf-validator").exists():
        NODE.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--no-fund", "--no-audit", "gltf-validator@2.0.0-dev.3.10"], cwd=NODE, check=True)
    script = """
        const bytes = new Uint8Array(require("fs").readFileSync(process.argv[1]));
        require("gltf-validator").validateBytes(bytes).then(report => {
            const { numErrors, numWarnings, messages } = report.issues;
            console.log(`${numErrors} errors, ${numWarnings} warnings`, messages.slice(0, 5));
            process.exit(numErrors + numWarnings > 0 ? 1 : 0);
        });"""
    said = subprocess.run(["node", "-e", script, path], cwd=NODE, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    print("gltf: Khronos' validator says", said.stdout.strip())


def indices_count(counts):
    return int(numpy.sum(numpy.array(counts)))


def check_usd(run, path, obstacles):
    if Usd is None:
        return
    stage = Usd.Stage.Open(str(path))
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    rate = stage.GetTimeCodesPerSecond()
    assert rate == 50 and stage.GetDefaultPrim().GetName() == "World"
    near([stage.GetStartTimeCode(), stage.GetEndTimeCode()], [0, run.times[-1] * rate], 9)
    prims = stage.GetDefaultPrim().GetChildren()
    assert [prim.GetName() for prim in prims] == PRIMS + [name.replace("-", "_") for name in obstacles]
    for prim in prims[len(PRIMS) :]:
        ball = UsdGeom.Mesh(prim)
        assert not ball.GetPointsAttr().GetTimeSamples() and len(ball.GetNormalsAttr().Get()) > 50
        check_ball(numpy.array(ball.GetPointsAttr().Get()))
    for body, prim in enumerate(prims[: len(PRIMS)]):
        shape = UsdGeom.PointBased(prim)
        codes = shape.GetPointsAttr().GetTimeSamples()
        near(codes, numpy.array(run.times) * rate, 9)
        order = slice(None)
        if len(run.triangles(body)):
            mesh = UsdGeom.Mesh(prim)
            indices, counts = mesh.GetFaceVertexIndicesAttr().Get(), mesh.GetFaceVertexCountsAttr().Get()
            assert mesh and UsdGeom.Mesh.ValidateTopology(indices, counts, len(run.points(0, body)))[0]
            assert mesh.GetSubdivisionSchemeAttr().Get() == "none" and set(counts) == {3}
            corners = numpy.array(indices).reshape(-1, 3)
            same_triangles(corners, run.triangles(body))
            picture = UsdGeom.PrimvarsAPI(prim).GetPrimvar("st")
            assert picture.HasValue() == (body == 2)
            if body == 2:
                places = numpy.array(picture.ComputeFlattened())
                assert places.shape == (indices_count(counts), 2) and places.min() == 0 and places.max() == 1
            assert mesh.GetNormalsInterpolation() == ("faceVarying" if body < 2 else "vertex")
        else:
            curves = UsdGeom.BasisCurves(prim)
            assert curves and curves.GetTypeAttr().Get() == "linear" and curves.GetWidthsInterpolation() == "constant"
            counts = numpy.array(curves.GetCurveVertexCountsAttr().Get())
            # A chain is one curve, from end to end.
            assert len(counts) == 1 and counts[0] == len(run.lines(body)) + 1
            order = numpy.append(run.lines(body)[:, 0], run.lines(body)[-1, 1])
        for frame, code in enumerate(codes):
            points = numpy.array(shape.GetPointsAttr().Get(code))
            assert numpy.array_equal(points, run.points(frame, body)[order].astype("float32"))
            extent = numpy.array(shape.GetExtentAttr().Get(code))
            assert numpy.array_equal(extent, [points.min(axis=0), points.max(axis=0)])
            if prim.IsA(UsdGeom.Mesh):
                normals = numpy.array(mesh.GetNormalsAttr().Get(code))
                numbers = numpy.arange(len(normals)).reshape(-1, 3) if body < 2 else corners
                near(numpy.linalg.norm(normals, axis=1), numpy.ones(len(normals)), 5)
                flat = numpy.cross(points[corners[:, 1]] - points[corners[:, 0]], points[corners[:, 2]] - points[corners[:, 0]])
                flat /= numpy.linalg.norm(flat, axis=1)[:, None]
                turned = (normals[numbers] * flat[:, None]).sum(axis=2)
                assert turned.min() > 0.3, "normals look where their triangles do"
    print(f"usda: {len(codes)} frames of {len(prims)} prims, read by USD {'.'.join(map(str, Usd.GetVersion()))}")


def check_pc2(run, path):
    bytes = path.read_bytes()
    head = numpy.dtype([("magic", "S12"), ("version", "<i4"), ("points", "<i4"), ("start", "<f4"), ("rate", "<f4"), ("samples", "<i4")])
    head_row = numpy.frombuffer(bytes, head, 1)[0]
    points = len(run.all_points(0))
    assert head.itemsize == 32 and bytes[:12] == b"POINTCACHE2\0"
    assert list(head_row)[1:] == [1, points, 0, 1, len(run.times)], head_row
    samples = numpy.frombuffer(bytes, "<f4", offset=32).reshape(len(run.times), points, 3)
    for frame, sample in enumerate(samples):
        assert numpy.array_equal(sample, run.all_points(frame).astype("float32"))
    mesh = meshio.read(f"{path}.obj")
    near(mesh.points, run.all_points(0), 15)
    same_triangles(mesh.cells_dict["triangle"], run.all_triangles())
    print(f"pc2: {len(samples)} samples of {points} points, and the OBJ in the same order")


def check_csv(run, path):
    assert path.open().readline() == "frame,time,node,x,y,z,vx,vy,vz\n"
    rows = numpy.loadtxt(path, delimiter=",", skiprows=1).reshape(len(run.times), -1, 9)
    for frame, (mesh, time) in enumerate(zip(run.meshes, run.times)):
        assert (rows[frame, :, 0] == frame).all() and (rows[frame, :, 1] == time).all()
        assert numpy.array_equal(rows[frame, :, 2], numpy.arange(len(mesh.points)))
        assert numpy.array_equal(rows[frame, :, 3:6], mesh.points)
        assert numpy.array_equal(rows[frame, :, 6:], mesh.point_data["velocity"])
    print(f"csv: {rows.shape[0] * rows.shape[1]} rows, to the bit")


def check_particles(pliant, place):
    """A chain and a fluid: formats that hold points have the particles, the others say that they have not."""
    (place / "fluid.toml").write_text(FLUID)
    subprocess.run([pliant, "run", "fluid.toml", "--quiet", "-o", "fluid"], cwd=place, check=True)
    said = {}
    for kind in ("vtu", "obj", "ply", "gltf", "usda", "pc2", "csv", "stl"):
        done = subprocess.run([pliant, "export", "fluid", "--to", kind], cwd=place, capture_output=True, text=True)
        said[kind] = done.stdout + done.stderr
        assert (done.returncode == 0) == (kind != "stl"), said[kind]
    assert "which formats show lines and particles" in said["stl"], said["stl"]
    frames = sorted((place / "fluid" / "frames").glob("*.vtu"))
    meshes = [meshio.read(path) for path in frames]
    loose = numpy.concatenate([block.data.ravel() for block in meshes[0].cells if block.type == "vertex"])
    assert len(frames) == 6 and len(loose) == 120
    moved = numpy.abs(meshes[-1].points[loose] - meshes[0].points[loose]).max()
    assert moved > 0.01, moved
    csv = numpy.loadtxt(place / "fluid.csv", delimiter=",", skiprows=1).reshape(len(frames), -1, 9)
    for frame, mesh in enumerate(meshes):
        obj = place / "fluid-obj" / f"frame-{frame:06}.obj"
        near(meshio.read(obj).points[-120:], mesh.points[loose], 15)
        rows = [int(row.split()[1]) - 1 for row in obj.read_text().splitlines() if row.startswith("p ")]
        assert rows == list(range(len(mesh.points) - 120, len(mesh.points))), "OBJ says points"
        near(meshio.read(place / "fluid-ply" / f"frame-{frame:06}.ply").points, mesh.points[loose], 15)
        vtu = meshio.read(place / "fluid-vtu" / f"frame-{frame:06}.vtu")
        assert numpy.array_equal(vtu.points, mesh.points) and numpy.array_equal(vtu.cells_dict["vertex"].ravel(), loose)
        assert numpy.array_equal(csv[frame, :, 3:6], mesh.points)
    file = pygltflib.GLTF2().load(str(place / "fluid.glb"))
    [primitive] = file.meshes[1].primitives
    assert primitive.mode == pygltflib.POINTS and file.accessors[primitive.attributes.POSITION].count == 120
    assert len(primitive.targets) == len(frames) - 1
    check_by_khronos(place / "fluid.glb")
    if Usd is not None:
        stage = Usd.Stage.Open(str(place / "fluid.usda"))
        points = UsdGeom.Points(stage.GetPrimAtPath("/World/water"))
        for frame, mesh in enumerate(meshes):
            found = numpy.array(points.GetPointsAttr().Get(frame))
            assert numpy.array_equal(found, mesh.points[loose].astype("float32"))
        near(points.GetWidthsAttr().Get(), [0.1], 7)
    print("particles: vtu, obj, ply, gltf, usda and csv hold them; stl says that it cannot")


def check_by_blender(run, place):
    bpy = packages.needed("bpy")
    last = len(run.times) - 1

    def imported(read, path, **more):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.scene.render.fps = 50
        read(filepath=str(path), **more)

    def points(thing):
        """Where Blender draws the points of an object."""
        thing = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = thing.to_mesh()
        rows = numpy.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", rows)
        matrix = numpy.array(thing.matrix_world)
        return rows.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]

    for read, file, names in (
        (bpy.ops.import_scene.gltf, "run.glb", NAMES),
        (bpy.ops.wm.usd_import, "run.usda", PRIMS),
    ):
        imported(read, place / file)
        # The last frame but one is on the grid of frames.
        for frame in (0, 3, last - 1):
            bpy.context.scene.frame_set(frame)
            for body, name in enumerate(names):
                thing = bpy.data.objects[name]
                if thing.type == "MESH":
                    found, expected = points(thing), run.points(frame, body)
                    near(found[: len(expected)], expected, 6)
                else:
                    assert thing.type == "CURVES" and name == "chain", thing.type
    imported(bpy.ops.wm.obj_import, place / "run.pc2.obj", forward_axis="Y", up_axis="Z")
    [thing] = bpy.data.objects
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format, cache.filepath, cache.frame_start = "PC2", str(place / "run.pc2"), 0
    for frame in (0, 3, last):
        bpy.context.scene.frame_set(frame)
        near(points(thing), run.all_points(frame), 6.5)
    print(f"gltf, usda, pc2: drawn by Blender {bpy.app.version_string} where the frames have them")


def main(arguments):
    blender = "--blender" in arguments
    arguments = [argument for argument in arguments if argument != "--blender"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    pliant = pathlib.Path(arguments[0]).resolve()
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        (place / "run.toml").write_text(SCENE)
        subprocess.run([pliant, "run", "run.toml", "--quiet", "-o", "run"], cwd=place, check=True)
        for kind in ("vtu", "obj", "ply", "stl", "gltf", "usda", "pc2", "csv"):
            subprocess.run([pliant, "export", "run", "--to", kind, "--quiet"], cwd=place, check=True)
        run = Run(place / "run", finer=True)
        assert len(run.times) == 12 and run.times[-1] == 0.21, run.times
        if blender:
            check_by_blender(run, place)
            return
        check_sequences(run, place)
        check_gltf(run, place / "run.glb", [OBSTACLE])
        check_by_khronos(place / "run.glb")
        check_usd(run, place / "run.usda", [OBSTACLE])
        check_pc2(run, place / "run.pc2")
        check_csv(run, place / "run.csv")
        check_particles(pliant, place)
        # Finer surfaces in what shows tets unless it is asked.
        subprocess.run([pliant, "export", "run", "--to", "vtu", "--surface", "--without-obstacles", "--quiet", "-o", "fine"], cwd=place, check=True)
        check_surface(run, place / "fine")
        # What is simulated instead of the finer surface.
        for kind, check in (("gltf", check_gltf), ("usda", check_usd)):
            path = place / f"tets.{'glb' if kind == 'gltf' else kind}"
            subprocess.run([pliant, "export", "run", "--to", kind, "--tets", "--without-obstacles", "--quiet", "-o", path], cwd=place, check=True)
            check(Run(place / "run", finer=False), path, [])


if __name__ == "__main__":
    main(sys.argv[1:])
