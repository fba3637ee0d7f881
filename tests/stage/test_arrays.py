"""Arrays, objects and exceptions behave as in Python: values, gradients, identity and what is left in the arguments."""

import copy

import numpy as np
import pytest
import torch

import deepalgo as da
from tests.support import array_heuristics as h

FUNCTIONS = [
    h.views_are_written_through, h.stores_in_a_loop, h.masks_and_where, h.index_chosen_by_data, h.two_names_for_one_list,
    h.linear_algebra, h.reductions, h.objects, h.handlers, h.functions_as_arguments, h.complex_roots, h.recursion_that_data_ends,
    h.warnings_as_errors, h.numbers_of_numpy, h.arrays_in_containers, h.text_of_numpy, h.leap_years,
    h.statistics_of_numpy, h.products_of_numpy, h.pieces_of_numpy, h.results_put_where_a_mask_says,
    h.options_of_numpy, h.truths_that_are_one, h.slices_of_lists, h.orders_of_numpy,
    h.operators_as_functions,
]
EACH = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)


def rows(count=24):
    return np.random.default_rng(3).uniform(-2.0, 2.0, (count, 3))


def flat(output):
    if isinstance(output, (list, tuple)):
        return np.concatenate([flat(item) for item in output])
    return np.atleast_1d(np.asarray(output, dtype=float)).ravel()


def flat_batch(output, count):
    if isinstance(output, (list, tuple)):
        return torch.cat([flat_batch(item, count) for item in output], dim=1)
    if not isinstance(output, torch.Tensor):
        return torch.full((count, 1), float(output), dtype=torch.float64)
    return output.to(torch.float64).reshape(count, -1)


def compiled(function):
    return da.compile(function, example=((rows()[0],), {}))


@EACH
def test_network_gives_the_answers_of_the_function(function):
    samples = rows()
    got = flat_batch(compiled(function)(samples), len(samples)).detach().numpy()
    np.testing.assert_allclose(got, [flat(function(row.copy())) for row in samples], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(
    "function", [item for item in FUNCTIONS if item is not h.functions_as_arguments], ids=lambda function: function.__name__
)
def test_gradients_are_those_of_the_function(function):  # a bisection only compares: its answer has no slope along its path
    samples = rows(8)
    inputs = torch.tensor(samples, requires_grad=True)
    direction = np.random.default_rng(5).normal(size=3)
    total = flat_batch(compiled(function)(inputs), len(samples)).sum()
    (gradient,) = torch.autograd.grad(total, inputs)
    assert torch.isfinite(gradient).all()
    for row, slope in zip(samples, gradient.numpy() @ direction, strict=True):
        steps = [1e-5, 3e-6]
        central = [(flat(function(row + s * direction)) - flat(function(row - s * direction))).sum() / (2 * s) for s in steps]
        if abs(central[0] - central[1]) <= 1e-4 * (1 + abs(central[1])):  # both sides take the same path
            assert slope == pytest.approx(central[1], rel=2e-4, abs=1e-6)


def test_arguments_changed_in_place_are_changed_for_the_caller():
    network = da.compile(h.arguments_changed_in_place, example=((np.ones(3), [1.0, 2.0]), {}))
    ours, theirs = (np.array([3.0, 0.0, 4.0]), [1.0, 2.0]), (np.array([3.0, 0.0, 4.0]), [1.0, 2.0])
    answer = network(*ours)
    assert answer.item() == h.arguments_changed_in_place(*theirs)
    np.testing.assert_array_equal(ours[0], theirs[0])
    assert [float(item) for item in ours[1]] == theirs[1]


def test_tensors_are_never_written_to():
    network = da.compile(h.arguments_changed_in_place, example=((np.ones(3), [1.0, 2.0]), {}))
    given = torch.tensor([3.0, 0.0, 4.0], dtype=torch.float64)
    network(given, [1.0, 2.0])
    assert given.tolist() == [3.0, 0.0, 4.0]


def test_a_sample_for_which_a_path_returns_no_number_fails():
    network = da.compile(h.no_number_on_some_path, example=((np.ones(1),), {}))
    assert network(np.array([[1.0]])).tolist() == [2.0]
    with pytest.raises(da.HeuristicError, match="the function returns None here"):
        network(np.array([[1.0], [6.0]]))


def shared(x, y):
    a = x * 2.0
    b = a if y[0] > 0 else x * 3.0
    b[0] = 1.0
    return a.sum() + b.sum()


def test_a_store_into_one_of_two_arrays_is_refused():
    with pytest.raises(da.CompileError) as caught:
        da.compile(shared, example=((np.ones(2), np.ones(1)), {}))
    assert str(caught.value).splitlines()[1:] == [
        f"{caught.value.span.line:5} |     b[0] = 1.0",
        "      |     ^^^^",
        "Make a copy in each arm of the `if`.",
    ]
    assert caught.value.reason == "this writes into an array that is one of several, depending on data"


def ignored(x):
    return np.quantile(x, 0.5, method="hazen", weights=[1.0, 2.0]) + x.sum()


def test_an_option_without_a_rule_is_refused():
    with pytest.raises(da.CompileError, match="the option `weights` of np.quantile has no rule here"):
        da.compile(ignored, example=((np.ones(2),), {}))


def test_an_example_of_single_precision_is_refused():
    with pytest.raises(da.InputError, match="float32"):
        da.compile(h.reductions, example=((np.ones(3, dtype=np.float32),), {}))


def test_network_can_be_copied_and_keeps_its_answers():
    samples = rows(4)
    network = compiled(h.linear_algebra)
    assert torch.equal(flat_batch(copy.deepcopy(network)(samples), 4), flat_batch(network(samples), 4))


@pytest.mark.parametrize(("function", "error", "bad"), [
    (lambda x: np.digitize(0.5, [0.0, 1.0, x[0]]), "ValueError", [0.5, 0.0, 0.0]),
    (lambda x: np.quantile(x, x[0]), "ValueError", [1.5, 0.0, 0.0]),
    (lambda x: np.linalg.cholesky(np.diag(x)), "LinAlgError", [1.0, -1.0, 1.0]),
    (lambda x: np.interp(0.5, [0.0, 1.0], [0.0, 1.0], period=x[0]), "ValueError", [0.0, 1.0, 1.0]),
], ids=["digitize", "quantile", "cholesky", "interp"])
def test_what_numpy_refuses_is_told_at_the_call(function, error, bad):
    good, line = np.array([1.0, 2.0, 3.0]) / (2.0 if error == "ValueError" and bad[0] > 1.0 else 1.0), function.__code__.co_firstlineno
    network = da.compile(function, example=((good,), {}))
    np.testing.assert_allclose(network(good).detach().numpy(), function(good), rtol=1e-12)
    with pytest.raises(da.HeuristicError) as caught:
        network(np.array(bad))
    assert caught.value.error == error and caught.value.span.line == line


def test_a_method_that_arrays_no_longer_have_raises():
    def spread(v):
        try:
            return v.ptp()
        except AttributeError:
            return -1.0

    v = np.array([1.0, 4.0])
    assert da.compile(spread, example=((v,), {}))(v) == spread(v)
