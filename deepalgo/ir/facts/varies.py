"""How far a value varies: not at all (a plain number), with the weights only, or from sample to sample.

What does not vary between samples is computed once for the batch and has no batch axis.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(x: real)
...   weight w = 2.0
...   %w = weight w
...   %y = mul %x %w
...   return %y
... ''')
>>> {str(value): level.name for value, level in find_levels(program).items()}
{'%x.0': 'BATCHED', '%w.1': 'UNIFORM', '%y.2': 'BATCHED'}
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import assert_never

from deepalgo.ir import Block, Check, If, Loop, Op, Program, Restore, Rewind, Save, Statement, Try, Value, While
from deepalgo.ir.append import CASTS

#: Operations that make a plain number of a plain number.
PLAIN = frozenset(CASTS.values())


class Level(enum.IntEnum):
    """A Python number, a tensor of the per-sample shape, or a tensor with a batch axis in front of it."""

    NUMBER = 0
    UNIFORM = 1
    BATCHED = 2


def find_levels(program: Program, by_lanes: bool = False) -> dict[Value, Level]:
    """The level of every value of a program without `Try`.

    With `by_lanes` samples that are done with a loop keep what they have: all that it carries is then a number for each sample.
    """
    levels = {item.value: Level.BATCHED for item in program.inputs}
    _visit(program.body, levels, by_lanes)
    return levels


def _visit(block: Block, levels: dict[Value, Level], by_lanes: bool) -> None:
    for statement in block.body:
        _visit_statement(statement, levels, by_lanes)


def _visit_statement(statement: Statement, levels: dict[Value, Level], by_lanes: bool) -> None:
    least = Level.UNIFORM
    match statement:
        case Op():
            levels[statement.result] = _op_level(statement, levels)
        case Check() | Save():
            pass
        case Restore(results):
            levels.update(dict.fromkeys(results, Level.BATCHED))
        case If(results, condition, then, orelse):
            _visit(then, levels, by_lanes)
            _visit(orelse, levels, by_lanes)
            for result, first, second in zip(results, then.results, orelse.results, strict=True):
                levels[result] = _join(levels, (condition, first, second))
        case Loop(results, _, init, body):
            levels[body.params[0]] = Level.NUMBER
            _settle(init, (body.params[1:],), (body,), body.results, levels, least, by_lanes)
            levels.update(zip(results, (levels[param] for param in body.params[1:]), strict=True))
        case Rewind(results, count, init, body):
            levels[body.params[0]] = levels[count] or Level.UNIFORM
            least = levels[body.params[0]] if by_lanes else least
            _settle(init, (body.params[1:],), (body,), body.results, levels, least, by_lanes)
            for result, param in zip(results, body.params[1:], strict=True):
                levels[result] = _join(levels, (param, count))
        case While(results, init, test, body):
            least = Level.BATCHED if by_lanes else least
            _settle(init, (test.params, body.params), (test, body), body.results, levels, least, by_lanes)
            for result, param in zip(results, body.params, strict=True):
                levels[result] = _join(levels, (param, test.results[0]))
        case Try():
            raise AssertionError("`try_to_if` leaves no Try")
        case _:
            assert_never(statement)


def _op_level(op: Op, levels: dict[Value, Level]) -> Level:
    if op.is_const:
        return Level.UNIFORM if op.result.type.shape else Level.NUMBER
    if op.name == "cut":
        return Level.BATCHED
    if op.name in PLAIN and levels[op.args[0]] is Level.NUMBER:
        return Level.NUMBER
    return _join(levels, op.args)


def _join(levels: dict[Value, Level], values: Iterable[Value]) -> Level:
    return max((levels[value] for value in values), default=Level.UNIFORM) or Level.UNIFORM


def _settle(init: tuple[Value, ...], params: tuple[tuple[Value, ...], ...], blocks: tuple[Block, ...], again: tuple[Value, ...],
            levels: dict[Value, Level], least: Level, by_lanes: bool) -> None:
    """Raise the level of carried values until a round changes nothing; levels are few, so that is soon."""
    current = [max(levels[value], least) for value in init]
    while True:
        for group in params:
            levels.update(zip(group, current, strict=True))
        for block in blocks:
            _visit(block, levels, by_lanes)
        following = [max(before, levels[value]) for before, value in zip(current, again, strict=True)]
        if following == current:
            return
        current = following
