"""Generators: functions that `yield`, and generator expressions. Their code runs when items are asked for, as in Python.

A generator is run in one of three ways. Whoever may stop early (`for`, `any`, `all`, `next`, `in`) is run inside of the `yield`: a
consumer gets each item and answers how to go on, so that data may decide both what is yielded and when to stop. Whoever takes all
items gets them as a list, or with guards where data decides which of them there are. And `next` on a generator that has a name
resumes it where it stopped (`syntax/resuming.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.exits import FALL, Case, Exit, Way
from deepalgo.stage.state.given_nodes import Given
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import choose
from deepalgo.stage.state.structure import ANYTHING
from deepalgo.stage.state.values import Frame, Generator, Signal

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
    if not begin(machine, generator, DONE, node):
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
    if isinstance(generator.code, ast.FunctionDef):
        return machine.run_frame(frame, generator.call)
    machine.heap.namespace(frame.names)
    machine.frames.append(frame)
    try:
        machine.block(expression_body(generator.code, generator.source))
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


def begin(machine: Machine, generator: Generator, state: str, node: ast.AST) -> bool:
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


def search(machine: Machine, generator: Generator, test: Callable[[Any], Any], node: ast.AST) -> Any:
    """Whether an item passes a test; the items behind the first that does are not asked for."""
    control = machine.heap.namespace({"found": False})

    def consume(item: Any) -> Exit:
        hit = decide(machine, machine.truth(test(item), node))
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


def fold(machine: Machine, generator: Generator, state: Any, update: Callable[[Any, Any], Any], node: ast.AST) -> Any:
    """Take one item after the other into a state."""
    control = machine.heap.namespace({"state": state})

    def consume(item: Any) -> Exit:
        machine.heap.touch(control)
        control["state"] = update(control["state"], item)
        return FALL

    run(machine, generator, consume, node)
    return control["state"]
