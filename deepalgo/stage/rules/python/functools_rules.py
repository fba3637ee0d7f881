"""Rules for functions of `functools` and `math` that are compiled from `functools_replacements`."""

from __future__ import annotations

import ast
import functools
import math
import operator
from typing import Any

from deepalgo.ir import Kind
from deepalgo.stage.rules.python import functools_replacements
from deepalgo.stage.rules.registry import HANDLERS, Args, Handler, Kwargs, handles
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import BoundMethod, Closure, Partial, Signal, UserRaise

#: The code of every function that `functools.singledispatch` makes.
DISPATCHING = functools.singledispatch(abs).__code__  # type: ignore[attr-defined]  # it is a function


@handles(functools.cmp_to_key)
def _cmp_to_key(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return Partial(functools_replacements.Key, (args[0],), {})


@handles(functools.wraps, options="assigned updated")
def _wraps(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return Partial(functools.update_wrapper, (), {"wrapped": args[0], **kwargs})


@handles(functools.update_wrapper, options="")
def _update_wrapper(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The names and the doc of the wrapped function; what was set as its attributes comes along."""
    wrapper, wrapped = args
    if not isinstance(wrapper, Closure):
        return machine.call_native(functools.update_wrapper, args, kwargs, node)
    if isinstance(wrapped, Closure):
        wrapper.attributes.update({"__name__": wrapped.name, **wrapped.attributes})
    else:
        held: dict[str, Any] = {name: getattr(wrapped, name) for name in functools.WRAPPER_ASSIGNMENTS if hasattr(wrapped, name)}
        wrapper.attributes.update({**held, **getattr(wrapped, "__dict__", {})})
    wrapper.attributes["__wrapped__"] = wrapped
    return wrapper


@handles(functools.singledispatch)
def _singledispatch(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if not isinstance(args[0], Closure):
        return machine.call_native(functools.singledispatch, args, kwargs, node)
    return machine.call(functools_replacements.Dispatched, args, kwargs, node)


def dispatched(machine: Machine, function: Any, args: Args, node: ast.AST) -> Any:
    """The function that `functools.singledispatch` has registered for the class of the first argument; None for other functions."""
    if function.__code__ is not DISPATCHING or not args:
        return None
    return function.dispatch(HANDLERS[type](machine, [args[0]], {}, node))


@handles(functools_replacements.Dispatched.register, options="function")
def _register(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """`@f.register(list)`, or `@f.register` of a function whose first argument says its class."""
    owner, cls, *others = [*args, *kwargs.values()]
    if isinstance(cls, Closure):
        first = next(iter([*cls.node.args.posonlyargs, *cls.node.args.args]), None)
        if first is None or first.annotation is None:
            machine.refuse("this `register` names no class", "Write `@f.register(list)`.", node)
        cls, others = machine.evaluate(first.annotation), [cls]
    if not isinstance(cls, type) or type(cls) is not type:
        machine.refuse("`functools.singledispatch` has a rule for plain classes only", "Ask with `isinstance`.", node)
    if not others:
        return Partial(BoundMethod(functools_replacements.Dispatched.register, owner), (cls,), {})
    return machine.interpret(functools_replacements.Dispatched.register, [owner, cls, *others], {}, node, functools.singledispatch)


@handles(operator.abs)
def _abs(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    rule = machine.find_rule(abs)
    assert rule is not None
    return rule(machine, args, {}, node)


def _whole(native: Any, text: Any) -> Handler:
    """A function of whole numbers, by a text that loops over them."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        given = [*args, *kwargs.values()]
        if not contains_signal(given):
            return machine.call_native(native, args, kwargs, node)
        for item in given:
            if isinstance(item, Signal) and item.kind > Kind.INT:
                raise UserRaise(TypeError, f"'{_name(item)}' object cannot be interpreted as an integer", machine.span)
        return machine.interpret(text, args, kwargs, node, native)

    return handler


def _name(value: Signal) -> str:
    name = "complex" if value.kind is Kind.COMPLEX else "float"
    return name if value.flavour == "py" else f"numpy.{name}{128 if name == 'complex' else 64}"


for _native in (math.gcd, math.lcm, math.isqrt, math.factorial, math.comb, math.perm):
    handles(_native, options="*")(_whole(_native, getattr(functools_replacements, _native.__name__)))
