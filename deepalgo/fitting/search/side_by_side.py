"""`SideBySide`: points side by side in one batch, each sample with the weights of its point.

Several runs cost little more than one, and as each sample can have a point of its own, the derivatives of all answers by all
weights cost one backward pass for each number that a sample is judged by.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from deepalgo.fitting.data.samples import Samples, each
from deepalgo.fitting.judge.objective import Objective
from deepalgo.fitting.search.space import Space
from deepalgo.ir.rebuild import rebuild
from deepalgo.lower.weights_to_inputs import weights_to_inputs

#: How well losses and gradients of single runs have to be repeated.
CLOSE = 1e-7


class SideBySide:
    """The losses and gradients of several points, each on its own samples, by one evaluation."""

    def __init__(self, space: Space, objective: Objective) -> None:
        net = space.net
        program = weights_to_inputs(net.program, space.keys)
        self.space = space
        self.objective = objective
        self.net = net.with_program(program).to(dtype=net.dtype, device=net.device)
        self.net.errors = "nan"
        self.derivatives = net.jacobian(space.keys)
        for weight in program.weights:
            with torch.no_grad():
                self.net.weights[weight.key].copy_(net.weights[weight.key])

    def gradients(self, points: Tensor, batches: Sequence[Samples]) -> tuple[Tensor, Tensor, Tensor]:
        """For every point the sum of the finite losses of its batch, how many they are, and the gradient of the sum."""
        points = points.detach().requires_grad_()
        owner = torch.repeat_interleave(torch.arange(len(points)), torch.tensor([len(batch) for batch in batches]))
        samples = _joined(batches)
        losses = self._losses(points, owner, samples)
        finite = losses.detach().isfinite()
        if not bool(finite.all()):
            owner = owner[finite]
            losses = self._losses(points, owner, samples.pick(finite))
        total = losses.sum()
        gradient = torch.autograd.grad(total, points)[0] if total.requires_grad else torch.zeros_like(points)
        zeros = torch.zeros(len(points), dtype=points.dtype)
        return zeros.index_add(0, owner, losses.detach()), zeros.index_add(0, owner, torch.ones_like(losses.detach())), gradient

    def jacobian(self, x: Tensor, samples: Samples) -> tuple[Tensor, Tensor]:
        """The numbers `(samples, m)` whose mean square is the loss, and their derivatives `(samples, m, weights)` by the point."""
        found = self.derivatives(samples.leaves, [value[0] for value in self.space.values(x.detach()[None])])
        results = [result.requires_grad_(result.is_floating_point() or result.is_complex()) for result in found.results]
        roots = self.objective.squares(self.space.net, rebuild(self.objective.output, results[: self.objective.count]), samples)
        columns = [self.space.chain(x, _chained(roots[:, number], results, found.derivatives)) for number in range(roots.shape[1])]
        return roots.detach(), torch.stack(columns, 1)

    def repeats(self, points: Tensor, batches: Sequence[Samples], losses: Tensor, gradients: Tensor) -> bool:
        """Whether it gives what the runs give one by one."""
        try:
            totals, counts, found = self.gradients(points, batches)
        except RuntimeError:
            return False  # an operation of torch that takes no batch of weights
        return _agree(totals / counts, losses) and _agree(found / counts[:, None], gradients)

    def _losses(self, points: Tensor, owner: Tensor, samples: Samples) -> Tensor:
        values = [value.index_select(0, owner) for value in self.space.values(points)]
        return self.objective.apply(self.space.net, self._outputs(values, samples), samples)

    def _outputs(self, values: list[Tensor], samples: Samples) -> Any:
        results = self.net.execute([*samples.leaves, *values])
        return rebuild(self.objective.output, results[: self.objective.count])


def _chained(root: Tensor, results: Sequence[Tensor], derivatives: Sequence[Tensor]) -> Tensor:
    """The derivatives `(samples, weights)` of a number of each sample, which depends on the results, from theirs."""
    total = root.new_zeros((len(root), derivatives[0].shape[-1]))
    if not root.requires_grad:
        return total
    places = [place for place, result in enumerate(results) if result.requires_grad]
    slopes = torch.autograd.grad(root.sum(), [results[place] for place in places], retain_graph=True, allow_unused=True)
    for place, slope in zip(places, slopes, strict=True):
        if slope is not None:
            moved = (slope.conj()[..., None] * derivatives[place]).real
            total = total + moved.flatten(1, -2).sum(1) if slope.dim() > 1 else total + moved
    return total


def _joined(batches: Sequence[Samples]) -> Samples:
    """The samples of all batches, one after another."""
    columns = zip(*(batch.leaves for batch in batches), strict=True)
    rows = iter(list(zip(*(_flat(batch.targets) for batch in batches), strict=True)))
    weights = None if batches[0].weights is None else torch.cat([batch.weights for batch in batches if batch.weights is not None])
    targets = each(lambda _: torch.cat(next(rows)), batches[0].targets)
    return Samples([torch.cat(column) for column in columns], targets, times=batches[0].times, weights=weights)


def _flat(tree: Any) -> list[Tensor]:
    found: list[Tensor] = []
    each(found.append, tree)
    return found


def _agree(found: Tensor, wanted: Tensor) -> bool:
    size = wanted.abs().max().clamp(min=1e-300)
    return bool(((found - wanted).abs() <= CLOSE * size).all())
