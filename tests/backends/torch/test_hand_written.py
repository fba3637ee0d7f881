"""What the speed of networks is compared with gives the same answers and gradients as they do."""

import importlib.util

import pytest
import torch

from benchmarks import compile_bench
from benchmarks.corpus import load_corpus

pytestmark = [pytest.mark.corpus, pytest.mark.filterwarnings("ignore")]
PAIRS = [(identity, hand) for identity, hand in compile_bench.FUNCTIONS.items() if hand]


def case_of(identity, count=500):
    corpus = load_corpus()
    (entry,) = (entry for entry in corpus.entries() if entry["id"] == identity)
    return compile_bench.prepare(entry, corpus, count)


def gradients(function, inputs):
    inputs = [item.clone().requires_grad_() for item in inputs]
    total = sum(item.sum() for item in compile_bench.leaves(function(*inputs)))
    return torch.autograd.grad(total, inputs, allow_unused=True, materialize_grads=True)


@pytest.mark.parametrize(("identity", "hand"), PAIRS)
def test_hand_written_functions_repeat_the_original_and_its_gradient(identity, hand):
    from benchmarks import hand_written  # the packages of the corpus must be there

    case, function = case_of(identity), getattr(hand_written, hand)
    rows = list(zip(*(item.tolist() for item in case.inputs), strict=True))
    answers = [case.function(*row) for row in rows]
    columns = list(zip(*answers, strict=True)) if isinstance(answers[0], tuple) else [answers]
    for ours, column in zip(compile_bench.leaves(function(*case.inputs)), columns, strict=True):
        torch.testing.assert_close(ours, torch.tensor(column, dtype=torch.float64), rtol=1e-10, atol=1e-12)
    for ours, reference in zip(gradients(function, case.inputs), gradients(case.network, case.inputs), strict=True):
        torch.testing.assert_close(ours, reference, rtol=1e-8, atol=1e-10)


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not installed")
@pytest.mark.parametrize(("identity", "hand"), PAIRS)
def test_hand_written_jax_repeats_the_network_and_its_gradient(identity, hand):
    case = case_of(identity)
    runs = compile_bench.jax_runs(hand, case.inputs)
    (_, values), slopes = runs["jax+"]()
    for results in (runs["jax"](), values):
        results = results if isinstance(results, tuple) else (results,)
        for ours, reference in zip(results, compile_bench.leaves(case.network(*case.inputs)), strict=True):
            torch.testing.assert_close(torch.tensor(ours.tolist(), dtype=torch.float64), reference, rtol=1e-10, atol=1e-12)
    for ours, alone, reference in zip(slopes, runs["jax grad"](), gradients(case.network, case.inputs), strict=True):
        torch.testing.assert_close(*(torch.tensor(item.tolist(), dtype=torch.float64) for item in (alone, ours)))
        torch.testing.assert_close(torch.tensor(ours.tolist(), dtype=torch.float64), reference, rtol=1e-8, atol=1e-10)
