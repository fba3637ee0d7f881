"""Gradients of the network by its weights, held against the function run with that constant replaced."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.certificate.account import Account, are_finite, is_no_oracle
from deepalgo.certificate.constants import OutOfReach, replaced
from deepalgo.certificate.gradients import items_of, near_rows, project, totals_of
from deepalgo.certificate.original import CallOutcome, Original
from deepalgo.certificate.paths import all_paths
from deepalgo.certificate.report import ByWeights
from deepalgo.certificate.slopes import around
from deepalgo.errors import VerificationError
from deepalgo.ir import Weight
from deepalgo.origins import Origin

if TYPE_CHECKING:
    from deepalgo.network import Network

#: So many weights are compared unless another number is asked for, and of each so many items, samples and outputs.
MOST_WEIGHTS, MOST_ITEMS, MOST_SAMPLES, MOST_OUTPUTS = 20, 4, 8, 4
#: So many lines of the function are run for it, or each weight once.
MOST_LINES = 1_000_000
#: Why weights are not compared.
LEFT_OUT = "left out (`most_weights` compares more)"
GROWN = "the program was changed since it was compiled"
TRAINED = "its value is not the function's any more"
OTHERWISE = "a copy of its function behaves in another way"
WITHOUT_EFFECT = "the function does not read it where it is replaced"


@dataclass(frozen=True, slots=True)
class Shift:
    """A weight, or an item of it, that is moved."""

    weight: Weight
    origin: Origin
    item: tuple[int, ...]
    x: float

    @property
    def name(self) -> str:
        """The weight with its item."""
        return self.weight.key + (str(list(self.item)) if self.item else "")


class WeightCheck:
    """Collects the differences between both gradients; raises at the first that is too large."""

    def __init__(
        self, network: Network, original: Original, inputs: Mapping[int, Sequence[Any]], outcomes: Mapping[int, CallOutcome]
    ) -> None:
        self.network = network
        self.original = original
        self.inputs = inputs
        self.outcomes = outcomes
        self.account = Account()
        self.unseen: dict[str, str] = {}

    def check(self, leaves: Sequence[Tensor], samples: Sequence[int], most: int | None) -> ByWeights:
        """Compare the gradients by at most so many weights on some of these samples."""
        lines = max([1, *(self.outcomes[sample].hits.total() for sample in samples)])
        weights = self._chosen(most if most is not None else max(1, min(MOST_WEIGHTS, MOST_LINES // lines))) if samples else []
        shifts = [shift for weight in weights for shift in self._shifts(weight)]
        size = max(1, min(MOST_SAMPLES, MOST_LINES // (4 * lines * max(1, len(shifts)))))
        rows = list(range(0, len(samples), max(1, -(-len(samples) // size))))
        if shifts:
            gradients = self._gradients([leaf[rows] for leaf in leaves], list(dict.fromkeys(shift.weight.key for shift in shifts)))
            for shift in shifts:
                self._compare(shift, [leaf[rows] for leaf in leaves], [samples[row] for row in rows], gradients)
        return ByWeights(self.account.compared, self.account.skipped, self.account.largest, self.unseen)

    def _chosen(self, most: int) -> list[Weight]:
        """Trainable weights whose constants can be reached: evenly chosen ones, and others where these cannot."""
        weights = [item for item in self.network.program.weights if not item.frozen and self.network.weights[item.key].requires_grad]
        spread = [weights[round(place)] for place in np.linspace(0, len(weights) - 1, min(most, len(weights)))]
        found: list[Weight] = []
        for weight in dict.fromkeys([*spread, *weights]):
            reason = self._obstacle(weight) if len(found) < most else LEFT_OUT
            if reason:
                self.unseen[weight.key] = reason
            else:
                found.append(weight)
        return found

    def _obstacle(self, weight: Weight) -> str:
        """Why the function cannot be run with another value of a weight."""
        origins, tensor = self.network.origins, self.network.weights[weight.key]
        if self.network.program is not self.network.heuristic:
            return GROWN
        if origins.remembering:
            return f"`{origins.remembering[0]}` remembers answers of earlier calls"
        if not torch.equal(tensor.detach().cpu(), torch.tensor(weight.value, dtype=tensor.dtype)):
            return TRAINED
        try:
            with replaced(origins.found.get(weight.key, Origin(())), weight, *_first(weight)):
                return ""
        except OutOfReach as error:
            return error.reason

    def _shifts(self, weight: Weight) -> Iterator[Shift]:
        values = np.asarray(weight.value, dtype=float)
        for item in items_of(values, MOST_ITEMS):
            yield Shift(weight, self.network.origins.found[weight.key], item, float(values[item]))

    def _gradients(self, leaves: Sequence[Tensor], keys: Sequence[str]) -> dict[tuple[int, int], dict[str, np.ndarray | None]]:
        """The gradient of some outputs by each weight, sample by sample."""
        totals = totals_of(self.network.execute(list(leaves)))
        places = [place for place, total in enumerate(totals) if total is not None]
        tensors = [self.network.weights[key] for key in keys]
        rows = {}
        for place in places[:: max(1, -(-len(places) // MOST_OUTPUTS))]:
            total = totals[place]
            assert total is not None
            for row in range(len(total)):
                found = _by_all(total[row], tensors)
                rows[place, row] = dict(zip(keys, found, strict=True))
        return rows

    def _compare(self, shift: Shift, leaves: Sequence[Tensor], samples: Sequence[int],
                 gradients: Mapping[tuple[int, int], Mapping[str, np.ndarray | None]]) -> None:
        if shift.weight.key in self.unseen:
            return
        if not self._repeats(shift, samples[0]):
            self.unseen[shift.weight.key] = OTHERWISE
            return
        points = dict(zip(samples, self._all_points(shift, samples, around(shift.x)), strict=True))
        wrong = []
        for (output, row), found in gradients.items():
            part, sample = found[shift.weight.key], samples[row]
            got = 0.0 if part is None else float(part[shift.item])
            if math.isnan(got) and are_finite(*self.inputs[sample], self.outcomes[sample].numbers[output]):
                what = f"the gradient by the weight `{shift.name}` is not a number"
                raise VerificationError(what, sample=sample, expected="finite", got=got, span=shift.weight.span)
            values = points[sample]
            expected = self.account.compare(got, None if values is None else [point[output] for point in values], shift.x,
                                            self._doubt(shift, output, row, sample, leaves), self.inputs[sample])
            if expected is not None:
                wrong.append((output, sample, expected, got))
        if wrong and not self._is_read(shift, samples, points):
            self.account.skipped += len(wrong)
            self.unseen[shift.weight.key] = WITHOUT_EFFECT
        elif wrong:
            output, sample, expected, got = wrong[0]
            what = f"the gradients of output {output} by the weight `{shift.name}` differ"
            raise VerificationError(what, sample=sample, expected=expected, got=got, span=shift.weight.span)

    def _repeats(self, shift: Shift, sample: int) -> bool:
        """Whether the function with its own value put in anew does what it does."""
        with replaced(shift.origin, shift.weight, shift.item, shift.x):
            again = self.original.run(self.inputs[sample])
        here = self.outcomes[sample]
        return again.error == here.error and again.hits == here.hits and _are_same(again.numbers, here.numbers)

    def _is_read(self, shift: Shift, samples: Sequence[int], points: Mapping[int, list[list[float]] | None]) -> bool:
        """Whether the function surely reads the constant where it is replaced: its line runs, or an answer changes."""
        span = shift.weight.span
        if shift.origin.holders[0].kind == "literal" and span is not None:
            return any(self.outcomes[sample].hits[span.file, span.line] for sample in samples)
        return any(values is None or any(not _are_same(point, values[0]) for point in values) for values in points.values())

    def _all_points(self, shift: Shift, samples: Sequence[int], at: Sequence[float]) -> list[list[list[float]] | None]:
        """For each sample the outputs at points around a weight; None if the function takes another path at one of them."""
        found: list[list[list[float]] | None] = [[] for _ in samples]
        for x in at:
            with replaced(shift.origin, shift.weight, shift.item, x):
                for number, sample in enumerate(samples):
                    values = found[number]
                    if values is None:
                        continue
                    here = self.outcomes[sample]
                    outcome = self.original.run(self.inputs[sample]) if x != shift.x else here
                    if outcome.error is not None or outcome.hits != here.hits:
                        found[number] = None
                    else:
                        values.append([project(value) for value in outcome.numbers])
        return found

    def _doubt(self, shift: Shift, output: int, row: int, sample: int, leaves: Sequence[Tensor]) -> Any:
        def doubt(difference: float, expected: float) -> bool:
            if not self._is_steady(shift, [leaf[[row]] for leaf in leaves]):
                return True
            if difference <= 4 * self._roughness(shift, output, row, leaves):
                return True
            return is_no_oracle(lambda at: self._all_points(shift, [sample], at)[0], shift.x, output, difference, expected)

        return doubt

    def _is_steady(self, shift: Shift, leaves: Sequence[Tensor]) -> bool:
        """Whether the network takes the same path at all five points: a line of the function may hide two paths."""
        paths = set()
        for x in around(shift.x):
            with _network_with(self.network.weights[shift.weight.key], shift.item, x):
                paths |= set(all_paths(self.network, leaves))
        return len(paths) == 1 and None not in paths

    def _roughness(self, shift: Shift, output: int, row: int, leaves: Sequence[Tensor]) -> float:
        """How far the network's own derivative moves with the last digits of the inputs: cancellation leaves it few digits."""
        near = near_rows(leaves, row)
        _, failures = self.network.outcomes(near)
        if any(failures):
            return math.inf
        total = totals_of(self.network.execute(near))[output]
        tensor = self.network.weights[shift.weight.key]
        if total is None or not total.requires_grad:
            return 0.0
        parts = [torch.autograd.grad(one, tensor, retain_graph=True, allow_unused=True)[0] for one in total]
        found = [0.0 if part is None else float(part[shift.item]) for part in parts]
        return max(found) - min(found)


def _first(weight: Weight) -> tuple[tuple[int, ...], float]:
    """An item of a weight, and its value."""
    values = np.asarray(weight.value, dtype=float)
    item = (0,) * values.ndim
    return item, float(values[item])


def _are_same(first: Sequence[Any], second: Sequence[Any]) -> bool:
    pairs = zip(map(np.asarray, first), map(np.asarray, second), strict=True)
    return len(first) == len(second) and all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)


def _by_all(total: Tensor, tensors: Sequence[Tensor]) -> list[np.ndarray | None]:
    """The gradient of one number by each of several weights."""
    if not total.requires_grad:
        return [None] * len(tensors)
    found = torch.autograd.grad(total, tensors, retain_graph=True, allow_unused=True)
    return [None if part is None else part.detach().cpu().numpy() for part in found]


@contextmanager
def _network_with(tensor: Tensor, item: tuple[int, ...], value: float) -> Iterator[None]:
    before = tensor.detach().clone()
    try:
        with torch.no_grad():
            tensor[item] = value
        yield
    finally:
        with torch.no_grad():
            tensor.copy_(before)
