"""`function`: a network as a plain function, floats in and floats out, arrays in and arrays out.

>>> import numpy as np
>>> import deepalgo as da
>>> def friction(re, rough):
...     return 64.0 / re if re < 2040.0 else 0.11 * (rough + 68.0 / re) ** 0.25
>>> plain = da.function(da.compile(friction))
>>> plain(1e5, 1e-4)
0.018382997825686878
>>> plain(np.array([1000.0, 1e5]), 1e-4)
array([0.064   , 0.018383])
>>> plain.gradient(1000.0, 1e-4)
{'re': -6.4e-05, 'rough': 0.0}
"""

from __future__ import annotations

import contextlib
import copy
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from deepalgo.backends.native import Unsupported, engine_of
from deepalgo.backends.native.one_lane import OneLane, is_plain
from deepalgo.errors import InputError
from deepalgo.ir import Kind, Leaf, Slot, Type
from deepalgo.ir.rebuild import builder
from deepalgo.network import Network, loads
from deepalgo.signature import Argument, Array, Signature


def function(network: Network) -> PlainFunction:
    """The network, as it is now, as a function without tensors, in native code that gives Python's own bits.

    Later training of the network does not change it. It can be pickled. Where there is no native code for the network, torch computes.
    """
    return PlainFunction(network)


class PlainFunction:
    """A heuristic with fixed weights; called as the function that it was compiled from."""

    def __init__(self, network: Network) -> None:
        #: The network that computes what native code does not, and that raises.
        self.network = copy.deepcopy(network).requires_grad_(requires_grad=False)
        self.network.mathematics = "exact"
        self.program = network.program
        self.__name__ = self.__qualname__ = network.program.name
        self.__doc__ = None if network.function is None else network.function.__doc__
        self.signature = network.signature if isinstance(network.signature, Signature) else _of_inputs(network)
        self._build = builder(self.program.output)
        self._weights = _in_a_row(self.network)
        self._engine = engine_of(self.program, network.max_rounds, "exact", patient=True)
        native = self.network.dtype == torch.float64
        self._reason = self._engine.reason_against(gradient=False) if native else "only float64 is native"
        self._one: Callable[..., Any] = self._compile_one
        self._lane: OneLane | None = None

    @property
    def backend(self) -> str:
        """What computes: "native", or "torch" with the reason."""
        return f"torch ({self._reason})" if self._reason else "native"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the heuristic returns for a sample, or for arrays of samples."""
        return self._general(args, kwargs) if kwargs else self._one(*args)

    def gradient(self, *args: Any, adjoints: Sequence[Any] | None = None, **kwargs: Any) -> dict[str, Any]:
        """The derivatives of the result by the real inputs, by their names, for a sample or for arrays of samples.

        Where the result is more than one real number, they are those of the sum of the results, each times its number in `adjoints`.
        """
        inputs, single = self.signature.arrays(args, kwargs)
        size = len(inputs[0]) if inputs else 1
        types = [value.type for value in self.program.body.results if value.type.kind >= Kind.REAL]
        given = self._adjoints(adjoints, types, size, single)
        found = self._backward(inputs, given, (args, kwargs))
        paths = [item.path for item in self.program.inputs if item.value.type.kind >= Kind.REAL]
        return {path: _one_of(array) if single else array for path, array in zip(paths, found, strict=True)}

    def _adjoints(self, adjoints: Sequence[Any] | None, types: Sequence[Type], size: int, single: bool) -> list[Array]:
        if adjoints is None:
            if types != [Type(Kind.REAL)]:
                raise InputError(f"{self.__name__} returns more than one real number: say by adjoints= how much each of them counts")
            adjoints = [1.0]
        if len(adjoints) != len(types):
            raise InputError(f"{self.__name__} has {len(types)} real results, and {len(adjoints)} adjoints are given")
        shapes = [np.empty(type.shape if single else (size, *type.shape)) for type in types]
        wide = [np.broadcast_to(np.asarray(given, float), shape.shape) for given, shape in zip(adjoints, shapes, strict=True)]
        return [given.reshape(size, *type.shape) for given, type in zip(wide, types, strict=True)]

    def _backward(self, inputs: Sequence[Array], adjoints: Sequence[Array], call: tuple[Any, Any]) -> list[Array]:
        if not self._reason and not self._engine.reason_against(gradient=True):
            if self.network.errors == "raise" and self._engine.forward(inputs, self._weights).failed:
                self.network(*call[0], **call[1])  # which raises
            return self._engine.gradient(inputs, self._weights, adjoints).inputs
        tensors = [torch.tensor(array) for array in inputs]
        wanted = [tensor.requires_grad_() for tensor in tensors if tensor.is_floating_point() or tensor.is_complex()]
        real = [result for result in self.network.execute(tensors) if result.is_floating_point() or result.is_complex()]
        pairs = [(result, torch.tensor(adjoint)) for result, adjoint in zip(real, adjoints, strict=True) if result.requires_grad]
        if not pairs:
            return [np.zeros(tuple(tensor.shape)) for tensor in wanted]
        outputs, given = zip(*pairs, strict=True)
        found = torch.autograd.grad(outputs, wanted, given, allow_unused=True, materialize_grads=True)
        return [tensor.numpy() for tensor in found]

    def _compile_one(self, *args: Any) -> Any:
        """The first call by position compiles the function that serves the others that give floats."""
        self._one = self._positional
        if not self._reason and is_plain(self.program) and self.signature.is_flat and not self.program.changes:
            with contextlib.suppress(Unsupported):
                is_number = isinstance(self.program.output, Leaf)
                otherwise = self._positional if is_number else self._enclosed
                self._lane = OneLane(self._engine.forward_program, self._weights, self.network.max_rounds, otherwise)
                self._one = self._lane.call if is_number else self._structured
        return self._one(*args)

    def _structured(self, *args: Any) -> Any:
        """The numbers of one sample in the structure that the function returns."""
        assert self._lane is not None
        found = self._lane.call(*args)
        if type(found) is Enclosed:
            return found.answer
        return self._build(iter(found if type(found) is tuple else (found,)))

    def _enclosed(self, *args: Any) -> Enclosed:
        return Enclosed(self._positional(*args))

    def _positional(self, *args: Any) -> Any:
        return self._general(args, {})

    def _general(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Any call that the network takes."""
        if self._reason:
            return _plain(self.network(*args, **kwargs))
        inputs, single = self.signature.arrays(args, kwargs)
        outcome = self._engine.forward(inputs, self._weights)
        if outcome.failed:
            return _plain(self.network(*args, **kwargs))
        changes = self.program.changes
        results = [_one_of(array) for array in outcome.results] if single else outcome.results
        if changes:
            results, changed = results[: -len(changes)], results[-len(changes) :]
            self.signature.write_back(args, kwargs, dict(zip(changes, changed, strict=True)))
        return self._build(iter(results))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.network.content(), _by_name(self.network.function), self.network.errors)

    def __repr__(self) -> str:
        names = ", ".join(argument.name for argument in self.signature.arguments)
        return f"<{self.__name__}({names}), {self.backend}>"


@dataclass(frozen=True, slots=True)
class Enclosed:
    """An answer that has its structure."""

    answer: Any


def _unpickled(content: bytes, heuristic: Callable[..., Any] | None, errors: str) -> PlainFunction:
    network = loads(content, function=heuristic)
    network.errors = errors
    return PlainFunction(network)


def _by_name(heuristic: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """The function, if pickle finds it by its name."""
    try:
        pickle.dumps(heuristic)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    return heuristic


def _in_a_row(network: Network) -> Array:
    parts = [tensor.detach().double().cpu().numpy().reshape(-1) for tensor in network.weights.tensors()]
    return np.concatenate(parts) if parts else np.zeros(0)


def _of_inputs(network: Network) -> Signature:
    """For a network without a function: one argument for each input."""
    inputs = network.program.inputs
    arguments = tuple(Argument(item.path, Slot(item.value)) for item in inputs)
    return Signature(network.program.name, tuple(item.path for item in inputs), arguments, ())


def _one_of(array: Array) -> Any:
    """The only sample of a batch: a number, or an array."""
    return array[0] if array.ndim > 1 else array[0].item()


def _plain(result: Any) -> Any:
    """What a network returns, without tensors."""
    match result:
        case torch.Tensor():
            array = result.detach().cpu().numpy()
            return array if array.ndim else array.item()
        case dict():
            return {key: _plain(item) for key, item in result.items()}
        case tuple() if hasattr(result, "_fields"):
            return type(result)(*map(_plain, result))
        case list() | tuple():
            return type(result)(map(_plain, result))
    return result
