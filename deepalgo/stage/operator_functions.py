"""The module `operator`: Python's operators as functions."""

from __future__ import annotations

import ast
import operator
from typing import Any

from deepalgo.stage import arithmetic, comparisons, subscripts
from deepalgo.stage.machine import Machine
from deepalgo.stage.natives import HANDLERS, Args, Handler, Kwargs, handles
from deepalgo.stage.truth import truth
from deepalgo.stage.values import Signal

UNARY: dict[type[ast.unaryop], Any] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
QUESTIONS: dict[type[ast.cmpop], Any] = {**comparisons.NATIVE, ast.Is: operator.is_, ast.IsNot: operator.is_not}


def _binary(op: type[ast.operator]) -> Handler:
    return lambda machine, args, kwargs, node: arithmetic.binary(machine, op, args[0], args[1], node)


def _unary(op: type[ast.unaryop]) -> Handler:
    return lambda machine, args, kwargs, node: arithmetic.unary(machine, op, args[0], node)


def _question(op: type[ast.cmpop]) -> Handler:
    return lambda machine, args, kwargs, node: comparisons.compare(machine, op, args[0], args[1], node)


HANDLERS |= {native: _binary(op) for op, native in arithmetic.NATIVE.items()}
HANDLERS |= {native: _unary(op) for op, native in UNARY.items()}
HANDLERS |= {native: _question(op) for op, native in QUESTIONS.items()}


@handles(operator.not_)
def _not(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    verdict = truth(machine, args[0], node)
    return machine.logical("not", verdict) if isinstance(verdict, Signal) else not verdict


@handles(operator.truth)
def _truth(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return truth(machine, args[0], node)


@handles(operator.getitem)
def _item(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return subscripts.get_item(machine, args[0], args[1], node)
