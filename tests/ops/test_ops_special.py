"""Special functions have SciPy's values and true derivatives by every operand, and never raise."""

import math

import numpy as np
import pytest
import torch
from scipy import special

import deepalgo as da
from deepalgo.ir import Kind, Type
from deepalgo.network import Network
from deepalgo.ops.special import ROWS
from tests.support.against_numpy import check_gradients, check_values, numpy_row
from tests.support.build import Builder

pytest.importorskip("scipy")

nan, inf = math.nan, math.inf
rng = np.random.default_rng(0)


def spread(low, high, count=60):
    """Numbers of all sizes between two powers of ten."""
    return 10.0 ** rng.uniform(low, high, count)


LINE = np.concatenate([rng.normal(size=80) * 3, spread(-8, 2.5), -spread(-8, 2.5), [0.0, 1.0, -1.0, inf, -inf, nan]])
HALF = np.concatenate([spread(-8, 2.5, 150), rng.uniform(0, 12, 60), [0.0, 1.0, inf, nan, -1.0]])
UNIT = np.concatenate([rng.uniform(0, 1, 80), spread(-15, -1), 1 - spread(-15, -1), [0.0, 0.5, 1.0, -0.5, 1.5, nan]])
WIDE = {
    "erfinv": 2 * UNIT - 1, "erfcinv": 2 * UNIT, "ndtri": UNIT, "logit": UNIT,
    "lambertw": np.concatenate([spread(-8, 8), -0.24 * UNIT]),
    "ellipk": 1 - np.concatenate([spread(-14, 6, 150), [0.0, 1.0, -0.1]]),
    "zeta": np.concatenate([spread(-2, 2), -spread(-2, 1.5), [0.0, 1.0, -2.0, nan]]),
}
WIDE["ellipe"] = WIDE["ellipk"]
PAIRS = {
    "xlogy": (np.array([0, 0, 0, 0, 1, 1, 1, 2.5, -2]), np.array([0, -1, nan, inf, 0, -1, 3, 0.5, 4])),
    "logaddexp": (np.array([0, 1.5, -800, inf, -inf, inf, nan, 1e308, 1]), np.array([0, 1.5, 3, inf, -inf, -inf, 1, 1e308, 1e-310])),
    "beta": (np.concatenate([spread(-2, 2.3), rng.normal(size=60) * 4]), np.concatenate([spread(-2, 2.3), rng.normal(size=60) * 4])),
    "binom": (np.concatenate([np.arange(60.0), spread(-1, 2)]), np.concatenate([np.arange(60.0) % 23, spread(-1, 1)])),
    "gammainc": (np.concatenate([spread(-3, 3, 200), [0, 0, 1, inf, 1, -1, 1]]),
                 np.concatenate([spread(-3, 3, 200), [0, 1, 0, 1, inf, 1, -1]])),
    "zeta": (1 + spread(-2, 1.5), spread(-2, 2)),
}
PAIRS |= {"gammaincc": PAIRS["gammainc"], "betaln": PAIRS["beta"], "comb": PAIRS["binom"]}
ORDERS = np.concatenate([rng.uniform(-3, 30, 30), np.arange(20.0) - 4, [nan, 0.5, 1.5, 2.0, 0.0, 1.0]])
PAIRS |= dict.fromkeys(
    ("jv_of", "iv_of", "kv_of"), (ORDERS, np.concatenate([10 ** rng.uniform(-2, 2, 50), [1.0, nan, -1.0, -1.0, 0.0, 0.0]])),
)
TRIPLES = {"betainc": (np.concatenate([spread(-1.5, 3, 200), [0, 1, 1, 1, 1, 1, -1, inf]]),
                       np.concatenate([spread(-1.5, 3, 200), [1, 0, 1, 1, 2, 2, 1, 1]]),
                       np.concatenate([rng.uniform(0, 1, 200), [0.5, 0.5, 0, 1, -0.1, 1.1, 0.5, 0.5]]))}
TRIPLES["betaincc"] = TRIPLES["betainc"]
POSITIVE = {"y0", "y1", "k0", "k1", "k0e", "k1e", "exp1"}
#: Functions with zeros: relative to the size of their waves, not to the value next to a zero.
WAVES = {"j0", "j1", "y0", "y1", "jv", "jv_of", "expi", "digamma", "gammaln", "betaln", "sinc"}
ATTRS = {"jv": [{"order": v} for v in (0, 1, 2.5, 7, -0.5, -3, 1 / 3)], "lambertw": [{"branch": 0}]}
ATTRS |= {"iv": ATTRS["jv"], "kv": ATTRS["jv"]}


def operands(name):
    """Batches of operands that cover the domain of a function and its surroundings."""
    found = [PAIRS[name]] if name in PAIRS else [TRIPLES[name]] if name in TRIPLES else []
    if name not in PAIRS | TRIPLES or name == "zeta":
        found.append((WIDE.get(name, HALF if name in POSITIVE or name in ("jv", "iv", "kv") else LINE),))
    return [tuple(map(np.asarray, columns)) for columns in found]


def network(name, count, **attrs):
    b = Builder()
    return Network(b.program(b.op(name, *(b.input("abc"[place]) for place in range(count)), **attrs)))


CASES = [(row.name, columns, attrs) for row in ROWS for columns in operands(row.name) for attrs in ATTRS.get(row.name, [{}])]
NAMES = [f"{name}{list(attrs.values()) or ''}{len(columns)}" for name, columns, attrs in CASES]


@pytest.mark.parametrize(("name", "columns", "attrs"), CASES, ids=NAMES)
def test_values_are_scipys(name, columns, attrs):
    ours = network(name, len(columns), **attrs)(*map(torch.tensor, columns)).numpy()
    theirs = numpy_row(name, columns, attrs)
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-14 if name in WAVES else 1e-306)


@pytest.mark.parametrize(("name", "columns", "attrs"), CASES, ids=NAMES)
def test_a_finite_value_has_a_finite_derivative(name, columns, attrs):
    leaves = [torch.tensor(column, requires_grad=True) for column in columns]
    result = network(name, len(columns), **attrs)(*leaves)
    result.backward(torch.ones_like(result))
    finite = np.isfinite(result.detach().numpy()) & np.all(np.isfinite(columns), axis=0)
    for leaf in leaves:
        lost = finite & ~np.isfinite(leaf.grad.numpy())
        assert not lost.any(), (name, [column[lost] for column in columns])


INSIDE = {
    "erfinv": [(-0.7,), (0.2,), (0.9,)], "erfcinv": [(0.01,), (0.6,), (1.7,)], "ndtri": [(0.01,), (0.6,)], "logit": [(0.2,), (0.7,)],
    "xlogy": [(1.5, 0.3), (0.0, 2.0), (-2.0, 3.0)], "logaddexp": [(1.5, 0.3), (2.0, 2.0), (-30.0, 3.0)],
    "beta": [(1.5, 0.3), (12.0, 30.0), (20.0, 0.2), (-1.3, 2.4)],
    "binom": [(5.0, 2.0), (7.5, 2.2), (3.0, 5.0), (40.0, 30.0)], "comb": [(5.1, 2.1), (40.0, 30.0)],
    "gammainc": [(0.3, 0.2), (2.0, 5.0), (30.0, 20.0), (200.0, 210.0), (5.0, 0.3)],
    "betainc": [(0.5, 0.6, 0.3), (2.0, 7.0, 0.4), (100.0, 80.0, 0.52), (30.0, 2.0, 0.98)],
    "lambertw": [(-0.2,), (0.0,), (0.5,), (50.0,)], "ellipk": [(-3.0,), (0.0,), (0.4,), (0.8,)], "exp1": [(0.3,), (1.9,), (2.1,), (7.0,)],
    "zeta": [(2.0,), (1.3,), (0.4,), (-0.5,), (-4.3,), (2.5, 0.7), (4.0, 11.0)], "sinc": [(0.0,), (0.01,), (0.3,), (2.5,)],
    "digamma": [(0.3,), (2.0,), (-1.4,), (30.0,)], "gammaln": [(0.3,), (2.5,), (-1.4,)],
}
INSIDE |= {"gammaincc": INSIDE["gammainc"], "betaincc": INSIDE["betainc"], "betaln": INSIDE["beta"],
           **dict.fromkeys(("jv_of", "iv_of", "kv_of"), [(0.3, 0.4), (2.0, 3.1), (-1.5, 2.0), (7.7, 9.5)]), "ellipe": INSIDE["ellipk"]}
ANYWHERE, ABOVE = [(-2.3,), (0.4,), (3.1,), (9.5,)], [(0.4,), (3.1,), (9.5,)]


@pytest.mark.parametrize(("name", "attrs"), [(row.name, attrs) for row in ROWS for attrs in ATTRS.get(row.name, [{}])])
def test_derivatives_by_every_operand_are_those_of_scipy(name, attrs):
    whole = float(attrs.get("order", 0)).is_integer()
    for point in INSIDE.get(name, ABOVE if name in POSITIVE or name == "kv" or not whole else ANYWHERE):
        leaves = [torch.tensor([number], dtype=torch.float64, requires_grad=True) for number in point]
        network(name, len(point), **attrs)(*leaves).sum().backward()
        for place, leaf in enumerate(leaves):
            assert leaf.grad.item() == pytest.approx(difference(name, attrs, point, place), rel=1e-7, abs=1e-8), (name, point, place)


def difference(name, attrs, point, place):
    """Central differences, exact to sixth order."""
    step = 3e-3 * max(abs(point[place]), 0.1)
    step = min(step, *(0.02 * abs(point[-1] - end) for end in (0.0, 1.0))) if name in ("betainc", "betaincc") and place == 2 else step

    def value(shift):
        return numpy_row(name, [np.float64(number + shift * (spot == place)) for spot, number in enumerate(point)], attrs)

    first, second, third = (value(times * step) - value(-times * step) for times in (1, 2, 3))
    return (45 * first - 9 * second + third) / (60 * step)


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_derivatives_by_the_shape_agree_with_mpmath(name):
    mp = pytest.importorskip("mpmath")
    a = torch.tensor([0.01, 0.5, 3.0, 58.0, 300.0], dtype=torch.float64, requires_grad=True)
    x = torch.tensor([0.3, 0.7, 9.0, 40.0, 290.0], dtype=torch.float64)
    network(name, 2)(a, x).sum().backward()
    with mp.workdps(30):
        true = [float(mp.diff(lambda s: mp.gammainc(s, 0, t, regularized=True), p)) for p, t in zip(a.tolist(), x.tolist())]
    np.testing.assert_allclose(a.grad.numpy(), np.array(true) * (1 if name == "gammainc" else -1), rtol=1e-8)


def test_the_other_branch_of_lambert_is_scipys():
    x = np.concatenate([-0.36 * UNIT[(UNIT > 0) & (UNIT <= 1)], [0.0]])
    ours = network("lambertw", 1, branch=-1)(torch.tensor(x)).numpy()
    np.testing.assert_allclose(ours, numpy_row("lambertw", [x], {"branch": -1}), rtol=1e-11)
    check_gradients("lambertw", [np.array([-0.3, -0.1, -0.01])], branch=-1)


def test_lambert_ends_at_its_branch_point():
    x = torch.tensor([-0.36787944117144233, -0.3679], dtype=torch.float64, requires_grad=True)
    result = network("lambertw", 1, branch=0)(x)
    assert result[0].item() == -1.0 and math.isnan(result[1].item())
    result[0].backward()
    assert x.grad[0].item() == 0.0


def test_binomial_coefficients_of_whole_numbers_have_scipys_last_digit():
    n, k = (column.ravel().astype(float) for column in np.meshgrid(np.arange(60), np.arange(19)))
    ours = network("comb", 2)(torch.tensor(n), torch.tensor(k)).numpy()
    np.testing.assert_array_equal(ours, numpy_row("comb", [n, k], {}))
    np.testing.assert_array_equal(ours[ours < 1e8], [math.comb(int(a), int(b)) for a, b in zip(n[ours < 1e8], k[ours < 1e8])])


@pytest.mark.parametrize(("name", "columns"), [
    ("betainc", (np.array([2.0, 0.5, 30.0]), np.array([3.0, 0.7, 2.0]), np.array([0.3, 0.6, 0.9]))),
    ("gammainc", (np.array([[2.0, 0.5], [3.0, 1.0], [4.0, 80.0]]), np.array([0.3, 0.6, 0.9]))),
    ("xlogy", (np.array([1, 2, 3]), np.array([0.3, 0.6, 0.9]))),
    ("j0", (np.array([1, 2, 3]),)),
])
def test_operands_may_be_uniform_arrays_and_whole_numbers(name, columns):
    check_values(name, columns, rtol=1e-11)
    if all(column.dtype == float for column in columns):
        check_gradients(name, columns)


@pytest.mark.parametrize("name", "erfinv logit digamma beta binom gammainc betainc j1 y0 k1 jv lambertw ellipk zeta expi sinc".split())
def test_second_derivatives_exist(name):
    point = {"binom": (6.3, 2.2), "zeta": (2.3,), "lambertw": (0.5,)}.get(name) or INSIDE.get(name, ABOVE)[1]
    net = network(name, len(point), **ATTRS.get(name, [{}])[-1])
    for place in range(len(point)):
        first, second = _derivatives(net, point, place)
        step = 1e-5 * max(abs(point[place]), 0.1)
        moved = [[number + sign * step * (spot == place) for spot, number in enumerate(point)] for sign in (1, -1)]
        ends = [_derivatives(net, arguments, place)[0] for arguments in moved]
        assert second == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-5, abs=1e-6), (name, place, first)


def _derivatives(net, point, place):
    leaves = [torch.tensor([number], dtype=torch.float64, requires_grad=spot == place) for spot, number in enumerate(point)]
    (first,) = torch.autograd.grad(net(*leaves).sum(), leaves[place], create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), leaves[place])
    return first.item(), second.item()


def test_single_precision_stays_single():
    net = network("gammainc", 2).to(torch.float32)
    a, x = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    result = net(a, x)
    result.sum().backward()
    assert result.dtype == a.grad.dtype == torch.float32
    assert result.item() == pytest.approx(0.8008517265285442, rel=1e-6)


def test_functions_that_stop_by_data_run_under_vmap():
    from deepalgo.ops import forms

    a, x = torch.tensor([2.0, 5.0]), torch.tensor([3.0, 4.0])
    assert torch.equal(torch.func.vmap(forms.gammainc)(a, x), forms.gammainc(a, x))
    assert torch.equal(torch.func.vmap(lambda t: forms.jv(t, 2.5))(x), forms.jv(x, 2.5))


def test_angles_are_numpys():
    b = Builder()
    net = Network(b.program(b.op("angle", b.input("z", Type(Kind.COMPLEX)))))
    points = np.array([1 + 2j, -1 - 0.5j, 0j, -3 + 0j, 2j])
    z = torch.tensor(points, requires_grad=True)
    result = net(z)
    np.testing.assert_allclose(result.detach().numpy(), np.angle(points), rtol=1e-15)
    result.sum().backward()
    assert torch.isfinite(torch.view_as_real(z.grad)).all()
    check_values("angle", [np.array([1.0, -2.0, 0.0])])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # torch's own tracer does it
def test_a_compiled_graph_has_one_operation_for_each_function():
    b = Builder()
    x = b.input("x")
    terms = [b.op("gammainc", x, x), b.op("jv", x, order=2.5), b.op("lambertw", x, branch=0), b.op("ellipk", b.op("neg", x))]
    net = Network(b.program(b.op("stack", *terms)))
    inputs = [torch.tensor([0.5, 3.0], dtype=torch.float64, requires_grad=True) for _ in range(2)]
    compiled = torch.compile(net, fullgraph=True, backend="aot_eager")
    results = [net(inputs[0]), compiled(inputs[1])]
    for result in results:
        result.sum().backward()
    torch.testing.assert_close(results[1], results[0])
    torch.testing.assert_close(inputs[1].grad, inputs[0].grad)


@pytest.mark.parametrize("k", [1.0, 2.0, 5.0])
@pytest.mark.parametrize("n", [1e-9, -3e-10, 1e-12, 1e-15, -1e-300])
def test_binomial_coefficients_of_tiny_numbers_are_scipys(n, k):
    b = Builder()
    x = torch.tensor(n, dtype=torch.float64, requires_grad=True)
    y = Network(b.program(b.op("binom", b.input("x"), k)))(x)
    assert y.item() == pytest.approx(float(numpy_row("binom", [n, k], {})), rel=1e-8, abs=0)
    y.backward()
    assert x.grad.item() == pytest.approx((-1) ** (k - 1) / k, rel=1e-6)


def test_degrees_minutes_and_seconds_are_not_taken_for_degrees():
    def angle(degrees, minutes, seconds):
        return special.radian(degrees, minutes, seconds)

    with pytest.raises(da.CompileError, match="`radian` is not written in Python, and deepalgo has no rule for it on data"):
        da.compile(angle)
