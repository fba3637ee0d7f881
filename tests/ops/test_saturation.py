"""A sample whose adjoint is 0 asks nothing of a slope that is infinite: in every operation, whatever drops or saturates it."""

import functools
import importlib.util
import math
import random

import mpmath
import numpy as np
import pytest
import torch
from scipy.special import erfinv, expit, k0, k1, ndtri, y0, y1

import deepalgo as da
from deepalgo.ir import Kind, Type
from deepalgo.network import Network
from deepalgo.ops.forms.smooth import FORMULAS
from deepalgo.ops.row import Hazard, Row
from deepalgo.ops.table import TABLE, infer
from tests.support.build import Builder

inf, nan = math.inf, math.nan
RISKY = [row.name for row in TABLE.values() if row.hazard is not Hazard.NONE]
ATTRS = {"jv": {"order": 2.5}, "iv": {"order": 1}, "kv": {"order": 2}, "lambertw": {"branch": 0}}
#: Where slopes are infinite, or a value is.
BAD = [-inf, -1e200, -800.0, -2.0, -1.0, 0.0, 1.0, 2.0, 800.0, 1e200, inf, nan]
TRANSFORMS = ((0, 0, 0), (1, 0, 0))


def arity(name):
    """How many operands an operation that works number by number takes."""
    if name in FORMULAS:
        return len(FORMULAS[name]) - 1
    return sum(f"{{{place}}}" in TABLE[name].torch for place in range(3)) or int("{*}" in TABLE[name].torch)


def vector(b, x, v):
    return b.op("stack", x, v, b.const(1.5))


def matrix(b, x, v):
    """Symmetric, and positive for the ordinary numbers."""
    return b.op("stack", b.op("stack", x, v), b.op("stack", v, b.const(9.0)))


def images(b, x, v, *shape):
    return b.op("reshape", b.op("stack", *[x, v, x, v, v, x, v, v, x]), shape=shape)


ARRAYS = {
    "matmul": lambda b, x, v: b.op("matmul", matrix(b, x, v), matrix(b, v, x)),
    "solve": lambda b, x, v: b.op("solve", matrix(b, x, v), b.op("stack", v, x)),
    **{name: lambda b, x, v, name=name: b.op(name, matrix(b, x, v)) for name in ("inv", "det", "det_log", "pinv", "eigvalsh", "cholesky")},
    **{name: lambda b, x, v, name=name: b.op(name, matrix(b, x, v)) for name in ("svd_s", "eig_w", "eig_v", "eigh_w", "eigh_v")},
    **{name: lambda b, x, v, name=name: b.op(name, matrix(b, x, v), full=True) for name in ("svd_u", "svd_vh")},
    "cross": lambda b, x, v: b.op("cross", vector(b, x, v), vector(b, v, x)),
    **{name: lambda b, x, v, name=name: b.op(name, vector(b, x, v), axis=None) for name in ("norm2", "prod", "cumprod")},
    "interp": lambda b, x, v: b.op("interp", x, b.const((0.0, 1.0, 3.0)), b.op("stack", x, v, b.const(2.0))),
    "match": lambda b, x, v: b.op("match", images(b, x, v, 3, 3), images(b, v, x, 1, 3, 3), images(b, v, x, 1, 3, 3),
                                  transforms=TRANSFORMS, p=2),
    "soft_match": lambda b, x, v: b.op("soft_match", images(b, x, v, 3, 3), images(b, v, x, 1, 3, 3), images(b, v, x, 1, 3, 3), 0.5,
                                       transforms=TRANSFORMS, p=2, key="s"),
    "soft_choice": lambda b, x, v: b.op("soft_choice", x, v, b.op("gt", x, v),
                                        b.op("sub", x, v), b.op("add", v, 0.1), b.op("sub", v, v), key="s"),
}


def value(b, name, x, v, place):
    """One number that depends on both by the operation; `place` is where x stands."""
    if name in ARRAYS:
        made = ARRAYS[name](b, x, v) if place == 0 else ARRAYS[name](b, v, x)
    else:
        made = b.op(name, *[x if number == place else v for number in range(arity(name))], **ATTRS.get(name, {}))
    return b.op("sum", made, axis=None) if made.type.shape else made


def kept_by(way, b, keep, make, other):
    """What is computed where `keep` holds."""
    if way == "where":
        return b.op("select", keep, make(), other)
    if way == "if":
        return b.when(keep, make, lambda: other)[0]
    return b.loop(2, [other], lambda i, total: b.op("select", keep, b.op("add", total, make()), total))[0]


@functools.lru_cache(64)
def network(name, place, way, loops="run"):
    b = Builder()
    x, keep, w, v = b.input("x"), b.input("keep"), b.weight("w", 1.25), b.weight("v", 0.375)
    make = lambda: b.op("mul", value(b, name, b.op("mul", x, w), v, place), w)
    made = make() if way == "plain" else kept_by(way, b, b.op("gt", keep, 0.0), make, b.const(0.0) if way == "loop" else b.const(7.0))
    return Network(b.program(made), loops=loops)


def gradients(net, xs, keep):
    """The results, and their sum's gradient by x and by the weights."""
    x = torch.tensor(xs, dtype=torch.float64, requires_grad=True)
    results = net(x, torch.tensor(keep, dtype=torch.float64))
    asked = [x, *net.parameters()]
    found = torch.autograd.grad(results.sum(), asked, allow_unused=True)
    return results.detach(), [torch.zeros_like(item) if slope is None else slope for item, slope in zip(asked, found, strict=True)]


def ordinary(name, place):
    """Numbers at which the operation and its derivatives are finite."""
    net, found = network(name, place, "plain"), []
    for x in (0.3, 0.55, 1.4, 2.6, 11.0):
        result, slopes = gradients(net, [x], [1.0])
        if torch.isfinite(result).all() and all(torch.isfinite(slope).all() for slope in slopes):
            found.append(x)
    return found


def places(name):
    return range(arity(name)) if name not in ARRAYS else range(2)


@pytest.mark.parametrize("way", ["where", "if", "loop"])
@pytest.mark.parametrize("name", RISKY)
def test_a_sample_that_is_dropped_spoils_no_gradient(name, way):
    rounds = 2 if way == "loop" else 1
    for place in places(name):
        good = ordinary(name, place)
        if not good:
            continue  # the other places have some, see below
        _, expected = gradients(network(name, place, "plain"), good, [1.0] * len(good))
        for loops in ("run", "settle"):
            _, found = gradients(network(name, place, way, loops), good + BAD, [1.0] * len(good) + [-1.0] * len(BAD))
            assert torch.allclose(found[0][: len(good)], rounds * expected[0], rtol=1e-12, atol=0)
            assert found[0][len(good) :].tolist() == [0.0] * len(BAD)
            for ours, alone in zip(found[1:], expected[1:], strict=True):
                assert torch.allclose(ours, rounds * alone, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", RISKY)
def test_every_risky_operation_is_tried_where_it_is_finite(name):
    assert any(ordinary(name, place) for place in places(name))


TAME = [row.name for row in TABLE.values() if row.hazard is not Hazard.ARISES and row.broadcasts and row.name not in ARRAYS]


@pytest.mark.parametrize("name", TAME)
def test_what_does_not_arise_is_finite_at_ordinary_numbers(name):
    count = arity(name)
    if name in ("cut", "soft_choice") or not count:
        return
    try:
        type = infer(name, [Type(Kind.REAL)] * count, {"digits": 2})
    except TypeError:
        return  # of whole numbers and truth values only
    if type.kind < Kind.REAL:
        return
    b = Builder()
    inputs = [b.input(letter) for letter in "xyz"[:count]]
    attrs = {"digits": 2} if name == "round_digits" else {}
    condition = [b.op("gt", inputs[0], 0.0)] if name == "select" else []
    net = Network(b.program(b.op(name, *condition, *inputs[len(condition) :], **attrs)))
    grid = torch.cartesian_prod(*[torch.tensor([-9.5, -1.0, -0.3, 0.0, 0.3, 1.0, 9.5], dtype=torch.float64)] * count)
    columns = [column.clone().requires_grad_() for column in grid.reshape(-1, count).T]
    results = net(*columns)
    results = results.real if results.is_complex() else results
    assert torch.isfinite(results).all()
    for slope in torch.autograd.grad(results.sum(), columns, allow_unused=True) if results.requires_grad else ():
        assert slope is None or torch.isfinite(slope).all()


def test_a_row_must_say_what_hazard_it_is():
    with pytest.raises(TypeError, match="hazard"):
        Row("double", types=TABLE["neg"].types, python="2 * {0}", numpy="2 * {0}", torch="2 * {0}")


def logistic(x):
    return 1 / (1 + np.exp(-x))


def clipped(x):
    return np.clip(np.exp(x), 0, 3)


def bounded(x):
    return np.minimum(np.exp(x), 5)


def flat(x):
    return np.tanh(np.exp(x))


def gompertz(x):
    return np.exp(-np.exp(x))


def cube(x):
    return 1 / (1 + x * x * x)


def lorentz(x):
    return x / (1 + x**2)


def softplus(x):
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


def log_sum_exp(x):
    top = np.maximum(x, 1.5)
    return top + np.log(np.exp(x - top) + np.exp(1.5 - top))


def underflow(x):
    return np.exp(-x * x) * (1.0 + x)


def power_of_power(x):
    return 1.0 / np.exp(x) ** 1.5


def far_angle(x):
    return np.arctan2(3.0, np.exp(x))


def sinc_by_hand(x):
    return np.where(x != 0, np.sin(x) / x, 1.0)


def root_of_clipped(x):
    return np.sqrt(np.clip(x, 0.25, 4.0))


def many_rounds(x):
    total = 0.0
    for _ in range(40):
        total = 0.5 * total + 0.5 / (1.0 + np.exp(-1.5 * x))
    return total


def guarded(x):
    try:
        y = math.exp(x)
    except OverflowError:
        y = 3.0
    return 1.0 / (1.0 + y)


SATURATED = [
    (logistic, [-800.0, -745.5, 800.0]), (clipped, [800.0, -800.0]), (bounded, [800.0, -800.0]), (flat, [800.0, 30.0]),
    (gompertz, [800.0, 7.0]), (cube, [1e200, -1e200, 1e120]), (lorentz, [1e200, -1e200]), (softplus, [800.0, -800.0]),
    (log_sum_exp, [800.0, -800.0]), (underflow, [40.0, -1e200]), (power_of_power, [800.0, 600.0]), (far_angle, [800.0, 400.0]),
    (sinc_by_hand, [0.0]), (root_of_clipped, [-1.0, 0.0, 800.0]), (many_rounds, [-800.0, 800.0]), (guarded, [800.0, -800.0]),
]


def central(function, x, step=1e-6):
    step *= max(1.0, abs(x))
    return float(function(np.float64(x + step)) - function(np.float64(x - step))) / (2 * step)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("function", "xs"), SATURATED, ids=lambda item: getattr(item, "__name__", ""))
def test_saturation_has_the_derivative_of_the_function(function, xs):
    net = da.compile(function, example=((np.float64(0.5) if function is not guarded else 0.5,), {}))
    rows = [0.3, *xs, 1.1]
    x = torch.tensor(rows, dtype=torch.float64, requires_grad=True)
    results = net(x)
    results.sum().backward()
    take = float if function is guarded else np.float64
    assert results.tolist() == [pytest.approx(float(function(take(item))), rel=1e-12) for item in rows]
    assert x.grad.tolist() == [pytest.approx(central(function if take is not float else lambda t: function(float(t)), item),
                                             rel=1e-5, abs=1e-9) for item in rows]
    assert all(torch.isfinite(weight.grad).all() for weight in net.parameters() if weight.grad is not None)


@pytest.mark.parametrize("special", [ndtri, k0, k1, y0, y1, erfinv])
def test_special_functions_beyond_their_domain_spoil_no_gradient(special):
    def chosen(p):
        return np.where((p > 0) & (p < 1), 1.5 * special(p), 0.0)

    net = da.compile(chosen, example=((np.float64(0.4),), {}))
    p = torch.tensor([2.0, 0.3, -1.0, 0.0], dtype=torch.float64, requires_grad=True)
    net(p).sum().backward()
    assert p.grad.tolist() == [0.0, pytest.approx(1.5 * central(special, 0.3), rel=1e-6), 0.0, 0.0]
    assert next(net.parameters()).grad.item() == pytest.approx(special(0.3))
    assert all(torch.isfinite(weight.grad) for weight in net.parameters() if weight.grad is not None)


def test_a_gradient_that_is_infinite_is_not_made_up():
    def reciprocal_of_exp(x):
        return np.exp(x) * 2.0

    net = da.compile(reciprocal_of_exp, example=((np.float64(0.5),), {}))
    x = torch.tensor([1.0, 800.0], dtype=torch.float64, requires_grad=True)
    net(x).sum().backward()
    assert x.grad.tolist() == [pytest.approx(2 * math.e), inf]


def test_losses_may_leave_samples_out():
    net = da.compile(flat_inside, example=((np.float64(0.5),), {}))
    x = torch.tensor([1.0, 800.0], dtype=torch.float64, requires_grad=True)
    (net(x) * torch.tensor([1.0, 0.0], dtype=torch.float64)).nansum().backward()
    assert x.grad.tolist() == [pytest.approx(central(flat_inside, 1.0)), 0.0]


def flat_inside(x):
    return np.exp(x) * np.tanh(x)


def test_gradients_of_mended_gradients():
    net = da.compile(logistic, example=((np.float64(0.5),), {}))
    x = torch.tensor([-800.0, 0.5], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
    (bend,) = torch.autograd.grad(slope.sum() + net(x).sum(), x)
    y = float(expit(0.5))
    assert slope.tolist() == [0.0, pytest.approx(y * (1 - y))]
    assert bend[1].item() == pytest.approx(y * (1 - y) * (1 - 2 * y) + y * (1 - y))


@pytest.mark.slow
def test_torch_compile_mends_them_too():
    net = da.compile(many_exponentials, example=((np.float64(0.5),), {}))
    x = torch.tensor([800.0, 0.2, -800.0], dtype=torch.float64, requires_grad=True)
    torch.compile(net, fullgraph=True)(x).sum().backward()
    assert x.grad.tolist() == [0.0, pytest.approx(central(many_exponentials, 0.2), rel=1e-6), 0.0]
    assert all(torch.isfinite(weight.grad) for weight in net.parameters() if weight.grad is not None)


@pytest.mark.slow
def test_a_compiled_graph_hands_adjoints_through_as_they_are():
    def pair(x, y):
        return x, np.minimum(np.exp(y), 3.0)

    net = da.compile(pair, example=((np.float64(0.5), np.float64(0.5)), {}))
    x, y = (torch.tensor(row, dtype=torch.float64, requires_grad=True) for row in ([1.0, 2.0], [0.5, 800.0]))
    g = torch.tensor([nan, 1.0], dtype=torch.float64)
    found = torch.autograd.grad(torch.compile(net, fullgraph=True)(x, y), [x, y], [g, torch.ones_like(g)])
    assert g.tolist() == [pytest.approx(nan, nan_ok=True), 1.0]
    assert found[0].tolist() == [pytest.approx(nan, nan_ok=True), 1.0]
    assert found[1].tolist() == [pytest.approx(math.exp(0.5)), 0.0]


def many_exponentials(x):
    return 1.5 * np.tanh(np.exp(x)) + np.exp(-np.exp(x)) + np.where(x < 0.5, 1 / (1 + np.exp(-x)), 0.0)


# Saturating functions of functions that overflow, drawn at random: (NumPy's text, mpmath's function).
OUTER = {
    "np.tanh({})": mpmath.tanh, "np.arctan({})": mpmath.atan, "1 / (1 + {})": lambda t: 1 / (1 + t),
    "np.exp(-np.abs({}))": lambda t: mpmath.exp(-abs(t)), "np.minimum({}, 2.5)": lambda t: min(t, mpmath.mpf(2.5)),
    "np.clip({}, -3.5, 1.5)": lambda t: max(min(t, mpmath.mpf(1.5)), mpmath.mpf(-3.5)), "({}) ** -0.5": lambda t: t ** mpmath.mpf(-0.5),
    "np.where({} < 1e100, {} * 0.25, 1.0)": lambda t: t / 4 if t < mpmath.mpf(1e100) else mpmath.mpf(1),
}
INNER = {
    "np.exp({})": mpmath.exp, "np.cosh({})": mpmath.cosh, "(({}) ** 4 + 1)": lambda t: t**4 + 1, "(1 + ({}) * ({}))": lambda t: 1 + t * t,
    "np.exp2({})": lambda t: mpmath.mpf(2) ** t, "np.hypot({}, 1.0)": lambda t: mpmath.sqrt(t * t + 1),
    "(np.expm1(np.abs({})) + 1)": lambda t: mpmath.exp(abs(t)),
}
MIDDLE = {"({}) * 1.5": lambda t: t * mpmath.mpf(1.5), "({}) + 0.25": lambda t: t + mpmath.mpf(0.25), "({})": lambda t: t}
POINTS = [-1e160, -800.0, -30.0, -0.7, 0.4, 5.0, 800.0, 1e160]


def composition(draw):
    """Text of a function of x, and the same for mpmath."""
    layers = [draw.choice(list(INNER.items())), draw.choice(list(MIDDLE.items())), draw.choice(list(OUTER.items()))]
    if draw.random() < 0.5:
        layers = [draw.choice(list(INNER.items())), draw.choice(list(MIDDLE.items())), *layers]
    if draw.random() < 0.5:
        layers += [draw.choice(list(MIDDLE.items())), draw.choice(list(OUTER.items()))]
    text = "x"
    for template, _ in layers:
        text = "(" + template.replace("{}", text) + ")"
    return text, lambda t: functools.reduce(lambda value, layer: layer[1](value), layers, t)


def exact(reference, function, x):
    """The derivative by a difference in 60 digits and a far wider range; what leaves even that is flat, or nothing is known."""
    with mpmath.workdps(60):
        step = mpmath.mpf(10) ** -25 * max(1, abs(mpmath.mpf(x)))
        try:
            return float((reference(mpmath.mpf(x) + step) - reference(mpmath.mpf(x) - step)) / (2 * step))
        except (OverflowError, MemoryError):
            return central(function, x)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_compositions_have_the_derivatives_that_mpmath_finds(tmp_path):
    draw = random.Random(20)
    made = [composition(draw) for _ in range(60)]
    file = tmp_path / "compositions.py"
    texts = [f"def f{number}(x):\n    return {text}\n" for number, (text, _) in enumerate(made)]
    file.write_text("\n".join(["import numpy as np\n", *texts]))
    spec = importlib.util.spec_from_file_location("compositions", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    compared = 0
    for number, (text, reference) in enumerate(made):
        function = getattr(module, f"f{number}")
        values = [float(function(np.float64(point))) for point in POINTS]
        # An adjoint on the way to a huge result may itself leave the range of floats.
        points = [point for point, result in zip(POINTS, values, strict=True) if abs(result) < 1e100]
        x = torch.tensor(points, dtype=torch.float64, requires_grad=True)
        net = da.compile(function, example=((np.float64(0.4),), {}))
        net(x).sum().backward()
        for point, ours in zip(points, x.grad.tolist(), strict=True):
            theirs = exact(reference, function, point)
            assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-12), (text, point)
            compared += 1
        assert all(torch.isfinite(weight.grad).all() for weight in net.parameters() if weight.grad is not None), text
    assert compared > 350
