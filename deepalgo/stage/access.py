"""Reading and writing: items, attributes, unpacking and iteration."""

from __future__ import annotations

import ast
import functools
import operator
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from deepalgo.ir import Kind
from deepalgo.spans import attribute_span
from deepalgo.stage import names
from deepalgo.stage.aliases import refuse_kin
from deepalgo.stage.arrays import indexing
from deepalgo.stage.arrays.box import Array, own_content, root_of, shape_of
from deepalgo.stage.arrays.elementwise import Masked
from deepalgo.stage.machine import UNROLL, Machine
from deepalgo.stage.structure import Number, join, structure_of
from deepalgo.stage.unions import distribute
from deepalgo.stage.values import UNDEFINED, BoundMethod, Closure, NeedsUnroll, Signal, Text, Union, UserRaise, refuse_again, user_method

# --- static demands -------------------------------------------------------------------------------------------------------


def static_int(machine: Machine, value: Any, node: ast.AST, what: str = "this index") -> Any:
    """A whole number that must be known at compile time."""
    if not isinstance(value, (Signal, Union)):
        return value
    if isinstance(value, Signal):
        known = machine.demand(value, f"{what} is needed at compile time")
        if known is not None:
            return known
        if value.uniform and machine.attempts:
            raise NeedsUnroll
    machine.refuse(f"{what} depends on data", "Make it a fixed number, or pass it as static configuration.", node)


def static_key(machine: Machine, value: Any, node: ast.AST) -> Any:
    """A dict key."""
    if isinstance(value, tuple):
        return tuple(static_key(machine, item, node) for item in value)
    refuse_text(machine, "is used as a key", value, node)
    return static_int(machine, value, node, "this key")


# --- items ------------------------------------------------------------------------------------------------------------------


def refuse_text(machine: Machine, use: str, value: Any, node: ast.AST) -> None:
    """Strings made from data have no content while compiling."""
    if isinstance(value, Text):
        machine.refuse(f"a string made from data {use}", "Strings made from data are only good for messages.", node)


def get_item(machine: Machine, container: Any, key: Any, node: ast.AST) -> Any:
    """`container[key]`."""
    refuse_again(container, key)
    if isinstance(container, Union):
        return distribute(machine, container, lambda case: get_item(machine, case, key, node), node)
    if isinstance(key, Union):
        return distribute(machine, key, lambda case: get_item(machine, container, case, node), node)
    refuse_text(machine, "is indexed", container, node)
    refuse_text(machine, "is used as a key", key, node)
    if isinstance(container, Array):
        return indexing.get(machine, container, key, node)
    if isinstance(container, Signal):
        if container.flavour == "np":
            return indexing.get_from_number(machine, container, key, node)
        raise UserRaise(TypeError, "'float' object is not subscriptable", machine.span)
    if isinstance(key, Signal):
        return _chosen_item(machine, container, key, node)
    method = user_method(container, "__getitem__")
    if method is not None:
        from deepalgo.stage.calls import call

        return call(machine, method, [container, key], {}, node)
    try:
        result = container[key]
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None
    return machine.heap.created(result) if isinstance(key, slice) and isinstance(result, list) else result


def _chosen_item(machine: Machine, container: Any, key: Signal, node: ast.AST) -> Any:
    """An index chosen by data: a gather from a table of equal things, or a choice between the items."""
    if key.known is not None:
        return get_item(machine, container, machine.demand(key, "chooses an item at compile time"), node)
    if isinstance(container, dict):
        return _chosen_entry(machine, container, key, node)
    if not isinstance(container, (list, tuple, range)):
        machine.refuse("an item of this object is chosen by data", "Use a list or a tuple of numbers.", node)
    if key.kind > Kind.INT:
        raise UserRaise(TypeError, "list indices must be integers or slices, not float", machine.span)
    if key.uniform and machine.attempts and machine.rounds_at_hand <= UNROLL and not _is_table(machine, container):
        raise NeedsUnroll
    size = len(container)
    inside = machine.emit("and", machine.emit("ge", key, -size), machine.emit("lt", key, size))
    machine.check(inside, IndexError, f"{type(container).__name__} index out of range")
    place = key if is_index(machine, key) else machine.emit("select", machine.emit("lt", key, 0), machine.emit("add", key, size), key)
    if _is_table(machine, container):
        return _gather(machine, container, place)
    cases = tuple((machine.emit("eq", place, number), item) for number, item in enumerate(container))
    if len(cases) > 256:
        machine.refuse(f"one of {len(cases)} objects is chosen by data", "Keep numbers in the list, not objects.", node)
    return merge_cases(machine, cases, node)


def is_index(machine: Machine, key: Signal) -> bool:
    """The index of a loop is never negative."""
    return key.value.name == "round"


def merge_cases(machine: Machine, cases: Sequence[tuple[Signal, Any]], node: ast.AST) -> Any:
    """One of several values, chosen by guards: merged where they are numbers, a Union where not."""
    return distribute(machine, Union(tuple(cases)), lambda item: item, node)


def _is_table(machine: Machine, items: Any) -> bool:
    if not len(items):
        return False
    shape = structure_of(items[0], machine.is_loose)
    for item in items[1:]:
        shape = join(shape, structure_of(item, machine.is_loose))
    return isinstance(shape, Number) or (len(items) == 1 and isinstance(items[0], (int, float)))


def _gather(machine: Machine, items: Any, place: Signal) -> Signal:
    from deepalgo.stage.arithmetic import flavour_of_choice

    signals = [machine.signal(item) for item in items]
    widest = max(signals, key=lambda item: item.kind)
    table = machine.emit("stack", *[machine.cast(item, widest.type) for item in signals])
    result = machine.emit("gather", table, place)
    flavour = flavour_of_choice(*items)
    return Signal(result.value, flavour, table.uniform and place.uniform, None)


def _chosen_entry(machine: Machine, container: dict[Any, Any], key: Signal, node: ast.AST) -> Any:
    keys = [item for item in container if isinstance(item, (bool, int, float))]
    if len(keys) > 256:
        machine.refuse(f"one of {len(keys)} entries is chosen by data", "Use a list of numbers instead of a dict.", node)
    guards = [machine.emit("eq", key, item) for item in keys]
    found = guards[0] if guards else machine.constant(False)
    for guard in guards[1:]:
        found = machine.logical("or", found, guard)
    machine.check(found, KeyError, "{0}", (key,))
    return merge_cases(machine, tuple(zip(guards, (container[item] for item in keys), strict=True)), node)


def set_item(machine: Machine, container: Any, key: Any, value: Any, node: ast.AST) -> None:
    """`container[key] = value`."""
    if isinstance(container, Union):
        distribute(machine, container, lambda case: set_item(machine, case, key, value, node), node)
        return
    if isinstance(key, Union):
        distribute(machine, key, lambda case: set_item(machine, container, case, value, node), node)
        return
    if isinstance(container, Array):
        indexing.store(machine, container, key, value, node)
        return
    if isinstance(container, (Signal, str, tuple, int, float)):
        name = type(representative(container)).__name__
        raise UserRaise(TypeError, f"'{name}' object does not support item assignment", machine.span)
    refuse_shared(machine, container, node)
    if isinstance(key, Signal) and key.known is None:
        _chosen_store(machine, container, key, value, node)
        return
    method = user_method(container, "__setitem__")
    if method is not None:
        from deepalgo.stage.calls import call

        call(machine, method, [container, key, value], {}, node)
        return
    key = static_key(machine, key, node)
    machine.heap.touch(container)
    try:
        container[key] = value
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None


def representative(value: Any) -> Any:
    """A plain number of the same type."""
    from deepalgo.stage import builtin_functions

    return builtin_functions.representative(value)


def _chosen_store(machine: Machine, container: Any, key: Signal, value: Any, node: ast.AST) -> None:
    """A store at an index chosen by data: every item may be the one."""
    if key.uniform and machine.attempts and machine.rounds_at_hand <= UNROLL:
        raise NeedsUnroll
    if not isinstance(container, list) or key.kind > Kind.INT:
        machine.refuse("an item of this object is stored at a key chosen by data", "Use a list of numbers.", node)
    size = len(container)
    inside = machine.emit("and", machine.emit("ge", key, -size), machine.emit("lt", key, size))
    machine.check(inside, IndexError, "list assignment index out of range")
    place = machine.emit("select", machine.emit("lt", key, 0), machine.emit("add", key, size), key)
    machine.heap.touch(container)
    for number, item in enumerate(list(container)):
        hit = machine.emit("eq", place, number)
        container[number] = distribute(machine, Union(((hit, value), (machine.logical("not", hit), item))), lambda case: case, node)


def refuse_shared(machine: Machine, container: Any, node: ast.AST) -> None:
    """Writes that would be seen outside of the function are not ours to make."""
    if id(container) not in machine.heap.inside:
        machine.refuse(
            "this writes to an object that lives outside of the function",
            "Pass the object as an argument and return what changed, or make a copy first.",
            node,
        )
    refuse_kin(machine, container, node)


def delete(machine: Machine, target: ast.expr) -> None:
    """`del name` and `del container[key]`."""
    from deepalgo.stage.expressions import evaluate

    machine.at(target)
    match target:
        case ast.Name(id=name):
            machine.heap.touch(machine.frame.names)
            if machine.frame.names.pop(name, UNDEFINED) is UNDEFINED:
                raise UserRaise(UnboundLocalError, f"cannot delete '{name}'", machine.span)
        case ast.Subscript(value=value, slice=key):
            container = evaluate(machine, value)
            refuse_shared(machine, container, target)
            machine.heap.touch(container)
            try:
                del container[static_key(machine, evaluate(machine, key), key)]
            except (KeyError, IndexError, TypeError) as error:
                raise UserRaise(error, None, machine.span) from None
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                delete(machine, element)
        case _:
            machine.refuse("this `del` cannot be compiled", "Leave it out, or set the attribute to None.", target)


# --- attributes -------------------------------------------------------------------------------------------------------------


def get_attribute(machine: Machine, value: Any, name: str, node: ast.AST) -> Any:
    """`value.name`."""
    refuse_again(value)
    from deepalgo.stage import signal_methods
    from deepalgo.stage.arrays import methods

    if isinstance(value, (Array, Masked)) or (isinstance(value, Signal) and _is_numpys(value, name)):
        return methods.attribute(machine, value, name, node)
    if isinstance(value, Signal):
        return signal_methods.attribute(machine, value, name, node)
    if isinstance(value, Closure):
        return _closure_attribute(machine, value, name)
    if isinstance(value, Super):
        return value.find(machine, name)
    refuse_text(machine, "is used", value, node)
    if isinstance(value, types.ModuleType):
        return _module_attribute(machine, value, name)
    return _object_attribute(machine, value, name, node)


def _is_numpys(value: Signal, name: str) -> bool:
    """Whether an attribute is one of NumPy's numbers; where data decides whose number it is, those that Python's numbers lack are."""
    return value.flavour == "np" or (value.flavour == "either" and not hasattr(float, name))


def _closure_attribute(machine: Machine, value: Closure, name: str) -> Any:
    if name == "__name__":
        return value.name
    if name in value.attributes:
        return value.attributes[name]
    raise UserRaise(AttributeError, f"'function' object has no attribute '{name}'", machine.span)


def _module_attribute(machine: Machine, module: types.ModuleType, name: str) -> Any:
    try:
        value = getattr(module, name)
    except AttributeError as error:
        raise UserRaise(error, None, machine.span) from None
    if isinstance(value, (float, list, tuple, dict, np.ndarray)):
        return names.lift_module_constant(machine, module.__name__, vars(module), name, value)
    return value


def _object_attribute(machine: Machine, value: Any, name: str, node: ast.AST) -> Any:
    from deepalgo.stage.calls import call

    held = getattr(value, "__dict__", None)
    if isinstance(held, dict) and name in held and id(held) in machine.heap.namespaces and held[name] is not UNDEFINED:
        return held[name]
    found = _class_attribute(type(value), name)
    if isinstance(found, property) and hasattr(found.fget, "__code__"):
        return call(machine, found.fget, [value], {}, node)
    if type(found).__name__ == "cached_property":
        return call(machine, found.func, [value], {}, node)
    try:
        result = getattr(value, name)
    except AttributeError as error:
        getter = _class_attribute(type(value), "__getattr__")
        if hasattr(getter, "__code__"):
            return call(machine, getter, [value, name], {}, node)
        raise UserRaise(error, None, machine.span) from None
    if result is UNDEFINED:
        raise UserRaise(AttributeError, f"'{type(value).__name__}' object has no attribute '{name}'", machine.span)
    if isinstance(result, types.MethodType) and hasattr(result.__func__, "__code__"):
        return BoundMethod(result.__func__, result.__self__)
    return _lift_attribute(machine, value, name, result)


def _lift_attribute(machine: Machine, value: Any, name: str, result: Any) -> Any:
    """A float that an object or a class holds is a weight of the person who wrote it there."""
    own = not isinstance(value, type) and name in getattr(value, "__dict__", {})
    made_here = own and id(vars(value)) in machine.heap.namespaces
    if made_here or isinstance(value, (str, bytes, int, float, complex, list, tuple, dict, set)):
        return result
    owner = value if isinstance(value, type) else type(value)
    if str(getattr(owner, "__module__", "")).partition(".")[0] in names.GIVEN or isinstance(owner, types.ModuleType):
        return result
    if not isinstance(result, (float, list, tuple, np.ndarray)):
        return result
    if own:
        return names.lift(machine, result, ("attribute", id(value), name), name, None)
    holder = next((base for base in owner.__mro__ if name in vars(base)), owner)
    place = ("class", holder.__module__, holder.__qualname__, name)
    return names.lift(machine, result, place, f"{holder.__name__}_{name}", attribute_span(holder, name))


def _class_attribute(owner: type, name: str) -> Any:
    for base in owner.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return None


class Super:
    """`super()` inside an interpreted method."""

    def __init__(self, owner: type, instance: Any) -> None:
        self.owner = owner
        self.instance = instance

    def find(self, machine: Machine, name: str) -> Any:
        """The next definition of a method after the class that is running."""
        order = type(self.instance).__mro__
        for base in order[order.index(self.owner) + 1 :]:
            if name in vars(base):
                found = vars(base)[name]
                return BoundMethod(found, self.instance) if hasattr(found, "__code__") else getattr(super(self.owner, self.instance), name)
        raise UserRaise(AttributeError, f"'super' object has no attribute '{name}'", machine.span)


def set_attribute(machine: Machine, value: Any, name: str, item: Any, node: ast.AST) -> None:
    """`value.name = item`."""
    if isinstance(value, Union):
        distribute(machine, value, lambda case: set_attribute(machine, case, name, item, node), node)
        return
    if isinstance(value, Closure):
        value.attributes[name] = item
        return
    refuse_shared(machine, value, node)
    attributes = getattr(value, "__dict__", None)
    if not isinstance(attributes, dict) or isinstance(value, (type, types.ModuleType, types.FunctionType)):
        machine.refuse("this attribute cannot be written while compiling", "Use an ordinary object or a local variable.", node)
    setter = _class_attribute(type(value), name)
    if isinstance(setter, property):
        from deepalgo.stage.calls import call

        call(machine, setter.fset, [value, item], {}, node)
        return
    if id(attributes) not in machine.heap.namespaces and not machine.heap.is_fresh(attributes):
        machine.refuse(
            f"this writes to the attribute '{name}' of an object that lives outside of the function",
            "Make the object inside the function, or return the new value instead.",
            node,
        )
    machine.heap.touch(attributes)
    attributes[name] = item


# --- assignment and iteration ------------------------------------------------------------------------------------------------


def assign(machine: Machine, target: ast.expr, value: Any) -> None:
    """Bind a value to a target: a name, an item, an attribute, or several at once."""
    from deepalgo.stage.expressions import evaluate

    match target:
        case ast.Name(id=name):
            _assign_name(machine, name, value)
        case ast.Subscript():
            container = evaluate(machine, target.value)
            key = evaluate(machine, target.slice)
            machine.at(target)
            set_item(machine, container, key, value, target)
        case ast.Attribute():
            instance = evaluate(machine, target.value)
            machine.at(target)
            set_attribute(machine, instance, target.attr, value, target)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            _unpack(machine, elements, value, target)
        case ast.Starred():
            assign(machine, target.value, value)
        case _:
            machine.refuse("this assignment cannot be compiled", "Assign to names, items or attributes.", target)


def _assign_name(machine: Machine, name: str, value: Any) -> None:
    frame = machine.frame.nonlocals.get(name, machine.frame)
    machine.heap.touch(frame.names)
    frame.names[name] = _named(machine, name, value)


def _named(machine: Machine, name: str, value: Any) -> Any:
    """Remember the user's name for a value, for readers of the Program."""
    held = own_content(value)
    if isinstance(held, Signal):
        machine.builder.name(held.value, name)
    elif isinstance(held, Array):
        held.name = held.name or name
    return value


def _part(machine: Machine, node: ast.AST, size: int, number: int, value: Any) -> Any:
    """One of the values that a case of a Union unpacks to."""
    items = iterate(machine, value, node, size)
    if len(items) != size:
        few = "not enough" if len(items) < size else "too many"
        raise UserRaise(ValueError, f"{few} values to unpack (expected {size})", machine.at(node))
    return items[number]


def _unpack(machine: Machine, targets: list[ast.expr], value: Any, node: ast.AST) -> None:
    if isinstance(value, Union):
        if any(isinstance(target, ast.Starred) for target in targets):
            machine.refuse("how many values are unpacked depends on data", "Unpack without a star.", node)
        items = [distribute(machine, value, functools.partial(_part, machine, node, len(targets), n), node) for n in range(len(targets))]
    else:
        items = list(iterate(machine, value, node))
    stars = [place for place, item in enumerate(targets) if isinstance(item, ast.Starred)]
    if not stars and len(items) != len(targets):
        few = "not enough" if len(items) < len(targets) else "too many"
        detail = f"(expected {len(targets)}" + (f", got {len(items)})" if few == "not enough" else ")")
        raise UserRaise(ValueError, f"{few} values to unpack {detail}", machine.at(node))
    if stars:
        place, after = stars[0], len(targets) - stars[0] - 1
        if len(items) < len(targets) - 1:
            raise UserRaise(
                ValueError, f"not enough values to unpack (expected at least {len(targets) - 1}, got {len(items)})", machine.at(node)
            )
        middle = items[place : len(items) - after]
        items = [*items[:place], machine.heap.created(middle), *items[len(items) - after :]]
    for target, item in zip(targets, items, strict=True):
        assign(machine, target, item)


def iterate(machine: Machine, value: Any, node: ast.AST, size: int | None = None) -> list[Any]:
    """The items of an iterable as a list; its length must not depend on data."""
    refuse_again(value)
    if isinstance(value, Array):
        extent = shape_of(value)
        if not extent:
            raise UserRaise(TypeError, "iteration over a 0-d array", machine.at(node))
        return [indexing.get(machine, value, place, node) for place in range(extent[0])]
    if isinstance(value, Signal):
        if value.shape:
            return [machine.emit("index", value, key=(n,), flavour=value.flavour) for n in range(value.shape[0])]
        raise UserRaise(
            TypeError, "cannot unpack non-iterable float object" if size else "'float' object is not iterable", machine.at(node)
        )
    refuse_text(machine, "is taken apart", value, node)
    if isinstance(value, Union):
        return _iterate_union(machine, value, node)
    if user_method(value, "__iter__") is not None:
        machine.refuse("this iterates over an object with its own `__iter__`", "Turn it into a list first.", node)
    if isinstance(value, types.GeneratorType):
        machine.refuse("a generator cannot be compiled", "Build a list.", node)
    try:
        return list(value)
    except Exception as error:
        raise UserRaise(error, None, machine.at(node)) from None


class Walk(list[Any]):
    """What a `for` runs over. An item is read when its round begins: the rounds before may have written to it.

    At the end `None` is read, by which a list is asked whether it still has the length that it had.
    """

    def __init__(self, items: Iterable[Any], read: Callable[[int], Any]) -> None:
        super().__init__(items)
        self.read = read


def walk(machine: Machine, value: Any, node: ast.AST) -> Walk:
    """The items of an iterable, one after the other."""
    items = iterate(machine, value, node)
    return Walk(items, _reader(machine, value, [*items, None], node))


def _reader(machine: Machine, value: Any, items: list[Any], node: ast.AST) -> Callable[[int], Any]:
    if isinstance(value, Walk):
        return value.read
    if isinstance(value, Array):
        root = root_of(value)
        held = root.held
        return lambda place: items[place] if root.held is held or place == len(items) - 1 else indexing.get(machine, value, place, node)
    if isinstance(value, list):
        return lambda place: _of_list(machine, value, len(items) - 1, place, node)
    return items.__getitem__


def _of_list(machine: Machine, value: list[Any], size: int, place: int, node: ast.AST) -> Any:
    if len(value) != size:
        machine.refuse("this loop changes the length of the list that it runs over", "Run over a copy: list(items).", node)
    return value[place] if place < size else None


def _iterate_union(machine: Machine, value: Union, node: ast.AST) -> list[Any]:
    """The items of one of several sequences, if all of them have the same length."""
    lengths = {len(case) if isinstance(case, (list, tuple)) else -1 for _, case in value.cases}
    if lengths == {-1} or len(lengths) != 1:
        machine.refuse("what is iterated over depends on data", "Make both alternatives sequences of the same length.", node)
    return [distribute(machine, value, operator.itemgetter(place), node) for place in range(lengths.pop())]


def only_item(machine: Machine, value: Signal) -> Signal:
    """The number in an array of one item."""
    size = 1
    for extent in value.shape:
        size *= extent
    if size != 1:
        raise UserRaise(TypeError, "only length-1 arrays can be converted to Python scalars", machine.span)
    return machine.emit("index", value, key=(0,) * len(value.shape))
