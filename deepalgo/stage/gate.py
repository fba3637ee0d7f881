"""The gate before every rule: arguments find their parameters, and an option that the rule does not understand is refused by its name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.ir import Kind
from deepalgo.stage.machine import Machine
from deepalgo.stage.natives import HANDLERS, Args, Handler, Kwargs, call_native, contains_signal, label
from deepalgo.stage.signatures import Bound, Signature, WrongCall, bind, signature_of
from deepalgo.stage.values import DataLength, UserRaise

#: Sums and the like, which take their items in another kind if they are given one.
SUMS = frozenset({
    np.sum, np.prod, np.cumsum, np.cumprod, np.mean, np.std, np.var, np.nansum, np.nanprod, np.nanmean, np.nanstd, np.nanvar, np.trace,
    np.add.reduce, np.multiply.reduce, np.add.accumulate, np.multiply.accumulate,
})
#: Options of NumPy's functions that change no number: how arrays lie in memory, and where.
SILENT = {"subok": (True, False), "device": ("cpu",)}
#: Functions whose `order` tells only how their answer lies in memory.
LAID = frozenset({np.full_like, np.clip, np.asarray_chkfinite, np.einsum})
#: What functions of NumPy do where an argument has a length that depends on data, as far as they have a rule for it.
MASKED: dict[Any, Callable[[Machine, dict[str, Any], ast.AST], Any]] = {}
#: Functions of NumPy, or of this package, that are a text of ours under options that the rule itself does not understand.
TEXTS: dict[Any, Callable[..., Any]] = {}


def gated(function: Any, handler: Handler, options: frozenset[str], called: str = "") -> Handler:
    """The rule of a function for any way of calling it."""
    signature = signature_of(function)
    if signature is None:
        return handler
    return gate(signature, function, handler, options, called or short_label(function))


def gate(signature: Signature, function: Any, handler: Handler, options: frozenset[str], called: str) -> Handler:
    """The rule for a signature; `function` is what would be called on plain values."""
    everything = "*" in options
    required = {name for name in signature.names if name not in signature.defaults}

    def rule(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        try:
            bound = bind(signature, args, kwargs)
        except WrongCall:
            wrong_call(machine, function, args, kwargs, node)
        if function in MASKED and any(isinstance(item, DataLength) for item in bound.values.values()):
            found = MASKED[function](machine, dict(bound.values), node)
            if found is not None:
                return found
        out = None if "out" in options or function is np.linalg.multi_dot else _taken_out(bound)
        if out is not None:
            return _stored(machine, out, rule(machine, *bound.arguments(signature), node), called, node)
        unknown = [] if everything else [name for name in (*bound.values, *bound.rest) if name not in options and name not in required]
        for name in [name for name in unknown if _is_silent(machine, function, name, bound)]:
            unknown.remove(name)
            del bound.values[name]
        if unknown == ["dtype"] and function in SUMS:
            return rule(machine, *_converted(machine, function, signature, bound, called, node), node)
        if unknown:
            return _besides(machine, function, bound, signature, unknown[0], called, node)
        return handler(machine, *bound.arguments(signature), node)

    return rule


def short_label(function: Any) -> str:
    """A function as people write it."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"np.{owner.__name__}.{function.__name__}"
    name = function.__name__ if isinstance(function, np.ufunc) else label(function)
    return f"np.{name}" if isinstance(function, np.ufunc) and hasattr(np, name) else name.replace("numpy.", "np.", 1)


def wrong_call(machine: Machine, function: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """Arguments that fit no parameters: the function itself says so, before it looks at any of them."""
    from deepalgo.stage.builtin_questions import representative

    try:
        function(*map(representative, args), **{name: representative(item) for name, item in kwargs.items()})
    except TypeError as error:
        raise UserRaise(error, None, machine.span) from None
    except Exception:
        pass
    machine.refuse(f"deepalgo has no rule for this way of calling `{short_label(function)}`", "Call it with fewer options.", node)


def _is_silent(machine: Machine, function: Any, name: str, bound: Bound) -> bool:
    """Whether an option changes no number; how the answer lies in memory is then not known any more."""
    if name == "order" and (function in LAID or isinstance(getattr(function, "__self__", function), np.ufunc)):
        machine.turned = True
        return bound.values.get(name) in ("C", "F", "A", "K")
    return name in SILENT and any(bound.values.get(name) is item for item in SILENT[name])


def _taken_out(bound: Bound) -> Any:
    out = bound.values.pop("out", None)
    return out[0] if isinstance(out, tuple) and len(out) == 1 else out


def _stored(machine: Machine, out: Any, result: Any, called: str, node: ast.AST) -> Any:
    """A result put into an array that was given for it, and that array."""
    from deepalgo.stage.arrays.box import Array, kind_of_array
    from deepalgo.stage.arrays.convert import shape, to_signal
    from deepalgo.stage.arrays.indexing import store

    if not isinstance(out, Array) or shape(machine, out) != shape(machine, result) or kind_of_array(out) != to_signal(machine, result).kind:
        machine.refuse(f"the array given as `out` of {called} is not of the shape and kind of the result", "Leave `out` out.", node)
    store(machine, out, ..., result, node)
    return out


def _converted(machine: Machine, function: Any, signature: Signature, bound: Bound, called: str, node: ast.AST) -> tuple[Args, Kwargs]:
    """The same call without `dtype`, on numbers of that kind."""
    from deepalgo.stage.arrays.box import DTYPES
    from deepalgo.stage.arrays.convert import to_signal

    dtype = np.dtype(bound.values.pop("dtype"))
    if dtype.kind not in "fc" and function not in (np.sum, np.prod, np.cumsum, np.cumprod, np.nansum, np.nanprod):
        machine.refuse(f"`{called}` in whole numbers has no rule", "Leave the option out.", node)
    first, *others = bound.arguments(signature)[0]
    value = to_signal(machine, first)
    if dtype not in DTYPES.values() or (dtype.kind == "b" and value.kind is not Kind.BOOL):
        machine.refuse(f"`{called}` in {dtype} has no rule", "Leave the option out.", node)
    made = HANDLERS[np.asarray](machine, [first], {"dtype": dtype}, node)
    return [made, *others], bound.arguments(signature)[1]


def _besides(machine: Machine, function: Any, bound: Bound, signature: Signature, option: str, called: str, node: ast.AST) -> Any:
    """A call with an option that the rule does not understand: NumPy answers for plain values, a text of ours if it knows the option."""
    from deepalgo.stage.arrays import written

    args, kwargs = bound.arguments(signature)
    if not contains_signal(args) and not contains_signal(kwargs):
        return call_native(machine, function, args, kwargs, node)
    text = TEXTS.get(function)
    if text is not None and written.knows(text, bound):
        return written.apply(machine, text, function, args, kwargs, node)
    machine.refuse(f"the option `{option}` of {called} has no rule here", "Leave the option out.", node)


