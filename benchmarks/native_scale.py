"""What native code needs as rounds and samples grow: `python -m benchmarks.native_scale`.

Each row is measured in a process of its own, on one thread. Memory is the most that the process had, over what it had with the code
compiled and the inputs made. Rounds are those of a loop for 1,000 samples, with the gradient; samples are those of a formula, and of its
memory what results and gradients take is left out.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import torch
from rich.console import Console
from rich.table import Table

import deepalgo as da

ROUNDS = (1_000, 10_000, 100_000, 1_000_000)
SAMPLES = (10_000, 100_000, 1_000_000, 10_000_000)


def spring_of(rounds: int) -> Callable[..., float]:
    """A damped pendulum that swings for so many steps."""

    def spring(x: float, damping: float = 0.1, h: float = 1e-5) -> float:
        v = 0.0
        for _ in range(rounds):
            v = v - h * (math.sin(x) + damping * v)
            x = x + h * v
        return x

    return spring


def spring_until(x: float, rounds: float, damping: float = 0.1, h: float = 1e-5) -> float:
    """The same for as many steps as the data say."""
    v, done = 0.0, 0.0
    while done < rounds:
        v = v - h * (math.sin(x) + damping * v)
        x = x + h * v
        done += 1.0
    return x


def friction(reynolds: float, roughness: float = 1e-4) -> float:
    """Haaland's friction factor, with the laminar branch."""
    if reynolds < 2300.0:
        return 64.0 / reynolds
    return (-1.8 * math.log10((roughness / 3.7) ** 1.11 + 6.9 / reynolds)) ** -2


def peak() -> int:
    """Bytes that the process had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measured(net: da.Network, inputs: Sequence[torch.Tensor], gradient: bool) -> tuple[float, float]:
    """Bytes over those of results and gradients, and seconds of a call."""
    assert net.backend == "native", net.backend
    before, start = peak(), time.process_time()
    if gradient:
        net(*inputs).sum().backward()
    else:
        with torch.no_grad():
            net(*inputs)
    taken, held = time.process_time() - start, peak() - before
    size = 8 * len(inputs[0])
    if gradient:
        found = inputs[0].grad
        assert found is not None and bool(torch.isfinite(found).all())
    return float(held - size * (2 if gradient else 1)), taken


def row(kind: str, size: int, samples: int) -> tuple[float, float]:
    """What one row of a table measures, in this process."""
    torch.set_num_threads(1)
    warm = torch.linspace(1e3, 1e5, 8, dtype=torch.float64, requires_grad=True)
    da.compile(friction, backend="native")(warm).sum().backward()
    if kind == "for":
        xs = torch.linspace(0.2, 1.5, samples, dtype=torch.float64, requires_grad=True)
        return measured(da.compile(spring_of(size), backend="native"), [xs], True)
    if kind == "while":
        xs = torch.linspace(0.2, 1.5, samples, dtype=torch.float64, requires_grad=True)
        counts = torch.linspace(0.9 * size, size, samples, dtype=torch.float64).round()  # each sample its own
        return measured(da.compile(spring_until, backend="native", max_rounds=size), [xs, counts], True)
    xs = torch.linspace(5e2, 1e6, size, dtype=torch.float64, requires_grad=kind == "formula, gradient")
    return measured(da.compile(friction, backend="native"), [xs], kind == "formula, gradient")


def apart(kind: str, size: int, samples: int) -> tuple[float, float]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.native_scale", "--row", json.dumps([kind, size, samples])]
    held, taken = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return held, taken


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--row", help=argparse.SUPPRESS)
    parser.add_argument("--samples", type=int, default=1000, help="of the loops")
    given = parser.parse_args()
    if given.row:
        print(json.dumps(row(*json.loads(given.row))))
        return
    print_table(f"A loop for {given.samples} samples, with the gradient", ("for", "while"), ROUNDS, given.samples, "rounds")
    print_table("A formula", ("formula", "formula, gradient"), SAMPLES, 1, "samples")


def print_table(title: str, kinds: Sequence[str], sizes: Sequence[int], samples: int, word: str) -> None:
    """One table: a row for each size, memory and time for each kind."""
    table = Table(title=title)
    table.add_column(word, justify="right")
    for kind in kinds:
        for column in (f"{kind}: MB", "s", "ns a sample" + (" and round" if samples > 1 else "")):
            table.add_column(column, justify="right")
    for size in sizes:
        cells = [f"{size:,}"]
        for kind in kinds:
            held, taken = apart(kind, size, samples)
            cells += [f"{held / 1e6:.1f}", f"{taken:.2f}", f"{1e9 * taken / size / samples:.1f}"]
        table.add_row(*cells)
    Console().print(table)


if __name__ == "__main__":
    main()
