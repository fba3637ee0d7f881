"""Three classes of equations that engineers solve by Newton's method, a few rounds at a time, trained on their own residual.

- The compressibility factor of a gas by Peng and Robinson: the largest root of a cubic.
- The radius of an image point without the distortion of the lens: a polynomial of degree five.
- The point where two circles meet: a system of two quadratic equations, as a two-link arm or ranging solves it.

At equal *rounds* training gains orders of magnitude. At equal *time* the comparison is with plain Newton and a round or two more,
which is often as good: training pays where rounds are dear, or where plain Newton does not get closer.
"""

import math
import time

import numpy as np
import torch

import deepalgo as da


def compressibility(A, B, rounds=2):
    """The vapour root of Peng and Robinson's cubic, from a start that is affine in its coefficients."""
    z = 1.0 + 0.0 * A + 0.0 * B
    for _ in range(rounds):
        f = ((z - (1 - B)) * z + (A - 2 * B - 3 * B * B)) * z - (A * B - B * B - B**3)
        slope = (3 * z - 2 * (1 - B)) * z + (A - 2 * B - 3 * B * B)
        z = z - 1.0 * f / slope
    return z


def undistorted(r, k1, k2, rounds=2):
    """The radius that a lens with two coefficients of distortion maps to `r`."""
    x = 1.0 * r + 0.0 * k1 * r**3
    for _ in range(rounds):
        f = x * (1 + x * x * (k1 + k2 * x * x)) - r
        slope = 1 + x * x * (3 * k1 + 5 * k2 * x * x)
        x = x - 1.0 * f / slope
    return x


def meeting(d, a, b, rounds=3):
    """The upper point at distance `a` from the origin and `b` from (d, 0)."""
    x, y = 0.5 * d, 0.6 * a + 0.0 * b
    for _ in range(rounds):
        f, g = x * x + y * y - a * a, (x - d) * (x - d) + y * y - b * b
        det = 4 * x * y - 4 * (x - d) * y
        x, y = x - 1.0 * (2 * y * f - 2 * y * g) / det, y - 1.0 * (2 * x * g - 2 * (x - d) * f) / det
    return x, y


def gases(rng, count):
    """Dimensionless attraction and volume at reduced temperatures above one."""
    B = rng.uniform(0.005, 0.1, count)
    return B * rng.uniform(1.0, 4.0, count), B


def lenses(rng, count):
    """Radii and mild barrel or pincushion distortion."""
    return rng.uniform(0.1, 1.0, count), rng.uniform(-0.1, 0.2, count), rng.uniform(-0.01, 0.03, count)


def arms(rng, count):
    """Circles that meet well above the axis."""
    a, b = rng.uniform(0.8, 1.2, (2, count))
    return rng.uniform(0.5, 1.4, count), a, b


CLASSES = {
    "Peng-Robinson": (compressibility, gases, lambda z, A, B: ((z - (1 - B)) * z + (A - 2 * B - 3 * B * B)) * z - (A * B - B * B - B**3)),
    "lens": (undistorted, lenses, lambda x, r, k1, k2: x * (1 + x * x * (k1 + k2 * x * x)) - r),
    "two circles": (meeting, arms, lambda p, d, a, b: (p[0] ** 2 + p[1] ** 2 - a * a, (p[0] - d) ** 2 + p[1] ** 2 - b * b)),
}


def study(name, steps=100, count=1000):
    """Errors of plain Newton, trained Newton at equal rounds, and plain Newton at equal time."""
    heuristic, draw, residual = CLASSES[name]
    rng = np.random.default_rng(0)
    training, held_out = draw(rng, count), draw(rng, count)
    example = tuple(float(column[0]) for column in training)
    net = da.untie(da.compile(heuristic, example=(example, {})))
    trained = da.fit(net, training, residual=residual, steps=steps, progress=False).network
    plain = {rounds: da.compile(heuristic, example=(example, {"rounds": rounds})) for rounds in range(1, 9)}
    usual = heuristic.__defaults__[0]
    true = stacked(da.compile(heuristic, example=(example, {"rounds": 12})), held_out, rounds=12)
    errors = {rounds: rms(stacked(network, held_out, rounds=rounds) - true) for rounds, network in plain.items()}
    times = seconds({usual: trained} | {-rounds: network for rounds, network in plain.items()}, held_out)
    equal = max((rounds for rounds in plain if times[-rounds] <= 1.05 * times[usual]), default=usual)
    return {
        "rounds": usual,
        "plain": errors[usual],
        "trained": rms(stacked(trained, held_out) - true),
        "equal": equal,
        "longer": errors[equal],
    }


def stacked(network, inputs, **options):
    """The answers of a network as one array."""
    with torch.no_grad():
        answer = network(*inputs, **options)
    return np.stack([part.numpy() for part in answer]) if isinstance(answer, tuple) else answer.numpy()


def rms(error):
    """The root of the mean square."""
    return math.sqrt((error**2).mean())


def seconds(networks, inputs):
    """Processor time of the quickest of many evaluations of each network, all of them in turns; a key below zero is a number of rounds."""
    times = dict.fromkeys(networks, math.inf)
    for _ in range(60):
        for key, network in networks.items():
            start = time.process_time()
            stacked(network, inputs, **({"rounds": -key} if key < 0 else {}))
            times[key] = min(times[key], time.process_time() - start)
    return times


def main(steps=100, count=1000):
    """Print a row for each class."""
    found = {}
    for name in CLASSES:
        row = found[name] = study(name, steps, count)
        print(f"{name}: error after {row['rounds']} rounds {row['plain']:.1e}, trained {row['trained']:.1e};", end=" ")
        print(f"in the time of the trained one plain Newton makes {row['equal']} rounds: {row['longer']:.1e}")
    return found


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
