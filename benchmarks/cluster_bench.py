"""How fast the matching kernel is, against eager torch and torch.compile, and how little memory it takes.

`python -m benchmarks.cluster_bench`: forward, and forward with backward, of distances and winners for a batch of 64 images of 28 x 28
pixels and 100 centres. All ways are measured in turns within one run, by the time that the processor spends on them, on one thread
unless it says otherwise; only ratios mean something. `--quick` leaves out torch.compile, which takes minutes to compile.
"""

import argparse
import functools
import subprocess
import sys
import time

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch.nn import functional as F

from deepalgo.compiler import compile
from deepalgo.studies.cluster import heuristic, transforms
from deepalgo.studies.cluster.kernels.torch_match import box_sum, match_fused
from deepalgo.studies.cluster.kernels.torch_soft_match import soft_fused
from deepalgo.studies.cluster.training import piece_size, pieces

BATCH, CENTRES, SIDE = 64, 100, 28
#: The processor adds and compares so many vectors of eight floats in a cycle.
PORTS = 2
#: Additions and subtractions of one pixel, centre and transform: a difference, two sums of three.
ADDITIONS = 5


def operands(count=BATCH, seed=0):
    """Strokes rather than noise: most of an image is background, as in the data that the kernel is for."""
    generator = torch.Generator().manual_seed(seed)
    smooth = F.avg_pool2d(torch.rand(count + CENTRES, 1, SIDE + 4, SIDE + 4, generator=generator), 5, 1)[:, 0]
    images = ((smooth - 0.5) * 8).clamp(0, 1)
    return images[:count], torch.ones(CENTRES, SIDE, SIDE).requires_grad_(), images[count:].clone().requires_grad_()


def stacked(images, masks, centres, moves):
    """What one writes in torch: all shifted centres, all distances, the least."""
    reach = max(abs(item.down) for item in moves)
    framed = F.pad(centres, (reach,) * 4)
    shifted = torch.stack([framed[:, reach - i : reach - i + SIDE, reach - j : reach - j + SIDE] for _, i, j in moves], 1)
    distances = ((images[:, None] * masks)[:, :, None] - shifted).abs()
    return box_sum(distances).min(2)


def looped(images, masks, centres, moves):
    """The same with a running minimum, which stores less."""
    reach = max(abs(item.down) for item in moves)
    framed, masked = F.pad(centres, (reach,) * 4), images[:, None] * masks
    least = winners = None
    for t, (_, i, j) in enumerate(moves):
        box = box_sum((masked - framed[:, reach - i : reach - i + SIDE, reach - j : reach - j + SIDE]).abs())
        if least is None:
            least, winners = box, torch.zeros_like(box, dtype=torch.int8)
        else:
            less = box < least
            least, winners = torch.where(less, box, least), torch.where(less, t, winners)
    return least, winners


def fused(images, masks, centres, moves):
    """The kernel."""
    return match_fused(images, masks, centres, tuple(map(tuple, moves)), 1)


def smooth(images, masks, centres, moves):
    """The kernel with a smooth minimum."""
    return soft_fused(images, masks, centres, torch.tensor(0.1), tuple(map(tuple, moves)), 1)


def forward(way, data, moves, gradient=None):
    """Only distances and winners."""
    with torch.no_grad():
        way(*data, moves)


def both(way, data, moves, gradient=None):
    """Distances and winners, and the gradient of masks and centres."""
    least, _ = way(*data, moves)
    least.backward(arriving(way, data, moves) if gradient is None else gradient)
    data[1].grad = data[2].grad = None


@functools.cache
def _arriving(by_kernel, count, reach):
    with torch.no_grad():
        least = fused(*operands(count), transforms(reach))[0]
        distances = least.square().sum((1, 2), keepdim=True)
        gradient = 2 * least * torch.softmax(-0.05 * (distances - distances.amin(3, keepdim=True)), 3)
        return (gradient if by_kernel else gradient.movedim(-1, 1)).contiguous()


def arriving(way, data, moves):
    """A gradient as training sends it: strong for the nearest centres, next to nothing for the others. Made once, before measuring."""
    return _arriving(way in (fused, smooth), len(data[0]), max(item.down for item in moves))


def seconds(runs, rounds):
    """The quickest of some rounds of each, in turns, so that what else the machine does meets all of them."""
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.thread_time()
            run()
            best[name] = min(best[name], time.thread_time() - start)
    return best


def peak(way_name, step_name, reach):
    """The most memory that one step needs beyond its operands, in a process of its own."""
    code = (
        "import re, torch; from pathlib import Path; from benchmarks import cluster_bench as b; torch.set_num_threads(1); "
        "most = lambda: int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]); "
        f"moves = b.transforms({reach}); b.{step_name}(b.{way_name}, b.operands(1), moves); data = b.operands(); "
        f"sent = torch.rand({(BATCH, SIDE - 2, SIDE - 2, CENTRES) if way_name == 'fused' else (BATCH, CENTRES, SIDE - 2, SIDE - 2)}); "
        f"before = most(); b.{step_name}(b.{way_name}, data, moves, sent); print(most() - before)"
    )
    return int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout) / 1024


def by_threads(step, data, moves, patience=20.0):
    """How much quicker two threads are, by the clock: in turns for some seconds, the quickest of each."""
    best = {1: float("inf"), 2: float("inf")}
    end = time.perf_counter() + patience
    while time.perf_counter() < end:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            step(fused, data, moves)
            start = time.perf_counter()
            step(fused, data, moves)
            best[threads] = min(best[threads], time.perf_counter() - start)
    torch.set_num_threads(1)
    return best[1] / best[2]


def clock():
    """Cycles in a second: instructions that wait for each other take one cycle each, whatever else the processor could do."""
    import numba

    @numba.njit
    def chain(count):
        x = np.uint64(1)
        for i in range(count):
            x = (x ^ (x >> np.uint64(7))) + np.uint64(i)  # three cycles that wait for each other
        return x

    chain(10)
    best = 0.0
    for _ in range(5):
        start = time.thread_time()
        chain(50_000_000)
        best = max(best, 3 * 50_000_000 / (time.thread_time() - start))
    return best


def network_share(roughness, data, moves):
    """How long a compiled network takes for one image, and the part of it that the kernel takes."""
    images, _, centres = data
    decide = heuristic(centres.detach().double().numpy(), np.eye(10)[np.arange(CENTRES) % 10], moves, temperature=0.05, roughness=roughness)
    network = compile(decide, example=((np.zeros((SIDE, SIDE)),), {})).float()

    def step():
        for part in pieces(images, piece_size(network)):
            network(part)[:, ::2].sum().backward()

    gradient = arriving(fused, data, moves)

    def kernel():
        size = piece_size(network)
        for part, sent in zip(pieces(images, size), pieces(gradient, size), strict=True):
            fused(part, *data[1:], moves)[0].backward(sent)

    step()
    kernel()
    found = seconds({"network": step, "kernel": kernel}, 5)
    return 1e3 * found["network"] / BATCH, found["kernel"] / found["network"]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    torch.set_num_threads(1)
    table = Table(
        "T",
        "step",
        "kernel, ms an image",
        "eager (stacked)",
        "eager (running min)",
        "torch.compile",
        "2 threads",
        "memory of eager's",
        "of the vector limit",
        "smooth minimum",
    )
    hertz = clock()
    for reach in (1, 2):
        moves, data = transforms(reach), operands()
        compiled = torch.compile(stacked, dynamic=False)
        limit = ADDITIONS / PORTS * BATCH * CENTRES / 8 * SIDE * SIDE * len(moves) / hertz
        for step in (forward, both):
            ways = {"kernel": fused, "smooth": smooth, "stacked": stacked, "looped": looped} | ({} if quick else {"compiled": compiled})
            runs = {name: lambda way=way, step=step, data=data, moves=moves: step(way, data, moves) for name, way in ways.items()}
            for run in runs.values():
                run()
            found = seconds(runs, 3)
            ratio = {name: f"{value / found['kernel']:.0f} x" for name, value in found.items()}
            memory = peak("fused", step.__name__, reach) / peak("stacked", step.__name__, reach)
            table.add_row(
                str(len(moves)),
                step.__name__,
                f"{1e3 * found['kernel'] / BATCH:.3f}",
                ratio["stacked"],
                ratio["looped"],
                ratio.get("compiled", "-"),
                f"{by_threads(step, data, moves):.2f} x",
                f"{100 * memory:.1f} %",
                f"{found['kernel'] / limit:.1f} x" if step is forward else "-",
                f"{found['smooth'] / found['kernel']:.1f} x the time",
            )
    console = Console(width=160)
    console.print(table)
    for roughness in (None, 0.1):
        time_of, share = network_share(roughness, operands(), transforms(1))
        where = f"{time_of:.2f} ms an image forward and backward, {100 * share:.0f} % in the kernel"
        console.print(f"network with roughness {roughness}, T = 9: {where}")


if __name__ == "__main__":
    main()
