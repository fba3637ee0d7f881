"""Sums of two floats, the second of which is what rounding lost of the first: twice the bits."""

from __future__ import annotations

from typing import TypeAlias

from deepalgo.backends.native.mathematics.form_writer import FormValue, FormWriter, Operand

Pair: TypeAlias = tuple[FormValue, FormValue]


def ordered_sum(a: Operand, b: FormValue) -> Pair:
    """A sum without loss, if the first is not smaller or zero (Dekker)."""
    total = a + b
    return total, b - (total - a)


def sum_of(a: Operand, b: FormValue) -> Pair:
    """A sum without loss (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def product(w: FormWriter, a: FormValue, b: Operand) -> Pair:
    """A product without loss."""
    rounded = a * b
    return rounded, w.fma(a, b, -rounded)


def quotient(w: FormWriter, above: Pair, below: Pair) -> Pair:
    """A quotient, and what it lacks."""
    inverse = 1.0 / below[0]
    rounded = above[0] * inverse
    return rounded, inverse * (w.fma(-rounded, below[0], above[0]) + w.fma(-rounded, below[1], above[1]))


def root(w: FormWriter, square: Pair) -> Pair:
    """A square root, and what it lacks; the square is not zero."""
    rounded = w.sqrt(square[0])
    return rounded, (w.fma(-rounded, rounded, square[0]) + square[1]) / (rounded + rounded)
