"""The two inner loops of the matching kernel, written as vector code: a vector holds the same pixel of several centres.

With centres side by side no row has a ragged end and sums over neighbouring pixels need no shuffles. Numba's own vectoriser gives up
on these loops (it would have to prove that eight arrays do not overlap), so they are emitted as LLVM vectors, which every processor that
LLVM knows can run.

Addresses are bytes. A row of an image is `pixels` numbers, a row of centres or masks is `pixels x lanes` numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]  # it carries no types
from numba.core import cgutils, types
from numba.extending import intrinsic

#: Bytes in a vector. Four doubles or eight floats fill a register of AVX2.
WIDTH = 32
#: Pixels of a row that the forward loop does together.
TOGETHER = 2
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
        keep = ir.Constant(self.bits, [(1 << (8 * self.size - 1)) - 1] * self.count)
        return self.b.bitcast(self.b.and_(self.b.bitcast(vector, self.bits), keep), self.type)

    def sqrt(self, vector: Code) -> Code:
        """The square root."""
        kind = f"v{self.count}f{8 * self.size}"
        find: Code = cgutils.get_or_insert_function
        function = find(self.b.module, ir.FunctionType(self.type, [self.type]), f"llvm.sqrt.{kind}")
        return self.b.call(function, [vector])

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


def _intrinsic(emit: Callable[..., None], count: int) -> Code:
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


def forward_row(dtype: np.dtype[Any], channels: int, p: int) -> Code:
    """Match one row of pixels with all transforms of some centres, and keep sums for the two rows below.

    `row(image, masks, centres, planes, offsets, ring, sums, least, winners, step, width, transforms, i)`. `planes` are the bytes of one
    channel of image, masks and centres, `offsets[t]` pixels from a place to where transform t finds it in the centre, `ring` and `sums`
    scratch space. From row 2 on the least distances and the winners are written at the upper left pixel of each box, `step` centres apart.
    """

    def emit(
        b: Code,
        image: Code,
        masks: Code,
        centres: Code,
        planes: Code,
        offsets: Code,
        ring: Code,
        sums: Code,
        least: Code,
        winners: Code,
        step: Code,
        width: Code,
        transforms: Code,
        i: Code,
    ) -> None:
        lanes = Lanes(b, dtype)
        whole = b.sub(width, b.urem(width, word(TOGETHER)))
        rest = (image, masks, centres, planes, offsets, ring, sums, least, winners, step, transforms, i)
        with cgutils.for_range_slice(b, word(0), whole, word(TOGETHER), intp=WORD) as (j, _):
            _forward_pixels(lanes, channels, p, j, TOGETHER, *rest)
        with cgutils.for_range_slice(b, whole, width, word(1), intp=WORD) as (j, _):
            _forward_pixels(lanes, channels, p, j, 1, *rest)

    return _intrinsic(emit, 13)


def _forward_pixels(
    lanes: Lanes,
    channels: int,
    p: int,
    j: Code,
    together: int,
    image: Code,
    masks: Code,
    centres: Code,
    planes: Code,
    offsets: Code,
    ring: Code,
    sums: Code,
    least: Code,
    winners: Code,
    step: Code,
    transforms: Code,
    i: Code,
) -> None:
    b = lanes.b
    steps = [_word_at(lanes, planes, place) for place in range(3)]
    pixels = [_masked(lanes, image, masks, steps, lanes.add(j, u), channels)[1] for u in range(together)]
    old = lanes.times(b.urem(i, word(2)), WIDTH)
    young = b.sub(word(WIDTH), old)
    start = [lanes.constant(np.inf)] * together + [ir.Constant(lanes.ints, [0] * lanes.count)] * together
    with lanes.loop(word(0), transforms, 1, start) as (t, carried, successors):
        found = lanes.add(centres, lanes.times(lanes.add(_word_at(lanes, offsets, t), j), WIDTH))
        kept = lanes.add(ring, lanes.times(t, 2 * WIDTH))
        distances = [lanes.load(kept), lanes.load(lanes.add(kept, WIDTH))]
        distances += [lanes.distance(_differences(lanes, pixels[u], lanes.add(found, u * WIDTH), steps[2]), p) for u in range(together)]
        lanes.store(distances[-2], kept)
        lanes.store(distances[-1], lanes.add(kept, WIDTH))
        boxes = []
        for u in range(together):
            line = lanes.sum(distances[u : u + 3])
            above = lanes.add(sums, lanes.times(lanes.add(lanes.times(lanes.add(j, u), transforms), t), 2 * WIDTH))
            boxes.append(lanes.sum([lanes.load(lanes.add(above, old)), lanes.load(lanes.add(above, young)), line]))
            lanes.store(line, lanes.add(above, old))
        number = lanes.repeat(b.trunc(t, INT), lanes.ints)
        less = [b.fcmp_ordered("<", box, best) for box, best in zip(boxes, carried[:together], strict=True)]
        successors += [b.select(*three) for three in zip(less, boxes, carried[:together], strict=True)]
        successors += [b.select(smaller, number, winner) for smaller, winner in zip(less, carried[together:], strict=True)]
    with b.if_then(b.and_(b.icmp_signed(">=", i, word(2)), b.icmp_signed(">=", j, word(2)))):
        for u in range(together):
            box = lanes.times(lanes.add(j, u - 2), step)
            lanes.store(successors[u], lanes.add(least, lanes.times(box, lanes.size)))
            lanes.store(b.trunc(successors[together + u], lanes.bytes), lanes.add(winners, box))


def _masked(lanes: Lanes, image: Code, masks: Code, steps: Sequence[Code], j: Code, channels: int) -> tuple[list[Code], list[Code]]:
    """A pixel's channels, in every lane, and under the masks."""
    plain = [lanes.spread(lanes.add(image, lanes.times(j, lanes.size), lanes.times(steps[0], channel))) for channel in range(channels)]
    masked = [
        lanes.b.fmul(item, lanes.load(lanes.add(masks, lanes.times(j, WIDTH), lanes.times(steps[1], channel))))
        for channel, item in enumerate(plain)
    ]
    return plain, masked


def _differences(lanes: Lanes, masked: Sequence[Code], centres: Code, step: Code) -> list[Code]:
    others = [lanes.load(lanes.add(centres, lanes.times(step, channel))) for channel in range(len(masked))]
    return [lanes.b.fsub(mine, its) for mine, its in zip(masked, others, strict=True)]


def _word_at(lanes: Lanes, base: Code, place: Code | int) -> Code:
    index = word(place) if isinstance(place, int) else place
    return lanes.b.load(lanes.b.inttoptr(lanes.add(base, lanes.times(index, 8)), ir.PointerType(WORD)))


def backward_row(dtype: np.dtype[Any], channels: int, p: int, wanted: bool) -> Code:
    """Send the gradient of boxes that one transform won to one row of pixels.

    `row(image, masks, centres, planes, winners, gradients, step, t, to_image, to_masks, to_centres, width)`: `winners` and `gradients`
    hold the addresses of three rows of boxes, those that reach this row of pixels, and `step` is the number of centres from box to box.
    What reaches masks and centres (with the wrong sign) is added there; so is what reaches the image, lane by lane, if it is `wanted`.
    """

    def emit(
        b: Code,
        image: Code,
        masks: Code,
        centres: Code,
        planes: Code,
        winners: Code,
        gradients: Code,
        step: Code,
        t: Code,
        to_image: Code,
        to_masks: Code,
        to_centres: Code,
        width: Code,
    ) -> None:
        lanes = Lanes(b, dtype)
        steps = [_word_at(lanes, planes, place) for place in range(3)]
        mine = lanes.repeat(b.trunc(t, ir.IntType(8)), lanes.bytes)
        zero = lanes.constant(0.0)
        inner = b.sub(width, word(2))

        def pixel(j: Code, gradient: Code) -> None:
            plain, masked = _masked(lanes, image, masks, steps, j, channels)
            differences = _differences(lanes, masked, lanes.add(centres, lanes.times(j, WIDTH)), steps[2])
            for channel, slope in enumerate(_slopes(lanes, differences, p, gradient)):
                place = lanes.times(j, WIDTH)
                _accumulate(lanes, lanes.add(to_centres, place, lanes.times(steps[2], channel)), slope)
                _accumulate(lanes, lanes.add(to_masks, place, lanes.times(steps[1], channel)), b.fmul(slope, plain[channel]))
                if wanted:
                    _accumulate(lanes, lanes.add(to_image, place, lanes.times(steps[1], channel)), slope)

        with lanes.loop(word(0), inner, 1, [zero, zero]) as (j, (left, middle), successors):
            right = _column(lanes, winners, gradients, mine, lanes.times(j, step))
            pixel(j, lanes.sum([left, middle, right]))
            successors += [middle, right]
        left, right = successors
        pixel(inner, b.fadd(left, right))
        pixel(lanes.add(inner, 1), right)

    return _intrinsic(emit, 12)


def _accumulate(lanes: Lanes, place: Code, vector: Code) -> None:
    lanes.store(lanes.b.fadd(lanes.load(place), vector), place)


def _column(lanes: Lanes, winners: Code, gradients: Code, mine: Code, place: Code) -> Code:
    """The gradients of three boxes one above the other, of those that the transform won."""
    b, parts = lanes.b, []
    for line in range(3):
        winner = lanes.load(lanes.add(_word_at(lanes, winners, line), place), lanes.bytes)
        gradient = lanes.load(lanes.add(_word_at(lanes, gradients, line), lanes.times(place, lanes.size)))
        parts.append(b.select(b.icmp_signed("==", winner, mine), gradient, lanes.constant(0.0)))
    return lanes.sum(parts)


def _slopes(lanes: Lanes, differences: Sequence[Code], p: int, gradient: Code) -> list[Code]:
    """The derivative of a pixel's p-norm by its channels, times what arrives; 0 where the norm has a kink."""
    b, zero = lanes.b, lanes.constant(0.0)
    if p == 1 or len(differences) == 1:
        signed = [b.select(b.fcmp_ordered("<", item, zero), b.fsub(zero, gradient), gradient) for item in differences]
        return [b.select(b.fcmp_ordered("==", item, zero), zero, slope) for item, slope in zip(differences, signed, strict=True)]
    norm = lanes.distance(differences, p)
    scale = b.select(b.fcmp_ordered(">", norm, zero), b.fdiv(gradient, norm), zero)
    return [b.fmul(item, scale) for item in differences]
