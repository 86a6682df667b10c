"""What the tests share."""

import os
import pathlib
import signal

import numpy as np
import pytest

# Shells let what they start in the background ignore Ctrl-C; the tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("MPLBACKEND", "Agg")

ROOT = pathlib.Path(__file__).resolve().parents[2]


def block(cells=(6, 2, 2), size=(0.6, 0.2, 0.2)):
    """A block of cubes of six tets each: points and corners."""
    sides = np.array(cells) + 1
    grid = np.stack(np.meshgrid(*[np.arange(n) for n in sides], indexing="ij"), -1).reshape(-1, 3)
    points = grid / np.array(cells) * np.array(size)
    number = lambda p: (p[0] * sides[1] + p[1]) * sides[2] + p[2]
    tets = []
    for cell in np.ndindex(*cells):
        for order, is_even in [((0, 1, 2), 1), ((1, 2, 0), 1), ((2, 0, 1), 1), ((0, 2, 1), 0), ((2, 1, 0), 0), ((1, 0, 2), 0)]:
            path = [np.array(cell)]
            for axis in order:
                path.append(path[-1] + np.eye(3, dtype=int)[axis])
            a, b, c, d = map(number, path)
            tets.append([a, b, c, d] if is_even else [a, c, b, d])
    return points, np.array(tets)


@pytest.fixture
def bar():
    return block()


@pytest.fixture
def scene():
    """A small bar as nested dictionaries."""
    return {
        "title": "A small bar",
        "run": {"duration": 0.2},
        "integrator": {"method": "siere", "step": 0.01},
        "body": [{
            "name": "bar",
            "shape": {"generator": "box", "size": [1.0, 0.1, 0.1], "cells": [10, 1, 1]},
            "material": {"model": "neo-hookean", "young": 1e6, "poisson": 0.4, "density": 1000.0},
        }],
        "fix": [{"where": {"group": "x-"}}],
    }
