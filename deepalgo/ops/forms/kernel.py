"""`kernel`: an elementwise function that looks at its numbers to know when to stop, as one opaque operation of torch.

A loop that ends by data breaks a compiled graph and cannot run under `vmap`; as an operation of its own it can do both.

>>> @kernel("doubled_till_large", "Tensor x")
... def doubled_till_large(x):
...     while bool((x < 10).any()):
...         x = torch.where(x < 10, 2 * x, x)
...     return x.clone()
>>> doubled_till_large(torch.tensor([3.0, 11.0]))
tensor([12., 11.])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


def kernel(name: str, *parameters: str) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """Make an operation of a function of tensors of one shape, and of numbers; the result has that shape too."""

    def make(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        schema = f"({', '.join(parameters)}) -> Tensor"
        op: Any = torch.library.custom_op(f"deepalgo::{name}", function, mutates_args=(), schema=schema)
        op.register_fake(lambda *args: torch.empty_like(args[0]))
        op.register_vmap(lambda info, in_dims, *args: (op(*lead(info.batch_size, in_dims, args)), 0))
        made: Callable[..., Tensor] = op
        return made

    return make


def lead(size: int, in_dims: Sequence[int | None], args: Sequence[Any]) -> list[Any]:
    """The arguments with the mapped axis in front, of all tensors alike."""
    pairs = zip(args, in_dims, strict=True)
    return [
        arg if not isinstance(arg, Tensor) else arg.expand(size, *arg.shape) if dim is None else arg.movedim(dim, 0) for arg, dim in pairs
    ]
