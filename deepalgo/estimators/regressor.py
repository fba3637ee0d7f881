"""`HeuristicRegressor`: a heuristic that computes numbers, as a regressor of scikit-learn.

>>> from sklearn.model_selection import cross_val_score
>>> def cooling(t, room=20.0, heat=60.0):
...     return room + heat * 0.9 ** t
>>> t = np.linspace(0, 10, 200)[:, None]
>>> measured = 21.0 + 55.0 * 0.9 ** t[:, 0]
>>> regressor = HeuristicRegressor(cooling, steps=20).fit(t, measured)
>>> print(regressor.source_)
def cooling(t, room=21.0, heat=55.0):
    ...
    return room + heat * 0.9 ** t
>>> bool(cross_val_score(regressor, t, measured, cv=3).min() > 0.999)
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from sklearn.base import RegressorMixin  # type: ignore[import-untyped]  # it carries no types
from sklearn.utils.validation import column_or_1d, validate_data  # type: ignore[import-untyped]  # as above

from deepalgo.estimators.base import Array, HeuristicEstimator
from deepalgo.fitting.judge.objective import Loss
from deepalgo.fitting.options import SearchOptions


class HeuristicRegressor(RegressorMixin, HeuristicEstimator):  # type: ignore[misc]  # scikit-learn carries no types
    """A heuristic as a regressor: `fit` tunes its constants, `predict` runs it.

    `function` takes one number for each column, by the names of columns if they have those of its arguments, else in order; or one array,
    the row. It returns a number, or as many as `y` has columns. `train`, `fixed`, `bounds`, `rates`, `loss`, `validation`, `steps`,
    `seconds` and `search` are those of `da.fit`. `result_` has the report, `diff_` and `source_` the constants that were found.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        train: str | Sequence[str] | None = None,
        fixed: str | Sequence[str] | None = None,
        bounds: Mapping[str, Any] | None = None,
        rates: Mapping[str, float] | None = None,
        loss: Loss = "squared",
        validation: Any = "auto",
        steps: int = 500,
        seconds: float | None = None,
        search: SearchOptions | None = None,
        random_state: Any = 0,
    ) -> None:
        self.function = function
        self.train = train
        self.fixed = fixed
        self.bounds = bounds
        self.rates = rates
        self.loss = loss
        self.validation = validation
        self.steps = steps
        self.seconds = seconds
        self.search = search
        self.random_state = random_state

    def fit(self, X: Any, y: Any, groups: Any = None) -> HeuristicRegressor:  # noqa: N803  # scikit-learn's name
        """Compile the function for these columns and fit its constants. `groups` are held out whole, as `da.fit` does."""
        X, y = validate_data(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True)
        columns = self._compile(X)
        self._is_single = columns.count == 1 and (y.ndim == 1 or y.shape[1] == 1)
        y = column_or_1d(y, warn=True)[:, None] if self._is_single else y.reshape(len(y), -1)
        if y.shape[1] != columns.count:
            raise ValueError(f"y has {y.shape[1]} outputs, but {columns.network.program.name}() returns {columns.count} numbers")
        self._train(columns, X, columns.in_structure(torch.tensor(y, dtype=torch.float64)), self.loss, groups)
        return self

    def predict(self, X: Any) -> Array:  # noqa: N803  # scikit-learn's name
        """What the fitted heuristic returns."""
        found = self._answers(X)
        return found[:, 0] if self._is_single else found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # a heuristic is for its own data
        return tags
