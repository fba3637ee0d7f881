"""What trains: what the source declares, else the constants of its text, and what the caller says instead."""

import math

import pytest
import torch

import deepalgo as da
from deepalgo.fitting.choice.weight_options import WeightOptions
from deepalgo.fitting.choice.what_trains import what_trains

MASS, DT = 1.5, 0.05
X = torch.linspace(0.1, 2, 60, dtype=torch.float64)
QUICK = {"steps": 30, "progress": False}


def controller(error, total):
    return 4.0 * error + 0.5 * total


def plant(x, force):
    return x + DT * (force - 0.3 * x) / MASS


def simulate(target):
    x, total, cost = 0.0, 0.0, 0.0
    for _ in range(20):
        error = target - x
        total += DT * error
        x = plant(x, controller(error, total))
        cost += error * error
    return cost


def tuned(target, gain=4.0, reset=0.5):
    x, total, cost = 0.0, 0.0, 0.0
    for _ in range(20):
        error = target - x
        total += DT * error
        x = plant(x, gain * error + reset * total)
        cost += error * error + 0.01 * gain * gain
    return cost


def line(x, slope=2.0, offset=1.0):
    return 0.5 * (slope + slope) * x + offset


def formula(x):
    return 2.0 * x + math.exp(-0.5 * x)


def training(net, **options):
    return [key for key, reason in what_trains(net, WeightOptions(**options)).items() if not reason]


def values(net, keys):
    return [net.weights[key].item() for key in keys]


def test_declared_parameters_train_and_other_constants_stay():
    assert training(da.compile(tuned)) == ["gain", "reset"]
    assert training(da.compile(formula)) == list(da.compile(formula).weights)


def test_marks_of_a_helper_are_declared_too():
    def inner(x):
        return da.weight(0.5, "share") * x + 7.0

    def outer(x):
        return 3.0 * inner(x)

    assert training(da.compile(outer)) == ["share"]


def test_a_cost_alone_moves_the_gains_of_a_loop_and_nothing_else():
    fit = da.fit(da.compile(tuned), X, loss=lambda cost, *_: cost, **QUICK)
    assert fit.improved
    assert {item.weight.key for item in fit.moved} <= {"gain", "reset"}
    assert values(fit.network, ("DT", "MASS")) == [DT, MASS]


def test_a_cost_alone_without_parameters_asks_which_weights_may_move():
    net = da.compile(simulate)
    with pytest.raises(da.InputError) as error:
        da.fit(net, X, loss=lambda cost, *_: cost, **QUICK)
    rows = str(error.value).splitlines()
    assert rows[0] == "a cost alone does not say which constants of simulate() may move, and the function declares no parameters:"
    assert "  simulate: x, total, cost" in rows and "  simulate and plant: DT" in rows
    assert any(row.startswith("  controller: ") for row in rows) and 'train="*" is all of them.' in rows[-1]
    fit = da.fit(net, X, loss=lambda cost, *_: cost, train="controller.*", **QUICK)
    assert {item.weight.span.line for item in fit.moved} == {controller.__code__.co_firstlineno + 1}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("controller.*", ["4.0", "0.5"]),
        (controller, ["4.0", "0.5"]),
        ("plant", ["0.3", "MASS"]),  # DT is read by another function, too
        ("M*", ["MASS"]),
        ("MASS", ["MASS"]),
        (f"line {plant.__code__.co_firstlineno + 1}", ["0.3"]),
        (f"test_what_trains.py:{plant.__code__.co_firstlineno + 1}", ["0.3"]),
        ("initial value", ["x", "total", "cost"]),
        (["DT", "initial value"], ["x", "total", "cost", "DT"]),
    ],
)
def test_words_mean_names_patterns_functions_lines_and_roles(words, expected):
    net = da.compile(simulate)
    named = {weight.key: weight.key if weight.key.isidentifier() and not weight.key.startswith("c") or weight.key == "cost"
             else repr(weight.value) for weight in net.weights.entries}
    assert sorted(named[key] for key in training(net, train=words)) == sorted(expected)


def test_a_name_beats_a_place_and_a_place_beats_a_role():
    net = da.compile(tuned)
    assert "gain" not in training(net, train="coefficient", fixed="gain")
    assert training(net, train="gain", fixed=["coefficient", "initial value"]) == ["gain"]
    alone = [weight.key for weight in net.weights.entries if weight.standing.reads == ("tuned",)]
    assert training(net, train="tuned.*", fixed="coefficient") == alone and "gain" in alone and "DT" not in alone
    assert "reset" not in training(net, train="tuned.*", fixed="r*")


def test_fixing_by_function_holds_what_it_shares():
    assert "DT" not in training(da.compile(simulate), fixed="plant")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"train": "gian"}, "train names 'gian', which is no weight, role, line or function of tuned"),
        ({"fixed": "line 1"}, "fixed names 'line 1', which is no weight"),
        ({"train": "gain", "fixed": "gain"}, "'gain' is named by train and by fixed"),
        ({"train": "gain", "rates": {"gain": 0}}, "train names 'gain', which cannot train: its rate is 0"),
        ({"train": [3.0]}, "train takes names, patterns, functions, lines and roles of weights, not 3.0"),
        ({"train": 3.0}, "train takes names, patterns, functions, lines and roles of weights, not 3.0"),
    ],
)
def test_words_that_mean_nothing_are_refused(options, message):
    with pytest.raises(da.InputError, match=message):
        da.fit(da.compile(tuned), X, X, **options, **QUICK)


def test_weights_that_are_left_alone_stay_to_the_bit():
    for change in ({"rates": {"offset": 0}}, {"fixed": "offset"}, {}):
        net = da.compile(line)
        if not change:
            net.weights["offset"].requires_grad_(False)
        fit = da.fit(net, X, targets=3.0 * X + 1.25, **change, **QUICK)
        assert fit.improved and fit.network.weights["offset"].item() == 1.0
        row = next(row for row in str(fit).splitlines() if row.startswith("offset"))
        assert row.split("no: ")[1].split("  ")[0] == (
            "its rate is 0" if "rates" in change else "fixed by 'offset'" if change else "its requires_grad is False"
        )


def test_nothing_is_lost_where_the_caller_leaves_every_weight_alone():
    fit = da.fit(da.compile(line), X, targets=3.0 * X, rates={"slope": 0, "offset": 0}, **QUICK)
    assert not fit.improved


def newton(s, first=1.0):
    x = first
    for _ in range(3):
        x = x - 0.9 * (x * x - s) / (2 * x)
    return x


def test_untied_weights_train_and_copies_of_a_fixed_constant_do_not():
    net = da.untie(da.compile(newton))
    damping = next(key for key in net.weights if key != "first")
    assert training(net) == ["first", damping]
    net = da.compile(newton)
    net.weights[damping].requires_grad_(False)
    assert training(da.untie(net)) == ["first"]
    assert training(da.untie(da.compile(newton)), fixed=damping) == ["first"]


def test_copies_of_a_fixed_constant_that_is_also_read_elsewhere_stay():
    def shared(s):
        x = 0.9 * s
        for _ in range(3):
            x = x - K * (x * x - s)
        return K * x

    net = da.compile(shared)
    net.weights["K"].requires_grad_(False)
    grown = da.untie(net)
    assert "K_rounds" in grown.weights and not {"K", "K_rounds"} & set(training(grown))


K = 0.1


def test_the_report_begins_with_what_trains():
    text = str(da.fit(da.compile(line), X, targets=3.0 * X + 1.0, bounds={"slope": (0, 10)}, **QUICK))
    rows = text.split("\n\n")[0].splitlines()
    assert [row.split()[0] for row in rows[:3]] == ["weight", "slope", "offset"] and len(rows) == 5
    assert rows[0].split() == ["weight", "value", "trains", "place"]
    assert "yes, 0 .. 10" in rows[1] and "no: a number of a mean" in rows[3]
    assert rows[4] == f"train= lets others move: {rows[3].split()[0]}"


def test_constants_of_installed_packages_stay():
    import statistics

    def spread(x):
        return 2.0 * x + statistics.NormalDist(0.0, 1.0).cdf(x)

    net = da.compile(spread)
    inside = [weight for weight in net.weights.entries if weight.span is not None and "statistics" in weight.span.file]
    assert not {weight.key for weight in inside} & set(training(net))
    assert all(weight.standing.still == "it belongs to an installed package" for weight in inside)
