"""The declination of the sun: Spencer's seven Fourier coefficients of 1971 against the series that the NOAA calculator sums.

J. W. Spencer, "Fourier series representation of the position of the sun", Search 2(5), 1971; J. Meeus, "Astronomical Algorithms",
chapter 25. The sun has moved on since 1971, and a year of 365 days has not: data of one leap cycle set the constants right.
"""

import math

import torch

import deepalgo as da
from examples.tuned.compare import conclude, rms

#: The first of January 2025 in days from the epoch J2000.0.
START = 9131.5


def declination(day):
    """The declination in radians on a day of the year; the first of January is day 1."""
    angle = 2.0 * math.pi * (day - 1.0) / 365.0
    first = 0.006918 - 0.399912 * math.cos(angle) + 0.070257 * math.sin(angle)
    second = -0.006758 * math.cos(2.0 * angle) + 0.000907 * math.sin(2.0 * angle)
    third = -0.002697 * math.cos(3.0 * angle) + 0.00148 * math.sin(3.0 * angle)
    return first + second + third


def noaa(day):
    """The apparent declination by the low-precision theory of the sun."""
    century = (START + day - 1) / 36525
    length = torch.deg2rad(280.46646 + century * (36000.76983 + 0.0003032 * century))
    anomaly = torch.deg2rad(357.52911 + century * (35999.05029 - 0.0001537 * century))
    centre = (1.914602 - century * (0.004817 + 0.000014 * century)) * torch.sin(anomaly)
    centre = centre + (0.019993 - 0.000101 * century) * torch.sin(2 * anomaly) + 0.000289 * torch.sin(3 * anomaly)
    node = torch.deg2rad(125.04 - 1934.136 * century)
    seen = length + torch.deg2rad(centre - 0.00569 - 0.00478 * torch.sin(node))
    tilt = 23.439291 - century * (0.0130042 + 1.64e-7 * century) + 0.00256 * torch.cos(node)
    return torch.asin(torch.sin(torch.deg2rad(tilt)) * torch.sin(seen))


def days(count, seed=0):
    """Moments of the year 2025."""
    return 1 + 365 * torch.rand(count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def main(count=2000, steps=300):
    """Tune the constants and hand back the error in radians as published, tuned, and with a correction."""
    here, other = days(count), days(2000, seed=1)
    net = da.compile(declination)
    tuned = da.fit(net, here, noaa(here), steps=steps, progress=False)
    grown = da.correct(tuned.network, "return", ["first", "second"], hidden=8)
    corrected = da.fit(grown, here, noaa(here), steps=steps, progress=False)
    rows = [rms(one, (other,), noaa(other)) for one in (net, tuned.network, corrected.network)]
    conclude("declination of the sun", rows, "rad", goal=2.1e-5)
    print(da.diff(tuned.network))
    return rows


if __name__ == "__main__":
    main()
