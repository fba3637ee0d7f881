"""Compile a Python heuristic, unchanged, into a trainable torch network with exactly its answers.

The names below are the whole public surface. What is heavy is imported when it is first used, so that `import deepalgo`
stays quick and a file that only marks its constants with `weight` never loads torch.

>>> import deepalgo as da
>>> sorted(name for name in dir(da) if name.islower() and not name.startswith("_"))
['anneal', 'choose', 'compile', 'correct', 'diff', 'draw', 'fit', 'function', 'guard', 'load', 'newton', 'patch', 'remember', 'scaled',
 'soften', 'source', 'suggest', 'untie', 'weight', 'widen']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import deepalgo.studies  # noqa: F401  # their operations become part of the table
from deepalgo.errors import CompileError, DeepalgoError, FileError, HeuristicError, InputError, TensorizeError, VerificationError
from deepalgo.tensorize import TRANSFORMATIONS

if TYPE_CHECKING:
    from deepalgo import newton
    from deepalgo.compiler import compile
    from deepalgo.drawing.draw import draw
    from deepalgo.estimators.classifier import HeuristicClassifier
    from deepalgo.estimators.regressor import HeuristicRegressor
    from deepalgo.fitting.fit import fit
    from deepalgo.fitting.options import SearchOptions
    from deepalgo.fitting.report.page import Fit
    from deepalgo.marks import weight
    from deepalgo.network import Network, load
    from deepalgo.patching.diff import diff, patch
    from deepalgo.plain_function import PlainFunction, function
    from deepalgo.scaled_view import Scaled, scaled
    from deepalgo.source_code import source
    from deepalgo.tensorize.choose import Adds, Scales, Steps, choose
    from deepalgo.tensorize.correct import correct
    from deepalgo.tensorize.guard import guard
    from deepalgo.tensorize.kronecker import Kronecker
    from deepalgo.tensorize.remember import remember
    from deepalgo.tensorize.soften import anneal, soften
    from deepalgo.tensorize.structures import BlockToeplitz, Dense, Diagonal, LowRank, Product, Scalar, Toeplitz
    from deepalgo.tensorize.suggest import suggest
    from deepalgo.tensorize.untie import untie
    from deepalgo.tensorize.widen import widen

__version__ = "0.1.0.dev0"

__all__ = [
    "Adds", "BlockToeplitz", "CompileError", "DeepalgoError", "Dense", "Diagonal", "FileError", "Fit", "HeuristicClassifier",
    "HeuristicError", "HeuristicRegressor", "InputError", "Kronecker", "LowRank", "Network", "PlainFunction", "Product", "Scalar",
    "Scaled", "Scales", "SearchOptions", "Steps", "TensorizeError", "Toeplitz", "VerificationError", "__version__", "anneal", "choose",
    "compile", "correct", "diff", "draw", "fit", "function", "guard", "load", "newton", "patch", "remember", "scaled", "soften", "source",
    "suggest", "untie", "weight", "widen",
]

#: Where each public name lives.
_HOME = {name: module for module, names in {
    "deepalgo.compiler": "compile",
    "deepalgo.drawing.draw": "draw",
    "deepalgo.estimators.classifier": "HeuristicClassifier",
    "deepalgo.estimators.regressor": "HeuristicRegressor",
    "deepalgo.fitting.fit": "fit",
    "deepalgo.fitting.options": "SearchOptions",
    "deepalgo.fitting.report.page": "Fit",
    "deepalgo.marks": "weight",
    "deepalgo.network": "Network load",
    "deepalgo.patching.diff": "diff patch",
    "deepalgo.plain_function": "PlainFunction function",
    "deepalgo.scaled_view": "Scaled scaled",
    "deepalgo.source_code": "source",
    "deepalgo.tensorize.suggest": "suggest",
}.items() for name in names.split()} | {name: module for item in TRANSFORMATIONS for name, module in item.public.items()}

#: Parts of the package that are reached by their own name.
_PARTS = ("newton",)


def __getattr__(name: str) -> object:
    if name in _PARTS:
        return importlib.import_module(f"deepalgo.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'deepalgo' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
