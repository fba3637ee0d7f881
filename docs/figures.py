"""Draw the figures of the documentation: `make figures` writes docs/figures/*.svg."""

import sys
from pathlib import Path

import numpy as np

import deepalgo as da
from examples.demo import friction_factor

FOLDER = Path(__file__).parent / "figures"
BY_HAND = {"rooms.svg"}  # written in an editor: the rooms of the package are no program

TEMPLATES = np.array([[0.9, 0.1, 0.8, 0.2], [0.1, 0.9, 0.2, 0.8], [0.5, 0.5, 0.5, 0.5]])
SCALE = np.array([1.0, 1.0, 0.5, 0.5])


def newton(s):
    """The fifth root of s: Newton's method, with the best of three steps in each round."""
    x = 1.0
    for _ in range(3):
        dx = (x**5 - s) / (5 * x**4)
        candidates = np.array([x - 0.5 * dx, x - 1.0 * dx, x - 1.5 * dx])
        x = candidates[np.argmin(np.abs(candidates**5 - s))]
    return x


def nearest_template(image):
    """The class of an image of four pixels, -1 if it is like none of them."""
    distances = np.sqrt(np.sum(SCALE * (image - TEMPLATES) ** 2, axis=1))
    label = np.argmin(distances)
    if distances[label] > 0.6:
        return -1
    return label


def main(folder=FOLDER):
    """Draw all that are not made by hand; returns their paths."""
    folder.mkdir(exist_ok=True)
    line_search = da.compile(newton)
    figures = {
        "newton": (line_search, False),
        "newton_unrolled": (line_search, True),
        "friction_factor": (da.compile(friction_factor), False),
        "nearest_template": (da.compile(nearest_template, example=((np.zeros(4),), {})), False),
    }
    for name, (network, unroll) in figures.items():
        da.draw(network, folder / f"{name}.svg", unroll=unroll)
    return sorted(folder / f"{name}.svg" for name in figures)


if __name__ == "__main__":
    sys.stdout.write("".join(f"{path}\n" for path in main()))
