"""`verify`: run a network and the function it was made from side by side, and raise at the first thing that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import torch
from torch import Tensor

from deepalgo.backends.torch.runtime.record import recording
from deepalgo.certificate.arguments import plain_values
from deepalgo.certificate.by_weights import WeightCheck
from deepalgo.certificate.gradients import MOST_SAMPLES, GradientCheck
from deepalgo.certificate.idle import tried_weights
from deepalgo.certificate.original import CallOutcome, Original
from deepalgo.certificate.paths import Paths
from deepalgo.certificate.report import ByWeights, Certificate, Gradients, Hits
from deepalgo.errors import LIMITS, InputError, VerificationError
from deepalgo.ir import Op, Program, walk
from deepalgo.signature import Signature
from deepalgo.spans import Span

if TYPE_CHECKING:
    from deepalgo.network import Network

#: Errors of the network's own: it refuses where Python goes on with numbers that it does not have.
BEYOND = frozenset(LIMITS)
LAST_DIGITS = "last digits decide a branch"
SENSITIVE = "the function itself changes as much with an input's last digit"


def verify(
    network: Network, args: Sequence[Any], kwargs: Mapping[str, Any], rtol: float, gradients: bool, samples: int, most_weights: int | None
) -> Certificate:
    """Compare on a batch, or on `samples` of it, evenly chosen."""
    if network.function is None or not isinstance(network.signature, Signature):
        raise InputError(f"{network.program.name} was not compiled from a function, so there is nothing to compare it with")
    whole, _ = network.signature.flatten(tuple(args), dict(kwargs), network.dtype, network.device)
    size = len(whole[0]) if whole else 1
    chosen = sorted({round(place) for place in np.linspace(0, size - 1, min(size, samples))})
    leaves = [leaf.detach()[chosen] for leaf in whole]
    return Verification(network, network.signature, leaves, chosen, rtol).certificate(gradients, most_weights)


class Verification:
    """One comparison. Samples are named by their number in the whole batch."""

    def __init__(self, network: Network, signature: Signature, leaves: list[Tensor], samples: list[int], rtol: float) -> None:
        assert network.function is not None
        self.network = network
        self.program: Program = network.program
        self.leaves = leaves
        self.samples = samples
        self.rtol = rtol
        self.original = Original(network.function, network.program, signature)
        self.inputs = {sample: plain_values(signature, leaves, place) for place, sample in enumerate(samples)}
        self.outcomes: dict[int, CallOutcome] = {sample: self.original.run(values) for sample, values in self.inputs.items()}
        self.excused: dict[int, str] = {}
        self.errors: Counter[str] = Counter()
        self.beyond: Counter[str] = Counter()

    def certificate(self, gradients: bool, most_weights: int | None) -> Certificate:
        """Compare errors, values, paths and gradients, in this order."""
        results, failures = self.network.outcomes(self.leaves)
        good = [place for place, failure in enumerate(failures) if self._both_answer(self.samples[place], failure)]
        good_leaves = [leaf[good] for leaf in self.leaves]
        paths = self._paths(good_leaves, [self.samples[place] for place in good])
        differences = self._values(results, good, paths.near_ties)
        compared = self._compare_paths(paths)
        worst = max(differences, key=lambda sample: differences[sample][1], default=None)
        worst = None if worst is None or differences[worst][0] == 0 else worst
        by_inputs = by_weights = None
        if gradients and good and not self._is_soft():
            by_inputs, by_weights = self._gradients(good, good_leaves, paths.endpoints, most_weights)
        return Certificate(
            name=self.program.name, computed=self.network.computed_by(gradient=by_inputs is not None),
            samples=len(self.samples), compared=len(good),
            absolute=max((item[0] for item in differences.values()), default=0.0),
            relative=max((item[1] for item in differences.values()), default=0.0),
            worst=worst, errors=dict(self.errors), beyond=dict(self.beyond),
            gradients=by_inputs, by_weights=by_weights,
            branches=paths.arms(self.outcomes), loops=paths.rounds(self.outcomes), paths=compared,
            near_ties=paths.ties, excused=dict(self.excused), endpoints=paths.endpoints,
            dead=tried_weights(self.network, good_leaves) if good else (),
        )

    def _is_soft(self) -> bool:
        """Whether guards or roots have a gradient of their own making: answers of the function are steps there."""
        return any(isinstance(item, Op) and item.name in ("soft_choice", "at_root") for item in walk(self.program.body))

    def _both_answer(self, sample: int, got: str | None) -> bool:
        """Whether both answer; where both raise, or one has an excuse, the sample is counted."""
        outcome = self.outcomes[sample]
        if got is None and outcome.error is None:
            return True
        if got == outcome.error and got is not None:
            self.errors[got] += 1
        elif got in BEYOND:
            self.beyond[got] += 1
        elif self._changes_its_mind(sample):
            self.excused[sample] = SENSITIVE
        else:
            self._refuse("one of them fails", sample, outcome, got or "an answer")
        return False

    def _changes_its_mind(self, sample: int) -> bool:
        """Whether the function raises something else, or nothing, when an input moves by its last digit."""
        return any(near.error != self.outcomes[sample].error for near in self._neighbours(sample))

    def _neighbours(self, sample: int) -> list[CallOutcome]:
        """What the function does when one of the inputs moves by its last digit, or by eight of it (later rounds add up)."""
        values = self.inputs[sample]
        moves = [(place, way, steps) for place, value in enumerate(values) if isinstance(value, (float, np.ndarray))
                 for way in (-np.inf, np.inf) for steps in (1, 8)]
        return [self.original.run([*values[:place], _moved(values[place], way, steps), *values[place + 1 :]])
                for place, way, steps in moves]

    def _values(self, results: Sequence[Tensor], good: Sequence[int], near_ties: set[int]) -> dict[int, tuple[float, float]]:
        """The largest absolute and relative difference of every sample."""
        found = {}
        for place in good:
            sample = self.samples[place]
            got = [result[place].detach().cpu().numpy() for result in results]
            absolute, relative = _difference(self.outcomes[sample].numbers, got)
            if relative <= self.rtol:
                found[sample] = (absolute, relative)
            elif sample in near_ties:
                self.excused[sample] = LAST_DIGITS
            elif self._moves_as_much(sample, absolute):
                self.excused[sample] = SENSITIVE
            else:
                self._refuse("the answers differ", sample, self.outcomes[sample], CallOutcome(tuple(item.tolist() for item in got)))
        return found

    def _moves_as_much(self, sample: int, absolute: float) -> bool:
        """Whether the function's own answer moves as far when an input moves by its last digit."""
        here = self.outcomes[sample].numbers
        return any(near.error is not None or absolute <= 16 * _difference(here, near.numbers)[0] for near in self._neighbours(sample))

    def _paths(self, leaves: list[Tensor], samples: list[int]) -> Paths:
        with torch.no_grad(), recording() as record:
            if samples:
                self.network.execute(leaves)
        return Paths(self.program, record, samples)

    def _compare_paths(self, paths: Paths) -> int:
        """The number of samples that go the function's way, line by line, where the network claims that."""
        if not self.network.follows_lines:
            return 0
        strayed = set()
        for sample, span, what in paths.differences(self.outcomes):
            strayed.add(sample)
            if sample in self.excused:
                continue
            if sample not in paths.near_ties and not self._takes_other_ways(sample):
                self._refuse("the paths differ", sample, *what, span)
            self.excused[sample] = LAST_DIGITS if sample in paths.near_ties else SENSITIVE
        return len(paths.samples) - len(strayed)

    def _takes_other_ways(self, sample: int) -> bool:
        return any(near.hits != self.outcomes[sample].hits for near in self._neighbours(sample))

    def _gradients(
        self, good: Sequence[int], leaves: list[Tensor], endpoints: Hits, most_weights: int | None
    ) -> tuple[Gradients, ByWeights]:
        """Compare gradients, except where the path is in doubt or the derivative is one that was defined."""
        doubtful = {*self.excused, *(sample for found in endpoints.values() for sample in found)}
        rows = [row for row, place in enumerate(good) if self.samples[place] not in doubtful]
        rows = rows[:: max(1, -(-len(rows) // MOST_SAMPLES))]
        picked, samples = [leaf[rows] for leaf in leaves], [self.samples[good[row]] for row in rows]
        by_inputs = GradientCheck(self.network, self.original, self.inputs).check(picked, samples)
        return by_inputs, WeightCheck(self.network, self.original, self.inputs, self.outcomes).check(picked, samples, most_weights)

    def _refuse(self, what: str, sample: int, expected: object, got: object, span: Span | None = None) -> NoReturn:
        changed = [
            weight.key for weight in self.program.weights
            if not torch.equal(self.network.weights[weight.key].detach().cpu(), torch.tensor(weight.value, dtype=self.network.dtype))
        ]
        raise VerificationError(what, sample=sample, expected=expected, got=got, span=span, changed=changed)


def _moved(value: Any, way: float, steps: int) -> Any:
    moved = value
    for _ in range(steps):
        moved = np.nextafter(moved, way)
    return moved if isinstance(value, np.ndarray) else type(value)(moved)


def _difference(expected: Sequence[Any], got: Sequence[Any]) -> tuple[float, float]:
    """The largest absolute and relative difference; infinite where one is not finite and the other is not the same."""
    absolute = relative = 0.0
    for wanted, found in zip(map(np.asarray, expected), map(np.asarray, got), strict=True):
        if wanted.shape != found.shape:
            return np.inf, np.inf
        with np.errstate(all="ignore"):
            gap = np.abs(found - wanted) if wanted.dtype != bool else (found != wanted).astype(float)
            same = (found == wanted) | ((found != found) & (wanted != wanted))
            gap = np.where(same, 0.0, np.where(np.isfinite(gap), gap, np.inf))
            part = np.where(same, 0.0, gap / np.abs(wanted))
        absolute, relative = max(absolute, float(gap.max(initial=0.0))), max(relative, float(part.max(initial=0.0)))
    return absolute, relative


