"""An axis means in the network what it means in NumPy, also where there is no such axis."""

import importlib.util
import sys

import numpy as np
import pytest

import deepalgo as da

ARRAY = "np.array([[x, 1.0, 2.0], [3.0, x, 5.0]])"
CALLS = [
    *(f"np.{name}(a, axis=k)" for name in (
        "sum mean max min std var prod argmin argmax cumsum cumprod sort argsort flip diff any all count_nonzero ptp average nansum "
        "linalg.norm expand_dims"
    ).split()),
    "np.sum(a, axis=(0, k))", "np.roll(a, 1, axis=k)", "np.concatenate([a, a], axis=k)", "np.stack([a, a], axis=k)",
    "np.transpose(a, (0, k))", "np.squeeze(a[:, :1], k)", "np.swapaxes(a, 0, k)", "np.moveaxis(a, 0, k)", "np.repeat(a, 2, axis=k)",
    "np.take(a, 1, axis=k)", "np.append(a, a, axis=k)", "a.sum(k)", "a.mean(axis=k)", "a.cumsum(k)", "a.max(axis=k, keepdims=True)",
]


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    path = tmp_path_factory.mktemp("axes") / "axes_module.py"
    path.write_text("import numpy as np\n" + "".join(
        f"def f{number}(x, k):\n    a = {ARRAY}\n    return {call}\n" for number, call in enumerate(CALLS)))
    spec = importlib.util.spec_from_file_location("axes_module", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["axes_module"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["axes_module"]


def answer(function, *args):
    try:
        return np.asarray(function(*args)), None
    except (ValueError, IndexError) as error:  # AxisError is both
        return None, type(error).__name__


def networks_answer(function, axis):
    try:
        return da.compile(function, example=((1.5, axis), {}))(1.5, axis).detach().numpy(), None
    except da.CompileError as error:
        return None, error.reason.removeprefix("the function raises ").split()[0]


@pytest.mark.parametrize("number", range(len(CALLS)), ids=CALLS)
def test_an_axis_is_counted_as_numpy_counts_it(functions, number):
    function = getattr(functions, f"f{number}")
    for axis in (-3, -2, -1, 0, 1, 2, 5):
        (wanted, error), (found, refused) = answer(function, 1.5, axis), networks_answer(function, axis)
        assert refused == error
        if error is None:
            np.testing.assert_allclose(found, wanted, rtol=1e-12, strict=True)
