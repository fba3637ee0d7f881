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
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from deepalgo.backends.native.array_entry import CALLED, REFUSED, array_entry, fits
from deepalgo.backends.native.build import MachineCode
from deepalgo.backends.native.columns import Array, Columns
from deepalgo.backends.native.log import NoteLog
from deepalgo.backends.native.mathematics import Mathematics
from deepalgo.backends.native.notes import ENTRY, Notes
from deepalgo.backends.native.parts import Splitter
from deepalgo.backends.native.python_calls import addresses, python_function
from deepalgo.backends.native.scratch import borrow, give_back
from deepalgo.backends.native.text import Unsupported
from deepalgo.backends.native.threads import share
from deepalgo.backends.native.width import FEW, lanes_of
from deepalgo.backends.native.write import WrittenModule, write
from deepalgo.ir import Op, Program, Value, walk
from deepalgo.ops.by_numpy import DTYPES

#: Samples that are computed and added up together, so that sums do not depend on the number of threads.
BLOCK = 2048
#: Batches of up to so many samples are brought into one piece at once where they are not, larger ones block by block.
SMALL = 1 << 16
#: What native code returns besides 0: the stack is full, or some samples failed.
FULL, FAILED = 1, 2
#: Bytes of a stack at first, and at most.
FIRST_STACK, LARGEST_STACK = 1 << 20, 1 << 32
#: No entries of a log.
NOTHING: Array = np.zeros((0, ENTRY), np.int64)
#: Entries of a log of records for which there is room at first, and at most so many in one of failures.
FIRST_LOG, LARGE_LOG = 1 << 14, 1 << 20


class StackLimit(Exception):
    """A derivative that saves more than it may."""


@dataclass(frozen=True, slots=True)
class KernelOutcome:
    """The results of all samples, those that were added up, and for each sample the number of the check that it failed, or 0.

    `failed` says whether there is such a sample, `total` has all sums in a row. `entries` are what was noted: the site with the group of so
    many lanes, which of them, and a number.
    """

    results: list[Array]
    total: Array
    sums: list[Array]
    codes: Array
    failed: bool
    entries: Array
    lanes: int


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
        results = program.body.results
        self.kept = [results[place] for place in range(len(results)) if place not in summed]
        self.added = [results[place] for place in sorted(summed)]
        self.shapes = [(value.type.shape, np.dtype(DTYPES[value.type.kind])) for value in self.kept]
        self.sums = sum(math.prod(value.type.shape) for value in self.added)
        is_record = self.written.notes.records
        self.lanes = FEW if is_record else lanes_of(lines, self.written.saves, self.written.rooms)
        self.machine, self._many = self._compiled()
        self.stack = FIRST_STACK if self.written.saves else 0
        self.rooms = 8 * self.written.rooms * self.lanes
        self.most_stack = most_stack

    def _compiled(self) -> tuple[MachineCode, Callable[..., int] | None]:
        """The code, and the function of it that Python calls with arrays as they are, if it can."""
        text, symbols = self.written.for_lanes(self.lanes), self.written.symbols
        inputs, results = [item.value.type for item in self.program.inputs], [value.type for value in self.kept]
        if not fits([*inputs, *results]):
            return MachineCode(text, symbols, hasty=self.written.notes.records), None
        entry = array_entry(inputs, results, self.sums, self.lanes, BLOCK)
        machine = MachineCode(f"{text}\n{entry}", {**symbols, **addresses(CALLED)}, hasty=self.written.notes.records)
        many, self._definition = python_function(self.program.name, machine.address("many"))
        return machine, many

    def run(self, inputs: Sequence[Array], weights: Array, rounds: int = 10_000, threads: int = 1) -> KernelOutcome:
        """The outcome for all samples: one array for each input, with a row for each sample, and all weights in one row."""
        count = len(inputs[0]) if inputs else 1
        results = [np.empty((count, *shape), dtype) for shape, dtype in self.shapes]
        codes = np.empty(count, np.int32) if self.written.fails else np.zeros(count, np.int32)
        total = np.empty(self.sums)
        weights = np.ascontiguousarray(weights, np.float64)
        if count <= SMALL:
            inputs = [array if array.flags.c_contiguous else np.ascontiguousarray(array) for array in inputs]
        work = Work(inputs, weights, results, codes, rounds, {})
        state = self._directly(work, count, total) if threads == 1 or count <= BLOCK else REFUSED
        if state == REFUSED:
            state, total = self._share(work, count, threads)
        noted = [work.entries[first] for first in sorted(work.entries)]
        entries = np.concatenate(noted) if noted else NOTHING
        return KernelOutcome(results, total, _apart(total, self.added), codes, state == FAILED, entries, self.lanes)

    def _directly(self, work: Work, count: int, total: Array) -> int:
        """Run all samples where their arrays lie, without a copy; returns how it went, `REFUSED` where an array does not fit."""
        if self._many is None:
            return REFUSED
        stack, arrays, log = borrow(self.stack), borrow(self.rooms), self._log(count)
        end = stack  # behind which the native code finds the log
        while True:
            if log is not None:
                log.begin()
                end = log.words[:0]
            state = self._many(count, work.rounds, work.weights, work.codes, total, end, arrays, *work.inputs, *work.results)
            if state == FULL:
                end = stack = self._larger(stack)
            elif state == REFUSED or log is None or not log.is_full():
                break
        if log is not None and state != REFUSED and log.count:
            work.entries[0] = log.entries(0, self.lanes)
        give_back(stack)
        give_back(arrays)
        return state

    def _share(self, work: Work, count: int, threads: int) -> tuple[int, Array]:
        """Run all samples in blocks, which threads share; returns how it went, and what is added up, in the order of the blocks."""
        blocks = [(first, min(first + BLOCK, count)) for first in range(0, count, BLOCK)]
        threads = min(threads, len(blocks))
        if threads <= 1:
            state, sums = self._run_blocks(work, blocks)
            return state, self._total(sums)
        size = -(-len(blocks) // threads)
        parts = [blocks[first : first + size] for first in range(0, len(blocks), size)]
        found = share(lambda part: self._run_blocks(work, part), parts)
        sums = [each for _, some in found for each in some]
        return max(state for state, _ in found), self._total(sums)

    def _total(self, sums: Sequence[Array]) -> Array:
        """What the blocks add up to; samples may have any numbers."""
        with np.errstate(all="ignore"):
            return sum(sums, np.zeros(self.sums))

    def _run_blocks(self, work: Work, blocks: Sequence[tuple[int, int]]) -> tuple[int, list[Array]]:
        """Run some blocks, one after the other, with one stack; returns how it went, and what each adds up to."""
        added, stack, arrays = np.zeros(self.sums), borrow(self.stack), borrow(self.rooms)
        most, state = min(BLOCK, len(work.codes)), 0
        log = self._log(most)
        inputs = Columns(work.inputs, [item.value.type for item in self.program.inputs], most)
        results = Columns(work.results, [value.type for value in self.kept], most)
        found: list[Array] = []
        for first, last in blocks:
            count = last - first
            pointers = (inputs.begin(first, last), work.weights.ctypes.data, results.begin_writing(first), added.ctypes.data,
                        work.codes[first:].ctypes.data, count, work.rounds)
            while True:
                limit = stack.ctypes.data + len(stack) if log is None else log.begin()
                ended = self.machine.function(0, -(-count // self.lanes), *pointers, stack.ctypes.data, limit, arrays.ctypes.data)
                if ended == FULL:
                    stack = self._larger(stack)
                elif log is None or not log.is_full():
                    break
            if log is not None and log.count:
                work.entries[first] = log.entries(first, self.lanes)
            results.end_writing(first, last)
            found.append(added.copy())
            state = max(state, ended)
        give_back(stack)
        give_back(arrays)
        return state, found

    def _log(self, samples: int) -> NoteLog | None:
        """Room for what so many samples note; every sample that fails has its place."""
        notes = self.written.notes
        if not notes.writes:
            return None
        return NoteLog(FIRST_LOG if notes.records else min(samples * notes.most_told, LARGE_LOG))

    def _larger(self, stack: Array) -> Array:
        """Room for four times as much."""
        size = len(stack) * 4
        if size > self.most_stack:
            raise StackLimit(f"the derivative of {self.program.name} needs more than {self.most_stack >> 20} MiB for {self.lanes} samples")
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
