"""`match`: each `case` is an `if` whose test asks whether the subject has the pattern, and whose body begins with what it captures."""

from __future__ import annotations

import ast
import collections.abc
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from deepalgo.ir import Op
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.exits import FALL, Exit
from deepalgo.stage.state.given_nodes import Asked
from deepalgo.stage.state.guarded_items import GuardedItems
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import Pending, choose
from deepalgo.stage.state.static_values import static_int, static_key
from deepalgo.stage.state.structure import ANYTHING
from deepalgo.stage.state.unions import distribute, merge_cases
from deepalgo.stage.state.values import DataLength, DataText, Generator, Union, UserRaise
from deepalgo.stage.syntax.assignment import assign
from deepalgo.stage.syntax.short_circuit import both

#: Classes whose single positional pattern is the subject itself.
WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


@dataclass(slots=True)
class Found:
    """Whether a subject has a pattern (a bool, or a Signal), and the names that the pattern captures."""

    verdict: Any
    names: dict[str, Any] = field(default_factory=dict)


def run_match(machine: Machine, node: ast.Match) -> Exit | Pending:
    """`match subject: case ...`."""
    chain = cases(machine, machine.evaluate(node.subject), node.cases, node)
    return machine.execute(chain[0]) if chain else FALL


def cases(machine: Machine, subject: Any, given: list[ast.match_case], node: ast.Match) -> list[ast.stmt]:
    """The cases as a chain of `if`."""
    if not given:
        return []
    case, *others = given
    found = Found(False)

    def ask() -> Any:
        result = search(machine, case.pattern, subject)
        found.verdict, found.names = result.verdict, result.names
        if case.guard is None:
            return found.verdict
        guard = case.guard

        def guarded() -> Any:
            for name, value in found.names.items():
                assign(machine, ast.copy_location(ast.Name(name, ast.Store()), case.pattern), value)
            return machine.truth(machine.evaluate(guard), guard)

        return both(machine, found.verdict, guarded, guard)

    captures = [_capture(name, found, case.pattern) for name in _captured(case.pattern)]
    test = ast.copy_location(Asked(ask), case.pattern)
    return [ast.copy_location(ast.If(test, [*captures, *case.body], cases(machine, subject, others, node)), case.pattern)]


def _capture(name: str, found: Found, place: ast.pattern) -> ast.stmt:
    target = ast.copy_location(ast.Name(name, ast.Store()), place)
    return ast.copy_location(ast.Assign([target], ast.copy_location(Asked(lambda: found.names[name]), place)), place)


@functools.lru_cache(maxsize=1024)
def _captured(pattern: ast.pattern) -> tuple[str, ...]:
    """The names that a pattern binds."""
    names = [part for item in ast.walk(pattern) for part in (getattr(item, "name", None), getattr(item, "rest", None))]
    return tuple(sorted({name for name in names if isinstance(name, str)}))


def search(machine: Machine, pattern: ast.pattern, subject: Any) -> Found:
    """Whether a subject, or which case of it, has a pattern."""
    if not isinstance(subject, Union) or isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        return _search(machine, pattern, subject)
    names = _captured(pattern)

    def one(case: Any) -> tuple[Any, ...]:
        found = _search(machine, pattern, case)
        return (found.verdict, *(found.names.get(name, ANYTHING) for name in names))

    met = distribute(machine, subject, one, pattern)
    if isinstance(met, Union):  # cases that compute nothing stay apart
        met = [merge_cases(machine, [(guard, case[place]) for guard, case in met.cases], pattern) for place in range(1 + len(names))]
    verdict, *values = met
    return Found(decide(machine, verdict), dict(zip(names, values, strict=True)))


def _search(machine: Machine, pattern: ast.pattern, subject: Any) -> Found:
    machine.at(pattern)
    match pattern:
        case ast.MatchAs(pattern=None, name=name):
            return Found(True, {} if name is None else {name: subject})
        case ast.MatchAs(pattern=ast.pattern() as inner, name=name):
            found = search(machine, inner, subject)
            return Found(found.verdict, {**found.names, str(name): subject})
        case ast.MatchValue(value=value):
            return Found(_asked(machine, machine.compare(ast.Eq, subject, machine.evaluate(value), pattern), pattern))
        case ast.MatchSingleton(value=value):
            return Found(_asked(machine, machine.compare(ast.Is, subject, value, pattern), pattern))
        case ast.MatchOr(patterns=patterns):
            return _alternatives(machine, patterns, subject)
        case ast.MatchSequence(patterns=patterns):
            return _sequence(machine, pattern, patterns, subject)
        case ast.MatchMapping():
            return _mapping(machine, pattern, subject)
        case ast.MatchClass():
            return _instance(machine, pattern, subject)
        case _:
            machine.refuse("this pattern cannot be compiled", "Write it with `if`.", pattern)


def _asked(machine: Machine, answer: Any, node: ast.AST) -> Any:
    return decide(machine, machine.truth(answer, node))


def _conjoin(machine: Machine, found: Found, more: Callable[[], Found], node: ast.AST) -> Found:
    """A further part of a pattern, which counts where all parts before it hold."""
    if found.verdict is False:
        return found
    count, body = len(machine.builder.body), machine.builder.body
    other = more()
    if found.verdict is True or other.verdict is False:
        return Found(other.verdict, {**found.names, **other.names})
    if not all(isinstance(item, Op) for item in body[count:]):
        machine.refuse("this part of the pattern is asked only where data says so, and may fail", "Write it with `if`.", node)
    verdict = found.verdict if other.verdict is True else machine.both(found.verdict, other.verdict)
    return Found(verdict, {**found.names, **other.names})


def _alternatives(machine: Machine, patterns: list[ast.pattern], subject: Any) -> Found:
    first = search(machine, patterns[0], subject)
    if first.verdict is True or len(patterns) == 1:
        return first
    rest = _alternatives(machine, patterns[1:], subject)
    if first.verdict is False:
        return rest
    verdict = rest.verdict or first.verdict if isinstance(rest.verdict, bool) else machine.either(first.verdict, rest.verdict)
    names = first.names if rest.verdict is False else {
        name: choose(machine, first.verdict, functools.partial(first.names.get, name), functools.partial(rest.names.get, name), patterns[0])
        for name in first.names
    }
    return Found(verdict, names)


def _sequence(machine: Machine, node: ast.MatchSequence, patterns: list[ast.pattern], subject: Any) -> Found:
    items = _items(machine, subject, node)
    if items is None:
        return Found(False)
    stars = [place for place, item in enumerate(patterns) if isinstance(item, ast.MatchStar)]
    fixed = len(patterns) - len(stars)
    if len(items) < fixed or (not stars and len(items) > fixed):
        return Found(False)
    found = Found(True)
    if stars:
        place, after = stars[0], len(patterns) - stars[0] - 1
        rest, name = items[place : len(items) - after], getattr(patterns[place], "name", None)
        if name is not None:
            found.names[name] = machine.heap.created(list(rest))
        items = [*items[:place], *items[len(items) - after :]]
        patterns = [*patterns[:place], *patterns[place + 1 :]]
    for part, item in zip(patterns, items, strict=True):
        found = _conjoin(machine, found, functools.partial(search, machine, part, item), part)
    return found


def _items(machine: Machine, subject: Any, node: ast.AST) -> list[Any] | None:
    """The items of a sequence; None where the subject is none in the sense of `match`."""
    if isinstance(subject, (GuardedItems, DataText)) or (isinstance(subject, DataLength) and not isinstance(subject, Generator)):
        machine.refuse("how many items this has depends on data", "Write it with `if`.", node)
    if isinstance(subject, (str, bytes, bytearray)) or not isinstance(subject, collections.abc.Sequence):
        return None
    if isinstance(subject, (list, tuple, range)):
        return list(subject)
    size = machine.call(len, [subject], {}, node)
    return [machine.get_item(subject, place, node) for place in range(static_int(machine, size, node))]


def _mapping(machine: Machine, node: ast.MatchMapping, subject: Any) -> Found:
    if not isinstance(subject, collections.abc.Mapping):
        return Found(False)
    found, keys = Found(True), [static_key(machine, machine.evaluate(key), key) for key in node.keys]
    for key, pattern in zip(keys, node.patterns, strict=True):
        if key not in subject:
            return Found(False)
        item = machine.get_item(subject, key, node)
        found = _conjoin(machine, found, functools.partial(search, machine, pattern, item), pattern)
    if node.rest is not None:
        found.names[node.rest] = machine.heap.created({key: value for key, value in subject.items() if key not in keys})
    return found


def _instance(machine: Machine, node: ast.MatchClass, subject: Any) -> Found:
    cls = machine.evaluate(node.cls)
    if not isinstance(cls, type):
        raise UserRaise(TypeError, "called match pattern must be a class", machine.at(node.cls))
    found = Found(_asked(machine, machine.call(isinstance, [subject, cls], {}, node), node))
    names = [*_positional(machine, cls, node), *node.kwd_attrs]
    for name, pattern in zip(names, [*node.patterns, *node.kwd_patterns], strict=True):
        found = _conjoin(machine, found, functools.partial(_attribute, machine, subject, name, pattern), pattern)
    return found


def _positional(machine: Machine, cls: type, node: ast.MatchClass) -> list[str | None]:
    """The attributes that positional patterns ask for; None is the subject itself."""
    wanted = len(node.patterns)
    if cls in WHOLE or (issubclass(cls, WHOLE) and not hasattr(cls, "__match_args__")):
        known: tuple[Any, ...] = (None,)
    else:
        known = getattr(cls, "__match_args__", ())
    if wanted > len(known):
        text = f"{cls.__name__}() accepts {len(known)} positional sub-pattern{'' if len(known) == 1 else 's'} ({wanted} given)"
        raise UserRaise(TypeError, text, machine.at(node))
    return list(known[:wanted])


def _attribute(machine: Machine, subject: Any, name: str | None, pattern: ast.pattern) -> Found:
    if name is None:
        return search(machine, pattern, subject)
    try:
        value = machine.get_attribute(subject, name, pattern)
    except UserRaise as error:
        if issubclass(error.kind, AttributeError):
            return Found(False)
        raise
    return search(machine, pattern, value)


