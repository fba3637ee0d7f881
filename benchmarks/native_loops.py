"""The loops of `native_bench.py`, as people write them, with functions that draw samples.

>>> round(newton(2.0), 12)
1.414213562373
>>> dtw([0.0, 1.0, 2.0] * 10, [0.0, 1.0, 1.0] * 10)
10.0
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def pid(target: float, kp: float = 1.2, ki: float = 0.4, kd: float = 0.05, dt: float = 0.01) -> float:
    """A controller with a saturated actuator, 2,000 rounds."""
    y, v, integral, last = 0.0, 0.0, 0.0, target
    for _ in range(2000):
        e = target - y
        integral = min(max(integral + e * dt, -2.0), 2.0)
        u = min(max(kp * e + ki * integral + kd * (e - last) / dt, -5.0), 5.0)
        last = e
        v += dt * (u - 0.8 * v - 0.5 * y)
        y += dt * v
    return y


def shot(angle: float, speed: float = 50.0, drag: float = 0.01) -> float:
    """How far a shot with drag comes until it lands."""
    x, y, vx, vy = 0.0, 0.0, speed * math.cos(angle), speed * math.sin(angle)
    while y >= 0.0:
        pull = drag * math.sqrt(vx * vx + vy * vy)
        vx, vy = vx - 0.01 * pull * vx, vy - 0.01 * (9.81 + pull * vy)
        x, y = x + 0.01 * vx, y + 0.01 * vy
    return x


def lotka_volterra(a: float, b: float = 0.4, c: float = 0.3, d: float = 0.1, h: float = 0.01) -> float:
    """Prey and predators, 1,000 steps of Runge and Kutta."""
    x, y = 1.0, 0.5
    for _ in range(1000):
        k1, l1 = a * x - b * x * y, c * x * y - d * y
        p, q = x + h / 2 * k1, y + h / 2 * l1
        k2, l2 = a * p - b * p * q, c * p * q - d * q
        p, q = x + h / 2 * k2, y + h / 2 * l2
        k3, l3 = a * p - b * p * q, c * p * q - d * q
        p, q = x + h * k3, y + h * l3
        k4, l4 = a * p - b * p * q, c * p * q - d * q
        x, y = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), y + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return x + y


def kalman(measured: Sequence[float], drift: float = 0.05, noise: float = 0.3, dt: float = 0.1) -> tuple[float, float, float]:
    """Place and speed behind 500 noisy places, and the mean square of the surprises."""
    x, v, error = 0.0, 0.0, 0.0
    p, q, r = 1.0, 0.0, 1.0
    for k in range(500):
        x = x + dt * v
        p, q, r = p + dt * (2.0 * q + dt * r) + drift * dt**3 / 3.0, q + dt * r + drift * dt**2 / 2.0, r + drift * dt
        gain, rate = p / (p + noise), q / (p + noise)
        surprise = measured[k] - x
        x, v, error = x + gain * surprise, v + rate * surprise, error + surprise * surprise
        p, q, r = (1.0 - gain) * p, (1.0 - gain) * q, r - rate * q
    return x, v, error / 500.0


def newton(a: float, tolerance: float = 1e-12) -> float:
    """A square root."""
    x = a
    while abs(x * x - a) > tolerance * a:
        x = 0.5 * (x + a / x)
    return x


def dtw(first: Sequence[float], second: Sequence[float], skip: float = 0.0) -> float:
    """Dynamic time warping of two series of 30 numbers; each step that is no step in both costs `skip` more."""
    above = [0.0] + [1e9] * 30
    for i in range(30):
        row = [1e9] * 31
        for j in range(30):
            row[j + 1] = abs(first[i] - second[j]) + min(above[j], min(above[j + 1], row[j]) + skip)
        above = row
    return above[30]


def sixty(x: float, gain: float = 0.1, limit: float = 5.0) -> float:
    """A loop of sixty rounds, for the latency of one call."""
    y, v = 0.0, 0.0
    for _ in range(60):
        v += gain * (min(x - y, limit) - 0.5 * v)
        y += gain * v
    return y


def uniform(low: float, high: float, count: int) -> list[Array]:
    """One column of numbers."""
    return [np.random.default_rng(0).uniform(low, high, count)]


def tracks(count: int) -> list[Array]:
    """Walks of 500 steps, with noise."""
    random = np.random.default_rng(0)
    return [np.cumsum(0.1 * random.normal(size=(count, 500)), axis=1) + 0.3 * random.normal(size=(count, 500))]


def series(count: int) -> list[Array]:
    """Two walks of 30 steps."""
    random = np.random.default_rng(0)
    return [np.cumsum(random.normal(size=(count, 30)), axis=1) for _ in range(2)]
