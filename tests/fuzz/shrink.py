"""Make a failing program small: fewer samples, statements, branches, helpers, arguments and operands, and the same failure.

>>> from tests.fuzz.program import Program
>>> text = "def f(x, y):\\n    t = y + 1.0\\n    if x > 0.5:\\n        t = math.exp(x) * 3.0\\n    return t - x\\n"
>>> program = Program(0, "import math\\n" + text, "f", ({"x": 0.25, "y": 1.0}, {"x": 2.0, "y": 1.0}), {})
>>> small = shrink(program, lambda candidate: (Instrumented(candidate).run(-1).value or 0) > 5.0)
>>> print(small.source.strip(), small.samples)
import math
<BLANKLINE>
def f(x):
    t = math.exp(x)
    return t ({'x': 2.0},)
"""

from __future__ import annotations

import ast
import copy
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.fuzz.instrument import Instrumented, flat
from tests.fuzz.program import Program

Fails = Callable[[Program], bool]
Edit = Callable[[], Program | None]

#: Errors that an edit causes rather than the program.
BROKEN = ("NameError", "UnboundLocalError", "TypeError", "SyntaxError", "AttributeError", "RecursionError", "Endless")


def shrink(program: Program, fails: Fails, seconds: float = 120.0) -> Program:
    """The smallest program found in the given time for which `fails` still holds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # halfway programs may call a number
        return _shrink(program, fails, seconds)


def _shrink(program: Program, fails: Fails, seconds: float) -> Program:
    search = Search(program, fails, time.monotonic() + seconds)
    search.samples()
    size = -1
    while size != len(search.program.source) and not search.late:
        size = len(search.program.source)
        for edits in (drop_statements, unwrap, drop_parameters, pull_up, plain_numbers):
            search.sweep(edits)
    search.samples()
    return search.program


class Search:
    """The best program so far, and the attempts to make it smaller."""

    def __init__(self, program: Program, fails: Fails, deadline: float) -> None:
        self.program = program
        self.fails = fails
        self.deadline = deadline
        self.broken = _broken(program)
        self.seen: set[str] = set()

    @property
    def late(self) -> bool:
        return time.monotonic() > self.deadline

    def accept(self, candidate: Program) -> bool:
        """Take a candidate over if it fails in the same way."""
        key = f"{candidate.source}{candidate.samples}"
        if key in self.seen or self.late:
            return False
        self.seen.add(key)
        if _broken(candidate) - self.broken or not self.fails(candidate):
            return False
        self.program = candidate
        return True

    def samples(self) -> None:
        """One sample if one is enough, else as few as halving finds."""
        for sample in self.program.samples:
            if len(self.program.samples) > 1 and self.accept(replace(self.program, samples=(sample,))):
                return
        size = len(self.program.samples) // 2
        while size:
            for start in range(0, len(self.program.samples), size):
                rest = self.program.samples[:start] + self.program.samples[start + size :]
                if rest:
                    self.accept(replace(self.program, samples=rest))
            size //= 2

    def sweep(self, edits: Callable[[ast.Module, Program], Iterator[Edit]]) -> None:
        """Try the edits of one kind, one after another; after a success the next edit stands at the same number."""
        number = 0
        while not self.late:
            tree = ast.parse(self.program.source)
            edit = next((item for index, item in enumerate(edits(tree, self.program)) if index == number), None)
            if edit is None:
                return
            candidate = edit() or self.program
            try:
                source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
            except (ValueError, AttributeError):
                number += 1
                continue
            if source == self.program.source or not self.accept(replace(candidate, source=source)):
                number += 1


def _broken(program: Program) -> set[str]:
    """Slips that a program contains: errors no sensible program raises, answers that are not numbers."""
    try:
        runs = Instrumented(program)
        results = [runs.run(sample) for sample in range(len(program.samples))]
        slips = {result.error for result in results if result.error in BROKEN}
        leaves = [leaf for result in results if not result.error for leaf in flat(result.value)]
        return slips | {type(leaf).__name__ for leaf in leaves if not isinstance(leaf, (int, float, complex))}
    except (SyntaxError, IndexError, ValueError, TypeError) as error:
        return {type(error).__name__}


def _bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    """Every list of statements, outermost first."""
    return [body for node in ast.walk(tree) for name in ("body", "orelse", "finalbody")
            if isinstance(body := getattr(node, name, None), list) and body and isinstance(body[0], ast.stmt)]


def drop_statements(tree: ast.Module, program: Program) -> Iterator[Edit]:
    """Runs of statements, long ones first."""
    for body in _bodies(tree):
        size = len(body)
        while size:
            for start in range(0, len(body), size):
                yield _dropping(body, start, size)
            size //= 2


def _dropping(body: list[ast.stmt], start: int, size: int) -> Edit:
    def drop() -> None:
        kept = body[:start] + body[start + size :]
        body[:] = kept or [ast.Pass()]

    return drop


def unwrap(tree: ast.Module, program: Program) -> Iterator[Edit]:
    """A compound statement gives way to one of its blocks; an empty `else` goes."""
    for body in _bodies(tree):
        for place, node in enumerate(body):
            for name in ("body", "orelse"):
                inner = getattr(node, name, None)
                if inner and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    yield _replacing(body, place, inner)
            if getattr(node, "orelse", None):
                yield _clearing(node)


def _replacing(body: list[ast.stmt], place: int, inner: list[ast.stmt]) -> Edit:
    def unwrap_here() -> None:
        body[place : place + 1] = inner

    return unwrap_here


def _clearing(node: Any) -> Edit:
    def clear() -> None:
        node.orelse = []

    return clear


def drop_parameters(tree: ast.Module, program: Program) -> Iterator[Edit]:
    """Parameters that nothing needs any more: of the entry with their samples, of helpers with the arguments of their calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for name in [item.arg for item in (*node.args.args, *node.args.kwonlyargs)]:
                yield _without(tree, node, name, program)


def _without(tree: ast.Module, function: ast.FunctionDef, name: str, program: Program) -> Edit:
    def drop() -> Program:
        place = _forget(function.args, name)
        if function.name == program.entry:
            samples = tuple({key: value for key, value in sample.items() if key != name} for sample in program.samples)
            return replace(program, samples=samples, config={key: value for key, value in program.config.items() if key != name})
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == function.name:
                call.keywords = [item for item in call.keywords if item.arg != name]
                if place is not None and place < len(call.args):
                    del call.args[place]
        return program

    return drop


def _forget(arguments: ast.arguments, name: str) -> int | None:
    """Take a parameter out of a signature; its position, if it has one."""
    plain = [item.arg for item in arguments.args]
    if name not in plain:
        place = [item.arg for item in arguments.kwonlyargs].index(name)
        del arguments.kwonlyargs[place], arguments.kw_defaults[place]
        return None
    place = plain.index(name)
    from_end = len(plain) - place
    if from_end <= len(arguments.defaults):
        del arguments.defaults[len(arguments.defaults) - from_end]
    del arguments.args[place]
    return place


def pull_up(tree: ast.Module, program: Program) -> Iterator[Edit]:
    """An expression gives way to one of its parts, or to a number."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            slots = [(value, number) for number in range(len(value))] if isinstance(value, list) else [(parent, field)]
            for holder, key in slots:
                node = holder[key] if isinstance(holder, list) else value
                if isinstance(node, ast.expr) and _is_read(node) and not isinstance(node, ast.Constant) and field != "func":
                    for part in [*_parts(node), ast.Constant(1.0), ast.Constant(1), ast.Constant(True)]:
                        yield _putting(holder, key, part)


def _is_read(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not isinstance(node, ast.Slice)


def _parts(node: ast.expr) -> list[ast.expr]:
    children = [child.value if isinstance(child, (ast.keyword, ast.Starred)) else child for child in ast.iter_child_nodes(node)]
    return [child for child in children if isinstance(child, ast.expr) and _is_read(child)]


def _putting(holder: Any, key: Any, part: ast.expr) -> Edit:
    def put() -> None:
        new = copy.deepcopy(part)
        if isinstance(holder, list):
            holder[key] = new
        else:
            setattr(holder, key, new)

    return put


def plain_numbers(tree: ast.Module, program: Program) -> Iterator[Edit]:
    """Literals become round."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            for value in (1.0, 2.0, 0.5, float(round(node.value, 1))):
                if node.value not in (1.0, 2.0, 0.5, value):
                    yield _setting(node, value)


def _setting(node: ast.Constant, value: float) -> Edit:
    def change() -> None:
        node.value = value

    return change
