"""Tune the constants of a pipe-friction formula that engineers have used since 1966: `make demo`.

The heuristic is explicit and has a branch: laminar flow below a Reynolds number of 2040, Wood's formula above it, in the ranges for
which it was published. The reference is the implicit Colebrook equation, solved with a fixed number of Newton steps.

D. J. Wood, "An explicit friction factor relationship", Civil Engineering (ASCE) 36(12), 1966, pages 60-61.
"""

import math
from pathlib import Path

import torch

import deepalgo as da


def friction_factor(reynolds, roughness):
    """The Darcy friction factor of a pipe; `roughness` is relative to the diameter."""
    if reynolds < 2040.0:
        return 64.0 / reynolds
    falloff = 1.62 * roughness**0.134
    return 0.094 * roughness**0.225 + 0.53 * roughness + 88.0 * roughness**0.44 * reynolds**-falloff


def reference(reynolds, roughness):
    """Laminar flow exactly; else Colebrook, 1/sqrt(f) = -2 log10(roughness/3.7 + 2.51/(Re sqrt(f))), solved for 1/sqrt(f)."""
    x = 1.8 * torch.log10(reynolds)
    for _ in range(12):
        inner = roughness / 3.7 + 2.51 * x / reynolds
        slope = 1 + 2 / math.log(10) * 2.51 / (reynolds * inner)
        x = x - (x + 2 * torch.log10(inner)) / slope
    return torch.where(reynolds < 2040, 64 / reynolds, x**-2)


def pipes(count, seed):
    """Pipes with log-uniform Reynolds number and roughness, one in ten laminar."""
    random = torch.Generator().manual_seed(seed)
    u, v = torch.rand(2, count, generator=random, dtype=torch.float64)
    turbulent = 4e3 * (5e7 / 4e3) ** u
    laminar = 500 + 1500 * u
    reynolds = torch.where(torch.arange(count) % 10 == 0, laminar, turbulent)
    return reynolds, 1e-5 * (4e-2 / 1e-5) ** v


def main(count=2000, steps=300, folder="build/demo"):
    """Compile, certify, tune; print the report and the diff, save the plot and the drawing, and hand back the fit."""
    network = da.compile(friction_factor)
    print("The network repeats the function it was made from:\n")
    print(network.verify(*pipes(200, seed=3)))

    fit = da.fit(network, pipes(count, seed=1), targets=reference, loss="relative", steps=steps)
    print(f"\nTuned against the exact Colebrook solution:\n\n{fit}")
    print(f"\nWhat changes in the source:\n\n{da.diff(fit.network)}")

    Path(folder).mkdir(parents=True, exist_ok=True)
    fit.plot().savefig(Path(folder) / "fit.png", dpi=120)
    da.draw(fit.network, Path(folder) / "network.svg")
    print(f"Saved {folder}/fit.png and {folder}/network.svg.")
    return fit


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
