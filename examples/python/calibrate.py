"""Young's modulus from a measured frequency, by scipy.optimize: which stiffness makes this bar swing at 5 Hz?"""

import numpy as np
import scipy.optimize

import pliant

MEASURED = 5.0  # [Hz]


def bar(young):
    """The bar with this modulus [Pa]."""
    return pliant.Simulation({
        "world": {"gravity": [0, 0, 0]},
        "body": [{
            "shape": {"generator": "box", "size": [0.5, 0.05, 0.05], "cells": [12, 2, 2]},
            "material": pliant.StVenantKirchhoff(young=young, poisson=0.35, density=1200.0),
        }],
        "fix": [{"where": {"group": "x-"}}],
    })


def error(exponent):
    return bar(10.0**exponent).modes(1).frequencies[0] - MEASURED


exponent = scipy.optimize.brentq(error, 4, 9, xtol=1e-6)
young = 10.0**exponent
print(f"Young's modulus: {young:.4g} Pa, which swings at {bar(young).modes(1).frequencies[0]:.4f} Hz")
# Frequencies go with the root of the modulus: one more measurement would have been enough.
once = bar(1e6).modes(1).frequencies[0]
assert np.isclose(young, 1e6 * (MEASURED / once) ** 2, rtol=1e-4)
