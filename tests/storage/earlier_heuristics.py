"""The functions behind `earlier/`: networks that were saved with format 1, and checkpoints of a fit from then."""

import math

import numpy as np


class Unstable(ArithmeticError):
    """An error of the user's own."""


def settled(error, gain):
    """Python's own arithmetic: a division, a root and an exponential that raise, a loop that data ends."""
    if gain < 0.0:
        raise Unstable(f"gain {gain}")
    rounds = 0
    while abs(error) > 0.01:
        error = error - 0.3 * error / math.sqrt(1.0 + gain)
        rounds += 1
    return math.exp(error) / gain, rounds


def rescued(x):
    """A division by zero that a handler takes, by a class above it."""
    try:
        return 1.0 / x
    except ArithmeticError:
        return 2.5


def shrunk(values, power):
    """NumPy's arithmetic, on arrays and on single numbers, which never raises."""
    total = np.sum(np.log1p(np.abs(values)) * np.array([0.5, 1.5, 2.5]))
    return {"total": total / np.float64(power), "root": np.sqrt(total - 3.0)}
