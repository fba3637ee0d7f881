"""`da.function`: the heuristic back as a plain callable in native code."""

import math
import pickle
import threading

import numpy as np
import pytest

import deepalgo as da
from deepalgo.ir import parse
from deepalgo.network import Network


def friction(re, rough=1e-4):
    return 64.0 / re if re < 2040.0 else 0.11 * (rough + 68.0 / re) ** 0.25


def settle(x):
    y = 0.0
    count = 0
    while abs(x - y) > 1e-3:
        y = y + 0.1 * (x - y)
        count += 1
    return {"y": y, "count": count, "above": y > 1.0, "method": "relax"}


def turned(v, angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def shifted(v, by):
    v[0] = v[0] + by
    return v[1]


def halved(x):
    if x < 0.0:
        raise ValueError(f"{x} is negative")
    return math.sqrt(x) / 2.0


def test_floats_in_and_floats_out_with_pythons_bits():
    plain = da.function(da.compile(friction, inputs=("rough",)))
    assert plain.backend == "native"
    for re in (10.0, 2039.0, 2040.0, 1e5, 7.3e6):
        for rough in (0.0, 1e-4, 0.03):
            assert plain(re, rough) == friction(re, rough)
    assert type(plain(1e5, 1e-4)) is float
    assert plain(1000, np.float64(1e-4)) == plain(re=1000.0, rough=1e-4) == 0.064


def test_arrays_in_and_arrays_out():
    plain = da.function(da.compile(friction, inputs=("rough",)))
    res = np.geomspace(10.0, 1e6, 203)
    found = plain(res, 1e-4)
    assert isinstance(found, np.ndarray)
    assert found.tolist() == [friction(re) for re in res.tolist()]
    assert plain(list(res[:3]), 1e-4).tolist() == found[:3].tolist()
    assert plain(res[:0], 1e-4).shape == (0,)
    assert plain(res.astype(np.float32)[::2], 1e-4).shape == (102,)


def test_structures_ints_and_truths_come_back():
    plain = da.function(da.compile(settle))
    found = plain(3.0)
    assert found == settle(3.0)
    assert [type(item) for item in found.values()] == [float, int, bool, str]
    xs = np.array([0.0, 3.0, -7.0])
    batch = plain(xs)
    assert batch["count"].tolist() == [settle(x)["count"] for x in xs.tolist()]


def test_arrays_of_a_sample():
    plain = da.function(da.compile(turned, example=((np.array([1.0, 2.0]), 0.5), {})))
    v = np.array([3.0, 4.0])
    assert plain(v, 0.7).tolist() == turned(v, 0.7).tolist()
    assert plain(np.stack([v, v]), 0.7).shape == (2, 2)
    with pytest.raises(da.InputError, match="adjoints"):
        plain.gradient(v, 0.7)
    found = plain.gradient(v, 0.7, adjoints=[[1.0, 0.0]])
    assert found["v"] == pytest.approx([math.cos(0.7), -math.sin(0.7)], rel=1e-14)


def test_what_the_function_changes_is_changed():
    plain = da.function(da.compile(shifted, example=((np.array([1.0, 2.0]), 0.5), {})))
    v = np.array([3.0, 4.0])
    assert plain(v, 0.5) == 4.0
    assert v.tolist() == [3.5, 4.0]


def test_samples_that_fail_raise_or_are_nan():
    plain = da.function(da.compile(halved))
    with pytest.raises(da.HeuristicError, match=r"ValueError: -1\.0 is negative"):
        plain(-1.0)
    with pytest.raises(da.HeuristicError, match="Sample 1"):
        plain(np.array([1.0, -1.0]))
    assert math.isnan(da.function(da.compile(halved, errors="nan"))(-1.0))
    with pytest.raises(da.HeuristicError, match="ValueError"):
        plain.gradient(-1.0)


def test_bad_calls_say_what_is_wrong():
    plain = da.function(da.compile(halved))
    with pytest.raises(da.InputError, match="must be numbers"):
        plain("four")
    with pytest.raises(da.InputError, match="not bool"):
        plain(True)
    with pytest.raises(da.InputError, match="takes 1 positional"):
        plain(1.0, 2.0)
    with pytest.raises(da.InputError, match="needs the argument 'x'"):
        plain()


def test_gradients_by_the_inputs():
    plain = da.function(da.compile(friction, inputs=("rough",)))
    assert plain.gradient(1000.0, 1e-4) == {"re": pytest.approx(-6.4e-5), "rough": 0.0}
    xs = np.array([1000.0, 1e5])
    found = plain.gradient(xs, 1e-4)
    step = 1e-3
    wanted = (plain(xs + step, 1e-4) - plain(xs - step, 1e-4)) / (2 * step)
    assert found["re"] == pytest.approx(wanted, rel=1e-6)


def test_it_is_the_network_as_it_was():
    network = da.compile(friction)
    plain = da.function(network)
    before = plain(1e5)
    for weight in network.parameters():
        weight.data *= 2.0
    assert plain(1e5) == before
    assert da.function(network)(1e5) == pytest.approx(network(1e5).item(), rel=1e-14) != before


def test_it_can_be_pickled():
    plain = pickle.loads(pickle.dumps(da.function(da.compile(friction))))
    assert plain(1e5) == friction(1e5)
    assert plain.__name__ == "friction"
    made = da.function(Network(parse("scale(x: real)\n  weight w = 3.0\n  %w = weight w\n  %y = mul %x %w\n  return %y")))
    assert pickle.loads(pickle.dumps(made))(2.0) == 6.0


def test_torch_computes_what_native_code_does_not():
    def largest(a):
        return np.linalg.eigvalsh(a)[-1]

    plain = da.function(da.compile(largest, example=((np.eye(2),), {})))
    assert plain.backend.startswith("torch (eigvalsh")
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert plain(a) == pytest.approx(np.linalg.eigvalsh(a)[-1], rel=1e-14)
    assert plain.gradient(a)["a"].shape == (2, 2)


def test_threads_share_a_function():
    plain, found = da.function(da.compile(settle)), {}

    def work(number):
        found[number] = [plain(number + place / 100.0)["y"] for place in range(300)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: [settle(number + place / 100.0)["y"] for place in range(300)] for number in range(4)}


def test_functions_of_the_c_library_in_an_arm_have_code_for_one_sample():
    def cooled(x, rate=0.3):
        return math.exp(-rate * x) ** 1.7 if x > 1.0 else math.fmod(x, 0.3)

    made = da.function(da.compile(cooled))
    assert [made(x) for x in (0.5, 2.0, 3.5)] == [cooled(x) for x in (0.5, 2.0, 3.5)]
    assert made._lane is not None
