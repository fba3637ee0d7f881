"""What `native_bench.py` measures: loops of `native_loops.py`, and formulas of the corpus on samples near its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

import deepalgo as da
from benchmarks import compile_bench, native_loops
from benchmarks.native_loops import Array, series, tracks, uniform

FORMULAS = (
    "stdlib:colorsys.rgb_to_hsv",
    "stdlib:colorsys.hsv_to_rgb",
    "fluids:fluids.drag.Clift",
    "fluids:fluids.friction.friction_plate_Kumar",
    "astral:astral.refraction_at_zenith",
    "iapws:iapws.iapws97._Backward2_T_Ph",
)


@dataclass(frozen=True, slots=True)
class Job:
    """A function, how its samples are drawn (one array for each argument), and on how many of them slow contenders run."""

    function: Callable[..., Any]
    draw: Callable[[int], list[Array]]
    alone: int  # for the Python loop
    torch: int | None  # for the torch backend; None: all
    loop: bool

    @property
    def name(self) -> str:
        """How tables call it."""
        return self.function.__name__

    def network(self, backend: str) -> da.Network:
        """The function compiled for a backend."""
        example = tuple(column[0] if column.ndim > 1 else float(column[0]) for column in self.draw(1))
        return da.compile(self.function, example=(example, {}), backend=backend)

    def rows(self, columns: list[Array], count: int) -> list[list[Any]]:
        """Arguments in plain Python, sample by sample."""
        return [[column[k].tolist() for column in columns] for k in range(min(count, len(columns[0])))]


LOOPS = (
    Job(native_loops.pid, partial(uniform, 0.1, 3.0), 10, 200, True),
    Job(native_loops.shot, partial(uniform, 0.2, 1.3), 20, 200, True),
    Job(native_loops.lotka_volterra, partial(uniform, 0.3, 0.9), 10, 200, True),
    Job(native_loops.kalman, tracks, 20, 200, True),
    Job(native_loops.newton, partial(uniform, 0.5, 100.0), 2000, None, True),
    Job(native_loops.dtw, series, 20, 2000, True),
)


def formulas(corpus: Any) -> list[Job]:
    """The formulas; samples are those of the corpus, each number moved by up to a tenth."""
    entries = {entry["id"]: entry for entry in corpus.entries()}
    return [Job(corpus.resolve(entries[name]), partial(_drawn, corpus, entries[name]), 2000, None, False) for name in FORMULAS]


def _drawn(corpus: Any, entry: Any, count: int) -> list[Array]:
    with torch.no_grad():
        return [np.ascontiguousarray(column.numpy()) for column in compile_bench.prepare(entry, corpus, count).inputs]
