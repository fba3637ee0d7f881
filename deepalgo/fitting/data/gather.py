"""`gather`: the data of a fit, read, checked, and split into training, validation and test samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import torch

from deepalgo.errors import InputError
from deepalgo.fitting.data.batches import TEST, TRAINING, VALIDATION, Batches, DrawnBatches, Epochs
from deepalgo.fitting.data.samples import PAIRS, Draw, Samples, read
from deepalgo.fitting.data.seen import count_seen
from deepalgo.fitting.data.split import check_share, clean, parts
from deepalgo.network import Network

#: Samples in a batch, and samples that a drawing function gives for validation, for test and for methods that want all at once.
BATCH, DRAWN = 1024, 2000
#: What "auto" holds out of the data, for validation and for test.
USUAL_SHARE = 0.2


class SampleKind(StrEnum):
    """What samples are, whatever they are used for."""

    TRAINING = "training"
    VALIDATION = "validation"
    HELD_OUT = "held-out"


@dataclass(frozen=True, slots=True)
class FitData:
    """Samples for training, in batches, for validation and for test; `dropped` samples were left out for NaN.

    `first` are samples to try the loss on; `reference` says what is right for any inputs, if a function of the user's does. Where nothing
    was to be held out for validation or test, other samples stand for them: `selected_by` and `reported_on` say of which kind they are.
    So many test samples as `seen` are training samples, too.
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

    @property
    def counts(self) -> dict[str, int]:
        """How many samples each part has, as far as it has its own."""
        training = self.batches.whole()
        parts = {"training": training, "validation": self.validation, "test": self.test}
        others = {"training": (), "validation": (training,), "test": (training, self.validation)}
        return {name: len(part) for name, part in parts.items() if not any(part is other for other in others[name])}


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """What the caller says of held-out samples ("auto", a share of the data, samples of their own, None), and of missing numbers."""

    validation: Any
    test: Any
    missing: str


def gather(net: Network, inputs: Any, targets: Any, options: SplitOptions, supervised: bool, batch_size: int | None, seed: int) -> FitData:
    """Read, check and split the data of a call of `fit`."""
    if options.missing not in ("raise", "drop"):
        raise InputError(f"missing must be 'raise' or 'drop', not {options.missing!r}")
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


class SampleSource:
    """Where the samples of one call come from; counts those that are left out."""

    def __init__(self, net: Network, targets: Any, options: SplitOptions) -> None:
        self.net = net
        self.targets = targets
        self.options = options
        self.dropped = 0

    def drawn(self, function: Callable[..., Any], supervised: bool, size: int, seed: int) -> Parts:
        """Fresh samples for every step, and draws of their own for validation and test, unless these are given."""
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
        whole = self._clean(read(self.net, inputs, self.targets))
        given, shares = self._given(), self._shares()
        if not any(shares):
            return Parts(Epochs(whole, size, seed), *given, whole)
        training, *chosen = parts(len(whole), *shares, seed)
        validation, test = (
            whole.pick(part) if one is None and share else one for one, share, part in zip(given, shares, chosen, strict=True)
        )
        return Parts(Epochs(whole.pick(training), size, seed), validation, test, whole)

    def data(self, made: Parts) -> FitData:
        """The data of the fit, with other samples in the place of those that are not held out."""
        reference = self.targets if callable(self.targets) else None
        whole = made.batches.whole
        validation, selected_by = (whole(), SampleKind.TRAINING) if made.validation is None else (made.validation, SampleKind.VALIDATION)
        if _has_samples(self.options.validation) and count_seen(validation, whole()) == len(validation):
            selected_by = SampleKind.TRAINING
        test, reported_on = (validation, selected_by) if made.test is None else (made.test, SampleKind.HELD_OUT)
        seen = count_seen(test, whole()) if _has_samples(self.options.test) else 0
        reported_on = SampleKind.TRAINING if seen == len(test) else reported_on
        return FitData(made.batches, validation, test, self.dropped, made.first, reference, selected_by, reported_on, seen)

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
        targets = self.targets
        by_numbers = targets is not None and not callable(targets) and not isinstance(targets, str)
        if by_numbers and not (isinstance(part, tuple) and len(part) == 2):
            raise InputError("samples for validation or test must be a pair (inputs, targets), as targets are given as numbers")
        return self._clean(read(self.net, *part) if by_numbers else read(self.net, part, targets))

    def _clean(self, samples: Samples) -> Samples:
        samples, dropped = clean(samples, self.net.program.inputs, self.options.missing)
        self.dropped += dropped
        return samples


def _has_samples(part: Any) -> bool:
    return part is not None and not isinstance(part, (int, float, str))


def _share(name: str, part: Any, usual: float) -> float:
    """The share of the data that an argument asks for."""
    if part is None or _has_samples(part):
        return 0.0
    if part == "auto":
        return usual
    check_share(name, part)
    return float(part)


def is_draw(inputs: Any) -> bool:
    """Whether the inputs are a function that draws them."""
    return callable(inputs) and not isinstance(inputs, torch.utils.data.Dataset)
