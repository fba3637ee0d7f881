"""Heuristics of a module, as pickles and other processes find them by name."""

import numpy as np


def line(x):
    return 0.5 * x[0] + 1.5


def score(x):
    return 2.0 * np.sum(x) - 0.25


def friction(reynolds, roughness, laminar=64.0, rough=0.1):
    if reynolds < 2000.0:
        return laminar / reynolds
    return rough * roughness**0.5 + 0.01


def cooling(t, room=20.0, heat=60.0):
    return room + heat * 0.9**t


def both(a, b, scale=2.0):
    return scale * a, a - b


def nearest(x, y):
    return -1.0 * (x - 1.0) ** 2, -1.0 * (y - 1.0) ** 2, -1.0 * (x + y) ** 2


def steep(x, slope=2.0, shift=0.9):
    return slope * x - shift


def mean(*values):
    return sum(values) * 0.3
