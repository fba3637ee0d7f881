"""`Lanes`: vector code for the matching kernel, in which a vector holds the same pixel of several centres.

It is written as LLVM vectors, which every processor that LLVM knows can run, and handed to Numba as functions of addresses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]  # it carries no types
from numba.core import cgutils, types
from numba.extending import intrinsic

#: Bytes in a vector. Four doubles or eight floats fill a register of AVX2.
WIDTH = 32
#: Bits of the fraction, and terms of the series of 2^x and of log2, by the bytes of a number.
FRACTION, POWERS, LOGARITHMS = {4: 23, 8: 52}, {4: 7, 8: 13}, {4: 5, 8: 11}
WORD = ir.IntType(64)
INT = ir.IntType(32)
Code = Any


class Lanes:
    """Vectors of one type of number in the code that a builder writes."""

    def __init__(self, builder: Code, dtype: np.dtype[Any]) -> None:
        self.b = builder
        self.size = dtype.itemsize
        self.count = WIDTH // self.size
        self.scalar = ir.FloatType() if self.size == 4 else ir.DoubleType()
        self.bits = ir.VectorType(ir.IntType(8 * self.size), self.count)
        self.type = ir.VectorType(self.scalar, self.count)
        self.ints = ir.VectorType(INT, self.count)
        self.bytes = ir.VectorType(ir.IntType(8), self.count)

    def add(self, base: Code, *terms: Code | int) -> Code:
        """An address or an index plus others."""
        for term in terms:
            base = self.b.add(base, term if not isinstance(term, int) else word(term))
        return base

    def times(self, index: Code, unit: Code | int) -> Code:
        """An index in units of so many bytes."""
        return self.b.mul(index, unit if not isinstance(unit, int) else word(unit))

    def load(self, address: Code, kind: Code = None) -> Code:
        """The vector at an address."""
        kind = kind or self.type
        return self.b.load(self.b.inttoptr(address, ir.PointerType(kind)), align=1 if kind is self.bytes else self.size)

    def store(self, vector: Code, address: Code) -> None:
        """Write a vector."""
        self.b.store(vector, self.b.inttoptr(address, ir.PointerType(vector.type)), align=1 if vector.type is self.bytes else self.size)

    def spread(self, address: Code, kind: Code = None) -> Code:
        """The number at an address in every lane."""
        kind = kind or self.type
        return self.repeat(self.b.load(self.b.inttoptr(address, ir.PointerType(kind.element)), align=4), kind)

    def repeat(self, number: Code, kind: Code) -> Code:
        """A number in every lane."""
        empty = ir.Constant(kind, ir.Undefined)
        one = self.b.insert_element(empty, number, ir.Constant(INT, 0))
        return self.b.shuffle_vector(one, empty, ir.Constant(self.ints, [0] * self.count))

    def constant(self, value: float) -> Code:
        """A fixed number in every lane."""
        return ir.Constant(self.type, [value] * self.count)

    def abs(self, vector: Code) -> Code:
        """Without the sign bit."""
        keep = self._whole((1 << (8 * self.size - 1)) - 1)
        return self.b.bitcast(self.b.and_(self.b.bitcast(vector, self.bits), keep), self.type)

    def power_of_two(self, x: Code) -> Code:
        """2^x for x below 100; 0 where that is next to nothing (products would be slow), and where x is none. Its error is that of x."""
        b, fraction, terms = self.b, FRACTION[self.size], POWERS[self.size]
        bias = (1 << (8 * self.size - 2 - fraction)) - 1
        large = self.constant(1.5 * 2.0**fraction)  # in such a number the lowest bit counts ones
        rounded = b.fadd(x, large)
        rest = b.fsub(x, b.fsub(rounded, large))
        value = self._series([math.log(2) ** k / math.factorial(k) for k in range(terms + 1)], rest)
        exponent = b.add(b.bitcast(rounded, self.bits), self._whole(bias))
        scale = b.bitcast(b.shl(exponent, self._whole(fraction)), self.type)
        return b.select(b.fcmp_ordered(">", x, self.constant(-bias / 2)), b.fmul(value, scale), self.constant(0.0))

    def log_of_two(self, x: Code) -> Code:
        """log2 of positive numbers, by the series of the inverse hyperbolic tangent; some number below all others for 0."""
        b, fraction, one = self.b, self._whole(FRACTION[self.size]), self.constant(1.0)
        bits = b.bitcast(x, self.bits)
        least = int(np.array(math.sqrt(0.5), f"f{self.size}").view(f"i{self.size}"))
        exponent = b.ashr(b.sub(bits, self._whole(least)), fraction)
        mantissa = b.bitcast(b.sub(bits, b.shl(exponent, fraction)), self.type)  # from sqrt(1/2) to sqrt(2)
        ratio = b.fdiv(b.fsub(mantissa, one), b.fadd(mantissa, one))
        series = self._series([2 / math.log(2) / (2 * k + 1) for k in range(LOGARITHMS[self.size] + 1)], b.fmul(ratio, ratio))
        return b.fadd(b.sitofp(exponent, self.type), b.fmul(ratio, series))

    def _series(self, terms: Sequence[float], x: Code) -> Code:
        total = self.constant(terms[-1])
        for term in reversed(terms[:-1]):
            total = self._call("fmuladd", total, x, self.constant(term))
        return total

    def _whole(self, value: int) -> Code:
        return ir.Constant(self.bits, [value] * self.count)

    def sqrt(self, vector: Code) -> Code:
        """The square root."""
        return self._call("sqrt", vector)

    def _call(self, name: str, *vectors: Code) -> Code:
        find: Code = cgutils.get_or_insert_function
        kind = ir.FunctionType(self.type, [self.type] * len(vectors))
        return self.b.call(find(self.b.module, kind, f"llvm.{name}.v{self.count}f{8 * self.size}"), vectors)

    def sum(self, vectors: Sequence[Code]) -> Code:
        """The sum, from the left."""
        total = vectors[0]
        for vector in vectors[1:]:
            total = self.b.fadd(total, vector)
        return total

    @contextmanager
    def loop(self, start: Code, stop: Code, step: int, carried: Sequence[Code]) -> Iterator[tuple[Code, list[Code], list[Code]]]:
        """A loop of at least one round: its index, the carried values, and a list that the body fills with their successors."""
        b, before = self.b, self.b.block
        body, after = b.append_basic_block("round"), b.append_basic_block("after")
        b.branch(body)
        b.position_at_end(body)
        index = b.phi(WORD)
        index.add_incoming(start, before)
        values = [b.phi(item.type) for item in carried]
        for value, item in zip(values, carried, strict=True):
            value.add_incoming(item, before)
        successors: list[Code] = []
        yield index, values, successors
        following = b.add(index, word(step))
        index.add_incoming(following, b.block)
        for value, item in zip(values, successors, strict=True):
            value.add_incoming(item, b.block)
        b.cbranch(b.icmp_signed("<", following, stop), body, after)
        b.position_at_end(after)

    def distance(self, differences: Sequence[Code], p: int) -> Code:
        """The p-norm of a pixel's channels."""
        if p == 1 or len(differences) == 1:
            return self.sum([self.abs(item) for item in differences])
        return self.sqrt(self.sum([self.b.fmul(item, item) for item in differences]))


def word(value: int) -> Code:
    """A fixed address or index."""
    return ir.Constant(WORD, value)


def intrinsic_of(emit: Callable[..., None], count: int) -> Code:
    """A function for Numba of so many whole numbers that `emit` writes the code of."""

    def codegen(context: Code, builder: Code, signature: Code, args: Sequence[Code]) -> Code:
        emit(builder, *args)
        return context.get_dummy_value()

    def typer(context: Code, *_: Code) -> tuple[Code, Code]:
        return types.void(*[types.int64] * count), codegen

    names = ", ".join(f"a{place}" for place in range(count))
    space: dict[str, Code] = {"typer": typer}
    exec(f"def function(context, {names}): return typer(context, {names})", space)  # Numba counts the parameters by name
    return intrinsic(space["function"])
