"""Implications between truth values: what an operation on them says of its result and of its operands, by trying every combination.

>>> both = TABLE["and"].fold
>>> decided(both, (False, None)), implied(both, True, (None, None)), implied(both, False, (True, None))
(False, (True, True), (True, False))
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TypeAlias

from deepalgo.ir.program import Op
from deepalgo.kinds import Kind
from deepalgo.ops.row import Fold
from deepalgo.ops.table import TABLE

Truth: TypeAlias = bool | None


def is_logical(op: Op) -> bool:
    """Whether an operation makes a truth value of truth values."""
    if op.result.type.kind is not Kind.BOOL or not op.args or TABLE[op.name].fold is None:
        return False
    return all(arg.type.kind is Kind.BOOL for arg in op.args)


def is_negation(op: Op) -> bool:
    """Whether an operation is `not`."""
    return len(op.args) == 1 and is_logical(op) and decided(fold_of(op), (True,)) is False and decided(fold_of(op), (False,)) is True


def is_repeatable(op: Op) -> bool:
    """Whether an operation of two truth values is a truth value where both are: `and`, `or`."""
    if len(op.args) != 2 or not is_logical(op):
        return False
    return decided(fold_of(op), (True, True)) is True and decided(fold_of(op), (False, False)) is False


def is_conjunction(op: Op) -> bool:
    """Whether an operation of two truth values is true where both are and nowhere else: `and`."""
    return is_repeatable(op) and decided(fold_of(op), (False, None)) is False and decided(fold_of(op), (None, False)) is False


def is_disjunction(op: Op) -> bool:
    """Whether an operation of two truth values is false where both are and nowhere else: `or`."""
    return is_repeatable(op) and decided(fold_of(op), (True, None)) is True and decided(fold_of(op), (None, True)) is True


def fold_of(op: Op) -> Fold:
    """The function of an operation that is logical."""
    fold = TABLE[op.name].fold
    assert fold is not None
    return fold


@cache
def decided(fold: Fold, known: tuple[Truth, ...]) -> Truth:
    """The truth of an operation on truth values of which some are known."""
    results = {bool(fold(*way)) for way in _possible(known)}
    return results.pop() if len(results) == 1 else None


@cache
def implied(fold: Fold, truth: bool, known: tuple[Truth, ...]) -> tuple[Truth, ...]:
    """The operands that follow from the truth of the result; what was known stays so where nothing fits."""
    ways = [way for way in _possible(known) if bool(fold(*way)) is truth]
    return tuple(ways[0][place] if len({way[place] for way in ways}) == 1 else known[place] for place in range(len(known)))


@cache
def sufficient(fold: Fold, truth: bool, arity: int) -> tuple[bool, tuple[Truth, ...]]:
    """Truths of the operands that are enough for one of the result, and whether all of them are needed or any is enough.

    >>> sufficient(TABLE["and"].fold, True, 2), sufficient(TABLE["and"].fold, False, 2), sufficient(TABLE["xor"].fold, True, 2)
    ((True, (True, True)), (False, (False, False)), (False, (None, None)))
    """
    needed = implied(fold, truth, (None,) * arity)
    if None not in needed:
        return True, needed
    alone = [[side for side in (True, False) if decided(fold, _only(place, side, arity)) is truth] for place in range(arity)]
    return False, tuple(sides[0] if len(sides) == 1 else None for sides in alone)


def _only(place: int, side: bool, arity: int) -> tuple[Truth, ...]:
    return tuple(side if other == place else None for other in range(arity))


def _possible(known: tuple[Truth, ...]) -> list[tuple[bool, ...]]:
    return list(product(*((True, False) if truth is None else (truth,) for truth in known)))
