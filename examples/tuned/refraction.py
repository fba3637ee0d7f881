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


def reference(elevation):
    """The correction of the solar position algorithm."""
    return 1.02 / (60 * torch.tan(torch.deg2rad(elevation + 10.3 / (elevation + 5.11))))


def skies(count, seed=0):
    """From the horizon to high noon."""
    return -0.5 + 89 * torch.rand(count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def main(count=3000, steps=300):
    """Tune the constants, the borders too; then a correction. Hand back the errors in degrees."""
    here, other = skies(count), skies(2000, seed=1)
    net = da.compile(refraction)
    tuned = da.fit(net, here, reference(here), steps=steps, progress=False)
    grown = da.correct(tuned.network, "seconds", ["elevation"], relative=True)
    corrected = da.fit(grown, here, reference(here), steps=steps, progress=False)
    rows = [rms(one, (other,), reference(other)) for one in (net, tuned.network, corrected.network)]
    conclude("refraction", rows, "degrees", goal=6.3e-5)
    for border in (weight.key for weight in net.program.weights if weight.role == "threshold"):
        before, after = net.weights[border].item(), tuned.network.weights[border].item()
        print(f"the border {border} was at {before:.4g} degrees and is at {after:.4g}")
    return rows


if __name__ == "__main__":
    main()
