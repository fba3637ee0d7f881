"""The wet-bulb temperature: Stull's regression of 2011 against the psychrometric equation that it was fitted to by hand.

R. Stull, "Wet-bulb temperature from relative humidity and air temperature", Journal of Applied Meteorology and Climatology 50, 2011.
"""

import math

import torch

import deepalgo as da
from examples.tuned.compare import conclude, rms


def wet_bulb(temperature, humidity):
    """The wet-bulb temperature in degrees Celsius at sea level; humidity in percent."""
    first = temperature * math.atan(0.151977 * (humidity + 8.313659) ** 0.5)
    second = math.atan(temperature + humidity) - math.atan(humidity - 1.676331)
    return first + second + 0.00391838 * humidity**1.5 * math.atan(0.023101 * humidity) - 4.686035


def saturation(temperature):
    """The vapour pressure over water, in pascal, of the ASHRAE handbook."""
    t = temperature + 273.15
    return torch.exp(-5.8002206e3 / t + 1.3914993 - 4.8640239e-2 * t + 4.1764768e-5 * t**2 - 1.4452093e-8 * t**3 + 6.5459673 * torch.log(t))


def exact(temperature, humidity, air=101325.0):
    """The temperature at which the moist air is in balance with wet cloth, by bisection."""
    vapour = saturation(temperature) * humidity / 100
    ratio = 0.621945 * vapour / (air - vapour)
    low, high = temperature - 40, temperature.clone()
    for _ in range(60):
        middle = (low + high) / 2
        wet = saturation(middle)
        full = 0.621945 * wet / (air - wet)
        there = ((2501 - 2.326 * middle) * full - 1.006 * (temperature - middle)) / (2501 + 1.86 * temperature - 4.186 * middle)
        low, high = torch.where(there < ratio, middle, low), torch.where(there < ratio, high, middle)
    return (low + high) / 2


def weather(count, seed=0):
    """Air from 5 to 45 degrees, humidity from 10 to 99 percent."""
    u, v = torch.rand(2, count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return 5 + 40 * u, 10 + 89 * v


def main(count=3000, steps=300):
    """Tune the constants, then a correction; hand back the error in kelvin as published, tuned and corrected."""
    inputs, other = weather(count), weather(2000, seed=1)
    net = da.compile(wet_bulb)
    tuned = da.fit(net, inputs, exact(*inputs), steps=steps, progress=False)
    corrected = da.fit(da.correct(tuned.network, "return", hidden=12), inputs, exact(*inputs), steps=steps, progress=False)
    rows = [rms(one, other, exact(*other)) for one in (net, tuned.network, corrected.network)]
    conclude("wet-bulb temperature", rows, "K", goal=0.15)
    print(da.diff(tuned.network))
    return rows


if __name__ == "__main__":
    main()
