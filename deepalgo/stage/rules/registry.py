"""The registry of rules: what a function does when it may meet data, by the function object itself."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable
from typing import Any

from deepalgo.stage.state.machine import Machine

Args = list[Any]
Kwargs = dict[str, Any]
Handler = Callable[[Machine, Args, Kwargs, ast.AST], Any]
#: What a function does when it may meet Signals, by the function object itself.
HANDLERS: dict[Any, Handler] = {}
#: Rules that ask a generator for its items one by one, or not at all; all others get its items.
LAZY: set[Any] = {any, all, next, iter, enumerate, map, filter, zip, isinstance, type, callable, hasattr, functools.partial}
#: Rules that take one item after the other into a number: they also take a generator whose length depends on data.
FOLDING: set[Any] = {sum, min, max, functools.reduce}
#: The options that the rule of a function understands.
OPTIONS: dict[Any, frozenset[str]] = {}
#: Functions inside of NumPy's text in place of which a text of ours is interpreted.
REPLACED: dict[types.FunctionType, types.FunctionType] = {}


def handles(*functions: Any, options: str = "") -> Callable[[Handler], Handler]:
    """Register what functions do when they may meet Signals.

    A rule gets by position what a call must give, and by keyword those of the `options` that are not at their defaults. It names the
    options that it understands, `*` for all of them; a call with any other is refused.
    """

    def enter(handler: Handler) -> Handler:
        for function in functions:
            HANDLERS[function], OPTIONS[function] = handler, frozenset(options.split())
        return handler

    return enter


def register(rule: Callable[[Callable[..., Any]], Handler], *functions: Callable[..., Any], options: str = "") -> None:
    """Give functions of one sort the handler that a rule makes for each."""
    for function in functions:
        handles(function, options=options)(rule(function))
