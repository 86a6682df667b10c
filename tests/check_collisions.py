#!/usr/bin/env python3
"""Collisions against ipctk, the toolkit of Incremental Potential Contact: first contacts of 100,000 pairs of features, of
which we may miss none, and frames of scenes, of which none may intersect.

    tests/check_collisions.py PLIANT FIRST_CONTACTS [PAIRS]

PLIANT is the program, FIRST_CONTACTS the example of the crate `collision`. ipctk and meshio must be there or installable.
"""

import pathlib
import subprocess
import sys
import tempfile

import packages

SCENES = ["cloth-on-ball-by-impulses", "landing-by-impulses", "cape-on-dancer"]


def pairs(numpy, count):
    """Random and degenerate pairs: kind, gap, eight points. Sizes span eight orders of magnitude."""
    dice = numpy.random.default_rng(5)
    for k in range(count):
        kind = ["vt", "ee"][k % 2]
        x, u = dice.uniform(-1, 1, (4, 3)), dice.uniform(-1, 1, (4, 3))
        shape = (k // 2) % 10
        if shape == 1:  # flat: everything moves within one plane
            x[:, 2], u[:, 2] = 0, 0
        elif shape == 2:  # parallel edges, or a triangle that is a segment
            x[3] = x[2] + (x[1] - x[0]) if kind == "ee" else 0.5 * (x[1] + x[2])
        elif shape == 3:  # they slide past each other
            u[:] = 0
            u[0] = x[2] - x[3]
        elif shape == 4:  # one turns about its middle
            x[0] *= 3
            u[:2] = -2 * x[:2]
        elif shape == 5:  # slivers
            x[3] = x[1] + 1e-9 * dice.uniform(-1, 1, 3)
        elif shape == 6:  # far away from the origin
            x += 1e4
        elif shape == 7:  # coordinates of a grid: exact coincidences
            x, u = numpy.round(2 * x), numpy.round(2 * u)
        elif shape == 8:  # very fast
            u *= 100
        elif shape == 9:  # aimed at each other
            middle = x[:1].mean(0) - x[1:].mean(0) if kind == "vt" else x[:2].mean(0) - x[2:].mean(0)
            u = 0.1 * u
            u[: 1 if kind == "vt" else 2] -= 2 * middle
        size = 10.0 ** dice.uniform(-4, 4) if shape != 6 else 1.0
        yield kind, 1e-3 * size, size * x, size * (x + u)


def contacts(ipctk, numpy, program, count):
    """Compares first contacts."""
    all_pairs = list(pairs(numpy, count))
    lines = [f"{kind} {gap!r} " + " ".join(repr(float(c)) for c in [*x.flat, *y.flat]) for kind, gap, x, y in all_pairs]
    ended = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    times = [None if word == "none" else float(word) for word in ended.stdout.split()]
    assert len(times) == count, f"{len(times)} answers to {count} pairs"
    squared = {"vt": ipctk.point_triangle_distance, "ee": ipctk.edge_edge_distance}
    theirs = {"vt": "point_triangle_ccd", "ee": "edge_edge_ccd"}
    # Flat pairs would take ten million intervals each; after these it answers with the time so far.
    ccd = ipctk.TightInclusionCCD(max_iterations=10_000)

    def distance(kind, x, y, t):
        return squared[kind](*((1 - t) * x + t * y)) ** 0.5

    missed, passed, far, alarms, hits, tested = 0, 0, 0, 0, 0, 0
    for (kind, gap, x, y), ours in zip(all_pairs, times):
        first = distance(kind, x, y, 0)
        if first <= 1.001 * gap:
            continue
        tested += 1
        is_hit, when = getattr(ccd, theirs[kind])(*x, *y, min_distance=gap)
        hits += is_hit
        rounding = 1e-9 * max(gap, abs(x).max() * 1e-6)
        if ours is not None:
            alarms += not is_hit
            # The time is at or before the contact: up to it the features are apart.
            then = distance(kind, x, y, ours)
            passed += then < gap - rounding
            # And they have come near: nine tenths of the way, at least.
            far += then > gap + 0.1 * (first - gap) + rounding
        elif is_hit:
            # Theirs is conservative too: it counts only if they are as near at some time.
            near = numpy.linspace(max(0, when - 0.01), min(1, when + 0.3), 2000)
            missed += min(distance(kind, x, y, t) for t in near) < gap - rounding
    assert missed == 0, f"{missed} of {hits} contacts missed"
    assert passed == 0, f"{passed} contacts reported after the features came nearer than the gap"
    assert hits > 0.1 * tested, f"only {hits} of {tested} pairs touch"
    assert far == 0, f"{far} contacts reported of features that are far from each other"
    assert alarms < 0.05 * tested, f"{alarms} of {tested} pairs reported that do not touch"
    print(f"{tested} pairs, {hits} contacts: 0 missed, {alarms} reported that ipctk does not report")


def frames(ipctk, meshio, numpy, pliant, scene, place):
    """Runs a scene and looks at every frame."""
    out = place / scene
    subprocess.run([pliant, "run", f"scenes/{scene}.toml", "-o", out, "--quiet"], check=True, capture_output=True)
    paths = sorted(out.glob("**/*.vtu"))
    assert len(paths) > 10, f"{scene}: {len(paths)} frames"
    toolkit = None
    for path in paths:
        mesh = meshio.read(path)
        if toolkit is None:
            faces = [cells.data for cells in mesh.cells if cells.type == "triangle"]
            tets = numpy.concatenate([cells.data for cells in mesh.cells if cells.type == "tetra"] or [numpy.zeros((0, 4), int)])
            sides = numpy.concatenate([tets[:, [0, 2, 1]], tets[:, [0, 1, 3]], tets[:, [0, 3, 2]], tets[:, [1, 2, 3]]])
            _, where, count = numpy.unique(numpy.sort(sides, 1), axis=0, return_index=True, return_counts=True)
            faces = numpy.concatenate([*faces, sides[where[count == 1]]]).astype(numpy.int32)
            used, renumbered = numpy.unique(faces, return_inverse=True)
            faces = renumbered.reshape(faces.shape).astype(numpy.int32)
            toolkit = ipctk.CollisionMesh(mesh.points[used], ipctk.edges(faces), faces)
        points = numpy.asfortranarray(mesh.points[used])
        assert not ipctk.has_intersections(toolkit, points), f"{path} intersects"
    print(f"{scene}: {len(paths)} frames, none intersects")


def main():
    ipctk, meshio, numpy = packages.needed("ipctk"), packages.needed("meshio"), packages.needed("numpy")
    pliant, program = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    contacts(ipctk, numpy, program, int(sys.argv[3]) if len(sys.argv) > 3 else 100_000)
    with tempfile.TemporaryDirectory() as place:
        for scene in SCENES:
            frames(ipctk, meshio, numpy, pliant, scene, pathlib.Path(place))


if __name__ == "__main__":
    main()
