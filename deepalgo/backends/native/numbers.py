"""How each operation on single numbers is computed natively: the table of spellings of this backend.

What is Python's own is computed as CPython does it: `math` by the C library that CPython calls, `%` and `//` by the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from deepalgo.backends.native.elementary import comb, logaddexp, sinc
from deepalgo.backends.native.exact_sum import fsum
from deepalgo.backends.native.exponents import exponent, left_shift, mantissa, whole_power
from deepalgo.backends.native.gamma import gamma, lgamma
from deepalgo.backends.native.hypot import hypot
from deepalgo.backends.native.known_powers import powers, whole
from deepalgo.backends.native.special import find
from deepalgo.backends.native.text import LANES, Cell, Code, Unsupported, literal
from deepalgo.ir import By
from deepalgo.kinds import Kind

BOOL, INT, REAL = Kind.BOOL, Kind.INT, Kind.REAL
ZERO, ONE = literal(0.0, REAL), literal(1.0, REAL)
NOUGHT, UNIT = literal(0, INT), literal(1, INT)


class NumberForms:
    """Writes operations on numbers into a code; `declared` and `libm` are what the module has to declare and define.

    `special` are the addresses of functions that are not in the C library, and `called` names the functions that are called.
    """

    def __init__(self, code: Code) -> None:
        self.code = code
        self.declared: dict[str, str] = {}
        self.libm: set[tuple[str, int]] = set()
        self.called: set[str] = set()
        self.special: dict[str, int] = {}
        #: Whether powers by known whole exponents are products.
        self.multiplies = False

    def beside(self, code: Code) -> NumberForms:
        """The same forms in another function of the module."""
        found = NumberForms(code)
        found.declared, found.libm, found.called, found.special = self.declared, self.libm, self.called, self.special
        found.multiplies = self.multiplies
        return found

    def call(self, name: str, *cells: Cell) -> Cell:
        """A function of the C library, lane by lane."""
        level = self.code.level(cells)
        first = level[0]
        self.libm.add((name, len(cells)))
        callee = f"lanes.{name}" if first.wide else f"one.{name}"
        self.called.add(callee)
        return Cell(self.code.emit(f"call {first.type} @{callee}({', '.join(cell.typed for cell in level)})"), REAL, first.wide)

    def intrinsic(self, name: str, *cells: Cell) -> Cell:
        """A function of LLVM's own."""
        return self.code.intrinsic(name, *cells, declared=self.declared)

    def compare(self, word: str, first: Cell, second: Cell) -> Cell:
        """A comparison of two numbers of one kind; with NaN only `ne` holds."""
        if first.kind is REAL:
            return self.code.op(f"fcmp {'u' if word == 'ne' else 'o'}{word}", first, second, kind=BOOL)
        sign = "" if word in ("eq", "ne") else "u" if first.kind is BOOL else "s"
        return self.code.op(f"icmp {sign}{word}", first, second, kind=BOOL)

    def opposite(self, cell: Cell) -> Cell:
        """`not`."""
        return self.code.op("xor", cell, literal(True, BOOL))

    def finite(self, x: Cell) -> Cell:
        """Neither infinite nor NaN."""
        return self.code.op("fcmp olt", self.intrinsic("fabs", x), literal(float("inf"), REAL), kind=BOOL)

    def cast(self, cell: Cell, kind: Kind) -> Cell:
        """The number in another kind, as `float`, `int` and `bool` have it; what fits no whole number is the smallest one, as in NumPy."""
        if cell.kind is kind:
            return cell
        target = Cell("", kind, cell.wide).type
        match cell.kind, kind:
            case (Kind.BOOL, Kind.REAL):
                return Cell(self.code.emit(f"uitofp {cell.typed} to {target}"), kind, cell.wide)
            case (Kind.INT, Kind.REAL):
                return Cell(self.code.emit(f"sitofp {cell.typed} to {target}"), kind, cell.wide)
            case (Kind.BOOL, Kind.INT):
                return Cell(self.code.emit(f"zext {cell.typed} to {target}"), kind, cell.wide)
            case (Kind.REAL, Kind.INT):
                name = f"llvm.fptosi.sat.{f'v{LANES}i64.v{LANES}f64' if cell.wide else 'i64.f64'}"
                self.declared[name] = f"declare {target} @{name}({cell.type})"
                near = Cell(self.code.emit(f"call {target} @{name}({cell.typed})"), kind, cell.wide)
                return self.code.choose(self.compare("lt", cell, literal(2.0**63, REAL)), near, literal(-(2**63), INT))
            case (_, Kind.BOOL):
                return self.compare("ne", cell, literal(0, cell.kind))
        raise Unsupported(f"a {cell.kind.name.lower()} number as {kind.name.lower()}")

    def apply(self, name: str, cells: Sequence[Cell], by: By = By.PYTHON) -> Cell:
        """An operation of the table on single numbers of one kind."""
        if by is By.NUMPY and name in NUMPYS:
            return NUMPYS[name](self, *cells)
        kind = max((cell.kind for cell in cells), default=REAL)
        table = REALS if kind is REAL else WHOLES if kind is INT else TRUTHS
        found = table.get(name) or ANY.get(name)
        if found is None and kind is REAL and (address := find(name)) is not None:
            self.special[name] = address
            return self.call(name, *cells)
        if found is None:
            raise Unsupported(f"{name} of {kind.name.lower()} numbers")
        return found(self, *cells)


Form: TypeAlias = Callable[..., Cell]


def _instruction(name: str) -> Form:
    return lambda n, *cells: n.code.op(name, *cells)


def _libm(name: str) -> Form:
    return lambda n, *cells: n.call(name, *cells)


def _llvm(name: str) -> Form:
    return lambda n, *cells: n.intrinsic(name, *cells)


def _compared(word: str) -> Form:
    return lambda n, x, y: n.compare(word, x, y)


def _scaled(factor: float) -> Form:
    return lambda n, x: n.code.op("fmul", x, literal(factor, REAL))


def _differ_in_sign(n: NumberForms, x: Cell, y: Cell) -> Cell:
    return n.code.op("xor", n.compare("lt", x, ZERO), n.compare("lt", y, ZERO))


def _mod(n: NumberForms, x: Cell, y: Cell) -> Cell:
    """`x % y`: the remainder of C, brought to the sign of the divisor."""
    rest = n.call("fmod", x, y)
    moved = n.code.choose(_differ_in_sign(n, y, rest), n.code.op("fadd", rest, y), rest)
    return n.code.choose(n.compare("ne", rest, ZERO), moved, n.intrinsic("copysign", ZERO, y))


def _floordiv(n: NumberForms, x: Cell, y: Cell) -> Cell:
    """`x // y`: what is left of the remainder, divided, and rounded to the whole number that it is next to; by zero as NumPy does."""
    code = n.code
    rest = n.call("fmod", x, y)
    share = code.op("fdiv", code.op("fsub", x, rest), y)
    is_less = code.op("and", n.compare("ne", rest, ZERO), _differ_in_sign(n, y, rest))
    share = code.choose(is_less, code.op("fsub", share, ONE), share)
    whole = n.intrinsic("floor", share)
    above = n.compare("gt", code.op("fsub", share, whole), literal(0.5, REAL))
    whole = code.choose(above, code.op("fadd", whole, ONE), whole)
    ratio = code.op("fdiv", x, y)
    whole = code.choose(n.compare("ne", share, ZERO), whole, n.intrinsic("copysign", ZERO, ratio))
    return code.choose(n.compare("eq", y, ZERO), ratio, whole)


def _pow(n: NumberForms, x: Cell, y: Cell) -> Cell:
    exponents = whole([y]) if n.multiplies else None
    return powers(n, x, exponents)[exponents[0]] if exponents is not None else n.call("pow", x, y)


def _safe_divisor(n: NumberForms, y: Cell) -> Cell:
    """Never zero, as a machine stops there; such a sample fails its check."""
    return n.code.choose(n.compare("eq", y, NOUGHT), UNIT, y)


def _whole_parts(n: NumberForms, x: Cell, y: Cell) -> tuple[Cell, Cell]:
    """The quotient, rounded down, and the rest of whole numbers."""
    code = n.code
    minus = n.compare("eq", y, literal(-1, INT))
    divisor = code.choose(minus, UNIT, _safe_divisor(n, y))
    quotient, rest = code.op("sdiv", x, divisor), code.op("srem", x, divisor)
    differ = code.op("xor", n.compare("lt", rest, NOUGHT), n.compare("lt", divisor, NOUGHT))
    is_less = code.op("and", n.compare("ne", rest, NOUGHT), differ)
    quotient = code.choose(is_less, code.op("sub", quotient, UNIT), quotient)
    rest = code.choose(is_less, code.op("add", rest, divisor), rest)
    return code.choose(minus, code.op("sub", NOUGHT, x), quotient), rest


def _sign(n: NumberForms, x: Cell) -> Cell:
    above, below = n.cast(n.compare("gt", x, ZERO), REAL), n.cast(n.compare("lt", x, ZERO), REAL)
    return n.code.choose(n.compare("eq", x, x), n.code.op("fsub", above, below), x)


def _no_overflow(n: NumberForms, result: Cell, *cells: Cell) -> Cell:
    found = n.finite(n.cast(result, REAL))
    for cell in cells:
        found = n.code.op("or", found, n.opposite(n.finite(n.cast(cell, REAL))))
    return found


def _quotient(n: NumberForms, x: Cell, y: Cell) -> Cell:
    return n.code.op("fdiv", x, y)


def _either(word: str, *, keep: str) -> Form:
    """The smaller or larger of two; `keep` says which operand wins with NaN: the one that is NaN, or the other."""

    def form(n: NumberForms, x: Cell, y: Cell) -> Cell:
        nan = n.code.op("fcmp uno", y, y, kind=BOOL) if keep == "nan" else n.code.op("fcmp uno", x, x, kind=BOOL)
        return n.code.choose(n.code.op("or", n.compare(word, y, x), nan), y, x)

    return form


def _python_choice(word: str) -> Form:
    return lambda n, x, y: n.code.choose(n.compare(word, y, x), y, x)


def _or_inf(n: NumberForms, x: Cell) -> Cell:
    return _python_choice("lt")(n, literal(float("inf"), REAL), x)


def _in_reals(form: Form) -> Form:
    return lambda n, *cells: form(n, *(n.cast(cell, REAL) for cell in cells))


LIBM = (
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "erf", "erfc", "cbrt", "fmod", "atan2", "remainder",
)
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")

def _shift(n: NumberForms, x: Cell, y: Cell, name: str) -> Cell:
    """Shifts by a number of bits that a machine can shift by; a sample with a negative number fails its check."""
    places = _python_choice("lt")(n, _python_choice("gt")(n, y, NOUGHT), literal(63, INT))
    return n.code.op(name, x, places)


#: Of real numbers.
REALS: dict[str, Form] = {
    **{name: _libm(name) for name in LIBM},
    **{name: _compared(name) for name in COMPARISONS},
    "add": _instruction("fadd"), "sub": _instruction("fsub"), "mul": _instruction("fmul"), "div": _instruction("fdiv"),
    "neg": _instruction("fneg"), "pos": lambda n, x: x, "quotient": _quotient, "mod": _mod, "floordiv": _floordiv,
    "abs": _llvm("fabs"), "sqrt": _llvm("sqrt"), "floor": _llvm("floor"), "ceil": _llvm("ceil"), "trunc": _llvm("trunc"),
    "rint": _llvm("roundeven"), "copysign": _llvm("copysign"), "degrees": _scaled(57.29577951308232),
    "radians": _scaled(0.017453292519943295), "sign": _sign,
    "isnan": lambda n, x: n.code.op("fcmp uno", x, x, kind=BOOL),
    "isinf": lambda n, x: n.compare("eq", n.intrinsic("fabs", x), literal(float("inf"), REAL)),
    "isfinite": lambda n, x: n.finite(x),
    "min": _python_choice("lt"), "max": _python_choice("gt"),
    "minimum": _either("lt", keep="nan"), "maximum": _either("gt", keep="nan"),
    "fmin": _either("lt", keep="other"), "fmax": _either("gt", keep="other"),
    "pow": _pow, "hypot": hypot, "fsum": fsum, "gamma": gamma, "lgamma": lgamma, "logaddexp": logaddexp, "sinc": sinc, "mantissa": mantissa,
    "exponent": exponent, "angle": lambda n, x: n.call("atan2", ZERO, x), "or_inf": _or_inf, "at_root": lambda n, x, y, z: x,
    "comb": comb,
    "real": lambda n, x: x, "conj": lambda n, x: x, "imag": lambda n, x: ZERO,
}
#: Of real numbers where NumPy calls something else than Python does.
NUMPYS: dict[str, Form] = {"hypot": _libm("hypot")}
#: Of whole numbers.
WHOLES: dict[str, Form] = {
    **{name: _compared(name) for name in COMPARISONS},
    "add": _instruction("add"), "sub": _instruction("sub"), "mul": _instruction("mul"), "neg": lambda n, x: n.code.op("sub", NOUGHT, x),
    "pos": lambda n, x: x, "floordiv": lambda n, x, y: _whole_parts(n, x, y)[0], "mod": lambda n, x, y: _whole_parts(n, x, y)[1],
    "abs": lambda n, x: n.code.choose(n.compare("lt", x, NOUGHT), n.code.op("sub", NOUGHT, x), x),
    "min": _python_choice("lt"), "max": _python_choice("gt"), "minimum": _python_choice("lt"), "maximum": _python_choice("gt"),
    "bitand": _instruction("and"), "bitor": _instruction("or"), "bitxor": _instruction("xor"), "pow": whole_power,
    "lshift": left_shift, "rshift": lambda n, x, y: _shift(n, x, y, "ashr"),
    "invert": lambda n, x: n.code.op("xor", x, literal(-1, INT)),
    "sign": lambda n, x: n.code.op("sub", n.cast(n.compare("gt", x, NOUGHT), INT), n.cast(n.compare("lt", x, NOUGHT), INT)),
}
#: Of truth values.
TRUTHS: dict[str, Form] = {
    **{name: _compared(name) for name in COMPARISONS},
    "and": _instruction("and"), "or": _instruction("or"), "xor": _instruction("xor"), "not": lambda n, x: n.opposite(x),
    "bitand": _instruction("and"), "bitor": _instruction("or"), "bitxor": _instruction("xor"), "min": _instruction("and"),
    "max": _instruction("or"), "minimum": _instruction("and"), "maximum": _instruction("or"),
}
#: Of numbers of any kind.
ANY: dict[str, Form] = {
    "to_real": lambda n, x: n.cast(x, REAL), "to_int": lambda n, x: n.cast(x, INT), "to_bool": lambda n, x: n.cast(x, BOOL),
    "no_overflow": _no_overflow,
    "isnan": lambda n, x: literal(False, BOOL), "isinf": lambda n, x: literal(False, BOOL), "isfinite": lambda n, x: literal(True, BOOL),
}
