"""Arrays with a row for each sample as columns that native code reads and writes, some samples at a time.

A column lies where the array has it, if it does so in one piece. Otherwise it is copied for a block of samples: memory does not grow with
the batch. Rows of many numbers are read and written as rows, where they are: of
them native code is told where the first begins, and how far it is to the next.

>>> from deepalgo.kinds import Kind
>>> points = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
>>> columns = Columns([points], [Type(Kind.REAL, (2,))], 8)
>>> _ = columns.begin(0, 3)
>>> columns.copies[0][:, :3]
array([[1., 3., 5.],
       [2., 4., 6.]])
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from deepalgo.kinds import Kind, Type
from deepalgo.ops.by_numpy import DTYPES

Array = np.ndarray[Any, Any]
#: Arrays of fewer numbers than this are kept in registers.
LARGE = 17


class Columns:
    """The columns of some arrays, for blocks of at most so many samples."""

    def __init__(self, arrays: Sequence[Array], types: Sequence[Type], most: int) -> None:
        self.types, self.most = types, most
        self.are_rows = [is_large_type(type) for type in types]
        self.arrays = [_in_rows(array, type) if rows else array for array, type, rows in zip(arrays, types, self.are_rows, strict=True)]
        #: By the number of the array.
        self.copies: dict[int, Array] = {}
        self.lying = [_lies_in_a_column(array, type) for array, type in zip(self.arrays, types, strict=True)]
        self.sizes = [math.prod(type.shape) for type in types]
        self.starts, self.steps = self._places()
        self.pointers = self.starts.copy()

    def begin(self, first: int, last: int) -> int:
        """Make the columns of these samples ready to be read; returns where their addresses are."""
        self._set(first)
        for place, copy in self.copies.items():
            count = last - first
            copy[:, :count] = self.arrays[place][first:last].reshape(count, self.sizes[place]).T
        return int(self.pointers.ctypes.data)

    def begin_writing(self, first: int) -> int:
        """Make the columns of the samples from here on ready to be written; returns where their addresses are."""
        self._set(first)
        return int(self.pointers.ctypes.data)

    def end_writing(self, first: int, last: int) -> None:
        """Bring what was written into the arrays."""
        for place, copy in self.copies.items():
            count = last - first
            self.arrays[place][first:last].reshape(count, self.sizes[place])[...] = copy[:, :count].T

    def _set(self, first: int) -> None:
        """Set the addresses for samples from here on."""
        np.multiply(self.steps, first, out=self.pointers)
        self.pointers += self.starts

    def _places(self) -> tuple[Array, Array]:
        """The address of the first sample's number in each column, and the bytes to that of the next sample: none in a copy."""
        starts: list[int] = []
        steps: list[int] = []
        for place, (array, size) in enumerate(zip(self.arrays, self.sizes, strict=True)):
            if self.are_rows[place]:
                starts += [array.ctypes.data, array.strides[0]]
                steps += [array.strides[0], 0]
            elif self.lying[place]:
                starts.append(array.ctypes.data)
                steps.append(array.itemsize)
            else:
                copy = self._copy(place)
                starts += [copy.ctypes.data + row * copy.strides[0] for row in range(size)]
                steps += [0] * size
        return np.array(starts, np.uint64), np.array(steps, np.uint64)

    def _copy(self, place: int) -> Array:
        if place not in self.copies:
            self.copies[place] = np.empty((self.sizes[place], self.most), DTYPES[self.types[place].kind])
        return self.copies[place]


def is_large_type(type: Type) -> bool:
    """Whether the numbers of a sample are too many for registers; complex ones are two arrays of real ones."""
    return math.prod(type.shape) >= LARGE and type.kind <= Kind.REAL


def _in_rows(array: Array, type: Type) -> Array:
    """The array, with the numbers of each sample in one piece."""
    fits = array[:1].flags.c_contiguous and array.dtype == np.dtype(DTYPES[type.kind])
    return array if fits else np.ascontiguousarray(array, DTYPES[type.kind])


def _lies_in_a_column(array: Array, type: Type) -> bool:
    """Whether the numbers of the samples follow one another in memory, as native code has them."""
    return math.prod(type.shape) == 1 and array.flags.c_contiguous and array.dtype == np.dtype(DTYPES[type.kind])
