"""A bar of rubber, held at one end, swings under its weight."""

import pliant

scene = {
    "run": {"duration": 0.5},
    "integrator": {"method": "siere", "step": 0.01},
    "body": [{
        "name": "bar",
        "shape": {"generator": "box", "size": [1.0, 0.1, 0.1], "cells": [20, 2, 2]},  # [m]
        "material": pliant.StableNeoHookean(young=1e6, poisson=0.45, density=1000.0),
    }],
    "fix": [{"where": {"group": "x-"}}],
}

run = pliant.run(scene)
lowest = run["bar"][:, :, 2].min()
print(f"{run}: the tip sinks to {lowest:.3f} m")
print(f"kinetic energy: up to {run.series['kinetic'].max():.3f} J; {run.series['factorisations'].sum()} factorisations in all")
assert run.status == "done" and lowest < -0.1
