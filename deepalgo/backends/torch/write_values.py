"""Write operations as torch expressions: which values get a variable, which are inlined, which need a batch axis.

>>> from deepalgo.ir import parse
>>> writer = ValueWriter(parse('''
... f(x: real)
...   %y = sin %x
...   return %y
... '''), record=False)
>>> writer.name(writer.program.inputs[0].value)
'x'
>>> writer.op(writer.program.body.body[0])
>>> writer.lines
['y = torch.sin(x)']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from deepalgo.backends.expression import ATOM, Fragment, bracket, fill, literal
from deepalgo.backends.names import Names
from deepalgo.backends.torch.ties import find_ties
from deepalgo.ir import Attr, Block, Check, Kind, Op, Program, Statement, Value, blocks, captured, used
from deepalgo.ir.facts import Level, find_levels
from deepalgo.ops.table import TABLE
from deepalgo.spans import display_name

#: An expression longer than this gets a variable of its own.
LONG = 72


class ValueWriter:
    """Collects lines. A value that is used once, and has no name, is written where it is used."""

    def __init__(self, program: Program, record: bool, careful: bool = False) -> None:
        self.program = program
        self.careful = careful
        self.record = record
        self.ties = find_ties(program) if record else set()
        self.levels = find_levels(program)
        self.names = Names()
        self.lines: list[str] = []
        self.sites: list[Statement] = []
        self.tables: list[tuple[Attr, Kind]] = []
        self.texts: dict[Value, Fragment] = {}
        self.weights = {weight.key: self.names.make(weight.key) for weight in program.weights}
        self.wanted = {value for block in _blocks(program.body) for value in _read(block)}
        self.captures: dict[int, tuple[Value, ...]] = {}
        self.single = _used_once(program.body, self.captures) if not record else set()
        self.depth = 0
        self.place = ("", 0)
        self.files: dict[str, str] = {}

    def op(self, op: Op) -> None:
        """One operation: a variable, or an expression for later."""
        if op.is_const:
            return self.const(op)
        if op.is_weight:
            self.texts[op.result] = Fragment(self.weights[str(op.attr("key"))])
            return None
        text = self.index(op) if op.name == "index" else self.formula(op)
        if op.result in self.single and not op.result.name and len(text.text) <= LONG:
            self.texts[op.result] = text
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
            other = TABLE[op.name].step.format(*operands)
            self.line(f"run.note_tie({operands[0]}, {other}, {self.site(op)}{self.alike(op.result)})")
        endpoint = TABLE[op.name].endpoint
        if endpoint and op.result.type.kind == Kind.REAL:
            asked = [arg for place, arg in enumerate(op.args) if f"{{{place}}}" in endpoint]
            self.line(f"run.note_endpoint({endpoint.format(*operands)}, {self.site(op)}{self.alike(*asked)})")

    def alike(self, *values: Value) -> str:
        """Says of a note that it holds for all samples alike, where no value has a batch axis."""
        return "" if any(self.levels[value] == Level.BATCHED for value in values) else ", batched=False"

    def const(self, op: Op) -> None:
        """A number is written where it is used, a table once for all calls."""
        value = op.attr("value")
        if isinstance(value, tuple):
            self.tables.append((value, op.result.type.kind))
            self.texts[op.result] = Fragment(f"run.table({len(self.tables) - 1})")
        else:
            self.texts[op.result] = literal(value)

    def formula(self, op: Op) -> Fragment:
        """The operation's torch spelling with its operands."""
        row = TABLE[op.name]
        if self.levels[op.result] == Level.NUMBER:  # made of the number of a round
            return fill(row.python, [self.texts[arg] for arg in op.args], dict(op.attrs))
        operands = [self.operand(op, place) for place in range(len(op.args))]
        batch = {f"batch{place}": int(self.levels[arg] == Level.BATCHED) for place, arg in enumerate(op.args)}
        is_batched = self.levels[op.result] == Level.BATCHED
        spelling = row.spelling(op.result.type.kind)
        attrs: dict[str, Attr] = {**dict(op.attrs), **batch, "batch": int(is_batched)}
        plain = fill(spelling, operands, attrs)
        learns = op.result.type.kind >= Kind.REAL and any(arg.type.kind >= Kind.REAL for arg in op.args)
        if not self.careful or not learns or not (row.is_risky([arg.type for arg in op.args]) or op.result.type.kind == Kind.COMPLEX):
            return plain
        return fill(row.careful, operands, attrs) if row.careful else self.watched(op, plain, operands, attrs)

    def watched(self, op: Op, plain: Fragment, operands: list[Fragment], attrs: dict[str, Attr]) -> Fragment:
        """An operation with careful derivatives: its value, the operation of tensors alone, and those."""
        row = TABLE[op.name]
        places = [place for place, arg in enumerate(op.args) if self.levels[arg] != Level.NUMBER]
        names = [f"x{place}" for place in places]
        inside = [Fragment(f"x{place}") if place in places else text for place, text in enumerate(operands)]
        if row.broadcasts:
            form, taken = fill(row.spelling(op.result.type.kind), inside, attrs), [operands[place].text for place in places]
        else:
            form = fill(row.torch, inside, attrs | {name: 1 for name in attrs if name.startswith("batch")})
            taken = [self.batched(op.args[place]).text for place in places]
        function = "numbers" if row.broadcasts else "samples"
        return Fragment(f"careful.{function}({plain.text}, lambda {', '.join(names)}: {form.text}, {', '.join(taken)})")

    def operand(self, op: Op, place: int) -> Fragment:
        """One operand as the operation wants it."""
        value = op.args[place]
        if op.name == "cut" and place == 1:
            return self.batched(value)
        return self.tensor(value) if self.levels[value] == Level.NUMBER and self.materialise(op, place) else self.texts[value]

    def materialise(self, op: Op, place: int) -> bool:
        """Whether a number must become a tensor: torch needs one tensor, and `where` one among its values, to know the kind."""
        first = TABLE[op.name].apart
        if op.name == "gather":
            return False
        return place <= first and all(self.levels[arg] == Level.NUMBER for arg in op.args[first:]) and (place == first or place < first)

    def tensor(self, value: Value) -> Fragment:
        """The value as a tensor."""
        text = self.texts[value]
        return Fragment(f"run.tensor({text.text})") if self.levels[value] == Level.NUMBER else text

    def batched(self, value: Value) -> Fragment:
        """The value as a tensor with a batch axis."""
        text = self.tensor(value)
        return text if self.levels[value] == Level.BATCHED else Fragment(f"run.spread({text.text})")

    def fit(self, value: Value, target: Value) -> Fragment:
        """The value as `target` is expected: with a batch axis if that has one."""
        return self.batched(value) if self.levels[target] == Level.BATCHED else self.tensor(value)

    def index(self, op: Op) -> Fragment:
        """A fixed place of an array."""
        key = op.attr("key")
        assert isinstance(key, tuple)
        batch = [":"] if self.levels[op.args[0]] == Level.BATCHED else []
        return Fragment(f"{bracket(self.texts[op.args[0]], ATOM).text}[{', '.join([*batch, *map(str, key)])}]")

    def check(self, check: Check) -> None:
        """A call that raises."""
        operands = "".join(f", {self.texts[value].text}" for value in check.operands)
        self.line(f"run.check({self.tensor(check.ok).text}, {self.site(check)}{operands})")

    def name(self, value: Value, wish: str = "") -> str:
        """Give a value its variable."""
        self.texts[value] = Fragment(self.names.make(value.name or wish))
        return self.texts[value].text

    def site(self, statement: Statement) -> int:
        """The number by which the text refers to a statement."""
        self.sites.append(statement)
        return len(self.sites) - 1

    def comment(self, statement: Statement) -> None:
        """Name the user's line when a statement comes from another one than the statement before."""
        span = statement.span
        if span is None or not span.lines or (span.file, span.line) == self.place:
            return
        self.place = span.file, span.line
        if span.file not in self.files:
            self.files[span.file] = display_name(span.file)
        self.line(f"# {self.files[span.file]}:{span.line}  {span.lines[0].strip()}")

    def line(self, text: str) -> None:
        """One line at the current depth."""
        self.lines.append("    " * self.depth + text)


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for statement in block.body:
        for inner in blocks(statement):
            yield from _blocks(inner)


def _read(block: Block) -> Iterator[Value]:
    yield from block.results
    for statement in block.body:
        yield from used(statement)


def _used_once(block: Block, captures: dict[int, tuple[Value, ...]]) -> set[Value]:
    """Values that one statement of their own block uses, and nothing else."""
    found: set[Value] = set()
    _count(block, found, captures)
    return found


def _count(block: Block, found: set[Value], captures: dict[int, tuple[Value, ...]]) -> None:
    here: Counter[Value] = Counter(block.results)
    elsewhere: set[Value] = set()
    for statement in block.body:
        here.update(used(statement))
        for inner in blocks(statement):
            elsewhere.update(captured(inner, captures))
            _count(inner, found, captures)
    mine = {statement.result for statement in block.body if isinstance(statement, Op)}
    found |= {value for value in mine if here[value] == 1 and value not in elsewhere}
