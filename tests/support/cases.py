"""Samples for `tests/support/heuristics.py`: seeded draws from ranges, and the edges that draws would miss."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import deepalgo as da
from tests.support import heuristics as h

SAMPLES = 24


@dataclass(frozen=True)
class Case:
    """A heuristic, a range for each of its inputs, further rows, and how a row of numbers becomes a call."""

    function: Callable[..., Any]
    ranges: tuple[tuple[float, float], ...]
    edges: tuple[tuple[float, ...], ...] = ()
    arrange: Callable[..., tuple[tuple[Any, ...], dict[str, Any]]] = lambda *row: (row, {})
    example: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    rounds: int = 64  # enough for every loop, when loops are settled
    name: str = ""

    @property
    def id(self) -> str:
        return self.name or self.function.__name__

    def rows(self, count: int = SAMPLES, seed: int = 0) -> list[tuple[float, ...]]:
        rng = np.random.default_rng(seed)
        drawn = [tuple(float(rng.uniform(low, high)) for low, high in self.ranges) for _ in range(count)]
        return [*drawn, *self.edges]

    def compile_options(self) -> dict[str, Any]:
        if not self.example:
            return self.options
        return {"example": self.arrange(*self.rows(1)[0]), **self.options}


UNIT = (-1.0, 1.0)

CASES = [
    Case(h.haaland, ((100.0, 1e5), (1e-5, 0.05)), ((2300.0, 0.01), (2299.0, 0.01))),
    Case(h.colebrook, ((4e3, 1e6), (1e-5, 0.05))),
    Case(h.churchill, ((100.0, 1e5), (1e-5, 0.05))),
    Case(h.sphere_drag, ((-1.0, 3.0),), ((0.0,), (0.05,), (0.1,), (999.0,), (1000.0,), (2e5,), (3e5,))),
    Case(h.barometric, ((-100.0, 45000.0),), ((11000.0,), (20000.0,), (32000.0,))),
    Case(h.saturation_pressure, ((-40.0, 50.0),), ((0.0,),)),
    Case(h.dew_point, ((-20.0, 40.0), (1.0, 100.0)), ((10.0, 0.0), (10.0, -5.0))),
    Case(h.wet_bulb, ((-10.0, 40.0), (5.0, 100.0))),
    Case(h.heat_index, ((10.0, 45.0), (0.0, 100.0)), ((30.0, 90.0), (35.0, 5.0), (27.0, 95.0))),
    Case(h.sun_elevation, ((0.0, 365.0), (0.0, 24.0), (-90.0, 90.0)), ((172.0, 12.0, 90.0),)),
    Case(h.equation_of_time, ((0.0, 366.0),)),
    Case(h.kepler, ((0.0, 6.28), (0.0, 0.95)), ((0.0, 0.0),)),
    Case(h.haversine, ((-90.0, 90.0), (-180.0, 180.0)) * 2),
    Case(h.weekday, ((1.0, 28.9), (1.0, 12.9), (1900.0, 2100.0))),
    Case(h.babylonian, ((1e-3, 100.0),), ((1.0,),)),
    Case(h.damped_newton, ((0.5, 20.0), (0.5, 6.0)), ((2.0, 2.0),)),
    Case(h.newton_with_line_search, ((-20.0, 20.0), (0.2, 4.0)), ((8.0, 0.0),)),
    Case(h.golden_section, ((-3.0, 3.0), (0.5, 4.0))),
    Case(h.secant, ((0.5, 3.0), (-3.0, 3.0))),
    Case(h.lambert_w, ((0.01, 30.0),)),
    Case(h.quadratic, ((-2.0, 2.0), (-4.0, 4.0), (-2.0, 2.0)), ((0.0, 1.0, 1.0), (1.0, 0.0, 0.0), (1.0, -2.0, 1.0))),
    Case(h.agm, ((0.1, 10.0), (0.1, 10.0)), ((1.0, 1.0), (1.0, -1.0))),
    Case(h.bell_area, (UNIT, (0.2, 2.0))),
    Case(h.runge_kutta, ((0.1, 12.0), (-1.0, 1.0))),
    Case(h.adaptive_simpson, ((-2.0, 0.0), (0.0, 2.0))),
    Case(h.collatz, ((1.0, 60.0),), ((1.0,), (27.0,)), rounds=256),
    Case(h.gcd, ((-99.0, 99.0), (-99.0, 99.0)), ((12.0, 18.0), (0.0, 5.0), (0.0, 0.0))),
    Case(h.digit_sum, ((-99999.0, 99999.0),), ((0.0,),)),
    Case(h.least_factor, ((1.0, 200.0),)),
    Case(h.signs, ((-9.0, 9.0), (-4.0, 4.0)), ((7.0, -2.0), (-7.0, 2.0), (6.0, 3.0), (-6.0, 3.0), (1.0, 0.0), (1.0, -0.5))),
    Case(h.rounded, ((-9.0, 9.0),), ((2.5,), (-2.5,), (3.5,), (0.0,), (1e308 * 10,), (2.675,))),
    Case(h.income_tax, ((0.0, 250000.0),), ((11000.0,), (95375.0,))),
    Case(h.months_to_pay, ((100.0, 2000.0), (0.0, 0.3), (50.0, 300.0)), ((1000.0, 0.2, 1.0), (0.0, 0.1, 5.0)), rounds=96),
    Case(h.pid_step, ((-6.0, 6.0), (-3.0, 3.0), (-6.0, 6.0))),
    Case(h.update_filter, ((-3.0, 3.0), (-6.0, 6.0)), ((0.0, 2.0),), name="update_filter"),
    Case(h.damper, (UNIT, UNIT)),
    Case(h.relu6, ((-10.0, 10.0),), ((0.0,), (6.0,)), name="relu6"),
    Case(h.wind_at_height, ((2.0, 100.0), (0.0, 20.0)), name="wind_at_height"),
    Case(h.comfort, ((10.0, 35.0), (10.0, 90.0)), ((21.5, 45.0),)),
    Case(h.horner, (UNIT,) * 4, example=True),
    Case(h.lift_force, ((0.0, 80.0), (1.0, 30.0)), arrange=lambda v, a: ((v,), {"area": a, "shape": "plate"}), example=True),
    Case(h.fallback, ((-2.0, 2.0), (-2.0, 2.0)), ((0.0, 0.0), (0.0, 3.0), (3.0, 0.0))),
    Case(h.best_candidate, ((-4.0, 4.0),) * 3, ((-1.0, -1.0, -1.0), (0.0, 0.0, 0.0))),
    Case(h.settle_or_give_up, ((-4.0, 4.0),)),
    Case(h.first_lattice_point, ((-2.0, 2.0), (-2.0, 2.0)), ((0.0, 0.0), (9.0, 9.0))),
    Case(h.sorted_middle, (UNIT,) * 4, ((1.0, 1.0, 2.0, 0.0),)),
    Case(h.cordic, ((-1.5, 1.5),), ((0.0,),)),
    Case(h.guarded, ((-3.0, 3.0), (-3.0, 3.0)), ((1.0, 0.0), (0.0, 1.0))),
    Case(h.escape_time, ((-2.0, 1.0), (-1.2, 1.2)), ((0.0, 0.0), (2.0, 2.0))),
    Case(h.error_function, ((-3.0, 3.0),), ((0.0,),)),
    Case(h.centroid, (UNIT,) * 6, arrange=lambda a, b, c, d, e, f: (([(a, b), (c, d), (e, f)],), {}), example=True),
    Case(h.wrap_angle, ((-20.0, 20.0),), ((0.0,),)),
    Case(h.surcharge, ((-3.0, 3.0),), ((1.0,),)),
]

BY_NAME = {case.id: case for case in CASES}


@functools.cache
def network(name: str, loops: str = "run", errors: str = "nan", backend: str = "native") -> da.Network:
    """A heuristic compiled once for all tests that do not change its weights."""
    case = BY_NAME[name]
    rounds = case.rounds if loops == "settle" else None
    return da.compile(case.function, loops=loops, max_rounds=rounds, errors=errors, backend=backend, **case.compile_options())
