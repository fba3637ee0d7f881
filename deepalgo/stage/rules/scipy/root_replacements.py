"""SciPy's root finders on an interval, which are written in C: the same steps in Python, compiled as the user's code is.

What is not a whole number would become a weight of the heuristic, so the defaults are fractions of whole ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[..., Any]


def held(root: Any) -> Any:
    """The root, as a number that depends on nothing."""
    return root


def at_root(root: Any, residual: Any, slope: Any) -> Any:
    """The root; its derivative is that of the equation, not that of the steps."""
    return root


def once_more(f: Function, x: Any, args: tuple[Any, ...]) -> Any:
    """A value of the function that SciPy does not ask for: it must change nothing else."""
    return f(x, *args)


def bisect(
    f: Function, a: Any, b: Any, args: Any = (), xtol: Any = None, rtol: Any = None, maxiter: int = 100,
    full_output: bool = False, disp: bool = True,
) -> Any:
    """`scipy.optimize.bisect`."""
    return _searched(_bisect, f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def _bisect(f: Function, left: Any, right: Any, args: Any, xtol: Any, rtol: Any, maxiter: int, disp: bool) -> Any:
    """Halve the interval until it is short: scipy/optimize/Zeros/bisect.c."""
    first, last = _value(f, left, args), _value(f, right, args)
    if first == 0:
        return left
    if last == 0:
        return right
    if np.signbit(first) == np.signbit(last):
        raise ValueError("f(a) and f(b) must have different signs")
    step = right - left
    for _ in range(maxiter):
        step = step / 2
        middle = left + step
        value = _value(f, middle, args)
        if np.signbit(value) == np.signbit(first):
            left = middle
        if value == 0 or abs(step) < xtol + rtol * abs(middle):
            return middle
    if disp:
        raise RuntimeError(f"Failed to converge after {maxiter} iterations.")
    return left


def brentq(
    f: Function, a: Any, b: Any, args: Any = (), xtol: Any = None, rtol: Any = None, maxiter: int = 100,
    full_output: bool = False, disp: bool = True,
) -> Any:
    """`scipy.optimize.brentq`."""
    return _searched(_brentq, f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def _brentq(f: Function, before: Any, now: Any, args: Any, xtol: Any, rtol: Any, maxiter: int, disp: bool) -> Any:
    """Interpolate inversely by a quadratic, or halve the interval where that is no good step: scipy/optimize/Zeros/brentq.c."""
    value_before, value = _value(f, before, args), _value(f, now, args)
    if value_before == 0:
        return before
    if value == 0:
        return now
    if np.signbit(value_before) == np.signbit(value):
        raise ValueError("f(a) and f(b) must have different signs")
    other, value_other = before, value_before
    step_before = step = now - before
    for _ in range(maxiter):
        if value_before != 0 and value != 0 and np.signbit(value_before) != np.signbit(value):
            other, value_other = before, value_before
            step_before = step = now - before
        if abs(value_other) < abs(value):
            before, now, other = now, other, now
            value_before, value, value_other = value, value_other, value
        least = (xtol + rtol * abs(now)) / 2
        half = (other - now) / 2
        if value == 0 or abs(half) < least:
            return now
        if abs(step_before) > least and abs(value) < abs(value_before):
            if before == other:
                tried = _quotient(-value * (now - before), value - value_before)
            else:
                slope = _quotient(value_before - value, before - now)
                slope_other = _quotient(value_other - value, other - now)
                above = -value * (value_other * slope_other - value_before * slope)
                tried = _quotient(above, slope_other * slope * (value_other - value_before))
            if 2 * abs(tried) < min(abs(step_before), 3 * abs(half) - least):
                step_before, step = step, tried
            else:
                step_before = step = half
        else:
            step_before = step = half
        before, value_before = now, value
        if abs(step) > least:
            now = now + step
        elif half > 0:
            now = now + least
        else:
            now = now - least
        value = _value(f, now, args)
    if disp:
        raise RuntimeError(f"Failed to converge after {maxiter} iterations.")
    return now


def _searched(
    search: Function, f: Function, a: Any, b: Any, args: Any, xtol: Any, rtol: Any, maxiter: int, full_output: bool, disp: bool
) -> Any:
    """The root that a search finds between two points."""
    if full_output or not all(isinstance(item, int) for item in (maxiter, full_output, disp)):
        return NotImplemented
    args, xtol, rtol = _settings(args, xtol, rtol, maxiter)
    return _answer(f, search(f, float(a), float(b), args, xtol, rtol, maxiter, disp), args, a, b)


def _settings(args: Any, xtol: Any, rtol: Any, maxiter: int) -> tuple[Any, Any, Any]:
    if not isinstance(args, tuple):
        args = (args,)
    least = 1 / 2**50
    xtol = 2 / 10**12 if xtol is None else xtol
    rtol = least if rtol is None else rtol
    if xtol <= 0:
        raise ValueError(f"xtol too small ({xtol:g} <= 0)")
    if rtol < least:
        raise ValueError(f"rtol too small ({rtol:g} < {least:g})")
    if maxiter < 0:
        raise ValueError("maxiter must be >= 0")
    return args, xtol, rtol


def _value(f: Function, x: Any, args: tuple[Any, ...]) -> Any:
    value = f(x, *args)
    if np.isnan(value):
        raise ValueError(f"The function value at x={x} is NaN; solver cannot continue.")
    return float(value)


def _quotient(above: Any, below: Any) -> Any:
    """As C divides: by zero, too."""
    return float(np.divide(above, below))


def _answer(f: Function, root: Any, args: tuple[Any, ...], a: Any, b: Any) -> Any:
    """The root with the derivative of the equation; its slope is a central difference inside of the interval."""
    here = held(root)
    low, high = held(min(float(a), float(b))), held(max(float(a), float(b)))
    width = max(abs(here), (high - low) / 1024) / 2**17
    left, right = max(here - width, low), min(here + width, high)
    try:
        residual = float(once_more(f, here, args))
        slope = _quotient(float(once_more(f, right, args)) - float(once_more(f, left, args)), right - left)
    except Exception:  # only the derivative asks for these values
        return at_root(root, root, math.nan)
    return at_root(root, residual, slope)
