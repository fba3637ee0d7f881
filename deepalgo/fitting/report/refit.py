"""`Refit`: what became of the kept network when it was fitted again on all data."""

from __future__ import annotations

from dataclasses import dataclass

from deepalgo.network import Network


@dataclass(frozen=True, slots=True)
class Refit:
    """The network that was fitted again on so many samples, or None and why it is not handed back, if that was asked for."""

    network: Network | None = None
    samples: int = 0
    refused: str = ""

    def __str__(self) -> str:
        if not self.samples:
            return ""
        if self.network is None:
            return f"not fitted again on all {self.samples} samples, as {self.refused}"
        return f"fitted again on all {self.samples} samples; the figures are those of the weights before, by which it was selected"
