#!/usr/bin/env python3
"""Speed of the Python package, as ratios within one run.

    python bench/python.py [--json] [NAME ...]     step, phi, modes, reading

step     time of sim.step() over that of the loop in Rust: below 5 us + 3 %
phi      phi_action against scipy's expm_multiply at equal error, on a body of 37,800 unknowns (dimension 75,601 as a system of
         first order with a load): 10 times as fast at moduli of 1e6 and 1e8 Pa
modes    lowest_modes, begun with those of a similar matrix, against scipy's eigsh with a factor: 5 times as fast
         (phi and modes: processor time of all threads)
reading  pliant.open of a run of 1 GB, mapped into memory: below 50 ms
"""

import json
import pathlib
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg

import pliant
from pliant.numerics import lowest_modes, phi_action

REPEATS = 3


def best(work, repeats=REPEATS, clock=time.process_time):
    """Returns the shortest processor time of several [s], which other programs disturb least, and the last result."""
    times = []
    for _ in range(repeats):
        begin = clock()
        result = work()
        times.append(clock() - begin)
    return min(times), result


def bar(cells, young, **options):
    return {
        "world": {"gravity": [0, 0, -9.81]},
        "integrator": {"method": "linearly-implicit-euler", "step": 0.01},
        "body": [{
            "shape": {"generator": "box", "size": [1.0, 0.1, 0.1], "cells": cells},
            "material": pliant.NeoHookean(young=young, poisson=0.45, density=1000.0),
        }],
        "fix": [{"where": {"group": "x-"}}],
    } | options


def step():
    """Steps from Python, with views and a force, against a loop of the same steps in Rust: blocks of steps in turns, the shortest of each."""
    found = {}
    for name, cells, block, blocks in [("small", [10, 1, 1], 100, 60), ("large", [60, 6, 6], 5, 12)]:
        scene = bar(cells, 1e6)
        ours, theirs = (pliant.Simulation(scene, endless=True) for _ in range(2))
        x, v, force = ours.positions, ours.velocities, ours.force
        times = []
        for _ in range(blocks):
            clock = time.perf_counter()
            for _ in range(block):
                force[0, 2] = 0.0
                ours.step()
            times.append(((time.perf_counter() - clock) / block, theirs._native_steps(block) / block))
        assert np.array_equal(x, theirs.positions), "both take the same steps"
        per_step, loop = (min(column) for column in zip(*times))
        found[name] = {
            "nodes": len(x), "rust_us": 1e6 * loop, "python_us": 1e6 * per_step, "over_us": 1e6 * (per_step - loop),
            "reached": per_step <= 5e-6 + 1.03 * loop,
        }
    return found


def phi():
    """x(h), v(h) of a body in motion, as exponential Rosenbrock-Euler needs them."""
    found, h = {}, 0.01
    for young in (1e6, 1e8):
        scene = bar([24, 24, 20], young)
        scene["body"][0]["shape"]["size"] = [1.0, 0.5, 0.5]
        sim = pliant.Simulation(scene, endless=True)
        for _ in range(3):
            sim.step()
        K, M = sim.stiffness().tocsr(), sim.mass().diagonal()
        x = (sim.positions - sim.rest)[sim.free].ravel()
        v, n = sim.velocities[sim.free].ravel(), K.shape[0]
        load = M * np.tile([0, 0, -9.81], n // 3)
        # The first-order system with a load: dimension 2 n + 1.
        J = sparse.csr_array(sparse.block_array([
            [None, sparse.eye_array(n), None],
            [sparse.diags_array(-1 / M) @ K, None, sparse.csr_array((load / M)[:, None])],
            [None, None, sparse.csr_array((1, 1))],
        ]))
        scipy_time, theirs = best(lambda: scipy.sparse.linalg.expm_multiply(h * J, np.concatenate([x, v, [1.0]])), 1)
        exact = phi_action(K, M, x, v, load, h, tolerance=1e-13).v
        error = lambda other: np.sqrt(M @ (other - exact) ** 2 / (M @ exact**2))
        goal = max(error(theirs[n : 2 * n]), 1e-14)
        # The loosest tolerance that is as accurate, but not beyond 1e-10: scipy has no other than full precision.
        ours_time, ours = best(lambda: phi_action(K, M, x, v, load, h, tolerance=1e-10))
        found[f"{young:.0e}"] = {
            "dimension": 2 * n + 1, "pliant_ms": 1e3 * ours_time, "scipy_ms": 1e3 * scipy_time,
            "ratio": scipy_time / ours_time, "error": error(ours.v), "scipy_error": goal, "products": ours.products, "reached": scipy_time >= 10 * ours_time,
        }
    return found


def modes():
    """Twenty modes of a body that has moved a little, begun with those before: a slender bar, whose factor is cheap, and a cube."""
    found = {}
    for name, size, cells in [("bar", [1.0, 0.1, 0.1], [60, 6, 6]), ("cube", [0.3, 0.3, 0.3], [14, 14, 14])]:
        scene = bar(cells, 1e6)
        scene["body"][0]["shape"]["size"] = size
        sim = pliant.Simulation(scene, endless=True)
        M = sim.mass()
        before = lowest_modes(sim.stiffness(), M, 20).vectors
        for _ in range(2):
            sim.step()
        K = sim.stiffness().tocsc()
        ours_time, ours = best(lambda: lowest_modes(K, M, 20, guess=before))
        scipy_time, theirs = best(lambda: scipy.sparse.linalg.eigsh(K, 20, M.tocsc(), sigma=0.0), 1)
        found[name] = {
            "unknowns": K.shape[0], "pliant_ms": 1e3 * ours_time, "scipy_ms": 1e3 * scipy_time,
            "ratio": scipy_time / ours_time, "difference": np.abs(ours.values / np.sort(theirs[0]) - 1).max(), "reached": scipy_time >= 5 * ours_time,
        }
    return found


def reading():
    """A run of 1 GB, saved by hand: as Run.save does."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "run"
        small = pliant.run(bar([10, 1, 1], 1e6), duration=1.0)
        small.save(place)
        nodes, frames = 42_000, 1000
        array = np.lib.format.open_memmap(place / "positions.npy", "w+", np.float64, (frames, nodes, 3))
        array[::100] = 1.0
        array.flush()
        del array
        seconds, run = best(lambda: pliant.open(place), clock=time.perf_counter)
        assert run.positions.shape == (frames, nodes, 3)
        return {"GB": run.positions.nbytes / 1e9, "ms": 1e3 * seconds, "reached": seconds < 0.05}


BENCHES = {"step": step, "phi": phi, "modes": modes, "reading": reading}


def main(arguments):
    is_json = "--json" in arguments
    names = [name for name in arguments if name != "--json"] or list(BENCHES)
    if unknown := set(names) - set(BENCHES):
        sys.exit(f"there is no bench {sorted(unknown)[0]!r}\n{__doc__}")
    found = {name: BENCHES[name]() for name in names}
    if is_json:
        print(json.dumps({"instructions": pliant.instructions(), **found}, default=float))
        return
    for name, facts in found.items():
        rows = facts if isinstance(next(iter(facts.values())), dict) else {"": facts}
        for row, values in rows.items():
            shown = ", ".join(f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in values.items())
            print(f"{name} {row}: {shown}")


if __name__ == "__main__":
    main(sys.argv[1:])
