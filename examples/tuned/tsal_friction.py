"""Friction in ducts: Tsal's formula, with a branch and an early return, against Colebrook. Its threshold moves by `soften`.

R. J. Tsal, "Altshul-Tsal friction factor equation", Heating, Piping and Air Conditioning, 1989.
"""

import math

import torch

import deepalgo as da
from examples.tuned.compare import conclude, percent


def friction(reynolds, roughness):
    """The Darcy friction factor of a duct; `roughness` is relative to the diameter."""
    factor = 0.11 * (68.0 / reynolds + roughness) ** 0.25
    if factor >= 0.018:
        return factor
    return 0.85 * factor + 0.0028


def colebrook(reynolds, roughness):
    """1/sqrt(f) = -2 log10(roughness/3.7 + 2.51/(Re sqrt(f))), by Newton's method."""
    x = 1.8 * torch.log10(reynolds)
    for _ in range(12):
        inner = roughness / 3.7 + 2.51 * x / reynolds
        x = x - (x + 2 * torch.log10(inner)) / (1 + 2 / math.log(10) * 2.51 / (reynolds * inner))
    return x**-2


def ducts(count, seed=0):
    """Turbulent flow in smooth and rough ducts, evenly by the logarithms."""
    u, v = torch.rand(2, count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return 4e3 * (1e8 / 4e3) ** u, 1e-6 * (5e-2 / 1e-6) ** v


def main(count=3000, steps=300):
    """Tune the constants, the threshold too; then a correction. Hand back the errors in percent."""
    inputs, other = ducts(count), ducts(2000, seed=1)
    net = da.compile(friction)
    tuned = da.fit(da.soften(net, *inputs), inputs, colebrook(*inputs), loss="relative", steps=steps, progress=False)
    grown = da.correct(tuned.network, "factor", hidden=8, relative=True)
    corrected = da.fit(grown, inputs, colebrook(*inputs), loss="relative", steps=steps, progress=False)
    rows = [percent(one, other, colebrook(*other)) for one in (net, tuned.network, corrected.network)]
    conclude("friction in ducts", rows, "%", goal=3.9)
    (border,) = (weight.key for weight in net.program.weights if weight.role == "threshold")
    print(f"the threshold was at {net.weights[border].item()} and is at {tuned.network.weights[border].item():.4g}")
    return rows


if __name__ == "__main__":
    main()
