"""Exceptions of pliant. All are a `PliantError`; each has its facts as fields."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = [
    "Diverged", "InputError", "NumericsError", "OutputError", "PliantError", "Problem", "ProgramFault", "SceneError",
]


class PliantError(Exception):
    """Base of all exceptions of pliant."""


class InputError(PliantError, ValueError):
    """An argument cannot be used: a wrong shape, type or value. The message says what was given and what is needed."""


class OutputError(PliantError, OSError):
    """Files cannot be written or read."""


class NumericsError(PliantError, ArithmeticError):
    """An algorithm found no answer: a singular matrix, or an error that stays above the tolerance."""


class ProgramFault(PliantError, RuntimeError):
    """pliant itself failed. Please report it with the scene."""


class Problem(NamedTuple):
    """One problem of a scene."""

    message: str
    """The problem, and what to do."""
    path: str | None
    """Path of the key, such as `body[0].material.young`, for a scene that was made or changed in Python."""
    suggestion: str | None
    """Word that was probably meant."""
    file: str
    """The file."""
    line: int | None
    """Line in the file, from 1; None for a scene that was made in Python."""
    column: int | None
    """Column in that line, from 1."""


class SceneError(PliantError, ValueError):
    """A scene is wrong. All problems are reported at once, in `problems`."""

    problems: list[Problem]
    """The problems."""
    more: int
    """Number of problems that are not listed."""

    def __init__(self, message: str, problems: list[dict] | None = None, more: int = 0):
        texts, self.problems, self.more = [], [], more
        for one in problems or []:
            one = dict(one)
            shown, key = one.pop("shown"), one.pop("key")
            path = key and python_path(key)
            if path:
                hint = f" did you mean `{one['suggestion']}`?" if one["suggestion"] else ""
                shown = f"error: {one['message']}\n --> {path}{hint}\n"
            texts.append(shown)
            self.problems.append(Problem(path=path, **one))
        if more:
            texts.append(f"and {more} more; correct these first\n")
        super().__init__("\n".join(texts).rstrip() if texts else message.rstrip())


class Diverged(PliantError, ArithmeticError):
    """A step failed. The simulation holds the last good state."""

    def __init__(self, message: str, *, step=0, time=0.0, h=0.0, cause="", node=None, element=None, body=None, advice=()):
        super().__init__("\n".join([message, *advice]))
        self.step: int = step
        """Number of the step, from 1."""
        self.time: float = time
        """Time of its beginning, that of the last good state [s]."""
        self.h: float = h
        """Its length [s]."""
        self.cause: str = cause
        """Cause in a word, such as "newton" or "energy jump"."""
        self.node: int | None = node
        """Node where it happened, numbered as in the mesh, if known."""
        self.element: tuple[str, int] | None = element
        """Kind and number of the element where it happened, if known."""
        self.body: str | None = body
        """Name of the body of that node or element, if known."""
        self.advice: list[str] = list(advice)
        """What to try."""


def python_path(key: str) -> str:
    """Turns a path of scene files, which count from 1, into one of Python: `body.1.scale` into `body[0].scale`."""
    return re.sub(r"\.(\d+)(?=\.|$)", lambda number: f"[{int(number[1]) - 1}]", key)


def scene_path(path: str) -> str:
    """Turns a path of Python, which counts from 0, into one of scene files: `body[0].scale` into `body.1.scale`."""
    return re.sub(r"\[(\d+)\]|\.(\d+)(?=\.|\[|$)", lambda number: f".{int(number[1] or number[2]) + 1}", path)
