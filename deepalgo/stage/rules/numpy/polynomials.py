"""Polynomials as objects: `np.poly1d` and the series of `numpy.polynomial` are compiled from NumPy's own text of their classes.

NumPy leaves out leading coefficients that are 0, so that data could decide how many there are. A weight that is not 0 as it was written
counts as not 0, and where data makes a leading coefficient 0 the network stops. The texts below keep to the terms of `replacements`.
"""

from __future__ import annotations

import ast
import types
from typing import Any

import numpy as np
from numpy.polynomial import polyutils

from deepalgo.stage.rules.registry import REPLACED, Args, Kwargs, handles
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Signal


def leads(coefficient: Any) -> bool:
    """Whether a leading coefficient stays: it is not 0."""
    return bool(coefficient != 0)


@handles(leads)
def _leads(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    value = args[0]
    if not isinstance(value, Signal):
        return leads(value)
    if value.known is None:
        there = machine.emit("ne", value, 0)
        machine.check(there, "ShorterArray", "a polynomial whose leading coefficient is 0")
        return True
    return leads(value.known.value) or leads(machine.demand(value, "how many coefficients a polynomial has is needed at compile time"))


def _init(self: Any, c_or_r: Any, r: bool = False, variable: Any = None) -> None:
    """`np.poly1d(...)`, from coefficients, another polynomial or roots."""
    if isinstance(c_or_r, np.poly1d):
        self.__dict__["coeffs"] = c_or_r.coeffs
        self._variable = c_or_r.variable if variable is None else variable
        return
    if r:
        c_or_r = np.poly(c_or_r)
    c_or_r = np.atleast_1d(c_or_r)
    if c_or_r.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    first = 0
    while first < len(c_or_r) and not leads(c_or_r[first]):
        first += 1
    self.__dict__["coeffs"] = c_or_r[first:] if first < len(c_or_r) else np.array([0], dtype=c_or_r.dtype)
    self._variable = "x" if variable is None else variable


def _integral(p: Any, m: int = 1, k: Any = None) -> Any:
    """`np.polyint`: coefficients divided by their powers, and the constants of integration."""
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = np.zeros(m) if k is None else np.atleast_1d(k)
    if len(constants) == 1 and m > 1:
        constants = constants[0] * np.ones(m)
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    found = np.asarray(p)
    for place in range(m):
        found = np.concatenate((found / np.arange(len(found), 0, -1), [constants[place]]))
    return np.poly1d(found) if isinstance(p, np.poly1d) else found


def _trimmed(seq: Any) -> Any:
    """Coefficients without those behind the last that is not 0; the first stays."""
    last = len(seq)
    while last > 1 and not leads(seq[last - 1]):
        last -= 1
    return seq if last == len(seq) else seq[:last]


def _series(alist: Any, trim: bool = True) -> Any:
    """Copies of coefficients as arrays of one kind."""
    arrays = [np.array(item, ndmin=1) for item in alist]
    for item in arrays:
        if item.size == 0:
            raise ValueError("Coefficient array is empty")
        if item.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
    if trim:
        arrays = [_trimmed(item) for item in arrays]
    kind = complex if any(np.iscomplexobj(item) for item in arrays) else float
    return [np.array(item, dtype=kind) for item in arrays]


def _replace(native: Any, text: Any) -> None:
    implementation = getattr(native, "_implementation", native)
    assert isinstance(implementation, types.FunctionType)
    REPLACED[implementation] = text


_replace(np.poly1d.__init__, _init)
_replace(np.polyint, _integral)
_replace(polyutils.trimseq, _trimmed)
_replace(polyutils.as_series, _series)
