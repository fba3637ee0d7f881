"""Attributes and methods of arrays, and of NumPy's numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from deepalgo.stage.arrays import constructors, layout, linear, reductions
from deepalgo.stage.arrays.box import DTYPES, Array, kind_of_array, read, shape_of
from deepalgo.stage.arrays.convert import box, is_plain, new_array, plain, to_signal, wrap
from deepalgo.stage.arrays.elementwise import Masked, apply
from deepalgo.stage.arrays.indexing import writable, write
from deepalgo.stage.machine import Machine
from deepalgo.stage.natives import HANDLERS, rule_of
from deepalgo.stage.values import Signal, UserRaise

Method = Callable[[Machine, Any, list[Any], dict[str, Any], ast.AST], Any]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayMethod:
    """A method together with its array."""

    action: Method
    array: Any

    def call(self, machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        """`array.method(*args, **kwargs)`."""
        return self.action(machine, self.array, args, kwargs, node)


def attribute(machine: Machine, array: Any, name: str, node: ast.AST) -> Any:
    """`array.name` of an array, or of a NumPy number."""
    if isinstance(array, Masked) and name not in ("sum", "prod", "min", "max", "any", "all", "mean"):
        machine.refuse("how many numbers a mask keeps depends on data", "Use np.where, or sums over the mask.", node)
    if name in METHODS:
        return ArrayMethod(METHODS[name], array)
    extent = shape_of(array) if isinstance(array, Array) else array.shape
    match name:
        case "shape":
            return extent
        case "ndim":
            return len(extent)
        case "size":
            return int(np.prod(extent))
        case "dtype":
            return DTYPES[kind_of_array(array) if isinstance(array, Array) else array.kind]
        case "T":
            return layout.transpose(machine, array) if len(extent) > 1 else array
        case "real" | "imag":
            return HANDLERS[getattr(np, name)](machine, [array], {}, node)
        case "flat":
            return layout.reshape(machine, array, -1, node)
        case "flags":
            return np.empty(extent).flags
        case _:
            if hasattr(np.ndarray, name) or (isinstance(array, Signal) and hasattr(np.float64, name)):
                machine.refuse(f"NumPy's `.{name}` has no rule for data", "Write it out with NumPy's functions.", node)
            raise UserRaise(AttributeError, f"'numpy.ndarray' object has no attribute '{name}'", machine.at(node))


def _function(native: Any) -> Method:
    return lambda machine, array, args, kwargs, node: rule_of(native)(machine, [array, *args], kwargs, node)


def _copy(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return constructors.make(machine, [array], {}, node, copies=True)


def _reshape(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return layout.reshape(machine, array, args[0] if len(args) == 1 else tuple(args), node)


def _flatten(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return layout.reshape(machine, _copy(machine, array, [], {}, node), -1, node)


def _ravel(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return layout.reshape(machine, array, -1, node)


def _transpose(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return layout.transpose(machine, array, (args[0] if len(args) == 1 else tuple(args)) if args else None)


def _astype(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    dtype = args[0] if args else kwargs["dtype"]
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
    from deepalgo.stage.arrays.indexing import get
    from deepalgo.stage.iteration import only_item

    if args:
        value = get(machine, array, tuple(args), node)
        return Signal(value.value, "py", value.uniform, None) if isinstance(value, Signal) else value
    signal = to_signal(machine, array)
    number = only_item(machine, signal) if signal.shape else signal
    return Signal(number.value, "py", number.uniform, number.known)


def _clip(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return rule_of(np.clip)(machine, [array, *args], kwargs, node)


def _fill(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> None:
    from deepalgo.stage.arrays.indexing import store

    store(machine, array, ..., args[0], node)


def _sort(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> None:
    root = writable(machine, array, node)
    ordered = HANDLERS[np.sort](machine, [array], {"axis": args[0] if args else kwargs.get("axis", -1)}, node)
    write(machine, root, array, read(machine, ordered))


def _conjugate(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return apply(machine, "conj", np.conjugate, [array])


def _dot(machine: Machine, array: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return linear.dot(machine, array, args[0])


METHODS: dict[str, Method] = {
    **{
        name: reductions.method(name)
        for name in ("sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "mean", "std", "var", "cumsum", "cumprod", "argsort")
    },
    **{
        name: _function(getattr(np, name))
        for name in ("round", "trace", "repeat", "squeeze", "swapaxes", "diagonal", "take", "ptp", "searchsorted")
    },
    "copy": _copy,
    "__copy__": _copy,
    "__deepcopy__": _copy,
    "reshape": _reshape,
    "flatten": _flatten,
    "ravel": _ravel,
    "transpose": _transpose,
    "astype": _astype,
    "tolist": _tolist,
    "item": _item,
    "clip": _clip,
    "fill": _fill,
    "sort": _sort,
    "conj": _conjugate,
    "conjugate": _conjugate,
    "dot": _dot,
}
