"""Replace every complex value by its two parts, so that a target without complex numbers can run the program.

>>> from deepalgo.ir.show import show
>>> show(split_complex, '''
... f(x: real, y: real)
...   %z = complex %x %y
...   %w = mul %z %z
...   %v = imag %w
...   return %v
... ''')
f(x: real, y: real)
  %5 = mul %x %x
  %6 = mul %y %y
  %7 = sub %5 %6
  %8 = mul %x %y
  %9 = mul %y %x
  %10 = add %8 %9
  return (%10,)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from deepalgo.ir import Attr, Block, By, Check, If, Input, Kind, Leaf, Op, Program, Type, Value, blocks, defined, walk
from deepalgo.ir import Sequence as SequenceTree
from deepalgo.ir.compute import compute
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.lower.complex_functions import FUNCTIONS, Pair, length, product, quotient
from deepalgo.lower.fourier import fourier
from deepalgo.lower.real_formulas import Real
from deepalgo.ops.slope import Slope
from deepalgo.ops.table import TABLE

#: Operations that do the same to both parts.
BY_PARTS = frozenset({"add", "sub", "neg", "pos", "sum", "cumsum", "add_at"})
#: The transforms, with the sign of their exponents; the one back is a mean.
FOURIER = {"fft": -1, "ifft": 1}
#: The sorts of number that tables of functions tell apart.
SORTS = (-math.inf, -2.5, -0.0, 0.0, 2.5, math.inf, math.nan)


def split_complex(program: Program) -> Program:
    """The program in real numbers: a complex input or result becomes two, its real and its imaginary part.

    Operations without a rule stay, on numbers that are put together for them.
    """
    every = (*(item.value for item in program.inputs), *(value for statement in walk(program.body) for value in defined(statement)),
             *(value for statement in walk(program.body) for block in blocks(statement) for value in block.params))
    if not any(value.type.kind is Kind.COMPLEX for value in every):
        return program
    return SplitComplex(Fresh.of(program)).program(program)


class SplitComplex(Rewriter):
    """`pairs` are the parts of each complex value."""

    def __init__(self, fresh: Fresh) -> None:
        super().__init__(fresh)
        self.pairs: dict[Value, tuple[Value, Value]] = {}

    def program(self, program: Program) -> Program:
        """The whole program; its results are a row of numbers."""
        inputs: list[Input] = []
        for item in program.inputs:
            parts = self.define((item.value,))
            names = (item.path,) if len(parts) == 1 else (f"{item.path}.real", f"{item.path}.imag")
            inputs += map(Input, names, parts)
        body = self.block(program.body)
        output = SequenceTree("tuple", tuple(map(Leaf, range(len(body.results)))))
        return replace(program, inputs=tuple(inputs), body=body, output=output, changes=())

    def see(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Values, and the parts of complex ones."""
        return tuple(part for value in super().see(values) for part in self.pairs.get(value, (value,)))

    def define(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """The values that are defined, and the parts of complex ones."""
        found: list[Value] = []
        for value in super().define(values):
            if value.type.kind is Kind.COMPLEX:
                type = Type(Kind.REAL, value.type.shape)
                self.pairs[value] = self.fresh.value(type), self.fresh.value(type)
            found += self.pairs.get(value, (value,))
        return tuple(found)

    def check(self, check: Check) -> None:
        """Complex numbers of messages are put together for them."""
        operands = tuple(self.add("complex", *self.see((value,))) if value.type.kind is Kind.COMPLEX else self.see((value,))[0]
                         for value in check.operands)
        self.out.append(replace(check, ok=self.see((check.ok,))[0], operands=operands, guard=self.guard(check.guard)))

    def op(self, op: Op) -> None:
        """An operation on complex numbers in real ones."""
        self.span = op.span
        if Kind.COMPLEX not in (op.result.type.kind, *(arg.type.kind for arg in op.args)):
            super().op(op)
            return
        found = self.rule(op)
        if op.result.type.kind is Kind.COMPLEX:
            self.pairs[op.result] = found[0].value, found[-1].value
        else:
            self.env[op.result] = found[0].value

    def rule(self, op: Op) -> Sequence[Real]:
        """The parts of the result, or the result alone if it is not complex."""
        if op.is_const:
            return self.constant(op.attr("value"))
        row = TABLE[op.name]
        if op.name in BY_PARTS or row.moves:
            return self.by_parts(op)
        if op.name == "complex":
            return [self.real(self.wide(self.see((arg,))[0], op.result.type.shape)) for arg in op.args]
        pairs = [self.pair(arg) for arg in op.args]
        if op.name in RULES:
            return RULES[op.name](*pairs)
        if op.name == "div":
            return quotient(pairs[0], pairs[1], op.by is By.NUMPY or bool(op.result.type.shape))
        if op.name in FUNCTIONS and op.result.type.kind is Kind.COMPLEX:
            return self.function(op, pairs[0])
        if op.name == "matmul":
            (a, b), (c, d) = pairs
            return a.call("matmul", c) - b.call("matmul", d), a.call("matmul", d) + b.call("matmul", c)
        if op.name in FOURIER:
            sign, axis = FOURIER[op.name], op.attr("axis")
            assert isinstance(axis, int)
            found, size = fourier(pairs[0], axis, sign), op.result.type.shape[axis]
            return found if sign < 0 else (found[0] * (1.0 / size), found[1] * (1.0 / size))
        return self.put_together(op)

    def real(self, value: Value) -> Real:
        """A value as formulas have it."""
        return Real(value, self)

    def pair(self, value: Value) -> Pair:
        """The parts of a value; what is real has none of the second."""
        parts = self.see((value,))
        real = self.real(self.fit(parts[0], Type(Kind.REAL)))
        return (real, self.real(parts[1])) if len(parts) == 2 else (real, self.real(self.filled(self.const(0.0), value.type.shape)))

    def wide(self, value: Value, shape: tuple[int, ...]) -> Value:
        """The value repeated up to a shape."""
        return value if value.type.shape == shape else self.repeated(value, shape)

    def constant(self, value: Attr) -> Pair:
        """The parts of a constant."""
        return self.real(self.const(_part(value, "real"))), self.real(self.const(_part(value, "imag")))

    def by_parts(self, op: Op) -> Pair:
        """The same operation on the real parts and on the imaginary parts of all that is a quantity."""
        row = TABLE[op.name]
        quantity = [not isinstance(row.slope, Slope) or row.slope.of(place) is not None for place in range(len(op.args))]
        both = [self.pair(arg) if is_quantity else (self.real(self.see((arg,))[0]),) * 2
                for arg, is_quantity in zip(op.args, quantity, strict=True)]
        one, other = (self.add(op.name, *(parts[place].value for parts in both), attrs=op.attrs) for place in (0, 1))
        return self.real(one), self.real(other)

    def put_together(self, op: Op) -> Sequence[Real]:
        """The operation itself, of complex numbers made of parts."""
        args = [self.add("complex", *(part.value for part in self.pair(arg))) if arg.type.kind is Kind.COMPLEX else self.see((arg,))[0]
                for arg in op.args]
        result = self.fresh.value(op.result.type)
        self.out.append(Op(result, op.name, tuple(args), op.attrs, op.span, op.by))
        if op.result.type.kind is not Kind.COMPLEX:
            return (self.real(result),)
        return self.real(self.add("real", result)), self.real(self.add("imag", result))

    def function(self, op: Op, z: Pair) -> Pair:
        """A function of finite numbers by its formula, and of others by a table that is not asked where all are finite."""
        found = FUNCTIONS[op.name](z)
        finite = z[0].call("isfinite") & z[1].call("isfinite")
        ruled = _has_endless_rule(op.name, z)
        special = ~finite if ruled is None else ~finite & ~ruled
        some = self.real(self.add("any", special.value, attrs=(("axis", None),))) if op.result.type.shape else special
        outer, self.out = self.out, []
        place = self.add("to_int", (_sort(z[0]) * float(len(SORTS)) + _sort(z[1])).value)
        tables = [self.const(tuple(table)) for table in _special_values(op)]
        looked = [self.real(self.add("pick_at", table, place, attrs=(("axis", 0),))) for table in tables]
        then = tuple(special.where(one, other).value for one, other in zip(looked, found, strict=True))
        made, self.out = Block((), tuple(self.out), then), outer
        results = tuple(self.fresh.value(part.value.type) for part in found)
        self.out.append(If(results, some.value, made, Block((), (), tuple(part.value for part in found)), op.span))
        return self.real(results[0]), self.real(results[1])

    def add(self, name: str, *args: Value, attrs: tuple[tuple[str, Attr], ...] = ()) -> Value:
        """Append an operation; `c_hypot` is the one of the C library, which NumPy calls."""
        made = super().add("hypot" if name == "c_hypot" else name, *args, attrs=attrs)
        if name == "c_hypot":
            last = self.out[-1]
            assert isinstance(last, Op)
            self.out[-1] = replace(last, by=By.NUMPY)
        return made


def _part(value: Attr, name: str) -> Attr:
    if isinstance(value, tuple):
        return tuple(_part(item, name) for item in value)
    assert isinstance(value, (bool, int, float, complex))
    return float(getattr(value, name))


def _sort(x: Real) -> Real:
    """The place of a number among `SORTS`."""
    negative = x.const(1.0).call("copysign", x) < 0.0
    plain = x.equals(0.0).where(negative.where(2.0, 3.0), negative.where(1.0, 4.0))
    return x.call("isnan").where(6.0, x.call("isinf").where(negative.where(0.0, 5.0), plain))


def _special_values(op: Op) -> tuple[list[float], list[float]]:
    """What a function of each sort of number is, real and imaginary, by Python or NumPy."""
    single = Op(Value(1, Type(Kind.COMPLEX)), op.name, (Value(0, Type(Kind.COMPLEX)),), op.attrs, by=op.by)
    function = compute(single)
    with np.errstate(all="ignore"):
        values = [function(complex(x, y)) for x in SORTS for y in SORTS]
    return [value.real for value in values], [value.imag for value in values]


def _has_endless_rule(name: str, z: Pair) -> Real | None:
    """Where a formula holds of an infinite part, too."""
    if name in ("exp", "sinh", "cosh", "tanh"):
        x, y = z
    elif name in ("sin", "cos", "tan"):
        y, x = z
    else:
        return None
    return x.call("isinf") & y.call("isfinite") & ~y.equals(0.0)


def _either(name: str) -> Callable[[Pair], Sequence[Real]]:
    return lambda z: (z[0].call(name) | z[1].call(name),)


def _finite(z: Pair) -> Real:
    return z[0].call("isfinite") & z[1].call("isfinite")


def _no_overflow(result: Pair, *operands: Pair) -> Sequence[Real]:
    found = _finite(result)
    for operand in operands:
        found = found | ~_finite(operand)
    return (found,)


def _equal(a: Pair, b: Pair) -> Real:
    return a[0].equals(b[0]) & a[1].equals(b[1])


#: Operations on parts.
RULES: dict[str, Callable[..., Sequence[Real]]] = {
    "to_complex": lambda z: z, "real": lambda z: z[:1], "imag": lambda z: z[1:],
    "conj": lambda z: (z[0], -z[1]), "mul": product, "abs": lambda z: (length(z),), "angle": lambda z: (z[1].call("atan2", z[0]),),
    "eq": lambda a, b: (_equal(a, b),), "ne": lambda a, b: (~_equal(a, b),), "to_bool": lambda z: (~(z[0].equals(0.0) & z[1].equals(0.0)),),
    "isnan": _either("isnan"), "isinf": _either("isinf"), "isfinite": lambda z: (_finite(z),), "no_overflow": _no_overflow,
}
