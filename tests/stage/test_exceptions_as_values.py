"""An exception is a value with a class, arguments, a text and attributes, also where one of several can arrive."""

import inspect
import math

import numpy as np
import pytest
import torch

import deepalgo as da
from tests.support import exception_exits, exception_values
from tests.support.oracle import answer, columns, sample

EDGES = [0.0, -0.0, 1.0, -1.0, 2.5, -3.0, 0.5, 4.0, 20.0, math.inf, -math.inf, math.nan, 1e308, 5e-324]
SMOOTH = [2.3, -1.7, 0.6, 3.7]


def functions(module):
    """The functions of a module that take one number; the others help them."""
    found = {name: item for name, item in vars(module).items() if inspect.isfunction(item) and item.__module__ == module.__name__}
    return {name: item for name, item in found.items() if list(inspect.signature(item).parameters) == ["x"]}


def slope(function, x, step=1e-6):
    above, below = answer(function, x + step), answer(function, x - step)
    numbers = all(isinstance(item, float) for side in (above, below) for item in side.leaves)
    return None if above.error or below.error or not numbers else (above.leaves[0] - below.leaves[0]) / (2 * step)


def assert_means_what_it_means_in_python(function):
    net = da.compile(function, errors="nan")
    results = net(*columns([(x,) for x in EDGES]))
    for place, x in enumerate(EDGES):
        wanted, got = answer(function, x), sample(results, place)
        if wanted.error is not None or isinstance(wanted.leaves[0], BaseException):
            assert all(math.isnan(item) for item in got), f"{x}: {wanted}, but got {got}"
        else:
            assert got == pytest.approx(wanted.leaves, rel=1e-10, abs=0, nan_ok=True), x
    for x in SMOOTH:
        wanted = slope(function, x)
        if wanted is not None:
            leaf = torch.tensor([x], dtype=torch.float64, requires_grad=True)
            out = net(leaf)
            got = torch.autograd.grad(out.sum(), leaf, allow_unused=True)[0] if out.requires_grad else None
            assert (0.0 if got is None else got.item()) == pytest.approx(wanted, rel=1e-4, abs=1e-6), x


@pytest.mark.parametrize("name", functions(exception_values))
def test_a_handler_sees_the_exception_that_python_would_hand_it(name):
    assert_means_what_it_means_in_python(functions(exception_values)[name])


@pytest.mark.parametrize("name", functions(exception_exits))
def test_blocks_are_left_by_exceptions_as_in_python(name):
    assert_means_what_it_means_in_python(functions(exception_exits)[name])


def test_source_of_a_function_that_looks_at_its_exceptions_answers_the_same():
    for name in ("isinstance_two", "str_eq", "own_attributes", "loop_inside", "helper_many"):
        function = functions(exception_values)[name]
        space = {}
        exec(da.source(da.compile(function)), space)
        for x in EDGES:
            with np.errstate(all="ignore"):
                wanted, got = answer(function, x), answer(space[name], x)
            assert got.error == wanted.error and got.leaves == pytest.approx(wanted.leaves, nan_ok=True), (name, x)


def goes_on(x):
    try:
        y = 1.0 / (x - 1.0)
        if x < 0:
            raise ValueError(f"negative: {x}")
    except Exception as error:
        if isinstance(error, ZeroDivisionError):
            return 0.0
        raise
    return y


def test_an_exception_that_goes_on_names_its_line_and_text():
    with pytest.raises(da.HeuristicError) as caught:
        da.compile(goes_on)(torch.tensor([1.0, 2.0, -3.0], dtype=torch.float64))
    assert (caught.value.error, caught.value.message, caught.value.samples) == ("ValueError", "negative: -3.0", (2,))
    assert caught.value.span.line == goes_on.__code__.co_firstlineno + 4


def text_of_data(x):
    try:
        if x < 0:
            raise ValueError(f"bad {x}")
    except ValueError as error:
        return float(len(str(error)))
    return x


def test_a_text_that_depends_on_data_is_refused_where_it_is_looked_at():
    with pytest.raises(da.CompileError) as caught:
        da.compile(text_of_data)
    assert caught.value.reason == "the length of a string depends on data"


def counts_down(v):
    return v if v < 1 else 1.0 + counts_down(v - 1.0) * 1.0


def guards_its_recursion(x):
    try:
        if x < 0:
            raise Exception("negative")
        return counts_down(x)
    except (RecursionError, Exception):
        return -5.0


def test_no_handler_takes_the_bound_of_a_recursion():
    answers = da.compile(guards_its_recursion, errors="nan")([-1.0, 3.5, 60.0]).tolist()
    assert answers[:2] == [guards_its_recursion(-1.0), guards_its_recursion(3.5)] and math.isnan(answers[2])
