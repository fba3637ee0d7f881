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

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from deepalgo.errors import TensorizeError
from deepalgo.ir import Kind, Program, defined, walk
from deepalgo.network import Network
from deepalgo.spans import Span
from deepalgo.tensorize.find import all_loops, carried, find_signal, find_spots, is_users, signals
from deepalgo.tensorize.grow import key_of, weight_ops
from deepalgo.tensorize.kronecker import find_start, find_stretch
from deepalgo.tensorize.soften import soft_lines
from deepalgo.tensorize.untie import weights_of


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
    found = (*_untie(program), *_loops(program), *_signals(program), *_soften(network), *_guard(network))
    order = ("untie", "remember", "choose", "widen", "soften", "correct", "guard")
    return Suggestions(sorted(dict.fromkeys(found), key=lambda item: order.index(item.call.partition("(")[0])))


def _untie(program: Program) -> Iterator[Suggestion]:
    trainable = {weight.key for weight in program.weights if not weight.frozen}
    for loop in all_loops(program):
        keys = sorted({key_of(op) for op in weights_of(program, loop)} & trainable)
        if keys and loop.span is not None:
            yield Suggestion(f"untie(net, {loop.span.line})", f"every round reads {_listed(keys)}", loop.span)
    for key in sorted(trainable):
        sites = {op.attr("site") for op in weight_ops(program.body) if key_of(op) == key}
        if len(sites) > 1:
            weight = next(weight for weight in program.weights if weight.key == key)
            yield Suggestion(f"untie(net, 'calls', weights=[{key!r}])", f"{len(sites)} calls share `{key}`", weight.span)


def _loops(program: Program) -> Iterator[Suggestion]:
    for loop in all_loops(program):
        for value in carried(loop):
            if loop.span is None or not is_users(value) or value.type.kind != Kind.REAL:
                continue
            if len(value.type.shape) <= 1:
                call = f"remember(net, {loop.span.line}, signal={value.name!r})"
                yield Suggestion(call, f"`{value.name}` goes from round to round", loop.span)
            if _applies(find_spots, program, value.name, loop.span.line):
                line = "" if _applies(find_spots, program, value.name) else f", line={loop.span.line}"
                call = f"choose(net, {value.name!r}, steps=(0.5, 1.0, 1.5), by=...{line})"
                yield Suggestion(call, f"the step of `{value.name}` can be searched", loop.span)


def _signals(program: Program) -> Iterator[Suggestion]:
    for value in signals(program):
        name, rank = value.name, len(value.type.shape)
        if not _applies(find_signal, program, name):
            continue
        span = next(item.span for item in walk(program.body) if value in defined(item))
        if rank:
            yield Suggestion(f"widen(net, {name!r}, {'Dense' if rank == 1 else 'BlockToeplitz'}())", f"`{name}` is {value.type}", span)
        if _applies(_lift, program, name):
            yield Suggestion(f"widen(net, {name!r}, Kronecker(2))", f"what comes of `{name}` meets again", span)
        if rank <= 1:
            yield Suggestion(f"correct(net, {name!r})", f"`{name}` can have a learned correction", span)


def _lift(program: Program, name: str) -> None:
    find_stretch(program, find_start(program, name, None), name, None)


def _soften(network: Network) -> Iterator[Suggestion]:
    for line, (span, why) in soft_lines(network).items():
        yield Suggestion(f"soften(net, *inputs, guards=[{line}])", why, span)


def _applies(find: Callable[..., object], *args: object) -> bool:
    try:
        find(*args)
    except TensorizeError:
        return False
    return True


def _guard(network: Network) -> Iterator[Suggestion]:
    if any(not weight.frozen for weight in network.program.weights):
        yield Suggestion("guard(net, by=...)", "a residual can keep the heuristic's answer where it is better", None)


def _listed(keys: list[str]) -> str:
    shown = ", ".join(f"`{key}`" for key in keys[:3])
    return shown + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
