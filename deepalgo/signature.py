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

from deepalgo.errors import InputError
from deepalgo.fingerprint import Fingerprint
from deepalgo.ir import Input, Kind, Leaf, Mapping, Sequence, Slot, Static, Tree, Type
from deepalgo.ir.paths import parse_path
from deepalgo.ops.by_numpy import DTYPES

if TYPE_CHECKING:
    import torch

Array = np.ndarray[Any, Any]


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
        found = [(path, _tensor(path, item, leaf.value.type, dtype, device), leaf.value.type)
                 for path, leaf, item in self._found(args, kwargs)]
        size = _batch_size([(path, tuple(tensor.shape), type) for path, tensor, type in found])
        return [tensor if tensor.ndim > len(type.shape) else tensor.expand(1 if size is None else size, *type.shape)
                for _, tensor, type in found], size is None

    def arrays(self, args: collections.abc.Sequence[Any], kwargs: collections.abc.Mapping[str, Any]) -> tuple[list[Array], bool]:
        """The same as arrays of NumPy."""
        found = [(path, _array(path, item, leaf.value.type), leaf.value.type) for path, leaf, item in self._found(args, kwargs)]
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
                raise InputError(f"'{path}' was compiled as a {tree.kind} of {len(items)} items, not {_describe(given)}")
            return [row for number, item in enumerate(items) for row in _match(item, given[number], f"{path}[{number}]")]
        case Mapping(keys=keys, items=items):
            if not isinstance(given, dict) or set(given) != set(keys):
                raise InputError(f"'{path}' was compiled as a dict with the keys {list(keys)}, not {_describe(given)}")
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
            f"'{path}' is fixed: it was {_describe(item)} when the function was compiled and is {_describe(given)} now. "
            "Compile once for each value."
        )


def _describe(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"an array of shape {tuple(shape)}"
    text = repr(value)
    return text if len(text) <= 40 else f"a {type(value).__name__}"


def _tensor(path: str, value: Any, type_: Type, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    import torch

    kinds = {Kind.BOOL: torch.bool, Kind.INT: torch.int64, Kind.REAL: dtype, Kind.COMPLEX: torch.complex128}
    wanted = kinds[type_.kind]
    try:
        tensor = value if isinstance(value, torch.Tensor) else torch.as_tensor(np.asarray(value))
    except (TypeError, ValueError, RuntimeError):
        raise InputError(f"'{path}' must be numbers, not {_describe(value)}") from None
    if tensor.dtype is torch.bool and wanted is not torch.bool or tensor.is_complex() and not wanted.is_complex:
        raise InputError(f"'{path}' must be real numbers, not {str(tensor.dtype).removeprefix('torch.')}")
    return tensor.to(device=device, dtype=wanted)


def _array(path: str, value: Any, type_: Type) -> Array:
    found = np.asarray(value)
    if found.dtype.kind not in "biufc":
        raise InputError(f"'{path}' must be numbers, not {_describe(value)}")
    if found.dtype.kind == "b" and type_.kind is not Kind.BOOL or found.dtype.kind == "c" and type_.kind is not Kind.COMPLEX:
        raise InputError(f"'{path}' must be real numbers, not {found.dtype}")
    return found.astype(DTYPES[type_.kind], copy=False)


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
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"'{path}' {size}" for path, size in sizes.items())
        raise InputError(f"the inputs have batches of different sizes: {listed}")
    return next(iter(sizes.values()), None)


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of anything that can be called."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def is_input(value: Any) -> bool:
    """Whether a value of an example call is something that data will replace."""
    if isinstance(value, (float, complex)) and not isinstance(value, bool):
        return True
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc"
