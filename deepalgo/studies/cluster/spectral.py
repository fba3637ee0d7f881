"""Q from the eigenvectors of the generalised Gramian of the centres: the vote is counted in other coordinates, with the same result.

>>> rng = np.random.default_rng(0)
>>> centres, labels = rng.random((4, 5, 5)), np.eye(2)[[0, 0, 1, 1]]
>>> mixing, turned = spectral_mixing(centres, labels, transforms(1), temperature=0.1)
>>> image = rng.random((5, 5))
>>> plain = heuristic(centres, labels, transforms(1), temperature=0.1)
>>> spectral = heuristic(centres, turned, transforms(1), temperature=0.1, mixing=mixing)
>>> np.allclose(plain(image), spectral(image))
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from deepalgo.studies.cluster.matching import Transform, match, transforms
from deepalgo.studies.cluster.vote import heuristic

__all__ = ["gramian", "heuristic", "spectral_mixing", "transforms"]

Array = npt.NDArray[Any]


def gramian(centres: Array, moves: Sequence[Transform], temperature: float) -> Array:
    """How close the centres are to each other: exp(-temperature * d), with d made symmetric."""
    masks = np.ones_like(centres)
    distances = np.stack([np.sum(match(centre, masks, centres, moves)[0] ** 2, axis=(1, 2)) for centre in centres])
    closeness: Array = np.exp(-temperature * (distances + distances.T) / 2)
    return closeness


def spectral_mixing(centres: Array, labels: Array, moves: Sequence[Transform], *, temperature: float) -> tuple[Array, Array]:
    """Q = V' and the labels V' Y for the eigenvectors V of the Gramian: (V' Y)' V' g = Y' g, so every decision stays what it was."""
    vectors = np.linalg.eigh(gramian(centres, moves, temperature))[1]
    return vectors.T, vectors.T @ labels
