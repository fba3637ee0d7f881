"""`examine`: look at what competed, once, and write down everything that the report says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from deepalgo.certificate.idle import tried_weights
from deepalgo.certificate.report import Dead
from deepalgo.errors import DeepalgoError
from deepalgo.fitting.beyond import beyond
from deepalgo.fitting.cost import seconds_per_sample
from deepalgo.fitting.ladder import Rung
from deepalgo.fitting.moved import Moved, moved_weights
from deepalgo.fitting.objective import Objective
from deepalgo.fitting.report import Drift, Fit, Unit
from deepalgo.fitting.samples import Samples, judge
from deepalgo.fitting.summary import Summary, summarise
from deepalgo.fitting.train import measure
from deepalgo.fitting.ways import at_bound, untried
from deepalgo.fitting.world import World
from deepalgo.network import Network

#: Samples on which dead weights are looked for.
SOME = 2000


def examine(
    net: Network, rungs: list[Rung], held: Rung, objective: Objective, training: Samples, validation: Samples, test: Samples,
    reference: Callable[..., Any] | None, world: World, dropped: int,
) -> Fit:  # fmt: skip
    """The report. The test samples are measured here and nowhere else."""
    for rung in rungs:
        rung.network.max_rounds = net.max_rounds
        rung.test = measure(objective, rung.network, test, world)
    some = [leaf[:SOME] for leaf in training.leaves]
    seen = [torch.cat(pair) for pair in zip(training.leaves, validation.leaves, strict=True)]
    heuristic, winner = rungs[0].network, held.network
    winner.failures.clear()
    known = rungs[0].validation.isfinite()
    measure(objective, winner, validation, World())
    failures = dict(winner.failures)
    moved = moved_weights(winner, objective, validation, known)
    fit = Fit(
        name=net.program.name, network=winner, rungs=rungs, held=held,
        unit=Unit(objective.is_squares, objective.loss == "relative"),
        held_out=_summaries(rungs, [rung.test for rung in rungs], objective),
        samples={"training": len(training), "validation": len(validation), "test": len(test)},
        moved=moved, dead=tuple(_known_to_matter(item, moved) for item in tried_weights(winner, some)),
        untried=untried(winner, seen), at_bound=at_bound(winner, seen), failures=failures, dropped=dropped, inputs=test.leaves,
        seconds_per_sample=_costs(rungs, held, test.leaves),
    )  # fmt: skip
    _look_outside(fit, objective, heuristic, beyond(training.leaves, test.leaves, seed=0), reference)
    winner.errors = net.errors
    winner.failures.clear()
    return fit


def _known_to_matter(item: Dead, moved: list[Moved]) -> Dead:
    """A weight that moved and whose loss is another one when it is put back moves answers, if not those on which that was tried."""
    change = next((other.distance for other in moved if other.weight.key == item.key and other.matters), None)
    return item if change is None or item.change is not None else replace(item, change=change)


def _summaries(rungs: list[Rung], losses: list[Tensor], objective: Objective) -> dict[str, Summary]:
    pairs = zip(rungs, losses, strict=True)
    return {rung.name: summarise(losses[0], after, objective.is_squares) for rung, after in pairs}


def _costs(rungs: list[Rung], held: Rung, leaves: list[Tensor]) -> dict[str, float]:
    shown = [rungs[0], held] if held is not rungs[0] else [held]
    return dict(zip([rung.name for rung in shown], seconds_per_sample([rung.network for rung in shown], leaves), strict=True))


def _look_outside(fit: Fit, objective: Objective, heuristic: Network, leaves: list[Tensor], reference: Callable[..., Any] | None) -> None:
    """Errors beyond the training range where something says what is right, else how far the answers are from the heuristic's."""
    samples = _judged(heuristic, leaves, objective, reference)
    if samples is not None:
        losses = [objective.measure(rung.network, samples) for rung in fit.rungs]
        if bool(losses[0].isfinite().any()):
            fit.outside = _summaries(fit.rungs, losses, objective)
        return
    with torch.no_grad():
        before, after = (network.execute(leaves)[: objective.count] for network in (heuristic, fit.held.network))
    parts = [((b - a).abs() / a.abs()).reshape(-1) for a, b in zip(before, after, strict=True) if a.is_floating_point()]
    found = torch.cat([*parts, torch.zeros(0)])
    found = found[found.isfinite()]
    if len(found):
        fit.drift = Drift(found.median().item(), found.max().item())


def _judged(net: Network, leaves: list[Tensor], objective: Objective, reference: Callable[..., Any] | None) -> Samples | None:
    """Samples that a residual or a reference can judge."""
    if not objective.supervised:
        return Samples(leaves, None)
    if reference is None:
        return None
    try:
        return judge(net, leaves, reference)
    except (ArithmeticError, ValueError, TypeError, RuntimeError, DeepalgoError):
        return None  # a reference need not know anything beyond the range
