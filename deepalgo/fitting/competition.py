"""`Competition`: the heuristic, the network as it was given, and what training makes of them, compared on the same samples."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import torch

from deepalgo.errors import InputError
from deepalgo.fitting.checkpoint import UNFIT, Checkpoint, fingerprint
from deepalgo.fitting.choice.plan import WeightPlan, plan_weights
from deepalgo.fitting.choice.scale_parameters import scale_parameters
from deepalgo.fitting.choice.weight_options import WeightOptions
from deepalgo.fitting.choice.what_trains import check_anything, what_trains
from deepalgo.fitting.data.gather import FitData, SampleKind
from deepalgo.fitting.data.samples import tensors
from deepalgo.fitting.data.watch import enough_rounds
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
from deepalgo.fitting.judge.objective import Objective, measure
from deepalgo.fitting.options import SearchOptions
from deepalgo.fitting.processes import Processes
from deepalgo.fitting.progress import Bar
from deepalgo.fitting.report.build import build_report
from deepalgo.fitting.report.page import Fit
from deepalgo.fitting.report.trained import trained
from deepalgo.fitting.search.course import Course
from deepalgo.fitting.search.gradient_steps import StepSettings
from deepalgo.fitting.search.optimiser import is_second_order, make
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.space import Space
from deepalgo.network import Network

#: The part of a limited time that gradient steps may take, if other searches follow.
STEPS_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be computed: steps of the optimiser, seconds of all training, and from which seed."""

    steps: int
    seconds: float | None
    seed: int


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
        self.heuristic = heuristic_of(net)
        self.checkpoint: Checkpoint
        objective.probe(self.heuristic, data.first)

    def open(self, path: str | os.PathLike[str] | None) -> None:
        """Find the checkpoint of this very fit."""
        search = replace(self.search, optimiser=_name(self.search.optimiser))
        judges = _name(self.objective.loss), _name(self.objective.residual)
        text = f"{self.net.program} {search} {self.budget} {self.plan.text} {judges}"
        parts = self.data.batches.whole(), self.data.validation
        data = [tensor for part in parts for tensor in (*part.leaves, *tensors(part.targets))]
        self.checkpoint = Checkpoint(path, fingerprint(text, [*self.net.weights.tensors(), *data]), writes=self.processes.leads)
        self.processes.wait()

    def run(self, bar: Bar) -> Fit:
        """Train, select, and look at the test samples."""
        heuristic = Contender(HEURISTIC, self.heuristic, self._losses(self.heuristic))
        known = heuristic.validation.isfinite()
        self._check(known)
        contenders = [heuristic]
        if not is_untouched(self.net):
            given = trainable_copy(self.net)
            contenders.append(Contender(GIVEN, given, self._losses(given)))
        trainee = trainable_copy(self.net)
        if is_tensorized(self.net) and not is_guarded(self.net):  # tuned constants would have no guard, which the caller wants
            constants = constants_of(self.net)
            plan = plan_weights(constants, self.weights, strict=False, positive=self.positive)
            if plan.leaders:
                tuned = self._train(CONSTANTS, constants, known, plan, bar)
                contenders.append(tuned)
                if is_untouched(self.net) and compare(heuristic.validation, tuned.validation, self.is_seen).better:
                    inherit(trainee, tuned.network)
        contenders.append(self._train(TENSORIZED if is_tensorized(self.net) else CONSTANTS, trainee, known, self.plan, bar))
        report = build_report(self.net, contenders, select(contenders, self.is_seen), self.objective, self.data, self.processes)
        report.trained = trained(self.net, self.plan)
        return report

    @property
    def is_seen(self) -> bool:
        """Whether training has seen the samples by which contenders are selected."""
        return self.data.selected_by is SampleKind.TRAINING

    def _check(self, known: torch.Tensor) -> None:
        """Refuse a competition that nobody could win."""
        if not bool(known.any()):
            raise InputError(f"{self.net.program.name}() has no finite loss on any validation sample: there is no floor to stand on")
        check_anything(self.net, self.weights)
        make(self.search.optimiser, torch.zeros(1, requires_grad=True), self.search.rate)

    def _train(self, name: str, net: Network, known: torch.Tensor, plan: WeightPlan, bar: Bar) -> Contender:
        """Run the plan of searches on a network."""
        net.max_rounds = max(enough_rounds(self.heuristic, part.leaves) for part in (self.data.batches.whole(), self.data.validation))
        samples = self.data.batches, self.data.validation
        course = self._course(Problem(Space(net, plan=plan), self.objective, *samples, known, self.processes, self._seconds()))
        bar.begin(name, self.budget.steps)

        def after_step(course: Course) -> None:
            steps, ended = course.steps, bool(course.searches[-1].ended)
            if steps is course.searches[-1]:
                bar.show(steps.progress.step, steps.best.best, steps.floor)
            if ended or self.checkpoint.is_due:
                self.checkpoint.keep(name, course.state(), now=ended)

        if course.problem.floor > 0 and len(course.problem.space):
            self._resume(course, name)
            course.run(after_step)
        course.problem.space.put(course.best)
        runs = course.steps.runs if course.steps is not None else []
        details = {"progress": course.progress, "ended": [run.ended for run in runs], "interrupted": course.interrupted}
        return Contender(name, net, self._losses(net), training=details)

    def _course(self, problem: Problem) -> Course:
        """The plan with the options of the caller."""
        search, seconds = self.search, problem.clock.limit
        polished = search.polished and not is_second_order(search.optimiser)
        until = seconds if seconds is None or not polished else STEPS_SHARE * seconds
        settings = StepSettings(
            self.budget.steps, search.rate, search.clip, search.patience, search.optimiser, search.seeds, self.budget.seed, until
        )
        return Course(problem, settings, polished)

    def _seconds(self) -> float | None:
        """The time of one training, of which a network that has grown needs two."""
        seconds = self.budget.seconds
        return seconds / 2 if seconds is not None and is_tensorized(self.net) else seconds

    def _resume(self, course: Course, name: str) -> None:
        """Go to where the checkpoint is."""
        if (state := self.checkpoint.state(name)) is not None:
            try:
                course.restore(state)
            except UNFIT:
                raise self.checkpoint.refusal() from None

    def _losses(self, net: Network) -> torch.Tensor:
        return measure(self.objective, net, self.data.validation, self.processes)


def _name(function: Any) -> str:
    """What a function is called, the same in every process."""
    return function if isinstance(function, str) else str(getattr(function, "__qualname__", type(function).__qualname__))

