"""The machine that interprets Python: every operation of the language, and the module that defines it."""

from __future__ import annotations

from deepalgo.stage.rules import catalogue, native_calls
from deepalgo.stage.rules.python import arithmetic, attributes, comparisons, iteration, subscripts, truth
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.syntax import calls, expressions, resuming, statements
from deepalgo.stage.syntax.collecting import collect
from deepalgo.stage.syntax.frames import run_frame


class SyntaxInterpreter(Machine):
    """A machine with all of Python's operations."""

    evaluate = expressions.evaluate
    execute = statements.execute
    block = statements.block
    run_frame = run_frame

    call = calls.call
    interpret = calls.interpret
    call_native = native_calls.call_native
    find_rule = staticmethod(catalogue.find)

    binary = arithmetic.binary
    unary = arithmetic.unary
    compare = comparisons.compare
    truth = truth.truth

    get_attribute = attributes.get_attribute
    set_attribute = attributes.set_attribute
    get_item = subscripts.get_item
    set_item = subscripts.set_item

    iterate = iteration.iterate
    walk = iteration.walk
    opened = iteration.opened
    collect = collect
    following = resuming.following
