"""Attributes and methods of arrays, and of NumPy's numbers."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from deepalgo.stage.rules.gate import MASKED, gate, rule_of
from deepalgo.stage.rules.numpy import constructors, layout, linear, masked
from deepalgo.stage.rules.numpy.elementwise import apply
from deepalgo.stage.rules.numpy.indexing import get, store, writable, write
from deepalgo.stage.rules.registry import HANDLERS, Handler
from deepalgo.stage.rules.signatures import signature_of_method
from deepalgo.stage.state.array_conversion import box, is_plain, new_array, only_item, plain, to_signal, wrap
from deepalgo.stage.state.arrays import DTYPES, Array, kind_of_array, read, shape_of
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked, Positions, kept
from deepalgo.stage.state.values import Signal, StandIn, UserRaise

Method = Callable[[Machine, Any, list[Any], dict[str, Any], ast.AST], Any]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayMethod(StandIn):
    """A method together with its array."""

    python = "builtin_function_or_method"

    name: str
    array: Any

    def call(self, machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        """`array.method(*args, **kwargs)`."""
        return rule_of_method(self.name)(machine, [self.array, *args], kwargs, node)


@functools.lru_cache(maxsize=256)
def rule_of_method(name: str) -> Handler:
    """What a method does with any arguments: where it is a function of NumPy besides, that function decides."""
    signature = signature_of_method(name)
    if name in SAME:
        function = getattr(np, name)
        return gate(
            signature,
            _called(name),
            rule_of(function),
            frozenset((*signature.names, "*")),
            name,
        )
    action, options = METHODS[name]
    return gate(
        signature,
        _called(name),
        lambda machine, args, kwargs, node: action(machine, args[0], args[1:], kwargs, node),
        frozenset(options.split()),
        f"the method `.{name}` of arrays",
    )


def _called(name: str) -> Callable[..., Any]:
    """The method as a function of plain values."""

    def method(array: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(np.asarray(array), name)(*args, **kwargs)

    method.__module__, method.__qualname__ = "numpy", f"ndarray.{name}"
    return method


def attribute(machine: Machine, array: Any, name: str, node: ast.AST) -> Any:
    """`array.name` of an array, or of a NumPy number."""
    if isinstance(array, (Masked, Positions)) and (found := _of_masked(machine, array, name, node)) is not None:
        return found
    if name in METHODS or name in SAME:
        return ArrayMethod(name, array)
    extent = shape_of(array) if isinstance(array, Array) else array.shape
    match name:
        case "shape":
            return extent
        case "ndim":
            return len(extent)
        case "size":
            return int(np.prod(extent))
        case "dtype":
            return DTYPES[_kind_of(array)]
        case "T":
            return layout.transpose(machine, array) if len(extent) > 1 else array
        case "real" | "imag":
            return HANDLERS[getattr(np, name)](machine, [array], {}, node)
        case "flat":
            return layout.reshape(machine, array, -1, node)
        case "flags":
            return layout.in_memory(machine, array, node).flags if isinstance(array, Array) else np.float64(0).flags
        case _:
            _refuse_attribute(machine, array, name, node)


def _kind_of(array: Any) -> Any:
    return kind_of_array(array) if isinstance(array, Array) else array.kind  # a Signal


def _of_masked(machine: Machine, array: Masked | Positions, name: str, node: ast.AST) -> Any:
    """An attribute that is another one where a mask decides on the length; None if it is that of any array."""
    found = masked.attribute(machine, array, name)
    if found is None and not _takes_masked(array, name):
        machine.refuse("how many numbers a mask keeps depends on data", "Use np.where, or sums over the mask.", node)
    return found


def _refuse_attribute(machine: Machine, array: Any, name: str, node: ast.AST) -> NoReturn:
    if hasattr(np.ndarray, name) or (isinstance(array, Signal) and hasattr(np.float64, name)):
        machine.refuse(f"NumPy's `.{name}` has no rule for data", "Write it out with NumPy's functions.", node)
    raise UserRaise(AttributeError, f"'numpy.ndarray' object has no attribute '{name}'", machine.at(node))


def _takes_masked(array: Any, name: str) -> bool:
    """Whether a method knows numbers that a mask keeps."""
    known = name in ("sum", "prod", "min", "max", "any", "all", "mean", "copy") or (name in SAME and getattr(np, name, None) in MASKED)
    return isinstance(array, Masked) and known


def _copy(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if isinstance(array, Masked):
        return kept(machine, array.signal, array.mask)
    return constructors.make(machine, [array], kwargs, node, copies=True)


def _reshape(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return rule_of(np.reshape)(machine, [array, args[0] if len(args) == 1 else tuple(args)], kwargs, node)


def _flatten(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return _copy(machine, layout.reshape(machine, array, -1, node, kwargs.get("order", "C")), [], {}, node)


def _ravel(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return layout.reshape(machine, array, -1, node, kwargs.get("order", "C"))


def _transpose(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    axes = (args[0] if len(args) == 1 and not isinstance(args[0], int) else tuple(args)) if args else None
    return layout.transpose(machine, array, axes)


def _astype(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    dtype = args[0]
    machine.turned = True  # a copy lies in memory as the array does
    if kwargs.get("copy", True) is False and isinstance(array, Array) and np.dtype(dtype) == DTYPES[kind_of_array(array)]:
        return array
    if is_plain(machine, array):
        return box(machine, np.asarray(plain(machine, array)).astype(dtype))
    result = constructors.to_kind(machine, to_signal(machine, array), dtype)
    return new_array(machine, result) if isinstance(array, Array) else wrap(machine, result)


def _tolist(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return _unpacked(machine, to_signal(machine, array))


def _unpacked(machine: Machine, signal: Signal) -> Any:
    if not signal.shape:
        return Signal(signal.value, "py", signal.uniform, signal.known)
    parts = [machine.emit("index", signal, key=(place,)) for place in range(signal.shape[0])]
    return machine.heap.created([_unpacked(machine, part) for part in parts])


def _item(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if len(args) == 1 and not isinstance(args[0], tuple):
        array = layout.reshape(machine, array, -1, node)
    if args:
        if not isinstance(array, Array):
            machine.refuse("`.item` of a number with a position has no rule here", "Leave the position out.", node)
        value = get(machine, array, args[0] if isinstance(args[0], tuple) else tuple(args), node)
        value = value.item() if isinstance(value, np.generic) else value
        return Signal(value.value, "py", value.uniform, None) if isinstance(value, Signal) else value
    signal = to_signal(machine, array)
    number = only_item(machine, signal) if signal.shape else signal
    return Signal(number.value, "py", number.uniform, number.known)


def _fill(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> None:
    store(machine, array, ..., args[0], node)


def _sort(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> None:
    root = writable(machine, array, node)
    ordered = rule_of(np.sort)(machine, [array], kwargs, node)
    write(machine, root, array, read(machine, ordered))


def _conjugate(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return apply(machine, "conj", np.conjugate, [array])


def _dot(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return linear.dot(machine, array, args[0])


def _nonzero(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return rule_of(np.nonzero)(machine, [array], {}, node)


#: Methods that are functions of NumPy.
SAME = frozenset(
    "sum prod min max any all argmin argmax mean std var cumsum cumprod argsort round trace repeat squeeze swapaxes diagonal take "
    "searchsorted clip".split()
)
#: Other methods, with the options that they understand.
METHODS: dict[str, tuple[Method, str]] = {
    "copy": (_copy, "order"),
    "__copy__": (_copy, ""),
    "__deepcopy__": (lambda machine, array, args, kwargs, node: _copy(machine, array, [], {}, node), ""),
    "reshape": (_reshape, "order copy"),
    "flatten": (_flatten, "order"),
    "ravel": (_ravel, "order"),
    "transpose": (_transpose, ""),
    "astype": (_astype, "copy"),
    "tolist": (_tolist, ""),
    "item": (_item, ""),
    "fill": (_fill, ""),
    "sort": (_sort, "axis kind stable"),
    "conj": (_conjugate, ""),
    "conjugate": (_conjugate, ""),
    "dot": (_dot, ""),
    "nonzero": (_nonzero, ""),
}
