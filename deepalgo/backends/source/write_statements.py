"""Write blocks of a program as Python statements.

Values that branches and loops hand on are assigned at the end of their blocks.
"""

from __future__ import annotations

import ast
import builtins
import re
import string
from collections.abc import Callable, Sequence
from typing import assert_never

from deepalgo.backends.expression import ATOM, Fragment, bracket
from deepalgo.backends.names import Names
from deepalgo.backends.source.constants import literal
from deepalgo.backends.source.exits import Stop
from deepalgo.backends.source.facts import BodyFacts
from deepalgo.backends.source.layout import Layout
from deepalgo.backends.source.tree import Assign, Attempt, Branch, Break, Count, Expression, Raise, Repeat, Tree, negated
from deepalgo.backends.source.wrap import closes_last
from deepalgo.backends.source.write_expressions import Expr, ExpressionWriter, choice_of
from deepalgo.ir import Block, Check, If, Loop, Op, Restore, Rewind, Save, Statement, Try, Value, While
from deepalgo.ops.indexing import subscript
from deepalgo.ops.table import TABLE

TRUE = Fragment("True")
#: Spellings that Python also writes as `x += y`.
AUGMENTED = re.compile(r"\{0\} ([-+*/]) \{1\}")
WORD = re.compile(r"[A-Za-z_]\w*")
ITEM = re.compile(r"([A-Z]\w*(?:\[\d+\])*)\[(\d+)\]$")
NUMBER = re.compile(r"-?[\d.]+(e[-+]?\d+)?$")
#: Ends a function, given the results.
End = Callable[["StatementWriter", Sequence[Value]], None]


class StatementWriter(ExpressionWriter):
    """Writes blocks into lists of statements; `classes` are the user's exceptions, which have to be defined above."""

    def __init__(self, facts: BodyFacts, layout: Layout, names: Names, defaults: Sequence[str], end: End) -> None:
        super().__init__(facts, layout, names, defaults)
        self.end = end
        self.classes: dict[str, str] = {}

    def statements(self, block: Block) -> None:
        """Write the statements of a block."""
        outer, self.answered = self.answered, {}
        for statement in block.body:
            self.statement(statement)
        self.answered = outer

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
            case Save() | Restore() | Rewind():
                raise AssertionError("only derivatives save and restore")
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
        if op.is_weight:
            key = str(op.attr("key"))
            text = Fragment(key) if key in self.defaults else literal(self.facts.weights[key])
            if text.text != self.variable(op.result):
                self.out.append(Assign((self.variable(op.result),), (text,)))
            return
        if TABLE[op.name].replaces:
            self.put(op)
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

    def put(self, op: Op) -> None:
        """Change a part of an array: of a copy, unless the array itself is not needed any more."""
        array, *place, item = op.args
        exprs = [self.expr(array), *(self.expr(self.counted(value)) for value in place), self.expr(item)]
        texts = self.settle(exprs)
        name = self.variable(op.result, "array")
        if texts[0].text != name or not self.layout.is_own(array):
            held = self.facts.ops.get(array)
            is_new = held is not None and held.is_const
            self.out.append(Assign((name,), (texts[0] if is_new else Fragment(f"{bracket(texts[0], ATOM).text}.copy()"),)))
        key = texts[1].text if place else subscript(op.attr("key"))
        self.flush()
        self.out.append(Assign((f"{name}[{key}]",), (texts[-1],)))

    def line(self, op: Op, name: str, text: Fragment) -> None:
        """`name = text`, or `name += ...` for a number that changes."""
        augmented = AUGMENTED.fullmatch(self.facts.templates.get(op.result, ""))
        if augmented and not op.result.type.shape and self.is_home(op.args[0], name):
            rest = text.text.removeprefix(f"{name} {augmented[1]} ")
            if rest != text.text:
                bare = rest[1:-1] if rest.startswith("(") and closes_last(rest) else rest
                self.out.append(Assign((name,), (Fragment(bare),), augmented[1]))
                return
        self.out.append(Assign((name,), (text,)))

    def is_home(self, value: Value, name: str) -> bool:
        """Whether a value stands in this variable."""
        return self.layout.is_stored(value) and self.variable(value) == name

    def check(self, check: Check) -> None:
        """`if not ok: raise ...`."""
        operands = [self.text(value).text for value in check.operands]
        condition = negated(self.condition(check.ok))
        message = _key(check.message, operands) if check.error == "KeyError" else _message(check.message, operands)
        raised = Raise(f"{self.error(check.error)}({message})")
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
        if name not in self.classes:
            self.classes[name] = self.names.keep(name)
        return self.classes[name]

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
        expr = Expr(choice_of(condition.text, arms[0].text, arms[1].text), events)
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
            everything = {"Exception", "BaseException"} & set(handler.catches)
            classes = [self.error(name) for name in (everything or handler.catches) if name != "LoopBound"]
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

    def grouped(self, moves: list[tuple[str, Fragment]]) -> list[tuple[str, Fragment]]:
        """Write several numbers in one line, or all items of a tuple; return what is left."""
        holders = [ITEM.match(text.text) for _, text in moves]
        if len(moves) > 1 and all(holders) and len({found[1] for found in holders if found}) == 1:
            found = [match for match in holders if match]
            if [int(match[2]) for match in found] == list(range(len(found))) and self.sizes.get(found[0][1]) == len(found):
                self.out.append(Assign(tuple(name for name, _ in moves), (Fragment(found[0][1]),)))
                return []
        if 1 < len(moves) <= 4 and all(NUMBER.match(text.text) for _, text in moves):
            self.out.append(Assign(tuple(name for name, _ in moves), tuple(text for _, text in moves)))
            return []
        return moves


def _is_read(name: str, texts: Sequence[Fragment]) -> bool:
    return any(name in WORD.findall(text.text) for text in texts)


def quoted(text: str) -> str:
    """A string as most people write it.

    >>> print(quoted("no convergence"), quoted('say "x"'))
    "no convergence" 'say "x"'
    """
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain and "\\'" not in plain else plain


def _key(message: str, operands: Sequence[str]) -> str:
    """The argument of a KeyError, whose text is its representation.

    >>> _key("'a'", []), _key("{0}", ["n"]), _key("not found", [])
    ("'a'", 'n', '"not found"')
    """
    if message == "{0}":
        return operands[0]
    try:
        return _message(message, operands) if operands or not message else repr(ast.literal_eval(message))
    except (SyntaxError, ValueError):
        return _message(message, operands)


def _message(message: str, operands: Sequence[str]) -> str:
    r"""The text of an exception; operands stand in braces, or are formatted where the text has marks that an f-string cannot hold.

    >>> print(_message("x is {0:.2f}", ["x"]), _message("{0!r} isn't \"it\"", ["x"]))
    f"x is {x:.2f}" '{0!r} isn\'t "it"'.format(x)
    """
    if not message:
        return ""
    if not operands:
        return quoted(message.replace("{{", "{").replace("}}", "}"))
    parts = [(text.replace("{", "{{").replace("}", "}}"), field, spec, how) for text, field, spec, how in string.Formatter().parse(message)]
    filled = "".join(text + ("" if field is None else _field(operands[int(field)], spec, how)) for text, field, spec, how in parts)
    quote = '"' if '"' not in filled else "'"
    if quote in filled or "\\" in filled or not filled.isprintable():
        return f"{quoted(message)}.format({', '.join(operands)})"
    return f"f{quote}{filled}{quote}"


def _field(operand: str, spec: str | None, conversion: str | None) -> str:
    """An operand in braces."""
    return f"{{{operand}{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}}}"
