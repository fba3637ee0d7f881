"""Standard errors of `fit` against those that NIST certifies: `python -m benchmarks.nist_uncertainty`.

The 27 nonlinear regressions of NIST's StRD, with their parameters as float defaults. A run fits a model from one of NIST's two starts and
compares the standard errors that the report gives with the certified standard deviations: digits are -log10 of the largest relative
error. `--optimum` starts at the certified parameters instead, which leaves out how well the optimum is found.

The certified numbers of Lanczos1 are limited by the digits of its data: its residuals are 1e-13.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import math
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

import deepalgo as da
from deepalgo.fitting.data.samples import read
from deepalgo.fitting.judge.objective import Objective
from deepalgo.fitting.uncertainty.estimates import Estimates, estimate
from deepalgo.fitting.uncertainty.refine import refine
from deepalgo.fitting.uncertainty.residuals import Residuals

PROBLEMS: dict[str, Any] = json.loads((Path(__file__).parent / "nist_strd.json").read_text())["problems"]
#: Digits that a run should have.
WANTED = 4


@functools.cache
def model(name: str, start: str) -> Any:
    """A model of NIST as a function with a certain start ("start1", "start2", "certified") as defaults."""
    problem = PROBLEMS[name]
    formula = re.sub(r"\b(exp|cos|sin|atan|pi)\b", r"math.\1", problem["model"])
    arguments = [*_inputs(name), *(f"b{place + 1}={float(value)!r}" for place, value in enumerate(problem[start]))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{name}_{start}.py")
        path.write_text(f"import math\n\n\ndef {name}({', '.join(arguments)}):\n    return {formula}\n")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return da.compile(getattr(module, name))


def _inputs(name: str) -> list[str]:
    return [key for key in ("x", "x1", "x2") if key in PROBLEMS[name]]


def data(name: str) -> tuple[tuple[torch.Tensor, ...], torch.Tensor]:
    """Inputs and targets."""
    problem = PROBLEMS[name]
    y = torch.tensor(problem["y"], dtype=torch.float64)
    inputs = tuple(torch.tensor(problem[key], dtype=torch.float64) for key in _inputs(name))
    return inputs, y.log() if problem["response"] == "log(y)" else y


def errors_at_the_optimum(name: str) -> Estimates:
    """What residuals and derivatives tell where steps from the certified parameters end."""
    net, (inputs, targets) = model(name, "certified"), data(name)
    keys = [f"b{place + 1}" for place in range(len(PROBLEMS[name]["certified"]))]
    residuals = Residuals(net, Objective(net), read(net, inputs, targets), keys)
    found = refine(residuals.at, residuals.values(), np.ones(len(residuals), dtype=bool))
    return estimate(residuals.labels, found.values, found.roots, found.jacobian)


def errors_of_a_fit(name: str, start: str) -> Estimates:
    """What the report of a fit to all data tells."""
    inputs, targets = data(name)
    return da.fit(model(name, start), inputs, targets, validation=None, progress=False).estimates


def digits(found: Estimates, certified: Sequence[float]) -> float:
    """Correct digits of the worst standard error; 0 for one that is missing."""
    errors = {item.label: item.error for item in found}
    told = [errors.get(f"b{place + 1}", math.nan) for place in range(len(certified))]
    wrong = max(abs(error - right) / right if math.isfinite(error) else 1.0 for error, right in zip(told, certified, strict=True))
    return min(max(0.0, -math.log10(max(wrong, 1e-16))), 11.0)


def main() -> None:
    """Print a line for each problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--optimum", action="store_true", help="start at the certified parameters")
    parser.add_argument("--only", nargs="*", default=list(PROBLEMS))
    args = parser.parse_args()
    starts, reached, runs = ("certified",) if args.optimum else ("start1", "start2"), 0, 0
    print(f"{'problem':10} {'digits of the standard errors':32} seconds")
    for name in args.only:
        begun, found = time.perf_counter(), []
        for start in starts:
            try:
                errors = errors_at_the_optimum(name) if args.optimum else errors_of_a_fit(name, start)
                found.append(digits(errors, PROBLEMS[name]["certified_sd"]))
            except da.InputError as error:  # nothing was better than the start
                print(f"{name} {start}: {error}")
                found.append(0.0)
        if name != "Lanczos1":
            reached, runs = reached + sum(item >= WANTED for item in found), runs + len(found)
        print(f"{name:10} {' '.join(f'{item:5.1f}' for item in found):32} {time.perf_counter() - begun:.2f}", flush=True)
    print(f"{reached} of {runs} runs have at least {WANTED} digits, Lanczos1 not counted")


if __name__ == "__main__":
    main()
