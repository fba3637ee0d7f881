"""NIST's nonlinear regressions, by `fit` and its peers: `python -m benchmarks.nist_bench nist_strd.json`.

27 data sets with certified parameters, two starts each, all data, no help: parameters are float defaults of the model. A table says
how many of the 54 runs have at least 2, 4 and 6 correct digits in the worst parameter, and how long a fit takes in the median. The time
of `fit` has its report and not the compiler, which the first call pays for (it is told, too). Peers are called as their manuals do, and
SciPy's `least_squares` besides with tight tolerances and scaled by the derivatives.

The file is the yardstick's: `problems`, by name, each with `model` (a Python expression), `x` (or `x1` and `x2`), `y`, `response`,
`start1`, `start2`, `certified`.
"""

from __future__ import annotations

import argparse
import json
import linecache
import math
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

import deepalgo as da

LEVELS = (2, 4, 6)
HEAD = "import math\nfrom math import *\n\n"


@dataclass(frozen=True)
class Problem:
    """A model with its data and one of its starts."""

    name: str
    start: list[float]
    certified: list[float]
    inputs: tuple[np.ndarray, ...]
    targets: np.ndarray
    model: str

    @property
    def names(self) -> list[str]:
        """The parameters."""
        return [f"b{number + 1}" for number in range(len(self.certified))]

    def text(self) -> str:
        """The model as a person would write it: the parameters are defaults."""
        columns = ["x"] if len(self.inputs) == 1 else [f"x{number + 1}" for number in range(len(self.inputs))]
        defaults = [f"{name}={value!r}" for name, value in zip(self.names, self.start, strict=True)]
        return f"{HEAD}def model({', '.join(columns + defaults)}):\n    return {self.model}\n"

    def plain(self) -> Callable[..., Any]:
        """The model as a Python function, whose text can be found."""
        file = f"<{self.name} {self.start}>"
        linecache.cache[file] = (len(self.text()), None, self.text().splitlines(True), file)
        scope: dict[str, Any] = {}
        exec(compile(self.text(), file, "exec"), scope)  # the yardstick's own formula
        return scope["model"]

    def on_arrays(self) -> Callable[..., np.ndarray]:
        """The model for the peers: of arrays, with the parameters one by one."""
        code, names = compile(self.model, self.name, "eval"), vars(np) | {"atan": np.arctan}

        def model(*arguments: Any) -> np.ndarray:
            columns = {"x": arguments[0]} if len(self.inputs) == 1 else {f"x{k + 1}": arguments[k] for k in range(len(self.inputs))}
            return eval(code, names, columns | dict(zip(self.names, arguments[len(self.inputs) :], strict=True)))  # as above

        return model

    def residuals(self, b: np.ndarray) -> np.ndarray:
        """The errors for the peers."""
        found = self.on_arrays()(*self.inputs, *b) - self.targets
        return np.where(np.isfinite(found), found, 1e100)


def problems(path: Path) -> list[Problem]:
    """All of a file."""
    found = []
    for name, data in json.loads(path.read_text())["problems"].items():
        inputs = tuple(np.array(data[key]) for key in ("x", "x1", "x2") if key in data)
        targets = np.log(data["y"]) if data["response"] == "log(y)" else np.array(data["y"])
        found += [Problem(name, data[start], data["certified"], inputs, targets, data["model"]) for start in ("start1", "start2")]
    return found


def digits(found: Any, certified: list[float]) -> float:
    """Correct digits of the worst parameter, at most 11."""
    errors = [abs((one - other) / other) for one, other in zip(found, certified, strict=True)]
    worst = max(errors) if all(map(math.isfinite, errors)) else math.inf
    return 11.0 if worst == 0 else min(max(-math.log10(worst), 0.0), 11.0)


@dataclass(frozen=True)
class Run:
    """How well and how fast a problem was solved; `first` is the time with compiling."""

    digits: float
    seconds: float
    processor: float
    first: float


def by_fit(problem: Problem) -> Run:
    """`da.fit`, with its report as text; the second call of the same network is timed."""
    begun = time.perf_counter()
    net = da.compile(problem.plain(), backend="native")
    inputs = problem.inputs if len(problem.inputs) > 1 else problem.inputs[0]
    str(da.fit(net, inputs, problem.targets, validation=None, progress=False))
    first = time.perf_counter() - begun
    begun, processor = time.perf_counter(), time.process_time()
    fit = da.fit(net, inputs, problem.targets, validation=None, progress=False)
    str(fit)
    seconds, processor = time.perf_counter() - begun, time.process_time() - processor
    weights = [fit.network.weights[name].item() for name in problem.names]
    return Run(digits(weights, problem.certified), seconds, processor, first)


def peer(solve: Callable[[Problem], Any]) -> Callable[[Problem], Run]:
    """A peer with its time; one that raises has no correct digit."""

    def run(problem: Problem) -> Run:
        begun, processor = time.perf_counter(), time.process_time()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                found = digits(solve(problem), problem.certified)
            except (RuntimeError, ValueError, TypeError, ArithmeticError):
                found = 0.0
        return Run(found, time.perf_counter() - begun, time.process_time() - processor, 0.0)

    return run


def by_curve_fit(problem: Problem) -> Any:
    """`scipy.optimize.curve_fit`."""
    from scipy.optimize import curve_fit

    model, columns = problem.on_arrays(), len(problem.inputs)
    x = problem.inputs[0] if columns == 1 else np.stack(problem.inputs)
    return curve_fit(lambda x, *b: model(*(x if columns > 1 else (x,)), *b), x, problem.targets, p0=problem.start)[0]


def by_lmfit(problem: Problem) -> Any:
    """`lmfit.minimize`."""
    import lmfit

    parameters = lmfit.Parameters()
    for name, value in zip(problem.names, problem.start, strict=True):
        parameters.add(name, value=value)
    found = lmfit.minimize(lambda p: problem.residuals(np.array([p[name].value for name in problem.names])), parameters)
    return [found.params[name].value for name in problem.names]


def by_least_squares(problem: Problem) -> Any:
    """`scipy.optimize.least_squares`."""
    from scipy.optimize import least_squares

    return least_squares(problem.residuals, problem.start).x


def by_tight_least_squares(problem: Problem) -> Any:
    """The same with tolerances of 1e-15, scaled by the derivatives."""
    from scipy.optimize import least_squares

    return least_squares(problem.residuals, problem.start, x_scale="jac", ftol=1e-15, xtol=1e-15, gtol=1e-15, max_nfev=20_000).x


METHODS: dict[str, Callable[[Problem], Run]] = {
    "da.fit": by_fit,
    "curve_fit": peer(by_curve_fit),
    "lmfit": peer(by_lmfit),
    "least_squares": peer(by_least_squares),
    "least_squares, tight": peer(by_tight_least_squares),
}


def table(runs: dict[str, list[Run]]) -> str:
    """A row for each method."""
    lines = ["| | " + " | ".join(f">= {level} digits" for level in LEVELS) + " | ms in the median | processor ms |", "|" + " --- |" * 6]
    for name, found in runs.items():
        counts = [sum(run.digits >= level for run in found) for level in LEVELS]
        times = [1e3 * statistics.median(run.seconds for run in found), 1e3 * statistics.median(run.processor for run in found)]
        lines.append(f"| {name} | " + " | ".join(map(str, counts)) + f" | {times[0]:.1f} | {times[1]:.1f} |")
    return "\n".join([*lines, "", f"of {len(next(iter(runs.values())))} runs"])


def main() -> None:
    """Solve every problem by every method, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", nargs="*", help="names of problems")
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=list(METHODS))
    options = parser.parse_args()
    torch.set_num_threads(1)
    chosen = [problem for problem in problems(options.file) if not options.only or problem.name in options.only]
    runs: dict[str, list[Run]] = {name: [] for name in options.methods}
    for problem in chosen:
        for name in options.methods:
            runs[name].append(METHODS[name](problem))
        reached = ", ".join(f"{name} {found[-1].digits:.1f}" for name, found in runs.items())
        print(f"{problem.name} from {problem.start[:2]}: {reached}", flush=True)
    print("\n" + table(runs))
    if "da.fit" in runs:
        firsts = [run.first for run in runs["da.fit"]]
        print(f"first call with compiling: {firsts[0]:.2f} s, then {statistics.median(firsts):.2f} s in the median")


if __name__ == "__main__":
    main()
