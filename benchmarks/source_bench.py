"""How fast the source of a network is: `python -m benchmarks.source_bench`.

For each heuristic: the original called sample by sample, its source called the same way, the source under `numba.njit` in a compiled
loop, the source for whole batches (`style="numpy"`), and the network. One run, one thread, the best of several rounds; only
ratios within a run mean something. They are times the speed of the original.
"""

import numba
import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import deepalgo as da
from benchmarks.speed import HEURISTICS, best

COUNT = 20_000


def load(text):
    """The function that a text defines last."""
    space = {}
    exec(text, space)
    return [item for item in space.values() if getattr(item, "__code__", None)][-1]


def over_samples(function, width):
    """A compiled loop that calls a compiled function for each row."""
    names = ", ".join(f"rows[k, {place}]" for place in range(width))
    text = f"def run(rows, out):\n    for k in range(len(rows)):\n        out[k] = function({names})\n"
    space = {"function": numba.njit(function)}
    exec(text, space)
    return numba.njit(space["run"])


def measure(heuristic, draw):
    """Seconds of each way for the same samples, the original first; all must answer alike."""
    net = da.compile(heuristic)
    inputs = draw(COUNT, 1)
    rows = np.stack([column.numpy() for column in inputs], axis=1)
    columns = [np.ascontiguousarray(column) for column in rows.T]
    samples = [tuple(row) for row in rows.tolist()]
    plain, batched = load(da.source(net)), load(da.source(net, style="numpy"))
    compiled, out = over_samples(plain, rows.shape[1]), np.empty(COUNT)
    compiled(rows, out)
    with torch.no_grad():
        wanted = net(*inputs).numpy()
        for answer in (out, batched(*columns), np.array([plain(*sample) for sample in samples])):
            np.testing.assert_allclose(answer, wanted, rtol=1e-10)
        return {
            "original": best(lambda: [heuristic(*sample) for sample in samples]),
            "source": best(lambda: [plain(*sample) for sample in samples]),
            "source, njit": best(lambda: compiled(rows, out)),
            "source, NumPy": best(lambda: batched(*columns)),
            "network": best(lambda: net(*inputs)),
        }


def main():
    """Print one row for each heuristic."""
    torch.set_num_threads(1)
    table = None
    for heuristic, draw in HEURISTICS:
        seconds = measure(heuristic, draw)
        if table is None:
            table = Table("heuristic", *(f"{name} x" for name in seconds), title=f"times the speed of the original, {COUNT} samples")
        table.add_row(heuristic.__name__, *(f"{seconds['original'] / each:.1f}" for each in seconds.values()))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
