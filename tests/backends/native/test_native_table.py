"""Every row of the table is native, or stands here with the reason why not: a new row is noticed."""

import pytest

from deepalgo.backends.native.arrays import ARRAYS, only_moves
from deepalgo.backends.native.by_operation import BY_OPERATION
from deepalgo.backends.native.linear_algebra import LINEAR
from deepalgo.backends.native.numbers import ANY, REALS, TRUTHS, WHOLES
from deepalgo.backends.native.special import find
from deepalgo.lower.split_complex import FOURIER, RULES
from deepalgo.ops.slope import Numerical, Slope
from deepalgo.ops.table import TABLE

DECOMPOSED = "an iteration of LAPACK's, whose steps depend on the matrix"
MATCHED = "belongs to the cluster study, which has kernels of its own"
#: Rows that run on torch.
ON_TORCH = {
    "pinv": DECOMPOSED, "eigvalsh": DECOMPOSED, "svd_u": DECOMPOSED, "svd_s": DECOMPOSED, "svd_vh": DECOMPOSED, "eig_w": DECOMPOSED,
    "eig_v": DECOMPOSED, "eigh_w": DECOMPOSED, "eigh_v": DECOMPOSED, "eig_is_real": DECOMPOSED, "is_positive": DECOMPOSED,
    "cholesky": "its check is `is_positive`",
    "zeta": "SciPy offers it to Python alone",
    "match": MATCHED, "soft_match": MATCHED, "match_flow": MATCHED,
}
#: Rows that run natively forward, and whose derivatives, by one operand at least, only torch has.
FORWARD_ONLY = {
    "binom": "at and below zero",
}


def is_native(name):
    tables = (REALS, WHOLES, TRUTHS, ANY, ARRAYS, LINEAR, BY_OPERATION, RULES, FOURIER)
    return any(name in table for table in tables) or name in ("const", "weight", "complex") or only_moves(name) or find(name) is not None


def has_formula(row):
    """Whether the derivative is a formula everywhere."""
    slope = row.slope
    if isinstance(slope, Numerical):
        return False
    assert isinstance(slope, Slope)
    if any(isinstance(part, Numerical) for part in slope.by):
        return False
    return not any(isinstance(end, str) for _, ends in slope.at for end in ends)


@pytest.mark.parametrize("name", sorted(TABLE))
def test_every_row_is_native_or_has_a_reason(name):
    assert is_native(name) is (name not in ON_TORCH)
    if name not in ON_TORCH:
        assert has_formula(TABLE[name]) is (name not in FORWARD_ONLY)
