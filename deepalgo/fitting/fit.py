"""`fit`: train the weights of a network, and hand back nothing that is worse than the heuristic.

>>> import torch
>>> from deepalgo.compiler import compile
>>> def cooling(t):
...     return 20.0 + 60.0 * 0.9 ** t
>>> t = torch.linspace(0, 10, 400, dtype=torch.float64)
>>> found = fit(compile(cooling), t, targets=21.0 + 55.0 * 0.85 ** t)
>>> [round(weight.item(), 4) for weight in found.network.weights.tensors()]
[21.0, 55.0, 0.85]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch

from deepalgo.errors import InputError
from deepalgo.fitting.batches import TEST, VALIDATION, Batches, Epochs, Fresh
from deepalgo.fitting.checkpoint import Checkpoint, fingerprint
from deepalgo.fitting.examine import examine
from deepalgo.fitting.floor import compare
from deepalgo.fitting.ladder import (
    CONSTANTS,
    GIVEN,
    HEURISTIC,
    TENSORIZED,
    Rung,
    climb,
    competitor,
    heuristic_of,
    inherit,
    is_guarded,
    is_tensorized,
    is_untouched,
)
from deepalgo.fitting.objective import Loss, Objective
from deepalgo.fitting.optimise import Optimiser, is_second_order
from deepalgo.fitting.polish import polish
from deepalgo.fitting.progress import Bar
from deepalgo.fitting.report import Fit
from deepalgo.fitting.resume import UNFIT
from deepalgo.fitting.samples import PAIRS, Draw, Samples, read, tensors
from deepalgo.fitting.space import Space
from deepalgo.fitting.split import check_share, clean, parts
from deepalgo.fitting.tidy import tidy
from deepalgo.fitting.train import Settings, Training, measure
from deepalgo.fitting.ways import enough_rounds
from deepalgo.fitting.world import World
from deepalgo.network import Network

#: Samples in a batch, and samples that a drawing function gives for validation, for test and for methods that want all at once.
BATCH, DRAWN = 1024, 2000
#: The part of a limited time that steps may take, if polishing follows.
STEPS_SHARE = 0.7


def fit(
    net: Network,
    inputs: Any,
    targets: Any = None,
    *,
    loss: Loss = None,
    residual: Callable[..., Any] | None = None,
    validation: Any = 0.2,
    test: Any = 0.2,
    steps: int = 500,
    batch_size: int | None = None,
    optimiser: Optimiser = "adam",
    rate: float = 0.01,
    rates: Mapping[str, float] | None = None,
    clip: float | None = 10.0,
    patience: int = 20,
    polished: bool = True,
    seeds: int = 1,
    seed: int = 0,
    seconds: float | None = None,
    missing: str = "raise",
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Fit:
    """Train the weights on targets or on a residual, and keep the result only if it is better than the heuristic beyond noise.

    `inputs`: a tuple of arguments, a dict or data frame by argument names, a `Dataset`, the only argument, or a function
    `draw(count)` that makes fresh ones. `targets`: numbers in the structure of the output, the name of a column, or a function that is
    called as the heuristic is. `residual(output, *arguments)` is zero where the output is right and needs no targets; without both,
    `loss(output, *arguments)` is the cost itself. `loss`: "squared", "absolute", "relative", a torch loss or a function of output and
    target.

    `validation` and `test` are shares of the data, or samples of their own: `(inputs, targets)`, or inputs where no targets are given
    as numbers. Test samples are looked at once, at the end.

    `rate` is the largest step relative to each weight's own size, `rates` holds factors of it by role or name (0 leaves them alone).
    `optimiser`: "adam" (one cycle, clipped), "lbfgs", or a class of `torch.optim`. `polished` ends with Gauss-Newton steps (L-BFGS if
    there are many weights, or the loss is no sum of squares). `patience`: how many hundredths of the run, in its second half, may
    pass without a gain. `seeds` runs start at different weights; the best on validation is taken. `seconds` limits all training.
    `missing="drop"` leaves out samples with NaN.

    `checkpoint` names a file in which the state is kept: the same call goes on from there, and ends with the same weights. Ctrl-C ends
    training with the best weights so far. Under `torchrun` the processes share each batch.
    """
    work = Work(net, Objective(net, loss, residual, supervised=_is_supervised(inputs, targets, residual, loss)), World.find(), seed)
    work.gather(inputs, targets, validation, test, batch_size, missing)
    if seconds is not None and not seconds > 0:
        raise InputError(f"seconds must be above 0, not {seconds}")
    settings = Settings(_positive("steps", steps), rate, clip, patience, optimiser, _positive("seeds", seeds), seed, seconds)
    work.open(checkpoint, settings, rates, polished)
    with Bar(progress if work.world.leads else False) as bar:
        return work.compete(settings, rates, polished, bar)


class Work:
    """One call of `fit`."""

    def __init__(self, net: Network, objective: Objective, world: World, seed: int) -> None:
        self.net = net
        self.objective = objective
        self.world = world
        self.seed = seed
        self.heuristic = heuristic_of(net)
        self.dropped = 0
        self.reference: Callable[..., Any] | None = None
        self.batches: Batches
        self.validation: Samples
        self.test: Samples
        self.checkpoint: Checkpoint

    def gather(self, inputs: Any, targets: Any, validation: Any, test: Any, batch_size: int | None, missing: str) -> None:
        """Read, check and split the data."""
        if missing not in ("raise", "drop"):
            raise InputError(f"missing must be 'raise' or 'drop', not {missing!r}")
        self.reference = targets if callable(targets) else None
        size = BATCH if batch_size is None else _positive("batch_size", batch_size)
        if _is_draw(inputs):
            draw = Draw(self.net, inputs, PAIRS if self.objective.supervised and targets is None else targets, self.seed)
            self.batches = Fresh(draw, size, 2 * DRAWN)
            self.validation = self._given("validation", validation, targets, missing) or draw(DRAWN, VALIDATION, 0)
            self.test = self._given("test", test, targets, missing) or draw(DRAWN, TEST, 0)
            probed = self.validation
        else:
            probed = self._clean(read(self.net, inputs, targets), missing)
            given = [self._given(name, item, targets, missing) for name, item in (("validation", validation), ("test", test))]
            shares = [0.0 if one is not None else item for one, item in zip(given, (validation, test), strict=True)]
            chosen = parts(len(probed), shares[0], shares[1], self.seed)
            self.batches = Epochs(probed.pick(chosen[0]), size, self.seed)
            self.validation, self.test = (one or probed.pick(part) for one, part in zip(given, chosen[1:], strict=True))
        self.objective.probe(self.heuristic, probed)

    def open(self, path: Any, settings: Settings, rates: Mapping[str, float] | None, polished: bool) -> None:
        """Find the checkpoint of this very fit."""
        settings = replace(settings, optimiser=_name(settings.optimiser))
        judges = _name(self.objective.loss), _name(self.objective.residual)
        text = f"{self.net.program} {settings} {sorted((rates or {}).items())} {polished} {judges}"
        parts = self.batches.whole(), self.validation
        data = [tensor for part in parts for tensor in (*part.leaves, *tensors(part.targets))]
        self.checkpoint = Checkpoint(path, fingerprint(text, [*self.net.weights.tensors(), *data]), writes=self.world.leads)
        self.world.wait()

    def compete(self, settings: Settings, rates: Mapping[str, float] | None, polished: bool, bar: Bar) -> Fit:
        """Train, select, and look at the test samples."""
        heuristic = Rung(HEURISTIC, self.heuristic, self._losses(self.heuristic))
        known = heuristic.validation.isfinite()
        if not bool(known.any()):
            raise InputError(f"{self.net.program.name}() has no finite loss on any validation sample: there is no floor to stand on")
        if all(weight.frozen for weight in self.net.weights.entries):
            raise InputError(f"{self.net.program.name}() has no weight that could be trained: print(net.weights) says why")
        if settings.seconds is not None and is_tensorized(self.net):
            settings = replace(settings, seconds=settings.seconds / 2)  # for each of two trainings
        rungs = [heuristic]
        if not is_untouched(self.net):
            given = competitor(self.net)
            rungs.append(Rung(GIVEN, given, self._losses(given)))
        trainee = competitor(self.net)
        if is_tensorized(self.net) and not is_guarded(self.net):  # tuned constants would have no guard, which the caller wants
            tuned = self._train(CONSTANTS, heuristic_of(self.net), known, settings, _of(self.heuristic, rates), polished, bar)
            rungs.append(tuned)
            if is_untouched(self.net) and compare(heuristic.validation, tuned.validation).better:
                inherit(trainee, tuned.network)
        rungs.append(self._train(TENSORIZED if is_tensorized(self.net) else CONSTANTS, trainee, known, settings, rates, polished, bar))
        held = climb(rungs)
        data = self.batches.whole(), self.validation, self.test
        return examine(self.net, rungs, held, self.objective, *data, self.reference, self.world, self.dropped)

    def _train(
        self, name: str, net: Network, known: torch.Tensor, settings: Settings, rates: Mapping[str, float] | None, polished: bool, bar: Bar
    ) -> Rung:
        net.max_rounds = max(enough_rounds(self.heuristic, part.leaves) for part in (self.batches.whole(), self.validation))
        space, polished = Space(net, rates), polished and not is_second_order(settings.optimiser)
        settings = replace(settings, share=STEPS_SHARE if polished else 1.0)
        training = Training(space, self.objective, self.batches, self.validation, known, settings, self.world)
        bar.begin(name, settings.steps)
        if (state := self.checkpoint.state(name)) is not None:
            try:
                training.restore(state)
            except UNFIT:
                raise self.checkpoint.refusal() from None

        def after_look(training: Training) -> None:
            bar.show(training.progress.step, training.best.best, training.floor)
            self.checkpoint.keep(name, training.state(), now=training.is_over)

        if training.floor > 0 and len(space):
            training.run(after_look)
        space.put(self._finished(training, polished))
        details = {"progress": training.progress, "ended": [run.ended for run in training.runs], "interrupted": training.interrupted}
        return Rung(name, net, self._losses(net), training=details)

    def _finished(self, training: Training, polished: bool) -> torch.Tensor:
        """The best point, polished, without moves that were of no use; what Ctrl-C leaves undone is left undone."""
        best = training.best.best_x
        if training.floor == 0 or not len(training.space) or training.interrupted:
            return best
        try:
            best = polish(training) if polished else best
            best = tidy(training, best)
        except KeyboardInterrupt:
            training.interrupted = True
        return best

    def _losses(self, net: Network) -> torch.Tensor:
        return measure(self.objective, net, self.validation, self.world)

    def _given(self, name: str, part: Any, targets: Any, missing: str) -> Samples | None:
        """Samples that the caller chose for validation or test; None if they are a share of the data."""
        if isinstance(part, (int, float)):
            check_share(name, part)
            return None
        by_numbers = targets is not None and not callable(targets) and not isinstance(targets, str)
        if by_numbers and not (isinstance(part, tuple) and len(part) == 2):
            raise InputError("samples for validation or test must be a pair (inputs, targets), as targets are given as numbers")
        return self._clean(read(self.net, *part) if by_numbers else read(self.net, part, targets), missing)

    def _clean(self, samples: Samples, missing: str) -> Samples:
        samples, dropped = clean(samples, self.net.program.inputs, missing)
        self.dropped += dropped
        return samples


def _name(function: Any) -> str:
    """What a function is called, the same in every process."""
    return function if isinstance(function, str) else str(getattr(function, "__qualname__", type(function).__qualname__))


def _is_draw(inputs: Any) -> bool:
    return callable(inputs) and not isinstance(inputs, torch.utils.data.Dataset)


def _is_supervised(inputs: Any, targets: Any, residual: Any, loss: Loss) -> bool:
    if targets is not None and residual is not None:
        raise InputError("give targets= or residual=, not both: they are two ways to say what is right")
    if residual is not None:
        return False
    return targets is not None or isinstance(inputs, torch.utils.data.Dataset) or (_is_draw(inputs) and not callable(loss))


def _of(net: Network, rates: Mapping[str, float] | None) -> dict[str, float]:
    """The rates that concern a network."""
    keys = {weight.key for weight in net.weights.entries} | {str(weight.role) for weight in net.weights.entries}
    return {name: rate for name, rate in (rates or {}).items() if name in keys}


def _positive(name: str, number: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InputError(f"{name} must be a positive whole number, not {number!r}")
    return number
