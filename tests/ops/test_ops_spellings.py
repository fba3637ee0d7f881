"""Every spelling of every row says what the others say: Python's, NumPy's on numbers and on arrays, torch's, and the interpreter's."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from deepalgo.ir import By, Op, Value, interpret
from deepalgo.ir.compute import FAILURES, compute, fill
from deepalgo.kinds import Kind
from deepalgo.network import Network
from deepalgo.ops import special
from deepalgo.ops.by_numpy import type_of
from deepalgo.ops.table import TABLE
from tests.support.build import Builder
from tests.support.spellings import GRID, REALS, alike, cases, eval_

RTOL = 1e-12
ATTRS = {"round_digits": [{"digits": 2}, {"digits": -1}], "jv": [{"order": 1.5}], "iv": [{"order": 1}], "kv": [{"order": 2}],
         "lambertw": [{"branch": 0}, {"branch": -1}]}
SPECIAL = {row.name for row in special.ROWS}


def is_positive(row):
    return all(0 < item < math.inf for item in row)


def is_real(row):
    return not isinstance(row[0], complex)


def is_of_small_order(row):
    return abs(row[0]) <= 40


#: Operands for which a row promises nothing, since a check stands before it or the function has a pole there.
PROMISED = {
    "pow": lambda row: row[0] != 0 or not any(isinstance(item, complex) for item in row),
    "to_int": is_real,
    "to_real": is_real,
    "or_inf": is_real,
    "beta": is_positive,
    "betaln": is_positive,
    "binom": is_positive,
    "jv_of": is_of_small_order,
    "iv_of": is_of_small_order,
    "kv_of": is_of_small_order,
}
#: Where SciPy's answer is real.
BRANCHES = {0: lambda x: x >= -1 / math.e, -1: lambda x: -1 / math.e <= x < 0}

rng = np.random.default_rng(5)
V, W, M, S = rng.normal(size=4).round(2), rng.normal(size=4).round(2), rng.normal(size=(2, 3)).round(2), rng.normal(size=(3, 3)).round(2)
SYMMETRIC = S @ S.T + np.eye(3)
IMAGE, MASKS, CENTRES = rng.random((5, 5)), rng.random((2, 5, 5)), rng.random((2, 5, 5))
BOXES = {"transforms": ((0.0, 0, 0), (0.0, 1, -1)), "p": 1}
#: Operands and attributes of the rows that do not work number by number.
CASES = {
    "const": [((), {"value": 1.5}), ((), {"value": ((1, 2), (3, 4))})],
    "cut": [((True, 2.5), {}), ((False, V), {})],
    "soft_choice": [((1.5, 2.5, True, 0.1, 1.0, 0.0), {"key": ""}), ((V, W, False, 0.1, 1.0, 0.0), {"key": ""})],
    "stack": [((1.0, 2, True), {}), ((V, W), {}), ((V, 2.0), {}), ((W, V > 0, 1), {})],
    "lead": [((V,), {"count": 2}), ((2.5,), {"count": 1})],
    "zeta": [((2.5,), {}), ((1.5, 0.7), {}), ((V + 5.0, 2.0), {})],
    "index": [((M,), {"key": (1,)}), ((M,), {"key": (-1, 2)})],
    "gather": [((V, 2), {}), ((M, np.array([1, 0, 1])), {})],
    "sum": [((V,), {"axis": None}), ((M,), {"axis": -1}), ((V > 0,), {"axis": 0})],
    "take": [((M,), {"key": (("slice", None, None, -1), "...", 0)}), ((V,), {"key": (None,)})],
    "put": [((M, 7.5), {"key": (0, 1)}), ((M, W[:3]), {"key": (("slice", None, None, None),)})],
    "pick": [((M,), {"indices": (2, 0, -1), "axis": 1})],
    "put_at": [((V, 2, 1.5), {}), ((M, 1, W[:3]), {})],
    "pick_at": [((M, np.array([2, 0])), {"axis": 1})],
    "add_at": [((V, np.array([1, 1, 3]), W[:3]), {"axis": 0}), ((M, 2, V[:2]), {"axis": 1})],
    "take_along": [((M, np.argsort(M, axis=1)), {"axis": 1})],
    "reshape": [((M,), {"shape": (3, -1)})],
    "permute": [((M,), {"axes": (1, 0)})],
    "broadcast": [((V,), {"shape": (2, 4)})],
    "concat": [((V, W), {"axis": 0}), ((M, M.round().astype(int)), {"axis": 1})],
    **{name: [((V,), {"axis": None}), ((M,), {"axis": 0}), ((M.round().astype(int),), {"axis": 1})]
       for name in ("prod", "amin", "amax", "argmin", "argmax", "cumsum", "cumprod")},
    **{name: [((V > 0,), {"axis": None}), ((M > 0,), {"axis": 0})] for name in ("any", "all")},
    **{name: [((V,), {"axis": 0}), ((M,), {"axis": -1})] for name in ("sort", "argsort")},
    "searchsorted": [((np.sort(V), W), {"side": side}) for side in ("left", "right")] + [((np.sort(V), 0.1), {"side": "left"})],
    "interp": [((0.3, np.sort(V), W), {}), ((W, np.sort(V), W), {})],
    "matmul": [((M, S), {}), ((V, W), {}), ((S, V[:3]), {})],
    "solve": [((S, V[:3]), {}), ((S, S.T), {})],
    **{name: [((S,), {})] for name in ("inv", "det", "det_sign", "det_log", "pinv", "is_singular", "svd_s")},
    **{name: [((S,), {"full": full}) for full in (True, False)] for name in ("svd_u", "svd_vh")},
    **{name: [((SYMMETRIC,), {})] for name in ("eigvalsh", "cholesky", "eigh_w", "eigh_v", "is_positive", "eig_w", "eig_v", "eig_is_real")},
    "cross": [((V[:3], W[:3]), {}), ((S, W[:3]), {})],
    "norm2": [((V,), {"axis": None}), ((M,), {"axis": 0})],
    **{name: [((V,), {"axis": 0}), ((M,), {"axis": -1})] for name in ("fft", "ifft")},
    "match": [((IMAGE, MASKS, CENTRES), BOXES)],
    "soft_match": [((IMAGE, MASKS, CENTRES, 0.1), {**BOXES, "key": ""})],
}
ELEMENTWISE = sorted(TABLE.keys() - CASES.keys() - {"weight", "match_flow"})


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_rows_say_the_same_of_single_numbers_in_every_spelling(name):
    tried = 0
    for attrs in ATTRS.get(name, [{}]):
        for case in cases(name, attrs, REALS if name in SPECIAL else GRID[Kind.REAL]):
            promised = PROMISED.get(name, lambda row: True)
            if name == "lambertw":
                branch = BRANCHES[attrs["branch"]]
                promised = lambda row, branch=branch: branch(row[0]) or math.isnan(row[0])  # noqa: E731
            case.rows = [row for row in case.rows if promised(row)]
            if case.rows:
                assert case.differences(1e-11 if name in SPECIAL else RTOL) == []
                tried += 1
    assert tried


@pytest.mark.parametrize("name", sorted(CASES))
def test_rows_say_the_same_of_arrays_in_every_spelling(name):
    for operands, attrs in CASES[name]:
        b = Builder()
        inputs = [b.input("abcdef"[place], type_of(item)) for place, item in enumerate(operands)]
        result = b.op(name, *inputs, **attrs) if operands else b.const(attrs["value"])
        batch = [torch.tensor(np.asarray([item])) for item in operands]
        network = Network(b.program(result), backend="torch")(*batch)
        wanted = network.detach().numpy()[0 if operands else ...]
        if name != "const":
            for by in By:
                op = Op(Value(99, result.type), name, tuple(inputs), tuple(attrs.items()), by=by)
                assert_alike(compute(op)(*operands), wanted, name)
            assert_alike(python_answer(name, operands, attrs, result.type), wanted, name)
        else:
            assert_alike(attrs["value"], wanted, name)


def python_answer(name, operands, attrs, type):
    """What the Python spelling says, or NaN where it is not for such operands."""
    row = TABLE[name]
    types = [type_of(item) for item in operands]
    kind = None if row.common is None else max((row.common, *(item.kind for item in types[row.apart :])))
    given = [item if kind is None or place < row.apart or np.ndim(item) == 0 else np.asarray(item).astype(
        {Kind.BOOL: bool, Kind.INT: int, Kind.REAL: float, Kind.COMPLEX: complex}[kind]) for place, item in enumerate(operands)]
    try:
        found = np.asarray(eval_(fill(row.python, [f"a{place}" for place in range(len(given))], attrs), given, row.numpy_form))
    except FAILURES:
        return None
    return found if found.shape == type.shape else None


def assert_alike(got, wanted, name):
    if got is None:
        return
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape, name
    scale = max(1e-300, float(np.max(np.abs(wanted), initial=0.0)))
    assert all(alike(complex(a) / scale, complex(b) / scale, RTOL) or abs(a - b) <= RTOL * scale
               for a, b in zip(got.ravel().tolist(), wanted.ravel().tolist(), strict=True)), (name, got, wanted)


def test_a_flow_is_that_of_the_least_distance():
    operands = (IMAGE, MASKS, CENTRES)
    b = Builder()
    inputs = [b.input("abc"[place], type_of(item)) for place, item in enumerate(operands)]
    program = b.program(b.op("match_flow", b.op("match", *inputs, **BOXES), *inputs, **BOXES))
    network = Network(program, backend="torch")(*(torch.tensor(item[None]) for item in operands))
    assert_alike(interpret(program, operands).output, network.detach().numpy()[0], "match_flow")


def test_a_spelling_that_says_something_else_is_found_out(monkeypatch):
    for change in ({"python": "math.sqrt({0}) * 1.0000001"}, {"numpy": "np.sqrt({0}) + 1e-9"}, {"torch": "torch.sqrt({0}) + 1e-9"}):
        with monkeypatch.context() as patch:
            patch.setitem(TABLE, "sqrt", replace(TABLE["sqrt"], **change))
            assert any(case.differences(RTOL) for case in cases("sqrt")), change
