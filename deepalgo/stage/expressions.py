"""Evaluate expressions: ordinary Python on static values, operations of the Program on Signals."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage import arithmetic, assignment, attributes, calls, comparisons, exceptions, generators, iteration, names, subscripts
from deepalgo.stage.exits import Way, falling
from deepalgo.stage.machine import Machine
from deepalgo.stage.regions import choose, meet, only_computes, resume, run_arm
from deepalgo.stage.sifting import Asked, Given, Sifted, kept
from deepalgo.stage.truth import decide, truth
from deepalgo.stage.unions import distribute, distribute_first, resolve
from deepalgo.stage.values import Closure, DataLength, Frame, Generator, Partial, Signal, StandIn, Text, Union, UserRaise


def evaluate(machine: Machine, node: ast.expr) -> Any:
    """The value of an expression at this point of the program."""
    handler = HANDLERS.get(type(node))
    if handler is None:
        machine.refuse(f"{describe(node)} cannot be compiled", "Write it with plain expressions.", node)
    return handler(machine, node)


def describe(node: ast.AST) -> str:
    """What a construct is called."""
    names_of = {"Await": "`await`", "Yield": "a generator (`yield`)", "YieldFrom": "a generator (`yield from`)"}
    return names_of.get(type(node).__name__, f"this {type(node).__name__}")


def _constant(machine: Machine, node: ast.Constant) -> Any:
    return names.literal(machine, node, node.value) if type(node.value) is float else node.value


def _name(machine: Machine, node: ast.Name) -> Any:
    machine.at(node)
    return resolve(machine, names.lookup(machine, node.id, node), node.id)


def _binary(machine: Machine, node: ast.BinOp) -> Any:
    left = evaluate(machine, node.left)
    right = evaluate(machine, node.right)
    if machine.integers:
        left, right = _coefficient(machine, node, node.left, left, right), _coefficient(machine, node, node.right, right, left)
    machine.at(node)
    return arithmetic.binary(machine, type(node.op), left, right, node)


def _coefficient(machine: Machine, node: ast.BinOp, part: ast.expr, value: Any, other: Any) -> Any:
    """With `integers=True`, a whole number that multiplies or shifts a real Signal is a weight, too."""
    scales = isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)) and isinstance(part, ast.Constant) and type(value) is int
    return names.literal(machine, part, float(value)) if scales and isinstance(other, Signal) and other.kind is Kind.REAL else value


def _unary(machine: Machine, node: ast.UnaryOp) -> Any:
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) and type(node.operand.value) is float:
        return names.literal(machine, node, -node.operand.value)
    operand = evaluate(machine, node.operand)
    machine.at(node)
    if isinstance(node.op, ast.Not):
        verdict = truth(machine, operand, node)
        return machine.negated(verdict) if isinstance(verdict, Signal) else not verdict
    return arithmetic.unary(machine, type(node.op), operand, node)


def _compare(machine: Machine, node: ast.Compare) -> Any:
    """`a < b < c` is `a < b and b < c`, with `b` evaluated once."""
    left = evaluate(machine, node.left)
    return _compare_rest(machine, node, left, 0)


def _compare_rest(machine: Machine, node: ast.Compare, left: Any, place: int) -> Any:
    right = evaluate(machine, node.comparators[place])
    machine.at(node)
    verdict = comparisons.compare(machine, type(node.ops[place]), left, right, node)
    if place + 1 == len(node.ops):
        return verdict
    return both(machine, verdict, lambda: _compare_rest(machine, node, right, place + 1), node)


def both(machine: Machine, left: Any, right: Callable[[], Any], node: ast.expr) -> Any:
    """`left and right()`: the right side is evaluated where the left side is true, and an operand is the result."""
    return _short_circuit(machine, True, left, right, node)


def _short_circuit(machine: Machine, keep_going: bool, left: Any, right: Callable[[], Any], node: ast.expr) -> Any:
    verdict = decide(machine, truth(machine, left, node))
    if not isinstance(verdict, Signal):
        return right() if verdict is keep_going else left
    arm = run_arm(machine, verdict, keep_going, lambda: falling(right()))
    if _is_plain_truth(left) and only_computes(arm) and _is_plain_truth(arm.exit.cases[Way.FALL].value):
        other = resume(machine, arm).cases[Way.FALL].value
        found = (machine.both if keep_going else machine.either)(verdict, machine.signal(other))
        return replace(found, flavour=arithmetic.flavour_of_choice(left, other))
    same = np.bool_ if arithmetic.flavour_of(left) == "np" else bool
    stay = run_arm(machine, verdict, not keep_going, lambda: falling(same(not keep_going) if _is_plain_truth(left) else left))
    outcome = meet(machine, verdict, *((arm, stay) if keep_going else (stay, arm)), node)
    return outcome.cases[Way.FALL].value


def _is_plain_truth(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, Signal) and value.type == Type(Kind.BOOL))


def _boolean(machine: Machine, node: ast.BoolOp) -> Any:
    going = isinstance(node.op, ast.And)

    def rest(place: int) -> Any:
        value = evaluate(machine, node.values[place])
        if place + 1 == len(node.values):
            return value
        return _short_circuit(machine, going, value, lambda: rest(place + 1), node)

    return rest(0)


def _conditional(machine: Machine, node: ast.IfExp) -> Any:
    verdict = decide(machine, truth(machine, evaluate(machine, node.test), node.test))
    if not isinstance(verdict, Signal):
        return evaluate(machine, node.body if verdict else node.orelse)
    return choose(machine, verdict, lambda: evaluate(machine, node.body), lambda: evaluate(machine, node.orelse), node)


def _tuple(machine: Machine, node: ast.Tuple) -> Any:
    table = names.literal_table(machine, node)
    return tuple(items(machine, node.elts) if table is None else table)


def _list(machine: Machine, node: ast.List) -> Any:
    table = names.literal_table(machine, node)
    return machine.heap.created(items(machine, node.elts) if table is None else list(table))


def items(machine: Machine, nodes: list[ast.expr]) -> list[Any]:
    """The items of a display, stars unpacked."""
    result: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            result.extend(iteration.iterate(machine, evaluate(machine, node.value), node))
        else:
            result.append(evaluate(machine, node))
    return result


def _set(machine: Machine, node: ast.Set) -> Any:
    found = items(machine, node.elts)
    if any(isinstance(item, (Signal, Union)) for item in found):
        machine.refuse("a set of values that depend on data cannot be compiled", "Use a list or a tuple.", node)
    machine.refuse_stand_in(node, *(item for item in found if not isinstance(item, (Closure, Partial))))
    return arithmetic.native(machine, set, found)


def _dict(machine: Machine, node: ast.Dict) -> Any:
    result: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            result.update(evaluate(machine, value))
        else:
            name = evaluate(machine, key)
            held = evaluate(machine, value)
            result[subscripts.static_key(machine, name, key)] = held
    return machine.heap.created(result)


def _subscript(machine: Machine, node: ast.Subscript) -> Any:
    container = evaluate(machine, node.value)
    key = evaluate(machine, node.slice)
    machine.at(node)
    return resolve(machine, subscripts.get_item(machine, container, key, node))


def _slice(machine: Machine, node: ast.Slice) -> Any:
    parts = [None if part is None else evaluate(machine, part) for part in (node.lower, node.upper, node.step)]
    return slice(*[subscripts.static_int(machine, part, node) for part in parts])


def _attribute(machine: Machine, node: ast.Attribute) -> Any:
    value = evaluate(machine, node.value)
    machine.at(node)
    name = attributes.attribute_name(machine, node)
    return resolve(machine, distribute(machine, value, lambda item: attributes.get_attribute(machine, item, name, node), node))


def _call(machine: Machine, node: ast.Call) -> Any:
    function = evaluate(machine, node.func)
    args = items(machine, node.args)
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        value = evaluate(machine, keyword.value)
        if keyword.arg is None:
            kwargs.update(value)
        else:
            kwargs[keyword.arg] = value
    machine.at(node)
    return resolve(machine, calls.call(machine, function, args, kwargs, node))


def _lambda(machine: Machine, node: ast.Lambda) -> Any:
    return closure(machine, node, "<lambda>")


def closure(machine: Machine, node: ast.Lambda | ast.FunctionDef, name: str) -> Closure:
    """A function that interpreted code defines; its defaults are evaluated where it stands."""
    defaults = tuple(evaluate(machine, item) for item in node.args.defaults)
    keyword = {arg.arg: evaluate(machine, item) for arg, item in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if item}
    return Closure(node, machine.frame, defaults, keyword, name)


def _joined(machine: Machine, node: ast.JoinedStr) -> Any:
    return exceptions.joined(machine, [evaluate(machine, part) for part in node.values], node)


def _formatted(machine: Machine, node: ast.FormattedValue) -> Any:
    value = evaluate(machine, node.value)
    spec = evaluate(machine, node.format_spec) if node.format_spec else ""
    return distribute_first(machine, [value, spec], lambda parts: _format_one(machine, node, *parts), node)


def _format_one(machine: Machine, node: ast.FormattedValue, value: Any, spec: Any) -> Any:
    if isinstance(value, Signal):
        return _format_number(machine, value, spec) if isinstance(spec, str) and node.conversion == -1 else Text("{0}", (value,))
    if isinstance(value, Text):
        arithmetic.native(machine, format, "", spec if isinstance(spec, str) else "")
        return value
    if isinstance(value, BaseException):
        if spec and node.conversion == -1:
            raise UserRaise(TypeError, f"unsupported format string passed to {type(value).__name__}.__format__", machine.span)
        value = calls.call(machine, repr if node.conversion == 114 else str, [value], {}, node)
        if not isinstance(value, str):
            return value
        return format(value, spec if isinstance(spec, str) else "")
    converters: dict[int, Callable[[Any], Any]] = {-1: lambda item: item, 115: str, 114: repr, 97: ascii}
    convert = converters[node.conversion]
    try:
        return format(convert(value), spec if isinstance(spec, str) else "")
    except Exception as error:
        if spec and node.conversion == -1:
            if isinstance(value, StandIn):
                machine.refuse_stand_in(node, value)
            raise UserRaise(error, None, machine.span) from None
        return Text("...", ())  # a container with Signals in it: fine in a message


def _format_number(machine: Machine, value: Signal, spec: str) -> Text:
    """A number in a message, with its format, which Python checks first."""
    plain: Any = {Kind.BOOL: True, Kind.INT: 1, Kind.REAL: 1.0, Kind.COMPLEX: 1j}[value.kind]
    if not value.shape:
        arithmetic.native(machine, format, plain, spec)
    return Text(f"{{0:{spec}}}" if spec and not value.shape and not set("{}!") & set(spec) else "{0}", (value,))


def _list_comprehension(machine: Machine, node: ast.ListComp) -> Any:
    source = evaluate(machine, node.generators[0].iter)
    if not isinstance(source, Generator):
        return collected(machine, node, own_frame(machine, node), source)
    lazy = ast.copy_location(ast.GeneratorExp(node.elt, node.generators), node)  # both take turns
    found = generators.collect(machine, generators.made(machine, own_frame(machine, node), lazy, node, source), node)
    return machine.heap.created(found) if isinstance(found, list) else found


def _generator_expression(machine: Machine, node: ast.GeneratorExp) -> Any:
    source = evaluate(machine, node.generators[0].iter)
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
                return evaluate(machine, node.elt)

            found.append((guard, make() if guard is True else kept(machine, guard, make, node)))

        _comprehend(machine, node.generators, frame, source, add)
        if any(guard is not True for guard, _ in found):
            return Sifted(tuple(found))
        return machine.heap.created([item for _, item in found])

    return distribute(machine, source, over, node)


def _set_comprehension(machine: Machine, node: ast.SetComp) -> Any:
    return machine.heap.created(set(_list_comprehension(machine, ast.copy_location(ast.ListComp(node.elt, node.generators), node))))


def _dict_comprehension(machine: Machine, node: ast.DictComp) -> Any:
    def over(source: Any) -> dict[Any, Any]:
        found: dict[Any, Any] = {}

        def add(guard: Any, bind: Callable[[], None]) -> None:
            if guard is not True:
                machine.refuse("which keys this dict has depends on data", "Give it all its keys, and None where there is no value.", node)
            key = subscripts.static_key(machine, evaluate(machine, node.key), node.key)
            found[key] = evaluate(machine, node.value)

        _comprehend(machine, node.generators, own_frame(machine, node), source, add)
        return machine.heap.created(found)  # type: ignore[no-any-return]  # the same dict

    return distribute(machine, evaluate(machine, node.generators[0].iter), over, node)


def own_frame(machine: Machine, node: ast.ListComp | ast.GeneratorExp | ast.DictComp) -> Frame:
    """The scope of a comprehension's variables; only its first iterable is outside of it."""
    outer = machine.frame
    bound = frozenset(name for generator in node.generators for name in names.targets(generator.target))
    return Frame(outer.source, {}, outer.globals, outer, local_names=bound, comprehension=True)


def _comprehend(
    machine: Machine, parts: list[ast.comprehension], frame: Frame, source: Any, add: Callable[[Any, Callable[[], None]], None]
) -> None:
    """Run the loops of a comprehension."""
    if isinstance(source, DataLength):
        source = iteration.opened(machine, source, parts[0].iter)
    items = source if isinstance(source, Sifted) else iteration.one_by_one(machine, source, parts[0].iter)
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
    entries = items.taken(machine, generator.iter) if isinstance(items, Sifted) else ((True, item) for item in items)
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
            inner = evaluate(machine, others[0].iter)
            inner = inner if isinstance(inner, Sifted) else iteration.one_by_one(machine, inner, others[0].iter)
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
        return decide(machine, truth(machine, evaluate(machine, tests), tests))

    if outer is True:
        return test()
    passed = decide(machine, choose(machine, outer, test, lambda: False, generator.iter))
    return False if passed is False else _both(machine, outer, passed)


def _both(machine: Machine, left: Any, right: Any) -> Any:
    if left is True or right is True:
        return right if left is True else left
    return machine.both(left, right)


def _walrus(machine: Machine, node: ast.NamedExpr) -> Any:
    value = evaluate(machine, node.value)
    frame: Frame | None = machine.frame
    while frame is not None and frame.comprehension:  # it binds in the function around
        frame = frame.enclosing
    assert frame is not None
    machine.frames.append(frame)
    try:
        assignment.assign(machine, node.target, value)
    finally:
        machine.frames.pop()
    return value


def _starred(machine: Machine, node: ast.Starred) -> Any:
    raise UserRaise(SyntaxError, "a starred expression stands alone", machine.at(node))


HANDLERS: dict[type[ast.expr], Callable[[Machine, Any], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Lambda: _lambda,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
    ast.ListComp: _list_comprehension,
    ast.GeneratorExp: _generator_expression,
    ast.Yield: generators.value_of_yield,
    ast.YieldFrom: generators.value_of_yield,
    Given: lambda machine, node: node.value,
    Asked: lambda machine, node: node.ask(),
    ast.SetComp: _set_comprehension,
    ast.DictComp: _dict_comprehension,
    ast.NamedExpr: _walrus,
    ast.Starred: _starred,
}
