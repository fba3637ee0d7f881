"""`Objective`: the loss that training minimises, one number for every sample.

>>> from deepalgo.compiler import compile
>>> from deepalgo.fitting.data.samples import read
>>> def half(x):
...     return 0.5 * x
>>> net = compile(half)
>>> Objective(net, loss="squared").losses(net, read(net, [1.0, 2.0], targets=[1.0, 1.0])).tolist()
[0.25, 0.0]
"""

from __future__ import annotations

import copy
import functools
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import torch
from torch import Tensor

from deepalgo.errors import InputError
from deepalgo.fitting.data.samples import Samples, arguments, tensors
from deepalgo.fitting.judge.losses import named
from deepalgo.fitting.processes import Processes
from deepalgo.ir import leaves as output_leaves
from deepalgo.ir.rebuild import rebuild
from deepalgo.network import Network

Loss: TypeAlias = "str | Callable[..., Any] | None"

#: A loss of a whole batch is compared on so many parts of the data.
PARTS = 64


class Objective:
    """A loss on targets, a loss on a residual, or a cost of the outputs themselves.

    `loss` is one of `losses.py` by its name, a torch loss or any callable. Without targets and residual it is called as
    `loss(output, *arguments)`.
    """

    def __init__(self, net: Network, loss: Loss = None, residual: Callable[..., Any] | None = None, supervised: bool = True) -> None:
        self.named = named("squared" if loss is None else loss) if loss is None or isinstance(loss, str) else None
        if residual is not None and self.named is not None and (self.named.is_relative or self.named.name == "logistic"):
            raise InputError(f"a residual has no target that a loss='{self.named.name}' could refer to: use loss='squared'")
        if not supervised and residual is None and not callable(loss):
            raise InputError("there is nothing to learn from: give targets=, residual= or loss= as a function of the output")
        self.output = net.program.output
        self.count = sum(1 for _ in output_leaves(self.output))
        self.loss: str | Callable[..., Any] = self.named.name if self.named is not None else _per_sample(loss or "squared")
        self.residual = residual
        self.supervised = supervised
        self.whole = False  # whether the loss is one number for a batch

    @property
    def is_squares(self) -> bool:
        """Whether the loss is a mean of squares, so that its root is an error in the units of the output."""
        return self.named is not None and self.named.is_squares

    def outputs(self, net: Network, samples: Samples) -> Any:
        """What the network answers, in the structure of the heuristic."""
        return rebuild(self.output, net.execute(samples.leaves)[: self.count])

    def losses(self, net: Network, samples: Samples) -> Tensor:
        """The loss of every sample; of a loss for whole batches the one number, of the samples that have an answer."""
        results = net.execute(samples.leaves)[: self.count]
        if self.whole and not bool((answered := _answered(results)).all()):
            samples = samples.pick(answered)
            results = net.execute(samples.leaves)[: self.count]
        return self.apply(net, rebuild(self.output, results), samples)

    def measure(self, net: Network, samples: Samples) -> Tensor:
        """The losses without gradient, comparable sample by sample; of a loss for whole batches, part by part."""
        with torch.no_grad():
            if not self.whole:
                return self.losses(net, samples)
            results = net.execute(samples.leaves)[: self.count]
            parts = torch.arange(len(samples)).tensor_split(min(PARTS, len(samples)))
            return torch.cat([self._part([result[part] for result in results], net, samples.pick(part)) for part in parts])

    def _part(self, results: list[Tensor], net: Network, samples: Samples) -> Tensor:
        """The loss of a whole part; NaN where no sample of it has an answer."""
        answered = _answered(results)
        if not bool(answered.any()):
            return torch.full((1,), torch.nan, dtype=net.dtype)
        return self.apply(net, rebuild(self.output, [result[answered] for result in results]), samples.pick(answered))

    def errors(self, net: Network, output: Any, samples: Samples) -> tuple[Tensor, Tensor]:
        """`(samples, m)` errors of which a named loss is the sum, each times one of the `m` factors, which are the second."""
        columns = [self._columns(*pair) for pair in self._pairs(output, net, samples)]
        factors = [torch.full((column.shape[1],), factor, dtype=column.dtype) for column, factor in columns]
        return torch.cat([column for column, _ in columns], 1), torch.cat(factors)

    def _columns(self, output: Tensor, target: Tensor) -> tuple[Tensor, float]:
        """The errors of an output, real numbers in a row for each sample, and the factor of each."""
        assert self.named is not None
        errors = _rows(self.named.errors(output, target))
        factor = 1 / errors.shape[1]
        if errors.is_complex():
            errors = torch.cat([errors.real, errors.imag], 1) if self.named.is_squares else errors.abs()
        return errors, factor

    def squares(self, net: Network, output: Any, samples: Samples) -> Tensor:
        """`(samples, m)` numbers, the sum of whose squares is the loss of a sample, where the loss is of this kind."""
        errors, factors = self.errors(net, output, samples)
        return errors * factors.sqrt()

    def probe(self, net: Network, samples: Samples) -> None:
        """Try the loss on a few samples and say what is wrong with it before training starts."""
        few = samples.pick(torch.arange(min(3, len(samples))))
        with torch.no_grad():
            value = self.apply(net, self.outputs(net, few), few)
        self.whole = value.dim() == 0 or (len(value) == 1 and len(few) > 1)

    def apply(self, net: Network, output: Any, samples: Samples) -> Tensor:
        if self.supervised or self.residual is not None:
            if self.named is not None:
                errors, factors = self.errors(net, output, samples)
                if self.named.is_whole:
                    return self.named.value(errors).max().reshape(1)
                return (self.named.value(errors) * factors).sum(1)
            if self.residual is not None:
                pairs = self._pairs(output, net, samples)
                return sum((_mean(self._loss(*pair), len(samples)) for pair in pairs), torch.zeros(()))
            value = self._loss(output, samples.targets)
        else:
            args, kwargs = arguments(net, samples.leaves)
            value = self._loss(output, *args, **kwargs)
        if not isinstance(value, Tensor):
            raise InputError(f"the loss must give a tensor, not {type(value).__name__}")
        return _mean(value, len(samples))

    def _loss(self, *args: Any, **kwargs: Any) -> Any:
        assert callable(self.loss)
        return self.loss(*args, **kwargs)

    def _pairs(self, output: Any, net: Network, samples: Samples) -> list[tuple[Tensor, Tensor]]:
        """Numbers and what they should be: outputs and targets, or residuals and zeros."""
        if self.residual is not None:
            args, kwargs = arguments(net, samples.leaves)
            found = list(tensors(self.residual(output, *args, **kwargs)))
            if not found or any(item.dim() == 0 or len(item) != len(samples) for item in found):
                shapes = ", ".join(str(tuple(item.shape)) for item in found) or "no tensor"
                raise InputError(f"the residual of {len(samples)} samples must have a first axis of {len(samples)}, not {shapes}")
            return [(item, torch.zeros_like(item)) for item in found]
        return _matched(output, samples.targets)


def measure(objective: Objective, net: Any, samples: Samples, processes: Processes) -> Tensor:
    """The loss of every sample, computed by all processes together."""
    if objective.whole or processes.size == 1:
        return objective.measure(net, samples)
    return processes.collect(objective.measure(net, processes.share(samples)), len(samples))


def _per_sample(loss: str | Callable[..., Any]) -> str | Callable[..., Any]:
    """The same loss without its mean over the samples, where torch's own can do that."""
    if isinstance(loss, torch.nn.Module) and hasattr(loss, "reduction"):
        loss = copy.deepcopy(loss)
        loss.reduction = "none"  # type: ignore[assignment]  # a str attribute of every torch loss
        return loss
    if inspect.isfunction(loss) and "reduction" in inspect.signature(loss).parameters:
        return functools.partial(loss, reduction="none")
    return loss


def _answered(results: list[Tensor]) -> Tensor:
    """Which samples have finite answers."""
    return torch.stack([_rows(result.detach().isfinite()).all(1) for result in results]).all(0)


def _mean(value: Tensor, count: int) -> Tensor:
    """One number for each sample, or for the batch."""
    if value.dim() == 0:
        return value.reshape(1)
    if len(value) != count:
        raise InputError(f"the loss of {count} samples must be {count} numbers or one, not {tuple(value.shape)}")
    return _rows(value).mean(1)


def _rows(value: Tensor) -> Tensor:
    """All numbers of a sample in a row, also where there is no sample."""
    return value.reshape(len(value), math.prod(value.shape[1:]))


def _matched(output: Any, targets: Any) -> list[tuple[Tensor, Tensor]]:
    """Outputs with their targets, leaf by leaf; a different structure or shape is refused."""
    if isinstance(output, Mapping) or hasattr(output, "__dict__") and not isinstance(output, Tensor):
        output = dict(output) if isinstance(output, Mapping) else vars(output)
        if not isinstance(targets, Mapping) or not set(targets) <= set(output):
            raise InputError(f"the targets must be a dict with keys among {', '.join(map(str, output))}")
        return [pair for key in targets for pair in _matched(output[key], targets[key])]
    if isinstance(output, (tuple, list)):
        if not isinstance(targets, tuple) or len(targets) != len(output):
            raise InputError(f"the heuristic returns {len(output)} items: the targets must be a tuple of as many")
        return [pair for one, target in zip(output, targets, strict=True) if target is not None for pair in _matched(one, target)]
    return [_pair(output, targets)] if isinstance(output, Tensor) else []


def _pair(output: Tensor, targets: Any) -> tuple[Tensor, Tensor]:
    """An output with its target, as numbers of one kind."""
    if not isinstance(targets, Tensor) or targets.shape != output.shape:
        found = _shape(targets) if isinstance(targets, Tensor) else "several parts"
        raise InputError(f"the targets must have the shape of the outputs, {_shape(output)}, not {found}")
    if targets.is_complex() and not output.is_complex():
        raise InputError("the targets are complex, but the outputs are real")
    if not output.is_floating_point() and not output.is_complex():
        output = output.to(torch.float64)
    return output, targets.to(output.dtype)


def _shape(output: Tensor) -> str:
    return str(("samples", *output.shape[1:])).replace("'", "")
