"""Files from earlier versions of the format are read, and answer as the functions that they were made from."""

from pathlib import Path

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.ir import Check, Op, walk
from tests.storage.earlier_heuristics import rescued, settled, shrunk

EARLIER = Path(__file__).parent / "earlier"


def loaded(function):
    return da.load(EARLIER / f"{function.__name__}.safetensors")


def test_numbers_of_python_answer_and_raise_as_before():
    net = loaded(settled)
    value, rounds = net(1.0, 2.0)
    assert (value.item(), rounds.item()) == (pytest.approx(settled(1.0, 2.0)[0], rel=1e-14), settled(1.0, 2.0)[1])
    with pytest.raises(da.HeuristicError, match="the heuristic raises ZeroDivisionError: float division by zero"):
        net(1.0, 0.0)


def test_a_handler_takes_what_it_took():
    net = loaded(rescued)
    assert [net(x).item() for x in (4.0, 0.0)] == [rescued(4.0), rescued(0.0)]


def test_numbers_of_numpy_do_not_raise():
    net = loaded(shrunk)
    values = np.array([1.0, -2.0, 3.0])
    wanted = {key: float(value) for key, value in shrunk(values, 2.0).items()}
    got = net(torch.tensor(values), 2.0)
    assert {key: value.item() for key, value in got.items()} == pytest.approx(wanted, rel=1e-14)
    assert net(torch.tensor(values), 0.0)["total"].isinf()


@pytest.mark.parametrize("function", [settled, rescued, shrunk])
def test_what_format_1_did_not_say_is_what_the_compiler_says(function):
    """By whom, guarded or not, and the classes above an error."""
    arguments = {settled: (1.0, 2.0), rescued: (2.0,), shrunk: (np.array([1.0, 2.0, 3.0]), 2.0)}[function]
    for old, new in zip(walk(loaded(function).program.body), walk(da.compile(function, example=(arguments, {})).program.body), strict=True):
        assert type(old) is type(new)
        if isinstance(new, Op) and new.name not in ("const", "weight") and new.result.type.kind:
            assert (old.name, old.by, bool(old.guard)) == (new.name, new.by, bool(new.guard))
        if isinstance(new, Check):
            assert old.error == new.error
            assert old.bases == new.bases or new.error == "Unstable"
