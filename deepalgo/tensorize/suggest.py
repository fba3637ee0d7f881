"""`suggest`: where each transformation applies, with the source line, as a table.

>>> import deepalgo as da
>>> def root(s):
...     x = 1.0
...     for _ in range(3):
...         x = x - 0.9 * (x * x - s) / (2 * x)
...     return x
>>> for suggestion in suggest(da.compile(root)):
...     print(suggestion.call)
untie(net, 3)
remember(net, 3, signal='x')
choose(net, 'x', steps=(0.5, 1.0, 1.5), by=...)
correct(net, 'x')
guard(net, by=...)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deepalgo.ir import If, Kind, Op, Program, Value, walk
from deepalgo.network import Network
from deepalgo.source import Span
from deepalgo.tensorize.find import all_loops, carried, is_users
from deepalgo.tensorize.grow import key_of, keys_in, weight_ops

#: Comparisons that have a margin.
ORDER = ("lt", "le", "gt", "ge")


@dataclass(frozen=True)
class Suggestion:
    """A transformation that applies: the call, why, and where."""

    call: str
    why: str
    span: Span | None

    @property
    def place(self) -> str:
        """The file and the line."""
        return self.span.place if self.span is not None else ""


class Suggestions(tuple[Suggestion, ...]):
    """Prints as a table."""

    def __repr__(self) -> str:
        rows = [("call", "because", "place"), *((item.call, item.why, item.place) for item in self)]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def suggest(network: Network) -> Suggestions:
    """Where a network could grow."""
    program = network.program
    return Suggestions((*_untie(network), *_loops(program), *_widen(program), *_soften(program), *_correct(program), *_guard(network)))


def _untie(network: Network) -> Iterator[Suggestion]:
    program = network.program
    trainable = {weight.key for weight in program.weights if not weight.frozen}
    for loop in all_loops(program):
        keys = sorted(keys_in(loop.body) & trainable)
        if keys and loop.span is not None:
            yield Suggestion(f"untie(net, {loop.span.line})", f"every round reads {_listed(keys)}", loop.span)
    for key in sorted(trainable):
        sites = {op.attr("site") for op in weight_ops(program.body) if key_of(op) == key}
        if len(sites) > 1:
            weight = next(weight for weight in program.weights if weight.key == key)
            yield Suggestion(f"untie(net, 'calls', weights=[{key!r}])", f"{len(sites)} calls share `{key}`", weight.span)


def _loops(program: Program) -> Iterator[Suggestion]:
    for loop in all_loops(program):
        if loop.span is None:
            continue
        for value in carried(loop):
            if is_users(value) and value.type.kind == Kind.REAL and len(value.type.shape) <= 1:
                call = f"remember(net, {loop.span.line}, signal={value.name!r})"
                yield Suggestion(call, f"`{value.name}` goes from round to round", loop.span)
                call = f"choose(net, {value.name!r}, steps=(0.5, 1.0, 1.5), by=...)"
                yield Suggestion(call, f"the step of `{value.name}` can be searched", loop.span)


def _widen(program: Program) -> Iterator[Suggestion]:
    for op in _named(program):
        rank = len(op.result.type.shape)
        if rank:
            structure = "Dense()" if rank == 1 else "BlockToeplitz()"
            yield Suggestion(f"widen(net, {op.result.name!r}, {structure})", f"`{op.result.name}` is {op.result.type}", op.span)


def _soften(program: Program) -> Iterator[Suggestion]:
    made = {op.result: op for op in walk(program.body) if isinstance(op, Op)}
    lines: dict[int, Span] = {}
    for item in walk(program.body):
        condition = item.condition if isinstance(item, If) else item.args[0] if isinstance(item, Op) and item.name == "select" else None
        if condition is not None and item.span is not None and _has_margin(condition, made):
            lines.setdefault(item.span.line, item.span)
    for line, span in lines.items():
        yield Suggestion(f"soften(net, *inputs, guards=[{line}])", "its guard has a threshold", span)


def _has_margin(condition: Value, made: dict[Value, Op]) -> bool:
    op = made.get(condition)
    if op is None:
        return False
    if op.name in ORDER:
        return any(arg.type.kind == Kind.REAL for arg in op.args)
    return op.name in ("and", "or", "not") and any(_has_margin(arg, made) for arg in op.args)


def _correct(program: Program) -> Iterator[Suggestion]:
    for op in _named(program):
        if len(op.result.type.shape) <= 1:
            yield Suggestion(f"correct(net, {op.result.name!r})", f"`{op.result.name}` can have a learned correction", op.span)


def _guard(network: Network) -> Iterator[Suggestion]:
    if any(not weight.frozen for weight in network.program.weights):
        yield Suggestion("guard(net, by=...)", "a residual can keep the heuristic's answer where it is better", None)


def _named(program: Program) -> list[Op]:
    """The operations that give a variable its value, one for each variable."""
    found: dict[str, Op] = {}
    for item in walk(program.body):
        if isinstance(item, Op) and is_users(item.result) and item.result.type.kind == Kind.REAL and item.name not in ("const", "weight"):
            found.setdefault(item.result.name, item)
    return list(found.values())


def _listed(keys: list[str]) -> str:
    shown = ", ".join(f"`{key}`" for key in keys[:3])
    return shown + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
