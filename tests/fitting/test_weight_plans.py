"""Bounds, scales, ties, priors and freed exponents, in whole fits and in the space of the searches."""

import math

import numpy as np
import pytest
import torch
from scipy.optimize import least_squares, minimize

import deepalgo as da
from deepalgo.fitting.choice.exponents import with_exponents
from deepalgo.fitting.choice.plan import plan_weights
from deepalgo.fitting.choice.scales import Scale
from deepalgo.fitting.choice.weight_options import WeightOptions
from deepalgo.fitting.data.samples import read
from deepalgo.fitting.search.space import Space

X = torch.linspace(0.1, 3, 80, dtype=torch.float64)
NOISE = 0.05 * torch.randn(80, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
QUICK = {"steps": 40, "progress": False, "validation": None}


def curve(x, size=2.0, rate=0.7, offset=0.1):
    return size * math.exp(-rate * x) + offset


def python_curve(p):
    return p[0] * np.exp(-p[1] * X.numpy()) + p[2]


def values(net, *keys):
    return [net.weights[key].item() for key in keys]


def space_of(net, **options):
    return Space(net, plan=plan_weights(net, WeightOptions(**options)))


@pytest.mark.parametrize("optimiser", ["adam", "lbfgs"])
@pytest.mark.parametrize("polished", [True, False])
def test_no_search_leaves_the_bounds(optimiser, polished):
    wanted = torch.tensor(python_curve([3.0, 1.5, 0.4]))
    search = da.SearchOptions(optimiser=optimiser, polished=polished)
    fit = da.fit(da.compile(curve), X, wanted, bounds={"rate": (0.5, 0.9), "size": (None, 2.5)}, search=search, **QUICK)
    size, rate = values(fit.network, "size", "rate")
    assert fit.improved and 2.0 < size <= 2.5 and 0.7 < rate <= 0.9


def test_bounds_lead_to_the_bounded_optimum():
    wanted = torch.tensor(python_curve([3.0, 1.5, 0.4])) + NOISE
    fit = da.fit(da.compile(curve), X, wanted, bounds={"rate": (0.5, 0.9)}, steps=500, progress=False, validation=None)
    low, high = [-np.inf, 0.5, -np.inf], [np.inf, 0.9, np.inf]
    best = least_squares(lambda p: python_curve(p) - wanted.numpy(), [2.0, 0.7, 0.1], bounds=(low, high))
    found = values(fit.network, "size", "rate", "offset")
    assert ((python_curve(found) - wanted.numpy()) ** 2).mean() == pytest.approx(2 * best.cost / len(X), rel=0.01)


def test_bounds_of_the_source_are_kept_by_fits_and_files(tmp_path):
    def limited(x):
        return da.weight(2.0, "gain", bounds=(1.0, 2.5)) * x + da.weight(0.5, "offset")

    net = da.compile(limited)
    net.save(tmp_path / "net.da")
    for one in (net, da.load(tmp_path / "net.da")):
        fit = da.fit(one, X, 4.0 * X + 0.5, **QUICK)
        assert fit.network.weights["gain"].item() == 2.5
    fit = da.fit(net, X, 4.0 * X + 0.5, bounds={"gain": (0, 3)}, **QUICK)
    assert fit.network.weights["gain"].item() == 3.0


@pytest.mark.parametrize("bounds", ["(1.0, 0.0)", "(1.0,)", "'high'", "(0.6, None)"])
def test_marks_with_bounds_that_are_none_are_refused(bounds, tmp_path):
    from importlib.util import module_from_spec, spec_from_file_location

    path = tmp_path / "marked.py"
    path.write_text(f"import deepalgo as da\ndef f(x):\n    return da.weight(0.5, 'gain', bounds={bounds}) * x\n")
    spec = spec_from_file_location("marked", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(da.CompileError, match="marked.py:3.*(bounds that are no lower and upper number|starts outside of its bounds)"):
        da.compile(module.f)


@pytest.mark.parametrize("scale", list(Scale))
def test_scales_chain_their_derivatives_and_know_their_numbers(scale):
    net = da.compile(curve)
    space = space_of(net, scales={"size": str(scale)}, rates={"size": 0.5})
    for at in (-1.5, 0.0, 0.8):
        point, step = torch.tensor([at, 0.1, -0.2], dtype=torch.float64), 1e-6
        moved = [torch.cat([value.reshape(-1) for value in space.values((point + side * torch.eye(3)[0])[None])]) for side in (step, -step)]
        slopes = space.chain(point, torch.eye(3, dtype=torch.float64))
        assert slopes[:, 0].tolist() == pytest.approx(((moved[0] - moved[1]) / (2 * step)).tolist(), rel=1e-7)
        value = space.values(point[None])[0][0]
        assert scale.number(space.starts[0], space.scales[0], value).item() == pytest.approx(at)
        assert scale is Scale.LINEAR or value > 0


def test_ties_hold_and_reach_the_optimum_of_the_tied_problem():
    def two(x, first=1.0, second=4.0, offset=0.3):
        return first * torch_free_exp(-x) + second * x + offset

    wanted = torch.tensor(2.0 * np.exp(-X.numpy()) + 3.0 * X.numpy()) + NOISE
    fit = da.fit(da.compile(two), X, wanted, ties={"second": ("first", 1.5)}, **QUICK)
    first, second, offset = values(fit.network, "first", "second", "offset")
    assert second == 1.5 * first
    best = least_squares(lambda p: p[0] * np.exp(-X.numpy()) + 1.5 * p[0] * X.numpy() + p[1] - wanted.numpy(), [1.0, 0.3])
    assert [first, offset] == pytest.approx(best.x.tolist(), rel=1e-3)
    fit = da.fit(da.compile(two), X, wanted, ties={"second": ("first", None)}, **QUICK)
    first, second = values(fit.network, "first", "second")
    assert second == pytest.approx(4 * first, rel=1e-12)


def torch_free_exp(x):
    return math.exp(x)


def test_bounds_of_a_follower_bound_its_leader():
    space = space_of(da.compile(curve), ties={"offset": ("size", -2.0)}, bounds={"offset": (-10.0, -1.0)})
    assert space.plan.bounds["size"] == (0.5, 5.0)
    assert space.keys == ["size", "rate", "offset"] and len(space) == 2


def test_a_prior_leads_to_the_optimum_with_unknown_noise():
    wanted = torch.tensor(python_curve([3.0, 1.5, 0.4])) + 4 * NOISE
    fit = da.fit(da.compile(curve), X, wanted, priors={"rate": (1.0, 0.05)}, steps=500, progress=False, validation=None)

    def posterior(p):
        return math.log(((python_curve(p) - wanted.numpy()) ** 2).mean()) + ((p[1] - 1.0) / 0.05) ** 2 / len(X)

    best = minimize(posterior, [3.0, 1.5, 0.4], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000})
    assert posterior(values(fit.network, "size", "rate", "offset")) == pytest.approx(best.fun, abs=1e-3)
    assert abs(fit.network.weights["rate"].item() - 1.0) < abs(1.5 - 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bounds": {"rate": (1.0, 2.0)}}, r"'rate' starts at 0.7, outside of its bounds 1 .. 2"),
        ({"bounds": {"rate": (2.0, 1.0)}}, r"the bounds of 'rate' leave it no room"),
        ({"bounds": {"rate": 1.0}}, r"the bounds of 'rate' must be two numbers"),
        ({"bounds": {"speed": (0, 1)}}, r"bounds names 'speed', which is no weight"),
        ({"bounds": {"rate": (0, 1)}, "fixed": "rate"}, r"bounds names 'rate', which does not train: fixed by 'rate'"),
        ({"scales": {"rate": "cubic"}}, r"the scale of 'rate' must be one of linear, log, positive"),
        ({"ties": {"rate": "size", "size": "offset"}}, r"'rate' is tied to 'size', which is itself tied"),
        ({"ties": {"rate": ("size", 0)}}, r"'rate' cannot be 0 times 'size'"),
        ({"ties": {"rate": "speed"}}, r"ties names 'speed', which is no weight"),
        ({"ties": {"rate": "size"}, "fixed": "size"}, r"'rate' is tied to 'size', which does not train: fixed by 'size'"),
        ({"priors": {"rate": (1.0, 0.0)}}, r"the prior of 'rate' must have a mean, and a width above 0"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(da.InputError, match=message):
        da.fit(da.compile(curve), X, X, **options, **QUICK)


def test_scale_parameters_are_found_and_said():
    def density(x, middle=1.0, width=2.0, sigma=0.5):
        return math.exp(-((x - middle) ** 2) / width**2) / sigma

    fit = da.fit(da.compile(density), X, 1.5 * torch.exp(-((X - 1.2) ** 2) / 1.7**2), **QUICK)
    rows = {row.split()[0]: row for row in str(fit).split("\n\n")[0].splitlines()}
    assert "on a log scale" in rows["width"] and "on a log scale" in rows["sigma"] and "scale" not in rows["middle"]
    assert values(fit.network, "middle", "width", "sigma") == pytest.approx([1.2, 1.7, 1 / 1.5], rel=1e-4)
    fit = da.fit(da.compile(density), X, 1.5 * torch.exp(-((X - 1.2) ** 2) / 1.7**2), scales={"*": "linear"}, **QUICK)
    assert "log scale" not in str(fit)


def law(x, factor=0.8, power=2.0):
    return factor * x**power


def test_whole_exponents_train_where_the_base_is_positive():
    fit = da.fit(da.compile(law), X, 1.3 * X**2.6, **QUICK)
    assert values(fit.network, "factor", "power") == pytest.approx([1.3, 2.6], rel=1e-5)
    with pytest.raises(da.HeuristicError, match="a negative number to a fractional power is complex in Python"):
        fit.network(-1.0)
    assert fit.network(0.0).item() == 0.0
    change = da.diff(fit.network, exact=True).changes[1]
    assert change.key == "power" and float(change.new[0]) == fit.network.weights["power"].item()


def test_whole_exponents_stay_where_a_base_is_negative():
    both = torch.cat([X, -X])
    fit = da.fit(da.compile(law), both, 1.3 * both**2, **QUICK)
    assert fit.network.weights["power"].item() == 2.0 and fit.improved
    assert "no: a whole exponent of a base that may be negative" in str(fit)
    with pytest.raises(da.InputError, match="train names 'power', which cannot train: a whole exponent"):
        da.fit(da.compile(law), both, both, train="power", **QUICK)


def test_an_exponent_inside_of_a_loop_and_behind_a_quotient_is_freed():
    def nested(x, b=2.0):
        total = 0.0
        for _ in range(2):
            if x > 0.5:
                total = total + (1.0 + total * total) ** (1.0 / b) * x ** (2.0 * b)
        return total

    net = da.compile(nested)
    assert net.weights.reasons()["b"] == "a whole exponent of a base that may be negative"
    freed = with_exponents(net, WeightOptions(), [read(net, X)])
    assert freed.weights.reasons()["b"] == "" and freed.heuristic is freed.program
    assert torch.equal(freed(X), net(X))


def test_a_freed_exponent_that_turns_negative_meets_pythons_error_at_zero():
    freed = with_exponents(da.compile(law), WeightOptions(), [read(da.compile(law), X)])
    with torch.no_grad():
        freed.weights["power"].fill_(-1.5)
    assert freed(2.0).item() == law(2.0, power=-1.5)
    with pytest.raises(da.HeuristicError, match="0.0 cannot be raised to a negative power"):
        freed(0.0)
