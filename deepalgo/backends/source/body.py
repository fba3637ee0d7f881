"""Bodies with exits: how to walk through them, count what is read, and leave statements out."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from deepalgo.backends.source.exits import Stop, inner_blocks, read_by
from deepalgo.ir import Block, Handler, If, Kind, Loop, Op, Statement, Try, Value, While
from deepalgo.ir.append import CASTS
from deepalgo.ops.table import TABLE

#: The attribute of `int(floor(x))` as one operation, with its spelling `math.floor({0})`.
ROUNDING = "rounding"


def everything(block: Block) -> Iterator[Statement | Stop]:
    """All statements of a block and of the blocks inside it, exits included, in order."""
    for statement in block.body:
        yield statement
        for inner in inner_blocks(statement):
            yield from everything(inner)


def all_blocks(block: Block) -> Iterator[Block]:
    """A block and the blocks inside it."""
    yield block
    for statement in block.body:
        for inner in inner_blocks(statement):
            yield from all_blocks(inner)


def count_uses(body: Block) -> Counter[Value]:
    """How often each value is read."""
    found: Counter[Value] = Counter()
    for block in all_blocks(body):
        found.update(block.results)
        for statement in block.body:
            found.update(read_by(statement))
    return found


def without(body: Block, implied: set[int], anchored: set[Value]) -> Block:
    """The body without some checks, and without operations that nothing reads then and that do not raise in the place of a check."""
    body = _filtered(body, lambda statement: id(statement) not in implied)
    size = -1
    while size != (size := sum(1 for _ in everything(body))):
        needed = anchored | set(count_uses(body))
        body = _filtered(body, functools.partial(_is_needed, needed))
    return body


def _is_needed(needed: set[Value], statement: object) -> bool:
    match statement:
        case Op(result):
            return result in needed
        case Try(results, _, handlers):
            return bool(needed & set(results)) or not any("Exception" in handler.catches for handler in handlers)
        case If(results, _, then, orelse):
            return bool(needed & set(results) or then.body or orelse.body)
        case _:
            return True


def fuse(body: Block) -> Block:
    """The body with `int(floor(x))` as one operation and items of arrays as items."""
    uses = count_uses(body)
    ops = {op.result: op for op in everything(body) if isinstance(op, Op)}

    def fused(op: Any) -> Any:
        if isinstance(op, Op):
            op = _plain_item(op)
        inner = ops.get(op.args[0]) if isinstance(op, Op) and op.name == CASTS[Kind.INT] else None
        if inner is None or not TABLE[inner.name].rounding or uses[inner.result] != 1 or op.result.type.shape:
            return op
        swallowed.add(inner.result)
        return replace(op, args=inner.args, attrs=((ROUNDING, TABLE[inner.name].rounding),))

    swallowed: set[Value] = set()
    body = _filtered(body, lambda statement: True, fused)
    return _filtered(body, lambda statement: not (isinstance(statement, Op) and statement.result in swallowed))


def _plain_item(op: Op) -> Op:
    """A single item of an array, read as an item."""
    key = dict(op.attrs).get("key")
    whole = op.name == "take" and isinstance(key, tuple) and all(isinstance(entry, int) and not isinstance(entry, bool) for entry in key)
    return replace(op, name="index") if whole else op


def _filtered(block: Block, keep: Callable[[Any], bool], change: Callable[[Any], Any] = lambda same: same) -> Block:
    return replace(block, body=tuple(_inside(change(statement), keep, change) for statement in block.body if keep(statement)))


def _inside(statement: Any, keep: Callable[[Any], bool], change: Callable[[Any], Any]) -> Any:
    def inner(block: Block) -> Block:
        return _filtered(block, keep, change)

    match statement:
        case If(then=then, orelse=orelse):
            return replace(statement, then=inner(then), orelse=inner(orelse))
        case Loop(body=body):
            return replace(statement, body=inner(body))
        case While(test=test, body=body):
            return replace(statement, test=inner(test), body=inner(body))
        case Try(body=body, handlers=handlers):
            kept = tuple(Handler(handler.catches, inner(handler.block)) for handler in handlers)
            return replace(statement, body=inner(body), handlers=kept)
        case Stop(block=block):
            return replace(statement, block=inner(block))
        case _:
            return statement
