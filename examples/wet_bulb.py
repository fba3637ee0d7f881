"""The wet-bulb temperature by bisection: meteorology and air conditioning.

Saturation over water and over ice after O. A. Alduchov and R. E. Eskridge, Journal of Applied Meteorology 35, 1996, pages 601-609;
the psychrometer equation and its constants after the WMO guide to instruments (WMO-No. 8, annex 4.B). Bisection is what
people write, and a lesson in gradients: its answer is the middle of an interval that does not move with the humidity, so the
derivative is exactly zero, in the function and in the network. One Newton step at the end brings it back.
"""

import math

import torch

import deepalgo as da


def over_water(celsius):
    """The pressure of saturated vapour in hPa."""
    return 6.1094 * math.exp(17.625 * celsius / (243.04 + celsius))


def saturation(celsius):
    """The same, over ice below the freezing point."""
    return 6.1121 * math.exp(22.587 * celsius / (273.86 + celsius)) if celsius < 0.0 else over_water(celsius)


def excess(wet, dry, vapour, pressure):
    """By how much the vapour pressure that a wet bulb would mean exceeds the one of the air."""
    ventilated = 6.53e-4 * (1 + 9.44e-4 * wet) if wet >= 0.0 else 5.75e-4
    return saturation(wet) - ventilated * pressure * (dry - wet) - vapour


def wet_bulb(dry, humidity, pressure=1013.25):
    """The wet-bulb temperature in degrees Celsius; `humidity` is relative to saturation over water."""
    vapour = humidity * over_water(dry)
    low, high = -60.0, dry
    while high - low > 1e-5:
        middle = (low + high) / 2
        if excess(middle, dry, vapour, pressure) > 0.0:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def polished(dry, humidity, pressure=1013.25):
    """The same with one Newton step at the end; the slope is a difference quotient."""
    wet = wet_bulb(dry, humidity, pressure)
    vapour = humidity * over_water(dry)
    here = excess(wet, dry, vapour, pressure)
    return wet - here / ((excess(wet + 1e-3, dry, vapour, pressure) - here) / 1e-3)


def weather(count, seed):
    """Air between -20 and 40 degrees, never quite saturated."""
    random = torch.Generator().manual_seed(seed)
    u, v = torch.rand(2, count, generator=random, dtype=torch.float64)
    return 60 * u - 20, 0.1 + 0.85 * v


def slope(function, dry, humidity):
    """The answer, and its derivative by the humidity."""
    humidity = torch.tensor(humidity, dtype=torch.float64, requires_grad=True)
    wet = da.compile(function)(dry, humidity)
    (by_humidity,) = torch.autograd.grad(wet, humidity, allow_unused=True)
    return wet.item(), 0.0 if by_humidity is None else by_humidity.item()


def main(count=300):
    """Certify both; then ask both how the wet bulb follows the humidity."""
    print(da.compile(wet_bulb).verify(*weather(count, seed=1)))
    print()
    print(da.compile(polished).verify(*weather(count, seed=1)))

    wet, flat = slope(wet_bulb, 30.0, 0.5)
    _, steep = slope(polished, 30.0, 0.5)
    print(f"\n30 degrees at 50 %: wet bulb {wet:.2f} degrees.")
    print(f"With one percent more humidity: {flat / 100:+.3f} says bisection, {steep / 100:+.3f} is true.")
    true = (wet_bulb(30.0, 0.51) - wet_bulb(30.0, 0.49)) / 0.02
    assert flat == 0.0
    assert abs(steep - true) < 1e-3 * true
    return wet, steep, true


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
