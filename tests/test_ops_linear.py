"""Linear algebra is NumPy's for batched and for uniform operands, and never raises."""

import numpy as np
import pytest

from deepalgo.ir import Kind, Type
from deepalgo.ops.table import infer
from tests.against_numpy import check_gradients, check_values

B = 3


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=(B, *shape))


@pytest.mark.parametrize(("a", "b"), [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)), ((5, 1, 2, 3), (4, 3, 2)),
])
def test_products_are_numpys(a, b):
    check_values("matmul", [numbers(*a), numbers(*b, seed=1)], rtol=1e-11, atol=1e-13)
    check_gradients("matmul", [numbers(*a), numbers(*b, seed=1)])


def test_products_of_other_kinds_are_numpys():
    whole, real = np.arange(12).reshape(3, 2, 2), numbers(2, 2)
    check_values("matmul", [whole, whole])
    check_values("matmul", [whole, real])
    check_values("matmul", [real > 0, whole])
    check_values("matmul", [real > 0, real < 0.5])


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"matmul: Input operand 1 has a mismatch in its core dimension 0"):
        infer("matmul", [Type(Kind.REAL, (2, 3)), Type(Kind.REAL, (2, 3))])
    with pytest.raises(ValueError, match="matmul: Input operand 1 does not have enough dimensions"):
        infer("matmul", [Type(Kind.REAL, (2, 3)), Type(Kind.REAL)])
