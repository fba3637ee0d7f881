"""What does not run natively says so with the operation and its line."""

import inspect
import re

import pytest

import deepalgo as da
from deepalgo.backends.native import engine_of
from tests.support import language
from tests.support.cases import CASES, network

CORNERS = [function for function in vars(language).values() if inspect.isfunction(function) and function.__module__ == language.__name__]
PLACE = re.compile(r"\w+.*, line \d+")


def programs():
    for case in CASES:
        yield case.id, lambda case=case: network(case.id)
    for function in CORNERS:
        if [*inspect.signature(function).parameters] == ["x"]:
            yield function.__name__, lambda function=function: da.compile(function)


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in programs()])
def test_a_program_runs_natively_or_names_an_operation_and_its_line(make):
    try:
        net = make()
    except da.CompileError:
        pytest.skip("it is refused")
    engine = engine_of(net.program, net.max_rounds, "exact")
    for reason in (engine.reason_against(gradient=False), engine.reason_against(gradient=True)):
        assert reason == "" or PLACE.fullmatch(reason), reason
