"""Scalar replacement of small arrays: one value for each element, which `numba.njit` compiles to code that stays in registers.

>>> from deepalgo.ir.show import show
>>> from deepalgo.lower.prune import prune
>>> show((lambda program: scalarize(program, {}), prune), '''
... square(x: real[2])
...   %y = mul %x %x
...   %z = sum %y axis=None
...   return %z
... ''')
square(x: real[2])
  %3 = index %x key=(0,)
  %4 = index %x key=(1,)
  %5 = mul %3 %3
  %6 = mul %4 %4
  %7 = add %5 %6
  return %7

An array that the program computes is an array of values here, so NumPy moves them about: views, stacks and permutations are gone from
the result. Tables of numbers stay tables only where data choose a place in them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import count
from typing import Any, TypeAlias

import numpy as np

from deepalgo.errors import InputError
from deepalgo.ir import Block, Check, If, Kind, Leaf, Loop, Op, Program, Tree, Type, Value, While
from deepalgo.ir import Mapping as MappingTree
from deepalgo.ir import Sequence as SequenceTree
from deepalgo.ir.compute import fill, function_space
from deepalgo.ir.rewriter import Fresh, Rewriter, all_values
from deepalgo.lower.elimination import is_singular, solve
from deepalgo.ops.ranges import ABOVE, BELOW, EQUAL
from deepalgo.ops.row import Row
from deepalgo.ops.slope import FLAT
from deepalgo.ops.table import TABLE

#: Numbers of a program that are written one by one at most.
MOST = 300_000
#: An array of NumPy, of values or of numbers.
Cells: TypeAlias = Any
#: The comparison of numbers that stand to each other in some way.
COMPARISONS = {row.order: name for name, row in TABLE.items() if row.order}
OPPOSITE = {BELOW: ABOVE, ABOVE: BELOW}


def scalarize(program: Program, weights: Mapping[str, Any]) -> Program:
    """The program with a value for every number of an array; an answer that is an array becomes a list, in reading order."""
    if program.changes:
        raise InputError(f"{program.name}() changes its arguments, which cannot be written in single numbers")
    if (size := sum(math.prod(value.type.shape) for value in all_values(program))) > MOST:
        raise InputError(f"{program.name}() computes {size} numbers, which are too many to be written one by one: there is style='python'")
    return Scalarize(Fresh.of(program), weights).program(program)


class Scalarize(Rewriter):
    """Writes operations on arrays number by number. `cells` holds the values of an array, `tables` numbers that are known."""

    def __init__(self, fresh: Fresh, weights: Mapping[str, Any]) -> None:
        super().__init__(fresh)
        self.weights = weights
        self.cells: dict[Value, Cells] = {}
        self.tables: dict[Value, Cells] = {}

    def program(self, program: Program) -> Program:
        """The whole program: inputs stay arrays, and are read once."""
        for item in program.inputs:
            shape = item.value.type.shape
            if shape:
                self.cells[item.value] = _filled(shape, partial(self.read, item.value))
        read, self.out = self.out, []
        body = self.block(program.body)
        body = replace(body, body=(*read, *body.body))
        output = _spread(program.output, program.body.results, count())
        return replace(program, body=body, weights=(), output=output)

    def read(self, value: Value, place: tuple[int, ...]) -> Value:
        """A number of an input."""
        return self.add("index", value, attrs=(("key", place),))

    def block(self, block: Block, wanted: Sequence[Value] | None = None) -> Block:
        """A block whose params and results are single numbers, in the kinds of the values that they become."""
        params = self.define(block.params)
        outer, self.out = self.out, []
        self.statements(block.body)
        results = self.numbers(block.results, wanted)
        made, self.out = self.out, outer
        return Block(params, tuple(made), results)

    def numbers(self, values: Sequence[Value], wanted: Sequence[Value] | None = None) -> tuple[Value, ...]:
        """All numbers of some values."""
        targets = values if wanted is None else wanted
        return tuple(self.fit(cell, target.type) for value, target in zip(values, targets, strict=True) for cell in self.array(value).flat)

    def define(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """A value for each number of what a region hands in or out."""
        made: list[Value] = []
        for value in values:
            if value.type.shape:
                self.cells[value] = _filled(value.type.shape, partial(self.part, value))
                made += self.cells[value].flat
            else:
                made += super().define((value,))
        return tuple(made)

    def part(self, value: Value, _place: tuple[int, ...]) -> Value:
        """A value for one number of an array."""
        return self.fresh.value(Type(value.type.kind), value.name)

    def array(self, value: Value) -> Cells:
        """The values that an array consists of; a single number is an array without axes."""
        if value in self.cells:
            return self.cells[value]
        if value in self.tables:
            table = self.tables[value]
            return _filled(table.shape, lambda place: self.const(_plain(table[place])))
        return _filled((), lambda _: self.see((value,))[0])

    def keep(self, value: Value, cells: Cells) -> None:
        """What stands for a value from here on."""
        cells = _filled(cells.shape, lambda place: self.fit(_unwrapped(cells[place]), value.type))
        if value.type.shape:
            self.cells[value] = cells
        else:
            self.env[value] = cells[()]

    def op(self, op: Op) -> None:
        """One operation, number by number."""
        attrs = dict(op.attrs)
        if op.is_const or op.is_weight:
            self.tables[op.result] = np.array(attrs["value"] if op.is_const else self.weights[str(attrs["key"])])
            return
        if TABLE[op.name].rearranges:
            known = all(arg in self.tables for arg in op.args)
            moved = _numpy(op)(*(self.tables[arg] if known else self.array(arg) for arg in op.args))
            if known:
                self.tables[op.result] = np.asarray(moved)
            else:
                self.keep(op.result, moved if isinstance(moved, np.ndarray) else _filled((), lambda _: moved))
            return
        self.keep(op.result, self.computed(op, attrs))

    def computed(self, op: Op, attrs: Mapping[str, Any]) -> Cells:
        """The numbers that an operation computes."""
        if op.name == "pick_at":
            return self.pick_at(op.args[0], self.array(op.args[1]), attrs["axis"])
        args = [self.array(arg) for arg in op.args]
        if op.name == "conj" and op.result.type.kind != Kind.COMPLEX:
            return args[0]
        row = TABLE[op.name]
        if row.broadcasts:
            lined_up = np.broadcast_arrays(*args)
            return _filled(lined_up[0].shape, lambda place: self.add(op.name, *(arg[place] for arg in lined_up), attrs=op.attrs))
        if row.repeats:
            return self.along(args[0], attrs["axis"], lambda items: reduce(partial(self.add, row.repeats), items))
        if row.extreme:
            return self.along(args[0], attrs["axis"], partial(self.extreme, row))
        if op.name == "matmul":
            return self.matmul(*args)
        if op.name == "solve":
            return solve(self, *args)
        if op.name == "is_singular":
            return is_singular(self, args[0])
        raise InputError(f"`{op.name}` of arrays cannot be written in single numbers")

    def check(self, check: Check) -> None:
        """A check of single numbers; arrays cannot stand in its message."""
        operands = tuple(self.array(value).flat[0] for value in check.operands)
        self.out.append(replace(check, ok=self.array(check.ok)[()], operands=operands))

    def branch(self, branch: If) -> None:
        """An `If` with a result for every number."""
        condition = self.array(branch.condition)[()]
        then, orelse = self.block(branch.then, branch.results), self.block(branch.orelse, branch.results)
        self.out.append(replace(branch, condition=condition, then=then, orelse=orelse, results=self.define(branch.results)))

    def loop(self, loop: Loop) -> None:
        """A `Loop` that carries single numbers."""
        init, body = self.numbers(loop.init, loop.results), self.block(loop.body, loop.results)
        self.out.append(replace(loop, init=init, body=body, results=self.define(loop.results)))

    def repeat(self, loop: While) -> None:
        """A `While` that carries single numbers."""
        init, test, body = self.numbers(loop.init, loop.results), self.block(loop.test), self.block(loop.body, loop.results)
        self.out.append(replace(loop, init=init, test=test, body=body, results=self.define(loop.results)))

    def along(self, array: Cells, axis: int | None, fold: Callable[[Sequence[Value]], Value]) -> Cells:
        """What becomes of the numbers along an axis, or of all of them."""
        rows = array.reshape(1, -1) if axis is None else np.moveaxis(array, axis, -1)
        folded = _filled(rows.shape[:-1], lambda place: fold(list(rows[place])))
        return folded.reshape(()) if axis is None else folded

    def extreme(self, row: Row, items: Sequence[Value]) -> Value:
        """The first of the best numbers, or its place; NaN is better than any, as it is for NumPy."""
        best, place, wants_place = items[0], self.const(0), row.slope == FLAT
        worse = COMPARISONS[OPPOSITE[row.extreme] | EQUAL]
        for number, item in enumerate(items[1:], start=1):
            is_number = self.equal(best, best)
            better = self.all_of(self.negated(self.add(worse, item, best)), is_number)
            best = self.where(better, item, best)
            if wants_place:
                place = self.where(better, self.const(number), place)
        return place if wants_place else best

    def pick_at(self, array: Value, index: Cells, axis: int) -> Cells:
        """Rows at places that data choose: out of a table, or by asking for each place."""
        known = array in self.tables
        rows = np.moveaxis(self.tables[array] if known else self.array(array), axis, 0)
        pick = self.from_table if known else self.one_of
        found = np.empty((*index.shape, *rows.shape[1:]), dtype=object)
        for place in np.ndindex(index.shape):
            for rest in np.ndindex(rows.shape[1:]):
                found[(*place, *rest)] = pick(rows[(slice(None), *rest)], index[place])
        return np.moveaxis(found, range(index.ndim), range(axis, axis + index.ndim))

    def from_table(self, numbers: Cells, index: Value) -> Value:
        """A number of a table."""
        return (
            self.const(numbers[0].item())
            if (numbers == numbers[0]).all()
            else self.add("gather", self.const(tuple(numbers.tolist())), index)
        )

    def one_of(self, items: Cells, index: Value) -> Value:
        """One of several values."""
        found: Value = items[0]
        for number, item in enumerate(items[1:], start=1):
            found = self.where(self.equal(index, self.const(number)), item, found)
        return found

    def matmul(self, first: Cells, second: Cells) -> Cells:
        """Products of matrices, sums from the left to the right."""
        left, right = first[None] if first.ndim == 1 else first, second[:, None] if second.ndim == 1 else second
        front = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        left, right = (np.broadcast_to(array, (*front, *array.shape[-2:])) for array in (left, right))
        shape = (*front, left.shape[-2], right.shape[-1])
        columns = np.swapaxes(right, -1, -2)
        made = _filled(shape, lambda place: self.dot(left[place[:-1]], columns[(*place[:-2], place[-1])]))
        made = made[..., 0, :] if first.ndim == 1 else made
        return made[..., 0] if second.ndim == 1 else made

    def dot(self, first: Cells, second: Cells) -> Value:
        """The scalar product of two rows of values."""
        return reduce(self.total, [self.product(a, b) for a, b in zip(first, second, strict=True)])


def _numpy(op: Op) -> Callable[..., Any]:
    """What NumPy does with the arrays of an operation, of whatever they are."""
    names = [f"a{place}" for place in range(len(op.args))]
    text = fill(TABLE[op.name].numpy, names, dict(op.attrs))
    function: Callable[..., Any] = eval(f"lambda {', '.join(names)}: {text}", function_space(text))
    return function


def _plain(number: Any) -> Any:
    """A number of Python; a whole number beyond 64 bits is one already."""
    return number.item() if isinstance(number, np.generic) else number


def _unwrapped(cell: Any) -> Any:
    """What is in an array of one cell: NumPy puts such an array whole into an array of objects."""
    return cell.item() if isinstance(cell, np.ndarray) else cell


def _filled(shape: tuple[int, ...], make: Callable[[tuple[int, ...]], Any]) -> Cells:
    cells = np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        cells[place] = make(place)
    return cells


def _spread(tree: Tree, results: Sequence[Value], places: Iterator[int]) -> Tree:
    """The structure of the answer, with a list in the place of an array; its numbers stand at the next places."""
    match tree:
        case Leaf(place):
            shape = results[place].type.shape
            if not shape:
                return Leaf(next(places))
            return SequenceTree("list", tuple(Leaf(next(places)) for _ in range(math.prod(shape))))
        case SequenceTree(items=items) | MappingTree(items=items):
            return replace(tree, items=tuple(_spread(item, results, places) for item in items))
        case _:
            return tree
