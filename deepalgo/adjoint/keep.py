"""What the backward pass needs from the forward pass: it is saved and restored, or recomputed where that is cheap.

The backward pass does not see values that a round or an arm of the forward pass defines. Constants and cheap operations are
recomputed from values that are saved, unless more numbers would have to be saved for that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from deepalgo.ir import Block, Op, Restore, Save, Statement, Value, captured, defined
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.ops.table import TABLE

#: Operations that cost at most so many additions are repeated instead of being saved.
CHEAP = 4.0


@dataclass(frozen=True, slots=True)
class Kept:
    """Values to be saved, and operations to be repeated from them, in order."""

    saved: tuple[Value, ...]
    repeated: tuple[Op, ...]


def connect(forward: Block, backward: Block, fresh: Fresh, number: int, known: Iterable[tuple[Value, Value]] = ()) -> tuple[Block, Block]:
    """Both blocks, the first with a `Save` at its end and the second with a `Restore` at its start if that is needed.

    `known` are values of the forward pass that the backward pass has of its own, such as the index of a round.
    """
    at_hand = dict(known)
    inner = {*forward.params, *(value for statement in forward.body for value in defined(statement))} - at_hand.keys()
    kept = plan([value for value in captured(backward) if value in inner], forward.body, inner)
    names = Rewriter(fresh)
    names.env = dict(at_hand)
    front: list[Statement] = []
    if kept.saved:
        restored = tuple(fresh.value(value.type, value.name) for value in kept.saved)
        names.env.update(zip(kept.saved, restored, strict=True))
        forward = replace(forward, body=(*forward.body, Save(number, kept.saved)))
        front.append(Restore(restored, number))
    for op in kept.repeated:
        again = fresh.value(op.result.type, op.result.name)
        front.append(replace(op, result=again, args=names.see(op.args), guard=0))
        names.env[op.result] = again
    made = names.block(backward)
    return forward, replace(made, body=(*front, *made.body))


def plan(needed: Sequence[Value], body: Sequence[Statement], inner: set[Value]) -> Kept:
    """What to save and what to repeat for these values of a block; `inner` is all that the block defines."""
    ops = {statement.result: statement for statement in body if isinstance(statement, Op)}
    thrifty, plain = (_keep(needed, ops, inner, limit) for limit in (CHEAP, 0.0))
    return thrifty if _size(thrifty) <= _size(plain) else plain


def _keep(needed: Sequence[Value], ops: dict[Value, Op], inner: set[Value], limit: float) -> Kept:
    saved, repeated = dict[Value, None](), set[Value]()
    waiting = list(reversed(needed))
    while waiting:
        value = waiting.pop()
        if value not in inner or value in saved or value in repeated:
            continue
        op = ops.get(value)
        if op is not None and (op.is_const or is_instruction(op) and TABLE[op.name].cost <= limit):
            repeated.add(value)
            waiting.extend(op.args)
        else:
            saved[value] = None
    return Kept(tuple(saved), tuple(op for value, op in ops.items() if value in repeated))


def is_instruction(op: Op) -> bool:
    """Whether processors have an instruction for an operation: those that are rounded correctly, and those that only move numbers.

    Others are sums of many terms, which take longer than saving and restoring a number.
    """
    return TABLE[op.name].exact


def _size(kept: Kept) -> int:
    return sum(math.prod(value.type.shape) for value in kept.saved)
