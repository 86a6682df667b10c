"""Algorithms on matrices of the user, against dense answers."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sparse

import pliant
from pliant.numerics import KeptFactor, exp_action, lowest_modes, phi_action


def string(n, stiffness=1e4):
    """Masses on a string, held at both ends."""
    second = sparse.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])
    return sparse.csr_array(stiffness * second), 1.0 + 0.5 * (np.arange(n) % 3)


@pytest.mark.parametrize("n", [20, 21, 22])
@pytest.mark.parametrize("method", ["lanczos", "rational", "kiops", "expokit", "leja", "taylor"])
def test_actions_are_those_of_the_dense_exponential(n, method):
    K, mass = string(n)
    rng = np.random.default_rng(n)
    x, v, load = rng.normal(size=(3, n))
    a, b, h = 0.3, 0.004, 0.05
    action = phi_action(K, sparse.diags(mass), x, v, load, h, damping=(a, b), tolerance=1e-9, method=method)
    dense, M = K.toarray(), np.diag(mass)
    J = np.zeros((2 * n + 1, 2 * n + 1))
    J[:n, n : 2 * n] = np.eye(n)
    J[n : 2 * n, :n] = -dense / mass[:, None]
    J[n : 2 * n, n : 2 * n] = -(a * M + b * dense) / mass[:, None]
    J[n : 2 * n, 2 * n] = load / mass
    exact = scipy.linalg.expm(h * J) @ np.concatenate([x, v, [1.0]])
    assert np.abs(action.v - exact[n : 2 * n]).max() < 1e-6 * np.abs(exact[n : 2 * n]).max()
    assert np.abs(action.x - exact[:n]).max() < 1e-6 * np.abs(exact).max() and action.error < 1e-6


def test_two_passes_are_one_and_work_is_counted():
    K, mass = string(300)
    v = np.exp(-(((np.arange(300) - 150) / 10) ** 2))
    one = exp_action(K, mass, np.zeros(300), v, 1.0)
    two = exp_action(K, mass, np.zeros(300), v, 1.0, memory=100_000)
    assert np.abs(one.v - two.v).max() < 1e-7 and two.products > one.products > 50


@pytest.mark.parametrize("n", [60, 61, 62])
def test_lowest_modes_are_those_of_the_dense_problem(n):
    K, mass = string(n)
    values, vectors = lowest_modes(K, mass, 5, tolerance=1e-8)
    exact = scipy.linalg.eigh(K.toarray(), np.diag(mass), eigvals_only=True)[:5]
    assert values == pytest.approx(exact, rel=1e-9) and vectors.shape == (n, 5)
    assert np.abs(vectors.T @ (mass[:, None] * vectors) - np.eye(5)).max() < 1e-8
    again = lowest_modes(1.01 * K, mass, 5, guess=vectors, tolerance=1e-8)
    assert again.values == pytest.approx(1.01 * exact, rel=1e-9)


def test_a_kept_factor_solves_for_matrices_that_change():
    K, mass = string(100)
    A = K + sparse.diags(1e4 * mass)
    solve = KeptFactor(A)
    b = np.random.default_rng(3).normal(size=(100, 2))
    assert np.abs(A @ solve(b) - b).max() < 1e-8
    for k in range(1, 4):
        changed = A + sparse.diags(np.full(100, 50.0 * k))
        solve.update(changed)
        x = solve(b[:, 0])
        assert np.linalg.norm(changed @ x - b[:, 0]) < 1e-9 * np.linalg.norm(b[:, 0])
    assert solve.work[0] == 1, "one factor serves all of them"


def test_a_kept_factor_turns_with_the_nodes(bar):
    points, tets = bar
    rubber = pliant.NeoHookean(young=1e6, poisson=0.4, density=1000.0)
    sim = pliant.Simulation.from_arrays(points, tets=tets, material=rubber, gravity=(0, 0, 0))
    M, h = sim.mass(), 0.02
    angle = 1.0
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    b = np.random.default_rng(5).normal(size=3 * len(points))
    solve = KeptFactor(M + h**2 * sim.stiffness(), positions=sim.positions)
    before = solve(b), solve.work[2]
    sim.positions[:] = points @ turn.T
    solve.update(M + h**2 * sim.stiffness(), positions=sim.positions)
    x = solve(b)
    assert np.linalg.norm((M + h**2 * sim.stiffness()) @ x - b) < 1e-9 * np.linalg.norm(b)
    assert solve.work[0] == 1 and solve.work[2] - before[1] <= before[1] + 2, "a turned body is no other matrix"


def test_wrong_matrices_are_refused_in_words():
    K, mass = string(10)
    lopsided = K.copy()
    lopsided[0, 1] = 7.0
    v = np.zeros(10)
    for call, words in [
        (lambda: exp_action(lopsided, mass, v, v, 1.0), "K is not symmetric"),
        (lambda: exp_action(K, mass[:5], v, v, 1.0), r"M is an array of shape \(5,\)"),
        (lambda: exp_action(K, K, v, v, 1.0), "M is not diagonal"),
        (lambda: exp_action(K, -mass, v, v, 1.0), "M has -1.0 in row 0"),
        (lambda: exp_action(K, mass, v[:3], v, 1.0), "x is an array"),
        (lambda: exp_action(K, mass, v, v, 0.0), "h is 0.0"),
        (lambda: exp_action(K, mass, v, v, 1.0, method="magic"), "no method"),
        (lambda: lowest_modes(K, mass, 11), "1 to 10"),
        (lambda: lowest_modes(K[:5], mass, 1), "square"),
        (lambda: KeptFactor(K)(np.zeros(9)), "b is an array"),
        (lambda: KeptFactor(K, positions=np.zeros((3, 3))), "positions is an array"),
    ]:
        with pytest.raises(pliant.InputError, match=words):
            call()
