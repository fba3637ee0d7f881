"""Find comparisons and roundings that a last digit can decide, because torch and Python compute their operands slightly differently.

What rows call exact has the same bits in both, so only what comes from other functions can differ.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(x: real)
...   %y = exp %x
...   %near = lt %y 1.0
...   %far = lt %x 1.0
...   return %near, %far
... ''')
>>> [value.name for value in find_ties(program)]
['near']
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from deepalgo.ir import Block, Check, If, Kind, Loop, Op, Program, Restore, Rewind, Save, Statement, Try, Value, While, walk
from deepalgo.ops.table import TABLE


def find_ties(program: Program) -> set[Value]:
    """The results of comparisons and roundings that a last digit can change."""
    blurred: set[Value] = set()
    size = -1
    while size != len(blurred):
        size = len(blurred)
        _visit(program.body, blurred)
    found = [op for op in walk(program.body) if isinstance(op, Op) and TABLE[op.name].step]
    return {op.result for op in found if any(arg in blurred for arg in op.args)}


def _visit(block: Block, blurred: set[Value]) -> None:
    for statement in block.body:
        _visit_statement(statement, blurred)


def _visit_statement(statement: Statement, blurred: set[Value]) -> None:
    match statement:
        case Op(result, _, args):
            if result.type.kind >= Kind.REAL and (not _is_exact(statement) or any(arg in blurred for arg in args)):
                blurred.add(result)
        case Check():
            pass
        case If(results, _, then, orelse):
            _visit(then, blurred)
            _visit(orelse, blurred)
            _pass_on(results, (then.results, orelse.results), blurred)
        case Loop(results, _, init, body):
            _pass_on(body.params[1:], (init, body.results), blurred)
            _visit(body, blurred)
            _pass_on(results, (init, body.results), blurred)
        case While(results, init, test, body):
            for params in (test.params, body.params, results):
                _pass_on(params, (init, body.results), blurred)
            _visit(test, blurred)
            _visit(body, blurred)
        case Try():
            raise AssertionError("`try_to_if` leaves no Try")
        case Save() | Restore() | Rewind():
            raise AssertionError("only derivatives save and restore")
        case _:
            assert_never(statement)


def _pass_on(values: tuple[Value, ...], sources: Iterable[tuple[Value, ...]], blurred: set[Value]) -> None:
    for source in sources:
        blurred.update(value for value, first in zip(values, source, strict=True) if first in blurred)


def _is_exact(op: Op) -> bool:
    row = TABLE[op.name]
    return row.exact_complex if any(arg.type.kind is Kind.COMPLEX for arg in op.args) else row.exact
