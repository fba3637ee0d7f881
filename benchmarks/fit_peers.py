"""Search without gradients over the weights of a network: what `fit` is compared with in `benchmarks.fit_bench`.

Each peer sees the loss of a vector of relative weights, as often as it likes until its processor time is used up. The clock starts at
the first evaluation, so that importing and setting up are free.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
import torch

import deepalgo as da

#: Loss, a function of the network.
Loss = Callable[[da.Network], float]


class Search:
    """The weights of a network as one vector, relative to their first values, and the best one that was seen."""

    def __init__(self, net: da.Network, loss: Loss, seconds: float) -> None:
        self.net, self.loss, self.seconds = net, loss, seconds
        self.weights = list(net.parameters())
        self.sizes = [weight.numel() for weight in self.weights]
        self.first = torch.cat([weight.detach().reshape(-1) for weight in self.weights])
        self.scale = torch.where(self.first == 0, 0.1, self.first.abs())
        self.unit = loss(net)
        self.best, self.best_x = 1.0, np.zeros(len(self.first))
        self.evaluations = 0
        self.begun: float | None = None

    def __len__(self) -> int:
        return len(self.first)

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.begun is not None and time.process_time() - self.begun > self.seconds

    def put(self, x: np.ndarray) -> da.Network:
        """The network with these weights."""
        values = (self.first + self.scale * torch.as_tensor(x)).split(self.sizes)
        with torch.no_grad():
            for weight, part in zip(self.weights, values, strict=True):
                weight.copy_(part.reshape(weight.shape))
        return self.net

    def __call__(self, x: np.ndarray) -> float:
        """The loss relative to the heuristic's."""
        if self.begun is None:
            self.begun = time.process_time()
        if self.over:
            raise TimeoutError
        found = min(self.loss(self.put(x)) / self.unit, 1e9)
        self.evaluations += 1
        if found < self.best:
            self.best, self.best_x = found, np.array(x)
        return found


def run(method: Callable[[Search, int], None], search: Search, seed: int) -> da.Network:
    """The network with the best weights that a method finds in its time."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            method(search, seed)
    except TimeoutError:
        pass
    return search.put(search.best_x)


def optuna_tpe(search: Search, seed: int) -> None:
    """Multivariate tree-structured Parzen estimators, up to a fifth around the heuristic's weights: wider ranges did worse on most."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True))
    names = [f"x{number}" for number in range(len(search))]
    study.enqueue_trial(dict.fromkeys(names, 0.0))
    while not search.over:
        study.optimize(lambda trial: search(np.array([trial.suggest_float(name, -0.2, 0.2) for name in names])), n_trials=1)


def cma_es(search: Search, seed: int) -> None:
    """Covariance matrix adaptation, started anew at the best point when it has converged."""
    import cma

    number = 0
    while not search.over:
        strategy = cma.CMAEvolutionStrategy(search.best_x, 0.1, {"seed": 1000 * seed + number + 1, "verbose": -9})
        while not strategy.stop() and not search.over:
            points = strategy.ask()
            strategy.tell(points, [search(point) for point in points])
        number += 1


def nelder_mead(search: Search, seed: int) -> None:
    """Scipy's simplex, adapted to the number of weights, started anew at the best point when it has shrunk."""
    from scipy.optimize import minimize

    random = np.random.default_rng(seed)
    options = {"maxiter": 10**9, "maxfev": 10**9, "adaptive": True}
    while not search.over:
        minimize(search, search.best_x + random.normal(0, 1e-3, len(search)), method="Nelder-Mead", options=options)


PEERS = {"Optuna": optuna_tpe, "CMA-ES": cma_es, "Nelder-Mead": nelder_mead}
