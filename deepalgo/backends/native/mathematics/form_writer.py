"""`FormWriter`: writes the arithmetic of one function as LLVM, for vectors of any width or for single numbers, with the same bits.

>>> writer = FormWriter("square_and_one", "", 1)
>>> x = writer.argument("%a")
>>> print(writer.defined(writer.fma(x, x, 1.0)))
define internal double @square_and_one(double %a) nounwind willreturn speculatable memory(none) noinline {
  %v1 = call double @llvm.fma.f64(double %a, double %a, double 0x3FF0000000000000)
  ret double %v1
}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from deepalgo.backends.native.text import PURE, number
from deepalgo.kinds import Kind

#: A float that is added so that the sum is rounded to a whole number, which its lowest bits are.
ROUNDER = 1.5 * 2.0**52
#: The bits of 1.0.
ONE_BITS = 1023 << 52


@dataclass(frozen=True, slots=True, eq=False)
class FormValue:
    """A float in each lane."""

    writer: FormWriter
    text: str

    def __add__(self, other: Operand) -> FormValue:
        return self.writer.arithmetic("fadd", self, other)

    def __radd__(self, other: Operand) -> FormValue:
        return self.writer.arithmetic("fadd", other, self)

    def __sub__(self, other: Operand) -> FormValue:
        return self.writer.arithmetic("fsub", self, other)

    def __rsub__(self, other: Operand) -> FormValue:
        return self.writer.arithmetic("fsub", other, self)

    def __mul__(self, other: Operand) -> FormValue:
        return self.writer.arithmetic("fmul", self, other)

    def __rmul__(self, other: Operand) -> FormValue:
        return self.writer.arithmetic("fmul", other, self)

    def __truediv__(self, other: Operand) -> FormValue:
        return self.writer.arithmetic("fdiv", self, other)

    def __rtruediv__(self, other: Operand) -> FormValue:
        return self.writer.arithmetic("fdiv", other, self)

    def __neg__(self) -> FormValue:
        return FormValue(self.writer, self.writer.emit(f"fneg {self.writer.real} {self.text}"))

    def __lt__(self, other: Operand) -> Truth:
        return self.writer.compared("olt", self, other)

    def __le__(self, other: Operand) -> Truth:
        return self.writer.compared("ole", self, other)

    def __gt__(self, other: Operand) -> Truth:
        return self.writer.compared("ogt", self, other)

    def __ge__(self, other: Operand) -> Truth:
        return self.writer.compared("oge", self, other)

    def equals(self, other: Operand) -> Truth:
        """Whether two floats are equal."""
        return self.writer.compared("oeq", self, other)

    def differs(self, other: Operand) -> Truth:
        """Whether two floats are not equal, or NaN."""
        return self.writer.compared("une", self, other)

    @property
    def bits(self) -> Whole:
        """The same bits as a whole number."""
        return Whole(self.writer, self.writer.emit(f"bitcast {self.writer.real} {self.text} to {self.writer.whole}"))


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """64 bits in each lane."""

    writer: FormWriter
    text: str

    def __add__(self, other: Whole | int) -> Whole:
        return self.writer.on_bits("add", self, other)

    def __sub__(self, other: Whole | int) -> Whole:
        return self.writer.on_bits("sub", self, other)

    def __rsub__(self, other: int) -> Whole:
        return self.writer.on_bits("sub", other, self)

    def __and__(self, other: Whole | int) -> Whole:
        return self.writer.on_bits("and", self, other)

    def __or__(self, other: Whole | int) -> Whole:
        return self.writer.on_bits("or", self, other)

    def __xor__(self, other: Whole | int) -> Whole:
        return self.writer.on_bits("xor", self, other)

    def __lshift__(self, places: int) -> Whole:
        return self.writer.on_bits("shl", self, places)

    def __rshift__(self, places: int) -> Whole:
        return self.writer.on_bits("lshr", self, places)

    def differs(self, other: int) -> Truth:
        """Whether two whole numbers are not equal."""
        return Truth(self.writer, self.writer.emit(f"icmp ne {self.writer.whole} {self.text}, {self.writer.bits(other)}"))

    @property
    def real(self) -> FormValue:
        """The same bits as a float."""
        return FormValue(self.writer, self.writer.emit(f"bitcast {self.writer.whole} {self.text} to {self.writer.real}"))


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """A condition in each lane."""

    writer: FormWriter
    text: str

    def __and__(self, other: Truth) -> Truth:
        return self.writer.logic("and", self, other)

    def __or__(self, other: Truth) -> Truth:
        return self.writer.logic("or", self, other)

    def __xor__(self, other: Truth) -> Truth:
        return self.writer.logic("xor", self, other)


Operand: TypeAlias = FormValue | float


class FormWriter:
    """The body of one function; every step is rounded as IEEE 754 has it, and steps are fused only by `fma`."""

    def __init__(self, name: str, libm: str, width: int) -> None:
        self.name, self.libm, self.width = name, libm, width
        self.real, self.whole, self.truth = (self.type(one) for one in ("double", "i64", "i1"))
        self.lines: list[str] = []
        self.arguments: list[str] = []
        #: Declarations that the module needs, by name.
        self.declared: dict[str, str] = {}
        #: Functions beside this one.
        self.beside: list[str] = []

    def type(self, one: str) -> str:
        """The type of a vector of numbers, or of the number."""
        return one if self.width == 1 else f"<{self.width} x {one}>"

    def argument(self, text: str) -> FormValue:
        """An operand of the function."""
        self.arguments.append(text)
        return FormValue(self, text)

    def emit(self, text: str) -> str:
        """Append an instruction and return the name of its result."""
        self.lines.append(f"  %v{len(self.lines) + 1} = {text}")
        return f"%v{len(self.lines)}"

    def constant(self, one: str, text: str) -> str:
        """A number in all lanes."""
        return text if self.width == 1 else f"splat ({one} {text})"

    def operand(self, value: Operand) -> str:
        """A float as an operand."""
        return value.text if isinstance(value, FormValue) else self.constant("double", number(value, Kind.REAL))

    def bits(self, value: Whole | int) -> str:
        """A whole number as an operand."""
        return value.text if isinstance(value, Whole) else self.constant("i64", str(value))

    def filled(self, value: float) -> FormValue:
        """A known float."""
        return FormValue(self, self.operand(value))

    def arithmetic(self, name: str, first: Operand, second: Operand) -> FormValue:
        """A step with floats."""
        return FormValue(self, self.emit(f"{name} {self.real} {self.operand(first)}, {self.operand(second)}"))

    def compared(self, word: str, first: Operand, second: Operand) -> Truth:
        """A comparison of floats."""
        return Truth(self, self.emit(f"fcmp {word} {self.real} {self.operand(first)}, {self.operand(second)}"))

    def on_bits(self, name: str, first: Whole | int, second: Whole | int) -> Whole:
        """A step with bits."""
        return Whole(self, self.emit(f"{name} {self.whole} {self.bits(first)}, {self.bits(second)}"))

    def logic(self, name: str, first: Truth, second: Truth) -> Truth:
        """A step with conditions."""
        return Truth(self, self.emit(f"{name} {self.truth} {first.text}, {second.text}"))

    def intrinsic(self, name: str, *operands: Operand) -> FormValue:
        """A function of LLVM's own."""
        full = f"llvm.{name}.{'f64' if self.width == 1 else f'v{self.width}f64'}"
        self.declared[full] = f"declare {self.real} @{full}({', '.join([self.real] * len(operands))})"
        given = ", ".join(f"{self.real} {self.operand(operand)}" for operand in operands)
        return FormValue(self, self.emit(f"call {self.real} @{full}({given})"))

    def fma(self, a: Operand, b: Operand, c: Operand) -> FormValue:
        """`a * b + c`, rounded once."""
        return self.intrinsic("fma", a, b, c)

    def absolute(self, x: FormValue) -> FormValue:
        """The absolute value."""
        return self.intrinsic("fabs", x)

    def sqrt(self, x: FormValue) -> FormValue:
        """The square root."""
        return self.intrinsic("sqrt", x)

    def signed(self, x: FormValue, sign: FormValue) -> FormValue:
        """A float with the sign of another."""
        return self.intrinsic("copysign", x, sign)

    def select(self, condition: Truth, then: Operand, orelse: Operand) -> FormValue:
        """One of two floats."""
        chosen = f"{self.real} {self.operand(then)}, {self.real} {self.operand(orelse)}"
        return FormValue(self, self.emit(f"select {self.truth} {condition.text}, {chosen}"))

    def polynomial(self, x: FormValue, coefficients: Sequence[float]) -> FormValue:
        """A polynomial, the lowest power first; even and odd powers apart, so that half of the steps need not wait for the others."""
        square = x * x
        even, odd = self.horner(square, coefficients[::2]), self.horner(square, coefficients[1::2])
        return self.fma(odd, x, even)

    def horner(self, x: FormValue, coefficients: Sequence[float]) -> FormValue:
        """A polynomial, the lowest power first, one step after the other."""
        found = self.filled(coefficients[-1])
        for value in reversed(coefficients[:-1]):
            found = self.fma(found, x, value)
        return found

    def call_for(self, lanes: Truth, arguments: Sequence[FormValue], otherwise: FormValue) -> FormValue:
        """The function of the C library for some lanes, one by one, where there are any; the others have a result."""
        rare = f"rare.{self.name}"
        self.beside += self._rare(rare, len(arguments))
        # A mask is handed over as a whole number: LLVM fails to pass some vectors of truth values.
        word, bits = f"i{self.width}", lanes.text
        found = bits
        if self.width > 1:
            bits = self.emit(f"bitcast {self.truth} {lanes.text} to {word}")
            found = self.emit(f"icmp ne {word} {bits}, 0")
        place = len(self.lines)
        before = f"before.{place}"
        given = ", ".join(f"{self.real} {argument.text}" for argument in arguments)
        # Blocks are lines without a result, so that names of results stay the numbers of lines.
        self.lines += [
            f"  br label %{before}", f"{before}:", f"  br i1 {found}, label %rare.{place}, label %after.{place}", f"rare.{place}:",
            f"  %v{place + 5} = call {self.real} @{rare}({word} {bits}, {self.real} {otherwise.text}, {given})",
            f"  br label %after.{place}", f"after.{place}:",
        ]
        return FormValue(self, self.emit(f"phi {self.real} [ {otherwise.text}, %{before} ], [ %v{place + 5}, %rare.{place} ]"))

    def _rare(self, name: str, count: int) -> list[str]:
        """A function that replaces the results of some lanes by those of the C library."""
        letters = [f"%{letter}" for letter in "abc"[:count]]
        self.declared[self.libm] = f"declare double @{self.libm}({', '.join(['double'] * count)}) {PURE}"
        head = ", ".join([f"i{self.width} %bits", f"{self.real} %found", *(f"{self.real} {letter}" for letter in letters)])
        lines = [f"define internal {self.real} @{name}({head}) {PURE} noinline cold {{"]
        held = "%found"
        if self.width > 1:
            lines.append(f"  %lanes = bitcast i{self.width} %bits to {self.truth}")
        for lane in range(self.width):
            given = ", ".join(f"double {letter}" if self.width == 1 else f"double {letter}{lane}" for letter in letters)
            if self.width == 1:
                return [*lines, f"  %r = call double @{self.libm}({given})", "  ret double %r", "}"]
            lines += [
                f"  %m{lane} = extractelement {self.truth} %lanes, i64 {lane}", f"  br i1 %m{lane}, label %call{lane}, label %skip{lane}",
                f"call{lane}:", *(f"  {letter}{lane} = extractelement {self.real} {letter}, i64 {lane}" for letter in letters),
                f"  %r{lane} = call double @{self.libm}({given})",
                f"  %n{lane} = insertelement {self.real} {held}, double %r{lane}, i64 {lane}", f"  br label %after{lane}",
                f"skip{lane}:", f"  br label %after{lane}", f"after{lane}:",
                f"  %h{lane} = phi {self.real} [ %n{lane}, %call{lane} ], [ {held}, %skip{lane} ]",
            ]
            held = f"%h{lane}"
        return [*lines, f"  ret {self.real} {held}", "}"]

    def defined(self, result: FormValue) -> str:
        """The text of the function."""
        head = ", ".join(f"{self.real} {argument}" for argument in self.arguments)
        first = f"define internal {self.real} @{self.name}({head}) {PURE} noinline {{"
        return "\n".join([*self.beside, first, *self.lines, f"  ret {self.real} {result.text}", "}"])
