"""Steps of least squares: within bounds, by pieces of the data, down long valleys, past places where they are stuck; NIST's problems."""

import math

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.fitting.search import least_squares
from deepalgo.fitting.search.trust_region import Quadratic

RANDOM = np.random.default_rng(8)
X = np.linspace(0.1, 4.0, 60)
Y = 2.5 * np.exp(-0.7 * X) + 0.3 + 0.01 * RANDOM.normal(size=60)


def decay(x, size=1.0, rate=2.0, rest=0.0):
    return size * math.exp(-rate * x) + rest


def found(fit):
    return np.array([weight.item() for weight in fit.network.weights.tensors()])


@pytest.mark.parametrize("seed", range(5))
def test_a_step_is_the_lowest_point_within_its_radius_and_bounds(seed):
    random = np.random.default_rng(seed)
    model = Quadratic(np.triu(random.normal(size=(3, 3))), random.normal(size=3), random.uniform(0.1, 10.0, 3))
    free = np.full(3, np.inf)
    whole = model.step(np.inf, -free, free)
    assert np.allclose(whole.move, np.linalg.lstsq(model.triangle, -model.right, rcond=None)[0])
    radius = 0.3 * whole.length
    short = model.step(radius, -free, free)
    assert short.length == pytest.approx(radius, rel=0.11) and not short.is_free
    for _ in range(200):
        other = random.normal(size=3)
        other *= short.length / np.linalg.norm(model.scale * other)
        assert model.gain(other) <= model.gain(short.move) + 1e-12
    lower, upper = np.minimum(0.4 * whole.move, 0.0), np.maximum(0.4 * whole.move, 0.0)
    inside = model.step(np.inf, lower, upper).move
    assert ((inside >= lower) & (inside <= upper)).all() and model.gain(inside) > 0


def test_bounds_hold_and_the_others_are_fitted_to_them():
    fit = da.fit(da.compile(decay), X, Y, bounds={"rate": (1.0, 5.0)}, validation=None)
    size, rate, rest = found(fit)
    assert rate == 1.0
    columns = np.stack([np.exp(-X), np.ones(60)], 1)
    assert [size, rest] == pytest.approx(np.linalg.lstsq(columns, Y, rcond=None)[0], rel=1e-9)


def test_pieces_of_the_data_give_what_all_at_once_gives(monkeypatch):
    whole = found(da.fit(da.compile(decay), np.tile(X, 5), np.tile(Y, 5), validation=None))
    monkeypatch.setattr(least_squares, "PIECE", 30)
    assert found(da.fit(da.compile(decay), np.tile(X, 5), np.tile(Y, 5), validation=None)) == pytest.approx(whole, rel=1e-7)


def test_the_status_names_the_test_that_held():
    fit = da.fit(da.compile(decay), X, Y, validation=None)
    assert fit.status.converged
    assert fit.status.reason in ("the loss stands still", "the weights stand still")
    assert str(fit.status) in str(fit)
    exact = da.fit(da.compile(decay), X, 2.5 * np.exp(-0.7 * X) + 0.3, validation=None)
    assert exact.status.converged
    assert found(exact) == pytest.approx([2.5, 0.7, 0.3], rel=1e-9)
    late = da.fit(da.compile(decay), X, Y, loss=lambda a, b: (a - b).abs() ** 3, steps=3, validation=None)
    assert not late.status.converged


#: Certified to eleven digits (NIST StRD), from the starts that are called hard: flat places, and one where all derivatives vanish.
ECKERLE = (
    [400.0, 405.0, 410.0, 415.0, 420.0, 425.0, 430.0, 435.0, 436.5, 438.0, 439.5, 441.0, 442.5, 444.0, 445.5, 447.0, 448.5, 450.0,
     451.5, 453.0, 454.5, 456.0, 457.5, 459.0, 460.5, 462.0, 463.5, 465.0, 470.0, 475.0, 480.0, 485.0, 490.0, 495.0, 500.0],
    [0.0001575, 0.0001699, 0.000235, 0.0003102, 0.0004917, 0.000871, 0.0017418, 0.00464, 0.0065895, 0.0097302, 0.0149002,
     0.023731, 0.0401683, 0.0712559, 0.1264458, 0.2073413, 0.2902366, 0.3445623, 0.3698049, 0.3668534, 0.3106727, 0.2078154,
     0.1164354, 0.0616764, 0.03372, 0.0194023, 0.0117831, 0.0074357, 0.0022732, 0.00088, 0.0004579, 0.0002345, 0.0001586,
     0.0001143, 0.000071],
)  # fmt: skip
BOX = [1.0, 2.0, 3.0, 5.0, 7.0, 10.0], [109.0, 149.0, 149.0, 191.0, 213.0, 224.0]
THERMISTOR = (
    [50.0, 55.0, 60.0, 65.0, 70.0, 75.0, 80.0, 85.0, 90.0, 95.0, 100.0, 105.0, 110.0, 115.0, 120.0, 125.0],
    [34780.0, 28610.0, 23650.0, 19630.0, 16370.0, 13720.0, 11540.0, 9744.0, 8261.0, 7030.0, 6005.0, 5147.0, 4427.0, 3820.0, 3307.0, 2872.0],
)


def peak(x, b1=1.0, b2=10.0, b3=500.0):
    return b1 / b2 * math.exp(-0.5 * ((x - b3) / b2) ** 2)


def demand(x, b1=1.0, b2=1.0):
    return b1 * (1 - math.exp(-b2 * x))


def thermistor(x, b1=2.0, b2=400000.0, b3=25000.0):
    return b1 * math.exp(b2 / (x + b3))


@pytest.mark.parametrize(
    ("model", "data", "certified"),
    [
        (demand, BOX, [2.1380940889e02, 5.4723748542e-01]),
        (thermistor, THERMISTOR, [5.6096364710e-03, 6.1813463463e03, 3.4522363462e02]),
        (peak, ECKERLE, [1.5543827178, 4.0888321754, 4.5154121844e02]),
    ],
    ids=["BoxBOD", "MGH10", "Eckerle4"],
)
def test_hard_starts_lead_to_certified_parameters(model, data, certified):
    fit = da.fit(da.compile(model, backend="native"), torch.tensor(data[0]).double(), torch.tensor(data[1]).double(), validation=None)
    assert found(fit)[: len(certified)] == pytest.approx(certified, rel=1e-6)
    assert fit.status.converged
