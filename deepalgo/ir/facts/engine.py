"""`Facts`: what is known at a place of a program, as one goes through it statement by statement.

It serves passes over whole programs and the front end, which knows the statements so far. What is learned holds until the scope
ends in which it was learned: an arm, the body of a loop, what follows a check in its block.

>>> from deepalgo.ir import Kind, Type
>>> x, zero, below, ok = Value(0, Type(Kind.REAL), "x"), Value(1, Type(Kind.REAL)), Value(2, Type(Kind.BOOL)), Value(3, Type(Kind.BOOL))
>>> facts = Facts()
>>> for op in (Op(zero, "const", (), (("value", 0.0),)), Op(below, "lt", (x, zero)), Op(ok, "not", (below,))):
...     facts.note(op)
>>> facts.enter()
>>> facts.learn(ok, True)
>>> facts.truth(below), str(facts.range(x))
(False, '[0, inf] or nan')
>>> facts.leave()
>>> facts.truth(below), str(facts.range(x))
(None, '[-inf, inf] or nan')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from deepalgo.ir.facts import ranges
from deepalgo.ir.facts.constants import can_fold, computed
from deepalgo.ir.facts.truths import decided, fold_of, implied, is_logical
from deepalgo.ir.program import Op, Value
from deepalgo.kinds import Attr, Kind
from deepalgo.ops.ranges import OF_KIND, Range

#: Parts of a condition that are looked at for one question.
MOST_PARTS = 64
#: What an arm knows of a value that it hands on.
Found: TypeAlias = tuple[Range, bool | None]


class Facts:
    """`ops` are the operations so far, `known` the single constants; `truths` and `ranges` hold here.

    Without `bounded` no ranges are found, which takes less time: then comparisons are only known where they were learned.
    """

    def __init__(self, known: Mapping[Value, Attr] | None = None, *, bounded: bool = True) -> None:
        self.bounded = bounded
        self.ops: dict[Value, Op] = {}
        self.known: dict[Value, Attr] = dict(known or {})
        self.truths: dict[Value, bool] = {}
        self.ranges: dict[Value, Range] = {}
        self.scopes: list[list[tuple[dict[Value, Any], Value, Any]]] = [[]]

    def note(self, op: Op) -> None:
        """An operation stands here."""
        result = op.result
        self.ops[result] = op
        if op.is_const and not result.type.shape:
            self.known[result] = op.attrs[0][1]
        if self.bounded and result.type.kind is not Kind.BOOL:
            found = ranges.image(op, self.ranges)
            if found is not OF_KIND[result.type.kind]:
                self.ranges[result] = found

    def enter(self) -> None:
        """A scope begins."""
        self.scopes.append([])

    def leave(self) -> None:
        """The scope ends, and what was learned in it is forgotten."""
        for table, value, before in reversed(self.scopes.pop()):
            if before is None:
                table.pop(value, None)
            else:
                table[value] = before

    @property
    def depth(self) -> int:
        """How many scopes are open."""
        return len(self.scopes)

    def mark(self) -> tuple[int, int]:
        """A place to go back to."""
        return len(self.scopes), len(self.scopes[-1])

    def rewind(self, mark: tuple[int, int]) -> None:
        """Forget what was learned since a mark."""
        scopes, learned = mark
        while len(self.scopes) > scopes:
            self.leave()
        kept, self.scopes[-1] = self.scopes[-1][:learned], self.scopes[-1][learned:]
        self.leave()
        self.scopes.append(kept)

    def learned(self) -> dict[Value, bool]:
        """The truths that the innermost scope has learned."""
        return {value: self.truths[value] for table, value, _ in self.scopes[-1] if table is self.truths}

    def learn(self, condition: Value, truth: bool) -> None:
        """A condition has a truth from here on, and so has what follows from it."""
        waiting = [(condition, truth)]
        while waiting:
            value, truth = waiting.pop()
            if self.truths.get(value) is truth:
                continue
            self._set(self.truths, value, truth)
            op = self.ops.get(value)
            if op is None:
                continue
            if is_logical(op):
                waiting.extend(self._operands(op, truth))
            elif self.bounded:
                for arg, found in ranges.learned(op, truth, self.ranges):
                    self.narrow(arg, found)

    def _operands(self, op: Op, truth: bool) -> list[tuple[Value, bool]]:
        """The operands whose truth follows from that of the result."""
        fold = fold_of(op)
        found = implied(fold, truth, (None,) * len(op.args))
        if None in found:
            found = implied(fold, truth, tuple([self.truth(arg) for arg in op.args]))
        return [(arg, side) for arg, side in zip(op.args, found, strict=True) if side is not None]

    def narrow(self, value: Value, found: Range) -> None:
        """A value lies in a range from here on."""
        if found != self.range(value) and value.type.kind in (Kind.INT, Kind.REAL):
            self._set(self.ranges, value, found)

    def _set(self, table: dict[Value, Any], value: Value, fact: object) -> None:
        self.scopes[-1].append((table, value, table.get(value)))
        table[value] = fact

    def found(self, values: Sequence[Value]) -> list[Found]:
        """What is known here of the values that a block hands on."""
        return [(self.range(value), self.truth(value) if value.type.kind is Kind.BOOL else None) for value in values]

    def join(self, results: Sequence[Value], first: Sequence[Found], second: Sequence[Found]) -> None:
        """The results of a branch are what one of its arms found."""
        for result, one, other in zip(results, first, second, strict=True):
            if result.type.kind is Kind.BOOL:
                if one[1] is not None and one[1] is other[1]:
                    self._set(self.truths, result, one[1])
            elif self.bounded:
                both = one[0].join(other[0])
                if both != OF_KIND[result.type.kind]:
                    self._set(self.ranges, result, both)

    def range(self, value: Value) -> Range:
        """The range of a value, by its kind at least."""
        return self.ranges.get(value) or OF_KIND[value.type.kind]

    def constant(self, value: Value) -> Attr:
        """The number that a value is here, None if that is not known."""
        known = self.known.get(value)
        if known is not None:
            return known
        return self.truth(value) if self.truths and value.type.kind is Kind.BOOL and not value.type.shape else None

    def constants(self) -> dict[Value, Attr]:
        """The single values that are known here."""
        return {**self.known, **{value: truth for value, truth in self.truths.items() if not value.type.shape}}

    def folded(self, op: Op, args: Sequence[Value]) -> Attr:
        """The result of an operation on constants, None if it is not known."""
        if not can_fold(op):
            return None
        numbers = []
        for arg in args:  # ends at the first that is not known, as most are not
            number = self.constant(arg)
            if number is None:
                return None
            numbers.append(number)
        return computed(op, numbers)

    def truth(self, value: Value) -> bool | None:
        """The truth of a condition for all samples that come here, of an array that of all its items; None if it is not known."""
        known = self._direct(value)
        if known is not None:
            return known
        op = self.ops.get(value)
        if op is None or op.result.type.kind is not Kind.BOOL:
            return None
        if not is_logical(op):
            return ranges.answer(op, self.ranges) if self.bounded else None
        return self._search(value)

    def _direct(self, value: Value) -> bool | None:
        known = self.truths.get(value)
        if known is None and value in self.known:
            number = self.known[value]
            return bool(number) if isinstance(number, (bool, int)) else None
        return known

    def _search(self, value: Value) -> bool | None:
        """Look into a condition made of conditions; of a large one at the parts next to it."""
        found: dict[Value, bool | None] = {}
        waiting, left = [value], MOST_PARTS
        while waiting:
            item = waiting[-1]
            if item not in found:
                known, op = self._direct(item), self.ops.get(item)
                if known is None and op is not None and is_logical(op):
                    parts = [arg for arg in op.args if arg not in found]
                    if parts and left > 0:
                        left -= len(parts)
                        waiting.extend(parts)
                        continue
                    known = decided(fold_of(op), tuple([found.get(arg) for arg in op.args]))
                found[item] = self.truth(item) if known is None and (op is None or not is_logical(op)) else known
            waiting.pop()
        return found[value]
