"""`Network`: a program and its weights as a `torch.nn.Module` that is called as the heuristic was.

>>> from deepalgo.ir import Block, Input, Kind, Leaf, Op, Program, Type, Value, Weight
>>> x, w, y = (Value(i, Type(Kind.REAL), n) for i, n in enumerate("xwy"))
>>> body = Block((), (Op(w, "weight", (), (("key", "w"),)), Op(y, "mul", (x, w))), (y,))
>>> net = Network(Program("scale", (Input("x", x),), (Weight("w", 3.0),), body, Leaf(y)))
>>> net(2.0)
tensor(6., dtype=torch.float64, grad_fn=<SelectBackward0>)
>>> print(net.code)
def scale(run, x, w):
    y = x * w
    return y,
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

import torch
from torch import Tensor

from deepalgo.emit.load import load
from deepalgo.emit.mask import mask
from deepalgo.emit.torch_code import Written, write
from deepalgo.errors import InputError
from deepalgo.ir import Program
from deepalgo.runtime.rebuild import rebuild
from deepalgo.runtime.run import Run
from deepalgo.runtime.weights import Weights


class Inputs(Protocol):
    """How the arguments of a call become tensors."""

    def flatten(self, args: Sequence[Any], kwargs: Mapping[str, Any], dtype: torch.dtype, device: torch.device) -> tuple[list[Tensor], bool]:
        """Tensors with a batch axis in the order of the program's inputs, and whether the call was for a single sample."""


class Network(torch.nn.Module):
    """A heuristic with trainable weights. `errors` says what becomes of samples on which the heuristic raises."""

    def __init__(self, program: Program, signature: Inputs | None = None, *, loops: Literal["run", "settle"] = "run",
                 max_rounds: int | None = None, errors: Literal["raise", "nan"] = "raise", function: Callable[..., Any] | None = None) -> None:
        super().__init__()
        self.program = program
        self.signature = signature if signature is not None else Floats(program)
        self.loops = loops
        self.max_rounds = max_rounds if max_rounds is not None else 10_000 if loops == "run" else 64
        self.errors = errors
        self.function = function
        self.weights = Weights(program.weights)
        self._written: Written | None = None
        self._loaded: Callable[..., Any] | None = None

    @property
    def code(self) -> str:
        """The text of the torch function that runs."""
        return self.written.text

    @property
    def written(self) -> Written:
        if self._written is None:
            self._written = write(mask(self.program, light=_is_light))
            self._loaded = load(self._written.text, self.program.name)
        return self._written

    @property
    def dtype(self) -> torch.dtype:
        """The type of number that the network computes with."""
        return next((weight.dtype for weight in self.weights.tensors()), torch.float64)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next((weight.device for weight in self.weights.tensors()), torch.device("cpu"))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the heuristic returns, for one sample or a batch."""
        leaves, single = self.signature.flatten(args, kwargs, self.dtype, self.device)
        results = self.execute(leaves)
        return rebuild(self.program.output, [result[0] for result in results] if single else results)

    def execute(self, leaves: Sequence[Tensor]) -> list[Tensor]:
        """Run the code on tensors with a batch axis; return the leaves of the output."""
        written = self.written
        size = len(leaves[0]) if leaves else 1
        run = Run(size, self.dtype, self.device, written.sites, written.tables, self.max_rounds)
        assert self._loaded is not None
        return list(self._loaded(run, *leaves, *self.weights.tensors()))


def _is_light(branch: Any) -> bool:
    from deepalgo.ir import While, walk

    return not any(isinstance(item, While) for block in (branch.then, branch.orelse) for item in walk(block))


class Floats:
    """Arguments that are floats, given by position or by the path of an input."""

    def __init__(self, program: Program) -> None:
        self.inputs = program.inputs
        self.name = program.name

    def flatten(self, args: Sequence[Any], kwargs: Mapping[str, Any], dtype: torch.dtype, device: torch.device) -> tuple[list[Tensor], bool]:
        """Line the arguments up with the inputs."""
        paths = [item.path for item in self.inputs]
        if len(args) > len(paths):
            raise InputError(f"{self.name} takes {len(paths)} arguments ({', '.join(paths)}), {len(args)} were given")
        given = dict(zip(paths, args, strict=False))
        for path, value in kwargs.items():
            if path not in paths or path in given:
                raise InputError(f"{self.name} got {'two values for' if path in given else 'an unknown argument'} '{path}'")
            given[path] = value
        missing = [path for path in paths if path not in given]
        if missing:
            raise InputError(f"{self.name} needs {', '.join(missing)} as well")
        tensors = [torch.as_tensor(given[item.path], device=device) for item in self.inputs]
        tensors = [tensor.to(dtype) if item.value.type.kind == 2 else tensor for tensor, item in zip(tensors, self.inputs, strict=True)]
        return self._batch(tensors)

    def _batch(self, tensors: list[Tensor]) -> tuple[list[Tensor], bool]:
        sizes = {}
        for tensor, item in zip(tensors, self.inputs, strict=True):
            shape = item.value.type.shape
            rank = len(shape)
            if tensor.dim() not in (rank, rank + 1) or tuple(tensor.shape[tensor.dim() - rank :]) != shape:
                raise InputError(f"{self.name}: '{item.path}' has shape {tuple(tensor.shape)}, expected {shape} or (batch, {', '.join(map(str, shape))})")
            if tensor.dim() == rank + 1:
                sizes[item.path] = len(tensor)
        if len(set(sizes.values())) > 1:
            raise InputError(f"{self.name}: batches differ in length: " + ", ".join(f"'{path}' has {size}" for path, size in sizes.items()))
        size = next(iter(sizes.values()), 1)
        return [t if t.dim() > len(i.value.type.shape) else t.expand(size, *t.shape) for t, i in zip(tensors, self.inputs, strict=True)], not sizes



