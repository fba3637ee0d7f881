"""`ClusterNetClassifier`: the heuristic, compiled and trained, as an estimator of scikit-learn.

>>> from sklearn.datasets import load_digits
>>> digits = load_digits()
>>> classifier = ClusterNetClassifier(centres_per_class=3, epochs=0).fit(digits.data[:500] / 16, digits.target[:500])
>>> classifier.score(digits.data[1000:1100] / 16, digits.target[1000:1100]) > 0.85
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]  # it carries no types
from sklearn.utils.multiclass import check_classification_targets, unique_labels  # type: ignore[import-untyped]  # as above
from sklearn.utils.validation import check_is_fitted, check_random_state, validate_data  # type: ignore[import-untyped]  # as above

from deepalgo.compiler import compile
from deepalgo.errors import InputError
from deepalgo.network import Network
from deepalgo.studies.cluster.augment import Changes
from deepalgo.studies.cluster.centres import choose_centres
from deepalgo.studies.cluster.features import correction, edges, look
from deepalgo.studies.cluster.matching import Transform, match, match_distances, transforms
from deepalgo.studies.cluster.plots import confusion_matrix, plot_centres, plot_confusion, plot_explanation
from deepalgo.studies.cluster.spectral import spectral_mixing
from deepalgo.studies.cluster.training import History, Settings, scores, train
from deepalgo.studies.cluster.vote import heuristic, laplacian
from deepalgo.tensorize.soften import soften

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = npt.NDArray[Any]
#: Images by which the temperature and the width of minima are set.
SAMPLE = 100


@dataclass(frozen=True)
class Explanation:
    """Why an image was given its class: the nearest centres, and how the nearest of all was matched, pixel by pixel."""

    image: Array
    #: Numbers of the nearest centres, their classes, distances and shares in the vote, the nearest first.
    nearest: Array
    classes: Array
    distances: Array
    shares: Array
    centre: Array
    #: Rows and columns by which the centre was moved to fit, (2, height - 2, width - 2).
    flow: Array
    #: What each place adds to the distance.
    places: Array

    def plot(self, figure: Figure | None = None) -> Figure:
        """Image, centre, flow and distance side by side."""
        return plot_explanation(self, figure)


class ClusterNetClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn carries no types
    """Classify images by their distance to a few trained centres of each class.

    `image_shape` of a row of pixels is a square unless given; features that are no image are laid out in one, and not moved. `centres` are
    "random", "k-means" or "k-medoids". `reach` and `angles` say how far centres may move to fit; `roughness` (lambda) starts the penalty of
    uneven movement, None leaves it out. `temperature` is set by the distances at hand unless given. `mixing` (Q) starts as "identity" or
    "spectral". With `edges` (W1) these are compared in place of pixels, at half the resolution, with a `correction` of so many filters in
    each layer; `weighed` (w2) gives every place of a centre a weight. With `epochs=0` the heuristic itself decides. A share `validation`
    of the images chooses the epoch and ends training; `averaging` is how much of the mean of earlier weights stays in each step. With a
    `softness` the least distance over the moves is a smooth minimum at first, and hard at the end.
    """

    def __init__(
        self,
        *,
        image_shape: tuple[int, ...] | None = None,
        centres_per_class: int = 10,
        centres: str = "k-means",
        reach: int = 1,
        angles: Sequence[float] = (0.0,),
        roughness: float | None = None,
        temperature: float | None = None,
        mixing: str = "identity",
        edges: bool = False,
        weighed: bool = False,
        correction: Sequence[int] = (),
        epochs: int = 10,
        batch: int = 100,
        rate: float = 0.01,
        loss: str = "cross-entropy",
        shift: int = 1,
        averaging: float = 0.0,
        softness: float = 0.0,
        repulsion: float = 0.0,
        validation: float = 0.1,
        patience: int = 5,
        checkpoint: str | None = None,
        verbose: bool = False,
        random_state: int | None = 0,
    ) -> None:
        self.image_shape = image_shape
        self.centres_per_class = centres_per_class
        self.centres = centres
        self.reach = reach
        self.angles = angles
        self.roughness = roughness
        self.temperature = temperature
        self.mixing = mixing
        self.edges = edges
        self.weighed = weighed
        self.correction = correction
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.loss = loss
        self.shift = shift
        self.averaging = averaging
        self.softness = softness
        self.repulsion = repulsion
        self.validation = validation
        self.patience = patience
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> ClusterNetClassifier:  # noqa: N803  # scikit-learn's name
        """Choose centres, compile the heuristic and train it."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = unique_labels(y)
        labels = np.searchsorted(self.classes_, y)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1)) if self.random_state is None else int(self.random_state)
        self.shape_, self.moves_ = self._layout(X.shape[1])
        images = self._images(X)
        held, kept = _split(labels, self.validation, seed)
        fewest = int(np.bincount(labels[kept]).min())
        chosen = choose_centres(
            images[kept], labels[kept], min(self.centres_per_class, fewest), self.centres, seed=seed, metric=self._distances
        )
        one_hot = np.eye(len(self.classes_))[chosen.labels]
        self.temperature_ = self.temperature if self.temperature is not None else self._typical(images[kept], chosen.images)
        parts = self._mixing(chosen.images, one_hot)
        self.initial_centres_, self.centre_labels_ = chosen.images, chosen.labels
        self._built = self._compile(chosen.images, *parts)
        self.history_ = self._train(images, labels, kept, held, seed)
        self.weights_ = {key: self._built.weights[key].detach().numpy().copy() for key in self._built.weights}
        return self

    def predict(self, X: Array) -> Array:  # noqa: N803
        """The class with the largest score."""
        chosen = self.scores(X).argmax(1)
        found: Array = self.classes_[chosen]
        return found

    def predict_proba(self, X: Array) -> Array:  # noqa: N803
        """The soft-max of the sharpened scores, as training sees them."""
        return np.asarray(torch.softmax(Settings.sharpness * torch.from_numpy(self.scores(X)).double(), 1))

    def scores(self, X: Array) -> Array:  # noqa: N803
        """How much of the vote each class has."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        found: Array = scores(self.network(), torch.from_numpy(self._images(X)).float()).numpy()
        return found

    def network(self) -> Network:
        """The compiled network with its trained weights."""
        check_is_fitted(self)
        if self._built is None:
            weights = {key: item.astype(float) for key, item in self.weights_.items()}
            self._built = self._compile(weights["centres"], weights["mixing"], weights["labels"])
            self._built.load_state_dict({f"weights.{key}": torch.from_numpy(item) for key, item in self.weights_.items()})
        return self._built

    def explain(self, x: Array, count: int = 5) -> Explanation:
        """Why one image (a row of pixels) gets its class, by the trained centres."""
        check_is_fitted(self)
        image = self._images(np.asarray(x, float).reshape(1, -1))[0]
        weights = self.weights_
        r, flow = match(self._seen(image, weights), weights["masks"], self._seen(weights["centres"], weights), self.moves_)
        if "roughness" in weights:
            r = (1 + weights["roughness"] * np.sum(np.abs(laplacian(flow)), axis=0)) * r
        places = weights.get("importance", 1.0) * r * r
        distances = np.sum(places, axis=(1, 2))
        scaled = weights["temperature"] * distances
        closeness = np.exp(scaled.min() - scaled)
        order = distances.argsort()[:count]
        best = order[0]
        return Explanation(
            image,
            order,
            self.classes_[self.centre_labels_[order]],
            distances[order],
            (closeness / closeness.sum())[order],
            weights["centres"][best],
            flow[:, best],
            places[best],
        )

    def plot_centres(self, axes: Axes | None = None) -> Axes:
        """The trained centres, a class in each row."""
        check_is_fitted(self)
        return plot_centres(self.weights_["centres"], len(self.centre_labels_) // len(self.classes_), axes)

    def plot_confusion(self, X: Array, y: Array, axes: Axes | None = None) -> Axes:  # noqa: N803
        """The decisions on images whose class is known."""
        wanted, found = (np.searchsorted(self.classes_, item) for item in (y, self.predict(X)))
        return plot_confusion(confusion_matrix(wanted, found, len(self.classes_)), axes)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        return {**state, "_built": None} if "_built" in state else state  # compiled code is made again from the weights

    def _layout(self, features: int) -> tuple[tuple[int, ...], tuple[Transform, ...]]:
        """The shape of an image, and the moves that make sense on it."""
        if self.image_shape is not None:
            if int(np.prod(self.image_shape)) != features:
                raise InputError(f"a row has {features} pixels, which do not make an image of {self.image_shape}")
            return tuple(self.image_shape), transforms(self.reach, self.angles)
        side = max(3, int(np.ceil(np.sqrt(features))))
        return (side, side), transforms(self.reach if side * side == features else 0, self.angles)

    def _images(self, rows: Array) -> Array:
        missing = int(np.prod(self.shape_)) - rows.shape[1]
        return np.pad(rows, ((0, 0), (0, missing))).reshape(len(rows), *self.shape_)

    def _distances(self, images: Array, centres: Array) -> Array:
        """Distances of the untrained heuristic between any images."""
        first, second = (look(item, self._filters()) if self.edges else item for item in (images, centres))
        return match_distances(first, second, self.moves_)

    def _filters(self) -> Array:
        return edges(self.shape_[2] if len(self.shape_) == 3 else 1)

    def _seen(self, images: Array, weights: dict[str, Array]) -> Array:
        """What is compared of images: their pixels, or what trained filters find in them."""
        if "filters" not in weights:
            return images
        return look(images, weights["filters"], [item for key, item in weights.items() if key.startswith("correction")])

    def _typical(self, images: Array, centres: Array) -> float:
        """One over the usual distance to the nearest centre: near enough to one to count, far enough from the others."""
        nearest = float(np.median(self._distances(images[:SAMPLE], centres).min(1)))
        return 1 / nearest if nearest > 0 else 1.0

    def _mixing(self, centres: Array, labels: Array) -> tuple[Array, Array]:
        if self.mixing == "spectral":
            return spectral_mixing(centres, labels, self.moves_, temperature=self.temperature_)
        if self.mixing != "identity":
            raise InputError(f"mixing starts as 'identity' or 'spectral', not {self.mixing!r}")
        return np.eye(len(centres)), labels

    def _compile(self, centres: Array, mixing: Array, labels: Array) -> Network:
        filters = self._filters() if self.edges else None
        sizes, channels = tuple(self.correction), self.shape_[2] if len(self.shape_) == 3 else 1
        height, width = (size // 2 - 2 if self.edges else size - 2 for size in self.shape_[:2])
        decide = heuristic(
            centres,
            labels,
            self.moves_,
            temperature=np.full(len(centres), float(self.temperature_)),
            roughness=self.roughness,
            mixing=mixing,
            filters=filters,
            correction=correction(sizes, filters.shape[1], channels) if sizes and filters is not None else (),
            importance=np.ones((len(centres), height, width)) if self.weighed else None,
        )
        return compile(decide, example=((np.zeros(self.shape_),), {})).float()

    def _train(self, images: Array, labels: Array, kept: Array, held: Array, seed: int) -> History:
        pictures, classes = torch.from_numpy(images).float(), torch.from_numpy(labels)
        settings = Settings(
            epochs=self.epochs,
            batch=self.batch,
            rate=self.rate,
            loss=self.loss,
            changes=Changes(shift=self.shift if len(self.moves_) > 1 else 0),
            averaging=self.averaging,
            softness=self.softness,
            repulsion=self.repulsion,
            patience=self.patience,
            seed=seed,
        )
        checkpoint = Path(self.checkpoint) if self.checkpoint is not None else None
        report = _print_epoch if self.verbose else None
        network = soften(self._built, pictures[kept][:SAMPLE]) if self.softness else self._built
        validation = (pictures[held], classes[held])
        history = train(network, pictures[kept], classes[kept], validation, settings, checkpoint=checkpoint, report=report)
        self._built.load_state_dict({key: network.state_dict()[key] for key in self._built.state_dict()})
        return history


def _print_epoch(epoch: int, history: History) -> None:
    from rich import print as say

    what = "heuristic" if epoch == 0 else f"epoch {epoch:3d}  loss {history.losses[-1]:.4f}"
    say(f"{what}  validation accuracy {100 * history.accuracies[-1]:.2f} %")


def _split(labels: Array, share: float, seed: int) -> tuple[Array, Array]:
    """Places for validation and for training; all serve both where there are too few to part with."""
    order = np.random.default_rng(seed).permutation(len(labels))
    count = int(share * len(labels))
    kept = order[count:]
    if count == 0 or len(np.unique(labels[kept])) < len(np.unique(labels)):
        return order, order
    return order[:count], kept
