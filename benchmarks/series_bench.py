"""Models of one noisy series, by `fit` and by `least_squares` around the plain Python function: `python -m benchmarks.series_bench`.

Lotka and Volterra's equations, an epidemic (SIR) and a drug in two compartments by Runge and Kutta's method, and the noise of a Kalman
filter. The parameters are float defaults. Both get the same start and all data; a line says the sum of squares that each reached,
as a part of the lower one, and the time, compiling told apart.
"""

from __future__ import annotations

import argparse
import inspect
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.optimize import least_squares

import deepalgo as da

STEP = 0.2


def lotka_volterra(prey, hunters, birth=0.9, catch=0.5, growth=0.3, death=0.6):
    """Numbers of prey and hunters at 100 times."""
    path = []
    for _ in range(100):
        x, y = prey, hunters
        k1, l1 = birth * x - catch * x * y, growth * x * y - death * y
        u, v = x + 0.5 * STEP * k1, y + 0.5 * STEP * l1
        k2, l2 = birth * u - catch * u * v, growth * u * v - death * v
        u, v = x + 0.5 * STEP * k2, y + 0.5 * STEP * l2
        k3, l3 = birth * u - catch * u * v, growth * u * v - death * v
        u, v = x + STEP * k3, y + STEP * l3
        k4, l4 = birth * u - catch * u * v, growth * u * v - death * v
        prey = x + STEP * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        hunters = y + STEP * (l1 + 2 * l2 + 2 * l3 + l4) / 6
        path.append([prey, hunters])
    return np.array(path)


def epidemic(sick, contact=0.5, recovery=0.2):
    """The part of a population that is sick on 80 days."""
    healthy, path = 1.0 - sick, []
    for _ in range(80):
        s, i = healthy, sick
        k1, l1 = -contact * s * i, contact * s * i - recovery * i
        u, v = s + 0.5 * k1, i + 0.5 * l1
        k2, l2 = -contact * u * v, contact * u * v - recovery * v
        u, v = s + 0.5 * k2, i + 0.5 * l2
        k3, l3 = -contact * u * v, contact * u * v - recovery * v
        u, v = s + k3, i + l3
        k4, l4 = -contact * u * v, contact * u * v - recovery * v
        healthy = s + (k1 + 2 * k2 + 2 * k3 + k4) / 6
        sick = i + (l1 + 2 * l2 + 2 * l3 + l4) / 6
        path.append(sick)
    return np.array(path)


def compartments(dose, out=0.3, there=0.5, back=0.4, volume=8.0):
    """What is left of a dose in the blood at 60 times."""
    blood, tissue, path = dose / volume, 0.0, []
    for _ in range(60):
        a, b = blood, tissue
        k1, l1 = -(out + there) * a + back * b, there * a - back * b
        u, v = a + 0.5 * STEP * k1, b + 0.5 * STEP * l1
        k2, l2 = -(out + there) * u + back * v, there * u - back * v
        u, v = a + 0.5 * STEP * k2, b + 0.5 * STEP * l2
        k3, l3 = -(out + there) * u + back * v, there * u - back * v
        u, v = a + STEP * k3, b + STEP * l3
        k4, l4 = -(out + there) * u + back * v, there * u - back * v
        blood = a + STEP * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        tissue = b + STEP * (l1 + 2 * l2 + 2 * l3 + l4) / 6
        path.append(blood)
    return np.array(path)


def kalman(measured, q=0.3, r=2.0):
    """Twice the negative logarithm of the chance of each of 200 measurements of a level that wanders, and 50 so as to be no less than 0."""
    level, spread, path = measured[0], 1.0, []
    for k in range(1, 200):
        spread = spread + q
        whole = spread + r
        miss = measured[k] - level
        gain = spread / whole
        path.append(math.sqrt(math.log(whole) + miss * miss / whole + 50.0))
        level = level + gain * miss
        spread = (1.0 - gain) * spread
    return np.array(path)


@dataclass(frozen=True)
class Case:
    """A model, its input, true parameters and the noise of the series."""

    model: Callable[..., np.ndarray]
    inputs: tuple[Any, ...]
    truth: tuple[float, ...]
    noise: float

    def targets(self) -> np.ndarray:
        """The series as it was measured; zeros where the model says itself how wrong it is."""
        if self.model is kalman:
            return np.zeros(199)
        path = self.model(*self.inputs, *self.truth)
        return path + self.noise * np.random.default_rng(3).normal(size=path.shape)

    def errors(self, parameters: np.ndarray) -> np.ndarray:
        """For the peer; large where the model raises."""
        targets = self.targets()
        try:
            return (self.model(*self.inputs, *parameters) - targets).reshape(-1)
        except (ValueError, ZeroDivisionError, OverflowError):
            return np.full(targets.size, 1e6)

    @property
    def start(self) -> np.ndarray:
        """The parameters as they are written."""
        return np.array([item.default for item in inspect.signature(self.model).parameters.values() if item.default is not item.empty])


def wandering() -> np.ndarray:
    """Measurements of a level that wanders."""
    random = np.random.default_rng(4)
    return np.cumsum(random.normal(0, 0.4, 200)) + random.normal(0, 1.1, 200)


CASES = (
    Case(lotka_volterra, (3.0, 1.5), (1.1, 0.4, 0.2, 0.5), 0.1),
    Case(epidemic, (0.001,), (0.62, 0.25), 0.003),
    Case(compartments, (100.0,), (0.5, 0.8, 0.3, 6.0), 0.05),
    Case(kalman, (wandering(),), (0.16, 1.21), 0.0),
)


@dataclass(frozen=True)
class Result:
    """A sum of squares, the parameters, and seconds: with compiling the first time, then in the median."""

    squares: float
    parameters: list[float]
    first: float
    seconds: float


def by_fit(case: Case, times: int) -> Result:
    """`da.fit` with its report."""
    targets, spent = case.targets(), []
    begun = time.perf_counter()
    net = da.compile(case.model, example=(case.inputs, {}), backend="native")
    for _ in range(times + 1):
        fit = da.fit(net, case.inputs if len(case.inputs) > 1 else case.inputs[0], targets, validation=None, progress=False)
        str(fit)
        spent.append(time.perf_counter() - begun)
        begun = time.perf_counter()
    names = list(inspect.signature(case.model).parameters)[len(case.inputs) :]
    parameters = [fit.network.weights[name].item() for name in names]
    squares = float(np.sum((case.model(*case.inputs, *parameters) - targets) ** 2))
    return Result(squares, parameters, spent[0], statistics.median(spent[1:]))


def by_least_squares(case: Case, times: int) -> Result:
    """SciPy around the plain Python function."""
    spent = []
    for _ in range(times):
        begun = time.perf_counter()
        found = least_squares(case.errors, case.start, x_scale="jac")
        spent.append(time.perf_counter() - begun)
    return Result(2 * float(found.cost), found.x.tolist(), spent[0], statistics.median(spent))


def main() -> None:
    """Fit every case both ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", help="names of models")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| model | parameters | sum of squares, da.fit / least_squares - 1 | da.fit, s (first) | least_squares, s |")
    print("| --- " * 5 + "|")
    for case in CASES:
        if not options.only or case.model.__name__ in options.only:
            ours, theirs = by_fit(case, options.times), by_least_squares(case, options.times)
            print(f"| {case.model.__name__} | {', '.join(f'{p:.4g}' for p in ours.parameters)} | {ours.squares / theirs.squares - 1:.1e} "
                  f"| {ours.seconds:.3f} ({ours.first:.2f}) | {theirs.seconds:.3f} |", flush=True)


if __name__ == "__main__":
    main()
