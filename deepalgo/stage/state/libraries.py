"""Packages whose functions run as they are, and functions that are refused wherever they are called."""

from __future__ import annotations

import ast
import builtins
import types
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from deepalgo.stage.state.machine import Machine

#: Packages whose functions run as they are on static values, and are refused on Signals unless they have a handler.
NATIVE = frozenset(
    "abc bisect builtins cmath collections copy copyreg dataclasses datetime decimal enum fractions functools heapq inspect itertools "
    "keyword logging math numbers numpy operator re string struct textwrap torch types typing unicodedata warnings weakref "
    "_operator _functools _collections _bisect _heapq _struct _decimal _datetime calendar zoneinfo scipy.special hashlib contextlib".split()
)
#: Those among them whose functions are interpreted where they meet Signals, as far as they are written in Python.
WRITTEN = frozenset({"calendar", "collections", "functools", "numpy"})
#: Functions with an effect or a result that differs from call to call.
REFUSED: dict[str, tuple[str, str]] = {
    "open": ("this opens a file", "Read the data before and pass numbers in."),
    "input": ("this asks the user for input", "Pass the value as an argument."),
    "exec": ("this executes text as code", "Write the code out."),
    "eval": ("this evaluates text as code", "Write the expression out."),
    "compile": ("this compiles text as code", "Write the code out."),
    "globals": ("this looks at the namespace", "Use names."),
    "locals": ("this looks at the namespace", "Use names."),
    "id": ("the identity of an object differs from run to run", "Compare the objects themselves with `is`."),
    "breakpoint": ("this starts a debugger", "Take it out."),
}
RANDOM = frozenset({"random", "_random", "secrets", "uuid"})
EFFECTS = frozenset({"os", "io", "_io", "sys", "time", "socket", "subprocess", "pathlib", "shutil", "urllib", "posix", "threading"})
#: Functions of NumPy and torch that read or write files.
FILES = frozenset("load save savez savez_compressed loadtxt savetxt genfromtxt fromfile memmap".split())


def is_native_module(module: str | None) -> bool:
    """Whether functions of this module run as they are."""
    name = module or ""
    return name in NATIVE or name.partition(".")[0] in NATIVE


def refuse_effects(machine: Machine, function: Any, node: ast.AST) -> None:
    """Refuse functions whose answer is not the same in every call, or that do more than answer."""
    name = getattr(function, "__name__", type(function).__name__)
    module = str(getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__ or "")
    root = module.partition(".")[0]
    if name in REFUSED and function is getattr(builtins, name, None):
        machine.refuse(*REFUSED[name], node)
    if root in RANDOM or module.startswith(("numpy.random", "torch.random")):
        machine.refuse(
            f"`{label(function)}` draws random numbers, so the heuristic has no single answer",
            "Draw the numbers outside and pass them as inputs.",
            node,
        )
    if root in EFFECTS or (root in ("numpy", "torch") and name in FILES):
        machine.refuse(
            f"`{label(function)}` reads or changes the world outside of the function",
            "Do it outside and pass the result as an argument.",
            node,
        )


def refuse_foreign(machine: Machine, function: Any, node: ast.AST) -> None:
    """Refuse functions of packages that nobody has looked at."""
    module = str(getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__ or "")
    known = is_native_module(module) or is_native_module(module.rpartition(".")[0])
    if not known and not isinstance(function, type) and not isinstance(function, types.BuiltinFunctionType):
        machine.refuse(
            f"`{label(function)}` is not written in Python, and deepalgo has no rule for it",
            "Write it out in Python with `math`, or pass its result as an input.",
            node,
        )


def label(function: Any) -> str:
    """A function as people call it."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or type(function).__name__
    module = getattr(function, "__module__", None)
    for place, space in (("numpy", np), ("numpy.linalg", np.linalg)):
        public = vars(space).get(name)
        if public is not None and getattr(public, "_implementation", public) is function:
            return f"{place}.{name}"
    if module in (None, "builtins"):
        return name
    return f"{module if str(module).startswith('__') else str(module).removeprefix('_')}.{name}"


def short_label(function: Any) -> str:
    """A function as people write it."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"np.{owner.__name__}.{function.__name__}"
    name = function.__name__ if isinstance(function, np.ufunc) else label(function)
    return f"np.{name}" if isinstance(function, np.ufunc) and hasattr(np, name) else name.replace("numpy.", "np.", 1)
