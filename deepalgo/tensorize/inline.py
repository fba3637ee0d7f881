"""Put one program into another: criteria and candidates that a user writes as functions, and the heuristic itself.

>>> from deepalgo.ir import Block, Input, Leaf
>>> x, y = Value(0, Type(Kind.REAL), "x"), Value(1, Type(Kind.REAL))
>>> double = Program("double", (Input("x", x),), (), Block((), (Op(y, "add", (x, x)),), (y,)), Leaf(y))
>>> build = Rewriter(Fresh(7))
>>> [str(value) for value in inline(build, double, (Value(5, Type(Kind.REAL), "z"),))]
['%7']
>>> [op.name for op in build.out if isinstance(op, Op)]
['add']
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from deepalgo.compiler import compile
from deepalgo.emit.rewriter import Fresh, Rewriter
from deepalgo.errors import CompileError, TensorizeError
from deepalgo.ir import Attr, Kind, Op, Program, Type, Value
from deepalgo.tensorize.grow import key_of


def inline(build: Rewriter, program: Program, args: Sequence[Value], fixed: dict[str, Attr] | None = None) -> tuple[Value, ...]:
    """Append the statements of a program on these arguments and return its results.

    Weights in `fixed` become constants; by default all of them, with the values that the program brings.
    """
    if fixed is None:
        fixed = {weight.key: weight.value for weight in program.weights}
    copier = _Inliner(build.fresh, fixed)
    copier.out = build.out
    copier.env = {item.value: arg for item, arg in zip(program.inputs, args, strict=True)}
    copier.statements(program.body.body)
    return copier.see(program.body.results)


class _Inliner(Rewriter):
    """Copies statements with fresh values, and reads fixed weights as constants."""

    def __init__(self, fresh: Fresh, fixed: dict[str, Attr]) -> None:
        super().__init__(fresh)
        self.fixed = fixed
        self.renews = True

    def op(self, op: Op) -> None:
        """Copy an operation."""
        if op.name == "weight" and key_of(op) in self.fixed:
            (result,) = self.define((op.result,))
            self.out.append(Op(result, "const", (), (("value", self.fixed[key_of(op)]),), op.span))
        else:
            super().op(op)


def parameters(function: Callable[..., Any]) -> list[str]:
    """The names of the parameters of a criterion."""
    if not callable(function):
        raise TensorizeError(f"a function is needed here, not {function!r}")
    return [item.name for item in inspect.signature(function).parameters.values() if item.default is item.empty]


def as_program(function: Callable[..., Any], types: Sequence[Type], what: str) -> Program:
    """Compile a function of a user for arguments of these types."""
    for type_ in types:
        if type_.kind != Kind.REAL:
            raise TensorizeError(f"{what} takes real numbers and arrays, not {type_}")
    example = tuple(np.ones(type_.shape) if type_.shape else 1.0 for type_ in types)
    try:
        program = compile(function, example=(example, {})).program
    except CompileError as error:
        raise TensorizeError(f"{what} cannot be compiled:\n{error}") from None
    return program


def as_criterion(function: Callable[..., Any], types: Sequence[Type], what: str) -> Program:
    """A function that says how good something is: one number, the smaller the better."""
    return check_criterion(as_program(function, types, what), what)


def check_criterion(program: Program, what: str) -> Program:
    """The program, if it returns one real number."""
    results = program.body.results
    if len(results) != 1 or results[0].type.shape or results[0].type.kind == Kind.COMPLEX:
        found = ", ".join(str(value.type) for value in results)
        raise TensorizeError(f"{what} must return one real number for a sample, not {found or 'nothing'}; take a norm of it")
    return program
