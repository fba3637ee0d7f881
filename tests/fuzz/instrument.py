"""Runs a program's own text with every decision written down and every float literal within reach.

The instrumented text computes what the original computes. Two runs with equal `path` took the same arms, made the same number of
rounds, rounded to the same whole numbers and stayed on the same side of every kink, so the program is smooth between them.

>>> program = Program(0, "def f(x):\\n    return 2.0 if x > 1.0 else x\\n", "f", ({"x": 0.5},), {})
>>> runs = Instrumented(program)
>>> runs.run(0).value, [(item.line, item.column, item.value) for item in runs.literals]
(0.5, [(2, 22, 1.0), (2, 11, 2.0)])
>>> runs.run(0, change={"x": 1.5}).value, runs.run(0, change={"x": 1.5}, literals={1: 3.0}).value
(2.0, 3.0)
"""

from __future__ import annotations

import ast
import cmath
import copy
import math
import random
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.fuzz import numpy_kinks
from tests.fuzz.program import Program

MOST_EVENTS = 20_000


@dataclass(frozen=True, slots=True)
class Literal:
    """A float that stands in the text: its place, its value, and the number it has in `Instrumented.literals`."""

    line: int
    column: int
    end_column: int
    value: float
    index: int


@dataclass(frozen=True, slots=True)
class Result:
    """What one call did. `error` is the name of an exception's class, raised at `line`; `left` is what is in the arguments afterwards."""

    value: Any
    error: str
    line: int
    path: tuple[Any, ...] = field(repr=False)
    left: list[Any] = field(default_factory=list, repr=False)

    @property
    def complex(self) -> bool:
        return any(isinstance(item, complex) for item in flat(self.value))


class Endless(Exception):
    """A call that takes too many decisions."""


class Instrumented:
    """A program made observable. The module is executed anew for each change of a literal, as a person would edit it."""

    def __init__(self, program: Program, file: str = "<program>") -> None:
        self.program = program
        self.file = file
        tree = ast.parse(program.source)
        rewriter = _Rewriter()
        instrumented = ast.fix_missing_locations(rewriter.visit(tree))
        self.literals: list[Literal] = rewriter.literals
        self.loops: set[int] = rewriter.loops
        self._code = compile(instrumented, file, "exec", dont_inherit=True)
        self._modules: dict[tuple[tuple[int, float], ...], dict[str, Any]] = {}
        self._events: list[Any] = []
        self._noise: random.Random | None = None

    def run(self, sample: int, change: dict[str, Any] | None = None, literals: dict[int, float] | None = None,
            noise: int | None = None) -> Result:
        """Call the program on a sample, with inputs or literals changed; with `noise`, library functions are off by an ulp."""
        given = copy.deepcopy({**self.program.samples[sample], **(change or {})})
        positional, keyword = self.program.arrange(given)
        self._events = []
        self._noise = None if noise is None else random.Random(noise)
        value, error, line = None, "", 0
        try:
            function = self._module(literals or {})[self.program.entry]
            with np.errstate(all="ignore"):
                value = function(*positional, **keyword)
        except Exception as raised:  # the class is the answer
            error, line = type(raised).__name__, self._line(raised)
        return Result(copy.deepcopy(value), error, line, tuple(self._events), flat([given[name] for name in self.program.inputs()]))

    def _line(self, raised: Exception) -> int:
        lines = [frame.lineno for frame in traceback.extract_tb(raised.__traceback__) if frame.filename == self.file]
        return lines[-1] or 0 if lines else 0

    def _module(self, changed: dict[int, float]) -> dict[str, Any]:
        key = tuple(sorted(changed.items()))
        if key not in self._modules:
            if len(self._modules) > 64:
                self._modules.clear()
            values = [changed.get(literal.index, literal.value) for literal in self.literals]
            module = {"__name__": "program", "_w": values, "_seen": self._seen, "_kink": self._kink, "_blur": self._blur,
                      "_operator": self._operator, "_method": self._method}
            exec(self._code, module)
            self._modules[key] = module
        return self._modules[key]

    def _note(self, event: Any) -> None:
        self._events.append(event)
        if len(self._events) > MOST_EVENTS:
            raise Endless

    def _seen(self, place: int, value: Any) -> Any:
        """A truth value that decides something."""
        self._note((place, tuple(value.ravel().tolist()) if isinstance(value, np.ndarray) else bool(value)))
        return value

    def _kink(self, place: int, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A call of a function that has kinks or jumps: note on which side of them it is."""
        if function in (min, max) and len(args) == 1:
            args = (list(args[0]),)
        before = copy.deepcopy(args) if numpy_kinks.changes_arguments(function) else args
        result = function(*args, **kwargs)
        side = numpy_kinks.side(function, before, kwargs, result)
        if side is not None:
            self._note((place, side))
            return result
        self._note((place, _side(function, args, kwargs, result)))
        return result

    def _method(self, place: int, owner: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        """A method that arrays have: what the function of that name has as kinks."""
        method = getattr(owner, name)
        if not isinstance(owner, np.ndarray):
            return method(*args, **kwargs)
        return self._blur(self._kink(place, getattr(np, name), owner, *args, **kwargs))

    def _operator(self, place: int, name: str, left: Any, right: Any) -> Any:
        """`%` and `//`: note the whole number of times that the right side fits. `**`: note whether the slope is infinite here."""
        if name == "**":
            result = left**right
            self._note((place, _is_steep(left, right)))
            return result
        result = left % right if name == "%" else left // right
        if isinstance(left, (int, float, np.ndarray)):
            whole = left // right
            self._note((place, tuple(whole.ravel().tolist()) if isinstance(whole, np.ndarray) else whole))
        return result

    def _blur(self, value: Any) -> Any:
        """What a library function returns, in the last place up or down when noise is on."""
        if self._noise is not None and isinstance(value, np.ndarray) and value.dtype == np.float64:
            return value * (1.0 + np.array([self._noise.choice((-1, 0, 1)) for _ in range(value.size)]).reshape(value.shape) * 2.0**-52)
        if self._noise is None or not isinstance(value, float) or not math.isfinite(value):
            return value
        return value * (1.0 + self._noise.choice((-1, 0, 1)) * 2.0**-52)


def _side(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    if function in (abs, math.fabs) and isinstance(args[0], complex):
        return args[0] == 0
    if function in CUT:
        z = complex(args[0])
        return ((z.real > 0) - (z.real < 0), (z.imag > 0) - (z.imag < 0))
    if function in (abs, math.fabs):
        return tuple(np.sign(args[0]).ravel().tolist()) if isinstance(args[0], np.ndarray) else bool(args[0] > 0) - bool(args[0] < 0)
    if function in (min, max):
        items = list(args[0]) if len(args) == 1 else list(args)
        key = kwargs.get("key") or (lambda item: item)
        keys = [key(item) for item in items]
        best = function(keys)
        return (tuple(number for number, item in enumerate(keys) if item == best), tuple(bool(item > 0) - bool(item < 0) for item in keys)
                if "key" in kwargs else 0)
    if function is math.copysign:
        return (math.copysign(1.0, args[1]), bool(args[0] > 0) - bool(args[0] < 0))
    if function in (math.fmod, math.remainder):
        return round((args[0] - result) / args[1])
    if function in (math.modf, math.frexp, divmod):
        whole = result[0] if function is divmod else result[1]
        return (whole, args[0] > 0)
    if function in (math.atan2, math.hypot, math.dist):
        return tuple(bool(item > 0) - bool(item < 0) for item in args) if function is math.atan2 else result > 0
    if function is math.pow:
        return _is_steep(*args)
    if function in ENDPOINTS:
        return abs(args[0]) == ENDPOINTS[function]
    if isinstance(result, float) and function in (round,):
        return result
    return result if isinstance(result, (int, bool)) else None


def _is_steep(base: Any, exponent: Any) -> bool:
    """Whether a power stands at zero with a slope that is not finite: `sqrt(x)` by another name."""
    if isinstance(base, np.ndarray) or isinstance(exponent, (complex, np.ndarray)):
        return bool(np.any((base == 0) & (0 < np.abs(exponent)) & (np.abs(exponent) < 1)))
    return bool(base == 0 and 0 < abs(exponent) < 1)


#: The magnitude at which these have no finite derivative. What comes before may turn back there: `sqrt(x ** 2)`, `acos(cos(x))`.
ENDPOINTS: dict[Callable[..., Any], float] = {math.sqrt: 0.0, math.cbrt: 0.0, math.asin: 1.0, math.acos: 1.0, math.acosh: 1.0}

#: Complex functions with a cut along an axis.
CUT = frozenset({cmath.sqrt, cmath.log, cmath.phase, cmath.polar})

#: Library functions with kinks, jumps or whole numbers as answers.
KINKED = {"abs", "min", "max", "round", "int", "bool", "divmod", "isinstance", "any", "all"}
KINKED_MATH = {"fabs", "floor", "ceil", "trunc", "copysign", "fmod", "remainder", "modf", "frexp", "atan2", "hypot", "dist", "isclose",
               "isnan", "isinf", "isfinite", "comb", "factorial", "gcd", "isqrt", "sqrt", "cbrt", "asin", "acos", "acosh", "pow"}


class _Rewriter(ast.NodeTransformer):
    """Float literals become `_w[i]`; decisions, kinks and library functions report to the recorder."""

    def __init__(self) -> None:
        self.literals: list[Literal] = []
        self.loops: set[int] = set()
        self._place = 0
        self._modules: set[str] = set()
        self._imported: dict[str, str] = {}

    def _call(self, name: str, node: ast.expr, *args: ast.expr, at: int | None = None) -> ast.Call:
        self._place += 1
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [ast.Constant(at or self._place), *args], []), node)

    def _decide(self, node: ast.expr) -> ast.expr:
        return self._call("_seen", node, node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, float):
            return node
        index = len(self.literals)
        self.literals.append(Literal(node.lineno, node.col_offset, node.end_col_offset or 0, node.value, index))
        return ast.copy_location(ast.Subscript(ast.Name("_w", ast.Load()), ast.Constant(index), ast.Load()), node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.test = self._decide(node.test)
        return node

    visit_IfExp = visit_Assert = visit_If  # type: ignore[assignment]  # all have a test

    def visit_While(self, node: ast.While) -> ast.AST:
        self.visit_If(node)  # type: ignore[arg-type]  # it has a test as well
        self.loops.add(self._place)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.values = [*(self._decide(value) for value in node.values[:-1]), node.values[-1]]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = self._decide(node.operand)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        return self._decide(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs = [self._decide(test) for test in node.ifs]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.Mod, ast.FloorDiv)):
            return self._call("_operator", node, ast.Constant("%" if isinstance(node.op, ast.Mod) else "//"), node.left, node.right)
        if isinstance(node.op, ast.Pow):
            return self._blurred(self._call("_operator", node, ast.Constant("**"), node.left, node.right))
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.op, (ast.Mod, ast.FloorDiv, ast.Pow)) and isinstance(node.target, ast.Name):
            read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            value = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
            return self.visit(ast.copy_location(ast.Assign([node.target], value), node))
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id="np") | ast.Attribute(value=ast.Name(id="np")) | ast.Name(id="cmath")):
                return self._blurred(self._kinked(node))
            case ast.Attribute(value=owner, attr=name) if name in numpy_kinks.METHODS and not node.args[1:]:
                call = self._call("_method", node, owner, ast.Constant(name), *node.args)
                call.keywords = node.keywords
                return call
            case ast.Name(id=name) if name in self._imported:
                return self._mathematical(node, self._imported[name])
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in self._modules:
                return self._mathematical(node, name)
            case ast.Name(id=name) if name in KINKED:
                return self._kinked(node)
        return node

    def _mathematical(self, node: ast.Call, name: str) -> ast.Call:
        return self._blurred(self._kinked(node) if name in KINKED_MATH else node)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        self._modules |= {item.asname or item.name for item in node.names if item.name == "math"}
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.module == "math":
            self._imported |= {item.asname or item.name: item.name for item in node.names}
        return node

    def _kinked(self, node: ast.Call) -> ast.Call:
        call = self._call("_kink", node, node.func, *node.args)
        call.keywords = node.keywords
        return call

    def _blurred(self, node: ast.expr) -> ast.Call:
        return ast.copy_location(ast.Call(ast.Name("_blur", ast.Load()), [node], []), node)


def flat(value: Any) -> list[Any]:
    """The leaves of a returned structure, in reading order."""
    match value:
        case tuple() | list():
            return [leaf for item in value for leaf in flat(item)]
        case dict():
            return [leaf for item in value.values() for leaf in flat(item)]
        case np.ndarray():
            return list(value.ravel().tolist())
        case np.generic():
            return [value.item()]
        case _:
            return [value]
