"""pliant's algorithms for your own matrices: `scipy.sparse`, of any size.

    y = phi_action(K, M, x, v, load, h, damping=(a, b), tolerance=1e-8)    # y.x, y.v, y.error
    lam, U = lowest_modes(K, M, 20, guess=U)
    solve = KeptFactor(A); solve(b); solve.update(A2, positions=x)

K is symmetric; M is diagonal: a sparse matrix, one number per row, or None for the identity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import _arrays
from ._load import load
from .errors import InputError

__all__ = ["Action", "KeptFactor", "Pairs", "exp_action", "lowest_modes", "phi_action"]

if TYPE_CHECKING:
    from . import _pliant as _native
else:
    _native = load()
_NEAR = 1e-12
"""Largest difference across the diagonal of a symmetric matrix, relative to its largest entry."""


class Action(NamedTuple):
    """State after a motion, and what it cost."""

    x: np.ndarray
    """x(h)."""
    v: np.ndarray
    """x'(h)."""
    error: float
    """Estimated error of v relative to the largest speed |v|, and of x relative to h |v|, in the norm of M."""
    products: int
    """Products with K."""
    solves: int
    """Solves with a shifted matrix."""
    dimension: int
    """Vectors in the largest basis."""
    pieces: int
    """Pieces that h was cut into."""


class Pairs(NamedTuple):
    """Lowest eigenpairs, ascending."""

    values: np.ndarray
    """lam."""
    vectors: np.ndarray
    """Vectors as columns, u . M u = 1."""


def phi_action(
    K, M, x, v, load, h: float, *, damping=(0.0, 0.0), tolerance: float = 1e-8, method: str = "lanczos", memory: int = 1 << 30
) -> Action:
    """Solves M x'' + D x' + K x = load, from x and v at 0 to h, with D = a M + b K, (a, b) = damping.

    This is the phi functions of exponential integrators in one call: (x, v)(h) = exp(h J) (x, v) + h phi_1(h J) (0, M^-1 load).
    `tolerance` bounds `Action.error`, up to rounding. method: "lanczos" (short recurrences; a basis of more than `memory` bytes
    is made twice), "rational" (stiff and damped), "kiops", "expokit", "leja", "taylor".
    """
    K, n = _rows(K, "K")
    mass = _mass(M, n)
    x, v = _vector(x, "x", n), _vector(v, "v", n)
    load = np.zeros(n) if load is None else _vector(load, "load", n)
    a, b = (float(number) for number in damping)
    if not (h > 0 and np.isfinite(h)):
        raise InputError(f"h is {h!r}; give a time above 0")
    if not 0 < tolerance < 1:
        raise InputError(f"tolerance is {tolerance!r}; give a number between 0 and 1")
    rows = (K.indptr.astype(np.int64), K.indices.astype(np.int64), K.data)
    y, rate, *facts = _native.propagate(rows, mass, (a, b), v, load - K @ x, float(h), float(tolerance), method, int(memory))
    return Action(x + y, rate, *facts)


def exp_action(K, M, x, v, h: float, **options) -> Action:
    """Solves M x'' + D x' + K x = 0 from x and v at 0 to h: the action of exp(h J). Options are those of `phi_action`."""
    return phi_action(K, M, x, v, None, h, **options)


def lowest_modes(K, M, count: int, *, guess=None, tolerance: float = 1e-6) -> Pairs:
    """Finds the lowest eigenpairs of K u = lam M u.

    `guess`, vectors of a similar matrix as columns, saves solves: give those of the call before. `tolerance` bounds the
    estimated angle between each vector and the exact one [rad]. K may be singular.
    """
    K, n = _rows(K, "K")
    root = np.sqrt(_mass(M, n))
    if not 1 <= count <= n:
        raise InputError(f"count is {count!r}; give a number from 1 to {n}")
    # Scaled by M, the rows that fill the last block have the largest value of all.
    scaled = _scaled(K, 1.0 / root)
    top = 2 * abs(scaled).sum(axis=1).max() or 1.0
    start = np.zeros((0, 0))
    if guess is not None:
        guess = _arrays.numbers(guess, "guess", (n, "modes"))
        start = np.zeros((guess.shape[1], n + -n % 3))
        start[:, :n] = (guess * root[:, None]).T
    values, vectors, _ = _native.lowest_pairs(_blocks(scaled, top), int(count), float(tolerance), start.ravel())
    vectors = vectors.reshape(len(values), -1)[:, :n]
    return Pairs(values, (vectors / root).T)


class KeptFactor(_native.KeptFactor):
    """Solves A x = b for a symmetric positive definite matrix that changes from call to call.

    The factor of an earlier matrix preconditions conjugate gradients for the present one, turned with the nodes if their
    positions are given; a new factor is made when that has become slow. `positions` (n / 3, 3): those of the nodes whose three
    unknowns follow each other.
    """

    def __new__(cls, A, *, positions=None):
        A, n = _rows(A, "A")
        self = super().__new__(cls, _blocks(A, _middle(A)), _positions(positions, n))
        self.size = n
        return self

    def __init__(self, *_, **__):
        pass

    def __call__(self, b, *, tolerance: float = 1e-10) -> np.ndarray:
        """Returns x for one right-hand side (n,) or several (n, k), to a relative residual."""
        b = np.asarray(b)
        shape = (self.size,) if b.ndim == 1 else (self.size, "k")
        b = _arrays.numbers(b, "b", shape)
        columns = b.reshape(self.size, -1).T
        padded = np.zeros((len(columns), self.size + -self.size % 3))
        padded[:, : self.size] = columns
        x = self._solve(padded.ravel(), float(tolerance)).reshape(padded.shape)[:, : self.size]
        return np.ascontiguousarray(x.T).reshape(b.shape)

    def update(self, A, *, positions=None) -> None:
        """Takes another matrix."""
        A, n = _rows(A, "A")
        if n != self.size:
            raise InputError(f"A has {n} rows, and the matrix before had {self.size}; make a new KeptFactor")
        self._update(_blocks(A, _middle(A)), _positions(positions, n))


def _rows(matrix, what: str):
    """Returns a symmetric matrix in compressed rows, sorted, both halves equal, and its size."""
    from scipy.sparse import csr_array, issparse

    if not issparse(matrix):
        matrix = _arrays.numbers(matrix, what, ("n", "n"))
    if matrix.shape[0] != matrix.shape[1] or matrix.dtype.kind not in "fiu":
        raise InputError(f"{what} has shape {matrix.shape} and dtype {matrix.dtype}; give a square matrix of floats")
    # Columns of a symmetric matrix are its rows: whichever is stored needs no conversion.
    by_columns = getattr(matrix, "format", None) == "csc"
    matrix = csr_array(matrix.T if by_columns else matrix, dtype=np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise InputError(f"{what} has entries that are not finite")
    other = matrix.T.tocsr()
    same = len(other.data) == len(matrix.data) and np.array_equal(other.indices, matrix.indices)
    difference = np.abs(other.data - matrix.data) if same else np.abs((other - matrix).data)
    largest = np.abs(matrix.data).max(initial=0.0)
    if difference.max(initial=0.0) > _NEAR * largest:
        raise InputError(f"{what} is not symmetric: it differs from its transpose by {difference.max():.3g}")
    if not (same and not difference.any()):
        matrix = csr_array((matrix + other) * 0.5)
        matrix.sort_indices()
    return matrix, matrix.shape[0]


def _mass(M, n: int) -> np.ndarray:
    """Returns the diagonal of M."""
    from scipy.sparse import issparse

    if M is None:
        return np.ones(n)
    if issparse(M):
        if M.shape != (n, n):
            raise InputError(f"M has shape {M.shape}; give ({n}, {n})")
        diagonal = np.asarray(M.diagonal(), dtype=np.float64)
        rest = abs(M).sum() - np.abs(diagonal).sum()
        if rest > _NEAR * np.abs(diagonal).sum():
            raise InputError("M is not diagonal; lump it, for instance by M.sum(axis=1)")
        M = diagonal
    M = _vector(M, "M", n)
    if not (M > 0).all():
        row = int(np.flatnonzero(M <= 0)[0])
        raise InputError(f"M has {M[row]} in row {row}; give masses above 0")
    return M


def _vector(value, what: str, n: int) -> np.ndarray:
    """Returns n numbers; three columns are taken row by row."""
    value = np.asarray(value)
    return _arrays.numbers(value.reshape(-1) if value.shape == (n // 3, 3) and n % 3 == 0 else value, what, (n,))


def _scaled(matrix, by: np.ndarray):
    from scipy.sparse import csr_array

    rows = np.repeat(np.arange(len(by)), np.diff(matrix.indptr))
    data = matrix.data * (by[rows] * by[matrix.indices])
    return csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _middle(matrix) -> float:
    """Returns a number of the size of the diagonal."""
    return float(np.abs(matrix.diagonal()).mean()) or 1.0


def _blocks(matrix, fill: float):
    """Returns a matrix in 3x3 blocks: unknowns are added until there are enough, with `fill` on the diagonal."""
    from scipy.sparse import csr_array

    n, extra = matrix.shape[0], -matrix.shape[0] % 3
    if extra:
        data = np.concatenate([matrix.data, np.full(extra, fill)])
        indices = np.concatenate([matrix.indices, np.arange(n, n + extra)])
        indptr = np.concatenate([matrix.indptr, matrix.indptr[-1] + np.arange(1, extra + 1)])
        matrix = csr_array((data, indices, indptr), shape=(n + extra, n + extra))
    blocks = matrix.tobsr(blocksize=(3, 3))
    blocks.sort_indices()
    return blocks.indptr.astype(np.int64), blocks.indices.astype(np.int64), np.ascontiguousarray(blocks.data)


def _positions(positions, n: int) -> np.ndarray:
    nodes = -(-n // 3)
    if positions is not None:
        return _arrays.numbers(positions, "positions", (nodes, 3)).ravel()
    # Any shape that does not change: nothing is turned.
    i = np.arange(3.0 * nodes)
    return np.sin(1.7 * i + 0.3 * i * i)
