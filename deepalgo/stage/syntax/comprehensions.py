"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from deepalgo.stage.rules.python import iteration
from deepalgo.stage.state import generators, lookup
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.guarded_items import GuardedItems, kept
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import choose
from deepalgo.stage.state.static_values import static_key
from deepalgo.stage.state.unions import distribute, resolve
from deepalgo.stage.state.values import DataLength, Frame, Generator, Signal, UserRaise
from deepalgo.stage.syntax import assignment


def list_comprehension(machine: Machine, node: ast.ListComp) -> Any:
    """`[item for ...]`."""
    source = machine.evaluate(node.generators[0].iter)
    if not isinstance(source, Generator):
        return collected(machine, node, own_frame(machine, node), source)
    lazy = ast.copy_location(ast.GeneratorExp(node.elt, node.generators), node)  # both take turns
    found = machine.collect(generators.made(machine, own_frame(machine, node), lazy, node, source), node)
    return machine.heap.created(found) if isinstance(found, list) else found


def generator_expression(machine: Machine, node: ast.GeneratorExp) -> Any:
    """`(item for ...)`."""
    source = machine.evaluate(node.generators[0].iter)
    if isinstance(source, Signal) and not source.shape:
        raise UserRaise(TypeError, "'float' object is not iterable", machine.at(node.generators[0].iter))
    return generators.made(machine, own_frame(machine, node), node, node, source)


def collected(machine: Machine, node: ast.ListComp | ast.GeneratorExp, frame: Frame, source: Any) -> Any:
    """The items of a comprehension as a list, or with their guards where data decides which there are."""

    def over(source: Any) -> Any:
        found: list[tuple[Any, Any]] = []

        def add(guard: Any, bind: Callable[[], None]) -> None:
            def make() -> Any:
                bind()
                return machine.evaluate(node.elt)

            found.append((guard, make() if guard is True else kept(machine, guard, make, node)))

        _comprehend(machine, node.generators, frame, source, add)
        if any(guard is not True for guard, _ in found):
            return GuardedItems(tuple(found))
        return machine.heap.created([item for _, item in found])

    return distribute(machine, source, over, node)


def set_comprehension(machine: Machine, node: ast.SetComp) -> Any:
    """`{item for ...}`."""
    return machine.heap.created(set(list_comprehension(machine, ast.copy_location(ast.ListComp(node.elt, node.generators), node))))


def dict_comprehension(machine: Machine, node: ast.DictComp) -> Any:
    """`{key: value for ...}`."""
    def over(source: Any) -> dict[Any, Any]:
        found: dict[Any, Any] = {}

        def add(guard: Any, bind: Callable[[], None]) -> None:
            if guard is not True:
                machine.refuse("which keys this dict has depends on data", "Give it all its keys, and None where there is no value.", node)
            key = static_key(machine, machine.evaluate(node.key), node.key)
            found[key] = machine.evaluate(node.value)

        _comprehend(machine, node.generators, own_frame(machine, node), source, add)
        return machine.heap.created(found)  # type: ignore[no-any-return]  # the same dict

    return distribute(machine, machine.evaluate(node.generators[0].iter), over, node)


def own_frame(machine: Machine, node: ast.ListComp | ast.GeneratorExp | ast.DictComp) -> Frame:
    """The scope of a comprehension's variables; only its first iterable is outside of it."""
    outer = machine.frame
    bound = frozenset(name for generator in node.generators for name in lookup.targets(generator.target))
    return Frame(outer.source, {}, outer.globals, outer, local_names=bound, comprehension=True)


def _comprehend(
    machine: Machine, parts: list[ast.comprehension], frame: Frame, source: Any, add: Callable[[Any, Callable[[], None]], None]
) -> None:
    """Run the loops of a comprehension."""
    if isinstance(source, DataLength):
        source = machine.opened(source, parts[0].iter)
    items = source if isinstance(source, GuardedItems) else iteration.one_by_one(machine, source, parts[0].iter)
    machine.heap.namespace(frame.names)
    machine.frames.append(frame)
    try:
        _run_generators(machine, parts, items, True, add)
    finally:
        machine.frames.pop()


def _run_generators(
    machine: Machine, generators: list[ast.comprehension], items: Any, before: Any, add: Callable[[Any, Callable[[], None]], None]
) -> None:
    """`before` is the guard of the loops around this one."""
    generator, *others = generators
    entries = items.taken(machine, generator.iter) if isinstance(items, GuardedItems) else ((True, item) for item in items)
    for there, item in entries:
        outer = _both(machine, before, there)
        guard = _tested(machine, generator, outer, item)
        if guard is False:
            continue
        if others and guard is not True:
            machine.refuse(
                "whether the inner loop of this comprehension runs depends on data",
                "Put the condition behind the last `for`.",
                generator.ifs[0] if generator.ifs else generator.iter,
            )
        if others:
            inner = machine.evaluate(others[0].iter)
            inner = inner if isinstance(inner, GuardedItems) else iteration.one_by_one(machine, inner, others[0].iter)
            _run_generators(machine, others, inner, guard, add)
        else:
            add(guard, lambda: assignment.assign(machine, generator.target, resolve(machine, item)))  # noqa: B023 - called at once


def _tested(machine: Machine, generator: ast.comprehension, outer: Any, item: Any) -> Any:
    """Bind an item; whether it is there and passes the tests: a plain bool, or a guard."""

    def test() -> Any:
        assignment.assign(machine, generator.target, resolve(machine, item))
        if not generator.ifs:
            return True
        tests = generator.ifs[0] if len(generator.ifs) == 1 else ast.copy_location(ast.BoolOp(ast.And(), generator.ifs), generator.ifs[0])
        return decide(machine, machine.truth(machine.evaluate(tests), tests))

    if outer is True:
        return test()
    passed = decide(machine, choose(machine, outer, test, lambda: False, generator.iter))
    return False if passed is False else _both(machine, outer, passed)


def _both(machine: Machine, left: Any, right: Any) -> Any:
    if left is True or right is True:
        return right if left is True else left
    return machine.both(left, right)
