"""Gradients are those of the function: of inputs, of weights, through loops and branches, and never spoiled by an arm not taken."""

import ast
import functools
import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.certificate.paths import all_paths
from deepalgo.certificate.slopes import around, rounding, slope
from tests.support import heuristics as h
from tests.support.cases import BY_NAME, CASES, network
from tests.support.oracle import answer, columns, leaves

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
MODES = pytest.mark.parametrize("mode", [{}, {"loops": "settle"}], ids=["run", "settle"])


def number(results):
    """One number for all floats of an answer: a sum in which no two weigh the same."""
    parts = [leaf for leaf in leaves(results) if isinstance(leaf, float) or (isinstance(leaf, torch.Tensor) and leaf.is_floating_point())]
    return sum(math.cos(place) * part for place, part in enumerate(parts))


def gradients(net, case, rows):
    """The gradient of each sample's number by each input."""
    inputs = [column.requires_grad_() for column in columns(rows)]
    args, kwargs = case.arrange(*inputs)
    total = number(net(*args, **kwargs))
    if not isinstance(total, torch.Tensor) or not total.requires_grad:
        return [torch.zeros(len(rows), dtype=torch.float64) for _ in inputs]
    found = torch.autograd.grad(total.nansum(), inputs, allow_unused=True)
    return [torch.zeros_like(column) if part is None else part for column, part in zip(inputs, found, strict=True)]


# Against central differences: test_certificate.py::test_every_heuristic_gets_its_certificate.


@pytest.mark.parametrize("backend", ["native", "torch"])
@EACH
def test_settled_loops_have_the_gradients_of_loops_that_run(case, backend):
    rows = case.rows(8)
    running, settled = gradients(network(case.id), case, rows), gradients(network(case.id, "settle", backend=backend), case, rows)
    for one, other in zip(running, settled, strict=True):
        assert torch.allclose(one, other, rtol=1e-9, atol=1e-12)


@EACH
def test_a_sample_has_the_gradient_in_a_batch_that_it_has_alone(case):
    rows = case.rows(6)
    batch = gradients(network(case.id), case, rows)
    for place, row in enumerate(rows):
        for whole, alone in zip(batch, gradients(network(case.id), case, [row]), strict=True):
            assert torch.allclose(whole[place], alone[0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["haaland", "pid_step", "damped_newton", "escape_time", "runge_kutta", "agm"])
def test_torch_itself_finds_nothing_to_complain_about(name):
    case = BY_NAME[name]
    inputs = [column.requires_grad_() for column in columns(case.rows(5)[:5])]
    assert torch.autograd.gradcheck(lambda *args: number(network(name)(*args)), inputs, eps=1e-7, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", ["runge_kutta", "damper", "equation_of_time"])
def test_gradients_have_gradients(name):
    case = BY_NAME[name]
    inputs = [column.requires_grad_() for column in columns(case.rows(3)[:3])]
    assert torch.autograd.gradgradcheck(lambda *args: number(network(name)(*args)), inputs)


TEXT = Path(h.__file__).read_text()


@functools.cache
def changed_module(key, value, span):
    """The heuristics with one number changed: a literal in the text, or a constant of the module."""
    if span.column == 0:
        module = executed(TEXT)
        setattr(module, key, ast.literal_eval(value))
        return module
    assert span.line == span.end_line
    lines = TEXT.splitlines(keepends=True)
    text = lines[span.line - 1]
    lines[span.line - 1] = text[: span.column] + value + text[span.end_column :]
    return executed("".join(lines))


def executed(text):
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("changed", None))
    exec(compile(text, h.__file__, "exec"), vars(module))
    return module


def items(weight):
    """The first and the last number of a weight."""
    places = list(np.ndindex(weight.shape))
    return dict.fromkeys([places[0], places[-1]])


def with_item(value, item, moved):
    if not item:
        return moved
    return tuple(with_item(part, item[1:], moved) if place == item[0] else part for place, part in enumerate(value))


def written(weight, value):
    """The text of a weight: a list stays a list."""
    text = weight.span.lines[0][weight.span.column : weight.span.end_column]
    is_list = text.startswith("[") or isinstance(getattr(h, weight.key, None), list)
    return repr(list(value)) if is_list else f"({value!r})"


# The answer of wet_bulb is a bracket: every literal in it decides, and there is nothing to difference.
WITH_WEIGHTS = [case for case in CASES if case.id != "wet_bulb" and any(
    weight.span and not weight.frozen for weight in network(case.id).program.weights)]


@pytest.mark.parametrize("case", WITH_WEIGHTS, ids=lambda case: case.id)
def test_weights_have_the_gradient_of_the_source_with_that_literal_changed(case):
    net, compared = network(case.id), 0
    for row in [row for row in case.rows(12) if answer(case.function, *case.arrange(*row)[0], **case.arrange(*row)[1]).error is None][:2]:
        args, kwargs = case.arrange(*row)
        total = number(net(*args, **kwargs))
        trainable = [weight for weight in net.program.weights if not weight.frozen and weight.span is not None]
        moves = isinstance(total, torch.Tensor) and total.requires_grad
        tensors = [net.weights[weight.key] for weight in trainable]
        found = torch.autograd.grad(total, tensors, allow_unused=True) if moves else [None] * len(tensors)
        for weight, gradient in zip(trainable, found, strict=True):
            for item in items(weight):
                x = float(np.asarray(weight.value)[item])
                if not is_steady(net, weight, item, args, kwargs):
                    continue
                values = [original_number(case, weight, item, moved, args, kwargs) for moved in around(x)]
                expected = None if None in values else slope(values, x)
                if expected is not None:
                    got = 0.0 if gradient is None else gradient[item].item()
                    assert got == pytest.approx(expected, rel=1e-5, abs=rounding(values, x)), (weight.key, item, row)
                    compared += 1
    assert compared


def is_steady(net, weight, item, args, kwargs):
    """Whether the sample takes the same path whether the weight is moved or not; elsewhere differences mean nothing."""
    held, paths = net.weights[weight.key].data, set()
    inputs, _ = net.signature.flatten(args, kwargs, net.dtype, net.device)
    for moved in around(held[item].item()):
        net.weights[weight.key].data = torch.tensor(with_item(weight.value, item, moved), dtype=torch.float64)
        paths.update(all_paths(net, inputs))
    net.weights[weight.key].data = held
    return len(paths) == 1


def original_number(case, weight, item, moved, args, kwargs):
    module = changed_module(weight.key, written(weight, with_item(weight.value, item, moved)), weight.span)
    try:
        return float(number(getattr(module, case.id)(*args, **kwargs)))
    except (ArithmeticError, ValueError):
        return None


def probe(a, x0, w=0.5):
    x = x0
    while abs(x * x - a) > 0.5:
        x = x - w * (x * x - a) / (2 * x)
    return x


@MODES
def test_the_probe_has_its_derivative_by_the_weight(mode):
    net = da.compile(probe, **mode)
    net(2.0, 2.0).backward()
    assert net.weights["w"].grad.item() == pytest.approx(-0.504263, abs=5e-7)
    assert net.weights["w"].grad.item() == pytest.approx(slope([probe(2.0, 2.0, w) for w in around(0.5)], 0.5), rel=1e-7)


@MODES
def test_the_probe_has_it_when_only_w_requires_a_gradient(mode):
    net = da.compile(probe, inputs=("w",), **mode).requires_grad_(False)
    w = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    net(2.0, 2.0, w).backward()
    assert w.grad.item() == pytest.approx(-0.504263, abs=5e-7)


@MODES
def test_the_probe_has_it_in_a_batch_with_different_trip_counts(mode):
    net = da.compile(probe, inputs=("w",), **mode)
    a = torch.tensor([2.0, 2.0, 30.0, 4.1, 2.0], dtype=torch.float64)
    x0 = torch.tensor([2.0, 1.5, 1.0, 2.0, 40.0], dtype=torch.float64)
    w = torch.full((5,), 0.5, dtype=torch.float64, requires_grad=True)
    assert len(set(map(rounds_of_probe, a.tolist(), x0.tolist()))) > 3
    net(a, x0, w).sum().backward()
    assert w.grad[0].item() == pytest.approx(-0.504263, abs=5e-7)
    for place in range(5):
        wanted = slope([probe(a[place].item(), x0[place].item(), value) for value in around(0.5)], 0.5)
        assert w.grad[place].item() == pytest.approx(wanted, rel=1e-6, abs=1e-12)


def rounds_of_probe(a, x):
    rounds = 0
    while abs(x * x - a) > 0.5:
        x, rounds = x - 0.5 * (x * x - a) / (2 * x), rounds + 1
    return rounds


def log_of_negative(x):
    return math.log(x) if x > 0 else 0.0


def root_of_negative(x):
    if x < 0:
        return -x
    return math.sqrt(x) * x


def division_by_zero(x):
    if x == 0.0:
        return 1.0
    return math.sin(x) / x


def power_of_zero(x):
    return x**-1.5 if x > 0 else x**2


def far_from_the_sphere(x):
    if abs(x) < 1:
        return math.acos(x) + math.atanh(x)
    return x * x


def overflowing(x):
    return math.exp(1000 * x) if x < 0.5 else 1 / (1 + x)


def overflowing_product(x):
    y = x * 1e200
    return y * y * y if abs(x) < 1e-250 else x


def nearest_of_nothing(x):
    best = math.inf
    for w in (0.5, 1.5, -2.5):
        d = (x - w) ** 2
        if d < best:
            best = d
    return math.sqrt(best) if best > 1e-9 else best


def infinite_minimum(x):
    best = float("inf")
    for w in (0.5, 1.5):
        best = min(best, abs(x - w))
    return best * 2.0


def both_must_hold(x):
    return x if x > 0 and math.log(x) > -1.0 and 1 / math.log(x + 2) > 0 else -x


def either_may_hold(x):
    return x if x <= 0 or math.sqrt(x) > 1.0 else x * x


def deep_in_dead_arms(x):
    if x > 0:
        y = math.log(x)
        if y > 0:
            z = 1 / math.sqrt(y)
        else:
            z = math.sqrt(1 - y) / (1 - y)
    else:
        y, z = math.exp(x), math.sqrt(-x + 1.0)
    return y * z


def logarithm_again_and_again(x):
    n = 0
    while x > 1.0:
        x = math.log(x)
        n += 1
    return x + n


def reciprocal_rounds(x):
    y = x
    for _ in range(4):
        if y > 0.1:
            y = 1 / (y * 3 - 0.3) if y * 3 != 0.3 else 0.0
    return y


def helper(y):
    return math.sqrt(y) / y


def dead_helper(x):
    return helper(x - 1) if x > 1 else helper(2 - x)


def caught_division(x):
    try:
        return 1 / x + math.log(x)
    except ZeroDivisionError:
        return 3.0 * x
    except ValueError:
        return x * x


def angle_at_the_origin(x):
    return math.atan2(x, x * x) + math.hypot(x, x) if x != 0 else 0.5


def gamma_at_its_poles(x):
    return math.gamma(x) if x > 0 else math.lgamma(1 - x)


def remainder_by_zero(x):
    return 5.0 % x + 7.0 // x if x > 0.1 else math.fmod(3.0, 0.5 + x * x)


def tangent_of_right_angles(x):
    return math.tan(x * 1e8) if abs(x) < 1e-12 else x


def base_of_zero(x):
    return x**0.5 + math.pow(x, 0.3) if x > 0 else (-x) ** 2.5


NASTY = [log_of_negative, root_of_negative, division_by_zero, power_of_zero, far_from_the_sphere, overflowing, overflowing_product,
         nearest_of_nothing, infinite_minimum, both_must_hold, either_may_hold, deep_in_dead_arms, logarithm_again_and_again,
         reciprocal_rounds, dead_helper, caught_division, angle_at_the_origin, gamma_at_its_poles, remainder_by_zero,
         tangent_of_right_angles, base_of_zero]
SPREAD = [-700.0, -3.0, -1.0, -0.5, -1e-3, 0.0, 1e-30, 1e-3, 0.3, 0.7, 1.2, 1.7, 2.5, 40.0, 800.0, 1e6]


@MODES
@pytest.mark.parametrize("function", NASTY, ids=lambda function: function.__name__)
def test_an_arm_that_was_not_taken_spoils_no_gradient(function, mode):
    points = [x for x in SPREAD if answer(function, x).error is None]
    net = da.compile(function, **mode)
    x = torch.tensor(points, dtype=torch.float64, requires_grad=True)
    total = net(x).sum()
    total.backward()
    assert math.isfinite(total.item())
    assert x.grad.isfinite().all(), x.grad
    assert all(weight.grad is None or weight.grad.isfinite().all() for weight in net.parameters())
    assert net.verify(points).ok


def both_raise(x):
    return math.sqrt(x) / (x - 1.0)


@MODES
def test_failed_samples_have_no_gradient_and_spoil_none(mode):
    net = da.compile(both_raise, errors="nan", **mode)
    x = torch.tensor([-1.0, 4.0, 1.0, 9.0], dtype=torch.float64, requires_grad=True)
    result = net(x)
    assert result.isnan().tolist() == [True, False, True, False]
    result[~result.isnan()].sum().backward()
    wanted = [0.0, *(slope([both_raise(value) for value in around(at)], at) if at else 0.0 for at in (4.0, 0.0, 9.0))]
    assert x.grad.tolist() == pytest.approx(wanted, rel=1e-8)
    assert all(weight.grad.isfinite().all() for weight in net.parameters())


@MODES
def test_failed_samples_have_no_gradient_even_if_they_are_summed(mode):
    net = da.compile(both_raise, errors="nan", **mode)
    x = torch.tensor([-1.0, 4.0, 1.0], dtype=torch.float64, requires_grad=True)
    net(x).sum().backward()
    assert x.grad.isfinite().all() and x.grad[[0, 2]].tolist() == [0.0, 0.0]


ENDS = {
    "math.sqrt(x)": 0.0, "math.acos(x)": -1.0, "math.asin(x)": 1.0, "math.acosh(x)": 1.0, "math.cbrt(x)": 0.0,
    "x ** 0.5": 0.0, "math.pow(x, 0.25)": 0.0, "math.hypot(x, 0.0 * x)": 0.0,
}


@MODES
@pytest.mark.parametrize("expression", ENDS)
def test_the_end_of_a_domain_has_a_finite_derivative_and_is_reported(tmp_path, expression, mode):
    if not hasattr(math, expression.partition("(")[0].removeprefix("math.")) and "math" in expression:
        pytest.skip("this Python has no such function")
    path = tmp_path / "end.py"
    path.write_text(f"import math\n\ndef end(x):\n    return 2.0 * ({expression})\n")
    spec = importlib.util.spec_from_file_location("end", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    net = da.compile(module.end, **mode)
    x = torch.tensor([ENDS[expression]], dtype=torch.float64, requires_grad=True)
    net(x).sum().backward()
    assert x.grad.isfinite().all()
    certificate = net.verify([ENDS[expression]])
    assert {span.place: samples for span, samples in certificate.endpoints.items()} == {"end.py:4": [0]}
