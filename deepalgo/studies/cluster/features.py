"""What is compared in place of bare pixels (W1 of the metric): edges by their direction, at half the resolution.

An edge keeps its place where brightness does not, and a soft cross-section of it survives small movements. The filters are constants
of the heuristic, so that training learns better ones.

>>> image = np.zeros((6, 6))
>>> image[:, 3:] = 1.0
>>> found = look(image, edges())
>>> found.shape, [name for name, channel in zip(("pixel", "right", "left", "down", "up"), found[1, 1]) if channel > 0]
((3, 3, 5), ['pixel', 'right'])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def edges(channels: int = 1) -> Array:
    """Filters for `look`, (9 x channels, 5): the mean pixel, and how fast brightness grows to the right, to the left, down and up."""
    pixel = np.zeros((3, 3))
    pixel[1, 1] = 1.0
    right = np.outer([1, 2, 1], [-1, 0, 1]) / 4
    columns = np.stack([pixel, right, -right, right.T, -right.T], axis=-1).reshape(9, 5)
    return np.repeat(columns, channels, axis=0) / channels


def look(images: Array, filters: Array, correction: Sequence[Array] = ()) -> Array:
    """What each filter finds, where that is positive, as a mean of two by two places: (..., height // 2, width // 2, filters).

    Images are (..., height, width), or with channels if the filters are for several. A filter weighs the 3 x 3 pixels around each
    place in reading order; beyond the edge there are zeros. A `correction` is added (see `correction`).
    """
    pixels = images[..., None] if len(filters) == 9 else images
    around = patches(pixels)
    found = halve(positive(around @ filters))
    return found + corrected(around, correction) if correction else found


def correction(sizes: Sequence[int], filters: int, channels: int = 1, seed: int = 0) -> tuple[Array, ...]:
    """Layers of a small network of convolutions that adds nothing at birth: so many filters in each, the last row of a layer is its bias.

    >>> [layer.shape for layer in correction((8, 16), filters=5)], look(np.ones((4, 4)), edges(), correction((8, 16), 5)).shape
    ([(10, 8), (73, 16), (145, 5)], (2, 2, 5))
    """
    generator = np.random.default_rng(seed)
    inputs = [channels, *sizes]
    layers = [
        np.concatenate((generator.normal(0, np.sqrt(2 / (9 * before)), (9 * before, size)), np.zeros((1, size))))
        for before, size in zip(inputs[:-1], sizes, strict=True)
    ]
    return *layers, np.zeros((9 * inputs[-1] + 1, filters))


def corrected(around: Array, layers: Sequence[Array]) -> Array:
    """What the layers of a correction make of the patches of an image; the first one works at full resolution."""
    found = around
    for number, layer in enumerate(layers[:-1]):
        found = positive(found @ layer[:-1] + layer[-1])
        found = patches(halve(found) if number == 0 else found)
    total: Array = found @ layers[-1][:-1] + layers[-1][-1]
    return total


def positive(values: Array) -> Array:
    """The positive part, whose gradient at zero is a half."""
    part: Array = (values + np.abs(values)) / 2
    return part


def patches(images: Array) -> Array:
    """(..., height, width, channels) to (..., height, width, 9 channels): the pixels around each place, zeros beyond the edge."""
    *lead, height, width, channels = images.shape
    row, column = np.zeros((*lead, 1, width, channels)), np.zeros((*lead, height + 2, 1, channels))
    framed = np.concatenate((column, np.concatenate((row, images, row), axis=-3), column), axis=-2)
    around = [framed[..., i : i + height, j : j + width, :] for i in range(3) for j in range(3)]
    return np.concatenate(around, axis=-1)


def halve(images: Array) -> Array:
    """The mean of every two by two pixels of (..., height, width, channels); a last odd row or column is left out."""
    height, width = images.shape[-3] // 2 * 2, images.shape[-2] // 2 * 2
    corners = [images[..., i:height:2, j:width:2, :] for i in range(2) for j in range(2)]
    total: Array = (corners[0] + corners[1] + corners[2] + corners[3]) / 4
    return total
