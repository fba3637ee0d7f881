"""`attempt`: what a transformation adds must not make a sample fail that the heuristic answers."""

from __future__ import annotations

from collections.abc import Callable

from deepalgo.ir import Block, Handler, Kind, Statement, Try, Type, Value
from deepalgo.ir.rewriter import Rewriter
from deepalgo.lower.number_errors import can_fail

#: All that can go wrong, a loop that does not end included.
ANYTHING = ("Exception", "LoopBound")


def attempt(
    build: Rewriter, make: Callable[[], tuple[Value, ...]], fallback: Callable[[], tuple[Value, ...]]
) -> tuple[tuple[Value, ...], Value | None]:
    """Append what `make` appends; samples for which it fails get what `fallback` appends.

    The second result is zero, or infinity for samples that failed; None if nothing can fail.
    """
    outer, build.out = build.out, []
    results = make()
    body, build.out = tuple(build.out), outer
    if not any(map(can_fail, body)):
        build.out.extend(body)
        return results, None
    block = _block(build, lambda: (*results, build.const(0.0)), body)
    handler = Handler(ANYTHING, _block(build, lambda: (*fallback(), build.const(float("inf")))))
    made = tuple(build.fresh.value(value.type, value.name) for value in results)
    penalty = build.fresh.value(Type(Kind.REAL))
    build.out.append(Try((*made, penalty), block, (handler,)))
    return made, penalty


def _block(build: Rewriter, make: Callable[[], tuple[Value, ...]], body: tuple[Statement, ...] = ()) -> Block:
    outer, build.out = build.out, list(body)
    results = make()
    block, build.out = Block((), tuple(build.out), results), outer
    return block
