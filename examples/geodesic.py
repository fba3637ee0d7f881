"""The distance between two points on the ellipsoid, by iteration to convergence: geodesy.

T. Vincenty, "Direct and inverse solutions of geodesics on the ellipsoid with application of nested equations", Survey Review
23(176), 1975, pages 88-93; the ellipsoid is GRS 80. A `while` on data: nearby points need few rounds, and points that are nearly
opposite never converge. That is the formula's known flaw, and the function says so with an exception.
"""

import math

import torch

import deepalgo as da

EQUATOR = 6378137.0
FLATTENING = 1 / 298.257222101


def distance(lat1, lon1, lat2, lon2):
    """Metres along the geodesic between two points in degrees."""
    u1 = math.atan((1 - FLATTENING) * math.tan(math.radians(lat1)))
    u2 = math.atan((1 - FLATTENING) * math.tan(math.radians(lat2)))
    difference = math.radians(lon2 - lon1)
    lam, last, rounds = difference, math.inf, 0
    while abs(lam - last) > 1e-12:
        sin_sigma = math.hypot(
            math.cos(u2) * math.sin(lam), math.cos(u1) * math.sin(u2) - math.sin(u1) * math.cos(u2) * math.cos(lam)
        )
        if sin_sigma == 0.0:
            return 0.0
        cos_sigma = math.sin(u1) * math.sin(u2) + math.cos(u1) * math.cos(u2) * math.cos(lam)
        sigma = math.atan2(sin_sigma, cos_sigma)
        sin_alpha = math.cos(u1) * math.cos(u2) * math.sin(lam) / sin_sigma
        cos2_alpha = 1 - sin_alpha**2
        middle = cos_sigma - 2 * math.sin(u1) * math.sin(u2) / cos2_alpha if cos2_alpha > 0 else 0.0  # 0 along the equator
        c = FLATTENING / 16 * cos2_alpha * (4 + FLATTENING * (4 - 3 * cos2_alpha))
        bend = sigma + c * sin_sigma * (middle + c * cos_sigma * (2 * middle**2 - 1))
        last, lam = lam, difference + (1 - c) * FLATTENING * sin_alpha * bend
        rounds += 1
        if rounds == 200:
            raise ArithmeticError("nearly opposite points")
    b = EQUATOR * (1 - FLATTENING)
    u = cos2_alpha * (EQUATOR**2 - b**2) / b**2
    big_a = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u)))
    big_b = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
    inner = cos_sigma * (2 * middle**2 - 1) - big_b / 6 * middle * (4 * sin_sigma**2 - 3) * (4 * middle**2 - 3)
    return b * big_a * (sigma - big_b * sin_sigma * (middle + big_b / 4 * inner))


def places(count, seed):
    """Pairs of points all over the earth."""
    random = torch.Generator().manual_seed(seed)
    u = torch.rand(4, count, generator=random, dtype=torch.float64)
    return 160 * u[0] - 80, 360 * u[1] - 180, 160 * u[2] - 80, 360 * u[3] - 180


def main(count=300):
    """Certify; the baseline that surveyors test with; what its length owes to the shape of the earth."""
    network = da.compile(distance)
    print(network.verify(*places(count, seed=1)))

    flinders_peak = (-(37 + 57 / 60 + 3.72030 / 3600), 144 + 25 / 60 + 29.52440 / 3600)
    buninyong = (-(37 + 39 / 60 + 10.15610 / 3600), 143 + 55 / 60 + 35.38390 / 3600)
    metres = network(*flinders_peak, *buninyong)
    (slope,) = torch.autograd.grad(metres, network.weights["FLATTENING"])
    sphere = slope.item() * FLATTENING
    print(f"\nFlinders Peak to Buninyong: {metres.item():.3f} m, of which the flattening makes {sphere:.1f} m to first order.")
    assert f"{metres.item():.3f}" == "54972.271"
    return metres.item(), sphere


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
