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
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from deepalgo.errors import InputError
from deepalgo.fitting.data.samples import Samples, arguments, each, tensors
from deepalgo.fitting.processes import Processes
from deepalgo.ir import leaves as output_leaves
from deepalgo.ir.rebuild import rebuild
from deepalgo.network import Network

Loss: TypeAlias = "str | Callable[..., Any] | None"

#: Differences whose mean square is the loss, by name.
DIFFERENCES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "squared": lambda output, target: output - target,
    "relative": lambda output, target: (output - target) / target.abs(),
}
#: A loss of a whole batch is compared on so many parts of the data.
PARTS = 64


class Objective:
    """A loss on targets, a loss on a residual, or a cost of the outputs themselves.

    `loss` is "squared", "absolute", "relative" (the square of the relative error), a torch loss or any callable. Without targets and
    residual it is called as `loss(output, *arguments)`.
    """

    def __init__(self, net: Network, loss: Loss = None, residual: Callable[..., Any] | None = None, supervised: bool = True) -> None:
        if isinstance(loss, str) and loss not in (*DIFFERENCES, "absolute"):
            raise InputError(f"there is no loss '{loss}'; there are 'squared', 'absolute', 'relative', or any function of torch")
        if residual is not None and loss == "relative":
            raise InputError("a residual has no target that a relative error could refer to: use loss='squared'")
        if not supervised and residual is None and not callable(loss):
            raise InputError("there is nothing to learn from: give targets=, residual= or loss= as a function of the output")
        self.output = net.program.output
        self.count = sum(1 for _ in output_leaves(self.output))
        self.loss: str | Callable[..., Any] = "squared" if loss is None else _per_sample(loss)
        self.residual = residual
        self.supervised = supervised
        self.whole = False  # whether the loss is one number for a batch

    @property
    def is_squares(self) -> bool:
        """Whether the loss is a mean of squares, so that its root is an error in the units of the output."""
        return isinstance(self.loss, str) and self.loss in DIFFERENCES

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
            if samples.times is not None:
                return self.apply(net, *_one_by_one(self.outputs(net, samples), samples))
            if not self.whole:
                return self.losses(net, samples)
            results = net.execute(samples.leaves)[: self.count]
            parts = _parts(samples)
            return torch.cat([self._part([result[part] for result in results], net, samples.pick(part)) for part in parts])

    def _part(self, results: list[Tensor], net: Network, samples: Samples) -> Tensor:
        """The loss of a whole part; NaN where no sample of it has an answer."""
        answered = _answered(results)
        if not bool(answered.any()):
            return torch.full((1,), torch.nan, dtype=net.dtype)
        return self.apply(net, rebuild(self.output, [result[answered] for result in results]), samples.pick(answered))

    def squares(self, net: Network, output: Any, samples: Samples) -> Tensor:
        """`(samples, m)` numbers, the sum of whose squares is the loss of a sample, where the loss is of this kind."""
        pairs = self._pairs(output, net, samples)
        columns = [_matrix(DIFFERENCES[str(self.loss)](one, target)) for one, target in pairs]
        return torch.cat([column / column.shape[1] ** 0.5 for column in columns], 1)

    def roots(self, net: Network, samples: Samples) -> Tensor:
        """These numbers for the network's answers, without gradient."""
        with torch.no_grad():
            return self.squares(net, self.outputs(net, samples), samples)

    def probe(self, net: Network, samples: Samples) -> None:
        """Try the loss on a few samples and say what is wrong with it before training starts."""
        few = samples.pick(torch.arange(min(3, len(samples))))
        with torch.no_grad():
            value = self.apply(net, self.outputs(net, few), few)
        self.whole = value.dim() == 0 or (len(value) == 1 and len(few) > 1)

    def apply(self, net: Network, output: Any, samples: Samples) -> Tensor:
        if self.supervised or self.residual is not None:
            if isinstance(self.loss, str) or self.residual is not None:
                return sum((_mean(self._one(*pair), len(samples)) for pair in self._pairs(output, net, samples)), torch.zeros(()))
            value = self.loss(*_at_times(output, samples))
        else:
            assert callable(self.loss)
            args, kwargs = arguments(net, samples.leaves)
            value = self.loss(output, *args, **kwargs)
        if not isinstance(value, Tensor):
            raise InputError(f"the loss must give a tensor, not {type(value).__name__}")
        return _mean(value, len(samples))

    def _one(self, output: Tensor, target: Tensor) -> Tensor:
        if self.loss == "absolute":
            return (output - target).abs()
        if isinstance(self.loss, str):
            difference = DIFFERENCES[self.loss](output, target)
            return difference.real.square() + difference.imag.square() if difference.is_complex() else difference.square()
        value: Tensor = self.loss(output, target)
        return value

    def _pairs(self, output: Any, net: Network, samples: Samples) -> list[tuple[Tensor, Tensor]]:
        """Numbers and what they should be: outputs and targets, or residuals and zeros."""
        if self.residual is not None:
            args, kwargs = arguments(net, samples.leaves)
            found = list(tensors(self.residual(output, *args, **kwargs)))
            if not found or any(item.dim() == 0 or len(item) != len(samples) for item in found):
                shapes = ", ".join(str(tuple(item.shape)) for item in found) or "no tensor"
                raise InputError(f"the residual of {len(samples)} samples must have a first axis of {len(samples)}, not {shapes}")
            return [(item, torch.zeros_like(item)) for item in found]
        return _matched(*_at_times(output, samples))


def measure(objective: Objective, net: Any, samples: Samples, processes: Processes) -> Tensor:
    """The loss of every sample, computed by all processes together."""
    if objective.whole or processes.size == 1 or samples.times is not None:
        return objective.measure(net, samples)
    return processes.collect(objective.measure(net, processes.share(samples)), len(samples))


def _parts(samples: Samples) -> Sequence[Tensor]:
    """The samples of each part on which a loss of a whole batch is compared: the groups, if there are any."""
    if samples.groups is not None:
        return [torch.nonzero(samples.groups == group).squeeze(1) for group in torch.unique(samples.groups)]
    return torch.arange(len(samples)).tensor_split(min(PARTS, len(samples)))


def _at_times(output: Any, samples: Samples) -> tuple[Any, Any]:
    """Outputs and targets; of a series at the times that count."""
    if samples.times is None:
        return output, samples.targets
    return each(lambda tensor: tensor[:, samples.times], output), each(lambda tensor: tensor[:, samples.times], samples.targets)


def _one_by_one(output: Any, samples: Samples) -> tuple[Any, Samples]:
    """The times of a series as samples."""
    assert samples.times is not None
    output, targets = (each(lambda tensor: tensor[0], tree) for tree in _at_times(output, samples))
    return output, Samples([samples.times], targets)


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


def _matrix(value: Tensor) -> Tensor:
    value = _rows(value)
    return torch.cat([value.real, value.imag], 1) * 2**0.5 if value.is_complex() else value


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
