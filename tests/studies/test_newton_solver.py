"""`da.newton.Solver`: answers for many systems, whatever they look like, with both backends."""

import time

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.studies.newton.fast import batched
from deepalgo.studies.newton.system import evaluate
from deepalgo.studies.newton.tasks import plant

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def cubic():
    return da.newton.Solver(degree=3)


def test_cubics_are_solved_to_the_last_digits(cubic):
    S = RNG.standard_normal((200, 4))
    result = cubic.solve(S)
    assert result.converged.mean() > 0.99 and (result.rounds >= 3).all()
    x = result.x[result.converged]
    real = [min(abs(np.roots(row) - root)) for row, root in zip(S[result.converged], x)]
    assert max(real) < 1e-6


def test_one_polynomial_without_a_batch(cubic):
    result = cubic.solve([1.0, 0.0, 0.0, -8.0])
    assert result.x == pytest.approx(2.0) and result.converged and result.residual < 1e-12


DEGENERATE = {
    "zero polynomial": ([0.0, 0.0, 0.0, 0.0], 0.0, True),
    "constant": ([0.0, 0.0, 0.0, 5.0], np.nan, False),
    "leading zeros": ([0.0, 0.0, 2.0, -4.0], 2.0, True),
    "root zero": ([1.0, 0.0, 1.0, 0.0], 0.0, True),
    "NaN": ([1.0, np.nan, 0.0, 1.0], np.nan, False),
    "infinite": ([np.inf, 1.0, 0.0, 1.0], np.nan, False),
    "badly scaled": ([1e-20, 0.0, 0.0, -1e10], 1e10, True),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_input_has_a_defined_answer(cubic, case):
    S, x, converged = DEGENERATE[case]
    result = cubic.solve(np.array([S, [1.0, 0.0, 0.0, -1.0]]))
    assert result.x[0] == pytest.approx(x, rel=1e-9, abs=1e-12, nan_ok=True) and result.converged[0] == converged
    assert result.x[1] == pytest.approx(1.0) and result.converged[1]


def test_degenerate_systems_have_a_defined_answer():
    circle, line = [1.0, 0.0, 0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 1.0, 0.0, -1.0, 0.0]
    far, nothing, five = [0.0, 0.0, 1.0, 0.0, 0.0, -9.0], [0.0] * 6, [0.0] * 5 + [5.0]
    S = np.array([[circle, line], [nothing, nothing], [circle, far], [five, line], [circle, [np.nan] * 6], [[np.inf] * 6, line]])
    solver = da.newton.Solver(2, 2)
    result = solver.solve(S)
    assert result.converged.tolist() == [True, True, False, False, False, False]
    assert np.abs(result.x[0]) == pytest.approx([0.5**0.5] * 2) and result.x[1].tolist() == [0.0, 0.0]
    assert np.isfinite(result.x[2:4]).all() and np.isnan(result.x[4:]).all()
    with pytest.raises(da.InputError, match=r"must have the shape \(batch, 2, 6\) or \(2, 6\), not \(3, 6\)"):
        solver.solve(np.ones((3, 6)))


def test_a_polynomial_without_a_real_root_does_not_converge():
    result = da.newton.Solver(degree=2).solve(np.array([[1.0, 0.0, 1.0]]))
    assert not result.converged[0] and np.isfinite(result.x[0]) and result.residual[0] >= 1.0


@pytest.mark.parametrize("shape", [(3,), (5, 3), (2, 2, 4)])
def test_wrong_shapes_are_refused(cubic, shape):
    with pytest.raises(da.InputError, match=r"must have the shape \(batch, 4\) or \(4,\), not"):
        cubic.solve(np.ones(shape))


def test_wrong_options_are_refused():
    with pytest.raises(da.InputError, match="there is no backend 'cuda'"):
        da.newton.Solver(3, backend="cuda")
    with pytest.raises(da.InputError, match="3 variables need as many equations, not 2"):
        da.newton.Solver(2, 3, equations=2)
    with pytest.raises(da.InputError, match="dtype of a solver is float or complex"):
        da.newton.Solver(2, dtype=int)
    with pytest.raises(da.InputError, match="these coefficients are complex"):
        da.newton.Solver(2).solve(np.array([1j, 0.0, 1.0]))
    with pytest.raises(da.InputError, match="for one polynomial in one variable"):
        da.newton.Solver(1, 2).all_roots(np.ones((1, 2, 3)))
    with pytest.raises(da.InputError, match="at least 1"):
        da.newton.Solver(0)


@pytest.mark.slow
def test_both_backends_give_the_same_answers(cubic):
    fast = da.newton.Solver(degree=3, backend="numba")
    S = RNG.standard_normal((500, 4))
    S[:10, 0] = 0.0
    S[10:20] *= [1e-9, 1.0, 1.0, 1e9]
    assert np.allclose(fast.solve(S).x, cubic.solve(S).x, rtol=1e-12)


@pytest.mark.slow
def test_all_roots_of_a_batch_are_those_of_numpy():
    solver = da.newton.Solver(degree=4)
    S = np.random.default_rng(4).standard_normal((50, 5))
    S[0, 0] = 0.0
    S[1] = -0.80221833, 0.43563903, 1.92226674, -2.01688017, 0.97728942  # takes more sweeps than most
    found = solver.all_roots(S)
    assert np.isnan(found[0, 3])
    for row, roots in zip(S[1:], found[1:]):
        assert np.abs(roots[:, None] - np.roots(row)).min(axis=0).max() < 1e-8


@pytest.mark.slow
def test_the_network_of_all_roots_gives_them_in_the_order_of_the_function():
    S = np.random.default_rng(4).standard_normal((50, 5))
    network = da.compile(da.newton.all_roots, example=((S[0],), {}))
    assert np.allclose(batched(network)(S), [da.newton.all_roots(row) for row in S], rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("degree", "variables", "equations"), [(2, 2, 2), (2, 2, 3), (1, 4, 4), (3, 1, 2)])
def test_both_backends_give_the_same_answers_for_systems(degree, variables, equations):
    shape = (200, equations, len(da.newton.monomials(variables, degree)))
    S = plant(RNG.standard_normal(shape), RNG.standard_normal((200, variables)), degree)
    plain, fast = (da.newton.Solver(degree, variables, equations=equations, backend=backend, polish=0) for backend in ("torch", "numba"))
    with torch.no_grad():
        for solver in (plain, fast):  # as if trained
            solver.network.weights["gamma"].fill_(0.01)
            solver.network.weights["H"].fill_(0.9)
    assert np.allclose(fast.solve(S).x, plain.solve(S).x, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["torch", "numba"])
def test_complex_coefficients_lead_to_complex_roots(backend):
    S = RNG.standard_normal((100, 5)) + 1j * RNG.standard_normal((100, 5))
    solver = da.newton.Solver(4, dtype=complex, backend=backend)
    result = solver.solve(S)
    assert result.converged.mean() > 0.97 and np.iscomplexobj(result.x)
    for row, x, roots in zip(S[result.converged], result.x[result.converged], solver.all_roots(S)[result.converged]):
        assert np.abs(np.roots(row) - x).min() < 1e-8 and np.abs(roots[:, None] - np.roots(row)).min(axis=0).max() < 1e-8


@pytest.mark.slow
def test_complex_systems_are_solved():
    shape = (50, 2, 6)
    S = RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)
    result = da.newton.Solver(2, 2, dtype=complex).solve(S)
    assert result.converged.mean() > 0.95


@pytest.mark.slow
def test_a_system_with_more_equations_than_variables_is_solved_in_the_sense_of_least_squares():
    solver = da.newton.Solver(degree=2, variables=2, equations=3)
    roots = RNG.uniform(-1, 1, (20, 2))
    S = plant(RNG.standard_normal((20, 3, 6)), roots, 2)
    result = solver.solve(S)
    assert result.converged.mean() > 0.8
    F = [evaluate(row, x, 2) for row, x in zip(S[result.converged], result.x[result.converged])]
    assert np.abs(F).max() < 1e-8


@pytest.mark.slow
def test_fitting_a_solver_keeps_the_floor(cubic):
    solver = da.newton.Solver(degree=3)
    fit = solver.fit(RNG.standard_normal((500, 4)), steps=10)
    assert "real_root" in str(fit)
    S = RNG.standard_normal((500, 4))
    assert solver.solve(S).converged.mean() >= cubic.solve(S).converged.mean() - 0.02


@pytest.mark.parametrize("degree", [2, 3, 6])
def test_roots_do_not_depend_on_the_size_of_coefficients_and_variable(degree):
    rng = np.random.default_rng(degree)
    S = rng.standard_normal((40, degree + 1))
    solver = da.newton.Solver(degree)
    for size in (-900, -500, -210, 0, 210, 500, 900):
        for stretch in (-120, -30, 0, 30, 120):
            powers = size - stretch * np.arange(degree, -1, -1)
            if abs(powers).max() > 1000:
                continue
            scaled = np.ldexp(S, powers)
            found = np.ldexp(solver.all_roots(scaled).view(float), -stretch).view(complex)
            result = solver.solve(scaled)
            x = np.ldexp(result.x, -stretch)
            for row, roots, one, converged in zip(S, found, x, result.converged, strict=True):
                wanted = np.roots(row)
                assert abs(roots[:, None] - wanted).min(axis=0).max() <= 1e-9 * abs(wanted).max()
                assert not converged or abs(one - wanted).min() <= 1e-6 * abs(wanted).max()
            assert result.converged.mean() >= solver.solve(S).converged.mean() - 0.05


@pytest.mark.parametrize(
    ("S", "roots"),
    [
        ([1e160, -3e160, 2e160], (1.0, 2.0)),
        ([1e-150, 0.0, -4e150], (-2e150, 2e150)),
        ([1e-300, 0.0, -1e-300], (-1.0, 1.0)),
        ([1e200, -1e-100], (1e-300,)),
    ],
)
def test_coefficients_at_the_ends_of_the_range_have_their_roots(S, roots):
    result = da.newton.Solver(degree=len(S) - 1).solve(S)
    assert result.converged and min(abs(result.x - root) for root in roots) <= 1e-15 * max(map(abs, roots))


def test_systems_of_large_coefficients_have_their_roots():
    circles = np.array([[1.0, 0.0, 0.0, 1.0, 0.0, -4.0], [1.0, 0.0, 0.0, 0.0, -1.0, 0.0]])
    solver = da.newton.Solver(degree=2, variables=2)
    for size in (-800, 0, 800):
        found = solver.solve(np.ldexp(circles, size))
        assert found.converged and np.allclose(found.x, solver.solve(circles).x, rtol=1e-12, atol=0)


def test_all_roots_of_one_polynomial_need_no_batch_axis():
    found = da.newton.Solver(3).all_roots([1.0, -6.0, 11.0, -6.0])
    assert found.shape == (3,) and np.allclose(np.sort(found.real), [1.0, 2.0, 3.0])
    with pytest.raises(da.InputError) as error:
        da.newton.Solver(3).all_roots([1.0, -6.0])
    assert str(error.value) == "the coefficients must have the shape (batch, 4) or (4,), not (2,)"


def test_the_first_call_at_degree_20_takes_seconds():
    S = np.random.default_rng(0).standard_normal((20, 21))
    begin = time.process_time()
    solver = da.newton.Solver(20)
    solver.solve(S)
    found = solver.all_roots(S)
    assert time.process_time() - begin < 5
    assert all(abs(roots[:, None] - np.roots(row)).min(axis=0).max() < 1e-9 for row, roots in zip(S, found, strict=True))
