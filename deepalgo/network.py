"""`Network`: a program and its weights as a `torch.nn.Module` that is called as the heuristic was.

>>> from deepalgo.ir import parse
>>> net = Network(parse('''
... scale(x: real)
...   weight w = 3.0
...   %w = weight w
...   %y = mul %x %w
...   return %y
... '''))
>>> net(2.0)
tensor(6., dtype=torch.float64, grad_fn=<SelectBackward0>)
>>> print(net.code)
def scale(run, x, w):
    y = x * w
    return y,
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from deepalgo.backends.choose import BACKENDS, chosen
from deepalgo.backends.interface import Backend, Jacobian, Outcomes
from deepalgo.backends.native import Mathematics
from deepalgo.backends.targets import Plan
from deepalgo.backends.torch.backend import plan_of
from deepalgo.backends.torch.builds import build
from deepalgo.backends.torch.runtime.inputs import Floats
from deepalgo.backends.torch.runtime.parameter_groups import parameter_groups
from deepalgo.backends.torch.runtime.reach_all import is_shared, reach_all
from deepalgo.backends.torch.runtime.record import current_record
from deepalgo.backends.torch.runtime.weights import Weights
from deepalgo.certificate import Certificate, verify
from deepalgo.ir import Program
from deepalgo.ir.rebuild import rebuild
from deepalgo.origins import Origins
from deepalgo.signature import Signature
from deepalgo.storage.file import Stored, read_bytes, read_file, write_bytes, write_file


class Inputs(Protocol):
    """How the arguments of a call become tensors."""

    @property
    def is_flat(self) -> bool:
        """Whether the arguments, by position, are the inputs in their order."""

    def flatten(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], dtype: torch.dtype, device: torch.device
    ) -> tuple[list[Tensor], bool]:
        """Tensors with a batch axis in the order of the program's inputs, and whether the call was for a single sample."""

    def write_back(self, args: Sequence[Any], kwargs: Mapping[str, Any], changed: dict[str, Tensor]) -> None:
        """Leave in the caller's lists and arrays what the heuristic would leave in them."""


class Network(torch.nn.Module):
    """A heuristic with trainable weights.

    `loops`: "run" lets each sample run its own number of rounds, "settle" runs `max_rounds` for all in one fixed graph, in which
    samples that are done keep their values. `errors`: samples on which the heuristic raises raise, or become "nan".
    `backend`: what it runs on, "native" unless "torch" is asked for; what native code cannot do runs on torch, and `net.backend` says
    why. `mathematics`: native code computes "vector" forms of functions such as `exp`, at most 2 units of the last digit off, or "exact"
    ones, which have Python's own bits.
    `heuristic` is the program as it was compiled, before anything was added to it.
    """

    def __init__(
        self,
        program: Program,
        signature: Inputs | None = None,
        *,
        loops: str = "run",
        max_rounds: int | None = None,
        errors: str = "raise",
        backend: str | None = None,
        mathematics: Mathematics = "vector",
        function: Callable[..., Any] | None = None,
        heuristic: Program | None = None,
        origins: Origins | None = None,
    ) -> None:
        super().__init__()
        self.program = program
        self.heuristic = heuristic if heuristic is not None else program
        #: What the network leaves out of the function, such as prints, with the lines.
        self.notes: tuple[str, ...] = ()
        #: Whether each branch and loop of the program is one of the function's; transformations may have copied some.
        self.follows_lines = heuristic is None
        self.signature: Inputs = signature if signature is not None else Floats(program)
        self.loops = loops
        self.max_rounds = max_rounds if max_rounds is not None else 10_000 if loops == "run" else 64
        self.errors = errors
        self.is_patient = backend is not None
        self.mathematics: Mathematics = mathematics
        self.function = function
        #: Where the function holds the numbers that became weights.
        self.origins = origins if origins is not None else Origins()
        self.weights = Weights(program.weights)
        self.failures: Counter[str] = Counter()
        self.told: Tensor
        self.register_buffer("told", torch.zeros((), dtype=torch.bool), persistent=False)
        self._asked, self._name = backend, chosen(backend)
        self._backend: Backend = BACKENDS[self._name](self)
        self._is_flat = self.signature.is_flat and not program.changes

    @property
    def code(self) -> str:
        """The text of the torch function that runs."""
        return build(self.program, self.plan()).written.text

    @property
    def dtype(self) -> torch.dtype:
        """The type of number that the network computes with."""
        return self.weights.anchor.dtype

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.weights.anchor.device

    def plan(self) -> Plan:
        """How torch code is to run, by the options of this network."""
        return plan_of(self)

    @property
    def backend(self) -> str:
        """What the network runs on here: "native", or "torch", with the reason unless it was asked for."""
        if reason := self._backend.reason_against(gradient=False):
            return f"torch ({reason})"
        reason = self._backend.reason_against(gradient=True)
        return f"{self._name}, gradients by torch ({reason})" if reason else self._name

    def computed_by(self, *, gradient: bool) -> str:
        """What a certificate is about: the backend with its mathematics, and what is left to torch."""
        return self._backend.computed_by(gradient=gradient)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the heuristic returns, for one sample or a batch."""
        if self._is_flat and not kwargs and not torch.compiler.is_compiling() and (found := self._backend.run_one(args)) is not None:
            return rebuild(self.program.output, found)
        leaves, single = self.signature.flatten(args, kwargs, self.dtype, self.device)
        changes = self.program.changes
        if changes:  # the caller's arrays are written to below: neither results nor what a gradient needs may share their memory
            leaves = [leaf.clone() for leaf in leaves]
        results = self.execute(leaves)
        if is_shared():
            results = reach_all(results, self.weights.tensors())
        if single:
            results = [result[0] for result in results]
        if changes:
            results, changed = results[: -len(changes)], results[-len(changes) :]
            self.signature.write_back(args, kwargs, dict(zip(changes, changed, strict=True)))
        return rebuild(self.program.output, results)

    def execute(self, leaves: list[Tensor]) -> list[Tensor]:
        """Run the code on tensors with a batch axis; return the leaves of the output."""
        if not torch.compiler.is_compiling() and (record := current_record()) is not None:
            return self._backend.watch(leaves, record)
        return self._backend.run(leaves)

    def outcomes(self, leaves: list[Tensor]) -> Outcomes:
        """The results, and for each sample the error that it fails with, if any; a failed sample's results mean nothing."""
        return self._backend.outcomes(leaves)

    def jacobian(self, keys: Sequence[str]) -> Jacobian:
        """A function of `(leaves, weights)` that gives results and, for each sample, their derivatives by these weights.

        `leaves` are tensors with a batch axis in the order of the program's inputs, `weights` the values to use, in the order of the
        keys; all other weights are those of the network. Nothing raises: samples that fail are marked.
        """
        return self._backend.jacobian(keys)

    def parameter_groups(self, rate: float, rates: Mapping[str, float] | None = None) -> list[dict[str, Any]]:
        """The trainable weights for an optimiser of torch, each with a rate in units of its own size: `Adam(net.parameter_groups(0.01))`.

        A step then moves the constants 2040 and 1e-6 of one function by the same part of themselves. `rates` are factors by role or name;
        0 leaves weights alone. Each group says its `role` and `names`, and has no decay. For optimisers whose steps grow with the gradient
        or with the weight (SGD, L-BFGS, Adafactor) there is `scaled`.
        """
        return parameter_groups(self.weights, rate, rates or {})

    def verify(
        self, *args: Any, rtol: float = 1e-10, gradients: bool = True, samples: int = 1000, most_weights: int | None = None, **kwargs: Any
    ) -> Certificate:
        """Compare with the function itself, sample by sample: answers, errors, paths and gradients.

        The arguments are a batch as `forward` takes it, of which at most so many `samples` are compared. Gradients are held against
        differences of the function, which for a weight is run with that constant replaced: for `most_weights` of them, by default 20, or
        fewer where the function runs long. What differs raises a `VerificationError`; the certificate prints as a table.
        """
        return verify(self, args, kwargs, rtol, gradients, samples, most_weights)

    def save(self, path: str | Path) -> None:
        """Write program, weights and signature into one file, which `load` reads; nothing in it is code."""
        write_file(path, self._stored())

    def content(self) -> bytes:
        """What `save` writes."""
        return write_bytes(self._stored())

    def _stored(self) -> Stored:
        signature = self.signature if isinstance(self.signature, Signature) else None
        weights = {key: self.weights[key] for key in self.weights}
        still = tuple(weight.key for weight in self.program.weights if not weight.frozen and not weights[weight.key].requires_grad)
        return Stored(self.program, self.heuristic, signature, self.loops, self.max_rounds, self.errors, self.dtype, weights, still)

    def _repr_svg_(self) -> str | None:
        """The figure that `draw` makes, for notebooks; None where no layout engine is installed."""
        from deepalgo.drawing.draw import figure  # which draws networks

        return figure(self)

    def with_program(self, program: Program) -> Network:
        """A network that runs another program as this one runs its own, with the weights that the program brings."""
        return Network(program, self.signature, loops=self.loops, max_rounds=self.max_rounds, errors=self.errors, backend=self._asked,
                       mathematics=self.mathematics, function=self.function, heuristic=self.heuristic, origins=self.origins)

    def with_errors(self, errors: str) -> Network:
        """A copy of this network that treats failing samples in another way."""
        twin = copy.deepcopy(self)
        twin.errors = errors
        return twin

    def __copy__(self) -> Network:
        """A network with the same tensors as weights."""
        return self._twin(self.weights)

    def __deepcopy__(self, memo: dict[int, Any]) -> Network:
        twin = memo[id(self)] = self._twin(copy.deepcopy(self.weights, memo))
        return twin

    def _twin(self, weights: Weights) -> Network:
        twin = self.with_program(self.program)
        twin.follows_lines, twin.notes, twin.weights = self.follows_lines, self.notes, weights
        return twin.train(self.training)

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self.content(), self._asked, self.mathematics, self.training, str(self.device))


def load(path: str | Path, *, function: Callable[..., Any] | None = None) -> Network:
    """The network that `Network.save` wrote. Give the heuristic itself as `function` if you want to `verify` against it.

    A file that is cut off, altered, foreign or of another version of the format raises `FileError`. Loading runs nothing of the
    file: names, operations, types and sizes are checked first, whatever the checksum says.
    """
    return _network(read_file(path), function)


def loads(content: bytes, *, function: Callable[..., Any] | None = None) -> Network:
    """The same from what `Network.content` gave."""
    return _network(read_bytes(content), function)


def restored(content: bytes, backend: str | None, mathematics: Mathematics, training: bool, device: str) -> Network:
    """A network that was pickled: what `loads` reads, and how it was used. It knows no function, as loading one would run its module."""
    network = _network(read_bytes(content), None, backend=backend, mathematics=mathematics)
    return network.to(device).train(training)


torch.serialization.add_safe_globals([restored])


def _network(
    stored: Stored, function: Callable[..., Any] | None, *, backend: str | None = None, mathematics: Mathematics = "vector"
) -> Network:
    network = Network(stored.program, stored.signature, loops=stored.loops, max_rounds=stored.max_rounds, errors=stored.errors,
                      backend=backend, mathematics=mathematics, function=function, heuristic=stored.heuristic)
    network.to(stored.dtype)
    with torch.no_grad():
        for key, value in stored.weights.items():
            network.weights[key].copy_(value)
    for key in stored.still:
        network.weights[key].requires_grad_(False)
    return network

