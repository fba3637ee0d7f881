"""Blocks of a program -> statements of Python.

An operation that is used once stands where it is used. What can raise keeps its order: an expression is written no later than anything
that could raise after it.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

from deepalgo.emit.expression import ATOM, LEVELS, Text, bracket, fill
from deepalgo.emit.names import Names
from deepalgo.emit.source.constants import ANONYMOUS, array, constant_name, literal, nested
from deepalgo.emit.source.exits import Stop
from deepalgo.emit.source.facts import Facts
from deepalgo.emit.source.layout import Layout
from deepalgo.emit.source.tree import Assign, Attempt, Branch, Break, Count, Expression, Raise, Repeat, Tree, negated
from deepalgo.ir import Block, Check, If, Kind, Loop, Op, Statement, Try, Value, While
from deepalgo.ops.indexing import PUT, subscript

TRUE = Text("True")
#: Operators that Python writes as `x += y`.
AUGMENTED = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
#: Spellings that do not evaluate all of their operands.
LAZY = {"and", "or", "select"}
WORD = re.compile(r"[A-Za-z_]\w*")
ITEM = re.compile(r"([A-Z]\w*(?:\[\d+\])*)\[(\d+)\]$")
NUMBER = re.compile(r"-?[\d.]+(e[-+]?\d+)?$")


@dataclass(frozen=True, slots=True)
class Expr:
    """A text, and the numbers of the events in it: what may raise, in the order of the program."""

    text: Text
    events: tuple[int, ...] = ()


class Writer:
    """Writes blocks into lists of statements; `constants` and `helpers` are what has to stand above the function."""

    def __init__(
        self, facts: Facts, layout: Layout, names: Names, defaults: Sequence[str], end: Callable[[Writer, Sequence[Value]], None]
    ) -> None:
        self.facts = facts
        self.layout = layout
        self.names = names
        self.variables: dict[Value, str] = {}
        self.defaults = defaults
        self.end = end
        self.out: list[Tree] = []
        self.pending: dict[Value, Expr] = {}
        self.done: dict[Value, Text] = {}
        self.events = 0
        self.constants: dict[str, tuple[str, str]] = {}
        self.helpers: dict[str, str] = {}
        self.classes: dict[str, None] = {}
        self.sizes: dict[str, int] = {}

    # --- values -----------------------------------------------------------------------------------------------------------

    def variable(self, value: Value, wish: str = "") -> str:
        """The variable of a stored value."""
        root = self.layout.root(value)
        if root not in self.variables:
            self.variables[root] = self.names.make(self.layout.name(root) or wish)
        return self.variables[root]

    def expr(self, value: Value) -> Expr:
        """The value where it is used."""
        if value in self.done:
            return Expr(self.done[value])
        if value in self.pending:
            return self.pending.pop(value)
        op = self.facts.ops.get(value)
        if op is not None and self.layout.is_atom(op):
            return Expr(self.atom(op))
        return Expr(Text(self.variable(value)))

    def text(self, value: Value) -> Text:
        """The text of a value whose evaluation raises nothing, or which is the only one at its place."""
        return self.settle([self.expr(value)])[0]

    def atom(self, op: Op) -> Text:
        """A number, or the name of one that stands at the top."""
        if op.name == "index":
            return self.item(op).text
        if op.name == "const":
            value = op.attr("value")
            if not isinstance(value, tuple):
                return literal(value)
            return Text(nested(value) if op.result in self.facts.tables else array(value, op.result.type.kind))
        key = str(op.attr("key"))
        if not op.result.type.shape and ANONYMOUS.match(key):
            return literal(self.facts.weights[key])
        return Text(self.constant(key, op.result in self.facts.tables))

    def constant(self, key: str, is_table: bool) -> str:
        """The name of a weight at the top of the file."""
        if key in self.defaults:
            return key
        held = self.facts.weights[key]
        is_array = isinstance(held, tuple) and not is_table
        text = array(held, Kind.REAL) if is_array else nested(held)
        spot = f"{key}, an array" if is_array else key
        if spot not in self.constants:
            self.constants[spot] = (self.names.make(constant_name(key)), text)
        return self.constants[spot][0]

    # --- order ------------------------------------------------------------------------------------------------------------

    def settle(self, exprs: Sequence[Expr]) -> list[Text]:
        """Texts for one statement that evaluates them from left to right; what must happen before gets a line of its own."""
        own = [event for expr in exprs for event in expr.events]
        waiting = {value: expr for value, expr in self.pending.items() if expr.events}
        if own == sorted(own) and not any(expr.events[0] < max(own, default=0) for expr in waiting.values()):
            return [expr.text for expr in exprs]
        texts = [expr.text for expr in exprs]
        jobs: list[tuple[int, Value | int, Expr]] = [(expr.events[0], place, expr) for place, expr in enumerate(exprs) if expr.events]
        jobs += [(expr.events[0], value, expr) for value, expr in waiting.items() if expr.events[0] < max(own)]
        for _, job, expr in sorted(jobs, key=lambda item: item[0]):
            if isinstance(job, Value):
                self.name_pending(job, expr)
            else:
                texts[job] = self.named(expr.text)
        return texts

    def named(self, text: Text) -> Text:
        """A variable that holds this."""
        name = self.names.make("")
        self.out.append(Assign((name,), (text,)))
        return Text(name)

    def name_pending(self, value: Value, expr: Expr) -> None:
        """Write what waits for its use into a variable."""
        name = self.names.make(value.name)
        self.out.append(Assign((name,), (expr.text,)))
        del self.pending[value]
        self.done[value] = Text(name)

    def flush(self) -> None:
        """Give what may raise and has not been written yet its own line, as something else happens now."""
        for value, expr in sorted(self.pending.items(), key=lambda item: item[1].events):
            if expr.events:
                self.name_pending(value, expr)

    def condition(self, value: Value) -> Text:
        """A condition that is asked now, after all that came before it."""
        expr = self.expr(value)
        if any(other.events and other.events > expr.events for other in self.pending.values()) and expr.events:
            expr = Expr(self.named(self.settle([expr])[0]))
        (text,) = self.settle([expr])
        self.flush()
        return text

    def event(self) -> tuple[int, ...]:
        """A number for something that may raise now."""
        self.events += 1
        return (self.events,)

    # --- statements -------------------------------------------------------------------------------------------------------

    def statements(self, block: Block) -> None:
        """Write the statements of a block."""
        for statement in block.body:
            self.statement(statement)

    def statement(self, statement: Statement | Stop) -> None:
        """Write one statement."""
        match statement:
            case Op():
                if not self.layout.is_atom(statement):
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
                self.attempt(statement)
            case Stop():
                self.stop(statement)
            case _:
                assert_never(statement)

    def inside(self, block: Block, targets: Sequence[Value]) -> list[Tree]:
        """The statements of an inner block that ends with an assignment of its results."""
        outer, self.out = self.out, []
        self.statements(block)
        self.assign(targets, block.results)
        self.flush()
        made, self.out = self.out, outer
        return made

    def op(self, op: Op) -> None:
        """One operation: for later, or a line."""
        if op.name == "weight":
            key = str(op.attr("key"))
            text = Text(key) if key in self.defaults else literal(self.facts.weights[key])
            if text.text != self.variable(op.result):
                self.out.append(Assign((self.variable(op.result),), (text,)))
            return
        expr = self.formula(op)
        value = op.result
        if value in self.layout.inline:
            self.pending[value] = expr
            return
        (text,) = self.settle([expr])
        if not self.facts.uses[value]:
            self.out.append(Expression(text))
            return
        self.line(op, self.variable(value), text)

    def line(self, op: Op, name: str, text: Text) -> None:
        """`name = text`, or `name += ...` for a number that changes."""
        sign = AUGMENTED.get(op.name)
        head = f"{name} {sign} "
        if sign and not op.result.type.shape and op.args[0] in self.layout.home | {op.args[0]: 0} and self.is_home(op.args[0], name):
            rest = text.text.removeprefix(head)
            if rest != text.text and self.facts.templates[op.result] == f"{{0}} {sign} {{1}}":
                self.out.append(Assign((name,), (Text(rest),), sign))
                return
        self.out.append(Assign((name,), (text,)))

    def is_home(self, value: Value, name: str) -> bool:
        """Whether a value stands in this variable."""
        return self.layout.is_stored(value) and self.variable(value) == name

    def formula(self, op: Op) -> Expr:
        """The spelling of an operation with its operands."""
        if op.result in self.facts.tables:
            return self.table(op)
        if op.name in ("gather", "pick_at"):
            return self.lookup(op)
        operands = [self.expr(arg) for arg in op.args]
        if op.name in LAZY and any(operand.events for operand in operands[1:]):
            operands = [Expr(self.named(self.settle([operand])[0])) if operand.events else operand for operand in operands]
        texts = self.settle(operands) if not _in_order(operands) else [operand.text for operand in operands]
        events = tuple(event for operand in operands for event in operand.events) if _in_order(operands) else ()
        if op.result in self.facts.anchored:
            events = (*events, *self.event())
        return Expr(self.spelled(op, texts), events)

    def spelled(self, op: Op, texts: Sequence[Text]) -> Text:
        """The template of an operation, filled."""
        template = self.facts.templates.get(op.result, "{0}")
        if op.result in self.facts.converted:
            texts = [Text(f"np.float64({texts[0].text})"), *texts[1:]]
        attrs: dict[str, object] = dict(op.attrs)
        match op.name:
            case "take" | "put":
                attrs["subscript"] = subscript(op.attr("key"))
            case "index":
                return Text(f"{bracket(texts[0], ATOM).text}[{subscript(op.attr('key'))}]")
            case "stack" if op.result.type.shape == (len(op.args),):
                template = "np.array([{*}])"
            case "stack" if len({arg.type.shape for arg in op.args}) > 1:
                template = "np.stack(np.broadcast_arrays({*}))"
            case "select" if not op.args[0].type.shape and op.args[1].type == op.args[2].type:
                template = "{1} if {0} else {2}"
            case "not" if op.result.type.shape:
                template = "~{0}"
            case "and" | "or" if op.result.type.shape:
                template = f"{{0}} {'&' if op.name == 'and' else '|'} {{1}}"
            case "reshape" | "broadcast" if isinstance(op.attr("shape"), tuple) and len(op.attr("shape")) == 1:  # type: ignore[arg-type]
                attrs["shape"] = op.attr("shape")[0]  # type: ignore[index]
            case _:
                pass
        if "put(" in template:
            self.helpers["put"] = PUT
        if template == "{1} if {0} else {2}":
            condition, first, second = texts
            return _choice(condition, first, second)
        if op.name == "and" and (chain := self.chained(op, texts)) is not None:
            return chain
        template, level = _unbracketed(template)
        made = fill(template, list(texts), attrs)
        return Text(made.text, level) if level is not None else made

    def chained(self, op: Op, texts: Sequence[Text]) -> Text | None:
        """`a < b < c` for `a < b and b < c`."""
        first, second = (self.facts.ops.get(arg) for arg in op.args)
        if first is None or second is None or {first.name, second.name} - {"lt", "le", "gt", "ge"} or op.args[0] == op.args[1]:
            return None
        if first.args[1] != second.args[0] or not all(arg in self.layout.inline for arg in op.args):
            return None
        middle = second.args[0]
        if not self.layout.is_stored(middle) and not self.layout.is_atom(self.facts.ops[middle]):
            return None
        return Text(texts[0].text + texts[1].text.removeprefix(self.expr(middle).text.text), LEVELS["<"])

    def table(self, op: Op) -> Expr:
        """A tuple that is only looked up."""
        if op.name == "index":
            return self.item(op)
        operands = [self.expr(arg) for arg in op.args]
        events = tuple(event for operand in operands for event in operand.events)
        texts = [operand.text for operand in operands] if _in_order(operands) else self.settle(operands)
        return Expr(Text(f"({', '.join(text.text for text in texts)}{',' if len(texts) == 1 else ''})"), events)

    def item(self, op: Op) -> Expr:
        """A fixed item of a tuple; of a table without a name the number itself."""
        source = self.facts.ops[op.args[0]]
        number = self.facts.known(op.result) if not op.result.type.shape else None
        if number is not None and self.is_nameless(source):
            return Expr(literal(number))
        holder = self.expr(op.args[0])
        self.sizes[holder.text.text] = op.args[0].type.shape[0]
        keys = "".join(f"[{key}]" for key in op.attr("key"))  # type: ignore[union-attr]  # a tuple
        return Expr(Text(f"{bracket(holder.text, ATOM).text}{keys}"), holder.events)

    def is_nameless(self, source: Op) -> bool:
        """Whether a table is a constant, or a weight that the user gave no name."""
        if source.name == "index":
            return self.is_nameless(self.facts.ops[source.args[0]])
        return source.name == "const" or (source.name == "weight" and bool(ANONYMOUS.match(str(source.attr("key")))))

    def lookup(self, op: Op) -> Expr:
        """`table[place]`; a place that is counted from the end where it is negative is what Python does by itself."""
        holder, place = self.expr(op.args[0]), self.expr(self.counted(op.args[1]))
        events = (*holder.events, *place.events)
        own = self.event() if op.result in self.facts.anchored else ()
        axis = dict(op.attrs).get("axis", 0)
        whole = op.args[0].type.shape
        if op.args[0] in self.facts.tables or axis in (0, None) and (axis == 0 or len(whole) == 1) or axis == -1 and len(whole) == 1:
            return Expr(Text(f"{bracket(holder.text, ATOM).text}[{place.text.text}]"), (*events, *own))
        return Expr(fill("np.take({0}, {1}, {axis})", (holder.text, place.text), {"axis": axis}), (*events, *own))

    def counted(self, place: Value) -> Value:
        """The index as the user wrote it, if this one is it with negative ones counted from the end."""
        op = self.facts.ops.get(place)
        if op is not None and op.name == "select" and place in self.layout.inline and self.is_wrapped(op):
            self.pending.pop(place, None)
            return op.args[2]
        return place

    def is_wrapped(self, op: Op) -> bool:
        """Whether this is `i + n if i < 0 else i`."""
        test, shifted = self.facts.ops.get(op.args[0]), self.facts.ops.get(op.args[1])
        index = op.args[2]
        return (
            test is not None
            and shifted is not None
            and test.name == "lt"
            and shifted.name == "add"
            and test.args[0] == index == shifted.args[0]
            and self.facts.known(test.args[1]) == 0
        )

    # --- checks and exits -------------------------------------------------------------------------------------------------

    def check(self, check: Check) -> None:
        """`if not ok: raise ...`."""
        operands = [self.text(value).text for value in check.operands]
        condition = negated(self.condition(check.ok))
        raised = Raise(f"{self.error(check.error)}({_message(check.message, operands)})")
        if condition.text == "not False":
            self.out.append(raised)
        else:
            self.out.append(Branch(condition, [raised]))

    def error(self, name: str) -> str:
        """The class of an exception, defined at the top where Python has none of that name."""
        if isinstance(getattr(builtins, name, None), type):
            return name
        if name == "LinAlgError":
            return "np.linalg.LinAlgError"
        if name == "NoNumber":
            return "ValueError"
        self.classes[name] = None
        return name

    def stop(self, stop: Stop) -> None:
        """`if condition:` leave."""
        condition = self.condition(stop.condition)
        body = self.returning(stop.block) if stop.targets is None else [*self.inside(stop.block, stop.targets), Break()]
        self.out += [Branch(condition, body)] if condition.text != "True" else body

    def returning(self, block: Block) -> list[Tree]:
        """Statements that end with the function's own `return`."""
        outer, self.out = self.out, []
        self.statements(block)
        self.finish(block.results)
        made, self.out = self.out, outer
        return made

    def finish(self, results: Sequence[Value]) -> None:
        """The end of the function."""
        self.end(self, results)

    # --- regions ----------------------------------------------------------------------------------------------------------

    def branch(self, branch: If) -> None:
        """`if`, or a choice in one line."""
        if branch.results and branch.results[0] in self.layout.choices:
            self.choice(branch)
        else:
            self.lines_for(branch)

    def choice(self, branch: If) -> None:
        """`a if condition else b`; a branch after all, if an arm needs a line of its own."""
        (result,) = branch.results
        before = dict(self.pending), dict(self.done), self.events, self.out
        self.out = []
        condition = self.expr(branch.condition)
        arms = []
        for arm in (branch.then, branch.orelse):
            self.statements(arm)
            arms.append(self.expr(arm.results[0]))
        if self.out:
            self.pending, self.done, self.events, self.out = before
            return self.lines_for(branch)
        self.out = before[-1]
        events = (*condition.events, *arms[0].events, *arms[1].events)
        expr = Expr(_choice(condition.text, arms[0].text, arms[1].text), events)
        if result in self.layout.inline:
            self.pending[result] = expr
        else:
            (text,) = self.settle([expr])
            self.out.append(Assign((self.variable(result),), (text,)))
        return None

    def lines_for(self, branch: If) -> None:
        """`if` in several lines."""
        condition = self.condition(branch.condition)
        then, orelse = self.inside(branch.then, branch.results), self.inside(branch.orelse, branch.results)
        self.out.append(Branch(condition, then, orelse))

    def enter(self, loop: Loop | While) -> None:
        """Assign what the first round reads."""
        pairs = [(result, first) for result, first in zip(loop.results, loop.init, strict=True) if result in self.layout.entered]
        self.assign([result for result, _ in pairs], [first for _, first in pairs])
        self.flush()

    def loop(self, loop: Loop) -> None:
        """`for`."""
        self.enter(loop)
        index = loop.body.params[0]
        name = self.variable(index, "i") if self.facts.uses[index] else "_"
        body = self.inside(loop.body, loop.results)
        self.out.append(Count(name, str(loop.count), body))

    def repeat(self, loop: While) -> None:
        """`while`; a test that needs lines of its own stands inside."""
        self.enter(loop)
        outer, self.out = self.out, []
        self.statements(loop.test)
        condition = self.condition(loop.test.results[0])
        test, self.out = self.out, outer
        body = self.inside(loop.body, loop.results)
        if test:
            body = [*test, Branch(negated(condition), [Break()]), *body]
            condition = TRUE
        self.out.append(Repeat(condition, body))

    def attempt(self, attempt: Try) -> None:
        """`try`."""
        self.flush()
        body = self.inside(attempt.body, attempt.results)
        handlers = []
        for handler in attempt.handlers:
            classes = [self.error(name) for name in handler.catches]
            text = classes[0] if len(classes) == 1 else f"({', '.join(classes)})"
            handlers.append((text, self.inside(handler.block, attempt.results)))
        self.out.append(Attempt(body, handlers))

    def assign(self, targets: Sequence[Value], sources: Sequence[Value]) -> None:
        """Give variables their values, as if all at once."""
        exprs = [self.expr(source) for source in sources]
        texts = self.settle(exprs) if any(expr.events for expr in exprs) else [expr.text for expr in exprs]
        moves = [(self.variable(target), text) for target, text in zip(targets, texts, strict=True)]
        moves = self.grouped([(name, text) for name, text in moves if name != text.text])
        fixed = any(expr.events for expr in exprs)
        while moves:
            free = next((move for move in moves if not _is_read(move[0], [text for _, text in moves if text is not move[1]])), None)
            if free is None or (fixed and free is not moves[0]):
                self.out.append(Assign(tuple(name for name, _ in moves), tuple(bracket(text, 1) for _, text in moves)))
                return
            moves.remove(free)
            self.out.append(Assign((free[0],), (free[1],)))

    def grouped(self, moves: list[tuple[str, Text]]) -> list[tuple[str, Text]]:
        """Write several numbers in one line, or all items of a tuple; return what is left."""
        holders = [ITEM.match(text.text) for _, text in moves]
        if len(moves) > 1 and all(holders) and len({found[1] for found in holders if found}) == 1:
            found = [match for match in holders if match]
            if [int(match[2]) for match in found] == list(range(len(found))) and self.sizes.get(found[0][1]) == len(found):
                self.out.append(Assign(tuple(name for name, _ in moves), (Text(found[0][1]),)))
                return []
        if 1 < len(moves) <= 4 and all(NUMBER.match(text.text) for _, text in moves):
            self.out.append(Assign(tuple(name for name, _ in moves), tuple(text for _, text in moves)))
            return []
        return moves


def _choice(condition: Text, first: Text, second: Text) -> Text:
    """`first if condition else second`, or the `and` and `or` that it amounts to."""
    if second.text == "False":
        return fill("{0} and {1}", (condition, first))
    if first.text == "True":
        return fill("{0} or {1}", (condition, second))
    return Text(f"{bracket(first, 1).text} if {bracket(condition, 1).text} else {second.text}", 0)


def _is_read(name: str, texts: Sequence[Text]) -> bool:
    return any(name in WORD.findall(text.text) for text in texts)


def _in_order(operands: Sequence[Expr]) -> bool:
    events = [event for operand in operands for event in operand.events]
    return events == sorted(events)


def _unbracketed(template: str) -> tuple[str, int | None]:
    """A spelling with brackets of its own, without them, and how tightly it binds then."""
    if template.startswith("(") and template.endswith(")") and " if " in template and template.count("{0}") == 1:
        return template[1:-1], 0
    return template, None


def quoted(text: str) -> str:
    """A string as most people write it.

    >>> print(quoted("no convergence"), quoted('say "x"'))
    "no convergence" 'say "x"'
    """
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain and "\\'" not in plain else plain


def _message(message: str, operands: Sequence[str]) -> str:
    """The text of an exception; operands stand in braces."""
    if not message:
        return ""
    if not operands:
        return quoted(message.format())
    filled = re.sub(r"\{(\d+)", lambda found: "{" + operands[int(found[1])], message)
    quote = '"' if '"' not in filled else "'"
    return f"f{quote}{filled}{quote}"
