"""How much of the real world compiles: `DEEPALGO_CORPUS=folder make corpus`.

The folder holds functions of real packages by name, with sample calls, answers and finite differences (`public.jsonl`), and
`corpus.py`, which scores a compiler on them. `right` and `no-gradient-reference` (the value is right, no smooth sample to
compare with) count as success; a refusal is honest; the rest are bugs. Counted besides is which of the programs that compile run natively,
forward and backward.
"""

import argparse
import importlib.util
import multiprocessing
import os
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import torch
from rich.console import Console
from rich.table import Table

import deepalgo as da
from deepalgo.backends.native import engine_of

SUCCESS = ("right", "no-gradient-reference")
WORDS = (*SUCCESS, "refused", "wrong", "wrong-gradient", "nan-gradient", "crashed", "slow")


def load_corpus() -> ModuleType:
    """Import `corpus.py` of the folder that DEEPALGO_CORPUS names."""
    folder = os.environ.get("DEEPALGO_CORPUS")
    if not folder or not Path(folder, "corpus.py").is_file():
        sys.exit("set DEEPALGO_CORPUS to the folder of the corpus (it holds corpus.py and public.jsonl)")
    spec = importlib.util.spec_from_file_location("corpus", Path(folder, "corpus.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_entry(function, args, kwargs):
    """The compiler under test, as the corpus calls it."""
    return da.compile(function, example=(tuple(args), kwargs))


def reason_against_native(network):
    """Why a network does not run natively, forward and backward, or "" if it does."""
    try:
        return engine_of(network.program, network.max_rounds, network.mathematics).reason_against(gradient=True)
    except Exception as error:  # noqa: BLE001  # a fault of ours, which the count is to show
        return f"crashed: {type(error).__name__}: {error}"


def print_native(reasons, console):
    """The share of native programs, and what the others lack; `reasons` has one for each program, "" if it is native."""
    count = sum(not reason for reason in reasons)
    console.print(f"{count} of {len(reasons)} programs run natively, forward and backward ({100 * count / max(1, len(reasons)):.1f} %)")
    kinds = Counter(re.sub(r",( most of them for)? line \d+$|\d+ (?=instructions)", "", reason) for reason in reasons if reason)
    for reason, number in kinds.most_common():
        console.print(f"{number:4} {reason}", markup=False, highlight=False)


@dataclass(frozen=True)
class Score:
    """The word for an entry, the reason behind it, seconds, and why the network is not native: "" if it is, None if there is none."""

    entry: dict
    word: str
    reason: str
    seconds: float
    against: str | None


def score_entry(entry):
    """The score of an entry."""
    torch.set_num_threads(1)
    start = time.perf_counter()
    made = []

    def compiler(function, args, kwargs):
        made.append(compile_entry(function, args, kwargs))
        return made[-1]

    word, reason = load_corpus().score(entry, compiler)
    seconds = time.perf_counter() - start
    return Score(entry, word, reason, seconds, reason_against_native(made[0]) if made else None)


def score_all(entries, processes=2):
    """Score entries in parallel, in order."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(score_entry, entries, chunksize=4)


def print_scores(scores):
    """One row a package, one column a word, and the share of success."""
    counts = Counter((score.entry["source"], score.word) for score in scores)
    table = Table("package", *WORDS, "success %")
    for source in [*sorted({source for source, _ in counts}), None]:
        row = [sum(n for (package, name), n in counts.items() if name == word and source in (package, None)) for word in WORDS]
        share = 100 * sum(row[: len(SUCCESS)]) / sum(row)
        table.add_row(source or "all", *map(str, row), f"{share:.1f}", style=None if source else "bold")
    console = Console(width=140)
    console.print(table)
    print_native([score.against for score in scores if score.against is not None], console)


def main(arguments=None):
    """Score the corpus, or one package of it, and print the table; `--show` lists entries with the reason."""
    parser = argparse.ArgumentParser(prog="make corpus", description=__doc__)
    parser.add_argument("--file", default="public.jsonl")
    parser.add_argument("--source", help="only this package")
    parser.add_argument("--show", nargs="*", choices=WORDS, default=["wrong", "wrong-gradient", "nan-gradient", "crashed", "slow"])
    options = parser.parse_args(arguments)
    entries = [entry for entry in load_corpus().entries(options.file) if options.source in (None, entry["source"])]
    scores = []
    for score in score_all(entries):
        scores.append(score)
        if score.word in options.show:
            print(f"{score.word} {score.entry['id']} ({score.seconds:.1f} s): {score.reason}")
    print_scores(scores)


if __name__ == "__main__":
    main()
