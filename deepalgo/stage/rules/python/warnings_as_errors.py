"""Warnings: they change no answer, unless the user turns them into errors."""

from __future__ import annotations

import ast
import logging
import sys
import warnings
from typing import Any

import numpy as np

from deepalgo.stage.rules.registry import handles
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.static_calls import run_static
from deepalgo.stage.state.values import UserRaise


def enter(machine: Machine, manager: Any) -> None:
    """`with np.errstate(divide="raise")`: NumPy raises inside."""
    if isinstance(manager, np.errstate):
        settings = [getattr(manager, name, None) for name in ("_all", "_divide", "_invalid", "_over")]
        machine.numpy_raises = FloatingPointError if "raise" in settings else None


@handles(warnings.simplefilter, warnings.filterwarnings, options="*")
def _filter(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> None:
    with warnings.catch_warnings():
        run_static(machine, lambda: warnings.filterwarnings(*args, **kwargs) if "message" in kwargs or "module" in kwargs else None)
    action = args[0] if args else kwargs.get("action")
    machine.numpy_raises = RuntimeWarning if action == "error" else None


@handles(np.seterr, options="*")
def _seterr(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> dict[str, str]:
    machine.numpy_raises = FloatingPointError if "raise" in (*args, *kwargs.values()) else None
    with np.errstate():
        before: dict[str, str] = run_static(machine, lambda: np.seterr(*args, **kwargs))
    return before


LOGGING = ("debug", "info", "warning", "warn", "error", "critical", "exception", "log")


def log(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> None:
    """A message to a log changes no answer; the network does not repeat it."""
    machine.note("the message logged here is left out")


for _name in LOGGING:
    handles(getattr(logging, _name), getattr(logging.Logger, _name), options="*")(log)


@handles(print, options="*")
def _print(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> None:
    """What is printed changes no answer; the network does not repeat it."""
    if kwargs.get("file") not in (None, sys.stdout, sys.stderr):
        machine.refuse("this prints into an object of the program", "Print to the screen, or take the `print` out.", node)
    for name in ("sep", "end"):
        if not isinstance(kwargs.get(name), (str, type(None))):
            raise UserRaise(TypeError, f"{name} must be None or a string, not {type(kwargs[name]).__name__}", machine.span)
    machine.note("what is printed here is left out")
