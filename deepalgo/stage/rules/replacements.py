"""Functions in Python that are compiled in place of a library's, which is written in C or does what cannot be compiled."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from typing import Any

from deepalgo.stage.rules.registry import Args, Kwargs, handles
from deepalgo.stage.rules.signatures import Bound
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.libraries import short_label
from deepalgo.stage.state.machine import Machine

Rule = Callable[..., Any]


def written(native: Any) -> Callable[[Rule], Rule]:
    """Register a text for a function of NumPy; plain values are left to NumPy itself."""

    def enter(rule: Rule) -> Rule:
        def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
            if not contains_signal(args) and not contains_signal(kwargs):
                return machine.call_native(native, args, kwargs, node)
            return apply_text(machine, rule, native, args, kwargs, node)

        handles(native, options=" ".join(_parameters(rule)) + (" *" if _takes_any(rule) else ""))(handler)
        return rule

    return enter


def knows(rule: Rule, bound: Bound) -> bool:
    """Whether a text has parameters for all arguments of a call."""
    return _takes_any(rule) or {*bound.values, *bound.rest} <= _parameters(rule)


def _parameters(rule: Rule) -> set[str]:
    return set(inspect.signature(rule).parameters)


def _takes_any(rule: Rule) -> bool:
    return any(item.kind is item.VAR_KEYWORD for item in inspect.signature(rule).parameters.values())


def apply_text(machine: Machine, rule: Rule, native: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The answer of a rule to a call of the function that it stands for."""
    assert isinstance(rule, types.FunctionType)
    answer = machine.interpret(rule, args, kwargs, node, native)
    if answer is NotImplemented:
        machine.refuse(f"`{short_label(native)}` has no rule for this way of calling it", "Write it out with NumPy's functions.", node)
    return answer
