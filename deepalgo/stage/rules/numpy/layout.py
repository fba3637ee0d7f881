"""NumPy's functions that only rearrange numbers: reshape, transpose, flip, repeat."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.ir import Type
from deepalgo.stage.rules.numpy.axes import axis_of
from deepalgo.stage.rules.numpy.constructors import static_value
from deepalgo.stage.rules.numpy.elementwise import emit
from deepalgo.stage.rules.numpy.indexing import store
from deepalgo.stage.rules.registry import Args, Handler, Kwargs, handles, register
from deepalgo.stage.state.array_conversion import box, call_numpy, is_plain, new_array, plain, shape, to_signal, wrap
from deepalgo.stage.state.arrays import DTYPES, Array, attr_of_plain, root_of, seen, stand_in
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import UserRaise


def layout(machine: Machine, value: Any, places: np.ndarray) -> Any:
    """A new arrangement of an array's numbers, given by a plain array of their places in order."""
    if is_plain(machine, value):
        return box(machine, np.asarray(plain(machine, value)).ravel()[places])
    signal = to_signal(machine, value)
    if np.array_equal(places.ravel(), np.arange(int(np.prod(signal.shape)))):
        return wrap(machine, machine.emit("reshape", signal, shape=tuple(places.shape), flavour="np"))
    flat = machine.emit("reshape", signal, shape=(int(np.prod(signal.shape)),), flavour="np")
    return wrap(machine, machine.emit("pick", flat, indices=attr_of_plain(places), axis=0, flavour="np"))


def numbered(machine: Machine, value: Any) -> np.ndarray:
    """The places of an array's numbers, in its own shape."""
    extent = shape(machine, value)
    return np.arange(int(np.prod(extent))).reshape(extent)


def _rearranging(native: Callable[..., Any]) -> Handler:
    """Functions that only move numbers: NumPy itself moves their places."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        options = [static_value(machine, item, node) for item in args[1:]]
        kwargs = {key: static_value(machine, item, node) for key, item in kwargs.items()}
        places = call_plain(machine, lambda: native(numbered(machine, args[0]), *options, **kwargs))
        machine.turned = True
        result = layout(machine, args[0], np.asarray(places))
        _note_sharing(args[0], result, lambda held: native(held, *options, **kwargs))
        return result

    return handler


def _note_sharing(source: Any, result: Any, native: Callable[[np.ndarray], Any]) -> None:
    """Where NumPy gives a view and we a copy, neither may be written to any more."""
    if not isinstance(source, Array) or not isinstance(result, Array):
        return
    here = stand_in(source)
    if np.may_share_memory(here, np.asarray(native(here))):
        root_of(source).shared = result.shared = True


register(_rearranging, np.roll, np.flip, np.fliplr, np.flipud, np.repeat, np.tile, np.rot90, np.diagonal, np.squeeze, options="*")
register(_rearranging, np.resize, options="*")


def _turning(native: Callable[..., Any]) -> Handler:
    """Functions that put the axes in another order: NumPy itself orders axes of different lengths. The answer is a view."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        options = [static_value(machine, item, node) for item in args[1:]]
        kwargs = {key: static_value(machine, item, node) for key, item in kwargs.items()}
        lengths = np.broadcast_to(0, tuple(range(len(shape(machine, args[0])))))
        turned = call_plain(machine, lambda: native(lengths, *options, **kwargs))
        return transpose(machine, args[0], turned.shape)

    return handler


register(_turning, np.swapaxes, np.moveaxis, np.rollaxis, options="*")


def _triangle(native: Callable[..., Any]) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        keep = call_plain(machine, lambda: native(np.ones(shape(machine, args[0])), **kwargs))
        mask = machine.emit("ne", machine.constant_array(keep), 0, flavour="np")
        value = to_signal(machine, args[0])
        zero = machine.zero(Type(value.kind), "np")
        return wrap(machine, emit(machine, "select", mask, value, zero))

    return handler


register(_triangle, np.triu, np.tril, options="k")


@handles(np.diag, options="k")
def _diag(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    offset = static_value(machine, args[1] if len(args) > 1 else kwargs.get("k", 0), node)
    if len(shape(machine, args[0])) == 2:
        diagonal = layout(machine, args[0], np.diag(numbered(machine, args[0]), offset))
        _note_sharing(args[0], diagonal, lambda held: np.diag(held, offset))
        return diagonal
    size = shape(machine, args[0])[0]
    kind = to_signal(machine, args[0]).kind
    target = call_numpy(machine, np.zeros, (size + abs(offset),) * 2, dtype=DTYPES[kind])
    rows = np.arange(size)
    store(machine, target, (rows + max(-offset, 0), rows + max(offset, 0)), args[0], node)
    return target


def reshape(machine: Machine, value: Any, target: Any, node: ast.AST, order: Any = "C") -> Any:
    """`value.reshape(target)`; -1 stands for what is left."""
    target = static_value(machine, target, node)
    order = "C" if order is None else order
    if order != "C":
        return _reshape_in_order(machine, value, target, order, node)
    places = call_plain(machine, lambda: numbered(machine, value).reshape(target))
    if isinstance(value, Array):
        here = stand_in(value)
        if np.may_share_memory(here, here.reshape(places.shape)):
            return machine.heap.created(Array(np.empty(0), value, tuple(places.shape), "reshape"))
    if is_plain(machine, value):
        return box(machine, np.asarray(plain(machine, value)).reshape(target))
    return new_array(machine, machine.emit("reshape", to_signal(machine, value), shape=tuple(places.shape), flavour="np"))


def _reshape_in_order(machine: Machine, value: Any, target: Any, order: Any, node: ast.AST) -> Any:
    """The numbers column by column, or as they lie in memory."""
    array = value if isinstance(value, Array) else new_array(machine, to_signal(machine, value))
    inner = in_memory(machine, array, node) if order in ("A", "K") else numbered(machine, array)
    target = inner.size if order == "K" and target == -1 else target
    lay = call_plain(machine, lambda: inner.ravel("K") if order == "K" else inner.reshape(target, order=order))
    places = np.argsort(inner.ravel())[np.searchsorted(np.sort(inner.ravel()), lay)]
    machine.turned = True
    result = layout(machine, array, places)
    _note_sharing(array, result, lambda held: held.ravel("K") if order == "K" else held.reshape(target, order=order))
    return result


def in_memory(machine: Machine, array: Array, node: ast.AST) -> np.ndarray:
    """A plain array that lies in memory as this one does, whose numbers tell their places there."""
    root = root_of(array)
    if not root.certain and len(shape(machine, array)) > 1:
        machine.refuse("how this array lies in memory is not known here", "Use the order 'C' or 'F'.", node)
    if array.base is None:
        return np.arange(int(np.prod(array.held.shape))).reshape(tuple(array.held.shape))
    return np.asarray(seen(array, in_memory(machine, array.base, node)))


def call_plain(machine: Machine, action: Callable[[], Any]) -> Any:
    """NumPy on plain values, without boxing the answer."""
    try:
        return action()
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None


@handles(np.reshape, options="newshape order copy")
def _reshape(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if kwargs.get("order") == "K":
        raise UserRaise(ValueError, "order 'K' is not permitted for reshaping", machine.span)
    if kwargs.get("copy") is not None:
        machine.refuse("the option `copy` of np.reshape has no rule here", "Leave the option out.", node)
    return reshape(machine, args[0], args[1] if len(args) > 1 else kwargs["newshape"], node, kwargs.get("order", "C"))


@handles(np.ravel, options="order")
def _ravel(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return reshape(machine, args[0], -1, node, kwargs.get("order", "C"))


@handles(np.transpose, np.permute_dims if hasattr(np, "permute_dims") else np.transpose, options="axes")
def _transpose(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return transpose(machine, args[0], static_value(machine, args[1] if len(args) > 1 else kwargs.get("axes"), node))


def transpose(machine: Machine, value: Any, axes: Any = None) -> Any:
    """The axes in another order, reversed if none is given."""
    rank = len(shape(machine, value))
    order = tuple(reversed(range(rank))) if axes is None else tuple(axis_of(machine, item, rank) for item in axes)
    if len(order) != rank:
        raise UserRaise(ValueError, "axes don't match array", machine.span)
    if len(set(order)) < rank:
        raise UserRaise(ValueError, "repeated axis in transpose", machine.span)
    machine.turned = machine.turned or rank > 1
    if isinstance(value, Array):
        return machine.heap.created(Array(np.empty(0), value, order, "permute"))
    if is_plain(machine, value):
        return call_numpy(machine, np.transpose, plain(machine, value), axes)
    signal = to_signal(machine, value)
    return wrap(machine, machine.emit("permute", signal, axes=order, flavour="np"))


@handles(np.broadcast_to)
def _broadcast_to(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    target = static_value(machine, args[1], node)
    if is_plain(machine, args[0]):
        return call_numpy(machine, lambda: np.broadcast_to(plain(machine, args[0]), target).copy())
    return new_array(
        machine,
        machine.emit("broadcast", to_signal(machine, args[0]), shape=(target,) if isinstance(target, int) else tuple(target), flavour="np"),
    )


@handles(np.broadcast_arrays, options="")
def _broadcast_arrays(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    target = np.broadcast_shapes(*[shape(machine, item) for item in args])
    parts = tuple(_broadcast_to(machine, [item, target], {}, node) for item in args)
    for item, part in zip(args, parts, strict=True):
        if isinstance(item, Array) and isinstance(part, Array):
            root_of(item).shared = part.shared = True  # a view in NumPy and a copy here
    return parts


@handles(np.expand_dims)
def _expand_dims(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    axis = static_value(machine, args[1], node)
    wide = call_numpy(machine, lambda: np.expand_dims(np.empty(shape(machine, args[0])), axis))
    return reshape(machine, args[0], shape(machine, wide), node)


def _at_least(native: Callable[..., Any]) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        made = []
        for item in args:
            target = native(np.empty(shape(machine, item))).shape
            same = isinstance(item, Array) and target == shape(machine, item)
            made.append(item if same else reshape(machine, item, target, node))
        return made[0] if len(made) == 1 else tuple(made)

    return handler


register(_at_least, np.atleast_1d, np.atleast_2d, np.atleast_3d)
