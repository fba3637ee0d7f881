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
from deepalgo.ops.ranges import Range
from deepalgo.ops.row import Hazard, Infer, Row
from deepalgo.ops.slope import FLAT, Adjoint, Numerical


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


def _part(function: Callable[..., Any], place: int) -> Infer:
    """The rule of one of the answers of a decomposition."""

    def infer(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
        options = {"full_matrices": attrs["full"]} if "full" in attrs else {}
        return type_of(function(np.zeros(args[0].shape), **options)[place])

    return infer


ROWS = (
    Row(
        "matmul", types=by_numpy(np.matmul), common=Kind.BOOL, broadcasts=False,
        hazard=Hazard.SPREADS, bilinear=True, exact=False, cost=20,
        slope=Adjoint("matmul(matrix(g, x, y), H(columns(y)))", "as_columns(matmul(H(rows(x)), matrix(g, x, y)), y)"),
        python="np.matmul({0}, {1})", numpy="np.matmul({0}, {1})", torch="ops.matmul({0}, {1}, {batch0}, {batch1})",
        careful="careful.matmul({0}, {1}, {batch0}, {batch1})",
        drawn="infix ·",
    ),
    Row(
        "solve", types=_solve, common=Kind.REAL, broadcasts=False,
        raises=("LinAlgError",),
        hazard=Hazard.ARISES, exact=False, cost=60,
        slope=Adjoint("-matmul(columns(solve(H(x), g)), H(columns(solve)))", "solve(H(x), g)"),
        python="np.linalg.solve({0}, {1})", numpy="np.linalg.solve({0}, {1})", torch="ops.solve({0}, {1}, {batch0}, {batch1})",
    ),
    Row(
        "inv", types=_regular(np.linalg.inv), common=Kind.REAL, broadcasts=False,
        raises=("LinAlgError",),
        hazard=Hazard.ARISES, exact=False, cost=160,
        slope=Adjoint("-matmul(H(inv), matmul(g, H(inv)))"),
        python="np.linalg.inv({0})", numpy="np.linalg.inv({0})", torch="ops.inv({0})",
    ),
    Row(
        "det", types=_regular(np.linalg.det), common=Kind.REAL, broadcasts=False,
        hazard=Hazard.SPREADS, exact=False, cost=550,
        slope=Adjoint("lift(g, 2) * conj(cofactors(x))"),
        python="np.linalg.det({0})", numpy="np.linalg.det({0})", torch="ops.det({0})",
    ),
    Row(
        "det_sign", types=_size_of_matrix, common=Kind.REAL, broadcasts=False,
        hazard=Hazard.NONE, exact=False, cost=600, range=Range(-1.0, 1.0),
        slope=FLAT,
        python="np.linalg.slogdet({0})[0]", numpy="np.linalg.slogdet({0})[0]", torch="ops.det_sign({0})",
    ),
    Row(
        "det_log", types=_size_of_matrix, common=Kind.REAL, broadcasts=False,
        hazard=Hazard.ARISES, exact=False, cost=600,
        slope=Adjoint("lift(g, 2) * H(inv(x))", at={"is_singular(x)": 0.0}),
        python="np.linalg.slogdet({0})[1]", numpy="np.linalg.slogdet({0})[1]", torch="ops.det_log({0})",
    ),
    Row(
        "pinv", types=by_numpy(np.linalg.pinv, least=Kind.REAL), common=Kind.REAL, broadcasts=False,
        hazard=Hazard.ARISES, exact=False, cost=1800,
        slope=Numerical("ops.pinv", "torch differentiates its own decomposition"),
        python="np.linalg.pinv({0})", numpy="np.linalg.pinv({0})", torch="ops.pinv({0})",
    ),
    Row(
        "eigvalsh", types=_regular(np.linalg.eigvalsh), common=Kind.REAL, broadcasts=False,
        hazard=Hazard.ARISES, exact=False, cost=1700,
        slope=Numerical("ops.eigvalsh", "torch differentiates its own decomposition"),
        python="np.linalg.eigvalsh({0})", numpy="np.linalg.eigvalsh({0})", torch="ops.eigvalsh({0})",
    ),
    Row(
        "cholesky", types=_regular(np.linalg.cholesky), common=Kind.REAL, broadcasts=False,
        raises=("LinAlgError",),
        hazard=Hazard.ARISES, exact=False, cost=280,
        slope=Numerical("ops.cholesky", "torch differentiates its own decomposition"),
        python="np.linalg.cholesky({0})", numpy="np.linalg.cholesky({0})", torch="ops.cholesky({0})",
    ),
    Row(
        "svd_u", types=_part(np.linalg.svd, 0), common=Kind.REAL, broadcasts=False,
        hazard=Hazard.ARISES, exact=False, cost=14000,
        slope=Numerical("ops.svd_u", "torch differentiates its own decomposition"),
        python="np.linalg.svd({0}, full_matrices={full})[0]", numpy="np.linalg.svd({0}, full_matrices={full})[0]",
        torch="ops.svd_u({0}, {full})",
    ),
    Row(
        "svd_s", types=_part(np.linalg.svd, 1), common=Kind.REAL, broadcasts=False,
        hazard=Hazard.ARISES, exact=False, cost=3000, range=Range(0.0),
        slope=Numerical("ops.svd_s", "torch differentiates its own decomposition"),
        python="np.linalg.svd({0})[1]", numpy="np.linalg.svd({0})[1]", torch="ops.svd_s({0})",
    ),
    Row(
        "svd_vh", types=_part(np.linalg.svd, 2), common=Kind.REAL, broadcasts=False,
        hazard=Hazard.ARISES, exact=False, cost=15000,
        slope=Numerical("ops.svd_vh", "torch differentiates its own decomposition"),
        python="np.linalg.svd({0}, full_matrices={full})[2]", numpy="np.linalg.svd({0}, full_matrices={full})[2]",
        torch="ops.svd_vh({0}, {full})",
    ),
    Row(
        "eig_w", types=_part(np.linalg.eig, 0), common=Kind.REAL, broadcasts=False,
        hazard=Hazard.ARISES, exact=False, cost=30000,
        slope=Numerical("ops.eig_w", "torch differentiates its own decomposition"),
        python="np.linalg.eig({0})[0]", numpy="np.linalg.eig({0})[0]", torch="ops.eig_w({0})",
    ),
    Row(
        "eig_v", types=_part(np.linalg.eig, 1), common=Kind.REAL, broadcasts=False,
        hazard=Hazard.ARISES, exact=False, cost=15000,
        slope=Numerical("ops.eig_v", "torch differentiates its own decomposition"),
        python="np.linalg.eig({0})[1]", numpy="np.linalg.eig({0})[1]", torch="ops.eig_v({0})",
    ),
    Row(
        "eigh_w", types=_part(np.linalg.eigh, 0), common=Kind.REAL, broadcasts=False,
        hazard=Hazard.ARISES, exact=False, cost=10000,
        slope=Numerical("ops.eigh_w", "torch differentiates its own decomposition"),
        python="np.linalg.eigh({0})[0]", numpy="np.linalg.eigh({0})[0]", torch="ops.eigh_w({0})",
    ),
    Row(
        "eigh_v", types=_part(np.linalg.eigh, 1), common=Kind.REAL, broadcasts=False,
        hazard=Hazard.ARISES, exact=False, cost=8000,
        slope=Numerical("ops.eigh_v", "torch differentiates its own decomposition"),
        python="np.linalg.eigh({0})[1]", numpy="np.linalg.eigh({0})[1]", torch="ops.eigh_v({0})",
    ),
    Row(
        "eig_is_real", types=_each, common=Kind.REAL, broadcasts=False,
        hazard=Hazard.NONE, exact=False, cost=90000,
        slope=FLAT,
        python="np.isrealobj(np.linalg.eigvals({0}))", numpy="np.all(np.isreal(np.linalg.eigvals({0})), axis=-1)",
        torch="ops.eig_is_real({0})",
    ),
    Row(
        "is_singular", types=_each, common=Kind.REAL, broadcasts=False,
        hazard=Hazard.NONE, exact=False, cost=400,
        slope=FLAT,
        python="np.linalg.det({0}) == 0", numpy="np.linalg.det({0}) == 0", torch="ops.is_singular({0})",
    ),
    Row(
        "is_positive", types=_each, common=Kind.REAL, broadcasts=False,
        hazard=Hazard.NONE, exact=False, cost=600,
        slope=FLAT,
        python="np.linalg.eigvalsh({0})[0] > 0", numpy="np.all(np.linalg.eigvalsh({0}) > 0, axis=-1)", torch="ops.is_positive({0})",
    ),
    Row(
        "cross", types=by_numpy(np.cross, least=Kind.INT), common=Kind.INT,
        hazard=Hazard.SPREADS, bilinear=True, exact=False, cost=10,
        slope=Adjoint("cross(y, g)", "cross(g, x)"),
        python="np.cross({0}, {1})", numpy="np.cross({0}, {1})", torch="ops.cross({0}, {1})",
        careful="careful.cross({0}, {1})",
    ),
    Row(
        "norm2", types=by_numpy(lambda array, axis: np.linalg.norm(array, axis=axis), "axis", least=Kind.REAL), common=Kind.REAL,
        broadcasts=False,
        hazard=Hazard.SPREADS, exact=False, cost=75, range=Range(0.0),
        slope=Adjoint("x * along(g / norm2, x, axis)", at={"along(norm2, x, axis) == 0": 0.0}),
        python="np.linalg.norm({0}, axis={axis})", numpy="np.linalg.norm({0}, axis={axis})", torch="ops.norm2({0}, {axis}, {batch0})",
        careful="careful.norm2({0}, {axis}, {batch0})",
        drawn="fences ‖ ‖",
    ),
)
