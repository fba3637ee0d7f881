"""`image_distance`: the whole metric of the paper, patch by patch.

For patches X', Y' of size s x s around each pixel, with W1 a linear operator, w2 a weight and R, tau rotations and translations:

    phi(X', Y') = min over tau, R of |W1 (X' - Y' o tau o R)|_p,   mu = the best tau
    distance = sum over pixels of phi(X', Y') w2 (1 + |Laplacian of mu|)

>>> image = np.zeros((9, 9))
>>> image[3:6, 4] = 1.0
>>> moved = np.roll(image, 1, axis=1)
>>> image_distance(image, moved, size=5) > 0, image_distance(image, image, size=5, reach=(2, 2))
(True, 0.0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from deepalgo.errors import InputError
from deepalgo.studies.cluster.kernels.numpy_match import moved
from deepalgo.studies.cluster.matching import Transform
from deepalgo.studies.cluster.vote import laplacian

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A distance and where it comes from: the best fit of each patch, the translation that gives it, the penalty of rough flow."""

    distance: float
    fit: Array
    flow: Array
    penalty: Array


def image_distance(
    x: Array,
    y: Array,
    *,
    size: int = 3,
    reach: tuple[int, int] = (1, 1),
    angles: Sequence[float] = (0.0,),
    p: float = 2,
    operator: Array | None = None,
    weights: Array | None = None,
) -> float:
    """How far image y is from image x, both (height, width) or (height, width, channels).

    Patches of y are moved by fewer than `reach` rows and columns ((1, 1): not at all) and turned by each of the `angles`, in degrees.
    `operator` (W1) is a matrix for the pixels of a patch in reading order, channels last; `weights` (w2) has a number for each pixel.
    """
    return compare_images(x, y, size=size, reach=reach, angles=angles, p=p, operator=operator, weights=weights).distance


def compare_images(
    x: Array,
    y: Array,
    *,
    size: int = 3,
    reach: tuple[int, int] = (1, 1),
    angles: Sequence[float] = (0.0,),
    p: float = 2,
    operator: Array | None = None,
    weights: Array | None = None,
) -> Comparison:
    """`image_distance` with its parts: fits and penalties (height, width), flow (2, height, width) in rows and columns."""
    first, second = np.asarray(x, float), np.asarray(y, float)
    if first.shape != second.shape or first.ndim not in (2, 3):
        raise InputError(f"two images of one shape can be compared, not {first.shape} and {second.shape}")
    if size % 2 == 0:
        raise InputError(f"a patch has a pixel in its middle: its size is odd, not {size}")
    mine, its = (_patches(item[..., None] if item.ndim == 2 else item, size) for item in (first, second))
    moves = _moves(reach, angles)
    fits = np.stack([_norm(mine - _turned(its, item), operator, p) for item in moves])
    best = fits.argmin(0)
    flow = np.moveaxis(np.array([[item.down, item.right] for item in moves], float)[best], -1, 0)
    fit = np.take_along_axis(fits, best[None], 0)[0]
    penalty = 1 + np.linalg.norm(laplacian(flow[:, None])[:, 0], axis=0)
    total = np.sum(fit * penalty * (1 if weights is None else weights))
    return Comparison(float(total), fit, flow, penalty)


def _moves(reach: tuple[int, int], angles: Sequence[float]) -> list[Transform]:
    """The smallest first: of equally good ones the first wins."""
    rows, columns = (range(1 - item, item) for item in reach)
    found = [Transform(float(angle), i, j) for i in rows for j in columns for angle in angles]
    return sorted(found, key=lambda item: (item.down**2 + item.right**2, abs(item.angle), item))


def _patches(image: Array, size: int) -> Array:
    """(height, width, size, size, channels): what lies around each pixel, zeros beyond the image."""
    half = size // 2
    framed = np.pad(image, ((half, half), (half, half), (0, 0)))
    return np.moveaxis(np.lib.stride_tricks.sliding_window_view(framed, (size, size), axis=(0, 1)), 2, -1)


def _turned(patches: Array, transform: Transform) -> Array:
    """Y o tau o R: moved first, then turned about the middle of the patch."""
    return moved(moved(patches, 0.0, transform.down, transform.right), transform.angle, 0, 0)


def _norm(differences: Array, operator: Array | None, p: float) -> Array:
    flat = differences.reshape(*differences.shape[:2], -1)
    seen = flat if operator is None else flat @ np.asarray(operator).T
    norms: Array = np.linalg.norm(seen, ord=p, axis=-1)
    return norms
