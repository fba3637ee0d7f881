"""Rows of linear algebra. NumPy raises for singular matrices; here they give NaN, and `is_singular` tells for a Check.

>>> print(_solve((Type(Kind.REAL, (3, 3)), Type(Kind.INT, (3,))), {}))
real[3]
>>> _solve((Type(Kind.REAL, (3, 2)), Type(Kind.REAL, (3,))), {})
Traceback (most recent call last):
numpy.linalg.LinAlgError: Last 2 dimensions of the array must be square
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.by_numpy import DTYPES, blank, by_numpy, type_of
from deepalgo.ops.row import Hazard, Infer, Row


def _regular(function: Callable[..., Any]) -> Infer:
    """The rule of a function whose first operand must not be singular: it runs on ones in the diagonal."""

    def infer(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
        first, *others = (Type(max(arg.kind, Kind.REAL), arg.shape) for arg in args)
        square = len(first.shape) >= 2 and first.shape[-1] == first.shape[-2]
        matrix = np.broadcast_to(np.eye(first.shape[-1], dtype=DTYPES[first.kind]), first.shape) if square else blank(first)
        return type_of(function(matrix, *map(blank, others)))

    return infer


def _each(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    return Type(Kind.BOOL, _regular(np.linalg.det)(args, attrs).shape)


_solve = _regular(np.linalg.solve)
_size_of_matrix = _regular(np.linalg.det)


def _of_matrix(name: str, numpy: str, infer: Infer, hazard: Hazard) -> Row:
    text = f"{numpy}({{0}})"
    return Row(name, infer, f"ops.{name}({{0}})", text, text, hazard, common=Kind.REAL, broadcasts=False)


def _two(name: str, numpy: str, infer: Infer, least: Kind, hazard: Hazard, careful: str = "") -> Row:
    text = f"{numpy}({{0}}, {{1}})"
    return Row(name, infer, f"ops.{name}({{0}}, {{1}}, {{batch0}}, {{batch1}})", text, text, hazard, common=least, broadcasts=False,
               careful=careful)


def _part(function: Callable[..., Any], place: int) -> Infer:
    """The rule of one of the answers of a decomposition."""

    def infer(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
        options = {"full_matrices": attrs["full"]} if "full" in attrs else {}
        return type_of(function(np.zeros(args[0].shape), **options)[place])

    return infer


def _of_decomposition(name: str, numpy: str, function: Callable[..., Any], place: int) -> Row:
    full = ", full_matrices={full}" if name in ("svd_u", "svd_vh") else ""
    text = f"{numpy}({{0}}{full})[{place}]"
    form = f"ops.{name}({{0}}, {{full}})" if full else f"ops.{name}({{0}})"
    return Row(name, _part(function, place), form, text, text, Hazard.ARISES, common=Kind.REAL, broadcasts=False)


ROWS = (
    _two("matmul", "np.matmul", by_numpy(np.matmul), Kind.BOOL, Hazard.SPREADS, "careful.matmul({0}, {1}, {batch0}, {batch1})"),
    _two("solve", "np.linalg.solve", _solve, Kind.REAL, Hazard.ARISES),
    _of_matrix("inv", "np.linalg.inv", _regular(np.linalg.inv), Hazard.ARISES),
    _of_matrix("det", "np.linalg.det", _regular(np.linalg.det), Hazard.SPREADS),
    Row("det_sign", _size_of_matrix, "ops.det_sign({0})", "np.linalg.slogdet({0})[0]", "np.linalg.slogdet({0})[0]", Hazard.NONE,
        common=Kind.REAL, broadcasts=False),
    Row("det_log", _size_of_matrix, "ops.det_log({0})", "np.linalg.slogdet({0})[1]", "np.linalg.slogdet({0})[1]", Hazard.ARISES,
        common=Kind.REAL, broadcasts=False),
    _of_matrix("pinv", "np.linalg.pinv", by_numpy(np.linalg.pinv, least=Kind.REAL), Hazard.ARISES),
    _of_matrix("eigvalsh", "np.linalg.eigvalsh", _regular(np.linalg.eigvalsh), Hazard.ARISES),
    _of_matrix("cholesky", "np.linalg.cholesky", _regular(np.linalg.cholesky), Hazard.ARISES),
    *(_of_decomposition(f"svd_{part}", "np.linalg.svd", np.linalg.svd, place) for place, part in enumerate(("u", "s", "vh"))),
    *(_of_decomposition(f"eig_{part}", "np.linalg.eig", np.linalg.eig, place) for place, part in enumerate("wv")),
    *(_of_decomposition(f"eigh_{part}", "np.linalg.eigh", np.linalg.eigh, place) for place, part in enumerate("wv")),
    Row("eig_is_real", _each, "ops.eig_is_real({0})", "np.isrealobj(np.linalg.eigvals({0}))",
        "np.all(np.isreal(np.linalg.eigvals({0})), axis=-1)", Hazard.NONE, common=Kind.REAL, broadcasts=False),
    Row("is_singular", _each, "ops.is_singular({0})", "np.linalg.det({0}) == 0", "np.linalg.det({0}) == 0", Hazard.NONE, common=Kind.REAL,
        broadcasts=False),
    Row("is_positive", _each, "ops.is_positive({0})", "np.linalg.eigvalsh({0})[0] > 0", "np.all(np.linalg.eigvalsh({0}) > 0, axis=-1)",
        Hazard.NONE, common=Kind.REAL, broadcasts=False),
    Row("cross", by_numpy(np.cross, least=Kind.INT), "ops.cross({0}, {1})", "np.cross({0}, {1})", "np.cross({0}, {1})",
        Hazard.SPREADS, common=Kind.INT, careful="careful.cross({0}, {1})"),
    Row("norm2", by_numpy(lambda array, axis: np.linalg.norm(array, axis=axis), "axis", least=Kind.REAL),
        "ops.norm2({0}, {axis}, {batch0})", "np.linalg.norm({0}, axis={axis})", "np.linalg.norm({0}, axis={axis})",
        Hazard.SPREADS, common=Kind.REAL, broadcasts=False, careful="careful.norm2({0}, {axis}, {batch0})"),
)
