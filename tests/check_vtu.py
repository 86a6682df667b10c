#!/usr/bin/env python3
"""Reads what `pliant` writes with a reader that is not ours (meshio).

    tests/check_vtu.py PLIANT        runs a solid, and cloth with a chain, and reads every frame
    tests/check_vtu.py --dir DIR     reads the frames of a run that is there

meshio is installed into target/venv when it is missing (packages.py); without it the check fails.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import packages

SOLID = """
[run]
duration = 0.2
[integrator]
method = "linearly-implicit-euler"
step = 0.02
[[body]]
shape = { generator = "bar", cells_along = 6, cells_across = 2 }
material = { model = "neo-hookean", young = 1e6, poisson = 0.3, density = 1000.0 }
[[fix]]
where = { group = "x-" }
"""

SPRINGS = """
[run]
duration = 0.2
[integrator]
method = "linearly-implicit-euler"
step = 0.02
[[body]]
name = "cloth"
shape = { generator = "cloth" }
springs = { law = "linear", stiffness = 100.0 }
area_density = 0.2
[[body]]
name = "chain"
shape = { generator = "chain", links = 5 }
springs = { law = "linear", stiffness = 100.0 }
line_density = 0.1
position = [0.0, 0.0, 2.0]
"""


def check(meshio, directory, kinds):
    """Every frame of a run: times ascend, numbers are finite, points are rest plus displacement."""
    import numpy

    sets = ElementTree.parse(directory / "frames.pvd").getroot().findall("./Collection/DataSet")
    times = [float(entry.get("timestep")) for entry in sets]
    assert times == sorted(set(times)), times
    rest = None
    for entry in sets:
        mesh = meshio.read(directory / entry.get("file"))
        displacement, velocity = mesh.point_data["displacement"], mesh.point_data["velocity"]
        assert mesh.points.shape == displacement.shape == velocity.shape
        assert all(numpy.isfinite(values).all() for values in (mesh.points, displacement, velocity))
        if rest is None:
            rest = mesh.points - displacement
        assert numpy.allclose(mesh.points - displacement, rest, atol=1e-12)
        assert {block.type for block in mesh.cells} == kinds, mesh.cells
        for block, body in zip(mesh.cells, mesh.cell_data["body"]):
            assert block.data.max() < len(mesh.points) and len(body) == len(block.data)
            if block.type == "tetra":
                a, b, c, d = (mesh.points[block.data[:, k]] for k in range(4))
                assert (numpy.einsum("ij,ij->i", numpy.cross(b - a, c - a), d - a) > 0).all(), "an inverted tet"
    moved = numpy.abs(displacement).max()
    assert moved > 1e-6, "nothing has moved"
    summary = json.loads((directory / "summary.json").read_text())
    assert summary["frames"] == len(sets) and summary["time"] == times[-1]
    print(f"{directory.name}: {len(sets)} frames of {len(mesh.points)} points, read by meshio {meshio.__version__}")


def main(arguments):
    if len(arguments) not in (1, 2) or (len(arguments) == 2 and arguments[0] != "--dir"):
        sys.exit(__doc__)
    meshio = packages.needed("meshio")
    if len(arguments) == 2:
        directory = pathlib.Path(arguments[1])
        first = meshio.read(directory / "frames" / "frame-000000.vtu")
        check(meshio, directory, {block.type for block in first.cells})
        return
    pliant = pathlib.Path(arguments[0]).resolve()
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        for name, scene, kinds in [("solid", SOLID, {"tetra"}), ("springs", SPRINGS, {"triangle", "line"})]:
            (place / f"{name}.toml").write_text(scene)
            subprocess.run([pliant, "run", f"{name}.toml", "--quiet"], cwd=place, check=True)
            check(meshio, place / "out" / name, kinds)


if __name__ == "__main__":
    main(sys.argv[1:])
