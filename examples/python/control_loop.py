"""A controller in the loop: an elastic rod stands on a held foot and would fall; forces at its top keep it upright."""

import numpy as np

import pliant


def rod(gravity):
    """A rod so soft that it buckles under its weight."""
    return pliant.Simulation({
        "world": {"gravity": [0, 0, -gravity]},
        "integrator": {"method": "siere", "step": 0.005},
        "body": [{
            "name": "rod",
            "shape": {"generator": "box", "size": [0.04, 0.04, 1.0], "cells": [1, 1, 16]},
            "material": pliant.StableNeoHookean(young=1.5e6, poisson=0.4, density=1000.0),
        }],
        "fix": [{"where": {"group": "z-"}}],
    }, endless=True)


def stand(is_controlled, seconds=2.5):
    """Returns the largest deviation of the top [m]."""
    sim = rod(gravity=9.81)
    top = sim.groups["z+"]
    upright, farthest = sim.rest[top].mean(axis=0), 0.0
    sim.velocities[top] += [0.05, 0.0, 0.0]  # a push
    for _ in range(round(seconds / 0.005)):
        error = sim.positions[top].mean(axis=0) - upright
        if is_controlled:
            speed = sim.velocities[top].mean(axis=0)
            force = -20.0 * error - 1.0 * speed  # [N], a spring and a damper
            sim.force[top] = [force[0] / len(top), force[1] / len(top), 0.0]
        sim.step()
        farthest = max(farthest, np.linalg.norm(error[:2]))
    return farthest


free, held = stand(False), stand(True)
print(f"the top moves by {free:.3f} m when it is left alone, and by {held:.3f} m when it is controlled")
assert held < 0.02 and free > 5 * held
