"""Heuristics of loops, and what makes derivatives of them with and without segments."""

import math
from functools import partial

from deepalgo.adjoint import SegmentRule, adjoint
from deepalgo.backends.targets import CLEAN, NATIVE, TYPED
from deepalgo.lower.passes import PassSettings, WithRounds, run
from deepalgo.lower.prune import prune

#: Without segments, and with segments everywhere: as short as can be, and such that the last one is hardly ever whole.
PLAIN = SegmentRule(limit=1 << 60)
FORCED = [SegmentRule(limit=0, by_data=True, first=first) for first in (1, 3, 16)]


def derivative(program, rule, rounds=10_000):
    """The derivative of a program as native code has it."""
    passes = (*NATIVE, WithRounds(partial(adjoint, rule=rule)), prune, *CLEAN, *TYPED)
    return run(passes, program, PassSettings(rounds))


def counted(x, w=0.9):
    total = 0.0
    for i in range(23):
        x = math.sin(x) * w + 0.1 * i
        total += x * x
    return total


def arms_and_rounds(x, w=0.9):
    total = 0.0
    for _ in range(13):
        if x > 0.3:
            y = math.exp(-x)
            for k in range(5):
                y = math.sqrt(y * w + k)
            x = y * w - 0.1
        else:
            x = x + w * math.cos(x)
        total += x * x
    return total


def ends_by_data(x, rate=0.7):
    rounds = 0
    while x > 0.1:
        x = x * rate * math.cos(0.1 * x) if rounds < 7 else x - 0.05
        z = x + 1.0
        while z > 0.3:
            z = z * math.exp(-0.3 * z * rate) - 0.01
        x = x - 0.001 * z
        rounds += 1
    return x + rounds


def fails_in_rounds(x, rate=0.97):
    total = 0.0
    for k in range(40):
        while x > 2.0:
            x = math.sqrt(x) * rate + 0.3
        x = x + rate * math.log(x) / (k + 1.0)
        total += x * x
    return total


def carries_arrays(x, w=0.4):
    row = [x, 0.5 * x, 1.0]
    for _ in range(17):
        row = [math.tanh(w * row[0] + row[1]), row[2] * row[0], row[1] - w]
    return row[0] * row[1] + row[2]


def leaves_early(x, w=0.8):
    total = 0.0
    for k in range(200):
        x = x * w + 0.3 * math.sin(x)
        if x < 0.05:
            break
        total += math.sqrt(x) * k
    return total


def saves_nothing(x, w=0.5):
    for _ in range(50):
        x = x + w
    return x


LOOPS = [counted, arms_and_rounds, ends_by_data, fails_in_rounds, carries_arrays, leaves_early]
