"""Checkpointing: the backward pass of a long loop computes it again in segments, so that memory grows with the square root of the rounds.

The way forward saves only what the loop carries, once at the start of each segment. The way back takes the segments from the last to the
first: it restores the start of a segment, runs its rounds again, which save what they did, and goes back through them. The arithmetic
is the same in the same order as without segments. A loop with a known number of rounds has segments of one length. One that ends by data
has segments that become longer, each by the same number of rounds, so that their number and their length both grow with the root.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from deepalgo.adjoint.run_again import RunAgain
from deepalgo.ir import Block, If, Kind, Loop, Op, Restore, Rewind, Save, Statement, Type, Value, While, blocks
from deepalgo.ir.rewriter import Rewriter
from deepalgo.lower.prune import prune_statement

INT = Type(Kind.INT)


@dataclass(frozen=True, slots=True)
class SegmentRule:
    """Which loops are gone back through in segments; this is the one place that decides, as running rounds again takes time.

    A loop with a known number of rounds, if all its rounds save more than `limit` numbers of a sample. One that ends by data, if `by_data`
    says so: whoever runs the program learns how long such loops are. `first` is the length of the first segment of these.
    """

    limit: int = 1 << 17
    by_data: bool = False
    first: int = 64


USUAL = SegmentRule()


@dataclass(frozen=True, slots=True)
class BothWays:
    """The rounds of a loop: with saves for the way back, and backwards, with what goes into and comes out of the latter.

    `params` are what the loop carries and `index` the number of a round; `back` has the number of a round as its first parameter. `reached`
    are the values around the loop whose adjoints are among the last results.
    """

    saving: Block
    params: tuple[Value, ...]
    index: Value | None
    back: Block
    init: tuple[Value, ...]
    results: tuple[Value, ...]
    reached: tuple[Value, ...]

    @property
    def saved(self) -> int:
        """How many numbers a round saves; a loop inside that ends by data counts as one round."""
        return _count_saved(self.saving.body)


class SegmentBuilder:
    """Goes through a loop in segments: appends the way back to the block that `build` is building, and returns the way forward."""

    def __init__(self, build: Rewriter, rule: SegmentRule, rounds: int) -> None:
        self.build, self.rule, self.rounds = build, rule, rounds

    def loop(self, loop: Loop, rounds: BothWays, number: int) -> Loop | None:
        """A loop with a known number of rounds; None if it needs no segments."""
        saved = rounds.saved
        if loop.count * saved <= self.rule.limit:
            return None
        build = self.build
        segment, start, here = self.like([INT] * 3)
        again = self.counted(rounds, start, here)
        carried = again.init
        length = _segment_length(loop.count, _size(carried), saved)
        if length >= loop.count:
            return None
        segments = build.const(-(-loop.count // length))
        outer, build.out = build.out, []
        restored = self.restored(carried, number)
        build.out.append(Op(start, "mul", (segment, build.const(length))))
        build.out.append(Op(here, "min", (build.const(length), build.difference(build.const(loop.count), start))))
        build.out.append(replace(again, init=restored))
        number_here = self.like([INT])[0]
        of_all = Op(rounds.back.params[0], "add", (start, number_here))
        back = replace(rounds.back, params=(number_here, *rounds.back.params[1:]), body=(of_all, *rounds.back.body))
        self.finish(rounds, back, segment, segments, here, outer, loop)
        return self.save_in_loop(loop, carried, length, number)

    def repeat(self, loop: While, rounds: BothWays, number: int) -> While | None:
        """A loop that ends by data; None if it needs no segments. It begins with zeros that are yet to be defined."""
        saved = rounds.saved
        if not self.rule.by_data or not saved or loop.bound is not None and loop.bound <= self.rule.first:
            return None
        build = self.build
        segment, here, segments, left, zero = self.like([INT] * 5)
        again = self.tested(rounds, zero, here, self.rounds if loop.bound is None else loop.bound)
        carried = tuple(value for value in again.init if value != zero)
        growth = max(1, round(_size(carried) / saved))
        outer, build.out = build.out, []
        restored = dict(zip(carried, self.restored(carried, number), strict=True))
        whole = self.whole(segment, growth)
        is_last = build.equal(build.total(segment, build.const(1)), segments)
        build.out.append(Op(here, "select", (is_last, build.difference(whole, left), whole)))
        build.out.append(_zero(zero))
        build.out.append(replace(again, init=tuple(restored.get(value, value) for value in again.init)))
        self.finish(rounds, rounds.back, segment, segments, here, outer, loop)
        return self.save_in_while(loop, carried, growth, number, (segments, left))

    # the way back

    def finish(self, rounds: BothWays, back: Block, segment: Value, segments: Value, here: Value, outer: list[Statement],
               loop: Loop | While) -> None:
        """Go back through the rounds `here` in a segment, and append the way back through all `segments` to what is around."""
        build = self.build
        taken, made = self.like(back.params[1:]), self.like(back.params[1:])
        build.out.append(Rewind(made, here, taken, back, loop.span))
        body = Block((segment, *taken), tuple(build.out), made)
        build.out = outer
        build.out.append(Rewind(rounds.results, segments, rounds.init, body, loop.span))

    def restored(self, carried: tuple[Value, ...], number: int) -> tuple[Value, ...]:
        """Take back what the loop carried at the start of a segment."""
        found = self.like(carried)
        if found:
            self.build.out.append(Restore(found, number))
        return found

    def counted(self, rounds: BothWays, start: Value, here: Value) -> Rewind:
        """So many rounds as there are `here`, once more, from `start` on: as far as the way back needs them.

        A `Rewind` takes a number of rounds that is computed; it counts down while these go forward.
        """
        assert rounds.index is not None
        (down,) = self.like([INT])
        place = Rewriter(self.build.fresh)
        done = place.difference(place.difference(here, place.const(1)), down)
        front = (*place.out, Op(rounds.index, "add", (start, done)))
        body = Block((down, *rounds.params), (*front, *rounds.saving.body), rounds.saving.results)
        made = prune_statement(Rewind(self.like(rounds.params), here, rounds.params, self.again(body)))
        assert isinstance(made, Rewind)
        return made

    def tested(self, rounds: BothWays, zero: Value, here: Value, bound: int) -> While:
        """The same where each sample has rounds of its own."""
        asked, place = self.like([INT] * 2)
        test, step = Rewriter(self.build.fresh), Rewriter(self.build.fresh)
        holds, following = test.less(asked, here), step.total(place, step.const(1))
        body = Block((*rounds.params, place), (*rounds.saving.body, *step.out), (*rounds.saving.results, following))
        init = (*rounds.params, zero)
        asking = Block((*self.like(rounds.params), asked), tuple(test.out), (holds,))
        made = prune_statement(While(self.like(init), init, asking, self.again(body), bound))
        assert isinstance(made, While)
        return made

    def again(self, body: Block) -> Block:
        """A copy of rounds that saves and does not fail."""
        return RunAgain(self.build.fresh, self.rounds).copy(body)

    # the way forward

    def save_in_loop(self, loop: Loop, carried: tuple[Value, ...], length: int, number: int) -> Loop:
        """Each `length` rounds of a loop with a known number of them, save what it carries."""
        front = Rewriter(self.build.fresh)
        index = loop.body.params[0]
        is_start = front.equal(front.add("mod", index, front.const(length)), front.const(0))
        front.out.append(If((), is_start, Block((), _save(number, carried), ()), Block((), (), ())))
        return replace(loop, body=replace(loop.body, body=(*front.out, *loop.body.body)))

    def save_in_while(self, loop: While, carried: tuple[Value, ...], growth: int, number: int, ends: tuple[Value, Value]) -> While:
        """Count segments, and the rounds that are left of one; save what the loop carries where none is left.

        The first two values of `ends` are the number of segments and what is left of the last one in the end.
        """
        begun, left, going, rest, *asked = self.like([INT] * 6)
        front, arm = Rewriter(self.build.fresh), Rewriter(self.build.fresh)
        is_start = front.equal(left, front.const(0))
        following = arm.total(begun, arm.const(1))
        whole = SegmentBuilder(arm, self.rule, self.rounds).whole(begun, growth)
        then = Block((), (*arm.out, *_save(number, carried)), (following, whole))
        front.out.append(If((going, rest), is_start, then, Block((), (), (begun, left))))
        fewer = front.difference(rest, front.const(1))
        body = Block((*loop.body.params, begun, left), (*front.out, *loop.body.body), (*loop.body.results, going, fewer))
        test = replace(loop.test, params=(*loop.test.params, *asked))
        zeros = self.like([INT] * 2)
        return replace(loop, results=(*loop.results, *ends), init=(*loop.init, *zeros), test=test, body=body)

    def whole(self, segment: Value, growth: int) -> Value:
        """How many rounds a segment of a loop has that ends by data, unless the loop ends in it."""
        build = self.build
        return build.total(build.product(segment, build.const(growth)), build.const(self.rule.first))

    def like(self, values: Iterable[Value | Type]) -> tuple[Value, ...]:
        """Fresh values of the same types."""
        return tuple(self.build.fresh.value(item.type, item.name) if isinstance(item, Value) else self.build.fresh.value(item)
                     for item in values)


def _zero(result: Value) -> Op:
    return Op(result, "const", (), (("value", 0),))


def _save(number: int, carried: tuple[Value, ...]) -> tuple[Statement, ...]:
    return (Save(number, carried),) if carried else ()


def _size(values: Sequence[Value]) -> int:
    return sum(math.prod(value.type.shape) for value in values)


def _count_saved(body: Sequence[Statement]) -> int:
    """How many numbers statements save."""
    total = 0
    for statement in body:
        if isinstance(statement, Save):
            total += _size(statement.values)
        elif not isinstance(statement, Op):
            inner = sum(_count_saved(block.body) for block in blocks(statement))
            total += inner * statement.count if isinstance(statement, Loop) else inner
    return total


def _segment_length(count: int, carried: int, saved: int) -> int:
    """A power of two, so that starts of segments are found quickly: `count / length * carried + length * saved` is small."""
    return 1 << round(math.log2(max(1.0, count * carried / saved)) / 2)
