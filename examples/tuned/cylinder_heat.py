"""Heat from a cylinder in cross flow: Whitaker's smooth formula against the four pieces of Zukauskas.

S. Whitaker, "Forced convection heat transfer correlations", AIChE Journal 18(2), 1972; A. Zukauskas, "Heat transfer from tubes
in crossflow", Advances in Heat Transfer 8, 1972.
"""

import torch

import deepalgo as da
from examples.tuned.compare import conclude, percent


def nusselt(reynolds, prandtl):
    """The Nusselt number of a cylinder in cross flow."""
    flow = 0.4 * reynolds**0.5 + 0.06 * reynolds**0.6667
    return flow * prandtl**0.4


def zukauskas(reynolds, prandtl):
    """Four ranges of the Reynolds number, two of the Prandtl number."""
    found = 0.076 * reynolds**0.7
    for end, factor, power in ((2e5, 0.26, 0.6), (1e3, 0.51, 0.5), (40.0, 0.75, 0.4)):
        found = torch.where(reynolds < end, factor * reynolds**power, found)
    return found * torch.where(prandtl <= 10, prandtl**0.37, prandtl**0.36)


def flows(count, seed=0):
    """The range for which Whitaker gave his formula, evenly by the logarithms."""
    u, v = torch.rand(2, count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return 1e5**u, 0.67 * (300 / 0.67) ** v


def main(count=3000, steps=300):
    """Tune the constants, then a correction of the flow; hand back the error in percent as published, tuned and corrected."""
    inputs, other = flows(count), flows(2000, seed=1)
    net = da.compile(nusselt)
    tuned = da.fit(net, inputs, zukauskas(*inputs), loss="relative", steps=steps, progress=False)
    grown = da.correct(tuned.network, "flow", ["reynolds"], hidden=16, relative=True)
    corrected = da.fit(grown, inputs, zukauskas(*inputs), loss="relative", steps=2 * steps, progress=False)
    rows = [percent(one, other, zukauskas(*other)) for one in (net, tuned.network, corrected.network)]
    conclude("heat from a cylinder", rows, "%", goal=1.75)
    print(da.diff(tuned.network))
    return rows


if __name__ == "__main__":
    main()
