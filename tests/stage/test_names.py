"""Variables can be named in transformations however they got their value; and no name of the user's meets one that emitted code needs."""

import linecache
import math

import numpy as np
import pytest
import torch

import deepalgo as da
from tests.support.source_check import load


def drag(speed, area):
    if speed > 10.0:
        force = 0.5 * area * speed
    else:
        force = area
    if area > 2.0:
        speed = 0.9 * speed
    return force * speed


SPEED = torch.linspace(1.0, 20.0, 40, dtype=torch.float64)
AREA = torch.linspace(4.0, 0.5, 40, dtype=torch.float64)


def moves_every_sample(network, weight, *inputs):
    with torch.no_grad():
        before = network(*inputs)
        network.weights[weight].add_(0.5)
        return bool((network(*inputs) != before).all())


def test_what_a_branch_hands_on_has_the_name_of_its_variable():
    network = da.compile(drag)
    for name in ("force", "speed"):
        corrected = da.correct(network, name, context=["area"], hidden=2)
        assert torch.equal(corrected(SPEED, AREA), network(SPEED, AREA))
        assert moves_every_sample(corrected, f"{name}_out_bias", SPEED, AREA)


def test_a_variable_that_every_arm_computes_is_corrected_in_the_arms():
    def drag_in_arms(speed, area):
        if speed > 10.0:
            force = 0.5 * area * speed
            force = force + 0.1 * force
        else:
            force = 2.0 * area
        return force

    network = da.compile(drag_in_arms)
    corrected = da.correct(network, "force", hidden=2)
    assert torch.equal(corrected(SPEED, AREA), network(SPEED, AREA))
    assert moves_every_sample(corrected, "force_out_bias", SPEED, AREA)
    assert str(corrected.program).count("= tanh ") == 3


def split(a):
    head = a[:2]
    tail = a[2:]
    square = a.reshape(2, 2)
    return np.sum(head * tail) + np.sum(head) + square[0, 1]


ROWS = torch.randn(6, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def test_parts_of_arrays_have_the_names_of_their_variables():
    network = da.compile(split, example=((np.ones(4),), {}))
    for name in ("head", "tail"):
        widened = da.widen(network, name, da.Dense())
        torch.testing.assert_close(widened(ROWS), network(ROWS), rtol=1e-12, atol=0)
        assert moves_every_sample(widened, f"{name}_dense", ROWS)


def test_source_names_a_part_of_an_array_that_is_read_once():
    text = da.source(da.compile(split, example=((np.ones(4),), {})))
    assert "    tail = a[2:]\n" in text and "head" not in text and "np.sum(a[:2] * tail)" in text
    np.testing.assert_allclose(load(text)(ROWS[0].numpy()), split(ROWS[0].numpy()), rtol=1e-12)


LOOPS = """
def {name}({name}, y):
    while {name} > 1.0:
        {name} = {name} * 0.5
        if y > 2.0:
            y = y - math.sin({name})
        else:
            y = y + 1.0 / (1.0 + y * y)
    total = 0.0
    for k in range(70):
        total = total + {name} * 0.1 - k * 0.01
    return total if total > 3.0 else {name} + y
"""


def written(text, name):
    """The function in a text, with lines that can be found."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {"math": math}
    exec(compile(text, file, "exec"), space)
    return space[name]


@pytest.mark.parametrize("name", "test_1 body_1 then_1 else_1 round_1 arm1 t1 run torch ops quick self np i inf".split())
def test_parameters_may_have_the_names_of_emitted_code(name):
    function = written(LOOPS.format(name=name), name)
    network = da.compile(function)
    points = [(0.3, 1.0), (5.0, 2.5), (2.0, -1.0)]
    expected = [function(*point) for point in points]
    columns = [torch.tensor(column, dtype=torch.float64) for column in zip(*points, strict=True)]
    torch.testing.assert_close(network(*columns).detach(), torch.tensor(expected, dtype=torch.float64), rtol=1e-12, atol=0)
    for style in ("python", "numbers"):
        again = load(da.source(network, style=style))
        assert [again(*point) for point in points] == expected
    columned = load(da.source(network, style="numpy"))
    np.testing.assert_allclose(columned(*[column.numpy() for column in columns]), expected, rtol=1e-12)


def test_source_with_a_parameter_named_like_a_module_stands_behind_one_with_that_name():
    def double(np):
        return 2.0 * np

    text = da.source(da.compile(double), style="numpy")
    assert text == (
        "import numpy as np\n\n\n"
        '@np.errstate(all="ignore")\n'
        "def double_of(np_given):\n"
        "    np_given = np.asarray(np_given, dtype=float)\n"
        "    return 2.0 * np_given\n\n\n"
        "def double(np):\n"
        '    """Made by deepalgo from test_names.py."""\n'
        "    return double_of(np)"
    )
