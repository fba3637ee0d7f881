"""Which values of a program a derivative reaches: those that are computed from inputs or weights by steps that have a slope.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(x: real)
...   %c = const 2.0
...   %d = mul %c %c
...   %y = mul %x %d
...   %z = floor %y
...   return %z
... ''')
>>> sorted(value.name for value in find_active(program))
['x', 'y']
"""

from __future__ import annotations

from collections.abc import Collection

from deepalgo.ir import Block, If, Kind, Loop, Op, Program, Statement, Value, While
from deepalgo.ops.slope import FLAT
from deepalgo.ops.table import TABLE


def find_active(program: Program, by: Collection[str] | None = None) -> set[Value]:
    """The values that have an adjoint: where the derivative is that `by` some weights alone, those that depend on them.

    The program has its weights at the start of its body.
    """
    starts = [] if by is not None else [item.value for item in program.inputs]
    weights = [op for op in program.body.body if isinstance(op, Op) and op.is_weight]
    starts += [op.result for op in weights if by is None or op.attr("key") in by]
    active = {value for value in starts if value.type.kind >= Kind.REAL}
    _visit(program.body, active)
    return active


def _visit(block: Block, active: set[Value]) -> None:
    for statement in block.body:
        _visit_statement(statement, active)


def _visit_statement(statement: Statement, active: set[Value]) -> None:
    match statement:
        case Op():
            if _passes_on(statement, active):
                active.add(statement.result)
        case If(results, _, then, orelse):
            _visit(then, active)
            _visit(orelse, active)
            for arm in (then, orelse):
                _hand_over(arm.results, results, active)
        case Loop(results, _, init, body):
            _repeat(body.params[1:], init, body, active)
            _hand_over(body.params[1:], results, active)
        case While(results, init, _, body):
            _repeat(body.params, init, body, active)
            _hand_over(body.params, results, active)
        case _:
            pass


def _passes_on(op: Op, active: set[Value]) -> bool:
    if op.result.type.kind < Kind.REAL or TABLE[op.name].slope is FLAT:
        return False
    return any(arg in active for arg in op.args)


def _hand_over(given: tuple[Value, ...], taken: tuple[Value, ...], active: set[Value]) -> None:
    active.update(place for value, place in zip(given, taken, strict=True) if value in active and place.type.kind >= Kind.REAL)


def _repeat(params: tuple[Value, ...], init: tuple[Value, ...], body: Block, active: set[Value]) -> None:
    """Go through the rounds until a round makes nothing else active."""
    _hand_over(init, params, active)
    before = -1
    while len(active) != before:
        before = len(active)
        _visit(body, active)
        _hand_over(body.results, params, active)
