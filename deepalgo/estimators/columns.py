"""How the columns of a table become the arguments of a heuristic, which is compiled for it.

>>> def friction(reynolds, roughness):
...     return 64.0 / reynolds + 0.1 * roughness
>>> columns = TableCall.of(friction, np.zeros((5, 2)), ["roughness", "reynolds"], "HeuristicRegressor")
>>> columns.arguments(np.array([[1.0, 2.0]]))
{'reynolds': array([2.]), 'roughness': array([1.])}
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from deepalgo.compiler import compile
from deepalgo.errors import CompileError
from deepalgo.ir import Type, leaves
from deepalgo.ir.rebuild import rebuild
from deepalgo.network import Network
from deepalgo.signature import parameters_of

Array = npt.NDArray[Any]
Arguments = tuple[Array, ...] | dict[str, Array]


@dataclass(frozen=True)
class TableCall:
    """A network, and which columns each of its arguments takes: by name, by position, or all of them as one array."""

    network: Network
    names: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    is_one_array: bool = False

    @staticmethod
    def of(function: Callable[..., Any], X: Array, features: Sequence[str] | None, estimator: str) -> TableCall:  # noqa: N803
        """Compile a function for the rows of a table. `features` are the names of its columns, if they have any."""
        if isinstance(function, Network):
            return _of_network(function, X, features, estimator)
        parameters = parameters_of(function).values()
        star = any(item.kind is inspect.Parameter.VAR_POSITIONAL for item in parameters)
        needed = [item for item in parameters if item.default is item.empty and item.kind not in (item.VAR_POSITIONAL, item.VAR_KEYWORD)]
        names = tuple(item.name for item in needed)
        if star and not names:
            return TableCall(compile(function, example=(tuple(map(float, X[0])), {})), order=tuple(range(X.shape[1])))
        if len(names) == 1:
            return _of_one(function, names[0], X, estimator)
        if len(names) != X.shape[1]:
            raise ValueError(wrong_number(X.shape[1], estimator, len(names)))
        return TableCall(compile(function), names, _places(names, features))

    def arguments(self, X: Array) -> Arguments:  # noqa: N803
        """The arguments of a batch, as a fit takes them."""
        if self.is_one_array:
            return (X.copy(),)  # which torch may write to
        columns = [X[:, place].copy() for place in self.order]
        return dict(zip(self.names, columns, strict=True)) if self.names else tuple(columns)

    def answers(self, network: Network, X: Array) -> Array:  # noqa: N803
        """What a network answers to a table: `(samples, numbers)`."""
        given = self.arguments(X)
        args, kwargs = ((), given) if isinstance(given, dict) else (given, {})
        with torch.no_grad():
            found = network.signature.flatten(args, kwargs, network.dtype, network.device)[0]
            results = network.execute(found)[: len(self._shapes)]
        return np.concatenate([result.reshape(len(X), -1).double().numpy() for result in results], 1)

    def in_structure(self, y: Tensor) -> Any:
        """Numbers `(samples, numbers)` in the structure that the heuristic returns."""
        parts = torch.split(y, [math.prod(shape) for shape in self._shapes], 1)
        return rebuild(self.network.program.output, [part.reshape(len(y), *shape) for part, shape in zip(parts, self._shapes, strict=True)])

    @property
    def count(self) -> int:
        """How many numbers the heuristic returns."""
        return sum(map(math.prod, self._shapes))

    @property
    def types(self) -> list[Type]:
        """The types of what the heuristic returns, in reading order."""
        program = self.network.program
        return [value.type for value, _ in zip(program.body.results, leaves(program.output), strict=False)]

    @property
    def _shapes(self) -> list[tuple[int, ...]]:
        return [type.shape for type in self.types]


def wrong_number(found: int, estimator: str, wanted: int) -> str:
    """What scikit-learn says of a table with too many or too few columns."""
    return f"X has {found} features, but {estimator} is expecting {wanted} features as input."


def _of_one(function: Callable[..., Any], name: str, X: Array, estimator: str) -> TableCall:  # noqa: N803
    """A function of one argument, which is a number where there is one column and the function takes one, else the row."""
    width = X.shape[1]
    number = TableCall(found, (name,), (0,)) if (found := _compiled(function)) is not None else None
    if width == 1 and number is not None:
        return number
    try:
        row = TableCall(compile(function, example=((X[0],), {})), is_one_array=True)
    except CompileError:
        if number is None:
            raise
        raise ValueError(wrong_number(width, estimator, 1)) from None
    if number is not None and row.count == width * number.count:  # each number of the row would be an answer of its own
        raise ValueError(wrong_number(width, estimator, 1))
    return row


def _compiled(function: Callable[..., Any]) -> Network | None:
    try:
        return compile(function)
    except CompileError:
        return None


def _of_network(network: Network, X: Array, features: Sequence[str] | None, estimator: str) -> TableCall:  # noqa: N803
    """A network that was compiled before: its inputs in their order, or the one array that it takes."""
    inputs = network.program.inputs
    shapes = [item.value.type.shape for item in inputs]
    if len(shapes) == 1 and len(shapes[0]) == 1:
        if shapes[0][0] != X.shape[1]:
            raise ValueError(wrong_number(X.shape[1], estimator, shapes[0][0]))
        return TableCall(network, is_one_array=True)
    if any(shapes) or not network.signature.is_flat:
        raise ValueError(f"{estimator} takes networks of numbers or of one array, not of {', '.join(item.path for item in inputs)}")
    if len(inputs) != X.shape[1]:
        raise ValueError(wrong_number(X.shape[1], estimator, len(inputs)))
    names = tuple(item.path for item in inputs)
    return TableCall(network, names, _places(names, features))


def _places(names: tuple[str, ...], features: Sequence[str] | None) -> tuple[int, ...]:
    """Which column each argument takes: by name where the columns have these names, by position where they have none of them."""
    if features is None or not set(names) & set(features):
        return tuple(range(len(names)))
    if missing := [name for name in names if name not in features]:
        raise ValueError(f"X has no column {', '.join(map(repr, missing))}; it has {', '.join(map(repr, features))}")
    return tuple(list(features).index(name) for name in names)
