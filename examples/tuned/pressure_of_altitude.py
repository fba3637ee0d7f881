"""The pressure at an altitude: a formula that solar engineers use against the standard atmosphere of 1976 that it abbreviates.

"U.S. Standard Atmosphere", NOAA, NASA and U.S. Air Force, 1976: in its lowest layer the temperature falls by 6.5 K per kilometre of
geopotential height. The short formula takes the altitude itself for that height, and rounds the rest.
"""

import torch

import deepalgo as da
from examples.tuned.compare import conclude, percent


def pressure(altitude):
    """The pressure of the air, in pascal, at an altitude in metres."""
    return 100.0 * ((44331.514 - altitude) / 11880.516) ** 5.255877


def standard_atmosphere(altitude):
    """The lowest layer of the standard, up to 11 km."""
    earth, gas = 6356766.0, 8314.32
    height = earth * altitude / (earth + altitude)
    exponent = 9.80665 * 28.9644 / (gas * 0.0065)
    return 101325.0 * (1 - 0.0065 * height / 288.15) ** exponent


def altitudes(count, seed=0):
    """From the Dead Sea to the top of Mount Everest."""
    return -430 + 9280 * torch.rand(count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def main(count=2000, steps=300):
    """Tune the constants; then let the exponent bend with the altitude. Hand back the errors in percent."""
    here, other = altitudes(count), altitudes(2000, seed=1)
    net = da.compile(pressure)
    tuned = da.fit(net, here, standard_atmosphere(here), loss="relative", steps=steps, progress=False)
    grown = da.correct(tuned.network, "return", ["altitude"], hidden=6, relative=True)
    corrected = da.fit(grown, here, standard_atmosphere(here), loss="relative", steps=steps, progress=False)
    rows = [percent(one, (other,), standard_atmosphere(other)) for one in (net, tuned.network, corrected.network)]
    conclude("pressure of altitude", rows, "%", goal=2.55e-4)
    print(da.diff(tuned.network))
    return rows


if __name__ == "__main__":
    main()
