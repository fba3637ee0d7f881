"""Sums of arrays natively: the bits of NumPy, which adds in pairs."""

import numpy as np
import pytest

from deepalgo.backends.native import compile_kernel
from deepalgo.ir import parse


@pytest.mark.parametrize("shape", [(1,), (7,), (8,), (9,), (30,), (128,), (131,), (300,), (3, 20), (20, 3), (2, 3, 17)])
def test_sums_have_the_bits_of_numpy(shape):
    rng = np.random.default_rng(0)
    given = rng.standard_normal((40, *shape)) * 10.0 ** rng.integers(-8, 8, (40, *shape))
    for axis in (None, *range(len(shape))):
        text = f"f(a: real[{', '.join(map(str, shape))}])\n  %y = sum %a axis={axis}\n  return %y\n"
        found = compile_kernel(parse(text)).run([given], np.zeros(0)).results[0]
        assert found.tolist() == [np.sum(row, axis=axis).tolist() for row in given]
