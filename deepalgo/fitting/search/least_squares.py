"""`LeastSquares`: a loss by name on the training samples, and near a point the sum of squares that stands for it.

The derivatives of every sample by every weight come from one native call for a piece of the samples; pieces are stacked by QR, so that
neither their number nor that of the processes under `torchrun` matters, and nothing is squared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from deepalgo.fitting.data.samples import Samples
from deepalgo.fitting.judge.losses import NamedLoss
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.trust_region import Array
from deepalgo.ir.rebuild import rebuild

#: More weights make the derivatives cost more than they gain.
MOST_WEIGHTS = 600
#: Samples times numbers times weights of one piece, and pieces times these.
PIECE, MOST_DERIVATIVES = 2_000_000, 200_000_000
#: How far the derivatives may be from the gradient.
CLOSE = 1e-6


@dataclass(frozen=True, slots=True)
class Linearised:
    """Near a point the loss is `|triangle @ p + right|**2` and a constant.

    `rows` are the derivatives that it was made of, and `weights` those of the errors, if they are few.
    """

    triangle: Array
    right: Array
    rows: Array | None = None
    weights: Array | None = None


class LeastSquares:
    """The loss of some samples; under `torchrun` each process has its share of them."""

    def __init__(self, problem: Problem, samples: Samples, numbers: int) -> None:
        assert problem.objective.named is not None
        self.problem = problem
        self.samples = samples
        self.named: NamedLoss = problem.objective.named
        self.derivatives = problem.space.net.jacobian(problem.space.keys)
        self.size = max(64, PIECE // (len(problem.space) * numbers))
        self.count = int(problem.processes.add(torch.tensor(float(len(samples)), dtype=torch.float64)).item())

    @staticmethod
    def applies(problem: Problem) -> bool:
        """Whether the loss has a name, and the derivatives are not too many."""
        objective, space = problem.objective, problem.space
        return objective.named is not None and len(space) <= MOST_WEIGHTS

    @staticmethod
    def at(problem: Problem, x: Tensor) -> LeastSquares | None:
        """Those of `of`; many walks begin at the same point."""
        known = problem.squares
        if known is None or not torch.equal(known[0], x):
            known = problem.squares = x.clone(), LeastSquares.of(problem, x)
        return known[1]

    @staticmethod
    def of(problem: Problem, x: Tensor) -> LeastSquares | None:
        """The samples that have an answer at a point; None where there is none, or the derivatives cannot be had."""
        samples = problem.batches.whole()
        errors = _errors(problem, x, samples)[0]
        numbers = errors.shape[1]
        some = torch.nonzero(errors.isfinite().all(1)).squeeze(1)
        if not len(some):
            return None
        most = max(64, MOST_DERIVATIVES // (len(x) * numbers))
        if len(some) > most:
            some = some[torch.linspace(0, len(some) - 1, most).round().long()]
        chosen = samples if len(some) == len(samples) else samples.pick(some)
        squares = LeastSquares(problem, problem.processes.share(chosen), numbers)
        return squares if squares._is_right(x) else None

    def errors(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The errors at a point, and the factor of each."""
        return _errors(self.problem, x, self.samples)

    def loss(self, x: Tensor, errors: Tensor, factors: Tensor, blur: float = 0.0) -> float:
        """The loss of a point by all processes' errors there, with what was expected of it; infinite where an error has no number."""
        return self.problem.prior.loss(x, self._loss(errors, factors, blur), self.problem.count)

    def _loss(self, errors: Tensor, factors: Tensor, blur: float) -> float:
        if self.named.is_whole:
            return self._largest(errors, blur)
        value = self.named.rounded(errors, blur) if blur else self.named.value(errors)
        found = self.problem.processes.add((value * factors).sum(dtype=torch.float64)).item() / self.count
        return found if math.isfinite(found) else math.inf

    def linearise(self, x: Tensor, errors: Tensor, factors: Tensor, blur: float) -> Linearised:
        """The sum of squares that lies above the loss, but for what was expected of weights, and touches it at a point."""
        found, prior = self._linearise(x, errors, blur), self.problem.prior
        if not prior.is_given:
            return found
        loss = self._loss(errors, factors, blur)
        expected = prior.rows(x, loss, self.problem.count)
        rows = np.concatenate([np.column_stack([found.triangle, found.right]), expected.double().numpy()])
        triangle = _triangle(math.sqrt(prior.growth(x, self.problem.count)) * rows)
        return Linearised(triangle[:, :-1], triangle[:, -1])

    def _linearise(self, x: Tensor, errors: Tensor, blur: float) -> Linearised:
        slopes, curvatures = self.named.bend(errors, blur)
        if self.named.is_whole:
            part = self._part_of_whole(errors, blur)
            slopes, curvatures = slopes * part, curvatures * part
        triangle = np.zeros((0, len(x) + 1))
        for piece in torch.split(torch.arange(len(errors)), self.size):
            rows, weights = self._rows(x, piece, slopes[piece], curvatures[piece])
            triangle = _triangle(np.concatenate([triangle, rows]) if len(triangle) else rows)
        if self.problem.processes.size > 1:
            triangle = _triangle(np.concatenate(list(self._of_all(triangle))))
        elif len(rows) == errors.numel():
            return Linearised(triangle[:, :-1], triangle[:, -1], rows[:, :-1], weights)
        return Linearised(triangle[:, :-1], triangle[:, -1])

    def _rows(self, x: Tensor, piece: Tensor, slopes: Tensor, curvatures: Tensor) -> tuple[Array, Array]:
        """For each error its derivatives and its value, as the squares need them, and the factor that they have."""
        samples = self.samples if len(piece) == len(self.samples) else self.samples.pick(piece)
        derivatives, factors = _derivatives(self, x, samples)
        share = 1.0 if self.named.is_whole else factors / self.count
        weight = (share * curvatures / 2).sqrt()
        right = (share * slopes / 2) / weight.clamp(min=1e-300)
        rows = torch.cat([derivatives * weight[..., None], right[..., None]], 2).reshape(-1, len(x) + 1)
        found: Array = rows.double().numpy()
        usable = np.isfinite(found).all(1)
        return (found if usable.all() else found[usable]), weight.double().numpy()

    def _largest(self, errors: Tensor, blur: float) -> float:
        """The largest error of all processes, rounded off."""
        processes = self.problem.processes
        if not bool(errors.isfinite().all()):
            return processes.most(math.inf)
        mine = float(self.named.rounded(errors, blur)) if blur else float(self.named.value(errors).max())
        most = processes.most(mine)
        if not blur or math.isinf(most):
            return most
        return most + blur * math.log(processes.add(torch.tensor(math.exp((mine - most) / blur), dtype=torch.float64)).item())

    def _part_of_whole(self, errors: Tensor, blur: float) -> float:
        """The part that this process's errors have in the largest one."""
        if self.problem.processes.size == 1:
            return 1.0
        return math.exp((float(self.named.rounded(errors, blur)) - self._largest(errors, blur)) / blur)

    def _of_all(self, triangle: Array) -> Iterator[Array]:
        """The triangles of all processes, in their order."""
        processes = self.problem.processes
        for rank in range(processes.size):
            mine = torch.from_numpy(triangle.copy()) if rank == processes.rank else torch.zeros(triangle.shape, dtype=torch.float64)
            yield processes.add(mine).numpy()

    def _is_right(self, x: Tensor) -> bool:
        """Whether the derivatives of the samples add up to the gradient, where they do not come from native code."""
        if self.problem.space.net.backend.startswith("native") or self.named.is_whole:
            return True
        try:
            found = self._linearise(x, self.errors(x)[0], 0.0)
        except RuntimeError:
            return False  # an operation of torch that takes no batch of weights
        slope = torch.from_numpy(2 * (found.right @ found.triangle))
        size = 2 * float(np.linalg.norm(found.right)) * float(np.linalg.norm(found.triangle, axis=0).max())
        sums = self.problem.processes.add(self.problem.sums(x, self.samples))
        wanted = sums[:-2].double() / self.count
        return bool(((slope - wanted).abs() <= CLOSE * max(size, 1e-300)).all())


def _errors(problem: Problem, x: Tensor, samples: Samples) -> tuple[Tensor, Tensor]:
    problem.space.put(x)
    net, objective = problem.space.net, problem.objective
    with torch.no_grad():
        return objective.errors(net, objective.outputs(net, samples), samples)


def _derivatives(squares: LeastSquares, x: Tensor, samples: Samples) -> tuple[Tensor, Tensor]:
    """The derivatives `(samples, m, weights)` of the errors by a point, and the factors of the errors."""
    problem = squares.problem
    space, objective = problem.space, problem.objective
    found = squares.derivatives(samples.leaves, [value[0] for value in space.values(x.detach()[None])])
    results = [result.requires_grad_(result.is_floating_point() or result.is_complex()) for result in found.results]
    errors, factors = objective.errors(space.net, rebuild(objective.output, results[: objective.count]), samples)
    if objective.residual is None and len(results) == 1 and results[0].numel() == errors.numel() and not results[0].is_complex():
        slope = torch.autograd.grad(errors.sum(), results)[0]  # each error depends on one number of the result
        columns = (slope[..., None] * found.derivatives[0]).reshape(*errors.shape, -1)
    else:
        columns = torch.stack([_chained(errors[:, number], results, found.derivatives) for number in range(errors.shape[1])], 1)
    return space.chain(x, columns), factors.detach()


def _chained(column: Tensor, results: list[Tensor], derivatives: list[Tensor]) -> Tensor:
    """The derivatives `(samples, weights)` of a number of each sample, which depends on the results, from theirs."""
    total = column.new_zeros((len(column), derivatives[0].shape[-1]))
    if not column.requires_grad:
        return total
    places = [place for place, result in enumerate(results) if result.requires_grad]
    slopes = torch.autograd.grad(column.sum(), [results[place] for place in places], retain_graph=True, allow_unused=True)
    for place, slope in zip(places, slopes, strict=True):
        if slope is not None:
            moved = (slope.conj()[..., None] * derivatives[place]).real
            total = total + moved.flatten(1, -2).sum(1) if slope.dim() > 1 else total + moved
    return total


def _triangle(rows: Array) -> Array:
    """The triangular matrix with the same squares: what a QR decomposition leaves of rows."""
    found = np.zeros((rows.shape[1], rows.shape[1]))
    small = np.asarray(np.linalg.qr(rows, mode="r"))
    found[: len(small)] = small
    return found
