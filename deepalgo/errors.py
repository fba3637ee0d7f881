"""How we complain: where it is, what is wrong, and a way out.

One family for what is the user's to change (`DeepalgoError`), one exception for our own bugs (`InternalError`).

>>> from deepalgo.spans import Span
>>> span = Span("packing.py", 14, 4, 14, 25, ("    while load < capacity:",))
>>> print(CompileError("this `while` may never end", span=span, remedy="Give it a bound: max_rounds=100."))
packing.py:14:5: this `while` may never end
   14 |     while load < capacity:
      |     ^^^^^^^^^^^^^^^^^^^^^
Give it a bound: max_rounds=100.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deepalgo.spans import Span


class DeepalgoError(Exception):
    """The base of everything that a user can put right."""


class CompileError(DeepalgoError):
    """A construct that cannot be compiled faithfully: the place, the reason and a way out."""

    def __init__(self, reason: str, *, span: Span | None, remedy: str) -> None:
        place = f"{span}: " if span is not None else ""
        excerpt = f"\n{span.excerpt()}" if span is not None and span.lines else ""
        super().__init__(f"{place}{reason}{excerpt}\n{remedy}")
        self.reason = reason
        self.span = span
        self.remedy = remedy


class InputError(DeepalgoError):
    """A call of a network whose arguments do not fit what was compiled."""


class FileError(DeepalgoError):
    """A file that cannot be written, loaded or changed: which one, why, and a way out.

    >>> print(FileError("it was altered after it was saved", path="net.safetensors", remedy="Save it again."))
    net.safetensors: it was altered after it was saved
    Save it again.
    """

    def __init__(self, reason: str, *, path: object, remedy: str) -> None:
        super().__init__(f"{path}: {reason}\n{remedy}")
        self.reason = reason
        self.path = path
        self.remedy = remedy


class TensorizeError(DeepalgoError):
    """A transformation that cannot be applied there: what is in the way, and what there is instead."""


#: Where the network stops and Python would go on: what is said of it, and a way out.
LIMITS = {
    "LoopBound": ("this loop is {}", "Compile with a larger max_rounds"),
    "RecursionBound": ("this is {}", "Write it as a loop"),
    "ComplexResult": ("{}", "Keep the base positive"),
    "RealResult": ("{}", "Give an example with real numbers"),
    "FloatResult": ("{}", "Make the base a float"),
    "IntegerTooLarge": ("this is {}", "Compute with floats"),
    "PythonOrNumPy": ("{}, and data decides whose number this is", "Convert it first, with float or np.float64"),
    "ComplexEdge": ("this is {}", "Keep its parts finite"),
    "ComplexEigenvalues": ("{}", "Make the matrix symmetric"),
    "EndlessMatrix": ("this is {}", "Ask np.isfinite first"),
    "LargeOrder": ("this is {}", "Keep the order small"),
    "SameNaN": ("{}", "Ask math.isnan first"),
    "OrderOfNaN": ("{}", "Take NaN out before you sort"),
    "LongerArray": ("this is {}", "Give `minlength` a larger number"),
    "ShorterArray": ("this is {}", "Keep it away from 0"),
    "NoNumber": ("{}", "Return a number on every path"),
}


class HeuristicError(DeepalgoError):
    """The heuristic itself raises on some samples: which ones, at which line, with which message."""

    def __init__(self, error: str, message: str, *, span: Span | None, samples: Sequence[int], size: int) -> None:
        what = f"the heuristic raises {error}: {message}" if message else f"the heuristic raises {error}"
        remedy = "Leave them out"
        if error in LIMITS:
            what, remedy = LIMITS[error][0].format(message), f"{LIMITS[error][1]}, leave them out"
        place = f"{span}: " if span is not None else ""
        excerpt = f"\n{span.excerpt()}" if span is not None and span.lines else ""
        super().__init__(
            f"{place}{what}{excerpt}\n{name_samples(samples, size)}. {remedy}, or compile with errors='nan' to get NaN for them."
        )
        self.error = error
        self.message = message
        self.span = span
        self.samples = tuple(samples)


class VerificationError(DeepalgoError):
    """A network does not do what its function does: on which sample, where, what was expected and what it gave.

    >>> print(VerificationError("the answers differ", sample=3, expected=1.5, got=1.25))
    sample 3: the answers differ: 1.5 in the function, 1.25 in the network
    This is a bug in deepalgo: please report it with the function's text and this sample.
    """

    def __init__(
        self,
        reason: str,
        *,
        sample: int,
        expected: object,
        got: object,
        span: Span | None = None,
        changed: Sequence[str] = (),
    ) -> None:
        place = f"{span}: " if span is not None else ""
        excerpt = f"\n{span.excerpt()}" if span is not None and span.lines else ""
        remedy = "This is a bug in deepalgo: please report it with the function's text and this sample."
        if changed:
            remedy = f"The weights {', '.join(changed)} are not what the function holds any more: verify a network before it is trained."
        super().__init__(f"{place}sample {sample}: {reason}: {expected} in the function, {got} in the network{excerpt}\n{remedy}")
        self.reason = reason
        self.sample = sample
        self.expected = expected
        self.got = got
        self.span = span
        self.changed = tuple(changed)


class InternalError(Exception):
    """A bug of deepalgo, not of the user's function. Please report it with the text below."""


def name_samples(samples: Sequence[int], size: int) -> str:
    """Say which samples of a batch, the first few by number.

    >>> name_samples([3], 10)
    'Sample 3 (1 of 10)'
    >>> name_samples([0, 1, 2, 3, 4, 5, 6], 10)
    'Samples 0, 1, 2, 3, 4, ... (7 of 10)'
    """
    listed = ", ".join(str(number) for number in samples[:5]) + (", ..." if len(samples) > 5 else "")
    return f"Sample{'s' if len(samples) > 1 else ''} {listed} ({len(samples)} of {size})"
