"""Chains of early returns: each puts the rest of the function into its other branch, one inside of the other."""

import gc
import linecache

import pytest
import torch

import deepalgo as da
from tests.support.source_check import load


def chain(count):
    """A function with so many early returns."""
    lines = [f"    if x > {count - number}.5:\n        return x * 0.{number + 1} + 1.0 / x\n" for number in range(count)]
    return written(f"def chain(x):\n{''.join(lines)}    return x\n", "chain", f"<chain of {count}>")


def written(text, name, file):
    """The function in a text, whose lines can be found."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {}
    exec(compile(text, file, "exec"), space)
    return space[name]


def test_a_long_chain_of_early_returns_has_a_network_and_source():
    function = chain(80)
    network = da.compile(function)
    x = torch.linspace(0.5, 81.0, 200, dtype=torch.float64)
    expected = torch.tensor([function(item) for item in x.tolist()], dtype=torch.float64)
    torch.testing.assert_close(network(x).detach(), expected, rtol=1e-12, atol=0)
    again = load(da.source(network))
    assert [again(item) for item in x.tolist()] == expected.tolist()


def tower(count):
    """Functions that call one another out of branches, so deep."""
    lines = [f"def f{k}(x):\n    if x > {k}.5:\n        x = f{k + 1}(x) + 1.0 / x\n    return x\n" for k in range(count)]
    return written("".join([*lines, f"def f{count}(x):\n    return x\n"]), "f0", f"<tower of {count}>")


LONG_CHAINS = [pytest.param(chain(count), marks=pytest.mark.slow, id=f"{count} returns") for count in (150, 300)]


@pytest.mark.parametrize("function", [*LONG_CHAINS, pytest.param(tower(120), marks=pytest.mark.slow, id="120 calls")])
def test_branches_that_python_cannot_nest_as_text_have_a_network(function):
    network = da.compile(function)
    x = torch.linspace(0.5, 310.0, 40, dtype=torch.float64)
    expected = torch.tensor([function(item) for item in x.tolist()], dtype=torch.float64)
    torch.testing.assert_close(network(x).detach(), expected, rtol=1e-12, atol=0)
    assert network.verify(x[:4]).compared == 4


def test_source_that_python_cannot_read_is_refused():
    with pytest.raises(da.InputError) as refusal:
        da.source(da.compile(tower(120)))
    assert str(refusal.value) == (
        "the source of f0 would have 122 levels of indentation, and Python reads 99: look such cases up in a table, in a loop"
    )


def test_python_searches_for_cycles_again_after_compiling():
    def refused(x):
        return str(x)[0]

    for collects in (True, False):
        (gc.enable if collects else gc.disable)()
        try:
            da.compile(lambda x: x + 1.0)(2.0)
            with pytest.raises(da.CompileError):
                da.compile(refused)
            assert gc.isenabled() is collects
        finally:
            gc.enable()
