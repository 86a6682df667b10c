"""Simulations from arrays: steps, views, forces, states, matrices."""

import gc
import threading

import numpy as np
import pytest

import pliant

RUBBER = dict(young=1e5, poisson=0.4, density=1000.0)


def held(bar, **options):
    points, tets = bar
    material = pliant.NeoHookean(**RUBBER)
    return pliant.Simulation.from_arrays(points, tets=tets, material=material, fixed=points[:, 0] < 1e-9, **options)


def test_a_bar_swings_and_its_views_are_live(bar):
    sim = held(bar, method="siere", step=0.01)
    x, v = sim.positions, sim.velocities
    assert x.shape == v.shape == (len(bar[0]), 3) and x is sim.positions
    assert np.array_equal(x, bar[0])
    report = sim.step()
    assert sim.steps == 1 and sim.time == pytest.approx(0.01) and report.forces > 0
    tip = np.argmax(x[:, 0])
    assert x[tip, 2] < bar[0][tip, 2] and v[tip, 2] < 0
    assert (x[bar[0][:, 0] < 1e-9] == bar[0][bar[0][:, 0] < 1e-9]).all()


def test_forces_by_node_act_as_the_weight_does(bar):
    falling, pushed = held(bar), held(bar, gravity=(0, 0, 0))
    for _ in range(5):
        pushed.force[:] = pushed.node_mass[:, None] * [0, 0, -9.81]
        falling.step(), pushed.step()
    assert np.abs(falling.positions - pushed.positions).max() < 1e-12
    falling.step(), pushed.step()
    assert np.abs(falling.positions - pushed.positions).max() < 1e-12, "forces stay"
    pushed.force[:] = 0.0
    falling.step(), pushed.step()
    assert np.abs(falling.positions - pushed.positions).max() > 1e-4


def test_positions_and_velocities_are_written_between_steps(bar):
    sim = held(bar, gravity=(0, 0, 0))
    sim.velocities[sim.free] = [0.0, 0.0, 1.0]
    assert sim.energies().kinetic == pytest.approx(0.5 * sim.node_mass[sim.free].sum())
    sim.step()
    assert sim.positions[sim.free, 2].mean() > bar[0][sim.free, 2].mean()
    before = sim.positions.copy()
    sim.positions[0] += 1.0
    with pytest.raises(pliant.InputError, match="positions: node 0 is fixed"):
        sim.step()
    assert np.array_equal(sim.positions, before), "a refused change is taken back"
    sim.force[3, 1] = np.nan
    with pytest.raises(pliant.Diverged) as failed:
        sim.step()
    assert failed.value.node == 3
    sim.force[:] = 0.0
    sim.step()


def test_states_return_to_the_bit(bar):
    for method in ["siere", "backward-euler", "ere"]:
        sim = held(bar, method=method)
        for _ in range(3):
            sim.step()
        sim.force[5] = [0.1, 0.0, 0.0]
        state = sim.state()
        runs = []
        for _ in range(2):
            for _ in range(4):
                sim.step()
            runs.append(sim.positions.copy())
            sim.set_state(state)
            assert sim.time == pytest.approx(0.03) and sim.force[5, 0] == 0.1
        assert np.array_equal(*runs), method
        other = held(bar, method=method)
        other.set_state(state)
        for _ in range(4):
            other.step()
        assert np.array_equal(other.positions, runs[0]), method


def test_a_divergence_has_its_facts_and_leaves_the_last_good_state(bar):
    sim = held(bar, method="symplectic-euler", step=0.1)
    good = sim.positions.copy()
    with pytest.raises(pliant.Diverged) as failed:
        for _ in range(200):
            good = sim.positions.copy()
            sim.step()
    error = failed.value
    assert error.cause and error.step == sim.steps + 1 and error.h == 0.1 and "smaller step" in str(error)
    assert isinstance(error, pliant.PliantError) and np.array_equal(sim.positions, good)


def test_matrices_are_those_of_the_energy(bar):
    sim = held(bar, gravity=(0, 0, 0))
    sim.positions[sim.free] += 0.01 * np.sin(7 * sim.positions[sim.free])
    K, M = sim.stiffness(), sim.mass()
    n = 3 * len(sim.free)
    assert K.shape == M.shape == (n, n) and abs(K - K.T).max() < 1e-9 * abs(K).max()
    assert M.diagonal().reshape(-1, 3)[:, 0] == pytest.approx(sim.node_mass[sim.free])
    # The second difference of the elastic energy along a direction.
    x, direction = sim.positions.copy(), np.random.default_rng(1).normal(size=(len(sim.free), 3))
    def energy(t):
        sim.positions[:] = x
        sim.positions[sim.free] += t * direction
        return sim.energies().elastic
    h = 1e-4
    second = (energy(h) - 2 * energy(0) + energy(-h)) / h**2
    assert second == pytest.approx(direction.ravel() @ (K @ direction.ravel()), rel=1e-3)


def test_modes_are_eigenpairs_and_stress_is_that_of_a_pulled_bar(bar):
    sim = held(bar)
    modes = sim.modes(4, tolerance=1e-9)
    K, M = sim.stiffness(), sim.mass()
    for lam, shape in zip(modes.eigenvalues, modes.shapes):
        u = shape[sim.free].ravel()
        assert u @ (M @ u) == pytest.approx(1.0)
        assert np.linalg.norm(K @ u - lam * (M @ u)) < 1e-4 * lam * np.linalg.norm(M @ u)
    assert modes.frequencies[0] == pytest.approx(np.sqrt(modes.eigenvalues[0]) / 2 / np.pi)
    # Stretched by a part in a thousand along x: free, its stress is Young's modulus times that; sheared, it is the modulus.
    points, tets = bar
    free = pliant.Simulation.from_arrays(points, tets=tets, material=pliant.NeoHookean(**RUBBER))
    strain = 1e-6
    free.positions[:] = points * [1 + strain, 1 - 0.4 * strain, 1 - 0.4 * strain]
    sigma = free.stress()
    assert sigma[:, 0, 0] == pytest.approx(1e5 * strain, rel=1e-4)
    assert np.abs(sigma[:, 1, 1]).max() < 1e-4 * 1e5 * strain
    assert free.stress("von-mises") == pytest.approx(1e5 * strain, rel=1e-4)
    assert free.stress("pressure") == pytest.approx(-1e5 * strain / 3, rel=1e-3)


def test_wrong_arrays_say_what_they_got_and_want(bar):
    points, tets = bar
    material = pliant.NeoHookean(**RUBBER)
    make = lambda points=points, **more: pliant.Simulation.from_arrays(points, **{"tets": tets, "material": material, **more})
    for wrong, words in [
        (dict(points=points[:, :2]), r"points is an array of shape \(63, 2\) and dtype float64; give shape \(n, 3\)"),
        (dict(points=points.astype("U8")), "points is .*give floats"),
        (dict(tets=tets.astype(float)), r"tets is .* dtype float64; give integers of shape \(m, 4\)"),
        (dict(tets=tets + 1), r"tets\[\d+\] is .*give nodes from 0 to 62"),
        (dict(fixed=np.zeros(3, bool)), r"fixed is an array of shape \(3,\) .* mask of shape \(63,\)"),
        (dict(fixed=[99]), r"fixed\[0\] is 99; give nodes from 0 to 62"),
        (dict(points=np.where(np.arange(63)[:, None] == 7, np.nan, points)), r"points\[7, 0\] is nan"),
        (dict(material=lambda F: F), "a material cannot be a Python function of F"),
        (dict(tets=tets[:, [1, 0, 2, 3]]), "tet 0"),
        (dict(method="sierre"), "siere"),
    ]:
        with pytest.raises(pliant.PliantError, match=words):
            make(**wrong)
    with pytest.raises(pliant.InputError, match="no parameter 'yung'"):
        pliant.NeoHookean(yung=1.0, density=1.0)


def test_threads_share_a_simulation(bar):
    sim = held(bar)
    many = [threading.Thread(target=lambda: [sim.step() for _ in range(5)]) for _ in range(4)]
    [thread.start() for thread in many], [thread.join() for thread in many]
    assert sim.steps == 20


def test_a_thousand_simulations_leave_the_memory_flat():
    points, tets = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), [[0, 1, 2, 3]]
    material = pliant.StableNeoHookean(**RUBBER)

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    def many(count):
        for _ in range(count):
            sim = pliant.Simulation.from_arrays(points, tets=tets, material=material, step=1e-4)
            sim.force[0] = 1.0
            sim.step(), sim.positions, sim.state()
        gc.collect()

    many(200)
    before = resident()
    many(1000)
    assert resident() - before < 4e6, "bytes"
