"""Real functions that nobody here wrote: how much of the world compiles, exactly and with right gradients."""

import contextlib
import functools
import io
import warnings

import numpy as np
import pytest
import torch

import deepalgo as da
from benchmarks.corpus import SUCCESS, compile_entry, load_corpus
from tests.round_trip import differs
from tests.support.changed_literal import with_literal
from tests.support.meaning import Meaning

pytestmark = [pytest.mark.corpus, pytest.mark.filterwarnings("ignore")]  # the packages warn about all sorts of things

SHARDS = 6
#: The share of public functions that must come out right; a refusal is honest, anything else is a bug.
ENOUGH = 0.95


@functools.lru_cache(maxsize=1)
def entries():
    return load_corpus().entries()


def scores(shard):
    """The word for each function, and the names of those whose program is another one when its text is read."""
    misread = []

    def compile_and_read(function, args, kwargs):
        network = compile_entry(function, args, kwargs)
        if differs(network.program):
            misread.append(network.program.name)
        return network

    return [(entry["id"], *load_corpus().score(entry, compile_and_read)) for entry in entries()[shard::SHARDS]], misread


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_real_functions_are_right_or_refused_and_their_programs_are_read_back(shard):
    found, misread = scores(shard)
    assert misread == []
    bad = [row for row in found if row[1] not in (*SUCCESS, "refused")]
    assert not bad
    right = sum(word in SUCCESS for _, word, _ in found)
    assert right >= ENOUGH * len(found)


def weight_gradients(entry, samples_to_try=3, weights_to_try=2):
    """Pairs of derivatives by a literal: of the network, and of the function with the literal changed in its source."""
    corpus = load_corpus()
    function = corpus.resolve(entry)
    rows = np.array(entry["samples"])[:samples_to_try]
    pairs = []
    with contextlib.redirect_stdout(io.StringIO()):
        args, kwargs = corpus.plain_arguments(entry, rows[0])
        network = compile_entry(function, args, kwargs)
        literals = [weight for weight in network.program.weights if not weight.frozen and weight.shape == () and weight.value]
        for weight in literals[:weights_to_try]:
            for row in rows:
                slope = source_slope(corpus, entry, function, weight, row)
                if slope is not None:
                    pairs.append((weight.key, network_slope(corpus, entry, network, weight, row), slope))
    return pairs


def network_slope(corpus, entry, network, weight, row):
    args, kwargs = corpus.plain_arguments(entry, row)
    output = _total(network(*args, **kwargs))
    if not output.requires_grad:
        return 0.0
    (slope,) = torch.autograd.grad(output, network.weights[weight.key], allow_unused=True)
    return 0.0 if slope is None else float(slope)


def _total(output):
    if isinstance(output, torch.Tensor):
        return output.to(torch.float64).sum()
    parts = output if isinstance(output, (list, tuple)) else []
    return sum((_total(item) for item in parts), torch.zeros((), dtype=torch.float64))


def source_slope(corpus, entry, function, weight, row):
    """A difference quotient on the changed source, where both sides and two step sizes agree; None where they do not."""
    slopes = []
    for step in (1e-5, 3e-6):
        changed = [with_literal(function, weight.span, lambda held, by=by: held * (1 + by)) for by in (step, 0.0, -step)]
        values = [answer(corpus, entry, item, row) for item in changed]
        if None in values:
            return None
        up, middle, down = values
        width = step * weight.value
        noise = 1e-14 * max(map(abs, values)) / abs(width)
        slope = (up - down) / (2 * width)
        if abs((up - middle) - (middle - down)) > 0.05 * abs(up - down) or abs(slope) < 300 * noise:
            return None if up != down else 0.0
        slopes.append(slope)
    return slopes[1] if abs(slopes[0] - slopes[1]) <= 1e-3 * abs(slopes[1]) else None


def answer(corpus, entry, function, row):
    """The sum of what the function returns, None where there is none."""
    if function is None:
        return None
    args, kwargs = corpus.plain_arguments(entry, row)
    try:
        return float(np.sum([np.sum(part) for part in _parts(function(*args, **kwargs))]))
    except Exception:  # noqa: BLE001 - the changed function may leave its domain
        return None


def _parts(output):
    return [part for item in output for part in _parts(item)] if isinstance(output, (list, tuple)) else [np.asarray(output, dtype=float)]


@pytest.mark.slow
def test_programs_mean_what_the_functions_compute():
    corpus, exact, wrong = load_corpus(), 0, []
    for entry in entries()[::10]:
        rows = np.array(entry["samples"])[:3]
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"), contextlib.suppress(da.CompileError):
            function = corpus.resolve(entry)
            meaning = Meaning(compile_entry(function, *corpus.plain_arguments(entry, rows[0])), function)
            complaints = [meaning.complaint(*corpus.plain_arguments(entry, row)) for row in rows]
            if meaning.exact:
                exact += 1
                wrong += [(entry["id"], complaint) for complaint in complaints if complaint]
    assert not wrong
    assert exact >= 15


@pytest.mark.slow
@pytest.mark.parametrize("half", [0, 1])
def test_gradients_of_literals_are_those_of_the_changed_source(half):
    checked, wrong = set(), []
    for entry in entries()[half::2]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pairs = weight_gradients(entry)
        except da.CompileError:
            continue
        for key, ours, theirs in pairs:
            if abs(ours - theirs) > 2e-3 * abs(theirs) + 1e-9 * (1 + abs(theirs)):
                wrong.append((entry["id"], key, ours, theirs))
            elif theirs:
                checked.add(entry["id"])
    assert not wrong
    assert len(checked) >= 50
