"""`HeuristicClassifier`: a heuristic that computes scores, as a classifier of scikit-learn.

>>> def risk(pressure, age):
...     points = 0.02 * (pressure - 120.0)
...     if age > 60.0:
...         points = points + 1.0
...     return points - 1.0
>>> rng = np.random.default_rng(0)
>>> X = np.column_stack([rng.normal(130, 20, 300), rng.uniform(30, 90, 300)])
>>> ill = 0.05 * (X[:, 0] - 125) + 0.06 * (X[:, 1] - 65) > rng.logistic(0, 0.5, 300)
>>> classifier = HeuristicClassifier(risk, steps=50).fit(X, np.where(ill, "ill", "well"))
>>> classifier.classes_.tolist(), classifier.predict(X[:3]).tolist()
(['ill', 'well'], [..., ..., ...])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.optimize import minimize_scalar  # type: ignore[import-untyped]  # it carries no types
from sklearn.base import ClassifierMixin  # type: ignore[import-untyped]  # it carries no types
from sklearn.utils.multiclass import check_classification_targets, type_of_target  # type: ignore[import-untyped]  # as above
from sklearn.utils.validation import check_is_fitted, validate_data  # type: ignore[import-untyped]  # as above
from torch import Tensor

from deepalgo.estimators.base import Array, HeuristicEstimator
from deepalgo.estimators.columns import TableCall
from deepalgo.fitting.data.samples import tensors
from deepalgo.fitting.options import SearchOptions
from deepalgo.ir import Kind

#: The scale of scores lies within this factor of one over their usual size.
WIDEST = 1e3


@dataclass(frozen=True, slots=True)
class ScoreLoss:
    """The cross-entropy of scaled scores, of each sample: by the logistic function of a single one, else by the soft-max.

    >>> loss = ScoreLoss(scale=1.0, threshold=0.5)
    >>> loss(torch.tensor([0.5, 200.0]), torch.tensor([1, 1])).tolist()
    [0.693..., 0.0]
    """

    scale: float
    threshold: float

    def __call__(self, output: Any, target: Tensor) -> Tensor:
        columns = torch.cat([item.reshape(len(item), -1) for item in tensors(output)], 1)
        if columns.shape[1] > 1:
            return torch.nn.functional.cross_entropy(self.scale * columns, target.long(), reduction="none")
        margin = self.scale * (columns[:, 0] - self.threshold)
        return torch.nn.functional.softplus(torch.where(target > 0, -margin, margin))


class HeuristicClassifier(ClassifierMixin, HeuristicEstimator):  # type: ignore[misc]  # scikit-learn carries no types
    """A heuristic that computes scores as a classifier: `fit` tunes its constants, `predict` takes the class that the scores say.

    `function` takes columns as that of `HeuristicRegressor` does. It returns one score, which is above `threshold` for the second of two
    classes (`classes_[1]`), or as many scores as there are classes, in the order of `classes_`, of which the largest decides. Training
    lowers their cross-entropy, at the scale (`scale_`) at which that of the heuristic's own scores is lowest; `predict_proba` has it, too.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        threshold: float = 0.0,
        train: str | Sequence[str] | None = None,
        fixed: str | Sequence[str] | None = None,
        bounds: Mapping[str, Any] | None = None,
        rates: Mapping[str, float] | None = None,
        validation: Any = "auto",
        steps: int = 500,
        seconds: float | None = None,
        search: SearchOptions | None = None,
        random_state: Any = 0,
    ) -> None:
        self.function = function
        self.threshold = threshold
        self.train = train
        self.fixed = fixed
        self.bounds = bounds
        self.rates = rates
        self.validation = validation
        self.steps = steps
        self.seconds = seconds
        self.search = search
        self.random_state = random_state

    def fit(self, X: Any, y: Any, groups: Any = None) -> HeuristicClassifier:  # noqa: N803  # scikit-learn's name
        """Compile the function for these columns and fit its constants. `groups` are held out whole, as `da.fit` does."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        columns = self._compile(X)
        self._check(columns, y)
        loss = ScoreLoss(_best_scale(columns.answers(columns.network, X), labels, self.threshold), self.threshold)
        self.scale_ = loss.scale
        self._train(columns, X, labels, loss, groups)
        return self

    def decision_function(self, X: Any) -> Array:  # noqa: N803  # scikit-learn's name
        """The scores: of two classes how far that of the second is above the threshold, or above the other."""
        found = self._answers(X)
        if bool(np.isnan(found).any()):
            missing = np.flatnonzero(np.isnan(found).any(1))
            raise ValueError(f"the heuristic has no score for {len(missing)} samples, the first of which is sample {missing[0]}")
        if found.shape[1] > 2:
            return found
        margin: Array = found[:, 0] - self.threshold if found.shape[1] == 1 else found[:, 1] - found[:, 0]
        return margin

    def predict(self, X: Any) -> Array:  # noqa: N803  # scikit-learn's name
        """The class that the scores say."""
        check_is_fitted(self)
        scores = self.decision_function(X)
        chosen: Array = self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(1)]
        return chosen

    def predict_proba(self, X: Any) -> Array:  # noqa: N803  # scikit-learn's name
        """The logistic function or the soft-max of the scaled scores, as training sees them."""
        check_is_fitted(self)
        scores = self.scale_ * self.decision_function(X)
        scores = np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores
        return np.asarray(torch.softmax(torch.from_numpy(scores), 1))

    def _check(self, columns: TableCall, y: Array) -> None:
        """Refuse scores that are none, or not as many as classes."""
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs samples of 2 classes, but y has 1 class: {self.classes_[0]!r}")
        name = columns.network.program.name
        if any(type.kind is not Kind.REAL for type in columns.types):
            raise ValueError(f"{name}() must return scores: real numbers, not decisions or complex numbers")
        if columns.count <= 2 < len(self.classes_):
            raise ValueError(f"Only binary classification is supported. The type of the target is {type_of_target(y)}.")
        if columns.count > 1 and columns.count != len(self.classes_):
            raise ValueError(f"{name}() returns {columns.count} scores, but y has {len(self.classes_)} classes")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # a heuristic is for its own data
        tags.classifier_tags.multi_class = False  # unless the function has a score for each class
        return tags


def _best_scale(scores: Array, labels: Array, threshold: float) -> float:
    """The scale at which the cross-entropy of scores is lowest."""
    known = np.isfinite(scores).all(1)
    scores, labels = scores[known], labels[known]
    sizes = np.abs(scores - threshold) if scores.shape[1] == 1 else np.abs(scores - scores.mean(1, keepdims=True))
    usual = float(np.median(sizes[sizes > 0])) if bool((sizes > 0).any()) else 1.0
    output, target = torch.from_numpy(scores), torch.from_numpy(labels)

    def loss(exponent: float) -> float:
        return float(ScoreLoss(float(np.exp(exponent)) / usual, threshold)(output, target).mean())

    widest = float(np.log(WIDEST))
    return float(np.exp(minimize_scalar(loss, bounds=(-widest, widest), method="bounded").x)) / usual
