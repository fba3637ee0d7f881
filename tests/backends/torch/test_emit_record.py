"""A record says which way each sample went, by its number in the batch and the user's line."""

import math

import pytest
import torch

from deepalgo.backends.torch.runtime.record import recording
from deepalgo.network import Network
from tests.backends.torch.test_emit_control import checked_division, damped_newton, heavy_branch, loop_in_branch_in_loop, nested
from tests.support.build import Builder


def at(table, line):
    """The visits of one line."""
    return [visit for span, visits in table.items() if span.line == line for visit in visits]


def test_every_branch_reports_its_arms():
    net = Network(nested())
    with recording() as record:
        net(torch.tensor([0.1, 1.0, 2.0]))
    inner, = [visit for visit in at(record.branches, 3) if len(visit.samples) == 2]
    outer, = [visit for visit in at(record.branches, 3) if len(visit.samples) == 3]
    assert outer.did.tolist() == [False, True, True]
    assert inner.samples.tolist() == [1, 2]
    assert inner.did.tolist() == [False, True]


@pytest.mark.parametrize("loops", ["run", "settle"])
def test_every_while_reports_its_rounds(loops):
    xs = [2.0, 4.2, 30.0, 1.1]
    net = Network(damped_newton(), loops=loops)
    with recording() as record:
        net(torch.tensor(xs, dtype=torch.float64))
    trips = {sample: rounds for visit in at(record.trips, 5) for sample, rounds in zip(visit.samples.tolist(), visit.did.tolist())}
    assert trips == {sample: newton_rounds(x) for sample, x in enumerate(xs)}


def newton_rounds(a):
    x, rounds = 2.0, 0
    while abs(x * x - a) > 0.5:
        x, rounds = x - 0.5 * (x * x - a) / (2 * x), rounds + 1
    return rounds


def test_a_loop_reports_its_rounds_for_the_samples_that_come_to_it():
    net = Network(loop_in_branch_in_loop())
    with recording() as record:
        net(torch.tensor([0.1, 5.0], dtype=torch.float64))
    (visit,) = at(record.rounds, 4)
    assert visit.samples.tolist() == [0, 1]
    assert visit.did.tolist() == [3, 3]
    assert all(visit.samples.tolist() == [1] for visit in at(record.branches, 4))


def test_a_recorded_call_gives_the_same_values():
    x = torch.linspace(-2, 3, 50, dtype=torch.float64)
    for program in (nested(), heavy_branch(), loop_in_branch_in_loop()):
        net = Network(program)
        with recording():
            recorded = net(x)
        assert torch.equal(recorded, net(x))


def test_a_comparison_is_a_tie_only_where_the_last_digits_decide_it():
    b = Builder()
    x = b.input("x")
    y, = b.when(b.op("lt", b.op("exp", x), math.e, line=2), lambda: b.const(1.0), lambda: b.const(0.0))
    z, = b.when(b.op("lt", x, 1.0, line=9), lambda: b.const(1.0), lambda: b.const(0.0))
    net = Network(b.program(b.op("add", y, z)))
    with recording() as record:
        net(torch.tensor([1.0, 1.1, 1.0 + 2**-52], dtype=torch.float64))
    assert at(record.ties, 2)[0].did.tolist() == [True, False, True]
    assert at(record.ties, 9) == []


def test_a_rounding_of_an_inexact_value_can_be_a_tie():
    b = Builder()
    net = Network(b.program(b.op("floor", b.op("log", b.input("x")), line=2)))
    with recording() as record:
        net(torch.tensor([math.e**2, 2.0], dtype=torch.float64))
    assert at(record.ties, 2)[0].did.tolist() == [True, False]


def test_replaced_derivatives_are_reported():
    b = Builder()
    net = Network(b.program(b.op("sqrt", b.input("x"), line=2)))
    with recording() as record:
        net(torch.tensor([0.0, 1.0]))
    assert at(record.endpoints, 2)[0].did.tolist() == [True, False]


def test_failed_samples_do_not_appear():
    net = Network(checked_division(), errors="nan")
    with recording() as record:
        y = net(torch.tensor([1.0, 0.0, 2.0]))
    assert torch.isnan(y).tolist() == [False, True, False]
    visits = [visit.samples.tolist() for visits in record.endpoints.values() for visit in visits]
    assert visits == [[0, 2], [0, 2]]  # of the quotient and of the root


def test_code_without_a_record_has_no_trace_of_it():
    assert "note" not in Network(loop_in_branch_in_loop()).code
