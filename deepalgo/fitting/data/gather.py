"""`gather`: the data of a fit, read, checked, and split into training, validation and test samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import torch

from deepalgo.errors import InputError
from deepalgo.fitting.data.batches import TEST, TRAINING, VALIDATION, Batches, DrawnBatches, Epochs
from deepalgo.fitting.data.divide import Partition, Shares, Units, divide, stretches
from deepalgo.fitting.data.labels import Labels
from deepalgo.fitting.data.samples import PAIRS, Draw, Samples, joined, read
from deepalgo.fitting.data.seen import count_seen
from deepalgo.fitting.data.split import check_share, clean
from deepalgo.fitting.data.weights import taken, with_weights
from deepalgo.network import Network
from deepalgo.signature import Signature

#: Samples in a batch, and samples that a drawing function gives for validation, for test and for methods that want all at once.
BATCH, DRAWN = 1024, 2000
#: What "auto" holds out of the data, for validation and for test.
USUAL_SHARE = 0.2


class SampleKind(StrEnum):
    """What samples are, whatever they are used for."""

    TRAINING = "training"
    VALIDATION = "validation"
    HELD_OUT = "held-out"
    LEFT_OUT = "left-out"


@dataclass(frozen=True, slots=True)
class Fold:
    """Samples to train on, and others that are left out to judge what was trained."""

    training: Samples
    held: Samples


@dataclass(frozen=True, slots=True)
class FitData:
    """Samples for training, in batches, for validation and for test; `dropped` samples were left out for NaN.

    `first` are samples to try the loss on; `reference` says what is right for any inputs, if a function of the user's does. Where nothing
    was to be held out for validation or test, other samples stand for them: `selected_by` and `reported_on` say of which kind they are.
    So many test samples as `seen` are training samples, too.

    Few data are divided into `folds`: each is left out once by a training of its own, and `validation` are the samples that were left out,
    fold by fold. `divided` says in words how data were divided.
    """

    batches: Batches
    validation: Samples
    test: Samples
    dropped: int
    first: Samples
    reference: Callable[..., Any] | None
    selected_by: SampleKind = SampleKind.VALIDATION
    reported_on: SampleKind = SampleKind.HELD_OUT
    seen: int = 0
    folds: tuple[Fold, ...] = ()
    divided: str = ""

    @property
    def chosen_by(self) -> Samples:
        """The samples by which a search chooses among its points; what it found is judged by others where there are folds."""
        return self.batches.whole() if self.folds else self.validation

    @property
    def everything(self) -> Samples:
        """All samples of which something is known, each once."""
        training = self.batches.whole()
        parts = [training, *(part for part in (self.validation, self.test) if part is not training and not self.folds)]
        if self.folds and self.test is not self.validation:
            parts.append(self.test)
        return joined([part for number, part in enumerate(parts) if not any(part is other for other in parts[:number])])

    @property
    def counts(self) -> dict[str, int]:
        """How many samples each part has, as far as it has its own."""
        training = self.batches.whole()
        parts = {"training": training, "validation": self.validation, "test": self.test}
        others = {"training": (), "validation": (training,), "test": (training, self.validation)}
        own = {name: part.size for name, part in parts.items() if not any(part is other for other in others[name])}
        return {name: number for name, number in own.items() if not (self.folds and name == "validation")}


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """What the caller says of held-out samples ("auto", a share of the data, samples of their own, None), missing numbers and labels."""

    validation: Any
    test: Any
    missing: str
    labels: Labels
    sample_weight: Any = None


def gather(net: Network, inputs: Any, targets: Any, options: SplitOptions, supervised: bool, batch_size: int | None, seed: int) -> FitData:
    """Read, check and split the data of a call of `fit`."""
    if options.missing not in ("raise", "drop"):
        raise InputError(f"missing must be 'raise' or 'drop', not {options.missing!r}")
    options.labels.check()
    source = SampleSource(net, targets, options)
    size = BATCH if batch_size is None else batch_size
    parts = source.drawn(inputs, supervised, size, seed) if is_draw(inputs) else source.split(inputs, size, seed)
    return source.data(parts)


@dataclass(frozen=True, slots=True)
class Parts:
    """The samples of each part, None where nothing is held out for it, and samples to try the loss on."""

    batches: Batches
    validation: Samples | None
    test: Samples | None
    first: Samples
    folds: tuple[Fold, ...] = ()
    divided: str = ""


class SampleSource:
    """Where the samples of one call come from; counts those that are left out."""

    def __init__(self, net: Network, targets: Any, options: SplitOptions) -> None:
        self.net = net
        self.targets = targets
        self.options = options
        self.dropped = 0

    def drawn(self, function: Callable[..., Any], supervised: bool, size: int, seed: int) -> Parts:
        """Fresh samples for every step, and draws of their own for validation and test, unless these are given."""
        if not self.options.labels.is_none:
            raise InputError("samples that a function draws have no groups and no times: give data, or leave out groups= and split=")
        if self.options.sample_weight is not None:
            raise InputError("samples that a function draws count alike: give data, or leave out sample_weight=")
        draw = Draw(self.net, function, PAIRS if supervised and self.targets is None else self.targets, seed)
        given, shares = self._given(), self._shares()
        validation, test = (
            draw(DRAWN, stream, 0) if one is None and share else one
            for one, share, stream in zip(given, shares, (VALIDATION, TEST), strict=True)
        )
        if validation is None:
            whole = draw(2 * DRAWN, TRAINING, 0)
            return Parts(Epochs(whole, size, seed), None, test, whole)
        return Parts(DrawnBatches(draw, size, 2 * DRAWN), validation, test, validation)

    def split(self, inputs: Any, size: int, seed: int) -> Parts:
        """Parts of the data, or samples that are given."""
        whole = self._clean(self._labelled(inputs))
        given, shares = self._given(), self._shares()
        if not any(shares):
            return Parts(Epochs(whole, size, seed), *given, whole)
        units = Units(whole.size, whole.groups, self.in_time or whole.times is not None)
        division = divide(units, Shares(*shares, _is_auto(self.options.validation), not _is_auto(self.options.test)), seed)
        training, *chosen = (whole.part(part) for part in division.parts)
        validation, test = (
            self._part(part) if one is None and share and part.size else one for one, share, part in zip(given, shares, chosen, strict=True)
        )
        folds = tuple(Fold(whole.part(one), whole.part(other)) for one, other in division.folds)
        if folds:
            validation = joined([fold.held for fold in folds])
            validation = stretches(validation, len(folds)) if units.in_time else validation
        return Parts(Epochs(training, size, seed), validation, test, whole, folds, _in_words(units, division))

    @property
    def in_time(self) -> bool:
        """Whether later samples are held out."""
        return self.options.labels.in_time

    def _part(self, part: Samples) -> Samples:
        """Samples that are held out; neighbours in time are groups."""
        return stretches(part) if self.in_time or part.times is not None else part

    def _labelled(self, inputs: Any, targets: Any = None, labels: Labels | None = None) -> Samples:
        """Samples with their groups, in the order of their time."""
        signature = self.net.signature
        arguments = [item.name for item in signature.arguments] if isinstance(signature, Signature) else []
        weight = self.options.sample_weight
        inputs, weight = taken(inputs, weight if labels is None or isinstance(weight, str) else None)
        inputs, groups, order = (labels or self.options.labels).take(inputs, arguments)
        samples = read(self.net, inputs, self.targets if targets is None else targets)
        if groups is not None and len(groups) != len(samples):
            raise InputError(f"there are {len(samples)} samples, but {len(groups)} items of groups=")
        if order is not None and len(order) != len(samples):
            raise InputError(f"there are {len(samples)} samples, but {len(order)} items of split=")
        samples = with_weights(replace(samples, groups=groups), weight)
        return samples if order is None else samples.pick(order)

    def data(self, made: Parts) -> FitData:
        """The data of the fit, with other samples in the place of those that are not held out."""
        reference = self.targets if callable(self.targets) else None
        whole = made.batches.whole
        validation, selected_by = (whole(), SampleKind.TRAINING) if made.validation is None else (made.validation, SampleKind.VALIDATION)
        if _has_samples(self.options.validation) and count_seen(validation, whole()) == len(validation):
            selected_by = SampleKind.TRAINING
        selected_by = SampleKind.LEFT_OUT if made.folds else selected_by
        test, reported_on = (validation, selected_by) if made.test is None else (made.test, SampleKind.HELD_OUT)
        seen = count_seen(test, whole()) if _has_samples(self.options.test) else 0
        reported_on = SampleKind.TRAINING if seen == len(test) else reported_on
        return FitData(
            made.batches, validation, test, self.dropped, made.first, reference, selected_by, reported_on, seen, made.folds, made.divided
        )

    def _shares(self) -> tuple[float, float]:
        """The parts of the data that are held out for validation and for test."""
        validation, test = self.options.validation, self.options.test
        without = 0.0 if validation is None else USUAL_SHARE
        return _share("validation", validation, USUAL_SHARE), _share("test", test, without)

    def _given(self) -> tuple[Samples | None, Samples | None]:
        """Samples that the caller chose for validation and for test."""
        return self._read(self.options.validation), self._read(self.options.test)

    def _read(self, part: Any) -> Samples | None:
        if not _has_samples(part):
            return None
        targets, groups = self.targets, self.options.labels.groups
        by_numbers = targets is not None and not callable(targets) and not isinstance(targets, str)
        listed = groups is not None and not isinstance(groups, str)
        if listed and not (isinstance(part, tuple) and len(part) == 2 + by_numbers):
            needed = "(inputs, targets, groups)" if by_numbers else "(inputs, groups)"
            raise InputError(f"samples for validation or test must be {needed}, as groups are given for each sample")
        if by_numbers and not (isinstance(part, tuple) and len(part) == 2 + listed):
            raise InputError("samples for validation or test must be a pair (inputs, targets), as targets are given as numbers")
        inputs, numbers = (part[0], part[1] if by_numbers else None) if by_numbers or listed else (part, None)
        labels = replace(self.options.labels, groups=part[-1] if listed else groups)
        return self._part(self._clean(self._labelled(inputs, numbers, labels)))

    def _clean(self, samples: Samples) -> Samples:
        samples, dropped = clean(samples, self.net.program.inputs, self.options.missing)
        self.dropped += dropped
        return samples


def _is_auto(part: Any) -> bool:
    return isinstance(part, str) and part == "auto"


def _has_samples(part: Any) -> bool:
    return part is not None and not isinstance(part, (int, float, str))


def _share(name: str, part: Any, usual: float) -> float:
    """The share of the data that an argument asks for."""
    if part is None or _has_samples(part):
        return 0.0
    if _is_auto(part):
        return usual
    check_share(name, part)
    return float(part)


def _in_words(units: Units, division: Partition) -> str:
    """How the data were divided, where that was not at random."""
    if division.folds:
        number = len(division.folds)
        if units.in_time:
            return f"{number} trainings, each judged on the times that follow it"
        if units.groups is None:
            return f"each is left out by one of {number} trainings that judge"
        if number == units.count:
            return f"each of {number} groups is left out by one of {number} trainings that judge"
        return f"each of {units.count} groups is left out by one of {number} trainings that judge"
    if units.in_time:
        return "later times are held out"
    return f"whole groups of {units.count} are held out" if units.groups is not None else ""


def is_draw(inputs: Any) -> bool:
    """Whether the inputs are a function that draws them."""
    return callable(inputs) and not isinstance(inputs, torch.utils.data.Dataset)
