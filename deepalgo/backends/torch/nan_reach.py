"""Find the values to which an arm must not pass a gradient for samples that did not take it, as it could be NaN.

An operation is risky if its value or derivative can be inf or NaN; whatever its operands come from can be hit by 0 * inf.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(x: real, y: real)
...   %z = log %x
...   %sum = add %z %y
...   return %sum
... ''')
>>> [value.name for value in exposed(program.body, {})]
['x']
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from deepalgo.ir import Attr, Block, Check, If, Kind, Loop, Op, Statement, Try, Value, While, captured
from deepalgo.ops.table import TABLE


def exposed(block: Block, known: Mapping[Value, Attr], params: Iterable[Value] = ()) -> list[Value]:
    """The captured values (and `params`) that can get a gradient of NaN from a risky operation of the block."""
    reached = at_risk(block, known)
    return [value for value in (*params, *captured(block)) if value in reached and _learns(value) and value not in known]


def at_risk(block: Block, known: Mapping[Value, Attr]) -> set[Value]:
    """All values that can get a gradient of NaN from a risky operation of the block, up to the tables that numbers are looked up in."""
    reached: set[Value] = set()
    _spread(block, known, reached)
    return reached


def is_risky(op: Op, known: Mapping[Value, Attr]) -> bool:
    """Whether an operation can spoil a gradient; a finite constant factor or divisor cannot."""
    row = TABLE[op.name]
    if not row.is_risky([arg.type for arg in op.args]):
        return False
    if row.bilinear:
        return not any(_is_plain(known.get(arg)) for arg in op.args)
    return row.pole is None or not (_is_plain(divisor := known.get(op.args[row.pole])) and divisor != 0)


def _is_plain(value: Attr) -> bool:
    return isinstance(value, (bool, int, float)) and math.isfinite(value)


def _learns(value: Value) -> bool:
    return value.type.kind >= Kind.REAL


def _spread(block: Block, known: Mapping[Value, Attr], reached: set[Value]) -> None:
    """Backwards: operands of risky operations, and whatever those were computed from."""
    for statement in reversed(block.body):
        _spread_statement(statement, known, reached)


def _spread_statement(statement: Statement, known: Mapping[Value, Attr], reached: set[Value]) -> None:
    match statement:
        case Op(result, _, args):
            if _learns(result) and (result in reached or is_risky(statement, known)):
                reached.update(args)
        case If(results, _, then, orelse):
            _spread_results(results, then, known, reached)
            _spread_results(results, orelse, known, reached)
        case Loop(results, _, init, body):
            _spread_rounds(results, init, body, body.params[1:], known, reached)
        case While(results, init, _, body):
            _spread_rounds(results, init, body, body.params, known, reached)
        case Try(results, body, handlers):
            for inner in (body, *(handler.block for handler in handlers)):
                _spread_results(results, inner, known, reached)
        case Check():
            pass


def _spread_results(results: tuple[Value, ...], block: Block, known: Mapping[Value, Attr], reached: set[Value]) -> None:
    reached.update(inner for outer, inner in zip(results, block.results, strict=True) if outer in reached)
    _spread(block, known, reached)


def _spread_rounds(results: tuple[Value, ...], init: tuple[Value, ...], body: Block, params: tuple[Value, ...],
                   known: Mapping[Value, Attr], reached: set[Value]) -> None:
    """A loop, until another round reaches nothing more."""
    size = -1
    while size != len(reached):
        size = len(reached)
        for result, first, param, again in zip(results, init, params, body.results, strict=True):
            if result in reached or param in reached:
                reached.update((first, again))
        _spread(body, known, reached)
