"""How much energy do methods lose? A stiff bar is struck and should swing for ever; drawn by matplotlib."""

import pathlib
import tempfile

import pliant

scene = {
    "title": "A stiff bar, struck",
    "run": {"duration": 0.5},
    "world": {"gravity": [0, 0, 0]},
    "integrator": {"method": "siere", "step": 0.01},
    "body": [{
        "shape": {"generator": "box", "size": [1.0, 0.1, 0.1], "cells": [12, 2, 2]},
        "material": pliant.StableNeoHookean(young=1e7, poisson=0.3, density=1000.0),
    }],
    "fix": [{"where": {"group": "x-"}}],
    "initial": [{"kind": "velocity", "where": {"group": "x+"}, "linear": [0, 0, 5.0]}],
}

table = pliant.compare(scene, methods=["siere", "bdf2", "backward-euler"])
print(table)
kept = table.to_pandas()["energy_kept"]
assert kept["siere"] > kept["bdf2"] > kept["backward-euler"]

with tempfile.TemporaryDirectory() as folder:
    axes = table.plot()
    axes[0].figure.savefig(pathlib.Path(folder) / "energies.png")
    table.page(pathlib.Path(folder) / "compared.html")  # the moving bodies side by side
