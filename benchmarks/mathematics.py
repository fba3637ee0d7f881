"""The vector forms of functions beside the C library, errors and speed: `python -m benchmarks.mathematics [--points 1000000]`.

The largest error of each form over hard points is in ulp of the exact result, which 80-bit floats stand for; how far these are off is
measured first, against mpmath. Special values are compared with the C library, and single numbers with vectors, bit for bit. Times are
for one number, the best of several runs over vectors of 8 in the cache; the C library is called lane by lane.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import time
from collections.abc import Callable

import mpmath
import numpy as np
from rich.console import Console
from rich.table import Table

from deepalgo.backends.native.build import MachineCode
from deepalgo.backends.native.mathematics import VECTOR_FORMS, define

#: Functions of two numbers.
OF_TWO = ("pow", "atan2")
#: What NumPy and mpmath call them.
NUMPY = {
    "pow": "power",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}
MPMATH = {
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "pow": lambda x, y: x**y,
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
}
#: Where the times are measured.
ORDINARY = {
    "log": (0, 100),
    "log2": (0, 100),
    "log10": (0, 100),
    "log1p": (-0.9, 10),
    "sin": (-100, 100),
    "cos": (-100, 100),
    "tan": (-100, 100),
    "asin": (-1, 1),
    "acos": (-1, 1),
    "acosh": (1, 10),
    "atanh": (-1, 1),
    "pow": (0.1, 10),
}
#: Where a function, or a form of it, changes its course.
BORDERS = [
    0.5 * math.log(2),
    1.5 * math.log(2),
    0.5,
    math.sqrt(2) - 1,
    math.sqrt(0.5),
    math.sqrt(0.5) - 1,
    math.sqrt(2),
    math.sqrt(2) + 1,
    1.0,
    2.0,
    3.0,
    10.0,
    18.0,
    19.1,
    22.0,
    40.0,
    2.0**-28,
    2.0**-54,
    2.0**30,
    2.0**40,
    2.0**53,
    2.0**64,
    708.3964185322641,
    709.782712893384,
    710.4758600739439,
    745.1332191019411,
    1022.0,
    1024.0,
    1074.0,
    1075.0,
    2.0**-1022,
    2.0**-1074,
    1.7976931348623157e308,
    math.pi / 4,
    math.pi / 2,
    math.pi,
]
SPECIAL = np.array([sign * value for sign in (1.0, -1.0) for value in (0.0, math.inf, math.nan, 1e300, 2.0**52 + 1.0, 1e16, 1.5, *BORDERS)])


class Loop:
    """A function of the C library, or a form of it, over arrays; `width` numbers at a time."""

    def __init__(self, name: str, width: int = 8, *, libm: bool = False) -> None:
        self.name, self.width, self.count = name, width, 2 if name in OF_TWO else 1
        declared: dict[str, str] = {}
        body = self._lane_by_lane() if libm else define(name, self.count, "f", width, declared)
        self.code = MachineCode("\n".join([*declared.values(), body, self._loop()]), {})

    @property
    def type(self) -> str:
        """The type of a vector."""
        return "double" if self.width == 1 else f"<{self.width} x double>"

    def _lane_by_lane(self) -> str:
        names, wide = "ab"[: self.count], self.type
        lines = [
            f"declare double @{self.name}({', '.join(['double'] * self.count)}) nounwind",
            f"define internal {wide} @f({', '.join(f'{wide} %{name}' for name in names)}) noinline nounwind {{",
        ]
        for lane in range(self.width):
            lines += [f"  %{name}{lane} = extractelement {wide} %{name}, i64 {lane}" for name in names]
            lines.append(f"  %r{lane} = call double @{self.name}({', '.join(f'double %{name}{lane}' for name in names)})")
            lines.append(f"  %v{lane} = insertelement {wide} {f'%v{lane - 1}' if lane else 'poison'}, double %r{lane}, i64 {lane}")
        return "\n".join([*lines, f"  ret {wide} %v{self.width - 1}", "}"])

    def _loop(self) -> str:
        wide, places = self.type, range(self.count)
        pointers = [
            line
            for place in places
            for line in (f"  %at{place} = getelementptr ptr, ptr %inputs, i64 {place}", f"  %in{place} = load ptr, ptr %at{place}")
        ]
        loads = [
            line
            for place in places
            for line in (
                f"  %p{place} = getelementptr double, ptr %in{place}, i64 %o",
                f"  %x{place} = load {wide}, ptr %p{place}, align 8",
            )
        ]
        return "\n".join(
            [
                "define i64 @run(i64 %first, i64 %last, ptr noalias %inputs, ptr %weights, ptr noalias %outputs, ptr %sums, ptr %codes, "
                "i64 %count, i64 %rounds, ptr %tape, ptr %limit) nounwind {",
                "entry:",
                *pointers,
                "  %out = load ptr, ptr %outputs",
                "  br label %loop",
                "loop:",
                "  %i = phi i64 [ %first, %entry ], [ %j, %loop ]",
                f"  %o = mul i64 %i, {self.width}",
                *loads,
                f"  %y = call {wide} @f({', '.join(f'{wide} %x{place}' for place in places)})",
                "  %q = getelementptr double, ptr %out, i64 %o",
                f"  store {wide} %y, ptr %q, align 8",
                "  %j = add i64 %i, 1",
                "  %more = icmp slt i64 %j, %last",
                "  br i1 %more, label %loop, label %done",
                "done:",
                "  ret i64 0",
                "}",
            ]
        )

    def __call__(self, *arrays: np.ndarray) -> np.ndarray:
        """The results for all numbers."""
        count = len(arrays[0])
        padded = -(-count // self.width) * self.width
        columns = [np.concatenate([array, np.ones(padded - count)]) for array in arrays]
        out = np.empty(padded)
        self._call(columns, out)()
        return out[:count]

    def _call(self, columns: list[np.ndarray], out: np.ndarray) -> Callable[[], int]:
        inputs = (ctypes.c_void_p * len(columns))(*(column.ctypes.data for column in columns))
        outputs = (ctypes.c_void_p * 1)(out.ctypes.data)
        function, last = self.code.function, len(out) // self.width
        return lambda: function(0, last, ctypes.addressof(inputs), None, ctypes.addressof(outputs), None, None, 0, 0, None, None, None)

    def nanoseconds(self) -> float:
        """The time for one number."""
        rng, size = np.random.default_rng(0), 4096
        columns = [rng.uniform(*ORDINARY.get(self.name, (-5, 5)), size), rng.uniform(-5, 5, size)][: self.count]
        out, best = np.empty(size), math.inf
        call = self._call(columns, out)
        for _ in range(15):
            start = time.perf_counter()
            for _ in range(10):
                call()
            best = min(best, (time.perf_counter() - start) / (10 * size))
        return best * 1e9


def hard_points(rng: np.random.Generator, count: int) -> np.ndarray:
    """Numbers of all sizes, around zero and one, close to multiples of pi / 2 and to where forms change their course."""
    size = count // 10 + 1
    sign, side = rng.choice([-1.0, 1.0], size), rng.choice([-1.0, 1.0], size)
    nearby = np.array(BORDERS)[rng.integers(0, len(BORDERS), size)].view(np.int64) + rng.integers(-200, 200, size)
    turns = np.rint(np.exp2(rng.uniform(0, 45, size))) * (math.pi / 2)
    parts = [
        rng.integers(0, 2**64, 2 * size, dtype=np.uint64).view(np.float64),
        rng.uniform(-1, 1, size),
        rng.uniform(-10, 10, size),
        rng.uniform(-1100, 1100, size),
        sign * np.exp2(rng.uniform(-60, 0, size)),
        sign + side * np.exp2(rng.uniform(-53, -1, size)),
        sign * rng.integers(1, 2**52, size).view(np.float64),
        np.copysign(nearby.view(np.float64), sign),
        sign * (turns.view(np.int64) + rng.integers(-2, 3, size)).view(np.float64),
    ]
    found = rng.permutation(np.concatenate(parts))[:count]
    # No arithmetic gives a signaling NaN, of which C's pow makes another exception.
    return np.where(np.isnan(found), math.nan, found)


def points_of(name: str, rng: np.random.Generator, count: int) -> list[np.ndarray]:
    """Hard points of a function; powers have results of all sizes, and angles of two numbers ratios of all sizes and around one."""
    x = hard_points(rng, count)
    if name == "pow":
        with np.errstate(all="ignore"):
            any_size = rng.uniform(-760, 720, count) / np.log(np.abs(x))
        some = [rng.permutation(x), any_size, any_size, np.rint(rng.uniform(-30, 30, count)), np.rint(any_size), rng.uniform(-3, 3, count)]
        return [np.where(rng.random(count) < 0.6, np.abs(x), x), np.choose(rng.integers(0, len(some), count), some)]
    if name == "atan2":
        with np.errstate(all="ignore"):
            some = [rng.permutation(x), x * rng.uniform(-3, 3, count), x * (1 + np.exp2(rng.uniform(-53, 0, count)))]
        return [x, np.choose(rng.integers(0, len(some), count), some)]
    return [x]


def reference(name: str, points: list[np.ndarray]) -> np.ndarray:
    """The results in 80 bits."""
    with np.errstate(all="ignore"):
        return getattr(np, NUMPY.get(name, name))(*(array.astype(np.longdouble) for array in points))


def in_ulp(gap: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """A distance in ulp of the float next to the exact result, towards zero."""
    size = np.abs(exact)
    with np.errstate(all="ignore"):
        rounded = size.astype(np.float64)
        below = np.minimum(np.where(rounded > size, np.nextafter(rounded, 0.0), rounded), np.finfo(float).max)
        return np.abs(gap / np.spacing(below).astype(np.longdouble)).astype(np.float64)


def errors(found: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """The error of each result in ulp; infinite where one is NaN, or infinite as no rounding of the exact result is."""
    with np.errstate(all="ignore"):
        gap, rounded = found.astype(np.longdouble) - exact, exact.astype(np.float64)
        same = (np.isnan(found) & np.isnan(exact)) | (np.isinf(found) & (found == rounded))
        return np.where(same, 0.0, np.where(np.isfinite(found) & np.isfinite(exact), in_ulp(gap, exact), math.inf))


def reference_error(name: str, rng: np.random.Generator, count: int) -> float:
    """How far 80 bits are off the exact result of mpmath, in ulp of a float."""
    points = points_of(name, rng, count)
    exact = reference(name, points)
    usable = np.isfinite(exact) & (np.abs(exact) > 2.0**-1075) & (np.abs(exact) < np.finfo(float).max)
    function = MPMATH.get(name) or getattr(mpmath, name)
    worst = 0.0
    with mpmath.workprec(400):
        for place in np.nonzero(usable)[0]:
            numbers = [mpmath.mpf(float(array[place])) for array in points]
            mantissa, exponent = np.frexp(exact[place])
            high = float(mantissa)
            whole = mpmath.ldexp(mpmath.mpf(high) + float(mantissa - np.longdouble(high)), int(exponent))
            gap = float((function(*numbers) - whole) / mpmath.mpf(float(np.spacing(abs(float(exact[place]))))))
            worst = max(worst, abs(gap))
    return worst


def special_points(name: str) -> list[np.ndarray]:
    """Special values, and all pairs of them."""
    if name in OF_TWO:
        pairs = np.meshgrid(np.append(SPECIAL, [3.0, -3.0, 5.0]), np.append(SPECIAL, [3.0, -3.0, 7.0]))
        return [array.ravel() for array in pairs]
    return [SPECIAL]


def wrong_specials(points: list[np.ndarray], found: np.ndarray, expected: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Where a special value is wrong: has other bits where the C library has 0, 1, infinity, NaN or an operand, and else is 2 ulp off."""
    plain = ~np.isfinite(expected) | np.isin(expected, (0.0, 1.0, -1.0)) | np.logical_or.reduce([expected == array for array in points])
    return np.where(plain, ~same_bits(found, expected), errors(found, exact) > 2.0)


def same_bits(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Where two results are the same; NaN is NaN."""
    return (one.view(np.int64) == other.view(np.int64)) | (np.isnan(one) & np.isnan(other))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--names", nargs="*", default=list(VECTOR_FORMS))
    options = parser.parse_args()
    assert np.finfo(np.longdouble).nmant == 63, "long doubles have 80 bits where this runs"
    titles = ("function", "largest error", "C library's", "reference off by", "wrong specials", "one as eight", "ns", "C library", "ratio")
    table = Table(*titles, title=f"Errors in ulp on {options.points} points, times for one number")
    for name in options.names:
        rng = np.random.default_rng(0)
        form, single, libm = Loop(name), Loop(name, 1), Loop(name, libm=True)
        points = points_of(name, rng, options.points)
        found, exact = form(*points), reference(name, points)
        special = special_points(name)
        wrong = wrong_specials(special, form(*special), libm(*special), reference(name, special))
        equal = same_bits(found, single(*points)).all() and same_bits(form(*special), single(*special)).all()
        ours, theirs = form.nanoseconds(), libm.nanoseconds()
        table.add_row(
            name,
            f"{errors(found, exact).max():.3f}",
            f"{errors(libm(*points), exact).max():.3f}",
            f"{reference_error(name, rng, 3000):.4f}",
            f"{wrong.sum()} of {len(wrong)}",
            "yes" if equal else "NO",
            f"{ours:.2f}",
            f"{theirs:.2f}",
            f"{theirs / ours:.1f}",
        )
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
