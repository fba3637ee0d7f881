"""Whether the text of programs is read back as the same program: `python -m tests.round_trip --count 2000`.

Each random program is staged, written, read and compared, as it is and lowered for each way of running it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import deepalgo as da
from deepalgo.backends.targets import SIMPLE, Plan
from deepalgo.backends.torch import builds
from deepalgo.ir import Program, parse
from deepalgo.lower.passes import run
from tests.fuzz.generator import generate
from tests.fuzz.program import load

PLANS = (Plan(), Plan(errors="nan"), Plan(fixed=True, rounds=3), Plan(fixed=True, rounds=3, fused=True))
KINDS = ("scalar", "arrays", "options", "edges")


def differs(program: Program) -> bool:
    """Whether the text of a program is read as another one, or written in another way."""
    again = parse(str(program))
    without_places = replace(program, weights=tuple(replace(weight, span=None) for weight in program.weights))
    return again != program or hash(again) != hash(program) or str(again) != str(without_places)


def stage(seed: int, kind: str) -> Program | None:
    """A random program; None where it is refused."""
    random = generate(seed, kind)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"program_{seed}.py"
        file.write_text(random.source)
        try:
            return da.compile(load(random.source, str(file))[random.entry], example=random.call(0)).program
        except da.CompileError:
            return None


def lowered(program: Program) -> Iterator[Program]:
    """The program as each plan has it."""
    yield run(SIMPLE, program)
    for plan in PLANS:
        yield builds.lowered(program, plan)


def main() -> int:
    """Try so many programs of each kind in turn; print those that differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="how many programs are tried; those that are refused do not count")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--lower", action="store_true", help="each of them lowered, too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    count, wrong, seed = 0, list[tuple[int, str]](), options.first
    while count < options.count:
        for kind in KINDS:
            program = stage(seed, kind)
            if program is None or count == options.count:
                continue
            count += 1
            if differs(program) or options.lower and any(map(differs, lowered(program))):
                wrong.append((seed, kind))
        seed += 1
    print(f"{count} programs, read as another one: {wrong or 'none'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
