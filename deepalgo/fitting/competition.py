"""`Competition`: the heuristic, the network as it was given, and what training makes of them, compared on the same samples."""

from __future__ import annotations

import functools
import os
import time
from dataclasses import dataclass, replace
from typing import Any

import torch

from deepalgo.errors import InputError
from deepalgo.fitting.checkpoint import UNFIT, Checkpoint, fingerprint
from deepalgo.fitting.choice.plan import WeightPlan, plan_weights
from deepalgo.fitting.choice.scale_parameters import scale_parameters
from deepalgo.fitting.choice.weight_options import WeightOptions
from deepalgo.fitting.choice.what_trains import check_anything, what_trains
from deepalgo.fitting.data.batches import Batches, Epochs
from deepalgo.fitting.data.gather import FitData, SampleKind
from deepalgo.fitting.data.samples import Samples, tensors
from deepalgo.fitting.data.watch import enough_rounds
from deepalgo.fitting.deadline import Deadline
from deepalgo.fitting.judge.contenders import (
    CONSTANTS,
    GIVEN,
    HEURISTIC,
    TENSORIZED,
    Contender,
    constants_of,
    heuristic_of,
    inherit,
    is_guarded,
    is_tensorized,
    is_untouched,
    select,
    trainable_copy,
)
from deepalgo.fitting.judge.floor import compare
from deepalgo.fitting.judge.no_worse import worse_part
from deepalgo.fitting.judge.objective import Objective, measure
from deepalgo.fitting.options import SearchOptions
from deepalgo.fitting.processes import Processes
from deepalgo.fitting.progress import Bar
from deepalgo.fitting.report.build import build_report
from deepalgo.fitting.report.page import Fit
from deepalgo.fitting.report.refit import Refit
from deepalgo.fitting.report.trained import trained
from deepalgo.fitting.report.weight_changes import birth, differs
from deepalgo.fitting.search.course import Course
from deepalgo.fitting.search.gradient_steps import StepSettings
from deepalgo.fitting.search.optimiser import check, is_second_order
from deepalgo.fitting.search.plan import PLAN, PlannedSearch, readable
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.space import Space
from deepalgo.fitting.uncertainty.evidence import undetermined_weights
from deepalgo.network import Network

#: How often a report looks at the samples, and how often for each weight.
REPORT_LOOKS, REPORT_LOOKS_PER_WEIGHT = 10, 2
#: The part of a limited time that gradient steps may take, if other searches follow.
STEPS_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be computed: steps of the optimiser, seconds of all training, and from which seed."""

    steps: int
    seconds: float | None
    seed: int
    refit: bool = False


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """What one network is trained on, the samples by which its searches choose, and those by which it is judged."""

    batches: Batches
    chosen_by: Samples
    judged: Samples
    still: tuple[str, ...] | None = None  # the weights that stay as they are where a network is fitted again


class Competition:
    """One call of `fit`, once its data are there."""

    def __init__(
        self,
        net: Network,
        objective: Objective,
        data: FitData,
        search: SearchOptions,
        budget: Budget,
        weights: WeightOptions,
        processes: Processes,
        deadline: Deadline,
    ) -> None:
        self.net = net
        self.objective = objective
        self.data = data
        self.search = search
        self.budget = budget
        self.weights = weights
        training = {key for key, reason in what_trains(net, weights).items() if not reason}
        self.positive = scale_parameters(net, data.first.leaves, training)
        self.plan = plan_weights(net, weights, positive=self.positive)
        self.processes = processes
        self.deadline = deadline
        self.trained = 0  # networks so far
        self.heuristic = heuristic_of(net)
        self.interrupted = False
        self.checkpoint: Checkpoint
        objective.probe(self.heuristic, data.first)

    def open(self, path: str | os.PathLike[str] | None) -> None:
        """Find the checkpoint of this very fit."""
        self.checkpoint = Checkpoint(path, self._fingerprint() if path is not None else "", writes=self.processes.leads)
        self.processes.wait()

    def _fingerprint(self) -> str:
        """What tells this fit from others."""
        search = replace(self.search, optimiser=_name(self.search.optimiser))
        judges = _name(self.objective.loss), _name(self.objective.residual), self.objective.target_weight
        text = f"{self.net.program} {search} {self.budget} {self.plan.text} {judges} {self.data.divided}"
        parts = self.data.batches.whole(), self.data.validation
        trees = [tree for part in parts for tree in (part.leaves, part.targets, (part.groups, part.times, part.weights))]
        data = [tensor for tree in trees for tensor in tensors(tree)]
        return fingerprint(text, [*self.net.weights.tensors(), *data])

    def run(self, bar: Bar) -> Fit:
        """Train, select, and look at the test samples."""
        begun = time.monotonic()
        heuristic = Contender(HEURISTIC, self.heuristic, self._judged(self._alike(self.heuristic)))
        self.deadline.keep((time.monotonic() - begun) * (REPORT_LOOKS + REPORT_LOOKS_PER_WEIGHT * len(self.plan.leaders)))
        known = heuristic.validation.isfinite()
        self._check(known)
        contenders = [heuristic]
        if not is_untouched(self.net):
            given = trainable_copy(self.net)
            contenders.append(Contender(GIVEN, given, self._judged(self._alike(given))))
        trainees = [trainable_copy(self.net) for _ in self.places]
        if is_tensorized(self.net) and not is_guarded(self.net):  # tuned constants would have no guard, which the caller wants
            constants = [constants_of(self.net) for _ in self.places]
            plan = self._plan(constants[0], self.weights)
            if plan.leaders:
                tuned = self._contend(CONSTANTS, constants, bar)
                contenders.append(tuned)
                if is_untouched(self.net) and compare(heuristic.validation, tuned.validation, self.is_seen, groups=self.groups).better:
                    for trainee, network in zip(trainees, constants, strict=True):
                        inherit(trainee, network)
        contenders.append(self._contend(TENSORIZED if is_tensorized(self.net) else CONSTANTS, trainees, bar))
        bar.say("report")
        held = select(contenders, self.is_seen, self.groups)
        report = build_report(self.net, contenders, held, self.objective, self.data, self.processes, self.deadline, self._refit(held, bar))
        report.trained = trained(self.net, self.plan)
        return report

    @property
    def is_seen(self) -> bool:
        """Whether training has seen the samples by which contenders are selected."""
        return self.data.selected_by is SampleKind.TRAINING

    @property
    def places(self) -> list[TrainingSet]:
        """What is trained on: the data, and for each fold what it does not leave out."""
        whole = TrainingSet(self.data.batches, self.data.chosen_by, self.data.validation)
        size = self.data.batches.size
        seed = self.budget.seed
        return [whole, *(TrainingSet(Epochs(fold.training, size, seed), fold.training, fold.held) for fold in self.data.folds)]

    @property
    def groups(self) -> torch.Tensor | None:
        """The groups of what is compared."""
        return self.data.validation.groups if not self.objective.whole else None

    def _check(self, known: torch.Tensor) -> None:
        """Refuse a competition that nobody could win."""
        if not bool(known.any()):
            raise InputError(f"{self.net.program.name}() has no finite loss on any validation sample: there is no floor to stand on")
        check_anything(self.net, self.weights)
        check(self.search.optimiser, self.search.rate)

    def _contend(self, name: str, networks: list[Network], bar: Bar) -> Contender:
        """Train the first of these networks on the data, and each of the others on what a fold does not leave out."""
        details = []
        for number, (network, place) in enumerate(zip(networks, self.places, strict=True)):
            details.append(self._train(f"{name}, fold {number}" if number else name, network, place, bar))
            self.interrupted |= details[-1]["interrupted"]
        contender = Contender(name, networks[0], self._judged(networks), training=details[0])
        if self.data.folds and (part := worse_part(self.objective, self.heuristic, networks[0], {"all the": self.data.chosen_by})):
            contender.refused = f"it is worse than the heuristic on {part}"
        return contender

    def _train(self, name: str, net: Network, place: TrainingSet, bar: Bar) -> dict[str, Any]:
        """Run the plan of searches on a network, with those weights held that data cannot tell from others."""
        net.max_rounds = self.rounds
        known = measure(self.objective, self.heuristic, place.chosen_by, self.processes).isfinite()
        samples = place.batches, place.chosen_by
        weights = replace(self.weights, rates={**self.weights.rates, **dict.fromkeys(place.still or (), 0.0)})
        space = Space(net, plan=self._plan(net, weights))
        told = [] if is_tensorized(net) else undetermined_weights(space, self.objective, place.batches.whole())
        if held := dict.fromkeys((label for item in told for label in item.held if label in net.weights), 0.0):
            space = Space(net, plan=self._plan(net, replace(weights, rates={**weights.rates, **held})))
        again = place.still is not None
        problem = Problem(space, self.objective, *samples, known, self.processes, self._seconds(), self.is_seen or again)
        course = self._course(problem, tuple(entry for entry in PLAN if not (again and readable in entry.when)))
        bar.begin(name, self.budget.steps)

        def after_step(course: Course) -> None:
            search = course.searches[-1]
            ended = bool(search.ended)
            bar.show(search.name, course.steps_taken, search.lowest_loss, course.problem.floor)
            if ended or self.checkpoint.is_due:
                self.checkpoint.keep(name, course.state(), now=ended)

        trains = not self.interrupted and bool(known.any())
        if not is_perfect(course.problem) and len(course.problem.space) and trains:
            self._resume(course, name)
            course.run(after_step)
        course.problem.space.put(course.best)
        runs = course.steps.runs if course.steps is not None else []
        return {
            "progress": course.progress, "ended": [run.ended for run in runs], "interrupted": course.interrupted, "idle": idleness(course),
            "status": course.status, "seconds": course.problem.clock.elapsed(),
            "space": course.problem.space, "undetermined": told,
        }  # fmt: skip

    def _plan(self, net: Network, weights: WeightOptions) -> WeightPlan:
        """What a search may do with the weights of a network of this fit."""
        return plan_weights(net, weights, strict=False, positive=self.positive)

    @functools.cached_property
    def rounds(self) -> int:
        """A number of rounds that no loop should need."""
        parts = [self.data.batches.whole(), self.data.validation]
        return max(enough_rounds(self.heuristic, part.leaves) for part in parts)

    def _refit(self, held: Contender, bar: Bar) -> Refit:
        """Train the kept network on all data, from the weights that it was selected with."""
        everything = self.data.everything
        if not self.budget.refit or held.name == HEURISTIC or everything.size == self.data.batches.whole().size:
            return Refit()
        if is_guarded(held.network):
            return Refit(None, everything.size, "a guarded network is not fitted again")
        network = trainable_copy(held.network)
        batches = Epochs(everything, self.data.batches.size, self.budget.seed)
        weights = [weight for weight in network.weights.entries if not weight.frozen]
        still = tuple(item.key for item in weights if not differs(birth(network, item), network.weights[item.key].detach()))
        self._train("fitted again", network, TrainingSet(batches, everything, everything, still), bar)
        parts = {
            "all the": everything,
            "the training": self.data.batches.whole(),
            "the validation": self.data.validation,
            "the test": self.data.test,
        }
        part = worse_part(self.objective, self.heuristic, network, parts)
        return Refit(network if not part else None, everything.size, f"it is worse than the heuristic on {part}" if part else "")


    def _course(self, problem: Problem, plan: tuple[PlannedSearch, ...]) -> Course:
        """The plan with the options of the caller."""
        search, seconds = self.search, problem.clock.limit
        polished = search.polished and not is_second_order(search.optimiser)
        until = seconds if seconds is None or not polished else STEPS_SHARE * seconds
        settings = StepSettings(
            self.budget.steps, search.rate, search.clip, search.patience, search.optimiser, search.seeds, self.budget.seed, until
        )
        return Course(problem, settings, polished, plan)

    def _seconds(self) -> float | None:
        """The time of the next training: a network that has grown needs two, and so does each fold of it."""
        left = self.deadline.left_for_training()
        if left is None:
            return None
        trainings = (1 + is_tensorized(self.net)) * (1 + len(self.data.folds)) + self.budget.refit
        self.trained += 1
        return -self.processes.most(-left / max(trainings - self.trained + 1, 1))

    def _resume(self, course: Course, name: str) -> None:
        """Go to where the checkpoint is."""
        if (state := self.checkpoint.state(name)) is not None:
            try:
                course.restore(state)
            except UNFIT:
                raise self.checkpoint.refusal() from None

    def _alike(self, net: Network) -> list[Network]:
        """The same network for the data and each of the folds."""
        return [net] * (1 + len(self.data.folds))

    def _judged(self, networks: list[Network]) -> torch.Tensor:
        """The losses by which a kind of network is judged: those of validation, or of all folds that were left out."""
        places = self.places
        pairs = list(zip(networks, places, strict=True))
        return torch.cat([measure(self.objective, network, place.judged, self.processes) for network, place in pairs[1:] or pairs])


def is_perfect(problem: Problem) -> bool:
    """Whether no loss could become smaller: a cost of one's own may be below zero."""
    return problem.floor == 0 and problem.objective.named is not None


def idleness(course: Course) -> str:
    """Why a course got nowhere, or ''."""
    problem = course.problem
    if not course.searches and not len(problem.space):
        return "no weight may move"
    if not course.searches and is_perfect(problem):
        return "it has no error that could become smaller, and no step was taken"
    if not course.searches:
        return "no step was taken"
    late = problem.clock.is_late and torch.equal(course.best, problem.origin)
    return "nothing better was found before the time was over" if late else ""


def _name(function: Any) -> str:
    """What a function is called, the same in every process."""
    return function if isinstance(function, str) else str(getattr(function, "__qualname__", type(function).__qualname__))
