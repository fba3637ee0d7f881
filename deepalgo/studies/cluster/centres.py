"""Choose representatives of each class: samples at random, means, or samples that are central under a metric.

>>> images = np.arange(8.0)[:, None, None] * np.ones((2, 2))
>>> labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
>>> chosen = choose_centres(images, labels, 1, "k-means", seed=0)
>>> chosen.images[:, 0, 0], chosen.labels
(array([1.5, 5.5]), array([0, 1]))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from deepalgo.errors import InputError

Array = npt.NDArray[Any]
#: Distances (first, second) between two stacks of images.
Metric = Callable[[Array, Array], Array]
ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Centres:
    """Representatives, ordered by class, and the number of the class of each."""

    images: Array
    labels: Array

    def one_hot(self) -> Array:
        """A row for each centre with a 1 at its class."""
        return np.eye(int(self.labels.max()) + 1)[self.labels]


def choose_centres(
    images: Array, labels: Array, each: int, how: str = "random", *, seed: int = 0, metric: Metric | None = None, pool: int = 300
) -> Centres:
    """So many representatives of each class: "random" samples, "k-means", or "k-medoids" under a metric.

    Medoids are sought among `pool` random samples of each class, because all their distances have to be known.
    """
    if how not in ("random", "k-means", "k-medoids"):
        raise InputError(f"centres are chosen as 'random', 'k-means' or 'k-medoids', not {how!r}")
    generator = np.random.default_rng(seed)
    found = [_of_class(np.asarray(images)[labels == label], each, how, generator, metric or euclidean, pool) for label in np.unique(labels)]
    return Centres(np.concatenate(found), np.repeat(np.arange(len(found)), [len(item) for item in found]))


def euclidean(first: Array, second: Array) -> Array:
    """Squared Euclidean distances of all pairs."""
    a, b = (item.reshape(len(item), -1) for item in (first, second))
    squares: Array = (a * a).sum(1)[:, None] - 2 * a @ b.T + (b * b).sum(1)
    return np.maximum(squares, 0)


def _of_class(images: Array, each: int, how: str, generator: np.random.Generator, metric: Metric, pool: int) -> Array:
    if each > len(images):
        raise InputError(f"a class has {len(images)} images, fewer than {each} centres")
    order = generator.permutation(len(images))
    match how:
        case "random":
            return images[order[:each]]
        case "k-means":
            return _means(images, each, generator)
        case _:
            some = images[order[: max(pool, each)]]
            return some[_medoids(metric(some, some), each, generator)]


def _means(images: Array, count: int, generator: np.random.Generator) -> Array:
    """Lloyd's rounds from far-apart starts (k-means++)."""
    centres = images[_spread(euclidean(images, images[generator.integers(len(images))][None])[:, 0], images, count, generator)]
    for _ in range(ROUNDS):
        nearest = euclidean(images, centres).argmin(1)
        moved = np.stack([images[nearest == k].mean(0) if (nearest == k).any() else centres[k] for k in range(count)])
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def _spread(distances: Array, images: Array, count: int, generator: np.random.Generator) -> list[int]:
    """Places of samples, each drawn with a chance in proportion to its squared distance from those before."""
    chosen: list[int] = []
    while len(chosen) < count:
        total = distances.sum()
        chances = distances / total if total > 0 else None
        chosen.append(int(generator.choice(len(images), p=chances)))
        distances = np.minimum(distances, euclidean(images, images[chosen[-1]][None])[:, 0])
    return chosen


def _medoids(distances: Array, count: int, generator: np.random.Generator) -> Array:
    """Alternate between nearest medoids and the most central member of each group, from a greedy start."""
    chosen = [int(distances.sum(1).argmin())]
    while len(chosen) < count:
        gains = np.maximum(distances[chosen].min(0)[None] - distances, 0).sum(1)
        gains[chosen] = -1
        chosen.append(int(gains.argmax()))
    medoids = np.array(chosen)
    for _ in range(ROUNDS):
        group = distances[:, medoids].argmin(1)
        moved = medoids.copy()
        for k in range(count):
            members = np.flatnonzero(group == k)
            if len(members):
                moved[k] = members[distances[np.ix_(members, members)].sum(0).argmin()]
        if np.array_equal(moved, medoids):
            break
        medoids = moved
    return medoids
