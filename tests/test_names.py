"""Variables can be named in transformations however they got their value: by a formula, by a branch, as part of an array."""

import numpy as np
import torch

import deepalgo as da
from tests.source_check import load


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
