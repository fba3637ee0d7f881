"""`Fit`: what training found, as a network, as numbers and as a report."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from torch import Tensor

from deepalgo.certificate.report import Arms, Dead
from deepalgo.errors import InputError
from deepalgo.fitting.data.beyond_range import REACH
from deepalgo.fitting.data.gather import SampleKind
from deepalgo.fitting.judge.contenders import HEURISTIC, Contender, is_tensorized
from deepalgo.fitting.judge.floor import PairedComparison
from deepalgo.fitting.report.estimates_text import estimates_text
from deepalgo.fitting.report.plot import plot
from deepalgo.fitting.report.refit import Refit
from deepalgo.fitting.report.remarks import frozen, moved_far
from deepalgo.fitting.report.summary import Summary
from deepalgo.fitting.report.table import count, table
from deepalgo.fitting.report.untried_arms import AtBound
from deepalgo.fitting.report.weight_changes import WeightChange
from deepalgo.fitting.uncertainty.bootstrap import Bootstrap
from deepalgo.fitting.uncertainty.estimates import Estimates
from deepalgo.fitting.uncertainty.evidence import Evidence
from deepalgo.fitting.uncertainty.profile import Profile
from deepalgo.ir import Role
from deepalgo.network import Network

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from deepalgo.fitting.search.course import Status

#: So many weights are listed.
LISTED = 20


@dataclass(frozen=True, slots=True)
class Unit:
    """How losses are shown: errors in the units of the output (rms), in per cent, or losses as they are."""

    is_squares: bool
    is_relative: bool
    of_whole: str = ""

    @property
    def name(self) -> str:
        """What the average of many errors is called, or the one number of a whole set."""
        if self.of_whole:
            return self.of_whole
        return "rms error" if self.is_squares else "mean loss"

    def text(self, value: float) -> str:
        """A number with its unit; nothing where there is none."""
        if math.isnan(value):
            return ""
        return f"{100 * value:.3g} %" if self.is_relative else f"{value:.4g}"

    def of_loss(self, loss: float) -> float:
        """A mean loss as it is shown."""
        return max(loss, 0.0) ** 0.5 if self.is_squares else loss


@dataclass(frozen=True, slots=True)
class Drift:
    """How far the answers beyond the training range are from the heuristic's, relative to these: the middle and the largest."""

    median: float
    largest: float


@dataclass(eq=False)
class Fit:
    """The result of `fit`: `network` is the best that was found, or the heuristic. `print` it; `plot()` draws it.

    `contenders` are the networks that competed, `held` the one that won. `held_out` and `outside` summarise their errors on test samples
    and beyond the training range, by the contender's name; without a residual or a reference `drift` stands for `outside`.
    """

    name: str
    network: Network
    contenders: list[Contender]
    held: Contender
    unit: Unit
    held_out: dict[str, Summary]
    samples: dict[str, int]
    selected_by: SampleKind
    reported_on: SampleKind
    seen: int = 0  # test samples that are training samples, too
    outside: dict[str, Summary] = field(default_factory=dict)
    drift: Drift | None = None
    moved: list[WeightChange] = field(default_factory=list)
    dead: tuple[Dead, ...] = ()
    untried: list[Arms] = field(default_factory=list)
    at_bound: list[AtBound] = field(default_factory=list)
    seconds_per_sample: dict[str, float] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)
    dropped: int = 0
    inputs: list[Tensor] = field(default_factory=list)
    divided: str = ""  # how the data were divided, where that was not at random
    refit: Refit = field(default_factory=Refit)
    trained: str = ""  # the table of weights that train, and of those that do not
    warnings: tuple[str, ...] = ()  # what may be wrong with the data
    was_late: bool = False  # whether the time was over before all was looked at
    evidence: Evidence | None = None

    @property
    def rungs(self) -> list[Contender]:
        """An earlier name of `contenders`."""
        return self.contenders

    @property
    def improved(self) -> bool:
        """Whether anything was better than the heuristic beyond noise."""
        return self.held.name != HEURISTIC

    @property
    def idle(self) -> str:
        """Why no training got anywhere, or ''."""
        reasons = [contender.training.get("idle", "") for contender in self.contenders if contender.training]
        return reasons[0] if reasons and all(reasons) else ""

    @property
    def grown(self) -> bool:
        """Whether the network is more than the heuristic with other constants."""
        return is_tensorized(self.network)

    @property
    def status(self) -> Status | None:
        """Whether the weights of what is held converged, and by which test; of the last training where the heuristic is kept."""
        trained = [contender for contender in self.contenders if contender.training]
        chosen = self.held if self.held.training else trained[-1] if trained else None
        return None if chosen is None else chosen.training["status"]

    @property
    def estimates(self) -> Estimates:
        """Standard errors, 95 % intervals and correlations of the trained weights, by the training samples."""
        return self._evidence().estimates

    def profile(self, weight: str) -> Profile:
        """Where a weight can lie with 95 %, if all others are fitted again at each place; `table[2]` names a number of a table."""
        return self._evidence().profile(weight)

    def bootstrap(self, count: int = 200, groups: Any = None, seed: int = 0) -> Bootstrap:
        """Standard errors by fits to training samples that are drawn with replacement, or `groups` of them: one name for each."""
        return self._evidence().bootstrap(count, groups, seed)

    def _evidence(self) -> Evidence:
        if self.evidence is None:
            raise InputError(f"{self.name} has no trained weights whose squares of errors could tell how sure they are")
        return self.evidence

    def without_data(self) -> Fit:
        """The same without its samples, for a file that others read: losses and estimates stay."""
        return replace(self, inputs=[], evidence=self.evidence.without_data() if self.evidence is not None else None)

    def plot(self) -> Figure:
        """A figure of the errors before and after, the course of training, and the weights that mattered."""
        return plot(self)

    def __str__(self) -> str:
        parts = [
            self.trained, self._headline(), self._held_out(), self._outside(), self._moved(), estimates_text(self), self._remarks(),
        ]  # fmt: skip
        return "\n\n".join(part for part in parts if part)

    __repr__ = __str__

    def _headline(self) -> str:
        if not self.improved and self.idle:
            return f"{self.name}: {self.idle}, so the heuristic is kept."
        if not self.improved:
            how = "on the training samples" if self.selected_by is SampleKind.TRAINING else "beyond noise"
            return f"{self.name}: nothing is better than the heuristic {how}, so the heuristic is kept."
        before, after = self.held_out[HEURISTIC], self.held_out[self.held.name]
        text = self.unit.text
        gain = f"{self.unit.name} {text(before.centre)} -> {text(after.centre)} on {count(after.samples, f'{self.reported_on} sample')}"
        if math.isnan(after.share[0]):
            return f"{self.name}: {self.held.name} kept, {gain}."
        share, low, high = (f"{100 * part:.3g}" for part in after.share)
        return f"{self.name}: {self.held.name} kept, {gain}: {share} % of the heuristic's ({low} .. {high} %)."

    def _held_out(self) -> str:
        return _summaries(f"{self.reported_on} samples", self.held_out, self.unit)

    def _outside(self) -> str:
        if self.outside:
            return _summaries(f"up to {100 * REACH:.0f} % beyond the training range", self.outside, self.unit)
        if self.drift is None or not self.improved:
            return ""
        middle, most = (f"{100 * part:.3g} %" for part in (self.drift.median, self.drift.largest))
        where = f"up to {100 * REACH:.0f} % beyond the training range, where nothing says what is right"
        return f"{where}, answers differ from the heuristic's by {middle} in the middle and {most} at most"

    def _moved(self) -> str:
        if not self.moved:
            return ""
        head = ("weights that moved", "born", "now", "by", f"{self.unit.name} if put back alone", "place")
        rows = [self._weight_row(item) for item in self.moved[:LISTED]]
        rest = f"\nand {count(len(self.moved) - LISTED, 'weight')} that mattered less" if len(self.moved) > LISTED else ""
        return table([head, *rows]) + rest

    def _weight_row(self, item: WeightChange) -> tuple[str, ...]:
        loss = self.unit.text(self.unit.of_loss(item.loss))
        return item.weight.key, _brief(item.born), _brief(item.value), _percent(item.distance), loss, item.place

    def _remarks(self) -> str:
        lines = [
            *self.warnings,
            *(moved_far(self.moved) if self.improved else ()),
            *(
                f"not kept: {contender.name}, as {reason}"
                for contender in self.contenders
                if contender is not self.held and (reason := contender.refused or _refusal(contender.comparison)) and not self.idle
            ),
            *map(_idle, self.dead),
            *frozen(self.network),
            *(f"{arms.span.place}: this arm is {arms.never} in the data: {arms.span.lines[0].strip()}" for arms in self.untried),
            *(f"{item.span.place}: {count(item.samples, 'sample')} stopped at the bound of {item.bound} rounds" for item in self.at_bound),
            *(f"{count(number, f'{self.selected_by} sample')} got no answer: {error}" for error, number in self.failures.items()),
            *(
                f"{name} gives no answer for {count(item.lost, f'{self.reported_on} sample')} that had one"
                for name, item in self.held_out.items()
                if item.lost
            ),
            str(self.refit),
            "the time was over before all was looked at that a report tells: give more seconds" if self.was_late else "",
            self._cost(),
            *(self._training(contender) for contender in self.contenders if contender.training),
            f"samples: {', '.join(f'{number} {name}' for name, number in self.samples.items())}"
            + (f"; {self.divided}" if self.divided else "")
            + (f" ({self.seen} of the latter are training samples, too)" if self.seen else "")
            + (f"; {self.dropped} left out for NaN" if self.dropped else ""),
        ]
        return "\n".join(line for line in lines if line)

    def _cost(self) -> str:
        if not self.improved:
            return ""
        if self.held.name not in self.seconds_per_sample:
            return "" if self.was_late and self.grown else "one evaluation costs what it did: only numbers changed"
        before, after = self.seconds_per_sample[HEURISTIC], self.seconds_per_sample[self.held.name]
        return f"one evaluation: {1e6 * before:.3g} µs before, {1e6 * after:.3g} µs after ({after / before:.2g} times, in batches)"

    def _training(self, contender: Contender) -> str:
        progress, ended = contender.training["progress"], [text for text in contender.training["ended"] if text]
        parts = [str(contender.training["status"])]
        parts += [f"{progress.skipped} skipped for NaN or infinity"] if progress.skipped else []
        runs = len(contender.training["ended"])
        parts += [f"{number} of {runs} runs ended early: {reason}" for reason, number in _counted(ended).items()]
        return f"{contender.name}: {', '.join(parts)}, {contender.training['seconds']:.1f} s"


def _summaries(title: str, summaries: dict[str, Summary], unit: Unit) -> str:
    rows: list[tuple[str, ...]] = [(title, unit.name, "95 % interval", "mean", "median", "99th percentile", "better", "equal", "worse")]
    for name, item in summaries.items():
        told = name != HEURISTIC and not math.isnan(item.better)
        shares = [f"{100 * part:.1f} %" for part in (item.better, item.equal, item.worse)] if told else [""] * 3
        interval = f"{unit.text(item.low)} .. {unit.text(item.high)}"
        mean = unit.text(item.mean) if unit.is_squares else ""  # else it is the centre
        rows.append((name, unit.text(item.centre), interval, mean, unit.text(item.median), unit.text(item.tail), *shares))
    return table(rows)


def _idle(item: Dead) -> str:
    part = f"{item.items} of {item.size} numbers of " if item.items < item.size else ""
    hint = "; da.soften lets it learn" if item.role == Role.THRESHOLD else ""
    what = f"move{'' if part else 's'} no answer" if item.moves_no_answer else f"ha{'ve' if part else 's'} no gradient here"
    return f"{part}{item.key} {what} ({', '.join(filter(None, (item.role, item.place)))}{hint})"


def _percent(distance: float) -> str:
    return "from 0" if math.isinf(distance) else f"{100 * distance:.3g} %"


def _refusal(comparison: PairedComparison | None) -> str:
    return comparison.reason if comparison is not None else ""


def _counted(texts: list[str]) -> dict[str, int]:
    return {text: texts.count(text) for text in dict.fromkeys(texts)}


def _brief(value: Tensor) -> str:
    if value.dim() == 0:
        return f"{value.item():.6g}"
    if value.numel() <= 3:
        return str([float(f"{item:.4g}") for item in value.reshape(-1).tolist()])
    return f"{'x'.join(map(str, value.shape))} array"
