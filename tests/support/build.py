"""Programs by hand, for tests of what comes after the front end.

>>> b = Builder()
>>> x = b.input("x")
>>> print(b.program(b.op("mul", x, 2.0, name="y")))
f(x: real)
  %y = mul %x 2.0
  return %y
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deepalgo.ir import (
    Attr,
    Block,
    Check,
    Handler,
    If,
    Input,
    Kind,
    Leaf,
    Loop,
    Op,
    Program,
    Statement,
    Tree,
    Try,
    Type,
    Value,
    Weight,
    While,
)
from deepalgo.ir import Sequence as SequenceTree
from deepalgo.ops.table import infer
from deepalgo.spans import Span

REAL = Type(Kind.REAL)
TEXT = "    y = f(x)"
Number = bool | int | float | complex
Results = Value | Sequence[Value]


def span(line: int, text: str = "", file: str = "heuristic.py") -> Span:
    """A place in an imaginary file."""
    return Span(file, line, 0, line, len(text), (text,) if text else ())


class Builder:
    """Records statements in order; regions are given as functions that record their own."""

    def __init__(self) -> None:
        self.count = 0
        self.inputs: list[Input] = []
        self.weights: list[Weight] = []
        self.stack: list[list[Statement]] = [[]]

    def value(self, type: Type, name: str = "") -> Value:
        self.count += 1
        return Value(self.count - 1, type, name)

    def input(self, name: str, type: Type = REAL) -> Value:
        value = self.value(type, name)
        self.inputs.append(Input(name, value))
        return value

    def weight(self, key: str, value: Attr, shape: tuple[int, ...] = (), line: int = 1, frozen: str = "") -> Value:
        if all(weight.key != key for weight in self.weights):
            self.weights.append(Weight(key, value, shape, frozen=frozen, span=span(line)))
        return self._add(Op(self.value(Type(Kind.REAL, shape), key), "weight", (), (("key", key), ("site", ()))))

    def const(self, value: Attr) -> Value:
        attrs = (("value", value),)
        return self._add(Op(self.value(infer("const", (), attrs)), "const", (), attrs))

    def op(self, op: str, *args: Value | Number, name: str = "", line: int = 0, **attrs: Attr) -> Value:
        values = tuple(self.const(arg) if not isinstance(arg, Value) else arg for arg in args)
        type = infer(op, [value.type for value in values], attrs)
        return self._add(Op(self.value(type, name), op, values, tuple(attrs.items()), span(line, TEXT) if line else None, guard=line))

    def check(self, ok: Value, error: str = "ValueError", message: str = "math domain error", *operands: Value, line: int = 7) -> None:
        self.stack[-1].append(Check(ok, error, message, operands, span(line, TEXT), guard=line))

    def when(self, condition: Value, then: Callable[[], Results], orelse: Callable[[], Results], line: int = 3) -> tuple[Value, ...]:
        arms = self.block(then), self.block(orelse)
        results = tuple(self._join(pair) for pair in zip(arms[0].results, arms[1].results, strict=True))
        self.stack[-1].append(If(results, condition, *arms, span(line, "    if c:")))
        return results

    def loop(self, count: int, init: Sequence[Value], body: Callable[..., Results], line: int = 4) -> tuple[Value, ...]:
        params = (self.value(Type(Kind.INT), "i"), *(self.value(value.type, value.name) for value in init))
        block = self.block(lambda: body(*params), params)
        results = tuple(self.value(value.type, value.name) for value in init)
        self.stack[-1].append(Loop(results, count, tuple(init), block, span(line, "    for i in range(n):")))
        return results

    def loop_while(self, init: Sequence[Value], test: Callable[..., Value], body: Callable[..., Results], bound: int | None = None,
                   line: int = 5) -> tuple[Value, ...]:
        params = [tuple(self.value(value.type, value.name) for value in init) for _ in range(3)]
        first = self.block(lambda: test(*params[0]), params[0])
        second = self.block(lambda: body(*params[1]), params[1])
        self.stack[-1].append(While(params[2], tuple(init), first, second, bound, span(line, "    while c:")))
        return params[2]

    def attempt(self, body: Callable[[], Results], *handlers: tuple[tuple[str, ...], Callable[[], Results]]) -> tuple[Value, ...]:
        block = self.block(body)
        caught = tuple(Handler(names, self.block(handler)) for names, handler in handlers)
        results = tuple(self.value(value.type, value.name) for value in block.results)
        self.stack[-1].append(Try(results, block, caught, span(6, "    try:")))
        return results

    def block(self, record: Callable[[], Results], params: tuple[Value, ...] = ()) -> Block:
        self.stack.append([])
        results = record()
        return Block(params, tuple(self.stack.pop()), (results,) if isinstance(results, Value) else tuple(results))

    def program(self, output: Value | Sequence[Value], name: str = "f") -> Program:
        if isinstance(output, Value):
            return self.shaped(Leaf(0), output, name=name)
        return self.shaped(SequenceTree("tuple", tuple(map(Leaf, range(len(output))))), *output, name=name)

    def shaped(self, output: Tree, *results: Value, name: str = "f") -> Program:
        """A program whose answer has a structure."""
        return Program(name, tuple(self.inputs), tuple(self.weights), Block((), tuple(self.stack[0]), results), output)

    def _add(self, op: Op) -> Value:
        self.stack[-1].append(op)
        return op.result

    def _join(self, pair: tuple[Value, Value]) -> Value:
        return self.value(max((value.type for value in pair), key=lambda type: type.kind), pair[0].name)
