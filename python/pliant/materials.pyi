"""Materials of solids, a class each."""

from typing import Any, Sequence

class Material:
    model: str
    units: dict[str, str]
    parameters: dict[str, Any]
    def __init__(self, **parameters: Any) -> None: ...
    def to_scene(self) -> dict[str, Any]: ...

class Linear(Material):
    def __init__(self, *, young: float, poisson: float, density: float) -> None: ...

class Corotational(Material):
    def __init__(self, *, young: float, poisson: float, density: float) -> None: ...

class StVenantKirchhoff(Material):
    def __init__(self, *, young: float, poisson: float, density: float) -> None: ...

class NeoHookean(Material):
    def __init__(self, *, young: float, poisson: float, density: float) -> None: ...

class NeoHookeanIsochoric(Material):
    def __init__(self, *, young: float, poisson: float, density: float) -> None: ...

class StableNeoHookean(Material):
    def __init__(self, *, young: float, poisson: float, density: float) -> None: ...

class Arap(Material):
    def __init__(self, *, young: float, poisson: float = ..., density: float) -> None: ...

class MooneyRivlin(Material):
    def __init__(self, *, c10: float, c01: float, bulk: float, density: float) -> None: ...

class Ogden(Material):
    def __init__(self, *, mu: float | Sequence[float], alpha: float | Sequence[float], bulk: float, density: float) -> None: ...

class FibreReinforced(Material):
    def __init__(
        self, *, young: float, poisson: float, fibre: float, direction: Sequence[float] = ..., density: float
    ) -> None: ...

MATERIALS: dict[str, type[Material]]
__all__: list[str]
