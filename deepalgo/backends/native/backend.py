"""`NativeBackend`: the program of a network as machine code; what that cannot do runs on torch."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from deepalgo.backends.interface import Host, Jacobian, Outcomes
from deepalgo.backends.native.build import fuses
from deepalgo.backends.native.call import Call
from deepalgo.backends.native.engine import Engine, engine_of
from deepalgo.backends.native.jacobian import NativeJacobian
from deepalgo.backends.native.single_calls import SingleCalls, numbers_of
from deepalgo.backends.torch.backend import TorchBackend
from deepalgo.backends.torch.runtime.errors import count, join_failed
from deepalgo.backends.torch.runtime.gradient import pick, positions
from deepalgo.backends.torch.runtime.record import Record, current_record
from deepalgo.ops.forms.operands import may_look, wants_gradient
from deepalgo.ops.forms.soft import measures

#: Tensors that are nothing else.
PLAIN = frozenset({Tensor, torch.nn.Parameter})


class NativeBackend:
    """Runs the engine of a program; graphs that torch compiles are torch's."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._torch = TorchBackend(host)
        self._single = SingleCalls(host.program)

    def reason_against(self, *, gradient: bool) -> str:
        """Why the program, or its gradient, is not native."""
        if not self._fits():
            return "only float64 on a CPU is native"
        return self._engine().reason_against(gradient=gradient)

    def computed_by(self, *, gradient: bool) -> str:
        """Native code, with its mathematics, and what is left to torch."""
        if reason := self.reason_against(gradient=False):
            return f"torch ({reason})"
        engine = self._engine()
        reasons = {"gradients": self.reason_against(gradient=True) if gradient else "", "paths": engine.reason_against_records()}
        left = [f"{what} by torch ({reason})" for what, reason in reasons.items() if reason]
        return ", ".join([f"native code, {engine.mathematics if fuses() else 'exact'} mathematics", *left])

    def run(self, leaves: list[Tensor]) -> list[Tensor]:
        """The results; samples that fail raise, with the words that torch has for it, or become NaN."""
        if not _is_ordinary(leaves) or self.reason_against(gradient=False):
            return self._torch.run(leaves)
        engine, weights = self._engine(), self._host.weights.tensors()
        results, codes = Call(engine, len(leaves), self._torch.from_tensors, self._host.errors == "raise").run([*leaves, *weights])
        return self._without_failed(engine, results, codes)

    def _without_failed(self, engine: Engine, results: list[Tensor], codes: Tensor) -> list[Tensor]:
        """The results with NaN for the samples that fail, which are counted."""
        if len(positions(codes)) == 0:
            return results
        self._host.failures += count(codes, engine.failures)
        return join_failed(codes, pick(positions(codes == 0), results))

    def run_one(self, args: Sequence[Any]) -> list[Tensor] | None:
        """The same for one sample of numbers; None if it fails, or asks for more than numbers."""
        if not _is_ordinary() or current_record() is not None or (numbers := numbers_of(args)) is None:
            return None
        weights = self._host.weights.tensors()
        if wants_gradient(*weights) or not self._fits():
            return None
        return self._single.answer(self._engine(), numbers, weights)

    def outcomes(self, leaves: list[Tensor]) -> Outcomes:
        """The results, and for each sample the error that it fails with."""
        if self.reason_against(gradient=False):
            return self._torch.outcomes(leaves)
        engine = self._engine()
        results, codes = Call(engine, len(leaves), self._torch.from_tensors).forward([*leaves, *self._host.weights.tensors()])
        failures = engine.failures
        return results, [failures[number - 1].error if number else None for number in codes.tolist()]

    def jacobian(self, keys: Sequence[str]) -> Jacobian:
        """The derivatives for each sample by these weights."""
        return NativeJacobian(self._host, keys, functools.cache(lambda: self._torch.jacobian(keys)))

    def watch(self, leaves: list[Tensor], record: Record) -> list[Tensor]:
        """Run code that records; it computes the same bits."""
        engine, weights = self._engine(), self._host.weights.tensors()
        if not _is_ordinary(leaves) or not self._fits() or engine.reason_against_records():
            return self._torch.watch(leaves, record)
        call = Call(engine, len(leaves), self._torch.from_tensors)
        outcome = engine.record(*call.arrays([*leaves, *weights]), record)
        if wants_gradient(*leaves, *weights) or (self._host.errors == "raise" and outcome.codes.any()):
            return self.run(leaves)
        return self._without_failed(engine, [*map(torch.from_numpy, outcome.results)], torch.from_numpy(outcome.codes))

    def _fits(self) -> bool:
        """Whether numbers are what native code computes with."""
        return self._host.dtype is torch.float64 and self._host.device.type == "cpu"

    def _engine(self) -> Engine:
        host = self._host
        return engine_of(host.program, host.max_rounds, host.mathematics, host.is_patient)


def _is_ordinary(tensors: Sequence[Tensor] = ()) -> bool:
    """Whether this is a call with numbers, and nobody writes down or transforms what torch computes meanwhile."""
    return may_look() and not measures() and torch._C._len_torch_dispatch_stack() == 0 and all(type(tensor) in PLAIN for tensor in tensors)
