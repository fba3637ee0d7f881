"""`Processes`: the processes that train together. Under `torchrun` every process makes the same call and takes its share of each batch.

>>> Processes.find().size
1
"""

from __future__ import annotations

import os

import torch
import torch.distributed as dist
from torch import Tensor

from deepalgo.fitting.data.samples import Samples


class Processes:
    """One of `size` processes, the number `rank`."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank = rank
        self.size = size

    @staticmethod
    def find() -> Processes:
        """The processes that torchrun started, joined with gloo unless the program has joined them already."""
        if not dist.is_available() or int(os.environ.get("WORLD_SIZE", "1")) < 2:
            return Processes()
        if not dist.is_initialized():
            dist.init_process_group("gloo")
        return Processes(dist.get_rank(), dist.get_world_size())

    @property
    def leads(self) -> bool:
        """Whether this is the process that prints and writes."""
        return self.rank == 0

    def share(self, samples: Samples) -> Samples:
        """This process's part of a batch."""
        return samples if self.size == 1 else samples.pick(torch.arange(self.rank, len(samples), self.size))

    def add(self, numbers: Tensor) -> Tensor:
        """The sum over all processes."""
        if self.size > 1:
            dist.all_reduce(numbers)
        return numbers

    def most(self, number: float) -> float:
        """The largest number that any process has."""
        if self.size == 1:
            return number
        shared = torch.tensor(number, dtype=torch.float64)
        dist.all_reduce(shared, dist.ReduceOp.MAX)
        return shared.item()

    def collect(self, mine: Tensor, size: int) -> Tensor:
        """One number for every sample, from the shares of all processes."""
        if self.size == 1:
            return mine
        whole = torch.zeros(size, dtype=mine.dtype)
        whole[self.rank :: self.size] = mine
        return self.add(whole)

    def wait(self) -> None:
        """Until all processes are here."""
        if self.size > 1:
            dist.barrier()
