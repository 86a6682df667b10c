"""Whole runs: the same as the command's, recorded, shown, saved and read; comparisons and sweeps."""

import json
import os
import signal
import subprocess
import threading
import time
import urllib.request

import numpy as np
import pytest
from conftest import ROOT

import pliant


def test_a_run_has_the_bits_of_the_command(tmp_path):
    """Of a program of the same build; PLIANT names it."""
    program = os.environ.get("PLIANT")
    if program is None:
        pytest.skip("PLIANT does not name the command")
    scene = ROOT / "scenes" / "swinging-bar.toml"
    run = pliant.run(scene, duration=0.3, method="siere", out=tmp_path / "ours")
    command = [program, "run", scene, "--duration", "0.3", "--method", "siere", "-q", "-o", tmp_path / "theirs"]
    subprocess.run(command, check=True)
    assert (tmp_path / "ours" / "series.csv").read_bytes() == (tmp_path / "theirs" / "series.csv").read_bytes()
    frames = sorted((tmp_path / "theirs" / "frames").iterdir())
    assert len(frames) == len(run.times) > 5
    for frame in frames:
        assert (tmp_path / "ours" / "frames" / frame.name).read_bytes() == frame.read_bytes()
    theirs = json.loads((tmp_path / "theirs" / "summary.json").read_text())
    assert run.summary["energy"] == theirs["energy"] and run.status == "done"
    assert run.series["total"][-1] == theirs["energy"]["last"]["total"]


def test_a_run_is_arrays(scene):
    run = pliant.run(scene)
    assert run.status == "done" and run.failure is None
    assert run.positions.shape == (len(run.times), len(run.rest), 3)
    assert np.array_equal(run.positions[0], run.rest) and run["bar"].shape == run.positions.shape
    assert len(run.series["kinetic"]) == len(run.series["time"]) == 21
    assert run.series.to_pandas()["total"].iloc[0] == run.series["total"][0]
    # The same steps one by one.
    sim = pliant.Simulation(scene)
    for _ in range(20):
        sim.step()
    assert np.array_equal(sim.positions, run.positions[-1])


def test_a_scene_of_dictionaries_has_the_messages_of_files(scene):
    scene["body"][0]["material"]["yung"] = 1e6
    del scene["body"][0]["name"], scene["body"][0]["material"]["young"]
    scene["fix"][0]["where"] = {"grup": "x-"}
    with pytest.raises(pliant.SceneError) as failed:
        pliant.Scene(scene)
    problems = {problem.path: problem for problem in failed.value.problems}
    assert problems["body[0].material.yung"].suggestion == "young"
    assert any(path.startswith("fix[0].where") for path in problems)
    assert "body[0].material.yung did you mean `young`?" in str(failed.value)


def test_method_step_and_duration_need_no_section(scene):
    del scene["run"], scene["integrator"]
    run = pliant.run(scene, method="bdf2", step=0.02, duration=0.1)
    assert run.summary["method"] == "bdf2" and run.summary["steps"] == 5
    with pytest.raises(pliant.SceneError, match="run"):
        pliant.run(scene, method="bdf2", step=0.02)


def test_a_file_has_lines_and_its_keys_are_set_by_path(tmp_path, scene):
    file = tmp_path / "bar.toml"
    file.write_text(pliant.Scene(scene).to_toml())
    stiffer = pliant.Scene(file).set("body[0].material.young", 1e7).set("integrator.method", "backward-euler")
    assert "young = 10000000.0" in stiffer.to_toml() and stiffer.method == "backward-euler"
    assert pliant.Scene(file, set={"body.bar.material.young": 2e6}).to_toml() != pliant.Scene(file).to_toml()
    with pytest.raises(pliant.SceneError, match="young"):
        stiffer.set("body[0].material.young", -1.0)
    file.write_text(file.read_text().replace("young", "yung"))
    with pytest.raises(pliant.SceneError) as failed:
        pliant.Scene(file)
    assert failed.value.problems[0].line > 1 and failed.value.problems[0].path is None


def test_a_run_that_diverges_keeps_what_was_computed(scene):
    scene["integrator"] = {"method": "symplectic-euler", "step": 0.01}
    run = pliant.run(scene, duration=5.0)
    assert run.status == "diverged" and isinstance(run.failure, pliant.Diverged)
    assert len(run.series["time"]) == run.failure.step and np.isfinite(run.positions).all()


def test_observers_see_every_step_and_may_end_the_run(scene):
    seen = []
    pliant.run(scene, observer=lambda moment: seen.append((moment.step, moment.positions.shape[1], threading.current_thread())))
    assert [step for step, *_ in seen] == list(range(21)) and seen[0][1] == 3
    assert {thread for *_, thread in seen} == {threading.current_thread()}

    def refuse(moment):
        if moment.step == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        pliant.run(scene, observer=refuse)


def test_ctrl_c_returns_what_was_computed(scene):
    scene["integrator"]["step"] = 1e-4
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.warns(RuntimeWarning, match="interrupted"):
        run = pliant.run(scene, duration=1000.0)
    assert run.status == "interrupted" and 1 < len(run.series["time"]) < 1e6
    assert np.isfinite(run.positions).all()


def test_others_go_on_while_a_run_computes(scene):
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    scene["integrator"]["step"] = 1e-3
    pliant.run(scene, duration=1.0)
    stop.set()
    thread.join()
    assert counted[0] > 20


def test_runs_are_saved_read_and_shown(tmp_path, scene, monkeypatch):
    run = pliant.run(scene)
    assert run._repr_html_().startswith("<iframe srcdoc=") and "pliant-report" in run.page()
    assert run.save(tmp_path / "bar.html").read_text() == run.page()
    run.save(tmp_path / "bar.csv"), run.save(tmp_path / "bar.npz"), run.save(tmp_path / "bar")
    with np.load(tmp_path / "bar.npz") as arrays:
        assert np.array_equal(arrays["positions"], run.positions)
    read = pliant.open(tmp_path / "bar")
    assert isinstance(read.positions, np.memmap) and np.array_equal(read.positions, run.positions)
    assert np.array_equal(read.series["total"], run.series["total"]) and read.scene.method == "siere"
    run.save(tmp_path / "bar")  # a second time, in place of the first
    with pytest.raises(pliant.InputError, match="not saved as '.avi'"):
        run.save(tmp_path / "bar.avi")
    with pytest.raises(pliant.OutputError, match="holds no run"):
        pliant.open(tmp_path)
    # Positions that are large live in a file.
    monkeypatch.setattr("pliant._run.LARGE", 1000)
    large = pliant.run(scene)
    assert isinstance(large.positions, np.memmap) and np.array_equal(large.positions, run.positions)
    file = large.positions.filename
    del large
    assert not os.path.exists(file)


def test_a_live_page_is_served_until_it_is_closed(scene):
    with pliant.view(scene) as view:
        assert view.is_open and view.address in view._repr_html_()
        with urllib.request.urlopen(view.address, timeout=20) as answer:
            assert b"<html" in answer.read(100_000).lower()
    assert not view.is_open
    with pytest.raises(OSError):
        urllib.request.urlopen(view.address, timeout=5)


def test_a_film_is_drawn(tmp_path, scene):
    pytest.importorskip("PIL")
    run = pliant.run(scene, duration=0.05)
    assert run.save(tmp_path / "bar.gif").read_bytes()[:3] == b"GIF"


def test_methods_are_compared(scene, tmp_path):
    scene["world"] = {"gravity": [0, 0, 0]}
    scene["initial"] = [{"kind": "velocity", "where": {"group": "x+"}, "linear": [0, 0, 1.0]}]
    table = pliant.compare(scene, methods=["siere", "backward-euler"], reference="implicit-midpoint@0.001")
    siere, euler = table
    assert siere["error"] < euler["error"] and table.reference.startswith("implicit-midpoint")
    frame = table.to_pandas()
    assert list(frame.index) == ["siere", "backward-euler"] and frame["steps"].tolist() == [20, 20]
    assert table.energies(0)["total"].shape == (21,) and len(table.plot()) == 2
    assert table.page(tmp_path / "page.html").stat().st_size > 10_000 and "backward-euler" in repr(table)
    with pytest.raises(pliant.InputError, match="METHOD@STEP"):
        pliant.compare(scene, methods=["siere@x"])
    with pytest.raises(pliant.SceneError, match="siere"):
        pliant.compare(scene, methods=["sierre"])


def test_a_sweep_does_not_depend_on_its_workers(scene):
    values = {"body[0].material.young": np.geomspace(1e5, 1e7, 4)}
    one, two = (pliant.sweep(scene, values, workers=workers, duration=0.05) for workers in (1, 2))
    assert all(np.array_equal(a.positions, b.positions) for a, b in zip(one, two))
    sags = one.to_pandas(sag=lambda run: run.positions[-1, :, 2].min())["sag"]
    assert len(set(sags)) == 4
    assert len(pliant.sweep(scene, {"body.bar.material.young": [1e6], "run.duration": [0.01, 0.02]}, product=True)) == 2
    with pytest.raises(pliant.InputError, match="the same number of values"):
        pliant.sweep(scene, {"body[0].material.young": [1e6], "run.duration": [0.1, 0.2]})
