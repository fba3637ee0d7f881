"""Stretches of a block: the statements that lead to a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from deepalgo.ir import Block, Program, Statement, Value, blocks, captured, defined, used


def reads(statement: Statement) -> set[Value]:
    """All that a statement and the blocks inside it read from around."""
    return {*used(statement), *(value for block in blocks(statement) for value in captured(block))}


def home(program: Program, value: Value) -> tuple[Block, int]:
    """The block that defines a value, and the place behind its definition."""
    if any(item.value == value for item in program.inputs):
        return program.body, 0
    stack = [program.body]
    while stack:
        block = stack.pop()
        if value in block.params:
            return block, 0
        for place, statement in enumerate(block.body):
            if value in defined(statement):
                return block, place + 1
            stack.extend(blocks(statement))
    raise AssertionError(f"{value} is not defined")


def leading(chain: tuple[Statement, ...], end: Value) -> list[Statement]:
    """The statements that `end` is computed from, with the checks on what they compute."""
    wanted, kept = {end}, []
    inner = {value for statement in chain for value in defined(statement)}
    for statement in reversed(chain):
        if wanted.intersection(defined(statement)) or (not defined(statement) and inner.intersection(reads(statement))):
            kept.append(statement)
            wanted |= reads(statement)
    return kept[::-1]


def depending(chain: Iterable[Statement], sources: set[Value], itself: Callable[[Statement], bool]) -> list[Statement]:
    """The statements that depend on some values, or of which `itself` says so."""
    known, found = set(sources), []
    for statement in chain:
        if itself(statement) or known.intersection(reads(statement)):
            found.append(statement)
            known.update(defined(statement))
    return found


def private(block: Block, end: Value) -> tuple[Statement, ...]:
    """The statements of a block that lead to a value and that nothing else needs, in order."""
    kept = leading(block.body, end)
    while True:
        inside = {value for statement in kept for value in defined(statement)} - {end}
        others = [statement for statement in block.body if not any(statement is item for item in kept)]
        shared = inside & ({value for statement in others for value in reads(statement)} | set(block.results))
        remaining = [statement for statement in kept if not shared.intersection(defined(statement))]
        # A check of something that stays outside stays there, too.
        inside = {value for statement in remaining for value in defined(statement)}
        remaining = [statement for statement in remaining if defined(statement) or inside.intersection(reads(statement))]
        if len(remaining) == len(kept):
            return tuple(kept)
        kept = remaining
