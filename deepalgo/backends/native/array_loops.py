"""Operations on arrays that lie in memory: loops over places, and reads and writes at places that data chooses.

What has no form here is computed number by number, as it is for small arrays.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from deepalgo.backends.native.arrays import ARRAYS, Cells, fills, moved_places, only_moves, single
from deepalgo.backends.native.columns import LARGE, Array, is_large_type
from deepalgo.backends.native.known_powers import powers, whole
from deepalgo.backends.native.linear_algebra import LINEAR
from deepalgo.backends.native.memory import Extent, Memory, spread_places
from deepalgo.backends.native.text import ALL, Cell, literal, real_of
from deepalgo.ir import Kind, Op, Type, Value
from deepalgo.kinds import Attr

#: The numbers of a value: in registers, or in memory.
Held: TypeAlias = Cells | Extent


@dataclass(frozen=True, slots=True)
class Request:
    """An operation with its operands; the result may take the place of the first one if that is `spent`, for the lanes of `mask`."""

    op: Op
    operands: Sequence[Held]
    spent: bool
    mask: str
    #: Whether the result differs from lane to lane.
    wide: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the result."""
        return self.op.result.type.shape

    @property
    def count(self) -> int:
        """How many numbers the result has."""
        return math.prod(self.shape)


def is_large(value: Value) -> bool:
    """Whether the numbers of a value are too many for registers."""
    return is_large_type(value.type)


def known(held: Held) -> bool:
    """Whether all numbers stand in the text."""
    return not isinstance(held, Extent) and all(cell.is_const and not cell.wide for cell in held)


def has_form(op: Op) -> bool:
    """Whether there is code for an operation on arrays: a form of its own, or that of single numbers at each place."""
    return op.name in FORMS or op.name in ARRAYS or op.name in LINEAR or only_moves(op.name) or fills(op, op.result.type.shape)


def is_loop(op: Op) -> bool:
    """Whether an operation on large arrays is written as a loop, or as reads and writes at some places."""
    return op.name in FORMS or makes_lines(op) or op.name not in ARRAYS and op.name not in LINEAR


def makes_lines(op: Op) -> bool:
    """Whether an operation makes one number of each line along an axis, and there are many lines."""
    return op.name in OF_LINES and dict(op.attrs).get("axis") is not None and is_large(op.result)


def in_memory(memory: Memory, request: Request) -> Held | None:
    """The result of an operation with a large operand or result, or None where it is to be computed number by number."""
    op = request.op
    if op.name in FORMS:
        return FORMS[op.name](memory, request)
    if op.name == "pow" and (found := _powers(memory, request)) is not None:
        return found
    if not is_loop(op):
        return None
    if makes_lines(op):
        return _of_lines(memory, request)
    return _moved(memory, request) if only_moves(op.name) else _elementwise(memory, request)


def _operand(memory: Memory, held: Held, shape: tuple[int, ...], whole: tuple[int, ...]) -> Callable[[str], Cell]:
    """How a loop over the places of the result reads an operand, which is repeated along the axes that it lacks."""
    places = spread_places(shape, whole)
    if isinstance(held, Extent):
        return lambda where: memory.read(held, where if shape == whole else memory.mapped(places, where))
    if len(set(held)) == 1:
        return lambda where: held[0]
    cells = [held[place] for place in places]
    return lambda where: memory.looked_up(cells, where)


def _laid_down(memory: Memory, held: Held, kind: Kind) -> Held:
    """Numbers in memory, unless they stand in the text or are one and the same."""
    return held if isinstance(held, Extent) or known(held) or len(set(held)) == 1 else memory.stored(held, kind)


def _pick_up(memory: Memory, before: Sequence[Held], after: Sequence[Held]) -> None:
    """Free the rooms of what was laid down."""
    for one, other in zip(before, after, strict=True):
        if isinstance(other, Extent) and not isinstance(one, Extent):
            memory.rooms.release(other)


def _elementwise(memory: Memory, request: Request) -> Held | None:
    if request.count < LARGE or not fills(request.op, request.shape):
        return None
    if (found := _known(request)) is not None:
        return found
    with readers(memory, request.op, request.operands, request.shape) as operands:
        result = memory.rooms.take(request.count, request.op.result.type.kind)
        with memory.each(request.count) as place:
            cells = [operand(place) for operand in operands]
            memory.write(result, place, single(memory.numbers, request.op, cells))
    return result


@contextlib.contextmanager
def readers(memory: Memory, op: Op, operands: Sequence[Held], shape: tuple[int, ...]) -> Iterator[list[Callable[[str], Cell]]]:
    """How a loop over the places of a shape reads each operand."""
    down = [_laid_down(memory, held, arg.type.kind) for held, arg in zip(operands, op.args, strict=True)]
    yield [_operand(memory, held, arg.type.shape, shape) for held, arg in zip(down, op.args, strict=True)]
    _pick_up(memory, operands, down)


def _known(request: Request) -> Held | None:
    """The numbers of a result that stand in the text as those of the operands do: exponents, mostly."""
    op, operands = request.op, request.operands
    form = KNOWN.get(op.name)
    if form is None or op.result.type.kind is not Kind.REAL or not all(known(held) for held in operands):
        return None
    grids = [np.broadcast_to(np.reshape([*map(real_of, held)], arg.type.shape), request.shape)
             for held, arg in zip(operands, op.args, strict=True) if not isinstance(held, Extent)]
    return tuple(literal(float(number), Kind.REAL) for number in form(*grids).reshape(-1))


#: What is computed while code is written; each rounds as the operation does.
KNOWN: dict[str, Callable[..., Array]] = {"to_real": lambda x: x, "add": np.add, "sub": np.subtract}


def _powers(memory: Memory, request: Request) -> Held | None:
    """Powers of one number by many known exponents, which share their products."""
    base, exponents = request.operands
    n = memory.numbers
    if isinstance(base, Extent) or len(base) != 1 or isinstance(exponents, Extent) or len(exponents) != request.count:
        return None
    numbers = whole(exponents) if n.multiplies and base[0].kind is Kind.REAL and exponents[0].kind is Kind.REAL else None
    if numbers is None or request.count < LARGE:
        return None
    found = powers(n, base[0], numbers)
    return memory.stored([found[number] for number in numbers], Kind.REAL)


def _moved(memory: Memory, request: Request) -> Held | None:
    """What only moves numbers: a part of an operand where they lie as they did, else a loop over the rooms where they are."""
    op = request.op
    if all(known(held) for held in request.operands):
        return None
    sizes = [math.prod(arg.type.shape) for arg in op.args]
    places = moved_places(op)
    if request.count < LARGE:
        starts = np.cumsum([0, *sizes])
        found = []
        for place in places:
            number = int(np.searchsorted(starts, place, side="right")) - 1
            found.append(_one(memory, request.operands[number], place - int(starts[number]), request.wide))
        return tuple(found)
    kind = op.result.type.kind
    if any(arg.type.kind is not kind for arg in op.args):
        return None
    if len(op.args) == 1 and isinstance(held := request.operands[0], Extent) and _follow(places):
        memory.rooms.hold(held)
        return held.part(places[0], len(places))
    if len(op.args) == 1 and not isinstance(held, Extent) and len(set(held)) == 1:
        return memory.stored([held[0]] * request.count, kind)
    fresh = [held if isinstance(held, Extent) or not held else memory.stored(held, kind) for held in request.operands]
    rooms = [extent.first + place for extent in fresh if isinstance(extent, Extent) for place in range(extent.count)]
    result = memory.rooms.take(request.count, kind)
    everything = Extent(0, 0, kind, -1)
    sources = [rooms[place] for place in places]
    with memory.each(request.count) as where:
        memory.write(result, where, memory.read(everything, memory.mapped(sources, where)))
    _pick_up(memory, request.operands, fresh)
    return result


def _one(memory: Memory, held: Held, place: int, wide: bool) -> Cell:
    return memory.read(held, place, wide) if isinstance(held, Extent) else held[place]


def _follow(places: Sequence[int]) -> bool:
    return all(later - before == 1 for before, later in itertools.pairwise(places))


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of an array, with the number of places before it, on it, and behind it."""

    outer: int
    length: int
    inner: int

    @staticmethod
    def of(op: Op) -> Axis:
        """That of an operation on the rows of its first operand, or on all of its numbers in a row."""
        shape, axis = op.args[0].type.shape, dict(op.attrs).get("axis", 0)
        if axis is None:
            return Axis(1, math.prod(shape), 1)
        assert isinstance(axis, int)
        axis %= len(shape)
        return Axis(math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :]))


def _of_lines(memory: Memory, request: Request) -> Held | None:
    """One number of each line along an axis: a loop over the lines, in which one of them is written out."""
    op, held = request.op, request.operands[0]
    if not isinstance(held, Extent):
        return None
    axis, kind = Axis.of(op), op.args[0].type.kind
    is_last = axis.inner == 1
    line = replace(op.args[0], type=Type(kind, (axis.length,) if is_last else (axis.length, 1)))
    one = replace(op, args=(line,), result=replace(op.result, type=Type(op.result.type.kind)), attrs=_with_axis(op, 0))
    starts = [outer * axis.length * axis.inner + inner for outer in range(axis.outer) for inner in range(axis.inner)]
    result = memory.rooms.take(request.count, op.result.type.kind)
    with memory.each(request.count) as where:
        start = Cell(memory.mapped(starts, where), Kind.INT)
        places = [memory.code.op("add", start, literal(number * axis.inner, Kind.INT)).text for number in range(axis.length)]
        cells = tuple(memory.read(held, place) for place in places)
        memory.write(result, where, ARRAYS[op.name](memory.numbers, one, [cells])[0])
    return result


def _with_axis(op: Op, axis: int) -> tuple[tuple[str, Attr], ...]:
    return tuple((name, axis if name == "axis" else value) for name, value in op.attrs)


def _clamped(memory: Memory, cell: Cell, length: int) -> Cell:
    n = memory.numbers
    return n.apply("min", (n.apply("max", (n.cast(cell, Kind.INT), literal(0, Kind.INT))), literal(length - 1, Kind.INT)))


def _room(memory: Memory, place: Cell, axis: Axis, start: int | str) -> Cell:
    """Where a number of a row is; `start` is where it would be in the first row."""
    code = memory.code
    if axis.inner != 1:
        place = code.op("mul", place, literal(axis.inner, Kind.INT))
    return place if start == 0 else code.op("add", place, Cell(str(start), Kind.INT))


def _pick(memory: Memory, held: Held, room: Cell, wide: bool) -> Cell:
    if isinstance(held, Extent):
        return memory.pick(held, room, wide)
    return memory.gathered(held, room) if room.wide else memory.looked_up(held, room.text)


def _pick_at(memory: Memory, request: Request) -> Held | None:
    held, axis = request.operands[0], Axis.of(request.op)
    if not isinstance(held, Extent) and not known(held) or isinstance(held, tuple) and len(held) < LARGE:
        return None
    wanted = request.operands[1]
    if isinstance(wanted, Extent):
        return _pick_many(memory, request, held, wanted, axis)
    starts = [start * axis.length * axis.inner for start in range(axis.outer)]
    places = [_clamped(memory, cell, axis.length) for cell in wanted]
    if request.count < LARGE:
        return tuple(_pick(memory, held, _room(memory, place, axis, start + inner), request.wide)
                     for start in starts for place in places for inner in range(axis.inner))
    if len(places) != 1:
        return None
    around = [start + inner for start in starts for inner in range(axis.inner)]
    result = memory.rooms.take(request.count, request.op.result.type.kind)
    with memory.each(request.count) as where:
        memory.write(result, where, _pick(memory, held, _room(memory, places[0], axis, memory.mapped(around, where)), True))
    return result


def _pick_many(memory: Memory, request: Request, held: Held, wanted: Extent, axis: Axis) -> Held | None:
    """The numbers at many places of a row of numbers."""
    if axis.outer != 1 or axis.inner != 1:
        return None
    result = memory.rooms.take(request.count, request.op.result.type.kind)
    with memory.each(request.count) as where:
        memory.write(result, where, _pick(memory, held, _clamped(memory, memory.read(wanted, where), axis.length), True))
    return result


def _target(memory: Memory, request: Request) -> Extent | None:
    """The first operand where it may be written to, a copy of it unless it is spent; None where it changes its kind."""
    held, kind = request.operands[0], request.op.result.type.kind
    if request.op.args[0].type.kind is not kind or request.op.args[0].type.shape != request.shape:
        return None
    if not isinstance(held, Extent):
        return memory.stored(held, kind)
    if request.spent:
        memory.rooms.hold(held)
        return held
    result = memory.rooms.take(request.count, kind)
    memory.copied(result, held)
    return result


def _lanes(request: Request, target: Extent) -> str:
    """The lanes that are written: all of them in rooms that nothing else is in."""
    return request.mask if target == request.operands[0] else ALL


def _put_at(memory: Memory, request: Request) -> Held | None:
    wanted, new, shape = request.operands[1], request.operands[2], request.op.args[2].type.shape
    if request.count < LARGE or len(request.op.args[1].type.shape) or isinstance(wanted, Extent):
        return None
    axis = Axis(1, request.shape[0], math.prod(request.shape[1:]))
    target = _target(memory, request)
    if target is None:
        return None
    place, mask = _clamped(memory, wanted[0], axis.length), _lanes(request, target)
    places = spread_places(shape, request.shape[1:])
    if axis.inner < LARGE:
        for inner in range(axis.inner):
            memory.put(target, _room(memory, place, axis, inner), _one(memory, new, places[inner], True), mask)
        return target
    down = _laid_down(memory, new, request.op.args[2].type.kind)
    read = _operand(memory, down, shape, request.shape[1:])
    with memory.each(axis.inner) as where:
        memory.put(target, _room(memory, place, axis, where), read(where), mask)
    _pick_up(memory, [new], [down])
    return target


def _add_at(memory: Memory, request: Request) -> Held | None:
    axis = Axis.of(request.op)
    wanted, added = request.operands[1], request.operands[2]
    if request.count < LARGE or axis.outer != 1 or isinstance(wanted, Extent):
        return None
    target = _target(memory, request)
    if target is None:
        return None
    mask, rest = _lanes(request, target), request.shape[1:] if axis.inner > 1 or len(request.shape) > 1 else ()
    around = (*request.op.args[1].type.shape, *rest)
    places = spread_places(request.op.args[2].type.shape, around)
    if len(places) > 4 * LARGE:
        memory.rooms.release(target)
        return None
    for number, place in enumerate(wanted):
        row = _clamped(memory, place, axis.length)
        for inner in range(axis.inner):
            room = _room(memory, row, axis, inner)
            term = _one(memory, added, places[number * axis.inner + inner], True)
            total = memory.numbers.apply("add", (memory.pick(target, room), term))
            memory.put(target, room, total, mask)
    return target


Form: TypeAlias = Callable[[Memory, Request], "Held | None"]
#: Operations that make one number of each line along an axis.
OF_LINES = frozenset({"sum", "prod", "any", "all", "amin", "amax", "argmin", "argmax", "norm2"})
#: Operations at places that are computed.
FORMS: dict[str, Form] = {"pick_at": _pick_at, "gather": _pick_at, "put_at": _put_at, "add_at": _add_at}
