"""The verdict on a small program: every value with its kind and sign, every error with its text, slopes at ordinary inputs.

Programs of the kinds `options` and `edges` are looked at this way: they are cheap, and their inputs may be infinite or NaN.
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deepalgo.errors import CompileError
from tests.fuzz.program import Program
from tests.fuzz.verdict import Verdict, generalise
from tests.small.compare import Comparison, Wrong, quiet

#: NumPy does not say which of two zeros is the larger; that differs with the processor and the length of an array.
EITHER_ZERO = re.compile(
    r"np\.(maximum|minimum|fmax|fmin|max|min|clip|nanmax|nanmin|ptp|amax|amin|sort|median|percentile|quantile)\b|\.(max|min|clip)\("
)
#: What LAPACK solves: other libraries round otherwise.
SOLVERS = re.compile(r"np\.(polyfit|linalg\.(lstsq|pinv|solve|inv))\b")
KINDS = frozenset({"options", "edges"})


def check(program: Program) -> Verdict:
    """The verdict on a program of one of these kinds; its first `ordinary` samples are those at which slopes are compared."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"program_{program.seed}.py"
        file.write_text(program.source)
        with loaded(program, str(file)) as module, quiet():
            function = getattr(module, program.entry)
            rows = [tuple(sample.values()) for sample in program.samples]
            comparison = Comparison(function, function, rows, program.ordinary)
            comparison.solves = SOLVERS.search(program.source) is not None
            comparison.signless = comparison.solves or EITHER_ZERO.search(program.source) is not None  # as rounding decides
            return _judge(comparison)


def _judge(comparison: Comparison) -> Verdict:
    facts = comparison.facts
    try:
        comparison.run()
    except CompileError as error:
        return Verdict("refused", generalise(error.reason), str(error), facts=facts)
    except Wrong as error:
        word = "wrong-gradient" if error.reason == "another slope" else "wrong"
        return Verdict(word, error.reason, error.detail, facts=facts)
    except Exception as error:  # whatever else leaves the library is a crash
        return Verdict("crashed", f"{type(error).__name__}: {generalise(str(error))}", str(error), facts=facts)
    return Verdict("ok", facts=facts)


@contextlib.contextmanager
def loaded(program: Program, file: str) -> Iterator[Any]:
    """The program as a module that can be found by its name, as literals are changed there."""
    name = f"fuzzed_program_{program.seed}"
    module = types.ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    try:
        exec(compile(program.source, file, "exec", dont_inherit=True), module.__dict__)
        yield module
    finally:
        del sys.modules[name]
