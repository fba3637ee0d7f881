"""Hold native code against the interpreter on random programs: bit for bit, in mixed batches, and its gradients against torch.

`mathematics="exact"` has Python's own bits, and the interpreter says what a program means. Where an operation is NumPy's, both may round
otherwise; how far that reaches is measured by moving the inputs in their last places. Samples with NaN, infinities and zeros stand beside
ordinary ones, and some fail.

>>> from tests.fuzz.generator import generate
>>> check(generate(3)).word
'ok'
"""

from __future__ import annotations

import contextlib
import functools
import io
import math
import random
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

import deepalgo as da
from deepalgo.adjoint.reverse import Reverse
from deepalgo.adjoint.segments import USUAL
from deepalgo.backends.native import Engine, Kernel
from deepalgo.backends.native.complex_arrays import in_parts
from deepalgo.backends.targets import CLEAN, IN_REALS, READY, TYPED
from deepalgo.backends.torch.backend import TorchBackend
from deepalgo.errors import CompileError, HeuristicError
from deepalgo.ir import Attr, By, Failed, Interpreter, Kind, Leaf, Op, Value, While
from deepalgo.ir import Program as IrProgram
from deepalgo.ir import Sequence as SequenceTree
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.lower.passes import PassSettings, WithRounds, run
from deepalgo.lower.prune import prune
from deepalgo.ops.table import TABLE
from tests.fuzz.exact import KINDS, loaded
from tests.fuzz.program import Program
from tests.fuzz.verdict import Mismatch, Verdict, generalise
from tests.support.meaning import is_exact

Arrays = list[np.ndarray]
#: Inputs that are put in the place of ordinary ones.
EDGES = (math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, 1e300)
#: So many samples have one of them.
EDGED = 9
#: How far values of NumPy's functions may be off: in units of the last place, and times what such a change of the inputs does.
ULPS, BLUR = 4, 64.0
GRADIENT_RTOL = 1e-12
#: How far slopes may be off, of the size of their terms.
SLOPE_RTOL = 2.0**-48


def check(program: Program, every: int = 1) -> Verdict:
    """The verdict on one program; the gradient is compared of every so many programs, by their seeds."""
    facts: Counter[str] = Counter()
    try:
        with tempfile.TemporaryDirectory() as folder, quiet():
            file = Path(folder) / f"program_{program.seed}.py"
            file.write_text(program.source)
            with loaded(program, str(file)) as module:
                args, kwargs = program.call(0)
                network = da.compile(getattr(module, program.entry), example=(tuple(args), kwargs), errors="nan", backend="native",
                                     mathematics="exact")
                Comparison(program, network, facts).run(gradient=program.seed % every == 0)
    except CompileError as error:
        return Verdict("refused", generalise(error.reason), str(error), facts=facts)
    except Mismatch as error:
        return Verdict(error.word, error.reason, error.detail, error.sample, facts)
    except Exception as error:  # whatever else leaves the library is a crash
        return Verdict("crashed", f"{type(error).__name__}: {generalise(str(error))}", str(error), facts=facts)
    return Verdict("ok", facts=facts)


@contextlib.contextmanager
def quiet() -> Any:
    """Neither prints nor warnings."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


class Absolute(Reverse):
    """The derivative with the size of each contribution in its place."""

    def arrive(self, bars: dict[Value, Value], value: Value, g: Value) -> None:
        super().arrive(bars, value, self.add("abs", g))


def absolute_adjoint(program: IrProgram, rounds: int) -> IrProgram:
    """The sums of the sizes of contributions where the adjoint has their sums."""
    return Absolute(program, rounds, True, USUAL).made()


class Uncancelled(Absolute):
    """The same with slopes whose terms do not cancel, as those of `1 - tanh * tanh` do where few of their digits are left."""

    def add(self, name: str, *args: Value, attrs: tuple[tuple[str, Attr], ...] = ()) -> Value:
        return super().add("add", *(super(Uncancelled, self).add("abs", arg) for arg in args)) if name == "sub" else super().add(
            name, *args, attrs=attrs)


def uncancelled_adjoint(program: IrProgram, rounds: int) -> IrProgram:
    """The sums of the sizes of contributions, with slopes of the size of their terms."""
    return Uncancelled(program, rounds, True, USUAL).made()


SIZES = {word: (*READY, WithRounds(made), prune, *CLEAN, *TYPED, IN_REALS)
         for word, made in (("contributions", absolute_adjoint), ("terms", uncancelled_adjoint))}


class Rounded(Rewriter):
    """The program with functions of NumPy that round in another way."""

    def __init__(self, program: IrProgram, rng: random.Random) -> None:
        super().__init__(Fresh.of(program))
        self.whole, self.rng = program, rng

    def made(self) -> IrProgram:
        return self.program(self.whole)

    def op(self, op: Op) -> None:
        super().op(op)
        if op.by is By.NUMPY and op.result.type.kind is Kind.REAL and not TABLE[op.name].exact:
            factor = self.const(1.0 + self.rng.choice((-2, -1, 1, 2)) * 2.0**-52)
            self.env[op.result] = self.add("mul", self.see((op.result,))[0], factor)


class Comparison:
    """One network, its engine and its samples."""

    def __init__(self, program: Program, network: da.Network, facts: Counter[str]) -> None:
        self.network, self.facts, self.rng = network, facts, random.Random(program.seed)
        self.engine = Engine(network.program, network.max_rounds, "exact")
        self.sizes: dict[str, Kernel] = {}
        self.exact = is_exact(network.program)
        self.meaning = self._meaning(network.program)
        rows = [self._row(*program.call(sample)) for sample in range(len(program.samples))]
        ordinary = program.ordinary if program.kind in KINDS else len(rows)
        self.inputs, self.ordinary = self._with_edges(rows, ordinary)
        self.weights = np.concatenate([np.ravel(np.array(weight.value, float)) for weight in network.program.weights] or [np.zeros(0)])

    def _row(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Arrays:
        leaves, _ = self.network.signature.flatten(args, kwargs, torch.float64, torch.device("cpu"))
        return [leaf[0].numpy() for leaf in leaves]

    def _with_edges(self, rows: list[Arrays], ordinary: int) -> tuple[Arrays, np.ndarray]:
        """All samples as one batch, and some with an unusual number in them, in any order; and which of them are ordinary."""
        for row in self.rng.choices(rows, k=EDGED):
            reals = [place for place, array in enumerate(row) if array.dtype.kind == "f" and array.size]
            if reals:
                place = self.rng.choice(reals)
                changed = np.array(row[place])
                changed.reshape(-1)[self.rng.randrange(changed.size)] = self.rng.choice(EDGES)
                rows.append([*row[:place], changed, *row[place + 1 :]])
        order = self.rng.sample(range(len(rows)), len(rows))
        return [np.stack(column) for column in zip(*(rows[place] for place in order), strict=True)], np.array(order) < ordinary

    def run(self, gradient: bool) -> None:
        """Values and failures, then gradients if they are asked for."""
        reason = self.engine.reason_against(gradient=False)
        if reason:
            self.facts[f"not native: {_class(reason)}"] += 1
            return
        self.facts["native programs"] += 1
        self.facts["samples"] += len(self.ordinary)
        outcome = self.engine.forward(self.inputs, self.weights)
        self.results = outcome.results
        for sample, row in enumerate(zip(*self.inputs, strict=True)):
            code = outcome.codes[sample]
            failed = self.engine.checks[code - 1] if code else None
            told = failed and ("LoopBound" if isinstance(failed, While) else failed.error, failed.span)
            self.compare(sample, list(row), told, [np.ravel(result[sample]) for result in outcome.results])
        if not gradient:
            return
        reason = self.engine.reason_against(gradient=True)
        if reason:
            self.facts[f"gradient not native: {_class(reason)}"] += 1
            return
        self.facts["native gradients"] += 1
        self.compare_gradients(outcome.codes == 0)

    @functools.cached_property
    def rounded(self) -> list[Interpreter]:
        """What the program means where functions of NumPy round otherwise, in some ways."""
        return [self._meaning(Rounded(self.network.program, self.rng).made()) for _ in range(6)]

    @staticmethod
    def _meaning(program: IrProgram) -> Interpreter:
        places = tuple(map(Leaf, range(len(program.body.results))))
        return Interpreter(replace(program, output=SequenceTree("tuple", places), changes=()))

    def means(self, row: Arrays, meaning: Interpreter | None = None) -> tuple[Any, list[np.ndarray]]:
        """The failure of a sample, if any, and its numbers."""
        try:
            found = (meaning or self.meaning).run(row).output
        except Failed as failed:
            return (failed.error, failed.span), []
        return None, [np.ravel(item) for item in found]

    def compare(self, sample: int, row: Arrays, told: Any, found: Arrays) -> None:
        """One sample: the same failure, or the same bits."""
        failure, expected = self.means(row)
        if told == failure and (failure or all(map(same_bits, found, expected))):
            self.facts["samples bit for bit"] += 1
            return
        said = f"{told or found!r} instead of {failure or expected!r} of {row!r}"
        if self.exact:
            raise Mismatch("wrong", "native: another failure" if told != failure else "native: other bits", said, sample)
        if told != failure:
            nearby = [self.means(near)[0] for near in self.blurred(row)]
            if told not in nearby:
                raise Mismatch("wrong", "native: another failure", said, sample)
            self.facts["near ties"] += 1
            return
        self.compare_numbers(sample, row, np.concatenate(found).astype(float), np.concatenate(expected).astype(float), said)

    def compare_numbers(self, sample: int, row: Arrays, found: np.ndarray, expected: np.ndarray, said: str) -> None:
        """NumPy's functions may round otherwise: by 4 units of the last place, or as far as such changes of the inputs reach."""
        gap = distance(found, expected)
        if (gap <= ULPS * np.nan_to_num(np.spacing(np.abs(expected)))).all():
            self.facts["samples within 4 ulp"] += 1
            return
        reach = np.zeros(len(gap))
        for near in self.blurred(row):
            failure, numbers = self.means(near)
            reach = np.maximum(reach, np.inf if failure else np.abs(np.concatenate(numbers).astype(float) - expected))
        if not (gap <= BLUR * np.nan_to_num(reach, nan=np.inf) + 1e-14 * np.nan_to_num(np.abs(expected))).all():
            for meaning in self.rounded:  # what comes of constants does not move with the inputs
                failure, numbers = self.means(row, meaning)
                reach = np.maximum(reach, np.inf if failure else np.abs(np.concatenate(numbers).astype(float) - expected))
        if not (gap <= BLUR * np.nan_to_num(reach, nan=np.inf) + 1e-14 * np.nan_to_num(np.abs(expected))).all():
            raise Mismatch("wrong", "native: another value", said, sample)
        self.facts["samples farther, as rounding spreads"] += 1

    def blurred(self, row: Arrays) -> list[Arrays]:
        """Inputs that differ from these in the last places."""
        return [[array * (1 + self.rng.choice((-4, -2, 2, 4)) * 2.0**-52) if array.dtype.kind == "f" else array for array in row]
                for _ in range(6)]

    def compare_gradients(self, good: np.ndarray) -> None:
        """Gradients of native code and of torch, for the samples that do not fail; those that fail have none."""
        results = [value for value in self.network.program.body.results if value.type.kind >= Kind.REAL]
        draw = np.random.default_rng(self.rng.randrange(1 << 30))
        sent = [draw.uniform(-1.0, 1.0, (len(good), *value.type.shape)) * (1 + 0.5j if value.type.kind is Kind.COMPLEX else 1)
                for value in results]
        if not sent or not good.any():
            return
        whole = self.engine.gradient(self.inputs, self.weights, sent)
        for array in whole.inputs:
            if np.any(array[~good]):
                raise Mismatch("wrong-gradient", "native: a sample that fails has a gradient")
        real = [item.value.type.kind >= Kind.REAL for item in self.network.program.inputs]
        for array in self.results:  # at the edges of domains torch has zeros where derivatives are NaN
            good = good & np.isfinite(array).reshape(len(good), math.prod(array.shape[1:])).all(1)
        for sample in np.flatnonzero(good & self.ordinary):
            self.compare_sample(int(sample), real, [array[sample : sample + 1] for array in sent], whole)

    def compare_sample(self, sample: int, real: list[bool], sent: Arrays, whole: Any) -> None:
        """The gradient of one sample alone, which is that in the batch, against torch."""
        row = [array[sample : sample + 1] for array in self.inputs]
        alone = self.engine.gradient(row, self.weights, sent)
        if not all(same_bits(np.ravel(one), np.ravel(many[sample])) for one, many in zip(alone.inputs, whole.inputs, strict=True)):
            raise Mismatch("wrong-gradient", "native: a sample's neighbours change its gradient", f"{row!r}", sample)
        ours = [np.ravel(array) for array in (*alone.inputs, *alone.weights)]
        theirs = self.by_torch(row, real, sent)
        if theirs is None:
            self.facts["near ties"] += 1
            return
        scale = max((np.abs(array[np.isfinite(array)]).max(initial=0.0) for array in (*ours, *theirs)), default=0.0)
        reach: list[Any] | None = None
        for place, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            if (np.isfinite(other) & ~np.isfinite(mine)).any():
                raise Mismatch("nan-gradient", "native: not finite", f"{mine!r} instead of {other!r} of {row!r}", sample)
            gap = distance(mine, other)
            if (gap <= GRADIENT_RTOL * scale).all():
                continue
            sizes = self.sizes_of("contributions", row, sent)
            if (gap <= GRADIENT_RTOL * (scale + sizes[place])).all():
                self.facts["gradients whose contributions cancel"] += 1
                continue
            reach = self.reaches(row, sent, ours) if reach is None else reach
            allowed = GRADIENT_RTOL * (scale + sizes[place]) + BLUR * reach[place]
            if not (gap <= allowed).all() and (gap <= allowed + SLOPE_RTOL * self.sizes_of("terms", row, sent)[place]).all():
                self.facts["gradients whose slopes cancel"] += 1
                continue
            if not (gap <= allowed).all():
                raise Mismatch("wrong-gradient", "native: not torch's", f"{mine!r} instead of {other!r}, number {place} of {row!r}", sample)
            self.facts["gradients farther, as rounding spreads"] += 1
        self.facts["gradients compared"] += 1

    def sizes_of(self, word: str, row: Arrays, sent: Arrays) -> Arrays:
        """The sums of the sizes of all contributions to each adjoint, or of the terms of their slopes."""
        if word not in self.sizes:
            lowered = run(SIZES[word], self.network.program, PassSettings(self.network.max_rounds))
            self.sizes[word] = Kernel(lowered, frozenset())
        found = self.sizes[word].run(in_parts([*row, *map(np.abs, sent)]), self.weights, self.network.max_rounds).results
        wanted = len(self.network.program.weights) + sum(
            1 + (item.value.type.kind is Kind.COMPLEX) for item in self.network.program.inputs if item.value.type.kind >= Kind.REAL)
        return [np.nan_to_num(np.ravel(array), nan=np.inf) for array in found[len(found) - wanted :]]

    def reaches(self, row: Arrays, sent: Arrays, ours: Arrays) -> list[Any]:
        """How far changes of the inputs in the last places move gradients."""
        found: list[Any] = [np.zeros(array.shape) for array in ours]
        for near in self.blurred(row):
            if self.engine.forward(near, self.weights).codes.any():
                return [math.inf] * len(ours)
            moved = self.engine.gradient(near, self.weights, sent)
            for place, array in enumerate((*moved.inputs, *moved.weights)):
                found[place] = np.maximum(found[place], np.nan_to_num(np.abs(np.ravel(array) - ours[place]), nan=np.inf))
        return found

    def by_torch(self, row: Arrays, real: list[bool], sent: Arrays) -> Arrays | None:
        """The same by torch; None where torch finds that the sample fails."""
        tensors = [torch.tensor(array, requires_grad=is_real) for array, is_real in zip(row, real, strict=True)]
        weights = [tensor.detach().clone().requires_grad_() for tensor in self.network.weights.tensors()]
        try:
            found = TorchBackend(self.network).from_tensors([*tensors, *weights])
        except HeuristicError:
            return None
        answers = [answer for answer in found if answer.is_floating_point() or answer.is_complex()]
        sources = [tensor for tensor in (*tensors, *weights) if tensor.requires_grad]
        pairs = [(answer, torch.tensor(adjoint)) for answer, adjoint in zip(answers, sent, strict=True) if answer.requires_grad]
        if not pairs:
            return [np.zeros(tensor.numel()) for tensor in sources]
        grads = torch.autograd.grad([answer for answer, _ in pairs], sources, [adjoint for _, adjoint in pairs], allow_unused=True)
        return [np.zeros(source.numel()) if grad is None else np.ravel(grad.resolve_conj().resolve_neg().numpy()) for source, grad in
                zip(sources, grads, strict=True)]


def distance(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How far numbers are from each other: NaN is at NaN, and infinitely far from all others."""
    same = (one == other) | np.isnan(one) & np.isnan(other)
    return np.where(same, 0.0, np.nan_to_num(np.abs(one - other), nan=np.inf))


def same_bits(found: np.ndarray, expected: np.ndarray) -> bool:
    """Whether numbers are the same, signs of zeros included."""
    one, other = np.asarray(found, complex), np.asarray(expected, complex)
    return one.shape == other.shape and all(
        bool((((a == b) & (np.signbit(a) == np.signbit(b))) | np.isnan(a) & np.isnan(b)).all()) for a, b in
        ((one.real, other.real), (one.imag, other.imag))
    )


def _class(reason: str) -> str:
    return re.sub(r"\d+", "N", reason.partition(", line")[0])
