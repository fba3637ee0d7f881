"""Lambert's W on the real axis: the steps of `ops/forms/lambert.py`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from deepalgo.backends.native.own_functions import call_own
from deepalgo.backends.native.real_steps import RealSteps
from deepalgo.backends.native.text import Cell

if TYPE_CHECKING:
    from deepalgo.backends.native.numbers import NumberForms

#: 1/e, and what its rounding leaves out.
INVERSE_E, LEFT_OUT = 0.36787944117144233, -1.2428753672788363e-17
#: W in powers of p = sqrt(2 (e x + 1)) about its branch point (Corless et al. 1996, eq. 4.22).
BRANCH = (-1.0, 1.0, -1 / 3, 11 / 72, -43 / 540, 769 / 17280, -221 / 8505, 680863 / 43545600, -1963 / 204120, 226287557 / 37623398400)
ROUNDS = 8


def lambertw(n: NumberForms, x: Cell, branch: int) -> Cell:
    """W of the principal branch (0) or of the one below it (-1); NaN where that is not real."""
    return call_own(n, f"lambertw{-branch}", lambda inner, given: _lambertw(inner, given, branch), x)


def _lambertw(n: NumberForms, x: Cell, branch: int) -> Cell:
    """Halley's method from a start by expansions; next to the branch point the expansion is better than any iteration."""
    s = RealSteps(n)
    distance = s.add(s.add(x, INVERSE_E), LEFT_OUT)
    p = s.sqrt(_at_least(s, s.mul(2 * math.e, distance), 0.0))
    p = p if branch == 0 else s.neg(p)
    near = s.mul(0.0, p)
    for coefficient in reversed(BRANCH):
        near = s.add(s.mul(near, p), coefficient)
    w = _start(s, x, near, branch)
    for _ in range(ROUNDS):
        w = _step(s, w, x)
    w = s.where(s.lt(s.abs(p), 0.02), near, w)
    w = s.where(s.eq(x, math.inf), x, w) if branch == 0 else s.where(s.eq(x, 0.0), -math.inf, w)
    outside = s.either(s.both(s.lt(distance, 0.0), s.ne(x, -INVERSE_E)), s.ne(x, x))
    outside = outside if branch == 0 else s.either(outside, s.gt(x, 0.0))
    return s.where(outside, math.nan, w)


def _start(s: RealSteps, x: Cell, near: Cell, branch: int) -> Cell:
    """A first value within a few per cent."""
    log = _at_most(s, s.n.call("log", _at_least(s, s.abs(x), 5e-324)), 700.0)
    if branch == 0:
        small = s.where(s.lt(x, -0.2), near, s.n.call("log1p", _at_least(s, x, -0.2)))
        return s.where(s.gt(x, 3.0), s.sub(log, s.n.call("log", _at_least(s, log, 1.0))), small)
    return s.where(s.lt(x, -0.2), near, s.sub(log, s.n.call("log", s.neg(_at_most(s, log, -1.0)))))


def _step(s: RealSteps, w: Cell, x: Cell) -> Cell:
    """One step of Halley's method for w - x exp(-w) = 0; a step that leads nowhere is not taken."""
    error = s.sub(w, s.mul(x, s.n.call("exp", s.neg(w))))
    share = s.div(s.mul(s.add(w, 2.0), error), s.add(s.mul(2.0, w), 2.0))
    after = s.sub(w, s.div(error, s.sub(s.add(1.0, w), share)))
    return s.where(s.finite(after), after, w)


def _at_least(s: RealSteps, x: Cell, least: float) -> Cell:
    return s.where(s.lt(x, least), least, x)


def _at_most(s: RealSteps, x: Cell, most: float) -> Cell:
    return s.where(s.gt(x, most), most, x)
