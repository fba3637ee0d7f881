"""Functions that are not written in Python, or not worth interpreting: what each does to Signals, and which may run as they are."""

from __future__ import annotations

import ast
import builtins
import functools
import types
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.stage import container_methods
from deepalgo.stage.machine import Machine
from deepalgo.stage.values import POLYNOMIALS, BoundMethod, Closure, DataLength, Generator, Partial, Signal, StandIn, Text, Union

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

#: Packages whose functions run as they are on static values, and are refused on Signals unless they have a handler.
NATIVE = frozenset(
    "abc bisect builtins cmath collections copy copyreg dataclasses datetime decimal enum fractions functools heapq inspect itertools "
    "keyword logging math numbers numpy operator re string struct textwrap torch types typing unicodedata warnings weakref "
    "_operator _functools _collections _bisect _heapq _struct _decimal _datetime calendar zoneinfo scipy.special hashlib contextlib".split()
)
#: Those among them whose functions are interpreted where they meet Signals, as far as they are written in Python.
WRITTEN = frozenset({"calendar", "collections", "functools", "numpy"})
#: Functions inside of NumPy's text in place of which a text of ours is interpreted.
REPLACED: dict[types.FunctionType, types.FunctionType] = {}
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


#: Stand-ins for which the refusal says more.
DATA = (Signal, Union, Text, Closure, DataLength)
#: Methods that were taken from their class.
UNBOUND = (types.MethodDescriptorType, types.WrapperDescriptorType)
#: Methods that move items and look at their first argument: a place or a key.
FIRST = frozenset({"insert", "pop", "get", "setdefault"})


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


def find(function: Any) -> Handler | None:
    """The handler of a function, if it has one."""
    from deepalgo.stage import (  # noqa: F401 - they register themselves
        builtin_containers,
        builtin_numbers,
        builtin_questions,
        caching,
        collection_rules,
        complex_mathematics,
        dataclass_functions,
        function_rules,
        heaps,
        itertools_rules,
        mathematics,
        meant,
        operator_functions,
        ordering,
        scipy_rules,
        sifting,
        silence,
        sums,
    )
    from deepalgo.stage.arrays import (  # noqa: F401
        constructors,
        counting,
        elementwise,
        fourier,
        joining,
        kinds,
        layout,
        linear,
        masked,
        polynomials,
        reductions,
        rows,
        ufunc_methods,
        vectorizing,
        written,
        written_options,
    )

    try:
        return rule_of(function) if function in HANDLERS else scipy_rules.find(function) or meant.find(function)
    except TypeError:  # not hashable
        return None


@functools.lru_cache(maxsize=4096)
def rule_of(function: Any) -> Handler:
    """The rule of a function that has one, behind the gate that finds the parameters of its arguments."""
    from deepalgo.stage.gate import gated

    return gated(function, HANDLERS[function], OPTIONS.get(function, frozenset()))


def is_native_module(module: str | None) -> bool:
    """Whether functions of this module run as they are."""
    name = module or ""
    return name in NATIVE or name.partition(".")[0] in NATIVE


def is_written(function: types.FunctionType, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a function that has no rule meets data, and its text may be interpreted."""
    if any(type(item) in POLYNOMIALS and contains_signal(item) for item in args):
        return True
    return function.__module__.partition(".")[0] in WRITTEN and (contains_signal(args) or contains_signal(kwargs))


def call_native(machine: Machine, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """Run a function as it is, if that is safe; refuse with the reason if it is not."""
    from deepalgo.stage.arrays.box import Array
    from deepalgo.stage.native_run import run
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", type(function).__name__)
    looked_at = (args[:1] if name in FIRST else []) if name in container_methods.MOVING else args
    if any(isinstance(item, Union) for item in looked_at):
        from deepalgo.stage.unions import distribute_first

        rest = args[len(looked_at) :]
        return distribute_first(machine, looked_at, lambda cases: call_native(machine, function, [*cases, *rest], kwargs, node), node)
    if isinstance(function, UNBOUND) and args and _is_of(args[0], function.__objclass__):
        return _call_unbound(machine, function, args, kwargs, node)
    if isinstance(owner, container_methods.OWNERS):
        return container_methods.call_method(machine, function, owner, name, args, kwargs, node)
    machine.refuse_stand_in(node, *(item for item in args if isinstance(item, StandIn) and not isinstance(item, (Array, list, *DATA))))
    refuse_effects(machine, function, node)
    _refuse_foreign(machine, function, node)
    args = taken(machine, args, node)
    if contains_signal(args) or contains_signal(kwargs) or contains_signal(owner):
        machine.refuse(
            f"`{label(function)}` is not written in Python, and deepalgo has no rule for it on data",
            "Write it out in Python with `math`, or pass its result as an input.",
            node,
        )
    return run(machine, function, args, kwargs, node)


def taken(machine: Machine, args: list[Any], node: ast.AST) -> list[Any]:
    """Arguments of native code, which takes all items of a generator at once."""
    from deepalgo.stage.iteration import iterate

    return [iterate(machine, item, node) if isinstance(item, Generator) else item for item in args]


def _is_of(value: Any, cls: type) -> bool:
    from deepalgo.stage.arrays.box import Array

    return isinstance(value, (*container_methods.OWNERS, Array)) and (isinstance(value, cls) or cls is np.ndarray)


def _call_unbound(machine: Machine, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """`list.append(items, 5)` is `items.append(5)`, whatever a subclass may have made of `append`."""
    from deepalgo.stage.arrays.box import Array
    from deepalgo.stage.attributes import get_attribute
    from deepalgo.stage.calls import call

    owner, *others = args
    bound = get_attribute(machine, owner, function.__name__, node) if isinstance(owner, Array) else function.__get__(owner)
    return call(machine, bound, others, kwargs, node)


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


def _refuse_foreign(machine: Machine, function: Any, node: ast.AST) -> None:
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


def contains_signal(value: Any, depth: int = 6) -> bool:
    """Whether data, or a function of the interpreter, hides anywhere in a value."""
    from deepalgo.stage.arrays.box import Array, is_chosen, root_of

    if isinstance(value, (Signal, Union, Text, Closure, DataLength, Partial, BoundMethod)):
        return True
    if isinstance(value, Array):
        return is_chosen(value) or isinstance(root_of(value).held, Signal)
    if depth == 0:
        return False
    if type(value) in POLYNOMIALS:
        return any(isinstance(item, Array) for item in vars(value).values())  # those from outside hold arrays of NumPy's
    if isinstance(value, BaseException):
        return contains_signal(value.args, depth - 1) or contains_signal(vars(value), depth - 1)
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return any(contains_signal(item, depth - 1) for item in value)
    if isinstance(value, dict):
        return any(contains_signal(item, depth - 1) for item in value.values())
    return type(value).__module__ not in ("builtins", "numpy") and hasattr(value, "__dict__") and not isinstance(
        value, (type, types.ModuleType, types.FunctionType)
    ) and any(contains_signal(item, depth - 1) for item in vars(value).values())
