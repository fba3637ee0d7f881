"""Every row that native code writes: values are those of its meaning, gradients those of torch."""

import numpy as np
import pytest
import torch

from deepalgo.backends.native import Engine, Unsupported
from deepalgo.ir import Block, Failed, Input, Interpreter, Leaf, Op, Program, Value
from deepalgo.ops.table import infer
from tests.support.row_cases import all_cases, in_torch, label, samples

CASES = [case for case in all_cases() if case.types]


def program_of(case):
    values = tuple(Value(place, type, f"x{place}") for place, type in enumerate(case.types))
    result = Value(len(values), infer(case.name, case.types, case.attrs))
    op = Op(result, case.name, values, tuple(case.attrs.items()))
    return Program("f", tuple(Input(value.name, value) for value in values), (), Block((), (op,), (result,)), Leaf(0))


def columns(case):
    rows = samples(case)
    return rows, [np.stack(column) for column in zip(*rows, strict=True)]


def answers(program, rows):
    """What the program means for each sample, NaN where it fails."""
    meaning, found = Interpreter(program), []
    for row in rows:
        try:
            found.append(np.asarray(meaning.run(row).output))
        except Failed:
            found.append(np.full(program.body.results[0].type.shape, np.nan))
    return np.stack(found)


def ordinary(case, leaves):
    """The samples for which torch has numbers; outside of its domain a row may be NaN."""
    result = in_torch(case, leaves)().detach().resolve_conj().numpy()
    return np.isfinite(result).reshape(len(result), -1).all(1)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_a_row_computes_what_it_means_and_has_the_gradient_of_torch(case):
    program, (rows, inputs) = program_of(case), columns(case)
    engine = Engine(program)
    leaves = [torch.tensor(column, requires_grad=column.dtype.kind in "fc") for column in inputs]
    try:
        found = engine.forward(inputs, np.zeros(0)).results[0]
        here = ordinary(case, leaves)
        assert here.any()
        np.testing.assert_allclose(found[here], answers(program, rows)[here], rtol=1e-13, atol=1e-14)
        result = in_torch(case, leaves)()
        if not result.requires_grad or case.name == "cut":  # what arrives at a sample that was cut off is 0 already
            return
        g = np.random.default_rng(1).uniform(0.5, 1.5, found.shape) * (1 + 0.5j if result.is_complex() else 1)
        ours = engine.gradient(inputs, np.zeros(0), [g]).inputs
    except Unsupported as reason:
        pytest.skip(f"not native: {reason}")
    theirs = torch.autograd.grad(result, [leaf for leaf in leaves if leaf.requires_grad], torch.tensor(g), allow_unused=True)
    for mine, grad in zip(ours, theirs, strict=True):
        wanted = np.zeros(mine.shape) if grad is None else grad.resolve_conj().numpy()
        np.testing.assert_allclose(mine[here], wanted[here], rtol=1e-9, atol=1e-12)
