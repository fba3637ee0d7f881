"""Run native code while compiling; what it writes to containers becomes writes of the program.

It gets the program's own lists, dicts, sets and deques, and copies of its arrays. Whatever it leaves in them is compared with what
they held before. A difference is written as an assignment would write it, so that an arm can take it back, or it is refused and undone.
"""

from __future__ import annotations

import ast
import functools
import types
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from deepalgo.stage.rules.numpy.indexing import writable, write
from deepalgo.stage.state.array_conversion import box
from deepalgo.stage.state.arrays import Array, has_numbers, root_of, seen
from deepalgo.stage.state.heap import copy_content, restore_content
from deepalgo.stage.state.iterator_state import Snapshot
from deepalgo.stage.state.libraries import label
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.shared_objects import refuse_shared
from deepalgo.stage.state.streams import Walk, stream
from deepalgo.stage.state.structure import stand_for
from deepalgo.stage.state.values import Generator, Leak, UserRaise

#: What holds no containers.
ATOMS = frozenset({float, int, bool, complex, str, bytes, type(None), type, types.ModuleType, range, slice, np.float64, np.int64, np.bool_})
#: Longer iterators of native code may never end.
MOST = 10_000


def run(machine: Machine, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """The answer of native code that meets no data."""
    loan = Loan(machine)
    lent = [loan.lend(_taken(machine, item, node)) for item in args]
    named = {key: loan.lend(_taken(machine, item, node)) for key, item in kwargs.items()}
    loan.watch([function, *lent, *named.values()])
    try:
        result = function(*lent, **named)
    except Leak as error:
        loan.settle(node)
        machine.refuse(f"`{label(function)}`: {error}", "Write it out in Python.", node)
    except Exception as error:
        loan.settle(node)
        raise UserRaise(error, None, machine.span) from None
    loan.settle(node)
    return loan.answer(result, node)


def _taken(machine: Machine, value: Any, node: ast.AST) -> Any:
    """An argument; what is left of an iterator is taken from it."""
    return machine.iterate(value, node) if isinstance(value, Walk) or id(value) in machine.streams else value


class Loan:
    """Containers in the hands of native code, and what they held before."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.arrays: dict[int, tuple[Array, Any, np.ndarray]] = {}  # by the root: root, its content, the copy
        self.lent: dict[int, tuple[Any, Any]] = {}  # by the stand-in: stand-in, what it stands for
        self.before: dict[int, tuple[Any, Any]] = {}

    def lend(self, value: Any) -> Any:
        """A value as native code gets it: arrays are NumPy's own."""
        if isinstance(value, Array):
            return self._note(value, self._copy(value))
        if type(value) in (list, tuple):
            parts = [self.lend(item) if isinstance(item, (Array, list, tuple)) else item for item in value]
            if any(part is not item for part, item in zip(parts, value, strict=True)):
                return self._note(value, type(value)(parts))
        return value

    def _note(self, value: Any, stand_in: Any) -> Any:
        self.lent[id(stand_in)] = (stand_in, value)
        return stand_in

    def _copy(self, array: Array) -> Any:
        if array.base is not None:
            return np.asarray(seen(array, self._copy(array.base)))
        if id(array) not in self.arrays:
            assert isinstance(array.held, np.ndarray)
            self.arrays[id(array)] = (array, array.held, array.held.copy())
        return self.arrays[id(array)][2]

    def watch(self, values: list[Any]) -> None:
        """Remember what all containers hold that can be reached from these values."""
        waiting, passed = list(values), set[int]()
        while waiting:
            value = waiting.pop()
            if type(value) in ATOMS or id(value) in passed:
                continue
            passed.add(id(value))
            if _is_container(value) and not any(value is copy for _, _, copy in self.arrays.values()):
                self.before[id(value)] = (value, _content(value))
            waiting.extend(item for item in _parts(value) if type(item) not in ATOMS)

    def settle(self, node: ast.AST) -> None:
        """Write down what has changed."""
        changed = [(value, before) for value, before in self.before.values() if not _is_same(before, _content(value))]
        for value, before in changed:
            after = _content(value)
            _restore(value, before)
            self._refuse(value, node)
            self.machine.heap.touch(value)
            _restore(value, after)
        for root, held, copy in self.arrays.values():
            if copy.shape != held.shape or copy.tobytes() != held.tobytes():
                write(self.machine, writable(self.machine, root, node), root, copy)

    def _refuse(self, value: Any, node: ast.AST) -> None:
        if id(value) in self.lent:
            self.machine.refuse(
                "native code changes a list of arrays", "Write the change out in Python.", node
            )
        refuse_shared(self.machine, value, node)

    def answer(self, result: Any, node: ast.AST) -> Any:
        """What native code gave back, as a value of the program."""
        if id(result) in self.lent:
            return self.lent[id(result)][1]
        if isinstance(result, np.ndarray):
            return self._boxed(result)
        if type(result) is tuple:
            return tuple(self.answer(item, node) for item in result)
        if type(result) in ATOMS or id(result) in self.before or id(result) in self.machine.heap.inside:
            return result
        if isinstance(result, Iterator):
            return self._stream(result, node)
        return self._new(result, node)

    def _new(self, result: Any, node: ast.AST) -> Any:
        """Something that native code has made."""
        created = self.machine.heap.created
        match result:
            case list() | deque():
                restore_content(created(result), [self.answer(item, node) for item in result])
            case dict():
                restore_content(created(result), {key: self.answer(item, node) for key, item in result.items()})
            case set():
                created(result)
        held = getattr(result, "__dict__", None)
        if isinstance(held, dict) and not isinstance(result, (type, types.ModuleType, types.FunctionType)):
            created(held)
        return result

    def _boxed(self, result: np.ndarray) -> Any:
        made = box(self.machine, result)
        roots = [root for root, _, copy in self.arrays.values() if np.may_share_memory(result, copy)]
        if isinstance(made, Array) and roots:  # a view of what was lent
            stand_for(self.machine, made, tuple(roots))
        return made

    def _stream(self, result: Iterator[Any], node: ast.AST) -> Any:
        items = list(islice(result, MOST + 1))
        if len(items) > MOST:
            self.machine.refuse(f"this iterator has more than {MOST:,} items, or never ends", "Bound it with itertools.islice.", node)
        return stream(self.machine, [self.answer(item, node) for item in items], Snapshot.of([value for value, _ in self.before.values()]))


def _is_container(value: Any) -> bool:
    return isinstance(value, (list, dict, set, deque, bytearray, np.ndarray))


def _parts(value: Any) -> list[Any]:
    """What can be reached from a value directly."""
    match value:
        case list() | tuple() | set() | frozenset() | deque():
            return list(value)
        case dict():
            return list(value.values())
        case Array():
            return [root_of(value).held]
        case functools.partial():
            return [value.func, value.args, value.keywords]
        case types.MethodType():
            return [value.__self__, value.__func__]
        case types.BuiltinMethodType():
            return [value.__self__]
        case types.FunctionType():
            return [cell.cell_contents for cell in value.__closure__ or () if _is_full(cell)]
        case types.GeneratorType():
            return [] if value.gi_frame is None else list(value.gi_frame.f_locals.values())
        case _:
            held = getattr(value, "__dict__", None)
            return [held] if isinstance(held, dict) and not isinstance(value, (type, types.ModuleType, np.ufunc)) else []


def _is_full(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - an empty cell raises
    except ValueError:
        return False
    return True


def _content(value: Any) -> Any:
    match value:
        case bytearray():
            return bytes(value)
        case np.ndarray():
            return value.copy()
        case _:
            return copy_content(value)


def _restore(value: Any, content: Any) -> None:
    match value:
        case bytearray():
            value[:] = content
        case np.ndarray():
            value[...] = content
        case _:
            restore_content(value, content)


def _is_same(before: Any, after: Any) -> bool:
    match before:
        case np.ndarray():
            return before.shape == after.shape and (before.tobytes() == after.tobytes() if has_numbers(before) else before is after)
        case list():
            return len(before) == len(after) and all(map(_is_one, before, after))
        case dict():
            return len(before) == len(after) and all(map(_is_one, before, after)) and all(map(_is_one, before.values(), after.values()))
        case _:
            return bool(before == after)


def _is_one(one: Any, other: Any) -> bool:
    return one is other


def taken(machine: Machine, args: list[Any], node: ast.AST) -> list[Any]:
    """Arguments of native code, which takes all items of a generator at once."""
    return [machine.iterate(item, node) if isinstance(item, Generator) else item for item in args]
