"""How much of the real world compiles: `DEEPALGO_CORPUS=folder make corpus`.

The folder holds functions of real packages by name, with sample calls, answers and finite differences (`public.jsonl`), and
`corpus.py`, which scores a compiler on them. `right` and `no-gradient-reference` (the value is right, no smooth sample to
compare with) count as success; a refusal is honest; the rest are bugs.
"""

import argparse
import importlib.util
import multiprocessing
import os
import sys
import time
from collections import Counter
from pathlib import Path
from types import ModuleType

import torch
from rich.console import Console
from rich.table import Table

import deepalgo as da

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


def score_entry(entry):
    """The entry with its word, the reason behind the word, and the seconds that it took."""
    torch.set_num_threads(1)
    start = time.perf_counter()
    word, reason = load_corpus().score(entry, compile_entry)
    return entry, word, reason, time.perf_counter() - start


def score_all(entries, processes=2):
    """Score entries in parallel, in order."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(score_entry, entries, chunksize=4)


def print_scores(scores):
    """One row a package, one column a word, and the share of success."""
    counts = Counter((entry["source"], word) for entry, word, _, _ in scores)
    table = Table("package", *WORDS, "success %")
    for source in [*sorted({source for source, _ in counts}), None]:
        row = [sum(n for (package, name), n in counts.items() if name == word and source in (package, None)) for word in WORDS]
        share = 100 * sum(row[: len(SUCCESS)]) / sum(row)
        table.add_row(source or "all", *map(str, row), f"{share:.1f}", style=None if source else "bold")
    Console(width=140).print(table)


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
        entry, word, reason, seconds = score
        if word in options.show:
            print(f"{word} {entry['id']} ({seconds:.1f} s): {reason}")
    print_scores(scores)


if __name__ == "__main__":
    main()
