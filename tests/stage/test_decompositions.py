"""Singular vectors and eigenvectors are those of NumPy, signs and order included, and have derivatives."""

import numpy as np
import pytest
import torch

import deepalgo as da


def left(a):
    return np.linalg.svd(a)[0]


def values(a):
    return np.linalg.svd(a).S


def right(a):
    _, _, vh = np.linalg.svd(a)
    return vh


def values_alone(a):
    return np.linalg.svd(a, compute_uv=False)


def thin(a):
    return np.linalg.svd(a[:, :2], full_matrices=False)[0]


def full(a):
    u, s, vh = np.linalg.svd(a[:, :2])
    return u[:, :2] * s @ vh


def wide(a):
    return np.linalg.svd(a[:2]).Vh


def rotation(x):
    u, _, vh = np.linalg.svd(x)
    r = vh.T @ u.T
    if np.linalg.det(r) < 0:
        vh[2, :] *= -1.0
        r = vh.T @ u.T
    return r


def eigenvalues(a):
    return np.linalg.eig(a + a.T)[0]


def eigenvectors(a):
    w, v = np.linalg.eig(a @ np.diag([1.0, 2.0, 3.0]) @ np.linalg.inv(a))
    return v[:, np.argmax(w)]


def largest(a):
    w, v = np.linalg.eigh(a)
    return v[:, np.argmax(w)] * w[0]


def values_of_a_product(a):
    return np.linalg.eigvals(a @ a.T)


FUNCTIONS = [left, values, right, values_alone, thin, full, wide, rotation, eigenvalues, eigenvectors, largest, values_of_a_product]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_values_and_derivatives_are_those_of_numpy(function):
    matrices = np.random.default_rng(3).normal(size=(5, 3, 3))
    network = da.compile(function, example=((matrices[0],), {}))
    found = network(torch.tensor(matrices)).detach().numpy()
    np.testing.assert_allclose(found, np.stack([function(matrix) for matrix in matrices]), rtol=1e-12, atol=1e-13)
    network.verify(torch.tensor(matrices))


@pytest.mark.parametrize("function", [left, largest, values], ids=lambda function: function.__name__)
def test_source_calls_numpy(function):
    matrix = np.random.default_rng(4).normal(size=(3, 3))
    space = {}
    exec(da.source(da.compile(function, example=((matrix,), {}))), space)
    np.testing.assert_allclose(space[function.__name__](matrix), function(matrix), rtol=1e-13)


def test_several_vectors_of_a_null_space_have_no_derivative():
    network = da.compile(lambda a: np.linalg.svd(a[:, :1])[0][0, 2], example=((np.eye(3),), {}))
    matrix = torch.rand(1, 3, 3, dtype=torch.float64, requires_grad=True)
    network(matrix).sum().backward()
    assert torch.isnan(matrix.grad[..., 0]).all()


def test_numbers_that_are_not_finite_raise_where_numpy_looks_for_them():
    network = da.compile(eigenvalues, example=((np.eye(3),), {}))
    matrix = np.full((3, 3), np.nan)
    with pytest.raises(np.linalg.LinAlgError, match="Array must not contain infs or NaNs"):
        eigenvalues(matrix)
    with pytest.raises(da.HeuristicError, match="the heuristic raises LinAlgError: Array must not contain infs or NaNs"):
        network(torch.tensor(matrix[None]))


@pytest.mark.parametrize("function", [values, largest])
def test_numbers_that_are_not_finite_are_a_limit_where_lapack_decides(function):
    network = da.compile(function, example=((np.eye(3),), {}))
    with pytest.raises(da.HeuristicError, match="this is a decomposition of a matrix whose numbers are not finite"):
        network(torch.full((1, 3, 3), torch.inf))


def test_complex_eigenvalues_are_a_limit_of_ours():
    network = da.compile(lambda a: np.linalg.eig(a)[0], example=((np.eye(2),), {}))
    with pytest.raises(da.HeuristicError, match="the eigenvalues of a matrix are complex here"):
        network(torch.tensor([[[0.0, 1.0], [-1.0, 0.0]]]))


def test_a_gradient_survives_vmap_and_float32():
    network = da.compile(largest, example=((np.eye(3),), {}))
    matrices = torch.tensor(np.random.default_rng(5).normal(size=(4, 3, 3)), dtype=torch.float32)
    expected = np.stack([largest(matrix) for matrix in matrices.double().numpy()])
    np.testing.assert_allclose(network.float()(matrices).detach().numpy(), expected, rtol=1e-4, atol=1e-5)
