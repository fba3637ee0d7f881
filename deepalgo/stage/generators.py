"""Generators: functions that `yield`, and generator expressions. Their code runs when items are asked for, as in Python.

A generator is run in one of three ways. Whoever may stop early (`for`, `any`, `all`, `next`, `in`) is run inside of the `yield`: a
consumer gets each item and answers how to go on, so that data may decide both what is yielded and when to stop. Whoever takes all
items gets them as a list, or with guards where data decides which of them there are. And `next` on a generator that has a name
resumes it where it stopped (`resuming.py`).
"""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable
from typing import Any

from deepalgo.errors import CompileError
from deepalgo.stage.exits import FALL, Case, Exit, Way
from deepalgo.stage.machine import Machine
from deepalgo.stage.moments import Moment
from deepalgo.stage.sifting import Given, Sifted, stream
from deepalgo.stage.structure import ANYTHING
from deepalgo.stage.trial import trial
from deepalgo.stage.values import UNDEFINED, DataLength, Frame, Generator, NeedsUnroll, Signal, Union

#: Takes an item and tells how the generator goes on: by falling through, or by a return.
Consumer = Callable[[Any], Exit]

NEW, LEFT, DONE = "new", "left", "done"
STOP = Exit({Way.RETURN: Case(None, ANYTHING)})


def made(machine: Machine, frame: Frame, code: ast.FunctionDef | ast.GeneratorExp, call: ast.AST | None, source: Any = None) -> Generator:
    """A generator that has not begun."""
    machine.heap.keep_names(frame.names)
    return Generator(frame, code, call, source, machine.heap.namespace({"is": NEW}))


def run(machine: Machine, generator: Generator, consume: Consumer, node: ast.AST) -> Any:
    """Run a generator from its beginning to its end, or to where the consumer stops it; the answer is what it returns."""
    if not _begin(machine, generator, DONE, node):
        return None
    asking = machine.frame

    def consume_outside(item: Any) -> Exit:
        machine.frames.append(asking)  # the generator's own frame stays below: it holds what it refers to
        try:
            outcome = consume(item)
        finally:
            machine.frames.pop()
        if not outcome.only_falls:
            machine.heap.touch(generator.state)
            generator.state["is"] = LEFT
        return outcome

    return _run_frame(machine, generator, fresh_frame(generator, consume_outside))


def _run_frame(machine: Machine, generator: Generator, frame: Frame) -> Any:
    from deepalgo.stage.calls import run_frame
    from deepalgo.stage.statements import block

    if isinstance(generator.code, ast.FunctionDef):
        return run_frame(machine, frame, generator.call)
    machine.heap.namespace(frame.names)
    machine.frames.append(frame)
    try:
        block(machine, expression_body(generator.code, generator.source))
    finally:
        machine.frames.pop()
    return None


def fresh_frame(generator: Generator, consumer: Consumer | None) -> Frame:
    """A copy of the frame that the generator was made with: a staged run may be undone, and run again."""
    old = generator.frame
    return Frame(
        old.source, dict(old.names), old.globals, old.enclosing, old.cells, {}, old.function, old.owner, old.local_names,
        comprehension=old.comprehension, consumer=consumer,
    )


def _begin(machine: Machine, generator: Generator, state: str, node: ast.AST) -> bool:
    """Note that a generator runs; whether it has items to give at all."""
    if generator.state["is"] == DONE:
        return False
    if generator.state["is"] != NEW:
        machine.refuse("this goes on with a generator that was run over before", "Make a list of its items first.", node)
    machine.heap.touch(generator.state)
    generator.state["is"] = state
    return True


def expression_body(code: ast.GeneratorExp, source: Any) -> list[ast.stmt]:
    """A generator expression as the loops that it stands for.

    >>> tree = ast.parse("(v * v for v in items if v > 0)", mode="eval").body
    >>> print(ast.unparse(ast.fix_missing_locations(expression_body(tree, None)[0].body[0])))
    if v > 0:
        yield (v * v)
    """
    body: list[ast.stmt] = [ast.copy_location(ast.Expr(ast.copy_location(ast.Yield(code.elt), code.elt)), code.elt)]
    for place, part in reversed(list(enumerate(code.generators))):
        for test in reversed(part.ifs):
            body = [ast.copy_location(ast.If(test, body, []), test)]
        over = part.iter if place else ast.copy_location(Given(source), part.iter)
        body = [ast.copy_location(ast.For(part.target, over, body, []), part.target)]
    return body


# --- yield --------------------------------------------------------------------------------------------------------------------


def hand_out(machine: Machine, node: ast.Yield | ast.YieldFrom) -> Exit:
    """`yield` as a statement: the consumer takes the item and may stop the generator."""
    return _handed(machine, node)[0]


def value_of_yield(machine: Machine, node: ast.Yield | ast.YieldFrom) -> Any:
    """`yield` inside of an expression."""
    outcome, value = _handed(machine, node)
    if not outcome.only_falls:
        machine.refuse("the loop over this generator may stop inside of an expression", "Give the `yield` a statement of its own.", node)
    return value


def assign_yield(machine: Machine, node: ast.Yield | ast.YieldFrom, assign: Callable[[Any], None]) -> Exit:
    """`target = yield item`."""
    from deepalgo.stage.sequence import sequence

    outcome, value = _handed(machine, node)

    def follow() -> Exit:
        assign(value)
        return FALL

    return sequence(machine, [lambda: outcome, follow], node)


def _handed(machine: Machine, node: ast.Yield | ast.YieldFrom) -> tuple[Exit, Any]:
    from deepalgo.stage.expressions import evaluate

    value = None if node.value is None else evaluate(machine, node.value)
    frame = machine.frame
    if frame.consumer is None:
        machine.refuse("this `yield` is reached outside of a generator that is run over", "Build a list and return it.", node)
    if node in _guarded(frame.source.node):
        machine.refuse("this `yield` stands inside of a `try` or `with`", "Build a list and return it.", node)
    machine.at(node)
    if isinstance(node, ast.Yield):
        return frame.consumer(value), None
    return _from(machine, value, node)


def _from(machine: Machine, items: Any, node: ast.YieldFrom) -> tuple[Exit, Any]:
    """`yield from items`: the consumer is handed on to the inner generator."""
    from deepalgo.stage.loops import over

    consumer: Consumer | None = machine.frame.consumer
    assert consumer is not None
    if not isinstance(items, Generator):
        name = ast.copy_location(ast.Name("item of yield from", ast.Store()), node)
        item = ast.copy_location(ast.Name(name.id, ast.Load()), node)
        body = ast.copy_location(ast.Expr(ast.copy_location(ast.Yield(item), node)), node)
        loop = ast.copy_location(ast.For(name, ast.copy_location(Given(items), node), [body], []), node)
        return over(machine, loop, items), None
    control = machine.heap.namespace({"stopped": False})

    def consume(item: Any) -> Exit:
        outcome = consumer(item)
        if not outcome.only_falls:
            machine.heap.touch(control)
            left = outcome.cases.get(Way.RETURN)
            control["stopped"] = left is not None and (True if left.guard is None else left.guard)
        return outcome

    value = run(machine, items, consume, node)
    stopped = control["stopped"]
    if stopped is False:
        return FALL, value
    if stopped is True:
        return STOP, None
    return Exit({Way.FALL: Case(machine.negated(stopped)), Way.RETURN: Case(stopped, ANYTHING)}), value


@functools.lru_cache(maxsize=1024)
def _guarded(code: ast.AST) -> frozenset[ast.AST]:
    """The yields inside of a `try` with handlers, which must not see what the consumer raises, or of a `with`."""
    found: set[ast.AST] = set()
    for item in ast.walk(code):
        if isinstance(item, ast.With) or (isinstance(item, ast.Try) and (item.handlers or item.finalbody)):
            found.update(part for inner in item.body for part in ast.walk(inner) if isinstance(part, (ast.Yield, ast.YieldFrom)))
    return frozenset(found)


# --- consumers that may stop early ----------------------------------------------------------------------------------------------


def search(machine: Machine, generator: Generator, test: Callable[[Any], Any], node: ast.AST) -> Any:
    """Whether an item passes a test; the items behind the first that does are not asked for."""
    from deepalgo.stage.truth import decide, truth

    control = machine.heap.namespace({"found": False})

    def consume(item: Any) -> Exit:
        hit = decide(machine, truth(machine, test(item), node))
        if hit is False:
            return FALL
        machine.heap.touch(control)
        control["found"] = hit
        if hit is True:
            return STOP
        return Exit({Way.FALL: Case(machine.negated(hit)), Way.RETURN: Case(hit, ANYTHING)})

    run(machine, generator, consume, node)
    return control["found"]


def first(machine: Machine, generator: Generator, none: Callable[[], Any], node: ast.AST) -> Any:
    """The first item of a generator that nobody asks again."""
    from deepalgo.stage.regions import choose

    control = machine.heap.namespace({"found": False, "item": ANYTHING})

    def consume(item: Any) -> Exit:
        machine.heap.touch(control)
        control.update(found=True, item=item)
        return STOP

    run(machine, generator, consume, node)
    found = control["found"]
    if isinstance(found, Signal):
        return choose(machine, found, lambda: control["item"], none, node)
    return control["item"] if found else none()


# --- consumers that take everything ---------------------------------------------------------------------------------------------


def collect(machine: Machine, generator: Generator, node: ast.AST) -> Any:
    """All items of a generator, here and now; with their guards where data decides which there are."""
    from deepalgo.stage.expressions import collected

    if isinstance(generator.code, ast.GeneratorExp) and not isinstance(generator.source, Generator):
        frame = fresh_frame(generator, None)
        return collected(machine, generator.code, frame, generator.source) if _begin(machine, generator, DONE, node) else []
    entries = _entries(machine, generator, node)
    if all(guard is True for guard, _ in entries):
        return [item for _, item in entries]
    return Sifted(tuple(entries))


def given(machine: Machine, value: Any, folding: bool, node: ast.AST) -> Any:
    """What a rule gets for an argument: the items of a generator, or itself where their number depends on data and the rule can fold."""
    from deepalgo.stage.iteration import opened

    if not isinstance(value, Generator):
        return opened(machine, value, node) if folding and isinstance(value, DataLength) else value
    if not folding:
        return _as_stream(machine, value, node)
    try:
        with trial(machine, CompileError):
            return _as_stream(machine, value, node)
    except CompileError:
        return value


def fold(machine: Machine, generator: Generator, state: Any, update: Callable[[Any, Any], Any], node: ast.AST) -> Any:
    """Take one item after the other into a state."""
    control = machine.heap.namespace({"state": state})

    def consume(item: Any) -> Exit:
        machine.heap.touch(control)
        control["state"] = update(control["state"], item)
        return FALL

    run(machine, generator, consume, node)
    return control["state"]


def _as_stream(machine: Machine, generator: Generator, node: ast.AST) -> Any:
    found = collect(machine, generator, node)
    return stream(machine, found, Moment.of([])) if isinstance(found, list) else found


def _entries(machine: Machine, generator: Generator, node: ast.AST) -> list[tuple[Any, Any]]:
    """Every item with its guard. An item that is missing on some path is undefined there, as a name would be."""
    found: dict[str, Any] = machine.heap.namespace({})
    numbers, loops = itertools.count(), machine.open_loops

    def consume(item: Any) -> Exit:
        if machine.open_loops > loops:
            if machine.attempts:
                raise NeedsUnroll
            machine.refuse("how many items this generator gives depends on data", "Run over it with `for`.", node)
        machine.heap.touch(found)
        found[str(next(numbers))] = item
        return FALL

    run(machine, generator, consume, node)
    return [_entry(machine, found[key]) for key in sorted(found, key=int)]


def _entry(machine: Machine, item: Any) -> tuple[Any, Any]:
    if not isinstance(item, Union):
        return True, item
    absent = [guard for guard, case in item.cases if case is UNDEFINED]
    if not absent:
        return True, item
    guard = machine.none_of(absent)
    told = machine.truth_of(guard)
    return guard if told is None else told, item
