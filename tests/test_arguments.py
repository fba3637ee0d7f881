"""Numbers of any sane kind come in, on both ways of calling; what is missing is refused or NaN, and never a number."""

import decimal
import fractions

import numpy as np
import polars as pl
import pytest
import torch

import deepalgo as da
from deepalgo.errors import InputError


def stepped(x):
    return 2.0 * x if x > 1.0 else x


def total(p):
    return p[0] + 2.0 * p[1]


NET, TABLE = da.compile(stepped), da.compile(total, example=((np.ones(2),), {}))
CALLS = pytest.mark.parametrize("call", [NET, da.compile(stepped, backend="native"), da.function(NET)], ids=["torch", "native", "function"])
A = np.array([1.0, 2.0, 3.0])


def numbers(answers):
    return answers.detach() if isinstance(answers, torch.Tensor) else answers


def read_only():
    array = A.copy()
    array.flags.writeable = False
    return array


class ByProtocol:
    def __array__(self, dtype=None, copy=None):
        return A.astype(np.float32)


NUMBERS = {
    "steps backwards": A[::-1], "big-endian": A.astype(">f8"), "big-endian whole": A.astype(">i4"), "float16": A.astype(np.float16),
    "longdouble": A.astype(np.longdouble), "uint16": A.astype(np.uint16), "uint64": A.astype(np.uint64), "int8": A.astype(np.int8),
    "every second": np.repeat(A, 2)[::2], "read only": read_only(), "no mask": np.ma.array(A), "polars": pl.Series(list(A)),
    "polars whole": pl.Series([1, 2, 3]), "an array of one's own": ByProtocol(), "list": [1, 2.0, 3], "tuple": (1.0, 2.0, 3.0),
    "range": range(1, 4), "memoryview": memoryview(A), "fractions": [fractions.Fraction(1), decimal.Decimal(2), 3],
    "numpy numbers": [np.float32(1), np.int64(2), 3.0],
}


@CALLS
@pytest.mark.parametrize("given", NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_any_kind_come_in(given, call):
    wanted = [stepped(float(x)) for x in np.asarray(given, dtype=object)]
    assert list(map(float, numbers(call(given)))) == wanted


@CALLS
def test_large_whole_numbers_come_in_as_python_rounds_them(call):
    assert float(numbers(call([10**30, 3]))[0]) == stepped(float(10**30))


def test_lists_of_tensors_keep_their_gradient():
    parts = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in A]
    NET(parts).sum().backward()
    assert [part.grad.item() for part in parts] == [1.0, 2.0, 2.0]
    rows = [[torch.tensor(1.0), 2.0], [3.0, torch.tensor(4.0)]]
    assert TABLE(rows).tolist() == [5.0, 11.0]
    with pytest.raises(InputError, match="'p' holds tensors of different shapes"):
        TABLE([torch.ones(2), torch.ones(3)])


MISSING = {
    "masked": (np.ma.masked_equal(A, 2.0), " by x.filled(np.nan)"), "polars": (pl.Series([1.0, None]), " by x.fill_null(float('nan'))"),
    "polars whole": (pl.Series([1, None]), " by x.fill_null(float('nan'))"), "none": ([1.0, None], ""),
    "masked in a list": ([1.0, np.ma.masked], ""),
}


@CALLS
@pytest.mark.parametrize(("given", "way"), MISSING.values(), ids=MISSING)
def test_missing_numbers_are_refused_with_the_way_to_nan(given, way, call):
    with pytest.raises(InputError) as refusal:
        call(given)
    assert str(refusal.value) == (
        f"'x' has missing numbers, the first at 1.\nLeave these samples out, or give NaN{way}, and they become NaN."
    )


@CALLS
def test_what_was_made_nan_is_nan(call):
    for given in (np.ma.masked_equal(A, 2.0).filled(np.nan), pl.Series([1.0, None, 3.0]).fill_null(float("nan"))):
        assert np.isnan(np.asarray([float(item) for item in numbers(call(given))])).tolist() == [False, True, False]


def test_frames_are_tables():
    frame = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4, 5, 6]})
    assert TABLE(frame).tolist() == [9.0, 12.0, 15.0]
    with pytest.raises(InputError, match=r"'p' has missing numbers, the first at 2\."):
        TABLE(pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4, 5, None]}))


def test_pandas_with_na_is_refused_and_without_comes_in():
    pd = pytest.importorskip("pandas")
    indexed = pd.Series(A, dtype="Float64", index=[5, 6, 7])
    for column in (pd.Series(A), pd.Series([1, 2, 3], dtype="Int64"), indexed, pd.array(A, dtype="Float32")):
        assert NET(column).tolist() == [1.0, 4.0, 6.0]
    for column in (pd.Series([1, None], dtype="Int64"), pd.Series([1.0, None], dtype="Float64"), pd.array([1.0, None], dtype="Float64")):
        with pytest.raises(InputError, match=r"'x' has missing numbers, the first at 1\.\n.* NaN by x\.to_numpy\(float, na_value"):
            NET(column)
    assert NET(pd.Series([1.0, np.nan])).isnan().tolist() == [False, True]
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert TABLE(frame).tolist() == [7.0, 10.0]
    with pytest.raises(InputError, match="'p' has missing numbers, the first at 1"):
        TABLE(frame.astype("Float64").replace(4.0, pd.NA))


def test_xarray_comes_in():
    xr = pytest.importorskip("xarray")
    assert NET(xr.DataArray(A, dims="time")).tolist() == [1.0, 4.0, 6.0]
    assert TABLE(xr.DataArray(np.ones((3, 2)))).tolist() == [3.0] * 3


@CALLS
@pytest.mark.parametrize(("given", "message"), [
    ("1.0", "'x' must be numbers, not '1.0'"), (["1.0"], "'x' must be numbers, not a list of 1"),
    (np.array(["a", "b"]), "'x' must be numbers, not an array of shape (2,)"),
    (np.array(["2020-01-01"], "M8[D]"), "'x' must be numbers, not an array of shape (1,)"), ([True], "'x' must be real numbers, not bool"),
    (np.array([1j]), "'x' must be real numbers, not complex128"), ([[1.0], [2.0, 3.0]], "'x' must be numbers, not a list of 2"),
    ({"a": 1.0}, "'x' must be numbers, not {'a': 1.0}"), (None, "'x' has missing numbers"),
])
def test_what_is_no_number_is_refused(given, message, call):
    with pytest.raises(InputError) as refusal:
        call(given)
    assert message in str(refusal.value)
