"""Operands for every row of the table: what tests over the whole table call each operation with.

A row that works number by number needs nothing here: its operands are numbers of the kind that its rule of types takes. A row of arrays, or
one whose operands have different kinds, is listed with the types of its operands.

>>> [print(case.name, *case.types) for case in cases("gather")]
gather real[4] int
[None]
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from deepalgo.backends.expression import Fragment, fill
from deepalgo.backends.torch.runtime.gradient import cut
from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops import forms
from deepalgo.ops.indexing import PUT, index_of, subscript
from deepalgo.ops.numpy_forms.places import add_at
from deepalgo.ops.table import TABLE, infer
from deepalgo.studies.cluster.kernels.numpy_match import match_boxes

try:
    import scipy.special
except ImportError:
    scipy = None

BOOL, INT, REAL, COMPLEX = (Type(kind) for kind in (Kind.BOOL, Kind.INT, Kind.REAL, Kind.COMPLEX))


def real(*shape: int) -> Type:
    return Type(Kind.REAL, shape)


def whole(*shape: int) -> Type:
    return Type(Kind.INT, shape)


@dataclass(frozen=True)
class Case:
    """One way to call a row: the types of its operands and its attributes."""

    name: str
    types: tuple[Type, ...]
    attrs: dict[str, Attr] = field(default_factory=dict)


#: Attributes of rows that work number by number.
ATTRS: dict[str, dict[str, Attr]] = {
    "round_digits": {"digits": 0}, "jv": {"order": 2.5}, "iv": {"order": 1.0}, "kv": {"order": 2.0}, "lambertw": {"branch": 0},
}
TRANSFORMS = ((0, 0, 0), (1, 0, 0))
MATRIX, VECTOR = real(3, 3), real(3)
TAKEN: Attr = (("slice", None, None, -2),)
#: Rows of arrays and rows whose operands have different kinds.
LISTED: tuple[tuple[str, tuple[Type, ...], dict[str, Attr]], ...] = (
    ("const", (), {"value": 1.5}), ("const", (), {"value": ((1.0, 2.0), (3.0, 4.0))}), ("weight", (), {"key": "w", "site": ()}),
    *((name, (REAL,), {}) for name in ("to_bool", "to_int", "to_real", "to_complex")),
    ("to_real", (INT,), {}), ("to_complex", (COMPLEX,), {}),
    ("select", (BOOL, REAL, REAL), {}), ("cut", (BOOL, REAL), {}),
    ("fsum", (REAL, REAL, REAL), {}), ("no_overflow", (REAL, REAL), {}), ("zeta", (REAL,), {}), ("zeta", (REAL, REAL), {}),
    ("stack", (VECTOR, VECTOR), {}), ("index", (MATRIX,), {"key": (1,)}), ("gather", (real(4), INT), {}),
    ("sum", (VECTOR,), {"axis": 0}), ("sum", (MATRIX,), {"axis": None}), ("sum", (MATRIX,), {"axis": 1}),
    ("take", (real(4),), {"key": TAKEN}), ("put", (real(4), real(2)), {"key": TAKEN}),
    ("pick", (real(4),), {"indices": (0, 2, 2), "axis": 0}),
    ("put_at", (real(4), INT, REAL), {}), ("pick_at", (real(4), whole(3)), {"axis": 0}), ("pick_at", (real(2, 4), whole(3)), {"axis": 1}),
    ("reshape", (real(2, 3),), {"shape": (3, 2)}), ("permute", (real(2, 3, 4),), {"axes": (1, 2, 0)}),
    ("broadcast", (VECTOR,), {"shape": (2, 3)}),
    ("concat", (real(2), real(3)), {"axis": 0}),
    ("add_at", (real(4), whole(3), real(3)), {"axis": 0}), ("add_at", (real(2, 4), whole(3), real(2, 3)), {"axis": 1}),
    ("take_along", (VECTOR, whole(3)), {"axis": 0}), ("take_along", (real(2, 3), whole(2, 3)), {"axis": 1}),
    ("lead", (VECTOR,), {"count": 1}),
    *((name, (VECTOR,), {"axis": 0}) for name in "prod amin amax any all argmin argmax cumsum cumprod sort argsort norm2 fft ifft".split()),
    *((name, (real(2, 3),), {"axis": None}) for name in ("amin", "amax", "cumsum", "norm2")),
    ("searchsorted", (VECTOR, REAL), {"side": "left"}), ("interp", (REAL, VECTOR, VECTOR), {}),
    ("matmul", (MATRIX, MATRIX), {}), ("matmul", (VECTOR, VECTOR), {}), ("matmul", (MATRIX, VECTOR), {}), ("matmul", (VECTOR, MATRIX), {}),
    ("matmul", (real(2, 2, 3), real(3, 2)), {}), ("solve", (MATRIX, VECTOR), {}), ("solve", (MATRIX, real(3, 2)), {}),
    *((name, (MATRIX,), {}) for name in "inv det det_sign det_log pinv eigvalsh cholesky svd_s eig_w eig_v eigh_w eigh_v".split()),
    *((name, (MATRIX,), {}) for name in ("eig_is_real", "is_singular", "is_positive")),
    ("svd_u", (MATRIX,), {"full": True}), ("svd_vh", (MATRIX,), {"full": True}), ("cross", (VECTOR, VECTOR), {}),
    ("match", (MATRIX, real(2, 3, 3), real(2, 3, 3)), {"transforms": TRANSFORMS, "p": 2}),
    ("soft_match", (MATRIX, real(2, 3, 3), real(2, 3, 3), REAL), {"transforms": TRANSFORMS, "p": 2, "key": "s"}),
    ("match_flow", (real(2, 1, 1), MATRIX, real(2, 3, 3), real(2, 3, 3)), {"transforms": TRANSFORMS, "p": 2}),
    ("soft_choice", (REAL, REAL, BOOL, REAL, REAL, REAL), {"key": "s"}),
)


def arity(name: str) -> int:
    """How many operands a row that works number by number takes, by its spellings."""
    row = TABLE[name]
    return 1 + max(int(place) for place in re.findall(r"\{(\d)\}", row.torch + row.python))


def cases(name: str) -> list[Case]:
    """The ways in which a row is tried."""
    listed = [Case(*item) for item in LISTED if item[0] == name]
    return listed or [Case(name, types, ATTRS.get(name, {})) for types in _single(name)]


def _single(name: str) -> list[tuple[Type, ...]]:
    """Numbers of the largest kind that a row takes; complex ones, too, where it takes them."""
    found: list[tuple[Type, ...]] = []
    for type in (COMPLEX, REAL, INT, BOOL):
        types = (type,) * arity(name)
        try:
            infer(name, types, ATTRS.get(name, {}))
        except TypeError:
            continue
        found.append(types)
        if type is not COMPLEX:
            break
    return found[::-1]


def all_cases() -> list[Case]:
    """Every row of the table, in every way."""
    return [case for name in TABLE for case in cases(name)]


def label(case: Case) -> str:
    """The name of a case among tests."""
    return "-".join([case.name, *map(str, case.types)])


#: Ordinary numbers: inside of the domain of one row or another, and at no kink, step or pole of any.
GRID = (-2.3, -0.7, 0.21, 0.43, 0.85, 1.7, 2.6, 5.2)


def samples(case: Case, count: int = 12, seed: int = 0) -> list[list[np.ndarray]]:
    """So many lists of operands; for single real numbers all combinations of the grid."""
    if case.types and all(type == REAL for type in case.types) and len(case.types) <= 3:
        grids = [[number * (1 + 0.037 * place) for number in GRID] for place in range(len(case.types))]  # no two operands are equal
        return [[np.array(number) for number in numbers] for numbers in itertools.product(*grids)]
    rng = np.random.default_rng(seed)
    return [[_operand(case, place, rng) for place in range(len(case.types))] for _ in range(count)]


def _operand(case: Case, place: int, rng: np.random.Generator) -> np.ndarray:
    type = case.types[place]
    if case.name == "soft_choice" and place == 5:
        return np.array(0.0)  # how soft it is: not at all, unless a user says so
    if type.kind is Kind.BOOL:
        return rng.random(type.shape) < 0.5
    if case.name == "take_along" and place:
        return np.argsort(rng.random(type.shape), axis=-1)
    if type.kind is Kind.INT:
        return rng.integers(0, 2, type.shape)
    if case.name in ("interp", "searchsorted") and type.shape and place < 2:
        return np.sort(rng.uniform(-2, 2, type.shape))
    if len(type.shape) >= 2 and type.shape[-1] == type.shape[-2]:
        return _positive(type.shape, rng)
    values = rng.uniform(-2, 2, type.shape)
    return np.asarray(values + 1j * rng.uniform(-2, 2, type.shape) if type.kind is Kind.COMPLEX else values)


def _positive(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """A symmetric matrix with positive eigenvalues that are far from each other: every decomposition has it."""
    size = shape[-1]
    basis = np.linalg.qr(rng.normal(size=shape))[0]
    return basis @ (np.arange(1.0, size + 1)[:, None] * np.swapaxes(basis, -1, -2))


#: What torch spellings call `run`.
RUN = SimpleNamespace(
    cut=cut,
    to_bool=lambda x: x.to(torch.bool),
    to_int=lambda x: x.to(torch.int64),
    to_real=lambda x: x.to(torch.float64),
    to_complex=lambda x: x.to(torch.complex128),
)
SPACE: dict[str, Any] = {"math": math, "np": np, "scipy": scipy, "inf": math.inf, "nan": math.nan}
SPACE["add_at"], SPACE["match_boxes"] = add_at, match_boxes
exec(PUT, SPACE)


def in_torch(case: Case, batch: Sequence[torch.Tensor]) -> Callable[[], torch.Tensor]:
    """The row's torch spelling of a whole batch, as a function to call."""
    row = TABLE[case.name]
    if case.name == "index":
        return lambda: batch[0][(slice(None), *index_of(case.attrs["key"]))]  # the emitter writes it
    names = [Fragment(f"a[{place}]") for place in range(len(batch))]
    places = {f"batch{place}": 1 for place in range(len(batch))} | {"batch": 1}
    spelling = row.spelling(infer(case.name, case.types, case.attrs).kind)
    text = fill(spelling, names, {**case.attrs, **places}).text
    made: Callable[[], torch.Tensor] = eval(f"lambda: {text}", {"torch": torch, "ops": forms, "run": RUN, "a": batch, "inf": math.inf})
    return made


def in_numpy(case: Case, operands: Sequence[Any]) -> np.ndarray:
    """What the row's NumPy spelling says of one sample."""
    with np.errstate(all="ignore"):
        return np.asarray(_spelled(TABLE[case.name].numpy, case, operands))


def in_python(case: Case, operands: Sequence[Any]) -> Any:
    """What the row's Python spelling says of one sample; None where it raises."""
    try:
        with np.errstate(all="ignore"):
            return _spelled(TABLE[case.name].python, case, [item.item() if item.ndim == 0 else item for item in operands])
    except (ArithmeticError, ValueError, TypeError):
        return None


def _spelled(template: str, case: Case, operands: Sequence[Any]) -> Any:
    key = case.attrs.get("key")
    words = {**case.attrs, **({"subscript": subscript(key), "path": str(list(key))} if isinstance(key, tuple) else {})}
    return eval(fill(template, [Fragment(f"a[{place}]") for place in range(len(operands))], words).text, SPACE, {"a": operands})
