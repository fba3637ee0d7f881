"""`polish`: the last digits of a sum of squares, by damped Gauss-Newton steps (Levenberg and Marquardt).

A first-order method creeps along the narrow valleys that products and exponents of constants make. Where the loss is a mean of
squares, one evaluation with weights as inputs gives the derivatives of all samples, and the valley becomes round.
"""

from __future__ import annotations

import functools
from dataclasses import replace

import torch
from torch import Tensor

from deepalgo.fitting.feel import feel, training_loss
from deepalgo.fitting.samples import Samples
from deepalgo.fitting.together import Together
from deepalgo.fitting.train import Training
from deepalgo.ir import Role

#: More weights, or more numbers for each sample, make the derivatives dearer than they are worth.
MOST_WEIGHTS, MOST_NUMBERS = 600, 32
#: Samples times numbers times weights.
MOST_DERIVATIVES = 10_000_000
ROUNDS = 200
#: With many weights a round costs much: there are fewer, so that rounds times weights is at most this.
ROUNDS_TIMES_WEIGHTS = 30_000
#: Weights that hardly matter are damped as if they mattered this part of the one that matters most: else they run far away.
LEAST_DAMPED = 1e-4
#: So many rounds without a lower validation loss end it.
IDLE = 30
#: With few weights it starts from the initial ones, too: the shortest way to the optimum of a smooth formula.
FEW = 30
#: Training samples for each weight with which no weight can adapt to single ones.
MANY = 20
#: Gains below this part of the loss end it.
ENOUGH = 1e-9
#: Of two points whose losses differ by less than this part, the one with the lower training loss is taken.
SAME = 1e-3
#: Weights without a gradient and the others are moved in turns.
TURNS = 3
#: How far the derivatives may be from the gradient.
CLOSE = 1e-6


def polish(training: Training) -> Tensor:
    """The best point that steps from the initial weights or from the best ones so far lead to."""
    best = training.best.best_x
    squares = Squares.of(training) if training.objective.is_squares else None
    descend = squares.descend if squares is not None else functools.partial(by_gradient, training)
    starts = [torch.zeros_like(best), best] if squares is not None and len(best) <= FEW else [best]
    worth = functools.partial(judged, training)
    best = min([*map(descend, starts), best], key=worth)
    for _ in range(TURNS):
        felt = feel(training, best)
        if torch.equal(felt, best):
            break
        best = min([descend(felt), felt, best], key=worth)
    return best


def judged(training: Training, x: Tensor) -> float:
    """The validation loss of a point; of few weights, which cannot adapt to single samples, the loss of training samples, too.

    A threshold can: it moves between two samples to put one of them on the better side.
    """
    loss = training.score(x)
    adapts = any(weight.role is Role.THRESHOLD for weight in training.space.weights)
    if adapts or len(x) > FEW or len(training.answered) < MANY * len(x):
        return loss
    seen, held = int(training.answered.sum()), int(training.known.sum())
    return (seen * training_loss(training, x) + held * loss) / (seen + held)


def by_gradient(training: Training, start: Tensor) -> Tensor:
    """The same for many weights and for any loss, by L-BFGS."""
    limit = training.settings.seconds
    left = None if limit is None else max(0.0, limit - training.elapsed())
    settings = replace(training.settings, optimiser="lbfgs", steps=40, runs=1, patience=100, seconds=left, share=1.0)
    same = training.space, training.objective, training.batches, training.validation, training.known
    last = Training(*same, settings, training.world, start)
    last.run()
    training.interrupted = last.interrupted
    return last.best.best_x


class Squares:
    """The training samples as one sum of squares."""

    def __init__(self, training: Training, samples: Samples) -> None:
        self.training = training
        self.samples = samples
        self.together = Together(training.space, training.objective)

    @staticmethod
    def of(training: Training) -> Squares | None:
        """None where there is too much to compute, or the derivatives cannot be had."""
        space, samples = training.space, training.batches.whole()
        space.put(training.best.best_x)
        roots = training.objective.roots(space.net, samples)
        weights, numbers = len(space), roots.shape[1]
        if weights > MOST_WEIGHTS or numbers > MOST_NUMBERS:
            return None
        some = torch.nonzero(roots.isfinite().all(1)).squeeze(1)
        most = max(64, MOST_DERIVATIVES // (weights * numbers))
        some = some[torch.linspace(0, len(some) - 1, min(most, len(some))).round().long()]
        squares = Squares(training, training.world.share(samples.pick(some)))
        return squares if squares._is_right() else None

    def descend(self, x: Tensor) -> Tensor:
        """The lowest point on the way down, or the best one by validation if that is clearly better."""
        best, score, idle = x, self.training.score(x), 0
        damping, loss = 1e-3, self._loss(x)
        for _ in range(min(ROUNDS, ROUNDS_TIMES_WEIGHTS // len(x))):
            if self.training.is_late:
                break
            normal, slope = self._equations(x)
            moved, damping, new = self._damped_step(x, normal, slope, damping, loss)
            gain, x, loss = (loss - new) / loss if loss else 0.0, moved, new
            found = self.training.score(x)
            best, score, idle = (x, found, 0) if found < score else (best, score, idle + 1)
            if not gain > ENOUGH or idle == IDLE:
                break
        return x if judged(self.training, x) <= (1 + SAME) * judged(self.training, best) else best

    def _damped_step(self, x: Tensor, normal: Tensor, slope: Tensor, damping: float, loss: float) -> tuple[Tensor, float, float]:
        """The first step that makes the loss smaller, with more and more damping; the damping for the next one, and the loss there."""
        diagonal = normal.diagonal()
        weights = torch.maximum(diagonal, LEAST_DAMPED * diagonal.max().clamp(min=1e-300))
        for _ in range(12):
            step, failed = torch.linalg.solve_ex(normal + torch.diag(damping * weights), slope)
            moved = x - step
            new = torch.inf if failed else self._loss(moved)
            if new < loss:
                return moved, max(damping / 10, 1e-12), new
            damping *= 5
        return x, damping, loss

    def _loss(self, x: Tensor) -> float:
        self.training.space.put(x)
        roots = self.training.objective.roots(self.training.space.net, self.samples)
        numbers = self.training.world.add(torch.stack([roots.square().sum(), torch.tensor(float(len(roots)), dtype=roots.dtype)]))
        loss = (numbers[0] / numbers[1]).item()
        return loss if loss == loss else torch.inf

    def _equations(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The matrix and the right-hand side of the normal equations."""
        roots, derivatives = self.together.jacobian(x, self.samples)
        roots, jacobian = roots.reshape(-1), derivatives.reshape(-1, len(x))
        usable = jacobian.isfinite().all(1) & roots.isfinite()
        jacobian, roots = jacobian[usable], roots[usable]
        both = self.training.world.add(torch.cat([jacobian.T @ jacobian, (jacobian.T @ roots)[:, None]], 1))
        return both[:, :-1], both[:, -1]

    def _is_right(self) -> bool:
        """Whether the derivatives of the samples add up to the gradient."""
        training = self.training
        x = training.best.best_x
        try:
            slope = 2 * self._equations(x)[1]
        except RuntimeError:
            return False  # an operation of torch that takes no batch of weights
        wanted = training.world.add(training.alone(x, self.samples))[:-2]
        return bool(((slope - wanted).abs() <= CLOSE * wanted.abs().max().clamp(min=1e-300)).all())
