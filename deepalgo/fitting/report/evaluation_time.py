"""The time that one evaluation takes, before and after training."""

from __future__ import annotations

import time

import torch
from torch import Tensor

from deepalgo.network import Network

SAMPLES, TIMES = 1000, 7


def seconds_per_sample(networks: list[Network], leaves: list[Tensor]) -> list[float]:
    """The time of one sample in a batch, for networks that take turns; the shortest of several."""
    some = [leaf[torch.arange(SAMPLES) % len(leaf)] for leaf in leaves]
    times: list[list[float]] = [[] for _ in networks]
    with torch.no_grad():
        for _ in range(TIMES):
            for network, taken in zip(networks, times, strict=True):
                begun = time.perf_counter()
                network.execute(some)
                taken.append((time.perf_counter() - begun) / SAMPLES)
    return [min(taken) for taken in times]
