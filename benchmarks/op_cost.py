"""What every operation costs, in additions of as many numbers: `python -m benchmarks.op_cost`.

Printed are the stated cost of the row, the measured one, and a mark where they differ by more than a factor of three.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
import torch

from deepalgo.ops.table import TABLE, infer
from tests.support.row_cases import Case, cases, in_torch, samples

NUMBERS, FACTOR = 100_000, 3.0


def operands(case: Case, numbers: int) -> list[torch.Tensor]:
    """A batch whose result holds about so many numbers, of operands at which the operation is finite."""
    found = []
    for sample in samples(case):
        with np.errstate(all="ignore"):
            value = in_torch(case, [torch.as_tensor(item)[None] for item in sample])()
        if torch.isfinite(value).all():
            found.append(sample)
    size = max(1, math.prod(infer(case.name, case.types, case.attrs).shape))
    count = max(1, numbers // size)
    return [torch.as_tensor(np.resize(np.stack(column), (count, *column[0].shape))) for column in zip(*found, strict=True)]


def seconds(case: Case, numbers: int) -> float:
    """The shortest of a few runs, for each number of the result."""
    if case.name == "index":
        return 0.0  # a view
    batch = operands(case, numbers)
    call = in_torch(case, batch)
    times = []
    for _ in range(7):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return min(times) / max(1, result.numel())


def main() -> None:
    """Print every row."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--numbers", type=int, default=NUMBERS, help="how many numbers a result holds")
    numbers = parser.parse_args().numbers
    torch.set_num_threads(1)
    one = seconds(cases("add")[0], numbers)
    for name, row in TABLE.items():
        case = cases(name)[0]
        if not case.types:
            continue
        measured = seconds(case, numbers) / one
        off = max(measured, 0.3) / max(row.cost, 0.3)
        mark = "" if 1 / FACTOR <= off <= FACTOR else "  *"
        print(f"{name:14} {row.cost:8.4g} {measured:8.1f}{mark}", flush=True)


if __name__ == "__main__":
    main()
