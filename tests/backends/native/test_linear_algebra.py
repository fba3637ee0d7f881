"""Small linear algebra natively: NumPy's answers to rounding, singular matrices that fail their check, and torch's gradients."""

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.backends.native import Unsupported, compile_kernel
from deepalgo.ir import parse


def natively(text, *arrays):
    return compile_kernel(parse(text)).run(list(arrays), np.zeros(0)).results[0]


def matrices(size, count=60, seed=0):
    return np.random.default_rng(seed).standard_normal((count, size, size))


FUNCTIONS = {
    "inv": np.linalg.inv, "det": np.linalg.det, "det_sign": lambda given: np.linalg.slogdet(given)[0],
    "det_log": lambda given: np.linalg.slogdet(given)[1],
}


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_matrices_are_those_of_numpy(name, size):
    given = matrices(size)
    found = natively(f"f(a: real[{size}, {size}])\n  %y = {name} %a\n  return %y\n", given)
    expected = FUNCTIONS[name](given)
    # Errors grow with the condition of each matrix.
    largest = np.abs(expected).max(axis=tuple(range(1, expected.ndim)), keepdims=True)
    room = 1e-14 * np.linalg.cond(given).reshape(-1, *[1] * (expected.ndim - 1)) * largest
    assert (np.abs(found - expected) <= np.maximum(room, 1e-13)).all()


@pytest.mark.parametrize("shape", [(4,), (4, 2)])
def test_equations_have_the_solutions_of_numpy(shape):
    given, right = matrices(4, seed=1), np.random.default_rng(2).standard_normal((60, *shape))
    sizes = ", ".join(map(str, shape))
    found = natively(f"f(a: real[4, 4], b: real[{sizes}])\n  %y = solve %a %b\n  return %y\n", given, right)
    expected = np.linalg.solve(given, right if len(shape) == 2 else right[..., None]).reshape(found.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_a_matrix_that_needs_exchanged_rows_has_an_exact_inverse():
    given = np.array([[[0.0, 2.0, 0.0], [0.0, 0.0, 4.0], [1.0, 0.0, 0.0]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
    found = natively("f(a: real[3, 3])\n  %y = inv %a\n  return %y\n", given)
    assert found.tolist() == np.linalg.inv(given).tolist()
    assert natively("f(a: real[3, 3])\n  %y = det %a\n  return %y\n", given).tolist() == [8.0, 1.0]


def test_singular_matrices_are_found():
    given = np.array([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]], [[0.0, 0.0], [0.0, 0.0]]])
    assert natively("f(a: real[2, 2])\n  %y = is_singular %a\n  return %y\n", given).tolist() == [True, False, True]
    assert np.isnan(natively("f(a: real[2, 2])\n  %y = inv %a\n  return %y\n", given)).all(axis=(1, 2)).tolist() == [True, False, True]


def test_large_matrices_are_left_to_others():
    with pytest.raises(Unsupported, match="inv of a matrix of 9 rows"):
        natively("f(a: real[9, 9])\n  %y = inv %a\n  return %y\n", matrices(9))


def balance(x, y, k=2.0):
    system = np.array([[k, x, 0.5], [x, 3.0, y], [0.1, y * y, 4.0]])
    found = np.linalg.solve(system, np.array([x, 1.0, y]))
    return found[0] * found[2] + np.linalg.slogdet(system)[1] + np.linalg.inv(system)[1, 2]


def test_gradients_of_equations_are_those_of_torch():
    rng = np.random.default_rng(3)
    xs, ys = torch.tensor(rng.uniform(-1.0, 1.0, 30)), torch.tensor(rng.uniform(-1.0, 1.0, 30))
    found = {}
    for backend in ("torch", "native"):
        net = da.compile(balance, example=((0.1, 0.2), {}), backend=backend)
        assert net.backend == backend
        x, y = xs.clone().requires_grad_(), ys.clone().requires_grad_()
        answers = net(x, y)
        answers.sum().backward()
        found[backend] = answers.detach(), x.grad, y.grad, net.weights["k"].grad
    for ours, theirs in zip(found["native"], found["torch"], strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-12)
    expected = [balance(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)]
    np.testing.assert_allclose(found["native"][0].numpy(), expected, rtol=1e-12)


def area(x, y):
    return np.linalg.det(np.array([[x, y], [2.0 * x, 2.0 * y]]))


def test_the_gradient_of_a_determinant_is_native_where_it_is_zero_too():
    net = da.compile(area, example=((1.0, 2.0), {}), backend="native")
    assert net.backend == "native"
    x = torch.tensor([1.0, 3.0], dtype=torch.float64, requires_grad=True)
    net(x, torch.tensor([1.0, 5.0], dtype=torch.float64)).sum().backward()
    torch.testing.assert_close(x.grad, torch.zeros_like(x), rtol=0.0, atol=1e-12)
