"""What NumPy leaves open, and a network need not repeat.

The order of equal items in an unstable sort; which of two zeros is the larger (that differs with the processor); linear algebra on
numbers that are not finite or whose products overflow (BLAS and LAPACK choose the order of sums and fuse products into them).

>>> is_specified("np_matmul", ([[1.0, 2.0]],)), is_specified("np_matmul", ([[1.0, 1e308]],)), is_specified("np_add", ([1e308],))
(True, False, True)
"""

from __future__ import annotations

import numpy as np

from tests.small.inputs import Row

UNSTABLE = frozenset({"np_argsort"})
LINEAR = frozenset(
    "array_matmul matrix_multiply method_dot method_transpose np_cholesky np_convolve np_convolve_same np_corrcoef np_correlate np_cov "
    "np_det np_dot np_dot_matrix np_einsum np_eigh np_eigvalsh np_inner np_inv np_matmul np_multi_dot np_norm_frobenius np_pinv np_polyfit "
    "np_svd np_svd_vectors np_slogdet np_slogdet_sign np_solve np_vdot operator_matmul polynomial_products_of_data".split()
)
#: Functions whose zeros may have either sign.
SIGNLESS = LINEAR | set("np_relu np_maximum np_minimum np_fmax np_fmin np_maximum_number np_minimum_number np_fmin_number".split())
#: Where a large number swallows the steps of difference quotients.
ABSORBING = frozenset({"builtin_sum_large"})
SMALLEST, LARGEST = 1e-60, 1e60


def is_specified(name: str, row: Row) -> bool:
    """Whether NumPy says what the function answers on these arguments."""
    numbers = np.concatenate([np.ravel(argument) for argument in row])
    if name in UNSTABLE:
        return len(np.unique(numbers)) == len(numbers)
    sizes = np.abs(numbers[numbers != 0])
    return name not in LINEAR or bool(np.all((sizes > SMALLEST) & (sizes < LARGEST)))
