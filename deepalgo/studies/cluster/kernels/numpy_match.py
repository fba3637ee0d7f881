"""How well each 3 x 3 box of an image fits the best of several transforms of each centre, in plain NumPy.

>>> image = np.zeros((5, 5))
>>> image[2, 2] = 1.0
>>> centre = np.roll(image, 1, axis=1)
>>> distance, flow = match_boxes(image, np.ones((1, 5, 5)), centre[None], [(0.0, 0, 0), (0.0, 0, -1)], 1)
>>> distance.sum(), flow[:, 0, 1, 1]
(np.float64(0.0), array([ 0., -1.]))
>>> places, shares = rotation(90.0, 3, 3)
>>> image = np.arange(9.0)
>>> np.round(sum(image[place] * share for place, share in zip(places, shares))).reshape(3, 3)
array([[6., 3., 0.],
       [7., 4., 1.],
       [8., 5., 2.]])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def match_boxes(
    image: Array, masks: Array, centres: Array, transforms: Sequence[tuple[float, int, int]], p: float, softness: float = 0.0
) -> tuple[Array, Array]:
    """Least distance of every 3 x 3 box to each centre over transforms of the centre, and the translation that gives it.

    With a softness the distance is the smooth minimum, the translation that of the least.
    """
    if np.ndim(image) == 2:
        image, masks, centres = image[..., None], masks[..., None], centres[..., None]
    masked = masks * image
    flow = np.zeros((2, len(centres), image.shape[0] - 2, image.shape[1] - 2))
    least, tried = np.full(flow.shape[1:], np.inf), []
    for angle, down, right in transforms:
        boxes = box_sums(pixel_norms(masked - moved(centres, angle, down, right), p))
        less = boxes < least
        least = np.where(less, boxes, least)
        flow = np.where(less, np.array([down, right])[:, None, None, None], flow)
        tried.append(boxes)
    return (smooth_least(np.array(tried), least, softness) if softness > 0 else least), flow


def smooth_least(tried: Array, least: Array, softness: float) -> Array:
    """-softness log(mean of exp(-tried / softness)): it lies between the least and the mean, and is the least for a softness of zero."""
    fits = np.isfinite(least)
    beyond = np.where(np.isfinite(tried), tried, np.inf) - np.where(fits, least, 0.0)
    share = np.mean(np.exp(-beyond / softness), axis=0)
    smooth: Array = least - softness * np.log(np.where(fits, share, 1.0))
    return smooth


def moved(images: Array, angle: float, down: int, right: int) -> Array:
    """Images (..., height, width, channels) turned by degrees about their middle, then moved; what enters is 0."""
    *_, height, width, channels = images.shape
    if angle:
        places, shares = rotation(angle, height, width)
        flat = images.reshape(*images.shape[:-3], height * width, channels)
        parts = [flat[..., place, :] * share[:, None] for place, share in zip(places, shares, strict=True)]
        images = (parts[0] + parts[1] + parts[2] + parts[3]).reshape(images.shape)
    framed = np.zeros_like(images)
    framed[..., kept(down, height), kept(right, width), :] = images[..., kept(-down, height), kept(-right, width), :]
    return framed


def kept(step: int, size: int) -> slice:
    """Where what stays in the image lies after a step."""
    return slice(max(step, 0), size + min(step, 0))


def rotation(angle: float, height: int, width: int) -> tuple[Array, Array]:
    """For each pixel of the rotated image four places of the old one, and their shares; what lies outside has the share 0.

    Pixel u of Y rotated by an angle (degrees) is Y at R u, with the middle as origin, interpolated between neighbours.
    """
    turn = np.deg2rad(angle)
    rows, columns = np.meshgrid(np.arange(height) - (height - 1) / 2, np.arange(width) - (width - 1) / 2, indexing="ij")
    at_rows = np.cos(turn) * rows - np.sin(turn) * columns + (height - 1) / 2
    at_columns = np.sin(turn) * rows + np.cos(turn) * columns + (width - 1) / 2
    places, shares = [], []
    for down in (0, 1):
        for right in (0, 1):
            i, j = np.floor(at_rows) + down, np.floor(at_columns) + right
            share = (1 - abs(at_rows - i)) * (1 - abs(at_columns - j))
            inside = (i >= 0) & (i < height) & (j >= 0) & (j < width)
            places.append(np.where(inside, i * width + j, 0).astype(np.int64).ravel())
            shares.append(np.where(inside, share, 0.0).ravel())
    return np.stack(places), np.stack(shares)


def pixel_norms(differences: Array, p: float) -> Array:
    """The p-norm over the channels."""
    sizes = np.abs(differences)
    norms: Array = np.sum(sizes, -1) if p == 1 or sizes.shape[-1] == 1 else np.sum(sizes**p, -1) ** (1 / p)
    return norms


def box_sums(distances: Array) -> Array:
    """Sums over 3 x 3 pixels that lie within the image."""
    lines = distances[..., :-2] + distances[..., 1:-1] + distances[..., 2:]
    boxes: Array = lines[..., :-2, :] + lines[..., 1:-1, :] + lines[..., 2:, :]
    return boxes
