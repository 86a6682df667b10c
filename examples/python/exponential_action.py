"""exp(h J) b of your own sparse matrices: against scipy's expm_multiply, at equal error, with times."""

import time

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg

from pliant.numerics import exp_action

# A wave on a string of 4000 masses: M x'' + K x = 0.
n, stiffness, h = 4000, 1e4, 0.5
second = sparse.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])
K = sparse.csr_array(stiffness * second)
v = np.exp(-(((np.arange(n) - n / 2) / 20) ** 2))

clock = time.perf_counter()
ours = exp_action(K, None, np.zeros(n), v, h, tolerance=1e-9)
seconds = time.perf_counter() - clock
print(f"pliant: {1e3 * seconds:.1f} ms, {ours.products} products, error below {ours.error:.0e}")

J = sparse.csr_array(sparse.block_array([[None, sparse.eye_array(n)], [-K, None]]))
clock = time.perf_counter()
theirs = scipy.sparse.linalg.expm_multiply(h * J, np.concatenate([np.zeros(n), v]))
scipy_seconds = time.perf_counter() - clock
print(f"scipy:  {1e3 * scipy_seconds:.1f} ms, {scipy_seconds / seconds:.0f} times as long")
assert np.abs(theirs[n:] - ours.v).max() < 1e-7
