"""What a program means against the function it came from: the interpreter's answers are Python's, bit for bit, and so are its errors.

>>> import deepalgo as da
>>> from tests.small.functions.expressions import add
>>> Meaning(da.compile(add), add).complaint((7.5, 0.1), {})
''
"""

from __future__ import annotations

import copy
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from deepalgo.certificate.arguments import OtherStructure, numbers, plain_values
from deepalgo.errors import LIMITS
from deepalgo.ir import By, Failed, Interpreter, Kind, Op, Outcome, Program, walk
from deepalgo.network import Network


@dataclass(frozen=True)
class Raised:
    """What Python raises: the class, the text, and the lines of the files on the way."""

    error: str
    text: str
    lines: tuple[tuple[str, int], ...]


class Meaning:
    """One network's program, made ready to be interpreted, and its function."""

    def __init__(self, network: Network, function: Callable[..., Any], max_rounds: int = 100_000, signs: bool = True) -> None:
        self.signs = signs  # whether zeros have signs: Python's whole 0 has none, where the program has a real one
        self.network = network
        self.function = function
        self.max_rounds = max_rounds
        self.interpreter = Interpreter(network.program)
        self.exact = is_exact(network.program)

    def complaint(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """How the program's answer for one call differs from the function's, '' if it does not."""
        network, left = self.network, copy.deepcopy((args, kwargs))
        expected = self._python(*left)
        try:
            outcome = self.run(args, kwargs)
        except Failed as failed:
            return _other_error(failed, expected)
        if isinstance(expected, Raised):
            return f"{outcome.output!r} where Python raises {expected.error}: {expected.text}"
        tree = network.program.output
        try:
            wanted = numbers(tree, expected)
        except OtherStructure as error:
            return f"another structure: {error}"
        for got, want in zip(numbers(tree, outcome.output), wanted, strict=True):
            if not same_bits(got, want, self.signs):
                return f"{got!r} instead of {want!r}"
        for path, got in outcome.changes.items():
            want = network.signature.held(*left, path)
            if not same_bits(got, want, self.signs):
                return f"{path} is left as {got!r} instead of {want!r}"
        return ""

    def run(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Outcome:
        """What the program means for one call."""
        signature = self.network.signature
        leaves, _ = signature.flatten(*copy.deepcopy((args, kwargs)), self.network.dtype, self.network.device)
        return self.interpreter.run(plain_values(signature, leaves, 0), max_rounds=self.max_rounds)

    def _python(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        try:
            return copy.deepcopy(self.function(*args, **kwargs))
        except Exception as error:  # the class, the text and the line are the answer
            frames = traceback.extract_tb(error.__traceback__)
            return Raised(type(error).__name__, str(error), tuple((Path(frame.filename).name, frame.lineno or 0) for frame in frames))


def is_exact(program: Program) -> bool:
    """Whether every number is computed by the operation that the function computes it by.

    Functions of NumPy's may be written out, and so is a `math.hypot` of three numbers, as one of two of them and the third, and a power of
    a complex number that data chooses, by its angle.
    """
    made = {op.span for op in walk(program.body) if isinstance(op, Op) and op.result.type.kind is Kind.COMPLEX}
    roots = {op.result: op.span for op in walk(program.body) if isinstance(op, Op) and op.name == "hypot"}
    for statement in walk(program.body):
        if isinstance(statement, Op):
            if statement.name == "cos" and statement.span in made:
                return False
            if statement.by is By.NUMPY or statement.result.type.shape and any(arg.type.shape for arg in statement.args):
                return False
            if statement.result in roots and any(roots.get(arg) == statement.span for arg in statement.args if arg in roots):
                return False
    return True


def _other_error(failed: Failed, expected: Any) -> str:
    """How a failed check differs from what Python does; where the program says that it does not know, it does not."""
    if failed.error in LIMITS:
        return ""
    if not isinstance(expected, Raised):
        return f"{failed} at line {failed.span.line if failed.span else 0} where Python answers {expected!r}"
    if failed.error != expected.error:
        return f"{failed} instead of {expected.error}: {expected.text}"
    if not re.fullmatch(".*".join(map(re.escape, failed.message.split("..."))), expected.text, re.DOTALL):
        return f"{failed.error} says {failed.message!r} instead of {expected.text!r}"
    lines = [line for file, line in expected.lines if failed.span is None or file == Path(failed.span.file).name]
    if failed.span is not None and failed.span.line not in lines[-1:] and failed.span.lines[0].strip() != "raise":
        return f"{failed.error} at line {failed.span.line} instead of {lines[-1:]}"
    return ""


def same_bits(got: Any, want: Any, signs: bool = True) -> bool:
    """Whether two numbers or arrays are the same, with the signs of zeros or without; kinds of number may differ, and NaN is NaN.

    >>> same_bits(0.0, -0.0), same_bits(1.0, 1), same_bits(np.nan, np.nan), same_bits([1.0], np.array([1.0])), same_bits(1.0, 1.0 + 3e-16)
    (False, True, True, True, False)
    """
    a, b = np.asarray(got), np.asarray(want)
    if a.shape != b.shape or b.dtype.kind not in "biufc":
        return False
    a, b = a.astype(complex), b.astype(complex)
    return all(bool(np.all(_alike(x, y, signs))) for x, y in ((a.real, b.real), (a.imag, b.imag)))


def _alike(a: Any, b: Any, signs: bool) -> Any:
    return (np.isnan(a) & np.isnan(b)) | ((a == b) & ((np.signbit(a) == np.signbit(b)) | (not signs)))
