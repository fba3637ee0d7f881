"""The heuristic of the paper: compare an image with representatives of every class, and let the near ones vote.

>>> centres = np.stack([np.eye(5), np.eye(5)[::-1]])
>>> classify = heuristic(centres, np.eye(2), transforms(1), temperature=1.0)
>>> np.round(classify(np.roll(np.eye(5), 1, axis=0)), 3)
array([1., 0.])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from deepalgo.marks import weight
from deepalgo.studies.cluster.features import look
from deepalgo.studies.cluster.matching import Transform, match, transforms

__all__ = ["heuristic", "transforms"]

Array = npt.NDArray[Any]


def heuristic(
    centres: Array,
    labels: Array,
    moves: Sequence[Transform],
    *,
    temperature: float | Array = 1.0,
    roughness: float | None = 0.0,
    masks: Array | None = None,
    mixing: Array | None = None,
    filters: Array | None = None,
    correction: Sequence[Array] = (),
    importance: Array | None = None,
    p: float = 1,
) -> Callable[[Array], Array]:
    """A function of an image that answers how much each class is like it.

    `centres` are images and `labels` a row for each of them; `mixing` (Q) is the identity unless given, `masks` are ones. A distance
    of d counts as `exp(-temperature * d)`, with one temperature or one for each centre. `roughness` (lambda) makes distances larger
    where the best translation changes from pixel to pixel; with None this part is left out. With `filters` (W1, see `features.edges`)
    not pixels are compared but what the filters find in image and centres, and a `correction` adds; `importance` (w2) weighs the places
    of each centre.
    """
    if masks is None:
        masks = np.ones_like(centres) if filters is None else np.ones_like(look(centres, filters))
    mixing = np.eye(len(centres)) if mixing is None else mixing

    def classify(image: Array) -> Array:
        x, m, c = image, weight(masks, "masks"), weight(centres, "centres")
        if filters is not None:
            w, layers = weight(filters, "filters"), [weight(layer, f"correction{number}") for number, layer in enumerate(correction)]
            x, c = look(x, w, layers), look(c, w, layers)
        r, s = match(x, m, c, moves, p)
        if roughness is not None:
            r = (1 + weight(roughness, "roughness") * np.sum(np.abs(laplacian(s)), axis=0)) * r
        squares = r * r
        if importance is not None:
            squares = weight(importance, "importance") * squares
        d = np.sum(squares, axis=(1, 2))
        scaled = weight(temperature, "temperature") * d
        closeness = np.exp(np.min(scaled) - scaled)
        g = closeness / np.sum(closeness)
        f: Array = (weight(mixing, "mixing") @ g) @ weight(labels, "labels")
        return f

    return classify


def laplacian(field: Array) -> Array:
    """Second differences down and across; beyond the edge the field goes on as it is there."""
    rows = np.concatenate((field[..., :1, :], field, field[..., -1:, :]), axis=-2)
    columns = np.concatenate((field[..., :1], field, field[..., -1:]), axis=-1)
    total: Array = rows[..., :-2, :] + rows[..., 2:, :] + columns[..., :-2] + columns[..., 2:] - 4 * field
    return total
