"""Scenes that run while they are watched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._load import load
from ._scene import Scene

if TYPE_CHECKING:
    from ._pliant import View as _Native
else:
    _Native = load().View


class View(_Native):
    """A live page: the scene is computed in this process while its page is open in a browser, where bodies can be pulled.

    It ends with `close()`, at the end of a `with` block, or when nothing refers to it any more. Only who knows the address sees
    it, on this machine.
    """

    def __new__(cls, scene, *, method=None, step=None, set=None, port=0):  # noqa: A002
        scene = Scene(scene, method=method, step=step, set=set)
        self = super().__new__(cls, scene._scene, f"pliant.view({scene.name!r}, method={scene.method!r})", port)
        self.scene = scene
        return self

    def __init__(self, *_, **__):
        pass

    def open(self) -> None:
        """Opens the page in the browser."""
        import webbrowser

        webbrowser.open(self.address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _repr_html_(self) -> str:
        return f'<a href="{self.address}" target="_blank">{self.scene.name}, live</a>'

    def __repr__(self) -> str:
        return f"View({self.scene.name!r}, {self.address if self.is_open else 'closed'})"


def view(scene, *, method=None, step=None, set=None, port: int = 0) -> View:  # noqa: A002
    """Computes a scene while it is watched: returns a `View`, which a notebook shows as a link."""
    return View(scene, method=method, step=step, set=set, port=port)
