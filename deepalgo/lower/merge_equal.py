"""Common subexpression elimination: equal operations on equal values become one, in a block and the blocks inside it.

>>> from deepalgo.ir.show import show
>>> show(merge_equal, '''
... f(x: real)
...   %a = sin %x
...   %b = sin %x
...   %y = add %a %b
...   return %y
... ''')
f(x: real)
  %a = sin %x
  %y = add %a %a
  return %y
"""

from __future__ import annotations

from collections.abc import Hashable

from deepalgo.ir import Attr, Block, If, Kind, Op, Program, Type, Value
from deepalgo.ir.rewriter import Fresh, Rewriter


def merge_equal(program: Program, apart: bool = False) -> Program:
    """The program without repeated operations.

    `apart` leaves numbers in an arm that are computed around it, too: where both are needed for other samples each, the arm's own
    gradient must not run through what is computed for all.
    """
    return MergeEqual(Fresh.of(program), apart).program(program)


def merge_equal_per_arm(program: Program) -> Program:
    """The same, where arms keep numbers of their own."""
    return merge_equal(program, apart=True)


class MergeEqual(Rewriter):
    """`seen` holds what the blocks around compute; what a block `added` is forgotten when it ends."""

    def __init__(self, fresh: Fresh, apart: bool) -> None:
        super().__init__(fresh)
        self.apart = apart
        self.seen: dict[Hashable, Value] = {}
        self.added: dict[Hashable, Value | None] = {}

    def block(self, block: Block) -> Block:
        """A block, in which everything is known that the blocks around it know."""
        before, self.added = self.added, {}
        result = super().block(block)
        for key, outer in self.added.items():
            if outer is None:
                del self.seen[key]
            else:
                self.seen[key] = outer
        self.added = before
        return result

    def op(self, op: Op) -> None:
        """Keep the first of equal operations; a choice between equals is none."""
        args = self.see(op.args)
        if op.is_choice and args[1] == args[2] and args[1].type == op.result.type:
            self.env[op.result] = args[1]
            return
        key = (op.name, args, _attributes(op))
        if key in self.added or (key in self.seen and not (self.apart and op.result.type.kind >= Kind.REAL and args)):
            self.env[op.result] = self.seen[key]
            return
        self.added[key] = self.seen.get(key)
        self.seen[key] = op.result
        super().op(op)

    def branch(self, branch: If) -> None:
        """A result that is the same value in both arms is that value; one that is chosen like another is the other."""
        super().branch(branch)
        made = self.out[-1]
        assert isinstance(made, If)
        firsts: dict[tuple[Value, Value, Type], Value] = {}
        for result, first, second in zip(made.results, made.then.results, made.orelse.results, strict=True):
            if first == second and first.type == result.type:
                self.env[result] = first
            elif (twin := firsts.setdefault((first, second, result.type), result)) is not result:
                self.env[result] = twin


def _attributes(op: Op) -> Hashable:
    """Numbers by their text, as 0.0 and -0.0, or 1 and True, are equal but not the same."""
    return tuple((name, _text(value)) for name, value in op.attrs if not (op.is_weight and name == "site"))


def _text(value: Attr) -> str:
    return repr(value)
