"""`Floats`: the plainest way to call a network, one number or array for each input.

>>> from deepalgo.ir import parse
>>> floats = Floats(parse('''
... f(x: real, y: real)
...   return %x
... '''))
>>> floats.flatten((1.0,), {"y": [2.0, 3.0]}, torch.float64, torch.device("cpu"))
([tensor([1., 1.], dtype=torch.float64), tensor([2., 3.], dtype=torch.float64)], False)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from deepalgo.arguments import as_tensor
from deepalgo.errors import InputError
from deepalgo.ir import Input, Program


class Floats:
    """Arguments by position or by the path of an input, single or with a batch axis; single ones meet batches."""

    def __init__(self, program: Program) -> None:
        self.inputs = program.inputs
        self.name = program.name
        #: The arguments, by position, are the inputs in their order.
        self.is_flat = True

    def flatten(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], dtype: torch.dtype, device: torch.device
    ) -> tuple[list[Tensor], bool]:
        """Tensors with a batch axis in the order of the inputs, and whether the call was for a single sample."""
        given = self._assign(args, kwargs)
        tensors = [as_tensor(item.path, given[item.path], item.value.type.kind, dtype, device) for item in self.inputs]
        ranks = [len(item.value.type.shape) for item in self.inputs]
        sizes = {item.path: self._size(item, tensor) for item, tensor in zip(self.inputs, tensors, strict=True)}
        size = self._common({path: size for path, size in sizes.items() if size is not None})
        pairs = zip(tensors, ranks, strict=True)
        batched = [tensor if tensor.dim() > rank else tensor.expand(1 if size is None else size, *tensor.shape) for tensor, rank in pairs]
        return batched, size is None

    def write_back(self, args: Sequence[Any], kwargs: Mapping[str, Any], changed: dict[str, Tensor]) -> None:
        """Numbers cannot be changed by a call."""

    def _assign(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        paths = [item.path for item in self.inputs]
        if len(args) > len(paths):
            raise InputError(f"{self.name} takes {len(paths)} arguments ({', '.join(paths)}), {len(args)} were given")
        given = dict(zip(paths, args, strict=False))
        for path, value in kwargs.items():
            if path not in paths or path in given:
                raise InputError(f"{self.name} got {'two values for' if path in given else 'an unknown argument'} `{path}`")
            given[path] = value
        missing = [path for path in paths if path not in given]
        if missing:
            raise InputError(f"{self.name} also needs {', '.join(f'`{path}`' for path in missing)}")
        return given

    def _size(self, item: Input, tensor: Tensor) -> int | None:
        """The batch size that an argument brings, or None."""
        shape = item.value.type.shape
        found = tuple(tensor.shape)
        if found == shape:
            return None
        if len(found) != len(shape) + 1 or found[1:] != shape:
            batch = str(("batch", *shape)).replace("'", "")
            raise InputError(f"{self.name}: `{item.path}` has shape {found}, expected {shape} or {batch}")
        return found[0]

    def _common(self, sizes: Mapping[str, int]) -> int | None:
        first = next(iter(sizes.values()), None)
        if any(size != first for size in sizes.values()):
            each = ", ".join(f"`{path}` has {size}" for path, size in sizes.items())
            raise InputError(f"{self.name}: batches differ in length: {each}")
        return first
