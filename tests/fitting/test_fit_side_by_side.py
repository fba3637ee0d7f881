"""Runs side by side give what runs one by one give, for programs of every kind."""

import math

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.fitting.data.batches import Epochs
from deepalgo.fitting.data.samples import read
from deepalgo.fitting.judge.contenders import trainable_copy
from deepalgo.fitting.judge.objective import Objective
from deepalgo.fitting.processes import Processes
from deepalgo.fitting.search.gradient_steps import GradientSteps, StepSettings
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.side_by_side import SideBySide
from deepalgo.fitting.search.space import Space


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
    net = trainable_copy(net)
    objective = Objective(net)
    samples = read(net, X, targets=torch.sin(X))
    objective.probe(net, samples)
    known = objective.measure(net, samples).isfinite()
    problem = Problem(Space(net), objective, Epochs(samples, 32, 0), samples, known, Processes())
    search = GradientSteps(problem, StepSettings(steps, patience=100, runs=runs))
    search.start(problem.origin)
    return search


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_side_by_side_are_those_one_by_one(name):
    made = training(PROGRAMS[name])
    assert made.side_by_side is not None
    points, batches = [run.x for run in made.runs], [made.problem.batches.batch(run.number, 0) for run in made.runs]
    side_by_side = made.gradients(points, batches)
    made.side_by_side = None
    alone = made.gradients(points, batches)
    for (loss, gradient), (wanted_loss, wanted) in zip(side_by_side, alone, strict=True):
        assert loss == pytest.approx(wanted_loss, rel=1e-12)
        assert torch.allclose(gradient, wanted, rtol=1e-9, atol=1e-12 * float(wanted.abs().max()))


def test_runs_side_by_side_end_where_runs_one_by_one_end():
    side_by_side, in_turn = training(PROGRAMS["branching"], steps=30), training(PROGRAMS["branching"], steps=30)
    in_turn.side_by_side = None
    for search in (side_by_side, in_turn):
        while not search.ended:
            search.step()
    for one, other in zip(side_by_side.runs, in_turn.runs, strict=True):
        assert torch.allclose(one.x, other.x, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_of_the_samples_are_those_of_their_losses(name):
    made = training(PROGRAMS[name], runs=1)
    problem = made.problem
    x = problem.origin
    some = problem.validation.pick(problem.known)
    roots, derivatives = SideBySide(problem.space, problem.objective).jacobian(x, some)
    for sample in (0, len(some) // 2, len(some) - 1):
        one = some.pick(torch.tensor([sample]))
        gradient = problem.gradient(x, one)[1] * problem.unit
        assert torch.allclose(2 * (roots[sample, :, None] * derivatives[sample]).sum(0), gradient, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("function", [branching, looping, failing, table])
def test_both_run_natively_where_the_network_does(function):
    found = []
    for backend in ("native", "torch"):
        made = training(da.compile(function, backend=backend), runs=2)
        assert made.side_by_side is not None
        assert made.side_by_side.net.backend == backend
        points, batches = [run.x + 0.01 for run in made.runs], [made.problem.batches.batch(run.number, 0) for run in made.runs]
        some = made.problem.validation.pick(made.problem.known)
        found.append([part for pair in made.gradients(points, batches) for part in pair])
        found[-1] += made.side_by_side.jacobian(points[0], some)
    for one, other in zip(*found, strict=True):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-13)


def test_a_wrong_widening_is_not_trusted(monkeypatch):
    honest = SideBySide.gradients
    monkeypatch.setattr(
        SideBySide, "gradients", lambda self, *words: [1.001 * part if part.dim() > 1 else part for part in honest(self, *words)]
    )
    assert training(PROGRAMS["straight"]).side_by_side is None
