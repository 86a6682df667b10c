"""The lowest modes of a bar, against the formula of Euler and Bernoulli; and the same from K and M by scipy."""

import numpy as np
import scipy.sparse.linalg

import pliant

LENGTH, SIDE, YOUNG, DENSITY = 1.0, 0.05, 1e8, 1000.0
sim = pliant.Simulation({
    "world": {"gravity": [0, 0, 0]},
    "body": [{
        "shape": {"generator": "box", "size": [LENGTH, SIDE, SIDE], "cells": [80, 4, 4]},
        "material": pliant.StVenantKirchhoff(young=YOUNG, poisson=0.0, density=DENSITY),
    }],
    "fix": [{"where": {"group": "x-"}}],
})

modes = sim.modes(6)
print("frequencies [Hz]:", np.round(modes.frequencies, 3))
# Bending of a beam: f = (1.8751 / L)^2 sqrt(E I / (rho A)) / 2 pi, twice, for both directions.
beam = (1.8751 / LENGTH) ** 2 * np.sqrt(YOUNG * SIDE**2 / 12 / DENSITY) / (2 * np.pi)
print(f"Euler and Bernoulli: {beam:.3f} Hz")
assert np.allclose(modes.frequencies[:2], beam, rtol=0.1)

lam = scipy.sparse.linalg.eigsh(sim.stiffness().tocsc(), 6, sim.mass().tocsc(), sigma=0.0, return_eigenvectors=False)
assert np.allclose(np.sort(lam), modes.eigenvalues, rtol=1e-5)
