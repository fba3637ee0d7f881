"""`Original`: the user's function called with one sample after the other, and watched line by line."""

from __future__ import annotations

import itertools
import sys
from collections import Counter, defaultdict
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
class CallOutcome:
    """What a call did: the numbers of its answer, or the name and message of an exception; how often each line ran, and after which."""

    numbers: tuple[Any, ...] = ()
    error: str | None = None
    message: str = ""
    hits: Counter[tuple[str, int]] = field(default_factory=Counter, repr=False, compare=False)
    steps: Counter[tuple[str, int, int]] = field(default_factory=Counter, repr=False, compare=False)

    def entries(self, file: str, first: int, last: int) -> int:
        """How often the function came to line `first` from outside of the lines up to `last`."""
        return sum(count for (where, before, line), count in self.steps.items()
                   if where == file and line == first and not first <= before <= last)

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

    def run(self, values: Sequence[Any]) -> CallOutcome:
        """Call the function with the inputs of one sample."""
        args, kwargs = plain_call(self.signature, values)
        watch = Watch(self.files)
        try:
            with watch:
                value = self.function(*args, **kwargs)
        except TooLong:
            return CallOutcome((), "LoopBound", f"more than {MOST_LINES:,} lines", watch.hits, watch.steps)
        except Exception as error:  # noqa: BLE001  # whatever the heuristic raises is its answer
            return CallOutcome((), type(error).__name__, str(error), watch.hits, watch.steps)
        return self._answer(value, args, kwargs, watch)

    def _answer(self, value: Any, args: list[Any], kwargs: dict[str, Any], watch: Watch) -> CallOutcome:
        """The numbers that the function returns, and those that it leaves in its arguments."""
        try:
            returned = numbers(self.program.output, value)
        except OtherStructure as error:
            return CallOutcome((), "OtherStructure", str(error), watch.hits, watch.steps)
        left = [self.signature.held(tuple(args), kwargs, path) for path in self.program.changes]
        return CallOutcome((*returned, *left), hits=watch.hits, steps=watch.steps)


class Watch:
    """Counts the lines that run in some files while the `with` lasts. Lambdas and comprehensions share their lines with others.

    `steps` counts pairs of lines that ran one after the other in one call; 0 stands before the first.
    """

    def __init__(self, files: frozenset[str]) -> None:
        self.files = files
        self.pairs: dict[str, defaultdict[tuple[int, int], int]] = {file: defaultdict(int) for file in files}
        self.lines = itertools.count(1)

    def __enter__(self) -> None:
        self.before = sys.gettrace()
        sys.settrace(self.enter)

    def __exit__(self, *_: object) -> None:
        sys.settrace(self.before)

    @property
    def steps(self) -> Counter[tuple[str, int, int]]:
        """How often a line ran after another in one call."""
        return Counter({(file, *pair): count for file, pairs in self.pairs.items() for pair, count in pairs.items()})

    @property
    def hits(self) -> Counter[tuple[str, int]]:
        """How often each line ran."""
        found: Counter[tuple[str, int]] = Counter()
        for file, pairs in self.pairs.items():
            for (_, line), count in pairs.items():
                found[file, line] += count
        return found

    def enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        """A call: look into it if it is the user's."""
        file = frame.f_code.co_filename
        if file not in self.files:
            return None
        counts, pairs, lines, last = not frame.f_code.co_name.startswith("<"), self.pairs[file], self.lines, 0

        def step(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal last
            if event == "line":
                if next(lines) > MOST_LINES:
                    raise TooLong
                if counts:
                    line = frame.f_lineno
                    pairs[last, line] += 1
                    last = line
            return step

        return step
