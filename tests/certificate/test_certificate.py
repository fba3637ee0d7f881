"""The certificate compares a network with its function, and a wrong network gets none."""

import dataclasses
import importlib.util
import linecache
import math
import re
import sys

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.certificate.places import CHOICES, entered
from deepalgo.ir import Block, Check, Op
from deepalgo.network import Network
from tests.support import heuristics as h
from tests.support.build import Builder
from tests.support.cases import CASES, network
from tests.support.oracle import columns

GRID = torch.arange(-10, 11, dtype=torch.float64) * 0.3


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_heuristic_gets_its_certificate(case):
    args, kwargs = case.arrange(*columns(case.rows()))
    certificate = network(case.id).verify(*args, **kwargs)
    assert certificate.ok and not certificate.beyond and not certificate.excused
    assert certificate.compared == certificate.paths
    assert certificate.compared + sum(certificate.errors.values()) == certificate.samples


@pytest.mark.parametrize("name", ["damped_newton", "kepler", "income_tax", "best_candidate", "guarded", "collatz"])
def test_settled_networks_get_theirs(name):
    case = next(case for case in CASES if case.id == name)
    args, kwargs = case.arrange(*columns(case.rows(8)))
    assert network(name, "settle").verify(*args, **kwargs).ok


COOLING = """\
import math

AMBIENT = 20.0
UNUSED = 3.0

def cooling(t, minutes):
    if t < 0.0:
        raise ValueError("frozen")
    elif t > 90.0:
        t = 90.0
    rounds = 0
    while t > AMBIENT + 1.0 and rounds < minutes:
        t -= 0.1 * (t - AMBIENT)
        rounds += 1
    if t > 1000.0:
        t = UNUSED
    return t, math.sqrt(minutes)
"""


def load(tmp_path, text, name="cooling"):
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def test_the_table_tells_samples_values_paths_gradients_and_dead_weights(tmp_path):
    net = da.compile(load(tmp_path, COOLING))
    certificate = net.verify([95.0, 60.0, 25.0, 15.0, -4.0], [5.5, 100.5, 10.5, 0.0, 1.5])
    assert re.sub(r"difference .*? relative", "difference SMALL relative", str(certificate)) == f"""\
cooling: the network gives the answers of the function
  samples    4 of 5 compared, 1 raise ValueError in both
  computed   by {net.computed_by(gradient=True)}
  values     all equal
  paths      4 samples take the function's arms and rounds
  gradients  12 of 12 derivatives by inputs compared, largest difference SMALL relative
             48 of 48 derivatives by weights compared, largest difference SMALL relative
  endpoints  1 sample at cooling.py:17

branch                         then  else
cooling.py:7   if t < 0.0:     1     4
cooling.py:9   elif t > 90.0:  1     3
cooling.py:15  if t > 1000.0:  0     4     never taken

loop                                                          least  median  most rounds
cooling.py:12  while t > AMBIENT + 1.0 and rounds < minutes:  0      6       36

weights that move no answer
  c7      threshold    cooling.py:7
  c15     threshold    cooling.py:15
  UNUSED  coefficient  cooling.py:4

weights with no gradient here
  c9   threshold    cooling.py:9   answers change when it moves by 50 %
  c12  coefficient  cooling.py:12  answers change when it moves by 50 %"""


def test_fields_hold_what_the_table_tells(tmp_path):
    net = da.compile(load(tmp_path, COOLING))
    certificate = net.verify([95.0, 60.0, 25.0, 15.0, -4.0], [5.5, 100.5, 10.5, 0.0, 1.5])
    assert (certificate.samples, certificate.compared, certificate.paths, certificate.errors) == (5, 4, 4, {"ValueError": 1})
    assert [(arms.span.line, arms.then, arms.orelse, arms.never) for arms in certificate.branches] == [
        (7, 1, 4, ""), (9, 1, 3, ""), (15, 0, 4, "never taken")]
    assert [(loop.span.line, loop.least, loop.median, loop.most) for loop in certificate.loops] == [(12, 0, 6, 36)]
    assert {span.line: samples for span, samples in certificate.endpoints.items()} == {17: [3]}
    assert [item.key for item in certificate.dead] == ["c7", "c9", "c12", "c15", "UNUSED"]
    assert certificate.gradients.compared == 12 and certificate.gradients.difference < 1e-8


def gaps(x):
    return math.exp(math.log(x)) > x


def unequal(x):
    return 1.0 if gaps(x) else -1.0


def test_samples_that_last_digits_decide_are_counted_and_not_failed():
    x = torch.rand(200, dtype=torch.float64) + 0.5
    certificate = da.compile(unequal).verify(x)
    (span,) = certificate.near_ties
    assert "exp(math.log(x)) > x" in span.lines[0]
    assert len(certificate.near_ties[span]) == 200


def scattered(x):
    for _ in range(120):
        x = math.exp(-3.0 * x * x) * 1.9 - 0.5 * math.sin(7.0 * x)
    return x


def test_samples_on_which_the_function_is_chaotic_are_counted_and_not_failed():
    certificate = da.compile(scattered).verify(torch.linspace(0.1, 0.9, 12, dtype=torch.float64))
    assert set(certificate.excused.values()) <= {"the function itself changes as much with an input's last digit"}


def whole_power(x, y):
    return (x ** y) * 2


def test_samples_that_the_network_refuses_are_counted_by_reason():
    certificate = da.compile(whole_power).verify([2.0, -8.0, 0.0], [0.5, 1 / 3, -1.0])
    assert (certificate.compared, certificate.beyond, certificate.errors) == (1, {"ComplexResult": 1}, {"ZeroDivisionError": 1})
    assert "1 of 3 compared, 1 raise ZeroDivisionError in both, 1 refused: ComplexResult" in str(certificate)


def halving(x):
    while x > 1.0:
        x = x / 2
    return x


def test_a_loop_beyond_its_bound_is_refused_by_the_network():
    certificate = da.compile(halving, max_rounds=3).verify([2.0, 4.0, 1e6])
    assert certificate.beyond == {"LoopBound": 1} and certificate.compared == 2


def test_nothing_to_compare_is_not_ok():
    certificate = da.compile(h.dew_point).verify([1.0, 2.0], [-1.0, -2.0])
    assert not certificate.ok and certificate.errors == {"ValueError": 2}
    assert str(certificate).startswith("dew_point: there was nothing to compare\n  samples   0 of 2 compared, 2 raise ValueError in both\n")


def test_a_large_batch_is_sampled_evenly():
    certificate = da.compile(h.relu6).verify(torch.linspace(-9, 9, 100_000, dtype=torch.float64), samples=50)
    assert (certificate.samples, certificate.compared) == (50, 50)


def test_gradients_are_left_out_on_demand():
    certificate = da.compile(h.relu6).verify(GRID, gradients=False)
    assert certificate.gradients is None and "gradients" not in str(certificate)


def test_arguments_are_those_of_the_function():
    net = da.compile(h.lift_force, example=((1.0,), {"area": 2.0, "shape": "plate"}))
    assert net.verify(speed=GRID, area=2.0, shape="plate").compared == 21


def normalised(x, scratch):
    x /= np.sqrt((x * x).sum())
    if x[0] > 0:
        scratch[1] = x[0]
    return x.cumsum()


def test_arrays_are_compared_and_so_is_what_is_left_in_the_arguments():
    net = da.compile(normalised, example=((np.ones(3), [1.0, 2.0]), {}))
    rows = np.random.default_rng(1).normal(size=(12, 3))
    certificate = net.verify(rows, [1.0, 2.0])
    assert certificate.compared == 12 and certificate.gradients.compared == 180

    wrong = doctored(net, renamed("sqrt", "exp"))
    with pytest.raises(da.VerificationError, match="sample 0: the answers differ"):
        wrong.verify(rows, [1.0, 2.0])


def test_the_debugger_of_the_user_is_left_in_place():
    def mine(frame, event, arg):
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        da.compile(h.relu6).verify(GRID)
        assert sys.gettrace() is mine
    finally:
        sys.settrace(before)


def test_a_network_without_a_function_has_nothing_to_be_compared_with():
    b = Builder()
    net = Network(b.program(b.op("mul", b.input("x"), 2.0)))
    with pytest.raises(da.InputError) as caught:
        net.verify(1.0)
    assert str(caught.value) == "f was not compiled from a function, so there is nothing to compare it with"


def doctored(net, change):
    """The network of a program in which some statements are exchanged."""
    def block(old):
        return dataclasses.replace(old, body=tuple(statement(item) for item in old.body))

    def statement(item):
        parts = {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}
        return change(dataclasses.replace(item, **{name: block(part) for name, part in parts.items() if isinstance(part, Block)}))

    program = dataclasses.replace(net.program, body=block(net.program.body))
    return Network(program, net.signature, function=net.function)


def renamed(old, new):
    return lambda item: dataclasses.replace(item, name=new) if isinstance(item, Op) and item.name == old else item


def slanted(x):
    if x > 0.0:
        y = 2.0 * x
    else:
        y = x - 1.0
    return y


def test_a_wrong_value_is_found():
    with pytest.raises(da.VerificationError) as caught:
        doctored(da.compile(slanted), renamed("mul", "add")).verify(GRID)
    assert str(caught.value) == (
        f"sample 11: the answers differ: {2 * GRID[11]} in the function, {2 + GRID[11]} in the network\n"
        "This is a bug in deepalgo: please report it with the function's text and this sample."
    )
    assert (caught.value.sample, str(caught.value.got)) == (11, str(2 + GRID[11].item()))


def test_trained_weights_are_named():
    net = da.compile(slanted)
    with torch.no_grad():
        for weight in net.parameters():
            weight.add_(0.25)
    with pytest.raises(da.VerificationError, match="are not what the function holds any more: verify a network before it is trained"):
        net.verify(GRID)


def test_another_error_is_found():
    def confused(item):
        return dataclasses.replace(item, error="KeyError") if isinstance(item, Check) else item

    with pytest.raises(da.VerificationError) as caught:
        doctored(da.compile(h.dew_point), confused).verify([10.0, 10.0], [50.0, -1.0])
    assert str(caught.value).splitlines()[0] == (
        "sample 1: one of them fails: ValueError: humidity -1.0 is not positive in the function, KeyError in the network"
    )


def either(x):
    if x > 0.0:
        y = x + 1.0
    else:
        y = 1.0 + x
    return y


def test_a_wrong_arm_is_found_even_if_the_value_is_right():
    with pytest.raises(da.VerificationError) as caught:
        doctored(da.compile(either), renamed("gt", "lt")).verify(GRID)
    line = either.__code__.co_firstlineno + 1
    assert str(caught.value).splitlines()[:3] == [
        f"tests/certificate/test_certificate.py:{line}:5: sample 0: "
        "the paths differ: this arm 0 times in the function, 1 time in the network",
        f"  {line} |     if x > 0.0:",
        "      |     ^^^^^^^^^^^",
    ]


def idle(x):
    n, y = 0, x
    while n < x:
        y = 2.0
        n += 1
    return x if n >= 0 else y


def test_a_wrong_number_of_rounds_is_found_even_if_the_value_is_right():
    net = da.compile(idle)
    assert net.verify(GRID).ok

    def hurry(item):
        is_one = isinstance(item, Op) and item.name == "const" and item.attr("value") == 1
        return dataclasses.replace(item, attrs=(("value", 2),)) if is_one else item

    with pytest.raises(da.VerificationError, match="the paths differ: 2 rounds in the function, 1 round in the network"):
        doctored(net, hurry).verify(GRID)


def test_a_wrong_gradient_is_found(monkeypatch):
    net = da.compile(slanted)
    right = net.execute
    monkeypatch.setattr(net, "execute", lambda leaves: [item.detach() + 3.0 * (leaves[0] - leaves[0].detach()) for item in right(leaves)])
    with pytest.raises(da.VerificationError) as caught:
        net.verify(GRID)
    assert caught.value.reason == "the gradients of output 0 by `x` differ"
    assert (caught.value.expected, caught.value.got) == (pytest.approx(1.0), 3.0)


def test_a_gradient_that_is_not_a_number_is_found(monkeypatch):
    net = da.compile(slanted)
    right = net.execute
    monkeypatch.setattr(net, "execute", lambda leaves: [item + 0.0 * torch.sqrt(leaves[0] - leaves[0].detach()) for item in right(leaves)])
    with pytest.raises(da.VerificationError, match="the gradient by `x` is not a number"):
        net.verify(GRID)


def test_an_array_that_is_the_same_for_all_samples_divides_each_of_them():
    def shares(a):
        return a / np.array([2.0, 4.0, 8.0])

    a = np.arange(15.0).reshape(5, 3)
    certificate = da.compile(shares, example=((a[0],), {})).verify(a)
    assert "5 of 5 compared" in str(certificate)


def test_branches_are_found_in_a_file_that_changed(tmp_path):
    file = tmp_path / "steps.py"

    def lines(text):
        file.write_text(text)
        linecache.checkcache(str(file))
        return [span.line for span, _ in entered({(str(file), 3)}, CHOICES)]

    assert lines("def step(x):\n    if x:\n        return 1.0\n    return x\n") == [2]
    assert lines("\n\ndef step(x):\n    if x > 2.0:\n        return 1.0\n    return x\n") == []
    assert lines("\ndef step(x):\n    y = 2.0 * x\n    if y:\n        return y\n    return x\n") == [4]


def by_private_class(x):
    class Gain:
        value = 3.0

    return Gain.value * x


@pytest.mark.parametrize("heuristic", [
    lambda x: x * 2.0, lambda x: 1.0 / x if x else 0.0, lambda x: math.sqrt(x) if x >= 0 else 0.0, lambda x: x * x, by_private_class,
])
def test_infinite_and_denormal_inputs_are_no_bug_of_ours(heuristic):
    edges = [math.inf, -math.inf, math.nan, 0.0, -0.0, 5e-324, 1e-310, 1e308, -1.7e308, 1.0, -2.5]
    assert da.compile(heuristic, errors="nan").verify(edges).ok


def test_a_move_that_is_lost_beside_a_large_input_is_no_bug_of_ours():
    def steps(a, b, c):
        return (a - b) + (b - c)

    assert da.compile(steps).verify([1.0, 2.0, 1e160], [1e160, 1.0, 2.0], [0.5, 1e160, -1.0]).ok
    wrong = da.compile(steps)
    wrong.function = lambda a, b, c: (a - b) + (b - c) + 0.1 * math.sin(10.0 * a)
    with pytest.raises(da.VerificationError, match="the gradients of output 0 by `a` differ"):
        wrong.verify([math.pi], [2.0], [0.5])
