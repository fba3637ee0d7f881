"""Write a program as the text of a batched torch function.

>>> from deepalgo.ir import parse
>>> print(write(parse('''
... double(x: real)
...   %y = mul %x 2.0
...   return %y
... ''')).text)
def double(run, x):
    y = x * 2.0
    return y,
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

from deepalgo.backends.expression import UNARY, Fragment, bracket, words
from deepalgo.backends.names import Names
from deepalgo.backends.torch.runtime.segments import SHORT
from deepalgo.backends.torch.write_values import ValueWriter
from deepalgo.ir import Attr, Block, Check, If, Kind, Loop, Op, Program, Restore, Rewind, Save, Statement, Try, Value, While, captured, walk
from deepalgo.ir.facts import Level

#: With more branches and loops than these, arms and bodies do not stand inside of the function that calls them.
MANY = 100


@dataclass(frozen=True, slots=True)
class TorchCode:
    """The text, and the statements that it refers to by number."""

    text: str
    sites: tuple[Statement, ...]
    tables: tuple[tuple[Attr, Kind], ...]
    #: Functions that call one another, at most.
    deepest: int = 0


def write(program: Program, record: bool = False, careful: bool = False) -> TorchCode:
    """The text of a program without `Try`: a function of `run`, the inputs and the weights, in the program's order.

    With `record` it tells `run` which way samples go, and where that hangs on a last digit. If it is `careful`, the derivatives
    are those of `ops.forms.careful`.
    """
    writer = RegionWriter(program, record, careful)
    writer.write()
    return TorchCode("\n".join([*writer.apart, *writer.lines]), tuple(writer.sites), tuple(writer.tables), writer.deepest)


class RegionWriter(ValueWriter):
    """Writes regions: arms and bodies are functions where samples part, and plain Python where all go the same way.

    Where they are many, they do not stand inside of the function that calls them but `apart`: the time that Python takes to compile
    functions inside of a function grows with the square of their number.
    """

    def __init__(self, program: Program, record: bool, careful: bool = False) -> None:
        super().__init__(program, record, careful)
        self.is_long = sum(isinstance(statement, (If, While)) for statement in walk(program.body)) > MANY
        self.apart: list[str] = []
        self.level = self.deepest = 0

    def write(self) -> None:
        """The whole function."""
        title = Names(()).make(self.program.name)
        names = [self.name(item.value, item.path) for item in self.program.inputs]
        if self.is_long:
            self.names.taken.add(title)
        self.line(f"def {title}({', '.join(['run', *names, *self.weights.values()])}):")
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
                    raise AssertionError("`try_to_if` leaves no Try")
                case Save() | Restore() | Rewind():
                    raise AssertionError("only derivatives save and restore")
                case _:
                    assert_never(statement)

    def branch(self, branch: If) -> None:
        """Each arm runs for its own samples, or one arm for all of them."""
        self.comment(branch)
        if self.levels[branch.condition] != Level.BATCHED:
            return self.python_if(branch)
        first, second = self.functions("then", "else")
        then, orelse = self.arm(first, branch.then, branch.results), self.arm(second, branch.orelse, branch.results)
        names = [self.name(result) for result in branch.results]
        call = f"run.branch({self.texts[branch.condition].text}, {then}, {orelse}, {self.site(branch)})"
        self.line(f"{_tuple(names)} = {call}" if names else call)
        return None

    def arm(self, name: str, block: Block, results: tuple[Value, ...]) -> str:
        """Define a function for one arm; return the text of it and the batched values that it takes."""
        values = self.varying(captured(block, self.captures))
        self.function(name, values, block, [self.batched_later(value) for value in results])
        return f"{name}, ({_tuple([self.texts[value].text for value in values])})"

    def functions(self, *stems: str) -> list[str]:
        """Names for functions that belong together; no value has one of them."""
        number = self.names.number("arm")[3:]
        return [self.names.make(f"{stem}_{number}") for stem in stems]

    def function(self, name: str, params: Sequence[Value], block: Block, targets: Sequence[Value]) -> None:
        """Define a function of batched values, here or apart."""
        self.level += 1
        self.deepest = max(self.deepest, self.level)
        if self.is_long:
            self.function_apart(name, params, block, targets)
        else:
            self.function_here(name, params, block, targets)
        self.level -= 1

    def function_apart(self, name: str, params: Sequence[Value], block: Block, targets: Sequence[Value]) -> None:
        """Define a function that makes it of the variables that it finds here, and call that."""
        known, lines, depth = len(self.names.made), self.lines, self.depth
        self.lines, self.depth = [], 1
        self.function_here(name, params, block, targets)
        inside, self.lines, self.depth = self.lines, lines, depth
        own = {name, *(self.texts[value].text for value in params)}
        found = ", ".join(word for word in words(inside) if self.names.made.get(word, known) < known and word not in own)
        maker = self.names.make(f"make_{name}")
        self.apart += [f"def {maker}({found}):", *inside, f"    return {name}"]
        self.line(f"{name} = {maker}({found})")

    def function_here(self, name: str, params: Sequence[Value], block: Block, targets: Sequence[Value]) -> None:
        """Define a function at this place."""
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
            self.line(f"run.note_branch({self.tensor(branch.condition).text}, {self.site(branch)})")
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
        if self.record:
            self.line(f"run.note_loop({loop.count}, {self.site(loop)})")
        elif loop.count > SHORT and params:
            return self.long_loop(loop)
        names = self.carry(loop.init, params)
        self.line(f"for {self.name(index, index.name or 'i')} in range({loop.count}):")
        self.round(loop.body, params, names)
        self.texts.update((result, self.texts[param]) for result, param in zip(loop.results, params, strict=True))
        return None

    def long_loop(self, loop: Loop) -> None:
        """A round as a function, so that not every round need be kept for the gradient."""
        (name,) = self.functions("round")
        index, *params = loop.body.params
        init = [self.fit(first, param).text for first, param in zip(loop.init, params, strict=True)]
        for param in (index, *params):
            self.name(param, "i" if param is index else "")
        self.function(name, loop.body.params, loop.body, params)
        names = [self.name(result) if result in self.wanted else "_" for result in loop.results]
        self.line(f"{_tuple(names)} = run.loop({name}, ({_tuple(init)}), {loop.count})")

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
        test, body = self.functions("test", "body")
        values = self.varying((*captured(loop.test, self.captures), *captured(loop.body, self.captures)))
        for param, twin in zip(loop.body.params, loop.test.params, strict=True):
            self.texts[twin] = Fragment(self.name(param))
        init = [self.fit(first, param).text for first, param in zip(loop.init, loop.body.params, strict=True)]
        self.function(test, (*loop.test.params, *values), loop.test, [loop.test.results[0]])
        self.function(body, (*loop.body.params, *values), loop.body, loop.body.params)
        batched = [str(self.levels[param] == Level.BATCHED) for param in loop.body.params]
        taken = [self.texts[value].text for value in values]
        names = [self.name(result) for result in loop.results if result in self.wanted]
        wanted = [str(result in self.wanted) for result in loop.results]
        self.line(f"{_tuple(names) or '()'} = run.repeat({test}, {body}, ({_tuple(init)}), ({_tuple(taken)}), "
                  f"({_tuple(batched)}), ({_tuple(wanted)}), {loop.bound}, {self.site(loop)})")
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


def _tuple(items: Sequence[str]) -> str:
    return f"{items[0]}," if len(items) == 1 else ", ".join(items)
