"""Arrays of more than a few numbers lie in memory: stores, places that data chooses, branches and loops answer as Python does."""

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.backends.native import engine_of
from deepalgo.backends.native.memory import Rooms
from deepalgo.backends.native.write import write
from deepalgo.backends.targets import NATIVE, NATIVE_BACK
from deepalgo.kinds import Kind
from deepalgo.lower.passes import run


def histogram(xs, width=0.37):
    table = [0.0] * 40
    for x in xs:
        k = int(abs(x) / width)
        if k < 40:
            table[k] = table[k] + x * x
    best = 0.0
    for k in range(40):
        if table[k] > best:
            best = table[k]
    return best + table[3]


def smoothed(a, rate=0.3):
    b = np.array(a)
    for _ in range(5):
        for i in range(1, len(a) - 1):
            b[i] = b[i] + rate * (b[i - 1] - 2 * b[i] + b[i + 1])
    return b


def whole_arrays(a, s):
    y = np.exp(-a * a * s) + a[::-1]
    z = np.where(y > 0.5, y, np.sqrt(np.abs(a)))
    return z.sum(), z, np.concatenate([z[3:], a[:3]]), z.reshape(5, 5).T, z.max()


def exchanged_by_rounds(a, n):
    x, y = a * 1.0, a * 2.0
    k = 0.0
    while k < n:
        x, y = y, x + 0.5 * y
        k += 1.0
    return x, y


def stored_in_one_arm(a, k):
    b = a.copy()
    if k > 0.0:
        b[int(k) % 25] = k
        if k > 3.0:
            b[2] = b[3] * k
    else:
        b = b * 2.0
    return b, a[0] + b[4]


def stored_in_arms_of_rounds(a, t):
    b, c = a.copy(), a * 0.5
    for i in range(7):
        if a[i] > t:
            b[i] = b[i] * t
            c[i + 1] = b[i]
        elif a[i] < -t:
            b, c = c, b
        else:
            c[i] = c[i] - b[i + 3]
    return (b * c).sum(), b


def rows_and_slices(a, w=0.7):
    s = np.zeros(30)
    for i in range(25):
        s[i + 1] = s[i] * w + a[i]
    m = np.zeros((5, 6))
    for i in range(5):
        m[i] = s[6 * i : 6 * i + 6] if i < 4 else s[24:30]
    m[2, 3] = 1.5
    return m, m[:, 2], s[1:] - s[:-1]


def looked_up(x, w=1.1):
    table = np.linspace(0.0, 3.0, 31) * w
    squares = [i * i * 0.5 for i in range(40)]
    k = int(x * 10) % 31
    return table[k], squares[k], table[7]


def picked_many(a, x):
    order = np.argsort(a)
    b = a[order]
    kept = b > x
    return b, np.where(kept, b, 0.0).cumsum(), kept


def numbers_of_lines(a, x):
    m = np.multiply.outer(a, np.sin(a + x))
    cube = np.stack([m, m.T * 0.3, m - x, np.where(m > 0, m, x)])
    low, high = cube.min(axis=0), cube.max(axis=2)
    found = [np.argmin(cube, axis=1), np.argmax(cube, axis=2), np.any(cube > 2.0, axis=1), np.all(cube < 2.0, axis=0)]
    return cube.sum(axis=0), cube.sum(axis=1), cube.sum(axis=2), np.prod(cube[:, :, :5], axis=2), low, high, *found


def failing(a, x):
    b = a.copy()
    for i in range(20):
        if a[i] == x:
            raise ValueError("equal")
        b[i] = b[i] / (a[i] - x)
    return b


HEURISTICS = [histogram, smoothed, whole_arrays, exchanged_by_rounds, stored_in_one_arm, stored_in_arms_of_rounds, rows_and_slices,
              looked_up, picked_many, numbers_of_lines]


def columns_of(heuristic, count=37):
    rng = np.random.default_rng(0)
    wide = {histogram: 20, smoothed: 24, exchanged_by_rounds: 20, stored_in_arms_of_rounds: 20}.get(heuristic, 25)
    other = {exchanged_by_rounds: rng.integers(0, 9, count).astype(float), looked_up: rng.uniform(0, 3, count)}
    single = other.get(heuristic, 4 * rng.normal(size=count))
    arrays = rng.normal(size=(count, wide))
    if heuristic is looked_up:
        return [single]
    if heuristic in (histogram, smoothed, rows_and_slices):
        return [arrays]
    return [arrays, np.abs(single) if heuristic is whole_arrays else single]


def flat(tree):
    return [item for part in tree for item in flat(part)] if isinstance(tree, (tuple, list)) else [tree]


def compiled(heuristic, columns, backend):
    return da.compile(heuristic, example=([column[0] if column.ndim > 1 else float(column[0]) for column in columns], {}), backend=backend)


def results_and_gradients(net, columns):
    tensors = [torch.tensor(column, requires_grad=True) for column in columns]
    results = flat(net(*tensors))
    weights = [torch.linspace(0.5, 1.5, item[0].numel(), dtype=torch.float64).reshape(item.shape[1:]) for item in results]
    sum((item * weight).sum() for item, weight in zip(results, weights, strict=True) if item.requires_grad).backward()
    return results, [item.grad for item in [*tensors, *net.parameters()]]


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_arrays_in_memory_answer_as_python_and_torch_do(heuristic):
    columns = columns_of(heuristic)
    net = compiled(heuristic, columns, "native")
    assert net.backend == "native"
    assert engine_of(net.program, net.max_rounds, net.mathematics, patient=True).reason_against(gradient=True) == ""
    results, gradients = results_and_gradients(net, columns)
    for row in range(0, 37, 5):
        wanted = flat(heuristic(*[column[row].copy() if column.ndim > 1 else float(column[row]) for column in columns]))
        for ours, theirs in zip(results, wanted, strict=True):
            assert np.allclose(ours[row].detach().numpy(), theirs, rtol=1e-13, atol=1e-14)
    _, expected = results_and_gradients(compiled(heuristic, columns, "torch"), columns)
    for ours, theirs in zip(gradients, expected, strict=True):
        assert torch.allclose(ours, torch.zeros_like(ours) if theirs is None else theirs, rtol=1e-10, atol=1e-11)


def test_samples_that_fail_leave_the_arrays_of_others_alone():
    rng = np.random.default_rng(1)
    a, x = rng.normal(size=(19, 20)), rng.normal(size=19)
    x[[2, 3, 11]] = a[[2, 3, 11], [5, 0, 19]]
    gradients = []
    for backend in ("native", "torch"):
        net = da.compile(failing, example=((a[0], 1.0), {}), backend=backend, errors="nan")
        given = torch.tensor(a, requires_grad=True)
        answers = net(given, torch.tensor(x))
        good = ~answers.isnan().any(1)
        assert torch.nonzero(~good).flatten().tolist() == [2, 3, 11]
        answers[good].sum().backward()
        gradients.append(given.grad)
        for row in (0, 4, 18):
            assert np.allclose(answers[row].detach().numpy(), failing(a[row], x[row]), rtol=1e-14)
    assert torch.allclose(*gradients, rtol=1e-10, atol=0)
    assert gradients[0][[2, 3, 11]].tolist() == [[0.0] * 20] * 3


def tall(a):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * i
    return total


def test_the_text_does_not_grow_with_the_array():
    few, many = (da.compile(tall, example=((np.zeros(size),), {}), backend="native") for size in (256, 4096))
    for passes in (NATIVE, NATIVE_BACK):
        lengths = [write(run(passes, net.program)).text.count("\n") for net in (few, many)]
        assert lengths[0] == lengths[1]
    a = torch.ones((3, 4096), dtype=torch.float64, requires_grad=True)
    many(a).sum().backward()
    assert a.grad[1].tolist() == list(range(4096))


def test_rooms_are_free_when_no_value_lies_there():
    rooms = Rooms()
    first = rooms.take(20, Kind.REAL)
    rooms.hold(first)
    rooms.release(first)
    assert rooms.take(20, Kind.REAL).first == 20
    rooms.release(first)
    assert rooms.take(20, Kind.REAL).first == 0
    assert rooms.most == 40


FACTORS, POWERS = np.linspace(0.5, 1.5, 30), np.arange(30) % 9 - 3


def series(x):
    return np.sum(FACTORS * x**POWERS)


@pytest.mark.parametrize("mathematics", ["exact", "vector"])
def test_arrays_of_weights_are_there_for_every_group_of_samples(mathematics):
    xs, found = torch.linspace(0.5, 2.0, 200, dtype=torch.float64), []
    for backend in ("native", "torch"):
        net = da.compile(series, example=((1.0,), {}), backend=backend, mathematics=mathematics)
        inputs = xs.clone().requires_grad_()
        results = net(inputs)
        results.sum().backward()
        found.append((results.tolist(), inputs.grad.tolist(), net.weights["FACTORS"].grad.tolist()))
    for native, other in zip(*found, strict=True):
        assert native == pytest.approx(other, rel=1e-12)
