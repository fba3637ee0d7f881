"""How long compiling takes, how a network compares with calling the heuristic sample by sample, and when it pays to compute
both arms of a branch for every sample instead of sorting the samples: `make bench`.

Each row is measured in one run on one thread, the best of several rounds; only ratios within a run mean something.
"""

import math
import time

import torch
from rich.console import Console
from rich.table import Table

import deepalgo as da
from deepalgo.backends.torch import branch_cost
from examples.demo import friction_factor, pipes


def kepler(mean_anomaly, eccentricity):
    """The eccentric anomaly by Newton's method; samples need different numbers of rounds."""
    anomaly = mean_anomaly
    step = 1.0
    while abs(step) > 1e-9:
        step = (anomaly - eccentricity * math.sin(anomaly) - mean_anomaly) / (1.0 - eccentricity * math.cos(anomaly))
        anomaly = anomaly - step
    return anomaly


def fifth_root(s):
    """Three Newton rounds on x**5 = s."""
    x = 1.0
    for _ in range(3):
        x = x - 1.0 * (x**5 - s) / (5 * x**4)
    return x


def orbits(count, seed):
    """Mean anomalies and eccentricities of bound orbits."""
    u, v = torch.rand(2, count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return 2 * math.pi * u, 0.8 * v


def numbers(count, seed):
    """Positive numbers."""
    return (50 * torch.rand(count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) + 0.1,)


HEURISTICS = [(friction_factor, pipes), (fifth_root, numbers), (kepler, orbits)]


def best(run, rounds=5):
    """Seconds of work of the quickest of several calls."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def measure(heuristic, inputs):
    """Seconds to compile, and seconds a batch: the function itself, the network, the network and its gradient."""
    network = da.compile(heuristic)
    rows = list(zip(*(item.tolist() for item in inputs), strict=True))

    def forward():
        with torch.no_grad():
            network(*inputs)

    return (
        best(lambda: da.compile(heuristic), rounds=3),
        best(lambda: [heuristic(*row) for row in rows], rounds=3),
        best(forward),
        best(lambda: network(*inputs).sum().backward()),
    )


def branch(x, rounds):
    """Two arms of twice as many operations as `rounds`."""
    if x > 0.5:
        for _ in range(rounds):
            x = x * 0.99 + 0.01
    else:
        for _ in range(rounds):
            x = x * 1.01 - 0.01
    return x


def measure_branch(rounds, inputs, sorting):
    """Seconds for a batch, without and with its gradient, if sorting the samples is said to cost so much."""
    before, branch_cost.SORT = branch_cost.SORT, sorting
    try:
        network = da.compile(branch, example=((0.5, rounds), {}))

        def forward():
            with torch.no_grad():
                network(*inputs, rounds)

        return best(forward, rounds=20), best(lambda: network(*inputs, rounds).sum().backward(), rounds=20)
    finally:
        branch_cost.SORT = before


def print_heuristics(console, count):
    """One row a heuristic."""
    columns = ("heuristic", "compile ms", "python ns", "network ns", "with gradient ns", "python / network")
    table = Table(*columns, title=f"per sample, batch of {count}")
    for heuristic, sample in HEURISTICS:
        compiling, plain, forward, backward = measure(heuristic, sample(count, seed=1))
        nanoseconds = [f"{1e9 * seconds / count:.0f}" for seconds in (plain, forward, backward)]
        table.add_row(heuristic.__name__, f"{1e3 * compiling:.1f}", *nanoseconds, f"{plain / forward:.1f}")
    console.print(table)


def print_branches(console):
    """One row for each size of a branch: how much longer sorting takes than computing both arms; below 1 it is quicker."""
    batches = (100, 10_000, 100_000)
    columns = [f"{what} {count}" for count in batches for what in ("forward", "with gradient")]
    table = Table("operations", *columns, title="a branch in batches: time sorted / time masked")
    for rounds in (1, 2, 4, 6, 8, 16):
        ratios = []
        for count in batches:
            inputs = (torch.rand(count, generator=torch.Generator().manual_seed(1), dtype=torch.float64),)
            pairs = zip(measure_branch(rounds, inputs, sorting=-math.inf), measure_branch(rounds, inputs, sorting=math.inf), strict=True)
            ratios += [apart / masked for apart, masked in pairs]
        table.add_row(str(4 * rounds), *(f"{ratio:.2f}" for ratio in ratios))
    console.print(table)


def main(count=10_000):
    """Print both tables."""
    console = Console(width=140)
    print_heuristics(console, count)
    print_branches(console)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
