"""Chains of early returns: each puts the rest of the function into its other branch, one inside of the other."""

import linecache

import pytest
import torch

import deepalgo as da
from tests.source_check import load


def chain(count):
    """A function with so many early returns."""
    lines = [f"    if x > {count - number}.5:\n        return x * 0.{number + 1} + 1.0 / x\n" for number in range(count)]
    text, file = f"def chain(x):\n{''.join(lines)}    return x\n", f"<chain of {count}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {}
    exec(compile(text, file, "exec"), space)
    return space["chain"]


def test_a_long_chain_of_early_returns_has_a_network_and_source():
    function = chain(80)
    network = da.compile(function)
    x = torch.linspace(0.5, 81.0, 200, dtype=torch.float64)
    expected = torch.tensor([function(item) for item in x.tolist()], dtype=torch.float64)
    torch.testing.assert_close(network(x).detach(), expected, rtol=1e-12, atol=0)
    again = load(da.source(network))
    assert [again(item) for item in x.tolist()] == expected.tolist()


def test_a_chain_that_python_cannot_nest_is_refused():
    with pytest.raises(da.CompileError) as refusal:
        da.compile(chain(150))
    assert str(refusal.value) == (
        "150 branches lie inside of one another\n"
        "Each early return puts the rest of the function into the other branch: look such cases up in a table, in a loop."
    )
