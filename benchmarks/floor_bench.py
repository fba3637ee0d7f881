"""The floor on grouped data, where it is used: at new sites. `python -m benchmarks.floor_bench`.

Measurements come from a few sites, each with an offset, or a slope, of its own. `fit` is told the sites by `groups=`. What it keeps is
then tried on many new sites: how often is it worse than the heuristic, and does the interval of the report hold what is left of the
heuristic's error there? In some cases the formula is right, so that every gain is chance; in others it is off, and there is something
to gain.

Fixed seeds; every case is repeated 200 times. `--only NAME`, `--repeats 20` run a part of it. Ends with 1 unless what is kept is worse in
at most 5 % of the repeats of each case, and the interval holds the truth in at least 90 %.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import deepalgo as da
from deepalgo.fitting.data.samples import read
from deepalgo.fitting.judge.objective import Objective

#: Sites on which the truth is measured.
NEW_SITES = 1000
#: What the issue of the floor asks for.
MOST_WORSE, LEAST_COVERED = 0.05, 0.90
#: First-order steps; the constants are found by Gauss-Newton steps in any case.
STEPS = 10


def line(x):
    """Two constants."""
    return 2.0 * x + 1.0


def decay(x):
    """Three constants."""
    return 5.0 * math.exp(-0.8 * x) + 1.0


@dataclass(frozen=True)
class Case:
    """A formula, so many sites with so many rows, what differs among sites and rows, and how far the formula is off."""

    formula: Callable[..., Any]
    sites: int
    rows: int
    offset: float
    slope: float
    noise: float
    off: float = 0.0

    def data(self, sites: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The site, the input and the answer of each row."""
        random = np.random.default_rng(seed)
        site = np.repeat(np.arange(sites), self.rows)
        x = random.uniform(0, 2, len(site))
        offsets, slopes = random.normal(0, [[self.offset], [self.slope]], (2, sites))
        y = np.vectorize(self.formula)(x) + self.off + offsets[site] + slopes[site] * x
        return site, x, y + random.normal(0, self.noise, len(site))


CASES = {
    "right, offsets": Case(line, 8, 50, offset=0.5, slope=0.0, noise=0.2),
    "right, slopes too": Case(line, 8, 50, offset=0.5, slope=0.3, noise=0.2),
    "right, five sites": Case(decay, 5, 30, offset=0.3, slope=0.2, noise=0.2),
    "right, many sites": Case(decay, 30, 10, offset=0.5, slope=0.0, noise=0.2),
    "off by one spread": Case(line, 8, 50, offset=0.5, slope=0.0, noise=0.2, off=0.5),
    "off by three": Case(line, 8, 50, offset=0.5, slope=0.2, noise=0.2, off=1.5),
    "off, many sites": Case(decay, 30, 10, offset=0.3, slope=0.2, noise=0.2, off=0.6),
}


@dataclass
class Tally:
    """Of so many repeats: how many kept something, kept something worse, and had an interval that holds the truth."""

    repeats: int = 0
    kept: int = 0
    worse: int = 0
    covered: int = 0
    covered_kept: int = 0

    def add(self, fit: da.Fit, truth: float) -> None:
        """Count one repeat."""
        _, low, high = fit.held_out[fit.held.name].share
        holds = low <= truth <= high
        self.repeats += 1
        self.kept += fit.improved
        self.worse += fit.improved and truth > 1
        self.covered += holds
        self.covered_kept += fit.improved and holds

    @property
    def holds(self) -> bool:
        """Whether this is what was asked for."""
        return self.worse <= MOST_WORSE * self.repeats and self.covered >= LEAST_COVERED * self.repeats


class Truth:
    """What is left of the heuristic's rms error at new sites."""

    def __init__(self, net: da.Network, case: Case) -> None:
        _, x, y = case.data(NEW_SITES, seed=10**6)
        self.objective, self.samples = Objective(net), read(net, x, y)
        self.before = self._loss(net)

    def share(self, fitted: da.Network) -> float:
        """Of a network that was fitted."""
        return math.sqrt(self._loss(fitted) / self.before)

    def _loss(self, net: da.Network) -> float:
        return self.objective.measure(net, self.samples).mean().item()


def tally(case: Case, repeats: int) -> Tally:
    """One case, fitted again and again on data of other sites."""
    net, found = da.compile(case.formula), Tally()
    truth = Truth(net, case)
    for seed in range(repeats):
        site, x, y = case.data(case.sites, seed)
        fit = da.fit(net, x, targets=y, groups=site, steps=STEPS, progress=False)
        found.add(fit, truth.share(fit.network) if fit.improved else 1.0)
    return found


def row(name: str, found: Tally) -> str:
    """A line of the table."""
    of_kept = f"{100 * found.covered_kept / found.kept:.0f} %" if found.kept else ""
    shares = (f"{100 * number / found.repeats:.1f} %" for number in (found.kept, found.worse, found.covered))
    return f"| {name} | {' | '.join(shares)} | {of_kept} |"


def main(arguments: list[str] | None = None) -> int:
    """Print the table, a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--only", choices=[*CASES], action="append")
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    print("| case | kept | worse on new sites | interval holds the truth | of those that were kept |\n| --- | --- | --- | --- | --- |")
    right = True
    for name in given.only or CASES:
        found = tally(CASES[name], given.repeats)
        right &= found.holds
        print(row(name, found), flush=True)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
