"""`fit` against search without gradients, on the same samples and in the same time: `python -m benchmarks.fit_bench`.

Ten published heuristics are tuned against their exact references: with their constants only, and grown by a correction to about 50
and to about 500 weights. Optuna (TPE), CMA-ES and Nelder-Mead get the samples that `fit` gets, the same relative weights, the same loss,
and the processor time that `fit` took. `fit` runs with its defaults, but for fewer first-order steps of the grown networks, to keep all
of it short. The tables hold the held-out loss relative to the heuristic's, the median of three seeds.

Every result is a line of the record, so a run that was stopped goes on where it was: about half an hour of one core in all.
`--only`, `--weights` and `--seeds` run a part of it.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import deepalgo as da
from benchmarks.fit_peers import PEERS, Search, run
from deepalgo.fitting.data.samples import Samples, read
from deepalgo.fitting.judge.objective import Objective
from examples import demo
from examples.tuned import cylinder_heat, declination, pressure_of_altitude, refraction, sphere_drag, tsal_friction, wet_bulb

OURS = "deepalgo"
METHODS = (OURS, *PEERS)
#: Samples to learn from, and samples that nobody sees before the end.
COUNT, HELD = 2000, 4000
#: First-order steps of `fit`, by the number of weights; 0 are the constants only.
STEPS = {0: 500, 50: 100, 500: 100}
#: What the constants alone may lose to the best peer.
MARGIN = 1.01


def haaland(reynolds, roughness):
    """Haaland 1983."""
    return (-1.8 * math.log10((roughness / 3.7) ** 1.11 + 6.9 / reynolds)) ** -2.0


def swamee_jain(reynolds, roughness):
    """Swamee and Jain 1976."""
    return 0.25 / math.log10(roughness / 3.7 + 5.74 / reynolds**0.9) ** 2.0


@dataclass(frozen=True)
class Case:
    """A heuristic, its reference, a function that draws inputs, and the loss."""

    name: str
    heuristic: Callable[..., Any]
    reference: Callable[..., Tensor]
    draw: Callable[..., Any]
    loss: str = "relative"

    def samples(self, count: int, seed: int) -> tuple[tuple[Tensor, ...], Tensor]:
        """Inputs and their exact answers."""
        inputs = self.draw(count, seed)
        inputs = inputs if isinstance(inputs, tuple) else (inputs,)
        return inputs, self.reference(*inputs)

    def network(self, weights: int) -> da.Network:
        """The heuristic, grown to about so many weights by a correction of its answer; 0 are its constants alone."""
        net = da.compile(self.heuristic, errors="nan")
        if weights == 0:
            return net
        hidden = max(1, round((weights - len(net.program.weights)) / (len(net.program.inputs) + 3)))
        return da.correct(net, "return", hidden=hidden, relative=True)

    def mean_loss(self, net: da.Network, samples: Samples) -> float:
        """What `fit` makes small; infinite where an answer is missing."""
        found = Objective(net, self.loss).measure(net, samples).mean().item()
        return found if math.isfinite(found) else math.inf


CASES = (
    Case("Wood 1966", demo.friction_factor, demo.reference, demo.pipes),
    Case("Tsal 1989", tsal_friction.friction, tsal_friction.colebrook, tsal_friction.ducts),
    Case("Haaland 1983", haaland, tsal_friction.colebrook, tsal_friction.ducts),
    Case("Swamee-Jain 1976", swamee_jain, tsal_friction.colebrook, tsal_friction.ducts),
    Case("Yen 1992", sphere_drag.drag, sphere_drag.standard_curve, sphere_drag.spheres),
    Case("Whitaker 1972", cylinder_heat.nusselt, cylinder_heat.zukauskas, cylinder_heat.flows),
    Case("altitude", pressure_of_altitude.pressure, pressure_of_altitude.standard_atmosphere, pressure_of_altitude.altitudes),
    Case("Spencer 1971", declination.declination, declination.noaa, declination.days, loss="squared"),
    Case("Stull 2011", wet_bulb.wet_bulb, wet_bulb.exact, wet_bulb.weather, loss="squared"),
    Case("refraction", refraction.refraction, refraction.reference, refraction.skies, loss="squared"),
)


@dataclass(frozen=True)
class Result:
    """What a method reached: the held-out loss as a part of the heuristic's, in how many seconds of processor time."""

    case: str
    size: int
    seed: int
    method: str
    weights: int
    seconds: float
    loss: float

    @property
    def key(self) -> tuple[str, int, int, str]:
        """What was to be done."""
        return self.case, self.size, self.seed, self.method


class Record:
    """Results, one a line of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.results = {result.key: result for result in (Result(**json.loads(line)) for line in lines)}

    def add(self, result: Result) -> None:
        """Keep a result."""
        self.results[result.key] = result
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(asdict(result)) + "\n")


def contest(case: Case, size: int, seed: int, record: Record) -> None:
    """Let `fit` and then its peers tune one heuristic, as far as the record does not say how it went."""
    data, held = case.samples(COUNT, seed), case.samples(HELD, seed + 1000)
    heuristic = case.network(0)
    seen, unseen = read(heuristic, *data), read(heuristic, *held)
    unit = case.mean_loss(heuristic, unseen)

    def keep(method: str, net: da.Network, seconds: float) -> None:
        weights = sum(weight.numel() for weight in case.network(size).parameters())
        result = Result(case.name, size, seed, method, weights, round(seconds, 2), case.mean_loss(net, unseen) / unit)
        record.add(result)
        print(f"{case.name}, {weights} weights, seed {seed}, {method}: {result.loss:.4g} in {seconds:.1f} s", flush=True)

    if (case.name, size, seed, OURS) not in record.results:
        net = case.network(size)
        begun = time.process_time()
        found = da.fit(net, *data, loss=case.loss, steps=STEPS[size], seed=seed, test=held, progress=False)
        keep(OURS, found.network, time.process_time() - begun)
    seconds = record.results[case.name, size, seed, OURS].seconds
    for name, method in PEERS.items():
        if (case.name, size, seed, name) not in record.results:
            search = Search(case.network(size), lambda net: case.mean_loss(net, seen), seconds)
            keep(name, run(method, search, seed), seconds)


def table(record: Record, size: int, names: Iterable[str], seeds: int) -> str:
    """The medians of the seeds that everyone has run, as Markdown; the lowest of a row is bold."""
    title = "constants only" if size == 0 else f"about {size} weights"
    lines = [f"| {title} | weights | seeds | seconds | {' | '.join(METHODS)} |", "|" + " --- |" * (4 + len(METHODS))]
    held = 0
    for name in names:
        done = [seed for seed in range(seeds) if all((name, size, seed, method) in record.results for method in METHODS)]
        if not done:
            continue
        found = {method: [record.results[name, size, seed, method] for seed in done] for method in METHODS}
        losses = {method: statistics.median(result.loss for result in results) for method, results in found.items()}
        cells = [f"**{loss:.3g}**" if loss == min(losses.values()) else f"{loss:.3g}" for loss in losses.values()]
        ours = found[OURS]
        seconds = statistics.median(result.seconds for result in ours)
        lines.append(f"| {name} | {ours[0].weights} | {len(done)} | {seconds:.1f} | {' | '.join(cells)} |")
        best = min(loss for method, loss in losses.items() if method != OURS)
        held += losses[OURS] <= MARGIN * best if size == 0 else losses[OURS] < best
    claim = "within 1 % of the best peer, or better" if size == 0 else "lower than every peer"
    return "\n".join([*lines, "", f"{claim}: {held} of {len(lines) - 2}"])


def main() -> None:
    """Do what the record lacks, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=int, nargs="*", choices=STEPS, default=[*STEPS], help="0 is the constants only")
    parser.add_argument("--only", nargs="*", default=[case.name for case in CASES], help="names of heuristics")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--print", action="store_true", help="print what the record has, and run nothing")
    parser.add_argument("--record", type=Path, default=Path("build/fit_bench.jsonl"), help="the file in which results are kept")
    options = parser.parse_args()
    torch.set_num_threads(1)
    da.fit(
        da.compile(haaland), CASES[2].draw(50), CASES[2].reference, steps=1, progress=False
    )  # what torch imports by then is no one's time
    record = Record(options.record)
    for seed in range(0 if options.print else options.seeds):
        for size in options.weights:
            for case in CASES:
                if case.name in options.only:
                    contest(case, size, seed, record)
    print("\nheld-out loss relative to the heuristic's, median of the seeds; seconds of processor time for each method")
    for size in options.weights:
        print("\n" + table(record, size, options.only, options.seeds))


if __name__ == "__main__":
    main()
