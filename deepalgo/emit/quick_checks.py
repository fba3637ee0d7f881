"""Find the fast question that settles a check for a whole batch, if there is one.

>>> from deepalgo.ir import Type
>>> x, zero = Value(0, Type(Kind.REAL), "x"), Value(1, Type(Kind.REAL))
>>> below, ok = Value(2, Type(Kind.BOOL)), Value(3, Type(Kind.BOOL))
>>> ops = {below: Op(below, "lt", (x, zero)), ok: Op(ok, "not", (below,)), zero: Op(zero, "const", (), (("value", 0.0),))}
>>> quick_question(ok, ops)
Question(name='at_least', value=Value(id=0, type=Type(kind=<Kind.REAL: 2>, shape=()), name='x'), bound=0.0)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deepalgo.ir import Kind, Op, Value

NAMES = {"ge": "at_least", "gt": "above", "le": "at_most", "lt": "below"}
OPPOSITE = {"ge": "lt", "gt": "le", "le": "gt", "lt": "ge"}


@dataclass(frozen=True, slots=True)
class Question:
    """A function of `deepalgo.ops.forms.quick`, what it is asked about, and its second operand if it has one."""

    name: str
    value: Value
    bound: float | None = None


def quick_question(ok: Value, ops: Mapping[Value, Op]) -> Question | None:
    """A question whose answer yes means that `ok` holds for every sample; `ops` are the operations by their result."""
    match ops.get(ok):
        case Op(name="no_overflow", args=(value, *_)) if value.type.kind == Kind.REAL:
            return Question("finite", value)
        case Op(name="ne", args=(value, other)) if _number(other, ops) == 0 and value.type.kind <= Kind.REAL:
            return Question("nonzero", value)
        case Op(name="not", args=(denied,)) if denied in ops and ops[denied].name in OPPOSITE:
            return _comparison(OPPOSITE[ops[denied].name], ops[denied].args, ops)
        case Op(name=name, args=args) if name in NAMES:
            return _comparison(name, args, ops)
        case Op(name="or", args=(either, _)):
            return quick_question(either, ops)
        case _:
            return None


def _comparison(name: str, args: tuple[Value, ...], ops: Mapping[Value, Op]) -> Question | None:
    bound = _number(args[1], ops)
    return Question(NAMES[name], args[0], bound) if bound is not None and args[0].type.kind == Kind.REAL else None


def _number(value: Value, ops: Mapping[Value, Op]) -> float | None:
    op = ops.get(value)
    number = op.attr("value") if op is not None and op.name == "const" else None
    return float(number) if isinstance(number, (int, float)) else None
