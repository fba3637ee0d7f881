"""The drag of a sphere: Yen's one-line formula against the standard curve that Clift, Grace and Weber fitted piece by piece.

B. C. Yen, "Sediment fall velocity in oscillating flow", 1992; R. Clift, J. R. Grace and M. E. Weber, "Bubbles, Drops, and
Particles", Academic Press, 1978.
"""

import torch

import deepalgo as da
from examples.tuned.compare import conclude, percent


def drag(reynolds):
    """The drag coefficient of a sphere."""
    return 24.0 / reynolds * (1.0 + 0.15 * reynolds**0.5 + 0.017 * reynolds) - 0.208 / (1.0 + 1e4 * reynolds**-0.5)


def standard_curve(reynolds):
    """Clift, Grace and Weber: seven pieces from creeping flow to the drag crisis."""
    x = torch.log10(reynolds)
    pieces = [
        (0.01, 24 / reynolds + 4.5),
        (20.0, 24 / reynolds * (1 + 0.1315 * reynolds ** (0.82 - 0.05 * x))),
        (260.0, 24 / reynolds * (1 + 0.1935 * reynolds**0.6305)),
        (1500.0, 10 ** (1.6435 - 1.1242 * x + 0.1558 * x**2)),
        (12e3, 10 ** (-2.4571 + 2.5558 * x - 0.9295 * x**2 + 0.1049 * x**3)),
        (44e3, 10 ** (-1.9181 + 0.6370 * x - 0.0636 * x**2)),
        (338e3, 10 ** (-4.3390 + 1.5809 * x - 0.1546 * x**2)),
    ]
    found = pieces[-1][1]
    for end, piece in reversed(pieces[:-1]):
        found = torch.where(reynolds < end, piece, found)
    return found


def spheres(count, seed=0):
    """Reynolds numbers from 0.1 to 300,000, evenly by their logarithm."""
    u = torch.rand(count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return 0.1 * (3e5 / 0.1) ** u


def main(count=3000, steps=300):
    """Tune the constants, then a correction; hand back the error in percent as published, tuned and corrected."""
    reynolds = spheres(count)
    target, other = standard_curve(reynolds), spheres(2000, seed=1)
    net = da.compile(drag)
    tuned = da.fit(net, reynolds, target, loss="relative", steps=steps, progress=False)
    corrected = da.fit(da.correct(tuned.network, "return", relative=True), reynolds, target, loss="relative", steps=steps, progress=False)
    rows = [percent(one, (other,), standard_curve(other)) for one in (net, tuned.network, corrected.network)]
    conclude("drag of a sphere", rows, "%", goal=2.4)
    print(da.diff(tuned.network))
    return rows


if __name__ == "__main__":
    main()
