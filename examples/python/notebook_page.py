"""Pages for notebooks: the moving page of a run, and a live page that computes while it is watched."""

import pathlib
import tempfile

import pliant

scene = pliant.Scene({
    "title": "A bar that swings",
    "run": {"duration": 0.5},
    "integrator": {"method": "siere", "step": 0.01},
    "body": [{
        "shape": {"generator": "box", "size": [1.0, 0.1, 0.1], "cells": [12, 2, 2]},
        "material": pliant.StableNeoHookean(young=1e6, poisson=0.45, density=1000.0),
    }],
    "fix": [{"where": {"group": "x-"}}],
})
energies = []
run = pliant.run(scene, observer=lambda moment: energies.append(moment.energies.total))
print(f"{run}: {len(energies)} moments were observed")
assert "<iframe" in run._repr_html_()  # what a notebook shows

with tempfile.TemporaryDirectory() as folder:
    page = run.save(pathlib.Path(folder) / "bar.html")
    print(f"one file of {page.stat().st_size / 1e6:.1f} MB, to be opened anywhere; run.show() opens it in the browser")

with pliant.view(scene) as view:  # in a notebook: view = pliant.view(scene), and `view` is a link to the page
    print(f"live at {view.address.split('?')[0]}, where bodies can be pulled with the mouse")
    assert view.is_open
