"""Native code records what samples do as torch code does, computes the same bits meanwhile, and certificates say what they certify."""

import collections
import functools
import math

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.backends.native import engine, kernel
from deepalgo.backends.native.doubts import value
from deepalgo.backends.native.engine import engine_of
from deepalgo.backends.native.numbers import NumberForms
from deepalgo.backends.native.text import Cell, Code, Unsupported
from deepalgo.backends.targets import Plan
from deepalgo.backends.torch.backend import TorchBackend
from deepalgo.backends.torch.builds import build
from deepalgo.backends.torch.runtime.record import Record, recording
from deepalgo.kinds import Kind
from deepalgo.ops.table import TABLE
from tests.support.cases import BY_NAME, CASES

TABLES = ("branches", "trips", "rounds", "ties", "endpoints")


@functools.cache
def both(name):
    case = BY_NAME[name]
    options = {"mathematics": "exact", **case.compile_options()}
    return tuple(da.compile(case.function, backend=backend, **options) for backend in ("torch", "native"))


def batch_of(case, net, count=40):
    """The samples of a case that do not fail."""
    rows = []
    for row in case.rows(count):
        args, kwargs = case.arrange(*row)
        rows.append(net.signature.flatten(args, kwargs, torch.float64, torch.device("cpu"))[0])
    whole = [torch.cat(column) for column in zip(*rows, strict=True)]
    good = [place for place, error in enumerate(net.outcomes(whole)[1]) if error is None]
    return [column[good] for column in whole]


def recorded(net, leaves):
    with recording() as record, torch.no_grad():
        results = net.execute(leaves)
    return record, results


def by_sample(record):
    """What each sample did at each place, in order; of ties and endpoints only which samples had some."""
    found = {}
    for table in TABLES:
        for span, visits in record.table(table).items():
            did = collections.defaultdict(list)
            for visit in visits:
                assert visit.samples.tolist() == sorted(visit.samples.tolist())
                for sample, item in zip(visit.samples.tolist(), visit.did.tolist(), strict=True):
                    if table in ("branches", "trips", "rounds") or item:
                        did[sample].append(item)
            if did:
                found[table, span] = dict(did)
    return found


@pytest.fixture
def _no_torch(monkeypatch):
    def never(*args, **options):
        raise AssertionError("torch code ran")

    monkeypatch.setattr(TorchBackend, "watch", never)
    monkeypatch.setattr(TorchBackend, "from_tensors", never)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_records_and_results_are_those_of_torch_code_and_of_the_code_that_runs(case):
    torch_net, native = both(case.id)
    leaves = batch_of(case, native)
    record, results = recorded(native, leaves)
    expected, _ = recorded(torch_net, leaves)
    assert by_sample(record) == by_sample(expected)
    with torch.no_grad():
        plain = native.execute(leaves)
    assert [*map(bits, results)] == [*map(bits, plain)]


def bits(tensor):
    return tensor.numpy().tobytes()


def nested(x, limit=3.0):
    total, rounds = 0.0, 0
    for row in range(3):
        step = x
        while step > 0.1 * (row + 1):
            step = step * 0.5
            try:
                total = total + math.sqrt(limit - step)
            except ValueError:
                total = total - 1.0
            if math.exp(step) > math.e:
                rounds += 1
    return total, rounds


@pytest.mark.usefixtures("_no_torch")
def test_nested_loops_attempts_and_near_ties_are_recorded_natively():
    nets = [da.compile(nested, backend=backend, mathematics="exact") for backend in ("native", "torch")]
    xs = torch.tensor([0.05, 1.0, 2.0, 7.3, 12.0, 0.4, 40.0, 8.0 * (1.0 + 2**-52), 3.0, 0.2], dtype=torch.float64)
    native, _ = recorded(nets[0], [xs])
    expected = Record()
    build(nets[1].program, Plan(record=True))([xs], nets[1].weights.tensors(), xs.dtype, xs.device, expected)
    assert by_sample(native) == by_sample(expected)
    assert {sample for (table, _), did in by_sample(native).items() if table == "ties" for sample in did} == {2, 7}


def halving(x):
    rounds = 0
    while x > 0.01:
        x = x * 0.95 if x > 1.0 else x * 0.8
        rounds += 1
    return rounds


def test_a_record_grows_as_long_loops_need_it_and_is_the_same_for_two_threads(monkeypatch):
    monkeypatch.setattr(kernel, "FIRST_LOG", 16)
    net = da.compile(halving, backend="native", max_rounds=100)
    xs = torch.linspace(0.0, 3.0, 2 * kernel.BLOCK + 5, dtype=torch.float64)
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(recorded(net, [xs]))
    finally:
        torch.set_num_threads(before)
    (one, results), (two, _) = found
    trips = [by_sample(record)["trips", next(iter(record.trips))] for record in (one, two)]
    assert trips[0] == trips[1] == {sample: [rounds] for sample, rounds in enumerate(results[0].tolist())}
    arms = by_sample(one)["branches", next(iter(one.branches))]
    assert [len(arms.get(sample, ())) for sample in range(len(xs))] == results[0].tolist()


def rooted(xs):
    return np.sum(np.where(np.exp(xs) > math.e, 1.0, 0.0)) + np.sum(np.sqrt(np.abs(xs)))


@pytest.mark.parametrize("size", [3, 40])
def test_ties_and_endpoints_of_arrays_are_those_of_any_of_their_numbers(size):
    nets = [da.compile(rooted, example=((np.ones(size),), {}), backend=backend) for backend in ("native", "torch")]
    xs = torch.full((10, size), 2.5, dtype=torch.float64)
    xs[3, size - 1], xs[5, 1], xs[6, 0] = 1.0, 0.0, 1.0 + 2**-40
    found = [by_sample(recorded(net, [xs])[0]) for net in nets]
    assert found[0] == found[1]
    assert sorted((table, *hits) for (table, _), hits in found[0].items()) == [("endpoints", 5), ("ties", 3)]


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.step or row.endpoint])
def test_every_tie_and_endpoint_of_the_table_is_known_natively(name):
    numbers = NumberForms(Code())
    cells = [Cell(f"%x{place}", Kind.REAL) for place in range(3)]
    for expression in (TABLE[name].step, TABLE[name].endpoint):
        assert not expression or value(expression, numbers, cells).text


def failing(x):
    if x < 0.0:
        raise ValueError(f"{x} is negative")
    return math.sqrt(x) if x > 1.0 else x


@pytest.mark.usefixtures("_no_torch")
def test_samples_that_fail_do_not_appear_or_raise_as_they_do_without_a_record():
    xs = torch.tensor([4.0, -1.0, 0.5], dtype=torch.float64)
    net = da.compile(failing, backend="native", errors="nan")
    record, (results,) = recorded(net, [xs])
    assert results.isnan().tolist() == [False, True, False]
    assert net.failures.total() == 1
    assert [*by_sample(record).values()] == [{0: [True], 2: [False]}]
    with pytest.raises(da.HeuristicError, match=r"-1\.0 is negative"):
        recorded(net.with_errors("raise"), [xs])


def test_a_recorded_call_has_a_gradient_where_one_is_wanted():
    net = da.compile(failing, backend="native")
    xs = torch.tensor([4.0, 0.5], dtype=torch.float64, requires_grad=True)
    with recording() as record:
        net(xs).sum().backward()
    assert xs.grad.tolist() == [0.25, 1.0]
    assert by_sample(record)


@pytest.mark.parametrize(("options", "told"), [
    ({"backend": "native"}, "native code, vector mathematics"),
    ({"backend": "native", "mathematics": "exact"}, "native code, exact mathematics"),
    ({"backend": "torch"}, "torch"),
])
def test_a_certificate_says_which_mathematics_it_certifies(options, told):
    certificate = da.compile(failing, **options).verify([4.0, 0.5, 2.0, -3.0])
    assert certificate.computed == told
    assert f"  computed   by {told}\n" in str(certificate)


@pytest.mark.usefixtures("_no_torch")
def test_a_certificate_of_native_code_runs_no_torch_code():
    assert da.compile(nested, backend="native").verify([0.05, 1.3, 7.3, 12.0]).paths == 4


def test_what_is_not_recorded_natively_is_recorded_by_torch_and_the_certificate_says_so(monkeypatch):
    made = engine.Kernel

    def no_records(program, summed, *args):
        if args[-1] and args[-1].records:
            raise Unsupported("no records today, line 7")
        return made(program, summed, *args)

    monkeypatch.setattr(engine, "Kernel", no_records)
    net = da.compile(failing, backend="native")
    assert engine_of(net.program, net.max_rounds, "vector", True).reason_against_records() == "no records today, line 7"
    certificate = net.verify([4.0, 0.5, 2.0])
    assert certificate.computed == "native code, vector mathematics, paths by torch (no records today, line 7)"
