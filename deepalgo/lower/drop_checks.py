"""Drop all checks, and regions that define no value.

>>> from deepalgo.ir.show import show
>>> show(drop_checks, '''
... f(x: real)
...   %ok = ge %x 0.0
...   check %ok guard 1 else ValueError('math domain error')
...   %y = sqrt %x guard 1
...   return %y
... ''')
f(x: real)
  %ok = ge %x 0.0
  %y = sqrt %x guard 1
  return %y
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from deepalgo.ir import Block, Check, Handler, If, Loop, Op, Program, Restore, Rewind, Save, Statement, Try, While, defined


def drop_checks(program: Program) -> Program:
    """The program without checks; what only they need is left to `prune`."""
    return replace(program, body=_without_checks(program.body))


def _without_checks(block: Block) -> Block:
    return Block(block.params, tuple(_inner(item) for item in block.body if defined(item)), block.results)


def _inner(statement: Statement) -> Statement:
    match statement:
        case If():
            return replace(statement, then=_without_checks(statement.then), orelse=_without_checks(statement.orelse))
        case Loop():
            return replace(statement, body=_without_checks(statement.body))
        case While():
            return replace(statement, test=_without_checks(statement.test), body=_without_checks(statement.body))
        case Try():
            handlers = tuple(Handler(item.catches, _without_checks(item.block)) for item in statement.handlers)
            return replace(statement, body=_without_checks(statement.body), handlers=handlers)
        case Op() | Check():
            return statement
        case Save() | Restore() | Rewind():
            raise AssertionError("only derivatives save and restore")
        case _:
            assert_never(statement)
