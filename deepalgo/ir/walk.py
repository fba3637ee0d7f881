"""Traversals of a program: its values, statements and blocks, and what a block reads from around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from types import GeneratorType
from typing import Any, assert_never

from deepalgo.ir.program import (
    Block,
    Check,
    If,
    Leaf,
    Loop,
    Mapping,
    Op,
    Program,
    Restore,
    Rewind,
    Save,
    Sequence,
    Slot,
    Statement,
    Static,
    Tree,
    Try,
    Value,
    While,
)


def leaves(tree: Tree) -> Iterator[Leaf | Slot]:
    """The places of a structure that hold numbers or arrays, in reading order."""
    match tree:
        case Leaf() | Slot():
            yield tree
        case Static():
            return
        case Sequence(items=items) | Mapping(items=items):
            for item in items:
                yield from leaves(item)
        case _:
            assert_never(tree)


def answers(program: Program) -> tuple[Value, ...]:
    """The results that the function returns, in the order of the leaves of its output."""
    return program.body.results[: sum(1 for _ in leaves(program.output))]


def changed(program: Program) -> tuple[tuple[str, Value], ...]:
    """The paths of arguments that the function changes in place, each with the result that it leaves there."""
    first = len(answers(program))
    return tuple(zip(program.changes, program.body.results[first : first + len(program.changes)], strict=True))


def blocks(statement: Statement) -> tuple[Block, ...]:
    """The blocks that a statement owns, in execution order."""
    match statement:
        case Op() | Check() | Save() | Restore():  # first, as most statements are one
            return ()
        case If(then=then, orelse=orelse):
            return (then, orelse)
        case Loop(body=body) | Rewind(body=body):
            return (body,)
        case While(test=test, body=body):
            return (test, body)
        case Try(body=body, handlers=handlers):
            return (body, *(handler.block for handler in handlers))
        case _:
            assert_never(statement)


def defined(statement: Statement) -> tuple[Value, ...]:
    """The values that a statement defines in the block where it stands."""
    match statement:
        case Op(result=result):
            return (result,)
        case Check() | Save():
            return ()
        case _:
            return statement.results


def used(statement: Statement) -> tuple[Value, ...]:
    """The values that a statement reads itself, not counting what its blocks read."""
    match statement:
        case Op(args=args):
            return args
        case Check(ok=ok, operands=operands):
            return (ok, *operands)
        case If(condition=condition):
            return (condition,)
        case Loop(init=init) | While(init=init):
            return init
        case Rewind(count=count, init=init):
            return (count, *init)
        case Save(values=values):
            return values
        case Try() | Restore():
            return ()
        case _:
            assert_never(statement)


def walk(block: Block) -> Iterator[Statement]:
    """Every statement of a block and of the blocks inside it, in order."""
    waiting = [iter(block.body)]
    while waiting:
        for statement in waiting[-1]:
            yield statement
            if type(statement) is not Op and (inner := blocks(statement)):
                waiting.append(chain.from_iterable(each.body for each in inner))
                break
        else:
            waiting.pop()


def flatten(parts: Iterator[Any]) -> Iterator[Any]:
    """What a generator yields; a generator among it stands for what that one yields, however deep they lie in one another.

    >>> def countdown(number):
    ...     yield number
    ...     if number:
    ...         yield countdown(number - 1)
    >>> list(flatten(countdown(3)))
    [3, 2, 1, 0]
    """
    waiting = [parts]
    while waiting:
        for part in waiting[-1]:
            if type(part) is GeneratorType:
                waiting.append(part)
                break
            yield part
        else:
            waiting.pop()


def captured(block: Block, known: dict[int, tuple[Value, ...]] | None = None) -> tuple[Value, ...]:
    """The values that a block reads from the blocks around it, in order of first use.

    `known` remembers the answers by the identity of the block, for callers that ask for many blocks of one program.
    """
    known = {} if known is None else known
    if id(block) not in known:
        known[id(block)] = _find_free(block, known)
    return known[id(block)]


def _find_free(block: Block, known: dict[int, tuple[Value, ...]]) -> tuple[Value, ...]:
    bound, free = set(block.params), dict[Value, None]()
    for statement in block.body:
        _note_free(used(statement), bound, free)
        for inner in blocks(statement):
            _note_free(captured(inner, known), bound, free)
        bound.update(defined(statement))
    _note_free(block.results, bound, free)
    return tuple(free)


def _note_free(values: Iterable[Value], bound: set[Value], free: dict[Value, None]) -> None:
    for value in values:
        if value not in bound:
            free[value] = None
