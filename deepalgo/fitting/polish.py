"""`polish`: the last digits of a sum of squares, by damped Gauss-Newton steps (Levenberg and Marquardt).

A first-order method creeps along the narrow valleys that products and exponents of constants make. Where the loss is a mean of
squares and the weights are few, the derivatives of all residuals cost one evaluation for each weight, and the valley becomes round.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from deepalgo.fitting.samples import Samples
from deepalgo.fitting.train import Training

#: More weights than this make the derivatives dearer than they are worth.
MOST_WEIGHTS = 100
MOST_SAMPLES = 4096
ROUNDS = 40
#: The step of a difference quotient, relative to a weight: the root of the last digit.
STEP = 2.0**-26
#: Gains below this part of the loss end it.
ENOUGH = 1e-7


def polish(training: Training) -> Tensor:
    """The best point, by validation, that steps from the best one so far lead to."""
    samples = _answered(training, training.world.share(_some(training.batches.whole())))
    x, best, score = training.best.best_x.clone(), training.best.best_x, training.best.best
    damping, loss, stale = 1e-3, _loss(training, x, samples), 0
    for _ in range(ROUNDS):
        normal, slope = _equations(training, x, samples)
        if not bool(normal.isfinite().all()):
            return best
        moved, damping, new = _damped_step(training, x, samples, normal, slope, damping, loss)
        if not new < loss:
            return best
        x, gain, loss = moved, (loss - new) / loss, new
        found = training.score(x)
        if found < score:
            best, score, stale = x.clone(), found, 0
        else:
            stale += 1
        if gain < ENOUGH or stale > 5:
            return best
    return best


def polish_by_gradient(training: Training) -> Tensor:
    """The same for many weights and for any loss, by L-BFGS."""
    settings = replace(training.settings, optimiser="lbfgs", steps=ROUNDS, runs=1, patience=100, seconds=None)
    last = Training(
        training.space,
        training.objective,
        training.batches,
        training.validation,
        training.known,
        settings,
        training.world,
        training.best.best_x,
    )
    last.run()
    return last.best.best_x


def _damped_step(
    training: Training,
    x: Tensor,
    samples: Samples,
    normal: Tensor,
    slope: Tensor,
    damping: float,
    loss: float,
) -> tuple[Tensor, float, float]:
    """The first step that makes the loss smaller, with more and more damping; the damping for the next one, and the loss there."""
    diagonal = normal.diagonal()
    weights = torch.maximum(diagonal, 1e-12 * diagonal.max().clamp(min=1e-300))
    for _ in range(12):
        step, failed = torch.linalg.solve_ex(normal + torch.diag(damping * weights), slope)
        moved = x - step
        new = torch.inf if failed else _loss(training, moved, samples)
        if new < loss:
            return moved, max(damping / 10, 1e-12), new
        damping *= 5
    return x, damping, loss


def _loss(training: Training, x: Tensor, samples: Samples) -> float:
    training.space.put(x)
    roots = training.objective.roots(training.space.net, samples)
    numbers = training.world.add(torch.stack([roots.square().sum(), torch.tensor(float(len(roots)), dtype=roots.dtype)]))
    loss = (numbers[0] / numbers[1]).item()
    return loss if loss == loss else torch.inf


def _equations(training: Training, x: Tensor, samples: Samples) -> tuple[Tensor, Tensor]:
    """The matrix and the right-hand side of the normal equations, by difference quotients."""
    training.space.put(x)
    roots = training.objective.roots(training.space.net, samples).reshape(-1)
    columns = []
    for place in range(len(x)):
        near = x.clone()
        near[place] += STEP
        training.space.put(near)
        moved = training.objective.roots(training.space.net, samples).reshape(-1)
        columns.append((moved - roots) / (near[place] - x[place]))
    jacobian = torch.stack(columns, 1)
    usable = jacobian.isfinite().all(1) & roots.isfinite()
    jacobian, roots = jacobian[usable], roots[usable]
    both = training.world.add(torch.cat([jacobian.T @ jacobian, (jacobian.T @ roots)[:, None]], 1))
    return both[:, :-1], both[:, -1]


def _answered(training: Training, samples: Samples) -> Samples:
    """The samples that have a finite loss where it begins."""
    training.space.put(training.best.best_x)
    return samples.pick(training.objective.roots(training.space.net, samples).isfinite().all(1))


def _some(samples: Samples) -> Samples:
    if len(samples) <= MOST_SAMPLES:
        return samples
    return samples.pick(torch.linspace(0, len(samples) - 1, MOST_SAMPLES).round().long())
