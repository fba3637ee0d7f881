"""`HeuristicEstimator`: what regressor and classifier share, as scikit-learn knows estimators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator  # type: ignore[import-untyped]  # it carries no types
from sklearn.utils.validation import check_is_fitted, check_random_state, validate_data  # type: ignore[import-untyped]  # as above

from deepalgo.errors import InputError
from deepalgo.estimators.columns import TableCall
from deepalgo.fitting.fit import fit
from deepalgo.fitting.judge.objective import Loss
from deepalgo.fitting.options import USUAL, SearchOptions
from deepalgo.fitting.report.page import Fit
from deepalgo.network import Network
from deepalgo.patching.diff import Diff, diff
from deepalgo.source_code import source

Array = npt.NDArray[Any]


class HeuristicEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn carries no types
    """A heuristic whose constants are fitted by `fit`, with itself as the floor.

    `function` is a function of named numbers, of one array (the row), or a compiled network. A fitted one has `result_`, the `Fit`
    with its report, `network_`, `diff_`, the constants in the user's source, and `source_`, the function as text.
    """

    function: Callable[..., Any]
    train: str | Sequence[str] | None
    fixed: str | Sequence[str] | None
    bounds: Mapping[str, Any] | None
    rates: Mapping[str, float] | None
    validation: Any
    steps: int
    seconds: float | None
    search: SearchOptions | None
    random_state: Any
    result_: Fit

    @property
    def network_(self) -> Network:
        """The network that was kept."""
        check_is_fitted(self)
        return self.result_.network

    @property
    def diff_(self) -> Diff:
        """What the fit changes in the text of the function; `print` it."""
        return diff(self.network_)

    @property
    def source_(self) -> str:
        """The function with its constants, as the text of one that needs neither torch nor deepalgo."""
        return source(self.network_)

    def _compile(self, X: Array) -> TableCall:  # noqa: N803
        """The function for a table that was checked."""
        features = getattr(self, "feature_names_in_", None)
        return TableCall.of(self.function, X, None if features is None else list(features), type(self).__name__)

    def _train(self, columns: TableCall, X: Array, targets: Any, loss: Loss, groups: Any) -> None:  # noqa: N803
        """Fit the constants. What is to be held out for a test, scikit-learn holds out."""
        seed = self.random_state
        seed = seed if isinstance(seed, int) else int(check_random_state(seed).randint(2**31 - 1))
        asked = {"train": self.train, "fixed": self.fixed, "bounds": self.bounds, "rates": self.rates, "groups": groups}
        options: dict[str, Any] = {name: item for name, item in asked.items() if item is not None}
        try:
            self.result_ = fit(columns.network, columns.arguments(X), targets, loss=loss, validation=self.validation, test=None,
                               steps=self.steps, seconds=self.seconds, seed=seed, search=self.search or USUAL, progress=False, **options)
        except InputError as error:
            raise ValueError(str(error)) from error
        self._columns = columns

    def _answers(self, X: Any) -> Array:  # noqa: N803
        """What the fitted heuristic answers: `(samples, numbers)`."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self._columns.answers(self.network_, X)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "result_" in state:
            self.network_.function = self.function.function if isinstance(self.function, Network) else self.function
