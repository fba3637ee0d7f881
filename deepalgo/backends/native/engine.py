"""`Engine`: a program natively, forward and backward; each part is compiled when it is first asked for.

>>> import numpy as np
>>> from deepalgo.ir import parse
>>> program = parse('''
... scale(x: real)
...   weight w = 3.0
...   %w = weight w
...   %y = mul %x %w
...   return %y
... ''')
>>> engine_of(program).gradient([np.array([1.0, 2.0])], np.array([3.0]), [np.array([1.0, 10.0])])
Gradient(inputs=[array([ 3., 30.])], weights=[array(21.)])
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn

import numpy as np
import torch

from deepalgo.adjoint import adjoint, adjoint_in_segments, careful_adjoint, careful_adjoint_in_segments
from deepalgo.backends.native.columns import Array
from deepalgo.backends.native.complaint import complain
from deepalgo.backends.native.complex_arrays import in_parts, put_together
from deepalgo.backends.native.kernel import LARGEST_STACK, Kernel, KernelOutcome, StackLimit
from deepalgo.backends.native.mathematics import Mathematics
from deepalgo.backends.native.notes import Notes
from deepalgo.backends.native.text import Unsupported
from deepalgo.backends.native.visits import add_visits
from deepalgo.backends.targets import NATIVE, native_back
from deepalgo.backends.torch.runtime.record import Record
from deepalgo.backends.torch.ties import find_ties
from deepalgo.ir import Check, Failure, Kind, Program, Type, While, walk
from deepalgo.lower.depth import compiling
from deepalgo.lower.passes import Passes, PassSettings, run
from deepalgo.ops.formula import NoFormulaError

REAL = Type(Kind.REAL)
#: Instructions that LLVM compiles in about ten seconds: longer programs run natively only if someone asks for it.
MOST_LINES = 120_000


@dataclass(frozen=True, slots=True)
class Gradient:
    """The adjoints of the real inputs, a row for each sample, and those of the weights, added up over all samples: `total` in a row."""

    inputs: list[Array]
    weights: list[Array]
    total: Array = field(repr=False)


class Engine:
    """Native code of one program; `Unsupported` says what it cannot do. A patient one compiles programs of any length.

    Its derivatives are those by the inputs for each sample and by the weights added up, or those for each sample `by` some weights alone.
    """

    def __init__(self, program: Program, rounds: int = 10_000, mathematics: Mathematics = "exact", patient: bool = False,
                 by: tuple[str, ...] | None = None) -> None:
        self._program = weakref.ref(program)
        self._most_lines = None if patient else MOST_LINES
        #: Whose functions are called: those of the C library, or vector forms, which are at most 2 ulp off.
        self.mathematics: Mathematics = mathematics
        #: The types of the results of the program.
        self.result_types = tuple(value.type for value in program.body.results)
        self._input_types = tuple(item.value.type for item in program.inputs)
        #: The largest number of rounds of a loop that ends by data.
        self.rounds = rounds
        self._by = by
        self._lock = threading.RLock()
        self._kernels: dict[str, Kernel] = {}
        self._reasons: dict[str, str] = {}
        #: Whether samples were met whose loops are long.
        self._long = False

    def _kernel(self, part: str) -> Kernel:
        """A part of the engine, by its name in `PARTS`."""
        with self._lock:
            if part in self._reasons:
                raise Unsupported(self._reasons[part])
            if part not in self._kernels:
                try:
                    self._kernels[part] = self._compiled(part)
                except (Unsupported, NoFormulaError) as reason:
                    self._reasons[part] = str(reason)
                    raise Unsupported(str(reason)) from None
            return self._kernels[part]

    def _compiled(self, part: str) -> Kernel:
        program = self._program()
        assert program is not None
        with compiling():
            held = self._kernels.get("forward") if part == "record" else None
            lowered = run(self._passes(part), program, PassSettings(self.rounds)) if held is None else held.program
            if part in FORWARD:
                notes = Notes(tells=True) if part == "forward" else Notes(records=True, ties=frozenset(find_ties(lowered)))
                return Kernel(lowered, frozenset(), self.mathematics, LARGEST_STACK, self._most_lines, notes)
            first = len(lowered.body.results) - len(program.weights)
            summed = frozenset(range(first, first + len(program.weights))) if self._by is None else frozenset[int]()
            has_other = f"{part} long" in PARTS and any(isinstance(statement, While) for statement in walk(program.body))
            return Kernel(lowered, summed, self.mathematics, SHORT_STACK if has_other else LARGEST_STACK, self._most_lines)

    def _passes(self, part: str) -> Passes:
        if part in FORWARD or self._by is None:
            return PARTS[part]
        return native_back(partial(DERIVATIVES[part], by=self._by))

    @property
    def forward_program(self) -> Program:
        """The program as it is written forward."""
        return self._kernel("forward").program

    @property
    def checks(self) -> list[Check | While]:
        """The checks that samples can fail, by their numbers from 1 on; a loop stands for its running too long."""
        return self._kernel("forward").written.checks

    @property
    def failures(self) -> list[Failure]:
        """What each of the checks raises."""
        endless = f"still running after {self.rounds} rounds"
        return [Failure.of(check) if isinstance(check, Check) else Failure("LoopBound", endless, 0, check.span) for check in self.checks]

    def reason_against(self, *, gradient: bool) -> str:
        """Why the program does not run natively, with its gradient or without, or "" if it does."""
        return self._reason(*("forward", "back") if gradient else ("forward",))

    def reason_against_records(self) -> str:
        """Why what samples do is not recorded natively, or "" if it is."""
        return self._reason("record")

    def _reason(self, *parts: str) -> str:
        try:
            for part in parts:
                self._kernel(part)
        except Unsupported as reason:
            return str(reason)
        return ""

    def forward(self, inputs: Sequence[Array], weights: Array) -> KernelOutcome:
        """The results for samples, and the check that each of them fails."""
        return self._results("forward", inputs, weights)

    def record(self, inputs: Sequence[Array], weights: Array, record: Record) -> KernelOutcome:
        """The same, with what the samples that do not fail do on their way."""
        outcome = self._results("record", inputs, weights)
        add_visits(record, self._kernel("record").written.notes, outcome.codes, outcome.entries)
        return outcome

    def complain(self, outcome: KernelOutcome) -> NoReturn:
        """Raise for the samples of an outcome of `forward` that failed first."""
        complain(self.failures, self._kernel("forward").written.notes, outcome.codes, outcome.entries, outcome.lanes)

    def _results(self, part: str, inputs: Sequence[Array], weights: Array) -> KernelOutcome:
        outcome = self._kernel(part).run(in_parts(inputs), weights, self.rounds, torch.get_num_threads())
        return replace(outcome, results=put_together(outcome.results, self.result_types))

    def gradient(self, inputs: Sequence[Array], weights: Array, adjoints: Sequence[Array]) -> Gradient:
        """The adjoints of inputs and weights from those of the real results; failed samples contribute zero."""
        found = self._split(self._back("back", inputs, weights, adjoints))
        if any(np.isnan(array).any() for array in (*found.inputs, found.total)):
            careful = self._split(self._back("careful", inputs, weights, adjoints))
            _take_where_nan(found.inputs, careful.inputs)
            return replace(found, weights=careful.weights, total=careful.total)
        return found

    def rows(self, inputs: Sequence[Array], weights: Array, adjoints: Sequence[Array]) -> tuple[KernelOutcome, list[Array]]:
        """The results for samples, and the adjoints of the weights that the engine is `by`, from those of the real results."""
        outcome = self._back("back", inputs, weights, adjoints)
        types = [REAL] * len(self._by or ())
        found = self._derivatives(outcome, types)
        if any(np.isnan(array).any() for array in found):
            _take_where_nan(found, self._derivatives(self._back("careful", inputs, weights, adjoints), types))
        return replace(outcome, results=put_together(outcome.results, self.result_types)), found

    def _split(self, outcome: KernelOutcome) -> Gradient:
        types = [type for type in self._input_types if type.kind >= Kind.REAL]
        return Gradient(self._derivatives(outcome, types), outcome.sums, outcome.total)

    def _derivatives(self, outcome: KernelOutcome, types: Sequence[Type]) -> list[Array]:
        """What stands behind the results: the adjoints of values of these types, zero for failed samples."""
        found = put_together(outcome.results, (*self.result_types, *types))[len(self.result_types) :]
        if outcome.failed:
            for array in found:
                array[outcome.codes != 0] = 0.0
        return found

    def _back(self, part: str, inputs: Sequence[Array], weights: Array, adjoints: Sequence[Array]) -> KernelOutcome:
        kernel = self._kernel(f"{part} long" if self._long else part)
        try:
            return kernel.run(in_parts([*inputs, *adjoints]), weights, self.rounds, torch.get_num_threads())
        except StackLimit:
            if kernel.most_stack == LARGEST_STACK:
                raise
            self._go_long(part, kernel)
            return self._back(part, inputs, weights, adjoints)

    def _go_long(self, part: str, kernel: Kernel) -> None:
        """Go back through loops in segments from here on, which changes no bit; if that cannot be compiled, with a larger stack."""
        try:
            self._kernel(f"{part} long")
            self._long = True
        except Unsupported:
            kernel.most_stack = LARGEST_STACK


def _take_where_nan(arrays: Sequence[Array], others: Sequence[Array]) -> None:
    """Take the samples from other arrays that have a NaN in these: what a sample gets does not depend on its neighbours."""
    if not arrays:
        return
    lost = np.zeros(len(arrays[0]), bool)
    for array in arrays:
        lost |= np.isnan(array).any(axis=tuple(range(1, array.ndim)))
    for array, other in zip(arrays, others, strict=True):
        array[lost] = other[lost]


#: The derivative of each part that goes back; those for long loops take more time, and less memory.
DERIVATIVES = {
    "back": adjoint, "careful": careful_adjoint, "back long": adjoint_in_segments, "careful long": careful_adjoint_in_segments,
}
#: The parts that compute results, without a record of what samples do, and with one.
FORWARD = ("forward", "record")
#: The passes of each part.
PARTS: dict[str, Passes] = {**dict.fromkeys(FORWARD, NATIVE), **{part: native_back(derivative) for part, derivative in DERIVATIVES.items()}}
#: Bytes that a thread may save of loops that end by data; beyond that, such loops are gone back through in segments.
SHORT_STACK = 1 << 24
#: By the identity of the program, and all that an engine is made with; a program that is gone takes its engines along.
_engines: dict[tuple[Any, ...], tuple[weakref.ref[Program], Engine]] = {}
_lock = threading.RLock()
#: Rounds that a loop may run for unless something else is said.
USUAL_ROUNDS = 10_000


def engine_of(program: Program, rounds: int = USUAL_ROUNDS, mathematics: Mathematics = "exact", patient: bool = False,
              by: tuple[str, ...] | None = None) -> Engine:
    """The engine of a program, made once; it lasts as long as the program does."""
    key = id(program), rounds, mathematics, patient, by
    with _lock:
        found = _engines.get(key)
        if found is None:
            if rounds != USUAL_ROUNDS and not any(isinstance(statement, While) for statement in walk(program.body)):
                engine = engine_of(program, USUAL_ROUNDS, mathematics, patient, by)  # as no loop asks for the number
            else:
                engine = Engine(program, rounds, mathematics, patient, by)
            found = _engines[key] = weakref.ref(program, lambda _: _engines.pop(key, None)), engine
        return found[1]
