"""Dead code elimination: leave out operations, results of regions and values carried by loops that nothing needs.

>>> from deepalgo.ir.show import show
>>> show(prune, '''
... f(x: real)
...   %unused = sin %x
...   %y = cos %x
...   return %y
... ''')
f(x: real)
  %y = cos %x
  return %y
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from deepalgo.ir import Block, Check, Handler, If, Loop, Op, Program, Restore, Rewind, Save, Statement, Try, Value, While


def prune(program: Program) -> Program:
    """The program reduced to what its results and its checks need."""
    needs = Needs()
    needs.block(program.body, None)
    live = needs.reach(program.body.results)
    return replace(program, body=_keep(program.body, live, None))


def prune_block(block: Block) -> Block:
    """A block without what its results and its checks do not need."""
    needs = Needs()
    needs.block(block, None)
    return _keep(block, needs.reach(block.results), None)


def prune_statement(statement: Statement) -> Statement | None:
    """A statement whose results nobody needs, reduced to what it checks and saves, or None if that is nothing."""
    needs = Needs()
    needs.statement(statement, None)
    return _keep_statement(statement, needs.reach(()))


@dataclass(frozen=True, slots=True, eq=False)
class Control:
    """What decides whether a block is reached, and what decides whether that is asked: a list, as deep programs would copy tuples."""

    values: tuple[Value, ...]
    outer: Control | None


class Needs:
    """For every value those that it is computed from; checks need theirs, and all that decides whether they are reached.

    A loop that may not end counts as a check: whether it ends is part of the answer. So does what is saved and restored, as stacks match.
    """

    def __init__(self) -> None:
        self.sources: dict[Value, tuple[Value, ...]] = {}
        self.roots: list[Value] = []
        self.reached: list[Control] = []

    def reach(self, results: Iterable[Value]) -> set[Value]:
        """All values that the results or the checks are computed from."""
        live: set[Value] = set()
        waiting = [*self.roots, *self._deciding(), *results]
        while waiting:
            value = waiting.pop()
            if value not in live:
                live.add(value)
                waiting.extend(self.sources.get(value, ()))
        return live

    def _deciding(self) -> Iterator[Value]:
        """What decides whether the checks are reached."""
        seen: set[int] = set()
        for control in self.reached:
            place: Control | None = control
            while place is not None and id(place) not in seen:
                seen.add(id(place))
                yield from place.values
                place = place.outer

    def block(self, block: Block, control: Control | None) -> None:
        """Note a block; `control` decides whether it is reached."""
        for statement in block.body:
            self.statement(statement, control)

    def statement(self, statement: Statement, control: Control | None) -> None:
        """Note one statement."""
        match statement:
            case Op(result, _, args):
                self.sources[result] = args
            case Check(ok, _, _, operands):
                self.check((ok, *operands), control)
            case If(results, condition, then, orelse):
                self.arms(results, (then, orelse), (condition,), control)
            case Try(results, body, handlers):
                self.arms(results, (body, *(handler.block for handler in handlers)), (), control)
            case Loop(results, _, init, body):
                self.rounds(results, init, (body.params[1:],), body.results, ())
                self.block(body, control)
            case Rewind(results, count, init, body):
                self.rounds(results, init, (body.params[1:],), body.results, (count,))
                self.block(body, Control((count,), control))
            case While(results, init, test, body, bound):
                self.rounds(results, init, (test.params, body.params), body.results, test.results)
                if bound is None:
                    self.check(test.results, control)
                for inner in (test, body):
                    self.block(inner, Control(test.results, control))
            case Save(values=values):
                self.check(values, control)
            case Restore():
                self.check((), control)
            case _:
                assert_never(statement)

    def check(self, values: tuple[Value, ...], control: Control | None) -> None:
        """Note what a check needs."""
        self.roots += values
        if control is not None:
            self.reached.append(control)

    def arms(self, results: tuple[Value, ...], arms: Sequence[Block], decides: tuple[Value, ...], control: Control | None) -> None:
        """Blocks of which each sample takes one."""
        for place, result in enumerate(results):
            self.sources[result] = (*decides, *(arm.results[place] for arm in arms))
        for arm in arms:
            self.block(arm, Control(decides, control))

    def rounds(self, results: tuple[Value, ...], init: tuple[Value, ...], params: Sequence[tuple[Value, ...]], again: tuple[Value, ...],
               decides: tuple[Value, ...]) -> None:
        """A loop: what it carries needs its first value and the last round's."""
        for place, result in enumerate(results):
            twins = tuple(group[place] for group in params)
            for param in (result, *twins):
                self.sources[param] = (*twins, init[place], again[place], *decides)


def _keep(block: Block, live: set[Value], places: Sequence[int] | None) -> Block:
    """The block without dead statements; of its results only `places`."""
    kept = tuple(made for statement in block.body if (made := _keep_statement(statement, live)) is not None)
    results = block.results if places is None else _at(block.results, places)
    return Block(block.params, kept, results)


def _keep_statement(statement: Statement, live: set[Value]) -> Statement | None:
    match statement:
        case Op(result):
            return statement if result in live else None
        case Check() | Save() | Restore():
            return statement
        case If(results, _, then, orelse):
            places = [place for place, result in enumerate(results) if result in live]
            branch = replace(statement, results=_at(results, places), then=_keep(then, live, places), orelse=_keep(orelse, live, places))
            return branch if branch.results or branch.then.body or branch.orelse.body else None
        case Try(results, body, handlers):
            places = [place for place, result in enumerate(results) if result in live]
            kept = tuple(Handler(handler.catches, _keep(handler.block, live, places)) for handler in handlers)
            return replace(statement, results=_at(results, places), body=_keep(body, live, places), handlers=kept)
        case Loop(init=init, body=body) | Rewind(init=init, body=body):
            places = [place for place, param in enumerate(body.params[1:]) if param in live]
            inner = replace(_keep(body, live, places), params=(body.params[0], *_at(body.params[1:], places)))
            loop = replace(statement, results=_at(statement.results, places), init=_at(init, places), body=inner)
            return loop if loop.results or inner.body else None
        case While(results, init, test, body):
            if test.results[0] not in live:
                return None
            places = [place for place, param in enumerate(body.params) if param in live or test.params[place] in live]
            first = replace(_keep(test, live, None), params=_at(test.params, places))
            inner = replace(_keep(body, live, places), params=_at(body.params, places))
            return replace(statement, results=_at(results, places), init=_at(init, places), test=first, body=inner)
        case _:
            assert_never(statement)


def _at(values: tuple[Value, ...], places: Sequence[int]) -> tuple[Value, ...]:
    return tuple(values[place] for place in places)
