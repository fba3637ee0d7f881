"""Sums, extremes and the like over arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.rules.numpy import option_replacements, replacements
from deepalgo.stage.rules.numpy.axes import axes_of, axis_of
from deepalgo.stage.rules.numpy.elementwise import close, emit
from deepalgo.stage.rules.registry import Args, Handler, Kwargs, handles
from deepalgo.stage.rules.replacements import apply_text
from deepalgo.stage.state.array_conversion import call_numpy, is_plain, plain, to_signal, wrap
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked
from deepalgo.stage.state.values import Signal, UserRaise


def reduce(machine: Machine, name: str, value: Signal, axis: Any, keepdims: bool) -> Signal:
    """One reduction over one, several or all axes."""
    if axis is None:
        _not_empty(machine, name, value.shape)
        whole = machine.emit(name, value, axis=None, flavour="np") if value.shape else _of_one(machine, name, value)
        return machine.emit("reshape", whole, shape=(1,) * len(value.shape), flavour="np") if keepdims and value.shape else whole
    result = value
    axes = axes_of(machine, axis, len(value.shape))
    _not_empty(machine, name, [value.shape[place] for place in axes])
    for place in axes:
        result = machine.emit(name, result, axis=place, flavour="np")
    if keepdims:
        shape = tuple(1 if place in axes else size for place, size in enumerate(value.shape))
        result = machine.emit("reshape", result, shape=shape, flavour="np")
    return result


def _of_one(machine: Machine, name: str, value: Signal) -> Signal:
    """A reduction of a single number: its place is 0, truth values add up to whole numbers, and a sum of -0.0 is 0.0."""
    if name in ("argmin", "argmax"):
        return machine.constant(0)
    if name == "sum" and value.kind >= Kind.REAL:
        return machine.emit("add", value, 0.0, flavour="np")
    return machine.cast(value, Type(Kind.INT)) if name in ("sum", "prod") and value.kind is Kind.BOOL else value


def options(args: Args, kwargs: Kwargs) -> tuple[Any, bool]:
    """The axis and `keepdims` of a reduction."""
    axis = args[1] if len(args) > 1 else kwargs.get("axis")
    return axis, bool(kwargs.get("keepdims", False))


#: What a reduction of no numbers gives, and the operation that joins its answer with an initial one.
NEUTRAL: dict[str, tuple[Any, str]] = {
    "sum": (0, "add"), "prod": (1, "mul"), "amin": (None, "minimum"), "amax": (None, "maximum"), "any": (False, "or"), "all": (True, "and"),
}


def _reduction(name: str, native: Callable[..., Any]) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        if isinstance(args[0], Masked):
            if kwargs:
                machine.refuse(f"options of `np.{native.__name__}` have no rule where a mask keeps numbers", "Use np.where.", node)
            return wrap(machine, _over_mask(machine, name, args[0], node))
        if all(is_plain(machine, item) for item in (*args, *kwargs.values())):
            given = {key: plain(machine, item) for key, item in kwargs.items()}
            return call_numpy(machine, native, *[plain(machine, item) for item in args], **given)
        value, (axis, keepdims) = to_signal(machine, args[0]), options(args, kwargs)
        if "initial" in kwargs:
            value = _kept(machine, name, value, kwargs.get("where", True), kwargs["initial"])
            initial = to_signal(machine, kwargs["initial"])
            if not (0 in value.shape and name in ("amin", "amax")):
                return wrap(machine, emit(machine, NEUTRAL[name][1], reduce(machine, name, value, axis, keepdims), initial))
            return wrap(machine, _spread_over_nothing(machine, value, initial, axis, keepdims))
        if name in ("argmin", "argmax") and axis is not None:
            axis = axis_of(machine, axis, len(value.shape))
        value = _kept(machine, name, value, kwargs.get("where", True), NEUTRAL.get(name, (None, ""))[0])
        return wrap(machine, reduce(machine, name, _prepared(machine, name, value), axis, keepdims))

    return handler


def _kept(machine: Machine, name: str, value: Signal, where: Any, neutral: Any) -> Signal:
    """The numbers of a reduction that a mask lets through, the neutral one in place of others."""
    value = machine.emit("ne", value, 0, flavour="np") if name in ("any", "all") and value.kind is not Kind.BOOL else value
    if where is True:
        return value
    if neutral is None:
        raise UserRaise(
            ValueError,
            f"reduction operation '{NEUTRAL[name][1]}' does not have an identity, so to use a where mask one has to specify 'initial'",
            machine.span,
        )
    mask = to_signal(machine, where)
    mask = mask if mask.kind is Kind.BOOL else machine.emit("ne", mask, 0, flavour="np")
    if name == "sum" and value.kind is Kind.BOOL:
        return emit(machine, "and", mask, value)
    other = NEUTRAL[name][0] if NEUTRAL[name][0] is not None else neutral
    held = to_signal(machine, other)
    kind = max(value.kind, held.kind)
    return emit(machine, "select", mask, machine.cast(value, Type(kind, value.shape)), machine.cast(held, Type(kind, held.shape)))


def _spread_over_nothing(machine: Machine, value: Signal, initial: Signal, axis: Any, keepdims: bool) -> Signal:
    """The initial number in the shape that an extreme along axes without numbers has."""
    axes = range(len(value.shape)) if axis is None else axes_of(machine, axis, len(value.shape))
    if all(value.shape[place] for place in axes):
        return machine.emit("reshape", value, shape=np.max(np.empty(value.shape), axis=tuple(axes), keepdims=keepdims).shape, flavour="np")
    shape = tuple(1 if place in axes else size for place, size in enumerate(value.shape) if keepdims or place not in axes)
    held = machine.cast(initial, Type(max(value.kind, initial.kind), initial.shape))
    return machine.emit("broadcast", held, shape=shape, flavour="np") if shape else held


def _not_empty(machine: Machine, name: str, sizes: Iterable[int]) -> None:
    """There is no extreme of nothing."""
    if name in ("amin", "amax", "argmin", "argmax") and 0 in sizes:
        raise UserRaise(ValueError, _nothing(name), machine.span)


def _nothing(name: str) -> str:
    """What NumPy says of an extreme of nothing."""
    if name in ("argmin", "argmax"):
        return f"attempt to get {name} of an empty sequence"
    return f"zero-size array to reduction operation {NEUTRAL[name][1]} which has no identity"


def _prepared(machine: Machine, name: str, value: Signal) -> Signal:
    if name in ("any", "all") and value.kind is not Kind.BOOL:
        return machine.emit("ne", value, 0, flavour="np")
    return value


def _over_mask(machine: Machine, name: str, value: Masked, node: ast.AST) -> Signal:
    """A reduction over the numbers that a mask keeps: the others do not count."""
    neutral: dict[str, Any] = {"sum": 0.0, "prod": 1.0, "amin": float("inf"), "amax": float("-inf"), "any": False, "all": True}
    if name not in neutral:
        machine.refuse("this needs the positions that a mask keeps, and how many depends on data", "Use np.where.", node)
    held = emit(machine, "select", _of_rows(machine, value), value.signal, neutral[name])
    if name in ("amin", "amax"):
        some = reduce(machine, "any", value.mask, None, False)
        machine.check(some, ValueError, _nothing(name))
    return reduce(machine, name, held, None, False)


def _of_rows(machine: Machine, value: Masked) -> Signal:
    """The mask with an axis of one for each axis behind it: it keeps whole rows."""
    behind = len(value.signal.shape) - len(value.mask.shape)
    return machine.emit("reshape", value.mask, shape=(*value.mask.shape, *(1,) * behind), flavour="np") if behind else value.mask


REDUCTIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "sum": (np.sum,), "prod": (np.prod,), "amin": (np.min, np.amin), "amax": (np.max, np.amax), "any": (np.any,), "all": (np.all,),
    "argmin": (np.argmin,), "argmax": (np.argmax,),
}
for _row, _natives in REDUCTIONS.items():
    for _function in _natives:
        _known = {"argmin": "axis keepdims", "argmax": "axis keepdims", "any": "axis keepdims where", "all": "axis keepdims where"}
        handles(_function, options=_known.get(_row, "axis keepdims initial where"))(_reduction(_row, _function))


@handles(np.mean, options="axis keepdims")
def _mean(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if isinstance(args[0], Masked):
        rows = reduce(machine, "sum", machine.cast(args[0].mask, Type(Kind.REAL, args[0].mask.shape)), None, False)
        count = emit(machine, "mul", rows, float(np.prod(args[0].signal.shape[len(args[0].mask.shape) :])))
        return wrap(machine, emit(machine, "div", _over_mask(machine, "sum", args[0], node), count))
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.mean, *[plain(machine, item) for item in args], **kwargs)
    return wrap(machine, mean(machine, to_signal(machine, args[0]), *options(args, kwargs)))


@handles(np.average, options="axis keepdims")
def _average(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _mean(machine, args, kwargs, node)


def mean(machine: Machine, value: Signal, axis: Any, keepdims: bool) -> Signal:
    """The sum over the number of items."""
    count = int(np.prod([value.shape[place] for place in axes_of(machine, axis, len(value.shape))])) if value.shape else 1
    return emit(machine, "div", reduce(machine, "sum", value, axis, keepdims), count)


@handles(np.var, options="axis keepdims ddof")
def _var(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.var, *[plain(machine, item) for item in args], **kwargs)
    return wrap(machine, variance(machine, to_signal(machine, args[0]), *options(args, kwargs), kwargs.get("ddof", 0)))


@handles(np.std, options="axis keepdims ddof")
def _std(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.std, *[plain(machine, item) for item in args], **kwargs)
    spread = variance(machine, to_signal(machine, args[0]), *options(args, kwargs), kwargs.get("ddof", 0))
    return wrap(machine, emit(machine, "sqrt", spread))


def variance(machine: Machine, value: Signal, axis: Any, keepdims: bool, ddof: int) -> Signal:
    """The mean squared distance from the mean."""
    gap = emit(machine, "sub", value, mean(machine, value, axis, True))
    count = int(np.prod([value.shape[place] for place in axes_of(machine, axis, len(value.shape))]))
    return emit(machine, "div", reduce(machine, "sum", emit(machine, "mul", gap, gap), axis, keepdims), max(count - ddof, 0))


def _cumulative(name: str, native: Callable[..., Any]) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        if is_plain(machine, args[0]):
            return call_numpy(machine, native, *[plain(machine, item) for item in args], **kwargs)
        value, axis = to_signal(machine, args[0]), options(args, kwargs)[0]
        if axis is None:
            value, axis = machine.emit("reshape", value, shape=(int(np.prod(value.shape)),), flavour="np"), 0
        return wrap(machine, machine.emit(name, value, axis=axis_of(machine, axis, len(value.shape)), flavour="np"))

    return handler


handles(np.cumsum, options="axis")(_cumulative("cumsum", np.cumsum))
handles(np.cumprod, options="axis")(_cumulative("cumprod", np.cumprod))


def _ordering(name: str, native: Callable[..., Any]) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        if is_plain(machine, args[0]):
            return call_numpy(machine, native, *[plain(machine, item) for item in args], **kwargs)
        value = to_signal(machine, args[0])
        axis = args[1] if len(args) > 1 else kwargs.get("axis", -1)
        if axis is None:
            value, axis = machine.emit("reshape", value, shape=(int(np.prod(value.shape)),), flavour="np"), 0
        return wrap(machine, machine.emit(name, value, axis=axis_of(machine, axis, len(value.shape)), flavour="np"))

    return handler


handles(np.sort, options="axis kind stable")(_ordering("sort", np.sort))
handles(np.argsort, options="axis kind stable")(_ordering("argsort", np.argsort))


@handles(np.allclose, options="rtol atol equal_nan")
def _allclose(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if all(is_plain(machine, item) for item in args):
        return call_numpy(machine, np.allclose, *[plain(machine, item) for item in args], **kwargs)
    result = reduce(machine, "all", close(machine, args, kwargs), None, False)
    return Signal(result.value, "py", result.uniform, None)


@handles(np.array_equal, options="")
def _array_equal(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if all(is_plain(machine, item) for item in args):
        return call_numpy(machine, np.array_equal, *[plain(machine, item) for item in args])
    left, right = (to_signal(machine, item) for item in args)
    if left.shape != right.shape:
        return False
    result = reduce(machine, "all", emit(machine, "eq", left, right), None, False)
    return Signal(result.value, "py", result.uniform, None)


@handles(np.ptp, options="axis keepdims")
def _ptp(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    axis, keepdims = options(args, kwargs)
    value = to_signal(machine, args[0])
    return wrap(
        machine, emit(machine, "sub", reduce(machine, "amax", value, axis, keepdims), reduce(machine, "amin", value, axis, keepdims))
    )


@handles(np.median, options="axis keepdims")
def _median(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.median, *[plain(machine, item) for item in args], **kwargs)
    value = to_signal(machine, args[0])
    if value.shape and (options(args, kwargs) != (None, False) or 0 in value.shape):
        return apply_text(machine, replacements.median, np.median, args, kwargs, node)
    size = int(np.prod(value.shape))
    ordered = machine.emit("sort", machine.emit("reshape", value, shape=(size,), flavour="np"), axis=0, flavour="np")
    places = sorted({(size - 1) // 2, size // 2})
    middle = [machine.emit("index", ordered, key=(place,), flavour="np") for place in places]
    total = emit(machine, "add", middle[0], 0.0)  # a sum of negative zeros is zero
    mean = emit(machine, "div", emit(machine, "add", total, middle[1]), 2.0) if len(middle) == 2 else total
    last = machine.emit("index", ordered, key=(size - 1,), flavour="np")  # NaN comes last
    return wrap(machine, emit(machine, "select", emit(machine, "isnan", last), last, mean))


@handles(np.count_nonzero, options="axis keepdims")
def _count_nonzero(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.count_nonzero, plain(machine, args[0]), **kwargs)
    value = to_signal(machine, args[0])
    held = value if value.kind is Kind.BOOL and value.shape else emit(machine, "ne", value, 0)
    return wrap(machine, reduce(machine, "sum", held, *options(args, kwargs)))


@handles(np.diff, options="n axis")
def _diff(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.diff, *[plain(machine, item) for item in args], **kwargs)
    value = to_signal(machine, args[0])
    axis = axis_of(machine, kwargs.get("axis", -1), len(value.shape))
    if kwargs.get("n", 1) < 0 or value.kind is Kind.BOOL:
        machine.refuse("`np.diff` of truth values, or a negative number of times, has no rule here", "Use numbers.", node)
    for _ in range(kwargs.get("n", 1)):
        full = (("slice", None, None, None),) * axis
        later = machine.emit("take", value, key=(*full, ("slice", 1, None, None)), flavour="np")
        earlier = machine.emit("take", value, key=(*full, ("slice", None, -1, None)), flavour="np")
        value = emit(machine, "sub", later, earlier)
    return wrap(machine, value)


@handles(np.trapezoid, options="x dx")
def _trapezoid(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    y = to_signal(machine, args[0])
    if len(y.shape) != 1:
        return apply_text(machine, option_replacements.trapezoid, np.trapezoid, args, kwargs, node)
    ends = [(("slice", 1, None, None),), (("slice", None, -1, None),)]
    heights = emit(machine, "add", *[machine.emit("take", y, key=key, flavour="np") for key in ends])
    x = kwargs.get("x")
    widths: Any = kwargs.get("dx", 1.0)
    if x is not None:
        widths = emit(machine, "sub", *[machine.emit("take", to_signal(machine, x), key=key, flavour="np") for key in ends])
    return wrap(machine, reduce(machine, "sum", emit(machine, "div", emit(machine, "mul", heights, widths), 2.0), None, False))


def _without_nan(name: str, native: Callable[..., Any], neutral: float) -> Handler:
    """`np.nansum` and its kin: what is not a number does not count."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        if is_plain(machine, args[0]):
            return call_numpy(machine, native, *[plain(machine, item) for item in args], **kwargs)
        value, (axis, keepdims) = to_signal(machine, args[0]), options(args, kwargs)
        missing = emit(machine, "isnan", value)
        total = reduce(machine, name, emit(machine, "select", missing, neutral, value), axis, keepdims)
        if native in (np.nanmin, np.nanmax):
            nothing = reduce(machine, "all", missing, axis, keepdims)
            return wrap(machine, emit(machine, "select", nothing, float("nan"), total))
        if native is not np.nanmean:
            return wrap(machine, total)
        present = machine.cast(emit(machine, "not", missing), Type(Kind.REAL, value.shape))
        return wrap(machine, emit(machine, "div", total, reduce(machine, "sum", present, axis, keepdims)))

    return handler


for _native, _name, _neutral in (
    (np.nansum, "sum", 0.0),
    (np.nanmean, "sum", 0.0),
    (np.nanprod, "prod", 1.0),
    (np.nanmin, "amin", float("inf")),
    (np.nanmax, "amax", float("-inf")),
):
    handles(_native, options="axis keepdims")(_without_nan(_name, _native, _neutral))
