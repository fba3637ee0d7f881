"""`gather`: the data of a fit, read, checked, and split into training, validation and test samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from deepalgo.errors import InputError
from deepalgo.fitting.data.batches import TEST, VALIDATION, Batches, DrawnBatches, Epochs
from deepalgo.fitting.data.samples import PAIRS, Draw, Samples, read
from deepalgo.fitting.data.split import check_share, clean, parts
from deepalgo.network import Network

#: Samples in a batch, and samples that a drawing function gives for validation, for test and for methods that want all at once.
BATCH, DRAWN = 1024, 2000


@dataclass(frozen=True, slots=True)
class FitData:
    """Samples for training, in batches, for validation and for test; `dropped` samples were left out for NaN.

    `first` are samples to try the loss on; `reference` says what is right for any inputs, if a function of the user's does.
    """

    batches: Batches
    validation: Samples
    test: Samples
    dropped: int
    first: Samples
    reference: Callable[..., Any] | None


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """What the caller says of samples that are held out, a share of the data or samples of their own, and of missing numbers."""

    validation: Any
    test: Any
    missing: str


def gather(net: Network, inputs: Any, targets: Any, options: SplitOptions, supervised: bool, batch_size: int | None, seed: int) -> FitData:
    """Read, check and split the data of a call of `fit`."""
    if options.missing not in ("raise", "drop"):
        raise InputError(f"missing must be 'raise' or 'drop', not {options.missing!r}")
    source = SampleSource(net, targets, options)
    size = BATCH if batch_size is None else batch_size
    made = source.drawn(inputs, supervised, size, seed) if is_draw(inputs) else source.split(inputs, size, seed)
    reference = targets if callable(targets) else None
    return FitData(*made[:3], source.dropped, made[3], reference)


class SampleSource:
    """Where the samples of one call come from; counts those that are left out."""

    def __init__(self, net: Network, targets: Any, options: SplitOptions) -> None:
        self.net = net
        self.targets = targets
        self.options = options
        self.dropped = 0

    def drawn(self, function: Callable[..., Any], supervised: bool, size: int, seed: int) -> tuple[Batches, Samples, Samples, Samples]:
        """Fresh samples for every step, and draws of their own for validation and test, unless these are given."""
        draw = Draw(self.net, function, PAIRS if supervised and self.targets is None else self.targets, seed)
        validation = self._given("validation", self.options.validation) or draw(DRAWN, VALIDATION, 0)
        test = self._given("test", self.options.test) or draw(DRAWN, TEST, 0)
        return DrawnBatches(draw, size, 2 * DRAWN), validation, test, validation

    def split(self, inputs: Any, size: int, seed: int) -> tuple[Batches, Samples, Samples, Samples]:
        """Parts of the data, or samples that are given."""
        whole = self._clean(read(self.net, inputs, self.targets))
        named = (("validation", self.options.validation), ("test", self.options.test))
        given = [self._given(name, item) for name, item in named]
        shares = [0.0 if one is not None else item for one, (_, item) in zip(given, named, strict=True)]
        chosen = parts(len(whole), shares[0], shares[1], seed)
        validation, test = (one or whole.pick(part) for one, part in zip(given, chosen[1:], strict=True))
        return Epochs(whole.pick(chosen[0]), size, seed), validation, test, whole

    def _given(self, name: str, part: Any) -> Samples | None:
        """Samples that the caller chose for validation or test; None if they are a share of the data."""
        if isinstance(part, (int, float)):
            check_share(name, part)
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


def is_draw(inputs: Any) -> bool:
    """Whether the inputs are a function that draws them."""
    return callable(inputs) and not isinstance(inputs, torch.utils.data.Dataset)
