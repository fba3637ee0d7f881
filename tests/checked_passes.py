"""`python -m tests.checked_passes --count 500`: programs through every target, each checked after every pass.

Functions of the corpus (if `DEEPALGO_CORPUS` is set), those of `tests/support/heuristics.py`, and random ones of each kind.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import linecache
import os
import sys
import warnings
from collections.abc import Iterator

import deepalgo as da
from deepalgo.backends.native.engine import PARTS
from deepalgo.backends.targets import DRAWING, READY, Plan
from deepalgo.backends.torch.builds import lowered
from deepalgo.errors import DeepalgoError, InputError
from deepalgo.ir import Program
from deepalgo.ir.check import Nonsense, check_program
from deepalgo.lower.depth import deep_calls
from deepalgo.lower.passes import PassSettings, run, watching
from deepalgo.ops.formula import NoFormulaError
from tests.fuzz.generator import generate
from tests.fuzz.program import load
from tests.support.cases import CASES, network

KINDS = ("scalar", "arrays", "options", "edges")
#: So many rounds a loop takes at most that ends by data.
ROUNDS = 8
#: Every form of the torch code.
PLANS = tuple(
    Plan(errors, fixed, record, ROUNDS, fused)
    for errors in ("raise", "nan")
    for fixed, record, fused in ((False, False, False), (False, True, False), (True, False, False), (True, False, True))
)


class Complaints:
    """What was wrong after which pass; `seen` counts the programs that were looked at."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.seen = 0

    def watch(self, name: str, program: Program) -> None:
        """Check a program that a pass has made."""
        self.seen += 1
        try:
            with deep_calls():
                check_program(program)
        except Nonsense as wrong:
            self.found.append(f"{program.name} after {name}: {wrong}")


def through_all_targets(net: da.Network) -> None:
    """Bring a program to every target; what a target refuses, it refuses."""
    for plan in PLANS:
        lowered(net.program, plan)
    for style in ("python", "numpy", "numbers"):
        with contextlib.suppress(InputError):
            da.source(net, style)
    run(DRAWING, net.program)
    settings = PassSettings(ROUNDS)
    ready = run(READY, net.program, settings)
    for passes in PARTS.values():
        with contextlib.suppress(NoFormulaError):
            run(passes[len(READY) :], ready, settings)


def corpus_networks(every: int = 1) -> Iterator[tuple[str, da.Network]]:
    """Functions of the corpus that compile."""
    from benchmarks.corpus import compile_entry, load_corpus

    corpus = load_corpus()
    for entry in corpus.entries()[::every]:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(DeepalgoError):
            yield entry["id"], compile_entry(corpus.resolve(entry), *corpus.plain_arguments(entry, entry["samples"][0]))


def heuristic_networks() -> Iterator[tuple[str, da.Network]]:
    """The functions that the tests of the language use."""
    for case in CASES:
        yield case.id, network(case.id)


def random_networks(kind: str, seeds: range) -> Iterator[tuple[str, da.Network]]:
    """Random programs of a kind that compile."""
    for seed in seeds:
        program = generate(seed, kind)
        file = f"<checked {kind} {seed}>"
        linecache.cache[file] = (len(program.source), None, program.source.splitlines(keepends=True), file)
        function = load(program.source, file)[program.entry]
        args, kwargs = program.call(0)
        with contextlib.suppress(DeepalgoError):
            yield f"{kind} {seed}", da.compile(function, example=(tuple(args), kwargs))


def complaints_of(networks: Iterator[tuple[str, da.Network]]) -> Complaints:
    """What the checker says of all programs on their ways; `networks` are compiled meanwhile."""
    complaints = Complaints()
    with watching(complaints.watch):
        for name, net in networks:
            before = len(complaints.found)
            through_all_targets(net)
            complaints.found[before:] = [f"{name}: {text}" for text in complaints.found[before:]]
    return complaints


def main() -> int:
    """Print how many programs were checked, and every complaint."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="random programs of each kind")
    parser.add_argument("--seed", type=int, default=0, help="the first of them")
    parser.add_argument("--every", type=int, default=1, help="of the corpus each function with such a number")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    groups = {kind: random_networks(kind, range(options.seed, options.seed + options.count)) for kind in KINDS}
    groups["heuristics"] = heuristic_networks()
    if os.environ.get("DEEPALGO_CORPUS"):
        groups["corpus"] = corpus_networks(options.every)
    failed = 0
    for name, networks in groups.items():
        complaints = complaints_of(networks)
        failed += len(complaints.found)
        print(f"{name}: {complaints.seen} programs behind passes, {len(complaints.found)} complaints", *complaints.found[:20], sep="\n  ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
