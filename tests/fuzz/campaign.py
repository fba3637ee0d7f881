"""Check many programs in parallel processes, each program within a time limit.

A process that dies takes its program with it: that one counts as crashed, and a new process goes on with the next.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from tests.fuzz.generator import generate
from tests.fuzz.program import Program
from tests.fuzz.verdict import Verdict

SECONDS = 60.0


@dataclass(frozen=True)
class Outcome:
    """A seed, what was said of its program, and the constructs the program has."""

    seed: int
    verdict: Verdict
    constructs: frozenset[str]
    seconds: float


class Slow(BaseException):
    """The time limit; not an `Exception`, so that nothing on the way takes it for an error of its own."""


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Interrupt what runs inside after some time."""

    def stop(*_: Any) -> None:
        raise Slow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def judge(program: Program, seconds: float = SECONDS, native: int = 0) -> Verdict:
    """The verdict on a program, `slow` where it takes too long.

    A `native` one is about native code and what the program means, and the gradients of every so many programs.
    """
    from tests.fuzz import compare, exact
    from tests.fuzz import native as native_code

    try:
        with limit(seconds):
            if native:
                return native_code.check(program, native)
            return exact.check(program) if program.kind in exact.KINDS else compare.check(program)
    except Slow:
        return Verdict("slow", f"over {seconds:g} s")


def examine(seed: int, seconds: float = SECONDS, kind: str = "scalar", native: int = 0) -> Outcome:
    """Generate the program of a seed and judge it."""
    start = time.perf_counter()
    program = generate(seed, kind)
    verdict = judge(program, seconds, native)
    return Outcome(seed, verdict, program.constructs, time.perf_counter() - start)


def run(seeds: list[int], jobs: int = 2, seconds: float = SECONDS,
        report: Callable[[Outcome], None] = lambda outcome: None, kind: str = "scalar", native: int = 0) -> list[Outcome]:
    """Outcomes of all seeds, in their order; `report` hears of each as it comes in."""
    waiting = list(reversed(seeds))
    outcomes: list[Outcome] = []
    crew = [Worker(seconds, kind, native) for _ in range(min(jobs, len(seeds)))]
    for worker in crew:
        worker.give(waiting.pop())
    while busy := [worker for worker in crew if worker.seed is not None]:
        ready = wait([worker.pipe for worker in busy], timeout=seconds * 3)
        for worker in busy:
            if worker.pipe in ready or not ready:
                outcome = worker.take() if ready else worker.lost("hangs")
                outcomes.append(outcome)
                report(outcome)
                if waiting:
                    worker.give(waiting.pop())
    for worker in crew:
        worker.stop()
    return sorted(outcomes, key=lambda outcome: outcome.seed)


class Worker:
    """A process that examines one seed after another."""

    def __init__(self, seconds: float, kind: str = "scalar", native: int = 0) -> None:
        self.seconds = seconds
        self.kind = kind
        self.native = native
        self.seed: int | None = None
        self.start()

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe: Connection
        self.pipe, far = context.Pipe()
        self.process: BaseProcess = context.Process(target=_serve, args=(far, self.seconds, self.kind, self.native), daemon=True)
        self.process.start()
        far.close()

    def give(self, seed: int) -> None:
        self.seed = seed
        self.pipe.send(seed)

    def take(self) -> Outcome:
        try:
            outcome: Outcome = self.pipe.recv()
        except (EOFError, OSError):
            return self.lost("the process died")
        self.seed = None
        return outcome

    def lost(self, reason: str) -> Outcome:
        """Replace a process that is of no use any more."""
        assert self.seed is not None
        outcome = Outcome(self.seed, Verdict("crashed", reason), generate(self.seed, self.kind).constructs, self.seconds)
        self.process.kill()
        self.process.join()
        self.seed = None
        self.start()
        return outcome

    def stop(self) -> None:
        self.pipe.close()
        self.process.join(5.0)
        if self.process.is_alive():
            self.process.kill()


def _serve(pipe: Connection, seconds: float, kind: str, native: int) -> None:
    import torch

    torch.set_num_threads(1)
    gc.set_threshold(50_000, 20, 100)  # programs are many small objects that live as long as their comparison
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            seed = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(examine(seed, seconds, kind, native))
