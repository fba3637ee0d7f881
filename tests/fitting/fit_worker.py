"""A fit in a process of its own, for tests that kill it or run two of it: the weights go to standard output, bit for bit."""

import sys
import time

import torch

import deepalgo as da

torch.set_num_threads(1)


def heuristic(x, y):
    if x > 0.4:
        return 1.7 * x - 0.3 * y
    return 0.5 + 0.9 * x * y


def draw(count, generator):
    return tuple(torch.rand(2, count, generator=generator, dtype=torch.float64))


def reference(x, y):
    return torch.where(x > 0.4, 2.0 * x - 0.4 * y + 0.01 * torch.sin(9 * y), 0.6 + 0.7 * x * y)


def main(path, kind, pace):
    """`pace` is how many seconds each batch takes longer, so that there is time to be killed."""

    def slow_reference(x, y):
        if len(x) < 200:
            time.sleep(float(pace))
        return reference(x, y)

    checkpoint = None if path == "-" else path
    search = da.SearchOptions(batch_size=64, seeds=2, polished=kind != "folds", optimiser=kind if kind == "lbfgs" else "adam")
    options = {"steps": 30 if kind == "lbfgs" else 100, "search": search, "checkpoint": checkpoint, "progress": False}
    if kind == "fresh":
        fit = da.fit(da.compile(heuristic), draw, targets=slow_reference, **options)
    elif kind == "folds":
        inputs = draw(48, torch.Generator().manual_seed(3))
        loss = lambda output, target: time.sleep(float(pace)) or (output - target) ** 2
        options |= {"steps": 20, "groups": torch.arange(48) % 4, "refit": True}
        fit = da.fit(da.compile(heuristic), inputs, targets=reference, loss=loss, **options)
    else:
        inputs = draw(301, torch.Generator().manual_seed(3))
        loss = lambda output, target: time.sleep(float(pace)) or (output - target) ** 2
        fit = da.fit(da.compile(heuristic), inputs, targets=reference, loss=loss, **options)
    if torch.distributed.is_initialized() and torch.distributed.get_rank() > 0:
        return
    print(*(weight.item().hex() for weight in fit.network.weights.tensors()))
    print(*(loss.item().hex() for loss in fit.held.validation.sum()[None]))


if __name__ == "__main__":
    main(*sys.argv[1:])
