"""Write a program as the text of a batched torch function.

>>> from deepalgo.ir import Input, Leaf, Type
>>> x, two, y = (Value(i, Type(Kind.REAL), n) for i, n in enumerate(("x", "", "y")))
>>> body = Block((), (Op(two, "const", (), (("value", 2.0),)), Op(y, "mul", (x, two))), (y,))
>>> print(write(Program("double", (Input("x", x),), (), body, Leaf(y))).text)
def double(run, x):
    y = x * 2.0
    return y,
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from deepalgo.emit.expression import ATOM, UNARY, Text, bracket, fill, literal
from deepalgo.emit.levels import Level, find_levels
from deepalgo.emit.names import Names
from deepalgo.emit.quick_checks import quick_question
from deepalgo.emit.ties import find_ties
from deepalgo.ir import Attr, Block, Check, If, Kind, Loop, Op, Program, Statement, Try, Value, While, blocks, captured, used
from deepalgo.ops.table import TABLE

#: An expression longer than this gets a variable of its own.
LONG = 72
CASTS = {Kind.BOOL: "run.to_bool({0})", Kind.INT: "run.to_int({0})", Kind.REAL: "run.to_real({0})", Kind.COMPLEX: "run.to_complex({0})"}
#: The step next to an operand, for roundings.
NEAREST = dict.fromkeys(("floor", "ceil", "trunc", "to_int"), "torch.round({0})") | {"rint": "torch.floor({0}) + 0.5"}
PYTHON = {Kind.BOOL: bool, Kind.INT: int, Kind.REAL: float, Kind.COMPLEX: complex}


@dataclass(frozen=True, slots=True)
class Written:
    """The text, and the statements that it refers to by number."""

    text: str
    sites: tuple[Statement, ...]
    tables: tuple[Attr, ...]


def write(program: Program, record: bool = False) -> Written:
    """The text of a program without `Try`: a function of `run`, the inputs and the weights, in the program's order.

    With `record` it tells `run` which way samples go, and where that hangs on a last digit.
    """
    writer = Writer(program, record)
    writer.write()
    return Written("\n".join(writer.lines), tuple(writer.sites), tuple(writer.tables))


class Writer:
    """Collects lines. A value that is used once, and has no name, is written where it is used."""

    def __init__(self, program: Program, record: bool) -> None:
        self.program = program
        self.record = record
        self.ties = find_ties(program) if record else set()
        self.levels = find_levels(program)
        self.names = Names()
        self.lines: list[str] = []
        self.sites: list[Statement] = []
        self.tables: list[Attr] = []
        self.texts: dict[Value, Text] = {}
        self.literals: dict[Value, Attr] = {}
        self.weights = {weight.key: self.names.make(weight.key) for weight in program.weights}
        self.wanted = {value for block in _blocks(program.body) for value in _read(block)}
        self.single = _used_once(program.body) if not record else set()
        self.ops: dict[Value, Op] = {}
        self.pending: set[Value] = set()
        self.depth = 0
        self.place = ""

    def write(self) -> None:
        """The whole function."""
        names = [self.name(item.value, item.path) for item in self.program.inputs]
        self.line(f"def {Names(()).make(self.program.name)}({', '.join(['run', *names, *self.weights.values()])}):")
        self.depth = 1
        self.body(self.program.body)
        results = [self.batched(value).text for value in self.program.body.results]
        self.line(f"return {_tuple(results) or '()'}")

    def body(self, block: Block) -> None:
        """The statements of a block."""
        for statement in block.body:
            match statement:
                case Op():
                    self.op(statement)
                case Check():
                    self.check(statement)
                case If():
                    self.branch(statement)
                case Loop():
                    self.loop(statement)
                case While():
                    self.repeat(statement)
                case Try():
                    raise AssertionError("`catch` leaves no Try")
                case _:
                    assert_never(statement)

    def op(self, op: Op) -> None:
        """One operation: a variable, or an expression for later."""
        self.ops[op.result] = op
        if op.name == "const":
            return self.const(op)
        if op.name == "weight":
            self.texts[op.result] = Text(self.weights[str(op.attr("key"))])
            return None
        text = self.index(op) if op.name == "index" else self.formula(op)
        if op.result in self.single and not op.result.name and len(text.text) <= LONG:
            self.texts[op.result] = text
            self.pending.add(op.result)
        else:
            self.comment(op)
            self.line(f"{self.name(op.result)} = {text.text}")
        if self.record:
            self.note(op)
        return None

    def note(self, op: Op) -> None:
        """Record what may be doubtful about an operation."""
        operands = [self.operand(op, place).text for place in range(len(op.args))]
        if op.result in self.ties:
            other = operands[1] if len(op.args) == 2 else NEAREST[op.name].format(operands[0])
            self.line(f"run.note_tie({operands[0]}, {other}, {self.site(op)})")
        if TABLE[op.name].endpoint and op.result.type.kind == Kind.REAL:
            self.line(f"run.note_endpoint({TABLE[op.name].endpoint.format(*operands)}, {self.site(op)})")

    def const(self, op: Op) -> None:
        """A number is written where it is used, a table once for all calls."""
        value = op.attr("value")
        if isinstance(value, tuple):
            self.tables.append(value)
            self.texts[op.result] = Text(f"run.table({len(self.tables) - 1})")
        else:
            self.literals[op.result] = value
            self.texts[op.result] = literal(value)

    def formula(self, op: Op) -> Text:
        """The operation's torch spelling with its operands brought to one kind and lined up."""
        row = TABLE[op.name]
        operands = [self.operand(op, place) for place in range(len(op.args))]
        batch = {f"batch{place}": int(self.levels[arg] == Level.BATCHED) for place, arg in enumerate(op.args)}
        attrs = {**dict(op.attrs), **batch, "batch": int(self.levels[op.result] == Level.BATCHED)}
        return fill(row.torch, operands, attrs)

    def operand(self, op: Op, place: int) -> Text:
        """One operand as the operation wants it."""
        row, value = TABLE[op.name], op.args[place]
        text = self.texts[value]
        if op.name == "cut" and place == 1:
            return self.batched(value)
        if row.common is not None and place >= row.apart:
            text = self.cast(value, max([row.common, *(arg.type.kind for arg in op.args[row.apart :])]))
        if self.levels[value] == Level.NUMBER and self.materialise(op, place):
            return Text(f"run.tensor({text.text})")
        if row.broadcasts and self.levels[value] == Level.BATCHED:
            missing = len(op.result.type.shape) - len(value.type.shape)
            return Text(f"{bracket(text, ATOM).text}[:{', None' * missing}]") if missing else text
        return text

    def materialise(self, op: Op, place: int) -> bool:
        """Whether a number must become a tensor: torch needs one tensor, and `where` one among its values, to know the kind."""
        first = TABLE[op.name].apart
        if op.name == "gather":
            return False
        return place <= first and all(self.levels[arg] == Level.NUMBER for arg in op.args[first:]) and (place == first or place < first)

    def cast(self, value: Value, kind: Kind) -> Text:
        """The value brought to a kind that holds it."""
        text = self.texts[value]
        if value.type.kind >= kind:
            return text
        if value in self.literals:
            return literal(PYTHON[kind](self.literals[value]))
        if self.levels[value] == Level.NUMBER:
            return text
        return fill(CASTS[kind], (text,))

    def tensor(self, value: Value, kind: Kind) -> Text:
        """The value as a tensor of a kind."""
        text = self.cast(value, kind)
        return Text(f"run.tensor({text.text})") if self.levels[value] == Level.NUMBER else text

    def batched(self, value: Value, kind: Kind = Kind.BOOL) -> Text:
        """The value as a tensor with a batch axis."""
        text = self.tensor(value, max(kind, value.type.kind))
        return text if self.levels[value] == Level.BATCHED else Text(f"run.spread({text.text})")

    def fit(self, value: Value, target: Value) -> Text:
        """The value as `target` is expected: its kind, and a batch axis if it has one."""
        if self.levels[target] == Level.BATCHED:
            return self.batched(value, target.type.kind)
        return self.tensor(value, target.type.kind)

    def index(self, op: Op) -> Text:
        """A fixed place of an array."""
        key = op.attr("key")
        assert isinstance(key, tuple)
        batch = [":"] if self.levels[op.args[0]] == Level.BATCHED else []
        return Text(f"{bracket(self.texts[op.args[0]], ATOM).text}[{', '.join([*batch, *map(str, key)])}]")

    def check(self, check: Check) -> None:
        """A call that raises."""
        operands = "".join(f", {self.texts[value].text}" for value in check.operands)
        call = f"run.check({self.tensor(check.ok, Kind.BOOL).text}, {self.site(check)}{operands})"
        self.line(f"{self.quick(check)}{call}")

    def quick(self, check: Check) -> str:
        """A fast question that is asked first, so that the mask of the check is computed only if its answer is no."""
        question = quick_question(check.ok, self.ops) if check.ok in self.pending else None
        if question is None or self.levels[question.value] == Level.NUMBER:
            return ""
        bound = "" if question.bound is None else f", {literal(question.bound).text}"
        return f"quick.{question.name}({self.texts[question.value].text}{bound}) or "

    def branch(self, branch: If) -> None:
        """Each arm runs for its own samples, or one arm for all of them."""
        self.comment(branch)
        if self.levels[branch.condition] != Level.BATCHED:
            return self.python_if(branch)
        number = self.names.number("arm")[3:]
        then, orelse = self.arm(f"then_{number}", branch.then, branch.results), self.arm(f"else_{number}", branch.orelse, branch.results)
        names = [self.name(result) for result in branch.results]
        call = f"run.branch({self.texts[branch.condition].text}, {then}, {orelse}, {self.site(branch)})"
        self.line(f"{_tuple(names)} = {call}" if names else call)
        return None

    def arm(self, name: str, block: Block, results: tuple[Value, ...]) -> str:
        """Define a function for one arm; return the text of it and the batched values that it takes."""
        values = self.varying(captured(block))
        self.function(name, values, block, [self.batched_later(value) for value in results])
        return f"{name}, ({_tuple([self.texts[value].text for value in values])})"

    def function(self, name: str, params: Sequence[Value], block: Block, targets: Sequence[Value]) -> None:
        """Define a function of batched values."""
        self.line(f"def {name}({', '.join(['run', *(self.texts[value].text for value in params)])}):")
        self.depth += 1
        self.body(block)
        results = [self.fit(value, target).text for value, target in zip(block.results, targets, strict=True)]
        self.line(f"return {_tuple(results) or '()'}")
        self.depth -= 1

    def batched_later(self, value: Value) -> Value:
        """The result of a branch is batched in both arms."""
        self.levels[value] = Level.BATCHED
        return value

    def python_if(self, branch: If) -> None:
        """All samples go the same way."""
        names = [self.name(result) for result in branch.results]
        if self.record:
            self.line(f"run.note_branch({self.tensor(branch.condition, Kind.BOOL).text}, {self.site(branch)})")
        for head, block in ((f"if {self.texts[branch.condition].text}:", branch.then), ("else:", branch.orelse)):
            self.line(head)
            self.depth += 1
            self.body(block)
            texts = [self.fit(value, target).text for value, target in zip(block.results, branch.results, strict=True)]
            self.line(f"{', '.join(names)} = {', '.join(texts)}" if names else "pass")
            self.depth -= 1

    def loop(self, loop: Loop) -> None:
        """A Python `for`; the carried values are variables that every round assigns."""
        self.comment(loop)
        index, *params = loop.body.params
        names = self.carry(loop.init, params)
        if self.record:
            self.line(f"run.note_loop({loop.count}, {self.site(loop)})")
        self.line(f"for {self.name(index, index.name or 'i')} in range({loop.count}):")
        self.round(loop.body, params, names)
        self.texts.update((result, self.texts[param]) for result, param in zip(loop.results, params, strict=True))

    def carry(self, init: Sequence[Value], params: Sequence[Value]) -> list[str]:
        """Assign the carried values their first value."""
        texts = [self.fit(first, param).text for first, param in zip(init, params, strict=True)]
        names = [self.name(param) for param in params]
        for name, text in zip(names, texts, strict=True):
            self.line(f"{name} = {text}")
        return names

    def round(self, block: Block, params: Sequence[Value], names: list[str]) -> None:
        """The body of a Python loop."""
        self.depth += 1
        self.body(block)
        texts = [self.fit(value, param).text for value, param in zip(block.results, params, strict=True)]
        pairs = [(name, text) for name, text in zip(names, texts, strict=True) if name != text]
        self.line(f"{', '.join(name for name, _ in pairs)} = {', '.join(text for _, text in pairs)}" if pairs else "pass")
        self.depth -= 1

    def repeat(self, loop: While) -> None:
        """Each sample runs its own number of rounds, or all of them the same."""
        self.comment(loop)
        if self.levels[loop.test.results[0]] != Level.BATCHED:
            return self.python_while(loop)
        number = self.names.number("arm")[3:]
        values = self.varying((*captured(loop.test), *captured(loop.body)))
        for param, twin in zip(loop.body.params, loop.test.params, strict=True):
            self.texts[twin] = Text(self.name(param))
        init = [self.fit(first, param).text for first, param in zip(loop.init, loop.body.params, strict=True)]
        self.function(f"test_{number}", (*loop.test.params, *values), loop.test, [loop.test.results[0]])
        self.function(f"body_{number}", (*loop.body.params, *values), loop.body, loop.body.params)
        batched = [str(self.levels[param] == Level.BATCHED) for param in loop.body.params]
        taken = [self.texts[value].text for value in values]
        names = [self.name(result) if result in self.wanted else "_" for result in loop.results]
        self.line(f"{_tuple(names) or '()'} = run.repeat(test_{number}, body_{number}, ({_tuple(init)}), ({_tuple(taken)}), "
                  f"({_tuple(batched)}), {loop.bound}, {self.site(loop)})")
        return None

    def python_while(self, loop: While) -> None:
        """All samples run the same number of rounds."""
        names = self.carry(loop.init, loop.body.params)
        self.texts.update((twin, self.texts[param]) for twin, param in zip(loop.test.params, loop.body.params, strict=True))
        self.line(f"for _ in run.rounds({loop.bound}, {self.site(loop)}):")
        self.depth += 1
        self.body(loop.test)
        self.line(f"if not {bracket(self.texts[loop.test.results[0]], UNARY).text}:")
        self.line("    break")
        self.depth -= 1
        self.round(loop.body, loop.body.params, names)
        self.texts.update((result, self.texts[param]) for result, param in zip(loop.results, loop.body.params, strict=True))

    def varying(self, values: Iterable[Value]) -> list[Value]:
        """The batched ones, each once and in a variable."""
        return [value for value in dict.fromkeys(values) if self.levels[value] == Level.BATCHED]

    def name(self, value: Value, wish: str = "") -> str:
        """Give a value its variable."""
        self.texts[value] = Text(self.names.make(value.name or wish))
        return self.texts[value].text

    def site(self, statement: Statement) -> int:
        """The number by which the text refers to a statement."""
        self.sites.append(statement)
        return len(self.sites) - 1

    def comment(self, statement: Statement) -> None:
        """Name the user's line when a statement comes from another one than the statement before."""
        span = statement.span
        if span is None or not span.lines or span.place == self.place:
            return
        self.place = span.place
        self.line(f"# {span.place}  {span.lines[0].strip()}")

    def line(self, text: str) -> None:
        """One line at the current depth."""
        self.lines.append("    " * self.depth + text)


def _tuple(items: Sequence[str]) -> str:
    return f"{items[0]}," if len(items) == 1 else ", ".join(items)


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for statement in block.body:
        for inner in blocks(statement):
            yield from _blocks(inner)


def _read(block: Block) -> Iterator[Value]:
    yield from block.results
    for statement in block.body:
        yield from used(statement)


def _used_once(block: Block) -> set[Value]:
    """Values that one statement of their own block uses, and nothing else."""
    found: set[Value] = set()
    _count(block, found)
    return found


def _count(block: Block, found: set[Value]) -> None:
    here: Counter[Value] = Counter(block.results)
    elsewhere: set[Value] = set()
    for statement in block.body:
        here.update(used(statement))
        for inner in blocks(statement):
            elsewhere.update(captured(inner))
            _count(inner, found)
    mine = {statement.result for statement in block.body if isinstance(statement, Op)}
    found |= {value for value in mine if here[value] == 1 and value not in elsewhere}
