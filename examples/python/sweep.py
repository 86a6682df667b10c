"""How far does a bar sag? Twenty stiffnesses, two at a time, and a plot."""

import pathlib
import tempfile

import matplotlib.pyplot as plt
import numpy as np

import pliant

scene = {
    "run": {"duration": 1.0},
    "integrator": {"method": "backward-euler", "step": 0.05},  # loses energy: the bar comes to rest
    "body": [{
        "name": "bar",
        "shape": {"generator": "box", "size": [1.0, 0.1, 0.1], "cells": [10, 2, 2]},
        "material": pliant.StableNeoHookean(young=1e6, poisson=0.4, density=1000.0),
    }],
    "fix": [{"where": {"group": "x-"}}],
}

young = np.geomspace(1e6, 1e8, 20)  # [Pa]
runs = pliant.sweep(scene, {"body[0].material.young": young}, workers=2)
table = runs.to_pandas(sag=lambda run: -run.positions[-1, :, 2].min())
print(table[["body[0].material.young", "sag"]].to_string(index=False))
assert table["sag"].is_monotonic_decreasing

with tempfile.TemporaryDirectory() as folder:
    figure, axes = plt.subplots()
    axes.loglog(young, table["sag"], "o-")
    axes.set(xlabel="Young's modulus [Pa]", ylabel="sag after 1 s [m]")
    figure.savefig(pathlib.Path(folder) / "sag.png")
