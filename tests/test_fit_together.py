"""Runs side by side give what runs one by one give, for programs of every kind."""

import math

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.fitting.batches import Epochs
from deepalgo.fitting.ladder import competitor
from deepalgo.fitting.objective import Objective
from deepalgo.fitting.samples import read
from deepalgo.fitting.space import Space
from deepalgo.fitting.train import Settings, Training
from deepalgo.fitting.world import World


def straight(x):
    return 1.2 * x * x + 0.3


def branching(x):
    if x > 0.5:
        return 2.0 * x
    return 0.4 - x


def looping(x):
    z = 1.0
    while z < 3.0 * x + 1.5:
        z = z * 1.3
    return z * 0.7


def failing(x):
    return math.sqrt(x - 0.3) * 1.1


def table(x):
    knots = np.array([0.1, 0.4, 0.2])
    return knots[0] + knots[1] * x + knots[2] * x * x


def untied(x):
    y = 1.0
    for _ in range(3):
        y = y - 0.6 * (y * y - x) / (2 * y)
    return y


X = torch.linspace(0.1, 2, 60, dtype=torch.float64)
PROGRAMS = {
    "straight": da.compile(straight),
    "branching": da.compile(branching),
    "looping": da.compile(looping),
    "failing": da.compile(failing),
    "table": da.compile(table),
    "untied": da.untie(da.compile(untied)),
    "softened": da.soften(da.compile(branching), X),
}


def training(net, runs=3, steps=5):
    net = competitor(net)
    objective = Objective(net)
    samples = read(net, X, targets=torch.sin(X))
    objective.probe(net, samples)
    settings = Settings(steps, 0.01, 10.0, 100, "adam", runs, 0, None)
    known = objective.measure(net, samples).isfinite()
    return Training(Space(net), objective, Epochs(samples, 32, 0), samples, known, settings, World())


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_side_by_side_are_those_one_by_one(name):
    made = training(PROGRAMS[name])
    assert made.together is not None
    points, batches = [run.x for run in made.runs], [made.batches.batch(run.number, 0) for run in made.runs]
    together = made.gradients(points, batches)
    made.together = None
    alone = made.gradients(points, batches)
    for (loss, gradient), (wanted_loss, wanted) in zip(together, alone, strict=True):
        assert loss == pytest.approx(wanted_loss, rel=1e-12)
        assert torch.allclose(gradient, wanted, rtol=1e-9, atol=1e-12 * float(wanted.abs().max()))


def test_runs_side_by_side_end_where_runs_one_by_one_end():
    side_by_side, in_turn = training(PROGRAMS["branching"], steps=30), training(PROGRAMS["branching"], steps=30)
    in_turn.together = None
    side_by_side.run()
    in_turn.run()
    for one, other in zip(side_by_side.runs, in_turn.runs, strict=True):
        assert torch.allclose(one.x, other.x, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_of_the_samples_are_those_of_their_losses(name):
    from deepalgo.fitting.together import Together

    made = training(PROGRAMS[name], runs=1)
    x = torch.zeros(len(made.space), dtype=torch.float64)
    some = made.validation.pick(made.known)
    roots, derivatives = Together(made.space, made.objective).jacobian(x, some)
    for sample in (0, len(some) // 2, len(some) - 1):
        one = some.pick(torch.tensor([sample]))
        gradient = made.gradient(x, one)[1] * made.unit
        assert torch.allclose(2 * (roots[sample, :, None] * derivatives[sample]).sum(0), gradient, rtol=1e-9, atol=1e-13)


def test_a_wrong_widening_is_not_trusted(monkeypatch):
    from deepalgo.fitting.together import Together

    honest = Together.gradients
    monkeypatch.setattr(
        Together, "gradients", lambda self, *words: [1.001 * part if part.dim() > 1 else part for part in honest(self, *words)]
    )
    assert training(PROGRAMS["straight"]).together is None
