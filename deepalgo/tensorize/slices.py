"""Slices of a block: the statements that lead to a value."""

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


def leading(chain: tuple[Statement, ...], end: Value, results: Iterable[Value] = ()) -> list[Statement]:
    """The statements that `end` is computed from, with the checks on what they compute; `results` are needed elsewhere."""
    place = next((number + 1 for number, statement in enumerate(chain) if end in defined(statement)), 0)
    wanted, kept = {end}, set()
    for statement in reversed(chain[:place]):
        if wanted.intersection(defined(statement)):
            kept.add(id(statement))
            wanted |= reads(statement)
    kept |= _checks(chain, place, kept, set(results))
    return [statement for statement in chain[:place] if id(statement) in kept]


def _checks(chain: tuple[Statement, ...], place: int, kept: set[int], needed: set[Value]) -> set[int]:
    """The checks before a place, with what only they need, that ask for something that the kept statements compute."""
    needed |= {value for number, statement in enumerate(chain) if number >= place or id(statement) in kept for value in reads(statement)}
    only = set()
    for statement in reversed(chain[:place]):
        if id(statement) not in kept and not needed.intersection(defined(statement)):
            only.add(id(statement))
        else:
            needed |= reads(statement)
    known = {value for statement in chain if id(statement) in kept for value in defined(statement)}
    found = set()
    for statement in chain[:place]:
        if id(statement) in only and known.intersection(reads(statement)):
            found.add(id(statement))
            known.update(defined(statement))
    return found


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
    kept = leading(block.body, end, block.results)
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
