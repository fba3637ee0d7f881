"""Every row of the table gives Python's values: the Python spelling of the row is the oracle for its torch spelling."""

import cmath
import itertools
import math

import numpy as np
import pytest
import torch

from deepalgo.backends.expression import fill, literal
from deepalgo.ir import Kind, Type
from deepalgo.network import Network
from deepalgo.ops.table import TABLE, infer
from tests.support.build import Builder

inf, nan = math.inf, math.nan
REALS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 3.0, -7.0, 0.1, 1e-9, 123.456, -1e-300, 1e300, 5e-324, 1e16, inf, -inf, nan]
TAME = [0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 3.7, -7.3, 0.1, 1e-9, 12.25, -1e-30, 700.0, 20.0, 150.5, -33.5]
INTS = [0, 1, -1, 2, -2, 3, 7, -7, 10, -13, 2**40]
UNARY = ["sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
         "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "gamma", "lgamma", "degrees", "radians", "isnan", "isinf", "isfinite",
         "floor", "ceil", "trunc", "rint", "sign", "neg", "pos", "abs", "to_int", "to_real", "to_bool"]
BINARY = ["add", "sub", "mul", "div", "floordiv", "mod", "pow", "fmod", "remainder", "copysign", "hypot", "atan2", "lt", "le", "gt",
          "ge", "eq", "ne", "min", "max"]
#: Remainders of 1e300 by the smallest number are NaN: the quotient has two thousand binary digits.
SUBNORMAL = {"mod", "fmod", "remainder"}
SPACE = {"math": math, "np": np, "inf": inf, "nan": nan}


def network(name, *types, **attrs):
    b = Builder()
    args = [b.input("abc"[place], type) for place, type in enumerate(types)]
    return Network(b.program(b.op(name, *args, **attrs)))


def batch(column, kind):
    return torch.tensor(
        column, dtype={Kind.BOOL: torch.bool, Kind.INT: torch.int64, Kind.REAL: torch.float64, Kind.COMPLEX: torch.complex128}[kind]
    )


def python_value(name, *args, **attrs):
    """What Python says, or None where it raises or leaves the reals."""
    try:
        value = eval(fill(TABLE[name].python, [literal(arg) for arg in args], attrs).text, SPACE)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return None if isinstance(value, complex) else value


def assert_close(ours, python, what, ulps=2):
    if isinstance(python, float) and math.isnan(python):
        assert math.isnan(ours), what
    elif isinstance(python, float) and math.isfinite(python):
        assert abs(ours - python) <= max(ulps * math.ulp(python), 1e-12 * abs(python)), (what, ours, python)
    else:
        assert ours == python, (what, ours, python)


def check_row(name, kinds, columns, **attrs):
    rows = list(itertools.product(*columns))
    ours = network(name, *map(Type, kinds), **attrs)(*(batch(column, kind) for column, kind in zip(zip(*rows), kinds)))
    for row, value in zip(rows, ours.tolist()):
        python = python_value(name, *row, **attrs)
        if python is not None:
            assert_close(value, python, (name, row))


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_real_agree_with_python(name):
    check_row(name, [Kind.REAL], [[x for x in REALS + TAME if name != "to_int" or abs(x) < 2**63]])


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_reals_agree_with_python(name):
    check_row(name, [Kind.REAL, Kind.REAL], [[x for x in REALS if x != 1e300 or name not in SUBNORMAL], REALS])


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "floordiv", "mod", "lt", "eq", "min", "max", "bitand", "bitor", "bitxor"])
def test_functions_of_two_integers_agree_with_python(name):
    check_row(name, [Kind.INT, Kind.INT], [INTS[:-1], INTS])


@pytest.mark.parametrize("name", ["pow", "lshift", "rshift"])
def test_powers_and_shifts_of_integers_agree_with_python(name):
    check_row(name, [Kind.INT, Kind.INT], [INTS[:-1], [0, 1, 2, 5, 11]])


@pytest.mark.parametrize("name", ["neg", "abs", "sign", "invert", "sqrt", "to_real", "to_bool"])
def test_functions_of_one_integer_agree_with_python(name):
    check_row(name, [Kind.INT], [INTS])


@pytest.mark.parametrize("name", ["and", "or", "xor", "not", "add", "mul", "lt", "div", "bitand", "min"])
def test_truth_values_count_as_integers(name):
    columns = [[False, True]] * (1 if name == "not" else 2)
    check_row(name, [Kind.BOOL] * len(columns), columns)


@pytest.mark.parametrize("name", ["add", "mul", "floordiv", "mod", "lt", "min", "div", "pow"])
def test_integers_and_reals_meet_as_reals(name):
    check_row(name, [Kind.INT, Kind.REAL], [INTS, REALS])
    check_row(name, [Kind.REAL, Kind.INT], [REALS, INTS])


@pytest.mark.parametrize("name", ["minimum", "maximum", "fmin", "fmax", "sign", "rint", "hypot"])
def test_numpy_spellings_agree_with_numpy(name):
    columns = [REALS] if name in ("sign", "rint") else [REALS, REALS]
    rows = np.array(list(itertools.product(*columns))).T
    ours = network(name, *[Type(Kind.REAL)] * len(columns))(*rows)
    text = TABLE[name].numpy.format("r[0]", "r[1]")
    with np.errstate(all="ignore"):
        np.testing.assert_array_max_ulp(ours.numpy(), eval(text, {"np": np, "r": rows}), 1)


@pytest.mark.parametrize("name", ["mod", "floordiv", "copysign", "neg", "floor", "ceil", "trunc", "sqrt"])
def test_zeros_have_pythons_sign(name):
    kinds = [Kind.REAL] * (2 if name in ("mod", "floordiv", "copysign") else 1)
    rows = list(itertools.product(*[[0.0, -0.0, 1.0, -1.0, 0.25, -0.25, 3.0]] * len(kinds)))
    ours = network(name, *map(Type, kinds))(*(batch(column, Kind.REAL) for column in zip(*rows))).tolist()
    for row, value in zip(rows, ours):
        python = (
            {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}[name](row[0])
            if name in ("floor", "ceil", "trunc")
            else python_value(name, *row)
        )
        if python == 0:
            assert math.copysign(1, value) == math.copysign(1, python), (name, row)


@pytest.mark.parametrize("digits", [0, 1, 2, 3, 5, 10, 17, 25, -1, -2, -3, -25])
def test_rounding_to_digits_is_pythons(digits):
    generator = torch.Generator().manual_seed(0)
    column = [0.5, 1.5, 2.5, 2.675, 1.005, 0.285, -2.675, 5e15 + 0.5, 1e22, 5015.0, 25.0, 0.15, 1e300, -0.0, 5e-324, inf, -inf, nan]
    column += [n / 200 for n in range(-300, 300, 7)] + (torch.rand(200, generator=generator, dtype=torch.float64) * 1e4).tolist()
    ours = network("round_digits", Type(Kind.REAL), digits=digits)(torch.tensor(column, dtype=torch.float64)).tolist()
    assert list(map(repr, ours)) == [repr(round(value, digits)) for value in column]


def test_integers_divide_by_zero_without_raising():
    smallest = -(2**63)
    for name in ("floordiv", "mod"):
        network(name, Type(Kind.INT), Type(Kind.INT))(torch.tensor([5, smallest, 0]), torch.tensor([0, -1, 0]))


@pytest.mark.parametrize(
    "name", ["sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"]
)
def test_complex_functions_agree_with_cmath(name):
    points = [complex(a, b) for a in (0.3, -1.2, 2.0) for b in (0.4, -0.7)]
    ours = network(name, Type(Kind.COMPLEX))(torch.tensor(points, dtype=torch.complex128)).tolist()
    for value, point in zip(ours, points):
        assert value == pytest.approx(getattr(cmath, name)(point), rel=1e-12)


def test_log1p_of_complex_numbers_is_numpys_which_adds_1_first():
    points = [1e-9 + 1e-9j, -8.5e-8 + 8.3e-8j, 1e-300 + 5e-324j, 1e-18 + 1e-20j, -1 + 0j, -2 - 0.0j, 3 + 4j]
    with np.errstate(divide="ignore"):
        found = network("log1p", Type(Kind.COMPLEX))(torch.tensor(points, dtype=torch.complex128)).tolist()
        assert found == pytest.approx(np.log1p(points).tolist(), rel=1e-14)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "pow"])
def test_complex_arithmetic_agrees_with_python(name):
    a, b = complex(0.3, -1.2), complex(-0.7, 0.4)
    net = network(name, Type(Kind.COMPLEX), Type(Kind.COMPLEX))
    assert net(batch([a], Kind.COMPLEX), batch([b], Kind.COMPLEX)).tolist() == [pytest.approx(python_complex(name, a, b), rel=1e-12)]


def python_complex(name, a, b):
    return eval(fill(TABLE[name].python, [literal(a), literal(b)]).text)


def test_parts_of_complex_numbers():
    point = torch.tensor([1 + 2j])
    assert network("real", Type(Kind.COMPLEX))(point).tolist() == [1.0]
    assert network("imag", Type(Kind.COMPLEX))(point).tolist() == [2.0]
    assert network("conj", Type(Kind.COMPLEX))(point).tolist() == [1 - 2j]
    assert network("abs", Type(Kind.COMPLEX))(torch.tensor([3 + 4j])).tolist() == [5.0]
    assert network("to_complex", Type(Kind.REAL))(torch.tensor([2.0])).tolist() == [2 + 0j]


def test_operands_broadcast_sample_by_sample():
    a, b = torch.arange(4.0).reshape(4), torch.arange(24.0).reshape(4, 2, 3)
    net = network("add", Type(Kind.REAL), Type(Kind.REAL, (2, 3)))
    assert torch.equal(net(a, b), (a[:, None, None] + b).double())
    net = network("select", Type(Kind.BOOL), Type(Kind.REAL, (3,)), Type(Kind.REAL))
    assert torch.equal(net(a > 1, b[:, 0], a), torch.where(a[:, None] > 1, b[:, 0], a[:, None]).double())


def test_shapes_that_do_not_meet_are_named():
    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(3,\) \(4,\)"):
        infer("add", (Type(Kind.REAL, (3,)), Type(Kind.REAL, (4,))))


def test_order_of_complex_numbers_is_refused():
    with pytest.raises(TypeError, match="not defined for complex operands"):
        infer("lt", (Type(Kind.COMPLEX), Type(Kind.REAL)))


def test_arrays_are_stacked_indexed_gathered_and_summed():
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    b = Builder()
    first, second, place = b.input("x"), b.input("y"), b.input("k", Type(Kind.INT))
    array = b.op("stack", first, second, 7.0)
    table = b.const(((1.0, 2.0), (3.0, 4.0), (5.0, 6.0)))
    net = Network(b.program([b.op("index", array, key=(1,)), b.op("gather", array, place), b.op("sum", array, axis=None),
                             b.op("gather", table, place), b.op("sum", table, axis=0), b.op("index", table, key=(2, 1))]))
    column, chosen, total, row, sums, corner = net(x, y, torch.tensor([2, 0]))
    assert column.tolist() == [10.0, 20.0]
    assert chosen.tolist() == [7.0, 2.0]
    assert total.tolist() == [18.0, 29.0]
    assert row.tolist() == [[5.0, 6.0], [1.0, 2.0]]
    assert sums.tolist() == [[9.0, 12.0]] * 2
    assert corner.tolist() == [6.0, 6.0]


def test_a_network_in_single_precision_stays_there():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 0.1)
    y = b.op("add", b.op("mul", x, w), b.op("div", b.op("to_int", x), 3))
    net = Network(b.program([y, b.op("select", b.op("gt", x, 0.0), 1.0, 2.0)])).to(torch.float32)
    assert [leaf.dtype for leaf in net(torch.tensor([2.0]))] == [torch.float32, torch.float32]


def test_the_checker_finds_a_wrong_value():
    with pytest.raises(AssertionError):
        assert_close(1.0 + 1e-11, 1.0, "wrong")
    with pytest.raises(AssertionError):
        assert_close(1.0, nan, "wrong")
