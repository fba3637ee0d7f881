"""Derivatives by weights are those of the function with that constant replaced, and the function is left as it was."""

import dataclasses
import functools
import math
import pickle
import sys

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.certificate.by_weights import GROWN, LEFT_OUT
from deepalgo.certificate.constants import OutOfReach, replaced
from tests.certificate.test_certificate import doctored, load

GAIN = 0.7
TABLE = [0.1, [0.2, 0.3]]
ROW = np.array([1.0, 2.0, 3.0])
NAMED = {"a": 0.5, "b": (1.0, 2.0)}
X = [0.5, 1.7, 2.0]


def twice(x):
    return 0.5 * x + 0.5 * x * x - 0.5


def helper(x, k=0.25, *, shift=1.5):
    return k * x + shift


def uses_a_helper(x):
    return helper(x) * helper(2.0 * x, 0.75)


def uses_globals(x):
    return GAIN * x + TABLE[1][0] * x * x + NAMED["a"] * x + NAMED["b"][1] * math.sin(x) + float(ROW @ (ROW * x))


class Plant:
    rate = 0.3

    def __init__(self):
        self.own = 1.7

    def step(self, x):
        return self.rate * x + self.own * x * x + 2.5


@dataclasses.dataclass(frozen=True)
class Point:
    a: float
    b: float = 0.6


PLANT = Plant()


def descend(x):
    return x * 0.75 if x < 1.1 else descend(0.5 * x) + 0.25


def uses_objects(x):
    return PLANT.step(x) * Point(x).b


def made(k):
    def inner(x):
        return k * x + 0.125 * x * x

    return inner


CLOSURE = made(1.9)
LAMBDA = lambda x: 3.0 * x + 3.0 * x * x  # noqa: E731
PARTIAL = functools.partial(lambda a, x, k=2.0: a * x + k * x * x, 1.1, k=0.8)


def table_and_inner(x):
    t = [0.5, 0.25, -0.125]
    inner = lambda y: y * 0.9  # noqa: E731
    total = da.weight(1 / 3, "third")
    for i in range(3):
        total += t[i] * x**i
    return inner(total)


@pytest.mark.parametrize(("heuristic", "derivatives"), [
    (twice, 9), (uses_a_helper, 12), (uses_globals, 30), (uses_objects, 12), (CLOSURE, 6), (LAMBDA, 6), (PARTIAL, 6), (PLANT.step, 9),
    (table_and_inner, 15), (descend, 12),
])  # fmt: skip
def test_every_weight_is_compared_wherever_the_function_holds_it(heuristic, derivatives):
    by_weights = da.compile(heuristic).verify(X).by_weights
    assert (by_weights.compared, by_weights.skipped, by_weights.unseen) == (derivatives, 0, {})
    assert by_weights.difference < 1e-7


def held():
    """Everything that holds a constant here."""
    codes = [item.__code__ for item in (helper, Plant.step, CLOSURE, LAMBDA)]
    defaults = [helper.__defaults__, helper.__kwdefaults__, Point.__init__.__defaults__, PARTIAL.args, PARTIAL.keywords]
    return [GAIN, TABLE, TABLE[1], ROW, NAMED, PLANT.own, Plant.rate, CLOSURE.__closure__[0].cell_contents, *codes, *defaults]


def test_the_function_is_left_as_it_was():
    before, modules = held(), set(sys.modules)
    for heuristic in (uses_a_helper, uses_globals, uses_objects, CLOSURE, LAMBDA, PARTIAL):
        da.compile(heuristic).verify(X)
    assert all(old is new for old, new in zip(before, held(), strict=True))
    assert (TABLE, NAMED) == ([0.1, [0.2, 0.3]], {"a": 0.5, "b": (1.0, 2.0)})
    assert (helper.__kwdefaults__, PARTIAL.keywords) == ({"shift": 1.5}, {"k": 0.8})
    assert set(sys.modules) == modules


def interrupt(net, weight, heuristic, right):
    with replaced(net.origins.found[weight.key], weight, (), 7.0):
        assert [heuristic(x) for x in X] != right
        raise KeyboardInterrupt


@pytest.mark.parametrize("heuristic", [twice, uses_a_helper, uses_globals, CLOSURE, PARTIAL])
def test_it_is_left_as_it_was_also_after_an_exception(heuristic):
    net = da.compile(heuristic)
    right = [heuristic(x) for x in X]
    with pytest.raises(KeyboardInterrupt):
        interrupt(net, net.program.weights[0], heuristic, right)
    assert [heuristic(x) for x in X] == right


def test_one_of_two_equal_literals_is_replaced():
    net = da.compile(twice)
    with replaced(net.origins.found[net.program.weights[1].key], net.program.weights[1], (), 1.0):
        assert twice(2.0) == 0.5 * 2.0 + 1.0 * 2.0 * 2.0 - 0.5


def test_a_wrong_gradient_by_a_weight_is_found(monkeypatch):
    net = da.compile(helper)
    right, k = net.execute, net.weights["k"]
    monkeypatch.setattr(net, "execute", lambda leaves: [item + 3.0 * (k - k.detach()) for item in right(leaves)])
    with pytest.raises(da.VerificationError) as caught:
        net.verify(X)
    assert caught.value.reason == "the gradients of output 0 by the weight `k` differ"
    assert (caught.value.expected, caught.value.got) == (pytest.approx(0.5), pytest.approx(3.5))


def test_a_gradient_by_a_weight_that_is_not_a_number_is_found(monkeypatch):
    net = da.compile(helper)
    right, k = net.execute, net.weights["k"]
    monkeypatch.setattr(net, "execute", lambda leaves: [item + 0.0 * torch.sqrt(k - k.detach()) for item in right(leaves)])
    with pytest.raises(da.VerificationError, match="the gradient by the weight `k` is not a number"):
        net.verify(X)


def test_no_more_weights_are_compared_than_asked_for():
    by_weights = da.compile(uses_globals).verify(X, most_weights=2).by_weights
    assert list(by_weights.unseen.values()) == [LEFT_OUT] * 4
    assert "not seen" in str(da.compile(uses_globals).verify(X, most_weights=2))


@functools.lru_cache
def remembered(x):
    return 0.5 * x


def uses_a_cache(x):
    return remembered(x) + 1.0


def test_functions_that_remember_are_not_run_with_other_constants():
    certificate = da.compile(uses_a_cache).verify(X)
    assert set(certificate.by_weights.unseen.values()) == {"`remembered` remembers answers of earlier calls"}
    assert remembered(0.5) == 0.25


def squared(x):
    y = 0.5 * x
    return y * y


def test_what_the_network_cannot_know_is_counted_as_not_seen(tmp_path):
    net = da.compile(twice)
    net.save(tmp_path / "twice.safetensors")
    loaded = da.load(tmp_path / "twice.safetensors", function=twice)
    assert set(loaded.verify(X).by_weights.unseen.values()) == {"where the function holds it is not known"}
    assert set(doctored(net, lambda item: item).verify(X).by_weights.unseen.values()) == {"where the function holds it is not known"}
    grown = da.correct(da.compile(squared), "y", hidden=2)
    assert set(grown.verify(X).by_weights.unseen.values()) == {GROWN}
    assert net.origins.found and pickle.loads(pickle.dumps(net.origins)).found == {}


def test_a_global_that_changed_since_is_out_of_reach(monkeypatch):
    net = da.compile(uses_globals)
    weight = next(item for item in net.program.weights if item.key == "GAIN")
    monkeypatch.setitem(globals(), "GAIN", 0.9)
    with pytest.raises(OutOfReach, match="the function holds another value by now"), replaced(net.origins.found["GAIN"], weight, (), 1.0):
        pass


BISECTION = """\
import math

def colebrook(reynolds, rough):
    low, high = 0.001, 0.1
    for _ in range(60):
        mid = 0.5 * (low + high)
        if 1.0 / math.sqrt(mid) + 2.0 * math.log10(rough / 3.7 + 2.51 / (reynolds * math.sqrt(mid))) > 0.0:
            low = mid
        else:
            high = mid
    return mid
"""


def test_derivatives_of_which_none_was_compared_are_a_warning_in_the_first_line(tmp_path):
    certificate = da.compile(load(tmp_path, BISECTION, "colebrook")).verify([1e5 + 1e3 * i for i in range(19)], [1e-4] * 19)
    by_inputs, by_weights = certificate.gradients.skipped, certificate.by_weights.skipped
    assert str(certificate).splitlines()[0] == (
        f"colebrook: the network gives the answers of the function; warning: 0 of {by_inputs} derivatives by inputs "
        f"and 0 of {by_weights} derivatives by weights compared"
    )
    idle = {item.key: item for item in certificate.dead}
    assert idle["c7_3"].tried and not idle["c7_3"].moves_no_answer  # 3.7 has no gradient, and moves every answer


THRESHOLDS = """\
def price(x):
    if x > 100.0:
        return 2.0 * x
    if x > 3.0:
        return x
    return 0.0 * x
"""


def test_only_what_was_moved_without_effect_moves_no_answer(tmp_path):
    text = str(da.compile(load(tmp_path, THRESHOLDS, "price")).verify([1.0, 2.0, 4.0]))
    assert text.partition("weights that move no answer\n")[2] == """\
  c2  threshold    price.py:2
  c3  coefficient  price.py:3

weights with no gradient here
  c4  threshold  price.py:4  answers change when it moves by 50 %"""
