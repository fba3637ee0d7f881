"""`Fit`: what training found, as a network and as a report."""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.fitting.floor import interval
from deepalgo.fitting.ladder import HEURISTIC, Rung
from deepalgo.network import Network


class Fit:
    """The result of `fit`: `network` is the best that was found, or the heuristic; `print` shows the comparison."""

    def __init__(self, net: Network, rungs: list[Rung], held: Rung, is_squares: bool, dropped: int) -> None:
        self.rungs = rungs
        self.held = held
        self.is_squares = is_squares
        self.dropped = dropped
        self.network = held.network
        self.network.errors = net.errors

    @property
    def improved(self) -> bool:
        """Whether anything was better than the heuristic beyond noise."""
        return self.held.name != HEURISTIC

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [("held-out samples", "rms" if self.is_squares else "mean", "95 %", "median", "99th")]
        rows += [self._row(rung) for rung in self.rungs]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([*lines, f"kept: {self.held.name}"])

    __repr__ = __str__

    def _row(self, rung: Rung) -> tuple[str, ...]:
        losses = rung.test[self.rungs[0].test.isfinite()]
        low, high = (self._unit(torch.tensor(end)) for end in interval(losses))
        mean = self._unit(losses.mean())
        middle, tail = (self._unit(losses.quantile(part)) for part in (0.5, 0.99))
        return rung.name, f"{mean:.4g}", f"{low:.4g} .. {high:.4g}", f"{middle:.4g}", f"{tail:.4g}"

    def _unit(self, loss: Tensor) -> float:
        return (loss.clamp(min=0).sqrt() if self.is_squares else loss).item()
