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

    def __init__(
        self,
        net: Network,
        loss: Loss = None,
        residual: Callable[..., Any] | None = None,
        supervised: bool = True,
        target_weight: Any = None,
    ) -> None:
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
        self.whole = self.named is not None and self.named.is_whole  # whether the loss is one number for a batch
        if target_weight is not None and self.named is None:
            raise InputError("a loss of your own weighs its targets itself: give target_weight= with a loss by name")
        self.target_weight = target_weight

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
            if samples.times is not None:
                return self._at_each_time(net, samples)
            if not self.whole:
                return self.losses(net, samples)
            return self._pseudo_values(net.execute(samples.leaves)[: self.count], net, samples)

    def _at_each_time(self, net: Network, samples: Samples) -> Tensor:
        """The losses of the times of a series."""
        times = samples.times
        assert times is not None
        results = [result[0, times] for result in net.execute(samples.leaves)[: self.count]]
        targets = each(lambda tensor: tensor[0, times], samples.targets)
        found = Samples([times], targets, samples.groups, None, samples.weights)
        if self.whole:
            return self._pseudo_values(results, net, found)
        return self.apply(net, rebuild(self.output, results), found)

    def _pseudo_values(self, results: list[Tensor], net: Network, samples: Samples) -> Tensor:
        """Of a loss for whole sets, numbers for parts whose mean is the loss of all, and which vary as it does: Tukey's jackknife.

        NaN for a part of which no sample has an answer.
        """
        answered = _answered(results)
        parts = [part[answered[part]] for part in _parts(samples)]
        kept = [part for part in parts if len(part)]
        found = torch.full((len(parts),), torch.nan, dtype=net.dtype)
        if not kept:
            return found
        whole = self._of(torch.cat(kept), results, net, samples)
        if len(kept) > 1:
            others = [torch.cat(kept[:number] + kept[number + 1 :]) for number in range(len(kept))]
            without = torch.stack([self._of(other, results, net, samples) for other in others])
            whole = whole + (len(kept) - 1) * (without.mean() - without)
        found[torch.tensor([len(part) > 0 for part in parts])] = whole.to(found.dtype)
        return found

    def of_set(self, net: Network, samples: Samples) -> tuple[float, int]:
        """The loss of a whole set without gradient, and how many samples of it have an answer."""
        with torch.no_grad():
            results = net.execute(samples.leaves)[: self.count]
            answered = torch.nonzero(_answered(results)).squeeze(1)
            return (self._of(answered, results, net, samples).item() if len(answered) else math.inf), len(answered)

    def _of(self, places: Tensor, results: list[Tensor], net: Network, samples: Samples) -> Tensor:
        """The loss of some samples as a set."""
        return self.apply(net, rebuild(self.output, [result[places] for result in results]), samples.pick(places))[0]

    def errors(self, net: Network, output: Any, samples: Samples) -> tuple[Tensor, Tensor]:
        """`(samples, m)` errors of a named loss, and the factors, `m` or `(samples, m)`, with which it adds them up."""
        pairs = self._pairs(output, net, samples)
        columns, parts = zip(*(self._columns(*pair) for pair in pairs), strict=True)
        factors = [torch.full((column.shape[1],), part, dtype=column.dtype) for column, part in zip(columns, parts, strict=True)]
        if self.target_weight is not None:
            weights = flat_weights(self.target_weight, samples.targets if self.residual is None else tuple(one for one, _ in pairs))
            factors = [weight * factor for weight, factor in zip(weights, factors, strict=True)]
        if samples.weights is not None:
            factors = [_times_weights(factor, samples) for factor in factors]
        errors, whole = torch.cat(columns, 1), torch.cat(factors, -1)
        return (errors * whole, torch.ones_like(errors[:1])) if self.whole else (errors, whole)

    def _columns(self, output: Tensor, target: Tensor) -> tuple[Tensor, float]:
        """The errors of an output, real numbers in a row for each sample, and the factor of each: a mean, or the largest."""
        assert self.named is not None
        errors = _rows(self.named.errors(output, target))
        factor = 1.0 if self.whole else 1 / errors.shape[1]
        if errors.is_complex():
            errors = torch.cat([errors.real, errors.imag], 1) if self.named.is_squares else errors.abs()
        return errors, factor

    def squares(self, net: Network, output: Any, samples: Samples) -> Tensor:
        """`(samples, m)` numbers, the sum of whose squares is the loss of a sample, where the loss is of this kind."""
        errors, factors = self.errors(net, output, samples)
        return errors * factors.sqrt()

    def probe(self, net: Network, samples: Samples) -> None:
        """Try the loss on a few samples and say what is wrong with it before training starts."""
        if self.named is not None and self.supervised:
            self.named.check([target for _, target in self._pairs(self.outputs(net, samples), net, samples)])
        few = samples.pick(torch.arange(min(3, len(samples))))
        with torch.no_grad():
            value = self.apply(net, self.outputs(net, few), few)
        self.whole = self.whole or value.dim() == 0 or (len(value) == 1 and len(few) > 1)

    def apply(self, net: Network, output: Any, samples: Samples) -> Tensor:
        if self.supervised or self.residual is not None:
            if self.named is not None:
                errors, factors = self.errors(net, output, samples)
                if self.named.is_whole:
                    return self.named.value(errors).max().reshape(1)
                return (self.named.value(errors) * factors).sum(1)
            if self.residual is not None:
                pairs = self._pairs(output, net, samples)
                found = torch.stack([_mean(self._loss(*pair), len(samples)) for pair in pairs]).sum(0)
                return found if samples.weights is None else found * samples.weights
            value = self._loss(*_at_times(output, samples))
        else:
            args, kwargs = arguments(net, samples.leaves)
            value = self._loss(output, *args, **kwargs)
        if not isinstance(value, Tensor):
            raise InputError(f"the loss must give a tensor, not {type(value).__name__}")
        found = _mean(value, len(samples))
        if samples.weights is None:
            return found
        if value.dim() == 0 or samples.times is not None:
            raise InputError("a loss of a whole set weighs its samples itself: give sample_weight= with a loss by name, or of a sample")
        return found * samples.weights

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


def flat_weights(weight: Any, targets: Any) -> list[float]:
    """The weights of the targets, in the structure of these, in a row.

    >>> flat_weights({"a": 1.0, "b": (2.0, 3.0)}, {"b": (torch.ones(2), torch.ones(2)), "a": torch.ones(2)})
    [2.0, 3.0, 1.0]
    """
    if isinstance(targets, Mapping):
        if not isinstance(weight, Mapping) or set(weight) != set(targets):
            raise InputError(f"target_weight must be a dict with the keys {', '.join(map(str, targets))}")
        return [number for key in targets for number in flat_weights(weight[key], targets[key])]
    if isinstance(targets, tuple):
        if not isinstance(weight, (tuple, list)) or len(weight) != len(targets):
            raise InputError(f"target_weight must have {len(targets)} items, as the targets have")
        pairs = [(one, target) for one, target in zip(weight, targets, strict=True) if target is not None]
        return [number for one, target in pairs for number in flat_weights(one, target)]
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < math.inf:
        raise InputError(f"the weight of a target must be a number of at least 0, not {weight!r}")
    return [float(weight)]


def _times_weights(factor: Tensor, samples: Samples) -> Tensor:
    """The factors of errors with the weights of samples; of a series with those of its times."""
    assert samples.weights is not None
    weights = samples.weights.to(factor.dtype)
    if samples.times is None:
        return factor * weights[:, None]
    return (factor.reshape(len(weights), -1) * weights[:, None]).reshape(1, -1)


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
