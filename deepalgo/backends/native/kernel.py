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

import ctypes
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from deepalgo.backends.native.build import MachineCode
from deepalgo.backends.native.mathematics import Mathematics
from deepalgo.backends.native.text import WIDTH
from deepalgo.backends.native.write import WrittenModule, write
from deepalgo.ir import Program, Type, Value
from deepalgo.ops.by_numpy import DTYPES

Array = np.ndarray[Any, Any]
#: Groups of samples that are computed and added up together, so that sums do not depend on the number of threads.
GROUPS = 256
#: Bytes of a stack at first, and at most.
FIRST_STACK, LARGEST_STACK = 1 << 20, 1 << 32


@dataclass(frozen=True, slots=True)
class KernelOutcome:
    """The results of all samples, those that were added up, and for each sample the number of the check that it failed, or 0."""

    results: list[Array]
    sums: list[Array]
    codes: Array


def compile_kernel(program: Program, summed: Sequence[int] = (), mathematics: Mathematics = "exact") -> Kernel:
    """The program as native code; results at the places in `summed` are added up over the samples."""
    return Kernel(program, frozenset(summed), mathematics)


class Kernel:
    """Native code of one program."""

    def __init__(self, program: Program, summed: frozenset[int], mathematics: Mathematics = "exact") -> None:
        self.program, self.summed = program, summed
        self.written: WrittenModule = write(program, summed, mathematics)
        self.machine = MachineCode(self.written.text, self.written.symbols)
        results = program.body.results
        self.kept = [results[place] for place in range(len(results)) if place not in summed]
        self.added = [results[place] for place in sorted(summed)]
        self.sums = sum(_size(value.type) for value in self.added)
        self.stack = FIRST_STACK if self.written.saves else 0

    def run(self, inputs: Sequence[Array], weights: Array, rounds: int = 10_000, threads: int = 1) -> KernelOutcome:
        """The outcome for all samples: one array for each input, with a row for each sample, and all weights in one row."""
        count = len(inputs[0]) if inputs else 1
        padded = -(-count // WIDTH) * WIDTH
        columns = [column for array, item in zip(inputs, self.program.inputs, strict=True)
                   for column in _columns(array, item.value.type, padded)]
        outputs: list[Array] = [np.empty((_size(value.type), padded), DTYPES[value.type.kind]) for value in self.kept]
        codes = np.zeros(padded, np.int32)
        rows = [row for array in outputs for row in array]
        work = Work(columns, np.ascontiguousarray(weights, np.float64), rows, codes, count, rounds)
        total = self._share(work, padded // WIDTH, threads)
        found = [_rows(array, value.type, count) for array, value in zip(outputs, self.kept, strict=True)]
        return KernelOutcome(found, _apart(total, self.added), codes[:count])

    def _share(self, work: Work, groups: int, threads: int) -> Array:
        """Run all groups in blocks, which threads share; returns what is added up, in the order of the blocks."""
        blocks = [(first, min(first + GROUPS, groups)) for first in range(0, groups, GROUPS)]
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
        lanes, stack = np.zeros((self.sums, WIDTH)), np.empty(self.stack, np.uint8)
        found: list[Array] = []
        for first, last in blocks:
            while self.machine.function(first, last, *work.pointers(lanes), stack.ctypes.data, stack.ctypes.data + len(stack)):
                stack = self._larger(stack)
            found.append(lanes.sum(axis=1))
        return found

    def _larger(self, stack: Array) -> Array:
        """Room for four times as much."""
        if len(stack) * 4 > LARGEST_STACK:
            raise MemoryError(f"the derivative of {self.program.name} needs more than {LARGEST_STACK >> 30} GiB for {WIDTH} samples")
        self.stack = max(self.stack, len(stack) * 4)
        return np.empty(len(stack) * 4, np.uint8)


class Work:
    """The arrays of a call, which native code gets as addresses."""

    def __init__(self, columns: Sequence[Array], weights: Array, rows: Sequence[Array], codes: Array, count: int, rounds: int) -> None:
        self.held = columns, weights, rows, codes
        self.inputs, self.outputs = _addresses(columns), _addresses(rows)
        self.count, self.rounds = count, rounds

    def pointers(self, sums: Array) -> tuple[int, ...]:
        """What the function takes between the groups and the stack."""
        _, weights, _, codes = self.held
        inputs, outputs = ctypes.addressof(self.inputs), ctypes.addressof(self.outputs)
        return inputs, weights.ctypes.data, outputs, sums.ctypes.data, codes.ctypes.data, self.count, self.rounds


def _size(type: Type) -> int:
    return math.prod(type.shape)


def _columns(array: Array, type: Type, padded: int) -> list[Array]:
    """One column for each number of an input, as long as whole groups are; the last sample stands for those that are missing."""
    dtype, size = DTYPES[type.kind], _size(type)
    flat: Array = np.ascontiguousarray(array.reshape(len(array), size).T, dtype)
    if flat.shape[1] != padded:
        flat = np.concatenate([flat, np.repeat(flat[:, -1:], padded - flat.shape[1], axis=1)], axis=1)
    return list(flat)


def _rows(array: Array, type: Type, count: int) -> Array:
    return np.ascontiguousarray(array[:, :count].T).reshape(count, *type.shape)


def _addresses(arrays: Sequence[Array]) -> Any:
    return (ctypes.c_void_p * max(len(arrays), 1))(*(array.ctypes.data for array in arrays))


def _apart(total: Array, values: Sequence[Value]) -> list[Array]:
    """What was added up, value by value."""
    found, start = [], 0
    for value in values:
        size = _size(value.type)
        found.append(total[start : start + size].reshape(value.type.shape))
        start += size
    return found
