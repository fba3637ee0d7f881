"""Evaluate expressions: ordinary Python on static values, operations of the Program on Signals."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from deepalgo.ir import Kind
from deepalgo.stage.rules.python import attributes, exceptions
from deepalgo.stage.state import lookup
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.given_nodes import Asked, Given
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import choose
from deepalgo.stage.state.static_calls import run_static
from deepalgo.stage.state.static_values import static_int, static_key
from deepalgo.stage.state.unions import distribute, distribute_first, resolve
from deepalgo.stage.state.values import Closure, DataText, Frame, Partial, Signal, StandIn, Union, UserRaise
from deepalgo.stage.syntax import assignment
from deepalgo.stage.syntax.comprehensions import dict_comprehension, generator_expression, list_comprehension, set_comprehension
from deepalgo.stage.syntax.short_circuit import both, short_circuit
from deepalgo.stage.syntax.yields import value_of_yield


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
    return lookup.literal(machine, node, node.value) if type(node.value) is float else node.value


def _name(machine: Machine, node: ast.Name) -> Any:
    machine.at(node)
    return resolve(machine, lookup.lookup(machine, node.id, node), node.id)


def _binary(machine: Machine, node: ast.BinOp) -> Any:
    left = evaluate(machine, node.left)
    right = evaluate(machine, node.right)
    if machine.integers:
        left, right = _coefficient(machine, node, node.left, left, right), _coefficient(machine, node, node.right, right, left)
    machine.at(node)
    return machine.binary(type(node.op), left, right, node)


def _coefficient(machine: Machine, node: ast.BinOp, part: ast.expr, value: Any, other: Any) -> Any:
    """With `integers=True`, a whole number that multiplies or shifts a real Signal is a weight, too."""
    scales = isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)) and isinstance(part, ast.Constant) and type(value) is int
    return lookup.literal(machine, part, float(value)) if scales and isinstance(other, Signal) and other.kind is Kind.REAL else value


def _unary(machine: Machine, node: ast.UnaryOp) -> Any:
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) and type(node.operand.value) is float:
        return lookup.literal(machine, node, -node.operand.value)
    operand = evaluate(machine, node.operand)
    machine.at(node)
    if isinstance(node.op, ast.Not):
        verdict = machine.truth(operand, node)
        return machine.negated(verdict) if isinstance(verdict, Signal) else not verdict
    return machine.unary(type(node.op), operand, node)


def _compare(machine: Machine, node: ast.Compare) -> Any:
    """`a < b < c` is `a < b and b < c`, with `b` evaluated once."""
    left = evaluate(machine, node.left)
    return _compare_rest(machine, node, left, 0)


def _compare_rest(machine: Machine, node: ast.Compare, left: Any, place: int) -> Any:
    right = evaluate(machine, node.comparators[place])
    machine.at(node)
    verdict = machine.compare(type(node.ops[place]), left, right, node)
    if place + 1 == len(node.ops):
        return verdict
    return both(machine, verdict, lambda: _compare_rest(machine, node, right, place + 1), node)


def _boolean(machine: Machine, node: ast.BoolOp) -> Any:
    going = isinstance(node.op, ast.And)

    def rest(place: int) -> Any:
        value = evaluate(machine, node.values[place])
        if place + 1 == len(node.values):
            return value
        return short_circuit(machine, going, value, lambda: rest(place + 1), node)

    return rest(0)


def _conditional(machine: Machine, node: ast.IfExp) -> Any:
    verdict = decide(machine, machine.truth(evaluate(machine, node.test), node.test))
    if not isinstance(verdict, Signal):
        return evaluate(machine, node.body if verdict else node.orelse)
    return choose(machine, verdict, lambda: evaluate(machine, node.body), lambda: evaluate(machine, node.orelse), node)


def _tuple(machine: Machine, node: ast.Tuple) -> Any:
    table = lookup.literal_table(machine, node)
    return tuple(items(machine, node.elts) if table is None else table)


def _list(machine: Machine, node: ast.List) -> Any:
    table = lookup.literal_table(machine, node)
    return machine.heap.created(items(machine, node.elts) if table is None else list(table))


def items(machine: Machine, nodes: list[ast.expr]) -> list[Any]:
    """The items of a display, stars unpacked."""
    result: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            result.extend(machine.iterate(evaluate(machine, node.value), node))
        else:
            result.append(evaluate(machine, node))
    return result


def _set(machine: Machine, node: ast.Set) -> Any:
    found = items(machine, node.elts)
    if any(isinstance(item, (Signal, Union)) for item in found):
        machine.refuse("a set of values that depend on data cannot be compiled", "Use a list or a tuple.", node)
    machine.refuse_stand_in(node, *(item for item in found if not isinstance(item, (Closure, Partial))))
    return run_static(machine, set, found)


def _dict(machine: Machine, node: ast.Dict) -> Any:
    result: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            result.update(evaluate(machine, value))
        else:
            name = evaluate(machine, key)
            held = evaluate(machine, value)
            result[static_key(machine, name, key)] = held
    return machine.heap.created(result)


def _subscript(machine: Machine, node: ast.Subscript) -> Any:
    container = evaluate(machine, node.value)
    key = evaluate(machine, node.slice)
    machine.at(node)
    return resolve(machine, machine.get_item(container, key, node))


def _slice(machine: Machine, node: ast.Slice) -> Any:
    parts = [None if part is None else evaluate(machine, part) for part in (node.lower, node.upper, node.step)]
    return slice(*[static_int(machine, part, node) for part in parts])


def _attribute(machine: Machine, node: ast.Attribute) -> Any:
    value = evaluate(machine, node.value)
    machine.at(node)
    name = attributes.attribute_name(machine, node)
    return resolve(machine, distribute(machine, value, lambda item: machine.get_attribute(item, name, node), node))


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
    return resolve(machine, machine.call(function, args, kwargs, node))


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
        return _format_number(machine, value, spec) if isinstance(spec, str) and node.conversion == -1 else DataText("{0}", (value,))
    if isinstance(value, DataText):
        run_static(machine, format, "", spec if isinstance(spec, str) else "")
        return value
    if isinstance(value, BaseException):
        return _format_exception(machine, node, value, spec)
    converters: dict[int, Callable[[Any], Any]] = {-1: lambda item: item, 115: str, 114: repr, 97: ascii}
    convert = converters[node.conversion]
    try:
        return format(convert(value), spec if isinstance(spec, str) else "")
    except Exception as error:
        if spec and node.conversion == -1:
            if isinstance(value, StandIn):
                machine.refuse_stand_in(node, value)
            raise UserRaise(error, None, machine.span) from None
        return DataText("...", ())  # a container with Signals in it: fine in a message


def _format_exception(machine: Machine, node: ast.FormattedValue, value: BaseException, spec: Any) -> Any:
    """An exception in a string; its text may be made from data."""
    if spec and node.conversion == -1:
        raise UserRaise(TypeError, f"unsupported format string passed to {type(value).__name__}.__format__", machine.span)
    text = machine.call(repr if node.conversion == 114 else str, [value], {}, node)
    return format(text, spec if isinstance(spec, str) else "") if isinstance(text, str) else text


def _format_number(machine: Machine, value: Signal, spec: str) -> DataText:
    """A number in a message, with its format, which Python checks first."""
    plain: Any = {Kind.BOOL: True, Kind.INT: 1, Kind.REAL: 1.0, Kind.COMPLEX: 1j}[value.kind]
    if not value.shape:
        run_static(machine, format, plain, spec)
    return DataText(f"{{0:{spec}}}" if spec and not value.shape and not set("{}!") & set(spec) else "{0}", (value,))


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
    ast.ListComp: list_comprehension,
    ast.GeneratorExp: generator_expression,
    ast.Yield: value_of_yield,
    ast.YieldFrom: value_of_yield,
    Given: lambda machine, node: node.value,
    Asked: lambda machine, node: node.ask(),
    ast.SetComp: set_comprehension,
    ast.DictComp: dict_comprehension,
    ast.NamedExpr: _walrus,
    ast.Starred: _starred,
}
