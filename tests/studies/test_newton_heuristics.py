"""Newton's method as people write it: formulas, closed forms, what compiles, and the figures of untrained methods."""

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.studies.newton.charts import real_root, scaled_root
from deepalgo.studies.newton.deep import answers, compiled, line_search, plain
from deepalgo.studies.newton.heuristics import (
    chebyshev_step,
    halley_step_1d,
    newton,
    newton_1d,
    newton_ls,
    newton_ls_1d,
    newton_step,
    newton_step_1d,
)
from deepalgo.studies.newton.multistart import multistart, multistart_1d
from deepalgo.studies.newton.polynomial import horner, slope
from deepalgo.studies.newton.roots import all_roots, roots_in_turn
from deepalgo.studies.newton.starts import (
    affine,
    best_of,
    best_point_of,
    cauchy_bound,
    fixed,
    fujiwara_bound,
    polygon_radii,
    polygon_starts,
)
from deepalgo.studies.newton.system import curve, damped_step, evaluate, linearize, monomials
from deepalgo.studies.newton.tasks import TASKS, companion_roots, least_square, plant

RNG = np.random.default_rng(0)


def test_horner_gives_what_numpy_gives():
    S, x = RNG.standard_normal(6), 0.7
    first = np.polyder(S)
    assert np.allclose(horner(S, x), [np.polyval(S, x), np.polyval(first, x), np.polyval(np.polyder(first), x) / 2])
    assert slope([3.0], x) == (3.0, 0.0)


@pytest.mark.parametrize(("variables", "degree"), [(1, 5), (2, 1), (2, 3), (3, 2), (4, 2)])
def test_nested_horner_sums_the_monomials(variables, degree):
    exponents = monomials(variables, degree)
    S, x, v = RNG.standard_normal((3, len(exponents))), RNG.standard_normal(variables), RNG.standard_normal(variables)
    terms = np.array([np.prod(x ** np.array(powers)) for powers in exponents])
    assert np.allclose(evaluate(S, x, degree), S @ terms)
    F, J = linearize(S, x, degree)
    step = 1e-6
    quotients = [(evaluate(S, x + step * e, degree) - evaluate(S, x - step * e, degree)) / (2 * step) for e in np.eye(variables)]
    assert np.allclose(F, S @ terms) and np.allclose(J, np.stack(quotients, axis=1), atol=1e-7)
    bend = (evaluate(S, x + 1e-3 * v, degree) + evaluate(S, x - 1e-3 * v, degree) - 2 * F) / 2e-6
    assert np.allclose(curve(S, x, v, degree), bend, atol=1e-3)


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (5, 5), (4, 2), (6, 3), (7, 4)])
def test_the_damped_step_is_the_generalised_inverse_real_and_complex(shape):
    for i in (0, 1j):
        J, F = (
            RNG.standard_normal(shape) + i * RNG.standard_normal(shape),
            RNG.standard_normal(shape[0]) + i * RNG.standard_normal(shape[0]),
        )
        assert np.allclose(damped_step(J, F, 1e-14), np.linalg.pinv(J) @ F)
        assert np.array_equal(damped_step(0 * J, F, 1e-14), np.zeros(shape[1]))


SYSTEMS = [(2, 2, 3), (3, 3, 2), (4, 4, 2), (3, 2, 2)]  # equations, variables, degree


@pytest.mark.parametrize(("equations", "variables", "degree"), SYSTEMS)
@pytest.mark.parametrize("make", [newton, newton_ls])
def test_newton_for_systems_compiles_and_is_certified(equations, variables, degree, make):
    S = RNG.standard_normal((4, equations, len(monomials(variables, degree))))
    heuristic = make(np.full(variables, 0.5), 0.01, degree, 2)
    da.compile(heuristic, example=((S[0],), {})).verify(S, gradients=False, rtol=1e-8)


@pytest.mark.parametrize(
    "heuristic",
    [newton_1d(1.0, 1e-12), newton_ls_1d(1.0, 0.1), multistart_1d((-1.0, 1.0), 6, newton_ls_1d(1.0, 0.1)), real_root, scaled_root],
)
def test_newton_for_one_polynomial_compiles_and_is_certified(heuristic):
    S = RNG.standard_normal((10, 6))
    da.compile(heuristic, example=((S[0],), {})).verify(S, gradients=False, rtol=1e-7)


def test_chains_for_systems_compile_and_are_certified():
    S = RNG.standard_normal((5, 2, 6))
    heuristic = multistart(((0.5, 0.5), (-0.5, 0.5)), 2, 6, 2, newton_ls((0.5, 0.5), 0.01, 2), 0.01)
    da.compile(heuristic, example=((S[0],), {})).verify(S, gradients=False, rtol=1e-7)


STARTS = {
    "0": 0.0,
    "affine": affine(0.5, np.array([0.1, 0.0, -0.2, 0.0, 0.0, 0.3])),
    "Cauchy": cauchy_bound,
    "Fujiwara": fujiwara_bound,
    "best of Bini's": best_of(polygon_starts),
    "best of four": best_of(fixed(-1.0, -0.3, 0.3, 1.0)),
}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("base", [newton_step_1d, halley_step_1d])
def test_every_start_and_base_step_compiles_and_is_certified(start, base):
    S = RNG.standard_normal((6, 6))
    for make in (newton_1d, newton_ls_1d):
        da.compile(make(STARTS[start], 1e-9, 2, base), example=((S[0],), {})).verify(S, gradients=False, rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(
    "start", [(0.0, 0.0), affine(np.array([0.5, 0.1]), 0.1 * np.ones((2, 12))), best_point_of(fixed([1.0, 0.0], [0.0, 1.0]), 2)]
)
@pytest.mark.parametrize("base", [newton_step, chebyshev_step])
def test_every_start_and_base_step_for_systems_compiles_and_is_certified(start, base):
    S = RNG.standard_normal((4, 2, 6))
    for make in (newton, newton_ls):
        da.compile(make(start, 1e-3, 2, 2, base), example=((S[0],), {})).verify(S, gradients=False, rtol=1e-7)


def test_steps_of_third_order_need_fewer_rounds():
    S = np.array([1.0, 0.0, -2.0])
    errors = [abs(newton_1d(1.0, 0.0, 2, base)(S) - 2**0.5) for base in (newton_step_1d, halley_step_1d)]
    assert errors[1] < 0.1 * errors[0]
    circle_and_line = np.array([[1.0, 0.0, 0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 1.0, 0.0, -1.0, 0.0]])
    errors = [np.abs(newton((0.9, 0.4), 0.0, 2, 2, base)(circle_and_line) - 0.5**0.5).max() for base in (newton_step, chebyshev_step)]
    assert errors[1] < 0.1 * errors[0]


@pytest.mark.parametrize(("equations", "variables"), [(1, 1), (2, 2), (3, 3), (3, 2)])
def test_complex_systems_have_complex_roots(equations, variables):
    shape = (3, equations, len(monomials(variables, 2)))
    S = RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)
    roots = RNG.standard_normal((3, variables)) + 1j * RNG.standard_normal((3, variables))
    S[:, :, -1] -= np.array([evaluate(row, x, 2) for row, x in zip(S, roots)])
    for make in (newton, newton_ls):
        net = da.compile(make(roots[0] + 0.01, 1e-14, 2, 6), example=((S[0],), {}))
        assert np.allclose(net(S[:1]).detach().numpy()[0], roots[0])
        net.verify(S, gradients=False, rtol=1e-6)


def test_no_derivative_is_no_catastrophe():
    flat = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 5.0]])  # at x = 0 the first has no slope, the second nowhere
    for make in (newton_1d, newton_ls_1d):
        net = da.compile(make(0.0, 1e-12), example=((flat[0],), {}))
        x = net(flat)
        x.sum().backward()
        assert x.tolist() == [0.0, 0.0] and all(torch.isfinite(weight.grad).all() for weight in net.parameters())


def test_all_roots_are_those_of_numpy_real_and_complex():
    for S in (RNG.standard_normal((4, 6)), RNG.standard_normal((4, 6)) + 1j * RNG.standard_normal((4, 6))):
        for row in S:
            found = np.array(all_roots(row))
            assert np.abs(found[:, None] - np.roots(row)).min(axis=0).max() < 1e-9


def test_roots_found_in_turn_are_those_of_numpy_and_compile():
    S = RNG.standard_normal((20, 5))
    net = da.compile(roots_in_turn, example=((S[0],), {}))
    found = torch.stack(list(net(S)), dim=1).detach().numpy()
    for row, roots in zip(S, found):
        assert np.abs(roots[:, None] - np.roots(row)).min(axis=0).max() < 1e-8


def test_bounds_and_radii_localise_the_roots():
    for row in RNG.standard_normal((20, 7)):
        sizes = np.sort(np.abs(np.roots(row)))
        assert sizes[-1] <= cauchy_bound(row) and sizes[-1] <= fujiwara_bound(row)
        radii = np.sort(polygon_radii(row))
        assert ((radii / sizes < 2 * 6) & (sizes / radii < 2 * 6)).all()


def test_the_floor_of_a_polynomial_is_its_least_square():
    S = TASKS["1D-poly P1"].draw(RNG, 50)
    grid = np.linspace(-2, 2, 40001)
    least = np.array([np.polyval(row, grid).__pow__(2).min() for row in S])
    assert np.allclose(least_square(S), least, atol=1e-5)
    assert np.allclose(np.sort(np.abs(companion_roots(S[:1])[0])), np.sort(np.abs(np.roots(S[0]))))


def test_planted_systems_vanish_where_they_should():
    roots = RNG.uniform(-1, 1, (5, 2))
    S = plant(RNG.standard_normal((5, 2, 10)), roots, 3)
    assert TASKS["2D-poly T3"].residual(roots, S).max() < 1e-25


@pytest.mark.parametrize(
    ("name", "metric", "newton", "line"),
    [
        ("square-root", "mean |error|", 0.541, 0.0242),
        ("fifth-root", "mean |error|", 1.954, 0.179),
        ("1D-poly P1", "to nearest root", 0.0596, 0.0710),
    ],
)
def test_untrained_figures_are_those_of_the_reconstruction(name, metric, newton, line):
    task = TASKS[name]
    S = task.draw(np.random.default_rng(1), 20_000)
    found = [task.figures(answers(compiled(task, make(task)), S), S)[metric] for make in (plain, line_search)]
    assert found == pytest.approx([newton, line], rel=0.05)
