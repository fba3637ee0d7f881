"""Compile times of this tree against those of a commit: `DEEPALGO_CORPUS=folder python -m benchmarks.compile_time --against COMMIT`.

The commit is checked out into a temporary folder. Processes of both trees take turns, so that a busy machine slows both alike; each
compiles the functions of the corpus, torch code included, and a function counts with its least processor time. What one of them refuses
is left out.
"""

import argparse
import contextlib
import io
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent.parent


def measure(every):
    """Seconds that functions of the corpus take in this process, by their name."""
    import deepalgo as da
    from benchmarks.corpus import load_corpus

    logging.disable()
    corpus, found = load_corpus(), {}
    for number, entry in enumerate(corpus.entries()):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(da.CompileError):
            if number % every:
                continue
            function = corpus.resolve(entry)
            args, kwargs = corpus.plain_arguments(entry, entry["samples"][0])
            start = time.process_time()
            _ = da.compile(function, example=(tuple(args), kwargs)).code
            found[entry["id"]] = time.process_time() - start
    return found


def run(tree, every):
    """What a process with the package of a tree measures."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__).resolve()), "--measure", "--every", str(every)]
    return json.loads(subprocess.run(command, cwd=tree, env=environment, check=True, capture_output=True, text=True).stdout)


def least(runs):
    """The least time of every function that all runs compiled."""
    names = set.intersection(*(set(found) for found in runs))
    return {name: min(found[name] for found in runs) for name in names}


@contextlib.contextmanager
def checked_out(commit):
    """A folder with the files of a commit."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--detach", str(tree), commit], cwd=HERE, check=True, capture_output=True)
        try:
            yield tree
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=HERE, check=True, capture_output=True)


def compare(commit, rounds, every):
    """The times of both, by function."""
    with checked_out(commit) as tree:
        pairs = [(run(tree, every), run(HERE, every)) for _ in range(rounds)]
    before, after = least([pair[0] for pair in pairs]), least([pair[1] for pair in pairs])
    return {name: (before[name], after[name]) for name in sorted(before.keys() & after.keys())}


def print_comparison(found, commit):
    """Median, mean and the worst ratios."""
    ratios = {name: after / before for name, (before, after) in found.items()}
    median = statistics.median(ratios.values())
    total = [sum(pair[place] for pair in found.values()) for place in (0, 1)]
    title = f"{len(found)} functions: {median:.3f} times the time of {commit} in the median; together {total[0]:.2f} and {total[1]:.2f} s"
    table = Table("function", "before, s", "after, s", "times", title=title)
    for name in sorted(ratios, key=ratios.__getitem__, reverse=True)[:8]:
        table.add_row(name, *(f"{seconds:.4f}" for seconds in found[name]), f"{ratios[name]:.2f}")
    Console(width=120).print(table)


def main(arguments=None):
    """Print the comparison, or what one process measures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compile_time", description=__doc__)
    parser.add_argument("--against", metavar="COMMIT")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--every", type=int, default=1, help="only every so manieth function")
    parser.add_argument("--measure", action="store_true", help="print the times of this process")
    options = parser.parse_args(arguments)
    if options.measure:
        json.dump(measure(options.every), sys.stdout)
    else:
        print_comparison(compare(options.against, options.rounds, options.every), options.against)


if __name__ == "__main__":
    main()
