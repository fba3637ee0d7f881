"""`Executable`: a lowered program as text and as a function.

>>> from deepalgo.ir import parse
>>> double = load_code(parse('''
... double(x: real)
...   %y = add %x %x
...   return %y
... '''), Plan())
>>> double([torch.tensor([1.0, 2.0])], [], torch.float32, torch.device("cpu"))
[tensor([2., 4.])]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor

from deepalgo.backends.targets import Plan
from deepalgo.backends.torch.load import load
from deepalgo.backends.torch.runtime.record import Record
from deepalgo.backends.torch.runtime.run import Run
from deepalgo.backends.torch.runtime.tables import Tables
from deepalgo.backends.torch.write_regions import TorchCode, write
from deepalgo.ir import Kind, Op, Program, Type, walk
from deepalgo.ir.rewriter import all_values
from deepalgo.lower.depth import compiling, deep_calls
from deepalgo.ops.forms.operands import COMPLEX
from deepalgo.ops.table import TABLE

#: Functions inside of one another that Python calls as it is.
DEEP = 50


@dataclass(frozen=True, slots=True, eq=False)
class Executable:
    """Code that runs by a plan; `program` is what it was written from."""

    plan: Plan
    program: Program
    written: TorchCode
    tables: Tables
    function: Callable[..., tuple[Tensor, ...]]
    #: Whether it computes with single numbers only, which are cheap to recompute in the backward pass.
    is_simple: bool
    #: Whether a derivative can be inf or NaN.
    is_risky: bool
    #: Whether its functions call one another deeper than Python allows without being asked.
    is_deep: bool = False

    def __call__(
        self, leaves: Sequence[Tensor], weights: Sequence[Tensor], dtype: torch.dtype, device: torch.device,
        record: Record | None = None, chosen: Tensor | None = None, size: int | None = None,
    ) -> list[Tensor]:
        """Run on tensors with a batch axis; if the program has failures, the last result is the error code.

        `chosen` are the samples' numbers where they are part of a batch of `size`.
        """
        written = self.written
        if size is None:
            size = leaves[0].shape[0] if leaves else 1
        run = Run(size, dtype, device, written.sites, self.tables, self.plan.rounds, record)
        with deep_calls() if self.is_deep else nullcontext():
            return list(self.function(run if chosen is None else run.sub(chosen), *leaves, *weights))

    def tokens(self, leaves: Sequence[Tensor], dtype: torch.dtype, device: torch.device, chosen: Tensor | None) -> list[Tensor | None]:
        """What can be added to the results of a call and changes none of them: -0.0, or None for whole numbers."""
        size = len(chosen) if chosen is not None else leaves[0].shape[0] if leaves else 1
        return [_token(value.type, size, dtype, device) for value in self.program.body.results]


def _token(type: Type, size: int, dtype: torch.dtype, device: torch.device) -> Tensor | None:
    """A tensor of -0.0 that takes no memory."""
    if type.kind < Kind.REAL:
        return None
    zero = -0.0 if type.kind == Kind.REAL else complex(-0.0, -0.0)
    return torch.full((), zero, dtype=dtype if type.kind == Kind.REAL else COMPLEX[dtype], device=device).expand(size, *type.shape)


def load_code(program: Program, plan: Plan) -> Executable:
    """Write and load a program that has gone through the passes of its plan."""
    with compiling():
        written = write(program, record=plan.record, careful=plan.careful)
        is_simple = all(not value.type.shape for value in all_values(program))
        is_risky = any(isinstance(statement, Op) and _is_risky(statement) for statement in walk(program.body))
        function = load(written.text, program.name)
        return Executable(plan, program, written, Tables(written.tables), function, is_simple, is_risky, written.deepest > DEEP)


def _is_risky(op: Op) -> bool:
    return TABLE[op.name].is_risky([arg.type for arg in op.args])
