"""Native code says of every row what its other spellings say, with the functions of the C library and with vector forms."""

import math

import numpy as np
import pytest
import torch

from deepalgo.backends.native import engine_of
from deepalgo.backends.native.numbers import REALS as FORMS
from deepalgo.kinds import Kind
from deepalgo.network import Network
from deepalgo.ops.by_numpy import type_of
from tests.backends.native.test_native_table import ON_TORCH
from tests.ops.test_ops_spellings import ATTRS, BRANCHES, CASES, ELEMENTWISE, PROMISED, RTOL, SPECIAL, assert_alike
from tests.support.build import Builder
from tests.support.spellings import GRID, REALS, alike, cases

BOTH = ("exact", "vector")
TRUTHS, WHOLE, COMPLEX = {Kind.BOOL}, {Kind.BOOL, Kind.INT}, {Kind.COMPLEX}
#: Kinds of operands for which an operation runs on torch.
REFUSED = {
    "conj": WHOLE, "real": WHOLE, "imag": WHOLE, "fmin": WHOLE, "fmax": WHOLE, "invert": TRUTHS, "expm1": COMPLEX, "log1p": COMPLEX,
    "log2": COMPLEX, "pow": COMPLEX, "or_inf": COMPLEX, "to_int": COMPLEX, "to_real": COMPLEX,
}
NATIVE = [name for name in ELEMENTWISE if name not in ON_TORCH]
NO_WEIGHTS = np.zeros(0)


def is_refused(case):
    return max(type.kind for type in case.types) in REFUSED.get(case.name, ())


def program_of(cases, attrs):
    """A program with a result for each of the cases."""
    b = Builder()
    results = [b.op(case.name, *(b.input(f"x{number}_{place}", type) for place, type in enumerate(case.types)), **attrs)
               for number, case in enumerate(cases)]
    return b.program(tuple(results))


def native_answers(cases, attrs, mathematics):
    """What native code says of the operands of each case; all are compiled at once."""
    most = max(len(case.rows) for case in cases)
    columns = [np.resize(column, most) for case in cases
               for column in case.columns([type.kind for type in case.types], range(len(case.rows)))]
    program = program_of(cases, attrs)
    found = engine_of(program, mathematics=mathematics).forward(columns, NO_WEIGHTS).results
    return [result[: len(case.rows)].tolist() for case, result in zip(cases, found, strict=True)]


def is_promised(name, attrs, row):
    if name == "lambertw":
        return BRANCHES[attrs["branch"]](row[0]) or math.isnan(row[0])
    return PROMISED.get(name, lambda row: True)(row)


def differences(name, attrs, mathematics):
    """Where native code differs from Python, or from NumPy where Python has no answer."""
    tried = [case for case in cases(name, attrs, REALS if name in SPECIAL else GRID[Kind.REAL]) if not is_refused(case)]
    wrong = []
    for case, native in zip(tried, native_answers(tried, attrs, mathematics), strict=True):
        for row, python, numpy, ours in zip(case.rows, case.python(), case.numpy(), native, strict=True):
            theirs = numpy if python is None else python
            if theirs is None or (python is None and case.result.kind is Kind.INT) or not is_promised(name, attrs, row):
                continue
            if not alike(ours, theirs, 1e-11 if name in SPECIAL else RTOL):
                wrong.append((name, row, theirs, ours))
    return wrong


@pytest.mark.parametrize("mathematics", BOTH)
@pytest.mark.parametrize("name", NATIVE)
def test_native_code_says_of_single_numbers_what_python_and_numpy_say(name, mathematics):
    for attrs in ATTRS.get(name, [{}]):
        assert differences(name, attrs, mathematics) == []


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_kinds_of_operands_that_run_on_torch_are_those_listed(name):
    refused = [case for case in cases(name) if is_refused(case)]
    assert refused
    for case in refused:
        program = program_of([case], {})
        assert engine_of(program).reason_against(gradient=False)


@pytest.mark.parametrize("name", sorted(CASES.keys() - ON_TORCH.keys() - {"const"}))
def test_native_code_says_of_arrays_what_the_network_says(name):
    for operands, attrs in CASES[name]:
        b = Builder()
        inputs = [b.input("abcdef"[place], type_of(item)) for place, item in enumerate(operands)]
        program = b.program(b.op(name, *inputs, **attrs))
        columns = [np.asarray([item]) for item in operands]
        if name == "cross" and operands[0].ndim > 1:
            assert engine_of(program).reason_against(gradient=False) == "cross of other than two vectors"
            continue
        wanted = Network(program)(*map(torch.tensor, columns)).detach().numpy()
        for mathematics in BOTH:
            assert_alike(engine_of(program, mathematics=mathematics).forward(columns, NO_WEIGHTS).results[0], wanted, name)


def test_a_form_that_says_something_else_is_found_out(monkeypatch):
    monkeypatch.setitem(FORMS, "sqrt", lambda n, x: n.code.op("fadd", x, x))
    assert differences("sqrt", {}, "exact")
