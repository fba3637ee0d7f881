"""How compile time and `verify` grow with the length of a function: `python -m benchmarks.growth_bench`.

Functions of 500 to 8000 statements of several kinds are written, compiled, called once and verified on four samples. Doubling a
function may cost at most 2.3 times in each column. Times are processor times of one thread.
A Kalman filter over 500 steps is verified at the end.

>>> straight(2).splitlines()[1:3]
['    a = 0.5 * x + 0.25', '    b = x - 0.125 * y']
"""

import argparse
import gc
import linecache
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import deepalgo as da

SIZES = (500, 1000, 2000, 4000, 8000)
#: Doubling a function may cost so many times.
MOST = 2.3
SAMPLES = 4


def straight(count):
    """Assignments one after the other, some of which may fail."""
    ways = (
        "a = a + {0} * b",
        "b = max(b - {0} * a * a, -{1})",
        "c = c / ({1} + a * a)",
        "a = min(max(a, -{1}), {1})",
        "d = math.sqrt({1} + d * d) - c",
        "b = 0.5 * (a + b) + abs(d)",
        "c = math.exp(-abs(c)) * {0}",
        "d = d - {0} if d > {1} else d + {0} * x",
        "a = 0.9 * a + math.sin(d)",
        "c += b % {1}",
    )
    lines = ["a = 0.5 * x + 0.25", "b = x - 0.125 * y", "c = y * y", "d = 0.75"]
    lines += [ways[number % len(ways)].format(f"0.{number % 97 + 1}", f"{number % 13 + 1}.5") for number in range(count - 5)]
    return write("straight", "x, y", [*lines[:count], "return a + b + c + d"])


def chained(count):
    """Early returns, each of which puts the rest into its other branch, with statements between them; at most 60 of them."""
    every = max(count // 60, 4)
    lines = []
    for number in range(count // every):
        lines += [f"y = y + 0.{number + 1} * x"] * (every - 2) + [f"if x > {1000 - number}.5:", f"    return x * 0.{number + 1} + y"]
    return write("chained", "x, y", [*lines, "return x - y"])


def nested(count):
    """Branches in branches in loops, calls in calls, and long expressions."""
    lines = []
    for number in range(count // 10):
        low, high = f"0.{number % 89 + 1}", f"{number % 7 + 1}.25"
        lines += [
            f"if x > {low}:",
            f"    y = half(half(y + {low}, x), half(x, {high}))",
            f"    if y < {high}:",
            "        for _ in range(3):",
            f"            x = x - 0.01 * (y - {low} * (x + ({high} * (y - (x + {low})))))",
            "            if x > y:",
            "                x = 0.5 * x",
            "    else:",
            f"        y = y * 0.5 if y > x and x < {high} else y - 1.0",
            "else:",
            f"    x = x + {low}",
            "    y = half(x, y)",
        ]
    half = write("half", "a, b", ["return (a + b) * 0.5 if a > b else limit(a - b)"])
    return "\n\n".join([half, write("limit", "a", ["return max(a, -3.0)"]), write("nested", "x, y", [*lines, "return x + y"])])


def looping(count):
    """Loops whose index is looked at, loops over lists, loops that end by data."""
    lines = ["table = [0.5, 0.25, 0.125]", "found = [x, y]"]
    for number in range(count // 12):
        low = f"0.{number % 89 + 1}"
        lines += [
            "for i in range(4):",
            f"    x = x + {low} * table[i % 3]",
            "    if x > 2.0:",
            "        x = x - 1.5",
            f"while y > {low} + 0.5:",
            "    y = 0.5 * y",
            f"    x = x + {low}",
            "for item in table:",
            f"    y = y + item * {low}",
            f"found.append(x * {low})",
            "for i, item in enumerate(found[-2:]):",
            "    y = y + i * item * 0.01",
        ]
    return write("looping", "x, y", [*lines, "return x + y + sum(found)"])


def unrolled(count):
    """One loop over a long list, each round of which is written out."""
    lines = [
        "state = [x, y]",
        "seen = []",
        f"for number in range({count // 4}):",
        "    gain = 0.5 if number % 2 else 0.25",
        "    state[number % 2] = state[number % 2] + gain * (1.0 - state[1 - number % 2])",
        "    if state[0] > 3.0:",
        "        state[1] = 0.5",
        "    seen.append(state[0])",
        "return sum(seen)",
    ]
    return write("unrolled", "x, y", lines)


def table_loop(count):
    """A loop over a long list of numbers, which become weights."""
    numbers = ", ".join(f"0.{number % 997 + 1}" for number in range(count // 3))
    lines = ["total = 0.0", f"for item in [{numbers}]:", "    total = total + item * x", "    if total > 5.0:", "        total = total - y"]
    lines += ["return total"]
    return write("table_loop", "x, y", lines)


def write(name, parameters, lines):
    """The text of a function."""
    return "\n".join([f"def {name}({parameters}):", *(f"    {line}" for line in lines), ""])


KINDS = {"straight": straight, "chained": chained, "nested": nested, "looping": looping, "unrolled": unrolled, "table_loop": table_loop}


def load(text, name):
    """The function in a text, whose lines can be found."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {"math": math, "np": np}
    exec(compile(text, file, "exec"), space)
    return space[name.split()[0]]


@dataclass(frozen=True)
class Cost:
    """Seconds that a function takes to compile and call, and to verify."""

    compiled: float
    verified: float


def cost(function, inputs, repeats=1):
    """The least processor time of some runs."""
    compiled, verified = [], []
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        network = da.compile(function)
        network(*inputs)
        middle = time.process_time()
        network.verify(*inputs)
        compiled.append(middle - start)
        verified.append(time.process_time() - middle)
    return Cost(min(compiled), min(verified))


def inputs():
    """A few samples."""
    return [torch.linspace(low, high, SAMPLES, dtype=torch.float64) for low, high in ((0.1, 1.9), (1.4, 0.2))]


def growth(kind, sizes, repeats):
    """What a kind of function costs at each size."""
    cost(load(KINDS[kind](60), kind), inputs())
    return {size: cost(load(KINDS[kind](size), f"{kind} {size}"), inputs(), repeats) for size in sizes}


def print_growth(console, kinds, sizes, repeats):
    """A table of seconds and of factors between one size and the next; returns the largest factor."""
    table = Table("function", "statements", "compile, s", "times", "verify, s", "times", title="seconds of processor time")
    most = 0.0
    for kind in kinds:
        before = None
        for size, now in growth(kind, sizes, repeats).items():
            factors = [] if before is None else [now.compiled / before.compiled, now.verified / before.verified]
            most = max([most, *factors])
            first, second = [f"{factor:.2f}" for factor in factors] or ["", ""]
            table.add_row(kind, str(size), f"{now.compiled:.2f}", first, f"{now.verified:.2f}", second)
            before = now
    console.print(table)
    return most


def kalman(measured, q, r):
    """A Kalman filter with two states, position and speed, in plain Python."""
    p, v = 0.0, 0.0
    a, b, c, d = 1.0, 0.0, 0.0, 1.0
    total = 0.0
    dt = 0.1
    for z in measured:
        p = p + dt * v
        a, b, c, d = a + dt * (b + c) + dt * dt * d + q, b + dt * d, c + dt * d, d + q
        s = a + r
        k, g = a / s, c / s
        error = z - p
        p, v = p + k * error, v + g * error
        a, b, c, d = (1.0 - k) * a, (1.0 - k) * b, c - g * a, d - g * b
        total = total + error * error / s
    return total


def kalman_matrices(measured, q, r):
    """The same with arrays."""
    x = np.zeros(2)
    p = np.eye(2)
    f = np.array([[1.0, 0.1], [0.0, 1.0]])
    h = np.array([1.0, 0.0])
    total = 0.0
    for z in measured:
        x = f @ x
        p = f @ p @ f.T + q * np.eye(2)
        s = h @ p @ h + r
        k = p @ h / s
        error = z - h @ x
        x = x + k * error
        p = p - np.outer(k, h @ p)
        total = total + error * error / s
    return total


def filter_cost(function: Callable[..., float], steps: int) -> Cost:
    """What a filter over so many steps costs, with a list of measurements."""
    series = [np.sin(0.1 * step) + 0.3 * np.cos(2.1 * step) for step in range(steps)]
    samples = [torch.tensor([value, value + 0.1, 0.5 * value]) for value in series]
    noise = torch.tensor([0.01, 0.1, 0.02]), torch.tensor([0.5, 0.2, 0.4])
    start = time.process_time()
    network = da.compile(function, example=((list(map(float, series)), 0.01, 0.5), {}))
    network(samples, *noise)
    middle = time.process_time()
    network.verify(samples, *noise)
    return Cost(middle - start, time.process_time() - middle)


def print_filters(console, steps):
    """Seconds for two ways to write a Kalman filter."""
    table = Table("function", "compile, s", "verify, s", title=f"a Kalman filter over {steps} steps")
    for function in (kalman, kalman_matrices):
        found = filter_cost(function, steps)
        table.add_row(function.__name__, f"{found.compiled:.2f}", f"{found.verified:.2f}")
    console.print(table)


def main(arguments=None):
    """Print all tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth_bench", description=__doc__)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--repeats", type=int, default=1, help="the least of so many runs counts")
    parser.add_argument("--steps", type=int, default=500, help="of the Kalman filter")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    console = Console(width=120)
    most = print_growth(console, options.kinds, options.sizes, options.repeats)
    print_filters(console, options.steps)
    console.print(f"doubling costs at most {most:.2f} times")


if __name__ == "__main__":
    main()
