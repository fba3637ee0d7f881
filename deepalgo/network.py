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

import contextlib
import copy
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from deepalgo.backends.choose import chosen
from deepalgo.backends.native import Call, Engine, Mathematics, engine_of
from deepalgo.backends.targets import Plan
from deepalgo.backends.torch.builds import build
from deepalgo.backends.torch.executable import Executable
from deepalgo.backends.torch.runtime.errors import Complaint, count, raise_first, raise_if
from deepalgo.backends.torch.runtime.gradient import join, pick, positions
from deepalgo.backends.torch.runtime.inputs import Floats
from deepalgo.backends.torch.runtime.mend import Mender, mended
from deepalgo.backends.torch.runtime.record import Record, current_record
from deepalgo.backends.torch.runtime.segments import segment
from deepalgo.backends.torch.runtime.weights import Weights
from deepalgo.certificate import Certificate, verify
from deepalgo.errors import HeuristicError, InputError
from deepalgo.ir import Program, While, walk
from deepalgo.ir.rebuild import rebuild
from deepalgo.ops.forms.operands import may_look, wants_gradient
from deepalgo.ops.forms.soft import measures
from deepalgo.origins import Origins
from deepalgo.signature import Signature
from deepalgo.storage.file import Stored, read_bytes, read_file, write_bytes, write_file


class Inputs(Protocol):
    """How the arguments of a call become tensors."""

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
    `backend`: what it runs on, "torch" or "native"; what native code cannot do runs on torch, and `backend` says why. `mathematics`:
    native code computes "vector" forms of functions such as `exp`, at most 2 units of the last digit off, or "exact" ones, which have
    Python's own bits.
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
        self._asked, self._wish = backend, chosen(backend)
        self.mathematics: Mathematics = mathematics
        self.function = function
        #: Where the function holds the numbers that became weights.
        self.origins = origins if origins is not None else Origins()
        self.weights = Weights(program.weights)
        self.failures: Counter[str] = Counter()
        self._fixed: Executable
        self._complaint = Complaint(self._complain)
        self._mender = Mender(self._repeat_fixed)
        self.register_buffer("_told", torch.zeros((), dtype=torch.bool), persistent=False)

    @property
    def code(self) -> str:
        """The text of the torch function that runs."""
        return self._executable(self.plan()).written.text

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
        return Plan(self.errors, self.loops == "settle", rounds=self.max_rounds)

    @property
    def backend(self) -> str:
        """What the network runs on here: "native", or "torch", with the reason unless it was asked for."""
        if self._wish == "torch":
            return "torch"
        if reason := self._reason_against_native():
            return f"torch ({reason})"
        reason = self._engine().reason_against(gradient=True)
        return f"native, gradients by torch ({reason})" if reason else "native"

    def _reason_against_native(self) -> str:
        """Why the network does not run natively, or "" if it does."""
        if self.dtype != torch.float64 or self.device.type != "cpu":
            return "only float64 on a CPU is native"
        return self._engine().reason_against(gradient=False)

    def _engine(self) -> Engine:
        return engine_of(self.program, self.max_rounds, self.mathematics, self._asked == "native")

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the heuristic returns, for one sample or a batch."""
        leaves, single = self.signature.flatten(args, kwargs, self.dtype, self.device)
        changes = self.program.changes
        if changes:  # the caller's arrays are written to below: neither results nor what a gradient needs may share their memory
            leaves = [leaf.clone() for leaf in leaves]
        results = self.execute(leaves)
        if single:
            results = [result[0] for result in results]
        if changes:
            results, changed = results[: -len(changes)], results[-len(changes) :]
            self.signature.write_back(args, kwargs, dict(zip(changes, changed, strict=True)))
        return rebuild(self.program.output, results)

    def execute(self, leaves: list[Tensor]) -> list[Tensor]:
        """Run the code on tensors with a batch axis; return the leaves of the output."""
        if torch.compiler.is_compiling():
            self._build_fixed()
            executable = self._fixed
        elif (record := current_record()) is not None:
            return self._recorded(leaves, record)
        elif self._wish == "native" and may_look() and not measures() and not self._reason_against_native():
            return self._natively(leaves)
        else:
            executable = self._executable(self.plan())
        results = self._run(executable, leaves)
        if not executable.program.failures:
            return results
        *results, code = results
        if self.errors == "raise":
            raise_if(code.any(), self._told, [leaf.detach() for leaf in leaves], self._complaint.number)
            return results
        if torch.compiler.is_compiling():
            return results
        return self._nan_for_failures(executable, leaves, results, code)

    def _natively(self, leaves: list[Tensor]) -> list[Tensor]:
        """Run the native code; samples that fail raise as they do in torch, or become NaN."""
        engine = self._engine()
        results, codes = Call(engine, len(leaves), self._in_torch).run([*leaves, *self.weights.tensors()])
        bad = positions(codes)
        if len(bad) == 0:
            return results
        failures = engine.failures
        if self.errors == "raise":
            with torch.no_grad():  # which raises at the very line, and knows the operands of the message
                self._in_torch([*(leaf.detach() for leaf in leaves), *self.weights.tensors()])
            raise_first(codes, failures)
        self.failures += count(codes, failures)
        good = positions(codes == 0)
        parts = list(pick(good, results)), [_nothing(result, len(bad)) for result in results]
        return list(join(len(codes), (good, bad), parts))

    def _in_torch(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The results from inputs and weights by torch code, which raises for samples that fail."""
        count = len(self.program.inputs)
        return self._run(self._executable(Plan(rounds=self.max_rounds)), list(tensors[:count]), weights=tensors[count:])

    def outcomes(self, leaves: list[Tensor]) -> tuple[list[Tensor], list[str | None]]:
        """The results, and for each sample the error that it fails with, if any; a failed sample's results mean nothing."""
        if self._wish == "native" and not self._reason_against_native():
            results, codes = Call(self._engine(), len(leaves), self._in_torch).forward([*leaves, *self.weights.tensors()])
            failures = self._engine().failures
            return results, [failures[number - 1].error if number else None for number in codes.tolist()]
        if self.errors == "raise" and self.loops == "run":  # mostly none of them fails, and the code that raises is needed anyway
            with torch.no_grad(), contextlib.suppress(HeuristicError):
                return self._run(self._executable(self.plan()), leaves), [None] * (len(leaves[0]) if leaves else 1)
        executable = self._executable(Plan("nan", self.loops == "settle", rounds=self.max_rounds))
        with torch.no_grad():
            results = self._run(executable, leaves)
        if not executable.program.failures:
            return results, [None] * (len(leaves[0]) if leaves else 1)
        *results, code = results
        return results, [executable.program.failures[number - 1].error if number else None for number in code.tolist()]

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

    def _run(
        self,
        executable: Executable,
        leaves: list[Tensor],
        record: Record | None = None,
        chosen: Tensor | None = None,
        size: int | None = None,
        weights: Sequence[Tensor] | None = None,
    ) -> list[Tensor]:
        weights = self.weights.tensors() if weights is None else weights
        count, dtype, device = len(leaves), self.dtype, self.device

        def run(tensors: Sequence[Tensor]) -> list[Tensor]:
            return executable(tensors[:count], tensors[count:], dtype, device, record, chosen, size)

        tensors = [*leaves, *weights]
        if not wants_gradient(*tensors):
            return run(tensors)
        if torch.compiler.is_compiling():
            return self._compiled(executable, run, tensors)
        if not executable.is_risky or not may_look():
            return run(tensors)

        def repeat(tensors: Sequence[Tensor], careful: bool) -> list[Tensor]:
            twin = self._executable(replace(executable.plan, record=False, careful=careful))
            return twin(tensors[:count], tensors[count:], dtype, device, None, chosen, size)

        return mended(run, repeat, tensors, executable.tokens(leaves, dtype, device, chosen))

    def _compiled(self, executable: Executable, run: Callable[[Sequence[Tensor]], list[Tensor]], tensors: list[Tensor]) -> list[Tensor]:
        """Run in a graph that is being compiled.

        Its backward pass starts from the operands if they are single numbers: the truth values that it would keep cost more than they
        save.
        """

        def whole(tensors: Sequence[Tensor]) -> list[Tensor]:
            return segment(lambda *tensors: run(tensors), *tensors) if executable.is_simple else run(tensors)

        if not executable.is_risky:
            return whole(tensors)
        tokens = executable.tokens(tensors[: len(self.program.inputs)], self.dtype, self.device, None)
        return mended(whole, self._mender, tensors, tokens)

    def _repeat_fixed(self, tensors: Sequence[Tensor], careful: bool) -> list[Tensor]:
        """What a compiled graph computes, in operations that are not fused."""
        executable, count = self._executable(Plan(self.errors, True, rounds=self.max_rounds, careful=careful)), len(self.program.inputs)
        return executable(tensors[:count], tensors[count:], self.dtype, self.device)

    def _recorded(self, leaves: list[Tensor], record: Record) -> list[Tensor]:
        """Run with a record, in which failed samples do not appear."""
        executable = self._executable(Plan(self.errors, record=True, rounds=self.max_rounds))
        if not executable.program.failures:
            return self._run(executable, leaves, record=record)
        *results, code = self._run(executable, leaves)
        good = positions(code == 0)
        self._run(executable, list(pick(good, leaves)), record=record, chosen=good, size=len(code))
        return self._nan_for_failures(executable, leaves, results, code)

    def _nan_for_failures(self, executable: Executable, leaves: list[Tensor], results: list[Tensor], code: Tensor) -> list[Tensor]:
        """Count the failed samples; run the others alone, so that no gradient of a failed one is ever computed."""
        bad = positions(code)
        if len(bad) == 0:
            return results
        self.failures += count(code, executable.program.failures)
        if executable.plan.fixed:
            return results
        good = positions(code == 0)
        again = self._run(executable, list(pick(good, leaves)))[:-1]
        return list(join(len(code), (good, bad), (again, [_nothing(result, len(bad)) for result in results])))

    def _complain(self, leaves: list[Tensor]) -> None:
        """Raise for failed samples: by the code that raises at the very line, which knows the operands of the message."""
        coded = self._executable(Plan("nan", True, rounds=self.max_rounds))
        with torch.no_grad():
            self._run(self._executable(Plan("raise", rounds=self.max_rounds)), leaves)
            *_, code = self._run(coded, leaves)
        raise_first(code, coded.program.failures)

    def _build_fixed(self) -> None:
        """Build the code that `torch.compile` traces; the building itself is not traced."""
        if self.loops == "run" and any(isinstance(item, While) for item in walk(self.program.body)):
            raise InputError(f"{self.program.name} has a loop that ends by data: for torch.compile, compile it with loops='settle'")
        self._fixed = self._executable(Plan(self.errors, True, rounds=self.max_rounds, fused=True))

    # What torch.compiler.assume_constant_result sets; asking for that function would import the whole of dynamo.
    _build_fixed._dynamo_marked_constant = True  # type: ignore[attr-defined]

    def _executable(self, plan: Plan) -> Executable:
        return build(self.program, plan)

    def with_program(self, program: Program) -> Network:
        """A network that runs another program as this one runs its own, with the weights that the program brings."""
        return Network(program, self.signature, loops=self.loops, max_rounds=self.max_rounds, errors=self.errors, backend=self._asked,
                       mathematics=self.mathematics, function=self.function, heuristic=self.heuristic, origins=self.origins)

    def with_errors(self, errors: str) -> Network:
        """A copy of this network that treats failing samples in another way."""
        twin = copy.deepcopy(self)
        twin.errors = errors
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Network:
        twin = self.with_program(self.program)
        twin.follows_lines = self.follows_lines
        memo[id(self)] = twin
        twin.weights = copy.deepcopy(self.weights, memo)
        twin.train(self.training)
        return twin


def load(path: str | Path, *, function: Callable[..., Any] | None = None) -> Network:
    """The network that `Network.save` wrote. Give the heuristic itself as `function` if you want to `verify` against it.

    A file that is cut off, altered, foreign or of another version of the format raises `FileError`. Loading runs nothing of the
    file: names, operations, types and sizes are checked first, whatever the checksum says.
    """
    return _network(read_file(path), function)


def loads(content: bytes, *, function: Callable[..., Any] | None = None) -> Network:
    """The same from what `Network.content` gave."""
    return _network(read_bytes(content), function)


def _network(stored: Stored, function: Callable[..., Any] | None) -> Network:
    network = Network(stored.program, stored.signature, loops=stored.loops, max_rounds=stored.max_rounds, errors=stored.errors,
                      function=function, heuristic=stored.heuristic)
    network.to(stored.dtype)
    with torch.no_grad():
        for key, value in stored.weights.items():
            network.weights[key].copy_(value)
    for key in stored.still:
        network.weights[key].requires_grad_(False)
    return network


def _nothing(like: Tensor, size: int) -> Tensor:
    """What failed samples get: NaN, the smallest integer, or False."""
    inexact = like.is_floating_point() or like.is_complex()
    value = torch.nan if inexact else False if like.dtype == torch.bool else torch.iinfo(like.dtype).min
    return torch.full((size, *like.shape[1:]), value, dtype=like.dtype, device=like.device)
