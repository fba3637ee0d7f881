"""The functions of `hand_written.py` for JAX: one sample each, for `jit(vmap(...))`.

JAX cannot differentiate backwards through a `while_loop`, so the loop of `dew_point` runs for a fixed number of rounds.
"""

import fluids.friction
import jax
import jax.numpy as jnp

from benchmarks.hand_written import CLIFT, CLIFT_BOUNDS

jax.config.update("jax_enable_x64", True)


def rgb_to_hsv(r, g, b):
    """`colorsys.rgb_to_hsv`."""
    high = jnp.maximum(jnp.maximum(r, g), b)
    low = jnp.minimum(jnp.minimum(r, g), b)
    spread = high - low
    grey = spread == 0
    safe = jnp.where(grey, 1.0, spread)
    s = jnp.where(grey, 0.0, spread / jnp.where(grey, 1.0, high))
    rc, gc, bc = (high - r) / safe, (high - g) / safe, (high - b) / safe
    h = jnp.where(r == high, bc - gc, jnp.where(g == high, 2.0 + rc - bc, 4.0 + gc - rc))
    h = jnp.where(grey, 0.0, jnp.mod(h / 6.0, 1.0))
    return h, s, high


def hsv_to_rgb(h, s, v):
    """`colorsys.hsv_to_rgb`."""
    sector = jnp.trunc(jax.lax.stop_gradient(h) * 6.0)
    f = h * 6.0 - sector
    p, q, t = v * (1.0 - s), v * (1.0 - s * f), v * (1.0 - s * (1.0 - f))
    sector = jnp.where(s == 0.0, 6, jnp.mod(sector, 6.0).astype(jnp.int32))
    cases = [sector == number for number in range(6)]
    r = jnp.select(cases, [v, q, p, p, t, v], v)
    g = jnp.select(cases, [t, v, v, q, p, p], v)
    b = jnp.select(cases, [p, p, t, v, v, q], v)
    return r, g, b


def clift(re):
    """`fluids.drag.Clift`."""
    slow = 24.0 / re
    safe = jnp.where(re < 0.01, 1.0, re)
    log = jnp.log10(safe)
    creeping = slow * (1.0 + 0.1315 * safe ** (0.82 - 0.05 * log))
    rising = slow * (1.0 + 0.1935 * safe**0.6305)
    a, b, c, d = jnp.array(CLIFT)[sum((re >= bound).astype(jnp.int32) for bound in CLIFT_BOUNDS)]
    curve = 10.0 ** (a + log * (b + log * (c + log * d)))
    low = jnp.where(re < 0.01, slow + 3.0 / 16.0, jnp.where(re < 20, creeping, rising))
    high = jnp.where(re < 338000, curve, jnp.where(re < 400000, 29.78 - 5.3 * log, 0.19 * log - 0.49))
    return jnp.where(re < 260, low, high)


def friction_plate_kumar(re, angle):
    """`fluids.friction.friction_plate_Kumar`."""
    row = sum((angle > bound).astype(jnp.int32) for bound in fluids.friction.Kumar_beta_list[:-1])
    first, second = jnp.array(fluids.friction.Kumar_fd_Res)[row]
    place = (re > first).astype(jnp.int32) + (re > second)
    return 4.0 * jnp.array(fluids.friction.Kumar_C2s)[row, place] * re ** -jnp.array(fluids.friction.Kumar_Ps)[row, place]


def refraction_at_zenith(zenith):
    """`astral.refraction_at_zenith`."""
    elevation = 90 - zenith
    middle = (elevation > -0.575) & (elevation <= 5.0)
    high = elevation >= 85.0
    te = jnp.tan(jnp.deg2rad(jnp.where(middle | high, 45.0, elevation)))
    square = te * te
    upper = (58.1 - (0.07 - 0.000086 / square) / square) / te
    flat = 1735.0 + elevation * (-518.2 + elevation * (103.4 + elevation * (-12.79 + elevation * 0.711)))
    correction = jnp.where(elevation > 5.0, upper, jnp.where(middle, flat, -20.774 / te))
    return jnp.where(high, 0.0, correction / 3600.0)


def dew_point(dry_bulb, pressure, rounds):
    """`psychrolib.GetTDewPointFromVapPres` in a fixed number of rounds."""
    log_pressure = jnp.log(pressure)

    def newton(state, _):
        point, live = state
        value, slope = _log_saturation(point)
        step = jnp.clip(point - (value - log_pressure) / slope, -100.0, 200.0)
        return (jnp.where(live, step, point), live & (jnp.abs(step - point) > 0.001)), None

    (point, _), _ = jax.lax.scan(newton, (dry_bulb, True), None, length=rounds)
    return jnp.minimum(point, dry_bulb)


def _log_saturation(celsius):
    t = celsius + 273.15
    log, inverse = jnp.log(t), 1.0 / t
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
    return jnp.where(frozen, ice, water), jnp.where(frozen, ice_slope, water_slope)
