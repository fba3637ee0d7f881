"""Linear operators that a scalar can grow into. Each is the scalar times the identity at birth.

A structure says which weights it needs for an operand of a given shape, and how they act on it. It acts on the last axis, a
`BlockToeplitz` on the last two; a scalar in front may have axes of its own (a row for every round), which its weights inherit.

>>> Toeplitz(3).weights(torch.tensor(2.0), (5,), "k")
{'': tensor([0., 2., 0.])}
>>> LowRank(1).weights(torch.tensor(2.0), (2,), "k").keys()
dict_keys(['', 'left', 'right'])
"""

from __future__ import annotations

import abc
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

from deepalgo.errors import TensorizeError
from deepalgo.ir import Attr, Value
from deepalgo.ir.rewriter import Rewriter
from deepalgo.tensorize.grow import Grower


class Structure(abc.ABC):
    """A family of linear operators."""

    #: How many axes the operand must have at least.
    rank = 1

    @abc.abstractmethod
    def weights(self, scale: Tensor, shape: tuple[int, ...], seed: str) -> dict[str, Tensor]:
        """The weights by name, the main one without a name, with which the operator is `scale` times the identity."""

    @abc.abstractmethod
    def act(self, build: Grower, weights: Mapping[str, Value], x: Value) -> Value:
        """Append the operations that apply the operator to a value."""

    @property
    def name(self) -> str:
        """What its weights are called."""
        return type(self).__name__.lower()

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse an operand that the structure does not fit."""
        if len(shape) < self.rank:
            axes = "a vector" if self.rank == 1 else f"an array with {self.rank} axes"
            way = "for a vector there is Toeplitz()" if shape else "for a number there is Scalar()"
            raise TensorizeError(f"{type(self).__name__} needs {axes}, and this is {_describe(shape)}; {way}")


@dataclass(frozen=True)
class Scalar(Structure):
    """One factor."""

    rank = 0

    def weights(self, scale: Tensor, shape: tuple[int, ...], seed: str) -> dict[str, Tensor]:
        return {"": scale.clone()}

    def act(self, build: Grower, weights: Mapping[str, Value], x: Value) -> Value:
        return build.times(weights[""], x)


@dataclass(frozen=True)
class Diagonal(Structure):
    """A factor for every item."""

    def weights(self, scale: Tensor, shape: tuple[int, ...], seed: str) -> dict[str, Tensor]:
        return {"": scale[..., None] * torch.ones(shape[-1], dtype=scale.dtype)}

    def act(self, build: Grower, weights: Mapping[str, Value], x: Value) -> Value:
        return build.times(weights[""], x)


@dataclass(frozen=True)
class Dense(Structure):
    """A full matrix."""

    def weights(self, scale: Tensor, shape: tuple[int, ...], seed: str) -> dict[str, Tensor]:
        return {"": scale[..., None, None] * torch.eye(shape[-1], dtype=scale.dtype)}

    def act(self, build: Grower, weights: Mapping[str, Value], x: Value) -> Value:
        return multiply(build, weights[""], x)


@dataclass(frozen=True)
class Toeplitz(Structure):
    """A convolution along the last axis with a kernel of so many taps and zeros beyond the ends: a delta at birth."""

    taps: int = 3

    def __post_init__(self) -> None:
        _check_taps(self.taps)

    def weights(self, scale: Tensor, shape: tuple[int, ...], seed: str) -> dict[str, Tensor]:
        return {"": scale[..., None] * _delta((self.taps,), scale.dtype)}

    def act(self, build: Grower, weights: Mapping[str, Value], x: Value) -> Value:
        return correlate(build, weights[""], x, (self.taps,))


@dataclass(frozen=True)
class BlockToeplitz(Structure):
    """A convolution along the last two axes: a Toeplitz matrix of Toeplitz blocks."""

    taps: tuple[int, int] = (3, 3)
    rank = 2

    def __post_init__(self) -> None:
        for taps in self.taps:
            _check_taps(taps)

    def weights(self, scale: Tensor, shape: tuple[int, ...], seed: str) -> dict[str, Tensor]:
        return {"": scale[..., None, None] * _delta(self.taps, scale.dtype)}

    def act(self, build: Grower, weights: Mapping[str, Value], x: Value) -> Value:
        return correlate(build, weights[""], x, self.taps)


@dataclass(frozen=True)
class LowRank(Structure):
    """The scalar plus a matrix of low rank, `left @ right`; `left` is zero at birth, `right` has orthonormal rows."""

    r: int = 1

    def weights(self, scale: Tensor, shape: tuple[int, ...], seed: str) -> dict[str, Tensor]:
        size = shape[-1]
        if not 1 <= self.r <= size:
            raise TensorizeError(f"LowRank({self.r}) does not fit vectors of {size} items")
        right = torch.linalg.qr(noise((size, self.r), seed)).Q.T
        lead = scale.shape
        left = torch.zeros(*lead, size, self.r, dtype=scale.dtype)
        return {"": scale.clone(), "left": left, "right": right.to(scale.dtype).expand(*lead, self.r, size).contiguous()}

    def act(self, build: Grower, weights: Mapping[str, Value], x: Value) -> Value:
        change = multiply(build, weights["left"], multiply(build, weights["right"], x))
        return build.total(build.times(weights[""], x), change)


def rates(count: int) -> list[float]:
    """How fast each of several copies learns: all of them differently, so that no optimiser keeps them equal.

    >>> rates(4)
    [1.0, 0.75, 0.5, 0.25]
    """
    return [1.0 - number / count for number in range(count)]


class Product(Structure):
    """Operators applied one after the other: the given ones, or one of them so many times.

    From the second on, a factor `A` acts as `(1 - rate) + rate * A` with a fixed rate of its own, which tells equal ones apart.

    >>> Product(Toeplitz(3), 2).factors
    (Toeplitz(taps=3), Toeplitz(taps=3))
    """

    def __init__(self, *factors: Structure | int) -> None:
        if len(factors) == 2 and isinstance(factors[0], Structure) and isinstance(factors[1], int):
            factors = (factors[0],) * factors[1]
        self.factors = tuple(factor for factor in factors if isinstance(factor, Structure))
        if not self.factors or len(self.factors) != len(factors):
            raise TensorizeError("Product takes structures, e.g. Product(Toeplitz(3), 2) or Product(Dense(), Diagonal())")
        self.rank = max(factor.rank for factor in self.factors)

    def weights(self, scale: Tensor, shape: tuple[int, ...], seed: str) -> dict[str, Tensor]:
        found: dict[str, Tensor] = {}
        for number, factor in enumerate(self.factors):
            part = factor.weights(scale if number == 0 else torch.ones_like(scale), shape, f"{seed}{number}")
            found |= {_numbered(number, name): value for name, value in part.items()}
        return found

    def act(self, build: Grower, weights: Mapping[str, Value], x: Value) -> Value:
        for number, (factor, rate) in enumerate(zip(self.factors, rates(len(self.factors)), strict=True)):
            own = {name: weights[_numbered(number, name)] for name in factor.weights(torch.ones(()), x.type.shape, "")}
            y = factor.act(build, own, x)
            x = y if number == 0 else build.total(build.product(build.const(1.0 - rate), x), build.product(build.const(rate), y))
        return x

    def __repr__(self) -> str:
        return f"Product({', '.join(map(repr, self.factors))})"


def _numbered(number: int, name: str) -> str:
    return name if number == 0 else f"{number + 1}{name and '_' + name}"


def finite(build: Rewriter, x: Value) -> Value:
    """The value with zeros where it is not finite: times a weight of zero, infinity would be no number."""
    return build.where(build.is_finite(x), x, build.const(0.0))


def multiply(build: Rewriter, matrix: Value, x: Value) -> Value:
    """`matrix @ x` for a vector, and for each of the vectors along the last axis of an array."""
    if len(x.type.shape) == 1:
        return build.matrix_product(matrix, x)
    return build.matrix_product(x, build.add("permute", matrix, attrs=(("axes", (1, 0)),)))


def correlate(build: Rewriter, kernel: Value, x: Value, taps: tuple[int, ...]) -> Value:
    """Each item becomes the sum of its neighbours times the kernel; beyond the ends there are zeros."""
    sizes = x.type.shape[-len(taps) :]
    for axis, count in enumerate(taps):
        x = _pad(build, x, axis - len(taps), count // 2)
    total = None
    for offsets in product(*map(range, taps)):
        key: tuple[Attr, ...] = ("...", *(("slice", offset, offset + size, None) for offset, size in zip(offsets, sizes, strict=True)))
        term = build.product(build.sliced(kernel, offsets), build.sliced(x, key))
        total = term if total is None else build.total(total, term)
    assert total is not None
    return total


def _pad(build: Rewriter, x: Value, axis: int, width: int) -> Value:
    if width == 0:
        return x
    shape = list(x.type.shape)
    shape[axis] = width
    zeros = build.repeated(build.const(0.0), tuple(shape))
    return build.concatenated(zeros, x, zeros, axis=axis % len(shape))


def _delta(taps: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    kernel = torch.zeros(taps, dtype=dtype)
    kernel[tuple(count // 2 for count in taps)] = 1.0
    return kernel


def _check_taps(taps: int) -> None:
    if taps < 1 or taps % 2 == 0:
        raise TensorizeError(f"a kernel has an odd number of taps, so that it has a middle, not {taps}")


def noise(shape: tuple[int, ...], seed: str) -> Tensor:
    """Numbers that look random and are the same for the same seed."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(zlib.crc32(seed.encode())), dtype=torch.float64)


def _describe(shape: tuple[int, ...]) -> str:
    return f"an array of shape {shape}" if shape else "a number"
