"""What cannot be compiled faithfully is refused with file, line, caret, reason and a way out; every text is compared whole.

`refusals.txt` holds programs and what is said of them. Errors of a call (`InputError`, `HeuristicError`) follow below.
"""

import functools
import importlib.util
import linecache
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import deepalgo as da
from deepalgo.errors import InternalError

CASES = [
    re.fullmatch(r"(.*?)\n(.*)\n---\n(.*)", case, re.DOTALL).groups()
    for case in (Path(__file__).parent / "refusals.txt").read_text().removeprefix("=== ").strip().split("\n\n=== ")
]


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Write a module and hand back its function `f`."""
    monkeypatch.setitem(sys.modules, "heuristic", None)

    def write(text):
        path = tmp_path / "heuristic.py"
        path.write_text(text)
        linecache.checkcache()
        spec = importlib.util.spec_from_file_location("heuristic", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["heuristic"] = module
        exec(compile(text, str(path), "exec"), vars(module))
        return module.f

    return write


def said(error, thunk):
    with pytest.raises(error) as caught:
        thunk()
    return str(caught.value)


@pytest.mark.parametrize(("program", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_refused_with_place_reason_and_way_out(load, program, text):
    assert said(da.CompileError, lambda: da.compile(load(program + "\n"))) == text


def test_a_refusal_carries_its_parts(load):
    with pytest.raises(da.CompileError) as caught:
        da.compile(load("def f(x):\n    input('x')\n    return x\n"))
    assert (caught.value.reason, caught.value.span.line, caught.value.span.column) == ("this asks the user for input", 2, 4)
    assert caught.value.remedy == "Pass the value as an argument."


def test_a_function_without_text_is_refused():
    scope = {}
    exec("def f(x):\n    return 2.0 * x\n", scope)
    assert said(da.CompileError, lambda: da.compile(scope["f"])) == (
        "there is no source text for `f`\nPut the function into a file or a notebook cell."
    )


def test_a_helper_without_text_is_refused_where_it_is_called(load):
    f = load("g = eval('lambda x: x + 1.0')\n\ndef f(x):\n    return g(x) * 2\n")
    assert said(da.CompileError, lambda: da.compile(f)) == (
        "heuristic.py:4:12: there is no source text for `<lambda>`\n"
        "    4 |     return g(x) * 2\n"
        "      |            ^^^^\n"
        "Put the function into a file or a notebook cell."
    )


def test_a_file_that_changed_after_its_import_is_refused(load, tmp_path):
    f = load("def f(x):\n    return 2.0 * x\n")
    (tmp_path / "heuristic.py").write_text("def f(x):\n    return 3.0 * x\n\n# changed\n")
    linecache.checkcache()
    assert said(da.CompileError, lambda: da.compile(f)) == (
        "the text of `f` in heuristic.py is not the text that Python runs\n"
        "The file changed after it was imported, or the function was generated: import it again."
    )


def test_a_loop_that_cannot_be_rolled_up_is_refused_when_it_is_long(load):
    f = load("def f(x):\n    items = []\n    for i in range(30000):\n        items.append(x * i)\n    return sum(items)\n")
    assert said(da.CompileError, lambda: da.compile(f)) == (
        "heuristic.py:3:5: this loop has 30,000 rounds and cannot be rolled up\n"
        "    3 |     for i in range(30000):\n"
        "      |     ^^^^^^^^^^^^^^^^^^^^^^\n"
        "Shorten it, or do not use its index as a plain number."
    )


def test_a_failure_of_our_own_is_no_bare_traceback(load, monkeypatch):
    def broken(*args, **kwargs):
        raise KeyError("inside")

    monkeypatch.setattr("deepalgo.compiler.stage", broken)
    assert said(InternalError, lambda: da.compile(load("def f(x):\n    return x\n"))) == (
        "deepalgo failed on `f`: KeyError: 'inside'. This is a bug in deepalgo; please report it with the function's text."
    )


PLAIN = "def f(x, y):\n    return x * y\n"
ONE_CALL = "example must be one call as (args, kwargs), such as ((1.0, 2.0), {})"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"example": (1.0, 2.0)}, f"{ONE_CALL}, not (1.0, 2.0)"),
        ({"example": ((1.0,), {})}, f"{ONE_CALL}: missing a required argument: 'y'"),
        ({"example": ((1.0, 2.0), {"z": 1.0})}, f"{ONE_CALL}: got an unexpected keyword argument 'z'"),
        ({"static": ("z",)}, "the function has no parameter 'z'; it has x, y"),
        ({"inputs": ("z",)}, "the function has no parameter 'z'; it has x, y"),
    ],
)
def test_a_wrong_example_is_named(load, options, text):
    assert said(da.InputError, lambda: da.compile(load(PLAIN), **options)) == text


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"loops": "jog"}, "loops must be 'run' or 'settle', not 'jog'"),
        ({"max_rounds": 0}, "max_rounds must be a positive whole number, not 0"),
        ({"errors": "zero"}, "errors must be 'raise' or 'nan', not 'zero'"),
    ],
)
def test_a_wrong_option_is_named(load, options, text):
    assert said(ValueError, lambda: da.compile(load(PLAIN), **options)) == text


def test_what_is_no_function_is_named():
    assert said(da.InputError, lambda: da.compile(3.0)) == "compile needs a function, not 3.0"


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((1.0,), {}, "f() needs the argument 'y'"),
        ((1.0, 2.0, 3.0), {}, "f() takes 2 positional arguments but 3 were given"),
        ((1.0, 2.0), {"z": 3.0}, "f() has no argument 'z'; it has x, y"),
        ((1.0, 2.0), {"x": 3.0}, "f() got two values for the argument 'x'"),
        (([1.0, 2.0], [1.0, 2.0, 3.0]), {}, "the inputs have batches of different sizes: 'x' 2, 'y' 3"),
        (([[1.0, 2.0]], 1.0), {}, "'x' must have the shape (batch,) or be a number, not (1, 2)"),
        (("a", 1.0), {}, "'x' must be numbers, not 'a'"),
        ((None, 1.0), {}, "'x' has missing numbers, the first at 0.\nLeave these samples out, or give NaN, and they become NaN."),
        ((1j, 1.0), {}, "'x' must be real numbers, not complex128"),
        ((True, 1.0), {}, "'x' must be real numbers, not bool"),
    ],
)
def test_a_wrong_call_of_a_network_is_named(load, args, kwargs, text):
    net = da.compile(load(PLAIN))
    assert said(da.InputError, lambda: net(*args, **kwargs)) == text


def test_configuration_is_checked_at_every_call(load):
    f = load("def f(x, mode='fast', gain=2.0):\n    return x * gain if mode == 'fast' else x\n")
    net = da.compile(f, example=((1.0,), {"mode": "slow"}))
    assert net(3.0, mode="slow").item() == 3.0
    assert said(da.InputError, lambda: net(1.0, mode="fast")) == (
        "'mode' is fixed: it was 'slow' when the function was compiled and is 'fast' now. Compile once for each value."
    )
    assert said(da.InputError, lambda: net(1.0, "slow", 3.0)) == (
        "f() was compiled with the default of 'gain', which is a weight or fixed configuration. "
        "To pass 'gain', compile with inputs=('gain',) or give it in example=."
    )


def test_the_structure_of_an_argument_is_checked(load):
    f = load("def f(points, weights):\n    return sum(w * x for (x, y), w in zip(points, weights.values()))\n")
    net = da.compile(f, example=(([(1.0, 2.0), (3.0, 4.0)], {"a": 1.0, "b": 2.0}), {}))
    assert said(da.InputError, lambda: net([(1.0, 2.0)], {"a": 1.0, "b": 2.0})) == (
        "'points' was compiled as a list of 2 items, not a list of 1"
    )
    assert said(da.InputError, lambda: net([(1.0, 2.0), (1.0, 2.0)], {"a": 1.0, "c": 2.0})) == (
        "'weights' was compiled as a dict with the keys ['a', 'b'], not {'a': 1.0, 'c': 2.0}"
    )


RAISING = """\
import math

def f(x, y):
    if y > 10.0:
        raise ValueError(f"y is {y}, x is {x}")
    assert x < 100.0, "x is too large"
    return math.log(x) / y
"""
WAY_OUT = "Leave them out, or compile with errors='nan' to get NaN for them."


@pytest.mark.parametrize("loops", ["run", "settle"])
@pytest.mark.parametrize(
    ("x", "y", "text"),
    [
        ([1.0, -1.0, 0.0, 2.0], 1.0, "heuristic.py:7:12: the heuristic raises ValueError: math domain error\n"
         "    7 |     return math.log(x) / y\n"
         "      |            ^^^^^^^^^^^\n"
         "Samples 1, 2 (2 of 4). "),
        (1.0, [1.0, 0.0], "heuristic.py:7:12: the heuristic raises ZeroDivisionError: float division by zero\n"
         "    7 |     return math.log(x) / y\n"
         "      |            ^^^^^^^^^^^^^^^\n"
         "Sample 1 (1 of 2). "),
        ([2.0] * 9, [1.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 1.0, 1.0],
         "heuristic.py:5:9: the heuristic raises ValueError: y is 11.0, x is 2.0\n"
         '    5 |         raise ValueError(f"y is {y}, x is {x}")\n'
         "      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
         "Samples 1, 2, 3, 4, 5, ... (6 of 9). "),
        (101.0, 1.0, "heuristic.py:6:5: the heuristic raises AssertionError: x is too large\n"
         '    6 |     assert x < 100.0, "x is too large"\n'
         "      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
         "Sample 0 (1 of 1). "),
    ],
)
def test_samples_on_which_the_heuristic_raises_are_named_with_its_line_and_message(load, x, y, text, loops):
    assert said(da.HeuristicError, lambda: da.compile(load(RAISING), loops=loops)(x, y)) == text + WAY_OUT


LIMITS = {
    "a loop does not end": (
        "def f(x):\n    while x > 1.0:\n        x = x + 1.0\n    return x\n", [0.5, 3.0],
        "heuristic.py:2:5: this loop is still running after 7 rounds\n"
        "    2 |     while x > 1.0:\n"
        "      |     ^^^^^^^^^^^^^^\n"
        "Sample 1 (1 of 2). Compile with a larger max_rounds, leave them out, or compile with errors='nan' to get NaN for them.",
    ),
    "a power turns complex": (
        "def f(x):\n    return x ** 0.5\n", [4.0, -4.0],
        "heuristic.py:2:12: a negative number to a fractional power is complex in Python\n"
        "    2 |     return x ** 0.5\n"
        "      |            ^^^^^^^^\n"
        "Sample 1 (1 of 2). Keep the base positive, leave them out, or compile with errors='nan' to get NaN for them.",
    ),
    "a whole number grows too large": (
        "def f(x):\n    return int(x) ** 9\n", [4.0, 1e9],
        "heuristic.py:2:12: this is a whole number beyond 64 bits\n"
        "    2 |     return int(x) ** 9\n"
        "      |            ^^^^^^^^^^^\n"
        "Sample 1 (1 of 2). Compute with floats, leave them out, or compile with errors='nan' to get NaN for them.",
    ),
    "None is returned": (
        "def f(x):\n    return x if x > 0 else None\n", [4.0, -4.0],
        "heuristic.py:2:5: the function returns None here\n"
        "    2 |     return x if x > 0 else None\n"
        "      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "Sample 1 (1 of 2). Return a number on every path, leave them out, or compile with errors='nan' to get NaN for them.",
    ),
    "recursion goes too deep": (
        "def f(x):\n    return f(x / 2) + 1 if x > 1.0 else x\n", [4.0, 1e30],
        "heuristic.py:2:12: this is still recursing after 24 levels\n"
        "    2 |     return f(x / 2) + 1 if x > 1.0 else x\n"
        "      |            ^^^^^^^^\n"
        "Sample 1 (1 of 2). Write it as a loop, leave them out, or compile with errors='nan' to get NaN for them.",
    ),
}


@pytest.mark.parametrize("case", LIMITS)
def test_where_python_would_go_on_the_network_says_why_it_does_not(load, case):
    program, x, text = LIMITS[case]
    net = da.compile(load(program), max_rounds=7)
    assert said(da.HeuristicError, lambda: net(x)) == text
    forgiving = da.compile(load(program), max_rounds=7, errors="nan")
    failed = forgiving(x)
    assert not failed.is_floating_point() or failed.isnan().tolist() == [False, True]
    assert sum(forgiving.failures.values()) == 1


def test_braces_in_a_message_stay_braces(load):
    f = load("def f(x):\n    if x > 2.0:\n        raise ValueError('not in {1, 2}')\n    return x\n")
    for loops in ("run", "settle"):
        with pytest.raises(da.HeuristicError) as caught:
            da.compile(f, loops=loops)([1.0, 3.0])
        assert caught.value.message == "not in {1, 2}"


def test_a_variable_without_a_value_is_named(load):
    f = load("def f(x):\n    if x > 0:\n        y = 1.0\n    return y\n")
    with pytest.raises(da.HeuristicError) as caught:
        da.compile(f)([1.0, -1.0])
    assert (caught.value.error, caught.value.samples) == ("UnboundLocalError", (1,))
    assert caught.value.message == "cannot access local variable 'y' where it is not associated with a value"


@pytest.mark.parametrize(
    ("function", "name"),
    [(len, "len"), (float, "float"), (np.sin, "sin"), (str.upper, "str.upper"), ([].append, "list.append"),
     (functools.partial(pow, 2.0), "functools.partial(<built-in function pow>, 2.0)")],
)
def test_what_is_not_written_in_python_is_refused(function, name):
    assert said(da.CompileError, lambda: da.compile(function)) == (
        f"`{name}` is not written in Python: there is nothing to compile\nWrite a function that calls it, and compile that."
    )
