"""One table of transformations: public names, the command line and suggestions derive from it."""

import importlib

import pytest

import deepalgo as da
from deepalgo.commands.grow import grow
from deepalgo.commands.target import UsageError
from deepalgo.tensorize import TRANSFORMATIONS


def root(s):
    x = 1.0
    for _ in range(3):
        x = x - 0.9 * (x * x - s) / (2 * x) if x > 0.1 else 0.1
    return x


@pytest.mark.parametrize("row", TRANSFORMATIONS, ids=lambda row: row.name)
def test_what_a_row_names_is_there_and_public(row):
    module = importlib.import_module(row.module)
    assert callable(module.suggestions)
    for name, home in row.public.items():
        assert name in da.__all__
        assert getattr(da, name) is getattr(importlib.import_module(home), name)


def test_every_transformation_stands_in_the_table():
    named = {name for row in TRANSFORMATIONS for name in row.public}
    public = {name for name in da.__all__ if getattr(getattr(da, name), "__module__", "").startswith("deepalgo.tensorize")}
    assert public == named | {"suggest"}


def test_suggestions_come_in_the_order_of_the_table_and_can_be_called():
    found = [item.call.partition("(")[0] for item in da.suggest(da.compile(root))]
    order = [row.name for row in TRANSFORMATIONS]
    assert found == sorted(found, key=order.index)
    assert {"untie", "remember", "soften", "correct", "guard"} <= set(found) <= set(order)


def test_the_command_line_takes_what_the_table_has():
    net = da.compile(root)
    for row in TRANSFORMATIONS:
        inputs = {"s": [1.0, 2.0]} if row.takes_data else {}
        if row.name in ("untie", "remember", "soften"):  # those that need no further argument
            assert len(grow(net, row.name, {}, inputs).program.weights) >= len(net.program.weights)
    with pytest.raises(UsageError, match=f"--tensorize takes a call of {', '.join(sorted(row.name for row in TRANSFORMATIONS))},"):
        grow(net, "compile(net)", {}, {})
