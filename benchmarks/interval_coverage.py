"""How often 95 % intervals cover the truth: `python -m benchmarks.interval_coverage`.

Data are simulated from a model with known constants and normal noise, the model is fitted to all of them from other constants, and for
each weight it is counted how often the interval of the report holds the constant that made the data. Every repeat has a seed of its own,
so that the figures are the same in every run; chance alone lets 1,000 repeats differ from 95 % by 0.7 (one standard error).
`--method profile` and `--method bootstrap` count these intervals.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

import deepalgo as da


def line(x, slope=1.0, start=0.0):
    """A linear model: the intervals are exact."""
    return slope * x + start


def decay(x, top=2.0, rate=0.5, base=0.3):
    """An exponential with a base."""
    return top * math.exp(-rate * x) + base


def saturation(x, most=4.0, half=2.0):
    """Michaelis and Menten."""
    return most * x / (half + x)


def growth(x, most=8.0, shift=3.0, rate=1.0):
    """A logistic curve."""
    return most / (1.0 + math.exp(shift - rate * x))


def power(x, factor=1.0, exponent=0.5):
    """A power law."""
    return factor * (x + 1.0) ** exponent


def wave(x, size=1.0, speed=2.0, phase=0.1, drift=0.0):
    """An oscillation on a trend."""
    return size * math.sin(speed * x + phase) + drift * x


def tariff(x, low=1.0, high=2.0, fee=0.5):
    """A branch."""
    if x > 5.0:
        return high * x + fee
    return low * x + fee


def cooling(x, outside=15.0, rate=0.1):
    """A simulation: Euler steps of a body that cools."""
    body = 80.0
    for _ in range(20):
        body = body - rate * (body - outside) * x / 20
    return body


@dataclass(frozen=True)
class Case:
    """A model, the constants that make the data, and the noise."""

    model: Callable[..., Any]
    truth: dict[str, float]
    noise: float
    samples: int = 40

    def data(self, seed: int) -> tuple[Tensor, Tensor]:
        """Inputs and noisy answers."""
        x = torch.linspace(0.05, 10, self.samples, dtype=torch.float64)
        exact = torch.tensor([self.model(item, **self.truth) for item in x.tolist()], dtype=torch.float64)
        generator = torch.Generator().manual_seed(seed)
        return x, exact + self.noise * torch.randn(len(x), generator=generator, dtype=torch.float64)


CASES = (
    Case(line, {"slope": 1.3, "start": 0.2}, 0.5, 12),
    Case(decay, {"top": 2.5, "rate": 0.7, "base": 0.5}, 0.1),
    Case(saturation, {"most": 5.0, "half": 1.5}, 0.2),
    Case(growth, {"most": 10.0, "shift": 4.0, "rate": 0.9}, 0.4),
    Case(power, {"factor": 1.5, "exponent": 0.7}, 0.3),
    Case(wave, {"size": 1.2, "speed": 2.1, "phase": 0.3, "drift": 0.1}, 0.3),
    Case(tariff, {"low": 1.2, "high": 1.8, "fee": 0.7}, 0.6, 60),
    Case(cooling, {"outside": 18.0, "rate": 0.3}, 1.0),
)


def intervals(case: Case, net: da.Network, seed: int, method: str) -> Iterator[tuple[str, float, float]]:
    """The interval of each weight, from one fit."""
    inputs, targets = case.data(seed)
    fit = da.fit(net, inputs, targets, validation=None, progress=False)
    if method == "bootstrap":
        found = fit.bootstrap(200, seed=seed)
        yield from zip(found.labels, found.lows.tolist(), found.highs.tolist(), strict=True)
        return
    for item in fit.estimates:
        profile = fit.profile(item.label) if method == "profile" else item
        yield item.label, profile.low, profile.high


def covered(case: Case, repeats: int, method: str) -> dict[str, float]:
    """The part of the repeats in which each interval holds the truth."""
    net, hits = da.compile(case.model), Counter[str]()
    for seed in range(repeats):
        for label, low, high in intervals(case, net, seed, method):
            hits[label] += low <= case.truth[label] <= high
    return {label: hits[label] / repeats for label in case.truth}


def main() -> None:
    """Print a line for each weight."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--method", choices=("errors", "profile", "bootstrap"), default="errors")
    parser.add_argument("--only", nargs="*", default=[case.model.__name__ for case in CASES])
    args = parser.parse_args()
    inside = count = 0
    for case in CASES:
        if case.model.__name__ not in args.only:
            continue
        start = time.perf_counter()
        for label, part in covered(case, args.repeats, args.method).items():
            print(f"{case.model.__name__:12} {label:10} {100 * part:5.1f} %")
            inside, count = inside + (0.93 <= part <= 0.97), count + 1
        print(f"{case.model.__name__:12} {1e3 * (time.perf_counter() - start) / args.repeats:.0f} ms a repeat", flush=True)
    print(f"{inside} of {count} weights are covered in 93-97 % of {args.repeats} repeats")


if __name__ == "__main__":
    main()
