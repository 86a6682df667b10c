"""The package as a whole: its stubs, its levels of instructions, its materials."""

import ast
import inspect
import pathlib

import pytest

import pliant
from pliant import _load, materials


def stub(name):
    """Returns the classes of a stub, each with the names of its methods, and its functions."""
    tree = ast.parse((pathlib.Path(pliant.__file__).parent / f"{name}.pyi").read_text())
    classes = {
        node.name: {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}
        for node in tree.body if isinstance(node, ast.ClassDef)
    }
    return classes, {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_stub_of_the_native_part_has_all_of_it():
    native = _load.load()
    classes, functions = stub("_pliant")
    public = {name for name in vars(native) if not name.startswith("__")}
    assert public == set(classes) | functions
    for name, methods in classes.items():
        there = {key for key in vars(getattr(native, name)) if not key.startswith("__")}
        fields = {"forces", "assemblies", "newton"} if name == "StepReport" else set()
        assert fields <= there and (name == "StepReport" or there == {key for key in methods if key != "__new__"}), name


def test_the_stub_of_materials_has_their_table():
    classes, _ = stub("materials")
    assert set(classes) - {"Material"} == {kind.__name__ for kind in pliant.MATERIALS.values()}
    for kind in pliant.MATERIALS.values():
        known = {argument.arg for argument in classes[kind.__name__]["__init__"].args.kwonlyargs}
        assert known == set(inspect.signature(kind).parameters) == set(kind.units), kind
        assert "[kg/m^3]" in kind.__doc__ and kind.__name__ in materials.__all__


def test_materials_are_what_scenes_have():
    rubber = pliant.NeoHookean(young=1e6, poisson=0.45, density=1000.0)
    assert rubber.to_scene() == {"model": "neo-hookean", "young": 1e6, "poisson": 0.45, "density": 1000.0}
    assert rubber == pliant.NeoHookean(young=1e6, poisson=0.45, density=1000.0) != pliant.Linear(young=1e6, poisson=0.4, density=1.0)
    with pytest.raises(pliant.InputError, match="needs a density"):
        pliant.Linear(young=1e6, poisson=0.3)
    with pytest.raises(pliant.SceneError, match="young"):
        pliant.Scene({"body": [{"shape": {"generator": "bar"}, "material": pliant.Linear(poisson=0.3, density=1.0)}]})


def test_the_best_level_is_loaded():
    v2, v3 = _load.NEEDED["v2"], _load.NEEDED["v3"]
    assert _load.machine_level(set()) == "v1" and _load.machine_level(v2) == "v2"
    assert _load.machine_level(v2 | v3) == "v3" and _load.machine_level(v3) == "v1", "each level has those below"
    every = ["v1", "v3", "v4"]
    assert _load.chosen(every, "v4", None) == "v4" and _load.chosen(every, "v2", None) == "v1"
    assert _load.chosen(every, "v4", "v1") == "v1"
    with pytest.raises(ImportError, match="PLIANT_CPU=v4 cannot be loaded: use one of v3, v1"):
        _load.chosen(every, "v3", "v4")
    with pytest.raises(ImportError, match="this machine has v1"):
        _load.chosen(["v3"], "v1", None)


def test_names_and_docstrings():
    for name in pliant.__all__:
        thing = getattr(pliant, name)
        assert name in ("MATERIALS",) or inspect.getdoc(thing), name
    assert "siere" in pliant.methods() and pliant.instructions()


def test_settings_are_checked():
    with pytest.raises(pliant.InputError, match="0 threads"):
        pliant.set_threads(0)
