"""Emitted code takes each sample along its own path: values, gradients and errors equal those of a scalar interpreter."""

import math

import pytest
import torch

from deepalgo.compiler import compile
from deepalgo.errors import HeuristicError
from deepalgo.ir import Failed, Kind, Type, interpret
from deepalgo.network import Network
from tests.support.build import Builder

XS = [-3.0, -1.0, -0.25, 0.0, 0.1, 0.5, 1.0, 1.7, 2.0, 3.0, 10.0]
WAYS = [("run", "raise"), ("settle", "raise"), ("run", "nan"), ("settle", "nan")]


def networks(program, max_rounds=64):
    return [Network(program, loops=loops, errors=errors, max_rounds=max_rounds) for loops, errors in WAYS]


def check_program(program, xs=XS, max_rounds=64, smooth=True):
    """Values, failures and gradients of each way of running a program against the interpreter."""
    answers = [answer(program, x, max_rounds) for x in xs]
    good = [x for x, result in zip(xs, answers) if result is not None]
    for net in networks(program, max_rounds):
        check_values(net, xs, answers)
        if smooth and good:
            check_gradients(net, good)


def answer(program, x, limit):
    try:
        return interpret(program, [x], max_rounds=limit).output
    except Failed:
        return None


def check_values(net, xs, answers):
    if net.errors == "raise" and None in answers:
        with pytest.raises(HeuristicError) as caught:
            net(torch.tensor(xs, dtype=torch.float64))
        assert set(caught.value.samples) <= {place for place, result in enumerate(answers) if result is None}
        xs, answers = zip(*[(x, result) for x, result in zip(xs, answers) if result is not None])
    ours = net(torch.tensor(xs, dtype=torch.float64)).tolist()
    assert ours == [pytest.approx(math.nan if result is None else result, rel=1e-12, abs=1e-300, nan_ok=True) for result in answers]
    for x, result in list(zip(xs, answers))[:3]:
        if result is not None:
            assert net(x).item() == pytest.approx(result, rel=1e-12, nan_ok=True)


def check_gradients(net, xs, step=1e-6):
    x = torch.tensor(xs, dtype=torch.float64, requires_grad=True)
    net.zero_grad()
    net(x).sum().backward()
    for place, value in enumerate(xs):
        expected = (interpret(net.program, [value + step]).output - interpret(net.program, [value - step]).output) / (2 * step)
        assert x.grad[place].item() == pytest.approx(expected, rel=1e-5, abs=1e-6), (net.loops, net.errors, value)
    for key, parameter in ((key, net.weights[key]) for key in net.weights):
        expected = sum(difference(net.program, value, key, step) for value in xs)
        got = 0.0 if parameter.grad is None else parameter.grad.item()
        assert got == pytest.approx(expected, rel=1e-5, abs=1e-5), (net.loops, net.errors, key)


def difference(program, x, key, step):
    value = next(weight.value for weight in program.weights if weight.key == key)
    ends = [interpret(program, [x], weights={key: value + shift}).output for shift in (step, -step)]
    return (ends[0] - ends[1]) / (2 * step)


def guarded_logarithm():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 0.7)
    y, = b.when(b.op("gt", x, 0.05), lambda: b.op("mul", b.op("log", x), w), lambda: b.op("sub", x, w))
    return b.program(y)


def test_an_arm_that_was_not_taken_leaves_no_trace():
    check_program(guarded_logarithm(), [x for x in XS if abs(x - 0.05) > 0.01])


def test_only_weights_may_ask_for_a_gradient():
    net = Network(guarded_logarithm())
    net(torch.tensor([0.0, -1.0, math.e])).sum().backward()
    assert net.weights["w"].grad.item() == pytest.approx(1.0 - 2.0)


def test_a_weight_in_a_dead_arm_gets_zero():
    net = Network(guarded_logarithm())
    x = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    net(x).sum().backward()
    assert net.weights["w"].grad.item() == -3.0
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def nested():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 1.3)

    def inner():
        return b.when(b.op("gt", x, 1.5), lambda: b.op("sqrt", b.op("sub", x, 1.4)), lambda: b.op("div", w, b.op("add", x, 0.01)))

    y, = b.when(b.op("gt", x, 0.3), inner, lambda: b.op("exp", b.op("mul", x, w)))
    return b.program(b.op("mul", y, w))


def test_branches_nest():
    check_program(nested())


def heavy_branch():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 0.4)

    def long():
        y = x
        for _ in range(12):
            y = b.op("sin", b.op("add", b.op("mul", y, w), 1.0))
        return b.op("log", b.op("add", y, b.op("mul", x, x)))

    y, = b.when(b.op("gt", x, 0.3), long, lambda: b.op("mul", x, w))
    return b.program(y)


def test_heavy_arms_run_on_their_own_samples():
    program = heavy_branch()
    assert "run.branch" in Network(program).code
    assert "run.branch" not in Network(program, loops="settle").code
    check_program(program)


def test_an_arm_that_no_sample_takes_is_skipped():
    net = Network(heavy_branch())
    assert net(torch.tensor([0.1, 0.2])).tolist() == pytest.approx([0.04, 0.08])
    assert torch.isfinite(net(torch.tensor([1.0, 2.0]))).all()


def test_a_branch_on_weights_is_taken_by_all():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 0.4)
    y, z = b.when(b.op("gt", w, 0.3), lambda: (b.op("mul", x, w), b.const(1.0)), lambda: (x, b.const(2.0)))
    program = b.program(b.op("add", y, z))
    check_program(program)
    assert "if w > 0.3:" in Network(program).code


def counted_loop():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 0.5)

    def body(i, y, total):
        y = b.op("sub", y, b.op("mul", w, b.op("sin", y)))
        return y, b.op("add", total, b.op("mul", y, i))

    y, total = b.loop(4, [x, b.const(0.0)], body)
    return b.program(b.op("add", y, total))


def test_a_loop_carries_its_values():
    check_program(counted_loop())


def test_an_unused_round_index_and_carried_value_are_left_out():
    b = Builder()
    x = b.input("x")
    y, _ = b.loop(3, [x, b.const(1.0)], lambda i, y, waste: (b.op("mul", y, 1.5), b.op("mul", waste, 2.0)))
    net = Network(b.program(y))
    assert "2.0" not in net.code
    assert net(2.0).item() == 6.75


def damped_newton(start=2.0):
    b = Builder()
    a, w = b.input("a"), b.weight("w", 0.5)
    residual = lambda x: b.op("sub", b.op("mul", x, x), a)
    (x,) = b.loop_while(
        [b.const(start)],
        lambda x: b.op("gt", b.op("abs", residual(x)), 0.5),
        lambda x: b.op("sub", x, b.op("div", b.op("mul", w, residual(x)), b.op("mul", x, 2.0))),
    )
    return b.program(x, "newton")


@pytest.mark.parametrize("loops", ["run", "settle"])
def test_gradient_of_a_while_is_that_of_the_rounds_it_ran(loops):
    net = Network(damped_newton(), loops=loops)
    net(2.0).backward()
    assert net.weights["w"].grad.item() == pytest.approx(-0.504263, abs=1e-6)


def test_each_sample_runs_its_own_rounds():
    check_program(damped_newton(), [0.3, 1.1, 2.0, 3.6, 4.2, 9.0, 30.0, 100.0])


def loop_in_branch_in_loop():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 0.6)

    def halve(y):
        return b.loop_while([y], lambda z: b.op("gt", b.op("abs", z), 1.0), lambda z: b.op("mul", z, w))

    def body(i, y):
        (z,) = b.when(b.op("gt", y, 1.2), lambda: halve(b.op("mul", y, y)), lambda: b.op("add", y, 0.35))
        return b.op("mul", z, 1.5)

    (y,) = b.loop(3, [x], body)
    return b.program(y)


def test_loops_and_branches_nest():
    check_program(loop_in_branch_in_loop())


def counting_while():
    """The counter is the same for all running samples, its final value is not."""
    b = Builder()
    x, w = b.input("x"), b.weight("w", 0.5)
    y, n, s = b.loop_while(
        [x, b.const(0), b.const(1.0)],
        lambda y, n, s: b.op("gt", b.op("abs", y), 0.3),
        lambda y, n, s: (b.op("mul", y, w), b.op("add", n, 1), b.op("mul", s, b.op("add", w, 0.2))),
    )
    return b.program(b.op("add", b.op("add", y, n), s))


def test_values_that_all_samples_share_are_carried_once():
    check_program(counting_while())


def test_a_while_on_weights_runs_the_same_rounds_for_all():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 0.5)
    y, n = b.loop_while(
        [x, b.const(1.0)], lambda y, n: b.op("gt", n, 0.1), lambda y, n: (b.op("add", b.op("sin", y), w), b.op("mul", n, w)),
    )
    program = b.program(b.op("mul", y, n))
    check_program(program)
    assert "run.rounds" in Network(program).code


def test_a_loop_that_does_not_end_names_its_samples():
    b = Builder()
    (x,) = b.loop_while([b.input("x")], lambda x: b.op("gt", x, 1.0), lambda x: b.op("add", x, 1.0))
    program = b.program(x)
    for loops in ("run", "settle"):
        with pytest.raises(HeuristicError) as caught:
            Network(program, loops=loops, max_rounds=20)(torch.tensor([0.0, 3.0, 0.5, 2.0]))
        assert str(caught.value) == (
            "heuristic.py:5:1: this loop is still running after 20 rounds\n"
            "    5 |     while c:\n"
            "      | ^^^^^^^^^^^^\n"
            "Samples 1, 3 (2 of 4). Compile with a larger max_rounds, leave them out, or compile with errors='nan' to get NaN for them."
        )
    check_program(program, [0.0, 3.0, 0.5], max_rounds=20)


def test_the_bound_counts_whole_rounds():
    b = Builder()
    (x,) = b.loop_while([b.input("x")], lambda x: b.op("gt", x, 0.5), lambda x: b.op("sub", x, 1.0))
    program = b.program(x)
    check_program(program, [4.0, 5.0, 6.0, 5.25], max_rounds=5)


def test_a_loop_with_a_bound_of_its_own_is_no_error():
    b = Builder()
    y, n = b.loop_while(
        [b.input("x"), b.const(0)],
        lambda x, n: b.op("and", b.op("lt", n, 3), b.op("gt", x, 1.0)),
        lambda x, n: (b.op("add", x, 0.5), b.op("add", n, 1)), bound=3,
    )
    check_program(b.program(y), [x for x in XS if x not in (0.5, 1.0)])


def checked_division():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 2.0)
    b.check(b.op("ne", x, 0.0), "ZeroDivisionError", "float division by zero", line=7)
    y = b.op("div", w, x)
    b.check(b.op("not", b.op("lt", y, -3.0)), "ValueError", "{0} is below -3", y, line=8)
    return b.program(b.op("sqrt", b.op("add", y, 3.01)))


def test_failing_samples_raise_with_place_and_numbers():
    net = Network(checked_division())
    with pytest.raises(HeuristicError) as caught:
        net(torch.tensor([1.0, 0.0, 2.0, 0.0]))
    assert str(caught.value) == (
        "heuristic.py:7:1: the heuristic raises ZeroDivisionError: float division by zero\n"
        "    7 |     y = f(x)\n"
        "      | ^^^^^^^^^^^^\n"
        "Samples 1, 3 (2 of 4). Leave them out, or compile with errors='nan' to get NaN for them."
    )
    for loops in ("run", "settle"):
        with pytest.raises(HeuristicError, match=r"ValueError: -4.0 is below -3") as caught:
            Network(checked_division(), loops=loops)(torch.tensor([1.0, -0.5]))
        assert caught.value.samples == (1,)


def test_failing_samples_become_nan_and_are_counted():
    check_program(checked_division())
    for loops in ("run", "settle"):
        net = Network(checked_division(), loops=loops, errors="nan")
        x = torch.tensor([1.0, 0.0, -0.5, 0.0, 4.0], dtype=torch.float64, requires_grad=True)
        y = net(x)
        assert torch.isnan(y).tolist() == [False, True, True, True, False]
        y.nansum().backward()
        assert torch.isfinite(x.grad).all()
        assert x.grad[1:4].tolist() == [0.0, 0.0, 0.0]
        assert torch.isfinite(net.weights["w"].grad)
        assert net.failures == {
            "heuristic.py:7: ZeroDivisionError: float division by zero": 2, "heuristic.py:8: ValueError: {0} is below -3": 1,
        }


def test_a_batch_in_which_every_sample_fails_has_gradient_zero():
    for loops in ("run", "settle"):
        net = Network(checked_division(), loops=loops, errors="nan")
        y = net(torch.zeros(3))
        assert torch.isnan(y).all()
        y.nansum().backward()
        assert net.weights["w"].grad.item() == 0.0


def checks_in_arms():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 2.0)

    def divide():
        b.check(b.op("ne", x, 0.0), "ZeroDivisionError", "float division by zero")
        return b.op("div", w, x)

    def root():
        b.check(b.op("ge", x, -1.5), "ValueError", "math domain error")
        return b.op("sqrt", b.op("add", x, 2.0))

    y, = b.when(b.op("gt", x, -0.7), divide, root)
    return b.program(y)


def test_checks_concern_only_the_samples_that_come_to_them():
    check_program(checks_in_arms())


def failing_loop():
    """Newton's method that divides by zero for some samples, and a test that can fail too."""
    b = Builder()
    a, w = b.input("a"), b.weight("w", 0.9)

    def test(x):
        b.check(b.op("le", x, 1e6), "OverflowError", "too large")
        return b.op("gt", b.op("abs", b.op("sub", b.op("mul", x, x), a)), 1e-3)

    def body(x):
        b.check(b.op("gt", b.op("abs", x), 1e-9), "ZeroDivisionError", "float division by zero")
        return b.op("sub", x, b.op("mul", w, b.op("div", b.op("sub", b.op("mul", x, x), a), b.op("mul", x, 2.0))))

    (x,) = b.loop_while([b.op("mul", a, 1.0)], test, body)
    return b.program(x)


def test_a_failed_sample_does_not_keep_a_loop_running():
    check_program(failing_loop(), [0.0, 0.5, 2.0, 7.0, 1e-12], smooth=False)
    net = Network(failing_loop(), errors="nan")
    assert torch.isnan(net(torch.tensor([0.0, -1.0, 2.0]))).tolist() == [False, True, False]


def attempts():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 2.0)

    def body():
        b.check(b.op("ne", x, 0.0), "ZeroDivisionError", "float division by zero")
        y = b.op("div", w, x)
        b.check(b.op("ge", y, -1.5), "ValueError", "math domain error")
        z = b.op("sqrt", b.op("add", y, 2.0))
        b.check(b.op("lt", z, 3.0), "OverflowError", "too large")
        return z

    y, = b.attempt(body, (("ZeroDivisionError",), lambda: b.op("mul", w, 5.0)), (("ValueError",), lambda: b.op("mul", x, w)))
    return b.program(b.op("mul", y, 3.0))


def test_handlers_take_the_samples_whose_first_error_they_catch():
    check_program(attempts(), [x for x in XS if x != 0.0])
    net = Network(attempts())
    assert net(0.0).item() == 30.0


def test_an_error_that_no_handler_takes_is_raised():
    with pytest.raises(HeuristicError, match="OverflowError: too large") as caught:
        Network(attempts())(torch.tensor([1.0, 0.1, 0.0]))
    assert caught.value.samples == (1,)


def test_attempts_nest():
    b = Builder()
    x = b.input("x")

    def inner():
        b.check(b.op("gt", x, 0.0), "ValueError", "negative")
        b.check(b.op("gt", x, 0.7), "KeyError", "small")
        return b.op("log", x)

    def outer():
        y, = b.attempt(inner, (("ValueError",), lambda: b.op("mul", x, 0.5)))
        b.check(b.op("lt", y, 2.0), "ArithmeticError", "large")
        return y

    y, = b.attempt(outer, (("LookupError",), lambda: b.op("add", x, 10.0)), (("ArithmeticError",), lambda: b.op("neg", x)))
    check_program(b.program(y), [x for x in XS if x != 0])


def test_arrays_go_through_branches_and_loops():
    b = Builder()
    v, w = b.input("v", Type(Kind.REAL, (3,))), b.weight("w", (0.5, 1.0, 2.0), (3,))
    total = b.op("sum", v, axis=None)
    y, = b.when(b.op("gt", total, 1.0), lambda: b.op("div", b.op("mul", v, w), total), lambda: b.op("add", v, b.op("sqrt", w)))
    z, = b.loop_while([y], lambda y: b.op("gt", b.op("sum", y, axis=0), 0.8), lambda y: b.op("mul", y, 0.5))
    program = b.program(z)
    x = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [0.1, 0.2, 0.3]], dtype=torch.float64)
    scale, expected = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64), []
    for row in x:
        y = row * scale / row.sum() if row.sum() > 1 else row + scale.sqrt()
        while y.sum() > 0.8:
            y = y * 0.5
        expected.append(y)
    for net in networks(program):
        x.requires_grad_()
        x.grad = None
        out = net(x)
        assert torch.allclose(out, torch.stack(expected), rtol=1e-14)
        out.sum().backward()
        assert torch.isfinite(x.grad).all()
        assert torch.autograd.gradcheck(net, x.detach().requires_grad_())


def test_the_checker_finds_a_wrong_gradient():
    net = Network(guarded_logarithm())
    with torch.no_grad():
        net.weights["w"].mul_(2)
    with pytest.raises(AssertionError):
        check_gradients(net, [1.0, 2.0])


def test_a_loop_in_a_branch_is_run_by_its_own_samples_only():
    def settled(x):
        y = x
        if x > 1.0:
            while y != 1.0:
                y = 1.0 if x > 1.0 else y
        return y

    assert compile(settled)(torch.tensor([0.5, 3.0], dtype=torch.float64)).tolist() == [0.5, 1.0]


def test_a_loop_that_may_not_end_runs_although_no_one_needs_what_it_computes():
    def count_on(x):
        y = x
        while y > 0.0:
            y = y + 1.0
        return x

    assert compile(count_on, max_rounds=50)(-1.0).item() == -1.0
    assert compile(count_on, max_rounds=50, errors="nan")(torch.tensor([-1.0, 2.0])).isnan().tolist() == [False, True]
    with pytest.raises(HeuristicError, match="this loop is still running after 50 rounds"):
        compile(count_on, max_rounds=50)(2.0)
