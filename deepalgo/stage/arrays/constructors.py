"""NumPy's functions that make arrays, and those that lay them out anew."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.arrays.axes import axis_of
from deepalgo.stage.arrays.box import Array, attr_of_plain, kind_of_dtype, root_of, stand_in
from deepalgo.stage.arrays.convert import box, is_array, is_plain, known_plain, new_array, plain, shape, to_signal, wrap
from deepalgo.stage.arrays.elementwise import call_numpy, emit
from deepalgo.stage.machine import Machine
from deepalgo.stage.natives import HANDLERS, Args, Handler, Kwargs, handles, register
from deepalgo.stage.subscripts import static_int
from deepalgo.stage.unions import distribute
from deepalgo.stage.values import Signal, Union, UserRaise


def to_kind(machine: Machine, value: Signal, dtype: Any) -> Signal:
    """`value.astype(dtype)`."""
    if dtype is None:
        return value
    resolved = np.dtype(dtype)
    if resolved.kind not in "biufc" or resolved.kind == "f" and resolved.itemsize != 8 or resolved.kind == "c" and resolved.itemsize != 16:
        machine.refuse(f"an array of {resolved} has no rule", "Use float, int, bool or complex.")
    return machine.cast(value, Type(kind_of_dtype(resolved), value.shape))


@handles(np.asarray, np.asanyarray, np.ascontiguousarray, options="dtype ndmin order copy")
def _array(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return make(machine, args, kwargs, node, copies=False)


@handles(np.float64, options="")
def _number(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if not args or is_plain(machine, args[0]):
        return call_numpy(machine, np.float64, *[plain(machine, item) for item in args])
    return distribute(machine, args[0], lambda item: _as_number(machine, item, node), node)


def _as_number(machine: Machine, value: Any, node: ast.AST) -> Any:
    signal = to_signal(machine, value)
    if signal.kind is Kind.COMPLEX:
        machine.refuse("this drops the imaginary part", "Take `.real`.", node)
    result = machine.cast(signal, Type(Kind.REAL, signal.shape))
    return wrap(machine, Signal(result.value, "np", signal.uniform, signal.known))


@handles(np.asarray_chkfinite, options="dtype")
def _checked_array(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    result = make(machine, args, kwargs, node, copies=False)
    if not is_plain(machine, result):
        machine.check(machine.emit("isfinite", to_signal(machine, result)), ValueError, "array must not contain infs or NaNs")
    return result


@handles(np.copy, options="order")
def _copy(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return make(machine, args[:1], {}, node, copies=True)


HANDLERS[np.array] = lambda machine, args, kwargs, node: make(machine, args, kwargs, node, copies=kwargs.get("copy", True) is not False)


def make(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST, copies: bool) -> Any:
    """`np.array` and `np.asarray`: the latter hands an array on as it is."""
    value = args[0]
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
    if isinstance(value, Union):
        return distribute(machine, value, lambda case: make(machine, [case, *args[1:]], kwargs, node, copies), node)
    if dtype is object:
        machine.refuse("an array of objects has no rule", "Use a list.", node)
    if is_plain(machine, value):
        if isinstance(value, Array) and not copies and dtype is None:
            return value
        return call_numpy(machine, lambda: np.array(plain(machine, value), dtype=dtype, ndmin=kwargs.get("ndmin", 0)))
    if isinstance(value, Array) and not copies and dtype in (None, float):
        return value
    result = to_kind(machine, to_signal(machine, value), dtype)
    missing = kwargs.get("ndmin", 0) - len(result.shape)
    if missing > 0:
        result = machine.emit("reshape", result, shape=(1,) * missing + result.shape, flavour="np")
    return new_array(machine, result)


def _filled(native: Callable[..., Any]) -> Handler:
    """`np.zeros` and its kin: a plain array that may take data later."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        return call_numpy(
            machine,
            native,
            *[_static(machine, item, node) for item in args],
            **{key: _static(machine, item, node) for key, item in kwargs.items()},
        )

    return handler


def _static(machine: Machine, value: Any, node: ast.AST) -> Any:
    """A shape or a bound, which must be known at compile time."""
    if isinstance(value, (tuple, list)):
        return type(value)(_static(machine, item, node) for item in value)
    if isinstance(value, Signal):
        return static_int(machine, value, node, "the shape of this array")
    return plain(machine, value)


register(_filled, np.zeros, np.ones, np.empty, np.eye, np.identity, np.arange, np.tri, np.indices)


@handles(np.full, options="fill_value dtype")
def _full(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    size, value = _static(machine, args[0], node), args[1] if len(args) > 1 else kwargs["fill_value"]
    if is_plain(machine, value):
        return call_numpy(machine, np.full, size, plain(machine, value), **kwargs)
    target = (size,) if isinstance(size, int) else tuple(size)
    return new_array(machine, machine.emit("broadcast", to_signal(machine, value), shape=target, flavour="np"))


def _like(native: Callable[..., Any]) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        from deepalgo.stage.builtin_questions import representative

        dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
        model = plain(machine, args[0]) if is_plain(machine, args[0]) else representative(_as_array(machine, args[0]))
        return call_numpy(machine, native, model, dtype=dtype)

    return handler


def _as_array(machine: Machine, value: Any) -> Any:
    return value if is_array(value) else new_array(machine, to_signal(machine, value))


register(_like, np.zeros_like, np.ones_like, np.empty_like)


@handles(np.full_like, options="fill_value dtype")
def _full_like(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _full(machine, [shape(machine, args[0]), args[1] if len(args) > 1 else kwargs["fill_value"]], {}, node)


@handles(np.linspace, options="num endpoint")
def _linspace(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if all(is_plain(machine, item) for item in (*args, *kwargs.values())):
        return call_numpy(machine, np.linspace, *[plain(machine, item) for item in args], **kwargs)
    start, stop = args[:2]
    count = static_int(machine, args[2] if len(args) > 2 else kwargs.get("num", 50), node, "the number of points")
    share = np.arange(count) / max(count - (1 if kwargs.get("endpoint", True) else 0), 1)
    width = emit(machine, "sub", stop, start)
    points = emit(machine, "add", emit(machine, "mul", machine.constant_array(share), width), start)
    if kwargs.get("endpoint", True) and count > 1:
        points = machine.emit("put", points, to_signal(machine, stop), key=(-1,), flavour="np")
    return wrap(machine, points)


# --- layout -----------------------------------------------------------------------------------------------------------------------


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
        options = [_static(machine, item, node) for item in args[1:]]
        try:
            places = native(numbered(machine, args[0]), *options, **kwargs)
        except Exception as error:
            raise UserRaise(error, None, machine.span) from None
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


register(
    _rearranging,
    np.roll,
    np.flip,
    np.fliplr,
    np.flipud,
    np.repeat,
    np.tile,
    np.rot90,
    np.diag,
    np.diagonal,
    np.squeeze,
    np.swapaxes,
    np.moveaxis,
    np.rollaxis,
    np.resize,
    np.triu,
    np.tril,
)


def _triangle(native: Callable[..., Any]) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        keep = native(np.ones(shape(machine, args[0])), *args[1:], **kwargs)
        return wrap(machine, emit(machine, "mul", args[0], machine.constant_array(keep)))

    return handler


HANDLERS[np.triu] = _triangle(np.triu)
HANDLERS[np.tril] = _triangle(np.tril)


@handles(np.diag, options="k")
def _diag(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    offset = args[1] if len(args) > 1 else kwargs.get("k", 0)
    if len(shape(machine, args[0])) == 2:
        diagonal = layout(machine, args[0], np.diag(numbered(machine, args[0]), offset))
        _note_sharing(args[0], diagonal, lambda held: np.diag(held, offset))
        return diagonal
    size = shape(machine, args[0])[0]
    target = call_numpy(machine, np.zeros, (size + abs(offset),) * 2)
    from deepalgo.stage.arrays.indexing import store

    rows = np.arange(size)
    store(machine, target, (rows + max(-offset, 0), rows + max(offset, 0)), args[0], node)
    return target


def reshape(machine: Machine, value: Any, target: Any, node: ast.AST) -> Any:
    """`value.reshape(target)`; -1 stands for what is left."""
    target = _static(machine, target, node)
    places = call_plain(machine, lambda: numbered(machine, value).reshape(target))
    if isinstance(value, Array):
        here = stand_in(value)
        if np.may_share_memory(here, here.reshape(places.shape)):
            return machine.heap.created(Array(np.empty(0), value, tuple(places.shape), "reshape"))
    if is_plain(machine, value):
        return box(machine, np.asarray(plain(machine, value)).reshape(target))
    return new_array(machine, machine.emit("reshape", to_signal(machine, value), shape=tuple(places.shape), flavour="np"))


def call_plain(machine: Machine, action: Callable[[], Any]) -> Any:
    """NumPy on plain values, without boxing the answer."""
    try:
        return action()
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None


@handles(np.reshape, options="shape newshape")
def _reshape(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return reshape(machine, args[0], args[1] if len(args) > 1 else kwargs.get("shape", kwargs.get("newshape")), node)


@handles(np.ravel, options="")
def _ravel(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return reshape(machine, args[0], -1, node)


@handles(np.transpose, np.permute_dims if hasattr(np, "permute_dims") else np.transpose)
def _transpose(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return transpose(machine, args[0], args[1] if len(args) > 1 else kwargs.get("axes"))


def transpose(machine: Machine, value: Any, axes: Any = None) -> Any:
    """The axes in another order, reversed if none is given."""
    rank = len(shape(machine, value))
    order = tuple(reversed(range(rank))) if axes is None else tuple(axis_of(machine, item, rank) for item in axes)
    if len(order) != rank:
        raise UserRaise(ValueError, "axes don't match array", machine.span)
    if len(set(order)) < rank:
        raise UserRaise(ValueError, "repeated axis in transpose", machine.span)
    if isinstance(value, Array):
        return machine.heap.created(Array(np.empty(0), value, order, "permute"))
    if is_plain(machine, value):
        return call_numpy(machine, np.transpose, plain(machine, value), axes)
    signal = to_signal(machine, value)
    return wrap(machine, machine.emit("permute", signal, axes=order, flavour="np"))


@handles(np.broadcast_to, options="shape")
def _broadcast_to(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    target = _static(machine, args[1], node)
    if is_plain(machine, args[0]):
        return call_numpy(machine, lambda: np.broadcast_to(plain(machine, args[0]), target).copy())
    return new_array(
        machine,
        machine.emit("broadcast", to_signal(machine, args[0]), shape=(target,) if isinstance(target, int) else tuple(target), flavour="np"),
    )


@handles(np.broadcast_arrays, options="")
def _broadcast_arrays(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    target = np.broadcast_shapes(*[shape(machine, item) for item in args])
    return tuple(_broadcast_to(machine, [item, target], {}, node) for item in args)


@handles(np.expand_dims, options="axis")
def _expand_dims(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    axis = args[1] if len(args) > 1 else kwargs["axis"]
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


# --- putting together ---------------------------------------------------------------------------------------------------------------


def _sequence(machine: Machine, value: Any) -> list[Any]:
    from deepalgo.stage.iteration import iterate

    return list(value) if isinstance(value, (list, tuple)) else iterate(machine, value, ast.Pass())


def _joining(native: Callable[..., Any]) -> Handler:
    """Functions that put arrays side by side: NumPy itself lays out the places of their numbers."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        parts = _sequence(machine, args[0])
        if all(is_plain(machine, item) for item in parts):
            return call_numpy(machine, native, [plain(machine, item) for item in parts], *args[1:], **kwargs)
        signals = [to_signal(machine, item) for item in parts]
        kind = max(signal.kind for signal in signals)
        sizes = [int(np.prod(signal.shape)) for signal in signals]
        starts = np.cumsum([0, *sizes[:-1]])
        numbers = [np.arange(size).reshape(signal.shape) + start for signal, size, start in zip(signals, sizes, starts, strict=True)]
        places = call_plain(machine, lambda: native(numbers, *args[1:], **kwargs))
        alike = [machine.cast(item, Type(kind, item.shape)) for item in signals]
        axis = args[1] if len(args) > 1 else kwargs.get("axis", 0)
        if native is np.concatenate and isinstance(axis, int) and len(alike) > 1:
            return wrap(machine, machine.emit("concat", *alike, axis=axis % places.ndim, flavour="np"))
        flat = [machine.emit("reshape", item, shape=(size,), flavour="np") for item, size in zip(alike, sizes, strict=True)]
        whole = flat[0] if len(flat) == 1 else machine.emit("concat", *flat, axis=0, flavour="np")
        if np.array_equal(places.ravel(), np.arange(len(places.ravel()))):
            return wrap(machine, machine.emit("reshape", whole, shape=tuple(places.shape), flavour="np"))
        return wrap(machine, machine.emit("pick", whole, indices=attr_of_plain(places), axis=0, flavour="np"))

    return handler


register(_joining, np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack, np.block)


@handles(np.append, options="axis")
def _append(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    axis = args[2] if len(args) > 2 else kwargs.get("axis")
    parts = [reshape(machine, item, -1, node) if axis is None else item for item in args[:2]]
    return HANDLERS[np.concatenate](machine, [parts], {} if axis is None else {"axis": axis}, node)


@handles(np.pad, options="mode constant_values")
def _pad(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    mode = args[2] if len(args) > 2 else kwargs.get("mode", "constant")
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.pad, *[plain(machine, item) for item in args], **kwargs)
    places = numbered(machine, args[0])
    if mode != "constant":
        return layout(machine, args[0], np.asarray(call_plain(machine, lambda: np.pad(places, args[1], mode=mode))))
    laid = np.pad(places, args[1], constant_values=-1)
    fill = kwargs.get("constant_values", 0)
    held = to_signal(machine, layout(machine, args[0], np.maximum(laid, 0)))
    return wrap(
        machine, emit(machine, "select", machine.constant_array(laid >= 0), held, machine.cast(to_signal(machine, fill), Type(held.kind)))
    )


@handles(np.split, np.array_split, options="axis")
def _split(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    places = call_plain(machine, lambda: np.array_split(numbered(machine, args[0]), args[1], **kwargs))
    if isinstance(args[0], Array):
        root_of(args[0]).shared = True  # the parts are views in NumPy and copies here
    return machine.heap.created([layout(machine, args[0], part) for part in places])


@handles(np.take, options="axis")
def _take(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    from deepalgo.stage.arrays.indexing import get

    axis = args[2] if len(args) > 2 else kwargs.get("axis")
    array = _as_array(machine, args[0]) if axis is not None else reshape(machine, args[0], -1, node)
    array = box(machine, array) if isinstance(array, np.ndarray) else array
    place = axis_of(machine, axis or 0, len(shape(machine, array)))
    return get(machine, array, (slice(None),) * place + (args[1],), node)


@handles(np.meshgrid, options="indexing")
def _meshgrid(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if all(is_plain(machine, item) for item in args):
        return call_numpy(machine, np.meshgrid, *[plain(machine, item) for item in args], **kwargs)
    places = np.meshgrid(*[numbered(machine, item) for item in args], **kwargs)
    return machine.heap.created([layout(machine, item, part) for item, part in zip(args, places, strict=True)])


# --- questions about types ------------------------------------------------------------------------------------------------------------


def _question(native: Callable[..., Any]) -> Handler:
    """Questions that the type of an argument answers."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        from deepalgo.stage.builtin_questions import representative

        def ask(value: Any) -> Any:
            held = known_plain(machine, value) if isinstance(value, (list, tuple)) else representative(value)
            if isinstance(value, (list, tuple)) and held is None:
                held = np.empty(shape(machine, value))
            return call_plain(machine, lambda: native(held, *args[1:], **kwargs))

        return distribute(machine, args[0], ask, node)

    return handler


@handles(np.result_type, options="")
def _result_type(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    from deepalgo.stage.builtin_questions import representative

    return call_plain(machine, lambda: np.result_type(*[representative(item) for item in args]))


register(_question, np.isscalar, np.ndim, np.shape, np.size, np.iterable, np.isrealobj, np.iscomplexobj)

