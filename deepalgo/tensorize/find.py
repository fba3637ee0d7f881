"""How a user names a part of a program: a loop by its line or by a variable that it carries, a weight or a signal by its name.

>>> import deepalgo as da
>>> def halve(x):
...     while x > 1.0:
...         x = 0.5 * x
...     return x
>>> find_loops(da.compile(halve).program, "y")
Traceback (most recent call last):
deepalgo.errors.TensorizeError: no loop of halve carries `y`; there is a loop at line 2 with `x`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deepalgo.errors import TensorizeError
from deepalgo.ir import Block, If, Kind, Loop, Op, Program, Try, Value, While, answers, blocks, defined, walk
from deepalgo.spans import Span
from deepalgo.tensorize.slices import home
from deepalgo.tensorize.suggestion import applies


def all_loops(program: Program) -> Iterator[Loop | While]:
    """Every loop, outer ones before the loops inside them."""
    return (item for item in walk(program.body) if isinstance(item, (Loop, While)))


def carried(loop: Loop | While) -> tuple[Value, ...]:
    """The values that a round hands to the next, as the body receives them."""
    return loop.body.params[1:] if isinstance(loop, Loop) else loop.body.params


def names_of(loop: Loop | While) -> list[str]:
    """The variables that a loop carries, as a user knows them."""
    return [value.name for value in carried(loop) if is_users(value)]


def is_users(value: Value) -> bool:
    """Whether a value carries the name of a variable in the source."""
    return bool(value.name) and not value.name.startswith("_")


def find_loops(program: Program, where: int | str | None, signal: str | None = None) -> list[int]:
    """The loop at a line, the one that carries a variable, or the only one, by number among all loops.

    A line has several loops where a helper is called from several places; those that carry no `signal`, if one is named, do not count.
    """
    every = list(all_loops(program))
    if not every:
        raise TensorizeError(f"{program.name} has no loop")
    found, which = _named_loops(program, every, where)
    found = [loop for loop in found if signal is None or signal in names_of(loop)] or found
    if len({line_of(loop.span) for loop in found}) > 1:
        raise TensorizeError(f"{len(found)} loops {which}: {_listed(found)}; name one by its line")
    return [number for number, loop in enumerate(every) if any(loop is item for item in found)]


def _named_loops(program: Program, every: list[Loop | While], where: int | str | None) -> tuple[list[Loop | While], str]:
    """The loops that a line or a variable stands for, and what they have in common, in words."""
    if isinstance(where, str):
        found = [loop for loop in every if where in names_of(loop)]
        if not found:
            raise TensorizeError(f"no loop of {program.name} carries `{where}`; {_listed(every)}")
        return found, f"carry `{where}`"
    if where is None:
        return [loop for loop in every if loop.span is not None] or every, "are there"
    found = [loop for loop in every if line_of(loop.span) == where]
    if not found:
        raise TensorizeError(f"there is no loop of {program.name} at line {where}; {_listed(every)}")
    return found, ""


def line_of(span: Span | None) -> int | None:
    """The line of a place; what was made by a transformation has none."""
    return span.line if span is not None else None


def slot_of(loop: Loop | While, name: str | None) -> int:
    """The place of a variable among those that a loop carries; the only one if no name is given."""
    names = [value.name for value in carried(loop)]
    reals = [name for name, value in zip(names, carried(loop), strict=True) if is_users(value) and value.type.kind >= Kind.REAL]
    if name is None:
        if len(reals) != 1:
            raise TensorizeError(f"the loop carries {_words(reals)}: name the one that is meant")
        name = reals[0]
    if name not in names:
        raise TensorizeError(f"the loop does not carry `{name}`; it carries {_words(reals)}")
    places = [place for place, known in enumerate(names) if known == name]  # a flag may go by the same name
    return next((place for place in places if carried(loop)[place].type.kind == Kind.REAL), places[0])


def _listed(loops: list[Loop | While]) -> str:
    known = dict.fromkeys((line_of(loop.span), _words(names_of(loop))) for loop in loops if loop.span is not None)
    return "; ".join(f"there is a loop at line {line} with {words}" for line, words in known)


def _words(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) if names else "no variable"


def signals(program: Program) -> list[Value]:
    """The values of variables that are computed, each variable once."""
    found: dict[str, Value] = {}
    for item in walk(program.body):
        made = item.results if isinstance(item, (If, Try)) else (item.result,) if isinstance(item, Op) and item.args else ()
        for value in filter(is_users, made):
            found.setdefault(value.name, value)
    return list(found.values())


def find_signal(program: Program, name: str, line: int | None = None) -> list[Value]:
    """The values that a variable is given, at one line or anywhere; or the input of that name; or what is returned, as "return"."""
    if name == "return":
        return [_returned(program)]
    ops = [(item.result, item.span) for item in walk(program.body) if isinstance(item, Op) and item.args]
    met = [(value, item.span) for item in walk(program.body) if isinstance(item, (If, Try)) for value in item.results]
    computed, joined = _named(ops, name, line), _named(met, name, line)
    if line is None:
        computed = _once(program, computed, joined)
    found = computed or joined or [item.value for item in program.inputs if item.path == name]
    if not found:
        raise TensorizeError(_no_signal(program, name, line, [value for value, _ in ops + met]))
    if any(value.type.kind != Kind.REAL for value in found):
        raise TensorizeError(f"`{name}` is not a real number or array but {found[0].type}")
    if len({value.type for value in found}) > 1:
        shapes = ", ".join(sorted({str(value.type) for value in found}))
        lines = lines_of(program, found)
        raise TensorizeError(f"`{name}` is given values of different shapes ({shapes}): pick one by its line ({lines})")
    return found


def _once(program: Program, computed: list[Value], joined: list[Value]) -> list[Value]:
    """The values that a variable is given, one for each sample: those in the arms if all arms compute it, else what the branch hands on.

    An arm may leave a variable as it was, or give it the value of another.
    """
    sources = {
        result: [arm.results[place] for arm in blocks(item)]
        for item in walk(program.body)
        if isinstance(item, (If, Try))
        for place, result in enumerate(item.results)
        if result in joined
    }

    def is_covered(value: Value) -> bool:
        return all(source in computed or (source in sources and is_covered(source)) for source in sources[value])

    def parts(value: Value) -> set[Value]:
        return {value}.union(*(parts(source) for source in sources.get(value, ())))

    open_ = [value for value in joined if not is_covered(value)]
    inside = {part for value in open_ for source in sources[value] for part in parts(source)}
    return [value for value in (*computed, *open_) if value not in inside]


def lines_of(program: Program, values: list[Value]) -> str:
    """The lines at which values are computed, as text."""
    found = {line_of(item.span) for item in walk(program.body) if set(values).intersection(defined(item))} - {None}
    return ", ".join(map(str, sorted(line for line in found if line is not None)))


def _returned(program: Program) -> Value:
    found = list(dict.fromkeys(answers(program)))
    if len(found) != 1 or found[0].type.kind != Kind.REAL:
        raise TensorizeError(f"{program.name} does not return one real number or array: name one of its variables")
    return found[0]


def _named(values: list[tuple[Value, Span | None]], name: str, line: int | None) -> list[Value]:
    return [value for value, span in values if value.name == name and (line is None or (span is not None and span.line == line))]


def _no_signal(program: Program, name: str, line: int | None, values: list[Value]) -> str:
    names = {value.name for value in values if is_users(value)} | {item.path for item in program.inputs}
    known = {name: f"`{name}`" for name in sorted(names)}
    there = f" at line {line}" if line is not None else ""
    if line is not None and name in known:
        lines = lines_of(program, [value for value in values if value.name == name])
        known[name] += f" at line {lines}" if lines else ""
    return f"{program.name} has no signal `{name}`{there}; it has {', '.join(known.values()) or 'none'}"


@dataclass(frozen=True, eq=False)
class Spot:
    """Where a variable gets a value: the block, the value, and in a loop that carries it the value that the round starts with."""

    block: Block
    value: Value
    start: Value | None
    span: Span | None


def find_spots(program: Program, name: str, line: int | None = None) -> list[Spot]:
    """The update of a variable in the loop that carries it, or else every place where it is computed.

    `line` is that of the loop or of the assignment.
    """
    loops = [loop for loop in all_loops(program) if name in names_of(loop)]
    at = [loop for loop in loops if line in (None, line_of(loop.span))]
    if len({line_of(loop.span) for loop in at}) > 1:
        raise TensorizeError(f"{len(at)} loops carry `{name}`: {_listed(at)}; name one by its line")
    if at:
        return [_update(loop, name) for loop in at]
    values = find_signal(program, name, line)
    return [Spot(home(program, value)[0], value, _start(loops, value, name), None) for value in values]


def _update(loop: Loop | While, name: str) -> Spot:
    slot = slot_of(loop, name)
    value = loop.body.results[slot]
    if not any(value in defined(statement) for statement in loop.body.body):
        there = f"the loop at line {line_of(loop.span)}"
        raise TensorizeError(f"{there} hands `{name}` on without computing it: name the variable that it takes its value from")
    if value.type.kind != Kind.REAL:
        raise TensorizeError(f"`{name}` is not a real number or array but {value.type}")
    return Spot(loop.body, value, carried(loop)[slot], loop.span)


def _start(loops: list[Loop | While], value: Value, name: str) -> Value | None:
    """What a round of the innermost loop that carries the variable starts with, for a value that is computed in it."""
    around = [loop for loop in loops if any(value in defined(item) for item in walk(loop.body))]
    return carried(around[-1])[slot_of(around[-1], name)] if around else None


def carried_reals(program: Program) -> Iterator[tuple[Loop | While, Value]]:
    """The loops of a program, with every real signal of the user's that goes from round to round."""
    for loop in all_loops(program):
        for value in carried(loop):
            if is_users(value) and value.type.kind == Kind.REAL:
                yield loop, value


def named_signals(program: Program) -> Iterator[tuple[Value, Span | None]]:
    """The signals that a user can name, with the place where each is computed."""
    for value in signals(program):
        if applies(find_signal, program, value.name):
            yield value, next(item.span for item in walk(program.body) if value in defined(item))
