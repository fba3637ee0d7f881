"""Reading and writing items of containers and arrays."""

from __future__ import annotations

import ast
import operator
from collections import defaultdict, deque
from typing import Any

from deepalgo.ir import Kind
from deepalgo.stage.rules.numpy import indexing, masked
from deepalgo.stage.rules.python.sequence_methods import take_out
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.flavours import flavour_of_choice
from deepalgo.stage.state.iterator_state import Spendable
from deepalgo.stage.state.machine import UNROLL, Machine
from deepalgo.stage.state.masked_arrays import Masked, Positions
from deepalgo.stage.state.representatives import representative
from deepalgo.stage.state.shared_objects import refuse_shared
from deepalgo.stage.state.static_values import refuse_text, static_key
from deepalgo.stage.state.structure import Number, join, structure_of
from deepalgo.stage.state.unions import distribute, merge_cases
from deepalgo.stage.state.values import NeedsUnroll, Signal, Union, UserRaise, refuse_again, user_method


def get_item(machine: Machine, container: Any, key: Any, node: ast.AST) -> Any:
    """`container[key]`."""
    refuse_again(container, key)
    if isinstance(container, Union):
        return distribute(machine, container, lambda case: get_item(machine, case, key, node), node)
    if isinstance(key, Union):
        return distribute(machine, key, lambda case: get_item(machine, container, case, node), node)
    refuse_text(machine, "is indexed", container, node)
    if isinstance(container, list):
        machine.refuse_stand_in(node, container)
    refuse_text(machine, "is used as a key", key, node)
    if isinstance(container, Array):
        return indexing.get(machine, container, key, node)
    if isinstance(container, (Masked, Positions)):
        return masked.item(machine, container, key, node)
    if isinstance(container, Signal):
        if container.flavour == "np":
            return indexing.get_from_number(machine, container, key, node)
        raise UserRaise(TypeError, "'float' object is not subscriptable", machine.span)
    if isinstance(container, Spendable):
        raise UserRaise(TypeError, "'iterator' object is not subscriptable", machine.span)
    if isinstance(key, Signal):
        return _chosen_item(machine, container, key, node)
    method = user_method(container, "__getitem__")
    if method is not None:
        return machine.call(method, [container, key], {}, node)
    if isinstance(container, defaultdict) and container.default_factory is not None:
        return _entry_or_new(machine, container, static_key(machine, key, node), node)
    try:
        result = container[key]
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None
    return machine.heap.created(result) if isinstance(key, slice) and isinstance(result, list) else result


def _entry_or_new(machine: Machine, container: defaultdict[Any, Any], key: Any, node: ast.AST) -> Any:
    """An entry of a dict that makes those that it lacks."""
    if key not in container:
        refuse_shared(machine, container, node)
        made = machine.call(getattr(container.default_factory, "interpreted", container.default_factory), [], {}, node)
        machine.heap.touch(container)
        container[key] = made
    return container[key]


def _chosen_item(machine: Machine, container: Any, key: Signal, node: ast.AST) -> Any:
    """An index chosen by data: a gather from a table of equal things, or a choice between the items."""
    if key.known is not None:
        return get_item(machine, container, machine.demand(key, "chooses an item at compile time"), node)
    if isinstance(container, dict):
        if hasattr(type(container), "__missing__"):
            machine.refuse("an entry of a dict that makes new ones is chosen by data", "Use a list of numbers, or a plain dict.", node)
        return _chosen_entry(machine, container, key, node)
    if not isinstance(container, (list, tuple, range, deque)):
        machine.refuse("an item of this object is chosen by data", "Use a list or a tuple of numbers.", node)
    if key.kind > Kind.INT:
        raise UserRaise(TypeError, "list indices must be integers or slices, not float", machine.span)
    if key.uniform and machine.attempts and machine.rounds_at_hand <= UNROLL and not _is_table(machine, container):
        raise NeedsUnroll
    size = len(container)
    inside = _is_within(machine, key, size)
    machine.check(inside, IndexError, f"{type(container).__name__}{' object' if isinstance(container, range) else ''} index out of range")
    container = list(container) if isinstance(container, deque) else container
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


def _is_table(machine: Machine, items: Any) -> bool:
    if not len(items):
        return False
    shape = structure_of(items[0], machine.is_loose)
    for item in items[1:]:
        shape = join(shape, structure_of(item, machine.is_loose))
    return isinstance(shape, Number) or (len(items) == 1 and isinstance(items[0], (int, float)))


def _gather(machine: Machine, items: Any, place: Signal) -> Signal:
    signals = [machine.signal(item) for item in items]
    widest = max(signals, key=lambda item: item.kind)
    table = machine.emit("stack", *[machine.cast(item, widest.type) for item in signals])
    result = machine.emit("gather", table, place)
    flavour = flavour_of_choice(*items)
    return Signal(result.value, flavour, table.uniform and place.uniform, None)


def _chosen_entry(machine: Machine, container: dict[Any, Any], key: Signal, node: ast.AST) -> Any:
    cases, found = _entries_at(machine, container, key, node)
    machine.check(found, KeyError, "{0}", (key,))
    return merge_cases(machine, cases, node)


def chosen_or(machine: Machine, container: dict[Any, Any], key: Signal, default: Any = None, *, node: ast.AST) -> Any:
    """`container.get(key, default)` with a key that data chooses."""
    cases, found = _entries_at(machine, container, key, node)
    return merge_cases(machine, (*cases, (machine.negated(found), default)), node)


def _entries_at(machine: Machine, container: dict[Any, Any], key: Signal, node: ast.AST) -> tuple[tuple[tuple[Signal, Any], ...], Signal]:
    """The entries that a number may choose, each with its guard, and whether it chooses any."""
    keys = [item for item in container if isinstance(item, (bool, int, float))]
    if len(keys) > 256:
        machine.refuse(f"one of {len(keys)} entries is chosen by data", "Use a list of numbers instead of a dict.", node)
    guards = [machine.emit("eq", key, item) for item in keys]
    found = guards[0] if guards else machine.constant(False)
    for guard in guards[1:]:
        found = machine.either(found, guard)
    return tuple(zip(guards, (container[item] for item in keys), strict=True)), found


def set_item(machine: Machine, container: Any, key: Any, value: Any, node: ast.AST) -> None:
    """`container[key] = value`."""
    if isinstance(container, Union):
        distribute(machine, container, lambda case: set_item(machine, case, key, value, node), node)
        return
    if isinstance(key, Union):
        distribute(machine, key, lambda case: set_item(machine, container, case, value, node), node)
        return
    if isinstance(container, (Array, Masked)):
        indexing.store(machine, container, key, value, node)
        return
    if isinstance(container, (Signal, str, tuple, int, float)):
        name = type(representative(container)).__name__
        raise UserRaise(TypeError, f"'{name}' object does not support item assignment", machine.span)
    machine.refuse_stand_in(node, container)
    refuse_shared(machine, container, node)
    method = user_method(container, "__setitem__")
    if method is not None:
        machine.call(method, [container, key, value], {}, node)
        return
    if not hasattr(type(container), "__setitem__"):
        raise UserRaise(TypeError, f"'{type(container).__name__}' object does not support item assignment", machine.span)
    if isinstance(key, Signal) and key.known is None:
        _chosen_store(machine, container, key, value, node)
        return
    key = static_key(machine, key, node)
    if isinstance(key, slice) and isinstance(container, list):
        value = machine.iterate(value, node)
    machine.heap.touch(container)
    try:
        container[key] = value
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None


def _chosen_store(machine: Machine, container: Any, key: Signal, value: Any, node: ast.AST) -> None:
    """A store at an index chosen by data: every item may be the one."""
    if key.uniform and machine.attempts and machine.rounds_at_hand <= UNROLL:
        raise NeedsUnroll
    if not isinstance(container, (list, deque)) or key.kind > Kind.INT:
        machine.refuse("an item of this object is stored at a key chosen by data", "Use a list of numbers.", node)
    size = len(container)
    inside = _is_within(machine, key, size)
    machine.check(inside, IndexError, f"{_index_of(container)} index out of range")
    place = machine.emit("select", machine.emit("lt", key, 0), machine.emit("add", key, size), key)
    machine.heap.touch(container)
    for number, item in enumerate(list(container)):
        hit = machine.emit("eq", place, number)
        container[number] = distribute(machine, Union(((hit, value), (machine.negated(hit), item))), lambda case: case, node)


def _index_of(container: Any) -> str:
    return "deque" if isinstance(container, deque) else "list assignment"


def del_item(machine: Machine, container: Any, key: Any, node: ast.AST) -> None:
    """`del container[key]`."""
    if isinstance(container, Union):
        distribute(machine, container, lambda case: del_item(machine, case, key, node), node)
        return
    if not isinstance(container, (Signal, Array)):
        machine.refuse_stand_in(node, container)
    if not hasattr(type(representative(container)), "__delitem__") or isinstance(container, Array):
        try:
            operator.delitem(representative(container), 0)
        except (TypeError, ValueError) as error:
            raise UserRaise(error, None, machine.span) from None
    refuse_shared(machine, container, node)
    method = user_method(container, "__delitem__")
    if method is not None:
        machine.call(method, [container, key], {}, node)
        return
    if isinstance(container, (list, deque)) and isinstance(key, Signal) and key.known is None:
        take_out(machine, container, key, f"{_index_of(container)} index out of range", node)
        return
    key = static_key(machine, key, node)
    machine.heap.touch(container)
    try:
        del container[key]
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None


def _is_within(machine: Machine, key: Signal, size: int) -> Signal:
    """Whether a place lies in a sequence, counted from either end."""
    return machine.emit("and", machine.emit("ge", key, -size), machine.emit("lt", key, size))
