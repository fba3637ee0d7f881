"""`Samples`: data as a network takes it, one tensor for every input, with the targets beside it.

>>> from deepalgo.compiler import compile
>>> def line(x):
...     return 2.0 * x + 1.0
>>> samples = read(compile(line), [1.0, 2.0, 3.0], targets=[3.1, 4.9, 7.0])
>>> len(samples), samples.pick(torch.tensor([2, 0])).targets.tolist()
(3, [7.0, 3.1])
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset, IterableDataset, default_collate

from deepalgo import ir
from deepalgo.certificate.arguments import plain_call, plain_values
from deepalgo.errors import InputError
from deepalgo.network import Network
from deepalgo.signature import Signature


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """One tensor `(samples, ...)` for every input of the program; `targets` is a tensor, or tensors in tuples and dicts, or None.

    `groups` are whole numbers that say which samples belong together, None where each stands for itself. Of one series, `times` are the
    places along its first axis that count. `weights` says how much each of what is judged counts; None where all count alike.
    """

    leaves: list[Tensor]
    targets: Any
    groups: Tensor | None = None
    times: Tensor | None = None
    weights: Tensor | None = None

    def __len__(self) -> int:
        return len(self.leaves[0])

    @property
    def size(self) -> int:
        """How many samples are judged: of a series its times."""
        return len(self) if self.times is None else len(self.times)

    def pick(self, index: Tensor) -> Samples:
        """Some of the samples."""
        leaves, targets = [leaf[index] for leaf in self.leaves], each(lambda tensor: tensor[index], self.targets)
        if self.times is not None:
            return replace(self, leaves=leaves, targets=targets)
        return Samples(leaves, targets, _picked(self.groups, index), None, _picked(self.weights, index))

    def part(self, index: Tensor) -> Samples:
        """Some of what is judged: of a series some times."""
        if self.times is None:
            return self.pick(index)
        return replace(self, groups=_picked(self.groups, index), times=self.times[index], weights=_picked(self.weights, index))


def joined(parts: Sequence[Samples]) -> Samples:
    """The samples of several parts of the same data, one after another."""
    first = parts[0]
    groups, times, weights = (_joined([getattr(part, name) for part in parts]) for name in ("groups", "times", "weights"))
    if times is not None:
        return Samples(first.leaves, first.targets, groups, times, weights)
    columns = zip(*(part.leaves for part in parts), strict=True)
    rows = iter(list(zip(*(list(tensors(part.targets)) for part in parts), strict=True)))
    return Samples([torch.cat(column) for column in columns], each(lambda _: torch.cat(next(rows)), first.targets), groups, None, weights)


def _picked(labels: Tensor | None, index: Tensor) -> Tensor | None:
    return None if labels is None else labels[index]


def _joined(labels: list[Tensor | None]) -> Tensor | None:
    found = [label for label in labels if label is not None]
    return torch.cat(found) if found else None


def each(function: Callable[[Tensor], Any], tree: Any) -> Any:
    """Apply a function to the tensors in tuples, lists and dicts."""
    if isinstance(tree, Mapping):
        return {key: each(function, item) for key, item in tree.items()}
    if isinstance(tree, (tuple, list)):
        return tuple(each(function, item) for item in tree)
    return None if tree is None else function(tree)


def tensors(tree: Any) -> Iterator[Tensor]:
    """The tensors in tuples, lists and dicts; what else stands there (a string, None) is passed over."""
    if isinstance(tree, Mapping):
        for item in tree.values():
            yield from tensors(item)
    elif isinstance(tree, (tuple, list)):
        for item in tree:
            yield from tensors(item)
    elif isinstance(tree, Tensor):
        yield tree


def read(net: Network, inputs: Any, targets: Any = None) -> Samples:
    """Bring inputs and targets into the network's form; what does not fit is named.

    `inputs`: a tuple is the arguments by position, a dict or a data frame the arguments by name, a `Dataset` gives `(inputs, target)`
    or inputs, anything else is the only argument. `targets`: numbers, the name of a column, or a function of the arguments.
    """
    if isinstance(inputs, Dataset):
        inputs, targets = _read_dataset(inputs, targets)
    if is_frame(inputs):
        inputs = {str(name): np.asarray(inputs[name]) for name in inputs.columns}
    if isinstance(targets, str):
        inputs, targets = _column(inputs, targets)
    args, kwargs = as_call(net, inputs)
    args, kwargs = tuple(map(_writable, args)), {name: _writable(item) for name, item in kwargs.items()}
    leaves, single = net.signature.flatten(args, kwargs, net.dtype, net.device)
    if not leaves:
        raise InputError(f"{net.program.name}() has no input that data could vary")
    leaves = [leaf.detach().clone() for leaf in leaves]
    if not single:
        return judge(net, leaves, targets)
    if not callable(targets):
        targets = each(lambda target: target[None], _as_tensors(targets, net.device))
    samples = judge(net, leaves, targets) if len(leaves[0]) == 1 else None
    if samples is None or samples.times is None:
        raise InputError("the inputs are a single sample: give every input a first axis that counts samples")
    return samples


def _times(samples: Samples) -> Tensor | None:
    """The times of the one series that a single sample is, if its targets are one."""
    lengths = {target.shape[1] if target.dim() > 1 else 1 for target in tensors(samples.targets)}
    return torch.arange(lengths.pop()) if len(samples) == 1 and len(lengths) == 1 and lengths != {1} else None


def judge(net: Network, leaves: list[Tensor], targets: Any) -> Samples:
    """Inputs with their targets, which may be a function of them."""
    if callable(targets):
        targets = evaluate(net, leaves, targets)
    samples = Samples(leaves, _as_tensors(targets, net.device))
    _check_length(samples)
    return Samples(samples.leaves, samples.targets, times=_times(samples))


def as_call(net: Network, inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments that `inputs` stands for."""
    if isinstance(inputs, tuple):
        return inputs, {}
    if isinstance(inputs, Mapping) and not _is_only_argument(net, inputs):
        return (), {str(name): item for name, item in inputs.items()}
    return (inputs,), {}


def arguments(net: Network, leaves: list[Tensor]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of the heuristic, batched, for a function that is called as the heuristic is."""
    if isinstance(net.signature, Signature):
        return plain_call(net.signature, leaves)
    return list(leaves), {}


def evaluate(net: Network, leaves: list[Tensor], reference: Callable[..., Any]) -> Any:
    """What a reference says of these inputs: all at once, or one by one where it takes plain numbers only."""
    args, kwargs = arguments(net, leaves)
    try:
        with torch.no_grad():
            return reference(*args, **kwargs)
    except (TypeError, ValueError, RuntimeError):
        return default_collate([_call_plainly(net, leaves, sample, reference) for sample in range(len(leaves[0]))])


def _call_plainly(net: Network, leaves: list[Tensor], sample: int, reference: Callable[..., Any]) -> Any:
    if not isinstance(net.signature, Signature):
        return reference(*(leaf[sample].item() for leaf in leaves))
    args, kwargs = plain_call(net.signature, plain_values(net.signature, leaves, sample))
    return reference(*args, **kwargs)


class Draw:
    """A function that draws fresh samples: `draw(count)` or `draw(count, generator)` gives inputs, or `(inputs, targets)`.

    Every draw has a seed of its own, so that a run that is resumed, or spread over processes, sees the same samples.
    """

    def __init__(self, net: Network, function: Callable[..., Any], targets: Any, seed: int) -> None:
        self.net = net
        self.function = function
        self.targets = targets
        self.seed = seed
        self.takes_generator = len(inspect.signature(function).parameters) > 1

    def __call__(self, count: int, stream: int, number: int) -> Samples:
        """So many samples, the draw `number` of a stream."""
        seed = mix(self.seed, stream, number)
        if self.takes_generator:
            drawn = self.function(count, torch.Generator().manual_seed(seed))
        else:
            with _seeded(seed):
                drawn = self.function(count)
        if self.targets is PAIRS:
            inputs, targets = drawn
            return read(self.net, inputs, targets)
        return read(self.net, drawn, self.targets)


#: A drawing function gives its targets itself.
PAIRS = object()


def mix(*numbers: int) -> int:
    """One seed from several numbers."""
    return int(np.random.SeedSequence(list(numbers)).generate_state(1, np.uint64)[0] >> np.uint64(2))


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed the global generators, and put them back afterwards."""
    plain, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002  # what the user's function may use
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002
        try:
            yield
        finally:
            random.setstate(plain)
            np.random.set_state(numpy)  # noqa: NPY002


def _read_dataset(dataset: Dataset[Any], targets: Any) -> tuple[Any, Any]:
    """All items of a data set, stacked; an item is `(inputs, target)` unless targets are given in another way."""
    items = list(dataset) if isinstance(dataset, IterableDataset) else [dataset[i] for i in range(len(dataset))]  # type: ignore[arg-type]  # sized by use
    if not items:
        raise InputError("the data set is empty")
    pairs = targets is None and isinstance(items[0], (tuple, list)) and len(items[0]) == 2
    found = default_collate([item[0] for item in items] if pairs else items)
    found = tuple(found) if isinstance(found, list) else found
    return (found, default_collate([item[1] for item in items])) if pairs else (found, targets)


def is_frame(inputs: Any) -> bool:
    """Whether these are columns, as of polars or pandas."""
    return hasattr(inputs, "columns") and hasattr(inputs, "__getitem__")


def _is_only_argument(net: Network, inputs: Mapping[Any, Any]) -> bool:
    """Whether a dict is itself the argument of a function of one argument."""
    known = net.signature.arguments if isinstance(net.signature, Signature) else ()
    return len(known) == 1 and known[0].name not in inputs and isinstance(known[0].tree, ir.Mapping)


def _column(inputs: Any, name: str) -> tuple[dict[str, Any], Any]:
    if not isinstance(inputs, Mapping):
        raise InputError(f"targets='{name}' names a column, but the inputs have none: give a dict or a data frame")
    if name not in inputs:
        raise InputError(f"there is no column '{name}'; there are {', '.join(map(str, inputs))}")
    return {key: item for key, item in inputs.items() if key != name}, inputs[name]


def _as_tensors(targets: Any, device: torch.device) -> Any:
    if targets is None:
        return None
    if isinstance(targets, Mapping):
        return {key: _as_tensors(item, device) for key, item in targets.items()}
    if isinstance(targets, tuple):
        return tuple(_as_tensors(item, device) for item in targets)
    if isinstance(targets, Tensor):
        return targets.detach().to(device)
    array = _writable(np.asarray(targets))
    if array.dtype.kind not in "biufc":
        raise InputError(f"the targets must be numbers, not {_kind(array)}")
    return torch.as_tensor(array, device=device)


def _writable(value: Any) -> Any:
    """An array that torch can share; of one that must not be written to, a copy."""
    return value.copy() if isinstance(value, np.ndarray) and not value.flags.writeable else value


def _kind(array: np.ndarray) -> str:
    first = array.reshape(-1)[0] if array.size else None
    return f"{type(first).__name__} ({first!r})" if array.dtype.kind in "OUS" else str(array.dtype)


def _check_length(samples: Samples) -> None:
    for target in tensors(samples.targets):
        if target.dim() == 0 or len(target) != len(samples):
            found = "a single number" if target.dim() == 0 else str(len(target))
            raise InputError(f"there are {len(samples)} samples of the inputs, but {found} of the targets")
