"""Names: where they are looked up, and which of the numbers behind them are weights."""

from __future__ import annotations

import ast
import builtins
import linecache
import math
import re
import sys
import types
from typing import Any

import numpy as np

from deepalgo.errors import CompileError
from deepalgo.ir import Attr, Kind, Op, Type
from deepalgo.spans import FunctionSource, Span
from deepalgo.stage.state.arrays import Array, attr_of_plain, has_numbers
from deepalgo.stage.state.given_numbers import given_numbers
from deepalgo.stage.state.literal_names import PLAIN, literal_names
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.shared_constants import shared_cells
from deepalgo.stage.state.structure import is_same
from deepalgo.stage.state.values import UNDEFINED, Frame, Known, Signal, UserRaise
from deepalgo.stage.state.weight_marks import note_text

#: Modules whose numbers are mathematics, not somebody's choice.
GIVEN = frozenset({"math", "cmath", "numpy", "scipy", "torch", "sys", "builtins"})
MATHEMATICS = (math.pi, math.e, math.tau, math.inf, math.nan, np.pi, np.e, np.inf, np.nan)
#: Longer tables are read as they are; nobody tunes so many numbers one by one.
LONGEST_TABLE = 4096


def lookup(machine: Machine, name: str, node: ast.AST) -> Any:
    """The value of a name as the running function sees it."""
    frame = machine.frame
    if name in frame.nonlocals:
        return read(machine, frame.nonlocals[name], name)
    if name in frame.local_names or name in frame.names:
        return read(machine, frame, name)
    outer = frame.enclosing
    while outer is not None:
        if name in outer.local_names or name in outer.names:
            return read(machine, outer, name)
        frame, outer = outer, outer.enclosing
    if name in frame.cells:
        return _from_cell(machine, frame, name)
    return _from_globals(machine, machine.frame, name)


def read(machine: Machine, frame: Frame, name: str) -> Any:
    """A name of a frame."""
    value = frame.names.get(name, UNDEFINED)
    if value is UNDEFINED and frame is not machine.frame:
        is_module = machine.modules.get(id(frame.globals)) is frame
        text = f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
        raise UserRaise(NameError, f"name '{name}' is not defined" if is_module else text, machine.span)
    if value is UNDEFINED:
        message = f"cannot access local variable '{name}' where it is not associated with a value"
        raise UserRaise(UnboundLocalError, message, machine.span)
    return value


def _from_cell(machine: Machine, frame: Frame, name: str) -> Any:
    cell = frame.cells[name]
    try:
        value = cell.cell_contents
    except ValueError:
        raise UserRaise(NameError, f"free variable '{name}' has no value", machine.span) from None
    machine.weights.hold(("cell", id(cell)), "cell", cell, reader=running(machine))
    return lift(machine, value, ("cell", id(cell)), name, None)


def declare_global(machine: Machine, name: str, span: Span) -> None:
    """`global name`: the function may write to it if it sets it back before it returns."""
    frame = machine.frame
    module = machine.modules.get(id(frame.globals))
    if module is None:
        module = Frame(frame.source, {}, frame.globals)
        machine.heap.keep_names(module.names)
        machine.modules[id(frame.globals)] = module
    if name not in module.names:
        value = _from_globals(machine, frame, name) if name in frame.globals else UNDEFINED
        module.names[name] = value
        machine.lent.append((module, name, value, span))
    frame.nonlocals[name] = module


def refuse_traces(machine: Machine) -> None:
    """Refuse a function that leaves a global changed."""
    for module, name, value, span in machine.lent:
        if not is_same(value, module.names.get(name, UNDEFINED)):
            reason = f"this writes to the global variable `{name}`"
            raise CompileError(reason, span=span, remedy=f"Return the new value of `{name}` and let the caller keep it.")


def _from_globals(machine: Machine, frame: Frame, name: str) -> Any:
    written = machine.modules.get(id(frame.globals))
    if written is not None and name in written.names:
        return read(machine, written, name)
    if name in frame.globals:
        value = frame.globals[name]
        if not _may_lift(value):
            return value
        module = str(frame.globals.get("__name__", ""))
        return lift_module_constant(machine, module, frame.globals, name, value)
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise UserRaise(NameError, f"name '{name}' is not defined", machine.span)


def lift_module_constant(machine: Machine, module: str, scope: dict[str, Any], name: str, value: Any) -> Any:
    """A module-level number as a weight that knows its line; imported numbers belong to the module that assigns them.

    At the prompt and in a notebook there is no module's text: what was assigned there has no line, and is a weight all the same.
    """
    held, under = scope, name
    for _ in range(8):
        machine.weights.hold(("global", id(scope), name), "name", held, under, running(machine))
        if module.partition(".")[0] in GIVEN:
            return _fixed(machine, value)
        lines = _module_lines(scope)
        if not lines and not any(value is given for given in MATHEMATICS):
            return lift(machine, value, ("global", id(scope), name), name, None)
        number = _assignment_line(lines, name)
        if number is not None:
            text = lines[number - 1]
            span = Span(str(scope.get("__file__", module)), number, 0, number, len(text), (text,))
            if isinstance(value, (list, tuple, np.ndarray)) and (cells := shared_cells("\n".join(lines), number, name, scope)):
                return _lift_with_shared(machine, module, scope, name, span, cells)
            return lift(machine, value, ("global", id(scope), name), name, span)
        origin = _import_origin(lines, name, scope)
        if origin is None:
            return _fixed(machine, value)
        module, name = origin
        scope = vars(sys.modules[module])
    return _fixed(machine, value)


def _lift_with_shared(
    machine: Machine, module: str, scope: dict[str, Any], name: str, span: Span, cells: dict[tuple[int, ...], str]
) -> Any:
    """A table some of whose cells are other constants: these stay the weights that they are, the rest are weights of the table."""
    place, value = ("global", id(scope), name), scope[name]
    memo = machine.lifted.get(place)
    if memo is not None and memo[0] is value:
        return memo[1]

    def part(held: Any, path: tuple[int, ...], inner: Any) -> Any:
        if path in cells:
            other = ("global", id(scope), cells[path])
            found = lift_module_constant(machine, module, scope, cells[path], scope[cells[path]])
            machine.weights.hold(other, "name", scope, name, running(machine), path)
            return found
        if not any(cell[: len(path)] == path for cell in cells):
            return lift(machine, held, inner, "_".join([name, *map(str, path)]), span)
        parts = [part(item, (*path, number), (inner, number)) for number, item in enumerate(held)]
        return tuple(parts) if isinstance(held, tuple) else parts

    site, machine.site = machine.site, ()
    with machine.builder.into(machine.prelude):  # the table will be read in other blocks, too
        result = part(value.tolist() if isinstance(value, np.ndarray) else value, (), place)
        if isinstance(value, np.ndarray):
            result = machine.call(np.array, [result], {}, ast.Pass())
    machine.site = site
    machine.lifted[place] = (value, result)
    return result


def _fixed(machine: Machine, value: Any) -> Any:
    """What is nobody's weight; an array is in a box, as all arrays are."""
    if not isinstance(value, np.ndarray) or not has_numbers(value):
        return value
    memo = machine.lifted.setdefault(("fixed", id(value)), (value, Array(value)))
    return memo[1]


def _module_lines(scope: dict[str, Any]) -> list[str]:
    return [line.rstrip("\n") for line in linecache.getlines(str(scope.get("__file__") or ""))]


def _assignment_line(lines: list[str], name: str) -> int | None:
    """The last line at module level that assigns the name."""
    pattern = re.compile(rf"^\s*(\w+\s*=\s*|\w+\s*,\s*)*{re.escape(name)}\s*(:[^=]+)?(,\s*\w+\s*)*=(?!=)")
    for number in range(len(lines), 0, -1):
        line = lines[number - 1]
        if name in line and not line.startswith((" ", "\t")) and pattern.match(line):  # files are long, and most lines are others
            return number
    return None


def _import_origin(lines: list[str], name: str, scope: dict[str, Any]) -> tuple[str, str] | None:
    """The module and the name behind `from module import name`."""
    pattern = re.compile(rf"^\s*from\s+([.\w]+)\s+import\s+.*\b{re.escape(name)}\b")
    for line in lines:
        match = pattern.match(line) if name in line else None
        if match:
            module = _absolute(match.group(1), scope)
            if module in sys.modules and hasattr(sys.modules[module], name):
                return module, name
    return None


def _absolute(module: str, scope: dict[str, Any]) -> str:
    dots = len(module) - len(module.lstrip("."))
    if not dots:
        return module
    package = str(scope.get("__package__") or "").split(".")
    return ".".join([*package[: len(package) - dots + 1], module.lstrip(".")]).rstrip(".")


def _may_lift(value: Any) -> bool:
    return isinstance(value, (float, list, tuple, dict)) or type(value).__module__ == "numpy"


def lift(machine: Machine, value: Any, place: Any, name: str, span: Span | None) -> Any:
    """Replace the numbers that a person wrote by weights: a float, or a table of floats as one weight."""
    if isinstance(value, float):
        key = machine.weights.at(place, name, float(value), (), span)
        note_text(machine, key, span)
        made = weight(machine, key, float(value), ())
        return made if type(value) is float else Signal(made.value, "np", True, made.known)
    memo = machine.lifted.get(place)
    if memo is not None and memo[0] is value:
        return memo[1]
    site, machine.site = machine.site, ()
    with machine.builder.into(machine.prelude):  # the table will be read in other blocks, too
        result = _lift_container(machine, value, place, name, span)
    machine.site = site
    if result is not value:
        machine.lifted[place] = (value, result)
    return result


def _lift_container(machine: Machine, value: Any, place: Any, name: str, span: Span | None) -> Any:
    if isinstance(value, np.ndarray):
        return _lift_array(machine, value, place, name, span)
    if type(value) in (list, tuple):
        shape = table_shape(value)
        if shape is not None and 2 <= _size(shape) <= LONGEST_TABLE:
            key = machine.weights.at(place, name, _nested(value), shape, span)
            note_text(machine, key, span)
            return _unpack(machine, weight(machine, key, value, shape), value)
        if _size_of(value) > LONGEST_TABLE:
            return value
        parts = [lift(machine, item, (place, number), f"{name}_{number}", span) for number, item in enumerate(value)]
        return type(value)(parts) if any(a is not b for a, b in zip(parts, value, strict=True)) else value
    if type(value) is dict and len(value) <= LONGEST_TABLE:
        found = {key: lift(machine, item, (place, key), f"{name}_{_identifier(key)}", span) for key, item in value.items()}
        return found if any(found[key] is not value[key] for key in value) else value
    if isinstance(value, types.SimpleNamespace):
        return value
    return value


def _lift_array(machine: Machine, value: np.ndarray, place: Any, name: str, span: Span | None) -> Any:
    """An array that lives outside of the function: of floats one weight, of other numbers a fixed table."""
    if not has_numbers(value):
        return value
    if value.dtype != np.float64 or not 2 <= value.size <= LONGEST_TABLE:
        return Array(value)
    key = machine.weights.at(place, name, attr_of_plain(value), tuple(value.shape), span)
    note_text(machine, key, span)
    return Array(weight(machine, key, None, tuple(value.shape)))


def _identifier(key: Any) -> str:
    return re.sub(r"\W", "_", str(key))


def _size_of(value: Any) -> int:
    return sum(_size_of(item) for item in value) if isinstance(value, (list, tuple)) else 1


def _size(shape: tuple[int, ...]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def table_shape(value: Any) -> tuple[int, ...] | None:
    """The shape of a rectangular table of floats, None for anything else.

    >>> table_shape([[0.1, 0.2], [0.3, 0.4]]), table_shape([0.1, 2])
    ((2, 2), None)
    """
    if type(value) is float:
        return ()
    if type(value) not in (list, tuple) or not value:
        return None
    shapes = {table_shape(item) for item in value}
    inner = shapes.pop()
    return None if shapes or inner is None else (len(value), *inner)


def _nested(value: Any) -> Attr:
    return tuple(_nested(item) for item in value) if isinstance(value, (list, tuple)) else float(value)


def _unpack(machine: Machine, table: Signal, value: Any) -> Any:
    """The items of a table weight as the list or tuple that it was."""
    items = []
    for number, item in enumerate(value):
        known = table.known
        part = machine.emit("index", table, key=(number,))
        part = Signal(part.value, "py", True, None if known is None else Known(item, known.keys))
        items.append(_unpack(machine, part, item) if isinstance(item, (list, tuple)) else part)
    return type(value)(items)


def weight(machine: Machine, key: str, value: Any, shape: tuple[int, ...]) -> Signal:
    """A use of a weight at this place of the program."""
    result = machine.builder.fresh(Type(Kind.REAL, shape))
    known = None if value is None else Known(value, frozenset({key}))
    machine.builder.append(Op(result, "weight", (), (("key", key), ("site", machine.site)), machine.span))
    return Signal(result, "py", True, known)


def mark(machine: Machine, value: Any, name: str | None, node: ast.AST) -> Any:
    """What `da.weight` says of a value: a number or table that no data entered is a weight. Literals have been named already."""
    span = machine.at(node)
    place, chosen = ("mark", span.file, span.line, span.column), name or f"c{span.line}"
    machine.weights.hold(place, "mark", running(machine), reader=running(machine))
    if isinstance(value, Signal):
        definition = machine.definition(value)
        if value.known is None or (definition is not None and definition.name == "weight"):
            return value
        value = value.known.value
    if isinstance(value, (bool, int, float)):
        return weight(machine, machine.weights.at(place, chosen, float(value), (), span), value, ())
    if isinstance(value, Array) and value.base is None and isinstance(value.held, np.ndarray) and value.held.dtype.kind in "iuf":
        plain = value.held.astype(float)
        key = machine.weights.at(place, chosen, attr_of_plain(plain), plain.shape, span)
        return machine.heap.created(Array(weight(machine, key, None, plain.shape)))
    shape = table_shape(value)
    if shape is None:
        return value
    key = machine.weights.at(place, chosen, _nested(value), shape, span)
    return _own(machine, _unpack(machine, weight(machine, key, value, shape), value))


def is_in_library(machine: Machine, scope: dict[str, Any]) -> bool:
    """Whether a text is one of NumPy's that the heuristic has called: its numbers are no constants of the heuristic."""
    first = machine.frames[0].globals if machine.frames else scope
    return all(str(space.get("__name__")).startswith("numpy.") is inside for space, inside in ((scope, True), (first, False)))


def literal(machine: Machine, node: ast.expr, value: float) -> Any:
    """A float that stands in the source."""
    if is_in_library(machine, machine.frame.globals) or _suggested(machine, machine.frame.source).get(id(node)) == PLAIN:
        return value
    span = machine.at(node)
    place = (span.file, span.line, span.column)
    name = _name_literal(machine, node, place) or f"c{span.line}"
    return weight(machine, machine.weights.at(place, name, value, (), span), value, ())


def literal_table(machine: Machine, node: ast.List | ast.Tuple) -> Any:
    """A display of float literals is one weight; None if it is anything else."""
    if not isinstance(node.ctx, ast.Load):
        return None
    value = _literal_value(node)
    shape = table_shape(value)
    if shape is None or _size(shape) < 2 or is_in_library(machine, machine.frame.globals):
        return None
    if _suggested(machine, machine.frame.source).get(id(node)) == PLAIN:
        return None
    span = machine.at(node)
    place = (span.file, span.line, span.column)
    name = _name_literal(machine, node, place) or f"t{span.line}"
    key = machine.weights.at(place, name, _nested(value), shape, span)
    return _own(machine, _unpack(machine, weight(machine, key, value, shape), value))


def _name_literal(machine: Machine, node: ast.expr, place: Any) -> str:
    """Note who says a literal and whether it is anybody's choice; the name that the source gives it, or ''."""
    source = machine.frame.source
    machine.weights.hold(place, "literal", running(machine), reader=running(machine))
    if id(source.node) not in machine.given_numbers:
        machine.given_numbers[id(source.node)] = given_numbers(source.node)
    if reason := machine.given_numbers[id(source.node)].get(id(node)):
        machine.weights.standings.reasons[place] = reason
    return _suggested(machine, source).get(id(node), "")


def running(machine: Machine) -> Any:
    """The real function around what is running; what it defines inside has no function of its own. None before the first."""
    if not machine.frames:
        return None
    frame = machine.frame
    while frame.enclosing is not None:
        frame = frame.enclosing
    code = getattr(frame.function, "__code__", None)
    for file, lines, outer in machine.local_classes:
        if code is not None and code.co_filename == file and code.co_firstlineno in lines:
            return outer
    return frame.function


def _own(machine: Machine, table: Any) -> Any:
    """The lists of a display are the function's own, also those inside."""
    if isinstance(table, (list, tuple)):
        for item in table:
            _own(machine, item)
    return machine.heap.created(table) if isinstance(table, list) else table


def _literal_value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=float(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=float(value))):
            return -value
        case ast.List(elts=elements):
            return [_literal_value(item) for item in elements]
        case ast.Tuple(elts=elements):
            return tuple(_literal_value(item) for item in elements)
        case _:
            return None


def _suggested(machine: Machine, source: FunctionSource) -> dict[int, str]:
    """Names for literals that have one: the variable they are assigned to, the keyword or parameter they stand for."""
    names = machine.literal_names.get(id(source.node))
    if names is None:
        names = literal_names(source.node)
        machine.literal_names[id(source.node)] = names
    return names


def targets(node: ast.AST) -> list[str]:
    """The names that an assignment target binds."""
    return [item.id for item in ast.walk(node) if isinstance(item, ast.Name)]
