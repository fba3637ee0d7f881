"""`LeastSquares`: the training samples as one sum of squares, with the derivatives of every sample.

Where the loss is a mean of squares, one evaluation with weights as inputs gives the derivatives of all samples by all weights.
"""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.fitting.data.samples import Samples
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.side_by_side import SideBySide

#: More weights, or more numbers for each sample, make the derivatives cost more than they gain.
MOST_WEIGHTS, MOST_NUMBERS = 600, 32
#: Samples times numbers times weights.
MOST_DERIVATIVES = 10_000_000
#: How far the derivatives may be from the gradient.
CLOSE = 1e-6


class LeastSquares:
    """The sum of squares of some samples; under `torchrun` each process has its share of them."""

    def __init__(self, problem: Problem, samples: Samples) -> None:
        self.problem = problem
        self.samples = samples
        self.side_by_side = SideBySide(problem.space, problem.objective)

    @staticmethod
    def of(problem: Problem, x: Tensor) -> LeastSquares | None:
        """The samples that have an answer at a point; None where there is too much to compute, or the derivatives cannot be had."""
        if not problem.objective.is_squares:
            return None
        space, samples = problem.space, problem.batches.whole()
        space.put(x)
        roots = problem.objective.roots(space.net, samples)
        weights, numbers = len(space), roots.shape[1]
        if weights > MOST_WEIGHTS or numbers > MOST_NUMBERS:
            return None
        some = torch.nonzero(roots.isfinite().all(1)).squeeze(1)
        most = max(64, MOST_DERIVATIVES // (weights * numbers))
        some = some[torch.linspace(0, len(some) - 1, min(most, len(some))).round().long()]
        squares = LeastSquares(problem, problem.processes.share(samples.pick(some)))
        return squares if squares._is_right(x) else None

    def loss(self, x: Tensor) -> float:
        """The mean square at a point, with what was expected of it; infinite where a sample has none."""
        return self.problem.prior.loss(x, self._mean_square(x), self.problem.count)

    def _mean_square(self, x: Tensor) -> float:
        self.problem.space.put(x)
        roots = self.problem.objective.roots(self.problem.space.net, self.samples)
        numbers = self.problem.processes.add(torch.stack([roots.square().sum(), torch.tensor(float(len(roots)), dtype=roots.dtype)]))
        loss = (numbers[0] / numbers[1]).item()
        return loss if loss == loss else torch.inf

    def equations(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The matrix and the right-hand side of the normal equations, what was expected of weights included."""
        sums = self._equations(x)
        if self.problem.prior.is_given:
            expected, slopes = self.problem.prior.rows(x, self._mean_square(x))
            sums = sums + torch.cat([slopes.T @ slopes, (slopes.T @ expected)[:, None]], 1)
        return sums[:, :-1], sums[:, -1]

    def _equations(self, x: Tensor) -> Tensor:
        roots, derivatives = self.side_by_side.jacobian(x, self.samples)
        roots, jacobian = roots.reshape(-1), derivatives.reshape(-1, len(x))
        usable = jacobian.isfinite().all(1) & roots.isfinite()
        jacobian, roots = jacobian[usable], roots[usable]
        return self.problem.processes.add(torch.cat([jacobian.T @ jacobian, (jacobian.T @ roots)[:, None]], 1))

    def _is_right(self, x: Tensor) -> bool:
        """Whether the derivatives of the samples add up to the gradient."""
        try:
            slope = 2 * self._equations(x)[:, -1]
        except RuntimeError:
            return False  # an operation of torch that takes no batch of weights
        wanted = self.problem.processes.add(self.problem.sums(x, self.samples))[:-2]
        return bool(((slope - wanted).abs() <= CLOSE * wanted.abs().max().clamp(min=1e-300)).all())
