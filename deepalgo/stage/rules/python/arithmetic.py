"""Arithmetic with Python's rules: what raises, what promotes, what turns complex. NumPy numbers follow IEEE and raise nothing."""

from __future__ import annotations

import ast
import operator
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.ir.standing import WHOLE_EXPONENT
from deepalgo.ops.table import TABLE
from deepalgo.stage.rules.numpy import elementwise, operators
from deepalgo.stage.rules.python.complex_power import complex_power
from deepalgo.stage.rules.python.number_checks import division_by_zero, no_overflow, nonzero, said
from deepalgo.stage.rules.python.operator_methods import ABSENT, by_methods
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.flavours import flavour_of, flavour_of_result, may_be_whole, number_kind
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked
from deepalgo.stage.state.messages import concatenate
from deepalgo.stage.state.representatives import representative
from deepalgo.stage.state.static_calls import run_static
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import (
    POLYNOMIALS,
    DataText,
    Known,
    Signal,
    StandIn,
    Union,
    UserRaise,
    is_number,
    refuse_again,
    user_method,
)

NATIVE: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}
INPLACE: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.iadd, ast.Sub: operator.isub, ast.Mult: operator.imul, ast.BitOr: operator.ior, ast.BitAnd: operator.iand,
    ast.BitXor: operator.ixor,
}
UNARY: dict[type[ast.unaryop], tuple[Callable[[Any], Any], str]] = {
    ast.USub: (operator.neg, "neg"), ast.UAdd: (operator.pos, "pos"), ast.Invert: (operator.invert, "invert"),
}
NAMES: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.BitAnd: "bitand", ast.BitOr: "bitor", ast.BitXor: "bitxor", ast.LShift: "lshift", ast.RShift: "rshift",
}
DUNDERS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift",
}
SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "** or pow()",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}


def binary(machine: Machine, op: type[ast.operator], left: Any, right: Any, node: ast.AST) -> Any:
    """`left op right`."""
    refuse_again(left, right)
    if op is ast.Mod and isinstance(left, (str, DataText)) and (formatted := _formatted(machine, left, right, node)) is not None:
        return formatted
    if isinstance(left, Union):
        return distribute(machine, left, lambda item: binary(machine, op, item, right, node), node)
    if isinstance(right, Union):
        return distribute(machine, right, lambda item: binary(machine, op, left, item, node), node)
    if meets_arrays(left, right):
        return _with_arrays(machine, op, left, right, node)
    if isinstance(left, Signal) and (isinstance(right, Signal) or is_number(right)):
        return on_signals(machine, op, left, right)
    if isinstance(right, Signal) and is_number(left):
        return on_signals(machine, op, left, right)
    if isinstance(left, (Signal, DataText)) or isinstance(right, (Signal, DataText)):
        return _mixed(machine, op, left, right, node)
    found = _by_methods(machine, op, left, right, node)
    if found is not ABSENT:
        return found
    machine.refuse_stand_in(node, left, right)
    return run_static(machine, NATIVE[op], left, right)


def _formatted(machine: Machine, template: str | DataText, values: Any, node: ast.AST) -> DataText | None:
    """`template % values` of values that hold data; None for those that can be treated one by one."""
    if isinstance(template, DataText):
        machine.refuse("a string made from data is formatted", "Strings made from data are only good for messages.", node)
    return DataText("...", ()) if isinstance(values, StandIn) and not isinstance(values, (Signal, Union)) else None


def _with_arrays(machine: Machine, op: type[ast.operator], left: Any, right: Any, node: ast.AST) -> Any:
    """An operator with an array or a polynomial of NumPy beside it."""
    if type(left) in POLYNOMIALS or (type(right) in POLYNOMIALS and not isinstance(right, np.poly1d)):
        return _by_methods(machine, op, left, right, node)
    if op is ast.Mult and any(isinstance(item, (list, tuple)) for item in (left, right)) and any(map(is_scalar, (left, right))):
        machine.refuse("a number of NumPy is multiplied by a list", "Make the list an array.", node)
    return operators.binary(machine, op, left, right, node)


def is_scalar(value: Any) -> bool:
    """Whether a value is a single number."""
    return is_number(value) or (isinstance(value, Signal) and not value.shape)


def meets_arrays(*operands: Any) -> bool:
    """Whether NumPy treats these operands number by number: one is an array, or a NumPy number meets a list."""
    if any(isinstance(item, (Array, Masked)) or (isinstance(item, np.ndarray) and item.dtype.kind in "biufc") for item in operands):
        return True
    numpy_number = any(flavour_of(item) == "np" for item in operands)
    return numpy_number and any(isinstance(item, (list, tuple, np.poly1d)) for item in operands)


def _mixed(machine: Machine, op: type[ast.operator], left: Any, right: Any, node: ast.AST) -> Any:
    """A Signal meets something that is not a number."""
    if isinstance(left, (str, DataText)) and op is ast.Mod:
        return DataText("...", ())
    if op is ast.Add and isinstance(left, (str, DataText)) and isinstance(right, (str, DataText)):
        return concatenate([left, right])
    found = _by_methods(machine, op, left, right, node)
    if found is not ABSENT:
        return found
    if op is ast.Mult and any(isinstance(side, (list, tuple, str, deque)) for side in (left, right)):
        machine.refuse("the length of this sequence depends on data", "Use a fixed length.", node)
    _unsupported(machine, op, left, right)


def _type_name(value: Any) -> str:
    if isinstance(value, Signal):
        return {Kind.BOOL: "bool", Kind.INT: "int", Kind.REAL: "float", Kind.COMPLEX: "complex"}[value.kind]
    return type(value).__name__


def _by_methods(machine: Machine, op: type[ast.operator], left: Any, right: Any, node: ast.AST) -> Any:
    """What operators that classes of the user define answer; `ABSENT` where none does."""
    found = by_methods(machine, left, right, f"__{DUNDERS[op]}__", f"__r{DUNDERS[op]}__", node)
    return distribute(machine, found, lambda item: _unsupported(machine, op, left, right) if item is NotImplemented else item, node)


def _unsupported(machine: Machine, op: type[ast.operator], left: Any, right: Any) -> NoReturn:
    names = [_type_name(item) for item in (left, right)]
    if all(type(representative(item)).__module__ == "builtins" for item in (left, right)):  # sequences have words of their own
        try:
            NATIVE[op](representative(left), representative(right))
        except TypeError as error:
            raise UserRaise(TypeError, str(error), machine.span) from None
    raise UserRaise(TypeError, f"unsupported operand type(s) for {SYMBOLS[op]}: '{names[0]}' and '{names[1]}'", machine.span)


def on_signals(machine: Machine, op: type[ast.operator], left: Any, right: Any) -> Any:
    """`left op right` where at least one side is a Signal and both are numbers."""
    flavour = flavour_of_result(left, right)
    kind = max(number_kind(left), number_kind(right))
    if kind is Kind.BOOL and flavour == "either":
        _refuse_truths(machine, op)
    known = _known(left, right) if flavour == "py" else None
    if known is not None:
        value = run_static(machine, NATIVE[op], known[0], known[1])  # raises as Python would
        if isinstance(value, complex) and not any(isinstance(side, complex) for side in known[:2]):
            return value
    if flavour == "np" and (machine.numpy_raises is not None or _differs_in_numpy(op, kind)):
        return elementwise.apply(machine, NAMES[op], NATIVE[op], [left, right])
    with machine.doubting(flavour):
        result = _RULES.get(op, _plain)(machine, op, left, right, flavour)
    if op is not ast.Div and result.kind is Kind.REAL and may_be_whole(left) and may_be_whole(right):
        result = replace(result, mixed=True)
    if known is None:
        return result
    return replace(result, flavour=flavour, known=Known(value, known[2]))


def _refuse_truths(machine: Machine, op: type[ast.operator]) -> None:
    if op in (ast.Add, ast.Sub, ast.Mult):
        machine.refuse(
            "truth values are added, and whether they are NumPy's, where True + True is True, depends on data",
            "Make them whole numbers first: int(a > b).",
        )


def _differs_in_numpy(op: type[ast.operator], kind: Kind) -> bool:
    """Whether NumPy computes with numbers of this kind in another way than Python."""
    return kind is Kind.BOOL or (kind is Kind.INT and op in (ast.FloorDiv, ast.Pow))


def _known(left: Any, right: Any) -> tuple[Any, Any, frozenset[str]] | None:
    keys: frozenset[str] = frozenset()
    values = []
    for side in (left, right):
        if isinstance(side, Signal):
            if side.known is None:
                return None
            keys |= side.known.keys
            values.append(side.known.value)
        else:
            values.append(side)
    return values[0], values[1], keys


def _plain(machine: Machine, op: type[ast.operator], left: Any, right: Any, flavour: str) -> Signal:
    kinds = max(number_kind(left), number_kind(right))
    name = NAMES.get(op)
    if name is None:
        machine.refuse("`@` needs arrays", "Use `*` for numbers.")
    if op in (ast.BitAnd, ast.BitOr, ast.BitXor) and kinds is Kind.BOOL:
        logical = {"bitand": "and", "bitor": "or", "bitxor": "xor"}[name]
        return machine.emit(logical, left, right, flavour=flavour)
    if name.startswith("bit") or name.endswith("shift"):
        if kinds > Kind.INT:
            if flavour == "np":
                machine.refuse("bits of floats are asked for, which NumPy has none of", "Use whole numbers.")
            _unsupported(machine, op, left, right)
        if name.endswith("shift") and flavour != "np":
            machine.check(machine.emit("ge", right, 0), ValueError, "negative shift count")
        if name == "lshift":
            machine.check(machine.emit("le", right, 62), "IntegerTooLarge", "a whole number beyond 64 bits")
    result = machine.emit(name, left, right, flavour=flavour)
    if kinds <= Kind.INT and flavour != "np" and name in ("add", "sub", "mul"):
        _guard_integers(machine, name, left, right)
    return result


def _guard_integers(machine: Machine, name: str, left: Any, right: Any) -> None:
    """Python's whole numbers have no limit, ours have 64 bits: where they could leave it, look."""
    if name != "mul" and any(isinstance(side, int) and abs(side) < 2**32 for side in (left, right)):
        return  # a counter
    estimate = machine.emit(name, machine.cast(left, Type(Kind.REAL)), machine.cast(right, Type(Kind.REAL)))
    machine.check(machine.emit("lt", machine.emit("abs", estimate), 2.0**62), "IntegerTooLarge", "a whole number beyond 64 bits")


def _divide(machine: Machine, op: type[ast.operator], left: Any, right: Any, flavour: str) -> Signal:
    if op is not ast.Div and Kind.COMPLEX in (number_kind(left), number_kind(right)):
        run_static(machine, NATIVE[op], 1j, 1j)  # raises
    if flavour != "np":
        nonzero(machine, right, ZeroDivisionError, division_by_zero(NATIVE[op], left, right))
    return machine.emit(NAMES[op], left, right, flavour=flavour)


def power(machine: Machine, op: type[ast.operator], left: Any, right: Any, flavour: str) -> Signal:
    """`left ** right`, with all that may happen at zero, below zero and beyond the largest float."""
    base_kind, exponent_kind = number_kind(left), number_kind(right)
    if Kind.COMPLEX in (base_kind, exponent_kind):
        return machine.emit("pow", left, right, flavour=flavour) if flavour == "np" else complex_power(machine, left, right)
    if base_kind <= Kind.INT and exponent_kind <= Kind.INT:
        return _integer_power(machine, left, right, flavour)
    base = machine.cast(left, Type(Kind.REAL, getattr(left, "shape", ())))
    if flavour == "py" and machine.span in machine.complex_at:
        below = machine.emit("and", _less(machine, base), machine.emit("isfinite", base))
        exponent = machine.cast(right, Type(Kind.REAL))
        broken = machine.emit("and", machine.emit("ne", exponent, machine.emit("floor", exponent)), machine.emit("isfinite", exponent))
        machine.check(machine.emit("and", below, broken), "RealResult", "a fractional power is complex on the example, and real here")
        return complex_power(machine, base, right)
    if flavour != "np":
        _check_power(machine, base, left, right)
    result = machine.emit("pow", base, right, flavour=flavour)
    if flavour != "np":
        no_overflow(machine, result, [base, right], "(34, 'Numerical result out of range')")
    return result


def _check_power(machine: Machine, base: Signal, left: Any, right: Any) -> None:
    exponent = right.known.value if isinstance(right, Signal) and right.known is not None else right
    if isinstance(exponent, Signal):
        _check_unknown_power(machine, base, exponent)
        return
    if exponent < 0:
        nonzero(machine, base, ZeroDivisionError, said(operator.pow, 0.0, -1.0))
    if exponent != int(exponent) if abs(exponent) < 1e15 else False:
        _stay_real(machine, machine.negated(_less(machine, base)))
    elif isinstance(right, Signal) and right.known is not None and not _is_known_positive(machine, base):
        for key in right.known.keys:
            machine.weights.freeze(key, WHOLE_EXPONENT)


def _less(machine: Machine, base: Signal) -> Signal:
    return machine.emit("lt", base, 0.0)


def _stay_real(machine: Machine, ok: Signal) -> None:
    machine.check(ok, "ComplexResult", "a negative number to a fractional power is complex in Python")


def _check_unknown_power(machine: Machine, base: Signal, exponent: Signal) -> None:
    negative = machine.emit("lt", exponent, 0)
    if exponent.kind is Kind.REAL:
        negative = machine.emit("and", negative, machine.emit("isfinite", exponent))
    zero = machine.emit("eq", base, 0.0)
    machine.check(machine.negated(machine.emit("and", negative, zero)), ZeroDivisionError, said(operator.pow, 0.0, -1.0))
    if exponent.kind is Kind.REAL and not _is_known_positive(machine, base):
        whole = machine.emit("eq", exponent, machine.emit("floor", exponent))
        _stay_real(machine, machine.emit("or", machine.emit("not", _less(machine, base)), whole))


def _is_known_positive(machine: Machine, base: Signal) -> bool:
    """Whether the form of the base alone shows that it is never negative."""
    if base.known is not None:
        return bool(base.known.value > 0)
    definition = machine.definition(base)
    return definition is not None and TABLE[definition.name].range.low >= 0


def _integer_power(machine: Machine, left: Any, right: Any, flavour: str) -> Signal:
    exponent = right.known.value if isinstance(right, Signal) and right.known is not None else right
    if isinstance(exponent, int) and exponent < 0:
        base = machine.cast(left, Type(Kind.REAL))
        nonzero(machine, base, ZeroDivisionError, said(operator.pow, 0.0, -1.0))
        return machine.emit("pow", base, float(exponent), flavour=flavour)
    if isinstance(exponent, Signal):
        negative = machine.emit("lt", exponent, 0)
        machine.check(machine.negated(negative), "FloatResult", "a whole number to a negative power is a float in Python")
    as_real = [machine.cast(side, Type(Kind.REAL)) for side in (left, right)]
    size = machine.emit("abs", machine.emit("pow", *as_real))
    machine.check(machine.emit("lt", size, 2.0**62), "IntegerTooLarge", "a whole number beyond 64 bits")
    return machine.emit("pow", left, right, flavour=flavour)


def unary(machine: Machine, op: type[ast.unaryop], operand: Any, node: ast.AST) -> Any:
    """`-x`, `+x`, `~x`."""
    refuse_again(operand)
    if isinstance(operand, Union):
        return distribute(machine, operand, lambda item: unary(machine, op, item, node), node)
    function, name = UNARY[op]
    if meets_arrays(operand):
        return operators.unary(machine, name, function, operand)
    if not isinstance(operand, Signal):
        method = user_method(operand, f"__{name}__")
        if method is not None:
            return machine.call(method, [operand], {}, node)
        return run_static(machine, function, operand)
    if operand.kind is Kind.BOOL and operand.flavour == "np":
        return operators.unary(machine, name, function, operand)
    if name == "pos" and operand.kind is Kind.REAL and operand.flavour == "py":
        return operand  # the same object
    if name == "invert" and operand.kind is Kind.BOOL:
        operand = machine.cast(operand, Type(Kind.INT))  # ~True is -2
    if name == "invert" and operand.kind > Kind.INT:
        raise UserRaise(TypeError, "bad operand type for unary ~: 'float'", machine.span)
    result = machine.emit(name, operand, flavour=operand.flavour)
    known = None if operand.known is None else Known(function(operand.known.value), operand.known.keys)
    return Signal(result.value, operand.flavour, operand.uniform, known, operand.mixed)


_RULES: dict[type[ast.operator], Callable[[Machine, type[ast.operator], Any, Any, str], Signal]] = {
    ast.Div: _divide,
    ast.FloorDiv: _divide,
    ast.Mod: _divide,
    ast.Pow: power,
}
