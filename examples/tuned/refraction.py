"""Refraction at the horizon: three formulas for three ranges of elevation, whose borders move, against the solar position algorithm.

The heuristic is the one of the NOAA calculator, in seconds of arc; the reference is the correction of I. Reda and A. Andreas, "Solar
position algorithm for solar radiation applications", NREL, 2003, at 1010 hPa and 10 degrees.
"""

import math

import torch

import deepalgo as da
from examples.tuned.compare import conclude, rms


def refraction(elevation):
    """How far the air lifts the sun, in degrees, at a true elevation in degrees."""
    if elevation >= 85.0:
        return 0.0
    slope = math.tan(math.radians(elevation))
    if elevation > 5.0:
        seconds = 58.1 / slope - 0.07 / slope**3 + 0.000086 / slope**5
    elif elevation > -0.575:
        seconds = 1735.0 + elevation * (-518.2 + elevation * (103.4 + elevation * (-12.79 + elevation * 0.711)))
    else:
        seconds = -20.774 / slope
    return seconds / 3600.0


#: The line of the guard that cuts the correction off near the zenith.
HIGH = refraction.__code__.co_firstlineno + 2


def reference(elevation):
    """The correction of the solar position algorithm."""
    return 1.02 / (60 * torch.tan(torch.deg2rad(elevation + 10.3 / (elevation + 5.11))))


def skies(count, seed=0):
    """From the horizon to high noon."""
    return -0.5 + 89 * torch.rand(count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def main(count=3000, steps=1500):
    """Tune the constants; then soften the guards, so that the borders move too. Hand back the errors in degrees."""
    here, other = skies(count), skies(2000, seed=1)
    net = da.compile(refraction)
    tuned = da.fit(net, here, reference(here), steps=steps, progress=False)
    softened = da.fit(da.soften(net, here, guards=[HIGH]), here, reference(here), steps=steps, progress=False)
    rows = [rms(one, (other,), reference(other)) for one in (net, tuned.network, softened.network)]
    conclude("refraction", rows, "degrees", goal=1e-4)
    for border in (weight.key for weight in net.program.weights if weight.role == "threshold"):
        before, after = net.weights[border].item(), softened.network.weights[border].item()
        print(f"the border {border} was at {before:.4g} degrees and is at {after:.4g}")
    return rows


if __name__ == "__main__":
    main()
