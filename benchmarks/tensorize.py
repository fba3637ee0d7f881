"""Every transformation over the corpus and over random programs: `python -m benchmarks.tensorize`.

Each is tried at several places of every program, alone and behind others. The table counts, by transformation, where it was applied or
refused, where answers and errors on every sample are those of the heuristic (1e-12), and where a new weight has a finite gradient that is
not zero. Where none has, moving the new weights a little must change no answer: else they are stuck. Programs come from the corpus
(DEEPALGO_CORPUS) and from `tests/fuzz`. With `--record FILE` a run that was stopped goes on where it was.
"""

import argparse
import contextlib
import io
import json
import multiprocessing
import random
import signal
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

import deepalgo as da
from benchmarks.corpus import load_corpus
from benchmarks.growth import NAMES, Move, corpus_subject, difference, examine, fuzz_subject, moves, some, train_a_little

WORDS = ("applied", "refused", "exact", "learns", "dead", "stuck", "wrong", "nan-gradient", "contradicted", "crashed")
BAD = ("stuck", "wrong", "nan-gradient", "contradicted", "crashed")
SECONDS = 120
#: Transformations that keep the answers of a trained network, too; the others let the untrained one compete.
KEEPING = ("untie", "widen", "Kronecker", "remember", "soften", "correct")


def try_program(task):
    """The task with rows (transformation, word, what was done, why) of all that was tried on its program."""
    torch.set_num_threads(1)
    return task, rows_of(*task)


def rows_of(source, item, most):
    """All that was tried on one program; nothing if it cannot be compiled."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            with limit(SECONDS):
                subject = corpus_subject(item) if source == "corpus" else fuzz_subject(item, source)
                return list(try_subject(subject, most))
        except da.CompileError:
            return []
        except TimeoutError:
            return [("program", "slow", title(source, item), f"over {SECONDS} s")]


def title(source, item):
    """What a program is called in records."""
    return item["id"] if source == "corpus" else f"{source} {item}"


@contextlib.contextmanager
def limit(seconds):
    """Raise TimeoutError after so many seconds of work, however busy the machine is."""

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def try_subject(subject, most):
    """Single moves, then chains of two and three."""
    for number, move in enumerate(some(moves(subject), most, subject.name)):
        yield from row(subject, move, "settle" if number % 5 == 4 else "run")
    rng = random.Random(subject.name)
    for _ in range(max(1, most)):
        yield from chain(subject, rng)


def chain(subject, rng):
    """Two or three random moves: the answers at birth are the heuristic's, and a trained network keeps its own."""
    now, done = subject, []
    for _ in range(rng.choice((2, 3))):
        choice = moves(now)
        if not choice:
            return
        name = rng.choice(sorted({move.name for move in choice}))
        move = rng.choice([move for move in choice if move.name == name])
        done.append(move.call)
        try:
            yield from kept(now, move, " > ".join(done))
            grown = move.make(now.network, now.leaves)
        except da.TensorizeError:
            done.pop()
            continue
        now = replace(now, network=grown)
        if reason := difference(subject.network.outcomes(subject.leaves), grown.outcomes(subject.leaves)):
            yield "chain", "wrong", f"{subject.name}: {' > '.join(done)}", reason
            return
    if len(done) > 1:
        yield "chain", "applied", subject.name, ""
        yield "chain", "exact", subject.name, ""


def kept(subject, move, text):
    """Whether a transformation keeps what was trained before it."""
    if move.name not in KEEPING:
        return
    trained = train_a_little(subject.network)
    reason = difference(trained.outcomes(subject.leaves), move.make(trained, subject.leaves).outcomes(subject.leaves))
    yield "trained", "wrong" if reason else "exact", f"{subject.name}: {text}", reason


def row(subject, move: Move, loops):
    """What came of one move."""
    try:
        verdict = examine(subject, move, loops)
    except TimeoutError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever else is raised is a bug to be shown
        yield move.name, "crashed", f"{subject.name}: {move.call}", f"{type(error).__name__}: {error}"
        return
    what = f"{subject.name}: {move.call}"
    if verdict.word in ("ok", "dead", "stuck", "nan-gradient", "wrong"):
        yield move.name, "applied", what, ""
    if verdict.word in ("ok", "dead", "stuck", "nan-gradient"):
        yield move.name, "exact", what, ""
    yield move.name, "learns" if verdict.word == "ok" else verdict.word, what, verdict.reason


def main(arguments=None):
    """Try all, print what is wrong and the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tensorize", description=__doc__)
    parser.add_argument("--programs", type=int, default=100, help="random programs of each kind")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first of them")
    parser.add_argument("--every", type=int, default=1, help="take every n-th function of the corpus; 0 leaves it out")
    parser.add_argument("--most", type=int, default=3, help="places where each transformation is tried in a program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--record", type=Path, help="a file that keeps what was tried, one line a program")
    parser.add_argument("--show", nargs="*", choices=WORDS, default=BAD)
    options = parser.parse_args(arguments)
    tasks = [("corpus", entry, options.most) for entry in load_corpus().entries()[:: options.every]] if options.every else []
    seeds = range(options.first, options.first + options.programs)
    tasks += [(kind, seed, options.most) for kind in ("scalar", "arrays") for seed in seeds]
    random.Random(0).shuffle(tasks)  # what a stopped run has seen is a fair sample
    print_table(*count(found(tasks, options.jobs, options.record), (*options.show, "slow")))


def found(tasks, jobs, record):
    """The rows of each program; those that the record has, then those that are tried now."""
    known = dict(map(json.loads, record.read_text().splitlines())) if record is not None and record.exists() else {}
    yield from known.values()
    tasks = [task for task in tasks if title(*task[:2]) not in known]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for (source, item, _), rows in pool.imap_unordered(try_program, tasks):
            if record is not None:
                with record.open("a") as file:
                    file.write(json.dumps((title(source, item), rows)) + "\n")
            yield rows


def count(results, shown):
    """How often each word was said of each transformation, and how many programs there were; prints what is to be shown."""
    counts, programs = Counter(), 0
    for rows in results:
        programs += bool(rows)
        for name, word, what, why in rows:
            counts[name, word] += 1
            if word in shown:
                print(f"{word} {what}: {why}", flush=True)
    return counts, programs


def print_table(counts, programs):
    """One row a transformation, one column a word."""
    table = Table("transformation", *WORDS, title=f"{programs} programs")
    for name in (*NAMES, "chain", "trained"):
        table.add_row(name, *(str(counts[name, word]) for word in WORDS))
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
