"""What becomes of functions that nobody has looked at: `python -m benchmarks.outside PACKAGE ...`, for packages that are installed.

Every public function whose arguments may all be numbers (or all arrays, or all lists) of some range is called with random ones. Where
most calls answer with finite numbers, it is compiled with the first of them as the example and compared on all. Gradients are not
compared: there is no reference for where a function is smooth. Counted besides is which of the programs that compile run natively,
forward and backward, and what the others lack.
"""

import argparse
import contextlib
import copy
import importlib
import inspect
import io
import math
import multiprocessing
import pkgutil
import random
import signal
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

import deepalgo as da
from benchmarks.corpus import print_native, reason_against_native

WORDS = ("right", "refused", "wrong", "crashed", "slow")
RANGES = ((0.1, 0.9), (1.0, 10.0), (10.0, 80.0), (200.0, 400.0), (1e3, 1e5))
SHAPES = ((3,), (4,), (3, 3), (4, 4))
CALLS, ENOUGH, SECONDS = 12, 7, 60


class TooSlow(BaseException):
    """Raised by the clock; no `except Exception` of the package may catch it."""


@dataclass(frozen=True)
class Trial:
    """Calls of a function, and the numbers that it answered with; None where it failed."""

    calls: list
    answers: list


@contextlib.contextmanager
def limit(seconds):
    """Raise `TooSlow` after so many seconds."""

    def ring(*_):
        raise TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def silent():
    """Neither prints nor warnings."""
    with contextlib.ExitStack() as stack:
        for context in (contextlib.redirect_stdout, contextlib.redirect_stderr):
            stack.enter_context(context(io.StringIO()))
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        stack.enter_context(np.errstate(all="ignore"))
        yield


def functions(package):
    """The public functions of a package, by module and name."""
    with silent():
        root = importlib.import_module(package)
    inner = pkgutil.walk_packages(root.__path__, package + ".", onerror=lambda _: None) if hasattr(root, "__path__") else ()
    for name in (package, *(item.name for item in inner if "test" not in item.name)):
        try:
            with silent(), limit(SECONDS):
                module = importlib.import_module(name)
        except (Exception, SystemExit, TooSlow):  # noqa: BLE001  # what the package asks for is not there
            continue
        for key, function in sorted(vars(module).items()):
            if not key.startswith("_") and inspect.isfunction(function) and function.__module__ == name:
                yield name, key


def numbers(answer):
    """All numbers of an answer in a row; TypeError if there is anything else."""
    if isinstance(answer, (bool, int, float, np.bool_, np.integer, np.floating)):
        return [float(answer)]
    if isinstance(answer, np.ndarray) and answer.dtype.kind in "fib":
        return [float(item) for item in answer.ravel()]
    if isinstance(answer, (list, tuple, dict)):
        return [item for part in (answer.values() if isinstance(answer, dict) else answer) for item in numbers(part)]
    raise TypeError(type(answer).__name__)


def makers():
    """Ways to make an argument."""
    for low, high in RANGES:
        yield lambda rng, low=low, high=high: rng.uniform(low, high)
    for shape in SHAPES:
        yield lambda rng, shape=shape: np.array([rng.uniform(-1.0, 1.0) for _ in range(math.prod(shape))]).reshape(shape)
    yield lambda rng: [rng.uniform(0.1, 0.9) for _ in range(3)]


def trial(function):
    """Calls that mostly answer, or None if no kind of argument does."""
    parameters = inspect.signature(function).parameters.values()
    needed = [item for item in parameters if item.default is item.empty and item.kind not in (item.VAR_POSITIONAL, item.VAR_KEYWORD)]
    if not 1 <= len(needed) <= 10 or any(item.kind is item.KEYWORD_ONLY for item in needed):
        return None
    for make in makers():
        rng = random.Random(0)
        calls = [[make(rng) for _ in needed] for _ in range(CALLS)]
        answers = [called(function, call) for call in calls[:4]]
        if any(answers):
            answers += [called(function, call) for call in calls[4:]]
        found = [tuple(answer) for answer in answers if answer]
        if len(found) >= ENOUGH and len(set(found)) > 2:
            return Trial(calls, answers)
    return None


def called(function, call):
    """The numbers that a call answers with; None if it fails, takes long, or one of them is not finite."""
    try:
        with silent(), limit(1.0):
            found = numbers(function(*copy.deepcopy(call)))
    except (Exception, SystemExit, TooSlow):  # noqa: BLE001  # it is the package's
        return None
    return found if found and all(map(math.isfinite, found)) else None


def batch(arguments):
    """One argument of all calls at once."""
    if isinstance(arguments[0], list):
        return [batch([argument[place] for argument in arguments]) for place in range(len(arguments[0]))]
    return torch.tensor(np.array(arguments), dtype=torch.float64)


def rows(answer, size):
    """The numbers of a network's answer, one row a sample."""
    if isinstance(answer, (list, tuple, dict)):
        return np.concatenate([rows(part, size) for part in (answer.values() if isinstance(answer, dict) else answer)], axis=1)
    found = torch.as_tensor(answer).detach().to(torch.float64).numpy()
    found = found if found.ndim and found.shape[0] == size else np.broadcast_to(found, (size, *found.shape))
    return found.reshape(size, -1)


@dataclass(frozen=True)
class Score:
    """The word for a function, what stands behind it, and why the network is not native: "" if it is, None if there is none."""

    place: tuple
    word: str | None
    reason: str = ""
    against: str | None = None


def examine(place):
    """The score of a function; its word is None if it cannot be tried."""
    torch.set_num_threads(1)
    module, name = place
    with silent():
        function = getattr(importlib.import_module(module), name)
    try:
        found = trial(function)
    except (TypeError, ValueError):  # it has no signature
        found = None
    if found is None:
        return Score(place, None)
    calls = [call for call, answer in zip(found.calls, found.answers, strict=True) if answer]
    expected = [answer for answer in found.answers if answer]
    try:
        with silent(), limit(SECONDS), torch.no_grad():
            network = da.compile(function, example=(tuple(calls[0]), {}), errors="nan")
            got = rows(network(*(batch(list(column)) for column in zip(*calls, strict=True))), len(calls))
    except da.CompileError as error:
        return Score(place, "refused", str(error))
    except TooSlow:
        return Score(place, "slow")
    except Exception as error:  # noqa: BLE001  # the word for it
        return Score(place, "crashed", f"{type(error).__name__}: {error}")
    against = reason_against_native(network)
    for call, row, answer in zip(calls, got, expected, strict=True):
        if len(row) != len(answer) or not np.allclose(row, answer, rtol=1e-9, atol=1e-12):
            return Score(place, "wrong", f"{call}: {row.tolist()} instead of {answer}", against)
    return Score(place, "right", "", against)


def main():
    """Print the words by package, and what is behind those that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--most", type=int, default=200, help="functions of a package, drawn at random")
    parser.add_argument("--show", nargs="*", default=["wrong", "crashed"], choices=WORDS)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    console = Console()
    table = Table("package", "tried", *WORDS, "native", title="functions outside of the corpus")
    total: Counter = Counter()
    reasons = []
    for package in options.packages:
        places = list(functions(package))
        random.Random(0).shuffle(places)
        with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=40) as pool:
            runs = pool.imap_unordered(examine, places[: options.most])
            scores = [score for score in track(runs, package, min(len(places), options.most), console=console) if score.word]
        words = Counter(score.word for score in scores)
        total += words
        against = [score.against for score in scores if score.against is not None]
        reasons += against
        table.add_row(package, str(len(scores)), *(str(words[word]) for word in WORDS), str(against.count("")))
        for score in scores:
            name = ".".join(score.place)
            if score.word in options.show:
                console.print(f"{score.word} {name}\n{score.reason}", markup=False, highlight=False)
            if score.against:
                console.print(f"torch {name}: {score.against}", markup=False, highlight=False)
    table.add_row("all", str(total.total()), *(str(total[word]) for word in WORDS), str(reasons.count("")), style="bold")
    console.print(table)
    print_native(reasons, console)


if __name__ == "__main__":
    main()
