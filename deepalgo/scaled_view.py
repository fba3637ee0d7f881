"""`scaled`: a network with parameters of size one, for any optimiser.

>>> from deepalgo.compiler import compile
>>> def f(x):
...     return 2040.0 * x + 1e-6
>>> net = compile(f)
>>> view = scaled(net)
>>> [parameter.item() for parameter in view.parameters()], view(1.0).item() == net(1.0).item()
([1.0, 1.0], True)
>>> optimiser = torch.optim.Adam(view.parameters(), lr=0.1)
>>> view(1.0).backward()
>>> optimiser.step()
>>> [f"{weight.item():.4g}" for weight in net.parameters()]
['1836', '9.01e-07']
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.func import functional_call
from torch.optim.optimizer import register_optimizer_step_post_hook

from deepalgo.backends.torch.runtime.sizes import sizes
from deepalgo.backends.torch.runtime.weights import Weights, attribute
from deepalgo.errors import InputError
from deepalgo.ir import Weight
from deepalgo.network import Network

Versions = tuple[tuple[int, int], ...]


class Scaled(torch.nn.Module):
    """A view of a network: each of its weights is a size, which stays, times a parameter, which starts near one.

    `weights` are these parameters, `network` is the network. Whatever moves the parameters moves the weights of the network, and the
    other way round; the network is no part of `parameters()` or of `state_dict()`.
    """

    def __init__(self, net: Network) -> None:
        super().__init__()
        if not isinstance(net, Network):
            raise InputError(f"scaled takes a network, as in da.scaled(da.compile(function)), not {type(net).__name__}")
        trained = [weight for weight in net.weights.entries if not weight.frozen]
        found = {weight.key: exact_sizes(net.weights[weight.key].detach()) for weight in trained}
        self.sizes = Weights(tuple(_with(weight, found[weight.key], "a size") for weight in trained))
        self.weights = Weights(tuple(_with(weight, net.weights[weight.key].detach() / found[weight.key]) for weight in trained))
        self.to(device=net.device, dtype=net.dtype)
        self._held = (net,)  # in a tuple, or torch would take its weights for parameters of the view
        for key in self.weights:
            self.weights[key].requires_grad_(net.weights[key].requires_grad)
        self._seen = self._versions()
        self.train(net.training)
        self.register_load_state_dict_post_hook(_follow_loaded)  # type: ignore[no-untyped-call]  # torch
        VIEWS.add(self)

    @property
    def network(self) -> Network:
        """The network, with the weights that the parameters say."""
        self.follow()
        return self._held[0]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the network answers; its gradient is by the parameters."""
        if not torch.compiler.is_compiling():
            self.follow()
        return functional_call(self._held[0], self._values(), args, kwargs)

    def follow(self) -> None:
        """Let the network have the weights that the parameters say, or the parameters those of the network if only that has moved."""
        own = [self.weights[key] for key in self.weights]
        if not all(isinstance(parameter, torch.nn.Parameter) for parameter in own):
            return  # other tensors stand in for this one call
        found = self._versions()
        if found == self._seen:
            return
        net, keys = self._held[0], list(self.weights)
        with torch.no_grad():
            if found[: 2 * len(keys)] == self._seen[: 2 * len(keys)]:
                for key in keys:
                    self.weights[key].copy_(net.weights[key] / self.sizes[key])
            for key in keys:
                net.weights[key].copy_(self.sizes[key] * self.weights[key])
        self._seen = self._versions()

    def _values(self) -> dict[str, Tensor]:
        """The weights of the network by the names that torch knows them by."""
        return {f"weights.{attribute(key)}": self.sizes[key] * self.weights[key] for key in self.weights}

    def _versions(self) -> Versions:
        """What tells whether parameters, sizes or the network's weights were written to since."""
        tables = self.weights, self.sizes, self._held[0].weights
        tensors = [table[key] for table in tables for key in self.weights]
        return tuple((tensor.data_ptr(), tensor._version) for tensor in tensors)

    def _apply(self, fn: Any, recurse: bool = True) -> Scaled:
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]  # torch
        if hasattr(self, "_held"):
            self._held[0]._apply(fn, recurse)  # type: ignore[no-untyped-call]  # torch
        return self

    def __repr__(self) -> str:
        return f"{self._held[0].program.name}, scaled\n{self.weights}"

    def __deepcopy__(self, memo: dict[int, Any]) -> Scaled:
        twin = memo[id(self)] = restored_view(copy.deepcopy(self.network, memo), *self._state())
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return restored_view, (self.network, *self._state())

    def _state(self) -> tuple[dict[str, Tensor], list[str], bool]:
        """What a copy needs to know beside the network: sizes and parameters, those that do not train, and whether the view trains."""
        still = [key for key in self.weights if not self.weights[key].requires_grad]
        return dict(self.state_dict()), still, self.training


#: The views that optimisers move.
VIEWS: weakref.WeakSet[Scaled] = weakref.WeakSet()


def scaled(net: Network) -> Scaled:
    """The network with parameters of size one: train `view.parameters()` by any optimiser, and the network moves.

    A step of the same size then means the same to each weight, and so do the thresholds and decays of an optimiser. Numbers of one
    table have sizes of their own. Answers are the same bit for bit; `view.state_dict()`, `copy.deepcopy` and `pickle` work.
    """
    return Scaled(net)


def exact_sizes(start: Tensor) -> Tensor:
    """The sizes, where a number is not its own as a power of two, so that dividing and multiplying change no bit.

    >>> exact_sizes(torch.tensor([3.0, -0.1, 0.0]))
    tensor([3.0000, 0.1000, 0.2500])
    """
    found = sizes(start)
    return torch.where(found == start.abs(), found, torch.exp2(found.log2().round()))


def restored_view(net: Network, state: Mapping[str, Tensor], still: Sequence[str], training: bool) -> Scaled:
    """A view that was copied or pickled."""
    view = Scaled(net)
    view.load_state_dict(dict(state))
    for key in view.weights:
        view.weights[key].requires_grad_(key not in still)
    return view.train(training)


torch.serialization.add_safe_globals([restored_view])


def _with(weight: Weight, value: Tensor, frozen: str = "") -> Weight:
    return replace(weight, value=_nested(value.tolist()), frozen=frozen)


def _nested(value: Any) -> Any:
    return tuple(map(_nested, value)) if isinstance(value, list) else value


def _follow_loaded(view: torch.nn.Module, _: Any) -> None:
    """Let the network have the weights that were loaded into a view."""
    assert isinstance(view, Scaled)
    view.follow()


def _follow_all(*_: Any) -> None:
    """Let networks have the weights to which an optimiser has moved the parameters of their views."""
    for view in list(VIEWS):
        view.follow()


register_optimizer_step_post_hook(_follow_all)
