"""Arrays of users, checked: messages say what was given and what is needed."""

from __future__ import annotations

import numpy as np

from .errors import InputError


def said(value) -> str:
    """Describes a value: its shape and type."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    return f"{type(value).__name__} {value!r:.60}"


def numbers(value, what: str, shape: tuple) -> np.ndarray:
    """Returns float64 numbers of a shape, C-contiguous; None in `shape` is any length, a word names it."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise InputError(f"{what}: {error}; give an array of shape {written(shape)}") from None
    if array.dtype.kind not in "fiu":
        raise InputError(f"{what} is {said(array)}; give floats of shape {written(shape)}")
    if array.ndim != len(shape) or any(isinstance(n, int) and n != m for n, m in zip(shape, array.shape)):
        raise InputError(f"{what} is {said(array)}; give shape {written(shape)}")
    array = np.ascontiguousarray(array, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        index = tuple(int(i) for i in np.unravel_index(bad[0], array.shape))
        raise InputError(f"{what}{list(index)} is {array[index]}; give finite numbers")
    return array


def written(shape: tuple) -> str:
    return "(" + ", ".join(str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"


def corners(value, what: str, width: int, nodes: int) -> np.ndarray:
    """Returns the corners of elements as uint32 (m, width)."""
    if value is None:
        return np.zeros((0, width), np.uint32)
    array = np.asarray(value)
    if array.size == 0:
        return np.zeros((0, width), np.uint32)
    if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[1] != width:
        raise InputError(f"{what} is {said(array)}; give integers of shape (m, {width})")
    wrong = np.flatnonzero(((array < 0) | (array >= nodes)).any(axis=1))
    if len(wrong):
        raise InputError(f"{what}[{wrong[0]}] is {array[wrong[0]].tolist()}; give nodes from 0 to {nodes - 1}")
    return np.ascontiguousarray(array, dtype=np.uint32)


def chosen(value, what: str, nodes: int) -> np.ndarray:
    """Returns nodes as ascending uint32, from a mask of all nodes or from their numbers."""
    array = np.asarray(value)
    if array.dtype.kind == "b":
        if array.shape != (nodes,):
            raise InputError(f"{what} is {said(array)}; give a mask of shape ({nodes},), or the numbers of nodes")
        return np.flatnonzero(array).astype(np.uint32)
    if array.size == 0:
        return np.zeros(0, np.uint32)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise InputError(f"{what} is {said(array)}; give a mask of shape ({nodes},), or the numbers of nodes")
    wrong = np.flatnonzero((array < 0) | (array >= nodes))
    if len(wrong):
        raise InputError(f"{what}[{wrong[0]}] is {array[wrong[0]]}; give nodes from 0 to {nodes - 1}")
    return np.unique(array).astype(np.uint32)
