"""Rules for compiled functions of SciPy. SciPy itself is never imported here: its functions are known once the user has imported them."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.ops.table import MEANS
from deepalgo.stage.rules.gate import gated
from deepalgo.stage.rules.numpy import elementwise, fourier
from deepalgo.stage.rules.registry import HANDLERS, Handler, handles
from deepalgo.stage.rules.replacements import apply_text
from deepalgo.stage.rules.scipy import root_replacements, special_replacements, splines
from deepalgo.stage.state.array_conversion import call_numpy, is_plain, to_signal, wrap
from deepalgo.stage.state.arrays import Array, read
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.static_values import static_int
from deepalgo.stage.state.values import Known, Signal, StandIn

#: Bessel functions, with the largest order that data may give.
LARGEST = {"jv": 40, "iv": 60, "kv": 60}
#: Searches for a root, which are texts of ours.
ROOTS = {"bisect": root_replacements.bisect, "brentq": root_replacements.brentq}
#: Searches for a minimum, by the module that has them.
MINIMA = {
    "minimize": "_minimize", "minimize_scalar": "_minimize",
    **dict.fromkeys(("brent", "fmin", "fmin_bfgs", "fmin_cg", "fmin_ncg", "fmin_powell", "fminbound", "golden"), "_optimize"),
}
OPTIONS = {"norm": "ord axis keepdims check_finite"} | dict.fromkeys(("solve", "inv", "det", "pinv"), "check_finite") | {
    "logsumexp": "axis b keepdims return_sign"
} | dict.fromkeys(
    ("bisect", "brentq"), "args xtol rtol maxiter full_output disp"
) | dict.fromkeys((*MINIMA, *fourier.NAMES), "*")
LINEAR = {"norm": np.linalg.norm, "solve": np.linalg.solve, "inv": np.linalg.inv, "det": np.linalg.det, "pinv": np.linalg.pinv}


def find(function: Any) -> Handler | None:
    """The rule for a function of SciPy, if there is one."""
    if "scipy" not in sys.modules:
        return None
    rules = _rules(tuple(name in sys.modules for name in ("scipy.special", "scipy.linalg", "scipy.interpolate")))
    rule = rules.get(_key(function))
    return None if rule is None else _gated(function, rule)


@functools.lru_cache(maxsize=1024)
def _gated(function: Any, rule: Handler) -> Handler:
    name = getattr(function, "__name__", "")
    return gated(function, rule, frozenset(OPTIONS.get(name, "").split()) if not isinstance(function, np.ufunc) else frozenset())


def _key(function: Any) -> Any:
    return function if isinstance(function, np.ufunc) else (getattr(function, "__module__", None), getattr(function, "__name__", None))


@functools.lru_cache(maxsize=8)
def _rules(loaded: tuple[bool, ...]) -> dict[Any, Handler]:
    rules: dict[Any, Handler] = {
        (module, name): _linear(HANDLERS[native])
        for name, native in LINEAR.items()
        for module in ("scipy.linalg", "scipy.linalg._misc", "scipy.linalg._basic")
    }
    rules |= {("scipy.optimize._zeros_py", name): _written(name, text) for name, text in ROOTS.items()}
    rules[("scipy.special._logsumexp", "logsumexp")] = _logsumexp
    rules |= {(f"scipy.optimize.{module}", name): _minimum(name) for name, module in MINIMA.items()}
    for module in ("scipy.interpolate._dfitpack", "scipy.interpolate.dfitpack", "dfitpack", None):
        rules |= {(module, "function splev"): splines.splev, (module, "function bispev"): splines.bispev}
    rules |= {("scipy.fft._basic", name): fourier.of_scipy(name) for name in fourier.NAMES}
    if loaded[0]:
        rules |= _special(sys.modules["scipy.special"])
    return rules


def _linear(rule: Handler) -> Handler:
    """A function of scipy.linalg: what is not finite is refused before it is computed with, unless the user says not to look."""

    def handler(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        options = {name: item for name, item in kwargs.items() if name != "check_finite"}
        if kwargs.get("check_finite", True):
            args = [HANDLERS[np.asarray_chkfinite](machine, [item], {}, node) for item in args]
        return rule(machine, args, options, node)

    return handler


def _written(name: str, text: Callable[..., Any]) -> Handler:
    """A function of scipy.optimize that is compiled from a text of ours."""

    def handler(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        return apply_text(machine, text, getattr(sys.modules["scipy.optimize"], name), args, kwargs, node)

    return handler


def _logsumexp(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """A text of ours for real numbers, and SciPy's own for complex ones."""
    native = sys.modules["scipy.special"].logsumexp
    if not contains_signal(args) and not contains_signal(kwargs):
        return machine.call_native(native, args, kwargs, node)
    if any(to_signal(machine, item).kind is Kind.COMPLEX for item in (args[0], kwargs.get("b")) if item is not None):
        return machine.interpret(inspect.unwrap(native), args, kwargs, node, native)
    return apply_text(machine, special_replacements.logsumexp, native, args, kwargs, node)


def _minimum(name: str) -> Handler:
    """Around a minimum values differ in their last digits only, and those decide on the next step."""

    def handler(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        machine.refuse(
            f"`scipy.optimize.{name}` compares values that differ in their last digits only: half of the digits of its answer are chance",
            "Find the zero of the derivative with `scipy.optimize.brentq`, or look for the minimum outside and pass it as an argument.",
            node,
        )

    return handler


@handles(root_replacements.held)
def _held(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return machine.emit("or_inf", to_signal(machine, args[0])) if contains_signal(args) else args[0]


@handles(root_replacements.at_root)
def _at_root(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return machine.emit("at_root", *[to_signal(machine, item) for item in args]) if contains_signal(args) else args[0]


@handles(root_replacements.once_more)
def _once_more(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    function, x, more = args
    machine.heap.open()
    try:
        answer = machine.call(function, [x, *more], {}, node)
        changes = bool(machine.heap.levels[-1].before)
    finally:
        machine.heap.keep()
    if changes:
        machine.refuse("the function whose root is sought changes something outside of it", "Let it only return its value.", node)
    return answer


def _special(module: Any) -> dict[Any, Handler]:
    rules: dict[Any, Handler] = {}
    for dotted, row in MEANS.items():
        native = getattr(module, dotted.removeprefix("scipy.special."), None) if dotted.startswith("scipy.special.") else None
        if isinstance(native, np.ufunc):
            rules[native] = _of_order(row, native) if row in LARGEST else _elementwise(row, native)
    rules[module.kn] = _of_whole_order(module.kn)
    inner = sys.modules.get("scipy.special._ufuncs")
    if inner is not None:
        rules[inner._lambertw] = _lambertw
    return rules


def _elementwise(row: str, native: Any) -> Handler:
    def handler(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        return elementwise.apply(machine, row, native, list(args[: native.nin]))

    return handler


def _of_order(row: str, native: Any) -> Handler:
    """Bessel functions: SciPy takes the order first; here it is fixed."""

    def handler(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        if all(is_plain(machine, item) for item in args):
            return call_numpy(machine, native, *args)
        if _is_data(args[0]):
            return wrap(machine, _of_any_order(machine, row, to_signal(machine, args[0]), to_signal(machine, args[1])))
        order = static_int(machine, args[0], node, "the order of this Bessel function")
        return wrap(machine, machine.emit(row, to_signal(machine, args[1]), order=float(order), flavour="np"))

    return handler


def _is_data(order: Any) -> bool:
    """Whether an order is more than one fixed number."""
    return order.known is None if isinstance(order, Signal) else isinstance(order, (StandIn, np.ndarray, list, tuple))


def _of_any_order(machine: Machine, row: str, order: Signal, x: Signal) -> Signal:
    """A Bessel function whose order data gives; the forms are accurate and quick for orders that are not too large."""
    most = LARGEST[row]
    small = elementwise.emit(machine, "not", elementwise.emit(machine, "gt", elementwise.emit(machine, "abs", order), most))
    for _ in small.shape:
        small = machine.emit("all", small, axis=0)
    machine.check(small, "LargeOrder", f"a Bessel function of an order beyond {most}")
    return elementwise.emit(machine, f"{row}_of", order, x)


def _of_whole_order(native: Any) -> Handler:
    """`kn`, whose order loses its fraction."""

    def handler(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        if all(is_plain(machine, item) for item in args):
            return call_numpy(machine, native, *args)
        order = to_signal(machine, args[0])
        whole = machine.cast(elementwise.emit(machine, "trunc", order), Type(Kind.REAL, order.shape)) if order.kind >= Kind.REAL else order
        return wrap(machine, _of_any_order(machine, "kv", whole, to_signal(machine, args[1])))

    return handler


def _lambertw(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """SciPy answers with a complex number; on the real axis right of -1/e it is real."""
    if is_plain(machine, args[0]):
        return call_numpy(
            machine,
            sys.modules["scipy.special"].lambertw,
            args[0],
            np.asarray(args[1]).item() if isinstance(args[1], np.ndarray) else _branch(machine, args[1]),
        )
    value, branch = to_signal(machine, args[0]), _branch(machine, args[1])
    if branch not in (0, -1) or value.kind is Kind.COMPLEX:
        machine.refuse("this branch of the Lambert function has no rule", "Use the branches 0 and -1 of a real argument.", node)
    real = machine.emit("ge", value, -0.36787944117144233)
    if branch == -1:
        real = machine.emit("and", real, machine.emit("lt", value, 0.0))
    machine.check(real, "ComplexResult", "the Lambert function is complex here")
    result = machine.emit("lambertw", value, branch=branch)
    known: Known | None = None
    return wrap(machine, Signal(machine.cast(result, Type(Kind.COMPLEX, result.shape)).value, "np", result.uniform, known))


def _branch(machine: Machine, value: Any) -> int:
    held = read(machine, value) if isinstance(value, Array) else value
    return int(np.asarray(held).item())
