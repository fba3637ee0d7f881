"""`PerBlock`: an answer for each block of a program, found once, so that passes that ask at every depth stay linear.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(x: real)
...   %y = add %x 1.0
...   return %y
... ''')
>>> sizes = PerBlock(lambda block, sizes: len(block.body))
>>> sizes(program.body), sizes(program.body)
(2, 2)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from deepalgo.ir import Block, Check, Statement, Value, While, blocks, captured

Answer = TypeVar("Answer")


class PerBlock(Generic[Answer]):
    """Calls `ask(block, self)` once for a block; blocks are told apart by identity, and kept so that no other takes it over."""

    def __init__(self, ask: Callable[[Block, PerBlock[Answer]], Answer]) -> None:
        self.ask = ask
        self.known: dict[int, tuple[Block, Answer]] = {}

    def __call__(self, block: Block) -> Answer:
        """The answer for a block."""
        found = self.known.get(id(block))
        if found is None:
            found = self.known[id(block)] = block, self.ask(block, self)
        return found[1]


def has(test: Callable[[Statement], bool]) -> PerBlock[bool]:
    """Whether a block, or a block inside it, holds a statement of a kind."""
    return PerBlock(lambda block, inner: any(test(statement) or any(map(inner, blocks(statement))) for statement in block.body))


def counts() -> PerBlock[int]:
    """How many statements a block holds, those of the blocks inside it included."""
    return PerBlock(lambda block, inner: sum(1 + sum(map(inner, blocks(statement))) for statement in block.body))


def captures() -> PerBlock[tuple[Value, ...]]:
    """The values that a block reads from the blocks around it."""
    known: dict[int, tuple[Value, ...]] = {}
    return PerBlock(lambda block, _: captured(block, known))


def fails_itself(statement: Statement) -> bool:
    """Whether a statement is a check, or a loop that may not end."""
    return isinstance(statement, Check) or (isinstance(statement, While) and statement.bound is None)
