"""`Backend`: what a network asks of whatever runs its program; and `Host`: what a backend may ask of the network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import torch
from torch import Tensor

from deepalgo.backends.native.mathematics import Mathematics
from deepalgo.backends.torch.runtime.record import Record
from deepalgo.ir import Program

#: The results for a batch, and for each sample the name of the error that it fails with, if any.
Outcomes: TypeAlias = tuple[list[Tensor], list[str | None]]


@dataclass(frozen=True, slots=True)
class SampleDerivatives:
    """The results for a batch, their derivatives for each sample, and which samples failed: these have NaN, and derivatives of zero.

    The derivatives of a result have its shape and a last axis for the numbers of all weights in a row.
    """

    results: list[Tensor]
    derivatives: list[Tensor]
    failed: Tensor


class Jacobian(Protocol):
    """Computes results and, for each sample, their derivatives by some weights."""

    def __call__(self, leaves: Sequence[Tensor], weights: Sequence[Tensor]) -> SampleDerivatives:
        """With a batch for each input, and with these values of the weights; nothing that autograd follows."""


class Parameters(Protocol):
    """The weights of a network."""

    def tensors(self) -> Sequence[Tensor]:
        """One for each weight of the program, in its order."""


class Host(Protocol):
    """A network as its backend sees it. All but the program may change between two calls."""

    program: Program
    #: "run" or "settle", with so many rounds at most.
    loops: str
    max_rounds: int
    #: What becomes of samples that fail: they "raise", or become "nan" and are counted in `failures`.
    errors: str
    failures: Counter[str]
    mathematics: Mathematics
    #: Whether the backend was asked for by its name: then it compiles what takes long, too.
    is_patient: bool
    #: Changed, as graphs believe, by a check that raises.
    told: Tensor

    @property
    def weights(self) -> Parameters:
        """What the program's weights are."""

    @property
    def dtype(self) -> torch.dtype:
        """The type of number to compute with."""

    @property
    def device(self) -> torch.device:
        """Where the weights are."""


class Backend(Protocol):
    """Runs the program of one network, on tensors with a batch axis in the order of the program's inputs.

    What it cannot run it leaves to torch, and `reason_against` says why.
    """

    def reason_against(self, *, gradient: bool) -> str:
        """Why the program, or its gradient, is left to torch as things stand; "" if it is not."""

    def computed_by(self, *, gradient: bool) -> str:
        """What computes answers, their gradient if that is asked for, and records, as certificates have it."""

    def run(self, leaves: list[Tensor]) -> list[Tensor]:
        """The leaves of the output, with a gradient where autograd asks for one; samples that fail raise or become NaN."""

    def run_one(self, args: Sequence[Any]) -> list[Tensor] | None:
        """The leaves of the output for one sample of numbers, without a gradient; None where there is no shorter way than `run`."""

    def outcomes(self, leaves: list[Tensor]) -> Outcomes:
        """Results without gradients, and the errors; what stands in the results of a failed sample means nothing."""

    def jacobian(self, keys: Sequence[str]) -> Jacobian:
        """The derivatives for each sample by these weights."""

    def watch(self, leaves: list[Tensor], record: Record) -> list[Tensor]:
        """Run, and record which arms samples take, and how many rounds."""
