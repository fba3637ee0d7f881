"""`fit` against search without gradients, on the same samples and in the same time: `python -m benchmarks.fit_bench`.

Ten published heuristics are tuned against their exact references: with their constants only, and grown by a correction to about 50
and to about 500 weights. Optuna (TPE), CMA-ES and Nelder-Mead get the training samples that `fit` sees, the same relative weights,
and the seconds that `fit` took. The table holds the held-out loss relative to the heuristic's, the median of three seeds.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

import deepalgo as da
from examples import demo
from examples.tuned import cylinder_heat, declination, pressure_of_altitude, refraction, sphere_drag, tsal_friction, wet_bulb


def haaland(reynolds, roughness):
    """Haaland 1983."""
    return (-1.8 * math.log10((roughness / 3.7) ** 1.11 + 6.9 / reynolds)) ** -2.0


def swamee_jain(reynolds, roughness):
    """Swamee and Jain 1976."""
    return 0.25 / math.log10(roughness / 3.7 + 5.74 / reynolds**0.9) ** 2.0


@dataclass(frozen=True)
class Case:
    """A heuristic, its reference, a function that draws inputs, and whether the error is relative."""

    name: str
    heuristic: Callable[..., Any]
    reference: Callable[..., Tensor]
    draw: Callable[..., Any]
    relative: bool = True

    def samples(self, count: int, seed: int) -> tuple[tuple[Tensor, ...], Tensor]:
        """Inputs and their exact answers."""
        inputs = self.draw(count, seed)
        inputs = inputs if isinstance(inputs, tuple) else (inputs,)
        return inputs, self.reference(*inputs)


CASES = (
    Case("Wood 1966", demo.friction_factor, demo.reference, demo.pipes),
    Case("Tsal 1989", tsal_friction.friction, tsal_friction.colebrook, tsal_friction.ducts),
    Case("Haaland 1983", haaland, tsal_friction.colebrook, tsal_friction.ducts),
    Case("Swamee-Jain 1976", swamee_jain, tsal_friction.colebrook, tsal_friction.ducts),
    Case("Yen 1992", sphere_drag.drag, sphere_drag.standard_curve, sphere_drag.spheres),
    Case("Whitaker 1972", cylinder_heat.nusselt, cylinder_heat.zukauskas, cylinder_heat.flows),
    Case("altitude", pressure_of_altitude.pressure, pressure_of_altitude.standard_atmosphere, pressure_of_altitude.altitudes),
    Case("Spencer 1971", declination.declination, declination.noaa, declination.days, relative=False),
    Case("Stull 2011", wet_bulb.wet_bulb, wet_bulb.exact, wet_bulb.weather, relative=False),
    Case("refraction", refraction.refraction, refraction.reference, refraction.skies, relative=False),
)


def grown(net: da.Network, weights: int) -> da.Network:
    """The network with a correction of its answer that brings it to about so many weights."""
    if weights == 0:
        return net
    inputs = len(net.program.inputs)
    hidden = max(1, round((weights - len(net.program.weights)) / (inputs + 3)))
    return da.correct(net, "return", hidden=hidden, relative=True)


def mean_loss(case: Case, net: da.Network, inputs: tuple[Tensor, ...], target: Tensor) -> float:
    """The mean squared error, relative where the case says so; infinite where an answer is missing."""
    with torch.no_grad():
        answer = net(*inputs)
        error = answer / target - 1 if case.relative else answer - target
        found = error.square().mean().item()
    return found if math.isfinite(found) else math.inf


class Search:
    """The weights of a network as one vector, relative to their first values."""

    def __init__(self, case: Case, net: da.Network, inputs: tuple[Tensor, ...], target: Tensor, seconds: float) -> None:
        self.case, self.net, self.inputs, self.target = case, net, inputs, target
        self.weights = list(net.parameters())
        self.first = torch.cat([weight.detach().reshape(-1) for weight in self.weights])
        self.scale = torch.where(self.first == 0, 0.1, self.first.abs())
        self.unit = mean_loss(case, net, inputs, target)
        self.best, self.best_x = 1.0, np.zeros(len(self.first))
        self.end = time.monotonic() + seconds

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.end

    def put(self, x: np.ndarray) -> None:
        """Set the weights."""
        values = self.first + self.scale * torch.as_tensor(x)
        with torch.no_grad():
            for weight, part in zip(self.weights, values.split([weight.numel() for weight in self.weights]), strict=True):
                weight.copy_(part.reshape(weight.shape))

    def __call__(self, x: np.ndarray) -> float:
        """The loss relative to the heuristic's."""
        if self.over:
            raise TimeoutError
        self.put(x)
        found = min(mean_loss(self.case, self.net, self.inputs, self.target) / self.unit, 1e9)
        if found < self.best:
            self.best, self.best_x = found, np.array(x)
        return found


def optuna_tpe(search: Search, seed: int) -> None:
    """Tree-structured Parzen estimators."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    size = len(search.first)
    study.enqueue_trial({f"x{i}": 0.0 for i in range(size)})
    while not search.over:
        study.optimize(lambda trial: search(np.array([trial.suggest_float(f"x{i}", -1.0, 1.0) for i in range(size)])), n_trials=1)


def cma_es(search: Search, seed: int) -> None:
    """Covariance matrix adaptation."""
    import cma

    strategy = cma.CMAEvolutionStrategy(np.zeros(len(search.first)), 0.1, {"seed": seed + 1, "verbose": -9})
    while not search.over:
        points = strategy.ask()
        strategy.tell(points, [search(point) for point in points])


def nelder_mead(search: Search, seed: int) -> None:
    """Scipy's simplex, started anew at the best point when it has shrunk."""
    from scipy.optimize import minimize

    start = np.random.default_rng(seed).normal(0, 1e-3, len(search.first))
    while not search.over:
        minimize(search, search.best_x + start, method="Nelder-Mead", options={"maxiter": 10**9, "maxfev": 10**9, "adaptive": True})


PEERS = {"Optuna": optuna_tpe, "CMA-ES": cma_es, "Nelder-Mead": nelder_mead}


def row(case: Case, weights: int, count: int, steps: int, seed: int) -> tuple[int, float, dict[str, float]]:
    """The number of weights, the seconds, and everyone's held-out loss relative to the heuristic's."""
    inputs, target = case.samples(count, seed)
    held = case.samples(4000, seed + 1000)
    heuristic = da.compile(case.heuristic, errors="nan")
    unit = mean_loss(case, heuristic, *held)
    net = grown(heuristic, weights)
    begun = time.monotonic()
    loss = "relative" if case.relative else "squared"
    found = da.fit(net, inputs, target, loss=loss, steps=steps, seed=seed, test=0.05, progress=False)
    seconds = time.monotonic() - begun
    results = {"deepalgo": mean_loss(case, found.network, *held) / unit}
    for name, method in PEERS.items():
        search = Search(case, grown(da.compile(case.heuristic, errors="nan"), weights), inputs, target, seconds)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                method(search, seed)
        except TimeoutError:
            pass
        search.put(search.best_x)
        results[name] = mean_loss(case, search.net, *held) / unit
    return len(search.first), seconds, results


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=int, nargs="*", default=[0, 50, 500], help="0 is the constants only")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--count", type=int, default=2000, help="training samples")
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    names = ["deepalgo", *PEERS]
    print("held-out loss relative to the heuristic's, median of", options.seeds, "seeds; `<` marks the best of a row")
    for weights in options.weights:
        print(f"\n{'constants only' if weights == 0 else f'about {weights} weights'}")
        print(f"{'heuristic':18}{'weights':>8}{'seconds':>8}" + "".join(f"{name:>14}" for name in names))
        for case in CASES:
            rows = [row(case, weights, options.count, options.steps, seed) for seed in range(options.seeds)]
            middle = {name: statistics.median(found[2][name] for found in rows) for name in names}
            best = min(middle.values())
            cells = "".join(f"{middle[name]:13.3g}{'<' if middle[name] == best else ' '}" for name in names)
            print(f"{case.name:18}{rows[0][0]:8d}{statistics.median(found[1] for found in rows):8.1f}{cells}", flush=True)


if __name__ == "__main__":
    main()
