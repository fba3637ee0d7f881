"""Linear algebra is NumPy's for batched and for uniform operands, and never raises."""

import numpy as np
import pytest
import torch

from deepalgo.ir import Kind, Type
from deepalgo.ops.table import infer
from tests.support.against_numpy import build, check_gradients, check_values

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


REGULAR = numbers(3, 3) + 2 * np.eye(3)
SYMMETRIC = REGULAR @ REGULAR.transpose(0, 2, 1)


@pytest.mark.parametrize("shape", [(3,), (3, 2), (4, 3, 2)])
def test_equations_are_solved(shape):
    check_values("solve", [REGULAR, numbers(*shape, seed=1)], rtol=1e-10)
    check_gradients("solve", [REGULAR, numbers(*shape, seed=1)], rtol=1e-5)


def test_stacks_of_equations_are_solved():
    stack = np.stack([REGULAR, REGULAR[::-1]], axis=1)
    check_values("solve", [stack, numbers(3, 2)], rtol=1e-10)
    check_values("solve", [stack, numbers(2, 3, 1)], rtol=1e-10)


@pytest.mark.parametrize("name", ["inv", "det", "det_log", "pinv", "eigvalsh", "cholesky"])
def test_functions_of_a_matrix_are_numpys(name):
    matrix = SYMMETRIC if name == "cholesky" else REGULAR
    check_values(name, [matrix], rtol=1e-10)
    check_values(name, [np.stack([matrix, matrix + np.eye(3)], axis=1)], rtol=1e-10)
    check_values(name, [np.arange(3)[:, None, None] + 5 * np.eye(2, dtype=int)], rtol=1e-10)
    check_gradients(name, [matrix], rtol=1e-5, atol=1e-7)


def test_the_sign_of_a_determinant_is_told_where_no_float_holds_it():
    check_values("det_sign", [REGULAR])
    huge = np.stack([1e200 * np.eye(2), -1e200 * np.eye(2), np.diag([1e-200, -1e-200])])
    check_values("det_sign", [huge])
    check_values("det_log", [huge], rtol=1e-10)


def test_matrices_that_are_not_square_have_a_pseudo_inverse():
    for shape in ((2, 3), (4, 2)):
        check_values("pinv", [numbers(*shape)], rtol=1e-9)
        check_gradients("pinv", [numbers(*shape)], rtol=1e-5, atol=1e-7)


def test_determinants_of_singular_matrices_have_a_gradient():
    check_gradients("det", [np.array([[[1.0, 2.0], [2.0, 4.0]], [[0.0, 1.0], [0.0, 3.0]], [[1.0, 2.0], [3.0, 4.0]]])])
    check_gradients("det", [np.array([[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 5.0]]] * 3)])
    check_gradients("det", [np.array([[[1.0, 2, 3, 4], [2, 4, 6, 8], [0, 1, 5, 2], [3, 1, 4, 1]]] * 3)])
    check_gradients("det", [numbers(5, 5)])
    check_gradients("det", [numbers(1, 1)])


def test_determinants_have_second_derivatives():
    for size in (2, 3, 4):
        matrix = torch.tensor(numbers(size, size)[0], requires_grad=True)
        assert torch.autograd.gradgradcheck(build("det", [numbers(size, size)], [True], {}), matrix)


SINGULAR = np.array([[[1.0, 2.0], [2.0, 4.0]], [[2.0, 1.0], [1.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]], [[np.nan, 1.0], [1.0, 2.0]],
                     [[np.inf, 1.0], [1.0, 2.0]], [[0.0, 1.0], [1.0, 0.0]]])


@pytest.mark.parametrize("name", ["solve", "inv"])
def test_singular_samples_are_nan_and_leave_the_others_alone(name):
    a = torch.tensor(SINGULAR, requires_grad=True)
    others = [torch.ones(2, dtype=torch.float64, requires_grad=True)] if name == "solve" else []
    batches = [SINGULAR, *(np.ones((6, 2)) for _ in others)]
    net = build(name, batches, [True] * len(batches), {})
    result = net(a, *(other.expand(6, 2) for other in others))
    bad = torch.isnan(result).flatten(1).any(1)
    assert bad.tolist() == [True, False, True, True, False, False]
    result[~bad].sum().backward()
    assert torch.isfinite(a.grad[[0, 1, 2, 5]]).all()


def test_singular_matrices_are_told():
    ours = build("is_singular", [SINGULAR], [True], {})(torch.tensor(SINGULAR)).tolist()
    assert ours == [True, False, True, False, False, False]
    assert build("is_positive", [SINGULAR], [True], {})(torch.tensor(SINGULAR[:3])).tolist() == [False, True, False]


@pytest.mark.parametrize("name", ["det", "det_sign", "det_log", "pinv", "eigvalsh", "cholesky"])
def test_no_matrix_raises(name):
    a = torch.tensor(SINGULAR, requires_grad=True)
    result = build(name, [SINGULAR], [True], {})(a)
    assert torch.isfinite(result[1]).all()
    if name == "det_sign":
        return  # it has no slope
    result[torch.isfinite(result)].sum().backward()
    assert torch.isfinite(a.grad[1]).all()


def test_vector_products_are_numpys():
    check_values("cross", [numbers(3), numbers(3, seed=1)], rtol=0)
    check_values("cross", [numbers(4, 3), numbers(3, seed=1)], rtol=0)
    check_values("cross", [np.arange(9).reshape(3, 3), np.arange(9)[::-1].reshape(3, 3).copy()], rtol=0)
    check_gradients("cross", [numbers(3), numbers(2, 3, seed=1)])


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_lengths_are_numpys(axis):
    check_values("norm2", [numbers(2, 3)], axis=axis)
    check_values("norm2", [np.arange(18).reshape(3, 2, 3)], axis=axis)
    check_gradients("norm2", [numbers(2, 3)], axis=axis)


def test_the_length_of_nothing_has_a_gradient_of_zero():
    x = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
    build("norm2", [np.zeros((2, 3))], [True], {"axis": None})(x).sum().backward()
    assert x.grad.tolist() == [[0.0] * 3] * 2


def test_matrices_that_are_not_square_are_refused():
    for name in ("solve", "inv", "det", "det_sign", "det_log", "eigvalsh", "cholesky", "is_singular"):
        types = [Type(Kind.REAL, (2, 3)), *[Type(Kind.REAL, (2,))] * (name == "solve")]
        with pytest.raises(ValueError, match="Last 2 dimensions of the array must be square"):
            infer(name, types)
