"""Source of random programs answers as their networks do. `python -m tests.backends.source.test_source_fuzz 0 1000 arrays` tries more."""

import math
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import deepalgo as da
from tests.fuzz.generator import generate
from tests.fuzz.program import load
from tests.support.oracle import leaves
from tests.support.source_check import agree, differences, live_arguments, outcome, shake
from tests.support.source_check import load as load_source

CALLS = 8
PER_CHUNK = 5


def compare(seed, kind):
    """The calls on which network and source differ, with the program's weights and with others; None for a refusal."""
    program = generate(seed, kind)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"program_{seed}.py"
        file.write_text(program.source)
        try:
            net = da.compile(load(program.source, str(file))[program.entry], example=program.call(0), mathematics="exact")
        except da.CompileError:
            return None
        calls = [program.call(sample) for sample in range(min(CALLS, len(program.samples)))]
        return differences(net, calls) or differences(shake(net, 1), calls)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["scalar", "arrays"])
@pytest.mark.parametrize("chunk", [0, *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(1, 12))])
def test_the_source_of_random_programs_answers_as_their_networks_do(chunk, kind):
    found = [(seed, compare(seed, kind)) for seed in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK)]
    assert [(seed, wrong) for seed, wrong in found if wrong] == []
    assert sum(wrong is not None for _, wrong in found) > PER_CHUNK // 2


def compare_batch(seed):
    """The samples on which the source for a batch differs from the network called for each of them; None for a refusal."""
    program = generate(seed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"program_{seed}.py"
        file.write_text(program.source)
        try:
            net = da.compile(load(program.source, str(file))[program.entry], example=program.call(0), mathematics="exact")
        except da.CompileError:
            return None
        function = load_source(da.source(net, style="numpy"))
    samples = range(min(CALLS, len(program.samples)))
    columns = {name: np.array([program.samples[sample][name] for sample in samples]) for name in program.samples[0]}
    args, kwargs = live_arguments(net, *program.arrange(columns))
    found = [np.broadcast_to(np.asarray(leaf, dtype=float), len(samples)) for leaf in leaves(function(*args, **kwargs))]
    rows = [[float(column[sample]) for column in found] for sample in samples]
    wanted = [outcome(net, *program.call(sample), lambda args, kwargs: []) for sample in samples]
    return [(sample, answer, row) for sample, answer, row in zip(samples, wanted, rows)
            if not (all(map(math.isnan, row)) if isinstance(answer, str) else agree([float(item) for item in answer], row))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chunk", [0, *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(1, 6))])
def test_the_source_of_random_programs_for_a_batch_answers_as_their_networks_do(chunk):
    found = [(seed, compare_batch(seed)) for seed in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK)]
    assert [(seed, wrong) for seed, wrong in found if wrong] == []
    assert sum(wrong is not None for _, wrong in found) > PER_CHUNK // 2


def main():
    """Try the programs of a range of seeds and print those whose source differs."""
    first, last, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "scalar"
    bad = [seed for seed in range(first, last) if compare(seed, kind)]
    print(f"{last - first} {kind} programs, source differs for {bad or 'none'}")


if __name__ == "__main__":
    main()
