"""Materials of solids, a class each: made from the same table as scenes, lists and the manual.

    pliant.NeoHookean(young=1e6, poisson=0.45, density=1000.0)
"""

from __future__ import annotations

import inspect

from ._load import load
from .errors import InputError


class Material:
    """A material of tets. Use one of its subclasses; their arguments are keywords."""

    model: str
    """Name in scenes."""
    units: dict[str, str]
    """Unit of each parameter."""

    def __init__(self, **parameters):
        unknown = set(parameters) - set(self.units)
        if unknown:
            known = ", ".join(self.units)
            raise InputError(f"{type(self).__name__} has no parameter {sorted(unknown)[0]!r}; it has {known}")
        if "density" not in parameters:
            raise InputError(f"{type(self).__name__} needs a density [kg/m^3]: water has 1000")
        self.parameters = parameters

    def to_scene(self) -> dict:
        """Returns it as scenes have it."""
        return {"model": self.model, **self.parameters}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"

    def __eq__(self, other) -> bool:
        return isinstance(other, Material) and self.to_scene() == other.to_scene()

    __hash__ = None


def class_name(model: str) -> str:
    """Turns the name in scenes into that of a class."""
    return "StVenantKirchhoff" if model == "stvk" else "".join(word.capitalize() for word in model.split("-"))


def made(model: str, description: str, parameters: list[tuple]) -> type:
    lines = [f"{name}: {doc}{f' [{unit}]' if unit else ''}" for name, unit, doc, _ in parameters]
    keyword = inspect.Parameter.KEYWORD_ONLY
    keywords = [
        inspect.Parameter(name, keyword, default=inspect.Parameter.empty if needed else None)
        for name, _, _, needed in parameters
    ]
    return type(class_name(model), (Material,), {
        "__doc__": f"{description[:1].upper()}{description[1:]}.\n\n" + "\n".join(lines),
        "__module__": __name__,
        "__signature__": inspect.Signature(keywords),
        "model": model,
        "units": {name: unit for name, unit, _, _ in parameters},
    })


MATERIALS: dict[str, type] = {model: made(model, *rest) for model, *rest in load().materials()}
"""Classes of all materials by their names in scenes."""
globals().update({kind.__name__: kind for kind in MATERIALS.values()})
__all__ = ["MATERIALS", "Material", *(kind.__name__ for kind in MATERIALS.values())]
