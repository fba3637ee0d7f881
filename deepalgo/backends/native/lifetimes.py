"""Where arrays that lie in memory are read for the last time.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(x: real[20])
...   %y = mul %x %x
...   %z = add %y 1.0
...   %w = sum %z axis=None
...   return %w
... ''')
>>> lifetimes = Lifetimes(program)
>>> lifetimes.enter(program.body, ())
>>> [[str(value) for value in lifetimes.ending(statement)] for statement in program.body.body]
[[], [], ['%y.1'], ['%z.3']]
"""

from __future__ import annotations

from collections.abc import Iterable

from deepalgo.backends.native.array_loops import is_large
from deepalgo.ir import Block, Program, Statement, Value, blocks, captured, walk
from deepalgo.ir.walk import defined, used


class Lifetimes:
    """For each statement, the large values that end there; a block is entered before its statements are written."""

    def __init__(self, program: Program) -> None:
        values = [item.value for item in program.inputs]
        values += [value for statement in walk(program.body) for value in defined(statement)]
        self._are_needed = any(map(is_large, values))
        self._ending: dict[int, tuple[Value, ...]] = {}
        self._free: dict[int, tuple[Value, ...]] = {}

    def enter(self, block: Block, mortal: Iterable[Value]) -> None:
        """Find the last reads in a block, of values that it defines and of those from outside that may end in it."""
        if not self._are_needed:
            return
        last: dict[Value, int] = {}
        owned = set(mortal)
        for place, statement in enumerate(block.body):
            read = [*used(statement), *(value for block in blocks(statement) for value in captured(block, self._free))]
            last.update((value, place) for value in read if is_large(value))
            for value in defined(statement):
                if is_large(value):
                    owned.add(value)
                    last[value] = place
        for value in block.results:
            last.pop(value, None)
        endings: dict[int, list[Value]] = {}
        for value, place in last.items():
            if value in owned:
                endings.setdefault(place, []).append(value)
        for place, statement in enumerate(block.body):
            self._ending[id(statement)] = tuple(endings.get(place, ()))

    def ending(self, statement: Statement) -> tuple[Value, ...]:
        """The values that no later statement reads."""
        return self._ending.get(id(statement), ())
