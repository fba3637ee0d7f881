"""Bind the arguments of a call to the parameters of the real function before its rule runs; an option without a rule is refused by name."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.ir import Kind
from deepalgo.stage.rules.numpy.indexing import store
from deepalgo.stage.rules.registry import HANDLERS, OPTIONS, Args, Handler, Kwargs
from deepalgo.stage.rules.replacements import apply_text, knows
from deepalgo.stage.rules.signatures import Bound, RuleSignature, WrongCall, bind, signature_of
from deepalgo.stage.state.array_conversion import shape, to_signal
from deepalgo.stage.state.arrays import DTYPES, Array, kind_of_array
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.libraries import short_label
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.representatives import representative
from deepalgo.stage.state.values import DataLength, UserRaise

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


def gate(signature: RuleSignature, function: Any, handler: Handler, options: frozenset[str], called: str) -> Handler:
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


def wrong_call(machine: Machine, function: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """Arguments that fit no parameters: the function itself says so, before it looks at any of them."""
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
    if not isinstance(out, Array) or shape(machine, out) != shape(machine, result) or kind_of_array(out) != to_signal(machine, result).kind:
        machine.refuse(f"the array given as `out` of {called} is not of the shape and kind of the result", "Leave `out` out.", node)
    store(machine, out, ..., result, node)
    return out


def _converted(
    machine: Machine, function: Any, signature: RuleSignature, bound: Bound, called: str, node: ast.AST
) -> tuple[Args, Kwargs]:
    """The same call without `dtype`, on numbers of that kind."""
    dtype = np.dtype(bound.values.pop("dtype"))
    if dtype.kind not in "fc" and function not in (np.sum, np.prod, np.cumsum, np.cumprod, np.nansum, np.nanprod):
        machine.refuse(f"`{called}` in whole numbers has no rule", "Leave the option out.", node)
    first, *others = bound.arguments(signature)[0]
    value = to_signal(machine, first)
    if dtype not in DTYPES.values() or (dtype.kind == "b" and value.kind is not Kind.BOOL):
        machine.refuse(f"`{called}` in {dtype} has no rule", "Leave the option out.", node)
    made = HANDLERS[np.asarray](machine, [first], {"dtype": dtype}, node)
    return [made, *others], bound.arguments(signature)[1]


def _besides(
    machine: Machine, function: Any, bound: Bound, signature: RuleSignature, option: str, called: str, node: ast.AST
) -> Any:
    """A call with an option that the rule does not understand: NumPy answers for plain values, a text of ours if it knows the option."""
    args, kwargs = bound.arguments(signature)
    if not contains_signal(args) and not contains_signal(kwargs):
        return machine.call_native(function, args, kwargs, node)
    text = TEXTS.get(function)
    if text is not None and knows(text, bound):
        return apply_text(machine, text, function, args, kwargs, node)
    machine.refuse(f"the option `{option}` of {called} has no rule here", "Leave the option out.", node)


@functools.lru_cache(maxsize=4096)
def rule_of(function: Any) -> Handler:
    """The rule of a function that has one, behind the gate that finds the parameters of its arguments."""
    return gated(function, HANDLERS[function], OPTIONS.get(function, frozenset()))
