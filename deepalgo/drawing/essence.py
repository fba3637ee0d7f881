"""What of a program is drawn: all that its answers are computed from; and how often each value is used there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from deepalgo.emit.prune import prune
from deepalgo.ir import Block, Check, Handler, If, Kind, Loop, Op, Program, Statement, Try, Value, While, blocks, defined, used, walk


def essence(program: Program) -> Program:
    """The program without checks and what only they need."""
    program = prune(replace(program, body=_without_checks(program.body)))
    return replace(program, body=_without_checks(program.body))


def _without_checks(block: Block) -> Block:
    """The block without what can only raise: checks, and regions that hand out nothing."""
    return Block(block.params, tuple(_inner(item) for item in block.body if defined(item)), block.results)


def _inner(statement: Statement) -> Statement:
    match statement:
        case If():
            return replace(statement, then=_without_checks(statement.then), orelse=_without_checks(statement.orelse))
        case Loop():
            return replace(statement, body=_without_checks(statement.body))
        case While():
            return replace(statement, test=_without_checks(statement.test), body=_without_checks(statement.body))
        case Try():
            handlers = tuple(Handler(item.catches, _without_checks(item.block)) for item in statement.handlers)
            return replace(statement, body=_without_checks(statement.body), handlers=handlers)
        case Op() | Check():
            return statement
        case _:
            assert_never(statement)


def find_wraps(block: Block) -> dict[Value, tuple[Value, ...]]:
    """Operations that only make a negative index count from the end, with the two that help them."""
    made = {item.result: item for item in walk(block) if isinstance(item, Op)}
    wraps: dict[Value, tuple[Value, ...]] = {}
    for op in made.values():
        if op.name == "select" and op.result.type.kind == Kind.INT:
            below, raised, index = op.args
            if all(value in made and made[value].name == name and made[value].args[0] == index
                   for value, name in ((below, "lt"), (raised, "add"))):
                wraps[op.result] = (below, raised)
    return wraps


def count_uses(block: Block, wraps: Mapping[Value, tuple[Value, ...]]) -> Counter[Value]:
    """How often each value is used, wraps aside."""
    helpers = {value for pair in wraps.values() for value in pair}
    uses: Counter[Value] = Counter(block.results)
    for statement in walk(block):
        if not (isinstance(statement, Op) and statement.result in helpers):
            uses.update({statement.args[2]: 1} if isinstance(statement, Op) and statement.result in wraps else used(statement))
        for inner in blocks(statement):
            uses.update(inner.results)
    return uses
