"""Functions of numbers where an edge decides: signs of zeros, infinities, empty arrays, exceptions; slopes where values tie."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special as special
import torch

import deepalgo as da
from tests.small.compare import judge


def scalar_condition_between_shapes(v):
    return np.where(np.linalg.norm(v) > 1, v / np.linalg.norm(v), 0.0)


def linspace_between_arrays(v, w):
    return np.linspace(v, w, 3)


def linspace_with_step(x, y):
    return np.linspace(x, y, 3, retstep=True)


def linspace_of_five(x, y):
    return np.linspace(x, y, 5)


def area_of_large_numbers(v):
    return np.trapezoid(v)


def area_along_an_axis(m):
    return np.trapezoid(m, axis=0)


def logarithm_to_ten(x, y):
    return cmath.log10(complex(x, y))


def arc_tangents(x, y):
    return cmath.atan(complex(x, y)), cmath.atanh(complex(x, y))


def logarithm_to_a_base(x, y):
    return cmath.log(x, 2), cmath.log(0.0, y)


def numpy_whole_number(x):
    return np.int64(x)


def whole_numbers_of_floats(x, y):
    return np.array([x, y], dtype=int)


def item_of_a_range(x):
    return range(3)[int(x)]


def sum_of_one_number(x):
    return np.sum(x), np.mean(x), np.nansum(x)


def initial_of_nothing(x):
    nothing = np.zeros((2, 0)) * x
    return np.max(nothing, axis=1, initial=x), np.min(nothing, initial=2.5), np.max(nothing, axis=0), np.median(nothing, axis=1)


def text_of_an_empty_extreme(x):
    try:
        return np.max(np.zeros(0) * x)
    except ValueError as error:
        return len(str(error)) * x


def text_of_an_empty_place(x):
    try:
        return np.argmax(np.zeros(0) * x) + x
    except ValueError as error:
        return len(str(error)) * x


def norms_of_matrices(m):
    stack = np.stack([m, 2 * m, m - 1])
    norms = [np.linalg.norm(stack, order, axis=(1, 2)) for order in (1, -1, np.inf, -np.inf, "fro", None)]
    return norms, np.linalg.norm(stack, 1, axis=(0, 2), keepdims=True)


def special_gamma(x):
    return special.gamma(x), special.gamma(abs(x))


FUNCTIONS = [
    scalar_condition_between_shapes, linspace_between_arrays, linspace_with_step, linspace_of_five, area_of_large_numbers,
    area_along_an_axis, logarithm_to_ten, arc_tangents, logarithm_to_a_base,
    numpy_whole_number,
    whole_numbers_of_floats, item_of_a_range, sum_of_one_number, initial_of_nothing, text_of_an_empty_extreme,
    text_of_an_empty_place, norms_of_matrices, special_gamma,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_edges_of_numbers_are_those_of_python(function: Callable[..., Any]) -> None:
    verdict = judge(function)
    assert verdict.word == "right", (verdict.reason, verdict.detail)


def convolutions(v, w):
    return np.convolve(v[:3], w), np.convolve(v, w[:2], "same"), np.correlate(v[:2], w, "full"), np.convolve(v, w[:2], "valid")


def correlation_of_complex_numbers(v, w):
    return np.correlate(v + 1j, w[:3] - 2j, "full"), np.correlate(v[:2] + 1j * w[:2], w + 3j, "same")


@pytest.mark.parametrize("function", [convolutions, correlation_of_complex_numbers], ids=lambda function: function.__name__)
def test_rows_beside_one_another_where_they_overlap_only(function: Callable[..., Any]) -> None:
    rows = [np.array([1.0, -2.0, 0.5, 3.0]), np.array([0.25, 4.0, -1.5, 2.0])]
    if function is convolutions:
        rows.append(np.array([np.inf, -2.0, 0.5, np.inf]))
    for v in rows:
        for w in rows:
            with np.errstate(invalid="ignore"):
                wanted = function(v, w)
            for one, other in zip(da.compile(function, example=((rows[0], rows[1]), {}))(v[None], w[None]), wanted, strict=True):
                np.testing.assert_allclose(one[0].numpy(), other, rtol=1e-14)


def products_of_rows(v, w):
    return np.inner([v, w], [w, v]), np.inner(2.0, v), np.vdot(v + 1j * w, w - 2j * v), np.vdot([v, w], [w, w])


def spreads_with_a_mask(v, w):
    return np.std(v, where=w > 0, ddof=1), np.std([v, w], 0, ddof=1, mean=np.array([[1.0]]))


@pytest.mark.parametrize("function", [products_of_rows, spreads_with_a_mask], ids=lambda function: function.__name__)
def test_rules_with_options_and_more_axes(function: Callable[..., Any]) -> None:
    v, w = np.array([1.0, -2.0, 0.5, 3.0]), np.array([0.25, 4.0, -1.5, 2.0])
    for one, other in zip(da.compile(function, example=((v, w), {}))(v[None], w[None]), function(v, w), strict=True):
        np.testing.assert_allclose(one[0].detach().numpy(), other, rtol=1e-14)


def running_sum(v):
    return np.cumsum(v)


def log_of_sum(v):
    return special.logsumexp(v)


def log_of_weighted_sum(v, w):
    return special.logsumexp(v, b=w)


@pytest.mark.parametrize(("function", "arguments", "slopes"), [
    (running_sum, ([-0.0, -0.0, 1.0],), [[3.0, 2.0, 1.0]]),
    (log_of_sum, ([1.0, 1.0, 1.0],), [[1 / 3, 1 / 3, 1 / 3]]),
    (log_of_weighted_sum, ([0.0, 0.0, 0.0], [1.0, 3.0, 0.0]), [[0.25, 0.75, 0.0], [0.25, 0.25, 0.25]]),
])
def test_slopes_where_values_tie(function: Callable[..., Any], arguments: tuple[list[float], ...], slopes: list[list[float]]) -> None:
    network = da.compile(function, example=(tuple(np.array(item) for item in arguments), {}))
    inputs = [torch.tensor([item], dtype=torch.float64, requires_grad=True) for item in arguments]
    network(*inputs).sum().backward()
    assert [item.grad[0].tolist() for item in inputs if item.grad is not None] == [pytest.approx(slope) for slope in slopes]


@pytest.mark.parametrize("backend", ["torch", "native"])
def test_what_fits_no_whole_number_is_cut_as_numpy_does(backend: str) -> None:
    def whole(v: Any) -> Any:
        return v.astype(int) // 2

    row = np.array([np.inf, -np.inf, np.nan, 2.0**63, -(2.0**70), -3.5])
    with np.errstate(invalid="ignore"):
        wanted = whole(row)
    network = da.compile(whole, example=((np.zeros(6),), {}), backend=backend)
    assert network(row[None])[0].tolist() == wanted.tolist()


@pytest.mark.parametrize("backend", ["torch", "native"])
def test_the_number_in_an_array_without_axes_has_its_slope(backend: str) -> None:
    def doubled(o: Any) -> Any:
        return o[()] + o[...]

    network = da.compile(doubled, example=((np.array(1.0),), {}), backend=backend)
    x = torch.tensor([2.5], dtype=torch.float64, requires_grad=True)
    network(x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0]


@pytest.mark.parametrize(("function", "at"), [
    (special.j1, -0.0), (special.erfinv, -0.0), (special.erfcinv, 1.0), (special.erfcinv, 5e-324), (special.gamma, -0.0)
])
def test_signs_of_special_functions(function: Callable[..., Any], at: float) -> None:
    def called(x: Any) -> Any:
        return function(x)

    assert str(da.compile(called)(at).item()) == str(function(at).item())


METHODS = (
    "linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf", "interpolated_inverted_cdf", "hazen",
    "weibull", "median_unbiased", "normal_unbiased",
)
ROWS = np.array([
    [1.5, -2.0, 0.25, 7.0, 3.0], [-0.0, -0.0, -0.0, -0.0, -0.0], [np.inf, 1.0, 2.0, -np.inf, 0.5], [np.nan, 1.0, 2.0, 3.0, 4.0]
])


@pytest.mark.parametrize("method", METHODS)
def test_quantiles_by_every_method_are_those_of_numpy(method: str) -> None:
    shares = [0.0, 0.1, 0.2, 1 / 3, 0.5, 0.75, 0.99, 1.0]

    def quantiles(v: Any) -> Any:
        return np.quantile(v, shares, method=method), np.percentile(v, 100, method=method), np.quantile(v, 1, method=method)

    found = da.compile(quantiles, example=((ROWS[0],), {}))(ROWS)
    for number, row in enumerate(ROWS):
        with np.errstate(invalid="ignore"):
            wanted = quantiles(row)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one[number].numpy(), other, rtol=1e-14)
            np.testing.assert_array_equal(np.signbit(one[number].numpy()), np.signbit(other))


def quantiles_over_two_axes(m):
    return np.median(m, axis=(0, 1), keepdims=True), np.quantile(np.stack([m, -m]), 0.3, axis=(2, 0), method="hazen", keepdims=True)


def questions_about_complex_numbers(x, y):
    return cmath.isnan(complex(x, y)), cmath.isinf(complex(x, y)), cmath.isfinite(complex(x, y))


@pytest.mark.parametrize("function", [quantiles_over_two_axes, questions_about_complex_numbers], ids=lambda function: function.__name__)
def test_more_options_and_questions(function: Callable[..., Any]) -> None:
    verdict = judge(function)
    assert verdict.word == "right", (verdict.reason, verdict.detail)
