"""Native code beside a Python loop and the torch backend: `python -m benchmarks.native_bench`.

Loops and formulas on one thread, in processor time; the Python loop runs on some of the samples and is scaled, and so is torch
on long loops (200 samples). Ratios are against Python.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import deepalgo as da


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
    """A shot with drag, until it lands."""
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


def newton(a: float, tolerance: float = 1e-12) -> float:
    """A square root."""
    x = a
    while abs(x * x - a) > tolerance * a:
        x = 0.5 * (x + a / x)
    return x


def friction(reynolds: float, roughness: float = 1e-4) -> float:
    """Haaland's friction factor, with the laminar branch."""
    if reynolds < 2300.0:
        return 64.0 / reynolds
    return (-1.8 * math.log10((roughness / 3.7) ** 1.11 + 6.9 / reynolds)) ** -2


def dew_point(temperature: float, a: float = 17.27, b: float = 237.7) -> float:
    """Magnus's formula at half the saturation."""
    ratio = math.log(0.5) + a * temperature / (b + temperature)
    return b * ratio / (a - ratio)


@dataclass(frozen=True, slots=True)
class Job:
    """A function, the range of its argument, and how many samples the Python loop runs on."""

    function: Callable[..., float]
    low: float
    high: float
    alone: int


JOBS = (
    Job(pid, 0.1, 3.0, 20), Job(shot, 0.2, 1.3, 20), Job(lotka_volterra, 0.3, 0.9, 20), Job(newton, 0.5, 100.0, 2000),
    Job(friction, 500.0, 1e6, 5000), Job(dew_point, -20.0, 40.0, 5000),
)


def seconds(work: Callable[[], Any], least: float = 0.2) -> float:
    """Processor time of one call, the best of several."""
    best, total = math.inf, 0.0
    while total < least:
        start = time.process_time()
        work()
        taken = time.process_time() - start
        best, total = min(best, taken), total + max(taken, 1e-4)
    return best


def measure(job: Job, count: int, slow: bool) -> list[str]:
    """One row of the table."""
    xs = np.random.default_rng(0).uniform(job.low, job.high, count)
    few = xs[: job.alone].tolist()
    python = seconds(lambda: [job.function(x) for x in few]) / job.alone * count
    row = [job.function.__name__, f"{1e6 * python / count:.2f}"]
    for backend in ("native", "torch"):
        size = count if backend == "native" or slow or job.alone > 1000 else min(count, 200)
        net = da.compile(job.function, backend=backend)
        tensor = torch.tensor(xs[:size], requires_grad=True)

        def forward(net: Any = net, tensor: torch.Tensor = tensor) -> None:
            with torch.no_grad():
                net(tensor)

        def gradient(net: Any = net, tensor: torch.Tensor = tensor) -> None:
            net(tensor).sum().backward()

        forward(), gradient()
        scale = count / size
        row += [f"{python / (seconds(work) * scale):.1f}" for work in (forward, gradient)]
    return row


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--slow", action="store_true", help="the torch backend runs long loops on all samples, too, not on 200")
    given = parser.parse_args()
    torch.set_num_threads(1)
    table = Table(title=f"{given.samples} samples: how many times faster than a Python loop")
    for column in ("function", "Python, µs a sample", "native", "native, gradient", "torch", "torch, gradient"):
        table.add_column(column, justify="left" if column == "function" else "right")
    for job in JOBS:
        table.add_row(*measure(job, given.samples, given.slow))
    Console().print(table)


if __name__ == "__main__":
    main()
