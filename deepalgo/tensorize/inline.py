"""Put one program into another: criteria and candidates that a user writes as functions, and the heuristic itself.

>>> from deepalgo.ir import parse
>>> double = parse('''
... double(x: real)
...   %y = add %x %x
...   return %y
... ''')
>>> build = Rewriter(Fresh(7))
>>> [str(value) for value in inline(build, double, (Value(5, Type(Kind.REAL), "z"),))]
['%y.7']
>>> [op.name for op in build.out if isinstance(op, Op)]
['add']
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, assert_never

import numpy as np

from deepalgo.compiler import compile
from deepalgo.errors import CompileError, TensorizeError
from deepalgo.ir import Attr, Block, Check, If, Kind, Loop, Op, Program, Restore, Rewind, Save, Statement, Try, Type, Value, While
from deepalgo.ir.rewriter import Fresh, Rewriter
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
        if op.is_weight and key_of(op) in self.fixed:
            (result,) = self.define((op.result,))
            self.out.append(Op(result, "const", (), (("value", self.fixed[key_of(op)]),), op.span))
        else:
            super().op(op)


def hidden(statement: Statement) -> Statement:
    """The statement without names and lines, so that no later transformation finds it; errors still know their lines."""
    match statement:
        case Op():
            return replace(statement, result=_unnamed(statement.result), span=None)
        case Check():
            return statement
        case Save() | Restore() | Rewind():
            raise AssertionError("only derivatives save and restore")
        case If():
            then, orelse = _hidden_block(statement.then), _hidden_block(statement.orelse)
            return replace(statement, results=_all_unnamed(statement.results), then=then, orelse=orelse, span=None)
        case Loop():
            return replace(statement, results=_all_unnamed(statement.results), body=_hidden_block(statement.body), span=None)
        case While():  # its line is that of an error, too
            test, body = _hidden_block(statement.test), _hidden_block(statement.body)
            return replace(statement, results=_all_unnamed(statement.results), test=test, body=body)
        case Try():
            handlers = tuple(replace(handler, block=_hidden_block(handler.block)) for handler in statement.handlers)
            return replace(statement, results=_all_unnamed(statement.results), body=_hidden_block(statement.body), handlers=handlers)
        case _:
            assert_never(statement)


def _hidden_block(block: Block) -> Block:
    return Block(_all_unnamed(block.params), tuple(map(hidden, block.body)), block.results)


def _all_unnamed(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(map(_unnamed, values))


def _unnamed(value: Value) -> Value:
    return Value(value.id, value.type)


def parameters(function: Callable[..., Any], what: str) -> list[str]:
    """The names of the parameters of a function that a user gives, those with a default left out."""
    if not callable(function):
        raise TensorizeError(f"{what} must be a function, not {function!r}")
    if _is_native(function):
        return ["x"]
    names = [item.name for item in inspect.signature(function).parameters.values() if item.default is item.empty]
    if not names:
        raise TensorizeError(f"{what} must take the value that it is about as its first parameter")
    return names


def _is_native(function: Callable[..., Any]) -> bool:
    """Whether a function has no source, as `abs` and `np.sum`."""
    return inspect.isbuiltin(function) or isinstance(function, np.ufunc)


def with_source(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, or one of Python's that calls it."""

    def calling(x: Any) -> Any:
        return function(x)

    return calling if _is_native(function) else function


def as_program(function: Callable[..., Any], types: Sequence[Type], what: str) -> Program:
    """Compile a function of a user for arguments of these types."""
    for type_ in types:
        if type_.kind != Kind.REAL:
            raise TensorizeError(f"{what} takes real numbers and arrays, not {type_}")
    example = tuple(np.ones(type_.shape) if type_.shape else 1.0 for type_ in types)
    try:
        program = compile(with_source(function), example=(example, {})).program
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
