"""What each sample does in a network: the arms that it takes, and the rounds of its loops."""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.backends.torch.runtime.record import Record, recording
from deepalgo.ir import While, walk
from deepalgo.network import Network

#: A loop that runs so many times longer than ever before will not end.
LONGER, MORE = 8, 32


def watch(net: Network, leaves: list[Tensor]) -> Record:
    """What each sample did."""
    with torch.no_grad(), recording() as record:
        net.execute(list(leaves))
    return record


def enough_rounds(net: Network, leaves: list[Tensor]) -> int:
    """A number of rounds that no loop should need while weights change: far more than the longest one of these samples."""
    if not any(isinstance(statement, While) for statement in walk(net.program.body)):
        return net.max_rounds
    longest = max((int(visit.did.max()) for visits in watch(net, leaves).trips.values() for visit in visits if len(visit.did)), default=0)
    return min(net.max_rounds, LONGER * longest + MORE)
