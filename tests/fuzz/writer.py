"""Writes one function's body: what is in scope, what may be assigned, and how deep things may still nest.

Every variable has an interval that all assignments to it respect, so loops stay bounded whatever they do.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tests.fuzz import registry
from tests.fuzz.bounds import fit
from tests.fuzz.expression import BIGGEST, Expr, Kind, add, multiply, number, subtract

NAMES = (
    "rate load level gap speed drag flow temp err step mix gain bias ratio total best score power force depth width height mass heat "
    "phase angle slope offset scale delta error shift weight energy pressure density area volume limit margin cost price stock tax "
    "fee yield_ growth decay signal noise peak base rest part share"
).split()

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Variable:
    """A name in scope. One that is not `writable` steers a loop or a guard and stays as it is."""

    name: str
    kind: Kind
    low: float
    high: float
    writable: bool = True

    def read(self) -> Expr:
        return Expr(self.name, self.kind, self.low, self.high)


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a helper accepts: a name, an interval, and `float` or `int`. `default` is text, `keyword` means keyword-only."""

    name: str
    low: float = -8.0
    high: float = 8.0
    default: str = ""
    keyword: bool = False
    kind: Kind = "float"


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of the module. `gives` is 'float', 'bool', 'pair' or 'maybe' (None or a float); `low`, `high` bound each number."""

    name: str
    lines: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    gives: str
    low: float
    high: float
    used: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    star: bool = False


@dataclass
class Module:
    """What the functions of one program share."""

    constants: dict[str, float] = field(default_factory=dict)
    tables: dict[str, list[float]] = field(default_factory=dict)
    options: dict[str, dict[str, float]] = field(default_factory=dict)
    helpers: dict[str, Helper] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    rich: bool = False
    extra: list[str] = field(default_factory=list)  # classes and functions that statements brought with them


@dataclass(frozen=True, slots=True)
class Thing:
    """An array or a list in scope: its shape, and the interval of all its items."""

    name: str
    kind: str
    shape: tuple[int, ...]
    low: float
    high: float

    def read(self) -> Expr:
        return Expr(self.name, "float", self.low, self.high)


@dataclass(frozen=True, slots=True)
class Guarded:
    """A name that is bound only where `guard` holds."""

    guard: str
    variable: Variable


class Writer:
    """The state of one function under construction."""

    def __init__(self, rng: random.Random, module: Module, budget: int, give: Callable[[Writer], str] | None) -> None:
        self.rng = rng
        self.module = module
        self.budget = budget
        self.give = give
        self.scope: dict[str, Variable] = {}
        self.options: dict[str, tuple[str, ...]] = {}
        self.flags: list[str] = []
        self.sizes: list[str] = []
        self.sources: list[str] = []
        self.guarded: list[Guarded] = []
        self.things: dict[str, Thing] = {}
        self.used: set[str] = set()
        self.needs: set[str] = set()
        self.nesting = 0
        self.rounds = 1
        self.in_loop = False
        self.may_continue = False
        self.callable = True

    def note(self, name: str) -> None:
        """Count a construct as used by this program."""
        self.used.add(name)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def pick(self, items: dict[Item, float]) -> Item:
        """One of the keys, by weight."""
        return self.rng.choices(list(items), list(items.values()))[0]

    def variant(self, prefix: str, items: dict[str, float]) -> str:
        """Pick one of several spellings of a construct and count it under its own name."""
        name = self.pick(items)
        self.note(f"{prefix}: {name}")
        return name

    def fresh(self, stem: str = "") -> str:
        """A name nobody uses yet."""
        stem = stem or self.rng.choice(NAMES)
        name, count = stem, 1
        while name in self.module.taken:
            count += 1
            name = f"{stem}{count}"
        self.module.taken.add(name)
        return name

    def literal(self, low: float = -3.0, high: float = 3.0) -> Expr:
        """A float as people write it: few digits, not zero."""
        for digits in (self.pick({1: 3, 2: 4, 3: 1}), 2, 4, 6, 9):
            value = round(self.rng.uniform(low, high), digits)
            if value and low <= value <= high:
                return number(value)
        return number((low + high) / 2 or high)

    def expr(self, kind: Kind, depth: int) -> Expr:
        """Any expression of a kind, not deeper than `depth`."""
        rows = registry.EXPRESSIONS[kind]
        if kind == "float" and self.things:
            rows = [*rows, *registry.RICH_EXPRESSIONS]
        weights = [row.weight for row in rows]
        for _ in range(30):
            row = self.rng.choices(rows, weights)[0]
            before, needed = set(self.used), set(self.needs)
            made: Expr | None = row.produce(self, depth)
            if made is not None and made.reach <= 1e6:
                self.note(row.name)
                return made if made.reach <= BIGGEST else fit(self, made, -BIGGEST, BIGGEST)
            self.used, self.needs = before, needed
        return number({"float": 0.5, "int": 2, "bool": 1}[kind])

    def float(self, depth: int = 2) -> Expr:
        return self.expr("float", depth)

    def int(self, depth: int = 1) -> Expr:
        return self.expr("int", depth)

    def bool(self, depth: int = 1) -> Expr:
        return self.expr("bool", depth)

    def within(self, low: float, high: float, depth: int = 2) -> Expr:
        """A float expression with its value between two bounds."""
        return fit(self, self.float(depth), low, high)

    def positive(self, depth: int = 1, least: float = 0.1) -> Expr:
        """A float expression that stays above `least`."""
        return self.within(least, BIGGEST, depth)

    def variables(self, kind: Kind, writable: bool = False) -> list[Variable]:
        return [item for item in self.scope.values() if item.kind == kind and (item.writable or not writable)]

    def some(self, kind: Kind, writable: bool = False) -> Variable | None:
        """A variable in scope, or None. Inputs are taken more often: they differ from sample to sample."""
        found = self.variables(kind, writable)
        if not found:
            return None
        inputs = [item for item in found if item.name in self.sources]
        return self.rng.choice(inputs if inputs and self.chance(0.35) else found)

    def declare(self, name: str, made: Expr, writable: bool = True) -> Variable:
        """Bring a name into scope with room around the interval of its first value."""
        reach = max(made.reach, 1.0)
        if made.kind == "float" and writable and made.low < 0 and self.chance(0.8):
            low, high = -1.5 * reach, 1.5 * reach
        else:
            low, high = made.low, made.high
        variable = Variable(name, made.kind, low, high, writable)
        self.scope[name] = variable
        return variable

    def freeze(self, name: str) -> None:
        """Forbid further assignments to a name."""
        if name in self.scope:
            self.scope[name] = replace(self.scope[name], writable=False)

    def assign(self, variable: Variable, made: Expr) -> str:
        """An assignment that keeps the variable inside its interval."""
        return f"{variable.name} = {fit(self, made, variable.low, variable.high).text}"

    def statement(self) -> list[str]:
        """Any statement that applies here."""
        self.budget -= 1
        rows = [*registry.STATEMENTS, *registry.RICH] if self.module.rich else registry.STATEMENTS
        weights = [row.weight for row in rows]
        for _ in range(30):
            row = self.rng.choices(rows, weights)[0]
            before, needed, scope, guarded = set(self.used), set(self.needs), dict(self.scope), list(self.guarded)
            things, extra = dict(self.things), list(self.module.extra)
            lines: list[str] | None = row.produce(self)
            if lines is not None:
                self.note(row.name)
                return lines
            self.used, self.needs, self.scope, self.guarded = before, needed, scope, guarded
            self.things, self.module.extra = things, extra
        return ["pass"]

    def statements(self, most: int) -> list[str]:
        """A few statements in the current scope."""
        lines: list[str] = []
        for _ in range(self.rng.randint(1, most)):
            if self.budget > 0 or not lines:
                lines += self.statement()
        return lines

    def block(self, most: int = 3, first: list[str] | None = None) -> list[str]:
        """An indented block with a scope of its own; names bound inside are forgotten after it."""
        with self.inside():
            return indent([*(first or []), *self.body(most)])

    def body(self, most: int) -> list[str]:
        """Statements of a block; what they compute flows into a variable that outlives it."""
        outer = set(self.scope)
        lines = self.statements(most)
        own = [item for name, item in self.scope.items() if name not in outer]
        targets = [item for item in self.variables("float", writable=True) if item.name in outer]
        idle = unread(own, lines)[:3]
        if not idle or not targets or self.chance(0.1):
            return lines
        target = self.rng.choice(targets)
        made = target.read()
        for item in idle:
            made = add(made, item.read()) if self.chance(0.6) else subtract(item.read(), multiply(number(0.5), made))
        return [*lines, self.assign(target, made)]

    @contextmanager
    def inside(self, loop: bool = False, rounds: int = 1, may_continue: bool = True) -> Iterator[None]:
        """Go one level deeper, into the body of a loop if `loop`."""
        saved = (dict(self.scope), list(self.guarded), self.nesting, self.rounds, self.in_loop, self.may_continue)
        things = dict(self.things)
        self.nesting += 1
        self.rounds *= rounds
        if loop:
            self.in_loop, self.may_continue = True, may_continue
        try:
            yield
        finally:
            scope, self.guarded, self.nesting, self.rounds, self.in_loop, self.may_continue = saved
            self.scope = {name: self._after(item) for name, item in scope.items()}
            self.things = things

    def _after(self, item: Variable) -> Variable:
        """A name frozen inside a block stays frozen outside of it."""
        inner = self.scope.get(item.name, item)
        return replace(item, writable=item.writable and inner.writable)

    def child(self, budget: int, give: Callable[[Writer], str] | None) -> Writer:
        """A writer for another function of the same module."""
        return Writer(self.rng, self.module, budget, give)

    def absorb(self, other: Writer) -> None:
        """Count what a nested function uses as used here."""
        self.used |= other.used
        self.needs |= other.needs

    @property
    def roomy(self) -> bool:
        """Whether another block may be opened here."""
        return self.nesting < 3 and self.budget > 0


def unread(variables: list[Variable], lines: list[str]) -> list[Variable]:
    """The variables that are bound in some lines but not read there."""
    text = "\n".join(lines)
    return [item for item in variables if len(re.findall(rf"\b{re.escape(item.name)}\b", text)) < 2]


def indent(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


