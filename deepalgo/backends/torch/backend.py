"""`TorchBackend`: the program of a network as torch code, which runs everywhere and has every derivative."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from deepalgo.backends.interface import Host, Jacobian, Outcomes
from deepalgo.backends.targets import Plan
from deepalgo.backends.torch.builds import build
from deepalgo.backends.torch.executable import Executable
from deepalgo.backends.torch.jacobian import TorchJacobian, WeightsAsInputs
from deepalgo.backends.torch.runtime.errors import Complaint, count, join_failed, raise_first, raise_if
from deepalgo.backends.torch.runtime.gradient import pick, positions
from deepalgo.backends.torch.runtime.mend import Mender, mended
from deepalgo.backends.torch.runtime.record import Record
from deepalgo.backends.torch.runtime.segments import segment
from deepalgo.errors import HeuristicError, InputError
from deepalgo.ir import While, walk
from deepalgo.ops.forms.operands import may_look, wants_gradient


def plan_of(host: Host) -> Plan:
    """How torch code is to run, by the options of a network."""
    return Plan(host.errors, host.loops == "settle", rounds=host.max_rounds)


class TorchBackend:
    """Builds the code that a call needs, runs it, and looks after samples that fail and gradients that are not finite."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._fixed: Executable
        self._complaint = Complaint(self._complain)
        self._mender = Mender(self._repeat_fixed)

    def reason_against(self, *, gradient: bool) -> str:
        """There is none."""
        return ""

    def computed_by(self, *, gradient: bool) -> str:
        """Everything."""
        return "torch"

    def run(self, leaves: list[Tensor]) -> list[Tensor]:
        """The results, which autograd follows."""
        if torch.compiler.is_compiling():
            self._build_fixed()
            executable = self._fixed
        else:
            executable = self._executable(plan_of(self._host))
        results = self._run(executable, leaves)
        if not executable.program.failures:
            return results
        *results, code = results
        if self._host.errors == "raise":
            raise_if(code.any(), self._host.told, [leaf.detach() for leaf in leaves], self._complaint.number)
            return results
        if torch.compiler.is_compiling():
            return results
        return self._nan_for_failures(executable, leaves, results, code)

    def from_tensors(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The results from inputs and weights; samples that fail raise at the very line, with the operands of the message."""
        inputs = len(self._host.program.inputs)
        return self._run(self._executable(Plan(rounds=self._host.max_rounds)), list(tensors[:inputs]), weights=tensors[inputs:])

    def run_one(self, args: Sequence[object]) -> None:
        """Torch has no shorter way for one sample."""

    def outcomes(self, leaves: list[Tensor]) -> Outcomes:
        """The results, and for each sample the error that it fails with."""
        host, size = self._host, len(leaves[0]) if leaves else 1
        if host.errors == "raise" and host.loops == "run":  # mostly none of them fails, and the code that raises is needed anyway
            with torch.no_grad(), contextlib.suppress(HeuristicError):
                return self._run(self._executable(plan_of(host)), leaves), [None] * size
        with torch.no_grad():
            results, codes = self.coded(leaves)
        failures = self._coded().program.failures
        return results, [failures[number - 1].error if number else None for number in codes.tolist()]

    def coded(self, leaves: list[Tensor]) -> tuple[list[Tensor], Tensor]:
        """The results, which autograd follows, and the number of the failure of each sample, or 0."""
        executable = self._coded()
        results = self._run(executable, leaves)
        if not executable.program.failures:
            return results, torch.zeros(len(leaves[0]) if leaves else 1, dtype=torch.int64)
        *results, codes = results
        return results, codes

    def jacobian(self, keys: Sequence[str]) -> Jacobian:
        """The derivatives for each sample by these weights."""
        return TorchJacobian(TorchBackend(WeightsAsInputs(self._host, keys)).coded)

    def watch(self, leaves: list[Tensor], record: Record) -> list[Tensor]:
        """Run with a record, in which failed samples do not appear."""
        executable = self._executable(Plan(self._host.errors, record=True, rounds=self._host.max_rounds))
        if not executable.program.failures:
            return self._run(executable, leaves, record=record)
        *results, code = self._run(executable, leaves)
        good = positions(code == 0)
        self._run(executable, list(pick(good, leaves)), record=record, chosen=good, size=len(code))
        return self._nan_for_failures(executable, leaves, results, code)

    def _run(
        self,
        executable: Executable,
        leaves: list[Tensor],
        record: Record | None = None,
        chosen: Tensor | None = None,
        size: int | None = None,
        weights: Sequence[Tensor] | None = None,
    ) -> list[Tensor]:
        weights = self._host.weights.tensors() if weights is None else weights
        inputs, dtype, device = len(leaves), self._host.dtype, self._host.device

        def run(tensors: Sequence[Tensor]) -> list[Tensor]:
            return executable(tensors[:inputs], tensors[inputs:], dtype, device, record, chosen, size)

        tensors = [*leaves, *weights]
        if not wants_gradient(*tensors):
            return run(tensors)
        if torch.compiler.is_compiling():
            return self._compiled(executable, run, tensors)
        if not executable.is_risky or not may_look():
            return run(tensors)

        def repeat(tensors: Sequence[Tensor], careful: bool) -> list[Tensor]:
            twin = self._executable(replace(executable.plan, record=False, careful=careful))
            return twin(tensors[:inputs], tensors[inputs:], dtype, device, None, chosen, size)

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
        tokens = executable.tokens(tensors[: len(self._host.program.inputs)], self._host.dtype, self._host.device, None)
        return mended(whole, self._mender, tensors, tokens)

    def _repeat_fixed(self, tensors: Sequence[Tensor], careful: bool) -> list[Tensor]:
        """What a compiled graph computes, in operations that are not fused."""
        host, inputs = self._host, len(self._host.program.inputs)
        executable = self._executable(Plan(host.errors, True, rounds=host.max_rounds, careful=careful))
        return executable(tensors[:inputs], tensors[inputs:], host.dtype, host.device)

    def _nan_for_failures(self, executable: Executable, leaves: list[Tensor], results: list[Tensor], code: Tensor) -> list[Tensor]:
        """Count the failed samples; run the others alone, so that no gradient of a failed one is ever computed."""
        if len(positions(code)) == 0:
            return results
        self._host.failures += count(code, executable.program.failures)
        if executable.plan.fixed:
            return results
        good = positions(code == 0)
        return join_failed(code, self._run(executable, list(pick(good, leaves)))[:-1])

    def _complain(self, leaves: list[Tensor]) -> None:
        """Raise for failed samples: by the code that raises at the very line, which knows the operands of the message."""
        coded = self._executable(Plan("nan", True, rounds=self._host.max_rounds))
        with torch.no_grad():
            self._run(self._executable(Plan(rounds=self._host.max_rounds)), leaves)
            *_, code = self._run(coded, leaves)
        raise_first(code, coded.program.failures)

    def _build_fixed(self) -> None:
        """Build the code that `torch.compile` traces; the building itself is not traced."""
        program = self._host.program
        if self._host.loops == "run" and any(isinstance(item, While) for item in walk(program.body)):
            raise InputError(f"{program.name} has a loop that ends by data: for torch.compile, compile it with loops='settle'")
        self._fixed = self._executable(Plan(self._host.errors, True, rounds=self._host.max_rounds, fused=True))

    # What torch.compiler.assume_constant_result sets; asking for that function would import the whole of dynamo.
    _build_fixed._dynamo_marked_constant = True  # type: ignore[attr-defined]

    def _coded(self) -> Executable:
        return self._executable(replace(plan_of(self._host), errors="nan"))

    def _executable(self, plan: Plan) -> Executable:
        return build(self._host.program, plan)
