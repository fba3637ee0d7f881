"""Arrays put together from others, and cut into parts."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.ir import Type
from deepalgo.stage.rules.numpy import option_replacements
from deepalgo.stage.rules.numpy.axes import axis_of
from deepalgo.stage.rules.numpy.constructors import as_array, static_value
from deepalgo.stage.rules.numpy.elementwise import emit
from deepalgo.stage.rules.numpy.indexing import get
from deepalgo.stage.rules.numpy.layout import call_plain, layout, numbered, reshape
from deepalgo.stage.rules.registry import HANDLERS, Args, Handler, Kwargs, handles, register
from deepalgo.stage.rules.replacements import apply_text
from deepalgo.stage.state.array_conversion import box, call_numpy, is_plain, plain, shape, to_signal, wrap
from deepalgo.stage.state.arrays import DTYPES, Array, attr_of_plain, root_of
from deepalgo.stage.state.machine import Machine


def _sequence(machine: Machine, value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else machine.iterate(value, ast.Pass())


def _joining(native: Callable[..., Any]) -> Handler:
    """Functions that put arrays side by side: NumPy itself lays out the places of their numbers."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        parts = _sequence(machine, args[0])
        if "dtype" in kwargs:
            whole = handler(machine, args, {key: item for key, item in kwargs.items() if key not in ("dtype", "casting")}, node)
            dtype = np.dtype(kwargs["dtype"] or float)
            if kwargs.get("casting", "same_kind") != "same_kind":
                machine.refuse("the option `casting` has no rule here", "Leave the option out.", node)
            if not np.can_cast(DTYPES[to_signal(machine, whole).kind], dtype, "same_kind"):
                machine.refuse(f"arrays are joined into one of {dtype}, which holds less", "Leave the option out.", node)
            return HANDLERS[np.asarray](machine, [whole], {"dtype": dtype}, node)
        if all(is_plain(machine, item) for item in parts):
            return call_numpy(machine, native, [plain(machine, item) for item in parts], *args[1:], **kwargs)
        signals = [to_signal(machine, item) for item in parts]
        kind = max(signal.kind for signal in signals)
        sizes = [int(np.prod(signal.shape)) for signal in signals]
        starts = np.cumsum([0, *sizes[:-1]])
        numbers = [np.arange(size).reshape(signal.shape) + start for signal, size, start in zip(signals, sizes, starts, strict=True)]
        places = call_plain(machine, lambda: native(numbers, *args[1:], **kwargs))
        alike = [machine.cast(item, Type(kind, item.shape)) for item in signals]
        axis = kwargs.get("axis", 0)
        if native is np.concatenate and isinstance(axis, int) and len(alike) > 1:
            return wrap(machine, machine.emit("concat", *alike, axis=axis % places.ndim, flavour="np"))
        flat = [machine.emit("reshape", item, shape=(size,), flavour="np") for item, size in zip(alike, sizes, strict=True)]
        whole = flat[0] if len(flat) == 1 else machine.emit("concat", *flat, axis=0, flavour="np")
        if np.array_equal(places.ravel(), np.arange(len(places.ravel()))):
            return wrap(machine, machine.emit("reshape", whole, shape=tuple(places.shape), flavour="np"))
        return wrap(machine, machine.emit("pick", whole, indices=attr_of_plain(places), axis=0, flavour="np"))

    return handler


register(_joining, np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack, options="axis dtype casting")


@handles(np.append, options="axis")
def _append(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    axis = kwargs.get("axis")
    parts = [reshape(machine, item, -1, node) if axis is None else item for item in args[:2]]
    return HANDLERS[np.concatenate](machine, [parts], {} if axis is None else {"axis": axis}, node)


@handles(np.pad, options="mode")
def _pad(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    mode, width = kwargs.get("mode", "constant"), static_value(machine, args[1], node)
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.pad, plain(machine, args[0]), width, **kwargs)
    places = numbered(machine, args[0])
    if mode in ("edge", "reflect", "symmetric", "wrap"):
        return layout(machine, args[0], np.asarray(call_plain(machine, lambda: np.pad(places, width, mode=mode))))
    if mode != "constant":
        return apply_text(machine, option_replacements.pad, np.pad, [args[0], width], kwargs, node)
    laid = call_plain(machine, lambda: np.pad(places, width, constant_values=-1))
    held = to_signal(machine, layout(machine, args[0], np.maximum(laid, 0)))
    return wrap(machine, emit(machine, "select", machine.constant_array(laid >= 0), held, machine.zero(Type(held.kind), "np")))


def _splitting(native: Callable[..., Any]) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        where, options = static_value(machine, args[1], node), {key: static_value(machine, item, node) for key, item in kwargs.items()}
        places = call_plain(machine, lambda: native(numbered(machine, args[0]), where, **options))
        if isinstance(args[0], Array):
            root_of(args[0]).shared = True  # the parts are views in NumPy and copies here
        machine.turned = True
        parts = [layout(machine, args[0], part) for part in places]
        for part in parts:
            part.shared = True
        return machine.heap.created(parts)

    return handler


register(_splitting, np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, options="axis")


@handles(np.take, options="axis")
def _take(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    axis = kwargs.get("axis")
    array = as_array(machine, args[0]) if axis is not None else reshape(machine, args[0], -1, node)
    array = box(machine, array) if isinstance(array, np.ndarray) else array
    place = axis_of(machine, axis or 0, len(shape(machine, array)))
    found = get(machine, array, (slice(None),) * place + (args[1],), node)
    return HANDLERS[np.copy](machine, [found], {}, node) if isinstance(found, Array) else found


@handles(np.meshgrid, options="indexing sparse")
def _meshgrid(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if all(is_plain(machine, item) for item in args):
        return call_numpy(machine, np.meshgrid, *[plain(machine, item) for item in args], **kwargs)
    places = np.meshgrid(*[numbered(machine, item) for item in args], **kwargs)
    return machine.heap.created([layout(machine, item, part) for item, part in zip(args, places, strict=True)])
