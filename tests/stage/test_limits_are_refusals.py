"""Whatever stands for a Python object while compiling takes the path of that object through a `try`, or is refused in words of Python's."""

import builtins
import contextlib
import functools
import importlib.util
import math
import re
import sys
import warnings

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.stage.state.values import StandIn

#: `2 is v` and calls of numbers are tried on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning")

PREAMBLE = """
import contextlib, copy, functools, math
import numpy as np

class Thing:
    def __init__(self, v):
        self.v = v
    def method(self, k=1.0):
        return self.v * k

@contextlib.contextmanager
def manager(v):
    yield v

def generator(v):
    yield v
    yield 1.0

"""
#: What makes a stand-in, with x the only input.
MAKERS = {
    "number": "x",
    "whole": "int(min(max(x, -5.0), 5.0))",
    "truth": "x > 0",
    "numpy_number": "np.float64(x) * 2.0",
    "array": "np.array([x, 1.0])",
    "range": "range(int(min(max(x, 0.0), 5.0)))",
    "sifted": "[v for v in (x, 1.0) if v > 0]",
    "zip": "zip([x], [1.0])",
    "enumerate": "enumerate([x])",
    "map": "map(abs, [x])",
    "iterator": "iter([x, 1.0])",
    "generator": "generator(x)",
    "expression": "(v for v in [x, 1.0])",
    "function": "lambda v=x: v",
    "method": "Thing(x).method",
    "object": "Thing(x)",
    "partial": "functools.partial(math.pow, x)",
    "array_method": "np.array([x, 1.0]).sum",
    "masked": "(lambda a: a[a > 0])(np.array([x, 1.0]))",
    "positions": "np.nonzero(np.array([x, 1.0]) > 0)[0]",
    "text": "f'{x}'",
    "choice": "None if x > 0 else 'a'",
    "choice_of_lists": "[1.0] if x > 0 else (1.0, 2.0)",
    "exception": "ValueError(x)",
    "context": "manager(x)",
    "suppress": "contextlib.suppress(ValueError)",
}
REAL = {
    "number": float, "whole": int, "truth": bool, "numpy_number": np.float64, "array": np.ndarray, "masked": np.ndarray, "range": range,
    "sifted": list, "zip": zip, "enumerate": enumerate, "map": map, "generator": type(i for i in ()), "function": type(lambda: 0),
    "partial": functools.partial, "text": str, "exception": ValueError, "suppress": contextlib.suppress,
}
BINARY = "+ - * / // % ** @ & | ^ << >> < <= > >= == != is in".split() + ["is not", "not in"]
UNARY = """
-v; +v; ~v; not v; v.missing; v(); v(1.0); v[0]; v[1:]; v['a']; v[5]; [*v]; 1.0 if v else 2.0; 1.0 in v; f'{v}'; f'{v:.3f}'; '{}'.format(v);
'%s' % v; {v: 1}; {v}; {}[v]; [1.0, 2.0][v]; (1.0,) + v; type(v).__name__
"""
CALLS = """
list(v); len(v); bool(v); isinstance(v, list); type(v); hash(v); copy.copy(v); copy.deepcopy(v); setattr(v, 'a', 1); hasattr(v, 'missing');
getattr(v, 'missing', 1); vars(v); next(v); callable(v); sum(v); sorted(v); max(v); min(v, 1.0); zip(v, [1.0]); isinstance(2, v);
issubclass(v, int); round(v); round(v, 2); pow(v, 2); divmod(v, 2); range(v); map(v, [1.0]); filter(v, [1.0]); np.sum(v); np.array(v);
math.sqrt(v); math.floor(v); dict([v])
"""
BUILTINS = "abs all any ascii bin bytes chr complex dict enumerate float format frozenset hex int iter oct ord repr reversed set str tuple"
OPERATIONS = [
    *(pattern.format(op) for pattern in ("v {} 2", "2 {} v", "v {} 'a'", "v {} [1.0]") for op in BINARY),
    *(item.strip() for text in (UNARY, CALLS) for item in text.split(";")),
    *(f"{name}(v)" for name in BUILTINS.split()),
]
STATEMENTS = [
    "for r in v:\n            pass", "a, b = v", "a, *b = v", "v[0] = 1.0", "v.field = 1.0", "del v[0]", "v += 1", "v += [1.0]",
    "with v:\n            pass", "raise v", "while v:\n            break", "assert v",
]
CAUGHT = "(TypeError, AttributeError, IndexError, ValueError, KeyError)"


def attributes(name):
    return [item for item in dir(REAL[name]) if not item.startswith("__")] if name in REAL else []


def cases():
    for maker in MAKERS:
        operations = [f"r = {item}" for item in (*OPERATIONS, *(f"v.{item}" for item in attributes(maker)))]
        for place, operation in enumerate((*operations, *STATEMENTS)):
            yield maker, f"{maker}_{place}", operation


def write(folder):
    """All functions in one module, so that each has a text."""
    parts = [PREAMBLE]
    for maker, name, operation in cases():
        body = f"    try:\n        v = {MAKERS[maker]}\n        {operation}\n    except {CAUGHT}:\n        return -1.0\n    return 1.0"
        parts.append(f"def {name}(x):\n{body}\n\n")
    path = folder / "limits.py"
    path.write_text("\n".join(parts))
    spec = importlib.util.spec_from_file_location("limits", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["limits"] = module
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def limits(tmp_path_factory):
    return write(tmp_path_factory.mktemp("limits"))


def every_subclass(cls):
    return {cls}.union(*map(every_subclass, cls.__subclasses__()))


def own_names():
    """The names of the classes that stand for Python's while compiling, unless Python has one of that name."""
    names = {cls.__name__ for cls in every_subclass(StandIn)}
    return {name for name in names if not hasattr(builtins, name)}


def verdict(function):
    """What is wrong with a function: an empty text if it is right or refused."""
    wanted = {}
    for x in (2.5, -1.0, 0.0, 1.0):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted[x] = function(x)
        except Exception as error:
            wanted[x] = error
    try:
        net = da.compile(function, errors="nan")
        got = net(torch.tensor(list(wanted), dtype=torch.float64))
    except da.CompileError as error:
        named = [name for name in own_names() if re.search(rf"\b{name}\b", error.reason + error.remedy)]
        if named:
            return f"names {named[0]}: {error.reason}"
        if "on every input" in error.reason and not all(isinstance(item, Exception) for item in wanted.values()):
            return f"says that it raises: {error.reason}"
        return ""
    except Exception as error:
        return f"crashes: {type(error).__name__}: {error}"
    found = [item.item() for item in torch.as_tensor(got, dtype=torch.float64).expand(len(wanted))]
    for (x, expected), item in zip(wanted.items(), found, strict=True):
        if math.isnan(item) if not isinstance(expected, Exception) else not math.isnan(item):
            if isinstance(expected, Exception) or not math.isnan(item):
                return f"at {x}: {expected!r}, but got {item}"
        elif not isinstance(expected, Exception) and item != expected:
            return f"at {x}: {expected}, but got {item}"
    return ""


def found_wrong(limits, maker, step):
    chosen = [(name, operation) for kind, name, operation in cases() if kind == maker][::step]
    wrong = {operation: verdict(getattr(limits, name)) for name, operation in chosen}
    return {operation: text for operation, text in wrong.items() if text}


@pytest.mark.parametrize("maker", MAKERS)
def test_a_stand_in_takes_the_path_of_the_object_or_is_refused(maker, limits):
    assert found_wrong(limits, maker, 11) == {}


@pytest.mark.slow
@pytest.mark.parametrize("maker", MAKERS)
def test_every_operation_on_a_stand_in_takes_the_path_of_the_object_or_is_refused(maker, limits):
    assert found_wrong(limits, maker, 1) == {}


def test_the_checker_sees_a_wrong_path(limits, monkeypatch):
    monkeypatch.setattr(da, "compile", lambda function, **_: lambda x: torch.full_like(x, 7.0))
    assert verdict(limits.number_0) == "at 2.5: 1.0, but got 7.0"
