"""Replace chains of choices between numbers by a table: `a if p else b if q else c` is one look-up among three.

Only where all the numbers are the same for every sample. Chains by the same conditions share the place.

>>> from deepalgo.lower.prune import prune
>>> from deepalgo.ir.show import show
>>> show((tabulate_choices, prune), '''
... f(p: bool, q: bool)
...   %inner = select %q 2.0 3.0
...   %y = select %p 1.0 %inner
...   return %y
... ''')
f(p: bool, q: bool)
  %2 = const 2.0
  %3 = const 3.0
  %5 = const 1.0
  %7 = first %p %q
  %y = look_up %7 %5 %2 %3
  return %y
"""

from __future__ import annotations

from collections.abc import Mapping

from deepalgo.ir import Block, Kind, Op, Program, Value
from deepalgo.ir.facts import Level, find_levels
from deepalgo.ir.rewriter import Fresh, Rewriter


def tabulate_choices(program: Program) -> Program:
    """The program with tables in place of chains of choices."""
    return TabulateChoices(Fresh.of(program), find_levels(program)).program(program)


class TabulateChoices(Rewriter):
    """`chains` are the conditions and the numbers of each choice; `places` the places that the current blocks know."""

    def __init__(self, fresh: Fresh, levels: Mapping[Value, Level]) -> None:
        super().__init__(fresh)
        self.levels = levels
        self.chains: dict[Value, tuple[tuple[Value, ...], tuple[Value, ...]]] = {}
        self.places: dict[tuple[Value, ...], Value] = {}
        self.found: list[tuple[Value, ...]] = []

    def block(self, block: Block) -> Block:
        """A block; the places found in it are not known behind it."""
        before, self.found = self.found, []
        made = super().block(block)
        for conditions in self.found:
            del self.places[conditions]
        self.found = before
        return made

    def op(self, op: Op) -> None:
        """Put a look-up in the place of a chain of at least two conditions."""
        args = self.see(op.args)
        if not op.is_choice or op.result.type.shape or not Kind.INT <= op.result.type.kind <= Kind.REAL:
            return super().op(op)
        condition, first, rest = args
        if self.varies(first) or not self.varies(condition) or not (rest in self.chains or not self.varies(rest)):
            return super().op(op)
        conditions, numbers = self.chains.get(rest, ((), (rest,)))
        self.chains[op.result] = chain = (condition, *conditions), (first, *numbers)
        if len(chain[0]) < 2 or any(number.type.kind != op.result.type.kind for number in chain[1]):
            return super().op(op)
        (result,) = self.define((op.result,))
        self.out.append(Op(result, "look_up", (self.place(chain[0]), *chain[1]), (), op.span))
        return None

    def varies(self, value: Value) -> bool:
        """Whether a value differs from sample to sample."""
        return self.levels[value] == Level.BATCHED

    def place(self, conditions: tuple[Value, ...]) -> Value:
        """The number of the first condition that holds."""
        if conditions not in self.places:
            self.places[conditions] = self.add("first", *conditions)
            self.found.append(conditions)
        return self.places[conditions]
