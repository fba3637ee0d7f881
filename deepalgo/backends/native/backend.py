"""`NativeBackend`: the program of a network as machine code; what that cannot do runs on torch."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from deepalgo.backends.interface import Host, Jacobian, Outcomes
from deepalgo.backends.native.call import Call
from deepalgo.backends.native.engine import Engine, engine_of
from deepalgo.backends.native.jacobian import NativeJacobian
from deepalgo.backends.native.single_calls import SingleCalls, numbers_of
from deepalgo.backends.torch.backend import TorchBackend
from deepalgo.backends.torch.runtime.errors import count, join_failed, raise_first
from deepalgo.backends.torch.runtime.gradient import pick, positions
from deepalgo.backends.torch.runtime.record import Record, current_record
from deepalgo.ops.forms.operands import may_look, wants_gradient
from deepalgo.ops.forms.soft import measures


class NativeBackend:
    """Runs the engine of a program; records, graphs that torch compiles and messages of errors are torch's."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._torch = TorchBackend(host)
        self._single = SingleCalls(host.program)

    def reason_against(self, *, gradient: bool) -> str:
        """Why the program, or its gradient, is not native."""
        if not self._fits():
            return "only float64 on a CPU is native"
        return self._engine().reason_against(gradient=gradient)

    def run(self, leaves: list[Tensor]) -> list[Tensor]:
        """The results; samples that fail raise as they do in torch, or become NaN."""
        if not may_look() or measures() or self.reason_against(gradient=False):
            return self._torch.run(leaves)
        engine, weights = self._engine(), self._host.weights.tensors()
        results, codes = Call(engine, len(leaves), self._torch.from_tensors).run([*leaves, *weights])
        if len(positions(codes)) == 0:
            return results
        if self._host.errors == "raise":
            with torch.no_grad():
                self._torch.from_tensors([*(leaf.detach() for leaf in leaves), *weights])
            raise_first(codes, engine.failures)
        self._host.failures += count(codes, engine.failures)
        return join_failed(codes, pick(positions(codes == 0), results))

    def run_one(self, args: Sequence[Any]) -> list[Tensor] | None:
        """The same for one sample of numbers; None if it fails, or asks for more than numbers."""
        if not may_look() or measures() or current_record() is not None or (numbers := numbers_of(args)) is None:
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
        """Run on torch, which records."""
        return self._torch.watch(leaves, record)

    def _fits(self) -> bool:
        """Whether numbers are what native code computes with."""
        return self._host.dtype is torch.float64 and self._host.device.type == "cpu"

    def _engine(self) -> Engine:
        host = self._host
        return engine_of(host.program, host.max_rounds, host.mathematics, host.is_patient)
