"""Compile a program and hold the network against Python: values, errors, gradients, both kinds of loop, single and batch.

>>> from tests.fuzz.generator import generate
>>> from tests.fuzz.standin import standin
>>> program = generate(7)
>>> check(program, standin(program)).word
'ok'
"""

from __future__ import annotations

import copy
import math
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from deepalgo.backends.targets import Plan
from deepalgo.errors import CompileError, HeuristicError
from deepalgo.ir import Failed
from deepalgo.network import Network
from tests.fuzz import weights
from tests.fuzz.instrument import Literal, Result, flat
from tests.fuzz.oracle import Oracle, Slope, weight
from tests.fuzz.program import Place, Program, load
from tests.fuzz.verdict import Mismatch, Verdict, generalise
from tests.support.meaning import Meaning

VALUE_RTOL = 1e-10
GRADIENT_RTOL = 1e-5
SLOPE_SAMPLES = 14
LITERALS_THAT_MATTER, LITERALS_THAT_DO_NOT = 4, 1
LITERAL_SAMPLES = 8
SINGLES = 2
#: Samples of each program that are interpreted.
INTERPRETED = 3
MOST_PLACES = 5
#: Every so many programs are compiled anew for each way of treating loops and errors.
FULLY = 5
WAYS = ("settle", "fused")

Compiler = Callable[..., Any]
Tensors = list[torch.Tensor]


def check(program: Program, compiler: Compiler | None = None) -> Verdict:
    """The verdict on one program. Exceptions of the library are part of it."""
    if compiler is None:
        import deepalgo

        compiler = deepalgo.compile
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"program_{program.seed}.py"
        file.write_text(program.source)
        oracle = Oracle(program, str(file))
        answered = [sample for number, sample in enumerate(program.samples) if number not in oracle.unspecified]
        if len(answered) < len(program.samples):
            program = replace(program, samples=tuple(answered))
            oracle = Oracle(program, str(file))
        return _judge_decided(program, oracle, compiler) if answered else Verdict("ok")


def _judge_decided(program: Program, oracle: Oracle, compiler: Compiler, undecided: int = 0) -> Verdict:
    """The verdict on the samples that the network says it can decide."""
    facts: Counter[str] = Counter(samples=len(program.samples))
    facts["samples left undecided: Python's number or NumPy's"] = undecided
    try:
        return _judge(program, oracle, compiler, facts)
    except Undecided as error:
        left = tuple(sample for number, sample in enumerate(program.samples) if number not in error.samples)
        if not left:
            return Verdict("refused", "data decides whether numbers are Python's or NumPy's", facts=facts)
        program = replace(program, samples=left)
        return _judge_decided(program, Oracle(program, oracle.runs.file), compiler, undecided + len(error.samples))


def _judge(program: Program, oracle: Oracle, compiler: Compiler, facts: Counter[str]) -> Verdict:
    try:
        Comparison(program, oracle, compiler, facts).run()
    except CompileError as error:
        return Verdict("refused", generalise(error.reason), str(error), facts=facts)
    except Mismatch as error:
        return Verdict(error.word, error.reason, error.detail, error.sample, facts)
    except Undecided:
        raise
    except Exception as error:  # whatever leaves the library is a crash
        return Verdict("crashed", f"{type(error).__name__}: {generalise(str(error))}", _trail(error), facts=facts)
    return Verdict("ok", facts=facts)


def _trail(error: BaseException) -> str:
    """The last places of the library on the way to an exception."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)[-4:]
    trail = " < ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames))
    return f"{type(error).__name__}: {str(error)[:300]} ({trail})"


class Undecided(Exception):
    """Samples on which Python's numbers raise and NumPy's do not, and the network says that it does not know which they are."""

    def __init__(self, samples: set[int]) -> None:
        super().__init__(samples)
        self.samples = samples


class Comparison:
    """One program against one compiler."""

    def __init__(self, program: Program, oracle: Oracle, compiler: Compiler, facts: Counter[str]) -> None:
        self.program = program
        self.oracle = oracle
        self.compiler = compiler
        self.facts = facts
        self.function = load(program.source, oracle.runs.file)[program.entry]
        self.rng = random.Random(program.seed)
        self.raising = set(oracle.raising)
        self.size = len(program.samples)
        self.staged: Any = None

    def run(self) -> None:
        """Every comparison, the cheap ones first."""
        network = self.compile(loops="run", errors="nan")
        inputs = self.batch()
        leaves = self.answer(network, inputs)
        self.set_undecided_aside(network, inputs)
        self.compare_values(leaves)
        self.compare_singles(network)
        self.compare_meaning(network)
        slopes = self.gradients(network, inputs, leaves)
        self.compare_input_gradients(slopes)
        self.compare_literals(network, leaves)
        if self.raising or self.program.seed % FULLY == 0:
            self.compare_errors()
        self.compare_settled()

    def compile(self, **options: Any) -> Any:
        """Compile with an example call, or without one where the signature says enough.

        How loops and errors are treated is decided after the program is staged: most of the time it is staged once for all.
        """
        example = None if self.program.seed % 2 and self.program.says_enough() else self.program.call(0)
        if self.program.seed % FULLY == 0:
            return self.compiler(self.function, example=example, **options)
        if self.staged is None:
            self.staged = self.compiler(self.function, example=example)
        if not isinstance(self.staged, Network):
            return self.compiler(self.function, example=example, **options)
        return Network(self.staged.program, self.staged.signature, function=self.function, **options)

    def batch(self) -> dict[Place, torch.Tensor]:
        """A column for every number among the inputs."""
        samples = self.program.samples
        return {place: torch.tensor([place.read(sample) for sample in samples], dtype=torch.float64, requires_grad=True)
                for place in self.program.places()}

    def arguments(self, inputs: dict[Place, torch.Tensor]) -> dict[str, Any]:
        """The columns as the function takes them: alone, as arrays, as lists."""
        given: dict[str, Any] = {}
        for name in self.program.inputs():
            columns = [column for place, column in inputs.items() if place.name == name]
            match self.program.samples[0][name]:
                case np.ndarray() as array:
                    given[name] = torch.stack(columns, dim=1).reshape(self.size, *array.shape)
                case list():
                    given[name] = columns
                case _:
                    (given[name],) = columns
        return given

    def answer(self, network: Any, inputs: dict[Place, torch.Tensor], by_name: bool = False) -> Tensors:
        """The network's leaves, each with one number per sample."""
        given = self.arguments(inputs)
        positional, keyword = ([], {**self.program.config, **given}) if by_name else self.program.arrange(given)
        return self.leaves(network(*positional, **keyword), self.size)

    def set_undecided_aside(self, network: Any, inputs: dict[Place, torch.Tensor]) -> None:
        """Raise `Undecided` if there is a reason to."""
        if isinstance(network, Network) and any("PythonOrNumPy" in name for name in network.failures):
            positional, keyword = self.program.arrange(self.arguments(inputs))
            flat, _ = network.signature.flatten(positional, keyword, network.dtype, network.device)
            raise Undecided({number for number, error in enumerate(network.outcomes(flat)[1]) if error == "PythonOrNumPy"})

    def leaves(self, answer: Any, size: int | None) -> Tensors:
        """The numbers of an answer, after a look at its structure: columns, or single numbers where there is no size."""
        expected = next((result.value for result in self.oracle.results if not result.error), None)
        if expected is not None and _structure(answer) != _structure(expected):
            raise Mismatch("wrong", "another structure", f"{_structure(answer)} instead of {_structure(expected)}")
        shapes = [_tensor(leaf).shape[size is not None :] for leaf in flat(answer)] if expected is None else _shapes(expected)
        return [column for leaf, shape in zip(flat(answer), shapes, strict=True) for column in _columns(leaf, size, shape)]

    def compare_values(self, leaves: Tensors, what: str = "") -> None:
        columns = [leaf.detach().tolist() for leaf in leaves]
        for sample in range(self.size):
            self.compare_sample(sample, [column[sample] for column in columns], [leaf.is_floating_point() for leaf in leaves], what)

    def compare_sample(self, sample: int, got: list[Any], real: list[bool], what: str = "") -> None:
        """One sample's leaves against Python's.

        A difference is excused where an ulp explains it: cancellation, or a guard that an ulp turns. Then the network must have
        what the program answers on the other side of that guard.
        """
        result = self.oracle.results[sample]
        if _agrees(got, real, result):
            return
        if not result.error and _agrees(got, real, result, self.oracle.tolerance(sample)):
            self.facts["cancellations"] += 1
        elif any(_agrees(got, real, other, self.oracle.tolerance(sample), 1e-7) for other in self.oracle.others(sample)):
            self.facts["near ties"] += 1
        elif self.oracle.is_chaotic(sample):
            self.facts["chaotic samples"] += 1
        elif result.error:
            raise Mismatch("wrong", f"{what}no NaN where Python raises {result.error}", f"{got}, line {result.line}", sample)
        else:
            raise Mismatch("wrong", f"{what}another value", f"{got!r} instead of {flat(result.value)!r}", sample)

    def tie(self, sample: int) -> bool:
        """Whether an ulp decides what happens to a sample."""
        return bool(self.oracle.others(sample))

    def compare_meaning(self, network: Any) -> None:
        """What the program means is what Python does, to the last bit where every operation is Python's own."""
        if not isinstance(network, Network):
            return
        meaning = Meaning(network, self.function, signs=False)
        self.facts["interpreted exactly"] += meaning.exact
        for sample in {*range(0, self.size, -(-self.size // INTERPRETED)), *self.oracle.raising[:1]}:
            complaint = meaning.complaint(*self.program.call(sample))
            if complaint and (meaning.exact or not self.is_rounding(meaning, sample)):
                raise Mismatch("wrong", "interpreted: " + generalise(complaint), complaint, sample)

    def is_rounding(self, meaning: Meaning, sample: int) -> bool:
        """Whether the interpreter's answer for a sample is Python's up to the last places, or on the other side of a guard."""
        try:
            got = flat(meaning.run(*self.program.call(sample)).output)
        except Failed:
            return self.tie(sample)
        self.compare_sample(sample, got, [isinstance(item, float) for item in got], "interpreted: ")
        return True

    def compare_singles(self, network: Any) -> None:
        for sample in self.rng.sample(range(self.size), min(SINGLES, self.size)):
            given = copy.deepcopy(self.program.samples[sample])
            positional, keyword = self.program.arrange(given)
            answer = self.leaves(network(*positional, **keyword), None)
            self.compare_sample(sample, [leaf.item() for leaf in answer], [leaf.is_floating_point() for leaf in answer], "single call: ")
            self.compare_arguments(sample, given)

    def compare_arguments(self, sample: int, given: dict[str, Any]) -> None:
        """After a call, lists and arrays hold what Python would have left in them."""
        result = self.oracle.results[sample]
        held = flat([given[name] for name in self.program.inputs()])
        left = [float(item.detach() if isinstance(item, torch.Tensor) else item) for item in held]
        if result.error:
            return
        far = [
            place for place, (got, wanted) in enumerate(zip(left, result.left, strict=True)) if abs(got - wanted) > 1e-8 * (1 + abs(wanted))
        ]
        if far and not self.tie(sample):
            raise Mismatch("wrong", "something else is left in an argument", f"{left} instead of {result.left}", sample)
        self.facts["arguments written to"] += result.left != flat([self.program.samples[sample][name] for name in self.program.inputs()])

    def gradients(self, network: Any, inputs: dict[Place, torch.Tensor], leaves: Tensors) -> dict[Place, list[float]]:
        """Derivatives of the objective by each input, per sample; none may be NaN, neither may the weights' be."""
        parameters = dict(network.named_parameters())
        found = _derive(leaves, [*inputs.values(), *parameters.values()], torch.ones(self.size, dtype=torch.float64))
        for name, gradient in zip([*inputs, *parameters], found, strict=True):
            if not bool(torch.isfinite(gradient).all()):
                bad = int((~torch.isfinite(gradient)).nonzero()[0][0]) if gradient.dim() else None
                raise Mismatch(
                    "nan-gradient", "of an input" if name in inputs else "of a weight", str(name), bad if name in inputs else None
                )
        return {name: gradient.tolist() for name, gradient in zip(inputs, found, strict=False)}

    def compare_input_gradients(self, slopes: dict[Place, list[float]]) -> None:
        chosen = self.rng.sample(range(self.size), min(SLOPE_SAMPLES, self.size))
        if len(slopes) > MOST_PLACES:
            slopes = dict(self.rng.sample(list(slopes.items()), MOST_PLACES))
        for name, gradient in slopes.items():
            for sample in self.raising:
                if gradient[sample] != 0.0:
                    raise Mismatch("wrong-gradient", "a sample that raises has a gradient", f"{name}: {gradient[sample]}", sample)
            for sample in chosen:
                got, slope = gradient[sample], self.oracle.input_slope(sample, name, brief=True)
                if slope is not None and _excess(got, slope) > 0.0:
                    slope = self.oracle.input_slope(sample, name)
                self.compare_slope(got, slope, f"by {name}", "input", [sample])

    def compare_slope(self, got: float, slope: Slope | None, what: str, kind: str, samples: list[int]) -> None:
        if slope is None:
            self.facts["slopes left out"] += 1
            return
        self.facts[f"{kind} slopes"] += 1
        self.facts[f"{kind} slopes not zero"] += slope.value != 0.0
        excess = _excess(got, slope)
        if excess > 0.0 and (excess <= sum(map(self.oracle.noise, samples)) or any(map(self.oracle.is_chaotic, samples))):
            self.facts["slopes lost in noise"] += 1
        elif excess > 0.0:
            raise Mismatch("wrong-gradient", f"of {'an input' if kind == 'input' else 'a literal'}",
                           f"{what}: {got!r} instead of {slope.value!r} +- {slope.error:.1e}", min(samples))

    def compare_literals(self, network: Any, leaves: Tensors) -> None:
        literals = self.oracle.runs.literals
        required = weights.places(self.program.source)
        wanted = [item for item in literals if (item.line, item.column) in required]
        found = {item: weights.find(network, self.program.source, item) for item in wanted}
        slopes = self.weight_gradients(network, leaves)
        moving = [item for item in wanted if (place := found[item]) and bool(slopes[place.key].any())]
        still = [item for item in wanted if item not in moving]
        chosen = [*_some(self.rng, moving, LITERALS_THAT_MATTER), *_some(self.rng, still, LITERALS_THAT_DO_NOT)]
        self.facts["literals"] += len(wanted)
        self.facts["literals that matter"] += len(moving)
        for literal in chosen:
            self.compare_literal(network, literal, found[literal], leaves)

    def weight_gradients(self, network: Any, leaves: Tensors) -> dict[str, torch.Tensor]:
        """Derivatives by every weight, to see which ones matter."""
        keys = [entry.key for entry in network.weights.entries]
        trained = [key for key in keys if network.weights[key].requires_grad]
        found = _derive(leaves, [network.weights[key] for key in trained], torch.ones(self.size, dtype=torch.float64))
        return {key: torch.zeros(()) for key in keys} | dict(zip(trained, found, strict=True))

    def compare_literal(self, network: Any, literal: Literal, found: weights.Found | None, leaves: Tensors) -> None:
        """The derivative by one literal, summed over a few samples, against the text with that literal changed."""
        if found is not None and found.frozen:
            self.facts["frozen literals"] += 1
            return
        chosen = self.rng.sample(range(self.size), min(LITERAL_SAMPLES, self.size))
        for brief in (True, False):
            slopes = {sample: slope for sample in chosen if (slope := self.oracle.literal_slope(sample, literal, brief)) is not None}
            total = Slope(math.fsum(slope.value for slope in slopes.values()), sum(slope.error for slope in slopes.values()))
            got = 0.0 if found is None else self.literal_gradient(network, found, list(slopes), leaves)
            if not slopes or _excess(got, total) <= 0.0:
                break
        place = f"by {literal.value} at {literal.line}:{literal.column + 1}, samples {sorted(slopes)}"
        if not slopes:
            self.facts["slopes left out"] += 1
        elif found is not None:
            self.compare_slope(got, total, place, "literal", list(slopes))
        elif abs(total.value) > total.error:
            raise Mismatch("wrong-gradient", "a literal is no weight", f"{place}: slope {total.value!r}", min(slopes))

    def literal_gradient(self, network: Any, found: weights.Found, samples: list[int], leaves: Tensors) -> float:
        """The network's derivative by one literal, over some samples."""
        mask = torch.zeros(self.size, dtype=torch.float64)
        mask[samples] = 1.0
        (gradient,) = _derive(leaves, [network.weights[found.key]], mask)
        return found.sign * float(gradient[found.index])

    def compare_errors(self) -> None:
        """With errors='raise', a batch with bad samples names some of them, with the error and the line that Python gives."""
        network = self.compile(loops="run", errors="raise")
        try:
            leaves = self.answer(network, self.batch())
        except HeuristicError as error:
            self.compare_complaint(error)
            return
        if not all(self.tie(sample) for sample in self.raising):
            raise Mismatch("wrong", "no error", f"Python raises for samples {sorted(self.raising)}", min(self.raising))
        self.compare_values(leaves, "errors='raise': ")

    def compare_complaint(self, error: HeuristicError) -> None:
        self.facts["errors"] += 1
        for sample in error.samples:
            result = self.oracle.results[sample]
            elsewhere = error.span is not None and error.span.line != result.line and error.span.lines[0].strip() != "raise"
            if (result.error == error.error and not elsewhere) or self.tie(sample):
                continue
            if not result.error:
                raise Mismatch("wrong", f"{error.error} for a sample that Python answers", str(error), sample)
            if result.error != error.error:
                raise Mismatch("wrong", "another error", f"{error.error} instead of {result.error} at line {result.line}", sample)
            raise Mismatch("wrong", "another line", f"{error.error} instead of line {result.line}: {error}", sample)
        if not error.samples:
            raise Mismatch("wrong", "an error without samples", str(error))

    def compare_settled(self) -> None:
        """A fixed graph, as it is or as `torch.compile` gets it, gives what torch gives that runs; every so many programs in both."""
        running, columns = self.compile(loops="run", errors="nan", backend="torch"), self.batch()
        slopes = self.gradients(running, columns, self.answer(running, columns))
        network = self.compile(loops="settle", errors="nan", max_rounds=max(8, self.oracle.rounds + 1), backend="torch")
        for way in WAYS if self.program.seed % FULLY == 0 else WAYS[self.program.seed % 2 :][:1]:
            if way == "fused":
                _fuse(network)
            inputs = self.batch()
            leaves = self.answer(network, inputs, by_name=True)
            self.compare_values(leaves, f"{way}: ")
            for name, gradient in self.gradients(network, inputs, leaves).items():
                for sample, (got, expected) in enumerate(zip(gradient, slopes[name], strict=True)):
                    if abs(got - expected) > 1e-7 * (1.0 + abs(expected)) and not self.tie(sample):
                        raise Mismatch("wrong-gradient", way, f"by {name}: {got!r} instead of {expected!r}", sample)
        if self.raising or self.program.seed % FULLY == 0:
            self.compare_flags()

    def compare_flags(self) -> None:
        """What `torch.compile` gets says whether a sample fails."""
        network = _fuse(self.compile(loops="settle", errors="raise", max_rounds=max(8, self.oracle.rounds + 1), backend="torch"))
        try:
            leaves = self.answer(network, self.batch())
        except HeuristicError as error:
            if not self.raising and not any(self.tie(sample) for sample in range(self.size)):
                raise Mismatch("wrong", "fused: an error that Python does not raise", str(error)) from error
            return
        if not all(self.tie(sample) for sample in self.raising):
            raise Mismatch("wrong", "fused: no error", f"Python raises for samples {sorted(self.raising)}", min(self.raising))
        self.compare_values(leaves, "fused, errors='raise': ")


def _fuse(network: Any) -> Any:
    """Let the network run, without `torch.compile`, what it would be given."""
    network.plan = lambda: Plan(network.errors, True, rounds=network.max_rounds, fused=True)
    return network


def _excess(got: float, slope: Slope) -> float:
    """How much farther a derivative is from a slope than it may be."""
    return abs(got - slope.value) - GRADIENT_RTOL * abs(slope.value) - slope.error


def _some(rng: random.Random, items: list[Literal], most: int) -> list[Literal]:
    return rng.sample(items, min(most, len(items)))


def _tensor(leaf: Any) -> torch.Tensor:
    """A leaf of the answer; one that does not depend on data may be a number."""
    return torch.tensor(leaf, dtype=torch.float64) if isinstance(leaf, float) else torch.as_tensor(leaf)


def _columns(leaf: Any, size: int | None, shape: tuple[int, ...]) -> Tensors:
    """Every number of a leaf with its batch axis; where there is no size, without one."""
    tensor = _tensor(leaf)
    wanted = shape if size is None else (size, *shape)
    if size is not None and tensor.shape == shape:
        tensor = tensor.expand(wanted)
    if tensor.shape != wanted:
        raise Mismatch("wrong", "another shape", f"{tuple(tensor.shape)} instead of {wanted}")
    return list(tensor.reshape(*wanted[: len(wanted) - len(shape)], -1).unbind(-1))


def _shapes(value: Any) -> list[tuple[int, ...]]:
    """The shapes of a returned structure's leaves."""
    match value:
        case tuple() | list():
            return [shape for item in value for shape in _shapes(item)]
        case dict():
            return [shape for item in value.values() for shape in _shapes(item)]
        case _:
            return [np.shape(value)]


def _derive(leaves: Tensors, by: Tensors, mask: torch.Tensor) -> Tensors:
    """The gradient of the objective, over the samples in the mask, by tensors."""
    pairs = [(leaf, weight(place) * mask) for place, leaf in enumerate(leaves) if leaf.requires_grad]
    if not pairs or not by:
        return [torch.zeros_like(item) for item in by]
    outputs, cotangents = zip(*pairs, strict=True)
    found = torch.autograd.grad(outputs, by, cotangents, retain_graph=True, allow_unused=True)
    return [torch.zeros_like(item) if gradient is None else gradient for item, gradient in zip(by, found, strict=True)]


def _agrees(got: list[Any], real: list[bool], result: Result, allowed: list[float] | None = None, rtol: float = VALUE_RTOL) -> bool:
    """Whether the network's leaves are what a run of the program gave: NaN where it raised, else its numbers."""
    if result.error:
        return all(math.isnan(item) for item, kind in zip(got, real, strict=True) if kind)
    expected = flat(result.value)
    slack = allowed if allowed and len(allowed) == len(expected) else [0.0] * len(expected)
    return all(a == b or abs(a - b) <= rtol * abs(b) + c for a, b, c in zip(got, expected, slack, strict=True))


def _structure(value: Any) -> Any:
    match value:
        case tuple() | list():
            return (type(value).__name__, *(_structure(item) for item in value))
        case dict():
            return ("dict", *((key, _structure(item)) for key, item in value.items()))
        case _:
            return "leaf"
