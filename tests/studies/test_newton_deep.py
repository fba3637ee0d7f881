"""DeepNewton comes out of compile and the transformations, is Newton with line search at birth, and gets better without getting worse."""

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.studies.newton.deep import answers, compiled, deep_newton, line_search, plain, product_search, richer_newton, size, train
from deepalgo.studies.newton.heuristics import STEPS
from deepalgo.studies.newton.reproduce import Job, do, floor, jobs, powers, run, table
from deepalgo.studies.newton.tasks import TASKS


@pytest.mark.parametrize("name", ["fifth-root", "2D-poly T3"])
@pytest.mark.parametrize("history", [False, True])
def test_deep_newton_is_newton_with_line_search_at_birth(name, history):
    task = TASKS[name]
    S = task.draw(np.random.default_rng(3), 200)
    assert np.array_equal(answers(deep_newton(task, history=history), S), answers(compiled(task, line_search(task)), S))


@pytest.mark.parametrize("name", ["fifth-root", "2D-poly T3"])
def test_candidates_are_the_cartesian_product_of_the_sets(name):
    task, sets = TASKS[name], ((0.5, 1.0, 1.5), (1.0, 0.9), (0.0, 0.01))
    net = deep_newton(task, A=sets[0], B=sets[1], C=sets[2])
    S = task.draw(np.random.default_rng(3), 50)
    by_hand = product_search(task, *sets)
    assert np.allclose(answers(net, S), [by_hand(row) for row in S], rtol=1e-12)
    assert not np.allclose(answers(net, S), answers(compiled(task, line_search(task)), S))
    pairs = {"step_scales": 3, "kept_scales": 2, ("dp" if task.variables == 1 else "gradient") + "_shares": 2}
    square = () if task.variables == 1 else (2, 2)
    assert {key: tuple(net.weights[key].shape) for key in pairs} == {key: (3, count, *square) for key, count in pairs.items()}


def test_the_program_of_deep_newton_is_that_of_newton_grown():
    task = TASKS["fifth-root"]
    heuristic, net = compiled(task, plain(task)), deep_newton(task, history=True)
    assert isinstance(net, da.Network) and net.program.name == heuristic.program.name == "newton"
    text = str(net.program)
    for weight in ("A", "B", "C", "step_scales", "x_memory"):
        assert f"= weight {weight}" in text
    assert len(net.weights["x_memory"][0]) == 5 and net.weights["step_scales"].shape == (3, 3)
    assert "argmin" in text and "loop 3 rounds" in text
    grown = da.choose(heuristic, "x", da.Scales("step", STEPS), by=size(task), keep=False, heuristic=line_search(task))
    grown = da.guard(da.untie(da.remember(grown, "x", 5)), by=size(task))
    assert str(grown.program) == text


def test_training_helps_and_no_single_answer_gets_worse():
    task = TASKS["square-root"]
    trained = train(task, deep_newton(task), steps=40).network
    S = task.draw(np.random.default_rng(5), 2000)
    reference = compiled(task, line_search(task))
    ratio = task.figures(answers(trained, S), S)["root MSE"] / task.figures(answers(reference, S), S)["root MSE"]
    assert ratio < 0.05
    for T in (S, task.beyond(np.random.default_rng(6), 2000)):
        old, new = task.residual(answers(reference, T), T), task.residual(answers(trained, T), T)
        assert (new <= old).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "most"), [("square-root", 1e-5), ("fifth-root", 1e-9), ("1D-poly P1", 0.01), ("2D-poly T3", 1e-3), ("2D-poly T1", 0.33)]
)
def test_structure_alone_reaches_the_richer_targets(name, most):
    task = TASKS[name]
    S = task.draw(np.random.default_rng(1), 4000)
    ratio = [task.figures(answers(net, S), S)[task.metric] for net in (richer_newton(task), compiled(task, line_search(task)))]
    assert ratio[0] / ratio[1] <= most


@pytest.mark.slow
def test_the_table_shows_the_paper_beside_ours(tmp_path):
    assert len(jobs(5, 200, 100_000)) == 5 * 11
    outcomes = list(run([Job("square-root", "A, B, C", 0, 5, 50)], 1, tmp_path / "record"))
    assert list(run([Job("square-root", "A, B, C", 0, 5, 50)], 1, tmp_path / "record")) == outcomes
    text = "\n".join([*table(outcomes), *floor(outcomes)])
    assert "paper, Newton / Newton-LS / trained: 0.7658 / 0.0195 / 0.0070" in text
    assert "DeepNewton A, B, C" in text and "100 systems one by one: 0 answers with a larger |F| than that of Newton-LS" in text


@pytest.mark.slow
def test_the_curve_of_the_figure_is_that_of_the_trained_network():
    outcome = do(Job("fifth-root", "A, B, C", 0, 1, 0))
    assert len(outcome.curve) == 201 and torch.isfinite(torch.tensor(outcome.curve)).all()
    assert powers(np.array([3.0])).tolist() == [[1.0, 0.0, 0.0, 0.0, 0.0, -3.0]]
