"""JAX by hand for what `native_bench.py` measures: one sample each, for `jit(vmap(...))`, in float64.

A peer takes the constants of the heuristic as one tuple, in the order of the network's weights, and then the inputs; so its gradient is by
the same numbers as the network's. JAX cannot differentiate backwards through a `while_loop`: for gradients such a loop runs for a
fixed number of rounds (`SHOT_ROUNDS`, `NEWTON_ROUNDS`), in which samples that are done keep their values.
`tests/backends/native/test_native_peers.py` shows that peers give the answers and gradients of the networks.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

#: Rounds that are enough for the samples of `native_jobs.py`.
SHOT_ROUNDS, NEWTON_ROUNDS = 720, 12


@dataclass(frozen=True)
class Peer:
    """How an engineer writes it for answers, and for gradients where that differs."""

    forward: Callable
    differentiable: Callable


def pid(w, target):
    """`native_loops.pid`."""
    kp, ki, kd, dt, y, v, integral, low, high, least, most, friction, spring = w

    def step(state, _):
        y, v, integral, last = state
        e = target - y
        integral = jnp.minimum(jnp.maximum(integral + e * dt, low), high)
        u = jnp.minimum(jnp.maximum(kp * e + ki * integral + kd * (e - last) / dt, least), most)
        v = v + dt * (u - friction * v - spring * y)
        return (y + dt * v, v, integral, e), None

    return jax.lax.scan(step, (y, v, integral, target), None, length=2000)[0][0]


def _shot(w, angle):
    """The start, whether a shot still flies, and a step of it."""
    speed, drag, x, y, ground, h1, h2, gravity, h3, h4 = w

    def flies(state):
        return state[1] >= ground

    def step(state):
        x, y, vx, vy = state
        pull = drag * jnp.sqrt(vx * vx + vy * vy)
        vx, vy = vx - h1 * pull * vx, vy - h2 * (gravity + pull * vy)
        return x + h3 * vx, y + h4 * vy, vx, vy

    return (x, y, speed * jnp.cos(angle), speed * jnp.sin(angle)), flies, step


def _newton(w, a):
    tolerance, half = w

    def goes_on(state):
        return jnp.abs(state[0] * state[0] - a) > tolerance * a

    def step(state):
        return (half * (state[0] + a / state[0]),)

    return (a,), goes_on, step


def until_done(loop, w, *inputs):
    """The first number of the state of a loop that ends by data."""
    start, goes_on, step = loop(w, *inputs)
    return jax.lax.while_loop(goes_on, step, start)[0]


def in_rounds(loop, rounds, w, *inputs):
    """The same in a fixed number of rounds."""
    start, goes_on, step = loop(w, *inputs)

    def masked(state, _):
        live = goes_on(state)
        return tuple(jnp.where(live, new, old) for new, old in zip(step(state), state, strict=True)), None

    return jax.lax.scan(masked, start, None, length=rounds)[0][0]


def lotka_volterra(w, a):
    """`native_loops.lotka_volterra`."""
    b, c, d, h, x, y = w

    def slope(x, y):
        return a * x - b * x * y, c * x * y - d * y

    def step(state, _):
        x, y = state
        k1, l1 = slope(x, y)
        k2, l2 = slope(x + h / 2 * k1, y + h / 2 * l1)
        k3, l3 = slope(x + h / 2 * k2, y + h / 2 * l2)
        k4, l4 = slope(x + h * k3, y + h * l3)
        return (x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), y + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)), None

    return sum(jax.lax.scan(step, (x, y), None, length=1000)[0])


def kalman(w, measured):
    """`native_loops.kalman`."""
    drift, noise, dt, x, v, error, p, q, r, two, three, two_2, one, one_2, count = w

    def step(state, place):
        x, v, error, p, q, r = state
        x = x + dt * v
        p, q, r = p + dt * (two * q + dt * r) + drift * dt**3 / three, q + dt * r + drift * dt**2 / two_2, r + drift * dt
        gain, rate = p / (p + noise), q / (p + noise)
        surprise = place - x
        x, v, error = x + gain * surprise, v + rate * surprise, error + surprise * surprise
        return (x, v, error, (one - gain) * p, (one_2 - gain) * q, r - rate * q), None

    (x, v, error, _, _, _), _ = jax.lax.scan(step, (x, v, error, p, q, r), measured)
    return x, v, error / count


def dtw(w, first, second):
    """`native_loops.dtw`."""
    skip, zero, border, border_2 = w

    def row(above, left):
        def cell(before, item):
            other, corner, over = item
            found = jnp.abs(left - other) + jnp.minimum(corner, jnp.minimum(over, before) + skip)
            return found, found

        _, cells = jax.lax.scan(cell, border_2, (second, above[:-1], above[1:]))
        return jnp.concatenate([border_2[None], cells]), None

    return jax.lax.scan(row, jnp.concatenate([zero[None], jnp.broadcast_to(border, 30)]), first)[0][30]


def rgb_to_hsv(w, r, g, b):
    """`colorsys.rgb_to_hsv`."""
    no_hue, no_saturation, two, four, six, one = w
    high = jnp.maximum(jnp.maximum(r, g), b)
    low = jnp.minimum(jnp.minimum(r, g), b)
    grey = low == high
    spread = jnp.where(grey, 1.0, high - low)
    s = jnp.where(grey, no_saturation, spread / jnp.where(grey, 1.0, high))
    rc, gc, bc = (high - r) / spread, (high - g) / spread, (high - b) / spread
    h = jnp.where(r == high, bc - gc, jnp.where(g == high, two + rc - bc, four + gc - rc))
    return jnp.where(grey, no_hue, jnp.mod(h / six, one)), s, high


def hsv_to_rgb(w, h, s, v):
    """`colorsys.hsv_to_rgb`."""
    grey, six, six_2, one, one_2, one_3, one_4 = w
    sector = jnp.trunc(jax.lax.stop_gradient(h * six))
    f = h * six_2 - sector
    p, q, t = v * (one - s), v * (one_2 - s * f), v * (one_3 - s * (one_4 - f))
    sector = jnp.where(s == grey, 6, jnp.mod(sector, 6.0).astype(jnp.int32))
    cases = [sector == number for number in range(6)]
    r = jnp.select(cases, [v, q, p, p, t, v], v)
    g = jnp.select(cases, [t, v, v, q, p, p], v)
    b = jnp.select(cases, [p, p, t, v, v, q], v)
    return r, g, b


def clift(w, re):
    """`fluids.drag.Clift`."""
    bound, c1, c2, c3, d1, d2, d3, d4, e1, e2, e3, f1, f2, f3, g1, g2, g3, g4, h1, h2, h3, i1, i2, i3, j1, j2, k1, k2 = w
    tiny = re < bound
    safe = jnp.where(tiny, 1.0, re)
    log = jnp.log10(safe)
    power = safe ** jnp.where(re < 20, d3 - d4 * log, e3)
    low = jnp.where(re < 20, d1 / safe * (1 + d2 * power), e1 / safe * (1 + e2 * power))
    curves = [f1 + log * (-f2 + log * f3), g1 + log * (g2 + log * (-g3 + log * g4)), h1 + log * (h2 - log * h3), i1 + log * (i2 - log * i3)]
    curve = 10.0 ** jnp.select([re < 1500, re < 12000, re < 44000, re < 338000], curves, 0.0)
    high = jnp.where(re < 338000, curve, jnp.where(re < 400000, j1 - j2 * log, k1 * log - k2))
    return jnp.where(tiny, c1 / re + c2 / c3, jnp.where(re < 260, low, high))


def friction_plate_kumar(w, re, angle):
    """`fluids.friction.friction_plate_Kumar`."""
    angles, factors, powers, bounds, four = w
    row = jnp.sum(angle > angles[:-1])
    place = jnp.sum(re > bounds[row])
    power = powers[row, place]
    power = jnp.where(re > 0, power, jax.lax.stop_gradient(power))  # a negative number has no slope by its exponent
    return four * factors[row, place] * re**-power


def refraction_at_zenith(w, zenith):
    """`astral.refraction_at_zenith`."""
    top, _, upper, a1, a2, a3, lower, b1, b2, b3, b4, b5, c1, seconds = w
    elevation = 90 - zenith
    middle = (elevation > lower) & (elevation <= upper)
    high = elevation >= top
    te = jnp.tan(jnp.deg2rad(jnp.where(middle | high, 45.0, elevation)))
    square = te * te
    above = (a1 - (a2 - a3 / square) / square) / te
    flat = b5 + elevation * (b4 + elevation * (b3 + elevation * (b1 + elevation * b2)))
    correction = jnp.where(elevation > upper, above, jnp.where(middle, flat, c1 / te))
    return jnp.where(high, 0.0, correction / seconds)


def backward2_t_ph(w, pressure, enthalpy):
    """`iapws.iapws97._Backward2_T_Ph`."""
    from iapws import _iapws97Constants as tables

    a, a0, bound, b, b0, h1, h2, h3, h4, c, c0, critical, _, _, _, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, quarter, half, half_2 = w
    nu = enthalpy / 2000

    def total(factors, letter, first, second):
        rows, columns = (np.asarray(getattr(tables, f"Backward2{letter}_T_Ph_L{index}")).tolist() for index in "ij")
        terms = [
            factors[k] * jax.lax.integer_pow(first, i) * jax.lax.integer_pow(second, j)
            for k, (i, j) in enumerate(zip(rows, columns, strict=True))
        ]
        return functools.reduce(jnp.add, terms)

    upper = pressure > bound
    edge = h1 + ((jnp.where(upper, pressure, 10.0) - h2) / h3) ** h4
    in_a, in_c = pressure <= 4, upper & (enthalpy < edge)
    found = jnp.where(
        in_a, total(a, "a", pressure, nu - a0), jnp.where(in_c, total(c, "c", pressure + 25, nu - c0), total(b, "b", pressure - 2, nu - b0))
    )
    wet = pressure <= critical
    beta = jnp.where(wet, pressure, 1.0) ** quarter
    e, f, g = beta**2 + n3 * beta + n6, n1 * beta**2 + n4 * beta + n7, n2 * beta**2 + n5 * beta + n8
    d = 2 * g / (-f - (f**2 - 4 * e * g) ** half)
    boiling = (n10 + d - ((n10 + d) ** 2 - 4 * (n9 + n10 * d)) ** half_2) / 2
    return jnp.where(wet, jnp.maximum(boiling, found), found)


def _by_data(loop, rounds):
    return Peer(functools.partial(until_done, loop), functools.partial(in_rounds, loop, rounds))


#: By the name of the job.
PEERS = {
    "shot": _by_data(_shot, SHOT_ROUNDS),
    "newton": _by_data(_newton, NEWTON_ROUNDS),
    **{each.__name__: Peer(each, each) for each in (pid, lotka_volterra, kalman, dtw, rgb_to_hsv, hsv_to_rgb, refraction_at_zenith)},
    "Clift": Peer(clift, clift),
    "friction_plate_Kumar": Peer(friction_plate_kumar, friction_plate_kumar),
    "_Backward2_T_Ph": Peer(backward2_t_ph, backward2_t_ph),
}
