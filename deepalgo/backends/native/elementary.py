"""Functions of NumPy and SciPy that are made of a few others, step by step as these make them."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from deepalgo.backends.native.real_steps import RealSteps
from deepalgo.backends.native.text import Cell

if TYPE_CHECKING:
    from deepalgo.backends.native.numbers import NumberForms


def logaddexp(n: NumberForms, x: Cell, y: Cell) -> Cell:
    """`np.logaddexp`; equal infinities have no difference."""
    s = RealSteps(n)
    less = s.neg(s.abs(s.sub(x, y)))
    larger = s.where(s.gt(s.sub(x, y), 0.0), x, y)
    found = s.add(larger, n.call("log1p", n.call("exp", less)))
    found = s.where(s.ne(less, less), less, found)
    return s.where(s.eq(x, y), s.add(x, math.log(2.0)), found)


def sinc(n: NumberForms, x: Cell) -> Cell:
    """`np.sinc`."""
    s = RealSteps(n)
    angle = s.mul(math.pi, x)
    angle = s.where(s.eq(angle, 0.0), sys.float_info.epsilon, angle)
    return s.div(n.call("sin", angle), angle)


def comb(n: NumberForms, x: Cell, y: Cell) -> Cell:
    """`scipy.special.comb`: 0 where there is no way to choose."""
    s = RealSteps(n)
    possible = s.both(s.both(s.le(y, x), s.ge(x, 0.0)), s.ge(y, 0.0))
    return s.where(possible, n.apply("binom", (x, y)), 0.0)
