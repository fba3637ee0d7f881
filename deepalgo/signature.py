"""How a network is called: the heuristic's own signature, batched.

`Signature` is made from one example call. It says which floats are inputs, checks what is static, and turns the arguments of a
later call into one tensor for every input.
"""

from __future__ import annotations

import collections.abc
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from deepalgo.arguments import Array, as_array, as_tensor, describe
from deepalgo.errors import InputError
from deepalgo.fingerprint import Fingerprint
from deepalgo.ir import Input, Leaf, Mapping, Sequence, Slot, Static, Tree, Type
from deepalgo.ir.paths import parse_path

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter: its structure, with leaves where inputs are."""

    name: str
    tree: Tree


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters that an example call fixed; the others keep their defaults.

    `star` and `double_star` are the names of `*args` and `**kwargs` parameters.
    """

    function: str
    order: tuple[str, ...]  # names that may be given by position
    arguments: tuple[Argument, ...]
    defaults: tuple[str, ...]  # parameters that were left at their default
    star: str | None = None
    double_star: str | None = None
    numpy: frozenset[str] = frozenset()  # inputs that are NumPy numbers, which follow other rules than Python's

    def inputs(self) -> tuple[Input, ...]:
        """The inputs in program order."""
        return tuple(Input(path, leaf.value) for argument in self.arguments for path, leaf in _leaves(argument.tree, argument.name))

    @property
    def is_flat(self) -> bool:
        """Whether the arguments, by position, are the inputs in their order."""
        names = [argument.name for argument in self.arguments]
        return not self.star and names == list(self.order[: len(names)]) and all(isinstance(item.tree, Slot) for item in self.arguments)

    def flatten(
        self, args: collections.abc.Sequence[Any], kwargs: collections.abc.Mapping[str, Any], dtype: torch.dtype, device: torch.device
    ) -> tuple[list[torch.Tensor], bool]:
        """One tensor `(batch, *shape)` for every input, and whether the call was about a single sample."""
        found = [(path, as_tensor(path, item, leaf.value.type.kind, dtype, device), leaf.value.type)
                 for path, leaf, item in self._found(args, kwargs)]
        size = _batch_size([(path, tuple(tensor.shape), type) for path, tensor, type in found])
        return [tensor if tensor.ndim > len(type.shape) else tensor.expand(1 if size is None else size, *type.shape)
                for _, tensor, type in found], size is None

    def arrays(self, args: collections.abc.Sequence[Any], kwargs: collections.abc.Mapping[str, Any]) -> tuple[list[Array], bool]:
        """The same as arrays of NumPy."""
        found = [(path, as_array(path, item, leaf.value.type.kind), leaf.value.type) for path, leaf, item in self._found(args, kwargs)]
        size = _batch_size([(path, array.shape, type) for path, array, type in found])
        return [array if array.ndim > len(type.shape) else np.broadcast_to(array, (1 if size is None else size, *type.shape))
                for _, array, type in found], size is None

    def _found(self, args: collections.abc.Sequence[Any], kwargs: collections.abc.Mapping[str, Any]) -> list[tuple[str, Slot, Any]]:
        """What a call gives for each input."""
        given = self._bind(args, kwargs)
        found: list[tuple[str, Slot, Any]] = []
        for argument in self.arguments:
            if argument.name not in given:
                raise InputError(f"{self.function}() needs the argument '{argument.name}'")
            found += _match(argument.tree, given[argument.name], argument.name)
        for name in self.defaults:
            if name in given:
                raise InputError(
                    f"{self.function}() was compiled with the default of '{name}', which is a weight or fixed configuration. "
                    f"To pass '{name}', compile with inputs=('{name}',) or give it in example=."
                )
        return found

    def write_back(
        self, args: collections.abc.Sequence[Any], kwargs: collections.abc.Mapping[str, Any], changed: collections.abc.Mapping[str, Any]
    ) -> None:
        """Leave in the caller's lists and NumPy arrays what the heuristic would leave in them; tensors are never written to."""
        given = self._bind(args, kwargs)
        for path, value in changed.items():
            name, *keys = _steps(path)
            holder, key = given, name
            for step in keys:
                holder, key = holder[key], step
            if isinstance(holder[key], np.ndarray):
                holder[key][...] = value if isinstance(value, np.ndarray) else value.detach().cpu().numpy()
            elif isinstance(holder, (list, dict)) and holder is not given:
                holder[key] = value

    def held(self, args: collections.abc.Sequence[Any], kwargs: collections.abc.Mapping[str, Any], path: str) -> Any:
        """What the arguments of a call hold at a path."""
        found: Any = self._bind(args, kwargs)
        for step in _steps(path):
            found = found[step]
        return found

    def _bind(self, args: collections.abc.Sequence[Any], kwargs: collections.abc.Mapping[str, Any]) -> dict[str, Any]:
        if len(args) > len(self.order) and self.star is None:
            raise InputError(f"{self.function}() takes {len(self.order)} positional arguments but {len(args)} were given")
        given = dict(zip(self.order, args, strict=False))
        if self.star is not None:
            given[self.star] = args[len(self.order) :]
        known = {argument.name for argument in self.arguments} | set(self.defaults) | set(self.order)
        others: dict[str, Any] = {}
        for name, value in kwargs.items():
            if name in given:
                raise InputError(f"{self.function}() got two values for the argument '{name}'")
            if name in known:
                given[name] = value
            elif self.double_star is not None:
                others[name] = value
            else:
                raise InputError(f"{self.function}() has no argument '{name}'; it has {', '.join(sorted(known))}")
        if self.double_star is not None:
            given[self.double_star] = others
        return given


def _leaves(tree: Tree, path: str) -> Iterator[tuple[str, Slot]]:
    match tree:
        case Slot():
            yield path, tree
        case Sequence(items=items):
            for number, item in enumerate(items):
                yield from _leaves(item, f"{path}[{number}]")
        case Mapping(keys=keys, items=items):
            for key, item in zip(keys, items, strict=True):
                yield from _leaves(item, f"{path}[{key!r}]")
        case Static():
            return


def _steps(path: str) -> list[Any]:
    """`points[0]['x']` as its name and its keys."""
    name, keys = parse_path(path)
    return [name, *keys]


def _match(tree: Tree, given: Any, path: str) -> list[tuple[str, Slot, Any]]:
    """Lay the arguments of a call beside the structure that was compiled."""
    match tree:
        case Slot():
            return [(path, tree, given)]
        case Static(item=item):
            _check_static(path, item, given)
            return []
        case Sequence(items=items):
            if not isinstance(given, (list, tuple)) or len(given) != len(items):
                raise InputError(f"'{path}' was compiled as a {tree.kind} of {len(items)} items, not {describe(given)}")
            return [row for number, item in enumerate(items) for row in _match(item, given[number], f"{path}[{number}]")]
        case Mapping(keys=keys, items=items):
            if not isinstance(given, dict) or set(given) != set(keys):
                raise InputError(f"'{path}' was compiled as a dict with the keys {list(keys)}, not {describe(given)}")
            return [row for key, item in zip(keys, items, strict=True) for row in _match(item, given[key], f"{path}[{key!r}]")]
        case Leaf():
            raise AssertionError("an argument holds no results")
        case _:
            assert_never(tree)


def _check_static(path: str, item: Any, given: Any) -> None:
    same = given is item or isinstance(item, Fingerprint) and item.fits(given)
    if not same:
        try:
            same = type(given) is type(item) and bool(np.all(given == item))
        except Exception:  # noqa: BLE001 - objects that cannot be compared are other objects
            same = False
    if not same:
        raise InputError(
            f"'{path}' is fixed: it was {describe(item)} when the function was compiled and is {describe(given)} now. "
            "Compile once for each value."
        )


def _batch_size(items: list[tuple[str, tuple[int, ...], Type]]) -> int | None:
    """How many samples arrays of these shapes hold, or None if each of them is about a single one."""
    sizes: dict[str, int] = {}
    for path, shape, type_ in items:
        rank = len(type_.shape)
        if shape[len(shape) - rank :] != type_.shape or len(shape) not in (rank, rank + 1):
            per_sample = f"{type_.shape}" if type_.shape else "a number"
            batched = f"(batch, {', '.join(map(str, type_.shape))})" if type_.shape else "(batch,)"
            raise InputError(f"'{path}' must have the shape {batched} or be {per_sample}, not {shape}")
        if len(shape) == rank + 1:
            sizes[path] = shape[0]
    first = next(iter(sizes.values()), None)
    if any(size != first for size in sizes.values()):  # compared, as the sizes of a graph that is being made can be nothing else
        listed = ", ".join(f"'{path}' {size}" for path, size in sizes.items())
        raise InputError(f"the inputs have batches of different sizes: {listed}")
    return first


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of anything that can be called."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def with_signature(call: Callable[..., Any], inputs: Any, function: Callable[..., Any] | None) -> Callable[..., Any]:
    """A function that does what `call` does and shows the heuristic's own signature, by which tools name its inputs."""

    def forward(*args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    if isinstance(inputs, Signature):
        shown = parameters_of(function) if function is not None else {}
        parameters = [shown[name].replace(annotation=inspect.Parameter.empty) for name in shown] or _parameters(inputs)
    else:
        parameters = [inspect.Parameter(item.path, inspect.Parameter.POSITIONAL_OR_KEYWORD) for item in inputs.inputs
                      if item.path.isidentifier()]
    forward.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # inspect reads it
    return forward


def _parameters(signature: Signature) -> list[inspect.Parameter]:
    """What is known of the parameters of a function that is not there: the values of defaults are not."""
    kinds = inspect.Parameter
    defaults = dict.fromkeys(signature.defaults, ...)
    stars = (signature.star, signature.double_star)
    names = [*(argument.name for argument in signature.arguments), *defaults]
    first = next((place for place, name in enumerate(signature.order) if name in defaults), len(signature.order))
    defaults |= dict.fromkeys(signature.order[first:], ...)  # behind a default Python has only defaults
    only_named = [name for name in names if name not in signature.order and name not in stars]
    return [
        *(inspect.Parameter(name, kinds.POSITIONAL_OR_KEYWORD, default=defaults.get(name, kinds.empty)) for name in signature.order),
        *(inspect.Parameter(name, kinds.VAR_POSITIONAL) for name in stars[:1] if name is not None),
        *(inspect.Parameter(name, kinds.KEYWORD_ONLY, default=defaults.get(name, kinds.empty)) for name in only_named),
        *(inspect.Parameter(name, kinds.VAR_KEYWORD) for name in stars[1:] if name is not None),
    ]


def is_input(value: Any) -> bool:
    """Whether a value of an example call is something that data will replace."""
    if isinstance(value, (float, complex)) and not isinstance(value, bool):
        return True
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc"
