"""One of several processes that train a network together: `... ddp_worker FILE RANK SIZE KIND` prints its weights and gradients."""

import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import deepalgo as da

torch.set_num_threads(1)


def heuristic(x, never=7.0):
    if x > da.weight(0.4, "limit"):
        return da.weight(1.7, "steep") * x ** da.weight(2.0, "square")
    if x > 100.0:
        return never * x
    return da.weight(0.5, "start") + da.weight(0.9, "flat") * x


def main(path, rank, size, kind):
    rank, size = int(rank), int(size)
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=size)
    net = da.compile(heuristic, backend=kind if kind != "scaled" else None)
    module = da.scaled(net) if kind == "scaled" else net
    optimiser = torch.optim.Adam(module.parameters() if kind == "scaled" else net.parameter_groups(0.01), lr=0.01)
    shared = DistributedDataParallel(module)
    x = torch.linspace(-1, 1, 40, dtype=torch.float64)
    share = x.chunk(size)[rank]  # the first process takes one arm alone
    for _ in range(3):
        optimiser.zero_grad()
        (shared(share) - 2 * share).square().mean().backward()
        optimiser.step()
    del shared
    gradients = [0.0 if weight.grad is None else weight.grad.item() for weight in module.parameters()]
    dist.barrier()
    dist.destroy_process_group()
    print(*(number.hex() for number in [*(weight.item() for weight in net.parameters()), *gradients]))


if __name__ == "__main__":
    main(*sys.argv[1:])
