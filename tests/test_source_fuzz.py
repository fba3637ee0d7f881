"""Source of random programs answers as their networks do. `python -m tests.test_source_fuzz 0 1000 arrays` tries more."""

import sys
import tempfile
from pathlib import Path

import pytest

import deepalgo as da
from tests.fuzz.generator import generate
from tests.fuzz.program import load
from tests.source_check import differences, shake

CALLS = 8
PER_CHUNK = 10


def compare(seed, kind):
    """The calls on which network and source differ, with the program's weights and with others; None for a refusal."""
    program = generate(seed, kind)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"program_{seed}.py"
        file.write_text(program.source)
        try:
            net = da.compile(load(program.source, str(file))[program.entry], example=program.call(0))
        except da.CompileError:
            return None
        calls = [program.call(sample) for sample in range(min(CALLS, len(program.samples)))]
        return differences(net, calls) or differences(shake(net, 1), calls)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["scalar", "arrays"])
@pytest.mark.parametrize("chunk", [0, *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(1, 10))])
def test_the_source_of_random_programs_answers_as_their_networks_do(chunk, kind):
    found = [(seed, compare(seed, kind)) for seed in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK)]
    assert [(seed, wrong) for seed, wrong in found if wrong] == []
    assert sum(wrong is not None for _, wrong in found) > PER_CHUNK // 2


def main():
    """Try the programs of a range of seeds and print those whose source differs."""
    first, last, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "scalar"
    bad = [seed for seed in range(first, last) if compare(seed, kind)]
    print(f"{last - first} {kind} programs, source differs for {bad or 'none'}")


if __name__ == "__main__":
    main()
