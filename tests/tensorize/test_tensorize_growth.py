"""Transformations keep the answers of programs that nobody made for them, alone and one behind the other, and what they add can learn."""

import contextlib
import copy
import io
import random

import numpy as np
import pytest
import torch

import deepalgo as da
from benchmarks.corpus import load_corpus
from benchmarks.growth import Move, Subject, Verdict, answers_move, corpus_subject, difference, examine, fuzz_subject, moves, some
from benchmarks.tensorize import BAD, chain, try_subject

QUICK = [("scalar", 3), ("scalar", 5), ("arrays", 1), ("arrays", 4)]
MORE = [(kind, seed) for kind in ("scalar", "arrays") for seed in range(20, 28)]
CORPUS_SHARDS = 4


def findings(subject, most):
    """What is wrong, and how often something was applied."""
    with contextlib.redirect_stdout(io.StringIO()):
        rows = list(try_subject(subject, most))
    return [row for row in rows if row[1] in BAD], sum(row[1] == "applied" for row in rows)


@pytest.mark.parametrize(("kind", "seed"), [*QUICK, *(pytest.param(*item, marks=pytest.mark.slow) for item in MORE)])
def test_random_programs_answer_as_before(kind, seed):
    try:
        subject = fuzz_subject(seed, kind)
    except da.CompileError as error:
        pytest.skip(f"refused: {error.reason}")
    bad, applied = findings(subject, 1)
    assert not bad
    assert applied


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shard", range(CORPUS_SHARDS))
def test_real_functions_answer_as_before(shard):
    bad, applied = [], 0
    for entry in load_corpus().entries()[5 * shard :: 5 * CORPUS_SHARDS]:
        try:
            subject = corpus_subject(entry)
        except da.CompileError:
            continue
        wrong, count = findings(subject, 1)
        bad, applied = [*bad, *wrong], applied + count
    assert not bad
    assert applied > 40


def damp(x):
    while x > 1.0:
        x = 0.5 * x
    return x


def subject(function=damp, **options):
    return Subject(function.__name__, da.compile(function, errors="nan", **options), [torch.linspace(0.1, 9.0, 20, dtype=torch.float64)])


def test_a_transformation_that_changes_an_answer_or_an_error_is_found_out():
    def log(x):
        import math

        return math.log(2.0 * x - 1.0)

    here = subject(log)
    (key, _) = here.network.weights
    changed = copy.deepcopy(here.network)
    for value, reason in ((2.0 * (1 + 1e-11), "output 0, sample"), (0.5, "instead of None")):
        with torch.no_grad():
            changed.weights[key].fill_(value)
        assert reason in difference(here.network.outcomes(here.leaves), changed.outcomes(here.leaves))
    assert difference(here.network.outcomes(here.leaves), here.network.outcomes(here.leaves)) == ""


def test_a_suggestion_that_does_not_apply_is_found_out():
    assert examine(subject(), Move("correct", "correct(net, 'y')", suggested=True)).word == "contradicted"
    assert examine(subject(), Move("correct", "correct(net, 'y')")) == Verdict("refused", "damp has no signal `y`; it has `x`")


def test_new_weights_that_cannot_learn_are_found_out_and_named_by_the_certificate():
    def idle(x):
        spare = 2.0 * x
        y = 3.0 * x
        return y if x > 0.0 else spare

    assert examine(subject(idle), Move("widen", "widen(net, 'spare', Scalar())")).word == "dead"
    net = da.widen(da.compile(idle), "spare", da.Scalar())
    certificate = net.verify(torch.linspace(0.1, 9.0, 20, dtype=torch.float64))
    assert "spare_scalar" in {item.key for item in certificate.dead}
    assert "spare_scalar" in str(certificate).partition("weights that move no answer")[2]
    leaves = [torch.linspace(0.1, 9.0, 20, dtype=torch.float64)]
    assert not answers_move(net, ["spare_scalar"], leaves)
    assert answers_move(da.widen(da.compile(idle), "y", da.Scalar()), ["y_scalar"], leaves)


def test_everything_that_is_suggested_applies():
    here = subject()
    found = [move for move in moves(here) if move.suggested]
    assert {move.name for move in found} == {"untie", "remember", "choose", "correct", "guard"}
    for loops in ("run", "settle"):
        assert {examine(here, move, loops).word for move in found} == {"ok"}


def test_a_sample_of_moves_has_all_transformations_that_there_are():
    here = subject()
    assert {move.name for move in some(moves(here), 1, 0)} == {move.name for move in moves(here)}


def test_chains_of_transformations_keep_the_answers():
    rows = [row for seed in range(3) for row in chain(subject(), random.Random(seed))]
    assert {word for _, word, _, _ in rows} == {"applied", "exact"}


def test_a_factor_of_a_signal_that_holds_infinity_can_learn():
    def soft_rest(a):
        rest = np.where(a == np.max(a), -np.inf, a)
        return np.sum(np.exp(rest))

    rows = torch.randn(8, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    here = Subject("soft_rest", da.compile(soft_rest, example=((np.arange(4.0),), {}), errors="nan"), [rows])
    calls = ["widen(net, 'rest', Scalar())", "widen(net, 'rest', Diagonal())", "widen(net, 'rest', Kronecker(2))"]
    assert {call: examine(here, Move("", call)).word for call in calls} == dict.fromkeys(calls, "ok")
