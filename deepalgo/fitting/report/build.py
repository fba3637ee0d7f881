"""`build_report`: measure the contenders on the test samples, once, and collect everything that the report says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from deepalgo.certificate.idle import tried_weights
from deepalgo.certificate.report import Dead
from deepalgo.errors import DeepalgoError
from deepalgo.fitting.data.beyond_range import beyond_range
from deepalgo.fitting.data.gather import FitData
from deepalgo.fitting.data.samples import Samples, judge
from deepalgo.fitting.deadline import Deadline
from deepalgo.fitting.judge.contenders import Contender
from deepalgo.fitting.judge.objective import Objective, measure
from deepalgo.fitting.processes import Processes
from deepalgo.fitting.report.evaluation_time import seconds_per_sample
from deepalgo.fitting.report.page import Drift, Fit, Unit
from deepalgo.fitting.report.refit import Refit
from deepalgo.fitting.report.remarks import copied
from deepalgo.fitting.report.summary import Summary, of_whole, summarise
from deepalgo.fitting.report.untried_arms import at_bound, untried
from deepalgo.fitting.report.weight_changes import WeightChange, weight_changes
from deepalgo.fitting.uncertainty.evidence import evidence, has_derivatives
from deepalgo.network import Network

#: Samples on which dead weights are looked for.
SOME = 2000


def build_report(
    net: Network,
    contenders: list[Contender],
    held: Contender,
    objective: Objective,
    data: FitData,
    processes: Processes,
    deadline: Deadline,
    again: Refit,
) -> Fit:
    """The report. The test samples are measured here and nowhere else."""
    training, validation, test = data.batches.whole(), data.validation, data.test
    for contender in contenders:
        contender.network.max_rounds = net.max_rounds
        by_folds = data.folds and test is validation
        contender.test = contender.validation if by_folds else measure(objective, contender.network, test, processes)
    some = [leaf[:SOME] for leaf in training.leaves]
    seen = _judged_leaves(data)
    heuristic, winner = contenders[0].network, again.network or held.network
    winner.max_rounds = net.max_rounds
    winner.failures.clear()
    known = contenders[0].validation.isfinite()
    measure(objective, winner, validation, Processes())
    failures = dict(winner.failures)
    moved = weight_changes(winner, objective, validation, known) if not deadline.is_over else []
    fitted = training if winner is held.network else data.everything
    space = held.training.get("space") if not deadline.is_over else None
    told = evidence(space, winner, objective, fitted, held.training.get("undetermined", []))
    idle = tried_weights(winner, some) if not deadline.is_over else ()
    dead = (_known_to_matter(item, moved) for item in idle if not has_derivatives(told, item.key))
    watched = seen if not deadline.is_over else []
    fit = Fit(
        name=net.program.name, network=winner, contenders=contenders, held=held,
        unit=Unit(objective.is_squares, objective.loss == "relative", _name_of_whole(objective)),
        held_out=_summaries(contenders, [contender.test for contender in contenders], objective, test.size, test.groups),
        samples=data.counts, selected_by=data.selected_by, reported_on=data.reported_on, seen=data.seen,
        moved=moved, dead=tuple(dead), evidence=told,
        untried=untried(winner, watched) if watched else [], at_bound=at_bound(winner, watched) if watched else [],
        failures=failures, dropped=data.dropped, inputs=test.leaves,
        seconds_per_sample=_costs(contenders, held, test.leaves) if not deadline.is_over else {}, divided=data.divided, refit=again,
        warnings=tuple(copied(data.first, [item.path for item in net.program.inputs])), was_late=deadline.is_over,
    )  # fmt: skip
    if test.times is None and not deadline.is_over:
        _look_outside(fit, objective, heuristic, beyond_range(training.leaves, test.leaves, seed=0), data.reference)
    winner.errors = net.errors
    winner.failures.clear()
    return fit


def _judged_leaves(data: FitData) -> list[Tensor]:
    """The inputs of training and validation, each sample once."""
    training, validation = data.batches.whole(), data.validation
    if validation is training or data.folds or training.times is not None:
        return training.leaves
    return [torch.cat(pair) for pair in zip(training.leaves, validation.leaves, strict=True)]


def _known_to_matter(item: Dead, moved: list[WeightChange]) -> Dead:
    """A weight that moved and whose loss is another one when it is put back moves answers, if not those on which that was tried."""
    change = next((other.distance for other in moved if other.weight.key == item.key and other.matters), None)
    return item if change is None or item.change is not None else replace(item, change=change)


def _summaries(
    contenders: list[Contender], losses: list[Tensor], objective: Objective, size: int, groups: Tensor | None = None
) -> dict[str, Summary]:
    pairs = zip(contenders, losses, strict=True)
    groups = groups if groups is not None and len(groups) == len(losses[0]) else None
    found = {contender.name: summarise(losses[0], after, objective.is_squares, groups) for contender, after in pairs}
    return {name: of_whole(summary, size) for name, summary in found.items()} if objective.whole else found


def _name_of_whole(objective: Objective) -> str:
    """What the loss of a whole set is called."""
    if not objective.whole:
        return ""
    return "largest error" if objective.named is not None else "loss"


def _costs(contenders: list[Contender], held: Contender, leaves: list[Tensor]) -> dict[str, float]:
    """What an evaluation costs, before and after, where that can differ."""
    if held.network.program == contenders[0].network.program:
        return {}
    shown = [contenders[0], held]
    times = seconds_per_sample([contender.network for contender in shown], leaves)
    return {contender.name: taken for contender, taken in zip(shown, times, strict=True)}


def _look_outside(fit: Fit, objective: Objective, heuristic: Network, leaves: list[Tensor], reference: Callable[..., Any] | None) -> None:
    """Errors beyond the training range where something says what is right, else how far the answers are from the heuristic's."""
    samples = _judged(heuristic, leaves, objective, reference)
    if samples is not None:
        losses = [objective.measure(contender.network, samples) for contender in fit.contenders]
        if bool(losses[0].isfinite().any()):
            fit.outside = _summaries(fit.contenders, losses, objective, samples.size)
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
