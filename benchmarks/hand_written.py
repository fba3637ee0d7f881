"""Functions of the corpus as an engineer writes them for eager PyTorch: batched, every arm computed, gradients kept finite.

Operands of arms that a sample does not take are replaced by harmless ones (the double `where`). Tables of coefficients replace long
chains of arms where these differ in numbers only. Nothing is checked: a sample on which the original raises gets some number.
Each function takes tensors of one axis in the order of the original's arguments.
"""

import fluids.friction
import torch

CLIFT_BOUNDS = (260.0, 1500.0, 12000.0, 44000.0)
#: For 10 ** (a + b L + c L^2 + d L^3) in L = log10(Re), by interval.
CLIFT = (
    (0.0, 0.0, 0.0, 0.0),
    (1.6435, -1.1242, 0.1558, 0.0),
    (-2.4571, 2.5558, -0.9295, 0.1049),
    (-1.9181, 0.6370, -0.0636, 0.0),
    (-4.3390, 1.5809, -0.1546, 0.0),
)


def rgb_to_hsv(r, g, b):
    """`colorsys.rgb_to_hsv`."""
    high = torch.maximum(torch.maximum(r, g), b)
    low = torch.minimum(torch.minimum(r, g), b)
    spread = high - low
    grey = spread == 0
    safe = torch.where(grey, 1.0, spread)
    s = torch.where(grey, 0.0, spread / torch.where(grey, 1.0, high))
    rc, gc, bc = (high - r) / safe, (high - g) / safe, (high - b) / safe
    h = torch.where(r == high, bc - gc, torch.where(g == high, 2.0 + rc - bc, 4.0 + gc - rc))
    h = torch.where(grey, 0.0, torch.remainder(h / 6.0, 1.0))
    return h, s, high


def hsv_to_rgb(h, s, v):
    """`colorsys.hsv_to_rgb`."""
    sector = torch.trunc(h.detach() * 6.0)
    f = h * 6.0 - sector
    p, q, t = v * (1.0 - s), v * (1.0 - s * f), v * (1.0 - s * (1.0 - f))
    sector = torch.remainder(sector, 6.0).to(torch.int64)
    sector = torch.where(s == 0.0, 6, sector)[None]
    r = torch.stack((v, q, p, p, t, v, v)).gather(0, sector)[0]
    g = torch.stack((t, v, v, q, p, p, v)).gather(0, sector)[0]
    b = torch.stack((p, p, t, v, v, q, v)).gather(0, sector)[0]
    return r, g, b


def clift(re):
    """`fluids.drag.Clift`; below 0.01 the logarithm may not exist."""
    slow = 24.0 / re
    safe = torch.where(re < 0.01, 1.0, re)
    log = torch.log10(safe)
    creeping = slow * (1.0 + 0.1315 * safe ** (0.82 - 0.05 * log))
    rising = slow * (1.0 + 0.1935 * safe**0.6305)
    a, b, c, d = re.new_tensor(CLIFT).T[:, torch.bucketize(re.detach(), re.new_tensor(CLIFT_BOUNDS), right=True)]
    curve = 10.0 ** (a + log * (b + log * (c + log * d)))
    low = torch.where(re < 0.01, slow + 3.0 / 16.0, torch.where(re < 20, creeping, rising))
    high = torch.where(re < 338000, curve, torch.where(re < 400000, 29.78 - 5.3 * log, 0.19 * log - 0.49))
    return torch.where(re < 260, low, high)


def friction_plate_kumar(re, angle):
    """`fluids.friction.friction_plate_Kumar`: a row by the angle, a place in it by the Reynolds number."""
    row = torch.bucketize(angle.detach(), angle.new_tensor(fluids.friction.Kumar_beta_list)).clamp(max=4)
    first, second = re.new_tensor(fluids.friction.Kumar_fd_Res)[row].unbind(1)
    cell = 3 * row + (re > first) + (re > second)
    factor, power = (re.new_tensor(table).flatten()[cell] for table in (fluids.friction.Kumar_C2s, fluids.friction.Kumar_Ps))
    return 4.0 * factor * re**-power


def refraction_at_zenith(zenith):
    """`astral.refraction_at_zenith`."""
    elevation = 90 - zenith
    middle = (elevation > -0.575) & (elevation <= 5.0)
    high = elevation >= 85.0
    te = torch.tan(torch.deg2rad(torch.where(middle | high, 45.0, elevation)))
    square = te * te
    upper = (58.1 - (0.07 - 0.000086 / square) / square) / te
    flat = 1735.0 + elevation * (-518.2 + elevation * (103.4 + elevation * (-12.79 + elevation * 0.711)))
    correction = torch.where(elevation > 5.0, upper, torch.where(middle, flat, -20.774 / te))
    return torch.where(high, 0.0, correction / 3600.0)


def dew_point(dry_bulb, pressure):
    """`psychrolib.GetTDewPointFromVapPres`: Newton rounds for all until the last sample is done; settled ones keep their value."""
    log_pressure = torch.log(pressure)
    point = dry_bulb
    live = torch.ones_like(point, dtype=torch.bool)
    while live.any():
        value, slope = _log_saturation(point)
        step = torch.clamp(point - (value - log_pressure) / slope, -100.0, 200.0)
        moved = (step - point).detach().abs() > 0.001
        point = torch.where(live, step, point)
        live = live & moved
    return torch.minimum(point, dry_bulb)


def _log_saturation(celsius):
    """The logarithm of the saturation pressure over ice or water, and its derivative."""
    t = celsius + 273.15
    log, inverse = torch.log(t), 1.0 / t
    ice = (
        -5.6745359e03 * inverse
        + 6.3925247
        + t * (-9.677843e-03 + t * (6.2215701e-07 + t * (2.0747825e-09 - t * 9.484024e-13)))
        + 4.1635019 * log
    )
    water = -5.8002206e03 * inverse + 1.3914993 + t * (-4.8640239e-02 + t * (4.1764768e-05 - t * 1.4452093e-08)) + 6.5459673 * log
    ice_slope = (
        inverse * (5.6745359e03 * inverse + 4.1635019)
        - 9.677843e-03
        + t * (2 * 6.2215701e-07 + t * (3 * 2.0747825e-09 - t * 4 * 9.484024e-13))
    )
    water_slope = inverse * (5.8002206e03 * inverse + 6.5459673) - 4.8640239e-02 + t * (2 * 4.1764768e-05 - t * 3 * 1.4452093e-08)
    frozen = celsius <= 0.01
    return torch.where(frozen, ice, water), torch.where(frozen, ice_slope, water_slope)
