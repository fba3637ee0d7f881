"""The compiled network gives the function's answers: values, kinds, errors, in every way it can be called."""

import copy
import importlib.util
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import torch

import deepalgo as da
from tests.support import heuristics as h
from tests.support.cases import BY_NAME, CASES, network
from tests.support.oracle import answer, assert_answers, columns, leaves, same, sample

BACKENDS = pytest.mark.parametrize("backend", ["native", "torch"])
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


def answers(case, rows):
    return [answer(case.function, *args, **kwargs) for args, kwargs in (case.arrange(*row) for row in rows)]


def run(net, case, rows):
    args, kwargs = case.arrange(*columns(rows))
    return net(*args, **kwargs)


@BACKENDS
@EACH
def test_network_gives_the_answers_of_the_function(case, backend):
    rows = case.rows()
    assert_answers(run(network(case.id, backend=backend), case, rows), answers(case, rows), rows)


@BACKENDS
@EACH
def test_settled_loops_give_the_answers_of_the_function(case, backend):
    rows = case.rows(12)
    assert_answers(run(network(case.id, "settle", backend=backend), case, rows), answers(case, rows), rows)


@EACH
def test_one_sample_gives_what_it_gives_in_a_batch(case):
    net, rows = network(case.id), case.rows(2)
    batch = run(net, case, rows)
    for place, row in enumerate(rows):
        args, kwargs = case.arrange(*row)
        alone = [leaf.item() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves(net(*args, **kwargs))]
        assert all(same(a, b, rtol=1e-13) for a, b in zip(alone, sample(batch, place), strict=True))


@EACH
def test_samples_do_not_know_of_each_other(case):
    net, rows = network(case.id), case.rows(10)
    forwards, backwards = run(net, case, rows), run(net, case, rows[::-1])
    for place in range(len(rows)):
        found, again = sample(forwards, place), sample(backwards, len(rows) - 1 - place)
        assert all(same(a, b, rtol=1e-13) for a, b in zip(found, again, strict=True))


def test_the_checker_finds_a_wrong_answer():
    rows = [(1.0,), (2.0,)]
    wanted = [answer(lambda x: x * 2, *row) for row in rows]
    assert_answers(torch.tensor([2.0, 4.0], dtype=torch.float64), wanted, rows)
    with pytest.raises(AssertionError, match=r"\(2\.0,\): \[4\.0\], but got \[4\.00000001\]"):
        assert_answers(torch.tensor([2.0, 4.00000001], dtype=torch.float64), wanted, rows)
    with pytest.raises(AssertionError, match="ZeroDivisionError, but got"):
        assert_answers(torch.tensor([2.0]), [answer(lambda: 1 / 0)], [()])


def test_results_have_the_structure_of_the_function():
    found = network("months_to_pay")(100.0, 0.1, 50.0)
    assert list(found) == ["months", "paid"]
    assert found["months"].dtype == torch.int64 and found["paid"].dtype == torch.float64

    reading = network("update_filter")(0.0, 1.0)
    assert type(reading).__name__ == "Reading" and reading._fields == ("value", "quality")

    first, second, third, negation = network("fallback")(0.0, 2.0)
    assert negation.dtype == torch.bool and [first.item(), second.item(), third.item()] == [2.0, 0.0, 0.5]

    middle = network("centroid")([(0.0, 1.0), (2.0, 3.0), (4.0, 8.0)])
    assert {key: getattr(item, "item", lambda item=item: item)() for key, item in middle.items()} == {"x": 2.0, "y": 4.0, "count": 3}


RAISING = [(case, row) for case in CASES for row in case.edges if answer(case.function, *case.arrange(*row)[0]).error is not None]


@pytest.mark.parametrize("loops", ["run", "settle"])
@pytest.mark.parametrize(("case", "row"), RAISING, ids=lambda item: getattr(item, "id", str(item)))
def test_samples_on_which_the_function_raises_are_named(case, row, loops):
    wanted = answer(case.function, *row)
    rows = [*case.rows(3)[:3], row]
    assert [item.error for item in answers(case, rows)] == [None, None, None, wanted.error]
    with pytest.raises(da.HeuristicError) as caught:
        run(network(case.id, loops, "raise"), case, rows)
    assert (caught.value.error, caught.value.samples) == (wanted.error, (3,))
    assert caught.value.message == wanted.message


def test_there_are_raising_samples():
    assert len(RAISING) >= 8


def test_failed_samples_are_counted_by_line():
    net = da.compile(h.dew_point, errors="nan")
    result = net([10.0, 10.0, 20.0], [50.0, 0.0, -1.0])
    assert result.isnan().tolist() == [False, True, True]
    line = h.dew_point.__code__.co_firstlineno + 3
    assert dict(net.failures) == {f"tests/support/heuristics.py:{line}: ValueError: humidity {{0}} is not positive": 2}


def test_floats_lists_arrays_and_tensors_are_the_same_inputs():
    net, wanted = network("kepler"), h.kepler(1.0, 0.3)
    single = [net(1.0, 0.3), net(np.float64(1.0), 0.3), net(torch.tensor(1.0, dtype=torch.float64), 0.3), net(mean=1.0, eccentricity=0.3)]
    assert all(item.shape == () and same(item.item(), wanted) for item in single)
    batched = [net([1.0, 1.0], 0.3), net(np.ones(2), np.full(2, 0.3)), net(torch.ones(2, dtype=torch.float64), 0.3), net(1.0, [0.3, 0.3])]
    assert all(item.shape == (2,) and same(item[1].item(), wanted) for item in batched)


def test_whole_numbers_and_single_precision_are_taken_as_floats():
    net = network("sphere_drag")
    assert net(3).item() == net(3.0).item() == net(np.float32(3.0)).item() == net(torch.tensor(3)).item()


def test_a_batch_of_none_gives_a_batch_of_none():
    assert network("sphere_drag")(torch.empty(0, dtype=torch.float64)).shape == (0,)
    assert network("damped_newton")(torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.float64)).shape == (0,)


def test_arguments_may_be_given_by_name_and_in_any_order():
    net = network("haversine")
    assert net(lon2=4.0, lat2=3.0, lon1=2.0, lat1=1.0).item() == net(1.0, 2.0, lat2=3.0, lon2=4.0).item()


@pytest.mark.parametrize("name", ["haaland", "pid_step", "damped_newton", "cordic", "income_tax"])
def test_single_precision_is_single_precision_throughout(name):
    case = BY_NAME[name]
    net, rows = copy.deepcopy(network(name)).to(torch.float32), case.rows(8)
    assert net.dtype == torch.float32
    found = run(net, case, rows)
    assert all(leaf.dtype == torch.float32 for leaf in leaves(found))
    assert_answers(_doubled(found), answers(case, rows), rows, rtol=2e-3)


def _doubled(results):
    return [leaf.double() for leaf in leaves(results)]


def test_state_dict_carries_the_weights_and_only_them():
    net, other = da.compile(h.income_tax), da.compile(h.income_tax)
    with torch.no_grad():
        for weight in net.parameters():
            weight.mul_(1.5)
    assert other(50000.0).item() != net(50000.0).item()
    other.load_state_dict(net.state_dict())
    assert other(50000.0).item() == net(50000.0).item()
    assert [tuple(value.shape) for value in net.state_dict().values()] == [weight.shape for weight in net.program.weights]


def test_a_deep_copy_has_weights_of_its_own():
    net = da.compile(h.haaland)
    twin = copy.deepcopy(net)
    with torch.no_grad():
        next(twin.parameters()).fill_(1e9)
    assert net(3000.0, 0.01).item() == pytest.approx(h.haaland(3000.0, 0.01))
    assert twin(3000.0, 0.01).item() != net(3000.0, 0.01).item()


def test_an_optimiser_moves_the_weights_and_the_answers():
    net = da.compile(h.relu6)
    optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
    net(10.0).backward()
    optimiser.step()
    assert net(10.0).item() == pytest.approx(5.9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "loops"),
    [("haaland", "run"), ("pid_step", "run"), ("golden_section", "run"), ("guarded", "run"), ("damped_newton", "settle"),
     ("kepler", "settle")],
)
def test_torch_compiles_the_whole_network(name, loops):
    case = BY_NAME[name]
    net = network(name, loops, "raise")
    rows = [row for row, item in zip(case.rows(), answers(case, case.rows()), strict=True) if item.error is None]
    torch._dynamo.reset()  # all networks share `forward`, of which torch keeps eight graphs in a process
    compiled = torch.compile(net, fullgraph=True)
    assert_answers(run(compiled, case, rows), answers(case, rows), rows)


@pytest.fixture
def disposable(tmp_path):
    """A copy of the heuristics as a module of its own."""
    path = tmp_path / "disposable.py"
    path.write_text(Path(h.__file__).read_text())
    spec = importlib.util.spec_from_file_location("disposable", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["disposable"] = module
    spec.loader.exec_module(module)
    yield module, path
    del sys.modules["disposable"]


@pytest.mark.parametrize("name", ["wet_bulb", "bell_area", "barometric", "income_tax", "comfort", "update_filter", "golden_section"])
@pytest.mark.parametrize("loops", ["run", "settle"])
def test_the_network_answers_when_the_function_is_gone(disposable, name, loops):
    module, path = disposable
    case = BY_NAME[name]
    net = da.compile(getattr(module, name), loops=loops)
    rows = case.rows(6)
    wanted = answers(case, rows)

    path.unlink()
    for item in vars(module).values():
        if isinstance(item, types.FunctionType) and item.__module__ == "disposable" and item.__closure__ is None:
            item.__code__ = _broken.__code__
    module.Filter.clamp = module.Filter.update = _broken
    module.LAYERS = module.BRACKETS = module.RATES = module.TRANSITION = module.saturation_pressure = module.simpson = None
    module.math = None

    assert_answers(run(net, case, rows), wanted, rows)


def _broken(*args, **kwargs):
    raise AssertionError("user code ran")
