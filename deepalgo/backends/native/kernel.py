"""`Kernel`: a program as native code that is called with arrays, a row for each sample.

>>> import numpy as np
>>> from deepalgo.ir import parse
>>> kernel = compile_kernel(parse('''
... scale(x: real)
...   weight w = 3.0
...   %w = weight w
...   %y = mul %x %w
...   return %y
... '''))
>>> kernel.run([np.array([1.0, 2.0, 3.0])], np.array([3.0])).results
[array([3., 6., 9.])]
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from deepalgo.backends.native.build import MachineCode
from deepalgo.backends.native.columns import Array, Columns
from deepalgo.backends.native.log import NoteLog
from deepalgo.backends.native.mathematics import Mathematics
from deepalgo.backends.native.notes import ENTRY, Notes
from deepalgo.backends.native.parts import Splitter
from deepalgo.backends.native.text import WIDTH, Unsupported
from deepalgo.backends.native.write import WrittenModule, write
from deepalgo.ir import Op, Program, Value, walk
from deepalgo.ops.by_numpy import DTYPES

#: Samples that are computed and added up together, so that sums do not depend on the number of threads.
BLOCK = 256 * WIDTH
#: Bytes of a stack at first, and at most.
FIRST_STACK, LARGEST_STACK = 1 << 20, 1 << 32


#: No entries of a log.
NOTHING: Array = np.zeros((0, ENTRY), np.int64)
#: Entries of a log for which there is room at first.
FIRST_LOG = 1 << 14


class StackLimit(Exception):
    """A derivative that saves more than it may."""


@dataclass(frozen=True, slots=True)
class KernelOutcome:
    """The results of all samples, those that were added up, for each sample the number of the check that it failed, or 0, and the log."""

    results: list[Array]
    sums: list[Array]
    codes: Array
    #: What was noted: the site with the group of samples, the lanes, and a number.
    entries: Array


def compile_kernel(program: Program, summed: Sequence[int] = (), mathematics: Mathematics = "exact") -> Kernel:
    """The program as native code; results at the places in `summed` are added up over the samples."""
    return Kernel(program, frozenset(summed), mathematics)


class Kernel:
    """Native code of one program; a stack may have so many bytes for each thread."""

    def __init__(self, program: Program, summed: frozenset[int], mathematics: Mathematics = "exact", most_stack: int = LARGEST_STACK,
                 most_lines: int | None = None, notes: Notes | None = None) -> None:
        self.program, self.summed = program, summed
        self.written: WrittenModule = write(program, summed, mathematics, notes)
        lines = self.written.text.count("\n")
        if most_lines is not None and lines > most_lines:
            raise Unsupported(f"it would take long to compile {lines} instructions (or ask for backend='native'){_longest(program)}")
        self.machine = MachineCode(self.written.for_lanes(WIDTH), self.written.symbols, hasty=self.written.notes.records)
        results = program.body.results
        self.kept = [results[place] for place in range(len(results)) if place not in summed]
        self.added = [results[place] for place in sorted(summed)]
        self.sums = sum(math.prod(value.type.shape) for value in self.added)
        self.stack = FIRST_STACK if self.written.saves else 0
        self.most_stack = most_stack

    def run(self, inputs: Sequence[Array], weights: Array, rounds: int = 10_000, threads: int = 1) -> KernelOutcome:
        """The outcome for all samples: one array for each input, with a row for each sample, and all weights in one row."""
        count = len(inputs[0]) if inputs else 1
        results: list[Array] = [np.empty((count, *value.type.shape), DTYPES[value.type.kind]) for value in self.kept]
        codes = np.zeros(-(-count // WIDTH) * WIDTH, np.int32)
        work = Work(inputs, np.ascontiguousarray(weights, np.float64), results, codes, rounds, {})
        total = self._share(work, count, threads)
        entries = [work.entries[first] for first in sorted(work.entries)]
        return KernelOutcome(results, _apart(total, self.added), codes[:count], np.concatenate(entries) if entries else NOTHING)

    def _share(self, work: Work, count: int, threads: int) -> Array:
        """Run all samples in blocks, which threads share; returns what is added up, in the order of the blocks."""
        blocks = [(first, min(first + BLOCK, count)) for first in range(0, count, BLOCK)]
        threads = min(threads, len(blocks))
        if threads <= 1:
            return sum(self._run_blocks(work, blocks), np.zeros(self.sums))
        size = -(-len(blocks) // threads)
        parts = [blocks[first : first + size] for first in range(0, len(blocks), size)]
        with ThreadPoolExecutor(threads) as pool:
            found = [part for some in pool.map(lambda part: self._run_blocks(work, part), parts) for part in some]
        return sum(found, np.zeros(self.sums))

    def _run_blocks(self, work: Work, blocks: Sequence[tuple[int, int]]) -> list[Array]:
        """Run some blocks, one after the other, with one stack; returns what each adds up to."""
        lanes, stack, arrays = np.zeros((self.sums, WIDTH)), np.empty(self.stack, np.uint8), np.empty(self.written.rooms * WIDTH)
        most = min(BLOCK, len(work.codes))
        inputs = Columns(work.inputs, [item.value.type for item in self.program.inputs], most)
        results = Columns(work.results, [value.type for value in self.kept], most)
        found: list[Array] = []
        log = self._log(most) if self.written.notes.writes else None
        for first, last in blocks:
            count = last - first
            pointers = (inputs.begin(first, last), work.weights.ctypes.data, results.begin_writing(first, last), lanes.ctypes.data,
                        work.codes[first:].ctypes.data, count, work.rounds)
            while True:
                limit = stack.ctypes.data + len(stack) if log is None else log.begin()
                if self.machine.function(0, -(-count // WIDTH), *pointers, stack.ctypes.data, limit, arrays.ctypes.data):
                    stack = self._larger(stack)
                elif log is None or not log.is_full():
                    break
            if log is not None and log.count:
                work.entries[first] = log.entries(first)
            results.end_writing(first, last)
            with np.errstate(all="ignore"):  # samples may have any numbers
                found.append(lanes.sum(axis=1))
        return found

    def _log(self, samples: int) -> NoteLog:
        """Room for what so many samples note; every sample that fails has its place."""
        notes = self.written.notes
        return NoteLog(FIRST_LOG if notes.records else -(-samples // WIDTH) * WIDTH * notes.most_told)

    def _larger(self, stack: Array) -> Array:
        """Room for four times as much."""
        size = len(stack) * 4
        if size > self.most_stack:
            raise StackLimit(f"the derivative of {self.program.name} needs more than {self.most_stack >> 20} MiB for {WIDTH} samples")
        self.stack = max(self.stack, size)
        return np.empty(size, np.uint8)


def _longest(program: Program) -> str:
    """The line that most of the instructions are for."""
    lengths, counts = Splitter(), Counter[int]()
    for op in walk(program.body):
        if isinstance(op, Op) and op.span is not None:
            counts[op.span.line] += lengths.length(op)
    return f", most of them for line {counts.most_common(1)[0][0]}" if counts else ""


@dataclass(frozen=True, slots=True)
class Work:
    """The arrays of a call, and the largest number of rounds."""

    inputs: Sequence[Array]
    weights: Array
    results: Sequence[Array]
    codes: Array
    rounds: int
    #: What is noted, by the first sample of each block.
    entries: dict[int, Array]


def _apart(total: Array, values: Sequence[Value]) -> list[Array]:
    """What was added up, value by value."""
    found, start = [], 0
    for value in values:
        size = math.prod(value.type.shape)
        found.append(total[start : start + size].reshape(value.type.shape))
        start += size
    return found
