"""What NumPy's functions do with the numbers that a mask on data keeps, and with the positions where it holds.

Nothing is moved together: every number stays where it was, and those that the mask drops do not count. So a reduction fills them
with something neutral, and the number at a position is looked up in the order of those that were kept.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import EllipsisType
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.rules.gate import MASKED
from deepalgo.stage.rules.numpy.elementwise import apply, emit
from deepalgo.stage.rules.numpy.indexing import as_entries, expanded, is_basic, probe
from deepalgo.stage.rules.numpy.reductions import reduce
from deepalgo.stage.state.array_conversion import is_plain, plain, to_signal, wrap
from deepalgo.stage.state.arrays import DTYPES, as_attr
from deepalgo.stage.state.guarded_items import GuardedItems
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked, Positions, kept, same_computation
from deepalgo.stage.state.masked_arrays import kept as new
from deepalgo.stage.state.values import Signal

#: Gets the arguments of a call by name; answers None where it has no rule for them.
Rule = Callable[[Machine, dict[str, Any], ast.AST], Any]


def count(machine: Machine, value: Masked | Positions) -> Signal:
    """How many numbers there are."""
    total = reduce(machine, "sum", machine.cast(value.mask, Type(Kind.INT, value.mask.shape)), None, False)
    return Signal(total.value, "py", total.uniform, None)


def extent(machine: Machine, value: Masked | Positions) -> tuple[Any, ...]:
    """The shape: as many rows as the mask keeps."""
    rest = value.signal.shape[len(value.mask.shape) :] if isinstance(value, Masked) else ()
    return (count(machine, value), *rest)


def attribute(machine: Machine, value: Masked | Positions, name: str) -> Any:
    """`shape`, `size`, `ndim`, `dtype` and `T`; None for any other attribute."""
    match name:
        case "shape":
            return extent(machine, value)
        case "ndim":
            return len(extent(machine, value))
        case "size":
            rows, *rest = extent(machine, value)
            return rows if not rest else machine.binary(ast.Mult, rows, int(np.prod(rest)), ast.Pass())
        case "T" if len(extent(machine, value)) == 1:
            return value
        case "dtype":
            return DTYPES[value.signal.kind] if isinstance(value, Masked) else np.dtype(int)
        case _:
            return None


def entries(machine: Machine, value: Masked | Positions) -> GuardedItems | None:
    """The numbers one by one, each with the guard under which it is there; None for rows."""
    held = _held(machine, value)
    if len(value.mask.shape) != 1 or len(held.shape) != 1:
        return None

    def at(part: Signal, place: int) -> Signal:
        return machine.emit("index", part, key=(place,), flavour="np")

    return GuardedItems(tuple((at(value.mask, place), at(held, place)) for place in range(held.shape[0])))


def _held(machine: Machine, value: Masked | Positions) -> Signal:
    if isinstance(value, Masked):
        return value.signal
    return machine.constant_array(np.arange(value.mask.shape[0]))


def item(machine: Machine, value: Masked | Positions, key: Any, node: ast.AST) -> Any:
    """`kept[key]`: one number by its position, those that a further mask keeps, or a part of every row."""
    if isinstance(key, Masked) and key.signal.kind is Kind.BOOL and isinstance(value, Masked):
        _refuse_other_mask(machine, [value, key], node)
        return kept(machine, value.signal, machine.emit("and", value.mask, key.signal, flavour="np"))
    part = None
    if isinstance(value, Masked) and isinstance(key, (tuple, EllipsisType)):
        part = taken(machine, value, as_entries(machine, key))
    if part is not None:
        return part
    single = isinstance(key, (int, np.integer)) or (isinstance(key, Signal) and key.kind is Kind.INT and not key.shape)
    if not single or isinstance(key, bool) or len(value.mask.shape) != 1:
        machine.refuse("how many items this array has depends on data", "Use np.where, or sums over the mask.", node)
    total, place = count(machine, value), machine.signal(key)
    place = machine.emit("select", machine.emit("lt", place, 0), machine.emit("add", place, total), place)
    inside = machine.emit("and", machine.emit("ge", place, 0), machine.emit("lt", place, total))
    shown = "{1}" if isinstance(key, Signal) else str(key)
    operands = (total, key) if isinstance(key, Signal) else (total,)
    machine.check(inside, IndexError, f"index {shown} is out of bounds for axis 0 with size {{0}}", operands)
    return wrap(machine, _at(machine, value, place))


def _at(machine: Machine, value: Masked | Positions, place: Signal) -> Signal:
    dropped = machine.emit("not", value.mask, flavour="np")
    order = machine.emit("argsort", machine.cast(dropped, Type(Kind.INT, dropped.shape)), axis=0, flavour="np")
    safe = machine.emit("max", machine.emit("min", place, value.mask.shape[0] - 1), 0)
    return machine.emit("pick_at", _held(machine, value), machine.emit("pick_at", order, safe, axis=0, flavour="np"), axis=0, flavour="np")


def _refuse_other_mask(machine: Machine, values: list[Masked], node: ast.AST) -> None:
    if any(not same_computation(machine, value.mask, values[0].mask) for value in values[1:]):
        machine.refuse("values that a mask keeps meet values of another length", "Use np.where.", node)


def _is_row(value: Any) -> bool:
    return isinstance(value, Masked) and value.signal.shape == value.mask.shape


def _sum(machine: Machine, value: Signal, mask: Signal) -> Signal:
    zero = 0.0 if value.kind >= Kind.REAL else 0
    return reduce(machine, "sum", emit(machine, "select", mask, value, zero), None, False)


def _real_count(machine: Machine, value: Masked) -> Signal:
    return reduce(machine, "sum", machine.cast(value.mask, Type(Kind.REAL, value.mask.shape)), None, False)


def _variance(machine: Machine, value: Masked, ddof: Any) -> Signal:
    held = machine.cast(value.signal, Type(Kind.REAL, value.signal.shape))
    total = _real_count(machine, value)
    mean = emit(machine, "div", _sum(machine, held, value.mask), total)
    apart = emit(machine, "sub", held, mean)
    rest = emit(machine, "maximum", emit(machine, "sub", total, ddof), 0.0)
    return emit(machine, "div", _sum(machine, emit(machine, "mul", apart, apart), value.mask), rest)


def _spread(root: bool) -> Rule:
    def rule(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
        if set(given) - {"a", "ddof"} or not _is_row(given["a"]) or given["a"].signal.kind > Kind.REAL:
            return None
        found = _variance(machine, given["a"], given.get("ddof", 0))
        return wrap(machine, emit(machine, "sqrt", found) if root else found)

    return rule


def _ordered(machine: Machine, value: Masked) -> Signal:
    flat = (int(np.prod(value.mask.shape)),)
    held = emit(machine, "select", value.mask, machine.cast(value.signal, Type(Kind.REAL, value.signal.shape)), np.inf)
    return machine.emit("sort", machine.emit("reshape", held, shape=flat, flavour="np"), axis=0, flavour="np")


def _or_nan(machine: Machine, value: Masked, found: Signal) -> Signal:
    """NaN where one of the numbers is NaN, or where there are none."""
    some = reduce(machine, "any", emit(machine, "and", value.mask, emit(machine, "isnan", value.signal)), None, False)
    none = machine.emit("eq", count(machine, value), 0)
    return emit(machine, "select", machine.emit("or", some, none), np.nan, found)


def _median(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
    value = given["a"]
    if set(given) - {"a"} or not _is_row(value) or value.signal.kind is not Kind.REAL:
        return None
    total, ordered = count(machine, value), _ordered(machine, value)
    last = machine.emit("max", machine.emit("sub", total, 1), 0)
    places = [machine.emit("floordiv", last, 2), machine.emit("min", machine.emit("floordiv", total, 2), last)]
    low, high = (machine.emit("pick_at", ordered, place, axis=0, flavour="np") for place in places)
    middle = emit(machine, "select", machine.emit("eq", *places), low, emit(machine, "div", emit(machine, "add", low, high), 2.0))
    return wrap(machine, _or_nan(machine, value, middle))


def _quantile(percent: bool) -> Rule:
    """Linear interpolation between the two nearest numbers, from the nearer one, as NumPy does it."""

    def rule(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
        value, q = given["a"], given["q"]
        if set(given) - {"a", "q"} or not _is_row(value) or value.signal.kind is not Kind.REAL or to_signal(machine, q).shape:
            return None
        share = emit(machine, "div", q, 100.0) if percent else to_signal(machine, q)
        text = "Percentiles must be in the range [0, 100]" if percent else "Quantiles must be in the range [0, 1]"
        machine.check(machine.emit("and", machine.emit("ge", share, 0.0), machine.emit("le", share, 1.0)), ValueError, text)
        last = emit(machine, "maximum", emit(machine, "sub", _real_count(machine, value), 1.0), 0.0)
        virtual = emit(machine, "mul", last, share)
        below = emit(machine, "floor", virtual)
        above = emit(machine, "minimum", emit(machine, "add", below, 1.0), last)
        ordered, part = _ordered(machine, value), emit(machine, "sub", virtual, below)
        places = [machine.cast(place, Type(Kind.INT)) for place in (below, above)]
        low, high = (machine.emit("pick_at", ordered, place, axis=0, flavour="np") for place in places)
        gap = emit(machine, "sub", high, low)
        from_low = emit(machine, "add", low, emit(machine, "mul", gap, part))
        from_high = emit(machine, "sub", high, emit(machine, "mul", gap, emit(machine, "sub", 1.0, part)))
        return wrap(machine, _or_nan(machine, value, emit(machine, "select", emit(machine, "ge", part, 0.5), from_high, from_low)))

    return rule


def _dot(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
    if set(given) != {"a", "b"} or not all(map(_is_row, given.values())) or any(value.signal.kind > Kind.REAL for value in given.values()):
        return None
    first, second = given["a"], given["b"]
    _refuse_other_mask(machine, [first, second], node)
    return wrap(machine, _sum(machine, emit(machine, "mul", first.signal, second.signal), first.mask))


def _norm(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
    value = given["x"]
    if set(given) - {"x"} or not _is_row(value) or value.signal.kind > Kind.REAL:
        return None
    held = machine.cast(value.signal, Type(Kind.REAL, value.signal.shape))
    return wrap(machine, emit(machine, "sqrt", _sum(machine, emit(machine, "mul", held, held), value.mask)))


def _cumulated(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
    value = given["a"]
    if set(given) - {"a"} or not _is_row(value) or len(value.mask.shape) != 1 or value.signal.kind is not Kind.REAL:
        return None
    held = emit(machine, "select", value.mask, value.signal, 0.0)
    return kept(machine, machine.emit("cumsum", held, axis=0, flavour="np"), value.mask)


def _alike(fill: float) -> Rule:
    def rule(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
        value = next(iter(given.values()))
        if len(given) != 1 or value.signal.kind is not Kind.REAL:
            return None
        return kept(machine, machine.constant_array(np.full(value.signal.shape, fill)), value.mask)

    return rule


def _full(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
    value, fill = given["a"], given["fill_value"]
    if len(given) != 2 or not isinstance(value, Masked) or value.signal.kind is not Kind.REAL or not isinstance(fill, (int, float)):
        return None
    return kept(machine, machine.constant_array(np.full(value.signal.shape, float(fill))), value.mask)


def _copied(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
    value = _itself(machine, given, node)
    return value if value is None else kept(machine, value.signal, value.mask)


def _itself(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
    """The same array."""
    value, dtype = next(iter(given.values())), given.get("dtype")
    same = dtype is None or (isinstance(value, Masked) and value.signal.kind is Kind.REAL and dtype in (float, np.float64, np.dtype(float)))
    known = set(given) - {"dtype", "copy", "order", "ndmin", "subok"}
    return value if same and len(known) == 1 and isinstance(value, Masked) and given.get("ndmin", 0) <= 1 else None


def _where(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
    parts = list(given.values())
    masked = [part for part in parts if isinstance(part, Masked)]
    if len(parts) != 3 or any(to_signal(machine, part).shape for part in parts if not isinstance(part, Masked)):
        return None
    _refuse_other_mask(machine, masked, node)
    whole = apply(machine, "select", np.where, [wrap(machine, part.signal) if isinstance(part, Masked) else part for part in parts])
    return kept(machine, to_signal(machine, whole), masked[0].mask)


def _count_nonzero(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
    value = given["a"]
    if set(given) - {"a"} or not isinstance(value, Masked):
        return None
    held = value.signal if value.signal.kind is Kind.BOOL else emit(machine, "ne", value.signal, 0)
    return count(machine, Positions(machine.emit("and", value.mask, held, flavour="np"))) if _is_row(value) else None


MASKED.update({
    np.var: _spread(root=False), np.std: _spread(root=True), np.median: _median, np.percentile: _quantile(percent=True),
    np.quantile: _quantile(percent=False), np.dot: _dot, np.inner: _dot, np.vdot: _dot, np.linalg.norm: _norm, np.cumsum: _cumulated,
    np.zeros_like: _alike(0.0), np.ones_like: _alike(1.0), np.empty_like: _alike(0.0), np.full_like: _full, np.array: _copied,
    np.asarray: _itself, np.asanyarray: _itself, np.copy: _copied, np.atleast_1d: _itself, np.ravel: _itself, np.where: _where,
    np.count_nonzero: _count_nonzero,
    np.size: lambda machine, given, node: attribute(machine, given["a"], "size") if len(given) == 1 else None,
    np.shape: lambda machine, given, node: attribute(machine, given["a"], "shape"),
})


def rank(value: Masked) -> int:
    """How many axes NumPy's array has: the axes of the mask are one."""
    return 1 + len(value.signal.shape) - len(value.mask.shape)


def taken(machine: Machine, value: Masked, entries: list[Any]) -> Masked | None:
    """`kept[:, key]` with a key that is fixed: a part of every row; None for any other key."""
    if not all(is_plain(machine, entry) for entry in entries):
        return None
    found = expanded([plain(machine, entry) for entry in entries], rank(value))
    if not found or not is_basic(found) or found[0] != slice(None):
        return None
    behind = value.signal.shape[len(value.mask.shape) :]
    probe(machine, (1, *behind), tuple(found))
    key = (*(slice(None),) * len(value.mask.shape), *found[1:])
    part = new(machine, machine.emit("take", value.signal, key=as_attr(key), flavour="np"), value.mask)
    part.array.shared = value.array.shared = True  # NumPy gives a view
    return part
