"""`Original`: the user's function called with one sample after the other, and watched line by line."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from deepalgo.certificate.arguments import OtherStructure, numbers, plain_call
from deepalgo.ir import Program, walk
from deepalgo.signature import Signature

#: So many lines of the user's files are run for one sample before it counts as endless.
MOST_LINES = 2_000_000


class TooLong(BaseException):
    """A sample runs on and on. Not an `Exception`, so that no handler of the user takes it for one of theirs."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call did: the numbers of its answer, or the name and message of an exception; and how often each line ran."""

    numbers: tuple[Any, ...] = ()
    error: str | None = None
    message: str = ""
    hits: Counter[tuple[str, int]] = field(default_factory=Counter, repr=False, compare=False)

    def __str__(self) -> str:
        if self.error is None:
            text = ", ".join(map(str, self.numbers))
            return text if len(text) <= 200 else text[:197] + "..."
        return f"{self.error}: {self.message}" if self.message else self.error


class Original:
    """The function as the program's signature calls it. Lines are counted in the files that the program was made from."""

    def __init__(self, function: Callable[..., Any], program: Program, signature: Signature) -> None:
        self.function = function
        self.program = program
        self.signature = signature
        self.files = frozenset(item.span.file for item in walk(program.body) if item.span is not None)

    def run(self, values: Sequence[Any]) -> Outcome:
        """Call the function with the inputs of one sample."""
        args, kwargs = plain_call(self.signature, values)
        watch = Watch(self.files)
        try:
            with watch:
                value = self.function(*args, **kwargs)
        except TooLong:
            return Outcome((), "LoopBound", f"more than {MOST_LINES:,} lines", watch.hits)
        except Exception as error:  # noqa: BLE001  # whatever the heuristic raises is its answer
            return Outcome((), type(error).__name__, str(error), watch.hits)
        return self._answer(value, args, kwargs, watch)

    def _answer(self, value: Any, args: list[Any], kwargs: dict[str, Any], watch: Watch) -> Outcome:
        """The numbers that the function returns, and those that it leaves in its arguments."""
        try:
            returned = numbers(self.program.output, value)
        except OtherStructure as error:
            return Outcome((), "OtherStructure", str(error), watch.hits)
        left = [self.signature.held(tuple(args), kwargs, path) for path, _ in self.program.changes]
        return Outcome((*returned, *left), hits=watch.hits)


class Watch:
    """Counts the lines that run in some files while the `with` lasts. Lambdas and comprehensions share their lines with others."""

    def __init__(self, files: frozenset[str]) -> None:
        self.files = files
        self.hits: Counter[tuple[str, int]] = Counter()
        self.total = 0

    def __enter__(self) -> None:
        self.before = sys.gettrace()
        sys.settrace(self.enter)

    def __exit__(self, *_: object) -> None:
        sys.settrace(self.before)

    def enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        """A call: look into it if it is the user's."""
        return self.step if frame.f_code.co_filename in self.files else None

    def step(self, frame: FrameType, event: str, arg: Any) -> Any:
        """An event inside of the user's code."""
        if event == "line":
            self.total += 1
            if self.total > MOST_LINES:
                raise TooLong
            if not frame.f_code.co_name.startswith("<"):
                self.hits[frame.f_code.co_filename, frame.f_lineno] += 1
        return self.step
